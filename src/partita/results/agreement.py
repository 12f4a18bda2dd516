"""How far two clusterings agree, in words: which indices are shown first, a statement, splits and merges.

What a word stands for is decided here and nowhere else. Only the adjusted Rand index of hard clusterings has
published cut points; values of soft clusterings are stated without a grade.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array
from partita.partitions import (
    EVIDENTIAL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    ROUGH,
    UNNAMED,
    Kind,
    SideNames,
    noise_name,
    softest,
)
from partita.partitions.side_names import Noise
from partita.results.index_rows import IndexValue
from partita.statistics import Contingency

__all__ = ["adjusted_forms", "agreement_statement", "headline_of", "splits_and_merges"]

GRADES = ((0.9, "excellent"), (0.8, "good"), (0.65, "moderate"), (0.0, "poor"))
"""What an adjusted Rand index above these values is called, after Steinley (2004), who drew the cut points
from simulated recoveries of known clusters. At 0 and below there is no more agreement than by chance."""

GRADES_ARE_FROM = "Steinley 2004"

PART = 0.1
"""The share of a cluster from which on another cluster has a part of it; less are strays."""

MOST_LINES = MOST_PARTS = 3
MOST_LETTERS = 24

IN_TABLES = ("nmi_sum", "variation_of_information", "classification_error")

HEADLINES: Mapping[Kind, tuple[str, ...]] = {
    HARD: (
        "adjusted_rand",
        "fowlkes_mallows",
        "adjusted_mutual_information",
        "variation_of_information",
        "pair_set_index",
        "classification_error",
    ),
    FUZZY: (
        "frobenius_adjusted_rand",
        "belief_rand",
        "adjusted_concordance",
        "credal_rand",
        "adjusted_rand",
        "variation_of_information",
    ),
    POSSIBILISTIC: ("belief_adjusted_rand", "belief_rand", "adjusted_rand", *IN_TABLES),
    ROUGH: ("credal_rand", "adjusted_rand", "rand", *IN_TABLES),
    EVIDENTIAL: ("credal_rand", "adjusted_rand", "rand", *IN_TABLES),
}
"""The indices that are shown first, by the softer of the two kinds: one or two of each family; those on which
a clustering of that kind scores best against itself come first."""

OF_CENTRES = ("centroid_index", "centroid_similarity_index")
"""These join them where there are data."""

CORRECTED = {HARD: "adjusted_rand", FUZZY: "frobenius_adjusted_rand", POSSIBILISTIC: "belief_adjusted_rand"}
"""The index that the statement rests on: 0 by chance, 1 against itself."""

SELF_AGREEING = {
    "belief_adjusted_rand": "is each pair of objects together to the same degree",
    "frobenius_adjusted_rand": "are these degrees alike up to a common factor",
    "adjusted_concordance": "are objects equally far apart in memberships",
}
DRAWN = {
    "product_adjusted_rand": "do labels drawn for each object agree, pair by pair",
    "adjusted_rand": "do they agree by the table of expected counts",
    "campello_adjusted_rand": "is a hard reference met, by a t-norm",
}
"""The forms of the adjusted Rand index for soft clusterings, and the question that each answers."""


def headline_of(kinds: Sequence[Kind], *, has_data: bool = False) -> tuple[str, ...]:
    """The indices that are shown first for these kinds."""
    return HEADLINES[softest(kinds)] + (OF_CENTRES if has_data else ())


def agreement_statement(
    rows: Mapping[str, IndexValue],
    kinds: Sequence[Kind],
    table: Contingency | None,
    *,
    identical: bool,
    confidence: float = 0.95,
    null: str = "",
    called: SideNames = UNNAMED,
    noise: Noise | None = None,
) -> str:
    """How far two clusterings agree, in a sentence that says no more than the values do.

    With a null model it says whether that is beyond chance: p at most 1 - confidence.
    """
    row = rows.get(CORRECTED.get(softest(kinds), "adjusted_rand"))
    nesting = _nesting(table, called, noise or {})
    agreement = _agreement(row, kinds, nesting, identical=identical, confidence=confidence)
    return agreement + (_beyond_chance(row, confidence, null) if agreement and row is not None else "")


def _beyond_chance(row: IndexValue, confidence: float, null: str) -> str:
    if math.isnan(row.p) or not null:
        return ""
    p = f"p = {row.p:.2g} under {null}"
    return f"; beyond chance: {p}" if row.p <= 1.0 - confidence else f"; not shown to be beyond chance: {p}"


def _agreement(
    row: IndexValue | None,
    kinds: Sequence[Kind],
    nesting: str,
    *,
    identical: bool,
    confidence: float,
) -> str:
    if identical:
        return "the clusterings are identical, up to the names of their clusters"
    if row is None:
        return ""
    kind, name = softest(kinds), row.index
    if not math.isnan(row.lower) and math.isnan(row.value):
        about = "about " if row.method == "sampled" else ""
        what = "is" if kind is ROUGH else "is expected"
        return (
            f"over the hard clusterings that they stand for, the {_words(name)} {what} between "
            f"{about}{_two(row.lower)} and {about}{_two(row.upper)} (0 is chance, 1 is identity)"
        )
    if math.isnan(row.value):
        return f"the {_words(name)} has no value here: {row.caveat}"
    value = f"{_words(name)} {_two(row.value)} ({_interval(row, confidence)}0 is chance, 1 is identity"
    if row.value <= 0:
        return f"the clusterings agree no more than by chance: {value})" + nesting
    if kind is not HARD:
        return f"agreement by the {value}; no cut points are known)"
    word = next(word for least, word in GRADES if row.value > least)
    return f"{word} agreement: {value}; graded after {GRADES_ARE_FROM})" + nesting


def _two(value: float) -> str:
    """Two decimals; zero has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"


