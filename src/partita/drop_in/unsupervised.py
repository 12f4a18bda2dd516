"""scikit-learn's metrics of one clustering and its data: silhouette, Calinski-Harabasz, Davies-Bouldin."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from partita import indices
from partita.arrays import Array, Floats, is_sparse
from partita.arrays.containers import refuse_foreign
from partita.errors import ParameterError, UndefinedIndexWarning
from partita.partitions import DataMatrix
from partita.partitions.data import sparse_numbers
from partita.statistics import silhouette_samples as silhouettes_of

_OUR_NAMES = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}
_OURS = ("euclidean", "sqeuclidean", "cityblock")


def silhouette_samples(X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any) -> Floats:
    """The silhouette of each object; see `partita.indices.silhouette`.

    Large sparse data stay sparse for Euclidean and cosine distances. Metrics that are not compiled here, or
    have options, go through scikit-learn's ``pairwise_distances``, and need memory for all pairs.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [5.0]], [0, 0, 1]).round(4)
    array([0.8 , 0.75, 0.  ])
    """
    data, codes = _checked(X, labels, accept_sparse=True)
    name = _OUR_NAMES.get(metric, metric) if isinstance(metric, str) else metric
    by_sums = name == "cosine" and is_sparse(data) and bool(np.diff(sparse_numbers(data).indptr).all())
    if isinstance(name, str) and (name in _OURS or by_sums) and not kwds:
        return silhouettes_of(data, codes, metric=name)
    if name == "precomputed":
        distances = _with_zero_diagonal(data)
    else:
        from sklearn.metrics import pairwise_distances

        distances = pairwise_distances(data, metric=metric, **kwds)
        np.fill_diagonal(distances, 0.0)
    return silhouettes_of(distances, codes, metric="precomputed")


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """The mean silhouette; see `partita.indices.silhouette`.

    ``sample_size`` objects are drawn and compared with each other only, as scikit-learn does; ours compares
    a sample with all objects: ``silhouette(X, labels, sample_size=...)``.

    Examples
    --------
    >>> round(silhouette_score([[0.0], [1.0], [5.0]], [0, 0, 1]), 4)
    0.5167
    """
    if sample_size is not None:
        from sklearn.utils import check_random_state

        X, labels = _checked(X, labels, accept_sparse=True)
        chosen = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
        labels = labels[chosen]
        X = X[chosen].T[chosen].T if isinstance(metric, str) and metric == "precomputed" else X[chosen]
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))


def calinski_harabasz_score(X: Any, labels: Any) -> float:
    """Between over within scatter; see `partita.indices.calinski_harabasz`.

    As in scikit-learn it is 1 where no cluster has any scatter; ours is infinite, or nan.

    Examples
    --------
    >>> calinski_harabasz_score([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    50.0
    """
    data, codes = _checked(X, labels)
    value = _value(indices.find("calinski_harabasz"), data, codes)
    if math.isfinite(value):
        return value
    # without scatter the log of the ratio is infinite too; else the ratio is only too large for a number
    return math.inf if math.isfinite(_value(indices.find("hartigan_log"), data, codes)) else 1.0


def davies_bouldin_score(X: Any, labels: Any) -> float:
    """How near each cluster's nearest rival is; see `partita.indices.davies_bouldin`.

    As in scikit-learn, clusters with the same centre are no rivals of each other, and it is 0 where no
    cluster has any scatter, or all have the same centre; ours is infinite, or nan.

    Examples
    --------
    >>> round(davies_bouldin_score([[0, 1], [1, 1], [3, 4]], [0, 0, 1]), 4)
    0.128
    """
    data, codes = _checked(X, labels)
    value = _value(indices.find("davies_bouldin"), data, codes)
    return value if math.isfinite(value) else _davies_bouldin_of_coincident(DataMatrix(data).scaled, codes)


def _davies_bouldin_of_coincident(X: Array, codes: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn's value is nan there too
        centres = np.array([X[codes == j].mean(axis=0) for j in range(int(codes.max()) + 1)])
        scatter = np.array([np.linalg.norm(X[codes == j] - c, axis=1).mean() for j, c in enumerate(centres)])
        apart = np.linalg.norm(centres[:, None] - centres, axis=2)
        if np.allclose(scatter, 0.0) or np.allclose(apart, 0.0):
            return 0.0
        apart[apart == 0.0] = np.inf
        return float(((scatter[:, None] + scatter) / apart).max(axis=1).mean())


def _value(entry: Any, X: Array, codes: Array) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedIndexWarning)
        return float(entry(X, codes))


def _checked(X: Any, labels: Any, *, accept_sparse: bool = False) -> tuple[Any, Array]:
    """Data and codes 0 .. k - 1, checked by scikit-learn, with its words where they are wrong."""
    from sklearn.preprocessing import LabelEncoder
    from sklearn.utils import check_X_y

    try:
        refuse_foreign(X)
        refuse_foreign(labels)
        with np.errstate(over="ignore", invalid="ignore"):
            data, given = check_X_y(X, labels, accept_sparse=["csc", "csr"] if accept_sparse else False)
        encoder = LabelEncoder().fit(given)  # which takes None for a label, the last
        codes: Array = encoder.transform(given)
    except MemoryError:
        raise
    except Exception as problem:  # noqa: BLE001 (other libraries' containers raise their own)
        raise ParameterError(str(problem)) from None
    k = len(encoder.classes_)
    if not 1 < k < data.shape[0]:
        raise ParameterError(f"Number of labels is {k}. Valid values are 2 to n_samples - 1 (inclusive)")
    return data, codes


def _with_zero_diagonal(distances: Any) -> Array:
    dense = np.array(distances.toarray() if is_sparse(distances) else distances)
    tolerance = np.finfo(dense.dtype).eps * 100 if dense.dtype.kind == "f" else 0.0
    if (np.abs(np.diagonal(dense)) > tolerance).any():
        raise ParameterError(
            "The precomputed distance matrix contains non-zero elements on the diagonal. "
            "Use np.fill_diagonal(X, 0)."
        )
    np.fill_diagonal(dense, 0)
    return dense
