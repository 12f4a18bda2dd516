"""How sure a value is: intervals from objects drawn anew, and by leaving objects out in turn.

The objects are taken for a sample from more of their kind, and an interval is for the value of all of those.

**Replicates.** As many objects as there are, drawn with replacement: multinomial weights, and a replicate is
the value of `compare` with these as ``sample_weight``. Two hard clusterings are drawn as cells of their
table, which is the same law.

**Copies.** An object that is drawn twice is a pair with itself that agrees about everything, which no two
objects of the sample are: replicates of indices of pairs lie too high, by about 1/n of what is to be had, and
as far from chance as (k - 1)/n for the adjusted Rand index of two clusterings of k clusters that have nothing
to do with each other. Those indices do not lie too high themselves; so their replicates are centred
on the value before the interval is read off.

**Bias.** Other indices (entropies, mutual and variation of information, purity) lie too high or too low
themselves where many cells are small. For hard clusterings the bias is estimated and taken off: the
interval is for the value without it, and need not hold the value itself (see `partita.chance.sampling_bias`).
Where more than a third of the filled cells of the table hold one or two objects, that is not enough, and each
row of such an index has a caveat; so have best matches that are not decided, and `prediction_strength`, a
minimum.
For soft clusterings replicates are left as they are; where their mean is more than a quarter of the standard
error off the value (Efron and Tibshirani 1993, section 10.3), a caveat says so. BCa intervals correct the
median for the bias, if not all of it.

**Counts.** Numbers of pairs grow with the number of objects: their interval is for samples of as many objects
as there are, and a caveat says so.

**Soft tables.** Pair counts of a table of soft clusterings (N (N - 1) / 2 of fractional cells) change with
the number of objects, the memberships being what they are. Their intervals are for samples of as many
objects as there are, not for all objects of this kind; a caveat says so. The co-association forms (Frobenius,
product) have no such limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, Floats, generator
from partita.chance.object_weights import Draws, LeftOutInTurn, Units, Weights
from partita.chance.sampling_bias import (
    OF_LARGER_SIZES,
    Bias,
    SamplingBias,
    is_of_hard,
    is_smooth,
    jackknife_error,
)
from partita.chance.weighted_values import values_under
from partita.errors import ParameterError
from partita.evaluation import values_of
from partita.inputs import Inputs
from partita.partitions import HARD
from partita.registry import Caveat, CaveatKind, Index
from partita.registry.caveats import said

__all__ = [
    "Difference",
    "Interval",
    "METHODS",
    "Replicates",
    "centred",
    "check_confidence",
    "check_count",
    "check_method",
    "difference",
    "intervals",
    "notes_on",
]

METHODS = ("percentile", "bca")

FEW_OBJECTS = 20
"""Below this many objects draws with replacement repeat themselves, and the jackknife serves instead."""

LARGE_BIAS = 0.25
"""Standard errors of bias that are left without a remark (Efron and Tibshirani 1993)."""

UNSURE_BIAS = 0.5
"""Standard errors of bias above which taking it off is not enough for an index that is not smooth."""

MOST_UNDEFINED = 0.5
"""The share of replicates without a value from which on there is no interval."""

OF_PAIRS = frozenset({"pairs", "coassociation", "soft_rand"})
"""Families whose indices count pairs of objects."""

OF_THIS_SIZE = (
    "pair counts of a soft table change with the number of objects: the interval is for as many as here"
)

A_COUNT = "a count grows with the number of objects: the interval is for as many as here"

BEYOND_THE_RANGE = "without its bias the value lies beyond the range of the index, whose end is the interval"

NO_WIDTH = "every replicate has this value, so the interval has no width; that is no certainty"


@dataclass(frozen=True)
class Interval:
    """Where the value of an index may lie for all objects of this kind.

    Attributes
    ----------
    low, high : float
        Its ends; nan where there is none, and a caveat says why.
    method : str
        ``"percentile"``, ``"bca"``, or ``"jackknife"`` for fewer than 20 objects.
    error : float
        The standard error of the value.
    caveats : tuple of Caveat
        What a reader must know.
    bias : float
        How far the mean of the replicates lies above the value.
    is_centred : bool
        Whether the replicates were centred on the value, as they are for indices of pairs.
    is_debiased : bool
        Whether an estimate of the bias was taken off, as it is for other indices of hard clusterings.
    """

    low: float
    high: float
    method: str
    error: float = math.nan
    caveats: tuple[Caveat, ...] = ()
    bias: float = math.nan
    is_centred: bool = False
    is_debiased: bool = False


def intervals(
    entries: Sequence[Index],
    inputs: Inputs,
    *,
    n_replicates: int = 1000,
    confidence: float = 0.95,
    method: str = "percentile",
    seed: Any = 0,
    values: Mapping[str, float] | None = None,
) -> dict[str, Interval]:
    """Sampling intervals of indices of two clusterings, by their labels.

    Parameters
    ----------
    entries : list of Index
        Of truth and found. An index that has no value for these kinds has no interval.
    inputs : Inputs
        From `prepare`. Whole-number weights are repeated objects; by fractional ones an object counts each
        time it is drawn.
    n_replicates : int
        How often all objects are drawn anew.
    confidence : float
        Between 0 and 1.
    method : {"percentile", "bca"}
        Percentiles of the replicates; or those that correct for bias and skewness, whose acceleration comes
        from a jackknife (of 1000 groups of objects, where these are more). For fewer than 20 objects a
        jackknife interval with Student's t serves in place of either.
    seed : None, int, SeedSequence or Generator
        Where the draws come from.
    values : dict, optional
        The values of the indices, where they are known already.

    Examples
    --------
    >>> from partita.inputs import prepare
    >>> from partita.registry import find
    >>> truth, found = [0] * 30 + [1] * 30, [0] * 25 + [1] * 35
    >>> found = intervals([find("ARI")], prepare({"truth": truth, "found": found}), seed=0)["adjusted_rand"]
    >>> found.low < 0.69 < found.high, found.method
    (True, 'percentile')
    """
    check_count("n_replicates", n_replicates)
    check_confidence(confidence)
    check_method(method)
    known = (
        dict(values) if values is not None else {k: v for k, (v, _) in values_of(entries, inputs)[0].items()}
    )
    replicates = Replicates({"": entries}, {"": inputs}, n_replicates, seed, exact_skew=method == "bca")
    return {
        entry.label: replicates.interval("", entry, known[entry.label], confidence=confidence, method=method)
        for entry in entries
    }


class Replicates:
    """The replicates of indices of one or several pairs of clusterings, all from the same drawn objects.

    Parameters
    ----------
    entries, inputs : dict
        The indices and inputs of each pair of clusterings, by a name of the pair.
    n_replicates : int
        How often all objects are drawn anew.
    seed : None, int, SeedSequence or Generator
        Where the draws come from.
    exact_skew : bool
        Whether a jackknife is made too, for BCa intervals.
    """

    def __init__(
        self,
        entries: Mapping[str, Sequence[Index]],
        inputs: Mapping[str, Inputs],
        n_replicates: int,
        seed: Any,
        *,
        exact_skew: bool = False,
    ) -> None:
        start = np.random.SeedSequence(int(generator(seed).integers(1 << 62)))
        first = next(iter(inputs.values()))
        self.kinds = {name: one.kinds for name, one in inputs.items()}
        weight: Any = first.weight
        whole = weight is not None and weight.dtype.kind == "i"
        self.n = int(weight.sum()) if whole else first.n_objects
        defined = {
            name: [e for e in own if e.range_of(inputs[name].kinds) is not None]
            for name, own in entries.items()
        }
        self.is_jackknife = self.n < FEW_OBJECTS
        self.drawn: dict[str, dict[str, Any]] = {name: {} for name in entries}
        self.left_out: dict[str, dict[str, Any]] = {name: {} for name in entries}
        self.turns: Weights | None = None
        self.biases: dict[str, SamplingBias] = {}
        if self.n < 2:
            return
        made: Any = None
        if not self.is_jackknife:
            self.drawn, made = values_under(defined, inputs, _drawing(n_replicates, start))
        if self.is_jackknife or exact_skew:
            self.left_out, self.turns = values_under(defined, inputs, LeftOutInTurn)
            made = made or self.turns
        units = made.units
        if not units.is_chunked and units.each is None:
            self.biases = {
                name: SamplingBias(
                    [e for e in defined[name] if "X" not in e.inputs], replace(one, weight=units.times)
                )
                for name, one in units.inputs.items()
                if is_of_hard(one)
            }

    def interval(self, name: str, entry: Index, value: float, *, confidence: float, method: str) -> Interval:
        """The interval of one index of one pair of clusterings."""
        ends = _known_ends(entry, self.kinds[name])
        own = self._bias(name, entry, value)
        caveats: tuple[Caveat, ...] = ()
        if own.grows:
            caveats = (Caveat(CaveatKind.INTERVAL, A_COUNT),)
        elif entry.family == "pairs" and entry.is_of_table and {*self.kinds[name]} != {HARD}:
            caveats = (Caveat(CaveatKind.INTERVAL, OF_THIS_SIZE),)
        if self.is_jackknife:
            made = self._jackknife(self.left_out[name].get(entry.label), value, confidence, ends)
            return made if math.isnan(made.low) else replace(made, caveats=(*caveats, *made.caveats))
        drawn: Any = self.drawn[name].get(entry.label)
        nothing = _why_not(drawn, value)
        if nothing:
            return _none(method, nothing)
        undefined = int(np.isnan(drawn).sum())
        if undefined:
            text = f"{undefined} of {drawn.size} replicates have no value"
            if undefined > MOST_UNDEFINED * drawn.size:
                return _none(method, f"no interval: {text}")
            caveats += said(CaveatKind.INTERVAL, text)
            drawn = drawn[~np.isnan(drawn)]
        above, error = float(drawn.mean() - value), _spread(drawn)
        if error <= _rounding(value) and abs(above) <= _rounding(value):
            return Interval(value, value, method, 0.0, (*caveats, Caveat(CaveatKind.COVERAGE, NO_WIDTH)), 0.0)
        off = self._taken_off(own, entry, float(drawn.mean()))
        if name in self.biases:
            caveats += _caveats_of_bias(self.biases[name], entry, off, error)
        is_left = math.isnan(off) and not own.grows and not is_centred(entry)
        if is_left and abs(above) > LARGE_BIAS * error:
            side = "above" if above > 0 else "below"
            caveats += said(
                CaveatKind.COVERAGE,
                f"bootstrap biased: its mean is {abs(above):.2g} {side} the value"
                f" ({abs(above) / error:.1f} standard errors), so the interval covers less than it says",
            )
        shares = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
        if drawn.size * shares[0] < 1.0:
            few = f"{drawn.size} replicates are too few for the ends of a {100 * confidence:g}% interval"
            caveats += said(CaveatKind.INTERVAL, few)
        if is_centred(entry) or own.grows:
            drawn = centred(drawn, value)
        elif not math.isnan(off) and method == "percentile":
            wider = max(1.0, own.error / error) if own.error > 0.0 and error > 0.0 else 1.0
            error *= wider
            drawn = value - off + wider * (drawn - drawn.mean())
        elif not math.isnan(off):
            drawn = drawn + (value - own.limit)
        if method == "bca":
            left_out: Any = self.left_out[name].get(entry.label)
            if isinstance(left_out, str) or np.isnan(left_out).any():
                caveats += said(CaveatKind.INTERVAL, "without acceleration: not every object can be left out")
                skew = 0.0
            else:
                assert isinstance(self.turns, LeftOutInTurn)
                skew = acceleration(left_out, self.turns.times)
            shares = corrected_shares(drawn, value, skew, shares)
        low, high = np.quantile(drawn, shares)
        if high < ends[0] or low > ends[1]:
            caveats += said(CaveatKind.COVERAGE, BEYOND_THE_RANGE)
        low, high = np.clip([low, high], *ends)
        return Interval(
            float(low), float(high), method, error, caveats, above, is_centred(entry), not math.isnan(off)
        )

    def _bias(self, name: str, entry: Index, value: float) -> Bias:
        """What is known of the bias of an index; nothing where the clusterings are not both hard."""
        known = self.biases.get(name)
        return Bias() if known is None else known.of(entry, value)

    def _taken_off(self, own: Bias, entry: Index, mean: float) -> float:
        """The bias that is taken off the value, from a jackknife or from the mean of the replicates."""
        if own.grows or is_centred(entry):
            return math.nan
        return mean - own.limit if math.isnan(own.bias) else own.bias

    def placed(self, name: str, entry: Index, value: float, drawn: Floats) -> Floats:
        """The replicates, moved to where the interval of a difference is read off."""
        own = self._bias(name, entry, value)
        if is_centred(entry) or own.grows:
            return centred(drawn, value)
        off = self._taken_off(own, entry, float(np.nanmean(drawn)))
        return drawn if math.isnan(off) else centred(drawn, value - off)

    def _jackknife(
        self, left_out: Any, value: float, confidence: float, ends: tuple[float, float]
    ) -> Interval:
        """The value and its jackknife standard error times Student's t, within the range of the index."""
        few = "no interval: one object has no spread" if self.n < 2 else _why_not(left_out, value)
        if not few and np.isnan(left_out).any():
            few = "no interval: without one of the objects it has no value"
        if few:
            return _none("jackknife", few)
        from scipy.special import stdtrit

        assert isinstance(self.turns, LeftOutInTurn)
        error = jackknife_error(left_out, self.turns.times)
        if error <= _rounding(value):
            return Interval(value, value, "jackknife", 0.0, (Caveat(CaveatKind.COVERAGE, NO_WIDTH),))
        reach = float(stdtrit(self.n - 1, (1.0 + confidence) / 2.0)) * error
        low, high = np.clip([value - reach, value + reach], *ends)
        return Interval(float(low), float(high), "jackknife", error)


