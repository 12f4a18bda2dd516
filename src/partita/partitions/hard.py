"""Hard clusterings: one label for each object."""

from __future__ import annotations

import array
from collections.abc import Iterable, Iterator, MappingView, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from partita.arrays import (
    COMPILED_FROM,
    HARD_BLOCK_ROWS,
    MOST_DENSE_CELLS,
    Array,
    map_blocks,
    missing_labels,
    objects,
    read_only,
    sorted_names,
)
from partita.arrays.containers import array_of
from partita.errors import PartitionError, TooLargeError
from partita.partitions.kinds import HARD, Kind
from partita.partitions.partition import Partition, normalise_names, row_selection


class HardPartition(Partition):
    """Every object belongs to exactly one cluster.

    Labels may be any hashable values. -1 beside non-negative integers is noise, also where all of them are
    spelled as text: the partition knows it, and the ``noise=`` argument of indices and procedures says what
    to do about it.

    Parameters
    ----------
    labels : sequence of hashables
        One label for each object; none may be missing.
    names : sequence, optional
        All cluster names in order, when there are more than the labels show (empty clusters).
    noise_label : label, optional
        The label of noise where it is another: ``"unassigned"``, or 0 for the background of an image. None of
        the objects need have it.

    See Also
    --------
    HardPartition.from_clusters : from sets of objects, such as communities of a network.

    Examples
    --------
    >>> HardPartition(["a", "b", "b"])
    HardPartition(n=3, k=2, sizes=[1 2], ambiguity=0, partial assignment=0)
    """

    kind: ClassVar[Kind] = HARD

    # ``values`` are integers in [low, high]. Without names they are the labels themselves (the caller's
    # array, not a copy); with names they are positions in ``names``.
    values: Array
    _names: tuple[Any, ...] | None
    noise_label: Any = None
    unlabelled: Array | None = None
    """Objects without a label that are to be left out together with the other inputs' objects."""

    def __init__(
        self,
        labels: Any,
        *,
        names: Sequence[Any] | None = None,
        index: Any = None,
        noise_label: Any = None,
    ) -> None:
        self._read(labels, names, index, noise_label)
        _ = self.ends  # what is counted later is held to the range that the labels have now

    @classmethod
    def not_looked_at(cls, labels: Any, **options: Any) -> HardPartition:
        """The same, for one who is about to look: the range of many integers is not found before it is used.

        Where two sides are counted, that look finds their ranges too.
        """
        made = cls.__new__(cls)
        made._read(labels, options.get("names"), options.get("index"), options.get("noise_label"))
        return made

    def _read(self, labels: Any, names: Sequence[Any] | None, index: Any, noise_label: Any) -> None:
        values, found = _integers(labels)
        if names is not None:
            if found is None:
                found, values = _factorize(values.tolist())
            declared = normalise_names(names)
            position = {name: i for i, name in enumerate(declared)}
            unknown = [name for name in found if name not in position]
            if unknown:
                raise PartitionError(
                    "some labels are not among the names.",
                    got=f"labels {unknown[:5]}",
                    need=f"{declared[:10]}",
                )
            values = np.array([position[name] for name in found], dtype=np.int64)[values]
            found = declared
        self._set(values, found, index)
        self.noise_label = noise_label

    def _set(self, values: Array, names: tuple[Any, ...] | None, index: Any) -> None:
        # many labels are looked at where they are; a few are copied, so that they cannot change
        self.values = read_only(values if values.size >= COMPILED_FROM else values.copy())
        self._names = names
        self.index = index
        if names is not None:
            self.ends = (0, len(names) - 1)

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest of ``values``; of names, the first and the last position."""
        return _low_and_high(self.values)

    @property
    def is_looked_at(self) -> bool:
        """Whether the range of the labels is known."""
        return "ends" in self.__dict__

    @property
    def low(self) -> int:
        """The smallest of ``values``."""
        return self.ends[0]

    @property
    def high(self) -> int:
        """The largest of ``values``."""
        return self.ends[1]

    @classmethod
    def from_codes(
        cls, codes: Array, names: Iterable[Any], *, index: Any = None, note: str = "", noise_label: Any = None
    ) -> HardPartition:
        """A partition from positions in ``names``, without checks."""
        made = cls.__new__(cls)
        made._set(codes, tuple(names), index)
        made.note, made.noise_label = note, noise_label
        return made

    @classmethod
    def from_clusters(cls, clusters: Any, objects: Iterable[Any] | None = None) -> HardPartition:
        """A partition from its clusters, each a collection of objects, as communities of a network are given.

        Parameters
        ----------
        clusters : iterable of collections, or dictionary of them by name
            Sets, frozensets, lists or arrays of objects; an object may be in one of them only.
        objects : iterable, optional
            All objects in the order wanted (the nodes of a graph); those in no cluster are noise. By default
            the objects of the clusters in sorted order.

        Returns
        -------
        HardPartition
            Its ``index`` names the objects, so that two such partitions are matched by object.

        Examples
        --------
        >>> HardPartition.from_clusters([{"a", "c"}, {"b"}]).labels.tolist()
        [0, 1, 0]
        >>> HardPartition.from_clusters([{"a", "c"}, {"b"}], objects=["c", "b", "a", "d"]).labels.tolist()
        [0, 1, 0, -1]
        """
        from partita.partitions.clusters import hard_from_clusters

        return hard_from_clusters(clusters, objects)

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return int(self.values.shape[0])

    @property
    def span(self) -> int:
        """How many integers lie between the smallest and the largest label, both counted."""
        return self.high - self.low + 1

    @cached_property
    def _compact(self) -> tuple[Array, tuple[Any, ...]]:
        if self._names is not None:
            return self.values, self._names
        if self.span <= 4 * self.n_objects + 1024:
            shifted = self.values.astype(np.int64) - self.low
            present = np.flatnonzero(np.bincount(shifted, minlength=self.span))
            position = np.zeros(self.span, dtype=np.int64)
            position[present] = np.arange(present.size)
            return read_only(position[shifted]), tuple((present + self.low).tolist())
        distinct, codes = np.unique(self.values, return_inverse=True)
        return read_only(codes.astype(np.int64)), tuple(distinct.tolist())

    @property
    def codes(self) -> Array:
        """For each object the position of its label in ``names``."""
        return self._compact[0]

    @property
    def names(self) -> tuple[Any, ...]:
        """The distinct labels, in order."""
        return self._compact[1]

    @property
    def labels(self) -> Array:
        """One label for each object."""
        if self._names is None:
            return self.values
        # NumPy's texts lose zeros at their end
        plain = all(isinstance(n, str) and not n.endswith("\0") for n in self._names) or all(
            type(n) is int and abs(n) < 2**63 for n in self._names
        )
        table = np.array(self._names) if plain else objects(self._names)
        return np.asarray(table[self.values])

    def to_series(self) -> Any:
        """The labels as a pandas series, by the names of the objects where there are some."""
        import pandas as pd

        return pd.Series(self.labels, index=self.index, name="label")

    def with_noise_label(self, label: Any) -> HardPartition:
        """The same partition with another label for noise."""
        made = self.take(slice(None))
        made.noise_label = label
        return made

    def compacted(self) -> HardPartition:
        """The same partition on codes when its integer labels are spread too widely for a table."""
        if self._names is not None or self.span <= 4 * self.n_objects + 1024:
            return self
        made = HardPartition.from_codes(
            self.codes, self.names, index=self.index, note=self.note, noise_label=self.noise_label
        )
        made.frame = self.frame
        return made

    @property
    def row_names(self) -> Sequence[Any]:
        """A name for each value from low to high: a range for plain integers, which costs nothing."""
        return range(self.low, self.high + 1) if self._names is None else self._names

    @cached_property
    def sizes(self) -> Array:
        """The number of objects in each cluster."""
        return read_only(np.bincount(self.codes, minlength=self.n_clusters))

    @cached_property
    def noise_mask(self) -> Array | None:
        """Which objects are noise, or None when there are none: -1 beside non-negative integers is noise."""
        noise = self._noise_value()
        mask = None if noise is None else self.values == noise
        return read_only(mask) if mask is not None and mask.any() else None

    @property
    def noise_place(self) -> int | None:
        """The position in ``names`` of the cluster of noise, or None when no object is noise."""
        mask = self.noise_mask
        return None if mask is None else int(self.codes[int(mask.argmax())])

    def _noise_value(self) -> int | None:
        """The value of noise among ``values``, if there is one."""
        if self._names is None:
            if self.noise_label is None:
                return -1 if self.low == -1 else None
            wanted = _whole_number(self.noise_label)
            return wanted if wanted is not None and self.low <= wanted <= self.high else None
        if self.noise_label is not None:
            same = [i for i, name in enumerate(self._names) if same_label(name, self.noise_label)]
            return same[0] if same else None
        numbers = [int(n) for n in self._names if _is_integer(type(n))]
        if not numbers:  # text: read as numbers where every label spells one
            spelled = [_whole_number(n) if isinstance(n, str) else None for n in self._names]
            numbers = [] if None in spelled else [n for n in spelled if n is not None]
            return numbers.index(-1) if numbers and min(numbers) == -1 else None
        return self._names.index(-1) if min(numbers) == -1 else None

    def memberships(self) -> Array:
        """The one-hot ``(n, k)`` matrix."""
        if self.n_objects * self.n_clusters > MOST_DENSE_CELLS:
            raise TooLargeError(
                "the one-hot matrix of this partition does not fit.",
                got=f"{self.n_objects} objects x {self.n_clusters} clusters",
                need=f"at most {MOST_DENSE_CELLS} cells",
                fix="indices take the labels as they are; use .codes for anything else",
            )
        matrix = np.zeros((self.n_objects, self.n_clusters))
        matrix[np.arange(self.n_objects), self.codes] = 1.0
        return matrix

    def take(self, rows: Any) -> HardPartition:
        """The same clustering of some of the objects."""
        chosen = row_selection(rows, self.n_objects)
        made = HardPartition.__new__(HardPartition)
        made.values = read_only(self.values[chosen])
        made._names = self._names
        made.index = None if self.index is None else self.index[chosen]
        made.note, made.frame, made.noise_label = self.note, self.frame, self.noise_label
        made.unlabelled = None if self.unlabelled is None else self.unlabelled[chosen]
        # bounds of the whole hold for a part: blocks of one partition then share the shape of their tables
        made.ends = self.ends
        return made

    def entropies(self) -> Array:
        """Zeros: every object has one cluster."""
        return np.zeros(self.n_objects)

    def nonspecificities(self) -> Array:
        """Zeros: every object has one cluster."""
        return np.zeros(self.n_objects)

    def probability_of(self, clustering: Any, *, log: bool = False) -> float:
        """1 if ``clustering`` gives every object this very label, else 0."""
        same = bool((self.columns_of(clustering) == self.codes).all())
        return (0.0 if same else float("-inf")) if log else float(same)


def _low_and_high(values: Array) -> tuple[int, int]:
    if values.size < COMPILED_FROM or values.dtype not in (np.int64, np.int32):
        return int(values.min()), int(values.max())
    from partita.kernels.labels import low_and_high

    ends = map_blocks(lambda rows: low_and_high(values[rows]), values.size, HARD_BLOCK_ROWS)
    return int(min(low for low, _ in ends)), int(max(high for _, high in ends))


def _integers(labels: Any) -> tuple[Array, tuple[Any, ...] | None]:
    """Labels as integers: themselves, or positions among distinct names."""
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        raise missing_labels(int(np.ma.getmaskarray(labels).sum()), labels.size)
    if not hasattr(labels, "dtype"):
        return _from_sequence(labels)
    try:
        values = array_of(labels)
    except (TypeError, ValueError):
        raise _no_sequence(labels) from None
    if values.ndim != 1:
        raise PartitionError(
            "labels are not one-dimensional.",
            got=f"array of shape {values.shape}",
            need="one label for each object",
            fix=".ravel() for a single column, or as_partition() for a membership matrix",
        )
    if values.size == 0:
        raise _empty()
    kind = values.dtype.kind
    if kind == "u" and values.dtype.itemsize == 8 and values.max() <= np.iinfo(np.int64).max:
        return values.astype(np.int64), None
    if kind == "i" or (kind == "u" and values.dtype.itemsize < 8):
        return values if values.dtype.isnative else values.astype(np.int64), None
    if kind == "f":
        return _from_floats(values), None
    if kind in "OT":
        return _from_sequence(values.tolist())
    if kind not in "uUSbmM":
        raise PartitionError(
            "labels of this type are no categories.", got=f"dtype {values.dtype}", need="hashable labels"
        )
    if kind in "mM" and np.isnat(values).any():
        raise missing_labels(int(np.isnat(values).sum()), values.size)
    distinct, codes = np.unique(values, return_inverse=True)
    # times stay NumPy's own: .tolist() makes bare integers of nanoseconds, and -1 of them would be noise
    return codes, tuple(distinct if kind in "mM" else distinct.tolist())


def _from_floats(labels: Array) -> Array:
    values = labels.astype(np.float64)
    missing = int(np.isnan(values).sum())
    if missing:
        raise missing_labels(missing, values.size)
    whole = (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    if not whole.all():
        where = int(np.flatnonzero(~whole)[0])
        raise PartitionError(
            "labels look continuous.",
            got=f"{np.unique(values).size} distinct numbers; object {where} has {values[where]:g}",
            need="categories: whole numbers, strings or any hashable labels",
            fix="memberships go in as an (n, k) matrix; if these really are categories, use .astype(str)",
        )
    return values.astype(np.int64)


def listed(labels: Any) -> list[Any]:
    """The labels one by one; what is no listing of labels is refused before it is gone through."""
    if isinstance(labels, (set, frozenset)):
        raise PartitionError(
            "a set has no order, so its members cannot be labels of objects.",
            got="a set",
            need="a list of labels",
        )
    # others may have items without end, or each as slow as a file
    is_listing = isinstance(labels, (Sequence, Iterator, MappingView, array.array))
    if isinstance(labels, (str, bytes, bytearray)) or not is_listing:
        raise _no_sequence(labels)
    items = list(labels)
    if not items:
        raise _empty()
    return items


def _from_sequence(labels: Any) -> tuple[Array, tuple[Any, ...] | None]:
    items = listed(labels)
    types = set(map(type, items))
    if all(_is_integer(t) for t in types):
        try:
            return np.array(items, dtype=np.int64), None
        except OverflowError:
            pass
    elif all(_is_integer(t) or issubclass(t, (float, np.floating)) for t in types):
        try:
            return _from_floats(np.array(items, dtype=np.float64)), None
        except OverflowError:  # an integer beyond all floats
            _from_floats(np.array([x for x in items if not _is_integer(type(x))], dtype=np.float64))
    names, codes = _factorize(items)
    return codes, names


def _is_integer(kind: type) -> bool:
    """Whole numbers; truth values and durations are integers to Python and NumPy, but not as labels."""
    return issubclass(kind, (int, np.integer)) and not issubclass(kind, (bool, np.timedelta64))


def _whole_number(label: Any) -> int | None:
    """The whole number that a label is, or spells as programs write it: "-1", but not "01", "1.0" or "+1"."""
    if _is_integer(type(label)):
        return int(label)
    is_spelled = isinstance(label, str) and len(label) < 20 and label.removeprefix("-").isdecimal()
    return int(label) if is_spelled and str(int(label)) == label else None


def same_label(label: Any, wanted: Any) -> bool:
    """Whether a label is the one that is meant, which may be spelled as text."""
    try:
        return bool(label == wanted) or (
            isinstance(label, str) != isinstance(wanted, str) and str(label) == str(wanted)
        )
    except (TypeError, ValueError):  # an array among the labels compares item by item
        return False


def is_missing(label: Any) -> bool:
    """Whether this is None, NaN, NaT or NA of any library."""
    if label is None or type(label).__name__ == "NAType":
        return True
    try:
        return bool(label != label)  # true of every NaN and NaT, whatever library made it
    except (TypeError, ValueError):
        return False


def _factorize(items: list[Any]) -> tuple[tuple[Any, ...], Array]:
    """Distinct labels in sorted order (by type first when they do not compare), and their positions."""
    first: dict[Any, int] = {}
    try:
        codes = np.array([first.setdefault(x, len(first)) for x in items], dtype=np.int64)
    except (TypeError, ValueError):  # NumPy raises ValueError for times without a unit
        bad = next((x for x in items if type(x).__hash__ is None), items[0])
        raise PartitionError(
            "labels must be hashable.",
            got=f"a label of type {type(bad).__name__}",
            need="strings, numbers, tuples, or any hashable value; or a matrix with equally long rows",
        ) from None
    missing = [place for label, place in first.items() if is_missing(label)]
    if missing:
        raise missing_labels(int(np.isin(codes, missing).sum()), len(items))
    names = sorted_names(first)
    place = np.empty(len(names), dtype=np.int64)
    place[[first[name] for name in names]] = np.arange(len(names))
    return names, place[codes]


def _no_sequence(labels: Any) -> PartitionError:
    return PartitionError(
        "this is not a sequence of labels.",
        got=type(labels).__name__ + (f" {labels[:40]!r}" if isinstance(labels, (str, bytes)) else ""),
        need="one label for each object",
    )


def _empty() -> PartitionError:
    return PartitionError(
        "a clustering of no objects says nothing.", got="empty input", need="at least one object"
    )
