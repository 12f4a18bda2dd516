"""Fingerprints: work that differs in one place has another hash, the same work the same in any process."""

from __future__ import annotations

import copy
import functools
import math
import os
import subprocess
import sys
import threading
import types
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import partita
from partita.errors import FileError, ParameterError
from partita.fits.fingerprints import fingerprint
from partita.registry import index, remove
from partita.resampling import Subsample
from partita.statistics import Contingency
from stub_clusterer import StubClusterer

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 10, axis=0)

PLACES = {
    "the function called": "def f(X): return np.{call}(X)",
    "a constant": "def f(X): return X + {number}",
    "a constant in a tuple": "def f(X): return np.add(X, (0, ({number}, 1)))",
    "a default": "def f(X, shift={number}): return X + shift",
    "a default of a keyword": "def f(X, *, shift={number}): return X + shift",
    "an array as a default": "def f(X, shift=np.array([{count}, 0])): return X + shift",
    "the default of an argument by name": "def f(X, {name}=1): return X",
    "a closure": """
def outer(shift):
 def f(X): return X + shift
 return f
f = outer({number})
""",
    "a list in a closure": """
def outer(a):
 def f(X): return X + a[0]
 return f
f = outer([{number}, 7])
""",
    "a function in a closure": """
def outer(g):
 def f(X): return g(X)
 return f
f = outer(lambda X: X + {number})
""",
    "an inner function": """
def f(X):
 def g(Y): return Y * {number}
 return g(X)
""",
    "what an inner function calls": """
def f(X):
 def g(Y): return np.{call}(Y)
 return g(X)
""",
    "an inner lambda's default": "def f(X): return (lambda Y, shift={number}: Y + shift)(X)",
    "a comprehension": "def f(X): return X + sum([{number} * i for i in range(3)])",
    "a generator": "def f(X): return X + sum({number} * i for i in range(3))",
    "a global number": """
shift = {number}
def f(X): return X + shift
""",
    "a global that only an inner function uses": """
shift = {number}
def f(X): return (lambda Y: Y + shift)(X)
""",
    "a global array": """
shift = np.full(3000, 0.0)
shift[1500] = {count}
def f(X): return X + shift[1500]
""",
    "the order of a global dict": """
d = dict([('{name}', 1), ('x', 2)][::{sign}])
def f(X): return X + next(iter(d))
""",
    "a global function": """
def g(X): return X * {number}
def f(X): return g(X)
""",
    "a global function's global": """
s = {number}
def h(X): return X + s
def g(X): return h(X)
def f(X): return g(X)
""",
    "a function that calls itself": "def f(X, n=2): return X if n == 0 else f(X + {number}, n - 1)",
    "two that call each other": """
def g(X): return X + {number} if X < 0 else f(X)
def f(X): return g(-X)
""",
    "which global": """
one = two = three = four = 0
def f(X): return X + {name}
""",
    "an attribute": "def f(X): return X.{attribute}()",
    "an operator": "def f(X): return X {operator} 2",
    "a keyword": "def f(X): return np.clip(X, {keyword}=2)",
    "a handler": """
def f(X):
 try: return X / 0
 except {error}: return X
""",
    "a module's function": "def f(X): return mine.helper(X)",
    "a module's number": "def f(X): return X + mine.number",
    "a module of a module": "def f(X): return X + mine.inner.number",
    "a module imported inside": """
def f(X):
 import partita_test_mine as m
 return X + m.number
""",
    "a partial": "f = functools.partial(np.add, {number})",
    "the function of a partial": "f = functools.partial(np.{call}, where=True)",
    "a wrapped function": """
def wrap(g):
 @functools.wraps(g)
 def w(X): return g(X)
 return w
@wrap
def f(X): return X + {number}
""",
    "a wrapper": """
def wrap(g):
 @functools.wraps(g)
 def w(X): return g(X) + {number}
 return w
@wrap
def f(X): return X
""",
    "a cached function": """
@functools.lru_cache
def f(X): return X + {number}
""",
    "a vectorised function": "f = np.vectorize(lambda x: x + {number})",
    "a bound method": """
class C:
 def m(self, X): return X + {number}
f = C().m
""",
    "the object of a bound method": """
class C:
 def m(self, X): return X + self.s
c = C()
c.s = {number}
f = c.m
""",
    "an inherited method": """
class B:
 def m(self, X): return X + {number}
class C(B):
 def m(self, X): return super().m(X)
f = C().m
""",
    "a static method": """
class C:
 @staticmethod
 def m(X): return X + {number}
f = C.m
""",
    "a class method": """
class C:
 @classmethod
 def m(cls, X): return X + {number}
f = C.m
""",
    "a property": """
class C:
 @property
 def s(self): return {number}
 def __call__(self, X): return X + self.s
f = C()
""",
    "a cached property": """
class C:
 @functools.cached_property
 def s(self): return {number}
 def __call__(self, X): return X + self.s
f = C()
""",
    "a class attribute": """
class C:
 s = {number}
 def __call__(self, X): return X + self.s
f = C()
""",
    "a slot": """
class C:
 __slots__ = ('s',)
 def __call__(self, X): return X + self.s
f = C()
f.s = {number}
""",
    "a name of a class": """
class C:
 def __call__(self, X): return X
 def {name}(self): return 1
f = C()
""",
    "a metaclass": """
class M(type):
 def m(cls): return {number}
class C(metaclass=M):
 def __call__(self, X): return X + type(self).m()
f = C()
""",
    "an attribute of the function": """
def f(X): return X + f.s
f.s = {number}
""",
    "a set": """
S = {{{number}, 'x', 'y', 'z'}}
def f(X): return X + len(S)
""",
    "a dataclass": """
@dataclasses.dataclass
class C:
 s: int = {number}
 def __call__(self, X): return X + self.s
f = C()
""",
    "an enumeration": """
class E(enum.Enum):
 A = {number}
def f(X): return X + E.A.value
""",
}
FILLS = {
    "call": ("log1p", "sqrt", "abs", "floor"),
    "number": (1, 2, 1.0, True),
    "count": (1, 2, 3, 4),
    "sign": (1, -1, 1, -1),
    "name": ("one", "two", "three", "four"),
    "attribute": ("mean", "sum", "min", "max"),
    "operator": ("+", "-", "*", "/"),
    "keyword": ("min", "max", "a_min", "a_max"),
    "error": ("ValueError", "TypeError", "OSError", "KeyError"),
}
N_VARIANTS = 4


