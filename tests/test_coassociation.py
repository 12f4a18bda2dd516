"""Co-associations: rovetta2009's table, the golden values, every method against plain loops, bad input."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import squareform

import partita as pt
from partita import arrays
from partita.errors import KindError, ParameterError, PartitaError, TooLargeError
from partita.indices import find
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, relations
from partita.statistics import CoassociationGaps, Contingency, PairMoments, ShuffledGaps, TNormCoassociations
from partita.statistics.pairs import coassociation_gaps as gaps
from partita.statistics.pairs import coassociation_sums as sums
from partita.statistics.pairs import shuffles
from partita.statistics.pairs.object_pairs import draw_pairs
from reference import REFERENCE
from reference.coassociation import coassociations
from strategies import integer_weights, pairs

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")

GOLDEN = json.loads((Path(__file__).parent / "golden" / "coassociation.json").read_text())
INDEX_OF = {
    "rovetta_average": "coassociation_average_distance",
    "rovetta_rand": "coassociation_rand_distance",
    "rovetta_student": "coassociation_student_distance",
    "rovetta_correlation": "coassociation_correlation_distance",
    "rovetta_jaccard": "coassociation_jaccard_distance",
    "product_adjusted_rand": "product_adjusted_rand",
    "frobenius_rand": "frobenius_rand",
    "frobenius_adjusted_rand": "frobenius_adjusted_rand",
    "grand": "belief_rand",
    "adjusted_grand": "belief_adjusted_rand",
}
LINEAR = [n for n in INDEX_OF.values() if find(n).statistics == (PairMoments,)]


def golden_input(letter):
    if letter in GOLDEN["possibilistic"]:
        return pt.PossibilisticPartition(GOLDEN["possibilistic"][letter])
    return GOLDEN["hard"].get(letter) or GOLDEN["fuzzy"][letter]


def random_rows(rng, n, k, how="dirichlet"):
    if how == "quantised":
        grid = rng.integers(0, 3, (n, k))
        grid[:, 0] += grid.sum(axis=1) == 0
        return grid / grid.sum(axis=1, keepdims=True)
    if how == "two of many":
        rows = np.zeros((n, k))
        for row, share in zip(rows, rng.random(n), strict=True):
            row[rng.choice(k, 2, replace=False)] = share, 1.0 - share
        return rows
    return rng.dirichlet(np.ones(k), n)


def gap_by_loops(U, V, weight=None):
    U, V = (np.repeat(W, 1 if weight is None else weight, axis=0) for W in (U, V))
    gap = [abs(a - b) for a, b in zip(coassociations(U), coassociations(V), strict=True)]
    return math.fsum(gap) / len(gap)


# --- rovetta2009, Table 2 -------------------------------------------------------------------------------

CRISP = [0] * 6 + [1] * 12
SOFT = [[0.8, 0.2]] * 6 + [[0.2, 0.8]] * 12
TOY_3 = [[1.0, 0.0, 0.0]] * 6 + [[0.0, 0.8, 0.2]] * 6 + [[0.0, 0.2, 0.8]] * 6
TOY_4 = [0, 0, 1, 1, 2, 2] + [0] * 4 + [1] * 4 + [2] * 4
SHARE = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0, 1, 0.9, 0, 0, 0, 0, 0]
TABLE_2 = {
    "toy0": (CRISP, np.eye(3)[CRISP], (0.0, 0.0, 0.0, 0.0, 0.0)),
    "toy1": (CRISP, [0] * 6 + [1] * 5 + [0] * 3 + [2] * 4, (0.8497, 0.4248, 0.5707, 0.8211, 0.6566)),
    "toy2": (SOFT, [[*row, 0.0] for row in SOFT], (0.0, 0.4352, 0.0, 0.0, 0.5976)),
    "toy3": (CRISP, TOY_3, (0.4455, 0.2227, 0.3845, 0.1610, 0.4207)),
    "toy4": (CRISP, TOY_4, (1.0980, 0.5490, 0.7344, 1.0811, 0.8000)),
    "toy5": ([[p, 1 - p] for p in SHARE], TOY_4, (0.9707, 0.4854, 0.8205, 0.9489, 0.7595)),
}
COLUMNS = ("average", "rand", "student", "correlation", "jaccard")


@pytest.mark.parametrize("toy", TABLE_2)
@pytest.mark.parametrize("column", COLUMNS)
def test_every_number_of_table_2(toy, column):
    truth, found, printed = TABLE_2[toy]
    value = find(f"coassociation_{column}_distance")(truth, found)
    assert value == pytest.approx(printed[COLUMNS.index(column)], abs=5.1e-5)


def test_the_average_as_the_text_words_it_misses_differences():
    """Its false positive: 0 for clusterings with as many pairs together, however different they are."""
    average = pt.indices.coassociation_average_distance
    assert average([0, 0, 1, 1], [0, 1, 0, 1], variant="means") == 0.0
    assert average([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(4 / 3)
    assert average(CRISP, TABLE_2["toy1"][1], variant="means") == pytest.approx(0.1895, abs=5e-5)


def test_the_third_equation_halves_the_correlation():
    truth, found, printed = TABLE_2["toy4"]
    halved = pt.indices.coassociation_correlation_distance(truth, found, halved=True)
    assert halved == pytest.approx(printed[3] / 2, abs=5e-5)


# --- golden values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "key"), [(names, key) for names, values in GOLDEN["values"].items() for key in values]
)
def test_golden_values(names, key):
    truth, found = map(golden_input, names.split(","))
    expected = GOLDEN["values"][names][key]
    value = find(INDEX_OF[key])(truth, found)
    np.testing.assert_allclose(value, math.nan if expected is None else expected, rtol=0, atol=1e-10)


def test_options_equal_those_of_the_reference():
    rng = np.random.default_rng(7)
    U, V = random_rows(rng, 9, 3), random_rows(rng, 9, 2)
    for name, options in (
        ("coassociation_average_distance", {"variant": "means"}),
        ("coassociation_correlation_distance", {"halved": True}),
    ):
        assert find(name)(U, V, **options) == pytest.approx(REFERENCE[name](U, V, **options), abs=1e-12)


# --- chance: the claim on soft clusterings, over all shuffles -------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name in ("product_adjusted_rand", "frobenius_adjusted_rand", "belief_adjusted_rand")
        for kind in (FUZZY, POSSIBILISTIC)
        if find(name).status("zero_by_chance", kind) == "claimed"
    ],
)
def test_mean_over_all_shuffles_is_zero(name, kind):
    rng = np.random.default_rng(11)
    U, V = rng.random((5, 3)), rng.random((5, 2))
    if kind is FUZZY:
        U, V = U / U.sum(axis=1, keepdims=True), V / V.sum(axis=1, keepdims=True)
    truth, found = pt.as_partition(U, kind), pt.as_partition(V, kind)
    values = [find(name)(truth, found.take(np.array(order))) for order in permutations(range(5))]
    assert np.mean(values) == pytest.approx(0.0, abs=1e-12)
    assert np.std(values) > 1e-4


# --- moments: by the definition, merged, weighted -------------------------------------------------------


def exact_sums(U, V):
    a, b = (
        [sum(Fraction(x) * Fraction(y) for x, y in zip(p, q, strict=True)) for p, q in combinations(W, 2)]
        for W in (U.tolist(), V.tolist())
    )
    both = list(zip(a, b, strict=True))
    return [
        float(sum(values))
        for values in (
            (x * y for x, y in both),
            (x * (1 - y) for x, y in both),
            ((1 - x) * y for x, y in both),
            ((1 - x) * (1 - y) for x, y in both),
            ((x - y) ** 2 for x, y in both),
        )
    ]


@given(sides=pairs([HARD, FUZZY], min_n=2))
def test_moments_are_the_sums_over_pairs(sides):
    moments = PairMoments.from_block(*sides)
    *counts, squared = exact_sums(*(np.asarray(p.memberships()) for p in sides))
    np.testing.assert_allclose(moments.pairs, counts, rtol=1e-9, atol=1e-12)
    assert moments.squared_gap * moments.n_pairs == pytest.approx(squared, rel=1e-9, abs=1e-12)
    assert sum(moments.pairs) == pytest.approx(moments.n_pairs)
    assert moments.shape == ()
    assert bool(moments.is_whole) == (sides[0].kind is sides[1].kind is HARD)
    filled = [int((np.asarray(p.memberships()).sum(axis=0) > 0).sum()) for p in sides]
    assert [int(moments.n_rows), int(moments.n_columns)] == filled
    assert bool(moments.is_identical) == sides[0].equivalent(sides[1])


def same_moments(a, b):
    assert a.kinds == b.kinds
    assert a.n == b.n
    np.testing.assert_allclose(a.pairs, b.pairs, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(a.values, b.values, rtol=1e-9, atol=1e-11)


@given(data=st.data(), sides=pairs([HARD, FUZZY], min_n=3))
def test_moments_merge_over_any_cut_in_any_order(data, sides):
    truth, found = sides
    n = truth.n_objects
    cut = sorted({0, n, *data.draw(st.lists(st.integers(1, n - 1), max_size=3))})
    weight = data.draw(st.none() | integer_weights(n))

    def part(rows):
        # labels taken out as lists, so that a block knows only the clusters it saw
        block = [pt.HardPartition(p.labels[rows].tolist()) if p.kind is HARD else p.take(rows) for p in sides]
        return PairMoments.from_block(*block, None if weight is None else weight[rows])

    blocks = [part(slice(a, b)) for a, b in pairwise(cut)]
    whole = PairMoments.from_block(truth, found, weight)
    for order in (blocks, blocks[::-1]):
        merged = PairMoments.zero()
        for block in order:
            merged = merged + block
        same_moments(merged, whole)
    if len(blocks) > 2:
        same_moments((blocks[0] + blocks[1]) + blocks[2], blocks[0] + (blocks[1] + blocks[2]))


def test_blocks_of_different_kinds_do_not_add():
    hard = PairMoments.from_block(pt.HardPartition([0, 1]), pt.HardPartition([0, 1]))
    soft = PairMoments.from_block(pt.FuzzyPartition([[0.5, 0.5]]), pt.HardPartition([0]))
    with pytest.raises(KindError, match="cannot be added"):
        hard + soft
    with pytest.raises(KindError, match="co-associations"):
        PairMoments.from_table(Contingency.from_counts([[0.5, 0.5]]))


def test_a_stack_of_hard_tables_gives_as_many_values():
    tables = np.array([[[3, 1], [0, 4]], [[2, 2], [2, 2]], [[5, 0], [0, 3]]])
    for name in INDEX_OF.values():
        entry = find(name)
        stacked = entry.of(*(s.from_table(Contingency.from_counts(tables)) for s in entry.statistics))
        single = [
            entry.of(*(s.from_table(Contingency.from_counts(t)) for s in entry.statistics)) for t in tables
        ]
        np.testing.assert_array_equal(stacked, single)


def test_hard_pairs_are_those_of_the_table():
    rng = np.random.default_rng(2)
    truth, found = (pt.as_partition(rng.integers(0, 4, 50)) for _ in "tf")
    moments = PairMoments.from_block(truth, found)
    assert moments.pairs == Contingency.from_block(truth, found).pairs
    as_soft = PairMoments.from_block(truth, pt.FuzzyPartition(found.memberships()))
    np.testing.assert_allclose(as_soft.pairs, moments.pairs, rtol=1e-12)
    np.testing.assert_allclose(as_soft.squared_gap, moments.squared_gap, rtol=1e-12)


@pytest.mark.parametrize("name", INDEX_OF.values())
def test_threads_do_not_change_a_bit_and_blocks_hardly_any(monkeypatch, name):
    rng = np.random.default_rng(3)
    sides = random_rows(rng, 1500, 4), random_rows(rng, 1500, 3)
    whole = find(name)(*sides)
    monkeypatch.setattr(PairMoments, "block_rows", staticmethod(lambda *_: 100))
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("PARTITA_NUM_THREADS", threads)
        results.add(find(name)(*sides))
    assert len(results) == 1
    assert results.pop() == pytest.approx(whole, rel=1e-12, abs=1e-12)


def test_fractional_weights_never_break_the_range():
    rng = np.random.default_rng(8)
    for _ in range(30):
        n = int(rng.integers(1, 6))
        sides = [
            pt.as_partition(rng.integers(0, 2, n) if rng.random() < 0.5 else random_rows(rng, n, 2))
            for _ in "tf"
        ]
        weight = rng.random(n) * rng.choice([0.3, 1.0, 4.0])
        for name in INDEX_OF.values():
            assert isinstance(find(name)(*sides, sample_weight=weight), float)


# --- cancellation ---------------------------------------------------------------------------------------


def test_nearly_equal_clusterings_keep_their_digits():
    rng = np.random.default_rng(5)
    U = random_rows(rng, 60, 3)
    V = np.abs(U + 1e-8 * rng.standard_normal(U.shape))
    V /= V.sum(axis=1, keepdims=True)
    for cut in (60, 13):
        rows = [slice(i, min(i + cut, 60)) for i in range(0, 60, cut)]
        moments = PairMoments.zero()
        for part in rows:
            moments = moments + PairMoments.from_block(pt.FuzzyPartition(U[part]), pt.FuzzyPartition(V[part]))
        squared = exact_sums(U, V)[-1]
        assert moments.squared_gap * moments.n_pairs == pytest.approx(squared, rel=1e-6)
    assert 0.0 <= pt.indices.coassociation_correlation_distance(U, V) < 1e-13
    assert PairMoments.from_block(pt.FuzzyPartition(U), pt.FuzzyPartition(U)).squared_gap < 1e-28


def test_memberships_near_their_mean_keep_their_digits():
    """by hand: at 1/3 +- 1e-4 the plain closed form gave 1.0 for -0.018."""
    rng = np.random.default_rng(6)
    U, V = (1 / 3 + 1e-4 * rng.uniform(-1, 1, (14, 3)) for _ in "uv")
    U, V = (W / W.sum(axis=1, keepdims=True) for W in (U, V))
    exact = frobenius_adjusted_exactly(U, V)
    assert abs(exact) < 0.5
    assert pt.indices.frobenius_adjusted_rand(U, V) == pytest.approx(exact, abs=1e-7)


def frobenius_adjusted_exactly(U, V):
    X, Y = (
        [[sum(Fraction(a) * Fraction(b) for a, b in zip(p, q, strict=True)) for q in W] for p in W]
        for W in (U.tolist(), V.tolist())
    )
    n = len(X)
    total = [sum(map(sum, Z)) for Z in (X, Y)]
    trace = [sum(Z[i][i] for i in range(n)) for Z in (X, Y)]
    squares = [sum(z * z for row in Z for z in row) for Z in (X, Y)]
    product = sum(x * y for p, q in zip(X, Y, strict=True) for x, y in zip(p, q, strict=True))
    off = [t - d for t, d in zip(total, trace, strict=True)]
    expected = trace[0] * trace[1] / n + off[0] * off[1] / (n * (n - 1))
    most = (total[0] * squares[1] / total[1] + total[1] * squares[0] / total[0]) / 2
    return float((product - expected) / (most - expected))


def test_noise_is_not_taken_for_structure():
    uniform = np.full((60, 3), 1 / 3)
    assert pt.indices.frobenius_adjusted_rand(uniform, uniform) == 1.0
    assert math.isnan(pt.indices.frobenius_adjusted_rand(uniform, np.full((60, 4), 1 / 4)))
    assert math.isnan(pt.indices.coassociation_correlation_distance(uniform, np.arange(60) % 2))


# --- gaps: each method, chosen or not, is the double loop -----------------------------------------------

CASES = {
    "angles": ("dirichlet", 80, 2, 2),
    "distinct": ("quantised", 400, 2, 3),
    "supports": ("two of many", 7500, 20, 22),
    "tiles": ("dirichlet", 300, 4, 3),
}


@pytest.mark.parametrize("method", CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_method_is_the_double_loop(method, weighted):
    how, n, k, other_k = CASES[method]
    rng = np.random.default_rng(n)
    U, V = random_rows(rng, n, k, how), random_rows(rng, n, other_k, how)
    truth, found = pt.FuzzyPartition(U), pt.FuzzyPartition(V)
    weight = rng.integers(1, 3, n) if weighted else None
    made = CoassociationGaps.from_whole(truth, found, weight)
    assert made.method == method
    assert made.how == ""
    tiles = sums.by_tiles(U, V, weight, made.moments, None) / made.moments.n_pairs
    assert made.together == pytest.approx(tiles, rel=1e-12)
    if n <= 400:
        assert made.together == pytest.approx(gap_by_loops(U, V, weight), rel=1e-12)
    cost = CoassociationGaps.pair_operations(truth, found)
    assert (cost < n * (n - 1) / 2) == (method != "tiles")


@given(sides=pairs([FUZZY], min_n=2), data=st.data())
def test_all_methods_agree_on_anything(sides, data):
    weight = data.draw(st.none() | integer_weights(sides[0].n_objects).filter(lambda w: w.sum() > 1))
    U, V = (np.asarray(p.memberships()) for p in sides)
    moments = PairMoments.from_block(*sides, weight)
    expected = sums.by_tiles(U, V, weight, moments, None)
    usable = [m for m in sums.METHODS if m != "angles" or U.shape[1] == V.shape[1] == 2]
    for method in usable:
        found = sums.METHODS[method](U, V, weight, moments, None)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-10), method


@pytest.mark.parametrize("scale", [1e-8, 1e-3])
def test_two_against_two_keeps_its_digits_when_they_nearly_agree(scale):
    rng = np.random.default_rng(9)
    p = rng.random(200)
    q = np.clip(p + scale * rng.standard_normal(200), 0, 1)
    U, V = (np.stack([x, 1.0 - x], axis=1) for x in (p, q))
    made = CoassociationGaps.from_whole(pt.FuzzyPartition(U), pt.FuzzyPartition(V))
    assert made.together == pytest.approx(gap_by_loops(U, V), rel=1e-7)


def test_one_hard_side_is_linear():
    rng = np.random.default_rng(10)
    labels, V = rng.integers(0, 3, 70), random_rows(rng, 70, 4)
    for sides in ((labels, V), (V, labels)):
        truth, found = map(pt.as_partition, sides)
        made = CoassociationGaps.from_whole(truth, found)
        assert made.method == "linear"
        assert CoassociationGaps.pair_operations(truth, found) == 0
        assert made.together == pytest.approx(gap_by_loops(np.eye(3)[labels], V), rel=1e-12)


def test_identical_soft_clusterings_have_no_gap_at_all():
    U = random_rows(np.random.default_rng(12), 40, 3)
    assert pt.indices.coassociation_average_distance(U, U[:, ::-1]) == 0.0
    assert pt.indices.belief_rand(U, U) == 1.0


def test_rows_that_sum_to_one_roughly_stay_in_range():
    rng = np.random.default_rng(13)
    U = np.eye(2)[rng.integers(0, 2, 30)].astype(np.float32)
    U = U * np.float32(1.00005) + np.float32(1e-6)
    U = np.clip(U, 0, 1)
    V = random_rows(rng, 30, 3).round(7)
    for name in INDEX_OF.values():
        assert math.isfinite(find(name)(U, V))


def test_sparse_memberships_give_the_dense_values():
    rng = np.random.default_rng(14)
    U, V = random_rows(rng, 60, 8, "two of many"), random_rows(rng, 60, 6, "two of many")
    for name in INDEX_OF.values():
        thin = find(name)(sparse.csr_array(U), sparse.csr_array(V))
        assert thin == pytest.approx(find(name)(U, V), rel=1e-12)


def test_a_gap_outside_its_bounds_is_a_bug(monkeypatch):
    monkeypatch.setitem(sums.METHODS, "tiles", lambda *_: 1e9)
    rng = np.random.default_rng(15)
    with pytest.raises(PartitaError, match="outside its bounds"):
        pt.indices.belief_rand(random_rows(rng, 20, 3), random_rows(rng, 20, 4))


# --- sampling -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_the_sampling_guarantee_holds(weighted):
    """Hoeffding's bound is far from tight: with these sizes none of the seeds may fail."""
    rng = np.random.default_rng(16)
    U, V = random_rows(rng, 500, 3), random_rows(rng, 500, 4)
    weight = rng.integers(1, 4, 500) if weighted else None
    truth, found = pt.FuzzyPartition(U), pt.FuzzyPartition(V)
    exact = CoassociationGaps.from_whole(truth, found, weight).together
    options = {"method": "sample", "epsilon": 0.005, "confidence": 0.99}
    for seed in range(20):
        made = CoassociationGaps.from_whole(truth, found, weight, random_state=seed, **options)
        assert abs(made.together - exact) <= 0.005
        guarantee = "mean gap sampled: within 0.005 with confidence 0.99"
        assert made.how == f"{guarantee}, standard error {made.standard_error:.2g}"
    assert CoassociationGaps.pair_operations(truth, found, **options) == gaps.sample_size(0.005, 0.99)


