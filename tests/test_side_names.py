"""What the two clusterings of a comparison are called, and that noise is not counted as a cluster."""

from __future__ import annotations

import re

import numpy as np
import pytest

import partita as pt
from partita.errors import ParameterError
from partita.reports.analyses import analyse

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
A = np.repeat(["x", "y", "z"], 30)
B = np.where(np.arange(90) % 7 == 0, 0, np.repeat([0, 1, 2], 30))
NAMES = ("run A", "run B")


def texts_of(result):
    """Everything that a comparison says of its sides."""
    told = (result, result.all, result.story, result.differences("cluster"), result.differences("object"))
    text = "\n".join(map(str, told))
    return text.replace("pairs_in_truth_only", "").replace("pairs_in_found_only", "")


@pytest.mark.parametrize("found", [B, A, np.zeros(90, dtype=int), np.arange(90), np.where(B == 0, -1, B)])
def test_neither_side_is_called_truth_where_both_have_names(found):
    result = pt.compare(A, found, names=NAMES)
    text = texts_of(result)
    assert "truth" not in text
    assert "true cluster" not in text
    assert "found" not in text.replace("not found", "")
    assert "run A" in text
    assert "run B" in text
    assert result.title.startswith("90 objects: hard run A (k=3), hard run B")
    assert result.provenance["names"] == list(NAMES)


def test_tables_have_the_names():
    result = pt.compare(A, B, names=NAMES)
    assert set(result.by_cluster()["side"]) == set(NAMES)
    assert list(result.by_object().columns[:2]) == list(NAMES)
    assert pt.compare(A, B)["ARI"].value == result["ARI"].value


@pytest.mark.parametrize("kind", ["contingency", "flow"])
def test_figures_have_the_names(kind):
    data = pt.plots.figure_data(pt.compare(A, B, names=NAMES), kind)
    text = " ".join([data.title, data.description, str(data.x), str(data.y), *data.notes, str(data.facts)])
    assert "run A" in text
    assert "run B" in text
    assert "true" not in text.replace("True", "").replace("true_cluster", "")
    assert "truth" not in text.replace("'truth':", "")


def test_several_found_ones_stand_beside_a_reference_with_a_name():
    result = pt.compare(A, {"p": B, "q": A}, names=("last year", "others"))
    assert "hard last year (k=3); p: hard (k=3), q: hard (k=3)" in result.title
    assert pt.plots.figure_data(result, "flow").facts["levels"] == ["last year", "p", "q"]


@pytest.mark.parametrize(
    "names", ["ab", ("a",), ("a", "a"), ("a", ""), ("a", 1), ("a", "b", "c"), 3, {"a": "b"}]
)
def test_names_that_name_nothing_are_refused(names):
    with pytest.raises(ParameterError, match="names"):
        pt.compare(A, B, names=names)


def noisy(k, share, n=1000):
    labels = np.arange(n) % k
    labels[: int(share * n)] = -1
    return labels


def test_noise_is_not_counted_as_a_cluster_in_what_is_printed():
    truth, found = np.arange(1000) % 3, noisy(39, 0.12)
    said = "39 clusters and noise (12 %)"
    assert said in str(pt.compare(truth, found))
    assert "(k=40)" not in str(pt.compare(truth, found))
    assert said in str(pt.compare(truth, found, noise="singletons", indices=["ARI"]))
    assert "(k=39)" in str(pt.compare(truth, found, noise="ignore", indices=["ARI"]))
    assert said in str(pt.compare(truth, {"a": found, "b": truth}, indices=["ARI"]))
    assert said in str(pt.compare(truth, found).differences("cluster"))
    assert said in str(pt.align(truth, found))
    assert said in str(pt.distribution(truth, found))
    assert said in str(pt.compare_models(truth, {"a": found, "b": truth}, bootstrap=50, indices=["ARI"]))
    data = RNG.normal(size=(1000, 2))
    assert said in str(pt.validate(data, found, indices=["CH"]))
    assert said in str(pt.validate(data, {"a": found, "b": truth}, indices=["CH"]))
    assert said in str(pt.validate(data, found, indices=["CH"]).by_cluster)
    assert said in pt.plots.figure_data(pt.compare(truth, found), "contingency").description
    assert pt.as_partition(found).n_clusters == 40  # columns are counted as ever


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0, 0, -1, -1], "1 cluster and noise (50 %)"),
        ([0] * 299 + [-1], "1 cluster and noise (<1 %)"),
        ([0] + [-1] * 299, "1 cluster and noise (>99 %)"),
        (["a", "b", "noise", "b"], "2 clusters and noise (25 %)"),
    ],
)
def test_shares_of_noise(labels, said):
    found = pt.HardPartition(labels, noise_label="noise" if "a" in labels else None)
    assert said in str(pt.compare([0] * (len(labels) - 1) + [1], found, indices=["ARI"]))