def module_of_ones_own(name, number):
    """A module that no library holds, with a module inside it."""
    module = types.ModuleType(name)
    source = f"number = {number}\ndef helper(X): return X + number\nunused = {number}"
    exec(source, vars(module))
    return module


def made(place, variant):
    """The function anew, as another run of a script that differs in one place would make it."""
    import dataclasses
    import enum

    fill = {name: values[variant] for name, values in FILLS.items()}
    mine = module_of_ones_own("partita_test_mine", fill["number"])
    mine.inner = module_of_ones_own("partita_test_mine.inner", fill["number"])
    sys.modules["partita_test_mine"] = mine
    given = {"np": np, "functools": functools, "dataclasses": dataclasses, "enum": enum, "mine": mine}
    names = {**given, "__name__": "a_script"}
    sys.modules["a_script"] = types.ModuleType("a_script")  # where dataclasses look for it
    exec(PLACES[place].format(**fill), names)
    return names["f"]


def hash_of(place, variant):
    return fingerprint(make_pipeline(FunctionTransformer(made(place, variant)), KMeans()))


@pytest.mark.parametrize("place", PLACES)
def test_functions_that_differ_in_one_place_have_other_fingerprints(place):
    hashes = [hash_of(place, variant) for variant in range(N_VARIANTS)]
    assert len(set(hashes)) == len(hashes)
    assert hashes == [hash_of(place, variant) for variant in range(N_VARIANTS)]


def test_the_fingerprint_of_a_class_stays_when_its_objects_have_been_pickled():
    """As they are for workers: copyreg then leaves the names of the slots in the class."""

    class Own(StubClusterer):
        pass

    before = fingerprint(Own())
    copy.deepcopy(Own())
    assert "__slotnames__" in vars(Own)
    assert fingerprint(Own()) == before


def test_fingerprints_are_the_same_in_another_process():
    """Where sets and texts have other hashes, and nothing is at the same address."""
    code = "import test_fingerprints as t; print(*(t.hash_of(place, 1) for place in t.PLACES))"
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert told.stdout.decode().split() == [hash_of(place, 1) for place in PLACES]


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
options = st.recursive(
    plain | st.frozensets(st.integers()),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def typed(value):
    """A text that two values share only if they are the same, type by type."""
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(typed, value))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{k!r}: {typed(v)}' for k, v in value.items())})"
    if isinstance(value, frozenset):
        return f"set({', '.join(sorted(map(repr, value)))})"
    return f"{type(value).__name__} {value!r}"


