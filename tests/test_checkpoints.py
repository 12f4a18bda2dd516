"""Checkpoints: sweeps that are killed and go on, and folders that are not what they say they are."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import partita
from logged_sweeps import LOG, STOPS, X, swept
from partita.errors import FileError, ParameterError
from partita.fits import checkpoints
from partita.fits.checkpoints import Checkpoint, Record, fingerprint, root_seed
from partita.resampling import Noise, Subsample
from stub_clusterer import StubClusterer


def in_another_process(what, folder, out=None, **options):
    """Begin the sweep in a process of its own, which leads a group of its own."""
    call = f"made = t.swept({what!r}, checkpoint={str(folder)!r}, **{options!r})"
    write = "" if out is None else f"; made.to_frame().to_pickle({str(out)!r})"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    code = f"import logged_sweeps as t; {call}{write}"
    return subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)


def records(folder):
    return sorted(path for path in folder.glob("*.json") if path.name != "manifest.json")


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "log"
    monkeypatch.setenv(LOG, str(path))
    return path


# --- killed and resumed -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "stops", "fits", "n_jobs"),
    [("stability", 7, 12, 1), ("choose_k", 8, 10, 1), ("stability", 7, 12, 2)],
)
def test_a_sweep_that_was_killed_goes_on_to_the_very_same_end(
    what, stops, fits, n_jobs, tmp_path, log, monkeypatch
):
    folder = tmp_path / "sweep"
    monkeypatch.setenv(STOPS, str(stops))
    with in_another_process(what, folder, n_jobs=n_jobs) as process:
        while not log.with_suffix(".stopped").exists():
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    monkeypatch.delenv(STOPS)
    kept = len(records(folder))
    assert stops - n_jobs <= kept <= stops - 1  # all but those that the workers were at
    log.unlink()
    resumed = swept(what, checkpoint=folder)
    assert len(log.read_text().splitlines()) == fits - kept
    straight = swept(what)
    pd.testing.assert_frame_equal(resumed.to_frame(), straight.to_frame(), check_exact=True)
    assert repr(resumed) == repr(straight)
    log.unlink()
    again = swept(what, checkpoint=folder)
    assert not log.exists()  # nothing is fitted twice
    pd.testing.assert_frame_equal(again.to_frame(), straight.to_frame(), check_exact=True)


def test_partitas_own_methods_keep_nothing_and_the_notes_say_so(tmp_path):
    folder = tmp_path / "kept"
    choice = partita.choose_k(X, checkpoint=folder, structure=False, random_state=0)
    assert choice.k == 3
    assert any(str(folder) in note for note in choice.notes)
    assert not folder.exists()


class Strict(StubClusterer):
    """Refuses fewer than three clusters."""

    def fit(self, X, y=None):
        if self.n_clusters < 3:
            raise ValueError("too few clusters")
        return super().fit(X, y)


def test_a_number_of_clusters_that_a_pipeline_cannot_do_does_not_end_the_sweep():
    method = make_pipeline(StandardScaler(), Strict())
    choice = partita.choose_k(X, method, [2, 3], n_runs=1, indices=["CH"], structure=False, random_state=0)
    assert [bool(fit.failed) for fit in choice.fits] == [True, False]
    assert choice.k == 3


def test_first_steps_that_cannot_prepare_the_data_are_refused():
    method = make_pipeline(PCA(5), StubClusterer())
    with pytest.raises(ParameterError, match="cannot be prepared") as refused:
        partita.choose_k(X, method, [2, 3], random_state=0)
    assert refused.value.parameter == "estimator"


def test_two_processes_on_one_folder_do_no_harm(tmp_path, log):
    """Without a random_state: both work with the seed of whoever came first."""
    folder, outs = tmp_path / "sweep", [tmp_path / "a", tmp_path / "b"]
    running = [in_another_process("stability", folder, out, random_state=None) for out in outs]
    assert [process.wait(120) for process in running] == [0, 0]
    frames = [pd.read_pickle(out) for out in outs]
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    resumed = swept("stability", checkpoint=folder, random_state=None)
    pd.testing.assert_frame_equal(resumed.to_frame(), frames[0], check_exact=True)


def test_of_two_that_begin_at_once_one_seed_is_kept(tmp_path, monkeypatch):
    parts, made = {"data": X}, checkpoints.tempfile.mkstemp

    def overtaken(**options):
        monkeypatch.setattr(checkpoints.tempfile, "mkstemp", made)
        Checkpoint.open(tmp_path / "c", parts, 5)
        return made(**options)

    monkeypatch.setattr(checkpoints.tempfile, "mkstemp", overtaken)
    assert Checkpoint.open(tmp_path / "c", parts).seed == 5


def test_a_folder_on_a_file_system_without_links_works_too(tmp_path, monkeypatch):
    def refuse(self, target):
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    assert Checkpoint.open(tmp_path, {"data": X}, 5).seed == Checkpoint.open(tmp_path, {"data": X}).seed == 5


def test_without_a_random_state_it_goes_on_with_the_seed_it_began_with(tmp_path, log):
    first = swept("stability", checkpoint=tmp_path / "c", random_state=None)
    records(tmp_path / "c")[0].unlink()
    again = swept("stability", checkpoint=tmp_path / "c", random_state=None)
    other = swept("stability", checkpoint=tmp_path / "d", random_state=None)
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame(), check_exact=True)
    assert (first.to_frame().seed != other.to_frame().seed).any()


def test_a_generator_is_a_seed_by_its_state(tmp_path):
    opened = [Checkpoint.open(tmp_path, {}, np.random.default_rng(1)) for _ in range(2)]
    assert opened[0] == opened[1]
    assert opened[0].seed == root_seed(np.random.default_rng(1))
    with pytest.raises(FileError, match="other work"):
        Checkpoint.open(tmp_path, {}, np.random.default_rng(2))


def test_half_written_files_do_no_harm(tmp_path, log):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / ".abc.part").write_bytes(b'{"format"')  # killed on the way to the very first file
    whole = swept("stability", checkpoint=tmp_path / "c")
    (tmp_path / "c" / ".def.part").write_bytes(b"PK")
    path = tmp_path / "c" / "k00003-repeat00001.json"
    path.unlink()
    (tmp_path / "c" / "whole-k00002.json").unlink()  # its arrays are there, as after a kill between the two
    log.unlink()
    again = swept("stability", checkpoint=tmp_path / "c")
    assert len(log.read_text().splitlines()) == 2
    pd.testing.assert_frame_equal(whole.to_frame(), again.to_frame(), check_exact=True)


# --- what is in it ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder that holds all of a sweep, and what came of it."""
    folder = tmp_path_factory.mktemp("finished") / "sweep"
    return folder, swept("stability", checkpoint=folder, estimator=StubClusterer())


