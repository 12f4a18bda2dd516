"""Evidence: scores against the slow reference and the published vectors; invariances, odd data, samples."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from answer_vectors import MAKERS, nudged, vectors
from partita.cluster.density_tree import reach_trees, smallest_cluster
from partita.cluster.merged_mixture import mixtures_over_k, standardised
from partita.errors import ParameterError
from partita.partitions import DataMatrix
from partita.selection import evidence
from partita.selection.decisions import Case
from partita.selection.evidence import (
    FEWEST_OBJECTS,
    MIN_SAMPLES,
    MIN_SHARES,
    MIXTURE,
    MOST_OBJECTS,
    TREE,
    WARD,
    Evidence,
    ScoredClustering,
    ranked,
)
from partita.selection.verdict import judge
from partita.statistics.tables.near_clusterings import SAME, Clusterings
from reference import answers as reference

CORNERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])


def clouds(size=20, d=2, sd=1.0, seed=0):
    """Three round groups on the first two axes."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((3, d))
    centres[:, : min(d, 2)] = CORNERS[:, : min(d, 2)]
    return np.repeat(centres, size, axis=0) + sd * rng.normal(size=(3 * size, d))


def rings(n=40):
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.vstack([ring, 3 * ring]) + np.random.default_rng(0).normal(scale=0.05, size=(2 * n, 2))


RNG = np.random.default_rng(5)
DATA = {
    "three groups": clouds(),
    "overlapping": clouds(25, sd=2.5),
    "one group": RNG.normal(size=(70, 2)),
    "uniform": RNG.random((64, 3)),
    "rings": rings(),
    "one column": clouds()[:, :1],
    "five columns": clouds(25, d=5),
    "skewed": RNG.exponential(size=(60, 2)),
    "one column dominates": np.column_stack([clouds(), 500 * RNG.random(60)]),
    "a constant column": np.column_stack([clouds(sd=2.0), np.full(60, 7.0)]),
    "an object far away": np.vstack([clouds(), [[400.0, 300.0]]]),
    "eight objects": RNG.normal(size=(8, 2)) + np.repeat([[0.0, 0.0], [9.0, 0.0]], 4, axis=0),
}
"""Continuous data: no two distances are equal."""


@cache
def evidence_of(name):
    return Evidence.of(DATA[name], None)  # nothing is drawn: there is no generator


def blocks(labels):
    """A clustering whatever its clusters are called."""
    return frozenset(frozenset(np.flatnonzero(labels == j).tolist()) for j in set(labels.tolist()))


def parts(one):
    return (one.lasting, one.agreement, one.best_bic)


# --- against the definition ---------------------------------------------------------------------------------


