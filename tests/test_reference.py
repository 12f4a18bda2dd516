"""The references themselves, against published values, values by hand, exact enumeration and scikit-learn."""

import json
import math
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from reference import REFERENCE, REFERENCE_OF_ONE, information, pairs
from reference.tables import is_hard, table

GOLDEN = json.loads((Path(__file__).parent / "golden" / "expected_mutual_information.json").read_text())


def one_hot(labels):
    return np.eye(max(labels) + 1)[list(labels)]


def values(truth, found):
    return {name: reference(one_hot(truth), one_hot(found)) for name, reference in REFERENCE.items()}


# franti2017, the Rand example: 17 objects, the truth in rows.
CELLS = [[5, 1, 0], [1, 4, 1], [2, 0, 3]]
TRUTH = [i for i, row in enumerate(CELLS) for count in row for _ in range(count)]
FOUND = [j for row in CELLS for j, count in enumerate(row) for _ in range(count)]

# Possibilistic, n = 4 (two objects, twice each). By hand, with [a b; c d] for a matrix by rows:
#   U'V = 2 [1+1/8 1/4; 1/2+1/2 1] = [9/4 1/2; 2 2], its sum 27/4, so phi = 4 / (27/4) = 16/27 and
#   N* = [36 8; 32 32] / 27, row sums 44/27 and 64/27, column sums 68/27 and 40/27, total 108/27 = 4.
# Pairs, x(x-1)/2 summed = (sum of squares - n)/2, all over 729 = 27^2, with n = 2916/729:
#   both  = (1296+64+1024+1024 - 2916)/2 = 246      truth = (1936+4096 - 2916)/2 = 1558
#   found = (4624+1600 - 2916)/2 = 1654             all   = 6 * 729 = 4374
#   truth only 1558-246 = 1312, found only 1654-246 = 1408, neither 4374-1558-1654+246 = 1408.
SOFT_U = np.array([[1, 0.5], [0.25, 1], [1, 0.5], [0.25, 1]])
SOFT_V = np.array([[1, 0], [0.5, 1], [1, 0], [0.5, 1]])


def test_the_17_objects_of_franti2017():
    value = values(TRUTH, FOUND)
    assert (value["pairs_in_both"], value["pairs_in_neither"]) == (20, 72)
    assert (value["pairs_in_truth_only"], value["pairs_in_found_only"]) == (20, 24)
    assert value["rand"] == 92 / 136
    assert round(value["rand"], 4) == 0.6765
    assert value["adjusted_rand"] == 60 / 247  # (20 - 40*44/136) / ((40+44)/2 - 40*44/136)
    assert round(value["adjusted_rand"], 4) == 0.2429
    assert value["jaccard"] == 20 / 64
    assert value["pair_recall"] == 20 / 40
    assert value["pair_precision"] == 20 / 44
    assert value["fowlkes_mallows"] == pytest.approx(20 / math.sqrt(40 * 44), rel=1e-15)
    assert value["hubert_gamma"] == pytest.approx(
        (20 * 72 - 20 * 24) / math.sqrt(40 * 44 * (24 + 72) * (20 + 72)), rel=1e-15
    )
    assert value["hubert_gamma_prime"] == (92 - 44) / 136
    assert value["minkowski_score"] == math.sqrt(44 / 40)
    assert value["mirkin"] == 88  # franti2017 Table 1, no. 16: 97 + 105 - 2 * 57
    assert REFERENCE["rand"](one_hot(TRUTH), one_hot(FOUND), pairs="ordered") == (2 * 92 + 17) / 17**2


def test_found_and_truth_are_not_confused():
    """Truth [0 0 1 1], found all together: one pair of three is right, none of the two is missed."""
    value = values([0, 0, 1, 1], [0, 0, 0, 0])
    assert (value["pair_precision"], value["pair_recall"]) == (2 / 6, 1.0)
    assert (value["pairs_in_truth_only"], value["pairs_in_found_only"]) == (0, 4)
    assert value["minkowski_score"] == math.sqrt(4 / 2)
    assert (value["homogeneity"], value["completeness"]) == (0.0, 1.0)
    assert value["class_entropy"] == math.log(2)


def test_possibilistic_table_by_hand():
    assert table(SOFT_U, SOFT_V) == [
        [Fraction(36, 27), Fraction(8, 27)],
        [Fraction(32, 27), Fraction(32, 27)],
    ]


