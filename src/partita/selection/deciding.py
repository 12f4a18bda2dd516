"""From the values of all fits to one curve an index, its choice, and the votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from partita.arrays import Floats
from partita.indices.curves import gap_errors
from partita.registry import Index, find
from partita.registry.curves import Curve
from partita.registry.rules import Verdict, apply_rule
from partita.selection.choices import Choice, ChoiceOfK, Fit, IndexOverK
from partita.selection.sweep import Sweep


def decide(
    sweep: Sweep,
    fits: Sequence[Fit],
    agreement: Mapping[str, Sequence[float]],
    null: Floats | None,
    pool: str,
    *,
    frame: str,
) -> ChoiceOfK:
    """Curves, choices and votes."""
    ks, judges = sweep.ks, sweep.judges
    at = {k: [fit for fit in fits if fit.k == k] for k in ks}
    selected = {k: best for k, runs in at.items() if (best := _best_objective(runs)) is not None}
    over_k = [
        replace(_index_over_k(entry, ks, at, selected, pool), rule=judges.rule_of(entry))
        for entry in judges.entries
    ]
    over_k += [_curve_over_k(c, sweep, at, selected, pool, null) for c in judges.curves]
    over_k += [_consensus_over_k(entry, ks, agreement[entry.label]) for entry in judges.consensus]
    external = {e.label for e in judges.entries if "truth" in e.inputs}
    choices = {
        c.index: Choice(c.index, c.rule, _verdict(c, ks), votes=c.index not in external)
        for c in over_k
        if c.direction != "none" or c.rule == "at_most_10"
    }
    from partita import __version__

    n, d = sweep.X.shape
    name = type(sweep.method).__name__
    tried = f"k = {ks[0]}" if len(ks) == 1 else f"k = {ks[0]} to {ks[-1]}"
    runs = f"{sweep.n_runs} runs each" if sweep.n_runs > 1 else "one run each"
    return ChoiceOfK(
        notes=_notes(fits, selected, pool, sweep.n_runs),
        provenance={
            "partita": __version__,
            "n": n,
            "d": d,
            "estimator": repr(sweep.method),
            "ks": list(ks),
            "n_runs": sweep.n_runs,
            "pool": pool,
        },
        frame=frame,
        ks=ks,
        fits=tuple(fits),
        curves={c.index: c for c in over_k},
        choices=choices,
        selected=selected or {k: runs[0].run for k, runs in at.items()},
        title=f"{n} objects, {d} features: {name}, {tried}, {runs}",
        refit=sweep.refit,
    )


def _best_objective(runs: Sequence[Fit]) -> int | None:
    """The run with the smallest objective, the first of equals; None if none has one."""
    known = [fit for fit in runs if math.isfinite(fit.objective)]
    return min(known, key=lambda fit: fit.objective).run if known else None


def _index_over_k(
    entry: Index, ks: Sequence[int], at: Mapping[int, Sequence[Fit]], selected: Mapping[int, int], pool: str
) -> IndexOverK:
    chosen = [_run_for(entry, at[k], selected.get(k), pool) for k in ks]
    return IndexOverK(
        entry.label,
        entry.rule,
        entry.direction,
        entry.best,
        tuple(fit.values[entry.label] for fit in chosen),
        tuple(fit.caveats[entry.label] or fit.failed for fit in chosen),
    )


def _run_for(entry: Index, runs: Sequence[Fit], selected: int | None, pool: str) -> Fit:
    """The run that speaks for a k: that of the best objective, or where none has one the index's own best."""
    if selected is not None and (pool == "objective" or entry.direction == "none"):
        return runs[selected]
    known = [fit for fit in runs if math.isfinite(fit.values[entry.label])]
    if not known or entry.direction == "none":
        return (known or runs)[0]
    choose = max if entry.direction == "higher" else min
    return choose(known, key=lambda fit: fit.values[entry.label])


def _curve_over_k(
    curve: Curve,
    sweep: Sweep,
    at: Mapping[int, Sequence[Fit]],
    selected: Mapping[int, int],
    pool: str,
    null: Floats | None,
) -> IndexOverK:
    base = _index_over_k(find(curve.of), sweep.ks, at, selected, pool)
    n, d = sweep.X.shape
    made = curve(sweep.ks, base.values, n, d, null)
    errors = tuple(gap_errors(null).tolist()) if curve.needs_null and null is not None else ()
    return IndexOverK(
        curve.name,
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
    return IndexOverK(f"consensus {entry.label}", "best", entry.direction, entry.best, judged, tuple(said))


def _verdict(curve: IndexOverK, ks: Sequence[int]) -> Verdict:
    values = np.array(curve.values)
    values[np.isinf(values)] = math.nan  # a limit, not a value to be compared
    options = {"errors": np.array(curve.errors)} if curve.errors else {}
    return apply_rule(curve.rule, ks, values.tolist(), direction=curve.direction, best=curve.best, **options)


def _notes(fits: Sequence[Fit], selected: Mapping[int, int], pool: str, n_runs: int) -> tuple[str, ...]:
    notes = []
    if pool == "index" or not selected:
        why = "" if pool == "index" else " (the method tells no objective)"
        notes.append(f"each index looks at its own best run of a k{why}")
    elif n_runs > 1:
        notes.append("of each k the run with the best objective is judged")
    failed = Counter(fit.failed for fit in fits if fit.failed)
    notes += [f"{count} of {len(fits)} fits failed: {why}" for why, count in failed.items()]
    warned = Counter(name for fit in fits for name in fit.warned)
    notes += [f"{count} of {len(fits)} fits gave a {name}" for name, count in warned.items()]
    return tuple(notes)
