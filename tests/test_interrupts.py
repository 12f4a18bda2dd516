"""Ctrl-C ends long work, slices change no result, and a fork never inherits a lock."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_info

import partita as pt
from partita import cluster
from partita.arrays import held, one_blas_thread, row_blocks

IRIS = load_iris().data
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
AGES = 120
"""Seconds after which work that was interrupted is taken to go on for ever; it takes one or two."""

LONG_WORK = {
    "stochastic complexity": (
        "cluster.StochasticComplexityClustering(20, max_swaps=10**6, random_state=0).fit",
        "(X > 0)",
    ),
    "a mixture": (
        "cluster.GaussianMixtureEM(20, max_iter=10**9, tol=0.0, random_state=0).fit",
        "X",
    ),
    "fuzzy c-means for many k": (
        "functools.partial(pt.choose_k, estimator=cluster.FuzzyCMeans(tol=0.0, max_iter=10**9), ks=[5, 9])",
        "X",
    ),
    "random swap": (
        "cluster.RandomSwap(50, max_swaps=10**9, patience=10**9, random_state=0).fit",
        "X",
    ),
    "Lloyd's iteration on one thread": (
        "functools.partial(repeated, centres.lloyd)",
        "X",
    ),
}

SCRIPT = """
import functools, os, sys, warnings
import numpy as np
import partita as pt
from partita import cluster
from partita.cluster import centres

def repeated(work, X):
    while True:
        work(X, X[:200])

warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(50_000, 8))
pt.choose_k
for line in sys.stdin:
    child = os.fork()
    if child:
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    work, said = line.rstrip("\\n").split("\\t")
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
    print(os.getpid(), flush=True)
    eval(work)
    sys.exit("it came to an end")
"""


@pytest.fixture(scope="module")
def starter():
    """A process that has everything imported, and forks for each line of work; it takes no Ctrl-C itself."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        yield process
        process.stdin.close()


@forks
@pytest.mark.parametrize("name", LONG_WORK)
def test_ctrl_c_ends_long_work(name, starter, tmp_path):
    work, data = LONG_WORK[name]
    said = tmp_path / "said"
    starter.stdin.write(f"{work}({data})\t{said}\n")
    child = int(starter.stdout.readline())
    hangs = threading.Timer(AGES, os.kill, [child, signal.SIGKILL])
    hangs.start()
    try:
        time.sleep(0.7)  # into the compiled loops; the work itself would go on for days
        assert said.read_text() == ""  # it has not ended yet
        os.kill(child, signal.SIGINT)
        # while numba loads what it compiled, one of its callbacks may swallow it: whoever waits presses again
        while not select.select([starter.stdout], [], [], 2.0)[0] and "Exception ignored" in said.read_text():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGINT)
        code = int(starter.stdout.readline())
    finally:
        hangs.cancel()
    assert said.read_text().strip().endswith("KeyboardInterrupt")
    assert code == -signal.SIGINT


# --- slices ------------------------------------------------------------------------------------------------

SLICED = {
    "partita.cluster.centres": cluster.GlobalKMeans(4),
    "partita.cluster.binary": cluster.StochasticComplexityClustering(
        3, binarize=2.0, max_swaps=8, n_init=2, random_state=0
    ),
    "partita.cluster.mixture": cluster.GaussianMixtureEM(4, n_init=2, random_state=0),
    "partita.cluster.swap": cluster.RandomSwap(5, max_swaps=150, random_state=0),
}


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("operations", [1, 700, 40_000])
def test_slices_of_em_change_no_result(monkeypatch, kind, operations):
    model = cluster.GaussianMixtureEM(3, covariance_type=kind, n_init=2, random_state=0)
    X = np.vstack([IRIS] * 4) + np.random.default_rng(0).normal(scale=0.1, size=(600, 4))
    assert_same_in_slices(monkeypatch, "partita.cluster.mixture", model, X, operations)


@pytest.mark.parametrize("module", SLICED)
@pytest.mark.parametrize("operations", [1, 700, 40_000])
def test_slices_change_no_result(monkeypatch, module, operations):
    assert_same_in_slices(monkeypatch, module, SLICED[module], IRIS, operations)


