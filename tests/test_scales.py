"""Indices of data at every scale and offset: squares that overflow or vanish cost no digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from partita import drop_in
from partita.arrays import ORDINARY, binary_exponent
from partita.errors import ParameterError, PartitaError
from partita.indices.likelihood import aic, bic, icl, icl_map
from partita.indices.memberships import kwon
from partita.indices.scatter import calinski_harabasz, hartigan_log, r_squared, wb_index
from partita.indices.separation import davies_bouldin, dunn, generalized_dunn, xie_beni
from partita.indices.silhouettes import silhouette, silhouette_samples
from partita.inputs import prepare
from partita.partitions import DataMatrix, as_partition
from partita.registry import Index, indices
from partita.statistics import negentropy_parts
from partita.statistics.clusters.centroid_pairs import CentroidPair
from partita.statistics.clusters.mixtures import GivenMixture

EXPONENTS = [-1000, -540, -500, -100, 100, 500, 515, 1000]

DEGREES: dict[str, Any] = {
    "ssw": 2,
    "ssb": 2,
    "mse": 2,
    "ball_hall": 2,
    "rmsstd": 1,
    "rmsstd:variant=slide": 2,
    "fukuyama_sugeno": 2,
    "pbm_fuzzy": 2,
    "fuzzy_hypervolume": lambda _n, d: d,
    "average_partition_density": lambda _n, d: -d,
}
"""With which power of a factor of X an index grows; 0 where it is not named."""

SHIFTS: dict[str, Any] = {
    "marriott": lambda _n, d: 2 * d,
    "xu": lambda _n, d: d,
    "bic_partition": lambda n, d: 2 * n * d,
    "partition_negentropy": lambda _n, d: d,
}
"""How many logs of a factor of X are added to an index."""

NOT_OF_SCALE = {"stochastic_complexity"}  # of 0/1 data


def _with_every_choice(entry: Index) -> list[Index]:
    """The index with each choice of each option that has a list of them."""
    others = [
        entry.using(**{option: choice})
        for option, hint in entry.option_types.items()
        if get_origin(hint) is Literal
        for choice in get_args(hint)
        if choice != entry.options[option]
    ]
    return [entry, *others]


OF_DATA = [
    variant
    for entry in indices()
    if "X" in entry.inputs and "model" not in entry.inputs and entry.name not in NOT_OF_SCALE
    for variant in _with_every_choice(entry)
]


def _fact(facts: dict[str, Any], entry: Index, n: int, d: int) -> float:
    fact = facts.get(entry.label, facts.get(entry.name, 0))
    return fact(n, d) if callable(fact) else fact


def blobs(d: int, n: int = 90, k: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers with 20 binary places, so that offsets up to 2^30 are exact; labels and memberships."""
    rng = np.random.default_rng(d)
    labels = np.arange(n) % k
    X = rng.normal(size=(n, d)) + 4.0 * rng.normal(size=(k, d))[labels]
    U = rng.dirichlet(np.ones(k), n) + 3.0 * np.eye(k)[labels]
    return np.round(X * 2**20) / 2**20, labels, U / U.sum(axis=1, keepdims=True)


def value(entry: Index, X: Any, found: Any) -> tuple[float, Any]:
    """Value and caveats of an index of one clustering, or of a clustering against its reverse."""
    given = {"X": X, "truth": found[::-1], "found": found}
    return entry.value_for(prepare({name: given[name] for name in entry.inputs}), None)


def clusterings(entry: Index, labels: np.ndarray, U: np.ndarray) -> list[np.ndarray]:
    """Those of the two that the index is defined for."""
    sides = len([name for name in entry.inputs if name != "X"])
    return [found for found in (labels, U) if entry.range_of((as_partition(found).kind,) * sides) is not None]


# --- every index at every scale and offset -----------------------------------------------------------------


