"""What holds for every test: none may depend on how fast the machine is, and draws are the same every time.

``make draws`` draws new ones.
"""

from __future__ import annotations

import gc
import os

# Two workers share two cores: threads of BLAS would wait for one another. Tests of threads ask for theirs.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

FIXED, FUZZ = "fixed", "fuzz"
settings.register_profile(FUZZ, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(FIXED, settings.get_profile(FUZZ), derandomize=True)
settings.load_profile(os.environ.get("PARTITA_DRAWS", FIXED))


def pytest_collection_finish():
    """Modules and collected tests stay to the end: no later collection of garbage need walk through them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


# --- loops ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="class")  # of a function outside a class: for that function, and its draws
def compiled():
    """Loops are compiled however little there is to do, as they are for larger data: thousands of small calls
    take half a second each otherwise. That both forms agree is told by test_kernels."""
    from partita.kernels import compilation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "PLAIN_STEPS", 0)
        yield


# --- what is left out is said at the end, also where workers leave it out -----------------------------------

LEFT_OUT = pytest.StashKey[int]()


def pytest_deselected(items):
    config = items[0].config
    paper_size = sum(item.get_closest_marker("full") is not None for item in items)
    config.stash[LEFT_OUT] = config.stash.get(LEFT_OUT, 0) + paper_size


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """All workers leave out the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{count} cases of paper size were left out: make test-full runs them")
