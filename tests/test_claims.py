"""Every fact in an entry is executed: ranges, claims, refutations, per kind of clustering."""

from __future__ import annotations

import math
import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.errors import UndefinedIndexWarning
from partita.indices import catalogue
from partita.partitions import (
    EVIDENTIAL,
    HARD,
    ROUGH,
    Ensemble,
    EvidentialPartition,
    HardPartition,
    Kind,
    Partition,
    RoughPartition,
)
from partita.statistics import Contingency
from strategies import STRATEGIES, inputs_of, pairs, triples

TWO_SIDED = [e for e in catalogue() if e.inputs == ("truth", "found")]
TINY = 1e-9

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")


def claimed(claim):
    return [
        pytest.param(e, k, id=f"{e.name}-{k}")
        for e in TWO_SIDED
        for k in e.kinds
        if e.status(claim, k) == "claimed"
    ]


def refuted(claim):
    return [
        pytest.param(e, example, id=f"{e.name}-{kind}")
        for e in TWO_SIDED
        for kind, example in e.refuted.get(claim, {}).items()
    ]


def set_partitions(n):
    """All ways to cluster n objects, as label lists."""

    def grow(labels, used):
        if len(labels) == n:
            yield list(labels)
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    return list(grow([], 0))


FOUR, FIVE = set_partitions(4), set_partitions(5)
TABLES = {n: Contingency.from_ensemble(Ensemble(all_of)) for n, all_of in ((4, FOUR), (5, FIVE))}


def values_for_all(entry, n):
    """The value of each pair of all clusterings of n objects; nan where undefined."""
    if entry.statistics == (Contingency,):
        return entry.of(TABLES[n])
    every = [HardPartition(labels) for labels in {4: FOUR, 5: FIVE}[n]]
    return np.array([[entry(a, b) for b in every] for a in every])


# --- ranges ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [e for e in catalogue() if "model" not in e.inputs], ids=lambda e: e.name)
@given(data=st.data())
def test_values_lie_in_the_range(entry, data):
    """The entry itself raises when a value leaves its range; here it only must not."""
    inputs = inputs_of(data, entry, data.draw(st.integers(1, 8)))
    value = entry(*inputs)
    ends = entry.range_of([p.kind for p in inputs if isinstance(p, Partition)])
    for end, sign in zip(ends, (-1, 1), strict=True):
        if isinstance(end, float) and not math.isnan(value):
            assert sign * (value - end) <= 0


# --- claims over all hard clusterings of four and five objects ---------------------------------------------


@pytest.mark.parametrize("n", TABLES)
@pytest.mark.parametrize("entry", TWO_SIDED, ids=lambda e: e.name)
def test_claims_hold_for_all_small_hard_clusterings(entry, n):
    held = {claim for claim in entry.claims if entry.status(claim, HARD) == "claimed"}
    values = values_for_all(entry, n)
    if "symmetric" in held:
        np.testing.assert_allclose(values, values.T, atol=TINY)
    if "normalized" in held:
        assert np.nanmin(values) >= 0
        assert np.nanmax(values) <= 1
    if entry.best is None or not math.isfinite(entry.best):
        return
    far = np.abs(values - entry.best)
    others = far[~np.eye(len(far), dtype=bool)]
    if "reflexive" in held:
        np.testing.assert_allclose(np.diag(far), 0, atol=TINY)
    if "separating" in held:
        assert np.nanmin(others) > TINY
    if "triangle" in held:
        detour = far[:, :, None] + far[None, :, :]
        excess = far[:, None, :] - detour
        assert np.nanmax(excess) <= TINY


@pytest.mark.parametrize(("entry", "kind"), [p for p in claimed("zero_by_chance") if p.values[1] is HARD])
def test_mean_over_all_shuffles_is_zero(entry, kind):
    for truth, found in (([0, 0, 0, 1, 1], [0, 0, 1, 1, 2]), ([0, 0, 1, 1, 2], [0, 1, 1, 1, 1])):
        assert chance_mean(entry, HardPartition(truth), HardPartition(found)) == pytest.approx(0, abs=1e-12)


def chance_mean(entry, truth, found):
    shuffles = [found.take(np.array(order)) for order in permutations(range(found.n_objects))]
    return np.mean([entry(truth, shuffled) for shuffled in shuffles])


# --- claims on drawn clusterings of every kind -------------------------------------------------------------


