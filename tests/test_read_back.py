"""What `from_dict` does with dictionaries that `to_dict` did not write: it reads them rightly, or refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import partita as pt
from partita.distributional.completion_sets import SetDistance
from partita.errors import ParameterError, PartitaError
from partita.results.result import Result
from partita.selection.covariance_shapes import CovarianceShapes

TRUTH = [0, 0, 0, 1, 1, 1, 2, 2]
FOUND = [0, 0, 1, 1, 1, 1, 2, 2]
SOFT = [[0.9, 0.1], [0.8, 0.2], [1, 0], [0.5, 0.5], [0, 1], [0.1, 0.9], [0.2, 0.8], [0, 1]]
ROUGH = [[1, 0], [1, 1], [1, 0], [0, 1], [1, 1], [0, 1], [0, 1], [1, 0]]


@cache
def blobs() -> Any:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(center, 0.5, (20, 2)) for center in ((0, 0), (6, 0), (0, 6))])


def _choice(**options: Any) -> Any:
    return pt.choose_k(
        blobs(),
        pt.cluster.GaussianMixtureEM(random_state=0),
        ks=range(1, 4),
        n_runs=1,
        indices=["BIC", "silhouette"],
        random_state=0,
        **options,
    )


MADE: dict[str, Callable[[], Result]] = {
    "compare": lambda: pt.compare(TRUTH, FOUND, null="permutation", random_state=0),
    "compare soft": lambda: pt.compare(TRUTH, SOFT, indices=["ARI", "NMI", "MI"]),
    "validate": lambda: pt.validate(blobs(), np.repeat([0, 1, 2], 20)),
    "consensus index": lambda: pt.consensus_index([TRUTH, FOUND, TRUTH], index=["VI", "ARI"]),
    "align": lambda: pt.align(TRUTH, FOUND),
    "rough": lambda: pt.distribution(TRUTH, pt.RoughPartition(ROUGH), "rand"),
    "fuzzy": lambda: pt.distribution(TRUTH, SOFT, "rand"),
    "possibilistic": lambda: pt.distribution(
        [0, 0, 1], pt.PossibilisticPartition([[1, 0.5], [0.2, 1], [0, 1]]), "rand"
    ),
    "evidential": lambda: pt.distribution(
        [0, 0, 1],
        pt.EvidentialPartition([[0.5, 0, 0.5], [0, 1, 0], [0, 0.5, 0.5]], [[1, 0], [0, 1], [1, 1]]),
        "rand",
    ),
    "hausdorff": lambda: pt.hausdorff(TRUTH, pt.RoughPartition(ROUGH)),
    "models": lambda: pt.compare_models(
        TRUTH, {"a": FOUND, "b": TRUTH}, indices=["ARI"], bootstrap=20, random_state=0
    ),
    "pairwise": lambda: pt.compare_models(
        None, {"a": FOUND, "b": TRUTH, "c": TRUTH[::-1]}, bootstrap=20, random_state=0
    ),
    "choose_k": lambda: _choice(),
    "choice of shapes": lambda: _choice(covariance_type=["full", "diag"]),
    "shapes": lambda: _choice(covariance_type=["full", "diag"]).shapes,
}


def readable(kind: type = Result) -> Iterator[type]:
    """Every class of results that can be read back, but for those that only others derive from."""
    for one in kind.__subclasses__():
        below = [*readable(one)]
        yield from below
        if not below and one.__module__.startswith("partita.") and "from_dict" in dir(one):
            yield one


@cache
def written(name: str) -> tuple[type, str]:
    result = MADE[name]()
    return type(result), json.dumps(result.to_dict(), allow_nan=False)


def test_every_result_that_can_be_read_back_is_tried():
    tried = {written(name)[0].__name__ for name in MADE}  # their modules are imported by then
    assert tried == {one.__name__ for one in readable()}


@pytest.mark.parametrize("name", MADE)
def test_what_was_written_is_read_back(name):
    kind, text = written(name)
    again = kind.from_dict(json.loads(text))
    assert json.loads(json.dumps(again.to_dict())) == json.loads(text)
    assert again.text(100)


# --- alterations ----------------------------------------------------------------------------------------

OTHERS = ("no such word", -7.5, 10**400, True, None, [], {}, [[1]], {"a": [None]}, "nan")
FREE = (
    "provenance",
    "cost",
    "parameters",
    "agrees_with",
    "values",
    "truth",
    "found",
    "truth_names",
    "unmatched_truth",
    "unmatched_found",
)
"""Entries that hold whatever was given to a procedure: options, and names of clusters."""


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every entry, those of long lists only at both ends."""
    if here:
        yield here
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    pairs = list(pairs)
    for name, value in [*pairs[:6], *pairs[6:][-2:]] if isinstance(data, list) else pairs:
        yield from places(value, (*here, name))


