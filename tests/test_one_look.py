"""Many labels, and memberships in files, are looked at once: the look that counts them also checks them."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita import engine
from partita.arrays import BLOCK_ROWS, COMPILED_FROM
from partita.errors import MismatchError, PartitionError
from partita.inputs import prepare
from partita.partitions import HARD, HardPartition
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


# --- memberships in files ---------------------------------------------------------------------------------

ROWS = 2 * BLOCK_ROWS + 333


def in_files(folder, *matrices):
    """The matrices as files that are mapped into memory."""
    for place, matrix in enumerate(matrices):
        np.save(folder / f"{place}.npy", matrix)
    return [np.load(folder / f"{place}.npy", mmap_mode="r") for place in range(len(matrices))]


def memberships(k, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(k), ROWS).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("k", "others"), [(2, 3), (8, 8), (5, 12)])
def test_memberships_in_files_are_read_once(k, others, dtype, tmp_path, monkeypatch):
    U, V = in_files(tmp_path, memberships(k, dtype), memberships(others, dtype, seed=1))
    in_memory = pt.compare(np.asarray(U), np.asarray(V))
    monkeypatch.setattr("partita.partitions.memberships.survey_rows", lambda _: pytest.fail("looked twice"))
    inputs = prepare({"truth": U, "found": V})
    expected = np.asarray(U, np.float64).T @ np.asarray(V, np.float64)
    np.testing.assert_allclose(inputs.table.raw, expected, rtol=1e-12)
    assert repr(inputs.partitions["truth"]).startswith(f"FuzzyPartition(n={ROWS}, k={k}")
    mapped = pt.compare(U, V)
    assert [row.index for row in mapped.rows] == [row.index for row in in_memory.rows]
    for one, other in zip(mapped.rows, in_memory.rows, strict=True):
        np.testing.assert_allclose(one.value, other.value, rtol=1e-12, atol=1e-14, err_msg=one.index)


def spoiled(row, cells):
    matrix = memberships(3)
    matrix[row, : len(cells)] = cells
    return matrix


FLAWS = {
    "nan": spoiled(ROWS - 1, [np.nan]),
    "infinite": spoiled(BLOCK_ROWS, [np.inf, -np.inf]),
    "negative": spoiled(BLOCK_ROWS - 1, [-0.5, 1.5, 0.0]),
    "a large sum": spoiled(70_000, [0.9, 0.9]),
    "nothing": spoiled(ROWS - 2, [0.0, 0.0, 0.0]),
    "the first row": spoiled(0, [0.7, 0.7]),
    "other numbers": np.random.default_rng(0).normal(size=(ROWS, 3)),
}


@pytest.mark.parametrize("side", [0, 1], ids=["truth", "found"])
@pytest.mark.parametrize("flaw", FLAWS)
def test_flaws_in_files_are_told_as_in_memory(flaw, side, tmp_path):
    sides = [memberships(4, seed=1)]
    sides.insert(side, FLAWS[flaw])
    with pytest.raises(PartitionError) as in_memory:
        pt.compare(*sides)
    with pytest.raises(PartitionError) as mapped:
        pt.compare(*in_files(tmp_path, *sides))
    assert str(mapped.value) == str(in_memory.value)


def test_what_rounding_carried_below_zero_is_zero_in_files_too(tmp_path):
    matrix = spoiled(BLOCK_ROWS + 5, [-1e-9, 0.5, 0.5 + 1e-9])
    inputs = prepare(dict(zip(("truth", "found"), in_files(tmp_path, matrix, memberships(2)), strict=True)))
    assert inputs.table is None
    assert inputs.partitions["truth"].values.min() == 0.0


def test_one_hot_memberships_in_files_are_hard(tmp_path):
    matrix = np.eye(3)[np.resize(drawn(0, 3), ROWS)]
    inputs = prepare(dict(zip(("truth", "found"), in_files(tmp_path, matrix, memberships(2)), strict=True)))
    assert inputs.partitions["truth"].kind is HARD


def test_files_of_other_lengths_or_with_weights_are_read_as_ever(tmp_path):
    U, V, short = in_files(tmp_path, memberships(2), memberships(3), memberships(3)[:-1])
    with pytest.raises(MismatchError):
        pt.compare(U, short)
    weighted = prepare({"truth": U, "found": V}, sample_weight=np.full(ROWS, 2))
    assert weighted.table is None
    twice = pt.compare(U, V, indices=["MI"], sample_weight=np.full(ROWS, 2))["MI"].value
    assert twice == pytest.approx(pt.compare(U, V, indices=["MI"])["MI"].value, rel=1e-12)
