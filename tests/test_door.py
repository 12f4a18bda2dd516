"""The door: what describes a clustering comes in, and all else is refused in our own words."""

import datetime as dt
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, KMeans, SpectralCoclustering
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partita.arrays import COMPILED_FROM
from partita.errors import KindError, ParameterError, PartitaError, PartitionError, UnknownNameError
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, HardPartition, as_partition
from strategies import evidential, fuzzy, hard, partitions, possibilistic, rough

HALVES = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
POSSIBLE = np.array([[True, True], [False, True], [True, False]])
X = np.vstack([np.arange(10), np.arange(10) % 3]).T + np.repeat([[0.0], [50.0]], 5, axis=0)


def objects(*items):
    return np.fromiter(items, dtype=object, count=len(items))


# --- labels ----------------------------------------------------------------------------------------------

LABELS = {
    "list of int": [3, 5, 3],
    "tuple": (3, 5, 3),
    "range": range(3),
    "strings": ["b", "a", "b"],
    "bytes": [b"b", b"a", b"b"],
    "bools": [True, False, True],
    "whole floats": [3.0, 5.0, 3.0],
    "int and float": [3, 5.0, 3],
    "numpy scalars": [np.int8(3), np.int64(5), 3],
    "dates": [dt.date(2020, 1, 2), dt.date(2020, 1, 1), dt.date(2020, 1, 2)],
    "decimals": [Decimal("1.5"), Decimal("0.5"), Decimal("1.5")],
    "fractions": [Fraction(1, 2), Fraction(1, 3), Fraction(1, 2)],
    "a tuple among others": [(1, 2), "x", (1, 2)],
    "durations in a list": [np.timedelta64(x, "s") for x in (5, -1, 5)],
    "tuples of mixed": [("a", 1), ("b", 2), ("a", 1)],
    "huge integers": [2**70, 1, 2**70],
    "object array": objects("x", 1, "x"),
    "object array of tuples": objects((1, 2), (3, 4), (1, 2)),
    "string array": np.array(["b", "a", "b"]),
    "variable width strings": np.array(["b", "a", "b"], dtype=np.dtypes.StringDType()),
    "bytes array": np.array([b"b", b"a", b"b"]),
    "bool array": np.array([True, False, True]),
    "days": np.array(["2020-01-02", "2020-01-01", "2020-01-02"], dtype="M8[D]"),
    "nanoseconds": np.array([5, -1, 5], dtype="M8[ns]"),
    "durations": np.array([5, -1, 5], dtype="m8[ns]"),
    "big endian": np.array([3, 5, 3], dtype=">i4"),
    "strided": np.array([3, 0, 5, 0, 3])[::2],
    "large unsigned": np.array([2**63 + 1, 1, 2**63 + 1], dtype=np.uint64),
    "unmasked": np.ma.array([3, 5, 3], mask=False),
}
LABELS |= {np.dtype(c).name: np.array([3, 5, 3], dtype=c) for c in "bhilBHILefdg"}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_of_every_type(labels):
    partition = as_partition(labels)
    assert partition.kind is HARD
    given_labels = list(labels)
    same = [[a == b for b in given_labels] for a in given_labels]
    assert (partition.codes[:, None] == partition.codes[None, :]).tolist() == same
    assert partition.noise_mask is None
    assert [partition.names[c] for c in partition.codes] == given_labels


def test_an_iterator_is_read_once():
    assert as_partition(iter("abca")).labels.tolist() == ["a", "b", "c", "a"]


def test_one_and_the_text_one_stay_apart():
    for labels in ([1, "1", 1], objects(1, "1", 1), pd.Series([1, "1", 1], dtype=object)):
        partition = as_partition(labels)
        assert partition.names == (1, "1")
        assert partition.codes.tolist() == [0, 1, 0]


def test_the_order_of_names_does_not_depend_on_the_order_of_objects():
    a, b, c = 1j, 2j, "c"
    assert as_partition([a, b, c]).names == as_partition([c, b, a]).names


def test_labels_with_declared_names():
    partition = as_partition(["a", "b"], names=["c", "b", "a"])
    assert partition.names == ("c", "b", "a")
    assert partition.sizes.tolist() == [0, 1, 1]
    assert as_partition([7, 5], names=[5, 6, 7]).sizes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "kind", ["hard", "fuzzy", "probabilistic", "possibilistic", "rough", "evidential", "crisp"]
)
def test_labels_as_a_kind(kind):
    partition = as_partition(["a", "b", "a"], kind)
    assert partition.to("hard").labels.tolist() == ["a", "b", "a"]


