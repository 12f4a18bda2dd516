"""What is shared so that small work stays small, and tiles of covariances: neither may change a value."""

import pickle

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from partita.engine import collect
from partita.evaluation import values_of
from partita.inputs import prepare
from partita.kernels.em import NEGLIGIBLE, expect, maximise
from partita.partitions import HARD
from partita.registry import find
from partita.registry.entry import Index
from partita.registry.facts import Limit
from partita.statistics import Contingency, Request


def test_indices_of_the_same_statistics_ask_each_question_once():
    asked = []

    def is_large(table):
        asked.append("limit")
        return table.n > 100

    def most(table):
        asked.append("end")
        return table.n

    limits = (Limit(is_large, 0.0, "large"),)
    entries = [
        Index(
            name,
            name,
            lambda table: table.n_rows,
            None,
            {HARD: (0.0, most)},
            limits=limits,
            statistics=(Contingency,),
        )
        for name in ("one", "two", "three")
    ]
    values, _ = values_of(entries, prepare({"truth": [0, 0, 1], "found": [0, 1, 1]}))
    assert values == {"one": (2.0, ()), "two": (2.0, ()), "three": (2.0, ())}
    assert sorted(asked) == ["end", "limit"]


def test_values_together_are_those_of_each_index_alone():
    rng = np.random.default_rng(3)
    inputs = prepare({"truth": rng.integers(0, 4, 60), "found": rng.integers(0, 5, 60)})
    entries = [find(name) for name in ("ARI", "AMI", "PSI", "belief_adjusted_rand", "credal_rand", "VI")]
    together, _ = values_of(entries, inputs)
    for entry in entries:
        collected = collect(entry.requests, inputs)
        assert together[entry.label] == entry.value_for(inputs, collected)


def test_a_request_is_found_again_in_another_process():
    request = Request(Contingency, (("metric", "cityblock"),))
    assert {request: 1}[pickle.loads(pickle.dumps(request))] == 1
    assert "_hash" not in vars(pickle.loads(pickle.dumps(request)))


@pytest.mark.parametrize("form", ["plain", "compiled"])
@pytest.mark.parametrize("d", [1, 3, 4, 7, 8, 13])
@pytest.mark.parametrize("apart", [0.5, 40.0], ids=["overlapping", "apart"])
def test_steps_of_em_at_any_number_of_features(d, apart, form):
    rng = np.random.default_rng(d)
    n, k = 1000, 2  # more than a block of each component, and not a whole number of them
    weights, means = np.array([0.3, 0.7]), apart * np.stack([-np.ones(d), rng.random(d)])
    X = means[(rng.random(n) < 0.7).astype(int)] + rng.normal(size=(n, d))
    roots = rng.normal(size=(k, d, d)) / (3 * np.sqrt(d)) + np.eye(d)
    covariances = roots @ roots.transpose(0, 2, 1)
    joint = np.stack(
        [w * multivariate_normal(m, c).pdf(X) for w, m, c in zip(weights, means, covariances, strict=True)]
    )
    shares, peaks, totals = np.empty((k, n)), np.empty(n), np.empty(n)
    columns = np.ascontiguousarray(X.T)
    given = expect.typed((columns, weights, means, covariances, shares, peaks, totals))
    assert getattr(expect, form)(*given)
    np.testing.assert_allclose(shares, joint / joint.sum(axis=0), rtol=1e-9, atol=1e-300)
    assert (shares.min() < NEGLIGIBLE) == (apart > 1)  # which are then left out of sums
    np.testing.assert_allclose(peaks + np.log(totals), np.log(joint.sum(axis=0)), rtol=1e-9, atol=1e-9)

    ridge, found = np.full(d, 1e-6), np.zeros((k, d, d))
    given = maximise.typed((columns, shares, ridge, (False, False), weights, means, found))
    getattr(maximise, form)(*given)
    for c in range(k):
        np.testing.assert_allclose(means[c], np.average(X, axis=0, weights=shares[c]), rtol=1e-9, atol=1e-12)
        expected = np.cov(X.T, aweights=shares[c], bias=True).reshape(d, d) + 1e-6 * np.eye(d)
        np.testing.assert_allclose(np.tril(found[c]), np.tril(expected), rtol=1e-9, atol=1e-12)
