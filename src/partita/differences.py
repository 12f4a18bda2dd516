"""Where two clusterings differ: cluster by cluster and object by object.

What became of a cluster is told in one word, which is decided here and nowhere else. Of a **true** cluster:

- "kept": one found cluster holds at least 90% of it, and at least 90% of that cluster is it;
- "merged": one found cluster holds at least 90% of it, but more than 10% of that cluster are others;
- "split": no found cluster holds 90% of it, but at least half of it lies in found clusters that are mostly
  (more than half) it;
- "lost": none of these.

Of a **found** cluster the same is read from the other side, so that a word says what happened to the truth:
"kept" as above; "split" where at least 90% of it are of one true cluster, of which it holds less than 90%: a
part of it; "merged" where less than 90% are of one true cluster, but at least half of it are true clusters
that lie mostly in it; "lost" where it is none of these, a mixture of pieces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from partita.alignment import Alignment, align
from partita.arrays import BLOCK_ROWS, Array, Floats, blocks, dense
from partita.engine import Request, collect
from partita.inputs import Inputs
from partita.partitions import (
    FUZZY,
    HARD,
    POSSIBILISTIC,
    UNNAMED,
    HardPartition,
    Kind,
    Partition,
    SideNames,
    count_text,
)
from partita.results import Result, Table
from partita.results.agreement import PART
from partita.results.provenance import provenance
from partita.statistics import Contingency, is_too_large_to_pair

__all__ = [
    "Cells",
    "ClusterDifference",
    "ClusterDifferences",
    "NOTHING",
    "ObjectDifferences",
    "amount",
    "amount_text",
    "cells_of",
    "cluster_differences",
    "object_differences",
    "table_of",
]

WHOLE = 0.9
"""The share of a cluster from which on it counts as the whole of it."""

MOST = 0.5
"""The share of a cluster above which it is mostly that."""

MOST_SHOWN = 20
"""How many objects are printed, those that disagree most."""

SPREAD = "shares of memberships: softness alone spreads a cluster over several, and lowers overlaps"
NOTHING = "every object is noise, and noise is ignored"


@dataclass(frozen=True)
class ClusterDifference:
    """One cluster of one side, held against the cluster of the other side that shares most with it.

    ``precision`` is the share of the found cluster that is in the true one, ``recall`` the share of the true
    one that is in the found one, whichever of them ``cluster`` is. ``parts`` are clusters of the other side
    that hold at least 10% of it.
    """

    side: str
    cluster: Any
    size: float
    best_match: Any
    overlap: float
    precision: float
    recall: float
    jaccard: float
    parts: int
    fate: str


@dataclass(frozen=True, repr=False)
class ClusterDifferences(Result):
    """What became of each cluster, of truth first; ``to_frame()`` has a column ``side``.

    Attributes
    ----------
    rows : tuple of ClusterDifference
        One for each cluster that has objects, in the order of their names.
    parts : dict
        For each true cluster, by its name, its parts of at least 10%: a found cluster and how much it holds.
    """

    rows: tuple[ClusterDifference, ...] = ()
    title: str = ""
    parts: Mapping[Any, tuple[tuple[Any, float], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    called: SideNames = field(default=UNNAMED, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(ClusterDifference.__dataclass_fields__)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a cluster."""
        return [{**asdict(row), "side": self.called.of(row.side)} for row in self.rows]

    def to_frame(self) -> Any:
        """The rows as a frame of the input's library; names of mixed types as text, where it needs one."""
        if self.frame == "pandas":
            return super().to_frame()
        names = [name for row in self.rows for name in (row.cluster, row.best_match)]
        if any(all(type(name) is kind for name in names) for kind in (str, int)):
            return super().to_frame()
        texts = [replace(r, cluster=str(r.cluster), best_match=str(r.best_match)) for r in self.rows]
        return Result.to_frame(replace(self, rows=tuple(texts)))

    def table(self) -> Table:
        """The clusters, as they print."""
        rows = tuple(tuple(record.values()) for record in self.records())
        return Table(self.title, self.columns, rows, self.footnotes, spare=("parts", "jaccard"))


