"""Sums over objects under many sets of weights: tables and moments, for all sets at once.

Objects in memory are gone through part by part; those in chunks where they lie, each chunk by the weights
that its objects have in memory too, and the sums of chunks are added in a tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from partita.arrays import Array, Floats, blocks, dense, divided_by_row_sums, one_blas_thread
from partita.arrays.chunked import Chunked, Piece, aligned, sum_of_chunks
from partita.arrays.row_blocks import in_order
from partita.chance.object_weights import Weights
from partita.partitions import HARD, HardPartition, Partition
from partita.progress import bar
from partita.statistics import Contingency
from partita.statistics.pairs.coassociation import PairMoments
from partita.statistics.pairs.coassociation_factors import (
    EXTRA,
    factor_of_products,
    loses_digits,
    triangle,
    unweighted_columns,
    with_sums_of_one,
)

NUMBERS_AT_ONCE = 1 << 21
"""Numbers in the weighted rows of some sets, 16 MiB, that are made triangles at once."""


class Sums:
    """Sums over the objects of two clusterings, for each set of weights."""

    sums: ClassVar[tuple[str, ...]]
    """The names of the arrays that are added."""

    sides: tuple[Any, Any]

    def of_sides(self, sides: tuple[Any, Any]) -> Self:
        """The same of other objects of the same clusterings, not yet added up."""
        made = copy(self)
        made.sides = sides
        for name in self.sums:
            setattr(made, name, np.zeros_like(getattr(self, name)))
        return made

    def blank(self) -> Self:
        """The same without objects and without sums: what a worker must know of the whole."""
        made = copy(self)
        made.sides = (None, None)
        for name in self.sums:
            kept = getattr(self, name)
            setattr(made, name, np.broadcast_to(np.zeros((), dtype=kept.dtype), kept.shape))
        return made

    def add(self, part: slice, block: Floats) -> None:
        """Some more objects, by their weights in all sets ``(n_sets, objects)``."""
        raise NotImplementedError

    def merge(self, other: Self) -> Self:
        """The sums over the objects of both."""
        made = copy(self)
        for name in self.sums:
            setattr(made, name, getattr(self, name) + getattr(other, name))
        return made

    def take_sums(self, other: Self) -> None:
        """Have the sums of another."""
        for name in self.sums:
            setattr(self, name, getattr(other, name))


class CellSums(Sums):
    """The tables of two hard clusterings: each unit lies in one cell."""

    sums = ("raw",)

    def __init__(self, sides: tuple[Any, Any], n_sets: int, *, whole: bool) -> None:
        truth, found = self.sides = sides
        self.kinds = (truth.kind, found.kind)
        self.shape = (truth.n_clusters, found.n_clusters)
        size = self.shape[0] * self.shape[1]
        self.raw: Array = np.zeros((n_sets, size), dtype=np.int64 if whole else np.float64)

    def add(self, part: slice, block: Floats) -> None:
        """Some more units."""
        truth, found = self.sides
        cells = truth.codes[part].astype(np.int64) * self.shape[1] + found.codes[part]
        order = np.argsort(cells, kind="stable")
        filled, starts = np.unique(cells[order], return_index=True)
        self.raw[:, filled] += np.add.reduceat(block[:, order], starts, axis=1).astype(self.raw.dtype)

    def table(self, sets: slice) -> Contingency:
        """The tables of some sets."""
        raw = self.raw[sets].reshape(-1, *self.shape)
        return _table(raw, raw.sum(axis=(-1, -2)), self.kinds)


class ProductSums(Sums):
    """The raw tables of two clusterings that are not both hard: sums of products of memberships.

    For what they share, of the smaller one of two memberships.
    """

    sums = ("raw", "totals")

    def __init__(self, sides: tuple[Any, Any], n_sets: int, *, shared: bool = False) -> None:
        truth, found = self.sides = sides
        self.kinds = (truth.kind, found.kind)
        self.join = np.minimum if shared and HARD not in self.kinds else np.multiply
        self.sums_to_one = shared
        self.shape = (truth.n_clusters, found.n_clusters)
        self.raw = np.zeros((n_sets, self.shape[0] * self.shape[1]))
        self.totals = np.zeros(n_sets)

    def add(self, part: slice, block: Floats) -> None:
        """Some more objects."""
        u, v = (_memberships(p, part) for p in self.sides)
        if self.sums_to_one:
            u, v = divided_by_row_sums(u), divided_by_row_sums(v)
        self.raw += block @ self.join(u[:, :, None], v[:, None, :]).reshape(len(u), -1)
        self.totals += block.sum(axis=1)

    def table(self, sets: slice) -> Contingency:
        """The tables of some sets."""
        return _table(self.raw[sets].reshape(-1, *self.shape), self.totals[sets], self.kinds)


def _memberships(partition: Partition, part: slice) -> Array:
    """Those of some objects in all clusters, also where a cluster has none of these objects."""
    if isinstance(partition, HardPartition):
        return np.asarray(partition.codes[part, None] == np.arange(partition.n_clusters), dtype=np.float64)
    return dense(partition.take(part).memberships())


def _table(raw: Array, total: Array, kinds: Any) -> Contingency:
    return Contingency(raw, total, kinds, range(raw.shape[-2]), range(raw.shape[-1]))


class _Moments(Sums):
    """What moments of two clusterings that are not both hard are made from (see `PairMoments`)."""

    def __init__(self, sides: tuple[Any, Any], n_sets: int) -> None:
        truth, found = self.sides = sides
        self.kinds = (truth.kind, found.kind)
        self.clusters = (truth.n_clusters, found.n_clusters)
        first, other = (with_sums_of_one(_first_row(p))[0] for p in sides)
        self.origins = (first, other)
        self.width = EXTRA + sum(self.clusters)
        self.totals = np.zeros(n_sets)

    def columns(self, part: slice) -> Array:
        """The rows A of some objects, without weights."""
        u, v = (_memberships(p, part) for p in self.sides)
        return unweighted_columns(u, v, self.origins)

    def _with_factor(self, factor: Array, totals: Array) -> PairMoments:
        return PairMoments(
            factor=factor,
            total=totals,
            kinds=self.kinds,
            row_names=range(self.clusters[0]),
            column_names=range(self.clusters[1]),
            origins=self.origins,
        )


def _first_row(partition: Any) -> Array:
    """The memberships of the first object."""
    values = partition.values
    if isinstance(values, Chunked):
        return _memberships(partition.holding(values.first_rows(1)), slice(0, 1))
    return _memberships(partition, slice(0, 1))


class MomentSums(_Moments):
    """The products A'WA."""

    sums = ("products", "totals", "unweighted")

    def __init__(self, sides: tuple[Any, Any], n_sets: int) -> None:
        super().__init__(sides, n_sets)
        self.upper = np.triu_indices(self.width)
        self.products = np.zeros((n_sets, self.upper[0].size))
        self.unweighted = np.zeros((self.width, self.width))

    def add(self, part: slice, block: Floats) -> None:
        """Some more objects."""
        columns = self.columns(part)
        self.unweighted += columns.T @ columns
        self.products += block @ (columns[:, self.upper[0]] * columns[:, self.upper[1]])
        self.totals += block.sum(axis=1)

    @property
    def loses_digits(self) -> bool:
        """Whether differences of these products would be rounding."""
        return loses_digits(self.unweighted, self.clusters[0])

    def moments(self, sets: slice) -> PairMoments:
        """The moments of some sets."""
        products = np.empty((len(self.totals[sets]), self.width, self.width))
        products[:, self.upper[0], self.upper[1]] = self.products[sets]
        products[:, self.upper[1], self.upper[0]] = self.products[sets]
        return self._with_factor(factor_of_products(products), self.totals[sets])


