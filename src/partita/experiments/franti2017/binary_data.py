"""Part III: the number of clusters of binary data by stochastic complexity."""

from __future__ import annotations

from collections.abc import Mapping

import partita as pt
from partita.datasets import DataSet, make_binary
from partita.experiments.findings import Finding, statement
from partita.experiments.franti2017.sources import agreement, judged, loaded, series_over, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import line_figure
from partita.results import Table

__all__ = ["BINARY"]

PLANTED = "planted groups"
GROUPS, OBJECTS, FEATURES, FLIP = 8, 1000, 32, 0.1
REAL = {"zoo_binary": 7, "votes_complete": 2, "spect": 2}
FORMS = ("printed", "exact")
LARGEST = 14


def _data(name: str, seed: int) -> DataSet:
    if name == PLANTED:
        return make_binary(GROUPS, n=OBJECTS, d=FEATURES, flip=FLIP, random_state=seed)
    return loaded(name)


def _plan(run: Run) -> list[Task]:
    names = [PLANTED, *(name for name in REAL if run.has(name))]
    if run.quick:
        names = names[:2]
    seed = run.task_seed(13)
    return [Task(f"{name}-{k:02d}", (name, k, seed)) for name in names for k in range(1, LARGEST + 1)]


def _work(name: str, k: int, seed: int) -> Record:
    data = _data(name, seed)
    model = pt.cluster.StochasticComplexityClustering(k, n_init=3, max_swaps=30, random_state=seed).fit(
        data.X
    )
    index, labels = "stochastic_complexity", model.labels_
    values = {form: judged(index, data.X, labels, form=form) for form in FORMS}
    values["simplified"] = judged(index, data.X, labels, form="printed", simplified=True)
    return Record(values | {"ARI": agreement(data.labels, model.labels_, "adjusted_rand")})


def _gather(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    names = list(dict.fromkeys(key.rpartition("-")[0] for key in records))
    ks = list(range(1, LARGEST + 1))
    curves = {
        name: {
            form: [records[f"{name}-{k:02d}"].values[form] for k in ks]
            for form in (*FORMS, "simplified", "ARI")
        }
        for name in names
    }
    chosen = {
        name: {form: ks[min(range(len(ks)), key=curves[name][form].__getitem__)] for form in FORMS}
        for name in names
    }
    rows = tuple(
        (name, REAL.get(name, GROUPS), *(chosen[name][form] for form in FORMS), curves[name]["ARI"][k - 1])
        for name in names
        for k in (REAL.get(name, GROUPS),)
    )
    columns = ("set", "classes", *(f"k by the {form} form" for form in FORMS), "ARI at that many classes")
    remarks = (
        (
            f"the slide's data are not named: {GROUPS} planted groups of ours ({OBJECTS} objects, {FEATURES} "
            f"features, {FLIP:.0%} flipped), and binary sets whose classes need not be clusters"
        ),
        (
            "the printed form is the slide's formula; the exact form counts what labels and shares "
            "cost without approximation"
        ),
    )
    table = Table("the k of least stochastic complexity", columns, rows)
    return Part(tuple(_findings(chosen, curves)), {"complexity": _figure(curves, chosen)}, (table,), remarks)


def _findings(
    chosen: Mapping[str, Mapping[str, int]], curves: Mapping[str, Mapping[str, list[float]]]
) -> list[Finding]:
    of = curves[PLANTED]
    steps = [a - b for a, b in zip(of["printed"], of["simplified"], strict=True)]
    constant = max(steps) - min(steps) <= 1e-6 * abs(steps[0])
    return [
        statement(
            "Number of clusters by stochastic complexity", "its least value is at the number of clusters",
            chosen[PLANTED]["printed"] == GROUPS,
            f"{GROUPS} planted groups: {told(chosen[PLANTED])}; ARI there {of['ARI'][GROUPS - 1]:.3f}",
            unless="only the exact form has it there" if chosen[PLANTED]["exact"] == GROUPS else "",
        ),
        statement(
            "Solution for binary data", "the simplified form differs by a constant",
            constant, f"the difference is {steps[0]:.1f} for every k (n log n)" if constant else
            f"the differences go from {min(steps):.1f} to {max(steps):.1f}",
        ),
    ]  # fmt: skip


def _figure(
    curves: Mapping[str, Mapping[str, list[float]]], chosen: Mapping[str, Mapping[str, int]]
) -> FigureData:
    least = chosen[PLANTED]
    of_forms = f"the printed form is least at {least['printed']}, the exact at {least['exact']}"
    title = f"{GROUPS} planted groups: {of_forms}"
    shown = {
        name: {form: series_over(range(1, LARGEST + 1), of[form]) for form in FORMS}
        for name, of in curves.items()
    }
    return line_figure(
        shown,
        title=title,
        description=f"{title}. Stochastic complexity in nats over k; dashed: the number of classes.",
        x="number of clusters k",
        y="nats (lower is better)",
        marked={name: float(REAL.get(name, GROUPS)) for name in curves},
        abreast=2,
    )


BINARY = Study(
    "binary",
    "stochastic complexity on binary data (part III)",
    _plan,
    _work,
    _gather,
    tuple(REAL),
)