@pytest.mark.parametrize("entry", OF_DATA, ids=lambda e: e.label)
@pytest.mark.parametrize("d", [1, 3])
def test_a_power_of_two_changes_an_index_as_its_unit_says(entry, d):
    X, labels, U = blobs(d)
    for found in clusterings(entry, labels, U):
        base, _ = value(entry, X, found)
        assert math.isfinite(base)
        for exponent in EXPONENTS:
            got, reason = value(entry, np.ldexp(X, exponent), found)
            grows = _fact(DEGREES, entry, *X.shape) * exponent
            size = math.log2(abs(base)) + grows if base else 0.0
            if grows and abs(size) > 1030:  # beyond the range of numbers
                assert math.isnan(got)
                assert reason
            elif grows and abs(size) > 1000:
                assert math.isfinite(got) or reason
            else:
                wanted = math.ldexp(base, grows) + _fact(SHIFTS, entry, *X.shape) * exponent * math.log(2)
                assert got == pytest.approx(wanted, rel=1e-11, abs=0.0), (exponent, reason)


@pytest.mark.parametrize("entry", OF_DATA, ids=lambda e: e.label)
@pytest.mark.parametrize("d", [1, 3])
def test_an_offset_changes_nothing(entry, d):
    X, labels, U = blobs(d)
    for found in clusterings(entry, labels, U):
        base, _ = value(entry, X, found)
        for offset in (2.0**20, -(2.0**30), 2.0**31):
            assert value(entry, X + offset, found)[0] == pytest.approx(base, rel=1e-9), offset


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_given_distances_are_scaled_too(exponent):
    X, labels, _ = blobs(2)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    for entry in (silhouette, dunn, generalized_dunn):
        one = entry.using(metric="precomputed")
        assert one(np.ldexp(D, exponent), labels) == pytest.approx(entry(X, labels), rel=1e-12)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_what_stands_beside_the_indices_is_scaled_too(exponent):
    X, labels, _ = blobs(2)
    Y = np.ldexp(X, exponent)
    assert silhouette_samples(Y, labels) == pytest.approx(metrics.silhouette_samples(X, labels))
    assert drop_in.calinski_harabasz_score(Y, labels) == pytest.approx(
        metrics.calinski_harabasz_score(X, labels)
    )
    assert drop_in.davies_bouldin_score(Y, labels) == pytest.approx(metrics.davies_bouldin_score(X, labels))
    here, there = negentropy_parts(X, labels), negentropy_parts(Y, labels)
    assert there.negentropies == pytest.approx(here.negentropies, rel=1e-9)
    shift = 2 * exponent * math.log(2)
    assert there.conditional_entropy == pytest.approx(here.conditional_entropy + shift, rel=1e-9)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_bare_centres_are_scaled_too(exponent):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    here = CentroidPair.from_centers(A, B)
    there = CentroidPair.from_centers(np.ldexp(A, exponent), np.ldexp(B, exponent))
    assert np.array_equal(there.nearest_found, here.nearest_found)
    assert np.array_equal(there.nearest_truth, here.nearest_truth)
    assert there.unstable == here.unstable


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=6), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_mixture_of_any_data_has_a_likelihood_or_a_reason(numbers, near):
    X = np.array(numbers)[:, None]
    means = X[:2] if near else np.zeros((2, 1))
    for variance in (1e-300, 1.0, 1e300):
        model = GivenMixture([0.5, 0.5], means, np.full((2, 1, 1), variance))
        inputs = prepare({"X": X, "model": model})
        for entry in (aic, bic, icl, icl_map):
            got, reason = entry.value_for(inputs, None)
            assert math.isfinite(got) or reason, entry.name


def test_a_ratio_too_large_for_a_number_is_not_taken_for_no_scatter():
    X = [[0.0], [1.0], [2e154]]
    assert drop_in.calinski_harabasz_score(X, [0, 0, 1]) == math.inf
    assert drop_in.calinski_harabasz_score([[0.0], [0.0], [2e154]], [0, 0, 1]) == 1.0


# --- numbers of many scales at once ------------------------------------------------------------------------


def _sums_of_squares(X: list[float], labels: list[int]) -> tuple[Fraction, Fraction]:
    """SSW and SSB of one feature, exactly."""
    values = [Fraction(x) for x in X]
    mean = sum(values) / len(values)
    within = between = Fraction(0)
    for j in set(labels):
        own = [x for x, label in zip(values, labels, strict=True) if label == j]
        center = sum(own) / len(own)
        within += sum((x - center) ** 2 for x in own)
        between += len(own) * (center - mean) ** 2
    return within, between


def _log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)


