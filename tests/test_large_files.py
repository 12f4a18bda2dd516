"""Files that are read part by part: the same values as in memory, or a refusal that says why."""

import csv
import datetime as dt
import decimal
import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import partita as pt
from command_runs import runner
from partita.arrays import thread_count
from partita.arrays.row_blocks import in_order
from partita.errors import (
    FileError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
    TooLargeError,
)
from partita.files import (
    chunked_labels,
    parquet,
    read_data,
    read_partition,
    read_weights,
    saved_arrays,
    scans,
    text_scans,
)
from partita.files.scans import RowMask, open_scan
from partita.files.tables import open_table
from partita.files.text import Writing

N = 3000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Parts of a few rows, so that small files have many."""
    monkeypatch.setattr(parquet, "PART_ROWS", 400)
    monkeypatch.setattr(text_scans, "PART_BYTES", 1 << 12)
    monkeypatch.setattr(saved_arrays, "ARRAY_BYTES", 1 << 13)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, N)
    found = np.where(rng.random(N) < 0.7, truth, rng.integers(0, 6, N))
    return pd.DataFrame(
        {
            "id": np.arange(N) + 950,
            "truth": truth,
            "found": np.where(found == 5, -1, found),
            "name": np.array([*"abcde", "x, y"])[found],
            "x": rng.normal(size=N) + truth,
            "y": rng.normal(size=N).round(3),
            "w": rng.integers(0, 3, N),
            "one": 1,
        }
    )


@pytest.fixture
def files(frame, tmp_path, monkeypatch):
    """A folder with the same objects in many files, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    frame.to_parquet("all.parquet", row_group_size=250, index=False)
    frame.to_csv("all.csv", index=False)
    (tmp_path / "all.csv.gz").write_bytes(gzip.compress((tmp_path / "all.csv").read_bytes()))
    (tmp_path / "parts").mkdir()
    for i in range(12):
        frame[i * 250 : (i + 1) * 250].to_parquet(f"parts/part-{i}.parquet", index=False)
    some = frame.loc[frame.id % 7 != 0, ["id", "name"]]
    frame[["id", "truth"]].to_parquet("truth.parquet", row_group_size=500, index=False)
    some.to_parquet("found.parquet", row_group_size=300, index=False)
    some.to_csv("found.csv", index=False)
    some.sample(frac=1, random_state=0).to_parquet("mixed.parquet", row_group_size=300, index=False)
    memberships = rng.dirichlet(np.ones(4), N)
    pd.DataFrame(memberships, columns=list("abcd")).to_parquet("soft.parquet", row_group_size=300)
    np.save("single.npy", memberships.astype(np.float32))
    np.save("fortran.npy", np.asfortranarray(memberships))
    np.save("big_endian.npy", memberships.astype(">f8"))
    np.save("labels.npy", frame.truth.to_numpy())
    np.save("tiny_labels.npy", frame.found.to_numpy().astype(np.int8))
    np.save("X.npy", frame[["x", "y"]].to_numpy(dtype=np.float32))
    return tmp_path


@pytest.fixture
def run(capsys):
    return runner(capsys)


def rows_of(outcome):
    assert outcome.code == 0, outcome.err
    return {row["index"]: row for row in csv.DictReader(io.StringIO(outcome.out))}


def is_same(one, other):
    try:
        return one == other or abs(float(one) - float(other)) <= 1e-12 * max(1.0, abs(float(one)))
    except ValueError:
        return False


