"""Fits of perturbed data, each compared with the clustering of all data or with that of another draw."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, dense
from partita.cluster.swap import RandomSwap, part_of_sweep
from partita.errors import ParameterError
from partita.evaluation import HARDENED, judge, plan
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.models import carried_over, one_line
from partita.fits.partitions import cluster_numbers, from_arrays, to_arrays
from partita.fits.settings import Grid, clustering_by, seeded_with
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.inputs import prepare
from partita.partitions import HardPartition, Partition
from partita.partitions.models import in_clustered_space, last_step, preparing_steps
from partita.registry import Index, find
from partita.results import join_texts, plain
from partita.statistics import Contingency, cluster_similarities

RECORDS = 2
"""The version of the records of repeats: since 2 with the Jaccard coefficients of clusters."""

WHOLE, REPEAT, STRUCTURE = range(3)
"""Branches of the tree of seeds."""


@dataclass(frozen=True, eq=False)
class Perturbations:
    """A method over settings, and the perturbed data that it is fitted to."""

    X: Floats
    method: Any
    grid: Grid
    scheme: Any
    strategy: str
    n_repeats: int
    space: str
    root: int = 0
    metric: str = "euclidean"
    """The meaning of X: "precomputed" for the distances of all objects."""

    @property
    def of_distances(self) -> bool:
        """True where X holds distances."""
        return self.metric == "precomputed"

    def among(self, rows: Array, others: Array | None = None) -> Floats:
        """The features of some objects; or their distances to each other, or to others."""
        return self.X[np.ix_(rows, rows if others is None else others)] if self.of_distances else self.X[rows]

    def with_checkpoint(
        self, checkpoint: Any, random_state: Any, scale: str | None, entries: Sequence[Index]
    ) -> tuple[Perturbations, Checkpoint | None]:
        """The same with the seed that all others come from, and the checkpoint if there is to be one."""
        if checkpoint is None:
            return replace(self, root=root_seed(random_state)), None
        from partita import __version__

        parts = {
            "version of partita": __version__,
            "records": RECORDS,
            "data": self.X,
            "scale": scale,
            "estimator": (type(self.method).__module__, self.method, self.grid.parameter),
            "scheme": self.scheme,
            "strategy": self.strategy,
            "indices": [entry.makings for entry in entries],
            "ks" if self.grid.are_counts else "values": self.grid.values,
            "n_repeats": self.n_repeats,
            "space": self.space,
            **({"metric": self.metric} if self.of_distances else {}),
        }
        store = Checkpoint.open(checkpoint, parts, random_state)
        return replace(self, root=store.seed), store

    def fit_all(self, store: Checkpoint | None, n_jobs: int | None) -> list[Record]:
        """The clustering of all data at each setting."""
        keys = map(self.grid.key, self.grid.values)
        tasks = [Task(f"whole-{key}", (self, place)) for place, key in enumerate(keys)]
        return list(run_tasks(fit_whole, tasks, n_jobs=n_jobs, description="stability", checkpoint=store))

    def fit_repeats(
        self,
        whole: Sequence[Record],
        indices: Sequence[str | Index],
        store: Checkpoint | None,
        n_jobs: int | None,
        *,
        hardens: bool = False,
        suffix: str = "",
    ) -> list[Record]:
        """Every repeat at each setting, compared by these indices.

        Their files end in the suffix. It is an error if no fit succeeds.
        """
        keys = map(self.grid.key, self.grid.values)
        tasks = [
            Task(f"{key}-repeat{repeat:05}{suffix}", (self, place, repeat, indices, whole[place], hardens))
            for place, key in enumerate(keys)
            for repeat in range(self.n_repeats)
        ]
        found = run_tasks(fit_perturbed, tasks, n_jobs=n_jobs, description="stability", checkpoint=store)
        records = list(found)
        if all(record.values["failed"] for record in records):
            counts = self.grid.are_counts
            need = "numbers of clusters that it can do" if counts else "values that it can do"
            raise ParameterError("no fit succeeded.", got=records[0].values["failed"], need=need)
        return records

    def seed(self, place: int, repeat: int | None = None) -> int:
        """The seed of the fit of all data at a setting, or of a repeat."""
        at = self.grid.place(self.grid.values[place])
        return task_seed(self.root, WHOLE, at) if repeat is None else task_seed(self.root, REPEAT, at, repeat)

    def model(self, place: int, seed: int) -> Any:
        """The method at a setting, unfitted."""
        return seeded_with(self.method, self.grid.parameters(self.grid.values[place]), seed)

    @property
    def perturbed(self) -> str:
        """The name of the perturbed data, in the plural."""
        return self.scheme.plural if self.strategy == "cross-validation" else f"pairs of {self.scheme.plural}"

    @property
    def cells(self) -> float:
        """Numbers in X times clusters over all searches, by which random swap chooses its form."""
        last = last_step(self.method)
        starts = last.n_init if isinstance(last, RandomSwap) else 1
        counts = self.grid.values if self.grid.are_counts else [1] * len(self.grid.values)
        return float(self.X.size * sum(counts) * starts * (1 + self.n_repeats * self.scheme.share))

    def clustered_space(self, place: int) -> Floats:
        """The data that the last step of a pipeline clusters in the fit of all data; else X."""
        if self.space != "clustered" or not preparing_steps(self.method):
            return self.X
        made: Floats = dense(self.model(place, self.seed(place))[:-1].fit_transform(self.X))
        return made


@contextmanager
def _recorded(values: dict[str, Any], cells: float) -> Iterator[None]:
    """Fits whose error or kinds of warnings become values of their record, so that a sweep goes on."""
    with warnings.catch_warnings(record=True) as caught, part_of_sweep(cells):
        warnings.simplefilter("always")
        try:
            yield
        except (ValueError, ArithmeticError) as problem:  # data or a setting that this method cannot do
            values["failed"] = one_line(problem)
            return
    values["warned"] = sorted({type(w.message).__name__ for w in caught})


def fit_whole(sweep: Perturbations, place: int) -> Record:
    """The clustering of all data at a setting, and the deviation within its clusters."""
    X, expected = sweep.X, sweep.grid.values[place]
    values: dict[str, Any] = {"failed": "", "warned": [], "deviation": None}
    with _recorded(values, sweep.cells):
        _, found = clustering_by(sweep.model(place, sweep.seed(place)), X)
    if values["failed"]:
        return Record(values)
    if sweep.grid.are_counts and isinstance(found, HardPartition):
        filled = len(np.unique(found.codes))
        if filled < expected:
            values["failed"] = f"only {filled} of {expected} clusters have objects"
    if sweep.of_distances:
        return Record({**values, "deviation": 0.0}, to_arrays(found))
    names, codes = np.unique(found.harden().codes, return_inverse=True)
    means = np.stack([X[codes == j].mean(axis=0) for j in range(len(names))])
    values["deviation"] = float(np.sqrt(np.square(X - means[codes]).mean()))
    return Record(values, to_arrays(found))


def fit_perturbed(
    sweep: Perturbations,
    place: int,
    repeat: int,
    indices: Sequence[str | Index],
    whole: Record,
    hardens: bool,
) -> Record:
    """One perturbed clustering, compared by every index, and cluster by cluster with that of all data.

    With ``hardens`` hardened labels are compared, also by indices that are defined for soft ones.
    """
    X, scheme, seed = sweep.X, sweep.scheme, sweep.seed(place, repeat)
    failed, deviation = whole.values["failed"], whole.values["deviation"]
    values: dict[str, Any] = {"seed": seed, "rows": [], "jaccards": [], "warned": [], "failed": failed}
    if failed:
        return Record(values)
    rng = np.random.default_rng(seed)
    drawn = scheme.draw(X, deviation, rng)
    drawn = drawn._replace(X=sweep.among(drawn.rows)) if sweep.of_distances else drawn
    of_all = from_arrays(whole.arrays)
    with _recorded(values, sweep.cells):
        first: Partition
        model, first = clustering_by(sweep.model(place, int(rng.integers(1 << 32))), drawn.X)
        if sweep.strategy == "transfer":
            other = scheme.draw_another(X, drawn, deviation, rng)
            other = other._replace(X=sweep.among(other.rows)) if sweep.of_distances else other
            _, truth = clustering_by(sweep.model(place, int(rng.integers(1 << 32))), other.X)
            objects, found = other.rows, first
            if sweep.of_distances:  # the label of the nearest, whatever a model would predict
                found = first.harden().take(sweep.among(objects, drawn.rows).argmin(axis=1))
            else:
                found = carried_over(model, drawn.X, other.X, first)
        else:
            objects, truth, found = drawn.rows, of_all.take(drawn.rows), first
    if values["failed"]:
        return Record(values)
    once = np.unique(objects, return_index=True)[1]  # an object drawn twice is compared once
    seen = sweep.among(objects[once])
    if sweep.space == "clustered":
        seen, _ = in_clustered_space(model, seen)
    truth, found = truth.take(once), found.take(once)
    if hardens:
        truth, found = truth.harden(), found.harden()
    given = {} if sweep.of_distances else {"X": seen}  # indices of centres were refused
    inputs = prepare({**given, "truth": truth, "found": found})
    rows = judge(plan([find(index) for index in indices], inputs, hardens=True)).rows
    caveat = HARDENED.text if hardens else ""
    values["rows"] = plain([(row.value, join_texts([row.caveat, caveat])) for row in rows])
    once = np.unique(drawn.rows, return_index=True)[1]
    clusters = cluster_numbers(of_all)
    count = int(clusters.max(initial=-1)) + 1
    jaccards = best_jaccards(clusters[drawn.rows[once]], cluster_numbers(first)[once], count)
    return Record({**values, "jaccards": plain(jaccards)})


def best_jaccards(labels: Array, found: Array, n_clusters: int) -> list[float]:
    """For each cluster the largest Jaccard coefficient with a cluster found (Hennig 2007).

    nan where the cluster has no object here; noise (-1) is no cluster in either, but its objects count.
    """
    n_found = int(found.max(initial=-1)) + 1
    cells = (labels + 1) * (n_found + 1) + found + 1
    counts = np.bincount(cells, minlength=(n_clusters + 1) * (n_found + 1)).reshape(n_clusters + 1, -1)
    coefficients = cluster_similarities(Contingency.from_counts(counts), "jaccard")[1:, 1:]
    best = np.where(counts.sum(axis=1)[1:] > 0, coefficients.max(axis=1, initial=0.0), np.nan)
    return list(map(float, best))
