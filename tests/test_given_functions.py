"""Functions of a user in the place of indices, and what an entry of one's own needs at least."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import metrics

import partita as pt
from partita.errors import KindError, ParameterError, UndefinedIndexWarning
from partita.indices import find, index
from partita.registry import HARD, remove
from partita.registry.declaration import SHORTEST
from stub_clusterer import StubClusterer

TRUTH, FOUND = np.repeat([0, 1, 2], 10), np.repeat([0, 1, 1, 2, 2], 6)
X = np.column_stack([np.arange(30.0) + 20 * TRUTH, np.arange(30.0) % 4])


def same_label(truth, found):
    """How many objects have the same label."""
    return int((truth == found).sum())


def widest(X, labels):
    return max(np.ptp(X[labels == label, 0]) for label in np.unique(labels))


def test_a_function_of_two_label_arrays_is_compared_like_an_index():
    result = pt.compare(TRUTH, FOUND, indices={"mine": same_label, "rand again": metrics.rand_score})
    assert [row.index for row in result] == ["mine", "rand again"]
    assert result["mine"].value == (TRUTH == FOUND).sum()
    assert result["rand again"].value == pytest.approx(pt.indices.rand(TRUTH, FOUND), rel=1e-12)
    assert result["mine"].direction == "none"


def test_functions_stand_beside_names_and_have_a_direction():
    result = pt.compare(TRUTH, FOUND, indices=["ARI", {"mine": (same_label, "higher")}, same_label])
    assert [row.index for row in result] == ["adjusted_rand", "mine", "same_label"]
    assert [row.direction for row in result] == ["higher", "higher", "none"]
    assert "mine" in str(result)
    frame = result.to_frame()
    assert frame["index"].tolist() == ["adjusted_rand", "mine", "same_label"]


def test_a_function_gets_the_labels_and_the_data_as_they_were_given():
    seen = []

    def look(truth, found):
        seen.append((truth.tolist(), found.tolist()))
        return 1.0

    def data(X, labels):
        seen.append((X.tolist(), labels.tolist()))
        return 1.0

    pt.compare(["b", "a", "b"], [7, -1, 3], indices={"look": look}, noise="ignore")
    pt.validate([[1e-9], [3e-9], [7.0]], [5, 5, 2], indices={"data": data})
    assert seen == [(["b", "b"], [7, 3]), ([[1e-9], [3e-9], [7.0]], [5, 5, 2])]


def test_validate_and_several_clusterings():
    result = pt.validate(X, TRUTH, indices={"sil": metrics.silhouette_score, "widest": (widest, "lower")})
    assert result["sil"].value == pytest.approx(pt.indices.silhouette(X, TRUTH), rel=1e-12)
    assert result["widest"].value == 29 - 20  # nine steps of one
    both = pt.validate(X, {"a": TRUTH, "b": FOUND}, indices={"widest": (widest, "lower")})
    assert both.results["b"]["widest"].value > both.results["a"]["widest"].value


def test_choose_reports_what_a_function_prefers():
    wanted = {"widest": (widest, "lower")}
    chosen = pt.choose(X, {"a": TRUTH, "b": FOUND}, indices=wanted, structure=False, random_state=0)
    assert chosen.preferences["widest"].label == "a"
    aimless = pt.choose(X, {"a": TRUTH, "b": FOUND}, indices={"w": widest}, structure=False, random_state=0)
    assert not aimless.preferences
    assert '"w": (f, "higher")' in str(aimless)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_benchmark_takes_functions_of_both_sorts_and_sends_them_to_workers(n_jobs):
    table = pt.benchmark(
        {"stub": StubClusterer()},
        {"X": (X, TRUTH)},
        indices={
            "ars": (metrics.adjusted_rand_score, "higher"),
            "width": (lambda X, labels: widest(X, labels), "lower"),
        },
        n_runs=2,
        n_jobs=n_jobs,
        random_state=0,
    )
    again = pt.benchmark(
        {"stub": StubClusterer()}, {"X": (X, TRUTH)}, indices=["ARI"], n_runs=2, random_state=0
    )
    assert table.mean("X", "stub", "ars") == pytest.approx(again.mean("X", "stub", "adjusted_rand"))
    assert table.mean("X", "stub", "width") > 0


def test_sweeps_and_stability_take_them_too():
    swept = pt.choose_k(
        X,
        StubClusterer(),
        range(2, 5),
        indices={"widest": (widest, "lower")},
        structure=False,
        random_state=0,
    )
    assert {fit.values["widest"] > 0 for fit in swept.fits} == {True}
    wanted = {"ars": (metrics.adjusted_rand_score, "higher")}
    stable = pt.stability(X, StubClusterer(), range(2, 4), indices=wanted, n_repeats=3, structure=False)
    assert stable.values("ars", 2).shape == (3,)


def test_weights_are_copies_and_intervals_are_drawn():
    times = np.arange(30) % 3
    weighed = pt.compare(TRUTH, FOUND, indices={"mine": same_label}, sample_weight=times)
    assert weighed["mine"].value == same_label(np.repeat(TRUTH, times), np.repeat(FOUND, times))
    with pytest.raises(ParameterError, match="fractional weights") as caught:
        pt.compare(TRUTH, FOUND, indices={"mine": same_label}, sample_weight=times + 0.5)
    assert caught.value.parameter == "sample_weight"


def test_soft_clusterings_are_refused_and_not_hardened_in_silence():
    soft = np.eye(3)[TRUTH] * 0.8 + 0.2 / 3
    with pytest.raises(KindError, match="harden"):
        pt.compare(TRUTH, soft, indices={"mine": same_label})


def test_what_goes_wrong_is_told():
    def fails(truth, found):
        raise ZeroDivisionError("division by zero")

    with pytest.raises(ParameterError, match="'mine' failed") as caught:
        pt.compare(TRUTH, FOUND, indices={"mine": fails})
    assert "ZeroDivisionError: division by zero" in caught.value.got
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    for odd in ("text", None, [1.0], True, 1j):
        with pytest.raises(ParameterError, match="returned no number"):
            pt.compare(TRUTH, FOUND, indices={"mine": lambda a, b, odd=odd: odd})
    with pytest.raises(ParameterError, match="cannot be called with two arrays"):
        pt.compare(TRUTH, FOUND, indices={"mine": lambda a: 1.0})
    with pytest.raises(ParameterError, match="is no function"):
        pt.compare(TRUTH, FOUND, indices={"mine": "rand"})
    with pytest.raises(ParameterError, match="is no function"):
        pt.compare(TRUTH, FOUND, indices={"mine": find("rand")})
    with pytest.raises(ParameterError, match="are better"):
        pt.compare(TRUTH, FOUND, indices={"mine": (same_label, "up")})
    with pytest.raises(ParameterError, match="are better"):
        pt.compare(TRUTH, FOUND, indices={"mine": (same_label, np.arange(2))})
    with pytest.raises(ParameterError, match="needs a name"):
        pt.compare(TRUTH, FOUND, indices=lambda a, b: 1.0)
    for taken in ("rand", "ARI", "gap", "lei2014", "pairs", "all", "headline"):
        with pytest.raises(ParameterError, match="is the name of an index, a curve or a group"):
            pt.compare(TRUTH, FOUND, indices={taken: same_label})
    for name in ("", "a:b", "a,b", 3):
        with pytest.raises(ParameterError, match="needs a name"):
            pt.compare(TRUTH, FOUND, indices={name: same_label})
    with pytest.raises(ParameterError, match="'mine' failed"):  # it is no failure of the method
        pt.benchmark({"stub": StubClusterer()}, {"X": (X, TRUTH)}, indices={"mine": fails}, n_runs=1)


def test_values_that_are_no_numbers_have_their_reason():
    result = pt.compare(TRUTH, FOUND, indices={"mine": lambda a, b: np.nan})
    assert np.isnan(result["mine"].value)
    assert result["mine"].caveat == "mine returned nan"
    with pytest.warns(UndefinedIndexWarning, match="mine returned nan"):
        find("mine")(TRUTH, FOUND)
    endless = pt.compare(TRUTH, FOUND, indices={"mine": lambda a, b: -np.inf})
    assert endless["mine"].value == -np.inf
    assert "minus infinity" in endless["mine"].caveat


def test_they_are_known_by_their_name_and_survive_pickling():
    pt.compare(TRUTH, FOUND, indices={"mine": same_label})
    again = pickle.loads(pickle.dumps(find("mine")))
    assert again(TRUTH, FOUND) == same_label(TRUTH, FOUND)
    assert find("mine") is again
    assert "mine" not in {entry.name for entry in pt.indices.catalogue()}


# --- entries -------------------------------------------------------------------------------------------


INCOMPLETE = {
    "nothing": lambda: index(),
    "bare": lambda: index(same_label),
    "bare, by the front door": lambda: pt.index(same_label),
    "no range": lambda: index(title="Mine", best=1.0),
    "no best value": lambda: index(title="Mine", range={HARD: (0, 1)}),
    "a title that is no text": lambda: index(title=3, best=1.0, range={HARD: (0, 1)}),
    "a best value that is no number": lambda: index(title="Mine", best="high", range={HARD: (0, 1)}),
    "one pair for all kinds": lambda: index(title="Mine", best=1.0, range=(0, 1)),
    "no function": lambda: index(title="Mine", best=1.0, range={HARD: (0, 1)})(3),
    "no annotation": lambda: index(title="Mine", best=1.0, range={HARD: (0, 1)})(same_label),
    "no parameter": lambda: index(title="Mine", best=1.0, range={HARD: (0, 1)})(lambda: 1.0),
}


@pytest.mark.parametrize("make", INCOMPLETE.values(), ids=INCOMPLETE)
def test_an_entry_without_what_it_needs_shows_the_shortest_one(make):
    with pytest.raises(ParameterError) as caught:
        make()
    for line in SHORTEST.strip().splitlines():
        assert line in caught.value.need
    assert 'indices={"mine": f}' in caught.value.fix


def test_the_shortest_entry_has_ten_lines_and_works():
    assert len(SHORTEST.strip().splitlines()) == 10
    names = {"__name__": "notebook", "truth": TRUTH.tolist(), "found": FOUND.tolist()}
    exec(SHORTEST.replace("largest_cell(truth", "value = largest_cell(truth"), names)
    try:
        counts = np.histogram2d(TRUTH, FOUND, bins=3)[0]
        assert names["value"] == pytest.approx(counts.max() / 30)
        assert pt.compare(TRUTH, FOUND, indices="largest_cell")["largest_cell"].value == names["value"]
    finally:
        remove(names["largest_cell"])