def test_the_sample_size_is_that_of_the_definitions():
    assert gaps.sample_size(1e-3, 1 - 1e-6) == 453_396


def test_sampling_is_repeatable_and_said_in_the_result():
    rng = np.random.default_rng(17)
    U, V = random_rows(rng, 100, 3), random_rows(rng, 100, 4)
    sampled = pt.indices.coassociation_student_distance.using(method="sample", epsilon=0.01, random_state=4)
    assert sampled(U, V) == sampled(U, V)
    row = pt.compare(U, V, indices=[sampled])[sampled.label]
    assert "within 0.01 with confidence 0.95" in row.caveat
    assert pt.compare(U, V, indices=["belief_rand"])["belief_rand"].caveat == ""


def test_drawn_pairs_are_uniform_over_pairs_of_copies():
    weight = np.array([1, 3, 2])
    i, j = draw_pairs(3, weight, 200_000, np.random.default_rng(18))
    counts = np.zeros((3, 3))
    np.add.at(counts, (i, j), 1)
    expected = np.outer(weight, weight) - np.diag(weight)
    np.testing.assert_allclose(counts / 200_000, expected / expected.sum(), atol=0.005)
    i, j = draw_pairs(4, None, 100_000, np.random.default_rng(19))
    assert (i != j).all()


