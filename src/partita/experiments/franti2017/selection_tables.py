"""The two tables of part II that compare indices by the number of clusters each chooses."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import partita as pt
from partita.errors import PartitaWarning
from partita.experiments.findings import Finding, Printed, statement, undetermined
from partita.experiments.franti2017.sources import S_SETS, loaded, printed, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.registry.rules import Verdict, apply_rule
from partita.results import Table

__all__ = ["K_TABLES", "largest_k"]

SETS = {
    "R15": "r15",
    "A7": "aggregation",
    "S1": "s1",
    "S2": "s2",
    "S3": "s3",
    "S4": "s4",
    "D31": "d31",
    "Birch1": "birch1",
    "Iris": "iris",
    "Wine": "wine",
    "Control": "synthetic_control",
    "Image": "segment",
    "WDBC": "wdbc",
    "Yeast": "yeast",
    "Bridge": "bridge",
    "Zernike": "zernike",
}
"""Columns of the tables, and our names of them; that A7 is Aggregation was inferred from its numbers."""

QUICK_SETS = ("R15", "A7", "Iris", "Wine")
TOO_LARGE = ("Birch1",)
"""Its 100 000 objects, at up to 200 clusters, would take longer than all the rest."""

INDICES = {
    "Ball&Hall": ("ball_hall", "knee"),
    "Calinski-Harabsz": ("calinski_harabasz", "best"),
    "Hartigan": ("hartigan_log", "knee"),
    "Wb-index": ("wb_index", "best"),
    "Krzanowski-Lai": ("krzanowski_lai", "best"),
    "Xu-index": ("xu", "best"),
    "Dunn": ("dunn", "best"),
    "DBI": ("davies_bouldin", "best"),
    "SC": ("silhouette", "best"),
    "SCI": ("sci", "best"),
    "XieBeni": ("xie_beni", "best"),
    "ORI_IBIC": ("bic_partition", "first_max"),
    "Angle-based": ("angle", "best"),
    "DiffBIC": ("second_difference", "best"),
}
"""How the rows begin, our names of these indices, and the rule by which each chooses here."""

RULES = {"k by Random Swap": {"bic_partition": "knee"}}
"""The first table has the first maximum of BIC, the second its knee."""

ALGORITHMS = {"k by K-means": "KM", "k by Random Swap": "RS"}
RUNS = 3
"""Runs of random swap at each k, of which the best counts; k-means runs once."""


def largest_k(n: int) -> int:
    """The most clusters that were tried: the root of the number of objects, as the row of Xu implies."""
    return math.isqrt(n)


def _plan(run: Run) -> list[Task]:
    tasks = []
    for place, (column, name) in enumerate(SETS.items()):
        if not run.has(name) or column in TOO_LARGE or (run.quick and column not in QUICK_SETS):
            continue
        seed = run.task_seed(2, place)
        tasks += [Task(f"{table}-{column}", (table, column, run.quick, seed)) for table in ALGORITHMS]
    return sorted(tasks, key=lambda task: -loaded(SETS[task.arguments[1]]).n)  # the long ones first


def _work(table: str, column: str, quick: bool, seed: int) -> Record:
    from sklearn.cluster import KMeans

    X = loaded(SETS[column]).X
    rules = dict(INDICES.values()) | RULES.get(table, {})
    method: Any = KMeans(init="random", n_init=1) if ALGORITHMS[table] == "KM" else pt.cluster.RandomSwap()
    runs = 1 if ALGORITHMS[table] == "KM" or quick else RUNS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        found = pt.choose_k(
            X,
            method,
            range(1, largest_k(len(X)) + 1),
            n_runs=runs,
            indices=list(rules),
            rules=rules,
            structure=False,
            n_splits=0,
            random_state=seed,
        )
    chosen = {row: _choice(found.ks, found.curves[name], rules[name]).k for row, (name, _) in INDICES.items()}
    return Record({"chosen": chosen})


def _choice(ks: Sequence[int], curve: Any, rule: str) -> Verdict:
    """What a rule makes of a curve from two clusters on.

    `choose_k` itself would leave out clusterings with clusters of one object, which the slides do not.
    """
    return apply_rule(rule, ks[1:], curve.values[1:], direction=curve.direction, best=curve.best)


def _numbers(text: str) -> set[int]:
    return {int(part) for part in re.findall(r"\d+", text)}


def _row(cell: Printed) -> str:
    """Our name of a printed row."""
    return max((row for row in INDICES if cell.row.startswith(row)), key=len)


def _cell(cell: Printed, chosen: int | None) -> Finding:
    """Whether an index chooses what is printed: one of the numbers, or none where the cell says NA."""
    numbers = _numbers(cell.text)
    same = chosen in numbers or (chosen is None and "NA" in cell.text)
    got = "none" if chosen is None else str(chosen)
    return statement(cell.where, cell.text, same, got, unless="another number of clusters is chosen")


def _gather(records: Mapping[str, Record], run: Run) -> Part:
    findings: list[Finding] = []
    tables = []
    for table in ALGORITHMS:
        chosen = {
            column: records[f"{table}-{column}"].values["chosen"]
            for column in SETS
            if f"{table}-{column}" in records
        }
        cells = [cell for (row, _), cell in printed(table).items() if row != "# of clusters"]
        made = {
            (_row(cell), cell.column): _cell(cell, chosen[cell.column][_row(cell)])
            for cell in cells
            if cell.column in chosen
        }
        findings += made.values()
        findings += _columns_left_out(table, set(chosen), run)
        findings += _statements(table, chosen)
        tables.append(_table(table, chosen, made))
    return Part(
        tuple(findings),
        {},
        tuple(tables),
        (
            (
                "numbers of clusters from 2 to the root of n: the slides do not say how far they went, the "
                "row of Xu implies it"
            ),
            (
                "data as they are, without scaling; which definition of an index, and which rule, the slides "
                "used can mostly not be told: most numbers are 15 or 2, so that other indices match as well"
            ),
            (
                f"random swap: the best of {1 if run.quick else RUNS} runs at each k; k-means: one run from "
                "random objects"
            ),
        ),
    )


def _columns_left_out(table: str, ran: set[str], run: Run) -> list[Finding]:
    made = []
    for column, name in SETS.items():
        if column in ran:
            continue
        text = ", ".join(cell.text for (_, c), cell in printed(table).items() if c == column)
        why = run.missing.get(name, "not run in the quick version")
        if column in TOO_LARGE:
            why = "100 000 objects and up to 200 clusters: longer than all the rest, not run"
        made.append(undetermined(f"{table}, {column}", text, why))
    return made


def _truth(column: str) -> int | None:
    text = printed("k by Random Swap")["# of clusters", column].text
    return int(text) if text.isdigit() else None


def _statements(table: str, chosen: Mapping[str, Mapping[str, int | None]]) -> list[Finding]:
    sets = [column for column in S_SETS if column in chosen]
    if not sets or ALGORITHMS[table] != "RS":
        return []
    made = []
    for row in ("Wb-index", "Xu-index", "SC", "SCI"):
        got = {column: chosen[column][row] for column in sets}
        right = all(got[column] == _truth(column) for column in sets)
        made.append(statement(table, f"{row} finds the 15 clusters of {', '.join(sets)}", right, told(got)))
    return made


def _table(
    table: str, chosen: Mapping[str, Mapping[str, int | None]], made: Mapping[tuple[str, str], Finding]
) -> Table:
    columns = list(chosen)
    rows = []
    for row in INDICES:
        outcomes = [made[row, column].outcome for column in columns if (row, column) in made]
        right = sum(chosen[column][row] == _truth(column) for column in columns)
        same = f"{outcomes.count('reproduced')} of {len(outcomes)}"
        cells = ["none" if chosen[column][row] is None else chosen[column][row] for column in columns]
        rows.append((row, *cells, same, right))
    rows.append(("true", *(_truth(column) or "" for column in columns), "", ""))
    return Table(f"{table}, as we get it", ("index", *columns, "as printed", "true k"), tuple(rows))


K_TABLES = Study(
    "k_tables",
    "the number of clusters chosen by 14 indices, with k-means and random swap (part II)",
    _plan,
    _work,
    _gather,
    tuple(SETS.values()),
)
