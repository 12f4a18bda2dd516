"""The test of structure: statistics by their definitions, the level of the test, and the answers."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.special
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.datasets.null_data import LAWS, NullLaws
from partita.errors import ParameterError
from partita.results.verdicts import RemarkKind
from partita.selection import Structure, hopkins, structure
from partita.selection._hopkins import hopkins_at
from partita.selection._structure import FULL, QUICK, quick_structure
from partita.statistics.null_tests import (
    DIP,
    HOPKINS,
    STATISTICS,
    TREE,
    NullTest,
    corrected,
    measured,
)
from partita.statistics.projections import Axes, flattest_projection
from reference.structure import corrected_p, spanning_tree_length
from reference.structure import dip as dip_by_definition
from reference.structure import hopkins as by_definition
from shared_data import features, full

CLUSTERS = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 30, axis=0)


def clusters(seed=0):
    return CLUSTERS + np.random.default_rng(seed).normal(size=CLUSTERS.shape)


# --- the Hopkins statistic ------------------------------------------------------------------------------

small = st.integers(-6, 6).map(lambda v: v / 2)


@given(data=st.data(), n=st.integers(2, 9), d=st.integers(1, 4))
def test_hopkins_equals_its_definition(data, n, d):
    point = st.lists(small, min_size=d, max_size=d)
    X = np.array(data.draw(st.lists(point, min_size=n, max_size=n)))
    objects = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True))
    places = np.array(data.draw(st.lists(point, min_size=len(objects), max_size=len(objects))))
    try:
        expected = by_definition(X, objects, places, d)
    except ZeroDivisionError:
        expected = math.nan  # every distance is 0
    assert hopkins_at(X, np.array(objects), places, d) == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_hopkins_by_hand():
    """Places 3 and 5 lie 2 and 1 from 0, 1, 6; objects 0 and 6 lie 1 and 5 from others."""
    X = np.array([[0.0], [1.0], [6.0]])
    assert hopkins_at(X, np.array([0, 2]), np.array([[3.0], [5.0]]), 1) == pytest.approx(3 / 9)
    assert hopkins_at(X, np.array([0, 2]), np.array([[3.0], [5.0]]), 2) == pytest.approx(5 / 31)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.uniform(size=(600, 2)),
        lambda rng: rng.uniform(size=(600, 2)) * [1, 4] @ [[0.8, 0.6], [-0.6, 0.8]],
        lambda rng: rng.uniform(size=(600, 1)) * [[1.0, 2.0, -3.0]],  # a line: its one dimension counts
    ],
    ids=["square", "turned rectangle", "line in three dimensions"],
)
def test_uniform_data_have_the_law_of_two_equal_sums(draw):
    """Beta(m, m) for few probes: the mean within four standard errors, and the law by DKW at 0.001.

    Data and probes have the same seed, which must not make them alike.
    """
    m, runs = 15, 150
    values = [hopkins(draw(np.random.default_rng(s)), n_probes=m, random_state=s) for s in range(runs)]
    law = scipy.stats.beta(m, m)
    assert abs(np.mean(values) - 0.5) < 4 * law.std() / math.sqrt(runs)
    assert scipy.stats.kstest(values, law.cdf).statistic < math.sqrt(math.log(2 / 0.001) / (2 * runs))


def test_clusters_score_higher_than_a_normal_cloud_and_that_higher_than_a_uniform_one():
    rng = np.random.default_rng(0)
    clouds = [clusters(), rng.normal(size=(90, 2)), rng.uniform(size=(90, 2))]
    means = [np.mean([hopkins(X, random_state=s) for s in range(20)]) for X in clouds]
    assert means == sorted(means, reverse=True)
    assert means[0] > 0.95


@pytest.mark.parametrize(("n", "d", "about"), [(300, 2, 0.8), (1000, 2, 0.93), (300, 5, 0.93)])
def test_one_normal_cloud_scores_high_too(n, d, about):
    """As the pitfalls say: more with more objects, and with more dimensions."""
    values = [hopkins(np.random.default_rng(s).normal(size=(n, d)), random_state=s) for s in range(40)]
    assert np.mean(values) == pytest.approx(about, abs=0.05)


def test_hopkins_knows_no_unit_and_no_origin():
    X = clusters()
    expected = hopkins(X, random_state=3)
    for other in (1e300 * X, 1e-300 * X, X + 1e3, X.astype(np.float32)):
        assert hopkins(other, random_state=3) == pytest.approx(expected, rel=1e-3)


def test_hopkins_of_hundreds_of_dimensions_does_not_overflow():
    """Distances of about 1e7 to the power of 300."""
    rng = np.random.default_rng(0)
    X = 1e6 * rng.normal(size=(330, 300))
    assert 0 <= hopkins(X, n_probes=5, random_state=0) <= 1


def test_hopkins_is_sampled_and_seeded():
    X = clusters()
    assert hopkins(X, random_state=1) == hopkins(X, random_state=1)
    assert hopkins(X, random_state=1) != hopkins(X, random_state=2)
    twice = [hopkins(X, random_state=np.random.default_rng(1)) for _ in range(2)]
    assert twice[0] == twice[1]
    assert hopkins(pd.DataFrame(X, columns=["a", "b"]), random_state=1) == hopkins(X, random_state=1)


@pytest.mark.parametrize("probes", [0, -1, 1.5, True, 91, "ten"])
def test_numbers_of_probes_that_make_no_sense_are_refused(probes):
    with pytest.raises(ParameterError, match="prob"):
        hopkins(clusters(), n_probes=probes)


# --- the statistics by their definitions ----------------------------------------------------------------


@given(seed=st.integers(0, 100), n=st.integers(3, 9), d=st.integers(1, 3))
def test_the_tree_is_measured_in_median_distances(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    length = measured(X, 0, np.random.default_rng(0))[STATISTICS.index(TREE)]
    gaps = [math.dist(X[i], X[j]) for i in range(n) for j in range(i)]
    ratio = spanning_tree_length(X) / (math.sqrt(n) * np.median(gaps))
    assert math.exp(length) == pytest.approx(ratio, rel=1e-7)


@given(seed=st.integers(0, 100), n=st.integers(2, 9))
def test_on_a_line_statistics_equal_their_definitions(seed, n):
    """There is one direction only, and each object is a probe of Hopkins' statistic."""
    X = np.random.default_rng(seed).normal(size=(n, 1))
    of = dict(zip(STATISTICS, measured(X, 0, np.random.default_rng(0)), strict=True))
    assert of[DIP] == pytest.approx(max(dip_by_definition(X[:, 0]), 0.5 / n), abs=1e-7)
    places = X.min() + np.random.default_rng(0).random((n, 1)) * np.ptp(X)
    assert scipy.special.expit(of[HOPKINS]) == pytest.approx(by_definition(X, range(n), places, 1), rel=1e-6)


