"""Where results come from: one record for all procedures, and one that JSON can hold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.distributional.completion_sets import hausdorff
from partita.results.provenance import provenance

RNG = np.random.default_rng(5)
X = RNG.normal(size=(24, 2)) + 6.0 * (np.arange(24) % 2)[:, None]
LABELS, OTHER = np.arange(24) % 2, np.arange(24) % 3
FUZZY = pt.FuzzyPartition(RNG.dirichlet([1.0, 1.0], 24))
ROUGH = pt.RoughPartition(np.eye(2, dtype=bool)[LABELS] | (np.arange(24) < 3)[:, None])

RESULTS = {
    "compare": lambda: pt.compare(LABELS, OTHER),
    "compare rough": lambda: pt.compare(LABELS, ROUGH),
    "validate": lambda: pt.validate(X, LABELS, indices=["CH", "silhouette:sample_size=10"]),
    "side by side": lambda: pt.validate(X, {"two": LABELS, 3: FUZZY}, indices=["CH"]),
    "align": lambda: pt.align(LABELS, OTHER),
    "consensus_index": lambda: pt.consensus_index([LABELS, OTHER, LABELS], ["ARI", "VI"]),
    "distribution": lambda: pt.distribution(LABELS, ROUGH, random_state=3),
    "distribution, generator": lambda: pt.distribution(
        LABELS, FUZZY, method="sample", n_samples=20, random_state=np.random.default_rng(1)
    ),
    "hausdorff": lambda: hausdorff(LABELS, ROUGH, random_state=3),
    "choose_k": lambda: pt.choose_k(X, ks=range(1, 4), n_runs=1, indices=["CH"], random_state=3),
    "choose_k, stepwise": lambda: pt.choose_k(
        X, ks=range(1, 4), n_runs=1, indices=["CH"], search="stepwise", random_state=3
    ),
    "stability": lambda: pt.stability(X, ks=[2], n_repeats=np.int64(2), random_state=3),
    "structure": lambda: pt.selection.structure(X, n_null=3, random_state=3),
}
SEEDED = {"distribution", "hausdorff", "choose_k", "choose_k, stepwise", "stability", "structure"}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_tells_version_objects_and_seed_in_what_json_can_hold(name):
    told = RESULTS[name]().provenance
    assert (told["partita"], told["n"]) == (pt.__version__, 24)
    assert "d" in told or "kinds" in told
    assert (told.get("seed") == 3) == (name in SEEDED)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_written_as_json(name):
    result = RESULTS[name]()
    assert json.loads(result.write("json"), parse_constant=pytest.fail)["provenance"] == result.provenance


def test_each_row_has_its_method_and_no_other_row_s():
    result = RESULTS["validate"]()
    sampled = "silhouette:sample_size=10"
    assert result.provenance["methods"] == {"calinski_harabasz": "exact", sampled: "sampled"}
    assert result.provenance["method"] == f"sampled: {sampled}; the rest exact"
    assert set(RESULTS["side by side"]().provenance["methods"]) == {"two", "3"}
    spread = RESULTS["distribution"]()
    assert spread.provenance["methods"] == {row["quantity"]: row["method"] for row in spread.records()}


facts = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
    | st.sampled_from([np.float64(0.5), np.int64(3), np.bool_(True), range(2), len, pt.RoughPartition]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers() | st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["ks", "noise", "estimator", "scheme"]), facts))
def test_any_fact_is_told_so_that_json_can_hold_it(told):
    made = provenance(X, **told)
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert set(made) == {"partita", "n", "d", *(name for name, fact in told.items() if fact is not None)}
