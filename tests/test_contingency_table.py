"""The labelled table of two clusterings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import partita as pt
from partita.errors import KindError, TooLargeError

TRUTH, FOUND = ["a", "a", "b", "b", "b"], [1, 2, 2, 2, 5]


def test_it_counts_objects_by_both_names():
    table = pt.contingency(TRUTH, FOUND)
    pd.testing.assert_frame_equal(
        table, pd.crosstab(pd.Series(TRUTH, name="truth"), pd.Series(FOUND, name="found")), check_dtype=False
    )
    assert table.to_numpy().dtype.kind == "i"
    assert table.index.name == "truth"


def test_soft_mass_sums_to_the_objects():
    U = np.array([[0.9, 0.1], [0.4, 0.6], [0.0, 1.0], [0.5, 0.5], [0.2, 0.8]])
    table = pt.contingency(TRUTH, U)
    by_hand = [[1.3, 0.7], [0.7, 2.3]]
    np.testing.assert_allclose(table.to_numpy(), by_hand)
    np.testing.assert_allclose(pt.contingency(U, U).to_numpy(), U.T @ U)
    halved = pt.PossibilisticPartition(U / 2)
    np.testing.assert_allclose(pt.contingency(TRUTH, halved).to_numpy(), by_hand)  # lei2014 eq. 3


def test_weights_noise_and_alignment_are_those_of_compare():
    assert pt.contingency(TRUTH, FOUND, sample_weight=[2, 1, 1, 1, 3]).loc["b", 5] == 3
    noisy = [1, -1, 2, 2, 2]
    assert list(pt.contingency(TRUTH, noisy).columns) == [-1, 1, 2]
    assert pt.contingency(TRUTH, noisy, noise="ignore").to_numpy().sum() == 4
    truth = pd.Series(TRUTH, index=list("vwxyz"))
    shuffled = pd.Series(FOUND, index=list("vwxyz")).iloc[::-1]
    pd.testing.assert_frame_equal(pt.contingency(truth, shuffled), pt.contingency(TRUTH, FOUND))
    assert pt.contingency([0, 1], [-1, -1], noise="ignore").size == 0


def test_other_libraries_get_their_own_frames():
    polars = pt.contingency(pl.Series(TRUTH), pl.Series(FOUND))
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns == ["truth", "1", "2", "5"]
    assert polars["2"].to_list() == [1, 2]
    arrow = pt.contingency(pa.chunked_array([TRUTH]), FOUND)
    assert isinstance(arrow, pa.Table)
    assert arrow["truth"].to_pylist() == ["a", "b"]
    mixed = pt.contingency(pl.Series(TRUTH), ["truth", 1, "1", 1, 1])
    assert mixed.columns == ["truth", "found 1", "found '1'", "found 'truth'"]


def test_sets_of_clusters_have_no_single_table():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    with pytest.raises(KindError, match="no single table") as caught:
        pt.contingency([0, 0, 1], rough)
    assert "harden()" in caught.value.fix


def test_a_table_that_does_not_fit_is_refused_before_it_is_made():
    one_object = np.full((1, 100_000), 1e-5)
    with pytest.raises(TooLargeError, match="100000 x 100000 clusters"):
        pt.compare(one_object, one_object)
