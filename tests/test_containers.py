"""Every door takes or refuses every odd container: no other exception, no warning, and never without end."""

from __future__ import annotations

import ctypes
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics.cluster import expected_mutual_information

import partita
from odd_containers import CONTAINERS, HUGE, ROWS, TABLE, Foreign, WithShape, arrow_twice, frame_twice
from partita import drop_in
from partita.errors import ParameterError, PartitaError, PartitaWarning, PartitionError, TooLargeError
from partita.partitions import FUZZY, HARD, Partition, as_partition
from partita.partitions.data import DataMatrix

LABELS = [0, 1, 0, 1]
X = [[0.0], [1.0], [5.0], [6.0]]
TWO_LABELS = ("rand_score", "mutual_info_score", "contingency_matrix", "fowlkes_mallows_score")
ON_DATA = ("silhouette_samples", "silhouette_score", "calinski_harabasz_score", "davies_bouldin_score")

DOORS = {
    "as_partition": as_partition,
    **{
        f"as_partition {kind}": lambda obj, kind=kind: as_partition(obj, kind)
        for kind in ("hard", "fuzzy", "possibilistic", "rough")
    },
    "normalize": lambda obj: as_partition(obj, normalize=True),
    "masses": lambda obj: as_partition(obj, focal_sets=[{0}, {1}]),
    "focal sets": lambda obj: as_partition([[0.5, 0.5]], focal_sets=obj),
    "names": lambda obj: as_partition(LABELS, names=obj if isinstance(obj, list) else None),
    "data": DataMatrix,
    "distances": lambda obj: DataMatrix(obj, are_distances=True),
    "weights": lambda obj: partita.indices.rand(LABELS, LABELS, sample_weight=obj),
    "validate": lambda obj: partita.validate(obj, LABELS, indices=["CH", "silhouette"]),
    "validate a clustering": lambda obj: partita.validate(X, obj, indices=["CH"]),
    **{f"drop_in.{name}": lambda obj, f=name: getattr(drop_in, f)(LABELS, obj) for name in TWO_LABELS},
    **{f"drop_in.{name}": lambda obj, f=name: getattr(drop_in, f)(obj, LABELS) for name in ON_DATA},
    "drop_in.silhouette_score of labels": lambda obj: drop_in.silhouette_score(X, obj),
    "drop_in.expected_mutual_information": lambda obj: drop_in.expected_mutual_information(obj, 4),
    "drop_in.mutual_info_score of a table": lambda obj: drop_in.mutual_info_score(
        None, None, contingency=obj
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_odd_container_is_taken_or_refused(door):
    """PartitaError is a ValueError or a TypeError wherever drop_in raises it."""
    enter, wrong = DOORS[door], {}
    for name, make in CONTAINERS.items():
        Foreign.calls = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PartitaWarning)
            if door.startswith("drop_in"):  # scikit-learn's own
                warnings.simplefilter("ignore", DataConversionWarning)
                warnings.filterwarnings("ignore", "Clustering metrics expects discrete values")
            try:
                enter(make())
            except PartitaError as refused:
                if door.startswith("drop_in") and not isinstance(refused, (ValueError, TypeError)):
                    wrong[name] = refused
            except Exception as raw:
                wrong[name] = raw
        if Foreign.calls:
            wrong[name] = f"{Foreign.calls} calls of a foreign object"
    assert not wrong


def test_two_odd_containers_are_compared_or_refused():
    for make in CONTAINERS.values():
        try:
            partita.compare(make(), make(), indices=["ARI"])
        except PartitaError:
            continue


def test_a_foreign_object_is_refused_by_its_name():
    Foreign.calls = 0
    for foreign in (WithShape(), Foreign(), [WithShape()], np.array([[1, 2], [3, None]])):
        with pytest.raises(ParameterError) as refused:
            partita.validate(foreign, LABELS)
        assert refused.value.need
    with pytest.raises(ParameterError, match=r"WithShape(.|\n)*adata\.X"):
        DataMatrix(WithShape())
    with pytest.raises(PartitionError, match="WithShape"):
        as_partition(WithShape())
    assert Foreign.calls == 0


# --- what is taken is taken right -------------------------------------------------------------------------

WIDE = {
    "128 bits": (pl.Int128, [2**100, 1, -(2**100)]),
    "128 bits, small": (pl.Int128, [2, 1, 2]),
    "128 bits, unsigned": (pl.UInt128, [2**127 + 1, 1, 2**127 + 1]),
    "decimals": (pl.Decimal(10, 2), [Decimal("1.25"), Decimal("0.50"), Decimal("1.25")]),
}


@pytest.mark.parametrize(("dtype", "values"), WIDE.values(), ids=WIDE)
def test_wide_numbers_of_polars_are_labels_and_data(dtype, values):
    series = pl.Series("a", values, dtype=dtype)
    found = as_partition(series)
    assert [found.names[code] for code in found.codes] == values
    assert DataMatrix(series).values.ravel().tolist() == [float(v) for v in values]
    frame = pl.DataFrame({"a": series, "b": [0.5, 0.5, 0.5]})
    assert DataMatrix(frame).values[:, 0].tolist() == [float(v) for v in values]
    with_null = pl.Series("a", [values[0], None], dtype=dtype)
    with pytest.raises(PartitionError, match="missing"):
        as_partition(with_null)
    with pytest.raises(ParameterError, match="missing"):
        DataMatrix(with_null)


def test_decimals_are_memberships_in_every_library():
    halves = [Decimal("0.25"), Decimal("0.50")]
    others = [Decimal("0.75"), Decimal("0.50")]
    arrow = pa.decimal128(5, 2)
    frames = [
        pl.DataFrame({"a": halves, "b": others}),
        pa.table({"a": pa.array(halves, type=arrow), "b": pa.array(others, type=arrow)}),
        pd.DataFrame({"a": halves, "b": others}, dtype=pd.ArrowDtype(arrow)),
        [list(row) for row in zip(halves, others, strict=True)],
        [[Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2), Fraction(1, 2)]],
    ]
    for frame in frames:
        found = as_partition(frame)
        assert found.kind is FUZZY
        assert found.memberships().tolist() == [[0.25, 0.75], [0.5, 0.5]]
        assert DataMatrix(frame).values.tolist() == [[0.25, 0.75], [0.5, 0.5]]


