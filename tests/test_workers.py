"""Workers of every back end: data come once to each, results are the same, and a killed one costs little."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing.pool import ThreadPool
from pathlib import Path

import cloudpickle
import dask.array as da
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from joblib import parallel_config, register_parallel_backend
from joblib._memmapping_reducer import has_shareable_memory
from joblib.parallel import BACKENDS, ParallelBackendBase
from sklearn.base import clone

import partita as pt
from partita.errors import ParameterError, WorkerError
from partita.fits import shipments
from partita.fits.tasks import Task, run_tasks
from partita.partitions import DataMatrix
from shipped_sweeps import (
    Carrier,
    Counted,
    Mortal,
    die_always,
    said,
    sum_up,
    whole_or_dead,
)
from stub_clusterer import StubClusterer

X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
LARGE = np.arange(200_000.0)


@pytest.fixture(scope="module")
def cluster():
    """Two processes of a real cluster."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        Client(made) as client,
    ):
        yield client


@pytest.fixture
def backend(request):
    """The back end that a parameter names: dask's needs the cluster."""
    if request.param == "dask":
        request.getfixturevalue("cluster").wait_for_workers(2)
    with parallel_config(request.param):
        yield request.param


everywhere = pytest.mark.parametrize("backend", ["loky", "dask"], indirect=True)


def chosen(estimator, **ways):
    """All kinds of tasks that a choice of k has: fits, pairs, null data, halves, structure."""
    given = {"n_runs": 4, "indices": ["headline", "gap"], "n_null": 3, "n_splits": 3, "random_state": 0}
    return pt.choose_k(X, estimator, [2, 3], **given, **ways)


def found_again(estimator, **ways):
    return pt.stability(X, estimator, [2, 3], n_repeats=6, random_state=0, **ways)


SWEEPS = {"choose_k": chosen, "stability": found_again}


# --- data come once ---------------------------------------------------------------------------------------


@everywhere
@pytest.mark.parametrize("sweep", SWEEPS)
def test_data_come_once_to_each_worker_and_the_result_is_that_of_one(backend, sweep, tmp_path):
    log = tmp_path / "log"
    found = SWEEPS[sweep](Carrier(carried=Counted(str(log))), n_jobs=2)
    assert said(log, "pickled") == [os.getpid()]
    workers = said(log, "unpickled")
    assert len(workers) == len(set(workers)) <= 2
    by_workers = [process for process in said(log, "fitted") if process != os.getpid()]
    assert set(by_workers) == set(workers)
    assert len(by_workers) >= 14  # so that once for each task would be seen
    alone = SWEEPS[sweep](Carrier(carried=Counted(str(log))), n_jobs=1)
    pd.testing.assert_frame_equal(found.to_frame(), alone.to_frame(), check_exact=True)
    assert repr(found) == repr(alone)


@everywhere
def test_a_paper_runs_on_every_back_end(backend):
    there = pt.experiments.reproduce("rovetta2009", only="table2", n_jobs=2)
    with parallel_config("sequential"):
        here = pt.experiments.reproduce("rovetta2009", only="table2")
    assert [str(one) for one in there.findings] == [str(one) for one in here.findings]


def test_threads_share_the_thing_itself(tmp_path):
    log = tmp_path / "log"
    with parallel_config("threading"):
        chosen(Carrier(carried=Counted(str(log))), n_jobs=2)
    assert said(log, "fitted")
    assert not said(log, "pickled")


@everywhere
def test_what_workers_see_is_read_only_and_let_go_with_the_next_work(backend, tmp_path):
    tasks = [Task(f"t{i}", (LARGE, i, str(tmp_path / "log"))) for i in range(6)]
    records = list(run_tasks(sum_up, tasks, n_jobs=2, description="sums"))
    assert [record.values["place"] for record in records] == list(range(6))
    assert {record.values["sum"] for record in records} == {LARGE.sum()}
    assert not any(record.values["writeable"] for record in records)


