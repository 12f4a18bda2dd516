"""The toy problems of rovetta2009: Table 2, and the three sweeps of Fig. 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from partita import indices
from partita.datasets import ROVETTA2009, SWEEPS, make_rovetta2009_sweep, make_rovetta2009_toy
from partita.experiments.findings import number, undetermined
from partita.experiments.rovetta2009.distances import NAMES, SAME, distances_of, printed_numbers
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.partitions import coassociation
from partita.plots.kinds.lines import Series, line_figure
from partita.results import Cell, Table

EXPERIMENTS = {
    "objects": "1: objects move",
    "one_membership": "2: one membership moves",
    "all_memberships": "3: all go to 0.5",
}

MISPRINTS = {
    "Average": ("text", "distance of the two averages", "2 mean|a - b|"),
    "Rand": ("eq. (7)", "(sum(a + b) + 1) / H", "mean(a + b - 2ab), 1 minus the Rand index"),
    "Student": ("eq. (6)", "sum|a - b| / (0.5 + variance of |a - b|)", "the mean in place of the sum"),
    "Correl.": ("eq. (3)", "(1 - corr) / 2", "1 - corr"),
    "Jaccard": ("eq. (5)", "1 - sum(ab) / sum(a + b - ab)", "the same"),
}
"""Where the paper has the formula, what it prints, and what its Table 2 holds."""

PLAUSIBLE_SIZES = range(8, 41)
"""Numbers of objects for which it is tried whether the printed digits can be ratios of pairs."""


# --- Table 2 ------------------------------------------------------------------------------------------


def plan_toys(_run: Run) -> Sequence[Task]:
    """One task for each toy problem."""
    return [Task(name, (name,)) for name in ROVETTA2009]


def work_toy(name: str) -> Record:
    """The five distances of a toy problem: as they are, and by the formulas that the paper prints."""
    first, second = make_rovetta2009_toy(name)
    distances = distances_of(first, second)
    together = [coassociation(side, condensed=True) for side in (first, second)]
    pairs = together[0].size
    as_printed = {
        **distances,
        "Average": float(indices.coassociation_average_distance(first, second, variant="means")),
        "Rand": (float(together[0].sum() + together[1].sum()) + 1) / pairs,
        "Student": pairs * distances["Student"],
        "Correl.": float(indices.coassociation_correlation_distance(first, second, halved=True)),
    }
    return Record({"distances": distances, "as_printed": as_printed, "objects": len(first)})


def gather_table2(records: Mapping[str, Record], _run: Run) -> Part:
    """30 numbers, and a table of the misprints that were undone for them."""
    findings = tuple(
        number(printed, records[row].values["distances"][column])
        for (row, column), printed in printed_numbers("Table 2").items()
    )
    sizes = possible_sizes()
    objects = {record.values["objects"] for record in records.values()}
    remarks = (
        "the formulas are those that the table holds; below they stand beside the printed ones",
        (
            f"of all numbers of objects from {PLAUSIBLE_SIZES[0]} to {PLAUSIBLE_SIZES[-1]}, the digits of "
            f"toy1 and toy4 are ratios of whole numbers of pairs for {' and '.join(map(str, sizes))} only; "
            f"we take {' and '.join(map(str, sorted(objects)))}"
        ),
        *make_rovetta2009_toy("toy0").notes,
    )
    return Part(findings, {}, (_misprint_table(records),), remarks)


def possible_sizes() -> list[int]:
    """Numbers of objects for which the Rand and Average columns of toy1 and toy4 count whole pairs."""
    printed = printed_numbers("Table 2")

    def fits(pairs: int, toy: str) -> bool:
        rand, average = printed[toy, "Rand"], printed[toy, "Average"]
        apart = round(average.value / 2 * pairs)
        return all(
            abs(p.value - times * apart / pairs) <= p.half_unit + SAME
            for p, times in ((rand, 1), (average, 2))
        )

    return [n for n in PLAUSIBLE_SIZES if all(fits(n * (n - 1) // 2, toy) for toy in ("toy1", "toy4"))]


def _misprint_table(records: Mapping[str, Record]) -> Table:
    printed = printed_numbers("Table 2")
    rows = []
    for column, (where, said, held) in MISPRINTS.items():
        wrong, right = (records["toy4"].values[key][column] for key in ("as_printed", "distances"))
        is_misprint = abs(wrong - printed["toy4", column].value) > printed["toy4", column].half_unit
        text = printed["toy4", column].text
        rows.append((column, where, said, Cell(wrong, strong=is_misprint), held, right, text))
    columns = (
        "column",
        "where",
        "as printed",
        "toy4 by it",
        "what the table holds",
        "toy4 by that",
        "Table 2",
    )
    notes = ("a, b: how much two objects are together in the first and the second clustering; H: pairs",)
    return Table("the formulas as printed, and as they must be", columns, tuple(rows), notes)


# --- Figure 1 ------------------------------------------------------------------------------------------


def plan_sweeps(_run: Run) -> Sequence[Task]:
    """One task for each of the three sweeps."""
    return [Task(name, (name,)) for name in SWEEPS]


def work_sweep(name: str) -> Record:
    """The five distances at each step."""
    found = [distances_of(*pair) for pair in make_rovetta2009_sweep(name)]
    return Record({}, {column: np.array([step[column] for step in found]) for column in NAMES})


def gather_fig1(records: Mapping[str, Record], _run: Run) -> Part:
    """The curves of the three sweeps, and their values."""
    shown = {
        EXPERIMENTS[name]: {
            column: Series(range(values.size), values.tolist()) for column, values in record.arrays.items()
        }
        for name, record in records.items()
    }
    told = _exceptions_in_words(records)
    undefined = sum(int(np.isnan(v).sum()) for record in records.values() for v in record.arrays.values())
    notes = ["a curve that is not seen lies below another"]
    if undefined:
        notes.append(f"{undefined} values are 0/0 and not drawn: one side's co-associations are all equal")
    figure = line_figure(
        shown,
        title=told,
        description=f"The five distances over the steps of the three sweeps, each a panel. {told}.",
        x="step",
        y="distance (lower is better)",
        notes=tuple(notes),
    )
    rows = tuple(
        (EXPERIMENTS[name], step, *(round(float(record.arrays[column][step]), 9) for column in NAMES))
        for name, record in records.items()
        for step in range(record.arrays["Rand"].size)
    )
    table = Table("the curves of Fig. 1 as numbers", ("experiment", "step", *NAMES), rows)
    findings = (
        undetermined("Fig. 1", "curves", "the text that we have holds no picture, and no digits of it"),
    )
    notes_of_steps = dict.fromkeys(note for name in records for note in make_rovetta2009_sweep(name)[0].notes)
    return Part(findings, {"sweeps": figure}, (table,), tuple(notes_of_steps))


def falling_steps(records: Mapping[str, Record]) -> dict[tuple[str, str], int]:
    """By sweep and index, the step from which a distance first falls; those that never do are left out."""
    falls = {}
    for name, record in records.items():
        for column, values in record.arrays.items():
            steps = [i for i, (now, then) in enumerate(pairwise(values.tolist())) if then < now - SAME]
            if steps:
                falls[name, column] = steps[0]
    return falls


def flat_curves(records: Mapping[str, Record]) -> list[tuple[str, str]]:
    """Sweeps and indices whose distance never moves."""
    return [
        (name, column)
        for name, record in records.items()
        for column, values in record.arrays.items()
        if np.nanmax(values) - np.nanmin(values) <= SAME
    ]


def _exceptions_in_words(records: Mapping[str, Record]) -> str:
    told = [
        f"{column} falls from step {step} on in experiment {EXPERIMENTS[name][0]}"
        for (name, column), step in falling_steps(records).items()
    ]
    told += [
        f"{column} does not move in experiment {EXPERIMENTS[name][0]}"
        for name, column in flat_curves(records)
    ]
    return (
        f"All distances rise, but {' and '.join(told)}" if told else "All distances rise in all experiments"
    )


TABLE2 = Study(
    "table2", "the numbers of Table 2 (toy problems, misprints undone)", plan_toys, work_toy, gather_table2
)
FIG1 = Study("fig1", "the curves of Fig. 1 (three sweeps)", plan_sweeps, work_sweep, gather_fig1)
