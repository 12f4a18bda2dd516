"""`consensus_index`: how far many clusterings of the same objects agree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, combinations_with_replacement, product
from typing import Any, Self

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, one_blas_thread
from partita.errors import ParameterError
from partita.evaluation import demand_values, values_of
from partita.inputs import Inputs, prepare
from partita.partitions import HARD, Ensemble, HardPartition, Kind, Partition, n_without_noise, softest
from partita.partitions.ensemble import unweighted
from partita.progress import bar
from partita.registry import Caveat, CaveatKind, Evaluation, Index, check_on_undefined, resolve
from partita.registry.caveats import said
from partita.results import number, plain
from partita.results.index_rows import IndexTable, IndexValue
from partita.results.provenance import provenance
from partita.results.records import read_back
from partita.statistics import CoassociationGaps, Contingency, PairMoments, ShuffledGaps
from partita.statistics.pairs.coassociation_stacks import (
    MOST_OBJECTS,
    Coassociations,
    moments_of_pairs,
    pairs_at_once,
)
from partita.statistics.tables.counting import is_faint

__all__ = ["ConsensusIndex", "consensus_index"]

PRODUCT_SIDE = 2048
"""Clusters, of several partitions side by side, on one side of a matrix product: the result takes 32 MiB."""

MOST_CELLS_COUNTED = 1 << 16
"""Pairs of partitions with larger tables are compared one by one, where a table may be sparse."""

MOST_HARD_OPERATIONS = 5_000_000
"""Objects times cells up to which a product beats counting the labels of two hard partitions."""


@dataclass(frozen=True, repr=False)
class ConsensusIndex(IndexTable):
    """The mean of each index over all pairs of an ensemble; ``.value`` where there is one index.

    Attributes
    ----------
    matrices : dict of (L, L) arrays
        For each index its value with partition i as truth and j as found, in cell (i, j). The diagonal, which
        the mean leaves out, is nan.
    names : tuple of str
        The names of the partitions in their order, or their positions.
    """

    matrices: Mapping[str, Floats] = field(default_factory=dict, compare=False)
    names: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def value(self) -> float:
        """The consensus index, where one index was asked for."""
        return self[self._label(None)].value

    def values(self, index: str | None = None) -> Floats:
        """The value for each pair of partitions i < j, row by row; the mean of both directions."""
        matrix = self.matrix(index)
        above = np.triu_indices(len(matrix), 1)
        return np.asarray((matrix[above] + matrix.T[above]) / 2)

    def matrix(self, index: str | None = None) -> Floats:
        """The values of one index for all ordered pairs of partitions."""
        return self.matrices[self._label(index)]

    def _label(self, index: str | None) -> str:
        if index is not None:
            return self[index].index
        if len(self.rows) > 1:
            raise ParameterError(
                "there are several indices here.",
                got=", ".join(row.index for row in self.rows),
                need="the name of one",
                fix=f'result["{self.rows[0].index}"].value, result.values("{self.rows[0].index}")',
            )
        return self.rows[0].index

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        matrices = {k: plain(m.tolist()) for k, m in self.matrices.items()}
        return {**super().to_dict(), "matrices": matrices, "names": list(self.names)}

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        matrices = {
            name: np.array([[number(v) for v in row] for row in rows])
            for name, rows in data.get("matrices", {}).items()
        }
        return replace(super().from_dict(data), matrices=matrices, names=tuple(data.get("names", ())))


def consensus_index(
    ensemble: Ensemble | Iterable[Any],
    index: Iterable[str | Index] | str | Index = "VI",
    *,
    X: Any = None,
    noise: str = "cluster",
    sample_weight: Any = None,
    on_undefined: str = "nan",
) -> ConsensusIndex:
    """The mean of an external index over all pairs of an ensemble (lei2014 eq. 6).

    Clusterings of one data set into the same number of clusters tend to agree best at the right number. So
    the consensus index, computed for an ensemble at each k, chooses one: the largest value of a similarity,
    the smallest of a distance.

    Parameters
    ----------
    ensemble : Ensemble or list of clusterings
        At least two, of any kinds, each with its own number of clusters.
    index : name or list of names
        External indices; several share their tables.
    X : (n, d) array, optional
        The data, for the indices that compare centroids.
    noise, sample_weight, on_undefined
        As in `compare`; an object that is noise anywhere is noise in the whole ensemble, so that
        ``noise="ignore"`` compares all pairs on the same objects.

    Returns
    -------
    ConsensusIndex
        ``.value``, or ``result["VI"].value`` of several; ``.values("VI")`` for each pair, ``.matrix("VI")``.

    Notes
    -----
    The sum of eq. 6 runs over pairs i < j. An index that is not symmetric is averaged over both directions,
    so that the order of the partitions does not matter. Where a pair has no value, neither has the mean.

    A soft clustering does not score best with itself (see `self_agreement`), so identical soft clusterings do
    not give 0 or 1: the consensus index mixes how much clusterings differ with how soft they are.

    Cost: one matrix product for the tables of all pairs, in parts of bounded size. Indices of co-associations
    of fuzzy clusterings write these out once for each partition, where all together take at most 128 MiB (for
    `belief_adjusted_rand`, which sorts them, two or three times that). Others that need more than the table
    are computed pair by pair.

    Examples
    --------
    >>> runs = [[0, 0, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]]
    >>> result = consensus_index(runs, ["ARI", "VI"])
    >>> result
    3 hard partitions of 5 objects (k=2): mean over 3 pairs
    <BLANKLINE>
    index                     symbol   value  best  direction
    adjusted_rand             ARI     0.4444     1  higher
    variation_of_information  VI      0.5092     0  lower
    >>> result.values("ARI").round(3)
    array([1.   , 0.167, 0.167])
    """
    check_on_undefined(on_undefined)
    entries = _agreement_indices(index, has_data=X is not None)
    given = unweighted(ensemble, "consensus_index")
    if len(given) < 2:
        raise ParameterError(
            "one partition alone has nothing to agree with.",
            got="an ensemble of 1 partition",
            need="at least 2 partitions of the same objects",
            fix="self_agreement(found, index) for a partition with itself",
        )
    data = {} if X is None else {"X": X}
    inputs = prepare(
        {**data, **{f"partition {i}": p for i, p in enumerate(given)}},
        noise=noise,
        sample_weight=sample_weight,
    )
    members = list(inputs.partitions.values())
    for entry in entries:
        for kinds in _pairs_of_kinds(inputs.kinds):
            entry.check_kinds(kinds)
    with bar("consensus index") as report:
        agreements = _compare_all(entries, inputs, members, report)
    rows = tuple(a.row(inputs.kinds) for a in agreements)
    demand_values(rows, on_undefined)
    return ConsensusIndex(
        notes=_notes(given, inputs, noise),
        provenance=provenance(
            inputs,
            rows=rows,
            partitions=len(members),
            clusters=[m.n_clusters for m in members],
            noise=noise,
        ),
        frame=inputs.frame or "pandas",
        rows=rows,
        title=_title(members, inputs),
        matrices={a.entry.label: a.matrix for a in agreements},
        names=tuple(map(str, given.names)),
    )


def _agreement_indices(index: Any, *, has_data: bool) -> list[Index]:
    compared = ("truth", "found")
    given = ("X", *compared) if has_data else compared
    entries = resolve([] if index is None else index, given, needs=compared, parameter="index")
    for entry in entries:
        if not {"truth", "found"} <= set(entry.inputs):
            raise ParameterError(
                f"{entry.name} does not compare two clusterings.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an index of truth and found",
            )
        if "X" in entry.inputs and not has_data:
            raise ParameterError(
                f"{entry.name} needs the data too.", got="no X", need="X=", fix=f'"{entry.name}", X=X'
            )
    if not entries:
        raise ParameterError("there is nothing to compare by.", got="no index", need="at least one")
    return entries


# --- all pairs ----------------------------------------------------------------------------------------


class _Agreement:
    """The values of one index for all pairs, as they come in."""

    def __init__(self, entry: Index, count: int) -> None:
        self.entry = entry
        self.matrix = np.full((count, count), math.nan)
        self.caveats: Counter[Caveat] = Counter()

    def is_symmetric_for(self, kinds: Iterable[Kind]) -> bool:
        """Whether one direction says all; claims are about the default options."""
        is_default = dict(self.entry.options) == dict(self.entry.defaults)
        return is_default and all(self.entry.status("symmetric", kind) == "claimed" for kind in kinds)

    def put(self, first: Any, second: Any, values: Any, caveats: Iterable[Caveat], *, both: bool) -> None:
        """Note the values of pairs, for both directions where these are the same."""
        self.matrix[first, second] = values
        if both:
            self.matrix[second, first] = values
        self.caveats.update(caveats)

    def row(self, kinds: Sequence[Kind]) -> IndexValue:
        """The mean, and what a reader must know about it."""
        entry, kind = self.entry, softest(kinds)
        apart = ~np.eye(len(self.matrix), dtype=bool)
        pairs = [Caveat(c.kind, f"{c.text} ({times} times)") for c, times in self.caveats.items()]
        directed = "" if self.is_symmetric_for(kinds) else "mean of both directions"
        inexact = entry.best is not None and kind is not HARD and entry.status("reflexive", kind) == "refuted"
        soft = f"identical {kind} partitions do not score best (see self_agreement)" if inexact else ""
        caveats = (
            *pairs,
            *said(CaveatKind.BOTH_DIRECTIONS, directed),
            *said(CaveatKind.OWN, entry.caveat([kind, kind])),
            *said(CaveatKind.NOT_REFLEXIVE, soft),
        )
        return IndexValue.of(entry, float(self.matrix[apart].mean()), caveats)


def _compare_all(
    entries: Sequence[Index], inputs: Inputs, members: Sequence[Partition], report: Callable[[int, int], None]
) -> list[_Agreement]:
    """Every index for every pair: from stacks of tables where they fit, otherwise pair by pair."""
    agreements = [_Agreement(entry, len(members)) for entry in entries]
    total, done = math.comb(len(members), 2), 0
    for a, b in _pairs_of_kinds(inputs.kinds):
        from_tables = [agreement for agreement in agreements if _is_in_table(agreement.entry, (a, b))]
        others = [agreement for agreement in agreements if agreement not in from_tables]
        first, second = ([i for i, m in enumerate(members) if m.kind is kind] for kind in (a, b))
        stacked = bool(inputs.n_objects) and _stacks_fit(members, first, second)
        if from_tables and stacked:
            for truths, founds, tables in _tables(members, first, second, inputs.weight):
                _put_tables(from_tables, truths, founds, tables)
                done += 0 if others else len(truths)
                report(done, total)
        rest = others if stacked else agreements
        pairs = list(combinations(first, 2) if a is b else product(first, second)) if rest else []
        by_moments = [agreement for agreement in rest if _is_in_moments(agreement.entry, (a, b), inputs)]
        if by_moments:
            held = [members[i] for i in dict.fromkeys((*first, *second))]
            _put_moments(by_moments, pairs, members, Coassociations(held, inputs.weight))
            rest = [agreement for agreement in rest if agreement not in by_moments]
        for i, j in pairs:
            if rest:
                _put_pair(rest, i, j, inputs, members)
            done += 1
            report(done, total)
    return agreements


def _is_in_table(entry: Index, kinds: tuple[Kind, Kind]) -> bool:
    """Whether the tables of two such partitions say all that the index needs."""
    if kinds != (HARD, HARD):
        return entry.is_of_table
    return all(r.statistic is Contingency or r.statistic.from_table is not None for r in entry.requests)


def _is_in_moments(entry: Index, kinds: tuple[Kind, Kind], inputs: Inputs) -> bool:
    """Whether moments, and co-associations that fit, say all that the index needs; both made once."""
    soft = {HARD} < {HARD, *kinds} <= PairMoments.kinds_accepted
    if not soft or not 0 < inputs.n_objects <= MOST_OBJECTS:
        return False
    is_linear = HARD in kinds or all(request.statistic is PairMoments for request in entry.requests)
    fits = is_linear or Coassociations.fit(len(inputs.partitions), inputs.n_objects)
    known = (PairMoments, CoassociationGaps, ShuffledGaps)
    return fits and all(request.statistic in known and not request.options for request in entry.requests)


def _of_tables(entry: Index, tables: Contingency) -> Evaluation:
    """The index on a stack of tables, through the statistics that are made from them."""
    wanted = [request.statistic for request in entry.requests]
    return entry.evaluate([tables if s is Contingency else s.from_table(tables) for s in wanted])


def _pairs_of_kinds(kinds: Sequence[Kind]) -> list[tuple[Kind, Kind]]:
    """The kinds that meet in some pair of partitions, the harder first."""
    times = Counter(kinds)
    present = sorted(times, key=lambda kind: kind.softness)
    return [(a, b) for a, b in combinations_with_replacement(present, 2) if a is not b or times[a] > 1]


def _stacks_fit(members: Sequence[Partition], first: Sequence[int], second: Sequence[int]) -> bool:
    cells = widest(members, first) * widest(members, second)
    if any(is_faint(members[i]) for i in (*first, *second)):
        return False  # each pair is scaled by itself
    hard = all(isinstance(members[i], HardPartition) for i in (*first, *second))
    return cells <= MOST_CELLS_COUNTED and not (hard and cells * members[0].n_objects > MOST_HARD_OPERATIONS)


def widest(members: Sequence[Partition], places: Iterable[int]) -> int:
    """The largest number of clusters of those partitions."""
    return max(members[i].n_clusters for i in places)


def _tables(
    members: Sequence[Partition], first: Sequence[int], second: Sequence[int], weight: Array | None
) -> Iterator[tuple[Array, Array, Contingency]]:
    """Stacks of tables: for each the places of truth and of found in the ensemble."""
    width = widest(members, [*first, *second])
    size = max(1, PRODUCT_SIDE // width)
    n = members[0].n_objects
    total = n if weight is None else weight.sum()
    kinds = members[first[0]].kind, members[second[0]].kind
    is_whole = kinds == (HARD, HARD) and (weight is None or weight.dtype.kind == "i")
    for rows in blocks(len(first), size):
        for columns in blocks(len(second), size):
            truths, founds = np.array(first[rows]), np.array(second[columns])
            if first == second and columns.start <= rows.start:
                if columns.start < rows.start or len(truths) == 1:
                    continue
                i, j = np.triu_indices(len(truths), 1)
            else:
                i, j = np.indices((len(truths), len(founds))).reshape(2, -1)
            side = _product(members, truths, founds, width, weight)
            cells = side.reshape(len(truths), width, len(founds), width).transpose(0, 2, 1, 3)[i, j]
            counts = np.rint(cells).astype(np.int64) if is_whole else cells
            yield (
                truths[i],
                founds[j],
                Contingency(counts, np.full(len(i), total), kinds, range(width), range(width)),
            )


def _product(
    members: Sequence[Partition], truths: Array, founds: Array, width: int, weight: Array | None
) -> Floats:
    """U'V of memberships that lie side by side, in blocks of objects."""
    n = members[0].n_objects
    same = np.array_equal(truths, founds)
    sums = np.zeros((len(truths) * width, len(founds) * width))
    with one_blas_thread():
        for rows in blocks(n, PRODUCT_SIDE):
            left = side_by_side([members[i] for i in truths], width, rows)
            right = left if same else side_by_side([members[j] for j in founds], width, rows)
            sums += left.T @ (right if weight is None else right * weight[rows, None])
    return sums


