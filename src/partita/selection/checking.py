"""What is looked at beside the votes: structure, halves of the data, density, and the shapes of the fits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from partita.arrays import Array, one_thread
from partita.cluster_quality import LARGE, SAMPLE
from partita.fits.checkpoints import Checkpoint
from partita.fits.models import clustering_of
from partita.fits.tasks import task_seed
from partita.partitions import DataMatrix
from partita.partitions.copies import copies_text, distinct_objects
from partita.partitions.models import in_clustered_space, preparing_steps
from partita.partitions.scales import dominance
from partita.registry import find
from partita.registry.rules import Verdict
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._structure import Structure, quick_structure
from partita.selection.assessment import Checks
from partita.selection.choices import Choice, ChoiceOfK, Fit, IndexOverK
from partita.selection.convexity import DenseClusters, Disagreement, dense_clusters, disagreement
from partita.selection.replication import ENOUGH, Replication, replications
from partita.selection.sweep import DENSITY, HALVES, STRUCTURE, Sweep

__all__ = ["Checker", "of_data", "of_fits"]

DENSE, HALVED = "dense clusters", "prediction_strength"
"""How the voices of density and of resampling are named among the choices."""


def of_data(data: DataMatrix, *, scaled: bool) -> tuple[Remark, ...]:
    """What is known of the data before anything is fitted: units that drown others, copies."""
    drowns = None if scaled else dominance(data)
    copies = copies_text(data.n_objects, len(distinct_objects(data.values)))
    trivial = ": as clusters they are trivially tight; structure and halves are judged on the distinct ones"
    return (
        *speak(RemarkKind.SCALE, "" if drowns is None else drowns.text),
        *speak(RemarkKind.DUPLICATES, copies + trivial if copies else ""),
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Nothing is said of a fit that is made again: what it warns of was said of the sweep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True, eq=False)
class Checker:
    """What is looked at beside the votes of a sweep, each when it is first asked for.

    Attributes
    ----------
    sweep : Sweep
        The data, the method and the numbers of clusters.
    root : int
        The seed that all others come from.
    tests_structure : bool
        Whether to ask first if there is anything to find, and what density sees.
    n_splits : int
        Halvings of the data for each k; 0 for none.
    n_jobs, store : int, Checkpoint
        Workers, and where records are kept.
    """

    sweep: Sweep
    root: int
    tests_structure: bool
    n_splits: int
    n_jobs: int | None = None
    store: Checkpoint | None = None

    @cached_property
    def distinct(self) -> Array:
        """Which objects are no copies of others: structure, halves and density are judged on these."""
        return distinct_objects(self.sweep.X)

    @cached_property
    def objects(self) -> Array:
        """These objects."""
        return self.sweep.X[self.distinct]

    @cached_property
    def structure(self) -> Structure | None:
        """Whether laws without clusters are refuted; None if that is not asked, or cannot be."""
        if not self.tests_structure or len(self.objects) < 2:
            return None
        with one_thread():
            seed = task_seed(self.root, STRUCTURE)
            return quick_structure(self._where_clustered(self.objects), seed, self.n_jobs)

    @cached_property
    def dense(self) -> DenseClusters | None:
        """The clusters that density sees."""
        if not self.tests_structure:
            return None
        rng = np.random.default_rng(task_seed(self.root, DENSITY))
        with one_thread():
            return dense_clusters(self._where_clustered(self.objects), rng)

    def _where_clustered(self, X: Array) -> Array:
        """The data as the last step of a pipeline sees them."""
        if self.sweep.space != "clustered" or not preparing_steps(self.sweep.method):
            return X
        with quiet():
            model = self.sweep.refit(self.sweep.ks[0], task_seed(self.root, STRUCTURE))
            return np.asarray(in_clustered_space(model, X)[0])

    def replications(self, ks: Sequence[int]) -> dict[int, Replication]:
        """How well halves of the data predict each other, at these numbers of clusters."""
        able = [k for k in ks if k <= len(self.objects) // 4]
        if not self.n_splits or not able:
            return {}
        return replications(
            self.objects,
            self.sweep.method,
            [(k, {self.sweep.parameter: k}) for k in able],
            n_splits=self.n_splits,
            root=self.root,
            place=HALVES,
            n_jobs=self.n_jobs,
            store=self.store,
        )

    # --- voices -------------------------------------------------------------------------------------------

    def voices(self, halves: dict[int, Replication], fits: Sequence[Fit]) -> list[Choice]:
        """What density and resampling choose among the numbers of clusters that some fit can stand for."""
        sound = {fit.k for fit in fits if not fit.flaw and not fit.failed}
        halves = {k: found for k, found in halves.items() if k in sound}
        if len(sound) < 2:  # then nothing can be compared
            return []
        voices = []
        if self.tests_structure:
            voices.append(Choice(DENSE, "longest lasting", self._density_verdict(sound), family="density"))
        if halves:
            voices.append(Choice(HALVED, "last_stable", _halves_verdict(halves), family="resampling"))
        return voices

    def _density_verdict(self, sound: set[int]) -> Verdict:
        if self.dense is None:
            return Verdict(None, "no dense clusters that stay apart as the reach grows by a fifth")
        lasts = f"they stay apart while the reach grows {self.dense.lasting:.1f}-fold"
        if self.dense.k not in sound:
            return Verdict(None, f"{self.dense.k} dense clusters, a number that no sound fit has; {lasts}")
        return Verdict(self.dense.k, lasts)

    # --- checks of an answer ------------------------------------------------------------------------------

    def of_choice(self, choice: ChoiceOfK, halves: dict[int, Replication]) -> Checks:
        """The checks of a choice: of the data as a whole, and of the clustering with the most votes."""
        k, test = choice.ballot.leading, self.structure
        silhouette, again = math.nan, None
        if k is not None and k > 1:
            silhouette = self._silhouette(choice, k)
            again = (halves if k in halves else self.replications([k])).get(k)
        return Checks(
            refuted=None if test is None else test.has_structure,
            powerful=test is None or test.strength != "weak",
            structure="" if test is None else test.statement,
            p=math.nan if test is None else test.p,
            silhouette=silhouette,
            replication=again,
            disagreement=self._disagreement(choice),
            remarks=(*self._test_remarks(), *of_fits(choice), *self._of_samples()),
        )

    def _of_samples(self) -> tuple[Remark, ...]:
        """Which indices are estimated from a sample of the objects."""
        sampled = [e.name for e in self.sweep.judges.entries if e.options.get("sample_size") is not None]
        text = f"estimated from a sample of the objects, with a standard error: {', '.join(sampled)}"
        return speak(RemarkKind.SAMPLED, text if sampled else "")

    def _test_remarks(self) -> tuple[Remark, ...]:
        own = (RemarkKind.SCALE, RemarkKind.DUPLICATES)  # said of the data already
        return () if self.structure is None else tuple(r for r in self.structure.remarks if r.kind not in own)

    def _silhouette(self, choice: ChoiceOfK, k: int) -> float:
        """The mean silhouette at a k, from the curves if it is there; nan if nothing is to be checked."""
        for label, curve in choice.curves.items():
            if label.partition(":")[0] == "silhouette":
                return curve.values[choice.ks.index(k)]
        if not self.tests_structure:
            return math.nan
        seen, labels = self._fit_at(choice, k)
        whole = find("silhouette")
        index = whole.using(sample_size=SAMPLE) if len(seen) > LARGE else whole
        with one_thread():
            return float(index(seen, labels))

    def _disagreement(self, choice: ChoiceOfK) -> Disagreement | None:
        """Where the method finds other clusters than density sees, for the number that density sees."""
        if self.dense is None or choice.flaw_at(self.dense.k):
            return None
        _, labels = self._fit_at(choice, self.dense.k)
        with one_thread():
            return disagreement(self.dense, labels[self.distinct])

    def _fit_at(self, choice: ChoiceOfK, k: int) -> tuple[Array, Array]:
        """The data where they are clustered, and the labels of the fit that speaks for a k."""
        assert choice.refit is not None
        with quiet():
            model = choice.refit(k, choice.fit_at(k).seed)
        found = clustering_of(model, self.sweep.X).harden()
        seen = in_clustered_space(model, self.sweep.X)[0] if self.sweep.space == "clustered" else self.sweep.X
        return np.asarray(seen), found.codes


def _halves_verdict(halves: dict[int, Replication]) -> Verdict:
    """The largest number of clusters that halves of the data agree on (tibshirani2005)."""
    stable = [k for k, found in halves.items() if found.is_enough]
    if not stable:
        return Verdict(None, f"no k reaches {ENOUGH} within a standard error")
    k = max(stable)
    return Verdict(k, f"the last k that reaches {ENOUGH} within a standard error", None, math.nan)


def halves_over_k(halves: dict[int, Replication], ks: Sequence[int]) -> IndexOverK:
    """Prediction strengths as a curve over k."""
    known = [halves.get(k) for k in ks]
    return IndexOverK(
        HALVED,
        "last_stable",
        "higher",
        1.0,
        tuple(math.nan if one is None else one.mean for one in known),
        tuple(
            "halves too small to be clustered" if one is None or math.isnan(one.mean) else "" for one in known
        ),
        tuple(math.nan if one is None else one.error for one in known),
    )


def of_fits(choice: ChoiceOfK) -> tuple[Remark, ...]:
    """Fits with a flaw: which numbers of clusters do not count, and where sound runs were taken instead."""
    collapsed = [fit for fit in choice.fits if fit.shape is not None and fit.shape.collapsed]
    tiny = [fit for fit in choice.fits if fit.flaw and fit not in collapsed]
    return (
        *speak(RemarkKind.COLLAPSED, _flaws(choice, collapsed, "their likelihood is that of the floor")),
        *speak(RemarkKind.TINY_CLUSTERS, _flaws(choice, tiny, "outliers, or more clusters than there are")),
    )


def _flaws(choice: ChoiceOfK, flawed: Sequence[Fit], why: str) -> str:
    """What is said of these fits: of those that speak for their k, and of those that were passed over."""
    lost = [fit for fit in flawed if choice.selected.get(fit.k) == fit.run]
    passed_over = [fit for fit in flawed if not choice.flaw_at(fit.k)]
    parts = []
    if lost:
        ks = _ranges(sorted(fit.k for fit in lost))
        parts.append(f"k = {ks} does not count: {lost[0].flaw} at k = {lost[0].k} ({why})")
    if passed_over:
        ks = _ranges(sorted({fit.k for fit in passed_over}))
        one = f"{passed_over[0].flaw} at k = {passed_over[0].k}"
        parts.append(f"{len(passed_over)} runs at k = {ks} were passed over for sound ones ({one})")
    return "; ".join(parts)


def _ranges(ks: Sequence[int]) -> str:
    """Numbers with runs drawn together: 3, 5 to 8."""
    runs: list[list[int]] = []
    for k in ks:
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
