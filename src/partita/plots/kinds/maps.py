"""Maps of many clusterings: the agreement of every two of them, with a dendrogram."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats
from partita.ensembles import ConsensusIndex
from partita.errors import PartitaError, near_names
from partita.pairwise_agreement import PairwiseAgreement, agreement_of
from partita.partitions import Partition
from partita.plots.answers import titled
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.heat_maps import colour_bar, draw_cells, strengths
from partita.plots.index_axes import axis_text, better_text, finite
from partita.plots.kinds.scores import method_of
from partita.plots.names import plain_name, short_name
from partita.plots.palette import FAINT
from partita.plots.panels import name_ticks, panels
from partita.registry import Index, find
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.choices import Decision

if TYPE_CHECKING:
    from matplotlib.axes import Axes

agreement_map = figure_kind("map", "the agreement of every two of many clusterings, with a dendrogram")

MOST_SHOWN = 100
"""Clusterings; of more, so many that lie evenly over their order."""

MOST_WITH_TEXTS = 12

ANSWER, LEVEL = "★ ", "☆ "
"""Marks of the answer and of its other level."""

LETTERS, LETTERS_OF_ANSWER = 16, 24
"""Letters of a name at an axis; names of clusterings that are scored are longer."""

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _Pairs:
    """One index of all pairs of clusterings, the first by rows."""

    names: tuple[str, ...]
    values: Floats
    entry: Index

    @property
    def symbol(self) -> str:
        return self.entry.symbol or self.entry.label

    @property
    def both_ways(self) -> Floats:
        """The mean of both directions."""
        return np.asarray((self.values + self.values.T) / 2)

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether one direction says all."""
        return bool(np.allclose(self.values, self.values.T, rtol=0.0, atol=ROUNDING, equal_nan=True))


@agreement_map.of(PairwiseAgreement, usual=True)
def map_of_agreement(result: PairwiseAgreement, *, index: Any = None) -> FigureData:
    """All pairs by one index: the one that the statement rests on, or ``index``."""
    if not result.rows:
        raise _too_few(len(result.candidates))
    chosen = index if index is not None else result.judging or result.rows[0].index
    frame = result.matrix(chosen)
    entry = find(next(r.index for r in result.rows if r.index in (str(chosen), _label(chosen))))
    return _figure(_Pairs(tuple(map(plain_name, frame.columns)), frame.to_numpy(dtype=float), entry))


@agreement_map.of(ConsensusIndex, usual=True)
def map_of_consensus(result: ConsensusIndex, *, index: Any = None) -> FigureData:
    """All pairs of an ensemble by one index: the first, or ``index``."""
    if not result.matrices:
        raise NoFigureError(
            "this result does not hold its pairs.", got="no matrices", fix="consensus_index again"
        )
    label = next(iter(result.matrices)) if index is None else _label(index)
    if label not in result.matrices:
        raise near_names(str(index), result.matrices, noun="index here", parameter="index")
    values = np.asarray(result.matrices[label], dtype=float)
    names = result.names or tuple(map(str, range(len(values))))
    return _figure(_Pairs(tuple(map(plain_name, names)), values, find(label)))


@agreement_map.of(ChoiceOfK)
def map_of_choice(result: ChoiceOfK) -> FigureData:
    """The answer, its other level and the alternatives, by the adjusted Rand index."""
    listed: dict[str, Partition] = {}
    answer = () if result.scored is None else (result.scored,)
    for one in dict.fromkeys((*answer, *result.levels, *result.alternatives)):
        if not one.labels.size:
            raise NoFigureError(
                "this choice of k was read from a file and holds no clusterings.",
                got="no labels of objects",
                fix="choose_k again",
            )
        mark = ANSWER if one is result.scored else LEVEL if one in result.levels else ""
        name, again = f"{mark}{one.k} {method_of(one)} {one.score:.2f}", 2
        while name in listed:
            name, again = f"{mark}{one.k} {method_of(one)} {one.score:.2f} ({again})", again + 1
        listed[name] = one.partition
    level = f", {LEVEL.strip()} the other level" if len(result.levels) > 1 else ""
    note = f"number of clusters, method and score; {ANSWER.strip()} the answer{level}" if answer else ""
    return _of_answer(result, listed, note)


