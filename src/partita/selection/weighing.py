"""From judged clusterings to one of them: votes, checks without a fit, and what a reader must know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array, one_thread
from partita.errors import ParameterError
from partita.fits.tasks import task_seed
from partita.inputs import Inputs
from partita.partitions import DataMatrix, HardPartition, Partition
from partita.partitions.copies import distinct_objects
from partita.registry import Index, find
from partita.registry.curves import Curve, select_entries
from partita.registry.lookup import HEADLINE
from partita.results import join_texts, show
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._structure import Structure, quick_structure
from partita.selection.assessment import PLAIN, Assessment, Checks, assess
from partita.selection.candidates import (
    Candidate,
    ClusteringBallot,
    Preference,
    agreement_of,
    ballot_of,
    hard_labels,
    judged_candidates,
    preferences_of,
    together,
)
from partita.selection.checking import DENSE, of_data
from partita.selection.convexity import SAME, DenseClusters, dense_clusters
from partita.selection.neighbours import MOST_OBJECTS, KeptNeighbours, kept_neighbours
from partita.selection.sweep import DENSITY, STRUCTURE

__all__ = ["Panel", "panel_for", "weighed"]

NEIGHBOURS = 6
"""Where in the tree of seeds the sample of neighbours stands."""

MOSTLY = 0.5
"""A cluster that keeps less than half of its objects' neighbours lies, for the most part, among others; and a
clustering that covers less than half of the objects says nothing of most of them."""

MOST_NAMED = 3


@dataclass(frozen=True)
class Panel:
    """The indices that judge, those that must apply, and those left out beforehand, each with the reason."""

    entries: tuple[Index, ...]
    named: frozenset[str]
    left_out: Mapping[str, str]
    is_usual: bool = False
    """Whether nobody asked for any: then density has a voice beside its index, as in `choose_k`."""


def panel_for(indices: Any, usual: Sequence[str], inputs: Sequence[str]) -> Panel:
    """Indices by name or group, or the usual ones; curves over numbers of clusters are left out."""
    asked = HEADLINE if indices is None else indices
    chosen, named = select_entries(asked, tuple(inputs), headline=list(usual))
    entries = tuple(entry for entry in chosen if isinstance(entry, Index))
    curves = [curve for curve in chosen if isinstance(curve, Curve)]
    for curve in curves:
        if curve.label in named:
            raise ParameterError(
                f"{curve.label} is a curve over numbers of clusters, which are not swept here.",
                got=repr(curve.label),
                need="an index of one clustering",
                fix="choose_k(X, estimator, ks)",
                parameter="indices",
            )
    if not any(entry.direction != "none" for entry in entries):
        raise ParameterError(
            "none of these indices says that one clustering is better than another.",
            got=", ".join(entry.label for entry in entries) or "no index",
            need="one with a best value",
            parameter="indices",
        )
    reasons = dict.fromkeys((curve.label for curve in curves), "a curve over numbers of clusters")
    return Panel(entries, named, {} if indices is None else reasons, is_usual=indices is None)


class Told(NamedTuple):
    """What was found out beside the votes: remarks, and what speaks against the most chosen clustering."""

    remarks: tuple[Remark, ...]
    doubts: tuple[str, ...] = ()


def weighed(
    as_given: Mapping[Any, Partition],
    inputs: Mapping[Any, Inputs],
    data: DataMatrix,
    scaled: DataMatrix,
    panel: Panel,
    *,
    label: Any,
    tests_structure: bool,
    n_neighbors: int,
    root: int,
    noise: str,
    ordered: Sequence[float] = (),
    is_scaled: bool = False,
    are_models: bool = False,
) -> dict[str, Any]:
    """The fields of a `ChoiceOfClustering`.

    Parameters
    ----------
    as_given, inputs : dict
        By name: each clustering with its noise, and what the indices judge.
    data, scaled : DataMatrix
        As given, and as judged.
    panel : Panel
        The indices.
    label : function
        From the names of one clustering to its label.
    tests_structure, n_neighbors, root, noise
        Whether to ask if there is structure; how many neighbours; the seed; the policy for noise.
    ordered : sequence of float
        The values of an ordered parameter, where these are the names.
    is_scaled : bool
        Whether features were given the same say, or another space is judged: their units do not matter then.
    are_models : bool
        Whether models are judged, which may differ though they give the same clustering.
    """
    apart = [(name,) for name in as_given]
    groups = {label(names): names for names in (apart if are_models else together(as_given))}
    given = {text: as_given[names[0]] for text, names in groups.items()}
    judged = {text: inputs[names[0]] for text, names in groups.items()}
    candidates, entries, left_out = judged_candidates(groups, given, judged, panel.entries, panel.named)
    rng = np.random.default_rng(task_seed(root, NEIGHBOURS))
    labels = [hard_labels(p) for p in given.values()]
    kept = kept_neighbours(scaled.values, labels, n_neighbors, rng)
    candidates = [replace(c, neighbours=float(m)) for c, m in zip(candidates, kept.means, strict=True)]
    preferences = preferences_of(candidates, entries)
    density = _Density.of(scaled, root) if tests_structure and len(candidates) > 1 else None
    if panel.is_usual and tests_structure and len(candidates) > 1:
        none = "no dense clusters that stay apart as the reach grows by a fifth"
        preferences[DENSE] = (
            Preference(DENSE, "density", None, none)
            if density is None
            else density.preference(candidates, labels)
        )
    ballot = ballot_of(candidates, preferences, ordered)
    remarks = (
        *of_data(data, scaled=is_scaled),
        *_of_noise(candidates, inputs, noise),
        *_of_tiny(candidates),
        *_of_density(preferences, candidates),
        *_of_sample(entries, data.n_objects),
    )
    leading = next(
        (own for c, own in zip(candidates, labels, strict=True) if c.label == ballot.leading), None
    )
    seen = "" if density is None or leading is None else density.against(leading, labels)
    remarks = (*remarks, *speak(RemarkKind.NON_CONVEX, seen))
    doubts = (seen,) * bool(seen)
    answer = _assessed(candidates, ballot, kept, Told(remarks, doubts), scaled, tests_structure, root)
    texts = {**panel.left_out, **left_out}
    return {
        "candidates": tuple(candidates),
        "preferences": preferences,
        "ballot": ballot,
        "pairs": agreement_of(list(given.values())),
        "answer": answer,
        "remarks": answer.remarks,
        "kept": kept,
        "notes": tuple(f"left out: {index} ({why})" for index, why in texts.items()),
    }


def _assessed(
    candidates: Sequence[Candidate],
    ballot: ClusteringBallot,
    kept: KeptNeighbours,
    told: Told,
    data: DataMatrix,
    tests_structure: bool,
    root: int,
) -> Assessment:
    """What votes and checks carry."""
    if len(candidates) == 1:
        (one,) = candidates
        same = len(one.names) > 1
        text = f"the same clustering: {ballot.named(one.label)}" if same else ballot.named(one.label)
        return Assessment(
            one.label, "weak", join_texts([text, "there is no other to compare it with"]), told.remarks
        )
    test = _structure(data, root) if tests_structure else None
    own = (RemarkKind.SCALE, RemarkKind.DUPLICATES)  # said of the data already
    said = () if test is None else tuple(r for r in test.remarks if r.kind not in own)
    doubts, support, silhouette = _of_leading(candidates, ballot, kept)
    checks = Checks(
        refuted=None if test is None else test.has_structure,
        powerful=test is None or test.strength != "weak",
        structure="" if test is None else test.statement,
        p=math.nan if test is None else test.p,
        silhouette=silhouette,
        remarks=(*told.remarks, *said),
        doubts=(*told.doubts, *doubts),
        support=support,
    )
    return assess(ballot, checks)


def _structure(data: DataMatrix, root: int) -> Structure | None:
    objects = data.values[distinct_objects(data.values)]
    if len(objects) < 2:
        return None
    with one_thread():
        return quick_structure(np.asarray(objects, dtype=np.float64), task_seed(root, STRUCTURE))


def _of_leading(
    candidates: Sequence[Candidate], ballot: ClusteringBallot, kept: KeptNeighbours
) -> tuple[tuple[str, ...], tuple[str, ...], float]:
    """What speaks against the clustering with the most votes, what for it, and its mean silhouette."""
    place = next((i for i, c in enumerate(candidates) if c.label == ballot.leading), None)
    if place is None:
        return (), (), math.nan
    one = candidates[place]
    silhouette = next(
        (v for name, v in one.values.items() if name.partition(":")[0] == "silhouette"), math.nan
    )
    doubts = []
    weakest = kept.weakest(place)
    if weakest < MOSTLY:
        doubts.append(
            f"of the nearest neighbours of its weakest cluster only {weakest:.0%} are in that cluster"
        )
    if one.coverage < MOSTLY:
        doubts.append(f"only {one.coverage:.0%} of the objects are in a cluster")
    at_end = [(word, more) for label, word, more in ballot.ends if label == one.label]
    if at_end and one.label not in ballot.alone and len(ballot.ks) > 1:
        word, more = at_end[0]
        doubts.append(f"it reaches to the {word} value tried: {more} may be better")
    support = f"neighbours kept {show(one.neighbours)}" if math.isfinite(one.neighbours) else ""
    return tuple(doubts), (support,), silhouette


# --- what density sees ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Density:
    """The clusters that density sees, held against clusterings of the same objects."""

    dense: DenseClusters
    rows: Array
    """Objects that are in one of its clusters."""

    @classmethod
    def of(cls, data: DataMatrix, root: int) -> _Density | None:
        """None where no dense clusters stay apart."""
        distinct = distinct_objects(data.values)
        rng = np.random.default_rng(task_seed(root, DENSITY))
        with one_thread():
            dense = dense_clusters(data.values[distinct], rng)
        return None if dense is None else cls(dense, distinct[dense.rows[dense.labels >= 0]])

    @property
    def labels(self) -> Array:
        """The dense clusters of these objects."""
        return self.dense.labels[self.dense.labels >= 0]

    def agreement(self, labels: Array) -> float:
        """The adjusted Rand index of a clustering with these clusters, on their objects."""
        return float(find("adjusted_rand")(self.labels, HardPartition(labels[self.rows])))

    def preference(self, candidates: Sequence[Candidate], labels: Sequence[Array]) -> Preference:
        """The clustering that has these clusters up to few objects, if one has."""
        lasts = (
            f"{self.dense.k} dense clusters stay apart while the reach grows {self.dense.lasting:.1f}-fold"
        )
        values = [self.agreement(one) for one in labels]
        first, second = np.argsort(-np.array(values), kind="stable")[:2]
        made = Preference(DENSE, "density", None, f"{lasts}, which several clusterings have alike")
        if not values[first] >= SAME:
            return replace(made, reason=f"{lasts}, which none has (ARI at most {values[first]:.2f})")
        if values[first] == values[second]:
            return made
        reason = f"{lasts}; its ARI with them is {values[first]:.2f}"
        return replace(made, label=candidates[first].label, reason=reason)

    def against(self, leading: Array, labels: Sequence[Array]) -> str:
        """What these clusters say against the most chosen clustering, or nothing.

        It may divide them or put some together, if another clustering that was given has them and lost; not
        if they are plain.
        """
        if self.agreement(leading) >= SAME:
            return ""
        if max(map(self.agreement, labels)) < SAME:
            return f"density sees {self.dense.k} clusters, which none of these clusterings has"
        own = leading[self.rows]
        table = np.zeros((own.max() + 2, self.dense.k), np.int64)  # noise is the first row
        np.add.at(table, (own + 1, self.labels), 1)
        agreeing = max(table.max(axis=1).sum(), table.max(axis=0).sum())
        crosses = agreeing < SAME * len(own)
        if crosses:
            return f"density sees {self.dense.k} clusters, and this cuts across them"
        if self.dense.lasting < PLAIN:
            return ""
        lasting = f"which stay apart while the reach grows {self.dense.lasting:.1f}-fold"
        return f"density sees {self.dense.k} clusters, {lasting}; another of these clusterings has them"


# --- remarks ----------------------------------------------------------------------------------------------


def _of_noise(
    candidates: Sequence[Candidate], inputs: Mapping[Any, Inputs], noise: str
) -> tuple[Remark, ...]:
    covered = [f"{c.label} {c.coverage:.1%}" for c in candidates if c.coverage < 1.0]
    if not covered:
        return ()
    if len(covered) > MOST_NAMED:
        least, most = (choose(candidates, key=lambda c: c.coverage) for choose in (min, max))
        covered = [f"from {least.coverage:.1%} ({least.label}) to {most.coverage:.1%} ({most.label})"]
    how = {
        "cluster": "indices take noise for one more cluster, and DBCV for objects that no cluster covers",
        "singletons": "indices take each object of noise for a cluster of its own",
        "ignore": "objects that are noise in any clustering are left out for all:"
        f" {next(iter(inputs.values())).n_objects} are judged",
    }
    text = f"objects in a cluster, not noise: {', '.join(covered)}; {how.get(noise, '')}"
    return speak(RemarkKind.NOISE, text.rstrip("; "))


def _of_tiny(candidates: Sequence[Candidate]) -> tuple[Remark, ...]:
    flawed = [f"{c.label} ({c.flaw})" for c in candidates if c.flaw]
    if not flawed:
        return ()
    if len(flawed) == len(candidates):
        return speak(RemarkKind.TINY_CLUSTERS, f"all have tiny clusters: {', '.join(flawed)}")
    return speak(RemarkKind.TINY_CLUSTERS, f"what does not count: {', '.join(flawed)}")


def _of_density(preferences: Mapping[str, Preference], candidates: Sequence[Candidate]) -> tuple[Remark, ...]:
    """That density prefers another clustering than all of compactness does, and a good one."""
    dense = next((p for name, p in preferences.items() if name.partition(":")[0] == "dbcv"), None)
    compact = {p.label for p in preferences.values() if p.family == "compactness" and p.label is not None}
    if dense is None or dense.label is None or not compact or dense.label in compact:
        return ()
    value = next(c.values[dense.index] for c in candidates if c.label == dense.label)
    if not value > 0:
        return ()
    return speak(
        RemarkKind.NON_CONVEX,
        f"density prefers {dense.label} (DBCV {show(value)}), compactness {' or '.join(sorted(compact))}: if"
        " clusters are not compact, indices of compactness mislead",
    )


def _of_sample(entries: Sequence[Index], n: int) -> tuple[Remark, ...]:
    sampled = [e.label for e in entries if e.options.get("sample_size")]
    texts = [
        f"estimated from a sample of objects: {', '.join(sampled)}" if sampled else "",
        f"neighbours were looked at in a sample of {MOST_OBJECTS:,} objects" if n > MOST_OBJECTS else "",
    ]
    return speak(RemarkKind.SAMPLED, join_texts(texts))
