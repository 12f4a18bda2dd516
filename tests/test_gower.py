"""Gower's distances: against R's cluster::daisy, a golden file, the definition, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

import partita as pt
from partita.errors import ParameterError, TooLargeError
from partita.partitions import gower
from reference.gower import gower_distance

GOLDEN = json.loads((Path(__file__).parent / "golden" / "gower.json").read_text())


def golden_table(library: str = "pandas"):
    columns = GOLDEN["columns"]
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    frame = frame.astype({"age": "Int64", "income": float, "member": "boolean", "town": "category"})
    frame["size"] = pd.Categorical(frame["size"], GOLDEN["levels"]["size"], ordered=True)
    if library == "pandas":
        return frame
    polars = pytest.importorskip("polars")
    return polars.DataFrame({name: list(columns[name]) for name in columns if name != "size"})


@pytest.mark.parametrize("name", GOLDEN["cases"])
def test_the_golden_file(name):
    case = GOLDEN["cases"][name]
    made = pt.gower_distances(golden_table(), weights=case["weights"])
    np.testing.assert_allclose(squareform(made), case["distances"], rtol=0, atol=1e-12)


R_TABLE = {
    "a": [0, 0, 0, 1, 0, 0, 0, 0, 1, 0, None],
    "b": [None, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0],
    "c": [0, 1, 1, 0, 1, None, 1, 0, 1, 0, None],
    "d": [1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0],
    "e": [1, None, 0, 1, 0, 0, 0, 0, None, 1, 1],
}
R_PRINTED = """
0.3333333
0.7500000 0.5000000
0.3333333 0.7500000 0.8000000
0.7500000 0.2500000 0.3333333 1.0000000
0.6666667 0.6666667 0.0000000 0.7500000 0.5000000
0.7500000 0.2500000 0.3333333 1.0000000 0.0000000 0.5000000
0.6666667 0.7500000 0.3333333 0.7500000 0.6666667 0.0000000 0.6666667
1.0000000 0.5000000 0.6666667 0.7500000 0.3333333 1.0000000 0.3333333 1.0000000
0.0000000 0.5000000 0.6000000 0.2500000 0.8000000 0.5000000 0.8000000 0.5000000 1.0000000
0.5000000 0.5000000 1.0000000 0.6666667 0.5000000 1.0000000 0.5000000 1.0000000 0.0000000 0.6666667
"""


def test_what_r_prints():
    """daisy(d5, type = list(asymm = 3:5)) of tests/daisy-ex.Rout.save in R's package cluster, 7 digits."""
    frame = pd.DataFrame({name: pd.Series(values, dtype="Float64") for name, values in R_TABLE.items()})
    frame = frame.astype(dict.fromkeys("cde", "boolean"))
    made = pt.gower_distances(frame)
    for i, line in enumerate(R_PRINTED.split("\n")[1:-1], start=1):
        np.testing.assert_allclose(made[i, :i], list(map(float, line.split())), rtol=0, atol=5.1e-8)


def test_a_pair_without_a_common_value_is_refused():
    """R prints NA for rows 9 and 11 of its table where all columns are asymmetric."""
    frame = pd.DataFrame({name: pd.Series(values, dtype="boolean") for name, values in R_TABLE.items()})
    with pytest.raises(ParameterError, match="no value in common") as caught:
        pt.gower_distances(frame)
    assert caught.value.got.startswith("rows 8 and 10")


@st.composite
def tables(draw):
    n = draw(st.integers(1, 7))

    def column(values):
        return draw(st.lists(st.none() | values, min_size=n, max_size=n))

    makers = {
        "interval": lambda: column(st.integers(-4, 4)),
        "nominal": lambda: column(st.sampled_from("abc")),
        "asymmetric": lambda: column(st.booleans()),
    }
    sorts = draw(st.lists(st.sampled_from(sorted(makers)), min_size=1, max_size=4))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(sorts), max_size=len(sorts)))
    return [(sort, makers[sort]()) for sort in sorts], weights


@given(case=tables())
def test_the_definition(case):
    columns, weights = case
    n = len(columns[0][1])
    wanted = [[gower_distance(columns, weights, i, j) if i != j else 0 for j in range(n)] for i in range(n)]
    if any(one is None for row in wanted for one in row):
        reject()
    dtypes = {"interval": "Int64", "nominal": "string", "asymmetric": "boolean"}
    frame = pd.DataFrame({i: pd.Series(v, dtype=dtypes[sort]) for i, (sort, v) in enumerate(columns)})
    made = pt.gower_distances(frame, weights=dict(enumerate(weights)))
    np.testing.assert_allclose(made, np.array(wanted, dtype=float), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(made, made.T)


def test_the_block_changes_nothing(monkeypatch):
    whole = pt.gower_distances(golden_table())
    monkeypatch.setattr(gower, "_BLOCK_CELLS", 100)
    np.testing.assert_array_equal(pt.gower_distances(golden_table()), whole)


def test_polars_and_arrays_of_objects_give_the_same():
    frame = golden_table().drop(columns="size")
    wanted = pt.gower_distances(frame)
    np.testing.assert_array_equal(pt.gower_distances(golden_table("polars")), wanted)
    cells = frame.astype(object).where(frame.notna(), None).to_numpy()
    np.testing.assert_array_equal(pt.gower_distances(cells), wanted)


def test_numbers_of_any_size():
    wanted = pt.gower_distances([[0.0], [1.0], [4.0]])
    for exponent in (-1060, 1021):
        np.testing.assert_allclose(pt.gower_distances(np.ldexp([[0.0], [1.0], [4.0]], exponent)), wanted)
    assert not pt.gower_distances([[3.0], [3.0]]).any()


@pytest.mark.parametrize(
    ("X", "weights", "message"),
    [
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-02"])}), None, "neither numbers nor"),
        (pd.DataFrame({"a": [[1], [2]]}), None, "neither numbers nor"),
        ([[np.inf], [0.0]], None, "infinite"),
        ([0.0, 1.0], None, "table of objects"),
        ([[0.0], [1.0]], [1.0, 2.0], "weights of columns"),
        ([[0.0], [1.0]], [-1.0], "weights of columns"),
        ([[0.0], [1.0]], [0.0], "weights of columns"),
        (pd.DataFrame({"a": [1, 2]}), {"b": 1.0}, "weight is given for no column"),
    ],
)
def test_bad_tables_and_weights(X, weights, message):
    with pytest.raises(ParameterError, match=message) as caught:
        pt.gower_distances(X, weights=weights)
    assert caught.value.got
    assert caught.value.need


def test_too_many_objects_are_refused_before_the_work():
    with pytest.raises(TooLargeError, match="do not fit"):
        pt.gower_distances(np.zeros((20_000, 1)))
