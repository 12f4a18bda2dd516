"""Set matching: similarities, the four ways to match, the indices on them, and the numbers of franti2017."""

from __future__ import annotations

import numpy as np
import pytest
from genieclust.compare_partitions import pair_sets_index
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

import partita as pt
import shared_data
from partita.errors import (
    AlignmentWarning,
    KindError,
    MismatchError,
    ParameterError,
    TooLargeError,
    UndefinedIndexWarning,
)
from partita.indices import catalogue
from partita.partitions import FUZZY, HARD, POSSIBILISTIC
from partita.statistics import Contingency, cluster_similarities, match_clusters, matching_score
from partita.statistics.tables import matchings
from reference.bcubed import precision_of_labels
from reference.matching import greedy_pairing
from strategies import hard, pairs

IN_TABLES = (HARD, FUZZY, POSSIBILISTIC)


def table(counts):
    return Contingency.from_counts(np.asarray(counts))


@st.composite
def tables(draw, top=5, most=6):
    """Counts with empty rows, empty columns and many ties now and then; never all zero."""
    k, k_found = draw(st.integers(1, most)), draw(st.integers(1, most))
    cells = st.lists(st.integers(0, top), min_size=k * k_found, max_size=k * k_found).filter(any)
    return np.array(draw(cells)).reshape(k, k_found)


# --- the slides ----------------------------------------------------------------------------------------


def test_similarity_of_two_clusters_as_on_the_slide():
    """P1 of 250 objects, P2 of 200 inside it, P3 of 1000 around it."""
    inside, around = table([[200, 50]]), table([[250], [750]])
    assert cluster_similarities(inside)[0, 0] == 200
    assert cluster_similarities(around)[0, 0] == 250
    for name, in_it, around_it in (("jaccard", 0.8, 0.25), ("dice", 0.89, 0.4), ("braun_banquet", 0.8, 0.25)):
        assert cluster_similarities(inside, name)[0, 0] == pytest.approx(in_it, abs=0.005)
        assert cluster_similarities(around, name)[0, 0] == pytest.approx(around_it, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "matching", "pairing"),
    [
        ([[3, 0, 0], [3, 0, 0], [0, 1, 1]], 0.75, 0.5),  # 3 against 3 clusters
        ([[2, 0, 0, 0], [0, 3, 2, 0], [0, 0, 0, 1]], 0.875, 0.75),  # 3 against 4
        ([[3, 0], [2, 0], [0, 3]], 0.875, 0.75),  # 3 against 2
    ],
)
def test_matching_against_pairing_as_on_the_slide(counts, matching, pairing):
    """The pictures are not in the text of the slides; these 8-point tables have their numbers."""
    both_ways = matching_score(table(counts), "overlap", "two_way")
    assert table(counts).n == 8
    assert both_ways == pytest.approx(matching, abs=1e-12)
    assert matching_score(table(counts), "overlap", "optimal") == pytest.approx(pairing, abs=1e-12)


@pytest.fixture(scope="module")
def unbalance():
    return shared_data.features("unbalance"), shared_data.labels("unbalance")


def _unbalance_row(truth, found):
    """ARI, NMI, 1 - NVD (which the slide prints as NVD) and PSI."""
    i = pt.indices
    return [
        i.adjusted_rand(truth, found),
        i.nmi_sum(truth, found),
        1 - i.normalized_van_dongen(truth, found),
        i.pair_set_index(truth, found),
    ]


def test_unbalance_by_single_link(unbalance):
    from sklearn.cluster import AgglomerativeClustering

    X, truth = unbalance
    found = AgglomerativeClustering(8, linkage="single").fit_predict(X)
    row = _unbalance_row(truth, found)
    assert row == pytest.approx([0.999, 0.992, 0.992, 0.785], abs=0.0005)  # ours
    assert row == pytest.approx([1.00, 0.99, 0.99, 0.78], abs=0.0051)  # printed


def test_unbalance_by_k_means(unbalance):
    """K-means from random objects; the printed numbers are those of its most frequent outcome."""
    from sklearn.cluster import KMeans

    X, truth = unbalance
    runs = [KMeans(8, init="random", n_init=1, random_state=seed).fit_predict(X) for seed in range(25)]
    rows = np.array([_unbalance_row(truth, found) for found in runs]).round(2)
    outcomes, times = np.unique(rows, axis=0, return_counts=True)
    # the third is 0.785 or 0.784 from run to run
    assert outcomes[times.argmax()] == pytest.approx([0.66, 0.77, 0.78, 0.18], abs=0.0101)


# --- the indices are choices of set_matching ---------------------------------------------------------------

