"""The verdict of a report, read as a stranger: each sentence is whole, carried, and in its place."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.errors import FileError, ParameterError
from partita.plots import figure_data
from partita.reports import _report, analyse, analyses, contents, pages
from partita.reports.documents import Document, FigureBlock, Paragraph, Sentence
from report_pages import QUICK

BROKEN = re.compile(r"\(\s|\s\)|\s[,.;:)]|\bnan\b|\bNone\b|  |one cluster are|\b1 clusters|: *\.|policy")
"""What no sentence has."""


def document_of(*results: Any) -> Document:
    return contents.contents(list(_report._parts(results)), title="t")


def said_by(document: Document, *weights: str) -> list[str]:
    return [one.text for one in document.verdict if not weights or one.weight in weights]


def blobs(sizes: tuple[int, ...] = (40, 40, 40), *, scale: float = 9.0, seed: int = 0) -> tuple[Any, Any]:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    corners = scale * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[: len(sizes)]
    return np.random.default_rng(seed).normal(size=(len(labels), 2)) + corners[labels], labels


def noisy(labels: Any, share: int = 8) -> Any:
    return np.where(np.arange(len(labels)) % share == 0, -1, labels)


def soft(kind: str) -> Any:
    rng = np.random.default_rng(1)
    shares = rng.dirichlet([0.4] * 3, size=120)
    if kind == "possibilistic":
        return pt.PossibilisticPartition(np.clip(1.5 * shares, 0.0, 1.0))
    if kind == "rough":
        return pt.RoughPartition((shares > 0.3) | (shares == shares.max(axis=1, keepdims=True)))
    if kind == "evidential":
        masses = np.column_stack([0.7 * shares, np.full(120, 0.3)])
        return pt.EvidentialPartition(masses, [{0}, {1}, {2}, {0, 1, 2}])
    return pt.FuzzyPartition(shares)


@cache
def situation(name: str) -> Document:
    X, labels = blobs()
    rng = np.random.default_rng(0)
    made: dict[str, Any] = {
        "clear": lambda: analyse(X, ks=range(1, 6), truth=labels, **QUICK),
        "nothing, from 2 on": lambda: analyse(rng.uniform(size=(150, 2)), ks=range(2, 6), **QUICK),
        "other labels": lambda: analyse(X, ks=range(1, 6), labels=noisy(labels), labels_name="old", **QUICK),
        "three objects": lambda: analyse(X[[0, 1, 50]], ks=range(1, 4), truth=[0, 0, 1], **QUICK),
        "a small one": lambda: [pt.validate(*blobs((60, 60, 4)))],
        "one old cluster": lambda: analyse(X, ks=range(1, 5), labels=np.zeros(120), **QUICK),
        "one stable cluster": lambda: [pt.stability(rng.normal(size=(80, 2)), ks=range(1, 4), n_repeats=3)],
        "noise left out": lambda: [{"old": pt.compare(noisy(labels), labels, noise="ignore")}],
        "noise alone": lambda: [{"old": pt.validate(X, noisy(labels), noise="singletons")}],
        "a choice alone": lambda: [pt.choose_k(X, ks=range(1, 5), n_runs=2)],
    }
    return document_of(*(made[name]() if name in made else [pt.validate(X, soft(name))]))


SITUATIONS = (
    "clear",
    "nothing, from 2 on",
    "other labels",
    "three objects",
    "a small one",
    "one old cluster",
    "one stable cluster",
    "noise left out",
    "noise alone",
    "a choice alone",
    "fuzzy",
    "possibilistic",
    "rough",
    "evidential",
)


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_sentence_is_whole_and_the_first_is_an_answer(name):
    verdict = situation(name).verdict
    assert verdict[0].weight == "answer"
    for one in verdict:
        assert not BROKEN.search(one.text), one.text
        assert one.text[0].isupper() or one.text[0].isdigit(), one.text
        assert one.text.endswith("."), one.text
        assert one.evidence, one.text
    assert len({one.text for one in verdict}) == len(verdict)


def test_the_verdict_is_the_answer_with_its_reasons():
    X, labels = blobs()
    for choice in (
        pt.choose_k(X, random_state=0),
        pt.choose_k(X, pt.cluster.RandomSwap(), range(2, 6), n_runs=2, random_state=0),
        pt.choose(X, {"three": labels, "two": labels // 2}, random_state=0),
        pt.choose_k(np.random.default_rng(0).normal(size=(400, 2)), random_state=0),
        pt.choose_k(np.random.default_rng(0).normal(size=(300, 2)), structure=False, random_state=0),
    ):
        verdict = document_of(choice).verdict
        headline = choice.answer.headline
        assert verdict[0].text == f"{headline[:1].upper()}{headline[1:]}."
        roles = {"for": "support", "against": "against", "next": "next"}
        told = {(one.text, one.weight) for one in verdict[1:]}
        assert {(reason.sentence, roles[reason.role]) for reason in choice.because} <= told
        others = [one for one in verdict[1:] if one.weight != "distrust"]
        assert len(others) == len(choice.because)


def test_reasons_lead_to_the_figures_that_show_them():
    choice = pt.choose_k(blobs()[0], random_state=0)
    document = document_of(choice)
    known = {block.anchor: block.data.kind for block in figures(document)}
    shown = {one.text: known.get(one.evidence) for one in document.verdict}
    first = document.verdict[0].text
    assert (first, shown[first]) == ("3 clusters, clear.", "scatter")
    assert figures(document)[0].data.kind == "scatter"
    expected = {"agreement": "scores", "lasting": "lasting", "best_bic": "scores", "structure": "null"}
    assert {reason.kind: shown[reason.sentence] for reason in choice.because} == expected


def test_data_without_structure_are_reported_as_such():
    document = situation("nothing, from 2 on")
    assert len(said_by(document, "answer")) == 1
    assert "no structure" in said_by(document, "answer")[0].lower()
    assert figures(document)[0].data.column("cluster") == ["0"] * 150


def figures(document: Document) -> list[FigureBlock]:
    found = [b for s in document.sections for one in s.sections for b in one.blocks]
    return [block for block in found if isinstance(block, FigureBlock)]


def test_the_silhouette_is_told_once():
    assert len([text for text in said_by(situation("clear")) if "silhouette" in text]) == 1


def test_a_remark_that_a_reason_gives_is_not_repeated():
    X, _ = blobs()
    wide = np.column_stack([X, 1e4 * np.random.default_rng(0).uniform(size=120)])
    choice = pt.choose_k(pd.DataFrame(wide, columns=["a", "b", "salary"]), random_state=0)
    assert [remark.kind for remark in choice.remarks].count("scale") == 1
    about_units = [text for text in said_by(document_of(choice)) if "alary" in text]
    assert about_units == [next(reason.sentence for reason in choice.because if reason.kind == "scale")]


def test_stability_that_finds_another_number_disagrees(monkeypatch):
    choice, stable = SimpleNamespace(k=3), SimpleNamespace(k=2)
    monkeypatch.setattr(contents, "ChoiceOfK", SimpleNamespace)
    monkeypatch.setattr(contents, "Stability", SimpleNamespace)
    monkeypatch.setattr(contents, "sentences_of", lambda *_: [Sentence("It is.", "a")])
    parts = [contents.Part(choice, "choiceofk"), contents.Part(stable, "stability")]
    # a fake choice is a fake stability too
    assert [s.weight for s in contents._sentences(parts[1], parts)] == ["against"]
    stable.k = 3
    assert [s.weight for s in contents._sentences(parts[1], parts)] == ["support"]
    choice.k, stable.k = 1, None
    assert [s.weight for s in contents._sentences(parts[1], parts)] == ["support"]


def test_noise_is_told_with_what_was_done_about_it():
    said = said_by(situation("other labels"), "distrust")
    assert "12.5% of the objects are noise in old: noise counts as one more cluster." in said
    assert any("old (3 clusters and noise)" in text for text in said_by(situation("other labels")))
    assert any("such objects were left out" in text for text in said_by(situation("noise left out")))
    alone = said_by(situation("noise alone"))
    assert "12.5% of the objects are noise in old: each such object counts as a cluster of its own." in alone


def test_a_small_cluster_is_named_with_its_size():
    said = said_by(situation("a small one"), "distrust")
    assert [text for text in said if re.match(r"Cluster \w+ is small \(4 of 124 objects\)", text)]


@pytest.mark.parametrize("kind", ["fuzzy", "possibilistic", "rough", "evidential"])
def test_objects_between_clusters_are_counted_by_their_share(kind):
    found = soft(kind)
    shares = (found.pignistic() if kind in ("rough", "evidential") else found).memberships()
    unsure = int((shares.max(axis=1) < 0.8 * shares.sum(axis=1)).sum())
    text = f"{unsure} of 120 objects belong to no single cluster by 80% or more: clusters overlap there."
    assert text in said_by(situation(kind), "distrust")


def test_sizes_of_soft_clusters_have_one_decimal():
    pages_of = next(s for s in situation("fuzzy").sections if s.anchor == "clusters").sections
    texts = [block.text for one in pages_of for block in one.blocks if isinstance(block, Paragraph)]
    assert any(re.match(r"\d+\.\d objects, ", text) for text in texts)
    assert not any(re.match(r"\d+\.\d\d", text) for text in texts)


# --- what is asked for wrongly, and what takes a while ----------------------------------------------------


def test_what_is_asked_for_wrongly_is_refused_before_work(tmp_path):
    X, _ = blobs()
    with pytest.raises(ParameterError, match="nothing to report"):
        pt.report({}, to=tmp_path / "x.html")
    with pytest.raises(ParameterError, match="n_repeats"):
        analyse(X, ks=range(1, 4), n_repeats=-1)
    with pytest.raises(ParameterError, match="checkpoint"):
        analyse(X, ks=range(1, 4), checkpoint=3)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError):
        analyse(X, ks=range(1, 4), checkpoint=tmp_path / "file")


def test_a_title_and_a_command_may_be_anything_that_has_a_text(tmp_path):
    path = pt.report(pt.compare([0, 0, 1], [0, 1, 1]), to=tmp_path / "x.html", title=3, command=b"<b>")
    assert "&lt;b&gt;" in path.read_text(encoding="utf-8")


def test_clusterings_of_a_choice_are_not_fitted_again_for_the_report():
    X, _ = blobs()
    for estimator in (None, pt.cluster.RandomSwap()):
        choice = pt.choose_k(X, estimator, range(2, 5), n_runs=1, random_state=0)
        choice = replace(choice, refit=lambda *_: pytest.fail("nothing is fitted here"))
        assert "scatter" in [block.data.kind for block in figures(document_of(choice))]


def test_the_stability_is_that_of_the_method_that_answers():
    X, _ = blobs()
    found = analyse(X, **{**QUICK, "bootstrap": 0})
    assert found[0].scored.method == "density tree"
    assert "DensityTree" in found[1].title
    named = analyse(X, pt.cluster.RandomSwap(), range(2, 5), **{**QUICK, "bootstrap": 0})
    assert "RandomSwap" in named[1].title
    mixed = replace(found[0].scored, method="mixture")
    choice = replace(found[0], verdict=replace(found[0].verdict, best=mixed))
    method, note = analyses._perturbed_method(choice, None, 120, "euclidean")
    assert method is None
    assert "stability is that of random swap" in note


def test_columns_that_got_equal_weight_have_it_in_the_whole_report():
    from sklearn.datasets import load_wine

    found = analyse(load_wine(as_frame=True).data, **{**QUICK, "bootstrap": 0})
    assert found[0].is_rescaled
    assert found[1].provenance["scale"] == "standard"
    assert any("columns of equal weight" in note for note in found[0].notes)
    assert found[2]["silhouette"].value > 0.2


def test_making_figures_and_drawing_them_report_how_far_they_are(monkeypatch, tmp_path):
    moved: dict[str, list[tuple[int, int]]] = {}

    class Bar:
        def __init__(self, description):
            self.steps = moved.setdefault(description, [])

        def __enter__(self):
            return lambda done, total: self.steps.append((done, total))

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(contents, "bar", Bar)
    monkeypatch.setattr(pages, "bar", Bar)
    X, labels = blobs()
    pt.report(pt.validate(X, labels), pt.compare(labels, noisy(labels)), to=tmp_path / "x.html")
    assert set(moved) == {"preparing figures", "drawing figures"}
    for steps in moved.values():
        shares = [done / total for done, total in steps]
        assert shares == sorted(shares)
        assert len(shares) > 2
        assert shares[-1] < 1


def test_huge_and_tiny_values_have_pages_of_clusters(tmp_path):
    X, labels = blobs()
    for factor in (1e200, 1e-300):
        path = pt.report(pt.validate(X * factor, labels), to=tmp_path / f"{factor}.html")
        assert 'id="clusters-1"' in path.read_text(encoding="utf-8")


def test_more_clusters_than_objects_that_are_drawn(tmp_path):
    rng = np.random.default_rng(0)
    result = pt.validate(pd.DataFrame(rng.normal(size=(4800, 2))), np.arange(4800) // 2)
    data = figure_data(result, "silhouette")
    assert any("of 2,400 clusters" in note for note in data.notes)
    assert pt.report(result, to=tmp_path / "x.html").stat().st_size < 400_000