def _interval(row: IndexValue, confidence: float) -> str:
    if math.isnan(row.ci_low):
        return ""
    return f"{100.0 * confidence:g}% interval {_two(row.ci_low)} to {_two(row.ci_high)}; "


def _words(name: str) -> str:
    return f"{name.replace('_', ' ').replace('rand', 'Rand').replace('frobenius', 'Frobenius')} index"


def _nesting(table: Contingency | None, called: SideNames, noise: Noise) -> str:
    """Whether the clusters of one clustering lie within those of the other."""
    if table is None or table.kinds != (HARD, HARD):
        return ""
    k, m, filled = int(table.n_rows), int(table.n_columns), int((table.cells > 0).sum())
    if k == 1 or m == 1:
        one = called.truth if k == 1 else called.found
        return f"; {one} is a single cluster, and nothing can agree with it beyond chance"
    if filled == m:
        return _refined(("found", m), ("truth", k), called, noise)
    return _refined(("truth", k), ("found", m), called, noise) if filled == k else ""


def _refined(one: tuple[str, int], other: tuple[str, int], called: SideNames, noise: Noise) -> str:
    """That the clusters of one side, and its noise, lie within those of the other."""
    (fine, many), (coarse, few) = one, other
    each, within = f"each of its {many} clusters lies", f"one of the {few}"
    if fine in noise:
        each = f"each of its {many - noise[fine][0]} clusters, and its noise, lies"
    if coarse in noise:
        within = f"one of the {few - noise[coarse][0]} or the noise"
    return f"; {called.of(fine)} refines {called.of(coarse)}: {each} within {within}"


def _filled(table: Contingency) -> tuple[Array, Array, Array]:
    """Row, column and content of each cell that holds something."""
    if table.is_sparse:
        filled = table.raw.tocoo()
        rows, columns, cells = filled.row, filled.col, filled.data
    else:
        rows, columns = np.nonzero(table.raw)
        cells = table.raw[rows, columns]
    kept = cells > 0
    return rows[kept], columns[kept], cells[kept]


# --- splits and merges ------------------------------------------------------------------------------------


