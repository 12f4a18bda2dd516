"""Mixtures of Gaussians over numbers of components, and components joined where the density hardly drops."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from partita.arrays import Array, Floats, one_thread
from partita.cluster.clusterer import COUNT, Clusterer, warn
from partita.cluster.mixture import ExpectationMaximisation, expectation
from partita.cluster.ward import refuse_many_pairs
from partita.errors import EmptyClusterWarning, ParameterError
from partita.kernels.compilation import has_numba
from partita.partitions import FuzzyPartition
from partita.statistics.clusters.mixtures import GivenMixture, free_parameters

__all__ = ["FittedMixture", "MergedMixture", "Merging", "mixtures_over_k", "standardised"]

RIDGE = 1e-4
"""Share of each feature's variance that every M step adds to the diagonal of the covariances."""

LEAST_RANGE = 1e-145
"""A column whose values differ by less counts as constant: their squares are no numbers."""

ENOUGH_GAIN = 1e-4
"""EM ends when the mean log likelihood grows by less."""

PATIENCE, FIRST_KS = 5, 20
"""Numbers of components are tried one by one until BIC has not improved for so many, up to the second."""

COARSE_KS = (25, 32, 40, 50, 64, 80, 100)
"""Numbers of components tried after the first ones whatever BIC was: a grid of 100 groups is described better
only near 100."""

REFINED_FROM = 18
"""The neighbours of a best number of components above this are tried too."""

SMALL_WORK = 100_000
"""Numbers that one round of EM computes, up to which scikit-learn's is as fast as the compiled one."""

FEWEST_OBJECTS = 3
"""Number of objects that each component must hold."""

INNER_POINTS = 15
"""Number of points between two means at which the density is computed."""


def standardised(X: Floats) -> Floats:
    """The columns minus their means over their standard deviations; constant columns become 0."""
    origin, spread = _origin_and_spread(X)
    return np.asarray((X - origin) / spread)


