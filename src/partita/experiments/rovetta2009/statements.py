"""What rovetta2009 says, in words and formulas, each with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from partita.experiments.findings import Finding, statement
from partita.experiments.rovetta2009.distances import NAMES, SAME, printed_numbers
from partita.experiments.rovetta2009.iris import CASES, HARD_PAIR, PAIRINGS, plan_iris, work_iris
from partita.experiments.rovetta2009.toys import (
    EXPERIMENTS,
    MISPRINTS,
    falling_steps,
    flat_curves,
    plan_sweeps,
    plan_toys,
    work_sweep,
    work_toy,
)
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.results import show

WHY_NOT = {
    "objects": "the paper names it itself: see Jaccard on the first experiment",
    "one_membership": "",
    "all_memberships": "co-associations stay linear in the crisp ones, so that the correlation is 1",
}
"""What is behind curves that do not rise."""


def plan_statements(run: Run) -> Sequence[Task]:
    """What the statements are about: toys, sweeps, and Iris."""
    return [
        *(Task(f"toy-{task.key}", ("toy", *task.arguments)) for task in plan_toys(run)),
        *(Task(f"sweep-{task.key}", ("sweep", *task.arguments)) for task in plan_sweeps(run)),
        *(Task(f"iris-{task.key}", ("iris", *task.arguments)) for task in plan_iris(run)),
    ]


def work_statement(what: str, *arguments: Any) -> Record:
    """The work of one of the other parts."""
    works: dict[str, Callable[..., Record]] = {"toy": work_toy, "sweep": work_sweep, "iris": work_iris}
    return works[what](*arguments)


def gather_statements(records: Mapping[str, Record], _run: Run) -> Part:
    """A verdict on each statement."""

    def those(kind: str) -> dict[str, Record]:
        return {k.removeprefix(kind): r for k, r in records.items() if k.startswith(kind)}

    toys, sweeps, iris = those("toy-"), those("sweep-"), those("iris-")
    findings = (
        *_on_formulas(toys),
        *_on_equality(toys, sweeps),
        *_on_growth(sweeps),
        *_on_iris(iris),
    )
    return Part(findings)


def _on_formulas(toys: Mapping[str, Record]) -> list[Finding]:
    """Whether each printed formula gives the column of Table 2."""
    printed = printed_numbers("Table 2")
    found = []
    for column, (where, said, held) in MISPRINTS.items():
        wrong = [
            toy
            for toy, record in toys.items()
            if abs(record.values["as_printed"][column] - printed[toy, column].value)
            > printed[toy, column].half_unit + SAME
        ]
        value = toys["toy4"].values["as_printed"][column]
        evidence = f"{len(toys) - len(wrong)} of {len(toys)} rows of Table 2 agree; toy4 {show(value)}"
        evidence += f", printed {printed['toy4', column].text}"
        found.append(
            statement(where, f"{column}: {said}", not wrong, evidence, unless=f"the table holds {held}")
        )
    return found


def _on_equality(toys: Mapping[str, Record], sweeps: Mapping[str, Record]) -> list[Finding]:
    starts = [float(v[0]) for record in sweeps.values() for v in record.arrays.values()]
    soft = toys["toy2"].values["distances"]
    nonzero = {column: value for column, value in soft.items() if value > SAME}
    told = ", ".join(f"{column} {show(value)}" for column, value in nonzero.items())
    return [
        statement(
            "Section 4.1, Fig. 1",
            "all the indexes have value 0 for equal partitions",
            max(starts) <= SAME,
            f"largest of {len(starts)} values at the crisp starts of the sweeps: {show(max(starts))}",
        ),
        statement(
            "Section 4.1, beyond Fig. 1",
            "all the indexes have value 0 for equal partitions, soft ones too",
            not nonzero,
            f"toy2, a soft partition with itself: {told}" if told else "toy2: all are 0",
            unless="these are no distances on soft partitions: two equal ones are compared as if independent",
        ),
    ]


def _on_growth(sweeps: Mapping[str, Record]) -> list[Finding]:
    falls, flat = falling_steps(sweeps), flat_curves(sweeps)
    found = []
    for name in sweeps:
        falling = {column: step for (sweep, column), step in falls.items() if sweep == name}
        unmoved = [column for sweep, column in flat if sweep == name]
        told = [f"{column} falls from step {step} on" for column, step in falling.items()]
        told += [f"{column} stays at {show(round(sweeps[name].arrays[column][0], 9))}" for column in unmoved]
        missing = sorted({c for c, v in sweeps[name].arrays.items() if np.isnan(v).any()})
        evidence = ", ".join(told) or "every distance rises, and none falls at any step"
        if missing:
            evidence += f"; {', '.join(missing)} is 0/0 at the last step"
        found.append(
            statement(
                f"Section 4.1, experiment {EXPERIMENTS[name]}",
                "all the indexes increase monotonically",
                not falling and not unmoved,
                evidence,
                unless=WHY_NOT[name],
            )
        )
    exceptions = [column for sweep, column in falls if sweep == "objects"]
    jaccard = sweeps["objects"].arrays["Jaccard"]
    peak = int(np.nanargmax(jaccard))
    found.append(
        statement(
            "Section 4.1",
            "there are cases where some index does not agree with others (see Jaccard, first experiment)",
            exceptions == ["Jaccard"],
            f"Jaccard on the first experiment rises to {show(jaccard[peak])} at step {peak} and ends at "
            f"{show(jaccard[-1])}, where {len(NAMES) - len(exceptions)} others never fall",
        )
    )
    return found


def _on_iris(iris: Mapping[str, Record]) -> list[Finding]:
    printed = printed_numbers("Table 3")
    said = "all the indexes correctly reflect that the separation between Versicolor and Virginica is hard"
    ours = sum(_is_worst(iris, case, column) for case in CASES for column in NAMES)
    total = len(CASES) * len(NAMES)
    theirs = sum(
        max(pairs := [printed[f"{case}, {name}", column].value for name in list(PAIRINGS)[1:]]) == pairs[-1]
        for case in CASES
        for column in NAMES
    )
    return [
        statement(
            "Section 4.2, in our run",
            said,
            ours == total,
            f"{HARD_PAIR} has the largest distance of the three pairs in {ours} of {total} columns",
        ),
        statement(
            "Section 4.2, in its own Table 3",
            said,
            theirs == total,
            f"{HARD_PAIR} has the largest distance of the three pairs in {theirs} of {total} columns",
            unless="the labels of the rows contradict the words",
        ),
    ]


def _is_worst(iris: Mapping[str, Record], case: str, column: str) -> bool:
    values = [iris[f"{i}-2"].values[case][column] for i in range(1, len(PAIRINGS))]
    return values[-1] == max(values) and values.count(max(values)) == 1


STATEMENTS = Study(
    "statements",
    "its formulas and statements",
    plan_statements,
    work_statement,
    gather_statements,
    ("iris",),
)
