"""Generators of small data: groups of known number and shape, and data without groups.

Each takes a random generator and returns the objects with the group of each; -1 is noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Rng = np.random.Generator


class Sample(NamedTuple):
    """Objects and the group of each; where groups lie in groups, ``coarse`` has the outer group of each."""

    X: Any
    groups: np.ndarray
    coarse: np.ndarray | None = None

    @property
    def levels(self) -> tuple[np.ndarray, ...]:
        """The true labelings, the finest first."""
        return (self.groups,) if self.coarse is None else (self.groups, self.coarse)


Maker = Callable[[Rng], Sample]


def number_of_groups(labels: np.ndarray) -> int:
    """Number of groups, noise not counted."""
    return len(set(labels.tolist()) - {-1})


def one_group(X: Any) -> Sample:
    return Sample(X, np.zeros(len(X), dtype=int))


# --- one distribution -------------------------------------------------------------------------------------


def gaussian(rng: Rng, n: int, d: int) -> Sample:
    return one_group(rng.normal(size=(n, d)))


def correlated(rng: Rng, n: int, d: int, correlation: float) -> Sample:
    """Normal; all pairs of columns have the same correlation."""
    shared = np.sqrt(correlation) * rng.normal(size=(n, 1))
    return one_group(shared + np.sqrt(1 - correlation) * rng.normal(size=(n, d)))


def random_covariance(rng: Rng, d: int, ratio: float) -> np.ndarray:
    """A square root of a covariance in random directions; standard deviations from 1 to ``ratio``."""
    directions = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return np.geomspace(1, ratio, d)[:, None] * directions


def any_gaussian(rng: Rng, n: int, d: int, ratio: float) -> Sample:
    """Normal with a random covariance; standard deviations from 1 to ``ratio`` along its axes."""
    return one_group(rng.normal(size=(n, d)) @ random_covariance(rng, d, ratio))


def uniform(rng: Rng, n: int, d: int) -> Sample:
    return one_group(rng.uniform(size=(n, d)))


def disc(rng: Rng, n: int) -> Sample:
    return ball(rng, n, 2)


def ball(rng: Rng, n: int, d: int) -> Sample:
    """Uniform within a ball of radius 1."""
    return one_group(sphere(rng, n, d).X * rng.uniform(size=(n, 1)) ** (1 / d))


def sphere(rng: Rng, n: int, d: int) -> Sample:
    """Uniform on the surface of a ball of radius 1."""
    X = rng.normal(size=(n, d))
    return one_group(X / np.linalg.norm(X, axis=1, keepdims=True))


def triangular_area(rng: Rng, n: int) -> Sample:
    """Uniform within a triangle."""
    a, b = np.sort(rng.uniform(size=(2, n)), axis=0)
    return one_group(np.column_stack([a, b]))


def students(rng: Rng, n: int, d: int, freedom: float) -> Sample:
    """Spherical with heavy tails; with one degree of freedom it is Cauchy's distribution."""
    return one_group(rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(freedom, size=(n, 1)) / freedom))


def laplace(rng: Rng, n: int, d: int) -> Sample:
    return one_group(rng.laplace(size=(n, d)))


def lognormal(rng: Rng, n: int, d: int, sigma: float = 1.0) -> Sample:
    return one_group(rng.lognormal(sigma=sigma, size=(n, d)))


def exponential(rng: Rng, n: int, d: int) -> Sample:
    return one_group(rng.exponential(size=(n, d)))


def gamma(rng: Rng, n: int, d: int, shape: float) -> Sample:
    return one_group(rng.gamma(shape, size=(n, d)))


def contaminated(rng: Rng, n: int, d: int, share: float, sd: float) -> Sample:
    """Normal; a share of the objects has a larger standard deviation around the same centre."""
    spread = np.where(rng.uniform(size=(n, 1)) < share, sd, 1.0)
    return one_group(spread * rng.normal(size=(n, d)))


def segment(rng: Rng, n: int) -> Sample:
    """A straight line in the plane with a little width."""
    along = rng.uniform(0, 10, n)
    return one_group(np.column_stack([along, 0.5 * along]) + rng.normal(scale=0.05, size=(n, 2)))


def arc(rng: Rng, n: int, turn: float, noise: float = 0.06) -> Sample:
    """An arc of a circle of radius 1 with a little width; ``turn`` is 1 for the whole ring."""
    angle = 2 * np.pi * turn * rng.uniform(size=n)
    return one_group(np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=noise, size=(n, 2)))


