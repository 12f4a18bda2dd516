"""Objects of other libraries: fitted models and clusterings of networks, and what they say about clusters."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import MismatchError, ParameterError, PartitaError, PartitionError


def is_estimator(obj: Any) -> bool:
    """Whether this is a model, fitted or not, as scikit-learn's are; not its class."""
    return hasattr(obj, "fit") and not isinstance(obj, type)


def last_step(model: Any) -> Any:
    """The clusterer itself: of a pipeline, its last step."""
    steps = getattr(model, "steps", None)
    return last_step(steps[-1][1]) if steps else model


SPACES = ("clustered", "input")


def check_space(space: Any) -> None:
    """Refuse what is no space to judge in."""
    if not isinstance(space, str) or space not in SPACES:
        need = '"clustered" (what the last step of a pipeline sees) or "input"'
        raise ParameterError("no such space.", got=repr(space), need=need, parameter="space")


def preparing_steps(model: Any) -> list[str]:
    """The names of what a pipeline does to data before its last step clusters them."""
    steps = getattr(model, "steps", None) or []
    names = [str(name) for name, step in steps[:-1] if step is not None and step != "passthrough"]
    return names + (preparing_steps(steps[-1][1]) if steps else [])


def in_clustered_space(model: Any, X: Any) -> tuple[Any, Any]:
    """The data as the last step of a fitted pipeline sees them, and that step; else both as given."""
    while preparing_steps(model):
        if len(model.steps) > 1:
            try:
                X = _with_index_of(X, model[:-1].transform(X))
            except PartitaError:
                raise
            except (AttributeError, TypeError, ValueError) as problem:
                need = "a fitted pipeline whose steps can transform"
                raise _wrong_data_error(model, problem, need=need) from problem
        model = model.steps[-1][1]
    return X, last_step(model)


def space_note(model: Any, space: str) -> str:
    """In which space a pipeline was judged; nothing for other models."""
    steps = preparing_steps(model)
    if not steps:
        return ""
    if space == "input":
        return f"judged in the space of X, not in that after {', '.join(steps)} where the clusters were made"
    return f"judged where {type(last_step(model)).__name__} clusters: X after {', '.join(steps)}"


def _with_index_of(X: Any, transformed: Any) -> Any:
    """Transformed data as a pandas frame where X was one, so that objects keep their names."""
    if not hasattr(X, "iloc") or hasattr(transformed, "iloc") or np.ndim(transformed) != 2:
        return transformed
    return X.iloc[:, :0].assign(**{f"feature {j}": column for j, column in enumerate(transformed.T)})


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

    By ``predict_proba`` or ``predict``; a model that cannot predict is cloned and fitted to X, since its
    labels may be those of other objects.
    """
    try:
        for method in ("predict_proba", "predict"):
            if hasattr(model, method):
                return getattr(model, method)(X)
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


def refuse_labels_of_other_data(model: Any, X: Any) -> None:
    """An error where the labels that a model keeps of its fit are not those of these objects.

    Known where their number differs, and of a model that can predict where it gives most objects other ones.
    """
    last, n = last_step(model), X.shape[0] if hasattr(X, "shape") else len(X)
    labels = getattr(last, "labels_", None)
    if labels is None or is_mixture(last) or np.ndim(labels) != 1:
        return
    is_other = len(labels) != n
    if not is_other and hasattr(model, "predict"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                is_other = bool(np.mean(np.asarray(model.predict(X)) != labels) > 0.5)
        except Exception:  # noqa: BLE001 (what it cannot predict, it cannot say)
            return
    if is_other:
        raise MismatchError(
            f"this {type(model).__name__} was fitted to other objects, or to these in another order.",
            got=f"labels_ of {len(labels)} objects, X of {n}",
            need="the data of the fit",
            fix="model.predict(X) for the labels of these objects, or model.fit(X) again",
        )


def strengths_in(model: Any) -> Array | None:
    """How strongly each object belongs to its own cluster, as memberships; None if the model keeps none.

    A density method (HDBSCAN) keeps a label and a strength for each object; the rest of a row is noise.
    """
    last = last_step(model)
    labels, strengths = getattr(last, "labels_", None), getattr(last, "probabilities_", None)
    if labels is None or strengths is None or np.shape(labels) != np.shape(strengths):
        return None
    codes = np.asarray(labels)
    matrix = np.zeros((codes.size, max(int(codes.max(initial=-1)) + 1, 1)))
    placed = np.flatnonzero(codes >= 0)
    matrix[placed, codes[placed]] = np.asarray(strengths, dtype=np.float64)[placed]
    return matrix


def graph_clustering(obj: Any) -> tuple[str, Any, Any] | None:
    """The labels with the vertices' names, or the clusters, of a clustering of a network; else None.

    Known are igraph's (and leidenalg's, which derive from it), cdlib's and clusim's, by what they have.
    """
    if isinstance(obj, type):
        return None
    if hasattr(obj, "membership") and hasattr(obj, "graph"):
        membership = list(obj.membership)
        if any(isinstance(item, (list, tuple)) for item in membership):
            return "clusters", [list(cluster) for cluster in obj], None
        vertices: Any = getattr(obj.graph, "vs", None)
        has_names = vertices is not None and "name" in vertices.attributes()
        names = list(vertices["name"]) if has_names else None
        is_unique = names is not None and None not in names and len(set(names)) == len(names)
        return "labels", membership, names if is_unique else None
    if hasattr(obj, "communities") and hasattr(obj, "method_name"):
        return "clusters", [list(community) for community in obj.communities], None
    if hasattr(obj, "clu2elm_dict") and hasattr(obj, "elm2clu_dict"):
        return "clusters", {name: set(members) for name, members in obj.clu2elm_dict.items()}, None
    return None


def refuse_annotated(obj: Any) -> None:
    """An error for a container of data and many clusterings (AnnData): one of them must be named."""
    if isinstance(obj, type) or not all(hasattr(type(obj), name) for name in ("obs", "obsm", "var", "uns")):
        return
    raise PartitionError(
        f"{type(obj).__name__} holds data and clusterings, and one of them is wanted.",
        got=type(obj).__name__,
        need="a column of labels, or a table of numbers",
        fix='compare(adata.obs["a"], adata.obs["b"]); validate(adata.obsm["X_pca"], adata.obs["leiden"])',
    )
