"""Clusters of 0/1 vectors by stochastic complexity."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval

from partita.arrays import OPERATIONS_AT_A_TIME, Array, Floats, blocks, held, map_blocks
from partita.cluster.clusterer import COUNT, N_JOBS, RANDOM_STATE, Clusterer, restarts, warn_of_no_convergence
from partita.errors import ParameterError
from partita.partitions import HardPartition

TRIAL_PASSES = 2
"""Passes after a swap, before it is judged."""

LEAST_GAIN = 1e-9
"""A swap must gain more than rounding could feign."""


class StochasticComplexityClustering(Clusterer):
    """Clusters of 0/1 vectors that make the data shortest to tell.

    From random objects as first representatives on, each object in turn moves to the cluster where
    `stochastic_complexity` becomes smallest, its own and the other cluster being adjusted at once, until no
    move helps. Then clusters are dissolved at random and put up again around a random object; a swap is kept
    if the complexity falls. Of several starts the best is kept. No cluster is ever left empty.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    n_init : int
        Random starts.
    max_swaps : int
        Swaps tried from each start; 0 leaves the moves alone.
    max_iter : int
        The most passes over the objects from a start, and again after the swaps.
    binarize : float, optional
        Values above it count as 1, others as 0, as in scikit-learn's `BernoulliNB`. Without it, X must hold
        0 and 1 (or False and True) only.
    random_state : None, int or Generator
        Draws the starts and the swaps.
    n_jobs : int, optional
        Threads for the starts; their number changes no result.

    Attributes
    ----------
    partition_ : HardPartition
    labels_ : array (n,)
    cluster_centers_ : array (k, d)
        The share of ones of each feature in each cluster.
    objective_ : float
        The stochastic complexity in nats, as the index of that name gives it with ``form="printed"``. It
        compares clusterings with as many clusters; how many there are is for the index's exact form.
    n_iter_ : int
        The passes over the objects, those of swaps included, from the start that was kept.

    References
    ----------
    franti2003, franti2017

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]
    >>> model = StochasticComplexityClustering(2, random_state=0).fit(X)
    >>> model.partition_.equivalent([0, 0, 0, 1, 1, 1]), round(model.objective_, 4)
    (True, 12.3724)
    """

    cluster_centers_: Floats

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": COUNT,
        "n_init": COUNT,
        "max_swaps": [Interval(Integral, 0, None, closed="left")],
        "max_iter": COUNT,
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "random_state": RANDOM_STATE,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_init: int = 10,
        max_swaps: int = 100,
        max_iter: int = 300,
        binarize: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_swaps = max_swaps
        self.max_iter = max_iter
        self.binarize = binarize
        self.random_state = random_state
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> Array:
        """The cluster that each row of X could join at the least rise of the complexity.

        For the objects of the fit this may differ from ``labels_``, where an object is one of its cluster.
        """
        from partita.kernels.binary import cheapest_clusters, rises

        bits, rise = self._bits(self._read(X)), held(rises)(int(self._sizes.max()))
        rows = max(1, OPERATIONS_AT_A_TIME // (4 * self._ones.size))

        def cheapest(part: slice) -> Array:
            labels: Array = cheapest_clusters(bits[part], self._sizes, self._ones, rise)
            return labels

        return np.concatenate(map_blocks(cheapest, len(bits), rows))

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        bits = self._bits(X)
        runs = restarts(
            lambda seed: self._run(bits, seed),
            self.n_init,
            rng,
            n_jobs=self.n_jobs,
            description="stochastic complexity",
        )
        best = min(runs, key=lambda run: run.objective)
        if not best.settled:
            warn_of_no_convergence("StochasticComplexityClustering", self.max_iter)
        self._sizes, self._ones = best.sizes, best.ones
        self.cluster_centers_ = best.ones / best.sizes[:, None]
        self.labels_, self.objective_, self.n_iter_ = best.labels, best.objective, best.passes
        self.partition_ = HardPartition(best.labels, index=index)

    def _run(self, bits: Array, rng: np.random.Generator) -> _Run:
        """Settle from a start, then try swaps, each kept if the complexity falls, and settle again."""
        n, k = len(bits), self.n_clusters
        seeds = rng.choice(n, k, replace=False)
        swaps = self.max_swaps if k > 1 else 0
        search = Search(bits, k)
        search.start(seeds)
        passes, settled = search.settle(self.max_iter)
        least = search.complexity()
        for gone, seed in zip(rng.integers(k, size=swaps), rng.integers(n, size=swaps), strict=True):
            if search.sizes[search.labels[seed]] == 1:
                continue
            kept = search.state()
            search.swap(gone, seed)
            passes += search.settle(TRIAL_PASSES)[0]
            found = search.complexity()
            if found < least - LEAST_GAIN:
                least, settled = found, False
            else:
                search.labels, search.sizes, search.ones = kept
        if not settled:
            more, settled = search.settle(self.max_iter)
            passes += more
        return _Run(search.labels, search.sizes, search.ones, search.complexity(), passes, settled)

    def _working_exponent(self, X: Floats) -> int:
        """Nothing is squared here, so X stays as it is; the range is that of the other methods."""
        super()._working_exponent(X)
        return 0

    def _bits(self, X: Floats) -> Array:
        if self.binarize is not None:
            return np.greater(X, self.binarize).astype(np.int64)
        other = (X != 0) & (X != 1)
        if other.any():
            row, column = np.argwhere(other)[0]
            raise ParameterError(
                "stochastic complexity is defined for 0/1 data.",
                got=f"column {column} of X has the value {X[row, column]:g}",
                need="only 0 and 1",
                fix="binarize=0.5 takes values above 0.5 as 1; code categories as 0/1 columns",
            )
        return X.astype(np.int64)


class Search:
    """A clustering of 0/1 vectors that changes in place, some objects at a time, so that Ctrl-C is heard."""

    def __init__(self, bits: Array, n_clusters: int) -> None:
        from partita.kernels.binary import rises

        n, d = bits.shape
        self.bits = bits
        self.labels, self.sizes = np.zeros(n, np.int64), np.zeros(n_clusters, np.int64)
        self.ones = np.zeros((n_clusters, d), np.int64)
        self.rise = held(rises)(n)
        rows = max(1, OPERATIONS_AT_A_TIME // (4 * n_clusters * d))
        self.parts = [(part.start, part.stop) for part in blocks(n, rows)]

    def state(self) -> tuple[Array, Array, Array]:
        """Copies of labels, sizes and ones."""
        return self.labels.copy(), self.sizes.copy(), self.ones.copy()

    def complexity(self) -> float:
        """The stochastic complexity as printed, in nats."""
        from partita.kernels.binary import complexity

        return float(complexity(self.sizes, self.ones))

    def start(self, seeds: Array) -> None:
        """A cluster around each of these objects."""
        from partita.kernels.binary import join_seeds

        for part in self.parts:
            join_seeds(self.bits, seeds, self.labels, self.sizes, self.ones, *part)

    def settle(self, max_passes: int) -> tuple[int, bool]:
        """Move objects until none moves; the number of passes, and whether the last moved nothing."""
        from partita.kernels.binary import move_objects

        for passes in range(1, max_passes + 1):
            moved = False
            for part in self.parts:
                moved |= move_objects(self.bits, self.labels, self.sizes, self.ones, self.rise, *part)
            if not moved:
                return passes, True
        return max_passes, False

    def swap(self, gone: int, seed: int) -> None:
        """Dissolve a cluster and put it up again around another's object."""
        from partita.kernels.binary import swap

        before = (self.sizes.copy(), self.ones.copy())
        for part in self.parts:
            swap(self.bits, gone, seed, before, self.labels, self.sizes, self.ones, *part)


class _Run(NamedTuple):
    labels: Array
    sizes: Array
    ones: Array
    objective: float
    passes: int
    settled: bool
