"""The synthetic problems of lagofernandez2009: groups of four shapes in the plane, near or far apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from partita.arrays import Array, generator
from partita.datasets.data_set import DataSet
from partita.datasets.gaussian_clusters import placed
from partita.datasets.parameters import count, one_of, real
from partita.errors import ParameterError, Phrase, Setting

__all__ = [
    "SHAPES",
    "make_lagofernandez2009_example",
    "make_lagofernandez2009_pair",
    "make_lagofernandez2009_problem",
    "make_lagofernandez2009_sweep",
]

CUT = 1.8
"""Standard deviations from its mean at which the truncated normal law ends."""
DISC_RADIUS = 2.0
"""A uniform law on a disc of this radius has unit covariance."""
GAMMA_SHAPE, GAMMA_SCALE = 2.0, 1 / math.sqrt(3)
"""A radius of this gamma law has E r^2 = 6 scale^2 = 2, so that the covariance is the identity."""
EXAMPLE_SCALE = 1.5
"""The scale of the gamma law in the second example of 3.1."""

BOX = 25.0
SDS = (0.5, 2.0)
GROUPS = 3
NOTE_OF_PROBLEM = (
    "the paper does not give sizes, positions and scales, nor whether each group draws its own shape: "
    "what is taken here was fitted to its Table 1"
)
DISTANCES = tuple(i / 2 for i in range(11))


def _turned(radius: Array, rng: np.random.Generator) -> Array:
    """Points at these distances from the origin, in any direction."""
    angle = rng.uniform(0, 2 * np.pi, len(radius))
    points: Array = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points


def _normal(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((n, 2))


def _truncated(n: int, rng: np.random.Generator) -> Array:
    """Normal points nearer than the cut: the squared radius is exponential, and its end is cut off."""
    beyond = math.exp(-(CUT**2) / 2)
    squared = -2 * np.log1p(-rng.uniform(0, 1, n) * (1 - beyond))
    mean_of_squared = 2 - CUT**2 * beyond / (1 - beyond)
    return _turned(np.sqrt(squared / (mean_of_squared / 2)), rng)


def _disc(n: int, rng: np.random.Generator) -> Array:
    return _turned(DISC_RADIUS * np.sqrt(rng.uniform(0, 1, n)), rng)


def _gamma(n: int, rng: np.random.Generator) -> Array:
    return _turned(rng.gamma(GAMMA_SHAPE, GAMMA_SCALE, n), rng)


SHAPES: Mapping[str, Callable[[int, np.random.Generator], Array]] = MappingProxyType(
    {"normal": _normal, "truncated": _truncated, "disc": _disc, "gamma": _gamma}
)
"""The four shapes of 3.2: what draws n points of mean 0 and unit covariance."""


def make_lagofernandez2009_example(
    shape: str = "normal", *, size: int = 1000, random_state: Any = None
) -> DataSet:
    """One of the two examples of 3.1: three well separated groups.

    Parameters
    ----------
    shape : {"normal", "gamma"}
        Normal groups of unit covariance at (0, 0), (5, 0) and (5, 5); or groups with a uniform angle and a
        radius of the gamma law with shape 2 and scale 1.5, at (0, 0), (15, 0) and (15, 15).
    size : int
        The objects of each group; the paper has 1000.
    random_state : int, Generator or None
        The seed.
    """
    one_of("shape", shape, ("normal", "gamma"))
    side, variance = (5.0, 1.0) if shape == "normal" else (15.0, (EXAMPLE_SCALE / GAMMA_SCALE) ** 2)
    centres = side * np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    return _groups(
        f"{shape} example",
        [shape] * GROUPS,
        centres,
        variance * np.tile(np.eye(2), (GROUPS, 1, 1)),
        size,
        generator(random_state),
        source="lagofernandez2009, 3.1",
    )


def make_lagofernandez2009_pair(
    shape: str = "normal", distance: float = 4.0, *, size: int = 1000, random_state: Any = None
) -> DataSet:
    """A problem of 3.2: two round groups of one shape and unit covariance, at (0, 0) and (distance, 0).

    Parameters
    ----------
    shape : {"normal", "truncated", "disc", "gamma"}
        Normal; normal without what is farther than 1.8 standard deviations, scaled to unit covariance;
        uniform on a disc, of radius 2; or a uniform angle and a radius of a gamma law with shape 2, whose
        scale for unit covariance is 1/sqrt(3).
    distance : float
        Between the centres; the paper has 0 to 5.
    size : int
        The objects of each group; the paper has 1000.
    random_state : int, Generator or None
        The seed.

    Examples
    --------
    >>> from partita.datasets import make_lagofernandez2009_pair
    >>> X, labels = make_lagofernandez2009_pair("disc", distance=5, size=200, random_state=0)
    >>> bool((labels == (X[:, 0] > 2.5)).all())
    True
    """
    one_of("shape", shape, SHAPES)
    distance = real("distance", distance, least=0.0)
    return _groups(
        f"{shape} pair",
        [shape] * 2,
        np.array([[0.0, 0.0], [distance, 0.0]]),
        np.tile(np.eye(2), (2, 1, 1)),
        size,
        generator(random_state),
        source="lagofernandez2009, 3.2",
        distance=distance,
    )


def make_lagofernandez2009_sweep(
    shape: str = "normal",
    distances: Iterable[float] = DISTANCES,
    *,
    size: int = 1000,
    random_state: Any = None,
) -> tuple[DataSet, ...]:
    """The problems of 3.2 at rising distances, each drawn anew; see `make_lagofernandez2009_pair`.

    The paper says that distances range from 0 to 5, not which: we take steps of 0.5.
    """
    values = list(distances) if isinstance(distances, Iterable) else []
    if not values:
        raise ParameterError(
            Phrase(Setting("distances"), " are none."), got=repr(distances), need="numbers >= 0, one or more"
        )
    rng = generator(random_state)
    return tuple(
        make_lagofernandez2009_pair(shape, distance, size=size, random_state=rng) for distance in values
    )


def make_lagofernandez2009_problem(*, size: int = 1000, random_state: Any = None) -> DataSet:
    """A random problem of 3.3: three groups of random shape, orientation, position and scale.

    The paper does not give the laws from which these were drawn. Here each group draws its shape from the
    four, the standard deviations along its two axes from [0.5, 2], its orientation from the full turn, and
    its centre from a square of side 25, all uniformly. These were fitted to the paper's Table 1: they are not
    the authors' generator.

    Parameters
    ----------
    size : int
        The objects of each group; 1000 in the problems before it, not stated for this one.
    random_state : int, Generator or None
        The seed.
    """
    rng = generator(random_state)
    shapes = [list(SHAPES)[i] for i in rng.integers(len(SHAPES), size=GROUPS)]
    sds = rng.uniform(*SDS, size=(GROUPS, 2))
    turns = rng.uniform(0, 2 * np.pi, GROUPS)
    centres = rng.uniform(0, BOX, size=(GROUPS, 2))
    return _groups(
        "random problem",
        shapes,
        centres,
        turned_covariances(sds, turns),
        size,
        rng,
        source="lagofernandez2009, 3.3",
        notes=(NOTE_OF_PROBLEM,),
        sds=sds,
        turns=turns,
    )


def turned_covariances(sds: Array, turns: Array) -> Array:
    """The covariances of groups in the plane with these standard deviations along axes turned by angles."""
    cosine, sine = np.cos(turns), np.sin(turns)
    rotations = np.array([[cosine, -sine], [sine, cosine]]).transpose(2, 0, 1)
    covariances: Array = (rotations * sds[:, None, :] ** 2) @ rotations.swapaxes(1, 2)
    return covariances


def _groups(
    name: str,
    shapes: list[str],
    centres: Array,
    covariances: Array,
    size: Any,
    rng: np.random.Generator,
    *,
    source: str,
    notes: tuple[str, ...] = (),
    **parameters: Any,
) -> DataSet:
    """Groups of these shapes, one after another."""
    size = count("size", size)
    noise = np.vstack([SHAPES[shape](size, rng) for shape in shapes])
    labels = np.repeat(np.arange(len(shapes)), size)
    return DataSet(
        name,
        placed(noise, labels, centres, covariances),
        labels,
        centres=centres,
        covariances=covariances,
        parameters={"shapes": tuple(shapes), **parameters},
        source=source,
        notes=notes,
    )
