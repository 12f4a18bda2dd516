"""Cluster-level measures: worked examples, Unbalance, the centroid index on S2 and beside ARI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.experiments.findings import Finding, number, statement, undetermined
from partita.experiments.franti2017.external_tables import DEVIATIONS, clustering, truth_of
from partita.experiments.franti2017.external_tables import SETS as BENCH
from partita.experiments.franti2017.sources import (
    agreement,
    judged,
    loaded,
    printed,
    reference,
    series_over,
    told,
)
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import line_figure
from partita.results import Table

__all__ = ["CENTROIDS", "EXAMPLES", "UNBALANCE", "labels_of"]


def labels_of(table: Sequence[Sequence[int]] | Array) -> tuple[Array, Array]:
    """Two clusterings with these numbers of shared objects."""
    counts = np.asarray(table)
    rows, columns = np.indices(counts.shape)
    return np.repeat(rows.ravel(), counts.ravel()), np.repeat(columns.ravel(), counts.ravel())


# --- worked examples --------------------------------------------------------------------------------------

RAND_TABLE = ((5, 1, 0), (1, 4, 1), (2, 0, 3))
"""The textbook table of 17 objects that has the pair counts of the slide."""

MATCHING_TABLES = {
    "3-vs-3": ((2, 2, 0), (0, 0, 2), (0, 0, 2)),
    "3-vs-4": ((2, 0, 0, 2), (0, 0, 3, 0), (0, 1, 0, 0)),
    "3-vs-2": ((0, 2), (0, 3), (3, 0)),
}
"""Tables of eight objects with the printed percentages; others have them too."""

SETS_OF_EXAMPLE = {"P1, P2": (250, 200, 200), "P1, P3": (250, 1000, 250)}
"""Sizes of two clusters and what they share: the only ones with the printed similarities and overlaps."""

SIMILARITIES = {"J": "jaccard", "SD": "dice", "BB": "braun_banquet"}


def similarity(first: int, second: int, shared: int, name: str) -> float:
    """How alike two clusters are, as the set-matching indices see it.

    All other objects are clusters of their own on the other side, so that no other pair adds to the total.
    """
    alone_there, alone_here = first - shared, second - shared
    here = np.concatenate([np.zeros(first, int), 1 + np.arange(alone_here)])
    there = np.concatenate([np.zeros(shared, int), 1 + np.arange(alone_there), np.zeros(alone_here, int)])
    mean = pt.set_matching(here, there, similarity=name, matching="optimal", normalize="clusters")
    return float(mean) * max(1 + alone_there, 1 + alone_here)


def _gather_examples(_: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    pair = labels_of(RAND_TABLE)
    ari = agreement(*pair, "adjusted_rand")
    findings = [number(printed("Rand example")["", "RI"], agreement(*pair, "rand"))]
    for (row, column), cell in printed("Matching vs. pairing").items():
        name = "normalized_van_dongen" if column.startswith("matching") else "classification_error"
        value = 100 * (1 - agreement(*labels_of(MATCHING_TABLES[row]), name))
        findings.append(number(cell, value, reason="rounding; our own table of eight objects"))
    for (row, column), cell in printed("Similarity of clusters").items():
        findings.append(number(cell, similarity(*SETS_OF_EXAMPLE[column], SIMILARITIES[row])))
    remarks = (
        f'the adjusted Rand index that the slide leaves open ("0.xx") is {ari:.4f}',
        (
            "of the pictures only percentages are left: sizes and tables of eight objects were sought that "
            "have them, and are not the only ones; these numbers confirm formulas, no experiment"
        ),
    )
    return Part(tuple(findings), {}, (), remarks)


def _no_work() -> Record:
    return Record({})


EXAMPLES = Study(
    "examples",
    "worked examples: Rand index, similarity of clusters, matching and pairing (part VI)",
    lambda run: [],  # noqa: ARG005
    _no_work,
    _gather_examples,
)


# --- Unbalance --------------------------------------------------------------------------------------------

UNBALANCE_RUNS = {"RS": 1, "AC": 1, "SL": 1, "KM": 200}
UNBALANCE_INDICES = {
    "ARI": "adjusted_rand",
    "NMI": "nmi_sum",
    "NVD": "normalized_van_dongen",
    "PSI": "pair_set_index",
}
CLUSTERS = 8


def _unbalance_plan(run: Run) -> list[Task]:
    if not run.has("unbalance"):
        return []
    return [
        Task(algorithm, (algorithm, [run.task_seed(4, place, i) for i in range(runs)]))
        for place, (algorithm, runs) in enumerate(UNBALANCE_RUNS.items())
    ]


def _unbalance_work(algorithm: str, seeds: Sequence[int]) -> Record:
    from sklearn.cluster import AgglomerativeClustering

    data = loaded("unbalance")
    truth = reference(data)
    values: dict[str, list[float]] = {name: [] for name in UNBALANCE_INDICES}
    for seed in seeds:
        if algorithm == "SL":
            labels = AgglomerativeClustering(CLUSTERS, linkage="single").fit(data.X).labels_
        else:
            labels = clustering(algorithm, data.X, CLUSTERS, seed)
        for name, index in UNBALANCE_INDICES.items():
            value = agreement(truth, labels, index)
            values[name].append(1 - value if name == "NVD" else value)  # the slide prints a similarity
    return Record({}, {name: np.array(of) for name, of in values.items()})


def _most_frequent(record: Record) -> dict[str, str]:
    """What most runs end at, to two digits of all indices."""
    ends = zip(*(record.arrays[name] for name in UNBALANCE_INDICES), strict=True)
    digits = Counter(tuple(f"{value:.2f}" for value in end) for end in ends)
    return dict(zip(UNBALANCE_INDICES, digits.most_common(1)[0][0], strict=True))


def _is_mode_as_printed(record: Record) -> bool:
    cells = printed("Unbalance")
    return all(cells["KM", name].text == text for name, text in _most_frequent(record).items())


def _gather_unbalance(records: Mapping[str, Record], run: Run) -> Part:
    if not records:
        return Part((undetermined("Unbalance", "16 numbers", f"no data: {run.missing['unbalance']}"),))
    findings, figures, shown = [], {}, {}
    values: dict[str, dict[str, float]] = {}
    for algorithm, runs in UNBALANCE_RUNS.items():
        arrays = records[algorithm].arrays
        got = {name: float(arrays[name].mean()) for name in UNBALANCE_INDICES}
        for name, value in got.items():
            cell = printed("Unbalance")[algorithm, name]
            spread = DEVIATIONS * float(arrays[name].std())
            reason = "rounding" if runs == 1 else f"rounding, and two deviations between {runs} runs"
            findings.append(number(cell, value, tolerance=cell.half_unit + spread, reason=reason))
        values[algorithm] = got
        shown[algorithm] = series_over(UNBALANCE_INDICES, list(got.values()))
    high = all(values["SL"][name] > 0.95 for name in ("ARI", "NMI", "NVD")) and values["SL"]["PSI"] < 0.9
    findings.append(
        statement(
            "Unbalance", "point-level indices are unrealistically high for single link, PSI is not", high,
            f"single link: {told(values['SL'], 3)}",
        )
    )  # fmt: skip
    title = (
        f"PSI sees single link's error ({values['SL']['PSI']:.2f}), ARI does not ({values['SL']['ARI']:.3f})"
    )
    figures["unbalance"] = line_figure(
        {"": shown},
        title=title,
        description=f"{title}. Four indices of four algorithms on Unbalance.",
        x="index (NVD as 1 - NVD)",
        y="value, higher is better",
    )
    rows = tuple((algorithm, *of.values()) for algorithm, of in values.items())
    remarks = (
        "the column NVD of the slide is a similarity: 1 - NVD is compared with it",
        (
            "three readings of K-means were tried (its most frequent end by MSE, by digits, the mean within "
            "two deviations): the last is the widest, and that of the other tables"
        ),
        f"K-means: the mean of all runs, as in the other tables; to two digits its most frequent end is "
        f"{told(_most_frequent(records['KM']))}, which by rounding alone would not all be as printed"
        if not _is_mode_as_printed(records["KM"])
        else "K-means: the mean of all runs; its most frequent end is as printed to two digits",
    )
    table = Table("Unbalance, as we get it", ("algorithm", *UNBALANCE_INDICES), rows)
    return Part(tuple(findings), figures, (table,), remarks)


UNBALANCE = Study(
    "unbalance",
    "four algorithms on Unbalance (part VI)",
    _unbalance_plan,
    _unbalance_work,
    _gather_unbalance,
    ("unbalance",),
)


# --- centroid index ---------------------------------------------------------------------------------------

RUNS = 200
SOLUTIONS = {"PNN": "AC", "RS": "RS", "KM": "KM"}


def _centroid_plan(run: Run) -> list[Task]:
    if not run.has("s2"):
        return []
    runs = RUNS // 4 if run.quick else RUNS
    tasks = [Task(name, (algorithm, [run.task_seed(5, 0)])) for name, algorithm in SOLUTIONS.items()]
    return [*tasks[:2], Task("KM", ("KM", [run.task_seed(5, 1, i) for i in range(runs)]))]


def _centroid_work(algorithm: str, seeds: Sequence[int]) -> Record:
    X, truth = loaded("s2").X, truth_of("S2")
    rows: list[tuple[float, float]] = []
    for seed in seeds:
        found = clustering(algorithm, X, BENCH["S2"].k, seed)
        ci = judged("centroid_index", X, truth, found)
        rows.append((ci, agreement(truth, found, "adjusted_rand")))
    return Record({}, {"values": np.array(rows)})


def _gather_centroids(records: Mapping[str, Record], run: Run) -> Part:
    lost = tuple(
        undetermined(cell.where, cell.text, "the slide does not name the data set of these solutions")
        for cell in printed("ARI vs CI").values()
    )
    single, one_findings = _one_cluster()
    if not records:
        return Part((*lost, *one_findings, undetermined("CI on S2", "picture", run.missing["s2"])))
    runs = records["KM"].arrays["values"]
    by_ci = {int(ci): runs[runs[:, 0] == ci, 1] for ci in np.unique(runs[:, 0])}
    rows = [
        (f"KM, CI = {ci}", of.size, float(of.min()), float(of.mean()), float(of.max()))
        for ci, of in by_ci.items()
    ]
    for name in ("PNN", "RS"):
        ci, ari = records[name].arrays["values"][0].tolist()
        rows.append((f"{name}, CI = {ci:.0f}", 1, ari, ari, ari))
    table = Table("ARI on S2 by centroid index", ("solutions", "runs", "least", "mean", "most"), tuple(rows))
    findings = [*_centroid_findings(records, by_ci), *lost, *one_findings]
    remarks = (
        single,
        "the picture of CI on S2 is lost, and the data are not ours to draw here",
    )
    return Part(tuple(findings), _centroid_figures(by_ci), (table,), remarks)


def _centroid_findings(records: Mapping[str, Record], by_ci: Mapping[int, Floats]) -> list[Finding]:
    right = {name: float(records[name].arrays["values"][0, 0]) for name in ("PNN", "RS")}
    within = gap = float("nan")
    if 0 in by_ci and 1 in by_ci:
        within = float(by_ci[1].max() - by_ci[1].min())
        gap = float(by_ci[0].min() - by_ci[1].max())
    told_ranges = "; ".join(f"CI = {ci}: ARI {of.min():.2f} to {of.max():.2f}" for ci, of in by_ci.items())
    return [
        statement(
            "Example of centroid index, S2", "CI counts clusters that are misplaced: 0 for good solutions",
            all(value == 0 for value in right.values()), f"PNN and RS: {told(right, 0)}",
        ),
        statement(
            "Adjusted Rand vs. centroid index",
            "ARI differs more among solutions with CI = 1 (0.82, 0.88) than between these and CI = 0 (0.91)",
            None if np.isnan(gap) else within > gap, f"k-means on S2: {told_ranges}",
            unless="on S2 each misplaced cluster has its price in ARI; the slide does not name its set",
        ),
    ]  # fmt: skip


def _one_cluster() -> tuple[str, list[Finding]]:
    """Two true clusters, and all objects in one: a solution with the printed values."""
    X = np.vstack([np.column_stack([np.full(50, side), np.arange(50.0)]) for side in (0.0, 1000.0)])
    truth, one = np.repeat([0, 1], 50), np.zeros(100, int)
    got = {
        "CI": judged("centroid_index", X, truth, one),
        "CSI": judged("centroid_similarity_index:variant=program", X, truth, one),
    }
    cells = printed("Four solutions")
    findings = [
        number(cells["1", name], value, reason="rounding; two equal clusters, all objects in one")
        for name, value in got.items()
    ]
    findings += [
        undetermined(cell.where, cell.text, "the picture of this solution is lost")
        for (row, _), cell in cells.items()
        if row != "1"
    ]
    remark = (
        "which four solutions have CI = 1 and CSI = 0.50 is lost: one cluster for two is one of that kind"
    )
    return remark, findings


def _centroid_figures(by_ci: Mapping[int, Floats]) -> dict[str, FigureData]:
    cis = sorted(by_ci)
    means = [float(by_ci[ci].mean()) for ci in cis]
    title = f"each misplaced cluster of S2 costs about {_slope(cis, means):.2f} of ARI"
    if len(cis) < 2:
        title = f"all runs of k-means on S2 have CI = {cis[0]}"
    lines = series_over(cis, means)
    spread = type(lines)(
        lines.x, lines.y, [float(by_ci[ci].min()) for ci in cis], [float(by_ci[ci].max()) for ci in cis]
    )
    return {
        "ari_by_ci": line_figure(
            {"": {"k-means": spread}},
            title=title,
            description=f"{title}. ARI of k-means runs by their centroid index; bars from least to most.",
            x="centroid index (lower is better)",
            y="ARI, higher is better",
            notes=("bars: from the least to the most of the runs",),
        )
    }


def _slope(x: Sequence[int], y: Sequence[float]) -> float:
    return float(-np.polyfit(x, y, 1)[0]) if len(x) > 1 else float("nan")


CENTROIDS = Study(
    "centroid_index",
    "the centroid index on S2, ARI beside it, and solutions with CI = 1 (part VII)",
    _centroid_plan,
    _centroid_work,
    _gather_centroids,
    ("s2",),
)