@given(partitions())
def test_partitions_pass_untouched(partition):
    assert as_partition(partition) is partition
    assert as_partition(partition, partition.kind) is partition


@given(hard())
def test_labels_come_back(partition):
    assert as_partition(partition.labels, names=partition.names).labels.tolist() == partition.labels.tolist()
    if not all(
        isinstance(label, tuple) for label in partition.labels
    ):  # tuples of numbers alone are a matrix
        assert as_partition(partition.labels.tolist()).equivalent(partition)


# --- matrices --------------------------------------------------------------------------------------------


@given(st.one_of(fuzzy(), possibilistic(), rough()))
def test_matrices_come_back_by_kind(partition):
    values = partition.possible if partition.kind is ROUGH else partition.memberships()
    for form in (
        values,
        values.tolist(),
        np.asfortranarray(values),
        sp.csr_array(values),
        sp.coo_matrix(values),
    ):
        again = as_partition(form, partition.kind)
        assert again.kind is partition.kind
        assert again.equivalent(partition)


@given(fuzzy())
def test_the_most_specific_kind_is_taken(partition):
    values = partition.memberships()
    one_hot = np.isin(values, (0, 1)).all()
    assert as_partition(values).kind is (HARD if one_hot else FUZZY)
    assert as_partition(values).equivalent(partition)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, ">f8", ">f4", object])
def test_memberships_of_every_precision(dtype):
    thirds = np.array([[1, 2], [2, 1]]) / 3
    partition = as_partition(thirds.astype(dtype))
    assert partition.kind is FUZZY
    np.testing.assert_allclose(np.asarray(partition.memberships(), dtype=float), thirds, atol=1e-3)


MATRIX_FORMS = {
    "list": HALVES.tolist(),
    "tuples": [tuple(row) for row in HALVES.tolist()],
    "rows": list(HALVES),
    "fortran": np.asfortranarray(HALVES),
    "reversed": HALVES[::-1][::-1],
    "strided": np.repeat(HALVES, 2, axis=1)[:, ::2],
    "matrix": np.asmatrix(HALVES),
    "unmasked": np.ma.array(HALVES, mask=False),
    "csr": sp.csr_array(HALVES),
    "csc": sp.csc_array(HALVES),
    "coo": sp.coo_array(HALVES),
    "csr_matrix": sp.csr_matrix(HALVES),
    "lil": sp.lil_array(HALVES),
    "single csr": sp.csr_array(HALVES.astype(np.float32)),
}


@pytest.mark.parametrize("form", MATRIX_FORMS.values(), ids=MATRIX_FORMS)
def test_memberships_in_every_form(form):
    partition = as_partition(form)
    assert partition.kind is FUZZY
    assert partition.equivalent(HALVES)
    assert sp.issparse(partition.memberships()) == sp.issparse(form)


@pytest.mark.parametrize("dtype", ["?", "b", "B", "i", "q", "Q", "e", "f", "d", "O"])
def test_one_hot_of_every_type_is_hard(dtype):
    one_hot = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]]).astype(dtype)
    forms = [one_hot, one_hot.tolist(), one_hot.T.copy().T, pd.DataFrame(one_hot)]
    if dtype not in "eO":
        forms.append(sp.csr_array(one_hot))
    for form in forms if dtype != "O" else forms[:3]:
        partition = as_partition(form)
        assert partition.kind is HARD
        assert partition.codes.tolist() == [1, 0, 1]
        assert partition.n_clusters == 3


@pytest.mark.parametrize(
    "form",
    [
        POSSIBLE,
        POSSIBLE.tolist(),
        POSSIBLE.astype(object),
        sp.csr_array(POSSIBLE),
        pd.DataFrame(POSSIBLE),
        pd.DataFrame(POSSIBLE).astype("boolean"),
        pl.DataFrame({"a": POSSIBLE[:, 0], "b": POSSIBLE[:, 1]}),
    ],
    ids=["array", "list", "objects", "sparse", "pandas", "nullable", "polars"],
)
def test_boolean_matrices_ask_what_they_mean(form):
    with pytest.raises(PartitionError, match="unknown which") as caught:
        as_partition(form)
    assert "omega index" in caught.value.need
    partition = as_partition(form, "rough")
    assert partition.kind is ROUGH
    np.testing.assert_array_equal(partition.possible, POSSIBLE)


