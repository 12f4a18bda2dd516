"""How good each cluster of a clustering is: its silhouette, its scatter, its neighbour, who would move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.engine import Request, collect
from partita.errors import near_names
from partita.inputs import Inputs
from partita.partitions import HARD, count_text
from partita.results import Result, Table
from partita.results.provenance import provenance
from partita.results.verdicts import RemarkKind, speak
from partita.statistics import ClusterMoments
from partita.statistics.distances.distance_sums import FEWEST_OF_CLUSTER, DistanceSums
from partita.statistics.distances.objects_by_cluster import SPELLINGS, work_of_pair
from partita.statistics.distances.sparse_objects import is_linear

__all__ = [
    "ClusterQuality",
    "ClusterRow",
    "LARGE",
    "ObjectSilhouettes",
    "SAMPLE",
    "cluster_quality",
    "sample_size_for",
]

LARGE = 10_000
"""More objects than this are judged by a sample of them, each held against all."""

SAMPLE = 2_000
SMALLEST_SAMPLE = 100
MOST_DISTANCES = 2e8
"""Distances from the sample to all objects, unless that leaves fewer than the smallest sample."""

HARDENED = "of hardened labels"


def sample_size_for(inputs: Inputs, metric: str) -> int | None:
    """The number of objects whose silhouettes are computed: all (None) up to 10,000, else up to 2,000.

    A sample has at least 30 objects of each cluster; None also where that would be half of all objects, and
    for sparse objects where distances to a cluster follow from the sum of its objects.
    """
    assert inputs.X is not None
    n = inputs.n_objects
    sparse = inputs.X.sparse
    if sparse is not None and is_linear(metric):
        return None
    of_one = max(n, 1) * work_of_pair(inputs.X.values if sparse is None else sparse, metric)
    size = int(min(SAMPLE, max(MOST_DISTANCES / of_one, SMALLEST_SAMPLE)))
    size = max(size, FEWEST_OF_CLUSTER * inputs.partitions["found"].n_clusters)
    return size if n > LARGE and 2 * size <= n else None


@dataclass(frozen=True)
class ClusterRow:
    """One cluster, judged."""

    cluster: Any
    size: float
    silhouette: float
    scatter: float
    neighbour: Any
    would_move: float


@dataclass(frozen=True, eq=False)
class ObjectSilhouettes:
    """The silhouette of each object that was looked at: all, or a sample of them.

    Attributes
    ----------
    rows : array of int
        The positions of the objects.
    clusters, neighbours : array of int
        The places of an object's cluster and of the nearest other one in ``names``.
    values : array
        Their silhouettes.
    names : tuple
        The clusters.
    mean : float
        Over all objects, by their weight.
    n_objects : int
        How many there are.
    """

    rows: Array
    clusters: Array
    neighbours: Array
    values: Floats
    names: tuple[Any, ...]
    mean: float
    n_objects: int


@dataclass(frozen=True, repr=False)
class ClusterQuality(Result):
    """How good each cluster is; ``result["a"].silhouette`` is one number, ``to_frame()`` all of them.

    Attributes
    ----------
    rows : tuple of ClusterRow
        One for each cluster, in the order of their names: ``size``, the number of objects (or their weight);
        ``silhouette``, the mean over its objects; ``scatter``, the root mean square distance from its mean;
        ``neighbour``, the cluster that is the nearest other one to most of its objects; ``would_move``, the
        share of its objects that are nearer to another cluster on average, whose silhouette is negative.
    objects : ObjectSilhouettes, or None
        The silhouette of each object; None where there is one cluster only.
    """

    rows: tuple[ClusterRow, ...] = ()
    title: str = ""
    objects: ObjectSilhouettes | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: Any) -> ClusterRow:
        known = {row.cluster: row for row in self.rows}
        if name not in known:
            raise near_names(str(name), map(str, known), noun="cluster")
        return known[name]

    def __iter__(self) -> Any:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a cluster."""
        return [asdict(row) for row in self.rows]

    def table(self) -> Table:
        """The clusters, as they print."""
        rows = tuple(
            tuple(None if isinstance(v, float) and math.isnan(v) else v for v in record.values())
            for record in self.records()
        )
        return Table(self.title, self.columns, rows, self.footnotes).without_blank_columns()


def cluster_quality(
    inputs: Inputs, *, metric: str = "euclidean", notes: tuple[str, ...] = ()
) -> ClusterQuality:
    """Judge each cluster by itself, of hard or hardened labels.

    Parameters
    ----------
    inputs : Inputs
        Data and one clustering, as they were prepared.
    metric : str
        For the distances between objects; scatter is there for Euclidean ones only.
    notes : tuple of str
        What else is to be said below the table.
    """
    if not inputs.n_objects:
        return ClusterQuality(notes=("every object is noise, and noise is ignored",), title="0 objects")
    soft = set(inputs.kinds) != {HARD}
    judged = inputs.hardened(keeps_model=False) if soft else inputs
    size = sample_size_for(judged, metric)
    of_pairs = Request.of(DistanceSums, {"metric": metric, "sample_size": size, "random_state": 0})
    of_centres = Request.of(ClusterMoments, {})
    has_centres = SPELLINGS.get(metric, metric) in ("euclidean", "sqeuclidean")
    found = collect([of_pairs, *[of_centres] * has_centres], judged)
    sums: DistanceSums = found[of_pairs]
    scatters = _scatters(found[of_centres]) if has_centres else {}
    alone = sums.n_clusters < 2
    rows = []
    for code, name in enumerate(sums.names):
        mine = sums.codes == code
        weight = sums.each[mine]
        votes = np.bincount(sums.neighbours[mine], weight, sums.n_clusters) if not alone else None
        silhouettes = sums.silhouettes[mine]
        rows.append(
            ClusterRow(
                name,
                _whole(sums.sizes[code]),
                math.nan if alone else float(sums.cluster_silhouettes[code]),
                scatters.get(name, math.nan),
                None if votes is None else sums.names[int(votes.argmax())],
                math.nan if alone else float(weight @ (silhouettes < 0) / weight.sum()),
            )
        )
    looked_at = f"estimated from {sums.rows.size} of {judged.n_objects} objects, each held against all"
    return ClusterQuality(
        notes=(*[HARDENED] * soft, *notes),
        provenance=provenance(inputs, metric=metric, sample_size=size, seed=None if size is None else 0),
        frame=inputs.frame or "pandas",
        remarks=speak(RemarkKind.SAMPLED, looked_at if sums.is_sampled else ""),
        rows=tuple(rows),
        title=f"{judged.n_objects} objects in {count_text(sums.n_clusters, inputs.noise_of.get('found'))}",
        objects=None if alone else _silhouettes(sums, judged.n_objects),
    )


def _silhouettes(sums: DistanceSums, n_objects: int) -> ObjectSilhouettes:
    return ObjectSilhouettes(
        rows=sums.rows,
        clusters=sums.codes,
        neighbours=sums.neighbours,
        values=sums.silhouettes,
        names=tuple(sums.names),
        mean=float(sums.mean_silhouette),
        n_objects=n_objects,
    )


def _scatters(moments: ClusterMoments) -> Mapping[Any, float]:
    """The root mean square distance from the centre, by cluster."""
    filled = np.flatnonzero(moments.filled)
    roots = np.sqrt(moments.within[filled] / moments.weights[filled])
    unit = moments.exponent
    return {moments.names[int(i)]: float(np.ldexp(r, unit)) for i, r in zip(filled, roots, strict=True)}


def _whole(size: Any) -> float:
    return int(size) if float(size).is_integer() else float(size)
