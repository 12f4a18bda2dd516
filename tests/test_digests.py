"""What compare and validate say before their indices: statements, headlines, splits and merges, remarks."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.mixture import GaussianMixture

import partita as pt
import strategies
from partita.errors import ParameterError
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, Kind
from partita.registry import CaveatKind, find
from partita.results.agreement import GRADES, HEADLINES, OF_CENTRES, splits_and_merges
from partita.results.quality import HEADLINE
from partita.results.verdicts import RemarkKind
from partita.statistics import Contingency

TRUTH = ["a"] * 6 + ["b"] * 4 + ["c"] * 10
SOFT = np.array([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.0, 0.3, 0.7]])[np.repeat([0, 1, 2], [6, 4, 10])]


def kinds_of(result):
    return [remark.kind for remark in result.remarks]


# --- compare ----------------------------------------------------------------------------------------------


def test_a_digest_prints_six_indices_of_several_families_and_loses_none():
    result = pt.compare(TRUTH, [0] * 9 + [1] * 11)
    assert result.headline == HEADLINES[HARD]
    assert len({find(name).family for name in result.headline}) == 3
    text = str(result)
    for name in result.headline:
        assert name in text
    assert "mirkin" not in text
    assert "59 indices in all: result.all, --all" in text
    assert len(result) == len(list(result)) == len(result.to_frame()) == 59
    assert result["mirkin"].value == pt.indices.mirkin(TRUTH, [0] * 9 + [1] * 11)
    assert "mirkin" in str(result.all)
    assert result.all.statement == result.statement
    assert str(pt.compare(TRUTH, [0] * 9 + [1] * 11, indices="all")) == str(result.all)


def test_named_indices_print_as_they_were_asked_for():
    result = pt.compare(TRUTH, TRUTH, indices=["VI", "ARI"])
    assert (result.statement, result.findings, result.headline) == ("", (), ())
    assert str(result).splitlines()[2].split() == ["index", "symbol", "value", "best", "direction"]
    first = pt.compare(TRUTH, TRUTH, indices="headline")
    assert [row.index for row in first] == list(HEADLINES[HARD])
    assert first.statement


@pytest.mark.parametrize("kind", Kind)
def test_indices_on_which_a_kind_scores_best_against_itself_come_first(kind):
    statuses = [find(name).status("reflexive", kind) for name in HEADLINES[kind]]
    assert statuses[0] == "claimed"
    assert statuses == sorted(statuses, key=lambda status: status != "claimed")
    families = [find(name).family for name in HEADLINES[kind]]
    assert len(families) == 6
    assert max(families.count(family) for family in families) <= 2


def test_identical_clusterings_are_called_so_whatever_their_names():
    renamed = [{"a": 7, "b": 3, "c": 1}[name] for name in TRUTH]
    for one, other in ((TRUTH, renamed), (SOFT, SOFT[:, [2, 0, 1]])):
        result = pt.compare(one, other)
        assert result.statement.startswith("the clusterings are identical")
        assert not any(line.startswith(("split", "merged")) for line in result.findings)
    nearly = SOFT.copy()
    nearly[0] = [0.8, 0.2, 0.0]
    assert "identical" not in pt.compare(SOFT, nearly).statement


@pytest.mark.parametrize("least", [least for least, _ in GRADES])
def test_words_change_at_the_published_cut_points(least, monkeypatch):
    """Steinley (2004): above 0.9, 0.8, 0.65; the last word holds down to chance."""
    from partita.results import agreement

    row = pt.compare(TRUTH, TRUTH, indices=["ARI"])["ARI"]

    def stated(value):
        from dataclasses import replace

        rows = {"adjusted_rand": replace(row, value=value)}
        return agreement.agreement_statement(rows, (HARD, HARD), None, identical=False)

    word = dict(GRADES)[least]
    assert stated(least + 0.01).startswith(
        f"{word} agreement: adjusted Rand index {least + 0.01:.2f} (0 is chance"
    )
    assert not stated(least).startswith(word)


def test_no_more_agreement_than_by_chance_is_said_so():
    result = pt.compare([0, 0, 1, 1], [0, 1, 0, 1])
    assert result["ARI"].value == -0.5
    assert result.statement.startswith(
        "the clusterings agree no more than by chance: adjusted Rand index -0.50"
    )
    alone = pt.compare([0, 0, 1, 1], [0, 0, 0, 0])
    assert "found is a single cluster, and nothing can agree with it beyond chance" in alone.statement


def test_refinements_are_named_on_their_side():
    finer = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, *[3] * 10]
    assert (
        "found refines truth: each of its 4 clusters lies within one of the 3"
        in pt.compare(TRUTH, finer).statement
    )
    assert "truth refines found: each of its 4" in pt.compare(finer, TRUTH).statement
    assert "refines" not in pt.compare(TRUTH, [0] * 9 + [1] * 11).statement


def test_splits_and_merges_are_those_of_the_table():
    # by hand: a goes 6 to 0; b 3 to 0, 1 to 1; c 10 to 1
    result = pt.compare(TRUTH, [0] * 9 + [1] * 11)
    assert result.findings == (
        "split: truth b (4 objects): 75% in 0, 25% in 1",
        "merged: found 0 (9 objects): 67% of a, 33% of b",
    )
    table = pt.contingency(TRUTH, [0] * 9 + [1] * 11)
    assert table.loc["b", 0] / table.loc["b"].sum() == 0.75
    # 1 of 11 in found 1 is b: less than a tenth, a stray
    assert 1 / 11 < 0.1


def test_only_the_largest_splits_are_listed_and_names_are_cut():
    truth = np.repeat([f"a very long name of cluster {i}" for i in range(5)], [10, 20, 30, 40, 50])
    found = np.arange(150) % 2
    lines = pt.compare(truth, found).findings
    splits = [line for line in lines if line.startswith("split")]
    assert [line.split("(")[1].split()[0] for line in splits[:3]] == ["50", "40", "30"]
    assert splits[3] == "split: 2 more clusters of truth"
    assert "a very long name of c..." in splits[0]
    assert max(map(len, lines)) < 150


def test_sparse_tables_say_the_same():
    rng = np.random.default_rng(0)
    truth, found = rng.integers(4, size=60), rng.integers(3, size=60)
    dense = Contingency.from_counts(pt.contingency(truth, found).to_numpy())
    from scipy.sparse import csr_array

    sparse = Contingency.from_counts(csr_array(dense.raw))
    assert splits_and_merges(sparse) == splits_and_merges(dense) != ()


def test_soft_clusterings_are_graded_by_no_cut_points_and_told_which_index_answers_what():
    result = pt.compare(TRUTH, SOFT)
    assert "frobenius_adjusted_rand" in result
    value = result["frobenius_adjusted_rand"].value
    assert f"Frobenius adjusted Rand index {value:.2f}" in result.statement
    assert not any(word in result.statement for _, word in GRADES)
    (line,) = result.findings
    for name in (
        "adjusted_rand",
        "product_adjusted_rand",
        "frobenius_adjusted_rand",
        "campello_adjusted_rand",
    ):
        assert name in line
    for name in ("belief_adjusted_rand", "adjusted_concordance"):
        assert name in line
    assert pt.compare(TRUTH, TRUTH).findings == ()


def test_sets_of_clusterings_are_stated_by_both_ends():
    rough = pt.RoughPartition([[True, False], [True, True], [False, True], [False, True]])
    result = pt.compare([0, 0, 1, 1], rough)
    row = result["ARI"]
    assert f"is between {row.lower:.2f} and {row.upper:.2f}" in result.statement
    masses = pt.as_partition({"mass": [[0.6, 0.4], [0.3, 0.7], [0.0, 1.0]], "F": [[1, 0], [1, 1]]})
    assert "is expected between" in pt.compare([0, 0, 1], masses).statement


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_value_lies_outside_its_own_ends_without_a_word(data):
    n = data.draw(st.integers(2, 5))
    kinds = st.sampled_from((HARD, FUZZY, POSSIBILISTIC))
    truth, found = (data.draw(strategies.STRATEGIES[data.draw(kinds)](n)) for _ in range(2))
    for row in pt.compare(truth, found):
        if math.isnan(row.value) or math.isnan(row.lower):
            continue
        told = any(c.kind is CaveatKind.METHOD and "typicalities" in c.text for c in row.caveats)
        assert told or row.lower - 1e-9 <= row.value <= row.upper + 1e-9, row


def test_typicalities_do_leave_their_ends_so_that_the_word_is_needed():
    found = pt.PossibilisticPartition([[1.0, 0.9], [1.0, 0.9], [0.9, 1.0], [0.9, 1.0]])
    row = pt.compare([0, 0, 1, 1], found)["ARI"]
    assert not row.lower <= row.value <= row.upper
    assert "value is of the table of typicalities" in row.caveat


def test_data_bring_the_indices_of_centres():
    X = np.repeat([[0.0], [9.0], [30.0]], [6, 4, 10], axis=0) + np.arange(20)[:, None] / 50
    found = [0] * 5 + [1] * 6 + [2] * 9
    result = pt.compare(TRUTH, found, X=X)
    assert result.headline == HEADLINES[HARD] + OF_CENTRES
    for name in ("CI", "CSI", "centroid_ratio"):
        assert result[name].value == pt.indices.find(name)(X, TRUTH, found)
    both = pt.compare(TRUTH, {"one": TRUTH, "two": [0] * 20}, X=X, indices=["CI", "ARI"])
    assert both["one"]["CI"].value == 0
    with pytest.raises(ParameterError, match="needs the data") as caught:
        pt.compare(TRUTH, TRUTH, indices=["CI"])
    assert caught.value.parameter == "X"


def test_remarks_of_a_comparison_are_typed():
    noisy = pt.compare([0, 0, 1, 1], [0, 0, 1, -1])
    assert kinds_of(noisy) == [RemarkKind.NOISE]
    assert str(noisy).count("noise: 1 in found") == 1
    assert kinds_of(pt.compare([0, 1, 2], [0, 0, 1])) == [RemarkKind.UNDEFINED]


def test_digests_come_back_from_files():
    for result in (pt.compare(TRUTH, SOFT), pt.validate(SOFT, TRUTH)):
        again = type(result).from_dict(json.loads(result.write("json")))
        assert (again.statement, again.headline, again.findings) == (
            result.statement,
            result.headline,
            result.findings,
        )
        assert again.remarks == result.remarks
        assert str(again) == str(result)
        assert result.statement in result.write("markdown").replace("\\", "")


# --- validate ---------------------------------------------------------------------------------------------

BLOBS = make_blobs(120, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)


@pytest.mark.parametrize(
    ("data", "strength", "words"),
    [
        (BLOBS, "clear", "a strong structure: silhouette 0.8"),
        (make_circles(200, noise=0.03, factor=0.4, random_state=0), "contested", "no substantial structure"),
        (make_moons(200, noise=0.04, random_state=0), "contested", "a weak structure"),
        (make_blobs(120, centers=[[0, 0], [1, 0]], random_state=0), "weak", "no substantial structure"),
    ],
    ids=["blobs", "circles", "moons", "overlapping"],
)
def test_how_good_a_clustering_is_said_in_words_with_their_source(data, strength, words):
    result = pt.validate(*data)
    assert result.strength == strength
    assert result.statement.startswith(words)
    assert "Kaufman and Rousseeuw 1990" in result.statement
    assert (RemarkKind.NON_CONVEX in kinds_of(result)) == (strength == "contested")


def test_one_gaussian_cut_in_parts_is_not_clear():
    from sklearn.cluster import KMeans

    X = np.random.default_rng(0).normal(size=(150, 2))
    result = pt.validate(X, KMeans(4, n_init=2, random_state=0).fit(X).labels_)
    assert result.strength == "weak"


def test_the_headline_of_a_validation_goes_through_the_families():
    hard = pt.validate(*BLOBS)
    assert [find(name).family for name in hard.headline] == [
        "compactness",
        "compactness",
        "separation",
        "density",
        "likelihood",
    ]
    mixture = GaussianMixture(3, random_state=0).fit(BLOBS[0])
    model = pt.validate(BLOBS[0], mixture)
    assert {"bic", "icl", "silhouette", "modified_partition_coefficient"} <= set(model.headline)
    assert "of hardened labels" in model.statement
    soft = pt.validate(BLOBS[0], mixture.predict_proba(BLOBS[0]))
    assert "fuzzy_silhouette" in soft.headline
    rows = pt.validate(*BLOBS, indices="headline")
    assert [row.index for row in rows] == list(hard.headline)
    assert {name for group in HEADLINE for name in group} <= {e.name for e in pt.indices.catalogue()}


def test_constants_are_left_out_with_their_reason_unless_named():
    left = {x.index: x.reason for x in pt.validate(*BLOBS).left_out}
    for name in ("partition_coefficient", "modified_partition_coefficient", "partition_entropy"):
        assert "scores best" in left[name]
    assert "is 0" in left["nonspecificity"]
    named = pt.validate(*BLOBS, indices=["PC"])["PC"]
    assert named.value == 1.0
    assert [caveat.kind for caveat in named.caveats] == [CaveatKind.CONSTANT]
    evidential = pt.cluster.EvidentialCMeans(3, random_state=0).fit(BLOBS[0])
    assert "partition_coefficient" in {x.index for x in pt.validate(BLOBS[0], evidential).left_out}
    assert pt.validate(BLOBS[0], evidential)["nonspecificity"].value > 0
    soft = pt.validate(BLOBS[0], GaussianMixture(3, random_state=0).fit(BLOBS[0]))
    assert "partition_coefficient" in soft
    assert "pairwise_nonspecificity" not in soft


def test_remarks_of_a_validation_are_typed():
    X, labels = BLOBS
    alone = labels.copy()
    alone[0] = 7
    assert RemarkKind.TINY_CLUSTERS in kinds_of(pt.validate(X, alone))
    assert RemarkKind.TINY_CLUSTERS not in kinds_of(pt.validate(X, labels))
    copies = np.vstack([X, X[:20]]), np.append(labels, labels[:20])
    assert RemarkKind.DUPLICATES in kinds_of(pt.validate(*copies))
    assert RemarkKind.DUPLICATES not in kinds_of(pt.validate(X, labels))
    noisy = labels.copy()
    noisy[:5] = -1
    assert RemarkKind.NOISE in kinds_of(pt.validate(X, noisy))
    assert RemarkKind.UNDEFINED in kinds_of(pt.validate(X, np.zeros(120, int)))
    assert pt.validate(X, np.zeros(120, int)).strength is None