integers = st.integers(-(10**401), 10**401) | st.integers(-3, 3)


@given(st.lists(integers | st.integers(-3, 3).map(float), min_size=1, max_size=8))
def test_integers_of_any_size_are_labels(labels):
    found = as_partition(labels)
    assert found.kind is HARD
    same = [[a == b for b in labels] for a in labels]
    assert (found.codes[:, None] == found.codes).tolist() == same
    assert drop_in.rand_score(labels, labels) == 1.0


@pytest.mark.parametrize(
    "make", [list, lambda x: np.array(x, dtype=object), lambda x: pd.DataFrame(x, dtype=object)]
)
def test_integers_beyond_every_float_are_no_data(make):
    with pytest.raises(ParameterError):
        DataMatrix(make([[HUGE, 1], [2, 3]]))
    with pytest.raises(PartitionError):
        as_partition(make([[HUGE, 1], [2, 3]]), "fuzzy")
    with pytest.raises(PartitionError, match="continuous"):
        as_partition([HUGE, 0.5])


@pytest.mark.parametrize("frame", [frame_twice(), arrow_twice(), arrow_twice().to_batches()[0]])
def test_one_name_for_two_columns_is_refused_by_name(frame):
    n = len(frame) if hasattr(frame, "columns") and not isinstance(frame, pd.DataFrame) else 4
    labels = LABELS[:n]
    for call in (
        lambda: as_partition(frame),
        lambda: partita.compare(frame, labels),
        lambda: partita.compare(labels, frame),
        lambda: DataMatrix(frame),
        lambda: partita.validate(frame, labels),
        lambda: partita.choose_k(frame, ks=[2, 3]),
    ):
        with pytest.raises(PartitaError, match=r"same name(.|\n)*'a', 'a'"):
            call()


