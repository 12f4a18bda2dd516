"""A contingency table in which a soft clustering agrees with itself: the maximal coupling of memberships."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import add
from typing import ClassVar

import numpy as np

from partita.arrays import BLOCK_ROWS, Array, dense, map_blocks
from partita.errors import KindError, TooLargeError
from partita.partitions import FUZZY, HARD, Kind, Partition
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.protocol import OnBlock, Statistic, Whole
from partita.statistics.tables.contingency import Contingency
from partita.statistics.tables.overlaps import summing_to_one

_MOST_CELLS = 1 << 27
_WHY_NOT = (
    ": memberships that do not sum to one are no law of labels, and have no coupling that keeps margins"
)


class CoupledContingency(Whole, Contingency):
    """A table of the same margins as N*, with the two labels of an object drawn as alike as can be.

    N*/n is the law of two labels drawn independently given the object, so a soft clustering does not
    agree with itself in it. Here clusters are matched (Hungarian method on U'V), each object puts
    min(u, v) on the matched cells, and only the remainder is spread as a product. The table of a
    clustering and a relabelling of it is diagonal; with a hard side it is the contingency table itself.
    It serves wherever a `Contingency` does.

    Where several matchings are equally good, the table depends on the order of the clusters.
    """

    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})
    why_not: ClassVar[str] = _WHY_NOT
    needs: ClassVar[Mapping[str, type[Statistic]]] = {"table": Contingency}

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        table: Contingency | None = None,
    ) -> CoupledContingency:
        """The table of all objects; the plain one, made here where it is not given, finds the matching."""
        cls._check_kinds(truth, found)
        has_hard_side = HARD in (truth.kind, found.kind)
        shown = on_block if has_hard_side else None
        plain = table or Contingency.over_blocks(truth, found, weight=weight, on_block=shown)
        raw = plain.raw
        if not has_hard_side:
            raw = _coupled(truth, found, weight, matched=_matching(plain), on_block=on_block)
        return cls(raw, plain.total, plain.kinds, plain.row_names, plain.column_names)

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        table: Contingency,
    ) -> CoupledContingency:
        """The table of objects in chunks; the plain one finds the matching."""
        cls._check_kinds(truth, found)
        raw = table.raw
        if HARD not in (truth.kind, found.kind):
            raw = objects.sum_over_chunks(partial(_coupled, matched=_matching(table)), add, on_block)
        return cls(raw, table.total, table.kinds, table.row_names, table.column_names)

    @classmethod
    def _check_kinds(cls, *partitions: Partition) -> None:
        for partition in partitions:
            if partition.kind not in cls.kinds_accepted:
                raise KindError(
                    f"a {partition.kind} partition cannot be coupled{_WHY_NOT}.",
                    got=repr(partition),
                    need="hard or fuzzy partitions",
                    fix=".pignistic() first",
                )


def _matching(table: Contingency) -> tuple[Array, Array]:
    """Rows and columns of the matched clusters: those that share most membership in all."""
    k, others = table.raw.shape
    if k * others > _MOST_CELLS:
        raise TooLargeError(
            "the clusters are too many to be matched.",
            got=f"{k} x {others} clusters",
            need=f"at most {_MOST_CELLS} pairs of clusters",
        )
    cells = table.raw.toarray() if table.is_sparse else table.raw
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(cells, maximize=True)
    return np.asarray(rows), np.asarray(columns)


def _coupled(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    *,
    matched: tuple[Array, Array],
    on_block: OnBlock = None,
) -> Array:
    rows, columns = matched

    def one(part: slice) -> Array:
        u, v = (_dense(p, part) for p in (truth, found))
        each = np.ones(len(u)) if weight is None else weight[part].astype(np.float64)
        shared = np.minimum(u[:, rows], v[:, columns])
        u[:, rows] -= shared
        v[:, columns] -= shared
        # both remainders have the same sum but for rounding; dividing by the larger keeps cells in bounds
        left = np.maximum(u.sum(axis=1), v.sum(axis=1))
        shares = np.divide(u, left[:, None], where=left[:, None] > 0, out=np.zeros_like(u))
        table = (shares * each[:, None]).T @ v
        table[rows, columns] += each @ shared
        return np.asarray(table)

    return np.asarray(np.sum(map_blocks(one, truth.n_objects, BLOCK_ROWS, on_block, products=True), axis=0))


def _dense(partition: Partition, part: slice) -> Array:
    values = summing_to_one(partition.take(part)).memberships()
    return np.array(dense(values))  # its own, to be written to
