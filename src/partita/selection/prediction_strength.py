"""Prediction strength over k: how well the clusters of one half of the data predict the other half."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.fits.checkpoints import Checkpoint, Record
from partita.fits.models import carried_over, clustering_of, seeded
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.partitions.copies import distinct_objects
from partita.registry import find
from partita.registry.rules import Verdict
from partita.results import number
from partita.selection.sweep import Seeds, Sweep
from partita.selection.votes import Choice, IndexOverK, at_end_of_range

__all__ = ["prediction_strength_over_k"]

ENOUGH = 0.8
"""Clusters are well predicted from this value on (tibshirani2005)."""

NAME, RULE = "prediction_strength", "last_stable"


def prediction_strength_over_k(
    sweep: Sweep, n_splits: int, root: int, n_jobs: int | None, store: Checkpoint | None
) -> tuple[IndexOverK, Choice]:
    """The prediction strength of a method at each k, and the largest k that reaches 0.8.

    The mean over ``n_splits`` halvings of the distinct objects counts, plus one standard error, as
    tibshirani2005 asks. With one cluster it is 1.
    """
    objects = sweep.X[distinct_objects(sweep.X)]
    able = [k for k in sweep.ks if 1 < k <= len(objects) // 4]
    tasks = [
        Task(
            f"halves-k{k:05}-{split:05}",
            (objects, sweep.method, sweep.grid.parameters(k), task_seed(root, Seeds.HALVES, k, split)),
        )
        for k in able
        for split in range(n_splits)
    ]
    records = run_tasks(fit_halves, tasks, n_jobs=n_jobs, description="halves", checkpoint=store)
    strengths = np.array([number(record.values["strength"]) for record in records]).reshape(-1, n_splits)
    means, errors = {1: 1.0}, {1: 0.0}
    for k, row in zip(able, strengths, strict=True):
        known = row[np.isfinite(row)]
        means[k] = float(known.mean()) if known.size else math.nan
        errors[k] = float(known.std(ddof=1) / math.sqrt(known.size)) if known.size > 1 else math.nan
    values = tuple(means.get(k, math.nan) for k in sweep.ks)
    curve = IndexOverK(
        NAME,
        RULE,
        "higher",
        1.0,
        values,
        tuple("" if math.isfinite(value) else "halves too small to be clustered" for value in values),
        tuple(errors.get(k, math.nan) for k in sweep.ks),
    )
    stable = [k for k in sweep.ks if k in means and means[k] + np.nan_to_num(errors[k]) >= ENOUGH]
    reason = f"the last k that reaches {ENOUGH} within a standard error"
    verdict = Verdict(max(stable), reason) if stable else Verdict(None, f"no k reaches {ENOUGH}")
    return curve, Choice(NAME, RULE, verdict, "resampling", at_end_of_range(verdict, sweep.ks))


def fit_halves(X: Floats, method: Any, parameters: dict[str, Any], seed: int) -> Record:
    """The prediction strength of one halving: one clustering is carried over to the other half."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    half = len(X) // 2
    one, other = X[np.sort(order[:half])], X[np.sort(order[half : 2 * half])]
    seeds = [int(s) for s in rng.integers(1 << 32, size=2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fits of all data give the same warnings
        try:
            model = seeded(method, parameters, seeds[0]).fit(one)
            own = clustering_of(seeded(method, parameters, seeds[1]).fit(other), other).harden()
            predicted = carried_over(model, one, other).harden()
        except (ValueError, ArithmeticError):  # this method cannot cluster this half
            return Record({"strength": None})
        strength = float(find("prediction_strength")(own, predicted))
    return Record({"strength": strength if math.isfinite(strength) else None})
