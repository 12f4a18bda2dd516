"""campagner2022, Table 1 on Iris: beside what other code gave.

Nothing here is a confirmed reproduction of the paper: its code, seeds and pre-processing are unknown, and
the settings that come near its numbers were searched for. The values are those of an independent prototype.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import partita as pt

X, SPECIES = load_iris(return_X_y=True)
STARTS = X[[0, 60, 120]] + 1e-3  # not on a flower, whose distance would be zero
RAND = "rand:pairs=ordered"  # the paper's eq. (1)


def fuzzy_c_means(m: float) -> np.ndarray:
    return pt.cluster.FuzzyCMeans(3, m=m, init=STARTS, tol=1e-9).fit(X).memberships_


def evidential_c_means(alpha: float, beta: float, delta: float) -> pt.EvidentialPartition:
    made = pt.cluster.EvidentialCMeans(3, alpha=alpha, beta=beta, delta=delta, init=STARTS, tol=1e-9)
    return made.fit(X).partition_


@pytest.fixture(scope="module")
def evidence() -> pt.EvidentialPartition:
    return evidential_c_means(1.0, 1.4, 10.0)


def test_k_means_has_two_optima_and_neither_is_the_papers_value():
    """Paper: .877 and .111."""
    values = {
        (round(pt.indices.find(RAND)(SPECIES, found), 4), round(pt.indices.PD(SPECIES, found), 4))
        for seed in range(20)
        for found in [KMeans(3, n_init=1, random_state=seed).fit(X).labels_]
    }
    assert values == {(0.8746, 0.1133), (0.8805, 0.1067)}


def test_fuzzy_c_means():
    """Paper: .876 and .112, for m = 5 as printed; 2 / (m - 1) = 5, that is m = 1.4, comes near."""
    near, literal = fuzzy_c_means(1.4), fuzzy_c_means(5.0)
    assert pt.distribution(SPECIES, near, RAND).mean == pytest.approx(0.8754, abs=6e-5)
    assert pt.distribution(SPECIES, near, "PD").mean == pytest.approx(0.1117, abs=6e-5)
    assert pt.distribution(SPECIES, literal, RAND, law=False).mean == pytest.approx(0.601, abs=6e-4)
    assert pt.distribution(SPECIES, literal, "PD", random_state=0).mean == pytest.approx(0.48, abs=0.01)


def test_evidential_c_means(evidence):
    """Paper: (.781, .944) and (.041, .229); the prototype's certified intervals from 20,000 draws."""
    rand = pt.distribution(SPECIES, evidence, RAND, method="sample", n_samples=20_000, random_state=0)
    assert rand.method == "sampled"
    assert 0.05299 <= 1 - rand.upper <= 0.05318
    assert 0.21273 <= 1 - rand.lower <= 0.21292
    distance = pt.distribution(SPECIES, evidence, "PD", method="sample", n_samples=2000, random_state=0)
    assert distance.lower == pytest.approx(0.0428, abs=5e-4)
    assert distance.upper == pytest.approx(0.2295, abs=1.5e-3)


def test_nested_sampling_is_biased_inwards(evidence):
    """The prototype's (.830, .875) with 10 completions a draw, against (.787, .947) with exact ends."""
    nested = pt.distribution(
        SPECIES, evidence, RAND, method="nested", n_samples=300, n_inner=10, random_state=0
    )
    assert nested.lower == pytest.approx(0.830, abs=3e-3)
    assert nested.upper == pytest.approx(0.875, abs=3e-3)
    assert any("biased" in note for note in nested.notes)
