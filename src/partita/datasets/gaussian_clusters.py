"""Groups that are drawn from normal laws: the generator that others are built on."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Array, generator
from partita.datasets.data_set import DataSet
from partita.datasets.parameters import count
from partita.errors import ParameterError, Phrase, Setting

__all__ = ["make_gaussian_clusters"]


def make_gaussian_clusters(
    centres: Any, covariances: Any = 1.0, sizes: Any = 100, *, random_state: Any = None
) -> DataSet:
    """Groups of given sizes from normal laws with given centres and covariances, one group after another.

    Parameters
    ----------
    centres : array-like of shape (k, d)
        The means.
    covariances : number, array-like of shape (k,), (d, d) or (k, d, d)
        A variance for all features of all groups, or of each group; a matrix for all groups, or for each.
        Of shape (k,) with k = d it would be no matrix, so it always means variances.
    sizes : int or sequence of int
        How many objects each group has.
    random_state : int, Generator or None
        The seed.

    Examples
    --------
    >>> from partita.datasets import make_gaussian_clusters
    >>> X, labels = make_gaussian_clusters([[0, 0], [8, 0]], sizes=[3, 2], random_state=0)
    >>> labels
    array([0, 0, 0, 1, 1])
    """
    means = _matrix(centres)
    k, d = means.shape
    laws = _covariances(covariances, k, d)
    labels = np.repeat(np.arange(k), group_sizes(sizes, k))
    noise = generator(random_state).standard_normal((len(labels), d))
    return DataSet(
        "gaussian clusters",
        placed(noise, labels, means, laws),
        labels,
        centres=means,
        covariances=laws,
        source="normal laws",
    )


def placed(noise: Array, labels: Array, centres: Array, covariances: Array) -> Array:
    """Noise of unit covariance, carried to the centre of each object's group and given its covariance."""
    X = centres[labels]
    for group, root in enumerate(_roots(covariances)):
        members = labels == group
        X[members] += noise[members] @ root.T
    return X


def group_sizes(sizes: Any, k: int) -> Array:
    """The size of each of k groups, from one number for all or one for each."""
    if np.ndim(sizes) == 0:
        return np.full(k, count("sizes", sizes))
    given = [count("sizes", size) for size in np.asarray(sizes).tolist()]
    if len(given) != k:
        raise ParameterError(
            Phrase(Setting("sizes"), " are not one for each group."), got=f"{len(given)} sizes", need=f"{k}"
        )
    return np.array(given)


def even_sizes(n: int, k: int) -> Array:
    """The sizes of k groups that share n objects as evenly as can be."""
    return np.full(k, n // k) + (np.arange(k) < n % k)


def _matrix(centres: Any) -> Array:
    means = _numbers("centres", centres)
    if means.ndim != 2 or not means.size:
        raise ParameterError(
            Phrase(Setting("centres"), " are no table."), got=f"shape {means.shape}", need="shape (k, d)"
        )
    return means


def _numbers(name: str, values: Any) -> Array:
    """Finite numbers as an array of their own."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not np.isfinite(array).all():
        raise ParameterError(
            Phrase(Setting(name), " are not all finite numbers."),
            got=f"{values!r:.80}",
            need="finite numbers",
        )
    return array


def _covariances(covariances: Any, k: int, d: int) -> Array:
    """One positive semi-definite matrix for each group."""
    given = _numbers("covariances", covariances)
    if given.shape in ((), (k,)):
        laws = np.broadcast_to(given, k)[:, None, None] * np.eye(d)
    elif given.shape in ((d, d), (k, d, d)):
        laws = np.array(np.broadcast_to(given, (k, d, d)))
    else:
        need = f"a number, or shape ({k},), ({d}, {d}) or ({k}, {d}, {d})"
        what = Phrase(Setting("covariances"), " do not fit the centres.")
        raise ParameterError(what, got=f"shape {given.shape}", need=need)
    symmetric = np.allclose(laws, laws.swapaxes(1, 2), rtol=1e-10, atol=0.0)
    least = np.linalg.eigvalsh(laws).min() if symmetric else -np.inf
    if least < -1e-10 * np.abs(laws).max():
        got = f"a matrix with the eigenvalue {least:.4g}" if symmetric else "a matrix that is not symmetric"
        what = Phrase(Setting("covariances"), " are no covariances.")
        raise ParameterError(what, got=got, need="symmetric matrices without a negative eigenvalue")
    return laws


def _roots(covariances: Array) -> Array:
    """For each matrix the symmetric one whose square it is."""
    values, vectors = np.linalg.eigh(covariances)
    roots: Array = (vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]) @ vectors.swapaxes(1, 2)
    return roots
