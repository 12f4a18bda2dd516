"""The one loop over numbers of clusters and runs: fits of the data, and of data without structure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.engine import looks_at_pairs, pair_operations
from partita.ensembles import consensus_index
from partita.errors import ParameterError
from partita.evaluation import MOST_PAIR_OPERATIONS
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.models import seeded
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.inputs import prepare
from partita.partitions import Partition
from partita.partitions.models import preparing_steps
from partita.registry import Index, find
from partita.results import number
from partita.selection.choices import Fit, best_objective
from partita.selection.flaws import Shape
from partita.selection.judges import Judges
from partita.selection.judging import fit_and_judge, fit_null, judge_kept

ON_DATA, ON_NULL, NULL_DATA, HALVES, STRUCTURE, DENSITY = range(6)
"""Where in the tree of seeds a task stands."""

ANOTHER_RUN = "not computed: another run of this k is judged"


@dataclass(frozen=True, eq=False)
class Sweep:
    """A method over numbers of clusters and runs, and who judges it."""

    X: Array
    truth: Partition | None
    method: Any
    parameter: str
    ks: tuple[int, ...]
    n_runs: int
    judges: Judges
    space: str = "clustered"
    scaler: Any = None
    """What X was scaled by, fitted; None if it is as given."""

    def checkpoint(
        self, folder: Any, random_state: Any, n_null: int, *, extends: bool = False
    ) -> tuple[Checkpoint | None, int]:
        """The checkpoint of this work, if there is to be one, and the seed that all others come from.

        It may be extended beyond the numbers of clusters that it begins with.
        """
        if folder is None:
            return None, root_seed(random_state)
        from partita import __version__

        entries = [find(label) for label in self.judges.labels]
        parts = {
            "data": self.X,
            "truth": None if self.truth is None else to_arrays(self.truth),
            "estimator": (type(self.method).__module__, self.method, self.parameter),
            "indices": [e.makings for e in entries],
            "ks": (self.ks, extends),
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
        """For each index of data and a clustering that looks at pairs of objects, how many for one fit."""
        one = prepare({"X": self.X, "found": np.zeros(len(self.X), np.int64)}, metric=self._metric)
        entries = [find(label) for label in self.judges.labels]
        able = [e for e in entries if e.inputs == ("X", "found") and looks_at_pairs(e.requests)]
        costs = {entry.label: pair_operations(entry.requests, one) for entry in able}
        return {label: cost for label, cost in costs.items() if cost > 0}

    @property
    def _metric(self) -> str:
        return "precomputed" if self.judges.of_distances else ""

    def of_some_runs(self, pool: str) -> list[str]:
        """Indices that judge only the runs that speak for their k: those that look at pairs of objects.

        Where each index has its own best run, all runs are judged while that is quick.
        """
        if self.n_runs == 1:
            return []
        times = len(self.ks) * self.n_runs
        return [
            label
            for label, cost in self.pair_costs.items()
            if pool == "objective" or times * cost > MOST_PAIR_OPERATIONS
        ]

    def affordable(self) -> tuple[Sweep, dict[str, str]]:
        """The sweep without the indices that nobody asked for and that look at too many pairs, with why."""
        too_many = {
            label: f"{len(self.ks) * cost:.1e} pair operations; indices=[...] names it"
            for label, cost in self.pair_costs.items()
            if self.judges.leaves_out and len(self.ks) * cost > MOST_PAIR_OPERATIONS
        }
        kept = tuple(entry for entry in self.judges.entries if entry.label not in too_many)
        return replace(self, judges=replace(self.judges, entries=kept)), too_many

    def judged_too(self, entry: Index) -> Sweep:
        """The sweep with one more index, which chooses nothing."""
        if entry.label in self.judges.labels:
            return self
        return replace(self, judges=replace(self.judges, entries=(*self.judges.entries, entry)))

    def fits(
        self, root: int, store: Checkpoint | None, n_jobs: int | None, pool: str
    ) -> tuple[list[Fit], dict[str, list[float]]]:
        """Every run of every k, and for each k how far its runs agree, by the indices of the consensus.

        What looks at pairs of objects is computed only for those runs that speak for their k.
        """
        later = self.of_some_runs(pool)
        labels = [label for label in self.judges.labels if label not in later]
        keeps = store is not None or bool(self.judges.consensus or later)
        places = [(k, run) for k in self.ks for run in range(self.n_runs)]
        seeds = [task_seed(root, ON_DATA, k, run) for k, run in places]
        given = (self.X, self.truth, self.method)
        tasks = [
            Task(
                f"k{k:05}-run{run:05}",
                (*given, {self.parameter: k}, seed, labels, keeps, self.judges.leaves_out, self.space),
            )
            for (k, run), seed in zip(places, seeds, strict=True)
        ]
        fits: list[Fit] = []
        agreement: dict[str, list[float]] = {entry.label: [] for entry in self.judges.consensus}
        together: list[Record] = []
        speaking: dict[tuple[int, int], Mapping[str, Array]] = {}
        records = run_tasks(fit_and_judge, tasks, n_jobs=n_jobs, description="choosing k", checkpoint=store)
        for (k, run), record in zip(places, records, strict=True):
            fits.append(_fit(k, run, record, self.judges.labels))
            together.append(record if later or self.judges.consensus else Record({}))
            if run == self.n_runs - 1:
                for label, value in _agreement(together, self.judges.consensus).items():
                    agreement[label].append(value)
                chosen = best_objective(fits[-self.n_runs :]) if pool == "objective" else None
                speaking |= {
                    (k, i): r.arrays for i, r in enumerate(together) if r.arrays and chosen in (None, i)
                }
                together = []
        if all(fit.failed for fit in fits):
            raise ParameterError(
                "no fit succeeded.", got=fits[0].failed, need="numbers of clusters that it can do"
            )
        return self._judged_by_pairs(fits, later, speaking, store, n_jobs), agreement

    def _judged_by_pairs(
        self,
        fits: list[Fit],
        labels: Sequence[str],
        speaking: Mapping[tuple[int, int], Mapping[str, Array]],
        store: Checkpoint | None,
        n_jobs: int | None,
    ) -> list[Fit]:
        """The fits with these indices filled in for those that speak for their k."""
        if not labels:
            return fits
        prepared_by = self.method if self.space == "clustered" and preparing_steps(self.method) else None
        seeds = {(fit.k, fit.run): fit.seed for fit in fits}
        tasks = [
            Task(
                f"k{k:05}-run{run:05}-pairs",
                (self.X, arrays, labels, self.judges.leaves_out, prepared_by, seeds[k, run]),
            )
            for (k, run), arrays in speaking.items()
        ]
        records = run_tasks(judge_kept, tasks, n_jobs=n_jobs, description="judging", checkpoint=store)
        judged = dict(zip(speaking, (record.values for record in records), strict=True))
        others = {"rows": [(label, None, ANOTHER_RUN) for label in labels], "refused": {}}
        return [
            fit if fit.failed else _also_judged(fit, judged.get((fit.k, fit.run), others)) for fit in fits
        ]

    def null(self, root: int, store: Checkpoint | None, n_jobs: int | None, n_null: int) -> Floats:
        """The scatter at each k of data sets without structure, each clustered once: (n_null, ks)."""
        tasks = [
            Task(
                f"null{b:05}-k{k:05}",
                (self.X, task_seed(root, NULL_DATA, b), self.method, {self.parameter: k}, seed),
            )
            for b in range(n_null)
            for k in self.ks
            for seed in [task_seed(root, ON_NULL, k, b)]
        ]
        records = run_tasks(
            fit_null, tasks, n_jobs=n_jobs, description="data without structure", checkpoint=store
        )
        values = [number(record.values["ssw"]) for record in records]
        return np.array(values).reshape(n_null, len(self.ks))

    def refit(self, k: int, seed: int) -> Any:
        """One of the fits again, bit for bit."""
        with one_thread():
            return seeded(self.method, {self.parameter: k}, seed).fit(self.X)


def _fit(k: int, run: int, record: Record, labels: Sequence[str]) -> Fit:
    refused = record.values["refused"]
    fit = Fit(
        k=k,
        run=run,
        seed=int(record.values["seed"]),
        objective=number(record.values["objective"]),
        values=dict.fromkeys(labels, math.nan),
        caveats=dict.fromkeys(labels, "") | refused,
        failed=record.values["failed"],
        warned=tuple(record.values["warned"]),
        refused=refused,
        shape=Shape.from_dict(record.values["shape"]) if record.values["shape"] else None,
    )
    return _with_rows(fit, record.values["rows"])


def _also_judged(fit: Fit, values: Mapping[str, Any]) -> Fit:
    """The fit with what more indices say of it, and which refuse."""
    refused = {**fit.refused, **values["refused"]}
    told = replace(fit, refused=refused, caveats={**fit.caveats, **values["refused"]})
    return _with_rows(told, values["rows"])


def _with_rows(fit: Fit, rows: Iterable[tuple[str, Any, str]]) -> Fit:
    """The fit with the values and caveats of some indices."""
    values = {index: number(value) for index, value, _ in rows}
    caveats = {index: caveat for index, _, caveat in rows}
    return replace(fit, values={**fit.values, **values}, caveats={**fit.caveats, **caveats})


def _agreement(records: Sequence[Record], entries: Sequence[Index]) -> dict[str, float]:
    """How far the runs of one k agree, by each index; nan where fewer than two succeeded."""
    found = [from_arrays(record.arrays) for record in records if record.arrays]
    if len(found) < 2 or not entries:
        return {entry.label: math.nan for entry in entries}
    return {row.index: row.value for row in consensus_index(found, entries)}
