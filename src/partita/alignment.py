"""Which found cluster is which true one, and every score that such a matching gives."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, objects
from partita.engine import Request, collect
from partita.errors import (
    AlignmentWarning,
    KindError,
    MismatchError,
    ParameterError,
    Phrase,
    Setting,
    UndefinedIndexError,
    UndefinedIndexWarning,
)
from partita.inputs import Inputs, prepare
from partita.partitions import (
    UNNAMED,
    HardPartition,
    MembershipPartition,
    Partition,
    SideNames,
    as_partition,
    side_text,
)
from partita.results import Result, Table
from partita.results.provenance import provenance
from partita.results.records import read_back
from partita.statistics import (
    Contingency,
    centroid_closeness,
    check_score,
    match_clusters,
    matching_score,
    shared_objects,
)
from partita.statistics.tables.matchings import PAIRINGS

MOST_LISTED = 50
"""Clusters or pairs that a note names; of more, the first ones."""

__all__ = ["AlignedCluster", "Alignment", "align", "set_matching"]


@dataclass(frozen=True)
class AlignedCluster:
    """A found cluster and the true one it stands for.

    ``precision`` is the share of the found cluster that is in the true one, ``recall`` the share of the
    true one that is in the found one, ``accuracy`` the share of all objects that are in both or in neither.
    """

    found: Any
    truth: Any
    found_size: float
    true_size: float
    overlap: float
    precision: float
    recall: float
    accuracy: float


@dataclass(frozen=True, repr=False)
class Alignment(Result):
    """Found clusters paired with true ones; ``relabel`` renames a partition by it.

    Attributes
    ----------
    rows : tuple of AlignedCluster
        One for each pair, in the order of the true clusters.
    unmatched_found, unmatched_truth : tuple
        Names of the clusters without a partner; clusters without objects are not listed.
    moved : pandas frame
        The objects that are not in the partner of their true cluster, by name.
    truth_names : tuple
        The names of all true clusters that have objects.
    title : str
        What was aligned, in words.
    """

    rows: tuple[AlignedCluster, ...] = ()
    unmatched_found: tuple[Any, ...] = ()
    unmatched_truth: tuple[Any, ...] = ()
    truth_names: tuple[Any, ...] = field(default=(), repr=False)
    title: str = ""
    sides: tuple[Any, Any] | None = field(default=None, repr=False, compare=False)
    weight: Array | None = field(default=None, repr=False, compare=False)
    called: SideNames = field(default=UNNAMED, repr=False, compare=False)

    @cached_property
    def moved(self) -> Any:
        """The objects that are not in the partner of their true cluster, as a pandas frame by their names.

        Columns: the true cluster, the found one, and that by its new name. Objects without names are listed
        by their positions. Hard clusterings only.
        """
        import pandas as pd

        if self.sides is None or not all(isinstance(side, HardPartition) for side in self.sides):
            raise KindError(
                "which objects have moved is known of two hard clusterings that were just aligned.",
                got="no clusterings" if self.sides is None else ", ".join(str(s.kind) for s in self.sides),
                need="align(truth, found) of hard clusterings",
                fix=".harden() first" if self.sides is not None else None,
            )
        truth, found = self.sides
        named: Any = self.relabel(found)
        columns = {"truth": truth.labels, "found": found.labels, "relabelled": named.labels}
        index = truth.index if truth.index is not None else found.index
        frame = pd.DataFrame({name: objects(list(values)) for name, values in columns.items()}, index=index)
        return frame[[a != b for a, b in zip(frame["truth"], frame["relabelled"], strict=True)]]

    @property
    def mapping(self) -> dict[Any, Any]:
        """For each found cluster that has a partner, the name of the true one."""
        return {row.found: row.truth for row in self.rows}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(f.name for f in fields(AlignedCluster))

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a pair, with every column."""
        return [asdict(row) for row in self.rows]

    def table(self) -> Table:
        """The pairs, as they print, with the clusters that have no partner below."""
        rows = tuple(tuple(getattr(row, name) for name in self.columns) for row in self.rows)
        words = (self.called.found, self.called.truth) if self.called.are_given else ("found", "true")
        alone = zip(words, (self.unmatched_found, self.unmatched_truth), strict=True)
        notes = tuple(
            f"without a partner: {side} {_listed(names, ', ', 'clusters')}" for side, names in alone if names
        )
        return Table(self.title, self.columns, rows, notes + self.notes)

    def relabel(self, partition: Any) -> Partition:
        """A partition with the found clusters' names, renamed to the true ones.

        Clusters without a partner keep their name, or get a new one where a true cluster has it already.
        The columns of memberships come in the order of the true clusters (zeros for those without a
        partner), the others after them, so that they can be laid beside the memberships of truth.

        Parameters
        ----------
        partition : clustering
            Hard, fuzzy or possibilistic; usually the found one, or the same clusters of other objects.
        """
        found = as_partition(partition)
        if not isinstance(found, (HardPartition, MembershipPartition)):
            raise KindError(
                f"a {found.kind} partition cannot be relabelled.",
                got=repr(found),
                need="a hard, fuzzy or possibilistic partition",
                fix=".pignistic() or .plausibility() first",
            )
        mapping = self.mapping
        if not any(name in mapping or name in self.unmatched_found for name in found.names):
            raise MismatchError(
                "this partition has none of the clusters that were aligned.",
                got=f"clusters {list(found.names)[:5]}",
                need=f"clusters among {[*mapping, *self.unmatched_found][:10]}",
            )
        new_names = _new_names(found.names, mapping, self.truth_names)
        note = "; ".join(text for text in (found.note, "relabelled by align") if text)
        if isinstance(found, HardPartition):
            place = {name: i for i, name in enumerate(dict.fromkeys([*self.truth_names, *new_names]))}
            used = sorted(set(new_names), key=place.__getitem__)
            codes = np.array([used.index(name) for name in new_names], dtype=np.int64)[found.codes]
            made = HardPartition.from_codes(codes, used, index=found.index, note=note)
            made.frame = found.frame
            return made
        order = list(dict.fromkeys([*self.truth_names, *new_names]))
        values = _columns(found.memberships(), [new_names.index(n) if n in new_names else -1 for n in order])
        relabelled: Partition = type(found).trusted(
            values, tuple(order), index=found.index, note=note, frame=found.frame
        )
        return relabelled

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        named = [{**row, **{s: _plain_name(row[s]) for s in ("found", "truth")}} for row in self.records()]
        lists = ("unmatched_found", "unmatched_truth", "truth_names")
        return {
            **super().to_dict(),
            "rows": named,
            "title": self.title,
            **{name: [_plain_name(n) for n in getattr(self, name)] for name in lists},
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Alignment:
        """The alignment that `to_dict` wrote."""
        cls.refuse_other(data, "alignment")
        rows = [{name: _name(value) for name, value in row.items()} for row in data["rows"]]
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            rows=tuple(AlignedCluster(**row) for row in rows),
            unmatched_found=tuple(map(_name, data["unmatched_found"])),
            unmatched_truth=tuple(map(_name, data["unmatched_truth"])),
            truth_names=tuple(map(_name, data["truth_names"])),
            title=data["title"],
        )


