"""What other packages say of the same flowers: called here, or recorded in docs/audit/recorded."""

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


def how_known(package: str, name: str, inputs: tuple[str, ...]) -> str:
    """How a row is known: run or recorded, with the version, or read."""
    return "read" if value(package, name, inputs) is None else how_asked(package)


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
def value(package: str, name: str, inputs: tuple[str, ...]) -> float | None:
    """What the package says of the flowers, or nothing where it was not asked."""
    said = packages()[package]
    if "run" in said:
        return _called(package, name, inputs)
    if "recorded" in said:
        return _recorded(said["recorded"], package, name)
    return None


def asked_about(package: str, inputs: tuple[str, ...]) -> list[Any]:
    """The flowers as the package got them: packages of fuzzy clusterings got memberships."""
    said = packages()[package]
    is_fuzzy = package in recorded(said["recorded"]).get("iris_fuzzy", {}) if "recorded" in said else False
    return [flowers()["memberships" if is_fuzzy and name == "found" else name] for name in inputs]


def _recorded(file: str, package: str, name: str) -> float | None:
    values = recorded(file)["iris"]
    fuzzy = recorded(file).get("iris_fuzzy", {})
    known = {**values.get(package, values), **fuzzy.get(package, {})}
    number = known.get(name)
    return number if isinstance(number, float | int) else None


def _called(package: str, name: str, inputs: tuple[str, ...]) -> float | None:
    given = flowers()
    function, _, options = name.partition("(")
    words = dict(re.findall(r'(\w+)="(\w+)"', options))
    own = [given[i] for i in inputs]
    if package == "scikit-learn":
        if name.startswith("GaussianMixture."):
            return float(getattr(given["model"], name.partition(".")[2])(given["X"]))
        if name == "KMeans.inertia_":
            return float(KMeans(3, n_init=10, random_state=0).fit(given["X"]).inertia_)
        return float(getattr(metrics, function)(*own, **words))
    if package == "genieclust":
        room, _, function = function.partition(".")
        numbers = [int(n) for n in re.findall(r", (\d)", options)]
        return float(getattr(importlib.import_module(f"genieclust.{room}"), function)(*own, *numbers))
    if package == "permetrics":
        from permetrics import ClusteringMetric

        asked = ClusteringMetric(y_true=given["truth"], y_pred=given["found"], X=given["X"])
        return float(getattr(asked, function)())
    return None
