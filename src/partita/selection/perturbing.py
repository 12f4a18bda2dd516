"""One fit of all data, and one of perturbed data with how far it agrees: the tasks of `stability`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, dense
from partita.cluster.swap import RandomSwap, part_of_sweep
from partita.evaluation import HARDENED, judge, plan
from partita.fits.checkpoints import Record
from partita.fits.models import one_line
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.settings import Grid, clustering_by, seeded_with
from partita.fits.tasks import Task, task_seed
from partita.inputs import prepare
from partita.partitions import HardPartition, Partition
from partita.partitions.models import in_clustered_space, last_step, preparing_steps
from partita.registry import find
from partita.results import join_texts, plain
from partita.selection.schemes import Draw, Subsample
from partita.selection.transfer import carried_over

WHOLE, REPEAT = range(2)
"""Where in the tree of seeds a task stands."""


@dataclass(frozen=True, eq=False)
class Perturbations:
    """A method over settings, fitted to all data and to perturbed data."""

    X: Floats
    method: Any
    grid: Grid
    scheme: Any
    strategy: str
    n_repeats: int
    space: str
    root: int

    @property
    def title(self) -> str:
        """In words."""
        n, d = self.X.shape
        name = type(self.method).__name__
        return f"{n} objects, {d} features: {name}, {self.n_repeats} x {self.scheme!r}, {self.strategy}"

    @property
    def places(self) -> list[tuple[int, int]]:
        """The place of a setting and the number of a repeat, for all of them."""
        return [(place, i) for place in range(len(self.grid.values)) for i in range(self.n_repeats)]

    @property
    def cells(self) -> float:
        """Numbers in X times clusters over all searches, which tells random swap how much work will come."""
        share = self.scheme.share if isinstance(self.scheme, Subsample) else 1.0
        last = last_step(self.method)
        starts = last.n_init if isinstance(last, RandomSwap) else 1
        counts = self.grid.values if self.grid.are_counts else [1] * len(self.grid.values)
        return float(self.X.size * sum(counts) * starts * (1 + self.n_repeats * share))

    def _seed_of_whole(self, place: int) -> int:
        return task_seed(self.root, WHOLE, self.grid.place(self.grid.values[place]))

    def whole_tasks(self) -> list[Task]:
        """A fit of all data for each setting."""
        cells, grid = self.cells, self.grid
        return [
            Task(
                f"whole-{grid.key(value)}",
                (
                    self.X,
                    self.method,
                    grid.parameters(value),
                    self._seed_of_whole(place),
                    cells,
                    value if grid.are_counts else None,
                ),
            )
            for place, value in enumerate(grid.values)
        ]

    def repeat_tasks(
        self, whole: Sequence[Record], labels: Sequence[str], suffix: str = "", *, hardens: bool = False
    ) -> list[Task]:
        """Fits of perturbed data for each setting, compared by the indices of these labels."""
        cells, grid = self.cells, self.grid
        return [
            Task(
                f"{grid.key(value)}-repeat{repeat:05}{suffix}",
                (
                    self.X,
                    self.method,
                    grid.parameters(value),
                    task_seed(self.root, REPEAT, grid.place(value), repeat),
                    self.scheme,
                    self.strategy,
                    labels,
                    whole[place],
                    self.space,
                    cells,
                    hardens,
                ),
            )
            for place, repeat in self.places
            for value in [grid.values[place]]
        ]

    def clustered_space(self, place: int) -> Floats:
        """The data as the last step of a pipeline saw them in the fit of all data; else as they are."""
        if self.space != "clustered" or not preparing_steps(self.method):
            return self.X
        value = self.grid.values[place]
        model = seeded_with(self.method, self.grid.parameters(value), self._seed_of_whole(place))
        made: Floats = dense(model[:-1].fit_transform(self.X))
        return made


def fit_whole(
    X: Floats,
    method: Any,
    parameters: dict[str, Any],
    seed: int,
    cells: float = 0.0,
    expected: int | None = None,
) -> Record:
    """The clustering of all data, and the deviation within its clusters.

    ``expected`` is the number of clusters asked for, where one was.
    """
    values: dict[str, Any] = {"failed": "", "warned": [], "deviation": None}
    with warnings.catch_warnings(record=True) as caught, part_of_sweep(cells):
        warnings.simplefilter("always")
        try:
            _, found = clustering_by(seeded_with(method, parameters, seed), X)
        except (ValueError, ArithmeticError) as problem:
            return Record({**values, "failed": one_line(problem)})
    if expected is not None and isinstance(found, HardPartition):
        filled = len(np.unique(found.codes))
        if filled < expected:
            values["failed"] = f"only {filled} of {expected} clusters have objects"
    values |= {"warned": _names(caught), "deviation": _deviation(X, found)}
    return Record(values, to_arrays(found))


def hard_labels(found: Partition) -> Array:
    """Every object's cluster as a number from 0 on, -1 for noise."""
    hard = found.harden()
    mask = hard.noise_mask
    if mask is None:
        return np.unique(hard.codes, return_inverse=True)[1]
    labels = np.full(hard.n_objects, -1)
    labels[~mask] = np.unique(hard.codes[~mask], return_inverse=True)[1]
    return labels