def _new_names(names: Sequence[Any], mapping: Mapping[Any, Any], taken: Sequence[Any]) -> list[Any]:
    """The true cluster's name for each, or one that no true cluster has."""
    used = {*taken, *(name for name in names if name not in mapping)}
    whole = all(type(name) is int for name in used)
    new = []
    for name in names:
        if name in mapping:
            new.append(mapping[name])
            continue
        fresh = name
        while fresh in taken or fresh in new:
            fresh = max(used) + 1 if whole else f"{fresh} (unmatched)"
        used.add(fresh)
        new.append(fresh)
    return new


def _columns(values: Any, places: Sequence[int]) -> Any:
    """The columns at these places; zeros for -1."""
    if hasattr(values, "toarray"):
        from scipy.sparse import csr_array

        kept = [(place, i) for i, place in enumerate(places) if place >= 0]
        rows, columns = zip(*kept, strict=True)
        ones = np.ones(len(kept), dtype=values.dtype)
        return csr_array(values @ csr_array((ones, (rows, columns)), shape=(values.shape[1], len(places))))
    wide = np.zeros((values.shape[0], len(places)), dtype=values.dtype)
    for i, place in enumerate(places):
        if place >= 0:
            wide[:, i] = values[:, place]
    return wide


def _plain_name(name: Any) -> Any:
    """A cluster's name as JSON can hold it: tuples become lists, what JSON does not know becomes text."""
    if isinstance(name, tuple):
        return [_plain_name(part) for part in name]
    return name if isinstance(name, (str, int, float, bool)) or name is None else str(name)