def cuts_of(X):
    """The library's density trees, which test_density_tree is about, in the form of the reference."""
    counts = [m for m in MIN_SAMPLES if len(X) > 4 * m] or [MIN_SAMPLES[0]]
    most = max(20, min(100, len(X) // 10))
    read = []
    for tree in reach_trees(X, counts):
        for share in MIN_SHARES:
            cuts = tree.cuts(smallest_cluster(len(X), share))
            found = [
                reference.Cut(k, None, cuts.labels(k), length, min(max(length, 0.0), 1.0))
                for k, length in enumerate(cuts.persistence.tolist(), start=2)
                if k <= most
            ]
            read.append(reference.Tree(tree.min_samples, share, tree.median_edge, len(cuts.splits), found))
    return read


def fitted_to(X):
    """The library's mixtures, which test_merged_mixture is about, in the form of the reference."""
    return [
        reference.Mixture(
            fit.covariance_type,
            fit.k,
            fit.mixture.weights_,
            fit.mixture.means_,
            np.array(list(fit.mixture.covariance_matrices())),
            fit.memberships,
            fit.labels,
            fit.bic,
        )
        for fit in mixtures_over_k(standardised(X))
    ]


@pytest.mark.parametrize("name", DATA)
def test_candidates_and_their_parts_are_those_of_the_definition(name, monkeypatch):
    monkeypatch.setattr(reference, "density_trees", cuts_of)
    monkeypatch.setattr(reference, "fit_mixtures", fitted_to)
    judged = reference.judge(DATA[name])
    kinds = {"T": TREE, "M": MIXTURE}
    expected = {(kinds[c.kind], blocks(c.labels)): (c.P, c.A, c.w * c.B) for c in judged.candidates}
    found = evidence_of(name)
    assert {(one.method, blocks(one.labels)) for one in found.clusterings} == set(expected)
    for one in found.clusterings:
        lasting, agreement, best_bic = expected[one.method, blocks(one.labels)]
        if min(one.agrees_with.values()) == 0.0:  # all indices with one kind are negative: they count as 0
            agreement = one.agreement
        assert parts(one) == pytest.approx((lasting, agreement, best_bic), abs=1e-6)
        assert one.k == len(set(one.labels.tolist())) == one.labels.max() + 1
        assert one.score == sum(parts(one))
    assert found.best.k == judged.best_mixture.k
    assert len(judged.candidates) == len(expected)
    if found.clusterings:
        assert found.clusterings[0].score == pytest.approx(judged.answer.score, abs=1e-6)
        assert found.clusterings[0].k == judged.answer.k


@pytest.mark.parametrize("name", ["three_groups", "scatter", "ten_dimensions"])
def test_the_answer_is_that_of_the_definition_whatever_the_order_of_equal_heights(name):
    X = MAKERS[name]().X
    found, judged = Evidence.of(X, None).clusterings[0], reference.judge(X)
    assert found.score == pytest.approx(judged.answer.score, abs=0.02)
    assert blocks(found.labels) == blocks(judged.answer.labels)


@pytest.mark.parametrize("name", MAKERS)
def test_the_published_vectors(name):
    X, groups = MAKERS[name]()
    vector = vectors()[name]["answer"]
    found = Evidence.of(nudged(X), None)
    best, verdict = found.clusterings[0], judge(found, found.clusterings, None)
    assert best.k == vector["best_k"]
    assert verdict.answer.strength == vector["strength"].split()[0]
    # equal heights, of which a lattice has most, are joined at once here, in an arbitrary order there
    tolerance = 0.04 if name == "one_uniform_law" else 0.02
    published = (vector["P"], vector["A"], found.bic_weight * vector["B"])
    assert parts(best) == pytest.approx(published, abs=tolerance)
    assert best.score == pytest.approx(vector["score"], abs=tolerance)
    if verdict.answer.strength == "clear":
        assert sorted(np.bincount(best.labels), reverse=True) == vector["sizes"]
        made = groups >= 0
        agreement = reference.adjusted_rand(best.labels[made], groups[made])
        assert agreement == pytest.approx(vector["ari_with_groups"], abs=5e-5)
    if verdict.answer.strength == "clear" and name != "two_densities":  # 3 to 7 by the order of equal heights
        second = next(one for one in (*verdict.levels, *verdict.alternatives) if one.k != best.k)
        assert second.k == vector["second"]["k"]
        assert second.score == pytest.approx(vector["second"]["score"], abs=0.02)


# --- adjusted Rand indices -----------------------------------------------------------------------------


@st.composite
def labellings(draw, count):
    n = draw(st.integers(2, 25))
    rows = st.lists(st.integers(0, draw(st.integers(0, 6))), min_size=n, max_size=n)
    return [np.unique(draw(rows), return_inverse=True)[1] for _ in range(count)]


@given(labellings(5))
def test_agreement_is_the_adjusted_rand_index_and_never_above_its_bound(labels):
    own, *others = labels
    known = Clusterings(others)
    exact = [reference.adjusted_rand(own, other) for other in others]
    assert [known.agreement(own, i) for i in range(len(others))] == pytest.approx(exact, abs=1e-12)
    assert (known.bounds(own) >= np.array(exact) - 1e-12).all()
    assert known.best_agreement(own) == pytest.approx(max(0.0, *exact), abs=1e-12)
    assert known.near(own) == pytest.approx({i: v for i, v in enumerate(exact) if v > SAME}, abs=1e-12)


def test_without_others_nothing_agrees():
    none = Clusterings([])
    assert (len(none), none.best_agreement(np.array([0, 1, 1])), none.near(np.array([0, 1, 1]))) == (
        0,
        0.0,
        {},
    )


# --- clusterings of other methods -------------------------------------------------------------------------


def changed(labels, share, seed=0):
    """The labels with a share of the objects in another cluster."""
    rng = np.random.default_rng(seed)
    moved = rng.random(len(labels)) < share
    return np.where(moved, (labels + 1) % (labels.max() + 1), labels)


@pytest.mark.parametrize("name", ["three groups", "rings", "one column dominates", "five columns"])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.5])
def test_other_methods_are_scored_against_trees_and_mixtures(name, share):
    found = evidence_of(name)
    labels = changed(found.clusterings[0].labels, share)
    one = found.scored(ScoredClustering(labels, "k-means"))

    def best(clusterings):
        return max((reference.adjusted_rand(labels, other.labels) for other in clusterings), default=0.0)

    def mean(scale):
        near = [
            [
                reference.adjusted_rand(labels, found.cuts[p].labels) * lasts
                for p, lasts in tree.items()
                if reference.adjusted_rand(labels, found.cuts[p].labels) > SAME
            ]
            for tree in scale
        ]
        return np.mean([max(tree, default=0.0) for tree in near])

    agrees = {TREE: max(best(found.cuts), 0.0), MIXTURE: max(best(found.mixtures), 0.0)}
    assert one.agrees_with == pytest.approx(agrees, abs=1e-12)
    assert one.agreement == pytest.approx(sum(agrees.values()) / 2, abs=1e-12)
    assert one.lasting == pytest.approx(max(mean(scale) for scale in found.lasting), abs=1e-12)
    weight = 0.15 if DATA[name].shape[1] <= 3 else 0.35
    assert one.best_bic == pytest.approx(
        weight * reference.adjusted_rand(labels, found.best.labels), abs=1e-12
    )


