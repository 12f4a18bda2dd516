"""Fuzzy counts of pairs: how far two objects are together and apart, under a t-norm (Campello 2007)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition
from partita.partitions.tnorms import tnorm_of
from partita.statistics.chunked_objects import ChunkedObjects
from partita.statistics.pairs.object_pairs import (
    Weighed,
    both_hard,
    is_relabelling,
    is_relabelling_of_chunks,
    membership_columns,
    number_of_pairs,
    sum_over_pairs,
)
from partita.statistics.protocol import OnBlock, Whole
from partita.statistics.tables.contingency import Contingency


@dataclass(frozen=True)
class TNormOptions:
    """How degrees are joined."""

    tnorm: Literal["minimum", "product"] = "minimum"


@dataclass(frozen=True, eq=False)
class TNormPairs(Whole):
    """The four fuzzy pair sums of two clusterings, with a t-norm T and the maximum as its s-norm.

    Two objects are together to the degree max T(u_ir, u_jr) over clusters r, and apart to the degree
    max T(u_ir, u_jq) over r != q; T joins the degrees of the two clusterings. The four sums do not add up to
    the number of pairs.
    For hard clusterings they are the pair counts of the table, and need no look at pairs.

    Attributes
    ----------
    pairs : tuple of four floats
        a, b, c, d: together in both, in truth only, in found only, in neither.
    n : float
        The number of objects, or the sum of their weights.
    is_relabelling : bool
        Whether the clusterings are the same up to the names of the clusters.
    is_whole : bool
        Whether pairs are counted in whole numbers: both sides hard, weights (if any) whole.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = TNormOptions
    kinds_accepted: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    pairs: tuple[Floats, Floats, Floats, Floats]
    n: Floats
    kinds: tuple[Kind, Kind]
    is_relabelling: Array
    shape: tuple[int, ...] = ()
    is_whole: Any = False

    @classmethod
    def from_table(cls, table: Contingency) -> TNormPairs:
        """The pair counts of hard tables, one or a stack; all t-norms agree on them."""
        return cls(table.pairs, table.n, table.kinds, table.is_relabelling, table.shape, table.is_whole)

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,
        *,
        tnorm: str = "minimum",
    ) -> TNormPairs:
        """The sums over all pairs of objects."""
        if both_hard(truth, found):
            return cls.from_table(Contingency.over_blocks(truth, found, weight=weight))
        n = truth.n_objects
        a, b, c, d = map(np.asarray, _sums(truth, found, weight, tnorm=tnorm, on_block=on_block))
        return cls(
            (a, b, c, d),
            np.asarray(n if weight is None else weight.sum(axis=-1), dtype=np.float64),
            (truth.kind, found.kind),
            np.asarray(is_relabelling(truth, found)),
            np.shape(a),
        )

    @classmethod
    def from_chunks(
        cls,
        objects: ChunkedObjects,
        truth: Partition,
        found: Partition,
        on_block: OnBlock = None,
        *,
        tnorm: str = "minimum",
    ) -> TNormPairs:
        """The sums over all pairs of objects in chunks."""
        a, b, c, d = objects.sum_over_pairs(partial(_sums, tnorm=tnorm), np.add, on_block)
        n = np.asarray(Weighed.of_chunks(objects).total)
        same = np.asarray(is_relabelling_of_chunks(objects, truth, found))
        return cls((np.asarray(a), np.asarray(b), np.asarray(c), np.asarray(d)), n, (truth.kind, found.kind), same)

    @staticmethod
    def pair_operations(truth: Partition, found: Partition, *, tnorm: str = "minimum") -> float:  # noqa: ARG004
        """Pairs times clusters; none where the table tells all."""
        if both_hard(truth, found):
            return 0.0
        soft = (p for p in (truth, found) if not isinstance(p, HardPartition))
        return float(number_of_pairs(truth.n_objects, None) * (sum(p.n_clusters for p in soft) + 4))


def _sums(
    truth: Partition,
    found: Partition,
    weight: Array | None,
    split: int | None = None,
    *,
    tnorm: str,
    on_block: OnBlock = None,
) -> Floats:
    """The four sums over all pairs of objects; with ``split``, of the first so many with the others."""
    join = tnorm_of(tnorm)
    truth_side, found_side = _side(truth, join), _side(found, join)

    def of_tile(rows: slice, columns: slice) -> list[Floats]:
        truth_degrees = truth_side.degrees(rows, columns)
        found_degrees = found_side.degrees(rows, columns)
        return [join(t, f) for t in truth_degrees for f in found_degrees]

    return sum_over_pairs(of_tile, truth.n_objects, weight, on_block, split)


class _Side(Protocol):
    """One clustering, ready to say how far pairs of objects are together and apart."""

    def degrees(self, rows: slice, columns: slice) -> tuple[Floats, Floats]: ...


def _side(partition: Partition, join: Callable[..., Any]) -> _Side:
    return _HardSide(partition) if isinstance(partition, HardPartition) else _FuzzySide(partition, join)


class _HardSide:
    def __init__(self, partition: HardPartition) -> None:
        self.codes = partition.codes

    def degrees(self, rows: slice, columns: slice) -> tuple[Floats, Floats]:
        same = np.equal.outer(self.codes[rows], self.codes[columns])
        return same.astype(np.float64), (~same).astype(np.float64)


class _FuzzySide:
    """The pair of clusters that holds two objects furthest apart is found from their two largest each."""

    def __init__(self, partition: Partition, join: Callable[..., Any]) -> None:
        self.clusters = membership_columns(partition)
        self.join = join
        padded = np.vstack([self.clusters, np.zeros(self.clusters.shape[1])])
        self.second, self.first = np.partition(padded, -2, axis=0)[-2:]
        self.home = self.clusters.argmax(axis=0)

    def degrees(self, rows: slice, columns: slice) -> tuple[Floats, Floats]:
        join = self.join.outer  # type: ignore[attr-defined]
        together = join(self.clusters[0, rows], self.clusters[0, columns])
        degree = np.empty_like(together)
        for cluster in self.clusters[1:]:
            join(cluster[rows], cluster[columns], out=degree)
            np.maximum(together, degree, out=together)
        same_home = np.equal.outer(self.home[rows], self.home[columns])
        apart = join(self.first[rows], self.second[columns])
        np.maximum(apart, join(self.second[rows], self.first[columns], out=degree), out=apart)
        apart = np.where(same_home, apart, join(self.first[rows], self.first[columns], out=degree))
        return together, apart
