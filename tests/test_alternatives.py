"""Options that put another statistic under the same formulas: co-association pairs, maximal coupling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import partita as pt
from partita.errors import KindError
from partita.indices import catalogue, find
from partita.partitions import FUZZY, HARD
from strategies import fuzzy, pairs

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
ON_PAIRS = [e for e in catalogue() if "pairs" in e.options]
COUPLED = [e for e in catalogue() if "coupling" in e.options]


def soft_pair_counts(U, V):
    """The four counts by their definition: products over all pairs of objects."""
    counts = np.zeros(4)
    for i in range(len(U)):
        for j in range(i):
            a, b = U[i] @ U[j], V[i] @ V[j]
            counts += [a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)]
    return counts


def by_hand(name, U, V):
    a, b, c, d = soft_pair_counts(U, V)
    n = len(U)
    return {
        "pairs_in_both": lambda: a,
        "pairs_in_truth_only": lambda: b,
        "pairs_in_found_only": lambda: c,
        "pairs_in_neither": lambda: d,
        "rand": lambda: (a + d) / (n * (n - 1) / 2),
        "adjusted_rand": lambda: 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d)),
        "jaccard": lambda: a / (a + b + c),
        "fowlkes_mallows": lambda: a / math.sqrt((a + b) * (a + c)),
        "hubert_gamma": lambda: (a * d - b * c) / math.sqrt((a + b) * (a + c) * (c + d) * (b + d)),
        "hubert_gamma_prime": lambda: (a + d - b - c) / (n * (n - 1) / 2),
        "minkowski_score": lambda: math.sqrt((b + c) / (a + b)),
        "mirkin": lambda: 2 * (b + c),
        "pair_precision": lambda: a / (a + c),
        "pair_recall": lambda: a / (a + b),
    }[name]()


def test_every_pair_counting_entry_takes_the_coassociation():
    families = {e.name for e in catalogue() if e.family == "pairs"}
    assert {e.name for e in ON_PAIRS} == families


@pytest.mark.parametrize("entry", ON_PAIRS, ids=lambda e: e.name)
def test_pair_indices_on_the_coassociation(entry):
    rng = np.random.default_rng(0)
    for k, m in ((2, 2), (3, 4), (4, 2)):
        U, V = rng.dirichlet(np.ones(k), 9), rng.dirichlet(np.ones(m), 9)
        value = entry(U, V, pairs="coassociation")
        assert value == pytest.approx(by_hand(entry.name, U, V), rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(sides=pairs([HARD]))
def test_hard_clusterings_have_the_same_value_with_either_option(sides):
    """Their pairs are the same by the co-association, and their coupling is unique."""
    both = [(entry, {"pairs": "coassociation"}) for entry in ON_PAIRS]
    both += [(entry, {"coupling": "maximal"}) for entry in COUPLED]
    for entry, option in both:
        np.testing.assert_allclose(
            entry(*sides, **option), entry(*sides), rtol=1e-12, atol=1e-12, err_msg=entry.name
        )


def test_typicalities_have_no_coassociation():
    with pytest.raises(KindError, match="can pass 1"):
        pt.indices.rand(pt.PossibilisticPartition([[1, 0.5], [0.2, 1]]), [0, 1], pairs="coassociation")


@settings(max_examples=60)
@given(found=fuzzy())
def test_maximal_coupling_is_reflexive(found):
    """VI, NMI and the rest score best for a soft clustering against itself, however it is relabelled."""
    entropy = pt.indices.entropy(found)
    for entry in COUPLED:
        value = entry(found, found, coupling="maximal")
        judges = entry.best is not None and math.isfinite(entry.best)
        assert value == pytest.approx(entry.best if judges else entropy, abs=1e-9), entry.name


def test_maximal_coupling_by_hand():
    """Clusters match in order; min(u, v) goes on the diagonal, the rest of each row where it is left over.

    u = (0.8, 0.2), v = (0.6, 0.4): 0.6 and 0.2 on the diagonal, 0.2 from the first to the second.
    u = (0.1, 0.9), v = (0.1, 0.9): all on the diagonal. Table: [[0.7, 0.2], [0, 1.1]].
    """
    U, V = [[0.8, 0.2], [0.1, 0.9]], [[0.6, 0.4], [0.1, 0.9]]
    cells = np.array([0.35, 0.1, 0.55])
    expected = float(-(cells * np.log(cells)).sum())
    assert pt.indices.joint_entropy(U, V, coupling="maximal") == pytest.approx(expected, abs=1e-12)


def test_adjusted_mutual_information_has_no_coupling():
    assert "coupling" not in find("AMI").options
    assert FUZZY not in find("AMI").kinds
