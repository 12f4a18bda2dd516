"""Figures of objects: memberships, simplex, scatter and consensus, and the colours they share."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from scipy import sparse
from sklearn.mixture import GaussianMixture

import partita as pt
from partita.cluster import GaussianMixtureEM
from partita.errors import MismatchError, ParameterError, PartitaError
from partita.partitions import (
    Ensemble,
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    PossibilisticPartition,
    RoughPartition,
    coassociation,
)
from partita.plots import NoFigureError, figure_data, kinds_of
from partita.plots._plot import draw, new_figure
from partita.plots.palette import NOISE_COLOUR, TABLE, chained_colours, cluster_colours
from partita.plots.pictures import inline_svg, picture
from partita.plots.planes import hull_of
from partita.plots.soft_shares import finding, soft_shares

pytestmark = pytest.mark.filterwarnings("error")

HOSTILE = ["<img src=x onerror=alert(1)> " * 8, "$x_1$\nnext \u202eline", "b" * 200]


def drawn(data, **options):
    return new_figure(data, **options)


def memberships(n=60, k=3, seed=0, spread=0.3):
    return np.random.default_rng(seed).dirichlet(np.full(k, spread), n)


def blobs(n=90, d=2, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    centres = np.array([[0.0] * d, [6.0] + [0.0] * (d - 1), [0.0] * (d - 1) + [8.0]])
    return centres[labels] + rng.normal(size=(n, d)), labels


EVIDENCE = EvidentialPartition(
    [[1.0, 0, 0, 0, 0], [0, 0.9, 0.1, 0, 0], [0.2, 0, 0.2, 0, 0.6], [0, 0, 0, 0.7, 0.3]],
    [set(), {0}, {1}, {2}, {0, 1}],
)
ROUGH = RoughPartition([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0]])


@pytest.fixture(scope="module")
def choice():
    X, _ = blobs(d=3)
    frame = pd.DataFrame(X * [1.0, 50.0, 0.1], columns=["a", "b", "c"])
    ways = {"random_state": 0, "n_runs": 1, "structure": False, "n_splits": 0, "scale": "standard"}
    return pt.choose_k(frame, GaussianMixtureEM(), ks=range(1, 5), **ways)


class TestColours:
    def test_clusters_without_a_reference_have_the_colours_of_the_table(self):
        assert list(cluster_colours(HardPartition(["b", "a"])).values()) == list(TABLE[:2])

    def test_more_clusters_than_colours_begin_again(self):
        colours = list(cluster_colours(HardPartition(np.arange(70))).values())
        assert len(colours) == 70
        assert len(set(colours)) == len(TABLE) == 32
        assert colours[32] == colours[0]

    def test_more_clusters_than_colours_follow_a_reference(self):
        labels = np.repeat(np.arange(50), 4)
        reference, turned = HardPartition(labels), HardPartition(49 - labels)
        known, colours = cluster_colours(reference), cluster_colours(turned, reference=reference)
        assert all(colours[str(49 - i)] == known[str(i)] for i in range(50))

    def test_a_cluster_has_the_colour_of_its_partner(self):
        reference, other = HardPartition([0, 0, 0, 1, 1, 1]), HardPartition(["x", "x", "x", "y", "y", "z"])
        known, colours = cluster_colours(reference), cluster_colours(other, reference=reference)
        assert (colours["x"], colours["y"]) == (known["0"], known["1"])
        assert colours["z"] not in known.values()

    def test_noise_is_grey_and_takes_no_colour_of_others(self):
        colours = cluster_colours(HardPartition([-1, 0, 1]))
        assert colours == {"-1": NOISE_COLOUR, "0": TABLE[0], "1": TABLE[1]}
        found = cluster_colours(HardPartition([0, 0, 1, 1]), reference=HardPartition([-1, -1, 0, 0]))
        assert NOISE_COLOUR not in found.values()
        assert found["1"] == TABLE[0]
        assert cluster_colours(HardPartition([-1, -1, 0]), reference=HardPartition([0, 0, 1]))["-1"] == (
            NOISE_COLOUR
        )

    def test_a_reference_of_other_objects_is_not_asked(self):
        assert cluster_colours(HardPartition([1, 0]), reference=HardPartition([0, 0, 1])) == {
            "0": TABLE[0],
            "1": TABLE[1],
        }

    def test_masses_on_the_empty_set_do_not_hinder(self):
        hard = HardPartition([0, 0, 1, 2])
        assert set(cluster_colours(EVIDENCE, reference=hard)) == {"0", "1", "2"}
        assert set(cluster_colours(hard, reference=EVIDENCE)) == {"0", "1", "2"}

    def test_colours_persist_where_clusters_split(self):
        """Eight groups; each step splits one cluster, and cluster names are turned about at each."""
        groups = np.repeat(np.arange(8), 10)
        chain = [HardPartition((k - np.minimum(groups, k - 1)) * 3) for k in range(1, 9)]
        for start in (0, 3, 7):
            colours = chained_colours(chain, start=start)
            painted = [
                np.array([found[str(label)] for label in one.labels])
                for found, one in zip(colours, chain, strict=True)
            ]
            for k in range(1, 8):  # only the objects that split off may change
                changed = painted[k] != painted[k - 1]
                assert len(set(groups[changed])) == 1
                assert len(set(painted[k])) == k + 1
            stay = [row[groups == 0][0] for row in painted]
            assert len(set(stay[1:])) == 1

    def test_what_is_new_in_a_chain_has_a_new_colour(self):
        chain = [HardPartition([0] * 6), HardPartition([0, 0, 0, 0, 1, 1]), HardPartition([0, 0, 0, 0, 2, 3])]
        colours = chained_colours(chain)
        assert colours[1]["0"] == colours[0]["0"] == colours[2]["0"]
        last = {colours[2]["2"], colours[2]["3"]}
        assert colours[1]["1"] in last
        assert len(last | {colours[0]["0"]}) == 3

    def test_the_start_of_a_chain_follows_the_reference(self):
        a, b = HardPartition([0, 0, 1, 1]), HardPartition([1, 1, 0, 0])
        assert chained_colours([a], reference=b)[0] == {"0": TABLE[1], "1": TABLE[0]}


class TestShares:
    def test_of_each_kind_by_the_definition(self):
        u = memberships()
        assert np.array_equal(soft_shares(FuzzyPartition(u)).at(slice(None)), u)
        typical = PossibilisticPartition([[1.0, 0.5], [0.2, 0.0]])
        assert np.allclose(soft_shares(typical).at(slice(None)), [[2 / 3, 1 / 3], [1, 0]])
        assert np.array_equal(soft_shares(typical, as_given=True).at(slice(None)), [[1.0, 0.5], [0.2, 0.0]])
        assert np.array_equal(soft_shares(HardPartition(list("aba"))).at([0, 1]), [[1, 0], [0, 1]])
        expected = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3] * 3, [0, 0, 1], [0.5, 0.5, 0]]
        assert np.allclose(soft_shares(ROUGH).at(slice(None)), expected)
        expected = [[0, 0, 0, 1], [0.9, 0.1, 0, 0], [0.3, 0.5, 0, 0.2], [0.15, 0.15, 0.7, 0]]
        shares = soft_shares(EVIDENCE)
        assert np.allclose(shares.at(slice(None)), expected)
        assert shares.names == ("0", "1", "2", "noise")
        assert shares.is_noise.tolist() == [True, False, False, False]

    def test_sparse_memberships_have_the_same_largest(self):
        u = memberships(k=5)
        u[::3] = [0, 0.5, 0, 0.5, 0]
        plain, thin = soft_shares(FuzzyPartition(u)), soft_shares(FuzzyPartition(sparse.csr_array(u)))
        assert np.array_equal(plain.own, u.argmax(axis=1))
        assert np.array_equal(thin.own, plain.own)
        assert np.array_equal(thin.largest, plain.largest)

    def test_the_smallest_clusters_are_joined(self):
        u = memberships(n=50, k=40)
        joined = soft_shares(FuzzyPartition(u)).joined(32)
        small = np.sort(np.argsort(u.sum(axis=0), kind="stable")[:9])
        assert joined.names[-1] == "9 smaller clusters"
        assert np.allclose(joined.at(slice(None))[:, -1], u[:, small].sum(axis=1))
        assert np.allclose(joined.at(slice(None)).sum(axis=1), 1)

    @pytest.mark.parametrize(
        ("partition", "told"),
        [
            (HardPartition([0, 0, 1]), "2 clusters of 2 and 1 objects"),
            (HardPartition([0]), "1 cluster of 1 object"),
            (HardPartition([0, 0, 1, 2, 3, 4]), "5 clusters of 1 to 2 objects"),
            (HardPartition([0, 0, -1]), "1 cluster of 2 objects; 1 of 3 objects is noise"),
            (HardPartition([0, 0], names=[0, 1]), "1 cluster of 2 objects"),
            (
                FuzzyPartition([[0.9, 0.1], [0.5, 0.5]]),
                "2 clusters; 1 of 2 objects belongs to its cluster by",
            ),
            (FuzzyPartition([[0.9, 0.1], [0.2, 0.8]]), "2 clusters; every object belongs to its own by 0.8"),
            (FuzzyPartition([[0.7, 0.3], [0.5, 0.5]]), "2 clusters; 2 of 2 objects belong to theirs by less"),
            (ROUGH, "3 clusters; 3 of 5 objects may be in several of them"),
            (RoughPartition([[True, False]]), "1 cluster; for every object a single one is possible"),
            (
                EVIDENCE,
                "3 clusters; 2 of 4 objects belong to theirs by less than 0.8; 1 of 4 objects is mostly",
            ),
        ],
    )
    def test_the_finding_says_what_the_numbers_say(self, partition, told):
        assert finding(soft_shares(partition)).startswith(told)


class TestMemberships:
    def test_records_are_the_memberships_of_sorted_objects(self):
        u = memberships()
        names = [f"o{i}" for i in range(60)]
        found = FuzzyPartition(u, names=["x", "y", "z"], index=pd.Index(names))
        data = figure_data(found)
        assert data.kind == "memberships" == kinds_of(found)[0]
        order = sorted(range(60), key=lambda i: (u[i].argmax(), -u[i].max()))
        shown = {}
        for record in data.records:
            shown.setdefault(record["column"], {"object": record["object"]})[record["cluster"]] = record[
                "share"
            ]
        assert [shown[i]["object"] for i in range(60)] == [names[i] for i in order]
        for place, i in enumerate(order):
            expected = {c: round(v, 4) for c, v in zip("xyz", u[i], strict=True) if v >= 5e-4}
            assert {c: v for c, v in shown[place].items() if c != "object"} == pytest.approx(
                expected, abs=1e-9
            )
        unsure = int((u.max(axis=1) < 0.8).sum())
        assert data.title == f"3 clusters; {unsure} of 60 objects belong to theirs by less than 0.8"

    @pytest.mark.parametrize(
        "found", [HardPartition([0, 1, -1, 1]), ROUGH, EVIDENCE, PossibilisticPartition(memberships() / 2)]
    )
    def test_every_kind_is_drawn(self, found):
        data = figure_data(found)
        assert data.kind == "memberships"
        assert sum(r["share"] for r in data.records) == pytest.approx(found.n_objects, abs=0.01)
        ax = drawn(data).axes[0]
        faces = {to_hex(one.get_facecolor()[0]) for one in ax.collections}
        colours = data.facts["colours"][""]
        assert faces == {colours[r["cluster"]].lower() for r in data.records}

    def test_noise_is_last_and_grey(self):
        data = figure_data(HardPartition([-1, 0, 1, 0]))
        assert [s["cluster"] for s in data.facts["segments"]] == ["0", "1", "noise"]
        assert data.facts["colours"][""]["noise"] == NOISE_COLOUR

    def test_many_objects_are_means_of_runs(self):
        u = memberships(n=5000, k=4)
        data = figure_data(FuzzyPartition(u))
        widths = np.array(data.facts["widths"])
        assert widths.sum() == 5000
        assert widths.size <= 400
        assert f"5,000 objects in {widths.size} columns" in data.notes[0]
        order = np.lexsort((-u.max(axis=1), u.argmax(axis=1)))
        ends = np.cumsum(widths)
        for column in (0, 57, widths.size - 1):
            mean = u[order[ends[column] - widths[column] : ends[column]]].mean(axis=0)
            shown = {r["cluster"]: r["share"] for r in data.records if r["column"] == column}
            assert [shown.get(str(j), 0.0) for j in range(4)] == pytest.approx(mean, abs=6e-4)

    def test_a_small_cluster_keeps_its_column(self):
        data = figure_data(HardPartition(np.r_[np.zeros(10**5, int), [1, 1, 1]]))
        assert [r["objects"] for r in data.records if r["cluster"] == "1"] == [3]

    def test_many_clusters_are_joined_and_the_file_is_small(self):
        data = figure_data(FuzzyPartition(memberships(n=3000, k=500, spread=0.05)))
        assert "the 469 smallest clusters are drawn as one" in data.notes
        assert len(inline_svg(data, "p")) < 200_000

    def test_a_cluster_that_is_nobodys_largest_is_told(self):
        data = figure_data(FuzzyPartition([[0.6, 0.0, 0.4], [0.0, 0.6, 0.4]], names=["a", "b", "c"]))
        assert "nobody's largest membership: c" in data.notes

    def test_a_row_for_each_k_with_one_order_and_one_colour(self, choice):
        data = figure_data(choice, "memberships")
        assert data.facts["rows"] == [f"k = {k}" for k in (1, 2, 3, 4)]
        leading = f"k = {choice.k or choice.ballot.leading}"
        assert data.facts["sorted_by"] == leading
        main = choice.partitions[int(leading[4:])]
        assert list(data.facts["colours"][leading].values()) == list(cluster_colours(main).values())
        columns = [[r["object"] for r in data.records if r["row"] == row] for row in data.facts["rows"]]
        assert all(list(dict.fromkeys(one)) == list(dict.fromkeys(columns[0])) for one in columns)
        counts = {k: int((one.memberships().max(axis=1) < 0.8).sum()) for k, one in choice.partitions.items()}
        for k in (2, 4):
            assert f"{counts[k]} of 90 at k = {k}" in data.title
        figure = drawn(data)
        assert len(figure.axes) == 5
        assert figure.axes[-1].get_xlabel() == data.x

    def test_the_reference_colours_all_rows(self, choice):
        turned = HardPartition(2 - choice.partitions[3].harden().codes)
        colours = figure_data(choice, "memberships", reference=turned).facts["colours"]["k = 3"]
        known = cluster_colours(turned)
        assert [colours[str(j)] for j in range(3)] == [known[str(2 - j)] for j in range(3)]

    def test_hard_rows_tell_how_many_objects_move(self):
        runs = Ensemble({"a": [0] * 5 + [1] * 5, "b": [1] * 5 + [0] * 5, "c": [0] * 8 + [1] * 2})
        assert figure_data(runs, "memberships").title == (
            "30% of the objects change their colour from b to c, the most of 2 steps"
        )
        same = Ensemble([[0, 0, 1], [1, 1, 0]])
        assert figure_data(same, "memberships").title == (
            "no object changes its cluster from clustering 0 to clustering 1"
        )

    def test_many_rows_are_cut_and_told(self):
        data = figure_data(Ensemble([[0, 1, 1]] * 30), "memberships")
        assert len(data.facts["rows"]) == 12
        assert "12 of 30 clusterings shown: clustering 0 to clustering 11" in data.notes

    def test_names_that_look_alike_stay_two_rows(self):
        data = figure_data(Ensemble({"a b": [0, 1], "a\nb": [1, 0]}), "memberships")
        assert len(data.facts["rows"]) == 2

    def test_a_result_from_a_file_has_none(self, choice):
        stored = type(choice).from_dict(json.loads(json.dumps(choice.to_dict())))
        for kind in ("memberships", "scatter"):
            with pytest.raises(NoFigureError, match="read from a file"):
                figure_data(stored, kind)


class TestHeatmap:
    def test_records_are_typicalities_as_given(self):
        values = np.array([[1.0, 0.25], [0.5, 0.75]])
        data = figure_data(PossibilisticPartition(values), "heatmap")
        assert [(r["column"], r["cluster"], r["share"]) for r in data.records] == [
            (0, "0", 1.0),
            (0, "1", 0.25),
            (1, "0", 0.5),
            (1, "1", 0.75),
        ]
        assert data.facts["word"] == "typicality"
        mesh = drawn(data).axes[0].collections[0]
        assert np.array_equal(np.asarray(mesh.get_array()).reshape(2, 2), values.T)

    def test_hard_clusterings_have_none(self):
        with pytest.raises(NoFigureError):
            figure_data(HardPartition([0, 1]), "heatmap")


class TestSimplex:
    def test_points_by_the_definition(self):
        u = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]])
        data = figure_data(FuzzyPartition(u, names=["p", "q", "r"]), "simplex")
        height = np.sqrt(0.75)
        expected = [(0, 0), (1, 0), (0.5, height), (0.5, height / 3)]
        assert np.allclose([(r["x"], r["y"]) for r in data.records], expected)
        assert data.column("cluster") == ["p", "q", "r", "p"]
        assert data.facts["corners"] == ["p", "q", "r"]

    def test_typicalities_are_normalised_with_a_note(self):
        data = figure_data(PossibilisticPartition([[1.0, 0.5, 0.5]]), "simplex")
        assert [data.records[0][c] for c in ("first", "second", "third")] == [0.5, 0.25, 0.25]
        assert "divided by their sum" in data.notes[0]

    def test_rough_objects_with_one_set_are_one_point(self):
        data = figure_data(ROUGH, "simplex")
        assert sorted(data.column("objects")) == [1, 1, 1, 2]
        texts = {t.get_text() for t in drawn(data).axes[0].texts}
        assert "2" in texts

    def test_noise_is_left_out(self):
        data = figure_data(EVIDENCE, "simplex")
        assert len(data.records) == 3
        assert "1 of 4 objects, mostly noise, left out" in data.notes
        assert data.records[1]["first"] == pytest.approx(0.3 / 0.8)

    def test_many_objects_are_thinned(self):
        data = figure_data(FuzzyPartition(memberships(n=10_000)), "simplex")
        assert 1900 < len(data.records) <= 2000
        assert f"{len(data.records):,} of 10,000 objects shown" in data.notes[0]
        assert len(inline_svg(data, "p")) < 150_000

    @pytest.mark.parametrize("k", [1, 2, 4])
    def test_other_numbers_of_clusters_have_none(self, k):
        with pytest.raises(NoFigureError, match="three"):
            figure_data(FuzzyPartition(memberships(k=k)), "simplex")

    def test_all_noise_has_none(self):
        nothing = EvidentialPartition([[1.0, 0, 0, 0]], [set(), {0}, {1}, {2}])
        with pytest.raises(NoFigureError, match="noise"):
            figure_data(nothing, "simplex")


class TestScatter:
    def test_two_features_are_drawn_as_they_are(self):
        X, labels = blobs()
        data = figure_data(HardPartition(labels), "scatter", X=pd.DataFrame(X, columns=["a", "b"]))
        assert (data.x, data.y) == ("a", "b")
        assert np.array_equal([(r["x"], r["y"]) for r in data.records], X)
        assert data.column("cluster") == [str(i) for i in labels]
        assert data.title == "3 clusters of 30 objects each"

    def test_features_by_name_and_position(self):
        X, labels = blobs(d=4)
        frame = pd.DataFrame(X, columns=list("abcd"))
        data = figure_data(HardPartition(labels), "scatter", X=frame, features=("d", 1))
        assert (data.x, data.y) == ("d", "b")
        assert np.array_equal([(r["x"], r["y"]) for r in data.records], X[:, [3, 1]])
        assert figure_data(HardPartition(labels), "scatter", X=X, features=(-1, 0)).x == "column 3"
        for wrong in (("a",), "ab", ("a", "e"), (0, 4), 3):
            with pytest.raises(PartitaError) as caught:
                figure_data(HardPartition(labels), "scatter", X=frame, features=wrong)
            assert caught.value.parameter == "features"

    @pytest.mark.parametrize(("n", "d"), [(60, 5), (30, 1100), (1010, 1010)])
    def test_principal_components_by_singular_values(self, n, d):
        X = np.random.default_rng(0).normal(size=(n, d)) * np.r_[9.0, 5.0, np.ones(d - 2)] + 1e3
        data = figure_data(HardPartition(np.arange(n) % 2), "scatter", X=X)
        left, strengths, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        expected = (left * strengths)[:, :2]
        rows = [int(r["object"]) for r in data.records]
        points = np.array([(r["x"], r["y"]) for r in data.records])
        for axis in range(2):
            assert np.allclose(np.abs(points[:, axis]), np.abs(expected[rows, axis]), atol=1e-6)
        share = strengths[0] ** 2 / (strengths**2).sum()
        assert data.x == f"principal component 1 ({share:.0%} of variance)"
        assert "principal components of the data in their own units" in data.notes

    def test_given_coordinates_need_no_data(self):
        X, labels = blobs()
        data = figure_data(HardPartition(labels), "scatter", coordinates=X, coordinates_name="UMAP")
        assert (data.x, data.y) == ("UMAP 1", "UMAP 2")
        assert (
            figure_data(HardPartition(labels), "scatter", coordinates=pd.DataFrame(X, columns=list("uv"))).y
            == "v"
        )
        for wrong, error in ((X[:5], MismatchError), (np.c_[X, X], ParameterError)):
            with pytest.raises(error):
                figure_data(HardPartition(labels), "scatter", coordinates=wrong)

    def test_objects_are_matched_by_their_names(self):
        X, labels = blobs(n=12)
        frame = pd.DataFrame(X, index=list("abcdefghijkl"))
        turned = pd.Series(labels, index=frame.index)[::-1]
        data = figure_data(turned, "scatter", X=frame)
        place = {r["object"]: (r["x"], r["y"], r["cluster"]) for r in data.records}
        for i, name in enumerate(frame.index):
            assert place[name] == (*X[i], str(labels[i]))

    def test_soft_colours_are_mixtures(self):
        data = figure_data(FuzzyPartition([[1.0, 0], [0.5, 0.5], [0.2, 0.8]]), "scatter", X=np.eye(3)[:, :2])
        one, other = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in TABLE[:2])
        expected = [one, (one + other) / 2, 0.2 * one + 0.8 * other]
        shown = [[int(r["colour"][i : i + 2], 16) for i in (1, 3, 5)] for r in data.records]
        assert np.abs(np.array(shown) - expected).max() <= 0.5
        sizes = [one.get_sizes()[0] for one in drawn(data).axes[0].collections]
        assert sizes == sorted(sizes)
        assert len(sizes) == 3

    def test_hulls_hold_all_objects(self):
        rng = np.random.default_rng(0)
        X, labels = rng.normal(size=(20_000, 2)), rng.integers(-1, 3, 20_000)
        data = figure_data(HardPartition(labels), "scatter", X=X)
        assert 1900 < len(data.records) <= 2000
        assert f"{len(data.records):,} of 20,000 objects shown, some of every cluster" in data.notes
        assert [hull["cluster"] for hull in data.facts["hulls"]] == ["0", "1", "2"]
        for hull in data.facts["hulls"]:
            corners = np.array(hull["corners"])
            mine = X[labels == int(hull["cluster"])]
            step = np.roll(corners, -1, axis=0) - corners
            for corner, (dx, dy) in zip(corners, step, strict=True):
                away = mine - corner
                assert (dx * away[:, 1] - dy * away[:, 0] >= -1e-9).all()
        assert f"hulls of all {int((labels >= 0).sum()):,} objects in clusters" in data.notes
        assert {r["colour"] for r in data.records if r["cluster"] == "noise"} == {NOISE_COLOUR}
        assert len(inline_svg(data, "p")) < 150_000

    def test_lines_have_no_hull(self):
        assert hull_of(np.array([[0.0, 0], [1, 1], [2, 2], [3, 3.0]])) == []
        assert hull_of(np.array([[0.0, 0], [1, 1]])) == []
        assert hull_of(np.array([[0.0, 5], [1, 5], [2, 5]])) == []
        assert len(hull_of(np.array([[0.0, 0], [1, 0], [0, 1], [0.2, 0.2]]))) == 3

    @pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
    def test_ellipses_hold_most_of_each_component(self, kind):
        X, _ = blobs(n=300, d=4)
        X = X @ np.random.default_rng(1).normal(size=(4, 4))
        model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
        data = figure_data(pt.validate(X, model, indices=["silhouette"]), "scatter")
        assert [one["cluster"] for one in data.facts["ellipses"]] == ["0", "1", "2"]
        _, _, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        axes = axes[:2].T * np.sign(axes[:2].T[np.abs(axes[:2]).argmax(axis=1), [0, 1]])
        rng = np.random.default_rng(2)
        whole = {
            "full": lambda j: model.covariances_[j],
            "tied": lambda _: model.covariances_,
            "diag": lambda j: np.diag(model.covariances_[j]),
            "spherical": lambda j: np.eye(4) * model.covariances_[j],
        }[kind]
        for j, one in enumerate(data.facts["ellipses"]):
            drawn_points = rng.multivariate_normal(model.means_[j] - X.mean(axis=0), whole(j), 20_000) @ axes
            turn = np.radians(one["angle"])
            away = drawn_points - [one["x"], one["y"]]
            along = away @ [np.cos(turn), np.sin(turn)], away @ [-np.sin(turn), np.cos(turn)]
            inside = (2 * along[0] / one["width"]) ** 2 + (2 * along[1] / one["height"]) ** 2 <= 1
            assert inside.mean() == pytest.approx(0.95, abs=0.01)
        shapes = [patch for patch in drawn(data).axes[0].patches if isinstance(patch, Ellipse)]
        assert len(shapes) == 3

    def test_a_choice_is_drawn_in_its_own_units_and_scaled_axes(self, choice):
        data = figure_data(choice, "scatter", k=3)
        assert "principal components of the scaled data" in data.notes
        assert ("k = 3 is shown" in " ".join(data.notes)) == (choice.k != 3)
        features = figure_data(choice, "scatter", k=3, features=("b", "c"))
        own = choice.given.values[:, [1, 2]]
        assert np.array_equal([(r["x"], r["y"]) for r in features.records], own)
        centres = choice.centers(3)[["b", "c"]].to_numpy()
        shown = [(one["x"], one["y"]) for one in features.facts["ellipses"]]
        assert np.allclose(shown, centres)
        model = choice.model_at(3)
        scaler, mixture = model.steps[0][1], model.steps[1][1]
        for one, covariance in zip(features.facts["ellipses"], mixture.covariances_, strict=True):
            back = np.diag(scaler.scale_) @ covariance @ np.diag(scaler.scale_)
            area = np.pi * one["width"] * one["height"] / 4
            assert area == pytest.approx(np.pi * 5.991465 * np.sqrt(np.linalg.det(back[1:, 1:])), rel=1e-5)

    def test_the_k_shown_is_the_chosen_or_leading_one(self, choice):
        data = figure_data(choice, "scatter")
        assert data.title.startswith(f"{choice.k or choice.ballot.leading} clusters")
        for wrong in (9, "3", True):
            with pytest.raises(ParameterError, match="no fit"):
                figure_data(choice, "scatter", k=wrong)

    def test_a_validation_is_drawn_in_its_own_units(self):
        X, labels = blobs(d=3)
        result = pt.validate(X * [1, 100, 1], labels, indices=["silhouette"], scale="standard")
        assert "principal components of the scaled data" in figure_data(result, "scatter").notes
        data = figure_data(result, "scatter", features=(0, 1))
        assert np.allclose([(r["x"], r["y"]) for r in data.records], (X * [1, 100, 1])[:, :2])

    def test_without_features_there_is_none(self):
        X, labels = blobs(n=30)
        distances = np.linalg.norm(X[:, None] - X, axis=2)
        result = pt.validate(distances, labels, metric="precomputed", indices=["silhouette"])
        with pytest.raises(NoFigureError, match="distances"):
            figure_data(result, "scatter")
        assert figure_data(result, "scatter", coordinates=X).x == "coordinate 1"
        with pytest.raises(NoFigureError, match="sparse"):
            figure_data(HardPartition(labels), "scatter", X=sparse.csr_array(X))
        with pytest.raises(NoFigureError, match="no place"):
            figure_data(HardPartition(labels), "scatter")
        stored = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
        with pytest.raises(NoFigureError, match="file"):
            figure_data(stored, "scatter")

    @pytest.mark.parametrize(
        "X",
        [np.ones((4, 3)), np.arange(4.0)[:, None], np.eye(4) * 1e200, np.eye(4) * 1e-200, np.eye(4)[:, :2]],
    )
    @pytest.mark.parametrize("labels", [[0, 0, 0, 0], [-1, 0, 0, 1], [0, 1, 2, 3]])
    def test_odd_data_are_drawn(self, X, labels):
        data = figure_data(HardPartition(labels), "scatter", X=X)
        assert np.isfinite([[r["x"], r["y"]] for r in data.records]).all()
        assert picture(data)

    def test_one_object(self):
        for found in (HardPartition([0]), FuzzyPartition([[0.5, 0.5]])):
            assert picture(figure_data(found, "scatter", X=np.ones((1, 3))))


class TestConsensus:
    def runs(self, n=40, count=8):
        rng = np.random.default_rng(0)
        return [np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), np.arange(n) % 3) for _ in range(count)]

    def test_values_by_counting(self):
        runs = self.runs()
        data = figure_data(Ensemble(runs))
        assert data.kind == "consensus"
        together = np.mean([[[a == b for b in run] for a in run] for run in runs], axis=0)
        order = data.facts["order"]
        assert sorted(order) == list(range(40))
        for record in data.records:
            i, j = order[record["row"]], order[record["column"]]
            assert record["together"] == pytest.approx(together[i, j], abs=5e-5)
        pairs = together[np.triu_indices(40, 1)]
        ambiguous = np.mean([0.1 <= value <= 0.9 for value in pairs])
        assert data.facts["ambiguous"] == pytest.approx(ambiguous)
        assert data.title.startswith(f"{ambiguous:.1%} of the pairs of objects are ambiguous")
        assert "8 clusterings" in data.title
        for level, below in zip(data.facts["levels"], data.facts["below"], strict=True):
            assert below == pytest.approx(np.mean(pairs <= level + 1e-9))

    def test_soft_members_count_by_products(self):
        u, v = memberships(n=20), memberships(n=20, k=4, seed=1)
        data = figure_data(Ensemble([FuzzyPartition(u), FuzzyPartition(v)]))
        expected = (coassociation(u) + coassociation(v)) / 2
        order = data.facts["order"]
        for record in data.records:
            if record["row"] != record["column"]:
                i, j = order[record["row"]], order[record["column"]]
                assert record["together"] == pytest.approx(expected[i, j], abs=5e-5)
        assert "2 of 2 are soft" in data.notes[0]

    def test_other_kinds_and_noise_are_told(self):
        members = [PossibilisticPartition([[1.0, 0.5]] * 3), ROUGH.take([0, 1, 2]), [0, 0, -1]]
        notes = " ".join(figure_data(Ensemble(members)).notes)
        assert "2 of 3 count by pignistic probabilities" in notes
        assert "noise counts as a cluster" in notes

    def test_objects_are_sorted_into_blocks(self):
        labels = np.array([0, 1, 2] * 10)
        order = figure_data(Ensemble([labels] * 3)).facts["order"]
        assert np.count_nonzero(np.diff(labels[order])) == 2

    def test_many_objects_are_thinned_with_their_number(self):
        rng = np.random.default_rng(0)
        data = figure_data(Ensemble([rng.integers(0, 4, 100_000) for _ in range(5)]))
        shown = data.facts["objects"]
        assert 380 < shown <= 400
        assert data.notes[0] == f"from {shown} of 100,000 objects, some of every cluster"
        assert max(data.column("row")) < 100
        assert "mean over 4 by 4 objects" in data.notes[1]

    def test_one_clustering_claims_no_agreement(self):
        title = figure_data(Ensemble([[0, 0, 1]])).title
        assert title == "one clustering: 33.3% of the pairs of objects are together by more than 0.9"

    def test_two_objects_have_one_pair_and_one_object_none(self):
        assert figure_data(Ensemble([[0, 1], [0, 0]])).facts["ambiguous"] == 1.0
        with pytest.raises(NoFigureError, match="pairs"):
            figure_data(Ensemble([[0], [0]]))

    def test_the_curve_and_the_map_are_drawn(self):
        data = figure_data(Ensemble(self.runs()))
        figure = drawn(data)
        images = [image for ax in figure.axes for image in ax.images]
        assert images[0].get_array().shape == (40, 40)
        lines = [line for ax in figure.axes for line in ax.lines]
        assert np.array_equal(lines[0].get_ydata(), data.facts["below"])


HARD3, SOFT3 = HardPartition([0, 1, 2] * 4), FuzzyPartition(memberships(n=12))


@pytest.mark.parametrize(
    ("subject", "kind", "options"),
    [
        (HardPartition.from_codes(HARD3.codes, HOSTILE), "memberships", {}),
        (FuzzyPartition(memberships(n=12), names=HOSTILE), "memberships", {}),
        (FuzzyPartition(memberships(n=12), names=HOSTILE), "heatmap", {}),
        (FuzzyPartition(memberships(n=12), names=HOSTILE), "simplex", {}),
        (
            FuzzyPartition(memberships(n=12), names=HOSTILE),
            "scatter",
            {"coordinates": memberships(n=12, k=2)},
        ),
        (
            HardPartition.from_codes(HARD3.codes, HOSTILE),
            "scatter",
            {"X": pd.DataFrame(memberships(n=12, k=2), columns=HOSTILE[:2])},
        ),
        (Ensemble(dict(zip(HOSTILE, [HARD3, HARD3, SOFT3], strict=True))), "memberships", {}),
        (Ensemble(dict(zip(HOSTILE, [HARD3, HARD3, SOFT3], strict=True))), "consensus", {}),
    ],
)
class TestNames:
    def test_hostile_names_are_shortened_and_plain(self, subject, kind, options):
        data = figure_data(subject, kind, **options)
        json.dumps(data.to_dict(), allow_nan=False)
        assert len({tuple(record) for record in data.records}) == 1
        figure = drawn(data)
        texts = [t.get_text() for ax in figure.axes for t in ax.findobj(lambda a: hasattr(a, "get_text"))]
        assert texts
        told = {data.title, *data.notes, "\n".join(data.notes), data.x, data.y}
        assert all(len(text) <= 64 for text in texts if text.replace("\n", " ") not in told)
        assert not any("\u202e" in text for text in texts)
        svg = inline_svg(data, "p")
        assert "<img" not in svg
        assert "\u202e" not in svg

    def test_they_are_drawn_in_a_small_axes_of_the_user(self, subject, kind, options):
        figure = Figure(figsize=(2.6, 2.2), layout="constrained")
        ax = figure.add_subplot()
        draw(ax, figure_data(subject, kind, **options))
        assert ax.get_title(loc="left")
