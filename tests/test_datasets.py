"""The generators against the papers' words, by parameters and by moments of large draws; loading by name."""

from __future__ import annotations

import gzip
import hashlib
import inspect
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy.spatial.distance import cdist, pdist
from sklearn.utils import Bunch

import shared_data
from partita import datasets, indices
from partita.datasets.known_sets import KNOWN, KnownSet
from partita.datasets.openml import content_digest
from partita.errors import FileError, ParameterError, UnknownNameError

LARGE = 40_000


def standard_error_of_mean(covariance, n):
    return np.sqrt(np.diag(covariance) / n)


def assert_moments(data, groups=None):
    """The means within 5 standard errors, covariances within 6 % of the trace (groups of LARGE objects)."""
    for group in range(data.k) if groups is None else groups:
        members = data.X[data.labels == group]
        off = np.abs(members.mean(axis=0) - data.centres[group])
        assert (off <= 5 * standard_error_of_mean(data.covariances[group], len(members))).all(), group
        size = np.trace(data.covariances[group])
        np.testing.assert_allclose(np.cov(members.T), data.covariances[group], atol=0.06 * size, rtol=0)


# --- what all generators have in common -------------------------------------------------------------------

RANDOM = {
    "make_a_like": {},
    "make_binary": {},
    "make_birch_like": {"size": 20, "pattern": "random"},
    "make_data3": {},
    "make_data5": {},
    "make_gaussian_clusters": {"centres": [[0.0, 1.0], [5.0, 5.0]], "sizes": [10, 30]},
    "make_lagofernandez2009_example": {},
    "make_lagofernandez2009_pair": {},
    "make_lagofernandez2009_problem": {},
    "make_lagofernandez2009_sweep": {},
    "make_lei2014": {"name": "data3_r1_dens1_3"},
    "make_s_like": {},
    "make_spirals": {},
    "make_unbalance_like": {},
}
FIXED = {"make_rovetta2009_toy", "make_rovetta2009_sweep"}


def all_of(made):
    return made if isinstance(made, tuple) else (made,)


def test_every_generator_is_tested_here():
    assert {name for name in datasets.__all__ if name.startswith("make_")} == {*RANDOM, *FIXED}


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_decides_all_and_another_gives_other_data(name):
    make = getattr(datasets, name)
    one, same, other = (all_of(make(**RANDOM[name], random_state=seed)) for seed in (3, 3, 4))
    for a, b, c in zip(one, same, other, strict=True):
        np.testing.assert_array_equal(a.X, b.X)
        np.testing.assert_array_equal(a.labels, b.labels)
        assert a.X.shape != c.X.shape or not np.array_equal(a.X, c.X)


@pytest.mark.parametrize("name", RANDOM)
def test_a_generator_of_numpy_goes_on_where_it_is(name):
    make = getattr(datasets, name)
    rng = np.random.default_rng(3)
    first, second = (all_of(make(**RANDOM[name], random_state=rng))[0] for _ in range(2))
    np.testing.assert_array_equal(first.X, all_of(make(**RANDOM[name], random_state=3))[0].X)
    assert first.X.shape != second.X.shape or not np.array_equal(first.X, second.X)


@pytest.mark.parametrize("name", RANDOM)
def test_every_set_unpacks_and_fits_together(name):
    for data in all_of(getattr(datasets, name)(**RANDOM[name], random_state=0)):
        X, labels = data
        assert X is data.X
        assert labels is data.labels
        assert X.ndim == 2
        assert len(X) == len(labels) == data.n
        assert np.isfinite(X).all()
        assert sorted(set(labels.tolist())) == list(range(data.k))
        assert data.source
        assert repr(data).startswith(f"{data.name}: {data.n} objects, {data.d} features, {data.k} groups")
        if data.centres is not None:
            assert data.centres.shape == (data.k, data.d)
        if data.covariances is not None:
            assert data.covariances.shape == (data.k, data.d, data.d)


@pytest.mark.parametrize("name", RANDOM)
def test_a_seed_that_is_none_is_refused(name):
    assert inspect.signature(getattr(datasets, name)).parameters["random_state"].default is None
    with pytest.raises(ParameterError, match="random_state"):
        getattr(datasets, name)(**RANDOM[name], random_state="seven")


