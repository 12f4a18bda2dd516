"""Search strategies: against their definitions, their promises, and the slides' data."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from partita.cluster import RandomSwap
from partita.cluster.centres import lloyd, starting_centres
from partita.cluster.ward import WardTree, ward_partition
from partita.errors import ParameterError, TooLargeError, UnknownNameError
from partita.fits.settings import Grid
from partita.kernels.swaps import gain_at, gather, helpful_object, removal_costs, weighed_swaps
from partita.registry import find
from partita.registry.curves import find_curve
from partita.selection.index_panel import Panel
from partita.selection.strategies import Search, method_for, search_fits
from partita.selection.sweep import Sweep
from partita.selection.votes import evaluate
from reference.kmeans_family import merge_groups, scatter
from shared_data import features

full = pytest.mark.full
WAYS = ["stepwise", "guided", "hierarchical"]
TRUE_K = {"s1": 15, "s2": 15, "s3": 15, "s4": 15, "r15": 15, "d31": 31}
BLOBS = np.random.default_rng(3).normal(size=(120, 2)) + np.repeat(
    [[0, 0], [12, 0], [0, 12], [12, 12]], 30, axis=0
)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def problems(draw):
    """Objects on a small grid, so that ties and duplicates occur; numbers of clusters."""
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 6), min_size=d, max_size=d)
    X = np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=float)
    ks = draw(st.sets(st.integers(1, min(n, 9)), min_size=1))
    return X, sorted(ks)


def search(way, X, ks, names=("wb_index",), estimator=None, seed=0, truth=None, **options) -> Search:
    panel = Panel(tuple(find(name) for name in names))
    return search_fits(way, sweep_of(X, method_for(way, estimator), ks, panel, truth), seed, **options)


def sweep_of(X, method, ks, panel, truth=None) -> Sweep:
    return Sweep(np.asarray(X), truth, method, Grid("n_clusters", tuple(ks), True), 1, panel)


def chosen(found: Search, name: str) -> int | None:
    return evaluate(found.sweep, found.fits)[1][find(name).label].k


def labels_of(model) -> np.ndarray:
    return np.asarray(model.labels_ if hasattr(model, "labels_") else model.codes)


# --- swaps and their gains --------------------------------------------------------------------------------


@given(problems(), seeds)
def test_a_centre_on_an_object_gains_what_the_definition_says(problem, seed):
    X, ks = problem
    rng = np.random.default_rng(seed)
    swarm = gather(X, lloyd(X, starting_centres(X, ks[-1], "random", rng)).centres)
    own = np.square(swarm.X - swarm.centres[swarm.labels]).sum(axis=1)
    gains = [np.maximum(own - np.square(swarm.X - x).sum(axis=1), 0).sum() for x in swarm.X]
    np.testing.assert_allclose([gain_at(swarm, i) for i in range(len(X))], gains, atol=1e-9)
    shares = rng.random(5)
    each = [gain_at(swarm, helpful_object(swarm, shares[i : i + 1])) for i in range(5)]
    assert gain_at(swarm, helpful_object(swarm, shares)) == max(each)


@given(problems(), seeds)
def test_a_removal_costs_the_cheapest_merge(problem, seed):
    X, ks = problem
    swarm = gather(X, lloyd(X, starting_centres(X, ks[-1], "random", np.random.default_rng(seed))).centres)
    groups = [swarm.X[swarm.labels == j] for j in range(len(swarm.sizes))]
    for j, cost in enumerate(removal_costs(swarm)):
        others = [g for i, g in enumerate(groups) if i != j]
        merges = [
            scatter(np.vstack([groups[j], g])) - scatter(groups[j]) - scatter(g)
            if len(g) * len(groups[j])
            else 0
            for g in others
        ]
        assert cost == pytest.approx(min(merges, default=np.inf), abs=1e-9)


@given(problems(), seeds, st.sampled_from([0.0, 0.5, 2.0]))
def test_weighed_swaps_never_make_it_worse(problem, seed, least):
    X, ks = problem
    if ks[-1] < 2:
        return
    rng = np.random.default_rng(seed)
    swarm = gather(X, starting_centres(X, ks[-1], "random", rng))
    before = swarm.errors.sum()
    tried, taken = weighed_swaps(swarm, rng.random((20, 2)), 2, least)
    assert 0 <= taken <= tried <= 20
    assert swarm.errors.sum() < before if taken else swarm.errors.sum() == before


def test_a_hopeless_swap_is_not_tried():
    X = np.repeat([[0.0], [100.0], [200.0]], 10, axis=0) + np.tile(np.linspace(-1, 1, 10), 3)[:, None]
    swarm = gather(X, np.array([[0.0], [100.0], [200.0]]))
    draws = np.random.default_rng(0).random((50, 2))
    assert weighed_swaps(swarm, draws, 2, 0.5) == (0, 0)
    assert weighed_swaps(swarm, draws, 2, 0.0)[0] == 50


# --- promises of all searches -----------------------------------------------------------------------------


def check_judgement(found, X, ks):
    """k clusters, none empty; indices and objective are those of the clustering that `refit` gives."""
    assert set(found.sweep.ks) <= set(ks)
    assert [fit.k for fit in found.fits] == list(found.sweep.ks)
    for fit in found.fits:
        labels = labels_of(found.refit(fit.k, fit.seed))
        if not fit.warned:
            assert len(np.unique(labels)) == fit.k
        within = sum(scatter(X[labels == j]) for j in np.unique(labels))
        assert fit.values["ssw"] == pytest.approx(within, rel=1e-9, abs=1e-9)
        assert fit.objective == pytest.approx(within, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("way", ["stepwise", "hierarchical"])
@given(problem=problems(), seed=seeds)
def test_a_search_judges_what_it_hands_back(way, problem, seed):
    X, ks = problem
    assume(len(np.unique(X, axis=0)) >= ks[-1])
    check_judgement(search(way, X, ks, ("wb_index", "ssw"), seed=seed), X, ks)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("estimator", [None, KMeans(n_init=1)])
def test_a_seed_fixes_everything(way, estimator):
    given = None if way == "hierarchical" else estimator
    a, b = (search(way, BLOBS, range(1, 12), ("WB", "silhouette"), given, seed=7) for _ in range(2))
    assert repr(a.fits) == repr(b.fits)  # all digits of every value; nan is nan
    assert (a.notes, a.trail, a.sweep.ks) == (b.notes, b.trail, b.sweep.ks)
    for k in a.sweep.ks:
        np.testing.assert_array_equal(labels_of(a.refit(k, 7)), labels_of(b.refit(k, 7)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("names", [("WB",), ("silhouette", "DBI"), ("calinski_harabasz", "ARI")])
def test_four_far_clusters_are_four(way, names):
    truth = ward_partition(BLOBS, 4)
    found = search(way, BLOBS.astype(np.float32), range(1, 12), names, truth=truth)
    assert all(chosen(found, name) == 4 for name in names)


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_clusters_need_not_follow_each_other(way):
    found = search(way, BLOBS, [2, 4, 9, 20])
    assert set(found.sweep.ks) <= {2, 4, 9, 20}
    assert chosen(found, "WB") == 4


@pytest.mark.parametrize("way", WAYS)
def test_one_cluster_of_one_object(way):
    assert [fit.k for fit in search(way, [[1.0, 2.0]], [1]).fits] == [1]


# --- stepwise ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [None, KMeans()])
@given(problem=problems(), seed=seeds)
def test_the_objective_falls_with_each_step(estimator, problem, seed):
    X, ks = problem
    found = search("stepwise", X, range(1, ks[-1] + 1), estimator=estimator, seed=seed, stop=False)
    assert all(b.objective <= a.objective * (1 + 1e-12) for a, b in pairwise(found.fits))


def test_stepwise_says_why_it_stopped():
    found = search("stepwise", BLOBS, range(2, 30))
    assert found.sweep.ks[-1] == 11  # 1.5 * 4 + 5
    tried, _, why = found.notes[0].partition(", up to ")
    assert tried == "stepwise: 10 of 28 numbers of clusters tried"
    assert why == "k = 11 >= 1.5 * 4 + 5, 4 being the best by wb_index"
    assert search("stepwise", BLOBS, range(2, 30), stop=False).sweep.ks[-1] == 29
    assert search("stepwise", BLOBS, range(2, 30), ["ssw"]).sweep.ks[-1] == 29  # it has no best value
    with pytest.raises(ParameterError, match="fewer distinct objects"):
        search("stepwise", np.ones((9, 2)), [3, 4])


@pytest.mark.parametrize("shift", [0.0, 0.1, 1e6 + 0.1])
def test_stepwise_ends_where_a_cluster_would_be_empty(shift):
    """Also where the mean of equal objects is not quite one of them."""
    found = search("stepwise", np.repeat([[0.0], [0.7], [5.3]], 3, axis=0) + shift, range(1, 9))
    assert found.sweep.ks == (1, 2, 3)
    assert found.notes[0].endswith("up to k = 3: with more a cluster stays empty")


@pytest.mark.parametrize("name", TRUE_K)
def test_stepwise_finds_the_true_number(name):
    """Out of 20 seeds 20 did, for each set and index, and for A1, A2 and A3."""
    X, k = features(name), TRUE_K[name]
    for seed in range(2):
        found = search("stepwise", X, range(2, 60), ("WB", "calinski_harabasz"), seed=seed)
        assert chosen(found, "WB") == chosen(found, "calinski_harabasz") == k


def test_stepwise_finds_the_fifty_clusters_of_a3():
    """With 100 swaps at every k it was 52: swaps must grow with k (franti_validation.md, 5)."""
    found = search("stepwise", features("a3"), range(2, 90), seed=1)
    assert chosen(found, "WB") == 50


# --- guided -----------------------------------------------------------------------------------------------


def check_trail(found, ks, name, sign):
    """Each step is better than the last; ``sign`` is -1 where lower is better."""
    ends = []
    for way in found.trail:
        assert {k for k, _ in way} <= set(ks)
        values = [sign * value for _, value in way]
        finite = values if np.isfinite(values[0]) else values[1:]  # a start may have no value
        assert np.isfinite(finite).all()
        assert all(b > a for a, b in pairwise(finite))
        ends += finite[-1:]
    known = [sign * value for fit in found.fits if np.isfinite(value := fit.values[name])]
    assert max(known, default=0) == max(ends, default=0)


@settings(max_examples=25)
@given(problem=problems(), seed=seeds)
@pytest.mark.usefixtures("compiled")
def test_each_step_of_a_guided_search_is_better(problem, seed):
    X, ks = problem
    check_trail(search("guided", X, ks, ("calinski_harabasz",), KMeans(), seed), ks, "calinski_harabasz", 1)


@given(problem=problems(), seed=seeds)
@pytest.mark.usefixtures("compiled")
def test_a_guided_search_judges_what_it_hands_back_and_is_never_worse_than_the_stepwise_one(problem, seed):
    X, ks = problem
    found = search("guided", X, ks, ("wb_index", "ssw"), seed=seed)
    check_trail(found, ks, "wb_index", -1)
    if len(np.unique(X, axis=0)) < ks[-1]:
        return
    check_judgement(found, X, ks)
    own = np.random.default_rng(seed).spawn(len(found.trail))[-1].integers(1 << 32)
    steps = search("stepwise", X, ks, seed=int(own))
    assert found.trail[-1][0][0] in steps.sweep.ks
    assert best_of(found, "wb_index") <= best_of(steps, "wb_index") * (1 + 1e-9)


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("s4", None),
        ("s1", KMeans()),
        *(pytest.param(name, None, marks=full) for name in ("s1", "s2", "s3")),
        *(pytest.param(name, KMeans(), marks=full) for name in ("s2", "s3", "s4")),
    ],
)
def test_a_guided_search_ends_at_the_true_number(name, estimator):
    """Out of 10 seeds 10 did, with either method; by DBI it was 6 of 10 on S4, and 0 with k-means."""
    assert chosen(search("guided", features(name), range(2, 31), estimator=estimator), "WB") == 15


def best_of(found: Search, label: str) -> float:
    """The best value over all numbers of clusters, for an index where lower is better."""
    return min((v for fit in found.fits if np.isfinite(v := fit.values[label])), default=np.inf)


def test_a_guided_search_finds_the_eight_clusters_of_unbalance():
    """From random starts at 27, 53 and 80 clusters it ended at 27: large clusters in several parts each."""
    found = search("guided", features("unbalance"), range(2, 81), estimator=RandomSwap(patience=20))
    assert chosen(found, "WB") == 8
    assert 8 not in [way[-1][0] for way in found.trail[:-1]]


def test_a_guided_search_follows_one_index_that_has_a_best_value():
    assert (
        search("guided", BLOBS, range(2, 9), ["ssw", "DBI"]).notes[0].startswith("guided by davies_bouldin")
    )
    for names in (["ssw"], ["ARI"]):
        with pytest.raises(ParameterError, match="follows one index"):
            search("guided", BLOBS, range(2, 9), names, truth=ward_partition(BLOBS, 4))


# --- hierarchical -----------------------------------------------------------------------------------------


@given(problems(), seeds)
def test_a_cut_is_what_merging_by_the_definition_leaves(problem, seed):
    X, _ = problem
    X = X + np.random.default_rng(seed).random(X.shape)  # no ties
    tree, groups = WardTree.of(X), [[i] for i in range(len(X))]
    for k in range(len(X), 0, -1):
        groups = merge_groups(X, groups, k)
        labels = tree.cut(k)
        assert sorted(np.unique(labels)) == list(range(k))
        assert {frozenset(g) for g in groups} == {
            frozenset(np.flatnonzero(labels == j).tolist()) for j in range(k)
        }


@pytest.mark.parametrize("reassign", [True, False])
def test_a_cut_is_ward_partition(reassign):
    tree = WardTree.of(BLOBS)
    for k in (1, 2, 4, 9, 40, 120):
        ours = tree.partition(k, reassign=reassign).labels
        theirs = ward_partition(BLOBS, k, reassign=reassign).codes
        assert len(np.unique(ours)) == len({*zip(ours.tolist(), theirs.tolist(), strict=True)}) == k


def test_ties_leave_no_cut_with_too_few_clusters():
    tree = WardTree.of(np.zeros((6, 1)))
    assert [len(np.unique(tree.cut(k))) for k in range(1, 7)] == [1, 2, 3, 4, 5, 6]


def test_a_hierarchical_search_stops_if_asked_to():
    assert search("hierarchical", BLOBS, range(2, 30)).sweep.ks[-1] == 29
    found = search("hierarchical", BLOBS, range(2, 30), stop=True)
    assert found.sweep.ks[-1] == 11
    assert "1.5 * 4 + 5" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "k"),
    [("s1", 15), pytest.param("s2", 15, marks=full), pytest.param("s3", 15, marks=full), ("s4", 16)],
)
def test_ward_finds_the_true_number_where_clusters_do_not_overlap_much(name, k):
    """On S4 Ward's 15 clusters miss one of the true ones (franti2017: CI = 1), and 16 is better."""
    found = search("hierarchical", features(name), range(2, 31), ("WB", "calinski_harabasz"))
    assert chosen(found, "WB") == chosen(found, "calinski_harabasz") == k


