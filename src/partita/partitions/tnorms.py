"""Triangular norms: how "and" is read between degrees from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError


def _lukasiewicz(a: Any, b: Any) -> Any:
    return np.maximum(a + b - 1.0, 0.0)


TNORMS: dict[str, Callable[[Any, Any], Any]] = {
    "minimum": np.minimum,
    "product": np.multiply,
    "lukasiewicz": _lukasiewicz,
}


def tnorm_of(name: Any) -> Callable[[Any, Any], Any]:
    """The t-norm of this name."""
    if not isinstance(name, str) or name not in TNORMS:
        need = ", ".join(f'"{known}"' for known in TNORMS)
        raise ParameterError("no such t-norm.", got=repr(name), need=need, parameter="tnorm")
    return TNORMS[name]


def all_together(degrees: Array, name: str) -> float:
    """Many degrees joined by a t-norm."""
    tnorm_of(name)
    if name == "lukasiewicz":  # in one sum, so that rounding does not add up
        return max(0.0, float(1.0 - (1.0 - degrees).sum()))
    return float(degrees.min() if name == "minimum" else degrees.prod())


def shared_degrees(u: Floats, v: Floats, name: str) -> Floats:
    """For each row of u and each of v the sum over clusters of their joined memberships."""
    join = tnorm_of(name)
    if name == "product":
        return np.asarray(u @ v.T)
    total = np.zeros((len(u), len(v)))
    for cluster in range(u.shape[1]):
        total += join(u[:, cluster, None], v[None, :, cluster])
    return total
