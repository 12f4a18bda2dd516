"""What a sweep tries: the values of one parameter of a method, numbers of clusters in the usual case."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.errors import ParameterError, Phrase, Setting
from partita.fits.models import clustering_of, k_parameter, seeded
from partita.fits.tasks import numbers_of_clusters, refuse_many
from partita.partitions import Partition, as_partition

__all__ = ["Grid", "clustering_by", "grid_over", "seeded_with"]


@dataclass(frozen=True)
class Grid:
    """The values of one parameter that are tried.

    Attributes
    ----------
    parameter : str
        As ``set_params`` takes it, or the name of an attribute.
    values : tuple
        In the order tried; numbers of clusters rise.
    are_counts : bool
        Whether the values are numbers of clusters.
    """

    parameter: str
    values: tuple[Any, ...]
    are_counts: bool

    def parameters(self, value: Any) -> dict[str, Any]:
        """What a fit is given."""
        return {self.parameter: value}

    def place(self, value: Any) -> int:
        """Where in the tree of seeds a value stands: a number of clusters at itself, others as listed."""
        return int(value) if self.are_counts else self.values.index(value)

    def key(self, value: Any) -> str:
        """How the files of a value begin."""
        return f"{'k' if self.are_counts else 'value'}{self.place(value):05}"

    def named(self, value: Any) -> str:
        """A value in a sentence."""
        return f"{'k' if self.are_counts else self.parameter} = {value}"


def grid_over(
    method: Any,
    n_objects: int,
    ks: Any,
    *,
    k_param: str | None = None,
    parameter: str | None = None,
    values: Iterable[Any] | None = None,
    usual_ks: Any = None,
) -> Grid:
    """The numbers of clusters ``ks``, or the ``values`` of a ``parameter``.

    Parameters
    ----------
    method : clusterer
        Like scikit-learn's for numbers of clusters; for a parameter anything with ``fit`` or ``fit_predict``.
    n_objects : int
        There are no more clusters than objects.
    ks, k_param, parameter, values
        As `stability` takes them.
    usual_ks : iterable of int, optional
        What ``ks`` is where nobody named any: other ones are refused beside a parameter.
    """
    if parameter is None and values is None:
        name = k_parameter(method, k_param)
        return Grid(name, numbers_of_clusters(ks, n_objects), True)
    if parameter is None or values is None:
        given, lacking = ("values", "parameter") if parameter is None else ("parameter", "values")
        raise ParameterError(
            Phrase(Setting(given), " without ", Setting(lacking), "."),
            got=Phrase("no ", Setting(lacking)),
            need='both, such as parameter="eps", values=[0.1, 0.2]',
            parameter=given,
        )
    if ks is not usual_ks or k_param is not None:
        raise ParameterError(
            "numbers of clusters and values of another parameter are two sweeps.",
            got=Phrase(Setting("ks" if k_param is None else "k_param"), " beside ", Setting("parameter")),
            need="one of them",
            parameter="parameter",
        )
    _check_parameter(method, parameter)
    return Grid(parameter, _listed_values(values), False)


def _check_parameter(method: Any, parameter: Any) -> None:
    """Refuse what cannot be set on this method, or what cannot cluster."""
    if isinstance(method, type) or not (hasattr(method, "fit") or hasattr(method, "fit_predict")):
        raise ParameterError(
            "this is no clusterer.",
            got=repr(method)[:100],
            need="an object with fit or fit_predict",
            fix="an instance, not the class" if isinstance(method, type) else None,
            parameter="estimator",
        )
    known = method.get_params(deep=True) if hasattr(method, "get_params") else vars(method)
    if not isinstance(parameter, str) or parameter not in known:
        raise ParameterError(
            f"{type(method).__name__} has no such parameter.",
            got=repr(parameter),
            need=f"one of {', '.join(sorted(known)) or 'none'}",
            parameter="parameter",
        )


def _listed_values(values: Any) -> tuple[Any, ...]:
    """Every value once, in the order given; numbers as Python's own, so that they print and are written."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ParameterError(
            Phrase(Setting("values"), " are no list."),
            got=repr(values)[:100],
            need="[0.1, 0.2]",
            parameter="values",
        )
    kept: list[Any] = []
    for place, value in enumerate(values):
        refuse_many("values", place + 1)
        one = value.item() if isinstance(value, np.generic) else value
        if one not in kept:
            kept.append(one)
    if not kept:
        raise ParameterError(
            Phrase(Setting("values"), " are none."), got="[]", need="one at least", parameter="values"
        )
    return tuple(kept)


def seeded_with(method: Any, parameters: dict[str, Any], seed: int) -> Any:
    """An unfitted copy with these parameters and this seed, also of what knows no ``get_params``."""
    if hasattr(method, "get_params"):
        return seeded(method, parameters, seed)
    made = copy.deepcopy(method)
    if "random_state" in vars(made):
        parameters = {"random_state": seed, **parameters}
    for name, value in parameters.items():
        setattr(made, name, value)
    return made


def clustering_by(model: Any, X: Any) -> tuple[Any, Partition]:
    """Fit a model to X; the fitted model and its clustering, by ``fit_predict`` where it keeps none."""
    if hasattr(model, "fit") and hasattr(model, "get_params"):
        fitted = model.fit(X)
        return fitted, clustering_of(fitted, X)
    if hasattr(model, "fit_predict"):
        return model, as_partition(model.fit_predict(X))
    fitted = model.fit(X)
    fitted = model if fitted is None else fitted
    return fitted, clustering_of(fitted, X)
