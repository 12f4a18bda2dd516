"""Ways to perturb data, what carries a clustering over to other objects, and data without structure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from partita.cluster import FuzzyCMeans, GaussianMixtureEM, PossibilisticCMeans, RandomSwap
from partita.errors import ParameterError
from partita.fits.models import carried_over
from partita.resampling import Bootstrap, Noise, Rerun, Subsample, normal_like, uniform_like

X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 20, axis=0)
NEW = np.random.default_rng(1).normal(scale=4, size=(40, 2))
seeds = st.integers(0, 2**32 - 1)


# --- schemes ----------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.floats(0.01, 1), seeds)
def test_a_subsample_has_its_share_of_objects_each_once(n, share, seed):
    drawn = Subsample(share).draw(X[:n], 0.0, np.random.default_rng(seed))
    assert (np.diff(drawn.rows) > 0).all()
    assert len(drawn.rows) in (max(1, int(share * n)), round(share * n))
    np.testing.assert_array_equal(drawn.X, X[drawn.rows])


@pytest.mark.parametrize(
    ("share", "n", "size"), [(0.3, 10, 3), (0.29, 100, 29), (0.3, 1, 1), (1, 7, 7), (0.5, 7, 3)]
)
def test_sizes_of_subsamples(share, n, size):
    assert len(Subsample(share).draw(np.zeros((n, 1)), 0.0, np.random.default_rng(0)).rows) == size


@given(st.integers(2, 60), st.floats(0.01, 0.5), seeds)
def test_two_subsamples_up_to_a_half_have_no_object_in_common(n, share, seed):
    rng = np.random.default_rng(seed)
    first = Subsample(share).draw(X[:n], 0.0, rng)
    second = Subsample(share).draw_another(X[:n], first, 0.0, rng)
    assert not set(first.rows) & set(second.rows)
    assert len(first.rows) == len(second.rows)


def test_two_large_subsamples_are_drawn_each_on_its_own():
    rng = np.random.default_rng(0)
    first = Subsample(0.8).draw(X, 0.0, rng)
    second = Subsample(0.8).draw_another(X, first, 0.0, rng)
    assert len(second.rows) == 48
    assert set(second.rows) != set(first.rows)


def test_every_object_is_drawn_equally_often():
    rng, times = np.random.default_rng(0), np.zeros(20)
    for _ in range(2000):
        times[Subsample(0.3).draw(X[:20], 0.0, rng).rows] += 1
    assert np.abs(times - 600).max() < 5 * np.sqrt(2000 * 0.3 * 0.7)


def test_a_bootstrap_draws_as_many_objects_with_repetitions():
    rng = np.random.default_rng(0)
    drawn = Bootstrap().draw(X, 0.0, rng)
    assert len(drawn.rows) == 60
    np.testing.assert_array_equal(drawn.X, X[drawn.rows])
    distinct = [len(np.unique(Bootstrap().draw(X, 0.0, rng).rows)) for _ in range(500)]
    expected = 60 * (1 - (1 - 1 / 60) ** 60)
    assert np.mean(distinct) == pytest.approx(expected, abs=5 * np.std(distinct) / np.sqrt(500))


def test_noise_has_the_scale_of_the_deviation_within_clusters():
    wide = np.tile([5.0, -5.0], (4000, 1))
    moved = Noise(0.5).draw(wide, 3.0, np.random.default_rng(0))
    assert (moved.rows == np.arange(4000)).all()
    assert (moved.X - wide).std() == pytest.approx(1.5, rel=0.05)
    assert (moved.X - wide).mean() == pytest.approx(0.0, abs=0.1)


def test_clusters_without_width_get_no_noise():
    np.testing.assert_array_equal(Noise().draw(X, 0.0, np.random.default_rng(0)).X, X)


def test_a_rerun_leaves_the_data_alone():
    drawn = Rerun().draw(X, 1.0, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn.X, X)
    assert (drawn.rows == np.arange(60)).all()


@pytest.mark.parametrize("scheme", [Subsample, Noise])
@pytest.mark.parametrize("value", [0, -0.3, float("nan"), float("inf"), "0.3", None, True, [0.3]])
def test_shares_and_scales_that_make_no_sense_are_refused(scheme, value):
    with pytest.raises(ParameterError) as refused:
        scheme(value)
    assert refused.value.got == repr(value)
    assert refused.value.need


def test_a_share_above_one_is_refused():
    with pytest.raises(ParameterError, match="share"):
        Subsample(2)


# --- carried over -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        RandomSwap(3, random_state=0),
        KMeans(3, n_init=1),
        make_pipeline(StandardScaler(), KMeans(3, n_init=1)),
    ],
)
def test_a_hard_model_predicts_labels(model):
    model.fit(X)
    np.testing.assert_array_equal(carried_over(model, X, NEW).labels, model.predict(NEW))


@pytest.mark.parametrize(
    "model",
    [
        GaussianMixture(3, random_state=0),
        make_pipeline(StandardScaler(), GaussianMixture(3, random_state=0)),
        GaussianMixtureEM(3, random_state=0),
        FuzzyCMeans(3, random_state=0),
    ],
)
def test_a_fuzzy_model_predicts_memberships_ours_and_theirs(model):
    model.fit(X)
    np.testing.assert_array_equal(carried_over(model, X, NEW).memberships(), model.predict_proba(NEW))


def test_a_possibilistic_model_predicts_labels():
    model = PossibilisticCMeans(3, random_state=0).fit(X)
    np.testing.assert_array_equal(carried_over(model, X, NEW).labels, model.predict(NEW))


def test_who_cannot_predict_gives_the_label_of_the_nearest_object():
    model = AgglomerativeClustering(3).fit(X)
    nearest = ((NEW[:, None] - X) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(carried_over(model, X, NEW).labels, model.labels_[nearest])


def test_a_pipeline_measures_nearness_as_its_last_step_does():
    stretched, new = X * [1, 1000], NEW * [1, 1000]
    model = make_pipeline(StandardScaler(), AgglomerativeClustering(3)).fit(stretched)
    scaled, scaled_new = model[0].transform(stretched), model[0].transform(new)
    nearest = ((scaled_new[:, None] - scaled) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(carried_over(model, stretched, new).labels, model[-1].labels_[nearest])


# --- data without structure -------------------------------------------------------------------------------


def turned(n, angle=0.7):
    """A long cloud, turned, away from the origin."""
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.random.default_rng(0).normal(size=(n, 2)) * [10, 1] @ turn.T + 100


def test_uniform_data_fill_the_box_of_the_principal_axes():
    data = turned(500)
    drawn = uniform_like(data, np.random.default_rng(1))
    axes = np.linalg.eigh(np.cov(data.T))[1]
    for axis in axes.T:
        low, high = (data @ axis).min(), (data @ axis).max()
        along = (drawn @ axis - low) / (high - low)
        assert drawn.shape == data.shape
        assert along.min() > -1e-9
        assert along.max() < 1 + 1e-9
        assert np.abs(np.sort(along) - np.linspace(0, 1, 500)).max() < 1.95 / np.sqrt(
            500
        )  # Kolmogorov, 0.001


def test_normal_data_have_the_mean_and_the_covariances():
    data = turned(200)
    drawn = np.concatenate([normal_like(data, np.random.default_rng(seed)) for seed in range(100)])
    spread = np.linalg.cholesky(np.linalg.inv(np.cov(data.T)))
    whitened = (drawn - data.mean(axis=0)) @ spread
    assert np.abs(whitened.mean(axis=0)).max() < 5 / np.sqrt(20_000)
    assert np.abs(np.cov(whitened.T) - np.eye(2)).max() < 5 * np.sqrt(2 / 20_000)


@pytest.mark.parametrize("like", [uniform_like, normal_like])
@pytest.mark.parametrize("data", [np.ones((5, 3)), np.zeros((1, 2)), np.eye(3, 40), np.arange(4.0)[:, None]])
def test_data_that_fill_no_space_have_a_null_too(like, data):
    drawn = like(data, np.random.default_rng(0))
    assert drawn.shape == data.shape
    assert np.isfinite(drawn).all()
    assert np.linalg.matrix_rank(drawn - data.mean(axis=0), tol=1e-9) <= np.linalg.matrix_rank(
        data - data.mean(axis=0), tol=1e-9
    )