# --- refusals ---------------------------------------------------------------------------------------------


def test_a_tree_that_would_not_fit_is_refused_before_it_is_built():
    with pytest.raises(TooLargeError, match="all pairs"):
        search("hierarchical", np.zeros((30_000, 1)), [2])


@pytest.mark.parametrize(
    ("way", "estimator"),
    [
        ("stepwise", GaussianMixture()),
        ("guided", AgglomerativeClustering()),
        ("hierarchical", RandomSwap()),
        ("hierarchical", AgglomerativeClustering(linkage="single")),
    ],
)
def test_a_method_that_a_strategy_cannot_use_is_refused(way, estimator):
    with pytest.raises(ParameterError, match=f"{way} search cannot use"):
        method_for(way, estimator)


def test_an_unknown_strategy_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="did you mean stepwise"):
        method_for("stepwize")


@pytest.mark.parametrize("way", WAYS)
def test_what_needs_many_clusterings_of_a_k_is_refused(way):
    for panel in (Panel((), (find_curve("gap"),)), Panel((), (), (find("ARI"),))):
        with pytest.raises(ParameterError, match="one clustering for each k"):
            search_fits(way, sweep_of(BLOBS, method_for(way), (2, 3), panel), 0)


@pytest.mark.parametrize("way", ["stepwise", "hierarchical"])
def test_an_index_of_a_mixture_is_refused(way):
    with pytest.raises(ParameterError, match="mixture"):
        search(way, BLOBS, [2, 3], ["bic"])
