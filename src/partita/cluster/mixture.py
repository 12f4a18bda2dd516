"""Mixtures of Gaussians by expectation and maximisation, from many starts in one compiled pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils._param_validation import Interval, StrOptions

from partita.arrays import BLOCK_ROWS, OPERATIONS_AT_A_TIME, Array, Floats, blocks
from partita.cluster.centres import lloyd, starting_centres
from partita.cluster.clusterer import (
    COUNT,
    N_JOBS,
    NOT_NEGATIVE,
    RANDOM_STATE,
    Clusterer,
    restarts,
    warn,
    warn_of_empty,
    warn_of_no_convergence,
)
from partita.cluster.mixture_search import first_number, shrink
from partita.cluster.units import shifted
from partita.errors import ConvergenceWarning, ParameterError
from partita.indices.likelihood import aic, bic, icl, partition_negentropy
from partita.partitions import FuzzyPartition
from partita.progress import bar
from partita.statistics.clusters.mixtures import GivenMixture

LEAST_VARIANCE = 1e-290
"""A feature that varies less than this counts as constant."""

TASK_CELLS = 1 << 16
"""A task takes starts until they have this many (object, feature, component) in an iteration."""


@dataclass(frozen=True)
class MixtureRun:
    """Where EM came from one start."""

    mixture: GivenMixture
    log_likelihood: float
    n_iter: int
    converged: bool

    @property
    def is_singular(self) -> bool:
        """Whether a covariance became singular, so that there is no likelihood."""
        return bool(np.isnan(self.log_likelihood))


@dataclass(frozen=True, eq=False)
class ExpectationMaximisation:
    """EM on one set of data: all that its starts share."""

    X: Floats
    covariance_type: str = "full"
    reg_covar: float = 1e-6
    stop: str = "likelihood"
    tol: float = 1e-3
    max_iter: int = 100
    n_jobs: int | None = None

    @cached_property
    def variances(self) -> Floats:
        """The variance of each feature; 1 for a constant one."""
        variances = self.X.var(axis=0)
        return np.where(self.constant | (variances < LEAST_VARIANCE), 1.0, variances)

    @cached_property
    def constant(self) -> Array:
        """Which features are the same for all objects."""
        return np.asarray(self.X.min(axis=0) == self.X.max(axis=0))

    @property
    def unitless(self) -> Array:
        """Features whose variance, once 1, has no units: constant ones, unless all share one variance."""
        return np.asarray(self.constant & (self.covariance_type != "spherical" or self.constant.all()))

    @cached_property
    def _origin(self) -> Floats:
        """The mean of the data; a constant feature is exactly 0 from there."""
        return np.asarray(np.where(self.constant, self.X[0], self.X.mean(axis=0)))

    @cached_property
    def _columns(self) -> Floats:
        return np.subtract(self.X.T, self._origin[:, None], order="C")

    @property
    def _m_step(self) -> tuple[Floats, tuple[bool, bool]]:
        """What is added to the diagonals, and whether covariances are tied, and spherical."""
        tied, spherical = self.covariance_type == "tied", self.covariance_type == "spherical"
        return self.reg_covar * self.variances, (tied, spherical)

    def around(self, means: Floats) -> GivenMixture:
        """Equal components with these means and the variances of the features."""
        k, variances = len(means), self.variances
        if self.covariance_type == "spherical":
            covariances = np.full(k, variances.mean())
        elif self.covariance_type == "diag":
            covariances = np.tile(variances, (k, 1))
        else:
            one = np.diag(variances)
            covariances = one if self.covariance_type == "tied" else np.stack([one] * k)
        return GivenMixture(np.full(k, 1 / k), means, covariances, self.covariance_type)

    def maximised(self, memberships: Floats, before: GivenMixture) -> GivenMixture:
        """The M step; a component without objects keeps what it had before."""
        from partita.kernels.em import maximise

        weights, means, covariances = self._stacked([before])
        shares = np.ascontiguousarray(memberships.T)
        maximise(self._columns, shares, *self._m_step, weights[0], means[0], covariances[0])
        return self._mixture(weights[0], means[0], covariances[0])

    def run(self, starts: Sequence[GivenMixture]) -> list[MixtureRun]:
        """EM from each start; a start's end does not depend on the others, nor on the number of threads."""
        from partita.kernels.em import CONVERGED, at_start, iterate_em

        weights, means, covariances = self._stacked(starts)
        columns = self._columns
        how: tuple[Any, ...] = (*self._m_step, self.stop == "means", float(self.tol), self.max_iter)
        ends: list[tuple[float, int, int]] = []

        def improve(part: slice) -> list[tuple[float, int, int]]:
            state = at_start(len(self.X), part.stop - part.start, covariances.shape[1:])
            given: list[Any] = [columns, weights[part], means[part], covariances[part], *how, state]
            given.append(OPERATIONS_AT_A_TIME)
            while not iterate_em(*given):
                pass
            ended = (state.likelihoods, state.n_iters, state.ends)
            return list(zip(*(column.tolist() for column in ended), strict=True))

        at_once = max(1, TASK_CELLS // (weights.shape[1] * self.X.size))
        with bar("EM") as report:
            pool = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
            for ended in pool(delayed(improve)(part) for part in blocks(len(starts), at_once)):
                ends += ended
                report(len(ends), len(starts))
        return [
            MixtureRun(self._mixture(*parameters), likelihood, n_iter, end == CONVERGED)
            for *parameters, (likelihood, n_iter, end) in zip(weights, means, covariances, ends, strict=True)
        ]

    def _stacked(self, mixtures: Sequence[GivenMixture]) -> tuple[Floats, Floats, Floats]:
        """The parameters of several mixtures as the kernels take them, means from the origin."""
        return (
            np.stack([one.weights_ for one in mixtures]),
            np.stack([one.means_ for one in mixtures]) - self._origin,
            np.stack([kernel_covariances(one) for one in mixtures]),
        )

    def _mixture(self, weights: Floats, means: Floats, covariances: Floats) -> GivenMixture:
        """The mixture of parameters as the kernels leave them."""
        if self.covariance_type in ("full", "tied"):
            below = np.tril(covariances, -1)
            whole = np.tril(covariances) + below.transpose(0, 2, 1)
            covariances = whole if self.covariance_type == "full" else whole[0]
        else:
            covariances = covariances[:, :, 0] if self.covariance_type == "diag" else covariances[:, 0, 0]
        return GivenMixture(weights, means + self._origin, covariances, self.covariance_type)


def kernel_covariances(mixture: GivenMixture) -> Floats:
    """``(k, d, d)`` covariances, or ``(k, d, 1)`` where there are only variances."""
    k, d = mixture.means_.shape
    given = mixture.covariances_
    if mixture.covariance_type in ("full", "tied"):
        return np.array(np.broadcast_to(given, (k, d, d)), order="C")
    return np.array(np.broadcast_to(given.reshape(k, -1, 1), (k, d, 1)), order="C")


def expectation(X: Floats, mixture: GivenMixture) -> tuple[Floats, Floats]:
    """The memberships (n, k) of objects in a mixture, and the log density of each."""
    from partita.kernels.em import expect

    n, k = len(X), len(mixture.weights_)
    memberships, densities = np.empty((n, k)), np.empty(n)
    covariances = kernel_covariances(mixture)
    for part in blocks(n, BLOCK_ROWS):
        rows = part.stop - part.start
        shares, peaks, totals = np.empty((k, rows)), np.empty(rows), np.empty(rows)
        given = (np.ascontiguousarray(X[part].T), mixture.weights_, mixture.means_, covariances)
        expect.times(math.ceil(n / rows))(*given, shares, peaks, totals)
        memberships[part], densities[part] = shares.T, peaks + np.log(totals)
    return memberships, densities


class GaussianMixtureEM(Clusterer):
    """A mixture of Gaussians, fitted by EM from several starts.

    It is scikit-learn's `GaussianMixture` iteration for iteration, several times faster, with the start and
    the stopping rule of Lei et al. beside scikit-learn's.

    Parameters
    ----------
    n_clusters : int or "pnc", default 1
        The number of components. "pnc" looks for it; see the notes.
    covariance_type : {"full", "tied", "diag", "spherical"}
        Each component has a covariance of its own, all share one, or each has only variances, or one
        variance.
    init : {"k-means", "k-means++", "random"}, array (k, d), or tuple
        How a start is made. "random" is that of Lei et al. (2014): distinct objects as means, the variances
        of the features as covariance, equal weights. "k-means++" does this from k-means++ centres, an array
        from the means given. "k-means" gives each component the objects of one k-means cluster. A tuple
        ``(weights, means, covariances)`` is a whole mixture. A given start is run once.
    stop : {"likelihood", "means"}
        When EM ends: the mean log-likelihood changes by less than ``tol`` (scikit-learn's rule), or no
        coordinate of a mean moves by ``tol`` (that of Lei et al., which depends on the units of X).
    n_init : int
        The number of starts; the fit with the highest likelihood is kept, the first of equals.
    max_iter : int
        The most iterations of one start.
    tol : float
        See ``stop``.
    reg_covar : float
        The share of each feature's variance that every M step adds to the diagonal of the covariances, so
        that none becomes singular; units do not matter. A constant feature counts as one of variance 1,
        which gives all components the same factor.
    max_clusters : int
        How many components "pnc" begins with, at most.
    random_state : None, int, Generator, or RandomState
        Seeds the starts.
    n_jobs : int or None
        Threads for the starts; the results are the same for any number.

    Attributes
    ----------
    weights_, means_, covariances_ : arrays
        The components; the shapes are scikit-learn's.
    cluster_centers_ : array (k, d)
        The means.
    memberships_ : array (n, k)
        How likely each object belongs to each component: ``predict_proba(X)``.
    partition_ : FuzzyPartition
        The memberships as a partition.
    labels_ : array (n,)
        The likeliest component of each object, the first of equals.
    objective_ : float
        Minus the log-likelihood of the data.
    n_iter_ : int
        The iterations of the best start.
    converged_ : bool
        Whether that start ended by its rule.
    n_clusters_ : int
        The number of components.

    Notes
    -----
    A component without any object keeps its mean and covariance and has weight 0. With ``reg_covar=0`` a
    component on a few objects may have a singular covariance: such a start is dropped, and if none is left
    the fit fails.

    ``n_clusters="pnc"`` is an experiment of this library: Lago-Fernandez et al. (2009) name it as future
    work, and no published result stands behind it. EM runs with ``max_clusters`` components, or with as many
    as can hold max(25, d + 1) objects each. Then, down to one, a component at a time is taken away: EM runs
    from the mixtures that lack one of them, and from the one where the two of best union are merged, and
    goes on with the result of lowest partition negentropy. The lowest on the way is the fit. A mixture with
    a component of fewer than max(25, d + 1) objects does not count.

    It finds the number of well separated Gaussians. In our trials it was as good as taking the k of lowest
    negentropy over separate fits, and no better; clusters that overlap or are not Gaussian it may join.

    See Also
    --------
    partita.indices.partition_negentropy, partita.indices.bic

    References
    ----------
    Lei, Bezdek, Chan, Vinh, Romano, Bailey (2014), Generalized information theoretic cluster validity
    indices for soft clusterings. Lago-Fernandez, Sanchez-Montanes, Corbacho (2009), Fuzzy cluster validation
    using the partition negentropy criterion.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [0.4], [7.0], [7.3], [7.9]])
    >>> model = GaussianMixtureEM(2, random_state=0).fit(X)
    >>> model.means_.round(2).ravel().tolist()
    [0.2, 7.4]
    >>> model.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's name and form)
        "n_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"pnc"})],
        "covariance_type": [StrOptions({"full", "tied", "diag", "spherical"})],
        "init": [StrOptions({"k-means", "k-means++", "random"}), "array-like", tuple],
        "stop": [StrOptions({"likelihood", "means"})],
        "n_init": COUNT,
        "max_iter": COUNT,
        "tol": NOT_NEGATIVE,
        "reg_covar": NOT_NEGATIVE,
        "max_clusters": COUNT,
        "random_state": RANDOM_STATE,
        "n_jobs": N_JOBS,
    }

    weights_: Floats
    means_: Floats
    covariances_: Floats
    cluster_centers_: Floats
    memberships_: Floats
    converged_: bool
    n_clusters_: int

    def __init__(
        self,
        n_clusters: int | str = 1,
        *,
        covariance_type: str = "full",
        init: Any = "k-means",
        stop: str = "likelihood",
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-3,
        reg_covar: float = 1e-6,
        max_clusters: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance_type = covariance_type
        self.init = init
        self.stop = stop
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_clusters = max_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        tol = self._in_working_units(float(self.tol)) if self.stop == "means" else self.tol
        rule = (self.stop, tol, self.max_iter)
        em = ExpectationMaximisation(X, self.covariance_type, self.reg_covar, *rule, self.n_jobs)
        searching = self.n_clusters == "pnc"
        k = first_number(X, self.max_clusters) if searching else int(self.n_clusters)
        best = self._best(em.run(self._starts(em, k, rng)))
        self._leave(em, shrink(em, best) if searching else best, index)

    def _starts(self, em: ExpectationMaximisation, k: int, rng: np.random.Generator) -> list[GivenMixture]:
        """The mixtures that EM begins with."""
        if isinstance(self.init, tuple):
            given = _given_start(self.init, em.covariance_type, (k, em.X.shape[1]))
            return [_shifted(given, self._exponent, np.zeros(em.X.shape[1], bool))]
        if not isinstance(self.init, str):
            return [em.around(starting_centres(em.X, k, self._in_working_units(self.init), rng))]

        def make(seed: np.random.Generator) -> GivenMixture:
            if self.init != "k-means":
                return em.around(starting_centres(em.X, k, self.init, seed))
            near = lloyd(em.X, starting_centres(em.X, k, "k-means++", seed), max_iter=20)
            shares = np.take(np.eye(k), near.labels, axis=1)
            return em.maximised(shares.T, em.around(near.centres))

        return restarts(make, self.n_init, rng, n_jobs=self.n_jobs, description="starts")

    def _best(self, runs: list[MixtureRun]) -> MixtureRun:
        """The run of highest likelihood of those that have one."""
        usable = [run for run in runs if not run.is_singular]
        lost = len(runs) - len(usable)
        if not usable:
            raise ParameterError(
                "a covariance became singular: a component fell on too few distinct objects.",
                got=f"{lost} of {lost} starts with reg_covar={self.reg_covar:g}",
                need="covariances that can be inverted",
                fix="a larger reg_covar (1e-6 is the default) or fewer clusters",
            )
        if lost:
            warn(
                f"{lost} of {len(runs)} starts ended in a singular covariance and were dropped; "
                "a larger reg_covar keeps them.",
                ConvergenceWarning,
            )
        return max(usable, key=lambda run: run.log_likelihood)

    def _leave(self, em: ExpectationMaximisation, found: MixtureRun, index: Any) -> None:
        """Set the attributes of a fit."""
        from partita.kernels.em import EMPTY

        X, self._working_mixture = em.X, found.mixture
        mixture = _shifted(found.mixture, -self._exponent, em.unitless)
        self.weights_, self.means_ = mixture.weights_, mixture.means_
        self.covariances_ = mixture.covariances_
        self.cluster_centers_, self.n_clusters_ = self.means_, len(self.weights_)
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.memberships_, densities = expectation(X, found.mixture)
        self._log_unit = self._exponent * math.log(2) * int((~em.unitless).sum())
        self.objective_ = -float(densities.sum()) - len(X) * self._log_unit
        self.labels_ = self.memberships_.argmax(axis=1)
        self.partition_ = FuzzyPartition(self.memberships_, index=index)
        warn_of_empty(int((self.weights_ * len(X) < EMPTY).sum()), self.n_clusters_)
        if not self.converged_:
            warn_of_no_convergence("GaussianMixtureEM", self.max_iter)

    def predict(self, X: Any) -> Array:
        """The likeliest component of each row of X, the first of equals."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:
        """How likely each row of X belongs to each component, ``(n, k)``."""
        return expectation(self._read(X), self._fitted_mixture)[0]

    def score_samples(self, X: Any) -> Floats:
        """The log density of each row of X."""
        return expectation(self._read(X), self._fitted_mixture)[1] + self._log_unit

    @property
    def _fitted_mixture(self) -> GivenMixture:
        """The mixture in working units."""
        return self._working_mixture if self._exponent else GivenMixture.of(self)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """The mean log density of the rows of X."""
        return float(self.score_samples(X).mean())

    def aic(self, X: Any) -> float:
        """Akaike's information criterion on X; smaller is better."""
        return float(aic(X := self._read(X), self._fitted_mixture)) - 2 * len(X) * self._log_unit

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion on X; smaller is better."""
        return float(bic(X := self._read(X), self._fitted_mixture)) - 2 * len(X) * self._log_unit

    def icl(self, X: Any) -> float:
        """The integrated completed likelihood on X; smaller is better."""
        return float(icl(X := self._read(X), self._fitted_mixture)) - 2 * len(X) * self._log_unit

    def pnc(self, X: Any, *, min_points: int | None = None) -> float:
        """The partition negentropy criterion; smaller is better.

        It is nan where a component holds fewer objects than ``min_points``, by default max(25, d + 1).
        """
        value = partition_negentropy(self._read(X), self._fitted_mixture, min_points=min_points)
        return float(value) - self._log_unit


def _shifted(mixture: GivenMixture, exponent: int, unitless: Array) -> GivenMixture:
    """The mixture of data times 2 to a power; the variances of some features have no units."""
    if exponent == 0:
        return mixture
    covariances = np.array(shifted(mixture.covariances_, 2 * exponent))
    kept = np.flatnonzero(unitless)
    if mixture.covariance_type in ("full", "tied"):
        covariances[..., kept, kept] = mixture.covariances_[..., kept, kept]
    elif mixture.covariance_type == "diag":
        covariances[:, kept] = mixture.covariances_[:, kept]
    elif unitless.all():
        covariances = mixture.covariances_
    means = shifted(mixture.means_, exponent)
    return GivenMixture(mixture.weights_, means, covariances, mixture.covariance_type)


def _given_start(init: tuple[Any, ...], covariance_type: str, shape: tuple[int, int]) -> GivenMixture:
    """The mixture that a tuple (weights, means, covariances) describes."""
    mixture = GivenMixture(*init, covariance_type) if len(init) == 3 else None
    if mixture is None or mixture.means_.shape != shape:
        raise ParameterError(
            "init is no start for this fit.",
            got=f"{len(init)} parts" if mixture is None else f"means of shape {mixture.means_.shape}",
            need=f"(weights, means, covariances) with means of shape {shape}",
        )
    parts = (mixture.weights_, mixture.means_, mixture.covariances_)
    weights = mixture.weights_
    if not (all(np.isfinite(part).all() for part in parts) and (weights >= 0).all()):
        raise ParameterError(
            "init is no mixture.", got="nan, inf or negative weights", need="finite numbers, weights >= 0"
        )
    if abs(weights.sum() - 1.0) > 1e-6:
        raise ParameterError(
            "the weights of init do not sum to one.", got=f"a sum of {weights.sum():.6g}", need="a sum of 1"
        )
    return mixture
