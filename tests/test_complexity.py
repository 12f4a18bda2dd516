"""Stochastic complexity: reference, hand-checked values, blocks, weights, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import beta

import partita as pt
import shared_data
import strategies
from partita.cluster import StochasticComplexityClustering
from partita.errors import KindError, ParameterError
from partita.indices.complexity import stochastic_complexity
from partita.partitions import HARD, HardPartition
from partita.statistics.clusters.binary_counts import BinaryCounts
from reference.likelihood import stochastic_complexity as by_definition


@st.composite
def bits_and_labels(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 1), min_size=d, max_size=d)
    return np.array(draw(st.lists(row, min_size=n, max_size=n)), dtype=float), draw(strategies.hard(n))


@given(
    drawn=bits_and_labels(),
    form=st.sampled_from(["exact", "printed"]),
    simplified=st.booleans(),
    base=st.sampled_from([None, 2, 10.0]),
)
def test_it_equals_its_reference(drawn, form, simplified, base):
    X, found = drawn
    options = {"form": form, "simplified": simplified, "base": base}
    expected = by_definition(X, found.memberships(), **options)
    value = stochastic_complexity(X, found, **options)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_examples_have_their_value():
    for example in stochastic_complexity.examples:
        assert stochastic_complexity(*example.inputs, **example.options) == pytest.approx(example.value)


@pytest.mark.parametrize("form", ["exact", "printed"])
def test_smaller_is_better_and_the_right_clusters_win(form):
    assert stochastic_complexity.direction == "lower"
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 60)
    often = np.array([[0.95] * 4 + [0.05] * 8, [0.05] * 4 + [0.95] * 4 + [0.05] * 4, [0.05] * 8 + [0.95] * 4])
    X = (rng.uniform(size=(180, 12)) < often[truth]).astype(int)
    values = {
        "truth": stochastic_complexity(X, truth, form=form),
        "merged": stochastic_complexity(X, truth // 2, form=form),
        "split": stochastic_complexity(X, truth * 2 + np.arange(180) % 2, form=form),
        "shuffled": stochastic_complexity(X, rng.permutation(truth), form=form),
    }
    assert min(values, key=values.get) == "truth"


@pytest.mark.parametrize("form", ["exact", "printed"])
def test_the_simplified_form_differs_by_a_constant(form):
    index = stochastic_complexity.using(form=form)
    X = np.random.default_rng(1).integers(0, 2, (20, 3))
    for k in (1, 2, 5):
        labels = np.arange(20) % k
        gap = index(X, labels) - index(X, labels, simplified=True)
        assert gap == pytest.approx(20 * math.log(20), rel=1e-12)


@given(drawn=bits_and_labels(), data=st.data())
def test_weights_are_repetitions_and_names_do_not_matter(drawn, data):
    X, found = drawn
    weight = data.draw(strategies.integer_weights(len(X)))
    repeated = found.take(np.repeat(np.arange(len(X)), weight))
    expected = stochastic_complexity(np.repeat(X, weight, axis=0), repeated)
    assert stochastic_complexity(X, found, sample_weight=weight) == pytest.approx(
        expected, rel=1e-12, abs=1e-12
    )
    renamed = 7 - 3 * found.codes
    assert stochastic_complexity(X, renamed) == pytest.approx(stochastic_complexity(X, found), abs=1e-12)


@given(drawn=bits_and_labels(), cut=st.integers(0, 12), swap=st.booleans())
def test_counts_merge_over_any_cut_in_any_order(drawn, cut, swap):
    X, found = drawn
    parts = [
        BinaryCounts.from_block(X[rows], HardPartition(found.labels[rows].tolist()))
        for rows in (slice(0, cut), slice(cut, None))
        if len(X[rows])
    ]
    merged = BinaryCounts.zero()
    for part in reversed(parts) if swap else parts:
        merged = merged + part
    whole = BinaryCounts.from_block(X, found)
    assert merged.total == whole.total
    assert stochastic_complexity.of(merged) == pytest.approx(stochastic_complexity.of(whole), abs=1e-12)


def test_several_blocks_and_single_precision(monkeypatch):
    rng = np.random.default_rng(2)
    X, labels = rng.integers(0, 2, (500, 6)), rng.integers(0, 4, 500)
    whole = stochastic_complexity(X, labels)
    monkeypatch.setattr(BinaryCounts, "block_rows", staticmethod(lambda *_: 33))
    assert stochastic_complexity(X, labels) == pytest.approx(whole, rel=1e-12)
    assert stochastic_complexity(X.astype(np.float32), labels) == pytest.approx(whole, rel=1e-12)
    assert stochastic_complexity(X.astype(bool), labels) == pytest.approx(whole, rel=1e-12)


def test_fractions_of_objects_use_the_same_formula():
    X, labels = np.array([[0, 1], [1, 1], [1, 0]]), [0, 0, 1]
    half = stochastic_complexity(X, labels, form="printed", sample_weight=[0.5, 0.5, 0.25])
    h = math.log(2)  # of the one even feature of cluster 0, which weighs 1
    sizes = -math.log(1 / 1.25) - 0.25 * math.log(0.25 / 1.25)
    assert half == pytest.approx(h + sizes)
    exact = stochastic_complexity(X, labels, sample_weight=[0.5, 0.5, 0.25])
    masses = [(0.5, 0.5), (1.0, 0.0), (0.25, 0.0), (0.0, 0.25)]  # of ones and zeros, by cluster and feature
    likelihood = math.prod(beta(a + 0.5, b + 0.5) / math.pi for a, b in masses)
    likelihood *= beta(1.5, 0.75) / math.pi  # of the two clusters
    assert exact == pytest.approx(-math.log(likelihood))


@pytest.mark.parametrize("labels", [[0] * 4, [0, 1, 2, 3], [0, 0, 0, 1]])
def test_one_cluster_single_objects_and_constant_features_have_a_value(labels):
    X = [[0, 1], [0, 1], [0, 1], [0, 1]]
    expected = by_definition(X, HardPartition(labels).memberships())
    assert stochastic_complexity(X, labels) == pytest.approx(expected, abs=1e-12)


def test_other_data_and_other_kinds_are_refused():
    with pytest.raises(ParameterError, match=r"column 1 of X has the value 0\.5") as caught:
        stochastic_complexity([[0, 1], [1, 0.5]], [0, 1])
    assert "bic_partition" in caught.value.fix
    with pytest.raises(KindError, match="harden"):
        stochastic_complexity([[0], [1]], [[0.5, 0.5], [0.2, 0.8]])
    assert stochastic_complexity.kinds == (HARD,)


def test_animals_of_one_kind_are_shorter_to_tell():
    X, kinds = shared_data.features("zoo_binary"), shared_data.labels("zoo_binary")
    assert set(np.unique(X)) == {0.0, 1.0}
    value = stochastic_complexity(X, kinds)
    assert value == pytest.approx(by_definition(X, HardPartition(kinds).memberships()), rel=1e-12)
    assert value < stochastic_complexity(X, np.zeros(len(X), dtype=int))
    assert value < stochastic_complexity(X, np.random.default_rng(0).permutation(kinds))


# --- how many clusters -------------------------------------------------------------------------------------


@given(drawn=bits_and_labels())
def test_an_object_alone_costs_its_features_in_the_exact_form_and_nothing_as_printed(drawn):
    X, _ = drawn
    n, d = X.shape
    alone, together = np.arange(n), np.zeros(n, int)
    assert stochastic_complexity(X, alone) > n * d * math.log(2) - 1e-9
    assert stochastic_complexity(X, alone, form="printed") == pytest.approx(n * math.log(n), abs=1e-9)
    if n >= d and n > 1:  # whatever the features are
        assert stochastic_complexity(X, together) < stochastic_complexity(X, alone)


@pytest.mark.parametrize("name", ["zoo_binary", "votes_complete", "spect"])
@pytest.mark.usefixtures("compiled")
def test_only_the_printed_form_runs_to_single_objects(name):
    X = shared_data.features(name)
    ks = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24]
    choice = pt.choose_k(
        X,
        StochasticComplexityClustering(n_init=3, max_swaps=30),
        ks=ks,
        n_runs=1,
        indices=["stochastic_complexity", "stochastic_complexity:form=printed"],
        random_state=0,
        structure=False,
    )
    assert 1 < choice["stochastic_complexity"].k < 16
    alone = np.arange(len(X))
    exact, printed = (choice.curves[label].values for label in choice.curves)
    assert choice.ks[int(np.argmin(printed))] == 24
    assert stochastic_complexity(X, alone, form="printed") < min(printed)
    assert stochastic_complexity(X, alone) > max(exact)
    assert "stochastic_complexity" in {c.index for c in choice.choices.values() if c.votes}