def test_ones_and_zeros_are_rough_when_told_so():
    np.testing.assert_array_equal(as_partition(POSSIBLE.astype(int), "rough").possible, POSSIBLE)
    np.testing.assert_array_equal(
        as_partition(sp.csr_array(POSSIBLE.astype(float)), "rough").possible, POSSIBLE
    )


def test_typicalities_must_be_named():
    typicalities = [[1.0, 0.5], [0.25, 0.5]]
    assert as_partition(typicalities, "possibilistic").kind is POSSIBILISTIC
    with pytest.raises(PartitionError) as caught:
        as_partition(typicalities)
    assert 'kind="possibilistic"' in caught.value.fix


def test_normalize_divides_rows_by_their_sum():
    for form in (np.array([[3, 1], [2, 2]]), [[3, 1], [2, 2]], sp.csr_array([[3, 1], [2, 2]])):
        assert as_partition(form, normalize=True).equivalent([[0.75, 0.25], [0.5, 0.5]])
    assert as_partition(POSSIBLE, normalize=True).equivalent([[0.5, 0.5], [0, 1], [1, 0]])
    masses = as_partition({"mass": [[3, 1]], "F": [[1, 0], [1, 1]]}, normalize=True)
    assert masses.masses.tolist() == [[0.75, 0.25]]


def test_sparse_duplicates_are_summed_and_the_caller_keeps_them():
    entries, columns = np.array([0.5, 0.5, 0.0, 1.0]), np.array([0, 0, 1, 1])
    given_matrix = sp.csr_matrix((entries.copy(), columns.copy(), np.array([0, 3, 4])), shape=(2, 2))
    assert as_partition(given_matrix).codes.tolist() == [0, 1]
    assert given_matrix.nnz == 4
    np.testing.assert_array_equal(given_matrix.data, entries)
    np.testing.assert_array_equal(given_matrix.indices, columns)


@given(st.one_of(fuzzy(), possibilistic()))
def test_the_callers_arrays_are_left_alone(partition):
    mine = np.array(partition.memberships())
    before = mine.copy()
    made = as_partition(mine, partition.kind)
    made.harden(), made.to("evidential"), repr(made)
    np.testing.assert_array_equal(mine, before)
    assert mine.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        made.memberships()[0, 0] = 2


def test_many_labels_are_kept_as_a_read_only_view_and_few_are_copied():
    assert not np.shares_memory(as_partition(few := np.array([0, 1, 1])).labels, few)
    labels = np.arange(COMPILED_FROM) % 3
    partition = as_partition(labels)
    assert np.shares_memory(partition.labels, labels)
    assert labels.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        partition.labels[0] = 1


# --- masses ----------------------------------------------------------------------------------------------


@given(evidential())
def test_masses_come_back(partition):
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in partition.focal_sets]
    forms = [
        as_partition(partition.masses, focal_sets=partition.focal_sets),
        as_partition(
            partition.masses.tolist(), "evidential", focal_sets=partition.focal_sets.astype(int).tolist()
        ),
        as_partition(partition.masses, focal_sets=sets),
        as_partition({"mass": partition.masses, "F": partition.focal_sets.astype(float)}),
        as_partition(pd.DataFrame(partition.masses), focal_sets=pd.DataFrame(partition.focal_sets))
        if len(sets) > 1
        else partition,
    ]
    for again in forms:
        assert again.kind is EVIDENTIAL
        assert again.equivalent(partition)


def test_focal_sets_of_names_or_positions():
    by_name = as_partition([[0.5, 0.5]], focal_sets=[{"a"}, {"a", "b"}], names=["a", "b"])
    by_position = as_partition([[0.5, 0.5]], focal_sets=[{0}, {0, 1}], names=["a", "b"])
    for made in (by_name, by_position):
        assert made.names == ("a", "b")
        assert made.focal_sets.tolist() == [[True, False], [True, True]]


def test_mass_on_the_empty_set_is_noise():
    partition = as_partition([[0.9, 0.1], [0.2, 0.8]], focal_sets=[set(), {0}])
    assert partition.noise_mask.tolist() == [True, False]
    assert partition.n_clusters == 1


# --- series and frames -----------------------------------------------------------------------------------

