"""Many clusterings of the same objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from partita.arrays import Array, frame_columns, frame_library, is_sparse, read_only
from partita.errors import MismatchError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions.kinds import Kind, softest
from partita.partitions.partition import Partition, lengths_differ
from partita.partitions.reading import as_partition


class Ensemble:
    """Clusterings of the same objects, of any kinds, each with its own number of clusters.

    Parameters
    ----------
    partitions : iterable of clusterings, dictionary of them by name, or frame
        Anything `as_partition` takes; each column of a frame is a clustering. Where all have an index
        (pandas, communities), objects are brought into the order of the first; otherwise all must list the
        same objects in the same order.
    weights : array, optional
        How much each clustering counts (posterior probabilities, counts of bootstrap runs); divided by their
        sum. In `distribution` a weighted ensemble is a law over hard clusterings.

    Attributes
    ----------
    names : tuple
        The names of the clusterings, or their positions.
    weights : array
        The probability of each clustering: equal ones where no weights were given.

    Examples
    --------
    >>> runs = Ensemble([[0, 0, 1], [1, 1, 0], [0, 1, 1]])
    >>> runs
    Ensemble(3 partitions of 3 objects, hard, k=2)
    """

    def __init__(self, partitions: Iterable[Any], *, weights: Any = None) -> None:
        named = frame_columns(partitions) if frame_library(partitions) else partitions
        self.names: tuple[Any, ...] = ()
        if isinstance(named, Mapping) and not is_sparse(named):
            self.names, partitions = tuple(named), list(named.values())
        try:
            given = iter(partitions)
        except TypeError:
            raise PartitionError(
                "this is not a list of clusterings.",
                got=repr(partitions),
                need="clusterings of the same objects",
            ) from None
        members = [as_partition(p) for p in given]
        if not members:
            raise PartitionError("an ensemble needs members.", got="no partition", need="at least one")
        first = members[0]
        for i, member in enumerate(members[1:], start=1):
            if member.n_objects != first.n_objects:
                raise lengths_differ(first, member)
            if member.index is None or first.index is None or member.index.equals(first.index):
                continue
            unique = member.index.is_unique and first.index.is_unique
            place = member.index.get_indexer(first.index) if unique else np.array([-1])
            if (place < 0).any():
                raise MismatchError(
                    f"partition {i} of the ensemble is about other objects than the first.",
                    got=f"{int((place < 0).sum())} objects of the first are missing"
                    if unique
                    else "indices that differ and repeat objects",
                    need="the same objects in every partition",
                )
            members[i] = member.take(np.asarray(place))
        self.partitions: tuple[Partition, ...] = tuple(members)
        self.names = self.names or tuple(range(len(members)))
        self.weights: Array = _probabilities(weights, len(members))

    def __len__(self) -> int:
        return len(self.partitions)

    def __iter__(self) -> Iterator[Partition]:
        return iter(self.partitions)

    def __getitem__(self, i: int) -> Partition:
        return self.partitions[i]

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return self.partitions[0].n_objects

    @property
    def kind(self) -> Kind:
        """The softest kind among the members."""
        return softest(p.kind for p in self.partitions)

    def __repr__(self) -> str:
        ks = sorted({p.n_clusters for p in self.partitions})
        k = str(ks[0]) if len(ks) == 1 else f"{ks[0]}..{ks[-1]}"
        kinds = ", ".join(sorted({p.kind.value for p in self.partitions}))
        weights = ", with weights" if self.is_weighted else ""
        return f"Ensemble({len(self)} partitions of {self.n_objects} objects, {kinds}, k={k}{weights})"

    @property
    def is_weighted(self) -> bool:
        """True where some clusterings count more than others."""
        return bool((self.weights != self.weights[0]).any())


def unweighted(ensemble: Any, what: str) -> Ensemble:
    """The ensemble that was given or is made of it; refused where it has weights, which would be lost."""
    given = ensemble if isinstance(ensemble, Ensemble) else Ensemble(ensemble)
    if given.is_weighted:
        raise ParameterError(
            f"{what} counts each clustering alike, and this ensemble has weights.",
            got=repr(given),
            need="an ensemble without weights",
            fix="Ensemble(ensemble.partitions); distribution(truth, ensemble) uses the weights",
            parameter="ensemble",
        )
    return given


def _probabilities(weights: Any, n: int) -> Array:
    if weights is None:
        return read_only(np.full(n, 1.0 / n))
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    total = values.sum() if values.shape == (n,) else 0.0
    if not (np.isfinite(total) and total > 0 and (values >= 0).all()):
        raise ParameterError(
            Phrase(Setting("weights"), " cannot be those of these clusterings."),
            got=repr(weights)[:60],
            need=f"{n} finite numbers of at least 0, not all 0: one for each clustering",
            parameter="weights",
        )
    return read_only(values / total)