@pytest.fixture
def folder(finished, tmp_path):
    return Path(shutil.copytree(finished[0], tmp_path / "copy"))


def resume(folder):
    return swept("stability", checkpoint=folder, estimator=StubClusterer())


def test_it_holds_values_seeds_and_partitions_and_no_pickle(finished, tmp_path, log):
    chosen = tmp_path / "chosen"
    swept("choose_k", checkpoint=chosen)
    for folder in (finished[0], chosen):
        for path in folder.iterdir():
            assert path.suffix in (".json", ".npz")
            if path.suffix == ".json":
                content = json.loads(path.read_text(), parse_constant=pytest.fail)
                assert len(content["checksum"]) == 64
            else:
                with np.load(path, allow_pickle=False) as arrays:
                    assert all(arrays[name].dtype.kind in "iufbU" for name in arrays.files)
                assert all(name.endswith(".npy") for name in zipfile.ZipFile(path).namelist())
    frame = finished[1].to_frame()
    for row in frame.itertuples():
        stored = json.loads((finished[0] / f"k{row.k:05}-repeat{row.repeat:05}.json").read_text())["values"]
        assert stored["seed"] == row.seed
    with np.load(chosen / "k00003-run00000.npz", allow_pickle=False) as arrays:
        seed = json.loads((chosen / "k00003-run00000.json").read_text())["values"]["seed"]
        np.testing.assert_array_equal(
            arrays["labels"], StubClusterer(3, random_state=seed).fit(X + 1).labels_
        )


