"""Preferences of indices, over k by their rules and among clusterings, and the votes of their families."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError
from partita.indices.curves import gap_errors
from partita.registry import Index, find
from partita.registry.curves import Curve
from partita.registry.rules import Verdict as RuleVerdict
from partita.registry.rules import apply_rule
from partita.results.index_names import CONSENSUS
from partita.results.records import JsonRecord
from partita.selection.candidates import Candidate
from partita.selection.index_panel import Panel
from partita.selection.sweep import Fit, Sweep, best_objective

__all__ = ["Ballot", "Choice", "IndexOverK", "Preference", "at_end_of_range", "evaluate", "preferences_of"]

ROUNDING = 1e-12
"""Values as close as this, relatively, are a tie."""


@dataclass(frozen=True)
class IndexOverK(JsonRecord):
    """The values of an index at each number of clusters, with caveats.

    ``flaws`` has the reason at each k where all fits have empty or single-object clusters or collapsed
    components: values there are shown, and do not count.
    """

    index: str
    rule: str
    direction: str
    best: float | None
    values: tuple[float, ...]
    caveats: tuple[str, ...]
    errors: tuple[float, ...] = ()
    flaws: tuple[str, ...] = ()

    @property
    def counting(self) -> tuple[float, ...]:
        """The values that count: nan where all fits have a flaw."""
        flaws = self.flaws or ("",) * len(self.values)
        return tuple(math.nan if flaw else value for value, flaw in zip(self.values, flaws, strict=True))

    @classmethod
    def of(
        cls,
        one: Index | Curve,
        rule: str,
        values: Sequence[float],
        caveats: Sequence[str],
        errors: Sequence[float] = (),
        flaws: Sequence[str] = (),
    ) -> IndexOverK:
        """The values of an index or a curve, which chooses by this rule."""
        lists = (tuple(values), tuple(caveats), tuple(errors), tuple(flaws))
        return cls(one.label, rule, one.direction, one.best, *lists)


@dataclass(frozen=True)
class Choice(JsonRecord):
    """The number of clusters that one index chooses, by which rule, and the reason if it has no vote."""

    index: str
    rule: str
    verdict: RuleVerdict
    family: str = ""
    no_vote: str = ""

    @property
    def k(self) -> int | None:
        """The number of clusters, or None for no answer."""
        return self.verdict.k

    @property
    def votes(self) -> bool:
        """True where the choice counts among the votes."""
        return not self.no_vote


@dataclass(frozen=True)
class Preference(JsonRecord):
    """The clustering that an index prefers, by how much, or the reason why it prefers none."""

    index: str
    family: str
    label: str | None
    reason: str
    runner_up: str | None = None
    difference: float = math.nan
    no_vote: str = ""

    @property
    def votes(self) -> bool:
        """True where the preference counts among the votes."""
        return not self.no_vote


@dataclass(frozen=True)
class Ballot:
    """The choices of all indices by family; each family has one vote, which its indices share.

    Attributes
    ----------
    families : dict
        For each family its indices with the choice of each, None for no answer.
    order : tuple
        All that could be chosen, in order.
    """

    families: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    order: tuple[Any, ...] = ()

    @property
    def votes(self) -> dict[Any, float]:
        """For each choice its votes, most first; a family's vote is divided evenly among its answers."""
        counted: dict[Any, float] = {}
        for found in self.families.values():
            answers = [choice for choice in found.values() if choice is not None]
            for choice in answers:
                counted[choice] = counted.get(choice, 0.0) + 1.0 / len(answers)
        exact = {choice: round(votes, 9) for choice, votes in counted.items()}
        whole = {choice: int(votes) if votes == int(votes) else votes for choice, votes in exact.items()}
        place = {choice: i for i, choice in enumerate(self.order)}
        return dict(sorted(whole.items(), key=lambda item: (-item[1], place.get(item[0], len(place)))))

    @property
    def leading(self) -> Any:
        """The choice with the most votes; None for a tie or no vote."""
        votes = self.votes
        first = [choice for choice in votes if votes[choice] == max(votes.values())]
        return first[0] if len(first) == 1 else None

    @property
    def answering(self) -> int:
        """The number of families that have an answer."""
        return sum(any(c is not None for c in found.values()) for found in self.families.values())


