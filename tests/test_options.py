"""Every option of every index and every keyword of the procedures takes any value: a result, or our error."""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import partita as pt
from partita.errors import ParameterError, PartitaError, PartitaWarning, TooLargeError
from partita.registry import Annotated, AtLeast, Below, Floats, index, remove
from partita.statistics import Contingency, silhouette_samples

X = np.array([[0.0, 1.0], [1.0, 0.2], [5.0, 5.0], [6.0, 4.5], [5.5, 4.0], [0.3, 0.4]])
BINARY = (X > 2).astype(float)
HARD, OTHER = [0, 0, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0]
SOFT = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9], [0.2, 0.8], [0.6, 0.4]])
SOFTER = np.array([[0.7, 0.3], [0.9, 0.1], [0.2, 0.8], [0.2, 0.8], [0.4, 0.6], [0.5, 0.5]])
MODEL = GaussianMixture(2, covariance_type="spherical", random_state=0).fit(X)
LABELLED = KMeans(2, n_init=1, random_state=0).fit(X)

VALUES = {
    "lists": [[], [1], [None], ["CH"], [[1, 2], [3]], (1, 2), range(6), [1, 1, 1], [0] * 6, [math.nan] * 6],
    "containers": [{}, {"a": 1}, {1}, frozenset(), slice(3), iter([1]), {"mass": 1, "F": 2}],
    "arrays": [np.array([1.0, 2.0]), np.array(3), np.array("ARI"), np.zeros((6, 0)), np.zeros((0, 2)), X],
    "objects": [object(), ..., len, lambda: 1, int, type, KeyError("x"), np.datetime64("2020"), LABELLED],
    "no numbers": [math.nan, math.inf, -math.inf, 1 + 2j, np.complex128(1), np.float64("nan")],
    "numbers": [-1, 0, 1, 2, -1.5, 0.5, np.int8(3), np.float32(2.5), np.longdouble(2), 5e-324, 1e-300, 1e300],
    "huge numbers": [10**30, 10**308, 2**63, 2**64, -(2**63)],
    "texts": ["", "x", "euclidean", "precomputed", "CH", "ARI:x=1", "nan", b"x", np.str_("cosine")],
    "flags": [None, True, False, np.True_],
    "seeds": [np.random.default_rng(0), np.random.RandomState(0), np.random.SeedSequence(1)],
}
BEYOND_FLOATS = [10**400, -(10**400)]
"""For options only: data have tests of their own."""

USED_WITH = {  # options that are looked at only beside another
    "epsilon": {"method": "sample"},
    "confidence": {"method": "sample"},
    "random_state": {"method": "sample", "sample_size": 4},
    "metric": {"sample_size": 4},
}


def holds(call, *args, **kwargs) -> object:
    """The result, or None for an error of ours. Any other exception, and any warning, fails the test."""
    problem = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PartitaWarning)
        try:
            result = call(*args, **kwargs)
        except PartitaError as refused:
            problem = refused
        else:
            assert str(result)
            return result
    assert problem.what
    assert "this is a bug" not in str(problem)
    return None


def inputs_of(entry, kind: str) -> list:
    truth, found = (OTHER, HARD) if kind == "hard" else (SOFTER, SOFT)
    data = BINARY if entry.module == "complexity" else X
    given = {"X": data, "truth": truth, "found": found, "model": MODEL}
    return [given[name] for name in entry.inputs]


@pytest.mark.parametrize("values", [*VALUES, "beyond floats"])
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_every_option_of_every_index(kind, values):
    for entry in pt.indices.catalogue():
        for option in [*entry.options, "noise", "on_undefined", "nosuch"]:
            beside = {k: v for k, v in USED_WITH.get(option, {}).items() if k in entry.options}
            for value in VALUES.get(values, BEYOND_FLOATS):
                result = holds(entry, *inputs_of(entry, kind), **beside, **{option: value})
                assert result is None or isinstance(result, float), (entry.name, option, value)
                if option in entry.options:
                    holds(entry.using, **{option: value})


@pytest.mark.parametrize("bad", [[1], {"a": 1}, np.array([1.0, 2.0]), np.array(1), {1}, object(), len, b"x"])
def test_what_no_option_can_be_is_refused_where_it_is_set(bad):
    for entry in pt.indices.catalogue():
        for option in entry.options:
            with pytest.raises(ParameterError) as caught:
                entry.using(**{option: bad})
            assert caught.value.got
            assert caught.value.need


