"""Drawing hard clusterings, how many are enough, and how sure the mean is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.budgets import Budget
from partita.errors import ParameterError, Phrase, Setting

FIRST_STAGE = 256
MOST_DRAWS, MOST_ASKED = 1_000_000, 100_000_000
"""Draws that are made at most where it is left open, and where a number is asked for."""

_CELLS_AT_ONCE = 1 << 22


def hoeffding_size(epsilon: float, confidence: float, width: float = 1.0) -> int:
    """Draws of a variable in an interval of this width after which its mean is within epsilon.

    Examples
    --------
    >>> hoeffding_size(0.01, 0.95)
    18445
    """
    return math.ceil(width**2 * math.log(2.0 / (1.0 - confidence)) / (2.0 * epsilon**2))


def hoeffding_half_width(draws: int, confidence: float, width: float) -> float:
    """How far the mean of this many draws may be off, with this confidence (Hoeffding)."""
    return width * math.sqrt(math.log(2.0 / (1.0 - confidence)) / (2.0 * draws))


def bernstein_half_width(values: Array, confidence: float, width: float) -> float:
    """The same from the draws' own variance (Maurer and Pontil's empirical Bernstein bound, both sides)."""
    if len(values) < 2:
        return math.inf
    log = math.log(4.0 / (1.0 - confidence))
    spread = math.sqrt(2.0 * float(values.var(ddof=1)) * log / len(values))
    return spread + 7.0 * width * log / (3.0 * (len(values) - 1))


def normal_half_width(values: Array, confidence: float) -> float:
    """The same by the central limit theorem: an approximation, for variables without a known range."""
    if len(values) < 2:
        return math.inf
    quantile = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    return quantile * float(values.std(ddof=1)) / math.sqrt(len(values))


def is_auto(n_samples: Any) -> bool:
    """Whether the number of draws is left open."""
    return isinstance(n_samples, str) and n_samples == "auto"


@dataclass(frozen=True)
class Plan:
    """How many draws to make, and when to stop.

    Attributes
    ----------
    n_samples : int or "auto"
        Draws; "auto" stops as soon as every mean is within ``epsilon`` with ``confidence``.
    epsilon, confidence : float
        The wanted half-width and its confidence.
    budget : Budget
        What may be spent.
    """

    n_samples: int | str = "auto"
    epsilon: float = 0.01
    confidence: float = 0.95
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if not is_auto(self.n_samples) and not (
            isinstance(self.n_samples, (int, np.integer))
            and not isinstance(self.n_samples, bool)
            and 1 <= self.n_samples <= MOST_ASKED
        ):
            raise ParameterError(
                Phrase(Setting("n_samples"), " is not a number of draws."),
                got=repr(self.n_samples)[:60],
                need=f'"auto" or a whole number from 1 to {MOST_ASKED:,}',
            )
        for name, value, low, high in (
            ("epsilon", self.epsilon, 1e-6, 1.0),
            ("confidence", self.confidence, 1e-6, 1.0),
        ):
            if (
                isinstance(value, bool)
                or not isinstance(value, (int, float))
                or not low <= value <= high - 1e-9
            ):
                need = f"a number from {low:g} to below {high:g}"
                raise ParameterError(Phrase(Setting(name), " is no such share."), got=repr(value), need=need)

    def most_draws(self, width: float | None) -> int:
        """Draws that are made at most; with a known width, Hoeffding's number is always enough."""
        if self.n_samples != "auto":
            return int(self.n_samples)
        if width is None:
            return 100_000
        wanted = hoeffding_size(self.epsilon, 1.0 - (1.0 - self.confidence) / 2.0, width)
        return min(max(wanted, 1), MOST_DRAWS)

    def run(
        self,
        draw: Callable[[int], Array],
        width: float | None,
        report: Callable[[int, int], None],
        batch: int = FIRST_STAGE,
    ) -> tuple[Array, bool]:
        """Draw ``(s, q)`` values until it is enough, or time is up; also whether it was enough.

        With "auto", the stages 256, 512, 1024, ... share half of the allowed error between them, each by the
        empirical Bernstein bound; the other half is kept for Hoeffding's number, which ends it.
        """
        most = self.most_draws(width)
        stages = max(1, math.ceil(math.log2(max(most / FIRST_STAGE, 1.0))))
        share = 1.0 - (1.0 - self.confidence) / (2.0 * stages)
        drawn: list[Array] = []
        done, look = 0, FIRST_STAGE
        while done < most:
            size = min(batch, most - done, look - done if self.n_samples == "auto" else most)
            drawn.append(draw(size))  # less of them where the budget is spent
            done += len(drawn[-1])
            report(done, most)
            if self.budget.is_over:
                return np.concatenate(drawn), done >= most
            if self.n_samples == "auto" and done == look:
                values = np.concatenate(drawn)
                if self._is_enough(values, width, share):
                    return values, True
                look *= 2
        values = np.concatenate(drawn)
        return values, self._is_certainly_enough(width) or self._is_enough(values, width, share)

    def _is_certainly_enough(self, width: float | None) -> bool:
        """Whether the most draws are as many as were asked for, or as Hoeffding wants."""
        return self.n_samples != "auto" or (width is not None and self.most_draws(width) < MOST_DRAWS)

    def _is_enough(self, values: Array, width: float | None, share: float) -> bool:
        columns = [c[~np.isnan(c)] for c in values.T]
        if width is None:
            return all(normal_half_width(c, self.confidence) <= self.epsilon for c in columns)
        return all(bernstein_half_width(c, share, width) <= self.epsilon for c in columns)

    def half_width(self, values: Array, width: float | None) -> tuple[float, str]:
        """How far the mean may be off with the plan's confidence, and by which theorem."""
        if width is None:
            return normal_half_width(values, self.confidence), "normal approximation"
        most = self.most_draws(width)
        stages = max(1, math.ceil(math.log2(max(most / FIRST_STAGE, 1.0)))) if self.n_samples == "auto" else 1
        error = (1.0 - self.confidence) / 2.0
        ways = {
            "Hoeffding": hoeffding_half_width(len(values), 1.0 - error, width),
            "empirical Bernstein": bernstein_half_width(values, 1.0 - error / stages, width),
        }
        name = min(ways, key=ways.__getitem__)
        return ways[name], name


