"""scikit-learn's metrics of two clusterings."""

from __future__ import annotations

import math
import warnings
from numbers import Real
from typing import Any

import numpy as np

from partita import indices
from partita.arrays import Array, is_sparse
from partita.arrays.containers import array_of
from partita.engine import Request, collect
from partita.errors import MismatchError, ParameterError, PartitionError
from partita.inputs import prepare
from partita.registry import find
from partita.statistics import Contingency

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]

_NMI_BY_AVERAGE = {"arithmetic": "nmi_sum", "geometric": "nmi_sqrt", "max": "nmi_max", "min": "nmi_min"}


# --- where scikit-learn's values differ from ours -----------------------------------------------------
# Ours are in the entries of partita.indices. For no objects at all they refuse the labels; on the empty table
# they are scikit-learn's values already, 1 everywhere, but for the cases here.


def _fowlkes_mallows(table: Contingency) -> float:
    """0 when no pair is together in both, even for identical singletons or no objects; ours: 1 or nan."""
    return float(indices.fowlkes_mallows.of(table)) if table.pair_counts.both else 0.0


def _mutual_information(table: Contingency) -> float:
    """A ValueError for no objects, as there."""
    if not table.n > 0:
        raise ParameterError("mutual information needs objects.", got="none", need="at least one object")
    return float(indices.mutual_information.of(table))


def _adjusted_mutual_information(table: Contingency, average: str) -> float:
    """1 for no objects, and where every shuffle agrees as well as can be: 0/0, ours is nan."""
    if not table.n > 0:
        return 1.0
    value = indices.adjusted_mutual_information.using(average=average).of(table)
    return 1.0 if math.isnan(value) else float(value)


def _v_measure(table: Contingency, beta: float) -> float:
    """With beta = 0, which ours refuses, homogeneity alone counts, and 0 is still 0."""
    if beta > 0:
        return float(indices.v_measure.using(beta=float(beta)).of(table))
    return float(indices.homogeneity.of(table)) if indices.completeness.of(table) else 0.0


