"""choose_k over k and covariance shapes: BIC of each, evidence in words, ties, flaws, uncertainty."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline

import partita as pt
from partita.cluster import FuzzyCMeans, GaussianMixtureEM
from partita.errors import ParameterError, UnknownNameError
from partita.selection import ChoiceOfK, CovarianceShapes
from partita.selection.covariance_shapes import MixtureOfShape, grade
from partita.statistics.clusters.mixtures import GivenMixture, free_parameters

IRIS = load_iris().data
ALL = ["full", "diag", "tied", "spherical"]


def quick(method, ks=(1, 2, 3), data=IRIS, **options):
    given = {"n_runs": 2, "structure": False, "random_state": 0, **options}
    return pt.choose_k(data, method, ks, **given)


@pytest.fixture(scope="module")
def iris():
    return quick(GaussianMixtureEM(), range(1, 5), covariance_type=ALL)


def test_bic_is_that_of_each_shape_alone_and_as_published(iris):
    at = {(m.shape, m.k): m for m in iris.shapes.mixtures}
    assert set(at) == {(shape, k) for shape in ALL for k in (1, 2, 3, 4)}
    for shape in ALL:
        alone = quick(GaussianMixtureEM(covariance_type=shape), range(1, 5), indices=["bic"])
        assert [at[shape, k].bic for k in range(1, 5)] == list(alone.curves["bic"].values)
    # as mclust 5 prints mclustBIC(iris[, 1:4]) for VVV (full) and EEE (tied), with the sign turned
    assert at["full", 1].bic == pytest.approx(829.9782, abs=1e-3)
    assert at["full", 2].bic == pytest.approx(574.0178, abs=1e-3)
    assert at["tied", 2].bic == pytest.approx(688.0972, abs=1e-3)
    assert iris.shapes.best.shape == "full"
    assert iris.shapes.best.k == 2


def test_the_result_is_the_sweep_of_the_best_shape(iris):
    alone = quick(GaussianMixtureEM(covariance_type="full"), range(1, 5))
    for part in ("curves", "choices", "votes", "selected", "verdict"):
        assert iris.to_dict()[part] == alone.to_dict()[part]
    assert iris.model.covariance_type == "full"
    assert iris.shapes.statement in iris.notes
    best = next(table for table in iris.more() if table.title.startswith("best by BIC"))
    assert len(best.rows) == 3
    assert [row[3] for row in best.rows] == sorted(row[3] for row in best.rows)
    assert best.rows[0][3] == 0


def test_scikit_learns_mixture_is_swept_too():
    found = quick(GaussianMixture(), (1, 2), covariance_type=["full", "spherical"])
    for m in found.shapes.mixtures:
        fits = [
            GaussianMixture(m.k, covariance_type=m.shape, random_state=f.seed).fit(IRIS)
            for f in found.fits
            if f.k == m.k
        ]
        best = max(fits, key=lambda fit: fit.lower_bound_)
        assert m.bic == pytest.approx(best.bic(IRIS))
        assert m.parameters == best._n_parameters()


def test_pipelines_of_mixtures_count_the_features_that_they_see():
    found = quick(make_pipeline(PCA(2), GaussianMixtureEM()), (2,), covariance_type=["full", "diag"])
    assert [m.parameters for m in found.shapes.mixtures] == [
        free_parameters("full", 2, 2),
        free_parameters("diag", 2, 2),
    ]
    assert found.model_at(2).steps[-1][1].covariance_type == found.shapes.best.shape


def test_parameters_are_counted_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    for shape in ALL:
        model = GaussianMixture(3, covariance_type=shape).fit(rng.normal(size=(40, 4)))
        assert free_parameters(shape, 3, 4) == model._n_parameters() == GivenMixture.of(model).n_parameters


# --- evidence -----------------------------------------------------------------------------------------


def shapes(*rows):
    return CovarianceShapes(mixtures=tuple(MixtureOfShape(*row) for row in rows))


@pytest.mark.parametrize(
    ("difference", "word"),
    [
        (0.0, "weak"),
        (2.0, "weak"),
        (2.1, "positive"),
        (6.0, "positive"),
        (9.9, "strong"),
        (10.1, "very strong"),
    ],
)
def test_evidence_is_graded_as_by_raftery(difference, word):
    assert grade(difference) == word
    made = shapes(("full", 2, 100.0, 11), ("full", 3, 100.0 + difference, 17))
    assert f": {word} evidence" in made.statement


def test_ties_go_to_the_simpler_mixture():
    tie = shapes(("full", 2, 100.0, 11), ("diag", 2, 101.9, 9), ("spherical", 2, 102.1, 7))
    assert tie.best.shape == "diag"
    assert "1.9 above the lowest (full, k = 2)" in tie.statement
    assert "9 parameters against 11" in tie.statement
    assert [m.shape for m in tie.ranked] == ["diag", "full", "spherical"]
    same = shapes(("tied", 1, 50.0, 5), ("full", 1, 49.5, 5))
    assert same.best.shape == "full"


def test_the_largest_k_tried_is_said():
    assert "largest tried" in shapes(("full", 1, 9.0, 2), ("full", 2, 1.0, 5)).statement
    assert "largest tried" not in shapes(("full", 1, 1.0, 2), ("full", 2, 9.0, 5)).statement


def test_collapsed_mixtures_do_not_win():
    made = shapes(("full", 2, -900.0, 11, "1 component at the floor of variance"), ("diag", 2, 5.0, 9))
    assert made.best.shape == "diag"
    assert "does not count" in str(made)
    assert shapes(("full", 2, -900.0, 11, "1 component at the floor of variance")).best is None
    assert shapes(("full", 2, math.nan, 11)).best is None
    copies = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), np.full((8, 2), 9.0)])
    found = quick(GaussianMixtureEM(), (1, 2), copies, covariance_type=["full", "tied"])
    at = {(m.shape, m.k): m for m in found.shapes.mixtures}
    assert at["full", 2].flaw
    assert at["full", 2].bic == min(m.bic for m in found.shapes.mixtures)
    assert found.shapes.best is not at["full", 2]


def test_bic_is_compared_also_where_it_has_no_vote():
    found = quick(GaussianMixtureEM(), (1, 2, 3), covariance_type=ALL[:2], indices=["silhouette"])
    assert list(found.choices) == ["silhouette"]
    assert found.shapes.best == quick(GaussianMixtureEM(), (1, 2, 3), covariance_type=ALL[:2]).shapes.best


def test_shapes_are_written_read_and_resumed(iris, tmp_path):
    read = ChoiceOfK.from_dict(json.loads(iris.write("json")))
    assert read.shapes.mixtures == iris.shapes.mixtures
    assert read.shapes.statement == iris.shapes.statement
    assert list(iris.shapes.to_frame().columns)[:3] == ["covariance_type", "k", "bic"]
    options = {"covariance_type": ["full", "diag"], "checkpoint": tmp_path}
    once = quick(GaussianMixtureEM(), (1, 2), **options)
    assert {p.name for p in tmp_path.iterdir()} == {"full", "diag"}
    again = quick(GaussianMixtureEM(), (1, 2), **options)
    assert again.to_dict() == once.to_dict() == quick(
        GaussianMixtureEM(), (1, 2), covariance_type=["full", "diag"]
    ).to_dict()  # fmt: skip


def test_one_shape_is_a_sweep_of_its_own():
    found = quick(GaussianMixtureEM(), (1, 2), covariance_type="diag")
    assert found.shapes is None
    assert found.to_dict() == quick(GaussianMixtureEM(covariance_type="diag"), (1, 2)).to_dict()


def test_what_has_no_shape_is_refused():
    with pytest.raises(ParameterError) as problem:
        quick(KMeans(n_init=1), covariance_type=["full"])
    assert problem.value.parameter == "covariance_type"
    with pytest.raises(UnknownNameError):
        quick(GaussianMixtureEM(), covariance_type=["ful"])
    with pytest.raises(ParameterError):
        quick(GaussianMixtureEM(), covariance_type=[])
    with pytest.raises(ParameterError):
        quick(None, covariance_type=["full", "diag"], search="stepwise")


# --- uncertainty --------------------------------------------------------------------------------------


def test_uncertainty_is_one_minus_the_largest_membership(iris):
    expected = 1.0 - iris.model_at(3).predict_proba(IRIS).max(axis=1)
    np.testing.assert_allclose(iris.uncertainty_at(3), expected, rtol=0, atol=1e-12)
    assert iris.k is not None
    np.testing.assert_array_equal(iris.uncertainty, iris.uncertainty_at(iris.k))
    assert (iris.uncertainty_at(1) == 0).all()
    soft = quick(FuzzyCMeans(), (2, 3), indices=["xie_beni"])
    expected = 1.0 - soft.model_at(3).memberships_.max(axis=1)
    np.testing.assert_allclose(soft.uncertainty_at(3), expected, rtol=0, atol=1e-12)
    with pytest.raises(ParameterError):
        soft.uncertainty_at(9)


def test_hard_clusterings_have_no_uncertainty():
    with pytest.raises(ParameterError):
        quick(KMeans(n_init=1), (2, 3), indices=["CH"]).uncertainty_at(2)