def side_by_side(members: Sequence[Partition], width: int, rows: slice) -> Floats:
    """Memberships of some objects in all partitions, each filled up with empty clusters to one width."""
    count = rows.stop - rows.start
    stacked = np.zeros((count, len(members), width))
    for place, member in enumerate(members):
        if isinstance(member, HardPartition):
            stacked[np.arange(count), place, member.codes[rows]] = 1.0
        else:
            stacked[:, place, : member.n_clusters] = dense(member.memberships()[rows])
    return stacked.reshape(count, -1)


def _put_tables(agreements: Sequence[_Agreement], first: Array, second: Array, tables: Contingency) -> None:
    turned = tables.transposed()
    for agreement in agreements:
        both = agreement.is_symmetric_for(tables.kinds)
        outcome = _of_tables(agreement.entry, tables)
        agreement.put(first, second, outcome.values, outcome.caveats(), both=both)
        if not both:
            outcome = _of_tables(agreement.entry, turned)
            agreement.put(second, first, outcome.values, outcome.caveats(), both=False)


def _put_moments(
    agreements: Sequence[_Agreement],
    pairs: Sequence[tuple[int, int]],
    members: Sequence[Partition],
    known: Coassociations,
) -> None:
    kinds = members[pairs[0][0]].kind, members[pairs[0][1]].kind
    directed = [a for a in agreements if not a.is_symmetric_for(kinds)]
    clusters = sum(widest(members, places) for places in zip(*pairs, strict=True))
    for part in blocks(len(pairs), pairs_at_once(members[0].n_objects, clusters)):
        i, j = np.array(pairs[part]).T
        for first, second, wanted in ((i, j, agreements), (j, i, directed)):
            sides = [members[x] for x in first], [members[x] for x in second]
            made: dict[type[Any], Any] = {}
            if wanted:
                needed = {request.statistic for agreement in wanted for request in agreement.entry.requests}
                moments = made[PairMoments] = moments_of_pairs(*sides, known.weight)
                if CoassociationGaps in needed:
                    made[CoassociationGaps] = known.gaps(*sides, moments)
                if ShuffledGaps in needed:
                    made[ShuffledGaps] = known.shuffled(*sides, moments)
            for agreement in wanted:
                outcome = agreement.entry.evaluate([made[r.statistic] for r in agreement.entry.requests])
                both = agreement not in directed
                agreement.put(first, second, outcome.values, outcome.caveats(), both=both)


