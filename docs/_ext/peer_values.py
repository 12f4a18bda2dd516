"""What other packages say of the same objects: called here, or recorded in docs/audit/recorded."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

DOCS = Path(__file__).parents[1]
RECORDED = DOCS / "audit" / "recorded"
FLOWERS = "Iris"
PLACES = (FLOWERS, "blobs", "moons", "grid")
"""The sets on which numbers are compared: others have more clusters on either side, names with gaps, and
objects nearer to the centre of another cluster."""


@cache
def packages() -> dict[str, dict[str, str]]:
    """For each package how its rows are known: run, recorded or read."""
    return tomllib.loads((DOCS / "packages.toml").read_text(encoding="utf-8"))


@cache
def recorded(file: str) -> dict[str, Any]:
    """A file of recorded values."""
    return json.loads((RECORDED / file).read_text(encoding="utf-8"))


@cache
def flowers() -> dict[str, Any]:
    """Iris: data, species, labels of k-means, memberships of fuzzy c-means, a fitted mixture."""
    iris = recorded("inputs.json")["iris"]
    X = load_iris().data
    return {
        "X": X,
        "truth": np.array(iris["species"]),
        "found": np.array(iris["labels"]),
        "memberships": np.array(iris["memberships"]),
        "model": GaussianMixture(3, random_state=0).fit(X),
    }


@cache
def objects_of(place: str) -> dict[str, Any]:
    """The flowers, or another set of `PLACES`: as the flowers, without memberships."""
    if place == FLOWERS:
        return flowers()
    given = recorded("inputs.json")["sets"][place]
    X, truth, found = np.array(given["X"], float), np.array(given["truth"]), np.array(given["found"])
    k = len(set(found.tolist()))
    model = GaussianMixture(k, random_state=0, reg_covar=1e-3).fit(X)
    return {"X": X, "truth": truth, "found": found, "model": model}


def places_of(package: str, name: str, inputs: tuple[str, ...]) -> list[str]:
    """The sets of which the package was asked for this number."""
    return [place for place in PLACES if value(package, name, inputs, place) is not None]


def how_known(package: str, name: str, inputs: tuple[str, ...]) -> str:
    """How a row is known: run or recorded, with the version and the number of sets, or read."""
    n_sets = len(places_of(package, name, inputs))
    if not n_sets:
        return "read"
    return f"{how_asked(package)}, {f'{n_sets} sets' if n_sets > 1 else 'Iris only'}"


def what_was_read(start: str) -> str:
    """Of the packages whose name begins so and which were not run, what was read instead."""
    known = [(name, said["read"]) for name, said in sorted(packages().items()) if "read" in said]
    return "; ".join(f"{name}: {source}" for name, source in known if name.startswith(start))


def how_asked(package: str) -> str:
    """Which version was run or recorded."""
    said = packages()[package]
    if "run" in said:
        return f"run {version(said['run'])}"
    if "recorded" in said:
        return f"recorded {recorded(said['recorded'])['versions'][package]}"
    return "not run"


@cache
def value(package: str, name: str, inputs: tuple[str, ...], place: str = FLOWERS) -> float | None:
    """What the package says of the flowers or of another set, or nothing where it was not asked."""
    said = packages()[package]
    if "run" in said:
        return _called(package, name, inputs, place)
    if "recorded" in said:
        return _recorded(said["recorded"], package, name, place)
    return None


def asked_about(package: str, name: str, inputs: tuple[str, ...], place: str = FLOWERS) -> list[Any]:
    """The objects as the package got them: packages of fuzzy clusterings got memberships."""
    said = packages()[package]
    is_fuzzy = package in recorded(said["recorded"]).get("iris_fuzzy", {}) if "recorded" in said else False
    given = dict(objects_of(place))
    if is_fuzzy:
        given["found"] = given["memberships"]
    if name == "KMeans.inertia_":  # it knows its own labels only
        given["found"] = _k_means(place).labels_
    return [given[one] for one in inputs]


@cache
def _k_means(place: str) -> KMeans:
    given = objects_of(place)
    return KMeans(len(set(given["found"].tolist())), n_init=10, random_state=0).fit(given["X"])


def _recorded(file: str, package: str, name: str, place: str) -> float | None:
    if place != FLOWERS:
        known = recorded(file).get("sets", {}).get(place, {}).get(package, {})
    else:
        values = recorded(file)["iris"]
        known = {**values.get(package, values), **recorded(file).get("iris_fuzzy", {}).get(package, {})}
    number = known.get(name)
    return number if isinstance(number, float | int) else None


def _called(package: str, name: str, inputs: tuple[str, ...], place: str) -> float | None:
    given = objects_of(place)
    function, _, options = name.partition("(")
    words = dict(re.findall(r'(\w+)="(\w+)"', options))
    own = [given[i] for i in inputs]
    if package == "scikit-learn":
        if name.startswith("GaussianMixture."):
            return float(getattr(given["model"], name.partition(".")[2])(given["X"]))
        if name == "KMeans.inertia_":
            return float(_k_means(place).inertia_)
        return float(getattr(metrics, function)(*own, **words))
    if package == "genieclust":
        room, _, function = function.partition(".")
        numbers = [int(n) for n in re.findall(r", (\d)", options)]
        # it takes no names of clusters but 0, 1, 2, ...
        own = [np.unique(one, return_inverse=True)[1] if one.ndim == 1 else one for one in own]
        return float(getattr(importlib.import_module(f"genieclust.{room}"), function)(*own, *numbers))
    if package == "permetrics":
        from permetrics import ClusteringMetric

        asked = ClusteringMetric(y_true=given["truth"], y_pred=given["found"], X=given["X"])
        return float(getattr(asked, function)())
    return None
