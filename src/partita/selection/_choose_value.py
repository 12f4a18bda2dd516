"""`choose_value`: the best value of any parameter of a method, by the clusterings that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from partita.arrays import check_flag
from partita.errors import ParameterError
from partita.fits.models import method_or_usual
from partita.fits.settings import Grid, grid_over
from partita.fits.shipments import one_shipment
from partita.fits.tasks import check_count, refuse_many
from partita.partitions.models import check_space, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index
from partita.results.provenance import provenance
from partita.selection._choose import remarks_about
from partita.selection._structure import Structure
from partita.selection.choices import ChoiceOfValue
from partita.selection.decisions import Case, with_neighbours
from partita.selection.index_panel import panel_for_method
from partita.selection.preferences import Candidate, agreement_of, equal_groups, hard_labels, preferences_of
from partita.selection.sweep import Fit, Sweep, data_and_truth, notes_on

__all__ = ["choose_value"]

N_NEIGHBORS = 10


@one_shipment()
def choose_value(
    X: Any,
    estimator: Any,
    values: Mapping[str, Iterable[Any]],
    *,
    n_runs: int = 10,
    indices: Iterable[str | Index] | str | None = None,
    truth: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
    scale: str | None = None,
    structure: bool | Structure = True,
) -> ChoiceOfValue:
    """Choose the value of a parameter, such as a resolution or a radius.

    The method is fitted with each value, and the clusterings get the score of `choose_k`. Values that give
    the same clustering are one candidate. The answer is not clear if it has the most clusters of all values
    and is found at the smallest or largest one: beyond it there may be more clusters.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator : clusterer
        Any object with ``fit`` or ``fit_predict``.
    values : dict
        The parameter with its values (numbers, texts, True and False): ``{"eps": [0.1, 0.2, 0.4]}``.
    n_runs, indices, truth, n_jobs, random_state, checkpoint, missing, space, scale, structure
        As in `choose_k`. Indices are reported and do not decide; curves over k do not apply.

    Returns
    -------
    ChoiceOfValue
        ``.value``, ``.k`` (the number of clusters found with it), ``.partition``, ``.strength``,
        ``.statement``, ``.because``, ``.alternatives``, ``.model``, and ``to_frame()`` (a row for each value
        with its clusters, its coverage and its score).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import DBSCAN
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> found = choose_value(X, DBSCAN(), {"eps": [0.2, 1.5, 20.0]}, random_state=0)
    >>> found.value, found.k, found.strength
    (1.5, 3, 'clear')
    """
    check_space(space)
    check_count("n_runs", n_runs)
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    if not isinstance(values, Mapping) or len(values) != 1:
        raise ParameterError(
            "values must be a dictionary of one parameter.",
            got=repr(values)[:100],
            need='{"eps": [0.1, 0.2]}',
            parameter="values",
        )
    ((parameter, listed),) = values.items()
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    given, against, notes = data_and_truth(X, truth, missing)
    data, scaler = scaled_data(given, scale)
    method = method_or_usual(estimator)
    grid = grid_over(method, data.n_objects, None, parameter=parameter, values=listed)
    for value in grid.values:
        if not isinstance(value, (int, float, str)) or value != value:
            raise ParameterError(
                "values must be numbers, texts, or True and False.",
                got=repr(value)[:100],
                need="numbers or texts",
                parameter="values",
            )
    known = method.get_params(deep=True) if hasattr(method, "get_params") else vars(method)
    n_runs = int(n_runs) if any(name.rpartition("__")[2] == "random_state" for name in known) else 1
    refuse_many("fits", len(grid.values) * n_runs)
    panel = panel_for_method(indices, None, method, has_truth=against is not None, swept=False)
    space, spaces = _space_of(method, grid, space)
    sweep = Sweep(data.values, against, method, grid, n_runs, panel.sampling(data.n_objects), space, scaler)
    sweep, costly = sweep.affordable()
    store, root = sweep.checkpoint(checkpoint, random_state, 0)
    fits, _ = sweep.fits(root, store, n_jobs, "objective")
    kept = {fit.setting: fit for fit in fits if fit.partition is not None}
    found = _candidates(grid, kept, sweep)
    seen = sweep.where_clustered(root)
    found, neighbours = with_neighbours(found, seen, N_NEIGHBORS, root)
    is_scaled = scaler is not None or seen is not data.values
    case = Case.of(seen, given, root, structure=structure, is_scaled=is_scaled, n_jobs=n_jobs)
    found, verdict, best = case.choose(found, ends=_ends(grid, found))
    n, d = data.values.shape
    runs = f"{n_runs} runs each" if n_runs > 1 else "one run each"
    return ChoiceOfValue(
        verdict=verdict,
        structure=case.structure,
        evidence=case.evidence,
        candidates=tuple(found),
        chosen=best,
        preferences=preferences_of(found, sweep.panel.entries),
        pairs=agreement_of([c.partition for c in found if c.partition is not None]),
        kept=neighbours,
        remarks=(*case.remarks_on(verdict), *remarks_about(found, "cluster")),
        notes=(
            *spaces,
            *notes,
            *["for each value, the run with the best objective is evaluated"] * (n_runs > 1),
            *notes_on(fits),
            *(f"left out: {index} ({why})" for index, why in {**sweep.panel.left_out, **costly}.items()),
        ),
        frame=data.frame or "pandas",
        title=(
            f"{n} objects, {d} features: {type(method).__name__}, {len(grid.values)} values of {parameter},"
            f" {runs}"
        ),
        provenance=provenance(
            data.values,
            estimator=repr(method),
            parameter=parameter,
            values=grid.values,
            n_runs=n_runs,
            scale=scale,
            seed=root,
        ),
        parameter=parameter,
        tried=grid.values,
        seeds={place: kept[value].seed for place, value in enumerate(grid.values) if value in kept},
        refit=sweep.refit,
        scaler=scaler,
        features=data.features,
    )


def _space_of(method: Any, grid: Grid, space: str) -> tuple[str, list[str]]:
    """The space in which clusterings are evaluated: that of X where the parameter changes the other one."""
    if not preparing_steps(method):
        return space, []
    of_last = grid.parameter.startswith(f"{method.steps[-1][0]}__")
    if space == "clustered" and not of_last:
        return "input", [f"evaluated in the space of X, since {grid.parameter} changes that of the clusters"]
    return space, [space_note(method, space)]


def _candidates(grid: Grid, kept: Mapping[Any, Fit], sweep: Sweep) -> list[Candidate]:
    """The different clusterings with the values of the indices.

    Models with the same clustering are apart where one has a flaw, or where indices of the model differ.
    """
    found = []
    partitions = {value: fit.partition for value, fit in kept.items() if fit.partition is not None}
    of_model = [e.label for e in sweep.panel.entries if "model" in e.inputs]
    groups: dict[Any, list[Any]] = {}
    for place, equal in enumerate(equal_groups(partitions)):
        for name in equal:
            values = [repr(kept[name].values[label]) for label in of_model]
            groups.setdefault((place, kept[name].flaw, *values), []).append(name)
    for names in map(tuple, groups.values()):
        fit = kept[names[0]]
        assert fit.partition is not None
        assert fit.shape is not None
        own = hard_labels(fit.partition)
        sizes = [int((own == j).sum()) for j in range(own.max(initial=-1) + 1)]
        found.append(
            Candidate(
                names,
                _label(grid, names),
                fit.shape,
                min((size for size in sizes if size), default=0),
                values={e.label: fit.values[e.label] for e in sweep.panel.entries},
                caveats={e.label: fit.caveats[e.label] for e in sweep.panel.entries},
                partition=fit.partition,
            )
        )
    return found


def _ends(grid: Grid, candidates: Sequence[Candidate]) -> dict[str, str]:
    """The candidates of most clusters at an end of numbers: beyond it there may be more clusters."""
    values = grid.values
    if len(values) < 2 or any(isinstance(one, (str, bool)) for one in values):
        return {}
    most = max(c.clusters for c in candidates)
    ends = {min(values): "smallest", max(values): "largest"}
    return {
        c.label: f"{grid.parameter} = {end} is the {which} tried"
        for c in candidates
        for end, which in ends.items()
        if end in c.names and c.clusters == most
    }


def _label(grid: Grid, names: Sequence[Any]) -> str:
    """The values of one clustering, numbers that follow each other as a range."""
    places = [grid.values.index(name) for name in names]
    are_numbers = all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in names)
    run = places == list(range(places[0], places[-1] + 1)) and are_numbers
    listed = f"{names[0]} to {names[-1]}" if run and len(names) > 1 else ", ".join(map(str, names))
    return f"{grid.parameter} = {listed}"
