"""Every loop in its two forms: that both agree, which one runs, and what is needed for it."""

import copy
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import partita as pt
from partita.kernels import compilation
from partita.kernels.__main__ import every_kernel
from partita.kernels.merging import merge_pairs

KERNELS = {kernel.name: kernel for kernel in every_kernel()}
ENTRIES = sorted(name for name, kernel in KERNELS.items() if kernel.examples is not None)
SOURCE = Path(pt.__file__).parents[1]


def numbers(value):
    """All arrays and numbers in a result, in their order."""
    if isinstance(value, (tuple, list)):
        return [number for part in value for number in numbers(part)]
    return [] if value is None else [np.asarray(value)]


SCRATCH = {"upper", "lower", "shift", "order", "apart"}
"""Bounds that Lloyd's iteration keeps for itself, and does not need uncompiled."""


def kept(value):
    """An argument without what is nobody's business."""
    return (
        tuple(getattr(value, f) for f in value._fields if f not in SCRATCH)
        if hasattr(value, "_fields")
        else value
    )


def outcome(kernel, form, args):
    """What a form of a kernel returns, and what it makes of its arguments."""
    args = kernel.typed(copy.deepcopy(args))
    with np.errstate(all="ignore"):
        return numbers((form(*args), [kept(arg) for arg in args]))


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("seed", range(3))
def test_both_forms_agree(name, seed):
    kernel = KERNELS[name]
    for args in kernel.examples(np.random.default_rng(seed)):
        plain, compiled = outcome(kernel, kernel.plain, args), outcome(kernel, kernel.compiled, args)
        assert len(plain) == len(compiled) > 0
        for one, other in zip(plain, compiled, strict=True):
            off = 1e-5 if np.float32 in (one.dtype, other.dtype) else 1e-12
            np.testing.assert_allclose(one, other, rtol=off, atol=off, err_msg=name)


def test_every_kernel_has_an_example_or_serves_one_that_has():
    """What only serves others is called by one of them, by name in its code."""
    served = {name for kernel in KERNELS.values() for name in kernel.function.__code__.co_names}
    for kernel in KERNELS.values():
        assert (kernel.work is None) == (kernel.examples is None), kernel.name
        assert kernel.examples is not None or kernel.function.__name__ in served, kernel.name


@pytest.mark.usefixtures("compiled")
@pytest.mark.filterwarnings("ignore::partita.errors.PartitaWarning")
def test_fits_call_kernels_with_the_types_that_are_compiled_beforehand(monkeypatch):
    """A type that no example has would be compiled in the middle of a fit, for seconds."""
    typed, called = compilation.Kernel.typed, set()

    def types(name, args):
        return name, tuple(map(numba.typeof, args))

    def watched(kernel, args):
        args = typed(kernel, args)
        called.add(types(kernel.name, args))
        return args

    known = {
        types(name, KERNELS[name].typed(args))
        for name in ENTRIES
        for args in KERNELS[name].examples(np.random.default_rng(0))
    }
    monkeypatch.setattr(compilation.Kernel, "typed", watched)
    X = np.random.default_rng(0).normal(size=(60, 3))
    room = pt.cluster
    models = [
        *(room.GaussianMixtureEM(3, covariance_type=kind) for kind in ("full", "tied", "diag", "spherical")),
        room.StochasticComplexityClustering(3, binarize=0.0, n_init=2, max_swaps=5),
    ]
    others = {name for name in room.__all__ if isinstance(getattr(room, name), type)}
    models += [getattr(room, name)(3) for name in sorted(others - {type(model).__name__ for model in models})]
    for model in models:
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        model.fit(X).predict(X)
    assert {name.partition(".")[0] for name, _ in called} >= {"em", "binary", "lloyd", "swaps", "prototypes"}
    assert called <= known


# --- the rule ---------------------------------------------------------------------------------------------


@pytest.fixture
def runs(monkeypatch):
    """A kernel that counts, and which of its forms ran."""
    seen = []
    kernel = compilation.Kernel(lambda X: X, {}, lambda X: X.size, 10, None, None, ())
    compilation.REGISTERED.remove(kernel)
    monkeypatch.setattr(type(kernel), "plain", property(lambda _: lambda X: seen.append("plain")))
    monkeypatch.setattr(type(kernel), "compiled", property(lambda _: lambda X: seen.append("compiled")))
    return kernel, seen


def test_the_rule_looks_at_the_arguments_alone(runs):
    kernel, seen = runs
    small, large = np.zeros(compilation.PLAIN_STEPS // 10), np.zeros(compilation.PLAIN_STEPS // 10 + 1)
    for X in (small, large, small, large):
        kernel(X)
    kernel.times(1)(small)
    kernel.times(2)(small)
    assert seen == ["plain", "compiled", "plain", "compiled", "plain", "compiled"]


def test_estimates_take_the_arguments_of_their_kernels():
    for name in ENTRIES:
        for args in KERNELS[name].examples(np.random.default_rng(0)):
            assert KERNELS[name].steps(*args) > 0


def test_slices_of_a_search_do_not_change_the_form():
    """How much is done between two looks for Ctrl-C is no part of the input."""
    for name, position in (("lloyd.iterate_lloyd", -1), ("em.iterate_em", -1)):
        kernel = KERNELS[name]
        args = list(next(iter(kernel.examples(np.random.default_rng(0)))))
        whole = kernel.steps(*args)
        args[position] = 1
        assert kernel.steps(*args) == whole


def test_small_work_is_done_by_the_same_answer_when_compiled(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3)) + 3 * (np.arange(60) % 3)[:, None]
    model = pt.cluster.RandomSwap(4, random_state=0)
    plain = model.fit(X).cluster_centers_
    monkeypatch.setattr(compilation, "PLAIN_STEPS", 0)
    np.testing.assert_allclose(
        np.sort(model.fit(X).cluster_centers_, axis=0), np.sort(plain, axis=0), rtol=1e-12
    )