def sine(rng: Rng, n: int, noise: float = 0.1) -> Sample:
    along = rng.uniform(0, 3 * np.pi, n)
    return one_group(np.column_stack([along, np.sin(along)]) + rng.normal(scale=noise, size=(n, 2)))


def banana(rng: Rng, n: int) -> Sample:
    """A normal distribution bent along a parabola."""
    along = rng.normal(size=n)
    return one_group(np.column_stack([along, along**2 + 0.3 * rng.normal(size=n)]))


def helix(rng: Rng, n: int, noise: float = 0.05) -> Sample:
    """Two turns of a screw in three dimensions."""
    angle = rng.uniform(0, 4 * np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle), angle / 4])
    return one_group(X + rng.normal(scale=noise, size=X.shape))


def swiss_roll(rng: Rng, n: int) -> Sample:
    """A sheet rolled up by one and a half turns."""
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return one_group(np.column_stack([angle * np.cos(angle), rng.uniform(0, 20, n), angle * np.sin(angle)]))


def lattice(rng: Rng, side: int) -> Sample:
    return one_group(np.array([[i, j] for i in range(side) for j in range(side)], dtype=float))


def walks(rng: Rng, n: int, steps: int) -> Sample:
    """Series of sums of independent steps: one normal distribution with strongly correlated columns."""
    return one_group(rng.normal(size=(n, steps)).cumsum(axis=1))


def counts(rng: Rng, n: int, d: int, mean: float) -> Sample:
    """Independent Poisson counts."""
    return one_group(rng.poisson(mean, size=(n, d)).astype(float))


def codes(rng: Rng, n: int, columns: int, levels: int) -> Sample:
    """Independent categories, written as 1, 2, 3."""
    return one_group(rng.integers(1, levels + 1, size=(n, columns)))


def indicators(categories: np.ndarray, levels: int) -> np.ndarray:
    """Columns of 0 and 1, one for each level of each column."""
    return (categories[:, :, None] == np.arange(levels)).reshape(len(categories), -1).astype(float)


def one_hot(rng: Rng, n: int, columns: int, levels: int) -> Sample:
    """Independent categories, each level a column of 0 and 1."""
    return one_group(indicators(rng.integers(levels, size=(n, columns)), levels))


def equal_rows(rng: Rng, n: int) -> Sample:
    return one_group(np.full((n, 3), 2.5))


def mostly_equal_rows(rng: Rng, n: int, equal: int) -> Sample:
    """One normal distribution; many of its objects are equal."""
    X = rng.normal(size=(n, 2))
    X[:equal] = X[0]
    return one_group(X[rng.permutation(n)])


def atom_in_a_cloud(rng: Rng, n: int, equal: int) -> Sample:
    """One normal distribution, and copies of one point in it."""
    X = rng.normal(size=(n, 2))
    X[:equal] = [0.5, 0.5]
    return one_group(X[rng.permutation(n)])


# --- where groups lie -------------------------------------------------------------------------------------


def centres(k: int, d: int, apart: float) -> np.ndarray:
    """Centres on a grid as near to a cube as k and d allow; the nearest are ``apart`` from each other."""
    side = 1
    while side**d < k:
        side += 1
    digits = (np.arange(k)[:, None] // side ** np.arange(min(d, 8))) % side
    places = np.zeros((k, d))
    places[:, : digits.shape[1]] = apart * digits
    return places


def scattered(rng: Rng, k: int, d: int, apart: float) -> np.ndarray:
    """Centres at random, none nearer to another than ``apart``.

    Up to three dimensions they are uniform in a cube; beyond, normal and scaled so that the nearest two are
    just so far apart.
    """
    if d > 3:
        places = rng.normal(size=(k, d))
        return apart / min(np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]) * places
    side = 1.7 * apart * k ** (1 / d)
    chosen: list[np.ndarray] = []
    while len(chosen) < k:
        place = rng.uniform(0, side, d)
        if all(np.linalg.norm(place - other) >= apart for other in chosen):
            chosen.append(place)
    return np.array(chosen)


# --- compact groups ---------------------------------------------------------------------------------------


def blobs(
    rng: Rng,
    sizes: Sequence[int],
    d: int = 2,
    apart: float = 10.0,
    sds: Sequence[float] | None = None,
    freedom: float | None = None,
    places: np.ndarray | None = None,
) -> Sample:
    """Spherical groups of these sizes and standard deviations, on a grid unless centres are given.

    With ``freedom`` they have the tails of Student's distribution.
    """
    k = len(sizes)
    groups = np.repeat(np.arange(k), sizes)
    spread = np.repeat(np.ones(k) if sds is None else sds, sizes)[:, None]
    shape = rng.normal(size=(len(groups), d)) if freedom is None else students(rng, len(groups), d, freedom).X
    return Sample((centres(k, d, apart) if places is None else places)[groups] + spread * shape, groups)


