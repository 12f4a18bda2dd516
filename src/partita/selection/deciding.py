"""From the values of all fits to one curve an index, its choice, and the votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError
from partita.indices.curves import gap_errors
from partita.registry import Index, find
from partita.registry.curves import Curve
from partita.registry.rules import Verdict, apply_rule
from partita.results.provenance import provenance
from partita.selection.choices import CONSENSUS, Choice, ChoiceOfK, Fit, IndexOverK, best_objective
from partita.selection.judges import Judges
from partita.selection.sweep import Sweep

NOTHING_TO_COMPARE = "no two numbers of clusters have a sound fit"


def decide(
    sweep: Sweep,
    fits: Sequence[Fit],
    agreement: Mapping[str, Sequence[float]],
    null: Floats | None,
    pool: str,
    *,
    frame: str,
    more: Sequence[Choice] = (),
    **facts: Any,
) -> ChoiceOfK:
    """Curves, choices and votes, those of others too; the facts are for the provenance."""
    ks, judges = sweep.ks, sweep.judges
    left_out = _left_out(sweep, fits)
    entries = [entry for entry in judges.entries if entry.label not in left_out]
    at = {k: [fit for fit in fits if fit.k == k] for k in ks}
    selected = {k: best for k, runs in at.items() if (best := best_objective(runs)) is not None}
    over_k = [
        replace(_index_over_k(entry, ks, at, selected, pool), rule=judges.rule_of(entry)) for entry in entries
    ]
    read = {c.label: _index_over_k(find(c.of), ks, at, selected, pool) for c in judges.curves}
    over_k += [_curve_over_k(c, sweep, read[c.label].counting, null) for c in judges.curves]
    over_k += [_consensus_over_k(entry, ks, agreement[entry.label]) for entry in judges.consensus]
    flawed = sum(at[k][run].flaw != "" for k, run in selected.items())
    external = {e.label for e in entries if "truth" in e.inputs}
    choices = {
        c.index: Choice(
            c.index,
            c.rule,
            _verdict(c, read.get(c.index, c), ks, flawed),
            votes=c.index not in external,
            family=_family(c.index, judges),
        )
        for c in over_k
        if c.direction != "none" or c.rule == "at_most_10"
    } | {c.index: c for c in more}
    n, d = sweep.X.shape
    name = type(sweep.method).__name__
    tried = f"k = {ks[0]}" if len(ks) == 1 else f"k = {ks[0]} to {ks[-1]}"
    runs = f"{sweep.n_runs} runs each" if sweep.n_runs > 1 else "one run each"
    return ChoiceOfK(
        notes=(
            *_notes(fits, selected, pool, sweep.n_runs),
            *(f"left out: {index} ({why})" for index, why in left_out.items()),
        ),
        provenance=provenance(
            sweep.X,
            estimator=repr(sweep.method),
            ks=ks,
            n_runs=sweep.n_runs,
            pool=pool,
            scale=None if sweep.scaler is None else type(sweep.scaler).__name__,
            **facts,
        ),
        frame=frame,
        ks=ks,
        fits=tuple(fits),
        curves={c.index: c for c in over_k},
        choices=choices,
        selected=selected or {k: runs[0].run for k, runs in at.items()},
        title=f"{n} objects, {d} features: {name}, {tried}, {runs}",
        refit=sweep.refit,
        data=sweep.X,
        scaler=sweep.scaler,
    )


def _family(index: str, judges: Judges) -> str:
    """What an index over k looks at."""
    if index.startswith(CONSENSUS):
        return "resampling"
    return "curves" if index in {curve.label for curve in judges.curves} else find(index).family


def _left_out(sweep: Sweep, fits: Sequence[Fit]) -> dict[str, str]:
    """Of the indices that may be left out, those that can judge none of the fits, each with the reason."""
    done = [fit for fit in fits if not fit.failed]
    entries = sweep.judges.entries if sweep.judges.leaves_out else ()
    left_out = {
        e.label: done[0].refused[e.label] for e in entries if all(e.label in fit.refused for fit in done)
    }
    for label in left_out:
        if label in sweep.judges.named:
            raise ParameterError(f"{label} cannot be computed here.", got=left_out[label])
    if entries and len(left_out) == len(entries):
        raise ParameterError(
            "none of the usual indices can judge this.",
            got="; ".join(f"{index}: {why}" for index, why in left_out.items()),
            need="at least one",
            fix="indices=[...] names others",
        )
    return left_out


def _index_over_k(
    entry: Index, ks: Sequence[int], at: Mapping[int, Sequence[Fit]], selected: Mapping[int, int], pool: str
) -> IndexOverK:
    chosen = [_run_for(entry, at[k], selected.get(k), pool) for k in ks]
    values = [fit.values[entry.label] for fit in chosen]
    if pool == "mean" and entry.direction != "none":
        values = [_mean(entry, at[k]) for k in ks]
    return IndexOverK(
        entry.label,
        entry.rule,
        entry.direction,
        entry.best,
        tuple(values),
        tuple(fit.caveats[entry.label] or fit.failed for fit in chosen),
        flaws=tuple(fit.flaw for fit in chosen),
    )


def _mean(entry: Index, runs: Sequence[Fit]) -> float:
    """The mean over the runs of a k that have a value and no flaw."""
    known = [fit.values[entry.label] for fit in runs if not fit.flaw]
    finite = [value for value in known if math.isfinite(value)]
    return float(np.mean(finite)) if finite else math.nan


def _run_for(entry: Index, runs: Sequence[Fit], selected: int | None, pool: str) -> Fit:
    """The run that speaks for a k: that of the best objective, or where none has one the index's own best."""
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
    made = curve(sweep.ks, values, n, d, null)
    errors = tuple(gap_errors(null).tolist()) if curve.needs_null and null is not None else ()
    return IndexOverK(
        curve.label,
        sweep.judges.rule_of(curve),
        curve.direction,
        curve.best,
        tuple(made.values.tolist()),
        tuple(made.reasons.tolist()),
        errors,
    )