def assert_same_in_slices(monkeypatch, module, model, X, operations):
    whole = vars(model.fit(X)).copy()
    monkeypatch.setattr(f"{module}.OPERATIONS_AT_A_TIME", operations)
    for name, value in vars(model.fit(X)).items():
        if isinstance(value, (np.ndarray, float, int)):
            np.testing.assert_array_equal(value, whole[name], err_msg=name)


def test_a_slice_ends_after_some_operations(monkeypatch):
    """Counted, not timed: a tenth of the operations at a time takes about ten times the calls."""
    from partita.kernels import em, lloyd

    calls = {}

    def counting(module, name):
        original = getattr(module, name)

        def counted(*args):
            calls[name] = calls.get(name, 0) + 1
            return original(*args)

        monkeypatch.setattr(module, name, counted)

    counting(lloyd, "iterate_lloyd")
    counting(em, "iterate_em")
    X = np.random.default_rng(0).normal(size=(5000, 3))
    found = []
    for operations in (10**9, 10**5, 10**4):
        calls.clear()
        monkeypatch.setattr("partita.cluster.centres.OPERATIONS_AT_A_TIME", operations)
        monkeypatch.setattr("partita.cluster.mixture.OPERATIONS_AT_A_TIME", operations)
        model = cluster.GaussianMixtureEM(8, init=X[:8], max_iter=20, tol=0.0)
        with pytest.warns(pt.errors.ConvergenceWarning):
            model.fit(X)
        cluster.centres.lloyd(X, X[:8], max_iter=20)
        found.append(dict(calls))
    assert found[0] == {"iterate_em": 1, "iterate_lloyd": 1}
    for name in found[0]:
        assert found[1][name] > 1
        assert 3 * found[1][name] < found[2][name] < 30 * found[1][name]


# --- Ctrl-C while something must not be interrupted --------------------------------------------------------


@pytest.fixture(autouse=True)
def hears_interrupts():
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_held_work_is_done_before_the_interrupt_is_heard():
    done = []

    def work(value):
        signal.raise_signal(signal.SIGINT)
        done.append(value)
        return value

    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        held(work)(1)
    with pytest.raises(KeyboardInterrupt):  # also where the work holds a part of itself
        held(lambda: [held(work)(2), done.append(3)])()
    assert done == [1, 2, 3]
    assert signal.getsignal(signal.SIGINT) is usual
    assert held(len)([1, 2]) == 2


def test_held_work_leaves_other_handlers_and_threads_alone():
    heard = []
    usual = signal.signal(signal.SIGINT, lambda *_: heard.append("own handler"))
    try:
        assert held(lambda: signal.raise_signal(signal.SIGINT) or heard.append("work"))() is None
    finally:
        signal.signal(signal.SIGINT, usual)
    assert heard == ["work", "own handler"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(held(lambda: 5)).result() == 5
    with pytest.raises(ZeroDivisionError):
        held(lambda: 1 / 0)()
    assert signal.getsignal(signal.SIGINT) is usual


# --- forks -------------------------------------------------------------------------------------------------

may_fork = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def exit_code_of_child(work):
    """What a forked child returns; a child that hangs is killed, and fails the test."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    for _ in range(100 * AGES):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def use_blas():
    with one_blas_thread():
        return 0 if len(row_blocks._blas_users) == 1 else 1


@forks
@may_fork
def test_a_fork_while_other_threads_take_the_lock_of_blas():
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            use_blas()

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert [exit_code_of_child(use_blas) for _ in range(15)] == [0] * 15
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not row_blocks._blas_users


@forks
@may_fork
def test_a_fork_while_another_thread_holds_blas_to_one_thread():
    def blas_threads():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def hold():
        with one_blas_thread():
            inside.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        assert exit_code_of_child(lambda: int(blas_threads() != before)) == 0
        with one_blas_thread():  # the forking thread's own hold goes on in the child
            limited = blas_threads()
            assert exit_code_of_child(lambda: int(blas_threads() != limited)) == 0
    finally:
        leave.set()
        thread.join()
    assert blas_threads() == before
    assert not row_blocks._blas_users