@pytest.mark.parametrize(
    ("name", "above", "below"),
    [
        ("pairs_in_both", 246, 729),
        ("pairs_in_truth_only", 1312, 729),
        ("pairs_in_found_only", 1408, 729),
        ("pairs_in_neither", 1408, 729),
        ("rand", 246 + 1408, 4374),
        ("hubert_gamma_prime", 2 * (246 + 1408) - 4374, 4374),
        ("mirkin", 2 * (1312 + 1408), 729),
        ("jaccard", 246, 246 + 1312 + 1408),
        ("pair_precision", 246, 1654),
        ("pair_recall", 246, 1558),
        # (246 - 1558*1654/4374) / (1606 - 1558*1654/4374), both times 4374
        ("adjusted_rand", 246 * 4374 - 1558 * 1654, 1606 * 4374 - 1558 * 1654),
    ],
)
def test_possibilistic_pairs_by_hand(name, above, below):
    assert REFERENCE[name](SOFT_U, SOFT_V) == above / below


def test_possibilistic_roots_by_hand():
    assert REFERENCE["minkowski_score"](SOFT_U, SOFT_V) == math.sqrt(2720 / 1558)
    assert REFERENCE["fowlkes_mallows"](SOFT_U, SOFT_V) == pytest.approx(
        246 / math.sqrt(1558 * 1654), rel=1e-15
    )
    assert REFERENCE["hubert_gamma"](SOFT_U, SOFT_V) == pytest.approx(
        (246 * 1408 - 1312 * 1408) / math.sqrt(1558 * 1654 * (1408 + 1408) * (1312 + 1408)), rel=1e-15
    )
    # campagner2022 eq. 1 from squares: 1 - (row squares + column squares - 2 cell squares) / n^2
    assert REFERENCE["rand"](SOFT_U, SOFT_V, pairs="ordered") == pytest.approx(
        1 - (6032 + 6224 - 2 * 3408) / 729 / 16, rel=1e-15
    )


def test_possibilistic_information_by_hand():
    """Shares of N* over n: cells 9, 2, 8, 8, rows 11, 16, columns 17, 10, all over 27."""

    def h(*counts):
        return math.log(27) - sum(count * math.log(count) for count in counts) / 27

    u, v, joint = h(11, 16), h(17, 10), h(9, 2, 8, 8)
    shared = u + v - joint
    by_hand = {
        "joint_entropy": joint,
        "mutual_information": shared,
        "nmi_joint": shared / joint,
        "nmi_max": shared / max(u, v),
        "nmi_sum": 2 * shared / (u + v),
        "nmi_sqrt": shared / math.sqrt(u * v),
        "nmi_min": shared / min(u, v),
        "variation_of_information": joint - shared,
        "normalized_variation_of_information": 1 - shared / joint,
        "class_entropy": joint - v,
        "homogeneity": shared / u,
        "completeness": shared / v,
        "v_measure": 2 * shared / (u + v),
    }
    assert set(by_hand) == set(information.REFERENCE) - {"adjusted_mutual_information"}
    for name, expected in by_hand.items():
        assert REFERENCE[name](SOFT_U, SOFT_V) == pytest.approx(expected, rel=1e-13), name


def test_entropy_sees_one_partition_only():
    """Column sums 5/2 and 3 of U, where the margin of N* is 11 : 16."""
    expected = -(5 / 11 * math.log(5 / 11) + 6 / 11 * math.log(6 / 11))
    assert REFERENCE_OF_ONE["entropy"](SOFT_U) == pytest.approx(expected, rel=1e-15)
    assert information.entropy(one_hot([0, 1, 2, 3]), base=2) == 2.0


def test_base():
    U, V = one_hot(TRUTH), one_hot(FOUND)
    for name in ("joint_entropy", "mutual_information", "variation_of_information", "class_entropy"):
        assert REFERENCE[name](U, V, base=2) == pytest.approx(REFERENCE[name](U, V) / math.log(2), rel=1e-15)


def test_equal_memberships_share_no_information():
    """H = log c and I = 0 exactly; VI is above log n."""
    U = np.full((3, 2), 0.5)
    assert REFERENCE["mutual_information"](U, U) == 0
    assert information.entropy(U) == math.log(2)
    assert REFERENCE["variation_of_information"](U, U) == 2 * math.log(2) > math.log(3)
    assert REFERENCE["v_measure"](U, U) == REFERENCE["nmi_sum"](U, U) == 0


