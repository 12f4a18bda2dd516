"""The record of one index, and how it is computed."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.engine import Request, collect
from partita.errors import (
    AlignmentWarning,
    KindError,
    ParameterError,
    PartitaError,
    UndefinedIndexError,
    UndefinedIndexWarning,
    near_names,
)
from partita.inputs import Inputs, prepare
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Kind, softest
from partita.registry.caveats import Caveat, CaveatKind, join_caveats, limit_caveat, said
from partita.registry.facts import CLAIMS, METRIC_CLASSES, Example, Formula, Limit, RangeEnd
from partita.registry.options import check_on_undefined, checked_option, shown
from partita.statistics import CentroidPair, Contingency
from partita.statistics.distances.measured_data import GOWER, measured_data
from partita.statistics.distances.objects_by_cluster import PRECOMPUTED, known_metric
from partita.statistics.options import options_of
from partita.statistics.protocol import INPUTS

CENTERS = ("centers", "found_centers")
"""The names of two sets of centres that are compared: the true one, and that found."""

SMALL_WEIGHTS = "weights below one let pairs count negative, and carry the value out of its range"
ROUNDING = 1e-6
"""How far rounding may carry a value past the end of its range before it counts as a bug."""


@dataclass(frozen=True)
class Evaluation:
    """Values of one index for a stack of statistics, and for each the reason where a limit set it."""

    values: Array
    reasons: Array

    def caveats(self) -> Iterator[Caveat]:
        """What the limits say, once for each value that one of them set."""
        for value, reason in zip(self.values.ravel().tolist(), self.reasons.ravel().tolist(), strict=True):
            yield from limit_caveat(value, reason)


class Basis:
    """The statistics that indices stand on, and what these ask of them: each question is answered once."""

    def __init__(self, statistics: Sequence[Any]) -> None:
        self.statistics = tuple(statistics)
        self.answers: dict[Callable[..., Any], Any] = {}

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of all inputs."""
        return _kinds_of(self.statistics)

    @cached_property
    def is_fractional(self) -> bool:
        """Whether all clusterings are hard, and their objects weighed by fractions."""
        return set(self.kinds) <= {HARD} and not all(s.is_whole for s in self.statistics)

    @cached_property
    def how(self) -> tuple[Caveat, ...]:
        """How the statistics came about, where they say so."""
        told = [
            (CaveatKind.SAMPLED if s.is_sampled else CaveatKind.METHOD, s) for s in self.statistics if s.how
        ]
        return tuple(caveat for kind, s in told for caveat in said(kind, str(s.how)))