# --- the metrics --------------------------------------------------------------------------------------


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """The share of pairs of objects that both clusterings treat alike; see `partita.indices.rand`.

    Examples
    --------
    >>> round(rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """
    return float(indices.rand.of(_table(labels_true, labels_pred)))


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Agreement on pairs beyond chance; see `partita.indices.adjusted_rand`.

    Examples
    --------
    >>> adjusted_rand_score(["a", "a", "b", "b"], [0, 1, 0, 1])
    -0.5
    """
    return float(indices.adjusted_rand.of(_table(labels_true, labels_pred)))


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """The geometric mean of pair precision and recall; see `partita.indices.fowlkes_mallows`.

    As in scikit-learn it is 0 whenever no pair of objects is together in both clusterings, even when
    both have each object on its own.

    Examples
    --------
    >>> fowlkes_mallows_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> fowlkes_mallows_score([0, 1, 2], [0, 1, 2])
    0.0
    """
    return _fowlkes_mallows(_table(labels_true, labels_pred))


def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None) -> float:
    """The information that two clusterings share, in nats; see `partita.indices.mutual_information`.

    Parameters
    ----------
    labels_true, labels_pred : array-like or None
        One label for each object; not looked at when ``contingency`` is given.
    contingency : array-like or sparse of shape (k, k'), optional
        A ready table. Its cells may be fractional, as those of soft clusterings are; scikit-learn cuts
        such cells down to whole numbers and so gives another value for them, without a word.

    Returns
    -------
    float

    Examples
    --------
    >>> round(mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0]), 4)
    0.6931
    >>> round(mutual_info_score(None, None, contingency=[[0.5, 0.0], [0.0, 0.5]]), 4)
    0.6931
    """
    if contingency is None:
        return _mutual_information(_table(labels_true, labels_pred))
    return _mutual_information(_given_table(contingency))


def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic"
) -> float:
    """Mutual information as a share of an average of both entropies; see `partita.indices.nmi_sum`.

    Parameters
    ----------
    labels_true, labels_pred : array-like
        One label for each object.
    average_method : {"arithmetic", "geometric", "max", "min"}
        The average: `nmi_sum`, `nmi_sqrt`, `nmi_max` or `nmi_min`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 1, 2, 3], average_method="max"), 4)
    0.5
    """
    _check_average(average_method, "normalized_mutual_info_score")
    return float(find(_NMI_BY_AVERAGE[average_method]).of(_table(labels_true, labels_pred)))


def adjusted_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic"
) -> float:
    """Mutual information beyond chance; see `partita.indices.adjusted_mutual_information`.

    Where every shuffle of the objects agrees as well as is possible, the value is 1; scikit-learn's is
    there the quotient of two rounding errors.

    Parameters
    ----------
    labels_true, labels_pred : array-like
        One label for each object.
    average_method : {"arithmetic", "geometric", "max", "min"}
        Which average of both entropies counts as the most that could be shared.

    Returns
    -------
    float

    Examples
    --------
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 0, 0])
    0.0
    """
    _check_average(average_method, "adjusted_mutual_info_score")
    return _adjusted_mutual_information(_table(labels_true, labels_pred), average_method)


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """How pure the found clusters are; see `partita.indices.homogeneity`.

    Examples
    --------
    >>> round(homogeneity_score([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    1.0
    """
    return float(indices.homogeneity.of(_table(labels_true, labels_pred)))


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """How well the true classes are kept together; see `partita.indices.completeness`.

    Examples
    --------
    >>> round(completeness_score([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.5
    """
    return float(indices.completeness.of(_table(labels_true, labels_pred)))


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """The harmonic mean of homogeneity and completeness; see `partita.indices.v_measure`.

    Parameters
    ----------
    labels_true, labels_pred : array-like
        One label for each object.
    beta : float
        Above 1 completeness weighs more, below 1 homogeneity; at least 0.

    Returns
    -------
    float

    Examples
    --------
    >>> round(v_measure_score([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    0.6667
    """
    _check_not_negative("beta", beta, "v_measure_score")
    return _v_measure(_table(labels_true, labels_pred), beta)


def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness and V-measure from one table.

    Parameters
    ----------
    labels_true, labels_pred : array-like
        One label for each object.
    beta : float
        As for `v_measure_score`.

    Returns
    -------
    homogeneity, completeness, v_measure : float

    Examples
    --------
    >>> [round(x, 4) for x in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 1, 2, 3])]
    [1.0, 0.5, 0.6667]
    """
    _check_not_negative("beta", beta, "homogeneity_completeness_v_measure")
    table = _table(labels_true, labels_pred)
    return (
        float(indices.homogeneity.of(table)),
        float(indices.completeness.of(table)),
        _v_measure(table, beta),
    )


# --- tables -------------------------------------------------------------------------------------------


def contingency_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: Any = np.int64,
) -> Any:
    """How many objects of each true class are in each found cluster, both in sorted order.

    Parameters
    ----------
    labels_true, labels_pred : array-like
        One label for each object.
    eps : float, optional
        Added to every cell; not together with ``sparse``.
    sparse : bool
        Return a SciPy CSR matrix.
    dtype : data type
        The type of the cells.

    Returns
    -------
    array or CSR matrix of shape (k, k')

    Examples
    --------
    >>> contingency_matrix([5, 5, 9, 9], ["a", "b", "b", "b"])
    array([[1, 1],
           [0, 2]])
    """
    if eps is not None:
        _check_not_negative("eps", eps, "contingency_matrix", or_none=True)
        if sparse:
            raise ParameterError("Cannot set 'eps' when sparse=True", got=f"eps={eps!r}")
    table = _table(labels_true, labels_pred)
    rows, columns = np.flatnonzero(table.row_sums), np.flatnonzero(table.column_sums)
    counts = table.raw[rows][:, columns].astype(dtype)
    if sparse:
        from scipy.sparse import csr_matrix

        return csr_matrix(counts)
    dense: Array = counts.toarray() if is_sparse(counts) else counts
    return dense if eps is None else dense + eps


def pair_confusion_matrix(labels_true: Any, labels_pred: Any) -> Array:
    """Ordered pairs of objects: rows together in truth (no, yes), columns together in found (no, yes).

    Examples
    --------
    >>> pair_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 2])
    array([[8, 0],
           [2, 2]])
    """
    both, truth_only, found_only, neither = _table(labels_true, labels_pred).pair_counts
    return 2 * np.array([[neither, found_only], [truth_only, both]], dtype=np.int64)


def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """The mean mutual information, in nats, over all shuffles of the objects; only the margins matter.

    Parameters
    ----------
    contingency : array-like or sparse of shape (k, k')
        The table. Margins that are no whole numbers, which scikit-learn cuts down, are refused: a shuffle
        moves whole objects.
    n_samples : int
        The number of objects; it must be the sum of the table.

    Returns
    -------
    float

    Examples
    --------
    >>> round(expected_mutual_information([[3, 1], [1, 2]], 7), 4)
    0.0985
    """
    table = _given_table(contingency)
    given: Any = n_samples
    is_sum = isinstance(given, Real) and given == table.n
    if not is_sum or any((m != np.floor(m)).any() for m in (table.row_sums, table.column_sums)):
        raise ParameterError(
            "there is no such shuffle of objects.",
            got=f"n_samples={n_samples!r} and a table that sums to {float(table.n):g}",
            need="a table with whole margins, and their sum",
        )
    return float(table.expected_mutual_information)


# --- reading the arguments ----------------------------------------------------------------------------


def _table(labels_true: Any, labels_pred: Any) -> Contingency:
    """The table of two lists of labels; called by public functions only, for the place of the warning."""
    given = {"truth": _labels("labels_true", labels_true), "found": _labels("labels_pred", labels_pred)}
    sizes = [labels.size for labels in given.values()]
    if sizes[0] != sizes[1]:
        raise MismatchError(
            f"Found input variables with inconsistent numbers of samples: {sizes}",
            need="one label for each object on both sides",
        )
    if sizes == [0, 0]:
        return Contingency.zero()
    continuous = [name for name, labels in given.items() if _is_continuous(labels)]
    if continuous:
        for_label, for_target = (_type_of(labels) for labels in given.values())
        warnings.warn(
            f"Clustering metrics expects discrete values but received {for_label} values for label, "
            f"and {for_target} values for target",
            UserWarning,
            stacklevel=3,
        )
        given |= {name: np.unique(given[name], return_inverse=True)[1] for name in continuous}
    statistic: Any = Contingency
    request = Request(statistic)
    table: Contingency = collect([request], prepare(given))[request]
    return table


def _labels(name: str, given: Any) -> Array:
    labels = _array(name, given)
    kind = labels.dtype.kind
    if kind == "f" and np.isinf(labels).any():
        raise PartitionError(
            f"Input contains infinity or a value too large for {labels.dtype!r}.", got=f"it is in {name}"
        )
    if (kind == "f" and np.isnan(labels).any()) or (
        kind == "O" and any(isinstance(x, float) and math.isnan(x) for x in labels.flat)
    ):
        raise PartitionError("Input contains NaN.", got=f"it is in {name}", need="a label for every object")
    if labels.ndim != 1:
        raise PartitionError(
            f"{name} must be 1D: shape is {labels.shape}",
            need="one label for each object",
            fix="partita.indices takes memberships",
        )
    return labels


def _array(name: str, given: Any) -> Array:
    try:
        return given if isinstance(given, np.ndarray) else array_of(given)
    except (TypeError, ValueError) as problem:
        raise PartitionError(f"{name}: {problem}", got=type(given).__name__) from None


def _is_continuous(labels: Array) -> bool:
    """Whether these are numbers that no integer can stand for."""
    if labels.dtype.kind != "f":
        return False
    values = labels.astype(np.float64)
    return bool(((values != np.floor(values)) | (np.abs(values) >= 2.0**53)).any())


def _type_of(labels: Array) -> str:
    if _is_continuous(labels):
        return "continuous"
    return "binary" if len(set(labels.tolist())) <= 2 else "multiclass"


def _given_table(contingency: Any) -> Contingency:
    cells = contingency if is_sparse(contingency) else _array("contingency", contingency)
    if cells.ndim != 2:
        raise ParameterError(
            f"Expected 2D array, got {cells.ndim}D array instead", need="a contingency table"
        )
    if isinstance(cells, np.ma.MaskedArray) and np.ma.is_masked(cells):
        raise ParameterError("cells of the contingency table are masked.", need="a number in every cell")
    with np.errstate(over="ignore"):  # infinite cells are refused
        return Contingency.from_counts(cells)


def _check_average(average: Any, function: str) -> None:
    if not isinstance(average, str) or average not in _NMI_BY_AVERAGE:
        choices = ", ".join(map(repr, sorted(_NMI_BY_AVERAGE)))
        raise ParameterError(
            f"The 'average_method' parameter of {function} must be a str among {{{choices}}}. "
            f"Got {average!r} instead."
        )


def _check_not_negative(name: str, value: Any, function: str, *, or_none: bool = False) -> None:
    if not (isinstance(value, Real) and 0 <= float(value) < math.inf):
        raise ParameterError(
            f"The {name!r} parameter of {function} must be a float in the range [0.0, inf)"
            f"{' or None' if or_none else ''}. Got {value!r} instead."
        )
