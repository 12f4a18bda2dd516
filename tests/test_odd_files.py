"""Files drawn at random: every reader and every command takes them or refuses them in our own words."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.cli import main
from partita.errors import PartitaError, PartitaWarning
from partita.files import read_data, read_partition, read_weights

PLAIN_CELLS = ("0", "1", "2", "0.5", "0.25")
ODD_CELLS = (
    *("", "NA", "nan", "inf", "-inf", "1e999", "5e-324", "1.7976931348623157e308", "-1", "1_000", "01", "+1"),
    *("0x1", "True", "1j", "2020-01-01", "a", "b", "é", "x y", "  ", "'", '"', '"a,b"', ";", "#", "=1+1"),
    *("\t", "\r", "\\\\", "\ufeff", "\u2028", "\0", "9" * 400, "9" * 5000, "a" * 200_000),
    *(str(2**63), str(-(2**63) - 1)),
)
NAMES = ("c0", "c1", "c2", "id", "", "0", "1", "a,b", "c0")
ARRAYS = (
    *(np.zeros((0, 2)), np.array(3), np.array([0, 1, 0, 1]), np.full((3, 2), 0.5), np.full((2, 2, 2), 0.5)),
    *(np.array(["a", "b"]), np.array([1j, 2j]), np.full((3, 2), np.inf), np.full((4, 2), 1e308), np.eye(3)),
    *(np.zeros((3, 2), "M8[s]"), np.zeros((3, 2), "V8"), np.array([(1, 2.0)], dtype="i4,f8")),
    *(np.full((3, 2), 2**63 - 1), np.eye(3, dtype=bool), np.full((3, 2), 0.5, dtype=">f4")),
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Tables with a few odd cells, and now and then a line that is too long."""
    k, n = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    cells = st.sampled_from(PLAIN_CELLS) if draw(st.booleans()) else st.sampled_from(PLAIN_CELLS + ODD_CELLS)
    names = draw(st.lists(st.sampled_from(NAMES + ODD_CELLS[:12]), min_size=k, max_size=k))
    named = [f"c{j}" for j in range(k)] if draw(st.booleans()) else names
    width = st.sampled_from((k, k, k, k, k, k + 1))
    rows = [[draw(cells) for _ in range(draw(width))] for _ in range(n)]
    lines = draw(st.sampled_from(("\n", "\r\n", "\r")))
    separator = draw(st.sampled_from((",", ",", ",", "\t", ";", " ", "|")))
    text = lines.join(separator.join(row) for row in [named, *rows])
    return (text + draw(st.sampled_from(("", "\n", "\n\n")))).encode(
        draw(st.sampled_from(("utf-8", "utf-8", "utf-16", "utf-16-le", "cp1252"))), errors="replace"
    )


@st.composite
def arrays(draw: st.DrawFn) -> bytes:
    """Arrays as NumPy saves them, whole or damaged."""
    out = io.BytesIO()
    if draw(st.booleans()):
        np.save(out, draw(st.sampled_from(ARRAYS)))
    else:
        names = draw(st.lists(st.sampled_from(("mass", "F", "x")), min_size=1, max_size=2, unique=True))
        np.savez(out, **{name: draw(st.sampled_from(ARRAYS)) for name in names})
    content = bytearray(out.getvalue())
    for _ in range(draw(st.sampled_from((0, 0, 1)))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.just(len(content)) | st.integers(0, len(content)))])