def test_names_of_clusters_do_not_matter():
    found = evidence_of("overlapping")
    labels = changed(found.clusterings[0].labels, 0.1)
    one, other = (found.scored(ScoredClustering(ls, "other")) for ls in (labels, labels.max() - labels))
    assert parts(one) == pytest.approx(parts(other), abs=1e-12)


def test_ward_itself_is_no_witness_of_wards_method():
    found = evidence_of("three groups")
    one = found.scored(ScoredClustering(found.witness.codes[1], WARD))
    assert set(one.agrees_with) == {TREE, MIXTURE}


def test_of_all_kinds_the_two_that_agree_best_count():
    found = evidence_of("rings")
    labels = np.repeat([0, 1], 40)
    alone = found.scored(ScoredClustering(labels, "graph"))
    same = {"centres": Clusterings([labels]), "graph": Clusterings([labels])}
    beside = found.scored(ScoredClustering(labels, "graph"), same)
    assert set(beside.agrees_with) == {TREE, MIXTURE, "centres"}  # those of its own kind are no witnesses
    assert beside.agreement == pytest.approx((1.0 + alone.agrees_with[TREE]) / 2)
    assert beside.agreement > alone.agreement


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_noise_follows_the_nearest_object_in_a_cluster(metric):
    X = clouds()
    rng = np.random.default_rng(1)
    labels = np.where(rng.random(60) < 0.3, -1, 10 * np.repeat([0, 1, 2], 20))
    given_data = DataMatrix(cdist(X, X), are_distances=True) if metric == "precomputed" else DataMatrix(X)
    case = Case.of(given_data.values, given_data, 0, structure=False, metric=metric)
    one = case.scored(labels, "graph", resolution=0.3)
    inside = np.flatnonzero(labels >= 0)
    nearest = inside[cdist(X, X[inside]).argmin(axis=1)]
    assert blocks(one.labels) == blocks(np.where(labels < 0, labels[nearest], labels))
    assert (one.k, one.method, one.parameters) == (3, "graph", {"resolution": 0.3})
    np.testing.assert_array_equal(
        case.evidence.whole(one).labels, labels
    )  # what is handed over has its noise
    assert case.scored(np.full(60, -1), "graph").k == 1