@given(seed=st.integers(0, 100), d=st.integers(1, 6))
def test_no_axis_has_less_kurtosis_than_the_flattest_projection(seed, d):
    """Uniform data, in which no object is moved nearer to the centre."""
    X = np.random.default_rng(seed).uniform(size=(80, d))
    whitened = Axes.of(X).whitened(X)
    flattest = scipy.stats.kurtosis(flattest_projection(whitened))
    assert flattest <= scipy.stats.kurtosis(whitened).min() + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_flattest_projection_shows_two_groups_across_the_longest_axis(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 6)) * [1, 30, 20, 10, 5, 1]
    X[:100, 0] += 8
    along = flattest_projection(Axes.of(X).whitened(X))
    assert along[:100].max() < along[100:].min() or along[:100].min() > along[100:].max()


@given(seed=st.integers(0, 200), n_null=st.integers(1, 12), blocks=st.sampled_from([1, 2]))
def test_corrected_p_values_equal_their_definition(seed, n_null, blocks):
    rng = np.random.default_rng(seed)
    values, null = rng.normal(size=3 * blocks), rng.normal(size=(n_null, 3 * blocks))
    directions = np.tile([1, -1, 1], blocks)  # a short tree is a sign of clusters
    expected = corrected_p(values * directions, (null * directions).tolist())
    assert corrected(values, null).tolist() == pytest.approx(expected)


def test_statistics_that_never_vary_count_for_nothing():
    null = np.random.default_rng(0).normal(size=(19, 3))
    null[:, 2] = 0.1
    p = corrected(np.array([9.0, 0.0, 0.1]), null)
    assert p[0] == 1 / 20
    assert p[2] > 0.5


# --- distributions without clusters ---------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(40, 3), (12, 11), (8, 20), (30, 1)])
def test_normal_data_have_exactly_the_mean_and_the_covariances(shape):
    X = np.random.default_rng(0).lognormal(size=shape)
    drawn = NullLaws(X).normal(np.random.default_rng(1))
    assert drawn.mean(axis=0) == pytest.approx(X.mean(axis=0))
    assert np.cov(drawn, rowvar=False) == pytest.approx(np.cov(X, rowvar=False))
    assert not np.allclose(drawn, X)