@given(options, options)
def test_options_have_the_same_fingerprint_only_if_they_are_the_same(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (typed(one) == typed(other))

    def holding(value):
        return lambda X: (X, value)

    assert (fingerprint(holding(one)) == fingerprint(holding(other))) == (typed(one) == typed(other))


def test_arrays_of_every_form_are_told_apart():
    base = np.arange(6, dtype=np.int64)
    record = np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
    parts = [
        base, base.astype(np.int32), base.astype(">i8"), base.reshape(2, 3), base[::-1], base[:0],
        np.array(0),         base.astype(object), np.array([0, 1, 2, 3, 4, "5"], dtype=object), record,
        record.astype([("a", int), ("c", float)]), np.ma.array(base, mask=base == 1), np.ma.array(base),
        np.array([0], "M8[D]"), np.array([0], "M8[s]"), np.array([0], "m8[s]"), base.astype(str),
        base.view(np.uint64), np.longdouble(1), np.float64(1),
    ]  # fmt: skip
    hashes = [fingerprint(part) for part in parts]
    assert all(a != b for a, b in combinations(hashes, 2))
    assert fingerprint(np.asfortranarray(base.reshape(2, 3))) == fingerprint(base.reshape(2, 3))
    assert fingerprint(np.int64(3)) == fingerprint(3)


def uses_eval(X):
    return eval("X + 1")


def uses_globals(X):
    return globals()["X"] + X


LOCK = threading.Lock()


def uses_a_lock(X):
    with LOCK:
        return X


def nested(depth):
    return functools.reduce(lambda inner, _: [inner], range(depth), [])


REFUSED = {
    "eval": uses_eval,
    "globals": uses_globals,
    "a lock": uses_a_lock,
    "a generator": (i for i in range(3)),
    "a ufunc of one's own": np.frompyfunc(math.hypot, 2, 1),
    "a module of one's own": types.ModuleType("no_library"),
    "nested too deeply": nested(100_000),
}


@pytest.mark.parametrize("option", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_told_apart_is_refused(option, tmp_path):
    method = KMeans(n_init=1, init=option)
    with pytest.raises(ParameterError, match="could not tell this from something else") as refused:
        partita.stability(X, method, [2, 3], n_repeats=2, checkpoint=tmp_path / "c")
    assert refused.value.fix.startswith("no checkpoint")
    assert not (tmp_path / "c").exists()


# --- in a sweep -------------------------------------------------------------------------------------------


def with_function(function):
    return make_pipeline(FunctionTransformer(function), KMeans(n_init=1))


@pytest.mark.parametrize("sweep", ["stability", "choose_k"])
def test_a_sweep_with_another_function_is_refused(sweep, tmp_path):
    def swept(function):
        method, options = with_function(function), {"random_state": 0, "checkpoint": tmp_path / "c"}
        if sweep == "stability":
            return partita.stability(X, method, [2, 3], n_repeats=2, **options).to_frame()
        return partita.choose_k(X, method, [2, 3], indices=["silhouette"], **options).to_frame()

    first = swept(lambda values: np.abs(values))
    assert swept(lambda values: np.abs(values)).equals(first)
    for other in (lambda values: np.sin(values), lambda values, p=2: np.abs(values)):
        with pytest.raises(FileError) as refused:
            swept(other)
        assert refused.value.got == "other estimator"


class HalfOfThem(Subsample):
    def draw(self, X, deviation, rng):
        return super().draw(X[: len(X) // 2], deviation, rng)


def test_another_scheme_under_the_same_name_is_refused(tmp_path):
    options = {"ks": [2, 3], "n_repeats": 2, "random_state": 0, "checkpoint": tmp_path / "c"}
    partita.stability(X, KMeans(n_init=1), scheme=HalfOfThem(), **options)
    kept, HalfOfThem.draw = HalfOfThem.draw, Subsample.draw
    try:
        with pytest.raises(FileError, match="other scheme"):
            partita.stability(X, KMeans(n_init=1), scheme=HalfOfThem(), **options)
    finally:
        HalfOfThem.draw = kept


def test_an_index_of_ones_own_with_another_formula_is_refused(tmp_path):
    options = {"ks": [2, 3], "n_repeats": 2, "random_state": 0, "checkpoint": tmp_path / "c"}

    def registered(power):
        def my_agreement(table: Contingency) -> float:
            """Of the tests."""
            return float(table.pair_counts.both >= power)

        return index(title="of the tests", best=1, range={"hard": (0, 1)})(my_agreement)

    for power in (1, 1, 2):
        entry = registered(power)
        try:
            if power == 1:
                partita.stability(X, KMeans(n_init=1), indices=[entry.name], **options)
                continue
            with pytest.raises(FileError, match="other indices"):
                partita.stability(X, KMeans(n_init=1), indices=[entry.name], **options)
        finally:
            remove(entry)
