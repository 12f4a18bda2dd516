"""Objects described by JSON: a value stands for itself, ``{"$array": ...}`` and such for what JSON lacks."""

from __future__ import annotations

import base64
import datetime as dt
import itertools
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import partita as pt
from odd_containers import CONTAINERS, Foreign
from partita.errors import PartitaError

Document = Any
"""What JSON can write."""


class UnbuildableError(Exception):
    """The document describes what its own library does not make: nothing to hand to partita."""


def build(recipe: Document) -> Any:
    """The object that a document describes, made anew."""
    if isinstance(recipe, list):
        return [build(item) for item in recipe]
    if not isinstance(recipe, dict):
        return recipe
    if len(recipe) == 1:
        [(name, content)] = recipe.items()
        if name == "$partition":
            return partition(content)
        if name in MAKERS:
            try:
                return MAKERS[name](content)
            except PartitaError:
                raise
            except Exception as error:
                raise UnbuildableError(f"{name} of {content}") from error
    return {name: build(value) for name, value in recipe.items()}


def array(recipe: Document) -> np.ndarray:
    """Values that are repeated until the shape is full."""
    shape = tuple(recipe["shape"])
    dtype = np.dtype(recipe.get("dtype", "float64"))
    size = int(np.prod(shape))
    values = list(itertools.islice(itertools.cycle(build(recipe["values"]) or [0]), size))
    if dtype.hasobject:
        flat = np.fromiter(values, dtype=object, count=size)
    else:
        with np.errstate(all="ignore"):
            flat = np.array(values).astype(dtype) if values else np.zeros(0, dtype)
    made = flat.reshape(shape)
    return np.asfortranarray(made) if recipe.get("columns first") else made


def masked(recipe: Document) -> np.ma.MaskedArray:
    values = array(recipe)
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) % recipe["every"] == 0)


def series(recipe: Document) -> pd.Series:
    return pd.Series(
        build(recipe["values"]), index=build(recipe.get("index")), dtype=recipe.get("dtype"), name="a"
    )


def frame(recipe: Document) -> pd.DataFrame:
    values = array(recipe)
    made = pd.DataFrame(values, index=build(recipe.get("index")))
    if "columns" in recipe:
        made.columns = pd.Index(build(recipe["columns"]), dtype=object)
    return made


def odd_container(name: str) -> Any:
    """One of the suite's odd containers; those that must not be gone through count from none."""
    Foreign.calls = 0
    return CONTAINERS[name]()


def masses(recipe: Document) -> dict[str, Any]:
    return {"mass": build(recipe["mass"]), "F": build(recipe["F"])}


def partition(recipe: Document) -> Any:
    """A clustering of the kind that is named, which may itself be refused."""
    return pt.as_partition(build(recipe["of"]), recipe["kind"], **build(recipe.get("options", {})))


def chunked(recipe: Document) -> Any:
    """A dask array of so many rows a chunk."""
    import dask.array as da

    values = build(recipe["of"])
    return da.from_array(values, chunks=(max(1, recipe["rows"]), *values.shape[1:]))


def estimator(recipe: Document) -> Any:
    """One of ours by its name."""
    return getattr(pt.cluster, recipe["name"])(**build(recipe.get("params", {})))


MAKERS: dict[str, Callable[[Document], Any]] = {
    "$float": float,
    "$whole": lambda power: 10**power,
    "$bytes": base64.b64decode,
    "$decimal": Decimal,
    "$fraction": lambda parts: Fraction(*parts),
    "$date": dt.date.fromisoformat,
    "$complex": lambda imaginary: complex(0, imaginary),
    "$tuple": lambda items: tuple(build(items)),
    "$set": lambda items: {item if not isinstance(item, list) else tuple(item) for item in build(items)},
    "$generator": lambda items: iter(build(items)),
    "$pairs": lambda pairs: {key: build(value) for key, value in pairs},
    "$array": array,
    "$masked": masked,
    "$csr": lambda recipe: sp.csr_array(array(recipe)),
    "$coo": lambda recipe: sp.coo_matrix(array(recipe)),
    "$series": series,
    "$frame": frame,
    "$polars": lambda values: pl.Series("a", build(values), strict=False),
    "$arrow": lambda values: pa.array(build(values)),
    "$container": odd_container,
    "$masses": masses,
    "$chunked": chunked,
    "$estimator": estimator,
    "$range": lambda ends: range(*ends),
}
