"""Reading chunks: each as it would be read alone, then all are brought together.

What the chunks hold is looked at once, all inputs together, and what must be known of the whole is kept:
numbers of objects, labels and their counts, kinds. The values stay where they are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from partita.arrays import Array, multiplicities, sorted_names
from partita.arrays.chunked import (
    Chunked,
    OnChunk,
    Piece,
    all_at_once,
    compute,
    for_beside,
    for_each,
    in_chunks,
    is_chunked,
    is_of_dask,
    pieces_of,
)
from partita.arrays.matrices import ends_of_sizes, exponent_between
from partita.arrays.weights import MOST_WEIGHT
from partita.errors import ParameterError, PartitaError, PartitionError, Phrase, Setting
from partita.partitions.chunked import (
    ChunkedData,
    ChunkedFuzzy,
    ChunkedHard,
    ChunkedPossibilistic,
    ChunkedWeights,
)
from partita.partitions.data import DataMatrix
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import FUZZY, HARD, POSSIBILISTIC, Kind, softest
from partita.partitions.memberships import MembershipPartition
from partita.partitions.partition import Partition

WIDEST = 4
"""Whole numbers are spread widely where their range is this many times the number of objects."""

WITHOUT_GAPS = (
    "dropna() or fillna() on the dask side; .compute(), or --in-memory for files, and missing= if it fits"
)
"""What to do about values that are missing, since they are not left out chunk by chunk."""

Counts = tuple[tuple[Any, int], ...]
"""How often each label occurs."""


@dataclass(frozen=True)
class Seen:
    """What one chunk holds."""

    n: int
    tail: tuple[int, ...] = ()
    dtype: str = ""
    kind: Kind | None = None
    names: tuple[Any, ...] | None = None
    counts: Counts = ()
    as_it_is: bool = False
    """Whether the values of the chunk are those of the clustering: nothing must be read anew."""
    print: str | None = None
    ends: tuple[float, float] = (np.inf, 0.0)
    total: float = 0.0
    least: float = 0.0
    problem: PartitaError | None = None


@dataclass(frozen=True)
class Looking:
    """How an input is read, chunk by chunk."""

    what: str
    reading: Any = None

    def see(self, piece: Any) -> Seen:
        """What a chunk holds, or what is wrong with it."""
        if not _rows_in(piece):
            return Seen(0)
        try:
            return {"X": _see_data, "weight": _see_weights}.get(self.what, self._see_clustering)(piece)
        except PartitaError as problem:
            return Seen(_rows_in(piece), problem=problem)

    def _see_clustering(self, piece: Any) -> Seen:
        return self.seen(piece, self.reading.read(piece))

    def seen(self, piece: Any, made: Any, counts: Counts | None = None) -> Seen:
        """What a chunk holds that was read already; ``counts`` where its labels were counted too."""
        whole = Seen(made.n_objects, kind=made.kind, print=_print_of(made.index))
        is_plain = isinstance(piece, np.ndarray) and not self.reading.normalize and self.reading.noise is None
        if isinstance(made, HardPartition):
            width = made.n_clusters if made._names is not None else 0
            is_matrix = getattr(piece, "ndim", 1) == 2 and piece.shape[1] == width > 1
            return replace(
                whole,
                names=made._names,
                tail=(width,) if is_matrix else (),
                dtype=piece.dtype.str if is_matrix and is_plain else made.values.dtype.str,
                counts=counted_labels(made) if counts is None else counts,
                as_it_is=is_plain and (is_matrix or made.values.dtype == piece.dtype),
            )
        if not isinstance(made, MembershipPartition):
            raise PartitionError(
                f"{made.kind} clusterings are not read in chunks.",
                got=f"a chunk of {made.n_objects} objects",
                need="labels, memberships or typicalities",
                fix=".compute() if they fit in memory, .pignistic() of each chunk otherwise",
            )
        return replace(
            whole,
            names=made.names,
            tail=(made.n_clusters,),
            dtype=made.values.dtype.str,
            as_it_is=is_plain
            and made.values.dtype == piece.dtype
            and (np.may_share_memory(made.values, piece) or bool(piece.min() >= 0.0 and piece.max() <= 1.0)),
        )


def _rows_in(piece: Any) -> int:
    """How many rows a chunk has, whatever was said of it before it was made."""
    shape = getattr(piece, "shape", ())
    if not shape:
        raise PartitionError(
            "a chunk is no array.",
            got=f"a chunk that is a {type(piece).__name__}",
            need="an array, series or frame in every chunk",
            fix="numpy.asarray in what makes the chunks",
        )
    return int(shape[0])


def counted_labels(made: HardPartition) -> Counts:
    """How often each label of a chunk occurs."""
    if made._names is not None or made.span > WIDEST * made.n_objects + 1024:
        return tuple(zip(made.names, made.sizes.tolist(), strict=True))
    shifted = made.values if made.low == 0 else made.values - made.values.dtype.type(made.low)
    counts = np.bincount(shifted, minlength=made.span)
    present = np.flatnonzero(counts)
    return tuple(zip((present + made.low).tolist(), counts[present].tolist(), strict=True))


def _see_data(piece: Any) -> Seen:
    made = DataMatrix(piece, takes_words=False)
    return Seen(
        made.n_objects,
        tail=made.values.shape[1:],
        dtype=made.values.dtype.str,
        names=made.features,
        print=_print_of(made.index),
        ends=ends_of_sizes(made.values),
        as_it_is=isinstance(piece, np.ndarray) and made.values.dtype == piece.dtype,
    )


def _see_weights(piece: Any) -> Seen:
    values = np.asarray(piece)
    is_nothing = values.ndim == 1 and values.dtype.kind in "iufb" and not values.any()
    weight = values.astype(np.int64) if is_nothing else multiplicities(piece)
    index = piece.index if hasattr(piece, "iloc") else None
    return Seen(
        weight.size,
        dtype=weight.dtype.str,
        print=_print_of(index),
        total=float(weight.sum()),
        least=float(weight.min()),
    )


def _print_of(index: Any) -> str | None:
    """A fingerprint of the names of objects."""
    if index is None:
        return None
    import pandas as pd

    hashes = pd.util.hash_pandas_object(index, index=False).to_numpy()
    return hashlib.blake2b(hashes.tobytes(), digest_size=16).hexdigest()


def read_chunks(
    sides: Mapping[str, Any], lookings: Mapping[str, Looking], on_chunk: OnChunk = None
) -> dict[str, Any]:
    """Inputs in chunks, by name: each chunk of each is looked at once, all of them together."""
    pieces = _chunks_of(sides)
    look = partial(_look, [lookings[name] for name in sides])
    found = for_each(look, *pieces.values(), on_chunk=on_chunk)
    return {
        name: _brought_together(lookings[name], pieces[name], seen)
        for name, seen in zip(sides, found, strict=True)
    }


def read_and_count(
    sides: Mapping[str, Any],
    lookings: Mapping[str, Looking],
    count: Callable[..., Any],
    on_chunk: OnChunk = None,
) -> tuple[dict[str, Any], list[Any]]:
    """Two clusterings in chunks, and what ``count`` makes of the chunks that lie beside each other.

    Chunks that are made when they are looked at are then made once, not twice. ``count`` takes two partitions
    and returns the counts of their labels and something more, or None; None is also what there is of chunks
    that do not lie beside each other.
    """
    pieces = _chunks_of(sides)
    if len({len(column) for column in pieces.values()}) > 1:
        return read_chunks(sides, lookings, on_chunk), [None]
    look = partial(_look_at_both, [lookings[name] for name in sides], count)
    found = for_beside(look, *pieces.values(), on_chunk=on_chunk)
    read = {
        name: _brought_together(lookings[name], pieces[name], [seen[place] for seen, _ in found])
        for place, name in enumerate(sides)
    }
    return read, [counted for (seen, counted) in found if seen[0].n or seen[1].n]


def read_pieces(
    pieces: Sequence[Piece], sizes: Sequence[int], looking: Looking, on_chunk: OnChunk = None
) -> Any:
    """An input whose pieces are read on this machine, each looked at once.

    Memberships that the first piece shows to be soft are looked at when they are read for the first time, so
    that they are read once only.
    """
    first = looking.see(pieces[0].read())
    if first.problem is None and first.kind in (FUZZY, POSSIBILISTIC):
        where = zip(range(len(sizes)), accumulate(sizes, initial=0), sizes, strict=False)
        checked = (
            Piece(_CheckedOnce(piece.read, looking, first, place))
            for piece, place in zip(pieces, where, strict=True)
        )
        made = _soft(first.kind)
        made.values = Chunked(checked, sizes, first.tail, first.dtype)
        made._names, made.index = tuple(first.names or ()), None
        return made
    (found,) = for_each(partial(_look, [looking]), pieces, on_chunk=on_chunk)
    return _brought_together(looking, pieces, found)


class _CheckedOnce:
    """A piece of memberships that is looked at when it is first read."""

    def __init__(
        self, read: Callable[[], Any], looking: Looking, first: Seen, where: tuple[int, int, int]
    ) -> None:
        self.read, self.looking, self.first, self.where = read, looking, first, where
        self.is_plain = False

    def __call__(self) -> Array:
        piece = self.read()
        if self.is_plain:
            return np.asarray(piece)
        try:
            made = self.looking.reading.read(piece)
        except PartitaError as problem:
            raise _of_chunk(problem, *self.where) from None
        values = made.memberships().astype(self.first.dtype, copy=False)
        self.is_plain = values.dtype == piece.dtype and np.may_share_memory(values, piece)
        return np.asarray(values)


def _look_at_both(lookings: Sequence[Looking], count: Callable[..., Any], *pieces: Any) -> Any:
    if len({_rows_in(piece) for piece in pieces}) == 1 and _rows_in(pieces[0]):
        try:
            made = [
                replace(looking.reading, looks=False).read(piece)
                for looking, piece in zip(lookings, pieces, strict=True)
            ]
        except PartitaError:
            pass  # each is looked at alone below, and says what is wrong
        else:
            counted = count(*made)
            if counted is not None:
                counts, more = counted
                return [
                    looking.seen(*one) for looking, *one in zip(lookings, pieces, made, counts, strict=True)
                ], more
    return [looking.see(piece) for looking, piece in zip(lookings, pieces, strict=True)], None


def _chunks_of(sides: Mapping[str, Any]) -> dict[str, list[Any]]:
    refuse_what_has_no_rows(sides)
    return {name: pieces_of(side) for name, side in sides.items()}


def refuse_what_has_no_rows(sides: Mapping[str, Any]) -> None:
    """An error for objects of dask that are no labels, memberships or data."""
    for name, side in sides.items():
        if not is_chunked(side):
            raise PartitionError(
                "this object of dask is not in rows.",
                got=f"{name}, a {type(side).__name__}",
                need="a dask array, series or data frame",
                fix="from_delayed of dask.array or dask.dataframe for parts, .to_dataframe() for a bag",
            )
        if side.ndim not in (1, 2):
            raise PartitionError(
                "a dask array of this shape holds no labels, memberships or data.",
                got=f"{name} in {side.ndim} dimensions",
                need="one dimension, or two",
                fix=".ravel() for an image of labels" if side.ndim else None,
            )


def from_dask(name: str, given: Any) -> Any:
    """An array, series or frame of dask in memory, with its index; all else as it is."""
    if not is_of_dask(given):
        return given
    refuse_what_has_no_rows({name: given})
    return compute([given])[0]


def _look(lookings: Sequence[Looking], place: int, piece: Any) -> Seen:
    return lookings[place].see(piece)


def _brought_together(looking: Looking, pieces: Sequence[Any], found: Sequence[Seen]) -> Any:
    start = 0
    for place, one in enumerate(found):
        if one.problem is not None:
            raise _of_chunk(one.problem, place, start, one.n)
        start += one.n
    filled = [(piece, one) for piece, one in zip(pieces, found, strict=True) if one.n]
    if not filled:
        raise PartitionError(
            "a clustering of no objects says nothing.",
            got=f"{len(found)} empty chunks",
            need="at least one object",
        )
    chunks, seen = [piece for piece, _ in filled], [one for _, one in filled]
    make: Callable[..., Any] = {"X": _data, "weight": _weights}.get(looking.what, _clustering)
    made = make(looking, chunks, seen)
    made.prints = None if seen[0].print is None else tuple(str(one.print) for one in seen)
    made.frame = None if made.prints is None else "pandas"
    return made


def _of_chunk(problem: PartitaError, place: int, start: int, n: int) -> PartitaError:
    """The error of a chunk, with where that is."""
    where = f"; in chunk {place} of rows {start} to {start + n - 1}, counted from its first"
    got = problem.got
    problem.got = Phrase(*(getattr(got, "pieces", (got or "",))), where)
    if problem.parameter == "missing":
        problem.fix = WITHOUT_GAPS
    return problem


def _clustering(looking: Looking, chunks: Sequence[Any], seen: Sequence[Seen]) -> Any:
    sizes = [one.n for one in seen]
    kinds = [one.kind for one in seen if one.kind is not None]
    kind = softest(kinds)
    is_matrix = any(one.tail for one in seen)
    widths = {one.tail for one in seen}
    if is_matrix and (len(widths) > 1 or len({one.names for one in seen}) > 1):
        raise PartitionError(
            "chunks have different clusters as columns.",
            got=f"{len(widths)} numbers of columns" if len(widths) > 1 else "columns of different names",
            need="the same columns in all chunks",
            fix='labels as they are, without kind="fuzzy", if these are labels',
        )
    if kind is not HARD:
        dtype = "float32" if {one.dtype for one in seen} == {"<f4"} else "float64"
        raw = Chunked(chunks, sizes, seen[0].tail, dtype)
        values = (
            raw
            if _are_as_they_are(seen, raw)
            else raw.mapped(partial(_memberships_in, looking.reading, dtype))
        )
        soft = _soft(kind)
        soft.values, soft._names, soft.index = values, tuple(seen[0].names or ()), None
        return soft
    hard = _hard(looking, chunks, seen)
    hard.noise_label = looking.reading.noise_label
    return hard


def _are_as_they_are(seen: Sequence[Seen], raw: Chunked) -> bool:
    """Whether the values of all chunks are those meant, of one type: nothing must be read anew."""
    return all(one.as_it_is and np.dtype(one.dtype) == raw.dtype for one in seen)


def _soft(kind: Kind) -> Any:
    cls: Any = ChunkedFuzzy if kind is FUZZY else ChunkedPossibilistic
    return cls.__new__(cls)


def _hard(looking: Looking, chunks: Sequence[Any], seen: Sequence[Seen]) -> ChunkedHard:
    counts: Counter[Any] = Counter()
    for one in seen:
        counts.update(dict(one.counts))
    names = {one.names for one in seen}
    sizes = [one.n for one in seen]
    n = sum(sizes)
    raw = Chunked(chunks, sizes, (), np.result_type(*(one.dtype for one in seen)))
    if names == {None}:
        ordered = {label: counts[label] for label in sorted(counts)}
        is_whole = raw.dtype.kind != "f"  # signed and unsigned together are neither
        if is_whole and max(ordered) - min(ordered) < WIDEST * n + 1024:
            return ChunkedHard.of(
                raw
                if _are_as_they_are(seen, raw)
                else raw.mapped(partial(_integers_in, looking.reading, raw.dtype)),
                ordered,
                None,
            )
        known: tuple[Any, ...] = tuple(ordered)
    else:
        only = next(iter(names)) if len(names) == 1 else None
        known = only if only is not None else sorted_names(counts)
    codes = raw.mapped(partial(_codes_in, looking.reading, known), dtype=np.int64)
    return ChunkedHard.of(codes, counts, tuple(known))


def _integers_in(reading: Any, dtype: Any, piece: Any) -> Array:
    values: Array = reading.read(piece).values
    return values.astype(dtype, copy=False)


def _codes_in(reading: Any, names: tuple[Any, ...], piece: Any) -> Array:
    """The labels of a chunk as positions in the names of all chunks."""
    made = reading.read(piece)
    place = {name: i for i, name in enumerate(names)}
    table = np.array([place[name] for name in made.names], dtype=np.int64)
    return np.asarray(table[made.codes])


def _memberships_in(reading: Any, dtype: str, piece: Any) -> Any:
    made: Partition = reading.read(piece)
    values = made.memberships()
    return values.astype(dtype, copy=False)


def _data(_looking: Looking, chunks: Sequence[Any], seen: Sequence[Seen]) -> ChunkedData:
    if len({(one.tail, one.names) for one in seen}) > 1:
        raise ParameterError(
            "chunks of X have different features.",
            got=", ".join(dict.fromkeys(f"{one.tail[0]} columns" for one in seen)),
            need="the same columns in all chunks",
        )
    dtype = "float32" if {one.dtype for one in seen} == {"<f4"} else "float64"
    raw = Chunked(chunks, [one.n for one in seen], seen[0].tail, dtype)
    made = ChunkedData.__new__(ChunkedData)
    made.index, made.are_distances, made.features = None, False, tuple(seen[0].names or ())
    made.values = raw if _are_as_they_are(seen, raw) else raw.mapped(partial(_data_in, raw.dtype))
    ends = [one.ends for one in seen]
    made.exponent = exponent_between(min(e[0] for e in ends), max(e[1] for e in ends))
    return made


def _data_in(dtype: Any, piece: Any) -> Array:
    return DataMatrix(piece, takes_words=False).values.astype(dtype, copy=False)


def _weights(_looking: Looking, chunks: Sequence[Any], seen: Sequence[Seen]) -> ChunkedWeights:
    total = sum(one.total for one in seen)
    if not 0.0 < total <= MOST_WEIGHT:
        raise ParameterError(
            Phrase(Setting("sample_weight"), " cannot be multiplicities."),
            got=f"a sum of {total:g}",
            need=f"a sum above 0 and up to {MOST_WEIGHT:g}",
        )
    whole = all(one.dtype == "<i8" for one in seen) and total < 2.0**53
    raw = Chunked(chunks, [one.n for one in seen], (), np.int64 if whole else np.float64)
    made = ChunkedWeights()
    made.values = raw.mapped(partial(_weights_in, raw.dtype))
    made.has_zeros = any(one.least == 0.0 for one in seen)
    return made


def _weights_in(dtype: Any, piece: Any) -> Array:
    return np.asarray(piece).astype(dtype)


# --- what is in memory, beside what is not --------------------------------------------------------------


def weights_into_chunks(weight: Array, index: Any, sizes: Sequence[int]) -> ChunkedWeights:
    """Weights in memory, of the objects of an index if there is one, in chunks of these sizes."""
    made = ChunkedWeights()
    made.values, made.has_zeros = in_chunks(weight, sizes), not weight.all()
    made.prints = _prints_of(index, sizes)
    return made


def cut_into_chunks(side: Any, sizes: Sequence[int]) -> Any:
    """A clustering or data in memory, in chunks of these sizes."""
    made: Any
    if isinstance(side, HardPartition):
        side = side.compacted()
        counts = dict(zip(side.names, side.sizes.tolist(), strict=True))
        made = ChunkedHard.of(in_chunks(side.values, sizes), counts, side._names)
        made.noise_label = side.noise_label
    elif isinstance(side, DataMatrix):
        made = ChunkedData.__new__(ChunkedData)
        made.are_distances, made.features, made.exponent = False, side.features, side.exponent
        given = side.values if side.sparse is None else side.sparse
        made.values = in_chunks(given, sizes)
        if side.sparse is not None:
            made.values = made.values.mapped(partial(_data_in, made.values.dtype))
    elif isinstance(side, MembershipPartition):
        made = _soft(side.kind)
        made.values, made._names = in_chunks(side.values, sizes), side.names
    else:
        raise all_at_once(repr(side))
    made.index, made.note, made.frame = None, side.note, side.frame
    made.prints = _prints_of(side.index, sizes)
    return made


def _prints_of(index: Any, sizes: Sequence[int]) -> tuple[str, ...] | None:
    if index is None:
        return None
    ends = np.cumsum(sizes)
    parts = (index[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return tuple(str(_print_of(part)) for part in parts)