COMMANDS = [
    "compare all.parquet --truth truth --labels found",
    "compare all.parquet --truth truth --labels name --weight w",
    "compare all.parquet --truth truth --labels found --noise ignore",
    "compare all.parquet --truth truth --labels name --noise-label b --noise ignore --weight w",
    "compare all.csv --truth truth --labels name",
    "compare all.csv.gz --truth name --labels found",
    "compare parts --truth truth --labels name",
    "compare all.csv labels.npy --truth found",
    "compare labels.npy tiny_labels.npy",
    "compare truth.parquet found.parquet",
    "compare truth.parquet mixed.parquet",
    "compare mixed.parquet truth.parquet --id id",
    "compare truth.parquet found.csv",
    "compare labels.npy single.npy",
    "compare single.npy fortran.npy",
    "compare big_endian.npy soft.parquet",
    "compare all.csv soft.parquet --truth truth --by-row",
    "compare all.parquet --truth truth --labels name --data all.parquet --columns x,y",
    "compare all.parquet --truth truth --labels name --null permutation --indices ARI",
    "validate all.parquet --labels found",
    "validate all.csv --labels name",
    "validate parts --labels truth --columns x,y",
    "validate X.npy --memberships labels.npy",
    "validate X.npy --memberships fortran.npy",
    "validate all.parquet --labels found --noise ignore",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_values_are_those_in_memory(files, run, command):
    whole, parts = (run(f"{command} {how} --all --format csv") for how in ("--in-memory", "--in-chunks"))
    if "--indices" in command:
        whole, parts = (run(f"{command} {how} --format csv") for how in ("--in-memory", "--in-chunks"))
    expected, values = rows_of(whole), rows_of(parts)
    left_out = next((line for line in parts.err.splitlines() if line.startswith("left out: ")), "")
    assert expected.keys() - values.keys() <= set(left_out.removeprefix("left out: ").split(", "))
    assert values.keys() <= expected.keys()
    assert len(values) > 15 or "--indices" in command
    for index, row in values.items():
        for column in expected[index].keys() & row.keys() - {"caveat"}:
            assert is_same(expected[index][column], row[column]), (index, column)
    said = [
        {
            line.replace(
                ", cluster_negentropy", ""
            )  # refused in parts, without a value for small clusters here
            for line in text.splitlines()
            if not line.startswith(("left out: ", "features: "))
        }
        for text in (whole.err, parts.err)
    ]
    assert said[0] == said[1]


def test_several_clusterings(files, run):
    command = "compare all.csv --truth truth --clusterings found,name --indices ARI,VI --format csv"
    whole, parts = (rows_of(run(f"{command} {how}")) for how in ("--in-memory", "--in-chunks"))
    for index, row in whole.items():
        assert all(is_same(row[name], parts[index][name]) for name in ("found", "name"))


def test_large_files_are_read_in_parts_unasked(files, run, monkeypatch):
    asked = []
    monkeypatch.setattr(scans, "LARGEST_IN_MEMORY", 1000)
    usual = parquet.ParquetParts.column
    monkeypatch.setattr(
        parquet.ParquetParts, "column", lambda self, *a: asked.append(a[1]) or usual(self, *a)
    )
    assert run("compare all.parquet --truth truth --labels found").code == 0
    # each column of each part once: labels are counted when they are first read
    assert sorted(asked) == sorted(["truth", "found"] * 12)
    assert run("compare all.csv --truth truth --labels found --in-memory").code == 0


def test_python_door(files, frame):
    truth, found = (read_partition("all.parquet", columns=[c], in_chunks=True) for c in ("truth", "name"))
    assert repr(truth) == "HardPartition(n=3000, 12 chunks)"
    weights = read_weights("all.parquet", "w", in_chunks=True)
    lazy = pt.compare(truth, found, sample_weight=weights)
    plain = pt.compare(frame.truth, frame.name, sample_weight=frame.w)
    assert [row.index for row in lazy.rows] == [row.index for row in plain.rows]
    np.testing.assert_array_equal([row.value for row in lazy.rows], [row.value for row in plain.rows])
    pd.testing.assert_frame_equal(
        pt.contingency(truth, found), pt.contingency(frame.truth.to_numpy(), frame.name.to_numpy())
    )
    X = read_data("all.parquet", leave_out=["truth", "found", "w"], in_chunks=True)
    assert X.features == ("x", "y")
    value = pt.indices.calinski_harabasz(X, truth)
    assert value == pytest.approx(
        pt.indices.calinski_harabasz(frame[["x", "y"]].to_numpy(), frame.truth), rel=1e-12
    )
    with pytest.raises(TooLargeError, match="all objects at once"):
        pt.validate(X, truth, indices=["dbcv"])
    with pytest.raises(ParameterError, match="without gaps"):
        read_partition("all.parquet", columns=["truth"], missing="drop", in_chunks=True)


def test_results_are_shown_in_a_notebook(files, run):
    truth, soft = (read_partition(name, in_chunks=True) for name in ("labels.npy", "single.npy"))
    noisy = read_partition("all.parquet", columns=["found"], in_chunks=True)
    shown = pt.compare(truth, noisy)._repr_html_()
    assert "<svg" in shown
    assert "noise" in shown
    assert "<table" in pt.compare(truth, soft)._repr_html_()
    X = read_data("X.npy", in_chunks=True)
    assert "<table" in pt.validate(X, truth)._repr_html_()
    assert run("compare all.parquet --truth truth --labels found --in-chunks --plot it.svg").code == 0


# --- texts ----------------------------------------------------------------------------------------------

LINES = b"".join(b"%d,%.1f,w%d\n" % (i, i / 3, i % 4) for i in range(1000))
HEADER = b"id,x,w\n"
TEXTS = {
    "plain": HEADER + LINES,
    "without an end of line": HEADER + LINES[:-1],
    "a mark of UTF-8": b"\xef\xbb\xbf" + HEADER + LINES,
    "lines of Windows": (HEADER + LINES).replace(b"\n", b"\r\n"),
    "lines of old Macs": (HEADER + LINES).replace(b"\n", b"\r"),
    "empty lines at the end": HEADER + LINES + b"\n\n\n",
    "separators at the end": HEADER + LINES + b",,\n,,\n",
    "a name over two lines": b'"i\nd",x,w\n' + LINES,
    "a text over two lines": HEADER + LINES + b'1,2,"a\nb"\n' + LINES,
    "quotes in quotes": HEADER + LINES + b'1,2,"a,""b"\n' + LINES,
    "a quote in a word": HEADER + LINES + b'1,2,5"\n' + LINES,
    "letters of Windows deep down": HEADER + LINES + b"1,2,\xe4\n" + LINES,
    "a line that names the separator": b"sep=;\n" + (HEADER + LINES).replace(b",", b";"),
    "decimal commas": (HEADER + LINES).replace(b",", b";").replace(b".", b","),
    "a column without a name": b"id,x,\n" + b"1,2,\n" * 1000,
    "one column": b"id\n" + b"1\n2\n" * 2000,
    "a long text": HEADER + LINES + b'1,2,"' + b"word " * 2000 + b'"\n' + LINES,
    "too few columns": HEADER + LINES + b"1,2\n" + LINES,
    "too many columns": HEADER + LINES + b"1,2,3,4\n" + LINES,
    "an empty line": HEADER + LINES + b"\n" + LINES,
    "an open quote": HEADER + LINES + b'1,2,"open\n' + LINES,
    "no object": HEADER,
    "nothing": b"",
    "numbers in the first line": LINES.replace(b"w", b""),
    "two columns of one name": b"id,x,x\n" + LINES,
}


def opened(opener, path, writing):
    """Names, cells, notes; or what is wrong."""
    try:
        table = opener(path, writing)
        if isinstance(table, scans.Scan):
            parts = [table.part(i).read([], table.names) for i, _ in enumerate(table.sizes)]
            assert [len(part) for part in parts] == list(table.sizes)
            cells = pd.concat(parts)
        else:
            cells = table.read([], table.names)
    except PartitaError as problem:
        return problem.what, str(problem.got), str(problem.need), str(problem.fix)
    return table.names, cells.to_numpy().tolist(), table.notes


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_texts_are_read_as_in_memory(tmp_path, text, ending):
    path = tmp_path / f"a{ending}"
    path.write_bytes(gzip.compress(TEXTS[text]) if ending.endswith("gz") else TEXTS[text])
    whole, parts = (opened(how, path, Writing()) for how in (open_table, open_scan))
    if text == "an open quote":
        # in memory the line is told in which the file ends, in parts the one where a part begins
        assert parts[0] == whole[0] == "this file is malformed."
    else:
        assert parts == whole


@pytest.mark.parametrize("text", ["1  2.5  a\n", "1\t2.5\ta\n"])
def test_blanks_between_columns(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text("id x w\n".replace(" ", text[1]) + text * 2000)
    assert opened(open_scan, path, Writing()) == opened(open_table, path, Writing())


def test_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(HEADER + LINES + "1,2,ä\n".encode("latin-1") + LINES)
    latin = Writing(encoding="latin-1")
    assert opened(open_scan, path, latin) == opened(open_table, path, latin)
    assert "no text in utf-8" in opened(open_scan, path, Writing(encoding="utf-8"))[0]
    for name in ("klingon", "idna", "base64"):
        with pytest.raises(ParameterError, match="no such encoding"):
            open_scan(path, Writing(encoding=name))
    with pytest.raises(FileError, match="iconv -f cp037"):
        open_scan(path, Writing(encoding="cp037"))
    path.write_text("id,x\n1,2\n", encoding="utf-16")
    with pytest.raises(FileError, match="not read in chunks"):
        open_scan(path, Writing())
    path.write_bytes(HEADER + LINES + b"1,2,\0\n")
    with pytest.raises(FileError, match="no text") as caught:
        open_scan(path, Writing())
    assert "line 1002" in str(caught.value)


@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "cp1252", "gb18030"])
@pytest.mark.parametrize("marks", [b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2, b"\xef\xbb\xbf" * 3, b"\x841\x953"])
def test_marks_before_a_text_are_left_away_as_in_memory(tmp_path, marks, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(marks + HEADER + LINES)
    writing = Writing(encoding=encoding)
    whole, parts = (opened(read, path, writing) for read in (open_table, open_scan))
    assert whole == parts


@pytest.mark.parametrize("control", [b"\x01", b"\x0b", b"\x0c", b"\x1f"])
def test_control_characters_are_in_no_text_whose_encoding_is_guessed(tmp_path, control):
    path = tmp_path / "a.csv"
    path.write_bytes(HEADER + "1,2,ä\n".encode("latin-1") + LINES + b"1,2,b" + control + b"\n")
    whole, parts = (opened(read, path, Writing()) for read in (open_table, open_scan))
    assert whole == parts


def test_words_deep_among_numbers_are_told_with_their_line(tmp_path, run):
    path = tmp_path / "a.csv"
    path.write_bytes(b"x,y,g\n" + b"1.5,2.5,a\n2.5,1.5,b\n" * 1000 + b"oops,2,a\n")
    outcome = run(f"validate {path} --labels g --in-chunks")
    assert outcome.code == 2
    assert "'oops' in line 2002" in outcome.err
    assert str(path) in outcome.err


# --- labels in Parquet ------------------------------------------------------------------------------------

DEEP = 900
COLUMNS = {
    "categories that no object has": pd.Categorical(["a", "b"] * DEEP, categories=["z", "b", "a"]),
    "words": ["a", "b", "c"] * DEEP,
    "words with blanks": [" a", "b "] * DEEP,
    "truth values": [True, False] * DEEP,
    "whole floats": [1.0, 2.0] * DEEP,
    "numbers as words": ["1", "-1", "2"] * DEEP,
    "decimals": [decimal.Decimal("1.0"), decimal.Decimal("2.0")] * DEEP,
    "dates": [dt.date(2024, 1, 1), dt.date(2025, 1, 1)] * DEEP,
    "lists": [[1], [2, 3]] * DEEP,
    "small numbers": np.array([0, 200] * DEEP, dtype=np.uint8),
    "numbers far apart": np.array([0, 10**15, -5] * DEEP),
    "words in a later part": ["1"] * DEEP + ["a"] * DEEP,
    "huge numbers": np.array([2**63 + 1, 3] * DEEP, dtype=np.uint64),
    "a missing one deep down": [*([1] * DEEP), None, 2],
    "a missing word": [*(["a"] * DEEP), "NA", None],
    "all missing": pd.array([None] * DEEP, dtype="Int64"),
    "floats that are no labels": [0.5, 1.25] * DEEP,
    "two spellings": [*(["a"] * DEEP), "a "],
    "a placeholder": [*(["1"] * DEEP), "?"],
    "words that differ by a zero at their end": ["a", "a\0", "b"] * DEEP,
}


@pytest.mark.parametrize("column", COLUMNS)
def test_labels_of_every_type(tmp_path, column):
    values = COLUMNS[column]
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"g": pa.array(values, from_pandas=True)}), path, row_group_size=100)
    told = []
    for in_chunks in (False, True):
        try:
            part = read_partition(path, columns=["g"], in_chunks=in_chunks)
        except PartitaError as problem:
            told.append((problem.what, str(problem.got).partition(";")[0], str(problem.fix)))
        else:
            mates = np.arange(part.n_objects) % 3
            told.append(pt.contingency(part, mates).to_csv())
    assert told[0] == told[1]


