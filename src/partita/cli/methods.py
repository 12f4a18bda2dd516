"""Methods, numbers of clusters, values of a parameter and schemes of perturbation, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

OWN = "auto"
"""Partita's own methods, for which there is no single estimator."""

WITHOUT_K = {
    "dbscan": "--parameter eps --values 0.2,0.5,1",
    "hdbscan": "--parameter min_cluster_size --values 5,10,20",
}
"""Methods that choose the number of clusters themselves, and values to try of each."""

OURS = {
    "swap": "RandomSwap",
    "gmm": "GaussianMixtureEM",
    "fuzzy": "FuzzyCMeans",
    "possibilistic": "PossibilisticCMeans",
    "rough": "RoughKMeans",
    "evidential": "EvidentialCMeans",
    "binary": "StochasticComplexityClustering",
}
"""Methods of partita, by the names they are typed by."""

THEIRS = {
    "kmeans": "KMeans",
    "ward": "AgglomerativeClustering",
    "dbscan": "DBSCAN",
    "hdbscan": "HDBSCAN",
}
"""Methods of scikit-learn, which takes half a second to import."""


def numbers_in(text: str) -> Sequence[int]:
    """``1:12`` with both ends, ``2:30:2`` in steps, or ``2,3,5``."""
    from partita.errors import ParameterError

    try:
        parts = [int(part) for part in text.split(":")] if ":" in text else []
        if len(parts) in (2, 3) and (len(parts) == 2 or parts[2] > 0):
            numbers = range(parts[0], parts[1] + 1, *parts[2:])
            if numbers:
                return numbers
        if not parts:
            return [int(part) for part in text.split(",")]
    except ValueError:
        pass
    raise ParameterError(
        "--k is not a range of numbers.", got=repr(text), need="1:12, the smaller end first, 2:30:2 or 2,3,5"
    )


def values_in(text: str) -> list[Any]:
    """``0.1,0.2,0.5``: numbers where they are some, else words."""
    return [value_in(piece.strip()) for piece in text.split(",")]


def method_named(text: str) -> Any:
    """A clusterer by its short name, with parameters after a colon; None for partita's own methods."""
    from importlib import import_module

    from partita.errors import ParameterError, near_names

    if text == OWN:
        return None
    known = OURS | THEIRS
    name, _, given = text.partition(":")
    if name not in known:
        raise near_names(name, [OWN, *known], noun="method", parameter="method")
    room = import_module("sklearn.cluster" if name in THEIRS else "partita.cluster")
    options = dict(piece.partition("=")[::2] for piece in given.split(",") if piece)
    try:
        return getattr(room, known[name])().set_params(
            **{option: value_in(value) for option, value in options.items()}
        )
    except ValueError as problem:
        raise ParameterError(f"{name} has no such option.", got=text, need=str(problem)) from None


def value_in(text: str) -> Any:
    """The number, or the word where it is none."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"True": True, "False": False, "None": None}.get(text, text)


def scheme_named(text: str) -> Any:
    """A scheme of perturbation by its short name, with its amount after a colon."""
    from partita.errors import ParameterError, near_names
    from partita.selection import Bootstrap, Noise, Rerun, Subsample

    known = {"subsample": Subsample, "bootstrap": Bootstrap, "noise": Noise, "rerun": Rerun}
    name, _, amount = text.partition(":")
    if name not in known:
        raise near_names(name, known, noun="scheme", parameter="scheme")
    try:
        return known[name](*([float(amount)] if amount else []))
    except (TypeError, ValueError) as problem:
        raise ParameterError(
            f"{name} does not take this.", got=text, need="subsample:0.3, noise:0.2, bootstrap or rerun"
        ) from problem
