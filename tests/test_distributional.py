"""Distributions of indices over the hard clusterings inside soft ones, against enumeration by the definition.

Nothing here knows how `partita.distribution` works: what it must give is counted, object by object, in
`reference/distributional.py`, with the base indices of `reference` on labels. Instances are small enough for
that (few objects are soft); larger ones are compared with closed forms and with stored values by hand.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import partita as pt
from partita.errors import MismatchError, ParameterError, PartitaError, TooLargeError, UnknownNameError
from partita.indices import catalogue
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Kind
from partita.statistics import Contingency
from reference import REFERENCE
from reference import distributional as by_definition
from strategies import hard as any_labels

pytestmark = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")

KINDS = tuple(Kind)
ON_TABLES = [e.name for e in catalogue() if e.statistics == (Contingency,) and e.name in REFERENCE]
WITH_OPTIONS = [
    "rand:pairs=ordered",
    "variation_of_information:base=2",
    "v_measure:beta=0.5",
    "adjusted_mutual_information:average=max",
]
MAIN = [
    "rand",
    "rand:pairs=ordered",
    "adjusted_rand",
    "jaccard",
    "fowlkes_mallows",
    "pair_recall",
    "variation_of_information",
    "mutual_information",
    "nmi_sum",
    "nmi_sqrt",
    "classification_error",
    "pair_set_index",
    "purity",
    "f_measure",
]
DISTANCES = [
    "classification_error",
    "variation_of_information",
    "normalized_variation_of_information",
    "mirkin",
]
"""Metrics on hard clusterings as they stand: 0 for equivalent ones and for no others."""

TINY = 1e-9
TINY_STD = 1e-7
"""A variance that is right to 1e-15 gives a deviation that is right to 3e-8 where it is 0."""


# --- the base index on labels ---------------------------------------------------------------------------


@cache
def base(spec):
    """The reference of an index on two tuples of labels; each table is worked out once."""
    name, _, texts = spec.partition(":")
    options = dict(text.split("=") for text in texts.split(",")) if texts else {}
    options = {option: text if text.isalpha() else float(text) for option, text in options.items()}
    by_pairs, by_table = {}, {}

    def value(one, other):
        seen = tuple(sorted(zip(one, other, strict=True)))
        if seen not in by_pairs:
            shape = (max(one) + 1, max(other) + 1)
            table = [[seen.count((i, j)) for j in range(shape[1])] for i in range(shape[0])]
            # criterion_h breaks ties by position: for it the order of clusters matters
            form = seen if name == "criterion_h" else _canonical(table)
            if form not in by_table:
                U, V = (np.eye(k)[list(labels)] for k, labels in zip(shape, (one, other), strict=True))
                by_table[form] = REFERENCE[name](U, V, **options)
            by_pairs[seen] = by_table[form]
        return by_pairs[seen]

    return value


def _canonical(table):
    """The same for all orders of the rows and of the columns, and for clusters without objects."""
    rows = [row for row in table if any(row)]
    return len(rows), min(
        tuple(sorted(column for column in zip(*order, strict=True) if any(column)))
        for order in permutations(rows)
    )


def distance_of(spec):
    """|best - value| on labels."""
    best = next(e.best for e in catalogue() if e.name == spec.partition(":")[0])
    value = base(spec)
    return lambda one, other: abs(best - value(one, other))


# --- small clusterings of every kind --------------------------------------------------------------------


@st.composite
def small(draw, kind, n, soft=None):
    """At most `soft` objects (3, of evidence and typicalities 2) are not in one cluster for sure."""
    soft = (2 if kind in (EVIDENTIAL, POSSIBILISTIC) else 3) if soft is None else soft
    k = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    if kind is HARD:
        return pt.HardPartition(labels)
    vague = draw(st.sets(st.integers(0, n - 1), min_size=min(1, soft), max_size=min(n, soft)))
    if kind is EVIDENTIAL:
        return _evidential(draw, labels, vague, k)
    top = {FUZZY: 4, POSSIBILISTIC: 4, ROUGH: 1}[kind]
    grid = np.eye(k)[labels] * top
    for x in vague:
        grid[x] = draw(st.lists(st.integers(0, top), min_size=k, max_size=k).filter(any))
    if kind is FUZZY:
        return pt.FuzzyPartition(grid / grid.sum(axis=1, keepdims=True))
    if kind is ROUGH:
        return pt.RoughPartition(grid > 0)
    for x in draw(st.sets(st.integers(0, n - 1), max_size=1)):  # a sure object that does not reach one
        grid[x] = np.ceil(grid[x] / 2)
    return pt.PossibilisticPartition(grid / top)


def _evidential(draw, labels, vague, k):
    subsets = [{c for c in range(k) if bits >> c & 1} for bits in range(1 << k)]
    sets = [{c} for c in range(k)] + [s for s in subsets if len(s) != 1]
    grid = np.zeros((len(labels), len(sets)))
    grid[np.arange(len(labels)), labels] = 4
    for x in vague:
        grid[x] = 0
        chosen = draw(st.sets(st.integers(0, len(sets) - 1), min_size=1, max_size=3))
        for column in chosen:
            grid[x, column] = draw(st.integers(1, 4))
        if chosen == {k}:  # all of it on the empty set, which stands first after the singletons
            grid[x, 0] = 1
    return pt.EvidentialPartition(grid / grid.sum(axis=1, keepdims=True), sets)


@st.composite
def two(draw, kinds, other_kinds=None, max_n=5, min_n=1, soft=None):
    """Two small clusterings of the same objects, the first of `kinds` and the second of `other_kinds`."""
    chosen = [draw(st.sampled_from(list(k))) for k in (kinds, kinds if other_kinds is None else other_kinds)]
    n = draw(st.integers(min_n, min(max_n, 4 if chosen == [EVIDENTIAL] * 2 else 5)))
    return tuple(draw(small(kind, n, soft)) for kind in chosen)


def is_crisp(partition):
    """Whether it is a hard clustering in the clothes of another kind: all of every object in one cluster."""
    return all(len(row) == 1 and len(A) == 1 for row in by_definition.masses(partition, "keep") for A in row)


def is_logical(partition):
    """Whether every object has all its mass on one set (the empty one aside)."""
    return all(len(row) == 1 for row in by_definition.masses(partition))


def nature(*sides, reading="cuts"):
    """What the result for these clusterings is.

    Hard with anything is that other kind. Fuzzy ones have a law, rough ones a set of values, rough and
    possibilistic ones possibilities; all other mixtures are evidence, as is the reading "independent".
    """
    kinds = {p if isinstance(p, Kind) else p.kind for p in sides} - {HARD}
    if not kinds:
        return "value"
    if kinds == {FUZZY}:
        return "law"
    if kinds == {ROUGH}:
        return "set"
    return "possibilities" if kinds <= {ROUGH, POSSIBILISTIC} and reading != "independent" else "evidence"


def sets_of(partition):
    """A hard or rough clustering as the references take it."""
    return [A for row in by_definition.masses(partition) for A in row]


def equivalent(one, other):
    """C ~ C': the same pairs are together."""
    return [one.index(label) for label in one] == [other.index(label) for label in other]


# --- what a result must hold ----------------------------------------------------------------------------


def same(got, expected, tolerance=TINY):
    return (math.isnan(got) and math.isnan(expected)) or got == pytest.approx(
        expected, abs=tolerance, rel=tolerance
    )


def about(values):
    """Just below, just above and between these values, and beyond their ends."""
    known = sorted(values)
    steps = [(a + b) / 2 for a, b in pairwise(known)]
    return [known[0] - 1, *(v - TINY for v in known), *(v + TINY for v in known), *steps, known[-1] + 1]