@dataclass(frozen=True, repr=False)
class ObjectDifferences(Result):
    """How far the two clusterings differ at each object; ``to_frame()`` is by the names of the objects.

    Attributes
    ----------
    values : dict of arrays
        - ``truth``, ``found``: its clusters; of soft clusterings those of largest membership.
        - ``disagreement``: the share of the pairs with another object that are together in one clustering and
          apart in the other. Its mean is 1 - Rand index. Of soft clusterings the probability of that, where
          labels are drawn by the memberships, independently; its mean is 1 - ``rand:pairs=coassociation``.
        - ``entropy_gap``: -log p(truth | found) - log p(found | truth), from the table, in nats: how far one
          cluster of the object is from telling the other. Its mean is the variation of information. Of soft
          clusterings the expected value over labels drawn as above.
        - ``moved``: whether it is not in the partner of its true cluster (see `partita.align`); of soft
          clusterings the share of its membership that is elsewhere, from 0 to 1.
    index : pandas index or None
        The names of the objects.
    moved : float
        How many objects have moved, by weight.
    """

    values: Mapping[str, Array] = field(default_factory=dict, repr=False)
    index: Any = field(default=None, repr=False)
    moved: float = 0.0
    title: str = ""
    called: SideNames = field(default=UNNAMED, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns; the names of the objects come first, where there are some."""
        names = tuple(self._named())
        return names if self.index is None else ("object", *names)

    def _named(self) -> dict[str, Array]:
        """The values by the names of columns, which are those of the clusterings where these have some."""
        others = {"object", *self.values} - {"truth", "found"}
        names = {side: self.called.of(side) for side in ("truth", "found")}
        names = {side: f"clustering {name}" if name in others else name for side, name in names.items()}
        return {names.get(name, name): values for name, values in self.values.items()}

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an object."""
        listed = [values.tolist() for values in self.values.values()]
        listed = listed if self.index is None else [list(self.index), *listed]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*listed, strict=True)]

    def to_frame(self) -> Any:
        """One row an object, in the input's library; in pandas by the names of the objects."""
        if self.frame == "pandas":
            import pandas as pd

            return pd.DataFrame(self._named(), index=self.index)
        return super().to_frame()

    def table(self) -> Table:
        """The objects that disagree most, as they print."""
        order = np.argsort(-np.nan_to_num(self.values["disagreement"]), kind="stable")[:MOST_SHOWN]
        names = order if self.index is None else self.index[order]
        values = [self.values[name][order].tolist() for name in self.values]
        rows = tuple(zip(list(names), *values, strict=True))
        n = len(self.values["disagreement"])
        more = (f"{len(order)} of {n} objects, those that disagree most: to_frame() has all",)
        notes = (*more * (n > len(order)), *self.footnotes)
        return Table(self.title, ("object", *self._named()), rows, notes)


# --- the table, cell by cell ------------------------------------------------------------------------------


class Cells(NamedTuple):
    """The filled cells of a table: clusters by their positions, and what each pair shares."""

    rows: Array
    columns: Array
    shared: Floats
    row_sizes: Floats
    column_sizes: Floats


def table_of(inputs: Inputs) -> Contingency:
    """The table of prepared clusterings."""
    request = Request(Contingency)
    table: Contingency = collect([request], inputs)[request]
    return table


def cells_of(table: Contingency) -> Cells:
    """The filled cells of a table, row by row."""
    if table.is_sparse:
        rows, columns = table.raw.tocoo().coords
        shared = table.cells
    else:
        rows, columns = np.nonzero(table.counts > 0)
        shared = table.counts[rows, columns]
    order = np.lexsort((columns, rows))
    sizes = (np.asarray(s, dtype=np.float64) for s in (table.row_sums, table.column_sums))
    return Cells(rows[order], columns[order], np.asarray(shared, dtype=np.float64)[order], *sizes)