def scattered_blobs(
    rng: Rng, sizes: Sequence[int], d: int = 2, apart: float = 10.0, sds: Sequence[float] | None = None
) -> Sample:
    """The same, with centres at random that are at least ``apart`` from each other."""
    return blobs(rng, sizes, d, sds=sds, places=scattered(rng, len(sizes), d, apart))


def simplex(rng: Rng, k: int, size: int, d: int, apart: float) -> Sample:
    """Round groups that are all equally far from each other; k is at most d."""
    return blobs(rng, [size] * k, d, places=apart / np.sqrt(2) * np.eye(k, d))


def triangle(rng: Rng, size: int, apart: float) -> Sample:
    """Three round groups in the plane, all equally far from each other."""
    corners = apart * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    return blobs(rng, [size] * 3, places=corners)


def boxes(rng: Rng, k: int, size: int, d: int, gap: float) -> Sample:
    """Uniform cubes of side 1 on a grid with this gap between them."""
    groups = np.repeat(np.arange(k), size)
    return Sample(centres(k, d, 1 + gap)[groups] + rng.uniform(size=(k * size, d)), groups)


def bridged(rng: Rng, size: int, apart: float, between: int) -> Sample:
    """Two round groups, and a few objects on the line between their centres, which are noise."""
    sample = blobs(rng, [size, size], apart=apart)
    line = np.column_stack([rng.uniform(0, apart, between), 0.3 * rng.normal(size=between)])
    return with_outliers(sample, line)


def dense_in_wide(rng: Rng, sizes: Sequence[int], sds: Sequence[float], d: int = 2) -> Sample:
    """Round groups around one centre, which differ in density only."""
    return blobs(rng, sizes, d, sds=sds, places=np.zeros((len(sizes), d)))


def density_step(rng: Rng, size: int, ratio: int) -> Sample:
    """Two squares that touch; one is ``ratio`` times as dense."""
    groups = np.repeat([0, 1], [size * ratio, size])
    X = rng.uniform(size=(len(groups), 2))
    X[:, 0] += groups
    return Sample(X, groups)


# --- elongated groups -------------------------------------------------------------------------------------


def sausages(rng: Rng, k: int, size: int, aspect: float, apart: float) -> Sample:
    """Parallel normal groups, of one standard deviation across and ``aspect`` along."""
    groups = np.repeat(np.arange(k), size)
    X = rng.normal(size=(k * size, 2)) * [aspect, 1.0]
    X[:, 1] += apart * groups
    return Sample(X, groups)


def stripes(rng: Rng, k: int, size: int, length: float, apart: float) -> Sample:
    """Parallel stripes, uniform along and of one standard deviation across."""
    groups = np.repeat(np.arange(k), size)
    X = np.column_stack([rng.uniform(0, length, k * size), rng.normal(size=k * size) + apart * groups])
    return Sample(X, groups)


def ellipses(rng: Rng, sizes: Sequence[int], d: int, ratio: float, apart: float) -> Sample:
    """Normal groups, each with its own random covariance; standard deviations from 1 to ``ratio``.

    Centres are ``apart`` times the largest standard deviation from each other.
    """
    k = len(sizes)
    parts = [rng.normal(size=(size, d)) @ random_covariance(rng, d, ratio) for size in sizes]
    groups = np.repeat(np.arange(k), sizes)
    return Sample(scattered(rng, k, d, apart * ratio)[groups] + np.vstack(parts), groups)


def crossed(rng: Rng, size: int) -> Sample:
    """Two long groups that cross at their centres."""
    sample = blobs(rng, [size, size], places=np.zeros((2, 2)))
    stretch = np.where(sample.groups[:, None] == 0, [12.0, 1.0], [1.0, 12.0])
    return Sample(sample.X * stretch, sample.groups)


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


def ring_and_blob(rng: Rng, sizes: Sequence[int], noise: float = 0.06) -> Sample:
    """A round group in the centre of a ring of radius 2."""
    ring = 2 * arc(rng, sizes[0], 1.0, noise / 2).X
    groups = np.repeat([0, 1], sizes)
    return Sample(np.vstack([ring, rng.normal(scale=0.3, size=(sizes[1], 2))]), groups)


