"""Features that dominate the distances, and scales that give all features equal weight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA

import partita as pt
from partita.errors import ParameterError
from partita.partitions import DataMatrix
from partita.partitions.scales import dominance, scaled_data

RNG = np.random.default_rng(0)
CUSTOMERS = pd.DataFrame(
    {
        "euros": RNG.lognormal(8, 0.5, 200),
        "food": RNG.random(200),
        "weekend": RNG.random(200),
    }
)
FAR_APART = RNG.normal(size=(90, 2)) + np.repeat([[0, 0], [500, 0], [1000, 0]], 30, axis=0)
COMPONENTS = PCA().fit_transform(RNG.normal(size=(50, 3)) * [1000, 10, 0.1])


def test_euros_drown_shares_and_the_share_is_that_of_the_squared_distances():
    found = dominance(DataMatrix(CUSTOMERS))
    assert (found.features, found.drowned) == (("euros",), ("food", "weekend"))
    values = CUSTOMERS.to_numpy()
    euros, all_of_them = (pdist(columns, "sqeuclidean").sum() for columns in (values[:, :1], values))
    assert found.share == pytest.approx(euros / all_of_them, rel=1e-12)
    assert 'scale="standard"' in found.text


@pytest.mark.parametrize(
    ("name", "X"),
    [
        ("one feature", RNG.normal(size=(50, 1))),
        ("alike", RNG.normal(size=(50, 4)) * [1, 2, 3, 4]),
        ("constant columns", np.c_[RNG.normal(size=(50, 2)), np.ones(50)]),
        ("all equal", np.ones((50, 3))),
        ("clusters far apart along one feature", FAR_APART),
        ("principal components", COMPONENTS),
        ("two objects", np.array([[0.0, 0.0], [1e6, 1.0]])),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_where_nothing_is_to_be_said(name, X):
    assert dominance(DataMatrix(X)) is None


def test_many_objects_give_the_same_answer_as_few():
    rng = np.random.default_rng(1)
    plain = rng.normal(size=(25_000, 3))
    assert dominance(DataMatrix(plain)) is None
    mixed = plain * [1e5, 1.0, 1.0]
    found = dominance(DataMatrix(mixed))
    variances = mixed.var(axis=0)
    assert set(found.drowned) == {"column 1", "column 2"}
    assert found.share == pytest.approx(variances[0] / variances.sum(), rel=1e-12)  # of all, not of a part
    assert dominance(DataMatrix(PCA().fit_transform(mixed))) is None


@given(st.integers(-300, 300))
def test_units_of_the_whole_do_not_matter(power):
    values = CUSTOMERS.to_numpy()
    one, other = dominance(DataMatrix(values)), dominance(DataMatrix(np.ldexp(values, power)))
    assert one == other


@pytest.mark.parametrize("scale", ["standard", "robust"])
def test_scaled_features_have_the_same_say(scale):
    data, scaler = scaled_data(DataMatrix(CUSTOMERS), scale)
    values = CUSTOMERS.to_numpy()
    if scale == "standard":
        expected = (values - values.mean(axis=0)) / values.std(axis=0)
    else:
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        expected = (values - middle) / (high - low)
    np.testing.assert_allclose(data.values, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaler.inverse_transform(data.values), values, rtol=1e-9)
    assert dominance(data) is None
    assert scaled_data(data, None) == (data, None)


@pytest.mark.parametrize("scale", ["Standard", "", 1, ["standard"], True])
def test_no_such_scale(scale):
    with pytest.raises(ParameterError, match="no such scale") as problem:
        scaled_data(DataMatrix(CUSTOMERS), scale)
    assert problem.value.parameter == "scale"


@pytest.mark.parametrize(
    "call",
    [
        lambda X, **o: pt.choose_k(X, ks=[2, 3], n_runs=1, structure=False, n_splits=0, random_state=0, **o),
        lambda X, **o: pt.stability(X, ks=[2, 3], n_repeats=2, random_state=0, **o),
        lambda X, **o: pt.selection.structure(X, n_null=5, random_state=0, **o),
        lambda X, **o: pt.validate(X, np.arange(200) % 3, **o),
    ],
    ids=["choose_k", "stability", "structure", "validate"],
)
def test_every_procedure_says_so_and_can_scale(call):
    raw, scaled = call(CUSTOMERS), call(CUSTOMERS, scale="standard")
    assert "scale" in {remark.kind.value for remark in raw.remarks}
    assert "euros" in str(raw)
    assert "scale" not in {remark.kind.value for remark in scaled.remarks}
    assert "standard" in str(scaled.provenance["scale"]).lower()


def test_centres_are_in_the_units_of_the_data_and_the_model_takes_them():
    X = CUSTOMERS.assign(euros=np.repeat([100.0, 5000.0], 100) + RNG.normal(size=200))
    options = {"structure": False, "random_state": 0}
    choice = pt.choose_k(X, pt.cluster.RandomSwap(), [1, 2, 3], n_runs=1, scale="standard", **options)
    centres = choice.centers(2)
    assert list(centres.columns) == ["euros", "food", "weekend"]
    np.testing.assert_allclose(sorted(centres["euros"]), [100, 5000], atol=1)
    own = pt.choose_k(X, scale="standard", **options)
    assert own.k == 2
    for model in (choice.model_at(2), own.model):
        assert pt.indices.ARI(np.repeat([0, 1], 100), model.predict(X)) == 1.0
