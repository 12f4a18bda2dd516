"""`adjusted`: any index corrected for chance, wherever an index is taken."""

from __future__ import annotations

import math
import pickle
from itertools import permutations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

import partita as pt
from partita.chance import AllPartitions, FixedNumber, Permutation, chance_of
from partita.chance.adjustment import read_label
from partita.chance.null_values import adjusted_value
from partita.errors import KindError, ParameterError, UnknownNameError
from partita.inputs import prepare
from partita.registry import find
from reference import chance as slow


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 60)
    return truth, np.where(rng.random(60) < 0.5, truth, rng.integers(0, 5, 60))


def one_hot(labels):
    return pt.as_partition(np.eye(labels.max() + 1)[labels], kind="fuzzy")


AVERAGES = {"nmi_sum": "arithmetic", "nmi_sqrt": "geometric", "nmi_max": "max", "nmi_min": "min", "MI": "min"}


@pytest.mark.parametrize("name", AVERAGES)
def test_adjusted_information_is_adjusted_mutual_information(labels, name):
    ours = pt.adjusted(name)(*labels)
    average = AVERAGES[name]
    assert ours == pytest.approx(pt.indices.adjusted_mutual_information(*labels, average=average), rel=1e-10)
    assert ours == pytest.approx(adjusted_mutual_info_score(*labels, average_method=average), rel=1e-9)


def test_adjusted_pair_counts_are_the_adjusted_rand_index(labels):
    for name in ("RI", "mirkin", "hubert_gamma_prime", "frobenius_rand", "belief_rand", "NDC"):
        assert pt.adjusted(name)(*labels) == pytest.approx(adjusted_rand_score(*labels), rel=1e-10)
    assert pt.adjusted("adjusted_rand")(*labels) == pytest.approx(adjusted_rand_score(*labels))


@pytest.mark.parametrize("pair", [((0, 0, 1, 1, 2), (0, 0, 1, 2, 2)), ((0, 0, 1, 1, 1), (0, 1, 1, 0, 0))])
def test_soft_ami_of_one_hot_memberships_is_ami(pair):
    truth, found = map(np.array, pair)
    ami = pt.indices.adjusted_mutual_information(truth, found)
    soft = pt.adjusted("nmi_sum")
    # read as memberships, objects are shuffled one by one; prepare() would read one-hot ones as hard
    inputs = prepare({"truth": truth, "found": found})
    inputs = type(inputs)({"truth": one_hot(truth), "found": one_hot(found)}, len(truth))
    assert inputs.kinds == ("fuzzy", "fuzzy")
    value, caveats = soft.value_for(inputs, None)
    assert value == pytest.approx(ami, abs=1e-12)
    assert "enumerated" in caveats[0].text


def test_soft_ami_is_that_of_all_shuffles():
    rng = np.random.default_rng(1)
    U, V = (rng.dirichlet([0.4] * k, 5).tolist() for k in (2, 3))
    plain = find("nmi_sum")
    expected = np.mean([plain(U, list(moved)) for moved in slow.shuffles(V)])
    value = (plain(U, V) - expected) / (1.0 - expected)
    assert pt.adjusted("nmi_sum")(U, V) == pytest.approx(value, abs=1e-12)


def test_soft_ami_of_many_objects_is_within_its_error():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 400)
    inputs = type(prepare({"truth": truth, "found": truth}))(
        {"truth": one_hot(truth), "found": one_hot(rng.integers(0, 4, 400))}, 400
    )
    chance = chance_of([find("nmi_sum")], inputs, n_shuffles=400)["nmi_sum"]
    hard = {name: p.harden() for name, p in inputs.partitions.items()}
    exact = chance_of([find("nmi_sum")], type(inputs)(hard, 400), n_shuffles=1)["nmi_sum"]
    assert chance.how == "Monte Carlo"
    assert exact.how == "closed form"
    assert abs(chance.expected - exact.expected) <= 4.0 * chance.error


@pytest.mark.parametrize(
    "null", ["permutation", "fixed number", "all partitions", FixedNumber(one_sided=True)]
)
def test_the_value_is_that_of_the_row(labels, null):
    for name in ("RI", "VI", "purity", "jaccard"):
        index = pt.adjusted(name, null, n_shuffles=50, random_state=3)
        inputs = prepare({"truth": labels[0], "found": labels[1]})
        chance = chance_of([index.inner], inputs, null, n_shuffles=50, seed=3)[index.inner.label]
        # tables of these sizes are drawn in another order of the clusters: the same law, other draws
        room = abs(index.inner.best - chance.expected)
        assert index(*labels) == pytest.approx(chance.adjusted, abs=8.0 * chance.error / room + 1e-12)


