"""Moments of soft clusters by matrix products: the same as by the definition, or not taken."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.statistics import ClusterMoments, ClusterScatter
from partita.statistics.clusters.moment_products import _ROWS_IN_CACHE, moments_by_products
from partita.statistics.clusters.moments import PRODUCT_ROWS

N, D, K = PRODUCT_ROWS + 1001, 4, 3


def data(offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, D)) @ rng.normal(size=(D, D)) + offset, rng.dirichlet(np.ones(K), N)


def by_definition(X, U, weight, power):
    counted = (U**power * (1.0 if weight is None else weight[:, None])).astype(np.longdouble)
    wide = X.astype(np.longdouble)
    weights = counted.sum(axis=0)
    centers = counted.T @ wide / weights[:, None]
    away = wide[:, None, :] - centers
    return weights, centers, np.einsum("ij,ijf,ijg->jfg", counted, away, away)


@pytest.mark.parametrize("power", [1.0, 1.7, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_moments_are_those_of_the_definition(power, weighted, offset):
    X, U = data(offset)
    weight = np.random.default_rng(1).integers(1, 4, N) if weighted else None
    weights, centers, scatter = by_definition(X, U, weight, power)
    found = pt.as_partition(U)
    made = ClusterScatter.from_block(X, found, weight, power=power)
    poorer = ClusterMoments.from_block(X, found, weight, power=power)
    sizes = (U * (1.0 if weight is None else weight[:, None])).sum(axis=0)
    for one in (made, poorer):
        np.testing.assert_allclose(one.weights, weights.astype(float), rtol=1e-13)
        np.testing.assert_allclose(one.sizes, sizes, rtol=1e-12)
        np.testing.assert_allclose(one.centers, centers.astype(float), rtol=1e-12, atol=1e-13)
        within = np.einsum("jff->j", scatter).astype(float)
        np.testing.assert_allclose(one.within, within, rtol=1e-12)
    size = float(np.abs(scatter).max())
    np.testing.assert_allclose(made.scatter, scatter.astype(float), rtol=0, atol=1e-12 * size)


def test_narrow_clusters_far_apart_are_left_to_the_slower_way():
    X, U = data()
    found = U.argmax(axis=1)
    X = 1e-4 * X + 10.0 * found[:, None]
    U = 0.999999999999 * np.eye(K)[found] + 1e-12 / K
    for scatter in (False, True):
        assert moments_by_products(X, U, None, 2.0, scatter=scatter) is None
    _, _, scatter = by_definition(X, U, None, 2.0)
    made = ClusterScatter.from_block(X, pt.as_partition(U))
    np.testing.assert_allclose(made.scatter, scatter.astype(float), rtol=1e-9)


def test_clusters_that_none_of_the_first_objects_is_in_are_left_to_the_slower_way():
    X, U = data()
    U[:_ROWS_IN_CACHE] = [0.5, 0.5, 0.0]
    assert moments_by_products(X, U, None, 2.0, scatter=False) is None
    empty = np.column_stack([U[:, :2].sum(axis=1), U[:, 2], np.zeros(N)])
    assert moments_by_products(X, empty, None, 2.0, scatter=True) is None
    made = ClusterMoments.from_block(X, pt.FuzzyPartition(empty))
    assert made.filled.tolist() == [True, True, False]


def test_a_constant_feature_has_no_scatter_at_all():
    X, U = data()
    X[:, 2] = 5.1
    made = moments_by_products(X, U, None, 2.0, scatter=True)
    assert made is not None
    assert not made.scatter[:, 2].any()
    assert (made.origins[:, 2] + made.offsets[:, 2] == 5.1).all()
