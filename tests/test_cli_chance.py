"""partita compare: chance, intervals, where clusterings differ, and all pairs of a file's columns."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.cli import main

RNG = np.random.default_rng(0)
TRUTH = np.repeat(["a", "b", "c"], 20)
FOUND = np.where(RNG.random(60) < 0.8, np.repeat([0, 1, 2], 20), RNG.integers(0, 3, 60))
OTHER = RNG.integers(0, 2, 60)


@pytest.fixture
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"id": [f"o{i}" for i in range(60)], "truth": TRUTH, "found": FOUND, "other": OTHER})
    table.to_csv("labels.csv", index=False)
    return ["compare", "labels.csv", "--truth-column", "truth", "--found-column", "found"]


def out_of(arguments, capsys):
    main(arguments)
    return capsys.readouterr().out


def test_chance_and_intervals_are_those_of_the_library(labels, capsys):
    options = ["--null", "permutation", "--bootstrap", "50", "--shuffles", "99", "--confidence", "0.9"]
    shown = json.loads(out_of([*labels, *options, "--indices", "ARI,VI", "--format", "json"], capsys))
    same = pt.compare(
        TRUTH, FOUND, indices=["ARI", "VI"], null="permutation", bootstrap=50, n_shuffles=99, confidence=0.9
    )
    for row, record in zip(same, shown["rows"], strict=True):
        for column in ("ci_low", "ci_high", "expected", "adjusted", "p"):
            assert record[column] == pytest.approx(getattr(row, column), rel=1e-12)
    text = out_of([*labels, *options], capsys)
    assert "beyond chance: p = 0.01 under permutation" in " ".join(text.split())
    assert "90% interval" in text


@pytest.mark.parametrize("by", ["cluster", "object"])
def test_where_they_differ(labels, by, capsys):
    result = pt.compare(TRUTH, FOUND)
    expected = result.by_cluster() if by == "cluster" else result.by_object()
    out = out_of([*labels, "--by", by, "--format", "csv"], capsys)
    assert len(out.splitlines()) == 1 + len(expected)
    assert json.loads(out_of([*labels, "--by", by, "--format", "json"], capsys))[f"by_{by}"]


def test_where_several_differ(labels, capsys):
    several = [*labels[:4], "--clusterings", "found,other", "--by", "cluster", "--format", "csv"]
    lines = out_of(several, capsys).splitlines()
    assert lines[0].startswith("clustering,side,cluster")
    assert {line.split(",")[0] for line in lines[1:]} == {"found", "other"}


def test_all_pairs_of_the_columns(labels, capsys):
    main([*labels[:2], "--all", "--bootstrap", "20", "--indices", "ARI"])
    shown = capsys.readouterr().out
    assert "left out: id" in shown
    value = pt.indices.ARI(TRUTH, FOUND)
    assert f"{value:.4f}" in shown
    assert shown.count("truth") >= 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--null", "nonsense"], "no null model named"),
        (["--bootstrap", "0"], "--bootstrap"),
        (["--bootstrap", "-5"], "--bootstrap"),
        (["--confidence", "1.5", "--bootstrap", "20"], "--confidence"),
        (["--null", "permutation", "--shuffles", "0"], "--shuffles"),
    ],
    ids=str,
)
def test_bad_input_names_the_option(labels, more, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*labels, *more])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err


def test_one_file_without_two_label_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"id": range(9), "one": [0, 1, 2] * 3}).to_csv("one.csv", index=False)
    with pytest.raises(SystemExit):
        main(["compare", "one.csv", "--all"])
    assert "there are no two clusterings" in capsys.readouterr().err
