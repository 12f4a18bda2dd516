"""One fit of a sweep: fitted, judged by every index asked for, and written down as plain values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from partita.partitions import HARD, Partition, is_mixture
from partita.registry import Index, find
from partita.resampling import uniform_like
from partita.sweeps.checkpoints import Record
from partita.sweeps.models import clustering_of, objective_of, one_line, seeded
from partita.sweeps.partitions import to_arrays
from partita.sweeps.scores import score
from partita.validation import validate


def fit_and_judge(
    X: Any,
    truth: Any,
    estimator: Any,
    parameters: dict[str, Any],
    seed: int,
    indices: Sequence[str],
    keeps_partition: bool,
) -> Record:
    """Fit a clone to X and judge it; what fails is written down, so that a sweep goes on."""
    values: dict[str, Any] = {"seed": seed, "objective": None, "rows": [], "failed": "", "warned": []}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = seeded(estimator, parameters, seed).fit(X)
            found = clustering_of(model, X)
        except (ValueError, ArithmeticError) as problem:  # a number of clusters that this method cannot do
            values["failed"] = one_line(problem)
            return Record(values)
        values["rows"] = judge(X, truth, model, found, [find(name) for name in indices])
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


def judge(
    X: Any, truth: Any, model: Any, found: Partition, entries: Sequence[Index]
) -> list[tuple[str, float | None, str]]:
    """Index, value (None where it has none) and caveat, in the order asked for."""
    internal = [e for e in entries if "truth" not in e.inputs]
    rows: dict[str, tuple[float, str]] = {}
    if internal:
        subject = model if is_mixture(model) or found.kind is not HARD else found
        rows |= {row.index: (row.value, row.caveat) for row in validate(X, subject, indices=internal)}
    for entry in entries:
        if "truth" in entry.inputs:
            rows[entry.label] = score(entry, {"X": X, "truth": truth, "found": found})
    return [
        (e.label, value if math.isfinite(value) else None, caveat)
        for e in entries
        for value, caveat in [rows[e.label]]
    ]