SERIES = {
    "pandas": pd.Series(["b", "a", "b"], index=[7, 8, 9]),
    "pandas object": pd.Series(["b", "a", "b"], dtype=object),
    "pandas int": pd.Series([3, 5, 3]),
    "pandas nullable": pd.Series([3, 5, 3], dtype="Int64"),
    "pandas arrow": pd.Series([3, 5, 3], dtype="int64[pyarrow]"),
    "pandas float": pd.Series([3.0, 5.0, 3.0]),
    "pandas bool": pd.Series([True, False, True]),
    "pandas dates": pd.Series(pd.to_datetime(["2021", "2020", "2021"])),
    "pandas zoned": pd.Series(pd.to_datetime(["2021", "2020", "2021"]).tz_localize("Europe/Rome")),
    "pandas durations": pd.Series(pd.to_timedelta([5, -1, 5], unit="ns")),
    "pandas periods": pd.Series(pd.PeriodIndex(["2021", "2020", "2021"], freq="Y")),
    "pandas intervals": pd.cut(pd.Series([9.0, 0.0, 9.0]), 2),
    "pandas tuples": pd.Series([(1, 2), (3, 4), (1, 2)]),
    "pandas category": pd.Series(["b", "a", "b"], dtype="category"),
    "pandas mixed category": pd.Series(pd.Categorical([1, "1", 1])),
    "pandas index": pd.Index([3, 5, 3]),
    "pandas multi-index": pd.MultiIndex.from_tuples([("a", 1), ("b", 2), ("a", 1)]),
    "pandas array": pd.array([3, 5, 3], dtype="Int64"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([3, 0, 3])),
    "one column": pd.DataFrame({0: ["b", "a", "b"]}),
    "polars": pl.Series(["b", "a", "b"]),
    "polars int": pl.Series([3, 5, 3]),
    "polars category": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["a", "b"])),
    "polars dates": pl.Series([dt.date(2021, 1, 1), dt.date(2020, 1, 1), dt.date(2021, 1, 1)]),
    "polars times": pl.Series([dt.datetime(2021, 1, 1), dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)]),
    "polars objects": pl.Series([Fraction(1), Fraction(2), Fraction(1)], dtype=pl.Object),
    "polars column": pl.DataFrame({"label": ["b", "a", "b"]}),
    "polars lazy": pl.LazyFrame({"label": ["b", "a", "b"]}),
    "arrow": pa.array(["b", "a", "b"]),
    "arrow chunks": pa.chunked_array([["b"], ["a", "b"]]),
    "arrow dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
    "arrow dictionaries": pa.chunked_array(
        [pa.array(["b"]).dictionary_encode(), pa.array(["a", "b"]).dictionary_encode()]
    ),
    "arrow table": pa.table({"label": ["b", "a", "b"]}),
}


@pytest.mark.parametrize("series", SERIES.values(), ids=SERIES)
def test_series_of_every_library(series):
    partition = as_partition(series)
    assert partition.kind is HARD
    assert partition.equivalent([0, 1, 0])
    assert partition.noise_mask is None
    assert partition.frame in ("pandas", "polars", "pyarrow")


UNUSED = {
    "pandas": pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])),
    "pandas ordered": pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"], ordered=True)),
    "pandas bare": pd.Categorical(["b", "a"], categories=["c", "b", "a"]),
    "polars": pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
    "arrow": pa.DictionaryArray.from_arrays(pa.array([1, 2]), pa.array(["c", "b", "a"])),
}


@pytest.mark.parametrize("series", UNUSED.values(), ids=UNUSED)
def test_unused_categories_are_empty_clusters(series):
    partition = as_partition(series)
    assert partition.names == ("c", "b", "a")
    assert partition.sizes.tolist() == [0, 1, 1]
    assert partition.labels.tolist() == ["b", "a"]


def test_integer_categories_stay_integers_and_know_noise():
    partition = as_partition(pd.Series(pd.Categorical([0, -1, 1])))
    assert partition.names == (-1, 0, 1)
    assert partition.noise_mask.tolist() == [False, True, False]


def test_polars_categories_of_another_series_do_not_leak_in():
    other = pl.Series(["zzz"], dtype=pl.Categorical)
    assert len(other) == 1
    assert as_partition(pl.Series(["b", "a"], dtype=pl.Categorical)).names == ("a", "b")


