"""Small files that hold much: read in parts, or refused early with what was too large and the way out."""

import gzip
import io
import time
import zipfile

import numpy as np
import pandas as pd
import pytest

from command_runs import runner
from partita.errors import TooLargeError
from partita.files import read_data, read_partition, scans, sources, spreadsheets, text_scans

SHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    'officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
    'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def book(path, rows, dimension="A1:B4"):
    """A spreadsheet whose only sheet has these rows of XML."""
    inside = f'<dimension ref="{dimension}"/><sheetData>{rows}</sheetData>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            archive.writestr(name, content)
        archive.writestr("xl/worksheets/sheet1.xml", SHEET.format(inside))
    return path


def row(number, **cells):
    """A row of XML, with texts and numbers in these columns."""
    told = "".join(
        f'<c r="{column}{number}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'
        if isinstance(value, str)
        else f'<c r="{column}{number}"><v>{value}</v></c>'
        for column, value in cells.items()
    )
    return f'<row r="{number}">{told}</row>'


TABLE = row(1, A="x", B="y") + row(2, A=1.5, B=2) + row(3, A=2.5, B=7) + row(4, A=0.5, B=4)
EXPECTED = [[1.5, 2], [2.5, 7], [0.5, 4]]


@pytest.fixture
def run(capsys):
    return runner(capsys)


@pytest.mark.parametrize("blank", ["", " ", " \n "])
def test_a_blank_in_the_last_cell_of_a_sheet(tmp_path, blank):
    """It was filled up to 17 thousand million cells."""
    rows = TABLE + row(1_048_576, XFD=blank)
    path = book(tmp_path / "a.xlsx", rows, "A1:XFD1048576")
    assert path.stat().st_size < 3000
    started = time.monotonic()
    assert read_data(path).to_numpy().tolist() == EXPECTED
    assert time.monotonic() - started < 20


def test_a_sheet_that_says_that_it_is_larger_than_it_is(tmp_path):
    path = book(tmp_path / "a.xlsx", TABLE, "A1:XFD1048576")
    assert read_data(path).to_numpy().tolist() == EXPECTED


def test_a_value_far_from_the_table_is_refused(tmp_path):
    path = book(tmp_path / "a.xlsx", TABLE + row(1_048_576, XFD=1), "A1:XFD1048576")
    with pytest.raises(TooLargeError) as caught:
        read_data(path)
    assert "1,048,576 rows and 16,384 columns" in str(caught.value.got)
    assert "row 1048576 has a cell in column 16,384" in str(caught.value.got)
    assert "clear what stands outside of the table" in str(caught.value.fix)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("far", [1 << 20, 10**12])
def test_a_row_below_the_last_one_is_refused(tmp_path, far):
    path = book(tmp_path / "a.xlsx", TABLE + row(far + 1, A=1))
    with pytest.raises(TooLargeError, match="more rows than a sheet can have"):
        read_data(path)


@pytest.mark.parametrize("dimension", ["A1:A1100001", "A1"])
def test_more_rows_than_a_sheet_has_are_refused_before_they_are_parsed(tmp_path, dimension):
    """Millions of them took minutes."""
    path = book(tmp_path / "a.xlsx", row(1, A="x") + "<row><c><v>1</v></c></row>" * 1_100_000, dimension)
    assert path.stat().st_size < 200_000
    started = time.monotonic()
    with pytest.raises(TooLargeError, match=r"more than 1,048,576 rows(.|\n)*\.csv or \.parquet"):
        read_partition(path)
    assert time.monotonic() - started < 5


def test_rows_are_counted_where_blocks_of_bytes_cut_them(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "MOST_ROWS", 4)
    for size in range(1, 12):
        monkeypatch.setattr(spreadsheets, "SCANNED", size)
        assert read_data(book(tmp_path / "a.xlsx", TABLE)).to_numpy().tolist() == EXPECTED
        with pytest.raises(TooLargeError):
            read_data(book(tmp_path / "b.xlsx", TABLE + row(5, A=1, B=1)))


def test_a_spreadsheet_that_unpacks_to_much_is_refused(tmp_path, monkeypatch, run):
    path = book(tmp_path / "a.xlsx", TABLE + row(5, A="a" * 100_000))
    monkeypatch.setattr(spreadsheets, "MOST_UNPACKED", 100_000)
    with pytest.raises(TooLargeError, match=r"0 MB, unpacked"):
        read_data(path)
    outcome = run(f"validate {path} --labels y")
    assert outcome.code == 2
    assert "save it as .csv or .parquet" in outcome.err


def test_rows_and_cells_that_a_sheet_leaves_out(tmp_path):
    rows = row(1, A="x", C="z") + row(4, C=5) + row(5, A=1.5)
    text, _ = spreadsheets.sheet_as_text(book(tmp_path / "a.xlsx", rows))
    assert text == "x,,z\n,,\n,,\n,,5\n1.5,,\n"
    text, _ = spreadsheets.sheet_as_text(book(tmp_path / "b.xlsx", row(1, A="x") + row(3, A=2)))
    assert text == 'x\n""\n2\n'


