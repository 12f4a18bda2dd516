"""Whether the same clusters are found again in the other half of the data: prediction strength over k."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.fits.checkpoints import Checkpoint, Record
from partita.fits.models import clustering_of, seeded
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.registry import find
from partita.results import number
from partita.selection.transfer import carried_over

__all__ = ["ENOUGH", "Replication", "replications"]

ENOUGH = 0.8
"""From here on clusters are well predicted (tibshirani2005)."""


@dataclass(frozen=True)
class Replication:
    """How well the clusters of one half predict those of the other, over several halvings."""

    k: int
    mean: float
    error: float

    @property
    def is_enough(self) -> bool:
        """Whether the mean is 0.8 or more, up to one standard error, as tibshirani2005 asks."""
        return self.mean + (self.error if math.isfinite(self.error) else 0.0) >= ENOUGH


def replications(
    X: Array,
    method: Any,
    parameters: Sequence[tuple[int, dict[str, Any]]],
    *,
    n_splits: int,
    root: int,
    place: int,
    n_jobs: int | None,
    store: Checkpoint | None = None,
) -> dict[int, Replication]:
    """The prediction strength of a method at each number of clusters.

    Parameters
    ----------
    X : array (n, d)
        Distinct objects: one that is in both halves predicts itself.
    method : clusterer
        It is cloned, and fitted to each half.
    parameters : list of (k, dict)
        The numbers of clusters, with what sets them.
    n_splits : int
        Halvings for each of them.
    root, place : int
        The seed that all others come from, and where in its tree they stand.
    n_jobs, store : int, Checkpoint
        Workers, and where records are kept.

    Returns
    -------
    dict
        For each k its `Replication`; nan where no halving could be judged. With one cluster it is 1.
    """
    several = [(k, chosen) for k, chosen in parameters if k > 1]
    tasks = [
        Task(f"halves-k{k:05}-{split:05}", (X, method, chosen, task_seed(root, place, k, split)))
        for k, chosen in several
        for split in range(n_splits)
    ]
    records = run_tasks(fit_halves, tasks, n_jobs=n_jobs, description="halves", checkpoint=store)
    values = np.array([number(record.values["strength"]) for record in records])
    found = {k: Replication(k, 1.0, 0.0) for k, _ in parameters if k == 1}
    for (k, _), row in zip(several, values.reshape(len(several), n_splits), strict=True):
        known = row[np.isfinite(row)]
        mean = float(known.mean()) if known.size else math.nan
        error = float(known.std(ddof=1) / math.sqrt(known.size)) if known.size > 1 else math.nan
        found[k] = Replication(k, mean, error)
    return found


def fit_halves(X: Floats, method: Any, parameters: dict[str, Any], seed: int) -> Record:
    """Cluster two halves, carry one clustering over to the other half, and compare there."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    half = len(X) // 2
    one, other = X[np.sort(order[:half])], X[np.sort(order[half : 2 * half])]
    seeds = [int(s) for s in rng.integers(1 << 32, size=2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a fit warns of is said of the fits of all data
        try:
            model = seeded(method, parameters, seeds[0]).fit(one)
            own = clustering_of(seeded(method, parameters, seeds[1]).fit(other), other).harden()
            predicted = carried_over(model, one, other).harden()
        except (ValueError, ArithmeticError):  # a half that this method cannot cluster says nothing
            return Record({"strength": None})
        strength = float(find("prediction_strength")(own, predicted))
    return Record({"strength": strength if math.isfinite(strength) else None})