def test_uniform_data_fill_the_smallest_region():
    rng = np.random.default_rng(0)
    square = rng.random((400, 2))
    disc = rng.normal(size=(400, 2))
    disc *= np.sqrt(rng.random((400, 1))) / np.linalg.norm(disc, axis=1, keepdims=True)
    drawn = NullLaws(square).uniform(rng)
    assert drawn.min(axis=0) == pytest.approx(square.min(axis=0))
    assert drawn.max(axis=0) == pytest.approx(square.max(axis=0))
    assert scipy.stats.kstest(drawn[:, 0], "uniform").pvalue > 0.001
    radii = np.linalg.norm(NullLaws(disc).uniform(rng), axis=1)
    assert radii.max() < 1.15  # a square would reach 1.41
    assert scipy.stats.kstest(radii / radii.max(), lambda r: r**2).pvalue > 0.001


def test_unimodal_data_keep_the_skew_and_the_correlation_but_not_two_peaks():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(500, 2)) @ [[1, 0.8], [0, 0.6]]
    X = np.column_stack([np.exp(z[:, 0]), z[:, 1] + 6 * (z[:, 1] > 0)])
    laws = NullLaws(X)
    drawn = laws.unimodal(rng)
    assert scipy.stats.ks_2samp(drawn[:, 0], X[:, 0]).statistic < 0.1
    assert scipy.stats.spearmanr(*drawn.T)[0] == pytest.approx(scipy.stats.spearmanr(*X.T)[0], abs=0.1)
    gap = (X[:, 1] > 2) & (X[:, 1] < 4)
    assert gap.sum() == 0
    between = [((one[:, 1] > 2) & (one[:, 1] < 4)).sum() for one in (laws.unimodal(rng) for _ in range(10))]
    assert np.mean(between) > 50


def student(rng, n, d, degrees=5):
    return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(degrees, size=(n, 1)) / degrees)


@pytest.mark.parametrize("d", [2, 10])
def test_the_student_distribution_is_as_heavy_tailed_as_the_data(d):
    """By the distances from the centre, in units of their median: nine tenths are nearer than this."""

    def tail(X):
        lengths = np.linalg.norm(X - np.median(X, axis=0), axis=1)
        return np.quantile(lengths, 0.95) / np.median(lengths)

    rng = np.random.default_rng(0)
    heavy, normal = student(rng, 500, d, 3), rng.normal(size=(500, d))
    drawn = np.mean([tail(NullLaws(heavy).student(rng)) for _ in range(20)])
    assert drawn == pytest.approx(tail(heavy), rel=0.15)
    assert drawn > 1.2 * tail(normal)
    drawn = np.mean([tail(NullLaws(normal).student(rng)) for _ in range(20)])
    assert drawn == pytest.approx(tail(normal), rel=0.1)


def test_planted_clusters_have_the_covariances_and_the_separation():
    """The direction between the two is the one of least kurtosis, and a new one each time."""
    X = np.random.default_rng(0).normal(size=(2000, 3)) * [9, 3, 1]
    directions = []
    for seed in range(4):
        planted = NullLaws(X).two_clusters(np.random.default_rng(seed))
        assert np.corrcoef(planted, rowvar=False) == pytest.approx(np.eye(3), abs=0.1)
        assert planted.std(axis=0) == pytest.approx(X.std(axis=0), rel=0.1)
        along = flattest_projection(Axes.of(planted).whitened(planted))
        is_one = along > 0
        apart = along[is_one].mean() - along[~is_one].mean()
        assert apart / along[is_one].std() == pytest.approx(5, abs=0.4)
        assert is_one.mean() == pytest.approx(0.5, abs=0.02)
        between = (planted[is_one].mean(axis=0) - planted[~is_one].mean(axis=0)) / X.std(axis=0)
        directions.append(between / np.linalg.norm(between))
    cosines = np.abs(np.array(directions) @ np.array(directions).T)
    assert cosines[np.triu_indices(4, 1)].min() < 0.7


# --- the tests keep their level -------------------------------------------------------------------------


def false_alarms(draw, runs, n_null):
    """How many of so many data sets have structure; the seeds are the first ones."""
    answers = [
        structure(draw(np.random.default_rng(100 + s)), n_null=n_null, random_state=s) for s in range(runs)
    ]
    return sum(answer.has_structure for answer in answers), answers


