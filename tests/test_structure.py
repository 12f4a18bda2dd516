"""Is there structure: the Hopkins statistic by its definition and law, and tests that keep their level."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.errors import ParameterError
from partita.kernels import compilation
from partita.selection._structure import HOPKINS, TWO_MEANS, Structure, hopkins, hopkins_at, structure
from reference.structure import hopkins as by_definition
from shared_data import features

CLUSTERS = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 30, axis=0)
RUNS = 30


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


# --- the tests keep their level -------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[(40, 19), pytest.param((60, 49), marks=pytest.mark.full)], ids=str)
def without_structure(request):
    """Answers for data from each law, and how many null data there were; the seeds are the first ones."""
    n, n_null = request.param

    def answers(draw):
        return [
            structure(draw(np.random.default_rng(100 + s)), n_null=n_null, random_state=s)
            for s in range(RUNS)
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "PLAIN_STEPS", 0)  # as the fixture compiled does, for all that ask here
        return {
            "uniform": answers(lambda rng: rng.uniform(size=(n, 2)) * [1, 2]),
            "normal": answers(lambda rng: rng.normal(size=(n, 2)) * [1, 2]),
        }, n_null


@pytest.mark.parametrize(
    ("law", "statistic"), [("uniform", HOPKINS), ("normal", HOPKINS), ("normal", TWO_MEANS)]
)
def test_p_values_are_about_uniform_under_their_law(without_structure, law, statistic):
    """By the DKW inequality at 0.001, and one step of 1 / (n_null + 1) since p-values are counts."""
    found, n_null = without_structure
    p = [
        test.p
        for answer in found[law]
        for test in answer.tests
        if (test.null, test.statistic) == (law, statistic)
    ]
    assert len(p) == RUNS
    allowed = math.sqrt(math.log(2 / 0.001) / (2 * RUNS)) + 1 / (n_null + 1)
    assert scipy.stats.kstest(p, "uniform").statistic < allowed


@pytest.mark.parametrize("law", ["uniform", "normal"])
def test_clouds_without_clusters_rarely_have_structure(without_structure, law):
    """At a level of 0.05 more than 6 of 30 would come once in a thousand times."""
    assert scipy.stats.binom(RUNS, 0.05).sf(6) < 0.001
    answers = without_structure[0][law]
    assert sum(answer.has_structure for answer in answers) <= 6
    wrong = sum(law not in answer.statement for answer in answers if not answer.has_structure)
    assert wrong <= 6


@pytest.mark.usefixtures("compiled")
def test_one_law_alone_would_not_do():
    """Why both laws must be refuted: a normal cloud is not uniform, and a uniform one not normal."""
    rng = np.random.default_rng(0)
    normal = structure(rng.normal(size=(200, 2)) * [1, 3], n_null=49, random_state=0)
    uniform = structure(rng.uniform(size=(200, 2)) * [1, 3], n_null=49, random_state=0)
    assert normal.p_of("uniform") < 0.05 <= normal.p_of("normal")
    assert uniform.p_of("normal") < 0.05 <= uniform.p_of("uniform")


@pytest.mark.parametrize(("name", "n_null"), [("iris", 99), ("s1", 40)])
@pytest.mark.usefixtures("compiled")
def test_known_data_have_structure(name, n_null):
    found = structure(features(name), n_null=n_null, random_state=0)
    assert found.has_structure
    assert found.p == 2 / (n_null + 1)


def test_a_ring_counts_as_structure():
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, 200)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) + 0.05 * rng.normal(size=(200, 2))
    assert structure(ring, n_null=49, random_state=0).has_structure


@pytest.mark.usefixtures("compiled")
def test_three_clusters_have_structure_whatever_the_seed():
    for seed in range(5):
        assert structure(clusters(seed), n_null=49, random_state=seed).p == 2 / 50


# --- the answer -----------------------------------------------------------------------------------------


def test_the_statistics_are_those_of_the_data():
    X = clusters()
    found = structure(X, n_null=9, random_state=0)
    share = next(test.value for test in found.tests if test.statistic == TWO_MEANS)
    # two of the three clusters stay together: the best of the three ways to do so
    halves = [np.arange(90) // 30 == j for j in range(3)]
    scatter = [sum(np.square(X[h] - X[h].mean(0)).sum() for h in (half, ~half)) for half in halves]
    assert share == pytest.approx(min(scatter) / np.square(X - X.mean(0)).sum(), rel=1e-9)
    assert all(test.value == found.tests[0].value for test in found.tests if test.statistic == HOPKINS)


def test_p_values_count_data_sets_that_look_as_clustered():
    found = structure(clusters(), n_null=9, random_state=0)
    assert [test.p for test in found.tests] == [0.1, 0.1, 0.1]
    assert found.p_of("uniform") == 0.1
    assert found.p_of("normal") == found.p == 0.2
    assert not found.has_structure
    assert "too few" in str(found)


def test_workers_and_repetition_change_nothing():
    X = clusters()
    one, again, two = (structure(X, n_null=9, random_state=5, n_jobs=jobs) for jobs in (None, 1, 2))
    assert one == again == two
    assert one != structure(X, n_null=9, random_state=6)


def test_the_answer_is_a_sentence_over_a_table():
    found = structure(pd.DataFrame(clusters(), columns=["a", "b"]), n_null=49, random_state=0)
    assert isinstance(found, Structure)
    text = str(found)
    assert "structure: neither a uniform nor one normal law explains the data (p = 0.0400)" in text
    assert text.splitlines()[0] == "90 objects, 2 features: 49 data sets from each law"
    assert list(found.to_frame().columns) == ["statistic", "null", "value", "null_mean", "p"]
    assert len(found.to_frame()) == 3
    assert found.to_dict()["rows"][0]["null"] == "uniform"
    assert found.write("json")
    assert "<table>" in found._repr_html_()


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
    ],
    ids=["two", "constant feature", "two places", "d > n", "huge", "tiny", "whole numbers", "a line"],
)
def test_hard_data_have_an_answer_without_a_warning(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0 <= hopkins(X, random_state=0) <= 1
        found = structure(X, n_null=4, random_state=0)
    assert all(0 < test.p <= 1 and math.isfinite(test.value + test.null_mean) for test in found.tests)


@given(seed=st.integers(0, 50), n=st.integers(2, 12), d=st.integers(1, 5))
def test_hopkins_lies_between_none_and_one(seed, n, d):
    X = np.random.default_rng(seed).integers(0, 3, size=(n, d))
    assume(np.ptp(X, axis=0).any())
    assert 0 <= hopkins(X, random_state=seed) <= 1
