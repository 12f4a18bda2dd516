"""Every estimator of partita.cluster, held to what scikit-learn asks of one and to what the room promises."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import partita as pt
from odd_data import IRIS, ODD, REFUSED
from partita import cluster
from partita.errors import PartitaError, PartitaWarning
from partita.partitions import Partition

CLASSES = [getattr(cluster, name) for name in cluster.__all__ if isinstance(getattr(cluster, name), type)]
NEED_BINARY = {cluster.StochasticComplexityClustering: {"binarize": 0.0, "n_init": 3, "max_swaps": 20}}
ESTIMATORS = [made(**NEED_BINARY.get(made, {})) for made in CLASSES]


@pytest.mark.filterwarnings("ignore::partita.errors.PartitaWarning")
@parametrize_with_checks(ESTIMATORS)
@pytest.mark.usefixtures("compiled")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# --- what the room promises -----------------------------------------------------------------------------

BINARY = (np.median(IRIS, axis=0) < IRIS).astype(float)
KINDS = {
    "EvidentialCMeans": "evidential",
    "FuzzyCMeans": "fuzzy",
    "GaussianMixtureEM": "fuzzy",
    "MaxEntropyMemberships": "fuzzy",
    "MergedMixture": "fuzzy",
    "PossibilisticCMeans": "possibilistic",
    "RoughKMeans": "rough",
}
FROM_CENTRES = [  # of as many clusters as they are asked for
    made
    for made in CLASSES
    if "array-like" in made._parameter_constraints.get("init", ()) and made is not cluster.XMeans
]
every = pytest.mark.parametrize("made", CLASSES, ids=lambda made: made.__name__)


def data_for(made, X=IRIS):
    return BINARY if made is cluster.StochasticComplexityClustering else X


def fitted(made, X, **options):
    """A fit that may warn, but only in partita's name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = made(**{**NEED_BINARY.get(made, {}), **options})
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(X)
    assert all(issubclass(w.category, PartitaWarning) for w in caught), [str(w.message) for w in caught]
    return model


def assert_usable(model, n):
    assert isinstance(model.partition_, Partition)
    assert model.partition_.n_objects == n
    assert model.labels_.shape == (n,)
    assert model.labels_.dtype == np.int64
    assert np.isfinite(model.objective_)
    assert model.n_iter_ >= 0
    for name in ("memberships_", "masses_", "typicalities_", "cluster_centers_"):
        assert np.isfinite(getattr(model, name, 0.0)).all(), name


@every
def test_what_every_fit_leaves(made):
    model = fitted(made, data_for(made), n_clusters=3)
    assert_usable(model, 150)
    assert model.partition_.kind.value == KINDS.get(made.__name__, "hard")
    assert pt.as_partition(model) is model.partition_
    assert (model.predict(data_for(made)) == model.labels_).mean() > 0.9


@every
def test_the_same_seed_gives_the_same_bits_for_any_number_of_jobs(made):
    options = [{}, {"n_jobs": 2, "n_init": 3}, {"n_jobs": 1, "n_init": 3}]
    known = made().get_params()
    fits = [
        fitted(made, data_for(made), n_clusters=3, **{k: v for k, v in more.items() if k in known})
        for more in [{}, *options]
    ]
    for one, other in ((fits[0], fits[1]), (fits[2], fits[3])):
        assert one.objective_ == other.objective_
        np.testing.assert_array_equal(one.labels_, other.labels_)
        if hasattr(one, "cluster_centers_"):
            np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)


@every
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(made, library):
    X = data_for(made)
    columns = {f"x{i}": column for i, column in enumerate(X.T)}
    index = [f"object {i}" for i in range(150)]
    frame = {
        "pandas": lambda: pd.DataFrame(columns, index=index),
        "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns),
    }[library]()
    model, plain = fitted(made, frame, n_clusters=3), fitted(made, X, n_clusters=3)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert list(model.feature_names_in_) == list(columns)
    assert model.partition_.frame == library
    assert model.partition_.index is None if library != "pandas" else list(model.partition_.index) == index


@every
@pytest.mark.usefixtures("compiled")
def test_a_fit_can_be_judged(made):
    X = data_for(made)
    model = fitted(made, X, n_clusters=3)
    assert len(pt.validate(X, model, indices=["silhouette", "CH"])) == 2
    assert len(pt.compare(np.repeat([0, 1, 2], 50), model)) > 0


@every
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("k", [1, 3])
def test_odd_data_give_a_usable_fit(made, name, k):
    X = ODD[name]
    assert_usable(fitted(made, X, n_clusters=k), len(X))
    if made in FROM_CENTRES and k == 3:
        assert_usable(fitted(made, X, n_clusters=k, init=np.asarray(X, dtype=float)[:k]), len(X))


@every
def test_one_object_is_one_cluster(made):
    model = fitted(made, [[1.0, 0.0]], n_clusters=1)
    assert_usable(model, 1)
    assert getattr(model, "cluster_centers_", np.array([[1.0, 0.0]])).tolist() == [[1.0, 0.0]]


