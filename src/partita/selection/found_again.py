"""From the values of all repeats to what is found again: rules, the answer, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Array
from partita.fits.settings import Grid
from partita.partitions import Kind
from partita.registry import Index
from partita.registry.rules import Verdict, apply_rule, in_runs
from partita.results.verdicts import Remark, RemarkKind, Strength
from partita.selection.borders import Borders
from partita.selection.stabilities import RECOVERED, Answer
from partita.statistics import Contingency

__all__ = ["Evidence", "Rule", "answer_of", "choices_of", "has_limit", "rules_of"]

ALL_RULES = "all rules together"
FEWEST_REPEATS = 10
"""With fewer repeats nothing is clear: what is found again in 87 % of them passes five in half of all cases,
ten in a quarter, twenty in one of sixteen."""

FEWEST_KEPT = 5
"""Objects of a cluster that perturbed data must hold for it to be found again."""


@dataclass(frozen=True)
class Rule:
    """What must hold for a clustering to be found again: a value, at each setting, that reaches a limit.

    Attributes
    ----------
    name : str
        Of its row among the choices.
    short : str
        In a sentence.
    values : tuple of float
        At each setting; nan where a repeat failed.
    direction : {"higher", "lower"}
        Which are better.
    limit : float
        What must be reached.
    is_graded : bool
        Whether it says how far clusterings agree, not only that none of their parts is missing.
    counts : int
        The number of repeats, where all of them must hold; 0 where a mean must.
    unit : str
        What follows a value in a sentence.
    index : str
        The index whose values they are as they stand; nothing where they are shares of its largest value.
    """

    name: str
    short: str
    values: tuple[float, ...]
    direction: str
    limit: float
    is_graded: bool = True
    counts: int = 0
    unit: str = ""
    index: str = ""

    @property
    def holds(self) -> Array:
        """At which settings it does."""
        values = np.array(self.values)
        gains, limit = (values, self.limit) if self.direction == "higher" else (-values, -self.limit)
        return np.asarray(gains >= limit - 1e-12)  # nan reaches nothing

    def said(self, place: int) -> str:
        """Its value in a sentence."""
        value = self.values[place]
        if not self.counts:
            return f"{self.short} {value:.2f}{self.unit}"
        return (
            f"{self.short} = 0 in all {self.counts} repeats"
            if value == 0
            else f"{self.short} up to {value:g}"
        )


def rules_of(
    entries: Sequence[Index],
    values: Mapping[str, Sequence[Any]],
    weakest: Sequence[float],
    *,
    ks: Sequence[int],
    n_objects: int,
    kind: Kind,
    threshold: float,
) -> list[Rule]:
    """A rule for each index, and one for the cluster that is found again worst.

    An index of the centroid index's kind must be 0 in all repeats: it counts clusters that are missing. The
    mean of any other must reach the threshold on its way from its worst value to its best: 0.9 of 1 for ARI;
    0.1 for NVD, which runs from 1 to 0; a tenth of the largest possible value for VI, which depends on k. One
    with no such end (MI, Minkowski) has no rule, and cannot speak here.

    The weakest cluster must be found again with a mean Jaccard coefficient of 0.75, which Hennig asks of a
    stable cluster. The indices need it: CI sees only that each centre has a partner, and ARI hardly sees a
    small cluster, or one of many.
    """
    rules = []
    for entry in entries:
        short = entry.symbol or entry.label
        repeats = [np.asarray(values[entry.label][place]) for place in range(len(ks))]
        if _counts_missing(entry):
            worst = tuple(float(v.max(initial=-math.inf)) for v in repeats)  # nan where a repeat failed
            name, count = f"{short} = 0 in all repeats", len(repeats[0])
            missing = Rule(name, short, worst, "lower", 0.0, is_graded=False, counts=count, index=entry.label)
            rules.append(missing)
            continue
        means = [float(v.mean()) for v in repeats]
        if entry.best == 1.0:
            name = f"last {entry.label} of {threshold:g}"
            rules.append(Rule(name, f"mean {short}", tuple(means), "higher", threshold, index=entry.label))
            continue
        ends = [_worst_end(entry, kind, k, n_objects) for k in ks]
        if not has_limit(entry) or not all(map(math.isfinite, ends)):
            continue
        limit = round(1.0 - threshold, 12)
        relative = tuple(m / end if end else m for m, end in zip(means, ends, strict=True))
        share = "" if set(ends) == {1.0} else " of its largest value"
        name = f"last {entry.label} of {limit:g}{share}"
        index = "" if share else entry.label
        rules.append(Rule(name, f"mean {short}", relative, "lower", limit, unit=share, index=index))
    name = f"weakest cluster of {RECOVERED:g}"
    return [*rules, Rule(name, "weakest cluster", tuple(weakest), "higher", RECOVERED, is_graded=False)]


def has_limit(entry: Index) -> bool:
    """Whether the values of an index end on both sides, so that a share of the way can be asked for."""
    if _counts_missing(entry):
        return True
    ends = [end for pair in entry.ranges.values() for end in pair]
    is_measured = entry.best == 1.0 or (entry.best == 0.0 and math.inf not in ends)
    return is_measured and (entry.best == 1.0 or entry.is_of_table or not any(map(callable, ends)))


def _counts_missing(entry: Index) -> bool:
    """Whether an index counts the clusters without a partner."""
    return entry.family == "centroids" and entry.best == 0.0


def _worst_end(entry: Index, kind: Kind, k: int, n_objects: int) -> float:
    """The largest value for two clusterings of k clusters each; infinite or nan where there is none."""
    end = (entry.range_of((kind, kind)) or (None, None))[1]
    if not callable(end):
        return math.inf if end is None else float(end)
    if not entry.is_of_table:
        return math.inf
    k = min(max(k, 1), n_objects)
    sizes = n_objects // k + (np.arange(k) < n_objects % k)
    return entry.ends_on((kind, kind), Contingency.from_counts(np.diag(sizes)))[1]


class Order(NamedTuple):
    """Settings by their numbers of clusters, those of the same number by how far they agree."""

    positions: tuple[int, ...]

    @classmethod
    def of(cls, grid: Grid, ks: Sequence[int], rules: Sequence[Rule]) -> Order:
        """Numbers of clusters rise as they are."""
        if grid.are_counts:
            return cls(tuple(range(len(ks))))
        first = next((r for r in rules if r.is_graded), rules[-1])
        gains = np.nan_to_num(np.array(first.values), nan=-math.inf if first.direction == "higher" else 9e9)
        gains = gains if first.direction == "higher" else -gains
        return cls(tuple(sorted(range(len(ks)), key=lambda i: (ks[i], gains[i], -i))))


def choices_of(grid: Grid, ks: Sequence[int], rules: Sequence[Rule]) -> dict[str, Verdict]:
    """What all rules together choose, and each alone: the last that is found again.

    Of another parameter than the number of clusters it is the value with the most clusters, and of several
    such values that with the best mean.
    """
    order = Order.of(grid, ks, rules).positions
    together = np.logical_and.reduce([rule.holds for rule in rules])
    choices = {ALL_RULES: _last(grid, ks, [i for i in order if together[i] and ks[i] > 0])}
    for rule in rules:
        if grid.are_counts:
            choices[rule.name] = apply_rule(
                "last_stable", ks, rule.values, direction=rule.direction, threshold=rule.limit
            )
        else:
            choices[rule.name] = _last(grid, ks, [i for i in order if rule.holds[i] and ks[i] > 0])
    return choices


def _last(grid: Grid, ks: Sequence[int], stable: Sequence[int]) -> Verdict:
    """The last of the settings that are found again."""
    if not stable:
        return Verdict(None, "none is found again")
    if grid.are_counts:
        return Verdict(ks[stable[-1]], f"the last of those found again: {in_runs([ks[i] for i in stable])}")
    named = ", ".join(f"{grid.values[i]} (k = {ks[i]})" for i in sorted(stable))
    return Verdict(ks[stable[-1]], f"the most clusters of those found again: {grid.parameter} = {named}")


@dataclass(frozen=True)
class Evidence:
    """All that the answer rests on.

    Attributes
    ----------
    grid : Grid
        What was tried.
    ks : tuple of int
        The number of clusters at each setting.
    rules : list of Rule
        What must hold.
    choices : dict of Verdict
        What they say, each alone.
    n_repeats : int
        How often data was perturbed.
    coverage : tuple of float
        The share of objects that are in a cluster, at each setting.
    smallest : tuple of int
        The size of the smallest cluster, at each setting.
    borders : callable
        From the place of a setting to how sparse the borders of its clusters are.
    dense : callable
        From the place of a setting to how many clusters density sees there; None where it sees none.
    share : float
        Of the objects that a perturbed data set holds.
    drowned : str
        What is said where a few features make up the distances.
    perturbs : bool
        Whether the data is perturbed at all.
    """

    grid: Grid
    ks: Sequence[int]
    rules: Sequence[Rule]
    choices: Mapping[str, Verdict]
    n_repeats: int
    coverage: Sequence[float]
    smallest: Sequence[int]
    borders: Callable[[int], Borders | None]
    dense: Callable[[int], int | None] = lambda _: None
    share: float = 1.0
    drowned: str = ""
    perturbs: bool = True

    @property
    def order(self) -> tuple[int, ...]:
        """Places by their number of clusters."""
        return Order.of(self.grid, self.ks, self.rules).positions

    @property
    def stable(self) -> list[int]:
        """Places of two clusters or more where all rules hold, in order."""
        together = np.logical_and.reduce([rule.holds for rule in self.rules])
        return [i for i in self.order if together[i] and self.ks[i] > 1]

    def named(self, place: int) -> str:
        """A setting in a sentence."""
        k = "" if self.grid.are_counts else f" (k = {self.ks[place]})"
        return f"{self.grid.named(self.grid.values[place])}{k}"

    def is_at_end(self, place: int) -> bool:
        """Whether no setting has more clusters, and those beyond the list may."""
        if self.grid.are_counts:
            return place == len(self.ks) - 1
        most = [i for i, k in enumerate(self.ks) if k == self.ks[place]]
        return self.ks[place] == max(self.ks) and (most[0] == 0 or most[-1] == len(self.ks) - 1)

    def why(self, place: int) -> str:
        """What each rule says of a setting."""
        return ", ".join(rule.said(place) for rule in self.rules)


class Doubt(NamedTuple):
    """What speaks against an answer, and how sure that leaves it."""

    strength: Strength
    text: str


def doubts_about(evidence: Evidence, place: int) -> list[Doubt]:
    """Why an answer is not clear. Clear is what is found again, and none of this.

    Being found again is not enough: the slides show clusterings that are stable because of the shapes, sizes
    and densities of clusters, and one cloud that is longer than wide is cut in two at the same place every
    time. So the clusters must be set apart too; if they are not, the answer is weak. It is contested where
    more clusters are found again as well, or where density sees more: groups of clusters are found again too.
    And it is weak where the rules had little to go on: a small cluster of which perturbed data hold hardly
    any, few repeats, data that nothing perturbs, no fewer clusters tried, clusters of one object, most
    objects in none, features that drown others.
    """
    doubts = []
    later = evidence.stable[-1]
    if evidence.ks[later] > evidence.ks[place]:
        text = f"{evidence.named(later)} is found again too, though no gap sets its clusters apart"
        doubts.append(Doubt("contested", text))
    if not _is_set_apart(evidence, place):
        text = "no gap sets its clusters apart, and one cloud that is cut in parts is found again too"
        doubts.append(Doubt("weak", text))
    dense = evidence.dense(place)
    if dense is not None and dense > evidence.ks[place]:
        beyond = f", more than the {max(evidence.ks)} tried" if dense > max(evidence.ks) else ""
        doubts.append(Doubt("contested", f"density sees {dense} clusters{beyond}"))
    small = _too_small_to_be_found(evidence, place)
    if small:
        doubts.append(Doubt("weak", small))
    if evidence.n_repeats < FEWEST_REPEATS:
        doubts.append(Doubt("weak", f"{evidence.n_repeats} repeats are few"))
    if not evidence.perturbs:
        doubts.append(Doubt("weak", "the same data was clustered again, which proves little"))
    if evidence.grid.are_counts and place == 0 and evidence.ks[0] > 2:
        doubts.append(Doubt("weak", "fewer clusters were not tried"))
    if evidence.smallest[place] <= 1:
        doubts.append(Doubt("weak", "a cluster has one object only"))
    if evidence.coverage[place] < 0.5:
        doubts.append(Doubt("weak", f"{1 - evidence.coverage[place]:.0%} of the objects are in no cluster"))
    if evidence.drowned:
        doubts.append(Doubt("weak", "a few features make up the distances"))
    return doubts


def _too_small_to_be_found(evidence: Evidence, place: int) -> str:
    """That more clusters are set apart too, one so small that perturbed data hold hardly any of it."""
    later = [i for i in evidence.order if evidence.ks[i] > evidence.ks[place] and i not in evidence.stable]
    for i in later[:1]:
        kept = evidence.smallest[i] * evidence.share
        if evidence.smallest[i] > 1 and kept < FEWEST_KEPT and _is_set_apart(evidence, i):
            few = f"a cluster of {evidence.smallest[i]} objects, too few to be found again"
            return f"{evidence.named(i)} is set apart too, with {few}"
    return ""


def _is_set_apart(evidence: Evidence, place: int) -> bool:
    borders = evidence.borders(place)
    return borders is not None and borders.set_apart


def answer_of(evidence: Evidence) -> tuple[Answer, tuple[Remark, ...]]:
    """The number of clusters, how sure that is, in words, and what a reader must know.

    It is the last that is found again with clusters that are set apart; where none are, the last that is
    found again.
    """
    stable = evidence.stable
    if not stable:
        return _nothing_found_again(evidence), _remarks(evidence, None)
    place = next((i for i in reversed(stable) if _is_set_apart(evidence, i)), stable[-1])
    remarks = _remarks(evidence, place)
    if evidence.is_at_end(stable[-1]):
        text = f"{_end_of_range(evidence, stable[-1])}, is found again: the answer may lie beyond"
        remarks = (Remark(RemarkKind.END_OF_RANGE, text), *remarks)
    if evidence.is_at_end(place):
        return _at_the_end(evidence, place), remarks
    doubts = doubts_about(evidence, place)
    kinds = {doubt.strength for doubt in doubts}
    strength: Strength = "contested" if "contested" in kinds else "weak" if kinds else "clear"
    apart = ", and gaps set its clusters apart" if _is_set_apart(evidence, place) else ""
    against = f", but {'; '.join(doubt.text for doubt in doubts)}" if doubts else ""
    head = f"{evidence.named(place)}, {strength}: found again ({evidence.why(place)}){apart}{against}"
    statement = f"{head}{_disagreement(evidence, place)}"
    setting = None if evidence.grid.are_counts else evidence.grid.values[place]
    if evidence.grid.are_counts and place == 0 and evidence.ks[0] > 2:
        text = f"k = {evidence.ks[0]} is the smallest tried: fewer clusters may be found again too"
        remarks = (Remark(RemarkKind.END_OF_RANGE, text), *remarks)
    return Answer(evidence.ks[place], strength, statement, setting), remarks


def _end_of_range(evidence: Evidence, place: int) -> str:
    if evidence.grid.are_counts:
        return f"k = {evidence.ks[place]} or more: the largest tried"
    return f"k = {evidence.ks[place]} or more: no {evidence.grid.parameter} tried gives more clusters"


def _at_the_end(evidence: Evidence, place: int) -> Answer:
    """No answer: what is found again at the end of a range may go on beyond it."""
    advice = "try more clusters" if evidence.grid.are_counts else "try values beyond"
    found = f"{_end_of_range(evidence, place)}, found again ({evidence.why(place)})"
    return Answer(None, "weak", f"{found}; {advice}{_disagreement(evidence, place)}")


def _nothing_found_again(evidence: Evidence) -> Answer:
    """No k of two or more passes all rules; one cluster remains where it was tried.

    It is contested where some index passes; weak where clusters are found again, but not their borders; else
    nothing speaks for structure.
    """
    several = [i for i in evidence.order if evidence.ks[i] > 1]
    one = evidence.grid.are_counts and evidence.ks[0] == 1
    if not several:
        tried = "k = 1 or more: the largest tried, and one cluster is found again in any data"
        return Answer(None, "no structure", tried if one else "no value tried gives two clusters or more")
    graded = [r for r in evidence.rules if r.is_graded] or [r for r in evidence.rules if r.counts]
    passing = [r for r in graded if any(r.holds[i] for i in several)]
    if evidence.grid.are_counts:
        low, high = evidence.ks[several[0]], evidence.ks[several[-1]]
        tried = f"k = {low}" if low == high else f"no k from {low} to {high}"
        tried += " is not found again" if low == high else " is found again"
    else:
        tried = f"no {evidence.grid.parameter} with two clusters or more is found again"
    closest = _closest(several, graded)
    near = (
        f" (closest: {evidence.named(closest)} with {evidence.why(closest)})" if closest is not None else ""
    )
    caution = "; a method that does not suit the shapes of clusters does not find them again either"
    statement = f"{tried}{near}{_disagreement(evidence, None)}{caution}"
    roughly = np.logical_and.reduce([r.holds for r in evidence.rules if not r.is_graded])
    strength: Strength = "contested" if passing else "weak" if roughly[several].any() else "no structure"
    k = 1 if one and not passing else None
    return Answer(k, strength, f"k = 1 remains: {statement}" if k else statement)


def _closest(several: Sequence[int], graded: Sequence[Rule]) -> int | None:
    """The setting that the first graded rule finds best."""
    if not graded:
        return None
    sign = 1 if graded[0].direction == "higher" else -1
    known = [i for i in several if math.isfinite(graded[0].values[i])]
    return max(known, key=lambda i: sign * graded[0].values[i]) if known else None


def _disagreement(evidence: Evidence, place: int | None) -> str:
    """What the rules would say alone, where that is something else."""
    k = None if place is None else evidence.ks[place]
    others: dict[str, list[str]] = {}
    for rule in evidence.rules:
        alone = evidence.choices[rule.name].k
        alone = None if alone == 1 else alone
        if alone != k:
            beyond = " or more" if evidence.grid.are_counts and alone == evidence.ks[-1] else ""
            others.setdefault("none" if alone is None else f"k = {alone}{beyond}", []).append(rule.short)
    said = [f"{choice} by {', '.join(shorts)}" for choice, shorts in others.items()]
    return f"; each alone, the last would be {'; '.join(said)}" if said else ""


def _remarks(evidence: Evidence, place: int | None) -> tuple[Remark, ...]:
    """What holds whatever the answer is."""
    remarks = []
    if evidence.drowned:
        remarks.append(Remark(RemarkKind.SCALE, evidence.drowned))
    if place is not None and evidence.smallest[place] <= 1:
        text = f"at {evidence.named(place)} a cluster has one object only"
        remarks.append(Remark(RemarkKind.TINY_CLUSTERS, text))
    if place is not None and evidence.coverage[place] < 1:
        text = (
            f"{1 - evidence.coverage[place]:.1%} of the objects are in no cluster at {evidence.named(place)}"
        )
        remarks.append(Remark(RemarkKind.NOISE, f"{text}; noise is compared as one more cluster"))
    unknown = [i for i, _ in enumerate(evidence.ks) if not all(map(math.isfinite, _values_at(evidence, i)))]
    if unknown:
        settings = ", ".join(evidence.grid.named(evidence.grid.values[i]) for i in unknown)
        remarks.append(
            Remark(RemarkKind.UNDEFINED, f"something has no value at {settings}: it cannot be chosen")
        )
    return tuple(remarks)


def _values_at(evidence: Evidence, place: int) -> list[float]:
    return [rule.values[place] for rule in evidence.rules]
