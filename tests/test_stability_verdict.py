"""The answer of stability: each rule by hand, the reasons, and the counter-examples of the slides."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.datasets.null_data import LAWS
from partita.fits.perturbed import Perturbations
from partita.fits.settings import Grid
from partita.partitions import FUZZY, HARD
from partita.partitions.scales import Dominance
from partita.registry import find
from partita.resampling import Bootstrap, Rerun, Subsample
from partita.results.answers import ReasonKind
from partita.results.verdicts import RemarkKind
from partita.selection._structure import Structure
from partita.selection.stabilities import ClusterRecovery, Repeat, Stability
from partita.selection.stability_verdict import ALL_RULES, Evidence, answer_of, choices_of
from partita.statistics.clusters.separation import Separation, separation_of
from partita.statistics.null_tests import NullTest
from shared_data import features

NAN = math.nan
full = pytest.mark.full


# --- rules ------------------------------------------------------------------------------------------------


class Case(Evidence):
    """Evidence with gaps and dense clusters as they are given."""

    apart = ()
    dense = 0

    def has_gaps(self, place):
        return self.ks[place] in self.apart

    def density(self, place):
        return self.dense


def case(values, *, ks=(1, 2, 3), weakest=None, threshold=0.9, names=("CI", "ARI"), kind=HARD, n=200,
         n_repeats=20, scheme=None, smallest=20, coverage=1.0, apart=(), dense=0,
         structure=None, **more):  # fmt: skip
    """Evidence from values of indices: for each k a list of repeats, each with a value for each index."""
    entries = [find(name) for name in names]
    grid = Grid("n_clusters", tuple(ks), True)
    sweep = Perturbations(
        np.zeros((n, 2)), None, grid, scheme or Subsample(), "cross-validation", n_repeats, "input", 0
    )
    labels = []
    for k in ks:
        codes = np.zeros(n, dtype=int)
        codes[: smallest * (k - 1)] = np.repeat(np.arange(1, k), smallest)[:n]
        labels.append(np.where(np.arange(n) < round(coverage * n), codes, -1))
    repeats = [
        Repeat(k, i, 0, dict(zip([e.label for e in entries], row, strict=True)), {})
        for k, at in zip(ks, values, strict=True)
        for i, row in enumerate(at)
    ]
    weakest = [1.0] * len(ks) if weakest is None else weakest
    clusters = [ClusterRecovery(k, 0, n, one, 0, 0, 0) for k, one in zip(ks, weakest, strict=True)]
    shares = tuple(float((one >= 0).mean()) for one in labels)
    result = Stability(ks=tuple(ks), repeats=tuple(repeats), tried=tuple(ks), coverage=shares,
                       clusters=tuple(clusters), structure=structure)  # fmt: skip
    made = Case(result, sweep, labels, entries, kind, threshold, **more)
    vars(made).update(apart=apart, dense=dense)
    return made


def ruled(values, **given):
    return case(values, **given).rules


def chosen(values, **given):
    return {name: verdict.k for name, verdict in choices_of(case(values, **given)).items()}


def test_the_rules():
    sure, likely, unsure, failed = (0.0, 1.0), (0.0, 0.91), (1.0, 0.97), (NAN, NAN)
    assert chosen([[sure] * 2, [sure, likely], [sure, unsure]]) == {
        ALL_RULES: 2,
        "last centroid_index of 0 in all repeats": 2,
        "last adjusted_rand of 0.9": 3,
        "weakest cluster of 0.75": 3,
    }
    # one cluster is stable in any data
    assert chosen([[sure] * 2, [unsure, unsure], [unsure, failed]], threshold=0.98) == {
        ALL_RULES: 1,
        "last centroid_index of 0 in all repeats": 1,
        "last adjusted_rand of 0.98": 1,
        "weakest cluster of 0.75": 3,
    }
    # a repeat that failed is no evidence for its k
    assert (
        chosen([[sure, failed], [unsure] * 2], ks=(2, 3))["last centroid_index of 0 in all repeats"] is None
    )
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


def test_an_index_without_a_limit_does_not_count():
    assert [r.name for r in ruled([[(1.0, 2.0)]], ks=(2,), names=("MI", "minkowski_score"))] == [
        "weakest cluster of 0.75"
    ]
    X = clouds(3)
    found = pt.stability(X, ks=[2, 3, 4], n_repeats=3, indices=["MI", "ARI"], random_state=0)
    assert found.choices["best mutual_information, not counted"].k == 4
    assert found.k == 3


# --- the answer -------------------------------------------------------------------------------------------


def evidence(stable, ks=range(2, 8), **others):
    """All rules hold at these k, and gaps separate the clusters of those in ``apart``."""
    good, bad = [(0.0, 1.0)] * 2, [(1.0, 0.4)] * 2
    weakest = [1.0 if k in stable or k == 1 else 0.4 for k in ks]
    return case([good if k in stable or k == 1 else bad for k in ks], ks=tuple(ks), weakest=weakest, **others)


def kinds(remarks):
    return [remark.kind for remark in remarks]


def doubts(answer):
    return [reason.kind for reason in answer.because if reason.role == "against"]


def made_structure(*ps, power):
    """A test of structure with a p-value for each distribution of a single group."""
    tests = tuple(NullTest("hopkins", law, 2, 0.5, 0.5, p, p) for law, p in zip(LAWS, ps, strict=True))
    return Structure(tests=tests, power=power, n_null=59)


def test_clear_is_stable_with_gaps():
    answer, remarks = answer_of(evidence([2, 4], apart=[4]))
    assert (answer.value, answer.strength, remarks) == (4, "clear", ())
    same = "all 20 subsamples give the same clusters (mean ARI 1.00)"
    assert answer.statement == f"4 clusters, clear: {same}; gaps separate the 4."
    assert doubts(answer) == []


COLUMN = Dominance(("euros",), 0.999, ("share",))


@pytest.mark.parametrize(
    ("given", "strength", "doubt", "kind"),
    [
        ({"apart": []}, "weak", ReasonKind.SEPARATED, None),
        ({"n_repeats": 9}, "weak", ReasonKind.FLAW, None),
        ({"scheme": Rerun()}, "weak", ReasonKind.FLAW, None),
        ({"smallest": 1}, "weak", ReasonKind.FLAW, RemarkKind.TINY_CLUSTERS),
        ({"smallest": 9, "apart": [4, 5]}, "weak", ReasonKind.FLAW, None),
        ({"coverage": 0.4}, "weak", ReasonKind.FLAW, RemarkKind.NOISE),
        ({"coverage": 0.9}, "clear", None, RemarkKind.NOISE),
        ({"dominated": COLUMN}, "weak", ReasonKind.SCALE, RemarkKind.SCALE),
        ({"dense": 5}, "contested", ReasonKind.RIVAL, None),
        ({"dense": 4}, "clear", None, None),
        ({"structure": made_structure(0.6, 0.01, 0.01, 0.01, power=0.9)}, "weak", ReasonKind.STRUCTURE, None),
        ({"structure": made_structure(0.6, 0.01, 0.01, 0.01, power=0.3)}, "clear", None, None),
        ({"structure": made_structure(0.02, 0.01, 0.01, 0.01, power=NAN)}, "clear", None, None),
    ],
)
def test_what_makes_an_answer_less_than_clear(given, strength, doubt, kind):
    answer, remarks = answer_of(evidence([2, 4], **{"apart": [4], **given}))
    assert (answer.value, answer.strength) == (4, strength)
    assert doubts(answer) == [doubt] * (doubt is not None)
    assert kinds(remarks) == [kind] * (kind is not None)
    assert answer.statement.startswith(f"4 clusters, {strength}: ")


def test_the_test_of_structure_is_quoted():
    found, none = (
        made_structure(0.02, 0.01, 0.01, 0.01, power=NAN),
        made_structure(0.6, 0.01, 0.01, 0.01, power=0.9),
    )
    answer, _ = answer_of(evidence([4], apart=[4], structure=found))
    assert "a single group is rejected (p = 0.02)." in answer.statement
    answer, _ = answer_of(evidence([4], apart=[4], structure=none))
    assert answer.statement.startswith("4 clusters, weak: a single group is not rejected (p = 0.6)")
    # without stable clusters it is the other way round
    answer, _ = answer_of(evidence([], range(1, 5), structure=found))
    assert answer.value == 1
    assert ReasonKind.STRUCTURE in doubts(answer)
    answer, _ = answer_of(evidence([], range(1, 5), structure=none))
    assert ReasonKind.STRUCTURE not in doubts(answer)
    assert ReasonKind.STRUCTURE in kinds(answer.because)
    guessed = {"ks": (2, 3), "weakest": [0.8, 0.4]}
    for values in ([[(0.0, 0.7)], [(2.0, 0.3)]], [[(0.0, 0.5)], [(1.0, 0.95)]]):
        assert answer_of(case(values, **guessed))[0].value is not None
        answer, _ = answer_of(case(values, structure=none, **guessed))
        assert (answer.value, answer.strength) == (None, "no structure")
        answer, _ = answer_of(case(values, structure=found, **guessed))
        assert "a single group is rejected (p = 0.02)" in answer.statement


def test_more_clusters_without_gaps_make_it_contested():
    answer, remarks = answer_of(evidence([2, 3, 5], apart=[2, 3]))
    assert (answer.value, answer.strength, remarks) == (3, "contested", ())
    assert "5 clusters are stable too, without gaps" in answer.statement


def test_at_the_end_of_the_range_the_answer_is_weak():
    answer, remarks = answer_of(evidence([3, 7], apart=[7]))
    assert (answer.value, answer.strength, kinds(remarks)) == (7, "weak", [RemarkKind.END_OF_RANGE])
    same = "all 20 subsamples give the same clusters (mean ARI 1.00)"
    assert answer.statement == (
        f"7 clusters, weak: no more were tried; {same}; gaps separate the 7. Try more clusters."
    )
    answer, remarks = answer_of(evidence([3, 7], apart=[3]))
    assert (answer.value, answer.strength, kinds(remarks)) == (3, "contested", [RemarkKind.END_OF_RANGE])
    assert "7 clusters, the most tried, are stable too" in answer.statement
    answer, _ = answer_of(evidence([3, 7], dense=12))
    assert (answer.value, answer.strength) == (7, "weak")
    assert doubts(answer) == [ReasonKind.END_OF_RANGE, ReasonKind.RIVAL, ReasonKind.SEPARATED]


def test_the_smallest_tried_is_an_answer_with_a_remark_unless_it_is_two():
    answer, remarks = answer_of(evidence([4], range(4, 8), apart=[4]))
    assert (answer.value, answer.strength, kinds(remarks)) == (4, "weak", [RemarkKind.END_OF_RANGE])
    answer, remarks = answer_of(evidence([2], apart=[2]))
    assert (answer.value, answer.strength, remarks) == (2, "clear", ())


def test_without_stable_clusters():
    answer, _ = answer_of(evidence([]))
    assert (answer.value, answer.strength) == (None, "no structure")
    none = "no number from 2 to 7 is stable; best is k = 2 (mean ARI 0.40)"
    assert answer.statement == f"no answer: {none}. Another method may fit better."
    answer, _ = answer_of(evidence([], range(1, 5)))
    assert (answer.value, answer.strength) == (1, "no structure")
    answer, _ = answer_of(evidence([], [1]))
    assert (answer.value, answer.strength) == (None, "no structure")
    rough = case([[(0.0, 0.7)], [(2.0, 0.3)]], ks=(2, 3), weakest=[0.8, 0.4])
    answer, _ = answer_of(rough)
    assert (answer.value, answer.strength) == (2, "weak")  # the clusters are stable, their borders are not
    answer, _ = answer_of(case([[(1.0, 0.95)], [(0.0, 0.5)], [(2.0, 0.3)]], ks=(2, 3, 4)))
    assert (answer.value, answer.strength) == (2, "contested")
    assert "3 by CI, 2 by mean ARI" in answer.because[0].sentence
    answer, remarks = answer_of(case([[(0.0, 0.5)], [(1.0, 0.95)]], ks=(2, 3)))
    assert (answer.value, answer.strength, kinds(remarks)) == (3, "contested", [RemarkKind.END_OF_RANGE])


@given(st.sets(st.integers(2, 9)), st.sets(st.integers(2, 9)), st.integers(1, 30), st.integers(0, 12))
def test_any_answer_is_stable_and_its_statement_short(stable, apart, n_repeats, dense):
    given_evidence = evidence(stable, range(2, 10), apart=apart, n_repeats=n_repeats, dense=dense)
    answer, remarks = answer_of(given_evidence)
    last = max(stable & apart, default=max(stable, default=None))
    assert answer.value == last
    assert (RemarkKind.END_OF_RANGE in kinds(remarks)) == (9 in stable)
    has_rivals = last is not None and dense > last
    is_clear = bool(stable & apart) and last == max(stable) != 9 and n_repeats >= 10 and not has_rivals
    assert (answer.strength == "clear") == is_clear
    assert (answer.strength == "no structure") == (not stable)
    assert len(answer.statement.split()) <= 25
    assert answer.strength in ("clear", "no structure") or any(
        reason.short in answer.statement for reason in answer.because if reason.role == "against"
    )


# --- separation ------------------------------------------------------------------------------------------


def separation_by_definition(X, labels, neighbours):
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
def test_separation_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(60, 1 + seed)), rng.integers(3, size=60) if seed % 2 else np.arange(60) % 2
    labels = np.where(X[:, 0] > 0.3, labels, 0)
    count = min(10, np.bincount(labels[labels >= 0])[np.unique(labels)].min() - 1)
    made = separation_of(X, labels)
    expected = separation_by_definition(X, labels, count)
    assert (made.sparseness, made.lowest, made.density) == pytest.approx(expected)


def test_separation_of_few_noise_and_one():
    X = np.arange(8.0)[:, None] * [1.0, 0.0]
    assert separation_of(X, np.zeros(8, dtype=int)) is None
    assert separation_of(X, np.array([0] * 4 + [-1] * 4)) is None
    far = np.where(np.arange(8)[:, None] < 4, X, X + 1e6)
    assert separation_of(far, np.repeat([0, 1], 4)) == Separation(1.0, 1.0, 0.0)
    assert separation_of(far * 1e150, np.repeat([0, 1], 4)).has_gaps
    assert not separation_of(X, np.arange(8)).has_gaps  # each alone: nothing inside to compare with
    equal = separation_of(np.zeros((8, 2)), np.repeat([0, 1], 4))
    assert not equal.has_gaps
    assert Separation(0.8, 0.5, 0.5).has_gaps
    for short in (Separation(0.79, 0.5, 0.5), Separation(0.8, 0.49, 0.5), Separation(0.8, 0.5, 0.51)):
        assert not short.has_gaps


@pytest.mark.parametrize("seed", range(4))
def test_cut_clouds_have_no_gaps_and_others_have(seed):
    rng = np.random.default_rng(seed)
    normal, even = rng.normal(size=(400, 2)) * [3, 1], rng.uniform(size=(400, 2))
    skewed, high = rng.exponential(size=(400, 2)), rng.normal(size=(400, 10))
    for cloud in (normal, even, skewed, high):
        for k in (2, 3):
            labels = pt.cluster.RandomSwap(k, random_state=seed).fit(cloud).labels_
            assert not separation_of(cloud, labels).has_gaps
    for d in (2, 10):
        two = rng.normal(size=(400, d)) + 8.0 * (np.arange(400)[:, None] < 200) * np.eye(d)[0]
        assert separation_of(two, (np.arange(400) < 200).astype(int)).has_gaps


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
    assert found.structure.has_structure
    short = pt.stability(X, ks=range(2, n_clusters + 1), n_repeats=10, structure=False, random_state=0)
    assert (short.k, short.strength, short.structure) == (n_clusters, "weak", None)
    assert kinds(short.remarks) == [RemarkKind.END_OF_RANGE]
    assert short.because[-1].short == "Try more clusters."


def test_rerunning_is_no_evidence():
    found = pt.stability(clouds(3), ks=range(2, 5), scheme=Rerun(), n_repeats=10, random_state=0)
    assert found.strength != "clear"


def test_every_index_has_its_rule_and_all_agree_on_clouds():
    names = ["CI", "ARI", "NMI", "PSI", "NVD", "VI", "AMI", "CSI", "generalized_centroid_index"]
    found = pt.stability(
        clouds(3), ks=range(2, 6), scheme=Bootstrap(), n_repeats=10, indices=names, random_state=0
    )
    assert len(found.choices) == len(names) + 2
    assert found.k == 3
    assert not any("not counted" in rule for rule in found.choices)


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


# --- the test of structure --------------------------------------------------------------------------------


def test_structure_is_tested_once_on_distinct_objects_where_they_are_clustered(monkeypatch):
    from partita.selection import _stability as module

    seen = []
    monkeypatch.setattr(module, "quick_structure", lambda X, *_: seen.append(X))
    X = clouds(3)[:60]
    piped = make_pipeline(StandardScaler(), pt.cluster.RandomSwap())
    pt.stability(np.r_[X, X[:9]], piped, [2, 3], n_repeats=2, random_state=0)
    (tested_on,) = seen
    np.testing.assert_allclose(tested_on, StandardScaler().fit(np.r_[X, X[:9]]).transform(X))
    pt.stability(np.ones((9, 2)), ks=[1, 2], n_repeats=2, random_state=0)  # one distinct object
    distances = cdist(X, X)
    ward = AgglomerativeClustering(metric="precomputed", linkage="average")
    found = pt.stability(distances, ward, [2, 3], scheme=Rerun(), n_repeats=2, random_state=0)
    assert (found.structure, len(seen)) == (None, 1)


def test_a_test_that_ran_before_is_used_again(monkeypatch):
    from partita.selection import _stability as module

    X = np.random.default_rng(1).normal(size=(150, 2)) * [5, 1]
    test = pt.structure(clouds(3), n_null=39, random_state=0)
    monkeypatch.setattr(module, "quick_structure", lambda *_: pytest.fail("tested again"))
    found = pt.stability(X, ks=[2, 3], n_repeats=2, structure=test, random_state=0)
    assert found.structure is test
    assert found.provenance["structure"] is True
    for none in (False, None):
        assert pt.stability(X, ks=[2, 3], n_repeats=2, structure=none, random_state=0).structure is None
    for wrong in ("yes", 1, object()):
        with pytest.raises(pt.errors.ParameterError, match="structure must be True, False"):
            pt.stability(X, ks=[2], structure=wrong)


def test_a_single_group_that_is_not_rejected_is_never_clear():
    """Two halves of an even cloud with a gap are stable and have gaps; the test of structure decides."""
    found = pt.stability(clouds(2), ks=[2, 3], n_repeats=10, random_state=0)
    kept = made_structure(0.6, 0.01, 0.01, 0.01, power=0.9)
    again = pt.stability(clouds(2), ks=[2, 3], n_repeats=10, structure=kept, random_state=0)
    assert (found.k, found.strength, again.k, again.strength) == (2, "clear", 2, "weak")
    assert again.because[0].kind is ReasonKind.STRUCTURE
    assert json.loads(again.write("json"))["answer"]["because"][0]["kind"] == "structure"