# --- chance of the belief Rand index --------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FUZZY, POSSIBILISTIC])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_expected_gap_is_that_of_all_pairs_of_pairs(kind, weighted, monkeypatch):
    rng = np.random.default_rng(20)
    U, V = rng.random((25, 3)), rng.random((25, 4))
    if kind is FUZZY:
        U, V = U / U.sum(axis=1, keepdims=True), V / V.sum(axis=1, keepdims=True)
    weight = rng.integers(1, 4, 25) if weighted else None
    truth, found = pt.as_partition(U, kind), pt.as_partition(V, kind)
    repeated = [np.repeat(W, 1 if weight is None else weight, axis=0) for W in (U, V)]
    a, b = (np.array(coassociations(W)) for W in repeated)
    apart = [np.array(coassociations(W.sum(axis=1, keepdims=True))) for W in repeated]
    exact = ShuffledGaps.from_whole(truth, found, weight)
    assert exact.together == pytest.approx(np.abs(a[:, None] - b).mean(), rel=1e-12)
    assert exact.apart == pytest.approx(np.abs((apart[0] - a)[:, None] - (apart[1] - b)).mean(), rel=1e-12)
    assert exact.how == ""
    monkeypatch.setattr(shuffles, "EXACT_UP_TO", 10)
    for seed in range(5):
        made = ShuffledGaps.from_whole(truth, found, weight, n_samples=20_000, random_state=seed)
        both = (exact.together + exact.apart) / 2
        assert abs((made.together + made.apart) / 2 - both) < 5 * made.standard_error
        assert "standard error" in made.how