def check_ends(result, lower, upper, undefined=0):
    assert result.method == "exact"
    assert same(result.lower, lower), ("lower", result.lower, lower)
    assert same(result.upper, upper), ("upper", result.upper, upper)
    if math.isnan(lower):
        assert math.isnan(result.mean)
    else:
        assert tuple(result.lower_within) == (result.lower, result.lower)
        assert tuple(result.upper_within) == (result.upper, result.upper)
        assert result.gap == 0
    if undefined > TINY:
        assert any("undefined" in note or "no value" in note for note in result.notes), result.notes


def check_values(got, expected):
    assert len(got) == len(expected), (list(got), expected)
    np.testing.assert_allclose(got, expected, rtol=TINY, atol=TINY)


def check_at_most(result, values, belief, plausibility):
    for t in about(values):
        assert same(result.belief(t), belief(t)), ("belief", t)
        assert same(result.plausibility(t), plausibility(t)), ("plausibility", t)


def check_hard(result, value):
    check_ends(result, value, value, undefined=math.isnan(value))
    assert same(result.mean, value)
    assert math.isnan(value) or result.std == 0


def check_law(result, truth, found, value):
    law, undefined = by_definition.fuzzy_law(*map(_memberships, (truth, found)), value)
    mean, std = by_definition.moments(law)
    check_ends(result, mean, mean, undefined)
    assert same(result.mean, mean)
    assert same(result.std, std, TINY_STD)
    if not law:
        return
    check_values(result.support, sorted(law))
    shares = np.array([law[v] for v in sorted(law)])
    assert np.sum(result.probabilities) == pytest.approx(1 - result.dropped, abs=TINY)
    assert -TINY <= result.dropped <= undefined + TINY  # exact: nothing but the undefined may be missing
    check_values(np.asarray(result.probabilities) / np.sum(result.probabilities), shares / shares.sum())
    if undefined == 0:
        for t in about(law):
            at_most = sum(p for v, p in law.items() if v <= t)
            assert same(float(result.cdf(t)), at_most)
            assert same(result.belief(t), at_most)
            assert same(result.plausibility(t), at_most)
        for level in (0.5, 0.9, 1.0):
            low, high = result.interval(level)
            assert sum(p for v, p in law.items() if low - TINY <= v <= high + TINY) >= level - TINY
            assert min(law) - TINY <= low <= high <= max(law) + TINY
        assert same(high, max(law))
        assert same(low, min(law))


def check_set(result, truth, found, value):
    counts, undefined = by_definition.rough_values(sets_of(truth), sets_of(found), value)
    lower, upper = (min(counts), max(counts)) if counts else (math.nan, math.nan)
    check_ends(result, lower, upper, undefined)
    assert math.isnan(result.mean)
    assert math.isnan(result.std)
    if counts:
        check_values(result.support, sorted(counts))
        check_at_most(result, counts, lambda t: float(upper <= t), lambda t: float(lower <= t))


def check_possibilities(result, truth, found, value, tnorm="minimum", reading="cuts"):
    conorm = {"cuts": "max", "literal": "dual"}[reading]
    sides = [by_definition.typicalities(p) for p in (truth, found)]
    possible, undefined = by_definition.possibility(*sides, value, tnorm, conorm)
    lower, upper = by_definition.cut_expectations(possible)
    check_ends(result, lower, upper, undefined)
    assert math.isnan(result.mean)
    if possible:
        check_values(result.support, sorted(possible))
        check_values(result.possibilities, [possible[v] for v in sorted(possible)])
        check_at_most(
            result,
            possible,
            lambda t: by_definition.necessary_at_most(possible, t),
            lambda t: by_definition.possible_at_most(possible, t),
        )


def check_focal(result, truth, found, value, empty="normalize"):
    sides = [by_definition.masses(p, empty) for p in (truth, found)]
    focal, undefined = by_definition.evidential_values(*sides, value)
    check_ends(result, *by_definition.expectations(focal), undefined)
    if not focal:
        return
    got = {}
    for values, mass in result.focal_values:
        assert list(values) == sorted(values)
        rounded = frozenset(round(v, 8) + 0.0 for v in values)
        assert rounded not in got, "one set of values in two entries"
        got[rounded] = mass
    expected = {frozenset(round(v, 8) + 0.0 for v in V): m for V, m in focal.items()}
    assert got.keys() == expected.keys()
    for V, mass in expected.items():
        assert same(got[V] / sum(got.values()), mass / sum(expected.values()))
    check_at_most(
        result,
        frozenset().union(*focal),
        lambda t: by_definition.belief_at_most(focal, t),
        lambda t: by_definition.plausibility_at_most(focal, t),
    )


def _memberships(partition):
    return np.asarray(partition.memberships(), dtype=float)


def check(truth, found, spec, **options):
    """The exact result for any two clusterings, as a whole.

    A one-hot matrix is the hard clustering it describes. Where that makes a law of what would be evidence,
    say, the ends are the same and only they are looked at.
    """
    if POSSIBILISTIC in (truth.kind, found.kind) and {FUZZY, EVIDENTIAL} & {truth.kind, found.kind}:
        options = {"reading": "independent"} | options
    result = pt.distribution(truth, found, spec, method="exact", **options)
    reading, empty = options.get("reading", "cuts"), options.get("empty", "normalize")
    what = nature(truth, found, reading=reading)
    reduced = nature(*(HARD if is_crisp(p) else p for p in (truth, found)), reading=reading)
    value = base(spec)
    if what == "value":
        check_hard(result, value(*(tuple(p.codes.tolist()) for p in (truth, found))))
    elif what != reduced:
        assert reduced != "possibilities"  # never from evidence: levels are independent there
        sides = [by_definition.masses(p, "normalize" if empty == "raise" else empty) for p in (truth, found)]
        focal, undefined = by_definition.evidential_values(*sides, value)
        check_ends(result, *by_definition.expectations(focal), undefined)
    elif what == "law":
        check_law(result, truth, found, value)
    elif what == "set":
        check_set(result, truth, found, value)
    elif what == "possibilities":
        check_possibilities(result, truth, found, value, options.get("tnorm", "minimum"), reading)
    else:
        check_focal(result, truth, found, value, "normalize" if empty == "raise" else empty)
    return result


# --- exact results equal the enumeration ----------------------------------------------------------------


@settings(max_examples=20)
@given(sides=two(KINDS))
def test_every_index_on_tables(sides):
    for spec in ON_TABLES + WITH_OPTIONS:
        check(*sides, spec)


@pytest.mark.parametrize(("kind", "other"), list(product(KINDS, repeat=2)), ids=str)
@settings(max_examples=25)
@given(data=st.data())
def test_every_pair_of_kinds(kind, other, data):
    check(*data.draw(two([kind], [other])), data.draw(st.sampled_from(MAIN)))


