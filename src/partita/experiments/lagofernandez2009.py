"""lagofernandez2009: the partition negentropy criterion (PNC) beside AIC, BIC and ICL."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.datasets import (
    SHAPES,
    DataSet,
    make_lagofernandez2009_example,
    make_lagofernandez2009_pair,
    make_lagofernandez2009_problem,
)
from partita.errors import ConvergenceWarning
from partita.experiments.findings import Finding, Printed, number, printed_values, statement, undetermined
from partita.experiments.studies import Paper, Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import Series, line_figure
from partita.results import Table

__all__ = ["PAPER"]

CRITERIA = {"AIC": "aic", "BIC": "bic", "ICL": "icl", "PNC": "partition_negentropy:min_points=0"}
"""All smaller is better; PNC as the paper has it, without a least number of objects in a component."""

KS = (1, 2, 3, 4, 5)

SETTINGS = (
    "the paper does not say how EM starts and ends: we take objects as means, the variances of the features, "
    "equal weights, and end where the mean log-likelihood changes by less than 1e-5, with a ridge of 1e-6"
)

WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
"""Of the entropy in ICL = BIC + weight * 2 * entropy; 1 is ICL, and 0 would be BIC."""

WEIGHED = (
    "an ICL that weighs the entropy of the responsibilities by less than 1 was tried on the same fits: the "
    "paper "
    "gives no formula of its ICL, and the usual one, 2 n PNC plus a penalty on converged fits, can never "
    "choose "
    "more components than PNC does"
)

EARLY = 20
"""Iterations after which EM is stopped to see what an early stop changes."""

BLOCK = 10
"""Problems in a task."""


def fitted(X: Floats, k: int, seed: int, max_iter: int) -> Any:
    """One mixture, from one start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # early stops are part of the protocol
        return pt.cluster.GaussianMixtureEM(
            k, init="random", tol=1e-5, max_iter=max_iter, random_state=seed
        ).fit(X)


def values_of(X: Floats, model: Any) -> list[float]:
    """The four criteria of a mixture."""
    found = pt.validate(X, model, indices=list(CRITERIA.values()))
    return [found[name].value for name in CRITERIA.values()]


def choices_of(
    X: Floats, seeds: Sequence[int], max_iter: int
) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """For each criterion the number of components of the best of all fits, and which fit that is.

    The third are the numbers of components by ICL with each of `WEIGHTS` on its entropy.
    All runs of all numbers of components are one pool, as the paper has it; the first of equals is taken.
    """
    fits = [(k, seed) for k in KS for seed in seeds]
    values = np.array([values_of(X, fitted(X, k, seed, max_iter)) for k, seed in fits])
    best = np.where(np.isfinite(values), values, math.inf).argmin(axis=0)
    bic, icl = (values[:, list(CRITERIA).index(name)] for name in ("BIC", "ICL"))
    with np.errstate(invalid="ignore"):
        weighed = [bic + weight * (icl - bic) for weight in WEIGHTS]
    least = [int(np.where(np.isfinite(one), one, math.inf).argmin()) for one in weighed]
    return [fits[i][0] for i in best], [fits[i] for i in best], [fits[i][0] for i in least]


def _weights(holds: Sequence[bool]) -> str:
    """The weights for which something holds, in words."""
    good = [f"{weight:g}" for weight, one in zip(WEIGHTS, holds, strict=True) if one]
    return ", ".join(good) or "none"


def _by_weight(title: str, columns: Sequence[str], values: Sequence[Sequence[Any]]) -> Table:
    """What an ICL with each weight comes to."""
    rows = tuple((f"{weight:g}", *row) for weight, row in zip(WEIGHTS, values, strict=True))
    return Table(title, ("weight of the entropy in ICL", *columns), rows)


def _seeds(run: Run, count: int, *place: int) -> list[int]:
    return [run.task_seed(*place, i) for i in range(count)]


# --- 3.1: two examples ------------------------------------------------------------------------------------

EARLY_STOPS = (10, 20, 50)
"""Iterations after which EM is stopped, for AIC's choice."""

EXAMPLES = {"Fig. 1": "normal", "Fig. 2": "gamma"}


def _example(shape: str, run_seed: int) -> DataSet:
    rng = np.random.default_rng([run_seed, list(EXAMPLES.values()).index(shape)])
    return make_lagofernandez2009_example(shape, random_state=rng)


