"""Every estimator of ``partita.cluster`` with parameters of all sorts on data of all sorts."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import partita as pt
from fuzz.law import BrokenLawError, check, obey
from fuzz.recipes import build
from fuzz.values import data, numbers, odd_items, sizes, texts

ESTIMATORS = {
    name: made
    for name in pt.cluster.__all__
    if isinstance(made := getattr(pt.cluster, name), type) and issubclass(made, BaseEstimator)
}
USUAL = {
    "n_clusters": st.integers(1, 5),
    "random_state": st.integers(0, 9),
    "n_jobs": st.just(1),
    "max_iter": st.integers(1, 50),
    "max_swaps": st.integers(1, 60),
    "n_generations": st.integers(1, 4),
    "population_size": st.integers(2, 5),
}
WORDS = st.sampled_from(
    [
        "auto",
        "k-means++",
        "random",
        "k-means",
        "pnc",
        "full",
        "tied",
        "diag",
        "spherical",
        "pi",
        "lingras",
        "peters",
        "likelihood",
        "means",
        "fuzzy",
        "pairwise",
        "fill",
        "keep",
        "euclidean",
        "precomputed",
        "nonsense",
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(st.sampled_from(sorted(ESTIMATORS)))
    names = sorted(ESTIMATORS[name]().get_params())
    params = {each: draw(USUAL[each]) for each in names if each in USUAL}
    for each in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)):
        params[each] = draw(st.one_of(st.integers(-1, 6), WORDS, numbers, texts, odd_items))
    params["n_jobs"] = 1
    return {
        "name": name,
        "params": {each: value for each, value in params.items() if each in names},
        "X": draw(data(draw(sizes()))),
    }


def run(document: dict[str, Any]) -> None:
    obey(lambda: fitted(document), is_fit=True)


def fitted(document: dict[str, Any]) -> Any:
    """The partition of a fit whose numbers are all finite."""
    X = build(document["X"])
    model = ESTIMATORS[document["name"]](**build(document["params"])).fit(X)
    n = X.shape[0]
    if len(model.labels_) != n:
        raise BrokenLawError(f"{len(model.labels_)} labels of {n} objects")
    for name in ("labels_", "objective_", "cluster_centers_"):
        values = getattr(model, name, 0.0)
        if not np.isfinite(np.asarray(values, dtype=float)).all():
            raise BrokenLawError(f"{name} of {document['name']} is not finite: {values}")
    check(model.partition_)
    if hasattr(model, "predict"):
        model.predict(X)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X)
        if not np.isfinite(shares).all():
            raise BrokenLawError(f"predict_proba of {document['name']} is not finite")
    return model.partition_
