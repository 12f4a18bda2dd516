"""What other libraries make comes in as the partition that it is, or is refused with a call that works."""

import warnings
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import partita as pt
from partita.errors import KindError, MismatchError, ParameterError, PartitionError
from partita.partitions import FUZZY, HARD, HardPartition, as_partition

X, TRUTH = make_blobs(120, centers=3, cluster_std=1.2, random_state=0)
DENSE = np.vstack([make_blobs(120, centers=4, cluster_std=0.6, random_state=1)[0], [[30, 30], [-40, 9]]])
LABELS = [0, 0, 1, 1, 2]


def same_clustering(partition, labels):
    """Whether the partition is that of these labels, whatever the names."""
    codes, wanted = partition.codes, pd.factorize(np.asarray(labels, dtype=object))[0]
    return ((codes[:, None] == codes) == (wanted[:, None] == wanted)).all()


# --- clusters as collections of objects ------------------------------------------------------------------

CLUSTERS = {
    "sets": [{0, 1}, {2, 3}, {4}],
    "frozensets": [frozenset({0, 1}), frozenset({2, 3}), frozenset({4})],
    "a tuple of sets": ({0, 1}, {2, 3}, {4}),
    "a generator of sets": lambda: (set(c) for c in ([0, 1], [2, 3], [4])),
    "views": lambda: {"a": {0, 1}, "b": {2, 3}, "c": {4}}.values(),
    "ragged lists": [[1, 0], [3, 2], [4]],
    "dictionary of sets": {"x": {0, 1}, "y": {2, 3}, "z": {4}},
    "dictionary of lists": {"x": [0, 1], "y": [2, 3], "z": [4]},
    "dictionary of arrays": {0: np.array([0, 1]), 1: np.array([2, 3]), 2: np.array([4])},
    "object array of sets": np.array([{0, 1}, {2, 3}, {4}], dtype=object),
    "series of sets": pd.Series([{0, 1}, {2, 3}, {4}], index=list("xyz")),
    "labels by object": dict(enumerate("aabbc")),
    "labels by object, in another order": {4: "c", 2: "b", 3: "b", 1: "a", 0: "a"},
}


@pytest.mark.parametrize("make", CLUSTERS.values(), ids=CLUSTERS)
def test_clusters_and_dictionaries(make):
    given = make() if callable(make) else make
    found = as_partition(given)
    assert found.kind is HARD
    ordered = found.take(np.argsort(list(found.index)))
    assert list(ordered.index) == [0, 1, 2, 3, 4]
    assert same_clustering(ordered, LABELS)
    given = make() if callable(make) else make
    assert pt.compare(
        [0, 1, 1, 1, 2] if "another" not in str(make) else LABELS, LABELS
    )  # plain labels still do
    series = pd.Series([0, 1, 1, 1, 2], index=range(5))
    expected = pt.compare(series, pd.Series(LABELS), indices=["ARI"])["ARI"].value
    assert pt.compare(series, given, indices=["ARI"])["ARI"].value == expected


def test_two_lists_of_communities_are_matched_by_object():
    first = [{"ann", "bob"}, {"cid", "dan"}]
    second = [frozenset({"dan"}), frozenset({"cid", "bob", "ann"})]
    result = pt.compare(first, second, indices=["ARI", "VI"])
    plain = pt.compare([0, 0, 1, 1], [1, 1, 1, 0], indices=["ARI", "VI"])
    assert result.provenance["n"] == 4
    assert [row.value for row in result.rows] == [row.value for row in plain.rows]


def test_rectangular_lists_that_hold_each_object_once_are_clusters():
    assert as_partition([[0, 1], [2, 3]]).labels.tolist() == [0, 0, 1, 1]
    assert as_partition([["d", "a"], ["c", "b"]]).labels.tolist() == [0, 1, 1, 0]
    assert as_partition([[1, 0], [0, 1]]).codes.tolist() == [0, 1]  # each twice: one-hot rows
    assert as_partition([[0.25, 0.75], [0.5, 0.5]]).kind is FUZZY
    assert set(as_partition([(0, 1), ("a", 2)]).names) == {(0, 1), ("a", 2)}  # tuples stay labels


@pytest.mark.parametrize("unclear", [[[0, 1]], [["a", "b", "c"]], {"a": [1, 2], "b": [3, 4]}])
def test_what_may_be_either_asks(unclear):
    if isinstance(unclear, dict):
        with pytest.raises(PartitionError, match="two things") as caught:
            pt.validate([[0.0], [1.0]], unclear)
        assert as_partition(unclear).n_clusters == 2  # one clustering is wanted here: these are its clusters
        clusterings = {name: as_partition(labels) for name, labels in unclear.items()}
        assert set(pt.validate([[0.0], [1.0]], clusterings).results) == {"a", "b"}
    else:
        with pytest.raises(PartitionError, match="several things") as caught:
            as_partition(unclear)
        assert as_partition(unclear[0]).n_objects == len(unclear[0])
    assert "HardPartition.from_clusters" in caught.value.fix
    assert HardPartition.from_clusters(unclear).n_objects >= 2