def _caveats_of_bias(known: SamplingBias, entry: Index, off: float, error: float) -> tuple[Caveat, ...]:
    """The bias that was taken off, where it matters, and what speaks against the interval."""
    reasons, is_taken_off = [], not math.isnan(off)
    if known.has_few_moved:
        reasons.append(f"only {known.moved} objects lie outside the largest part of their cluster")
    if is_taken_off and known.has_many_small_cells:
        reasons.append(f"{known.small} of {known.filled.size} filled cells hold one or two objects")
    if is_taken_off and not is_smooth(entry):
        if entry.family == "resampling":
            reasons.append("the index is a minimum over clusters")
        if entry.name in OF_LARGER_SIZES and known.equal_sizes:
            reasons.append(f"{known.equal_sizes} matched clusters are about equally large")
        if known.near_ties:
            reasons.append(f"the best match of {known.near_ties} clusters is not decided")
        if not reasons and abs(off) > UNSURE_BIAS * error:
            reasons.append("its bias is large")
    text = ""
    if is_taken_off and abs(off) > LARGE_BIAS * error:
        size = f" ({abs(off) / error:.1f} standard errors)" if error > 0.0 else ""
        text = f"a bias of {off:+.2g}{size} is taken off the value before the interval"
    less = f"the interval covers less than it says: {', '.join(reasons)}" if reasons else ""
    return (*said(CaveatKind.INTERVAL, text), *said(CaveatKind.COVERAGE, less))