def _name(value: Any) -> Any:
    return tuple(map(_name, value)) if isinstance(value, list) else value


def align(
    truth: Any,
    found: Any,
    *,
    similarity: str = "overlap",
    matching: str = "optimal",
    X: Any = None,
    noise: str = "cluster",
    sample_weight: Any = None,
    min_overlap: float = 0.1,
    noise_label: Any = None,
    missing: str = "raise",
    names: Sequence[str] | None = None,
) -> Alignment:
    """Say which found cluster is which true one.

    Parameters
    ----------
    truth, found : clusterings
        Hard, fuzzy or possibilistic; anything `as_partition` takes. Their numbers of clusters may differ.
    similarity : {"overlap", "jaccard", "dice", "braun_banquet", "centroid"}
        What makes two clusters alike. "overlap" favours large clusters; "braun_banquet" lets small ones
        count as much; "centroid" needs ``X``.
    matching : {"optimal", "greedy"}
        The pairs with the largest total similarity, or the most similar first.
    X : (n, d) array, optional
        The objects, for their clusters' centroids.
    noise : {"cluster", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels.
    sample_weight : array, optional
        Multiplicities: weight 2 counts an object twice.
    min_overlap : float
        The share of the larger of two clusters that both must have in common to be partners; below it they
        are told as clusters without a partner. Does not hold for centroids, which need share nothing.
    noise_label, missing, names
        As in `compare`.

    Returns
    -------
    Alignment
        A table of pairs; ``.mapping``, ``.relabel(found)``, ``.moved`` (which objects are elsewhere), and the
        clusters without a partner.

    See Also
    --------
    set_matching : one number from such a matching.

    Notes
    -----
    Clusters that share no object are not paired, except by centroids. Objects keep their order and their
    names: ``relabel(found).to_series()`` is by the index of ``found``. Cost: one pass over the objects, then
    the assignment, k^3 at worst.

    Examples
    --------
    >>> pairs = align(["a", "a", "b", "b", "b"], [1, 1, 0, 0, 2])
    >>> pairs
    5 objects: hard truth (k=2), hard found (k=3); 80.0% in paired clusters
    <BLANKLINE>
    found  truth  found_size  true_size  overlap  precision  recall  accuracy
        1  a               2          2        2          1       1         1
        0  b               2          3        2          1  0.6667    0.8000
    <BLANKLINE>
    without a partner: found 2
    >>> pairs.relabel([1, 1, 0, 0, 2]).labels.tolist()
    ['a', 'a', 'b', 'b', 2]
    """
    if isinstance(noise, str) and noise == "singletons":
        raise ParameterError(
            "noise as singletons has no clusters to align.",
            got=Phrase(Setting("noise", "singletons")),
            need='"cluster", "ignore" or "raise"',
        )
    if not isinstance(matching, str) or matching not in PAIRINGS:
        raise ParameterError(
            "an alignment pairs clusters one to one.",
            got=f"matching={matching!r}",
            parameter="matching",
            need='"optimal", "greedy"',
        )
    check_score(similarity, matching, None)
    if not isinstance(min_overlap, (int, float)) or not 0.0 <= min_overlap <= 1.0:
        raise ParameterError(
            Phrase(Setting("min_overlap"), " is no share."),
            got=repr(min_overlap)[:60],
            need="a number from 0 to 1",
        )
    reading = {"noise_label": noise_label, "missing": missing, "called": SideNames.read(names)}
    inputs, table, closeness = _collect(truth, found, similarity, X, noise, sample_weight, **reading)
    if not inputs.n_objects:
        raise UndefinedIndexError("there is nothing to align: every object is noise, and noise is ignored.")
    matched = match_clusters(table, similarity, matching, closeness=closeness)
    assert matched.of_truth is not None
    paired = _rows(table, matched.of_truth)
    least = 0.0 if similarity == "centroid" else min_overlap
    rows = tuple(row for row in paired if min(row.precision, row.recall) >= least)
    weak = tuple(f"{row.found} and {row.truth}" for row in paired if min(row.precision, row.recall) < least)
    listed = _listed(weak, "; ", "pairs")
    notes = (f"too little in common for partners (min_overlap={min_overlap:g}): {listed}",) * bool(weak)
    truth_names = [table.row_names[i] for i in np.flatnonzero(table.row_sums > 0)]
    found_names = [table.column_names[j] for j in np.flatnonzero(table.column_sums > 0)]
    covered = sum(row.overlap for row in rows) / float(table.n)
    counts = (len(truth_names), len(found_names))
    sides = [
        side_text(kind, inputs.called.of(side), k, inputs.noise_of.get(side))
        for kind, side, k in zip(table.kinds, ("truth", "found"), counts, strict=True)
    ]
    in_pairs = {row.truth for row in rows}, {row.found for row in rows}
    return Alignment(
        notes=(*notes, *inputs.notes),
        provenance=provenance(
            inputs,
            min_overlap=least,
            clusters=[int(table.n_rows), int(table.n_columns)],
            similarity=similarity,
            matching=matching,
            noise=noise,
            method="exact",
        ),
        frame=inputs.frame or "pandas",
        rows=rows,
        unmatched_found=tuple(n for n in found_names if n not in in_pairs[1]),
        unmatched_truth=tuple(n for n in truth_names if n not in in_pairs[0]),
        truth_names=tuple(truth_names),
        sides=(inputs.partitions["truth"], inputs.partitions["found"]),
        weight=inputs.weight,
        called=inputs.called,
        title=f"{inputs.n_objects} objects: {', '.join(sides)}; {covered:.1%} in paired clusters",
    )