@st.composite
def odd_data(draw):
    """Features of any scale, constant, of few values, of ties and outliers; objects that come twice."""
    n, d = draw(st.integers(3, 14)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scales = st.sampled_from([5e-324, 1e-310, 1e-300, 1e-160, 1e-100, 1e-8, 1.0, 1e8, 1e90, 1e100, 1e140])
    columns = []
    for _ in range(d):
        kind = draw(st.sampled_from(["normal", "whole", "constant", "few", "outlier", "far"]))
        column = {
            "normal": lambda: rng.normal(size=n),
            "whole": lambda: rng.integers(-2, 3, n).astype(float),
            "constant": lambda: np.full(n, rng.normal()),
            "few": lambda: rng.integers(0, 2, n).astype(float),
            "outlier": lambda: np.append(rng.normal(size=n - 1), 1e6),
            "far": lambda: 1e9 + rng.normal(size=n),
        }[kind]()
        columns.append(column * draw(scales))
    X = np.column_stack(columns)
    return X[rng.integers(n, size=n)] if draw(st.booleans()) else X


@every
@given(X=odd_data(), k=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_any_data_give_a_usable_fit_without_foreign_warnings(made, X, k):
    model = fitted(made, X, n_clusters=k)
    assert_usable(model, len(X))
    assert model.predict(X).max() < max(k, len(getattr(model, "cluster_centers_", ())))


@every
@pytest.mark.parametrize(("X", "error", "problem"), REFUSED.values(), ids=REFUSED)
def test_bad_data_are_refused(made, X, error, problem):
    with pytest.raises(error, match=problem):
        fitted(made, X, n_clusters=3)


@every
def test_new_data_must_have_the_features_of_the_fit(made):
    model = fitted(made, data_for(made), n_clusters=2)
    with pytest.raises(ValueError, match="4 features"):
        model.predict(data_for(made)[:, :2])


# --- parameters --------------------------------------------------------------------------------------------

NO_PARAMETER_TAKES = {
    "True": True,
    "False": False,
    "NumPy's True": np.True_,
    "nan": float("nan"),
    "inf": float("inf"),
    "minus inf": -float("inf"),
    "a word": "zzz",
    "no word": "",
    "bytes": b"x",
    "a list": [1, 2],
    "a list of None": [None],
    "rows of two lengths": [[1.0, 2.0], [3.0]],
    "words": np.array(["a", "b"]),
    "an array with nan": np.full((2, 4), np.nan),
    "a number as an array": np.array(2),
    "a tuple": (1, 2),
    "a dictionary": {"a": 1},
    "a set": {1, 2},
    "a complex number": 2j,
    "a function": len,
    "an object": object(),
    "a number of 400 digits": 10**400,
    "minus that": -(10**400),
}


@every
@pytest.mark.parametrize("value", NO_PARAMETER_TAKES.values(), ids=NO_PARAMETER_TAKES)
def test_odd_parameters_are_refused_by_name(made, value):
    usual = {"n_clusters": 2, **NEED_BINARY.get(made, {})}
    for name in made().get_params():
        model = made(**{**usual, name: value})
        with pytest.raises(PartitaError, match=name) as caught:
            model.fit(data_for(made))
        assert isinstance(caught.value, ValueError)


@every
def test_no_workers_are_refused(made):
    if "n_jobs" in made().get_params():
        with pytest.raises(PartitaError, match="n_jobs"):
            made(n_jobs=0).fit(data_for(made))


@every
def test_whole_numbers_of_numpy_are_numbers(made):
    expected = fitted(made, data_for(made), n_clusters=2)
    assert (fitted(made, data_for(made), n_clusters=np.int32(2)).labels_ == expected.labels_).all()


@pytest.mark.parametrize("value", [True, 2.0, "2", None, [2], 0, 151, 10**400])
def test_odd_parameters_of_ward_are_refused(value):
    with pytest.raises(PartitaError, match="n_clusters" if value is not None else "clusters"):
        cluster.ward_partition(IRIS, value)
    with pytest.raises(PartitaError, match="reassign"):
        cluster.ward_partition(IRIS, 2, reassign=1)


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_two_columns_of_one_name_are_refused(library):
    frame = pd.DataFrame(IRIS[:, :2], columns=["a", "a"])
    given = frame if library == "pandas" else pa.table([IRIS[:, 0], IRIS[:, 1]], names=["a", "a"])
    with pytest.raises(pt.errors.ParameterError, match="two columns of the frame have the same name"):
        cluster.RandomSwap(2, random_state=0).fit(given)
    fitted = cluster.RandomSwap(2, random_state=0).fit(frame.set_axis(["a", "b"], axis=1))
    with pytest.raises(pt.errors.ParameterError, match="two columns of the frame have the same name"):
        fitted.predict(given)
