"""How PSI and other external indices behave: the constructed cases of part VI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from partita.arrays import Array, Floats
from partita.experiments.findings import Finding, statement
from partita.experiments.franti2017.cluster_level import labels_of
from partita.experiments.franti2017.sources import agreement, series_over, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import line_figure
from partita.results import Table

__all__ = ["PSI"]

INDICES = {
    "ARI": "adjusted_rand",
    "NMI": "nmi_sum",
    "1 - NVD": "normalized_van_dongen",
    "PSI": "pair_set_index",
}
"""NVD is a distance: its complement is shown, so that higher is better for all."""

SIZE = 1000
ERRORS = 200
STEP = 100
MOST_RANDOM = 20
RANDOM_NEAR_ZERO = 0.05
RUNS = 20
GROUPS = range(2, 21)
DISTANCES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0)
"""Of two normal clusters, in standard deviations."""
DIMENSIONS = (1, 2, 4, 8, 16, 32, 64)
SHIFT = 0.5
"""Along every axis, in standard deviations: more dimensions, less overlap."""
SLACK = 1e-9

CASES = ("random", "first", "second", "imbalance", "clusters", "overlap", "dimensions")


def values_of(truth: Array, found: Array) -> list[float]:
    """The four indices, higher is better."""
    got = {name: agreement(truth, found, index) for name, index in INDICES.items()}
    return [1 - value if name.startswith("1 -") else value for name, value in got.items()]


# --- cases ------------------------------------------------------------------------------------------------


def _truth(k: int = 3) -> Array:
    return np.repeat(np.arange(k), SIZE)


def _random(seed: int, runs: int) -> tuple[Sequence[float], Floats]:
    """Random partitions into 1 to 20 clusters against three equal clusters."""
    rng, truth = np.random.default_rng(seed), _truth()
    means = [
        np.mean([values_of(truth, rng.integers(k, size=truth.size)) for _ in range(runs)], axis=0)
        for k in range(1, MOST_RANDOM + 1)
    ]
    return list(range(1, MOST_RANDOM + 1)), np.array(means)


def _enlarged(cluster: int) -> tuple[Sequence[float], Floats]:
    """A cluster takes more and more objects from those after it, then from those before it."""
    truth = _truth()
    order = np.concatenate([np.flatnonzero(truth > cluster), np.flatnonzero(truth < cluster)[::-1]])
    taken = list(range(0, 2 * SIZE, STEP))
    rows = []
    for count in taken:
        found = truth.copy()
        found[order[:count]] = cluster
        rows.append(values_of(truth, found))
    return taken, np.array(rows)


def _imbalance() -> tuple[Sequence[float], Floats]:
    """The first two clusters, of 1000 and 2000, exchange 200 objects; the third is right."""
    sizes = list(range(500, 3001, 250))
    rows = []
    for size in sizes:
        table = ((SIZE - ERRORS, ERRORS, 0), (ERRORS, 2 * SIZE - ERRORS, 0), (0, 0, size))
        rows.append(values_of(*labels_of(table)))
    return sizes, np.array(rows)


def _clusters() -> tuple[Sequence[float], Floats]:
    """Two of k clusters exchange 100 objects each: 200 errors, whatever k."""
    rows = []
    for k in GROUPS:
        table = np.diag([SIZE] * k)
        table[:2, :2] = [[SIZE - ERRORS // 2, ERRORS // 2], [ERRORS // 2, SIZE - ERRORS // 2]]
        rows.append(values_of(*labels_of(table)))
    return list(GROUPS), np.array(rows)


def _two_clusters(distances: Sequence[Floats], seed: int) -> Floats:
    """Two normal clusters, objects going to the nearer centre."""
    rng, truth = np.random.default_rng(seed), _truth(2)
    rows = []
    for apart in distances:
        X = rng.standard_normal((truth.size, apart.size)) + truth[:, None] * apart
        rows.append(values_of(truth, (X @ apart > apart @ apart / 2).astype(int)))
    return np.array(rows)


def _work(case: str, seed: int, runs: int) -> Record:
    if case == "random":
        x, values = _random(seed, runs)
    elif case in ("first", "second"):
        x, values = _enlarged(("first", "second").index(case))
    elif case == "imbalance":
        x, values = _imbalance()
    elif case == "clusters":
        x, values = _clusters()
    elif case == "overlap":
        x, values = DISTANCES, _two_clusters([np.array([apart, 0.0]) for apart in DISTANCES], seed)
    else:
        x, values = DIMENSIONS, _two_clusters([np.full(d, SHIFT) for d in DIMENSIONS], seed)
    return Record({"x": [float(place) for place in x]}, {"values": values})


def _plan(run: Run) -> list[Task]:
    runs = 5 if run.quick else RUNS
    return [Task(case, (case, run.task_seed(6, place), runs)) for place, case in enumerate(CASES)]


# --- gathering --------------------------------------------------------------------------------------------


def _columns(record: Record) -> dict[str, Floats]:
    return {name: record.arrays["values"][:, place] for place, name in enumerate(INDICES)}


def _ranges(curves: Mapping[str, Floats]) -> str:
    return ", ".join(f"{name} {of.min():.2f} to {of.max():.2f}" for name, of in curves.items())


def _widths(curves: Mapping[str, Floats]) -> dict[str, float]:
    return {name: float(of.max() - of.min()) for name, of in curves.items()}


def _falls(curve: Floats) -> bool:
    return bool((np.diff(curve) <= SLACK).all())


def _findings(curves: Mapping[str, Mapping[str, Floats]]) -> list[Finding]:
    random = {name: float(np.abs(of).max()) for name, of in curves["random"].items()}
    made = [
        statement(
            "Random partitioning", "PSI of random partitions is about 0, for any number of clusters",
            float(np.abs(curves["random"]["PSI"][1:]).max()) <= RANDOM_NEAR_ZERO,
            f"largest absolute values: {told(random, 3)}; asked: {RANDOM_NEAR_ZERO} of PSI from k = 2 on",
        ),
        statement(
            "Random partitioning", "indices that are not adjusted are not: 1 - NVD",
            random["1 - NVD"] > 0.2, f"1 - NVD up to {random['1 - NVD']:.2f}",
        ),
    ]  # fmt: skip
    for case in ("first", "second"):
        falling = {name: _falls(of) for name, of in curves[case].items()}
        made.append(
            statement(
                f"Monotonicity: enlarging the {case} cluster", "PSI falls all the way", falling["PSI"],
                f"never rising: {', '.join(n for n, f in falling.items() if f) or 'none'}; "
                f"{_ranges(curves[case])}",
            )
        )  # fmt: skip
    widths = _widths(curves["imbalance"])
    made.append(
        statement(
            "Cluster size imbalance", "PSI has the same value whatever the third cluster's size",
            widths["PSI"] <= min(widths.values()) + SLACK, f"range over the sizes: {told(widths, 4)}",
        )
    )  # fmt: skip
    rising = {name: bool((np.diff(of) >= -SLACK).all()) for name, of in curves["clusters"].items()}
    made.append(
        statement(
            "Number of clusters", "200 errors weigh less among more clusters (our reading of the figure)",
            rising["PSI"], f"never falling: {', '.join(n for n, f in rising.items() if f)}; "
            f"{_ranges(curves['clusters'])}",
        )
    )  # fmt: skip
    for case, said in (
        ("overlap", "PSI rises as two clusters move apart"),
        ("dimensions", "PSI rises as dimensions are added that all set two clusters apart (our reading)"),
    ):
        curve = curves[case]["PSI"]
        made.append(
            statement(
                "Overlap and dimensionality", said, bool((np.diff(curve) >= -0.03).all()),
                f"{_ranges(curves[case])}; steps down of up to 0.03 are chance",
            )
        )  # fmt: skip
    return made


TITLES = {
    "random": ("random partitions", "number of clusters of the random partition"),
    "first": ("the first cluster grows", "objects taken by the first cluster"),
    "second": ("the second cluster grows", "objects taken by the second cluster"),
    "imbalance": ("the same errors beside a third cluster of another size", "size of the third cluster"),
    "clusters": ("always 200 errors", "number of clusters"),
    "overlap": ("two clusters", "distance of the centres, in standard deviations"),
    "dimensions": ("two clusters", "number of dimensions"),
}


def _figure(case: str, x: Sequence[float], curves: Mapping[str, Floats]) -> FigureData:
    what, axis = TITLES[case]
    psi = curves["PSI"]
    ari = curves["ARI"]
    title = f"{what}: PSI from {psi[0]:.2f} to {psi[-1]:.2f}, ARI from {ari[0]:.2f} to {ari[-1]:.2f}"
    if case == "random":
        title = f"{what}: PSI is {psi.max():.2f} at most, 1 - NVD goes up to {curves['1 - NVD'].max():.2f}"
    return line_figure(
        {"": {name: series_over(x, of) for name, of in curves.items()}},
        title=title,
        description=f"{title}. Ranges: {_ranges(curves)}.",
        x=axis,
        y="value, higher is better",
        log_x=case == "dimensions",
    )


def _gather(records: Mapping[str, Record], run: Run) -> Part:
    curves = {case: _columns(record) for case, record in records.items()}
    figures = {case: _figure(case, records[case].values["x"], of) for case, of in curves.items()}
    rows = tuple(
        (case, float(x), *(float(v) for v in values))
        for case, record in records.items()
        for x, values in zip(record.values["x"], record.arrays["values"], strict=True)
    )
    ones = agreement(_truth(), _truth(), "pair_set_index")
    runs = 5 if run.quick else RUNS
    remarks = (
        (
            "the slides show these cases without words: we hold against them what they list of PSI "
            "(adjusted, normalised to sizes and numbers of clusters) and what their headings name"
        ),
        (
            "the pictures are lost: sizes, steps, distances and dimensions are ours; those of the imbalance "
            "figure are those of the slide"
        ),
        f"random partitions: means of {runs} draws; PSI of equal partitions is {ones:g}",
    )
    table = Table("the cases as numbers", ("case", "x", *INDICES), rows)
    return Part(tuple(_findings(curves)), figures, (table,), remarks)


PSI = Study("psi", "the behaviour of PSI beside ARI, NMI and NVD (part VI)", _plan, _work, _gather)