@pytest.mark.parametrize("reading", ["cuts", "literal"])
@pytest.mark.parametrize("tnorm", by_definition.TNORMS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_tnorm_and_reading(tnorm, reading, data):
    typical = [POSSIBILISTIC]
    beside = [HARD, ROUGH, POSSIBILISTIC]
    sides = data.draw(two(typical, beside) | two(beside, typical))
    check(*sides, data.draw(st.sampled_from(MAIN)), tnorm=tnorm, reading=reading)


@settings(max_examples=40)
@given(data=st.data())
def test_independent_levels(data):
    """Rows that do not reach one have the rest on the empty set, which Dempster's rule divides away."""
    typical = [POSSIBILISTIC]
    sides = data.draw(two(typical, KINDS, max_n=4) | two(KINDS, typical, max_n=4))
    check(*sides, data.draw(st.sampled_from(MAIN)), reading="independent")


@pytest.mark.parametrize("other", [FUZZY, EVIDENTIAL], ids=str)
@settings(max_examples=20)
@given(data=st.data())
def test_typicalities_against_probabilities_are_consonant_masses_unless_told(other, data):
    """No possibility is shared by a law and a possibility distribution: without a word, levels are drawn."""
    truth, found = data.draw(two([POSSIBILISTIC], [other], max_n=4))
    assume(not is_crisp(truth))
    assume(not is_crisp(found))
    assume(other is FUZZY or not is_logical(found))  # which is rough, and so possibilistic
    spec = data.draw(st.sampled_from(MAIN))
    check_focal(pt.distribution(truth, found, spec, method="exact"), truth, found, base(spec))


@settings(max_examples=25)
@given(sides=two(KINDS, max_n=4), spec=st.sampled_from(MAIN))
def test_auto_is_right_wherever_it_says_so(sides, spec):
    """Small inputs: whatever method it takes, the ends are enclosed, and "exact" is exact."""
    exact = pt.distribution(*sides, spec, method="exact")
    result = pt.distribution(*sides, spec, confidence=1 - 1e-9, random_state=0)
    if math.isnan(exact.lower):
        assert math.isnan(result.lower)
        return
    assert result.lower_within[0] - TINY <= exact.lower <= result.lower_within[1] + TINY
    assert result.upper_within[0] - TINY <= exact.upper <= result.upper_within[1] + TINY
    if result.method == "exact":
        assert same(result.lower, exact.lower)
        assert same(result.upper, exact.upper)


@settings(max_examples=30)
@given(data=st.data())
def test_labels_of_any_type_noise_and_empty_clusters(data):
    """-1 is a cluster unless told otherwise, and a declared cluster without objects changes nothing."""
    n = data.draw(st.integers(1, 5))
    sides = [data.draw(any_labels(n)), data.draw(small(data.draw(st.sampled_from(KINDS)), n))]
    check(*data.draw(st.permutations(sides)), data.draw(st.sampled_from(MAIN)))


LARGER = [
    "rand",
    "adjusted_rand",
    "jaccard",
    "variation_of_information",
    "nmi_sum",
    "classification_error",
    "pair_set_index",
]


@pytest.mark.parametrize("spec", LARGER)
@pytest.mark.parametrize("seed", range(3))
def test_all_objects_vague_against_a_hard_clustering(spec, seed):
    """Up to 3^7 clusterings, all at once: a set of values, a law, possibilities."""
    rng = np.random.default_rng(seed)
    truth = pt.HardPartition(rng.integers(0, 3, 7).tolist())
    U = rng.dirichlet(np.ones(3), 6)
    T = rng.integers(1, 5, (6, 3)) / 4
    possible = rng.random((7, 3)) < 0.8
    possible[np.arange(7), rng.integers(0, 3, 7)] = True
    check(truth, pt.RoughPartition(possible), spec)
    check(pt.RoughPartition(possible), truth, spec)
    check(truth.take(range(6)), pt.FuzzyPartition(U), spec)
    check(truth.take(range(6)), pt.PossibilisticPartition(T), spec)


@pytest.mark.parametrize("spec", LARGER)
def test_all_objects_vague_on_both_sides(spec):
    rng = np.random.default_rng(4)
    rough = [pt.RoughPartition(np.ones((6, 2), dtype=bool)) for _ in "tf"]
    check(*rough, spec)
    check(*(pt.FuzzyPartition(rng.dirichlet(np.ones(2), 6)) for _ in "tf"), spec)
    check(*(pt.PossibilisticPartition(rng.integers(1, 9, (6, 2)) / 8) for _ in "tf"), spec)


# --- more objects than can be enumerated ------------------------------------------------------------------


def vague_labels(n, k, share, seed):
    """A matrix of possible clusters; about `share` of the objects have more than one."""
    rng = np.random.default_rng(seed)
    possible = np.eye(k, dtype=bool)[rng.integers(0, k, n)]
    return possible | (rng.random((n, k)) < 0.6) & (rng.random((n, 1)) < share)


MONOTONE = ["rand", "adjusted_rand", "jaccard", "variation_of_information", "nmi_sum", "classification_error"]


@pytest.mark.parametrize("spec", MONOTONE)
def test_every_clustering_lies_within_the_ends_and_fewer_choices_narrow_them(spec):
    rng = np.random.default_rng(11)
    truth = pt.HardPartition(rng.integers(0, 3, 24).tolist())
    wide = vague_labels(24, 3, 0.7, seed=12)
    labels = [[int(rng.choice(np.flatnonzero(row))) for row in wide] for _ in range(30)]
    narrow = wide & (np.eye(3, dtype=bool)[labels[0]] | (rng.random(wide.shape) < 0.5))
    outer, inner = (
        pt.distribution(truth, pt.RoughPartition(p), spec, method="exact") for p in (wide, narrow)
    )
    assert outer.lower - TINY <= inner.lower <= inner.upper <= outer.upper + TINY
    values = [base(spec)(tuple(truth.codes.tolist()), tuple(row)) for row in labels]
    assert outer.lower - TINY <= min(values)
    assert max(values) <= outer.upper + TINY
    assert inner.lower - TINY <= values[0] <= inner.upper + TINY


@pytest.mark.parametrize("spec", ["rand", "classification_error"])
def test_every_pair_of_clusterings_lies_within_the_certified_ends(spec):
    rng = np.random.default_rng(13)
    sides = [vague_labels(20, 3, 0.6, seed) for seed in (14, 15)]
    result = pt.distribution(*map(pt.RoughPartition, sides), spec)
    assert result.method in ("exact", "bound")
    for _ in range(30):
        one, other = (tuple(int(rng.choice(np.flatnonzero(row))) for row in side) for side in sides)
        assert result.lower_within[0] - TINY <= base(spec)(one, other) <= result.upper_within[1] + TINY


@pytest.mark.parametrize("spec", MONOTONE)
def test_possibilistic_ends_are_those_of_the_cuts(spec):
    rng = np.random.default_rng(16)
    truth = pt.HardPartition(rng.integers(0, 3, 20).tolist())
    vague = vague_labels(20, 3, 0.6, seed=17) * rng.integers(1, 5, (20, 3)) / 4
    typical = np.maximum(vague, np.eye(3)[truth.codes])
    result = pt.distribution(truth, pt.PossibilisticPartition(typical), spec, method="exact")
    cuts = [
        pt.distribution(truth, pt.RoughPartition(typical >= level), spec, method="exact")
        for level in (0.25, 0.5, 0.75, 1.0)
    ]
    assert result.lower == pytest.approx(np.mean([cut.lower for cut in cuts]), abs=TINY)
    assert result.upper == pytest.approx(np.mean([cut.upper for cut in cuts]), abs=TINY)


def test_every_decision_rule_lies_within_the_expectations():
    """Definitions 5.2, with the pignistic rule; each end of the interval is off with probability 1e-9."""
    rng = np.random.default_rng(18)
    n, sets = 30, np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    truth = rng.integers(0, 3, n)
    masses = rng.dirichlet(np.ones(6) / 2, n)
    result = pt.distribution(
        truth, pt.EvidentialPartition(masses, sets), "rand", confidence=1 - 1e-9, random_state=0
    )
    pignistic = masses @ (sets / sets.sum(axis=1, keepdims=True))
    mean = expected_rand(np.eye(3)[truth], pignistic)
    assert result.lower_within[0] - TINY <= mean <= result.upper_within[1] + TINY
    assert result.lower < result.upper


@pytest.mark.parametrize("spec", MONOTONE)
def test_the_order_of_objects_and_clusters_does_not_matter(spec):
    rng = np.random.default_rng(19)
    labels, U = rng.integers(0, 3, 12), rng.dirichlet(np.ones(3), 12)
    rows, columns = rng.permutation(12), rng.permutation(3)
    plain = pt.distribution(labels, pt.FuzzyPartition(U), spec, method="exact")
    mixed = pt.distribution(
        columns[labels[rows]], pt.FuzzyPartition(U[rows][:, columns]), spec, method="exact"
    )
    np.testing.assert_allclose(plain.support, mixed.support, atol=TINY)
    np.testing.assert_allclose(plain.probabilities, mixed.probabilities, atol=TINY)
    assert plain.mean == pytest.approx(mixed.mean, abs=TINY)


# --- the empty set, typicalities below one, undefined values ----------------------------------------------

OUTLYING = pt.EvidentialPartition(
    [[0.5, 0.0, 0.25, 0.25], [0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.5]], [{0}, {1}, {0, 1}, set()]
)


def test_mass_on_the_empty_set_by_hand():
    """Against [0, 0, 1], Rand over 3 pairs.

    normalize: object 0 has 2/3 on {0} and 1/3 on {0,1}, object 1 is 1, object 2 is 0. Labels 010 agree with
    001 only in (1, 2), apart in both: 1 of 3. Labels 110 agree in all: 3 of 3.
    So {0}: {1/3}, {0,1}: {1/3, 1}: lower 1/3, upper 2/3 * 1/3 + 1/3 = 5/9.
    cluster: a third label e. Object 0: 1/2 on 0, 1/4 on {0,1}, 1/4 on e; object 2: 1/2 on 0, 1/2 on e.
    010: 1/3, {010, 110}: {1/3, 1}, e10: (0,1) no, (0,2) yes, (1,2) yes: 2/3; the same with e for object 2:
    01e: 2/3, {01e, 11e}: {2/3, 1}, e1e: 1/3.
    lower (1/2)(1/2*1/3 + 1/4*1/3 + 1/4*2/3) + (1/2)(1/2*2/3 + 1/4*2/3 + 1/4*1/3) = (5/12 + 7/12) / 2 = 1/2,
    upper (1/2)(1/2*1/3 + 1/4*1 + 1/4*2/3) + (1/2)(1/2*2/3 + 1/4*1 + 1/4*1/3) = (7/12 + 8/12) / 2 = 5/8.
    """
    ends = {}
    for empty in ("normalize", "cluster"):
        result = check(pt.HardPartition([0, 0, 1]), OUTLYING, "rand", empty=empty)
        ends[empty] = (result.lower, result.upper)
    assert ends["normalize"] == pytest.approx((1 / 3, 5 / 9))
    assert ends["cluster"] == pytest.approx((1 / 2, 5 / 8))
    with pytest.raises(PartitaError):
        pt.distribution([0, 0, 1], OUTLYING, "rand", empty="raise")
    with pytest.raises(ParameterError):
        pt.distribution([0, 0, 1], OUTLYING, "rand", empty="perhaps")


@settings(max_examples=40)
@given(data=st.data())
def test_the_empty_set_in_every_way(data):
    kinds = [EVIDENTIAL], [HARD, FUZZY, ROUGH, EVIDENTIAL]
    sides = data.draw(two(*kinds, max_n=4) | two(*reversed(kinds), max_n=4))
    spec = data.draw(st.sampled_from(MAIN))
    check(*sides, spec, empty="cluster")
    has_empty = any(frozenset() in row for p in sides for row in by_definition.masses(p, "keep"))
    if has_empty:
        with pytest.raises(PartitaError):
            pt.distribution(*sides, spec, empty="raise")
    else:
        check(*sides, spec, empty="raise")


@settings(max_examples=25)
@given(data=st.data())
def test_what_typicalities_lack_to_one_in_every_way(data):
    sides = data.draw(two([POSSIBILISTIC], [HARD, ROUGH, POSSIBILISTIC], max_n=4))
    spec = data.draw(st.sampled_from(MAIN))
    check(*sides, spec, reading="independent", empty="cluster")
    if any(frozenset() in row for p in sides for row in by_definition.masses(p, "keep")):
        with pytest.raises(PartitaError):
            pt.distribution(*sides, spec, reading="independent", empty="raise")


def test_an_object_all_of_whose_mass_is_on_the_empty_set():
    nowhere = pt.EvidentialPartition([[1.0, 0.0], [0.0, 1.0]], [set(), {0}])
    with pytest.raises(PartitaError):
        pt.distribution([0, 1], nowhere, "rand")
    assert pt.distribution([0, 1], nowhere, "rand", empty="cluster").lower == 1.0


def test_typicalities_below_one_by_hand():
    """Rows (0.5, 0.25) and (1, 0) against [0, 0]: 00 has possibility 1/2 (Rand 1), 10 has 1/4 (Rand 0).

    cuts: height 1/2; the lower end is 1 on the upper half of (0, 1/2] and 0 on the other: 1/2, the upper 1.
    independent: 1/4 on {0}, 1/4 on {0,1}, 1/2 on the empty set; normalised 1/2 and 1/2: the same ends.
    """
    typical = pt.PossibilisticPartition([[0.5, 0.25], [1.0, 0.0]])
    result = check(pt.HardPartition([0, 0]), typical, "rand")
    np.testing.assert_allclose(result.support, [0, 1])
    np.testing.assert_allclose(result.possibilities, [0.25, 0.5])
    assert (result.lower, result.upper) == pytest.approx((0.5, 1.0))
    assert result.belief(0.5) == 0
    assert result.plausibility(0.5) == pytest.approx(0.5)
    result = check(pt.HardPartition([0, 0]), typical, "rand", reading="independent")
    assert (result.lower, result.upper) == pytest.approx((0.5, 1.0))


def test_undefined_values_are_left_out_and_said():
    """Pair recall of a truth without pairs together is 0/0, unless the clusterings are the same.

    Truth (1/4, 3/4), (0, 1), found together: labels 11 (3/4) have recall 1, labels 01 (1/4) none.
    """
    fuzzy = pt.FuzzyPartition([[0.25, 0.75], [0.0, 1.0]])
    result = check(fuzzy, pt.HardPartition([0, 0]), "pair_recall")
    assert (result.lower, result.mean, result.upper, result.std) == (1.0, 1.0, 1.0, 0.0)
    assert any("0.25" in note or "25" in note for note in result.notes)
    rough = pt.RoughPartition([[True, True], [False, True]])
    result = check(rough, pt.HardPartition([0, 0]), "pair_recall")
    assert (result.lower, result.upper) == (1.0, 1.0)
    nothing = check(pt.HardPartition([0, 1]), pt.RoughPartition([[True, False]] * 2), "pair_recall")
    assert math.isnan(nothing.lower)
    assert math.isnan(nothing.upper)


# --- by hand --------------------------------------------------------------------------------------------

TWICE = pt.PossibilisticPartition([[1.0, 0.5], [1.0, 0.5]])
TOGETHER = pt.HardPartition([0, 0])


def test_common_and_independent_levels_differ():
    """Trap 4. Rand of two objects is 1 when they are together, else 0.

    cuts: above 1/2 only 00 is possible, below all four: lower end 1/2. independent: each object has 1/2 on
    {0} and 1/2 on {0,1}, the lower end is 1 only if both have {0}: 1/4.
    """
    cuts = check(TOGETHER, TWICE, "rand")
    assert (cuts.lower, cuts.upper) == pytest.approx((0.5, 1.0))
    independent = check(TOGETHER, TWICE, "rand", reading="independent")
    assert (independent.lower, independent.upper) == pytest.approx((0.25, 1.0))
    assert dict(independent.focal_values) == pytest.approx({(0.0, 1.0): 0.75, (1.0,): 0.25})


@pytest.mark.parametrize(
    ("tnorm", "reading", "apart", "lower"),
    [
        ("minimum", "cuts", 0.5, 0.5),
        ("minimum", "literal", 0.5, 0.5),
        ("product", "cuts", 0.5, 0.5),
        ("product", "literal", 0.75, 0.25),  # 01 and 10 have 1/2 each: 1 - 1/2 * 1/2
        ("lukasiewicz", "cuts", 0.5, 0.5),
        ("lukasiewicz", "literal", 1.0, 0.0),  # 1/2 + 1/2
    ],
)
def test_readings_by_hand(tnorm, reading, apart, lower):
    result = check(TOGETHER, TWICE, "rand", tnorm=tnorm, reading=reading)
    np.testing.assert_allclose(result.support, [0, 1])
    np.testing.assert_allclose(result.possibilities, [apart, 1.0])
    assert (result.lower, result.upper) == pytest.approx((lower, 1.0))


def test_a_law_by_hand():
    """(3/4, 1/4), (1/2, 1/2) against [0, 1]: apart with 3/8 + 1/8 = 1/2, and Rand is 1 there, else 0."""
    result = check(pt.HardPartition([0, 1]), pt.FuzzyPartition([[0.75, 0.25], [0.5, 0.5]]), "rand")
    np.testing.assert_allclose(result.support, [0, 1])
    np.testing.assert_allclose(result.probabilities, [0.5, 0.5])
    assert (result.mean, result.std) == pytest.approx((0.5, 0.5))
    assert (result.cdf(-0.1), result.cdf(0.5), result.cdf(1.1)) == pytest.approx((0, 0.5, 1))


def test_a_rough_set_of_values_by_hand():
    """[{0}, {0,1}, {1}] against [0, 0, 1]: 001 is the same, 011 agrees in one pair of three, (0, 2)."""
    rough = pt.RoughPartition([[True, False], [True, True], [False, True]])
    result = check(pt.HardPartition([0, 0, 1]), rough, "rand")
    np.testing.assert_allclose(result.support, [1 / 3, 1])
    assert (result.lower, result.upper) == pytest.approx((1 / 3, 1))


def test_evidence_by_hand():
    """Object 1 of [0, ?, 1]: 1/2 on {0}, 1/4 on {1}, 1/4 on {0,1}; the values as above.

    {1}: 1/2, {1/3}: 1/4, {1/3, 1}: 1/4; lower 1/2 + 1/12 + 1/12 = 2/3, upper 1/2 + 1/12 + 1/4 = 5/6.
    """
    evidence = pt.EvidentialPartition([[1, 0, 0], [0.5, 0.25, 0.25], [0, 1, 0]], [{0}, {1}, {0, 1}])
    result = check(pt.HardPartition([0, 0, 1]), evidence, "rand")
    assert (result.lower, result.upper) == pytest.approx((2 / 3, 5 / 6))
    assert result.belief(0.5) == pytest.approx(1 / 4)
    assert result.plausibility(0.5) == pytest.approx(1 / 2)


# --- one reading is a case of another ---------------------------------------------------------------------


@settings(max_examples=25)
@given(sides=two([HARD, FUZZY, ROUGH]), spec=st.sampled_from(MAIN))
def test_evidence_on_single_clusters_is_fuzzy_and_logical_evidence_is_rough(sides, spec):
    assume(sides[0].kind is sides[1].kind or HARD in {p.kind for p in sides})
    plain = pt.distribution(*sides, spec, method="exact")
    evidence = pt.distribution(*(_as_evidence(p) for p in sides), spec, method="exact")
    assert same(evidence.lower, plain.lower)
    assert same(evidence.upper, plain.upper)


@settings(max_examples=25)
@given(sides=two([HARD, POSSIBILISTIC], max_n=4), spec=st.sampled_from(MAIN))
def test_independent_levels_are_consonant_evidence(sides, spec):
    levels = pt.distribution(*sides, spec, method="exact", reading="independent")
    evidence = pt.distribution(*(_as_evidence(p) for p in sides), spec, method="exact")
    assert same(evidence.lower, levels.lower)
    assert same(evidence.upper, levels.upper)


def _as_evidence(partition):
    rows = by_definition.masses(partition, "keep")
    sets = sorted({A for row in rows for A in row}, key=sorted)
    k = len(partition.names)
    return pt.EvidentialPartition(
        [[row.get(A, 0.0) for A in sets] for row in rows], [[c in A for c in range(k)] for A in sets]
    )


@settings(max_examples=25)
@given(sides=two([POSSIBILISTIC], [HARD, ROUGH, POSSIBILISTIC]))
def test_rough_values_are_the_possible_ones_and_cuts_are_nested(sides):
    """The support of the possibilities is d_R of the supports, and the interval of levels lies in it."""
    result = pt.distribution(*sides, "rand", method="exact")
    supports = [pt.RoughPartition(by_definition.typicalities(p) > 0) for p in sides]
    widest = pt.distribution(*supports, "rand", method="exact")
    np.testing.assert_allclose(result.support, widest.support, atol=TINY)
    assert widest.lower - TINY <= result.lower <= result.upper <= widest.upper + TINY


@settings(max_examples=25)
@given(sides=two([POSSIBILISTIC], [HARD, POSSIBILISTIC], max_n=4))
def test_the_product_of_typicalities_is_never_above_the_plausibility_of_independent_levels(sides):
    """Trap 4: the product is the contour of the consonant masses, for rows that reach one."""
    whole = [
        pt.PossibilisticPartition(_memberships(p) / _memberships(p).max(axis=1, keepdims=True)) for p in sides
    ]
    assume(not all(map(is_crisp, whole)))
    product_of = pt.distribution(*whole, "rand", method="exact", tnorm="product")
    focal = pt.distribution(*whole, "rand", method="exact", reading="independent").focal_values
    for v, degree in zip(product_of.support, product_of.possibilities, strict=True):
        assert degree <= sum(m for V, m in focal if any(abs(v - w) < TINY for w in V)) + TINY


# --- section 6b: what the paper states, and what holds ----------------------------------------------------


def one_and_the_same(*sides):
    """Whether every clustering in any of these is the same one, up to names."""
    all_of = [
        labels
        for p in sides
        for sets, _ in by_definition.focal_rough(by_definition.masses(p))
        for labels in by_definition.clusterings(sets)
    ]
    return all(equivalent(labels, all_of[0]) for labels in all_of)


@pytest.mark.parametrize("spec", ["rand", *DISTANCES])
@settings(max_examples=20)
@given(sides=two([EVIDENTIAL], max_n=3), data=st.data())
def test_theorem_1(spec, sides, data):
    """d_E({0}) = 1 iff all focal rough clusterings hold one and the same hard one; symmetry."""
    best = next(e.best for e in catalogue() if e.name == spec)
    n = sides[0].n_objects
    labels = data.draw(small(HARD, n))
    order = data.draw(st.permutations(range(3)))
    renamed = pt.EvidentialPartition(np.eye(3)[np.array(order)[labels.codes]], [{0}, {1}, {2}])
    certain = [((best,), 1.0)]
    for pair in (sides, (sides[0],) * 2, (labels, sides[0]), (labels, renamed), (renamed, renamed)):
        result = pt.distribution(*pair, spec, method="exact")
        mirrored = pt.distribution(*pair[::-1], spec, method="exact")
        assert same(result.lower, mirrored.lower)
        assert same(result.upper, mirrored.upper)
        if all(map(is_crisp, pair)):  # a value, not evidence
            got = [((round(result.lower, 9) + 0.0,), 1.0)] if same(result.lower, result.upper) else []
        else:
            got = [(tuple(round(v, 9) + 0.0 for v in V), round(m, 9)) for V, m in result.focal_values]
            assert sorted(V for V, _ in got) == sorted(
                tuple(round(v, 9) + 0.0 for v in V) for V, _ in mirrored.focal_values
            )
        assert (got == certain) == one_and_the_same(*pair)


def test_equality_does_not_suffice_for_theorem_1():
    half = pt.EvidentialPartition([[0.5, 0.5], [1.0, 0.0]], [{0}, {1}])
    result = pt.distribution(half, half, "classification_error", method="exact")
    assert dict(result.focal_values) == pytest.approx({(0.0,): 0.5, (0.5,): 0.5})


@pytest.mark.parametrize("spec", ["rand", *DISTANCES])
@settings(max_examples=30)
@given(sides=two([HARD, ROUGH]))
def test_proposition_1(spec, sides):
    """d^l = 0 iff both sets share a clustering; d^u = 0 iff both hold one and the same only; symmetry."""
    least, most = distance_ends(pt.distribution(*sides, spec, method="exact"), spec)
    ones, others = (list(by_definition.clusterings(sets_of(p))) for p in sides)
    assert (least < TINY) == any(equivalent(a, b) for a, b in product(ones, others))
    assert (most < TINY) == one_and_the_same(*sides)
    assert least + TINY >= 0
    assert most <= 1 + TINY or spec in ("mirkin", "variation_of_information")
    mirrored = distance_ends(pt.distribution(*sides[::-1], spec, method="exact"), spec)
    assert (least, most) == pytest.approx(mirrored, abs=TINY)


def distance_ends(result, spec):
    """The ends of |best - value|."""
    return (1 - result.upper, 1 - result.lower) if spec.startswith("rand") else (result.lower, result.upper)


@pytest.mark.parametrize("spec", ["rand", *DISTANCES])
@settings(max_examples=20)
@given(data=st.data())
def test_corollary_1_with_a_hard_side_it_is_the_hausdorff_distance(spec, data):
    n = data.draw(st.integers(1, 5))
    rough, crisp = data.draw(small(ROUGH, n)), data.draw(small(HARD, n))
    expected = by_definition.hausdorff(sets_of(rough), sets_of(crisp), distance_of(spec))
    for pair in ((rough, crisp), (crisp, rough)):
        result = pt.hausdorff(*pair, spec)
        assert result.method == "exact"
        assert same(result.lower, expected)
        assert same(result.upper, expected)
        assert same(distance_ends(pt.distribution(*pair, spec, method="exact"), spec)[1], expected)


@pytest.mark.parametrize("spec", ["rand", "classification_error", "variation_of_information"])
@settings(max_examples=20)
@given(data=st.data())
def test_corollary_1_with_hard_sides_it_is_a_metric(spec, data):
    """Triangles with a single rough corner, at an end or in the middle."""
    n = data.draw(st.integers(1, 5))
    rough, one, other = data.draw(small(ROUGH, n)), data.draw(small(HARD, n)), data.draw(small(HARD, n))

    def upper(a, b):
        return distance_ends(pt.distribution(a, b, spec, method="exact"), spec)[1]

    assert upper(rough, one) <= upper(rough, other) + upper(other, one) + TINY
    assert upper(one, other) <= upper(one, rough) + upper(rough, other) + TINY
    assert upper(one, one) < TINY


@pytest.mark.parametrize("spec", ["rand", "rand:pairs=ordered", *DISTANCES])
@settings(max_examples=20)
@given(sides=two([ROUGH]))
def test_hausdorff_between_rough_clusterings(spec, sides):
    expected = by_definition.hausdorff(*map(sets_of, sides), distance_of(spec))
    result = pt.hausdorff(*sides, spec)
    assert result.lower - TINY <= expected <= result.upper + TINY
    assert result.method == "exact"
    assert same(result.lower, expected)
    assert same(result.upper, expected)
    assert same(pt.hausdorff(sides[0], sides[0], spec).upper, 0.0)
    # it never exceeds the upper end, nor falls below the lower one
    least, most = distance_ends(pt.distribution(*sides, spec, method="exact"), spec)
    assert least - TINY <= expected <= most + TINY


@settings(max_examples=20)
@given(data=st.data())
def test_hausdorff_is_a_metric_on_sets_of_clusterings(data):
    n = data.draw(st.integers(1, 4))
    a, b, c = (data.draw(small(ROUGH, n)) for _ in "abc")
    spec = data.draw(st.sampled_from(["rand", *DISTANCES]))

    def distance(one, other):
        return pt.hausdorff(one, other, spec).upper

    assert same(distance(a, b), distance(b, a))
    assert distance(a, c) <= distance(a, b) + distance(b, c) + TINY


def test_hausdorff_by_hand():
    """C(A) = {000, 001}, C(B) = {000}: from A the farthest is 001, at 2/3 by Rand and 1/3 by objects."""
    assert pt.hausdorff(A, B).upper == pytest.approx(2 / 3)
    assert pt.hausdorff(A, B, "classification_error").upper == pytest.approx(1 / 3)
    assert pt.hausdorff(A, A).upper == 0


@pytest.mark.parametrize("spec", ["rand", "classification_error", "variation_of_information"])
@settings(max_examples=20)
@given(data=st.data())
def test_theorem_4_the_upper_expectation_is_a_meta_metric(spec, data):
    n = data.draw(st.integers(1, 4))
    kinds = st.sampled_from([EVIDENTIAL, HARD, ROUGH, FUZZY])
    a, b, c = (data.draw(small(data.draw(kinds), n)) for _ in "abc")

    def upper(one, other):
        return distance_ends(pt.distribution(one, other, spec, method="exact"), spec)[1]

    assert same(upper(a, b), upper(b, a))
    assert upper(a, c) <= upper(a, b) + upper(b, c) + TINY
    assert upper(a, b) >= -TINY
    assert (upper(a, b) < TINY) == one_and_the_same(a, b)


A = pt.RoughPartition([[True, False], [True, False], [True, True]])
B = pt.RoughPartition([[True, False], [True, False], [True, False]])
C = pt.RoughPartition([[True, False], [True, False], [False, True]])


@pytest.mark.parametrize("as_kind", [lambda p: p, lambda p: _as_evidence(p)], ids=["rough", "evidential"])
def test_theorem_4_the_lower_expectation_is_none(as_kind):
    """Printed: E(d^l) satisfies (M1b) and (M2). But d^l(A, B) = 0 with A != B, and the triangle fails."""
    a, b, c = map(as_kind, (A, B, C))

    def ends(one, other):
        return distance_ends(pt.distribution(one, other, "rand", method="exact"), "rand")

    assert ends(a, b)[0] == 0
    assert ends(a, c)[0] == 0
    assert ends(b, c)[0] == pytest.approx(2 / 3)
    assert ends(b, c)[0] > ends(b, a)[0] + ends(a, c)[0]
    assert ends(a, a) == pytest.approx((0, 2 / 3))


def expected_rand(U, V):
    """Proposition 2, pair by pair: two objects agree when they are together in both or apart in both."""
    together = [W @ W.T for W in (U, V)]
    agree = together[0] * together[1] + (1 - together[0]) * (1 - together[1])
    n = len(U)
    return (agree.sum() - np.trace(agree)) / (n * (n - 1))


@settings(max_examples=30)
@given(sides=two([HARD, FUZZY], min_n=2))
def test_proposition_2(sides):
    assert same(
        pt.distribution(*sides, "rand", method="exact").mean, expected_rand(*map(_memberships, sides))
    )


def test_proposition_2_on_more_objects():
    rng = np.random.default_rng(8)
    U, V = rng.dirichlet(np.ones(3) / 2, 30), np.eye(3)[rng.integers(0, 3, 30)]
    crisp, soft = pt.HardPartition(V.argmax(axis=1).tolist()), pt.FuzzyPartition(U)
    result = pt.distribution(crisp, soft, "rand", method="exact")
    assert result.mean == pytest.approx(expected_rand(V, U), abs=TINY)
    values, shares = np.asarray(result.support), np.asarray(result.probabilities)
    assert shares.sum() == pytest.approx(1 - result.dropped, abs=TINY)
    assert result.dropped <= TINY
    assert values @ shares == pytest.approx(result.mean, abs=1e-8)
    assert math.sqrt(((values - result.mean) ** 2) @ shares) == pytest.approx(result.std, abs=1e-6)
    # both fuzzy: the mean has a closed form, whatever becomes of the law
    other = pt.FuzzyPartition(rng.dirichlet(np.ones(4), 30))
    result = pt.distribution(soft, other, "rand", n_samples=500, random_state=0)
    assert result.mean == pytest.approx(expected_rand(U, _memberships(other)), abs=TINY)


def test_proposition_3_corrected():
    """The least and the greatest of s drawn clusterings against the ends of the whole set.

    20,000 repetitions: an observed share is off its probability by more than 0.0215 with probability below
    2 exp(-2 * 20000 * 0.0215^2) < 2e-8 (Hoeffding), for each of the two shares that are looked at.
    """
    truth, found = [{0}, {0}, {1}, {1}], [{0, 1}] * 4
    counts, _ = by_definition.rough_values(truth, found, base("classification_error"))
    # of 16 labellings: 0011 and 1100; those with one object off; 0000, 1111 and four with two off
    assert counts == {0.0: 2, 0.25: 8, 0.5: 6}
    low, high = min(counts), max(counts)
    s, eps, repetitions = 3, 0.1, 20_000
    too_low = by_definition.share_at_most(counts, high - eps) ** s
    too_high = (1 - by_definition.share_at_most(counts, low + eps)) ** s
    assert (too_low, too_high) == pytest.approx(((10 / 16) ** 3, (14 / 16) ** 3))
    rng = np.random.default_rng(0)
    draws = rng.choice(list(counts), p=np.array(list(counts.values())) / 16, size=(repetitions, s))
    assert np.mean(high - draws.max(axis=1) >= eps) == pytest.approx(too_low, abs=0.0215)
    assert np.mean(draws.min(axis=1) - low >= eps) == pytest.approx(too_high, abs=0.0215)
    # as printed: 1 - (1 - F(eps - d^l))^s, no bound at all: what happens in 67 % of cases is said to in 33 %
    printed = 1 - (1 - by_definition.share_at_most(counts, eps - low)) ** s
    assert printed == pytest.approx(1 - (14 / 16) ** 3)
    assert printed < too_high - 0.3
    vague = pt.RoughPartition(np.ones((4, 2), dtype=bool))
    result = check(pt.HardPartition([0, 0, 1, 1]), vague, "classification_error")
    assert (result.lower, result.upper) == (0.0, 0.5)


@settings(max_examples=30)
@given(fuzzy=st.integers(1, 5).flatmap(lambda n: small(FUZZY, n)))
def test_a_fuzzy_clustering_is_at_a_distance_from_itself(fuzzy):
    """Trap 2: the two copies are independent."""
    for spec in ("classification_error", "variation_of_information"):
        result = pt.distribution(fuzzy, fuzzy, spec, method="exact")
        assert (result.mean > TINY) == (not one_and_the_same(fuzzy))
        assert (result.std > TINY_STD) == (not one_and_the_same(fuzzy))


def test_a_fuzzy_clustering_is_at_a_distance_from_itself_by_hand():
    half = pt.FuzzyPartition([[0.5, 0.5], [1.0, 0.0]])
    assert pt.distribution(half, half, "rand").mean == pytest.approx(0.5)


@settings(max_examples=40)
@given(sides=two(KINDS, min_n=2))
def test_ordered_pairs_shrink_the_rand_distance(sides):
    """Trap 1: (x, x) always agrees, so the ordered distance is (n - 1) / n times the distinct one."""
    n = sides[0].n_objects
    distinct, ordered = (pt.distribution(*sides, s, method="exact") for s in ("rand", "rand:pairs=ordered"))
    for name in ("lower", "upper", "mean"):
        assert same(1 - getattr(ordered, name), (n - 1) / n * (1 - getattr(distinct, name)))
    assert same(ordered.std, (n - 1) / n * distinct.std, TINY_STD)


# --- bounds and samples -----------------------------------------------------------------------------------


def ends_of(truth, found, spec):
    """Lower and upper end by enumeration, default options."""
    kinds = {truth.kind, found.kind} - {HARD}
    if kinds <= {ROUGH, POSSIBILISTIC}:
        sides = [by_definition.typicalities(p) for p in (truth, found)]
        possible, _ = by_definition.possibility(*sides, base(spec))
        return by_definition.cut_expectations(possible)
    focal, _ = by_definition.evidential_values(*map(by_definition.masses, (truth, found)), base(spec))
    return by_definition.expectations(focal)


def check_enclosure(result, lower, upper):
    for end, within, value in (
        (lower, result.lower_within, result.lower),
        (upper, result.upper_within, result.upper),
    ):
        assert within[0] - TINY <= end <= within[1] + TINY
        assert within[0] - TINY <= value <= within[1] + TINY
    assert result.gap >= 0


@pytest.mark.parametrize("spec", ["rand", "rand:pairs=ordered", "classification_error"])
@settings(max_examples=40)
@given(sides=two(KINDS))
def test_bounds_enclose_the_truth(spec, sides):
    options = {} if {FUZZY, EVIDENTIAL}.isdisjoint(p.kind for p in sides) else {"reading": "independent"}
    result = pt.distribution(*sides, spec, method="bound", **options)
    assert result.method in ("bound", "exact")
    check_enclosure(result, *ends_of(*sides, spec))


def drawn(kind, n=5, seed=0):
    """A stored clustering of a kind with a few soft objects."""
    rng = np.random.default_rng([seed, kind.softness])
    labels = rng.integers(0, 3, n)
    matrix = np.eye(3)[labels]
    if kind is HARD:
        return pt.HardPartition(labels.tolist())
    if kind is FUZZY:
        matrix[:3] = rng.dirichlet(np.ones(3), 3)
        return pt.FuzzyPartition(matrix)
    if kind is ROUGH:
        matrix[:3, 1:] = 1
        return pt.RoughPartition(matrix > 0)
    if kind is POSSIBILISTIC:
        matrix[:3] = [[1, 0.5, 0.25], [0.25, 0.75, 0.5], [0.5, 0.25, 1]]
        return pt.PossibilisticPartition(matrix)
    sets = [{0}, {1}, {2}, {0, 1}, {0, 1, 2}]
    masses = np.hstack([matrix, np.zeros((n, 2))])
    masses[:2] = rng.dirichlet(np.ones(5), 2)
    return pt.EvidentialPartition(masses, sets)


SAMPLED = [
    (HARD, FUZZY),
    (FUZZY, FUZZY),
    (HARD, ROUGH),
    (ROUGH, ROUGH),
    (HARD, POSSIBILISTIC),
    (HARD, EVIDENTIAL),
    (EVIDENTIAL, EVIDENTIAL),
    (FUZZY, ROUGH),
]


@pytest.mark.parametrize(
    "spec", ["rand", "adjusted_rand", "variation_of_information", "classification_error"]
)
@pytest.mark.parametrize(("kind", "other"), SAMPLED, ids=str)
def test_samples_enclose_the_truth(kind, other, spec):
    """Seeds are fixed; 32 pairs of intervals, each end off with probability 1e-9: all hold with 1 - 1e-7.

    Minima over drawn clusterings alone would not do: their mean is not the lower end.
    """
    sides = drawn(kind), drawn(other, seed=1)
    options = {"method": "sample", "n_samples": 2000, "confidence": 1 - 1e-9, "random_state": 0}
    result = pt.distribution(*sides, spec, **options)
    assert result.method in ("sampled", "bound", "exact")
    check_enclosure(result, *ends_of(*sides, spec))
    if spec != "rand":
        return
    again = pt.distribution(*sides, spec, **options)
    assert (again.lower, again.upper) == (result.lower, result.upper)
    assert (again.lower_within, again.upper_within) == (result.lower_within, result.upper_within)


@pytest.mark.parametrize(("kind", "other"), [(FUZZY, FUZZY), (HARD, EVIDENTIAL)], ids=str)
def test_the_number_of_samples_keeps_the_width_that_was_asked_for(kind, other):
    """Propositions 4 and 5, for an index between 0 and 1; it encloses the truth with 1 - 1e-7."""
    sides = drawn(kind), drawn(other, seed=1)
    result = pt.distribution(
        *sides, "rand", method="sample", epsilon=0.05, confidence=1 - 1e-7, random_state=1
    )
    for within in (result.lower_within, result.upper_within):
        assert within[1] - within[0] <= 2 * 0.05 + TINY
    check_enclosure(result, *ends_of(*sides, "rand"))


# --- the door ---------------------------------------------------------------------------------------------


def test_an_index_by_any_of_its_names():
    sides = drawn(HARD), drawn(ROUGH)
    for spellings in (
        ("rand", "RI", pt.indices.rand),
        ("adjusted_rand", "ARI", pt.indices.adjusted_rand),
        ("classification_error", "PD", pt.indices.classification_error),
    ):
        ends = {(r.lower, r.upper) for r in (pt.distribution(*sides, s) for s in spellings)}
        assert len(ends) == 1
    default = pt.distribution(*sides)
    assert (default.lower, default.upper) == (
        pt.distribution(*sides, "rand").lower,
        pt.distribution(*sides, "rand").upper,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"method": "guess"},
        {"tnorm": "drastic"},
        {"reading": "loud"},
        {"empty": "full"},
        {"noise": "loud"},
        {"confidence": 1.5},
        {"epsilon": 0},
        {"n_samples": 0},
    ],
    ids=str,
)
def test_options_that_do_not_exist(options):
    with pytest.raises(ParameterError):
        pt.distribution(drawn(HARD), drawn(POSSIBILISTIC), **options)