def most_allowed(runs, level=0.05):
    """What comes less than once in a thousand times at the level."""
    return int(scipy.stats.binom(runs, level).isf(0.001))


WITHOUT_CLUSTERS = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "correlated": lambda rng, n, d: rng.normal(size=(n, d)) @ (np.eye(d) + 0.6),
    "uniform": lambda rng, n, d: rng.uniform(size=(n, d)) * np.linspace(1, 2, d),
    "heavy tails": student,
    "heavier tails": lambda rng, n, d: student(rng, n, d, 3),
    "skewed": lambda rng, n, d: rng.lognormal(size=(n, d)),
}


@pytest.fixture
def without_power(monkeypatch):
    """The test alone: the power of what is not rejected takes most of the time."""
    monkeypatch.setattr("partita.selection._structure._power", lambda *_: math.nan)


@pytest.mark.usefixtures("without_power")
@pytest.mark.parametrize("law", WITHOUT_CLUSTERS)
@pytest.mark.parametrize(
    ("n", "d", "runs", "n_null"),
    [
        (60, 2, 12, 25),
        (60, 10, 8, 25),
        *(
            full(n, d, 40, 39)
            for n, d in [
                *[(50, 1), (100, 3), (300, 2), (400, 5), (1000, 2)],
                *[(150, 10), (100, 20), (80, 25), (300, 50)],
            ]
        ),
    ],
)
def test_data_without_clusters_rarely_have_structure(law, n, d, runs, n_null):
    count, _ = false_alarms(lambda rng: WITHOUT_CLUSTERS[law](rng, n, d), runs, n_null)
    assert count <= most_allowed(runs)


@pytest.mark.usefixtures("without_power")
@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_p_values_are_about_uniform_under_their_law(law):
    """By the DKW inequality at 0.001, and one step of 1 / (n_null + 1) since p-values are counts."""
    runs, n_null = 30, 19
    _, answers = false_alarms(lambda rng: WITHOUT_CLUSTERS[law](rng, 40, 2), runs, n_null)
    allowed = math.sqrt(math.log(2 / 0.001) / (2 * runs)) + 1 / (n_null + 1)
    for statistic in STATISTICS:
        p = [t.p for found in answers for t in found.tests if (t.null, t.statistic) == (law, statistic)]
        assert len(p) == runs
        assert scipy.stats.kstest(p, "uniform").statistic < allowed
    assert scipy.stats.kstest([found.p_of(law) for found in answers], "uniform").statistic < allowed


@pytest.mark.usefixtures("without_power")
def test_one_distribution_alone_would_not_do():
    """Data from each distribution reject another, so all must be rejected."""
    heavy = structure(student(np.random.default_rng(0), 300, 10), n_null=25, random_state=0)
    rng = np.random.default_rng(0)
    normal = structure(rng.normal(size=(200, 2)) * [1, 3], n_null=49, random_state=0)
    uniform = structure(rng.uniform(size=(200, 2)) * [1, 3], n_null=49, random_state=0)
    skewed = structure(rng.lognormal(sigma=2, size=(300, 2)), n_null=49, random_state=0)
    assert normal.p_of("uniform") < 0.05 <= normal.p_of("normal")
    assert uniform.p_of("normal") < 0.05 <= uniform.p_of("uniform")
    assert max(heavy.p_of("normal"), heavy.p_of("uniform")) < 0.05 <= heavy.p_of("student")
    assert max(skewed.p_of("normal"), skewed.p_of("uniform")) < 0.05 <= skewed.p_of("unimodal")


# --- the tests see clusters, chains and rings -----------------------------------------------------------


def moons(rng):
    turn = rng.uniform(0, np.pi, 100)
    upper = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.concatenate([upper, [1, 0.5] - upper]) + 0.08 * rng.normal(size=(200, 2))


def rings(rng):
    turn = rng.uniform(0, 2 * np.pi, 200)
    radius = np.repeat([1.0, 2.0], 100)
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn)]) + 0.08 * rng.normal(size=(200, 2))