def _names(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    return sorted({type(w.message).__name__ for w in caught})


def _deviation(X: Floats, found: Partition) -> float:
    """The root of the mean squared difference to the mean of an object's own cluster, over all features."""
    names, codes = np.unique(found.harden().codes, return_inverse=True)
    means = np.stack([X[codes == j].mean(axis=0) for j in range(len(names))])
    return float(np.sqrt(np.square(X - means[codes]).mean()))


def fit_perturbed(
    X: Floats,
    method: Any,
    parameters: dict[str, Any],
    seed: int,
    scheme: Any,
    strategy: str,
    labels: Sequence[str],
    whole: Record,
    space: str = "clustered",
    cells: float = 0.0,
    hardens: bool = False,
) -> Record:
    """One perturbed clustering, compared by every index, and cluster by cluster with that of all data.

    With ``hardens`` hardened labels are compared, also by indices that are defined for others.
    """
    values: dict[str, Any] = {
        "seed": seed,
        "rows": [],
        "jaccards": [],
        "warned": [],
        "failed": whole.values["failed"],
    }
    if values["failed"]:
        return Record(values)
    rng = np.random.default_rng(seed)
    deviation = whole.values["deviation"]
    drawn = scheme.draw(X, deviation, rng)
    with warnings.catch_warnings(record=True) as caught, part_of_sweep(cells):
        warnings.simplefilter("always")
        try:
            model, first = clustering_by(seeded_with(method, parameters, _seed(rng)), drawn.X)
            if strategy == "transfer":
                other = another_draw(scheme, X, drawn, deviation, rng)
                _, own = clustering_by(seeded_with(method, parameters, _seed(rng)), other.X)
                objects, truth, found = other.rows, own, carried_over(model, drawn.X, other.X, first)
            else:
                objects, truth = drawn.rows, from_arrays(whole.arrays).take(drawn.rows)
                found = first
        except (ValueError, ArithmeticError) as problem:
            return Record({**values, "failed": one_line(problem)})
    once = np.unique(objects, return_index=True)[1]  # an object drawn twice is compared once
    seen = X[objects[once]]
    if space == "clustered":
        seen, _ = in_clustered_space(model, seen)
    given = {"X": seen, "truth": truth.take(once), "found": found.take(once)}
    if hardens:
        given |= {"truth": given["truth"].harden(), "found": given["found"].harden()}
    rows = judge(plan([find(label) for label in labels], prepare(given), hardens=True)).rows
    said = HARDENED.text if hardens else ""
    values["rows"] = plain([(row.value, join_texts([row.caveat, said])) for row in rows])
    values["jaccards"] = plain(_recovery(whole.arrays, drawn.rows, hard_labels(first)))
    return Record({**values, "warned": _names(caught)})


def _recovery(whole: Mapping[str, Array], rows: Array, found: Array) -> list[float]:
    """The best Jaccard of each cluster of all data, on the objects drawn, each counted once."""
    once = np.unique(rows, return_index=True)[1]
    labels = hard_labels(from_arrays(whole))
    return best_jaccards(labels[rows[once]], found[once], int(labels.max(initial=-1)) + 1)


def best_jaccards(labels: Array, found: Array, n_clusters: int) -> list[float]:
    """For each cluster the largest Jaccard coefficient with a cluster found (Hennig 2007).

    nan where the cluster has no object here; noise (-1) is no cluster on either side, but its objects count.
    """
    n_found = int(found.max(initial=-1)) + 1
    cells = (labels + 1) * (n_found + 1) + found + 1
    table = np.bincount(cells, minlength=(n_clusters + 1) * (n_found + 1)).reshape(n_clusters + 1, -1)
    sizes, others = table.sum(axis=1, keepdims=True)[1:], table.sum(axis=0)[1:]
    shared = table[1:, 1:]
    union = sizes + others - shared
    ratios = shared / np.maximum(union, 1)
    best = ratios.max(axis=1, initial=0.0)
    return [float(b) if size else float("nan") for b, size in zip(best, sizes[:, 0], strict=True)]


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 32))


def another_draw(scheme: Any, X: Floats, first: Draw, deviation: float, rng: np.random.Generator) -> Draw:
    """A second draw, from the objects that the first left if these are enough."""
    rest = np.setdiff1d(np.arange(len(X)), first.rows)
    if len(rest) < len(first.rows):
        made: Draw = scheme.draw(X, deviation, rng)
        return made
    rows = np.sort(rng.choice(rest, len(first.rows), replace=False))
    return Draw(rows, X[rows])
