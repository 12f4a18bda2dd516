"""Every kind of figure of every result goes through one gate; then names, colours, thinning and pictures."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import partita as pt
from partita.errors import ParameterError, PartitaError
from partita.partitions import Partition
from partita.plots import NoFigureError, figure_data, kinds_of, picture
from partita.plots.figures import every_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import OKABE_ITO, cluster_colours
from partita.plots.pictures import inline_svg
from partita.plots.thinning import FEWEST, MOST_DRAWN, thinned, thinning_note
from partita.selection._structure import Structure
from partita.selection.stabilities import ClusterStability

mpl.use("Agg")

HOSTILE = "<img src=x onerror=alert(1)> </script> \u202eevil $x_1$ & \n" + "long" * 60
NAMES = np.array(["a", "b", HOSTILE])
RNG = np.random.default_rng(0)
TRUTH = np.repeat(NAMES, 20)
X = RNG.normal(size=(60, 2)) + 6 * np.eye(3)[np.repeat([0, 1, 2], 20)][:, :2]
FOUND = np.roll(TRUTH, 3)
SOFT = 0.7 * np.eye(3)[np.repeat([0, 1, 2], 20)] + 0.3 * RNG.dirichlet(np.ones(3), 60)
SMALL_SOFT = SOFT[::10]
ROUGH = pt.RoughPartition(SMALL_SOFT > 0.15)


def fuzzy() -> pt.FuzzyPartition:
    return pt.FuzzyPartition(SOFT, names=list(NAMES))


def evidential() -> pt.EvidentialPartition:
    return pt.FuzzyPartition(SMALL_SOFT).to("evidential")


def choice(**ways: Any) -> Any:
    return pt.choose_k(
        X,
        pt.cluster.GaussianMixtureEM(),
        [1, 2, 3, 4],
        n_runs=2,
        indices=["BIC", "silhouette"],
        random_state=0,
        **ways,
    )


def steady() -> Any:
    return pt.stability(X, ks=[2, 3, 4], n_repeats=4, random_state=0)


SAMPLES: dict[type, Any] = {
    pt.Comparison: lambda: pt.compare(
        TRUTH, fuzzy(), indices=["ARI", "VI"], null="permutation", n_shuffles=99, bootstrap=99
    ),
    pt.Alignment: lambda: pt.align(TRUTH, FOUND),
    pt.SideBySide: lambda: pt.compare(
        TRUTH, {"one": FOUND, HOSTILE: fuzzy()}, indices=["ARI", "VI"], bootstrap=99
    ),
    pt.ModelComparison: lambda: pt.compare_models(TRUTH, {"one": FOUND, HOSTILE: TRUTH}, bootstrap=99),
    pt.PairwiseAgreement: lambda: pt.compare_models(None, {"one": FOUND, HOSTILE: TRUTH, "c": FOUND[::-1]}),
    pt.ConsensusIndex: lambda: pt.consensus_index([TRUTH, FOUND, FOUND[::-1]], "ARI"),
    pt.Validation: lambda: pt.validate(X, FOUND),
    pt.ClusterQuality: lambda: pt.validate(X, FOUND).by_cluster,
    pt.Distribution: lambda: pt.distribution(TRUTH[::10], SMALL_SOFT, index="rand"),
    pt.SetDistance: lambda: pt.hausdorff(ROUGH, TRUTH[::10], "rand"),
    pt.ChoiceOfK: choice,
    pt.ChoiceOfClustering: lambda: pt.choose(X, {"one": FOUND, HOSTILE: TRUTH}),
    pt.ChoiceOfValue: lambda: pt.choose_value(
        X, pt.cluster.GaussianMixtureEM(3, random_state=0), {"reg_covar": [1e-6, 1e-2]}, n_runs=2
    ),
    pt.cluster.DensityTree: lambda: pt.cluster.DensityTree().fit(X),
    pt.Stability: steady,
    ClusterStability: lambda: steady().by_cluster,
    Structure: lambda: pt.selection.structure(X, n_null=19, random_state=0),
    pt.Benchmark: lambda: pt.benchmark(
        {"swap": pt.cluster.RandomSwap(3)},
        {"blobs": (X, TRUTH), HOSTILE: (X, FOUND)},
        n_runs=2,
        random_state=0,
    ),
    pt.Ensemble: lambda: pt.Ensemble({"one": TRUTH, HOSTILE: FOUND, "soft": fuzzy()}),
    pt.HardPartition: lambda: pt.HardPartition(TRUTH),
    pt.FuzzyPartition: fuzzy,
    pt.PossibilisticPartition: lambda: pt.PossibilisticPartition(0.9 * SOFT),
    pt.RoughPartition: lambda: ROUGH,
    pt.EvidentialPartition: evidential,
}
"""A sample of every result that has a figure, with hostile names where it has names."""

NEEDS = {
    ("scatter", pt.HardPartition): {"X": X},
    ("scatter", pt.FuzzyPartition): {"X": X},
    ("scatter", pt.PossibilisticPartition): {"X": X},
    ("scatter", pt.RoughPartition): {"X": X[::10]},
    ("scatter", pt.EvidentialPartition): {"X": X[::10]},
}
"""Options without which a figure cannot be made."""

NESTED = np.array([[30.0 * (g // 3) + 4 * (g % 3), 4.0 * (g % 2)] for g in np.repeat(np.arange(9), 20)])
NESTED += 0.4 * RNG.normal(size=NESTED.shape)
COARSE, FINE = np.repeat([0, 1, 2], 60), np.repeat(np.arange(9), 20)

OTHER: dict[tuple[str, type], Any] = {
    ("ends", pt.Comparison): lambda: pt.compare(TRUTH[::10], ROUGH),
    ("levels", pt.ChoiceOfK): lambda: pt.choose_k(NESTED, random_state=0),
    ("levels", pt.ChoiceOfClustering): lambda: pt.choose(NESTED, {"one": COARSE, HOSTILE: FINE}),
    ("levels", pt.ChoiceOfValue): lambda: pt.choose_value(
        NESTED, pt.cluster.DensityTree(), {"n_clusters": [3, 9]}
    ),
}
"""Figures that the usual sample does not carry."""

PAIRS = [
    (kind.name, one)
    for one in SAMPLES
    for kind in every_kind().values()
    if any(base in kind.makers for base in one.__mro__)
]
IDS = [f"{one.__name__}-{kind}" for kind, one in PAIRS]


@cache
def sample(one: type, kind: str = "") -> Any:
    return OTHER[kind, one]() if (kind, one) in OTHER else SAMPLES[one]() if not kind else sample(one)


@cache
def shown(kind: str, one: type) -> Any:
    return figure_data(sample(one, kind), kind, **NEEDS.get((kind, one), {}))


def test_every_registered_result_has_a_sample():
    registered = {one for kind in every_kind().values() for one in kind.makers}
    assert registered - {Partition} == set(SAMPLES)
    assert all(kind.draw is not None for kind in every_kind().values())


@pytest.fixture(params=PAIRS, ids=IDS)
def pair(request) -> tuple[str, type]:
    return request.param


def test_what_is_shown_is_plain_and_whole(pair):
    data = shown(*pair)
    assert json.loads(json.dumps(data.to_dict(), allow_nan=False))["kind"] == pair[0]
    assert 0 < len(data.title) < 200
    assert data.description
    assert data.title[-1] != "."
    assert data.records
    assert len({tuple(record) for record in data.records}) == 1
    assert len(data.to_frame()) == len(data.records)
    allowed = (str, int, float, bool, type(None))
    assert all(type(value) in allowed for record in data.records for value in record.values())
    told = json.dumps(data.to_dict())
    assert "\u202e" not in json.loads(told)["title"] + json.loads(told)["description"]
    assert figure_data(sample(pair[1], pair[0]), pair[0], **NEEDS.get(pair, {})) == data


def test_it_is_drawn_as_a_file_and_for_a_page_the_same_every_time(pair):
    data = shown(*pair)
    drawn = picture(data, "svg")
    assert drawn == picture(data, "svg")
    assert ET.fromstring(drawn).tag.endswith("svg")
    page = inline_svg(data, "p-")
    root = ET.fromstring(page)
    assert [one.tag.rpartition("}")[2] for one in root][:2] == ["title", "desc"]
    assert (root[0].text, root[1].text) == (data.title, data.description)
    attributes = {name for one in root.iter() for name in one.attrib}
    assert not {name for name in attributes if name == "style" or name.startswith("on")}
    assert not {one.tag.rpartition("}")[2] for one in root.iter()} & {"script", "style", "foreignObject"}
    assert "\u202e" not in page
    assert len(page) < 200_000
    named = [one.get("id") for one in root.iter() if one.get("id")]
    assert all(name.startswith("p-") for name in named)
    assert len(named) == len(set(named))


def test_it_is_drawn_into_an_axes_that_is_given(pair):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(16, 9), layout="constrained")
    try:
        assert pt.plot(sample(pair[1], pair[0]), pair[0], ax=right, **NEEDS.get(pair, {})) is right
        assert not left.has_data()
        figure.canvas.draw()
        assert right.get_title(loc="left").replace("\n", " ") == shown(*pair).title
    finally:
        plt.close(figure)


def test_texts_of_a_figure_do_not_overlap(pair):
    """Names that give way to one another are those at ticks and those that are labels."""
    from partita.plots._plot import new_figure
    from partita.plots.panels import LABEL

    figure = new_figure(shown(*pair))
    renderer = figure.canvas.get_renderer()
    for ax in figure.axes:
        groups = [ax.get_yticklabels(), [t for t in ax.texts if t.get_gid() == LABEL]]
        for texts in groups:
            boxes = [t.get_window_extent(renderer) for t in texts if t.get_visible() and t.get_text()]
            for i, one in enumerate(boxes):
                assert not any(
                    one.x0 < other.x1
                    and other.x0 < one.x1
                    and one.y0 < other.y1 - 0.5
                    and other.y0 < one.y1 - 0.5
                    for other in boxes[i + 1 :]
                )


def test_an_option_that_no_figure_has_is_refused_by_name(pair):
    with pytest.raises(PartitaError, match="colours"):
        figure_data(sample(pair[1], pair[0]), pair[0], **{**NEEDS.get(pair, {}), "colours": 3})


@pytest.mark.parametrize("one", SAMPLES, ids=lambda one: one.__name__)
def test_the_usual_figure_comes_first_and_is_drawn_without_a_kind(one):
    usual = kinds_of(sample(one))[0]
    assert one in every_kind()[usual].usual_for
    assert figure_data(sample(one)).kind == usual


# --- bad input --------------------------------------------------------------------------------------------


def test_what_has_no_figure_says_so():
    with pytest.raises(NoFigureError, match="no index here has a lower and an upper value"):
        figure_data(sample(pt.Comparison), "ends")
    with pytest.raises(NoFigureError, match="carries no figure of the kind votes"):
        figure_data(sample(pt.Validation), "votes")
    with pytest.raises(PartitaError, match="did you mean contingency"):
        figure_data(sample(pt.Alignment), "contingancy")
    with pytest.raises(PartitaError):
        figure_data(sample(pt.Alignment), 3)
    with pytest.raises(NoFigureError, match="no figure of a ClusterDifferences"):
        pt.plot(sample(pt.Comparison).differences("cluster"))
    with pytest.raises(ParameterError, match="ax is where") as caught:
        pt.plot(sample(pt.Alignment), ax=[1])
    assert caught.value.parameter == "ax"
    with pytest.raises(PartitaError):
        pt.plot(object())


def test_clusterings_come_as_they_are_and_several_by_name():
    assert figure_data([0, 0, 1]).kind == "memberships"
    assert figure_data({"a": [0, 0, 1], "b": [0, 1, 1]}).kind == "consensus"


# --- names, colours, thinning -----------------------------------------------------------------------------


def test_names_are_in_one_line_short_and_without_tricks():
    assert plain_name("a\nb\t c") == "a b c"
    assert plain_name("x\u202ey") == "x\\u202ey"
    assert plain_name("") == "''"
    assert short_name("x" * 30) == "x" * 23 + "…"
    assert short_name("x" * 24) == "x" * 24
    assert short_name(HOSTILE) == "<img src=x onerror=aler…"


def test_one_cluster_has_one_colour_whatever_it_is_called():
    first = pt.HardPartition([0, 0, 1, 1, 2, 2])
    other = pt.HardPartition(list("zzxxyy"))
    assert list(cluster_colours(first).values()) == list(OKABE_ITO[:3])
    assert cluster_colours(other, reference=first) == {
        "x": OKABE_ITO[1],
        "y": OKABE_ITO[2],
        "z": OKABE_ITO[0],
    }
    more = cluster_colours(pt.HardPartition([0, 1, 2, 3, 4, 5]), reference=first)
    assert len(set(more.values())) == 6


def test_thinning_keeps_every_cluster_and_its_share():
    codes = np.repeat([0, 1, 2], [900_000, 99_995, 5])
    rows = thinned(codes)
    assert rows.size <= MOST_DRAWN
    assert np.array_equal(rows, thinned(codes))
    assert np.all(np.diff(rows) > 0)
    counts = np.bincount(codes[rows])
    assert counts[2] == 5
    assert counts[0] / counts[1] == pytest.approx(9, rel=0.1)
    assert np.array_equal(thinned(codes[:2000]), np.arange(2000))
    many = thinned(np.arange(10_000) % 500)
    assert np.bincount(many % 500, minlength=500).min() >= min(FEWEST, MOST_DRAWN // 500)
    assert thinning_note(2000, 1_000_000) == ("2,000 of 1,000,000 objects shown, some of every cluster",)
    assert thinning_note(10, 10) == ()


def test_notes_of_two_plots_in_one_figure_do_not_lie_on_each_other():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(7, 8), layout="constrained")
    try:
        for ax in axes:
            pt.plot(fuzzy(), "scatter", ax=ax, X=np.c_[X, X[:, :1] * 0.1 + RNG.normal(size=(60, 1))])
        figure.canvas.draw()
        notes = [t for ax in figure.axes for t in ax.texts if t.get_gid() == "partita-notes"]
        lower, upper = sorted((t.get_window_extent() for t in notes), key=lambda box: box.y0)
        assert lower.y1 <= upper.y0 + 1
    finally:
        plt.close(figure)


def test_axes_that_are_not_straight_are_refused():
    from matplotlib.figure import Figure

    for projection in ("polar", "3d"):
        with pytest.raises(ParameterError, match="ax is where"):
            pt.plot([0, 0, 1, 1], ax=Figure().add_subplot(projection=projection))


def test_a_reference_may_be_labels_and_nothing_else():
    result = pt.validate(np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1])
    swapped = figure_data(result, "silhouette", reference=[1, 1, 1, 0, 0, 0]).facts["clusters"]
    assert [one["colour"] for one in swapped] == [OKABE_ITO[1], OKABE_ITO[0]]
    for wrong in ("abc", 3, object(), []):
        with pytest.raises(PartitaError):
            figure_data(result, "silhouette", reference=wrong)


def test_more_clusters_than_points_are_thinned_at_random():
    codes = np.arange(6 * MOST_DRAWN) // 2
    rows = thinned(codes)
    assert rows.size == MOST_DRAWN
    assert np.array_equal(rows, np.unique(rows))
    data = figure_data(codes, "scatter", X=np.column_stack([codes, codes % 7]).astype(float))
    assert len(data.records) == MOST_DRAWN
    assert f"{MOST_DRAWN:,} of {codes.size:,} objects shown, drawn at random" in data.notes
    several = figure_data({"a": codes[:2000], "b": codes[:2000] // 3}, "consensus")
    assert any("drawn at random" in note for note in several.notes)