def evaluate(
    sweep: Sweep,
    fits: Sequence[Fit],
    agreement: Mapping[str, Sequence[float]] | None = None,
    null: Floats | None = None,
    pool: str = "objective",
) -> tuple[dict[str, IndexOverK], dict[str, Choice], dict[int, int], dict[str, str]]:
    """The curves and choices of all indices, the run that is evaluated at each k, and what was left out.

    Parameters
    ----------
    sweep : Sweep
        The numbers of clusters and the indices.
    fits : list of Fit
        All fits.
    agreement : dict
        For each consensus index its values over k.
    null : array (data sets, ks), optional
        The scatter of data without structure, for the gap statistic.
    pool : {"objective", "index", "mean"}
        Which run counts at a k, as in `choose_k`.
    """
    ks, panel = sweep.ks, sweep.panel
    left_out = _left_out(panel, fits)
    entries = [entry for entry in panel.entries if entry.label not in left_out]
    at = {k: [fit for fit in fits if fit.k == k] for k in ks}
    selected = {k: best for k, runs in at.items() if (best := best_objective(runs)) is not None}

    def over_k(entry: Index) -> IndexOverK:
        chosen = [_run_for(entry, at[k], selected.get(k), pool) for k in ks]
        values = [fit.values[entry.label] for fit in chosen]
        if pool == "mean" and entry.direction != "none":
            values = [_mean(entry, at[k]) for k in ks]
        caveats = [fit.caveats[entry.label] or fit.failed for fit in chosen]
        flaws = [fit.flaw for fit in chosen]
        return IndexOverK.of(entry, panel.rule_of(entry), values, caveats, flaws=flaws)

    read = {curve.label: over_k(find(curve.of)) for curve in panel.curves}
    found = [over_k(entry) for entry in entries]
    found += [_curve_over_k(curve, sweep, read[curve.label].counting, null) for curve in panel.curves]
    found += [_consensus_over_k(entry, ks, (agreement or {})[entry.label]) for entry in panel.consensus]
    flawed = sum(at[k][run].flaw != "" for k, run in selected.items())
    external = {entry.label for entry in entries if "truth" in entry.inputs}
    choices = {}
    for c in found:
        if c.direction != "none" or c.rule == "at_most_10":
            verdict = _verdict(c, read.get(c.index, c), ks, flawed)
            no_vote = "it knows the truth" if c.index in external else at_end_of_range(verdict, ks)
            choices[c.index] = Choice(c.index, c.rule, verdict, _family(c.index, panel), no_vote)
    selected = selected or {k: runs[0].run for k, runs in at.items()}
    return {c.index: c for c in found}, choices, selected, left_out


def _family(index: str, panel: Panel) -> str:
    if index.startswith(CONSENSUS):
        return "resampling"
    return "curves" if index in {curve.label for curve in panel.curves} else find(index).family


def _left_out(panel: Panel, fits: Sequence[Fit]) -> dict[str, str]:
    """The unnamed indices that can evaluate none of the fits, each with the reason."""
    done = [fit for fit in fits if not fit.failed]
    entries = panel.entries if panel.leaves_out and done else ()
    left_out = {
        e.label: done[0].refused[e.label] for e in entries if all(e.label in fit.refused for fit in done)
    }
    for label in left_out:
        if label in panel.named:
            raise ParameterError(f"{label} cannot be computed here.", got=left_out[label])
    if entries and len(left_out) == len(entries):
        raise ParameterError(
            "none of the usual indices can evaluate these clusterings.",
            got="; ".join(f"{index}: {why}" for index, why in left_out.items()),
            need="at least one",
            fix="indices=[...] names others",
        )
    return left_out


def _mean(entry: Index, runs: Sequence[Fit]) -> float:
    """The mean over the runs of a k that have a value and no flaw."""
    known = [fit.values[entry.label] for fit in runs if not fit.flaw]
    finite = [value for value in known if math.isfinite(value)]
    return float(np.mean(finite)) if finite else math.nan


def _run_for(entry: Index, runs: Sequence[Fit], selected: int | None, pool: str) -> Fit:
    """The run that counts at a k: that of the best objective, or where none has one the index's own best."""
    if selected is not None and (pool == "objective" or entry.direction == "none"):
        return runs[selected]
    sound = [fit for fit in runs if not fit.flaw] or runs
    known = [fit for fit in sound if math.isfinite(fit.values[entry.label])]
    if not known or entry.direction == "none":
        return (known or sound)[0]
    choose = max if entry.direction == "higher" else min
    return choose(known, key=lambda fit: fit.values[entry.label])


def _curve_over_k(curve: Curve, sweep: Sweep, values: Sequence[float], null: Floats | None) -> IndexOverK:
    n, d = sweep.X.shape
    computed = curve(sweep.ks, values, n, d, null)
    errors = gap_errors(null).tolist() if curve.needs_null and null is not None else ()
    heights, reasons = computed.values.tolist(), computed.reasons.tolist()
    return IndexOverK.of(curve, sweep.panel.rule_of(curve), heights, reasons, errors)