def _listed(items: Sequence[Any], between: str, noun: str) -> str:
    """All of a few items, the first of many and how many there are."""
    if len(items) <= MOST_LISTED:
        return between.join(map(str, items))
    return between.join([*map(str, items[:MOST_LISTED]), f"... ({len(items)} {noun})"])


def _rows(table: Contingency, of_truth: Array) -> tuple[AlignedCluster, ...]:
    shared = shared_objects(table, of_truth, of_truth=True)
    n = float(table.n)
    rows = []
    for i in np.flatnonzero(of_truth >= 0).tolist():
        j = int(of_truth[i])
        overlap, own, other = float(shared[i]), float(table.row_sums[i]), float(table.column_sums[j])
        rows.append(
            AlignedCluster(
                found=table.column_names[j],
                truth=table.row_names[i],
                found_size=other,
                true_size=own,
                overlap=overlap,
                precision=overlap / other,
                recall=overlap / own,
                accuracy=(n - own - other + 2 * overlap) / n,
            )
        )
    return tuple(rows)


def set_matching(
    truth: Any,
    found: Any,
    *,
    similarity: str = "overlap",
    matching: str = "optimal",
    normalize: str | None = "auto",
    over: str = "found",
    X: Any = None,
    noise: str = "cluster",
    sample_weight: Any = None,
) -> float:
    """The agreement of two clusterings by matched clusters: a similarity, a way to match, a normalisation.

    The set-matching indices are choices of the three (franti2017 part VI)::

        purity                     overlap        one_way, over found   objects
        1 - goodman_kruskal        the same
        f_measure                  dice           one_way, over truth   sizes
        1 - normalized_van_dongen  overlap        two_way               objects
        1 - criterion_h            overlap        greedy                objects
        1 - classification_error   overlap        optimal               objects
        pair_set_index             braun_banquet  optimal               chance
        simplified_pair_set_index  braun_banquet  optimal               simplified

    Parameters
    ----------
    truth, found : clusterings
        Hard, fuzzy or possibilistic; anything `as_partition` takes.
    similarity : {"overlap", "jaccard", "dice", "braun_banquet", "centroid"}
        What makes two clusters alike: the objects they share; these over the union, over the mean size,
        over the larger size; or the distance of the means of ``X``, weighted by membership.
    matching : {"one_way", "two_way", "greedy", "optimal"}
        Each cluster of one side, or of both, with its most similar one (several may choose the same); or
        pairs, one to one: the most similar first, or with the largest total similarity.
    normalize : {"auto", "objects", "clusters", "sizes", "chance", "simplified", None}
        - "objects": the share of objects that are in matched clusters.
        - "clusters": the mean similarity of a cluster to its match. Pairs are divided by the larger number
          of clusters, so a cluster without a partner counts 0.
        - "sizes": the same mean, weighted by the clusters' sizes.
        - "chance": the total similarity S of pairs as (S - E) / (max(k, k') - E), clipped at 0, where E is
          the total if clusters of equal rank by size shared what chance gives them; "simplified": E = 1.
        - None: the total similarity; objects for "overlap" and "centroid".
        - "auto": "objects" for "overlap" and "centroid", which allow no mean similarity; else "clusters".

        A two-way matching is the mean of both directions; so is the "sizes" mean of pairs.
    over : {"found", "truth"}
        Which clusters a one-way matching looks at.
    X : (n, d) array, optional
        The objects, for "centroid".
    noise, sample_weight
        As in `compare`.

    Returns
    -------
    float
        1 is best unless ``normalize`` is None; nan, with a warning, when every object is ignored as noise.

    See Also
    --------
    align : the matching itself.

    Examples
    --------
    >>> truth, found = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(set_matching(truth, found, matching="one_way"), 4)
    0.8333
    >>> round(set_matching(truth, found, similarity="jaccard"), 4)
    0.4444
    >>> set_matching(truth, found, similarity="centroid", X=[[0], [1], [2], [5], [6], [7]], normalize=None)
    4.0
    """
    if isinstance(normalize, str) and normalize == "auto":
        counts_objects = isinstance(similarity, str) and similarity in ("overlap", "centroid")
        normalize = "objects" if counts_objects else "clusters"
    check_score(similarity, matching, normalize)
    if not isinstance(over, str) or over not in ("found", "truth"):
        raise ParameterError("no such side.", got=repr(over), need='"found", "truth"')
    inputs, table, closeness = _collect(truth, found, similarity, X, noise, sample_weight)
    if not inputs.n_objects:
        warnings.warn(
            "set_matching is nan: every object is noise, and noise is ignored",
            UndefinedIndexWarning,
            stacklevel=2,
        )
        return math.nan
    if inputs.dropped:
        warnings.warn(inputs.aligned, AlignmentWarning, stacklevel=2)
    return float(matching_score(table, similarity, matching, normalize, over=over, closeness=closeness))


def _collect(
    truth: Any, found: Any, similarity: str, X: Any, noise: str, sample_weight: Any, **reading: Any
) -> tuple[Inputs, Any, Floats | None]:
    """The prepared inputs, their table, and the closeness of centroids where it is asked for."""
    if (X is None) == (similarity == "centroid"):
        raise ParameterError(
            "centroids need the objects." if X is None else "X is of use for centroids only.",
            got=f"similarity={similarity!r}, X={'None' if X is None else 'given'}",
            need='similarity="centroid" and X together',
        )
    given = {"truth": truth, "found": found} if X is None else {"X": X, "truth": truth, "found": found}
    inputs = prepare(given, noise=noise, sample_weight=sample_weight, **reading)
    if not inputs.n_objects:
        return inputs, None, None
    request = Request(Contingency)
    table = collect([request], inputs)[request]
    if inputs.X is None:
        return inputs, table, None
    prepared = inputs.partitions["truth"], inputs.partitions["found"]
    kept = np.asarray(inputs.X.scaled, dtype=np.float64)
    return inputs, table, centroid_closeness(*prepared, kept, inputs.weight)