BAD = [
    ("make_a_like", {"k": 0}, "k"),
    ("make_a_like", {"size": 2.5}, "size"),
    ("make_binary", {"k": 5, "d": 2}, "k"),
    ("make_binary", {"k": 5, "n": 4}, "n"),
    ("make_binary", {"flip": 0.51}, "flip"),
    ("make_binary", {"flip": -0.1}, "flip"),
    ("make_birch_like", {"pattern": "hexagon"}, "pattern"),
    ("make_birch_like", {"k": True}, "k"),
    ("make_data3", {"r": -1}, "r"),
    ("make_data3", {"r": math.nan}, "r"),
    ("make_data3", {"r": "5"}, "r"),
    ("make_data3", {"dens": 1}, "dens"),
    ("make_data3", {"dens": 0}, "dens"),
    ("make_data5", {"n": 4}, "n"),
    ("make_gaussian_clusters", {"centres": [1.0, 2.0]}, "centres"),
    ("make_gaussian_clusters", {"centres": [["a", "b"]]}, "centres"),
    ("make_gaussian_clusters", {"centres": [[0.0, math.inf]]}, "centres"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "sizes": [3, 4]}, "sizes"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "sizes": [0]}, "sizes"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "covariances": -1.0}, "covariances"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "covariances": [[1, 2], [2, 1]]}, "covariances"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "covariances": [[1, 1], [0, 1]]}, "covariances"),
    ("make_gaussian_clusters", {"centres": [[0.0, 0.0]], "covariances": [1, 2, 3]}, "covariances"),
    ("make_lagofernandez2009_example", {"shape": "disc"}, "shape"),
    ("make_lagofernandez2009_pair", {"shape": "square"}, "shape"),
    ("make_lagofernandez2009_pair", {"distance": -0.5}, "distance"),
    ("make_lagofernandez2009_problem", {"size": 0}, "size"),
    ("make_lagofernandez2009_sweep", {"distances": []}, "distances"),
    ("make_lagofernandez2009_sweep", {"distances": 3}, "distances"),
    ("make_rovetta2009_sweep", {"experiment": 1}, "experiment"),
    ("make_s_like", {"overlap": 5}, "overlap"),
    ("make_s_like", {"overlap": 1.0}, "overlap"),
    ("make_s_like", {"n": 14}, "n"),
    ("make_spirals", {"turns": 0}, "turns"),
    ("make_spirals", {"noise": -1}, "noise"),
    ("make_unbalance_like", {"sparse": -3}, "sparse"),
]


@pytest.mark.parametrize(("name", "options", "parameter"), BAD)
def test_what_cannot_be_used_is_refused_by_name(name, options, parameter):
    with pytest.raises(ParameterError) as caught:
        getattr(datasets, name)(**options)
    assert caught.value.parameter == parameter
    assert caught.value.got
    assert caught.value.need


def test_names_of_sets_of_papers_are_suggested():
    with pytest.raises(UnknownNameError, match="data3_r5_dens1_6"):
        datasets.make_lei2014("data3_r5_dens1/6")
    with pytest.raises(UnknownNameError, match="toy5"):
        datasets.make_rovetta2009_toy("toy6")


# --- normal laws ------------------------------------------------------------------------------------------


def test_normal_groups_have_the_moments_that_were_asked_for():
    covariances = np.array([[[4.0, 1.5], [1.5, 1.0]], [[0.25, 0.0], [0.0, 9.0]]])
    data = datasets.make_gaussian_clusters([[0, 0], [100, -50]], covariances, [LARGE, LARGE], random_state=0)
    np.testing.assert_array_equal(np.bincount(data.labels), [LARGE, LARGE])
    assert_moments(data)


@pytest.mark.parametrize(
    ("covariances", "expected"),
    [
        (4.0, [4 * np.eye(2)] * 2),
        ([1.0, 9.0], [np.eye(2), 9 * np.eye(2)]),
        ([[2.0, 1.0], [1.0, 2.0]], [[[2.0, 1.0], [1.0, 2.0]]] * 2),
    ],
)
def test_covariances_are_said_in_short(covariances, expected):
    data = datasets.make_gaussian_clusters([[0, 0], [9, 9]], covariances, LARGE, random_state=1)
    np.testing.assert_array_equal(data.covariances, expected)
    assert_moments(data)


def test_a_law_without_width_stays_on_its_line():
    X, _ = datasets.make_gaussian_clusters([[1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], 50, random_state=0)
    np.testing.assert_allclose(X[:, 0], X[:, 1], atol=1e-7)
    assert X[:, 0].std() > 0.5


# --- lei2014 ----------------------------------------------------------------------------------------------


def test_the_eighteen_sets_of_table_3():
    overlap3 = [(3, r, Fraction(1, 3)) for r in (1, 2, 3, 4, 5)]
    density3 = [(3, 5, Fraction(i, 6)) for i in (1, 2, 3, 4, 5)]
    overlap5 = [(5, r, Fraction(1, 5)) for r in (2, 3, 4, 5, 6)]
    density5 = [(5, 6, Fraction(i, 10)) for i in (1, 2, 3, 4, 5)]
    assert {tuple(s) for s in datasets.LEI2014.values()} == {*overlap3, *density3, *overlap5, *density5}
    assert len(datasets.LEI2014) == 18
    assert {"data3_r5_dens1_6", "data5_r6_dens3_10", "data3_r1_dens1_3"} <= set(datasets.LEI2014)


@pytest.mark.parametrize("name", datasets.LEI2014)
def test_each_set_of_lei2014_has_its_means_covariances_and_priors(name):
    c, r, dens = datasets.LEI2014[name]
    data = datasets.make_lei2014(name, random_state=0)
    assert (data.name, data.n, data.d, data.k) == (name, 1000, 2, c)
    np.testing.assert_allclose(np.hypot(*data.centres.T), r)
    angles = np.unwrap(np.arctan2(data.centres[:, 1], data.centres[:, 0]))
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / c)
    assert angles[0] == 0.0
    np.testing.assert_array_equal(data.covariances, [np.eye(2)] * c)
    priors = [float(dens)] + [float((1 - dens) / (c - 1))] * (c - 1)
    np.testing.assert_allclose(data.parameters["priors"], priors)
    assert any("does not say" in note for note in data.notes)