def test_what_is_read_is_what_was_written(tmp_path):
    store = Checkpoint.open(tmp_path, {"data": X}, 0)
    record = Record({"value": 0.1 + 0.2, "none": None, "rows": [["a", 1]]}, {"labels": np.arange(3), "U": X})
    assert store.load("a") is None
    store.save("a", record)
    found = store.load("a")
    assert found.values == record.values
    assert all(np.array_equal(found.arrays[name], record.arrays[name]) for name in ("labels", "U"))
    with pytest.raises(ValueError, match="Object arrays"):
        store.save("b", Record({}, {"objects": np.array([{}])}))
    assert store.load("b") is None


# --- damaged ----------------------------------------------------------------------------------------------

WHOLE, ONE = "whole-k00003", "k00003-repeat00001"


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def edit(path, *keys, to):
    content = json.loads(path.read_text())
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    assert inner[keys[-1]] != to
    inner[keys[-1]] = to
    path.write_text(json.dumps(content))


DAMAGE = {
    "a flipped bit in arrays": (f"{WHOLE}.npz", flip),
    "a flipped bit in values": (f"{ONE}.json", flip),
    "no arrays": (f"{WHOLE}.npz", Path.unlink),
    "arrays cut short": (f"{WHOLE}.npz", lambda p: p.write_bytes(p.read_bytes()[:-10])),
    "values cut short": (f"{ONE}.json", lambda p: p.write_bytes(p.read_bytes()[:-10])),
    "an empty file": (f"{ONE}.json", lambda p: p.write_bytes(b"")),
    "no text": (f"{ONE}.json", lambda p: p.write_bytes(b"\xff\xfe\x00")),
    "a number": (f"{ONE}.json", lambda p: p.write_text("3")),
    "a list": (f"{ONE}.json", lambda p: p.write_text("[]")),
    "nothing inside": (f"{ONE}.json", lambda p: p.write_text("{}")),
    "brackets": (f"{ONE}.json", lambda p: p.write_text("[" * 200_000)),
    "brackets that close": (f"{ONE}.json", lambda p: p.write_text("[" * 200_000 + "]" * 200_000)),
    "brackets in a value": (f"{ONE}.json", lambda p: p.write_text('{"a": ' + "[" * 900 + "]" * 900 + "}")),
    "brackets in the manifest": ("manifest.json", lambda p: p.write_text('{"a":' * 200_000)),
    "a number of 10,000 digits": (f"{ONE}.json", lambda p: p.write_text('{"a": ' + "9" * 10_000 + "}")),
    "a folder": (f"{ONE}.json", lambda p: (p.unlink(), p.mkdir())),
    "another value": (f"{ONE}.json", lambda p: edit(p, "values", "rows", 0, 0, to=0.5)),
    "another seed": (f"{ONE}.json", lambda p: edit(p, "values", "seed", to=1)),
    "no hash of the arrays": (f"{WHOLE}.json", lambda p: edit(p, "arrays", to=None)),
    "another hash of the arrays": (f"{WHOLE}.json", lambda p: edit(p, "arrays", to="0" * 64)),
    "another work": (f"{ONE}.json", lambda p: edit(p, "work", to="0" * 64)),
    "no checksum": (f"{ONE}.json", lambda p: edit(p, "checksum", to=None)),
    "another task's record": (
        f"{ONE}.json",
        lambda p: p.write_bytes((p.parent / "k00003-repeat00000.json").read_bytes()),
    ),
    "another k's arrays": (
        f"{WHOLE}.npz",
        lambda p: p.write_bytes((p.parent / "whole-k00002.npz").read_bytes()),
    ),
    "another format": ("manifest.json", lambda p: edit(p, "format", to=2)),
    "another root seed": ("manifest.json", lambda p: edit(p, "seed", to=4)),
    "another hash of the data": ("manifest.json", lambda p: edit(p, "hashes", "data", to="0" * 64)),
    "a manifest without hashes": ("manifest.json", lambda p: edit(p, "hashes", to=[])),
    "a manifest cut short": ("manifest.json", lambda p: p.write_bytes(p.read_bytes()[:-10])),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_changed_is_refused_by_name(damage, folder):
    name, harm = DAMAGE[damage]
    harm(folder / name)
    with pytest.raises(FileError) as refused:
        resume(folder)
    assert name in refused.value.what
    assert "not trusted" in refused.value.what


@pytest.mark.parametrize("damage", ["a flipped bit in arrays", "no arrays", "a flipped bit in values"])
def test_what_is_told_to_be_deleted_is_computed_again(damage, folder, finished):
    name, harm = DAMAGE[damage]
    harm(folder / name)
    with pytest.raises(FileError) as refused:
        resume(folder)
    told = refused.value.fix.removeprefix("delete ").removesuffix(" to compute it again")
    (folder / (name if told == "it" else told)).unlink()
    pd.testing.assert_frame_equal(resume(folder).to_frame(), finished[1].to_frame(), check_exact=True)


def test_a_seed_that_was_edited_is_not_trusted_even_if_nothing_else_is_there(tmp_path):
    Checkpoint.open(tmp_path, {"data": X}, 5)
    edit(tmp_path / "manifest.json", "seed", to=6)
    with pytest.raises(FileError, match=r"manifest\.json is not trusted"):
        Checkpoint.open(tmp_path, {"data": X})


def test_a_later_format_is_refused_for_what_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "FORMAT", 2)
    Checkpoint.open(tmp_path, {"data": X}, 5)
    monkeypatch.undo()
    with pytest.raises(FileError, match="format 2, not 1"):
        Checkpoint.open(tmp_path, {"data": X}, 5)


