"""Values against independent witnesses: slow references, golden files, scikit-learn, the papers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.metrics.cluster import pair_confusion_matrix

import partita as pt
from partita.partitions import FUZZY, HARD, POSSIBILISTIC
from partita.registry import find
from partita.statistics import Contingency
from partita.statistics.tables.hypergeometric import expected_mutual_information
from reference import REFERENCE
from reference.pairs import pairs_in_both, pairs_in_found_only, pairs_in_truth_only
from strategies import pairs

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
IN_TABLES = (HARD, FUZZY, POSSIBILISTIC)


def memberships(partition):
    return np.asarray(partition.memberships(), dtype=np.float64)


def near_the_edge(U, V):
    """Soft pair counts so close to 0 that rounding decides whether the index is defined."""
    a, b, c = (f(U, V) for f in (pairs_in_both, pairs_in_truth_only, pairs_in_found_only))
    return min(abs(a + b), abs(a + c)) < 1e-6


OPEN_OPTIONS = [  # those with a closed list of values go through the gate
    ("v_measure", {"beta": 0.3}),
    ("v_measure", {"beta": 4}),
    ("variation_of_information", {"base": 2}),
    ("mutual_information", {"base": 10}),
    ("joint_entropy", {"base": 2}),
    ("class_entropy", {"base": 2}),
]


@given(sides=pairs(IN_TABLES, max_n=7))
def test_options_equal_those_of_the_reference(sides):
    U, V = map(memberships, sides)
    for name, options in OPEN_OPTIONS:
        expected = REFERENCE[name](U, V, **options)
        got = find(name)(*sides, **options)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9, err_msg=f"{name} {options}")


SCIKIT_LEARN = {
    "rand": metrics.rand_score,
    "adjusted_rand": metrics.adjusted_rand_score,
    "mutual_information": metrics.mutual_info_score,
    "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
    "nmi_sum": metrics.normalized_mutual_info_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
}


@settings(max_examples=60)
@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40))
def test_hard_values_equal_scikit_learn(labels):
    truth, found = map(list, zip(*labels, strict=True))
    for name, theirs in SCIKIT_LEARN.items():
        # scikit-learn's Fowlkes-Mallows gives 0 where there is no pair; ours is nan, or 1 for identical ones
        if name != "fowlkes_mallows" or max(map(len, map(set, (truth, found)))) < len(labels):
            value = find(name)(truth, found)
            np.testing.assert_allclose(value, theirs(truth, found), rtol=1e-12, atol=1e-12, err_msg=name)


@given(data=st.data())
def test_normalisations_equal_scikit_learn(data):
    n = data.draw(st.integers(2, 30))
    truth, found = (data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in "tf")
    for ours, theirs in (("nmi_max", "max"), ("nmi_min", "min"), ("nmi_sqrt", "geometric")):
        expected = metrics.normalized_mutual_info_score(truth, found, average_method=theirs)
        assert find(ours)(truth, found) == pytest.approx(expected, abs=1e-12)


GOLDEN = json.loads((Path(__file__).parent / "golden" / "expected_mutual_information.json").read_text())[
    "values"
]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"n={sum(s * m for s, m in c['truth'])}")
def test_expected_mutual_information_is_exact(case):
    rows, columns = (np.repeat(*np.array(case[side]).T) for side in ("truth", "found"))
    assert expected_mutual_information(rows, columns) == pytest.approx(float(case["value"]), rel=1e-12)


ANDERSON = json.loads((Path(__file__).parent / "golden" / "anderson.json").read_text())


def anderson_input(name):
    if name in ANDERSON["hard_labels"]:
        return pt.as_partition(ANDERSON["hard_labels"][name])
    if name in ANDERSON["possibilistic"]:
        return pt.PossibilisticPartition(ANDERSON["possibilistic"][name])
    return pt.FuzzyPartition(ANDERSON["fuzzy"][name])


@pytest.mark.parametrize("pair", ANDERSON["pairs"])
def test_soft_pair_indices_equal_the_checked_vectors(pair):
    """To 1e-10; a value that the vectors leave out, or where a side has no expected pair, is nan."""
    sides = [anderson_input(name) for name in pair.split(",")]
    table = Contingency.from_block(*sides)
    a, b, c, _ = table.pairs
    for key, expected in ANDERSON["pairs"][pair].items():
        value = find(key.removeprefix("anderson_"))(*sides)
        if expected is not None and (key == "anderson_rand" or table.is_whole or min(a + b, a + c) > 0):
            assert value == pytest.approx(expected, rel=1e-10, abs=1e-10), key
        elif not table.is_whole:
            assert math.isnan(value), key


# --- the papers ---------------------------------------------------------------------------------------

SLIDE = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]])


def test_the_rand_example_of_franti2017():
    table = Contingency.from_counts(SLIDE)
    assert tuple(int(c) for c in table.pair_counts) == (20, 20, 24, 72)
    assert find("RI").of(table) == pytest.approx(0.6765, abs=5e-5)
    assert find("ARI").of(table) == pytest.approx(0.2429, abs=5e-5)


def test_the_precision_and_recall_pictures_of_franti2017():
    """Object-level precision and recall are cells of the table over its margins.

    First picture: five objects found, all of a class of seven. Second: recall 3/5; its printed precision
    5/5 cannot have the same numerator, 3/3 is the same 100 %.
    """
    first = Contingency.from_counts([[5, 2], [0, 5]])
    assert first.counts[0, 0] / first.column_sums[0] == 5 / 5
    assert first.counts[0, 0] / first.row_sums[0] == 5 / 7
    second = Contingency.from_counts([[3, 2], [0, 5]])
    assert second.counts[0, 0] / second.column_sums[0] == 1.0
    assert second.counts[0, 0] / second.row_sums[0] == 3 / 5
    # the same ratios by pairs: 15 of 21 pairs of a class of seven, 6 of 10 of a class of five
    for size, kept, recall in ((7, 6, 5 / 7), (5, 4, 3 / 5)):
        truth, found = [0] * size, [0] * kept + list(range(1, size - kept + 1))
        assert pt.indices.pair_precision(truth, found) == 1.0
        assert pt.indices.pair_recall(truth, found) == pytest.approx(recall)


def test_possibilistic_scaling_by_hand():
    """lei2014 eq. 3 on typicalities, worked with fractions.

    U = [[1, 1/2], [0, 1]], V = [[1, 0], [1/2, 1/2]]: U'V = [[1, 0], [1, 1/2]], which sums to 5/2, so
    phi = 2 / (5/2) = 4/5 and N* = [[4/5, 0], [4/5, 2/5]], N*/n = [[2/5, 0], [2/5, 1/5]] with margins
    (2/5, 3/5) and (4/5, 1/5).
    """
    U = pt.PossibilisticPartition([[1, 0.5], [0, 1]])
    V = pt.PossibilisticPartition([[1, 0], [0.5, 0.5]])
    table = Contingency.from_block(U, V)
    np.testing.assert_allclose(table.counts, [[0.8, 0.0], [0.8, 0.4]], rtol=1e-15)

    def h(*shares):
        return -sum(p * math.log(p) for p in shares)

    joint, rows, columns = h(0.4, 0.4, 0.2), h(0.4, 0.6), h(0.8, 0.2)
    information = rows + columns - joint
    assert pt.indices.joint_entropy(U, V) == pytest.approx(joint, abs=1e-15)
    assert pt.indices.mutual_information(U, V) == pytest.approx(information, abs=1e-15)
    assert pt.indices.nmi_max(U, V) == pytest.approx(information / max(rows, columns), abs=1e-15)
    assert pt.indices.variation_of_information(U, V) == pytest.approx(joint - information, abs=1e-15)
    # D = sum r^2 + sum c^2 - 2 sum n^2 with r = (4/5, 6/5), c = (8/5, 2/5): 52/25 + 68/25 - 2 * 36/25 = 48/25
    assert pt.indices.mirkin(U, V) == pytest.approx(48 / 25, abs=1e-14)


# --- degenerate cases ------------------------------------------------------------------------------

ONE, OTHER, SINGLE = [0] * 5, [0, 0, 1, 1, 2], list(range(5))
NMI = ("nmi_joint", "nmi_max", "nmi_sum", "nmi_sqrt", "nmi_min")


@pytest.mark.parametrize(
    ("names", "truth", "found", "value"),
    [
        (
            (*NMI, "AMI", "ARI", "v_measure", "homogeneity", "completeness", "RI", "jaccard", "FM"),
            ONE,
            ONE,
            1.0,
        ),
        (("VI", "NVI", "minkowski_score", "mirkin", "class_entropy"), ONE, ONE, 0.0),
        ((*NMI, "AMI", "ARI", "v_measure"), ONE, OTHER, 0.0),
        ((*NMI, "AMI", "ARI", "v_measure"), OTHER, ONE, 0.0),
        (
            ("AMI", "ARI", *NMI, "FM", "jaccard", "hubert_gamma", "pair_precision", "pair_recall"),
            SINGLE,
            SINGLE,
            1.0,
        ),
        (("ARI",), SINGLE, OTHER, 0.0),
        (("v_measure", "nmi_sum"), [0, 1, 0, 1], [0, 0, 1, 1], 0.0),
        (("ARI",), [0, 0, 0, 0], [0, 0, 0, 1], 0.0),
        (("RI", "ARI", "AMI", "NMI", "jaccard", "FM", "hubert_gamma", "pair_recall"), [0], ["x"], 1.0),
    ],
)
def test_degenerate_hard_cases(names, truth, found, value):
    for name in names:
        assert find(name)(truth, found) == value, name


@pytest.mark.parametrize(
    ("name", "truth", "found"),
    [
        ("FM", SINGLE, OTHER),
        ("hubert_gamma", ONE, OTHER),
        ("hubert_gamma", SINGLE, OTHER),
        ("minkowski_score", SINGLE, OTHER),
        ("pair_recall", SINGLE, OTHER),
        ("pair_precision", OTHER, SINGLE),
        ("AMI:average=min", SINGLE, OTHER),
    ],
)
def test_every_other_zero_by_zero_is_nan(name, truth, found):
    assert math.isnan(find(name)(truth, found))


def test_memberships_too_soft_for_pairs():
    uniform = [[0.25] * 4] * 4
    table = Contingency.from_block(pt.FuzzyPartition(uniform), pt.FuzzyPartition(uniform))
    assert table.pair_counts.both == pytest.approx(-1.5)  # self-pairs outweigh pairs
    result = pt.compare(uniform, uniform)
    for row in result:
        is_pair_index = find(row.index).family == "pairs" and row.direction != "none"
        assert math.isnan(row.value) == (
            is_pair_index and row.index not in ("rand", "mirkin", "hubert_gamma_prime")
        )
    assert "coassociation_rand_distance" in result["ARI"].caveat


# --- exactness ----------------------------------------------------------------------------------------


def test_pair_counts_are_exact_at_a_hundred_million_objects():
    cells = np.array([[33_333_333, 1, 0], [2, 33_333_331, 3], [0, 7, 33_333_323]])
    assert cells.sum() == 10**8
    table = Contingency.from_counts(cells)
    n, squares = 10**8, [sum(int(x) ** 2 for x in m.ravel()) for m in (cells, cells.sum(1), cells.sum(0))]
    both, truth_only = (squares[0] - n) // 2, (squares[1] - squares[0]) // 2
    found_only, neither = (squares[2] - squares[0]) // 2, (n * n + squares[0] - squares[1] - squares[2]) // 2
    assert tuple(int(c) for c in table.pair_counts) == (both, truth_only, found_only, neither)
    assert tuple(int(c) for c in table.pairs) == (both, truth_only, found_only, neither)
    exact = (
        2
        * (both * neither - truth_only * found_only)
        / ((both + truth_only) * (truth_only + neither) + (both + found_only) * (found_only + neither))
    )
    assert find("ARI").of(table) == pytest.approx(exact, rel=1e-14)
    assert find("hubert_gamma").of(table) == pytest.approx(exact, abs=1e-6)


def test_ari_does_not_overflow_where_peers_do():
    """torchmetrics 1.9 gives -0.678 for a true 0.364 at n = 70,000."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1_000_000)
    found = np.where(rng.random(truth.size) < 0.8, truth, 1 - truth)
    assert pt.indices.adjusted_rand(truth, found) == pytest.approx(
        metrics.adjusted_rand_score(truth, found), abs=1e-12
    )
    assert (
        pt.drop_in.pair_confusion_matrix(truth, found).tolist()
        == pair_confusion_matrix(truth, found).tolist()
    )


def test_real_valued_tables_are_not_truncated():
    """scikit-learn casts margins to integers: 0.0664 for 0.0635."""
    rng = np.random.default_rng(1)
    U, V = rng.dirichlet([1, 1, 1], 20), rng.dirichlet([1, 1], 20)
    N = U.T @ V / 20
    exact = float((N * np.log(N / np.outer(N.sum(1), N.sum(0)))).sum())
    assert pt.indices.mutual_information(U, V) == pytest.approx(exact, abs=1e-14)
