"""How long clusters last: a density tree over the reach, and for each cut how much the reach can grow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.cluster.density_tree import Cuts, DensityTree, smallest_cluster
from partita.errors import ParameterError
from partita.partitions import HardPartition, Partition
from partita.plots.answers import titled
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.heat_maps import LETTERS_ON_DARK, LETTERS_ON_LIGHT
from partita.plots.palette import FAINT, INK, OKABE_ITO, cluster_colours, is_dark, shade
from partita.plots.panels import label, panels
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.choices import Decision
from partita.selection.evidence import MIN_SHARES, Evidence
from partita.statistics.tables.near_clusterings import Clusterings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

lasting = figure_kind("lasting", "a density tree over the reach, and how long each of its cuts lasts")

FEWEST_CUTS, CUTS_BEYOND = 10, 3
"""Numbers of clusters that are shown: up to the first at least, and so many more than the cut has."""

COARSER = "#c4c8cc"
"""Colour of clusters that the cut divides."""

GAPS = 0.12
"""Share of the width that the gaps between the finest clusters take together."""

LETTER = 0.016
"""Width of a letter, as a share of that of all clusters."""

MOST_TICKS, FEWEST_BARS = 20, 7
"""Numbers at the axis of the bars, and the number of clusters that it reaches at least."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """A cut of a density tree.

    Attributes
    ----------
    cuts : Cuts
        All cuts of the tree.
    k : int
        The number of clusters of the cut that is marked.
    name : str
        The settings of the tree.
    unit : str
        The unit of the reach.
    agreement : float
        The adjusted Rand index of the cut with the answer.
    is_same : bool
        True where the two count as the same clusters.
    """

    cuts: Cuts
    k: int
    name: str
    unit: str = ""
    agreement: float = 1.0
    is_same: bool = True

    @property
    def growth(self) -> float:
        """The factor by which the reach grows while the cut holds."""
        return _growth(self.cuts, self.k)


@lasting.of(DensityTree, usual=True)
def lasting_of_tree(result: DensityTree, *, reference: Partition | None = None) -> FigureData:
    """The cuts of a fitted density tree, with the one that it took."""
    tree = getattr(result, "tree_", None)
    if tree is None:
        raise NoFigureError(
            "this density tree has no splits to show.",
            got="an estimator that is not fitted, or too few objects",
            need="a fitted DensityTree with a split",
            fix=".fit(X)",
        )
    cuts = tree.cuts(smallest_cluster(tree.core.size, result.min_share))
    shown = _Shown(cuts, result.n_clusters_, _settings(result.min_samples, result.min_share))
    title = f"{result.n_clusters_} clusters, apart while the reach grows {shown.growth:.2g}-fold"
    if result.n_clusters_ == 1:
        title = f"one cluster, though the tree can be cut into {cuts.n_clusters}"
    return _figure(shown, title, cluster_colours(result.partition_, reference=reference))


@lasting.of(ChoiceOfK, ChoiceOfClustering, ChoiceOfValue, usual=2)
def lasting_of_answer(
    result: Decision, *, k: int | None = None, reference: Partition | None = None
) -> FigureData:
    """Of twelve density trees the one in which the answer lasts longest; ``k`` marks another cut of it."""
    evidence, best = result.evidence, result.scored
    if evidence is None or not evidence.cuts:
        raise NoFigureError(
            "there is no density tree with a split.",
            got="a result read from a file" if evidence is None else titled(result),
            need="what choose_k returned",
        )
    shown = _longest(evidence, None if best is None else best.labels[evidence.rows])
    if k is not None:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 2 <= k <= shown.cuts.n_clusters:
            raise ParameterError(
                f"this tree has no cut into {k} clusters.",
                got=repr(k),
                need=f"a whole number from 2 to {shown.cuts.n_clusters}",
                parameter="k",
            )
        shown = _Shown(shown.cuts, int(k), shown.name, shown.unit)
        finding = f"the cut into {k} lasts while the reach grows {shown.growth:.2g}-fold"
    elif best is None:
        finding = f"the longest cut, into {shown.k}, lasts while the reach grows {shown.growth:.2g}-fold"
    elif shown.is_same:
        finding = f"apart while the reach grows {shown.growth:.2g}-fold in this density tree"
    else:
        finding = f"no density tree has these clusters, the nearest cut has {shown.k}"
    seen = reference if reference is not None else None if best is None else best.partition
    if seen is not None:
        seen = seen.take(evidence.rows) if seen.n_objects == len(evidence.data) else None
    colours = cluster_colours(HardPartition(shown.cuts.labels(shown.k)), reference=seen)
    n, m = len(evidence.data), len(evidence.rows)
    notes = [f"the score takes the mean over twelve density trees, and counts growth up to {math.e:.2g}-fold"]
    if not shown.is_same:
        notes.append(f"adjusted Rand index of the marked cut with the answer: {shown.agreement:.2f}")
    if m < n:
        notes.append(f"{m:,} of {n:,} objects")
    return _figure(shown, titled(result, finding), colours, notes)


def _longest(evidence: Evidence, labels: Any) -> _Shown:
    """The longest of the cuts that are the answer; where there is none, the cut nearest to the answer."""
    every = Clusterings(one.labels for one in evidence.cuts)
    if labels is None:
        agreement = dict.fromkeys(range(len(every)), 1.0)
    else:
        codes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        agreement = every.near(codes)
    is_same = bool(agreement)
    if not is_same:
        agreement = {place: every.agreement(codes, place) for place in range(len(every))}
    found = []
    for scale, (trees, read) in enumerate(zip(evidence.trees, evidence.lasting, strict=True)):
        for number, cuts_of in enumerate(read):
            tree, share = trees[number // len(MIN_SHARES)], MIN_SHARES[number % len(MIN_SHARES)]
            known = [place for place in cuts_of if place in agreement]
            if known:
                cuts = tree.cuts(smallest_cluster(tree.core.size, share))
                unit = " in standard deviations" if scale else ""
                settings = _settings(tree.min_samples, share)
                found += [
                    _Shown(cuts, evidence.cuts[place].k, settings, unit, agreement[place], is_same)
                    for place in known
                ]
    return max(found, key=lambda one: math.log(one.growth) * one.agreement if is_same else one.agreement)


def _settings(min_samples: int, min_share: float) -> str:
    return f"density tree with min_samples={min_samples}, min_share={min_share:g}"


def _growth(cuts: Cuts, k: int) -> float:
    return math.exp(max(float(cuts.persistence[k - 2]), 0.0)) if 2 <= k <= cuts.n_clusters else 1.0


# --- what is shown ----------------------------------------------------------------------------------------


def _figure(shown: _Shown, title: str, colours: dict[str, str], notes: Sequence[str] = ()) -> FigureData:
    cuts = shown.cuts
    if cuts.n_clusters < 2:
        raise NoFigureError(
            "this density tree has no split to show.", got=shown.name, need="at least one split"
        )
    finest = min(cuts.n_clusters, max(FEWEST_CUTS, shown.k + CUTS_BEYOND))
    ends = [*cuts.heights[:finest].tolist()]  # the reach at which cut k ends, from k = 1 on
    if finest == cuts.n_clusters:
        ends.append(min(cuts.tree.median_edge, ends[-1]))
    records = tuple(
        {
            "clusters": k,
            "from_reach": ends[k - 1],
            "to_reach": ends[k - 2],
            "growth": _growth(cuts, k),
            "marked": k == shown.k,
        }
        for k in range(2, finest + 1)
    )
    cut_note = "" if finest == cuts.n_clusters else f"cuts up to {finest} of {cuts.n_clusters} clusters"
    blocks = _blocks(shown, finest, ends, colours)
    return FigureData(
        kind="lasting",
        title=title,
        description=(
            f"{title}. Left, the {shown.name}: clusters as blocks, as wide as their number of objects, over "
            "the range of the reach in which they stay whole; the marked cut in colour. Right, for each "
            "number of clusters the growth of the reach while that cut holds."
        ),
        records=records,
        x="growth of the reach while the cut holds",
        y=f"reach{shown.unit}, log scale",
        facts={"k": shown.k, "blocks": blocks, "ends": ends},
        notes=(
            f"{shown.name}; the taller a block, the longer its cluster stays whole as the reach grows",
            *[f"dashed: the cut into {shown.k}"] * (shown.k > 1),
            *notes,
            *[cut_note] * bool(cut_note),
        ),
        size=(6.8, 4.4),
    )


def _blocks(
    shown: _Shown, finest: int, ends: Sequence[float], colours: dict[str, str]
) -> list[dict[str, Any]]:
    """The clusters down to the finest cut shown, the root first: where they are, their sizes and colours."""
    cuts = shown.cuts
    branches, leaves = cuts.branches, cuts.labels(cuts.n_clusters)
    of_leaf = cuts.labels(shown.k)[np.unique(leaves, return_index=True)[1]]
    total = branches[-1].size
    gap = GAPS * total / max(finest - 1, 6)
    top = ends[0] * (ends[0] / ends[-1]) ** 0.12 if ends[0] > ends[-1] else 1.2 * ends[0]
    made: list[dict[str, Any]] = []

    def first_leaf(place: int) -> int:
        while branches[place].children:
            place = branches[place].children[0]
        return place

    def add(place: int, left: float) -> float:
        """Place a branch and all below it; the position at its right."""
        branch = branches[place]
        own = str(of_leaf[first_leaf(place)])
        is_finer = branch.first > shown.k
        block: dict[str, Any] = {
            "size": branch.size,
            "first": branch.first,
            "last": min(branch.last, finest),
            "top": top if branch.first == 1 else ends[branch.first - 2],
            "bottom": ends[min(branch.last, finest) - 1],
            "left": left,
            "cluster": None if branch.last < shown.k else own,
            "colour": COARSER if branch.last < shown.k else shade(colours[own], 0.5 if is_finer else 1.0),
        }
        made.append(block)
        if branch.last < finest:
            for child in sorted(branch.children, key=lambda one: -branches[one].size):
                left = add(child, left) + gap
            block["right"] = left - gap
        else:
            block["right"] = left + branch.size
        return float(block["right"])

    add(len(branches) - 1, 0.0)
    return made


# --- how it is drawn --------------------------------------------------------------------------------------


@lasting.drawn
def draw_lasting(ax: Axes, data: FigureData) -> None:
    """Blocks over the reach at the left, a bar for each cut at the right."""
    left, right = panels(ax, 1, 2, widths=(3.0, 1.5))
    _draw_blocks(left, data)
    _draw_bars(right, data)


def _draw_blocks(ax: Axes, data: FigureData) -> None:
    from matplotlib.collections import PolyCollection

    blocks, ends, k = data.facts["blocks"], data.facts["ends"], data.facts["k"]
    corners: Any = [
        [(b["left"], b["bottom"]), (b["right"], b["bottom"]), (b["right"], b["top"]), (b["left"], b["top"])]
        for b in blocks
    ]
    colours = [b["colour"] for b in blocks]
    ax.add_collection(
        PolyCollection(corners, facecolors=colours, edgecolors="white", linewidths=0.6, gid="blocks")
    )
    ax.set_yscale("log")
    width = blocks[0]["right"]
    ax.set_xlim(-0.02 * width, 1.02 * width)
    ax.set_ylim(ends[-1] * (ends[-1] / blocks[0]["top"]) ** 0.02, blocks[0]["top"])
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.set_xlabel("clusters, as wide as their objects", fontsize=8)
    ax.set_ylabel(data.y, fontsize=8)
    _plain_numbers(ax.yaxis, ends[-1], blocks[0]["top"])
    if k > 1:
        low, high = ends[k - 1], ends[k - 2]
        middle = math.sqrt(low * high)
        ax.axhline(middle, color=INK, linewidth=1.0, linestyle="--", zorder=3, gid="cut")
        for block in sorted(blocks, key=lambda b: -b["size"]):
            text = f"{block['size']:g}"
            is_wide = block["right"] - block["left"] > LETTER * (len(text) + 1) * width
            if block["first"] <= k <= block["last"] and is_wide:
                on = LETTERS_ON_DARK if is_dark(block["colour"]) else LETTERS_ON_LIGHT
                place = (block["left"] + block["right"]) / 2
                written = label(ax, place, middle, text, ha="center", va="center", fontsize=8)
                written.set(color=on, zorder=4)
                written.set_bbox({"facecolor": block["colour"], "edgecolor": "none", "pad": 1.0})


def _plain_numbers(axis: Any, low: float, high: float) -> None:
    """A few plain numbers at a logarithmic axis, also where it spans less than a decade."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter, NullLocator

    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for steps, fewest in (((1,), 3), ((1, 3), 3), ((1, 2, 5), 2)):
        ticks = [float(f"{step}e{exponent}") for exponent in exponents for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= fewest:
            break
    else:
        ticks = [float(tick) for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, _: f"{value:g}")


def _draw_bars(ax: Axes, data: FigureData) -> None:
    ks, growth = data.column("clusters"), data.column("growth")
    colours = [OKABE_ITO[0] if is_marked else FAINT for is_marked in data.column("marked")]
    ax.barh(ks, [value - 1.0 for value in growth], left=1.0, color=colours, height=0.7, gid="bars")
    longest = max(*growth, 1.2)
    ax.set_xscale("log")
    ax.set_xlim(1.0, longest**1.35)
    ax.set_ylim(max(*ks, FEWEST_BARS) + 0.6, min(ks) - 0.6)
    step = -(-len(ks) // MOST_TICKS)
    ax.set_yticks(ks[::step])
    _plain_numbers(ax.xaxis, 1.0, longest)
    for k, value, is_marked in zip(ks, growth, data.column("marked"), strict=True):
        text = f"{value:.2g}-fold" if is_marked else f"{value:.2g}"
        label(ax, value * longest**0.03, k, text, va="center", fontsize=8 if is_marked else 7)
    ax.set_xlabel("growth of the reach\nwhile the cut holds", fontsize=8)
    ax.set_ylabel("number of clusters", fontsize=8)
