"""One fit of a sweep: fitted, evaluated by every index asked for, and recorded as plain values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partita.datasets.null_data import uniform_like
from partita.errors import KindError, ParameterError, TooLargeError
from partita.evaluation import Assignment, Plan, judge, plan
from partita.fits.checkpoints import Record
from partita.fits.degenerate_fits import shape_of
from partita.fits.models import one_line, seeded
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.settings import clustering_by, seeded_with
from partita.inputs import Inputs, prepare
from partita.partitions import Partition, is_mixture
from partita.partitions.models import in_clustered_space, objective_of
from partita.registry import Index, find
from partita.results import plain
from partita.results.index_rows import IndexValue
from partita.statistics.distances.distance_sums import DistanceSums


def fit_and_judge(
    X: Any,
    truth: Any,
    estimator: Any,
    parameters: dict[str, Any],
    seed: int,
    indices: Sequence[str | Index],
    keeps_partition: bool,
    leaves_out: bool = False,
    space: str = "clustered",
    expected: int | None = None,
) -> Record:
    """Fit a copy of an estimator to X and evaluate it; a failure is recorded, so that a sweep goes on.

    ``expected`` is the number of clusters asked for, where one was.
    """
    values: dict[str, Any] = {
        "seed": seed,
        "objective": None,
        "rows": [],
        "refused": {},
        "failed": "",
        "warned": [],
        "shape": None,
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, found = clustering_by(seeded_with(estimator, parameters, seed), X)
            seen, step = in_clustered_space(model, X) if space == "clustered" else (X, model)
        except (ValueError, ArithmeticError) as problem:  # a number of clusters that this method cannot do
            values["failed"] = one_line(problem)
            return Record(values)
        entries = [find(name) for name in indices]
        rows, values["refused"] = judge_fit(seen, truth, step, found, entries, leaves_out=leaves_out)
        values["rows"] = plain(rows)
        objective = objective_of(model)
    values["warned"] = sorted({type(w.message).__name__ for w in caught})
    values["shape"] = shape_of(found, expected, step, seen).to_dict()
    values["objective"] = objective if math.isfinite(objective) else None
    return Record(values, to_arrays(found) if keeps_partition else {})


def fit_null(X: Any, data_seed: int, estimator: Any, parameters: dict[str, Any], seed: int) -> Record:
    """The scatter within the clusters that a method finds in data without structure."""
    nothing = uniform_like(X, np.random.default_rng(data_seed))
    made = fit_and_judge(nothing, None, estimator, parameters, seed, ["ssw"], False)
    rows = made.values["rows"]
    return Record({"ssw": rows[0][1] if rows else None})


def judge_kept(
    X: Any,
    arrays: Mapping[str, Any],
    indices: Sequence[str | Index],
    leaves_out: bool = False,
    prepared_by: Any = None,
    seed: int = 0,
) -> Record:
    """Evaluate a recorded clustering by indices of data and a clustering.

    ``prepared_by`` is the pipeline whose last step found it, and ``seed`` that of the run: its other steps
    are fitted again, and X is evaluated as the last one saw it.
    """
    if prepared_by is not None:
        X = seeded(prepared_by, {}, seed)[:-1].fit_transform(X)
    entries = [find(name) for name in indices]
    rows, refused = judge_fit(X, None, None, from_arrays(arrays), entries, leaves_out=leaves_out)
    return Record({"rows": plain(rows), "refused": refused})


def judge_fit(
    X: Any, truth: Any, model: Any, found: Partition, entries: Sequence[Index], *, leaves_out: bool = False
) -> tuple[list[tuple[str, float, str]], dict[str, str]]:
    """Index, value and caveat, in the order asked for; and the indices that refuse, each with its reason.

    A refusal is an error, unless indices that cannot judge are to be left out.
    """
    metric = "precomputed" if any(e.options.get("metric") == "precomputed" for e in entries) else ""
    given = {"X": X, "found": found} if truth is None else {"X": X, "truth": truth, "found": found}
    inputs = replace(prepare(given, metric=metric), model=model if is_mixture(model) else None)
    rows, refused = judge_inputs(inputs, entries, strict=not leaves_out)
    return [(row.index, row.value, row.caveat) for row in rows], refused


def judge_inputs(
    inputs: Inputs,
    entries: Sequence[Index],
    *,
    strict: bool | Collection[str],
    most_pairs: float = math.inf,
    one_scale: bool = False,
) -> tuple[tuple[IndexValue, ...], dict[str, str]]:
    """The rows, on hardened labels where an index knows no others; and the indices that refuse, with why.

    Parameters
    ----------
    inputs, entries
        What is judged, and by which indices.
    strict : bool, or labels
        Whether a refusal is an error, or for which indices it is.
    most_pairs, one_scale
        As `partita.evaluation.plan` takes them.
    """
    planned = plan(entries, inputs, strict=strict, hardens=True, most_pairs=most_pairs, one_scale=one_scale)
    rows, refused = _rows(planned.assignments, strict)
    return rows, refused | {skipped.index: skipped.reason for skipped in planned.left_out}


def _rows(
    assignments: tuple[Assignment, ...], strict: bool | Collection[str]
) -> tuple[tuple[IndexValue, ...], dict[str, str]]:
    """All rows at once; if one refuses and may be left out, one by one."""
    try:
        rows, statistics = judge(Plan(assignments))
        return tuple(_with_error(row, statistics) for row in rows), {}
    except (ParameterError, KindError, TooLargeError) as problem:
        if strict is True or problem.parameter == "indices":  # a function that was given fails
            raise
        if len(assignments) == 1:
            label = assignments[0].entry.label
            if not isinstance(strict, bool) and label in strict:
                raise
            return (), {label: f"{problem.what.rstrip('.')} ({problem.got})"}
    each = [_rows((one,), strict) for one in assignments]
    refused = {label: reason for _, why in each for label, reason in why.items()}
    return tuple(row for rows, _ in each for row in rows), refused


def _with_error(row: IndexValue, statistics: Sequence[Any]) -> IndexValue:
    """The row of a mean silhouette of sampled objects with its standard error."""
    entry = find(row.index)
    if entry.name != "silhouette" or entry.options.get("sample_size") is None:
        return row
    sampled = [one for one in statistics if isinstance(one, DistanceSums) and one.is_sampled]
    return replace(row, se=sampled[0].standard_error) if len(sampled) == 1 else row