CHOICES = {
    "purity": (1, {"matching": "one_way"}),
    "goodman_kruskal": (0, {"matching": "one_way"}),
    "f_measure": (1, {"similarity": "dice", "matching": "one_way", "normalize": "sizes", "over": "truth"}),
    "normalized_van_dongen": (0, {"matching": "two_way"}),
    "criterion_h": (0, {"matching": "greedy"}),
    "classification_error": (0, {"matching": "optimal"}),
    "pair_set_index": (1, {"similarity": "braun_banquet", "normalize": "chance"}),
    "simplified_pair_set_index": (1, {"similarity": "braun_banquet", "normalize": "simplified"}),
}


def test_every_matching_index_is_a_choice():
    family = {e.name for e in catalogue() if e.family == "matching"}
    assert family == {*CHOICES, "goodman_kruskal_lambda"}


@pytest.mark.parametrize("name", CHOICES)
@given(sides=pairs(IN_TABLES))
def test_indices_are_choices_of_set_matching(name, sides):
    best, choice = CHOICES[name]
    value = pt.set_matching(*sides, **choice)
    assert getattr(pt.indices, name)(*sides) == pytest.approx(value if best else 1 - value, abs=1e-12)


@given(sides=pairs(IN_TABLES))
def test_lambda_is_purity_beyond_the_largest_class(sides):
    counts = Contingency.from_block(*sides)
    largest = float(counts.row_sums.max() / counts.n)
    assume(largest < 1 - 1e-9)
    expected = (pt.indices.purity(*sides) - largest) / (1 - largest)
    assert pt.indices.goodman_kruskal_lambda(*sides) == pytest.approx(expected, abs=1e-9)


@given(counts=tables())
def test_dongen_h_and_purity_agree_where_the_matching_is_symmetric(counts):
    """NVD = H = 1 - purity (franti2017) holds if each side's best matches are each other's, and only so."""
    one = table(counts)
    both = match_clusters(one, "overlap", "two_way")
    paired = match_clusters(one, "overlap", "greedy")
    nvd, h, impure = (
        getattr(pt.indices, name).of(one)
        for name in ("normalized_van_dongen", "criterion_h", "goodman_kruskal")
    )
    if np.array_equal(both.of_truth, paired.of_truth) and np.array_equal(both.of_found, paired.of_found):
        assert nvd == pytest.approx(h, abs=1e-12)
        assert nvd == pytest.approx(impure, abs=1e-12)
    assert nvd <= h + 1e-12


def test_the_identity_fails_without_symmetric_matching():
    merged = table([[2, 0], [1, 0], [0, 3]])
    assert pt.indices.normalized_van_dongen.of(merged) == pytest.approx(1 / 12)
    assert pt.indices.criterion_h.of(merged) == pytest.approx(1 / 6)
    split = table([[2, 1, 0], [0, 0, 3]])
    assert pt.indices.purity.of(split) == 1
    assert pt.indices.criterion_h.of(split) == pytest.approx(1 / 6)


@given(counts=tables())
def test_optimal_is_at_least_greedy_and_matching_at_least_pairing(counts):
    one = table(counts)
    for similarity in matchings.SIMILARITIES:
        greedy, optimal = (matching_score(one, similarity, m, None) for m in ("greedy", "optimal"))
        assert greedy <= optimal + 1e-12
        assert 2 * greedy >= optimal - 1e-12
    assert matching_score(one, "overlap", "two_way") >= matching_score(one, "overlap", "optimal") - 1e-12


@pytest.mark.parametrize(
    ("entry", "example"),
    [
        pytest.param(e, example, id=f"{e.name}-{kind}")
        for e in catalogue()
        if "X" not in e.inputs  # those have tests of their own, with data
        for kind, example in e.refuted.get("relabelling_invariant", {}).items()
    ],
)
def test_not_relabelling_invariant(entry, example):
    a, b, renamed = example.partitions()
    assert b.equivalent(renamed)
    assert entry(a, b) != pytest.approx(entry(a, renamed), abs=1e-6)


# --- peers ----------------------------------------------------------------------------------------------


@given(counts=tables(top=9, most=7))
def test_pair_set_index_equals_genieclust(counts):
    filled = np.ascontiguousarray(counts[counts.sum(1) > 0][:, counts.sum(0) > 0])
    assume(min(filled.shape) > 1)
    one = table(counts)
    assert pt.indices.pair_set_index.of(one) == pytest.approx(pair_sets_index(filled), abs=1e-12)
    simplified = pair_sets_index(filled, simplified=True)
    assert pt.indices.simplified_pair_set_index.of(one) == pytest.approx(simplified, abs=1e-12)