def test_objects_give_the_order_and_those_in_no_cluster():
    found = HardPartition.from_clusters([{"b"}, {"a", "d"}], objects=["d", "c", "b", "a"])
    assert found.labels.tolist() == [1, -1, 0, 1]
    assert found.noise_mask.tolist() == [False, True, False, False]
    assert "1 objects are in no cluster" in found.note
    assert as_partition([{"b"}, {"a", "d"}], objects=["d", "c", "b", "a"]).labels.tolist() == [1, -1, 0, 1]
    assert as_partition({"a": 1, "b": 2}, objects="ba").labels.tolist() == [2, 1]
    for objects in (["a", "b"], ["a", "a", "b", "d"], 3, [["a"], "b", "d"]):
        with pytest.raises(PartitionError, match="objects"):
            HardPartition.from_clusters([{"b"}, {"a", "d"}], objects=objects)


def test_overlapping_communities_are_refused_by_what_they_would_need():
    cover = [{0, 1, 2}, {2, 3}]
    with pytest.raises(PartitionError, match="overlap") as caught:
        as_partition(cover)
    assert "omega index" in caught.value.need
    assert 'as_partition(clusters, kind="rough")' in caught.value.fix
    rough = as_partition(cover, kind="rough")
    assert rough.possible.tolist() == [[True, False], [True, False], [True, True], [False, True]]


@pytest.mark.parametrize("bad", [[], {}, [set()], "ab", 3, [1, 2], [{1}, 2], [["a"], [{1}]], ["ab", "c"]])
def test_what_is_no_list_of_clusters_is_refused(bad):
    with pytest.raises(PartitionError):
        HardPartition.from_clusters(bad)


def test_communities_by_name_are_several_clusterings():
    first, second = [{0, 1}, {2, 3}], [{0}, {1, 2, 3}]
    result = pt.compare([0, 0, 1, 1], {"a": first, "b": second, "c": [[0, 1], [2, 3]]}, indices=["ARI"])
    assert result["a"]["ARI"].value == result["c"]["ARI"].value == 1.0
    assert result["b"]["ARI"].value == pt.indices.ARI([0, 0, 1, 1], [0, 1, 1, 1])
    assert as_partition({"u": (1, 2), "v": (3,)}).names == ((1, 2), (3,))  # tuples stay labels


def test_counts_are_no_clustering():
    with pytest.raises(PartitionError, match="counts"):
        as_partition(Counter("aab"))


def test_counts_in_a_frame_are_memberships_when_told_so():
    frame = pd.DataFrame({"a": [3, 1], "b": [1, 1]})
    assert as_partition(frame, normalize=True).memberships().tolist() == [[0.75, 0.25], [0.5, 0.5]]
    with pytest.raises(PartitionError, match="several clusterings"):
        as_partition(frame)


def test_named_objects_beside_positions_never_pass_in_silence():
    named, plain = {"ann": 0, "bob": 0, "cid": 1}, [5, 5, 6]
    for sides in ((named, plain), (plain, [{"ann", "bob"}, {"cid"}])):
        with pytest.raises(MismatchError, match="names its objects") as caught:
            pt.compare(*sides)
        assert "objects=..." in caught.value.fix
    in_order = as_partition(named, objects=["ann", "bob", "cid"]).labels
    assert pt.compare(in_order, plain, indices=["ARI"])["ARI"].value == 1.0
    series = pd.Series(plain, index=["cid", "bob", "ann"])
    assert pt.compare(named, series, indices=["ARI"])["ARI"].value == pytest.approx(-0.5)


# --- libraries of networks -------------------------------------------------------------------------------


def test_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    greedy = nx.community.greedy_modularity_communities(graph)
    for other in (
        nx.community.louvain_communities(graph, seed=1),
        nx.community.label_propagation_communities(graph),
        nx.community.asyn_lpa_communities(graph, seed=2),
        nx.community.girvan_newman(graph),
    ):
        second = next(other) if hasattr(other, "send") and "girvan" in repr(other) else other
        second = [set(c) for c in second]
        labels = [[next(i for i, c in enumerate(cs) if v in c) for v in graph] for cs in (greedy, second)]
        result = pt.compare(greedy, second, indices=["ARI"])
        assert result.provenance["n"] == 34
        assert result["ARI"].value == pytest.approx(adjusted_rand_score(*labels))
    assert as_partition(nx.community.asyn_lpa_communities(graph, seed=2)).n_objects == 34
    club = nx.get_node_attributes(graph, "club")
    assert pt.compare(club, greedy, indices=["ARI"])["ARI"].value == pytest.approx(
        adjusted_rand_score(
            list(club.values()), [next(i for i, c in enumerate(greedy) if v in c) for v in graph]
        )
    )


