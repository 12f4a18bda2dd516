"""Sweeps over the values of any parameter: a clustering for each value, and which of them is best."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from partita.arrays import Array, Floats, dense, one_thread
from partita.errors import ParameterError, Phrase, Setting
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.models import one_line
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.settings import Grid, clustering_by, seeded_with
from partita.fits.tasks import Task, run_tasks, task_seed
from partita.inputs import prepare
from partita.partitions import DataMatrix, Partition, is_mixture
from partita.partitions.models import last_step, objective_of, preparing_steps
from partita.results import number
from partita.results.provenance import provenance
from partita.selection.clusterings import ChoiceOfValue
from partita.selection.flaws import shape_of
from partita.selection.judges import USUAL, USUAL_AGAINST_TRUTH, sort_of
from partita.selection.sweep import ON_DATA
from partita.selection.weighing import Panel, panel_for, weighed

__all__ = ["ValueSweep", "check_values", "choose_value", "panel_of", "refuse_beside_values", "runs_of"]

N_NEIGHBORS = 10


@dataclass(frozen=True, eq=False)
class ValueSweep:
    """A method over the values of a parameter, and runs.

    Attributes
    ----------
    data, scaled : DataMatrix
        As given, and as clustered.
    scaler : transformer or None
        What the data were scaled by.
    truth : Partition or None
        The true clustering.
    method, grid : clusterer, Grid
        What is fitted, and the values.
    n_runs : int
        Fits for each value.
    space : {"clustered", "input"}
        Where a pipeline is judged.
    """

    data: DataMatrix
    scaled: DataMatrix
    scaler: Any
    truth: Partition | None
    method: Any
    grid: Grid
    n_runs: int
    space: str

    def begun(self, folder: Any, random_state: Any) -> tuple[Checkpoint | None, int]:
        """The checkpoint of this work, if there is to be one, and the seed that all others come from."""
        if folder is None:
            return None, root_seed(random_state)
        from partita import __version__

        parts = {
            "data": self.scaled.values,
            "estimator": (type(self.method).__module__, self.method, self.grid.parameter),
            "values": self.grid.values,
            "n_runs": self.n_runs,
            "version of partita": __version__,
        }
        opened = Checkpoint.open(folder, parts, random_state)
        return opened, opened.seed

    def records(self, root: int, store: Checkpoint | None, n_jobs: int | None) -> list[list[Record]]:
        """For each value the records of its runs."""
        grid = self.grid
        tasks = [
            Task(
                f"{grid.key(value)}-run{run:05}",
                (
                    self.scaled.values,
                    self.method,
                    grid.parameters(value),
                    task_seed(root, ON_DATA, grid.place(value), run),
                ),
            )
            for value in grid.values
            for run in range(self.n_runs)
        ]
        made = list(
            run_tasks(
                fit_value, tasks, n_jobs=n_jobs, description=f"choosing {grid.parameter}", checkpoint=store
            )
        )
        return [made[i : i + self.n_runs] for i in range(0, len(made), self.n_runs)]

    def refit(self, value: Any, seed: int) -> Any:
        """One of the fits again, bit for bit."""
        with one_thread():
            model = seeded_with(self.method, self.grid.parameters(value), seed)
            return clustering_by(model, self.scaled.values)[0]

    @property
    def is_judged_where_clustered(self) -> bool:
        """Whether the last step of a pipeline clusters all values in one space, in which they are judged."""
        steps = getattr(self.method, "steps", None) or [("", None)]
        of_last = bool(steps[-1][0]) and self.grid.parameter.startswith(f"{steps[-1][0]}__")
        return self.space == "clustered" and of_last and bool(preparing_steps(self.method))

    def seen(self, seed: int) -> tuple[Floats, str]:
        """The data in the space in which all are judged, and what is said of it."""
        steps = preparing_steps(self.method)
        if not steps:
            return self.scaled.values, ""
        name = type(last_step(self.method)).__name__
        if not self.is_judged_where_clustered:
            why = (
                "" if self.space == "input" else f", since {self.grid.parameter} changes that of the clusters"
            )
            return self.scaled.values, f"judged in the space of X{why}"
        with one_thread():
            model = seeded_with(self.method, {}, seed)
            seen: Floats = dense(model[:-1].fit_transform(self.scaled.values))
        return seen, f"judged where {name} clusters: X after {', '.join(steps)}"


def fit_value(X: Array, method: Any, parameters: dict[str, Any], seed: int) -> Record:
    """The clustering that a method makes with a value; what fails is written down."""
    values: dict[str, Any] = {"seed": seed, "objective": None, "failed": "", "warned": []}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, found = clustering_by(seeded_with(method, parameters, seed), X)
        except (ValueError, ArithmeticError) as problem:  # a value that this method cannot do
            return Record({**values, "failed": one_line(problem)})
        objective = objective_of(model)
    values["warned"] = sorted({type(w.message).__name__ for w in caught})
    values["objective"] = objective if math.isfinite(objective) else None
    return Record(values, to_arrays(found))


def panel_of(indices: Any, method: Any, has_truth: bool) -> Panel:
    """The indices that judge the clusterings of a method: by name, or those that suit it."""
    sort = sort_of(method) if hasattr(last_step(method), "get_params") else "centres"
    mixture = ["model"] * (sort == "mixture")
    usual = [*USUAL[sort], *(USUAL_AGAINST_TRUTH if has_truth else ())]
    return panel_for(indices, usual, ("X", *["truth"] * has_truth, "found", *mixture))


def choose_value(
    sweep: ValueSweep,
    panel: Panel,
    *,
    tests_structure: bool,
    n_jobs: int | None,
    random_state: Any,
    checkpoint: Any,
    notes: Sequence[str],
) -> ChoiceOfValue:
    """The value whose clustering is best, by votes and checks."""
    store, root = sweep.begun(checkpoint, random_state)
    grid = sweep.grid
    records = sweep.records(root, store, n_jobs)
    speaking = {place: one for place, runs in enumerate(records) if (one := _speaking(runs)) is not None}
    if not speaking:
        raise ParameterError(
            "no fit succeeded.", got=records[0][0].values["failed"], need="values that it can do"
        )
    seeds = {place: int(record.values["seed"]) for place, record in speaking.items()}
    seen, space = sweep.seen(next(iter(seeds.values())))
    found = {grid.values[place]: from_arrays(record.arrays) for place, record in speaking.items()}
    models = _models(sweep, panel, seeds)
    inputs = {}
    for value, partition in found.items():
        given = {"X": seen, **({} if sweep.truth is None else {"truth": sweep.truth}), "found": partition}
        inputs[value] = replace(prepare(given), model=models.get(value))
    as_given = {value: one.partitions["found"] for value, one in inputs.items()}
    ordered = [v for v in found if _is_number(v)]
    fields = weighed(
        as_given,
        inputs,
        sweep.data,
        sweep.scaled if seen is sweep.scaled.values else DataMatrix(seen),
        panel,
        label=lambda names: _label(grid, names),
        tests_structure=tests_structure,
        n_neighbors=N_NEIGHBORS,
        root=root,
        noise="cluster",
        ordered=ordered if len(ordered) == len(found) else (),
        is_scaled=sweep.scaler is not None or bool(space),
        are_models=bool(models),
    )
    n, d = sweep.data.values.shape
    runs = f"{sweep.n_runs} runs each" if sweep.n_runs > 1 else "one run each"
    name = type(sweep.method).__name__
    return ChoiceOfValue(
        **{**fields, "notes": (*[space] * bool(space), *notes, *_told(sweep, records), *fields["notes"])},
        frame=sweep.data.frame or "pandas",
        title=f"{n} objects, {d} features: {name}, {len(grid.values)} values of {grid.parameter}, {runs}",
        provenance=provenance(
            sweep.data.values,
            estimator=repr(sweep.method),
            parameter=grid.parameter,
            values=grid.values,
            n_runs=sweep.n_runs,
            scale=None if sweep.scaler is None else type(sweep.scaler).__name__,
            seed=root,
        ),
        parameter=grid.parameter,
        tried=grid.values,
        seeds=seeds,
        refit=sweep.refit,
        scaler=sweep.scaler,
        features=sweep.data.features,
    )


def _speaking(runs: Sequence[Record]) -> Record | None:
    """The run that speaks for a value: of those without tiny clusters the best objective, else the first."""
    done = [run for run in runs if not run.values["failed"]]
    sound = [run for run in done if not shape_of(from_arrays(run.arrays), None).flaw] or done
    known = [run for run in sound if math.isfinite(number(run.values["objective"]))]
    if known:
        return min(known, key=lambda run: number(run.values["objective"]))
    return sound[0] if sound else None


def _models(sweep: ValueSweep, panel: Panel, seeds: dict[int, int]) -> dict[Any, Any]:
    """The mixtures, fitted again, where an index looks at them."""
    if not any("model" in entry.inputs for entry in panel.entries):
        return {}
    values = sweep.grid.values
    models = {values[place]: last_step(sweep.refit(values[place], seed)) for place, seed in seeds.items()}
    return {value: model for value, model in models.items() if is_mixture(model)}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _label(grid: Grid, names: Sequence[Any]) -> str:
    """The values of one clustering, numbers that follow each other as a range."""
    places = [grid.values.index(name) for name in names]
    run = places == list(range(places[0], places[-1] + 1)) and all(map(_is_number, names))
    listed = f"{names[0]} to {names[-1]}" if run and len(names) > 1 else ", ".join(map(str, names))
    return f"{grid.parameter} = {listed}"


def _told(sweep: ValueSweep, records: Sequence[Sequence[Record]]) -> list[str]:
    """What is said of the fits."""
    fits = [record for runs in records for record in runs]
    notes = []
    if sweep.n_runs > 1:
        silent = all(record.values["objective"] is None for record in fits)
        which = (
            "the first run is judged (the method tells no objective)"
            if silent
            else ("the run with the best objective is judged")
        )
        notes.append(f"of each value {which}")
    failed = Counter(record.values["failed"] for record in fits if record.values["failed"])
    notes += [f"{count} of {len(fits)} fits failed: {why}" for why, count in failed.items()]
    warned = Counter(name for record in fits for name in record.values["warned"])
    notes += [f"{count} of {len(fits)} fits gave a {name}" for name, count in warned.items()]
    return notes


def refuse_beside_values(given: Mapping[str, tuple[Any, Any]]) -> None:
    """Refuse what belongs to sweeps over k: each name with what was given, and the usual."""
    for name, (one, usual) in given.items():
        if one is not usual and one != usual:
            raise ParameterError(
                Phrase(Setting(name), " belongs to sweeps over numbers of clusters."),
                got=Phrase(Setting(name), " beside ", Setting("parameter")),
                need="one of them",
                parameter=name,
            )


def check_values(grid: Grid) -> None:
    """Refuse values that could not be told apart in an answer, or written down."""
    for value in grid.values:
        if not isinstance(value, (int, float, str)) or value != value:
            raise ParameterError(
                "what is swept is numbers, texts, or True and False.",
                got=repr(value)[:100],
                need="numbers or texts",
                parameter="values",
            )


def runs_of(method: Any, n_runs: int) -> int:
    """As many as asked for, or one if the method is not random."""
    known = method.get_params(deep=True) if hasattr(method, "get_params") else vars(method)
    return n_runs if any(name.rpartition("__")[2] == "random_state" for name in known) else 1