@pytest.mark.parametrize("how", ["--in-memory", "--in-chunks"])
def test_the_name_of_a_column_may_be_a_label_in_parquet(tmp_path, run, how):
    pd.DataFrame({"g": ["g", "h"] * 50, "t": [0, 1] * 50}).to_parquet(tmp_path / "a.parquet")
    outcome = run(f"compare {tmp_path / 'a.parquet'} --truth g --labels t {how} --format csv")
    assert float(rows_of(outcome)["adjusted_rand"]["value"]) == 1


def test_mixed_parts_of_a_folder_are_refused(files):
    pd.DataFrame({"truth": ["a"]}).to_parquet("parts/part-3.parquet")
    with pytest.raises(FileError, match="different columns") as caught:
        open_scan("parts", Writing())
    assert "part-3.parquet" in str(caught.value)


def test_a_folder_is_read_in_the_order_of_its_names(files, frame):
    pd.DataFrame(frame[:0]).to_parquet("parts/part-0.empty.parquet", index=False)
    (files / "parts" / "_SUCCESS").touch()
    (files / "parts" / ".hidden.parquet").write_text("no")
    scan = open_scan("parts", Writing())
    ids = [scan.part(i).read(["id"])["id"] for i, _ in enumerate(scan.sizes)]
    assert pd.concat(ids).tolist() == frame.id.tolist()
    assert not scan.notes
    (files / "parts" / "readme.txt").touch()
    assert "readme.txt" in open_scan("parts", Writing()).notes[0]
    assert read_partition("parts", columns=["truth"]).values.tolist() == frame.truth.tolist()