@pytest.mark.parametrize(
    ("make", "c", "dens"), [(datasets.make_data3, 3, 0.7), (datasets.make_data5, 5, 0.1)]
)
def test_a_large_draw_of_rays_has_their_moments_and_shares(make, c, dens):
    n = 100_000
    data = make(2.5, dens, n=n, random_state=5)
    assert_moments(data)
    priors = np.array([dens] + [(1 - dens) / (c - 1)] * (c - 1))
    shares = np.bincount(data.labels) / n
    assert (np.abs(shares - priors) < 5 * np.sqrt(priors * (1 - priors) / n)).all()
    assert not np.array_equal(data.labels, np.sort(data.labels))  # groups come in no order


def lost(data):
    """The share of objects that are nearest to the centre of another group."""
    return (cdist(data.X, data.centres).argmin(axis=1) != data.labels).mean()


def test_a_larger_radius_is_less_overlap():
    shares = [lost(datasets.make_data3(r, random_state=0)) for r in (1, 2, 3, 4, 5)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.25
    assert shares[-1] < 0.01


# --- rovetta2009 ------------------------------------------------------------------------------------------

TABLE_2 = {
    "toy0": (0.0000, 0.0000, 0.0000, 0.0000, 0.0000),
    "toy1": (0.8497, 0.4248, 0.5707, 0.8211, 0.6566),
    "toy2": (0.0000, 0.4352, 0.0000, 0.0000, 0.5976),
    "toy3": (0.4455, 0.2227, 0.3845, 0.1610, 0.4207),
    "toy4": (1.0980, 0.5490, 0.7344, 1.0811, 0.8000),
    "toy5": (0.9707, 0.4854, 0.8205, 0.9489, 0.7595),
}


def coassociations(U, V):
    """Of all pairs of objects, by the definition."""
    upper = np.triu_indices(len(U), k=1)
    return (U @ U.T)[upper], (V @ V.T)[upper]


def jaccard_distance(U, V):
    a, b = coassociations(U, V)
    return 1 - (a * b).sum() / (a + b - a * b).sum()


def by_definition(U, V):
    a, b = coassociations(U, V)
    gap = np.abs(a - b)
    correlation = 1 - np.corrcoef(a, b)[0, 1]
    student = gap.mean() / (0.5 + gap.var())
    return 2 * gap.mean(), (a + b - 2 * a * b).mean(), student, correlation, jaccard_distance(U, V)


@pytest.mark.parametrize("toy", TABLE_2)
def test_the_toy_problems_give_every_number_of_table_2(toy):
    first, second = pair = datasets.make_rovetta2009_toy(toy)
    assert first.shape == (18, 2)
    assert second.shape == (18, 3)
    np.testing.assert_allclose(first.sum(axis=1), 1)
    np.testing.assert_allclose(second.sum(axis=1), 1)
    np.testing.assert_allclose(by_definition(first, second), TABLE_2[toy], atol=5.1e-5)
    rand = indices.find("coassociation_rand_distance")(first, second)
    assert rand == pytest.approx(by_definition(first, second)[1], abs=1e-12)
    assert repr(pair) == f"{toy}: 18 objects, 2 and 3 clusters (rovetta2009, Table 1)"
    assert any("18" in note for note in pair.notes)


def test_a_toy_problem_may_be_changed_without_harm():
    datasets.make_rovetta2009_toy("toy0").first[:] = 0.5
    assert datasets.make_rovetta2009_toy("toy0").first[0, 0] == 1.0


def test_the_three_sweeps_start_equal_and_end_as_the_paper_says():
    truth = np.repeat([[1.0, 0.0], [0.0, 1.0]], 10, axis=0)
    for experiment in datasets.SWEEPS:
        steps = datasets.make_rovetta2009_sweep(experiment)
        assert len(steps) == 11
        np.testing.assert_array_equal(steps[0].first, truth)
        for pair in steps:
            np.testing.assert_array_equal(pair.second, truth)
            np.testing.assert_allclose(pair.first.sum(axis=1), 1)
    objects, one, every = map(datasets.make_rovetta2009_sweep, datasets.SWEEPS)
    for step in range(11):
        assert objects[step].first[:, 0].tolist() == [0.0] * step + [1.0] * (10 - step) + [0.0] * 10
        np.testing.assert_allclose(one[step].first[0], [1 - step / 10, step / 10], atol=1e-12)
        np.testing.assert_array_equal(one[step].first[1:], truth[1:])
        np.testing.assert_allclose(every[step].first[:10, 0], 1 - 0.05 * step)
        np.testing.assert_allclose(every[step].first[10:, 0], 0.05 * step)
    assert objects[-1].first[:, 0].sum() == 0.0
    np.testing.assert_array_equal(every[-1].first, np.full((20, 2), 0.5))


def test_jaccard_alone_turns_back_when_objects_move_one_by_one():
    steps = datasets.make_rovetta2009_sweep("objects")
    jaccard = [jaccard_distance(*pair) for pair in steps]
    rand = [np.abs(np.subtract(*coassociations(*pair))).mean() for pair in steps]
    assert int(np.argmax(jaccard)) == 7
    assert rand == sorted(rand)


# --- lagofernandez2009 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["normal", "truncated", "disc", "gamma"])
def test_every_shape_has_unit_covariance_at_both_centres(shape):
    data = datasets.make_lagofernandez2009_pair(shape, 3.5, size=LARGE, random_state=2)
    np.testing.assert_array_equal(data.centres, [[0, 0], [3.5, 0]])
    np.testing.assert_array_equal(data.covariances, [np.eye(2)] * 2)
    np.testing.assert_array_equal(np.bincount(data.labels), [LARGE, LARGE])
    assert data.parameters["shapes"] == (shape, shape)
    assert_moments(data)


def test_the_four_shapes_are_those_of_the_paper():
    assert set(datasets.SHAPES) == {"normal", "truncated", "disc", "gamma"}
    radius = {
        shape: np.hypot(
            *datasets.make_lagofernandez2009_pair(shape, 0, size=LARGE, random_state=1).X[:LARGE].T
        )
        for shape in datasets.SHAPES
    }
    assert np.mean(radius["normal"] ** 4) == pytest.approx(8, rel=0.05)  # of chi-square(2)
    assert radius["disc"].max() == pytest.approx(2, abs=1e-3)
    assert (radius["disc"] < 1).mean() == pytest.approx(1 / 4, abs=0.011)
    drawn = np.hypot(*np.random.default_rng(0).standard_normal((2, 400_000)))
    kept = drawn[drawn <= 1.8]
    scaled = kept / math.sqrt(np.mean(kept**2) / 2)
    assert radius["truncated"].max() == pytest.approx(scaled.max(), rel=0.01)
    quantiles = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(
        np.quantile(radius["truncated"], quantiles), np.quantile(scaled, quantiles), rtol=0.02
    )
    assert radius["gamma"].mean() == pytest.approx(2 / math.sqrt(3), rel=0.02)
    assert radius["gamma"].var() == pytest.approx(2 / 3, rel=0.04)


def test_the_two_examples_stand_where_the_paper_says():
    normal = datasets.make_lagofernandez2009_example("normal", size=LARGE, random_state=0)
    np.testing.assert_array_equal(normal.centres, [[0, 0], [5, 0], [5, 5]])
    np.testing.assert_array_equal(normal.covariances, [np.eye(2)] * 3)
    gamma = datasets.make_lagofernandez2009_example("gamma", size=LARGE, random_state=0)
    np.testing.assert_array_equal(gamma.centres, [[0, 0], [15, 0], [15, 15]])
    np.testing.assert_allclose(gamma.covariances, [6.75 * np.eye(2)] * 3)  # k (k + 1) theta^2 / 2
    assert_moments(normal)
    assert_moments(gamma)
    radius = np.hypot(*(gamma.X - gamma.centres[gamma.labels]).T)
    assert radius.mean() == pytest.approx(2 * 1.5, rel=0.02)
    assert radius.var() == pytest.approx(2 * 1.5**2, rel=0.04)
    assert datasets.make_lagofernandez2009_example().n == 3000


def test_the_sweep_has_one_problem_for_each_distance():
    sweep = datasets.make_lagofernandez2009_sweep("disc", [0, 1.5, 5], size=200, random_state=0)
    assert [data.parameters["distance"] for data in sweep] == [0, 1.5, 5]
    assert [data.centres[1, 0] for data in sweep] == [0, 1.5, 5]
    assert not np.array_equal(sweep[0].X[:200], sweep[1].X[:200])
    usual = datasets.make_lagofernandez2009_sweep(size=10)
    assert [data.parameters["distance"] for data in usual] == [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]


def test_random_problems_keep_within_their_ranges_and_use_them():
    problems = [datasets.make_lagofernandez2009_problem(size=2, random_state=seed) for seed in range(300)]
    centres = np.concatenate([p.centres for p in problems])
    sds = np.concatenate([p.parameters["sds"] for p in problems])
    for values, low, high in ((centres, 0, 25), (sds, 0.5, 2)):
        assert low <= values.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < values.max() <= high
        np.testing.assert_allclose(values.mean(axis=0), (low + high) / 2, rtol=0.06)
    shapes = [shape for p in problems for shape in p.parameters["shapes"]]
    assert all(0.18 < shapes.count(shape) / 900 < 0.32 for shape in datasets.SHAPES)
    assert any(len(set(p.parameters["shapes"])) == 3 for p in problems)
    assert "fitted" in problems[0].notes[0]


def test_a_random_problem_has_the_covariances_that_it_tells():
    data = datasets.make_lagofernandez2009_problem(size=LARGE, random_state=7)
    assert_moments(data)
    for covariance, sds, turn in zip(
        data.covariances, data.parameters["sds"], data.parameters["turns"], strict=True
    ):
        axis = np.array([math.cos(turn), math.sin(turn)])
        np.testing.assert_allclose(covariance @ axis, sds[0] ** 2 * axis)
        assert np.linalg.det(covariance) == pytest.approx((sds[0] * sds[1]) ** 2)


# --- franti2017 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_grades_of_s_like_sets_are_ordered_and_near_to_those_of_the_files(seed):
    grades = [datasets.make_s_like(grade, random_state=seed) for grade in (1, 2, 3, 4)]
    shares = [lost(data) for data in grades]
    assert shares == sorted(shares)
    for share, in_file in zip(shares, (33, 146, 702, 1000), strict=True):
        assert in_file / 5000 / 3 < share < in_file / 5000 * 2
    for data in grades:
        assert (data.n, data.d, data.k) == (5000, 2, 15)
        np.testing.assert_array_equal(data.centres, grades[0].centres)
        np.testing.assert_array_equal(data.labels, grades[0].labels)
        assert pdist(data.centres).min() >= data.parameters["apart"]
        sizes = np.bincount(data.labels)
        np.testing.assert_array_equal(sizes, data.parameters["sizes"])
        assert sizes.min() / sizes.max() >= 300 / 350 - 0.01
        long, short = np.sqrt(np.linalg.eigvalsh(data.covariances)[:, ::-1].T)
        assert (long / short <= 2 + 1e-9).all()


def test_an_s_like_set_has_the_moments_that_it_tells():
    assert_moments(datasets.make_s_like(2, n=4 * LARGE, k=4, random_state=0))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 3), (7, 3), (400, 200)])
