"""Sets like those of franti2017's slides: the S, A, Birch and Unbalance families, spirals, binary groups.

The slides show these sets and do not say how they were drawn. What is taken here was measured on the
published files, where there are some, or chosen; each function says so. None of them is the file itself: see
`partita.datasets.load` for these.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.arrays import Array, generator
from partita.datasets.data_set import DataSet
from partita.datasets.gaussian_clusters import even_sizes, make_gaussian_clusters, placed
from partita.datasets.lagofernandez2009 import turned_covariances
from partita.datasets.parameters import count, one_of, real
from partita.errors import ParameterError, Phrase, Setting

__all__ = [
    "make_a_like",
    "make_binary",
    "make_birch_like",
    "make_s_like",
    "make_spirals",
    "make_unbalance_like",
]

S_SPREADS = {1: 0.2, 2: 0.265, 3: 0.4, 4: 0.465}
"""Standard deviation over the least distance of centres, by the grade of overlap."""
S_BOX = (1e5, 9e5)
S_APART = 0.7
"""The least distance of centres, over the side of a square whose share of the box each would have."""
S_LONGEST = 2.0
S_SIZES = (300, 350)

A_SD, A_SPACING, A_JITTER, A_COLUMNS = 1400.0, 8400.0, 1260.0, 8

BIRCH_PATTERNS = ("grid", "sine", "random")
BIRCH_SPACING = 4.0
"""Standard deviations between neighbours of the grid, as in the file of Birch1."""
BIRCH_WAVES = 4
BIRCH_WIDEST = 2.0

DENSE_CENTRES = ((150e3, 350e3), (210e3, 350e3), (180e3, 380e3))
SPARSE_CENTRES = ((440e3, 300e3), (440e3, 400e3), (540e3, 300e3), (540e3, 400e3), (490e3, 350e3))
DENSE_SD, SPARSE_SD = 3e3, 10e3

SPIRAL_START = 0.2
"""The radius at which an arm begins; it ends at 1."""


def make_s_like(overlap: int = 1, *, n: int = 5000, k: int = 15, random_state: Any = None) -> DataSet:
    """Like S1 to S4: elliptic normal groups in a square, in four grades of overlap.

    Centres are drawn in a square and keep a least distance. Each group has its own orientation, is up to
    twice as long as wide, and has between 300 and 350 of 5000 objects. With the same seed the four grades
    differ in spread only. The spreads were chosen such that about as many objects as in the files are nearest
    to another group's centre: 0.7, 3, 14 and 20 % (33, 146, 702 and 1000 of 5000 there).

    Parameters
    ----------
    overlap : {1, 2, 3, 4}
        The grade: 1 for the least.
    n, k : int
        The numbers of objects and of groups; 5000 and 15 in the files.
    random_state : int, Generator or None
        The seed.
    """
    overlap = count("overlap", overlap)
    one_of("overlap", overlap, S_SPREADS)
    k = count("k", k)
    n = count("n", n, least=k, why=f"one object for each of the {k} groups")
    rng = generator(random_state)
    apart = S_APART * (S_BOX[1] - S_BOX[0]) / math.sqrt(k)
    centres = _centres_apart(k, apart, rng)
    sizes = _shared_out(n, rng.uniform(*S_SIZES, size=k))
    stretch = np.sqrt(rng.uniform(1.0, S_LONGEST, size=k))
    sds = S_SPREADS[overlap] * apart * np.column_stack([stretch, 1 / stretch])
    covariances = turned_covariances(sds, rng.uniform(0, np.pi, k))
    labels = np.repeat(np.arange(k), sizes)
    return DataSet(
        f"S{overlap}-like",
        placed(rng.standard_normal((n, 2)), labels, centres, covariances),
        labels,
        centres=centres,
        covariances=covariances,
        parameters={"overlap": overlap, "apart": apart, "sizes": sizes},
        source=f"like S{overlap} of franti2017",
    )


def make_a_like(k: int = 20, *, size: int = 150, random_state: Any = None) -> DataSet:
    """Like A1 to A3: round normal groups of one size and spread, whose number grows with the area.

    Centres are on a square grid of eight columns, six standard deviations apart, each moved by up to 0.9 of a
    standard deviation along both axes, so that no two are nearer than 4.2. In the files the nearest centres
    are 4 standard deviations apart, and 4.8 on average. With the same seed a set of fewer groups is the
    beginning of a set of more.

    Parameters
    ----------
    k : int
        The number of groups; 20, 35 and 50 in the files.
    size : int
        The objects of each group; 150 in the files.
    random_state : int, Generator or None
        The seed.
    """
    k, size = count("k", k), count("size", size)
    rng = generator(random_state)
    places = np.column_stack([np.arange(k) % A_COLUMNS, np.arange(k) // A_COLUMNS]) * A_SPACING
    centres, X = np.empty((k, 2)), np.empty((k, size, 2))
    for group, place in enumerate(places):  # one after another, so that more groups change none of these
        centres[group] = place + rng.uniform(-A_JITTER, A_JITTER, 2)
        X[group] = centres[group] + A_SD * rng.standard_normal((size, 2))
    return DataSet(
        f"A-like, {k} groups",
        X.reshape(-1, 2),
        np.repeat(np.arange(k), size),
        centres=centres,
        covariances=np.tile(A_SD**2 * np.eye(2), (k, 1, 1)),
        parameters={"size": size},
        source="like A1 to A3 of franti2017",
    )


def make_birch_like(
    pattern: str = "grid", *, k: int = 100, size: int = 1000, random_state: Any = None
) -> DataSet:
    """Like Birch1 to Birch3: many round normal groups on a grid, on a sine, or anywhere.

    Parameters
    ----------
    pattern : {"grid", "sine", "random"}
        ``grid``: neighbours are 4 standard deviations apart, as in the file of Birch1. ``sine``: centre i,
        from 1 to k, is at 2 pi i along the first axis, and at k/4 times the sine of four full waves over all
        centres, in standard deviations, as in the file of Birch2. ``random``: for Birch3 there was no file
        to measure; we take centres uniform in a square as large as the grid, sizes uniform from 1 to
        2 size - 1, and standard deviations uniform from 0 to 2.
    k : int
        The number of groups; 100 in the files. A grid whose last row is not full has its end left out.
    size : int
        The objects of each group, or their mean for ``random``; about 1000 in the files.
    random_state : int, Generator or None
        The seed.
    """
    one_of("pattern", pattern, BIRCH_PATTERNS)
    k, size = count("k", k), count("size", size)
    rng = generator(random_state)
    side = math.isqrt(k - 1) + 1
    steps = np.arange(1, k + 1)
    sizes, sds = np.full(k, size), np.ones(k)
    if pattern == "grid":
        centres = BIRCH_SPACING * np.column_stack([(steps - 1) // side, (steps - 1) % side])
    elif pattern == "sine":
        wave = np.sin(2 * np.pi * BIRCH_WAVES * steps / k)
        centres = np.column_stack([2 * np.pi * steps, k / BIRCH_WAVES * wave])
    else:
        centres = rng.uniform(0, BIRCH_SPACING * side, size=(k, 2))
        sizes, sds = rng.integers(1, 2 * size, size=k), rng.uniform(0, BIRCH_WIDEST, size=k)
    drawn = make_gaussian_clusters(centres, sds**2, sizes, random_state=rng)
    return DataSet(
        f"Birch-like, {pattern}",
        drawn.X,
        drawn.labels,
        centres=drawn.centres,
        covariances=drawn.covariances,
        parameters={"pattern": pattern, "sizes": sizes, "sds": sds},
        source=f"like Birch{BIRCH_PATTERNS.index(pattern) + 1} of franti2017",
    )


def make_unbalance_like(*, dense: int = 2000, sparse: int = 100, random_state: Any = None) -> DataSet:
    """Like Unbalance: three dense groups of many objects on the left, five wide ones of few on the right.

    Centres and spreads are those of the file, rounded: standard deviations of 3 000 and 10 000, and centres
    that are 42 000 apart and more on the left, 70 000 on the right.

    Parameters
    ----------
    dense, sparse : int
        The objects of each of the three groups, and of each of the five; 2000 and 100 in the file.
    random_state : int, Generator or None
        The seed.
    """
    sizes = [count("dense", dense)] * 3 + [count("sparse", sparse)] * 5
    sds = np.array([DENSE_SD] * 3 + [SPARSE_SD] * 5)
    drawn = make_gaussian_clusters(DENSE_CENTRES + SPARSE_CENTRES, sds**2, sizes, random_state=random_state)
    return DataSet(
        "Unbalance-like",
        drawn.X,
        drawn.labels,
        centres=drawn.centres,
        covariances=drawn.covariances,
        parameters={"sizes": np.array(sizes), "sds": sds},
        source="like Unbalance of franti2017",
    )


def make_spirals(
    k: int = 3, *, size: int = 104, turns: float = 1.0, noise: float = 0.01, random_state: Any = None
) -> DataSet:
    """Arms that wind around each other; objects are about as dense near the middle as outside.

    The radius of an arm grows evenly with its angle, from 0.2 to 1. The slides show a spiral and do not say
    which; ours is no copy of it. The known set of that name has three arms and 312 objects. A group has no
    centre, so ``centres`` is None.

    Parameters
    ----------
    k : int
        The number of arms, which are the groups.
    size : int
        The objects of each.
    turns : float
        How often an arm winds around the middle. On a ray from it, arms are 0.8 / (k turns) apart.
    noise : float
        The standard deviation of the normal noise that is added to both coordinates.
    random_state : int, Generator or None
        The seed.
    """
    k, size = count("k", k), count("size", size)
    turns, noise = real("turns", turns, above=0.0), real("noise", noise, least=0.0)
    rng = generator(random_state)
    labels = np.repeat(np.arange(k), size)
    radius = np.sqrt(rng.uniform(SPIRAL_START**2, 1.0, k * size))
    along = (radius - SPIRAL_START) / (1 - SPIRAL_START)
    angle = 2 * np.pi * (turns * along + labels / k)
    on_arm = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return DataSet(
        f"{k} spiral{'s' * (k != 1)}",
        on_arm + noise * rng.standard_normal(on_arm.shape),
        labels,
        parameters={"turns": turns, "noise": noise, "angles": angle},
        source="for the spiral of franti2017, part IV",
    )


def make_binary(
    k: int = 5, *, n: int = 500, d: int = 20, flip: float = 0.1, random_state: Any = None
) -> DataSet:
    """Binary objects in planted groups: copies of one pattern for each group, with some values flipped.

    The slides give a criterion for binary data and no generator. We take k different patterns of fair coins,
    groups of n / k objects, and flip each value of each object with the same probability.

    Parameters
    ----------
    k, n, d : int
        The numbers of groups, objects and features; k patterns differ only if k <= 2^d.
    flip : float
        The probability that a value is not that of the pattern; at 0.5 nothing of the groups is left.
    random_state : int, Generator or None
        The seed.

    Returns
    -------
    DataSet
        X holds whole numbers 0 and 1; ``parameters["patterns"]`` has the patterns, ``centres`` the
        probabilities of a 1 in each group.
    """
    k, d = count("k", k), count("d", d)
    n = count("n", n, least=k, why=f"one object for each of the {k} groups")
    flip = real("flip", flip, least=0.0, most=0.5)
    if k > 2**d:
        raise ParameterError(
            Phrase(Setting("k"), " is more than there are patterns."),
            got=f"{k}",
            need=f"at most 2^{d} = {2**d}",
        )
    rng = generator(random_state)
    patterns = _different_patterns(k, d, rng)
    labels = np.repeat(np.arange(k), even_sizes(n, k))
    flipped = rng.uniform(size=(n, d)) < flip
    return DataSet(
        f"binary, {k} groups",
        np.where(flipped, 1 - patterns[labels], patterns[labels]),
        labels,
        centres=np.where(patterns == 1, 1 - flip, flip),
        parameters={"patterns": patterns, "flip": flip},
        source="for the binary data of franti2017, part III",
    )


def _different_patterns(k: int, d: int, rng: np.random.Generator) -> Array:
    """Rows of fair coins, no two equal: a row that was there before is drawn again."""
    if 2**d <= 4 * k:  # few others are left: take some of all
        numbers = rng.choice(2**d, size=k, replace=False)
        return (numbers[:, None] >> np.arange(d)) & 1
    seen: dict[bytes, Array] = {}
    while len(seen) < k:
        row = rng.integers(2, size=d)
        seen.setdefault(row.tobytes(), row)
    return np.array(list(seen.values()))


def _centres_apart(k: int, apart: float, rng: np.random.Generator) -> Array:
    """Places in the box of the S sets, drawn one by one; one too near to another is drawn again.

    Where no room is found in many draws, all are drawn anew.
    """
    while True:
        centres = np.empty((0, 2))
        for _ in range(100 * k):
            place = rng.uniform(*S_BOX, size=2)
            if not len(centres) or np.hypot(*(centres - place).T).min() >= apart:
                centres = np.vstack([centres, place])
            if len(centres) == k:
                return centres


def _shared_out(n: int, weights: Array) -> Array:
    """Sizes of 1 and more that sum to n, by the weights; the largest remainders get one more."""
    shares = (n - len(weights)) * weights / weights.sum()
    sizes: Array = np.floor(shares).astype(int)
    sizes[np.argsort(sizes - shares, kind="stable")[: n - len(weights) - sizes.sum()]] += 1
    sizes += 1
    return sizes
