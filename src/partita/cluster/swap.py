"""k-means that does not get stuck: centres go from where they are not needed to where they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from partita.arrays import OPERATIONS_AT_A_TIME, Floats, blocks, held
from partita.cluster.centres import CentreFit, lloyd, starting_centres
from partita.cluster.clusterer import COUNT, FROM_STARTS, CentreClusterer, restarts, warn_of_no_convergence
from partita.progress import bar

SWAPS_AT_A_TIME = 64
"""Swaps after which objects are sorted anew."""

ROUNDS = 2
"""k-means iterations after a swap (Franti's program)."""

SWEEP_CELLS = 1_500_000
"""Numbers in X times clusters, over all searches of a sweep, that are done in half the time of compiling."""

_cells_of_sweep: ContextVar[float] = ContextVar("_cells_of_sweep", default=0.0)


@contextmanager
def part_of_sweep(cells: float) -> Iterator[None]:
    """Fits inside are some of many, whose numbers in X times clusters add up to ``cells``.

    All of them run the form that is sooner done for the whole; each alone would take what is best for one.
    """
    token = _cells_of_sweep.set(cells)
    try:
        yield
    finally:
        _cells_of_sweep.reset(token)


def swap_search(
    X: Floats,
    centres: Floats,
    rng: np.random.Generator,
    *,
    max_swaps: int,
    patience: int,
    max_iter: int = 300,
    tol: float = 0.0,
    n_searches: int = 1,
    on_swaps: Callable[[int, int], None] | None = None,
) -> tuple[CentreFit, int]:
    """Swap centres until ``patience`` swaps in a row have failed, then Lloyd; also how many were tried.

    ``n_searches`` says how many such searches come together.
    """
    from partita.kernels.swaps import gather, swap

    swarm = held(gather)(X, np.ascontiguousarray(centres, dtype=np.float64))
    in_one_call = max(1, OPERATIONS_AT_A_TIME // (X.size * len(centres)))  # between calls Ctrl-C is heard
    some_swaps = swap.times(n_searches)
    tried = failures = 0
    while len(centres) > 1 and tried < max_swaps and failures < patience:
        draws, taken = rng.random((min(SWAPS_AT_A_TIME, max_swaps - tried), 2)), 0
        for part in blocks(len(draws), in_one_call):
            more, taken_now, failures = some_swaps(swarm, draws[part], ROUNDS, failures, patience)
            tried, taken = tried + more, taken + taken_now
        if taken:
            best = swarm.centres
            del swarm  # it is as large as X, and so is the next
            swarm = held(gather)(X, best)
        if on_swaps is not None:
            on_swaps(tried, max_swaps)
    return lloyd(X, swarm.centres, max_iter=max_iter, tol=tol), tried


def swap_searches(
    X: Floats,
    starts: Sequence[Floats],
    rngs: Sequence[np.random.Generator],
    *,
    max_swaps: int,
    patience: int,
    max_iter: int = 300,
    tol: float = 0.0,
    on_swaps: Callable[[int, int], None] | None = None,
) -> list[tuple[CentreFit, int]]:
    """What `swap_search` finds from each of several starts, by array operations on all of them together."""
    from partita.kernels.swarms import gather_all, swap_all

    swarms = gather_all(X, np.array(starts, dtype=np.float64))
    tried, failures = [0] * len(starts), [0] * len(starts)
    going = list(range(len(starts))) if len(starts[0]) > 1 and max_swaps > 0 else []
    while going:
        draws = [rngs[s].random((min(SWAPS_AT_A_TIME, max_swaps - tried[s]), 2)) for s in going]
        done = swap_all(swarms, going, draws, ROUNDS, [failures[s] for s in going], patience)
        for s, (more, _, failed) in zip(going, done, strict=True):
            tried[s], failures[s] = tried[s] + more, failed
        moved = [s for s, (_, taken, _) in zip(going, done, strict=True) if taken]
        if moved:
            swarms.gather(moved)
        going = [s for s in going if tried[s] < max_swaps and failures[s] < patience]
        if on_swaps is not None:
            on_swaps(sum(tried), max_swaps * len(starts))
    fits = [lloyd(X, centres, max_iter=max_iter, tol=tol) for centres in swarms.centres]
    return list(zip(fits, tried, strict=True))


def default_patience(n_clusters: int) -> int:
    """Failed swaps in a row after which a search has stagnated."""
    return max(50, 2 * n_clusters)


class RandomSwap(CentreClusterer):
    """k-means by random swaps of centres: finds good clusterings where repeated k-means does not.

    A trial takes one centre away, puts it on an object far from its own centre, and runs two iterations of
    k-means around the two places; it is kept if the sum of squared distances falls. Which centre goes is
    drawn by what its removal would cost. When trials stop to help, k-means runs to its end.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    init : {"random", "k-means++"} or (k, d) array
        Where centres start: on distinct objects, spread out by k-means++, or as given.
    n_init : int
        The number of starts, of which the best is kept.
    max_swaps : int
        The most swaps to try in each start.
    patience : int, optional
        How many swaps in a row may fail before the search ends; by default 50, or two for each cluster if
        these are more.
    max_iter, tol : int, float
        The most iterations of k-means at the end, and how little centres may move in it (relative to the
        variance of the features); with 0 it ends when no object changes its cluster.
    random_state : None, int, Generator or RandomState
        The seed.
    n_jobs : int, optional
        Threads for the starts, which small data does without; the result is the same for any number.

    Attributes
    ----------
    partition_ : HardPartition
    labels_ : (n,) array
    cluster_centers_ : (k, d) array
    objective_ : float
        The sum of squared distances to the nearest centre; divide by ``n d`` for the MSE of franti2017.
    n_swaps_ : int
        Swaps tried in the best start.
    n_iter_ : int
        Iterations of k-means at its end.

    References
    ----------
    franti2018, franti2017

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[0.0], [1.0], [10.0], [11.0]], 5, axis=0)
    >>> model = RandomSwap(n_clusters=4, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.0, 1.0, 10.0, 11.0]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        **FROM_STARTS,
        "max_swaps": [Interval(Integral, 0, None, closed="left")],
        "patience": [*COUNT, None],
    }

    n_swaps_: int

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        init: Any = "random",
        n_init: int = 1,
        max_swaps: int = 5000,
        patience: int | None = None,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_swaps = max_swaps
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        from partita.kernels.swaps import is_small

        patience = default_patience(self.n_clusters) if self.patience is None else self.patience
        init = self._in_working_units(self.init)
        options: dict[str, Any] = {
            "max_swaps": self.max_swaps, "patience": patience, "max_iter": self.max_iter, "tol": self.tol
        }  # fmt: skip

        def start(seed: np.random.Generator) -> Floats:
            return starting_centres(X, self.n_clusters, init, seed)

        def run(seed: np.random.Generator) -> tuple[CentreFit, int]:
            with bar("random swap") as report:
                return swap_search(X, start(seed), seed, n_searches=searches, on_swaps=report, **options)

        cells = _cells_of_sweep.get()
        of_one = X.size * self.n_clusters
        searches = max(self.n_init, math.ceil(cells / of_one)) if cells > SWEEP_CELLS else self.n_init
        if is_small(X, self.n_clusters, searches):
            seeds = rng.spawn(self.n_init)
            with bar("random swap") as report:
                runs = swap_searches(X, [start(seed) for seed in seeds], seeds, on_swaps=report, **options)
        else:
            runs = restarts(run, self.n_init, rng, n_jobs=self.n_jobs, description="random swap")
        best, self.n_swaps_ = min(runs, key=lambda found: found[0].objective)
        if not best.converged:
            warn_of_no_convergence("k-means after the swaps", self.max_iter)
        self._leave(best, index)
