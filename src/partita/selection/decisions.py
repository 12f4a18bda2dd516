"""The evidence, the test of structure and the remarks behind every answer about the same data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.fits.tasks import task_seed
from partita.pairwise_agreement import agreement_of
from partita.partitions import DataMatrix
from partita.partitions.copies import copies_text, distinct_objects
from partita.partitions.scales import dominance
from partita.registry import Index
from partita.results.answers import ReasonKind
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._structure import Structure, quick_structure
from partita.selection.candidates import Candidate, remarks_about
from partita.selection.choices import ChoiceOfClustering
from partita.selection.evidence import MIXTURE, TREE, WARD, Evidence, ScoredClustering, ranked
from partita.selection.sweep import Seeds
from partita.selection.verdict import Verdict, judge
from partita.selection.votes import preferences_of
from partita.statistics.distances.kept_neighbours import kept_neighbours
from partita.statistics.tables.near_clusterings import SAME, Clusterings

__all__ = ["Case"]

C = TypeVar("C", bound=ChoiceOfClustering)


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
        *,
        with_bic: bool = False,
    ) -> tuple[list[Candidate], Verdict, Candidate | None]:
        """The candidates with their scores, the verdict, and the candidate that is the answer.

        Clusterings with the same clusters do not confirm each other, unless their kinds of method are named.
        Ready clusterings are scored by how long they last and how well methods agree with them; BIC counts
        where a method is fitted.

        Parameters
        ----------
        candidates : list of Candidate
            Each with its clustering of all objects.
        kinds : dict, optional
            The kind of method by name; candidates of different kinds may confirm each other.
        ends : dict, optional
            By label, of candidates at the end of the values of a parameter, what is said about it.
        with_bic : bool
            Whether the agreement with the mixture of best BIC counts.
        """
        known = [[kinds[name] for name in c.names if kinds and name in kinds] for c in candidates]
        seen = {i: self._seen(c.labels) for i, c in enumerate(candidates) if c.clusters > 1}
        named = dict.fromkeys(kind for i in seen for kind in known[i])
        by_kind = {kind: Clusterings(seen[i] for i in seen if kind in known[i]) for kind in named}
        methods = {TREE, MIXTURE, WARD, *by_kind}
        scored = {}
        for i, labels in seen.items():
            own, name = candidates[i].labels, candidates[i].label
            bare = f'"{name}"' if name in methods else name  # a name is no kind, whatever it says
            kind = known[i][0] if known[i] else bare
            one = ScoredClustering(labels, kind, {"name": name}, of_all=own)
            scored[i] = self.evidence.scored(one, by_kind)
        own_best = self.evidence.clusterings
        if not with_bic:
            scored = {i: replace(one, best_bic=0.0) for i, one in scored.items()}
            own_best = ranked(replace(one, best_bic=0.0) for one in own_best)
        counts = sorted(scored, key=lambda i: -candidates[i].coverage)
        counts = [i for i in counts if not candidates[i].flaw] or counts
        filled = [replace(c, scored=scored.get(i)) for i, c in enumerate(candidates)]
        if not counts:
            return filled, self.judge([], rivals=own_best[:1]), None
        best = max(counts, key=lambda i: (round(scored[i].score, 9), -scored[i].k))
        same = Clusterings([seen[best]])
        verdict = self.judge(
            [scored[i] for i in counts],
            called=candidates[best].label,
            coverage=candidates[best].coverage,
            flaw=candidates[best].flaw,
            rivals=own_best[:1],
            alike=[candidates[i].label for i in counts if i != best and same.agreement(seen[i]) > SAME],
            end=(ends or {}).get(candidates[best].label, ""),
        )
        is_candidate = verdict.best is not None and verdict.best.k > 1  # a best guess may be one cluster
        return filled, verdict, filled[best] if is_candidate else None

    def choice_among(
        self,
        kind: type[C],
        candidates: Sequence[Candidate],
        entries: Sequence[Index],
        X: Floats,
        n_neighbors: int,
        root: int,
        *,
        kinds: Mapping[Any, str] | None = None,
        ends: Mapping[str, str] | None = None,
        with_bic: bool = False,
        noise: str = "cluster",
        notes: Iterable[str],
        **facts: Any,
    ) -> C:
        """The answer among candidates, with the neighbours that they keep and the preferences of indices."""
        rng = np.random.default_rng(task_seed(root, Seeds.NEIGHBOURS))
        labels = [c.labels for c in candidates]
        kept = kept_neighbours(X, labels, n_neighbors, rng, metric=self.evidence.metric)
        means = zip(candidates, kept.means, strict=True)
        found, verdict, best = self.choose(
            [replace(c, neighbours=float(mean)) for c, mean in means], kinds, ends, with_bic=with_bic
        )
        return kind(
            verdict=verdict,
            structure=self.structure,
            evidence=self.evidence,
            candidates=tuple(found),
            chosen=best,
            preferences=preferences_of(found, entries),
            pairs=agreement_of([c.partition for c in found]),
            kept=kept,
            remarks=(*self.remarks_on(verdict), *remarks_about(found, noise)),
            notes=tuple(notes),
            **facts,
        )
