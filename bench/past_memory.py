"""Files larger than the memory given: what partita reads of them in a second against NumPy and pyarrow.

Each side runs in a process of its own that may hold 1 GiB of data (RLIMIT_DATA: what is mapped from a file
does not count, what is read into memory does), one after the other on the same files, which the system may
have cached for both. Times are of the work alone, once everything is imported and compiled; the peak is the
most anonymous memory that the process held.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import partita as pt
from measuring import Memory, Report
from partita.partitions import FUZZY
from partita.statistics import Contingency

ISSUE = 19
LIMIT = 2**30
SOFT_BYTES, COLUMNS = 4 * 2**30, (8, 8)
LABELS, FEATURE_ROWS = 10**8, 5 * 10**6
BLOCK = 2**17
SOFT_TABLES = [
    entry.name
    for entry in pt.indices.catalogue()
    if entry.statistics == (Contingency,) and FUZZY in entry.kinds
]


def run(report: Report, best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        soft_files(folder)
        given = sum(path.stat().st_size for path in folder.glob("*.npy"))
        theirs, ours = apart("numpy_product", folder), apart("soft_compare", folder)
        judged(
            report,
            f"memory-mapped float32 memberships of {given / 2**30:.1f} GiB: compare vs U.T @ V by blocks",
            theirs,
            ours,
            given,
        )
        for path in folder.glob("*.npy"):
            path.unlink()
        parquet_files(folder)
        theirs, ours = apart("pyarrow_count", folder), apart("hard_compare", folder)
        given = 16 * LABELS
        judged(
            report,
            "10^8 labels in two Parquet files: partita compare vs pyarrow's group-by count",
            theirs,
            ours,
            given,
        )
        ours = apart("validate_columns", folder)
        report.add(
            Memory(
                "partita validate of a Parquet file, 5 x 10^6 x 4",
                ours["given"],
                ours["peak"],
                "anonymous pages",
            )
        )
        report.note(
            f"partita validate, 5 x 10^6 x 4 from Parquet: {ours['seconds']:.1f} s, "
            f"{ours['peak'] / 1e6:.0f} MB held"
        )


def judged(report: Report, what: str, theirs: dict, ours: dict, given: int) -> None:
    assert np.isclose(theirs["value"], ours["value"], rtol=1e-5), (theirs, ours)
    report(f"{what}, rate", theirs["seconds"] / ours["seconds"], 0.5, at_most=False)
    report(f"{what}, memory held to 1 GiB", ours["peak"] / LIMIT, 1, at_most=True)
    report.add(Memory(what, given, ours["peak"], "anonymous pages"))
    report.note(f"{what}: {ours['seconds']:.1f} s, theirs {theirs['seconds']:.1f} s")


def soft_files(folder: Path) -> None:
    """Two files of memberships, one block of rows again and again."""
    rng = np.random.default_rng(0)
    rows = SOFT_BYTES // (4 * sum(COLUMNS))
    for name, k in zip(("truth", "found"), COLUMNS, strict=True):
        block = rng.dirichlet(np.ones(k), BLOCK).astype(np.float32)
        out = np.lib.format.open_memmap(folder / f"{name}.npy", "w+", np.float32, (rows // BLOCK * BLOCK, k))
        for start in range(0, len(out), BLOCK):
            out[start : start + BLOCK] = block
        del out


def parquet_files(folder: Path) -> None:
    """Labels in two files, and a table of features with labels, by row groups of a million."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    for name, k in (("truth", 10), ("found", 12)):
        block = pa.table({"label": rng.integers(0, k, 10**6)})
        with pq.ParquetWriter(folder / f"{name}.parquet", block.schema) as out:
            for _ in range(LABELS // 10**6):
                out.write_table(block)
    block = pa.table(
        {**{f"x{j}": rng.normal(size=10**6) for j in range(4)}, "segment": rng.integers(0, 8, 10**6)}
    )
    with pq.ParquetWriter(folder / "data.parquet", block.schema) as out:
        for _ in range(FEATURE_ROWS // 10**6):
            out.write_table(block)


def apart(work: str, folder: Path) -> dict:
    """Seconds, value and peak of a piece of work in a process that may hold no more than the limit."""
    # mimalloc, pyarrow's own, reserves a gigabyte of addresses, which the limit takes for memory
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    process = subprocess.Popen(
        [sys.executable, __file__, work, str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    peak = [0]
    watching = threading.Thread(target=_watch, args=(process, peak))
    watching.start()
    out, told = process.communicate()
    watching.join()
    if process.returncode:
        raise RuntimeError(f"{work} failed: {told[-600:]}")
    return {**json.loads(out.splitlines()[-1]), "peak": peak[0]}


def _watch(process: subprocess.Popen, peak: list[int]) -> None:
    """Keep the most anonymous memory that a process is seen to hold."""
    while process.poll() is None:
        try:
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        except OSError:
            return
        held = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")), 0)
        peak[0] = max(peak[0], held)
        time.sleep(0.01)


def numpy_product(folder: Path) -> float:
    U, V = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("truth", "found"))
    table = np.zeros((U.shape[1], V.shape[1]))
    for start in range(0, len(U), BLOCK):
        table += U[start : start + BLOCK].T @ V[start : start + BLOCK]
    p = table / table.sum()
    return float((p * np.log(p / np.outer(p.sum(axis=1), p.sum(axis=0)))).sum())


def soft_compare(folder: Path) -> float:
    U, V = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("truth", "found"))
    return pt.compare(U, V, indices=SOFT_TABLES)["MI"].value


def pyarrow_count(folder: Path) -> float:
    """Cells of the table, and the Rand index by them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files = [pq.ParquetFile(folder / f"{name}.parquet") for name in ("truth", "found")]
    counts: dict[tuple[int, int], int] = {}
    for group in range(files[0].num_row_groups):
        columns = [file.read_row_group(group).column("label") for file in files]
        made = (
            pa.table({"truth": columns[0], "found": columns[1]})
            .group_by(["truth", "found"])
            .aggregate([([], "count_all")])
        )
        for i, j, count in zip(
            *(made.column(name).to_pylist() for name in ("truth", "found", "count_all")), strict=True
        ):
            counts[i, j] = counts.get((i, j), 0) + count
    table = np.zeros((10, 12))
    for (i, j), count in counts.items():
        table[i, j] = count
    return pt.indices.rand.of(Contingency.from_counts(table.astype(np.int64)))


def hard_compare(folder: Path) -> float:
    return commanded("compare", folder / "truth.parquet", folder / "found.parquet", folder)["RI"]


def validate_columns(folder: Path) -> float:
    return commanded("validate", folder / "data.parquet", "--labels", "segment", "--in-chunks", folder)["CH"]


def commanded(*words: str | Path) -> dict[str, float]:
    """What the command line says, by the symbols of the indices."""
    from partita.cli import main

    *typed, folder = words
    out = Path(folder) / "out.json"
    main([*map(str, typed), "--format", "json", "--out", str(out), "--force", "--quiet"])
    return {row["symbol"] or row["index"]: row["value"] for row in json.loads(out.read_text())["rows"]}


def warm_up() -> None:
    """Import and compile before the clock and the limit."""
    rng = np.random.default_rng(0)
    pt.compare(*(rng.dirichlet(np.ones(k), 10**5).astype(np.float32) for k in COLUMNS), indices=SOFT_TABLES)
    pt.compare(rng.integers(0, 10, 10**6), rng.integers(0, 12, 10**6))
    import pyarrow.parquet  # noqa: F401

    import partita.cli.group  # noqa: F401


def timed(work: str, folder: Path) -> None:
    import resource

    warm_up()
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    start = time.perf_counter()
    value = globals()[work](folder)
    seconds = time.perf_counter() - start
    given = sum(path.stat().st_size for path in folder.glob("data.parquet"))
    print(json.dumps({"seconds": seconds, "value": value, "given": given}))


if __name__ == "__main__":
    timed(sys.argv[1], Path(sys.argv[2]))
