"""What a distributional measure returns: quantities with their certainty, laws, focal values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import KindError, ParameterError, Phrase, Setting
from partita.results import Cell, Result, Table, number, plain, show
from partita.results.records import read_back

__all__ = ["Distribution", "Focal", "Law", "Quantity"]

EXACT, BOUND, SAMPLED = "exact", "bound", "sampled"

PRINTED_LEVEL = 0.9
"""Of the interval that is printed; `Distribution.interval` has any."""

UNDEFINED = "the index has no value for any clustering that is possible"


@dataclass(frozen=True)
class Quantity:
    """A number, what is sure about it, and how: the true value lies in [low, high].

    ``method`` is "exact" (both ends are the value, up to rounding), "bound" (certified ends) or "sampled"
    (a confidence interval, or an inner bound if ``low`` or ``high`` is infinite or the end of the range).
    """

    value: float
    low: float
    high: float
    method: str

    @classmethod
    def exact(cls, value: float) -> Quantity:
        """A number that is known."""
        return cls(value, value, value, EXACT)

    @classmethod
    def undefined(cls) -> Quantity:
        """A number that does not exist here."""
        return cls(math.nan, math.nan, math.nan, EXACT)


def weaker(*quantities: Quantity) -> str:
    """The weakest way in which some quantities are known."""
    return max((q.method for q in quantities), key=(EXACT, BOUND, SAMPLED).index)


@dataclass(frozen=True, eq=False)
class Law:
    """Values that can occur, in ascending order, with their weights.

    Attributes
    ----------
    support : array
        The values.
    weights : array
        Probabilities, or possibilities, or ones for a plain set.
    measure : {"probability", "possibility", "set"}
        What the weights are.
    method : {"exact", "bound", "sampled"}
        "bound" where unlikely values of total probability ``dropped`` were left away.
    dropped : float
        Probability that was left away.
    undefined : float
        Probability, or highest possibility, for which the index has no value; above 0 for a set if there are
        such completions.
    """

    support: Array
    weights: Array
    measure: str
    method: str = EXACT
    dropped: float = 0.0
    undefined: float = 0.0

    @classmethod
    def of(cls, values: Array, weights: Array, measure: str, **facts: Any) -> Law:
        """Collect equal values (up to rounding); nan is what the index leaves undefined.

        Probabilities are then those given that the index is defined.
        """
        known = ~np.isnan(values)
        undefined = weights[~known]
        order = np.argsort(values[known], kind="stable")
        ordered, weight = values[known][order], weights[known][order]
        near = 1e-12 * np.maximum(1.0, np.abs(ordered))
        first = np.flatnonzero(np.diff(ordered, prepend=-np.inf) > near)
        is_summed = measure in ("probability", "sum")
        lost = undefined.sum() if is_summed else undefined.max(initial=0.0)
        join = np.add if is_summed else np.maximum
        joined = join.reduceat(weight, first) if len(first) else weight
        if measure == "probability" and lost and len(first):
            joined = joined * (weights.sum() / joined.sum())
        return cls(ordered[first], joined, measure, undefined=float(lost), **facts)

    @classmethod
    def drawn(cls, values: Array, measure: str) -> Law:
        """The law of a sample: each draw counts alike."""
        return cls.of(values, np.full(len(values), 1.0 / len(values)), measure, method=SAMPLED)

    @property
    def total(self) -> float:
        """The probability that is there: 1, less what was dropped."""
        return float(self.weights.sum())

    @property
    def mean(self) -> float:
        """The mean over the values that are defined."""
        return float(self.support @ self.weights / self.total) if self.total else math.nan

    @property
    def std(self) -> float:
        """The standard deviation over the values that are defined."""
        if not self.total:
            return math.nan
        return float(np.sqrt((self.support - self.mean) ** 2 @ self.weights / self.total))

    def cdf(self, x: float) -> float:
        """The probability of a value of at most ``x``, among those that are defined."""
        return (
            float(self.weights[self.support <= _rounded_up(x)].sum() / self.total) if self.total else math.nan
        )

    def quantile(self, level: float) -> float:
        """The smallest value that is not exceeded with at least this probability."""
        if not len(self.support):
            return math.nan
        reached = np.cumsum(self.weights) / self.total >= level - 1e-12
        return float(self.support[int(reached.argmax()) if reached.any() else -1])

    def expectations(self) -> tuple[float, float]:
        """Lower and upper expectation of a possibility distribution, given that something is possible.

        For each level the values at least that possible have a smallest and a largest one; both are
        integrated over the levels up to the height, and divided by it.
        """
        if not len(self.support) or not self.weights.max():
            return math.nan, math.nan
        height = self.weights.max()
        # going up from the left, the smallest value of a cut changes where the possibility rises
        risen = np.maximum.accumulate(self.weights)
        lower = (np.diff(risen, prepend=0.0) @ self.support) / height
        fallen = np.maximum.accumulate(self.weights[::-1])
        upper = (np.diff(fallen, prepend=0.0) @ self.support[::-1]) / height
        return float(lower), float(upper)

    def to_frame(self) -> Any:
        """The values and their weights as a pandas frame."""
        import pandas as pd

        return pd.DataFrame({"value": self.support, self.measure: self.weights})


def miss_chances(law: Law, draws: int, epsilon: float) -> tuple[float, float]:
    """The chances that all draws from a law are ``epsilon`` or more above its least, below its largest."""
    above = float(law.weights[law.support >= law.support[0] + epsilon - 1e-12].sum()) / law.total
    below = law.cdf(law.support[-1] - epsilon)
    return above**draws, below**draws


def real(value: Any, name: str) -> float:
    """A finite or infinite number, not nan."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or math.isnan(value):
        raise ParameterError(f"{name} is no number.", got=repr(value)[:60], need="a number")
    return float(value)