def test_a_worker_keeps_one_shipment_only():
    for shared in ({"a": LARGE}, {"a": LARGE + 1}):
        shipment = shipments.Shipment()
        (packed, _), *_ = shipment.packed([(shared, 1), (shared, 2)])
        come = [cloudpickle.loads(cloudpickle.dumps(packed)) for _ in range(3)]
        assert come[0] is come[1] is come[2]  # unpickled once
        assert come[0].content is not shared
        np.testing.assert_array_equal(come[0].content["a"], shared["a"])
        assert shipments._here == (shipment.name, {0: come[0]})


def test_what_one_task_has_alone_goes_with_it():
    shared, own = {"a": 1}, [np.zeros(3) for _ in range(2)]
    rows = list(shipments.Shipment().packed([(shared, own[0], 5, "x"), (shared, own[1], 5, "x")]))
    assert [type(one).__name__ for one in rows[0]] == ["Shared", "ndarray", "int", "str"]
    assert rows[0][0] is rows[1][0]
    assert rows[1][1] is own[1]


def test_arrays_of_a_file_are_sent_by_its_name(tmp_path):
    np.save(tmp_path / "x.npy", LARGE)
    mapped = DataMatrix(np.load(tmp_path / "x.npy", mmap_mode="r").reshape(-1, 2)).values
    rows = [(mapped, i) for i in range(2)]
    (thing, _), *_ = shipments.Shipment().packed(rows)
    assert [has_shareable_memory(piece) for piece in thing.pieces] == [False, True]
    with parallel_config("loky"):
        tasks = [Task(f"t{i}", (mapped, i, str(tmp_path / "log"))) for i in range(4)]
        records = list(run_tasks(sum_up, tasks, n_jobs=2, description="sums"))
    assert {record.values["sum"] for record in records} == {LARGE.sum()}


class HandsOverAList(ParallelBackendBase):
    """A back end as those of Ray and Spark are: each batch is pickled, and results come all together."""

    def effective_n_jobs(self, n_jobs):
        return 2

    def configure(self, n_jobs=1, parallel=None, **_):
        self.parallel, self.pool = parallel, ThreadPool(2)
        return 2

    def terminate(self):
        self.pool.terminate()

    def apply_async(self, func, callback=None):
        return self.pool.apply_async(cloudpickle.loads(cloudpickle.dumps(func)), callback=callback)

    submit = apply_async

    def abort_everything(self, ensure_ready=True):
        self.pool.terminate()


@pytest.fixture
def list_backend():
    register_parallel_backend("hands over a list", HandsOverAList)
    yield "hands over a list"
    del BACKENDS["hands over a list"]


def test_a_back_end_that_gives_all_results_at_the_end(list_backend):
    assert not HandsOverAList().supports_return_generator
    with parallel_config(list_backend):
        there = found_again(StubClusterer(), n_jobs=2)
    pd.testing.assert_frame_equal(there.to_frame(), found_again(StubClusterer()).to_frame(), check_exact=True)


# --- what cannot be sent ----------------------------------------------------------------------------------


class Locked:
    def __init__(self):
        self.lock = threading.Lock()
        self.log = os.devnull

    def __deepcopy__(self, memo):
        return self


@everywhere
def test_what_cannot_be_sent_is_refused(backend):
    with pytest.raises(ParameterError, match="cannot be sent to worker processes") as refused:
        chosen(Carrier(carried=Locked()), n_jobs=2)
    assert "lock" in refused.value.got
    assert refused.value.fix == "n_jobs=1 needs no other process"


# --- killed workers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sweep", SWEEPS)
def test_a_worker_that_is_killed_ends_a_sweep_that_can_go_on(sweep, tmp_path):
    log, folder = str(tmp_path / "log"), tmp_path / "kept"
    with pytest.raises(WorkerError, match="a worker process ended") as ended:
        SWEEPS[sweep](Mortal(log=log), n_jobs=2, checkpoint=folder)
    assert "SIGKILL" in ended.value.got
    kept = len([path for path in folder.glob("*.json") if path.name != "manifest.json"])
    assert f"the same call goes on from {folder}, which keeps {kept} of " in ended.value.fix
    assert kept > 0
    before = len(said(log, "fitted"))
    again = SWEEPS[sweep](Mortal(log=log), n_jobs=2, checkpoint=folder)
    whole = len(said(log, "fitted")) - before
    straight_log = str(tmp_path / "straight")
    (tmp_path / "straight.died").touch()
    straight = SWEEPS[sweep](Mortal(log=straight_log), n_jobs=1)
    pd.testing.assert_frame_equal(again.to_frame(), straight.to_frame(), check_exact=True)
    assert whole == len(said(straight_log, "fitted")) - kept  # what was done is not done again


