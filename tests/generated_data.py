"""Generators of small data: groups of known number and shape, and data without groups.

Each takes a generator of random numbers and gives the objects and the group of each; -1 is noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Rng = np.random.Generator


class Sample(NamedTuple):
    """Objects, and the group that each was drawn from."""

    X: Any
    groups: np.ndarray


Maker = Callable[[Rng], Sample]


def _one(X: Any) -> Sample:
    return Sample(X, np.zeros(len(X), dtype=int))


# --- no groups --------------------------------------------------------------------------------------------


def gaussian(rng: Rng, n: int, d: int) -> Sample:
    return _one(rng.normal(size=(n, d)))


def correlated(rng: Rng, n: int, d: int, correlation: float) -> Sample:
    shared = np.sqrt(correlation) * rng.normal(size=(n, 1))
    return _one(shared + np.sqrt(1 - correlation) * rng.normal(size=(n, d)))


def uniform(rng: Rng, n: int, d: int) -> Sample:
    return _one(rng.uniform(size=(n, d)))


def disc(rng: Rng, n: int) -> Sample:
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.uniform(size=n))
    return _one(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))


def students(rng: Rng, n: int, d: int, freedom: float) -> Sample:
    """Spherical, with heavy tails; of one degree of freedom it is Cauchy's law."""
    return _one(rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(freedom, size=(n, 1)) / freedom))


def lognormal(rng: Rng, n: int, d: int) -> Sample:
    return _one(rng.lognormal(sigma=1.0, size=(n, d)))


def exponential(rng: Rng, n: int, d: int) -> Sample:
    return _one(rng.exponential(size=(n, d)))


def segment(rng: Rng, n: int) -> Sample:
    """A straight line in the plane, with a little width."""
    along = rng.uniform(0, 10, n)
    return _one(np.column_stack([along, 0.5 * along]) + rng.normal(scale=0.05, size=(n, 2)))


def lattice(rng: Rng, side: int) -> Sample:
    return _one(np.array([[i, j] for i in range(side) for j in range(side)], dtype=float))


def walks(rng: Rng, n: int, steps: int) -> Sample:
    """Series that each sum up independent steps: one normal law, with strongly correlated features."""
    return _one(rng.normal(size=(n, steps)).cumsum(axis=1))


def codes(rng: Rng, n: int, columns: int, levels: int) -> Sample:
    """Independent categories, written as 1, 2, 3."""
    return _one(rng.integers(1, levels + 1, size=(n, columns)))


def one_hot(rng: Rng, n: int, columns: int, levels: int) -> Sample:
    """The same, each level a column of 0 and 1."""
    drawn = rng.integers(levels, size=(n, columns))
    return _one((drawn[:, :, None] == np.arange(levels)).reshape(n, -1).astype(float))


def equal_rows(rng: Rng, n: int) -> Sample:
    return _one(np.full((n, 3), 2.5))


def mostly_equal_rows(rng: Rng, n: int, equal: int) -> Sample:
    """One normal law, of which many objects are one and the same."""
    X = rng.normal(size=(n, 2))
    X[:equal] = X[0]
    return _one(X[rng.permutation(n)])


# --- compact groups ---------------------------------------------------------------------------------------