def check_hurwicz(weight: Any) -> None:
    """Refuse what is no weight between the lower and the upper end."""
    is_number = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool)
    if not is_number or not 0.0 <= weight <= 1.0:
        raise ParameterError(
            Phrase(Setting("hurwicz"), " must be the weight of the upper end."),
            got=repr(weight),
            need="a number from 0 (the lower end) to 1 (the upper)",
        )


def _rounded_up(x: float) -> float:
    """So that a value equal to ``x`` up to rounding counts as at most ``x``."""
    return x + 1e-12 * max(1.0, abs(x))


@dataclass(frozen=True, eq=False)
class Focal:
    """Sets of values, each known by its smallest and its largest, with their masses.

    ``values`` are the whole sets, where they were enumerated.
    """

    low: Array
    high: Array
    masses: Array
    values: tuple[tuple[float, ...], ...] = ()
    method: str = EXACT


@dataclass(frozen=True, repr=False)
class Distribution(Result):
    """An index between two soft clusterings, as what it may be over the hard clusterings they stand for.

    Attributes
    ----------
    index : str
        The index, with its options.
    reading : str
        What the numbers mean, in words.
    quantities : dict of Quantity
        ``lower``, ``upper``, ``mean`` and ``std`` with what is sure about each; ``hurwicz`` if asked for.
    law : Law or None
        The values that can occur, with probabilities or possibilities.
    focal : Focal or None
        For evidential clusterings: sets of values and their masses.
    cost : dict
        What it took.
    uniform : Law or None
        For sampled completions: the law of the index over all of them, where it is within reach.
    measure : {"probability", "possibility", "set", "belief"}
        What kind of uncertainty it is.
    """

    index: str = ""
    reading: str = ""
    title: str = ""
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    law: Law | None = None
    focal: Focal | None = None
    cost: Mapping[str, Any] = field(default_factory=dict)
    uniform: Law | None = None
    measure: str = "probability"

    # --- numbers ----------------------------------------------------------------------------------------

    @property
    def lower(self) -> float:
        """The least value (rough), the lower expectation, or the mean (fuzzy)."""
        return self.quantities["lower"].value

    @property
    def upper(self) -> float:
        """The largest value (rough), the upper expectation, or the mean (fuzzy)."""
        return self.quantities["upper"].value

    @property
    def mean(self) -> float:
        """The mean; nan where there is no probability law."""
        return self.quantities["mean"].value

    @property
    def std(self) -> float:
        """The standard deviation; nan where there is no probability law, or it is not known."""
        return self.quantities["std"].value

    @property
    def lower_within(self) -> tuple[float, float]:
        """What is sure about ``lower``: equal ends if exact, certified if a bound, else with confidence."""
        return self.quantities["lower"].low, self.quantities["lower"].high

    @property
    def upper_within(self) -> tuple[float, float]:
        """What is sure about ``upper``."""
        return self.quantities["upper"].low, self.quantities["upper"].high

    @property
    def method(self) -> str:
        """``"exact"``, ``"bound"`` or ``"sampled"``: the weaker of how ``lower`` and ``upper`` are known."""
        return weaker(self.quantities["lower"], self.quantities["upper"])

    @property
    def gap(self) -> float:
        """The wider of the two intervals that enclose ``lower`` and ``upper``; 0 when exact."""
        return max(high - low for low, high in (self.lower_within, self.upper_within))

    def hurwicz(self, weight: float) -> float:
        """One number between the ends: ``weight`` of the upper, the rest of the lower (Hurwicz' criterion).

        With 0 it is ``lower``, with 1 ``upper``; of a probability law it is the mean, whatever the weight.
        Whether a large or a small weight is the hopeful one depends on what is better for the index.
        """
        return self.hurwicz_within(weight).value

    def hurwicz_within(self, weight: float) -> Quantity:
        """The same with what is sure about it: the ends of both intervals, weighed alike."""
        check_hurwicz(weight)
        lower, upper = self.quantities["lower"], self.quantities["upper"]

        def between(low: float, high: float) -> float:
            # an end that has no share must not turn inf into nan
            return low if weight == 0 else high if weight == 1 else (1.0 - weight) * low + weight * high

        return Quantity(
            between(lower.value, upper.value),
            between(lower.low, upper.low),
            between(lower.high, upper.high),
            weaker(lower, upper),
        )

    # --- laws -------------------------------------------------------------------------------------------

    def _law(self, *measures: str) -> Law:
        if self.law is None or (measures and self.law.measure not in measures):
            raise KindError(
                f"there is no {measures[0] if measures else 'law'} here.",
                got=self.reading,
                need="hard or fuzzy sides (probability), possibilistic or rough ones (possibility), law=True",
                fix=".lower and .upper, .belief(t) and .plausibility(t)",
            )
        return self.law

    @property
    def support(self) -> Array:
        """The values that can occur, in ascending order."""
        return self._law().support

    @property
    def probabilities(self) -> Array:
        """The probability of each value of the support."""
        return self._law("probability").weights

    @property
    def possibilities(self) -> Array:
        """The possibility of each value of the support; one where a set or certain."""
        law = self._law()
        if law.method == EXACT and len(law.support) <= 1:
            return law.weights
        return self._law("possibility", "set").weights

    @property
    def dropped(self) -> float:
        """The probability of unlikely values that were left away."""
        return 0.0 if self.law is None else self.law.dropped

    def cdf(self, x: float) -> float:
        """The probability of a value of at most ``x``."""
        return self._law("probability").cdf(real(x, "x"))

    def belief(self, t: float) -> float:
        """How far it is certain that the value is at most ``t``; nan where nothing is defined."""
        return self._at_most(t)[0]

    def plausibility(self, t: float) -> float:
        """How far it is possible that the value is at most ``t``; nan where nothing is defined."""
        return self._at_most(t)[1]

    def _at_most(self, t: float) -> tuple[float, float]:
        """Belief and plausibility of a value of at most ``t``."""
        t = _rounded_up(real(t, "t"))
        if math.isnan(self.lower) and math.isnan(self.mean):
            return math.nan, math.nan
        if self.focal is not None:
            masses = self.focal.masses
            return float(masses[self.focal.high <= t].sum()), float(masses[self.focal.low <= t].sum())
        if self.measure == "set":
            # only what is certified: the ends of a sample are not
            return float(self.upper_within[1] <= t), float(self.lower_within[0] <= t)
        law = self._law()
        if law.measure == "probability":
            return law.cdf(t), law.cdf(t)
        height = law.weights.max()
        below = law.weights[law.support <= t].max(initial=0.0)
        above = law.weights[law.support > t].max(initial=0.0)
        return float(1.0 - above / height), float(below / height)

    @property
    def focal_values(self) -> list[tuple[tuple[float, ...], float]]:
        """The focal sets of values with their masses (campagner2022 eq. 8), where they were enumerated.

        A law has a focal set for each value, a rough clustering a single one.
        """
        if self.focal is None and self.law is not None and self.law.method == EXACT:
            support = self.law.support.tolist()
            if self.law.measure == "set":
                return [(tuple(support), 1.0)]
            if self.law.measure == "probability":
                masses = self.law.weights / self.law.total
                return [((v,), float(m)) for v, m in zip(support, masses, strict=True)]
        if self.focal is None or not self.focal.values:
            raise KindError(
                "the focal sets were not enumerated.",
                got=self.reading,
                need="an evidential clustering with few uncertain objects",
                fix=".belief(t) and .plausibility(t)",
            )
        return list(zip(self.focal.values, map(float, self.focal.masses), strict=True))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Values between which the index lies with this probability, or at least this certainty.

        Probability: the central interval. Possibility: the values more than ``1 - level`` possible.
        Evidential: the lower tail of the low ends, the upper tail of the high ends. Rough: both ends.
        """
        if not 0.0 < real(level, "level") <= 1.0:
            raise ParameterError("a level is a share.", got=repr(level), need="a number above 0, at most 1")
        if math.isnan(self.lower) and math.isnan(self.mean):
            return math.nan, math.nan
        tail = (1.0 - level) / 2.0
        if self.focal is not None:
            weights = self.focal.masses
            low = Law.of(self.focal.low, weights, "probability").quantile(tail)
            return low, Law.of(self.focal.high, weights, "probability").quantile(1.0 - tail)
        if self.measure == "set":
            return self.lower, self.upper
        law = self._law()
        if law.measure == "probability":
            return law.quantile(tail), law.quantile(1.0 - tail)
        inside = law.support[law.weights > (1.0 - level) * law.weights.max()]
        return float(inside[0]), float(inside[-1])

    def miss_probability(self, epsilon: float) -> tuple[float, float]:
        """The chances that uniformly drawn completions missed the lower, and the upper, end by ``epsilon``.

        campagner2022, Prop. 3 as corrected: all draws are at least ``epsilon`` away from the end. It needs
        the law of the index over all completions, which is known for not too many of them.
        """
        if self.uniform is None or "draws" not in self.cost:
            raise KindError(
                "the chance to miss an end is not known here.",
                got=self.reading,
                need='method="sample" on rough clusterings whose law over completions is within reach',
                fix="the notes say which share of completions lies beyond the ends, with confidence",
            )
        if real(epsilon, "epsilon") <= 0.0:
            raise ParameterError("epsilon is a distance.", got=repr(epsilon), need="a number above 0")
        return miss_chances(self.uniform, int(self.cost["draws"]), epsilon)

    # --- showing ----------------------------------------------------------------------------------------

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a quantity: its value, what is sure, and how it was obtained."""
        return [
            {"quantity": name, "value": q.value, "low": q.low, "high": q.high, "method": q.method}
            for name, q in self.quantities.items()
        ]

    def table(self) -> Table:
        """What the index may be: mean, standard deviation and 90% interval, or lower and upper values.

        What is sure about a number is told where that changes one of the digits that are shown.
        """
        shown = {name: q for name, q in self._shown().items() if not math.isnan(q.value)}
        rows = tuple((name, Cell(q.value, _uncertainty(q)), q.method) for name, q in shown.items())
        if not rows:
            rows = (("mean" if self.measure == "probability" else "lower", Cell(math.nan, UNDEFINED), ""),)
        spent = ", ".join(f"{value} {name}" for name, value in self.cost.items())
        notes = (self.reading, *self.footnotes, *([f"cost: {spent}"] if spent else []))
        return Table(self.title, ("quantity", "value", "method"), rows, notes)

    def _shown(self) -> dict[str, Quantity]:
        """The quantities that are printed, by the names that they print under."""
        if self.measure != "probability":
            names = ("lower", "upper", "hurwicz")
            return {name: self.quantities[name] for name in names if name in self.quantities}
        shown = {"mean": self.quantities["mean"], "sd": self.quantities["std"]}
        if self.law is None or self.law.measure != "probability" or not len(self.law.support):
            return shown
        tail = (1.0 - PRINTED_LEVEL) / 2.0
        return shown | {
            f"{PRINTED_LEVEL:.0%} from": _quantile(self.law, tail),
            f"{PRINTED_LEVEL:.0%} to": _quantile(self.law, 1.0 - tail),
        }

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {
            **super().to_dict(),
            "index": self.index,
            "reading": self.reading,
            "title": self.title,
            "measure": self.measure,
            "cost": plain(dict(self.cost)),
            **{name: _written(getattr(self, name)) for name in ("law", "focal", "uniform")},
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Distribution:
        """The distribution that `to_dict` wrote."""
        needed = {"index", "reading", "title", "measure", "cost", "rows", "law", "focal", "uniform"}
        cls.refuse_other(data, "distribution")
        if needed - set(data):
            raise ParameterError("this is no distribution.", got=repr(data)[:60], need="what to_dict() gave")
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            index=data["index"],
            reading=data["reading"],
            title=data["title"],
            measure=data["measure"],
            cost=dict(data["cost"]),
            quantities={
                row["quantity"]: Quantity(
                    number(row["value"]), number(row["low"]), number(row["high"]), row["method"]
                )
                for row in data["rows"]
            },
            law=_read(Law, data["law"]),
            focal=_read(Focal, data["focal"]),
            uniform=_read(Law, data["uniform"]),
        )