def splits_and_merges(
    table: Contingency, called: SideNames = UNNAMED, sides: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """Which true clusters several found ones share, and which found ones are of several true ones.

    The largest few, by how many objects lie outside the largest part. For two hard clusterings: memberships
    that are shared by softness alone would look like splits.
    """
    if table.kinds != (HARD, HARD):
        return ()
    rows, columns, cells = _filled(table)
    splits = _shared(rows, columns, cells)
    merges = _shared(columns, rows, cells)
    noise = {side: noise_name(partition) for side, partition in (sides or {}).items()}
    truth, found = (
        _Told(called.of(side), names, noise.get(side))
        for side, names in (("truth", table.row_names), ("found", table.column_names))
    )
    lines = _lines("split", "in", splits, truth, found) + _lines("merged", "of", merges, found, truth)
    if not lines and cells.size > len(np.unique(rows)):
        return (f"no cluster has {PART:.0%} or more of it in a second one",)
    return tuple(lines)


Parts = list[tuple[int, float, list[tuple[int, float]]]]


def _shared(own: Array, other: Array, cells: Array) -> Parts:
    """Clusters with at least two parts: which, their size, and the parts with their shares, largest first."""
    sizes = np.bincount(own, cells)
    shares = cells / sizes[own]
    largest = np.zeros(sizes.size)
    np.maximum.at(largest, own, cells)
    parts = np.bincount(own[shares >= PART], minlength=sizes.size)
    shared = (parts >= 2).nonzero()[0]
    shared = shared[(largest - sizes)[shared].argsort(kind="stable")]
    told = shared[:MOST_LINES]
    parts_of: dict[int, list[tuple[int, float]]] = {cluster: [] for cluster in told.tolist()}
    is_told = np.zeros(sizes.size, dtype=bool)
    is_told[told] = True
    large = ((shares >= PART) & is_told[own]).nonzero()[0]
    large = large[(-shares[large]).argsort(kind="stable")]
    for cluster, part, share in zip(
        own[large].tolist(), other[large].tolist(), shares[large].tolist(), strict=True
    ):
        parts_of[cluster].append((part, share))
    return [(cluster, float(sizes[cluster]), parts_of.get(cluster, [])) for cluster in shared.tolist()]


class _Told(NamedTuple):
    """The clusters of a side as lines name them; noise is called so."""

    side: str
    names: Sequence[Any]
    noise: Any

    def is_noise(self, cluster: int) -> bool:
        """True for the cluster that is noise."""
        name = self.names[cluster]
        return self.noise is not None and type(name) is type(self.noise) and bool(name == self.noise)

    def alone(self, cluster: int) -> str:
        """A cluster without its side."""
        return "noise" if self.is_noise(cluster) else short_name(self.names[cluster])

    def cluster(self, cluster: int) -> str:
        """A cluster with its side."""
        if self.is_noise(cluster):
            return f"noise of {self.side}"
        return f"{self.side} {short_name(self.names[cluster])}"


def _lines(word: str, of: str, shared: Parts, own: _Told, others: _Told) -> list[str]:
    lines = []
    for cluster, size, parts in shared[:MOST_LINES]:
        texts = ", ".join(f"{share:.0%} {of} {others.alone(j)}" for j, share in parts[:MOST_PARTS])
        texts += f", and {len(parts) - MOST_PARTS} more parts" if len(parts) > MOST_PARTS else ""
        lines.append(f"{word}: {own.cluster(cluster)} ({size:g} objects): {texts}")
    more = len(shared) - MOST_LINES
    return [*lines, f"{word}: {more} more clusters of {own.side}"] if more > 0 else lines


def short_name(name: Any) -> str:
    """The name of a cluster, cut where it is long."""
    text = " ".join(str(name).split())
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def adjusted_forms(rows: Mapping[str, IndexValue], kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Which form of the adjusted Rand index answers which question, where several do for soft clusterings."""
    known = [name for name in (*SELF_AGREEING, *DRAWN) if name in rows and not math.isnan(rows[name].value)]
    if softest(kinds) is HARD or len(known) < 2:
        return ()
    first = "; ".join(f"{text}: {name}" for name, text in SELF_AGREEING.items() if name in known)
    rest = "; ".join(f"{text}: {name}" for name, text in DRAWN.items() if name in known)
    first = f"{first} (1 for a clustering against itself)" if first else ""
    return (f"adjusted for chance, {'; '.join(filter(None, [first, rest]))}",)