def test_a_scored_clustering_is_written_and_read():
    one = evidence_of("three groups").clusterings[0]
    again = ScoredClustering.from_dict(one.to_dict())
    assert again.to_dict() == one.to_dict()
    assert (again.k, again.score, again.labels.size) == (3, one.score, 0)


def test_of_equal_scores_the_one_with_fewer_clusters_is_first():
    two, three = (ScoredClustering(np.arange(6) % k, TREE, lasting=0.5) for k in (2, 3))
    better = replace(three, lasting=0.6)
    assert ranked([three, two, better]) == (better, two, three)
    assert ranked([replace(three, lasting=0.5 + 1e-12), two])[0] is two  # rounding is no lead


# --- what does not matter ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["overlapping", "rings", "five columns", "one column dominates"])
def test_origin_units_and_order_of_columns_do_not_matter(name):
    X, plain = DATA[name], evidence_of(name).clusterings
    ways = {
        "origin": X + 100.0,
        "units": X * 0.01,
        "tiny": X * 1e-200,
        "huge": X * 1e140,
        "columns": X[:, ::-1],
        "precision": X.astype(np.longdouble),
        "memory": np.asfortranarray(X),
    }
    for way, same in ways.items():
        other = Evidence.of(same, None).clusterings
        scores = [sorted((one.k, round(one.score, 6)) for one in ones) for ones in (plain, other)]
        np.testing.assert_allclose(*scores, atol=1e-4, err_msg=way)
        assert blocks(plain[0].labels) == blocks(other[0].labels), way


@pytest.mark.parametrize("name", ["three groups", "rings", "five columns", "one column dominates"])
def test_the_order_of_objects_matters_only_among_equal_heights(name):
    X, plain = DATA[name], evidence_of(name).clusterings
    order = np.random.default_rng(3).permutation(len(X))
    other = Evidence.of(X[order], None).clusterings
    assert other[0].k == plain[0].k
    assert other[0].score == pytest.approx(plain[0].score, abs=0.03)
    assert reference.adjusted_rand(other[0].labels, plain[0].labels[order]) > 0.95


# --- scales -------------------------------------------------------------------------------------------------


def test_both_scales_are_tried_where_one_column_dominates():
    found = evidence_of("one column dominates")
    assert found.dominant == 2
    assert {one.parameters["scale"] for one in found.cuts} == {"raw", "standard"}
    assert len(found.lasting) == len(found.trees) == 2
    alone = Evidence.of(reference.standardised(DATA["one column dominates"]), None)
    assert alone.dominant is None
    assert len(found.witness) == 2 * len(alone.witness)
    best = found.clusterings[0]
    assert blocks(best.labels) == blocks(np.repeat([0, 1, 2], 20))
    assert best.lasting == pytest.approx(alone.clusterings[0].lasting)


@pytest.mark.parametrize(
    ("spread", "dominant"),
    [([1, 1], None), ([2.9, 1], None), ([3.1, 1], 0), ([1, 9, 1], 1), ([5], None), ([1, 0], 0)],
)
def test_a_column_dominates_from_nine_tenths_of_the_variance_on(spread, dominant):
    X = np.random.default_rng(0).normal(size=(20, len(spread)))
    X = (X - X.mean(axis=0)) / X.std(axis=0) * spread
    assert Evidence.of(X, None).dominant == dominant


