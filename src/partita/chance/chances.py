"""How surprising the value of an index is: expected value, spread, p-value and adjusted value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.chance.expectations import Expectation, expected_on_inputs, expected_on_sizes
from partita.chance.null_models import NullModel, Permutation, check_fits, null_model
from partita.chance.null_values import adjusted_value, p_value, said_of_missing, summarise
from partita.chance.shuffles import MOST_OBJECTS, ObjectDraws, Pairs, TableDraws
from partita.engine import Request, brought_here, bytes_in_chunks, collect, pair_operations
from partita.errors import ParameterError
from partita.evaluation import values_of
from partita.inputs import Inputs
from partita.partitions import HARD, HardPartition, Kind
from partita.progress import bar
from partita.registry import Caveat, CaveatKind, Index
from partita.registry.caveats import said
from partita.statistics import Contingency, PairMoments, ShuffledGaps
from partita.statistics.pairs.concordance import ConcordanceChance

__all__ = ["Chance", "NullDraws", "chance_of"]

MOST_DRAWN_PAIRS = 1e10
"""Pairs of objects that all draws together may look at, for one index."""

MOST_REPEATED = 1_000_000
"""Objects that whole-number weights may stand for where the table alone does not do."""

MOST_BROUGHT_HERE = 1 << 28
"""Bytes of objects in chunks that are brought into memory to be shuffled: each shuffle needs all of them."""

MOST_KEPT = 10_000
"""Different values of one index that are kept of all draws."""


@dataclass(frozen=True, eq=False)
class NullDraws:
    """The values of an index under a null model, for the figure of them.

    Attributes
    ----------
    values : array
        The different ones in ascending order, nan last where draws have no value. Of more than 10 000 they
        are those of a grid with as many places.
    times : array of whole numbers
        How often each was drawn, or how many of the enumerated cases have it.
    is_enumerated : bool
        Whether these are all cases, not draws.
    """

    values: Floats
    times: Array
    is_enumerated: bool = False

    @classmethod
    def of(cls, values: Floats, times: Array, *, is_enumerated: bool) -> NullDraws:
        """The draws with these values, each as often as it counts."""
        finite = np.isfinite(values)
        if np.unique(values).size > MOST_KEPT and finite.any():
            low, high = values[finite].min(), values[finite].max()
            step = (high - low) / (MOST_KEPT - 1)
            with np.errstate(invalid="ignore"):
                values = np.where(finite, low + step * np.round((values - low) / step), values)
        levels, place = np.unique(values, return_inverse=True)
        counts = np.zeros(len(levels), dtype=np.int64)
        np.add.at(counts, place, times)
        return cls(levels, counts, is_enumerated)


@dataclass(frozen=True)
class Chance:
    """What the value of an index is worth beside a null model.

    Attributes
    ----------
    expected, error : float
        The expected value under the model, and its standard error (0 where it is exact).
    how : {"closed form", "enumerated", "Monte Carlo", ""}
        How the expected value was found; nothing where there is none.
    mean, spread : float
        Mean and standard deviation of the values drawn or enumerated under the model.
    z : float
        ``(value - expected) / spread``, in the index's own direction.
    p : float
        How likely a value at least as good is under the model. ``(1 + hits) / (1 + draws)`` from draws, so
        never 0; the exact share where all cases were enumerated, the observed one among them. Draws in which
        the index has no value count as hits.
    adjusted : float
        ``(value - expected) / (best - expected)``: 1 at best, 0 as by chance. Where best and expected are
        the same (0/0), 1 if the value is the best one, else nan.
    model : str
        The null model in words.
    n_draws : int
        How many values ``mean``, ``spread`` and ``p`` come from.
    is_enumerated : bool
        Whether these are all cases, not draws.
    caveats : tuple of Caveat
        What could not be computed, and why.
    draws : NullDraws or None
        The values that ``mean``, ``spread`` and ``p`` come from. They are always kept: those of 999 draws of
        60 indices take a megabyte.
    """

    expected: float = math.nan
    error: float = math.nan
    how: str = ""
    mean: float = math.nan
    spread: float = math.nan
    z: float = math.nan
    p: float = math.nan
    adjusted: float = math.nan
    model: str = ""
    n_draws: int = 0
    is_enumerated: bool = False
    caveats: tuple[Caveat, ...] = ()
    draws: NullDraws | None = field(default=None, repr=False, compare=False)


def chance_of(
    entries: Iterable[Index],
    inputs: Inputs,
    null: Any = "permutation",
    *,
    n_shuffles: int = 999,
    seed: int = 0,
) -> dict[str, Chance]:
    """For each index, by its label, what its value is worth beside a null model; one set of draws for all.

    Parameters
    ----------
    entries : indices of truth and found
        Those that have no value for these kinds get a `Chance` without numbers, which says so.
    inputs : Inputs
        From `prepare`, with "truth" and "found".
    null : str or NullModel
        The null model.
    n_shuffles : int
        How many pairs of clusterings are drawn where they are too many to enumerate.
    seed : int
        The same seed gives the same draws.

    Notes
    -----
    Two hard clusterings: tables are drawn from their law, at a cost that does not depend on the number of
    objects. All cases are enumerated instead where at most 50 000 tables cover them (any two clusterings of
    up to eight objects under the permutation model), or 5040 shuffles for other kinds (seven objects).
    Whole-number weights are multiplicities; other weights leave no objects to shuffle. Objects in chunks that
    take at most 268 MB are brought into memory and shuffled there; of more, what has a closed form is left.

    Examples
    --------
    >>> from partita.inputs import prepare
    >>> from partita.registry import find
    >>> given = prepare({"truth": [0, 0, 0, 1, 1, 1], "found": [0, 0, 0, 1, 1, 1]})
    >>> chance = chance_of([find("RI")], given)["rand"]
    >>> chance.how, round(chance.expected, 4), chance.p, chance.adjusted
    ('closed form', 0.52, 0.1, 1.0)
    """
    wanted = list(entries)
    model = null_model(null)
    check_draws(n_shuffles, seed)
    check_fits(model, [inputs.partitions[side].kind for side in ("truth", "found")])
    inputs = _in_memory_if_few(inputs)
    reason, shuffled = _objects_to_shuffle(inputs)
    if reason:
        return {e.label: _nothing(model, reason) for e in wanted}
    known = [e for e in wanted if _is_defined(e, inputs)]
    values, _ = values_of(known, inputs)
    source = _Source.of(shuffled, model, n_shuffles, seed)
    numbers = {e.label: _Values(e, *values[e.label]) for e in known}
    payable = {label: v for label, v in numbers.items() if not source.refusal(v.entry)}
    source.fill(payable.values())
    return {e.label: _chance(e, numbers.get(e.label), source, model) for e in wanted}


def check_draws(n_shuffles: Any, seed: Any) -> None:
    """Refuse what is no number of draws, or no seed that can be used again."""
    if not isinstance(n_shuffles, (int, np.integer)) or isinstance(n_shuffles, bool) or n_shuffles < 1:
        raise ParameterError(
            "n_shuffles is no number of draws.",
            got=repr(n_shuffles),
            need="a whole number of at least 1; 999 allows a p of 0.001",
            parameter="n_shuffles",
        )
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0:
        raise ParameterError(
            "draws are repeated from a seed.",
            got=repr(seed),
            need="a whole number >= 0",
            fix="random_state=0",
            parameter="random_state",
        )


def _is_defined(entry: Index, inputs: Inputs) -> bool:
    """Whether it compares these two clusterings, with the data where they are here."""
    given = {"truth", "found"} | ({"X"} if inputs.X is not None else set())
    return {"truth", "found"} <= set(entry.inputs) <= given and entry.range_of(inputs.kinds) is not None


def _nothing(model: NullModel, reason: str) -> Chance:
    return Chance(model=str(model), caveats=said(CaveatKind.NOT_COMPUTED, f"no chance values: {reason}"))


def _in_memory_if_few(inputs: Inputs) -> Inputs:
    """The same, or objects that lie in chunks in memory."""
    if not inputs.is_chunked or bytes_in_chunks(inputs) > MOST_BROUGHT_HERE:
        return inputs
    return brought_here(inputs)


def _objects_to_shuffle(inputs: Inputs) -> tuple[str, Inputs]:
    """Why there are no whole objects to shuffle, or nothing; and the inputs with every object by itself."""
    if inputs.n_objects == 0:
        return "every object is noise, and noise is ignored", inputs
    weight = inputs.weight
    if weight is None:
        return "", inputs
    if inputs.is_chunked:
        return f"objects with weights in chunks are not repeated: {_too_large(inputs)}", inputs
    if weight.dtype.kind != "i":
        return "weights that are no whole numbers leave no objects to shuffle", inputs
    if _is_of_tables(inputs):
        total = float(weight.sum(dtype=np.float64))
        return (f"{total:.3g} objects are too many to draw" if total >= MOST_OBJECTS else ""), inputs
    if weight.sum() > MOST_REPEATED:
        return f"weights stand for more than {MOST_REPEATED} objects", inputs
    rows = np.repeat(np.arange(inputs.n_objects), weight)
    X = None if inputs.X is None else inputs.X.take(rows)
    repeated = {name: p.take(rows) for name, p in inputs.partitions.items()}
    return "", replace(inputs, partitions=repeated, n_objects=len(rows), weight=None, X=X)


def _too_large(inputs: Inputs) -> str:
    """Why objects in chunks are not shuffled."""
    size, most = bytes_in_chunks(inputs) / 1e6, MOST_BROUGHT_HERE / 1e6
    return (
        f"each shuffle needs all objects in memory, and these take {size:.0f} MB, of at most {most:.0f};"
        " compare a sample of their rows"
    )


def _is_of_tables(inputs: Inputs) -> bool:
    return set(inputs.kinds) == {HARD} and inputs.X is None


def is_in_table(entry: Index, kinds: Sequence[Kind]) -> bool:
    """Whether the table of two such clusterings says all that the index needs."""
    if "X" in entry.inputs:
        return False
    if set(kinds) != {HARD}:
        return entry.is_of_table
    return all(_is_table(r.statistic) or r.statistic.from_table is not None for r in entry.requests)


def _is_table(statistic: type[Any]) -> bool:
    """Whether it is the contingency table, or one that is the same for hard clusterings."""
    return issubclass(statistic, Contingency)


def values_on_tables(entry: Index, tables: Contingency) -> Floats:
    """The values of an index on a stack of tables, or on one; nan where it has none."""
    wanted = [request.statistic for request in entry.requests]
    outcome = entry.evaluate([tables if _is_table(s) else s.from_table(tables) for s in wanted])
    return np.asarray(outcome.values).reshape(-1)


class _Values:
    """The observed value of one index, and those under the model as they come in."""

    def __init__(self, entry: Index, value: float, caveats: Sequence[Caveat]) -> None:
        self.entry, self.value = entry, value
        self.is_set_by_limit = any(c.kind in (CaveatKind.LIMIT, CaveatKind.UNDEFINED) for c in caveats)
        self.parts: list[Floats] = []
        self.times: list[Array] = []

    @property
    def count(self) -> int:
        """How many have come in."""
        return sum(map(len, self.parts))

    def add(self, values: Floats, times: Array | None) -> None:
        """Some more values."""
        self.parts.append(values)
        self.times.append(np.ones(len(values), dtype=np.int64) if times is None else times)


@dataclass(frozen=True, eq=False)
class _Source:
    """Where the values under the model come from."""

    inputs: Inputs
    draws: TableDraws | ObjectDraws

    @classmethod
    def of(cls, inputs: Inputs, model: NullModel, n_shuffles: int, seed: int) -> _Source:
        if not _is_of_tables(inputs):
            return cls(inputs, ObjectDraws(inputs, model, int(n_shuffles), int(seed)))
        rows, columns = _margins(inputs)
        return cls(inputs, TableDraws.of(rows, columns, model, int(n_shuffles), int(seed)))

    @property
    def is_enumerated(self) -> bool:
        return self.draws.number is not None

    def refusal(self, entry: Index) -> str:
        """Why an index is not computed for every draw, or nothing."""
        if isinstance(self.draws, TableDraws):
            return "" if is_in_table(entry, (HARD, HARD)) else "it needs more than the table of two hard ones"
        if self.inputs.is_chunked:
            return _too_large(self.inputs)
        count = self.draws.number or self.draws.n_shuffles
        operations = count * pair_operations(entry.requests, self.inputs)
        if operations <= MOST_DRAWN_PAIRS:
            return ""
        fewer = max(1, int(count * MOST_DRAWN_PAIRS / operations))
        return (
            f"{count} draws would cost {operations:.1e} pair operations, of at most {MOST_DRAWN_PAIRS:.0e}"
            f" (n_shuffles={fewer} costs as much)"
        )

    def fill(self, wanted: Iterable[_Values]) -> None:
        """The values of all indices for all draws."""
        every = list(wanted)
        if not every:
            return
        total = self.draws.number or self.draws.n_shuffles
        with bar("drawing by chance") as report:
            if isinstance(self.draws, TableDraws):
                for tables in self.draws.parts():
                    for one in every:
                        one.add(values_on_tables(one.entry, tables.stack), tables.times)
                    report(every[0].count, total)
                return
            kept = self._kept(r for one in every for r in one.entry.requests)
            judge = partial(_judge, every, self.inputs.kinds, kept)
            for _ in map(judge, self.draws.parts()):  # each portion is let go before the next is drawn
                report(every[0].count, total)

    def _kept(self, requests: Iterable[Request]) -> dict[Request, Any]:
        """Statistics that no shuffle changes: they are means over all shuffles themselves."""
        if not isinstance(self.draws.null, Permutation) or set(self.inputs.kinds) == {HARD}:
            return {}
        return collect([r for r in requests if r.statistic in (ShuffledGaps, ConcordanceChance)], self.inputs)

    def expectation(self, entry: Index) -> Expectation | None:
        """The expected value in closed form, where there is one."""
        if isinstance(self.draws, TableDraws):
            value = expected_on_sizes(entry, self.draws.rows, self.draws.columns, self.draws.null)
            return None if value is None else Expectation(value)
        if set(self.inputs.kinds) == {HARD}:
            value = expected_on_sizes(entry, *_margins(self.inputs), self.draws.null)
            return None if value is None else Expectation(value)
        return expected_on_inputs(entry, self.inputs, self.draws.null, lambda: self.moments)

    @cached_property
    def moments(self) -> PairMoments:
        """The moments of pairs of objects."""
        return self._made(PairMoments)  # type: ignore[no-any-return]

    @cached_property
    def table(self) -> Contingency:
        """The table of both clusterings."""
        return self._made(Contingency)  # type: ignore[no-any-return]

    def _made(self, statistic: type[Any]) -> Any:
        request = Request(statistic)
        return collect([request], self.inputs)[request]


def _judge(
    wanted: Sequence[_Values], kinds: Sequence[Kind], kept: Mapping[Request, Any], pairs: Pairs
) -> None:
    """The values of all indices for some pairs, from one stack of tables where that is enough."""
    from_tables = [one for one in wanted if is_in_table(one.entry, kinds)]
    stack = pairs.tables if from_tables else None
    if stack is not None:
        for one in from_tables:
            one.add(values_on_tables(one.entry, stack), None)
    singly = [one for one in wanted if stack is None or one not in from_tables]
    requests = [r for one in singly for r in one.entry.requests if r not in kept]
    for each in pairs.each() if singly else ():
        made = {**collect(requests, each), **kept}
        for one in singly:
            one.add(np.array([one.entry.value_for(each, made)[0]]), None)


def _margins(inputs: Inputs) -> tuple[Array, Array]:
    truth, found = (_sizes(inputs.partitions[side], inputs.weight) for side in ("truth", "found"))
    return truth, found


def _sizes(partition: Any, weight: Array | None) -> Array:
    assert isinstance(partition, HardPartition)
    if weight is None:
        return np.bincount(partition.codes)
    sizes = np.zeros(int(partition.codes.max()) + 1, dtype=np.int64)
    np.add.at(sizes, partition.codes, weight)
    return sizes


# --- from values to what they are worth ---------------------------------------------------------------


def _chance(entry: Index, found: _Values | None, source: _Source, model: NullModel) -> Chance:
    if found is None and "X" in entry.inputs:
        return _nothing(model, "it looks at the data, which are not in memory")
    if found is None:
        return _nothing(model, f"{entry.label} has no value for these clusterings")
    refused = source.refusal(entry)
    problems = [f"no p: {refused}"] if refused else []
    if not isinstance(model, Permutation) and not _is_free_of_names(entry, source.inputs.kinds):
        problems.append("ties are broken by the order of the clusters, which the model leaves open")
    made = Chance(model=str(model), is_enumerated=source.is_enumerated and not refused)
    expectation = None if found.is_set_by_limit else source.expectation(entry)
    if found.parts:
        values, times = np.concatenate(found.parts), np.concatenate(found.times)
        summary = summarise(values, times, is_enumerated=source.is_enumerated)
        problems += said_of_missing(values, times)
        p, reason = p_value(entry, found.value, values, times, is_enumerated=source.is_enumerated)
        problems += [reason] * bool(reason)
        expectation = expectation or summary.expectation
        draws = NullDraws.of(values, times, is_enumerated=source.is_enumerated)
        made = replace(
            made, mean=summary.mean, spread=summary.spread, p=p, n_draws=int(times.sum()), draws=draws
        )
    if expectation is not None:
        made = replace(made, expected=expectation.value, error=expectation.error, how=expectation.how)
        highest = _largest_value(entry, source, model)
        adjusted, reason = adjusted_value(found.value, expectation.value, highest)
        problems += [reason] * bool(reason)
        made = replace(made, adjusted=adjusted)
        if made.spread > 0.0:
            made = replace(made, z=(found.value - expectation.value) / made.spread)
    caveats = tuple(Caveat(CaveatKind.NOT_COMPUTED, text) for text in dict.fromkeys(problems))
    return replace(made, caveats=caveats)


def _is_free_of_names(entry: Index, kinds: Sequence[Kind]) -> bool:
    return all(entry.status("relabelling_invariant", kind) == "claimed" for kind in kinds)


def _largest_value(entry: Index, source: _Source, model: NullModel) -> float:
    """The best value that the index can have; infinite or nan where that is not known.

    An index without a best value of its own, as mutual information, has the end of its range for clusters of
    these sizes, where the model keeps them.
    """
    if entry.best is None:
        return math.nan
    if math.isfinite(entry.best) or not isinstance(model, Permutation) or not entry.is_of_table:
        return entry.best
    low, high = entry.ends_on(source.inputs.kinds, source.table)
    return high if entry.direction == "higher" else low
