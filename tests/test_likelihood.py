"""AIC, BIC, ICL of mixtures and the partition negentropy: references, scikit-learn, the law of EM, limits."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.mixture import GaussianMixture

import partita as pt
import strategies
from partita.errors import KindError, ParameterError, UndefinedIndexError, UndefinedIndexWarning
from partita.indices.likelihood import aic, bic, icl, icl_map, partition_negentropy
from partita.partitions import FuzzyPartition, HardPartition, RoughPartition
from partita.statistics.clusters import mixtures
from partita.statistics.clusters.mixtures import (
    GaussianComponents,
    GivenMixture,
    MixtureFit,
    negentropy_parts,
)
from reference import WITNESS
from reference.likelihood import REFERENCE_OF_DATA, REFERENCE_OF_MODEL

OF_MODEL = (aic, bic, icl, icl_map)
TYPES = ("full", "tied", "diag", "spherical")
quiet = pytest.mark.filterwarnings("ignore::partita.errors.UndefinedIndexWarning")
paper = partition_negentropy.using(min_points=0)


def three_clusters(n=120, seed=0):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]])
    labels = np.repeat(np.arange(3), n)
    return centers[labels] + rng.normal(size=(3 * n, 2)) * [1.0, 0.6], labels


def fitted(kind="full", k=3, **options):
    X, _ = three_clusters()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return X, GaussianMixture(k, covariance_type=kind, random_state=0, **options).fit(X)


@st.composite
def points_and(draw, partition):
    """Odd quarters: ties and repeated points, but never a column of whole numbers."""
    n = draw(st.integers(1, 10))
    d = draw(st.integers(1, 3))
    grid = st.lists(st.integers(0, 4), min_size=d, max_size=d)
    X = np.array(draw(st.lists(grid, min_size=n, max_size=n)), dtype=float) / 2 + 0.25
    return X, draw(partition(n))


either = st.one_of(points_and(strategies.hard), points_and(strategies.fuzzy))


def memberships(partition):
    return np.asarray(partition.memberships(), dtype=float)


# --- mixtures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", OF_MODEL, ids=lambda e: e.name)
@pytest.mark.parametrize("kind", TYPES)
def test_criteria_of_a_mixture_equal_their_reference(entry, kind):
    X, model = fitted(kind)
    assert entry(X, model) == pytest.approx(REFERENCE_OF_MODEL[entry.name](X, model), rel=1e-11)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("k", [1, 2, 4])
def test_aic_and_bic_are_those_of_scikit_learn(kind, k):
    X, model = fitted(kind, k)
    assert aic(X, model) == pytest.approx(model.aic(X), rel=1e-12)
    assert bic(X, model) == pytest.approx(model.bic(X), rel=1e-12)
    assert MixtureFit.from_whole(X, model).n_parameters == model._n_parameters()


def test_a_soft_entropy_charges_at_least_what_the_largest_share_does():
    X, model = fitted(k=4)
    assert bic(X, model) < icl_map(X, model) < icl(X, model)


def test_one_component_has_no_overlap():
    X, model = fitted(k=1)
    assert icl(X, model) == icl_map(X, model) == bic(X, model)


@pytest.mark.parametrize("entry", [*OF_MODEL, partition_negentropy], ids=lambda e: e.name)
def test_examples_have_their_value(entry):
    for example in entry.examples:
        assert entry(*example.inputs, **example.options) == pytest.approx(example.value, abs=1e-12)


@pytest.mark.parametrize("entry", OF_MODEL, ids=lambda e: e.name)
def test_weights_of_objects_are_repetitions(entry):
    X, model = fitted()
    weight = np.random.default_rng(1).integers(0, 4, len(X))
    assert entry(X, model, sample_weight=weight) == pytest.approx(
        entry(np.repeat(X, weight, axis=0), model), rel=1e-12
    )


@pytest.mark.parametrize("entry", OF_MODEL, ids=lambda e: e.name)
def test_the_size_of_blocks_does_not_matter(entry, monkeypatch):
    X, model = fitted()
    whole = entry(X, model)
    monkeypatch.setattr(mixtures, "BLOCK_CELLS", 20)
    assert entry(X, model) == pytest.approx(whole, rel=1e-12)


def test_single_precision_and_other_order_of_components():
    X, model = fitted()
    turned = GivenMixture(model.weights_[::-1], model.means_[::-1], model.covariances_[::-1])
    for entry in OF_MODEL:
        assert entry(X, turned) == pytest.approx(entry(X, model), rel=1e-12)
        assert entry(X.astype(np.float32), model) == pytest.approx(entry(X, model), rel=1e-5)
    assert partition_negentropy(X, turned) == pytest.approx(partition_negentropy(X, model), rel=1e-12)


@quiet
def test_a_mixture_without_a_density_has_no_likelihood():
    flat = GivenMixture([1.0], [[0.0, 0.0]], [[[1.0, 1.0], [1.0, 1.0]]])
    assert math.isnan(icl(np.zeros((3, 2)), flat))
    far = GivenMixture([1.0], [[0.0]], [1e-300], "spherical")
    assert math.isnan(bic([[1e10], [2e10]], far))
    with pytest.raises(UndefinedIndexError, match="no likelihood"):
        aic([[1e10], [2e10]], far, on_undefined="raise")


def test_a_weightless_component_changes_nothing_but_the_parameters():
    X, model = fitted(k=2)
    with_nothing = GivenMixture(
        [*model.weights_, 0.0], [*model.means_, [9.0, 9.0]], [*model.covariances_, np.eye(2)]
    )
    assert aic(X, with_nothing) == pytest.approx(aic(X, model) + 2 * 6, rel=1e-12)
    assert partition_negentropy(X, with_nothing) == pytest.approx(partition_negentropy(X, model), rel=1e-12)


def test_what_is_no_mixture_is_refused():
    X, labels = three_clusters()
    with pytest.raises(KindError, match="partition_negentropy"):
        bic(X, labels)
    for wrong in ({"covariances_": np.eye(2)}, {"covariance_type": "round"}, {"weights_": [1.0]}):
        parameters = {"weights_": [0.5, 0.5], "means_": [[0.0], [1.0]], "covariances_": np.ones((2, 1, 1))}
        with pytest.raises(ParameterError, match="mixture of Gaussians"):
            GivenMixture(**(parameters | wrong))


# --- the partition negentropy ----------------------------------------------------------------------------


@quiet
@given(drawn=either)
def test_partition_negentropy_equals_its_reference(drawn):
    X, found = drawn
    expected = REFERENCE_OF_DATA["partition_negentropy"](X, memberships(found), min_points=0)
    np.testing.assert_allclose(paper(X, found), expected, rtol=1e-9, atol=1e-9)


@quiet
@given(drawn=either, ridge=st.sampled_from([1e-6, 0.1]))
def test_a_ridge_is_a_share_of_the_variances(drawn, ridge):
    X, found = drawn
    expected = REFERENCE_OF_DATA["partition_negentropy"](X, memberships(found), min_points=0, ridge=ridge)
    np.testing.assert_allclose(paper(X, found, ridge=ridge), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_at_a_fixed_point_of_em_it_is_icl_without_the_charge_for_parameters(k, seed):
    X, _ = three_clusters(seed=seed)
    model = GaussianMixture(k, reg_covar=0, tol=1e-13, max_iter=20_000, random_state=seed).fit(X)
    n, d = X.shape
    p = k * (d * (d + 1) // 2 + d + 1) - 1
    pnc = partition_negentropy(X, model, min_points=0)
    expected = 2 * n * pnc + p * math.log(n) + n * d * math.log(2 * math.pi * math.e)
    assert icl(X, model) == pytest.approx(expected, rel=1e-6)
    # there the moments of the responsibilities are the parameters
    of_partition = partition_negentropy(X, model.predict_proba(X), min_points=0)
    assert of_partition == pytest.approx(pnc, abs=1e-5)


def test_a_mixture_is_judged_by_its_own_parameters_for_every_covariance_type():
    for kind in TYPES:
        X, model = fitted(kind)
        determinants = [math.log(np.linalg.det(S)) for S in GivenMixture.of(model).covariance_matrices()]
        w = model.weights_
        assert partition_negentropy(X, model) == pytest.approx(
            0.5 * w @ determinants - w @ np.log(w), rel=1e-12
        )


def test_an_affine_map_shifts_every_value_alike():
    X, labels = three_clusters()
    A = np.array([[2.0, 1.0], [-0.5, 300.0]])
    shift = math.log(abs(np.linalg.det(A)))
    for found in (labels, np.zeros(len(X), dtype=int), labels // 2):
        assert partition_negentropy(X @ A + 1e4, found) == pytest.approx(
            partition_negentropy(X, found) + shift, abs=1e-8
        )


@quiet
def test_small_components_are_not_scored_unless_the_caller_says_so():
    X, labels = three_clusters(40)
    labels[:30] = 3  # cluster 0 keeps ten objects
    assert math.isnan(partition_negentropy(X, labels))
    assert math.isnan(partition_negentropy(X, labels, min_points=11))
    assert math.isfinite(partition_negentropy(X, labels, min_points=10))
    with pytest.raises(UndefinedIndexError, match=r"fewer objects than min_points.*holds 10 objects"):
        partition_negentropy(X, labels, on_undefined="raise")


@pytest.mark.parametrize(
    ("min_points", "caveat"),
    [
        (None, "the smallest component holds 10 objects; min_points is 25"),
        (0, "the smallest component holds 10 objects; min_points is 0 (by default 25)"),
        (30, "the smallest component holds 10 objects; min_points is 30"),
    ],
)
def test_the_caveat_says_when_the_floor_mattered(min_points, caveat):
    X, labels = three_clusters(40)
    labels[:30] = 3
    assert GaussianComponents.from_whole(X, HardPartition(labels), min_points=min_points).how == caveat


def test_no_caveat_where_all_components_are_large_enough():
    X, labels = three_clusters(40)
    assert GaussianComponents.from_whole(X, HardPartition(labels)).how == ""
    fuzzy = FuzzyPartition(np.tile([0.5, 0.5], (50, 1)))
    assert GaussianComponents.from_whole(X[:50], fuzzy).how == ""
    assert GaussianComponents.from_whole(np.tile(X, 30), HardPartition(labels)).default_floor == 61


@quiet
@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[0.5], [1.5]], [0, 1]),  # k = n
        ([[0.5], [0.5], [1.5]], [0, 0, 1]),  # repeated points
        ([[0.1, 0.5], [0.1, 1.5], [0.1, 9.5]], [0, 0, 0]),  # a constant feature
        ([[0.1, 0.2, 0.3], [1.4, 0.5, 0.6]], [0, 0]),  # d > n
        ([[0.3, 0.6], [0.1, 0.2], [0.7, 1.4], [0.9, 1.8]], [0, 0, 0, 0]),  # collinear
        ([[0.5]], [0]),
    ],
)
def test_flat_components_have_no_value(X, labels):
    assert math.isnan(paper(X, labels))
    with pytest.raises(UndefinedIndexError, match="singular"):
        paper(X, labels, on_undefined="raise")


@given(drawn=either, data=st.data())
@quiet
def test_weights_and_names_of_a_partition(drawn, data):
    X, found = drawn
    weight = data.draw(strategies.integer_weights(len(X)))
    repeated = found.take(np.repeat(np.arange(len(X)), weight))
    expected = paper(np.repeat(X, weight, axis=0), repeated)
    np.testing.assert_allclose(paper(X, found, sample_weight=weight), expected, rtol=1e-12, atol=1e-12)


def test_blocks_precision_and_sparse_memberships(monkeypatch):
    X, labels = three_clusters()
    rng = np.random.default_rng(0)
    soft = rng.dirichlet([1.0, 1.0, 0.2], len(X))
    soft = np.where(soft > 0.05, soft, 0.0)
    soft /= soft.sum(axis=1, keepdims=True)
    for found in (labels, soft):
        whole = partition_negentropy(X, found)
        assert partition_negentropy(X.astype(np.float32), found) == pytest.approx(whole, rel=1e-6)
        with monkeypatch.context() as patch:
            patch.setattr(mixtures.ClusterScatter, "block_rows", staticmethod(lambda *_: 17))
            assert partition_negentropy(X, found) == pytest.approx(whole, rel=1e-12)
    turned = FuzzyPartition(csr_array(soft[:, ::-1]))
    assert partition_negentropy(X, turned) == pytest.approx(partition_negentropy(X, soft), rel=1e-12)
    empty = np.column_stack([soft, np.zeros(len(X))])
    assert partition_negentropy(X, empty) == pytest.approx(partition_negentropy(X, soft), rel=1e-12)


@pytest.mark.parametrize("options", [{"min_points": -1}, {"min_points": 2.5}, {"ridge": -1.0}])
def test_bad_options_are_refused(options):
    X, labels = three_clusters()
    with pytest.raises(ParameterError):
        partition_negentropy(X, labels, **options)


def test_features_of_few_whole_numbers_are_refused_by_name():
    X, labels = three_clusters()
    X = np.column_stack([X, labels % 2])
    with pytest.raises(ParameterError, match="column 2 of X has only the values 0, 1") as caught:
        partition_negentropy(X, labels)
    assert "stochastic_complexity" in caught.value.fix
    with pytest.raises(ParameterError, match="not continuous"):
        partition_negentropy([[0], [1]], [0, 0], sample_weight=[7, 3])


@quiet
@pytest.mark.parametrize(
    "column", [np.arange(360) % 11, np.zeros(360), np.tile([0.5, 1.0], 180), np.r_[np.arange(9), [9.5] * 351]]
)
def test_other_features_are_not_refused(column):
    X, labels = three_clusters()
    partition_negentropy(np.column_stack([X, column]), labels)


# --- its parts -------------------------------------------------------------------------------------------


def test_the_parts_add_up_to_the_criterion():
    X, model = fitted()
    for found in (model, model.predict(X), model.predict_proba(X)):
        parts = negentropy_parts(X, found)
        constant = math.log(2 * math.pi * math.e)  # d / 2 = 1
        expected = partition_negentropy(X, found) + constant
        assert parts.size_entropy + parts.conditional_entropy == pytest.approx(expected, rel=1e-12)
        assert parts.negentropy == pytest.approx(parts.weights @ parts.negentropies)
        assert (parts.negentropies >= 0).all()
    assert negentropy_parts(X, model.predict(X)).overlap == 0
    assert negentropy_parts(X, model).overlap == pytest.approx(
        MixtureFit.from_whole(X, model).overlap / len(X)
    )


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_gaussian_cluster_has_no_negentropy(d):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(3000, d)) @ rng.normal(size=(d, d)) * 50
    parts = negentropy_parts(X, np.zeros(len(X), dtype=int))
    assert 0 <= parts.negentropies[0] < 0.1
    assert 0 < parts.errors[0] < 0.05


@pytest.mark.parametrize(
    ("sample", "entropy_at_unit_scale", "variance"),
    [
        (lambda rng, n: rng.uniform(size=n), 0.0, 1 / 12),
        (lambda rng, n: rng.laplace(size=n), 1 + math.log(2), 2.0),
        (lambda rng, n: rng.exponential(size=n), 1.0, 1.0),
    ],
    ids=["uniform", "laplace", "exponential"],
)
def test_other_clusters_have_the_negentropy_of_their_law(sample, entropy_at_unit_scale, variance):
    X = sample(np.random.default_rng(0), 5000)[:, None]
    expected = 0.5 * math.log(2 * math.pi * math.e * variance) - entropy_at_unit_scale
    parts = negentropy_parts(3.0 * X + 7.0, np.zeros(len(X), dtype=int))
    assert expected > 0
    assert parts.negentropies[0] == pytest.approx(expected, abs=4 * parts.errors[0] + 0.01)


def test_two_gaussians_in_one_cluster_are_no_gaussian_and_memberships_tell_them_apart():
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(-4, 1, 3000), rng.normal(4, 1, 3000)])[:, None]
    truth = GivenMixture([0.5, 0.5], [[-4.0], [4.0]], [1.0, 1.0], "spherical")
    assert negentropy_parts(X, np.zeros(len(X), dtype=int)).negentropy > 0.5
    assert (negentropy_parts(X, truth).negentropies < 0.05).all()
    near = np.concatenate([rng.normal(-1, 1, 3000), rng.normal(1, 1, 3000)])[:, None]
    overlapping = GivenMixture([0.5, 0.5], [[-1.0], [1.0]], [1.0, 1.0], "spherical")
    soft = negentropy_parts(near, overlapping)
    assert (soft.negentropies < 0.05).all()
    assert soft.overlap > 0.2


def test_clusters_without_a_density_have_no_negentropy():
    X, labels = three_clusters()
    X[labels == 1] = X[labels == 1][0]
    labels[:2] = 3
    parts = negentropy_parts(X, labels)
    assert np.isnan(parts.negentropies[[1, 3]]).all()
    assert np.isfinite(parts.negentropies[[0, 2]]).all()
    repeated = np.repeat(three_clusters()[0], 6, axis=0)
    assert np.isnan(negentropy_parts(repeated, np.zeros(len(repeated), dtype=int)).negentropies).all()


def test_parts_of_other_things_are_refused():
    X, labels = three_clusters()
    with pytest.raises(ParameterError, match="hard or fuzzy"):
        negentropy_parts(X, RoughPartition([[True, True], [True, False]] * 180))
    with pytest.raises(ParameterError, match="hard or fuzzy"):
        negentropy_parts(X, labels[:-1])
    with pytest.raises(ParameterError, match="neighbour"):
        negentropy_parts(X, labels, neighbors=0)


# --- the two terms of the partition negentropy, as indices ------------------------------------------------


def test_the_two_terms_are_the_parts_of_the_partition_negentropy():
    rng = np.random.default_rng(2)
    X = np.vstack([rng.normal(0, 1, (150, 2)), rng.uniform(4, 7, (150, 2))])
    model = pt.cluster.GaussianMixtureEM(2, random_state=0).fit(X)
    for found in (model.partition_, model.labels_):
        parts = negentropy_parts(X, found)
        assert pt.indices.partition_overlap(found) == pytest.approx(parts.overlap, abs=1e-12)
        assert pt.indices.cluster_negentropy(X, found) == pytest.approx(parts.negentropy, abs=1e-12)
    assert pt.indices.partition_overlap(model.partition_) == pt.indices.partition_entropy(model.partition_)


@pytest.mark.parametrize("neighbors", [1, 4, 6])
def test_the_mean_negentropy_is_its_definition(neighbors):
    rng = np.random.default_rng(5)
    X, U = rng.normal(size=(50, 3)) ** 3, rng.dirichlet([0.4] * 3, 50)
    options = {"neighbors": neighbors, "min_points": 0}
    entry = pt.indices.cluster_negentropy.using(**options)
    assert entry(X, U) == pytest.approx(WITNESS["cluster_negentropy"](X, U, **options), abs=1e-10)
    labels = rng.integers(0, 3, 50)
    assert entry(X, labels) == pytest.approx(
        WITNESS["cluster_negentropy"](X, np.eye(3)[labels], **options), abs=1e-10
    )
    assert entry(1e6 * X - 3.0, U) == pytest.approx(entry(X, U), abs=1e-9)


def test_a_gaussian_cluster_has_no_negentropy_and_two_of_them_in_one_have():
    rng = np.random.default_rng(0)
    one = rng.normal(size=(2000, 2))
    two = np.vstack([one, one + 8.0])
    assert pt.indices.cluster_negentropy(one, np.zeros(2000, dtype=int)) < 0.07
    # two far clusters in one Gaussian: by hand log |S| grows by log(1 + 32), J by half of that less log 2
    together = pt.indices.cluster_negentropy(two, np.zeros(4000, dtype=int))
    assert together == pytest.approx(0.5 * math.log(33) - math.log(2), abs=0.08)
    assert pt.indices.cluster_negentropy(two, np.repeat([0, 1], 2000)) < 0.07


def test_where_the_mean_negentropy_has_no_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = np.repeat([0, 1], [50, 10])
    with pytest.warns(UndefinedIndexWarning, match="fewer objects than min_points"):
        assert math.isnan(pt.indices.cluster_negentropy(X, labels))
    assert math.isfinite(pt.indices.cluster_negentropy(X, labels, min_points=0))
    with pytest.warns(UndefinedIndexWarning, match="copies of a point"):
        assert math.isnan(
            pt.indices.cluster_negentropy(np.repeat(X[:12], 5, axis=0), np.zeros(60, dtype=int))
        )
    weight = np.full(60, 1.5)
    with pytest.warns(UndefinedIndexWarning, match="whole numbers"):
        assert math.isnan(pt.indices.cluster_negentropy(X, np.zeros(60, dtype=int), sample_weight=weight))
    weight = rng.integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    assert pt.indices.cluster_negentropy(X, labels, min_points=0, sample_weight=weight) == pytest.approx(
        pt.indices.cluster_negentropy(X[rows], labels[rows], min_points=0), abs=1e-12
    )
    for odd in (0, 2.5, -1, "four"):
        with pytest.raises(ParameterError, match="neighbors"):
            pt.indices.cluster_negentropy.using(neighbors=odd)
