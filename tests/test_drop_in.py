"""scikit-learn's metrics by our hands: its own tests with our functions in place, agreement, messages.

Run as a script, this file runs scikit-learn's installed tests with our functions in the place of its own
and writes what happened to the file named on the command line; `swapped` below does so once and reads it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import os
import re
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import sklearn
from scipy import sparse
from scipy.stats import entropy
from sklearn.metrics import cluster as theirs

import partita.drop_in as ours
from partita.errors import PartitaError

# --- scikit-learn's own tests ---------------------------------------------------------------------------

TESTS_RUN = {  # how many, in scikit-learn 1.9
    "sklearn.metrics.cluster.tests.test_supervised": 53,
    "sklearn.metrics.cluster.tests.test_common": 78,
    "sklearn.metrics.cluster.tests.test_unsupervised": 44,
}

LEFT_OUT = {
    "test_generalized_average": "a private helper of scikit-learn",
    "test_public_entropy_deprecation": "a deprecated function that is not among ours",
    "test_entropy": "a private helper of scikit-learn",
    "test_entropy_array_api": "a private helper of scikit-learn",
    "test_check_clustering_error": "a private helper; our warning has a test below",
    "test_symmetric_non_symmetric_union": "compares two lists inside scikit-learn's test file",
    "test_array_api_compliance": "arrays of other libraries than NumPy",
    "test_silhouette_reduce": "a private helper of scikit-learn",
}


def left_out(function: str) -> bool:
    """Whether a test is no test of ours."""
    return function in LEFT_OUT


class Swap:
    """A pytest plugin: our functions in scikit-learn's modules, calls counted, every outcome kept."""

    def __init__(self) -> None:
        self.calls = dict.fromkeys(ours.__all__, 0)
        self.collected: list[str] = []
        self.deselected: list[str] = []
        self.tests: dict[str, dict[str, object]] = {}
        import sklearn.metrics
        import sklearn.metrics.cluster._supervised
        import sklearn.metrics.cluster._unsupervised

        cluster = sklearn.metrics.cluster
        for module in (sklearn.metrics, cluster, cluster._supervised, cluster._unsupervised):
            for name in ours.__all__:
                if hasattr(module, name):
                    setattr(module, name, self._counted(name))

    def _counted(self, name: str):
        function = getattr(ours, name)

        @functools.wraps(function)
        def counted(*args, **kwargs):
            self.calls[name] += 1
            return function(*args, **kwargs)

        return counted

    def pytest_collection_modifyitems(self, config, items) -> None:
        self.collected = [item.nodeid for item in items]
        out = [i for i in items if left_out(i.originalname)]
        self.deselected = [item.nodeid for item in out]
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        before = sum(self.calls.values())
        try:
            return (yield)
        finally:
            self.tests[item.nodeid] = {
                "module": item.module.__name__,
                "function": item.originalname,
                "calls": sum(self.calls.values()) - before,
            }

    def pytest_runtest_logreport(self, report) -> None:
        if report.when == "call" or report.outcome != "passed":
            record = self.tests.setdefault(report.nodeid, {"calls": 0})
            record["outcome"] = report.outcome + (f" in {report.when}" if report.when != "call" else "")
            record["text"] = report.longreprtext


def run_their_tests(report: Path) -> int:
    swap = Swap()
    here = str(report.parent)
    strict = ["-W", "error", "-W", "ignore:Passing a non-Collection iterable"]  # in their parametrize
    options = ["-q", *strict, "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", here]
    code = pytest.main([*options, "--pyargs", *TESTS_RUN], plugins=[swap])
    facts = {name: getattr(swap, name) for name in ("calls", "collected", "deselected", "tests")}
    report.write_text(json.dumps(facts), encoding="utf-8")
    return int(code)


of_newest = pytest.mark.skipif(
    tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 9),
    reason="drop_in follows scikit-learn 1.9; older ones warn and check in other ways",
)


@pytest.fixture(scope="module")
def swapped(tmp_path_factory):
    report = tmp_path_factory.mktemp("swapped") / "report.json"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, __file__, str(report)],
        capture_output=True,
        text=True,
        cwd=report.parent,
        env=environment,
        timeout=120,
    )
    assert report.exists(), done.stdout + done.stderr
    return done, json.loads(report.read_text(encoding="utf-8"))