def _consensus_over_k(entry: Index, ks: Sequence[int], values: Sequence[float]) -> IndexOverK:
    """The agreement of the runs at each k; with one cluster they agree whatever the data."""
    reasons = [
        "with one cluster all runs agree" if k == 1 else "fewer than two runs" if math.isnan(value) else ""
        for k, value in zip(ks, values, strict=True)
    ]
    known = tuple(math.nan if k == 1 else value for k, value in zip(ks, values, strict=True))
    return IndexOverK(CONSENSUS + entry.label, "best", entry.direction, entry.best, known, tuple(reasons))


def at_end_of_range(verdict: RuleVerdict, ks: Sequence[int]) -> str:
    """The reason why a choice at an end of the range has no vote: the best may lie beyond."""
    if len(ks) > 1 and verdict.k == ks[-1]:
        return f"k = {ks[-1]} is the largest tried"
    return f"k = {ks[0]} is the smallest tried" if verdict.k == ks[0] > 2 else ""


def _verdict(curve: IndexOverK, read: IndexOverK, ks: Sequence[int], flawed: int) -> RuleVerdict:
    """The choice of a rule; none where the index that is read has too few values.

    An index needs a value at half of the numbers of clusters that have a sound fit, and at two if two have.
    Infinite values are limits, which no rule compares.
    """
    known, tried = int(np.isfinite(read.counting).sum()), len(ks) - flawed
    if tried < 2 <= len(ks):
        return RuleVerdict(None, "no two numbers of clusters have a sound fit")
    if 0 < known < max(tried / 2, min(2, tried)):
        return RuleVerdict(
            None, f"no vote: {read.index} has a value at only {known} of {tried} numbers of clusters"
        )
    options = {"errors": np.array(curve.errors)} if curve.errors else {}
    return apply_rule(curve.rule, ks, curve.counting, direction=curve.direction, best=curve.best, **options)


# --- among clusterings ----------------------------------------


def preferences_of(candidates: Sequence[Candidate], entries: Sequence[Index]) -> dict[str, Preference]:
    """The preference of each index; a clustering with a flaw counts only where all have one.

    An index needs a value for half of the clusterings that count, and for two of them. An index whose rule
    over k is not "take the best" grows with k, and prefers none among clusterings of different k.
    """
    sound = [not c.flaw for c in candidates]
    counts = sound if any(sound) else [True] * len(candidates)
    return {
        entry.label: _preference(entry, candidates, counts) for entry in entries if entry.direction != "none"
    }


def _preference(entry: Index, candidates: Sequence[Candidate], counts: Sequence[bool]) -> Preference:
    known = [c.values[entry.label] if able else math.nan for c, able in zip(candidates, counts, strict=True)]
    no_vote = "it knows the truth" if "truth" in entry.inputs else ""
    none = Preference(entry.label, entry.family, None, "", no_vote=no_vote)
    finite, able = int(np.isfinite(known).sum()), sum(counts)
    if able < 2 or not finite:
        reason = "there is nothing to compare" if able < 2 else "it has a value for none of them"
        return replace(none, reason=reason)
    if finite < max(able / 2, 2):
        return replace(none, reason=f"no vote: it has a value for only {finite} of {able} clusterings")
    if entry.rule != "best" and len({c.clusters for c in candidates}) > 1:
        return replace(none, reason="it changes with the number of clusters, which differs here")
    places = range(1, len(candidates) + 1)
    verdict = apply_rule("best", places, known, direction=entry.direction, best=entry.best)
    assert verdict.k is not None
    assert verdict.runner_up is not None
    first, second = candidates[verdict.k - 1], candidates[verdict.runner_up - 1]
    values = [first.values[entry.label], second.values[entry.label]]
    if math.isclose(*values, rel_tol=ROUNDING):
        return _among_equals(none, candidates, known, values[0])
    error = math.hypot(*(c.errors.get(entry.label, 0.0) for c in (first, second)))
    if abs(values[0] - values[1]) < error:
        lead = f"{first.label} leads {second.label} by less than the standard error {error:.2g}"
        return replace(none, reason=f"a tie: {lead}")
    return replace(
        none,
        label=first.label,
        reason=verdict.reason,
        runner_up=second.label,
        difference=verdict.difference,
    )


def _among_equals(
    none: Preference, candidates: Sequence[Candidate], known: Sequence[float], best: float
) -> Preference:
    """Of clusterings with the same value, the one that covers more objects than all others, if one does."""
    equal = [c for c, v in zip(candidates, known, strict=True) if math.isclose(v, best, rel_tol=ROUNDING)]
    first, second = sorted(equal, key=lambda c: -c.coverage)[:2]
    if first.coverage == second.coverage:
        return replace(none, reason=f"a tie: {' and '.join(c.label for c in equal)}")
    reason = f"as good as {second.label}, which covers fewer objects"
    return replace(none, label=first.label, reason=reason, runner_up=second.label, difference=0.0)
