"""The conclusion of lei2014, over both kinds of data: fewer runs of the same protocol, on all 25 sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.datasets import LEI2014
from partita.experiments.findings import Finding, statement
from partita.experiments.lei2014 import real_sets, synthetic
from partita.experiments.lei2014.protocol import COVARIANCES_NOTE, GOOD, INDICES, rate_of
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.results import Table

__all__ = ["CONCLUSION"]

RUNS = 25
"""Of each number of clusters on each set: the first of those of the other parts."""

RANGE = (50.0, 70.0)
"""Of the average success rates in the text, in %."""

AROUND = 5.0
"""Percentage points by which a rate may miss it."""


def _plan(run: Run) -> Sequence[Task]:
    made = []
    for task in synthetic.RATES.plan(run):
        name, seed, c, method, kind, seeds = task.arguments
        if kind == "diag":
            made.append(
                Task(f"synthetic-{task.key}", ("synthetic", name, seed, c, method, kind, seeds[:RUNS]))
            )
    for task in real_sets.REAL.plan(run):
        name, c, kind, seeds, seed, _ = task.arguments
        if kind == "diag":
            made.append(Task(f"real-{task.key}", ("real", name, c, kind, seeds[:RUNS], seed, 1)))
    return made


def _work(what: str, *arguments: Any) -> Record:
    study = synthetic.RATES if what == "synthetic" else real_sets.REAL
    return Record({}, {"values": study.work(*arguments).arrays["values"]})


def _gather(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    kinds = {
        "synthetic": {name: (synthetic.numbers_of(name), LEI2014[name].c) for name in LEI2014},
        "real": {name: (real_sets.numbers_of(name), c) for name, c in real_sets.SETS.items()},
    }
    rates = {kind: _rates(records, kind, sets) for kind, sets in kinds.items()}
    whole = all(len(rates[kind]) == len(sets) for kind, sets in kinds.items())
    if not all(rates.values()):
        return Part(remarks=("the real sets cannot be had here: nothing is said of both kinds",))
    means = {
        kind: {i: 100 * float(np.mean([one[i] for one in of.values()])) for i in INDICES}
        for kind, of in rates.items()
    }
    both = {i: (means["synthetic"][i] + means["real"][i]) / 2 for i in INDICES}
    rows = [
        (kind, *(f"{of[i]:.0f}" for i in INDICES)) for kind, of in {**means, "mean of both": both}.items()
    ]
    table = Table("mean success rates in %", ("sets", *INDICES), tuple(rows))
    few = (
        f"the first {RUNS} runs of each number of clusters on each set, each kind of data counted as one half"
    )
    return Part(_findings(means, both, whole), {}, (table,), (few, COVARIANCES_NOTE))


def _rates(
    records: Mapping[str, Record], kind: str, sets: Mapping[str, tuple[list[int], int]]
) -> dict[str, dict[str, float]]:
    made = {}
    for name, (cs, true) in sets.items():
        keys = [f"{kind}-diag-{name}-{c}" for c in cs]
        if all(key in records for key in keys):
            values = np.stack([records[key].arrays["values"] for key in keys])
            made[name] = {i: rate_of(i, cs, values, true) for i in INDICES}
    return made


def _findings(
    means: Mapping[str, Mapping[str, float]], both: Mapping[str, float], whole: bool
) -> tuple[Finding, ...]:
    order = {kind: sorted(of, key=lambda i: -of[i]) for kind, of in means.items()}
    best = max(both, key=lambda i: both[i])
    told = ", ".join(f"{i} {both[i]:.0f}" for i in INDICES)
    places = ", ".join(f"{kind} sets {order[kind].index('VI') + 1}" for kind in means)
    low, high = RANGE[0] - AROUND, RANGE[1] + AROUND
    outside = [i for i in GOOD if not low <= both[i] <= high]
    unless = "" if whole else "not all sets were run"
    return (
        statement(
            "Conclusion", "the soft VI index is perhaps the best of the eight over both kinds of data",
            best == "VI" if whole else None,
            f"mean over both kinds: {told} (%); place of VI: {places}",
            unless=unless or f"{best} is ahead",
        ),
        statement(
            "Conclusion", "six of the eight return average success rates of 50 to 70 %",
            not outside if whole else None,
            f"mean over both kinds: {told} (%); asked: within {AROUND:g} points",
            unless=unless or f"outside: {', '.join(outside)}",
        ),
        statement(
            "Conclusion", "MI and NMI_min should almost certainly be avoided",
            max(both["MI"], both["NMI_min"]) < 0.5 * min(both[i] for i in GOOD) if whole else None,
            f"MI {both['MI']:.0f}, NMI_min {both['NMI_min']:.0f} (%); asked: below half of the worst of the "
            "six",
            unless=unless,
        ),
    )  # fmt: skip


CONCLUSION = Study(
    "conclusion", "the conclusion, over both kinds of data", _plan, _work, _gather, tuple(real_sets.SETS)
)
