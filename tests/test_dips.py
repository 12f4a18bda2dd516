"""Hartigan's dip by its definition, by hand and by its law; and the law with one peak that is nearest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.statistics.dips import MOST_VALUES, dip, evenly_thinned, unimodal_fit
from reference.structure import dip as by_definition

numbers = st.lists(st.integers(-20, 20).map(lambda v: v / 4), min_size=1, max_size=11)


@given(values=numbers)
def test_dip_equals_its_definition(values):
    """Ties included; a sample of n is never nearer than half of one share."""
    expected = max(by_definition(values), 0.5 / len(values))
    assert dip(np.array(values)) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("seed", range(8))
def test_dip_of_skewed_and_two_peaked_samples_equals_its_definition(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.exponential(size=8), rng.normal(6, 0.5, size=7)])
    assert dip(values) == pytest.approx(by_definition(values), abs=1e-7)


def test_dip_by_hand():
    """Evenly spaced numbers have one peak but for the steps; two far pairs of equal size tend to 1 / 4."""
    assert dip(np.arange(10.0)) == pytest.approx(1 / 20)
    assert dip(np.array([3.0])) == 0.5
    many = np.concatenate([np.linspace(0, 1, 500), np.linspace(1000, 1001, 500)])
    assert dip(many) == pytest.approx(0.25, abs=0.002)


@given(values=numbers, scale=st.sampled_from([-1.0, 1e-3, 1e5]), shift=st.sampled_from([0.0, 7.0]))
def test_dip_knows_no_unit_no_origin_and_no_direction(values, scale, shift):
    x = np.array(values)
    assert dip(scale * (x + shift)) == pytest.approx(dip(x), abs=1e-9)


def test_uniform_samples_dip_as_their_law_says():
    """Hartigan & Hartigan 1985: the dip of uniform samples falls as the root of n."""
    rng = np.random.default_rng(0)
    means = [np.mean([dip(rng.random(n)) for _ in range(60)]) * np.sqrt(n) for n in (50, 200)]
    assert means[0] == pytest.approx(means[1], rel=0.1)
    assert np.mean([dip(rng.normal(size=200)) for _ in range(60)]) * np.sqrt(200) < means[1]


@given(values=numbers)
def test_the_fitted_law_is_near_and_has_one_peak(values):
    """Within twice the dip of the share below each value and of that up to it; peaks may be sharp."""
    x = np.array(values)
    law = unimodal_fit(x)
    places, counts = np.unique(x, return_counts=True)
    upto = np.cumsum(counts) / len(x)
    assert law.heights[0] == 0
    assert law.heights[-1] == 1
    inside = np.interp(places, law.places, law.heights)
    assert (np.abs(inside - upto) <= 2 * law.dip + 1e-9).all()
    assert (np.abs(inside - (upto - counts / len(x))) <= 2 * law.dip + 1e-9).all()
    bends, first = np.unique(law.places, return_index=True)
    slopes = np.diff(law.heights[first]) / np.diff(bends)
    if len(slopes):
        peak = int(np.argmax(slopes))
        assert (np.diff(slopes[: peak + 1]) >= -1e-9).all()
        assert (np.diff(slopes[peak:]) <= 1e-9).all()


def test_quantiles_of_a_law_have_its_peak_and_its_range():
    rng = np.random.default_rng(0)
    two_peaks = np.concatenate([rng.normal(size=150), rng.normal(8, 1, size=150)])
    law = unimodal_fit(two_peaks)
    drawn = law.quantiles(rng.random(300))
    assert two_peaks.min() <= drawn.min() <= drawn.max() <= two_peaks.max()
    assert dip(drawn) < dip(two_peaks) / 2
    assert np.diff(law.quantiles(np.linspace(0, 1, 50))).min() >= 0


def test_many_numbers_are_thinned_evenly():
    few, many = np.arange(10.0), np.sort(np.random.default_rng(0).normal(size=5000))
    assert evenly_thinned(few) is few
    thinned = evenly_thinned(many)
    assert len(thinned) == MOST_VALUES
    assert (thinned[0], thinned[-1]) == (many[0], many[-1])
    assert abs(dip(thinned) - dip(many)) < 1 / MOST_VALUES
