"""Many labels are looked at once: the look that counts them finds their range too."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita import engine
from partita.arrays import COMPILED_FROM
from partita.errors import PartitionError
from partita.inputs import prepare
from partita.partitions import HardPartition
from partita.statistics import Contingency, Request

N = COMPILED_FROM + 4567


def drawn(low, high, dtype=np.int64, seed=0):
    return np.random.default_rng(seed).integers(low, high, N).astype(dtype)


def with_rare(label, at):
    labels = drawn(0, 10)
    labels[at] = label
    return labels


CASES = {
    "usual": (drawn(0, 10), drawn(3, 15, seed=1)),
    "sorted": (np.sort(drawn(0, 10)), np.sort(drawn(0, 12, seed=1))[::-1]),
    "narrow types": (drawn(0, 5, np.int32), drawn(-3, 4, seed=1)),
    "one cluster": (np.full(N, 7), drawn(0, 3)),
    "smallest number": (np.full(N, np.iinfo(np.int64).min), drawn(0, 3)),
    "largest number": (np.full(N, np.iinfo(np.int64).max), drawn(0, 3)),
    "a rare label above": (with_rare(500, 33), drawn(0, 12, seed=1)),
    "a rare label below": (drawn(0, 12, seed=1), with_rare(-400, N - 1)),
    "rare ones on both sides": (with_rare(90, 1), with_rare(-90, 1)),
    "noise": (with_rare(-1, slice(10, 20)), drawn(0, 12, seed=1)),
    "many clusters": (drawn(0, 3000), drawn(0, 40, seed=1)),
}


def cells(truth, found):
    """Each pair of labels with how often it occurs."""
    pairs, times = np.unique(np.stack([truth, found], axis=1), axis=0, return_counts=True)
    return {tuple(pair): int(count) for pair, count in zip(pairs.tolist(), times, strict=True)}


def cells_of(table):
    filled = np.argwhere(np.asarray(table.raw.toarray() if table.is_sparse else table.raw))
    raw = table.raw
    return {(table.row_names[i], table.column_names[j]): int(raw[i, j]) for i, j in filled.tolist()}


@pytest.mark.parametrize("case", CASES)
def test_table_and_ranges_are_those_of_the_labels(case):
    truth, found = CASES[case]
    inputs = prepare({"truth": truth, "found": found})
    table = engine.collect([Request(Contingency)], inputs)[Request(Contingency)]
    assert cells_of(table) == cells(truth, found)
    for side, labels in zip(inputs.partitions.values(), (truth, found), strict=True):
        assert side.ends == (labels.min(), labels.max())
    ready = [pt.as_partition(labels) for labels in (truth, found)]
    again = engine.collect([Request(Contingency)], prepare(dict(zip(("truth", "found"), ready, strict=True))))
    before = again[Request(Contingency)]
    assert (table.row_names, table.column_names) == (before.row_names, before.column_names)
    assert table.total == before.total


@pytest.mark.parametrize("case", ["usual", "sorted", "narrow types", "noise"])
def test_a_good_guess_is_the_only_look(case, monkeypatch):
    truth, found = CASES[case]
    looks = []
    monkeypatch.setattr("partita.partitions.hard._low_and_high", lambda values: looks.append(values))
    inputs = prepare({"truth": truth, "found": found})
    assert inputs.table is not None
    assert not looks


def test_other_clusterings_do_not_take_the_table():
    truth, found = CASES["noise"]
    inputs = prepare({"truth": truth, "found": found}, noise="ignore")
    assert inputs.table is None
    assert inputs.n_objects == N - 10
    weighted = prepare({"truth": truth, "found": found}, sample_weight=np.full(N, 2))
    assert weighted.table is None
    row = pt.compare(truth, found, indices=["rand"], noise="ignore")["rand"]
    kept = truth >= 0
    assert row.value == pt.indices.rand(truth[kept], found[kept])


def test_labels_that_change_after_the_partition_was_made_are_refused():
    labels = drawn(0, 10)
    made = HardPartition(labels)
    labels[5] = 99
    with pytest.raises(PartitionError, match="labels changed"):
        pt.indices.rand(made, drawn(0, 3))
