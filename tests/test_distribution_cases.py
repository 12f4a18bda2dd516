"""Budgets, and cases of `distribution` and `hausdorff` that once went wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

import partita as pt
from partita.errors import ParameterError, PartitaError

TINY = 1e-9


# --- time -------------------------------------------------------------------------------------------------


def test_a_budget_ends_with_certified_bounds():
    """Both sides rough, out of reach in a hundredth of a second: bounds that hold for completions drawn."""
    rng = np.random.default_rng(0)
    sides = [
        pt.RoughPartition((rng.random((80, 4)) < 0.5) | np.eye(4, dtype=bool)[rng.integers(0, 4, 80)])
        for _ in range(2)
    ]
    for spec in ("rand", "adjusted_rand", "variation_of_information", "classification_error"):
        result = pt.distribution(*sides, spec, budget_seconds=0.01)
        assert result.method in ("bound", "exact")
        drawn = pt.distribution(*sides, spec, method="sample", n_samples=200, random_state=0)
        assert result.lower_within[0] <= drawn.lower + TINY
        assert drawn.upper <= result.upper_within[1] + TINY
        assert result.lower == result.lower_within[0]
        assert result.upper == result.upper_within[1]


# --- cases that once went wrong ---------------------------------------------------------------------------


def as_rough(sets):
    possible = np.zeros((len(sets), 1 + max(map(max, sets))), dtype=bool)
    for row, members in zip(possible, sets, strict=True):
        row[members] = True
    return pt.RoughPartition(possible[:, possible.any(axis=0)])


def test_an_outer_bound_is_not_fooled_by_sums_that_no_table_has():
    """At corners with more pairs in cells than in rows and columns, jaccard has a pole."""
    truth = as_rough(
        [[0, 6 + i] for i in range(4)] + [[10 + i] for i in range(4)] + [[1, 14 + i] for i in range(3)]
        + [[2], [2], [2], [0, 2]]
    )  # fmt: skip
    found = as_rough(
        [[6 + i] for i in range(4)] + [[0, 10 + i] for i in range(4)] + [[1, 14 + i] for i in range(3)]
        + [[2], [2], [0, 3, 4], [4]]
    )  # fmt: skip
    exact = pt.distribution(truth, found, "jaccard")
    assert exact.method == "exact"
    bound = pt.distribution(truth, found, "jaccard", law=False)
    assert bound.lower_within[0] - TINY <= exact.lower <= bound.lower_within[1] + TINY
    assert bound.upper_within[0] - TINY <= exact.upper <= bound.upper_within[1] + TINY


def test_few_draws_of_a_rare_change_do_not_make_the_mean_certain():
    u = np.array([[0.99, 0.01], [1, 0], [1, 0], [0, 1], [0.01, 0.99], [0, 1]])
    truth = [0, 0, 0, 1, 1, 1]
    mean = pt.distribution(truth, u).mean
    for seed in range(20):
        drawn = pt.distribution(truth, u, method="sample", n_samples=31, random_state=seed)
        assert drawn.lower_within[0] <= mean <= drawn.lower_within[1]
        assert drawn.gap > 0.1


def test_levels_at_which_nothing_is_defined_are_left_out():
    typical = pt.PossibilisticPartition([[1, 0.5], [0.0, 1]])
    whole = pt.distribution([0, 0], typical, "pair_precision")
    assert (whole.lower, whole.upper) == (1.0, 1.0)
    for options in (
        {"law": False},
        {"method": "exact", "law": False},
        {"method": "sample", "random_state": 0},
    ):
        assert pt.distribution([0, 0], typical, "pair_precision", **options).lower == 1.0


@pytest.mark.parametrize("n", [1000, 1200])
def test_products_of_many_typicalities_do_not_vanish(n):
    u = np.zeros((n, 2))
    u[np.arange(n), np.arange(n) % 2] = 0.5
    u[0] = [0.5, 0.4]
    result = pt.distribution(np.arange(n) % 2, pt.PossibilisticPartition(u), tnorm="product")
    other = 1 - 2 * (n - 1) / (n * (n - 1)) if n else 0  # one object changes n - 1 pairs
    assert result.lower == pytest.approx(0.2 * 1 + 0.8 * other)
    assert result.upper == 1.0


def test_what_lukasiewicz_makes_impossible_is_impossible():
    """Five objects of typicality 0.8: 1 - 5 x 0.2 is zero, whatever rounding leaves."""
    result = pt.distribution(
        [0, 0, 1, 1, 1], pt.PossibilisticPartition([[0.8, 0]] * 2 + [[0, 0.8]] * 3), tnorm="lukasiewicz"
    )
    assert np.isnan(result.lower)
    assert any("possible" in note for note in result.notes)


def test_hausdorff_where_nothing_is_defined():
    nothing = pt.hausdorff([0, 1, 2], [0, 0, 0], "fowlkes_mallows")
    assert np.isnan(nothing.value)
    assert nothing.notes
    for bad in ("1", [1], 0, -1, float("nan"), True):
        with pytest.raises(ParameterError):
            pt.hausdorff([0, 1], [0, 1], budget_seconds=bad)
    with pytest.raises(PartitaError):
        pt.hausdorff([-1, -1], [-1, -1], noise="ignore")
    again = pt.SetDistance.from_dict(json.loads(json.dumps(pt.hausdorff([0, 1], [0, 0]).to_dict())))
    assert again.value == pt.hausdorff([0, 1], [0, 0]).value


# --- bounds that always answer ----------------------------------------------------------------------------


def evidence(n, seed):
    rng = np.random.default_rng(seed)
    sets = [{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}]
    return pt.EvidentialPartition(rng.dirichlet(np.full(6, 0.2), n), sets)


@pytest.mark.parametrize(
    "index", ["rand", "adjusted_rand", "variation_of_information", "classification_error"]
)
def test_bounds_of_evidence_contain_what_draws_show(index):
    """Confidence 1 - 1e-9 for each end of each of four indices."""
    truth, found = np.arange(60) % 3, evidence(60, 0)
    bound = pt.distribution(truth, found, index, method="bound")
    assert bound.method == "bound"
    drawn = pt.distribution(
        truth, found, index, method="sample", n_samples=400, confidence=1 - 1e-8, random_state=0
    )
    for certified, sampled in (
        (bound.lower_within, drawn.lower_within),
        (bound.upper_within, drawn.upper_within),
    ):
        assert certified[0] <= sampled[1]
        assert sampled[0] <= certified[1]
    assert bound.lower <= bound.upper


@pytest.mark.parametrize(
    "truth", [[0, 0, 1, 2], pytest.param([0, 0, 1, 1, 2], marks=pytest.mark.full)], ids=len
)
def test_bounds_of_evidence_contain_the_enumerated_expectations(truth, monkeypatch):
    found = evidence(len(truth), 1)
    for index in ("rand", "jaccard", "variation_of_information", "classification_error"):
        exact = pt.distribution(truth, found, index, method="exact")
        assert exact.method == "exact"
        with monkeypatch.context() as patched:
            patched.setattr("partita.distributional.evidential.MOST_FOCAL", 0)
            bound = pt.distribution(truth, found, index, method="bound")
        assert bound.lower_within[0] - TINY <= exact.lower <= bound.lower_within[1] + TINY
        assert bound.upper_within[0] - TINY <= exact.upper <= bound.upper_within[1] + TINY


def test_a_mean_without_a_closed_form_lies_between_its_ends():
    rng = np.random.default_rng(3)
    U, V = rng.dirichlet(np.full(3, 0.1), 40).round(2), rng.dirichlet(np.full(3, 0.1), 40).round(2)
    U, V = (side / side.sum(axis=1, keepdims=True) for side in (U, V))
    bound = pt.distribution(U, V, "adjusted_rand", method="bound")
    mean = pt.distribution(U, V, "adjusted_rand", method="sample", random_state=0).mean
    assert bound.method == "bound"
    assert bound.lower_within[0] <= mean <= bound.lower_within[1]