def altered(data: Any, place: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    made = copy.deepcopy(data)
    at = made
    for name in place[:-1]:
        at = at[name]
    change(at, place[-1])
    return made


def kind_of(value: Any) -> str:
    """The kind of an entry of JSON; null and the words for infinity may stand for a number."""
    if (
        value is None
        or value in ("inf", "-inf")
        or (not isinstance(value, bool) and isinstance(value, float))
    ):
        return "number"
    return "number" if type(value) is int else type(value).__name__


def alterations(data: Any, seed: int, size: int) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Some hundred dictionaries with one entry changed, dropped or added; the place and the new entry."""
    rng = np.random.default_rng(seed)
    every = list(places(data))
    for _ in range(size):
        place = every[rng.integers(len(every))]
        what = rng.integers(len(OTHERS) + 2)
        if what < len(OTHERS):
            new = OTHERS[what]
            yield place, new, altered(data, place, lambda at, name, new=new: at.__setitem__(name, new))
        elif what == len(OTHERS):
            yield place, "gone", altered(data, place, lambda at, name: at.__delitem__(name))
        elif isinstance(place[-1], str):
            yield place, "added", altered(data, place, lambda at, name: at.__setitem__(f"{name}_", 1))


def entry_at(data: Any, place: tuple[Any, ...]) -> Any:
    for name in place:
        data = data[name]
    return data


def agrees(given: Any, made: Any) -> bool:
    """Everything that was given is there again; a sentence may be told anew."""
    if isinstance(given, dict):
        return isinstance(made, dict) and all(
            name in ("statement", "method") or (name in made and agrees(value, made[name]))
            for name, value in given.items()
        )
    if isinstance(given, list):
        return isinstance(made, list) and len(given) == len(made) and all(map(agrees, given, made))
    return kind_of(given) == kind_of(made) and given == made


def read_or_error(kind: Any, data: Any) -> Any:
    try:
        return kind.from_dict(data)
    except PartitaError as error:
        return error


@pytest.mark.parametrize("name", MADE)
def test_what_was_altered_is_read_rightly_or_refused(name):
    kind, text = written(name)
    data = json.loads(text)
    refused = 0
    for place, new, changed in alterations(data, seed=1, size=150):
        old = entry_at(data, place)
        again = read_or_error(kind, changed)
        if isinstance(again, PartitaError):
            assert again.what, place
            assert again.need, place
            refused += 1
            continue
        again.text(100)
        assert agrees(changed, json.loads(json.dumps(again.to_dict()))), (place, new)
        if new != "gone" and not any(part in FREE for part in place):
            assert new != "added", place
            assert kind_of(old) == kind_of(new) or None in (old, new), (place, old, new)
    assert refused > 50


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("data", [None, 3, "text", [], {}, {"result": "Comparison"}, {"result": None}])
def test_what_is_no_result_at_all_is_refused(name, data):
    with pytest.raises(ParameterError):
        written(name)[0].from_dict(data)


def test_the_place_of_the_change_is_named():
    data = pt.compare(TRUTH, FOUND).to_dict()
    data["rows"][2]["value"] = "much"
    with pytest.raises(ParameterError, match="much"):
        pt.Comparison.from_dict(data)
    data["rows"][2]["value"] = True
    with pytest.raises(ParameterError, match=r"rows\[2\]"):
        pt.Comparison.from_dict(data)


def test_a_distance_of_sets_and_shapes_are_among_them():
    assert {SetDistance, CovarianceShapes} <= set(readable())
