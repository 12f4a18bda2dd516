"""From the values of all repeats to an answer: the rules of stability, what they choose, and the reasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np

from partita.arrays import Array, Floats
from partita.cluster.density_tree import reach_trees, smallest_cluster
from partita.fits.perturbed import Perturbations
from partita.fits.schemes import Rerun
from partita.partitions import HARD, Kind
from partita.partitions.scales import Dominance
from partita.registry import Index
from partita.registry.rules import Verdict, apply_rule, in_runs
from partita.results.answers import Answer, Reason, ReasonKind
from partita.results.verdicts import Remark, RemarkKind, Strength
from partita.selection.evidence import MIN_SAMPLES
from partita.selection.stabilities import RECOVERED, Stability
from partita.statistics.clusters.separation import MOST_OBJECTS, separation_of

__all__ = ["Evidence", "Rule", "answer_of", "answered", "choices_of"]

ALL_RULES = "all rules together"
FEWEST_REPEATS = 10
"""Number of repeats from which an answer can be clear: clusters that 87 % of the repeats give pass five in
half of all cases, ten in a quarter, twenty in one of sixteen."""

FEWEST_KEPT = 5
"""Objects of a cluster that perturbed data must hold for it to be stable."""

END_OF_RANGE, FLAW = ReasonKind.END_OF_RANGE, ReasonKind.FLAW
RIVAL, SEPARATED, STABLE = ReasonKind.RIVAL, ReasonKind.SEPARATED, ReasonKind.STABLE
IN_REMARKS = (END_OF_RANGE, ReasonKind.SCALE)
"""Reasons that are remarks, too."""

MIN_SHARE, MOST_DENSE_OBJECTS, LASTING = 0.05, 1000, 0.4
"""The smallest cluster and the sample of density trees, and the logarithm of the growth of the reach that
clusters survive."""


@dataclass(frozen=True)
class Rule:
    """One condition of stability: a value at each setting that must reach a limit.

    Attributes
    ----------
    name, short : str
        The name of its row among the choices, and in a sentence.
    values : tuple of float
        At each setting; nan where a repeat failed.
    direction : {"higher", "lower"}
        Which are better.
    limit : float
        The limit.
    index : str
        The index; nothing for the least stable cluster.
    counts : int
        The number of repeats, where all of them must hold; 0 where a mean must.
    unit : str
        The text after a value in a sentence, where it is a share of the largest value.
    """

    name: str
    short: str
    values: tuple[float, ...]
    direction: str
    limit: float
    index: str = ""
    counts: int = 0
    unit: str = ""

    @property
    def gains(self) -> Floats:
        """The values so that higher is better; minus infinity where there is none."""
        values = np.array(self.values)
        return np.where(np.isnan(values), -math.inf, values if self.direction == "higher" else -values)

    @property
    def holds(self) -> Array:
        """True at the settings that reach the limit."""
        limit = self.limit if self.direction == "higher" else -self.limit
        return np.asarray(self.gains >= limit - 1e-12)

    @property
    def is_graded(self) -> bool:
        """True for the mean agreement of whole clusterings."""
        return bool(self.index) and not self.counts

    def text(self, place: int) -> str:
        """The value at a setting in a sentence."""
        value = self.values[place]
        if not self.counts:
            return f"{self.short} {value:.2f}"
        return (
            f"{self.short} 0 in all {self.counts} repeats" if value == 0 else f"{self.short} up to {value:g}"
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """The basis of an answer.

    Attributes
    ----------
    result : Stability
        The result without its answer: every repeat, the recovery of each cluster, and the test of structure.
    sweep : Perturbations
        The data, the method, the settings and the perturbation.
    labels : list of array
        The clustering of all data at each setting; -1 is noise.
    entries : list of Index
        The indices.
    kind : Kind
        The softest kind of the clusterings.
    threshold : float
        The mean that an index must reach.
    dominated : Dominance or None
        Columns that dominate the distances.
    """

    result: Stability
    sweep: Perturbations
    labels: Sequence[Array]
    entries: Sequence[Index]
    kind: Kind = HARD
    threshold: float = 0.9
    dominated: Dominance | None = None

    @property
    def ks(self) -> tuple[int, ...]:
        """The number of clusters at each setting."""
        return self.result.ks

    @cached_property
    def rules(self) -> list[Rule]:
        """A rule for each index that can have one, and one for the least stable cluster.

        An index such as the centroid index, which counts clusters that are missing, must be 0 in all repeats.
        The mean of any other must reach the threshold on its way from its worst value to its best: 0.9 of 1
        for ARI; 0.1 for NVD, which runs from 1 to 0; a tenth of the largest possible value for VI, which
        depends on k. One without such an end (MI, Minkowski) has no rule.

        The least stable cluster must have a mean Jaccard coefficient of 0.75, which Hennig requires of a
        stable cluster. The indices need it: CI is 0 if each centre has a partner, and ARI hardly changes with
        a small cluster, or one of many.
        """
        rules, result = [], self.result
        for entry in self.entries:
            short, label = entry.symbol or entry.label, entry.label
            means = self.means(label)
            if entry.family == "centroids" and entry.best == 0.0:
                worst = tuple(float(result.values(label, setting).max()) for setting in result.settings)
                name, count = f"last {label} of 0 in all repeats", self.sweep.n_repeats
                rules.append(Rule(name, short, worst, "lower", 0.0, label, counts=count))
            elif entry.best == 1.0:
                name = f"last {label} of {self.threshold:g}"
                rules.append(Rule(name, f"mean {short}", means, "higher", self.threshold, label))
            elif entry.best == 0.0:
                ends = [entry.largest_value(self.kind, k, len(self.sweep.X)) for k in self.ks]
                shares = tuple(m / end if end else m for m, end in zip(means, ends, strict=True))
                unit = "" if set(ends) == {1.0} else " of its largest value"
                limit = round(1.0 - self.threshold, 12)
                name = f"last {label} of {limit:g}{unit}"
                if all(map(math.isfinite, ends)):
                    rules.append(Rule(name, f"mean {short}", shares, "lower", limit, label, unit=unit))
        name = f"weakest cluster of {RECOVERED:g}"
        failed = np.reshape([bool(r.failed) for r in result.repeats], (len(self.ks), -1)).any(axis=1)
        weakest = np.where(failed, math.nan, [result.weakest(setting) for setting in result.settings])
        return [*rules, Rule(name, "weakest cluster", tuple(weakest.tolist()), "higher", RECOVERED)]

    def means(self, label: str) -> tuple[float, ...]:
        """The mean of an index over repeats, at each setting; nan where a repeat has no value."""
        return tuple(float(self.result.values(label, setting).mean()) for setting in self.result.settings)

    @cached_property
    def together(self) -> Array:
        """True at the settings where all rules hold."""
        return np.asarray(np.all([rule.holds for rule in self.rules], axis=0))

    @cached_property
    def order(self) -> list[int]:
        """Places by their number of clusters; of equal numbers, by their agreement."""
        gains = next((r for r in self.rules if r.is_graded), self.rules[-1]).gains
        return sorted(range(len(self.ks)), key=lambda i: (self.ks[i], gains[i], -i))

    def has_gaps(self, place: int) -> bool:
        """True if gaps separate the clusters of a setting."""
        X = self.sweep.clustered_space(place)
        found = separation_of(X, self.labels[place], self.sweep.root, metric=self.sweep.metric)
        return found is not None and found.has_gaps

    def density(self, place: int) -> int:
        """The least number of clusters that last longest in a density tree; 0 where a tree has none."""
        X = self.sweep.clustered_space(place)
        if len(X) > MOST_DENSE_OBJECTS:
            rows = np.random.default_rng(self.sweep.root).choice(len(X), MOST_DENSE_OBJECTS, replace=False)
            rows = np.sort(rows)
            X = self.sweep.among(rows) if self.sweep.of_distances else X[rows]
        if len(X) <= max(MIN_SAMPLES):
            return 0
        found = []
        for tree in reach_trees(X, MIN_SAMPLES, metric=self.sweep.metric):
            lasting = tree.cuts(smallest_cluster(len(X), MIN_SHARE)).persistence
            found.append(int(lasting.argmax()) + 2 if lasting.max(initial=0.0) >= LASTING else 0)
        return min(found)

    def named(self, place: int) -> str:
        """A setting in a sentence."""
        grid = self.sweep.grid
        return f"{grid.named(grid.values[place])}{'' if grid.are_counts else f' (k = {self.ks[place]})'}"

    def is_at_end(self, place: int) -> bool:
        """True if no setting has more clusters, and those beyond the list may."""
        most = [i for i, k in enumerate(self.ks) if k == self.ks[place]]
        return self.ks[place] == max(self.ks) and (most[0] == 0 or most[-1] == len(self.ks) - 1)

    @property
    def beyond(self) -> str:
        """The next step where there may be more clusters than were tried."""
        return "Try more clusters." if self.sweep.grid.are_counts else "Try other values."

    def end_of_range(self, place: int, short: str = "") -> Reason:
        """The doubt that more clusters than at a place may be stable."""
        k, grid = self.ks[place], self.sweep.grid
        tried = "the largest number tried" if grid.are_counts else f"the most that any {grid.parameter} gives"
        text = f"k = {k} is {tried}: more clusters may be stable too"
        return Reason(END_OF_RANGE, short or "no more were tried", text, "against")

    def agreement(self, place: int) -> Reason:
        """The values of all rules at a setting, as the reason for an answer."""
        n, data = self.sweep.n_repeats, self.sweep.perturbed
        counting = [rule.short for rule in self.rules if rule.counts]
        mean = next((f" ({rule.text(place)})" for rule in self.rules if rule.is_graded), "")
        short = f"all {n} {data} give" if n > 1 else "the only repeat gives"
        short = f"{short} {'the same' if counting else 'similar'} clusters{mean}"
        values = ", ".join(f"{rule.text(place)}{rule.unit}" for rule in self.rules)
        meaning = f" ({', '.join(counting)}: number of clusters without a counterpart)" if counting else ""
        text = f"{n} {data} compared with all data at {self.named(place)}: {values}{meaning}"
        return Reason(STABLE, short, text, values={r.name: r.values[place] for r in self.rules})

    @property
    def has_structure(self) -> bool | None:
        """The result of the test of structure; None without a test, or where its power is too low."""
        test = self.result.structure
        return None if test is None or test.verdict == "cannot tell" else test.has_structure

    def general_reasons(self, *, has_clusters: bool) -> list[Reason]:
        """The test of structure, and columns that dominate the distances."""
        reasons, test, dominated = [], self.result.structure, self.dominated
        if test is not None and self.has_structure is not None:
            short = f"a single group is {'' if self.has_structure else 'not '}rejected (p = {test.p:.2g})"
            role: Literal["for", "against"] = "for" if self.has_structure == has_clusters else "against"
            reasons.append(Reason(ReasonKind.STRUCTURE, short, test.statement, role, {"p": test.p}))
        if dominated is not None:
            names = dominated.features
            short = f"{names[0]} dominates" if len(names) == 1 else f"{len(names)} columns dominate"
            reasons.append(Reason(ReasonKind.SCALE, f"{short} the distances", dominated.text, "against"))
        return reasons


def choices_of(evidence: Evidence) -> dict[str, Verdict]:
    """The choice of all rules together, and of each alone: the largest stable number of clusters.

    Of another parameter than the number of clusters it is the value with the most clusters, and of several
    such values that with the best mean. An index without a rule has a row with its best k, which does not
    count; one cluster is stable in any data, and is not the best.
    """
    grid, ks = evidence.sweep.grid, evidence.ks

    def choice(holds: Array, rule: Rule | None = None) -> Verdict:
        stable = [i for i in evidence.order if holds[i] and ks[i] > 0]
        if not stable:
            return Verdict(None, "reached at none")
        margin = math.nan if rule is None else abs(rule.values[stable[-1]] - rule.limit)
        if grid.are_counts:
            return Verdict(ks[stable[-1]], f"the last of {in_runs([ks[i] for i in stable])}", None, margin)
        named = ", ".join(f"{grid.values[i]} (k = {ks[i]})" for i in sorted(stable))
        return Verdict(ks[stable[-1]], f"the most clusters of {grid.parameter} = {named}", None, margin)

    choices = {ALL_RULES: choice(evidence.together)}
    choices |= {rule.name: choice(rule.holds, rule) for rule in evidence.rules}
    ruled = {rule.index for rule in evidence.rules}
    for entry in evidence.entries if grid.are_counts else ():
        if entry.label not in ruled:
            means = evidence.means(entry.label)
            known = [math.nan if k == 1 else mean for k, mean in zip(ks, means, strict=True)]
            best = apply_rule("best", ks, known, direction=entry.direction)
            choices[f"best {entry.label}, not counted"] = best
    return choices


def answered(evidence: Evidence) -> Stability:
    """The result with its answer, the remarks on it, and the choices and limits of the rules."""
    result, (answer, remarks) = evidence.result, answer_of(evidence)
    about_data = (RemarkKind.SCALE, RemarkKind.DUPLICATES)
    of_test = () if result.structure is None else result.structure.remarks
    return replace(
        result,
        answer=answer,
        remarks=(*remarks, *(remark for remark in of_test if remark.kind not in about_data)),
        choices=choices_of(evidence),
        limits={rule.index: rule.limit for rule in evidence.rules if rule.index and not rule.unit},
    )


def answer_of(evidence: Evidence) -> tuple[Answer, tuple[Remark, ...]]:
    """The number of clusters or value of the parameter, its strength and reasons; and the remarks.

    It is the last that is stable with clusters that gaps separate; where there is none, the last that is
    stable. Stability alone is not enough: clusterings can be stable because of the shapes, sizes and
    densities of clusters, and one group that is longer than wide is cut in two at the same place every time.
    So an answer without gaps is weak. It is contested where more clusters are stable as well, or where
    density shows more. And it is weak where there is little to go on: the most clusters that were tried, a
    small cluster of which perturbed data hold hardly any objects, few repeats, data that nothing perturbs, no
    fewer clusters tried, clusters of one object, most objects in none, columns that dominate others, or data
    for which a single group is not rejected.
    """
    sweep, ks = evidence.sweep, evidence.ks
    stable = [i for i in evidence.order if evidence.together[i] and ks[i] > 1]
    if not stable:
        return _best_guess(evidence)
    has_gaps = cache(evidence.has_gaps)
    later = stable[-1]
    place = next((i for i in reversed(stable) if has_gaps(i)), later)
    k, at_end, dense = ks[place], evidence.is_at_end(place), evidence.density(place)
    smallest = [int(np.bincount(one[one >= 0], minlength=1).min()) for one in evidence.labels]
    doubts: list[Reason] = []
    steps: list[str] = []

    def doubt(applies: bool, kind: ReasonKind, short: str, step: str = "") -> None:
        if applies:
            doubts.append(Reason(kind, short, role="against"))
            steps.extend([step] * bool(step))

    if evidence.is_at_end(later):
        rival = "" if at_end else f"{ks[later]} clusters, the most tried, are stable too"
        doubts.append(evidence.end_of_range(later, rival))
        steps.append(evidence.beyond)
    else:
        doubt(ks[later] > k, RIVAL, f"{ks[later]} clusters are stable too, without gaps")
    over = f", more than the {max(ks)} tried" if dense > max(ks) else ""
    step = evidence.beyond if over else "Try a density method."
    doubt(dense > k, RIVAL, f"density shows {dense} clusters{over}", step)
    strength: Strength = "contested" if doubts and not at_end else "clear"
    doubt(not has_gaps(place), SEPARATED, f"no gaps separate the {k}")
    for i in [i for i in evidence.order if ks[i] > k and i not in stable][:1]:
        is_small = smallest[i] > 1 and smallest[i] * sweep.scheme.share < FEWEST_KEPT and has_gaps(i)
        few = f"one with {smallest[i]} objects, too few to test"
        doubt(is_small, FLAW, f"gaps separate {ks[i]} clusters too, {few}")
    doubt(sweep.n_repeats < FEWEST_REPEATS, FLAW, f"{sweep.n_repeats} repeats are few", "Use n_repeats=20.")
    doubt(isinstance(sweep.scheme, Rerun), FLAW, "reruns on the same data prove little", "Use Subsample().")
    is_first = sweep.grid.are_counts and place == 0 and k > 2 and not at_end
    doubt(is_first, END_OF_RANGE, "fewer clusters were not tried", "Try fewer clusters.")
    doubt(smallest[place] <= 1, FLAW, "a cluster has one object only")
    outside = 1 - evidence.result.coverage[place]
    doubt(outside > 0.5, FLAW, f"{outside:.0%} of the objects are in no cluster")
    general = evidence.general_reasons(has_clusters=True)
    doubts += [reason for reason in general if reason.role == "against"]
    steps += ['Use scale="standard".'] * (evidence.dominated is not None)
    reasons = [*doubts[:1], evidence.agreement(place), *doubts[1:]]
    reasons += [Reason(SEPARATED, f"gaps separate the {k}")] * has_gaps(place)
    reasons += [reason for reason in general if reason.role == "for"]
    if doubts and strength == "clear":
        strength = "weak"
    return _conclusion(evidence, place, strength, reasons, *steps[:1])


def _best_guess(evidence: Evidence) -> tuple[Answer, tuple[Remark, ...]]:
    """The setting that agrees best, where none of two clusters or more is stable; or one cluster.

    It is contested where some mean is good enough, and weak where no cluster is missing but their borders
    differ. Else, or where a single group is not rejected, there is no structure: one cluster if that was
    tried, or no answer. A method that does not suit the clusters comes to the same.
    """
    grid, ks, rules = evidence.sweep.grid, evidence.ks, evidence.rules
    several = [i for i in evidence.order if ks[i] > 1]
    if not several:
        only = Reason(FLAW, "nothing tried has two clusters or more", role="against")
        return _conclusion(evidence, None, "no structure", [only], evidence.beyond)
    graded = [r for r in rules if r.is_graded] or [r for r in rules if r.counts]
    known = [r for r in graded if np.isfinite(r.gains[several]).any()]
    some_pass = any(r.holds[several].any() for r in known)
    roughly = np.all([r.holds[several] for r in rules if not r.is_graded], axis=0).any()
    strength: Strength = "contested" if some_pass else "weak" if known and roughly else "no structure"
    if evidence.has_structure is False:
        strength = "no structure"
    low, high = ks[several[0]], ks[several[-1]]
    none = f"no number from {low} to {high} is stable" if low < high else f"{low} clusters are not stable"
    best = max(several, key=lambda i: known[0].gains[i]) if known else None
    place = None if strength == "no structure" else best
    if grid.are_counts and ks[0] == 1 and strength != "contested":
        place = 0
    at_end = place is not None and place == best and evidence.is_at_end(place)
    reasons = [Reason(STABLE, none, role="against")]
    if strength == "contested":
        last = [(max((ks[i] for i in several if r.holds[i]), default="none"), r.short) for r in rules]
        text = f"{none} by all rules; the last by each: {', '.join(f'{k} by {short}' for k, short in last)}"
        reasons = [Reason(RIVAL, "only some rules are met", text, "against")]
    reasons += evidence.general_reasons(has_clusters=place is not None and ks[place] > 1)
    if best is not None:
        short = f"best is {grid.named(grid.values[best])} ({known[0].text(best)})"
        reasons.append(Reason(STABLE, short, evidence.agreement(best).text, "against"))
        reasons += [evidence.end_of_range(best)] * at_end
    step = "" if evidence.has_structure is False else "Another method may fit better."
    return _conclusion(evidence, place, strength, reasons, evidence.beyond if at_end else step)


def _conclusion(
    evidence: Evidence, place: int | None, strength: Strength, reasons: list[Reason], step: str = ""
) -> tuple[Answer, tuple[Remark, ...]]:
    """The answer at a place, and the remarks on it."""
    grid, ks = evidence.sweep.grid, evidence.ks
    remarks = [Remark(RemarkKind(r.kind.value), r.text or r.short) for r in reasons if r.kind in IN_REMARKS]
    value, headline = None, "no answer"
    if place is not None:
        value, count = grid.values[place], f"{ks[place]} cluster{'' if ks[place] == 1 else 's'}"
        headline = f"{count}, {strength}" if grid.are_counts else f"{grid.named(value)} ({count}), {strength}"
        at, labels = evidence.named(place), evidence.labels[place]
        if ks[place] > 1 and np.bincount(labels[labels >= 0]).min() == 1:
            remarks.append(Remark(RemarkKind.TINY_CLUSTERS, f"at {at} a cluster has one object only"))
        outside = 1 - evidence.result.coverage[place]
        if outside > 0:
            text = f"{outside:.1%} of the objects are in no cluster at {at}"
            remarks.append(Remark(RemarkKind.NOISE, f"{text}; noise is compared as one more cluster"))
        if ks[place] > 1 and evidence.together[place] and len(evidence.sweep.X) > MOST_OBJECTS:
            text = f"the separation of clusters was computed in a sample of {MOST_OBJECTS:,} objects"
            remarks.append(Remark(RemarkKind.SAMPLED, text))
    unknown = [i for i in range(len(ks)) if not all(math.isfinite(r.values[i]) for r in evidence.rules)]
    if unknown:
        settings = ", ".join(grid.named(grid.values[i]) for i in unknown)
        text = f"a rule has no value at {settings}, which cannot be chosen"
        remarks.append(Remark(RemarkKind.UNDEFINED, text))
    next_step = [Reason(STABLE, step, role="next")] * bool(step)
    return Answer(value, strength, headline, (*reasons, *next_step)), tuple(remarks)