WEIGHED = ("noise", "sample_weight")
CALLS = {
    "compare": (pt.compare, {"truth": OTHER, "found": HARD}, ("indices", "on_undefined", *WEIGHED)),
    "compare soft": (pt.compare, {"truth": SOFTER, "found": SOFT}, ("indices", *WEIGHED)),
    "validate": (pt.validate, {"X": X, "found": HARD}, ("indices", "metric", "on_undefined", *WEIGHED)),
    "side by side": (pt.validate, {"X": X, "found": {"a": HARD, "b": SOFT}}, ("indices", "metric", *WEIGHED)),
    "align": (pt.align, {"truth": OTHER, "found": HARD}, ("similarity", "matching", "X", *WEIGHED)),
    "set_matching": (
        pt.set_matching,
        {"truth": OTHER, "found": HARD},
        ("similarity", "matching", "normalize", "over", "X", *WEIGHED),
    ),
    "set_matching one way": (
        partial(pt.set_matching, OTHER, HARD, matching="one_way"),
        {},
        ("normalize", "over", *WEIGHED),
    ),
    "set_matching by centroid": (
        partial(pt.set_matching, OTHER, HARD, similarity="centroid"),
        {"X": X},
        WEIGHED,
    ),
    "self_agreement": (
        pt.self_agreement,
        {"found": SOFT},
        ("index", "coupling", "on_undefined", "nosuch", *WEIGHED),
    ),
    "coassociation": (pt.coassociation, {"U": SOFT}, ("tnorm", "condensed")),
    "pairwise_masses": (pt.pairwise_masses, {"partition": SOFT}, ("condensed",)),
    "contingency": (Contingency.from_counts, {"counts": [[1, 2], [3, 4]]}, ("kinds",)),
    "silhouette_samples": (silhouette_samples, {"X": X, "found": HARD}, ("metric", "sample_weight")),
    "as_partition": (pt.as_partition, {"obj": SOFT}, ("kind", "focal_sets", "names", "normalize")),
    "scorer": (pt.scorer, {"index": "CH"}, ()),
    "scorer of data": (pt.scorer("CH"), {"estimator": LABELLED, "X": X}, ("y",)),
    "scorer of truth": (pt.scorer("ARI"), {"estimator": MODEL, "X": X, "y": HARD}, ()),
    "find": (pt.indices.find, {"name": "ARI"}, ()),
}
DATA = {"X", "truth", "found", "U", "partition", "counts", "obj", "y", "estimator", "sample_weight"}
DATA |= {"focal_sets", "names"}


@pytest.mark.parametrize("name", CALLS)
def test_every_keyword_of_every_procedure(name):
    call, given, others = CALLS[name]
    assert holds(call, **given) is not None
    for keyword in (*given, *others):
        values = [value for listed in VALUES.values() for value in listed]
        for value in values + ([] if keyword in DATA else BEYOND_FLOATS):
            holds(call, **{**given, keyword: value})


def test_numbers_come_in_any_type_and_leave_as_pythons():
    for value in (3, 3.0, np.float32(3), np.int8(3), np.longdouble(3)):
        chosen = pt.indices.DBI.using(q=value)
        assert chosen.label == "davies_bouldin:q=3"
        assert type(chosen.options["q"]) in (int, float)
        assert chosen(X, HARD) == pt.indices.DBI(X, HARD, q=3.0)
    with pytest.raises(ParameterError, match="whole number at least 1"):
        pt.indices.silhouette.using(sample_size=0)
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        pt.indices.belief_rand.using(confidence=1.0)
    with pytest.raises(ParameterError, match="too long to write"):  # Python refuses its repr
        pt.indices.DBI.using(q=10**5000)


def test_a_label_tells_options_apart_that_differ_in_the_last_digit():
    near, nearer = (pt.indices.DBI.using(q=1 + 10.0**-e) for e in (8, 9))
    assert near.label != nearer.label
    assert len(pt.validate(X, HARD, indices=[near, nearer, "DBI"])) == 3
    assert pt.indices.find(near.label).options == near.options


def test_samples_that_cannot_be_drawn_are_refused_before_they_start():
    with pytest.raises(TooLargeError, match="epsilon"):
        pt.indices.belief_rand(SOFTER, SOFT, method="sample", epsilon=1e-200)
    exact = pt.indices.silhouette(X, HARD)
    for size in (6, 10**9, 10**30, 10**400):
        assert pt.indices.silhouette(X, HARD, sample_size=size) == exact


def test_options_of_an_index_of_ones_own():
    @index(title="Mine", best=1.0, range={pt.Kind.HARD: (None, 1.0)})
    def my_index(
        table: Contingency,
        *,
        anything=None,
        share: Annotated[float, AtLeast(0), Below(1)] = 0.5,
        words: str = "a",
    ) -> Floats:
        """An index with options of every kind of annotation."""
        return np.asarray(share + 0.0 * np.asarray(table.n) * (anything is None))

    try:
        assert my_index(HARD, OTHER, anything=("a", 1), share=0) == 0.0
        for options in ({"anything": [1]}, {"share": 1}, {"share": -0.1}, {"words": 1}, {"words": None}):
            with pytest.raises(ParameterError):
                my_index(HARD, OTHER, **options)
    finally:
        remove(my_index)