class Difference(NamedTuple):
    """The interval of a difference of two values, and how likely one as large is where there is none."""

    low: float
    high: float
    p: float


def difference(
    replicates: Replicates, entry: Index, values: Mapping[str, float], confidence: float
) -> Difference:
    """How sure the difference of an index between two pairs of clusterings is, on the same drawn objects.

    ``values`` are those of the two, by the names of the pairs; the second is subtracted from the first.

    p is twice the share of replicates that lie on the other side of 0 (or on it), ``(1 + hits) / (1 + B)`` a
    side, so that it is never 0, and at most 1 - confidence about where the interval leaves 0 out. From a
    jackknife it is that of Student's t. nan where a value cannot be had.
    """
    source = replicates.left_out if replicates.is_jackknife else replicates.drawn
    one, other = (source[name].get(entry.label) for name in values)
    first, second = values.values()
    apart = first - second
    if one is None or other is None or isinstance(one, str) or isinstance(other, str) or math.isnan(apart):
        return Difference(math.nan, math.nan, math.nan)
    if replicates.is_jackknife:
        return _jackknife_difference(replicates, np.asarray(one - other), apart, confidence)
    defined = ~np.isnan(one) & ~np.isnan(other)
    if defined.sum() < (1.0 - MOST_UNDEFINED) * one.size:
        return Difference(math.nan, math.nan, math.nan)
    placed = [
        replicates.placed(name, entry, value, source[name][entry.label][defined])
        for name, value in values.items()
    ]
    gaps: Floats = placed[0] - placed[1]
    gaps = np.where(np.abs(gaps) <= _rounding(apart), 0.0, gaps)
    low, high = np.quantile(gaps, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    hits = min(int((gaps <= 0.0).sum()), int((gaps >= 0.0).sum()))
    return Difference(float(low), float(high), min(1.0, 2.0 * (1 + hits) / (1 + gaps.size)))


def _jackknife_difference(
    replicates: Replicates, gaps: Floats, apart: float, confidence: float
) -> Difference:
    from scipy.special import stdtr, stdtrit

    assert isinstance(replicates.turns, LeftOutInTurn)
    nothing = Difference(math.nan, math.nan, math.nan)
    error = math.nan if np.isnan(gaps).any() else jackknife_error(gaps, replicates.turns.times)
    if math.isnan(error):
        return nothing
    if error <= _rounding(apart):
        return Difference(apart, apart, 1.0) if abs(apart) <= _rounding(apart) else nothing
    reach = float(stdtrit(replicates.n - 1, (1.0 + confidence) / 2.0)) * error
    p = 2.0 * float(stdtr(replicates.n - 1, -abs(apart) / error))
    return Difference(apart - reach, apart + reach, p)


def _drawing(n_replicates: int, start: np.random.SeedSequence) -> Any:
    def draws(units: Units) -> Weights:
        return Draws(units, n_replicates, start)

    return draws


def _none(method: str, why: str) -> Interval:
    return Interval(math.nan, math.nan, method, caveats=said(CaveatKind.NOT_COMPUTED, why))


def _why_not(values: Any, value: float) -> str:
    """Why there is no interval, or nothing."""
    if math.isnan(value) or values is None:
        return "no interval where there is no value"
    return values if isinstance(values, str) else ""


def _spread(values: Floats) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0


def _rounding(value: float) -> float:
    return 1e-12 * max(1.0, abs(value))


def is_centred(entry: Index) -> bool:
    """Whether replicates lie off by what copies of objects add, and not the value itself."""
    return entry.family in OF_PAIRS or entry.name == "credal_rand"


def centred(drawn: Floats, value: Any) -> Floats:
    """The replicates moved so that their mean is the value."""
    return np.asarray(drawn - (np.nanmean(drawn) - value))


def _known_ends(entry: Index, kinds: Any) -> tuple[float, float]:
    """Both ends of the range that are numbers whatever the table is."""
    low, high = entry.range_of(kinds) or (None, None)
    return (
        low if isinstance(low, (int, float)) else -math.inf,
        high if isinstance(high, (int, float)) else math.inf,
    )


# --- BCa and jackknife ------------------------------------------------------------------------------------


def acceleration(left_out: Array, times: Array) -> float:
    """How the standard error changes with the value, from what the value is without each object.

    A sixth of the skewness of the jackknife's differences (Efron 1987); an object that stands for several
    counts as often.
    """
    apart = np.average(left_out, weights=times) - left_out
    squares = float(times @ apart**2)
    return float(times @ apart**3) / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def corrected_shares(drawn: Floats, value: float, skew: float, shares: Floats) -> Floats:
    """Shares of replicates below the ends of a BCa interval, for those of a percentile one (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    apart = np.where(np.abs(drawn - value) <= _rounding(value), 0.0, drawn - value)
    below = float((apart < 0.0).sum() + (apart == 0.0).sum() / 2.0) / drawn.size
    inside = 0.5 / drawn.size
    shift = ndtri(min(max(below, inside), 1.0 - inside))
    moved = shift + ndtri(shares)
    return np.asarray(ndtr(shift + moved / np.maximum(1.0 - skew * moved, 1e-6)))


# --- what callers give ------------------------------------------------------------------------------------


def check_confidence(confidence: Any) -> None:
    """Refuse what is no number between 0 and 1."""
    number = isinstance(confidence, (float, int, np.floating, np.integer)) and not isinstance(
        confidence, bool
    )
    if not number or not 0.0 < confidence < 1.0:
        raise ParameterError(
            "a confidence lies between 0 and 1.",
            got=repr(confidence),
            need="a number above 0 and below 1",
            fix="confidence=0.95",
            parameter="confidence",
        )


def check_method(method: Any) -> None:
    """Refuse what is no method for intervals."""
    if not isinstance(method, str) or method not in METHODS:
        raise ParameterError(
            "no such method for intervals.", got=repr(method), need=" or ".join(METHODS), parameter="interval"
        )


def notes_on(found: Iterable[Interval], n_replicates: int) -> tuple[str, ...]:
    """How the intervals of a table came about, in a line."""
    made = [one for one in found if not math.isnan(one.low)]
    if not made:
        return ()
    if made[0].method == "jackknife":
        return (f"intervals: jackknife, since there are fewer than {FEW_OBJECTS} objects",)
    words = {"percentile": "percentiles", "bca": "BCa percentiles"}[made[0].method]
    pairs = "; for indices of pairs centred on the value, since an object drawn twice is no pair"
    centred = pairs if any(one.is_centred for one in made) else ""
    others = "; for other indices of hard clusterings with their bias taken off"
    debiased = others if any(one.is_debiased for one in made) else ""
    return (f"intervals: {words} of {n_replicates} bootstrap replicates by object{centred}{debiased}",)


def check_count(name: str, count: Any) -> None:
    """Refuse what is no number of replicates or shuffles."""
    whole = isinstance(count, (int, np.integer)) and not isinstance(count, (bool, np.bool_))
    if not whole or count < 1:
        raise ParameterError(
            f"{name} is not a number of repetitions.",
            got=repr(count),
            need="a whole number of at least 1",
            fix=f"{name}=1000",
            parameter=name,
        )
