"""Silhouettes of objects and of clusters: which object each value belongs to."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.mixture import GaussianMixture

import partita as pt
from partita.errors import AlignmentWarning, KindError, MismatchError, ParameterError
from partita.indices.silhouettes import cluster_silhouettes, silhouette_samples


def test_a_frame_and_a_series_are_aligned_by_index():
    data = pd.DataFrame({"x": [5.0, 0.0, 1.0]}, index=list("cab"))
    labels = pd.Series([0, 0, 1], index=list("abc"))
    assert silhouette_samples(data, labels).tolist() == pytest.approx([0.0, 0.8, 0.75])
    assert cluster_silhouettes(data, labels) == pytest.approx({0: 0.775, 1: 0.0})
    assert silhouette_samples(data, labels).mean() == pytest.approx(pt.indices.silhouette(data, labels))
    weight = pd.Series([2, 1, 1], index=list("cba"))  # the object c counts twice, and is not alone any more
    assert silhouette_samples(data, labels, sample_weight=weight)[0] == 1.0


def test_objects_of_one_side_only_have_no_silhouette():
    data = pd.DataFrame({"x": [5.0, 7.0, 0.0, 1.0]}, index=list("czab"))
    labels = pd.Series([0, 0, 1, 1], index=list("abcy"))
    with pytest.warns(AlignmentWarning, match="3 objects are in all inputs, 2 were left out"):
        values = silhouette_samples(data, labels)
    assert values.tolist() == pytest.approx([0.0, math.nan, 0.8, 0.75], nan_ok=True)
    with pytest.raises(MismatchError):
        silhouette_samples(data, pd.Series([0, 1], index=["u", "v"]))
    weight = pd.Series([0, 1, 0, 0], index=list("czab"))  # only z counts, and z has no label
    with pytest.raises(ParameterError, match="weight"):
        silhouette_samples(data, labels, sample_weight=weight)


def test_a_fitted_model_and_memberships():
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    model = GaussianMixture(2, random_state=0, reg_covar=1.0).fit(X)
    with pytest.raises(KindError):
        silhouette_samples(X, model)  # never hardened in silence
    for metric in (["euclidean"], np.zeros(2), None, "no"):
        with pytest.raises(ParameterError, match="metric"):
            silhouette_samples(X, [0, 0, 1, 1], metric=metric)


@given(st.integers(0, 10**6), st.integers(4, 12), st.booleans())
@settings(max_examples=60, deadline=None)
def test_values_follow_their_objects(seed, n, are_distances):
    """Whatever the order and whatever else the inputs hold, objects have the values that they had alone."""
    rng = np.random.default_rng(seed)
    labels = pd.Series(rng.integers(0, 3, n), index=rng.permutation(n) + 10 * np.arange(n) // 6)
    labels = labels[~labels.index.duplicated()]
    rows = rng.permutation(np.unique(np.concatenate([labels.index.to_numpy(), rng.integers(0, 40, 3)])))
    X = pd.DataFrame(rng.integers(-5, 6, (rows.size, 2)).astype(float), index=rows)
    labels = labels[rng.random(len(labels)) < 0.9]
    both = [i for i in rows if i in labels.index]
    if not 2 <= labels[both].nunique() < len(both):
        return
    D = pd.DataFrame(metrics.pairwise_distances(X), index=rows)
    given = {"X": D, "metric": "precomputed"} if are_distances else {"X": X}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        ours = pd.Series(silhouette_samples(found=labels, **given), index=rows)
        mean = pt.indices.silhouette(found=labels, **given)
    theirs = pd.Series(metrics.silhouette_samples(X.loc[both], labels[both]), index=both)
    assert ours.to_numpy() == pytest.approx(theirs.reindex(rows).to_numpy(), nan_ok=True, abs=1e-9)
    assert ours.mean() == pytest.approx(mean, abs=1e-12)