def test_igraph_and_leidenalg():
    ig = pytest.importorskip("igraph")
    leidenalg = pytest.importorskip("leidenalg")
    graph = ig.Graph.Famous("Zachary")
    louvain = graph.community_multilevel()
    leiden = leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, seed=1)
    for found in (louvain, leiden):
        assert as_partition(found).labels.tolist() == list(found.membership)
    value = pt.compare(louvain, leiden, indices=["ARI"])["ARI"].value
    assert value == pytest.approx(adjusted_rand_score(louvain.membership, leiden.membership))
    with pytest.raises(PartitionError, match="overlap"):
        as_partition(ig.VertexCover(graph, [[0, 1, 2], [2, 3]]))


def test_clusim():
    clustering = pytest.importorskip("clusim.clustering")
    found = clustering.Clustering(elm2clu_dict={0: ["a"], 1: ["a"], 2: ["b"]})
    assert as_partition(found).labels.tolist() == ["a", "a", "b"]
    with pytest.raises(PartitionError, match="overlap"):
        as_partition(clustering.Clustering(elm2clu_dict={0: ["a", "b"], 1: ["a"], 2: ["b"]}))


def test_cdlib_by_a_stand_in():
    """Not installed in CI: it brings two dozen packages along. The attributes are those of version 0.4."""
    found = SimpleNamespace(
        communities=[[0, 1, 2], [3, 4]], method_name="leiden", graph=None, overlap=False, node_coverage=1.0
    )
    assert as_partition(found).labels.tolist() == [0, 0, 0, 1, 1]
    found.communities[0].append(4)
    with pytest.raises(PartitionError, match="overlap"):
        as_partition(found)


def test_cdlib_itself():
    cdlib = pytest.importorskip("cdlib")
    nx = pytest.importorskip("networkx")
    from cdlib import algorithms

    found = algorithms.label_propagation(nx.karate_club_graph())
    assert isinstance(found, cdlib.NodeClustering)
    assert as_partition(found).n_objects == 34


# --- annotated data --------------------------------------------------------------------------------------


class AnnData:
    """A stand-in with AnnData's attributes; asked for an item it would build a view each time."""

    calls = 0
    obs = property(lambda self: pd.DataFrame({"a": ["0", "1", "-1"], "b": ["0", "0", "1"]}))
    obsm = property(lambda self: {"X_pca": np.zeros((3, 2))})
    var = uns = property(lambda self: {})
    shape = (3, 2)

    def __getitem__(self, place):
        AnnData.calls += 1
        return self

    def __len__(self):
        return 3


def test_annotated_data_is_refused_at_once_with_the_two_calls():
    for call in (
        lambda a: as_partition(a),
        lambda a: pt.validate(a, [0, 1, 1]),
        lambda a: pt.compare(a, [0, 1, 1]),
    ):
        with pytest.raises(PartitionError, match="holds data and clusterings") as caught:
            call(AnnData())
        assert 'compare(adata.obs["a"], adata.obs["b"])' in caught.value.fix
        assert 'validate(adata.obsm["X_pca"], adata.obs["leiden"])' in caught.value.fix
    assert AnnData.calls == 0
    adata = AnnData()
    assert pt.compare(adata.obs["a"], adata.obs["b"]).provenance["n"] == 3
    assert pt.validate(adata.obsm["X_pca"], adata.obs["b"], indices=["CH"])


def test_anndata_itself():
    anndata = pytest.importorskip("anndata")
    with pytest.raises(PartitionError, match="holds data and clusterings"):
        as_partition(anndata.AnnData(np.zeros((3, 2))))


def test_a_frame_of_label_columns_is_several_clusterings():
    frame = pd.DataFrame({"leiden": list("aabbb"), "louvain": list("xxxyy")}).astype("category")
    beside = pt.compare([0, 0, 1, 1, 1], frame, indices=["ARI"])
    assert beside["leiden"]["ARI"].value == 1.0
    assert beside["louvain"]["ARI"].value == pt.indices.ARI([0, 0, 1, 1, 1], frame["louvain"])
    numbers = pd.DataFrame({"k2": [0, 0, 1, 1, 1], "k3": [0, 0, 1, 1, 2]})
    data = np.arange(10.0).reshape(5, 2)
    for given in (
        numbers,
        pl.from_pandas(numbers),
        pl.from_pandas(numbers).lazy(),
        numbers.to_dict("series"),
    ):
        result = pt.validate(data, given, indices=["CH"])
        assert result["k3"]["CH"].value == pt.indices.CH(data, numbers["k3"].to_numpy())
    assert len(pt.Ensemble(numbers)) == 2
    assert pt.Ensemble({"a": [0, 1], "b": [1, 1]}).names == ("a", "b")
    assert pt.consensus(numbers).n_objects == 5
    with pytest.raises(PartitionError, match="several clusterings") as caught:
        as_partition(frame)
    assert caught.value.fix.startswith("['leiden']")
    assert as_partition(frame["leiden"]).n_clusters == 2


# --- density methods -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def density_model():
    return HDBSCAN(min_cluster_size=5, copy=True).fit(DENSE)