def _as_probabilities(inputs: Inputs, taken: frozenset[Kind]) -> tuple[Inputs, tuple[str, ...]]:
    """The inputs with pignistic probabilities for sides of other kinds than these, and what is said of it."""
    notes, sides = [], {}
    for name, partition in inputs.partitions.items():
        other = partition.kind not in taken
        sides[name] = partition.pignistic() if other else partition
        notes += [f"{inputs.called.of(name)}: {partition.kind}, taken by its pignistic probabilities"] * other
    return replace(inputs, partitions=sides), tuple(notes)


# --- clusters ---------------------------------------------------------------------------------------------


def cluster_differences(inputs: Inputs) -> ClusterDifferences:
    """What became of each cluster of both sides.

    Hard clusterings by numbers of objects (or their weights), fuzzy and possibilistic ones by the mass that
    clusters share, as in `partita.contingency`; rough and evidential ones by their pignistic probabilities.
    """
    frame = inputs.frame or "pandas"
    if not inputs.n_objects:
        return ClusterDifferences(notes=(NOTHING,), frame=frame, title="0 objects")
    given = inputs
    inputs, notes = _as_probabilities(inputs, frozenset({HARD, FUZZY, POSSIBILISTIC}))
    table = table_of(inputs)
    cells = cells_of(table)
    is_soft = set(inputs.kinds) != {HARD}
    turned = Cells(cells.columns, cells.rows, cells.shared, cells.column_sizes, cells.row_sizes)
    truth, parts = _side("truth", cells, table.row_names, table.column_names)
    found, _ = _side("found", turned, table.column_names, table.row_names)
    return ClusterDifferences(
        notes=(*notes, *[SPREAD] * is_soft, *given.notes),
        provenance=provenance(given, clusters=[len(truth), len(found)]),
        frame=frame,
        rows=(*truth, *found),
        title=f"{given.n_objects} objects: {_counted(given, len(truth), len(found))}",
        parts=parts,
        called=given.called,
    )


def _counted(given: Inputs, truth: int, found: int) -> str:
    """How many clusters each side has; noise is not counted as one."""
    called, noise = given.called, given.noise_of
    if not called.are_given and not noise:
        return f"{truth} true and {found} found clusters"
    sides = (("truth", truth), ("found", found))
    return ", ".join(f"{count_text(k, noise.get(side))} in {called.of(side)}" for side, k in sides)


def _side(
    side: str, cells: Cells, names: Sequence[Any], others: Sequence[Any]
) -> tuple[list[ClusterDifference], dict[Any, tuple[tuple[Any, float], ...]]]:
    """The rows of one side, whose clusters are the rows of the cells; and the parts of each."""
    own, other, shared = cells.rows, cells.columns, cells.shared
    of_own, of_other = shared / cells.row_sizes[own], shared / cells.column_sizes[other]
    union = cells.row_sizes[own] + cells.column_sizes[other] - shared
    order = np.lexsort((other, -shared / union, -shared, own))  # the largest overlap, then the larger Jaccard
    own_sorted = own[order]
    starts = np.flatnonzero(np.r_[True, own_sorted[1:] != own_sorted[:-1]])
    ends = np.r_[starts[1:], own.size]
    k = cells.row_sizes.size
    pure = np.bincount(own, np.where(of_other > MOST, of_own, 0.0), k)
    rows, parts = [], {}
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        best = int(order[start])
        i, j = int(own[best]), int(other[best])
        mine = order[start:end]
        mine = mine[of_own[mine] >= PART]
        precision, recall = float(of_other[best]), float(of_own[best])
        if side == "found":
            precision, recall = recall, precision
        rows.append(
            ClusterDifference(
                side=side,
                cluster=names[i],
                size=amount(cells.row_sizes[i]),
                best_match=others[j],
                overlap=amount(shared[best]),
                precision=precision,
                recall=recall,
                jaccard=float(shared[best] / union[best]),
                parts=int(mine.size),
                fate=_fate(side, float(of_own[best]), float(of_other[best]), float(pure[i])),
            )
        )
        parts[names[i]] = tuple((others[int(other[m])], amount(shared[m])) for m in mine.tolist())
    return rows, parts