FRAMES = {
    "pandas": (pd.DataFrame(HALVES, columns=["p", "q"]), ("p", "q")),
    "pandas numbered": (pd.DataFrame(HALVES), (0, 1)),
    "pandas tuples": (pd.DataFrame(HALVES, columns=[("p", 1), ("q", 2)]), (("p", 1), ("q", 2))),
    "pandas single": (pd.DataFrame(HALVES, dtype="float32"), (0, 1)),
    "pandas nullable": (pd.DataFrame(HALVES).astype("Float64"), (0, 1)),
    "pandas sparse": (pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(HALVES)), (0, 1)),
    "polars": (pl.DataFrame({"p": HALVES[:, 0], "q": HALVES[:, 1]}), ("p", "q")),
    "polars lazy": (pl.LazyFrame({"p": HALVES[:, 0], "q": HALVES[:, 1]}), ("p", "q")),
    "arrow": (pa.table({"p": HALVES[:, 0], "q": HALVES[:, 1]}), ("p", "q")),
    "arrow batch": (pa.RecordBatch.from_pydict({"p": HALVES[:, 0], "q": HALVES[:, 1]}), ("p", "q")),
}


@pytest.mark.parametrize(("frame", "names"), FRAMES.values(), ids=FRAMES)
def test_frames_are_memberships(frame, names):
    partition = as_partition(frame)
    assert partition.kind is FUZZY
    assert partition.names == names
    assert partition.equivalent(HALVES)
    assert as_partition(frame, names=["x", "y"]).names == ("x", "y")


def test_the_index_comes_along_where_there_is_one():
    series = pd.Series([0, 1], index=["x", "y"])
    assert as_partition(series).index is series.index
    assert as_partition(pl.Series([0, 1])).index is None
    assert as_partition(pd.Index([0, 1])).index is None
    assert list(as_partition(series).take([1]).index) == ["y"]


def test_a_subclass_of_a_frame_is_a_frame():
    class Labelled(pd.DataFrame):
        pass

    assert as_partition(Labelled(HALVES)).equivalent(HALVES)


# --- fitted models ---------------------------------------------------------------------------------------


def test_fitted_clusterers_give_their_labels():
    model = KMeans(2, n_init=1, random_state=0).fit(X)
    for fitted in (model, make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0)).fit(X)):
        partition = as_partition(fitted)
        assert partition.kind is HARD
        assert partition.equivalent(np.repeat([0, 1], 5))
    assert as_partition(model, "fuzzy").kind is FUZZY
    assert as_partition(model, names=[0, 1, 2]).n_clusters == 3


def test_noise_of_a_density_clusterer_is_known():
    far = np.vstack([X, [[1e6, 1e6]]])
    partition = as_partition(DBSCAN(eps=5, min_samples=2).fit(far))
    assert partition.noise_mask.tolist() == [False] * 10 + [True]


def test_mixtures_need_the_data():
    model = GaussianMixture(2, random_state=0).fit(X)
    for fitted in (model, make_pipeline(StandardScaler(), GaussianMixture(2, random_state=0)).fit(X)):
        partition = as_partition(fitted, "fuzzy", X=X)
        np.testing.assert_allclose(partition.memberships(), fitted.predict_proba(X))
        with pytest.raises(ParameterError, match="X"):
            as_partition(fitted)
    with pytest.raises(ParameterError, match="features"):
        as_partition(model, X=X[:, :1])


def test_our_own_models_give_their_partition():
    partition = HardPartition([0, 1])
    assert as_partition(SimpleNamespace(fit=None, partition_=partition, labels_=[9, 9])) is partition


@pytest.mark.parametrize(
    "model",
    [
        KMeans(2),
        DBSCAN(),
        GaussianMixture(2),
        make_pipeline(StandardScaler(), KMeans(2)),
        make_pipeline(StandardScaler(), GaussianMixture(2)),
        StandardScaler().fit(X),
        SpectralCoclustering(2, random_state=0).fit(X + 1),
        KMeans,
    ],
    ids=lambda m: getattr(m, "__name__", type(m).__name__),
)
def test_models_that_know_no_clusters(model):
    for data in (None, X):
        with pytest.raises(PartitionError) as caught:
            as_partition(model, X=data)
        assert caught.value.got
        assert caught.value.need


# --- bad input -------------------------------------------------------------------------------------------


