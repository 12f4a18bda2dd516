"""The clusters one by one, in words and numbers: size, centre, what sets it apart, its doubtful objects."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import dense
from partita.cluster_profiles import ClusterProfile, FeatureProfile, cluster_profiles
from partita.cluster_quality import ClusterQuality
from partita.partitions import EVIDENTIAL, HARD, ROUGH, Partition
from partita.plots.names import plain_name, short_name
from partita.plots.palette import cluster_colours
from partita.reports.documents import Block, Paragraph, Section, Sentence, TableBlock
from partita.reports.words import joined, sentence
from partita.results import Table
from partita.selection import Stability
from partita.validation import Validation

__all__ = ["cluster_sections", "small_clusters", "unsure_objects"]

MOST_CLUSTERS = 30
"""Clusters that have a page of their own: the largest; the table has all."""

MOST_FEATURES = 12
"""Features in the table of a cluster: the most different."""

MOST_OBJECTS = 8
"""Doubtful objects that are named for each cluster."""

APART = 0.5
"""Standard deviations from the mean of the rest, from which on a feature is said to set a cluster apart."""

UNSURE = 0.8
"""An object whose largest membership is below this is called unsure."""

SMALL_SHARE, SMALL_SIZE = 0.02, 10
"""A cluster with less than this share of the objects, or fewer objects, is called small."""


def cluster_sections(
    result: Validation,
    steady: Stability | None,
    anchor: str,
    name: str = "",
    reference: Partition | None = None,
) -> Section | None:
    """A section for each cluster of a validated clustering; None where there are no data.

    Parameters
    ----------
    result : Validation
        Of the clustering.
    steady : Stability, optional
        The stability of its clusters.
    anchor : str
        Of the section.
    name : str
        What the user calls the clustering.
    reference : Partition, optional
        The clustering whose colours all figures have.
    """
    inputs, given = result.inputs, result.given
    if inputs is None or given is None or given.are_distances or not inputs.n_objects:
        return None
    found = inputs.partitions["found"]
    profiles = cluster_profiles(given, found, inputs.weight).profiles
    largest = sorted(profiles, key=lambda p: -p.size)[:MOST_CLUSTERS]
    kept = [p for p in profiles if p in largest]
    names = _object_names(given.index, found.n_objects)
    quality = result.by_cluster
    rows = tuple(_summary(p, quality, steady) for p in profiles)
    columns = (
        "cluster",
        "size",
        "share",
        "what sets it apart",
        "silhouette",
        "nearest other",
        "would move",
        "stability",
    )
    table = Table("the clusters", columns, rows).without_blank_columns()
    colours = cluster_colours(found, reference=reference)
    pages = tuple(
        replace(
            _page(p, result, quality, steady, names, f"{anchor}-{place}"),
            colour=colours.get(plain_name(p.cluster), ""),
        )
        for place, p in enumerate(kept, start=1)
    )
    heading = f"The clusters of {short_name(name, 60)}, one by one" if name else "The clusters, one by one"
    more = len(profiles) - len(kept)
    said = (
        (Paragraph(f"The {len(kept)} largest of {len(profiles)} clusters have a page below."),)
        if more
        else ()
    )
    return Section(anchor, heading, (TableBlock(f"{anchor}-table", table), *said), pages)


def _summary(profile: ClusterProfile, quality: ClusterQuality, steady: Stability | None) -> tuple[Any, ...]:
    row = next((r for r in quality.rows if r.cluster == profile.cluster), None)
    return (
        plain_name(profile.cluster),
        profile.size,
        f"{profile.share:.1%}",
        _apart(profile, most=2),
        None if row is None or math.isnan(row.silhouette) else row.silhouette,
        None if row is None or row.neighbour is None else plain_name(row.neighbour),
        None if row is None or math.isnan(row.would_move) else f"{row.would_move:.1%}",
        _recovery(profile.cluster, quality, steady),
    )


def _recovery(cluster: Any, quality: ClusterQuality, steady: Stability | None) -> float | None:
    """The mean Jaccard coefficient of this cluster in perturbed data, where its clustering is that one.

    Clusters of `stability` are numbered, and may be others than these: they are taken for the same only if
    there are as many, with the same numbers and the same sizes.
    """
    if steady is None:
        return None
    k = len(quality.rows)
    known = {r.cluster: r for r in steady.clusters if r.tried == k}
    sizes = {row.cluster: row.size for row in quality.rows}
    same = {c: r.size for c, r in known.items()} == sizes
    return known[cluster].jaccard if same and cluster in known else None


def _apart(profile: ClusterProfile, most: int = 3) -> str:
    """The features in which a cluster differs most, in words."""
    known = [f for f in profile.features if math.isfinite(f.difference)]
    far = [f for f in known if abs(f.difference) >= APART][:most]
    if not known:
        return ""
    if not far:
        return f"no feature by itself: all means are within {APART:g} deviations of the rest"
    return joined([_difference(feature) for feature in far], most)


def _difference(feature: FeatureProfile) -> str:
    word = "higher" if feature.difference > 0 else "lower"
    means = f"{_three_digits(feature.mean)}, elsewhere {_three_digits(feature.elsewhere)}"
    return f"{word} {short_name(feature.feature)} ({means})"


def _three_digits(value: float) -> str:
    rounded = float(f"{value:.3g}")
    return f"{rounded:,g}" if abs(rounded) < 1e6 else f"{rounded:g}"


def _page(
    profile: ClusterProfile,
    result: Validation,
    quality: ClusterQuality,
    steady: Stability | None,
    names: list[str],
    anchor: str,
) -> Section:
    assert result.inputs is not None
    found = result.inputs.partitions["found"]
    row = next((r for r in quality.rows if r.cluster == profile.cluster), None)
    texts = [f"{_count(profile.size)} objects, {profile.share:.1%} of all."]
    apart = _apart(profile)
    if apart:
        texts.append(sentence(f"What sets it apart: {apart}"))
    if row is not None and not math.isnan(row.silhouette):
        moving = (
            f"; {row.would_move:.1%} of its objects lie nearer to another cluster" if row.would_move else ""
        )
        near = f"the nearest other cluster {short_name(row.neighbour)}"
        texts.append(sentence(f"Its mean silhouette is {row.silhouette:.2f}, {near}{moving}"))
    again = _recovery(profile.cluster, quality, steady)
    if again is not None:
        texts.append(
            f"In perturbed data its mean overlap (Jaccard) with the most similar cluster is {again:.2f}."
        )
    blocks: list[Block] = [Paragraph(" ".join(texts)), _features_table(profile, anchor)]
    doubtful = _doubtful(profile.cluster, found, quality, names)
    if doubtful is not None:
        blocks.append(TableBlock(f"{anchor}-objects", doubtful))
    elif row is not None and found.kind is HARD and not math.isnan(row.silhouette):
        blocks.append(Paragraph("None of its objects that were looked at lies nearer to another cluster."))
    return Section(anchor, f"Cluster {plain_name(profile.cluster)}", tuple(blocks))


def _count(size: float) -> str:
    """How many objects; soft clusters hold parts of them."""
    return f"{size:,.0f}" if float(size).is_integer() else f"{size:,.1f}"


def _features_table(profile: ClusterProfile, anchor: str) -> TableBlock:
    shown = profile.features[:MOST_FEATURES]
    rows = tuple(
        (plain_name(f.feature), f.mean, f.elsewhere, None if math.isnan(f.difference) else f.difference)
        for f in shown
    )
    more = len(profile.features) - len(shown)
    notes = (
        "difference: in standard deviations over all objects",
        *([f"{more} more features differ less"] if more else []),
    )
    title = "its centre, in the units of the data"
    return TableBlock(
        f"{anchor}-features",
        Table(title, ("feature", "mean", "elsewhere", "difference"), rows, notes).without_blank_columns(),
    )


# --- objects ----------------------------------------------------------------------------------------------


def _object_names(index: Any, n: int) -> list[str]:
    """The objects by name, or by their row counted from 1."""
    return [f"row {i}" for i in range(1, n + 1)] if index is None else [plain_name(name) for name in index]


def _shares(found: Partition) -> np.ndarray[Any, Any]:
    """How far each object belongs to each cluster: memberships, or pignistic probabilities."""
    soft = found.pignistic() if found.kind in (ROUGH, EVIDENTIAL) else found
    return np.asarray(dense(soft.memberships()))


def _doubtful(cluster: Any, found: Partition, quality: ClusterQuality, names: list[str]) -> Table | None:
    """The objects that belong to a cluster least surely: by membership, or by their silhouette."""
    if found.kind is HARD:
        return _badly_placed(cluster, quality, names)
    shares = _shares(found)
    own = list(found.names).index(cluster)
    mine = np.flatnonzero(shares.argmax(axis=1) == own)
    unsure = mine[shares[mine, own] < UNSURE * shares[mine].sum(axis=1)]
    if not unsure.size:
        return None
    worst = unsure[np.argsort(shares[unsure, own], kind="stable")][:MOST_OBJECTS]
    others = np.where(np.arange(shares.shape[1])[None, :] == own, -np.inf, shares[worst])
    second = others.argmax(axis=1)
    rows = tuple(
        (names[i], float(shares[i, own]), plain_name(found.names[j]), float(shares[i, j]))
        for i, j in zip(worst.tolist(), second.tolist(), strict=True)
    )
    below = f"with less than {UNSURE:.0%} of their membership in it"
    title = f"its most uncertain objects: {len(worst)} of {unsure.size} {below}"
    return Table(title, ("object", "membership", "next cluster", "membership there"), rows)


def _badly_placed(cluster: Any, quality: ClusterQuality, names: list[str]) -> Table | None:
    objects = quality.objects
    if objects is None:
        return None
    own = list(objects.names).index(cluster) if cluster in objects.names else -1
    mine = np.flatnonzero((objects.clusters == own) & (objects.values < 0))
    if not mine.size:
        return None
    worst = mine[np.argsort(objects.values[mine], kind="stable")][:MOST_OBJECTS]
    rows = tuple(
        (names[objects.rows[i]], float(objects.values[i]), plain_name(objects.names[objects.neighbours[i]]))
        for i in worst.tolist()
    )
    title = f"its doubtful objects: {len(worst)} of {mine.size} that lie nearer to another cluster"
    return Table(title, ("object", "silhouette", "nearer to"), rows)


def unsure_objects(result: Validation, anchor: str) -> list[Sentence]:
    """How many objects of a soft clustering belong to no cluster surely."""
    if result.inputs is None or not result.inputs.n_objects:
        return []
    found = result.inputs.partitions["found"]
    if found.kind is HARD or found.n_clusters < 2:
        return []
    shares = _shares(found)
    unsure = int((shares.max(axis=1) < UNSURE * shares.sum(axis=1)).sum())
    if not unsure:
        return []
    count = f"{unsure:,} of {len(shares):,} objects"
    verb = "belongs" if unsure == 1 else "belong"
    text = f"{count} {verb} to no single cluster by {UNSURE:.0%} or more: clusters overlap there"
    return [Sentence(sentence(text), anchor, "distrust")]


def small_clusters(result: Validation, anchor: str) -> list[Sentence]:
    """Which clusters are small."""
    if result.inputs is None or not result.inputs.n_objects:
        return []
    rows = result.by_cluster.rows
    total = sum(row.size for row in rows)
    small = [row for row in rows if row.size < max(SMALL_SHARE * total, SMALL_SIZE)]
    if not small or len(rows) < 2:
        return []
    small.sort(key=lambda row: row.size)
    if len(small) == 1:
        count = f"{_count(small[0].size)} of {_count(total)} objects"
        text = f"Cluster {short_name(small[0].cluster)} is small ({count}): its centre and borders are unsure"
    else:
        texts = [f"{short_name(row.cluster)} ({_count(row.size)})" for row in small]
        of = f"of {_count(total)} objects"
        text = f"Small clusters, with their sizes {of}: {joined(texts)}; their centres and borders are unsure"
    return [Sentence(sentence(text), anchor, "distrust")]