def _examples_plan(run: Run) -> list[Task]:
    runs = 3 if run.quick else 10
    return [
        Task(shape, (shape, run.seed, _seeds(run, runs, 1, place)))
        for place, shape in enumerate(EXAMPLES.values())
    ]


def _examples_work(shape: str, run_seed: int, seeds: Sequence[int]) -> Record:
    X = _example(shape, run_seed).X
    chosen, fits, weighted = choices_of(X, seeds, 500)
    early = {limit: choices_of(X, seeds, limit)[0][0] for limit in EARLY_STOPS}
    return Record({"chosen": chosen, "fits": fits, "weighted": weighted, "early": list(early.values())})


def _examples(records: Mapping[str, Record], run: Run) -> Part:
    findings: list[Finding] = []
    figures: dict[str, FigureData] = {}
    for figure, shape in EXAMPLES.items():
        chosen = dict(zip(CRITERIA, records[shape].values["chosen"], strict=True))
        printed = {p.column: p for p in printed_values("lagofernandez2009") if p.table == figure}
        for criterion, k in chosen.items():
            unless = _why_not(criterion, printed[criterion], records[shape])
            findings.append(number(printed[criterion], k, tolerance=0.0, reason="the same", unless=unless))
        data = _example(shape, run.seed)
        for (k, seed), who in _by_fit(records[shape].values["fits"]).items():
            model = fitted(data.X, k, seed, 500)
            shown = pt.plots.figure_data(pt.validate(data.X, model, indices=["AIC"]), "scatter")
            verb = "chooses" if len(who) == 1 else "choose"
            figures[f"{shape}-{'-'.join(who)}"] = _retitled(
                shown, f"{' and '.join(who)} {verb} {k} components"
            )
    weighted = [
        [records[shape].values["weighted"][i] for shape in EXAMPLES.values()] for i in range(len(WEIGHTS))
    ]
    table = _by_weight("components chosen by an ICL of another weight", tuple(EXAMPLES), weighted)
    return Part(tuple(findings), figures, (table,), (SETTINGS, WEIGHED))


def _by_fit(fits: Sequence[Sequence[int]]) -> dict[tuple[int, int], list[str]]:
    """The criteria by the fit that they choose, so that each is drawn once."""
    chosen: dict[tuple[int, int], list[str]] = {}
    for criterion, (k, seed) in zip(CRITERIA, fits, strict=True):
        chosen.setdefault((k, seed), []).append(criterion)
    return chosen


def _retitled(data: FigureData, title: str) -> FigureData:
    from dataclasses import replace

    return replace(data, title=title, description=f"{title}. {data.description}")


def _why_not(criterion: str, printed: Printed, record: Record) -> str:
    """What else was tried, and what it gives."""
    if criterion == "AIC":
        stops = ", ".join(map(str, EARLY_STOPS))
        got = ", ".join(map(str, record.values["early"]))
        return f"AIC's choice depends on how early EM is stopped: after {stops} iterations it chooses {got}"
    if criterion == "ICL":
        weights = _weights([k == printed.value for k in record.values["weighted"]])
        return f"ICL chooses it with its entropy weighed by {weights}, the usual one never more than PNC does"
    return ""


# --- 3.2: distance between two clusters -------------------------------------------------------------------

DISTANCES = tuple(i / 2 for i in range(11))
APART = 4.0
"""From this distance on the clusters are well separated."""
HALF = 0.5
"""A mean number of clusters is right within this."""


def _sweep_plan(run: Run) -> list[Task]:
    problems, runs = (1, 3) if run.quick else (40, 10)
    return [
        Task(
            f"{shape}-{place}-{i}",
            (shape, d, run.task_seed(2, s, place, i), _seeds(run, runs, 3, s, place, i), _is_early(shape, i)),
        )
        for s, shape in enumerate(SHAPES)
        for place, d in enumerate(DISTANCES)
        for i in range(problems)
    ]


def _is_early(shape: str, problem: int) -> bool:
    """Whether a problem is also run with EM stopped early: the first of the normal ones."""
    return shape == "normal" and problem < BLOCK


