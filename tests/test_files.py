"""Clusterings from files: what is read, and that nothing is guessed."""

from __future__ import annotations

import gzip
import io
import itertools
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from partita.errors import (
    FileError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
    UnknownNameError,
)
from partita.files import read_data, read_partition, read_weights
from partita.files.tables import MISSING
from partita.partitions import HARD, Kind

TOUCHED = "unpickled"


class Trap:
    """Unpickling this creates a directory."""

    def __reduce__(self) -> Any:
        import os

        return os.mkdir, (TOUCHED,)


def npy(array: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def npz(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def write_and_read(name: str, content: str | bytes, **options: Any) -> Any:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return read_partition(name, **options)

    return write_and_read


LABELS = "label\na\na\nb\nc\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", LABELS),
        ("x.tsv", LABELS),
        ("x.CSV", LABELS),
        ("x.csv.gz", gzip.compress(LABELS.encode())),
        ("x.TSV.GZ", gzip.compress(LABELS.encode())),
        ("x.csv", "\ufeff" + LABELS),
        ("x.csv", LABELS.replace("\n", "\r\n")),
        ("x.csv", LABELS.replace("\n", "\r")),
        ("x.csv", LABELS + "\n\n"),
        ("x.csv", LABELS.rstrip("\n")),
        ("x.csv", 'label\n"a"\na\n"b"\nc\n'),
        ("x.npy", npy(np.array(list("aabc")))),
        ("x.npz", npz(anything=np.array(list("aabc")))),
        ("x.NPY", npy(np.array(list("aabc")))),
    ],
    ids=itertools.count(),  # archives hold the time, and pytest's workers must agree on names
)
def test_every_format_gives_the_same_labels(read: Any, name: str, content: str | bytes) -> None:
    part = read(name, content)
    assert part.kind is HARD
    assert part.labels.tolist() == ["a", "a", "b", "c"]
    assert part.index is None


def test_a_byte_order_mark_is_no_part_of_a_name(read: Any) -> None:
    assert read("x.csv", "\ufeff" + LABELS, columns=["label"]).n_objects == 4


def test_a_zero_byte_is_told_with_its_line(read: Any) -> None:
    with pytest.raises(FileError, match="byte 0x00 in line 3"):
        read("x.csv", "läbel\nööö\n\0\n")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "2", "-1", "10"], [1, 2, -1, 10]),
        (["1.0", "2.0", "1.0"], [1, 2, 1]),
        (["007", "010"], [7, 10]),
        (["1", "x", "2"], ["1", "x", "2"]),
        (["1_000", "2", "3"], ["1_000", "2", "3"]),
        (["99999999999999999999", "99999999999999999998"], ["99999999999999999999", "99999999999999999998"]),
        (["True", "False"], ["True", "False"]),
        (["inf", "1"], ["inf", "1"]),
        ([" a", "b"], ["a", "b"]),
        (['"a, b"', '"c\nd"', '"e""f"'], ["a, b", "c\nd", 'e"f']),
        (["<b>", "=cmd()", "ß"], ["<b>", "=cmd()", "ß"]),
    ],
)
def test_labels_are_whole_numbers_where_all_are_and_text_otherwise(
    read: Any, cells: list[str], labels: list[Any]
) -> None:
    assert read("x.csv", "\n".join(["label", *cells])).labels.tolist() == labels


def test_minus_one_is_noise_in_whatever_way_it_is_written(read: Any) -> None:
    for cells in (["-1", "0", "1"], ["-1.0", "0.0", "1.0"]):
        assert read("x.csv", "\n".join(["label", *cells])).noise_mask.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("one", "other"), [("1", "01"), ("1", "1.0"), ("a", "a "), ("x", "x\t"), ("1e1", "10")]
)
def test_one_label_in_two_spellings_is_refused(read: Any, one: str, other: str) -> None:
    with pytest.raises(PartitionError, match="spelled in two ways") as caught:
        read("x.csv", f"label\n{one}\n{other}\nz\n")
    assert repr(one) in str(caught.value)
    assert repr(other) in str(caught.value)


