"""Contingency tables: how much of each true cluster is in each found one, ordered by the best alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.alignment import Alignment
from partita.arrays import Array, Floats
from partita.comparison import Comparison
from partita.differences import SPREAD, Cells, amount, cells_of, table_of
from partita.inputs import Inputs
from partita.partitions import (
    FUZZY,
    HARD,
    POSSIBILISTIC,
    Partition,
    SideNames,
    count_text,
    noise_share,
)
from partita.partitions.side_names import Noise
from partita.plots.figures import FigureData, NoFigureError, figure_kind
from partita.plots.heat_maps import colour_bar, draw_cells
from partita.plots.joint_masses import NOTHING, ClusterNames, as_memberships, mass_text, partners_of, percent
from partita.plots.names import short_name
from partita.plots.panels import name_ticks
from partita.statistics import Contingency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

contingency = figure_kind(
    "contingency", "how much of each true cluster is in each found one, ordered by the best alignment"
)

MOST_SHOWN = 60
"""Clusters of one side; of more, the largest."""

ROOM = (5.2, 6.0)
"""Inches for all columns and, at most, for all rows."""

ROW_HEIGHT = 0.42
"""Of few clusters, in inches."""

LETTER, LINE = 0.07, 0.15
"""Inches that a letter and a line take in a cell."""

NAMES_IN_TITLE = 3


@dataclass(frozen=True, eq=False)
class _Table:
    """The filled cells of a table, the names of its clusters, and which are paired."""

    cells: Cells
    truth: ClusterNames
    found: ClusterNames
    partner: Array
    total: float
    is_soft: bool
    called: SideNames
    noise: Noise

    @property
    def is_paired(self) -> Array:
        """Of each cell, whether its clusters are partners."""
        return np.asarray(self.partner[self.cells.rows] == self.cells.columns)


@contingency.of(Comparison, usual=True)
def contingency_of_comparison(result: Comparison) -> FigureData:
    """The table of the two clusterings; pairs are those that share most in all."""
    if result.inputs is None or not result.inputs.n_objects:
        raise _no_clusterings("comparison", "compare", result.inputs is None)
    return _figure(result.inputs, None)


@contingency.of(Alignment, usual=True)
def contingency_of_alignment(result: Alignment) -> FigureData:
    """The same, by the pairs of the alignment."""
    if result.sides is None:
        raise _no_clusterings("alignment", "align", True)
    sides = dict(zip(("truth", "found"), result.sides, strict=True))
    inputs = Inputs(sides, result.sides[0].n_objects, result.weight, called=result.called)
    return _figure(inputs, {row.truth: row.found for row in result.rows})


def _no_clusterings(noun: str, function: str, from_file: bool) -> NoFigureError:
    return NoFigureError(
        f"this {noun} holds no clusterings to show.",
        got="a result read from a file" if from_file else "no objects: all are noise, and noise is ignored",
        need="the clusterings themselves",
        fix=f"{function}(truth, found) again" if from_file else None,
    )


def _figure(inputs: Inputs, pairs: Mapping[Any, Any] | None) -> FigureData:
    sides, notes = as_memberships(dict(inputs.partitions), frozenset({HARD, FUZZY, POSSIBILISTIC}))
    counted = table_of(replace(inputs, partitions=sides))
    partner = _partners(counted, pairs)
    shares = {side: noise_share(one, inputs.weight) for side, one in sides.items()}
    table = _Table(
        cells_of(counted),
        ClusterNames(sides["truth"], counted.row_names),
        ClusterNames(sides["found"], counted.column_names),
        partner,
        float(counted.n),
        counted.kinds != (HARD, HARD),
        inputs.called,
        {side: (1, share) for side, share in shares.items() if share is not None},
    )
    called = table.called
    one_true = called.cluster("truth")
    rows, columns = _order(table)
    title = _finding(table)
    shape = rows.size, columns.size
    records = _records(table, rows, columns)
    height = min(ROOM[1], max(ROW_HEIGHT * shape[0], 1.2))
    texts = _texts_that_fit(records, shape, height)
    noun = "mass" if table.is_soft else "objects"
    return FigureData(
        kind="contingency",
        title=title,
        description=(
            f"{title}. Rows are {_counted(table, 'truth')}, columns {_counted(table, 'found')}, in an order "
            f"that puts partners on the diagonal; a cell holds the {noun} in both, and is the stronger the "
            f"larger its share of the {one_true}."
        ),
        records=records,
        x=called.cluster("found") + f" (percent: of the {one_true})" * (texts == "count and share"),
        y=one_true,
        facts={
            "truth": [table.truth[i] for i in rows.tolist()],
            "found": [table.found[j] for j in columns.tolist()],
            "total": amount(table.total),
            "outside_pairs": float(1.0 - table.cells.shared[table.is_paired].sum() / table.total),
            "texts": texts,
            "true_cluster": one_true,
        },
        notes=(
            *notes,
            *[SPREAD] * table.is_soft,
            *_empty_note(sides, called),
            *_left_out(
                f"{called.clusters('truth')}, the largest", table.cells.row_sizes, rows, table.total, noun
            ),
            *_left_out(
                f"{called.clusters('found')}, partners of these and then the largest",
                table.cells.column_sizes,
                columns,
                table.total,
                noun,
            ),
        ),
        size=(6.8, height + 1.3),
    )


def _partners(table: Contingency, pairs: Mapping[Any, Any] | None) -> Array:
    """For each true cluster the position of its partner, or -1."""
    if pairs is None:
        return partners_of(table)
    place = {name: j for j, name in enumerate(table.column_names)}
    return np.array([place[pairs[name]] if name in pairs else -1 for name in table.row_names])


def _counted(table: _Table, side: str) -> str:
    """How many clusters a side has, in words; noise is not counted as one."""
    sizes = table.cells.row_sizes if side == "truth" else table.cells.column_sizes
    count, noise = int(np.count_nonzero(sizes)), table.noise.get(side)
    if noise is None:
        return f"the {count:,} {table.called.clusters(side)}"
    return f"{count_text(count, noise)} of {table.called.of(side)}"


# --- what is shown ----------------------------------------------------------------------------------------


def _order(table: _Table) -> tuple[Array, Array]:
    """The true clusters that are shown and the found ones, partners at the same place as far as they go.

    Pairs come first in the order of the true clusters, then the clusters without a partner, by where most of
    them lies.
    """
    rows = _shown(table.cells.row_sizes)
    columns = _shown(table.cells.column_sizes, table.partner[rows])
    among = set(columns.tolist())
    paired = [(i, int(table.partner[i])) for i in rows.tolist() if int(table.partner[i]) in among]
    first_rows, first_columns = ([pair[side] for pair in paired] for side in (0, 1))
    place_of_row = {row: place for place, row in enumerate(first_rows)}
    place_of_column = {column: place for place, column in enumerate(first_columns)}
    turned = Cells(
        table.cells.columns,
        table.cells.rows,
        table.cells.shared,
        table.cells.column_sizes,
        table.cells.row_sizes,
    )
    rest_rows = _by_largest_part([i for i in rows.tolist() if i not in place_of_row], table.cells)
    rest_columns = _by_largest_part([j for j in columns.tolist() if j not in place_of_column], turned)
    behind = len(paired)
    rest_rows.sort(key=lambda pair: place_of_column.get(pair[1], behind))
    rest_columns.sort(key=lambda pair: place_of_row.get(pair[1], behind))
    return (
        np.array([*first_rows, *(own for own, _ in rest_rows)], dtype=np.int64),
        np.array([*first_columns, *(own for own, _ in rest_columns)], dtype=np.int64),
    )


def _shown(sizes: Floats, partners: Array | None = None) -> Array:
    """The clusters that are shown, in their own order: partners of those of the other side, the largest."""
    filled = np.flatnonzero(sizes > 0)
    is_partner = np.isin(filled, [] if partners is None else partners)
    return np.sort(filled[np.lexsort((-sizes[filled], ~is_partner))][:MOST_SHOWN])


def _by_largest_part(clusters: Sequence[int], cells: Cells) -> list[tuple[int, int]]:
    """These clusters of the rows, each with the column that most of it is in."""
    made = []
    for cluster in clusters:
        mine = np.flatnonzero(cells.rows == cluster)
        made.append((cluster, int(cells.columns[mine[np.argmax(cells.shared[mine])]])))
    return made


def _records(table: _Table, rows: Array, columns: Array) -> tuple[dict[str, Any], ...]:
    """The cells that are shown, row by row; what is not there is empty."""
    cells = table.cells
    row_place = np.full(cells.row_sizes.size, -1)
    column_place = np.full(cells.column_sizes.size, -1)
    row_place[rows], column_place[columns] = np.arange(rows.size), np.arange(columns.size)
    at = row_place[cells.rows], column_place[cells.columns]
    shown = np.flatnonzero((at[0] >= 0) & (at[1] >= 0) & (cells.shared > NOTHING * table.total))
    shown = shown[np.lexsort((at[1][shown], at[0][shown]))]
    paired = table.is_paired
    called = table.called
    names = [called.cluster(side) if called.are_given else side for side in ("truth", "found")]
    made = []
    for cell in shown.tolist():
        i, j = int(cells.rows[cell]), int(cells.columns[cell])
        shared = float(cells.shared[cell])
        made.append(
            {
                names[0]: table.truth[i],
                names[1]: table.found[j],
                "count": amount(shared),
                "share": shared / float(cells.row_sizes[i]),
                "share_of_found": shared / float(cells.column_sizes[j]),
                "paired": bool(paired[cell]),
                "row": int(at[0][cell]),
                "column": int(at[1][cell]),
            }
        )
    return tuple(made)


def _texts_that_fit(records: Sequence[Mapping[str, Any]], shape: tuple[int, int], height: float) -> str:
    """What is written in each cell: "count and share", "count", or "nothing"."""
    width, height = ROOM[0] / shape[1], height / shape[0]
    letters = max((len(mass_text(record["count"])) for record in records), default=1)
    if width >= LETTER * max(letters, 5) and height >= 2 * LINE:
        return "count and share"
    return "count" if width >= LETTER * letters and height >= LINE else "nothing"


def _empty_note(sides: Mapping[str, Partition], called: SideNames) -> tuple[str, ...]:
    words = {side: f"in {called.of(side)}" for side in sides} if called.are_given else {"truth": "true"}
    empty = {
        words.get(side, side): int(np.count_nonzero(np.asarray(sides[side].sizes) == 0))
        for side in ("truth", "found")
    }
    told = [f"{count:,} {word}" for word, count in empty.items() if count]
    return (f"empty clusters are not drawn: {' and '.join(told)}",) if told else ()


def _left_out(which: str, sizes: Floats, shown: Array, total: float, noun: str) -> tuple[str, ...]:
    clusters = int(np.count_nonzero(sizes))
    if clusters == shown.size:
        return ()
    share = 1.0 - float(sizes[shown].sum()) / total
    hidden = clusters - shown.size
    rest = f"the other {hidden:,} hold {percent(share)} of the {noun}"
    return (f"shown are {shown.size} of {clusters:,} {which}; {rest}",)


# --- what it says -----------------------------------------------------------------------------------------


def _finding(table: _Table) -> str:
    """The table in a sentence."""
    cells = table.cells
    kept = cells.shared > NOTHING * table.total
    rows, columns, shared = cells.rows[kept], cells.columns[kept], cells.shared[kept]
    parts, sources = np.bincount(rows), np.bincount(columns)
    true, found = (table.called.cluster(side) for side in ("truth", "found"))
    if parts.max() == sources.max() == 1:
        return f"each {true} is one {found}, and the other way round"
    if sources.max() == 1:
        split = _named(table.truth, np.flatnonzero(parts > 1))
        return f"each {found} lies within one {true}; split: {split}"
    if parts.max() == 1:
        groups = np.flatnonzero(sources > 1)
        merged = np.flatnonzero(np.isin(np.arange(parts.size), rows[np.isin(columns, groups)]))
        return f"each {true} lies within one {found}; merged: {_named(table.truth, merged)}"
    outside = ~table.is_paired[kept]
    away = float(shared[outside].sum())
    most = int(np.flatnonzero(outside)[np.argmax(shared[outside])])
    noun, verb, them = ("mass", "lies", "it") if table.is_soft else ("objects", "lie", "them")
    word = f"most of {them}" if shared[most] > away / 2 else "the largest part"
    amounts = f"{mass_text(away)} of {mass_text(table.total)}"
    return (
        f"{percent(away / table.total)} of the {noun} ({amounts}) {verb} outside the paired cells; "
        f"{word}: {short_name(table.truth[int(rows[most])])} in "
        f"{_found(table, int(columns[most]))} ({mass_text(float(shared[most]))})"
    )


def _found(table: _Table, place: int) -> str:
    name = short_name(table.found[place])
    return f"{name} of {table.called.found}" if table.called.are_given else f"found {name}"


def _named(names: ClusterNames, places: Array) -> str:
    shown = [short_name(names[place]) for place in places[:NAMES_IN_TITLE].tolist()]
    more = places.size - len(shown)
    if more:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


# --- how it is drawn --------------------------------------------------------------------------------------


@contingency.drawn
def draw_contingency(ax: Axes, data: FigureData) -> None:
    """Cells by their share of the true cluster, with counts and shares where there is room."""
    truth, found = data.facts["truth"], data.facts["found"]
    strong = np.full((len(truth), len(found)), np.nan)
    for record in data.records:
        strong[record["row"], record["column"]] = record["share"]
    texts = {}
    both = data.facts["texts"] == "count and share"
    if data.facts["texts"] != "nothing":
        for record in sorted(data.records, key=lambda record: -record["count"]):
            count, share = mass_text(record["count"]), percent(record["share"])
            texts[record["row"], record["column"]] = f"{count}\n{share}" if both else count
    draw_cells(ax, strong, texts, fontsize=8 if both else 7)
    name_ticks(ax, "x", range(len(found)), found, 16)
    name_ticks(ax, "y", range(len(truth)), truth, 16)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)
    if not both:
        colour_bar([ax], 0.0, 1.0, f"share of the {data.facts['true_cluster']}")
