"""Containers that no one would write down on purpose, and many would pass by accident, by name.

Each is made anew by a call, since some can be read only once.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import types
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

HUGE = 10**400
DAY = dt.date(2020, 1, 2)
TABLE = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
ONE_HOT = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])


def objects(*items):
    return np.fromiter(items, dtype=object, count=len(items))


def cells(value):
    """A 4 x 2 object array with one cell changed."""
    made = TABLE.astype(object)
    made[1, 1] = value
    return made


class Foreign:
    """An object of another library: rows can be had one by one, each such an object again, without end."""

    calls = 0

    def _called(self):
        Foreign.calls += 1
        if Foreign.calls > 9:
            raise RuntimeError("this would go on for hours")

    def __len__(self):
        self._called()
        return 10**9

    def __getitem__(self, place):
        self._called()
        return type(self)()

    def __iter__(self):
        while True:
            self._called()
            yield type(self)()


class WithShape(Foreign):
    """And it says that it is a table."""

    shape, ndim = (10**9, 2), 2


class Endless:
    """It has items, but neither a length nor places."""

    def __iter__(self):
        return iter(Foreign())


class Unreadable:
    """An array of another device: asked for its values, it raises."""

    shape, ndim, dtype = (4, 2), 2, np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("not on this device")


class Readable:
    def __array__(self, dtype=None, copy=None):
        return TABLE.copy()


def masked(mask):
    return np.ma.array(TABLE, mask=mask)


def structured():
    return np.array([(1, 2.0), (3, 4.0), (1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])


def frame_twice(values=TABLE):
    made = pd.DataFrame(values)
    made.columns = ["a", "a"]
    return made


def arrow_twice():
    return pa.table([pa.array([0.5, 0.25]), pa.array([0.5, 0.75])], names=["a", "a"])


def interval_index():
    return pd.cut(pd.Series([0.1, 0.9, 0.2, 0.8]), [0, 0.5, 1])


PLAIN = {
    "None": lambda: None,
    "a number": lambda: 3,
    "a float": lambda: 0.5,
    "nan": lambda: float("nan"),
    "a truth value": lambda: True,
    "a huge number": lambda: HUGE,
    "a complex number": lambda: 1j,
    "text": lambda: "abc",
    "bytes": lambda: b"abc",
    "a bytearray": lambda: bytearray(b"abcd"),
    "a memoryview": lambda: memoryview(b"abcd"),
    "a memoryview of a table": lambda: memoryview(TABLE),
    "an array of the standard library": lambda: array.array("d", [0.5, 0.25]),
    "a date": lambda: DAY,
    "Ellipsis": lambda: ...,
    "a function": lambda: len,
    "a class": lambda: dict,
    "a module": lambda: types,
    "an object": object,
    "foreign": Foreign,
    "foreign with a shape": WithShape,
    "foreign in a deque": lambda: collections.deque([Foreign()]),
    "foreign and iterable only": lambda: Endless(),
    "a list of foreign": lambda: [Foreign(), Foreign()],
    "a list of foreign tables": lambda: [WithShape(), WithShape()],
    "a list of lists of foreign": lambda: [[Foreign(), 1], [2, 3]],
    "a tuple of foreign": lambda: (WithShape(),),
    "an object array of foreign": lambda: objects(Foreign(), Foreign()),
    "a table of foreign": lambda: cells(Foreign()),
    "unreadable": Unreadable,
    "a list of unreadable": lambda: [Unreadable()],
    "readable": Readable,
    "empty list": list,
    "empty tuple": tuple,
    "empty dict": dict,
    "list of nothing": lambda: [[], []],
    "list of None": lambda: [None, None, None],
    "one None": lambda: [0, 1, None, 0],
    "rows with None": lambda: [[0.5, None], [0.5, 0.5]],
    "nested lists": lambda: TABLE.tolist(),
    "nested tuples": lambda: tuple(map(tuple, TABLE.tolist())),
    "lists four deep": lambda: [[[[0.5]]]],
    "lists without end": lambda: endless(),
    "ragged": lambda: [[0.5, 0.5], [1.0]],
    "ragged deeper": lambda: [[0.5, [0.5]], [0.5, 0.5]],
    "a row that is a number": lambda: [[0.5, 0.5], 1.0],
    "lists and arrays": lambda: [[0.5, 0.5], np.array([0.5, 0.5])],
    "arrays of other lengths": lambda: [np.array([0.5, 0.5]), np.array([1.0])],
    "rows of text": lambda: [["a", "b"], ["c", "d"]],
    "rows of numbers as text": lambda: [["0.5", "0.5"], ["1", "0"]],
    "rows of text and numbers": lambda: [["a", 0.5], ["c", 0.5]],
    "rows of bytes": lambda: [[b"a", b"b"], [b"c", b"d"]],
    "rows of dates": lambda: [[DAY, DAY], [DAY, DAY]],
    "rows of complex": lambda: [[1j, 0.5], [0.5, 0.5]],
    "rows of decimals": lambda: [[Decimal("0.5"), Decimal("0.5")], [Decimal(1), Decimal(0)]],
    "rows of decimals that are nan": lambda: [[Decimal("sNaN"), Decimal("0.5")], [Decimal(1), Decimal(0)]],
    "rows of huge decimals": lambda: [[Decimal("1e999"), Decimal("0.5")], [Decimal(1), Decimal(0)]],
    "rows of fractions": lambda: [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]],
    "rows of huge fractions": lambda: [[Fraction(HUGE), Fraction(1, HUGE)], [Fraction(1), Fraction(0)]],
    "rows of huge integers": lambda: [[HUGE, 1], [0, 1]],
    "rows of large integers": lambda: [[2**64, 1], [0, 1]],
    "rows of truth values": lambda: [[True, False], [False, True]],
    "rows of sets": lambda: [{1, 2}, {3}],
    "rows of dicts": lambda: [{"a": 1}, {"a": 2}],
    "rows of masked": lambda: [[np.ma.masked, 0.5], [0.5, 0.5]],
    "rows of series": lambda: [pd.Series([0.5, 0.5]), pd.Series([1.0, 0.0])],
    "rows of NA": lambda: [[pd.NA, 0.5], [0.5, 0.5]],
    "rows of NaT": lambda: [[pd.NaT, 0.5], [0.5, 0.5]],
    "a generator": lambda: (i % 2 for i in range(4)),
    "a generator of rows": lambda: (row for row in TABLE.tolist()),
    "a range": lambda: range(4),
    "a map": lambda: map(abs, [0, 1, 0, 1]),
    "a set": lambda: {0, 1, 2},
    "a frozenset": lambda: frozenset({0, 1}),
    "a dict": lambda: {"a": [0.5, 0.5], "b": [0.5, 0.5]},
    "a dict of masses": lambda: {"mass": [[0.5, 0.5]], "F": [[1, 0], [0, 1]]},
    "a dict of foreign masses": lambda: {"mass": Foreign(), "F": Foreign()},
    "dict keys": lambda: {"a": 1, "b": 2}.keys(),
    "dict values": lambda: {"a": 1, "b": 2}.values(),
    "dict items": lambda: {"a": 1, "b": 2}.items(),
    "a deque": lambda: collections.deque([0, 1, 0, 1]),
    "a deque of rows": lambda: collections.deque(TABLE.tolist()),
    "a UserList": lambda: collections.UserList([0, 1, 0, 1]),
    "a counter": lambda: collections.Counter("aab"),
    "a named tuple": lambda: collections.namedtuple("Pair", "a b")(0, 1),
    "huge labels": lambda: [HUGE, 1, HUGE, 0],
    "huge labels and floats": lambda: [HUGE, 1.0, HUGE, 0],
    "negative huge labels": lambda: [-HUGE, 1, 2, -1],
    "large labels": lambda: [2**64, 1, 2**64, -1],
    "infinite labels": lambda: [0.0, float("inf"), 1.0],
    "labels of decimals": lambda: [Decimal(1), Decimal(2), Decimal(1)],
    "labels that are nan": lambda: [Decimal("sNaN"), Decimal(1), Decimal(1)],
    "labels of fractions": lambda: [Fraction(1, 3), Fraction(1, 2), Fraction(1, 3)],
    "labels of complex": lambda: [1j, 2j, 1j],
    "labels of dates": lambda: [DAY, DAY, dt.date(2021, 1, 1)],
    "labels of dates and times": lambda: [DAY, dt.datetime(2020, 1, 1), DAY],
    "labels of lists and numbers": lambda: [[1], 2, [1]],
    "labels of text and numbers": lambda: ["a", 1, "a", None],
    "text with NUL": lambda: ["a\0", "a", "a\0"],
    "a lone surrogate": lambda: ["\ud800", "a", "a"],
}  # fmt: skip

NUMPY = {
    "0-d": lambda: np.array(3),
    "0-d object": lambda: np.array(None, dtype=object),
    "1-d": lambda: np.array([0, 1, 0, 1]),
    "3-d": lambda: np.full((4, 2, 2), 0.5),
    "no rows": lambda: np.zeros((0, 2)),
    "no columns": lambda: np.zeros((4, 0)),
    "no objects": lambda: np.zeros(0),
    "no objects of objects": lambda: np.zeros(0, dtype=object),
    "a matrix": lambda: TABLE.view(np.matrix),
    "a matrix of labels": lambda: np.array([[0, 1, 0, 1]]).view(np.matrix),
    "a record array": lambda: structured().view(np.recarray),
    "structured": structured,
    "structured table": lambda: structured().reshape(2, 2),
    "void": lambda: np.zeros((4, 2), dtype="V8"),
    "masked": lambda: masked([[1, 0], [0, 0], [0, 0], [0, 0]]),
    "masked nowhere": lambda: masked(False),
    "all masked": lambda: masked(True),
    "masked labels": lambda: np.ma.array([0, 1, 0, 1], mask=[1, 0, 0, 0]),
    "object table": lambda: TABLE.astype(object),
    "object table with None": lambda: cells(None),
    "object table with text": lambda: cells("x"),
    "object table with a list": lambda: cells([1, 2]),
    "object table with a huge integer": lambda: cells(HUGE),
    "object table with a decimal": lambda: cells(Decimal("0.5")),
    "object table with a huge decimal": lambda: cells(Decimal("1e999")),
    "object table with a signalling nan": lambda: cells(Decimal("sNaN")),
    "object table with a complex": lambda: cells(1j),
    "object table with a date": lambda: cells(DAY),
    "object table with masked": lambda: cells(np.ma.masked),
    "object table with an array": lambda: cells(np.array([0.5])),
    "object table with NA": lambda: cells(pd.NA),
    "object labels with None": lambda: objects(0, None, 1, 0),
    "object labels with a list": lambda: objects([1], [2], [1]),
    "object labels with huge integers": lambda: objects(HUGE, 1, HUGE, 0),
    "object labels of nan": lambda: objects("a", float("nan"), "a", "b"),
    "rows in an object array": lambda: objects([0.5, 0.5], [1.0, 0.0]),
    "complex": lambda: TABLE.astype(complex),
    "complex labels": lambda: np.array([1j, 2j, 1j]),
    "half precision": lambda: TABLE.astype(np.float16),
    "long doubles": lambda: TABLE.astype(np.longdouble),
    "long doubles out of range": lambda: TABLE.astype(np.longdouble) * np.longdouble("1e4000"),
    "largest doubles": lambda: np.full((4, 2), np.finfo(float).max),
    "largest of both signs": lambda: np.array([[1e308, -1e308], [1e308, 1e308], [-1e308, 1e308], [0, 0]]),
    "smallest doubles": lambda: TABLE * 5e-324,
    "nan": lambda: np.full((4, 2), np.nan),
    "infinite": lambda: np.full((4, 2), np.inf),
    "infinite of both signs": lambda: np.array([[np.inf, -np.inf]] * 4),
    "big endian": lambda: TABLE.astype(">f8"),
    "integers": lambda: ONE_HOT.copy(),
    "largest integers": lambda: np.full((4, 2), 2**63 - 1),
    "unsigned": lambda: np.full((4, 2), 2**64 - 1, dtype=np.uint64),
    "truth values": lambda: ONE_HOT.astype(bool),
    "text": lambda: np.array([["a", "b"], ["c", "d"]]),
    "numbers as text": lambda: TABLE.astype(str),
    "bytes": lambda: np.array([[b"a", b"b"]]),
    "text of any length": lambda: np.array(["a", "b", "a"], dtype=np.dtypes.StringDType()),
    "a table of text of any length": lambda: np.array([["a", "b"]], dtype=np.dtypes.StringDType()),
    "dates": lambda: np.array([["2020-01-01", "2020-01-02"]], dtype="M8[D]"),
    "dates that are none": lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
    "times without unit": lambda: np.array([0, 1, 0], dtype="m8"),
    "durations": lambda: np.array([[1, 2], [3, 4]], dtype="m8[s]"),
    "broadcast": lambda: np.broadcast_to(np.array([0.5, 0.5]), (4, 2)),
    "with negative strides": lambda: TABLE[::-1, ::-1],
    "read only": lambda: np.frombuffer(TABLE.tobytes()).reshape(4, 2),
    "a memory map of shape": lambda: np.lib.stride_tricks.as_strided(TABLE, (4, 2)),
}  # fmt: skip

SPARSE = {
    f"sparse {kind} {form}": lambda make=make, form=form: make(TABLE).asformat(form)
    for form in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")
    for kind, make in (("matrix", sp.csr_matrix), ("array", sp.csr_array))
} | {
    "sparse one-hot": lambda: sp.csr_array(ONE_HOT),
    "sparse of truth values": lambda: sp.csr_array(ONE_HOT.astype(bool)),
    "sparse complex": lambda: sp.csr_array(TABLE.astype(complex)),
    "sparse nan": lambda: sp.csr_array(np.full((4, 2), np.nan)),
    "sparse half of a row": lambda: sp.coo_array(np.array([0.5, 0.5, 0.0])),
    "sparse without rows": lambda: sp.csr_array((0, 2)),
    "sparse without columns": lambda: sp.csr_array((4, 0)),
    "sparse without cells": lambda: sp.csr_array((4, 2)),
    "sparse of long doubles": lambda: sp.csr_array(TABLE.astype(np.longdouble)),
    "sparse and huge": lambda: sp.coo_array((10**5, 10**5)),
    "a list of sparse": lambda: [sp.csr_array(TABLE), sp.csr_array(TABLE)],
}

ROWS = {"a": [0.25, 1.0, 0.5, 0.0], "b": [0.75, 0.0, 0.5, 1.0]}
PANDAS = {
    f"pandas {dtype}": lambda dtype=dtype: pd.DataFrame(ONE_HOT, columns=["a", "b"]).astype(dtype)
    for dtype in ("Int8", "Int64", "UInt64", "Float32", "Float64", "boolean", "object", "string", "category",
                  "int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]", "string[pyarrow]")
} | {
    f"pandas series {dtype}": lambda dtype=dtype: pd.Series([0, 1, 0, 1]).astype(dtype)
    for dtype in ("Int8", "Int64", "Float64", "boolean", "object", "string", "category", "M8[ns]", "m8[ns]",
                  "complex", "int64[pyarrow]", "bool[pyarrow]", "string[pyarrow]", "float32")
} | {
    "pandas frame": lambda: pd.DataFrame(ROWS),
    "pandas frame without rows": lambda: pd.DataFrame(ROWS)[:0],
    "pandas frame without columns": lambda: pd.DataFrame(index=range(4)),
    "pandas frame of nothing": pd.DataFrame,
    "pandas frame with one name twice": frame_twice,
    "pandas frame of text with one name twice": lambda: frame_twice(np.array([["a", "b"]])),
    "pandas frame with two levels": lambda: pd.DataFrame({("a", "x"): [0.5, 1], ("a", "y"): [0.5, 0]}),
    "pandas frame with names 1 and '1'": lambda: pd.DataFrame({1: [0.5, 1], "1": [0.5, 0]}),
    "pandas frame with a name that is nan": lambda: pd.DataFrame({np.nan: [0.5, 1], "1": [0.5, 0]}),
    "pandas frame with a name None": lambda: pd.DataFrame({None: [0.5, 1], "1": [0.5, 0]}),
    "pandas frame with None": lambda: pd.DataFrame({"a": [0.5, None], "b": [0.5, 1]}, dtype=object),
    "pandas frame with NA": lambda: pd.DataFrame({"a": [0.5, None], "b": [0.5, 1]}).astype("Float64"),
    "pandas frame of objects": lambda: pd.DataFrame(cells(HUGE), columns=["a", "b"]),
    "pandas frame of decimals": lambda: pd.DataFrame(cells(Decimal("0.5")), columns=["a", "b"]),
    "pandas frame of lists": lambda: pd.DataFrame({"a": [[1], [2]], "b": [[1], [2]]}),
    "pandas frame of complex": lambda: pd.DataFrame(TABLE.astype(complex)),
    "pandas frame of dates": lambda: pd.DataFrame({"a": pd.date_range("2020", periods=2), "b": [1, 2]}),
    "pandas frame sparse": lambda: pd.DataFrame(ROWS).astype(pd.SparseDtype(float, 0.0)),
    "pandas frame of one column": lambda: pd.DataFrame({"a": ["x", "y", "x"]}),
    "pandas frame of arrow decimals": lambda: pd.DataFrame(
        {name: pd.Series([Decimal("0.5"), Decimal("0.5")], dtype=pd.ArrowDtype(pa.decimal128(5, 2)))
         for name in "ab"}
    ),
    "pandas frame of arrow lists": lambda: pd.DataFrame(
        {name: pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))) for name in "ab"}
    ),
    "pandas series of None": lambda: pd.Series([None, None]),
    "pandas series with None": lambda: pd.Series([0, None, 1], dtype=object),
    "pandas series of huge integers": lambda: pd.Series([HUGE, 1, HUGE], dtype=object),
    "pandas series of lists": lambda: pd.Series([[1], [2], [1]]),
    "pandas series of foreign": lambda: pd.Series(objects(Foreign(), Foreign())),
    "pandas series of sets": lambda: pd.Series([{1}, {2}]),
    "pandas series of decimals": lambda: pd.Series([Decimal(1), Decimal(2)]),
    "pandas series of periods": lambda: pd.Series(pd.period_range("2020", periods=3, freq="M")),
    "pandas series of intervals": interval_index,
    "pandas series with unused categories": lambda: pd.Series(pd.Categorical(["a", "b"], list("abc"))),
    "pandas series with a missing category": lambda: pd.Series(pd.Categorical(["a", None], list("ab"))),
    "pandas series of zones": lambda: pd.Series(pd.date_range("2020", periods=2, tz="Europe/Berlin")),
    "pandas series sparse": lambda: pd.Series([0, 1, 0], dtype="Sparse[int]"),
    "pandas series of arrow dates": lambda: pd.Series([DAY, DAY], dtype=pd.ArrowDtype(pa.date32())),
    "pandas series of arrow structs": lambda: pd.Series(
        [{"a": 1}, {"a": 2}], dtype=pd.ArrowDtype(pa.struct([("a", pa.int64())]))
    ),
    "pandas index": lambda: pd.Index(["a", "b"]),
    "pandas index of two levels": lambda: pd.MultiIndex.from_tuples([(0, 1), (1, 0)]),
    "pandas range": lambda: pd.RangeIndex(4),
    "pandas categorical": lambda: pd.Categorical(["a", "b"]),
    "pandas periods": lambda: pd.period_range("2020", periods=3, freq="M"),
    "pandas intervals": lambda: pd.interval_range(0, 3),
    "pandas array": lambda: pd.array([0, 1, None]),
    "pandas NA": lambda: pd.NA,
    "pandas time": lambda: pd.Timestamp("2020"),
    "pandas groups": lambda: pd.DataFrame(ROWS).groupby("a"),
}  # fmt: skip

POLARS_TYPES = [
    pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32,
    pl.Float64, pl.Boolean, pl.String, pl.Binary, pl.Categorical, pl.Enum(["0", "1"]), pl.Decimal(10, 2),
    pl.Datetime, pl.Date, pl.Time, pl.Duration, pl.List(pl.Int64), pl.Array(pl.Int64, 1),
    pl.Struct({"x": pl.Int64}), pl.Object, pl.Null, *[getattr(pl, n) for n in ("UInt128",) if hasattr(pl, n)],
]  # fmt: skip
WRITTEN = {
    "String": list("0101"), "Categorical": list("0101"), "Enum": list("0101"), "Boolean": [False, True] * 2,
    "Binary": [b"0", b"1"] * 2, "Datetime": [dt.datetime(2020, 1, 1)] * 4, "Date": [DAY] * 4,
    "Time": [dt.time(1)] * 4, "Duration": [dt.timedelta(1)] * 4, "List": [[0], [1]] * 2,
    "Array": [[0], [1]] * 2,
    "Struct": [{"x": 0}, {"x": 1}] * 2, "Null": [None] * 4, "Decimal": [Decimal(0), Decimal(1)] * 2,
    "Object": [Fraction(0), Fraction(1)] * 2,
}  # fmt: skip


def polars_series(dtype, with_null=False):
    written = WRITTEN.get(str(dtype).partition("(")[0], [0, 1, 0, 1])
    return pl.Series("a", [*written[:3], None] if with_null else written, dtype=dtype)


POLARS = (
    {f"polars series {t}": lambda t=t: polars_series(t) for t in POLARS_TYPES}
    | {f"polars series {t} with null": lambda t=t: polars_series(t, with_null=True) for t in POLARS_TYPES}
    | {
        f"polars frame {t}": lambda t=t: pl.DataFrame({"a": polars_series(t), "b": polars_series(t)})
        for t in POLARS_TYPES
    }
    | {
        f"polars frame {t} with null": lambda t=t: pl.DataFrame(
            {"a": polars_series(t, with_null=True), "b": polars_series(t)}
        )
        for t in POLARS_TYPES
    }
    | {
        "polars lazy": lambda: pl.LazyFrame(ROWS),
        "polars lazy that fails": lambda: pl.LazyFrame(ROWS).select("c"),
        "polars frame": lambda: pl.DataFrame(ROWS),
        "polars frame of nothing": pl.DataFrame,
        "polars frame without rows": lambda: pl.DataFrame(ROWS)[:0],
        "polars large 128 bit": lambda: pl.Series([2**100, 1], dtype=pl.Int128),
        "polars expression": lambda: pl.col("a"),
    }
)

ARROW_TYPES = {
    "int8": [0, 1], "uint64": [0, 1], "float32": [0.0, 1.0], "float64": [0.5, 0.5], "bool_": [True, False],
    "string": ["a", "b"], "binary": [b"a", b"b"], "date32": [DAY, DAY], "large_string": ["a", "b"],
}  # fmt: skip
ARROW_MORE = {
    "float16": pa.array(np.array([0.5, 1.0], dtype=np.float16)),
    "decimal": pa.array([Decimal("0.5"), Decimal("1")], type=pa.decimal128(5, 2)),
    "decimal 256": pa.array([Decimal("0.5"), Decimal("1")], type=pa.decimal256(50, 2)),
    "timestamp": pa.array([dt.datetime(2020, 1, 1)] * 2, type=pa.timestamp("us")),
    "duration": pa.array([1, 2], type=pa.duration("s")),
    "time": pa.array([1, 2], type=pa.time32("s")),
    "list": pa.array([[0], [1]]),
    "struct": pa.array([{"x": 0}, {"x": 1}]),
    "map": pa.array([[("x", 0)], [("x", 1)]], type=pa.map_(pa.string(), pa.int64())),
    "null": pa.array([None, None]),
    "dictionary": pa.array(["a", "b"]).dictionary_encode(),
    "string view": pa.array(["a", "b"], type=pa.string_view()),
    "interval": pa.array([(1, 2, 3), (1, 2, 3)], type=pa.month_day_nano_interval()),
    "run ends": pa.RunEndEncodedArray.from_arrays([2], [1]),
}
ARROWS = {
    name: pa.array(values, type=getattr(pa, name)()) for name, values in ARROW_TYPES.items()
} | ARROW_MORE
ARROW = (
    {f"arrow {name}": lambda a=a: a for name, a in ARROWS.items()}
    | {f"arrow table of {name}": lambda a=a: pa.table({"a": a, "b": a}) for name, a in ARROWS.items()}
    | {
        "arrow chunks": lambda: pa.chunked_array([[0, 1], [0]]),
        "arrow chunks of nothing": lambda: pa.chunked_array([], type=pa.int64()),
        "arrow batch": lambda: pa.RecordBatch.from_pydict(ROWS),
        "arrow table with one name twice": arrow_twice,
        "arrow batch with one name twice": lambda: arrow_twice().to_batches()[0],
        "arrow table of nothing": lambda: pa.table({}),
        "arrow null in a table": lambda: pa.table({"a": [0.5, None], "b": [0.5, 0.5]}),
        "arrow scalar": lambda: pa.scalar(3),
        "arrow schema": lambda: arrow_twice().schema,
    }
)


def endless():
    made = []
    made.append(made)
    return made


CONTAINERS = {**PLAIN, **{f"numpy {k}": v for k, v in NUMPY.items()}, **SPARSE, **PANDAS, **POLARS, **ARROW}