def _put_pair(
    agreements: Sequence[_Agreement], i: int, j: int, inputs: Inputs, members: Sequence[Partition]
) -> None:
    kinds = members[i].kind, members[j].kind
    directed = [a for a in agreements if not a.is_symmetric_for(kinds)]
    for first, second, wanted in ((i, j, agreements), (j, i, directed)):
        pair = replace(inputs, partitions={"truth": members[first], "found": members[second]})
        values, _ = values_of([agreement.entry for agreement in wanted], pair)
        for agreement in wanted:
            value, caveats = values[agreement.entry.label]
            agreement.put(first, second, value, caveats, both=agreement not in directed)


# --- what is said about it ----------------------------------------------------------------------------


def _title(members: Sequence[Partition], inputs: Inputs) -> str:
    kinds = "/".join(dict.fromkeys(k.value for k in sorted(inputs.kinds, key=lambda k: k.softness)))
    ks = [n_without_noise(m) for m in members]
    k = f"{min(ks)}" if min(ks) == max(ks) else f"{min(ks)}..{max(ks)}"
    pairs = math.comb(len(members), 2)
    return (
        f"{len(members)} {kinds} partitions of {inputs.n_objects} objects (k={k}): "
        f"mean over {pairs} pair{'s' * (pairs > 1)}"
    )


def _notes(given: Ensemble, inputs: Inputs, noise: str) -> tuple[str, ...]:
    """Notes of the partitions, each once, and what was done about noise."""
    told = Counter(p.note for p in given if p.note)
    notes = [f"{times} of {len(given)} partitions: {note}" for note, times in told.items()]
    noisy = sum(p.noise_mask is not None for p in given)
    if noisy:
        notes.append(
            f'noise in {noisy} of {len(given)} partitions; coverage {inputs.coverage:.1%}; policy "{noise}"'
        )
    return tuple(notes)
