"""What generators and loaders return: the objects, the group of each, and what is known of their origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from partita.arrays import Array

__all__ = ["DataSet"]


@dataclass(frozen=True, eq=False, repr=False)
class DataSet:
    """Objects with the group of each; it unpacks as ``X, labels = data``.

    Attributes
    ----------
    name : str
        What it is called.
    X : array of shape (n, d)
        One row for each object; nan where a value is missing.
    labels : array of shape (n,), or None
        The group of each object, from 0; None where no truth is known.
    centres : array of shape (k, d), or None
        The mean of each group's law, which generated the objects.
    covariances : array of shape (k, d, d), or None
        The covariance of each group's law.
    parameters : dict
        What else the generator was given or drew.
    feature_names : tuple of str
        The names of the columns, where they have some.
    source : str
        Where it comes from.
    notes : tuple of str
        What a user must know: oddities of the data, and what was taken where a paper does not say.

    Examples
    --------
    >>> from partita import datasets
    >>> data = datasets.make_lei2014("data3_r5_dens1_3", random_state=0)
    >>> data
    data3_r5_dens1_3: 1000 objects, 2 features, 3 groups (lei2014, Table III)
    >>> X, labels = data
    >>> X.shape, data.parameters["r"]
    ((1000, 2), 5.0)
    """

    name: str
    X: Array
    labels: Array | None
    centres: Array | None = None
    covariances: Array | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    feature_names: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        yield self.X
        yield self.labels

    @property
    def n(self) -> int:
        """The number of objects."""
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        """The number of features."""
        return int(self.X.shape[1])

    @property
    def k(self) -> int | None:
        """The number of groups; None where no truth is known.

        Of a generated set it is the number that was planted, even if a group has drawn no object.
        """
        if self.centres is not None:
            return len(self.centres)
        return None if self.labels is None else int(np.unique(self.labels).size)

    def __repr__(self) -> str:
        groups = "no known groups" if self.k is None else f"{self.k} group{'s' * (self.k != 1)}"
        features = f"{self.d} feature{'s' * (self.d != 1)}"
        origin = f" ({self.source})" if self.source else ""
        return f"{self.name}: {self.n} object{'s' * (self.n != 1)}, {features}, {groups}{origin}"