@given(counts=tables(most=8))
def test_optimal_pairing_has_the_total_of_scipy(counts):
    for similarity in matchings.SIMILARITIES:
        alike = cluster_similarities(table(counts), similarity)
        best = alike[linear_sum_assignment(alike, maximize=True)].sum()
        assert matching_score(table(counts), similarity, "optimal", None) == pytest.approx(best, abs=1e-12)


# --- the matchings themselves --------------------------------------------------------------------------


@given(counts=tables())
def test_greedy_pairing_and_its_ties_equal_the_definition(counts):
    paired = match_clusters(table(counts), "overlap", "greedy")
    expected = dict(greedy_pairing(counts.tolist()))
    assert {i: int(j) for i, j in enumerate(paired.of_truth) if j >= 0} == expected
    assert {int(i): j for j, i in enumerate(paired.of_found) if i >= 0} == expected


@given(counts=tables(), noise=st.floats(-1e-15, 1e-15))
def test_rounding_decides_no_tie(counts, noise):
    exact = match_clusters(table(counts), "overlap", "greedy")
    rounded = counts * (1 + noise * np.arange(counts.size).reshape(counts.shape))
    again = match_clusters(table(rounded.astype(float)), "overlap", "greedy")
    assert exact.of_truth.tolist() == again.of_truth.tolist()


def test_ties_go_to_the_lowest_cluster():
    even = table([[1, 1], [1, 1]])
    for matching in matchings.MATCHINGS:
        matched = match_clusters(even, "overlap", matching)
        expected = [0, 1] if matching in matchings.PAIRINGS else [0, 0]
        assert matched.of_found.tolist() == expected
    assert match_clusters(even, "overlap", "one_way", over="truth").of_found is None


def test_empty_and_superfluous_clusters_have_no_partner():
    counts = [[0, 0, 0, 0], [5, 0, 1, 0], [0, 0, 3, 0], [2, 0, 0, 0]]
    for matching in matchings.PAIRINGS:
        paired = match_clusters(table(counts), "overlap", matching)
        assert paired.of_truth.tolist() == [-1, 0, 2, -1]
        assert paired.of_found.tolist() == [1, -1, 2, -1]
    both = match_clusters(table(counts), "jaccard", "two_way")
    assert both.of_truth.tolist() == [-1, 0, 2, 0]
    assert both.of_found.tolist() == [1, -1, 2, -1]


@given(counts=tables())
def test_sparse_tables_give_the_same_scores(counts):
    dense, sparse = table(counts), Contingency.from_counts(csr_array(counts))
    for similarity in matchings.SIMILARITIES:
        for matching in matchings.MATCHINGS:
            for over in ("found", "truth"):
                score = [
                    matching_score(one, similarity, matching, None, over=over) for one in (dense, sparse)
                ]
                assert score[0] == pytest.approx(score[1], abs=1e-12)
    for similarity, matching in (("jaccard", "greedy"), ("dice", "two_way")):
        score = [matching_score(one, similarity, matching, "sizes") for one in (dense, sparse)]
        assert score[0] == pytest.approx(score[1], abs=1e-12)


def test_sparse_soft_tables_give_the_same_values():
    rng = np.random.default_rng(0)
    counts = rng.random((40, 30)) * (rng.random((40, 30)) < 0.2)
    for entry in (e for e in catalogue() if e.family == "matching"):
        values = [entry.of(Contingency.from_counts(c)) for c in (counts, csr_array(counts))]
        assert values[0] == pytest.approx(values[1], abs=1e-12), entry.name


@pytest.mark.parametrize("k", [3, 7])
def test_stacks_give_the_values_of_their_tables(k):
    rng = np.random.default_rng(k)
    counts = rng.integers(0, 4, (3, 2, k, k + 1))
    for similarity in matchings.SIMILARITIES:
        for matching in matchings.MATCHINGS:
            stacked = matching_score(Contingency.from_counts(counts), similarity, matching, None)
            single = [[matching_score(table(c), similarity, matching, None) for c in row] for row in counts]
            assert stacked.shape == (3, 2)
            np.testing.assert_allclose(stacked, np.array(single), atol=1e-12)


def test_many_clusters_are_paired_without_a_dense_table():
    names = np.arange(60_000)
    rng = np.random.default_rng(0)
    assert pt.indices.classification_error(names, rng.permutation(names)) == 0
    assert pt.indices.pair_set_index(names, rng.permutation(names)) == 1
    halves = names // 2
    assert pt.indices.classification_error(names, halves) == 0.5