@pytest.mark.parametrize("cell", [cell for cell in MISSING if cell])
def test_a_missing_label_is_refused_in_every_spelling(read: Any, cell: str) -> None:
    with pytest.raises(PartitionError, match="labels are missing"):
        read("x.csv", f"label\na\n{cell}\nb\n")


def test_memberships_come_in_with_all_digits(read: Any) -> None:
    memberships = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    text = pd.DataFrame(memberships, columns=["p", "q", "r"]).to_csv(index=False)
    part = read("x.csv", text)
    assert np.array_equal(part.memberships(), memberships)
    assert part.names == ("p", "q", "r")
    assert read("y.csv", text, columns=["r", "p", "q"]).names == ("r", "p", "q")
    assert np.array_equal(read("z.npy", npy(memberships)).memberships(), memberships)


@pytest.mark.parametrize(
    ("text", "options", "kind"),
    [
        ("a,b\n1,0\n0,1\n", {}, "hard"),
        ("a,b\n1,0\n0,1\n", {"kind": "fuzzy"}, "fuzzy"),
        ("a,b\n.5,.5\n0,1\n", {}, "fuzzy"),
        ("a,b\n.5,.6\n0,1\n", {"kind": "possibilistic"}, "possibilistic"),
        ("a,b\n.5,.6\n0,1\n", {"normalize": True}, "fuzzy"),
        ("a,b\nTrue,True\nFalse,True\n", {"kind": "rough"}, "rough"),
        ("a,b\n1,1\n0,1\n", {"kind": "rough"}, "rough"),
        ("label\na\nb\n", {"kind": "evidential"}, "evidential"),
    ],
)
def test_kinds(read: Any, text: str, options: dict[str, Any], kind: str) -> None:
    assert read("x.csv", text, **options).kind is Kind(kind)


def test_masses_and_focal_sets_in_one_npz(read: Any) -> None:
    content = npz(mass=np.array([[0.5, 0.5], [0.0, 1.0]]), F=np.array([[1, 0], [1, 1]]), other=np.arange(2))
    assert read("x.npz", content).kind is Kind.EVIDENTIAL
    assert read("x.npz", content, columns=["other"]).kind is HARD


# --- header -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1\n1\n2\n",
        "0\n0\n1\n",  # as pandas writes a series, and as a file without header begins
        "0,1\n1,0\n1,0\n",
        "0.5,0.5,0\n1,0,0\n0,0,1\n",
        "0,0,1\n0,1,0\n0,0,1\n",
        "setosa\nsetosa\nversicolor\n",
    ],
)
def test_a_first_line_that_may_be_an_object_is_refused(read: Any, text: str) -> None:
    with pytest.raises(FileError, match="may be no header") as caught:
        read("x.csv", text)
    assert "--no-header" in str(caught.value.fix)
    assert read("x.csv", text, header=False).n_objects == 3


@pytest.mark.parametrize("text", ["0\n0\n1\n", "0,1\n1,0\n1,0\n", "setosa\nsetosa\nvirginica\n"])
def test_a_first_line_is_a_header_when_the_caller_says_so(read: Any, text: str) -> None:
    assert read("x.csv", text, header=True).n_objects == 2


@pytest.mark.parametrize("names", ["0,1,2", ",0,1,2", "a,1,2", "2010,b,2012"])
def test_numbers_that_name_columns_are_fine(read: Any, names: str) -> None:
    row = ",".join(["7"] * (names.count(",") - 2) + ["0.2", "0.3", "0.5"])
    part = read("x.csv", f"{names}\n{row}\n")
    assert (part.n_objects, part.n_clusters) == (1, 3)


def test_without_a_header_columns_are_counted(read: Any) -> None:
    text = "x,0.5,0.5\ny,0.1,0.9\n"
    assert read("x.csv", text, header=False, columns=["0"]).labels.tolist() == ["x", "y"]
    part = read("x.csv", text, header=False, id_column="0")
    assert (list(part.index), part.kind) == (["x", "y"], Kind.FUZZY)


