"""Strategies for documents: numbers, labels, matrices and containers, sensible ones and hostile ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from odd_containers import CONTAINERS

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e300, 1.7e308, -1e308, 1e-8, 3.0, 1e15)
NOT_FINITE = tuple({"$float": text} for text in ("nan", "inf", "-inf"))
TEXTS = (
    "a",
    "b",
    "",
    "-1",
    "1",
    "1.0",
    "NA",
    "nan",
    "é",
    "noise",
    "None",
    "x y",
    "\ud7ff",
    "a" * 300,
    "<b>",
    "\0",
)
DTYPES = ("float64", "float32", "float16", "int64", "int8", "uint64", "bool", ">f8", "complex128", "object")

ordinary = st.integers(-3, 9) | st.integers(-12, 12).map(lambda i: i / 4)
hostile = st.sampled_from(SPECIAL + NOT_FINITE) | st.floats(allow_nan=False, allow_infinity=False)
numbers = st.one_of(ordinary, ordinary, ordinary, hostile)
texts = st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
odd_items = st.sampled_from(
    [None, True, False, {"$whole": 30}, {"$whole": 400}, {"$decimal": "0.5"}, {"$decimal": "sNaN"},
     {"$fraction": [1, 3]}, {"$date": "2020-01-02"}, {"$complex": 1.0}, {"$bytes": "YWI="},
     {"$tuple": [1, 2]}, {"$set": [1, 2]}, [], {}, *NOT_FINITE]
)  # fmt: skip


def label_lists(n: int) -> st.SearchStrategy[list[Any]]:
    """Labels of one sort, or of many."""
    sorts = (st.integers(0, 2), st.integers(-1, 2), texts, numbers, st.one_of(numbers, texts, odd_items))
    return st.one_of([st.lists(sort, min_size=n, max_size=n) for sort in sorts])


@st.composite
def matrices(draw: st.DrawFn, n: int, most: int = 4, dtypes: tuple[str, ...] = DTYPES) -> dict[str, Any]:
    """The content of an array with n rows."""
    k = draw(st.integers(1, most))
    cells = draw(st.sampled_from((ordinary, ordinary, numbers)))
    values = draw(st.lists(cells, min_size=1, max_size=n * k))
    return {"dtype": draw(st.sampled_from(dtypes)), "shape": [n, k], "values": values}


@st.composite
def memberships(draw: st.DrawFn, n: int) -> dict[str, Any]:
    """Rows that sum to one, from a few that are repeated; now and then a damaged one."""
    k = draw(st.integers(1, 4))
    rows = []
    for _ in range(draw(st.integers(1, min(n, 6)))):
        cuts = sorted(draw(st.lists(st.integers(0, 8), min_size=k - 1, max_size=k - 1)))
        rows += [(b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)]
    if draw(st.integers(0, 9)) == 0:
        rows[0] = draw(numbers)
    return {
        "dtype": draw(st.sampled_from(("float64", "float64", "float32", "object"))),
        "shape": [n, k],
        "values": rows,
    }


@st.composite
def containers(draw: st.DrawFn, n: int) -> Any:
    """Anything that someone may hand to ``as_partition``."""
    labels, matrix = label_lists(n), st.one_of(matrices(n), memberships(n))
    some = st.one_of(label_lists(max(0, n - 1)), labels)
    return draw(
        st.one_of(
            labels,
            labels.map(lambda v: {"$tuple": v}),
            labels.map(lambda v: {"$generator": v}),
            labels.map(lambda v: {"$array": {"dtype": "object", "shape": [n], "values": v}}),
            st.fixed_dictionaries({"values": some}).map(lambda v: {"$series": v}),
            st.fixed_dictionaries({"values": labels, "index": label_lists(n)}).map(lambda v: {"$series": v}),
            st.lists(numbers | st.none(), max_size=n).map(lambda v: {"$arrow": v}),
            st.lists(texts | st.none(), max_size=n).map(lambda v: {"$polars": v}),
            *(
                matrix.map(lambda v, name=name: {name: v})
                for name in ("$array", "$array", "$csr", "$coo", "$frame")
            ),
            matrix.map(lambda v: {"$masked": {**v, "every": 3}}),
            matrix.map(lambda v: {"$chunked": {"of": {"$array": v}, "rows": 2}}),
            st.tuples(matrix, label_lists(n)).map(lambda v: {"$frame": {**v[0], "index": v[1]}}),
            st.lists(st.lists(st.integers(0, n), max_size=4), max_size=4),
            st.lists(st.lists(st.integers(0, n), max_size=4).map(lambda v: {"$set": v}), max_size=4),
            st.dictionaries(texts, st.integers(0, 2) | texts, max_size=n),
            st.tuples(matrices(n), matrices(3)).map(
                lambda v: {"$masses": {"mass": {"$array": v[0]}, "F": {"$array": v[1]}}}
            ),
            st.sampled_from(sorted(set(CONTAINERS) - {"lists without end"})).map(
                lambda name: {"$container": name}
            ),
        )
    )


@st.composite
def clusterings(draw: st.DrawFn, n: int) -> Any:
    """What is a clustering of n objects, of any kind, most of the time."""
    sort = draw(
        st.sampled_from(("labels", "labels", "fuzzy", "fuzzy", "rough", "possibilistic", "evidential", "odd"))
    )
    if sort == "labels":
        return draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
    if sort == "odd":
        return draw(containers(n))
    matrix = draw(memberships(n))
    if sort == "fuzzy":
        return {draw(st.sampled_from(("$array", "$array", "$csr", "$frame"))): matrix}
    if sort == "rough":
        return {"$partition": {"kind": "rough", "of": {"$array": {**matrix, "dtype": "bool"}}}}
    if sort == "possibilistic":
        return {"$partition": {"kind": "possibilistic", "of": {"$array": matrix}}}
    k = matrix["shape"][1]
    sets = {
        "dtype": "bool",
        "shape": [k, draw(st.integers(1, 3))],
        "values": draw(st.lists(st.integers(0, 1), min_size=1, max_size=3 * k)),
    }
    return {
        "$partition": {
            "kind": "evidential",
            "of": {"$array": matrix},
            "options": {"focal_sets": {"$array": sets}},
        }
    }


@st.composite
def data(draw: st.DrawFn, n: int) -> Any:
    """A matrix of features: whole coordinates, clusters apart, or hostile numbers."""
    matrix = draw(matrices(n, dtypes=("float64", "float64", "float64", "float32", "int64", "object", "bool")))
    return draw(
        st.sampled_from(({"$array": matrix}, {"$array": matrix}, {"$frame": matrix}, {"$csr": matrix}))
    )


def sizes(most: int = 24) -> st.SearchStrategy[int]:
    """Numbers of objects, mostly small."""
    return st.one_of(st.integers(1, 8), st.integers(1, most))