ring = []
ring.append(ring)
NAN, INF = float("nan"), float("inf")
half = [[0.5, 0.5]]
BAD = {
    # nothing there, or no clustering at all
    "empty list": ([],),
    "empty array": (np.empty(0),),
    "no rows": (np.empty((0, 3)),),
    "no columns": (np.empty((3, 0)),),
    "empty rows": ([[], []],),
    "empty frame": (pd.DataFrame(),),
    "empty polars frame": (pl.DataFrame(),),
    "empty series": (pd.Series([], dtype=int),),
    "empty categories": (pd.Series([], dtype="category"),),
    "empty dictionary array": (pa.array([], pa.string()).dictionary_encode(),),
    "nothing": (None,),
    "number": (3,),
    "numpy number": (np.int64(3),),
    "zero-dimensional": (np.array(3),),
    "text": ("abc",),
    "bytes": (b"abc",),
    "set": ({1, 2},),
    "dictionary": ({"a": None},),
    "path": (Path("labels.csv"),),
    "function": (len,),
    "module": (np,),
    "class": (dict,),
    "pandas NA": (pd.NA,),
    "timestamp": (pd.Timestamp("2020"),),
    "groupby": (pd.Series([1, 2]).groupby([0, 1]),),
    "polars expression": (pl.col("a"),),
    "arrow scalar": (pa.scalar(1),),
    "contains itself": (ring,),
    "3-D": (np.zeros((2, 2, 2)),),
    "3-D list": ([[[1, 0]], [[0, 1]]],),
    "3-D rough": (np.ones((2, 2, 2), dtype=bool), "rough"),
    "sparse 1-D": (sp.coo_array(np.array([1.0, 0.0])),),
    # labels
    "None among labels": (["a", None],),
    "NaN among labels": ([0.0, NAN],),
    "NaN among strings": (["a", NAN],),
    "decimal NaN": ([Decimal("NaN"), Decimal(1)],),
    "NA among labels": (["a", pd.NA],),
    "NaT among labels": ([np.datetime64("NaT"), np.datetime64("2020")],),
    "NaT array": (np.array(["NaT", "2020"], dtype="M8[D]"),),
    "missing variable width string": (np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None)),),
    "null in pandas": (pd.Series(["a", None]),),
    "null in nullable": (pd.Series([1, None], dtype="Int64"),),
    "null category": (pd.Series(pd.Categorical(["a", None])),),
    "null in polars": (pl.Series([1, None]),),
    "NaN in polars": (pl.Series([1.0, NAN]),),
    "null in arrow": (pa.array(["a", None]),),
    "masked label": (np.ma.array([1, 2], mask=[False, True]),),
    "continuous": ([0.1, 0.2, 0.3],),
    "infinite label": ([0.0, INF],),
    "continuous column": (pd.Series([0.1, 0.2]),),
    "complex array": (np.array([1j, 2]),),
    "records": (np.zeros(2, dtype=[("a", int)]),),
    "times without a unit": ([np.timedelta64(5), np.timedelta64(-1)],),
    "lists as labels": (objects([1], [2]),),
    "dicts as labels": ([{"a": 1}, {"a": 2}],),
    "zero-dimensional labels": ([np.array(1), np.array(2)],),
    "column of lists": (pd.Series([[1, 2], [3, 4]]),),
    "polars lists": (pl.Series([[1, 2], [3, 4]]),),
    "polars structs": (pl.Series([{"a": 1}, {"a": 2}]),),
    "labels in a column": ([[0], [1], [2]],),
    "labels in a row": ([[0, 1, 2]],),
    "matrix of strings": ([["a", "b"], ["b", "a"]],),
    # memberships
    "ragged": ([[1, 0], [1]],),
    "ragged tuples": ([(1, 0), (1,)],),
    "row and number": ([[True, False], 1],),
    "ragged rough": ([[True], [True, False]], "rough"),
    "NaN": ([[NAN, 1.0], [0.5, 0.5]],),
    "NaN typicality": ([[0.5, 0.5], [0.5, NAN]], "possibilistic"),
    "NaN in rough": ([[NAN, 1.0]], "rough"),
    "NaN in sparse": (sp.csr_array([[NAN, 1.0], [0.5, 0.5]]),),
    "infinite": ([[INF, 1.0], [0.5, 0.5]],),
    "negative": ([[1.5, -0.5], [0.5, 0.5]],),
    "negative in sparse": (sp.csr_array([[1.5, -0.5], [0.5, 0.5]]),),
    "typicality above one": ([[1.5, 0.5]], "possibilistic"),
    "rows off": ([[0.9, 0.2], [0.5, 0.5]],),
    "one row off by little": ([[0.5, 0.5 + 2e-6], [0.5, 0.5]],),
    "zero row": ([[0, 0], [0.5, 0.5]],),
    "zero typicalities": ([[0, 0], [0.5, 0.5]], "possibilistic"),
    "zero sparse row": (sp.csr_array([[0, 0], [0.5, 0.5]]),),
    "huge and empty sparse": (sp.csr_array((10**6, 10**6)),),
    "huge sparse, one bad cell": (sp.csr_array(([2.0], ([0], [0])), shape=(10**6, 10**6)),),
    "impossible row": ([[True, True], [False, False]],),
    "counts": ([[3, 1], [1, 5]],),
    "0 and 1": ([[1, 1], [0, 1]],),
    "sparse 0 and 1": (sp.csr_array([[1, 1], [0, 1]]),),
    "bool and int": ([[True, 1], [0, True]],),
    "transposed": (np.array([[0.2, 0.3, 0.9], [0.8, 0.7, 0.1]]),),
    "square transposed": (np.array([[0.2, 0.3], [0.8, 0.7]]),),
    "one-hot transposed": (np.array([[1, 1, 0], [0, 0, 1]]),),
    "boolean one-hot transposed": (np.array([[True, True, False], [False, False, True]]),),
    "masked cell": (np.ma.array(half, mask=[[True, False]]),),
    "complex": (np.array([[1j, 1]]),),
    "sparse complex": (sp.csr_array([[1j, 1]]),),
    "frame with an id": (pd.DataFrame({"id": ["x", "y"], "a": [0.5, 1], "b": [0.5, 0]}),),
    "frame with a null": (pd.DataFrame({"a": [0.5, None], "b": [0.5, 0.5]}),),
    "polars frame with a null": (pl.DataFrame({"a": [0.5, None], "b": [0.5, 0.5]}),),
    "frame with a name twice": (pd.DataFrame(half, columns=["a", "a"]),),
    "fractions as rough": (half, "rough"),
    "fuzzy as hard": (half, "hard"),
    "matrix as evidential": (half, "evidential"),
    "unknown kind": ([0, 1], "crips"),
    "kind of another type": ([0, 1], 3),
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_our_own_words(arguments):
    with pytest.raises(PartitaError) as caught:
        as_partition(*arguments)
    check_message(caught.value)