@pytest.mark.parametrize(
    ("n", "k", "both", "rand", "adjusted", "jaccard", "mallows"),
    [
        (3, 2, -3 / 8, 1 / 4, -1, -1 / 5, -1 / 2),
        (4, 3, -10 / 9, 11 / 27, -2, -5 / 11, -5 / 3),
        (12, 3, 2, 17 / 33, -2 / 9, 1 / 17, 1 / 9),
        (12, 4, -3 / 2, 13 / 22, -3 / 8, -1 / 17, -1 / 8),
    ],
)
def test_uniform_memberships(n, k, both, rand, adjusted, jaccard, mallows):
    """Anderson et al., k equal memberships twice: cells n/k^2, margins n/k."""
    U = np.full((n, k), 1 / k)
    expected = {
        "pairs_in_both": both,
        "rand": rand,
        "adjusted_rand": adjusted,
        "jaccard": jaccard,
        "fowlkes_mallows": mallows,
    }
    for name, value in expected.items():
        assert REFERENCE[name](U, U) == pytest.approx(value, rel=1e-14), name


@pytest.mark.parametrize(("n", "k", "rand"), [(4, 5, 43 / 75), (4, 8, 17 / 24), (12, 12, 5 / 6)])
def test_memberships_too_soft_for_pairs(n, k, rand):
    """Margins n/k of at most 1 hold no pair: only rand, its kin and the counts are left (definitions 2.1)."""
    U = np.full((n, k), 1 / k)
    left = {"rand", "hubert_gamma_prime", "mirkin"} | {
        name for name in REFERENCE if name.startswith("pairs_in")
    }
    for name, reference in pairs.REFERENCE.items():
        assert math.isnan(reference(U, U)) == (name not in left), name
    assert REFERENCE["rand"](U, U) == pytest.approx(rand, rel=1e-14)


def test_one_side_too_soft_for_pairs():
    """Four objects in equal quarters (margins 1, exactly no pair) against halves (margins 2, two pairs)."""
    quarters, halves = np.full((4, 4), 0.25), np.full((4, 2), 0.5)
    for U, V in [(quarters, halves), (halves, quarters)]:
        for name in ("adjusted_rand", "jaccard", "fowlkes_mallows", "hubert_gamma", "minkowski_score"):
            assert math.isnan(REFERENCE[name](U, V)), name
        assert math.isnan(REFERENCE["pair_precision"](U, V))
        assert math.isnan(REFERENCE["pair_recall"](U, V))
        assert REFERENCE["pairs_in_both"](U, V) == 8 * 0.5 * -0.5 / 2


def test_constant_against_soft():
    """All in one cluster against equal memberships: 12 objects in thirds, 3 * 6 = 18 of 66 pairs."""
    U, V = np.ones((12, 1)), np.full((12, 3), 1 / 3)
    assert REFERENCE["rand"](U, V) == REFERENCE["jaccard"](U, V) == 18 / 66
    assert REFERENCE["adjusted_rand"](U, V) == REFERENCE["nmi_min"](U, V) == 0
    assert math.isnan(REFERENCE["hubert_gamma"](U, V))


BEST = {
    **dict.fromkeys((name for name in REFERENCE if name.startswith("coassociation")), 0.0),
    "generalized_centroid_index": 0.0,
    "minkowski_score": 0.0,
    "mirkin": 0.0,
    "variation_of_information": 0.0,
    "normalized_variation_of_information": 0.0,
    "class_entropy": 0.0,
    "classification_error": 0.0,
    "normalized_van_dongen": 0.0,
    "criterion_h": 0.0,
    "goodman_kruskal": 0.0,
    "fuzzy_partition_distance": 0.0,
}
DESCRIPTIVE = {name for name in REFERENCE if name.startswith("pairs_in")} | {
    "joint_entropy",
    "mutual_information",
}


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        ([0], [2]),
        ([0, 0], [1, 1]),
        ([0, 1], [3, 1]),
        ([0, 0, 0, 0], [2, 2, 2, 2]),
        ([0, 1, 2, 3], [3, 0, 1, 2]),
        ([0, 0, 1, 1, 1], [4, 4, 2, 2, 2]),
    ],
)
def test_identical_partitions_have_the_best_value(truth, found):
    for name, value in values(truth, found).items():
        if name not in DESCRIPTIVE:
            assert value == pytest.approx(BEST.get(name, 1.0), abs=1e-15), name


def test_one_constant_and_the_other_not():
    for truth, found in [([0, 0, 0, 0], [0, 0, 1, 1]), ([0, 0, 1, 2], [1, 1, 1, 1]), ([0] * 3, [0, 1, 2])]:
        value = values(truth, found)
        zero = ["adjusted_rand", "adjusted_mutual_information", "v_measure", "mutual_information"]
        for name in zero + [name for name in value if name.startswith("nmi")]:
            assert value[name] == 0, name
        assert value["normalized_variation_of_information"] == pytest.approx(1, abs=1e-15)
        assert {value["homogeneity"], value["completeness"]} == {0.0, 1.0}
        assert math.isnan(value["hubert_gamma"])
        U, V = one_hot(truth), one_hot(found)
        for average in information.AVERAGES:
            assert REFERENCE["adjusted_mutual_information"](U, V, average=average) == 0