def test_the_expectation_of_one_hard_side_is_linear():
    rng = np.random.default_rng(21)
    labels, V = rng.integers(0, 3, 20), random_rows(rng, 20, 4)
    a, b = np.array(coassociations(np.eye(3)[labels])), np.array(coassociations(V))
    truth, found = pt.as_partition(labels), pt.as_partition(V)
    made = ShuffledGaps.from_whole(truth, found)
    assert made.together == pytest.approx(np.abs(a[:, None] - b).mean(), rel=1e-12)
    assert ShuffledGaps.pair_operations(truth, found) == 0


# --- the matrix itself ----------------------------------------------------------------------------------

TNORMS = {
    "product": lambda u, v: u * v,
    "minimum": min,
    "lukasiewicz": lambda u, v: max(0.0, u + v - 1.0),
}


@pytest.mark.parametrize("tnorm", TNORMS)
def test_the_matrix_by_the_definition(tnorm):
    U = random_rows(np.random.default_rng(22), 150, 3)
    expected = [
        [sum(TNORMS[tnorm](a, b) for a, b in zip(p, q, strict=True)) for q in U.tolist()] for p in U.tolist()
    ]
    matrix = pt.coassociation(U, tnorm)
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    condensed = pt.coassociation(U, tnorm, condensed=True)
    np.testing.assert_allclose(condensed, squareform(matrix, checks=False), atol=1e-15)


