"""Ways to perturb data (franti2017, part IV)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError

__all__ = ["Bootstrap", "Noise", "Rerun", "Subsample"]


def is_real(value: Any) -> bool:
    """True for a real number that is not a truth value."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


class Draw(NamedTuple):
    """Perturbed data: the rows of the objects, and their values."""

    rows: Array
    X: Floats


class Scheme:
    """A way to perturb data; by itself it leaves them as they are."""

    plural: ClassVar[str]
    """The name of the perturbed data in sentences."""
    share = 1.0
    """The share of the objects that is drawn."""

    def draw(self, X: Floats, deviation: float, rng: np.random.Generator) -> Draw:  # noqa: ARG002 (one form)
        """All objects as they are."""
        return Draw(np.arange(len(X)), X)

    def draw_another(self, X: Floats, first: Draw, deviation: float, rng: np.random.Generator) -> Draw:
        """A second draw, from the objects that the first left if these are enough."""
        rest = np.setdiff1d(np.arange(len(X)), first.rows)
        if len(rest) < len(first.rows):
            return self.draw(X, deviation, rng)
        rows = np.sort(rng.choice(rest, len(first.rows), replace=False))
        return Draw(rows, X[rows])


@dataclass(frozen=True)
class Subsample(Scheme):
    """Some of the objects, drawn without replacement.

    Parameters
    ----------
    share : float
        The share of the objects that is drawn: 0.2 to 0.4 is advised. With much more every clustering is
        stable; with much less, clusters break up.

    Examples
    --------
    >>> Subsample(0.5).draw(np.zeros((4, 1)), 0.0, np.random.default_rng(0)).X.shape
    (2, 1)
    """

    plural: ClassVar[str] = "subsamples"
    share: float = 0.3

    def __post_init__(self) -> None:
        if not (is_real(self.share) and 0 < self.share <= 1):
            raise ParameterError(
                "share must be a share of the objects.", got=repr(self.share), need="0 < share <= 1"
            )

    def draw(self, X: Floats, deviation: float, rng: np.random.Generator) -> Draw:  # noqa: ARG002 (one form)
        """The objects drawn, in their order."""
        size = max(1, int(self.share * len(X) + 1e-9))  # rounded down, so that two halves fit
        rows = np.sort(rng.choice(len(X), size, replace=False))
        return Draw(rows, X[rows])


@dataclass(frozen=True)
class Bootstrap(Scheme):
    """As many objects as there are, drawn with replacement: about 63 % of them, some several times."""

    plural: ClassVar[str] = "bootstrap samples"

    def draw(self, X: Floats, deviation: float, rng: np.random.Generator) -> Draw:  # noqa: ARG002 (one form)
        """The objects drawn, in their order, with repetitions."""
        rows = np.sort(rng.integers(len(X), size=len(X)))
        return Draw(rows, X[rows])


@dataclass(frozen=True)
class Noise(Scheme):
    """All objects, with normal noise added.

    Parameters
    ----------
    scale : float
        The standard deviation of the noise in each feature, relative to that within clusters. With much
        less than 1, too many clusters are stable; with much more, clusters merge.
    """

    plural: ClassVar[str] = "noisy copies"
    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (is_real(self.scale) and 0 < self.scale < np.inf):
            raise ParameterError("scale must be positive.", got=repr(self.scale), need="a number above 0")

    def draw(self, X: Floats, deviation: float, rng: np.random.Generator) -> Draw:
        """All objects, with noise of ``scale`` times the deviation within clusters."""
        return Draw(np.arange(len(X)), X + rng.normal(scale=self.scale * deviation, size=X.shape))


@dataclass(frozen=True)
class Rerun(Scheme):
    """The same data: only the method's own randomness, which proves little (franti2017)."""

    plural: ClassVar[str] = "reruns"