# --- in a process of its own ------------------------------------------------------------------------------


def run(code, *, source=SOURCE, **env):
    """What a script in another process, which must not fail, writes."""
    env = {**os.environ, "PYTHONPATH": str(source), **env}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


SMALL = """
import sys
import numpy as np
import partita as pt
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
"""
LARGE = """
import numpy as np
from partita.kernels.merging import merge_pairs
rng = np.random.default_rng(0)
print(repr(merge_pairs(rng.normal(size=(60, 4)), rng.random(60) + 1.0, 3).sum()))
stats = merge_pairs.compiled.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
WITHOUT = "import sys\nsys.modules['numba'] = None\n"


@pytest.fixture(scope="module")
def sum_of_large():
    """What LARGE prints first, found in this process."""
    rng = np.random.default_rng(0)
    return repr(merge_pairs(rng.normal(size=(60, 4)), rng.random(60) + 1.0, 3).sum())


def test_small_work_does_not_import_numba():
    code = f"""{SMALL}
pt.validate(X, y)
pt.choose_k(X, ks=range(2, 5), n_runs=2, random_state=0)
pt.distribution(y[::15], np.eye(3)[y[::15]] * 0.7 + 0.1, index="rand")
pt.stability(X, ks=[2, 10], n_repeats=1, random_state=0)
print("numba" in sys.modules)"""
    assert run(code).stdout == "False\n"


def test_without_numba_small_and_medium_work_runs_and_large_work_is_refused(sum_of_large):
    code = f"""{WITHOUT}{SMALL}
print(pt.choose_k(X, ks=range(2, 5), n_runs=2, random_state=0).k)
from partita.kernels.merging import merge_pairs
rng = np.random.default_rng(0)
print(repr(merge_pairs(rng.normal(size=(60, 4)), rng.random(60) + 1.0, 3).sum()))
try:
    pt.cluster.FuzzyCMeans(10).fit(np.zeros((20_000, 4)) + np.arange(20_000)[:, None])
except pt.errors.TooLargeError as error:
    print("pip install numba" in str(error))"""
    k, value, refused = run(code).stdout.split()
    assert k in ("2", "3", "None")
    assert float(value[11:-1]) == pytest.approx(float(sum_of_large[11:-1]), rel=1e-12)
    assert refused == "True"


def test_where_nothing_can_be_written_loops_are_compiled_all_the_same_and_a_pipe_is_told_nothing(
    tmp_path, sum_of_large
):
    """A file where a folder should be is in the way of root too."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "partita", tmp_path / "partita", ignore=ignore)
    (tmp_path / "partita" / "kernels" / "__pycache__").write_text("")
    nowhere = dict.fromkeys(("NUMBA_CACHE_DIR", "HOME", "XDG_CACHE_HOME"), "/dev/null/nowhere")
    code = f"{LARGE}\nprint(stats.cache_path, len(merge_pairs.compiled.signatures))"
    done = run(code, source=tmp_path, PYTHONDONTWRITEBYTECODE="1", **nowhere)
    value, *_, place, compiled = done.stdout.split()
    assert value == sum_of_large
    assert (place, compiled) == ("None", "1")
    assert done.stderr == ""


def test_everything_can_be_compiled_beforehand(monkeypatch, capsys):
    """Once compiled, by the tests above, it is only loaded."""
    from partita.kernels.__main__ import main

    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    *named, last = [line.split()[0] for line in lines]
    assert sorted(named) == sorted(n for n in KERNELS if n in ENTRIES)
    assert last == "all"
    monkeypatch.setattr("partita.kernels.__main__.has_numba", lambda: False)
    assert main() == 1


# --- what the user is told --------------------------------------------------------------------------------


def on_a_terminal(**env):
    """What a script that compiles prints, and what it writes to standard error, a pseudo-terminal."""
    leader, follower = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(SOURCE), **env}
    with subprocess.Popen(
        [sys.executable, "-c", LARGE], env=env, stdout=subprocess.PIPE, stderr=follower, text=True
    ) as it:
        os.close(follower)
        heard = b""
        while True:
            try:
                more = os.read(leader, 1000)
            except OSError:
                break
            if not more:
                break
            heard += more
        printed = it.stdout.read().split()
        assert it.wait() == 0
    os.close(leader)
    return printed, heard.decode()


def test_a_second_process_finds_what_the_first_compiled_and_a_terminal_is_told_once(tmp_path, sum_of_large):
    place = str(tmp_path / "not" / "there" / "yet")
    first, heard = on_a_terminal(NUMBA_CACHE_DIR=place)
    assert first == [sum_of_large, "0", "1"]
    assert heard.count("\n") == 1
    assert "compiling" in heard
    assert "once" in heard
    assert on_a_terminal(NUMBA_CACHE_DIR=place) == ([sum_of_large, "1", "0"], "")
