"""Faults of the machine: a disk that fills up, and Ctrl-C; what was there stays whole, and work can go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import logged_sweeps
from command_runs import runner
from partita.errors import FileError
from partita.fits.checkpoints import Checkpoint, Record
from stub_clusterer import StubClusterer

resource = pytest.importorskip("resource")
AGES = 300
"""Seconds after which a process is taken to hang."""


@contextmanager
def full_disk(size):
    """No file may grow beyond this size: as on a full disk, a write fails after some bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder):
    return {path: path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a command runs: a small table, and nothing else."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    frame = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "kind": np.repeat(["a", "b", "c"], 20)})
    frame.to_csv("data.csv", index=False)
    return tmp_path


# --- a full disk ------------------------------------------------------------------------------------------

WRITING = {
    "a report": "report data.csv --labels kind --k 2:4 --runs 1 --repeats 0 --bootstrap 0 --shuffles 19 "
    "--out made.html",
    "a result": "validate data.csv --labels kind --format json --out made.json",
    "a figure": "validate data.csv --labels kind --plot made.svg",
    "labels": "choose data.csv --leave-out kind --k 2:3 --runs 1 --no-structure --splits 0 --seed 0 "
    "--save-labels made.csv --save-k 3",
}


@pytest.mark.parametrize("what", WRITING)
def test_where_the_disk_is_full_what_was_written_before_is_whole(what, folder, capsys):
    run = runner(capsys)
    assert run(WRITING[what]).code == 0
    before = contents(folder)
    with full_disk(200):
        ended = run(f"{WRITING[what]} --force")
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert "File too large" in ended.err
    assert "Traceback" not in ended.err
    assert contents(folder) == before


def test_where_the_disk_is_full_the_pages_of_a_paper_are_those_of_before(folder, capsys):
    run = runner(capsys)
    command = "reproduce rovetta2009 --only table2 --out pages"
    assert run(command).code == 0
    before = contents(folder)
    with full_disk(200):
        ended = run(command)  # all its work is kept, so only the pages are written anew
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert contents(folder) == before
    with full_disk(200):
        ended = run(command.replace("pages", "others"))
    assert ended.code == 2
    assert "manifest.json cannot be written" in ended.err
    assert contents(folder) == before


class Filling(StubClusterer):
    """A clusterer at whose fourth fit the disk of its process is full."""

    def __init__(self, n_clusters=2, spread=0.3, random_state=None, log=None):
        super().__init__(n_clusters, spread, random_state)
        self.log = log

    def fit(self, X, y=None):
        with Path(self.log).open("a") as file:
            file.write("fit\n")
        fits = len(Path(self.log).read_text().splitlines())
        if fits == 4:
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        return super().fit(X, y)


@pytest.mark.parametrize("what", ["choose_k", "stability"])
def test_a_checkpoint_on_a_disk_that_fills_up_keeps_what_it_has(what, tmp_path):
    method = Filling(log=str(tmp_path / "log"))
    with full_disk(resource.getrlimit(resource.RLIMIT_FSIZE)[0]):  # what a fit sets is taken back
        with pytest.raises(FileError, match="cannot be written") as refused:
            logged_sweeps.swept(what, checkpoint=tmp_path / "kept", estimator=method)
        assert "File too large" in refused.value.got
    kept = contents(tmp_path / "kept")
    assert len([path for path in kept if path.suffix == ".json"]) == 1 + 3  # the manifest, and what was done
    assert not [path for path in kept if path.suffix == ".part"]
    again = logged_sweeps.swept(what, checkpoint=tmp_path / "kept", estimator=method)
    straight = logged_sweeps.swept(what, estimator=method)
    pd.testing.assert_frame_equal(again.to_frame(), straight.to_frame(), check_exact=True)
    assert {path: contents(tmp_path / "kept")[path] for path in kept} == kept


def test_a_record_that_cannot_be_replaced_stays(tmp_path):
    store = Checkpoint.open(tmp_path, {}, 0)
    store.save("a", Record({"value": 1}, {"labels": np.arange(3)}))
    with full_disk(300), pytest.raises(FileError, match=r"a\.npz cannot be written"):
        store.save("a", Record({"value": 2}, {"labels": np.arange(1000)}))
    assert store.load("a").values == {"value": 1}


# --- Ctrl-C -----------------------------------------------------------------------------------------------

LONG = {
    "choose": "choose data.csv --leave-out kind --method swap --k 2:4 --runs 60 --seed 0 --checkpoint kept "
    "--format csv",
    "stability": "stability data.csv --leave-out kind --k 2:4 --repeats 80 --seed 0 --checkpoint kept "
    "--format csv",
    "reproduce": "reproduce lagofernandez2009 --quick --only fig3 --out kept",
}
"""Some seconds each, in many pieces."""


@pytest.mark.parametrize(
    ("name", "jobs", "to_all"), [("choose", 2, True), ("stability", 1, True), ("reproduce", 2, False)]
)
def test_ctrl_c_ends_a_command_that_goes_on_where_it_was(name, jobs, to_all, folder, capsys):
    command = [sys.executable, "-m", "partita", *LONG[name].split(), "--jobs", str(jobs)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    with process:
        while len(list(Path("kept").rglob("*.json"))) < 4:
            assert process.poll() is None
            time.sleep(0.02)
        # a terminal sends it to the workers, too
        (os.killpg if to_all else os.kill)(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=AGES)
    assert (process.returncode, out, err.split()) == (130, b"", [b"stopped"])
    kept = {path: text for path, text in contents("kept").items() if path.suffix in (".json", ".npz")}
    assert len(kept) >= 4
    assert not any(path.suffix == ".html" for path in contents("kept"))  # it was not done
    run = runner(capsys)
    resumed = run(LONG[name])
    assert resumed.code == 0
    assert {path: contents("kept")[path] for path in kept} == kept
    if name != "reproduce":  # whose tests run it as a whole
        straight = run(LONG[name].replace("kept", "straight"))
        assert resumed.out.replace("kept", "straight") == straight.out