def test_the_matrix_of_labels_and_of_sparse_memberships():
    labels = np.array(["a", "b", "a", "c"])
    np.testing.assert_array_equal(pt.coassociation(labels), labels[:, None] == labels)
    U = random_rows(np.random.default_rng(23), 20, 6, "two of many")
    np.testing.assert_allclose(pt.coassociation(sparse.csr_array(U)), pt.coassociation(U))
    assert pt.coassociation([0], condensed=True).shape == (0,)


# --- bad input ------------------------------------------------------------------------------------------


def test_possibilistic_rows_are_refused_with_the_reason():
    typicalities = pt.PossibilisticPartition([[1.0, 0.9], [0.9, 1.0]])
    for call in (
        lambda: pt.coassociation(typicalities),
        lambda: PairMoments.from_block(typicalities, typicalities),
    ):
        with pytest.raises(KindError, match="can pass 1"):
            call()
    for name in ("coassociation_rand_distance", "coassociation_average_distance", "frobenius_rand"):
        with pytest.raises(KindError):
            find(name)(typicalities, typicalities)
    rough = pt.RoughPartition([[True, True], [True, False]])
    for call in (
        lambda: pt.coassociation(rough),
        lambda: CoassociationGaps.from_whole(rough, rough),
        lambda: pt.indices.belief_rand(rough, rough),
    ):
        with pytest.raises(KindError):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda U: pt.coassociation(U, "drastic"),
        lambda U: pt.coassociation(U, None),
        lambda U: pt.indices.coassociation_average_distance(U, U, variant="median"),
        lambda U: pt.indices.belief_rand(U, [0, 1, 1], method="guess"),
        lambda U: pt.indices.belief_rand(U, U[::-1], method="sample", epsilon=0),
        lambda U: pt.indices.belief_rand(U, U[::-1], method="sample", confidence=1.0),
        lambda U: pt.indices.belief_rand(U, U[::-1], method="sample", random_state=-1),
        lambda U: pt.indices.belief_adjusted_rand(U, U[::-1], n_samples=1),
        lambda U: pt.indices.belief_rand(
            pt.PossibilisticPartition(U), pt.PossibilisticPartition(U), method="sample"
        ),
    ],
)
def test_bad_options_are_refused(call):
    with pytest.raises(ParameterError) as caught:
        call([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]])
    assert caught.value.need


