"""The front door: what it exports, what it costs to open, and that the printed examples are true."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import scipy

import partita as pt

PROMISED = {
    "choose",
    "choose_k",
    "adjusted",
    "benchmark",
    "chance",
    "compare",
    "compare_models",
    "contingency",
    "self_agreement",
    "as_partition",
    "HardPartition",
    "FuzzyPartition",
    "PossibilisticPartition",
    "RoughPartition",
    "EvidentialPartition",
    "Ensemble",
    "index",
    "indices",
    "drop_in",
    "errors",
}


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh Python has after running this."""
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_everything_promised_is_exported_and_everything_exported_is_there():
    assert set(pt.__all__) >= PROMISED
    for name in pt.__all__:
        assert getattr(pt, name) is not None
    assert set(dir(pt)) >= set(pt.__all__)
    assert not hasattr(pt, "no_such_thing")


def test_importing_partita_loads_nothing():
    assert not loaded_after("import partita") & {
        "numpy",
        "scipy",
        "pandas",
        "sklearn",
        "numba",
        "matplotlib",
        "click",
    }


@pytest.mark.skipif(
    tuple(int(part) for part in scipy.__version__.split(".")[:2]) < (1, 17),
    reason="older SciPy loads more of itself",
)
def test_a_first_small_comparison_loads_only_numpy_and_scipy():
    code = "import partita\nprint(partita.compare([0, 0, 1], [0, 1, 1]))"
    loaded = loaded_after(code)
    assert {"numpy", "scipy"} <= loaded
    assert not loaded & {
        "pandas",
        "sklearn",
        "numba",
        "matplotlib",
        "narwhals",
        "rich",
        "click",
        "joblib",
        "jinja2",
        "scipy.optimize",
        "scipy.linalg",
        "scipy.sparse",
    }


def test_who_uses_one_method_waits_for_no_other():
    methods = {f"partita.cluster.{name}" for name in ("swap", "fuzzy", "mixture", "ward")}
    assert loaded_after("from partita.cluster import RandomSwap") & methods == {"partita.cluster.swap"}
    assert loaded_after("from partita.cluster import *\nprint(RandomSwap())") >= methods
    assert set(dir(pt.cluster)) == set(pt.cluster.__all__)
    assert not hasattr(pt.cluster, "no_such_method")


LATE = """
import sys
from partita.cli.late_modules import LATE, let_them_wait
let_them_wait()
let_them_wait()
assert sum(type(finder).__name__ == "LateModules" for finder in sys.meta_path) == 1
import sklearn.base
from scipy.spatial.distance import cdist
waiting = {name for name in LATE if type(sys.modules.get(name)).__name__ == "_LazyModule"}
assert waiting == LATE, waiting
assert "scipy.stats._distn_infrastructure" not in sys.modules
import scipy
assert scipy.stats.norm.cdf(0) == 0.5
from numpy.testing import assert_allclose
from numpy import f2py
assert callable(f2py.get_include)
assert scipy.spatial.transform.Rotation.identity().magnitude() == 0.0
assert all(type(sys.modules[name]).__name__ == "module" for name in LATE)
"""


def test_a_command_has_large_modules_wait_until_they_are_used():
    subprocess.run([sys.executable, "-c", LATE], check=True)


def test_indices_are_listed_by_name():
    assert "adjusted_rand" in dir(pt.indices)
    assert pt.indices.ARI is pt.indices.adjusted_rand
    assert {e.name for e in pt.indices.catalogue()} <= set(pt.indices.__all__)


QUESTIONS = [
    'from partita.registry import find; print(find("ARI").name)',
    'from partita.registry import resolve; print(resolve("ari", ())[0].name)',
    "from partita.registry import indices; print(next(e.name for e in indices() if e.symbol == 'ARI'))",
    'from partita.registry.curves import find_entry; print(find_entry("ARI").name)',
    'from partita.registry.curves import is_curve; print("adjusted_rand" if is_curve("gap") else "")',
    'from partita.results.index_rows import find; print(find("ARI").name)',
]
ASKED_IN_FORKS = """
import os, sys, numpy, scipy.special  # which take long to load, and are none of ours
for question in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        exec(question)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, question
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_the_catalogue_loads_itself_whatever_was_imported_before():
    code = [sys.executable, "-c", ASKED_IN_FORKS, *QUESTIONS]
    done = subprocess.run(code, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["adjusted_rand"] * len(QUESTIONS), done.stderr


def test_an_own_index_registered_first_stands_beside_the_catalogue_and_cannot_take_its_names():
    script = """
from partita.errors import ParameterError
from partita.registry import HARD, find, index
from partita.statistics import Contingency

def shared(table: Contingency):
    "How many cells hold objects."
    return (table.counts > 0).sum((-1, -2))

own = index(best=None, title="Cells", range={HARD: (1.0, None)})(shared)
assert find("shared") is own and find("ARI").name == "adjusted_rand"
shared.__name__ = "rand"
try:
    index(best=None, title="Not the Rand index", range={HARD: (1.0, None)})(shared)
except ParameterError as problem:
    print(problem.what)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "there is an index named 'rand' already."
