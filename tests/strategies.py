"""Hypothesis strategies: clusterings of every kind; empty, single and tied clusters, noise, one-hot rows.

Values come from small integer grids divided by their sums, so that rows sum to one up to rounding and no
test depends on numbers of extreme size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from hypothesis import strategies as st

from partita.partitions import (
    ALL,
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    Kind,
    Partition,
    PossibilisticPartition,
    RoughPartition,
)
from partita.registry import Index

MAX_OBJECTS = 12
MAX_CLUSTERS = 4
sizes = st.integers(1, MAX_OBJECTS)
few = st.integers(1, 4)
"""Objects few enough to enumerate all their clusterings."""
cluster_counts = st.integers(1, MAX_CLUSTERS)

LABEL_POOLS = (
    (0, 1, 2, 3),
    (-1, 0, 1, 2),  # -1 is noise
    (10, -7, 300, 0),
    ("a", "b", "c", "d"),
    (1, "1", "x", (2, 3)),
)


def whole_numbers(draw: st.DrawFn, top: int, *shape: int) -> np.ndarray:
    """An array of numbers from 0 to top, drawn at once as bytes: these cost little and shrink towards 0."""
    size = math.prod(shape)
    drawn = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), dtype=np.uint8)
    return (drawn % (top + 1)).astype(np.int64).reshape(shape)


def _grid(draw: st.DrawFn, rows: int, columns: int, top: int) -> np.ndarray:
    """Rows of small whole numbers, none all zero; a drawn row may be one-hot or tied."""
    grid = whole_numbers(draw, top, rows, columns).astype(float)
    grid[~grid.any(axis=1), 0] = 1.0
    return grid


@st.composite
def hard(draw: st.DrawFn, n: int | None = None) -> HardPartition:
    """Labels from one of the pools; now and then with declared clusters that stay empty."""
    n = draw(sizes) if n is None else n
    pool = draw(st.sampled_from(LABEL_POOLS))
    labels = [pool[i] for i in whole_numbers(draw, len(pool) - 1, n)]
    return HardPartition(labels, names=pool if draw(st.booleans()) else None)


@st.composite
def fuzzy(draw: st.DrawFn, n: int | None = None) -> FuzzyPartition:
    """Memberships with denominators up to 16."""
    grid = _grid(draw, draw(sizes) if n is None else n, draw(cluster_counts), top=4)
    return FuzzyPartition(grid / grid.sum(axis=1, keepdims=True))


@st.composite
def eighths(draw: st.DrawFn, n: int | None = None) -> FuzzyPartition:
    """Memberships in eighths: their sums are exact, so that no rounding decides whether there is a pair."""
    k = draw(cluster_counts)
    cuts = np.sort(whole_numbers(draw, 8, draw(sizes) if n is None else n, k - 1), axis=1)
    return FuzzyPartition(np.diff(cuts, axis=1, prepend=0, append=8) / 8)


@st.composite
def possibilistic(draw: st.DrawFn, n: int | None = None) -> PossibilisticPartition:
    """Typicalities in quarters; rows may or may not reach one."""
    return PossibilisticPartition(
        _grid(draw, draw(sizes) if n is None else n, draw(cluster_counts), top=4) / 4
    )


@st.composite
def rough(draw: st.DrawFn, n: int | None = None) -> RoughPartition:
    """Sets of possible clusters."""
    return RoughPartition(_grid(draw, draw(sizes) if n is None else n, draw(cluster_counts), top=1) > 0)


@st.composite
def evidential(draw: st.DrawFn, n: int | None = None) -> EvidentialPartition:
    """Masses on up to five focal sets of up to three clusters, the empty set among them now and then."""
    k = draw(st.integers(1, 3))
    subsets = st.frozensets(st.integers(0, k - 1))
    focal = draw(st.lists(subsets, min_size=1, max_size=5, unique=True))
    grid = _grid(draw, draw(sizes) if n is None else n, len(focal), top=4)
    sets = np.array([[c in s for c in range(k)] for s in focal])
    return EvidentialPartition(grid / grid.sum(axis=1, keepdims=True), sets)


STRATEGIES = {
    Kind.HARD: hard,
    Kind.FUZZY: fuzzy,
    Kind.POSSIBILISTIC: possibilistic,
    Kind.ROUGH: rough,
    Kind.EVIDENTIAL: evidential,
}


def partitions(n: int | None = None, kinds: Iterable[Kind | str] = ALL) -> st.SearchStrategy[Partition]:
    """A partition of any of these kinds."""
    return st.one_of(
        [STRATEGIES[kind](n) for kind in sorted(map(Kind.read, kinds), key=lambda k: k.softness)]
    )


def _together(count: int, kinds: Iterable[Kind | str], min_n: int, max_n: int) -> st.SearchStrategy[tuple]:
    kinds = list(kinds)
    return st.integers(min_n, max_n).flatmap(lambda n: st.tuples(*[partitions(n, kinds)] * count))


def pairs(
    kinds: Iterable[Kind | str] = ALL, min_n: int = 1, max_n: int = MAX_OBJECTS
) -> st.SearchStrategy[tuple[Partition, Partition]]:
    """Two partitions of the same objects."""
    return _together(2, kinds, min_n, max_n)


def triples(
    kinds: Iterable[Kind | str] = ALL, min_n: int = 1, max_n: int = MAX_OBJECTS
) -> st.SearchStrategy[tuple[Partition, Partition, Partition]]:
    """Three partitions of the same objects."""
    return _together(3, kinds, min_n, max_n)


@st.composite
def data_matrices(draw: st.DrawFn, n: int) -> np.ndarray:
    """Small whole coordinates in one to three features: ties, duplicates and constant features occur."""
    return whole_numbers(draw, 6, n, draw(st.integers(1, 3))) - 3.0


def inputs_of(data: st.DataObject, entry: Index, n: int) -> list[np.ndarray | Partition]:
    """What an index takes, for n objects: data, and partitions of kinds it is defined for."""
    drawn: list[np.ndarray | Partition] = []
    for name in entry.inputs:
        kind = data.draw(st.sampled_from(entry.kinds))
        if name == "X":
            X = data.draw(data_matrices(n))
            if entry.name == "stochastic_complexity":
                X = (X > 0).astype(float)
            elif entry.name == "partition_negentropy":  # which refuses whole numbers that come often
                X = X + 0.137 * np.arange(n)[:, None]
            drawn.append(X)
        else:
            drawn.append(data.draw(STRATEGIES[kind](n)))
    return drawn


def rows_of(given: np.ndarray | Partition, rows: np.ndarray) -> np.ndarray | Partition:
    """The same of some objects."""
    return given.take(rows) if isinstance(given, Partition) else given[rows]


@st.composite
def integer_weights(draw: st.DrawFn, n: int) -> np.ndarray:
    """How often each of ``n`` objects counts; at least one counts."""
    weight = whole_numbers(draw, 4, n)
    weight[0] += not weight.any()
    return weight
