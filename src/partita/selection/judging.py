"""One fit of a sweep: fitted, judged by every index asked for, and written down as plain values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.errors import KindError, ParameterError, TooLargeError
from partita.fits.checkpoints import Record
from partita.fits.models import clustering_of, objective_of, one_line, seeded
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.scores import score
from partita.partitions import HARD, Partition, is_mixture
from partita.registry import Index, find
from partita.registry.caveats import join_caveats
from partita.results import plain
from partita.selection.null_data import uniform_like
from partita.validation import validate


def fit_and_judge(
    X: Any,
    truth: Any,
    estimator: Any,
    parameters: dict[str, Any],
    seed: int,
    indices: Sequence[str],
    keeps_partition: bool,
    leaves_out: bool = False,
) -> Record:
    """Fit a clone to X and judge it; what fails is written down, so that a sweep goes on."""
    values: dict[str, Any] = {
        "seed": seed,
        "objective": None,
        "rows": [],
        "refused": {},
        "failed": "",
        "warned": [],
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = seeded(estimator, parameters, seed).fit(X)
            found = clustering_of(model, X)
        except (ValueError, ArithmeticError) as problem:  # a number of clusters that this method cannot do
            values["failed"] = one_line(problem)
            return Record(values)
        entries = [find(name) for name in indices]
        rows, values["refused"] = judge(X, truth, model, found, entries, leaves_out=leaves_out)
        values["rows"] = plain(rows)
    values["warned"] = sorted({type(w.message).__name__ for w in caught})
    objective = objective_of(model)
    values["objective"] = objective if math.isfinite(objective) else None
    return Record(values, to_arrays(found) if keeps_partition else {})


def fit_null(X: Any, data_seed: int, estimator: Any, parameters: dict[str, Any], seed: int) -> Record:
    """The scatter within the clusters that a method finds in data without structure like X."""
    nothing = uniform_like(X, np.random.default_rng(data_seed))
    made = fit_and_judge(nothing, None, estimator, parameters, seed, ["ssw"], False)
    rows = made.values["rows"]
    return Record({"ssw": rows[0][1] if rows else None})


def judge_kept(X: Any, arrays: Mapping[str, Any], indices: Sequence[str]) -> Record:
    """Judge a clustering that was kept, by indices of data and a clustering."""
    given = {"X": X, "found": from_arrays(arrays)}
    scores = [(name, *score(find(name), given)) for name in indices]
    return Record({"rows": plain([(name, value, join_caveats(caveats)) for name, value, caveats in scores])})


def judge(
    X: Any, truth: Any, model: Any, found: Partition, entries: Sequence[Index], *, leaves_out: bool = False
) -> tuple[list[tuple[str, float, str]], dict[str, str]]:
    """Index, value and caveat, in the order asked for; and the indices that refuse, each with its reason.

    A refusal is an error, unless indices that cannot judge are to be left out.
    """
    internal = [e for e in entries if "truth" not in e.inputs]
    subject = model if is_mixture(model) or found.kind is not HARD else found
    rows, refused = _by_the_data(X, subject, internal, leaves_out)
    for entry in entries:
        if "truth" in entry.inputs:
            value, caveats = score(entry, {"X": X, "truth": truth, "found": found})
            rows[entry.label] = value, join_caveats(caveats)
    return [(e.label, *rows[e.label]) for e in entries if e.label in rows], refused


def _by_the_data(
    X: Any, subject: Any, entries: Sequence[Index], leaves_out: bool
) -> tuple[dict[str, tuple[float, str]], dict[str, str]]:
    """Internal indices all at once; if one refuses and may be left out, one by one."""
    if not entries:
        return {}, {}
    try:
        return {row.index: (row.value, row.caveat) for row in validate(X, subject, indices=entries)}, {}
    except (ParameterError, KindError, TooLargeError) as problem:
        if not leaves_out:
            raise
        if len(entries) == 1:
            return {}, {entries[0].label: f"{problem.what.rstrip('.')} ({problem.got})"}
    rows: dict[str, tuple[float, str]] = {}
    refused: dict[str, str] = {}
    for entry in entries:
        own, why = _by_the_data(X, subject, [entry], leaves_out)
        rows |= own
        refused |= why
    return rows, refused