def test_a_file_of_another_sweep_is_refused(folder, tmp_path):
    swept("stability", checkpoint=tmp_path / "other", estimator=StubClusterer(), random_state=4)
    shutil.copy(tmp_path / "other" / f"{ONE}.json", folder)
    with pytest.raises(FileError, match=f"{ONE}.json is not trusted: it belongs to other work"):
        resume(folder)


def test_workers_refuse_as_well(folder):
    flip(folder / f"{WHOLE}.npz")
    with pytest.raises(FileError, match=rf"{WHOLE}\.npz"):
        swept("stability", checkpoint=folder, estimator=StubClusterer(), n_jobs=2)


def test_what_was_deleted_is_computed_again(folder, finished):
    (folder / f"{ONE}.json").unlink()
    pd.testing.assert_frame_equal(resume(folder).to_frame(), finished[1].to_frame(), check_exact=True)


# --- foreign ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"X": X + 1e-12}, "data"),
        ({"X": X.astype(np.float32)}, "data"),
        ({"X": X[:, ::-1]}, "data"),
        ({"ks": [2, 3]}, "ks"),
        ({"n_repeats": 4}, "n_repeats"),
        ({"indices": ["CI"]}, "indices"),
        ({"scheme": Subsample(0.31)}, "scheme"),
        ({"scheme": Noise()}, "scheme"),
        ({"strategy": "transfer"}, "strategy"),
        ({"estimator": StubClusterer(spread=0.1)}, "estimator"),
        ({"estimator": KMeans()}, "estimator"),
        ({"estimator": make_pipeline(StandardScaler(), StubClusterer())}, "estimator"),
        ({"random_state": 4}, "random_state"),
        ({"X": X[::-1], "ks": [3]}, "data, ks"),
    ],
)
def test_other_work_is_refused_and_told_apart(other, named, folder):
    options = {
        "X": X,
        "estimator": StubClusterer(),
        "ks": [2, 3, 4],
        "n_repeats": 3,
        "indices": ["CI", "ARI"],
        "random_state": 3,
    }
    with pytest.raises(FileError) as refused:
        partita.stability(**{**options, **other}, checkpoint=folder)
    assert refused.value.got == f"other {named}"
    assert str(folder) in refused.value.what