def _fate(side: str, share: float, share_of_match: float, in_pure: float) -> str:
    """The word for a cluster, from its largest part, what share of the match that is, and its pure parts."""
    joined, parted = ("merged", "split") if side == "truth" else ("split", "merged")
    if share >= WHOLE:
        return "kept" if share_of_match >= WHOLE else joined
    return parted if in_pure >= MOST else "lost"


def amount(size: Any) -> float:
    """A number of objects as a whole number where it is one, soft ones up to rounding."""
    nearest = round(float(size))
    return nearest if abs(float(size) - nearest) <= 1e-9 * max(nearest, 1) else float(size)


def amount_text(size: float) -> str:
    """A number of objects as it is written in a sentence."""
    return str(size) if isinstance(size, int) else f"{size:.1f}" if size >= 0.1 else "less than 0.1"


# --- objects ----------------------------------------------------------------------------------------------


def object_differences(inputs: Inputs) -> ObjectDifferences:
    """How far two clusterings differ at each object; see `ObjectDifferences` for what the columns are.

    Cost: O(n) for hard clusterings beyond their table, O(n k k') for soft ones; no pair of objects is looked
    at. Weights are multiplicities: an object of weight 2 is two, each with a row like the other's.
    Possibilistic, rough and evidential clusterings are taken by their pignistic probabilities.
    """
    frame = inputs.frame or "pandas"
    if not inputs.n_objects:
        nothing = {n: np.zeros(0) for n in ("truth", "found", "disagreement", "entropy_gap", "moved")}
        return ObjectDifferences(notes=(NOTHING,), frame=frame, values=nothing, title="0 objects")
    given = inputs
    inputs, notes = _as_probabilities(inputs, frozenset({HARD, FUZZY}))
    table = table_of(inputs)
    cells = cells_of(table)
    pairs = _partners(inputs, table)
    truth, found = inputs.partitions.values()
    if isinstance(truth, HardPartition) and isinstance(found, HardPartition):
        measures = _of_hard(truth, found, table, cells, pairs, inputs.weight)
    else:
        measures = _of_soft(truth, found, table, cells, pairs, inputs.weight)
    weight = np.ones(inputs.n_objects) if inputs.weight is None else inputs.weight
    moved = float(weight @ measures["moved"])
    how = f" ({pairs.provenance['matching']} pairs of clusters)" if is_too_large_to_pair(table) else ""
    labels = {name: side.harden().labels for name, side in inputs.partitions.items()}
    index = truth.index if truth.index is not None else found.index
    total = float(weight.sum())
    return ObjectDifferences(
        notes=(*notes, *given.notes),
        provenance=provenance(given),
        frame=frame,
        values={**labels, **measures},
        index=index,
        moved=moved,
        title=f"{total:g} objects: {amount_text(amount(moved))} moved{how}",
        called=given.called,
    )


def _partners(inputs: Inputs, table: Contingency) -> Alignment:
    """The best alignment of the prepared clusterings; greedy where they have too many clusters."""
    matching = "greedy" if is_too_large_to_pair(table) else "optimal"
    bare = {name: _without_index(p) for name, p in inputs.partitions.items()}
    return align(*bare.values(), matching=matching, sample_weight=inputs.weight)


def _without_index(partition: Partition) -> Partition:
    """The same clustering of unnamed objects: they are in one order already."""
    taken: Partition = partition.take(slice(None))
    taken.index = None
    return taken


def _positions(names: Sequence[Any], among: Sequence[Any]) -> Array:
    """Where each name stands among others."""
    if isinstance(among, range):
        return np.asarray(names, dtype=np.int64) - among.start
    place = {name: i for i, name in enumerate(among)}
    return np.array([place[name] for name in names], dtype=np.int64)


def _gaps(cells: Cells) -> Floats:
    """-log p(truth | found) - log p(found | truth) of each cell."""
    of_rows = cells.shared / cells.row_sizes[cells.rows]
    of_columns = cells.shared / cells.column_sizes[cells.columns]
    return np.asarray(np.maximum(-np.log(of_rows) - np.log(of_columns), 0.0))