def test_s_like_sets_of_any_size(n, k):
    data = datasets.make_s_like(1, n=n, k=k, random_state=0)
    assert (data.n, data.k) == (n, k)
    assert np.bincount(data.labels, minlength=k).min() >= 1


def test_a_like_sets_grow_by_their_end():
    small, middle, large = (datasets.make_a_like(k, random_state=9) for k in (20, 35, 50))
    assert [data.n for data in (small, middle, large)] == [3000, 5250, 7500]
    np.testing.assert_array_equal(middle.X[:3000], small.X)
    np.testing.assert_array_equal(large.X[:5250], middle.X)
    np.testing.assert_array_equal(large.centres[:20], small.centres)
    assert set(np.bincount(large.labels)) == {150}
    sd = math.sqrt(large.covariances[0, 0, 0])
    assert pdist(large.centres).min() >= 4.2 * sd
    assert lost(large) < 0.03
    assert_moments(datasets.make_a_like(2, size=LARGE, random_state=0))


def test_a_birch_like_grid_has_neighbours_four_standard_deviations_apart():
    data = datasets.make_birch_like("grid", size=20, random_state=0)
    assert (data.n, data.k) == (2000, 100)
    gaps = cdist(data.centres, data.centres)
    np.fill_diagonal(gaps, np.inf)
    np.testing.assert_allclose(gaps.min(axis=1), 4)
    assert (np.ptp(data.centres, axis=0) == 36).all()
    np.testing.assert_array_equal(data.covariances, [np.eye(2)] * 100)
    assert len(np.unique(datasets.make_birch_like("grid", k=7, size=1).centres, axis=0)) == 7


