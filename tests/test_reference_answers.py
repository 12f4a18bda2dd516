"""The reference of the answer (tests/reference/answers.py) against the twelve vectors of its definition.

Joins of equal height may be made in any order, so some numbers depend on the order of the rows. For two
vectors, ROWS gives an order that reproduces them; the comments give the range over 60 random orders of ties.
"""

from functools import cache

import numpy as np
import pytest
from sklearn import metrics

from answer_vectors import MAKERS, nudged, vectors
from reference import answers

# name: seed of the order of the rows
ROWS = {
    "two_densities": 18,  # second: 3 to 7 clusters, score 0.83 to 0.93
    "two_overlapping": 57,  # sizes 154, 146 or 155, 145; second: 4 or 5 clusters, score 0.72 to 0.81
}


def sizes(labels):
    return sorted(np.bincount(labels).tolist(), reverse=True)


def agreement_with_groups(labels, groups):
    """ARI on the objects that were made in a group."""
    known = groups >= 0
    return answers.adjusted_rand(labels[known], groups[known])


@cache
def judged(name):
    """The candidates, and the order of the rows."""
    X = nudged(MAKERS[name]().X)
    rows = np.random.default_rng(ROWS[name]).permutation(len(X)) if name in ROWS else np.arange(len(X))
    return answers.judge(X[rows]), rows


def test_every_vector_has_its_data():
    assert list(MAKERS) == list(vectors())


@pytest.mark.parametrize("name", MAKERS)
def test_check_sums(name):
    X, groups = MAKERS[name]()
    vector = vectors()[name]
    assert X.shape == (vector["n"], vector["d"])
    assert len(groups) == vector["n"]
    assert [X.sum(), (X**2).sum()] == pytest.approx(vector["check"], rel=0, abs=2e-9)


@pytest.mark.parametrize("name", MAKERS)
def test_tree(name):
    X, groups = MAKERS[name]()
    vector = vectors()[name]["tree"]
    (tree,) = answers.density_trees(X, ms=(vector["m"],), shares=(vector["share"],))
    assert tree.n_splits + 1 == vector["n_cuts"]
    assert tree.median_edge == pytest.approx(vector["median_edge"], rel=0, abs=1e-6)
    ratios = {str(cut.k): cut.log_ratio for cut in tree.cuts}
    assert ratios == pytest.approx(vector["persistence"], rel=0, abs=1e-6)
    if "longest" in vector:
        longest = max(tree.cuts, key=lambda cut: cut.log_ratio)
        ari = agreement_with_groups(longest.labels, groups)
        assert longest.k == vector["longest"]["k"]
        if name == "units":  # ties: each size may differ by one object
            differences = np.subtract(sizes(longest.labels), vector["longest"]["sizes"])
            assert np.abs(differences).max() <= 1
            assert ari == pytest.approx(vector["longest"]["ari_with_groups"], rel=0, abs=0.002)
        else:
            assert sizes(longest.labels) == vector["longest"]["sizes"]
            assert ari == pytest.approx(vector["longest"]["ari_with_groups"], rel=0, abs=5e-5)


@pytest.mark.parametrize("name", MAKERS)
def test_answer(name):
    vector = vectors()[name]["answer"]
    found, rows = judged(name)
    answer, second = found.answer, answers.second(found)
    assert answer.k == vector["best_k"]
    assert (answer.k if answer.score >= 1.1 else None) == vector["k"]
    for part in ("score", "P", "A", "B"):
        assert getattr(answer, part) == pytest.approx(vector[part], rel=0, abs=0.006), part
    assert answers.strength(found) == vector["strength"]
    assert sizes(answer.labels) == vector["sizes"]
    ari = agreement_with_groups(answer.labels, MAKERS[name]().groups[rows])
    assert ari == pytest.approx(vector["ari_with_groups"], rel=0, abs=5e-5)
    assert second.k == vector["second"]["k"]
    assert second.score == pytest.approx(vector["second"]["score"], rel=0, abs=0.006)


def test_nine_groups_in_three_are_two_levels():
    found, _ = judged("levels")
    assert (found.answer.k, answers.second(found).k) == (9, 3)
    assert answers.is_level(found)


def candidate(labels, score):
    labels = np.array(labels)
    return answers.Candidate("T", "", labels.max() + 1, labels, P=0.0, A=score, B=0.0, w=0.15)


FINE, COARSE, ACROSS = [0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("first", "other", "score", "expected"),
    [
        (FINE, COARSE, 1.0, True),
        (COARSE, FINE, 1.0, True),
        (FINE, COARSE, 0.9, False),
        (FINE, ACROSS, 1.0, False),
    ],
)
def test_a_level_is_nested_and_scores_one(first, other, score, expected):
    found = answers.Judged([candidate(first, 2.0), candidate(other, score)], best_mixture=None)
    assert answers.is_level(found) is expected


@pytest.mark.parametrize(
    ("score", "other", "expected"),
    [
        (1.6, 1.59, "clear"),
        (1.5, 1.4, "weak"),
        (1.5, 1.46, "contested or none"),
        (1.0, 0.1, "contested or none"),
    ],
)
def test_strength_by_score_and_margin(score, other, expected):
    found = answers.Judged([candidate(FINE, score), candidate(COARSE, other)], best_mixture=None)
    assert answers.margin(found) == pytest.approx(score - other)
    assert answers.strength(found) == expected


@pytest.mark.parametrize("other", [FINE, COARSE, ACROSS, [0] * 8])
def test_adjusted_rand_is_scikit_learns(other):
    for labels in (FINE, ACROSS, [0] * 8):
        expected = metrics.adjusted_rand_score(labels, other)
        assert answers.adjusted_rand(np.array(labels), np.array(other)) == pytest.approx(expected, abs=1e-12)
