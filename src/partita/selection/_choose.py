"""`choose` and `choose_value`: the best of several clusterings, ready or of several values of a parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partita.arrays import check_flag
from partita.errors import ParameterError
from partita.fits.checkpoints import root_seed
from partita.fits.models import is_random, method_or_usual, metric_for, refuse_methods_of_features
from partita.fits.settings import Grid, grid_over
from partita.fits.shipments import one_shipment
from partita.fits.tasks import check_count, refuse_many
from partita.inputs import data_and_truth, prepare
from partita.partitions import as_partition, with_cuts
from partita.partitions.clusters import refuse_other_orders, several
from partita.partitions.equal_clusterings import equal_groups
from partita.partitions.models import check_space, is_estimator, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index
from partita.registry.functions import no_direction
from partita.results.provenance import provenance
from partita.selection._structure import Structure
from partita.selection.candidates import Candidate, candidates_of
from partita.selection.choices import ChoiceOfClustering, ChoiceOfValue
from partita.selection.decisions import Case
from partita.selection.index_panel import HEADLINE_OF, panel_for, panel_for_method
from partita.selection.sweep import Sweep, left_out_notes, notes_on
from partita.statistics.distances.measured_data import MeasuredData, measured_data

__all__ = ["choose", "choose_value"]

HEADLINE = tuple(dict.fromkeys(name for sort in ("centres", "density") for name in HEADLINE_OF[sort]))

N_NEIGHBORS = 10


# --- ready clusterings ------------------------------------------------------------------------------------


def choose(
    X: Any,
    candidates: Any,
    *,
    k: Any = None,
    height: Any = None,
    kinds: Mapping[Any, str] | None = None,
    indices: Iterable[str | Index] | str | Index | None = None,
    scale: str | None = None,
    noise: str = "cluster",
    missing: str = "raise",
    noise_label: Any = None,
    structure: bool | Structure = True,
    n_neighbors: int = 10,
    random_state: Any = None,
    metric: str | Callable[..., float] | None = None,
) -> ChoiceOfClustering:
    """Choose the best of several clusterings of the same data.

    Nothing is fitted again. Each clustering gets the score of `choose_k`: how long its clusters last in
    density trees, how well density trees and mixtures find them too, and the agreement with the mixture of
    best BIC. Clusterings that differ only in the names of their clusters are one candidate.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data that were clustered.
    candidates : dict of clusterings, or frame of label columns
        Anything `as_partition` takes, by name: ``{"leiden 0.2": labels, "leiden 0.5": others}``. A fitted
        pipeline is evaluated in the space of X.
    k, height : number or list of numbers, optional
        For trees of merges, alone or among the candidates: into how many clusters, or at which height they
        are cut, see `cut`. Several cuts are candidates of their own: ``choose(X, tree, k=range(2, 9))``.
    kinds : dict, optional
        The kind of method of each candidate by name: ``{"leiden 0.2": "graph", "km 3": "centres"}``.
        Candidates of different kinds that find the same clusters confirm each other; others do not.
    indices : list of names, optional
        Internal indices, a family (``"compactness"``), the key of a paper, or functions of the data and
        labels: ``{"mine": (f, "higher")}``. What they prefer is reported and does not decide.
    scale : {None, "standard", "robust"}
        Give all features equal weight: minus the mean over the standard deviation, or minus the median over
        the quartile distance.
    noise : {"cluster", "singletons", "ignore", "raise"}
        How indices treat objects labelled -1 beside non-negative labels.
    missing : {"raise", "drop", "noise", "median", "mean"}
        How to treat missing labels and values, as in `validate`.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    structure : bool, or Structure
        Whether to test first if there is any structure; the result of a test is quoted without running it
        again.
    n_neighbors : int
        Number of nearest neighbours of an object.
    random_state : None, int or Generator
        The seed of the test of structure, and of samples.
    metric : str or function, optional
        "euclidean" by default, another name of SciPy's, "gower" (frames with categories) or a function of two
        rows; "precomputed" where X holds distances, ``(n, n)`` or condensed.
        There are then no mixtures, no test of structure and no indices with centres.

    Returns
    -------
    ChoiceOfClustering
        ``.best`` (a name; None for no structure, or if one cluster is the best guess), ``.k``,
        ``.partition``, ``.strength`` ("clear", "weak", "contested" or "no structure"), ``.score``,
        ``.margin``, ``.because``, ``.alternatives``, ``.statement``, ``.preferences`` and ``.votes`` of
        indices, ``.agreement`` (adjusted Rand index of every two), ``.neighbours``, and ``to_frame()`` (a row
        for each name).

    Notes
    -----
    A clustering without two clusters is no candidate. One with clusters of a single object does not count
    while others have none. Noise follows the nearest object in a cluster for the score; coverage is shown.

    Cost
    ----
    The density trees and mixtures of 3,000 objects at most, and one pass of each index over each different
    clustering. Above 10,000 objects silhouettes and neighbours are those of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> three, two = np.repeat([0, 1, 2], 30), np.repeat([0, 1, 1], 30)
    >>> found = choose(X, {"three": three, "two": two, "again": 2 - three}, random_state=0)
    >>> found.best, found.k, found.strength
    ('three', 3, 'clear')
    """
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    check_count("n_neighbors", n_neighbors)
    candidates = with_cuts({"found": candidates}, k, height)["found"]
    given = several(candidates)
    if given is None or len(given) < 2:
        raise ParameterError(
            "there is nothing to choose among.",
            got="one clustering" if given is None or given else "an empty dictionary",
            need="two clusterings at least, by name: {name: labels, ...}",
            fix="validate(X, found) for one",
            parameter="candidates",
        )
    _check_kinds(kinds, given)
    refuse_other_orders(X, given)
    panel = panel_for(indices, HEADLINE, ("X", "found"), swept=False)
    measured = measured_data(X, metric, missing=missing, scale=scale)
    if measured.are_distances:
        panel = panel.of_given_distances()
        given = {n: as_partition(one, X=X) if is_estimator(one) else one for n, one in given.items()}
    scale = measured.scale
    texts = _texts(list(given))
    sides = {"X": measured.X, **{texts[name]: one for name, one in given.items()}}
    ways = {"missing": missing, "noise_label": noise_label, "metric": measured.metric}
    whole = prepare(sides, **ways)
    settled = whole if isinstance(noise, str) and noise == "cluster" else prepare(sides, noise=noise, **ways)
    assert whole.X is not None
    assert settled.X is not None
    scaled, scaler = scaled_data(whole.X, scale)
    seen = settled.X if scaler is None else settled.X.with_other_values(scaler.transform(settled.X.values))
    inputs = {
        name: replace(settled, partitions={"found": settled.partitions[text]}, X=seen, model=None)
        for name, text in texts.items()
    }
    root = root_seed(random_state)
    found, entries, left_out = candidates_of(
        lambda names: " = ".join(texts[name] for name in names),
        {name: whole.partitions[text] for name, text in texts.items()},
        inputs,
        panel.entries,
        panel.named,
    )
    case = Case.of(
        scaled.values,
        whole.X,
        root,
        structure=structure,
        is_scaled=scaler is not None,
        metric=measured.metric,
    )
    models = [one for one in given.values() if is_estimator(one) and preparing_steps(one)]
    n, d = whole.X.shape
    different = f", {len(found)} different" if len(found) < len(given) else ""
    return case.choice_among(
        ChoiceOfClustering,
        found,
        entries,
        scaled.values,
        int(n_neighbors),
        root,
        kinds=kinds,
        noise=noise,
        notes=(
            *measured.notes,
            *(space_note(one, "input") for one in models[:1]),
            *[f'features on one scale: "{scale}"'] * (scale is not None),
            *(note for note in whole.notes if note != whole.noisy),
            *left_out_notes({**panel.left_out, **left_out}),
            *(
                f"{e.label} prefers none: {no_direction(e.label)}"
                for e in entries
                if e.made_by and e.best is None
            ),
        ),
        frame=whole.frame or "pandas",
        title=f"{n} objects, {_width(d, measured)}: {len(given)} clusterings{different}",
        provenance=provenance(
            whole.X.values,
            scale=scale,
            noise=noise,
            missing=missing,
            metric=measured.name if measured.are_distances else None,
            indices=[entry.label for entry in panel.entries],
            n_neighbors=n_neighbors,
            seed=root,
        ),
    )


def _width(d: int, measured: MeasuredData) -> str:
    """The number of features in words."""
    return "distances" if measured.are_distances else f"{d} features"


def _check_kinds(kinds: Any, given: Mapping[Any, Any]) -> None:
    if kinds is None:
        return
    if not isinstance(kinds, Mapping) or not all(isinstance(kind, str) for kind in kinds.values()):
        raise ParameterError(
            "kinds must name the kind of method of each candidate.",
            got=repr(kinds)[:100],
            need='{name: kind}, such as {"leiden 0.2": "graph"}',
            parameter="kinds",
        )
    unknown = [name for name in kinds if name not in given]
    if unknown:
        raise ParameterError(
            "kinds names no candidate.",
            got=repr(unknown[0]),
            need=f"one of {', '.join(map(str, given))}",
            parameter="kinds",
        )


def _texts(names: Sequence[Any]) -> dict[Any, str]:
    """Each name as a text of its own; in quotes where another has the same, or the data are called so."""
    times = Counter(["X", *map(str, names)])
    texts: dict[Any, str] = {}
    for name in names:
        text, again = str(name) if times[str(name)] == 1 else repr(name), 2
        while text in texts.values():
            text, again = f"{name!r} ({again})", again + 1
        texts[name] = text
    return texts


# --- the values of a parameter ----------------------------------------------------------------------------


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
    metric: str | Callable[..., float] | None = None,
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
    n_runs, indices, truth, n_jobs, random_state, checkpoint, missing, space, scale, structure, metric
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
    measured = measured_data(X, metric_for(estimator, metric), missing=missing, scale=scale)
    scale = measured.scale
    given, against, notes = data_and_truth(measured.X, truth, missing, measured.metric)
    notes = (*measured.notes, *notes)
    data, scaler = scaled_data(given, scale)
    method = method_or_usual(estimator)
    if measured.are_distances:
        refuse_methods_of_features(method)
    grid = grid_over(method, data.n_objects, None, parameter=parameter, values=listed)
    for value in grid.values:
        if not isinstance(value, (int, float, str)) or value != value:
            raise ParameterError(
                "values must be numbers, texts, or True and False.",
                got=repr(value)[:100],
                need="numbers or texts",
                parameter="values",
            )
    n_runs = int(n_runs) if is_random(method) else 1
    refuse_many("fits", len(grid.values) * n_runs)
    panel = panel_for_method(indices, None, method, has_truth=against is not None, swept=False)
    panel = panel.of_given_distances() if measured.are_distances else panel
    space, spaces = _space_of(method, grid, space)
    panel = panel.sampling(data.n_objects)
    sweep = Sweep(data.values, against, method, grid, n_runs, panel, space, scaler).affordable()
    store, root = sweep.checkpoint(checkpoint, random_state, 0)
    fits, _ = sweep.fits(root, store, n_jobs, "objective")
    kept = {fit.setting: fit for fit in fits if fit.partition is not None}
    found = []
    partitions = {value: fit.partition for value, fit in kept.items() if fit.partition is not None}
    of_model = [entry.label for entry in sweep.panel.entries if "model" in entry.inputs]
    groups: dict[Any, list[Any]] = {}
    for place, equal in enumerate(equal_groups(partitions)):
        for name in equal:  # models with the same clustering may have other likelihoods, and other flaws
            of_fit = [repr(kept[name].values[label]) for label in of_model]
            groups.setdefault((place, kept[name].flaw, *of_fit), []).append(name)
    for names in map(tuple, groups.values()):
        fit, label, partition = kept[names[0]], _label(grid, names), partitions[names[0]]
        assert fit.shape is not None
        known = {entry.label: fit.values[entry.label] for entry in sweep.panel.entries}
        caveats = {index: fit.caveats[index] for index in known}
        found.append(Candidate(names, label, fit.shape, values=known, caveats=caveats, partition=partition))
    seen = sweep.where_clustered(root)
    is_scaled = scaler is not None or seen is not data.values
    case = Case.of(
        seen,
        given,
        root,
        structure=structure,
        is_scaled=is_scaled,
        metric=measured.metric,
        n_jobs=n_jobs,
    )
    return case.choice_among(
        ChoiceOfValue,
        found,
        sweep.panel.entries,
        seen,
        N_NEIGHBORS,
        root,
        ends=_ends(grid, found),
        with_bic=True,
        notes=(
            *spaces,
            *notes,
            *["for each value, the run with the best objective is evaluated"] * (n_runs > 1),
            *notes_on(fits),
            *left_out_notes({**sweep.panel.left_out, **sweep.costly}),
        ),
        frame=data.frame or "pandas",
        title=f"{data.n_objects} objects, {_width(data.shape[1], measured)}: {sweep.work}",
        provenance=provenance(
            data.values,
            estimator=repr(method),
            parameter=parameter,
            values=grid.values,
            n_runs=n_runs,
            scale=scale,
            metric=measured.name if measured.are_distances else None,
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
