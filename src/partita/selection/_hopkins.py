"""The Hopkins statistic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from partita.arrays import Array, Floats
from partita.datasets.examined_objects import rescaled
from partita.errors import ParameterError
from partita.fits.checkpoints import root_seed
from partita.fits.tasks import check_count, task_seed
from partita.partitions import DataMatrix
from partita.statistics.null_tests import hopkins_log_odds
from partita.statistics.projections import Axes, Box

__all__ = ["hopkins"]


def hopkins(X: Any, *, n_probes: int | None = None, random_state: Any = None) -> float:
    """Whether objects lie closer to each other than to arbitrary places: about 0.5 if not, near 1 if so.

    The sum of u^d over the sum of u^d and w^d, where u is the distance from a place, drawn uniformly in the
    box that the data fills (along the principal axes or the features, whichever is smaller), to the nearest
    object; w that from an object, drawn without replacement, to the nearest other one; and d the number of
    dimensions that the data fills.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, of at least two objects that differ.
    n_probes : int, optional
        How many places and objects are drawn; by default a tenth of the objects, but at least ten if there
        are as many.
    random_state : None, int or Generator
        The value is sampled: another seed gives another one. For uniform data that fill their box, and few
        probes, it has about a Beta(n_probes, n_probes) law, with a deviation of 1 / sqrt(8 n_probes + 4).

    Returns
    -------
    float

    Pitfalls
    --------
    High values only say that the data do not fill their box evenly. One normal cloud of 300 objects scores
    about 0.8 in two dimensions, and more with more objects or dimensions: `structure` holds the value against
    such data.

    References
    ----------
    hopkins1954

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 50, axis=0)
    >>> round(hopkins(X, random_state=0), 2)
    0.91
    """
    values = rescaled(DataMatrix(X).values)
    n = len(values)
    probes = max(n // 10, min(n, 10)) if n_probes is None else n_probes
    check_count("n_probes", probes)
    if probes > n:
        raise ParameterError("there are more probes than objects.", got=f"{probes} probes", need=f"1 to {n}")
    # a seed of its own: data drawn with the same random_state would repeat in the places
    rng = np.random.default_rng(task_seed(root_seed(random_state), 0))
    axes = Axes.of(values)
    objects = rng.choice(n, probes, replace=False)
    box = Box.around(values, axes)
    places = box.at(rng.random((n, len(box.low))))[:probes]
    return hopkins_at(values, objects, places, len(axes.spread))


def hopkins_at(X: Floats, objects: Array, places: Floats, dimension: int) -> float:
    """The Hopkins statistic for given objects and places."""
    from scipy.spatial import cKDTree
    from scipy.special import expit

    tree = cKDTree(X)
    from_places = np.asarray(tree.query(places)[0])
    from_objects = np.asarray(tree.query(X[objects], k=2)[0])[:, 1]  # the nearest is the object itself
    if not from_places.any() and not from_objects.any():
        return math.nan
    return float(expit(hopkins_log_odds(from_places, from_objects, dimension)))
