"""`sample_weight="balanced"`: every true class counts the same."""

import math

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.errors import KindError, ParameterError
from partita.inputs import balanced_weights, prepare
from partita.partitions import HardPartition

TRUTH = list("aaaaaabbc")
FOUND = [0, 0, 0, 0, 1, 1, 1, 1, 2]


def test_every_class_weighs_the_same():
    weight = balanced_weights(HardPartition(TRUTH))
    assert weight.sum() == pytest.approx(len(TRUTH))
    by_class = pd.Series(weight).groupby(TRUTH).sum()
    np.testing.assert_allclose(by_class, 3.0)


@pytest.mark.parametrize("name", ["adjusted_rand", "nmi_sum", "purity", "variation_of_information"])
def test_balanced_is_the_weights_written_out(name):
    entry = pt.indices.find(name)
    by_hand = [9 / (3 * TRUTH.count(label)) for label in TRUTH]
    expected = entry(TRUTH, FOUND, sample_weight=by_hand)
    assert entry(TRUTH, FOUND, sample_weight="balanced") == pytest.approx(expected, rel=1e-14)
    result = pt.compare(TRUTH, FOUND, sample_weight="balanced", indices=[name])
    assert result[name].value == pytest.approx(expected, rel=1e-14)
    assert any("3 true classes" in note for note in result.notes)


def test_rates_of_a_table_do_not_see_how_large_a_class_is():
    """Homogeneity and such depend on shares only: a class repeated five times changes nothing."""
    more = [label for label in TRUTH for _ in range(5 if label == "a" else 1)]
    found = [code for label, code in zip(TRUTH, FOUND, strict=True) for _ in range(5 if label == "a" else 1)]
    for name in ("nmi_sum", "purity", "variation_of_information", "classification_error"):
        entry = pt.indices.find(name)
        few = entry(TRUTH, FOUND, sample_weight="balanced")
        assert entry(more, found, sample_weight="balanced") == pytest.approx(few, rel=1e-12)
        assert entry(more, found) != pytest.approx(entry(TRUTH, FOUND), rel=1e-3)


def test_classes_of_one_size_leave_everything_as_it_is_and_ami_has_a_value():
    truth, found = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]
    assert pt.indices.AMI(truth, found, sample_weight="balanced") == pt.indices.AMI(truth, found)


def test_ami_of_fractions_says_why_it_has_no_value():
    row = pt.compare(TRUTH, FOUND, sample_weight="balanced")["AMI"]
    assert math.isnan(row.value)
    assert "whole-number weights" in row.caveat


def test_noise_and_what_is_missing_are_settled_first():
    inputs = prepare(
        {"truth": [0, 0, 0, 1, -1, None], "found": [0, 0, 1, 1, 1, 1]},
        sample_weight="balanced",
        noise="ignore",
        missing="drop",
    )
    np.testing.assert_allclose(inputs.weight, [2 / 3, 2 / 3, 2 / 3, 2])
    kept = prepare({"truth": [0, 0, 0, 1, -1], "found": [0] * 5}, sample_weight="balanced")
    np.testing.assert_allclose(kept.weight, [5 / 9, 5 / 9, 5 / 9, 5 / 3, 5 / 3])


@pytest.mark.parametrize(
    ("call", "error", "parameter"),
    [
        (lambda: pt.compare([0, 1], [0, 1], sample_weight="balance"), ParameterError, "sample_weight"),
        (
            lambda: pt.compare([0, 1], [0, 1], sample_weight="balanced", noise="singletons"),
            ParameterError,
            "noise",
        ),
        (
            lambda: pt.validate([[0.0], [1.0], [5.0]], [0, 0, 1], sample_weight="balanced"),
            ParameterError,
            "sample_weight",
        ),
        (
            lambda: pt.indices.silhouette([[0.0], [1.0], [5.0]], [0, 0, 1], sample_weight="balanced"),
            ParameterError,
            "sample_weight",
        ),
        (
            lambda: pt.compare([[0.5, 0.5], [0.2, 0.8]], [0, 1], sample_weight="balanced"),
            KindError,
            None,
        ),
    ],
)
def test_what_cannot_be_balanced(call, error, parameter):
    with pytest.raises(error) as caught:
        call()
    assert caught.value.got
    assert caught.value.need
    assert parameter in (None, caught.value.parameter)


# --- a truth for some of the objects -------------------------------------------------------------------


def test_a_truth_of_fewer_objects_reports_its_coverage():
    found = pd.Series([0, 0, 1, 1, 1, 1], index=list("abcdef"))
    truth = pd.Series(["x", "x", "y"], index=list("fab"))
    result = pt.compare(truth, found, indices=["ARI"])
    assert result["ARI"].value == pt.indices.ARI(["x", "x", "y"], [1, 0, 0])
    assert result.provenance["coverage"] == 0.5
    assert any("truth covers 3 of the 6 objects" in note for note in result.notes)
    whole = pt.compare(found, truth, indices=["ARI"])
    assert whole.provenance["coverage"] == 1.0  # every object of found has a truth


def test_coverages_of_alignment_missing_labels_and_noise_multiply():
    found = pd.Series([0, 0, 1, 1, 1, 1, 1, -1], index=list("abcdefgh"))
    truth = pd.Series(["x", None, "y", "y"], index=list("acgh"))
    result = pt.compare(truth, found, indices=["ARI"], missing="drop", noise="ignore")
    assert result.provenance["n"] == 2
    assert result.provenance["coverage"] == pytest.approx(4 / 8 * 3 / 4 * 2 / 3)


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        ([None, None], [0, 1]),
        ([None, 1], [1, None]),
        (pd.Series([0, 1], index=["p", "q"]), pd.Series([0, 1], index=["a", "b"])),
    ],
)
def test_a_truth_that_covers_nothing(truth, found):
    with pytest.raises(pt.errors.MismatchError) as caught:
        pt.compare(truth, found, missing="drop")
    assert caught.value.got
    assert caught.value.need