def test_noise_is_a_cluster_or_left_out_or_refused():
    """[0, 0, -1, 1]: as a cluster it counts in all pairs, left out only objects 0, 1 and 3 are compared."""
    noisy = pt.HardPartition([0, 0, -1, 1])
    rough = pt.RoughPartition([[True, False], [True, True], [False, True], [False, True]])
    check(noisy, rough, "rand")
    left = check(noisy.take([0, 1, 3]), rough.take([0, 1, 3]), "rand")
    ignored = pt.distribution(noisy, rough, "rand", noise="ignore")
    assert (ignored.lower, ignored.upper) == pytest.approx((left.lower, left.upper))
    assert (ignored.lower, ignored.upper) == pytest.approx((1 / 3, 1.0))
    with pytest.raises(PartitaError):
        pt.distribution(noisy, rough, "rand", noise="raise")


def test_other_mistakes():
    with pytest.raises(UnknownNameError):
        pt.distribution([0, 1], [0, 1], "no such index")
    with pytest.raises(MismatchError):
        pt.distribution([0, 1], pt.RoughPartition([[True, True]] * 3))


def test_too_large_for_an_exact_answer():
    rng = np.random.default_rng(0)
    sides = [pt.FuzzyPartition(rng.dirichlet(np.ones(6), 200)) for _ in "tf"]
    with pytest.raises(TooLargeError):
        pt.distribution(*sides, "adjusted_rand", method="exact")
    result = pt.distribution(*sides, "adjusted_rand", n_samples=200, random_state=0)
    assert result.method in ("sampled", "bound")
    assert result.lower_within[0] <= result.lower <= result.lower_within[1]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_results_can_be_looked_at(kind):
    result = pt.distribution(drawn(HARD), drawn(kind, seed=1), "rand", method="exact")
    assert len(result.to_frame())
    assert result.to_dict()
    assert "rand" in result.table().text()
    assert all(isinstance(note, str) for note in result.notes)
    assert isinstance(result.lower, float)
    assert isinstance(result.upper, float)
    assert result.cost is not None


