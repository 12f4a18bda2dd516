"""Figures of several clusterings: contingency, flow, tree and map, against the definitions."""

import json
import math
from itertools import pairwise, permutations

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import partita as pt
from partita.errors import ParameterError, PartitaError, UnknownNameError
from partita.partitions import Ensemble, as_partition
from partita.plots import NoFigureError, figure_data, kinds_of, plot
from partita.plots._plot import new_figure
from partita.plots.figures import FigureData
from partita.plots.joint_masses import finest, joints_of, mass_text, percent
from partita.plots.layouts import blocks_of, crossings, few_crossings, node_places, ribbons_of
from partita.plots.palette import NOISE_COLOUR, cluster_colours
from partita.plots.pictures import inline_svg

HOSTILE = ["<img src=x onerror=alert(1)>", "a" * 200, "$x_1$ \u202e evil", "line\nbreak"]


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(7)


def memberships(rng, n, k):
    return rng.dirichlet(np.full(k, 0.5), size=n)


def drawn(data):
    """Whatever a kind makes can be drawn, and its data are plain."""
    json.dumps(data.to_dict(), allow_nan=False)
    assert len({tuple(record) for record in data.records}) <= 1
    assert data.title
    assert data.description
    assert "\n" not in data.title
    assert new_figure(data).axes[0].get_title(loc="left").replace("\n", " ") == data.title
    return data


# --- contingency ------------------------------------------------------------------------------------------


def test_contingency_counts_and_shares_are_those_of_the_table(rng):
    truth = rng.integers(4, size=300)
    found = np.where(rng.random(300) < 0.7, (truth + 1) % 4, rng.integers(5, size=300))
    data = drawn(figure_data(pt.compare(truth, found)))
    assert data.kind == "contingency"
    seen = {(r["truth"], r["found"]): r for r in data.records}
    for i in range(4):
        for j in range(5):
            both = int(np.sum((truth == i) & (found == j)))
            assert ((str(i), str(j)) in seen) == (both > 0)
            if both:
                record = seen[str(i), str(j)]
                assert record["count"] == both
                assert record["share"] == pytest.approx(both / np.sum(truth == i))
                assert record["share_of_found"] == pytest.approx(both / np.sum(found == j))
    best = max(
        sum(np.sum((truth == i) & (found == p[i])) for i in range(4)) for p in permutations(range(5), 4)
    )
    assert sum(r["count"] for r in data.records if r["paired"]) == best
    assert data.facts["outside_pairs"] == pytest.approx(1 - best / 300)
    assert all(r["row"] == r["column"] for r in data.records if r["paired"])


@pytest.mark.parametrize(
    ("truth", "found", "title"),
    [
        ("aabb", "1100", "each true cluster is one found cluster, and the other way round"),
        ("aaaa", "0000", "each true cluster is one found cluster, and the other way round"),
        ("aaabbb", "000112", "each found cluster lies within one true cluster; split: b"),
        ("aabbcc", "000011", "each true cluster lies within one found cluster; merged: a and b"),
        (
            "aaaaabbbbb",
            "0000111110",
            "20% of the objects (2 of 10) lie outside the paired cells; the largest part: a in found 1 (1)",
        ),
        (
            "aaaaaabbbbbb",
            "000111111110",
            "33.3% of the objects (4 of 12) lie outside the paired cells; most of them: a in found 1 (3)",
        ),
    ],
)
def test_contingency_titles_say_what_the_table_says(truth, found, title):
    assert figure_data(pt.compare(list(truth), list(found), indices=["ARI"])).title == title