class MomentTriangles(_Moments):
    """The same by QR of the weighted rows: slower, and no digits are lost."""

    sums = ("totals", "factors")

    def __init__(self, sides: tuple[Any, Any], n_sets: int) -> None:
        super().__init__(sides, n_sets)
        self.factors = np.zeros((n_sets, self.width, self.width))

    def add(self, part: slice, block: Floats) -> None:
        """Some more objects."""
        columns = self.columns(part)
        for sets in blocks(len(block), max(1, NUMBERS_AT_ONCE // columns.size)):
            rows = np.sqrt(block[sets])[:, :, None] * columns
            self.factors[sets] = _both(self.factors[sets], rows)
        self.totals += block.sum(axis=1)

    def merge(self, other: Self) -> Self:
        """The sums over the objects of both."""
        made = copy(self)
        made.factors = _both(self.factors, other.factors)
        made.totals = self.totals + other.totals
        return made

    def moments(self, sets: slice) -> PairMoments:
        """The moments of some sets."""
        return self._with_factor(self.factors[sets], self.totals[sets])


def _both(some: Array, others: Array) -> Array:
    """Triangles with the products of columns of both stacks of rows."""
    return triangle(np.concatenate([some, others], axis=-2))


# --- going through all objects ----------------------------------------------------------------------------


def sum_over_units(sums: Sequence[Any], weights: Weights) -> None:
    """Every sum, in one pass over the weights."""
    if not sums:
        return
    with bar("drawing objects anew") as report:
        if weights.units.is_chunked:
            _sum_over_chunks(sums, weights, report)
            return

        def of_part(where: tuple[int, slice]) -> list[Any]:
            block = weights.of_units(*where).astype(np.float64, copy=False)
            made = [one.of_sides(one.sides) for one in sums]
            for one in made:
                one.add(where[1], block)
            return made

        parts = weights.parts()
        with one_blas_thread():  # the parts are shared among threads
            for part, made in zip(parts, in_order(of_part, [*enumerate(parts)]), strict=True):
                for one, more in zip(sums, made, strict=True):
                    one.take_sums(one.merge(more))
                report(part.stop, weights.units.size)


def _sum_over_chunks(sums: Sequence[Any], weights: Weights, report: Any) -> None:
    """Chunk by chunk: they are cut where parts of the weights end, so that each makes its weights alone."""
    units = weights.units
    sides = {id(p): p for one in sums for p in one.sides}
    sizes = units.sizes_cut_at(weights.rows)
    starts = np.cumsum([0, *sizes[:-1]]) // weights.rows
    places = Chunked((Piece(partial(int, start)) for start in starts), sizes, (), np.int64)
    columns = [p.values.cut_as(sizes) for p in sides.values()]
    columns += [] if units.weight is None else [units.weight.cut_as(sizes)]
    shared = (
        [one.blank() for one in sums],
        [tuple(map(id, one.sides)) for one in sums],
        {key: p.blank() for key, p in sides.items()},
        weights.blank(),
        units.counts_each,
    )
    made = sum_of_chunks(_sums_of_chunk, shared, [places, *columns], _merged, report)
    for one, other in zip(sums, made, strict=True):
        one.take_sums(other)


def _sums_of_chunk(shared: tuple[Any, ...], place: int, *parts: Any) -> list[Any]:
    """What the objects of one chunk add to each sum."""
    blanks, keys, partitions, weights, counts_each = shared
    known: Mapping[int, Any] = {
        key: blank.holding(values) for (key, blank), values in zip(partitions.items(), parts, strict=False)
    }
    weight = aligned(parts[-1]) if len(parts) > len(partitions) else None
    n = next(iter(known.values())).n_objects
    made = [one.of_sides(tuple(known[key] for key in own)) for one, own in zip(blanks, keys, strict=True)]
    with one_blas_thread():
        for number, part in enumerate(blocks(n, weights.rows)):
            times = np.ones(part.stop - part.start, dtype=np.int64)
            if weight is not None and not counts_each:
                times = weight[part]
            block = weights.of_part(place + number, times)
            if weight is not None and counts_each:
                block = block * weight[part]
            block = block.astype(np.float64, copy=False)
            for one in made:
                one.add(part, block)
    return [_without_objects(one) for one in made]


def _without_objects(one: Any) -> Any:
    one.sides = (None, None)
    return one


def _merged(some: list[Any], others: list[Any]) -> list[Any]:
    return [a.merge(b) for a, b in zip(some, others, strict=True)]