@agreement_map.of(ChoiceOfClustering, ChoiceOfValue)
def map_of_candidates(result: ChoiceOfClustering) -> FigureData:
    """The candidates, and clusterings of partita's own methods that are better supported."""
    listed = {
        f"{ANSWER if c is result.chosen else ''}{plain_name(c.label)}": c.partition
        for c in result.candidates
        if c.partition is not None
    }
    own = [one for one in result.alternatives if "name" not in one.parameters]
    listed |= {f"not given: {one.k} {one.method}": one.partition for one in own}
    notes = [f"{ANSWER.strip()} the answer"] if result.chosen is not None else []
    notes += ["not given: clusters that partita's own methods find"] if own else []
    return _of_answer(result, listed, "; ".join(notes))


def _of_answer(result: Decision, listed: Mapping[str, Partition], note: str) -> FigureData:
    """The adjusted Rand index of every two clusterings, below the answer."""
    if len(listed) < 2:
        raise _too_few(len(listed))
    values = np.array(agreement_of(list(listed.values())), dtype=float)
    data = _figure(_Pairs(tuple(listed), values, find("adjusted_rand")))
    answer = next((place for place, name in enumerate(listed) if name.startswith(ANSWER)), None)
    others = np.delete(values[answer or 0], answer or 0)
    low, high = (f"{value + 0.0:.2f}" for value in (others.min().round(2), others.max().round(2)))
    span = f"ARI {low}" if low == high else f"ARI {low} to {high}"
    title = titled(result, data.title if answer is None else f"{span} with the other clusterings")
    return replace(
        data,
        title=title,
        description=f"{title}. {data.description.partition('. ')[2]}",
        notes=(*data.notes, *[note] * bool(note)),
        facts={**data.facts, "letters": LETTERS_OF_ANSWER},
    )


def _label(index: Any) -> str:
    try:
        return find(index).label
    except PartitaError:
        return str(index)


def _too_few(count: int) -> NoFigureError:
    return NoFigureError(
        "there are no pairs to show.", got=f"{count} clustering", need="at least two different clusterings"
    )


# --- what is shown ----------------------------------------------------------------------------------------


def _figure(pairs: _Pairs) -> FigureData:
    total = len(pairs.names)
    if total < 2:
        raise _too_few(total)
    if total > MOST_SHOWN:
        kept = np.linspace(0, total - 1, MOST_SHOWN).round().astype(int)
        pairs = _Pairs(
            tuple(pairs.names[i] for i in kept.tolist()), pairs.values[np.ix_(kept, kept)], pairs.entry
        )
    apart = ~np.eye(len(pairs.names), dtype=bool)
    known = pairs.values[apart & np.isfinite(pairs.values)]
    if not known.size:
        raise NoFigureError(
            f"{pairs.entry.label} has no value for any two of these clusterings.",
            got="nan for every pair",
            fix="index= another one",
        )
    distances = _distances(pairs)
    order, merges = _dendrogram(distances) if distances is not None else (np.arange(len(pairs.names)), [])
    title = _finding(pairs, len(pairs.names) < total)
    direction, best = pairs.entry.direction, finite(pairs.entry.best)
    shown = len(pairs.names)
    said = "in the order of an average-linkage dendrogram" if merges else "in their own order"
    return FigureData(
        kind="map",
        title=title,
        description=(
            f"{title}. A row and a column for each of {shown:,} clusterings, {said}; a cell is the value of "
            f"{axis_text(pairs.entry.label, '', direction)}, the stronger the closer they agree."
        ),
        records=_records(pairs, order),
        x=axis_text(pairs.entry.label, pairs.symbol, direction),
        facts={
            "clusterings": [pairs.names[i] for i in order.tolist()],
            "symmetric": pairs.is_symmetric,
            "merges": merges,
            "distance": f"away from {'the closest pair' if best is None else f'{best:g}'}",
            "scale": _scale(known, pairs.entry),
            "texts": shown <= MOST_WITH_TEXTS,
            "letters": LETTERS,
        },
        notes=_notes(pairs, total, known.size, merges),
        size=(6.8, float(np.clip(0.4 * shown + 1.4, 3.0, 6.4))),
    )


