"""Features in different units: which of them make up the distances, and how to give all the same say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_blas_thread
from partita.errors import ParameterError
from partita.partitions.data import DataMatrix

__all__ = ["Dominance", "SCALES", "dominance", "scaled_data"]

SCALES = ("standard", "robust")

DROWNED = 0.1
"""A feature with a smaller share of the root mean square deviation makes less than 1 % of the difference
that it would make if all features had the same say."""

ENOUGH = 10_000
"""Objects that show whether features are drowned."""

WIDEST = 0.05
"""The share of the gaps between neighbouring values that may be gaps between clusters."""

NEARLY_ALL = 0.95
"""The dominating features are the fewest that make up so much of the squared distances."""

MOST_NAMED = 3


@dataclass(frozen=True)
class Dominance:
    """Features that make up nearly all of the squared distances, beside others that hardly count."""

    features: tuple[str, ...]
    share: float
    drowned: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words, with the way out."""
        one = len(self.features) == 1
        return (
            f"{_named(self.features)} {'makes' if one else 'make'} up {_percent(self.share)} of the squared "
            f'distances, {_named(self.drowned)} next to nothing: scale="standard" gives all features '
            "the same say"
        )


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.9995 else "more than 99.9%"


def _named(features: Sequence[str]) -> str:
    if len(features) <= MOST_NAMED:
        return " and ".join(filter(None, [", ".join(features[:-1]), features[-1]]))
    return f"{', '.join(features[:MOST_NAMED])} and {len(features) - MOST_NAMED} more features"


def dominance(data: DataMatrix) -> Dominance | None:
    """Which features drown others in Euclidean distances, or None.

    Over all pairs of objects, a feature's share of the squared distances is its share of the sum of the
    variances. Constant features are not counted: no scale gives them a say. Principal components are not
    either, which columns that are uncorrelated up to rounding are: that they differ in spread is their point.

    Of many objects an even part is looked at first: where nothing drowns there, nothing does on the whole.
    Sparse data, such as counts of words, have one unit, and are not looked at.
    """
    if data.are_distances or data.sparse is not None or data.shape[1] < 2 or data.n_objects < 3:
        return None
    step = data.n_objects // ENOUGH
    if step > 1 and _dominance(data.values[::step], data.features) is None:
        return None
    return _dominance(data.values, data.features)


def _dominance(X: Array, features: Sequence[Any]) -> Dominance | None:
    values = X.astype(np.float64)
    largest = np.abs(values).max(axis=0)
    if not largest.max() > 0:
        return None
    values = values / np.where(largest > 0, largest, 1.0)  # squares of what is huge or tiny stay numbers
    relative = values.std(axis=0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        spreads = relative * (largest / largest.max())
    varies = relative > 0
    if varies.sum() < 2 or not spreads.max() > 0:
        return None
    shares = _shares(spreads)
    drowned = varies & (shares < DROWNED**2 / varies.sum())
    drowned &= _shares(_covered(values) * (largest / largest.max())) < DROWNED**2 / varies.sum()
    if not drowned.any() or _are_uncorrelated(values[:, varies]):
        return None
    order = np.argsort(-shares, kind="stable")
    count = int(np.searchsorted(np.cumsum(shares[order]), NEARLY_ALL)) + 1
    names = [str(name) for name in features] or [f"column {j}" for j in range(values.shape[1])]
    return Dominance(
        tuple(names[j] for j in order[:count]),
        float(shares[order[:count]].sum()),
        tuple(names[j] for j in order if drowned[j]),
    )


def _shares(spreads: Floats) -> Floats:
    squares = np.square(spreads / spreads.max()) if spreads.max() > 0 else np.ones(spreads.shape)
    return np.asarray(squares / squares.sum())


def _covered(values: Floats) -> Floats:
    """The length that each column covers, its widest gaps left away.

    Clusters that lie far apart along a feature give it a large deviation whatever its unit; the gaps between
    them are not the feature's own spread.
    """
    gaps = np.sort(np.diff(np.sort(values, axis=0), axis=0), axis=0)
    return np.asarray(gaps[: len(gaps) - math.ceil(WIDEST * len(gaps))].sum(axis=0))


def _are_uncorrelated(values: Floats) -> bool:
    """Whether no two columns are correlated, up to rounding."""
    centred = values - values.mean(axis=0)
    centred /= np.sqrt(np.square(centred).sum(axis=0))
    if centred.shape[1] > len(centred):  # so many columns cannot all be
        return False
    with one_blas_thread():
        products = centred.T @ centred
    return bool(np.abs(products - np.eye(len(products))).max() < 1e-6)


def scaled_data(data: DataMatrix, scale: Any) -> tuple[DataMatrix, Any]:
    """The data with every feature on the same scale, and scikit-learn's scaler that made it; None for none.

    Parameters
    ----------
    data : DataMatrix
        Of any units.
    scale : {None, "standard", "robust"}
        Each feature minus its mean over its standard deviation, or minus its median over its quartile
        distance, which outliers do not move.
    """
    if scale is None:
        return data, None
    if not isinstance(scale, str) or scale not in SCALES:
        raise ParameterError(
            "no such scale.",
            got=repr(scale),
            need=" or ".join(f'"{name}"' for name in SCALES) + ", or None",
            parameter="scale",
        )
    if data.are_distances:
        raise ParameterError(
            "distances have no features to scale.", got=f"scale={scale!r}", need="the data", parameter="scale"
        )
    from sklearn.preprocessing import RobustScaler, StandardScaler

    scaler = {"standard": StandardScaler, "robust": RobustScaler}[scale]().fit(data.values)
    return data.with_other_values(scaler.transform(data.values)), scaler
