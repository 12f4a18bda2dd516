"""Any scikit-learn-like clusterer: given a number of clusters and a seed, fitted, and read."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import MismatchError, ParameterError, Phrase, Setting
from partita.partitions import FUZZY, HardPartition, Partition, as_partition
from partita.partitions.models import last_step

K_PARAMETERS = ("n_clusters", "n_components")


def method_or_usual(estimator: Any) -> Any:
    """The clusterer given, or random swap."""
    if estimator is not None:
        return estimator
    from partita.cluster import RandomSwap

    return RandomSwap()


def k_parameter(estimator: Any, k_param: str | None = None) -> str:
    """The name of the parameter that sets the number of clusters, as ``set_params`` takes it."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        raise ParameterError(
            "this is no clusterer that a number of clusters can be set on.",
            got=repr(estimator),
            need="a scikit-learn-like estimator with get_params, set_params and fit",
            fix="an instance, such as KMeans(), not the class" if isinstance(estimator, type) else None,
        )
    if k_param is not None and not isinstance(k_param, str):
        raise ParameterError(
            Phrase(Setting("k_param"), " is no name."),
            got=repr(k_param),
            need='the name of a parameter, such as "n_clusters"',
        )
    known = estimator.get_params(deep=True)
    steps = getattr(estimator, "steps", None)
    prefix = f"{steps[-1][0]}__" if steps else ""
    wanted = [prefix + name for name in K_PARAMETERS] if k_param is None else [k_param]
    for name in wanted:
        if name in known:
            return name
    raise ParameterError(
        f"{type(estimator).__name__} has no parameter for the number of clusters.",
        got=f"parameters {', '.join(sorted(known)) or 'none'}",
        need=" or ".join(map(str, wanted)),
        fix='k_param="..." names it' if k_param is None else None,
    )


METRIC_PARAMETERS = ("metric", "affinity", "dissimilarity")
OF_SIMILARITIES = ("SpectralClustering", "AffinityPropagation")


def metric_for(method: Any, metric: Any) -> Any:
    """The metric of the data; "precomputed" where only the method has it."""
    step = None if method is None or len(getattr(method, "steps", ())) > 1 else last_step(method)
    return "precomputed" if metric is None and getattr(step, "metric", None) == "precomputed" else metric


def refuse_methods_of_features(method: Any) -> None:
    """Refuse a method that would take the distances of objects for their features."""
    step = last_step(method)
    known = step.get_params(deep=False) if hasattr(step, "get_params") else None
    if known is None:
        return  # it may take anything
    name = type(step).__name__
    own = [parameter for parameter in METRIC_PARAMETERS if parameter in known]
    reason = ""
    if len(getattr(method, "steps", ())) > 1:
        reason, need = "a pipeline whose first steps change features", f"{name} alone"
    elif name in OF_SIMILARITIES:
        reason, need = f"{name}, which takes similarities", "a method of distances"
    elif not own:
        reason, need = f"{name}, which needs features", "a method of distances, such as DensityTree"
    elif not any(known[parameter] == "precomputed" for parameter in own):
        reason = f"{name}({own[0]}={known[own[0]]!r})"
        need = f'{name}({own[0]}="precomputed")'
    if reason:
        raise ParameterError(
            "this method would take distances between objects for features.",
            got=reason,
            need=need,
            parameter="metric",
        )


def method_sort(method: Any) -> str:
    """The sort of clusters that a method makes, by the parameters that it has.

    One of "mixture", "binary", "fuzzy", "density" and "centres".
    """
    step = last_step(method)
    parameters = step.get_params(deep=False) if hasattr(step, "get_params") else {}
    if "covariance_type" in parameters:
        return "mixture"
    if type(step).__name__ == "StochasticComplexityClustering":
        return "binary"
    if "m" in parameters and "delta" not in parameters:
        return "fuzzy"
    return "density" if {"eps", "min_samples", "min_cluster_size"} & set(parameters) else "centres"


def is_random(estimator: Any) -> bool:
    """Whether runs with other seeds may differ."""
    known = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else vars(estimator)
    return any(name.rpartition("__")[2] == "random_state" for name in known)


def seeded(estimator: Any, parameters: dict[str, Any], seed: int) -> Any:
    """An unfitted clone with these parameters and this seed."""
    from sklearn.base import clone

    made = clone(estimator).set_params(**parameters)
    states = [name for name in made.get_params(deep=True) if name.rpartition("__")[2] == "random_state"]
    return made.set_params(**dict.fromkeys(states, seed))


def scaling_first(model: Any, scaler: Any, features: Sequence[Any] = ()) -> Any:
    """A fitted model behind a fitted scaler, so that it takes data in their own units; itself without one.

    With names of features it takes frames that have them.
    """
    if scaler is None:
        return model
    from sklearn.pipeline import Pipeline

    named = copy.copy(scaler)
    if features and all(isinstance(name, str) for name in features):
        named.feature_names_in_ = np.array(features, dtype=object)
    return Pipeline([("scale", named), ("cluster", model)])


CENTRES = ("cluster_centers_", "means_")
"""Attributes in which models keep their centres."""


def centres_of(model: Any, scaler: Any, features: Sequence[Any] = ()) -> Any:
    """The centres of a fitted model, which may stand behind a scaler, as a frame in the units of the data."""
    import pandas as pd

    step = last_step(model)
    means = next((getattr(step, name) for name in CENTRES if hasattr(step, name)), None)
    if means is None or (scaler is None and step is not model):
        raise ParameterError(
            "this fit has no centres in the units of X.",
            got=type(step).__name__,
            need="a method of centres that clusters X itself",
        )
    values = np.asarray(means) if scaler is None else scaler.inverse_transform(means)
    names = list(features) or [f"column {j}" for j in range(values.shape[1])]
    return pd.DataFrame(values, columns=names, index=pd.RangeIndex(len(values), name="cluster"))


def clustering_of(model: Any, X: Any) -> Partition:
    """The clustering that a fitted model makes of the data it was fitted to."""
    found: Partition = as_partition(model, X=X)
    if found.n_objects != np.shape(X)[0]:
        raise MismatchError(
            f"{type(model).__name__} clustered other objects than it was given.",
            got=f"{found.n_objects} labels of {np.shape(X)[0]} objects",
            need="a label for each object",
        )
    return found


def carried_over(model: Any, X: Floats, onto: Floats, own: Partition | None = None) -> Partition:
    """The clustering of other objects by a model fitted to X: its prediction, else the label of the nearest.

    The prediction is soft where the clustering of X is, which is ``own`` where the model does not keep it. Of
    a pipeline, the nearest object is that in the features that its last step clusters.
    """
    own = clustering_of(model, X) if own is None else own
    if own.kind is FUZZY and hasattr(model, "predict_proba"):
        made: Partition = as_partition(model.predict_proba(onto))
        return made
    if hasattr(model, "predict"):
        return HardPartition(np.asarray(model.predict(onto)))
    from scipy.spatial import cKDTree

    if len(getattr(model, "steps", ())) > 1:
        X, onto = model[:-1].transform(X), model[:-1].transform(onto)
    carried: Partition = own.harden().take(cKDTree(X).query(onto)[1])
    return carried


def one_line(problem: Exception) -> str:
    """An exception as a note in a table."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
