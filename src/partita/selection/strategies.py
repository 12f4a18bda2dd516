"""Searches over numbers of clusters that do not start anew at each (franti2017, part V).

Stepwise goes up from the clustering of the k before, guided lets an index accept moves that change k, and
hierarchical cuts one Ward tree. All draw from one seed, one step after the other, and judge as a sweep does.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.cluster.centres import CentreFit, lloyd, starting_centres
from partita.cluster.clusterer import squarable, warn_of_empty, warn_of_no_convergence
from partita.cluster.swap import ROUNDS, RandomSwap, default_patience
from partita.cluster.ward import WardTree, refuse_many_pairs
from partita.errors import ParameterError, Phrase, Setting, near_names
from partita.fits.degenerate_fits import shape_of
from partita.fits.fit_scores import judge_fit
from partita.fits.models import method_or_usual
from partita.inputs import prepare
from partita.partitions import HARD, HardPartition
from partita.progress import bar
from partita.registry import Index, find
from partita.selection.sweep import Fit, Sweep

BRUTE_FORCE = "brute force"
STRATEGIES = (BRUTE_FORCE, "stepwise", "guided", "hierarchical")

SWAPS_PER_CLUSTER = 4
"""Swaps that are weighed at each k of a stepwise search, for each cluster."""

WORTH_A_TRY = 0.5
"""A swap is tried if the new centre gains this share of what the removal costs, before k-means helps it."""

ROUNDING = 1e-9
"""The relative gain below which a guided search has not moved."""

STARTS = 3
"""Random starts of a guided search: at a third, at two thirds, and at the end of the numbers of clusters."""


@dataclass(frozen=True)
class Search:
    """What a strategy evaluated.

    Attributes
    ----------
    sweep : Sweep
        The sweep with the numbers of clusters that were judged, a run for each.
    fits : list of Fit
        One for each of them.
    refit : function
        From a k (and a seed, which is not needed) to its clustering: a fitted estimator, or for the
        hierarchical search a `HardPartition`.
    notes : tuple of str
        What was done, and why it ended.
    trail : tuple of tuples
        Of a guided search, for each start the (k, value) that it passed.
    """

    sweep: Sweep
    fits: list[Fit]
    refit: Callable[[int, int], Any]
    notes: tuple[str, ...]
    trail: tuple[tuple[tuple[int, float], ...], ...] = ()


def method_for(strategy: str, estimator: Any = None) -> Any:
    """The clusterer that a strategy works with: the one given if it can be used, else the usual one."""
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise near_names(str(strategy), STRATEGIES, noun="search strategy", parameter="search")
    if strategy == BRUTE_FORCE:
        return method_or_usual(estimator)
    from sklearn.cluster import AgglomerativeClustering, KMeans

    if strategy == "hierarchical":
        method = AgglomerativeClustering() if estimator is None else estimator
        usable = (
            isinstance(method, AgglomerativeClustering)
            and method.linkage == "ward"
            and method.connectivity is None
        )
        need = 'none, or AgglomerativeClustering(linkage="ward")'
    else:
        method = method_or_usual(estimator)
        usable, need = isinstance(method, (RandomSwap, KMeans)), "none, RandomSwap or scikit-learn's KMeans"
    if not usable:
        raise ParameterError(
            f"a {strategy} search cannot use this clusterer.",
            got=repr(estimator),
            need=need,
            fix=Phrase(Setting("search", BRUTE_FORCE), " takes any"),
        )
    return method


def search_fits(
    strategy: str, sweep: Sweep, seed: int, *, reassign: bool = True, stop: bool | None = None
) -> Search:
    """Run a strategy other than brute force.

    Parameters
    ----------
    strategy : {"stepwise", "guided", "hierarchical"}
        How numbers of clusters follow each other.
    sweep : Sweep
        Data, method (from `method_for`), numbers of clusters and judges.
    seed : int
        All draws come from it.
    reassign : bool
        Whether after a cut of the Ward tree each object goes to the nearest mean.
    stop : bool, optional
        Whether to end at k >= 1.5 k_best + 5, with k_best by the first index asked for that has a best value.
        By default the stepwise search does and the hierarchical one does not.

    Returns
    -------
    Search
    """
    from sklearn.utils.validation import check_array

    judges = sweep.panel
    if judges.consensus or any(curve.needs_null for curve in judges.curves):
        raise ParameterError(
            f"a {strategy} search makes one clustering for each k.",
            got="a consensus or gap statistic, which needs many",
            fix=Phrase(Setting("search", BRUTE_FORCE)),
        )
    X = squarable(check_array(sweep.X, dtype=np.float64, order="C"))
    with one_thread():
        if strategy == "guided":
            found = _guided(sweep, X, seed)
        elif strategy == "hierarchical":
            found = _hierarchical(sweep, X, seed, reassign, bool(stop))
        else:
            found = _stepwise(sweep, X, seed, stop is not False)
    # as if no other numbers of clusters had been asked for
    return replace(found, sweep=replace(sweep.with_values(fit.k for fit in found.fits), n_runs=1))


# --- judging, and when to stop ----------------------------------------------------------------------------


def _judged(sweep: Sweep, k: int, seed: int, fit: CentreFit) -> Fit:
    """A clustering as a run of a sweep, with the warnings that its estimator would have given."""
    entries = [find(label) for label in sweep.panel.labels]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = HardPartition(fit.labels)
        warn_of_empty(k - _filled(fit.labels), k)
        if not fit.converged:
            warn_of_no_convergence("k-means", sweep.method.max_iter)
        rows, refused = judge_fit(
            sweep.X, sweep.truth, None, found, entries, leaves_out=sweep.panel.leaves_out
        )
    return Fit(
        k=k,
        run=0,
        seed=seed,
        objective=fit.objective,
        values=dict.fromkeys(refused, math.nan) | {index: value for index, value, _ in rows},
        caveats=refused | {index: caveat for index, _, caveat in rows},
        warned=tuple(sorted({type(w.message).__name__ for w in caught})),
        refused=refused,
        shape=shape_of(found, k),
        partition=found,
    )


def _leading_index(sweep: Sweep) -> Index | None:
    """The first index of data and a hard clustering whose best value is its choice."""
    able = (
        entry
        for entry in sweep.panel.entries
        if entry.inputs == ("X", "found")
        and entry.range_of((HARD,)) is not None
        and entry.direction != "none"
        and entry.rule == "best"
    )
    return next(able, None)


def _rising(
    sweep: Sweep, seed: int, way: str, found: Iterable[tuple[int, CentreFit]], count: int, *, stops: bool
) -> tuple[dict[int, Fit], dict[int, CentreFit], str]:
    """Clusterings of rising k, of which there are ``count`` at most, as fits; and where they ended.

    They end early where there is none with so many clusters, or with ``stops`` where nothing is expected
    beyond: at k >= 1.5 k_best + 5.
    """
    index = _leading_index(sweep) if stops else None
    fits: dict[int, Fit] = {}
    kept: dict[int, CentreFit] = {}
    done, best_k, best = 0, 0, -math.inf
    with bar(f"{way} search") as report:
        for done, (k, fit) in enumerate(found, start=1):
            if k in sweep.ks:
                fits[k], kept[k] = _judged(sweep, k, seed, fit), fit
            if k in sweep.ks and index is not None:
                gain = _gain(index, fits[k].values[index.label])
                if gain > best:
                    best_k, best = k, gain
                if best_k > 0 and k >= 1.5 * best_k + 5:
                    reason = f"k = {k} >= 1.5 * {best_k} + 5, {best_k} being the best by {index.label}"
                    return fits, kept, reason
            report(done, count)
    all_found = done == count
    return fits, kept, "the last k asked for" if all_found else f"k = {done}: with more a cluster stays empty"


def _gain(index: Index, value: float) -> float:
    """The value so that higher is better; -inf where there is none."""
    if not math.isfinite(value):
        return -math.inf
    return value if index.direction == "higher" else -value


# --- stepwise ---------------------------------------------------------------------------------------------


def _stepwise(sweep: Sweep, X: Floats, seed: int, stops: bool) -> Search:
    """From k to k + 1: one more centre, swaps whose number grows with k, k-means."""
    fits, kept, ended = _rising(sweep, seed, "stepwise", _steps(sweep, X, seed), sweep.ks[-1], stops=stops)
    if not fits:
        raise ParameterError(
            "X has fewer distinct objects than clusters.", got=f"ks from {sweep.ks[0]}", need=ended
        )
    notes = (f"stepwise: {len(fits)} of {len(sweep.ks)} numbers of clusters tried, up to {ended}",)
    return Search(sweep, list(fits.values()), _refit(sweep, kept), notes)


def _steps(sweep: Sweep, X: Floats, seed: int) -> Iterator[tuple[int, CentreFit]]:
    """A clustering for each number of clusters from 1 on, until a cluster stays empty."""
    from partita.kernels.swaps import gather, weighed_swaps

    method, rng = sweep.method, np.random.default_rng(seed)
    most_swaps = getattr(method, "max_swaps", 0)
    centres = X.mean(axis=0, keepdims=True)
    for k in range(1, sweep.ks[-1] + 1):
        swarm = gather(X, centres)
        if k > 1:
            swaps = min(SWAPS_PER_CLUSTER * k, most_swaps)
            weighed_swaps(swarm, rng.random((swaps, 2)), ROUNDS, WORTH_A_TRY)
        fit = lloyd(X, swarm.centres, max_iter=method.max_iter)
        if _filled(fit.labels) < k:
            return
        yield k, fit
        centres = _with_one_more(X, fit.centres, rng)


def _filled(labels: Array) -> int:
    """How many clusters have an object."""
    return int(np.count_nonzero(np.bincount(labels)))


def _with_one_more(X: Floats, centres: Floats, rng: np.random.Generator) -> Floats:
    """The centres and one on an object: of a few drawn by squared distance, that which gains most."""
    from partita.kernels.swaps import gather, helpful_object

    swarm = gather(X, centres)  # its objects are in another order, and its centres are means
    point = helpful_object(swarm, rng.random(2 + int(math.log(len(centres)))))
    return np.vstack([swarm.centres, swarm.X[point]])


def _refit(sweep: Sweep, kept: Mapping[int, CentreFit]) -> Callable[[int, int], Any]:
    """The estimator of a k, fitted from the centres that were found, which it does not leave."""

    def refit(k: int, seed: int) -> Any:
        from sklearn.base import clone

        given = {sweep.grid.parameter: k, "init": kept[k].centres, "n_init": 1, "random_state": seed}
        more = {"max_swaps": 0} if isinstance(sweep.method, RandomSwap) else {}
        with one_thread():
            return clone(sweep.method).set_params(**given, **more).fit(sweep.X)

    return refit


# --- guided -----------------------------------------------------------------------------------------------


def _guided(sweep: Sweep, X: Floats, seed: int) -> Search:
    """Climbs from several k and from the stepwise answer; each k passed on the way is judged.

    From a random start at a large k a climb may end where no single move is better, far from the best; the
    stepwise search comes from below, and is quick. The best of all is the answer.
    """
    index = _leading_index(sweep)
    if index is None:
        raise ParameterError(
            "a guided search follows one index of data and a hard clustering.",
            got=", ".join(sweep.panel.labels),
            need="one whose best value is its choice, such as wb_index, silhouette or davies_bouldin",
        )
    starts = dict.fromkeys(sweep.ks[math.ceil(len(sweep.ks) * s / STARTS) - 1] for s in range(1, STARTS + 1))
    *rngs, rng_of_steps = np.random.default_rng(seed).spawn(len(starts) + 1)
    origins = [(starting_centres(X, k, "k-means++", rng), rng) for k, rng in zip(starts, rngs, strict=True)]
    origins += [(centres, rng_of_steps) for centres in _stepwise_answer(sweep, X, index, rng_of_steps)]
    climbs = []
    with bar("guided search") as report:
        for centres, rng in origins:
            climbs.append(_Climb(sweep, X, index, rng, centres))
            climbs[-1].run()
            report(len(climbs), len(origins))
    best: dict[int, _State] = {}
    for state in (state for climb in climbs for state in climb.path):
        if state.k not in best or state.gain > best[state.k].gain:
            best[state.k] = state
    kept = {k: best[k].fit for k in sorted(best)}
    fits = [_judged(sweep, k, seed, fit) for k, fit in kept.items()]
    ways = "; ".join(
        f"from k = {climb.path[0].k} to {climb.path[-1].k}, {climb.tried} moves" for climb in climbs
    )
    notes = (
        f"guided by {index.label}: {ways}",
        "the other indices judge what it passed on its way, not the best clustering of each k",
    )
    trail = tuple(tuple((state.k, state.value) for state in climb.path) for climb in climbs)
    return Search(sweep, fits, _refit(sweep, kept), notes, trail)


def _stepwise_answer(sweep: Sweep, X: Floats, index: Index, rng: np.random.Generator) -> list[Floats]:
    """The centres that a stepwise search finds best by an index; none if it gets nowhere."""
    alone = replace(sweep, panel=replace(sweep.panel, entries=(index,), curves=()))
    own = int(rng.integers(1 << 32))
    fits, kept, _ = _rising(alone, own, "stepwise", _steps(alone, X, own), sweep.ks[-1], stops=True)
    best = max(fits.values(), key=lambda fit: _gain(index, fit.values[index.label]), default=None)
    return [] if best is None else [kept[best.k].centres]


@dataclass(frozen=True)
class _State:
    fit: CentreFit
    value: float
    gain: float

    @property
    def k(self) -> int:
        return len(self.fit.centres)


class _Climb:
    """Moves that add, remove or swap a centre, each followed by k-means; taken if the index gets better.

    With RandomSwap a move is tried with two iterations, and if it is taken k-means goes on to its end. With
    KMeans, which has no swaps, every move is followed by all of k-means. It ends when as many moves in a row
    have failed as RandomSwap would let swaps fail.
    """

    def __init__(
        self, sweep: Sweep, X: Floats, index: Index, rng: np.random.Generator, centres: Floats
    ) -> None:
        self.X, self.ks, self.method, self.index, self.rng = X, sweep.ks, sweep.method, index, rng
        self.has_swaps = isinstance(sweep.method, RandomSwap)
        self.inputs = prepare({"X": sweep.X, "found": np.zeros(len(X), np.int64)})
        self.tried = 0
        self.path = [self._state(centres, self.method.max_iter)]

    def _state(self, centres: Floats, max_iter: int) -> _State:
        fit = lloyd(self.X, centres, max_iter=max_iter)
        found = HardPartition(fit.labels).compacted()
        value, _ = self.index.value_for(replace(self.inputs, partitions={"found": found}), None)
        return _State(fit, value, _gain(self.index, value))

    def run(self) -> None:
        """Move until it stagnates."""
        rounds = ROUNDS if self.has_swaps else self.method.max_iter
        most = self.method.max_swaps if self.has_swaps else math.inf
        failures = 0
        while failures < self._patience() and self.tried < most and (moves := self._moves()):
            state = self._state(moves[self.rng.integers(len(moves))](), rounds)
            if self._is_better(state):
                state = self._state(state.fit.centres, self.method.max_iter)
            failures = 0 if self._is_better(state) else failures + 1
            if failures == 0:
                self.path.append(state)
            self.tried += 1

    def _is_better(self, state: _State) -> bool:
        beyond_rounding = state.gain - ROUNDING * abs(state.gain)
        return beyond_rounding > self.path[-1].gain and _filled(state.fit.labels) == state.k

    def _patience(self) -> int:
        given = getattr(self.method, "patience", None)
        return given or default_patience(self.path[-1].k)

    def _moves(self) -> list[Callable[[], Floats]]:
        """The ways to new centres from here."""
        k, centres = self.path[-1].k, self.path[-1].fit.centres
        more, fewer = [q for q in self.ks if q > k][:1], [q for q in self.ks if q < k][-1:]
        moves: list[Callable[[], Floats]] = []
        if more:
            moves.append(lambda: self._grown(centres, more[0] - k))
        if fewer:
            moves.append(lambda: self._shrunk(centres, k - fewer[0]))
        if self.has_swaps and k > 1:
            moves.append(lambda: self._shrunk(self._grown(centres, 1), 1, spared=1))
        return moves

    def _grown(self, centres: Floats, count: int) -> Floats:
        for _ in range(count):
            centres = _with_one_more(self.X, centres, self.rng)
        return centres

    def _shrunk(self, centres: Floats, count: int, spared: int = 0) -> Floats:
        """Without centres drawn by the rank of their removal cost, as `swap` does; the last are spared."""
        from partita.kernels.swaps import gather, removal_costs

        for _ in range(count):
            costs = removal_costs(gather(self.X, centres))[: len(centres) - spared]
            rank = min(int((len(costs) + 1) ** self.rng.random()) - 1, len(costs) - 1)
            centres = np.delete(centres, np.argsort(costs, kind="stable")[rank], axis=0)
        return centres


# --- hierarchical -----------------------------------------------------------------------------------------


def _hierarchical(sweep: Sweep, X: Floats, seed: int, reassign: bool, stops: bool) -> Search:
    """One Ward tree, cut at every k."""
    refuse_many_pairs(len(X), fix='search="stepwise"')
    tree = WardTree.of(X)
    cuts = ((k, tree.partition(k, reassign=reassign)) for k in sweep.ks)
    fits, _, ended = _rising(sweep, seed, "hierarchical", cuts, len(sweep.ks), stops=stops)
    after = ", each object then with the nearest mean" if reassign else ""
    count = f"{len(fits)} of {len(sweep.ks)} numbers of clusters"
    notes = (f"hierarchical: {count} cut from one Ward tree{after}, up to {ended}",)

    def refit(k: int, _: int) -> HardPartition:
        return HardPartition(tree.partition(k, reassign=reassign).labels)

    return Search(sweep, list(fits.values()), refit, notes)
