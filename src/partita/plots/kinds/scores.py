"""Scores: the best clustering of each method at each number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from partita.partitions.equal_clusterings import hard_labels
from partita.plots.answers import titled
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.heat_maps import draw_cells
from partita.plots.palette import INK
from partita.plots.panels import name_ticks
from partita.selection import ChoiceOfK, ScoredClustering
from partita.selection.evidence import MIXTURE, TREE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

scores = figure_kind("scores", "the best score of each method at each number of clusters, the answer marked")

MOST_COLUMNS = 14
"""Numbers of clusters that are shown: the answer, the second, and those with the best scores."""

ROW = 0.42
"""Height of a row in inches."""

WEAKEST, STRONGEST = 0.0, 0.85
"""Strength of the colours of the worst and the best score."""


@scores.of(ChoiceOfK)
def scores_of_choice(result: ChoiceOfK) -> FigureData:
    """A row for each method and a column for each number of clusters, with the best score of each."""
    evidence = result.evidence
    if evidence is None:
        raise NoFigureError(
            "this choice of k was read from a file and has no scores of other clusterings.",
            got="a result without evidence",
            need="what choose_k returned",
            fix="choose_k again",
        )
    known = [one for one in (result.scored, *result.levels, *result.alternatives) if one is not None]
    best: dict[tuple[str, int], ScoredClustering] = {}
    for one in (*known, *_of_estimator(result, known), *evidence.clusterings):
        cell = (method_of(one), one.k)
        if cell not in best or one.score > best[cell].score:
            best[cell] = one
    if not best:
        raise NoFigureError("there is no clustering to score.", got=titled(result), need="two clusters")
    second = [one for one in known if one is not result.scored][:1] if result.scored is not None else []
    marks = (
        {}
        if result.scored is None
        else dict(zip(("answer", "second"), (result.scored, *second), strict=False))
    )
    cells = {name: (method_of(one), one.k) for name, one in marks.items()}
    tops: dict[int, float] = {}
    for (_, k), one in best.items():
        tops[k] = max(tops.get(k, 0.0), one.score)
    marked = {k for _, k in cells.values()}
    ks = sorted(sorted(tops, key=lambda k: (k not in marked, -tops[k]))[:MOST_COLUMNS])
    methods = sorted({name for name, _ in best}, key=lambda name: (name in (TREE, MIXTURE), name))
    records = tuple(
        {
            "method": name,
            "clusters": k,
            "score": best[name, k].score,
            "lasting": best[name, k].lasting,
            "agreement": best[name, k].agreement,
            "best_bic": best[name, k].best_bic,
            "mark": next((mark for mark, cell in cells.items() if cell == (name, k)), ""),
        }
        for name in methods
        for k in ks
        if (name, k) in best
    )
    finding = f"score {result.score:.2f}" if marks else f"the best score is {max(tops.values()):.2f}"
    if "second" in marks:
        finding += f", second {marks['second'].score:.2f} ({marks['second'].k} clusters)"
    title = titled(result, finding)
    left = len(tops) - len(ks)
    return FigureData(
        kind="scores",
        title=title,
        description=(
            f"{title}. A row for each method, a column for each number of clusters; a cell is the score of "
            "the best clustering, the darker the higher. The answer and the second are outlined."
        ),
        records=records,
        x="number of clusters",
        y="method",
        facts={"methods": methods, "ks": ks},
        notes=(
            "score: how long clusters last, agreement of other methods and with the best mixture, added up",
            *["second: the best clustering that differs much from the answer"] * ("second" in marks),
            *[f"{len(ks)} of {len(tops)} numbers of clusters shown: those with the best scores"] * bool(left),
        ),
        size=(6.8, ROW * len(methods) + 2.1),
    )


def method_of(clustering: ScoredClustering) -> str:
    """The name of the method of a clustering: that of the estimator, where one was swept."""
    return str(clustering.parameters.get("estimator", clustering.method))


def _of_estimator(result: ChoiceOfK, known: list[ScoredClustering]) -> list[ScoredClustering]:
    """The clusterings of an estimator that was swept, scored; none where partita's own methods were used."""
    evidence, swept = result.evidence, [one for one in known if "estimator" in one.parameters]
    if evidence is None or not swept:
        return []
    found = []
    for k, partition in result.partitions.items():
        labels = hard_labels(partition)
        if k > 1 and (labels >= 0).all():
            seen = np.unique(labels[evidence.rows], return_inverse=True)[1].astype(np.int64)
            parameters = {"estimator": method_of(swept[0])}
            found.append(evidence.scored(ScoredClustering(seen, swept[0].method, parameters)))
    return found


@scores.drawn
def draw_scores(ax: Axes, data: FigureData) -> None:
    """Cells with their scores; an outline around the answer, a dashed one around the second."""
    from matplotlib.patches import Rectangle

    methods, ks = data.facts["methods"], data.facts["ks"]
    strong = np.full((len(methods), len(ks)), np.nan)
    texts: dict[tuple[int, int], str] = {}
    best = max(data.column("score"))
    for record in data.records:
        cell = methods.index(record["method"]), ks.index(record["clusters"])
        strong[cell] = WEAKEST + max(record["score"], 0.0) / max(best, 1.0) * (STRONGEST - WEAKEST)
        texts[cell] = f"{record['score']:.2f}"
    draw_cells(ax, strong, texts, fontsize=8)
    handles: list[Any] = []
    for record in data.records:
        if record["mark"]:
            row, column = methods.index(record["method"]), ks.index(record["clusters"])
            line = "-" if record["mark"] == "answer" else (0, (3, 2))
            ways: Any = {"fill": False, "edgecolor": INK, "linewidth": 1.8, "linestyle": line}
            handles.append(Rectangle((0, 0), 1, 1, label=record["mark"], **ways))
            ax.add_patch(Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, gid=record["mark"], **ways))
    name_ticks(ax, "y", range(len(methods)), methods)
    name_ticks(ax, "x", range(len(ks)), ks)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlabel(data.x)
    if handles:
        handles.sort(key=lambda one: one.get_label() != "answer")
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0))
