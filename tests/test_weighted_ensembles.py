"""A law over hard clusterings (campagner2022, footnote 4): an ensemble with weights in `distribution`."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

import partita as pt
from partita.errors import KindError, MismatchError, ParameterError, TooLargeError
from reference import REFERENCE

TRUTH = [0, 0, 0, 1, 1, 2]
RUNS = [[0, 0, 0, 1, 1, 1], [5, 5, 5, 7, 7, 9], [0, 0, 1, 1, 2, 2], [1, 1, 1, 0, 0, 0]]
WEIGHTS = [0.4, 0.3, 0.2, 0.1]


def rand_of(a, b):
    pairs = list(combinations(range(len(a)), 2))
    return sum((a[i] == a[j]) == (b[i] == b[j]) for i, j in pairs) / len(pairs)


def by_value(values, weights):
    """Weights collected by value."""
    found: dict[float, float] = {}
    for value, weight in zip(values, weights, strict=True):
        found[round(value, 11)] = found.get(round(value, 11), 0.0) + weight
    return dict(sorted(found.items()))


def assert_law(result, expected):
    assert result.support == pytest.approx(list(expected))
    assert result.probabilities == pytest.approx(list(expected.values()))
    mean = sum(v * w for v, w in expected.items())
    assert result.mean == result.lower == result.upper == pytest.approx(mean)
    assert result.std == pytest.approx(math.sqrt(sum(w * (v - mean) ** 2 for v, w in expected.items())))
    assert result.method == "exact"


@pytest.mark.parametrize("turned", [False, True])
def test_an_ensemble_is_an_explicit_law(turned):
    ensemble = pt.Ensemble(RUNS, weights=WEIGHTS)
    sides = (ensemble, TRUTH) if turned else (TRUTH, ensemble)
    assert_law(pt.distribution(*sides, "rand"), by_value([rand_of(TRUTH, run) for run in RUNS], WEIGHTS))


def test_without_weights_each_counts_alike_and_counts_are_weights():
    values = [rand_of(TRUTH, run) for run in RUNS]
    assert_law(pt.distribution(TRUTH, pt.Ensemble(RUNS), "rand"), by_value(values, [0.25] * 4))
    counted = pt.Ensemble(RUNS, weights=[4, 3, 2, 1])
    assert counted.weights.tolist() == pytest.approx(WEIGHTS)
    assert_law(pt.distribution(TRUTH, counted, "rand"), by_value(values, WEIGHTS))
    repeated = pt.Ensemble([RUNS[0]] * 4 + [RUNS[1]] * 3 + [RUNS[2]] * 2 + [RUNS[3]])
    assert_law(pt.distribution(TRUTH, repeated, "rand"), by_value(values, WEIGHTS))


def test_two_ensembles_are_drawn_independently():
    one, other = pt.Ensemble(RUNS[:2], weights=[0.9, 0.1]), pt.Ensemble(RUNS, weights=WEIGHTS)
    pairs = list(product(zip(RUNS[:2], [0.9, 0.1], strict=True), zip(RUNS, WEIGHTS, strict=True)))
    expected = by_value([rand_of(a, b) for (a, _), (b, _) in pairs], [v * w for (_, v), (_, w) in pairs])
    assert_law(pt.distribution(one, other, "rand"), expected)


@pytest.mark.parametrize("index", ["adjusted_rand", "variation_of_information", "classification_error"])
def test_every_index_of_tables(index):
    def one_hot(labels):
        return np.eye(10)[labels]

    def by_definition(a, b):
        return float(REFERENCE[index](one_hot(a), one_hot(b)))

    result = pt.distribution(TRUTH, pt.Ensemble(RUNS, weights=WEIGHTS), index)
    assert_law(result, by_value([by_definition(TRUTH, run) for run in RUNS], WEIGHTS))


def test_against_a_fuzzy_clustering_the_laws_are_mixed():
    soft = [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0], [0.25, 0.75], [0.0, 1.0]]
    values, weights = [], []
    for run, weight in zip(RUNS, WEIGHTS, strict=True):
        for labels in product(range(2), repeat=6):
            chance = math.prod(soft[i][label] for i, label in enumerate(labels))
            if chance:
                values.append(rand_of(run, labels))
                weights.append(weight * chance)
    assert_law(pt.distribution(pt.Ensemble(RUNS, weights=WEIGHTS), soft, "rand"), by_value(values, weights))


def test_against_a_rough_clustering_each_member_has_an_interval():
    rough = pt.RoughPartition([{0}, {0}, {0, 1}, {1}, {1}, {0, 1}])
    result = pt.distribution(pt.Ensemble(RUNS, weights=WEIGHTS), rough, "rand")
    completions = list(product([0], [0], [0, 1], [1], [1], [0, 1]))
    ends = [[rand_of(run, labels) for labels in completions] for run in RUNS]
    assert result.measure == "belief"
    assert result.lower == pytest.approx(sum(w * min(v) for w, v in zip(WEIGHTS, ends, strict=True)))
    assert result.upper == pytest.approx(sum(w * max(v) for w, v in zip(WEIGHTS, ends, strict=True)))
    t = 0.6
    assert result.belief(t) == pytest.approx(
        sum(w for w, v in zip(WEIGHTS, ends, strict=True) if max(v) <= t)
    )


def test_what_is_no_law_is_refused():
    for weights, words in (
        ([1.0, 2.0], "weights"),
        ([1.0, -1.0, 1.0, 1.0], "weights"),
        ([0.0] * 4, "weights"),
        ([float("nan"), 1.0, 1.0, 1.0], "weights"),
        (["a"] * 4, "weights"),
    ):
        with pytest.raises(ParameterError, match=words):
            pt.Ensemble(RUNS, weights=weights)
    soft = pt.Ensemble([RUNS[0], [[0.5, 0.5]] * 6])
    with pytest.raises(KindError, match="hard") as caught:
        pt.distribution(TRUTH, soft, "rand")
    assert ".harden()" in caught.value.fix
    evidential = pt.EvidentialPartition([{(0,): 0.5, (0, 1): 0.5}] * 6)
    with pytest.raises(KindError, match="evidential"):
        pt.distribution(pt.Ensemble(RUNS), evidential, "rand")
    with pytest.raises(MismatchError):
        pt.distribution(TRUTH[:-1], pt.Ensemble(RUNS), "rand")
    many = pt.Ensemble([TRUTH] * 1500)
    with pytest.raises(TooLargeError, match="pairs"):
        pt.distribution(many, many, "rand")


def test_weights_are_not_dropped_in_silence():
    ensemble = pt.Ensemble(RUNS, weights=WEIGHTS)
    assert "weights" in repr(ensemble)
    for call in (pt.consensus, pt.consensus_index):
        with pytest.raises(ParameterError, match="weights"):
            call(ensemble)
    uniform = pt.Ensemble(RUNS, weights=[2, 2, 2, 2])
    assert pt.consensus_index(uniform).value == pt.consensus_index(pt.Ensemble(RUNS)).value


def test_noise_and_missing_labels_are_settled_for_all():
    runs = [[0, 0, -1, 1, 1, 1], [0, 0, 0, 1, 1, 1]]
    result = pt.distribution(TRUTH, pt.Ensemble(runs, weights=[1, 3]), "rand", noise="ignore")
    kept = [0, 1, 3, 4, 5]
    values = [rand_of([TRUTH[i] for i in kept], [run[i] for i in kept]) for run in runs]
    assert_law(result, by_value(values, [0.25, 0.75]))


def test_it_prints_and_is_read_again():
    result = pt.distribution(TRUTH, pt.Ensemble(RUNS, weights=WEIGHTS), "rand")
    assert "4 hard clusterings" in result.title
    assert "probability" in result.reading
    again = type(result).from_dict(result.to_dict())
    assert again.mean == result.mean