def test_the_checkpoint_of_another_procedure_is_refused(folder):
    with pytest.raises(FileError, match="other work"):
        swept("choose_k", checkpoint=folder, estimator=StubClusterer())


def test_equal_options_are_equal_however_they_are_written(folder, finished):
    again = partita.stability(
        pd.DataFrame(X),
        StubClusterer(random_state=np.random.default_rng(8)),  # which every fit sets anew
        (np.int64(k) for k in (4, 3, 2, 2)),
        n_repeats=np.int64(3),
        indices=["CI", "ARI"],
        threshold=0.5,  # decides on what was computed
        random_state=np.int64(3),
        checkpoint=str(folder),
    )
    pd.testing.assert_frame_equal(again.to_frame(), finished[1].to_frame(), check_exact=True)


def test_a_folder_that_is_no_checkpoint_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(FileError, match="not empty and no checkpoint"):
        Checkpoint.open(tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_paths_that_can_be_no_folder_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below", f"{tmp_path}/a\0b", "\ud800", "a" * 5000):
        with pytest.raises(FileError, match="cannot hold a checkpoint"):
            Checkpoint.open(path, {})
    with pytest.raises(ParameterError, match="no path"):
        Checkpoint.open(3, {})


@contextmanager
def unprivileged():
    """Root may write anywhere; nobody may not."""
    user = os.geteuid()
    os.seteuid(user or 65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_without_the_right_to_write_a_record_is_refused_by_name():
    with tempfile.TemporaryDirectory() as place:  # pytest's own folder is closed to others
        store = Checkpoint.open(place, {}, 0)
        store.save("a", Record({"value": 1}))
        Path(place).chmod(0o555)
        for path in Path(place).iterdir():
            path.chmod(0o444)
        with unprivileged():
            with pytest.raises(FileError, match="cannot hold a checkpoint"):
                Checkpoint.open(Path(place) / "below", {}, 0)
            assert Checkpoint.open(place, {}, 0).load("a").values == {"value": 1}
            with pytest.raises(FileError, match=r"b\.json cannot be written"):
                store.save("b", Record({"value": 1}))
        Path(place).chmod(0o755)


# --- fingerprints -----------------------------------------------------------------------------------------


def square(values):
    return values**2


def test_fingerprints_tell_options_apart():
    parts = [
        X, X.T, X.ravel(), X.astype(np.float32), 1, 1.0, "1", True, None, [1], [[1]], [1, [1]],
        {"a": 1}, ["a", 1], {"a": {"b": 1}}, {"a": {}, "b": 1},
        KMeans(2), KMeans(3), StubClusterer(2), [KMeans(2)], KMeans,
        KMeans(init=X[:2]), KMeans(init=X[1:3]), square, lambda v: v**2, lambda v: v**3, np.array([1, None]),
        np.array([1, "None"], dtype=object), pd.Series(np.arange(1000)), pd.Series(np.arange(1000) // 999),
        AgglomerativeClustering(connectivity=sp.eye(3, format="csr")),
        AgglomerativeClustering(connectivity=2 * sp.eye(3, format="csr")),
        make_pipeline(FunctionTransformer(square), KMeans()),
        make_pipeline(FunctionTransformer(abs), KMeans()),
    ]  # fmt: skip
    assert len({fingerprint(part) for part in parts}) == len(parts)