def ball_in_shell(rng: Rng, sizes: Sequence[int]) -> Sample:
    """A ball of radius 1 in the centre of a sphere of radius 3, in three dimensions."""
    parts = [3 * sphere(rng, sizes[0], 3).X, ball(rng, sizes[1], 3).X]
    return Sample(np.vstack(parts), np.repeat([0, 1], sizes))


def chain_links(rng: Rng, size: int, noise: float = 0.08) -> Sample:
    """Two rings in three dimensions that go through each other."""
    first, second = arc(rng, size, 1.0, 0.0).X, arc(rng, size, 1.0, 0.0).X
    flat = np.column_stack([first, np.zeros(size)])
    upright = np.column_stack([second[:, 0] + 1, np.zeros(size), second[:, 1]])
    X = np.vstack([flat, upright])
    return Sample(X + rng.normal(scale=noise, size=X.shape), np.repeat([0, 1], size))


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


def bars_and_disc(rng: Rng, size: int) -> Sample:
    """Two long bars at a right angle and a disc in front of them."""
    lying = rng.uniform([0, 0], [6, 0.6], size=(size, 2))
    standing = rng.uniform([0, 1.6], [0.6, 5], size=(size, 2))
    X = np.vstack([lying, standing, [4, 3.4] + 0.8 * disc(rng, size).X])
    return Sample(X, np.repeat([0, 1, 2], size))


def zigzags(rng: Rng, k: int, size: int, noise: float = 0.06) -> Sample:
    """Parallel waves, each above the other."""
    groups = np.repeat(np.arange(k), size)
    along = rng.uniform(0, 3 * np.pi, k * size)
    X = np.column_stack([along, np.sin(along) + 1.6 * groups])
    return Sample(X + rng.normal(scale=noise, size=X.shape), groups)