def test_masked_cells_inside_lists_are_not_read_past_the_mask():
    row = np.ma.array([0.25, 0.75], mask=[True, False])
    for rows in ([row, [0.5, 0.5]], [[np.ma.masked, 0.5], [0.5, 0.5]], [[row]]):
        with pytest.raises(PartitionError, match="masked"):
            as_partition(rows)
        with pytest.raises(ParameterError):
            DataMatrix(rows)
    whole = np.ma.array([0.25, 0.75], mask=False)
    assert as_partition([whole, [0.5, 0.5]]).memberships().tolist() == [[0.25, 0.75], [0.5, 0.5]]


def test_buffers_and_lists_of_other_classes_are_data():
    from array import array
    from collections import UserList, deque

    numbers = (ctypes.c_double * 2)(0.5, 0.25)
    flat = array("d", [0.5, 0.25])
    for values in (
        deque(TABLE.tolist()),
        UserList(TABLE.tolist()),
        memoryview(TABLE),
        list(TABLE),
        tuple(TABLE),
    ):
        assert np.array_equal(DataMatrix(values).values, TABLE)
    for row in (numbers, flat, memoryview(flat)):
        assert DataMatrix([row, row]).values.tolist() == [[0.5, 0.25]] * 2
    assert as_partition(array("i", [3, 5, 3])).labels.tolist() == [3, 5, 3]
    assert as_partition({"a": 1, "b": 2}.values()).labels.tolist() == [1, 2]


def test_a_sparse_matrix_is_not_made_dense_beyond_memory():
    for kind, focal_sets in (("rough", None), (None, [{0}, {1}])):
        with pytest.raises(TooLargeError):
            as_partition(sp.coo_array((10**5, 10**5)), kind, focal_sets=focal_sets)


def as_matrix(table):
    return table.view(np.matrix)  # the class itself warns


# --- as scikit-learn --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [[0, 1, None, 0], ["a", None, "a", "b"], [HUGE, 1, 1, 0], [HUGE, 1.0, 1, 0]]
)
@pytest.mark.parametrize("name", ON_DATA)
def test_labels_of_data_may_be_what_scikit_learn_takes(name, labels):
    right = getattr(theirs, name)(X, labels)
    assert getattr(drop_in, name)(X, labels) == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize(
    "form", [as_matrix, sp.csr_matrix, sp.csr_array, sp.coo_matrix, sp.lil_matrix, sp.dok_array]
)
def test_expected_mutual_information_takes_every_matrix(form):
    table = np.array([[3, 1, 0], [1, 2, 4]])
    right = expected_mutual_information(sp.csr_matrix(table), 11)
    assert drop_in.expected_mutual_information(form(table), 11) == pytest.approx(right, abs=1e-12)
    for n_samples in (form(table), [11], np.array([11, 11]), "11", None, 1j):
        with pytest.raises(ParameterError, match="no such shuffle"):
            drop_in.expected_mutual_information(form(table), n_samples)


def test_masked_cells_of_a_table_are_refused():
    table = np.ma.array([[3, 1], [1, 2]], mask=[[True, False], [False, False]])
    with pytest.raises(ParameterError, match="masked"):
        drop_in.mutual_info_score(None, None, contingency=table)


def test_lazy_frames_are_computed():
    assert isinstance(as_partition(pl.LazyFrame(ROWS)), Partition)
    with pytest.raises(PartitionError, match="cannot be computed"):
        as_partition(pl.LazyFrame(ROWS).select("c"))
    with pytest.raises(ParameterError, match="cannot be computed"):
        DataMatrix(pl.LazyFrame(ROWS).select("c"))


@pytest.mark.parametrize("kind", [Foreign, WithShape])
def test_a_fit_does_not_go_through_a_foreign_object(kind):
    """Not one item, not even its length; neither at a fit nor afterwards."""
    model = partita.cluster.RandomSwap(n_clusters=2, random_state=0).fit(TABLE)
    for work in (model.fit, partita.cluster.FuzzyCMeans(n_clusters=2).fit, model.predict):
        Foreign.calls = 0
        with pytest.raises(ParameterError, match="X holds no numbers"):
            work(kind())
        assert Foreign.calls == 0
