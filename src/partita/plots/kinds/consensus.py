"""Consensus: how often two objects are together in many clusterings, with the cumulative curve over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats
from partita.partitions import FUZZY, HARD, Ensemble, Partition, coassociation
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.palette import FAINT, OKABE_ITO
from partita.plots.panels import panels
from partita.plots.soft_shares import soft_shares
from partita.plots.thinning import drawn_how, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["consensus"]

consensus = figure_kind("consensus", "how often two objects are together, with the cumulative curve")

MOST_OBJECTS = 400
"""Objects whose pairs are looked at."""

MOST_BLOCKS = 100
"""Rows and columns of the heat map; of more objects a cell is a mean over neighbours."""

RARELY, MOSTLY = 0.1, 0.9
"""Pairs between these are ambiguous."""

STEPS = 100
"""Of the cumulative curve."""


@consensus.of(Ensemble, usual=True)
def consensus_of(result: Ensemble) -> FigureData:
    """The co-association of objects, averaged over clusterings, and its distribution over pairs."""
    if result.n_objects < 2:
        raise NoFigureError("one object has no pairs.", got="1 object", need="two objects at least")
    own = soft_shares(result[0]).own
    rows = thinned(own, MOST_OBJECTS)
    members = [_with_coassociation(member.take(rows)) for member in result]
    together = _together(members)
    order = _order(together)
    cells, sizes = _blocks(together, order)
    levels = np.arange(STEPS + 1) / STEPS
    below = np.searchsorted(np.sort(together), levels + 1e-12, side="right") / together.size
    n, count = result.n_objects, len(result)
    title = _title(together, count)
    how = drawn_how(np.unique(own).size, MOST_OBJECTS)
    told = f"from {rows.size:,} of {n:,} objects, {how}" if rows.size < n else ""
    return FigureData(
        kind="consensus",
        title=title,
        description=f"{title}. A heat map of the share of {count:,} clusterings in which two objects are"
        " together, objects in the order of average linkage; beside it the share of pairs up to each value."
        f" Ambiguous are pairs from {RARELY} to {MOSTLY} (PAC, the proportion of ambiguous clustering: lower"
        f" is better).{f' All of it {told}.' if told else ''}",
        records=tuple(
            {
                "row": i,
                "column": j,
                "row_objects": sizes[i],
                "column_objects": sizes[j],
                "together": round(float(cells[i, j]), 4),
            }
            for i in range(len(sizes))
            for j in range(i, len(sizes))
        ),
        x="share of clusterings with both objects together",
        y="share of pairs up to there",
        facts={
            "levels": levels.tolist(),
            "below": below.tolist(),
            "ambiguous": _ambiguous(together),
            "between": [RARELY, MOSTLY],
            "objects": int(rows.size),
            "order": rows[order].tolist(),
        },
        notes=(
            *([told] if told else []),
            *(
                [f"each cell is the mean over {max(sizes)} by {max(sizes)} objects"]
                if len(sizes) < rows.size
                else []
            ),
            *_about(result.partitions, members),
        ),
        size=(6.8, 3.6),
    )


def _together(members: Sequence[Partition]) -> Floats:
    """The mean co-association of all pairs of objects."""
    total = np.zeros(members[0].n_objects * (members[0].n_objects - 1) // 2)
    for member in members:
        total += coassociation(member, condensed=True)
    return total / len(members)


def _title(together: Floats, count: int) -> str:
    if count == 1:
        share = float(np.mean(together > MOSTLY))
        return f"one clustering: {share:.1%} of the pairs of objects are together by more than {MOSTLY}"
    return (
        f"{_ambiguous(together):.1%} of the pairs of objects are ambiguous: neither together nor apart in"
        f" nearly all of {count:,} clusterings"
    )


def _ambiguous(together: Floats) -> float:
    """The share of pairs that are neither nearly always nor nearly never together."""
    return float(np.mean((together >= RARELY) & (together <= MOSTLY)))


def _with_coassociation(member: Partition) -> Partition:
    """A clustering of which two objects can be together: hard or fuzzy."""
    return member if member.kind in (HARD, FUZZY) else member.pignistic()


def _order(together: Floats) -> Array:
    """Objects in the order of the leaves of average linkage."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    return np.asarray(leaves_list(linkage(1.0 - np.clip(together, 0.0, 1.0), "average")))


def _blocks(together: Floats, order: Array) -> tuple[Floats, list[int]]:
    """Means over pairs of objects within and between runs of neighbours; and the objects of each run.

    A single object is together with itself.
    """
    from scipy.spatial.distance import squareform

    n = order.size
    run = np.arange(n) // -(-n // MOST_BLOCKS)
    matrix = squareform(together)[np.ix_(order, order)]
    starts = np.flatnonzero(np.r_[True, run[1:] != run[:-1]])
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    sizes = np.bincount(run)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)  # no object is a pair with itself
    return np.where(pairs > 0, sums / np.maximum(pairs, 1), 1.0), sizes.tolist()


def _about(given: Sequence[Partition], members: Sequence[Partition]) -> tuple[str, ...]:
    """What must be said of members that are not hard, or have noise."""
    soft = sum(member.kind is not HARD for member in members)
    converted = sum(member.kind not in (HARD, FUZZY) for member in given)
    told = []
    if soft:
        told.append(f"{soft:,} of {len(given):,} are soft: products of memberships, seldom near 1")
    if converted:
        told.append(f"{converted:,} of {len(given):,} count by pignistic probabilities")
    if any(member.kind is HARD and member.noise_mask is not None for member in given):
        told.append("noise counts as a cluster")
    return tuple(told)


@consensus.drawn
def draw_consensus(ax: Axes, data: FigureData) -> None:
    """The heat map on the left, the curve on the right."""
    left, right = panels(ax, 1, 2, widths=(1.25, 1.0))
    count = max(data.column("row")) + 1
    cells = np.zeros((count, count))
    for record in data.records:
        cells[record["row"], record["column"]] = record["together"]
        cells[record["column"], record["row"]] = record["together"]
    whole = data.facts["objects"]
    image = left.imshow(
        cells,
        cmap="cividis",
        vmin=0.0,
        vmax=1.0,
        interpolation="nearest",
        extent=(0, whole, whole, 0),
        rasterized=True,
    )
    left.locator_params(integer=True, nbins=5)
    left.set_xlabel("objects, by average linkage")
    figure: Any = left.get_figure()
    figure.colorbar(image, ax=left, label="together", pad=0.02, shrink=0.8)
    low, high = data.facts["between"]
    right.axvspan(low, high, color=FAINT, alpha=0.2, linewidth=0)
    right.step(data.facts["levels"], data.facts["below"], where="post", color=OKABE_ITO[0])
    right.set_xlim(0, 1)
    right.set_ylim(0, 1.02)
    right.set_title(f"from {low} to {high}: {data.facts['ambiguous']:.1%}", fontsize=8, loc="center")
    right.set_xlabel("together")
    right.set_ylabel(data.y)