def test_the_same_sizes_have_the_same_expectation(labels):
    truth, found = labels
    index = pt.adjusted("purity", n_shuffles=99)
    renamed = (found + 3) % 5
    assert index(truth, found) == index(truth, renamed)
    assert index(truth, found) == pt.adjusted("purity", n_shuffles=99)(truth, found)


def test_it_is_taken_wherever_an_index_is(labels):
    ami = pt.adjusted("nmi_sum")
    row = pt.compare(*labels, indices=["AMI", ami])[ami.label]
    assert row.value == pytest.approx(adjusted_mutual_info_score(*labels))
    assert (row.best, row.direction) == (1.0, "higher")
    assert "closed form" in row.caveat
    runs = [*labels, np.roll(labels[1], 7)]
    together = pt.consensus_index(runs, [ami, "AMI"])
    assert together[ami.label].value == pytest.approx(together["AMI"].value)
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) + 6.0 * np.column_stack([truth % 2, truth // 2])
    kmeans = KMeans(n_init=1, random_state=0)
    choice = pt.choose_k(X, kmeans, ks=[2, 3, 4], indices=[ami], truth=truth, n_runs=1, random_state=0)
    assert ami.label in repr(choice)
    stable = pt.stability(X, kmeans, ks=[2, 3], indices=[ami], n_repeats=3, random_state=0)
    assert ami.label in set(stable.to_frame()["index"])


def test_soft_ensembles_are_compared_pair_by_pair():
    rng = np.random.default_rng(0)
    runs = [rng.dirichlet([0.3] * 2, 5) for _ in range(3)]
    ami = pt.adjusted("nmi_sum")
    result = pt.consensus_index(runs, ami)
    singly = [ami(runs[i], runs[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert result.value == pytest.approx(np.mean(singly))


def test_labels_are_read_again():
    for index in (
        pt.adjusted("VI"),
        pt.adjusted("rand:pairs=ordered", FixedNumber(one_sided=True), n_shuffles=99, random_state=4),
        pt.adjusted("hullermeier_rifqi", "dirichlet symmetric"),
        pt.adjusted("jaccard", AllPartitions()),
    ):
        for again in (find(index.label), pickle.loads(pickle.dumps(index)), read_label(index.label)):
            assert again.label == index.label
            assert again.null == index.null
            assert again.makings == index.makings
    assert find("Adjusted(vi)").null == Permutation()
    changed = pt.adjusted("rand").using(pairs="ordered")
    assert changed.label == "adjusted(rand:pairs=ordered; permutation)"
    with pytest.raises(ParameterError, match="bracket"):
        find("adjusted(vi")
    with pytest.raises(ParameterError, match="whole numbers"):
        find("adjusted(vi; permutation; n_shuffles=many)")
    with pytest.raises(UnknownNameError):
        find("adjusted(no_such_index)")
    with pytest.raises(UnknownNameError):
        find("adjusted(vi; shuffling)")


@pytest.mark.parametrize(
    ("truth", "found", "value"),
    [
        ([0, 0, 0], [0, 0, 0], 1.0),
        ([0, 1, 2], [0, 1, 2], 1.0),
        ([0] * 20, [0] * 20, 1.0),
        (list(range(20)), list(range(20)), 1.0),
        ([0], [0], 1.0),
    ],
)
def test_identical_trivial_clusterings_score_one(truth, found, value):
    for name in ("RI", "nmi_sum", "VI", "purity", "jaccard", "frobenius_rand"):
        assert pt.adjusted(name, n_shuffles=5)(truth, found) == value


def test_chance_that_is_as_good_as_can_be_leaves_no_room():
    # found has each object by itself: purity is 1 whatever is shuffled, and so is its expectation
    assert pt.adjusted("purity")([0, 0, 1], [0, 1, 2]) == 1.0
    # entropies are no counts: rounding must not turn 0/0 into a large number
    assert pt.adjusted("homogeneity")([0, 0, 1], [0, 1, 2]) == 1.0


def test_where_chance_alone_is_best_a_worse_value_is_undefined():
    value, reason = adjusted_value(0.5, 1.0, 1.0)
    assert math.isnan(value)
    assert "chance alone" in reason
    assert adjusted_value(0.25, 0.5, 0.0) == (0.5, "")


def test_weights_that_are_no_whole_numbers_leave_nothing_to_shuffle(labels):
    with pytest.warns(pt.errors.UndefinedIndexWarning, match="whole numbers"):
        assert math.isnan(pt.adjusted("purity")(*labels, sample_weight=np.full(60, 0.5)))
    doubled = pt.adjusted("nmi_sum")(*labels, sample_weight=np.full(60, 2))
    assert doubled == pytest.approx(adjusted_mutual_info_score(*(np.repeat(side, 2) for side in labels)))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("joint_entropy",), ParameterError),  # no best value
        (("MI", "fixed number"), ParameterError),
        (("CI",), ParameterError),  # needs the data
        (("silhouette",), ParameterError),
        (("ARI", "no such model"), UnknownNameError),
        (("no_such_index",), UnknownNameError),
    ],
)
def test_what_cannot_be_corrected_is_refused(arguments, error):
    with pytest.raises(error):
        pt.adjusted(*arguments)


def test_wrong_draws_and_a_second_correction_are_refused():
    for wrong in ({"n_shuffles": 0}, {"n_shuffles": 1.5}, {"random_state": None}, {"random_state": -1}):
        with pytest.raises(ParameterError):
            pt.adjusted("RI", **wrong)
    with pytest.raises(ParameterError, match="already"):
        pt.adjusted(pt.adjusted("RI"))


def test_kinds_that_the_model_does_not_draw_are_refused():
    soft = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]
    index = pt.adjusted("RI", "fixed number")
    with pytest.raises(KindError, match="fixed number"):
        index([0, 1, 1], soft)
    held = pt.adjusted("RI", FixedNumber(one_sided=True))
    assert math.isfinite(held(soft, [0, 1, 1]))


# --- AMI of soft clusterings -----------------------------------------------------------------------------

SOFT = np.array([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.2, 0.8], [0.0, 1.0]])


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "max", "min"])
def test_ami_of_a_soft_clustering_is_that_over_all_orders_of_its_objects(average):
    """By the definition: (I - E I) / (avg(H, H') - E I), E the mean over all 120 orders."""
    U = np.eye(2)[[0, 0, 1, 1, 1]]

    def entropy(shares):
        return -sum(p * math.log(p) for p in np.ravel(shares) if p > 0)

    def information(V):
        table = U.T @ V / len(U)
        return entropy(table.sum(axis=0)) + entropy(table.sum(axis=1)) - entropy(table)

    one, other = entropy(U.mean(axis=0)), entropy(SOFT.mean(axis=0))
    top = {
        "arithmetic": (one + other) / 2,
        "geometric": math.sqrt(one * other),
        "max": max(one, other),
        "min": min(one, other),
    }[average]
    by_chance = [information(SOFT[list(order)]) for order in permutations(range(5))]
    entry = pt.indices.adjusted_mutual_information.using(average=average)
    expected = (information(SOFT) - np.mean(by_chance)) / (top - np.mean(by_chance))
    assert entry([0, 0, 1, 1, 1], SOFT) == pytest.approx(expected, abs=1e-12)
    hardened = entry([0, 0, 1, 1, 1], SOFT.argmax(axis=1))
    assert hardened != pytest.approx(expected, abs=0.01)


