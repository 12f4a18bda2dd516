"""Every entry of the catalogue goes through the gate; wrong entries are shown to be caught."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import Phase, given, settings

import gate
import limits
from partita.engine import collect
from partita.indices import catalogue
from partita.inputs import prepare
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Ensemble, HardPartition, Kind
from partita.registry import CLAIMS, Example, Limit, index, remove
from partita.statistics import Contingency, Dispersions
from reference import WITNESS

ENTRIES = catalogue()
every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
IN_TABLES = (HARD, FUZZY, POSSIBILISTIC)
many = settings(max_examples=90)


@every
def test_nothing_is_missing(entry):
    lacking = gate.missing(entry)
    assert not lacking, "\n".join(lacking)


@every
def test_examples_have_their_value(entry):
    for example in entry.examples:
        chosen = entry.using(**example.options) if example.options else entry
        value = chosen(*example.arguments(entry.inputs))
        assert value == pytest.approx(example.value, rel=6e-5, abs=6e-5), example.source


@every
def test_refutations_are_counter_examples(entry):
    gate.check_refutations(entry)


@every
def test_no_index_of_data_is_best_by_an_empty_denominator(entry):
    assert not list(gate.suspicious_ends(entry))


def test_every_limit_is_reached_by_some_input():
    waiting = limits.unreached(ENTRIES)
    assert not waiting, "\n".join(waiting)


def test_a_limit_that_nothing_reaches_is_told(monkeypatch):
    some = list(islice(limits.odd_scenes(), 40))
    monkeypatch.setattr(limits, "odd_scenes", lambda: some)
    entry = replace(ENTRIES[0], limits=(Limit(lambda *_: False, math.nan, "never so"),))
    assert limits.unreached([entry]) == [f"{entry.name}: no input of limits.odd_scenes reaches 'never so'"]


@many
@given(scene=gate.scenes((HARD,)))
def test_references_of_hard_clusterings(scene):
    gate.check_reference(ENTRIES, scene)


@many
@given(scene=gate.scenes(IN_TABLES))
def test_references_of_memberships(scene):
    gate.check_reference(ENTRIES, scene)


@many
@given(scene=gate.scenes((ROUGH, EVIDENTIAL, HARD, FUZZY)))
def test_references_of_masses(scene):
    gate.check_reference(ENTRIES, scene)


@pytest.mark.parametrize("kind", Kind)
def test_claims_and_ranges(kind):
    @many
    @given(scene=gate.scenes((kind,)))
    def hold(scene):
        gate.check_claims(ENTRIES, scene, kind)

    hold()


@pytest.mark.parametrize("kind", Kind)
def test_chance(kind):
    @settings(max_examples=50)
    @given(scene=gate.scenes((kind,), max_n=4))
    def hold(scene):
        gate.check_chance(ENTRIES, scene, kind)

    hold()


@many
@given(scene=gate.scenes((HARD,)))
def test_one_hot_memberships_give_the_hard_value(scene):
    gate.check_crisp(ENTRIES, scene)


@pytest.mark.parametrize("kind", Kind)
def test_what_is_the_same_for_all_clusterings_of_a_kind_is_declared(kind):
    assert not gate.wrong_constants(ENTRIES, kind)


def test_constants_that_are_not_declared_or_not_true_are_caught():
    sure, rand = (next(e for e in ENTRIES if e.name == name) for name in ("partition_coefficient", "rand"))
    (undeclared,) = gate.wrong_constants([replace(sure, constant={})], HARD)
    assert undeclared.startswith("partition_coefficient is 1.0 for every hard clustering: add constant=")
    (untrue,) = gate.wrong_constants([replace(rand, constant={HARD: "so it is said"})], HARD)
    assert untrue.startswith("rand is not constant")


@many
@given(scene=gate.scenes())
def test_whole_number_weights_are_repeated_objects(scene):
    gate.check_weights(ENTRIES, scene)


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e.statistics == (Contingency,)], ids=lambda e: e.name
)
def test_a_stack_of_three_gives_three_values(entry):
    tables = np.array([[[3, 1], [0, 4]], [[2, 2], [2, 2]], [[5, 0], [0, 3]]])
    stacked = entry.of(Contingency.from_counts(tables))
    one_by_one = [entry.of(Contingency.from_counts(t)) for t in tables]
    assert stacked.shape == (3,)
    np.testing.assert_array_equal(stacked, one_by_one)
    assert entry.of(Contingency.from_counts(tables.reshape(3, 1, 2, 2))).shape == (3, 1)


# --- the claims over all hard clusterings of four and five objects ----------------------------------------


def set_partitions(n):
    """All ways to cluster n objects, as label lists."""

    def grow(labels, used):
        if len(labels) == n:
            yield list(labels)
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    return list(grow([], 0))


FOUR, FIVE = set_partitions(4), set_partitions(5)
TABLES = {n: Contingency.from_ensemble(Ensemble(all_of)) for n, all_of in ((4, FOUR), (5, FIVE))}
OF_TWO = [e for e in ENTRIES if e.inputs == ("truth", "found")]


@cache
def values_on_statistics(n):
    """For each entry that a table is not enough for, the values of all pairs; each statistic made once."""
    entries = [entry for entry in OF_TWO if entry.statistics != (Contingency,)]
    every = [HardPartition(labels) for labels in {4: FOUR, 5: FIVE}[n]]
    values = {entry: np.empty((len(every), len(every))) for entry in entries}
    requests = [request for entry in entries for request in entry.requests]
    for i, truth in enumerate(every):
        for j, found in enumerate(every):
            inputs = prepare({"truth": truth, "found": found})
            collected = collect(requests, inputs)
            for entry in entries:
                values[entry][i, j] = entry.value_for(inputs, collected)[0]
    return values


def values_for_all(entry, n):
    """The value of each pair of all clusterings of n objects; nan where undefined."""
    if entry.statistics == (Contingency,):
        return entry.of(TABLES[n])
    return values_on_statistics(n)[entry]


@pytest.mark.parametrize(
    ("entry", "n"),
    [
        pytest.param(entry, n, marks=() if n == 4 or entry.statistics == (Contingency,) else pytest.mark.full)
        for entry in OF_TWO
        for n in TABLES
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_claims_hold_for_all_small_hard_clusterings(entry, n):
    held = {claim for claim in entry.claims if entry.status(claim, HARD) == "claimed"}
    values = values_for_all(entry, n)
    if "symmetric" in held:
        np.testing.assert_allclose(values, values.T, atol=gate.TINY)
    if "normalized" in held:
        assert np.nanmin(values) >= 0
        assert np.nanmax(values) <= 1
    if entry.best is None or not math.isfinite(entry.best):
        return
    far = np.abs(values - entry.best)
    others = far[~np.eye(len(far), dtype=bool)]
    if "reflexive" in held:
        np.testing.assert_allclose(np.diag(far), 0, atol=gate.TINY)
    if "separating" in held:
        assert np.nanmin(others) > gate.TINY
    if "triangle" in held:
        excess = far[:, None, :] - (far[:, :, None] + far[None, :, :])
        assert np.nanmax(excess) <= gate.TINY


# --- what the gate catches --------------------------------------------------------------------------------


@pytest.fixture
def sandbox():
    """A registry that forgets what a test declares."""
    before = set(catalogue())
    yield
    for entry in set(catalogue()) - before:
        remove(entry)


def ray_turi_by_definition(X, U):
    """Mean squared distance to the centre over the least squared distance of two centres, by hand."""
    labels = U.argmax(axis=1)
    centres = {j: X[labels == j].mean(axis=0) for j in set(labels.tolist())}
    if len(centres) < 2:
        return math.nan
    within = sum(((x - centres[j]) ** 2).sum() for x, j in zip(X, labels.tolist(), strict=True)) / len(X)
    names = sorted(centres)
    apart = min(((centres[a] - centres[b]) ** 2).sum() for a in names for b in names if a < b)
    return within / apart if apart > 1e-18 else math.nan


def declared(factor, *, with_limit):
    """A Ray-Turi index, wrong by a factor, with or without a word on one cluster."""
    one = Limit(lambda s: s.n_clusters < 2, math.nan, "there is one cluster, and nothing to be apart from")
    together = Limit(lambda s: s.nearest_centers.min() == 0, math.nan, "two centres coincide")

    @index(
        title="Ray-Turi index", best=0.0, range={HARD: (0.0, None)}, claims={"relabelling_invariant": HARD},
        limits=[one, together] if with_limit else [together], references=["franti2017"], formula="x",
        examples=[Example([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1], factor * 0.01, source="by hand")],
    )  # fmt: skip
    def ray_turi(spread: Dispersions):
        """Scatter over separation.

        Pitfalls
        --------
        None.

        >>> 1
        1
        """
        return factor * spread.squares.sum() / spread.total / spread.nearest_centers.min() ** 2

    return ray_turi


@pytest.fixture
def reference_of_ray_turi(monkeypatch):
    monkeypatch.setitem(WITNESS, "ray_turi", ray_turi_by_definition)


@pytest.mark.usefixtures("sandbox", "reference_of_ray_turi")
def test_an_index_of_data_that_is_wrong_by_a_factor_is_caught():
    @settings(max_examples=20, phases=[Phase.generate])  # which needs no smallest scene
    @given(scene=gate.scenes((HARD,)))
    def goes_through(entry, scene):
        gate.check_reference([entry], scene)

    goes_through(declared(1.0, with_limit=True))
    with pytest.raises(AssertionError, match=r"ray_turi is .*its reference says"):
        goes_through(declared(2.0, with_limit=True))


@pytest.mark.usefixtures("sandbox", "reference_of_ray_turi")
def test_an_index_that_is_best_at_one_cluster_without_a_limit_is_caught():
    assert not list(gate.suspicious_ends(declared(1.0, with_limit=True)))
    (first, *_) = gate.suspicious_ends(declared(1.0, with_limit=False))
    assert "best (0.0) at one cluster: add a Limit" in first


@pytest.mark.usefixtures("sandbox")
def test_what_is_missing_is_named_with_the_line_to_add():
    @index(title="t", best=1.0, range={HARD: (0.0, 1.0)})
    def bare(table: Contingency):
        """No sentence"""
        return 0 * table.n

    lines = "\n".join(gate.missing(bare))
    for part in (
        "examples=[Example(truth, found",
        '"bare" in REFERENCE',
        "Pitfalls",
        "formula=",
        "references=",
    ):
        assert part in lines
    for claim in CLAIMS:
        assert repr(claim) in lines
