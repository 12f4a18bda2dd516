"""How data are measured: square tables that ask, condensed distances, metrics by name, functions, Gower's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist, squareform

import partita as pt
from command_runs import runner
from partita.errors import ParameterError, TooLargeError
from partita.statistics.distances import measured_data as door
from partita.statistics.distances.principal_coordinates import principal_coordinates


def cityblock(a, b):
    return float(np.abs(a - b).sum())


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0), np.repeat(
        [0, 1, 2], 20
    )


@pytest.fixture(scope="module")
def iris():
    data = pt.datasets.load("iris")
    return np.asarray(data.X, dtype=float), np.asarray(data.labels)


PROCEDURES = {
    "validate": lambda X, y, **ways: pt.validate(X, y, **ways),
    "choose": lambda X, y, **ways: pt.choose(X, {"a": y, "b": y > 0}, random_state=0, **ways),
    "choose_k": lambda X, y, **ways: pt.choose_k(X, random_state=0, **ways),
    "stability": lambda X, y, **ways: pt.stability(X, ks=[2, 3], n_repeats=3, random_state=0, **ways),
    "structure": lambda X, y, **ways: pt.structure(X, n_null=19, random_state=0, **ways),
    "report": lambda X, y, **ways: pt.reports.analyse(X, n_repeats=2, bootstrap=0, **ways)[0],
}


@pytest.mark.parametrize("name", PROCEDURES)
def test_a_square_symmetric_table_asks(name, blobs):
    X, y = blobs
    with pytest.raises(ParameterError, match="may be the distances between objects") as caught:
        PROCEDURES[name](squareform(pdist(X)), y)
    assert caught.value.parameter == "metric"
    assert 'metric="precomputed"' in caught.value.fix
    assert 'metric="euclidean"' in caught.value.fix


def test_the_silhouette_of_distances_and_of_their_rows(iris):
    """Read as features, the distances of Iris have a silhouette of 0.56; as what they are, 0.50."""
    X, y = iris
    D = squareform(pdist(X))
    with pytest.raises(ParameterError, match="may be the distances"):
        pt.validate(D, y)
    with pytest.raises(ParameterError, match="may be the distances"):
        pt.indices.silhouette(D, y)
    wanted = pt.indices.silhouette(X, y)
    assert round(wanted, 2) == 0.50
    as_features = pt.validate(D, y, metric="euclidean", indices=["silhouette"])["silhouette"].value
    assert round(as_features, 2) == 0.56
    for given in (D, pdist(X), list(pdist(X)), pd.DataFrame(D)):
        found = pt.validate(given, y, metric="precomputed", indices=["silhouette"])
        assert found["silhouette"].value == pytest.approx(wanted, abs=1e-12)
    assert pt.indices.silhouette(pdist(X), y, metric="precomputed") == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("X", "asks"),
    [
        ([[0, 1, 1], [1, 0, 0], [1, 0, 0]], True),  # an adjacency matrix
        (csr_array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]), True),
        (pd.DataFrame([[1, 2.0, 3], [2, 1, 4], [3, 4, 1]]), True),
        (np.eye(3), True),
        ([[0, 1, 1], [1, 0, 0], [1, 0.5, 0]], False),  # not symmetric
        ([[0, 1, 1], [1, 2, 0], [1, 0, 0]], False),  # another diagonal
        (np.zeros((4, 4)), False),  # equal objects, whatever they are
        ([[0, 1], [1, 0]], False),
        ([[0.0], [1.0], [2.0]], False),
    ],
)
def test_which_tables_ask(X, asks):
    if asks:
        with pytest.raises(ParameterError, match="may be the distances"):
            door.refuse_square(X)
    else:
        door.refuse_square(X)


def test_condensed_distances_say_how_many_they_must_be():
    with pytest.raises(ParameterError, match="distances of all pairs") as caught:
        pt.validate(np.arange(5.0), [0, 0, 1], metric="precomputed")
    assert "n (n - 1) / 2" in caught.value.need
    with pytest.raises(ParameterError) as caught:
        pt.validate(np.arange(3.0), [0, 0, 1])
    assert 'metric="precomputed"' in caught.value.fix


@pytest.mark.parametrize("name", ["choose", "choose_k", "stability", "report", "validate"])
def test_a_metric_by_name_is_that_of_its_distances(name, blobs):
    X, y = blobs
    made = {
        "name": PROCEDURES[name](X, y, metric="cityblock"),
        "function": PROCEDURES[name](X, y, metric=cityblock),
        "distances": PROCEDURES[name](pdist(X, "cityblock"), y, metric="precomputed"),
    }
    assert len({str(one.statement) for one in made.values()}) == 1
    assert "distances between objects by the metric cityblock" in made["function"].notes
    if name == "validate":
        wanted = made["name"]["silhouette"].value
        assert made["function"]["silhouette"].value == pytest.approx(wanted, abs=1e-12)
        left_out = {one.index: one.reason for one in made["function"].left_out}
        assert "centres" in left_out["davies_bouldin"]
    elif name != "stability":
        assert made["function"].k == 3


def test_gower_judges_a_table_with_words(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(town=np.array(["Ulm", "Bonn", "Jena"])[y])
    D = pt.gower_distances(frame)
    wanted = pt.indices.silhouette(D, y, metric="precomputed")
    assert pt.validate(frame, y, metric="gower")["silhouette"].value == wanted
    assert pt.indices.silhouette(frame, y, metric="gower") == wanted
    assert pt.choose_k(frame, metric="gower", random_state=0).k == 3
    shuffled = pd.Series(y, index=frame.index).sample(frac=1.0, random_state=0)
    assert pt.validate(frame, shuffled, metric="gower")["silhouette"].value == pytest.approx(
        wanted, abs=1e-12
    )
    with pytest.raises(ParameterError, match="divide each column by its range"):
        pt.validate(frame, y, metric="gower", scale="standard")


def test_the_scale_comes_before_the_distances(blobs):
    X, y = blobs
    X = X * [1.0, 1000.0]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    found = pt.validate(X, y, metric=cityblock, scale="standard", indices=["silhouette"])
    wanted = pt.indices.silhouette(Z, y, metric="cityblock")
    assert found["silhouette"].value == pytest.approx(wanted, abs=1e-12)


def test_objects_with_gaps_are_left_out(blobs):
    X, y = blobs
    X = X.copy()
    X[7, 1] = np.nan
    kept = np.delete(np.arange(60), 7)
    wanted = pt.indices.silhouette(X[kept], y[kept], metric="cityblock")
    found = pt.validate(X, y, metric=cityblock, missing="drop", indices=["silhouette"])
    assert found["silhouette"].value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda a, b: "far", "metric failed"),
        (lambda a, b: 1 / 0, "metric failed"),
        (lambda a, b: -1.0, "returned no distance"),
        (lambda a, b: np.nan, "returned no distance"),
        (lambda a, b: max(0.0, float(a[0] - b[0])), "other way round"),
        (lambda a, b: 1.0, "itself is not 0"),
        ("no such", "no such metric"),
        (7, "no such metric"),
        (["euclidean"], "no such metric"),
    ],
)
def test_bad_metrics(metric, message, blobs):
    X, y = blobs
    with pytest.raises(ParameterError, match=message) as caught:
        pt.validate(X, y, metric=metric)
    assert caught.value.got
    assert caught.value.need


@pytest.mark.parametrize(
    ("D", "message"),
    [
        ([[0, -1, 2], [-1, 0, 2], [2, 2, 0]], "negative"),
        ([[0, 1, 2], [2, 0, 2], [2, 2, 0]], "not symmetric"),
        ([[1, 1, 2], [1, 0, 2], [2, 2, 0]], "itself is not 0"),
        ([[0, 1, 2], [2, 0, 2]], "square"),
    ],
)
@pytest.mark.parametrize("name", PROCEDURES)
def test_what_are_no_distances(name, D, message):
    with pytest.raises(ParameterError, match=message):
        PROCEDURES[name](D, np.array([0, 0, 1]), metric="precomputed")


def test_what_needs_centres_is_refused(blobs):
    from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering

    X, y = blobs
    D = squareform(pdist(X))
    ways = {"metric": "precomputed", "random_state": 0}
    with pytest.raises(ParameterError, match="has centres") as caught:
        pt.choose_k(D, indices=["davies_bouldin"], **ways)
    assert "davies_bouldin" in str(caught.value)
    with pytest.raises(ParameterError, match="cannot be computed"):
        pt.choose(D, {"a": y, "b": y > 0}, indices=["xie_beni"], **ways)
    with pytest.raises(ParameterError, match="centres"):
        pt.validate(D, y, metric="precomputed", indices=["davies_bouldin"])
    with pytest.raises(ParameterError, match="needs the features"):
        pt.stability(D, indices=["CI"], **ways)
    with pytest.raises(ParameterError, match="noise is added"):
        pt.stability(D, scheme=pt.resampling.Noise(), **ways)
    for method in (KMeans(), SpectralClustering(affinity="precomputed"), AgglomerativeClustering()):
        with pytest.raises(ParameterError, match="take distances between objects for features"):
            pt.choose_k(D, method, **ways)
    average = AgglomerativeClustering(metric="precomputed", linkage="average")
    found = pt.choose_k(D, average, ks=[2, 3, 4], **ways)
    assert found.k == 3
    steady = pt.stability(D, average, ks=[2, 3], n_repeats=3, strategy="transfer", **ways)
    assert steady.values("adjusted_rand", 3).min() == 1.0


def test_structure_of_euclidean_distances_is_that_of_the_points(blobs):
    X, _ = blobs
    found = principal_coordinates(squareform(pdist(X)))
    np.testing.assert_allclose(pdist(found.values), pdist(X), atol=1e-9)
    assert found.share == pytest.approx(1.0)
    tested = pt.structure(pdist(X), metric="precomputed", n_null=19, random_state=0)
    assert tested.dimensions == 2
    for metric in ("cityblock", "gower"):
        with pytest.raises(ParameterError, match="cannot be tested for structure"):
            pt.structure(pd.DataFrame(X), metric=metric)
    bits = np.random.default_rng(0).integers(0, 2, (60, 5)).astype(float)
    with pytest.raises(ParameterError, match="different distances"):
        pt.structure(pdist(bits), metric="precomputed")


def test_too_many_objects_for_a_function():
    with pytest.raises(TooLargeError):
        pt.choose_k(np.zeros((20_000, 1)), metric="cityblock")


def test_the_command_line(tmp_path, capsys, blobs):
    X, y = blobs
    run = runner(capsys)
    towns = np.array(["Ulm", "Bonn", "Jena"])[y]
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(town=towns, cluster=y)
    frame.to_csv(tmp_path / "people.csv", index=False)
    np.save(tmp_path / "far.npy", squareform(pdist(X)))
    np.save(tmp_path / "condensed.npy", pdist(X))
    pd.DataFrame({"cluster": y}).to_csv(tmp_path / "labels.csv", index=False)
    people, far, labels = (tmp_path / name for name in ("people.csv", "far.npy", "labels.csv"))
    wanted = pt.indices.silhouette(frame[["x", "y", "town"]], y, metric="gower")
    shown = run(f"validate {people} --labels cluster --metric gower --indices silhouette --format csv")
    assert shown.code == 0, shown.err
    assert f"{wanted:.6f}"[:6] in shown.out
    asked = run(f"validate {far} --memberships {labels}")
    assert asked.code != 0
    assert "may be the distances" in asked.err
    assert "--metric" in asked.err
    condensed = tmp_path / "condensed.npy"
    for line in (
        f"choose {condensed} --metric precomputed --seed 0",
        f"choose {people} --metric gower --leave-out cluster --seed 0",
        f"choose-among {people} --clusterings cluster,town --metric cityblock --seed 0",
        f"stability {far} --metric precomputed --k 2:3 --repeats 2 --seed 0",
        f"structure {far} --metric precomputed --null 19 --seed 0",
        f"report {people} --metric gower --leave-out cluster --repeats 0 --out {tmp_path}/page.html",
    ):
        shown = run(line)
        assert shown.code == 0, (line, shown.err)
