"""The curves over k of part II: TSE and its jump, WB, sums of squares, DBI, silhouette and BIC."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import partita as pt
from partita.errors import PartitaWarning
from partita.experiments.findings import Finding, statement
from partita.experiments.franti2017.sources import S_SETS, loaded, series_over, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import line_figure
from partita.results import Table, show

__all__ = ["CURVES"]

TRUE = 15
LAST = 25
"""The largest k of the curves; the slides' axes end there or a little beyond."""
EXTENDED = 60
"""The largest k of the extension for S3, which we chose: the picture is lost."""

RUNS = 3

CHOICES = {
    "TSE, knee": ("ssw", "knee"),
    "jump": ("jump", "best"),
    "WB": ("wb_index", "best"),
    "Ball & Hall, knee": ("ball_hall", "knee"),
    "Marriott": ("marriott", "best"),
    "Calinski & Harabasz": ("calinski_harabasz", "best"),
    "Hartigan, knee": ("hartigan_log", "knee"),
    "Xu": ("xu", "best"),
    "DBI": ("davies_bouldin", "best"),
    "silhouette": ("silhouette", "best"),
    "BIC": ("bic_partition", "best"),
    "BIC, second difference": ("second_difference", "best"),
}
"""The curves, our names of them, and how each chooses."""

F_TEST = "F-ratio"
"""WB in the form of a test: 1 / CH."""

FAMILY = ("Ball & Hall, knee", "Marriott", "Calinski & Harabasz", "Hartigan, knee", "Xu")
EXTENSION = "S3, extended"


def _plan(run: Run) -> list[Task]:
    tasks = []
    for place, row in enumerate((EXTENSION, *S_SETS)):
        name = row[:2].lower()
        if not run.has(name) or (run.quick and row == EXTENSION):
            continue
        last = EXTENDED if row == EXTENSION else LAST
        quick = run.quick or row == EXTENSION
        tasks.append(Task(row, (name, last, 1 if quick else RUNS, run.task_seed(3, place))))
    return tasks


def _work(name: str, last: int, runs: int, seed: int) -> Record:
    rules: dict[str, str] = dict(CHOICES.values())
    f_test: Any = pt.indices.find("wb_index").using(variant="f_test")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        found = pt.choose_k(
            loaded(name).X,
            ks=range(1, last + 1),
            n_runs=runs,
            indices=[*rules, f_test],
            rules=rules,
            structure=False,
            n_splits=0,
            random_state=seed,
        )
    names = {what: index for what, (index, _) in CHOICES.items()} | {F_TEST: f_test.label}
    return Record(
        {
            "ks": list(found.ks),
            "curves": {what: [float(v) for v in found.curves[index].values] for what, index in names.items()},
            "chosen": {what: found.choices[index].verdict.k for what, index in names.items()},
        }
    )


