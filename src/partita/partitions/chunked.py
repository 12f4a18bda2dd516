"""Clusterings, data and weights in chunks: what must be known of the whole is kept, the values stay."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property, partial
from typing import Any, NoReturn, Self

import numpy as np

from partita.arrays import Array, read_only
from partita.arrays.chunked import Chunked, aligned, all_at_once, for_each, sum_of_chunks
from partita.errors import ParameterError, PartitionError
from partita.partitions.data import DataMatrix
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import FUZZY, Kind
from partita.partitions.memberships import FuzzyPartition, PossibilisticPartition

OF_THE_WHOLE = frozenset({"sizes", "counts", "prints", "counted_beside"})
"""What is known of all chunks, and does not hold for one."""


class InChunks:
    """What clusterings and data in chunks share: values that are elsewhere."""

    values: Any
    index: Any = None
    frame: str | None = None
    prints: tuple[str, ...] | None = None
    """For each chunk a fingerprint of its part of the index, where there is one."""

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return len(self.values)

    def holding(self, values: Any) -> Any:
        """The same clustering, or data, of the objects of one chunk."""
        plain: Any = type(self).__bases__[1]
        made = plain.__new__(plain)
        known = {name: value for name, value in vars(self).items() if name not in OF_THE_WHOLE}
        own = aligned(values)
        made.__dict__.update(known, values=read_only(own) if isinstance(own, np.ndarray) else own)
        return made

    def blank(self) -> Any:
        """The same without values: what a worker must know of the whole."""
        made = copy(self)
        made.values = made.prints = None
        vars(made).pop("counted_beside", None)
        return made

    def with_values(self, values: Chunked) -> Any:
        """The same with other chunks."""
        made = copy(self)
        made.values = values
        vars(made).pop("counted_beside", None)
        return made

    def take(self, rows: Any) -> NoReturn:  # noqa: ARG002
        """Refused: all chunks would be looked at."""
        raise all_at_once(repr(self))

    def __repr__(self) -> str:
        shape = ", ".join(f"{name}={size}" for name, size in zip("nk", self.values.shape, strict=False))
        return f"{type(self).__bases__[1].__name__}({shape}, {len(self.values.chunks)} chunks)"


class _PartitionInChunks(InChunks):
    """What a clustering cannot do in chunks."""

    note: str

    def to(self, kind: Kind | str) -> Any:
        """Itself, if it is of this kind; all else is refused."""
        if Kind.read(kind) is self.kind:  # type: ignore[attr-defined]
            return self
        raise all_at_once(repr(self))

    def memberships(self) -> NoReturn:
        """Refused: all chunks would be looked at."""
        raise all_at_once(repr(self))

    @property
    def noise_mask(self) -> NoReturn:
        """Refused: see `may_have_noise`."""
        raise all_at_once(repr(self))


class ChunkedHard(_PartitionInChunks, HardPartition):
    """A hard clustering whose labels lie in chunks."""

    counts: dict[Any, int]
    """How often each label occurs."""
    counted_beside: tuple[Any, Any] | None = None
    """Another clustering of the same objects, and the table of both, where that was counted at reading."""

    @classmethod
    def of(cls, values: Chunked, counts: Mapping[Any, int], names: tuple[Any, ...] | None) -> Self:
        """From labels (or positions in ``names``), and how often each label occurs."""
        made = cls.__new__(cls)
        made.values, made._names, made.index = values, names, None
        made.counts = dict(counts)
        made.ends = (0, len(names) - 1) if names is not None else (min(counts), max(counts))
        return made

    def counted_as(self, counts: Mapping[Any, int]) -> Self:
        """The same with other numbers of objects, since some were left out."""
        made = copy(self)
        made.counts = {label: counts[label] for label in self.counts if counts.get(label)}
        for known in ("sizes", "counted_beside"):
            vars(made).pop(known, None)
        return made

    @property
    def names(self) -> tuple[Any, ...]:
        """The distinct labels, in order."""
        return tuple(self.counts) if self._names is None else self._names

    @cached_property
    def sizes(self) -> Array:
        """The number of objects in each cluster."""
        return read_only(np.array([self.counts.get(name, 0) for name in self.names], dtype=np.int64))

    @property
    def codes(self) -> NoReturn:
        """Refused: all chunks would be looked at."""
        raise all_at_once(repr(self))

    @property
    def labels(self) -> NoReturn:
        """Refused: all chunks would be looked at."""
        raise all_at_once(repr(self))

    @property
    def noise_name(self) -> Any:
        """The label of noise, or None."""
        noise = self._noise_value()
        return noise if noise is None or self._names is None else self._names[noise]

    @property
    def may_have_noise(self) -> bool:
        """Whether an object is noise."""
        return self.noise_name is not None and self.counts.get(self.noise_name, 0) > 0

    @property
    def noise_place(self) -> int | None:
        """The position in ``names`` of the cluster of noise, or None when no object is noise."""
        return self.names.index(self.noise_name) if self.may_have_noise else None

    def coded(self) -> Self:
        """The same with positions in ``names`` as values."""
        if self._names is not None:
            return self
        positions = self.values.mapped(partial(_positions, np.array(self.names)), dtype=np.int64)
        made = type(self).of(positions, self.counts, self.names)
        made.noise_label = self.noise_label
        return made

    def compacted(self) -> Self:
        """Itself: labels that are spread widely were counted when it was read."""
        return self

    def with_noise_label(self, label: Any) -> Self:
        """The same partition with another label for noise."""
        made = copy(self)
        made.noise_label = label
        return made

    def harden(self) -> Self:
        """Itself."""
        return self


def _positions(names: Array, labels: Array) -> Array:
    return np.searchsorted(names, labels)


class _MembershipsInChunks(_PartitionInChunks):
    """What memberships in chunks have of their own."""

    is_crisp = False

    @cached_property
    def sizes(self) -> Array:
        """The sum of the memberships in each cluster."""
        return read_only(sum_of_chunks(_column_sums, None, [self.values], operator.add))

    @property
    def may_have_noise(self) -> bool:
        """Whether there is a column of noise."""
        numbers = [name for name in self.names if type(name) is int]  # type: ignore[attr-defined]
        return bool(numbers) and min(numbers) == -1 and self.kind is FUZZY  # type: ignore[attr-defined]

    def harden(self) -> NoReturn:
        """Refused: labels are made by dask."""
        raise PartitionError(
            "memberships in chunks are not hardened here.",
            got=repr(self),
            need="labels",
            fix="memberships.argmax(axis=1), a dask array of labels",
        )


def _column_sums(_shared: None, values: Any) -> Array:
    return np.asarray(aligned(values).sum(axis=0, dtype=np.float64))


class ChunkedFuzzy(_MembershipsInChunks, FuzzyPartition):
    """A fuzzy clustering whose memberships lie in chunks."""


class ChunkedPossibilistic(_MembershipsInChunks, PossibilisticPartition):
    """A possibilistic clustering whose typicalities lie in chunks."""


class ChunkedData(InChunks, DataMatrix):
    """Data that lie in chunks."""

    exponent: int

    def __repr__(self) -> str:
        n, d = self.values.shape
        return f"X(n={n}, d={d}, {len(self.values.chunks)} chunks)"

    @property
    def scaled(self) -> Chunked:  # type: ignore[override]
        """The values: each chunk is scaled where it is."""
        values: Chunked = self.values
        return values

    def refusal(
        self,
        check: Callable[..., None],
        *,
        stays_sparse: bool = False,  # noqa: ARG002 (chunks are arrays)
    ) -> ParameterError | None:
        """The first refusal of a chunk by ``check``, or None; the first chunk is asked alone."""
        for chunks in (self.values.chunks[:1], self.values.chunks[1:]):
            problems: list[ParameterError] = [
                p for p in for_each(partial(_refused_by, check), chunks)[0] if p is not None
            ]
            if problems:
                return problems[0]
        return None


class ChunkedWeights(InChunks):
    """Weights that lie in chunks."""

    has_zeros = False

    def __repr__(self) -> str:
        return f"weights of {self.values!r}"


def _refused_by(check: Callable[..., None], _place: int, piece: Any) -> ParameterError | None:
    return DataMatrix(piece, takes_words=False).refusal(check)
