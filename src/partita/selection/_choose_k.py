"""`choose_k`: the number of clusters in data, and the clusters."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from partita.arrays import Array, check_flag, one_thread
from partita.cluster.density_tree import DensityTree
from partita.errors import ParameterError, Phrase, Setting
from partita.fits.checkpoints import Checkpoint, folder_of, root_seed
from partita.fits.degenerate_fits import shape_of
from partita.fits.fit_scores import judge_fit
from partita.fits.models import is_random, k_parameter, method_sort, metric_for, refuse_methods_of_features
from partita.fits.settings import Grid
from partita.fits.shipments import one_shipment
from partita.fits.tasks import check_count, check_workers, numbers_of_clusters, refuse_many, task_seed
from partita.inputs import data_and_truth
from partita.partitions import DataMatrix, HardPartition, Partition
from partita.partitions.equal_clusterings import hard_labels
from partita.partitions.models import check_space, last_step, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index, find
from partita.registry.rules import in_runs
from partita.results import plain
from partita.results.provenance import provenance
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._choose import choose_value
from partita.selection._structure import Structure
from partita.selection.choices import ChoiceOfK, ChoiceOfValue
from partita.selection.covariance_shapes import compared_shapes, shapes_of, sweep_shapes
from partita.selection.decisions import Case
from partita.selection.evidence import MIXTURE, TREE, WARD, ScoredClustering
from partita.selection.index_panel import (
    HEADLINE_OF,
    HEADLINE_WITH_TRUTH,
    panel_for,
    panel_for_method,
)
from partita.selection.prediction_strength import prediction_strength_over_k
from partita.selection.strategies import BRUTE_FORCE, method_for, search_fits
from partita.selection.sweep import Fit, Seeds, Sweep, left_out_notes, notes_on
from partita.selection.verdict import WEAK_SCORE, Verdict
from partita.selection.votes import evaluate
from partita.statistics.distances.measured_data import measured_data

FIRST_RANGE = range(1, 11)
"""Numbers of clusters that a named method tries first."""

LONGER_RANGES = (tuple(range(11, 21)), (25, 32, 40, 50), (64, 80, 100))
"""Numbers of clusters that follow, one range after the other, while a best is the largest tried or larger."""

POOLS = ("objective", "index", "mean")

DISTANCE_INDICES = ("silhouette:metric=precomputed",)
"""The usual index of clusterings of distances."""

KINDS = {"mixture": MIXTURE, "density": TREE}
"""The kind of method, for agreement, of each sort of estimator that is like one of partita's own two."""


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
    search: str = BRUTE_FORCE,
    k_param: str | None = None,
    metric: str | Callable[..., float] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
    scale: str | None = None,
    structure: bool | Structure = True,
    n_splits: int = 0,
    covariance_type: Iterable[str] | str | None = None,
    parameter: str | None = None,
    values: Iterable[Any] | None = None,
) -> Any:
    """Find the clusters in data, and their number.

    Without an estimator, the candidates are the cuts of density trees and mixtures of Gaussians. Each has a
    score: how long the clusters stay apart in twelve density trees, how well the other kinds of method find
    the same clusters, and the agreement with the mixture of best BIC. The largest score is the answer. With
    an estimator, its clusterings over k get the same score, and partita's own two methods confirm them or
    not. Indices are reported beside the answer and do not decide it.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data; the distances ``(n, n)`` for ``metric="precomputed"``.
    estimator : clusterer, optional
        Anything like scikit-learn's, ours or theirs, or a pipeline. By default partita's own two methods.
    ks : iterable of int, optional
        The numbers of clusters that may be the answer. By default those up to 100 that the data can carry; an
        estimator tries 1 to 10, and more while its best, or that of partita's own methods, is as large.
    n_runs : int
        Fits of an estimator for each k, each with a seed of its own; one if the method is not random.
    indices : list of names, optional
        Indices and curves (``"gap"``, ``"jump"``); a family (``"compactness"``, ``"curves"``) or the key of a
        paper (``"franti2017"``) stands for all that apply; "headline" is the default: one or two of each
        family that suits the method. Each chooses by its rule, and each family has one vote.
    truth : clustering, optional
        The true one: external indices are then reported too.
    consensus : list of names, optional
        External indices by which the runs of a k are compared with each other (lei2014, eq. 6).
    rules : dict, optional
        Other rules than an index's own: ``{"BIC": "first_max", "ball_hall": "knee"}``. One of
        `partita.registry.rules.RULES`.
    pool : {"objective", "index", "mean"}
        Which run of a k an index evaluates: the one with the best objective (``objective_``, ``inertia_`` or
        minus ``lower_bound_``; its own best where there is none), its own best (lagofernandez2009), or the
        mean of all (lei2014). Runs with empty clusters, clusters of one object or collapsed components do not
        count.
    n_null : int
        Number of data sets without structure for the gap statistic.
    search : {"brute force", "stepwise", "guided", "hierarchical"}
        How numbers of clusters follow each other (franti2017, part V): each from new starts; each from the
        one before, by random swap; as part of the search, guided by the first index; or as cuts of one Ward
        tree (the model of a k is then a `HardPartition`). All but the first give one clustering for each k,
        whatever n_runs and n_jobs, and have no gap, no consensus and no checkpoint.
    k_param : str, optional
        The parameter that sets the number of clusters, if it is neither n_clusters nor n_components.
    metric : str or function, optional
        "euclidean" by default, another name of SciPy's, "gower" (frames with categories) or a function of two
        rows; "precomputed" where X holds distances, ``(n, n)`` or condensed.
        There are no mixtures of distances, and the answer is at most "weak"; an estimator must take them.
    n_jobs : int, optional
        Workers; the result is the same for any number. They are processes, or those of the back end that
        ``joblib.parallel_config`` names: dask, Ray, Spark.
    random_state : None, int or Generator
        The seed from which all others come. Up to 3,000 objects the answer without an estimator has no seed.
    checkpoint : path, optional
        A folder that keeps the fits of an estimator: a sweep that was killed, or that lost a worker, goes on
        there, to the same result.
    missing : {"raise", "drop", "median", "mean"}
        How to treat missing values of X: refuse, drop these objects, or fill in the median or mean of their
        column.
    space : {"clustered", "input"}
        Where a pipeline is evaluated: in the space in which its last step clusters, or in that of X.
    scale : {None, "standard", "robust"}
        Give all features equal weight: minus the mean over the standard deviation, or minus the median over
        the quartile distance. ``.model`` then scales first, and ``.centers()`` are in the units of X.
    structure : bool, or Structure
        Whether to test first if there is any structure; the result of a test is quoted without running it
        again.
    n_splits : int
        Halvings of the data for the prediction strength of an estimator, which is reported over k.
    covariance_type : list of str, optional
        Of a mixture, the covariance shapes to try, such as ``["full", "diag", "tied", "spherical"]``: a sweep
        for each. The result is that of the shape with the best BIC (differences of up to 2 are a tie, which
        the mixture with the fewest parameters wins), and its ``.shapes`` has BIC of all.
    parameter, values : str, list
        Deprecated: `choose_value` sweeps another parameter.

    Returns
    -------
    ChoiceOfK
        ``.k`` and ``.partition`` (None only for no structure), ``.strength`` ("clear", "weak", "contested" or
        "no structure"), ``.score`` and ``.scored`` (its parts), ``.margin``, ``.levels``, ``.alternatives``,
        ``.because``, ``.remarks``, ``.statement``; ``.model`` (the fitted estimator), ``.choices`` and
        ``.votes`` of indices, ``to_frame()`` (every value of every run).

    Notes
    -----
    How often answers of each strength are right is measured in the documentation (choosing). An index chooses
    only if it has a value at half of the numbers of clusters tried or more, and at two of them at least; one
    that is best at the largest number has no vote. Of the indices that are used by default, one that cannot
    evaluate the data is left out, and the notes say why.

    Cost
    ----
    Density trees, mixtures and the test of structure of 3,000 objects at most, seconds. With an estimator one
    fit for each k and run; for the gap statistic one more for each k and null data set.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> choice = choose_k(X, random_state=0)
    >>> choice.k, choice.strength
    (3, 'clear')
    >>> print(choice.statement)
    3 clusters, clear: density tree, mixture and Ward find the same (ARI 1.00); apart while the reach grows
    2.7-fold; best BIC.
    """
    if parameter is not None or values is not None:
        return _choose_parameter(locals())
    check_space(space)
    if not isinstance(pool, str) or pool not in POOLS:
        need = ", ".join(f'"{name}"' for name in POOLS)
        raise ParameterError("no such pool.", got=repr(pool), need=need, parameter="pool")
    check_count("n_runs", n_runs)
    check_count("n_null", n_null)
    is_zero = isinstance(n_splits, (int, np.integer)) and not isinstance(n_splits, bool) and n_splits == 0
    check_count("n_splits", 1 if is_zero else n_splits)
    check_workers(n_jobs)
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    measured = measured_data(X, metric_for(estimator, metric), missing=missing, scale=scale)
    given, against, notes = data_and_truth(measured.X, truth, missing, measured.metric)
    notes = (*measured.notes, *notes)
    data, scaler = scaled_data(given, measured.scale)
    asked = None if ks is None else numbers_of_clusters(ks, data.n_objects)
    ways = (pool, int(n_null), int(n_splits), n_jobs, checkpoint, random_state, estimator is None)
    question = _Question(given, data, scaler, against, notes, asked, measured.metric, structure, *ways)
    named = (indices, consensus, rules, covariance_type, k_param, estimator)
    if search == BRUTE_FORCE and pool == "objective" and not n_splits and all(one is None for one in named):
        choice = question.own_choice()
        if checkpoint is not None:
            kept = f"nothing is kept in {folder_of(checkpoint)}: partita's own methods take seconds"
            choice = replace(choice, notes=(*choice.notes, kept))
        return choice
    method = method_for(search, estimator)
    if measured.are_distances:
        if estimator is None and search == BRUTE_FORCE:
            method = DensityTree(metric="precomputed")
        refuse_methods_of_features(method)
        if n_splits:
            raise ParameterError(
                "prediction strength needs the features.",
                got=Phrase(Setting("n_splits", int(n_splits)), " and distances"),
                need=Phrase(Setting("n_splits", 0)),
                parameter="n_splits",
            )
    k_name = k_parameter(method, k_param)
    shapes: dict[str, Any] = {}
    if covariance_type is not None:
        shape_param, listed = shapes_of(method, covariance_type)
        shapes = {shape: clone(method).set_params(**{shape_param: shape}) for shape in listed}
        method = shapes[listed[0]]
    panel = panel_for_method(indices, consensus, method, has_truth=against is not None)
    if measured.are_distances:
        panel = (
            panel_for(DISTANCE_INDICES, (), ("X", "found")) if indices is None else panel.of_given_distances()
        )
    panel = panel.sampling(data.n_objects)
    panel = panel if rules is None else panel.with_rules(rules)
    first = FIRST_RANGE[: max(data.n_objects // 2, 1)] if asked is None else asked
    grid = Grid(k_name, tuple(first), True)
    refuse_many("fits", len(first) * n_runs)
    if any(curve.needs_null for curve in panel.curves):
        refuse_many("fits of data without structure", len(first) * n_null)
    runs = int(n_runs) if is_random(method) else 1
    sweep = Sweep(data.values, against, method, grid, runs, panel, space, scaler).affordable()
    if search != BRUTE_FORCE:
        return question.searched_choice(sweep, search, len(shapes) > 1)
    return question.swept_choice(sweep, shapes if len(shapes) > 1 else {})


@dataclass(frozen=True, eq=False)
class _Question:
    """The data, and what `choose_k` is asked about them."""

    given: DataMatrix
    data: DataMatrix
    scaler: Any
    truth: Partition | None
    notes: tuple[str, ...]
    ks: tuple[int, ...] | None
    metric: str
    structure: Any
    pool: str
    n_null: int
    n_splits: int
    n_jobs: int | None
    checkpoint: Any
    random_state: Any
    is_usual: bool
    """True where the user named no estimator."""

    @property
    def scale(self) -> str | None:
        """The name of the scaler."""
        return None if self.scaler is None else type(self.scaler).__name__

    def case(self, X: Array, root: int) -> Case:
        """The evidence about the data in the space where they are clustered."""
        return Case.of(
            X,
            self.given,
            root,
            structure=self.structure,
            is_scaled=self.scaler is not None or X is not self.data.values,
            metric=self.metric,
            ks=self.ks or (),
            n_jobs=self.n_jobs,
        )

    @property
    def title(self) -> str:
        """The size of the data, in words."""
        n, d = self.data.shape
        return f"{n} objects, {'distances' if self.metric == 'precomputed' else f'{d} features'}"

    def own_verdict(self, case: Case) -> tuple[Verdict, list[ScoredClustering]]:
        """The verdict on the clusterings of partita's own methods, and those that may be the answer."""
        every = case.evidence.clusterings
        if self.ks is None:
            return case.judge(every, largest_k=case.evidence.largest_k), list(every)
        able = [one for one in every if one.k in self.ks]
        largest = max(self.ks) if len(self.ks) > 1 else None
        return case.judge(able, largest_k=largest, rivals=every[:1]), able

    def own_choice(self) -> ChoiceOfK:
        """The answer of density trees and mixtures; usual indices evaluate the best clustering of each k."""
        root = root_seed(self.random_state)
        case = self.case(self.data.values, root)
        verdict, able = self.own_verdict(case)
        evidence = case.evidence
        by_k: dict[int, ScoredClustering] = {}
        for one in able:
            by_k.setdefault(one.k, one)
        ends = [FIRST_RANGE[-1], *(one.k + 2 for one in verdict.levels)]
        ks = [k for k in sorted(by_k) if self.ks is not None or k <= max(ends)]
        of_distances = self.metric == "precomputed"
        headline = DISTANCE_INDICES if of_distances else HEADLINE_OF["centres"]
        inputs = ("X", "found") if self.truth is None else ("X", "truth", "found")
        panel = panel_for(None, [*headline, *HEADLINE_WITH_TRUTH * (self.truth is not None)], inputs)
        seen = evidence.data[evidence.rows]
        seen = np.asarray(seen[:, evidence.rows] if of_distances else seen, dtype=np.float64)
        truth = None if self.truth is None else self.truth.take(evidence.rows)
        entries = [find(label) for label in panel.labels]
        fits = []
        for k in ks:
            found = HardPartition(by_k[k].labels)
            with one_thread():
                rows, refused = judge_fit(seen, truth, None, found, entries, leaves_out=True)
            fits.append(
                Fit(
                    k=k,
                    run=0,
                    seed=0,
                    objective=-by_k[k].score,
                    values=dict.fromkeys(refused, math.nan) | {index: value for index, value, _ in rows},
                    caveats=refused | {index: caveat for index, _, caveat in rows},
                    refused=refused,
                    shape=shape_of(found, k),
                    partition=evidence.whole(by_k[k]).partition,
                )
            )
        sweep = Sweep(seen, truth, None, Grid("n_clusters", tuple(ks), True), 1, panel)
        curves, choices, selected, left_out = evaluate(sweep, fits) if fits else ({}, {}, {}, {})
        methods = "density trees" if of_distances else "density trees and mixtures"
        known = {"estimator": methods, "ks": self.ks, "metric": self.metric}
        return self.choice(
            case,
            verdict,
            ks,
            fits,
            notes=left_out_notes(left_out),
            facts={**known, "scale": self.scale, "seed": root},
            curves=curves,
            choices=choices,
            selected=selected,
            title=f"{self.title}: {methods}",
            refit=lambda k, _: evidence.model_of(by_k[k]),
        )

    def swept_choice(self, sweep: Sweep, shapes: Mapping[str, Any]) -> ChoiceOfK:
        """The answer about an estimator that is fitted anew for each k."""
        if shapes:
            sweeps = {shape: replace(sweep, method=method) for shape, method in shapes.items()}
            swept = sweep_shapes(
                sweeps, self.pool, self.n_null, self.n_jobs, self.random_state, self.checkpoint
            )
            compared = compared_shapes(swept, self.data.frame or "pandas")
            one = swept[0 if compared.best is None else list(sweeps).index(compared.best.shape)]
            case = self.case(one.sweep.where_clustered(one.root), one.root)
            found = (one.sweep, case, one.fits, one.agreement, one.store, one.root)
            return self._decided(*found, before=(compared.statement,), shapes=compared)
        extends = self.ks is None
        store, root = sweep.checkpoint(self.checkpoint, self.random_state, self.n_null, extends=extends)
        case = self.case(sweep.where_clustered(root), root)
        longer = list(LONGER_RANGES) if extends else []
        while True:
            fits, agreement = sweep.fits(root, store, self.n_jobs, self.pool)
            verdict = _verdict_on(sweep, case, fits)
            more = tuple(k for k in longer.pop(0) if 5 * k <= len(sweep.X)) if longer else ()
            seen = [one.k for one in case.evidence.clusterings[:1] if one.score >= WEAK_SCORE]
            seen += [] if verdict.best is None else [verdict.best.k]
            if not more or max(seen, default=0) < sweep.ks[-1]:
                return self._decided(sweep, case, fits, agreement, store, root)
            sweep = sweep.with_values((*sweep.ks, *more))

    def searched_choice(self, sweep: Sweep, search: str, has_shapes: bool) -> ChoiceOfK:
        """The answer about a search that goes from one number of clusters to the next."""
        what, setting = ("mixtures", "covariance_type") if has_shapes else ("checkpoint", "checkpoint")
        if has_shapes or self.checkpoint is not None:
            raise ParameterError(
                f"a {search} search has no {what}.",
                got=Phrase(Setting(setting, words=f"{setting}=...")),
                fix=Phrase(Setting("search", BRUTE_FORCE)),
                parameter=setting,
            )
        root = root_seed(self.random_state)
        found = search_fits(search, sweep, task_seed(root, Seeds.ON_DATA))
        case = self.case(sweep.X, root)
        more = {"largest_k": sweep.ks[-1], "before": found.notes, "refit": found.refit}
        choice = self._decided(found.sweep, case, found.fits, {}, None, root, **more)
        return replace(
            choice, provenance={**choice.provenance, "search": search, "trail": plain(found.trail)}
        )

    def _decided(
        self,
        sweep: Sweep,
        case: Case,
        fits: Sequence[Fit],
        agreement: Mapping[str, Sequence[float]],
        store: Checkpoint | None,
        root: int,
        *,
        largest_k: int | None = None,
        before: Sequence[str] = (),
        **known: Any,
    ) -> ChoiceOfK:
        """The choice from all fits: curves and choices of indices, and the verdict."""
        has_null = any(curve.needs_null for curve in sweep.panel.curves)
        null = sweep.null(root, store, self.n_jobs, self.n_null) if has_null else None
        curves, choices, selected, left_out = evaluate(sweep, fits, agreement, null, self.pool)
        if self.n_splits:
            curve, choice = prediction_strength_over_k(sweep, self.n_splits, root, self.n_jobs, store)
            curves, choices = {**curves, curve.index: curve}, {**choices, choice.index: choice}
        own = self.own_verdict(case)[0] if self.is_usual else _verdict_on(sweep, case, fits, largest_k)
        spoken = space_note(sweep.method, sweep.space)
        facts = {
            "estimator": repr(sweep.method),
            "ks": sweep.ks,
            "n_runs": sweep.n_runs,
            "pool": self.pool,
            "scale": self.scale,
            "space": sweep.space if preparing_steps(sweep.method) else None,
            "seed": root,
        }
        return self.choice(
            case,
            own,
            sweep.ks,
            fits,
            remarks=_of_fits(fits, selected),
            notes=(
                *before,
                *[spoken] * bool(spoken),
                *_of_pool(fits, selected, self.pool, sweep.n_runs),
                *notes_on(fits),
                *left_out_notes({**left_out, **sweep.costly}),
            ),
            facts=facts,
            curves=curves,
            choices=choices,
            selected=selected,
            title=f"{self.title}: {sweep.work}",
            **{"refit": sweep.refit, **known},
        )

    def choice(
        self,
        case: Case,
        verdict: Verdict,
        ks: Sequence[int],
        fits: Sequence[Fit],
        *,
        remarks: Sequence[Remark] = (),
        notes: Iterable[str],
        facts: Mapping[str, Any],
        **found: Any,
    ) -> ChoiceOfK:
        """The answer with all that it was found by."""
        return ChoiceOfK(
            verdict=verdict,
            structure=case.structure,
            evidence=case.evidence,
            remarks=(*case.remarks_on(verdict), *remarks),
            notes=(*self.notes, *notes),
            frame=self.data.frame or "pandas",
            provenance=provenance(self.data.values, **facts),
            ks=tuple(ks),
            fits=tuple(fits),
            data=self.data.values,
            features=self.data.features,
            given=self.given,
            scaler=self.scaler,
            **found,
        )


def _verdict_on(sweep: Sweep, case: Case, fits: Sequence[Fit], largest_k: int | None = None) -> Verdict:
    """The verdict on the clusterings of an estimator, partita's own methods being rivals and witnesses."""
    kept = {fit.k: fit for fit in fits if fit.partition is not None and fit.k > 1}
    sound = [fit for fit in kept.values() if not fit.flaw] or list(kept.values())
    name = type(last_step(sweep.method)).__name__
    kind = KINDS.get(method_sort(sweep.method), WARD if name == "AgglomerativeClustering" else name)
    scored = [
        case.scored(hard_labels(fit.partition), kind, estimator=name, k=fit.k)
        for fit in sound
        if fit.partition is not None
    ]
    largest = largest_k or (sweep.ks[-1] if len(sweep.ks) > 1 else None)
    best = max(scored, key=lambda one: (round(one.score, 9), -one.k), default=None)
    shape = None if best is None else kept[best.parameters["k"]].shape
    flaw, coverage = ("", 1.0) if shape is None else (shape.flaw, shape.coverage)
    own = case.evidence.clusterings[:1]
    return case.judge(scored, largest_k=largest, rivals=own, coverage=coverage, flaw=flaw)


def _of_pool(fits: Sequence[Fit], selected: Mapping[int, int], pool: str, n_runs: int) -> list[str]:
    if pool == "mean":
        return ["the value at a k is the mean over its runs"]
    if pool == "index" or all(math.isnan(fit.objective) for fit in fits):
        why = "" if pool == "index" else " (the method has no objective)"
        return [f"each index evaluates its own best run of a k{why}"]
    return ["for each k, the run with the best objective is evaluated"] * (n_runs > 1 and bool(selected))


def _of_fits(fits: Sequence[Fit], selected: Mapping[int, int]) -> tuple[Remark, ...]:
    """Fits with a flaw: which numbers of clusters do not count, and where sound runs were taken instead."""
    at = {(fit.k, fit.run): fit for fit in fits}
    void = {k for k, run in selected.items() if at[k, run].flaw}
    collapsed = [fit for fit in fits if fit.shape is not None and fit.shape.collapsed]
    tiny = [fit for fit in fits if fit.flaw and fit not in collapsed]
    sorts = (
        (RemarkKind.COLLAPSED, collapsed, "their likelihood is that of the floor"),
        (RemarkKind.TINY_CLUSTERS, tiny, "outliers, or more clusters than there are"),
    )
    remarks: list[Remark] = []
    for kind, flawed, why in sorts:
        lost = [fit for fit in flawed if selected.get(fit.k) == fit.run]
        passed_over = [fit for fit in flawed if fit.k not in void]
        texts = []
        if lost:
            ks = in_runs([fit.k for fit in lost])
            texts.append(f"k = {ks} does not count: {lost[0].flaw} at k = {lost[0].k} ({why})")
        if passed_over:
            ks = in_runs(sorted({fit.k for fit in passed_over}))
            first = f"{passed_over[0].flaw} at k = {passed_over[0].k}"
            texts.append(f"{len(passed_over)} runs at k = {ks} were passed over for sound ones ({first})")
        remarks += speak(kind, "; ".join(texts))
    return tuple(remarks)


def _choose_parameter(given: dict[str, Any]) -> ChoiceOfValue:
    """The old spelling of `choose_value`."""
    usual = inspect.signature(choose_k).parameters
    for name in ("ks", "k_param", "consensus", "rules", "pool", "search", "covariance_type"):
        if given[name] is not usual[name].default and given[name] != usual[name].default:
            raise ParameterError(
                Phrase(Setting(name), " belongs to sweeps over numbers of clusters."),
                got=Phrase(Setting(name), " beside ", Setting("parameter")),
                need="one of them",
                parameter=name,
            )
    for named, lacking in (("values", "parameter"), ("parameter", "values")):
        if given[lacking] is None:
            raise ParameterError(
                Phrase(Setting(named), " without ", Setting(lacking)),
                got=Phrase("no ", Setting(lacking)),
                need='choose_value(X, estimator, {"eps": [0.1, 0.2]})',
                parameter=named,
            )
    warnings.warn(
        "choose_k(parameter=, values=) is deprecated: use choose_value(X, estimator, {parameter: values}).",
        FutureWarning,
        stacklevel=4,
    )
    shared = ("n_runs", "indices", "truth", "n_jobs", "random_state", "checkpoint", "missing", "space")
    ways = {name: given[name] for name in (*shared, "scale", "structure", "metric")}
    return choose_value(given["X"], given["estimator"], {given["parameter"]: given["values"]}, **ways)