def test_folders_that_name_values(tmp_path, frame, run):
    frame.to_parquet(tmp_path / "by", partition_cols=["truth"], index=False)
    for how in ("--in-chunks", "--in-memory"):
        table = rows_of(run(f"compare {tmp_path / 'by'} --truth truth --labels found {how} --format csv"))
        expected = pt.compare(frame.truth.to_numpy(), frame.found.to_numpy())["ARI"].value
        assert float(table["adjusted_rand"]["value"]) == expected
    for file in (tmp_path / "by").rglob("*.parquet"):
        inside = pd.read_parquet(file, partitioning=None)
        inside.assign(truth=9).to_parquet(file, index=False)  # a column of this name too: the folder counts
    for how in ("--in-chunks", "--in-memory"):
        table = rows_of(run(f"compare {tmp_path / 'by'} --truth truth --labels found {how} --format csv"))
        assert float(table["adjusted_rand"]["value"]) == expected


def test_a_folder_with_texts_and_categories(tmp_path, run, frame):
    (tmp_path / "parts").mkdir()
    frame[:1000].to_parquet(tmp_path / "parts" / "a.parquet")
    frame[1000:].astype({"name": "category"}).to_parquet(tmp_path / "parts" / "b.parquet")
    command = f"compare {tmp_path / 'parts'} --truth truth --labels name --format csv"
    whole, parts = (rows_of(run(f"{command} {how}")) for how in ("--in-memory", "--in-chunks"))
    assert whole["adjusted_rand"]["value"] == parts["adjusted_rand"]["value"]


def test_folders_without_parquet(tmp_path, run):
    assert "this is a directory" in run(f"compare {tmp_path} {tmp_path}").err
    (tmp_path / "a.csv").touch()
    outcome = run(f"compare {tmp_path} {tmp_path} --in-chunks")
    assert outcome.code == 2
    assert "a.csv" in outcome.err


def damaged(path, place):
    content = bytearray(path.read_bytes())
    content[place : place + 400] = b"\xff" * 400
    path.write_bytes(content)


def test_damaged_parquet(files, run):
    whole = (files / "all.parquet").read_bytes()
    (files / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    outcome = run("compare cut.parquet --truth truth --labels found --in-chunks")
    assert outcome.code == 2
    assert "FileError: this is no parquet file" in outcome.err
    place = pq.ParquetFile("all.parquet").metadata.row_group(6).column(1).data_page_offset
    damaged(files / "all.parquet", place - 20)
    outcome = run("compare all.parquet --truth truth --labels found --in-chunks")
    assert outcome.code == 2
    assert "all.parquet: row group 6, column 'truth'" in outcome.err


def test_no_objects(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="no objects"):
        open_scan(tmp_path / "a.parquet", Writing())


def test_too_many_labels(files, monkeypatch):
    monkeypatch.setattr(chunked_labels, "MOST_LABELS", 1000)
    with pytest.raises(TooLargeError, match="too many different labels"):
        read_partition("all.parquet", columns=["id"], in_chunks=True)


# --- files that change ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["all.parquet", "all.csv", "labels.npy"])
def test_a_file_that_changes_meanwhile(files, frame, name):
    columns = None if name.endswith("npy") else ["truth"]
    part = read_partition(name, columns=columns, in_chunks=True)
    content = (files / name).read_bytes()
    (files / name).write_bytes(content)
    os.utime(files / name, ns=(0, 0))
    with pytest.raises(FileError, match="changed while it was read"):
        pt.compare(part, frame.found.to_numpy(), indices=["ARI"])
    (files / name).unlink()
    with pytest.raises(FileError, match=r"changed while it was read|cannot be read|no .* file"):
        pt.compare(part, frame.found.to_numpy(), indices=["ARI"])


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="the device that is full is one of Linux")
def test_no_room_to_unpack_a_text(files, run, monkeypatch):
    monkeypatch.setattr(text_scans.tempfile, "TemporaryFile", lambda: FULL.open("wb", buffering=0))
    outcome = run("compare all.csv.gz --truth truth --labels found --in-chunks")
    assert outcome.code == 2
    assert "no room for the temporary file" in outcome.err
    assert "TMPDIR" in outcome.err


CUT = """
import os
from partita.files.scans import open_scan
from partita.files.text import Writing
scan = open_scan("labels.npy", Writing())
rows = scan.rows_of(0)
os.truncate("labels.npy", 200)
print(rows.sum())
"""