# --- few, equal and odd objects ---------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, FEWEST_OBJECTS - 1])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_below_eight_objects_there_is_no_evidence(n, metric):
    X = DATA["eight objects"][:n]
    found = Evidence.of(X if metric == "euclidean" else cdist(X, X), None, metric=metric)
    assert (found.clusterings, found.best, len(found.witness)) == ((), None, 0 if n < 10 else 1)
    assert judge(found, found.clusterings, None).best is None


def test_of_eight_objects_two_clusters_are_seen():
    best = evidence_of("eight objects").clusterings[0]
    assert blocks(best.labels) == blocks(np.repeat([0, 1], 4))
    assert best.parameters["min_samples"] == MIN_SAMPLES[0]


@pytest.mark.parametrize(
    "X", [np.ones((30, 2)), np.zeros((9, 1)), np.full((40, 5), 0.1)], ids=["1", "0", "0.1"]
)
def test_equal_objects_are_one_cluster(X):
    found = Evidence.of(X, None)
    assert found.clusterings == ()
    assert Evidence.of(np.zeros((len(X), len(X))), None, metric="precomputed").clusterings == ()


def test_copies_of_objects_are_no_clusters_of_their_own():
    """An infinite ratio of heights would make them last for ever."""
    X = np.repeat(clouds(10), 4, axis=0)
    found = Evidence.of(X, None)
    assert all(0.0 <= lasts <= 1.0 for scale in found.lasting for tree in scale for lasts in tree.values())
    assert blocks(found.clusterings[0].labels) == blocks(np.repeat([0, 1, 2], 40))
    two = Evidence.of(np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0), None)
    assert {one.k for one in two.clusterings} <= {2}


def test_an_object_far_away_is_no_cluster():
    best = evidence_of("an object far away").clusterings[0]
    sizes = np.bincount(best.labels)
    assert (best.k, sizes.min()) == (3, 20)


def test_whole_numbers_truth_values_and_single_precision_are_data():
    for X in (np.round(clouds()).astype(int), clouds().astype(np.float32)):
        assert Evidence.of(X, None).clusterings[0].k == 3
    assert Evidence.of(clouds() > 4, None).best is not None


def test_values_too_large_to_be_squared_are_refused():
    with pytest.raises(ParameterError, match="too large to be squared"):
        Evidence.of(np.vstack([clouds(), [[1e200, 0.0]]]), None)


# --- distances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["three groups", "overlapping", "rings", "five columns"])
def test_distances_give_the_same_trees_and_half_of_the_agreement(name):
    X, data = DATA[name], evidence_of(name)
    found = Evidence.of(cdist(X, X), None, metric="precomputed")
    assert (found.mixtures, found.best, found.dominant) == ((), None, None)
    assert [blocks(one.labels) for one in found.cuts] == [blocks(one.labels) for one in data.cuts]
    lasting = {blocks(one.labels): one.lasting for one in data.clusterings if one.method == TREE}
    assert found.clusterings
    for one in found.clusterings:
        agreement = max(0.0, *(reference.adjusted_rand(one.labels, other) for other in data.witness.codes))
        assert one.lasting == pytest.approx(lasting[blocks(one.labels)], rel=1e-6)
        assert one.score == pytest.approx(one.lasting + agreement / 2)
        assert one.agrees_with == {WARD: pytest.approx(agreement)}


# --- samples ------------------------------------------------------------------------------------------------


def test_more_than_three_thousand_objects_are_sampled():
    assert MOST_OBJECTS == 3000


