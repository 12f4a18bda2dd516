"""Typicalities so small that their products are no numbers any more: nothing that is a ratio may notice."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import partita as pt
from partita.errors import UndefinedIndexWarning
from partita.partitions import FUZZY, HARD, POSSIBILISTIC
from partita.registry import indices
from partita.statistics import Contingency


def accepts(entry, *kinds):
    try:
        entry.check_kinds(kinds)
    except pt.errors.PartitaError:
        return False
    return set(entry.inputs) == {"truth", "found"}


ENTRIES = {e.name: e for e in indices() if accepts(e, POSSIBILISTIC, POSSIBILISTIC)}
OF_TABLES = [name for name, e in ENTRIES.items() if not name.startswith("belief")]  # these see both scales
typicality = st.floats(0.01, 1.0)


def value_of(entry, truth, found):
    """The value; where it is nan there is a reason, and NumPy says nothing at all."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        value = float(entry(truth, found))
    strange = [str(w.message) for w in said if not issubclass(w.category, UndefinedIndexWarning)]
    assert not strange, entry.name
    assert not math.isinf(value), entry.name
    assert not math.isnan(value) or [str(w.message) for w in said], entry.name
    return value


def drawn(data, n, k):
    return np.array(data.draw(st.lists(st.lists(typicality, min_size=k, max_size=k), min_size=n, max_size=n)))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_common_scale_changes_nothing(data):
    """Times a power of two that costs no digits (down to 1e-300): the same value as at the usual scale."""
    n, k, columns = (data.draw(st.integers(low, 4)) for low in (2, 1, 1))
    U, V = drawn(data, n, k), drawn(data, n, columns)
    exponent = data.draw(st.integers(-1000, -330))
    usual = [pt.PossibilisticPartition(side) for side in (U, V)]
    tiny = [pt.PossibilisticPartition(np.ldexp(side, exponent)) for side in (U, V)]
    for name, entry in ENTRIES.items():
        expected = value_of(entry, *usual)
        assert value_of(entry, *tiny) == pytest.approx(expected, abs=1e-10, nan_ok=True), name


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_any_mixture_of_scales_has_a_value_or_a_reason(data):
    n, k, columns = (data.draw(st.integers(low, 4)) for low in (2, 1, 1))
    sides = []
    for width in (k, columns):
        powers = data.draw(st.lists(st.integers(-320, -100) | st.just(0), min_size=n, max_size=n))
        made = drawn(data, n, width) * np.array([float(f"1e{p}") for p in powers])[:, None]
        made[:, 0] = np.maximum(made[:, 0], 5e-324)
        sides.append(pt.PossibilisticPartition(made))
    for entry in ENTRIES.values():
        value_of(entry, *sides)


@pytest.mark.parametrize("name", OF_TABLES)
@pytest.mark.parametrize("exponent", [-1000, -700, -400])
def test_against_hard_and_fuzzy_sides(name, exponent):
    rng = np.random.default_rng(0)
    U, labels, shares = rng.random((6, 3)), [0, 1, 2, 0, 1, 1], rng.dirichlet(np.ones(2), 6)
    for kind, other in ((HARD, labels), (FUZZY, shares)):
        if accepts(ENTRIES[name], kind, POSSIBILISTIC):
            usual = value_of(ENTRIES[name], other, pt.PossibilisticPartition(U))
            tiny = value_of(ENTRIES[name], other, pt.PossibilisticPartition(np.ldexp(U, exponent)))
            assert tiny == pytest.approx(usual, abs=1e-10, nan_ok=True)


def test_rand_by_hand():
    """All typicalities alike: N* = 1 in each of the four cells, as at any other scale."""
    values = []
    for size in (1.0, 1e-100, 1e-200, 1e-300, 1e-320):
        side = pt.PossibilisticPartition(np.full((4, 2), size))
        np.testing.assert_allclose(Contingency.from_block(side, side).counts, np.ones((2, 2)))
        values.append(float(pt.indices.rand(side, side)))
    np.testing.assert_allclose(values, values[0])


def test_blocks_of_different_scales_add_up():
    rng = np.random.default_rng(1)
    U, V = rng.random((8, 3)), rng.random((8, 2))
    exponents = np.array([-1000, -1000, -990, -990, -600, -600, -985, -985])
    truth = pt.PossibilisticPartition(np.ldexp(U, exponents[:, None]))
    found = pt.PossibilisticPartition(np.ldexp(V, -100))
    whole = Contingency.from_block(truth, found)
    twos = [slice(i, i + 2) for i in (0, 2, 4, 6)]
    parts = [Contingency.from_block(truth.take(two), found.take(two)) for two in twos]
    for order in ([0, 1, 2, 3], [2, 3, 1, 0]):
        added = Contingency.zero()
        for place in order:
            added = added + parts[place]
        np.testing.assert_allclose(added.counts, whole.counts, rtol=1e-12)
    np.testing.assert_allclose(whole.counts, (c := U[4:6].T @ V[4:6]) * 8 / c.sum(), rtol=1e-12)


def test_sparse_memberships_and_ensembles_too():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(2)
    U = rng.random((6, 3)) * (rng.random((6, 3)) < 0.7)
    U[:, 0] += 0.1
    usual = [pt.PossibilisticPartition(side) for side in (U, U[::-1].copy(), U[:, ::-1].copy())]
    tiny = [pt.PossibilisticPartition(np.ldexp(side.memberships(), -800)) for side in usual]
    sparse = pt.PossibilisticPartition(csr_array(np.ldexp(U, -800)))
    assert pt.indices.rand(sparse, tiny[1]) == pytest.approx(pt.indices.rand(usual[0], usual[1]), abs=1e-12)
    for name in ("rand", "VI"):
        expected = pt.consensus_index(usual, name).matrices
        found = pt.consensus_index(tiny, name).matrices
        for key, matrix in expected.items():
            np.testing.assert_allclose(found[key], matrix, atol=1e-12)
    counts = [Contingency.from_ensemble(pt.Ensemble(members)).counts for members in (usual, tiny)]
    np.testing.assert_allclose(counts[1], counts[0], rtol=1e-12)