def test_a_birch_like_sine_is_the_one_of_the_formula():
    data = datasets.make_birch_like("sine", size=LARGE // 20, random_state=0)
    i = np.arange(1, 101)
    np.testing.assert_allclose(data.centres[:, 0], 2 * np.pi * i)
    np.testing.assert_allclose(data.centres[:, 1], 25 * np.sin(2 * np.pi * i / 25), atol=1e-9)


@pytest.mark.parametrize("name", ["birch1", "birch2"])
def test_birch_like_centres_are_those_of_the_files_but_for_place_and_unit(name):
    published = shared_data.centroids(name)
    ours = datasets.make_birch_like({"birch1": "grid", "birch2": "sine"}[name], size=1).centres
    unit = np.ptp(published[:, 0]) / np.ptp(ours[:, 0])
    gaps = cdist((published - published.mean(axis=0)) / unit, ours - ours.mean(axis=0))
    assert sorted(gaps.argmin(axis=1)) == list(range(100))
    assert gaps.min(axis=1).max() < 0.1  # standard deviations


def test_birch_like_random_groups_differ_in_size_and_spread():
    data = datasets.make_birch_like("random", k=400, size=10, random_state=0)
    sizes, sds = data.parameters["sizes"], data.parameters["sds"]
    np.testing.assert_array_equal(np.bincount(data.labels), sizes)
    assert (sizes.min(), sizes.max()) == (1, 19)
    assert sizes.mean() == pytest.approx(10, rel=0.1)
    assert 0 < sds.min() < 0.1
    assert 1.9 < sds.max() < 2
    np.testing.assert_allclose(data.covariances[:, 0, 0], sds**2)
    assert data.centres.min() >= 0
    assert 76 < data.centres.max() < 80


def test_birch_like_groups_have_the_moments_that_they_tell():
    assert_moments(datasets.make_birch_like("random", k=3, size=LARGE, random_state=1))


def test_the_unbalance_like_set_is_dense_on_the_left_and_wide_on_the_right():
    data = datasets.make_unbalance_like(random_state=0)
    assert (data.n, data.k) == (6500, 8)
    assert np.bincount(data.labels).tolist() == [2000] * 3 + [100] * 5
    assert data.centres[:3, 0].max() < data.centres[3:, 0].min()
    assert data.covariances[:3, 0, 0].max() * 10 < data.covariances[3:, 0, 0].min()
    assert lost(data) == 0
    assert_moments(datasets.make_unbalance_like(dense=LARGE, sparse=LARGE, random_state=1))


def test_the_unbalance_like_set_stands_where_the_file_has_it():
    published = shared_data.centroids("unbalance")
    ours = datasets.make_unbalance_like(random_state=0).centres
    nearest = cdist(published, ours)
    assert sorted(nearest.argmin(axis=1)) == list(range(8))
    assert nearest.min(axis=1).max() < 2500


def test_spirals_without_noise_lie_on_their_arms():
    data = datasets.make_spirals(4, size=200, turns=1.5, noise=0, random_state=0)
    radius, angle = np.hypot(*data.X.T), data.parameters["angles"]
    assert 0.2 <= radius.min() < 0.22
    assert 0.98 < radius.max() <= 1
    turned = angle / (2 * np.pi) - data.labels / 4
    np.testing.assert_allclose(radius, 0.2 + 0.8 * turned / 1.5)
    np.testing.assert_allclose(data.X, radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]))
    assert data.centres is None
    assert data.k == 4