def test_a_text_that_is_cut_while_it_is_looked_at(files, monkeypatch):
    usual = text_scans.TextScan._bytes

    def cut(self, start, count):
        if start > 1 << 14:
            os.truncate("all.csv", 1 << 13)
        return usual(self, start, count)

    monkeypatch.setattr(text_scans.TextScan, "_end_of_content", lambda self, _: self._size)
    monkeypatch.setattr(text_scans.TextScan, "_bytes", cut)
    with pytest.raises(FileError, match="changed while it was read"):
        open_scan("all.csv", Writing())


def test_an_array_that_is_cut_while_a_part_of_it_is_in_use_does_not_end_the_process(files, frame):
    outcome = subprocess.run([sys.executable, "-c", CUT], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    assert int(outcome.stdout) == frame.truth.sum()


# --- arrays -----------------------------------------------------------------------------------------------


def test_arrays_that_are_refused(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.array([1, "a"], dtype=object), allow_pickle=True)
    with pytest.raises(FileError, match="no NumPy file"):
        read_partition(path, in_chunks=True)
    np.save(path, np.zeros(3, dtype=[("a", int), ("b", float)]))
    with pytest.raises(FileError, match="not read in chunks"):
        read_partition(path, in_chunks=True)
    np.save(path, np.zeros(3, dtype="V0"))
    with pytest.raises(FileError, match="not read in chunks"):
        read_partition(path, in_chunks=True)
    np.save(path, np.arange(1000))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileError, match="no NumPy file"):
        read_partition(path, in_chunks=True)
    np.savez(tmp_path / "a.npz", a=np.arange(3))
    with pytest.raises(ParameterError, match="not read in chunks"):
        read_partition(tmp_path / "a.npz", in_chunks=True)


def test_memberships_that_are_off_deep_down(files, frame):
    values = np.load("single.npy")
    values[2000] = 0.9
    np.save("off.npy", values)
    part = read_partition("off.npy", in_chunks=True)  # its first rows are right
    with pytest.raises(PartitionError, match="do not sum to one") as caught:
        pt.compare(frame.truth.to_numpy(), part, indices=["ARI"])
    assert "off.npy" in str(caught.value)
    assert "of rows 1536 to 2047" in str(caught.value)


@pytest.mark.parametrize("first", ["hard", "soft"])
def test_rows_that_are_hard_in_some_parts(files, frame, first):
    values = np.load("single.npy").astype(float)
    hard = slice(None, 1500) if first == "hard" else slice(1500, None)
    values[hard] = np.eye(4)[values[hard].argmax(axis=1)]
    np.save("half.npy", values)
    lazy = pt.compare(
        frame.truth.to_numpy(), read_partition("half.npy", in_chunks=True), indices=["ARI", "VI"]
    )
    plain = pt.compare(frame.truth.to_numpy(), values, indices=["ARI", "VI"])
    assert [row.value for row in lazy.rows] == pytest.approx([row.value for row in plain.rows], rel=1e-12)


def test_memory_maps_are_taken_as_arrays(files, frame):
    mapped = np.load("single.npy", mmap_mode="r")
    plain = pt.compare(frame.truth.to_numpy(), np.load("single.npy"))
    assert [row.value for row in pt.compare(frame.truth.to_numpy(), mapped).rows] == pytest.approx(
        [row.value for row in plain.rows], nan_ok=True, rel=0
    )


# --- joining ----------------------------------------------------------------------------------------------


def test_large_files_in_no_order_are_refused(files, run, monkeypatch):
    monkeypatch.setattr(scans, "LARGEST_IN_MEMORY", 10)
    assert run("compare truth.parquet found.parquet").code == 0  # both are sorted
    outcome = run("compare truth.parquet mixed.parquet")
    assert outcome.code == 2
    assert "MismatchError: files larger than memory are joined where both are sorted" in outcome.err
    assert "ORDER BY id" in outcome.err
    assert "--by-row" in outcome.err


def test_identifiers_sorted_as_texts(tmp_path, run, frame):
    texts = frame.assign(id=frame.id.astype(str)).sort_values("id")
    texts[["id", "truth"]].to_csv(tmp_path / "a.csv", index=False)
    texts.loc[texts.truth > 0, ["id", "found"]].to_csv(tmp_path / "b.csv", index=False)
    command = f"compare {tmp_path / 'a.csv'} {tmp_path / 'b.csv'} --indices ARI,VI --format csv"
    whole, parts = (run(f"{command} {how}") for how in ("--in-memory", "--in-chunks"))
    assert rows_of(whole) == rows_of(parts)
    assert whole.err == parts.err
    assert "left out" in parts.err


JOINS = {
    "nothing in common": ([1, 2, 3, 4], [5, 6, 7, 8], "no object in common"),
    "repeated in the large one": ([1, 2, 2, 3], [3, 2, 1, 0], "repeated or missing"),
    "repeated in the small one": ([1, 2, 3, 4], [4, 4, 1, 0], "repeated or missing"),
    "some in other letters": (["a1", "a2", "a3", "b1"], ["A2", "a1", "a3", "b1"], "written in two ways"),
    "some with zeros before": ([3, 20, 1, 10], ["03", "20", "1", "10"], "'3' in the other file, '03' in"),
    "all with zeros before": ([1, 2, 3, 4], ["01", "02", "03", "04"], "written in two ways"),
}


@pytest.mark.parametrize("case", JOINS)
def test_identifiers_that_cannot_be_joined(tmp_path, run, case):
    one, other, told = JOINS[case]
    for name, ids in (("a", one), ("b", other)):
        pd.DataFrame({"id": ids, "g": list("xyxy")}).to_parquet(tmp_path / f"{name}.parquet", index=False)
    outcome = run(f"compare {tmp_path / 'a.parquet'} {tmp_path / 'b.parquet'} --id id --in-chunks")
    assert outcome.code == 2
    assert told in outcome.err