def _scale(known: Floats, entry: Index) -> list[float]:
    """The faint and the strong end of the colours: the worst value here, and the best there can be."""
    ends = [float(known.min()), float(known.max())]
    if entry.direction == "lower":
        ends.reverse()
    best = finite(entry.best)
    return ends if best is None else [ends[0], best]


def _notes(pairs: _Pairs, total: int, known: int, merges: Sequence[Any]) -> tuple[str, ...]:
    shown = len(pairs.names)
    notes = []
    if shown < total:
        notes.append(f"{shown:,} of {total:,} clusterings shown, evenly over their order")
    missing = shown * (shown - 1) - known
    if missing:
        far = ", and count as farthest in the dendrogram" if merges else ""
        notes.append(f"{missing:,} of {shown * (shown - 1):,} cells have no value{far}")
    if not pairs.is_symmetric:
        notes.append("rows as truth, columns as found; the dendrogram is by the mean of both directions")
    if pairs.entry.direction == "none":
        notes.append(f"{pairs.entry.label} has no better direction, so there is no dendrogram")
    own = np.diag(pairs.values)
    best = finite(pairs.entry.best)
    if best is not None and (np.abs(own[np.isfinite(own)] - best) > ROUNDING).any():
        notes.append("on the diagonal each with itself: soft clusterings do not score best there")
    return tuple(notes)


def _records(pairs: _Pairs, order: Array) -> tuple[dict[str, Any], ...]:
    """A record for each cell that has a value; of a symmetric index each pair once."""
    made = []
    for row, i in enumerate(order.tolist()):
        for column, j in enumerate(order.tolist()):
            if not math.isfinite(pairs.values[i, j]) or (pairs.is_symmetric and column < row):
                continue
            value = float(pairs.values[i, j])
            made.append(
                {
                    "first": pairs.names[i],
                    "second": pairs.names[j],
                    "value": value,
                    "row": row,
                    "column": column,
                }
            )
    return tuple(made)


def _distances(pairs: _Pairs) -> Floats | None:
    """How far from the best value each pair is, 0 on the diagonal; None where no direction is better."""
    if pairs.entry.direction == "none":
        return None
    sign = -1.0 if pairs.entry.direction == "higher" else 1.0
    away = sign * np.where(np.isfinite(pairs.both_ways), pairs.both_ways, np.nan)
    best = finite(pairs.entry.best)
    away -= sign * best if best is not None else np.nanmin(away)
    np.fill_diagonal(away, np.nan)
    away = np.where(np.isnan(away), np.nanmax(away), away)
    np.fill_diagonal(away, 0.0)
    return np.asarray(np.maximum(away, 0.0))