def _consensus_over_k(entry: Index, ks: Sequence[int], values: Sequence[float]) -> IndexOverK:
    """How far runs agree at each k; with one cluster they agree whatever the data, which says nothing."""
    said = ["with one cluster all runs agree" if k == 1 else "" for k in ks]
    said = [
        why or ("fewer than two runs" if math.isnan(v) else "") for why, v in zip(said, values, strict=True)
    ]
    judged = tuple(math.nan if k == 1 else value for k, value in zip(ks, values, strict=True))
    return IndexOverK(CONSENSUS + entry.label, "best", entry.direction, entry.best, judged, tuple(said))


def _verdict(curve: IndexOverK, read: IndexOverK, ks: Sequence[int], flawed: int) -> Verdict:
    """What the rule makes of the values; nothing where the index that is read has too few of them.

    It needs a value at half of the numbers of clusters that have a sound fit, and at two if two have: the
    best of the few that it can judge says nothing about the others. What is infinite is a limit, which no
    rule compares.
    """
    known, tried = int(np.isfinite(read.counting).sum()), len(ks) - flawed
    if tried < 2 <= len(ks):
        return Verdict(None, NOTHING_TO_COMPARE)
    if 0 < known < max(tried / 2, min(2, tried)):
        return Verdict(
            None, f"no vote: {read.index} has a value at only {known} of {tried} numbers of clusters"
        )
    options = {"errors": np.array(curve.errors)} if curve.errors else {}
    return apply_rule(curve.rule, ks, curve.counting, direction=curve.direction, best=curve.best, **options)


def _notes(fits: Sequence[Fit], selected: Mapping[int, int], pool: str, n_runs: int) -> tuple[str, ...]:
    notes = []
    if pool == "mean":
        notes.append("the value at a k is the mean over its runs")
    elif pool == "index" or not selected:
        why = "" if pool == "index" else " (the method tells no objective)"
        notes.append(f"each index looks at its own best run of a k{why}")
    elif n_runs > 1:
        notes.append("of each k the run with the best objective is judged")
    failed = Counter(fit.failed for fit in fits if fit.failed)
    notes += [f"{count} of {len(fits)} fits failed: {why}" for why, count in failed.items()]
    warned = Counter(name for fit in fits for name in fit.warned)
    notes += [f"{count} of {len(fits)} fits gave a {name}" for name, count in warned.items()]
    return tuple(notes)
