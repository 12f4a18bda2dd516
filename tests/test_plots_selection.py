"""Figures of choices, stability, structure and silhouettes: what they show, and that they say it rightly."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest

import partita as pt
from partita.cluster_quality import ClusterQuality, ClusterRow, ObjectSilhouettes
from partita.datasets.null_data import LAWS
from partita.errors import ParameterError, PartitaError
from partita.plots import FigureData, NoFigureError, figure_data, kinds_of
from partita.plots._plot import new_figure
from partita.plots.kinds.curves import OF_CHOICE
from partita.plots.thinning import MOST_DRAWN
from partita.registry.rules import Verdict as RuleVerdict
from partita.results.answers import Answer, Reason, ReasonKind
from partita.selection import ChoiceOfK
from partita.selection._structure import Structure
from partita.selection.evidence import MIN_SHARES, ScoredClustering
from partita.selection.stabilities import NO_ANSWER, ClusterRecovery, ClusterStability, Repeat, Stability
from partita.selection.sweep import Fit
from partita.selection.verdict import Verdict, counted
from partita.selection.votes import Choice, IndexOverK
from partita.statistics.null_tests import DIRECTIONS, STATISTICS
from partita.statistics.tables.near_clusterings import Clusterings
from partita.validation import Validation

mpl.use("agg")

HOSTILE = ["<img src=x onerror=alert(1)>", "a" * 200, "$x_1$", "two\nlines", "\u202eabc"]


def three_groups(n: int = 60, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], n // 3, axis=0)


def drawn(data: FigureData, **options: object) -> object:
    figure = new_figure(data, **options)
    json.dumps(data.to_dict(), allow_nan=False)
    assert len({frozenset(record) for record in data.records}) <= 1
    return figure


def artists(figure: object, gid: str) -> list[object]:
    return [one for ax in figure.axes for one in ax.get_children() if one.get_gid() == gid]


def texts_of(figure: object) -> list[str]:
    shown = [
        t for ax in figure.axes for t in (*ax.texts, ax.title, *ax.get_yticklabels(), *ax.get_xticklabels())
    ]
    return [t.get_text() for t in shown] + [ax.get_title(loc="left") for ax in figure.axes]


# --- silhouettes ------------------------------------------------------------------------------------------


def silhouettes_by_definition(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    away = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    made = []
    for i, own in enumerate(labels):
        same = (labels == own) & (np.arange(len(X)) != i)
        a = away[i, same].mean()
        b = min(away[i, labels == other].mean() for other in set(labels) - {own})
        made.append((b - a) / max(a, b))
    return np.array(made)


def overlapping() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    labels = np.repeat(["left", "right"], [30, 20])
    return rng.normal(size=(50, 2)) + 1.5 * (labels == "right")[:, None], labels


def test_silhouettes_are_those_of_the_definition_sorted_within_clusters() -> None:
    X, labels = overlapping()
    data = figure_data(pt.validate(X, labels))
    assert data.kind == "silhouette"
    expected = silhouettes_by_definition(X, labels)
    assert len(data.records) == 50
    for record in data.records:
        assert record["silhouette"] == pytest.approx(expected[record["object"]])
        assert record["cluster"] == labels[record["object"]]
        assert record["negative"] == (expected[record["object"]] < 0)
    assert data.column("cluster") == ["left"] * 30 + ["right"] * 20
    for name in ("left", "right"):
        mine = [r["silhouette"] for r in data.records if r["cluster"] == name]
        assert mine == sorted(mine, reverse=True)
        told = next(one for one in data.facts["clusters"] if one["cluster"] == name)
        assert told["mean"] == pytest.approx(expected[labels == name].mean())
        assert told["negative"] == (expected[labels == name] < 0).sum()
    assert data.facts["mean"] == pytest.approx(expected.mean())
    assert np.diff(data.column("place")).min() > 0
    below = (expected < 0).sum()
    assert below > 1
    assert f"{below} of 50 objects lie nearer to another cluster on average" in data.title
    assert "higher is better" in data.x


def test_silhouettes_are_drawn_with_means_and_negative_ones_apart() -> None:
    X, labels = overlapping()
    data = figure_data(pt.validate(X, labels).by_cluster)
    figure = drawn(data)
    assert len(artists(figure, "positive")) == 2
    negative = artists(figure, "negative")
    assert len(negative) == sum(one["negative"] > 0 for one in data.facts["clusters"])
    assert all(one.get_hatch() for one in negative)
    assert [line.get_xdata()[0] for line in artists(figure, "mean of cluster")] == [
        one["mean"] for one in data.facts["clusters"]
    ]
    (whole,) = artists(figure, "mean")
    assert whole.get_xdata()[0] == data.facts["mean"]


def test_no_negative_silhouette_is_said() -> None:
    X = three_groups()
    data = figure_data(pt.validate(X, np.repeat([0, 1, 2], 20)))
    assert "none of 60 objects is below 0" in data.title
    assert not artists(drawn(data), "negative")
    assert not data.notes


def made_quality(sizes: list[int], names: list[str], total: int | None = None) -> ClusterQuality:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values = np.clip(rng.normal(0.4, 0.3, codes.size), -1, 1)
    means = [values[codes == c].mean() if (codes == c).any() else math.nan for c in range(len(sizes))]
    objects = ObjectSilhouettes(
        rows=np.arange(codes.size),
        clusters=codes,
        neighbours=(codes + 1) % len(sizes),
        values=values,
        names=tuple(names),
        mean=float(values.mean()),
        n_objects=total or codes.size,
    )
    rows = tuple(
        ClusterRow(name, size, mean, 1.0, names[0], 0.0)
        for name, size, mean in zip(names, sizes, means, strict=True)
    )
    return ClusterQuality(rows=rows, objects=objects)


def test_many_silhouettes_are_thinned_at_even_ranks_with_means_of_all() -> None:
    quality = made_quality([30_000, 3_000, 15, 0], ["a", "b", "c", "empty"])
    assert quality.objects is not None
    data = figure_data(quality)
    assert 1900 < len(data.records) <= MOST_DRAWN
    assert f"{len(data.records):,} of 33,015 objects shown" in " ".join(data.notes)
    assert [one["cluster"] for one in data.facts["clusters"]] == ["a", "b", "c"]
    values, codes = quality.objects.values, quality.objects.clusters
    for code, name in enumerate("ab"):
        mine = np.array([r["silhouette"] for r in data.records if r["cluster"] == name])
        every = values[codes == code]
        assert mine.max() == every.max()
        assert mine.min() == every.min()
        quantiles = [0.1, 0.5, 0.9]
        assert np.quantile(mine, quantiles) == pytest.approx(np.quantile(every, quantiles), abs=0.01)
        assert data.facts["clusters"][code]["mean"] == pytest.approx(every.mean())
    assert sum(r["cluster"] == "c" for r in data.records) >= 10
    assert data.facts["negative"] == (values < 0).sum()


def test_a_sample_of_silhouettes_is_called_one() -> None:
    data = figure_data(made_quality([20, 30], ["a", "b"], total=9000))
    assert "of 50 sampled objects" in data.title
    assert "estimated from 50 of 9,000 objects" in " ".join(data.notes)


def test_silhouettes_of_hostile_names_and_of_many_clusters() -> None:
    figure = drawn(figure_data(made_quality([9] * 5, HOSTILE)))
    shown = texts_of(figure)
    assert not any(
        "a" * 30 in text or "\n" in text or "\u202e" in text for text in shown if "mean s" not in text
    )
    many = figure_data(made_quality([4] * 500, [f"cluster {i}" for i in range(500)]))
    drawn(many)
    assert many.size[1] <= 8


def test_colours_of_silhouettes_follow_the_reference() -> None:
    X = three_groups()
    found = np.repeat(["c", "b", "a"], 20)
    data = figure_data(pt.validate(X, found), reference=pt.as_partition(np.repeat([0, 1, 2], 20)))
    plain = figure_data(pt.validate(X, np.repeat([0, 1, 2], 20)))
    colours = {one["cluster"]: one["colour"] for one in data.facts["clusters"]}
    of_reference = [one["colour"] for one in plain.facts["clusters"]]
    assert [colours[name] for name in "cba"] == of_reference


def test_silhouettes_that_cannot_be_are_refused() -> None:
    X = three_groups()
    with pytest.raises(NoFigureError, match="two clusters"):
        figure_data(pt.validate(X, np.zeros(60)).by_cluster)
    read = Validation.from_dict(pt.validate(X, np.repeat([0, 1, 2], 20)).to_dict())
    with pytest.raises(NoFigureError, match="read from a file"):
        figure_data(read, "silhouette")


# --- curves -----------------------------------------------------------------------------------------------


def made_choice(
    k: int | None = 3, strength: str = "clear", chosen: dict[str, int | None] | None = None, runs: int = 2
) -> ChoiceOfK:
    """Indices over k = 1 to 5, silhouette without a value at 1 and flawed at 5, gap with errors."""
    chosen = {"silhouette": 3, "gap": 3, "calinski_harabasz": 5} if chosen is None else chosen
    ks = (1, 2, 3, 4, 5)
    values = {
        "silhouette": (math.nan, 0.5, 0.8, 0.6, 0.7),
        "gap": (0.1, 0.2, 0.9, 0.8, 0.7),
        "calinski_harabasz": (math.nan, 10.0, 20.0, 30.0, math.inf),
        "ari": (0.0, 0.1, 0.2, 0.3, 0.4),
    }
    curves = {
        name: IndexOverK(
            name,
            "first_se_max" if name == "gap" else "best",
            "higher",
            1.0,
            over,
            ("no value here" if math.isnan(v) else "" for v in over),  # type: ignore[arg-type]
            errors=(0.05,) * 5 if name == "gap" else (),
            flaws=("",) * 4 + ("a cluster of one object",) if name == "silhouette" else (),
        )
        for name, over in values.items()
    }
    curves = {name: replace(curve, caveats=tuple(curve.caveats)) for name, curve in curves.items()}
    choices = {
        name: Choice(
            name,
            curves[name].rule if name in curves else "other",
            RuleVerdict(one, "the best value"),
            no_vote="k = 5 is the largest tried" if one == 5 else "",
        )
        for name, one in chosen.items()
    }
    choices["ari"] = Choice("ari", "best", RuleVerdict(5, "the best value"), no_vote="it knows the truth")
    fits = tuple(
        Fit(at, run, 0, 1.0, {"silhouette": values["silhouette"][i] - 0.1 * run}, {})
        for i, at in enumerate(ks)
        for run in range(runs)
    )
    headline = "No structure" if k is None else f"{counted(k)}, {strength}"
    best = None if k is None else ScoredClustering(np.arange(20) % k, "mixture")
    verdict = Verdict(Answer(k, strength, headline), best)  # type: ignore[arg-type]
    return ChoiceOfK(ks=ks, fits=fits, curves=curves, choices=choices, verdict=verdict)


def panel(data: FigureData, index: str) -> dict[str, object]:
    return next(one for one in data.facts["panels"] if one["index"] == index)


def over(data: FigureData, index: str, key: str) -> list[object]:
    return [record[key] for record in data.records if record["index"] == index]


def test_curves_hold_every_value_error_and_spread() -> None:
    data = figure_data(made_choice())
    assert data.kind == "curves"
    assert [one["index"] for one in data.facts["panels"]] == ["silhouette", "gap", "calinski_harabasz"]
    assert over(data, "silhouette", "value") == [None, 0.5, 0.8, 0.6, 0.7]
    assert over(data, "silhouette", "run_low") == [None, *map(pytest.approx, (0.4, 0.7, 0.5, 0.6))]
    assert over(data, "silhouette", "run_high") == [None, 0.5, 0.8, 0.6, 0.7]
    assert over(data, "silhouette", "counts") == [True, True, True, True, False]
    assert over(data, "silhouette", "why")[::4] == [
        "no value here",
        "does not count: a cluster of one object",
    ]
    assert over(data, "gap", "error") == [0.05] * 5
    assert over(data, "gap", "chosen") == [False, False, True, False, False]
    assert over(data, "calinski_harabasz", "value")[-1] is None
    notes = " ".join(data.notes)
    assert "1 infinite or huge value is not drawn" in notes
    assert "lowest to the highest of 2 runs" in notes
    assert "one standard error" in notes
    assert "3 of 4 indices shown: those that choose" in notes


def test_curves_say_direction_rule_and_ends() -> None:
    data = figure_data(made_choice())
    assert panel(data, "silhouette")["said"] == "k = 3: the best value"
    assert panel(data, "calinski_harabasz")["said"] == "k = 5, the largest tried: the best value"
    assert [one["at_end"] for one in data.facts["panels"]] == [False, False, True]
    figure = drawn(data)
    assert [ax.get_ylabel() for ax in figure.axes[1:]] == ["higher is better →"] * 3
    rings = [one.get_markerfacecolor() for one in artists(figure, "chosen")]
    assert rings == [OF_CHOICE] * 2  # the chosen value of the third is infinite
    lines = artists(figure, "values")
    assert np.isnan(lines[0].get_ydata()[[0, 4]]).all()
    assert lines[0].get_ydata()[1:4].tolist() == [0.5, 0.8, 0.6]
    assert len(artists(figure, "void")) == 1


def test_a_choice_at_the_end_is_a_ring() -> None:
    result = made_choice(chosen={"gap": 5})
    figure = drawn(figure_data(result))
    (ring,) = artists(figure, "chosen")
    assert ring.get_markerfacecolor() == "none"


@pytest.mark.parametrize(
    ("k", "strength", "chosen", "title"),
    [
        (3, "clear", None, "3 clusters, clear: indices choose k = 3 (2), k = 5 (1)"),
        (3, "weak", {"gap": 3}, "3 clusters, weak: 1 of 1 index chooses it"),
        (2, "weak", {"gap": 2, "silhouette": 2}, "2 clusters, weak: 2 of 2 indices choose it"),
        (
            2,
            "contested",
            {"gap": 3, "silhouette": 2, "x": None},
            "2 clusters, contested: indices choose k = 3 (1), k = 2 (1), none (1)",
        ),
        (2, "contested", {"gap": None}, "2 clusters, contested: no index has a choice"),
        (None, "no structure", {"gap": 3}, "No structure: indices choose k = 3 (1)"),
        (None, "no structure", {"gap": None}, "No structure: no index has a choice"),
    ],
)
def test_the_title_of_curves_begins_with_the_answer(
    k: int | None, strength: str, chosen: dict[str, int | None] | None, title: str
) -> None:
    assert figure_data(made_choice(k, strength, chosen), "curves").title == title


def test_the_true_k_is_a_dashed_line_where_it_was_tried() -> None:
    data = figure_data(made_choice(), truth=4)
    assert data.title.endswith("; the true k is 4")
    lines = artists(drawn(data), "truth")
    assert [line.get_xdata()[0] for line in lines] == [4, 4, 4]
    assert lines[0].get_linestyle() == "--"
    beyond = figure_data(made_choice(), truth=40)
    assert "the true k = 40 was not tried" in beyond.notes
    assert not artists(drawn(beyond), "truth")
    for wrong in (0, True, 2.5, "3"):
        with pytest.raises(ParameterError, match="true number"):
            figure_data(made_choice(), truth=wrong)


def test_choices_without_a_curve_are_noted() -> None:
    data = figure_data(made_choice(chosen={"gap": 3, "dense clusters": 2, "other": None}), "curves")
    assert "choices without a curve: dense clusters: k = 2; other: no choice" in data.notes


def test_indices_of_curves_can_be_named() -> None:
    result = made_choice()
    assert [one["index"] for one in figure_data(result, indices="ari").facts["panels"]] == ["ari"]
    assert len(figure_data(result, indices="all").facts["panels"]) == 4
    assert [one["index"] for one in figure_data(result, indices=["gap", "CH"]).facts["panels"]] == [
        "gap",
        "calinski_harabasz",
    ]
    with pytest.raises(PartitaError, match="dunn"):
        figure_data(result, indices="dunn")
    with pytest.raises(ParameterError, match="nothing to show"):
        figure_data(result, indices=[])


def test_curves_without_values_and_with_one_k_are_drawn() -> None:
    result = made_choice(chosen={"gap": None}, runs=1)
    empty = {
        "gap": replace(result.curves["gap"], values=(math.nan,) * 5, errors=(math.nan,) * 5),
        "huge": replace(result.curves["ari"], index="huge", values=(1e308, -1e308, 5e-324, 1e200, -1e200)),
    }
    figure = drawn(figure_data(replace(result, curves=empty), indices=["gap", "huge"]))
    assert "no value" in texts_of(figure)
    alone = replace(
        result,
        ks=(3,),
        curves={"gap": replace(empty["gap"], values=(0.5,), errors=(0.1,), caveats=("",), flaws=())},
    )
    drawn(figure_data(alone))
    with pytest.raises(NoFigureError, match="no index has values"):
        figure_data(replace(result, curves={}))


def test_many_curves_are_limited_and_the_number_is_told() -> None:
    result = made_choice()
    many = {f"index {i}": replace(result.curves["ari"], index=f"index {i}") for i in range(30)}
    choices = {name: Choice(name, "best", RuleVerdict(3, "the best value")) for name in many}
    crowd = replace(result, curves=many, choices=choices)
    data = figure_data(crowd)
    assert len(data.facts["panels"]) == 12
    assert "12 of 30 indices shown: the first 12 that choose" in " ".join(data.notes)
    figure = drawn(figure_data(crowd, indices="all"))
    boxes = [ax.get_position() for ax in figure.axes[1:31]]
    assert all(boxes[i].y0 > boxes[i + 3].y1 for i in range(27))  # laid out, rows apart


def test_curves_of_a_sweep_are_those_of_its_table() -> None:
    from sklearn.cluster import DBSCAN

    X = three_groups()
    result = pt.choose_value(X, DBSCAN(), {"eps": [2.0, 1.0, 1e-9, 20.0]}, random_state=0)
    data = figure_data(result, "curves", indices="all")
    assert not data.facts["lying"]
    assert list(data.facts["settings"].values()) == ["1e-09", "1.0", "2.0", "20.0"]
    frame = result.to_frame().set_index("eps")
    for record in data.records:
        value = frame.loc[float(record["setting"]), record["index"]]
        assert record["value"] is None if math.isnan(value) else record["value"] == pytest.approx(value)
    assert result.chosen is not None
    assert data.title.startswith(result.answer.headline)
    drawn(data)


def test_clusterings_are_listed_with_their_names() -> None:
    X = three_groups()
    good, bad = np.repeat([0, 1, 2], 20), np.tile([0, 1], 30)
    result = pt.choose(X, {HOSTILE[0]: good, HOSTILE[1]: bad, "$x_1$": np.arange(60) // 2}, random_state=0)
    data = figure_data(result, "curves")
    assert data.facts["lying"]
    assert result.preferences["silhouette"].label == HOSTILE[0]
    assert [r["setting"] for r in data.records if r["index"] == "silhouette" and r["chosen"]] == [HOSTILE[0]]
    assert data.title.startswith(f"3 clusters ({HOSTILE[0]}), ")
    figure = drawn(data)
    assert not any("a" * 30 in text for text in texts_of(figure))
    marks = artists(figure, "chosen")
    assert all(one.get_ydata()[0] == 0 for one in marks)


# --- stability --------------------------------------------------------------------------------------------


def made_stability(answer: Answer, values: dict[int, list[float]] | None = None) -> Stability:
    values = {2: [1.0, 0.9, 0.8], 3: [0.4, math.nan, 0.6]} if values is None else values
    repeats = tuple(
        Repeat(k, i, 0, {"adjusted_rand": v, "centroid_index": float(v < 0.85)}, {"adjusted_rand": ""})
        for k, of in values.items()
        for i, v in enumerate(of)
    )
    clusters = tuple(
        ClusterRecovery.of(k, j, 10 * (j + 1), np.array([0.9, 0.95, math.nan] if j < 2 else [0.3, 0.6, 0.5]))
        for k in values
        for j in range(k)
    )
    return Stability(
        ks=tuple(values),
        repeats=repeats,
        answer=answer,
        tried=tuple(values),
        clusters=clusters,
        limits={"adjusted_rand": 0.9, "centroid_index": 0.0},
    )


def test_stability_holds_every_repeat_and_means_of_all() -> None:
    data = figure_data(made_stability(Answer(2, "clear", "2 clusters, clear")))
    assert data.kind == "stability"
    assert over(data, "adjusted_rand", "value") == [1.0, 0.9, 0.8, 0.4, 0.6]
    assert over(data, "adjusted_rand", "place") == [2, 2, 2, 3, 3]
    assert panel(data, "adjusted_rand")["means"] == [pytest.approx(0.9), pytest.approx(0.5)]
    assert panel(data, "centroid_index")["said"] == "must be 0 in all repeats"
    assert panel(data, "adjusted_rand")["said"] == "mean must be at least 0.9"
    assert max(map(abs, data.column("aside"))) <= 0.25
    assert data.facts["chosen"] == 2
    assert "1 repeats have no value" in " ".join(data.notes)
    figure = drawn(data)
    assert sum(len(one.get_xdata()) for one in artists(figure, "repeats")) == 11
    assert [one.get_ydata()[0] for one in artists(figure, "limit")] == [0.9, 0.0]
    assert [one.get_xdata()[0] for one in artists(figure, "chosen")] == [2, 2]


def test_many_repeats_are_thinned_at_every_k() -> None:
    rng = np.random.default_rng(0)
    values = {k: rng.uniform(size=700).tolist() for k in (2, 3)}
    data = figure_data(made_stability(NO_ANSWER, values))
    assert len(data.records) <= MOST_DRAWN
    assert f"{len(data.records):,} of 2,800 repeats shown" in " ".join(data.notes)
    assert panel(data, "adjusted_rand")["means"] == pytest.approx([np.mean(v) for v in values.values()])
    assert {(r["index"], r["place"]) for r in data.records} == {
        (index, k) for index in ("adjusted_rand", "centroid_index") for k in (2, 3)
    }


def test_the_title_of_stability_is_the_answer_with_its_first_reason() -> None:
    reasons = (
        Reason(ReasonKind.SEPARATED, "no gaps separate the 2"),
        Reason(ReasonKind.FLAW, "9 repeats are few"),
    )
    answer = Answer(2, "weak", "2 clusters, weak", reasons)
    assert figure_data(made_stability(answer)).title == "2 clusters, weak: no gaps separate the 2"
    assert figure_data(made_stability(NO_ANSWER)).title == "no answer"


def test_stability_of_a_sweep_is_drawn_in_its_order() -> None:
    from sklearn.cluster import DBSCAN

    X = three_groups()
    result = pt.stability(X, DBSCAN(), parameter="eps", values=[1.5, 30.0, 3.0], n_repeats=3, random_state=0)
    data = figure_data(result)
    assert data.facts["settings"] == ["1.5", "30.0", "3.0"]
    for place, setting in enumerate(result.settings):
        for index in result.indices:
            mine = [r["value"] for r in data.records if r["index"] == index and r["place"] == place]
            known = result.values(index, setting)
            assert mine == known[np.isfinite(known)].tolist()
    drawn(data)
    drawn(figure_data(result, "recovery", k=3.0))


# --- recovery of clusters ---------------------------------------------------------------------------------


def test_recovery_holds_every_repeat_of_every_cluster() -> None:
    result = pt.stability(three_groups(), ks=[2, 3, 4], n_repeats=6, random_state=0)
    assert result.k == 3
    data = figure_data(result, "recovery")
    assert data.facts["setting"] == "3"
    expected = [r.jaccards for r in result.repeats if r.k == 3]
    for record in data.records:
        assert record["jaccard"] == expected[record["repeat"]][int(record["cluster"])]
    assert len(data.records) == 18
    assert data.title == "at k = 3, all 3 clusters are stable (mean Jaccard of at least 0.75)"
    other = figure_data(result.by_cluster, k=4)
    assert other.title.startswith("at k = 4 (k = 3 was chosen), ")
    for told in other.facts["clusters"]:
        mine = [r.jaccards[int(told["cluster"])] for r in result.repeats if r.k == 4]
        assert told["mean"] == pytest.approx(np.nanmean(mine))
        assert told["recovered"] == sum(j > 0.75 for j in mine)
    with pytest.raises(ParameterError, match="no clusters at k = 7"):
        figure_data(result, "recovery", k=7)
    assert "jaccards" not in json.dumps(result.to_dict())
    assert kinds_of(result.by_cluster)[0] == "recovery"


def test_clusters_that_are_lost_are_told_and_marked() -> None:
    data = figure_data(made_stability(Answer(3, "weak", "3 clusters, weak")), "recovery")
    assert data.title == (
        "at k = 3, 1 of 3 clusters is not stable: the worst is cluster 2 (mean Jaccard 0.4667, 0.75 required)"
    )
    assert [one["cluster"] for one in data.facts["clusters"]] == ["0", "1", "2"]
    assert [one["is_found"] for one in data.facts["clusters"]] == [True, True, False]
    assert "2 times a cluster had no object" in " ".join(data.notes)
    figure = drawn(data)
    found, lost = artists(figure, "repeats")
    assert (len(found.get_xdata()), len(lost.get_xdata())) == (4, 3)
    assert found.get_color() != lost.get_color()
    assert [artists(figure, name)[0].get_xdata()[0] for name in ("recovered", "dissolved")] == [0.75, 0.5]


def test_without_an_answer_the_steadiest_clustering_is_shown() -> None:
    data = figure_data(made_stability(NO_ANSWER), "recovery")
    assert data.title.startswith("at k = 2 (there is no answer), both clusters are stable")


def test_recovery_without_single_repeats_and_of_many_clusters() -> None:
    row = ClusterRecovery(2, 0, 5, 0.8, 3, 0, 4)
    never = ClusterRecovery(2, 1, 5, math.nan, 0, 0, 0)
    data = figure_data(ClusterStability(rows=(never, row), chosen=2))
    assert "single repeats were not kept: means only" in data.notes
    assert "cluster 1 (never compared" in data.title
    drawn(data)
    rows = tuple(ClusterRecovery.of(500, j, 3, np.full(20, j / 500)) for j in range(500))
    many = figure_data(ClusterStability(rows=rows, chosen=500))
    assert len(many.records) <= MOST_DRAWN
    assert len(many.facts["clusters"]) == 500
    assert "of 10,000 repeats shown" in " ".join(many.notes)
    drawn(many)
    with pytest.raises(NoFigureError, match="recovery of single clusters is not known"):
        figure_data(ClusterStability())


# --- structure --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Structure:
    return pt.structure(three_groups(), n_null=39, random_state=0)


@pytest.fixture(scope="module")
def not_found() -> Structure:
    """One cloud, tested by its components too; whatever chance gave, no law counts as refuted."""
    X = np.random.default_rng(3).normal(size=(40, 6))
    result = pt.structure(X, n_null=29, n_components=2, random_state=0)
    tests = (replace(test, corrected_p=max(test.corrected_p, 0.05 + test.p / 2)) for test in result.tests)
    return replace(result, tests=tuple(tests), power=0.95)


def test_the_draws_are_those_of_the_tests(found: Structure, not_found: Structure) -> None:
    for result in (found, not_found):
        assert result.draws is not None
        assert result.draws.shape == (len(result.tests), result.n_null)
        for test, draws in zip(result.tests, result.draws, strict=True):
            sign = DIRECTIONS[STATISTICS.index(test.statistic)]
            assert draws.mean() == pytest.approx(test.null_mean)
            as_clustered = (sign * draws >= sign * test.value).sum()
            assert (1 + as_clustered) / (result.n_null + 1) == pytest.approx(test.p)
        assert "draws" not in result.to_dict()
        assert result == replace(result, draws=None)


def test_the_null_figure_shows_what_decides_for_each_law(found: Structure, not_found: Structure) -> None:
    for result in (found, not_found):
        data = figure_data(result)
        assert data.kind == "null"
        assert list(data.facts["p"]) == [f"{law} law" for law in LAWS]
        for law in LAWS:
            assert data.facts["p"][f"{law} law"] == pytest.approx(result.p_of(law))
            assert data.facts["observed"][f"{law} law"] in [t.value for t in result.tests if t.null == law]
            counted = sum(r["count"] for r in data.records if r["panel"] == f"{law} law")
            assert counted == result.n_null
        assert f"4 of {len(result.tests)} tests shown" in " ".join(data.notes)
        drawn(data)


def test_every_null_distribution_can_be_shown(not_found: Structure) -> None:
    data = figure_data(not_found, every=True)
    assert (
        len(data.facts["p"]) == len(not_found.tests) == 24
    )  # 4 distributions, 3 statistics, all and 2 dimensions
    assert list(data.facts["p"])[:4] == [f"{law} law, hopkins" for law in LAWS]
    assert "uniform law, hopkins of 2 components" in data.facts["p"]
    assert sum(r["count"] for r in data.records) == 24 * not_found.n_null
    assert "tests shown" not in " ".join(data.notes)
    drawn(data)


def test_the_title_of_structure_claims_no_more_than_was_found(found: Structure, not_found: Structure) -> None:
    title = figure_data(found).title
    assert (
        title == f"structure was found: none of 4 laws without clusters explains the data (p = {found.p:.4f})"
    )
    sure = figure_data(replace(not_found, power=0.95)).title
    assert sure.startswith("no structure was found: the ")
    assert "not refuted" in sure
    assert "weak" not in sure
    assert figure_data(replace(not_found, power=0.2)).title.endswith(", and the test is weak here")
    one = tuple(replace(test, corrected_p=0.5 if test.null == "normal" else 0.01) for test in not_found.tests)
    alone = figure_data(replace(not_found, tests=one)).title
    assert alone.startswith("no structure was found: the normal law is not refuted (p = 0.5")


def test_a_structure_without_draws_has_no_figure(found: Structure) -> None:
    with pytest.raises(NoFigureError, match="no longer there"):
        figure_data(replace(found, draws=None))


def test_the_structure_of_a_choice_has_its_figure() -> None:
    choice = pt.choose_k(three_groups(), random_state=0)
    assert choice.structure is not None
    assert figure_data(choice.structure).kind == "null"


# --- what a stranger asks for ------------------------------------------------------------------------------


def test_curves_take_whole_numbers_of_any_kind_and_refuse_what_names_no_index() -> None:
    X = np.repeat([[0.0], [9.0], [20.0]], 20, axis=0) + np.random.default_rng(0).normal(size=(60, 1))
    choice = pt.choose_k(X, ks=range(2, 5), n_runs=2)
    assert figure_data(choice, "curves", truth=np.int64(3)).facts["truth"] == 3
    for wrong in (3, math.nan, object()):
        with pytest.raises(ParameterError):
            figure_data(choice, "curves", indices=wrong)


def test_votes_are_those_of_the_ballot() -> None:
    choice = pt.choose_k(np.random.default_rng(0).uniform(size=(120, 2)), random_state=0)
    data = figure_data(choice, "votes")
    assert data.title.startswith(choice.answer.headline)
    assert sum(data.column("votes")) == pytest.approx(choice.ballot.answering)
    for k, share in choice.votes.items():
        mine = [r["votes"] for r in data.records if r["choice"] == str(k)]
        assert sum(mine) == pytest.approx(share)
    assert "indices are reported and do not decide the answer" in data.notes
    new_figure(data)


# --- the clusters of the answer ---------------------------------------------------------------------------


def nested(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Nine groups of 50 in three groups of three, and the group of each object."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(9), 50)
    corners = np.array([[0, 0], [3, 0], [0, 3]])
    centres = np.array([20 * big + small for big in np.array([[0, 0], [1, 0], [0, 1]]) for small in corners])
    return centres[labels] + 0.4 * rng.normal(size=(450, 2)), labels


@pytest.fixture(scope="module")
def own() -> ChoiceOfK:
    return pt.choose_k(nested()[0], random_state=0)


@pytest.fixture(scope="module")
def swept() -> ChoiceOfK:
    from sklearn.cluster import KMeans

    return pt.choose_k(
        nested()[0], KMeans(n_init=3, random_state=0), ks=range(2, 13), n_runs=1, random_state=0
    )


def test_the_usual_figure_is_the_clusters_of_the_answer(own: ChoiceOfK) -> None:
    data = figure_data(own)
    assert (data.kind, own.k) == ("scatter", 9)
    assert data.title == "9 clusters, clear, in 3 groups of 3: 50 objects each"
    assert own.partition is not None
    assert data.column("cluster") == [str(label) for label in own.partition.labels]
    other = figure_data(own, k=3)
    assert other.title == "3 clusters of 150 objects each"
    assert any(note.startswith("k = 3 is shown; the answer: 9 clusters, clear") for note in other.notes)
    with pytest.raises(ParameterError, match="no fit with k = 400"):
        figure_data(own, k=400)


def test_a_choice_among_clusterings_shows_the_best_of_them() -> None:
    X, labels = nested()
    result = pt.choose(X, {"nine": labels, "three": labels // 3}, random_state=0)
    data = figure_data(result)
    assert data.title.startswith(result.answer.headline)
    given = {"nine": labels, "three": labels // 3}
    best = given.pop(result.best)
    assert data.column("cluster") == [str(label) for label in best]
    ((name, rest),) = given.items()
    other = figure_data(result, name=name)
    assert other.column("cluster") == [str(label) for label in rest]
    answer = f"{result.k} clusters ({result.best})"
    assert any(f"{name} is shown; the answer: {answer}" in note for note in other.notes)
    with pytest.raises(PartitaError, match="did you mean three"):
        figure_data(result, name="thre")


def test_without_structure_all_objects_are_one_cluster() -> None:
    choice = pt.choose_k(np.random.default_rng(0).normal(size=(400, 2)), random_state=0)
    assert choice.k is None
    data = figure_data(choice)
    assert set(data.column("cluster")) == {"0"}
    assert data.facts["hulls"] == []
    assert data.title.startswith(choice.answer.headline)
    for kind in ("lasting", "scores", "map", "votes"):
        data = figure_data(choice, kind)
        assert data.title.startswith(choice.answer.headline), kind
        drawn(data)


def test_columns_that_got_equal_weight_are_drawn_so() -> None:
    from sklearn.datasets import load_wine

    choice = pt.choose_k(load_wine(as_frame=True).data, random_state=0)
    assert choice.evidence is not None
    assert choice.evidence.dominant is not None
    data = figure_data(choice)
    assert "principal components of the scaled data" in data.notes
    assert data.x == "principal component 1 (36% of variance)"


def test_results_without_data_have_figures_that_need_none(own: ChoiceOfK) -> None:
    stored = ChoiceOfK.from_dict(json.loads(json.dumps(own.to_dict())))
    data = figure_data(stored)
    assert data.kind == "curves"
    assert data.records == figure_data(own, "curves").records
    for kind in ("scatter", "lasting", "scores", "map", "levels"):
        with pytest.raises(NoFigureError):
            figure_data(stored, kind)
    X = three_groups()
    apart = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
    assert figure_data(pt.choose_k(apart, metric="precomputed", random_state=0)).kind == "lasting"


# --- levels -----------------------------------------------------------------------------------------------


def test_levels_are_colours_with_shades(own: ChoiceOfK) -> None:
    data = figure_data(own, "levels")
    coarse, fine = own.levels
    assert (coarse.k, fine.k) == (3, 9)
    assert data.title == "9 clusters, clear, in 3 groups of 3: 9 clusters within 3"
    colours, shaded = data.facts["colours"], {}
    for record, home, label in zip(data.records, coarse.labels, fine.labels, strict=True):
        assert record["cluster"].partition(".")[0] == str(home)
        assert shaded.setdefault(record["cluster"], (record["colour"], label)) == (record["colour"], label)
    assert len(shaded) == len({colour for colour, _ in shaded.values()}) == 9
    for home, colour in colours.items():
        assert colour.lower() in {
            shade for name, (shade, _) in shaded.items() if name.partition(".")[0] == home
        }
    assert len(data.facts["hulls"]) == 3
    figure = drawn(data)
    assert figure.axes[0].get_legend().get_title().get_text() == "coarser cluster"
    assert any("its shades are clusters of the finer level" in note for note in data.notes)
    with pytest.raises(NoFigureError, match="one level"):
        figure_data(replace(own, verdict=replace(own.verdict, levels=own.levels[:1])), "levels")


def test_noise_of_the_finer_level_is_grey() -> None:
    from sklearn.cluster import DBSCAN

    result = pt.choose_value(nested()[0], DBSCAN(), {"eps": [0.4, 8.0]}, random_state=0)
    data = figure_data(result, "levels")
    fine = result.levels[1].labels
    assert (fine < 0).any()
    assert [record["cluster"] == "noise" for record in data.records] == (fine < 0).tolist()
    drawn(data)


# --- how long clusters last -------------------------------------------------------------------------------


def test_bars_are_the_persistence_of_each_cut(own: ChoiceOfK) -> None:
    data = figure_data(own, "lasting")
    assert own.evidence is not None
    trees = [tree for scale in own.evidence.trees for tree in scale]
    cuts = [tree.cuts(max(4, math.ceil(share * 450))) for tree in trees for share in MIN_SHARES]
    same = [
        one
        for one in cuts
        if one.n_clusters >= 9 and Clusterings([own.scored.labels]).agreement(one.labels(9)) > 0.9
    ]
    longest = max(math.exp(one.persistence[7]) for one in same)
    growth = dict(zip(data.column("clusters"), data.column("growth"), strict=True))
    assert [r["clusters"] for r in data.records if r["marked"]] == [9]
    assert growth[9] == pytest.approx(longest, rel=0.1)  # by its length times its agreement
    shown = next(one for one in same if math.exp(one.persistence[7]) == pytest.approx(growth[9]))
    for k, value in growth.items():
        assert value == pytest.approx(math.exp(max(shown.persistence[k - 2], 0.0)))
    for record in data.records[:-1]:
        assert record["to_reach"] / record["from_reach"] == pytest.approx(record["growth"])
    assert f"apart while the reach grows {growth[9]:.2g}-fold" in data.title
    figure = drawn(data)
    bars = [one.get_width() for ax in figure.axes for one in ax.patches]
    assert bars == pytest.approx([value - 1.0 for value in growth.values()])


def test_blocks_are_the_clusters_of_all_cuts_as_wide_as_their_objects() -> None:
    X, _ = nested()
    model = pt.cluster.DensityTree(3).fit(X)
    data = figure_data(model)
    assert data.kind == "lasting"
    assert data.title.startswith("3 clusters, apart while the reach grows ")
    blocks = data.facts["blocks"]
    finest = max(block["last"] for block in blocks)
    for k in range(1, finest + 1):
        sizes = np.unique(model.cut(k), return_counts=True)[1]
        alive = sorted(b["size"] for b in blocks if b["first"] <= k <= b["last"])
        assert alive == sorted(sizes.tolist())
        spans = sorted((b["left"], b["right"]) for b in blocks if b["first"] <= k <= b["last"])
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
    for block in blocks:
        assert block["bottom"] <= block["top"]
        assert (block["cluster"] is None) == (block["last"] < 3)
    of_cut = [b for b in blocks if b["first"] <= 3 <= b["last"]]
    assert {b["cluster"] for b in of_cut} == {"0", "1", "2"}
    assert len({b["colour"] for b in of_cut}) == 3
    figure = drawn(data)
    (line,) = artists(figure, "cut")
    low, high = sorted([data.facts["ends"][2], data.facts["ends"][1]])
    assert low <= line.get_ydata()[0] <= high
    assert [t.get_text() for ax in figure.axes for t in ax.texts].count("150") == 3
    (shapes,) = artists(figure, "blocks")
    assert len(shapes.get_paths()) == len(blocks)
    assert pt.plot(model, "scatter", X=X).has_data()
    assert kinds_of(model)[:2] == ("lasting", "memberships")


def test_a_cut_of_another_number_can_be_marked(own: ChoiceOfK) -> None:
    data = figure_data(own, "lasting", k=3)
    assert [r["clusters"] for r in data.records if r["marked"]] == [3]
    assert "the cut into 3 lasts while the reach grows" in data.title
    for wrong in (1, 400, True, "3"):
        with pytest.raises(ParameterError, match="no cut into"):
            figure_data(own, "lasting", k=wrong)


def test_an_answer_that_no_density_tree_has_names_the_nearest_cut() -> None:
    X, _ = nested()
    result = pt.choose(X, {"left": X[:, 0] > 2.0, "parity": np.arange(450) % 4}, random_state=0)
    assert result.chosen is not None
    data = figure_data(result, "lasting")
    assert "no density tree has these clusters, the nearest cut has" in data.title
    assert any(
        note.startswith("adjusted Rand index of the marked cut with the answer: 0.") for note in data.notes
    )
    drawn(data)


def test_trees_without_a_split_have_no_figure() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(NoFigureError, match="no split"):
        figure_data(pt.cluster.DensityTree(min_share=0.4).fit(X))
    with pytest.raises(NoFigureError, match="no splits"):
        figure_data(pt.cluster.DensityTree(min_samples=5).fit(X[:4]))


# --- scores -----------------------------------------------------------------------------------------------


def test_scores_are_the_best_of_each_method_and_k(own: ChoiceOfK, swept: ChoiceOfK) -> None:
    data = figure_data(own, "scores")
    assert own.evidence is not None
    for record in data.records:
        mine = [
            one.score
            for one in own.evidence.clusterings
            if (one.method, one.k) == (record["method"], record["clusters"])
        ]
        assert record["score"] == pytest.approx(max(mine))
        parts = record["lasting"] + record["agreement"] + record["best_bic"]
        assert record["score"] == pytest.approx(parts)
    marked = {r["mark"]: (r["method"], r["clusters"]) for r in data.records if r["mark"]}
    assert marked["answer"] == (own.scored.method, 9)
    assert marked["second"][1] == 3
    assert data.title == (
        f"9 clusters, clear, in 3 groups of 3: score {own.score:.2f},"
        f" second {own.levels[0].score:.2f} (3 clusters)"
    )
    data = figure_data(swept, "scores")
    assert data.facts["methods"] == ["KMeans", "density tree", "mixture"]
    ks = [r["clusters"] for r in data.records if r["method"] == "KMeans"]
    assert set(ks) == {k for k in data.facts["ks"] if k <= 12}
    assert {r["clusters"]: r["score"] for r in data.records if r["mark"] == "answer"} == {
        9: pytest.approx(swept.score)
    }
    figure = drawn(data)
    assert [len(artists(figure, name)) for name in ("answer", "second")] == [1, 1]
    assert f"{swept.score:.2f}" in texts_of(figure)


def test_of_many_numbers_of_clusters_the_best_scores_are_shown(own: ChoiceOfK) -> None:
    data = figure_data(own, "scores")
    assert own.evidence is not None
    tops: dict[int, float] = {}
    for one in own.evidence.clusterings:
        tops[one.k] = max(tops.get(one.k, 0.0), one.score)
    shown = data.facts["ks"]
    assert len(shown) == 14 < len(tops)
    assert min(tops[k] for k in shown) >= max(score for k, score in tops.items() if k not in shown)
    assert f"14 of {len(tops)} numbers of clusters shown: those with the best scores" in data.notes


# --- agreement of the answer with others ------------------------------------------------------------------


def test_the_map_of_a_choice_compares_the_answer_with_its_level_and_alternatives(own: ChoiceOfK) -> None:
    from sklearn.metrics import adjusted_rand_score

    data = figure_data(own, "map")
    answer = next(name for name in data.facts["clusterings"] if name.startswith("★"))
    level = next(name for name in data.facts["clusterings"] if name.startswith("☆"))
    assert answer == f"★ 9 {own.scored.method} {own.score:.2f}"
    assert len(data.facts["clusterings"]) == len(own.alternatives) + 2
    value = next(r["value"] for r in data.records if {r["first"], r["second"]} == {answer, level})
    coarse, fine = own.levels
    assert value == pytest.approx(adjusted_rand_score(coarse.labels, fine.labels))
    others = [adjusted_rand_score(own.scored.labels, one.labels) for one in (coarse, *own.alternatives)]
    assert data.title.endswith(f"ARI {min(others):.2f} to {max(others):.2f} with the other clusterings")
    drawn(data)


def test_the_map_of_candidates_marks_the_answer_and_names_better_clusters() -> None:
    X, labels = nested()
    result = pt.choose(X, {"left": X[:, 0] > 2.0, "parity": np.arange(450) % 4}, random_state=0)
    names = figure_data(result, "map").facts["clusterings"]
    assert sum(name.startswith("★ ") for name in names) == 1
    assert any(name.startswith("not given: ") for name in names)
    several = pt.choose_value(X, pt.cluster.DensityTree(), {"n_clusters": [3, 9]}, random_state=0)
    assert "★ n_clusters = 9" in figure_data(several, "map").facts["clusterings"]
    assert np.unique(labels).size == 9