# --- the reference itself ---------------------------------------------------------------------------------


def test_reference_by_hand():
    """Rand of two objects and one vague one: 00 and 01 against 00."""
    rand = base("rand")
    assert by_definition.completions([[True, False], [True, True]]) == [(0, 0), (0, 1)]
    assert by_definition.rough_values([{0}, {0, 1}], [{0}, {0}], rand) == ({1.0: 1, 0.0: 1}, 0)
    law, undefined = by_definition.fuzzy_law(np.array([[1, 0], [0.75, 0.25]]), np.array([[1.0], [1.0]]), rand)
    assert (law, undefined) == ({1.0: 0.75, 0.0: 0.25}, 0.0)
    assert by_definition.moments(law) == (0.75, math.sqrt(0.1875))
    assert by_definition.consonant([0.5, 0.75, 0.5]) == {
        frozenset({1}): 0.25,
        frozenset({0, 1, 2}): 0.5,
        frozenset(): 0.25,
    }
    assert by_definition.cut_expectations({1.0: 0.25, 2.0: 0.5, 4.0: 0.125}) == (1.5, 2.5)
    # above: cuts {2} on (1/4, 1/2], {1, 2} on (1/8, 1/4], all on (0, 1/8]; over 1/2:
    # lower 2/2 + 1/4 + 1/4, upper 2/2 + 2/4 + 4/4
    focal = {frozenset({0.0, 1.0}): 0.5, frozenset({0.5}): 0.25, frozenset({1.0}): 0.25}
    assert by_definition.expectations(focal) == (0.375, 0.875)
    assert by_definition.belief_at_most(focal, 0.5) == 0.25
    assert by_definition.plausibility_at_most(focal, 0.5) == 0.75
    assert by_definition.hausdorff([{0}, {0, 1}], [{0}, {0}], lambda a, b: 1 - rand(a, b)) == 1.0
    assert [by_definition.TNORMS[t]([0.75, 0.5]) for t in ("minimum", "product", "lukasiewicz")] == [
        0.5,
        0.375,
        0.25,
    ]


