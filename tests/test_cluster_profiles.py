"""What sets clusters apart: means against those of all other objects, by the definition."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.cluster_profiles import cluster_profiles
from partita.partitions import complete_data

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 3)) * [1.0, 10.0, 0.0] + [0.0, 5.0, 7.0]
FRAME = pd.DataFrame(X, columns=["a", "b", "constant"])
LABELS = np.array(["u"] * 5 + ["v"] * 4 + ["w"] * 3)


def expected(
    memberships: np.ndarray, weight: np.ndarray
) -> dict[tuple[int, int], tuple[float, float, float]]:
    """For each cluster and feature: mean, mean elsewhere, difference in deviations; object by object."""
    found = {}
    for j in range(memberships.shape[1]):
        inside = [float(m * w) for m, w in zip(memberships[:, j], weight, strict=True)]
        outside = [float(w) - i for i, w in zip(inside, weight, strict=True)]
        for f in range(X.shape[1]):
            mean = sum(i * x for i, x in zip(inside, X[:, f], strict=True)) / sum(inside)
            rest = sum(o * x for o, x in zip(outside, X[:, f], strict=True)) / sum(outside)
            centre = sum(w * x for w, x in zip(weight, X[:, f], strict=True)) / sum(weight)
            var = sum(w * (x - centre) ** 2 for w, x in zip(weight, X[:, f], strict=True)) / sum(weight)
            away = (mean - rest) / math.sqrt(var) if var > 1e-20 else math.nan
            found[j, f] = (mean, rest, away)
    return found


ONE_HOT = np.eye(3)[np.repeat([0, 1, 2], [5, 4, 3])]
SOFT = RNG.dirichlet(np.ones(3), size=12)


@pytest.mark.parametrize(
    ("partition", "memberships"),
    [
        (pt.HardPartition(LABELS), ONE_HOT),
        (pt.FuzzyPartition(SOFT), SOFT),
        (pt.PossibilisticPartition(SOFT * 0.9), SOFT * 0.9),
        (pt.RoughPartition(SOFT > 0.2), (SOFT > 0.2) / (SOFT > 0.2).sum(axis=1, keepdims=True)),
    ],
    ids=lambda given: given.kind.value if hasattr(given, "kind") else "",
)
@pytest.mark.parametrize("weight", [None, np.arange(1.0, 13.0)])
def test_means_and_differences_are_those_of_the_definition(partition, memberships, weight):
    profiles = cluster_profiles(complete_data(FRAME, "raise"), partition, weight).profiles
    each = np.ones(12) if weight is None else weight
    by_hand = expected(memberships, each)
    assert len(profiles) == 3
    for j, profile in enumerate(profiles):
        assert profile.size == pytest.approx(memberships[:, j] @ each)
        assert profile.share == pytest.approx(memberships[:, j] @ each / each.sum())
        for feature in profile.features:
            mean, rest, away = by_hand[j, ["a", "b", "constant"].index(feature.feature)]
            assert (feature.mean, feature.elsewhere) == pytest.approx((mean, rest))
            assert feature.difference == pytest.approx(away, nan_ok=True)
        known = [abs(f.difference) for f in profile.features if not math.isnan(f.difference)]
        assert known == sorted(known, reverse=True)
        assert profile.features[-1].feature == "constant"


def test_noise_belongs_to_no_cluster_and_a_single_cluster_has_no_others():
    labels = np.where(np.arange(12) < 2, -1, 0)
    (profile,) = cluster_profiles(complete_data(FRAME, "raise"), pt.HardPartition(labels)).profiles
    assert (profile.cluster, profile.size) == (0, 10)
    assert profile.features[0].elsewhere == pytest.approx(
        X[:2].mean(axis=0)[["a", "b", "constant"].index(profile.features[0].feature)]
    )
    (alone,) = cluster_profiles(complete_data(FRAME, "raise"), pt.HardPartition(np.zeros(12, int))).profiles
    assert all(math.isnan(f.elsewhere) and math.isnan(f.difference) for f in alone.features)


def test_it_prints_and_has_a_row_for_each_cluster_and_feature():
    found = cluster_profiles(complete_data(FRAME, "raise"), pt.HardPartition(LABELS))
    assert len(found.to_frame()) == 9
    assert "12 objects in 3 clusters" in str(found)
    unnamed = cluster_profiles(complete_data(X, "raise"), pt.HardPartition(LABELS))
    assert {f.feature for f in unnamed.profiles[0].features} == {"column 0", "column 1", "column 2"}