@st.composite
def typed(draw: st.DrawFn) -> tuple[str, bytes]:
    """Frames of odd columns in files whose columns have types, whole or damaged."""
    n = draw(st.integers(0, 4))
    cells = (0, 1, 0.5, None, "a", "NA", True, 2**62, float("inf"), b"x", dt.date(2020, 1, 1))
    chosen = draw(st.lists(st.sampled_from(("c0", "c1", "c2", "id", "")), max_size=3, unique=True))
    columns = {name: [draw(st.sampled_from(cells))] * n for name in chosen}
    ending = draw(st.sampled_from((".parquet", ".feather", ".xlsx")))
    out = io.BytesIO()
    frame = pd.DataFrame(columns)
    {".parquet": frame.to_parquet, ".feather": frame.to_feather, ".xlsx": frame.to_excel}[ending](out)
    content = bytearray(out.getvalue())
    # a spreadsheet holds the time, so that its length is not always the same
    damage = draw(st.none() | st.tuples(st.floats(0, 0.999), st.integers(0, 255)))
    if damage is not None:
        content[int(damage[0] * len(content))] = damage[1]
    return f"x{ending}", bytes(content[: int(draw(st.just(1.0) | st.floats(0, 1)) * len(content))])


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A name and what the file holds."""
    kind = draw(st.sampled_from(("text", "text", "arrays", "typed")))
    if kind == "arrays":
        return draw(st.sampled_from(("x.npy", "x.npz"))), draw(arrays())
    if kind == "typed":
        return draw(typed())
    names = ("x.csv", "x.csv", "x.tsv", "x.csv.gz", "x.txt", "x.Q")
    name, content = draw(st.sampled_from(names)), draw(texts())
    return name, gzip.compress(content) if name.endswith(".gz") else content


def quick(test: Callable[..., None]) -> Callable[..., None]:
    """One folder for all examples of a test: each writes its file anew."""
    return settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])(test)


options = st.fixed_dictionaries(
    {
        "header": st.sampled_from((None, True, False)),
        "id_column": st.sampled_from((None, None, "id", "c0", "")),
    }
)
columns = st.sampled_from((None, None, ["c0"], ["c0", "c1"], ["c0", "c0"], ["c9"], [""], ["mass"], []))


@quick
@given(files(), options, columns, st.sampled_from((None, "rough", "possibilistic")), st.booleans())
def test_readers_take_or_refuse(
    tmp_path: Path, file: Any, how: Any, chosen: Any, kind: Any, normalize: bool
) -> None:
    path = tmp_path / file[0]
    path.write_bytes(file[1])
    told = []
    for read in (
        lambda: read_partition(path, columns=chosen, kind=kind, normalize=normalize, **how),
        lambda: read_data(path, columns=chosen, leave_out=["c1"], **how),
        lambda: read_weights(path, "c0", **how),
    ):
        try:
            read()
        except PartitaError as refused:
            told.append(str(refused))
    assert all(file[0] in text for text in told)


@quick
@given(files(), files())
def test_commands_take_or_refuse_with_exit_code_2(tmp_path: Path, file: Any, another: Any) -> None:
    path, other = str(tmp_path / file[0]), str(tmp_path / f"other_{another[0]}")
    Path(path).write_bytes(file[1])
    Path(other).write_bytes(another[1])
    for command in (
        ("compare", path, path, "--indices", "ARI,NMI"),
        ("compare", path, "--column", "c1", "--weight", "c0", "--indices", "ARI", path, "--header"),
        ("compare", path, other, "--indices", "ARI", "--missing", "drop"),
        ("compare", path, other, "--indices", "ARI", "--by-row", "--decimal", ","),
        ("validate", path, "--memberships", other, "--indices", "CH", "--missing", "median"),
        ("distribution", path, path, "--index", "rand", "--samples", "10", "--seed", "0"),
        ("validate", path, "--labels", "c0", "--indices", "CH,silhouette"),
        ("choose", path, "--k", "1:2", "--indices", "CH", "--seed", "0"),
    ):
        code, told = 0, io.StringIO()
        with redirect_stdout(io.StringIO()), redirect_stderr(told), warnings.catch_warnings():
            warnings.simplefilter("ignore", PartitaWarning)
            try:
                main(command)
            except SystemExit as stop:
                code = int(stop.code or 0)
        assert code in (0, 2)
        assert (code == 2) == ("Error" in told.getvalue())
        assert "Traceback" not in told.getvalue()


def test_the_drawn_files_are_of_both_sorts(tmp_path: Path) -> None:
    """Neither all of them refused nor all taken, so that both ways are walked."""
    seen: dict[str, int] = {}

    @settings(database=None, max_examples=200)
    @given(files())
    def look(file: Any) -> None:
        (tmp_path / file[0]).write_bytes(file[1])
        try:
            read_partition(tmp_path / file[0])
            seen["taken"] = seen.get("taken", 0) + 1
        except PartitaError as refused:
            seen[type(refused).__name__] = seen.get(type(refused).__name__, 0) + 1

    look()
    assert seen["taken"]
    assert seen["FileError"]
