"""The last tables of part VII: solutions of high quality for Bridge, and the centroid index among them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Floats
from partita.errors import ConvergenceWarning
from partita.experiments.findings import Finding, number, statement, undetermined
from partita.experiments.franti2017.sources import judged, loaded, printed, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.results import Table

__all__ = ["HIGH_QUALITY"]

K = 256
SHORT, LONG, TUNING = 5000, 100_000, 20_000
"""Swaps: those of the slides' first table, and what we can afford in place of 8 and 1 million."""

SHORTER = 20
"""By which the quick version divides long searches."""

OURS = {
    "GKM": "GKM",
    "RS": "RS",
    "GA": "GA",
    "RS8M": "RS, long",
    "GAIS 2002": "GAIS a",
    "GAIS 2002 + RS1M": "GAIS a + RS",
    "GAIS 2012": "GAIS b",
    "GAIS 2012 + RS1M": "GAIS b + RS",
}
"""Printed rows, and the solutions of ours that stand in for them."""

SAME_LENGTH = ("GKM", "RS", "GA")
POPULATIONS = {"GAIS a": 20, "GAIS b": 30}
GENERATIONS = 50
MATRIX = tuple(name for name in OURS.values() if name not in SAME_LENGTH)


@lru_cache(maxsize=4)
def _bred(name: str, seed: int) -> Any:
    """A solution of the genetic algorithm with a larger population: no settings of GAIS are printed."""
    size = POPULATIONS[name]
    model = pt.cluster.GeneticKMeans(K, population_size=size, n_generations=GENERATIONS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(loaded("bridge").X)


def _model(name: str, seeds: Mapping[str, int], quick: bool) -> Any:
    shorter = SHORTER if quick else 1
    X = loaded("bridge").X
    if name.startswith("GAIS"):
        first = name.removesuffix(" + RS")
        bred = _bred(first, seeds[first])
        if first == name:
            return bred
        swaps = TUNING // shorter
        model: Any = pt.cluster.RandomSwap(
            K, init=bred.cluster_centers_, max_swaps=swaps, patience=swaps, random_state=seeds[name]
        )
    elif name in ("RS", "RS, long"):
        swaps = SHORT if name == "RS" else LONG // shorter
        model = pt.cluster.RandomSwap(K, max_swaps=swaps, patience=swaps, random_state=seeds[name])
    elif name == "GA":
        model = pt.cluster.GeneticKMeans(K, random_state=seeds[name])
    else:
        model = pt.cluster.GlobalKMeans(K)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def _plan(run: Run) -> list[Task]:
    if not run.has("bridge"):
        return []
    seeds = {name: run.task_seed(14, place) for place, name in enumerate(OURS.values())}
    return [Task(name, (name, seeds, run.quick)) for name in OURS.values()]


def _work(name: str, seeds: Mapping[str, int], quick: bool) -> Record:
    labels = _model(name, seeds, quick).labels_
    return Record({"mse": judged("mse", loaded("bridge").X, labels)}, {"labels": labels})


def _matrix(records: Mapping[str, Record]) -> Floats:
    """The centroid index of all pairs, in one direction: from the row to the column."""
    X = loaded("bridge").X
    labels = [records[name].arrays["labels"] for name in MATRIX]
    return np.array([[judged("centroid_index", X, a, b, way="forward") for b in labels] for a in labels])


def _gather(records: Mapping[str, Record], run: Run) -> Part:
    if not records:
        ways = run.missing["bridge"]
        return Part(
            (
                undetermined("High quality", "12 values of MSE", f"no data: {ways}"),
                undetermined("CI matrix", "72 values", f"no data: {ways}"),
            )
        )
    errors = {name: float(record.values["mse"]) for name, record in records.items()}
    matrix = _matrix(records)
    tables = (
        Table("MSE of our solutions for Bridge", ("solution", "MSE"), tuple(errors.items())),
        Table(
            "centroid index among our solutions, from the row to the column",
            ("from", *MATRIX),
            tuple((name, *(int(v) for v in row)) for name, row in zip(MATRIX, matrix, strict=True)),
        ),
    )
    findings = [*_numbers(errors), *_statements(errors, matrix)]
    shorter = SHORTER if run.quick else 1
    remarks = (
        f"random swap: {LONG // shorter} swaps in place of 8 million, {TUNING // shorter} of 1 million",
        f"GAIS: our genetic algorithm with populations of {told(POPULATIONS)}; the slides print no settings",
        "Bridge is put together from an image of that name",
    )
    return Part(tuple(findings), {}, tables, remarks)


def _numbers(errors: Mapping[str, float]) -> list[Finding]:
    made = []
    for (row, _), cell in printed("High quality").items():
        if row in SAME_LENGTH:
            made.append(
                number(
                    cell, errors[row], tolerance=cell.half_unit + 0.005 * cell.value,
                    reason="rounding, and half a percent between runs",
                    unless="other settings, or another version of the algorithm",
                )
            )  # fmt: skip
            continue
        mine = f"; ours, with fewer: {errors[OURS[row]]:.2f}" if row in OURS else ""
        made.append(
            undetermined(cell.where, cell.text, f"millions of swaps, or an algorithm without settings{mine}")
        )
    rows = dict.fromkeys(row for row, _ in printed("CI matrix"))
    for row in rows:
        text = " ".join(cell.text for (r, _), cell in printed("CI matrix").items() if r == row)
        made.append(undetermined(f"CI matrix, {row}", text, "between solutions that are not published"))
    return made


def _statements(errors: Mapping[str, float], matrix: Floats) -> list[Finding]:
    order = ("RS", "GA", "GAIS b", "GAIS b + RS")
    falling = all(errors[a] > errors[b] for a, b in pairwise(order))
    places = {name: place for place, name in enumerate(MATRIX)}
    tuned = {name: int(matrix[places[name], places[f"{name} + RS"]]) for name in POPULATIONS}
    apart = [
        int(matrix[places[a], places[b]])
        for a in MATRIX
        for b in MATRIX
        if a.removesuffix(" + RS") != b.removesuffix(" + RS")
    ]
    return [
        statement(
            "High quality", "RS (5k), GA, GAIS and GAIS tuned by RS: each is better than the one before",
            falling, told({name: errors[name] for name in order}, 2),
        ),
        statement(
            "CI matrix", "solutions of independent origin differ in many clusters at about the same MSE",
            min(apart) >= 10, f"between {min(apart)} and {max(apart)} of {K} clusters (printed: 13 to 25)",
        ),
        statement(
            "CI matrix", "tuning by random swap leaves the clusters where they are (0 or 1)",
            max(tuned.values()) <= 1, told(tuned),
            unless="our solutions are further from the best, so that tuning still moves clusters",
        ),
    ]  # fmt: skip


HIGH_QUALITY = Study(
    "high_quality",
    "solutions of high quality for Bridge, and the centroid index among them (part VII)",
    _plan,
    _work,
    _gather,
    ("bridge",),
)
