"""What dask is asked to do: how often chunks are made, progress, bootstraps, and workers that are lost."""

from collections import Counter

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest

import partita as pt

N = 6000


def cut(values, rows=700):
    return da.from_array(values, chunks=(rows, 2)[: values.ndim])


def counting(values, made, rows=700):
    """A dask array that writes down how often each of its chunks is made."""
    starts = range(0, len(values), rows)

    def part(start):
        made[start] += 1
        return values[start : start + rows]

    chunks = [
        da.from_delayed(dask.delayed(part)(s), values[s : s + rows].shape, dtype=values.dtype) for s in starts
    ]
    return da.concatenate(chunks)


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, N)
    return truth, np.where(rng.random(N) < 0.7, truth, rng.integers(-1, 6, N))


# --- how often chunks are made ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spell",
    [
        lambda labels: labels,
        lambda labels: labels.astype(np.uint8) + 1,
        lambda labels: np.array(list("abcdefg"))[labels],
        np.sort,
    ],
)
@pytest.mark.parametrize("rows", [700, N])
def test_labels_are_made_once(labels, spell, rows):
    truth, found = map(spell, labels)
    made = Counter()
    lazy = pt.compare(counting(truth, made, rows), counting(found, made, rows))
    assert set(made.values()) == {2}  # once for each side
    plain = pt.compare(truth, found)
    assert repr([row.value for row in lazy.rows]) == repr([row.value for row in plain.rows])
    assert lazy.notes == plain.notes
    assert lazy.provenance["coverage"] == plain.provenance["coverage"]
    pd.testing.assert_frame_equal(lazy.by_cluster(), plain.by_cluster())


def test_chunks_that_differ_in_size_are_counted_in_a_second_look(labels):
    truth, found = labels
    lazy = pt.compare(da.from_array(truth, chunks=(2000, 4000)), da.from_array(found, chunks=(4000, 2000)))
    assert repr([row.value for row in lazy.rows]) == repr([r.value for r in pt.compare(truth, found).rows])


def test_noise_on_both_sides(labels):
    truth, found = labels
    noisy = np.where(np.arange(N) % 7 == 0, -1, truth)
    for policy in ("cluster", "ignore"):
        lazy = pt.compare(cut(noisy), cut(found), noise=policy)
        plain = pt.compare(noisy, found, noise=policy)
        assert lazy.notes == plain.notes
        assert lazy.provenance["coverage"] == plain.provenance["coverage"]
        assert repr([row.value for row in lazy.rows]) == repr([row.value for row in plain.rows])


def test_a_table_that_would_be_large_is_not_made_while_looking():
    rng = np.random.default_rng(2)
    truth, found = rng.integers(0, 3000, (2, N))
    made = Counter()
    lazy = pt.compare(counting(truth, made), counting(found, made))
    assert set(made.values()) == {4}
    assert repr([row.value for row in lazy.rows]) == repr([r.value for r in pt.compare(truth, found).rows])
