"""What an index is worth by chance, in closed form where there is one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, Floats
from partita.chance.null_models import AllPartitions, FixedNumber, NullModel, Permutation
from partita.chance.set_partitions import together_given_number, together_in_any
from partita.engine import collect, needs_all_at_once
from partita.inputs import Inputs
from partita.partitions import FUZZY, HARD, softest
from partita.registry import Index
from partita.statistics import Contingency, PairMoments
from partita.statistics.pairs.concordance import ConcordanceChance
from partita.statistics.pairs.shuffles import ShuffledGaps
from partita.statistics.protocol import Request
from partita.statistics.tables.cell_sums import missing_information
from partita.statistics.tables.hypergeometric import expected_mutual_information

CLOSED_FORM, ENUMERATED, MONTE_CARLO = "closed form", "enumerated", "Monte Carlo"
"""How an expectation was found."""


class Expectation(NamedTuple):
    """An expected value, its standard error, and how it was found."""

    value: float
    error: float = 0.0
    how: str = CLOSED_FORM


AFFINE_IN_PAIRS = frozenset(
    {"adjusted_rand", "hubert_gamma", "fowlkes_mallows", "pair_precision", "pair_recall"}
)
"""Indices that, for given cluster sizes, are affine in the number of pairs together in both.

Those whose entry says that they are `separable` in squares are so whatever the sizes.
"""

AFFINE_IN_INFORMATION = frozenset(
    {
        "nmi_max",
        "nmi_sum",
        "nmi_sqrt",
        "nmi_min",
        "adjusted_mutual_information",
        "homogeneity",
        "completeness",
        "v_measure",
    }
)
"""Indices that, for given cluster sizes, are affine in the mutual information; as are `separable` ones."""

SHARES_OF_PAIRS = {
    "frobenius_rand": (1.0, -1.0),
    "belief_rand": (1.0, -1.0),
    "hullermeier_rifqi": (1.0, -1.0),
    "campello_rand": (1.0, -1.0),
    "credal_rand": (1.0, -1.0),
    "coassociation_rand_distance": (0.0, 1.0),
    "coassociation_average_distance": (0.0, 2.0),
}
"""Indices that for two hard clusterings are constant + slope x the share of pairs judged differently."""


@dataclass(frozen=True)
class ExpectedPairs:
    """The pair counts that formulas look at, as they are expected."""

    n: Floats
    pairs: tuple[Floats, Floats, Floats, Floats]

    @classmethod
    def of(cls, n: float, both: float, in_truth: float, in_found: float) -> ExpectedPairs:
        """From the expected pairs together in both, in truth, and in found."""
        every = n * (n - 1.0) / 2.0
        counts = both, in_truth - both, in_found - both, every - in_truth - in_found + both
        a, b, c, d = map(np.asarray, counts)
        return cls(np.asarray(n), (a, b, c, d))

    @property
    def share_apart(self) -> float:
        """The share of pairs that are judged differently."""
        _, b, c, _ = self.pairs
        return float((b + c) / sum(self.pairs))


@dataclass(frozen=True)
class ExpectedInformation:
    """The entropies that formulas look at, with the mutual information that is expected."""

    rows: Array
    columns: Array
    is_whole: bool = True
    is_relabelling: bool = False

    @cached_property
    def row_entropy(self) -> Floats:
        """H(truth), which does not change."""
        return _entropy(self.rows)

    @cached_property
    def column_entropy(self) -> Floats:
        """H(found), which does not change."""
        return _entropy(self.columns)

    @cached_property
    def mutual_information(self) -> Floats:
        """E I(truth, found)."""
        return np.asarray(expected_mutual_information(self.rows, self.columns))

    @property
    def expected_mutual_information(self) -> Floats:
        """The same."""
        return self.mutual_information

    @property
    def rows_given_columns(self) -> Floats:
        """E H(truth | found)."""
        return np.asarray(self.row_entropy - self.mutual_information)

    @property
    def columns_given_rows(self) -> Floats:
        """E H(found | truth)."""
        return np.asarray(self.column_entropy - self.mutual_information)

    @property
    def joint_entropy(self) -> Floats:
        """E H(truth, found)."""
        return np.asarray(self.row_entropy + self.column_entropy - self.mutual_information)


def _entropy(sizes: Array) -> Floats:
    n = sizes.sum()
    return np.asarray(missing_information(sizes, n - sizes) / n)


# --- two hard clusterings -----------------------------------------------------------------------------


def expected_on_sizes(entry: Index, rows: Array, columns: Array, null: NullModel) -> float | None:
    """The expected value for two hard clusterings of these cluster sizes; None without a closed form."""
    n = float(rows.sum())
    if n <= 1.0 or set(entry.inputs) != {"truth", "found"}:
        return None
    is_default = dict(entry.options) == dict(entry.defaults)
    is_fixed = isinstance(null, Permutation)
    value: Any = None
    if is_fixed and is_default and entry.status("zero_by_chance", HARD) == "claimed":
        value = 0.0
    elif entry.given_sizes == "squares" and (entry.separable or (is_fixed and entry.name in AFFINE_IN_PAIRS)):
        value = entry.formula_on(_expected_pairs(rows, columns, null))
    elif is_fixed and entry.given_sizes == "entropy" and _is_affine_in_information(entry):
        value = entry.formula_on(ExpectedInformation(rows, columns))
    elif is_default and entry.name in SHARES_OF_PAIRS:
        constant, slope = SHARES_OF_PAIRS[entry.name]
        value = constant + slope * _expected_pairs(rows, columns, null).share_apart
    return None if value is None or not np.isfinite(value) else float(value)


def _is_affine_in_information(entry: Index) -> bool:
    if entry.options.get("average") == "joint":  # a ratio of two sums that both change
        return False
    return entry.is_of_table and (entry.separable or entry.name in AFFINE_IN_INFORMATION)


def _expected_pairs(rows: Array, columns: Array, null: NullModel) -> ExpectedPairs:
    n = int(rows.sum())
    every = n * (n - 1.0) / 2.0

    def together(sizes: Array, *, is_held: bool) -> float:
        if not is_held and isinstance(null, FixedNumber):
            return every * together_given_number(n, int((sizes > 0).sum()))
        if not is_held and isinstance(null, AllPartitions):
            return every * together_in_any(n)
        each = sizes.astype(np.float64)
        return float((each * (each - 1.0)).sum()) / 2.0

    in_truth, in_found = together(rows, is_held=null.one_sided), together(columns, is_held=False)
    return ExpectedPairs.of(float(n), in_truth * in_found / every, in_truth, in_found)


# --- soft clusterings, shuffled -----------------------------------------------------------------------


def expected_on_inputs(
    entry: Index, inputs: Inputs, null: NullModel, moments: Callable[[], PairMoments]
) -> Expectation | None:
    """The expected value where a side is soft and the objects are shuffled; None without a closed form.

    ``moments`` gives those of the inputs, which are made once for all indices.
    """
    if not isinstance(null, Permutation) or inputs.n_objects <= 1 or inputs.weight is not None:
        return None
    if set(entry.inputs) != {"truth", "found"}:
        return None
    is_default = dict(entry.options) == dict(entry.defaults)
    if is_default and entry.status("zero_by_chance", softest(inputs.kinds)) == "claimed":
        is_sampled = _is_large(inputs) and any(r.statistic in _SAMPLED for r in entry.requests)
        return None if is_sampled else Expectation(0.0)
    if not set(inputs.kinds) <= {HARD, FUZZY}:
        return None
    statistics = [request.statistic for request in entry.requests]
    in_pairs = entry.given_sizes == "squares" and (entry.separable or entry.name in AFFINE_IN_PAIRS)
    if in_pairs and statistics == [Contingency]:
        return _finite(entry.formula_on(_soft_pairs(moments())))
    if in_pairs and statistics == [PairMoments]:
        return _finite(entry.formula_on(_coassociated_pairs(moments())))
    if entry.name == "frobenius_rand":
        return _finite(1.0 - _frobenius_gap(moments()))
    if entry.name == "coassociation_rand_distance":
        return _finite(_coassociated_pairs(moments()).share_apart)
    if inputs.is_chunked and needs_all_at_once([Request(ShuffledGaps), Request(ConcordanceChance)], inputs):
        return None
    if entry.name in ("belief_rand", "coassociation_average_distance") and is_default:
        gaps = _collected(ShuffledGaps, inputs)
        constant, slope = SHARES_OF_PAIRS[entry.name]
        return _of_gap(constant, slope, float(gaps.together), gaps.standard_error)
    if entry.name == "hullermeier_rifqi":
        chance = _collected(ConcordanceChance, inputs)
        return _of_gap(1.0, -1.0, float(chance.expected_gap), chance.standard_error)
    return None


_SAMPLED = (ShuffledGaps, ConcordanceChance)
_EXACT_UP_TO = 5000


def _is_large(inputs: Inputs) -> bool:
    """Whether the index itself rests on a sampled expectation, so that its mean is 0 but for that."""
    return inputs.n_objects > _EXACT_UP_TO and HARD not in inputs.kinds


def _collected(statistic: type[Any], inputs: Inputs) -> Any:
    request = Request(statistic, (("random_state", 0),) if _is_large(inputs) else ())
    return collect([request], inputs)[request]


def _finite(value: Any) -> Expectation | None:
    return Expectation(float(value)) if np.isfinite(value) else None


def _of_gap(constant: float, slope: float, gap: float, error: float) -> Expectation | None:
    if not math.isfinite(gap):
        return None
    how = MONTE_CARLO if error else CLOSED_FORM
    return Expectation(constant + slope * gap, abs(slope) * error, how)


def _soft_pairs(moments: PairMoments) -> ExpectedPairs:
    """Those of the table U'V: its cells have E N_ij^2 = S_i T_j / n + (R_i^2 - S_i)(C_j^2 - T_j) / n(n - 1).

    R and C are the sums of the memberships in each cluster, S and T those of their squares.
    """
    n = float(moments.n)
    one, other = moments.own_sums
    apart = (one.sizes_squared - one.squares) * (other.sizes_squared - other.squares)
    in_cells = one.squares * other.squares / n + apart / (n * (n - 1.0))
    return ExpectedPairs.of(
        n, (in_cells - n) / 2.0, (one.sizes_squared - n) / 2.0, (other.sizes_squared - n) / 2.0
    )


def _coassociated_pairs(moments: PairMoments) -> ExpectedPairs:
    n = float(moments.n)
    every = n * (n - 1.0) / 2.0
    a, b = float(moments.values.mean_truth), float(moments.values.mean_found)
    return ExpectedPairs.of(n, every * a * b, every * a, every * b)


def _frobenius_gap(moments: PairMoments) -> float:
    """E |X' - Y'|^2 / n(n - 1), each co-association matrix scaled by <X, J> / <X, X> (andrews2022)."""
    n = float(moments.n)
    sides = moments.own_sums
    lengths = [one.sizes_squared**2 / one.products_squared for one in sides]
    scales = [one.sizes_squared / one.products_squared for one in sides]
    crossed = math.prod(one.squares for one in sides) / n
    crossed += math.prod(one.sizes_squared - one.squares for one in sides) / (n * (n - 1.0))
    return (sum(lengths) - 2.0 * math.prod(scales) * crossed) / (n * (n - 1.0))
