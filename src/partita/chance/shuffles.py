"""Clusterings drawn under a null model: tables straight from their law, or the objects themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from partita.arrays import Array, Floats, blocks, dense
from partita.chance.null_models import AllPartitions, DirichletRows, FixedNumber, NullModel, Permutation
from partita.chance.set_partitions import (
    bell,
    every_arrangement,
    every_partition,
    every_type,
    number_of_arrangements,
    sizes_given_number,
    sizes_in_any,
    stirling,
)
from partita.errors import TooLargeError
from partita.inputs import Inputs
from partita.partitions import HARD, FuzzyPartition, HardPartition, Kind, Partition
from partita.statistics import Contingency
from partita.statistics.tables.counting import is_faint

MOST_TABLES = 50_000
"""Tables that are enumerated at most, instead of drawn."""

MOST_SHUFFLES = 5040
"""Shuffles of the objects that are enumerated at most: those of seven objects."""

MOST_OBJECTS = 10**9
"""Objects from which on numpy draws no hypergeometric numbers."""

_FEW_OBJECTS = 12  # more have too many shuffles and partitions in any case
_CELLS_AT_ONCE = 1 << 18
_SMALL_TABLE = 4096
_VALUES_AT_ONCE = 1 << 20


# --- tables of two hard clusterings -------------------------------------------------------------------


class Tables(NamedTuple):
    """A stack of tables, and how often each of them counts (None: once)."""

    stack: Contingency
    times: Array | None = None


@dataclass(frozen=True, eq=False)
class TableDraws:
    """Tables of two hard clusterings under a null model, which cluster sizes alone determine.

    All of them, where they are few; else `n_shuffles` drawn ones. Under the permutation model a table of
    given margins is drawn cell by cell (each is hypergeometric given those before it), at a cost that does
    not depend on the number of objects.

    Attributes
    ----------
    rows, columns : arrays of whole numbers
        The sizes of the clusters of truth and found; empty ones are left out.
    """

    rows: Array
    columns: Array
    null: NullModel
    n_shuffles: int
    seed: int

    @classmethod
    def of(cls, rows: Array, columns: Array, null: NullModel, n_shuffles: int, seed: int) -> TableDraws:
        """For clusters of these sizes, in this order."""
        rows, columns = (sizes[sizes > 0] for sizes in map(np.asarray, (rows, columns)))
        n = int(rows.sum())
        if n >= MOST_OBJECTS:
            raise TooLargeError(
                "there are too many objects to draw tables of them.",
                got=f"{n} objects",
                need=f"fewer than {MOST_OBJECTS:g}",
            )
        return cls(rows.astype(np.int64), columns.astype(np.int64), null, n_shuffles, seed)

    @cached_property
    def n(self) -> int:
        """The number of objects."""
        return int(self.rows.sum())

    @cached_property
    def number(self) -> int | None:
        """How many tables there are to enumerate; None where they are too many."""
        if self.n > _FEW_OBJECTS:
            return None
        if isinstance(self.null, Permutation):
            count = min(number_of_arrangements(self.rows), number_of_arrangements(self.columns))
        else:
            k, others = (None, None) if isinstance(self.null, AllPartitions) else self._clusters
            founds = bell(self.n) if others is None else stirling(self.n, others)
            truths = 1 if self.null.one_sided else sum(1 for _ in every_type(self.n, k))
            count = founds * truths
        return count if count <= MOST_TABLES else None

    @property
    def _clusters(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def parts(self) -> Iterator[Tables]:
        """The tables, in stacks of bounded size."""
        return self._drawn() if self.number is None else self._enumerated()

    def _enumerated(self) -> Iterator[Tables]:
        truth, found = (np.repeat(np.arange(len(s)), s) for s in (self.rows, self.columns))
        if isinstance(self.null, Permutation):
            turned = number_of_arrangements(self.rows) < number_of_arrangements(self.columns)
            moved = every_arrangement(self.rows if turned else self.columns)
            for part in blocks(len(moved), self._at_once(*self._clusters)):
                sides = (moved[part], found[None]) if turned else (truth[None], moved[part])
                yield Tables(_counted(*sides))
            return
        k, others = (None, None) if isinstance(self.null, AllPartitions) else self._clusters
        # a pair of partitions looks the same when objects are renamed in both: one truth of each type is
        # enough, as often as there are partitions of this type
        types: list[tuple[Array, int]] = [(truth, 1)]
        if not self.null.one_sided:
            types = [(np.repeat(np.arange(len(s)), s), times) for s, times in every_type(self.n, k)]
        founds = every_partition(self.n, others)
        for labels, times in types:
            for part in blocks(len(founds), self._at_once(self.n, self.n)):
                stack = _counted(labels[None], founds[part])
                yield Tables(stack, np.full(len(founds[part]), times))

    @staticmethod
    def _at_once(k: int, others: int) -> int:
        return max(1, _CELLS_AT_ONCE // (k * others))

    def _drawn(self) -> Iterator[Tables]:
        rng = np.random.default_rng(self.seed)
        at_once = self._at_once(*self._clusters)
        if isinstance(self.null, AllPartitions):
            at_once = max(1, min(at_once, _CELLS_AT_ONCE // self.n))
        for part in blocks(self.n_shuffles, at_once):
            count = part.stop - part.start
            rows = self._sizes(self.rows, count, rng, is_held=self.null.one_sided)
            columns = self._sizes(self.columns, count, rng, is_held=False)
            cells = rows.shape[1] * columns.shape[1]
            if cells <= max(self.n, _SMALL_TABLE) and count * cells <= 4 * _CELLS_AT_ONCE:
                yield Tables(_whole(tables_with_margins(rows, columns, rng)))
                continue
            for one, other in zip(rows, columns, strict=True):
                yield Tables(_shuffled_table(one, other, rng))

    def _sizes(self, sizes: Array, count: int, rng: np.random.Generator, *, is_held: bool) -> Array:
        if is_held or isinstance(self.null, Permutation):
            return np.broadcast_to(sizes, (count, len(sizes)))
        if isinstance(self.null, AllPartitions):
            return sizes_in_any(self.n, count, rng)
        return sizes_given_number(self.n, len(sizes), count, rng)


def tables_with_margins(rows: Array, columns: Array, rng: np.random.Generator) -> Array:
    """A table ``(b, k, k')`` for each pair of margins ``(b, k)`` and ``(b, k')``, objects shuffled."""
    count, k = rows.shape
    others = columns.shape[1]
    tables = np.zeros((count, k, others), dtype=np.int64)
    left = columns.astype(np.int64)
    for i in range(k - 1):
        wanted = rows[:, i].astype(np.int64)
        beyond = left.sum(axis=1)
        for j in range(others - 1):
            beyond -= left[:, j]
            tables[:, i, j] = rng.hypergeometric(left[:, j], beyond, wanted)
            wanted -= tables[:, i, j]
        tables[:, i, -1] = wanted
        left = left - tables[:, i]
    tables[:, -1] = left
    return tables


def _whole(counts: Array) -> Contingency:
    return Contingency(
        counts,
        counts.sum(axis=(-1, -2)),
        row_names=range(counts.shape[-2]),
        column_names=range(counts.shape[-1]),
    )


def _counted(truths: Array, founds: Array) -> Contingency:
    """The tables of labels ``(b, n)``; one side may be a single row."""
    count = max(len(truths), len(founds))
    k, others = int(truths.max()) + 1, int(founds.max()) + 1
    keys = (np.arange(count)[:, None] * k + truths) * others + founds
    cells = np.bincount(keys.ravel(), minlength=count * k * others)
    return _whole(cells.reshape(count, k, others))


def _shuffled_table(rows: Array, columns: Array, rng: np.random.Generator) -> Contingency:
    """One table of these margins by shuffling labels: cheaper where clusters are very many."""
    truth, found = (_with_sizes(sizes[sizes > 0], rng) for sizes in (rows, columns))
    return Contingency.from_block(truth, found)


# --- clusterings of any kind --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """Some pairs of clusterings, drawn under a null model."""

    inputs: Inputs
    truths: Sequence[Partition]
    founds: Sequence[Partition]

    def __len__(self) -> int:
        return len(self.founds)

    def each(self) -> Iterator[Inputs]:
        """Each pair in the place of the clusterings that were given."""
        for truth, found in zip(self.truths, self.founds, strict=True):
            yield replace(self.inputs, partitions={"truth": truth, "found": found})

    @cached_property
    def tables(self) -> Contingency | None:
        """Their tables in one stack; None where these are made one by one."""
        truth, found = self.truths[0], self.founds[0]
        kinds: tuple[Kind, Kind] = truth.kind, found.kind
        n = truth.n_objects
        sides = (self.truths, self.founds)
        widths = [max(p.n_clusters for p in side) for side in sides]
        if not set(kinds) <= Contingency.kinds_accepted or len(self) * n * sum(widths) > 4 * _VALUES_AT_ONCE:
            return None
        if any(is_faint(p) for p in (truth, found)):
            return None  # each pair is scaled by itself
        u, v = (
            _stacked(side if any(p is not side[0] for p in side) else side[:1], width)
            for side, width in zip(sides, widths, strict=True)
        )
        products = np.matmul(np.swapaxes(u, -1, -2), v)
        if kinds == (HARD, HARD):
            products = np.rint(products).astype(np.int64)
        return Contingency(
            np.broadcast_to(products, (len(self), *widths)),
            np.full(len(self), n),
            kinds,
            range(widths[0]),
            range(widths[1]),
        )


def _stacked(side: Sequence[Partition], width: int) -> Floats:
    """Memberships ``(b, n, width)``, filled up with empty clusters."""
    stack = np.zeros((len(side), side[0].n_objects, width))
    for values, partition in zip(stack, side, strict=True):
        if isinstance(partition, HardPartition):
            values[np.arange(partition.n_objects), partition.codes] = 1.0
        else:
            values[:, : partition.n_clusters] = dense(partition.memberships())
    return stack


@dataclass(frozen=True, eq=False)
class ObjectDraws:
    """Pairs of clusterings of any kinds under a null model: all of them where they are few, else drawn.

    One set for all indices. Objects are shuffled on the side of the clustering found.
    """

    inputs: Inputs
    null: NullModel
    n_shuffles: int
    seed: int

    @cached_property
    def number(self) -> int | None:
        """How many pairs there are to enumerate; None where they are too many, or a continuum."""
        n = self.inputs.n_objects
        if n > _FEW_OBJECTS or isinstance(self.null, DirichletRows):
            return None
        if isinstance(self.null, Permutation):
            count = math.factorial(n)
        elif not self.null.one_sided:
            return None
        else:
            count = bell(n) if isinstance(self.null, AllPartitions) else stirling(n, self._number_found)
        return count if count <= MOST_SHUFFLES else None

    @property
    def _number_found(self) -> int:
        return _filled(self.inputs.partitions["found"])

    def parts(self) -> Iterator[Pairs]:
        """The pairs, in portions of bounded size."""
        truth, found = self.inputs.partitions["truth"], self.inputs.partitions["found"]
        n = self.inputs.n_objects
        at_once = max(1, _VALUES_AT_ONCE // (n * (truth.n_clusters + found.n_clusters)))
        if self.number is not None:
            every = self._every()
            for part in blocks(self.number, at_once):
                places = range(part.start, part.stop)
                yield Pairs(self.inputs, [truth] * len(places), [every(i) for i in places])
            return
        rng = np.random.default_rng(self.seed)
        draw_truth = _held(truth) if self._holds_truth else drawing(truth, self.null)
        draw_found = drawing(found, self.null)
        for part in blocks(self.n_shuffles, at_once):
            count = part.stop - part.start
            truths = [draw_truth(rng) for _ in range(count)]
            yield Pairs(self.inputs, truths, [draw_found(rng) for _ in range(count)])

    @property
    def _holds_truth(self) -> bool:
        # shuffling both sides is the same as shuffling one, unless the data stay where they are
        moves_both = isinstance(self.null, Permutation) and self.inputs.X is not None
        return self.null.one_sided or (isinstance(self.null, Permutation) and not moves_both)

    def _every(self) -> Callable[[int], Partition]:
        n, found = self.inputs.n_objects, self.inputs.partitions["found"]
        if isinstance(self.null, Permutation):
            orders = list(permutations(range(n)))
            return lambda i: found.take(np.array(orders[i]))
        labels = every_partition(n, None if isinstance(self.null, AllPartitions) else self._number_found)
        return lambda i: _labelled(labels[i])


def _filled(partition: Partition) -> int:
    """How many clusters are not empty."""
    assert isinstance(partition, HardPartition)
    return int((np.bincount(partition.codes) > 0).sum())


def _labelled(labels: Array) -> HardPartition:
    return HardPartition.from_codes(labels, range(int(labels.max()) + 1))


def _held(partition: Partition) -> Callable[[np.random.Generator], Partition]:
    return lambda _: partition


def drawing(partition: Partition, null: NullModel) -> Callable[[np.random.Generator], Partition]:
    """Draws a clustering in the place of this one."""
    n = partition.n_objects
    if isinstance(null, Permutation):
        return lambda rng: partition.take(rng.permutation(n))
    if isinstance(null, FixedNumber):
        k = _filled(partition)
        return lambda rng: _with_sizes(sizes_given_number(n, k, 1, rng)[0], rng)
    if isinstance(null, AllPartitions):
        return lambda rng: _with_sizes(sizes_in_any(n, 1, rng)[0], rng)
    assert isinstance(null, DirichletRows)
    means, precision = dirichlet_parameters(partition, null.concentration)
    return partial(_dirichlet_rows, n, means, precision)


def _with_sizes(sizes: Array, rng: np.random.Generator) -> HardPartition:
    return HardPartition.from_codes(
        rng.permutation(np.repeat(np.arange(len(sizes)), sizes)), range(len(sizes))
    )


def dirichlet_parameters(partition: Partition, concentration: str) -> tuple[Floats, float]:
    """The means and the precision of `DirichletRows` for this clustering."""
    k = partition.n_clusters
    even = np.full(k, 1.0 / k)
    if concentration == "flat":
        return even, float(k)
    if isinstance(partition, HardPartition):
        shares = np.bincount(partition.codes, minlength=k) / partition.n_objects
        return (shares if concentration == "fit" else even), 0.0
    rows = dense(partition.memberships())
    means = np.asarray(rows.mean(axis=0, dtype=np.float64))
    variance = float(rows.var(axis=0, dtype=np.float64).sum())
    most = float((means * (1.0 - means)).sum())
    precision = math.inf if variance <= 1e-15 * most or most <= 0.0 else max(most / variance - 1.0, 0.0)
    return (means / means.sum() if concentration == "fit" else even), precision


def _dirichlet_rows(n: int, means: Floats, precision: float, rng: np.random.Generator) -> Partition:
    """Rows of a Dirichlet law; labels where the precision is 0, constant rows where it is infinite."""
    k = len(means)
    if precision == 0.0:
        places = np.searchsorted(np.cumsum(means)[:-1], rng.random(n), side="right")
        return HardPartition.from_codes(places, range(k))
    if math.isinf(precision):
        rows = np.tile(means, (n, 1))
    else:
        filled = means > 0.0
        rows = np.zeros((n, k))
        rows[:, filled] = rng.dirichlet(precision * means[filled], n)
        # of tiny parameters nothing but zeros may be left, where the law is that of labels
        lost = np.flatnonzero(~(np.abs(rows.sum(axis=1) - 1.0) < 1e-6))
        places = np.searchsorted(np.cumsum(means)[:-1], rng.random(len(lost)), side="right")
        rows[lost] = 0.0
        rows[lost, places] = 1.0
    return FuzzyPartition.trusted(rows, tuple(range(k)))  # type: ignore[no-any-return]
