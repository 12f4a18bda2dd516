"""The synthetic sets of lei2014: three or five normal groups on rays from the origin."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import generator
from partita.datasets.data_set import DataSet
from partita.datasets.gaussian_clusters import placed
from partita.datasets.parameters import count, real
from partita.errors import near_names

__all__ = ["LEI2014", "RaySetting", "make_data3", "make_data5", "make_lei2014"]


class RaySetting(NamedTuple):
    """A row of Table III: the number of groups, their distance from the origin, the first one's prior."""

    c: int
    r: int
    dens: Fraction

    @property
    def name(self) -> str:
        """Such as ``data3_r5_dens1_6`` for a prior of 1/6."""
        return f"data{self.c}_r{self.r}_dens{self.dens.numerator}_{self.dens.denominator}"


def _settings(c: int, radii: range, priors: list[Fraction]) -> list[RaySetting]:
    """The radii with even priors, then the largest radius with the other priors."""
    even = Fraction(1, c)
    by_overlap = [RaySetting(c, r, even) for r in radii]
    return by_overlap + [RaySetting(c, radii[-1], prior) for prior in priors if prior != even]


LEI2014 = {
    setting.name: setting
    for setting in (
        *_settings(3, range(1, 6), [Fraction(i, 6) for i in range(1, 6)]),
        *_settings(5, range(2, 7), [Fraction(i, 10) for i in range(1, 6)]),
    )
}
"""The 18 sets of Table III, nine for each number of groups: five overlaps, and four more densities."""

NOTES = (
    "the paper does not say at which angle the first ray lies: we take the positive first axis",
    "the paper does not say whether groups have fixed sizes: each object draws its group by the priors",
)


def make_lei2014(name: str, *, n: int = 1000, random_state: Any = None) -> DataSet:
    """One of the 18 synthetic sets of lei2014, by the name that `LEI2014` lists.

    Parameters
    ----------
    name : str
        Such as ``"data3_r5_dens1_6"``: three groups at distance 5 from the origin, the first of prior 1/6.
    n : int
        The number of objects; the paper has 1000.
    random_state : int, Generator or None
        The seed.

    Examples
    --------
    >>> from partita.datasets import LEI2014, make_lei2014
    >>> list(LEI2014)[:2]
    ['data3_r1_dens1_3', 'data3_r2_dens1_3']
    >>> make_lei2014("data5_r6_dens1_2", random_state=0).parameters["priors"]
    array([0.5  , 0.125, 0.125, 0.125, 0.125])
    """
    if name not in LEI2014:
        raise near_names(str(name), LEI2014, noun="synthetic set of lei2014", parameter="name")
    setting = LEI2014[name]
    return _rays(name, setting.c, setting.r, float(setting.dens), n, random_state)


def make_data3(r: float = 5.0, dens: float = 1 / 3, *, n: int = 1000, random_state: Any = None) -> DataSet:
    """Three normal groups of unit covariance, at distance r from the origin, 120 degrees apart (lei2014).

    Parameters
    ----------
    r : float
        The distance of each centre from the origin: the smaller, the more overlap. The paper has 1 to 5.
    dens : float
        The prior of the first group; the others share the rest evenly. The paper has 1/6 to 5/6.
    n : int
        The number of objects; the paper has 1000. Each draws its group by the priors, which the paper does
        not say, nor at which angle the first ray lies: we take the positive first axis.
    random_state : int, Generator or None
        The seed.
    """
    return _rays("data3", 3, r, dens, n, random_state)


def make_data5(r: float = 6.0, dens: float = 1 / 5, *, n: int = 1000, random_state: Any = None) -> DataSet:
    """Five normal groups of unit covariance, at distance r from the origin, 72 degrees apart (lei2014).

    Parameters are those of `make_data3`; the paper has distances 2 to 6 and priors 1/10 to 1/2.
    """
    return _rays("data5", 5, r, dens, n, random_state)


def _rays(name: str, c: int, r: Any, dens: Any, n: Any, random_state: Any) -> DataSet:
    r, dens = real("r", r, least=0.0), real("dens", dens, above=0.0, below=1.0)
    n = count("n", n, least=c, why=f"one object for each of the {c} groups")
    angles = 2 * np.pi * np.arange(c) / c
    centres = r * np.column_stack([np.cos(angles), np.sin(angles)])
    priors = np.append(dens, np.full(c - 1, (1 - dens) / (c - 1)))
    covariances = np.tile(np.eye(2), (c, 1, 1))
    rng = generator(random_state)
    labels = rng.choice(c, size=n, p=priors)
    X = placed(rng.standard_normal((n, 2)), labels, centres, covariances)
    return DataSet(
        name,
        X,
        labels,
        centres=centres,
        covariances=covariances,
        parameters={"r": r, "dens": dens, "priors": priors},
        source="lei2014, Table III",
        notes=NOTES,
    )