def test_too_many_entangled_clusters_are_refused(monkeypatch):
    monkeypatch.setattr(matchings, "MOST_CLUSTERS", 100)
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 300, 3000), rng.integers(0, 300, 3000)
    assert Contingency.from_block(pt.as_partition(truth), pt.as_partition(found)).is_sparse
    with pytest.raises(TooLargeError, match="greedy"):
        pt.set_matching(truth, found)
    with pytest.warns(UndefinedIndexWarning, match="criterion_h"):
        assert np.isnan(pt.indices.pair_set_index(truth, found))
    result = pt.compare(truth, found)
    assert np.isnan(result["PD"].value)
    assert 0 < result["criterion_h"].value < 1


def test_a_pairing_is_computed_once_for_all_indices_of_a_table(monkeypatch):
    calls = []
    plain = matchings._match
    monkeypatch.setattr(matchings, "_match", lambda *args: calls.append(args[1]) or plain(*args))
    one = table([[3, 1], [0, 4]])
    for name in ("pair_set_index", "simplified_pair_set_index", "purity", "goodman_kruskal"):
        getattr(pt.indices, name).of(one)
    assert sorted(calls) == ["one_way", "optimal"]


# --- normalisations -------------------------------------------------------------------------------------


def test_normalisations_by_hand():
    truth, found = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    jaccard = {"similarity": "jaccard", "matching": "optimal"}
    # pairs (0, 0) and (1, 2): 2/3 each; the third found cluster has no partner
    assert pt.set_matching(truth, found, **jaccard, normalize=None) == pytest.approx(4 / 3)
    assert pt.set_matching(truth, found, **jaccard) == pytest.approx(4 / 9)
    assert pt.set_matching(truth, found, **jaccard, normalize="objects") == pytest.approx(4 / 6)
    # weighted by true sizes (3 + 3) / 6 x 2/3, by found sizes (2 + 2) / 6 x 2/3
    assert pt.set_matching(truth, found, **jaccard, normalize="sizes") == pytest.approx(5 / 9)
    # by chance the pairs of sizes (3, 2), (3, 2) share 1 object: 1/4 each
    assert pt.set_matching(truth, found, **jaccard, normalize="chance") == pytest.approx((4 / 3 - 0.5) / 2.5)
    one_way = {"similarity": "jaccard", "matching": "one_way"}
    assert pt.set_matching(truth, found, **one_way) == pytest.approx((2 / 3 + 1 / 4 + 2 / 3) / 3)
    assert pt.set_matching(truth, found, **one_way, over="truth") == pytest.approx(2 / 3)
    both = pt.set_matching(truth, found, similarity="jaccard", matching="two_way")
    assert both == pytest.approx((19 / 36 + 2 / 3) / 2)


@pytest.mark.parametrize("matching", matchings.MATCHINGS)
@given(side=hard())
def test_identical_hard_clusterings_score_one(matching, side):
    corrected = ("chance", "simplified") if matching in matchings.PAIRINGS else ()
    for similarity in ("jaccard", "dice", "braun_banquet"):
        for normalize in ("objects", "clusters", "sizes", *corrected):
            score = pt.set_matching(side, side, similarity=similarity, matching=matching, normalize=normalize)
            assert score == pytest.approx(1, abs=1e-12)


# --- centroids --------------------------------------------------------------------------------------------


def test_clusters_are_matched_by_their_centroids():
    X = np.array([[0.0, 0], [1, 0], [10, 0], [11, 0], [20, 0], [21, 0]])
    truth, found = [0, 0, 1, 1, 2, 2], [5, 5, 7, 7, 7, 7]
    # found centroids 0.5 and 15.5: of the true 0.5, 10.5 and 20.5 the last two are equally near the second
    score = {
        m: pt.set_matching(truth, found, similarity="centroid", matching=m, X=X) for m in matchings.MATCHINGS
    }
    assert score["one_way"] == score["greedy"] == score["optimal"] == pytest.approx(4 / 6)
    assert score["two_way"] == pytest.approx((4 / 6 + 1) / 2)
    assert pt.set_matching(truth, found, similarity="centroid", X=X, normalize=None) == 4


def test_centroids_that_share_no_object_can_be_paired():
    X = [[0.0], [10.0], [0.1], [10.1]]
    pairs_found = pt.align(["a", "b", "a", "b"], [0, 1, 1, 0], similarity="centroid", X=X)
    assert set(pairs_found.mapping) == {0, 1}
    far = pt.align([0, 1], [1, 0], similarity="centroid", X=[[0.0], [1.0]])
    assert far.mapping == {1: 0, 0: 1}