def _sweep_work(shape: str, distance: float, seed: int, seeds: Sequence[int], early: bool) -> Record:
    X = make_lagofernandez2009_pair(shape, distance, random_state=seed).X
    chosen, _, weighted = choices_of(X, seeds, 500)
    stopped = {"early": choices_of(X, seeds, EARLY)[0][0]} if early else {}
    return Record({"chosen": chosen, "weighted": weighted, **stopped})


def _sweep(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    mean: dict[str, Array] = {}
    spread: dict[str, Array] = {}
    weighted: dict[str, Array] = {}
    for shape in SHAPES:
        by_distance = []
        for place in range(len(DISTANCES)):
            first = f"{shape}-{place}-"
            by_distance.append([r.values["chosen"] for key, r in records.items() if key.startswith(first)])
        chosen = np.array(by_distance, dtype=float)  # (distances, problems, criteria)
        mean[shape] = chosen.mean(axis=1)
        weighted[shape] = np.array(
            [
                np.mean(
                    [r.values["weighted"] for k, r in records.items() if k.startswith(f"{shape}-{place}-")],
                    axis=0,
                )
                for place in range(len(DISTANCES))
            ]
        )
        spread[shape] = chosen.std(axis=1) / math.sqrt(chosen.shape[1])
    far = np.array(DISTANCES) >= APART
    right = {
        s: dict(zip(CRITERIA, np.abs(m[far] - 2).max(axis=0) <= HALF, strict=True)) for s, m in mean.items()
    }
    always = [c for c in CRITERIA if all(right[s][c] for s in SHAPES)]
    title = f"well separated clusters of every shape are counted rightly by {' and '.join(always) or 'none'}"
    figure = line_figure(
        {
            shape: {
                criterion: Series(
                    DISTANCES,
                    mean[shape][:, i].tolist(),
                    (mean[shape][:, i] - spread[shape][:, i]).tolist(),
                    (mean[shape][:, i] + spread[shape][:, i]).tolist(),
                )
                for i, criterion in enumerate(CRITERIA)
            }
            for shape in SHAPES
        },
        title=title,
        description=f"{title}. The mean number of components that each criterion chooses, over the distance "
        "between the centres; bars are one standard error. There are two clusters.",
        x="distance between the centres",
        y="components chosen",
        notes=("two clusters of unit covariance; bars: one standard error",),
        abreast=2,
    )
    columns = tuple(f"{shape}, most from d = {APART:g} on" for shape in SHAPES)
    most = [[float(weighted[shape][far, i].max()) for shape in SHAPES] for i in range(len(WEIGHTS))]
    table = _by_weight("mean number of components chosen by an ICL of another weight", columns, most)
    early = _early_means(records)
    return Part(
        _sweep_findings(mean, right, weighted, early), {"fig3": figure}, (table,), (SETTINGS, WEIGHED)
    )


def _early_means(records: Mapping[str, Record]) -> Array:
    """The mean choices of AIC over the distances on normal clusters, with EM stopped early and not."""
    rows = []
    for place in range(len(DISTANCES)):
        own = [r for key, r in records.items() if key.startswith(f"normal-{place}-") and "early" in r.values]
        rows.append(
            [np.mean([r.values["early"] for r in own]), np.mean([r.values["chosen"][0] for r in own])]
        )
    return np.array(rows, dtype=float)


def _sweep_findings(
    mean: Mapping[str, Array],
    right: Mapping[str, Mapping[str, Any]],
    weighted: Mapping[str, Array],
    early: Array,
) -> tuple[Finding, ...]:
    names = list(CRITERIA)
    away = np.array(DISTANCES) >= APART
    worst = max(np.abs(mean[s][away, names.index("PNC")] - 2).max() for s in SHAPES)
    gamma = weighted["gamma"][away].max(axis=0) > 2 + HALF
    wrong = [any(np.abs(weighted[s][away, i] - 2).max() > HALF for s in SHAPES) for i in range(len(WEIGHTS))]
    normal = mean["normal"]
    between = bool(normal.min() >= 1 - 1e-9 and normal.max() <= 2 + 1e-9)
    others = [s for s in SHAPES if s != "normal"]
    over = {c: {s: float(mean[s][:, names.index(c)].min()) for s in others} for c in ("AIC", "BIC")}
    first = {c: _first_two(normal[:, names.index(c)]) for c in CRITERIA}
    gamma_icl = float(mean["gamma"][np.array(DISTANCES) >= APART, names.index("ICL")].max())
    told = "; ".join(f"{c} from d = {first[c]:g} on" for c in CRITERIA)
    ranges = [f"{c} {normal[:, i].min():.2f} to {normal[:, i].max():.2f}" for i, c in enumerate(names)]
    always = [c for c in CRITERIA if all(right[s][c] for s in SHAPES)]
    return (
        statement(
            "Fig. 3A", "on normal clusters all criteria choose between 1 and 2 on average", between,
            ", ".join(ranges),
            unless=f"AIC depends on how early EM is stopped: on the first {BLOCK} problems it chooses at "
            f"most {early[:, 0].max():.2f} on average after {EARLY} iterations, and {early[:, 1].max():.2f} "
            "converged",
        ),
        statement(
            "Fig. 3A", "AIC and BIC stand more overlap of normal clusters than ICL and PNC",
            max(first["AIC"], first["BIC"]) < min(first["ICL"], first["PNC"]),
            f"more than 1.5 on average: {told}",
            unless="by the first distance with a mean above 1.5",
        ),
        statement(
            "Fig. 3B-D", "AIC and BIC overestimate other shapes at any overlap",
            all(low > 2 for of in over.values() for low in of.values()),
            "lowest means: " + "; ".join(f"{c} {s} {v:.2f}" for c, of in over.items() for s, v in of.items()),
            unless="where two clusters coincide they are one: the lowest means are at small distances",
        ),
        statement(
            "Fig. 3D", "ICL overestimates gamma clusters at high distance", gamma_icl > 2 + HALF,
            f"at most {gamma_icl:.2f} on average from d = {APART:g} on",
            unless=f"it does with the entropy of ICL weighed by {_weights(gamma.tolist())}, on the same fits",
        ),
        statement(
            "3.2", "PNC is right for every shape when the clusters are well separated",
            all(right[s]["PNC"] for s in SHAPES), f"within {HALF:g} of 2 from d = {APART:g} on",
            unless=f"the mean that is farthest from 2: {worst:.2f} away",
        ),
        statement(
            "3.2", "PNC is the only one that is", always == ["PNC"],
            f"right for all shapes: {', '.join(always) or 'none'}",
            unless=f"ICL is right as well; with its entropy weighed by {_weights(wrong)} it is not",
        ),
    )  # fmt: skip


def _first_two(curve: Array) -> float:
    """The first distance at which more than 1.5 components are chosen on average."""
    return next((d for d, value in zip(DISTANCES, curve, strict=True) if value > 1.5), math.inf)


# --- 3.3: random problems ---------------------------------------------------------------------------------


def _table_plan(run: Run) -> list[Task]:
    blocks, runs = (2, 2) if run.quick else (100, 5)
    return [
        Task(
            f"block{b}",
            ([run.task_seed(4, b, i) for i in range(BLOCK)], _seeds(run, runs, 5, b), b < EARLY_BLOCKS),
        )
        for b in range(blocks)
    ]


EARLY_BLOCKS = 10
"""Blocks of problems that are also run with EM stopped early."""


def _table_work(problems: Sequence[int], seeds: Sequence[int], early: bool) -> Record:
    data = [make_lagofernandez2009_problem(random_state=p).X for p in problems]
    found = [choices_of(X, seeds, 50) for X in data]
    stopped = {"early": [choices_of(X, seeds, EARLY)[0] for X in data]} if early else {}
    return Record({"chosen": [one[0] for one in found], "weighted": [one[2] for one in found], **stopped})


def _table(records: Mapping[str, Record], run: Run) -> Part:
    chosen = np.array([row for record in records.values() for row in record.values["chosen"]])
    count = len(chosen)
    shares = {}
    for place, criterion in enumerate(CRITERIA):
        seen = Counter(chosen[:, place].tolist())
        shares[criterion] = [100 * seen[k] / count for k in KS]
    weighted = np.array([row for record in records.values() for row in record.values["weighted"]])
    by_weight = [[100 * float(np.mean(weighted[:, i] == k)) for k in KS] for i in range(len(WEIGHTS))]
    early = np.array([row for record in records.values() for row in record.values.get("early", [])])
    findings = [
        _share_finding(
            printed,
            shares[printed.column][int(printed.row[0]) - 1],
            count,
            _why_other(printed, by_weight, early),
        )
        for printed in printed_values("lagofernandez2009")
        if printed.table == "Table 1"
    ]
    right = {c: shares[c][2] for c in CRITERIA}
    over = {c: sum(shares[c][3:]) for c in CRITERIA}
    findings += [
        statement(
            "3.3", "PNC is right most often, ICL follows closely",
            right["PNC"] > max(right[c] for c in ("AIC", "BIC", "ICL")),
            ", ".join(f"{c} {v:.1f} %" for c, v in right.items()),
            unless="on the same fits ICL and PNC are nearly the same criterion; PNC is ahead of an ICL that "
            f"weighs the entropy by {_weights([right['PNC'] > of[2] for of in by_weight])}",
        ),
        statement(
            "3.3", "PNC overestimates less often than ICL (9.0 against 15.5 %)", over["PNC"] < over["ICL"],
            f"PNC {over['PNC']:.1f} %, ICL {over['ICL']:.1f} %",
            unless="on one pool of converged fits PNC can never choose fewer components than ICL; it "
            "overestimates less often than an ICL that weighs the entropy by "
            f"{_weights([over['PNC'] < sum(of[3:]) for of in by_weight])}",
        ),
        statement(
            "3.3", "AIC and BIC perform very poorly", max(right["AIC"], right["BIC"]) < 0.5 * right["PNC"],
            f"AIC {right['AIC']:.1f} %, BIC {right['BIC']:.1f} %, PNC {right['PNC']:.1f} %",
        ),
    ]  # fmt: skip
    rows = tuple((k, *(f"{shares[c][k - 1]:.1f}" for c in CRITERIA)) for k in KS)
    table = Table(f"percentage of {count} problems that choose each number", ("components", *CRITERIA), rows)
    shown = [[f"{share:.1f}" for share in of] for of in by_weight]
    other = _by_weight("percentage of problems by an ICL of another weight", tuple(map(str, KS)), shown)
    best = max(right, key=lambda c: right[c])
    figure = line_figure(
        {"": {c: Series([str(k) for k in KS], shares[c]) for c in CRITERIA}},
        title=f"{best} is right most often, in {right[best]:.0f} % of {count} problems of three clusters",
        description="How often each criterion chooses each number of components, on random problems of three "
        f"clusters. {best} is right most often, in {right[best]:.0f} %.",
        x="components chosen (three clusters)",
        y="problems in %",
    )
    fit = (
        "the laws of the random problems are not given: those here were fitted to Table 1 by trying 72 "
        "settings, and EM is stopped after 50 iterations, which belongs to the fit; the seeds are others"
    )
    small = (f"{count} problems, of 1000",) if run.quick else ()
    return Part(tuple(findings), {"table1": figure}, (table, other), (SETTINGS, fit, WEIGHED, *small))


def _why_other(printed: Printed, by_weight: Sequence[Sequence[float]], early: Array) -> str:
    """What another weight of ICL, or an earlier stop of EM, makes of a share."""
    k = int(printed.row[0])
    if printed.column == "ICL":
        near = min(range(len(WEIGHTS)), key=lambda i: abs(by_weight[i][k - 1] - printed.value))
        return (
            f"with the entropy weighed by {WEIGHTS[near]:g}, of those tried, {by_weight[near][k - 1]:.1f} %"
        )
    share = 100 * float(np.mean(early[:, list(CRITERIA).index(printed.column)] == k))
    return f"with EM stopped after {EARLY} iterations {share:.1f} %, on the first {len(early)} problems"


def _share_finding(printed: Printed, share: float, count: int, unless: str = "") -> Finding:
    """The share of 1000 problems against ours: the same within three standard errors of the difference."""
    p = (printed.value / 100 * 1000 + share / 100 * count) / (1000 + count)
    error = 100 * math.sqrt(max(p * (1 - p), 1 / (1000 + count)) * (1 / 1000 + 1 / count))
    return number(
        printed, share, tolerance=3 * error, reason="three standard errors of the difference", unless=unless
    )


# --- what the paper leaves to later work ------------------------------------------------------------------

REAL = {"iris": 3, "wine": 3, "wdbc": 2, "haberman": 2, "vehicle": 4}


def _real_plan(run: Run) -> list[Task]:
    runs = 3 if run.quick else 10
    names = [name for name in REAL if run.has(name)]
    return [Task(name, (name, _seeds(run, runs, 6, list(REAL).index(name)))) for name in names]


def _real_work(name: str, seeds: Sequence[int]) -> Record:
    X = np.asarray(pt.datasets.load(name).X)
    X = X[np.isfinite(X).all(axis=1)]
    standard = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    chosen, _, _ = choices_of(standard, seeds, 200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        inside = pt.cluster.GaussianMixtureEM("pnc", random_state=seeds[0]).fit(standard)
    return Record({"chosen": chosen, "inside": int(inside.n_clusters_)})


def _real(records: Mapping[str, Record], run: Run) -> Part:
    rows = tuple(
        (name, REAL[name], *record.values["chosen"], record.values["inside"])
        for name, record in records.items()
    )
    absent = tuple(
        undetermined("4, future work", name, f"the data cannot be had: {run.missing[name]}")
        for name in REAL
        if not run.has(name)
    )
    columns = ("set", "classes", *CRITERIA, "PNC inside EM")
    table = Table("components chosen on real sets, standardised", columns, rows)
    remark = "the paper leaves real data and PNC inside EM to later work: nothing is printed to compare with"
    return Part(absent, {}, (table,), (remark,))


# --- the paper --------------------------------------------------------------------------------------------


def _together(parts: Mapping[str, Part]) -> str:
    """The weights of ICL's entropy with which findings of the paper on ICL appear."""
    second = [row[2] > 3 for row in parts["examples"].tables[0].rows]
    gamma = [row[1 + list(SHAPES).index("gamma")] > 2 + HALF for row in parts["fig3"].tables[0].rows]
    shares = [[float(share) for share in row[1:]] for row in parts["table1"].tables[1].rows]
    place = 1 + list(CRITERIA).index("PNC")
    pnc = [float(row[place]) for row in parts["table1"].tables[0].rows]
    ahead = [pnc[2] > of[2] for of in shares]
    fewer = [sum(pnc[3:]) < sum(of[3:]) for of in shares]
    together = [all(of) for of in zip(second, ahead, fewer, strict=True)]
    return (
        "the paper's ICL is not the usual one; weights of the entropy (1 is the usual ICL) with which it has "
        f"more than 3 components in Fig. 2: {_weights(second)}; is right less often than PNC in Table 1: "
        f"{_weights(ahead)}; overestimates more often than PNC there: {_weights(fewer)}; these three "
        f"findings together: {_weights(together)}; and overestimates gamma clusters that are far apart by "
        f"more than {HALF:g}: {_weights(gamma)}"
    )


def _lessons(parts: Mapping[str, Part]) -> list[str]:
    said = []
    if "table1" in parts:
        said.append(
            f"{parts['table1'].figures['table1'].title}; AIC and BIC count components, not clusters, where "
            "clusters are not Gaussian"
        )
    if "fig3" in parts:
        said.append(parts["fig3"].figures["fig3"].title)
    if {"examples", "fig3", "table1"} <= set(parts):
        said.append(_together(parts))
    if "real" in parts and parts["real"].tables[0].rows:
        rows = parts["real"].tables[0].rows
        place = 2 + list(CRITERIA).index("PNC")
        hits = sum(row[place] == row[1] for row in rows)
        said.append(f"on real sets PNC as printed chooses the number of classes in {hits} of {len(rows)}")
    return said


PAPER = Paper(
    "lagofernandez2009",
    "Lago-Fernandez, Sanchez-Montanes and Corbacho (2009): fuzzy cluster validation using the partition "
    "negentropy criterion",
    (
        Study(
            "examples", "the two examples of 3.1 (Figs. 1 and 2)", _examples_plan, _examples_work, _examples
        ),
        Study("fig3", "two clusters at rising distance (Fig. 3)", _sweep_plan, _sweep_work, _sweep),
        Study("table1", "random problems (Table 1)", _table_plan, _table_work, _table),
        Study("real", "real sets, and PNC inside EM", _real_plan, _real_work, _real, tuple(REAL)),
    ),
    _lessons,
)
