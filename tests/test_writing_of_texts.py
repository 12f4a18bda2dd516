"""How texts are written: separators, decimal marks, encodings, odd lines; and the files that are no texts."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from partita.errors import FileError, MissingDependencyError, ParameterError, PartitaError
from partita.files import read_data, read_partition

EXPECTED = [[1.5, 2.0], [2.25, -3.0], [0.125, 1e3]]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write_and_read(name: str, content: str | bytes, **options: Any) -> Any:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return read_data(name, **options)

    return write_and_read


SAME_DATA: dict[str, tuple[str, str | bytes, dict[str, Any]]] = {
    "commas": ("x.csv", "a,b\n1.5,2\n2.25,-3\n0.125,1000\n", {}),
    "semicolons, decimal commas": ("x.csv", "a;b\n1,5;2\n2,25;-3\n0,125;1000\n", {}),
    "semicolons, decimal points": ("x.csv", "a;b\n1.5;2\n2.25;-3\n0.125;1000\n", {}),
    "semicolons, as Excel is told": ("x.csv", "sep=;\r\na;b\r\n1,5;2\r\n2,25;-3\r\n0,125;1000\r\n", {}),
    "tabs in .csv": ("x.csv", "a\tb\n1.5\t2\n2.25\t-3\n0.125\t1000\n", {}),
    "tabs, decimal commas": ("x.txt", "a\tb\n1,5\t2\n2,25\t-3\n0,125\t1000\n", {}),
    "commas in .tsv": ("x.tsv", "a,b\n1.5,2\n2.25,-3\n0.125,1000\n", {}),
    "commas in .txt": ("x.txt", "a, b\n1.5, 2\n2.25, -3\n0.125, 1000\n", {}),
    "bars": ("x.txt", "a|b\n1.5|2\n2.25|-3\n0.125|1000\n", {}),
    "blanks": ("x.txt", "a b\n1.5 2\n2.25 -3\n0.125 1000\n", {}),
    "aligned by blanks": ("x.txt", "    a      b\n  1.5    2  \n 2.25   -3\n0.125 1000\n", {}),
    "blanks, decimal commas": ("x.txt", "a b\n1,5 2\n2,25 -3\n0,125 1000\n", {}),
    "blanks and tabs": ("x.dat", "a \t b\n1.5 \t 2\n2.25 \t -3\n0.125 \t 1000\n", {}),
    "as R writes it": ("x.txt", '"a" "b"\n"1" 1.5 2\n"2" 2.25 -3\n"3" 0.125 1000\n', {}),
    "quoted decimal commas": ("x.csv", 'a,b\n"1,5","2"\n"2,25",-3\n"0,125",1000\n', {}),
    "everything quoted": ("x.csv", '"a","b"\n"1.5","2"\n"2.25","-3"\n"0.125","1000"\n', {}),
    "carriage returns": ("x.csv", "a;b\r\n1,5;2\r\n2,25;-3\r\n0,125;1000\r\n\r\n\r\n", {}),
    "old Mac": ("x.csv", "a,b\r1.5,2\r2.25,-3\r0.125,1000\r", {}),
    "empty lines at the end": ("x.csv", "a,b\n1.5,2\n2.25,-3\n0.125,1000\n,\n,\n\n", {}),
    "an empty column": ("x.csv", "a;b;\n1,5;2;\n2,25;-3;\n0,125;1000;\n", {}),
    "packed": ("x.csv.gz", gzip.compress(b"a;b\n1,5;2\n2,25;-3\n0,125;1000\n"), {}),
    "packed blanks": ("x.txt.gz", gzip.compress(b"a b\n1.5 2\n2.25 -3\n0.125 1000\n"), {}),
    "no header": ("x.csv", "1,5;2\n2,25;-3\n0,125;1000\n", {"header": False}),
    "UTF-8 with a mark": ("x.csv", "\ufeffa,b\n1.5,2\n2.25,-3\n0.125,1000\n", {}),
    "UTF-16": ("x.csv", "a,b\n1.5,2\n2.25,-3\n0.125,1000\n".encode("utf-16"), {}),
    "UTF-16, the other way": ("x.csv", "\ufeffa,b\n1.5,2\n2.25,-3\n0.125,1000".encode("utf-16-be"), {}),
    "UTF-16 without a mark": ("x.csv", "a,b\n1.5,2\n2.25,-3\n0.125,1000\n".encode("utf-16-le"), {}),
    "UTF-16 as asked": (
        "x.csv",
        "a,b\n1.5,2\n2.25,-3\n0.125,1000".encode("utf-16-be"),
        {"encoding": "utf-16-be"},
    ),
    "decimal commas as asked": ("x.csv", "a;b\n1,500;2\n2,250;-3\n0,125;1000\n", {"decimal": ","}),
}


@pytest.mark.parametrize("case", SAME_DATA)
def test_the_same_data_in_every_writing(data: Any, case: str) -> None:
    name, content, options = SAME_DATA[case]
    assert data(name, content, **options).to_numpy().tolist() == EXPECTED


def in_memory(write: Any) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


FRAME = pd.DataFrame(EXPECTED, columns=["a", "b"])
TYPED = {
    ".parquet": in_memory(FRAME.to_parquet),
    ".feather": in_memory(FRAME.to_feather),
    ".xlsx": in_memory(lambda out: FRAME.to_excel(out, index=False)),
}


@pytest.mark.parametrize("ending", TYPED)
def test_typed_files(data: Any, ending: str) -> None:
    assert data("x" + ending, TYPED[ending]).to_numpy().tolist() == EXPECTED


@pytest.mark.parametrize("ending", TYPED)
def test_labels_and_identifiers_of_typed_files(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"id": ["007", "8", "9"], "label": [1, 2, 2], "word": ["a", None, "b"]})
    path = tmp_path / f"x{ending}"
    write = {".parquet": frame.to_parquet, ".feather": frame.to_feather, ".xlsx": frame.to_excel}[ending]
    write(path, **({"index": False} if ending == ".xlsx" else {}))
    part = read_partition(path, columns=["label"], id_column="id")
    assert (part.labels.tolist(), list(part.index)) == ([1, 2, 2], ["007", "8", "9"])
    with pytest.raises(PartitaError, match=r"labels are missing(.|\n)*'word': 1 of 3 \(empty"):
        read_partition(path, columns=["word"], id_column="id")
    assert read_partition(path, columns=["word"], id_column="id", missing="drop").labels.tolist() == [
        "a",
        "b",
    ]


def test_the_index_of_a_frame_names_the_objects_of_a_parquet_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"p": [0.5, 1.0], "q": [0.5, 0.0]}, index=["u", "v"])
    frame.to_parquet(tmp_path / "x.parquet")
    assert list(read_partition(tmp_path / "x.parquet").index) == ["u", "v"]


def test_of_several_sheets_the_first_is_read_and_that_is_said(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "x.xlsx") as book:
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME.to_excel(book, sheet_name="older", index=False)
    frame = read_data(tmp_path / "x.xlsx")
    assert frame.to_numpy().tolist() == EXPECTED
    assert "sheet 'data' was read, and not: 'older'" in frame.attrs["notes"]


@pytest.mark.parametrize(
    ("ending", "module", "extra"), [(".xlsx", "openpyxl", "excel"), (".parquet", "pyarrow", "parquet")]
)
def test_a_package_that_is_not_installed_is_named(
    data: Any, monkeypatch: pytest.MonkeyPatch, ending: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=module) as caught:
        data("x" + ending, TYPED[ending])
    assert f"pip install partita[{extra}]" in str(caught.value.fix)


@pytest.mark.parametrize("name", ["x.Q", "x.3.Q", "x.meanQ", "x.q.gz"])
def test_memberships_of_admixture_have_no_header(tmp_path: Path, name: str) -> None:
    content = b"0.999980 0.000010 0.000010\n0.25 0.25 0.5\n0.333333 0.333333 0.333334\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    part = read_partition(tmp_path / name)
    assert (part.n_objects, part.n_clusters) == (3, 3)


@pytest.mark.parametrize("digits", [2, 3, 6])
def test_memberships_that_are_rounded_are_divided_by_their_sums(tmp_path: Path, digits: int) -> None:
    memberships = np.random.default_rng(0).dirichlet(np.ones(5), 200)
    np.savetxt(tmp_path / "x.5.Q", memberships, fmt=f"%.{digits}f")
    part = read_partition(tmp_path / "x.5.Q")
    assert np.allclose(part.memberships(), memberships, atol=4 * 10.0**-digits)
    memberships[7] *= 0.9
    np.savetxt(tmp_path / "x.5.Q", memberships, fmt=f"%.{digits}f")
    with pytest.raises(PartitaError, match=r"do not sum to one(.|\n)*line"):
        read_partition(tmp_path / "x.5.Q")


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("label\nIris setosa\nIris virginica\n", ["Iris setosa", "Iris virginica"]),
        ("label\n1;2\n3\n", ["1;2", "3"]),
        ("label;\n1;\n3;\n", [1, 3]),
        ("label;;;\n1;;;\n3;;;\n;;;\n", [1, 3]),
        ('label\n"a;b"\n"c;d"\n', ["a;b", "c;d"]),
        ("label\n1.234,5\n", None),
    ],
)
def test_one_column_stays_one_column(tmp_path: Path, content: str, labels: Any) -> None:
    (tmp_path / "x.csv").write_text(content)
    if labels is None:
        with pytest.raises(FileError, match="different numbers of columns"):
            read_partition(tmp_path / "x.csv")
    else:
        assert read_partition(tmp_path / "x.csv").labels.tolist() == labels


def test_windows_letters_are_read_and_that_is_said(data: Any) -> None:
    content = "größe,b\n1.5,2\n2.25,-3\n0.125,1000\n".encode("cp1252")
    frame = data("x.csv", content)
    assert list(frame.columns) == ["größe", "b"]
    assert any("cp1252" in note for note in frame.attrs["notes"])
    assert list(data("x.csv", content, encoding="cp1250").columns) == ["größe", "b"]


@pytest.mark.parametrize("encoding", ["banana", "base64", "punycode", "", "a\0b", "utf-32"])
def test_encodings_that_there_are_not_or_that_do_not_fit(data: Any, encoding: str) -> None:
    with pytest.raises((ParameterError, FileError), match=r"encoding|no text in"):
        data("x.csv", "a,b\n1,2\n3,4\n", encoding=encoding)


BAD: dict[str, tuple[str | bytes, str, str | bytes | None, dict[str, Any]]] = {
    "one column of decimal commas": ("x\n1,5\n2,25\n", "different numbers", None, {"decimal": ","}),
    "commas of two meanings": (
        "a;b\n1,500;2\n2,500;3\n",
        "decimal marks or thousands",
        None,
        {"decimal": ","},
    ),
    "commas of two meanings, thousands": (
        "a;b\n1,500;2\n2,500;3\n",
        "decimal marks or thousands",
        "a;b\n1500;2\n2500;3\n",
        {},
    ),
    "two decimal marks": (
        "a;b\n1,5;2\n2.5;3\n2,5;4\n",
        "same decimal mark",
        "a;b\n1,5;2\n2,5;3\n2,5;4\n",
        {},
    ),
    "units": ("a,b\ncm,kg\n1.5,2\n2.5,3\n3.5,5\n", "delete line 2", "a,b\n1.5,2\n2.5,3\n3.5,5\n", {}),
    "a strange word": (
        "a,b\n1.5,2\n?,3\n3.5,5\n",
        "'\\?' in line 3",
        "a,b\n1.5,2\nNA,3\n3.5,5\n",
        {"missing": "drop"},
    ),
    "too large": (f"a,b\n{2**64},2\n3,-{2**64}\n", "64 bits", f"a,b\n{2**64}.0,2\n3,-{2**64}.0\n", {}),
    "a title": ("Report of May\na;b\n1;2\n3;4\n", "delete line 1", "a;b\n1;2\n3;4\n", {}),
    "texts that look like columns": ("a\n1;2\n3;4\n", "double quotes", 'a,b\n"1;2",5\n"3;4",6\n', {}),
    "an empty line": ("a,b\n1.5,2\n\n3.5,5\n", "0 in line 3", "a,b\n1.5,2\n3.5,5\n", {}),
    "infinite": (
        "a,b\n1.5,2\ninf,3\n3.5,5\n",
        "'a': 1 of 3, the first in line 3",
        "a,b\n1.5,2\nNA,3\n3.5,5\n",
        {"missing": "median"},
    ),
    "no header": ("1,2\n3,4\n5,7\n", "may be no header", None, {"header": False}),
    "UTF-16 by another name": (
        "a,b\n1,2\n3,4\n".encode("utf-32-le"),
        "no text in",
        None,
        {"encoding": "utf-32-le"},
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_and_that_the_advice_helps(data: Any, case: str) -> None:
    if case == "too large" and int(pd.__version__.partition(".")[0]) < 3:
        pytest.skip("pandas 2 takes whole numbers with a decimal point for integers")
    content, message, mended, options = BAD[case]
    with pytest.raises(PartitaError, match=message) as caught:
        data("x.csv", content)
    assert str(caught.value.got).startswith("x.csv: ")
    assert caught.value.fix
    frame = data("x.csv", content if mended is None else mended, **options)
    assert np.isfinite(frame.to_numpy(dtype=float)).all()


def test_missing_values_are_told_by_text_column_count_and_line(data: Any) -> None:
    with pytest.raises(FileError) as caught:
        data("x.csv", "a,height\n1.5,2\n2.5,NA\n3.5,\n4.5,NA\n5,6\n")
    assert "column 'height': 3 of 5 (NA 2 times, empty; the first in line 3)" in str(caught.value.got)
    for policy, height in (("drop", [2, 6]), ("median", [2, 4, 4, 4, 6]), ("mean", [2, 4, 4, 4, 6])):
        frame = data("x.csv", Path("x.csv").read_bytes(), missing=policy)
        assert frame["height"].tolist() == height
        assert any("height 3" in note for note in frame.attrs["notes"])
    with pytest.raises(ParameterError, match="no such way"):
        data("x.csv", "a,b\n1,2\n", missing="zero")


def test_recognition_looks_at_a_sample_only(data: Any) -> None:
    """What comes later and does not fit is refused, not guessed."""
    lines = "".join(f"{i % 7};{i % 5}\n" for i in range(2000))
    with pytest.raises(FileError, match="same decimal mark") as caught:
        data("x.csv", f"a;b\n{lines}1,5;2\n")
    assert "'1,5' in line 2002" in str(caught.value.got)
    assert data("x.csv", f"a;b\n{lines}1,5;2\n", decimal=",")["a"].iloc[-1] == 1.5


class Pipe:
    """Standard input as a program writes to it."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    "content", [b"a,b\n1.5,2\n2.25,-3\n0.125,1000\n", b"a b\n1.5 2\n2.25 -3\n0.125 1e3\n"]
)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Pipe(content))
    assert read_data("-").to_numpy().tolist() == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "nothing came"), (b"\n\n", "nothing came"), (gzip.compress(b"a,b\n1,2\n"), "no text")],
    ids=["empty", "blank", "packed"],
)
def test_standard_input_without_a_text(monkeypatch: pytest.MonkeyPatch, content: bytes, message: str) -> None:
    monkeypatch.setattr(sys, "stdin", Pipe(content))
    with pytest.raises(FileError, match=message) as caught:
        read_data("-")
    assert str(caught.value.got).startswith("standard input")