def test_the_usual_spirals_are_apart_and_noise_is_noise():
    data = datasets.make_spirals(random_state=0)
    assert data.n == 312
    between = cdist(data.X, data.X)[data.labels[:, None] != data.labels]
    assert between.min() > 0.1
    still = datasets.make_spirals(size=LARGE, noise=0, random_state=1).X
    noisy = datasets.make_spirals(size=LARGE, noise=0.05, random_state=1).X
    assert (noisy - still).std() == pytest.approx(0.05, rel=0.02)


def test_binary_groups_are_their_patterns_with_some_values_flipped():
    data = datasets.make_binary(4, n=LARGE, d=30, flip=0.15, random_state=0)
    patterns = data.parameters["patterns"]
    assert set(np.unique(data.X)) == {0, 1}
    assert data.X.dtype.kind == "i"
    assert len(np.unique(patterns, axis=0)) == 4
    wrong = patterns[data.labels] != data.X
    assert wrong.mean() == pytest.approx(0.15, rel=0.02)
    for group in range(4):
        np.testing.assert_allclose(data.X[data.labels == group].mean(axis=0), data.centres[group], atol=0.02)
    assert np.bincount(data.labels).tolist() == [LARGE // 4] * 4
    np.testing.assert_array_equal(
        datasets.make_binary(3, n=10, flip=0, random_state=0).parameters["patterns"][
            [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
        ],
        datasets.make_binary(3, n=10, flip=0, random_state=0).X,
    )


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 1), (8, 3), (5, 3), (3, 100)])
def test_binary_patterns_differ_even_where_few_are_left(k, d):
    patterns = datasets.make_binary(k, n=20, d=d, random_state=0).parameters["patterns"]
    assert patterns.shape == (k, d)
    assert len(np.unique(patterns, axis=0)) == k


# --- loading ----------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch):
    """No folder, and no network: what would fetch fails as it does without one."""
    monkeypatch.delenv("PARTITA_DATA", raising=False)

    def no_network(**_):
        raise OSError("<urlopen error [Errno -2] Name or service not known>")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", no_network)


@pytest.fixture
def shared_folder(monkeypatch):
    if not (shared_data.DATA / "MANIFEST.csv").exists():
        pytest.skip(f"{shared_data.DATA} is not there; set PARTITA_DATA")
    monkeypatch.setenv("PARTITA_DATA", str(shared_data.DATA))


def own_folder(path: Path, monkeypatch, *, text="x,y,label\n0,1.5,0\n1,,1\n2,2,1\n", **changes):
    """A folder with one set of three objects."""
    content = gzip.compress(text.encode(), mtime=0)
    (path / "mine.csv.gz").write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    line = {"file": "mine.csv.gz", "n": 3, "d": 2, "k": 2, "source": "made here", "sha256": sha256, **changes}
    pd.DataFrame([line]).to_csv(path / "MANIFEST.csv", index=False)
    monkeypatch.setenv("PARTITA_DATA", str(path))


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc", "digits"])
def test_what_comes_with_scikit_learn_needs_nothing_else(name, monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path / "nowhere"))
    data = datasets.load(name)
    bunch = getattr(sklearn.datasets, KNOWN[name].bundled)()
    np.testing.assert_array_equal(data.X, bunch.data)
    np.testing.assert_array_equal(data.labels, bunch.target)
    assert (data.n, data.d, data.k) == (KNOWN[name].n, KNOWN[name].d, KNOWN[name].k)
    assert len(data.feature_names) == data.d
    assert data.source.startswith("scikit-learn")


