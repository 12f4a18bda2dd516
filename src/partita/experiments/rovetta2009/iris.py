"""Iris in rovetta2009: Table 3 and Fig. 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from partita.arrays import Array
from partita.cluster import MaxEntropyMemberships
from partita.datasets import load
from partita.experiments.findings import Finding, Printed, number, statement, undetermined
from partita.experiments.rovetta2009.distances import NAMES, SAME, distances_of, printed_numbers
from partita.experiments.rovetta2009.proof import SIZE, demand, pairs_together, together_in_the_first
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.partitions import HardPartition
from partita.plots import FigureData, figure_data
from partita.plots.palette import INK
from partita.results import Table

WITNESS = ((6, 44, 0), (12, 17, 21), (0, 2, 48))
"""Objects of three classes in three clusters: solved for from the digits of Table 3, not seen in data."""


PAIRINGS = {
    "Complete": (0, 1, 2),
    "Setosa vs Versicolor": (0, 1),
    "Setosa vs Virginica": (0, 2),
    "Virginica vs Versicolor": (1, 2),
}
HARD_PAIR = "Virginica vs Versicolor"
CASES = ("crisp", "fuzzy")
SPECIES = ("Setosa", "Versicolor", "Virginica")
MEAN = "mean of a species"


def iris_areas() -> tuple[Array, Array, Array]:
    """The features of the paper (area of the sepals, area of the petals), the species, and their means."""
    X, species = load("iris")
    areas = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]])
    means = np.array([areas[species == one].mean(axis=0) for one in np.unique(species)])
    return areas, species, means


def plan_iris(_run: Run) -> Sequence[Task]:
    """One task for each row, with the centroids of its own classes and with all three."""
    return [
        Task(f"{i}-{len(centres)}", (classes, centres))
        for i, classes in enumerate(PAIRINGS.values())
        for centres in dict.fromkeys([classes, (0, 1, 2)])
    ]


def work_iris(classes: tuple[int, ...], centres: tuple[int, ...]) -> Record:
    """The species against the nearest of their means, crisp and fuzzy."""
    areas, species, means = iris_areas()
    kept = np.isin(species, classes)
    fit = MaxEntropyMemberships(len(centres), beta=1.0, init=means[list(centres)]).fit(areas[kept])
    truth = species[kept]
    return Record({"crisp": distances_of(truth, fit.labels_), "fuzzy": distances_of(truth, fit.memberships_)})


def gather_table3(records: Mapping[str, Record], _run: Run) -> Part:
    """40 numbers, with the centroids of a row's own classes; those with all three stand in the table."""
    printed = printed_numbers("Table 3")
    row_of = {name: f"{i}-{len(classes)}" for i, (name, classes) in enumerate(PAIRINGS.items())}
    demands = {
        (case, name): demand(_row(printed, case, name), len(classes))
        for case in CASES
        for name, classes in PAIRINGS.items()
    }
    findings = tuple(
        _with_reason(
            number(printed[f"{case}, {name}", column], records[row_of[name]].values[case][column]),
            demands[case, name].impossible or _other_counts(printed, records[row_of[name]], case, name),
        )
        for case in CASES
        for name in PAIRINGS
        for column in NAMES
    )
    rows = []
    for case in CASES:
        for i, (name, classes) in enumerate(PAIRINGS.items()):
            text = [printed[f"{case}, {name}", column].text for column in NAMES]
            rows.append((case, name, "the paper", *text))
            for centres in dict.fromkeys([len(classes), 3]):
                values = records[f"{i}-{centres}"].values[case]
                rows.append((case, name, f"ours, {centres} centroids", *(values[c] for c in NAMES)))
    table = Table("Table 3, and ours", ("case", "row", "whose", *NAMES), tuple(rows))
    needs = tuple(
        (case, name, d.together, *d.either, *d.variance, "none" if d.impossible else "possible")
        for (case, name), d in demands.items()
    )
    columns = (
        "case",
        "row",
        "pairs of one species",
        "together in either: at least",
        "at most",
        "variance of the found co-associations: at least",
        "at most ",
        "data that give the row",
    )
    proof = Table("What the printed rows need", columns, needs, (PROOF,))
    witness = distances_of(*witness_labels())
    met = sum(
        abs(printed["crisp, Complete", c].value - v) <= printed["crisp, Complete", c].half_unit + SAME
        for c, v in witness.items()
    )
    never = sum(bool(d.impossible) for d in demands.values())
    layout = _as_of_150(printed)
    remarks = (
        (
            f"{never} of {len(demands)} rows are impossible whatever the data; the proof is below the "
            "table of what the rows need"
        ),
        *([layout] if layout else []),
        "scikit-learn's copy of Iris; features and centroids as the paper describes them, beta = 1",
        (
            "the paper does not say whether a row of two classes has two centroids or three: the findings "
            "are with two, the table has both"
        ),
        (
            f"the formulas are not the reason: {met} of {len(witness)} numbers of the row Complete, crisp, "
            f"follow from three classes of 50 in three clusters with the counts {_in_words(WITNESS)}, which "
            "were solved for from the digits themselves and are not what the described features give"
        ),
    )
    return Part(findings, {}, (table, proof), remarks)