@dataclass(frozen=True, eq=False)
class Index:
    """An index: a formula on statistics, with everything that is known about it. Call it like a function."""

    name: str
    title: str
    formula_function: Formula
    best: float | None
    ranges: Mapping[Any, tuple[RangeEnd, RangeEnd]]
    symbol: str | None = None
    aliases: tuple[str, ...] = ()
    claims: Mapping[str, frozenset[Kind]] = field(default_factory=dict)
    refuted: Mapping[str, Mapping[Kind, Example]] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    rule: str = "best"
    references: tuple[str, ...] = ()
    formula: str = ""
    examples: tuple[Example, ...] = ()
    caveats: Mapping[Any, str] = field(default_factory=dict)
    family: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    option_types: Mapping[str, Any] = field(default_factory=dict)
    statistics: tuple[type[Any], ...] = ()
    alternatives: Mapping[str, Mapping[str, type[Any]]] = field(default_factory=dict)
    given_sizes: str = ""
    separable: bool = False
    constant: Mapping[Kind, str] = field(default_factory=dict)
    asked_as: str = ""
    """The name that it was found by, of another package or of a paper."""
    made_by: tuple[Callable[..., Index], tuple[Any, ...]] | None = None
    """What makes it again in another process, where that is not its entry; of functions that were given."""
    of_centers: Callable[..., Any] | None = None
    by_shuffles: Callable[..., str] | None = None

    def __post_init__(self) -> None:
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            object.__setattr__(self, name, getattr(self.formula_function, name))
        object.__setattr__(self, "__wrapped__", self.formula_function)

    @property
    def module(self) -> str:
        """The last name of the module that it was declared in."""
        return self.formula_function.__module__.rpartition(".")[2]

    # --- what it takes ------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, in the order ``X, truth, found``."""
        needed = {name for s in self.statistics for name in s.inputs}
        return tuple(sorted(needed, key=INPUTS.index))

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The statistics it needs, with the options that are theirs."""
        return tuple(Request.of(s, self.options) for s in self._statistics_in_use)

    @cached_property
    def is_of_table(self) -> bool:
        """Whether the contingency table of two clusterings is all it needs."""
        return self._statistics_in_use == (Contingency,)

    @cached_property
    def is_of_hard_table(self) -> bool:
        """Whether the contingency table of two hard clusterings is all it needs."""
        return self.inputs == ("truth", "found") and all(
            r.statistic is Contingency or r.statistic.from_table is not None for r in self.requests
        )

    @cached_property
    def _statistics_in_use(self) -> tuple[type[Any], ...]:
        """The declared statistics; the first is replaced when an option chooses another for it."""
        for option, choices in self.alternatives.items():
            if self.options[option] in choices and choices[self.options[option]] is not self.statistics[0]:
                return (choices[self.options[option]], *self.statistics[1:])
        return self.statistics

    @property
    def __signature__(self) -> inspect.Signature:
        kind = inspect.Parameter
        given = [kind(name, kind.POSITIONAL_OR_KEYWORD) for name in self.inputs]
        own = {**self.options, "noise": "cluster", "sample_weight": None, "on_undefined": "nan"}
        own |= dict.fromkeys(CENTERS) if self.compares_centers else {}
        named = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in own.items()]
        return inspect.Signature(given + named, return_annotation=float)

    def using(self, **options: Any) -> Index:
        """The same index with other options, accepted wherever a name is."""
        checked = {}
        for name, value in options.items():
            if name not in self.options:
                if not self.options:
                    raise ParameterError(f"{self.name} has no options.", got=f"{name}={shown(value)}")
                raise near_names(name, self.options, noun=f"option of {self.name}")
            checked[name] = checked_option(self.name, name, value, self.option_types.get(name))
            if name == "metric" and any(name in options_of(s.options) for s in self.statistics):
                known_metric(value)
        return replace(self, options={**self.options, **checked})

    @cached_property
    def label(self) -> str:
        """The name, with those options that differ from the entry's."""
        changed = [
            f"{k}={v:g}" if isinstance(v, float) and float(f"{v:g}") == v else f"{k}={v}"
            for k, v in self.options.items()
            if v != self.defaults[k]
        ]
        return self.name + (":" + ",".join(changed) if changed else "")

    # --- what is known ------------------------------------------------------------------------------

    @cached_property
    def direction(self) -> str:
        """``"higher"`` or ``"lower"`` is better, or ``"none"``; derived from ``best``."""
        if self.best is None:
            return "none"
        return (
            "lower"
            if self.best in {low for low, _ in self.ranges.values()} or self.best == -math.inf
            else "higher"
        )

    @property
    def for_workers(self) -> str | Index:
        """What another process finds it by: its label; the index itself, where it is a function's."""
        return self.label if self.made_by is None else self

    @cached_property
    def row_facts(self) -> dict[str, Any]:
        """What every row of this index says of it, whatever its value."""
        best = math.nan if self.best is None else self.best
        return {
            "index": self.label,
            "symbol": self.symbol or "",
            "best": best,
            "direction": self.direction,
        }

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of clustering it is defined for."""
        return tuple(k for k in Kind if self.range_of((k,) * len(self._partition_inputs)) is not None)

    @property
    def _partition_inputs(self) -> tuple[str, ...]:
        return tuple(name for name in self.inputs if name != "X")

    def range_of(self, kinds: Sequence[Kind]) -> tuple[RangeEnd, RangeEnd] | None:
        """Both ends of the range for these kinds, or None where the index is not defined."""
        together = tuple(kinds)
        if together not in self._ranges_seen:
            alone = [_by_kinds(self.ranges, [k]) for k in together]
            defined = together in self.ranges or None not in alone
            self._ranges_seen[together] = _by_kinds(self.ranges, together) if defined else None
        return self._ranges_seen[together]

    def ends_on(self, kinds: Sequence[Kind], *statistics: Any) -> tuple[float, float]:
        """Both ends of the range for these kinds and statistics, infinite where not known."""
        low, high = (
            self._call(end, statistics) if callable(end) else end
            for end in self.range_of(kinds) or (None, None)
        )
        return -math.inf if low is None else float(low), math.inf if high is None else float(high)

    def largest_value(self, kind: Kind, k: int, n_objects: int) -> float:
        """The largest value for two clusterings of k clusters each; infinite or nan where there is none."""
        end = (self.range_of((kind, kind)) or (None, None))[1]
        if not callable(end):
            return math.inf if end is None else float(end)
        if not self.is_of_table:
            return math.inf
        k = min(max(k, 1), n_objects)
        sizes = n_objects // k + (np.arange(k) < n_objects % k)
        return self.ends_on((kind, kind), Contingency.from_counts(np.diag(sizes)))[1]

    @cached_property
    def _ranges_seen(self) -> dict[tuple[Kind, ...], tuple[RangeEnd, RangeEnd] | None]:
        return {}

    @property
    def makings(self) -> tuple[Any, ...]:
        """All that its value depends on besides the inputs: what a checkpoint tells it by."""
        return self.label, self.options, self.formula_function, self.limits, self.statistics

    def caveat(self, kinds: Sequence[Kind]) -> str:
        """What a reader of the value must know, for these kinds."""
        together = tuple(kinds)
        if together not in self._caveats_seen:
            self._caveats_seen[together] = (
                str(_by_kinds(self.caveats, together) or "") if self.caveats else ""
            )
        return self._caveats_seen[together]

    @cached_property
    def _caveats_seen(self) -> dict[tuple[Kind, ...], str]:
        return {}

    def status(self, claim: str, kind: Kind) -> str:
        """``"claimed"`` (tested), ``"refuted"`` (by a stored counter-example) or ``"open"``."""
        if kind in self.claims.get(claim, ()):
            return "claimed"
        return "refuted" if kind in self.refuted.get(claim, ()) else "open"

    def metric_class(self, kind: Kind) -> str | None:
        """The strongest name that its claims for this kind add up to: metric, pseudo-metric, ..."""
        held = {claim for claim in CLAIMS if self.status(claim, kind) == "claimed"}
        return next((name for name, needed in METRIC_CLASSES.items() if needed <= held), None)

    # --- computing ------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        """The value for these inputs, as a plain float; nan with a warning where it is undefined."""
        if "found_centers" in kwargs or ("centers" in kwargs and "centers" not in self.options):
            return self._called_with_centers(args, kwargs)
        try:
            given = self.__signature__.bind(*args, **kwargs).arguments
        except TypeError as problem:
            raise ParameterError(
                f"{self.name} was called wrongly: {problem}.", need=f"{self.name}{self.__signature__}"
            ) from None
        options = {name: given[name] for name in self.options if name in given}
        own = given.get("metric")
        if "metric" in self.options and (callable(own) or (isinstance(own, str) and own == GOWER)):
            given["X"] = measured_data(given.get("X"), own).X
            given["metric"] = options["metric"] = PRECOMPUTED
        chosen = self.using(**options) if options else self
        on_undefined = given.get("on_undefined", "nan")
        check_on_undefined(on_undefined)
        subjects = {name: given[name] for name in self.inputs}
        if "metric" in self.options and "X" in subjects:
            metric = chosen.options["metric"]
            is_asked = "metric" in given or metric != self.defaults["metric"]
            measured = measured_data(given["X"], metric if is_asked else None, by_name=True)
            subjects["X"] = measured.X
            chosen = chosen if measured.metric == metric else chosen.using(metric=measured.metric)
        inputs = prepare(
            subjects,
            noise=given.get("noise", "cluster"),
            sample_weight=given.get("sample_weight"),
            metric=str(chosen.options.get("metric", "")),
        )
        if inputs.dropped:
            warnings.warn(inputs.aligned, AlignmentWarning, stacklevel=2)
        if chosen.shuffled_name and chosen.range_of(inputs.kinds) is None:
            from partita.registry.lookup import find  # which asks for entries

            chosen = find(chosen.shuffled_name)
        chosen.check_kinds(inputs.kinds)
        value, caveats = chosen.value_for(inputs, None)
        return self._warned(value, caveats, on_undefined, ", ".join(map(repr, inputs.partitions.values())))

    def _warned(self, value: float, caveats: tuple[Caveat, ...], on_undefined: str, given: str) -> float:
        """The value, with a warning or an error where it is undefined."""
        if math.isnan(value):
            reason = join_caveats(caveats)
            if on_undefined == "raise":
                raise UndefinedIndexError(f"{self.name} has no value here: {reason}.", got=given)
            warnings.warn(f"{self.name} is nan: {reason}", UndefinedIndexWarning, stacklevel=3)
        return value

    @property
    def compares_centers(self) -> bool:
        """True if two sets of centres have a value without clusterings."""
        return self.of_centers is not None or self.statistics == (CentroidPair,)

    def _called_with_centers(self, args: tuple[Any, ...], given: dict[str, Any]) -> float:
        """The value for two sets of centres; X, if any, is the first argument or named."""
        known = {"X", *CENTERS, "on_undefined", *self.options}
        if not self.compares_centers:
            raise ParameterError(
                f"{self.name} does not compare two sets of centres.",
                got=", ".join(name for name in CENTERS if name in given),
                need="clusterings, or one of centroid_index, centroid_ratio, centroid_similarity_index, "
                "generalized_centroid_index",
            )
        if len(args) > 1 or (args and "X" in given) or not set(CENTERS) <= given.keys() <= known:
            stray = [name for name in (*CENTERS, *given) if (name in CENTERS) != (name in given)]
            raise ParameterError(
                f"{self.name} compares two sets of centres, or two clusterings.",
                got=f"{len(args)} inputs and {', '.join(given)}" if args else ", ".join(given),
                need=f"{self.name}(centers=G, found_centers=C), and X for the objects that follow them",
                parameter=next((name for name in stray if name not in known or name in CENTERS), None),
            )
        check_on_undefined(given.get("on_undefined", "nan"))
        options = {name: given[name] for name in self.options if name in given}
        X = args[0] if args else given.get("X")
        pair = CentroidPair.from_centers(given["centers"], given["found_centers"], X)
        value, caveats = (self.using(**options) if options else self).value_of_centers(pair)
        return self._warned(value, caveats, given.get("on_undefined", "nan"), "two sets of centres")

    def value_of_centers(self, pair: CentroidPair) -> tuple[float, tuple[Caveat, ...]]:
        """Value and caveats for two sets of centres."""
        if self.of_centers is not None:
            return float(self.of_centers(pair, **self.options)), ()
        with np.errstate(all="ignore"):
            return self.value_on(Basis([pair]))

    @property
    def shuffled_name(self) -> str:
        """The same index of hard clusterings that shuffles the objects of soft ones, or nothing."""
        return "" if self.by_shuffles is None else self.by_shuffles(**self.options)

    @property
    def way_out(self) -> str:
        """The conversions that lead to a kind that the index is defined for."""
        if self.shuffled_name:
            way = f'indices=["{self.shuffled_name}"], which shuffles objects with their memberships'
            return f"{way} and gives a standard error; .pignistic() first for rough and evidential ones"
        ways = {HARD: ".harden()", FUZZY: ".pignistic()", POSSIBILISTIC: ".plausibility()"}
        usable = [way for kind, way in ways.items() if kind in self.kinds]
        ends = ", or distribution(...) for lower and upper values" if self.is_of_table else ""
        return f"{' or '.join(usable)} first, or .to(kind) where nothing is lost{ends}"

    def check_kinds(self, kinds: Sequence[Kind]) -> None:
        """Refuse kinds that the index is not defined for, naming the ways out."""
        if self.range_of(kinds) is None:
            why = next((text for s in self.statistics if (text := s.why_not)), "")
            raise KindError(
                f"{self.name} is not defined for {' against '.join(k.value for k in kinds)} partitions{why}.",
                got=" and ".join(k.value for k in kinds),
                need=" or ".join(k.value for k in self.kinds) + " partitions",
                fix=self.way_out,
            )
        for statistic in self._statistics_in_use:
            refused = [k.value for k in kinds if k not in statistic.kinds_accepted]
            if refused:
                raise KindError(
                    f"{self.label} is not defined for {' and '.join(dict.fromkeys(refused))} partitions"
                    f"{statistic.why_not}.",
                    got=" and ".join(k.value for k in kinds),
                    need=" or ".join(k.value for k in Kind if k in statistic.kinds_accepted) + " partitions",
                    fix=f"the default options of {self.name}, or .pignistic() first",
                )

    def value_for(
        self, inputs: Inputs, collected: Mapping[Request, Any] | None
    ) -> tuple[float, tuple[Caveat, ...]]:
        """Value and caveats for prepared inputs, from statistics collected already or now."""
        if inputs.n_objects == 0:
            return math.nan, said(CaveatKind.NOISE, "every object is noise, and noise is ignored")
        found = collect(self.requests, inputs) if collected is None else collected
        with np.errstate(all="ignore"):
            return self.value_on(Basis([found[r] for r in self.requests]))

    def value_on(self, basis: Basis) -> tuple[float, tuple[Caveat, ...]]:
        """Value and caveats from the statistics; what NumPy warns of is for the caller to silence."""
        value, reason = self._value_and_reason(basis)
        if not reason:
            return value, basis.how
        # what a limit sets is no estimate, however the statistic came about
        used = (caveat for caveat in basis.how if caveat.kind is not CaveatKind.SAMPLED)
        return value, (*limit_caveat(value, reason), *used)

    def of(self, *statistics: Any) -> Any:
        """The value on ready statistics: a float for one, an array of the leading shape for a stack."""
        needed = self._statistics_in_use
        if len(statistics) != len(needed) or not all(map(isinstance, statistics, needed)):
            raise ParameterError(
                f"{self.name} is not a function of these statistics.",
                got=", ".join(type(s).__name__ for s in statistics) or "none",
                need=", ".join(s.__name__ for s in needed),
            )
        self.check_kinds(_kinds_of(statistics))
        values = self.evaluate(statistics).values
        return float(values) if values.ndim == 0 else values

    def evaluate(self, statistics: Sequence[Any]) -> Evaluation:
        """Limits first, then the formula; values stay inside the range, up to rounding, or it is a bug."""
        shape = statistics[0].shape
        if shape == ():
            with np.errstate(all="ignore"):
                value, reason = self._value_and_reason(Basis(statistics))
            return Evaluation(np.array(value), np.array(reason, dtype=object))
        reasons = np.full(shape, "", dtype=object)
        values = np.full(shape, np.nan)
        free = np.ones(shape, dtype=bool)
        with np.errstate(all="ignore"):
            for limit in self.limits:
                holds = free & self._call(limit.when, statistics)
                if holds.any():
                    values[holds] = limit.value
                    reasons[holds] = limit.reason
                    free &= ~holds
                    if not free.any():
                        return Evaluation(values, reasons)
            self._fill(values, free, statistics, reasons)
            self._hold_range(values, free, statistics, reasons)
        return Evaluation(values, reasons)

    def _value_and_reason(self, basis: Basis) -> tuple[float, str]:
        """The same for statistics that are no stack, in plain numbers: small work is mostly bookkeeping."""
        statistics = basis.statistics
        for limit in self.limits:
            if bool(self._ask(basis, limit.when)):
                return float(limit.value), limit.reason
        computed = self._call(self.formula_function, statistics)
        is_number = isinstance(computed, float) or np.ndim(computed) == 0
        value = float(computed) if is_number else math.nan
        if math.isfinite(value) and self._is_inside(value, basis):
            return value, ""
        values, reasons = np.array(value), np.array("", dtype=object)
        free = np.array(True)
        self._fill(values, free, statistics, reasons)
        self._hold_range(values, free, statistics, reasons)
        return float(values), str(reasons[()])

    def _is_inside(self, value: float, basis: Basis) -> bool:
        low, high = self._ends_for(basis)
        low = self._ask(basis, low) if callable(low) else low
        high = self._ask(basis, high) if callable(high) else high
        return (low is None or value >= low) and (high is None or value <= high)

    def _ask(self, basis: Basis, question: Callable[..., Any]) -> Any:
        """What the condition of a limit, or the end of a range, comes to."""
        answer = basis.answers.get(question)
        if answer is None:
            if _keyword_names(question):
                return self._call(question, basis.statistics)
            answer = basis.answers[question] = question(*basis.statistics)
        return answer

    def _fill(self, values: Array, free: Array, statistics: Sequence[Any], reasons: Array) -> None:
        """Put the formula's values where no limit has set one."""
        computed = np.asarray(self._call(self.formula_function, statistics), dtype=np.float64)
        try:
            computed = computed if computed.shape == values.shape else np.broadcast_to(computed, values.shape)
        except ValueError:
            raise PartitaError(
                f"{self.name} gave an array of another shape than its statistics.",
                got=f"shape {computed.shape}",
                need=f"shape {values.shape}",
            ) from None
        np.copyto(values, computed, where=free)
        wrong = free & ~np.isfinite(computed)
        if wrong.any() and any(s.fractional_weights for s in statistics):
            values[wrong], reasons[wrong] = math.nan, SMALL_WEIGHTS
        elif wrong.any():
            raise PartitaError(
                f"{self.name} gave {computed[wrong][0]} and no limit says why.",
                got=f"statistics of kinds {', '.join(_kinds_of(statistics))}",
                need="a finite value, or a Limit in the index entry",
                fix="this is a bug in the entry; please report it with the inputs",
            )

    def _hold_range(self, values: Array, free: Array, statistics: Sequence[Any], reasons: Array) -> None:
        fractional = any(s.fractional_weights for s in statistics)
        ends = self._ends_for(Basis(statistics))
        for end, side in zip(ends, (-1.0, 1.0), strict=True):
            bound = self._call(end, statistics) if callable(end) else end
            if bound is None:
                continue
            past = side * (values - bound)
            over = free & (past > 0)
            if not over.any():
                continue
            ends_reached = np.broadcast_to(bound, values.shape)[over]
            far = over & (past > ROUNDING * np.maximum(1.0, np.abs(bound)))
            if far.any() and fractional:
                values[over], reasons[over] = math.nan, SMALL_WEIGHTS
                continue
            if far.any():
                raise PartitaError(
                    f"{self.name} left its range.",
                    got=f"{values[over][0]!r}",
                    need=f"{'at least' if side < 0 else 'at most'} {ends_reached[0]!r}",
                    fix="this is a bug in the entry; please report it with the inputs",
                )
            values[over] = ends_reached

    def _ends_for(self, basis: Basis) -> tuple[RangeEnd, RangeEnd]:
        """The range; fractional weights make a table of hard partitions behave like a soft one."""
        if basis.is_fractional:
            return self.range_of([FUZZY] * len(basis.kinds)) or (None, None)
        ends = self.range_of(basis.kinds)
        assert ends is not None
        return ends

    def formula_on(self, *statistics: Any) -> Any:
        """The bare formula on ready statistics, without limits and without holding the range."""
        with np.errstate(all="ignore"):
            return self._call(self.formula_function, statistics)

    def _call(self, function: Callable[..., Any], statistics: Sequence[Any]) -> Any:
        """Call with the statistics, and with those options that the function has by keyword."""
        wanted = _keyword_names(function)
        if not wanted:
            return function(*statistics)
        return function(*statistics, **{k: v for k, v in self.options.items() if k in wanted})

    def __reduce__(self) -> tuple[Any, ...]:
        if self.made_by is not None:
            return self.made_by
        from partita.registry.lookup import restore

        changed = {k: v for k, v in self.options.items() if v != self.defaults[k]}
        return restore, (self.__module__, self.name, changed)

    def __repr__(self) -> str:
        asked = f", {self.asked_as}" if self.asked_as else ""
        return f"<index {self.label}{self.__signature__}{asked}>"


def _kinds_of(statistics: Sequence[Any]) -> tuple[Kind, ...]:
    """The kinds of all inputs: those of the statistic that sees most of them."""
    if len(statistics) == 1:
        return tuple(statistics[0].kinds)
    return max((tuple(s.kinds) for s in statistics), key=len)


def _by_kinds(facts: Mapping[Any, Any], kinds: Sequence[Kind]) -> Any:
    """The fact for a pair of kinds: its own entry, or that of the softer side."""
    together = tuple(kinds)
    if together in facts:
        return facts[together]
    soft = softest(together)
    return next(
        (f for key, f in facts.items() if key == soft or (isinstance(key, frozenset) and soft in key)), None
    )


@cache
def _keyword_names(function: Callable[..., Any]) -> frozenset[str]:
    code = getattr(function, "__code__", None)
    if code is None:
        return frozenset()
    first = code.co_argcount
    return frozenset(code.co_varnames[first : first + code.co_kwonlyargcount])