def _of_hard(
    truth: HardPartition,
    found: HardPartition,
    table: Contingency,
    cells: Cells,
    pairs: Alignment,
    weight: Array | None,
) -> dict[str, Array]:
    """Disagreement, entropy gap and whether it moved, of each cell of the table, handed to its objects."""
    width = len(table.column_names)
    own = _positions(truth.names, table.row_names)[truth.codes]
    other = _positions(found.names, table.column_names)[found.codes]
    at = np.searchsorted(cells.rows.astype(np.int64) * width + cells.columns, own * width + other)
    apart = cells.row_sizes[cells.rows] + cells.column_sizes[cells.columns] - 2.0 * cells.shared
    partner = np.full(len(table.row_names), -1)
    paired = [(row.truth, row.found) for row in pairs.rows]
    if paired:
        rows, columns = zip(*paired, strict=True)
        partner[_positions(rows, table.row_names)] = _positions(columns, table.column_names)
    moved = partner[cells.rows] != cells.columns
    share = _share_of_others(apart[at], float(table.n), _itself(weight))
    return {"disagreement": share, "entropy_gap": _gaps(cells)[at], "moved": moved[at]}


def _itself(weight: Array | None) -> Any:
    """How much of each object is no other object: one of its copies, or all of it where it weighs less."""
    return 1.0 if weight is None else np.minimum(weight, 1.0)


def _share_of_others(apart: Floats, total: float, itself: Any) -> Floats:
    """What share of all other objects this is; nan where there are none."""
    others = np.broadcast_to(total - np.asarray(itself), apart.shape)
    shares = np.full(apart.shape, math.nan)
    np.divide(apart, others, out=shares, where=others > 1e-12 * total)
    return _without_dust(shares)


def _of_soft(
    truth: Partition,
    found: Partition,
    table: Contingency,
    cells: Cells,
    pairs: Alignment,
    weight: Array | None,
) -> dict[str, Array]:
    """The same for labels drawn by the memberships, in blocks of objects.

    Co-associations are products of memberships, so their sums over all other objects are products with the
    columns' sums and with U'V: exact, without a look at pairs.
    """
    counts = table.counts.astype(np.float64)
    gaps = np.zeros(counts.shape)
    gaps[cells.rows, cells.columns] = _gaps(cells)
    own = _positions([row.truth for row in pairs.rows], table.row_names)
    partner = _positions([row.found for row in pairs.rows], table.column_names)
    made: dict[str, list[Array]] = {"disagreement": [], "entropy_gap": [], "moved": []}
    for rows in blocks(truth.n_objects, BLOCK_ROWS):
        U = _columns_of(truth.take(rows), table.row_names)
        V = _columns_of(found.take(rows), table.column_names)
        both = ((U @ counts) * V).sum(axis=1)
        self_u, self_v = (U * U).sum(axis=1), (V * V).sum(axis=1)
        itself = _itself(None if weight is None else weight[rows])
        apart_from_all = U @ cells.row_sizes + V @ cells.column_sizes - 2.0 * both
        apart = apart_from_all - itself * (self_u + self_v - 2.0 * self_u * self_v)
        made["disagreement"].append(_share_of_others(apart, float(table.n), itself))
        made["entropy_gap"].append(((U @ gaps) * V).sum(axis=1))
        kept = np.minimum(U[:, own], V[:, partner]).sum(axis=1)
        made["moved"].append(_without_dust(1.0 - kept))
    return {name: np.concatenate(parts) for name, parts in made.items()}


def _without_dust(shares: Floats) -> Floats:
    """Shares from 0 to 1, with what lies past the ends by rounding put there, and next to nothing for 0."""
    return np.where(shares < 1e-9, 0.0, np.where(np.abs(shares - 1.0) < 1e-9, 1.0, shares))


def _columns_of(partition: Partition, names: Sequence[Any]) -> Floats:
    """Memberships with their columns in the order of the table's."""
    wide = np.zeros((partition.n_objects, len(names)))
    wide[:, _positions(partition.names, names)] = dense(partition.memberships())
    return wide
