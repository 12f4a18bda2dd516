"""Fitted models of any library: what is one, and what it says about clusters."""

from __future__ import annotations

import math
from typing import Any

from partita.errors import ParameterError, PartitaError, PartitionError


def is_estimator(obj: Any) -> bool:
    """Whether this is a model, fitted or not, as scikit-learn's are; not its class."""
    return hasattr(obj, "fit") and not isinstance(obj, type)


def last_step(model: Any) -> Any:
    """The clusterer itself: of a pipeline, its last step."""
    steps = getattr(model, "steps", None)
    return steps[-1][1] if steps else model


def is_mixture(obj: Any) -> bool:
    """Whether this is a fitted mixture of Gaussians, by what scikit-learn's have."""
    return all(hasattr(obj, name) for name in ("predict_proba", "weights_", "means_", "covariances_"))


def objective_of(model: Any) -> float:
    """What the fit made small: ``objective_``, ``inertia_`` or minus ``lower_bound_``; nan if silent."""
    last = last_step(model)
    for name, sign in (("objective_", 1.0), ("inertia_", 1.0), ("lower_bound_", -1.0)):
        value = getattr(last, name, None)
        if value is not None:
            return sign * float(value)
    return math.nan


def clustering_in(model: Any, X: Any) -> Any:
    """The labels, memberships or partition of a fitted model.

    Those of its fit; a mixture, and what keeps none, is asked for the memberships of X.
    """
    name, last = type(model).__name__, last_step(model)
    depends_on_data = X is not None and is_mixture(last)  # the data may be other than that of the fit
    for attribute in ("partition_", "labels_"):
        found = getattr(last, attribute, None)
        if found is not None and not depends_on_data:
            return found
    if not any(a.endswith("_") and not a.startswith("_") for a in getattr(last, "__dict__", ())):
        raise PartitionError(
            f"this {name} is not fitted.", got=name, need="a fitted model", fix="model.fit(X) first"
        )
    if not hasattr(model, "predict_proba"):
        raise PartitionError(
            f"this {name} tells nothing about clusters.",
            got=name,
            need="labels_, partition_ or predict_proba",
            fix="pass model.predict(X), or its memberships",
        )
    if X is None:
        raise ParameterError(
            f"the memberships of a {name} depend on the data.",
            got="no X",
            need="as_partition(model, X=X)",
            fix="pass X, or model.predict_proba(X) itself",
        )
    try:
        return model.predict_proba(X)
    except (TypeError, ValueError) as problem:
        raise _wrong_data_error(model, problem, need="the data of the fit") from problem


def clustering_for(model: Any, X: Any) -> Any:
    """The memberships or labels that a model gives to any data.

    By ``predict_proba`` or ``predict``; its ``labels_`` if they are as many as X has rows, else those of a
    clone that is fitted to X.
    """
    try:
        for method in ("predict_proba", "predict"):
            if hasattr(model, method):
                return getattr(model, method)(X)
        labels = getattr(model, "labels_", None)
        if labels is not None and len(labels) == (X.shape[0] if hasattr(X, "shape") else len(X)):
            return labels
        from sklearn.base import clone

        return clone(model).fit_predict(X)
    except PartitaError:
        raise
    except (AttributeError, TypeError, ValueError) as problem:
        need = "a fitted estimator, and data such as it was fitted to"
        raise _wrong_data_error(model, problem, need=need) from problem


def _wrong_data_error(model: Any, problem: Exception, *, need: str) -> ParameterError:
    return ParameterError(
        f"this {type(model).__name__} cannot use this X.", got=str(problem).partition("\n")[0], need=need
    )