@of_newest
def test_scikit_learns_own_tests_pass_with_our_functions(swapped):
    done, facts = swapped
    bad = {name: t.get("text") for name, t in facts["tests"].items() if t.get("outcome") != "passed"}
    assert not bad
    assert done.returncode == 0, done.stdout + done.stderr


@of_newest
def test_every_test_of_scikit_learn_was_run_or_is_listed(swapped):
    _, facts = swapped
    assert sorted(facts["collected"]) == sorted([*facts["tests"], *facts["deselected"]])
    for module, expected in TESTS_RUN.items():
        tree = ast.parse(Path(find_spec(module).origin).read_text(encoding="utf-8"))
        written = {f.name for f in tree.body if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")}
        ran = [t["function"] for t in facts["tests"].values() if t["module"] == module]
        assert set(ran) == written - LEFT_OUT.keys()
        assert len(ran) == expected
    assert not [name for name in LEFT_OUT if not any(f"::{name}" in node for node in facts["collected"])]
    unlisted = [n for n in facts["deselected"] if not any(word in n for word in LEFT_OUT)]
    assert not unlisted


def test_scikit_learns_tests_really_called_our_functions(swapped):
    _, facts = swapped
    assert not [name for name, count in facts["calls"].items() if count == 0]
    assert not [name for name, test in facts["tests"].items() if test["calls"] == 0]


# --- signatures and imports -------------------------------------------------------------------------------


@of_newest
@pytest.mark.parametrize("name", ours.__all__)
def test_signature_is_scikit_learns(name):
    def shape(function):
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    assert shape(getattr(ours, name)) == shape(getattr(theirs, name))


def test_every_clustering_metric_of_scikit_learn_is_here():
    homes = ("._supervised", "._unsupervised", "_expected_mutual_info_fast")
    metrics = {n for n, f in vars(theirs).items() if str(getattr(f, "__module__", "")).endswith(homes)}
    assert metrics - {"entropy"} == set(ours.__all__)  # entropy is deprecated in 1.8


def test_scikit_learn_is_not_imported():
    code = (
        "import sys, partita.drop_in as d\n"
        "assert d.adjusted_mutual_info_score([0, 0, 1], [0, 1, 1]) < 1\n"
        "assert d.contingency_matrix([0, 0, 1], [0, 1, 1], sparse=True).sum() == 3\n"
        "print([m for m in ('sklearn', 'numba', 'pandas', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


# --- agreement ----------------------------------------------------------------------------------------------

AVERAGES = ("arithmetic", "geometric", "max", "min")
PLAIN = [
    "rand_score",
    "adjusted_rand_score",
    "fowlkes_mallows_score",
    "mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "homogeneity_completeness_v_measure",
    "pair_confusion_matrix",
    "contingency_matrix",
]
CALLS = (
    [(name, {}) for name in PLAIN]
    + [("normalized_mutual_info_score", {"average_method": a}) for a in AVERAGES]
    + [("adjusted_mutual_info_score", {"average_method": a}) for a in AVERAGES]
    + [("v_measure_score", {"beta": beta}) for beta in (0.2, 1, 3.5)]
    + [("homogeneity_completeness_v_measure", {"beta": 0.5})]
    + [("contingency_matrix", {"eps": 0.25}), ("contingency_matrix", {"dtype": np.float32})]
)


def degenerate_pairs():
    for n in (1, 2, 3, 20):
        constant, alone, halves = [4] * n, list(range(n)), [i % 2 for i in range(n)]
        nearly = [0] * (n - 1) + [1]
        shapes = (constant, alone, halves, nearly)
        yield from ((a, b) for a in shapes for b in shapes)


def random_pairs():
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 12, 60, 200):
        for k, kk in ((2, 2), (2, 5), (4, 3), (n // 2 + 1, 3), (n, n)):
            for _ in range(2):
                yield rng.integers(-3, k - 3, n), rng.integers(0, kk, n)
    related = rng.integers(0, 9, 500)
    yield related, np.where(rng.random(500) < 0.8, related, rng.integers(0, 9, 500))
    yield related * 1000 - 10**9, related.astype(str)  # labels too far apart for a table of their span
    yield [10**17 * x for x in (0, 1, 1, 2)], np.array([True, False, False, True])


PAIRS = {"degenerate": list(degenerate_pairs()), "random": list(random_pairs())}


@functools.cache
def facts(kind, i):
    """Table, its expected information and Rand index by scikit-learn, for one of the pairs."""
    a, b = PAIRS[kind][i]
    table = theirs.contingency_matrix(a, b)
    return table, theirs.expected_mutual_information(table, len(a)), theirs.adjusted_rand_score(a, b)


def relative_room(table, expected, average):
    """How far the expected information is from the most that could be shared: AMI divides by it."""
    u, v = (entropy(table.sum(axis=axis)) for axis in (1, 0))
    most = {"arithmetic": (u + v) / 2, "geometric": np.sqrt(u * v), "max": max(u, v), "min": min(u, v)}[
        average
    ]
    return (most - expected) / most if most else 1.0


@of_newest
@pytest.mark.parametrize(("name", "options"), CALLS, ids=lambda v: str(v) if v else "-")
@pytest.mark.parametrize("kind", PAIRS)
def test_agrees_with_scikit_learn(name, options, kind):
    compared = 0
    for i, (a, b) in enumerate(PAIRS[kind]):
        tolerance = 1e-12
        if name == "adjusted_mutual_info_score":
            table, expected, rand = facts(kind, i)
            room = relative_room(table, expected, options["average_method"])
            if room < 1e-9 and rand != 1.0:
                continue  # scikit-learn divides rounding errors: see test_no_room_above_chance
            tolerance /= min(max(room, 1e-9), 1.0)
        mine, other = (getattr(m, name)(a, b, **options) for m in (ours, theirs))
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=tolerance, err_msg=f"{a} {b}")
        assert type(mine) is type(other)
        if isinstance(other, np.ndarray):
            assert mine.dtype == other.dtype
        compared += 1
    assert compared > 50


def test_expected_mutual_information_agrees():
    for a, b in PAIRS["degenerate"] + PAIRS["random"]:
        table = theirs.contingency_matrix(a, b)
        other = theirs.expected_mutual_information(table, len(a))
        for form in (
            table,
            table.astype(float),
            table.tolist(),
            sparse.csr_matrix(table),
            sparse.coo_array(table),
        ):
            assert ours.expected_mutual_information(form, len(a)) == pytest.approx(
                other, rel=1e-12, abs=1e-12
            )


def test_no_room_above_chance_is_one():
    a, b = [0, 0, 1, 1, 2, 2, 2], list(range(7))
    assert ours.adjusted_mutual_info_score(a, b, average_method="min") == 1.0
    assert ours.adjusted_mutual_info_score(a, b, average_method="max") == pytest.approx(0.0, abs=1e-12)


def test_beta_zero_is_homogeneity():
    a, b = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]
    assert ours.v_measure_score(a, b, beta=0) == pytest.approx(
        theirs.v_measure_score(a, b, beta=0), abs=1e-12
    )
    assert ours.v_measure_score([0, 0], [0, 1], beta=0) == 0.0  # scikit-learn divides by zero


@pytest.mark.parametrize("name", [n for n in PLAIN if n != "mutual_info_score"])
def test_empty_input(name):
    assert np.array_equal(getattr(ours, name)([], []), getattr(theirs, name)([], []))


def test_no_objects_share_no_information():
    for arguments in ({"labels_true": [], "labels_pred": []}, {"contingency": [[0, 0], [0, 0]]}):
        arguments = {"labels_true": None, "labels_pred": None} | arguments
        for module in (ours, theirs):
            with pytest.raises(ValueError, match=r"domain error|needs objects"):
                module.mutual_info_score(**arguments)


def test_exact_where_scikit_learn_is_exact_at_many_objects():
    rng = np.random.default_rng(3)
    a = rng.integers(0, 10, 200_000)
    b = np.where(rng.random(a.size) < 0.7, a, rng.integers(0, 12, a.size))
    assert np.array_equal(ours.pair_confusion_matrix(a, b), theirs.pair_confusion_matrix(a, b))
    assert ours.adjusted_rand_score(a, b) == pytest.approx(theirs.adjusted_rand_score(a, b), rel=1e-12)
    assert ours.adjusted_mutual_info_score(a, b) == pytest.approx(
        theirs.adjusted_mutual_info_score(a, b),
        rel=1e-10,  # scikit-learn's factorials lose digits
    )


# --- tables -------------------------------------------------------------------------------------------------


def test_contingency_matrix_has_no_row_for_labels_that_are_missing():
    a, b = [0, 300_000] * 5, [-5, 7] * 5
    table = ours.contingency_matrix(a, b)
    assert table.tolist() == [[5, 0], [0, 5]]
    as_sparse = ours.contingency_matrix(a, b, sparse=True, dtype=np.int32)
    other = theirs.contingency_matrix(a, b, sparse=True, dtype=np.int32)
    assert type(as_sparse) is type(other)
    assert as_sparse.dtype == other.dtype
    assert as_sparse.toarray().tolist() == other.toarray().tolist()


def test_wide_gaps_do_not_make_a_wide_table():
    a = np.array([0, 300_000] * 50_000)
    assert ours.contingency_matrix(a, a).tolist() == [[50_000, 0], [0, 50_000]]


def information(cells):
    """By the definition."""
    p = np.asarray(cells, dtype=float) / np.sum(cells)
    expected = np.outer(p.sum(axis=1), p.sum(axis=0))
    return float((p[p > 0] * np.log(p[p > 0] / expected[p > 0])).sum())


def test_mutual_information_of_a_table():
    whole = np.array([[5, 0, 2], [1, 7, 0]])
    for form in (
        whole,
        whole.tolist(),
        sparse.csr_matrix(whole),
        sparse.csc_array(whole),
        sparse.coo_array(whole),
    ):
        mine = ours.mutual_info_score(None, None, contingency=form)
        assert mine == pytest.approx(theirs.mutual_info_score(None, None, contingency=form), abs=1e-12)
        assert mine == pytest.approx(information(whole), abs=1e-12)


def test_a_sparse_table_may_list_a_cell_twice():
    twice = sparse.csr_array((np.array([2, 3, 4]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    right = information([[5, 0], [0, 4]])
    assert ours.mutual_info_score(None, None, contingency=twice) == pytest.approx(right, abs=1e-12)
    assert twice.nnz == 3  # the caller's table is as it was


def test_a_fractional_table_is_not_cut_down():
    cells = [[10.5, 3.2], [1.1, 7.2]]
    right = information(cells)
    assert ours.mutual_info_score(None, None, contingency=cells) == pytest.approx(right, abs=1e-12)
    assert ours.mutual_info_score(None, None, contingency=sparse.csr_matrix(cells)) == pytest.approx(
        right, abs=1e-12
    )
    assert theirs.mutual_info_score(None, None, contingency=cells) != pytest.approx(right, abs=1e-3)


# --- what comes in ------------------------------------------------------------------------------------------


def test_series_are_compared_by_position():
    pandas = pytest.importorskip("pandas")
    a = pandas.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    b = pandas.Series([0, 1, 1, 1], index=[0, 1, 2, 7])
    for name in PLAIN:
        mine, other = (getattr(m, name)(a, b) for m in (ours, theirs))
        np.testing.assert_allclose(mine, other, atol=1e-12)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["x", "y", "y", "z"], dtype=object),
        np.array(["x", "y", "y", "z"]),
        np.array([b"x", b"y", b"y", b"z"]),
        np.array([0, 1, 1, 255], dtype=np.uint8),
        np.array([0, 1, 1, 2**63], dtype=np.uint64),
        np.array([False, True, True, False]),
        np.array([-1.0, 0.0, 0.0, 3.0], dtype=np.float16),
        np.array(["2020-01-01", "2021-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]"),
        (3, 1, 1, 2),
        range(4),
    ],
    ids=lambda x: str(getattr(x, "dtype", type(x).__name__)),
)
def test_labels_of_every_type(labels):
    found = [1, 0, 1, 0]
    table = [
        [int((np.asarray(labels) == a) @ (np.array(found) == b)) for b in (0, 1)] for a in np.unique(labels)
    ]
    assert ours.contingency_matrix(labels, found).tolist() == table
    scores = ours.homogeneity_completeness_v_measure(labels, found)
    codes = np.unique(labels, return_inverse=True)[1]
    np.testing.assert_allclose(scores, theirs.homogeneity_completeness_v_measure(codes, found), atol=1e-12)


def test_continuous_labels_are_categories_with_a_warning():
    rng = np.random.default_rng(0)
    a, b, c = rng.random(20), rng.integers(0, 3, 20), np.array([1e300, 0.0] * 10)
    for truth, found in ((a, b), (b, a), (a, a), (c, b), (a, b % 2)):
        scores, messages = [], []
        for module in (ours, theirs):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scores.append(module.adjusted_rand_score(truth, found))
            seen = [w for w in caught if w.category is UserWarning]
            messages.append([str(w.message) for w in seen])
            if module is ours:
                assert [w.filename for w in seen] == [__file__]
        assert scores[0] == pytest.approx(scores[1], abs=1e-12)
        assert messages[0] == messages[1]
        assert len(messages[0]) == 1


# --- bad input ----------------------------------------------------------------------------------------------

SCORES = [n for n in ours.__all__ if n != "expected_mutual_information"]
BAD_LABELS = {
    "lengths": ([0, 1], [1, 1, 1]),
    "one empty": ([], [1, 1, 1]),
    "matrix": ([[0, 1], [1, 0]], [1, 1]),
    "matrix, other side": ([1, 1], [[0.5, 0.5], [1.0, 0.0]]),
    "three dimensions": ([[[0]]], [0]),
    "number": (5, [0, 1]),
    "string": ("ab", [0, 1]),
    "nothing": (None, [0, 1]),
    "dictionary": ({0: 1, 1: 2}, [0, 1]),
    "ragged": ([0, [1]], [0, 1]),
    "sparse": (sparse.csr_array([[0, 1]]), [0, 1]),
    "nan": ([0, np.nan], [0, 1]),
    "infinity": ([0, 1], [0, np.inf]),
    "nan among objects": (np.array(["a", np.nan], dtype=object), [0, 1]),
    "None among objects": (np.array(["a", None], dtype=object), [0, 1]),
    "complex": ([1j, 2], [0, 1]),
    "masked": (np.ma.array([0, 1], mask=[True, False]), [0, 1]),
    "lists as labels": (np.array([[1], [1, 2]], dtype=object), [0, 1]),
    "not a time": (np.array(["2020-01-01", "NaT"], dtype="M8[D]"), [0, 1]),
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("labels", BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_bad_labels_are_refused(name, labels):
    with pytest.raises(ValueError, match=r".") as caught:
        getattr(ours, name)(*labels)
    assert isinstance(caught.value, PartitaError)


@pytest.mark.parametrize(
    "case", ["lengths", "one empty", "matrix", "matrix, other side", "nan", "infinity", "nan among objects"]
)
def test_messages_begin_as_scikit_learns(case):
    messages = []
    for module in (ours, theirs):
        with pytest.raises(ValueError, match=r".") as caught:
            module.adjusted_rand_score(*BAD_LABELS[case])
        messages.append(str(caught.value).partition("\n")[0].rstrip("."))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("v_measure_score", {"beta": -1}),
        ("v_measure_score", {"beta": "1"}),
        ("v_measure_score", {"beta": np.nan}),
        ("homogeneity_completeness_v_measure", {"beta": -0.5}),
        ("normalized_mutual_info_score", {"average_method": "joint"}),
        ("adjusted_mutual_info_score", {"average_method": "joint"}),
        ("adjusted_mutual_info_score", {"average_method": None}),
        ("contingency_matrix", {"eps": -0.1}),
        ("contingency_matrix", {"eps": 0.1, "sparse": True}),
    ],
)
def test_bad_options_are_refused_in_scikit_learns_words(name, options):
    messages = []
    for module in (ours, theirs):
        with pytest.raises(ValueError, match=r".") as caught:
            getattr(module, name)([0, 0, 1], [0, 1, 1], **options)
        # sorted, since scikit-learn lists choices in the order of a set
        messages.append(sorted(re.findall(r"-?[\d.]*\w+", str(caught.value).partition("\n")[0])))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "table",
    [
        [1, 2],
        [[[1, 2], [3, 4]]],
        [[1, -2], [3, 4]],
        [[1, np.nan], [3, 4]],
        "x",
        [["a", "b"]],
        [[1, 2], [3]],
        7,
    ],
    ids=str,
)
def test_bad_tables_are_refused(table):
    for call in (
        lambda: ours.mutual_info_score(None, None, contingency=table),
        lambda: ours.expected_mutual_information(table, 8),
    ):
        with pytest.raises(ValueError, match=r".") as caught:
            call()
        assert isinstance(caught.value, PartitaError)


@pytest.mark.parametrize(
    ("table", "n"),
    [([[3, 1], [1, 2]], 9), ([[3.5, 1], [1, 2]], 7), ([[3.5, 1], [1, 2]], 7.5), ([[3, 1], [1, 2]], None)],
)
def test_no_shuffle_of_parts_of_objects(table, n):
    with pytest.raises(PartitaError, match="shuffle"):
        ours.expected_mutual_information(table, n)


if __name__ == "__main__":
    sys.exit(run_their_tests(Path(sys.argv[1])))