def test_what_does_not_fit_is_refused_before_the_work_starts(monkeypatch):
    monkeypatch.setattr(relations, "MOST_CELLS", 100)
    assert pt.coassociation(range(14), condensed=True).shape == (91,)
    with pytest.raises(TooLargeError, match="does not fit"):
        pt.coassociation(range(11))
    wide = pt.FuzzyPartition(np.full((1, 4), 0.25))
    monkeypatch.setattr("partita.statistics.pairs.coassociation_factors._MOST_COLUMNS", 6)
    with pytest.raises(TooLargeError, match="do not fit"):
        PairMoments.from_block(wide, wide)


def test_very_many_clusters_have_their_cost_known():
    hard = pt.HardPartition(np.arange(1000))
    soft = pt.FuzzyPartition(random_rows(np.random.default_rng(25), 1000, 3))
    assert PairMoments.pair_operations(hard, hard) == 0
    assert PairMoments.pair_operations(soft, soft) == 0
    for statistic in (PairMoments, CoassociationGaps, ShuffledGaps):
        assert statistic.pair_operations(hard, soft) == 1000 * 1003**2 / 100


def test_one_object_and_degenerate_clusterings():
    for name in INDEX_OF.values():
        entry = find(name)
        assert entry([0], ["x"]) == entry.best
        assert entry([[0.3, 0.7]], [[0.7, 0.3]]) == entry.best
        assert math.isnan(entry([[0.3, 0.7]], [[0.5, 0.5]]))
        for same in ([0, 0, 0], [0, 1, 2]):
            assert entry(same, same) == entry.best


