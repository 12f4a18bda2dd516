"""What a value is worth beside chance: against every shuffle and every partition of a few objects."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

import partita as pt
from partita.chance import (
    AllPartitions,
    DirichletRows,
    FixedNumber,
    Permutation,
    chance_of,
    null_model,
    set_partitions,
)
from partita.chance.set_partitions import (
    sizes_given_number,
    sizes_in_any,
    together_given_number,
    together_in_any,
)
from partita.chance.shuffles import (
    ObjectDraws,
    TableDraws,
    dirichlet_parameters,
    drawing,
    tables_with_margins,
)
from partita.errors import KindError, ParameterError, PartitaError, UnknownNameError
from partita.evaluation import values_of
from partita.inputs import prepare
from partita.registry import find
from partita.statistics import Contingency
from reference import chance as slow

EXTERNAL = [entry for entry in pt.indices.catalogue() if set(entry.inputs) == {"truth", "found"}]
HIGHER = {"higher": True, "lower": False, "none": None}


def defined(inputs):
    return [entry for entry in EXTERNAL if entry.range_of(inputs.kinds) is not None]


def given(truth, found, **ways):
    return prepare({"truth": truth, "found": found}, **ways)


def values_for(truth, found, known):
    """The values of all indices of a pair, each pair looked at once."""
    key = repr((truth, found))
    if key not in known:
        inputs = given(list(truth), list(found))
        known[key] = {label: value for label, (value, _) in values_of(defined(inputs), inputs)[0].items()}
    return known[key]


def close(a, b, tolerance=1e-9):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) == math.isnan(b)
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def hold_against_all(truth, found, null, pairs):
    """Expectation, spread and p of every index against these pairs, all equally likely."""
    inputs, known = given(list(truth), list(found)), {}
    entries = defined(inputs)
    chances = chance_of(entries, inputs, null)
    observed = values_for(truth, found, known)
    looked_at = [values_for(*pair, known) for pair in pairs]
    how = set()
    for entry in entries:
        label, chance = entry.label, chances[entry.label]
        if "relabelling_invariant" in entry.refuted and not isinstance(null_model(null), Permutation):
            assert "order of the clusters" in chance.caveats[0].text
            continue  # partitions have no names, on which its value depends
        values = [values.get(label, math.nan) for values in looked_at]
        mean, deviation, share = slow.mean_and_share(values, observed[label], higher=HIGHER[entry.direction])
        assert close(chance.expected, mean), (label, null, truth, found, chance, mean)
        assert close(chance.mean, mean), (label, null, truth, found, chance, mean)
        assert close(chance.spread, deviation, 1e-7), (label, null, truth, found, chance, deviation)
        assert close(chance.p, share), (label, null, truth, found, chance, share)
        assert chance.is_enumerated
        assert chance.error == 0.0 or not chance.how
        how.add(chance.how)
    return how


HARD_PAIRS = [
    ((0, 0, 1, 1, 2), (0, 0, 1, 1, 1)),
    ((0, 0, 0, 1, 1), (0, 1, 2, 2, 0)),
    ((0, 0, 1, 1), (0, 1, 0, 1)),
    ((0, 0, 0, 0), (0, 0, 1, 1)),  # one side constant
    ((0, 1, 2, 3), (0, 0, 1, 1)),  # each object on its own
    ((0, 0, 0), (0, 0, 0)),
    ((0, 1, 2), (0, 1, 2)),
    ((0, 0, 1), (1, 1, 0)),
    ((0,), (0,)),
]


@pytest.mark.parametrize(("truth", "found"), HARD_PAIRS)
def test_every_index_of_hard_clusterings_against_all_shuffles(truth, found):
    pairs = [(truth, moved) for moved in slow.shuffles(found)]
    how = hold_against_all(truth, found, "permutation", pairs)
    trivial = {len(set(truth)), len(set(found))} & {1, len(truth)}
    assert trivial or {"closed form", "enumerated"} <= how


@pytest.mark.parametrize(("truth", "found"), [((0, 0, 1, 1, 1, 2), (0, 0, 0, 1, 1, 1))])
def test_every_index_of_six_objects_against_all_shuffles(truth, found):
    hold_against_all(truth, found, "permutation", [(truth, moved) for moved in slow.shuffles(found)])


@pytest.mark.parametrize(("truth", "found"), HARD_PAIRS[1:])
@pytest.mark.parametrize("one_sided", [False, True])
def test_every_index_against_all_partitions_with_as_many_clusters(truth, found, one_sided):
    n = len(truth)
    truths = [truth] if one_sided else slow.partitions_into(n, len(set(truth)))
    pairs = [(t, f) for t in truths for f in slow.partitions_into(n, len(set(found)))]
    hold_against_all(truth, found, FixedNumber(one_sided=one_sided), pairs)


@pytest.mark.parametrize(("truth", "found"), [HARD_PAIRS[2], HARD_PAIRS[7], HARD_PAIRS[8]])
@pytest.mark.parametrize("one_sided", [False, True])
def test_every_index_against_all_partitions(truth, found, one_sided):
    founds = list(slow.every_partition(len(truth)))
    pairs = [(t, f) for t in ([truth] if one_sided else founds) for f in founds]
    hold_against_all(truth, found, AllPartitions(one_sided=one_sided), pairs)


def soft_rows(n, k, seed):
    """Rows of eighths: their sums are exact."""
    rng = np.random.default_rng(seed)
    return tuple(tuple(row) for row in (rng.multinomial(8, np.full(k, 1 / k), size=n) / 8).tolist())


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        (soft_rows(4, 2, 0), soft_rows(4, 3, 1)),
        ((0, 0, 1, 1), soft_rows(4, 3, 2)),
        (soft_rows(4, 2, 3), (0, 1, 1, 2)),
        (((0.5, 0.5),) * 3, ((0.25, 0.75),) * 3),
    ],
)
def test_every_index_of_soft_clusterings_against_all_shuffles(truth, found):
    how = hold_against_all(truth, found, "permutation", [(truth, moved) for moved in slow.shuffles(found)])
    assert "enumerated" in how


def test_a_soft_truth_can_be_held_while_hard_partitions_are_drawn():
    truth, found = soft_rows(4, 2, 5), (0, 0, 1, 1)
    pairs = [(truth, labels) for labels in slow.partitions_into(4, 2)]
    hold_against_all(truth, found, FixedNumber(one_sided=True), pairs)
    pairs = [(truth, labels) for labels in slow.every_partition(4)]
    hold_against_all(truth, found, AllPartitions(one_sided=True), pairs)


@pytest.mark.full
def test_every_index_of_seven_objects():
    truth, found = (0, 0, 0, 1, 1, 2, 2), (0, 0, 1, 1, 1, 1, 2)
    hold_against_all(truth, found, "permutation", [(truth, moved) for moved in slow.shuffles(found)])
    pairs = [(truth, labels) for labels in slow.every_partition(7)]
    hold_against_all(truth, found, AllPartitions(one_sided=True), pairs)
    pairs = [(t, f) for t in slow.every_partition(5) for f in slow.every_partition(5)]
    hold_against_all(truth[:5], found[:5], AllPartitions(), pairs)
    soft = soft_rows(6, 2, 7), soft_rows(6, 3, 8)
    hold_against_all(*soft, "permutation", [(soft[0], moved) for moved in slow.shuffles(soft[1])])


# --- expectations beside published and others' ones ----------------------------------------------------


@pytest.mark.parametrize(("truth_k", "found_k", "n"), [(2, 3, 12), (4, 4, 30), (1, 5, 20), (30, 7, 30)])
def test_expected_rand_of_the_three_models_is_that_of_gates_and_ahn(truth_k, found_k, n):
    truth, found = np.arange(n) % truth_k, np.arange(n) % found_k
    inputs = given(truth, found)
    own = [slow.together_in(labels.tolist()) for labels in (truth, found)]
    number = [slow.together_fixed_number(n, k) for k in (truth_k, found_k)]
    every = slow.together_all(n)
    for null, pair in (
        (Permutation(), own),
        (Permutation(one_sided=True), own),
        (FixedNumber(), number),
        (FixedNumber(one_sided=True), [own[0], number[1]]),
        (AllPartitions(), [every, every]),
        (AllPartitions(one_sided=True), [own[0], every]),
    ):
        chance = chance_of([find("rand")], inputs, null, n_shuffles=2)["rand"]
        assert chance.how == "closed form"
        assert chance.expected == pytest.approx(float(slow.expected_rand(n, *pair)), rel=1e-10)


def test_how_likely_two_objects_are_together_is_exact():
    for n in (2, 5, 40, 200):
        for k in range(1, n + 1):
            exact = Fraction(set_partitions.stirling(n - 1, k), set_partitions.stirling(n, k))
            assert together_given_number(n, k) == pytest.approx(float(exact), rel=1e-12, abs=0.0)
        assert together_in_any(n) == pytest.approx(float(slow.together_all(n)), rel=1e-12)
    assert [set_partitions.bell(n) for n in (1, 5, 10)] == [1, 52, 115975]  # OEIS A000110
    assert set_partitions.stirling(10, 5) == slow.stirling(10, 5) == 42525  # OEIS A008277


def test_above_200_objects_the_integral_and_dobinskis_sum_are_as_exact():
    above = [1]
    for n in range(1, 302):
        row = [(k * above[k] if k < n else 0) + (above[k - 1] if k else 0) for k in range(n + 1)]
        if n in (201, 301):
            for k in (2, 3, 10, 57, 100, 150, n - 2, n - 1):
                assert together_given_number(n, k) == pytest.approx(above[k] / row[k], rel=1e-11)
            assert together_in_any(n) == pytest.approx(sum(above) / sum(row), rel=1e-11)
        above = row
    # two objects in n - 1 clusters: one pair is together
    n = 10**7
    assert together_given_number(n, n - 1) == pytest.approx(2.0 / n / (n - 1), rel=1e-10)
    assert together_given_number(n, 10) == pytest.approx(0.1, rel=1e-12)


def test_expected_mutual_information_is_scikit_learns():
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 4, 50), rng.integers(0, 6, 50)
    table = contingency_matrix(truth, found, sparse=True)
    chance = chance_of([find("MI")], given(truth, found), n_shuffles=2)["mutual_information"]
    assert chance.expected == pytest.approx(expected_mutual_information(table, 50), rel=1e-10)
    assert chance.how == "closed form"


# --- draws ----------------------------------------------------------------------------------------------


def within_chance(counts, shares, draws, deviations=5.0):
    """Whether counts are as a multinomial law has them, each within some deviations."""
    return all(
        abs(counts.get(case, 0) - draws * share) <= deviations * math.sqrt(draws * share * (1 - share)) + 1e-9
        for case, share in shares.items()
    )


def test_tables_of_given_margins_have_the_law_of_shuffled_objects():
    rows, columns = (3, 2, 1), (2, 2, 2)
    truth, found = ([c for c, s in enumerate(sizes) for _ in range(s)] for sizes in (rows, columns))
    shares = Counter()
    for moved in slow.shuffles(found):
        cells = Counter(zip(truth, moved, strict=True))
        shares[tuple(cells[i, j] for i in range(3) for j in range(3))] += Fraction(1, math.factorial(6))
    draws = 20_000
    sides = (np.tile(sizes, (draws, 1)) for sizes in (rows, columns))
    tables = tables_with_margins(*sides, np.random.default_rng(0))
    counts = Counter(map(tuple, tables.reshape(draws, 9).tolist()))
    assert set(counts) <= set(shares)
    assert within_chance(counts, shares, draws)


def sizes_of(labels):
    return tuple(sorted(Counter(labels).values()))


@pytest.mark.parametrize("by", ["_by_clusters", "_by_sizes"])
def test_sizes_of_partitions_with_k_clusters_are_drawn_from_the_uniform_law(by):
    every = slow.partitions_into(7, 3)
    shares = {case: Fraction(times, len(every)) for case, times in Counter(map(sizes_of, every)).items()}
    rate = set_partitions.poisson_parameter(7 / 3)
    drawn = getattr(set_partitions, by)(7, 3, rate, 20_000, np.random.default_rng(1))
    assert within_chance(Counter(tuple(sorted(row)) for row in drawn.tolist()), shares, 20_000)


def test_sizes_of_all_partitions_are_drawn_from_the_uniform_law():
    every = list(slow.every_partition(5))
    shares = {case: Fraction(times, len(every)) for case, times in Counter(map(sizes_of, every)).items()}
    drawn = sizes_in_any(5, 20_000, np.random.default_rng(2)).tolist()
    counts = Counter(tuple(sorted(size for size in row if size)) for row in drawn)
    assert within_chance(counts, shares, 20_000)


@pytest.mark.parametrize(("n", "k"), [(10, 10), (10, 1), (1000, 999), (1000, 400), (100_000, 12)])
def test_sizes_hold_all_objects_in_as_many_clusters(n, k):
    sizes = sizes_given_number(n, k, 5, np.random.default_rng(0))
    assert sizes.shape == (5, k)
    assert (sizes > 0).all()
    assert (sizes.sum(axis=1) == n).all()


@pytest.mark.parametrize("null", ["permutation", "fixed number", "all partitions"])
def test_drawn_tables_have_the_mean_of_enumerated_ones(null):
    rows, columns = np.array([3, 2, 1]), np.array([3, 3])
    draws = TableDraws.of(rows, columns, null_model(null), 4000, 3)
    entry = find("jaccard")
    means = []
    for parts in (draws._enumerated(), draws._drawn()):
        values, times = [], []
        for part in parts:
            values.append(entry.evaluate([part.stack]).values)
            times.append(np.ones(len(values[-1])) if part.times is None else part.times)
        x, w = np.concatenate(values), np.concatenate(times)
        means.append((x @ w / w.sum(), x.std()))
    assert abs(means[0][0] - means[1][0]) <= 5.0 * means[1][1] / math.sqrt(4000)


def test_very_many_clusters_are_shuffled_label_by_label():
    n = 300
    draws = TableDraws.of(np.ones(n, dtype=int), np.full(n // 2, 2), Permutation(), 3, 0)
    tables = [part.stack for part in draws.parts()]
    assert len(tables) == 3
    for table in tables:
        assert int(table.total) == n
        assert sorted(table.column_sums.tolist()) == [2] * (n // 2)


def test_objects_are_drawn_with_their_data_where_an_index_needs_it():
    rng = np.random.default_rng(0)
    truth, found, X = np.repeat([0, 1], 10), np.tile([0, 1], 10), rng.normal(size=(20, 2))
    inputs = prepare({"X": X, "truth": truth, "found": found})
    chances = chance_of([find("CI"), find("CSI"), find("ARI")], inputs, n_shuffles=20)
    assert {c.n_draws for c in chances.values()} == {20}
    assert chances["adjusted_rand"].expected == 0.0
    assert chances["centroid_similarity_index"].how == "Monte Carlo"


def test_dirichlet_rows_have_the_means_and_the_spread_that_were_observed():
    rng = np.random.default_rng(0)
    memberships = rng.dirichlet([2.0, 1.0, 0.5], size=4000)
    partition = pt.as_partition(memberships)
    means, precision = dirichlet_parameters(partition, "fit")
    assert means == pytest.approx([4 / 7, 2 / 7, 1 / 7], abs=0.02)
    assert precision == pytest.approx(3.5, rel=0.1)
    drawn = drawing(partition, DirichletRows())(np.random.default_rng(1)).memberships()
    assert drawn.mean(axis=0) == pytest.approx(means, abs=0.03)
    assert drawn.var(axis=0) == pytest.approx(memberships.var(axis=0), rel=0.15)
    even, same = dirichlet_parameters(partition, "symmetric")
    assert (even.tolist(), same) == ([1 / 3] * 3, precision)
    flat = drawing(partition, DirichletRows(concentration="flat"))(np.random.default_rng(1)).memberships()
    # each membership of a flat law of three has the density 2 (1 - u)
    assert flat.var(axis=0) == pytest.approx([1 / 18] * 3, rel=0.1)


def test_of_a_hard_clustering_the_dirichlet_law_is_that_of_labels():
    hard = pt.as_partition([0] * 300 + [1] * 100)
    drawn = drawing(hard, DirichletRows())(np.random.default_rng(0))
    assert drawn.kind == "hard"
    assert abs(drawn.codes.mean() - 0.25) <= 5 * math.sqrt(0.25 * 0.75 / 400)
    constant = pt.as_partition([[0.5, 0.5]] * 4, kind="fuzzy")
    assert (
        drawing(constant, DirichletRows())(np.random.default_rng(0)).memberships().tolist() == [[0.5] * 2] * 4
    )


def test_one_set_of_draws_serves_all_indices_and_each_index_alone_gets_the_same():
    rng = np.random.default_rng(5)
    inputs = given(rng.integers(0, 3, 40), rng.dirichlet([0.5] * 3, 40))
    entries = [find(name) for name in ("RI", "VI", "frobenius_rand", "NDC")]
    together = chance_of(entries, inputs, n_shuffles=30, seed=4)
    for entry in entries:
        assert chance_of([entry], inputs, n_shuffles=30, seed=4)[entry.label] == together[entry.label]
    assert chance_of(entries, inputs, n_shuffles=30, seed=5) != together


def test_weights_are_multiplicities():
    rng = np.random.default_rng(1)
    truth, hard, weight = rng.integers(0, 3, 12), rng.integers(0, 3, 12), rng.integers(1, 4, 12)
    soft = rng.dirichlet([0.5] * 3, 12)
    for found in (hard, soft):
        entries = [find(name) for name in ("RI", "VI", "purity")]
        weighted = chance_of(entries, given(truth, found, sample_weight=weight), n_shuffles=50)
        rows = np.repeat(np.arange(12), weight)
        repeated = chance_of(entries, given(truth[rows], np.asarray(found)[rows]), n_shuffles=50)
        for label, chance in weighted.items():
            for name in ("expected", "mean", "spread", "p", "adjusted"):
                assert close(getattr(chance, name), getattr(repeated[label], name))
    fractional = chance_of([find("RI")], given(truth, hard, sample_weight=weight / 2))["rand"]
    assert math.isnan(fractional.p)
    assert "whole numbers" in fractional.caveats[0].text


# --- p-values -------------------------------------------------------------------------------------------


def p_values(n_pairs, n_objects, n_shuffles, soft, name):
    rng = np.random.default_rng(11)
    entry = find(name)
    found = []
    for i in range(n_pairs):
        truth = rng.integers(0, 3, n_objects)
        other = rng.dirichlet([0.5] * 3, n_objects) if soft else rng.integers(0, 4, n_objects)
        chance = chance_of([entry], given(truth, other), n_shuffles=n_shuffles, seed=i)
        found.append(chance[entry.label].p)
    return np.array(found)


def hold_uniform(p, n_shuffles, *, has_ties=False):
    """Uniform; where many draws tie with the value, p may only be larger than that."""
    assert p.min() >= 1 / (1 + n_shuffles)
    for level in (0.1, 0.25, 0.5, 0.75):
        error = 4.0 * math.sqrt(level * (1 - level) / len(p)) + 1 / (1 + n_shuffles)
        assert (p <= level).mean() <= level + error
        assert has_ties or (p <= level).mean() >= level - error


@pytest.mark.parametrize(("soft", "name"), [(False, "VI"), (True, "RI")])
def test_p_values_are_uniform_where_there_is_nothing_but_chance(soft, name):
    hold_uniform(p_values(150, 30, 39, soft, name), 39)


@pytest.mark.full
@pytest.mark.parametrize("name", ["VI", "RI", "purity", "PSI"])
@pytest.mark.parametrize("soft", [False, True])
def test_p_values_are_uniform_in_many_pairs(soft, name):
    # the purity of shuffled objects is often just the share of the largest class
    hold_uniform(p_values(2000, 150, 99, soft, name), 99, has_ties=name == "purity")


def test_identical_clusterings_are_as_surprising_as_draws_can_tell():
    labels = np.repeat(np.arange(4), 10)
    chance = chance_of([find("ARI"), find("VI")], given(labels, labels), n_shuffles=99)
    for one in chance.values():
        assert one.p == 0.01
        assert one.adjusted == 1.0
        assert not one.is_enumerated
    assert chance["adjusted_rand"].z > 5.0
    assert chance["variation_of_information"].z < -5.0


# --- degenerate and wrong input -------------------------------------------------------------------------

DEGENERATE = [
    ([0], [0]),
    ([0] * 15, [0] * 15),
    ([0] * 15, list(range(15))),
    (list(range(15)), list(range(15))),
    (list(range(15)), [0, 1, 2] * 5),
    ([0] * 15, [0, 1, 2] * 5),
    ([0, 1, 2] * 5, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 5),
    ([[0.5, 0.5]] * 15, [[0.25, 0.75]] * 15),
    ([0] * 15, [[0.5, 0.5]] * 15),
    ([[0.5, 0.5]], [[0.25, 0.75]]),
]


@pytest.mark.parametrize(("truth", "found"), DEGENERATE)
@pytest.mark.parametrize(
    "null", ["permutation", "fixed number", "all partitions", "dirichlet", "dirichlet flat"]
)
def test_degenerate_clusterings_have_a_value_or_a_reason(truth, found, null):
    inputs = given(truth, found)
    drawn = null_model(null).kinds - ({"hard"} if null == "dirichlet flat" else set())
    if not set(inputs.kinds) <= drawn and null != "permutation":
        with pytest.raises(KindError) as caught:
            chance_of(defined(inputs), inputs, null)
        assert caught.value.parameter == "null"
        return
    chances = chance_of(defined(inputs), inputs, null, n_shuffles=9)
    for entry in defined(inputs):
        chance = chances[entry.label]
        value = values_of([entry], inputs)[0][entry.label][0]
        assert not math.isnan(chance.adjusted) or chance.caveats or math.isnan(value), (entry.label, chance)
        if entry.direction != "none" and not math.isnan(value):
            assert 0.0 < chance.p <= 1.0, (entry.label, chance)
        if chance.how:
            assert math.isfinite(chance.expected)


def test_everything_noise_and_kinds_without_a_value_say_why():
    inputs = prepare({"truth": [-1, -1], "found": [0, 1]}, noise="ignore")
    assert "noise" in chance_of([find("ARI")], inputs)["adjusted_rand"].caveats[0].text
    rough = pt.as_partition([[True, True], [True, False], [False, True]], kind="rough")
    chances = chance_of([find("ARI"), find("credal_rand")], given([0, 1, 1], rough))
    assert "no value" in chances["adjusted_rand"].caveats[0].text
    assert chances["credal_rand"].how == "enumerated"


def test_what_only_describes_has_no_p_and_no_adjusted_value():
    chance = chance_of([find("joint_entropy")], given([0, 0, 1, 1], [0, 1, 1, 0]))["joint_entropy"]
    assert math.isnan(chance.p)
    assert math.isnan(chance.adjusted)
    assert math.isfinite(chance.z)
    assert any("only describes" in caveat.text for caveat in chance.caveats)


def test_costly_draws_are_not_made_unless_fewer_are_asked_for():
    rng = np.random.default_rng(0)
    inputs = given(rng.dirichlet([1.0] * 2, 3000), rng.dirichlet([1.0] * 3, 3000))
    chance = chance_of([find("NDC")], inputs)["hullermeier_rifqi"]
    assert chance.how == "closed form"
    assert math.isnan(chance.p)
    assert "n_shuffles" in chance.caveats[0].text


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"null": "permutations"}, UnknownNameError),
        ({"null": 3}, ParameterError),
        ({"n_shuffles": 0}, ParameterError),
        ({"n_shuffles": -5}, ParameterError),
        ({"n_shuffles": 2.5}, ParameterError),
        ({"n_shuffles": True}, ParameterError),
        ({"seed": -1}, ParameterError),
        ({"seed": None}, ParameterError),
    ],
)
def test_wrong_arguments_are_refused(arguments, error):
    with pytest.raises(error) as caught:
        chance_of([find("ARI")], given([0, 0, 1], [0, 1, 1]), **arguments)
    assert isinstance(caught.value, PartitaError)
    assert caught.value.parameter in ("null", "n_shuffles", "random_state")


def test_null_models_are_named_in_words():
    assert null_model("Fixed_number") == null_model(FixedNumber) == FixedNumber()
    assert null_model(" all-partitions ") == AllPartitions()
    assert null_model("dirichlet symmetric") == DirichletRows(concentration="symmetric")
    assert null_model("dirichlet") == DirichletRows()
    for null in (Permutation(), FixedNumber(True), AllPartitions(), DirichletRows(concentration="flat")):
        assert null_model(null) is null
        assert null_model(null.name) == type(null)(
            **({"concentration": "flat"} if "flat" in null.name else {})
        )
    with pytest.raises(UnknownNameError, match="did you mean permutation"):
        null_model("permutaton")
    with pytest.raises(ParameterError):
        FixedNumber(one_sided="yes")
    with pytest.raises(ParameterError):
        DirichletRows(concentration="steep")


def test_a_null_that_does_not_fit_the_kind_names_the_way_out():
    soft = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    with pytest.raises(KindError, match="draws no fuzzy"):
        chance_of([find("RI")], given([0, 1, 1], soft), "fixed number")
    with pytest.raises(KindError, match="one_sided=True"):
        chance_of([find("RI")], given(soft, [0, 1, 1]), "all partitions")
    with pytest.raises(KindError, match="draws no hard"):
        chance_of([find("RI")], given([0, 1, 1], soft), "dirichlet flat")


def test_memory_does_not_grow_with_the_objects():
    import tracemalloc

    rng = np.random.default_rng(0)
    inputs = given(rng.integers(0, 10, 200_000), rng.integers(0, 12, 200_000))
    entries = [find(name) for name in ("ARI", "VI", "PSI")]
    tracemalloc.start()
    chance_of(entries, inputs, n_shuffles=200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


def test_soft_draws_come_in_portions():
    rng = np.random.default_rng(0)
    inputs = given(rng.dirichlet([1.0] * 5, 60_000), rng.dirichlet([1.0] * 5, 60_000))
    portions = list(ObjectDraws(inputs, Permutation(), 3, 0).parts())
    assert [len(part) for part in portions] == [1, 1, 1]
    assert isinstance(portions[0].tables, Contingency)
