"""The corpus: small data situations, each with what an answer may and may not say about it, and why.

Rules must have reasons; they are not fitted to these draws. Seeds are 0, 1, 2, ... as they come.
What is expected follows from how hard a situation is (`Grade`); few have expectations of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import generated_data as data
import partita as pt
from expectations import (
    HANDED_OVER,
    Answer,
    Expectation,
    at_most_contested,
    clear_only_if,
    clearly,
    exactly,
    never,
    never_clear,
    no_remark,
    not_nothing,
    offers,
    one_group,
    says,
    some_number,
    violations,
)
from generated_data import Maker, Sample

SEEDS = (0, 1, 2, 3, 4)

CENTRES, ACROSS, GAPS, OVERLAP = "centres", "across", "gaps", "overlap"
"""How groups lie: centres are more than 6 standard deviations apart on the line through them, or in the
direction that separates the two groups best; a gap is wider than any within a group; or a good share of the
objects is nearer to the centre of another group."""

Expectations = tuple[Expectation, ...]


class Grade(StrEnum):
    """How hard a situation is, from which follows what may be said."""

    ONE_CLOUD = "one cloud"
    """One normal or uniform distribution."""
    ONE_GROUP = "one group"
    """One distribution of another kind: skewed, heavy-tailed, curved, discrete."""
    FAR = "far"
    """Groups with wide gaps between them."""
    NEAR = "near"
    """Groups that a person would tell apart, with objects between them or few objects."""
    HARD = "hard"
    """Groups that overlap, touch, differ in density only or hide behind noise."""


def expected_of(grade: Grade, ks: Sequence[int]) -> Expectations:
    """What may be said of groups of this grade; ``ks`` are the true numbers, one for each level."""
    wrong = clear_only_if("what is clear must be right", *ks)
    too_many = clear_only_if(
        "what is clear may be a coarser level, never a finer one", *range(2, max(ks) + 1)
    )
    return {
        Grade.ONE_CLOUD: (
            at_most_contested("one normal or uniform distribution made all objects"),
            never_clear("one distribution made all objects"),
        ),
        Grade.ONE_GROUP: (never_clear("one distribution made all objects"),),
        Grade.FAR: (exactly("the groups are far apart", *ks),),
        Grade.NEAR: (some_number("there are groups to be seen"), wrong),
        Grade.HARD: (too_many,),
    }[grade]


@dataclass(frozen=True)
class Situation:
    """Data of one kind, and what may be said of them.

    Attributes
    ----------
    name, family : str
        The family is the row of the measured tables.
    make : callable
        Draws the data.
    k : int
        The true number of groups, the finest where there are two levels (`coarse`); 1 for one distribution.
    grade : Grade
        How hard the data are, from which the expectations of ``choose_k`` follow.
    also : tuple of Expectation
        What is expected of ``choose_k`` besides; with ``instead`` it replaces what the grade expects.
    options : callable
        Makes the arguments of ``choose_k`` and ``stability`` beside the data and the seed.
    stability, structure : tuple of Expectation
        What is expected of these procedures, where they are asked.
    groups : str
        How the groups lie to each other, which is tested.
    basic : bool
        Asked by the tests that always run; ``make answers`` and ``make test-full`` ask all.
    """

    name: str
    family: str
    make: Maker
    k: int
    grade: Grade
    coarse: int | None = None
    also: Expectations = ()
    instead: bool = False
    options: Callable[[], Mapping[str, Any]] = field(default=dict)
    stability: Expectations = ()
    structure: Expectations = ()
    groups: str = ""
    basic: bool = False

    def sample(self, seed: int) -> Sample:
        """Data and their groups; a user draws data and asks with the same seed, and so do we."""
        return self.make(np.random.default_rng(seed))

    @property
    def ks(self) -> tuple[int, ...]:
        """The true numbers of groups, one for each level."""
        return (self.k,) if self.coarse is None else (self.k, self.coarse)

    @property
    def choose_k(self) -> Expectations:
        return (HANDED_OVER, *(() if self.instead else expected_of(self.grade, self.ks)), *self.also)

    @property
    def with_defaults(self) -> bool:
        """True if ``choose_k`` is asked without options: its answer is then measured in the tables."""
        return not self.options()

    def expected(self, procedure: str) -> Expectations:
        return {"choose_k": self.choose_k, "stability": self.stability, "structure": self.structure}[
            procedure
        ]

    def answer(self, procedure: str, X: Any, seed: int) -> Answer:
        """The answer of a procedure to data of this kind."""
        if procedure == "structure":
            return Answer.of_structure(pt.selection.structure(X, random_state=seed))
        if procedure == "stability":
            return Answer.of_stability(pt.stability(X, random_state=seed, **self.options()))
        return Answer.of_choose_k(pt.choose_k(X, random_state=seed, **self.options()))

    def wrong(self, procedure: str, answer: Answer, n: int) -> list[str]:
        """All that is wrong with the answer of a procedure about n objects."""
        partition = answer.missing_clusters(n) if procedure == "choose_k" else ""
        return violations(self.expected(procedure), answer) + [partition] * bool(partition)


def situations(family: str, rows: Iterable[tuple[Any, ...]], **common: Any) -> list[Situation]:
    """The situations of a family, a row each: name, k, what draws the data, and what differs in other fields.

    What draws is a function and its arguments after the random generator.
    """
    made = []
    for name, k, (draw, *given), *differs in rows:
        fields = common | (differs[0] if differs else {})
        made.append(
            Situation(name, family, lambda rng, draw=draw, given=given: draw(rng, *given), k, **fields)
        )
    return made


BASIC: dict[str, Any] = {"basic": True}
CLOUD: dict[str, Any] = {"grade": Grade.ONE_CLOUD}
FAR: dict[str, Any] = {"grade": Grade.FAR, "groups": CENTRES}
GAP: dict[str, Any] = {"grade": Grade.FAR, "groups": GAPS}
NEAR: dict[str, Any] = {"grade": Grade.NEAR, "groups": ""}
HARD: dict[str, Any] = {"grade": Grade.HARD, "groups": ""}

SEEN = not_nothing("there are groups, far apart")
NOT_SEEN = one_group("one distribution made all objects")
NO_STABLE_GROUPS = never_clear("what is stable in one cloud is its outline")
MANY_EQUAL = says("most objects are copies of others", "duplicates")


def stable_only_if(why: str, *ks: int) -> dict[str, Any]:
    return {"stability": (clear_only_if(why, *ks),)}


# --- one distribution -------------------------------------------------------------------------------------


def gaussian_and_outliers(rng: np.random.Generator, places: Sequence[Sequence[float]]) -> Sample:
    return data.with_outliers(data.gaussian(rng, 200, 2), places)


def rounded_gaussian(rng: np.random.Generator) -> Sample:
    return data.rounded(data.gaussian(rng, 300, 2), 0.5)


NO_GROUPS = situations(
    "one distribution",
    [
        ("gaussian d=1", 1, (data.gaussian, 200, 1), CLOUD | BASIC),
        (
            "gaussian d=2",
            1,
            (data.gaussian, 200, 2),
            CLOUD | BASIC | {"stability": (NO_STABLE_GROUPS,), "structure": (NOT_SEEN,)},
        ),
        ("gaussian d=2, 1000 objects", 1, (data.gaussian, 1000, 2), CLOUD),
        ("gaussian d=2, 2500 objects", 1, (data.gaussian, 2500, 2), CLOUD),
        ("gaussian d=5", 1, (data.gaussian, 300, 5), CLOUD),
        ("gaussian d=10", 1, (data.gaussian, 300, 10), CLOUD),
        ("gaussian d=20", 1, (data.gaussian, 200, 20), CLOUD | BASIC | {"structure": (NOT_SEEN,)}),
        ("gaussian d=50", 1, (data.gaussian, 300, 50), CLOUD),
        ("gaussian correlated d=2", 1, (data.correlated, 300, 2, 0.99), CLOUD),
        ("gaussian correlated d=3", 1, (data.correlated, 200, 3, 0.9), CLOUD),
        ("gaussian correlated d=10", 1, (data.correlated, 300, 10, 0.7), CLOUD),
        ("gaussian any covariance d=5", 1, (data.any_gaussian, 300, 5, 10.0), CLOUD),
        ("gaussian any covariance d=15", 1, (data.any_gaussian, 300, 15, 20.0), CLOUD),
        ("random walks", 1, (data.walks, 200, 15), CLOUD | BASIC),
        (
            "uniform square",
            1,
            (data.uniform, 200, 2),
            CLOUD | BASIC | {"stability": (NO_STABLE_GROUPS,), "structure": (NOT_SEEN,)},
        ),
        ("uniform square, 1500 objects", 1, (data.uniform, 1500, 2), CLOUD),
        ("uniform cube", 1, (data.uniform, 200, 3), CLOUD),
        ("uniform d=10", 1, (data.uniform, 300, 10), CLOUD),
        ("uniform disc", 1, (data.disc, 200), CLOUD),
        ("uniform ball d=4", 1, (data.ball, 300, 4), CLOUD),
        ("uniform triangle", 1, (data.triangular_area, 250)),
        ("surface of a ball", 1, (data.sphere, 300, 3)),
        ("line", 1, (data.segment, 150), BASIC),
        ("lattice", 1, (data.lattice, 15)),
        ("half ring", 1, (data.arc, 200, 0.5)),
        ("one ring", 1, (data.arc, 250, 1.0)),
        ("one spiral arm", 1, (data.spiral, 200, 1)),
        ("sine wave", 1, (data.sine, 250)),
        ("banana", 1, (data.banana, 250), BASIC),
        ("helix", 1, (data.helix, 300)),
        ("swiss roll", 1, (data.swiss_roll, 500)),
        ("student 5 df d=2", 1, (data.students, 300, 2, 5)),
        ("student 5 df d=10", 1, (data.students, 300, 10, 5)),
        ("student 3 df", 1, (data.students, 200, 2, 3)),
        ("student 2 df", 1, (data.students, 200, 2, 2)),
        ("cauchy", 1, (data.students, 150, 2, 1), BASIC),
        ("laplace", 1, (data.laplace, 300, 3)),
        ("contaminated gaussian", 1, (data.contaminated, 300, 2, 0.1, 4.0)),
        ("lognormal", 1, (data.lognormal, 200, 2), BASIC),
        ("lognormal d=5", 1, (data.lognormal, 300, 5, 0.6)),
        ("exponential", 1, (data.exponential, 200, 2)),
        ("exponential d=8", 1, (data.exponential, 300, 8)),
        ("gamma d=3", 1, (data.gamma, 300, 3, 3.0)),
        ("poisson counts", 1, (data.counts, 300, 4, 3.0)),
        ("rounded gaussian", 1, (rounded_gaussian,)),
        (
            "gaussian and an outlier",
            1,
            (gaussian_and_outliers, [[30, 30]]),
            {"also": (never("a cluster of one object does not win", 2),)},
        ),
        (
            "gaussian and three outliers",
            1,
            (gaussian_and_outliers, [[30, 30], [-40, 10], [5, -35]]),
            {"also": (never("clusters of one object do not win", 4),)},
        ),
    ],
    grade=Grade.ONE_GROUP,
)


# --- round groups -----------------------------------------------------------------------------------------


def plain(k: int) -> dict[str, Any]:
    """Round groups alike, in few dimensions: nothing is easier."""
    return {
        "also": (
            clearly("groups are round, alike and 10 standard deviations apart", k),
            no_remark("all columns have the same unit", "scale"),
        )
    }


STABLE_THREE = {
    "stability": (clearly("groups far apart are stable", 3),),
    "structure": (SEEN, no_remark("nothing is easier to see", "low_power")),
}

BLOBS = situations(
    "round groups far apart",
    [
        ("blobs k=2 d=2", 2, (data.blobs, [60] * 2), BASIC | plain(2)),
        ("blobs k=3 d=1", 3, (data.blobs, [40] * 3, 1), plain(3)),
        ("blobs k=3 d=2", 3, (data.blobs, [50] * 3), BASIC | plain(3) | STABLE_THREE),
        ("blobs k=4 d=2 scattered", 4, (data.scattered_blobs, [75] * 4), BASIC | plain(4)),
        ("blobs k=5 d=2", 5, (data.blobs, [40] * 5), plain(5)),
        ("blobs k=6 d=2 scattered", 6, (data.scattered_blobs, [50] * 6), plain(6)),
        ("blobs k=8 d=2 scattered", 8, (data.scattered_blobs, [40] * 8)),
        ("blobs k=10 d=2", 10, (data.blobs, [30] * 10), BASIC),
        ("blobs k=2 d=3", 2, (data.blobs, [100] * 2, 3), plain(2)),
        ("blobs k=8 d=3", 8, (data.blobs, [30] * 8, 3)),
        ("blobs k=7 d=3 scattered", 7, (data.scattered_blobs, [50] * 7, 3)),
        ("blobs k=4 d=5 alike", 4, (data.simplex, 4, 50, 5, 10.0)),
        ("blobs k=6 d=5", 6, (data.blobs, [40] * 6, 5), BASIC),
        ("blobs k=2 d=10", 2, (data.blobs, [60] * 2, 10)),
        ("blobs k=5 d=10 scattered", 5, (data.scattered_blobs, [40] * 5, 10, 12.0)),
        ("blobs k=4 d=20", 4, (data.blobs, [40] * 4, 20), BASIC | {"structure": (SEEN,)}),
        ("blobs k=3 d=50 alike", 3, (data.simplex, 3, 60, 50, 16.0)),
        ("blobs k=3, 2400 objects", 3, (data.blobs, [800] * 3)),
    ],
    **FAR,
)

MANY = situations(
    "15 to 100 groups",
    [
        ("blobs k=12 d=2", 12, (data.blobs, [30] * 12)),
        ("blobs k=15 d=2", 15, (data.blobs, [30] * 15), BASIC),
        ("blobs k=15 d=2 scattered", 15, (data.scattered_blobs, [40] * 15)),
        ("blobs k=15 d=5", 15, (data.blobs, [30] * 15, 5)),
        ("blobs k=20 d=3 scattered", 20, (data.scattered_blobs, [30] * 20, 3)),
        ("blobs k=25 d=2", 25, (data.blobs, [24] * 25)),
        ("blobs k=25 d=2 scattered", 25, (data.scattered_blobs, [30] * 25)),
        ("blobs k=25 d=10 scattered", 25, (data.scattered_blobs, [30] * 25, 10, 10.0)),
        ("blobs k=35 d=2 scattered", 35, (data.scattered_blobs, [25] * 35)),
        ("blobs k=35 d=3", 35, (data.blobs, [25] * 35, 3)),
        ("blobs k=50 d=2", 50, (data.blobs, [25] * 50)),
        ("blobs k=50 d=2 scattered", 50, (data.scattered_blobs, [30] * 50)),
        ("blobs k=50 d=8 scattered", 50, (data.scattered_blobs, [25] * 50, 8, 10.0)),
        ("blobs k=64 d=3", 64, (data.blobs, [25] * 64, 3)),
        ("blobs k=64 d=2 scattered", 64, (data.scattered_blobs, [25] * 64)),
        ("blobs k=100 d=2", 100, (data.blobs, [25] * 100)),
        ("blobs k=100 d=2 scattered", 100, (data.scattered_blobs, [30] * 100)),
        ("blobs k=15 d=2, 5 sd apart", 15, (data.scattered_blobs, [40] * 15, 2, 5.0), NEAR),
        ("blobs k=30 d=2, 6 sd apart", 30, (data.scattered_blobs, [30] * 30, 2, 6.0), NEAR),
    ],
    **FAR,
)

OVERLAPPING = situations(
    "round groups that overlap",
    [
        ("blobs 2 sd apart", 3, (data.triangle, 70, 2.0), HARD | BASIC | {"groups": OVERLAP}),
        ("blobs 3 sd apart", 3, (data.triangle, 70, 3.0)),
        # the test of structure promises to find groups 5 deviations apart
        ("blobs 4 sd apart", 3, (data.triangle, 70, 4.0), BASIC | stable_only_if("they overlap", 3)),
        ("blobs 5 sd apart", 3, (data.triangle, 70, 5.0), NEAR),
        ("blobs 4 sd apart, 2100 objects", 3, (data.triangle, 700, 4.0), NEAR),
        ("two blobs 3 sd apart d=1", 2, (data.blobs, [100] * 2, 1, 3.0)),
        ("two blobs 5 sd apart d=5", 2, (data.blobs, [100] * 2, 5, 5.0), NEAR),
        ("two blobs 4 sd apart d=10", 2, (data.blobs, [150] * 2, 10, 4.0)),
        ("blobs k=4 d=20, 6 sd apart", 4, (data.simplex, 4, 60, 20, 6.0), NEAR),
        ("blobs k=5 d=2, 4 sd apart", 5, (data.scattered_blobs, [60] * 5, 2, 4.0)),
        ("blobs k=8 d=2, 4.5 sd apart", 8, (data.scattered_blobs, [50] * 8, 2, 4.5)),
        ("blobs k=10 d=3, 4 sd apart", 10, (data.scattered_blobs, [40] * 10, 3, 4.0)),
    ],
    **HARD,
)


# --- unequal groups ---------------------------------------------------------------------------------------

SIZES = situations(
    "unequal sizes",
    [
        (
            "sizes 500, 50, 12",
            3,
            (data.blobs, [500, 50, 12], 2, 12.0),
            NEAR | BASIC | stable_only_if("large groups are not to be split", 3) | {"groups": CENTRES},
        ),
        ("sizes 300, 30, 30", 3, (data.scattered_blobs, [300, 30, 30], 2, 12.0)),
        ("sizes 200, 100, 50, 25", 4, (data.scattered_blobs, [200, 100, 50, 25], 2, 12.0), BASIC),
        ("sizes 400, 40 x 4", 5, (data.scattered_blobs, [400, 40, 40, 40, 40], 2, 12.0)),
        ("sizes 320 to 20 d=5", 5, (data.scattered_blobs, [320, 160, 80, 40, 20], 5, 12.0)),
        ("sizes 150, 50, 25 d=10", 3, (data.scattered_blobs, [150, 50, 25], 10, 12.0)),
        ("sizes 1500, 100 x 3", 4, (data.scattered_blobs, [1500, 100, 100, 100], 2, 12.0)),
        ("sizes 200 x 3, 25 x 5", 8, (data.scattered_blobs, [200] * 3 + [25] * 5, 2, 12.0)),
        ("sizes 200 and 20, 4 sd apart", 2, (data.blobs, [200, 20], 2, 4.0), HARD),
    ],
    **FAR,
)

SPREADS = situations(
    "unequal spreads and densities",
    [
        (
            "spreads 0.2, 1, 3",
            3,
            (data.blobs, [80] * 3, 2, 30.0, [0.2, 1.0, 3.0]),
            FAR | BASIC | stable_only_if("wide groups are not to be split", 3),
        ),
        ("spreads 1, 2, 4", 3, (data.scattered_blobs, [80] * 3, 2, 36.0, [1.0, 2.0, 4.0]), FAR),
        ("spreads 0.5 to 2.5", 5, (data.scattered_blobs, [60] * 5, 2, 25.0, [0.5, 1.0, 1.5, 2.0, 2.5]), FAR),
        ("spreads 1, 2, 3 d=5", 3, (data.scattered_blobs, [80] * 3, 5, 30.0, [1.0, 2.0, 3.0]), FAR),
        ("spreads 1, 3 d=10", 2, (data.scattered_blobs, [100] * 2, 10, 30.0, [1.0, 3.0]), FAR),
        ("spreads 1, 3, 8 d=2, few between", 3, (data.blobs, [80] * 3, 2, 25.0, [1.0, 2.0, 4.0]), NEAR),
        ("equal densities, sizes 40 to 360", 3, (data.blobs, [40, 160, 360], 2, 30.0, [1.0, 2.0, 3.0]), FAR),
        ("a dense group in a wide one", 2, (data.dense_in_wide, [150, 150], [8.0, 1.0]), BASIC),
        ("a dense group in a wide one d=5", 2, (data.dense_in_wide, [150, 150], [5.0, 1.0], 5)),
        ("three densities around one centre", 3, (data.dense_in_wide, [150] * 3, [15.0, 4.0, 1.0])),
        ("a step of density", 2, (data.density_step, 60, 8)),
        ("boxes with gaps", 4, (data.boxes, 4, 60, 2, 1.0), GAP),
        ("boxes d=3 with gaps", 8, (data.boxes, 8, 40, 3, 1.0), GAP),
        ("boxes that nearly touch", 2, (data.boxes, 2, 120, 2, 0.1)),
        ("two blobs and a bridge", 2, (data.bridged, 120, 10.0, 15), NEAR),
    ],
    **HARD,
)


# --- elongated and other shapes ---------------------------------------------------------------------------

ELONGATED = situations(
    "elongated groups",
    [
        ("elongated", 3, (data.sausages, 3, 100, 10.0, 12.0), FAR | {"groups": ACROSS} | BASIC),
        ("elongated, 8 sd apart", 2, (data.sausages, 2, 100, 5.0, 8.0), FAR | {"groups": ACROSS}),
        ("elongated k=5", 5, (data.sausages, 5, 100, 8.0, 10.0), FAR | {"groups": ACROSS}),
        ("two stripes", 2, (data.stripes, 2, 150, 60.0, 10.0), GAP | BASIC),
        ("three stripes", 3, (data.stripes, 3, 150, 60.0, 10.0), GAP),
        ("five stripes", 5, (data.stripes, 5, 120, 40.0, 10.0), GAP),
        ("two stripes, 2000 objects", 2, (data.stripes, 2, 1000, 60.0, 8.0), GAP),
        ("two stripes, 4 sd apart", 2, (data.stripes, 2, 200, 60.0, 4.0)),
        ("ellipses k=3 d=2", 3, (data.ellipses, [80] * 3, 2, 5.0, 7.0), FAR),
        ("ellipses k=6 d=2", 6, (data.ellipses, [60] * 6, 2, 6.0, 7.0), FAR),
        ("ellipses k=4 d=3", 4, (data.ellipses, [80] * 4, 3, 5.0, 7.0), FAR),
        ("ellipses k=3 d=5", 3, (data.ellipses, [100] * 3, 5, 5.0, 8.0), FAR),
        ("ellipses k=4 d=10", 4, (data.ellipses, [120] * 4, 10, 5.0, 8.0), FAR),
        ("ellipses k=5 d=2 close", 5, (data.ellipses, [80] * 5, 2, 6.0, 3.0)),
        ("ellipses k=3 d=5 close", 3, (data.ellipses, [100] * 3, 5, 5.0, 3.5)),
        ("a cross", 2, (data.crossed, 120)),
    ],
    **HARD,
)

SHAPES = situations(
    "rings, moons, spirals",
    [
        ("two moons", 2, (data.moons, 100), BASIC | {"structure": (SEEN,)}),
        ("two moons, 500 objects", 2, (data.moons, 250, 0.07)),
        ("two moons, 2000 objects", 2, (data.moons, 1000)),
        ("two moons, noisy", 2, (data.moons, 200, 0.13), HARD),
        ("two rings", 2, (data.rings, [100, 200])),
        ("three rings", 3, (data.rings, [100, 200, 300]), BASIC),
        ("three rings, few objects", 3, (data.rings, [50, 100, 150]), NEAR),
        ("two rings, noisy", 2, (data.rings, [150, 300], 0.15), NEAR),
        ("a ring around a blob", 2, (data.ring_and_blob, [200, 80])),
        ("a shell around a ball", 2, (data.ball_in_shell, [400, 150])),
        ("chain links", 2, (data.chain_links, 150), BASIC),
        ("two spiral arms", 2, (data.spiral, 150, 2), BASIC),
        ("spiral", 3, (data.spiral, 110), {"structure": (SEEN,)}),
        ("three spiral arms, 1800 objects", 3, (data.spiral, 600, 3, 0.1)),
        ("smile", 4, (data.smile, 100)),
        ("bars and a disc", 3, (data.bars_and_disc, 120)),
        ("three waves", 3, (data.zigzags, 3, 150)),
        ("a ring, a blob, moons and a bar", 5, (data.mixed_shapes, 200), NEAR | {"coarse": 3}),
    ],
    **GAP,
)


# --- noise and tails --------------------------------------------------------------------------------------


def noisy(
    rng: np.random.Generator,
    make: Callable[..., Sample],
    given: Sequence[Any],
    share: float,
    margin: float = 3.0,
) -> Sample:
    return data.with_noise(rng, make(rng, *given), share, margin)


def two_and_an_outlier(rng: np.random.Generator) -> Sample:
    return data.with_outliers(data.blobs(rng, [80, 80]), [[5, 60]])


NOISE = situations(
    "noise and tails",
    [
        ("blobs with 5% noise", 3, (noisy, data.blobs, ([70] * 3, 2, 12.0), 0.05)),
        ("blobs with 10% noise", 3, (noisy, data.blobs, ([70] * 3, 2, 12.0), 0.10), BASIC),
        ("blobs with 20% noise", 3, (noisy, data.blobs, ([70] * 3, 2, 12.0), 0.20)),
        ("blobs with 30% noise", 3, (noisy, data.blobs, ([70] * 3, 2, 12.0), 0.30), HARD),
        ("blobs k=8 with 15% noise", 8, (noisy, data.scattered_blobs, ([50] * 8, 2, 12.0), 0.15)),
        ("blobs d=5 with 20% noise", 4, (noisy, data.blobs, ([60] * 4, 5, 12.0), 0.20)),
        ("blobs k=5, 1500 objects, 10% noise", 5, (noisy, data.scattered_blobs, ([270] * 5,), 0.10)),
        ("two moons with 10% noise", 2, (noisy, data.moons, (200,), 0.10, 0.3), HARD),
        ("three rings with 5% noise", 3, (noisy, data.rings, ([100, 200, 300],), 0.05, 0.3), HARD),
        ("two stripes with 20% noise", 2, (noisy, data.stripes, (2, 200, 60.0, 12.0), 0.20), HARD),
        ("spiral with 5% noise", 3, (noisy, data.spiral, (150,), 0.05, 0.3), HARD),
        ("blobs with tails of 3 df", 3, (data.blobs, [80] * 3, 2, 20.0, None, 3), BASIC),
        ("blobs with tails of 2 df", 4, (data.blobs, [80] * 4, 2, 25.0, None, 2)),
        ("blobs d=5 with tails of 4 df", 3, (data.blobs, [80] * 3, 5, 20.0, None, 4)),
        (
            "two blobs and an outlier",
            2,
            (two_and_an_outlier,),
            {"also": (never("a cluster of one object does not win", 3),)},
        ),
    ],
    **NEAR,
)


# --- columns: units, skew, categories, many ---------------------------------------------------------------


def in_units(rng: np.random.Generator, sizes: Sequence[int], units: Sequence[float]) -> Sample:
    return data.in_units(data.scattered_blobs(rng, sizes, len(units)), units)


def beside_a_wide_column(rng: np.random.Generator, sizes: Sequence[int], sd: float) -> Sample:
    sample = data.blobs(rng, sizes)
    return data.with_columns(sample, rng.normal(scale=sd, size=len(sample.X)))


def beside_constants(rng: np.random.Generator) -> Sample:
    sample = data.blobs(rng, [40] * 3)
    return data.with_columns(sample, np.full(120, 7.0), np.zeros(120))


def with_combinations(rng: np.random.Generator) -> Sample:
    return data.with_combinations(data.blobs(rng, [40] * 3))


ONE_COLUMN = says("one column makes almost all of the distances", "scale")

UNITS = situations(
    "units",
    [
        (
            "euros beside shares",
            4,
            (data.customers, 50),
            NEAR
            | BASIC
            | {"coarse": 2, "also": (ONE_COLUMN,), "structure": (ONE_COLUMN,)}
            | {"stability": (ONE_COLUMN, clear_only_if("euros have two groups, shares four", 4, 2))},
        ),
        ("grams beside tonnes", 3, (in_units, [60] * 3, [1.0, 1e-6, 1e3]), {"groups": ACROSS}),
        ("thousandths beside thousands", 4, (in_units, [60] * 4, [1e-3, 1e3]), {"groups": ACROSS}),
        ("tens beside ones d=4", 4, (in_units, [60] * 4, [1.0, 10.0, 1.0, 10.0]), NEAR),
        (
            "blobs beside a wide column",
            3,
            (beside_a_wide_column, [80] * 3, 100.0),
            NEAR | {"also": (ONE_COLUMN,)},
        ),
        ("blobs beside a wider column", 4, (beside_a_wide_column, [60] * 4, 20.0), NEAR),
        ("constant columns beside good ones", 3, (beside_constants,), plain(3)),
        ("collinear columns", 3, (with_combinations,), {"also": (clearly("groups far apart", 3),)}),
    ],
    **FAR,
)


def exponentiated(
    rng: np.random.Generator, sizes: Sequence[int], d: int, apart: float, rate: float
) -> Sample:
    return data.exponentiated(data.blobs(rng, sizes, d, apart), rate)


SKEW = situations(
    "skewed columns",
    [
        ("exponential groups", 3, (data.skewed_blobs, [80] * 3, 2, 10.0, 1.0), FAR | BASIC),
        ("exponential groups d=5", 4, (data.skewed_blobs, [80] * 4, 5, 12.0, 1.0), FAR),
        ("gamma groups k=6", 6, (data.skewed_blobs, [60] * 6, 2, 10.0, 2.0), FAR),
        ("exponential groups, 5 sd apart", 3, (data.skewed_blobs, [80] * 3, 2, 5.0, 1.0)),
        ("lognormal groups", 2, (exponentiated, [100] * 2, 2, 8.0, 0.4)),
        ("lognormal groups k=4", 4, (exponentiated, [80] * 4, 2, 10.0, 0.3)),
        ("counts with two rates", 4, (data.count_groups, [80] * 4, 2, (2.0, 25.0))),
        ("counts with two rates d=6", 5, (data.count_groups, [60] * 5, 6, (3.0, 15.0)), HARD),
    ],
    **NEAR,
)

CATEGORIES = situations(
    "categories",
    [
        (
            "codes 1 to 3",
            1,
            (data.codes, 250, 4, 3),
            {"grade": Grade.ONE_GROUP, "also": (MANY_EQUAL,)} | BASIC,
        ),
        ("one-hot columns", 1, (data.one_hot, 200, 3, 3), {"grade": Grade.ONE_GROUP, "also": (MANY_EQUAL,)}),
        ("coin flips", 1, (data.codes, 300, 15, 2), {"grade": Grade.ONE_GROUP}),
        ("two binary classes", 2, (data.latent_classes, [100] * 2, 15, 0.9), BASIC),
        ("three binary classes", 3, (data.latent_classes, [80] * 3, 20, 0.9)),
        ("four binary classes", 4, (data.latent_classes, [80] * 4, 30, 0.9)),
        ("three binary classes, unsure", 3, (data.latent_classes, [100] * 3, 15, 0.75), HARD),
        ("three classes of 3 levels", 3, (data.latent_classes, [80] * 3, 15, 0.85, 3)),
        ("four one-hot classes", 4, (data.latent_one_hot, [60] * 4, 12, 0.85, 3)),
        ("answers from 1 to 5", 3, (data.latent_classes, [80] * 3, 12, 0.8, 5), HARD),
        ("two binary classes, sizes 200 and 40", 2, (data.latent_classes, [200, 40], 15, 0.9)),
    ],
    **NEAR,
)


def embedded(rng: np.random.Generator, sizes: Sequence[int], of: int, d: int, noise: float) -> Sample:
    return data.embedded(rng, data.scattered_blobs(rng, sizes, of), d, noise)


COLUMNS = situations(
    "20 to 50 columns",
    [
        (
            "4 groups in 3 of 50 dimensions",
            4,
            (data.in_few_dimensions, 4, 40, 3, 50, 10.0),
            BASIC | {"structure": (SEEN,), "groups": CENTRES},
        ),
        (
            "3 groups in 2 of 20 dimensions",
            3,
            (data.in_few_dimensions, 3, 80, 2, 20, 8.0),
            {"groups": CENTRES},
        ),
        ("3 groups in 2 of 30 dimensions", 3, (data.in_few_dimensions, 3, 80, 2, 30, 5.0), HARD),
        (
            "2 groups, 40 objects in 50 dimensions",
            2,
            (data.in_few_dimensions, 2, 20, 1, 50, 25.0),
            {"groups": CENTRES},
        ),
        ("5 groups in a plane of 30 dimensions", 5, (embedded, [60] * 5, 2, 30, 0.3), FAR),
        ("6 groups in a space of 50 dimensions", 6, (embedded, [50] * 6, 3, 50, 0.3), FAR),
        ("blobs k=5 d=50", 5, (data.simplex, 5, 60, 50, 14.0), {"groups": CENTRES}),
        ("blobs k=6 d=30, 8 sd apart", 6, (data.simplex, 6, 60, 30, 8.0), {"groups": CENTRES}),
        ("blobs k=3 d=50, 6 sd apart", 3, (data.simplex, 3, 80, 50, 6.0), HARD),
        ("blobs k=10 d=20, 1500 objects", 10, (data.simplex, 10, 150, 20, 10.0), FAR),
    ],
    **NEAR,
)


# --- copies -----------------------------------------------------------------------------------------------


def copies(rng: np.random.Generator, make: Callable[..., Sample], given: Sequence[Any], times: int) -> Sample:
    return data.repeated(make(rng, *given), times)


def rounded(
    rng: np.random.Generator, make: Callable[..., Sample], given: Sequence[Any], step: float
) -> Sample:
    return data.rounded(make(rng, *given), step)


COPIES = situations(
    "copies and rounding",
    [
        (
            "gaussian, each object 5 times",
            1,
            (copies, data.gaussian, (40, 2), 5),
            {"grade": Grade.ONE_GROUP, "also": (MANY_EQUAL,)},
        ),
        (
            "blobs, each object 5 times",
            3,
            (copies, data.blobs, ([20] * 3,), 5),
            BASIC | {"also": (MANY_EQUAL,)},
        ),
        ("two moons, each object twice", 2, (copies, data.moons, (150,), 2)),
        (
            "90% of the rows equal",
            1,
            (data.mostly_equal_rows, 200, 180),
            {"grade": Grade.ONE_GROUP, "also": (MANY_EQUAL,)},
        ),
        (
            "all rows equal",
            1,
            (data.equal_rows, 40),
            {"grade": Grade.ONE_CLOUD, "also": (one_group("all objects are the same"), MANY_EQUAL)} | BASIC,
        ),
        ("a cloud with copies of one point", 1, (data.atom_in_a_cloud, 200, 40), {"grade": Grade.ONE_GROUP}),
        ("blobs rounded to whole numbers", 4, (rounded, data.blobs, ([60] * 4,), 1.0), FAR),
        ("ellipses rounded", 3, (rounded, data.ellipses, ([100] * 3, 2, 5.0, 7.0), 2.0), FAR),
        ("a column of 0 and 1 beside two blobs", 4, (data.discrete_column, 80), {"coarse": 2}),
    ],
    **NEAR,
)


# --- levels, tiny data ------------------------------------------------------------------------------------


def both_levels(coarse: int, fine: int) -> dict[str, Any]:
    return {"coarse": coarse, "also": (offers("both levels are far apart", coarse, fine),)}


LEVELS = situations(
    "groups of groups",
    [
        ("3 groups of 3", 9, (data.nested_blobs, 3, 3, 40), BASIC | both_levels(3, 9)),
        ("2 groups of 3", 6, (data.nested_blobs, 2, 3, 50), both_levels(2, 6)),
        ("2 groups of 2", 4, (data.nested_blobs, 2, 2, 60), both_levels(2, 4)),
        ("4 groups of 4", 16, (data.nested_blobs, 4, 4, 30), both_levels(4, 16)),
        ("5 groups of 5", 25, (data.nested_blobs, 5, 5, 25, 2, 10.0, 120.0), both_levels(5, 25)),
        ("10 groups of 2", 20, (data.nested_blobs, 10, 2, 30), both_levels(10, 20)),
        ("3 groups of 3 d=3", 9, (data.nested_blobs, 3, 3, 40, 3), both_levels(3, 9)),
        ("3 groups of 3 d=5", 9, (data.nested_blobs, 3, 3, 40, 5), both_levels(3, 9)),
        ("2 groups of 4 d=10", 8, (data.nested_blobs, 2, 4, 50, 10), both_levels(2, 8)),
        ("10 groups of 10", 100, (data.nested_blobs, 10, 10, 25, 2, 10.0, 150.0), both_levels(10, 100)),
        (
            "3 groups of 3, 5 sd apart inside",
            9,
            (data.nested_blobs, 3, 3, 50, 2, 5.0, 50.0),
            NEAR | {"coarse": 3},
        ),
        (
            "3 groups of 4, 3 sd apart inside",
            12,
            (data.nested_blobs, 3, 4, 40, 2, 3.0, 50.0),
            NEAR | {"coarse": 3},
        ),
        ("2 pairs of moons", 4, (data.nested_moons, 2, 100), both_levels(2, 4) | {"groups": GAPS}),
        ("3 pairs of moons", 6, (data.nested_moons, 3, 100), both_levels(3, 6) | {"groups": GAPS}),
        (
            "2 bundles of 3 stripes",
            6,
            (data.nested_stripes, 2, 3, 90),
            both_levels(2, 6) | {"groups": ACROSS},
        ),
    ],
    **FAR,
)

TINY = situations(
    "fewer than 30 objects",
    [
        ("5 objects", 1, (data.gaussian, 5, 2), CLOUD | BASIC | {"also": (NOT_SEEN,)}),
        ("12 objects", 1, (data.gaussian, 12, 2), CLOUD),
        ("20 objects d=5", 1, (data.gaussian, 20, 5), CLOUD),
        ("8 objects in 2 groups", 2, (data.blobs, [4, 4], 2, 20.0), {"also": (SEEN,)} | BASIC),
        ("12 objects in 3 groups", 3, (data.blobs, [4] * 3, 2, 20.0), {"also": (SEEN,)}),
        ("24 objects in 3 groups", 3, (data.blobs, [8] * 3, 2, 20.0), NEAR),
        ("28 objects in 2 groups d=4", 2, (data.blobs, [14] * 2, 4, 15.0), NEAR),
    ],
    grade=Grade.HARD,
)


# --- asked in another way ---------------------------------------------------------------------------------


def euros_scaled() -> dict[str, Any]:
    return {"scale": "standard"}


def k_means(ks: Sequence[int]) -> Callable[[], dict[str, Any]]:
    return lambda: {"estimator": KMeans(n_init=3, random_state=0), "ks": ks}


def k_from(ks: Sequence[int]) -> Callable[[], dict[str, Any]]:
    return lambda: {"ks": ks}


def mixture(ks: Sequence[int]) -> Callable[[], dict[str, Any]]:
    return lambda: {"estimator": pt.cluster.GaussianMixtureEM(), "ks": ks, "n_runs": 3}


NOT_THE_LAST = never_clear("the largest number that was tried is not clear")
COLLAPSED = says("a component has no variance left", "collapsed", "flaw")

ASKED_OTHERWISE = situations(
    "asked in another way",
    [
        (
            "blobs k=6 in k=2..4",
            6,
            (data.blobs, [40] * 6),
            {"options": k_from(range(2, 5)), "instead": True, "also": (NOT_THE_LAST,), "groups": CENTRES},
        ),
        (
            "blobs k=2 in k=3..8",
            2,
            (data.blobs, [60] * 2),
            {
                "options": k_from(range(3, 9)),
                "instead": True,
                "also": (clear_only_if("2 was not asked for", 2),),
                "groups": CENTRES,
            },
        ),
        (
            "blobs k=5 in k=2..5",
            5,
            (data.blobs, [40] * 5),
            {
                "options": k_from(range(2, 6)),
                "also": (says("6 was not tried", "end_of_range"), NOT_THE_LAST),
                "groups": CENTRES,
            },
        ),
        (
            "blobs by fuzzy c-means",
            4,
            (data.blobs, [40] * 4),
            FAR | {"options": lambda: {"estimator": pt.cluster.FuzzyCMeans(), "ks": range(2, 9)}},
        ),
        ("blobs by a mixture", 3, (data.blobs, [40] * 3), FAR | {"options": mixture(range(1, 7))}),
        (
            "elongated, by a mixture",
            3,
            (data.sausages, 3, 60, 10.0, 12.0),
            NEAR | {"options": mixture(range(1, 7))},
        ),
        (
            "two moons by k-means",
            2,
            (data.moons, 100),
            {"options": k_means(range(2, 9)), "instead": True, "also": (never_clear("it cuts across"), SEEN)},
        ),
        (
            "elongated, by k-means",
            3,
            (data.sausages, 3, 100, 10.0, 12.0),
            {"options": k_means(range(2, 9)), "instead": True, "also": (never_clear("it cuts across"), SEEN)},
        ),
        (
            "euros beside shares, scaled",
            4,
            (data.customers, 50),
            FAR
            | {
                "coarse": 2,
                "groups": "",
                "options": euros_scaled,
                "also": (no_remark("the columns are scaled", "scale"),),
            }
            | stable_only_if("shares have four groups, euros two", 4, 2),
        ),
        (
            "a mixture collapses on copies",
            1,
            (data.atom_in_a_cloud, 120, 30),
            {"grade": Grade.ONE_GROUP, "options": mixture(range(1, 6)), "also": (COLLAPSED,)},
        ),
        (
            "a mixture collapses on whole numbers",
            4,
            (data.discrete_column, 60),
            HARD | {"coarse": 2, "options": mixture(range(1, 8)), "also": (COLLAPSED,)},
        ),
    ],
    **HARD,
)

SITUATIONS: dict[str, Situation] = {}
for _one in (
    *NO_GROUPS,
    *BLOBS,
    *MANY,
    *OVERLAPPING,
    *SIZES,
    *SPREADS,
    *ELONGATED,
    *SHAPES,
    *NOISE,
    *UNITS,
    *SKEW,
    *CATEGORIES,
    *COLUMNS,
    *COPIES,
    *LEVELS,
    *TINY,
    *ASKED_OTHERWISE,
):
    if _one.name in SITUATIONS:
        raise ValueError(f"two situations of the same name: {_one.name}")
    SITUATIONS[_one.name] = _one

PROCEDURES = ("choose_k", "stability", "structure")
ASKED = [
    (s.name, procedure) for s in SITUATIONS.values() for procedure in PROCEDURES if s.expected(procedure)
]
"""Which procedures are asked about which situations."""
