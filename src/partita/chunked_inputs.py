"""What a caller gave where some of it lies in chunks: clusterings of the same objects, chunk by chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from partita.arrays import Array, multiplicities
from partita.arrays.chunked import Chunked, OnChunk, is_of_dask, with_one_division, zipped
from partita.errors import MismatchError, ParameterError, Phrase, Setting
from partita.inputs import Inputs, balanced_note, noise_notes, silent_noise, weights_of_classes
from partita.partitions import HARD, DataMatrix, HardPartition, Partition, lengths_differ
from partita.partitions.chunked import ChunkedHard, ChunkedWeights, InChunks
from partita.partitions.chunked_reading import (
    WITHOUT_GAPS,
    Counts,
    Looking,
    counted_labels,
    cut_into_chunks,
    read_and_count,
    read_chunks,
    refuse_what_has_no_rows,
    weights_into_chunks,
)
from partita.partitions.models import is_estimator
from partita.partitions.reading import Reading
from partita.partitions.same_objects import index_of, refuse_names_beside_positions
from partita.partitions.side_names import UNNAMED, SideNames
from partita.statistics import Contingency
from partita.statistics.tables.counting import DENSE_CELLS
from partita.statistics.tables.one_look import GUESSED_CELLS, table_of_labels

__all__ = ["prepare_chunked"]

WEIGHT = "sample_weight"


def prepare_chunked(
    given: Mapping[str, Any],
    *,
    noise: str,
    sample_weight: Any,
    metric: str,
    noise_label: Any,
    missing: str,
    background: Any,
    on_chunk: OnChunk = None,
    called: SideNames = UNNAMED,
) -> Inputs:
    """What `partita.inputs.prepare` does, where one of the inputs lies in chunks.

    Those in memory are cut as the first that lies in chunks; so are others, by position. Where several have
    an index, it must be the same, chunk by chunk, after frames with known divisions were cut alike.
    """
    is_balanced = isinstance(sample_weight, str)
    sample_weight = None if is_balanced else sample_weight
    every = dict(given) if sample_weight is None else {**given, WEIGHT: sample_weight}
    lazy = {name: side for name, side in every.items() if is_of_dask(side)}
    refuse_what_has_no_rows(lazy)
    _refuse_what_is_whole(given, noise, metric, missing)
    reading = Reading(noise_label=noise_label, background=background)
    lazy = with_one_division(lazy)
    roles = {"X": Looking("X"), WEIGHT: Looking("weight")}
    lookings = {name: roles.get(name) or reading.by_chunk() for name in lazy}
    if [*lazy] == [*every] == ["truth", "found"]:
        read, tables = read_and_count(lazy, lookings, _counted, on_chunk)
        if None not in tables:
            table = _whole_table(read["truth"], read["found"], tables)
            read["truth"].counted_beside = None if table is None else (read["found"], table)
    else:
        read = read_chunks(lazy, lookings, on_chunk)
    for name, side in every.items():
        if name not in read:
            read[name] = side if isinstance(side, InChunks) else _in_memory(name, side, reading)
    index = None if WEIGHT in lazy else index_of(sample_weight)
    sides = _cut_alike({name: read[name] for name in every}, index)
    notes = [f"{called.of(name)}: {p.note}" for name, p in sides.items() if getattr(p, "note", "")]
    frame = next((p.frame for p in sides.values() if p.frame), None)
    weight = sides.pop(WEIGHT, None)
    noisy = [name for name, p in sides.items() if getattr(p, "may_have_noise", False)]
    coverage, said = 1.0, silent_noise(sides, noise, noise_label, called)
    counts: dict[str, int] = {}
    table = _table_of(sides)
    if noisy and table is not None and weight is None and noise != "ignore":
        counts, coverage = _noise_in_table(sides, noisy, table)
        said = noise_notes({called.of(name): count for name, count in counts.items()}, coverage, noise)
    elif noisy or (weight is not None and weight.has_zeros):
        drops_noise = noise == "ignore"
        tally = _Tally.of(sides, weight, noisy, drops_noise, on_chunk)
        if tally.counts.total():
            coverage, counts = (
                tally.coverage,
                {name: tally.counts[name] for name in sides if tally.counts[name]},
            )
            said = noise_notes({called.of(name): count for name, count in counts.items()}, coverage, noise)
        sides, weight = tally.kept(sides, weight) if tally.n_kept else (sides, weight)
        if not tally.n_kept and not drops_noise:
            raise ParameterError("no object has a weight.", got="weights of 0", need="a weight above 0")
    if is_balanced:
        weight = _balanced(sides["truth"])
        notes.append(balanced_note(sides["truth"]))
    n = 0 if noise == "ignore" and coverage == 0.0 else next(iter(sides.values())).n_objects
    data = sides.pop("X", None)
    table = _table_of(sides)
    return Inputs(
        sides,
        n,
        None if weight is None else weight.values,
        coverage,
        notes=(*notes, *said),
        noisy=said[0] if coverage < 1.0 else "",
        frame=frame,
        X=data,
        counted=None if table is None else (sides["truth"], sides["found"], table),
        called=called,
        noise_of={}
        if noise == "ignore"
        else {name: (1, count / n) for name, count in counts.items() if count},
    )


def _balanced(truth: Any) -> ChunkedWeights:
    """Weights by which every true class counts the same, in the chunks of the truth."""
    weights = weights_of_classes(truth)
    made = ChunkedWeights()
    made.values = truth.coded().values.mapped(partial(_of_classes, weights), tail=(), dtype=weights.dtype)
    return made


def _of_classes(weights: Array, codes: Array) -> Array:
    return weights[codes]


def _table_of(sides: Mapping[str, Any]) -> Any:
    """The table of truth and found, where it was counted when they were read; or None."""
    other, table = getattr(sides.get("truth"), "counted_beside", None) or (None, None)
    return table if other is not None and sides.get("found") is other else None


def _noise_in_table(sides: Mapping[str, Any], noisy: list[str], table: Any) -> tuple[dict[str, int], float]:
    """How many objects are noise on each side, and what share is on none."""
    counts: dict[str, int] = {}
    raw = table.raw
    for axis, (name, names) in enumerate((("truth", table.row_names), ("found", table.column_names))):
        if name in noisy:
            label = sides[name].noise_name
            counts[name] = sides[name].counts[label]
            kept = [i for i, one in enumerate(names) if one != label]
            raw = raw[kept] if axis == 0 else raw[:, kept]
    return counts, float(raw.sum() / table.total)


def _counted(truth: Any, found: Any) -> tuple[list[Counts], Contingency] | None:
    """The table of two chunks of labels, and how often each label occurs; None where it may be large."""
    table = table_of_labels(truth, found)
    if table is None:
        if not (isinstance(truth, HardPartition) and isinstance(found, HardPartition)):
            return None
        if truth.span * found.span > GUESSED_CELLS:
            return None
        table = Contingency.from_block(truth, found)
    sides = (table.row_names, table.row_sums), (table.column_names, table.column_sums)
    counts = [tuple((n, c) for n, c in zip(names, sums.tolist(), strict=True) if c) for names, sums in sides]
    return counts, table


def _whole_table(truth: Any, found: Any, tables: list[Any]) -> Contingency | None:
    """The table of two clusterings in chunks from those of their chunks; None where it may be large."""
    names = [truth.row_names, found.row_names]
    if len(names[0]) * len(names[1]) > DENSE_CELLS:
        return None
    places = [{name: i for i, name in enumerate(known)} for known in names]
    whole = np.zeros((len(names[0]), len(names[1])), dtype=np.int64)
    for table in tables:
        rows, columns = (
            [place[name] for name in own]
            for place, own in zip(places, (table.row_names, table.column_names), strict=True)
        )
        whole[np.ix_(rows, columns)] += table.raw
    return Contingency(whole, truth.n_objects, (HARD, HARD), *names)


def _refuse_what_is_whole(given: Mapping[str, Any], noise: str, metric: str, missing: str) -> None:
    """Options and inputs that need all objects at once."""
    refused = {
        "metric": ('"precomputed"', metric == "precomputed"),
        "noise": ('"singletons"', noise == "singletons"),
        "missing": (repr(missing), missing != "raise"),
    }
    for name, (got, is_refused) in refused.items():
        if is_refused:
            raise ParameterError(
                Phrase(Setting(name), " cannot be this where inputs lie in chunks."),
                got=f"{name}={got}",
                need="what can be settled chunk by chunk",
                fix=WITHOUT_GAPS if name == "missing" else ".compute(), or --in-memory for files, if it fits",
                parameter=name,
            )
    model = next((one for name, one in given.items() if name != "X" and is_estimator(one)), None)
    if model is not None:
        raise ParameterError(
            "a fitted model is not asked for the labels of data in chunks.",
            got=type(model).__name__,
            need="labels or memberships",
            fix="X.map_blocks(model.predict, drop_axis=1, dtype=int), or model.labels_",
        )


def _in_memory(name: str, side: Any, reading: Reading) -> Any:
    if name == WEIGHT:
        return multiplicities(side)
    return DataMatrix(side) if name == "X" else reading.read(side)


def _cut_alike(sides: dict[str, Any], index: Any) -> dict[str, Any]:
    """All sides in the chunks of the first that lies in chunks, if they are of the same objects.

    ``index`` is that of weights in memory.
    """
    first: Any = next(side for side in sides.values() if isinstance(side, InChunks))
    sizes = first.values.sizes
    for side in sides.values():
        n = side.size if isinstance(side, np.ndarray) else side.n_objects
        if n != first.n_objects:
            if isinstance(side, Partition) and isinstance(first, Partition):
                raise lengths_differ(first, side)
            raise MismatchError(
                "the inputs do not have the same objects.",
                got=f"{first.n_objects} objects and {n} objects",
                need="the same number of objects, in the same order",
            )
    objects = {name: side for name, side in sides.items() if name != WEIGHT}
    unnamed = {n: p for n, p in objects.items() if p.index is None and getattr(p, "prints", None) is None}
    if unnamed:
        named = {name: p for name, p in objects.items() if p.index is not None}
        refuse_names_beside_positions(named | unnamed)
    cut = {
        name: side
        if isinstance(side, InChunks)
        else weights_into_chunks(side, index, sizes)
        if isinstance(side, np.ndarray)
        else cut_into_chunks(side, sizes)
        for name, side in sides.items()
    }
    prints = {name: side.prints for name, side in cut.items() if side.prints is not None}
    if len(set(prints.values())) > 1:
        cuts = {name: len(cut[name].values.chunks) for name in prints}
        raise MismatchError(
            "the inputs have an index, and not the same in each chunk.",
            got=", ".join(f"{name} in {count} chunks" for name, count in cuts.items()),
            need="the same index in the same chunks, or known divisions and the same objects",
            fix="join them first, both = truth.to_frame().join(found.to_frame(), how='inner'), and pass its"
            " columns; .to_dask_array(lengths=True) on all sides if they are in the same order",
        )
    return {
        name: side if side.values.sizes == sizes else side.with_values(side.values.cut_as(sizes))
        for name, side in cut.items()
    }


class _Tally:
    """What the chunks hold of noise and weights, and what is left of each."""

    def __init__(self, keep: Chunked, found: list[dict[str, Any]]) -> None:
        self.keep = keep
        self.sizes = [one["kept"] for one in found]
        self.counts: Counter[str] = Counter()
        self.labels: dict[str, Counter[Any]] = {}
        for one in found:
            self.counts.update(one["noise"])
            for name, labels in one["labels"].items():
                self.labels.setdefault(name, Counter()).update(dict(labels))
        self.coverage = float(sum(one["covered"] for one in found) / sum(one["total"] for one in found))

    @property
    def n_kept(self) -> int:
        """How many objects are left."""
        return sum(self.sizes)

    @classmethod
    def of(
        cls, sides: Mapping[str, Any], weight: Any, noisy: list[str], drops_noise: bool, on_chunk: OnChunk
    ) -> _Tally:
        """Look at all chunks once."""
        work = _Counting(
            {name: p.blank() for name, p in sides.items()}, weight is not None, noisy, drops_noise
        )
        columns = [p.values for p in (*sides.values(), *([] if weight is None else [weight]))]
        first, *others = columns
        keep = first.mapped(work.kept, *others, tail=(), dtype=bool)
        return cls(keep, zipped(work.tally, *columns, on_chunk=on_chunk))

    def kept(self, sides: dict[str, Any], weight: Any) -> tuple[dict[str, Any], Any]:
        """The sides without the objects that are left out."""
        if self.n_kept == len(self.keep):
            return sides, weight
        left = {name: p.with_values(self._rows(p.values)) for name, p in sides.items()}
        for name, p in left.items():
            if isinstance(p, ChunkedHard):
                left[name] = p.counted_as(self.labels[name])
        return left, None if weight is None else weight.with_values(self._rows(weight.values))

    def _rows(self, values: Chunked) -> Chunked:
        return values.mapped(_rows_in, self.keep, sizes=self.sizes).filled()


def _rows_in(chunk: Any, keep: Array) -> Any:
    return chunk[keep]


class _Counting:
    """The work on chunks that lie beside each other: which objects are noise, and which are left."""

    def __init__(
        self, blanks: Mapping[str, Any], is_weighted: bool, noisy: list[str], drops_noise: bool
    ) -> None:
        self.blanks, self.is_weighted, self.noisy, self.drops_noise = blanks, is_weighted, noisy, drops_noise

    def _noise(self, parts: tuple[Any, ...]) -> tuple[dict[str, int], Array]:
        anywhere = np.zeros(len(parts[0]), dtype=bool)
        counted = self._counted(parts)
        counts = {}
        for (name, blank), part in zip(self.blanks.items(), parts, strict=False):
            mask = blank.holding(part).noise_mask if name in self.noisy else None
            if mask is not None:
                counts[name] = int((mask & counted).sum())
                anywhere |= mask
        return counts, anywhere

    def _counted(self, parts: tuple[Any, ...]) -> Array:
        """Which objects have a weight above 0."""
        return np.asarray(parts[-1] != 0) if self.is_weighted else np.ones(len(parts[0]), dtype=bool)

    def kept(self, *parts: Any) -> Array:
        """Which objects are left."""
        _, anywhere = self._noise(parts)
        counted = self._counted(parts)
        return counted & ~anywhere if self.drops_noise else counted

    def tally(self, *parts: Any) -> dict[str, Any]:
        """What is counted in a chunk."""
        counts, anywhere = self._noise(parts)
        keep = self.kept(*parts)
        weight = parts[-1] if self.is_weighted else np.ones(len(keep))
        hard = {
            name: blank.holding(part[keep])
            for (name, blank), part in zip(self.blanks.items(), parts, strict=False)
            if isinstance(blank, ChunkedHard) and keep.any()
        }
        return {
            "noise": counts,
            "kept": int(keep.sum()),
            "covered": float(weight[~anywhere].sum()),
            "total": float(weight.sum()),
            "labels": {name: counted_labels(p) for name, p in hard.items()},
        }
