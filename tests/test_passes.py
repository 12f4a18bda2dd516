"""Each foundation is made once: the passes over the objects that procedures take, counted."""

from __future__ import annotations

from collections import Counter
from functools import wraps

import numpy as np
import pytest

import partita as pt
from partita.engine import Request, collect
from partita.inputs import prepare
from partita.statistics import (
    CentroidPair,
    ClusterMoments,
    ClusterScatter,
    CoassociationGaps,
    Contingency,
    FuzzyCovariances,
    PairMoments,
    Prototypes,
    ShuffledGaps,
)

RNG = np.random.default_rng(7)
N = 60
X = RNG.normal(size=(N, 2))
LABELS, OTHERS = RNG.integers(0, 3, N), RNG.integers(0, 4, N)
FUZZY, NEAR = RNG.dirichlet([1.0] * 3, N), RNG.dirichlet([2.0] * 4, N)
quiet = pytest.mark.filterwarnings("ignore::partita.errors.PartitaWarning")


@pytest.fixture
def passes(monkeypatch):
    """How often each statistic was made from a block of objects; all objects are one block here."""
    counted = Counter()

    def count(statistic):
        make = vars(statistic)["from_block"].__func__

        @wraps(make)
        def counting(cls, *args, **kwargs):
            counted[statistic.__name__] += 1
            return make(cls, *args, **kwargs)

        monkeypatch.setattr(statistic, "from_block", classmethod(counting))

    for statistic in (Contingency, PairMoments, ClusterMoments, ClusterScatter):
        count(statistic)
    return counted


@quiet
@pytest.mark.parametrize("soft", [FUZZY, NEAR], ids=["3", "4"])
@pytest.mark.parametrize("weight", [None, np.arange(N) % 3 + 1], ids=["plain", "weighted"])
def test_a_comparison_makes_one_table_and_one_pass_of_pair_moments(passes, soft, weight):
    pt.compare(LABELS, soft, sample_weight=weight)
    assert passes == {"Contingency": 1, "PairMoments": 1}
    passes.clear()
    pt.compare(FUZZY, soft, sample_weight=weight)
    assert passes == {"Contingency": 1, "PairMoments": 1}
    passes.clear()
    pt.compare(LABELS, OTHERS, sample_weight=weight)
    assert passes == {"Contingency": 1}


@quiet
def test_a_validation_of_a_hard_clustering_makes_one_pass_of_moments(passes):
    pt.validate(X, LABELS)
    # the pass of scatter is the pass of moments, which it makes first
    assert passes == {"ClusterScatter": 1, "ClusterMoments": 1}


@quiet
def test_a_validation_of_a_fuzzy_clustering_makes_one_pass_for_each_power_and_one_for_the_data(passes):
    pt.validate(X, FUZZY)
    assert passes == {"ClusterScatter": 1, "ClusterMoments": 3}


def test_a_richer_statistic_serves_for_a_poorer_one_of_the_same_options_only(passes):
    inputs = prepare({"X": X, "found": FUZZY})
    poor, rich = Request(ClusterMoments), Request(ClusterScatter)
    other = Request.of(ClusterScatter, {"power": 1.0})
    found = collect([poor, rich, other], inputs)
    assert found[poor] is found[rich]
    assert passes == {"ClusterScatter": 2, "ClusterMoments": 2}
    alone = collect([poor], inputs)[poor]
    assert type(alone) is ClusterMoments
    for name in ("weights", "sizes", "origins", "offsets", "within"):
        np.testing.assert_array_equal(getattr(found[rich], name), getattr(alone, name))


def test_powers_of_a_hard_clustering_are_one_request_and_all_who_asked_are_answered(passes):
    inputs = prepare({"X": X, "found": LABELS})
    asked = [Request.of(ClusterMoments, {"power": power}) for power in (1.0, 2.0, 3.0)]
    found = collect(asked, inputs)
    assert set(found) == set(asked)
    assert len({id(one) for one in found.values()}) == 1
    assert passes == {"ClusterMoments": 1}


def test_statistics_of_two_sides_stand_on_the_moments_of_each(passes):
    inputs = prepare({"X": X, "truth": LABELS, "found": OTHERS})
    request = Request(CentroidPair)
    pair = collect([request, Request(ClusterMoments), Request(Contingency)], inputs)[request]
    assert passes == {"ClusterMoments": 2, "Contingency": 1}
    for centers, labels in ((pair.truth, LABELS), (pair.found, OTHERS)):
        means = np.array([X[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        np.testing.assert_allclose(centers - centers[0], means - means[0], atol=1e-12)


@pytest.mark.parametrize("found", [LABELS, FUZZY], ids=["hard", "fuzzy"])
@pytest.mark.parametrize("statistic", [Prototypes, FuzzyCovariances])
def test_what_is_handed_over_is_what_a_statistic_makes_by_itself(statistic, found):
    inputs = prepare({"X": X, "found": found})
    request = Request.of(statistic, {"m": 1.5})
    given = collect([request], inputs)[request]
    own = statistic.from_whole(X, inputs.partitions["found"], m=1.5)
    for name in ("weights", "origins", "offsets", "within"):
        np.testing.assert_array_equal(getattr(given.clusters, name), getattr(own.clusters, name))


@pytest.mark.parametrize("statistic", [CoassociationGaps, ShuffledGaps])
def test_typicalities_stand_on_no_linear_sums(passes, statistic):
    typical = pt.PossibilisticPartition(FUZZY / FUZZY.max(axis=1, keepdims=True))
    request = Request(statistic)
    made = collect([request], prepare({"truth": typical, "found": typical}))[request]
    assert passes == {}
    assert made.kinds == (typical.kind,) * 2


def test_the_mean_and_the_scatter_of_all_objects_follow_from_those_of_hard_clusters():
    found = pt.HardPartition(LABELS)
    weight = np.arange(N) % 4
    together = ClusterMoments.from_block(X, found, weight).together
    mean = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(together.centers[0], mean, rtol=1e-12)
    assert together.ssw == pytest.approx(weight @ np.square(X - mean).sum(axis=1), rel=1e-12)
    assert together.weights == [weight.sum()]