def test_one_all_singletons_and_the_other_not():
    split, joined = [0, 1, 2, 3], [0, 0, 1, 1]
    value = values(joined, split)
    nan = {name for name in value if math.isnan(value[name])}
    assert nan == {"fowlkes_mallows", "hubert_gamma", "pair_precision", "coassociation_correlation_distance"}
    assert value["adjusted_rand"] == value["jaccard"] == value["pair_recall"] == 0
    assert value["minkowski_score"] == 1
    assert value["adjusted_mutual_information"] == pytest.approx(0, abs=1e-15)
    value = values(split, joined)
    assert {name for name in value if math.isnan(value[name])} == {
        "fowlkes_mallows",
        "hubert_gamma",
        "pair_recall",
        "prediction_strength",
        "minkowski_score",
        "coassociation_correlation_distance",
    }
    for average in information.AVERAGES:
        ami = REFERENCE["adjusted_mutual_information"](one_hot(joined), one_hot(split), average=average)
        assert math.isnan(ami) if average == "min" else abs(ami) < 1e-15


def all_labellings(n):
    """Every partition of n objects once, as labels."""
    return [
        labels
        for labels in product(range(n), repeat=n)
        if all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels))
    ]


def test_brute_force_equals_the_table_form_on_every_pair_of_partitions_of_4():
    for truth, found in product(all_labellings(4), repeat=2):
        brute = pairs.brute_force_pairs(one_hot(truth), one_hot(found))
        soft = pairs.soft_pairs(one_hot(truth), one_hot(found))
        names = ("n", "every", "in_truth", "in_found", "in_both", "truth_only", "found_only", "neither")
        assert [getattr(brute, name) for name in names] == [getattr(soft, name) for name in names]


def test_adjusted_rand_is_zero_on_average_over_all_permutations():
    """Not the formula but what it is for: the mean over a relabelled order of the objects is 0."""
    U, V = one_hot([0, 0, 0, 1, 1, 2]), one_hot([0, 0, 1, 1, 1, 1])
    scores = [REFERENCE["adjusted_rand"](U, V[list(order)]) for order in permutations(range(6))]
    assert math.fsum(scores) / len(scores) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        ([0, 0, 1, 1], [0, 1, 0, 1]),
        ([0, 0, 0, 1, 1], [0, 1, 1, 2, 2]),
        ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]),
        ([0, 1, 2, 3, 4, 4], [0, 0, 0, 1, 1, 2]),
        ([0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 2]),
        ([0, 0, 0, 0, 0], [0, 1, 1, 2, 2]),
    ],
)
def test_expected_mutual_information_equals_the_mean_over_all_permutations(truth, found):
    by_sum = information.expected_mutual_information(np.bincount(truth).tolist(), np.bincount(found).tolist())
    by_permutations = information.expected_mutual_information_by_permutations(one_hot(truth), one_hot(found))
    assert by_sum == pytest.approx(by_permutations, rel=1e-14, abs=1e-16)


def expand(margin):
    return [size for size, clusters in margin for _ in range(clusters)]


def test_golden_expected_mutual_information():
    """Where the exact sum is quick: at most 1001 possible counts in each cell, and not 9 million cells."""
    checked = 0
    for row in GOLDEN["values"]:
        truth, found = expand(row["truth"]), expand(row["found"])
        n, clusters = sum(truth), len(truth) + len(found)
        support = max(min(a, b, n - a, n - b) + 1 for a, _ in row["truth"] for b, _ in row["found"])
        if support > 1001 or clusters > 1000:
            continue
        checked += 1
        value = information.expected_mutual_information(truth, found)
        assert value == pytest.approx(float(row["value"]), rel=1e-14, abs=0), (row["truth"], row["found"])
    assert checked == 11


def test_golden_expected_mutual_information_of_large_tables():
    """E[I] is (k-1)(k'-1)/2n + O(1/n^2); and 3000 x 3000 equal clusters are 9 million times one cell."""
    large = next(row for row in GOLDEN["values"] if row["truth"][0] == [400_000, 1])
    assert float(large["value"]) == pytest.approx(4 / 2e6, rel=1e-5)
    equal = next(row for row in GOLDEN["values"] if row["truth"] == [[10, 3000]])
    one_cell = information._expected_cell(30_000, 10, 10)
    assert float(equal["value"]) == pytest.approx(9e6 * one_cell, rel=1e-13)