def test_contingency_of_an_alignment_keeps_its_pairs():
    truth, found = list("aaaabbbbcc"), [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    pairs = pt.align(truth, found)
    data = drawn(figure_data(pairs))
    assert {(r["truth"], r["found"]) for r in data.records if r["paired"]} == {
        (row.truth, str(row.found)) for row in pairs.rows
    }
    apart = figure_data(pt.align(truth, found, min_overlap=0.99))
    assert not any(r["paired"] for r in apart.records)
    assert apart.facts["outside_pairs"] == 1.0


def test_weights_are_counted():
    weight = [3, 1, 2, 1]
    for result in (
        pt.compare([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=weight, indices=["ARI"]),
        pt.align([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=weight),
    ):
        counts = {(r["truth"], r["found"]): r["count"] for r in figure_data(result, "contingency").records}
        assert counts == {("0", "0"): 3, ("0", "1"): 1, ("1", "1"): 3}
    flow = figure_data(pt.compare([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=weight, indices=["ARI"]), "flow")
    assert [b["mass"] for b in flow.facts["blocks"] if b["level"] == 0] == [4.0, 3.0]


def test_soft_contingency_is_mass_and_says_so(rng):
    truth, found = rng.integers(3, size=60), memberships(rng, 60, 4)
    data = drawn(figure_data(pt.compare(truth, found, indices=["ARI"])))
    for record in data.records:
        mass = found[truth == int(record["truth"]), int(record["found"])].sum()
        assert record["count"] == pytest.approx(mass)
    assert "of the mass" in data.title
    assert any("softness alone" in note for note in data.notes)


@pytest.mark.parametrize("kind", ["contingency", "flow"])
def test_rough_and_evidential_sides_go_by_pignistic_probabilities(kind):
    rough = pt.RoughPartition([[True, False], [True, True], [False, True], [True, True]])
    data = drawn(figure_data(pt.compare([0, 0, 1, 1], rough, indices=["ARI"]), kind))
    assert any("pignistic" in note and "rough" in note for note in data.notes)
    masses = [r["count"] if kind == "contingency" else r["mass"] for r in data.records]
    assert sorted(masses) == pytest.approx([0.5, 0.5, 1.5, 1.5])


def test_noise_is_called_so_and_empty_clusters_are_told():
    data = figure_data(pt.compare([0, 0, 1, 1], [0, 0, -1, -1], indices=["ARI"]))
    assert "noise" in data.facts["found"]
    empty = pt.HardPartition([0, 0, 1, 1], names=[0, 1, 2])
    told = figure_data(pt.compare(empty, [0, 0, 1, 1], indices=["ARI"]))
    assert told.notes == ("empty clusters are not drawn: 1 true",)


def test_many_clusters_are_an_image_of_the_largest(rng):
    n = 300_000
    truth = rng.integers(500, size=n)
    found = np.where(rng.random(n) < 0.6, truth % 400, rng.integers(400, size=n))
    result = pt.compare(truth, found, indices=["ARI"])
    data = drawn(figure_data(result))
    assert len(data.facts["truth"]) == len(data.facts["found"]) == 60
    assert data.facts["texts"] == "nothing"
    sizes = np.bincount(truth)
    smallest_shown = min(sizes[int(name)] for name in data.facts["truth"])
    assert smallest_shown >= np.sort(sizes)[-60]
    hidden = percent(1 - sum(int(sizes[int(name)]) for name in data.facts["truth"]) / n)
    assert data.notes[0] == (
        f"shown are 60 of 500 true clusters, the largest; the other 440 hold {hidden} of the objects"
    )
    assert data.notes[1].startswith("shown are 60 of 400 found clusters")
    ax = plot(result)
    assert len(ax.images) == 1
    assert ax.get_figure().axes[1].get_ylabel() == "share of the true cluster"
    assert not [t for t in ax.texts if t.get_gid() == "partita-label"]


def test_cells_hold_counts_and_shares_where_there_is_room():
    ax = plot(pt.compare(list("aaabbb"), [0, 0, 1, 1, 1, 1], indices=["ARI"]))
    texts = {t.get_text() for t in ax.texts if t.get_gid() == "partita-label" and t.get_visible()}
    assert texts == {"2\n66.7%", "1\n33.3%", "3\n100%"}
    assert len(ax.get_figure().axes) == 1
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    collection = next(c for c in ax.collections if c.get_gid() == "cells")
    assert len(collection.get_paths()) == 3
    wide = figure_data(pt.compare(np.arange(100) % 10, np.arange(100) // 5, indices=["ARI"]))
    assert wide.facts["texts"] == "count"


def test_a_table_of_very_many_clusters_is_quick():
    data = figure_data(pt.compare(np.arange(50_000), np.arange(50_000) // 2, indices=["ARI"]))
    assert data.title == ("each true cluster lies within one found cluster; merged: 0, 1, 2 and 49,997 more")


# --- joint masses and layouts -----------------------------------------------------------------------------


def joints(partitions, **ways):
    named = {name: as_partition(p) for name, p in partitions.items()}
    reference = ways.pop("reference", next(iter(named.values())))
    return joints_of(named, reference=reference, **{"most_levels": 12, "most_clusters": 40, **ways})


def test_joint_masses_are_sums_of_products(rng):
    hard, soft, softer = rng.integers(3, size=50), memberships(rng, 50, 4), memberships(rng, 50, 2)
    made = joints({"hard": hard, "soft": soft, "softer": softer})
    assert made.is_soft
    np.testing.assert_allclose(made.tables[0], np.eye(3)[hard].T @ soft)
    np.testing.assert_allclose(made.tables[1], soft.T @ softer)
    np.testing.assert_allclose(made.levels[1].masses, soft.sum(axis=0))
    assert made.from_main_parents[1] == pytest.approx((soft.T @ softer).max(axis=0).sum() / 50)
    table = soft.T @ softer
    best = max(table[a, 0] + table[b, 1] for a, b in permutations(range(4), 2))
    assert made.paired[1] == pytest.approx(best / 50)


def test_the_smallest_clusters_are_shown_together_and_counted(rng):
    one = np.repeat(np.arange(60), np.arange(1, 61))
    other = one % 7
    made = joints({"one": one, "other": other}, most_clusters=10)
    assert made.levels[0].clusters[-1] == "51 others"
    assert made.levels[0].together == 51
    kept = np.arange(51, 60)
    assert made.levels[0].keys[:-1] == tuple(kept)
    expected = np.array([[np.sum((one == i) & (other == j)) for j in range(7)] for i in kept])
    np.testing.assert_array_equal(made.tables[0][:-1], expected)
    assert made.tables[0].sum() == one.size
    assert made.notes == ("the 51 smallest clusters of one are shown together, as others",)
    # what is said of the whole is of all clusters, not of those shown
    assert made.from_main_parents[0] == pytest.approx(
        sum(max(np.sum((one == i) & (other == j)) for i in range(60)) for j in range(7)) / one.size
    )


def test_crossings_are_counted_by_the_definition(rng):
    table = rng.random((4, 5))
    counted = sum(
        table[i, j] * table[a, b]
        for i in range(4)
        for a in range(i + 1, 4)
        for j in range(5)
        for b in range(j)
    )
    assert crossings(table) == pytest.approx(counted)


def test_orders_never_cross_more_than_before_and_undo_a_relabelling(rng):
    labels = rng.integers(6, size=200)
    turned = joints({"a": labels, "b": (labels * 5 + 3) % 6 + 10 * (labels == 9)})
    orders = few_crossings(turned)
    assert crossings(turned.tables[0][np.ix_(*orders)]) == 0.0
    noisy = joints({str(i): rng.integers(5, size=80) for i in range(5)})
    before = sum(map(crossings, noisy.tables))
    found = few_crossings(noisy)
    after = sum(crossings(t[np.ix_(a, b)]) for t, (a, b) in zip(noisy.tables, pairwise(found), strict=True))
    assert after < before
    assert all(sorted(order) == list(range(5)) for order in found)


def test_ribbons_fill_their_blocks(rng):
    made = joints({str(i): rng.integers(4, size=90) for i in range(3)})
    orders = few_crossings(made)
    blocks = blocks_of(made, orders)
    ribbons = ribbons_of(made, orders, blocks)
    for block in blocks:
        leaving = sorted(r.parent_low for r in ribbons if (r.level, r.parent) == (block.level, block.cluster))
        mass = sum(r.mass for r in ribbons if (r.level, r.parent) == (block.level, block.cluster)) / 90
        if leaving:
            assert leaving[0] == pytest.approx(block.low)
            assert mass == pytest.approx(block.high - block.low)
        entering = [r for r in ribbons if (r.level + 1, r.child) == (block.level, block.cluster)]
        if entering:
            assert min(r.child_low for r in entering) == pytest.approx(block.low)
            assert max(r.child_low + r.mass / 90 for r in entering) == pytest.approx(block.high)
    columns = [[b for b in blocks if b.level == level] for level in range(3)]
    for column in columns:
        assert all(above.high < below.low for above, below in pairwise(column))


def test_nodes_of_a_level_are_one_apart_in_their_order(rng):
    made = joints({str(k): rng.integers(k, size=90) for k in (2, 5, 3)})
    orders = few_crossings(made)
    for x, order in zip(node_places(made, orders), orders, strict=True):
        assert (np.diff(x[order]) >= 1 - 1e-9).all()


def test_amounts_and_shares_in_words():
    assert [percent(s) for s in (0.0, 0.0004, 0.5, 0.1234, 0.9996, 1.0)] == [
        "0%",
        "<0.1%",
        "50%",
        "12.3%",
        ">99.9%",
        "100%",
    ]
    assert [mass_text(m) for m in (12345.0, 2.25, 0.0123)] == ["12,345", "2.2", "0.012"]


# --- flow -------------------------------------------------------------------------------------------------


def test_flow_ribbons_are_the_table_and_small_ones_are_told():
    truth = [0] * 100 + [1] * 100
    found = [0] * 99 + [1] * 101
    whole = drawn(figure_data(pt.compare(truth, found, indices=["ARI"]), "flow", least=0.0))
    assert {(r["from_cluster"], r["to_cluster"]): r["mass"] for r in whole.records} == {
        ("0", "0"): 99,
        ("0", "1"): 1,
        ("1", "1"): 100,
    }
    assert whole.notes == ()
    assert whole.title == "99.5% of the objects (199 of 200) are in paired clusters of truth and found"
    data = drawn(figure_data(pt.compare(truth, found, indices=["ARI"]), "flow"))
    assert len(data.records) == 2
    assert data.notes == ("1 ribbon of less than 2% of both clusters hidden: 0.5% of the objects",)


def test_flow_titles():
    same = figure_data({"a": [0, 0, 1], "b": [1, 1, 0]}, "flow")
    assert same.title == "each cluster of a is one of b, and the other way round"
    three = figure_data({"a": [0, 0, 1], "b": [1, 1, 0], "c": [5, 5, 6]}, "flow")
    assert three.title == "all 3 clusterings are the same, up to the names of clusters"
    moved = figure_data({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 1, 1]}, "flow")
    assert moved.title == (
        "from one clustering to the next 75% (b to c) to 100% (a to b) of the objects stay in paired clusters"
    )
    soft = figure_data({"a": [[0.5, 0.5], [1.0, 0.0]], "b": [0, 1]}, "flow")
    assert soft.title == "75% of the mass (1.5 of 2) is in paired clusters of a and b"
    assert any("products of memberships" in note for note in soft.notes)


def test_flow_of_clusterings_side_by_side(rng):
    X = rng.normal(size=(40, 2))
    truth = rng.integers(3, size=40)
    candidates = {"one": rng.integers(3, size=40), "two": rng.integers(4, size=40)}
    compared = drawn(figure_data(pt.compare(truth, candidates, indices=["ARI"]), "flow"))
    assert compared.facts["levels"] == ["truth", "one", "two"]
    judged = drawn(figure_data(pt.validate(X, candidates, indices=["silhouette"]), "flow", least=0.0))
    assert judged.facts["levels"] == ["one", "two"]
    table = {(r["from_cluster"], r["to_cluster"]): r["mass"] for r in judged.records}
    for (i, j), mass in table.items():
        assert mass == np.sum((candidates["one"] == int(i)) & (candidates["two"] == int(j)))


def test_flow_refuses_clusterings_of_different_objects():
    truth = [0, 0, 1, 1, 1]
    candidates = {"one": [0, 0, 1, 1, -1], "two": [-1, 0, 1, 1, 1]}
    with pytest.raises(NoFigureError, match="not of the same objects"):
        figure_data(pt.compare(truth, candidates, noise="ignore", indices=["ARI"]), "flow")
    kept = figure_data(pt.compare(truth, candidates, indices=["ARI"]), "flow")
    assert sum(block["cluster"] == "noise" for block in kept.facts["blocks"]) == 2
    assert {b["colour"] for b in kept.facts["blocks"] if b["cluster"] == "noise"} == {NOISE_COLOUR}


def test_flow_colours_follow_the_first_or_the_reference(rng):
    labels = np.repeat([0, 1, 2], 20)
    swapped = (labels + 1) % 3
    data = figure_data({"a": labels, "b": swapped}, "flow")
    colour = {(b["level"], b["cluster"]): b["colour"] for b in data.facts["blocks"]}
    assert all(colour[0, str(c)] == colour[1, str((c + 1) % 3)] for c in range(3))
    reference = as_partition(["x"] * 40 + ["w"] * 20)
    given = figure_data({"a": labels, "b": swapped}, "flow", reference=reference)
    known = cluster_colours(reference)
    assert {b["colour"] for b in given.facts["blocks"] if b["cluster"] == "2" and b["level"] == 0} == {
        known["w"]
    }


def test_flow_draws_a_ribbon_for_each_record_and_a_block_for_each_cluster(rng):
    ensemble = {"a": rng.integers(3, size=50), "b": rng.integers(2, size=50)}
    data = figure_data(ensemble, "flow")
    ax = plot(ensemble, "flow")
    shapes = {c.get_gid(): len(c.get_paths()) for c in ax.collections}
    assert shapes == {"ribbons": len(data.records), "blocks": 5}
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b"]


def test_flow_of_a_million_objects_with_many_clusters(rng):
    one = rng.integers(500, size=1_000_000)
    data = drawn(figure_data({"a": one, "b": one % 400}, "flow"))
    assert len(data.facts["blocks"]) == 80
    assert sum(b["mass"] for b in data.facts["blocks"]) == 2_000_000


# --- tree -------------------------------------------------------------------------------------------------


def nested(rng, n=240):
    eight = rng.integers(8, size=n)
    return {"two": eight // 4, "four": eight // 2, "eight": eight}


def test_tree_edges_are_shares_of_the_lower_cluster(rng):
    levels = {"a": rng.integers(3, size=90), "b": rng.integers(4, size=90)}
    data = drawn(figure_data(levels, "tree", least=0.0))
    assert len(data.records) == 12
    for r in data.records:
        i, j = int(r["from_cluster"]), int(r["to_cluster"])
        both = np.sum((levels["a"] == i) & (levels["b"] == j))
        assert r["mass"] == both
        assert r["share_of_lower"] == pytest.approx(both / np.sum(levels["b"] == j))
        assert r["share_of_upper"] == pytest.approx(both / np.sum(levels["a"] == i))
    strong = figure_data(levels, "tree", least=0.35)
    kept = [r for r in data.records if r["share_of_lower"] >= 0.35]
    assert len(strong.records) == len(kept) < 12
    assert strong.notes == (
        f"{12 - len(kept)} of 12 edges hidden: less than 35% of the lower cluster comes from the upper one",
    )


def test_tree_titles(rng):
    assert figure_data(nested(rng), "tree").title == (
        "every cluster is a part of one cluster of the clustering before"
    )
    two = figure_data({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, "tree")
    assert two.title == "75% of the objects come from the main parent of their cluster"
    more = figure_data({"a": [0, 0, 0, 0], "b": [0, 0, 1, 1], "c": [0, 1, 1, 1]}, "tree")
    assert more.title == (
        "at every step at least 75% of the objects come from the main parent of their cluster; "
        "the least from b to c"
    )
    soft = figure_data({"a": [[0.5, 0.5], [1.0, 0.0]], "b": [0, 1]}, "tree")
    assert soft.title == "75% of the mass comes from the main parent of its cluster"


def test_tree_over_k_and_flow_over_k(rng):
    X = np.concatenate([rng.normal(c, 0.3, size=(25, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    result = pt.choose_k(X, ks=range(1, 5), indices=["silhouette"], n_runs=2)
    tree = drawn(figure_data(result, "tree"))
    assert tree.facts["levels"] == [f"k = {k}" for k in range(1, 5)]
    assert len(tree.facts["nodes"]) == 10
    flow = drawn(figure_data(result, "flow"))
    assert flow.title == tree.title
    known = cluster_colours(finest(list(result.partitions.values())))
    last = [n for n in tree.facts["nodes"] if n["level"] == 3]
    assert {n["cluster"]: n["colour"] for n in last} == known
    read = pt.selection.ChoiceOfK.from_dict(json.loads(json.dumps(result.to_dict())))
    for kind in ("tree", "flow"):
        with pytest.raises(NoFigureError, match="no clusterings"):
            figure_data(read, kind)


def test_stability_is_the_mean_largest_jaccard_index(rng):
    levels = {"a": rng.integers(2, size=60), "b": rng.integers(3, size=60), "c": rng.integers(2, size=60)}
    data = drawn(figure_data(levels, "tree", colour="stability"))
    names = list(levels)

    def jaccard(one, other):
        return np.sum(one & other) / np.sum(one | other)

    for node in data.facts["nodes"]:
        own = levels[names[node["level"]]] == int(node["cluster"])
        beside = [n for n in (node["level"] - 1, node["level"] + 1) if 0 <= n < 3]
        best = [max(jaccard(own, levels[names[n]] == c) for c in range(3)) for n in beside]
        assert node["value"] == pytest.approx(np.mean(best))
    assert data.facts["scale"] == [0.0, 1.0]
    kept = figure_data({"a": [0, 0, 1, 1], "b": [1, 1, 0, 0]}, "tree", colour="stability")
    assert [node["value"] for node in kept.facts["nodes"]] == [1.0] * 4


def test_nodes_take_given_numbers():
    levels = {"a": [0, 0, 1, 1], "b": [0, 1, 2, 2]}
    given = {("a", 0): 0.25, ("b", 2): 0.75, ("a", 1): math.nan}
    data = drawn(figure_data(levels, "tree", colour=given, measure="silhouette"))
    values = {(n["level"], n["cluster"]): n["value"] for n in data.facts["nodes"]}
    assert values == {(0, "0"): 0.25, (0, "1"): None, (1, "0"): None, (1, "1"): None, (1, "2"): 0.75}
    assert data.facts["measure"] == "silhouette"
    assert data.facts["scale"] == [0.25, 0.75]
    drawn(figure_data(levels, "tree", colour={("a", 0): 2.0}))
    with pytest.raises(ParameterError, match="not there"):
        figure_data(levels, "tree", colour={("a", 7): 1.0})
    with pytest.raises(ParameterError, match="no number"):
        figure_data(levels, "tree", colour={("a", 0): "high"})
    with pytest.raises(PartitaError):
        figure_data(levels, "tree", colour="stabilty")
    with pytest.raises(ParameterError, match="measure"):
        figure_data(levels, "tree", colour={}, measure=3)


def test_tree_draws_its_nodes_and_edges(rng):
    levels = nested(rng)
    ax = plot(levels, "tree")
    parts = {c.get_gid(): c for c in ax.collections}
    assert len(parts["nodes"].get_offsets()) == 14
    assert len(parts["edges"].get_segments()) == 12
    areas = parts["nodes"].get_sizes()
    nodes = figure_data(levels, "tree").facts["nodes"]
    masses = np.array([n["mass"] for n in nodes])
    large = areas > areas.min()
    np.testing.assert_allclose(areas[large] / areas.max(), masses[large] / masses.max())
    assert [t.get_text() for t in ax.get_yticklabels()] == list(levels)


# --- map --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(rng):
    first = rng.integers(3, size=80)
    other = rng.integers(4, size=80)
    stirred = np.where(rng.random(80) < 0.15, rng.integers(3, size=80), first)
    mixed = np.where(rng.random(80) < 0.15, rng.integers(4, size=80), other)
    return {"first": first, "other": other, "like first": stirred, "like other": mixed}


@pytest.mark.parametrize("index", ["adjusted_rand", "variation_of_information"])
def test_map_has_every_pair_and_its_order_is_average_linkage(runs, index):
    result = pt.consensus_index(runs, ["ARI", "VI"])
    data = drawn(figure_data(result, "map", index=index))
    names = list(runs)
    values = {frozenset((r["first"], r["second"])): r["value"] for r in data.records}
    assert len(values) == 6
    for a in names:
        for b in names:
            if a != b:
                expected = pt.compare(runs[a], runs[b], indices=[index])[index].value
                assert values[frozenset((a, b))] == pytest.approx(expected)
    places = {name: place for place, name in enumerate(data.facts["clusterings"])}
    assert abs(places["first"] - places["like first"]) == 1
    assert abs(places["other"] - places["like other"]) == 1
    away = {p: 1 - v if index == "adjusted_rand" else v for p, v in values.items()}
    inner = sorted(away[frozenset(pair)] for pair in (("first", "like first"), ("other", "like other")))
    across = np.mean(
        [away[frozenset((a, b))] for a in ("first", "like first") for b in ("other", "like other")]
    )
    assert [m["distance"] for m in data.facts["merges"]] == pytest.approx([*inner, across])
    best = 1.0 if index == "adjusted_rand" else 0.0
    assert data.facts["scale"][1] == best
    closest = min(away, key=away.get)
    assert set(data.title.split(" agree most")[0].split(" and ")) == closest
    farthest = max(away, key=away.get)
    assert all(name in data.title.split("agree most")[1] for name in farthest)
    assert data.x.endswith("higher is better" if index == "adjusted_rand" else "lower is better")


def test_map_of_pairwise_agreement_and_of_a_choice(runs, rng):
    agreement = pt.compare_models(None, runs, ["ARI", "VI"], bootstrap=5)
    data = drawn(figure_data(agreement))
    assert data.kind == "map"
    assert kinds_of(agreement) == ("map",)
    frame = agreement.matrix("ARI")
    assert all(r["value"] == frame.loc[r["first"], r["second"]] for r in data.records)
    assert len(data.records) == 10
    assert figure_data(agreement, index="VI").x.startswith("VI")
    with pytest.raises(UnknownNameError):
        figure_data(agreement, index="nonsense")
    choice = pt.choose(rng.normal(size=(80, 2)), runs)
    chosen = drawn(figure_data(choice, "map"))
    pairs = choice.agreement
    assert all(r["value"] == pairs.loc[r["first"], r["second"]] for r in chosen.records)


def test_map_of_an_index_with_two_directions(runs):
    data = drawn(figure_data(pt.consensus_index(runs, "purity")))
    assert not data.facts["symmetric"]
    assert len(data.records) == 12
    assert any("mean of both directions" in note for note in data.notes)
    matrix = pt.consensus_index(runs, "purity").matrix()
    names = list(runs)
    for r in data.records:
        assert r["value"] == matrix[names.index(r["first"]), names.index(r["second"])]


def test_map_of_indices_without_a_best_value(runs):
    data = drawn(figure_data(pt.consensus_index(runs, "joint_entropy")))
    assert data.facts["merges"] == []
    assert data.facts["clusterings"] == list(runs)
    assert data.notes == ("joint_entropy has no better direction, so there is no dendrogram",)
    assert "agree" not in data.title
    endless = drawn(figure_data(pt.consensus_index(runs, "mutual_information")))
    assert len(endless.facts["merges"]) == 3
    assert endless.facts["merges"][0]["distance"] == 0.0
    assert endless.facts["distance"] == "away from the closest pair"


def test_map_says_that_soft_clusterings_do_not_score_best_with_themselves(rng):
    soft = {"a": memberships(rng, 30, 3), "b": memberships(rng, 30, 3)}
    data = drawn(figure_data(pt.compare_models(None, soft, ["adjusted_rand"], bootstrap=3)))
    assert any("diagonal" in note for note in data.notes)
    assert {r["first"] for r in data.records if r["first"] == r["second"]} == {"a", "b"}


def test_map_titles():
    same = figure_data(pt.consensus_index([[0, 0, 1], [1, 1, 0], [0, 0, 1]], "ARI"))
    assert same.title == "all 3 clusterings agree fully: ARI 1 for every two"
    two = figure_data(pt.consensus_index([[0, 0, 1, 1], [0, 0, 1, 2]], "ARI"))
    assert two.title == "0 and 1: ARI 0.571, higher is better"
    ties = figure_data(pt.consensus_index([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 3, 3], [0, 0, 1, 2]], "ARI"))
    assert (
        ties.title == "0 and 1 and 2 other pairs agree most (ARI 1), 0 and 3 and 2 other pairs least (0.571)"
    )


def test_map_of_many_clusterings_and_of_values_that_are_not_there(rng):
    many = drawn(figure_data(pt.consensus_index([rng.integers(3, size=20) for _ in range(120)], "VI")))
    assert len(many.facts["clusterings"]) == 100
    assert many.notes == ("100 of 120 clusterings shown, evenly over their order",)
    assert many.title.startswith("of those shown")
    nothing = pt.consensus_index([[0, 0], [0, 0]], "ARI")
    broken = type(nothing)(rows=nothing.rows, matrices={"adjusted_rand": np.full((2, 2), np.nan)})
    with pytest.raises(NoFigureError, match="no value for any two"):
        figure_data(broken)
    partly = np.array([[np.nan, 0.5, np.nan], [0.5, np.nan, 0.2], [np.nan, 0.2, np.nan]])
    told = drawn(figure_data(type(nothing)(rows=nothing.rows, matrices={"adjusted_rand": partly})))
    assert told.notes == ("2 of 6 cells have no value, and count as farthest in the dendrogram",)


def test_consensus_keeps_the_names_of_its_clusterings(runs):
    result = pt.consensus_index(runs, "ARI")
    assert result.names == tuple(runs)
    again = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.names == result.names
    assert figure_data(again).facts["clusterings"] == figure_data(result).facts["clusterings"]


def test_map_draws_cells_and_the_dendrogram(runs):
    ax = plot(pt.consensus_index(runs, "ARI"))
    figure = ax.get_figure()
    parts = {c.get_gid(): c for axes in figure.axes for c in axes.collections}
    assert len(parts["cells"].get_paths()) == 12
    assert len(parts["dendrogram"].get_segments()) == 3
    texts = {t.get_text() for axes in figure.axes for t in axes.texts if t.get_gid() == "partita-label"}
    assert len(texts) == 6


# --- all of them ------------------------------------------------------------------------------------------


def test_hostile_names_are_shortened(rng):
    labels = [HOSTILE[i] for i in rng.integers(4, size=60)]
    turned = labels[::-1]
    subjects = [
        (pt.compare(labels, turned, indices=["ARI"]), "contingency"),
        (pt.compare(labels, turned, indices=["ARI"]), "flow"),
        ({HOSTILE[0]: labels, HOSTILE[1]: turned}, "flow"),
        ({HOSTILE[0]: labels, HOSTILE[1]: turned, HOSTILE[2]: labels}, "tree"),
        (pt.consensus_index({name: [0, 0, 1] for name in HOSTILE} | {"z": [0, 1, 1]}, "ARI"), "map"),
    ]
    for subject, kind in subjects:
        data = drawn(figure_data(subject, kind))
        svg = inline_svg(data, "p")
        assert "<img" not in svg
        assert "\u202e" not in svg
        ax = plot(subject, kind)
        for axes in ax.get_figure().axes:
            for text in (*axes.get_xticklabels(), *axes.get_yticklabels(), *axes.texts):
                assert all(len(line) <= 110 for line in text.get_text().split("\n"))
                assert "a" * 30 not in text.get_text()


def test_clusterings_that_look_alike_by_name_stay_apart():
    data = figure_data(Ensemble({1: [0, 0, 1], "1": [0, 1, 1]}), "flow")
    assert data.facts["levels"] == ["1", "1 (2)"]


@pytest.mark.parametrize("kind", ["flow", "tree"])
def test_small_and_odd_clusterings(kind):
    drawn(figure_data({"a": [0], "b": [0]}, kind))
    drawn(figure_data({"a": [0, 0], "b": [0, 1]}, kind))
    drawn(figure_data({"a": [-1, -1, -1], "b": [0, -1, 1]}, kind))
    drawn(figure_data({str(i): np.arange(30) % (i + 1) for i in range(40)}, kind))
    with pytest.raises(NoFigureError, match="one clustering alone"):
        figure_data({"a": [0, 1]}, kind)
    for wrong in (-0.1, 2, "much", None, True, math.nan):
        with pytest.raises(ParameterError, match="no share"):
            figure_data({"a": [0, 1], "b": [0, 1]}, kind, least=wrong)


@pytest.mark.parametrize("kind", ["contingency", "flow"])
def test_results_without_clusterings_have_no_figure(kind):
    result = pt.compare([0, 0, 1], [0, 1, 1], indices=["ARI"])
    read = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    with pytest.raises(NoFigureError, match="no clusterings"):
        figure_data(read, kind)
    noise = pt.compare([-1, -1, -1], [0, 0, 1], noise="ignore", indices=["ARI"], noise_label=-1)
    with pytest.raises(NoFigureError, match="no clusterings"):
        figure_data(noise, kind)
    if kind == "contingency":
        aligned = pt.align([0, 0, 1], [0, 1, 1])
        with pytest.raises(NoFigureError, match="no clusterings"):
            figure_data(type(aligned).from_dict(aligned.to_dict()))


def test_an_ensemble_has_no_map():
    assert "map" not in kinds_of({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(NoFigureError, match="carries no figure of the kind map"):
        figure_data({"a": [0, 1], "b": [0, 1]}, "map")


def test_figures_fit_a_small_axes(runs):
    _, axes = plt.subplots(2, 2, figsize=(4.0, 4.0), layout="constrained")
    compared = pt.compare(runs["first"], runs["other"], indices=["ARI"])
    for ax, (subject, kind) in zip(
        axes.flat,
        [
            (compared, "contingency"),
            (compared, "flow"),
            (runs, "tree"),
            (pt.consensus_index(runs, "ARI"), "map"),
        ],
        strict=True,
    ):
        assert plot(subject, kind, ax=ax) is ax
        assert ax.get_title(loc="left").replace("\n", " ") == figure_data(subject, kind).title
    assert isinstance(figure_data(compared), FigureData)