def test_identifiers_that_end_in_a_null_character_are_no_others(tmp_path, run):
    for name, null in (("a", ""), ("b", "\0")):
        ids = [f"k{i}{null}" for i in range(500)]
        table = pd.DataFrame({"id": ids, "label": np.arange(500) % 3})
        table.to_parquet(tmp_path / f"{name}.parquet", row_group_size=100)
    command = f"compare {tmp_path / 'a.parquet'} {tmp_path / 'b.parquet'}"
    assert "no object in common" in run(f"{command} --in-memory").err
    assert "null character" in run(f"{command} --in-chunks").err


def test_identifiers_that_repeat_in_the_same_lines_are_no_reason_to_join(tmp_path, run, frame):
    same = frame.assign(id=np.arange(N) // 3)
    same[["id", "truth"]].to_parquet(tmp_path / "a.parquet", row_group_size=250)
    same[["id", "found"]].to_parquet(tmp_path / "b.parquet", row_group_size=400)
    command = f"compare {tmp_path / 'a.parquet'} {tmp_path / 'b.parquet'} --format csv"
    whole, parts = (run(f"{command} {how}") for how in ("--in-memory", "--in-chunks"))
    assert rows_of(whole)["adjusted_rand"]["value"] == rows_of(parts)["adjusted_rand"]["value"]
    assert run(f"{command} --id id --in-chunks").code == run(f"{command} --id id --in-memory").code == 2


def test_identifiers_under_two_names(files, run, frame):
    frame = frame.assign(id=frame.id + 10**18)
    frame[["id", "truth"]].to_parquet("truth.parquet", row_group_size=500, index=False)
    other = frame[["id", "found"]].rename(columns={"id": "customer"})
    other.sample(frac=1, random_state=0).to_parquet("renamed.parquet", row_group_size=300, index=False)
    command = "compare truth.parquet renamed.parquet --truth truth --labels found"
    told = [run(f"{command} {how}") for how in ("--in-memory", "--in-chunks")]
    assert [one.code for one in told] == [2, 2]
    assert all("'id' and 'customer'" in one.err for one in told)
    other.to_parquet("renamed.parquet", row_group_size=300, index=False)  # in the same lines
    frame[["w", "found"]].to_parquet("weights.parquet", row_group_size=300, index=False)
    for file in ("renamed.parquet", "weights.parquet"):
        command = f"compare truth.parquet {file} --truth truth --labels found --format csv"
        assert rows_of(run(f"{command} --in-memory")) == rows_of(run(f"{command} --in-chunks"))


def test_lengths_differ(files, run, frame):
    frame[:-1][["truth"]].to_parquet("shorter.parquet", index=False)
    outcome = run("compare labels.npy shorter.parquet --in-chunks")
    assert outcome.code == 2
    assert "3000 and 2999" in outcome.err


def test_a_short_first_part_does_not_hide_identifiers(tmp_path, run, frame):
    """They were matched by row: too few rows of the first file of a folder said nothing of its columns."""
    for name, table in (("a", frame), ("b", frame.sample(frac=1, random_state=0))):
        table = table.rename(columns={"id": "key"})[["key", "truth"]].assign(key=lambda t: t.key * 31 % 7919)
        (tmp_path / name).mkdir()
        table[:3].to_parquet(tmp_path / name / "part-0.parquet", index=False)
        table[3:].to_parquet(tmp_path / name / "part-1.parquet", index=False)
    command = f"compare {tmp_path / 'a'} {tmp_path / 'b'} --truth truth --labels truth"
    assert "joined on key: 3000 objects" in run(f"{command} --in-memory").out
    assert "--id key" in run(f"{command} --in-chunks").err


def test_words_behind_a_short_first_part_are_known(tmp_path, run, frame):
    (tmp_path / "parts").mkdir()
    words = frame[["truth", "x"]].assign(size=np.where(frame.index < 3, None, frame.name))
    words[:3].to_parquet(tmp_path / "parts" / "part-0.parquet", index=False)
    words[3:].to_parquet(tmp_path / "parts" / "part-1.parquet", index=False)
    command = f"validate {tmp_path / 'parts'} --labels truth"
    whole, parts = (run(f"{command} {how}") for how in ("--in-memory", "--in-chunks"))
    assert "features: x (left out: size: words)" in whole.out
    assert "features: x (left out: size: words)" in parts.out
    told = [run(f"{command} --columns size {how}").err for how in ("--in-memory", "--in-chunks")]
    assert told[0] == told[1]


@pytest.mark.parametrize("far", [10**7, 10**12])
def test_labels_of_a_small_file_may_lie_far_apart(tmp_path, run, frame, far):
    """Memory was asked for in proportion to the largest of them."""
    frame.assign(truth=frame.truth * far)[["id", "truth"]].sample(frac=1, random_state=0).to_csv(
        tmp_path / "a.csv", index=False
    )
    frame[["id", "found"]].to_parquet(tmp_path / "b.parquet", row_group_size=250)
    command = f"compare {tmp_path / 'a.csv'} {tmp_path / 'b.parquet'} --format csv"
    whole, parts = (rows_of(run(f"{command} {how}")) for how in ("--in-memory", "--in-chunks"))
    assert whole.keys() == parts.keys()
    assert all(is_same(whole[index]["value"], row["value"]) for index, row in parts.items())


def test_a_column_that_may_be_one_of_identifiers_is_asked_about(tmp_path, run, frame):
    words = [f"q{i}" for i in range(N)]
    for name, column in (("a", "truth"), ("b", "found")):
        frame[[column]].assign(mail=words).to_parquet(tmp_path / f"{name}.parquet", index=False)
    command = f"compare {tmp_path / 'a.parquet'} {tmp_path / 'b.parquet'} --in-chunks"
    outcome = run(command)
    assert outcome.code == 2
    assert "--id mail" in outcome.err
    assert run(f"{command} --by-row").code == 0


# --- what is missing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_objects_with_gaps_are_left_out(tmp_path, run, frame, ending):
    gaps = frame[["truth", "name", "x", "y"]].astype({"truth": "Int64"})
    gaps.loc[gaps.index % 11 == 3, "truth"] = pd.NA
    gaps.loc[gaps.index % 13 == 5, "name"] = None
    gaps.loc[gaps.index % 17 == 2, "x"] = np.nan
    path = tmp_path / f"a.{ending}"
    gaps.to_csv(path, index=False) if ending == "csv" else gaps.to_parquet(path, row_group_size=200)
    for command in ("compare {} --truth truth --labels name", "validate {} --labels name --columns x,y"):
        command = command.format(path)
        assert "missing" in run(f"{command} --in-chunks").err
        outcomes = [
            run(f"{command} --missing drop --format csv {how}") for how in ("--in-memory", "--in-chunks")
        ]
        said = [[line for line in one.err.splitlines() if line.startswith("missing")] for one in outcomes]
        assert sorted(said[0]) == sorted(said[1])
        whole, parts = map(rows_of, outcomes)
        assert parts.keys() <= whole.keys()
        for index, row in parts.items():
            assert is_same(row["value"], whole[index]["value"])
    outcome = run(f"validate {path} --labels name --columns x,y --missing mean --in-chunks")
    assert outcome.code == 2
    assert '"raise" or "drop"' in outcome.err


def test_what_is_missing_is_told_of_the_whole_file_where_some_objects_are_in_it_only(tmp_path, run, frame):
    gaps = frame[["id", "truth", "found"]].astype({"truth": "Int64", "found": "Int64"})
    gaps.loc[gaps.index % 11 == 3, "truth"] = pd.NA
    gaps.loc[gaps.index % 13 == 5, "found"] = pd.NA
    gaps[["id", "truth"]].to_parquet(tmp_path / "a.parquet", row_group_size=250)
    gaps.loc[gaps.index % 5 != 0, ["id", "found"]].to_csv(tmp_path / "b.csv", index=False)
    command = f"compare {tmp_path / 'a.parquet'} {tmp_path / 'b.csv'} --missing drop --format csv"
    whole, parts = (run(f"{command} {how}") for how in ("--in-memory", "--in-chunks"))
    assert rows_of(whole)["adjusted_rand"]["value"] == rows_of(parts)["adjusted_rand"]["value"]
    said = [{line for line in one.err.splitlines() if "left out: " not in line} for one in (whole, parts)]
    assert said[0] == said[1]
    gaps.assign(truth=pd.NA).to_parquet(tmp_path / "a.parquet", row_group_size=250)
    whole, parts = (run(f"{command} --truth truth {how}") for how in ("--in-memory", "--in-chunks"))
    assert whole.err == parts.err
    assert "all labels are missing" in parts.err


def test_features_with_gaps_beside_two_clusterings_are_left_out(tmp_path, run, frame):
    """It was refused with the advice to leave them out."""
    gaps = frame[["truth", "found", "x", "y"]]
    gaps.assign(x=gaps.x.where(gaps.index % 7 > 0)).to_parquet(tmp_path / "a.parquet", row_group_size=250)
    command = f"compare {tmp_path / 'a.parquet'} --truth truth --labels found --data {tmp_path / 'a.parquet'}"
    command += " --columns x,y --missing drop --format csv"
    whole, parts = (rows_of(run(f"{command} {how}")) for how in ("--in-memory", "--in-chunks"))
    assert all(is_same(row["value"], whole[index]["value"]) for index, row in parts.items())
    assert "centroid_index" in parts


def test_which_columns_are_features_depends_on_all_objects_of_the_file(tmp_path, run, frame):
    """A column that is constant among those that both files have was left out."""
    late = frame.assign(y=np.where(frame.index < 2000, 0.0, frame.y))[["id", "x", "y"]]
    late.to_parquet(tmp_path / "a.parquet", row_group_size=250)
    frame.loc[:1900, ["id", "truth"]].to_parquet(tmp_path / "b.parquet", row_group_size=250)
    command = f"validate {tmp_path / 'a.parquet'} --memberships {tmp_path / 'b.parquet'} --labels truth"
    for more in ("", "--missing drop"):
        whole, parts = (run(f"{command} {more} {how}") for how in ("--in-memory", "--in-chunks"))
        assert "features: x, y" in whole.out
        assert "features: x, y" in parts.out


def test_numbers_that_are_written_as_texts_are_told_as_that(tmp_path, run, frame):
    """They were told as whole numbers that do not fit into 64 bits."""
    frame[["truth", "x", "w"]].astype({"w": str}).to_parquet(tmp_path / "a.parquet", row_group_size=250)
    for how in ("--in-memory", "--in-chunks"):
        told = run(f"validate {tmp_path / 'a.parquet'} --labels truth {how}").err
        assert "'w' holds numbers that are written as texts" in told


def test_labels_that_are_numbers_in_some_parts_and_texts_in_others(tmp_path, run, frame):
    """Where a value is missing, the whole numbers of that part are spelled."""
    gaps = frame[["truth", "found"]].astype("Int64")
    gaps.loc[1500, "truth"] = pd.NA
    gaps.to_parquet(tmp_path / "a.parquet", row_group_size=200)
    command = f"compare {tmp_path / 'a.parquet'} --missing drop --all --format csv"
    for sides in ("--truth truth --labels found", "--truth found --labels truth"):
        whole, parts = (rows_of(run(f"{command} {sides} {how}")) for how in ("--in-memory", "--in-chunks"))
        assert all(is_same(row["value"], whole[index]["value"]) for index, row in parts.items())
    (tmp_path / "parts").mkdir()
    frame[:1000].to_parquet(tmp_path / "parts" / "a.parquet")
    frame[1000:].astype({"truth": float}).to_parquet(tmp_path / "parts" / "b.parquet")
    table = rows_of(
        run(f"compare {tmp_path / 'parts'} --truth truth --labels found --in-chunks --format csv")
    )
    expected = pt.compare(frame.truth.to_numpy(), frame.found.to_numpy())["ARI"].value
    assert float(table["adjusted_rand"]["value"]) == expected


def test_gaps_are_told_as_in_memory(files, run, frame):
    frame.assign(truth=frame.truth.where(frame.index != 2500).astype("Int64")).to_csv("gap.csv", index=False)
    told = [
        run(f"compare gap.csv --truth truth --labels found {how}") for how in ("--in-memory", "--in-chunks")
    ]
    assert told[0].code == told[1].code == 2
    assert told[0].err == told[1].err
    assert "line 2502" in told[1].err


# --- features ---------------------------------------------------------------------------------------------

FEATURES = {
    "counts": lambda n, rng: np.arange(n),
    "index": lambda n, rng: np.arange(n) * 3,
    "price": lambda n, rng: rng.integers(0, 10**6, n),
    "cluster": lambda n, rng: rng.integers(0, 7, n),
    "group_2": lambda n, rng: rng.integers(0, 400, n),
    "customer_id": lambda n, rng: rng.integers(0, 50, n),
    "flat": lambda n, rng: np.zeros(n),
    "late": lambda n, rng: (np.arange(n) > n - 5).astype(int),
    "whole": lambda n, rng: np.round(rng.normal(size=n) * 100),
    "half": lambda n, rng: np.append(np.zeros(n - 1), 0.5),
    "cell": lambda n, rng: rng.integers(0, 10, n),
}


@pytest.mark.parametrize("name", FEATURES)
def test_columns_have_the_roles_that_they_have_in_memory(tmp_path, name):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.normal(size=N), name: FEATURES[name](N, rng)})
    table.to_parquet(tmp_path / "a.parquet", row_group_size=300, index=False)
    told = []
    for in_chunks in (False, True):
        try:
            data = read_data(tmp_path / "a.parquet", in_chunks=in_chunks)
            told.append(tuple(data.features) if in_chunks else tuple(data.columns))
        except FileError as problem:
            told.append(problem.what)
    assert told[0] == told[1]


