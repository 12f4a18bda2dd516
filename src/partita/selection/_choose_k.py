"""`choose_k`: fits over numbers of clusters and seeds, judged, and turned into choices and votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from partita.errors import ParameterError, Phrase, Setting
from partita.fits.checkpoints import Checkpoint, root_seed
from partita.fits.models import is_random, k_parameter, method_or_usual
from partita.fits.settings import grid_over
from partita.fits.shipments import one_shipment
from partita.fits.tasks import check_count, numbers_of_clusters, refuse_many, task_seed
from partita.inputs import prepare
from partita.partitions import DataMatrix, Partition, complete_data
from partita.partitions.models import check_space, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index
from partita.selection.assessment import assess
from partita.selection.checking import Checker, halves_over_k, of_data
from partita.selection.choices import ChoiceOfK
from partita.selection.deciding import decide
from partita.selection.judges import judges_for, with_rules
from partita.selection.mixture_sweeps import SweepOfShape, compared_shapes, shapes_of, sweep_shapes
from partita.selection.strategies import BRUTE_FORCE, method_for, search_fits
from partita.selection.sweep import ON_DATA, Sweep
from partita.selection.value_sweeps import (
    ValueSweep,
    check_values,
    choose_value,
    panel_of,
    refuse_beside_values,
    runs_of,
)

FIRST_RANGE = range(1, 11)
"""Numbers of clusters that are tried where none are named, and how far that is extended once."""
EXTENDED = range(11, 21)

POOLS = ("objective", "index", "mean")


@one_shipment()
def choose_k(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] | None = None,
    *,
    n_runs: int = 10,
    indices: Iterable[str | Index] | str | None = None,
    truth: Any = None,
    consensus: Iterable[str | Index] | str | None = None,
    rules: Mapping[str, str] | None = None,
    pool: str = "objective",
    n_null: int = 20,
    search: str = "brute force",
    k_param: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
    scale: str | None = None,
    structure: bool = True,
    n_splits: int = 5,
    covariance_type: Iterable[str] | str | None = None,
    parameter: str | None = None,
    values: Iterable[Any] | None = None,
) -> Any:
    """How many clusters are there: cluster for every k, let families of indices vote, and check the answer.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator : clusterer, optional
        Anything like scikit-learn's, ours or theirs, or a pipeline; `partita.cluster.RandomSwap` by default.
    ks : iterable of int, optional
        The numbers of clusters to try. By default 1 to 10 (at most one for two objects), and 11 to 20 too
        where most votes are for the last. k = 1 is a candidate for every index that can judge it.
    n_runs : int
        Fits for each k, each with a seed of its own; one if the method is not random.
    indices : list of names, optional
        Indices and curves (``"gap"``, ``"jump"``); a family (``"compactness"``, ``"curves"``) or the key of a
        paper (``"franti2017"``) stands for all that can judge this, "headline" for the default: one or two of
        each family that suits the method. Each family has one vote, which its indices share.
    truth : clustering, optional
        The true one: external indices are then reported too. They choose, but have no vote.
    consensus : list of names, optional
        External indices by which the runs of a k are compared with each other (lei2014, eq. 6): the k whose
        runs agree most is one more choice. See `consensus_index`.
    rules : dict, optional
        Other rules than an index's own: ``{"BIC": "first_max", "ball_hall": "knee"}``. One of
        `partita.registry.rules.RULES`.
    pool : {"objective", "index", "mean"}
        Which run of a k an index looks at: the one with the best objective (``objective_``, ``inertia_`` or
        minus ``lower_bound_``; its own best where there is none), its own best (lagofernandez2009), or the
        mean of all (lei2014). Runs with empty clusters, clusters of one object or collapsed components do not
        count. With "objective", what looks at pairs of objects is computed for the run that is judged only.
    n_null : int
        Data sets without structure that the gap statistic compares with.
    search : {"brute force", "stepwise", "guided", "hierarchical"}
        How numbers of clusters follow each other (franti2017, part V): each anew, n_runs times; each from the
        one before, by random swap, until k is well beyond the best; as part of the search, which takes a move
        that changes k if the first index gets better, from several k and from the stepwise answer; or as cuts
        of one Ward tree (the model of a k is then a `HardPartition`). All but the first make one clustering
        for each k that they come to, whatever n_runs and n_jobs, and say which; they know no gap, no
        consensus and no checkpoint.
    k_param : str, optional
        The parameter that sets the number of clusters, if it is neither n_clusters nor n_components.
    n_jobs : int, optional
        Workers; the result is the same for any number. They are processes, or those of the back end that
        ``joblib.parallel_config`` names: dask, Ray, Spark. The data are sent to each worker once; with Ray
        and Spark, with each batch of fits.
    random_state : None, int or Generator
        The seed from which all others come.
    checkpoint : path, optional
        A folder that keeps what is computed: a sweep that was killed, or that lost a worker, goes on there,
        to the same result. Workers write to it, on other machines too.
    missing : {"raise", "drop", "median", "mean"}
        What to do about missing values of X: refuse, leave these objects out, or fill them in with the median
        of their column.
    space : {"clustered", "input"}
        Where a pipeline is judged: in the space in which its last step clusters, or in that of X.
    scale : {None, "standard", "robust"}
        Give all features the same say: minus the mean over the deviation, or minus the median over the
        quartile distance. ``.model`` then scales first, and ``.centers()`` are in the units of X.
    structure : bool
        Whether to ask first if there is anything to find (a quick form of `structure`), and whether density
        sees other clusters than the method finds.
    n_splits : int
        Halvings of the data that show whether clusters are found again; 0 for none. They have a vote where no
        indices are named, and else are made for the most chosen k only.
    covariance_type : list of str, optional
        Of a mixture, the covariance shapes to try, such as ``["full", "diag", "tied", "spherical"]``: a sweep
        for each. The result is that of the shape with the best BIC (differences of up to 2 are a tie, which
        the mixture with the fewest parameters wins), and its ``.shapes`` has BIC of all. Without ``ks`` the
        range is not extended.
    parameter, values : str, list
        Another parameter to sweep instead, such as ``"resolution"``, ``"eps"`` or ``"min_cluster_size"``, and
        its values (numbers, texts, True and False); the estimator is then any object with ``fit`` or
        ``fit_predict``. Values that give the same clustering are one candidate. Curves over k, consensus,
        rules, other pools and searches do not apply, nor do halves of the data, which are sparser than the
        whole: whether clusters are found again, `stability` tells for a parameter too.

    Returns
    -------
    ChoiceOfK, or ChoiceOfValue
        ``.k`` (None where votes and checks carry no answer), ``.strength`` ("clear", "weak", "contested" or
        "no structure"), ``.remarks``, ``.statement``, ``.votes``, ``.choices``, ``.model`` (the chosen fit),
        ``.uncertainty`` (of each object, where the method gives memberships), ``to_frame()`` (every value of
        every run). Of another parameter a ``ChoiceOfValue``: ``.value`` is the chosen one, ``.k`` the number
        of clusters found there, and beside each value stand its clusters and its coverage.

    Notes
    -----
    An index chooses only if it has a value at half of the numbers of clusters tried or more, and at two of
    them at least. Of the indices that are used by default, one that cannot judge the data is left out, and
    the notes say why. What makes an answer clear is told in `partita.selection.assessment.assess`.

    Cost
    ----
    One fit for each k and run; two fits of half the data for each k and halving; for the gap statistic one
    more for each k and null data set. The test of structure looks at a thousand objects at most.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> choice = choose_k(X, ks=range(1, 6), n_runs=2, random_state=0)
    >>> choice.k, choice.strength, choice.votes
    (3, 'clear', {3: 6})
    """
    check_space(space)
    if parameter is not None or values is not None:
        refuse_beside_values(
            {
                "consensus": (consensus, None),
                "rules": (rules, None),
                "pool": (pool, "objective"),
                "search": (search, BRUTE_FORCE),
                "covariance_type": (covariance_type, None),
            }
        )
    given, against, notes = _data_and_truth(X, truth, missing)
    data, scaler = scaled_data(given, scale)
    if parameter is not None or values is not None:
        check_count("n_runs", n_runs)
        _check_checks(structure, n_splits)
        grid = grid_over(
            method := method_or_usual(estimator),
            data.n_objects,
            ks,
            k_param=k_param,
            parameter=parameter,
            values=values,
        )
        check_values(grid)
        n_runs = runs_of(method, int(n_runs))
        refuse_many("fits", len(grid.values) * n_runs)
        return choose_value(
            ValueSweep(given, data, scaler, against, method, grid, n_runs, space),
            panel_of(indices, method, truth is not None),
            tests_structure=bool(structure),
            n_jobs=n_jobs,
            random_state=random_state,
            checkpoint=checkpoint,
            notes=notes,
        )
    method = method_for(search, estimator)
    shapes: tuple[str, ...] = ()
    if covariance_type is not None:
        shape_param, shapes = shapes_of(method, covariance_type)
        method = clone(method).set_params(**{shape_param: shapes[0]})
    _check_shapes(shapes, search)
    named = k_parameter(method, k_param)
    numbers = numbers_of_clusters(_first_range(data.n_objects) if ks is None else ks, data.n_objects)
    if not isinstance(pool, str) or pool not in POOLS:
        need = ", ".join(f'"{name}"' for name in POOLS)
        raise ParameterError("no such pool.", got=repr(pool), need=need, parameter="pool")
    check_count("n_runs", n_runs)
    check_count("n_null", n_null)
    _check_checks(structure, n_splits)
    refuse_many("fits", len(numbers) * n_runs)
    judges = judges_for(indices, consensus, method, truth is not None).sampling(data.n_objects)
    judges = judges if rules is None else with_rules(judges, rules)
    if any(curve.needs_null for curve in judges.curves):
        refuse_many("fits of data without structure", len(numbers) * n_null)
    n_runs = n_runs if is_random(method) else 1
    whole = Sweep(data.values, against, method, named, numbers, n_runs, judges, space, scaler)
    sweep, costly = whole.affordable()
    about_data = () if judges.of_distances else of_data(given, scaled=scaler is not None)
    checks = {"tests_structure": structure and not judges.of_distances, "n_splits": n_splits}
    facts = {"frame": data.frame or "pandas", "space": space if preparing_steps(method) else None}
    if search != BRUTE_FORCE:
        choice, checker = _searched(search, sweep, random_state, checkpoint, pool, checks, facts)
        halves: dict[int, Any] = {}
    else:
        begun, compared = None, None
        if len(shapes) > 1:
            sweeps = {
                shape: replace(sweep, method=clone(method).set_params(**{shape_param: shape}))
                for shape in shapes
            }
            swept = sweep_shapes(sweeps, pool, n_null, n_jobs, random_state, checkpoint)
            compared = compared_shapes(swept, data.frame or "pandas")
            best = shapes[0] if compared.best is None else compared.best.shape
            begun = swept[shapes.index(best)]
            sweep, method = begun.sweep, begun.sweep.method
        run = _Run(sweep, pool, n_null, n_jobs, facts, {**checks, "votes": indices is None}, begun)
        choice, checker, halves = run.decided(random_state, checkpoint, extends=ks is None and not begun)
        if compared is not None:
            choice = replace(choice, shapes=compared, notes=(compared.statement, *choice.notes))
    found = checker.of_choice(choice, halves)
    answer = assess(choice.ballot, replace(found, remarks=(*about_data, *found.remarks)))
    left_out = [f"left out: {index} ({why})" for index, why in costly.items()]
    spoken = space_note(method, space)
    return replace(
        choice,
        notes=(*[spoken] * bool(spoken), *notes, *choice.notes, *left_out),
        remarks=answer.remarks,
        assessment=answer,
        features=data.features,
        given=given,
        structure=checker.structure,
    )


def _first_range(n: int) -> range:
    return range(1, min(FIRST_RANGE[-1], max(n // 2, 1)) + 1)


def _check_shapes(shapes: tuple[str, ...], search: str) -> None:
    if len(shapes) > 1 and search != BRUTE_FORCE:
        raise ParameterError(
            f"a {search} search makes no mixtures.",
            got=Phrase(Setting("covariance_type"), " beside ", Setting("search", search)),
            fix=Phrase(Setting("search", BRUTE_FORCE)),
            parameter="covariance_type",
        )


def _check_checks(structure: Any, n_splits: Any) -> None:
    if not isinstance(structure, (bool, np.bool_)):
        raise ParameterError(
            "structure is a yes or a no.", got=repr(structure), need="True or False", parameter="structure"
        )
    if isinstance(n_splits, bool) or not isinstance(n_splits, (int, np.integer)) or n_splits < 0:
        what = Phrase(Setting("n_splits"), " is no count of halvings.")
        raise ParameterError(
            what, got=repr(n_splits)[:60], need="a whole number; 0 for none", parameter="n_splits"
        )


@dataclass(frozen=True)
class _Run:
    """A sweep that starts anew at each k, extended once where most votes are for the last k."""

    sweep: Sweep
    pool: str
    n_null: int
    n_jobs: int | None
    facts: Mapping[str, Any]
    checks: Mapping[str, Any]
    begun: SweepOfShape | None = None
    """Fits that are there already."""

    def decided(
        self, random_state: Any, checkpoint: Any, *, extends: bool
    ) -> tuple[ChoiceOfK, Checker, dict[int, Any]]:
        """The choice, who checks it, and what halves of the data say."""
        if self.begun is not None:
            store, root = self.begun.store, self.begun.root
        else:
            store, root = self.sweep.checkpoint(checkpoint, random_state, self.n_null, extends=extends)
        choice, checker, halves = self._over(self.sweep, store, root)
        n = len(self.sweep.X)
        more = tuple(k for k in EXTENDED if k <= n // 2)
        at_end = choice.votes.get(self.sweep.ks[-1], 0.0)
        if extends and more and at_end > choice.ballot.answering / 2:
            longer = replace(self.sweep, ks=(*self.sweep.ks, *more))
            choice, checker, halves = self._over(longer, store, root)
            note = (
                f"most votes were for k = {self.sweep.ks[-1]}, the largest tried: up to {more[-1]} were tried"
            )
            choice = replace(choice, notes=(note, *choice.notes))
        return choice, checker, halves

    def _over(
        self, sweep: Sweep, store: Checkpoint | None, root: int
    ) -> tuple[ChoiceOfK, Checker, dict[int, Any]]:
        if self.begun is not None:
            fits, agreement = self.begun.fits, self.begun.agreement
        else:
            fits, agreement = sweep.fits(root, store, self.n_jobs, self.pool)
        needs_null = any(curve.needs_null for curve in sweep.judges.curves)
        null = sweep.null(root, store, self.n_jobs, self.n_null) if needs_null else None
        ways = {name: self.checks[name] for name in ("tests_structure", "n_splits")}
        checker = Checker(sweep, root, **ways, n_jobs=self.n_jobs, store=store)
        halves = checker.replications(sweep.ks) if self.checks["votes"] else {}
        voices = checker.voices(halves, fits) if self.checks["votes"] else []
        choice = decide(sweep, fits, agreement, null, self.pool, more=voices, seed=root, **self.facts)
        if halves:
            curve = halves_over_k(halves, sweep.ks)
            choice = replace(choice, curves={**choice.curves, curve.index: curve})
        return choice, checker, halves


def _data_and_truth(X: Any, truth: Any, missing: str) -> tuple[DataMatrix, Partition | None, tuple[str, ...]]:
    """The objects that have what is needed, their true clustering, and what is said of the others."""
    if truth is None:
        data = complete_data(X, missing)
        return data, None, (data.note,) * bool(data.note)
    inputs = prepare({"X": X, "truth": truth}, missing=missing)
    assert inputs.X is not None
    return inputs.X, inputs.partitions["truth"], tuple(n for n in inputs.notes if not n.startswith("noise:"))


def _searched(
    search: str,
    sweep: Sweep,
    random_state: Any,
    checkpoint: Any,
    pool: str,
    checks: Mapping[str, Any],
    facts: Mapping[str, Any],
) -> tuple[ChoiceOfK, Checker]:
    """The choice of a search that goes from one number of clusters to the next."""
    if checkpoint is not None:
        raise ParameterError(
            f"a {search} search is one piece of work and keeps no checkpoint.",
            got=Phrase(Setting("checkpoint", words="checkpoint=...")),
            fix=Phrase(Setting("search", BRUTE_FORCE)),
            parameter="checkpoint",
        )
    root = root_seed(random_state)
    found = search_fits(search, sweep, task_seed(root, ON_DATA))
    known: dict[str, Any] = {"seed": root, "search": search, "trail": found.trail}
    choice = decide(found.sweep, found.fits, {}, None, pool, **known, **facts)
    checker = Checker(found.sweep, root, **checks)
    notes = (*found.notes, *choice.notes)
    return replace(choice, notes=notes, refit=found.refit, asked=sweep.ks), checker
