"""Genetic k-means: good sets of centres are crossed, and the best survive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import Floats, held
from partita.cluster.centres import CentreFit, lloyd, nearest, starting_centres
from partita.cluster.clusterer import (
    COUNT,
    N_JOBS,
    NOT_NEGATIVE,
    RANDOM_STATE,
    CentreClusterer,
    warn_of_no_convergence,
)
from partita.partitions import HardPartition
from partita.progress import bar
from partita.statistics.clusters.moments import ClusterMoments


class GeneticKMeans(CentreClusterer):
    """k-means whose starts are bred: two sets of centres make a new one, and the best survive.

    A generation is the best set so far, and the children of the best pairs of sets: 1-2, 1-3, 2-3, 1-4, ...
    With ``crossover="pairwise"`` (GAIS) a child has the centres of both parents, objects going to the
    nearest, and the two clusters whose union costs least are merged until n_clusters remain; no chance is in
    it, and the first generation that brings nothing better is the last. With "random" it has half of the
    centres of each parent. A few iterations of Lloyd follow.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    crossover : {"pairwise", "random"}
        How two sets of centres make one.
    init : {"k-means++", "random"}
        How the first population is drawn.
    n_generations : int
        The most generations.
    population_size : int
        The sets of centres in a generation.
    child_iter : int
        Iterations of Lloyd for every child.
    max_iter : int
        The most iterations of Lloyd for the best of all, at the end.
    tol : float
        It also ends there when the centres move by less than this, relative to the variance.
    random_state : None, int or Generator
        Draws the first population, and the halves of "random".
    n_jobs : int, optional
        Threads for the members of a generation; their number changes no result.

    Attributes
    ----------
    partition_ : HardPartition
    labels_ : array (n,)
    cluster_centers_ : array (k, d)
    objective_ : float
        The sum of squared distances to the nearest centre.
    path_ : array
        The best sum of each generation, the first population included; it never rises.
    n_iter_ : int
        The generations bred.

    References
    ----------
    franti2000, franti2017

    Examples
    --------
    >>> X = [[0.0], [1.0], [9.0], [10.0], [50.0]]
    >>> model = GeneticKMeans(3, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.ravel().tolist()), model.objective_
    ([0.5, 9.5, 50.0], 1.0)
    """

    _units: ClassVar[Mapping[str, int]] = {**CentreClusterer._units, "path_": 2}
    path_: Floats

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": COUNT,
        "crossover": [StrOptions({"pairwise", "random"})],
        "init": [StrOptions({"random", "k-means++"})],
        "n_generations": COUNT,
        "population_size": [Interval(Integral, 2, None, closed="left")],
        "child_iter": COUNT,
        "max_iter": COUNT,
        "tol": NOT_NEGATIVE,
        "random_state": RANDOM_STATE,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        crossover: str = "pairwise",
        init: str = "k-means++",
        n_generations: int = 10,
        population_size: int = 8,
        child_iter: int = 2,
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.crossover = crossover
        self.init = init
        self.n_generations = n_generations
        self.population_size = population_size
        self.child_iter = child_iter
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        size = self.population_size
        pairs = sorted(combinations(range(size), 2), key=lambda pair: pair[::-1])[: size - 1]
        with bar("genetic k-means") as report:
            population = self._members(X, rng, [()] * size)
            path = [population[0].objective]
            for generation in range(self.n_generations):
                report(generation, self.n_generations)
                parents = [(population[a], population[b]) for a, b in pairs]
                population = sorted([population[0], *self._members(X, rng, parents)], key=_objective)
                path.append(population[0].objective)
                if self.crossover == "pairwise" and path[-1] >= path[-2]:
                    break
        fit = lloyd(X, population[0].centres, max_iter=self.max_iter, tol=self.tol)
        if not fit.converged:
            warn_of_no_convergence("GeneticKMeans", self.max_iter)
        self._leave(fit, index)
        self.path_, self.n_iter_ = np.array(path), len(path) - 1

    def _members(
        self, X: Floats, rng: np.random.Generator, families: Sequence[tuple[CentreFit, ...]]
    ) -> list[CentreFit]:
        """A member for each pair of parents, or out of nothing, the best first; each has its own seed."""
        pool = Parallel(n_jobs=self.n_jobs, prefer="threads")
        seeds = rng.spawn(len(families))
        made = pool(delayed(self._member)(X, *pair) for pair in zip(families, seeds, strict=True))
        return sorted(made, key=_objective)

    def _member(self, X: Floats, parents: tuple[CentreFit, ...], rng: np.random.Generator) -> CentreFit:
        k = self.n_clusters
        if not parents:
            centres = starting_centres(X, k, self.init, rng)
        elif self.crossover == "pairwise":
            centres = merged_centres(X, np.vstack([parent.centres for parent in parents]), k)
        else:
            shares = (k // 2, k - k // 2)
            centres = np.vstack(
                [p.centres[rng.permutation(k)[:s]] for p, s in zip(parents, shares, strict=True)]
            )
        return lloyd(X, centres, max_iter=self.child_iter)


def merged_centres(X: Floats, centres: Floats, n_clusters: int) -> Floats:
    """Fewer centres: objects go to the nearest, then the pair of clusters that costs least is merged."""
    from partita.kernels.merging import merge_pairs

    labels = nearest(X, centres)[0]
    moments = held(ClusterMoments.from_block)(X, HardPartition(labels))
    means, sizes = moments.centers_of_filled, moments.sizes[moments.filled]
    if len(means) < n_clusters:
        spare = np.delete(centres, labels, axis=0)
        return np.vstack([means, spare[: n_clusters - len(means)]])
    merged: Floats = held(merge_pairs)(means, sizes, n_clusters)
    return merged


def _objective(fit: CentreFit) -> float:
    return fit.objective
