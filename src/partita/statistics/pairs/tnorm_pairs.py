"""Fuzzy counts of pairs: how far two objects are together and apart, under a t-norm (Campello 2007)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np

from partita.arrays import Array, Floats, generator, map_blocks
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions import FUZZY, HARD, HardPartition, Kind, Partition
from partita.partitions.tnorms import tnorm_of
from partita.statistics.chunked_objects import ChunkedObjects, Weighed
from partita.statistics.options import AtLeast, Below
from partita.statistics.pairs.object_pairs import (
    both_hard,
    draw_pairs,
    is_relabelling,
    is_relabelling_of_chunks,
    membership_columns,
    number_of_pairs,
    pairs_among,
    sum_over_pairs,
)
from partita.statistics.protocol import OnBlock, Whole
from partita.statistics.tables.contingency import Contingency

_PAIRS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class TNormOptions:
    """How degrees are joined, and of how many pairs: of all, or of so many that are drawn."""

    tnorm: Literal["minimum", "product"] = "minimum"
    n_samples: Annotated[int | None, AtLeast(2), Below(1e8)] = None
    random_state: int = 0


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
    n_samples : int
        How many pairs were drawn; 0 where all were looked at.
    standard_errors : tuple of four floats
        Of the sums, where pairs were drawn.
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
    n_samples: int = 0
    standard_errors: tuple[float, ...] = (0.0,) * 4

    @property
    def is_sampled(self) -> bool:
        """Whether the sums are estimates."""
        return self.n_samples > 0

    @property
    def how(self) -> str:
        """How far sampled sums can be trusted; empty for exact ones."""
        if not self.n_samples:
            return ""
        relative = (
            f"{error / float(sums):.2g}" if sums else "unknown"
            for error, sums in zip(self.standard_errors, self.pairs, strict=True)
        )
        return (
            f"sampled: {self.n_samples} pairs of objects; relative standard error of a, b, c, d:"
            f" {', '.join(relative)}"
        )

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
        n_samples: int | None = None,
        random_state: Any = 0,
    ) -> TNormPairs:
        """The sums over all pairs of objects, or estimated from pairs that are drawn."""
        if both_hard(truth, found):
            return cls.from_table(Contingency.over_blocks(truth, found, weight=weight))
        n = truth.n_objects
        if n_samples is not None and number_of_pairs(n, weight) > 0.0:
            drawn = draw_pairs(n, _each_at_least_one(weight), n_samples, generator(random_state))
            same = is_relabelling(truth, found)
            return cls._of_drawn(truth, found, drawn, Weighed.of(found, weight=weight).total, same, tnorm)
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
        n_samples: int | None = None,
        random_state: Any = 0,
    ) -> TNormPairs:
        """The same of objects in chunks; those that are drawn are brought together."""
        total = objects.weighed.total
        if n_samples is not None and pairs_among(total) > 0.0:
            weight = _each_at_least_one(objects.weights)
            drawn = draw_pairs(objects.n_objects, weight, n_samples, generator(random_state))
            same = is_relabelling_of_chunks(objects, truth, found)
            (truth, found), (i, j) = objects.take_drawn(drawn)
            return cls._of_drawn(truth, found, (i, j), total, same, tnorm)
        a, b, c, d = objects.sum_over_pairs(partial(_sums, tnorm=tnorm), np.add, on_block)
        sums = np.asarray(a), np.asarray(b), np.asarray(c), np.asarray(d)
        same = is_relabelling_of_chunks(objects, truth, found)
        return cls(sums, np.asarray(total), (truth.kind, found.kind), np.asarray(same))

    @classmethod
    def _of_drawn(
        cls,
        truth: Partition,
        found: Partition,
        drawn: tuple[Array, Array],
        total: float,
        same: bool,
        tnorm: str,
    ) -> TNormPairs:
        """The number of pairs times the mean degrees of those that were drawn."""
        degrees = _drawn_degrees(truth, found, drawn, tnorm)
        size, pairs = degrees.shape[1], pairs_among(total)
        errors = pairs * degrees.std(axis=1, ddof=1) / math.sqrt(size)
        a, b, c, d = map(np.asarray, pairs * degrees.mean(axis=1))
        return cls(
            (a, b, c, d),
            np.asarray(total),
            (truth.kind, found.kind),
            np.asarray(same),
            n_samples=size,
            standard_errors=tuple(errors.tolist()),
        )

    @staticmethod
    def sampling(truth: Partition, found: Partition) -> Mapping[str, Any]:
        """Pairs can be drawn."""
        return {} if both_hard(truth, found) else {"n_samples": 1_000_000}

    @staticmethod
    def pair_operations(
        truth: Partition,
        found: Partition,
        *,
        tnorm: str = "minimum",  # noqa: ARG004
        n_samples: int | None = None,
        random_state: Any = 0,  # noqa: ARG004
    ) -> float:
        """Pairs times clusters; none where the table tells all."""
        if both_hard(truth, found):
            return 0.0
        soft = (p for p in (truth, found) if not isinstance(p, HardPartition))
        pairs = number_of_pairs(truth.n_objects, None) if n_samples is None else n_samples
        return float(pairs * (sum(p.n_clusters for p in soft) + 4))


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


def _drawn_degrees(truth: Partition, found: Partition, drawn: tuple[Array, Array], tnorm: str) -> Floats:
    """The four degrees of pairs that were drawn, ``(4, m)``."""
    join = tnorm_of(tnorm)
    truth_side, found_side = _side(truth, join), _side(found, join)

    def of_some(part: slice) -> Floats:
        i, j = (places[part] for places in drawn)
        truth_degrees = truth_side.degrees(i, j, across=False)
        found_degrees = found_side.degrees(i, j, across=False)
        return np.stack([join(t, f) for t in truth_degrees for f in found_degrees])

    return np.concatenate(map_blocks(of_some, drawn[0].size, _PAIRS_AT_ONCE), axis=1)


def _each_at_least_one(weight: Array | None) -> Array | None:
    """The weights, refused where a copy of an object would count negative, and so could not be drawn."""
    if weight is not None and float(weight.min()) < 1.0:
        raise ParameterError(
            Phrase(Setting("sample_weight"), " below one leaves an object less than one copy to be drawn."),
            got=f"a weight of {float(weight.min()):g}",
            need="weights of at least 1 where pairs are drawn",
            fix="without n_samples, all pairs are looked at",
        )
    return weight


class _Side(Protocol):
    """One clustering, ready to say how far pairs of objects are together and apart.

    Each row goes with each column, or, unless ``across``, with the one beside it.
    """

    def degrees(self, rows: Any, columns: Any, *, across: bool = True) -> tuple[Floats, Floats]: ...


def _side(partition: Partition, join: Callable[..., Any]) -> _Side:
    return _HardSide(partition) if isinstance(partition, HardPartition) else _FuzzySide(partition, join)


class _HardSide:
    def __init__(self, partition: HardPartition) -> None:
        self.codes = partition.codes

    def degrees(self, rows: Any, columns: Any, *, across: bool = True) -> tuple[Floats, Floats]:
        same = (np.equal.outer if across else np.equal)(self.codes[rows], self.codes[columns])
        return same.astype(np.float64), (~same).astype(np.float64)


class _FuzzySide:
    """The pair of clusters that holds two objects furthest apart is found from their two largest each."""

    def __init__(self, partition: Partition, join: Callable[..., Any]) -> None:
        self.clusters = membership_columns(partition)
        self.join = join
        padded = np.vstack([self.clusters, np.zeros(self.clusters.shape[1])])
        self.second, self.first = np.partition(padded, -2, axis=0)[-2:]
        self.home = self.clusters.argmax(axis=0)

    def degrees(self, rows: Any, columns: Any, *, across: bool = True) -> tuple[Floats, Floats]:
        join: Any = self.join.outer if across else self.join  # type: ignore[attr-defined]
        together = join(self.clusters[0, rows], self.clusters[0, columns])
        degree = np.empty_like(together)
        for cluster in self.clusters[1:]:
            join(cluster[rows], cluster[columns], out=degree)
            np.maximum(together, degree, out=together)
        same_home = (np.equal.outer if across else np.equal)(self.home[rows], self.home[columns])
        apart = join(self.first[rows], self.second[columns])
        np.maximum(apart, join(self.second[rows], self.first[columns], out=degree), out=apart)
        apart = np.where(same_home, apart, join(self.first[rows], self.first[columns], out=degree))
        return together, apart
