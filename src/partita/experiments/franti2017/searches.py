"""Part I and part V: clusterings of random data, and strategies that search for the number of clusters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.errors import PartitaWarning
from partita.experiments.findings import Finding, statement
from partita.experiments.franti2017.sources import loaded, scatter, series_over, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import line_figure
from partita.results import Table

__all__ = ["RANDOM_DATA", "STRATEGIES", "random_clustering"]

# --- random data ------------------------------------------------------------------------------------------

POINTS = 100
CLUSTERS = 3
METHODS = ("K-means", "DBSCAN", "Complete link")
CORE = 4


def random_points(seed: int) -> Floats:
    """Points anywhere in the unit square."""
    return np.random.default_rng(seed).random((POINTS, 2))


def random_clustering(method: str, X: Floats, seed: int) -> Array:
    """What a method makes of data; DBSCAN's radius is the median distance to the fourth neighbour."""
    from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
    from sklearn.neighbors import NearestNeighbors

    if method == "K-means":
        model: Any = KMeans(CLUSTERS, n_init=10, random_state=seed)
    elif method == "DBSCAN":
        distances, _ = NearestNeighbors(n_neighbors=CORE + 1).fit(X).kneighbors(X)
        model = DBSCAN(eps=float(np.median(distances[:, -1])), min_samples=CORE)
    else:
        model = AgglomerativeClustering(CLUSTERS, linkage="complete")
    labels: Array = model.fit(X).labels_
    return labels


def _random_plan(run: Run) -> list[Task]:
    return [Task("random", (run.task_seed(11, 0), 50 if run.quick else 200))]


def _random_work(seed: int, n_null: int) -> Record:
    X = random_points(seed)
    found = {method: random_clustering(method, X, seed) for method in METHODS}
    asked = pt.selection.structure(X, n_null=n_null, random_state=seed)
    values = {"statement": str(asked.statement), "p_value": float(asked.p)}
    return Record(values, {"X": X, **found})


