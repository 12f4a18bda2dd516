"""One loop over the values of a parameter and over runs: fits of the data, and of data without structure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, dense, one_thread
from partita.engine import looks_at_pairs, pair_operations
from partita.ensembles import consensus_index
from partita.errors import ParameterError
from partita.evaluation import MOST_PAIR_OPERATIONS
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.degenerate_fits import Shape
from partita.fits.fit_scores import fit_and_judge, fit_null, judge_kept
from partita.fits.models import one_line
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.settings import Grid, clustering_by, seeded_with
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.inputs import prepare
from partita.partitions import Partition
from partita.partitions.models import preparing_steps
from partita.registry import Index, find
from partita.results import number
from partita.results.records import JsonRecord
from partita.selection.index_panel import Panel

__all__ = ["Fit", "Seeds", "Sweep", "best_objective", "left_out_notes", "notes_on"]

ANOTHER_RUN = "not computed: another run of this k is evaluated"


class Seeds:
    """Places of tasks in the tree of seeds."""

    ON_DATA, ON_NULL, NULL_DATA, HALVES, STRUCTURE, EVIDENCE, NEIGHBOURS = range(7)


@dataclass(frozen=True)
class Fit(JsonRecord):
    """One run with one value of the parameter.

    Attributes
    ----------
    k : int
        The number of clusters asked for, or of another parameter the number found.
    run, seed : int
        The number of the run, and its seed.
    objective : float
        The objective of the method, smaller is better.
    values, caveats : dict
        For each index its value and its caveat.
    failed : str
        The error of a fit that failed.
    warned : tuple of str
        The kinds of warnings that it gave.
    refused : dict
        The indices that cannot evaluate it, each with the reason.
    shape : Shape or None
        Sizes and flaws of its clusters.
    setting : Any
        The value of another parameter than the number of clusters.
    partition : Partition or None
        The clustering, of the run that is evaluated.
    """

    k: int
    run: int
    seed: int
    objective: float
    values: Mapping[str, float]
    caveats: Mapping[str, str]
    failed: str = ""
    warned: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    shape: Shape | None = None
    setting: Any = None
    partition: Partition | None = field(default=None, repr=False, compare=False)

    @property
    def flaw(self) -> str:
        """The reason why this fit does not count: empty or single-object clusters, collapsed components."""
        return "" if self.shape is None else self.shape.flaw


def best_objective(runs: Sequence[Fit]) -> int | None:
    """The run with the smallest objective, the first of equals; None if none has one.

    A run with a flaw is taken only where all have one.
    """
    known = [fit for fit in runs if math.isfinite(fit.objective)]
    sound = [fit for fit in known if not fit.flaw]
    return min(sound or known, key=lambda fit: fit.objective).run if known else None


@dataclass(frozen=True, eq=False)
class Sweep:
    """A method over the values of a parameter and over runs, and the indices that evaluate it."""

    X: Array
    truth: Partition | None
    method: Any
    grid: Grid
    n_runs: int
    panel: Panel
    space: str = "clustered"
    scaler: Any = None
    """The fitted scaler of X; None if X is as given."""
    costly: Mapping[str, str] = field(default_factory=dict)
    """Indices that were left out as too costly, each with the reason."""

    @property
    def ks(self) -> tuple[Any, ...]:
        """The values of the parameter: numbers of clusters, in the usual case."""
        return self.grid.values

    @property
    def work(self) -> str:
        """The method and the values tried, in words."""
        ks = self.ks
        tried = f"{len(ks)} values of {self.grid.parameter}"
        if self.grid.are_counts:
            tried = f"k = {ks[0]}" if len(ks) == 1 else f"k = {ks[0]} to {ks[-1]}"
        runs = f"{self.n_runs} runs each" if self.n_runs > 1 else "one run each"
        return f"{type(self.method).__name__}, {tried}, {runs}"

    def with_values(self, values: Iterable[Any]) -> Sweep:
        """The same sweep over other values."""
        return replace(self, grid=replace(self.grid, values=tuple(values)))

    def checkpoint(
        self, folder: Any, random_state: Any, n_null: int, *, extends: bool = False
    ) -> tuple[Checkpoint | None, int]:
        """The checkpoint of this work, if there is to be one, and the seed that all others come from.

        With ``extends`` it may be extended beyond the numbers of clusters that it begins with.
        """
        if folder is None:
            return None, root_seed(random_state)
        from partita import __version__

        entries = [find(label) for label in self.panel.labels]
        parts = {
            "data": self.X,
            "truth": None if self.truth is None else to_arrays(self.truth),
            "estimator": (type(self.method).__module__, self.method, self.grid.parameter),
            "indices": [e.makings for e in entries],
            "ks" if self.grid.are_counts else "values": (self.grid.values, extends),
            "n_runs": self.n_runs,
            "n_null": n_null,
            "space": self.space,
            "scaler": None if self.scaler is None else type(self.scaler).__name__,
            "version of partita": __version__,
        }
        opened = Checkpoint.open(folder, parts, random_state)
        return opened, opened.seed

    @cached_property
    def pair_costs(self) -> dict[str, float]:
        """For each index of pairs of objects the number of pair operations of one fit."""
        metric = "precomputed" if self.panel.of_distances else ""
        one = prepare({"X": self.X, "found": np.zeros(len(self.X), np.int64)}, metric=metric)
        entries = [find(label) for label in self.panel.labels]
        able = [e for e in entries if e.inputs == ("X", "found") and looks_at_pairs(e.requests)]
        costs = {entry.label: pair_operations(entry.requests, one) for entry in able}
        return {label: cost for label, cost in costs.items() if cost > 0}

    def later_labels(self, pool: str) -> list[str]:
        """The indices of pairs of objects, which evaluate only the runs that count.

        Where each index has its own best run, all runs are evaluated while that is quick.
        """
        if self.n_runs == 1:
            return []
        times = len(self.ks) * self.n_runs
        return [
            label
            for label, cost in self.pair_costs.items()
            if pool == "objective" or times * cost > MOST_PAIR_OPERATIONS
        ]

    def affordable(self) -> Sweep:
        """The sweep without the unnamed indices that need too many pairs."""
        too_many = {
            label: f"{len(self.ks) * cost:.1e} pair operations; indices=[...] names it"
            for label, cost in self.pair_costs.items()
            if self.panel.leaves_out and len(self.ks) * cost > MOST_PAIR_OPERATIONS
        }
        kept = tuple(entry for entry in self.panel.entries if entry.label not in too_many)
        return replace(self, panel=replace(self.panel, entries=kept), costly=too_many)

    def with_index(self, entry: Index) -> Sweep:
        """The sweep with one more index, which chooses nothing."""
        if entry.label in self.panel.labels:
            return self
        return replace(self, panel=replace(self.panel, entries=(*self.panel.entries, entry)))

    def fits(
        self, root: int, store: Checkpoint | None, n_jobs: int | None, pool: str
    ) -> tuple[list[Fit], dict[str, list[float]]]:
        """Every run at every value, and for each value the agreement of its runs by the consensus indices.

        Indices of pairs of objects are computed only for the runs that count. The run of the best objective
        keeps its clustering, the first sound one where the method has no objective.
        """
        grid, later = self.grid, self.later_labels(pool)
        labels = [label for label in self.panel.labels if label not in later]
        places = [(value, run) for value in grid.values for run in range(self.n_runs)]
        tasks = [
            Task(
                f"{grid.key(value)}-run{run:05}",
                (
                    self.X,
                    self.truth,
                    self.method,
                    grid.parameters(value),
                    task_seed(root, Seeds.ON_DATA, grid.place(value), run),
                    [find(label).for_workers for label in labels],
                    True,
                    self.panel.leaves_out,
                    self.space,
                    value if grid.are_counts else None,
                ),
            )
            for value, run in places
        ]
        name = "k" if grid.are_counts else grid.parameter
        records = run_tasks(
            fit_and_judge, tasks, n_jobs=n_jobs, description=f"choosing {name}", checkpoint=store
        )
        fits: list[Fit] = []
        agreement: dict[str, list[float]] = {entry.label: [] for entry in self.panel.consensus}
        together: list[Record] = []
        counting: dict[tuple[Any, int], Mapping[str, Array]] = {}
        for (value, run), record in zip(places, records, strict=True):
            fits.append(self._fit(value, run, record))
            together.append(record)
            if run < self.n_runs - 1:
                continue
            runs, arrays = fits[-self.n_runs :], {i: r.arrays for i, r in enumerate(together) if r.arrays}
            for label, mean in _agreement(list(arrays.values()), self.panel.consensus).items():
                agreement[label].append(mean)
            best = best_objective(runs)
            kept = next((f.run for f in runs if not f.failed and not f.flaw), min(arrays, default=0))
            kept = kept if best is None else best
            if kept in arrays:
                fits[kept - self.n_runs] = replace(runs[kept], partition=from_arrays(arrays[kept]))
            chosen = best if pool == "objective" else None
            counting |= {(value, i): one for i, one in arrays.items() if chosen in (None, i)}
            together = []
        if all(fit.failed for fit in fits):
            need = "numbers of clusters that it can do" if grid.are_counts else "values that it can do"
            raise ParameterError("no fit succeeded.", got=fits[0].failed, need=need)
        return self._with_pair_indices(fits, later, counting, store, n_jobs), agreement

    def _fit(self, value: Any, run: int, record: Record) -> Fit:
        labels, refused = self.panel.labels, record.values["refused"]
        shape = Shape.from_dict(record.values["shape"]) if record.values["shape"] else None
        counts = self.grid.are_counts
        fit = Fit(
            k=value if counts else 0 if shape is None else shape.clusters,
            run=run,
            seed=int(record.values["seed"]),
            objective=number(record.values["objective"]),
            values=dict.fromkeys(labels, math.nan),
            caveats=dict.fromkeys(labels, "") | refused,
            failed=record.values["failed"],
            warned=tuple(record.values["warned"]),
            refused=refused,
            shape=shape,
            setting=None if counts else value,
        )
        return _with_rows(fit, record.values["rows"])

    def _with_pair_indices(
        self,
        fits: list[Fit],
        labels: Sequence[str],
        counting: Mapping[tuple[Any, int], Mapping[str, Array]],
        store: Checkpoint | None,
        n_jobs: int | None,
    ) -> list[Fit]:
        """The fits with these indices filled in for those that count."""
        if not labels:
            return fits
        prepared_by = self.method if self.space == "clustered" and preparing_steps(self.method) else None
        sent = [find(label).for_workers for label in labels]
        values = [value for value in self.ks for _ in range(self.n_runs)]
        at = {(value, fit.run): fit for value, fit in zip(values, fits, strict=True)}
        tasks = [
            Task(
                f"{self.grid.key(value)}-run{run:05}-pairs",
                (self.X, arrays, sent, self.panel.leaves_out, prepared_by, at[value, run].seed),
            )
            for (value, run), arrays in counting.items()
        ]
        records = run_tasks(judge_kept, tasks, n_jobs=n_jobs, description="evaluating", checkpoint=store)
        known = dict(zip(counting, (record.values for record in records), strict=True))
        others = {"rows": [(label, None, ANOTHER_RUN) for label in labels], "refused": {}}
        filled = []
        for place, fit in at.items():
            found = known.get(place, others)
            refused = {**fit.refused, **found["refused"]}
            more = replace(fit, refused=refused, caveats={**fit.caveats, **found["refused"]})
            filled.append(fit if fit.failed else _with_rows(more, found["rows"]))
        return filled

    def null(self, root: int, store: Checkpoint | None, n_jobs: int | None, n_null: int) -> Floats:
        """The scatter at each k of data sets without structure, each clustered once: (n_null, ks)."""
        tasks = [
            Task(
                f"null{b:05}-k{k:05}",
                (
                    self.X,
                    task_seed(root, Seeds.NULL_DATA, b),
                    self.method,
                    self.grid.parameters(k),
                    task_seed(root, Seeds.ON_NULL, k, b),
                ),
            )
            for b in range(n_null)
            for k in self.ks
        ]
        records = run_tasks(
            fit_null, tasks, n_jobs=n_jobs, description="data without structure", checkpoint=store
        )
        values = [number(record.values["ssw"]) for record in records]
        return np.array(values).reshape(n_null, len(self.ks))

    def refit(self, value: Any, seed: int) -> Any:
        """One of the fits again, bit for bit."""
        with one_thread():
            return clustering_by(seeded_with(self.method, self.grid.parameters(value), seed), self.X)[0]

    def where_clustered(self, seed: int) -> Array:
        """The data as the last step of a pipeline gets them; as they are for any other method.

        The last step itself, which may take long, is not fitted.
        """
        if self.space != "clustered" or not preparing_steps(self.method):
            return self.X
        X, step = self.X, seeded_with(self.method, self.grid.parameters(self.ks[0]), seed)
        with one_thread():
            while preparing_steps(step):
                first, step = step[:-1], step.steps[-1][1]
                try:
                    X = first.fit(X).transform(X) if len(first) else X
                except (ValueError, ArithmeticError) as problem:
                    raise ParameterError(
                        "the data cannot be prepared by the first steps of this pipeline.",
                        got=one_line(problem),
                        parameter="estimator",
                    ) from problem
        return dense(X)


def _with_rows(fit: Fit, rows: Iterable[tuple[str, Any, str]]) -> Fit:
    """The fit with the values and caveats of some indices."""
    values = {index: number(value) for index, value, _ in rows}
    caveats = {index: caveat for index, _, caveat in rows}
    return replace(fit, values={**fit.values, **values}, caveats={**fit.caveats, **caveats})


def _agreement(found: Sequence[Mapping[str, Array]], entries: Sequence[Index]) -> dict[str, float]:
    """The agreement of clusterings by each index; nan where there are fewer than two."""
    if len(found) < 2 or not entries:
        return {entry.label: math.nan for entry in entries}
    return {row.index: row.value for row in consensus_index([from_arrays(one) for one in found], entries)}


def left_out_notes(left_out: Mapping[str, str]) -> list[str]:
    """Notes on indices that were left out, each with the reason."""
    return [f"left out: {index} ({why})" for index, why in left_out.items()]


def notes_on(fits: Sequence[Fit]) -> list[str]:
    """Notes on fits that failed or warned."""
    failed = Counter(fit.failed for fit in fits if fit.failed)
    warned = Counter(name for fit in fits for name in fit.warned)
    return [f"{count} of {len(fits)} fits failed: {why}" for why, count in failed.items()] + [
        f"{count} of {len(fits)} fits gave a {name}" for name, count in warned.items()
    ]