@given(
    st.lists(
        st.tuples(st.integers(1, 1000), st.integers(-450, 450)), min_size=3, max_size=8, unique=True
    ).filter(lambda xs: len({math.ldexp(m, e) for m, e in xs}) == len(xs))
)
@settings(max_examples=150, deadline=None)
def test_sums_of_squares_of_many_scales_are_right(numbers):
    X = sorted(math.ldexp(mantissa, exponent) for mantissa, exponent in numbers)
    labels = [0] * (len(X) - 1) + [1]
    within, between = _sums_of_squares(X, labels)
    data = [[x] for x in X]
    assert hartigan_log(data, labels) == pytest.approx(_log(between / within), rel=1e-9, abs=1e-9)
    assert r_squared(data, labels) == pytest.approx(float(between / (within + between)), rel=1e-9)
    ratio = between / within * (len(X) - 2)
    if ratio < Fraction(10) ** 300:
        assert calinski_harabasz(data, labels) == pytest.approx(float(ratio), rel=1e-9)
        assert wb_index(data, labels) == pytest.approx(float(2 * within / between), rel=1e-9)
    wide, gap = Fraction(X[-2]) - Fraction(X[0]), Fraction(X[-1]) - Fraction(X[-2])
    assert dunn(data, labels) == pytest.approx(float(gap / wide), rel=1e-9)


@given(st.lists(st.integers(-1070, 1023), min_size=1, max_size=6))
def test_scaling_is_exact_and_leaves_ordinary_numbers_alone(exponents):
    X = np.array([[math.ldexp(1.0, e)] for e in exponents])
    e = binary_exponent(X)
    assert (e == 0) == all(abs(exponent) <= ORDINARY for exponent in exponents)
    kept = [exponent for exponent in exponents if max(exponents) - exponent < 1400]
    scaled = DataMatrix(X).scaled[[exponent in kept for exponent in exponents], 0]
    assert np.array_equal(np.frexp(scaled)[1] - 1 + e, kept)
    assert binary_exponent(np.full((1, 1), 3e38, dtype=np.float32)) == 0


def test_two_clusters_close_together_and_one_far_off():
    near = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [4.0, 4.0], [5.0, 4.0], [4.0, 5.0]])
    labels = np.repeat([0, 1, 2], 3)
    for offset in (2.0**20, 2.0**40, 2.0**45):
        X = np.vstack([near + offset, near[:3]])
        exact = [[Fraction(x) for x in row] for row in X]
        apart = math.dist((1 / 3, 1 / 3), (13 / 3, 13 / 3))
        scatter = (math.sqrt(2) / 3 + 2 * math.sqrt(5) / 3) / 3
        alone = 2 * scatter / math.sqrt(2) / offset  # the far cluster's part, up to a share of 1 / offset
        wanted = (2 * 2 * scatter / apart + alone) / 3
        assert davies_bouldin(X, labels) == pytest.approx(wanted, rel=1e-6 if offset < 2**30 else 1e-11)
        assert generalized_dunn(X, labels, delta=4, diameter=3) == pytest.approx(apart / (2 * scatter))
        within = sum(
            min(sum((a - sum(c) / 3) ** 2 for a, c in zip(x, zip(*own, strict=True), strict=True))
                for own in (exact[:3], exact[3:6], exact[6:]))
            for x in exact
        )  # fmt: skip
        assert xie_beni(X, labels) == pytest.approx(float(within / 9 / 32), rel=1e-12)


def test_memberships_of_two_clusters_close_together_far_off():
    # the third cluster is one object, so nothing but the two near ones decides the ratio
    near = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [4.0, 4.0], [5.0, 4.0], [4.0, 5.0]])
    U = np.zeros((7, 3))
    U[:6, 0] = [0.9, 0.8, 1.0, 0.0, 0.25, 0.5]
    U[:6, 1] = 1.0 - U[:6, 0]
    U[6, 2] = 1.0
    here = xie_beni(np.vstack([near, [[64.0, 64.0]]]), U)
    for offset in (2.0**20, 2.0**40, 2.0**45):
        X = np.vstack([near + offset, [[0.0, 0.0]]])
        assert xie_beni(X, U) == pytest.approx(here, rel=1e-10)
        assert kwon(X, U) * 9 > offset  # the charge for the centre far off