def _dendrogram(distances: Floats) -> tuple[Array, list[dict[str, float]]]:
    """The order of average linkage, and for each merge where its two parts are and how far it is."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    steps = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
    order = leaves_list(steps)
    count = order.size
    place = np.empty(2 * count - 1)
    height = np.zeros(2 * count - 1)
    place[order] = np.arange(count)
    merges = []
    for step, (a, b, far, _) in enumerate(steps.tolist()):
        parts = sorted((int(a), int(b)), key=lambda part: place[part])
        merges.append(
            {
                "first": float(place[parts[0]]),
                "second": float(place[parts[1]]),
                "first_distance": float(height[parts[0]]),
                "second_distance": float(height[parts[1]]),
                "distance": float(far),
            }
        )
        place[count + step] = (place[parts[0]] + place[parts[1]]) / 2
        height[count + step] = far
    return order, merges


# --- what it says -----------------------------------------------------------------------------------------


def _finding(pairs: _Pairs, is_sample: bool) -> str:
    """Which two agree most and least."""
    above = np.triu_indices(len(pairs.names), 1)
    values = pairs.both_ways[above]
    known = np.flatnonzero(np.isfinite(values))
    of = "of those shown, " if is_sample else ""
    if not known.size:
        return f"{pairs.symbol} has a value in one direction only, for every pair that has one"
    low, high = (int(known[pick(values[known])]) for pick in (np.argmin, np.argmax))
    if pairs.entry.direction == "lower":
        low, high = high, low
    best = finite(pairs.entry.best)
    if values.size == 1:
        better = better_text(pairs.entry.direction)
        return f"{_pair(pairs, above, 0)}: {pairs.symbol} {values[0]:.3g}, {better}"
    if known.size == values.size and math.isclose(values[low], values[high], abs_tol=ROUNDING):
        if best is not None and math.isclose(values[low], best, abs_tol=ROUNDING):
            return f"all {len(pairs.names)} clusterings agree fully: {pairs.symbol} {best:.3g} for every two"
        return f"every two clusterings agree alike: {pairs.symbol} {values[low]:.3g}"
    if pairs.entry.direction == "none":
        return f"{of}{pairs.symbol} from {values[low]:.3g} to {values[high]:.3g} between clusterings"
    most, least = (_extreme(pairs, above, values, place) for place in (high, low))
    return f"{of}{most} agree most ({pairs.symbol} {values[high]:.3g}), {least} least ({values[low]:.3g})"


def _extreme(pairs: _Pairs, above: tuple[Array, Array], values: Floats, place: int) -> str:
    """A pair, with how many others have the same value."""
    ties = int(np.count_nonzero(np.abs(values - values[place]) <= ROUNDING)) - 1
    also = "" if not ties else f" and {ties:,} other {'pair' if ties == 1 else 'pairs'}"
    return f"{_pair(pairs, above, place)}{also}"


def _pair(pairs: _Pairs, above: tuple[Array, Array], place: int) -> str:
    one, other = (short_name(pairs.names[int(side[place])], LETTERS_OF_ANSWER) for side in above)
    return f"{one} and {other}"


# --- how it is drawn --------------------------------------------------------------------------------------


@agreement_map.drawn
def draw_map(ax: Axes, data: FigureData) -> None:
    """Cells, the stronger the closer two agree, and the dendrogram at their right side."""
    names, merges = data.facts["clusterings"], data.facts["merges"]
    values = np.full((len(names), len(names)), np.nan)
    for record in data.records:
        values[record["row"], record["column"]] = record["value"]
        if data.facts["symmetric"]:
            values[record["column"], record["row"]] = record["value"]
    low, high = data.facts["scale"]
    texts = {}
    if data.facts["texts"]:
        texts = {(i, j): value_text(values[i, j]) for i, j in np.argwhere(np.isfinite(values)).tolist()}
    cells, *rest = panels(ax, 1, 2, widths=(4.0, 1.0)) if merges else panels(ax)
    draw_cells(cells, strengths(values, low, high), texts, fontsize=7)
    for axis in ("x", "y"):
        name_ticks(cells, axis, range(len(names)), names, data.facts["letters"])
    cells.tick_params(length=0)
    cells.set_xlabel(data.x)
    for spine in cells.spines.values():
        spine.set_visible(False)
    for side in rest:
        _draw_dendrogram(side, merges, len(names))
        side.set_xlabel(data.facts["distance"], fontsize=7)
    if not data.facts["texts"] and low != high:
        colour_bar([cells, *rest], low, high, data.x)


def value_text(value: float) -> str:
    """A value as it fits a cell: three decimals at most."""
    if abs(value) >= 100.0:
        return f"{value:.3g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _draw_dendrogram(ax: Axes, merges: Sequence[Any], count: int) -> None:
    from matplotlib.collections import LineCollection

    lines = [
        [
            (merge["first_distance"], merge["first"]),
            (merge["distance"], merge["first"]),
            (merge["distance"], merge["second"]),
            (merge["second_distance"], merge["second"]),
        ]
        for merge in merges
    ]
    ax.add_collection(LineCollection(lines, colors=FAINT, linewidths=1.2, gid="dendrogram"))
    ax.set_ylim(count - 0.5, -0.5)
    ax.set_xlim(0.0, 1.05 * max(merge["distance"] for merge in merges) or 1.0)
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=3)
    ax.tick_params(axis="x", labelsize=7)
    ax.spines["left"].set_visible(False)
