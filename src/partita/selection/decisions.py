"""The evidence, the test of structure and the remarks behind every answer about the same data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.cluster_quality import LARGE, sample_size_for
from partita.evaluation import MOST_PAIR_OPERATIONS
from partita.fits.degenerate_fits import shape_of
from partita.fits.fit_scores import judge_inputs
from partita.fits.tasks import task_seed
from partita.inputs import Inputs
from partita.partitions import DataMatrix, Partition
from partita.partitions.copies import copies_text, distinct_objects
from partita.partitions.scales import dominance
from partita.registry import Index
from partita.results.answers import ReasonKind
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._structure import Structure, quick_structure
from partita.selection.evidence import MIXTURE, SAME, TREE, WARD, Clusterings, Evidence, ScoredClustering
from partita.selection.preferences import Candidate, equal_groups, hard_labels
from partita.selection.sweep import Seeds
from partita.selection.verdict import Verdict, judge
from partita.statistics.distances.kept_neighbours import KeptNeighbours, kept_neighbours

__all__ = ["Case", "candidates_of"]


@dataclass(frozen=True, eq=False)
class Case:
    """Data about which an answer is asked for.

    Attributes
    ----------
    evidence : Evidence
        What partita's own methods find.
    structure : Structure or None
        The test of structure; None where it was not asked for, or cannot be run.
    remarks : tuple of Remark
        Units and copies.
    columns : tuple
        The names of the columns.
    """

    evidence: Evidence
    structure: Structure | None
    remarks: tuple[Remark, ...] = ()
    columns: tuple[Any, ...] = ()

    @classmethod
    def of(
        cls,
        X: Array,
        given: DataMatrix,
        root: int,
        *,
        structure: bool | Structure,
        is_scaled: bool = False,
        metric: str = "euclidean",
        ks: Sequence[int] = (),
        n_jobs: int | None = None,
    ) -> Case:
        """The case of data.

        Parameters
        ----------
        X : array
            The data as they are clustered, or distances.
        given : DataMatrix
            The data in their own units, with names.
        root : int
            The seed from which all others come.
        structure : bool, or Structure
            Whether to run the test of structure; a result of it is used as it is.
        is_scaled : bool
            True where features have equal weight or another space is clustered: units do not matter then.
        metric, ks
            As `Evidence.of` takes them.
        n_jobs : int, optional
            Workers of the test.
        """
        of_distances = metric == "precomputed"
        rng = np.random.default_rng(task_seed(root, Seeds.EVIDENCE))
        evidence = Evidence.of(X, rng, metric=metric, ks=ks)
        distinct = np.arange(len(X)) if of_distances else distinct_objects(X)
        test = structure if isinstance(structure, Structure) else None
        if structure is True and not of_distances and len(distinct) > 1:
            with one_thread():
                test = quick_structure(np.asarray(X, np.float64), task_seed(root, Seeds.STRUCTURE), n_jobs)
        drowns = None if is_scaled or of_distances else dominance(given)
        own = (RemarkKind.SCALE, RemarkKind.DUPLICATES)  # about the data, below
        m, n = len(evidence.rows), len(X)
        sampled = f"{m:,} of {n:,} objects, drawn at random, were clustered; the others follow their nearest"
        remarks = (
            *speak(RemarkKind.SCALE, "" if drowns is None else drowns.text),
            *speak(RemarkKind.SAMPLED, sampled if m < n else ""),
            *speak(RemarkKind.DUPLICATES, copies_text(len(X), len(distinct))),
            *(() if test is None else (r for r in test.remarks if r.kind not in own)),
        )
        return cls(evidence, test, remarks, given.features)

    @property
    def dominant(self) -> str:
        """The name of the column that dominates the distances, where one does."""
        place = self.evidence.dominant
        if place is None:
            return ""
        return str(self.columns[place]) if place < len(self.columns) else f"column {place}"

    def scored(self, labels: Array, method: str, **parameters: Any) -> ScoredClustering:
        """The score of a clustering of all objects; noise follows the nearest object in a cluster."""
        return self.evidence.scored(ScoredClustering(self._seen(labels), method, parameters, of_all=labels))

    def _seen(self, labels: Array) -> Array:
        """The labels of the objects that were clustered, from 0 on."""
        evidence = self.evidence
        own = np.asarray(labels)[evidence.rows]
        noise, inside = np.flatnonzero(own < 0), np.flatnonzero(own >= 0)
        if len(noise) and len(inside):
            X = np.asarray(evidence.data[evidence.rows], dtype=np.float64)
            if evidence.metric == "precomputed":
                nearest = X[np.ix_(noise, evidence.rows[inside])].argmin(axis=1)
            else:
                from scipy.spatial import cKDTree

                nearest = cKDTree(X[inside]).query(X[noise])[1]
            own = own.copy()
            own[noise] = own[inside[nearest]]
        return np.unique(own, return_inverse=True)[1].astype(np.int64)

    def judge(self, clusterings: Sequence[ScoredClustering], **ways: Any) -> Verdict:
        """The verdict on scored clusterings."""
        return judge(self.evidence, clusterings, self.structure, column=self.dominant, **ways)

    def remarks_on(self, verdict: Verdict) -> tuple[Remark, ...]:
        """The remarks about the data, and about better supported clusters of any shape."""
        rivals = (
            Remark(RemarkKind.NON_CONVEX, reason.text)
            for reason in verdict.answer.because
            if reason.kind is ReasonKind.RIVAL and reason.values.get("method") == TREE
        )
        return (*self.remarks, *rivals)

    def choose(
        self,
        candidates: Sequence[Candidate],
        kinds: Mapping[Any, str] | None = None,
        ends: Mapping[str, str] | None = None,
    ) -> tuple[list[Candidate], Verdict, Candidate | None]:
        """The candidates with their scores, the verdict, and the candidate that is the answer.

        Clusterings with the same clusters do not confirm each other, unless their kinds of method are named.

        Parameters
        ----------
        candidates : list of Candidate
            Each with its clustering of all objects.
        kinds : dict, optional
            The kind of method by name; candidates of different kinds may confirm each other.
        ends : dict, optional
            By label, of candidates at the end of the values of a parameter, what is said about it.
        """
        known = [[kinds[name] for name in c.names if kinds and name in kinds] for c in candidates]
        labels = [None if c.partition is None else hard_labels(c.partition) for c in candidates]
        able = [
            c.clusters > 1 and one is not None and bool((one >= 0).any())
            for c, one in zip(candidates, labels, strict=True)
        ]
        seen = {i: self._seen(labels[i]) for i, can in enumerate(able) if can}  # type: ignore[arg-type]
        by_kind = {
            kind: Clusterings(seen[i] for i in seen if kind in known[i])
            for kind in dict.fromkeys(kind for i in seen for kind in known[i])
        }
        methods = {TREE, MIXTURE, WARD, *by_kind}
        names = [f'"{c.label}"' if c.label in methods else c.label for c in candidates]
        scored = {
            i: self.evidence.scored(
                ScoredClustering(
                    one,
                    known[i][0] if known[i] else names[i],  # a name is no kind, whatever it says
                    {"name": candidates[i].label},
                    of_all=labels[i],
                ),
                by_kind,
            )
            for i, one in seen.items()
        }
        counts = sorted(scored, key=lambda i: -candidates[i].coverage)
        counts = [i for i in counts if not candidates[i].flaw] or counts
        filled = [replace(c, scored=scored.get(i)) for i, c in enumerate(candidates)]
        if not counts:
            return filled, self.judge([], rivals=self.evidence.clusterings[:1]), None
        best = max(counts, key=lambda i: (round(scored[i].score, 9), -scored[i].k))
        verdict = self.judge(
            [scored[i] for i in counts],
            called=candidates[best].label,
            coverage=candidates[best].coverage,
            flaw=candidates[best].flaw,
            rivals=self.evidence.clusterings[:1],
            alike=[
                candidates[i].label
                for i in counts
                if i != best and Clusterings([seen[best]]).agreement(seen[i]) > SAME
            ],
            end=(ends or {}).get(candidates[best].label, ""),
        )
        is_candidate = verdict.best is not None and verdict.best.k > 1  # a best guess may be one cluster
        return filled, verdict, filled[best] if is_candidate else None


def candidates_of(
    label: Any,
    as_given: Mapping[Any, Partition],
    inputs: Mapping[Any, Inputs],
    entries: Sequence[Index],
    named: Any,
) -> tuple[list[Candidate], list[Index], dict[str, str]]:
    """The different clusterings with their values, the indices that evaluated, and those left out, with why.

    Parameters
    ----------
    label : function
        From the names of one clustering to its label.
    as_given, inputs : dict
        By name: the clustering with its noise, and what indices evaluate.
    entries, named : indices, labels
        Which indices, and which of them must apply.
    """
    groups = {label(names): names for names in equal_groups(as_given)}
    seen = {text: inputs[names[0]] for text, names in groups.items()}
    size = None
    if any(one.n_objects > LARGE for one in seen.values()):
        each = [sample_size_for(one.only(("X", "found")), "euclidean") for one in seen.values()]
        size = None if None in each else min(s for s in each if s is not None)
    sampled = [
        entry.using(sample_size=size)
        if size is not None
        and entry.name == "silhouette"
        and entry.options.get("sample_size") is None
        and entry.label not in named
        else entry
        for entry in entries
    ]
    mixed = len({one.partitions["found"].kind for one in seen.values()}) > 1
    evaluated = {
        text: judge_inputs(one, sampled, strict=named, most_pairs=MOST_PAIR_OPERATIONS, one_scale=mixed)
        for text, one in seen.items()
    }
    refusals = [refused for _, refused in evaluated.values()]
    left_out = {e.label: refusals[0][e.label] for e in sampled if all(e.label in one for one in refusals)}
    kept = [entry for entry in sampled if entry.label not in left_out]
    found = []
    for text, names in groups.items():
        rows, refused = evaluated[text]
        known = {row.index: row for row in rows}
        partition, one = as_given[names[0]], seen[text]
        own = hard_labels(partition)
        sizes = np.bincount(own[own >= 0])
        found.append(
            Candidate(
                tuple(names),
                text,
                shape_of(partition, None, one.model, None if one.X is None else one.X.values),
                int(sizes[sizes > 0].min()) if sizes.any() else 0,
                values={e.label: known[e.label].value if e.label in known else np.nan for e in kept},
                caveats={
                    e.label: known[e.label].caveat if e.label in known else refused[e.label] for e in kept
                },
                errors={row.index: row.se for row in rows if math.isfinite(row.se)},
                partition=partition,
            )
        )
    return found, kept, left_out


def with_neighbours(
    candidates: Sequence[Candidate], X: Floats, n_neighbors: int, root: int
) -> tuple[list[Candidate], KeptNeighbours]:
    """The candidates with the mean share of neighbours that each keeps, and these shares."""
    rng = np.random.default_rng(task_seed(root, Seeds.NEIGHBOURS))
    labels = [hard_labels(c.partition) for c in candidates if c.partition is not None]
    kept = kept_neighbours(X, labels, n_neighbors, rng)
    means = zip(candidates, kept.means, strict=True)
    return [replace(c, neighbours=float(mean)) for c, mean in means], kept
