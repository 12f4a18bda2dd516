"""The corpus: small data situations, each with what an answer may and may not say about it, and why.

Rules are to have reasons, not thresholds fitted to these: seeds are 0, 1, 2, ... as they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import generated_data as data
import partita as pt
from expectations import (
    Expectation,
    beyond,
    clear_only_if,
    clearly,
    exactly,
    never,
    never_clear,
    not_nothing,
    one_group,
    says,
    silent,
)
from generated_data import Maker, Sample

SEEDS = (0, 1, 2, 3, 4)

CENTRES, GAPS, OVERLAP = "centres", "gaps", "overlap"
"""How groups lie: centres are 6 standard deviations of a draw apart or more; a gap is wider than any within a
group; or a good share of the objects is nearer to the centre of another group."""

Expectations = tuple[Expectation, ...]


@dataclass(frozen=True)
class Situation:
    """Data of one kind; the true number of groups, if there is one; and what may be said.

    ``choose_k`` is what is expected of that function, with ``options`` beside the data and the seed (a
    function makes them, so that no estimator is shared); ``stability`` and ``structure`` likewise, where they
    are asked. ``groups`` says how the groups lie to each other. A ``sibling`` of another situation is asked
    by ``make answers`` and ``make test-full`` only.
    """

    name: str
    make: Maker
    k: int | None
    choose_k: Expectations
    options: Callable[[], Mapping[str, Any]] = field(default=dict)
    stability: Expectations = ()
    structure: Expectations = ()
    groups: str = ""
    sibling: bool = False

    def sample(self, seed: int) -> Sample:
        """Data and their groups; a user draws data and asks with the same seed, and so do we."""
        return self.make(np.random.default_rng(seed))

    def expected(self, procedure: str) -> Expectations:
        return {"choose_k": self.choose_k, "stability": self.stability, "structure": self.structure}[
            procedure
        ]

    def ask(self, procedure: str, X: Any, seed: int) -> Any:
        """The result of a procedure on data of this kind."""
        options = self.options()
        if procedure == "structure":
            return pt.selection.structure(X, random_state=seed)
        return {"choose_k": pt.choose_k, "stability": pt.stability}[procedure](
            X, random_state=seed, **options
        )


CLOUD = one_group("one law made all objects: to split them is to make groups up")
NO_GROUPS_SURE = never_clear("one law made all objects, though it is neither normal nor uniform")
NO_STABLE_GROUPS = never_clear("what is found again in one cloud is its outline, not groups")
SEEN = not_nothing("there are groups, far apart")
NOT_SEEN = one_group("one law made all objects")


def separated(k: int) -> Expectations:
    return (
        clearly(k, "groups are round, alike and 10 standard deviations apart"),
        silent("scale", "all features are in the same unit"),
        silent("non_convex", "round groups are what compactness is made for"),
    )


def told_apart(k: int, why: str) -> Expectations:
    return clear_only_if(k, why), SEEN


NO_GROUPS = [
    Situation("gaussian d=1", lambda r: data.gaussian(r, 100, 1), 1, (CLOUD,)),
    Situation(
        "gaussian d=2",
        lambda r: data.gaussian(r, 150, 2),
        1,
        (CLOUD,),
        stability=(NO_STABLE_GROUPS,),
        structure=(NOT_SEEN,),
    ),
    Situation("gaussian d=5", lambda r: data.gaussian(r, 150, 5), 1, (CLOUD,), sibling=True),
    Situation("gaussian d=20", lambda r: data.gaussian(r, 100, 20), 1, (CLOUD,), structure=(NOT_SEEN,)),
    Situation("gaussian correlated", lambda r: data.correlated(r, 150, 3, 0.9), 1, (CLOUD,), sibling=True),
    Situation("random walks", lambda r: data.walks(r, 120, 15), 1, (CLOUD,)),
    Situation(
        "uniform square",
        lambda r: data.uniform(r, 150, 2),
        1,
        (CLOUD,),
        stability=(NO_STABLE_GROUPS,),
        structure=(NOT_SEEN,),
    ),
    Situation("uniform cube", lambda r: data.uniform(r, 150, 3), 1, (CLOUD,), sibling=True),
    Situation("uniform disc", lambda r: data.disc(r, 150), 1, (CLOUD,)),
    Situation("line", lambda r: data.segment(r, 100), 1, (NO_GROUPS_SURE,)),
    Situation("lattice", lambda r: data.lattice(r, 12), 1, (NO_GROUPS_SURE,), sibling=True),
    Situation("student 3 df", lambda r: data.students(r, 150, 2, 3), 1, (NO_GROUPS_SURE,), sibling=True),
    Situation("student 2 df", lambda r: data.students(r, 150, 2, 2), 1, (NO_GROUPS_SURE,)),
    Situation("cauchy", lambda r: data.students(r, 150, 2, 1), 1, (NO_GROUPS_SURE,)),
    Situation("lognormal", lambda r: data.lognormal(r, 150, 2), 1, (NO_GROUPS_SURE,)),
    Situation("exponential", lambda r: data.exponential(r, 150, 2), 1, (NO_GROUPS_SURE,), sibling=True),
    Situation(
        "gaussian and an outlier",
        lambda r: data.with_outliers(data.gaussian(r, 100, 2), [[30, 30]]),
        1,
        (never(2, "a cluster of one object does not win"), NO_GROUPS_SURE),
    ),
    Situation(
        "gaussian and three outliers",
        lambda r: data.with_outliers(data.gaussian(r, 100, 2), [[30, 30], [-40, 10], [5, -35]]),
        1,
        (never(4, "clusters of one object do not win"), NO_GROUPS_SURE),
        sibling=True,
    ),
]

BLOBS = [
    Situation(
        f"blobs k={k} d={d}",
        lambda r, k=k, d=d, size=size: data.blobs(r, [size] * k, d),
        k,
        separated(k),
        groups=CENTRES,
        **asked,
    )
    for k, d, size, asked in [
        (2, 2, 40, {}),
        (3, 1, 30, {}),
        (
            3,
            2,
            30,
            {
                "stability": (clearly(3, "groups far apart are found again"),),
                "structure": (SEEN, silent("low_power", "nothing is easier to see")),
            },
        ),
        (4, 20, 25, {"structure": (SEEN,)}),
        (5, 2, 20, {"sibling": True}),
        (6, 5, 20, {}),
        (8, 3, 20, {"sibling": True}),
        (10, 2, 15, {}),
    ]
] + [
    Situation(
        "blobs k=12 beyond the range",
        lambda r: data.blobs(r, [15] * 12),
        12,
        (
            beyond(12, "12 lies beyond 1 to 10: the range is extended, or the end is named as an end"),
            never(10, "the end of the range is no optimum"),
        ),
        stability=(
            clear_only_if(12, "the last k tried is not the answer because it was the last"),
            never(10, "the end of the range is no optimum"),
        ),
        groups=CENTRES,
    ),
    Situation(
        "blobs k=25 far beyond the range",
        lambda r: data.blobs(r, [8] * 25, apart=15.0),
        25,
        (
            clear_only_if(25, "25 lies far beyond what is tried"),
            never(10, "the end of the range is no optimum"),
        ),
        groups=CENTRES,
        sibling=True,
    ),
    Situation(
        "blobs k=6 in k=2..4",
        lambda r: data.blobs(r, [20] * 6),
        6,
        (beyond(None, "no number that was asked for is right, and 4 is only the last"),),
        lambda: {"ks": range(2, 5)},
        groups=CENTRES,
    ),
    Situation(
        "blobs k=2 in k=3..8",
        lambda r: data.blobs(r, [40] * 2),
        2,
        (clear_only_if(2, "2 was not among the numbers asked for"),),
        lambda: {"ks": range(3, 9)},
        groups=CENTRES,
        sibling=True,
    ),
    Situation(
        "blobs k=5 in k=2..5",
        lambda r: data.blobs(r, [20] * 5),
        5,
        (
            says("end_of_range", "whether 6 is better was not tried"),
            never_clear("whether 6 is better was not tried"),
        ),
        lambda: {"ks": range(2, 6)},
        groups=CENTRES,
    ),
    Situation(
        "blobs by fuzzy c-means",
        lambda r: data.blobs(r, [25] * 4),
        4,
        (clearly(4, "groups far apart are plain to a fuzzy method too"),),
        lambda: {"estimator": pt.cluster.FuzzyCMeans()},
        groups=CENTRES,
    ),
    Situation(
        "blobs by a mixture",
        lambda r: data.blobs(r, [30] * 3),
        3,
        (clearly(3, "groups far apart are plain to a mixture too"),),
        lambda: {"estimator": pt.cluster.GaussianMixtureEM(), "ks": range(1, 7), "n_runs": 4},
        groups=CENTRES,
    ),
]

UNEVEN = [
    Situation(
        "blobs 2 sd apart",
        lambda r: data.triangle(r, 50, 2.0),
        3,
        (clear_only_if(3, "groups that overlap by a third cannot be counted for sure"),),
        groups=OVERLAP,
    ),
    Situation(
        "blobs 4 sd apart",
        lambda r: data.triangle(r, 50, 4.0),
        3,
        told_apart(3, "groups overlap a little: 3 or nothing sure"),
        stability=(clear_only_if(3, "groups overlap a little: 3 or nothing sure"),),
    ),
    Situation(
        "unequal sizes",
        lambda r: data.blobs(r, [500, 50, 12], apart=12.0),
        3,
        told_apart(3, "small groups are groups too; large ones are not to be split"),
        stability=(clear_only_if(3, "small groups are groups too; large ones are not to be split"),),
        groups=CENTRES,
    ),
    Situation(
        "unequal scales",
        lambda r: data.blobs(r, [50, 50, 50], apart=30.0, sds=[0.2, 1.0, 3.0]),
        3,
        told_apart(3, "wide and tight groups, with gaps of many standard deviations"),
        stability=(clear_only_if(3, "wide groups are not to be split"),),
        groups=CENTRES,
    ),
    Situation(
        "elongated",
        lambda r: data.sausages(r, 3, 60, 10.0, 12.0),
        3,
        told_apart(3, "k-means cuts long groups across; a gap of 12 standard deviations is there to be seen"),
    ),
    Situation(
        "elongated, by a mixture",
        lambda r: data.sausages(r, 3, 60, 10.0, 12.0),
        3,
        told_apart(3, "full covariances fit long groups, but ten starts of EM do not always find them"),
        lambda: {"estimator": pt.cluster.GaussianMixtureEM(), "ks": range(1, 7)},
    ),
    Situation(
        "blobs with heavy tails",
        lambda r: data.blobs(r, [50, 50, 50], apart=20.0, freedom=3),
        3,
        told_apart(3, "tails are no groups"),
    ),
    Situation(
        "blobs with 5% noise",
        lambda r: data.with_noise(r, data.blobs(r, [50, 50, 50], apart=12.0), 0.05),
        3,
        told_apart(3, "a few objects between the groups make no more groups"),
        sibling=True,
    ),
    Situation(
        "blobs with 20% noise",
        lambda r: data.with_noise(r, data.blobs(r, [50, 50, 50], apart=12.0), 0.2),
        3,
        told_apart(3, "noise makes no groups"),
    ),
    Situation(
        "two blobs and an outlier",
        lambda r: data.with_outliers(data.blobs(r, [50, 50]), [[5, 60]]),
        2,
        (never(3, "a cluster of one object does not win"), clear_only_if(2, "two groups"), SEEN),
    ),
]

NOT_COMPACT = says("non_convex", "shapes are plain to density and not to compactness")

SHAPES = [
    Situation(
        name,
        make,
        k,
        (
            clear_only_if(k, "compact clusters cut across the shapes"),
            *([] if name == "three rings" else [NOT_COMPACT]),  # so few objects break rings into arcs
            SEEN,
        ),
        structure=(SEEN,) if name in {"two moons", "spiral"} else (),
        groups=GAPS,
    )
    for name, make, k in [
        ("two moons", lambda r: data.moons(r, 100), 2),
        ("three rings", lambda r: data.rings(r, [50, 100, 150]), 3),
        ("spiral", lambda r: data.spiral(r, 90), 3),
        ("smile", lambda r: data.smile(r, 60), 4),
    ]
]

MANY_EQUAL = says("duplicates", "most objects are copies of others: there are fewer facts than rows")

COLUMNS = [
    Situation(
        "gaussian, each object 5 times",
        lambda r: data.repeated(data.gaussian(r, 30, 2), 5),
        1,
        (NO_GROUPS_SURE, MANY_EQUAL),
    ),
    Situation(
        "blobs, each object 5 times",
        lambda r: data.repeated(data.blobs(r, [10] * 3), 5),
        3,
        (*told_apart(3, "copies add no groups"), MANY_EQUAL),
    ),
    Situation(
        "90% of the rows equal",
        lambda r: data.mostly_equal_rows(r, 150, 135),
        1,
        (never_clear("one value and a few others are no groups"), MANY_EQUAL),
    ),
    Situation("all rows equal", lambda r: data.equal_rows(r, 30), 1, (CLOUD, MANY_EQUAL)),
    Situation(
        "constant columns beside good ones",
        lambda r: data.with_columns(data.blobs(r, [30] * 3), np.full(90, 7.0), np.zeros(90)),
        3,
        separated(3),
        groups=CENTRES,
    ),
    Situation(
        "collinear columns",
        lambda r: data.with_combinations(data.blobs(r, [30] * 3)),
        3,
        separated(3)[:1],
        groups=CENTRES,
    ),
    Situation("codes 1 to 3", lambda r: data.codes(r, 200, 4, 3), 1, (NO_GROUPS_SURE, MANY_EQUAL)),
    Situation("one-hot columns", lambda r: data.one_hot(r, 150, 3, 3), 1, (NO_GROUPS_SURE, MANY_EQUAL)),
    Situation(
        "euros beside shares",
        lambda r: data.customers(r, 40),
        4,
        (
            says("scale", "euros make up all of the distances"),
            clear_only_if(4, "what is seen is a split of the euros"),
        ),
        stability=(
            says("scale", "euros make up all of the distances"),
            clear_only_if(4, "what is found again is a split of the euros"),
        ),
        structure=(says("scale", "euros make up all of the distances"),),
    ),
    Situation(
        "euros beside shares, scaled",
        lambda r: data.customers(r, 40),
        4,
        (
            exactly(4, "with all features on one scale the shares show their groups"),
            silent("scale", "the features are on one scale"),
        ),
        lambda: {"scale": "standard"},
        stability=(clear_only_if(4, "the shares have four groups"),),
    ),
    Situation(
        "4 groups in 3 of 50 dimensions",
        lambda r: data.in_few_dimensions(r, 4, 25, 3, 50, 10.0),
        4,
        told_apart(4, "groups are far apart where they differ; noise in 47 features hides them"),
        structure=(SEEN,),
        groups=CENTRES,
    ),
    Situation(
        "2 groups, 30 objects in 50 dimensions",
        lambda r: data.in_few_dimensions(r, 2, 15, 1, 50, 25.0),
        2,
        told_apart(2, "fewer objects than features"),
        groups=CENTRES,
    ),
]

TINY = [
    Situation("5 objects", lambda r: data.gaussian(r, 5, 2), 1, (CLOUD,)),
    Situation(
        "8 objects in 2 groups",
        lambda r: data.blobs(r, [4, 4], apart=20.0),
        2,
        told_apart(2, "two groups of four"),
        groups=CENTRES,
    ),
    Situation(
        "12 objects in 3 groups",
        lambda r: data.blobs(r, [4, 4, 4], apart=20.0),
        3,
        told_apart(3, "three groups of four"),
        groups=CENTRES,
    ),
    Situation("12 objects", lambda r: data.gaussian(r, 12, 2), 1, (CLOUD,), sibling=True),
]

MIXTURES = [
    Situation(
        "a mixture collapses on copies",
        lambda r: data.atom_in_a_cloud(r, 120, 30),
        1,
        (
            says("collapsed", "a component sits on the copies, with no variance left"),
            one_group("a likelihood without bound is no evidence"),
        ),
        lambda: {"estimator": pt.cluster.GaussianMixtureEM(), "ks": range(1, 6), "n_runs": 4},
    ),
    Situation(
        "a mixture collapses on whole numbers",
        lambda r: data.discrete_column(r, 60),
        2,
        (
            says("collapsed", "components sit on whole numbers, with no variance left in that column"),
            clear_only_if(2, "a likelihood without bound is no evidence"),
        ),
        lambda: {"estimator": pt.cluster.GaussianMixtureEM(), "ks": range(1, 8), "n_runs": 4},
    ),
]

SITUATIONS: dict[str, Situation] = {}
for _one in (*NO_GROUPS, *BLOBS, *UNEVEN, *SHAPES, *COLUMNS, *TINY, *MIXTURES):
    if _one.name in SITUATIONS:
        raise ValueError(f"two situations of the same name: {_one.name}")
    SITUATIONS[_one.name] = _one

PROCEDURES = ("choose_k", "stability", "structure")
ASKED = [
    (s.name, procedure) for s in SITUATIONS.values() for procedure in PROCEDURES if s.expected(procedure)
]
"""Which procedures are asked about which situations."""
