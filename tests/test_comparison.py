"""compare and self_agreement: rows, what is left out, alignment, noise, frames, printing."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partita as pt
from partita.comparison import Comparison
from partita.errors import (
    AlignmentWarning,
    KindError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
)
from partita.indices import catalogue
from partita.lower_and_upper import USUAL
from partita.results import Table, show

TRUTH, FOUND = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
SOFT = [[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]
ROUGH = pt.RoughPartition([[True, False], [True, True]] * 3)
TWO_SIDED = {e.name for e in catalogue() if e.inputs == ("truth", "found")}
HARD_ONLY = {"adjusted_mutual_information", "prediction_strength", "generalized_centroid_index"}


def test_every_index_that_applies_is_there_and_equals_its_single_call():
    result = pt.compare(TRUTH, FOUND)
    assert {row.index for row in result} == TWO_SIDED
    assert result.left_out == ()
    for row in result:
        assert row.value == pt.indices.find(row.index)(TRUTH, FOUND)
        assert row.direction in ("higher", "lower", "none")
    assert result["ARI"] is result["adjusted_rand"]
    assert "grows with the number of clusters" in result["MI"].caveat


def test_what_does_not_apply_is_left_out_with_a_reason():
    soft = pt.compare(TRUTH, SOFT)
    assert {x.index for x in soft.left_out} == HARD_ONLY
    with pytest.raises(ParameterError, match="left out"):
        soft["AMI"]
    rough = pt.compare(TRUTH, ROUGH)
    defined = {n for n in TWO_SIDED if ROUGH.kind in pt.indices.find(n).kinds}
    assert {row.index for row in rough} == defined | set(USUAL)
    assert {x.index for x in rough.left_out} == TWO_SIDED - {row.index for row in rough}
    assert "harden()" in rough.left_out[0].reason
    assert "left out" in str(rough)


def test_named_indices_come_in_that_order_and_must_apply():
    result = pt.compare(TRUTH, FOUND, indices=["VI", "rand:pairs=ordered", pt.indices.nmi_max])
    assert [r.index for r in result] == ["variation_of_information", "rand:pairs=ordered", "nmi_max"]
    assert result["rand:pairs=ordered"].value == pt.indices.rand(TRUTH, FOUND, pairs="ordered")
    assert [r.index for r in pt.compare(TRUTH, FOUND, indices="ARI")] == ["adjusted_rand"]
    with pytest.raises(KindError):
        pt.compare(TRUTH, SOFT, indices=["AMI"])
    with pytest.raises(ParameterError, match="does not compare two"):
        pt.compare(TRUTH, FOUND, indices=["entropy"])
    with pytest.raises(pt.errors.UnknownNameError, match="adjusted_rand"):
        pt.compare(TRUTH, FOUND, indices=["adjusted_rnd"])
    with pytest.raises(KeyError):
        result["AMI"]


def test_undefined_rows_are_nan_with_a_reason_and_no_warning():
    result = pt.compare([0, 1, 2], [0, 0, 1])
    assert math.isnan(result["pair_recall"].value)
    assert result["pair_recall"].caveat == "truth has no pair together"
    with pytest.raises(pt.errors.UndefinedIndexError, match="pair together"):
        pt.compare([0, 1, 2], [0, 0, 1], on_undefined="raise", indices=["pair_recall"])


def test_frames_are_aligned_by_index_and_what_was_dropped_is_reported():
    truth = pd.Series(TRUTH, index=list("abcdef"))
    found = pd.Series(FOUND, index=list("abcdef")).sample(frac=1, random_state=0)
    assert pt.compare(truth, found)["ARI"].value == pt.indices.adjusted_rand(TRUTH, FOUND)
    fewer = found.drop(index=["a", "f"])
    result = pt.compare(truth, fewer)
    assert result.provenance["n"] == 4
    assert any("4 objects are in all inputs, 2 were left out" in note for note in result.notes)
    assert result["RI"].value == pt.indices.rand([0, 0, 1, 1], [0, 1, 1, 1])
    with pytest.warns(AlignmentWarning, match="2 were left out"):
        pt.indices.rand(truth, fewer)
    weights = pd.Series(range(1, 7), index=list("fedcba"))
    expected = pt.indices.rand([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[5, 4, 3, 2])
    assert pt.compare(truth, fewer, sample_weight=weights)["RI"].value == expected
    by_position = pt.indices.rand([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[2, 3, 4, 5])
    assert pt.compare(truth, fewer, sample_weight=[1, 2, 3, 4, 5, 6])["RI"].value == by_position


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        (pd.Series([0, 1], index=["a", "a"]), pd.Series([0, 1], index=["a", "b"])),
        (pd.Series([0, 1], index=["a", "b"]), pd.Series([0, 1], index=["c", "d"])),
        ([0, 1, 1], [0, 1]),
        (pd.Series([0, 1, 1]), np.array([0, 1])),
    ],
)
def test_objects_that_do_not_match_are_refused(truth, found):
    with pytest.raises(MismatchError) as caught:
        pt.compare(truth, found)
    assert caught.value.got
    assert caught.value.need


NOISY = [0, 0, -1, 1, 1, -1]


def test_noise_policies():
    clean = [0, 0, 0, 1, 1, 1]
    assert pt.compare(clean, NOISY)["RI"].value == pt.indices.rand(clean, ["a", "a", "z", "b", "b", "z"])
    alone = pt.compare(clean, NOISY, noise="singletons")
    assert alone["RI"].value == pt.indices.rand(clean, [0, 0, 2, 1, 1, 3])
    ignored = pt.compare(clean, NOISY, noise="ignore")
    assert ignored["RI"].value == 1.0
    assert ignored.provenance["coverage"] == pytest.approx(4 / 6)
    assert any("2 in found; coverage 66.7%" in note for note in ignored.notes)
    with pytest.raises(PartitionError, match="noise"):
        pt.compare(clean, NOISY, noise="raise")
    both = pt.compare([-1, 0, 0, 1, 1, 1], NOISY, noise="ignore")
    assert both.provenance["n"] == 3
    assert pt.compare(clean, clean, noise="raise")["RI"].value == 1.0


def test_nothing_but_noise_is_nan_with_a_reason_not_a_crash():
    for noise in ("cluster", "singletons"):
        assert pt.compare([0, 1], [-1, -1], noise=noise)["RI"].value in (0.0, 1.0)
    result = pt.compare([0, 1], [-1, -1], noise="ignore")
    assert all(math.isnan(row.value) for row in result)
    assert "every object is noise" in result["ARI"].caveat


def test_evidential_noise_cannot_become_singletons():
    masses = pt.as_partition({"mass": [[0.9, 0.1], [0.1, 0.9]], "F": [[0], [1]]})
    with pytest.raises(ParameterError, match="singletons"):
        pt.compare([0, 1], masses, noise="singletons")


@pytest.mark.parametrize(
    ("make", "frame_type"),
    [(pd.Series, pd.DataFrame), (pl.Series, pl.DataFrame), (lambda x: pa.chunked_array([x]), pa.Table)],
    ids=["pandas", "polars", "pyarrow"],
)
def test_frames_come_back_as_they_came(make, frame_type):
    frame = pt.compare(make(TRUTH), make(FOUND), indices=["ARI", "MI"]).to_frame()
    assert isinstance(frame, frame_type)
    as_pandas = frame if frame_type is pd.DataFrame else frame.to_pandas()
    columns = ["index", "symbol", "value", "best", "direction", "lower", "upper", "ci_low", "ci_high"]
    assert list(as_pandas.columns) == [*columns, "expected", "adjusted", "p", "caveat"]
    assert as_pandas["symbol"].tolist() == ["ARI", "MI"]
    assert as_pandas["p"].isna().all()


def test_arrays_give_pandas_and_an_empty_comparison_has_its_columns():
    assert isinstance(pt.compare(TRUTH, FOUND).to_frame(), pd.DataFrame)
    empty = pt.compare(TRUTH, ROUGH, indices=[]).to_frame()
    assert list(empty.columns)[:3] == ["index", "symbol", "value"]
    assert len(empty) == 0


def test_dictionaries_round_trip_through_strict_json():
    result = pt.compare([0, 1, 2], [0, 0, 1])
    text = result.write("json")
    data = json.loads(text, parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))
    back = Comparison.from_dict(data)
    assert str(back) == str(result)
    assert back.provenance == result.provenance
    assert back.left_out == result.left_out
    assert back["MI"].best == math.inf
    with pytest.raises(ParameterError):
        Comparison.from_dict({"result": "Validation"})


def test_results_are_frozen():
    result = pt.compare(TRUTH, FOUND)
    with pytest.raises(AttributeError):
        result.rows = ()
    with pytest.raises(AttributeError):
        result["ARI"].value = 0.0


def test_the_table_prints_well():
    text = str(pt.compare(TRUTH, SOFT, indices=sorted(TWO_SIDED - HARD_ONLY)))
    assert text.splitlines()[0] == "6 objects: hard truth (k=2), fuzzy found (k=2)"
    assert max(map(len, text.splitlines())) <= 110
    assert "p  " not in text.splitlines()[2]
    assert "] a fuzzy clustering does not score best against itself (see self_agreement)" in text
    assert repr(pt.compare(TRUTH, FOUND)) == str(pt.compare(TRUTH, FOUND))


def test_nothing_reaches_html_or_markdown_unescaped():
    evil = "<script>alert(1)</script>|`x`"
    table = Table(evil, ("a", evil), ((evil, 1.0),), (evil,))
    assert "<script>" not in table.html()
    assert "<script>" not in table.markdown()
    assert "\\|" in table.markdown().splitlines()[4]
    soft = pt.FuzzyPartition(SOFT, names=[evil, "b"])
    soft.note = evil
    assert "<script>" not in pt.compare(TRUTH, soft)._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345678, "0.1235"),
        (1.0, "1"),
        (88, "88"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (1e-7, "1e-07"),
        (None, ""),
    ],
)
def test_numbers_are_shown_as_a_reader_wants_them(value, text):
    assert show(value) == text


def test_unknown_formats_are_refused():
    with pytest.raises(ParameterError, match="format"):
        pt.compare(TRUTH, FOUND).write("pdf")


def test_self_agreement_is_the_ceiling():
    assert pt.self_agreement(TRUTH, "ARI") == 1.0
    ceiling = pt.self_agreement(SOFT, "NMI")
    assert 0 < ceiling < 1
    assert ceiling == pt.indices.nmi_sum(SOFT, SOFT)
    assert pt.self_agreement(SOFT, "rand", pairs="ordered") == pt.indices.rand(SOFT, SOFT, pairs="ordered")
    # by hand: hardening makes it look closer than it is to itself
    assert pt.indices.variation_of_information(SOFT, pt.FuzzyPartition(SOFT).harden()) < pt.self_agreement(
        SOFT, "VI"
    )


def test_lossy_steps_are_printed_with_the_result():
    hardened = pt.FuzzyPartition(SOFT).harden()
    assert any("hardened" in note for note in pt.compare(TRUTH, hardened).notes)


@pytest.mark.parametrize(
    "bad",
    [[], [None, 1, 1, 1, 1, 1], [0.5] * 6, [[1, 2], [3]], "labels", {1, 2}, 3, None, np.zeros((6, 2, 2))],
)
def test_garbage_is_a_partita_error(bad):
    for sides in ((TRUTH, bad), (bad, TRUTH)):
        with pytest.raises(PartitaError) as caught:
            pt.compare(*sides)
        assert caught.value.what
        assert caught.value.got
        assert caught.value.need


def test_sampled_values_are_told_from_exact_ones():
    rng = np.random.default_rng(0)
    U, V = rng.dirichlet([1, 1, 1], 60), rng.dirichlet([1, 1, 1], 60)
    assert pt.compare(U, V).provenance["method"] == "exact"
    asked = "coassociation_student_distance:method=sample,random_state=0"
    result = pt.compare(U, V, indices=[asked, "VI"])
    assert result.provenance["method"].startswith("sampled: coassociation_student_distance:method=sample")
    assert "sampled" in result[asked].caveat
    assert "sampled" not in result["VI"].caveat