def test_first_golden_value_by_hand():
    """[2, 2] x [2, 2]: a third of the orders is identical, I = log 2, the others independent, I = 0."""
    assert float(GOLDEN["values"][0]["value"]) == pytest.approx(math.log(2) / 3, rel=1e-15)


SKLEARN = {
    "rand": metrics.rand_score,
    "adjusted_rand": metrics.adjusted_rand_score,
    "mutual_information": metrics.mutual_info_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "nmi_sum": lambda t, f: metrics.normalized_mutual_info_score(t, f, average_method="arithmetic"),
    "nmi_sqrt": lambda t, f: metrics.normalized_mutual_info_score(t, f, average_method="geometric"),
    "nmi_max": lambda t, f: metrics.normalized_mutual_info_score(t, f, average_method="max"),
    "nmi_min": lambda t, f: metrics.normalized_mutual_info_score(t, f, average_method="min"),
    "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
}
RANDOM = np.random.default_rng(20140706)
CASES = [
    (RANDOM.integers(k, size=n), RANDOM.integers(k + 1, size=n)) for n in (2, 5, 20, 60) for k in (1, 2, 5)
]
CASES += [
    ([0], [0]),
    ([0] * 5, [0] * 5),
    ([0] * 5, [0, 0, 1, 1, 2]),
    (range(6), range(6)),
    (range(6), [0] * 6),
]
CASES += [([0, 0, 1, 1], [0, 1, 0, 1]), (range(5), [0, 0, 1, 1, 1])]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_scikit_learn(case):
    truth, found = map(list, CASES[case])
    U, V = one_hot(truth), one_hot(found)
    for name, score in SKLEARN.items():
        assert REFERENCE[name](U, V) == pytest.approx(score(truth, found), rel=1e-12, abs=1e-12), name
    p = pairs.count_pairs(U, V)
    assert metrics.cluster.pair_confusion_matrix(truth, found).tolist() == [
        [2 * p.neither, 2 * p.found_only],
        [2 * p.truth_only, 2 * p.in_both],
    ]
    if p.in_truth and p.in_found:  # without pairs scikit-learn has 0, we have 1 or nan
        expected = metrics.fowlkes_mallows_score(truth, found)
        assert REFERENCE["fowlkes_mallows"](U, V) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    if max(truth) and max(found):
        expected = metrics.v_measure_score(truth, found, beta=2.5)
        assert REFERENCE["v_measure"](U, V, beta=2.5) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "max", "min"])
def test_scikit_learn_adjusted_mutual_information(average):
    for truth, found in CASES[3:12]:
        expected = metrics.adjusted_mutual_info_score(truth, found, average_method=average)
        value = REFERENCE["adjusted_mutual_information"](one_hot(truth), one_hot(found), average=average)
        assert value == pytest.approx(expected, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize(
    ("average", "value"),
    [("arithmetic", -1 / 2), ("geometric", -1 / 2), ("max", -1 / 2), ("min", -1 / 2), ("joint", -1 / 5)],
)
def test_adjusted_mutual_information_by_hand(average, value):
    """I = 0, E[I] = log(2)/3 (above), both entropies log 2, the joint one log 4."""
    U, V = one_hot([0, 0, 1, 1]), one_hot([0, 1, 0, 1])
    ami = REFERENCE["adjusted_mutual_information"](U, V, average=average)
    assert ami == pytest.approx(value, rel=1e-14)


def test_adjusted_mutual_information_is_for_hard_partitions():
    with pytest.raises(ValueError, match="hard"):
        REFERENCE["adjusted_mutual_information"](SOFT_U, SOFT_V)


def test_what_counts_as_hard():
    assert is_hard(one_hot([0, 2, 2]))
    assert not is_hard(np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert not is_hard(np.array([[0.5, 0.0], [0.0, 1.0]]))
    assert not is_hard(np.array([[0.0, 0.0], [0.0, 1.0]]))


def test_empty_clusters_and_relabelling_do_not_matter():
    U, V = SOFT_U, SOFT_V
    padded = np.hstack([np.zeros((4, 1)), V[:, ::-1], np.zeros((4, 2))])
    hard, spread = one_hot(FOUND), one_hot([5 - label for label in FOUND])
    for name, reference in REFERENCE.items():
        if name not in ("adjusted_mutual_information", "generalized_centroid_index"):  # hard only
            assert reference(U, padded) == pytest.approx(reference(U, V), rel=1e-14), name
        assert reference(one_hot(TRUTH), spread) == pytest.approx(
            reference(one_hot(TRUTH), hard), rel=1e-14
        ), name