def test_the_linear_indices_never_look_at_pairs():
    rng = np.random.default_rng(24)
    n = 3 * arrays.BLOCK_ROWS + 5
    result = pt.compare(random_rows(rng, n, 3), random_rows(rng, n, 2), indices=LINEAR)
    assert len(result) == len(LINEAR)
    assert all(math.isfinite(row.value) for row in result)


def test_an_empty_cluster_is_not_filled_by_rounding():
    named = pt.HardPartition([0] * 10 + [1], names=[0, 1, 2, 3])
    for seed in range(20):
        soft = pt.FuzzyPartition(np.random.default_rng(seed).dirichlet([1, 1], 11))
        assert int(PairMoments.from_block(named, soft).n_rows) == 2


def test_a_single_soft_object_of_a_sparse_matrix_has_no_pairs():
    result = pt.compare(sparse.csr_array([[0.5, 0.5]]), [0])
    dense = pt.compare([[0.5, 0.5]], [0])
    assert {row.index: repr(row.value) for row in result.rows} == {
        row.index: repr(row.value) for row in dense.rows
    }
    assert math.isnan(
        pt.indices.coassociation_rand_distance(sparse.csr_array([[0.5, 0.5]]), [0], on_undefined="nan")
    )


# --- other t-norms ---------------------------------------------------------------------------------------