def draw_labels(weights: Array, size: int, rng: np.random.Generator) -> Array:
    """Labels ``(size, n)``, object ``x`` falling into column ``i`` with probability ``weights[x, i]``."""
    sums = np.cumsum(weights, axis=1)
    # divided by the last sum itself, so that nothing falls into a last column of probability zero
    edges = sums[:, :-1] / sums[:, -1:]
    uniform = rng.random((size, len(weights)))
    labels = np.zeros(uniform.shape, dtype=np.int64)
    for edge in edges.T:
        labels += uniform >= edge
    return labels


def tables_of(truth: Array, found: Array, shape: tuple[int, int]) -> Array:
    """The tables ``(s, k, k')`` of labels ``(s, n)``; either side may be ``(n,)``, the same for all."""
    k, columns = shape
    both = truth * columns + found
    draws = both.reshape(-1, both.shape[-1])
    keys = np.arange(len(draws))[:, None] * (k * columns) + draws
    return np.bincount(keys.ravel(), minlength=len(draws) * k * columns).reshape(-1, k, columns)


def draw_tables(truth: Array, found: Array, size: int, rng: np.random.Generator) -> Array:
    """Tables of hard clusterings drawn from ``(n, k)`` and ``(n, k')`` probabilities."""
    shape = truth.shape[1], found.shape[1]
    at_once = max(1, _CELLS_AT_ONCE // len(truth))
    parts = []
    for start in range(0, size, at_once):
        count = min(at_once, size - start)
        parts.append(tables_of(draw_labels(truth, count, rng), draw_labels(found, count, rng), shape))
    return np.concatenate(parts)


def kl_upper_limit(mean: float, draws: int, confidence: float) -> float:
    """The largest true mean in [0, 1] that ``draws`` draws with this mean do not refute (Chernoff)."""
    budget = math.log(1.0 / (1.0 - confidence)) / draws
    mean = min(max(mean, 0.0), 1.0)
    low, high = mean, 1.0
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _divergence(mean, middle) <= budget else (low, middle)
    return high


def _divergence(p: float, q: float) -> float:
    """KL divergence of Bernoulli p from Bernoulli q."""
    if q >= 1.0:
        return 0.0 if p >= 1.0 else math.inf
    first = p * math.log(p / q) if p > 0 else 0.0
    return first + (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if p < 1.0 else first