# --- powers of distances -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [60, 25_000])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3, 1e-200, 1e200])
@pytest.mark.parametrize("power", [3.0, 300.0, 1e5])
def test_large_powers_of_distances_do_not_vanish(n, scale, power):
    X, labels, _ = blobs(2, n)
    centers = np.array([X[labels == j].mean(axis=0) for j in range(3)])
    gaps = np.abs(X - centers[labels])
    euclidean = np.sqrt((gaps**2).sum(axis=1))
    widest = np.array([euclidean[labels == j].max() for j in range(3)])
    shares = [np.mean((euclidean[labels == j] / widest[j]) ** power) ** (1 / power) for j in range(3)]
    apart = np.linalg.norm(centers[:, None] - centers, axis=2) + np.diag([np.inf] * 3)
    wanted = np.mean([max((widest[i] * shares[i] + widest * shares) / apart[i]) for i in range(3)])
    assert davies_bouldin(X * scale, labels, q=power) == pytest.approx(wanted, rel=1e-9)
    largest = gaps.max(axis=1)
    norms = largest * ((gaps / largest[:, None]) ** power).sum(axis=1) ** (1 / power)
    means = np.array([norms[labels == j].mean() for j in range(3)])
    between = np.abs(centers[:, None] - centers)
    far = np.maximum(between.max(axis=2), 1e-300)
    apart = far * ((between / far[:, :, None]) ** power).sum(axis=2) ** (1 / power) + np.diag([np.inf] * 3)
    wanted = np.mean([max((means[i] + means) / apart[i]) for i in range(3)])
    assert davies_bouldin(X * scale, labels, p=power) == pytest.approx(wanted, rel=1e-9)


# --- what has no value is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "X"),
    [
        ("jensenshannon", [[0.1, -0.2], [0.3, 0.4], [0.5, 0.5], [1.0, 0.0]]),
        ("jensenshannon", [[0.1, 0.2], [0.0, 0.0], [0.5, 0.5], [1.0, 0.0]]),
        ("dice", [[0.1, -0.2], [0.3, 0.4], [0.5, 0.5], [1.0, 0.0]]),
        ("yule", [[2.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
        ("braycurtis", [[1.0, 1.0], [-1.0, -1.0], [2.0, 1.0], [1.0, 3.0]]),
        ("cosine", [[0.0, 0.0], [-1.0, -1.0], [2.0, 1.0], [1.0, 3.0]]),
    ],
)
def test_a_metric_that_does_not_measure_these_data_is_refused(metric, X):
    from partita.indices.density import dbcv

    for entry in (silhouette, dunn, dbcv):
        with pytest.raises(ParameterError, match=metric):
            entry(X, [0, 0, 1, 1], metric=metric)


def value_or_refusal(entry: Index, X: np.ndarray, labels: np.ndarray) -> tuple[float, Any]:
    """Value and caveats; nan and the words of the error where the index refuses the data."""
    try:
        return value(entry, X, labels)
    except PartitaError as refusal:
        return math.nan, str(refusal)


METRICS = ["braycurtis", "canberra", "chebyshev", "correlation", "cosine", "hamming", "jensenshannon", "dice",
           "mahalanobis", "minkowski", "seuclidean", "sqeuclidean", "cityblock"]  # fmt: skip


any_numbers = st.lists(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=2), min_size=4, max_size=7
)


@pytest.mark.parametrize("examples", [100, pytest.param(300, marks=pytest.mark.full)])
def test_any_numbers_and_any_metric_give_a_value_or_a_reason(examples):
    @settings(max_examples=examples)
    @given(any_numbers, st.sampled_from(METRICS))
    def hold(rows, metric):
        labels = np.arange(len(rows)) // 2
        for entry in OF_DATA:
            chosen = entry.using(metric=metric) if "metric" in entry.options else entry
            got, reason = value_or_refusal(chosen, np.array(rows), labels)
            assert math.isfinite(got) or reason, chosen.label
            assert "bug" not in reason, chosen.label

    hold()


def test_the_labels_of_parts_may_lie_far_apart():
    X, labels, _ = blobs(2)
    far = negentropy_parts(X, np.where(labels == 2, 10**15, labels))
    assert far.negentropies == pytest.approx(negentropy_parts(X, labels).negentropies)
