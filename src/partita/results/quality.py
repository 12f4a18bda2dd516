"""How good a clustering of data is, in words: which indices are shown first, a statement, how strong it is.

What makes a clustering "clear" is decided here and nowhere else, by the mean silhouette and the cut points of
Kaufman and Rousseeuw (1990, p. 88):

- "clear": above 0.5, a reasonable or (above 0.7) a strong structure;
- "weak": at most 0.5, a weak structure that could be artificial, or (at most 0.25) no substantial one;
- "contested": at most 0.5, but DBCV is above 0. The silhouette wants compact clusters; a positive DBCV says
  that clusters are denser inside than between them, whatever their shape.

A silhouette above 0.5 is not contested by a negative DBCV, which a few objects on the wrong side bring about.
"no structure" is not said: one clustering is judged here, and the data may have another (see `structure`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from partita.inputs import Inputs
from partita.partitions import HardPartition
from partita.partitions.copies import copies_text, distinct_objects
from partita.partitions.scales import dominance
from partita.registry import CaveatKind
from partita.results.index_rows import IndexValue
from partita.results.verdicts import Remark, RemarkKind, Strength, speak
from partita.statistics.distances.objects_by_cluster import SPELLINGS

__all__ = [
    "HEADLINE",
    "Verdict",
    "equal_objects",
    "headline_among",
    "quality_of",
    "scale_remark",
    "tiny_clusters",
]

HEADLINE = (
    ("silhouette", "fuzzy_silhouette"),
    ("davies_bouldin",),
    ("dunn", "xie_beni"),
    ("dbcv",),
    ("modified_partition_coefficient", "nonspecificity"),
    ("bic", "partition_negentropy"),
    ("icl",),
)
"""The indices that are shown first, family by family: of each group the first that there is."""

STRUCTURES = (
    (0.7, "a strong structure"),
    (0.5, "a reasonable structure"),
    (0.25, "a weak structure, which could be artificial"),
    (-math.inf, "no substantial structure in these clusters"),
)
"""What a mean silhouette above these values is called."""

CLEAR = 0.5
SOURCE = "Kaufman and Rousseeuw 1990"

MOST_UNIQUE_SOUGHT = 100_000
"""Objects among which equal ones are looked for."""


class Verdict(NamedTuple):
    """The statement, how strong it is, and what speaks against it."""

    statement: str = ""
    strength: Strength | None = None
    remarks: tuple[Remark, ...] = ()


def headline_among(rows: Mapping[str, IndexValue]) -> tuple[str, ...]:
    """The labels of the indices that are shown first, of those that there are, by their bare names."""
    chosen = [next((rows[name] for name in group if name in rows), None) for group in HEADLINE]
    return tuple(row.index for row in chosen if row is not None)


def quality_of(rows: Mapping[str, IndexValue]) -> Verdict:
    """How good a clustering is, by the values of its indices under their bare names."""
    name = next((name for name in HEADLINE[0] if name in rows), None)
    if name is None:
        return Verdict()
    row = rows[name]
    if math.isnan(row.value):
        return Verdict(f"the {name.replace('_', ' ')} has no value here: {row.caveat}")
    word = next(word for least, word in STRUCTURES if row.value > least)
    cuts = f"cut points 0.25, 0.5, 0.7 of {SOURCE}{', for silhouettes' if name != HEADLINE[0][0] else ''}"
    statement = f"{word}: {_value_text(name, row)} (1 is best; {cuts})"
    density = rows.get("dbcv")
    if row.value > CLEAR:
        return Verdict(statement, "clear")
    if density is None or not density.value > 0:
        return Verdict(statement, "weak")
    shape = (
        f"DBCV {density.value:.2f} is above 0: clusters are denser inside than between, whatever their shape"
    )
    statement += f"; DBCV {density.value:.2f} speaks for them"
    return Verdict(statement, "contested", speak(RemarkKind.NON_CONVEX, shape))


def _value_text(name: str, row: IndexValue) -> str:
    kinds = {caveat.kind for caveat in row.caveats}
    of = " of hardened labels" if CaveatKind.HARDENED in kinds else ""
    about = "about " if row.method == "sampled" else ""
    return f"{name.replace('_', ' ')}{of} {about}{row.value:.2f}"


# --- remarks ----------------------------------------------------------------------------------------------


def scale_remark(inputs: Inputs, metric: str, scale: str | None) -> tuple[Remark, ...]:
    """Which features make up Euclidean distances, where a few do."""
    assert inputs.X is not None
    if (
        inputs.is_chunked
        or scale is not None
        or SPELLINGS.get(metric, metric) not in ("euclidean", "sqeuclidean")
    ):
        return ()
    found = dominance(inputs.X) if inputs.n_objects else None
    return speak(RemarkKind.SCALE, "" if found is None else found.text)


def tiny_clusters(inputs: Inputs) -> tuple[Remark, ...]:
    """How many clusters of hard labels hold one object, or none."""
    found = inputs.partitions["found"]
    if not isinstance(found, HardPartition):
        return ()
    place = found.noise_place
    sizes = found.sizes if place is None else np.delete(found.sizes, place)
    counts = {"a single object": int((sizes == 1).sum()), "no object": int((sizes == 0).sum())}
    texts = [f"{count} of {len(sizes)} clusters hold {what}" for what, count in counts.items() if count]
    return speak(RemarkKind.TINY_CLUSTERS, "; ".join(texts))


def equal_objects(inputs: Inputs) -> tuple[Remark, ...]:
    """Whether many objects are copies of others."""
    data = inputs.X
    if (
        data is None
        or inputs.is_chunked
        or data.are_distances
        or not 1 < data.n_objects <= MOST_UNIQUE_SOUGHT
    ):
        return ()
    distinct = distinct_objects(data.values if data.sparse is None else data.sparse)
    said = copies_text(data.n_objects, len(distinct))
    return speak(RemarkKind.DUPLICATES, f"{said}: distances of 0 among them weigh" if said else "")
