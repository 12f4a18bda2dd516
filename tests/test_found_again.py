"""What stability answers: each rule by hand, what makes an answer clear, and the slides' counter-examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import partita as pt
from partita.fits.settings import Grid
from partita.partitions import FUZZY, HARD
from partita.registry import find
from partita.resampling import Bootstrap, Rerun
from partita.results.verdicts import RemarkKind
from partita.selection.borders import Borders, borders_of
from partita.selection.found_again import ALL_RULES, Evidence, answer_of, choices_of, rules_of
from shared_data import features

NAN = math.nan
full = pytest.mark.full
APART, TOUCHING = Borders(0.95, 0.9, 0.1), Borders(0.6, 0.3, 0.9)


# --- rules ------------------------------------------------------------------------------------------------


def ruled(values, *, weakest=None, ks=(1, 2, 3), threshold=0.9, names=("CI", "ARI"), kind=HARD, n=100):
    """The rules for values of indices: for each k a list of repeats, each with a value for each index."""
    entries = [find(name) for name in names]
    held = {e.label: [np.array([r[i] for r in at]) for at in values] for i, e in enumerate(entries)}
    weakest = [1.0] * len(ks) if weakest is None else weakest
    return rules_of(entries, held, weakest, ks=ks, n_objects=n, kind=kind, threshold=threshold)


def chosen(values, **given):
    ks = given.get("ks", (1, 2, 3))
    rules = ruled(values, **given)
    return {name: verdict.k for name, verdict in choices_of(Grid("n_clusters", ks, True), ks, rules).items()}


def test_the_rules():
    sure, likely, unsure, failed = (0.0, 1.0), (0.0, 0.91), (1.0, 0.97), (NAN, NAN)
    assert chosen([[sure] * 2, [sure, likely], [sure, unsure]]) == {
        ALL_RULES: 2,
        "CI = 0 in all repeats": 2,
        "last adjusted_rand of 0.9": 3,
        "weakest cluster of 0.75": 3,
    }
    # one cluster is found again in any data
    assert chosen([[sure] * 2, [unsure, unsure], [unsure, failed]], threshold=0.98) == {
        ALL_RULES: 1,
        "CI = 0 in all repeats": 1,
        "last adjusted_rand of 0.98": 1,
        "weakest cluster of 0.75": 3,
    }
    # a repeat that failed is no evidence for its k
    assert chosen([[sure, failed], [unsure] * 2], ks=(2, 3))["CI = 0 in all repeats"] is None
    assert chosen([[failed] * 2, [failed] * 2], ks=(2, 3))["last adjusted_rand of 0.9"] is None


def test_ci_alone_and_ari_alone_are_not_enough():
    """CI is 0 where clusters are cut elsewhere each time; ARI is high where one of many or a small one is."""
    rough, blind = (0.0, 0.6), (1.0, 0.95)
    assert chosen([[(0.0, 1.0)], [rough], [blind]], ks=(2, 3, 4))[ALL_RULES] == 2
    assert chosen([[(0.0, 1.0)], [(0.0, 0.95)]], ks=(2, 3), weakest=[0.9, 0.7])[ALL_RULES] == 2


def test_a_distance_has_a_limit_too():
    nvd, vi = ruled([[(0.0, 0.0)], [(0.1, 0.2 * math.log(3))], [(0.11, 0.21 * math.log(4))]], ks=(2, 3, 4),
                    names=("NVD", "VI"))[:2]  # fmt: skip
    assert (nvd.limit, nvd.direction) == (0.1, "lower")
    assert nvd.holds.tolist() == [True, True, False]
    np.testing.assert_allclose(vi.values, [0, 0.1, 0.105])  # of 2 log k, which is less than log n
    assert vi.holds.tolist() == [True, True, False]
    few = ruled([[(0.2,)]], ks=(50,), names=("VI",), n=20)[0]
    assert few.values == pytest.approx((0.2 / math.log(20),))
    soft = ruled([[(0.2,)]], ks=(3,), names=("VI",), kind=FUZZY)[0]
    assert soft.values == pytest.approx((0.2 / (2 * math.log(3)),))
    assert ruled([[(0.3,)]], ks=(3,), names=("NVD",), threshold=0.7)[0].limit == 0.3


def test_what_has_no_end_has_no_say():
    assert [r.name for r in ruled([[(1.0, 2.0)]], ks=(2,), names=("MI", "minkowski_score"))] == [
        "weakest cluster of 0.75"
    ]
    X = clouds(3)
    found = pt.stability(X, ks=[2, 3, 4], n_repeats=3, indices=["MI", "ARI"], random_state=0)
    assert found.choices["best mutual_information, no say"].k == 4
    assert found.k == 3


# --- the answer -------------------------------------------------------------------------------------------


def evidence(stable, ks=range(2, 8), *, apart=(), **others):
    """All rules hold at these k, and gaps set the clusters of some apart."""
    ks = tuple(ks)
    good, bad = [(0.0, 1.0)] * 2, [(1.0, 0.4)] * 2
    weakest = [1.0 if k in stable or k == 1 else 0.4 for k in ks]
    rules = ruled([good if k in stable or k == 1 else bad for k in ks], ks=ks, weakest=weakest)
    grid = Grid("n_clusters", ks, True)
    given = {"coverage": [1.0] * len(ks), "smallest": [9] * len(ks), "n_repeats": 20, **others}
    looks = {place: APART if k in apart else TOUCHING for place, k in enumerate(ks)}
    return Evidence(grid, ks, rules, choices_of(grid, ks, rules), borders=looks.get, **given)


def kinds(remarks):
    return [remark.kind for remark in remarks]


def test_clear_is_found_again_and_set_apart():
    answer, remarks = answer_of(evidence([2, 4], apart=[4]))
    assert (answer.k, answer.strength, remarks) == (4, "clear", ())
    assert answer.statement.startswith("k = 4, clear: found again (CI = 0 in all 2 repeats, mean ARI 1.00")


@pytest.mark.parametrize(
    ("given", "strength", "kind"),
    [
        ({"apart": []}, "weak", None),
        ({"apart": [4], "n_repeats": 9}, "weak", None),
        ({"apart": [4], "perturbs": False}, "weak", None),
        ({"apart": [4], "smallest": [1] * 6}, "weak", RemarkKind.TINY_CLUSTERS),
        ({"apart": [4], "coverage": [0.4] * 6}, "weak", RemarkKind.NOISE),
        ({"apart": [4], "coverage": [0.9] * 6}, "clear", RemarkKind.NOISE),
        ({"apart": [4], "drowned": "euros make up everything"}, "weak", RemarkKind.SCALE),
    ],
)
def test_what_makes_an_answer_less_than_clear(given, strength, kind):
    answer, remarks = answer_of(evidence([2, 4], **given))
    assert (answer.k, answer.strength) == (4, strength)
    assert kinds(remarks) == [kind] * (kind is not None)


def test_more_clusters_that_no_gap_sets_apart_make_it_contested():
    answer, remarks = answer_of(evidence([2, 3, 5], apart=[2, 3]))
    assert (answer.k, answer.strength, remarks) == (3, "contested", ())
    assert "k = 5 is found again too" in answer.statement


def test_the_end_of_the_range_is_no_answer():
    answer, remarks = answer_of(evidence([3, 7], apart=[7]))
    assert answer.k is None
    assert answer.strength == "weak"
    assert answer.statement.startswith("k = 7 or more: the largest tried")
    assert kinds(remarks) == [RemarkKind.END_OF_RANGE]
    answer, remarks = answer_of(evidence([3, 7], apart=[3]))
    assert (answer.k, answer.strength, kinds(remarks)) == (3, "contested", [RemarkKind.END_OF_RANGE])
    assert "k = 7 is found again too" in answer.statement
    answer, _ = answer_of(evidence([3, 7]))
    assert answer.k is None


def test_the_smallest_tried_is_an_answer_with_a_remark_unless_it_is_two():
    answer, remarks = answer_of(evidence([4], range(4, 8), apart=[4]))
    assert (answer.k, answer.strength, kinds(remarks)) == (4, "weak", [RemarkKind.END_OF_RANGE])
    answer, remarks = answer_of(evidence([2], apart=[2]))
    assert (answer.k, answer.strength, remarks) == (2, "clear", ())


def test_nothing_found_again():
    answer, _ = answer_of(evidence([]))
    assert (answer.k, answer.strength) == (None, "no structure")
    assert answer.statement.startswith("no k from 2 to 7 is found again (closest: k = 2")
    answer, _ = answer_of(evidence([], range(1, 5)))
    assert (answer.k, answer.strength) == (1, "no structure")
    rough = ruled([[(0.0, 0.7)], [(2.0, 0.3)]], ks=(2, 3), weakest=[0.8, 0.4])
    grid = Grid("n_clusters", (2, 3), True)
    answer, _ = answer_of(
        Evidence(
            grid, (2, 3), rough, choices_of(grid, (2, 3), rough), 20, [1.0] * 2, [9] * 2, lambda _: APART
        )
    )
    assert (answer.k, answer.strength) == (None, "weak")  # clusters are found again, their borders are not
    rules = ruled([[(1.0, 0.95)], [(0.0, 0.5)], [(2.0, 0.3)]], ks=(2, 3, 4))
    grid = Grid("n_clusters", (2, 3, 4), True)
    split = Evidence(grid, grid.values, rules, choices_of(grid, grid.values, rules), 20, [1.0] * 3, [9] * 3,
                     lambda _: APART)  # fmt: skip
    answer, _ = answer_of(split)
    assert (answer.k, answer.strength) == (None, "contested")
    assert "k = 3 by CI" in answer.statement
    assert "k = 2 by mean ARI" in answer.statement


@given(st.sets(st.integers(2, 9)), st.sets(st.integers(2, 9)), st.integers(1, 30))
def test_any_answer_is_found_again_inside_the_range(stable, apart, n_repeats):
    given_evidence = evidence(stable, range(2, 10), apart=apart, n_repeats=n_repeats)
    answer, remarks = answer_of(given_evidence)
    last = max(stable & apart, default=max(stable, default=None))
    assert answer.k == (None if last == 9 else last)
    assert (RemarkKind.END_OF_RANGE in kinds(remarks)) == (9 in stable)
    is_clear = bool(stable & apart) and last == max(stable) != 9 and n_repeats >= 10
    assert (answer.strength == "clear") == is_clear
    assert (answer.strength == "no structure") == (not stable)


# --- borders ----------------------------------------------------------------------------------------------


def borders_by_definition(X, labels, neighbours):
    """Object by object."""
    distances = cdist(X, X)
    shares, closeness = {}, []
    reach, at_border = [], []
    for i in range(len(X)):
        nearest = np.argsort(distances[i], kind="stable")[: neighbours + 1]
        reach.append(distances[i][nearest[-1]])
        at_border.append(any(labels[j] != labels[i] for j in nearest))
    for i in range(len(X)):
        if at_border[i]:
            inside = [reach[j] for j in range(len(X)) if labels[j] == labels[i] and not at_border[j]]
            denser = [1.0 if r < reach[i] else 0.5 if r == reach[i] else 0.0 for r in inside]
            shares.setdefault(labels[i], []).append(float(np.mean(denser)) if inside else 0.5)
            closeness.append(np.median(inside) / reach[i] if inside else 1.0)
    together = [share for own in shares.values() for share in own]
    lowest = min(float(np.median(own)) for own in shares.values())
    return float(np.median(together)), lowest, float(np.median(closeness)) ** X.shape[1]


@pytest.mark.parametrize("seed", range(6))
def test_borders_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(60, 1 + seed)), rng.integers(3, size=60) if seed % 2 else np.arange(60) % 2
    labels = np.where(X[:, 0] > 0.3, labels, 0)
    count = min(10, np.bincount(labels[labels >= 0])[np.unique(labels)].min() - 1)
    made = borders_of(X, labels)
    expected = borders_by_definition(X, labels, count)
    assert (made.sparseness, made.lowest, made.density) == pytest.approx(expected)


def test_borders_of_few_noise_and_one():
    X = np.arange(8.0)[:, None] * [1.0, 0.0]
    assert borders_of(X, np.zeros(8, dtype=int)) is None
    assert borders_of(X, np.array([0] * 4 + [-1] * 4)) is None
    far = np.where(np.arange(8)[:, None] < 4, X, X + 1e6)
    assert borders_of(far, np.repeat([0, 1], 4)) == Borders(1.0, 1.0, 0.0)
    assert borders_of(far * 1e150, np.repeat([0, 1], 4)).set_apart
    assert not borders_of(X, np.arange(8)).set_apart  # each alone: nothing inside to compare with
    equal = borders_of(np.zeros((8, 2)), np.repeat([0, 1], 4))
    assert not equal.set_apart
    assert Borders(0.8, 0.5, 0.5).set_apart
    for short in (Borders(0.79, 0.5, 0.5), Borders(0.8, 0.49, 0.5), Borders(0.8, 0.5, 0.51)):
        assert not short.set_apart


@pytest.mark.parametrize("seed", range(4))
def test_cut_clouds_are_not_set_apart_and_gaps_are_seen(seed):
    rng = np.random.default_rng(seed)
    normal, even = rng.normal(size=(400, 2)) * [3, 1], rng.uniform(size=(400, 2))
    skewed, high = rng.exponential(size=(400, 2)), rng.normal(size=(400, 10))
    for cloud in (normal, even, skewed, high):
        for k in (2, 3):
            labels = pt.cluster.RandomSwap(k, random_state=seed).fit(cloud).labels_
            assert not borders_of(cloud, labels).set_apart
    for d in (2, 10):
        two = rng.normal(size=(400, d)) + 8.0 * (np.arange(400)[:, None] < 200) * np.eye(d)[0]
        assert borders_of(two, (np.arange(400) < 200).astype(int)).set_apart


# --- data -------------------------------------------------------------------------------------------------


def clouds(n_clusters, size=40, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    centres = apart * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.repeat(centres, size, axis=0) + rng.normal(size=(n_clusters * size, 2))


def other_density(rng):
    return np.r_[0.3 * rng.normal(size=(150, 2)), 2 * rng.normal(size=(150, 2)) + [8, 0]]


def other_size(rng):
    return np.r_[rng.normal(size=(380, 2)), np.array([8, 0]) + rng.normal(size=(20, 2))]


def ellipses(rng):
    return np.r_[rng.normal(size=(150, 2)) * [6, 0.6], rng.normal(size=(150, 2)) * [6, 0.6] + [0, 6]]


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=full) for s in range(1, 5))])
@pytest.mark.parametrize("made", [other_density, other_size, ellipses])
def test_franti_counter_examples_are_two_or_not_clear(made, seed):
    """CI = 0 alone said 4 and more (franti2017, part IV: different density, size, elliptical clusters)."""
    X = made(np.random.default_rng(seed))
    found = pt.stability(X, ks=range(2, 8), n_repeats=10, random_state=seed)
    assert found.k == 2 or found.strength != "clear"


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=full) for s in range(1, 5))])
def test_clouds_of_other_density_or_size_are_two(seed):
    for made in (other_density, other_size):
        X = made(np.random.default_rng(seed))
        found = pt.stability(X, ks=range(2, 6), n_repeats=10, random_state=seed)
        assert found.k == 2
        assert found.strength in ("clear", "weak")  # a small cluster, or a wide one, comes near the other


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=full) for s in range(1, 5))])
@pytest.mark.parametrize("spread", [[1, 1], [4, 1], "uniform", "long", [1] * 10], ids=str)
def test_one_cloud_is_never_clear(spread, seed):
    rng = np.random.default_rng(seed)
    if isinstance(spread, str):
        X = rng.uniform(size=(300, 2)) * ([4, 1] if spread == "long" else 1)
    else:
        X = rng.normal(size=(300, len(spread))) * spread
    found = pt.stability(X, ks=range(2, 6), n_repeats=10, random_state=seed)
    assert found.strength != "clear"


@pytest.mark.parametrize("n_clusters", [2, 3, 5, pytest.param(8, marks=full)])
def test_clouds_far_apart_are_clear(n_clusters):
    X = clouds(n_clusters, apart=3.0 * n_clusters)
    ks = range(2, n_clusters + 3)
    found = pt.stability(X, ks=ks, n_repeats=10, random_state=0)
    assert (found.k, found.strength, found.remarks) == (n_clusters, "clear", ())
    short = pt.stability(X, ks=range(2, n_clusters + 1), n_repeats=10, random_state=0)
    assert short.k is None
    assert kinds(short.remarks) == [RemarkKind.END_OF_RANGE]
    assert short.statement.startswith(f"k = {n_clusters} or more: the largest tried")


def test_rerunning_is_no_evidence():
    found = pt.stability(clouds(3), ks=range(2, 5), scheme=Rerun(), n_repeats=10, random_state=0)
    assert found.k is None or found.strength != "clear"


def test_every_index_has_its_rule_and_all_agree_on_clouds():
    names = ["CI", "ARI", "NMI", "PSI", "NVD", "VI", "AMI", "CSI", "generalized_centroid_index"]
    found = pt.stability(
        clouds(3), ks=range(2, 6), scheme=Bootstrap(), n_repeats=10, indices=names, random_state=0
    )
    assert len(found.choices) == len(names) + 2
    assert found.k == 3
    assert not any("no say" in rule for rule in found.choices)


def test_unbalance_is_eight_in_small():
    """3 clusters of 2000 objects beside 5 of 100; by CI = 0 alone it was 11."""
    found = pt.stability(features("unbalance"), ks=[7, 8, 9, 10], n_repeats=4, random_state=0)
    assert found.k == 8


@full
@pytest.mark.parametrize(
    ("name", "truth", "ks"),
    [
        ("unbalance", 8, range(2, 13)),
        ("s1", 15, range(2, 19)),
        ("s2", 15, range(2, 19)),
        ("s3", 15, range(2, 19)),
        ("s4", 15, range(2, 19)),
        ("a1", 20, range(2, 24)),
        ("a2", 35, range(30, 39)),
    ],
)
def test_the_slides_data(name, truth, ks):
    found = pt.stability(features(name), ks=ks, random_state=0)
    assert found.k == truth
    assert found.strength in ("clear", "weak")


def test_a_cluster_too_small_for_subsamples_keeps_fewer_from_being_clear():
    """Nine objects of 369: two or three of them are in a subsample of 30 %, which is no cluster."""
    rng = np.random.default_rng(0)
    sizes, centres = [300, 60, 9], [[0, 0], [15, 0], [0, 15]]
    X = rng.normal(size=(sum(sizes), 2)) + np.repeat(centres, sizes, axis=0)
    answer = pt.stability(X, ks=range(2, 5), random_state=0)
    assert answer.k in (2, 3)
    assert answer.k == 3 or answer.strength != "clear"
