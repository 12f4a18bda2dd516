"""Which columns of a file are features: the rules, one table; and what a result says about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from partita.cli import main
from partita.errors import FileError, ParameterError
from partita.files import read_data

N = 40
DRAWS = np.random.default_rng(1)
MEASURED = {"u": DRAWS.normal(size=N), "v": DRAWS.normal(size=N)}
SHUFFLED = DRAWS.permutation(9000)[:N]
REPEATED = np.repeat(SHUFFLED[: N // 2], 2)

LEFT_OUT: dict[str, tuple[str, Any, str]] = {
    "1, 2, 3, ...": ("id", np.arange(1, N + 1), "all different integers"),
    "shuffled": ("customer_id", SHUFFLED, "all different integers"),
    "repeated": ("customer_id", REPEATED, "integers under a name of identifiers"),
    "camel case": ("userId", SHUFFLED, "all different integers"),
    "capitals": ("CustomerID", SHUFFLED, "all different integers"),
    "a name of one object": ("patient", SHUFFLED, "all different integers"),
    "a saved index": ("index", np.arange(N), "all different integers"),
    "counts under any name": ("foo", DRAWS.permutation(N), "counts the objects from 0 on"),
    "counts from 1": ("foo", np.arange(1, N + 1), "counts the objects from 1 on"),
    "different words": ("email", [f"x{i}@y" for i in range(N)], "all different words"),
    "names with numbers": ("id", [f"{i}" for i in range(N - 1)] + ["x"], "all different words"),
    "species": ("species", ["setosa", "virginica"] * (N // 2), "words"),
    "cities": ("city", [f"c{i % 15}" for i in range(N)], "words"),
    "dates": ("day", [f"2020-01-{1 + i % 28:02d}" for i in range(N)], "dates"),
    "label": ("label", np.arange(N) % 3, "labels: 3 different integers"),
    "noise too": ("cluster", np.arange(N) % 4 - 1, "labels: 4 different integers"),
    "floats that are whole": ("class", (np.arange(N) % 3).astype(float), "labels: 3 different integers"),
    "a result": ("kmeans_labels", np.arange(N) % 5, "labels: 5 different integers"),
    "cluster_id": ("cluster_id", np.arange(N) % 5, "labels: 5 different integers"),
    "target": ("target", np.arange(N) % 2, "labels: 2 different integers"),
    "y alone": ("y", np.arange(N) % 2, "labels: 2 different integers"),
    "truth values": ("class", np.arange(N) % 2 == 0, "labels: 2 different integers"),
    "constant": ("year", np.full(N, 2024), "constant"),
    "constant words": ("unit", ["cm"] * N, "words"),
    "empty": ("comment", [None] * N, "empty"),
}
TAKEN: dict[str, tuple[str, Any]] = {
    "ages": ("age", DRAWS.integers(18, 90, N)),
    "counts": ("children", np.arange(N) % 4),
    "all different integers": ("population", SHUFFLED * 1000),
    "different measurements": ("weight", DRAWS.random(N)),
    "a number": ("grid", DRAWS.integers(0, 9, N)),
    "no identifier": ("acid", SHUFFLED),
    "a target that is measured": ("target", DRAWS.random(N)),
    "sizes of groups": ("group_size", np.arange(N) % 5),
    "yes and no": ("smoker", np.arange(N) % 2 == 0),
    "zeros and ones": ("gene_7", np.arange(N) % 2),
    "an index of refraction": ("index", DRAWS.integers(0, 9, N)),
    "identifiers with a fraction": ("id", DRAWS.random(N)),
}


@pytest.mark.parametrize("case", LEFT_OUT)
@pytest.mark.parametrize("place", [0, 2])
def test_what_is_left_out_and_why(tmp_path: Path, case: str, place: int) -> None:
    name, values, reason = LEFT_OUT[case]
    frame = pd.DataFrame(MEASURED)
    frame.insert(place, name, values)
    frame.to_csv(tmp_path / "x.csv", index=False)
    read = read_data(tmp_path / "x.csv")
    assert list(read.columns) == ["u", "v"]
    assert read.attrs["notes"] == (f"features: u, v (left out: {name}: {reason})",)


@pytest.mark.parametrize("case", TAKEN)
@pytest.mark.parametrize("place", [0, 2])
def test_what_is_a_feature(tmp_path: Path, case: str, place: int) -> None:
    name, values = TAKEN[case]
    frame = pd.DataFrame(MEASURED)
    frame.insert(place, name, values)
    frame.to_csv(tmp_path / "x.csv", index=False)
    read = read_data(tmp_path / "x.csv")
    assert list(read.columns) == list(frame.columns)
    assert read.attrs["notes"] == (f"features: {', '.join(frame.columns)}",)


def test_y_beside_x_is_a_coordinate(tmp_path: Path) -> None:
    pd.DataFrame({"x": np.arange(N) % 7, "y": np.arange(N) % 3}).to_csv(tmp_path / "x.csv", index=False)
    assert list(read_data(tmp_path / "x.csv").columns) == ["x", "y"]


@pytest.mark.parametrize("names", [True, False])
def test_the_index_that_pandas_saves_is_no_feature(tmp_path: Path, names: bool) -> None:
    frame = pd.DataFrame(MEASURED)
    frame.to_csv(tmp_path / "x.csv")
    if names:
        pd.read_csv(tmp_path / "x.csv").to_csv(tmp_path / "x.csv", index=False)
    assert list(read_data(tmp_path / "x.csv").columns) == ["u", "v"]


UNSURE: dict[str, tuple[str, Any]] = {
    "integers that follow one another": ("code", np.arange(1001, 1001 + N)),
    "years": ("year", np.arange(1980, 1980 + N)),
    "many labels": ("segment", np.arange(N) // 2 * 3 + np.arange(N) % 2),
}


@pytest.mark.parametrize("case", UNSURE)
def test_where_it_is_not_clear_the_caller_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    name, values = UNSURE[case]
    path = tmp_path / "x.csv"
    pd.DataFrame({**MEASURED, name: values}).to_csv(path, index=False)
    with pytest.raises(FileError, match="not clear whether column"):
        read_data(path)
    command = ["choose", str(path), "--k", "2", "--runs", "1", "--indices", "CH"]
    with pytest.raises(SystemExit):
        main(command)
    advice = capsys.readouterr().err.partition("fix:   ")[2].strip()
    assert advice == f"--leave-out {name} if it is none, --columns u,v,{name} if it is one"
    for options, features in ((["--leave-out", name], 2), (["--columns", f"u,v,{name}"], 3)):
        main([*command, *options])
        assert f"{N} objects, {features} features" in capsys.readouterr().out


def test_columns_override_the_rules(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": np.arange(N), **MEASURED, "label": np.arange(N) % 3, "one": 1})
    frame.to_csv(tmp_path / "x.csv", index=False)
    wanted = ["label", "id", "one"]
    assert list(read_data(tmp_path / "x.csv", columns=wanted).columns) == wanted
    assert list(read_data(tmp_path / "x.csv", leave_out=["u"]).columns) == ["v"]


def test_a_feature_that_is_named_twice(tmp_path: Path) -> None:
    pd.DataFrame(MEASURED).to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(ParameterError, match="named twice"):
        read_data(tmp_path / "x.csv", columns=["u", "v", "u"])


def test_nothing_left(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    pd.DataFrame({"id": np.arange(N), "word": ["a", "b"] * (N // 2)}).to_csv(path, index=False)
    with pytest.raises(
        FileError, match=r"no features(.|\n)*id: all different integers; word: words"
    ) as caught:
        read_data(path)
    assert caught.value.fix == "columns=['id'] takes what the rules leave out"
    assert list(read_data(path, columns=["id"]).columns) == ["id"]


def test_many_features_are_not_all_listed(tmp_path: Path) -> None:
    pd.DataFrame(DRAWS.normal(size=(N, 30))).add_prefix("c").to_csv(tmp_path / "x.csv", index=False)
    note = read_data(tmp_path / "x.csv").attrs["notes"][0]
    assert note == "features: c0, c1, c2, c3, c4, c5, c6, c7, ... (30 in all)"


@pytest.fixture
def table(tmp_path: Path) -> str:
    group = np.arange(N) % 2
    frame = pd.DataFrame({"customer_id": SHUFFLED, **{k: v + 9 * group for k, v in MEASURED.items()}})
    frame["species"] = np.where(group, "a", "b")
    frame["label"] = group
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.loc[3, "u"] = np.nan
    frame.loc[[5, 6], "v"] = np.nan
    frame.loc[7, "label"] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index=False, na_rep="NA")
    return str(tmp_path / "x.csv")


COMMANDS = {
    "validate": ["--labels", "label", "--indices", "CH"],
    "validate words": ["--labels", "species", "--indices", "CH"],
    "choose": ["--k", "2:3", "--runs", "1", "--indices", "CH", "--seed", "0"],
    "choose truth": [
        "--k",
        "2:3",
        "--runs",
        "1",
        "--indices",
        "calinski_harabasz",
        "--truth",
        "species",
        "--seed",
        "0",
    ],
    "stability": ["--k", "2:3", "--repeats", "2", "--seed", "0"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_results_say_which_features_they_used(
    table: str, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    arguments = [command.split()[0], table, *COMMANDS[command]]
    for form in ("table", "json", "markdown"):
        main([*arguments, "--format", form])
        out = capsys.readouterr().out
        assert "features: u, v (left out: customer" in out.replace("\\", "")
    main([*arguments, "--format", "csv"])
    assert "features: u, v (left out: customer_id: all different integers" in capsys.readouterr().err
    main([*arguments, "--leave-out", "u"])
    assert f"{N} objects, 1 features" in capsys.readouterr().out.replace("1 feature:", "1 features:")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "validate"])
def test_missing_values_of_features_are_refused_or_settled_as_asked(
    table: str, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    arguments = [
        command.split()[0],
        table.replace("x.csv", "gaps.csv"),
        *COMMANDS[command],
        "--leave-out",
        "label",
    ]
    with pytest.raises(SystemExit):
        main(arguments)
    err = capsys.readouterr().err
    assert "column 'u': 1 of 40 (NA; the first in line 5); in all: u 1, v 2" in err
    assert '--missing "drop" leaves' in err
    assert '--missing "median" puts' in err
    for policy, n in (("drop", N - 3), ("median", N)):
        main([*arguments, "--missing", policy])
        out = capsys.readouterr().out
        assert f"{n} objects, 2 features" in out
        assert "missing values: u 1, v 2; " in out


def test_a_label_and_a_feature_that_are_missing(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["validate", table.replace("x.csv", "gaps.csv"), "--labels", "label", "--indices", "CH"]
    main([*arguments, "--missing", "drop", "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    assert result["provenance"]["n"] == N - 4
    with pytest.raises(SystemExit):
        main([*arguments, "--missing", "median"])
    assert "labels are missing" in capsys.readouterr().err