INTERRUPTED = """
import os, signal
import numpy as np
from partita.fits.tasks import Task, run_tasks
from shipped_sweeps import interrupt_oneself

tasks = [Task(f"t{i}", (np.arange(3000.0), i)) for i in range(40)]
records = list(run_tasks(interrupt_oneself, tasks, n_jobs=2, description="sums"))
assert os.getpid() not in {record.values["process"] for record in records}
assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])  # this process hears it
print([record.values["place"] for record in records])
"""


@pytest.mark.skipif(os.name == "nt", reason="other systems mask no signals")
def test_ctrl_c_does_not_reach_workers():
    """A terminal sends it to all processes of a command; the one that a person started ends the others."""
    command = [sys.executable, "-c", INTERRUPTED]
    ended = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.strip() == str(list(range(40)))


def test_without_a_checkpoint_the_error_names_it(tmp_path):
    with pytest.raises(WorkerError) as ended:
        found_again(Mortal(log=str(tmp_path / "log")), n_jobs=2)
    assert ended.value.fix.startswith("checkpoint=... keeps what is done")
    assert "stability: " in ended.value.got


@pytest.mark.parametrize("sweep", SWEEPS)
def test_a_cluster_that_loses_a_worker_does_its_work_again(cluster, sweep, tmp_path):
    cluster.wait_for_workers(2)
    with parallel_config("dask", wait_for_workers_timeout=120):
        found = SWEEPS[sweep](Mortal(log=str(tmp_path / "log")), n_jobs=2)
    assert (tmp_path / "log.died").exists()
    straight = SWEEPS[sweep](Mortal(log=str(tmp_path / "log")), n_jobs=1)
    pd.testing.assert_frame_equal(found.to_frame(), straight.to_frame(), check_exact=True)


def test_a_cluster_that_loses_all_workers_says_so():
    """One of its own: a worker that is killed while it starts may not come back."""
    tasks = [Task(f"t{i}", (LARGE, i)) for i in range(4)]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        Client(made),
        parallel_config("dask"),
        pytest.raises(WorkerError, match="a worker process ended"),
    ):
        list(run_tasks(die_always, tasks, n_jobs=2, description="deaths"))


def test_a_cluster_without_workers_is_refused():
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        Client(empty),
        parallel_config("dask", wait_for_workers_timeout=0.1),
        pytest.raises(WorkerError, match="no worker") as refused,
    ):
        found_again(StubClusterer())
    assert "0.1 seconds" in refused.value.got


def test_a_chunked_comparison_that_loses_a_worker_has_the_right_result(cluster, tmp_path):
    cluster.wait_for_workers(2)
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 4, size=(2, 3000))
    died = str(tmp_path / "died")
    cut = da.from_array(truth, chunks=500).map_blocks(whole_or_dead, died, dtype=truth.dtype, meta=truth[:0])
    there = pt.compare(cut, da.from_array(found, chunks=500))
    assert Path(died).exists()
    here = pt.compare(truth, found)
    values = {row.index: row.value for row in here.rows}
    assert {row.index: row.value for row in there.rows} == {
        row.index: pytest.approx(values[row.index], rel=1e-12, nan_ok=True) for row in there.rows
    }
    assert {"adjusted_rand", "normalized_mutual_information"} & {row.index for row in there.rows}


def test_a_clone_carries_the_same_thing(tmp_path):
    """Else what the tests above count would be copies of it."""
    carrier = Carrier(carried=Counted(str(tmp_path / "log")))
    assert clone(carrier).carried is carrier.carried