@settings(max_examples=15)
@given(sides=two(KINDS, max_n=4), spec=st.sampled_from(MAIN))
def test_references_agree_where_they_meet(sides, spec):
    """Laws and sets are evidence; possibilities by the minimum are rough problems, one for each level."""
    value = base(spec)
    kinds = {p.kind for p in sides} - {HARD}
    focal, undefined = by_definition.evidential_values(*map(by_definition.masses, sides), value)
    if kinds <= {FUZZY}:
        law, missing = by_definition.fuzzy_law(*map(_memberships, sides), value)
        assert focal.keys() == {frozenset({v}) for v in law}
        assert undefined == pytest.approx(missing)
        assert [focal[frozenset({v})] for v in law] == pytest.approx(list(law.values()))
    if kinds <= {ROUGH}:
        counts, _ = by_definition.rough_values(*map(sets_of, sides), value)
        assert not counts or focal == {frozenset(counts): 1.0}
    if kinds <= {ROUGH, POSSIBILISTIC}:
        P, Q = map(by_definition.typicalities, sides)
        possible, _ = by_definition.possibility(P, Q, value)
        for level in np.unique(np.r_[P.ravel(), Q.ravel()])[1:]:
            cut = {v for v, degree in possible.items() if degree >= level}
            rows = [by_definition.sets_of(level <= T) for T in (P, Q)]
            assert cut == set(by_definition.rough_values(*rows, value)[0])