BAD_OPTIONS = {
    "normalise negative": ([[3, -1], [2, 5]], {"normalize": True}),
    "normalise NaN": ([[3, NAN], [2, 5]], {"normalize": True}),
    "normalise zero": ([[3, 1], [0, 0]], {"normalize": True}),
    "normalise overflow": ([[1e308, 1e308]], {"normalize": True}),
    "too few names": (half, {"names": ["a"]}),
    "a name twice": (half, {"names": ["a", "a"]}),
    "names as text": (half, {"names": "ab"}),
    "names as number": (half, {"names": 2}),
    "unhashable names": (half, {"names": [["a"], ["b"]]}),
    "labels without a name": (["a", "b"], {"names": ["a"]}),
    "names of labels twice": ([0, 1], {"names": [0, 1, 1]}),
    "names for a partition": (as_partition([0, 1]), {"names": ["a", "b"]}),
    "labels with focal sets": ([0, 1], {"focal_sets": [{0}, {1}]}),
    "series with focal sets": (pd.Series([0, 1]), {"focal_sets": [{0}, {1}]}),
    "mass on an unknown set": (half, {"focal_sets": [{0}]}),
    "a focal set twice": (half, {"focal_sets": [{0}, {0}]}),
    "focal sets as text": (half, {"focal_sets": "ab"}),
    "focal sets as number": (half, {"focal_sets": 3}),
    "no focal sets": (half, {"focal_sets": []}),
    "sets of names without names": (half, {"focal_sets": [{"a"}, {"b"}]}),
    "set of an unknown name": (half, {"focal_sets": [{"a"}, {"z"}], "names": ["a", "b"]}),
    "negative position": (half, {"focal_sets": [{-1}, {0}]}),
    "fractional position": (half, {"focal_sets": [{0.5}, {0}]}),
    "enormous position": (half, {"focal_sets": [{10**12}, {0}]}),
    "set and number": (half, {"focal_sets": [{0}, 1]}),
    "ragged focal sets": (half, {"focal_sets": [[0], [0, 1]]}),
    "focal sets of two": (half, {"focal_sets": [[2, 0], [0, 1]]}),
    "masses off": ([[0.5, 0.7]], {"focal_sets": [{0}, {1}]}),
    "negative mass": ([[1.5, -0.5]], {"focal_sets": [{0}, {1}]}),
    "NaN mass": ([[1.0, NAN]], {"focal_sets": [{0}, {1}]}),
    "focal sets and another kind": (half, {"focal_sets": [{0}, {1}], "kind": "fuzzy"}),
    "dictionary without F": ({"mass": half}, {}),
    "dictionary of nothing": ({"mass": None, "F": None}, {}),
    "ragged mass": ({"mass": [[1, 2], [3]], "F": [[1]]}, {}),
    "ragged F": ({"mass": half, "F": [[1], [1, 1]]}, {}),
    "dictionary and another kind": ({"mass": half, "F": [[1, 0], [0, 1]]}, {"kind": "hard"}),
}


