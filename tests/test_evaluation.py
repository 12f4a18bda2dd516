"""The one way from indices and inputs to rows: what applies, what is left out, what is shared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.mixture import GaussianMixture

import partita as pt
from partita import evaluation
from partita.errors import KindError, ParameterError, UndefinedIndexError
from partita.evaluation import HARDENED, demand_values, judge, plan, score, values_of
from partita.fits import fit_scores
from partita.inputs import prepare
from partita.registry import find

X = np.random.default_rng(0).normal(size=(40, 2)) + 5.0 * (np.arange(40) % 2)[:, None]
HARD = np.arange(40) % 2
SOFT = np.column_stack([0.9 - 0.8 * HARD, 0.1 + 0.8 * HARD])
HARD_ONLY, ANY = find("dunn"), find("calinski_harabasz")


def given(found=SOFT, **more):
    return prepare({"X": X, "found": found, **more})


def test_what_does_not_apply_is_left_out_with_its_reason_or_raises():
    made = plan([HARD_ONLY, ANY, find("bic")], given(), strict=False)
    assert [one.entry for one in made.assignments] == [ANY]
    reasons = {left.index: left.reason for left in made.left_out}
    assert "not defined for fuzzy" in reasons["dunn"]
    assert "Gaussian mixture" in reasons["bic"]
    with pytest.raises(KindError):
        plan([HARD_ONLY], given())
    with pytest.raises(ParameterError, match="bic cannot be computed here"):
        plan([find("bic")], given())


def test_hardened_labels_are_judged_where_an_index_knows_no_others_and_it_is_said():
    rows = judge(plan([HARD_ONLY, ANY], given(), hardens=True)).rows
    assert [HARDENED in row.caveats for row in rows] == [True, False]
    assert rows[0].value == HARD_ONLY(X, HARD)
    assert rows[1].value == ANY(X, SOFT) != ANY(X, HARD)


def test_nothing_is_hardened_that_is_judged_as_it_is(monkeypatch):
    monkeypatch.setattr(pt.FuzzyPartition, "harden", lambda _: pytest.fail("hardened"))
    inputs = prepare({"truth": SOFT, "found": SOFT})
    assert judge(plan([find("rand"), find("VI")], inputs, hardens=True)).rows


def test_on_one_scale_every_index_of_the_data_sees_hard_labels():
    entries = [HARD_ONLY, ANY, find("partition_coefficient")]
    rows = judge(plan(entries, given(), one_scale=True)).rows
    assert [HARDENED in row.caveats for row in rows] == [True, True, False]
    assert rows[1].value == ANY(X, HARD)


def test_costly_indices_are_left_out_with_their_cost():
    made = plan([HARD_ONLY, ANY], given(HARD), strict=False, most_pairs=10)
    assert [left.index for left in made.left_out] == ["dunn"]
    assert made.left_out[0].cost.endswith("pair operations")


def test_an_index_sees_only_the_clusterings_that_it_takes():
    inputs = prepare({"X": X, "truth": HARD, "found": SOFT})
    rows = judge(plan([ANY, find("rand"), find("partition_coefficient")], inputs)).rows
    expected = [ANY(X, SOFT), find("rand")(HARD, SOFT), find("partition_coefficient")(SOFT)]
    assert [row.value for row in rows] == expected


def test_distances_serve_no_other_metric():
    distances = np.abs(X[:, :1] - X[:, 0])
    inputs = prepare({"X": distances, "found": HARD}, metric="precomputed")
    left = plan([find("silhouette"), ANY], inputs, strict=False).left_out
    assert [one.index for one in left] == ["silhouette", "calinski_harabasz"]
    assert plan([find("silhouette:metric=precomputed")], inputs).assignments


def test_indices_of_the_same_inputs_are_collected_together(monkeypatch):
    passes = []
    monkeypatch.setattr(evaluation, "collect", lambda *a, of=evaluation.collect: passes.append(1) or of(*a))
    judge(plan([ANY, find("davies_bouldin"), find("ssw")], given(HARD)))
    assert len(passes) == 1


def test_kinds_without_a_value_give_nan_beside_others():
    values, statistics = values_of([HARD_ONLY, ANY], given())
    assert math.isnan(values["dunn"][0])
    assert values[ANY.label][0] == ANY(X, SOFT)
    assert len(statistics) == 1


def test_values_are_demanded_only_where_that_is_asked_for():
    rows = judge(plan([ANY], given(np.zeros(40, int)))).rows
    demand_values(rows, "nan")
    with pytest.raises(UndefinedIndexError, match="only one cluster"):
        demand_values(rows, "raise")


def test_one_score_is_one_row():
    row = score(find("ARI"), {"X": X, "truth": HARD, "found": HARD, "model": None})
    assert (row.index, row.value) == ("adjusted_rand", 1.0)


class CountingMixture(GaussianMixture):
    """A mixture that tells how often it was asked for memberships."""

    asked = 0

    def predict_proba(self, X):
        type(self).asked += 1
        return super().predict_proba(X)


def test_a_sweep_prepares_each_fit_once_and_asks_a_mixture_once(monkeypatch):
    prepared = []
    monkeypatch.setattr(fit_scores, "prepare", lambda *a, of=prepare, **k: prepared.append(1) or of(*a, **k))
    CountingMixture.asked = 0
    options = {"truth": HARD, "random_state": 0, "n_jobs": 1, "structure": False, "n_splits": 0}
    pt.choose_k(
        X, CountingMixture(), [2, 3], n_runs=2, indices=["bic", "calinski_harabasz", "ARI"], **options
    )
    assert len(prepared) == CountingMixture.asked == 4