# --- identifiers ------------------------------------------------------------------------------------------


def test_identifiers_stay_text(read: Any) -> None:
    part = read("x.csv", "id,label\n007,1\n7,2\nNA,3\n 8 ,4\n", id_column="id")
    assert list(part.index) == ["007", "7", "NA", "8"]


def test_a_first_column_without_a_name_holds_identifiers(read: Any) -> None:
    part = read("x.csv", pd.DataFrame({"label": ["a", "b"]}, index=[5, 3]).to_csv())
    assert (list(part.index), part.labels.tolist()) == (["5", "3"], ["a", "b"])


@pytest.mark.parametrize("identifiers", ["1,1", "1,", "1, 1"])
def test_repeated_or_missing_identifiers_are_refused(read: Any, identifiers: str) -> None:
    rows = "".join(f"{i},a\n" for i in identifiers.split(","))
    with pytest.raises(MismatchError, match="repeated or missing"):
        read("x.csv", f"id,label\n{rows}", id_column="id")


# --- what is refused --------------------------------------------------------------------------------------

GOOD = npy(np.arange(4))
BAD_FILES: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("x.csv", b"", "no objects"),
    "blank lines": ("x.csv", "\n\n\n", "no objects"),
    "header only": ("x.csv", "label\n", "no objects"),
    "garbage": ("x.csv", bytes(range(255, 0, -1)), "no text in"),
    "zero byte": ("x.csv", "label\na\0b\nc\n", "no text in UTF-8"),
    "cut utf-16": ("x.csv", LABELS.encode("utf-16")[:-1], "no text in utf-16"),
    "a line too short": ("x.csv", "a,b,c\n1,0,0\n1,0\n", "different numbers of columns"),
    "a line too long": ("x.csv", "label\na\nb,c\n", "different numbers of columns"),
    "all lines too long": ("x.csv", "label\na,b\nc,d\n", "different numbers of columns"),
    "an empty line inside": ("x.csv", "label\na\n\nb\n", "different numbers of columns"),
    "open quote": ("x.csv", 'label\n"a\nb\n', "malformed"),
    "text after a quote": ("x.csv", 'label\n"a"x\nb\n', "malformed"),
    "a field of 3 MB": ("x.csv", "label\n" + "x" * 3_000_000 + "\nb\n", "malformed"),
    "a header of 3 MB": ("x.csv", "x" * 3_000_000 + "\nb\n", "malformed"),
    "semicolons, a line too long": ("x.csv", "a;b\n1;2;3\n", "separated by ';'"),
    "tabs, a line too long": ("x.csv", "a\tb\n1\t2\t3\n", "3 in line 2"),
    "two columns of one name": ("x.csv", "a, a\n1,0\n", "same name"),
    "a word among numbers": ("x.csv", "a,b\n0.5,half\n0.5,0.5\n", "column 'b' holds numbers, and texts"),
    "words in a matrix": ("x.csv", "a,b\n0.5,half\n0.5,most\n", "not all of them are numbers"),
    "words and labels": ("x.csv", "name,label\nx,1\ny,2\n", "not all of them are numbers"),
    "commas of two meanings": ("x.csv", 'a,b\n"1,500","2,500"\n', "decimal marks or thousands separators"),
    "a hole in a matrix": ("x.csv", "a,b\n,1\n0.5,0.5\n", "memberships are missing"),
    "rows off": ("x.csv", "a,b\n0.5,0.6\n1,0\n", "do not sum to one"),
    "negative": ("x.csv", "a,b\n-0.5,1.5\n1,0\n", "outside"),
    "infinite": ("x.csv", "a,b\ninf,0\n1,0\n", "not finite"),
    "continuous labels": ("x.csv", "label\n0.1\n0.2\n0.35\n0.7\n", "continuous"),
    "a false spreadsheet": ("x.xlsx", b"PK", "no spreadsheet"),
    "an old spreadsheet": ("x.xls", b"PK", "kind of file is not known"),
    "a false parquet": ("x.parquet", b"PAR1", "no parquet file"),
    "a false feather": ("x.feather", b"ARROW1", "no feather file"),
    "no ending": ("x", LABELS, "kind of file is not known"),
    "gz of nothing known": ("x.gz", gzip.compress(b"a"), "kind of file is not known"),
    "no gzip": ("x.csv.gz", LABELS, "cannot be read"),
    "cut gzip": ("x.csv.gz", gzip.compress(LABELS.encode() * 99)[:40], "cannot be read"),
    "gzip with a wrong sum": ("x.csv.gz", gzip.compress(LABELS.encode())[:-8] + b"\0" * 8, "cannot be read"),
    "gzip with a wrong block": ("x.csv.gz", gzip.compress(b"")[:10] + b"\xff" * 30, "cannot be read"),
    "text as npy": ("x.npy", LABELS, "no NumPy file"),
    "empty npy": ("x.npy", b"", "no NumPy file"),
    "cut npy": ("x.npy", GOOD[:-5], "no NumPy file"),
    "npy of objects": ("x.npy", npy(np.array([Trap()]), allow_pickle=True), "no NumPy file"),
    "a pickle": ("x.npy", pickle.dumps(Trap()), "no NumPy file"),
    "npy with a name in its head": ("x.npy", GOOD.replace(b"'<i8'", b"print"), "no NumPy file"),
    "npy of negative size": ("x.npy", GOOD.replace(b"(4,), ", b"(-4,),"), "no NumPy file"),
    "npy of a petabyte": (
        "x.npy",
        GOOD.replace(b"(4,), }             ", b"(99999999999999,), }"),
        "no NumPy file",
    ),
    "npz of objects": ("x.npz", npz(a=np.array([Trap()])), "no NumPy file"),
    "cut npz": ("x.npz", npz(a=np.arange(4))[:-30], "no NumPy file"),
    "npz of several": ("x.npz", npz(a=np.arange(4), b=np.arange(4)), "holds several"),
    "npz of none": ("x.npz", npz(), "is empty"),
    "zip of texts": ("x.npz", zipped("a.txt", b"hello"), "something else than arrays"),
    "zip of a false npy": ("x.npz", zipped("a.npy", b"hello"), "something else than arrays"),
    "three dimensions": ("x.npy", npy(np.zeros((2, 2, 2))), "not a matrix"),
    "a single number": ("x.npy", npy(np.array(3)), "single value"),
    "no rows": ("x.npy", npy(np.zeros((0, 3))), "no objects"),
    "complex": ("x.npy", npy(np.array([1j, 2])), "no categories"),
    "records": ("x.npy", npy(np.zeros(2, dtype=[("a", int)])), "no categories"),
    "nan labels": ("x.npy", npy(np.array([1.0, np.nan])), "labels are missing"),
    "masses off": ("x.npz", npz(mass=np.ones((2, 2)), F=np.eye(2)), "do not sum to one"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_refused_with_advice(read: Any, case: str) -> None:
    if case == "npy of negative size" and np.lib.NumpyVersion(np.__version__) < "2.3.0":
        pytest.skip("NumPy before 2.3 takes a negative size for one that is not told")
    name, content, message = BAD_FILES[case]
    with pytest.raises(PartitaError, match=message) as caught:
        read(name, content)
    problem = caught.value
    assert problem.got is not None
    assert problem.got.startswith(name)
    assert problem.need or problem.fix
    assert not Path(TOUCHED).exists()


def test_the_trap_would_be_seen(read: Any) -> None:
    """The tests on pickles can fail: unpickled, the trap leaves its trace."""
    pickle.loads(pickle.dumps(Trap()))
    assert Path(TOUCHED).is_dir()


def test_missing_files_and_directories(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_partition(tmp_path / "none.csv")
    with pytest.raises(FileError, match="no such file"):
        read_partition(tmp_path / "none.npy")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError, match="directory"):
        read_partition(tmp_path / "folder.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    with pytest.raises(FileError, match="cannot be read"):
        read_partition(tmp_path / "loop.csv")


READERS = {"partition": read_partition, "data": read_data, "weights": lambda path: read_weights(path, "a")}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize("path", ["a\0b.csv", "a\0b.npy", "\ud800.csv", 3, None, b"x.csv", ["x.csv"]])
def test_what_is_no_name_of_a_file(reader: Any, path: Any) -> None:
    with pytest.raises(FileError, match="no name of a file"):
        reader(path)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_one_name_twice_among_very_many_columns(reader: Any, tmp_path: Path) -> None:
    """Looked for once, not once for each column."""
    names = [f"c{i}" for i in range(60_000)]
    names[-1] = names[-2]
    row = ",".join(["0"] * len(names))
    (tmp_path / "x.csv").write_text(f"{','.join(names)}\n{row}\n")
    with pytest.raises(FileError, match=r"same name(.|\n)*'c59998'"):
        reader(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("name", "content", "options", "error", "message"),
    [
        ("x.csv", "species,b\n1,0\n", {"columns": ["spicies"]}, UnknownNameError, "did you mean species"),
        ("x.csv", "name,label\nx,a\n", {"id_column": "nam"}, UnknownNameError, "did you mean name"),
        ("x.csv", "id,label\nx,a\n", {"id_column": "id", "columns": ["id"]}, UnknownNameError, "beside"),
        ("x.csv", "id\nx\n", {"id_column": "id"}, FileError, "identifiers only"),
        ("x.csv", "a,b\n1,0\n", {"columns": ["a", "a"]}, PartitionError, "same name"),
        ("x.csv", LABELS, {"kind": "fuzy"}, UnknownNameError, "did you mean fuzzy"),
        ("x.npy", GOOD, {"columns": ["a"]}, ParameterError, "no named columns"),
        ("x.npy", GOOD, {"id_column": "a"}, ParameterError, "no column of identifiers"),
        ("x.npz", npz(truth=np.arange(4)), {"columns": ["trut"]}, UnknownNameError, "did you mean truth"),
        (
            "x.npz",
            npz(a=np.arange(4), b=np.arange(4)),
            {"columns": ["a", "b"]},
            FileError,
            "holds several",
        ),
    ],
    ids=itertools.count(),
)
def test_names_that_are_not_there(
    read: Any, name: str, content: Any, options: dict[str, Any], error: type[PartitaError], message: str
) -> None:
    with pytest.raises(error) as caught:
        read(name, content, **options)
    assert message in str(caught.value)
    assert str(caught.value.got).startswith(name)


def test_a_matrix_that_may_be_labels_says_how_to_name_them(read: Any) -> None:
    with pytest.raises(PartitionError) as caught:
        read("x.csv", "id,label\n1,1\n2,1\n3,2\n")
    assert "columns NAME, id_column NAME" in str(caught.value.fix)
    with pytest.raises(PartitionError) as caught:
        read("x.csv", "a,b,id\n.5,.6,x\n", columns=["a", "b"])
    assert "id_column" not in str(caught.value.fix)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.npy", GOOD),
        ("x.npz", npz(a=np.arange(40))),
        ("x.csv.gz", gzip.compress(LABELS.encode() * 5)),
        ("x.csv", b"id,label\n1,a\n2,b\n3,b\n"),
    ],
    ids=["npy", "npz", "gzip", "csv"],
)
def test_damaged_files_are_read_or_refused(read: Any, name: str, content: bytes) -> None:
    """No damage of one byte, and no cut, leads to anything but a clustering or an error of ours."""
    random = np.random.default_rng(0)
    messages = []
    for _ in range(300):
        damaged = bytearray(content)
        damaged[random.integers(len(content))] = random.integers(256)
        for version in (bytes(damaged), content[: random.integers(len(content))]):
            try:
                assert read(name, version).n_objects >= 1
            except PartitaError as problem:
                messages.append(str(problem.got))
    assert len(messages) > 100
    assert all(message.startswith(name) for message in messages)