def _origin_and_spread(X: Floats) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of each column; the value itself and 1 for a constant one."""
    constant = X.max(axis=0) - X.min(axis=0) < LEAST_RANGE
    return np.where(constant, X[0], X.mean(axis=0)), np.where(constant, 1.0, X.std(axis=0))


@dataclass(frozen=True, eq=False)
class FittedMixture:
    """A mixture fitted from Ward's clusters, with its BIC; larger is better here.

    Attributes
    ----------
    mixture : GivenMixture
        The components.
    memberships : array (n, k)
        The posterior of each component.
    bic : float
        The log likelihood minus half of the number of parameters times log n.
    """

    mixture: GivenMixture
    memberships: Floats
    bic: float

    @property
    def k(self) -> int:
        """The number of components."""
        return int(self.memberships.shape[1])

    @property
    def covariance_type(self) -> str:
        """The shape of the covariances."""
        return self.mixture.covariance_type

    @property
    def labels(self) -> Array:
        """The component of largest posterior of each object."""
        return np.asarray(self.memberships.argmax(axis=1))


def mixtures_over_k(
    Z: Floats, ks: Iterable[int] | None = None, covariance_types: Sequence[str] | None = None
) -> list[FittedMixture]:
    """The mixtures of all numbers of components and covariance shapes that the data can carry.

    EM starts from Ward's tree cut into k clusters, so that nothing is random. Without ``ks`` k rises from 1
    until BIC has not improved for 5 steps, 20 at most; then come 25 to 100 in rising steps, and the
    neighbours of a best number above 18. A mixture is left out where n < 5 k (n < 10 k beyond 20), where it
    has more parameters than half of the numbers in Z, or where a component holds fewer than 3 objects.

    Parameters
    ----------
    Z : array (n, d)
        Standardised data.
    ks : iterable of int, optional
        Numbers of components.
    covariance_types : list of str, optional
        By default "full" in up to 3 dimensions, and "full", "diag" and "tied" in more.
    """
    n, d = Z.shape
    kinds = covariance_types or (("full",) if d <= 3 else ("full", "diag", "tied"))
    refuse_many_pairs(n, fix="a sample of the objects")
    fits: list[FittedMixture] = []
    best: dict[int, float] = {}
    with one_thread():
        tree = linkage(Z, "ward") if n > 1 else None

        def fit(k: int) -> float:
            if k in best or n < (5 if k <= FIRST_KS else 10) * k:
                return best.get(k, -np.inf)
            labels = np.zeros(n, np.int64) if tree is None else fcluster(tree, k, "maxclust") - 1
            able = [kind for kind in kinds if free_parameters(kind, k, d) <= 0.5 * n * d]
            made = [_fitted(Z, labels, kind) for kind in able] if labels.max() + 1 == k else []
            fits.extend(one for one in made if one is not None)
            best[k] = max((one.bic for one in made if one is not None), default=-np.inf)
            return best[k]

        if ks is not None:
            for k in ks:
                fit(int(k))
            return sorted(fits, key=lambda one: one.k)
        leading = 1
        for k in range(1, FIRST_KS + 1):
            if fit(k) > fit(leading):
                leading = k
            if k - leading >= PATIENCE:
                break
        for k in COARSE_KS:
            fit(k)
        if max(best, key=lambda k: (best[k], -k), default=1) > REFINED_FROM:
            for step in (4, 2, 1):
                leading = max(best, key=lambda k: (best[k], -k))
                away = round(step * max(1.0, leading / 30))
                fit(leading - away)
                fit(leading + away)
    return sorted(fits, key=lambda one: one.k)


def _fitted(Z: Floats, labels: Array, covariance_type: str) -> FittedMixture | None:
    """The mixture that EM reaches from hard clusters; None where the data cannot carry it."""
    n, d = Z.shape
    k = int(labels.max()) + 1
    rounds = 100 if k <= FIRST_KS else 60
    hard = np.eye(k)[labels]
    if n == 1:  # which scikit-learn refuses
        ridge = {"full": RIDGE * np.eye(d)[None], "tied": RIDGE * np.eye(d), "diag": np.full((1, d), RIDGE)}
        mixture = GivenMixture([1.0], Z, ridge.get(covariance_type, [RIDGE]), covariance_type)
        memberships, log_densities = hard, _log_density(mixture, Z)
    elif n * k * d * d <= SMALL_WORK or not has_numba():
        mixture, memberships, log_densities = _small_em(Z, hard, covariance_type, rounds)
    else:
        em = ExpectationMaximisation(Z, covariance_type, RIDGE, "likelihood", ENOUGH_GAIN, rounds)
        start = em.maximised(hard, em.around(hard.T @ Z / hard.sum(axis=0)[:, None]))
        mixture = em.run([start])[0].mixture
        memberships, log_densities = expectation(Z, mixture)
    sizes = np.bincount(memberships.argmax(axis=1), minlength=k)
    if not np.isfinite(log_densities).all():
        return None
    if k > 1 and (sizes.min() < FEWEST_OBJECTS or mixture.weights_.min() < 2 / n):
        return None
    bic = float(log_densities.sum()) - free_parameters(covariance_type, k, d) / 2 * np.log(n)
    return FittedMixture(mixture, memberships, bic)


def _small_em(
    Z: Floats, hard: Floats, covariance_type: str, rounds: int
) -> tuple[GivenMixture, Floats, Floats]:
    """The mixture, its posteriors and log densities by scikit-learn, for which nothing is compiled."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    k = hard.shape[1]
    weights = hard.mean(axis=0)
    means = hard.T @ Z / hard.sum(axis=0)[:, None]
    ridge = RIDGE * np.eye(Z.shape[1])
    of_each = [np.cov(Z[hard[:, c] > 0].T, bias=True).reshape(ridge.shape) for c in range(k)]
    if covariance_type == "tied":
        precisions = np.linalg.inv(np.tensordot(weights, of_each, 1) + ridge)
    elif covariance_type == "full":
        precisions = np.linalg.inv(np.stack(of_each) + ridge)
    else:
        variances = np.stack([np.diag(one) for one in of_each]) + RIDGE
        precisions = 1.0 / (variances if covariance_type == "diag" else variances.mean(axis=1))
    model = GaussianMixture(
        k,
        covariance_type=covariance_type,
        tol=ENOUGH_GAIN,
        reg_covar=RIDGE,
        max_iter=rounds,
        weights_init=weights / weights.sum(),
        means_init=means,
        precisions_init=precisions,
        init_params="random_from_data",
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(Z)
    mixture = GivenMixture.of(model)
    return mixture, model.predict_proba(Z), model.score_samples(Z)


@dataclass(frozen=True, eq=False)
class Merging:
    """The order in which the components of a mixture are joined, by the density between them.

    The density of the mixture has a peak at each mean. Between two means it falls to a saddle: the larger of
    the lowest values on the straight line and on the ridge line of the two components. From the highest
    saddle down, the component of the lower peak joins that of the higher (elder rule). The prominence of a
    component is the logarithm of its peak over the saddle at which it joins.

    Attributes
    ----------
    prominences : array (k - 1,)
        Those of the components that join another, in ascending order.
    joins : array (k - 1, 2)
        In the same order: the component that joins, and the one that it joins.
    """

    prominences: Floats
    joins: Array

    @classmethod
    def of(cls, mixture: GivenMixture) -> Merging:
        """The merging of the components of a mixture."""
        k = len(mixture.weights_)
        pairs = np.array(np.triu_indices(k, 1)).T
        with one_thread():
            peaks = _log_density(mixture, mixture.means_)
            saddles = np.minimum(_log_saddles(mixture, pairs), peaks[pairs].min(axis=1))
        eldest = np.arange(k)
        joins, prominences = [], []
        for place in np.argsort(-saddles, kind="stable"):
            one, other = eldest[pairs[place]]
            if one != other:
                low, high = (one, other) if peaks[one] < peaks[other] else (other, one)
                joins.append((low, high))
                prominences.append(peaks[low] - saddles[place])
                eldest[eldest == low] = high
        order = np.argsort(prominences, kind="stable")
        return cls(np.array(prominences)[order], np.array(joins, np.int64).reshape(-1, 2)[order])

    def groups(self, n_clusters: int) -> Array:
        """The group of each component when the least prominent have joined others."""
        k = len(self.joins) + 1
        group = np.arange(k)
        for low, high in self.joins[: k - n_clusters][
            ::-1
        ]:  # a component joins one of at least its prominence
            group[low] = group[high]
        return np.unique(group, return_inverse=True)[1]

    def memberships(self, of_components: Floats, n_clusters: int) -> Floats:
        """The posterior of each group, (n, n_clusters)."""
        return of_components @ np.eye(n_clusters)[self.groups(n_clusters)]


def _log_density(mixture: GivenMixture, X: Floats) -> Floats:
    joint = mixture.log_joint(X)
    top = joint.max(axis=1, keepdims=True)
    return np.asarray(top[:, 0] + np.log(np.exp(joint - top).sum(axis=1)))


def _log_saddles(mixture: GivenMixture, pairs: Array) -> Floats:
    """For each pair of components the log density at the saddle between them.

    The ridge line x(t) = ((1 - t) A + t B)^-1 ((1 - t) A a + t B b), with means a, b and precisions A, B,
    holds all critical points of the two components (Ray and Lindsay 2005).
    """
    if not len(pairs):
        return np.zeros(0)
    means = mixture.means_
    precisions = np.linalg.inv(np.stack(list(mixture.covariance_matrices())))
    weighted = np.einsum("kij,kj->ki", precisions, means)
    lowest = np.full((2, len(pairs)), np.inf)
    a, b = pairs.T
    for t in np.arange(1, INNER_POINTS + 1) / (INNER_POINTS + 1):
        straight = (1 - t) * means[a] + t * means[b]
        mixed = (1 - t) * precisions[a] + t * precisions[b]
        pulled = (1 - t) * weighted[a] + t * weighted[b]
        ridge = np.linalg.solve(mixed, pulled[:, :, None])[:, :, 0]
        for path, points in enumerate((straight, ridge)):
            lowest[path] = np.minimum(lowest[path], _log_density(mixture, points))
    return np.asarray(lowest.max(axis=0))


class MergedMixture(Clusterer):
    """The mixture of Gaussians of best BIC, its components joined to the number of clusters asked for.

    Nothing is random: EM starts from Ward's tree. Columns are standardised first.

    Parameters
    ----------
    n_clusters : int, optional
        The number of clusters; only mixtures with so many components are used. If there are none, the largest
        is taken, with a warning. By default as many as the mixture of best BIC has components.
    n_components : int, optional
        The number of components; by default 1, 2, ... until BIC gets worse, and some up to 100, are tried.
    covariance_type : {"auto", "full", "tied", "diag", "spherical"}
        The shape of the covariances; "auto" takes "full" for up to 3 features, and the one of "full", "diag"
        and "tied" with the best BIC for more.

    Attributes
    ----------
    labels_, memberships_, partition_ : arrays (n,) and (n, k), FuzzyPartition
        The clusters; the membership in a cluster is the summed posterior of its components.
    objective_ : float
        Minus the BIC of the mixture, as half of the usual scale: smaller is better.
    n_clusters_, n_iter_ : int
        The number of clusters; the number of mixtures fitted.
    mixture_ : FittedMixture
        The mixture of best BIC, of the standardised data.
    persistence_ : dict
        For each number of clusters how much the prominence rises until two of them join, in logarithms of
        the density.
    bic_ : dict
        For each covariance shape and number of components the BIC.

    See Also
    --------
    GaussianMixtureEM : a mixture with a given number of components, from several starts.
    DensityTree : clusters of any shape.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> found = MergedMixture().fit(X)
    >>> found.n_clusters_, int(found.cut(2).max()) + 1
    (3, 2)
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": [*COUNT, None],
        "n_components": [*COUNT, None],
        "covariance_type": [StrOptions({"auto", "full", "tied", "diag", "spherical"})],
    }
    memberships_: Floats
    n_clusters_: int
    random_state = None  # nothing is drawn

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_components: int | None = None,
        covariance_type: str = "auto",
    ) -> None:
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.covariance_type = covariance_type

    def cut(self, k: int) -> Array:
        """The labels with k clusters."""
        check_is_fitted(self)
        most = self.mixture_.k
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 1 <= k <= most:
            raise ParameterError(
                f"this mixture has {most} components, so it has 1 to {most} clusters.",
                got=f"k={k!r}",
                need=f"a whole number from 1 to {most}",
                fix="a larger n_components",
                parameter="n_clusters",
            )
        return np.asarray(self._merging.memberships(self.mixture_.memberships, k).argmax(axis=1))

    def predict(self, X: Any) -> Array:
        """The likeliest cluster of each row of X, the first of equals."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:
        """The membership of each row of X in each cluster, ``(n, k)``."""
        Z = (self._read(X) - self._origin) / self._spread
        return self._merging.memberships(expectation(Z, self.mixture_.mixture)[0], self.n_clusters_)

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:  # noqa: ARG002
        self._origin, self._spread = _origin_and_spread(X)
        Z = (X - self._origin) / self._spread
        shapes = None if self.covariance_type == "auto" else (self.covariance_type,)
        fits = mixtures_over_k(Z, None if self.n_components is None else [self.n_components], shapes)
        if not fits and self.n_components in (None, 1):  # too few objects for any other
            alone = _fitted(Z, np.zeros(len(Z), np.int64), "full" if shapes is None else shapes[0])
            fits = [] if alone is None else [alone]
        if not fits:
            raise ParameterError(
                f"no mixture of {self.n_components} components can be fitted to these data.",
                got=f"{X.shape[0]} objects, {X.shape[1]} features",
                need="5 objects for each component, and two numbers in X for each parameter",
                fix="a smaller n_components",
                parameter="n_components",
            )
        self.bic_ = {(one.covariance_type, one.k): one.bic for one in fits}
        k = self.n_clusters
        if k is not None and k > (most := max(one.k for one in fits)):
            warn(
                f"no mixture of {k} components can be fitted: n_clusters={k} takes {most}.",
                EmptyClusterWarning,
            )
            k = most
        self.mixture_ = max((one for one in fits if one.k >= (k or 1)), key=lambda one: (one.bic, -one.k))
        self._merging = Merging.of(self.mixture_.mixture)
        rises = np.diff(self._merging.prominences, prepend=0.0)
        self.persistence_ = {self.mixture_.k - place: float(rise) for place, rise in enumerate(rises)}
        self.n_clusters_ = self.mixture_.k if k is None else int(k)
        self.memberships_ = self._merging.memberships(self.mixture_.memberships, self.n_clusters_)
        self.labels_ = self.memberships_.argmax(axis=1)
        self.partition_ = FuzzyPartition(self.memberships_, index=index)
        self.objective_, self.n_iter_ = -self.mixture_.bic, len(fits)