@pytest.mark.parametrize(("obj", "options"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_bad_options_are_refused_in_our_own_words(obj, options):
    with pytest.raises(PartitaError) as caught:
        as_partition(obj, **options)
    check_message(caught.value)


def check_message(error):
    assert error.what
    assert error.got
    assert error.need
    assert str(error).startswith(error.what)
    assert error.got in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.what, again.got, again.need, again.fix) == (error.what, error.got, error.need, error.fix)


@pytest.mark.parametrize(
    ("obj", "kind", "error", "word"),
    [
        ([0.1, 0.2], None, PartitionError, "continuous"),
        (np.array([[0.2, 0.3], [0.8, 0.7]]), None, PartitionError, "transpose"),
        (np.array([[1, 1, 0], [0, 0, 1]]), None, PartitionError, "transpose"),
        ([[0], [1], [2]], None, PartitionError, "ravel"),
        ([[1, 1], [0, 1]], None, PartitionError, 'kind="rough"'),
        (sp.csr_array([[1, 1], [0, 1]]), None, PartitionError, 'kind="rough"'),
        ([[0.9, 0.2], [0.5, 0.5]], None, PartitionError, "row 0 sums to 1.1"),
        ([[0.5, 0.5], [0.5, NAN]], "possibilistic", PartitionError, "row 1, column 1 is nan"),
        (sp.csr_array([[0.5, 0.5], [3.0, 0.0]]), "possibilistic", PartitionError, "row 1, column 0 is 3"),
        ([[3, 1], [1, 5]], None, PartitionError, "normalize=True"),
        ([[True], [True, False]], "rough", PartitionError, "equally long"),
        (["a", None, None], None, PartitionError, "2 of 3"),
        (as_partition(half), "hard", KindError, ".harden()"),
        ([0, 1], "fuzy", UnknownNameError, "did you mean fuzzy"),
    ],
)
def test_messages_say_what_to_do(obj, kind, error, word):
    with pytest.raises(error) as caught:
        as_partition(obj, kind)
    assert word in str(caught.value)


@pytest.mark.parametrize("rows", [3, 9000])
def test_the_first_bad_row_is_named_in_any_block(rows):
    matrix = np.full((rows, 2), 0.5)
    matrix[-1] = [0.5, 0.75]
    with pytest.raises(PartitionError, match=f"row {rows - 1} sums to 1.25 "):
        as_partition(matrix)


def test_rounding_past_the_ends_is_mended():
    for matrix in (
        np.array([[1 + 1e-12, -1e-12], [0.5, 0.5]]),
        sp.csr_array([[1 + 1e-12, -1e-12], [0.5, 0.5]]),
    ):
        values = as_partition(matrix).memberships()
        assert values.min() >= 0
        assert values.max() <= 1


# --- imports ---------------------------------------------------------------------------------------------


def test_partitions_import_nothing_heavy():
    script = (
        "import sys, partita.partitions as p; p.as_partition([0, 1]); p.as_partition([[0.5, 0.5]]).harden(); "
        "print([m for m in ('pandas', 'sklearn', 'narwhals', 'numba', 'polars', 'pyarrow', 'matplotlib') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