@pytest.mark.parametrize("kind", ["data", "one column dominates", "distances"])
def test_a_sample_is_drawn_and_the_others_follow_their_nearest(kind, monkeypatch):
    monkeypatch.setattr(evidence, "MOST_OBJECTS", 60)
    X = clouds(50)
    if kind == "one column dominates":
        X = np.column_stack([X, 500 * np.random.default_rng(0).random(150)])
    given_data, metric = (cdist(X, X), "precomputed") if kind == "distances" else (X, "euclidean")
    one, again, other = (
        Evidence.of(given_data, np.random.default_rng(seed), metric=metric) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.rows, again.rows)
    assert len(set(one.rows.tolist())) == 60
    assert (np.diff(one.rows) > 0).all()
    assert one.rows.tolist() != other.rows.tolist()
    best = one.clusterings[0]
    assert len(best.labels) == 60
    assert [c.score for c in one.clusterings] == [c.score for c in again.clusterings]
    Z = reference.standardised(X) if kind == "one column dominates" else X
    nearest = cdist(Z, Z[one.rows]).argmin(axis=1)
    whole = one.whole(best)
    np.testing.assert_array_equal(whole.labels, best.labels[nearest])
    np.testing.assert_array_equal(whole.labels[one.rows], best.labels)
    assert blocks(whole.labels) == blocks(np.repeat([0, 1, 2], 50))


def test_up_to_three_thousand_objects_nothing_is_drawn_and_labels_stay():
    found = evidence_of("three groups")  # without a generator
    assert found.rows.tolist() == list(range(60))
    assert found.whole(found.clusterings[0]) is found.clusterings[0]


# --- range and models -------------------------------------------------------------------------------------


def test_cuts_go_as_far_as_is_asked_for():
    grid = np.array([[8.0 * i, 8.0 * j] for i in range(6) for j in range(6)])
    X = np.repeat(grid, 5, axis=0) + np.random.default_rng(0).normal(scale=0.3, size=(180, 2))
    usual, more = Evidence.of(X, None), Evidence.of(X, None, ks=(36,))
    assert max(one.k for one in usual.cuts) == 20
    assert usual.clusterings[0].k <= 36
    assert max(one.k for one in more.cuts) == 36 == more.clusterings[0].k
    assert usual.largest_k >= 20
    assert more.largest_k >= 36


def test_mixtures_are_tried_where_no_cut_has_the_number_that_is_asked_for():
    usual, more = Evidence.of(DATA["one group"], None), Evidence.of(DATA["one group"], None, ks=(1, 2, 8))
    assert 8 not in {one.k for one in usual.clusterings}
    assert 8 in {one.k for one in more.clusterings}
    assert usual.best.k == more.best.k  # what BIC chooses does not depend on it


@pytest.mark.parametrize("name", ["overlapping", "rings", "one column dominates"])
def test_the_model_of_a_clustering_finds_it_again(name):
    found = evidence_of(name)
    for one in (*found.clusterings[:3], *found.mixtures[-2:]):
        assert blocks(found.model_of(one).fit_predict(DATA[name])) == blocks(one.labels)


def test_the_model_of_distances_finds_its_clustering_again():
    D = cdist(DATA["rings"], DATA["rings"])
    found = Evidence.of(D, None, metric="precomputed")
    best = found.clusterings[0]
    assert blocks(found.model_of(best).labels_) == blocks(best.labels)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000), n=st.integers(8, 40), d=st.integers(1, 4), steps=st.sampled_from([1, 3, 0])
)
def test_any_data_have_scores_in_their_range(seed, n, d, steps):
    """Continuous data and data on a grid with ties and copies."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3 * steps, size=(n, d)).astype(float) if steps else rng.normal(size=(n, d))
    found = Evidence.of(X, None)
    weight = 0.15 if d <= 3 else 0.35
    for one in found.clusterings:
        assert 0.0 <= one.lasting <= 1.0
        assert 0.0 <= one.agreement <= 1.0
        assert -weight <= one.best_bic <= weight + 1e-12
        assert set(one.labels.tolist()) == set(range(one.k))
        assert one.k > 1
        assert len(one.labels) == n
    assert list(found.clusterings) == list(ranked(found.clusterings))