def test_names_are_read_kindly():
    assert datasets.load(" Breast-Cancer ").name == "wdbc"
    with pytest.raises(UnknownNameError, match="iris"):
        datasets.load("irsi")
    with pytest.raises(ParameterError, match="name"):
        datasets.load(3)


def test_a_set_that_cannot_be_had_says_how_to_get_it():
    with pytest.raises(FileError) as caught:
        datasets.load("s1")
    assert caught.value.got == "PARTITA_DATA is not set"
    assert "PARTITA_DATA" in caught.value.fix
    assert "s1.csv.gz" in caught.value.fix
    assert "sipu" in caught.value.fix
    with pytest.raises(FileError, match="Name or service not known") as caught:
        datasets.load("sonar")
    assert "OpenML (id 40)" in caught.value.fix
    assert "PARTITA_DATA" in caught.value.fix


def test_a_folder_gives_what_its_manifest_names(tmp_path, monkeypatch):
    own_folder(tmp_path, monkeypatch)
    data = datasets.load("mine")
    np.testing.assert_array_equal(data.X, [[0, 1.5], [1, np.nan], [2, 2]])
    assert data.labels.tolist() == [0, 1, 1]
    assert data.feature_names == ("x", "y")
    assert data.notes == ("made here",)
    assert data.source == "mine.csv.gz in PARTITA_DATA"
    with pytest.raises(FileError, match="does not have it"):
        datasets.load("s1")
    with pytest.raises(UnknownNameError, match="mine"):
        datasets.load("minne")


def test_labels_of_minus_one_are_no_truth(tmp_path, monkeypatch):
    own_folder(tmp_path, monkeypatch, text="x,label\n1,-1\n2,-1\n", n=2, d=1, k=0)
    data = datasets.load("mine")
    assert data.labels is None
    assert data.k is None
    assert repr(data).startswith("mine: 2 objects, 1 feature, no known groups")
    assert datasets.names().records()[-1]["k"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sha256": "0" * 64}, "not the file that the manifest names"),
        ({"n": 4}, "does not hold what the manifest says"),
        ({"k": 3}, "does not hold what the manifest says"),
        ({"text": "x,y\n1,2\n"}, "no table of numbers with labels"),
        ({"text": "x,label\na,0\n"}, "no table of numbers with labels"),
        ({"text": "x,label\n1,0.5\n2,1\n"}, "a label is no whole number"),
        ({"text": "x,label\n1,\n2,1\n"}, "a label is no whole number"),
        ({"file": "other.csv.gz"}, "cannot be read"),
        ({"file": "../mine.csv.gz"}, "line of the manifest"),
        ({"n": "three"}, "line of the manifest"),
    ],
)
def test_a_folder_that_does_not_hold_what_it_says_is_refused(tmp_path, monkeypatch, changes, message):
    own_folder(tmp_path, monkeypatch, **changes)
    with pytest.raises(FileError, match=message) as caught:
        datasets.load("other" if changes.get("file") == "other.csv.gz" else "mine")
    assert caught.value.got
    assert caught.value.need


def test_a_folder_without_a_manifest_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    with pytest.raises(FileError, match="no manifest"):
        datasets.load("s1")
    listed = datasets.names()
    assert len(listed.rows) == len(KNOWN)
    assert any("MANIFEST.csv" in note and str(tmp_path) in note for note in listed.notes)


def test_the_list_says_what_is_here_and_what_is_not(tmp_path, monkeypatch):
    bare = {row["name"]: row for row in datasets.names().records()}
    assert set(bare) == set(KNOWN)
    assert {name for name, row in bare.items() if row["here"]} == {"iris", "wine", "wdbc", "digits"}
    assert bare["s1"] == {**bare["s1"], "n": 5000, "d": 2, "k": 15, "source": "not here"}
    assert bare["sonar"]["source"] == "OpenML, id 40"
    assert "PARTITA_DATA" in bare["s1"]["way"]
    own_folder(tmp_path, monkeypatch)
    listed = datasets.names()
    assert listed.records()[-1] == {
        "name": "mine", "n": 3, "d": 2, "k": 2, "source": "PARTITA_DATA", "here": True, "way": "",
    }  # fmt: skip
    text = str(listed)
    assert text.startswith(f"{len(KNOWN) + 1} data sets, 5 of them here")
    assert max(map(len, text.splitlines())) <= 110
    assert list(listed.to_frame().columns) == ["name", "n", "d", "k", "source", "here", "way"]
    (tmp_path / "mine.csv.gz").unlink()
    assert datasets.names().records()[-1]["here"] is False


def test_every_set_of_the_shared_folder_loads_and_is_what_is_known(shared_folder):
    listed = datasets.names()
    for row in listed.records():
        if not row["here"] or row["n"] > 10_000:
            continue
        data = datasets.load(row["name"])
        assert (data.n, data.d, data.k) == (row["n"], row["d"], row["k"]), row["name"]
        if row["name"] in KNOWN:
            known = KNOWN[row["name"]]
            assert (known.n, known.d, known.k or None) == (data.n, data.d, data.k)
            if known.sizes:
                assert tuple(sorted(np.bincount(data.labels), reverse=True)) == known.sizes
            if known.digest:
                assert content_digest(data.X, data.labels) == known.digest
    assert not any(row["name"].endswith("_centroids") for row in listed.records())