def test_weights_and_memberships_count_noise_by_share():
    result = pt.compare([0, 0, 1, 1], [0, -1, 1, 1], sample_weight=[1, 3, 1, 1], indices=["ARI"])
    assert "2 clusters and noise (50 %)" in str(result)
    soft = pt.as_partition([[0.5, 0.25], [0.1, 0.1], [1.0, 0.0], [0.0, 0.55]], noise="rest")
    assert "fuzzy found with 2 clusters and noise (38 %)" in str(
        pt.compare([0, 0, 1, 1], soft, indices=["VI"])
    )


def test_splits_and_merges_call_noise_so():
    truth = np.repeat([0, 1], 50)
    found = np.where(np.arange(100) % 4 == 0, -1, truth)
    text = str(pt.compare(truth, found))
    assert "split: truth 0 (50 objects): 74% in 0, 26% in noise" in text
    assert "merged: noise of found (25 objects): 52% of 0, 48% of 1" in text
    refined = pt.compare(truth, np.where(truth == 0, -1, np.arange(100) % 3))
    said = "found refines truth: each of its 3 clusters, and its noise, lies within one of the 2"
    assert said in refined.statement


def words_of(page):
    """The words of a report before it explains the indices, which are defined for truth and found."""
    text = re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", page.read_text(), flags=re.DOTALL)
    text = re.sub(r"pairs_in_truth_only", "", re.sub(r"\s+", " ", text))
    before, heading, _ = text.rpartition("What the indices mean")
    assert heading
    return before


def test_a_report_says_truth_only_of_a_truth(tmp_path):
    options = {"ks": range(1, 5), "n_runs": 2, "n_repeats": 0, "n_shuffles": 49, "bootstrap": 0}
    found = analyse(X, labels=B, labels_name="old_segment", **options)
    comparisons = [one for entry in found if isinstance(entry, dict) for one in entry.values()]
    comparisons = [one for one in comparisons if isinstance(one, pt.Comparison)]
    assert comparisons
    for one in comparisons:
        assert "truth" not in str(one)
        data = pt.plots.figure_data(one, "contingency")
        assert data.y == "cluster of old_segment"
        assert data.x.startswith("cluster of the clustering found")
    text = words_of(pt.report(*found, to=tmp_path / "page.html"))
    assert "compared with old_segment" in text
    assert re.findall(r".{40}\b(?:truth|true cluster)\b.{20}", text) == []


def test_a_report_of_two_runs_has_their_names(tmp_path):
    text = words_of(pt.report(pt.compare(A, B, names=NAMES), to=tmp_path / "page.html"))
    assert "Run B compared with run A" in text
    assert re.findall(r".{40}\b(?:truth|true cluster)\b.{20}", text) == []


def test_alignments_and_distributions_have_names_too():
    pairs = pt.align(A, np.where(B == 2, 1, B), names=NAMES)
    assert pairs.title.startswith("90 objects: hard run A (k=3), hard run B (k=2)")
    assert "without a partner: run A z" in str(pairs)
    assert pt.plots.figure_data(pairs, "contingency").y == "cluster of run A"
    spread = pt.distribution(A, B, names=NAMES)
    assert spread.title == "rand, 90 objects: hard run A (k=3), hard run B (k=3)"


def test_noise_is_no_cluster_of_an_ensemble_nor_a_tiny_one():
    with_noise = np.where(np.arange(90) % 9 == 0, -1, B)
    assert "of 90 objects (k=3)" in str(pt.consensus_index([B, with_noise]))
    alone = B.copy()
    alone[5] = -1
    result = pt.validate(X, alone)
    assert "clusters hold a single object" not in str(result)


def test_names_do_no_tricks():
    result = pt.compare(A, B, names=("run\nA", "\u202erun B"))
    assert result.title == "90 objects: hard run A (k=3), hard \\u202erun B (k=3)"
    assert "\u202e" not in texts_of(result)