def _quantile(law: Law, level: float) -> Quantity:
    """A quantile, and where it lies whatever the values are whose probability was left away."""
    value = law.quantile(level)
    if law.method != BOUND:
        return Quantity(value, value, value, law.method)
    # the values that were left away may all lie below, or all above
    low = law.quantile((level - law.dropped) / law.total) if level > law.dropped else -math.inf
    high = law.quantile(level / law.total) if level <= law.total else math.inf
    return Quantity(value, low, high, EXACT if low == high else BOUND)


def _uncertainty(quantity: Quantity) -> str:
    """What is sure about a number, where a digit that is shown could be another; else nothing."""
    value, low, high = map(show, (quantity.value, quantity.low, quantity.high))
    if math.isnan(quantity.low) or value == low == high:
        return ""
    how = {BOUND: "certified", SAMPLED: "from a sample"}.get(quantity.method, "up to rounding")
    if math.isinf(quantity.low):
        return f"{how}: at most {high}"
    return f"{how}: at least {low}" if math.isinf(quantity.high) else f"{how}: between {low} and {high}"


def _written(part: Law | Focal | None) -> dict[str, Any] | None:
    """The fields of a part as JSON can hold them."""
    if part is None:
        return None
    fields = {name: getattr(part, name) for name in part.__dataclass_fields__}
    return {k: plain(v.tolist() if isinstance(v, np.ndarray) else v) for k, v in fields.items()}


def _read(part: Any, data: Mapping[str, Any] | None) -> Any:
    """Undo `_written`."""
    if data is None:
        return None
    arrays = ("support", "weights", "low", "high", "masses")
    fields = {k: np.array(list(map(number, v))) if k in arrays else v for k, v in data.items()}
    if "values" in fields:
        fields["values"] = tuple(map(tuple, fields["values"]))
    return part(**fields)