# --- gzip -------------------------------------------------------------------------------------------------

LINES = b"label,other\n" + b"1,2\n2,2\n" * 20_000


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(LINES))
    assert path.stat().st_size * sources.USUAL_PACKING < len(LINES)
    return path


def test_a_packed_text_is_read_in_parts_when_more_comes_out_than_was_guessed(packed, monkeypatch, run):
    """Its size times 5 was taken for what it holds, and it came into memory whole."""
    monkeypatch.setattr(scans, "LARGEST_IN_MEMORY", len(LINES) - 1)
    monkeypatch.setattr(sources, "MOST_UNPACKED", len(LINES) - 1)
    monkeypatch.setattr(text_scans, "PART_BYTES", 1 << 12)
    read = []
    usual = text_scans.TextScan.part
    monkeypatch.setattr(text_scans.TextScan, "part", lambda self, i: read.append(i) or usual(self, i))
    outcome = run(f"compare {packed} --truth label --labels other --indices ARI")
    assert outcome.code == 0, outcome.err
    assert len(set(read)) > 10
    monkeypatch.setattr(scans, "LARGEST_IN_MEMORY", len(LINES))
    read.clear()
    monkeypatch.setattr(sources, "MOST_UNPACKED", len(LINES))
    assert run(f"compare {packed} --truth label --labels other --indices ARI").code == 0
    assert not read


def test_of_a_packed_text_no_more_is_unpacked_than_tells_that_it_is_large(packed, monkeypatch):
    monkeypatch.setattr(sources, "UNPACKED_BYTES", 1000)
    read = []

    class Counting(gzip.GzipFile):
        def read(self, size=-1):
            read.append(size)
            return super().read(size)

    monkeypatch.setattr(sources.gzip, "open", lambda file: Counting(file))
    assert sources.unpacks_to_more(packed, 5000)
    assert read == [1000] * 6
    assert not sources.unpacks_to_more(packed, len(LINES))
    read.clear()
    assert not sources.unpacks_to_more(packed, packed.stat().st_size * sources.MOST_PACKING)
    assert not read


def test_a_packed_text_that_would_fill_the_memory_is_refused(packed, monkeypatch, run):
    monkeypatch.setattr(sources, "MOST_UNPACKED", 100_000)
    monkeypatch.setattr(sources, "UNPACKED_BYTES", 1000)
    with pytest.raises(TooLargeError, match="too large to be read into memory") as caught:
        read_partition(packed, columns=["label"])
    assert "gunzip -k a.csv.gz" in str(caught.value.fix)
    assert "in_chunks=True" in str(caught.value.fix)
    assert run(f"compare {packed} --truth label --labels other --in-memory").code == 2
    assert read_partition(packed, columns=["label"], in_chunks=True).n_objects == 40_000
    # one that is about as large as it looks is read as asked
    monkeypatch.setattr(sources, "USUAL_PACKING", sources.MOST_PACKING)
    assert read_partition(packed, columns=["label"]).n_objects == 40_000


# --- arrays -----------------------------------------------------------------------------------------------


def test_packed_arrays_that_would_fill_the_memory_are_refused(tmp_path, monkeypatch, run):
    labels = np.arange(100_000) % 2
    np.savez_compressed(tmp_path / "a.npz", labels=labels, few=labels[:10])
    np.savez(tmp_path / "plain.npz", labels=labels)
    monkeypatch.setattr(sources, "MOST_UNPACKED", labels.nbytes)
    loaded = []
    usual = np.lib.npyio.NpzFile.__getitem__
    monkeypatch.setattr(
        np.lib.npyio.NpzFile, "__getitem__", lambda self, name: loaded.append(name) or usual(self, name)
    )
    for read in (read_partition, read_data):
        with pytest.raises(TooLargeError) as caught:
            read(tmp_path / "a.npz", columns=["labels"])
        assert "labels: 1 MB, out of 0.0 MB" in str(caught.value.got)
        assert "unzip a.npz" in str(caught.value.fix)
    assert not loaded
    # an array that is asked for is no larger because of others; one that is not packed is read as asked
    assert read_partition(tmp_path / "a.npz", columns=["few"]).n_objects == 10
    assert read_partition(tmp_path / "plain.npz").n_objects == 100_000
    outcome = run(f"compare {tmp_path / 'a.npz'} {tmp_path / 'plain.npz'} --truth-column labels")
    assert outcome.code == 2
    assert "unzip" in outcome.err


def test_a_spreadsheet_of_pandas_is_read_as_before(tmp_path):
    frame = pd.DataFrame({"x": [1.5, np.nan, 2.5], "y": ["a", 'b "c", d', None], "z": [1, 2, 3]})
    out = io.BytesIO()
    frame.to_excel(out, index=False)
    (tmp_path / "a.xlsx").write_bytes(out.getvalue())
    text, notes = spreadsheets.sheet_as_text(tmp_path / "a.xlsx")
    assert pd.read_csv(io.StringIO(text)).equals(frame)
    assert notes == ()