def test_true_centres_come_with_their_set(shared_folder):
    data = datasets.load("S2")
    np.testing.assert_array_equal(data.centres, shared_data.centroids("s2"))
    assert datasets.load("s2_centroids").n == 15
    assert datasets.load("flame").centres is None


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
def test_what_comes_with_scikit_learn_is_what_the_folder_has(name):
    data = datasets.load(name)
    np.testing.assert_array_equal(data.X, shared_data.features(name))
    np.testing.assert_array_equal(data.labels, shared_data.labels(name))


# --- OpenML, by a stand-in for what scikit-learn fetches --------------------------------------------------

FRAME = pd.DataFrame({"age": [30, 40, 50, 60], "year": pd.Categorical(["64", "62", "65", "58"])})
TARGET = pd.Series(pd.Categorical(["no", "yes", "no", "no"]))
SMALL = KnownSet(
    "haberman", 4, 2, 2, sizes=(3, 1), openml=43,
    digest=content_digest(np.array([[30, 64], [40, 62], [50, 65], [60, 58]]), np.array([0, 1, 0, 0])),
)  # fmt: skip


def answer_with(monkeypatch, frame, target):
    asked = []

    def fetched(**options):
        asked.append(options)
        return Bunch(data=frame, target=target)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetched)
    return asked


def test_what_comes_from_openml_is_turned_into_numbers(monkeypatch):
    monkeypatch.setitem(KNOWN, "haberman", SMALL)
    asked = answer_with(monkeypatch, FRAME, TARGET)
    data = datasets.load("haberman")
    assert asked[0]["data_id"] == 43
    np.testing.assert_array_equal(data.X, [[30, 64], [40, 62], [50, 65], [60, 58]])
    assert data.labels.tolist() == [0, 1, 0, 0]
    assert data.parameters["classes"] == ("no", "yes")
    assert data.feature_names == ("age", "year")
    assert data.source == "OpenML, id 43"


@pytest.mark.parametrize(
    ("frame", "target", "message"),
    [
        (FRAME.assign(age=[30, 40, 50, 61]), TARGET, "checksum"),
        (FRAME, TARGET.iloc[::-1], "checksum"),
        (FRAME.iloc[:3], TARGET.iloc[:3], "n = 3"),
        (FRAME, TARGET.astype(object).replace({"yes": "no"}), "classes of"),
        (FRAME.assign(age=["a", "b", "c", "d"]), TARGET, "no number"),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_what_is_not_the_known_set_is_refused(monkeypatch, frame, target, message):
    monkeypatch.setitem(KNOWN, "haberman", SMALL)
    answer_with(monkeypatch, frame, target)
    with pytest.raises(FileError, match="is not the haberman that is known") as caught:
        datasets.load("haberman")
    assert message in caught.value.got
    assert "fetch_openml(data_id=43)" in caught.value.fix


def test_a_wrong_sum_of_the_file_is_told_as_scikit_learn_tells_it(monkeypatch):
    def wrong(**_):
        raise ValueError("md5 checksum of local file does not match description")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", wrong)
    with pytest.raises(FileError, match="md5 checksum"):
        datasets.load("vehicle")


def test_the_folder_goes_before_the_network(shared_folder, monkeypatch):
    asked = answer_with(monkeypatch, FRAME, TARGET)
    assert datasets.load("haberman").n == 306
    assert not asked


@pytest.mark.parametrize("name", [name for name, known in KNOWN.items() if known.openml])
def test_a_shuffled_copy_from_openml_passes_and_a_damaged_one_does_not(name, monkeypatch):
    frame = shared_data.frame(name).sample(frac=1, random_state=0).iloc[:, ::-1]
    target = frame.pop("label").map("class {}".format)
    answer_with(monkeypatch, frame, target)
    data = datasets.load(name)
    np.testing.assert_array_equal(data.X, frame.to_numpy(float))
    assert data.k == KNOWN[name].k
    if KNOWN[name].digest:
        damaged = frame.astype(float)
        damaged.iloc[5, 1] *= 1.0001
        damaged.iloc[5, 1] += 1e-3
        answer_with(monkeypatch, damaged, target)
        with pytest.raises(FileError, match="is not the"):
            datasets.load(name)
    else:
        assert data.notes


def test_a_digest_knows_content_and_not_order():
    rng = np.random.default_rng(0)
    X, labels = rng.integers(0, 3, size=(30, 4)) * 1.0, rng.integers(0, 3, 30)
    base = content_digest(X, labels)
    order = rng.permutation(30)
    assert content_digest(X[order][:, ::-1], 2 - labels[order]) == base
    assert content_digest(np.where(X == 0, -0.0, X), labels) == base
    changed = X.copy()
    changed[3, 2] += 1
    assert content_digest(changed, labels) != base
    moved = labels.copy()
    moved[0] = (moved[0] + 1) % 3
    assert content_digest(X, moved) != base
