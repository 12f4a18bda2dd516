"""What every estimator of this room shares: reading X, restarts, and the attributes that a fit leaves."""

from __future__ import annotations

import functools
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions, make_constraint
from sklearn.utils.validation import check_is_fitted, validate_data

from partita.arrays import Array, Floats, frame_library, generator, refuse_equal_names
from partita.arrays.containers import refuse_foreign
from partita.cluster.centres import CentreFit, nearest, read_centres, starting_centres
from partita.cluster.units import shifted, to_working_units, working_exponent
from partita.errors import ConvergenceWarning, EmptyClusterWarning, ParameterError, PartitaWarning
from partita.partitions import HardPartition, Partition
from partita.partitions.chunked_reading import from_dask
from partita.progress import bar

LARGEST_VALUE = 1e100
"""Sums of squares of larger values could leave the range of numbers."""

COUNT = [Interval(Integral, 1, None, closed="left")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
N_JOBS = [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None]
RANDOM_STATE = ["random_state", np.random.Generator, np.random.SeedSequence]
"""What parameters of many methods may be, in the words of scikit-learn's constraints; the last is a seed."""

FROM_STARTS: dict[str, list[Any]] = {
    "n_clusters": COUNT,
    "init": [StrOptions({"k-means++", "random"}), "array-like"],
    "n_init": COUNT,
    "max_iter": COUNT,
    "tol": NOT_NEGATIVE,
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
}
"""The constraints of a method that moves centres from several starts."""

MOST = 2**63 - 1
"""The largest whole number that compiled loops take."""

Run = TypeVar("Run", bound=Any)


def _in_memory(X: Any) -> Any:
    """X, that of dask brought here; refuse what scikit-learn would go through item by item."""
    here = from_dask("X", X)
    try:
        refuse_foreign(here)
    except TypeError as problem:
        raise ParameterError(
            "X holds no numbers.",
            got=str(problem),
            need="an (n, d) array of numbers",
            fix="of an object that holds a table, pass the table (adata.X)",
        ) from None
    refuse_equal_names(here)
    return here


def _no_parameter(value: Any) -> str:
    """What a value is that scikit-learn takes for a number and a fit cannot use; else nothing."""
    if isinstance(value, (bool, np.bool_)):
        return "a truth value"
    if isinstance(value, Integral) and abs(int(value)) > MOST:
        return "a whole number of more than 63 bits"
    kind: Any = type(value)
    if issubclass(kind, Real) and not issubclass(kind, (int, float, np.integer, np.floating)):
        return f"a {kind.__name__}, which NumPy does not know"
    return ""


class EstimatorParameterError(ParameterError, InvalidParameterError):
    """A parameter of an estimator has a value that it cannot have; scikit-learn's error, and ours."""


class Clusterer(ClusterMixin, BaseEstimator, ABC):
    """A clustering method in scikit-learn's dress.

    A method writes `_solve`, which leaves its attributes, and states what its parameters may be in
    ``_parameter_constraints``, as scikit-learn's estimators do. ``objective_`` is smaller for a better fit.

    `_solve` works on X times a power of two (1 for all but very small or large data), so that squares neither
    vanish nor overflow; what is in units of X goes through `_in_working_units`, and `_units` says which
    attributes are to be taken back.
    """

    _units: ClassVar[Mapping[str, int]] = {}
    """Attributes in units of X, and their power: 1 for centres, 2 for sums of squares."""

    _parameter_constraints: dict[str, list[Any]]
    n_clusters: Any
    random_state: Any
    _exponent: int
    _working: dict[str, Any]
    partition_: Partition
    labels_: Array
    objective_: float
    n_iter_: int
    n_features_in_: int

    @classmethod
    @functools.cache
    def _get_param_names(cls) -> list[str]:
        """The parameters' names; scikit-learn reads the signature anew at each of many questions of a fit."""
        names: list[str] = super()._get_param_names()
        return names

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002 (scikit-learn's signature)
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, d) array or data frame
            Finite numbers; sparse matrices are refused.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        self
        """
        X = _in_memory(X)
        values = validate_data(self, X, dtype=np.float64, order="C")
        self._exponent, self._working = self._working_exponent(values), {}
        is_frame = frame_library(X) is not None
        index = X.index if is_frame and hasattr(X, "index") and hasattr(X, "iloc") else None
        if isinstance(self.n_clusters, (int, np.integer)) and self.n_clusters > len(values):
            raise ParameterError(
                f"n_samples={len(values)} should be >= n_clusters={self.n_clusters}.",
                got=f"X of shape {values.shape}",
                need="at least as many objects as clusters",
            )
        self._solve(shifted(values, self._exponent), generator(self.random_state), index)
        self._back_to_own_units()
        self.partition_.frame = frame_library(X)
        return self

    @abstractmethod
    def _solve(self, X: Floats, rng: np.random.Generator, index: Any) -> None:
        """Fit; leave ``partition_`` (made with ``index=index``), ``labels_``, ``objective_``, ``n_iter_``."""

    def _validate_params(self) -> None:
        """Hold parameters to their constraints before a fit."""
        for name, value in self.get_params(deep=False).items():
            refused = _no_parameter(value)
            if refused:
                raise EstimatorParameterError(
                    f"The {name!r} parameter of {type(self).__name__} cannot be this value.",
                    got=refused,
                    need=" or ".join(map(str, map(make_constraint, self._parameter_constraints[name]))),
                )
        try:
            super()._validate_params()
        except InvalidParameterError as problem:
            raise EstimatorParameterError(str(problem)) from None

    def _working_exponent(self, X: Floats) -> int:
        """The power of two that X is multiplied by."""
        return working_exponent(X)

    def _read(self, X: Any) -> Floats:
        """New data for a fitted model, with the features of the fit, in working units."""
        check_is_fitted(self)
        X = _in_memory(X)
        values = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return to_working_units(values, self._exponent)

    def _in_working_units(self, value: Any) -> Any:
        """A number or centres in units of X as `_solve` takes them; words and None stay."""
        if self._exponent == 0 or value is None or isinstance(value, str):
            return value
        return shifted(value if isinstance(value, Real) else read_centres(value), self._exponent)

    def _back_to_own_units(self) -> None:
        """Undo the power of two in the attributes; what they were is kept for `_fitted`."""
        if self._exponent:
            self._working = {name: getattr(self, name) for name in self._units}
            for name, power in self._units.items():
                setattr(self, name, shifted(self._working[name], -power * self._exponent))

    def _fitted(self, name: str) -> Any:
        """An attribute in working units, which it is in until the fit ends."""
        return self._working.get(name, getattr(self, name))


class CentreClusterer(Clusterer):
    """A method whose clusters have centres, each object going to the nearest."""

    _units: ClassVar[Mapping[str, int]] = {"cluster_centers_": 1, "objective_": 2}
    cluster_centers_: Floats

    def predict(self, X: Any) -> Array:
        """The nearest centre of each row of X."""
        return nearest(self._read(X), self._fitted("cluster_centers_"))[0]

    def _leave(self, fit: CentreFit, index: Any) -> None:
        """Set the attributes of a hard clustering by its centres."""
        self.cluster_centers_, self.labels_ = fit.centres, fit.labels
        self.objective_, self.n_iter_ = fit.objective, fit.n_iter
        self.partition_ = HardPartition(fit.labels, index=index)
        warn_of_empty(len(fit.centres) - len(np.unique(fit.labels)), len(fit.centres))


def squarable(X: Floats) -> Floats:
    """X, unless sums of its squares would overflow."""
    largest = max(float(X.max()), -float(X.min()))
    if largest > LARGEST_VALUE:
        raise ParameterError(
            "X has values too large to be squared.",
            got=f"a value of size {largest:.3g}",
            need=f"values up to {LARGEST_VALUE:g}",
            fix="divide the features by their scale",
        )
    return X


def restarts(
    run: Callable[[np.random.Generator], Run],
    n_init: int,
    rng: np.random.Generator,
    *,
    n_jobs: int | None,
    description: str,
) -> list[Run]:
    """Run a method from several starts on threads, each with a seed of its own; results in their order.

    The number of jobs changes nothing: a start depends on its seed alone.
    """
    seeds: Sequence[np.random.Generator] = rng.spawn(n_init)
    if n_init == 1:
        return [run(seeds[0])]
    done = []
    with bar(description) as report:
        pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        for result in pool(delayed(run)(seed) for seed in seeds):
            done.append(result)
            report(len(done), n_init)
    return done


def best_from_starts(
    model: Any, X: Floats, rng: np.random.Generator, run: Callable[[Floats], Run], description: str
) -> Run:
    """The run with the least objective, from each of a method's starts; given centres are one start."""
    n_init, init = model.n_init if isinstance(model.init, str) else 1, model._in_working_units(model.init)
    runs = restarts(
        lambda seed: run(starting_centres(X, model.n_clusters, init, seed)),
        n_init,
        rng,
        n_jobs=model.n_jobs,
        description=description,
    )
    return min(runs, key=lambda found: found.objective)


def warn_of_empty(empty: int, n_clusters: int) -> None:
    """Say that some clusters have no object."""
    if empty:
        warn(
            f"{empty} of {n_clusters} clusters are empty: X may have fewer distinct points than clusters; "
            "a smaller n_clusters leaves none out.",
            EmptyClusterWarning,
        )


def warn_of_no_convergence(method: str, max_iter: int) -> None:
    """Say that a method was stopped before it settled."""
    warn(
        f"{method} did not converge in max_iter={max_iter} iterations; a larger max_iter or tol lets it.",
        ConvergenceWarning,
    )


def warn(message: str, category: type[PartitaWarning]) -> None:
    """Warn with the user's own line, however deep in this room, or in scikit-learn, the reason lies."""
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("partita", "sklearn")):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth)