def test_soft_centroids_are_means_weighted_by_membership():
    rng = np.random.default_rng(0)
    U, X = pt.FuzzyPartition(rng.dirichlet(np.ones(3), 50)), rng.normal(size=(50, 2))
    weight = rng.integers(1, 4, 50)
    means = [np.average(X, axis=0, weights=u * weight) for u in U.memberships().T]
    np.testing.assert_allclose(matchings.centroids(U, X, weight), means, atol=1e-12)
    repeated = pt.FuzzyPartition(np.repeat(U.memberships(), weight, axis=0))
    other = rng.integers(0, 3, 50)
    options = {"similarity": "centroid", "matching": "two_way"}
    weighted = pt.set_matching(U, other, X=X, sample_weight=weight, **options)
    longer = pt.set_matching(repeated, np.repeat(other, weight), X=np.repeat(X, weight, axis=0), **options)
    assert weighted == pytest.approx(longer, abs=1e-12)


def test_objects_follow_their_clusters_through_noise_and_alignment():
    import pandas as pd

    X = np.array([[0.0], [1.0], [50.0], [10.0], [11.0]])
    truth, found = [0, 0, 0, 1, 1], [1, 1, -1, 0, 0]
    options = {"similarity": "centroid", "noise": "ignore"}
    assert pt.align(truth, found, X=X, **options).mapping == {1: 0, 0: 1}
    order = [4, 2, 0, 1, 3]
    frame = pd.DataFrame(X, index=list("abcde")).iloc[order]
    named = pd.Series(truth, index=list("abcde")), pd.Series(found, index=list("abcde"))
    assert pt.align(*named, X=frame, **options).mapping == {1: 0, 0: 1}
    with pytest.warns(AlignmentWarning, match="4 objects"):
        pt.set_matching(named[0], named[1].iloc[1:], X=frame, similarity="centroid")


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"similarity": "cosine"}, ParameterError),
        ({"matching": "hungarian"}, ParameterError),
        ({"normalize": "n"}, ParameterError),
        ({"matching": "one_way", "over": "both"}, ParameterError),
        ({"similarity": "dice", "matching": "two_way", "normalize": "chance"}, ParameterError),
        ({"normalize": "clusters"}, ParameterError),
        ({"similarity": "centroid"}, ParameterError),
        ({"X": [[0.0], [1.0]]}, ParameterError),
        ({"similarity": "centroid", "X": [0.0, 1.0]}, ParameterError),
        ({"similarity": "centroid", "X": [["a"], ["b"]]}, ParameterError),
        ({"similarity": "centroid", "X": [[0.0], [np.nan]]}, ParameterError),
        ({"similarity": "centroid", "X": [[0.0], [1.0], [2.0]]}, MismatchError),
        ({"noise": "drop"}, ParameterError),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error) as caught:
        pt.set_matching([0, 1], [0, 1], **options)
    assert caught.value.what


def test_kinds_without_memberships_are_refused():
    rough = pt.RoughPartition([[True, True], [True, False]])
    with pytest.raises(KindError, match="pignistic"):
        pt.set_matching([0, 1], rough)
    with pytest.raises(KindError):
        pt.indices.purity([0, 1], rough)


def test_nothing_but_noise_is_nan():
    with pytest.warns(UndefinedIndexWarning, match="noise"):
        assert np.isnan(pt.set_matching([-1, 0], [0, -1], noise="ignore"))


def test_too_many_centroids_are_refused(monkeypatch):
    monkeypatch.setattr(matchings, "_MOST_CELLS", 3)
    with pytest.raises(TooLargeError, match="centroids"):
        pt.set_matching([0, 1], [0, 1], similarity="centroid", X=[[0.0], [1.0]])


# --- BCubed ---------------------------------------------------------------------------------------------


def test_bcubed_is_the_loop_over_mentions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, found = rng.integers(4, size=15).tolist(), rng.integers(5, size=15).tolist()
        precision, recall = precision_of_labels(truth, found), precision_of_labels(found, truth)
        assert pt.indices.bcubed_precision(truth, found) == pytest.approx(precision)
        assert pt.indices.bcubed_recall(truth, found) == pytest.approx(recall)
        assert pt.indices.bcubed_f(truth, found) == pytest.approx(2 / (1 / precision + 1 / recall))


def test_bcubed_of_a_large_sparse_table():
    n = 40_000
    truth, found = np.arange(n) // 2, np.arange(n) // 4
    assert pt.indices.bcubed_precision(truth, found) == 0.5
    assert pt.indices.bcubed_recall(truth, found) == 1.0