def blobs(k, per_cluster=20, apart=6.0):
    """Clusters on a square grid, so many deviations apart."""
    side = math.ceil(math.sqrt(k))
    means = apart * np.array([(i // side, i % side) for i in range(k)], dtype=float)
    return lambda rng: np.repeat(means, per_cluster, axis=0) + rng.normal(size=(k * per_cluster, 2))


@pytest.mark.parametrize(
    "draw",
    [moons, rings, *(blobs(k) for k in (2, 3, 5, 8, 12))],
    ids=["moons", "rings", *(f"{k} blobs" for k in (2, 3, 5, 8, 12))],
)
@pytest.mark.parametrize("seed", range(2))
def test_shapes_have_structure_whatever_the_seed(draw, seed):
    found = structure(draw(np.random.default_rng(seed)), random_state=seed)
    assert found.has_structure
    assert found.strength == "clear"


@pytest.mark.parametrize("name", ["iris", "spiral", "s1", "s2", "s3", "s4"])
def test_known_data_have_structure(name):
    assert quick_structure(features(name), 0).strength == "clear"


def test_spiral_is_seen_by_its_chains():
    """Three arms that no projection separates."""
    found = structure(features("spiral"), n_null=39, random_state=0)
    assert next(t for t in found.tests if (t.null, t.statistic) == ("uniform", DIP)).p > 0.05
    assert all(t.corrected_p < 0.05 for t in found.tests if t.statistic == TREE)


def cells(n, d, seed, apart=6.0):
    """Four groups in three dimensions, turned into many dimensions of noise."""
    rng = np.random.default_rng(seed)
    tetrahedron = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * apart / math.sqrt(8)
    X = rng.normal(size=(n, d))
    X[:, :3] += tetrahedron[np.arange(n) % 4]
    return X @ np.linalg.qr(rng.normal(size=(d, d)))[0]


@pytest.mark.parametrize("d", [25, 50])
def test_groups_in_many_dimensions_are_found_by_components(d):
    X = cells(300, d, seed=d)
    found = quick_structure(X, 0)
    assert found.has_structure
    assert found.provenance["n_components"] == 3
    assert {t.dimensions for t in found.tests} == {3, d}
    assert f"3 leading principal components were tested beside all {d} dimensions" in found.notes
    assert min(t.corrected_p for t in found.tests if t.dimensions == 3) < 0.05


def test_components_are_asked_for_or_left_out():
    X = cells(60, 12, seed=0)
    assert structure(X, n_null=5, n_components=2, random_state=0).provenance["n_components"] == 2
    none = structure(X, n_null=5, n_components=None, random_state=0)
    assert {t.dimensions for t in none.tests} == {12}
    assert structure(X, n_null=5, n_components=12, random_state=0).tests == none.tests
    for wrong in (0, 13, 2.5, True, "all"):
        with pytest.raises(ParameterError) as refused:
            structure(X, n_null=5, n_components=wrong)
        assert refused.value.parameter == "n_components"


def test_noise_has_no_component_that_stands_out():
    rng = np.random.default_rng(0)
    counts = [
        structure(rng.normal(size=(100, 15)), n_null=1, random_state=0).provenance["n_components"]
        for _ in range(10)
    ]
    assert np.mean(counts) < 0.5


# --- the answer -----------------------------------------------------------------------------------------


def test_p_values_count_data_sets_that_look_as_clustered():
    found = structure(clusters(), n_null=9, random_state=0)
    trees = [test for test in found.tests if test.statistic == TREE]
    assert [(test.p, test.corrected_p) for test in trees] == [(0.1, 0.1)] * len(LAWS)
    assert [found.p_of(law) for law in LAWS] == [found.p] * len(LAWS) == [0.1] * len(LAWS)
    assert not found.has_structure
    assert found.verdict == "cannot tell"
    assert found.strength == "weak"
    assert found.power == 0
    assert [remark.kind for remark in found.remarks] == [RemarkKind.LOW_POWER]
    assert found.statement == (
        "Cannot tell: 9 data sets from each distribution are too few for p below 0.05. Next: a larger n_null."
    )


def test_the_p_of_the_answer_is_one_of_the_table():
    for X in (clusters(), np.random.default_rng(0).normal(size=(40, 2))):
        found = structure(X, n_null=25, random_state=0)
        table = found.table()
        column = [row[table.columns.index("corrected p")] for row in table.rows]
        assert found.p in column
        assert all(test.p <= test.corrected_p for test in found.tests)
        assert any("whichever statistic shows it most" in note for note in table.notes)


def test_twenty_data_sets_are_enough():
    assert structure(clusters(), n_null=20, random_state=0).has_structure
    assert min(FULL.n_null, QUICK.n_null, FULL.n_planted, QUICK.n_planted) >= 20


def made_structure(*ps, power=math.nan, n_null=59, n_examined=200, dimensions=2):
    """A test with a p-value for each distribution."""
    tests = tuple(NullTest(TREE, law, 2, 0.5, 0.6, p, p) for law, p in zip(LAWS, ps, strict=True))
    return Structure(tests=tests, power=power, n_null=n_null, n_examined=n_examined, dimensions=dimensions)


def test_every_distribution_must_be_rejected():
    for place in range(len(LAWS)):
        ps = [0.01] * len(LAWS)
        assert made_structure(*ps).verdict == "structure"
        ps[place] = 0.06
        found = made_structure(*ps, power=1.0)
        assert (found.p, found.verdict, found.strength) == (0.06, "no structure", "no structure")


@pytest.mark.parametrize(
    ("power", "n", "dimensions", "verdict"),
    [
        (0.8, 30, 6, "no structure"),
        (0.79, 600, 2, "cannot tell"),
        (1.0, 139, 7, "cannot tell"),
        (1.0, 140, 7, "no structure"),
        (1.0, 400, 30, "cannot tell"),
    ],
)
def test_no_structure_is_claimed_only_where_clusters_would_have_been_found(power, n, dimensions, verdict):
    """In more than 6 dimensions with fewer than 20 objects for each, never."""
    found = made_structure(*[0.5] * len(LAWS), power=power, n_examined=n, dimensions=dimensions)
    assert found.verdict == verdict
    assert found.strength == ("no structure" if verdict == "no structure" else "weak")
    assert not found.has_structure


def test_in_many_dimensions_one_peak_in_each_feature_explains_nothing():
    """That distribution is hardly ever rejected there; any simpler one is."""
    known = {"power": 1.0, "n_examined": 400}
    for law in LAWS:
        ps = [0.5 if one == law else 0.01 for one in LAWS]
        few, many = (made_structure(*ps, dimensions=d, **known) for d in (6, 7))
        assert few.verdict == "no structure"
        assert many.verdict == ("cannot tell" if law == "unimodal" else "no structure")
    found = made_structure(*(0.5 if one == "unimodal" else 0.01 for one in LAWS), dimensions=7, **known)
    assert found.statement == (
        "Cannot tell: a distribution with one peak in each feature is hardly ever rejected in 7 dimensions. "
        "Next: fewer features."
    )


def test_no_structure_names_the_simplest_distribution_and_what_would_have_been_found():
    found = quick_structure(np.random.default_rng(0).normal(size=(150, 2)), 0)
    assert found.verdict == found.strength == "no structure"
    assert found.power >= 0.8
    assert found.n_planted == 20
    assert found.statement == (
        "No structure: one normal distribution explains these 150 objects; "
        "two groups 5 deviations apart would have been found."
    )
    assert not found.remarks


def test_low_power_is_reported():
    found = quick_structure(np.random.default_rng(0).normal(size=(80, 25)), 0)
    assert found.verdict == "cannot tell"
    assert found.strength == "weak"
    assert found.power < 0.5
    assert [remark.kind for remark in found.remarks] == [RemarkKind.LOW_POWER]
    too_few = f"80 objects in 25 dimensions are too few (power {100 * found.power:.0f} %)"
    assert found.statement.startswith(f"Cannot tell: {too_few}")
    assert too_few in found.remarks[0].text
    assert found.to_dict()["power"] == found.power


@given(
    ps=st.lists(st.floats(0.001, 1), min_size=len(LAWS), max_size=len(LAWS)),
    power=st.floats(0, 1),
    n_null=st.integers(1, 999),
    n_examined=st.integers(2, 600),
    dimensions=st.integers(1, 50),
)
def test_any_first_line_has_at_most_25_words_and_begins_with_the_answer(ps, **made):
    found = made_structure(*ps, **made)
    assert len(found.statement.split()) <= 25
    assert found.statement.lower().startswith(found.verdict)


def test_power_rises_with_objects_and_falls_with_dimensions():
    rng = np.random.default_rng(0)
    power = [quick_structure(rng.normal(size=shape), 0).power for shape in ((30, 3), (200, 3), (80, 20))]
    assert power[0] < power[1] > power[2]


def test_the_power_is_the_share_of_planted_data_that_is_found(monkeypatch):
    """The estimate from pooled null data against whole tests of planted data: within three errors."""
    X = np.random.default_rng(3).normal(size=(70, 2))
    estimate = quick_structure(X, 0).power
    monkeypatch.setattr("partita.selection._structure._power", lambda *_: math.nan)
    planted = [NullLaws(X).two_clusters(np.random.default_rng(s)) for s in range(20)]
    found = np.mean([structure(P, n_null=25, random_state=0).has_structure for P in planted])
    error = math.sqrt(max(estimate * (1 - estimate), found * (1 - found), 0.05) / 20)
    assert abs(estimate - found) <= 3 * math.sqrt(2) * error


@pytest.mark.parametrize("law", ["heavy tails", "skewed"])
def test_heavy_tails_and_skew_are_not_called_clusters(law):
    found = quick_structure(WITHOUT_CLUSTERS[law](np.random.default_rng(0), 400, 2), 0)
    assert found.verdict == "no structure"
    simplest = next(name for name in LAWS if found.p_of(name) >= 0.05)
    explanation = {"normal": "one normal", "student": "one Student", "unimodal": "a distribution"}[simplest]
    assert found.statement.startswith(f"No structure: {explanation}")


def test_workers_and_repetition_change_nothing():
    X = np.random.default_rng(0).normal(size=(40, 2))
    one, again, two = (structure(X, n_null=9, random_state=5, n_jobs=jobs) for jobs in (None, 1, 2))
    assert one == again == two
    assert one != structure(X, n_null=9, random_state=6)


def test_the_answer_is_a_sentence_over_a_table():
    found = structure(pd.DataFrame(clusters(), columns=["a", "b"]), n_null=49, random_state=0)
    assert isinstance(found, Structure)
    above, _, _ = str(found).partition("\n\n")
    title, answer = above.split("\n", 1)
    assert title == "90 objects, 2 features: 49 data sets from each distribution"
    assert " ".join(answer.split()) == found.statement
    assert found.statement == (
        "Structure (shape or clusters): no single-group distribution explains these data (p = 0.0200). "
        "Next: choose_k(X)."
    )
    expected = ["statistic", "null", "dimensions", "value", "null_mean", "p", "corrected_p"]
    assert list(found.to_frame().columns) == expected
    assert len(found.to_frame()) == len(STATISTICS) * len(LAWS)
    written = found.to_dict()
    assert [row["null"] for row in written["rows"]] == [law for law in LAWS for _ in STATISTICS]
    assert written["verdict"] == "structure"
    assert (written["strength"], written["p"], written["power"]) == ("clear", found.p, None)
    assert math.isnan(found.power)
    assert found.write("json")
    assert "<table>" in found._repr_html_()


def test_hopkins_in_the_table_is_a_share():
    found = structure(clusters(), n_null=5, random_state=0)
    rows = [test for test in found.tests if test.statistic == HOPKINS]
    assert all(0.9 < test.value <= 1 and 0 <= test.null_mean <= 1 for test in rows)
    assert len({test.value for test in rows}) == 1


# --- scale, many objects, equal objects -----------------------------------------------------------------


def test_features_that_drown_others_are_named_and_scaled():
    rng = np.random.default_rng(0)
    hidden = np.column_stack(
        [rng.normal(size=80) * 1e4, np.repeat([0.0, 1.0], 40) + 0.05 * rng.normal(size=80)]
    )
    X = pd.DataFrame(hidden, columns=["income", "share"])
    raw = structure(X, n_null=25, random_state=0)
    assert RemarkKind.SCALE in [remark.kind for remark in raw.remarks]
    assert "income" in str(raw)
    for scale in ("standard", "robust"):
        scaled = structure(X, n_null=25, scale=scale, random_state=0)
        assert scaled.has_structure
        assert scaled.provenance["scale"] == scale
        assert not scaled.remarks
    with pytest.raises(ParameterError) as refused:
        structure(X, scale="log")
    assert refused.value.parameter == "scale"


def test_many_objects_are_thinned_and_it_is_said():
    X = np.random.default_rng(0).normal(size=(5000, 2)) + np.repeat([[0, 0], [9, 0]], 2500, axis=0)
    found = quick_structure(X, 3)
    assert found.has_structure
    assert found.n_examined == found.provenance["n_examined"] == QUICK.most_objects
    assert [remark.kind for remark in found.remarks] == [RemarkKind.SAMPLED]
    assert found == quick_structure(X, 3)


def test_many_features_are_reduced_and_it_is_said():
    found = quick_structure(np.random.default_rng(0).normal(size=(70, 300)), 0)
    assert found.dimensions == 50
    assert any("50 leading principal components" in note for note in found.notes)


def of_codes(rng):
    return rng.integers(1, 6, size=(200, 3)).astype(float)


@pytest.mark.parametrize(
    ("draw", "examined"),
    [
        (of_codes, 200),
        (lambda rng: rng.integers(0, 2, size=(150, 6)).astype(float), 150),
        (lambda rng: np.eye(4)[rng.integers(0, 4, size=150)], 4),
        (lambda rng: np.repeat(rng.normal(size=(70, 2)), 2, axis=0), 70),
        (lambda rng: np.repeat(rng.normal(size=(20, 3)), 10, axis=0), 20),
        (lambda rng: np.rint(2 * rng.normal(size=(200, 2))), 200),
        (lambda rng: np.rint(12 * rng.normal(size=(200, 1))), 200),
    ],
    ids=["answers from 1 to 5", "yes and no", "one-hot", "twice", "ten times", "rounded", "ages"],
)
@pytest.mark.usefixtures("without_power")
def test_equal_objects_alone_are_no_structure(draw, examined):
    """More false alarms among six would come less than once in a thousand times."""
    answers = [quick_structure(draw(np.random.default_rng(seed)), seed) for seed in range(6)]
    assert sum(found.has_structure for found in answers) <= most_allowed(6)
    for found in answers:
        assert RemarkKind.DUPLICATES in [remark.kind for remark in found.remarks]
        assert found.n_examined == examined


def test_clusters_of_rounded_values_are_seen():
    found = quick_structure(np.rint(blobs(3)(np.random.default_rng(0))), 0)
    assert found.has_structure
    ages = np.rint(np.concatenate([np.random.default_rng(0).normal(m, 4, 60) for m in (20, 60)]))
    assert quick_structure(ages[:, None], 0).has_structure


# --- bad and hard input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("procedure", [hopkins, structure])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0]], "only one"),
        ([[0.1, 0.3]] * 7, "equal"),
        ([[0.0, 0.0]] * 7, "equal"),
        ([[1.0], [math.nan], [2.0]], "missing or infinite"),
        ([[1.0], [math.inf]], "missing or infinite"),
        ([1.0, 2.0], "table of objects"),
        ([["a"], ["b"]], "no numbers"),
    ],
)
def test_data_that_make_no_sense_are_refused(procedure, X, message):
    with pytest.raises(ParameterError, match=message):
        procedure(X)


@pytest.mark.parametrize("n_null", [0, -3, 2.5, None])
def test_numbers_of_data_sets_that_make_no_sense_are_refused(n_null):
    with pytest.raises(ParameterError, match="n_null"):
        structure(clusters(), n_null=n_null)


@pytest.mark.parametrize(
    "X",
    [
        [[0.0], [1.0]],
        [[0.0, 3.0], [1.0, 3.0], [1.0, 3.0]],
        np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0),
        np.random.default_rng(0).normal(size=(6, 40)),
        1e300 * np.random.default_rng(0).normal(size=(20, 2)),
        1e-300 * np.random.default_rng(0).normal(size=(20, 2)),
        np.arange(20)[:, None],
        np.column_stack([np.arange(30.0), np.zeros(30)]),
        np.random.default_rng(0).normal(size=(30, 1)) * [[1.0, -2.0, 3.0]],
        *(np.random.default_rng(n).normal(size=(n, 3)) for n in range(2, 11)),
    ],
    ids=[
        *("two", "constant feature", "two places", "d > n", "huge", "tiny", "whole numbers", "a line"),
        *("collinear", *(f"n = {n}" for n in range(2, 11))),
    ],
)
def test_hard_data_have_an_answer_without_a_warning(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 <= hopkins(X, random_state=0) <= 1
        found = structure(X, n_null=4, random_state=0)
        quick_structure(np.asarray(X, dtype=float), 0)
    assert all(0 < test.p <= 1 and math.isfinite(test.value + test.null_mean) for test in found.tests)


@given(seed=st.integers(0, 50), n=st.integers(2, 12), d=st.integers(1, 5))
def test_hopkins_lies_between_none_and_one(seed, n, d):
    X = np.random.default_rng(seed).integers(0, 3, size=(n, d))
    assume(np.ptp(X, axis=0).any())
    assert 0 <= hopkins(X, random_state=seed) <= 1


def test_small_data_are_tested_without_a_compiler():
    """In a fresh interpreter: compiling would take longer than the test."""
    script = (
        "import sys, numpy as np\n"
        "from partita.selection._structure import quick_structure\n"
        "quick_structure(np.random.default_rng(0).normal(size=(150, 4)), 0)\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