DISTANCES = [
    f"coassociation_{name}_distance" for name in ("average", "rand", "student", "correlation", "jaccard")
]


@given(drawn=pairs(kinds=(HARD, FUZZY)))
def test_the_pairwise_path_with_the_product_is_the_linear_one(drawn):
    truth, found = drawn
    slow = TNormCoassociations.from_whole(truth, found, tnorm="product")
    linear, gaps_ = PairMoments.over_blocks(truth, found), CoassociationGaps.from_whole
    if truth.n_objects == 1:
        return
    assert slow.disagreement == pytest.approx(float(linear.disagreement), abs=1e-12)
    assert slow.squared_gap == pytest.approx(float(linear.squared_gap), abs=1e-12)
    assert slow.together == pytest.approx(float(gaps_(truth, found, moments=linear).together), abs=1e-12)
    np.testing.assert_allclose(slow.pairs, linear.pairs, atol=1e-9)
    assert slow.values.variance_truth == pytest.approx(float(linear.values.variance_truth), abs=1e-12)


@pytest.mark.parametrize("tnorm", ["minimum", "lukasiewicz"])
@pytest.mark.parametrize("name", DISTANCES)
def test_distances_under_other_tnorms(name, tnorm):
    rng = np.random.default_rng(3)
    U, V = rng.dirichlet([0.7] * 3, 40), rng.dirichlet([0.5] * 4, 40)
    entry = find(name).using(tnorm=tnorm)
    assert entry(U, V) == pytest.approx(REFERENCE[name](U, V, tnorm=tnorm), abs=1e-12)
    hard = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    assert entry(*hard) == find(name)(*hard)
    if tnorm == "minimum":
        assert entry(U, U) == pytest.approx(0.0, abs=1e-12)  # min(a, a) = a: none counts its own softness
    weight = rng.integers(1, 4, 40)
    rows = np.repeat(np.arange(40), weight)
    assert entry(U, V, sample_weight=weight) == pytest.approx(entry(U[rows], V[rows]), abs=1e-12)


def test_an_unknown_tnorm_is_refused():
    with pytest.raises(ParameterError, match="tnorm"):
        pt.indices.coassociation_rand_distance.using(tnorm="drastic")