def _random_gather(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    record = records["random"]
    X = record.arrays["X"]
    counts = {m: int(np.unique(record.arrays[m][record.arrays[m] >= 0]).size) for m in METHODS}
    figures = {}
    for method in METHODS:
        name = method.lower().replace(" ", "_").replace("-", "_")
        title = f"{method} finds {counts[method]} clusters in random points"
        figures[name] = scatter(record.arrays[method], X, title)
    p = record.values["p_value"]
    findings = (
        statement(
            "Clustering of random data", "k-means, DBSCAN and complete link find clusters in random points",
            all(count > 1 for count in counts.values()), f"clusters found: {told(counts)}",
        ),
        statement(
            "Cluster validation process", "whether there is structure must be asked first: none is found",
            p > 0.05, f"{record.values['statement']} (p = {p:.2f})",
        ),
    )  # fmt: skip
    remarks = (
        (
            f"{POINTS} points uniform in a square; settings are ours: 3 clusters, and for DBSCAN "
            f"{CORE} objects within the median distance to the fourth neighbour"
        ),
    )
    return Part(findings, figures, (), remarks)


RANDOM_DATA = Study(
    "random_data",
    "random data, clustered by k-means, DBSCAN and complete link (part I)",
    _random_plan,
    _random_work,
    _random_gather,
)


# --- strategies -------------------------------------------------------------------------------------------

SEARCHES = ("brute force", "stepwise", "guided", "hierarchical")
SETS = {"S1": 15, "S2": 15, "S3": 15, "S4": 15, "R15": 15, "D31": 31, "A3": 50}
QUICK_SETS = ("S1", "R15")


def stop_of(k: int) -> float:
    """The number of clusters at which our stepwise search ends if k is best."""
    return 1.5 * k + 5


def _plan(run: Run) -> list[Task]:
    tasks = []
    for place, row in enumerate(SETS):
        if not run.has(row.lower()) or (run.quick and row not in QUICK_SETS):
            continue
        seed = run.task_seed(12, place)
        tasks += [Task(f"{row}-{search}", (row.lower(), search, seed)) for search in SEARCHES]
    return tasks


def _work(name: str, search: str, seed: int) -> Record:
    X = loaded(name).X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        found = pt.choose_k(
            X,
            ks=range(2, math.isqrt(len(X)) + 1),
            n_runs=1,
            indices=["wb_index"],
            search=search,
            structure=False,
            n_splits=0,
            random_state=seed,
        )
    curve = found.curves["wb_index"]
    k = found.choices["wb_index"].verdict.k
    best = float(curve.values[list(found.ks).index(k)])
    return Record({"k": k, "best": best, "ks": list(found.ks), "values": [float(v) for v in curve.values]})


def _gather(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    rows_of = [row for row in SETS if f"{row}-{SEARCHES[0]}" in records]
    if not rows_of:
        return Part(remarks=("none of the sets can be had here: nothing was run",))
    got = {search: {row: records[f"{row}-{search}"].values for row in rows_of} for search in SEARCHES}
    table = Table(
        "chosen by WB, and how many k were judged on the way",
        ("set", "true", *(f"{search}: {what}" for search in SEARCHES for what in ("k", "judged"))),
        tuple(
            (row, SETS[row], *(x for s in SEARCHES for x in (got[s][row]["k"], len(got[s][row]["ks"]))))
            for row in rows_of
        ),
    )
    cut = {row: got["hierarchical"][row]["k"] for row in rows_of}
    remarks = (
        f"the slides ask whether a hierarchical algorithm would do: cuts of a Ward tree come to {told(cut)}",
        "the slide that compares the strategies is a picture that is lost; its times cannot be compared",
        "the stop of the stepwise search is ours: beyond one and a half times the best k, and five",
        "k from 2 to the root of n, one run of random swap for each in the brute force",
    )
    return Part(tuple(_findings(got, rows_of)), {"searches": _figure(got, rows_of)}, (table,), remarks)


def _findings(got: Mapping[str, Mapping[str, Any]], rows: list[str]) -> list[Finding]:
    made = []
    for search in SEARCHES[:-1]:
        chosen = {row: got[search][row]["k"] for row in rows}
        right = all(chosen[row] == SETS[row] for row in rows)
        where = "Strategies for efficient search"
        made.append(statement(where, f"{search} finds the number of clusters", right, told(chosen)))
    roomy = [row for row in rows if max(got["brute force"][row]["ks"]) > stop_of(SETS[row])]
    shares = {row: len(got["stepwise"][row]["ks"]) / len(got["brute force"][row]["ks"]) for row in roomy}
    made.append(
        statement(
            "Stopping criterion for stepwise search", "stepwise need not go through all numbers of clusters",
            max(shares.values()) < 1 if shares else None,
            f"share of k judged: {told(shares, 2)} (sets whose range goes far enough beyond the true k)",
        )
    )  # fmt: skip
    return made


def _figure(got: Mapping[str, Mapping[str, Any]], rows: list[str]) -> FigureData:
    right = {search: sum(got[search][row]["k"] == SETS[row] for row in rows) for search in SEARCHES}
    title = f"right on {len(rows)} sets: {told(right)}"
    shown = {
        row: {
            search: series_over(got[search][row]["ks"], got[search][row]["values"])
            for search in ("brute force", "stepwise")
        }
        for row in rows
    }
    return line_figure(
        shown,
        title=title,
        description=f"{title}. WB over k by brute force and stepwise; dashed: the true number.",
        x="number of clusters k",
        y="WB (lower is better)",
        marked={row: float(SETS[row]) for row in rows},
    )


STRATEGIES = Study(
    "strategies",
    "brute force, stepwise, criterion-guided and hierarchical search (part V)",
    _plan,
    _work,
    _gather,
    tuple(row.lower() for row in SETS),
)
