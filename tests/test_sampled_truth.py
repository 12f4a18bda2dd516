"""A truth for a sample of the objects: estimates for all of them, and their standard errors."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import partita as pt
from partita.comparison import Comparison
from partita.errors import KindError, ParameterError
from partita.inputs import prepare
from partita.registry import CaveatKind
from partita.sampled_truth import DESIGNS, OF_OBJECTS, OF_PAIRS, sampled_truth
from reference import sampled_truth as reference

WAYS = {"noise": "cluster", "missing": "drop"}
RATIOS = ("rand", "pair_precision", "pair_recall", "bcubed_precision", "bcubed_recall")


def clusters_and_errors(rng, k, mean, share):
    """Clusters of random sizes; found has some of the objects elsewhere, and some clusters merged."""
    truth = np.repeat(np.arange(k), 1 + rng.poisson(mean, k))
    found = truth.copy()
    wrong = rng.random(truth.size) < share
    found[wrong] = rng.integers(k + k // 4, size=wrong.sum())
    for a, b in rng.integers(k, size=(k // 10, 2)):
        found[found == a] = b
    return truth, found


def drawn(rng, design, truth, m):
    """The truth of a sample, None elsewhere."""
    if design == "objects":
        rows = rng.choice(truth.size, m, replace=False)
    else:
        labels = np.unique(truth)
        chosen = (
            rng.choice(labels, m, replace=False)
            if design == "clusters"
            else truth[rng.choice(truth.size, m, replace=True)]
        )
        rows = np.flatnonzero(np.isin(truth, chosen))
    labels = np.full(truth.size, None, dtype=object)
    labels[rows] = truth[rows]
    return labels


def sample_of(labels, found, design):
    return sampled_truth(prepare({"truth": labels, "found": found}, **WAYS), found, design, WAYS)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", RATIOS)
def test_estimates_against_loops_over_objects(design, name):
    rng = np.random.default_rng(3)
    truth, found = clusters_and_errors(rng, 20, 3, 0.3)
    labels = drawn(rng, design, truth, 40 if design == "objects" else 8)
    row = pt.compare(labels, found, missing="drop", sample=design, indices=[name])[name]
    if design == "objects" and name == "bcubed_recall":
        assert math.isnan(row.value)
        assert "how large true clusters are" in row.caveat
        return
    value, se = reference.estimate(labels.tolist(), found.tolist(), name, design)
    assert row.value == pytest.approx(value, rel=1e-12)
    assert row.se == pytest.approx(se, rel=1e-6)
    assert se > 0
    assert row.method == "sampled"


@pytest.mark.parametrize("design", DESIGNS[:2])
def test_sums_of_pairs_are_unbiased_over_all_samples(design):
    """Means over every sample of the pair counts, brought to the population, are those of the population."""
    truth, found = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 2])
    exact = [pt.indices.find(n)(truth, found) for n in ("pairs_in_both", "pairs_in_truth_only")]
    sums = []
    units = range(6) if design == "objects" else range(3)
    for chosen in combinations(units, 4 if design == "objects" else 2):
        mask = np.isin(np.arange(6) if design == "objects" else truth, chosen)
        labels = np.where(mask, truth.astype(object), None)
        sample = sample_of(labels, found, design)
        sums.append(sample.pairs.times @ sample.pairs.parts)
    scale = math.comb(6, 2) / math.comb(4, 2) if design == "objects" else 3 / 2
    np.testing.assert_allclose(np.mean(sums, axis=0)[:2] * scale, exact)
    assert np.mean(sums, axis=0).sum() * scale == pytest.approx(15)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_truth_for_all_leaves_nothing_to_estimate(design):
    truth, found = clusters_and_errors(np.random.default_rng(0), 8, 3, 0.3)
    plain = pt.compare(truth, found, indices=[*OF_PAIRS, *OF_OBJECTS])
    told = pt.compare(truth, found, indices=[*OF_PAIRS, *OF_OBJECTS], sample=design)
    sample = sample_of(truth, found, design)
    for row in plain:
        assert (told[row.index].value, told[row.index].se) == (row.value, 0.0)
        if design == "clusters":
            estimated = sample.estimate(row.index)
            assert estimated == pytest.approx((row.value, 0.0, ""), abs=1e-12)


@pytest.mark.parametrize("name", OF_PAIRS)
@pytest.mark.parametrize("design", DESIGNS)
def test_standard_errors_are_near_those_of_the_jackknife(design, name):
    """Another way to the same number, for indices that are no plain ratios: leave each unit out in turn."""
    rng = np.random.default_rng(5)
    truth, found = clusters_and_errors(rng, 60, 3, 0.2)
    labels = drawn(rng, design, truth, 80 if design == "objects" else 30)
    sample = sample_of(labels, found, design)
    known = [i for i, label in enumerate(labels) if label is not None]
    units = known if design == "objects" else sorted({labels[i] for i in known})
    values = []
    for unit in units:
        left = labels.copy()
        left[(np.arange(truth.size) == unit) if design == "objects" else (labels == unit)] = None
        values.append(sample_of(left, found, design).estimate(name).value)
    m = len(values)
    unseen = 1.0 if design == "clusters_of_objects" else 1 - sample.n_sampled / truth.size
    jackknife = math.sqrt(unseen * (m - 1) ** 2 / m * np.var(values, ddof=1))
    assert sample.estimate(name).se == pytest.approx(jackknife, rel=0.15)


def coverage(design, m, repeats, seed, population):
    """Of intervals of two standard errors, the share that holds the value of the population, by index."""
    rng = np.random.default_rng(seed)
    truth, found = clusters_and_errors(rng, *population)
    names = [n for n in (*OF_PAIRS, *OF_OBJECTS) if design != "objects" or n not in OF_OBJECTS[1:]]
    exact = {name: pt.indices.find(name)(truth, found) for name in names}
    hits = dict.fromkeys(names, 0)
    means = dict.fromkeys(names, 0.0)
    for _ in range(repeats):
        sample = sample_of(drawn(rng, design, truth, m), found, design)
        for name in names:
            value, se, _ = sample.estimate(name)
            hits[name] += abs(value - exact[name]) <= 2 * se
            means[name] += value / repeats
    return {n: h / repeats for n, h in hits.items()}, {n: means[n] - exact[n] for n in names}


@pytest.mark.parametrize(("design", "m"), [("objects", 250), ("clusters", 50), ("clusters_of_objects", 50)])
def test_two_standard_errors_cover_the_population(design, m):
    shares, _ = coverage(design, m, 120, 0, (250, 3, 0.15))
    assert min(shares.values()) >= 0.86  # 0.95 less four standard errors of the simulation
    assert len(shares) >= 10


@pytest.mark.full
@pytest.mark.parametrize(
    ("design", "m", "population"),
    [
        ("objects", 600, (400, 3, 0.15)),
        ("objects", 300, (12, 150, 0.2)),
        ("clusters", 80, (800, 3, 0.15)),
        ("clusters_of_objects", 80, (800, 3, 0.15)),
    ],
)
def test_two_standard_errors_cover_the_population_often_enough(design, m, population):
    shares, biases = coverage(design, m, 2000, 1, population)
    assert min(shares.values()) >= 0.90
    assert max(map(abs, biases.values())) <= 0.02


def test_what_the_result_says():
    rng = np.random.default_rng(1)
    truth, found = clusters_and_errors(rng, 60, 3, 0.2)
    labels = pd.Series(drawn(rng, "clusters", truth, 20)).dropna()
    result = pt.compare(labels, pd.Series(found), sample="clusters")
    precision = result["pair_precision"]
    assert f"for all {truth.size} objects from 20 sampled true clusters" in precision.caveat
    assert result["nmi_sum"].value == pt.compare(labels, pd.Series(found))["nmi_sum"].value
    assert math.isnan(result["nmi_sum"].se)
    assert any("of the sampled objects alone" in note for note in result.notes)
    assert result.provenance["sample"] == "clusters"
    assert result.provenance["population"] == truth.size
    assert result.provenance["coverage"] == pytest.approx(labels.size / truth.size)
    assert "se" in result.all.table().columns
    assert Comparison.from_dict(result.to_dict())["pair_precision"] == precision
    plain = pt.compare(labels, pd.Series(found))
    assert "se" in result.to_frame().columns
    assert "se" not in plain.all.table().columns
    assert "se" not in plain.to_frame().columns
    # a found cluster is larger than what the sample shows of it, so the sample flatters
    assert plain["pair_precision"].value > precision.value


def test_no_error_drawn_is_no_certainty():
    found = np.arange(40) // 4
    labels = np.where(found < 5, found.astype(object), None)
    row = pt.compare(labels, found, missing="drop", sample="clusters", indices=["pair_recall"])["pair_recall"]
    assert (row.value, row.se) == (1.0, 0.0)
    assert "says nothing" in row.caveat
    assert (
        "identical"
        not in pt.compare(labels, found, missing="drop", sample="clusters").statement.split("(")[0]
    )


def test_samples_that_hold_no_pair_or_one_unit():
    found = np.arange(10)
    labels = np.where(found < 4, found.astype(object), None)
    row = pt.compare(labels, found // 5, missing="drop", sample="clusters", indices=["pair_recall"])
    assert math.isnan(row["pair_recall"].value)
    assert row["pair_recall"].caveats[-1].kind is CaveatKind.NOT_COMPUTED
    one = pt.compare([0, 0, None, None], [0, 1, 1, 1], missing="drop", sample="clusters", indices=["rand"])
    assert math.isnan(one["rand"].se)
    assert one["rand"].value == pytest.approx(
        2 / 6
    )  # the first object agrees on two of three pairs, the second on none
    single = pt.compare([0, None], [0, 1], missing="drop", sample="objects", indices=["bcubed_precision"])
    assert math.isnan(single["bcubed_precision"].value)


@pytest.mark.parametrize(
    ("options", "error", "parameter"),
    [
        ({"sample": "pairs"}, ParameterError, "sample"),
        ({"sample": 3}, ParameterError, "sample"),
        ({"sample": "objects", "sample_weight": [1, 2, 1]}, ParameterError, "sample_weight"),
        ({"sample": "objects", "sample_weight": "balanced"}, ParameterError, "sample_weight"),
        ({"sample": "clusters", "noise": "singletons"}, ParameterError, "noise"),
    ],
)
def test_what_is_refused(options, error, parameter):
    with pytest.raises(error) as caught:
        pt.compare([0, 0, 1], [0, 1, 1], **options)
    assert caught.value.parameter == parameter
    assert caught.value.got
    assert caught.value.need


def test_soft_clusterings_are_refused():
    with pytest.raises(KindError) as caught:
        pt.compare([0, 1], [[0.5, 0.5], [0.1, 0.9]], sample="objects")
    assert caught.value.fix


def test_side_by_side():
    truth, found = [0, 0, 1, 1, None, None], {"a": [0, 0, 1, 1, 1, 1], "b": [0, 1, 1, 1, 0, 0]}
    both = pt.compare(truth, found, missing="drop", sample="clusters", indices=["pair_precision"])
    for name, labels in found.items():
        alone = pt.compare(truth, labels, missing="drop", sample="clusters", indices=["pair_precision"])
        assert both.results[name]["pair_precision"] == alone["pair_precision"]