def mixed_shapes(rng: Rng, size: int) -> Sample:
    """A ring with a round group in it, two moons, and a bar, far from each other."""
    return beside(
        [ring_and_blob(rng, [size, size // 2]), moons(rng, size // 2), stripes(rng, 1, size, 20.0, 0.0)],
        [[0, 0], [8, 0], [0, 10]],
    )


def beside(parts: Sequence[Sample], places: Sequence[Sequence[float]]) -> Sample:
    """Samples at these places as one, with the part of each object as its coarse group."""
    ks = [number_of_groups(part.groups) for part in parts]
    first = np.concatenate([[0], np.cumsum(ks[:-1])])
    X = np.vstack([part.X + np.asarray(place) for part, place in zip(parts, places, strict=True)])
    groups = np.concatenate([part.groups + i for part, i in zip(parts, first, strict=True)])
    return Sample(X, groups, np.repeat(np.arange(len(parts)), [len(part.X) for part in parts]))


# --- groups in groups -------------------------------------------------------------------------------------


def nested_blobs(
    rng: Rng, outer: int, inner: int, size: int, d: int = 2, apart: float = 10.0, outer_apart: float = 80.0
) -> Sample:
    """Round groups of one standard deviation, ``apart`` from each other, in groups that are far apart."""
    parts = [blobs(rng, [size] * inner, d, places=scattered(rng, inner, d, apart)) for _ in range(outer)]
    return beside(parts, scattered(rng, outer, d, outer_apart).tolist())


def nested_moons(rng: Rng, pairs: int, size: int) -> Sample:
    return beside([moons(rng, size) for _ in range(pairs)], [[7.0 * i, 0] for i in range(pairs)])


def nested_stripes(rng: Rng, outer: int, inner: int, size: int) -> Sample:
    parts = [stripes(rng, inner, size, 60.0, 9.0) for _ in range(outer)]
    return beside(parts, [[0, 60.0 * i] for i in range(outer)])


def flat(sample: Sample) -> Sample:
    """The finer groups only."""
    return sample._replace(coarse=None)


# --- categories -------------------------------------------------------------------------------------------


def latent_classes(rng: Rng, sizes: Sequence[int], columns: int, sure: float, levels: int = 2) -> Sample:
    """Categories 0, 1, ... that are independent given the class.

    In each column a class has a favourite level, taken with probability ``sure``, and the others equally
    often. Favourites of two classes differ in at least a third of the columns.
    """
    k = len(sizes)
    while True:
        favourites = rng.integers(levels, size=(k, columns))
        shares = [(a != b).mean() for i, a in enumerate(favourites) for b in favourites[:i]]
        if min(shares, default=1.0) >= 1 / 3:
            break
    groups = np.repeat(np.arange(k), sizes)
    other = rng.integers(1, levels, size=(len(groups), columns))
    changed = rng.uniform(size=other.shape) > sure
    return Sample((favourites[groups] + changed * other) % levels, groups)


def latent_one_hot(rng: Rng, sizes: Sequence[int], columns: int, sure: float, levels: int) -> Sample:
    sample = latent_classes(rng, sizes, columns, sure, levels)
    return sample._replace(X=indicators(sample.X, levels))


def count_groups(rng: Rng, sizes: Sequence[int], d: int, rates: Sequence[float]) -> Sample:
    """Poisson counts; each group has one of two rates in each column, and no two groups the same rates."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    high = (groups[:, None] >> np.arange(d)) & 1
    return Sample(rng.poisson(np.asarray(rates)[high]).astype(float), groups)


# --- columns, copies, noise -------------------------------------------------------------------------------


def in_few_dimensions(rng: Rng, k: int, size: int, d: int, of: int, apart: float) -> Sample:
    """Groups that differ in a few of many dimensions; all others are normal noise of the same spread."""
    few = blobs(rng, [size] * k, d, apart)
    return Sample(np.column_stack([few.X, rng.normal(size=(k * size, of - d))]), few.groups)


def embedded(rng: Rng, sample: Sample, d: int, noise: float) -> Sample:
    """The same objects in a random subspace of d dimensions, with a little noise in all of them."""
    X = sample.X @ np.linalg.qr(rng.normal(size=(d, sample.X.shape[1])))[0].T
    return sample._replace(X=X + rng.normal(scale=noise, size=X.shape))


def repeated(sample: Sample, times: int) -> Sample:
    return Sample(np.repeat(sample.X, times, axis=0), np.repeat(sample.groups, times))


def rounded(sample: Sample, step: float) -> Sample:
    return sample._replace(X=np.round(sample.X / step) * step)


def with_noise(rng: Rng, sample: Sample, share: float, margin: float = 3.0) -> Sample:
    """The same objects and more: a share of all is uniform over a box with a margin around the groups."""
    n = round(len(sample.X) * share / (1 - share))
    low, high = sample.X.min(axis=0) - margin, sample.X.max(axis=0) + margin
    return with_outliers(sample, rng.uniform(low, high, size=(n, len(low))))


def with_outliers(sample: Sample, places: Any) -> Sample:
    return Sample(np.vstack([sample.X, places]), np.append(sample.groups, np.full(len(places), -1)))


def with_columns(sample: Sample, *columns: np.ndarray) -> Sample:
    return sample._replace(X=np.column_stack([sample.X, *columns]))


def with_combinations(sample: Sample) -> Sample:
    """Three more columns without new information."""
    a, b = sample.X[:, 0], sample.X[:, 1]
    return with_columns(sample, a + b, a - b, 0.5 * a)


def in_units(sample: Sample, units: Sequence[float]) -> Sample:
    return sample._replace(X=sample.X * np.asarray(units))


def exponentiated(sample: Sample, rate: float) -> Sample:
    """All values skewed to the right: exp(rate x)."""
    return sample._replace(X=np.exp(rate * sample.X))


def skewed_blobs(rng: Rng, sizes: Sequence[int], d: int, apart: float, shape: float) -> Sample:
    """Groups with gamma distributed columns of standard deviation 1; a shape of 1 is exponential."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.gamma(shape, size=(len(groups), d)) / np.sqrt(shape)
    return Sample(scattered(rng, len(sizes), d, apart)[groups] + X, groups)


def customers(rng: Rng, size: int) -> Sample:
    """Four groups that differ in three shares; two of them spend 10 000 euros, the others 30 000."""
    shares = np.array([[0.75, 0.15, 0.2], [0.15, 0.75, 0.2], [0.15, 0.15, 0.8], [0.75, 0.75, 0.8]])
    groups = rng.permutation(np.repeat(np.arange(4), size))
    frame = pd.DataFrame(
        shares[groups] + rng.normal(scale=0.03, size=(4 * size, 3)), columns=["online", "food", "weekend"]
    )
    spend = np.array([10_000.0, 30_000.0, 10_000.0, 30_000.0])[groups]
    frame.insert(0, "euros", rng.normal(spend, 3_000.0).round(2))
    return Sample(frame, groups, groups % 2)


def discrete_column(rng: Rng, size: int) -> Sample:
    """Two round groups beside an independent column of 0 and 1, which cuts each in two."""
    sample = blobs(rng, [size, size])
    column = rng.integers(2, size=2 * size)
    return Sample(np.column_stack([sample.X, column]), 2 * sample.groups + column, sample.groups)
