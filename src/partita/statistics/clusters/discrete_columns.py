"""Features that no Gaussian can describe: whole numbers, few of them, each often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import ParameterError

FEW_VALUES, OFTEN = 10, 5
"""A feature of 2 to FEW_VALUES whole numbers is not continuous if each is there OFTEN times on average."""

_HEAD = 4096


def few_values(X: Array, *_sides: Any, weight: Array | None = None) -> list[Array | None]:  # noqa: ARG001
    """For each feature its values, where they are few whole numbers, else None."""
    return [_few(X[:, column]) for column in range(X.shape[1])]


def _few(values: Array) -> Array | None:
    for some in (values[:_HEAD], values):
        distinct = np.unique(some)
        if distinct.size > FEW_VALUES or (distinct != np.floor(distinct)).any():
            return None
    return distinct


def values_of_both(some: list[Array | None], others: list[Array | None]) -> list[Array | None]:
    """The same for the objects of both."""
    return [
        None if a is None or b is None else _few(np.union1d(a, b)) for a, b in zip(some, others, strict=True)
    ]


def refuse_discrete_columns(few: Sequence[Array | None], n: float) -> None:
    """Refuse features of so many objects that have only these values."""
    for column, values in enumerate(few):
        if values is not None and 2 <= values.size <= n / OFTEN:
            shown = ", ".join(f"{value:g}" for value in values)
            raise ParameterError(
                "some features are not continuous, and no Gaussian describes them.",
                got=f"column {column} of X has only the values {shown}",
                need="continuous features",
                fix="stochastic_complexity for 0/1 data; otherwise leave these columns out",
            )