@pytest.mark.parametrize(("entry", "kind"), claimed("symmetric"))
@given(data=st.data())
def test_symmetric(entry, kind, data):
    a, b = data.draw(pairs([kind]))
    np.testing.assert_allclose(entry(a, b), entry(b, a), atol=TINY, rtol=TINY)


@pytest.mark.parametrize(("entry", "kind"), claimed("relabelling_invariant"))
@given(data=st.data())
def test_relabelling_invariant(entry, kind, data):
    a, b = data.draw(pairs([kind]))
    np.testing.assert_allclose(entry(a, relabelled(b, data)), entry(a, b), atol=TINY, rtol=TINY)


def relabelled(partition, data):
    order = data.draw(st.permutations(range(partition.n_clusters)))
    if partition.kind is HARD:
        return HardPartition([f"c{order[code]}" for code in partition.codes])
    if partition.kind is ROUGH:
        return RoughPartition(partition.possible[:, order])
    if partition.kind is EVIDENTIAL:
        return EvidentialPartition(partition.masses, partition.focal_sets[:, order])
    return type(partition)(np.asarray(partition.memberships())[:, order])


@pytest.mark.parametrize(("entry", "kind"), claimed("reflexive"))
@given(data=st.data())
def test_reflexive(entry, kind, data):
    a = data.draw(STRATEGIES[kind]())
    assert entry(a, a) == pytest.approx(entry.best, abs=TINY)


@pytest.mark.parametrize(("entry", "kind"), claimed("separating"))
@given(data=st.data())
def test_separating(entry, kind, data):
    a, b = data.draw(pairs([kind], max_n=5))
    value = entry(a, b)
    if abs(value - entry.best) <= TINY:
        assert a.equivalent(b)


@pytest.mark.parametrize(("entry", "kind"), claimed("triangle"))
@given(data=st.data())
def test_triangle(entry, kind, data):
    a, b, c = data.draw(triples([kind], max_n=6))
    ab, bc, ac = (abs(entry(*sides) - entry.best) for sides in ((a, b), (b, c), (a, c)))
    if not any(math.isnan(x) for x in (ab, bc, ac)):
        assert ac <= ab + bc + TINY


@pytest.mark.parametrize(("entry", "kind"), claimed("normalized"))
@given(data=st.data())
def test_normalized(entry, kind, data):
    value = entry(*data.draw(pairs([kind])))
    assert math.isnan(value) or 0 <= value <= 1


# --- refutations: the stored counter-examples must really be ones ------------------------------------


@pytest.mark.parametrize(("entry", "example"), refuted("symmetric"))
def test_not_symmetric(entry, example):
    a, b = example.partitions()
    assert entry(a, b) != pytest.approx(entry(b, a), abs=1e-6)


@pytest.mark.parametrize(("entry", "example"), refuted("reflexive"))
def test_not_reflexive(entry, example):
    a, same = example.partitions()
    assert a.equivalent(same)
    assert entry(a, same) != pytest.approx(entry.best, abs=1e-6)


@pytest.mark.parametrize(("entry", "example"), refuted("separating"))
def test_not_separating(entry, example):
    a, b = example.partitions()
    assert not a.equivalent(b)
    assert entry(a, b) == pytest.approx(entry.best, abs=TINY)


@pytest.mark.parametrize(("entry", "example"), refuted("triangle"))
def test_no_triangle_inequality(entry, example):
    a, b, c = example.partitions()
    ab, bc, ac = (abs(entry(*sides) - entry.best) for sides in ((a, b), (b, c), (a, c)))
    assert ac > ab + bc + 1e-6


@pytest.mark.parametrize(("entry", "example"), refuted("normalized"))
def test_not_normalized(entry, example):
    value = entry(*example.partitions())
    assert value < -1e-6 or value > 1 + 1e-6


@pytest.mark.parametrize(("entry", "example"), refuted("zero_by_chance"))
def test_not_zero_by_chance(entry, example):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedIndexWarning)
        mean = chance_mean(entry, *example.partitions())
    assert abs(mean) > 1e-6


def test_every_refutation_is_of_its_kind():
    for entry in TWO_SIDED:
        for claim, examples in entry.refuted.items():
            for kind, example in examples.items():
                assert {p.kind for p in example.partitions()} == {Kind(kind)}, (entry.name, claim)