def centres(k: int, d: int, apart: float) -> np.ndarray:
    """On a grid of whole numbers times a distance, as near to a cube as k and d allow; no two are nearer."""
    side = 1
    while side**d < k:
        side += 1
    digits = (np.arange(k)[:, None] // side ** np.arange(min(d, 8))) % side
    places = np.zeros((k, d))
    places[:, : digits.shape[1]] = apart * digits
    return places


def blobs(
    rng: Rng,
    sizes: Sequence[int],
    d: int = 2,
    apart: float = 10.0,
    sds: Sequence[float] | None = None,
    freedom: float | None = None,
) -> Sample:
    """Spherical groups of these sizes and standard deviations, normal or with the tails of Student's law."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    spread = np.repeat(np.ones(len(sizes)) if sds is None else sds, sizes)[:, None]
    shape = rng.normal(size=(len(groups), d)) if freedom is None else students(rng, len(groups), d, freedom).X
    return Sample(centres(len(sizes), d, apart)[groups] + spread * shape, groups)


def triangle(rng: Rng, size: int, apart: float) -> Sample:
    """Three round groups, each as far from both others."""
    corners = apart * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    groups = np.repeat(np.arange(3), size)
    return Sample(corners[groups] + rng.normal(size=(3 * size, 2)), groups)


def sausages(rng: Rng, k: int, size: int, aspect: float, apart: float) -> Sample:
    """Groups beside each other, of one standard deviation across and ``aspect`` along."""
    groups = np.repeat(np.arange(k), size)
    X = rng.normal(size=(k * size, 2)) * [aspect, 1.0]
    X[:, 1] += apart * groups
    return Sample(X, groups)


def in_few_dimensions(rng: Rng, k: int, size: int, d: int, of: int, apart: float) -> Sample:
    """Groups that differ in a few of many dimensions; all others are normal noise of the same spread."""
    few = blobs(rng, [size] * k, d, apart)
    return Sample(np.column_stack([few.X, rng.normal(size=(k * size, of - d))]), few.groups)


def repeated(sample: Sample, times: int) -> Sample:
    return Sample(np.repeat(sample.X, times, axis=0), np.repeat(sample.groups, times))


def with_noise(rng: Rng, sample: Sample, share: float) -> Sample:
    """The same number of objects and more: a share of all is uniform over a box around the groups."""
    n = round(len(sample.X) * share / (1 - share))
    low, high = sample.X.min(axis=0) - 3, sample.X.max(axis=0) + 3
    noise = rng.uniform(low, high, size=(n, len(low)))
    return Sample(np.vstack([sample.X, noise]), np.append(sample.groups, np.full(n, -1)))


def with_outliers(sample: Sample, places: Sequence[Sequence[float]]) -> Sample:
    return Sample(np.vstack([sample.X, places]), np.append(sample.groups, np.full(len(places), -1)))


def with_columns(sample: Sample, *columns: np.ndarray) -> Sample:
    return Sample(np.column_stack([sample.X, *columns]), sample.groups)


def with_combinations(sample: Sample) -> Sample:
    """Three more columns that say nothing new."""
    a, b = sample.X[:, 0], sample.X[:, 1]
    return with_columns(sample, a + b, a - b, 0.5 * a)


def customers(rng: Rng, size: int) -> Sample:
    """Four groups that differ in three shares; two of them spend 10 000 euros, the others 30 000."""
    shares = np.array([[0.75, 0.15, 0.2], [0.15, 0.75, 0.2], [0.15, 0.15, 0.8], [0.75, 0.75, 0.8]])
    groups = rng.permutation(np.repeat(np.arange(4), size))
    frame = pd.DataFrame(
        shares[groups] + rng.normal(scale=0.03, size=(4 * size, 3)), columns=["online", "food", "weekend"]
    )
    spend = np.array([10_000.0, 30_000.0, 10_000.0, 30_000.0])[groups]
    frame.insert(0, "euros", rng.normal(spend, 3_000.0).round(2))
    return Sample(frame, groups)


# --- groups of other shapes -------------------------------------------------------------------------------


def moons(rng: Rng, size: int, noise: float = 0.05) -> Sample:
    angle = rng.uniform(0, np.pi, 2 * size)
    groups = np.repeat([0, 1], size)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)])
    X = np.where(groups[:, None] == 0, upper, lower)
    return Sample(X + rng.normal(scale=noise, size=X.shape), groups)


def rings(rng: Rng, sizes: Sequence[int], noise: float = 0.06) -> Sample:
    """Around one centre, with radii 1, 2, 3."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    angle = rng.uniform(0, 2 * np.pi, len(groups))
    X = (groups + 1)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return Sample(X + rng.normal(scale=noise, size=X.shape), groups)


def spiral(rng: Rng, size: int, arms: int = 3, noise: float = 0.06) -> Sample:
    """Arms that wind around each other by a full turn; objects are as dense inside as outside."""
    groups = np.repeat(np.arange(arms), size)
    way = np.sqrt(rng.uniform(0.05, 1, len(groups)))
    angle = 2 * np.pi * (way + groups / arms)
    X = 4 * way[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return Sample(X + rng.normal(scale=noise, size=X.shape), groups)


def smile(rng: Rng, size: int, noise: float = 0.08) -> Sample:
    """A face: its outline, two eyes, a mouth."""
    turn, half = rng.uniform(0, 2 * np.pi, 2 * size), rng.uniform(1.2 * np.pi, 1.8 * np.pi, size)
    outline = 4 * np.column_stack([np.cos(turn), np.sin(turn)])
    mouth = 2.2 * np.column_stack([np.cos(half), np.sin(half)])
    eyes = np.repeat([[-1.2, 1.2], [1.2, 1.2]], size // 2, axis=0)
    X = np.vstack([outline, mouth, eyes])
    groups = np.repeat([0, 1, 2, 3], [2 * size, size, size // 2, size // 2])
    return Sample(X + rng.normal(scale=noise, size=X.shape), groups)


# --- what mixtures collapse on ----------------------------------------------------------------------------


def atom_in_a_cloud(rng: Rng, n: int, equal: int) -> Sample:
    """One normal law, and copies of one point in it."""
    X = rng.normal(size=(n, 2))
    X[:equal] = [0.5, 0.5]
    return _one(X[rng.permutation(n)])


def discrete_column(rng: Rng, size: int) -> Sample:
    """Two round groups, and an independent column of 0 and 1."""
    sample = blobs(rng, [size, size])
    return with_columns(sample, rng.integers(2, size=2 * size))