def test_a_density_model_offers_labels_and_strengths(density_model):
    hard = as_partition(density_model)
    assert hard.labels.tolist() == density_model.labels_.tolist()
    assert 'kind="fuzzy"' in hard.note
    soft = as_partition(density_model, kind="fuzzy")
    assert soft.names[-1] == -1
    own = soft.memberships()[np.arange(len(DENSE)), density_model.labels_]
    inside = density_model.labels_ >= 0
    np.testing.assert_allclose(own[inside], density_model.probabilities_[inside])
    np.testing.assert_array_equal(soft.noise_mask, density_model.labels_ < 0)
    assert "noise" in soft.note


def test_what_is_off_is_told_by_the_name_of_its_column():
    frame = pd.DataFrame({"red": [0.5, 0.5], "blue": [0.5, np.nan]})
    with pytest.raises(PartitionError, match="'blue'"):
        as_partition(frame)
    with pytest.raises(PartitionError, match=r"row 1, column 'red' is 1\.5"):
        as_partition(pd.DataFrame({"red": [0.5, 1.5], "blue": [0.5, -0.5]}), "fuzzy")


def test_membership_vectors_of_hdbscan():
    hdbscan = pytest.importorskip("hdbscan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hdbscan.HDBSCAN(min_cluster_size=5, prediction_data=True).fit(DENSE)
        vectors = hdbscan.all_points_membership_vectors(model)
    with pytest.raises(PartitionError, match="sum to one") as caught:
        as_partition(vectors)
    assert 'as_partition(memberships, noise="rest")' in caught.value.fix
    soft = as_partition(vectors, noise="rest")
    np.testing.assert_allclose(soft.memberships()[:, :-1], vectors)
    np.testing.assert_allclose(soft.memberships().sum(axis=1), 1.0)


def test_rows_of_nan_are_noise_with_a_word():
    vectors = [[0.5, 0.25], [np.nan, np.nan], [0.0, 0.0], [1.0, 0.0]]
    with pytest.raises(PartitionError) as caught:
        as_partition(vectors)
    assert 'noise="rest"' in caught.value.fix
    soft = as_partition(vectors, noise="rest")
    assert soft.memberships().tolist() == [[0.5, 0.25, 0.25], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    assert soft.noise_mask.tolist() == [False, True, True, False]
    assert "1 rows of NaN" in soft.note
    kept = pt.compare([0, 1, 1, 0], soft, noise="ignore", indices=["RI"])
    assert kept.provenance["coverage"] == 0.5
    for bad in ([[0.5, 0.75]], [[-0.5, 0.5]], [[np.nan, 0.5]], np.zeros(3)):
        with pytest.raises(PartitionError):
            as_partition(bad, noise="rest")
    with pytest.raises(ParameterError):
        as_partition(vectors, noise="ignore")


# --- noise and missing labels ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["str", "category", "object"])
def test_text_that_spells_integers_has_noise(kind):
    saved = pd.Series(["0", "-1", "1", "1", "10"]).astype(kind)
    found = as_partition(saved)
    assert found.noise_mask.tolist() == [False, True, False, False, False]
    assert found.labels.tolist() == saved.tolist()
    result = pt.compare([5, 5, 6, 6, 7], saved, noise="ignore", indices=["ARI"])
    assert result["ARI"].value == 1.0
    assert result.provenance["coverage"] == 0.8


def test_a_noise_label_of_any_name():
    labels, other = ["a", "unassigned", "b", "b"], [0, 0, 1, 1]
    plain = pt.compare(other, labels, noise="ignore", indices=["ARI"])
    assert "noise_label= if 'unassigned' in found" in plain.notes[0]
    told = pt.compare(other, labels, noise="ignore", noise_label="unassigned", indices=["ARI"])
    assert told["ARI"].value == pt.compare([0, 1, 1], ["a", "b", "b"], indices=["ARI"])["ARI"].value
    assert told.provenance["coverage"] == 0.75
    ready = as_partition(labels, noise_label="unassigned")
    assert pt.indices.ARI(other, ready, noise="ignore") == told["ARI"].value
    assert as_partition([0, 1, 2], noise_label=0).noise_mask.tolist() == [True, False, False]
    assert as_partition([0, 1, 2], noise_label="0").noise_mask.tolist() == [True, False, False]
    assert as_partition([0, 2], noise_label=1).noise_mask is None
    assert as_partition(as_partition([3, 4]), noise_label=3).noise_mask.tolist() == [True, False]
    silhouettes = pt.validate([[0.0], [9.0], [1.0], [1.5]], labels, noise="ignore", noise_label="unassigned")
    assert silhouettes.provenance["n"] == 3


MISSING = {
    "None": ["a", None, "b", "b", "a"],
    "NaN": [0.0, np.nan, 1.0, 1.0, 0.0],
    "object array": np.array(["a", None, "b", "b", "a"], dtype=object),
    "NaT": np.array(["2020-01-01", "NaT", "2020-01-02", "2020-01-02", "2020-01-01"], dtype="M8[D]"),
    "pandas": pd.Series(["a", None, "b", "b", "a"]),
    "nullable": pd.Series([0, None, 1, 1, 0], dtype="Int64"),
    "category": pd.Series(["a", None, "b", "b", "a"], dtype="category"),
    "polars": pl.Series([0, None, 1, 1, 0]),
    "masked": np.ma.array([0, 9, 1, 1, 0], mask=[0, 1, 0, 0, 0]),
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_missing_labels(labels):
    with pytest.raises(PartitionError, match="missing") as caught:
        as_partition(labels)
    assert 'missing="drop"' in caught.value.fix
    assert 'missing="noise"' in caught.value.fix
    truth = [7, 7, 8, 8, 8]
    dropped = pt.compare(truth, labels, missing="drop", indices=["ARI"])
    assert dropped["ARI"].value == pt.indices.ARI([7, 8, 8, 8], [0, 1, 1, 0])
    assert (dropped.provenance["n"], dropped.provenance["coverage"]) == (4, 0.8)
    assert dropped.provenance["clusters"] == [2, 2]
    assert "1 in found" in dropped.notes[-1]
    noise = pt.compare(truth, labels, missing="noise", indices=["ARI"])
    assert noise["ARI"].value == pt.indices.ARI(truth, [0, -1, 1, 1, 0])
    ignored = pt.compare(truth, labels, missing="noise", noise="ignore", indices=["ARI"])
    assert ignored["ARI"].value == dropped["ARI"].value
    alone = as_partition(labels, missing="drop")
    assert list(alone.index) == [0, 2, 3, 4]
    assert same_clustering(alone, [0, 1, 1, 0])


def test_missing_labels_beside_negative_ones_ask_for_a_label():
    with pytest.raises(ParameterError, match="negative") as caught:
        as_partition([-5, None, 3], missing="noise")
    assert caught.value.parameter == "noise_label"
    assert as_partition([-5, None, 3], missing="noise", noise_label=99).noise_mask.tolist() == [
        False,
        True,
        False,
    ]
    with pytest.raises(PartitionError):
        as_partition([None, None], missing="noise")
    with pytest.raises(MismatchError):
        pt.compare([None, 1], [1, None], missing="drop")
    with pytest.raises(ParameterError):
        pt.compare([0, 1], [0, 1], missing="median")


def test_missing_values_of_data_are_dropped_or_filled():
    data = pd.DataFrame({"a": [0.0, 1.0, np.nan, 9.0, 10.0], "b": [1.0, 2.0, 3.0, np.nan, 5.0]})
    labels = [0, 0, 0, 1, 1]
    with pytest.raises(ParameterError, match="missing") as caught:
        pt.validate(data, labels)
    assert "1 in column 'a', 1 in column 'b'" in caught.value.got
    assert 'missing="median"' in caught.value.fix
    dropped = pt.validate(data, labels, indices=["CH"], missing="drop")
    whole = data.dropna()
    assert dropped["CH"].value == pt.indices.CH(whole.to_numpy(), [0, 0, 1])
    assert dropped.provenance["coverage"] == 0.6
    filled = pt.validate(data, labels, indices=["CH"], missing="median")
    assert filled["CH"].value == pt.indices.CH(data.fillna(data.median()).to_numpy(), labels)
    assert "1 in column 'a', 1 in column 'b', each now the median" in filled.notes[0]
    holes = X.copy()
    holes[3, 1] = np.nan
    for missing, same in (("drop", np.delete(X, 3, axis=0)), ("median", None)):
        options = {"ks": [2, 3, 4], "n_runs": 1, "indices": ["calinski_harabasz"], "random_state": 0}
        options |= {"structure": False, "n_splits": 0}
        choice = pt.choose_k(holes, missing=missing, truth=TRUTH, **options)
        assert choice["calinski_harabasz"].k == 3
        assert any("missing" in note for note in choice.notes)
        if same is not None:
            assert choice.provenance["n"] == len(same)
            expected = pt.choose_k(same, **options)
            assert choice.curves["calinski_harabasz"].values == expected.curves["calinski_harabasz"].values
    steady = pt.stability(holes, ks=[2, 3], n_repeats=2, missing="drop", random_state=0)
    assert steady.provenance["n"] == len(X) - 1
    for bad in (np.full((4, 2), np.nan), [[np.inf, 1.0], [0.0, 1.0]]):
        for missing in ("drop", "median"):
            with pytest.raises((ParameterError, MismatchError)):
                pt.validate(bad, [0, 1] * (len(bad) // 2), missing=missing)


# --- images, trees, tensors, sparse data -----------------------------------------------------------------


def test_label_images():
    image = np.array([[0, 0, 1], [0, 2, 1]])
    with pytest.raises(PartitionError, match="whole numbers") as caught:
        as_partition(image)
    assert "background=" in caught.value.need
    found = as_partition(image, background=0)
    assert found.n_objects == 6
    assert found.noise_mask.tolist() == (image.ravel() == 0).tolist()
    other = np.array([[0, 0, 3], [3, 4, 3]])
    result = pt.compare(image, other, background=0, noise="ignore", indices=["ARI"])
    inside = (image != 0) & (other != 0)
    assert result["ARI"].value == pytest.approx(adjusted_rand_score(image[inside], other[inside]))
    volume = np.arange(24).reshape(2, 3, 4) // 6
    assert as_partition(volume).labels.tolist() == volume.ravel().tolist()
    assert as_partition(image.ravel()).n_clusters == 3
    with pytest.raises(PartitionError, match="no image"):
        as_partition([0, 1, 1], background=0)
    assert len(pt.Ensemble(image.T)) == 3


@pytest.mark.parametrize("method", ["ward", "average", "single", "complete"])
def test_trees_are_cut(method):
    tree = linkage(X, method)
    with pytest.raises(ParameterError, match="tree of merges"):
        as_partition(tree)
    for k in (1, 2, 3, 7, len(X)):
        assert same_clustering(as_partition(tree, k=k), fcluster(tree, k, "maxclust"))
    cuts = as_partition(tree, k=[2, 3])
    assert [p.n_clusters for p in cuts] == [2, 3]
    for k in (0, len(X) + 1, 2.0, True, "3"):
        with pytest.raises(ParameterError):
            as_partition(tree, k=k)


def test_trees_of_scikit_learn():
    model = AgglomerativeClustering(3, compute_full_tree=True).fit(X)
    assert same_clustering(as_partition(model.children_, k=3), model.labels_)
    assert same_clustering(as_partition(model, k=3), model.labels_)
    assert as_partition(model, k=5).n_clusters == 5
    with pytest.raises(ParameterError, match="cuts a tree"):
        as_partition([0, 1], k=2)


class Tensor:
    """A tensor of another library, which speaks DLPack and nothing else."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.ndim, self.shape, self.dtype = self.values.ndim, self.values.shape, self.values.dtype

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class FarTensor(Tensor):
    """Its values are on another device."""

    def __dlpack__(self, **options):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")


def test_tensors():
    assert as_partition(Tensor([3, 5, 3])).labels.tolist() == [3, 5, 3]
    assert as_partition(Tensor([[0.25, 0.75], [1.0, 0.0]])).kind is FUZZY
    assert pt.validate(Tensor(X), TRUTH, indices=["CH"])["CH"].value == pt.indices.CH(X, TRUTH)
    with pytest.raises(PartitionError, match="cannot be had") as caught:
        as_partition(FarTensor([3, 5, 3]))
    assert caught.value.fix == "tensor.detach().cpu()"


def test_torch_itself():
    torch = pytest.importorskip("torch")
    assert as_partition(torch.tensor([3, 5, 3])).labels.tolist() == [3, 5, 3]


def test_sparse_data_are_written_out_where_they_fit():
    from scipy.sparse import csr_array

    counts = np.round(np.abs(X))
    for index in ("calinski_harabasz", "silhouette"):
        value = pt.validate(csr_array(counts), TRUTH, indices=[index])[index].value
        assert value == pt.indices.find(index)(counts, TRUTH)
    with pytest.raises(pt.errors.TooLargeError):
        pt.validate(csr_array((40_000, 40_000)), np.arange(40_000) % 2, indices=["dbcv"], metric="euclidean")


# --- the space of a pipeline -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed_units():
    noise = np.random.default_rng(0).normal(size=(len(X), 1)) * 1000
    return np.column_stack([X, noise])


def pipeline(*steps):
    return make_pipeline(*steps, KMeans(3, n_init=2, random_state=0))


def test_a_pipeline_is_judged_where_it_clusters(mixed_units):
    model = pipeline(StandardScaler()).fit(mixed_units)
    scaled = StandardScaler().fit_transform(mixed_units)
    labels = model[-1].labels_
    inside, outside = (silhouette_score(data, labels) for data in (scaled, mixed_units))
    assert inside > outside + 0.1
    judged = pt.validate(mixed_units, model, indices=["silhouette"])
    assert judged["silhouette"].value == pytest.approx(inside)
    assert judged.notes == ("judged where KMeans clusters: X after standardscaler",)
    raw = pt.validate(mixed_units, model, indices=["silhouette"], space="input")
    assert raw["silhouette"].value == pytest.approx(outside)
    assert "space of X" in raw.notes[0]
    frame = pd.DataFrame(mixed_units, index=[f"object {i}" for i in range(len(X))])
    shuffled = pd.Series(labels, index=frame.index).sample(frac=1, random_state=0)
    beside = pt.validate(frame, {"model": model, "same": shuffled}, indices=["silhouette"])
    assert beside["same"]["silhouette"].value == pytest.approx(inside)
    for space, value in (("clustered", inside), ("input", outside)):
        assert pt.scorer("silhouette", space=space)(model, mixed_units) == pytest.approx(value)
    with pytest.raises(ParameterError):
        pt.validate(mixed_units, model, space="raw")


def test_pipelines_of_different_spaces_are_judged_in_that_of_the_data(mixed_units):
    models = {
        "scaled": pipeline(StandardScaler()).fit(mixed_units),
        "projected": pipeline(StandardScaler(), PCA(1)).fit(mixed_units),
    }
    result = pt.validate(mixed_units, models, indices=["CH"])
    assert "different spaces" in result.notes[0]
    for name, model in models.items():
        assert result[name]["CH"].value == pt.indices.CH(mixed_units, model[-1].labels_)


def test_a_mixture_at_the_end_of_a_pipeline_brings_its_likelihood(mixed_units):
    model = make_pipeline(StandardScaler(), GaussianMixture(3, random_state=0)).fit(mixed_units)
    scaled = model[:-1].transform(mixed_units)
    assert pt.validate(mixed_units, model, indices=["BIC"])["BIC"].value == pytest.approx(
        pt.indices.BIC(scaled, model[-1])
    )


def test_sweeps_judge_a_pipeline_where_it_clusters(mixed_units):
    method = make_pipeline(StandardScaler(), KMeans(n_init=2))
    scaled = StandardScaler().fit_transform(mixed_units)
    options = {"ks": [2, 3, 4], "n_runs": 2, "indices": ["CH", "silhouette"], "random_state": 0}
    choice = pt.choose_k(mixed_units, method, **options)
    labels = choice.model_at(3)[-1].labels_
    for index in ("calinski_harabasz", "silhouette"):
        value = choice.curves[index].values[1]
        assert value == pytest.approx(pt.indices.find(index)(scaled, labels))
    assert choice.notes[0] == "judged where KMeans clusters: X after standardscaler"
    raw = pt.choose_k(mixed_units, method, space="input", **options)
    labels = raw.model_at(3)[-1].labels_
    assert raw.curves["silhouette"].values[1] == pytest.approx(silhouette_score(mixed_units, labels))
    steady = pt.stability(mixed_units, method, ks=[2, 3], n_repeats=2, random_state=0)
    assert "judged where KMeans clusters: X after standardscaler" in steady.notes


# --- partners in an alignment ----------------------------------------------------------------------------


def test_clusters_with_next_to_nothing_in_common_are_no_partners():
    truth = np.repeat([0, 1, 2], [400, 300, 398])
    found = np.repeat([0, 0, 1, 2, 0], [380, 20, 300, 4, 394])  # 2 is four objects of the true 2
    found[:20] = 2
    pairs = pt.align(truth, found)
    assert pairs.mapping == {0: 2, 1: 1} or pairs.mapping == {0: 0, 1: 1}
    assert pairs.unmatched_found == (2,)
    assert "min_overlap=0.1" in str(pairs)
    everyone = pt.align(truth, found, min_overlap=0.0)
    assert set(everyone.mapping) == {0, 1, 2}
    for bad in (-0.1, 1.5, "a", np.nan):
        with pytest.raises(ParameterError):
            pt.align(truth, found, min_overlap=bad)


def test_who_moved_is_told_by_name():
    truth = pd.Series(["a", "a", "b", "b", "b"], index=["v", "w", "x", "y", "z"])
    found = pd.Series([0, 1, 0, 0, 1], index=["z", "v", "y", "w", "x"])  # another order
    pairs = pt.align(truth, found)
    relabelled = pairs.relabel(found)
    assert list(relabelled.index) == ["z", "v", "y", "w", "x"]
    series = relabelled.to_series()
    moved = [name for name in truth.index if truth[name] != series[name]]
    assert list(pairs.moved.index) == moved
    assert list(pairs.moved.columns) == ["truth", "found", "relabelled"]
    assert list(pt.align([0, 0, 1, 1], [1, 1, 0, 1]).moved.index) == [3]
    assert pt.align([0, 1], [1, 0]).moved.empty
    with pytest.raises(KindError):
        _ = pt.align([0, 1], [[0.5, 0.5], [0.25, 0.75]]).moved


def test_columns_of_a_frame_that_may_be_no_features_are_told():
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(customer_id=range(500, 500 + len(X)), cluster=TRUTH)
    result = pt.validate(frame, TRUTH, indices=["CH"])
    told = "features that may be none: 'customer_id' (all different integers), 'cluster' (labels: 3 different"
    assert told in result.notes[0]
    assert result["CH"].value == pt.indices.CH(frame.to_numpy(float), TRUTH)
    assert pt.validate(frame[["u", "v"]], TRUTH, indices=["CH"]).notes == ()
    choice = pt.choose_k(frame, ks=[2, 3], n_runs=1, indices=["CH"], random_state=0)
    assert told in choice.notes[0]


# --- what a hostile tester found -------------------------------------------------------------------------


def test_a_scorer_never_takes_the_labels_of_other_objects():
    """Two folds of equal size: the labels of the one that was fitted are as many as the other has objects."""
    model = AgglomerativeClustering(3).fit(X[:60])
    own = AgglomerativeClustering(3).fit_predict(X[60:])
    assert pt.scorer("silhouette")(model, X[60:]) == pytest.approx(silhouette_score(X[60:], own))


def test_models_of_other_objects_are_refused():
    model = KMeans(3, n_init=1, random_state=0).fit(X)
    for data in (X[:40], X[np.random.default_rng(0).permutation(len(X))]):
        with pytest.raises(MismatchError, match="other objects") as caught:
            pt.validate(data, model)
        assert caught.value.fix.startswith("model.predict(X)")
        labels = model.predict(data)
        assert pt.validate(data, labels, indices=["CH"])["CH"].value == pt.indices.CH(data, labels)


def test_memberships_of_a_frame_keep_its_index():
    frame = pd.DataFrame(X, index=[f"object {i}" for i in range(len(X))])
    model = GaussianMixture(3, random_state=0).fit(X)
    truth = pd.Series(model.predict(X), index=frame.index).sample(frac=1, random_state=1)
    assert pt.compare(truth, as_partition(model, X=frame).harden(), indices=["ARI"])["ARI"].value == 1.0


def test_names_in_different_orders_are_never_matched_by_place():
    found = pd.Series([0, 0, 1, 1], index=list("abcd"))
    other = found.loc[["a", "c", "b", "d"]]
    data = [[0.0], [1.0], [5.0], [9.0]]
    for call in (
        lambda: pt.compare([0, 0, 1, 1], {"x": found, "y": other}),
        lambda: pt.validate(data, {"x": found, "y": other}),
    ):
        with pytest.raises(MismatchError, match="different orders"):
            call()
    truth = pd.Series([0, 0, 1, 1], index=list("abcd"))
    assert pt.compare(truth, {"x": found, "y": other}, indices=["ARI"])["y"]["ARI"].value == 1.0
    weight = pd.Series([9, 1, 1, 1], index=list("abcd"))
    for given in (weight, weight[::-1]):
        value = pt.validate(data, found, sample_weight=given, indices=["CH"])["CH"].value
        assert value == pt.indices.CH(data, found.to_numpy(), sample_weight=[9, 1, 1, 1])


def test_a_plain_model_beside_a_pipeline_clusters_in_the_space_of_the_data(mixed_units):
    models = {
        "scaled": pipeline(StandardScaler()).fit(mixed_units),
        "plain": KMeans(3, n_init=1, random_state=0).fit(mixed_units),
    }
    result = pt.validate(mixed_units, models, indices=["CH"])
    assert "different spaces" in result.notes[0]
    assert result["plain"]["CH"].value == pt.indices.CH(mixed_units, models["plain"].labels_)


def test_vertices_are_matched_by_name_and_by_order():
    ig = pytest.importorskip("igraph")
    first, second = ig.Graph(3), ig.Graph(3)
    first.vs["name"], second.vs["name"] = list("abc"), list("cba")
    one, other = ig.VertexClustering(first, [0, 0, 1]), ig.VertexClustering(second, [1, 0, 0])
    assert pt.compare(one, other, indices=["ARI"])["ARI"].value == 1.0
    assert pt.compare(one, [{"c"}, {"a", "b"}], indices=["ARI"])["ARI"].value == 1.0
    assert pt.compare(one, [5, 5, 6], indices=["ARI"])["ARI"].value == 1.0


def test_a_noise_label_is_the_same_as_text_and_as_number():
    result = pt.compare(list("00112"), [0, 1, 1, 1, 2], noise_label=0, noise="ignore", indices=["ARI"])
    same = pt.compare([0, 0, 1, 1, 2], [0, 1, 1, 1, 2], noise_label=0, noise="ignore", indices=["ARI"])
    assert result["ARI"].value == same["ARI"].value


def test_images_of_other_shapes_and_of_colours_are_refused():
    with pytest.raises(MismatchError, match="shapes"):
        pt.compare(np.array([[0, 1, 1], [2, 2, 1]]), np.array([[0, 1], [1, 2], [2, 1]]), background=0)
    colours = np.zeros((4, 5, 3), dtype=np.uint8)
    with pytest.raises(PartitionError, match="colours"):
        as_partition(colours, background=0)
    assert as_partition(colours.astype(int), background=9).n_objects == 60


def test_collections_that_are_something_else():
    with pytest.raises(PartitionError, match="once only"):
        as_partition({"x": iter([0, 1]), "y": iter([2])})
    with pytest.raises(PartitionError, match="twice"):
        as_partition([[0, 0, 1], [2, 2]])
    assert as_partition([np.array([0, 2]), np.array([1, 3, 4])]).labels.tolist() == [0, 1, 0, 1, 1]
    assert as_partition([np.array([0, 2]), np.array([1, 3])]).labels.tolist() == [0, 1, 0, 1]
    tree = linkage(X[:10], "ward")
    assert as_partition(tree.tolist(), k=3).equivalent(as_partition(tree, k=3))


def test_missing_labels_have_a_way_out_everywhere():
    labels, soft = [0, None, 1, 1], [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75], [0.0, 1.0]]
    with pytest.raises(PartitionError, match="missing"):
        pt.consensus([labels, [0, 0, 1, 1]])
    kept = as_partition(labels, missing="drop")
    expected = pt.distribution([0, 1, 1], [soft[i] for i in (0, 2, 3)]).mean
    assert pt.distribution(kept, soft).mean == expected
    assert pt.distribution(labels, soft, missing="drop").mean == expected
    assert pt.compare(kept, [5, 6, 7, 7], indices=["ARI"])["ARI"].value == 1.0