def _gather(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    values = {row: record.values for row, record in records.items()}
    if not values:
        return Part(remarks=("the S sets cannot be had here: no curve was drawn",))
    rows = tuple(
        (what, *("none" if of["chosen"][what] is None else of["chosen"][what] for of in values.values()))
        for what in (*CHOICES, F_TEST)
    )
    return Part(
        tuple(_findings(values)),
        _figures(values),
        (
            Table(
                "the number of clusters at which each curve has its best value or knee",
                ("curve", *values),
                rows,
            ),
        ),
        (
            (
                "the text has neither pictures nor digits of these curves: what can be compared is which k "
                "they point to, and what the slides say of them"
            ),
            f"random swap, the best of {RUNS} runs for each k (one for the extension, to k = {EXTENDED})",
        ),
    )


def _why_other(row: str, of: Mapping[str, Any], what: str) -> str:
    """The values of a curve at what it chooses and at the true number of clusters."""
    values = dict(zip(of["ks"], of["curves"][what], strict=True))
    chosen = of["chosen"][what]
    if chosen is None:
        before, here, after = (values[TRUE + shift] for shift in (-1, 0, 1))
        slower = 1 - (here - after) / (before - here)
        share = f"{100 * slower:.0f} % shorter than the one before"
        return f"on {row} the step after {TRUE} is {share}: no clear knee"
    return f"on {row} the value is {show(values[chosen])} at {chosen} and {show(values[TRUE])} at {TRUE}"


def _findings(values: Mapping[str, Any]) -> list[Finding]:
    plain = {row: of for row, of in values.items() if row in S_SETS}

    def at(what: str) -> dict[str, Any]:
        return {row: of["chosen"][what] for row, of in plain.items()}

    def finds(what: str, where: str, said: str, rows: Sequence[str] = S_SETS) -> Finding:
        got = {row: k for row, k in at(what).items() if row in rows}
        others = [row for row, k in got.items() if k != TRUE]
        why = "; ".join(_why_other(row, plain[row], what) for row in others)
        return statement(where, said, not others if got else None, told(got), unless=why)

    falling = all(
        all(b <= a * (1 + 1e-3) for a, b in itertools.pairwise(curve))
        for curve in (of["curves"]["TSE, knee"] for of in plain.values())
    )
    made = [
        statement(
            "Sum of squared errors", "the more clusters, the smaller the value", falling if plain else None,
            "TSE falls at every step up to k = 25" if falling else "TSE rises by over 0.1 % at some step",
        ),
        finds("TSE, knee", "Sum of squared errors", "a small knee near the correct value (here: at 15)"),
        finds("jump", "Jump point of TSE", "the jump is at the correct number"),
        finds("WB", "WB-index, datasets S1 to S4", "the smallest value is at 15"),
        finds("DBI", "Measured values for S2", "DBI is smallest at 15", ("S2",)),
        finds("silhouette", "Performance of SC", "the silhouette is largest at 15", ("S2",)),
        finds("BIC, second difference", "Knee point detection on BIC", "SD is largest at 15"),
    ]  # fmt: skip
    if EXTENSION in values:
        far = values[EXTENSION]["chosen"]["WB"]
        told_far = f"{far} up to k = {EXTENDED}"
        made.append(statement("Extension for S3", "WB stays smallest at 15 beyond", far == TRUE, told_far))
    return made


def _curve(
    values: Mapping[str, Any], panels: Mapping[str, tuple[str, str]], y: str, what: str, scales: bool = True
) -> FigureData:
    """A figure: each panel shows one curve of one set; as a share of its largest value if asked for."""
    shown, marked, chosen = {}, {}, {}
    for title, (row, curve) in panels.items():
        heights = values[row]["curves"][curve]
        most = max((abs(h) for h in heights if h == h), default=1.0) if scales else 1.0
        shown[title] = {curve: series_over(values[row]["ks"], [h / (most or 1.0) for h in heights])}
        marked[title] = float(TRUE)
        chosen[title] = values[row]["chosen"][curve]
    right = [title for title, k in chosen.items() if k == TRUE]
    title = f"{what}: {len(right)} of {len(chosen)} point to the true {TRUE}"
    return line_figure(
        shown,
        title=title,
        description=f"{title}. Chosen: {told(chosen)}. The dashed line is the true number of clusters.",
        x="number of clusters k",
        y=y,
        marked=marked,
        notes=(
            "dashed: the true number of clusters",
            *(["values as shares of the largest of each curve"] if scales else []),
        ),
        abreast=2 if len(panels) in (2, 4) else 3,
    )


def _figures(values: Mapping[str, Any]) -> dict[str, FigureData]:
    rows = [row for row in S_SETS if row in values]
    figures = {}
    over_sets = {
        "tse": ("TSE, knee", "TSE, lower is better"),
        "jump": ("jump", "jump, higher is better"),
        "wb": ("WB", "WB, lower is better"),
        "f_ratio": (F_TEST, "F-ratio, lower is better"),
        "bic": ("BIC", "BIC, lower is better"),
        "bic_second_difference": ("BIC, second difference", "SD, higher is better"),
    }
    for key, (curve, y) in over_sets.items():
        figures[key] = _curve(values, {row: (row, curve) for row in rows}, y, curve)
    if "S2" in values:
        family = {curve: ("S2", curve) for curve in (*FAMILY, "WB")}
        figures["sums_of_squares"] = _curve(values, family, "share of its largest", "S2, sums of squares")
        pair = {"DBI, lower is better": ("S2", "DBI"), "silhouette, higher is better": ("S2", "silhouette")}
        figures["dbi_silhouette"] = _curve(values, pair, "value", "S2", False)
    if EXTENSION in values:
        figures["wb_extension"] = _curve(
            values, {EXTENSION: (EXTENSION, "WB")}, "WB (lower is better)", EXTENSION, False
        )
    return figures


CURVES = Study(
    "curves",
    "curves over the number of clusters on S1 to S4 (part II)",
    _plan,
    _work,
    _gather,
    tuple(row.lower() for row in S_SETS),
)