PROOF = (
    "over all pairs, a and b are the co-associations of species and clusters; Rand / Jaccard = mean(a + b - "
    "ab), the "
    "share of pairs together in either, is at least mean(a), which 50 objects a species fix; Rand, Jaccard "
    "and Student "
    "fix mean(ab), mean(b) and the variance of b, hence Correl.; the intervals hold all numbers that are "
    "rounded to the "
    "printed ones"
)


def _row(printed: Mapping[tuple[str, str], Printed], case: str, name: str) -> dict[str, Printed]:
    return {column: printed[f"{case}, {name}", column] for column in NAMES}


def _other_counts(printed: Mapping[tuple[str, str], Printed], record: Record, case: str, name: str) -> str:
    """How many pairs are together in only one clustering, by the digits and by the features of the paper."""
    size = len(PAIRINGS[name]) * SIZE
    pairs = size * (size - 1) // 2
    theirs, ours = (
        round(value * pairs)
        for value in (printed[f"{case}, {name}", "Rand"].value, record.values[case]["Rand"])
    )
    return (
        f"the digits are of about {theirs} of {pairs} pairs together in one clustering only, the features "
        "and means that "
        f"the paper describes have {ours}; its other rows show that it used other vectors than it describes"
    )


def _as_of_150(printed: Mapping[tuple[str, str], Printed]) -> str:
    """What the crisp rows of two species counted as pairs of one species, and where that count is found."""
    pairs = len(PAIRINGS[HARD_PAIR]) * SIZE
    pairs = pairs * (pairs - 1) // 2
    counted = together_in_the_first(pairs)
    rows = [name for name, classes in PAIRINGS.items() if len(classes) == 2]
    having = [
        name
        for name in rows
        if any(counted in counts for counts in pairs_together(_row(printed, "crisp", name), 2))
    ]
    if not having:
        return ""
    return (
        f"the likely cause: {len(having)} of {len(rows)} crisp rows of two species have {counted} pairs of "
        "one species "
        f"by their digits; so many are among the first {pairs} of the pairs of all 150 objects, where two "
        "species "
        f"have {2 * SIZE * (SIZE - 1) // 2}: the number of pairs was that of 100 objects, the vectors those "
        "of 150"
    )


def _with_reason(finding: Finding, reason: str) -> Finding:
    """The finding with this reason, where it is not reproduced."""
    return finding if finding.outcome == "reproduced" else replace(finding, reason=reason)


def _in_words(counts: Sequence[Sequence[int]]) -> str:
    return "; ".join(" ".join(map(str, row)) for row in counts)


def witness_labels() -> tuple[Array, Array]:
    """Class and cluster of 150 objects that have the witness as their table."""
    counts = np.array(WITNESS)
    classes, clusters = np.indices(counts.shape)
    return np.repeat(classes.ravel(), counts.ravel()), np.repeat(clusters.ravel(), counts.ravel())


def plan_scatter(_run: Run) -> Sequence[Task]:
    """Nothing that takes time."""
    return []


def gather_fig2(_records: Mapping[str, Record], _run: Run) -> Part:
    """The data with the centroids of the classes."""
    areas, species, means = iris_areas()
    nearest = ((areas[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    away = {name: int(np.sum((species == i) & (nearest != i))) for i, name in enumerate(SPECIES)}
    told = ", ".join(
        f"{count} of {np.sum(species == i)} {name}" for i, (name, count) in enumerate(away.items())
    )
    findings = (
        statement(
            "Section 4.2",
            "representation with three centroids is not very good",
            sum(away.values()) > 0,
            f"nearer to the mean of another species: {told}",
        ),
        undetermined("Fig. 2", "picture", "the text that we have holds no picture"),
    )
    return Part(findings, {"data": _with_means(areas, species, means, told)})


def _with_means(areas: Array, species: Array, means: Array, told: str) -> FigureData:
    """The scatter of the data, and the means of the classes as crosses in it."""
    X = pd.DataFrame(areas, columns=["sepal width x length (cm²)", "petal width x length (cm²)"])
    data = figure_data(HardPartition(np.array(SPECIES)[species]), "scatter", X=X)
    crosses = tuple(
        {**data.records[0], "object": f"mean of {name}", "x": x, "y": y, "cluster": MEAN, "colour": INK}
        for name, (x, y) in zip(SPECIES, means.tolist(), strict=True)
    )
    facts = {
        **data.facts,
        "colours": {**data.facts["colours"], MEAN: INK},
        "sizes": {**data.facts["sizes"], MEAN: len(means)},
        "noise": MEAN,  # what is drawn as crosses
    }
    return replace(
        data,
        title=f"Nearer to the mean of another species: {told}",
        description=f"{data.description} Crosses are the means of the species.",
        records=(*data.records, *crosses),
        facts=facts,
    )


TABLE3 = Study("table3", "the numbers of Table 3 (Iris)", plan_iris, work_iris, gather_table3, ("iris",))
FIG2 = Study(
    "fig2", "what is said of Fig. 2 (Iris with centroids)", plan_scatter, work_iris, gather_fig2, ("iris",)
)