def test_ami_of_hard_clusterings_stays_exact_and_of_many_soft_objects_has_a_standard_error():
    rng = np.random.default_rng(0)
    truth, U = rng.integers(0, 3, 60), rng.dirichlet([0.5] * 3, 60)
    value = pt.indices.adjusted_mutual_information(truth, U)
    (row,) = pt.compare(truth, U, indices=["adjusted(nmi_sum)"]).rows
    assert value == row.value
    assert "standard error" in row.caveat
    assert pt.indices.adjusted_mutual_information(truth, U.argmax(axis=1)) == pytest.approx(
        adjusted_mutual_info_score(truth, U.argmax(axis=1)), abs=1e-10
    )


def test_what_compare_advises_in_place_of_hardening_runs():
    with pytest.raises(KindError) as told:
        pt.compare([0, 0, 1, 1, 1], SOFT, indices=["AMI"])
    assert "harden" not in str(told.value)
    assert 'indices=["adjusted(nmi_sum)"]' in told.value.fix
    assert math.isfinite(pt.compare([0, 0, 1, 1, 1], SOFT, indices=["adjusted(nmi_sum)"]).rows[0].value)
    rough = pt.RoughPartition([[1, 0], [1, 1], [0, 1], [0, 1], [0, 1]])
    with pytest.raises(KindError, match="rough"):
        pt.indices.adjusted_mutual_information([0, 0, 1, 1, 1], rough)
    with pytest.raises(KindError, match="fuzzy"):  # shuffles change the joint entropy
        pt.indices.adjusted_mutual_information([0, 0, 1, 1, 1], SOFT, average="joint")