def test_a_column_of_which_too_little_is_known_is_asked_about(tmp_path):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.normal(size=N), "number": rng.permutation(N)})
    table.to_parquet(tmp_path / "a.parquet", row_group_size=300, index=False)
    assert list(read_data(tmp_path / "a.parquet").columns) == ["x"]
    with pytest.raises(FileError, match="not clear whether column 'number'"):
        read_data(tmp_path / "a.parquet", in_chunks=True)
    assert read_data(tmp_path / "a.parquet", leave_out=["number"], in_chunks=True).features == ("x",)


# --- memory -----------------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
from partita.cli import main
limit = {limit} << 20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
main(sys.argv[1:])
"""


def limited(limit, *arguments):
    """A command in a process that may have so many megabytes of its own."""
    threads = dict(
        os.environ, PARTITA_NUM_THREADS="2", OPENBLAS_NUM_THREADS="1", ARROW_DEFAULT_MEMORY_POOL="system"
    )
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(limit=limit), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=threads,
        check=False,
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is one of Linux")
def test_little_memory_is_enough(tmp_path):
    n = 15_000_000
    rng = np.random.default_rng(0)
    block = rng.dirichlet(np.ones(8), 100_000).astype(np.float32)
    soft = np.lib.format.open_memmap(tmp_path / "soft.npy", "w+", dtype=np.float32, shape=(n, 8))
    for start in range(0, n, len(block)):
        soft[start : start + len(block)] = block
    del soft
    np.save(tmp_path / "labels.npy", np.tile(rng.integers(0, 9, 100_000, dtype=np.int8), n // 100_000))
    command = (
        "compare",
        tmp_path / "labels.npy",
        tmp_path / "soft.npy",
        "--indices",
        "ARI",
        "--format",
        "csv",
    )
    kept_small = limited(
        450, *command, "--in-chunks"
    )  # of which what is imported takes most; the file has 480
    assert kept_small.returncode == 0, kept_small.stderr
    assert "adjusted_rand" in kept_small.stdout
    all_at_once = limited(450, *command, "--in-memory")
    assert all_at_once.returncode == 2
    assert "not enough memory" in all_at_once.stderr


def test_work_in_the_pool_does_not_wait_for_the_pool(monkeypatch):
    monkeypatch.setenv("PARTITA_NUM_THREADS", "2")
    assert thread_count() == 2
    assert list(in_order(lambda _: thread_count(), range(20))) == [1] * 20


# --- one bit for each object --------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[5, 11, 8, 1, 40], [64], [1, 1, 1]])
def test_masks(sizes):
    rng = np.random.default_rng(4)
    kept = [rng.random(size) < 0.5 for size in sizes]
    mask, start = RowMask(sum(sizes)), 0
    for part in kept:
        mask.put(start, part)
        start += len(part)
    whole = np.concatenate(kept)
    assert mask.count() == whole.sum()
    for start in range(len(whole)):
        np.testing.assert_array_equal(mask.of(start, len(whole) - start), whole[start:])


def test_nothing_is_drawn_where_nobody_looks(files, run):
    assert not run("compare all.parquet --truth truth --labels name --in-chunks --quiet").err


def test_mismatch_of_names_is_told(files, run):
    outcome = run("compare all.parquet --truth truht --labels name --in-chunks")
    assert outcome.code == 2
    assert "truth" in outcome.err


def test_a_scan_is_not_read_at_once(files):
    with pytest.raises(TooLargeError):
        open_scan("all.parquet", Writing()).read(["x"])
    with pytest.raises(MismatchError):
        pt.compare(read_partition("labels.npy", in_chunks=True), [0, 1])
