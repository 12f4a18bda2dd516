"""Where packages give another number under the same name: their value, ours, and a witness by the definition.

A witness is a definition written out, or the slow reference of our tests; it never calls an index of ours.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import genieclust.cluster_validity as genieclust_data
import genieclust.compare_partitions as genieclust_pairs
import numpy as np
from permetrics import ClusteringMetric
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

import audit_witnesses as by_definition
import partita as pt
from peer_values import flowers, how_asked, objects_of, packages, recorded, value

sys.path.append(str(Path(__file__).parents[2] / "tests"))
from reference.density import dbcv as dbcv_by_definition

VERDICTS = {
    "wrong": "wrong",
    "other": "another definition",
    "convention": "a convention",
}
DATA, PAIR = ("X", "found"), ("truth", "found")
Number = float | str


@dataclass(frozen=True)
class Case:
    """One number of a package that is not ours, on the same input."""

    topic: str
    index: str
    peer: str
    name: str
    given: str
    verdict: str
    theirs: Number
    ours: Number
    witness: Number

    @property
    def known(self) -> str:
        """Which version of the package was asked."""
        return how_asked(self.peer)


EDGES = {
    "ARI": {
        "scikit-learn": "adjusted_rand_score",
        "genieclust": "adjusted_rand_score",
        "torchmetrics": "adjusted_rand_score",
        "clusim": "sim.adjrand_index",
        "R mclust": "adjustedRandIndex",
        "R clue": 'cl_agreement(method = "cRand")',
        "R mclustcomp": "adjrand",
    },
    "NMI": {
        "scikit-learn": "normalized_mutual_info_score",
        "genieclust": "normalized_mi_score",
        "torchmetrics": "normalized_mutual_info_score",
        "clusim": "sim.nmi",
        "R clue": 'cl_agreement(method = "NMI")',
        "R mclustcomp": "nmi2",
    },
    "AMI": {
        "scikit-learn": "adjusted_mutual_info_score",
        "genieclust": "adjusted_mi_score",
        "torchmetrics": "adjusted_mutual_info_score",
        "clusim": "sim.adj_mi",
    },
    "FM": {
        "scikit-learn": "fowlkes_mallows_score",
        "genieclust": "fm_score",
        "torchmetrics": "fowlkes_mallows_index",
        "clusim": "sim.fowlkes_mallows_index",
        "R clue": 'cl_agreement(method = "FM")',
        "R mclustcomp": "fmi",
    },
}
"""What packages call the indices whose value is a matter of convention for some inputs."""


@cache
def edges() -> tuple[dict[str, str], ...]:
    """For each index and each clustering of few objects what everybody says, as a row of a table."""
    rows = []
    for symbol, names in EDGES.items():
        for given, (truth, found) in recorded("inputs.json")["pairs"].items():
            if given == "two clusters, six clusters":  # no edge: the mean of the entropies differs
                continue
            said = {package: _said(package, name, given, truth, found) for package, name in names.items()}
            ours = f"{pt.indices.find(symbol)(truth, found):.4g}"
            if set(said.values()) != {ours}:
                rows.append({"index": symbol, "clusterings": given, **said, "partita": ours})
    return tuple(rows)


def _said(package: str, name: str, given: str, truth: list[int], found: list[int]) -> str:
    homes = {"scikit-learn": metrics, "genieclust": genieclust_pairs}
    if package in homes:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            number: Any = float(getattr(homes[package], name)(truth, found))
    else:
        file = packages()[package]["recorded"]
        values = recorded(file)["pairs"][given]
        number = values.get(package, values)[name]
    if isinstance(number, str):
        return "nan" if number.lower() == "nan" else "an error"
    return "nan" if math.isnan(number) else f"{round(number, 6) + 0.0:.4g}"


@cache
def cases() -> tuple[Case, ...]:
    """All of them, in the order of the page."""
    rooms = (
        _davies_bouldin,
        _dunn,
        _silhouette,
        _sums_of_squares,
        _xie_beni,
        _likelihood,
        _density,
        _information,
        _pairs_and_sets,
        _soft,
    )
    return tuple(case for room in rooms for case in room())


def _davies_bouldin() -> list[Case]:
    X, labels = flowers()["X"], flowers()["found"]
    ours = pt.indices.davies_bouldin
    right = float(by_definition.davies_bouldin_ratios(X, labels).max(axis=1).mean())
    seen = {
        ("R NbClust", "db", "other"): ours(X, labels, q=2.0),
        ("Clustering.jl", ":davies_bouldin", "other"): ours(X, labels, variant="squared"),
        ("pycvi", "davies_bouldin", "wrong"): value("pycvi", "davies_bouldin", DATA),
        ("R clusterCrit", "Davies_Bouldin", "wrong"): by_definition.davies_bouldin_of_cluster_crit(X, labels),
    }
    rows = [
        Case("davies-bouldin", "Davies-Bouldin", peer, name, "Iris", verdict, number, ours(X, labels), right)
        for (peer, name, verdict), number in seen.items()
    ]
    says = str(recorded("torchmetrics.json")["higher_is_better"]["DaviesBouldinScore"])
    is_higher = str(ours.direction == "higher")
    call = ("davies-bouldin", "Davies-Bouldin", "torchmetrics", "higher_is_better", "its class")
    return [*rows, Case(*call, "wrong", says, is_higher, "False")]


def _dunn() -> list[Case]:
    X, labels = flowers()["X"], flowers()["found"]
    ours, right = pt.indices.dunn(X, labels), by_definition.dunn(X, labels)
    renamed = float(ClusteringMetric(X=X, y_pred=(labels + 1) % 3).dunn_index())
    call = ("dunn", "Dunn")
    first = value("permetrics", "dunn_index", DATA)
    centres = value("torchmetrics", "dunn_index", DATA)
    return [
        Case(*call, "permetrics", "dunn_index", "Iris", "wrong", first, ours, right),
        Case(*call, "permetrics", "dunn_index", "Iris, clusters renamed", "wrong", renamed, ours, right),
        Case(*call, "torchmetrics", "dunn_index", "Iris", "other", centres, ours, right),
    ]


def _silhouette() -> list[Case]:
    X, labels = flowers()["X"], flowers()["found"]
    three, two = (np.array(recorded("inputs.json")["lonely"][part]) for part in ("X", "labels"))
    six = np.array([[0.0, 0.5], [0.5, 0.0], [10.0, 11.0], [10.5, 11.5], [1.0, 1.0], [8.0, 6.0]])
    which = np.array([0, 0, 1, 1, 0, 1])
    widths, ours = by_definition.silhouettes, pt.indices.silhouette
    here = ours(X, labels), float(widths(X, labels).mean())
    alone = ours(three, two), float(widths(three, two).mean())
    printed = float(widths(six, which, metric="sqeuclidean").mean())
    as_one = by_definition.of_cluster_means(widths(three, two, of_one=1.0), two)
    of_means = value("pycvi", "silhouette", DATA)
    weighed = float(genieclust_data.silhouette_w_index(X, labels))
    spark = ours(six, which), float(widths(six, which).mean())
    call = ("silhouette", "silhouette")
    return [
        Case(*call, "pycvi", "silhouette", "Iris", "other", of_means, *here),
        Case(*call, "genieclust", "silhouette_w_index", "Iris", "other", weighed, *here),
        Case(*call, "R clusterCrit", "Silhouette", "an object alone", "convention", as_one, *alone),
        Case(*call, "Spark", "ClusteringEvaluator", "its own example", "other", printed, *spark),
    ]


def _sums_of_squares() -> list[Case]:
    X, labels = flowers()["X"], flowers()["found"]
    clusters = [X[labels == k] - X[labels == k].mean(axis=0) for k in range(3)]
    errors = np.array([(c**2).sum() for c in clusters])
    ball = pt.indices.ball_hall(X, labels), float(errors.sum() / 3)
    means = float(np.mean([(c**2).sum() / len(c) for c in clusters]))
    negated = value("genieclust", "cluster_validity.negated_ball_hall_index", DATA)
    four = float(KMeans(4, n_init=10, random_state=0).fit(X).inertia_)
    curve = pt.indices.curves.hartigan([3, 4], [errors.sum(), four], n=150, d=4)
    hartigan = float(curve.values[0]), float((errors.sum() / four - 1) * (150 - 3 - 1))
    within = sum(c.T @ c for c in clusters)
    marriott = math.exp(pt.indices.marriott(X, labels)), float(9 * np.linalg.det(within))
    mse = pt.indices.mse(X, labels), float(errors.sum() / 150 / 4)
    alike = np.ones((6, 2)), np.array([0, 0, 0, 1, 1, 1])
    none = _or_nan(pt.indices.calinski_harabasz, *alike), "nan"
    of_one = float(metrics.calinski_harabasz_score(*alike))
    of_them = float(ClusteringMetric(X=alike[0], y_pred=alike[1]).calinski_harabasz_index())
    theirs = {
        name: value("permetrics", name, DATA)
        for name in ("hartigan_index", "ksq_detw_index", "mean_squared_error_index")
    }
    ch = ("calinski-harabasz", "Calinski-Harabasz")
    equal = ("six equal objects", "convention")
    return [
        Case("ball-hall", "Ball-Hall", "R clusterCrit", "Ball_Hall", "Iris", "other", means, *ball),
        Case(
            "ball-hall", "Ball-Hall", "genieclust", "negated_ball_hall_index", "Iris", "other", negated, *ball
        ),
        *(
            Case(topic, title, "permetrics", name, "Iris", verdict, theirs[name], *both)
            for topic, title, name, verdict, both in (
                ("hartigan", "Hartigan, k = 3", "hartigan_index", "other", hartigan),
                ("determinant", "k² times |W|", "ksq_detw_index", "wrong", marriott),
                ("mse", "mean squared error", "mean_squared_error_index", "other", mse),
            )
        ),
        Case(*ch, "scikit-learn", "calinski_harabasz_score", *equal, of_one, *none),
        Case(*ch, "permetrics", "calinski_harabasz_index", *equal, of_them, *none),
    ]


def _or_nan(index: Any, *given: Any) -> Number:
    """A value; where there is none a warning says why, and the page has it in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pt.errors.UndefinedIndexWarning)
        number = index(*given)
    return "nan" if math.isnan(number) else float(number)


def _xie_beni() -> list[Case]:
    X, labels, U = (flowers()[name] for name in ("X", "found", "memberships"))
    fuzzy = pt.indices.xie_beni(X, U), by_definition.xie_beni(X, U)
    hard = pt.indices.xie_beni(X, labels), by_definition.xie_beni(X, np.eye(3)[labels])
    sugeno = pt.indices.fukuyama_sugeno(X, U), by_definition.fukuyama_sugeno(X, U)
    D = cdist(X, X)
    nearest = pt.indices.ssw(X, labels) / 150 / D[labels[:, None] != labels].min() ** 2
    names = ('fclustIndex(index = "xie.beni")', 'fclustIndex(index = "fukuyama.sugeno")')
    twice, sums = (value("R e1071", name, DATA) for name in names)
    blobs, found = (objects_of("blobs")[name] for name in DATA)
    nearest_centre = value("permetrics", "xie_beni_index", DATA, "blobs")
    own_centre = by_definition.xie_beni(blobs, (found[:, None] == np.unique(found)).astype(float))
    crossed = nearest_centre, pt.indices.xie_beni(blobs, found), own_centre
    return [
        Case("xie-beni", "Xie-Beni, hard", "permetrics", "xie_beni_index", "blobs", "wrong", *crossed),
        Case("xie-beni", "Xie-Beni, hard", "R clusterCrit", "Xie_Beni", "Iris", "other", nearest, *hard),
        Case("xie-beni", "Xie-Beni", "R e1071", "xie.beni", "Iris, fuzzy", "wrong", twice, *fuzzy),
        Case(
            "fukuyama-sugeno",
            "Fukuyama-Sugeno",
            "R e1071",
            "fukuyama.sugeno",
            "Iris, fuzzy",
            "wrong",
            sums,
            *sugeno,
        ),
    ]


def _likelihood() -> list[Case]:
    X, model = flowers()["X"], flowers()["model"]
    parameters = 3 * 4 + 3 * 10 + 2  # means, full covariances, weights that add to one
    right = parameters * math.log(150) - 2 * float(model.score_samples(X).sum())
    theirs = value("R mclust", "mclustBIC", ("X", "model"))
    ours = pt.indices.bic(X, model)
    return [Case("bic", "BIC", "R mclust", "mclustBIC", "Iris, its own fit", "other", theirs, ours, right)]


def _density() -> list[Case]:
    X, which = make_moons(300, noise=0.05, random_state=0)
    seen = recorded("python.json")["moons"]["hdbscan"]
    few = slice(0, 300, 5)
    whole = pt.indices.dbcv(X, which), dbcv_by_definition(X, np.eye(2)[which])
    part = pt.indices.dbcv(X[few], which[few]), dbcv_by_definition(X[few], np.eye(2)[which[few]])
    other = float(ClusteringMetric(X=X[few], y_pred=which[few]).density_based_clustering_validation_index())
    call = ("dbcv", "DBCV")
    return [
        *(
            Case(*call, "hdbscan", "validity_index", f"moons, begun at {i}", "convention", seen[i], *whole)
            for i in (min(seen, key=seen.get), max(seen, key=seen.get))
        ),
        Case(*call, "permetrics", "DBCVI", "sixty of the moons", "wrong", other, *part),
    ]


def _walks_over_the_wrong_names() -> Iterator[Case]:
    """Homogeneity, completeness and V of sets with more clusters on one side."""
    for name, theirs, place in (
        ("homogeneity", "homogeneity_score", "moons"),
        ("completeness", "completeness_score", "blobs"),
        ("v_measure", "v_measure_score", "blobs"),
    ):
        truth, found = (np.unique(objects_of(place)[side], return_inverse=True)[1] for side in PAIR)
        N = by_definition.table(truth, found)
        shared = by_definition.mutual_information(N)
        pure = shared / by_definition.entropy(N.sum(axis=1))
        whole = shared / by_definition.entropy(N.sum(axis=0))
        right = {"homogeneity": pure, "completeness": whole, "v_measure": 2 * pure * whole / (pure + whole)}
        numbers = value("permetrics", theirs, PAIR, place), pt.indices.find(name)(truth, found), right[name]
        yield Case("homogeneity", name.replace("_", "-"), "permetrics", theirs, place, "wrong", *numbers)


def _information() -> list[Case]:
    truth, found = flowers()["truth"], flowers()["found"]
    N = by_definition.table(truth, found)
    r, inputs = recorded("r.json"), recorded("inputs.json")
    a, b = inputs["pairs"]["two clusters, six clusters"]
    few = by_definition.table(a, b)
    real = np.array(inputs["real table"])
    unequal = r["pairs"]["two clusters, six clusters"]["R clue"]['cl_agreement(method = "NMI")']
    nmi = pt.indices.nmi_sum(a, b), by_definition.nmi(few, lambda h, g: (h + g) / 2)
    independent = recorded("torchmetrics.json")["pairs"]["independent"]["v_measure_score"]
    v = pt.indices.v_measure([0, 1, 0, 1], [0, 0, 1, 1]), 0.0
    mi = pt.drop_in.mutual_info_score(None, None, contingency=real), by_definition.mutual_information(real)
    rounded = float(metrics.mutual_info_score(None, None, contingency=real))
    floored = r["real_table"]["R genieclust"]["mi_score"]
    classes = pt.indices.class_entropy(truth, found, base=2), by_definition.mean_entropy_of_classes(N)
    margins = by_definition.entropy(N.sum(axis=1)) + by_definition.entropy(N.sum(axis=0))
    vi = pt.indices.variation_of_information(truth, found), 2 * by_definition.entropy(N) - margins
    shared = 1 - by_definition.mutual_information(N) / by_definition.entropy(N)
    nvi = pt.indices.normalized_variation_of_information(truth, found), shared
    unweighed = value("permetrics", "entropy_score", PAIR)
    bits, of_sum = value("clusim", "sim.vi", PAIR), value("R mclustcomp", "nvi", PAIR)
    walked = [*_walks_over_the_wrong_names()]
    two_six = ("two clusters, six clusters", "other")
    table = ("a table of reals", "wrong")
    return [
        Case("nmi", "NMI", "R clue", "NMI", *two_six, unequal, *nmi),
        Case("nmi", "NMI", "R aricode", "NMI", *two_six, by_definition.nmi(few, max), *nmi),
        Case("v-measure", "V", "torchmetrics", "v_measure_score", "independent", "wrong", independent, *v),
        *walked,
        Case("real-tables", "MI", "scikit-learn", "mutual_info_score", *table, rounded, *mi),
        Case("real-tables", "MI", "R genieclust", "mi_score", *table, floored, *mi),
        Case("entropy", "entropy, bits", "permetrics", "entropy_score", "Iris", "wrong", unweighed, *classes),
        Case("bits", "VI", "clusim", "vi", "Iris", "other", bits, *vi),
        Case("nvi", "normalised VI", "R mclustcomp", "nvi", "Iris", "other", of_sum, *nvi),
    ]


def _pairs_and_sets() -> list[Case]:
    truth, found = flowers()["truth"], flowers()["found"]
    N = by_definition.table(truth, found)
    i = np.arange(1_000_000)
    large = i % 3, (i % 3 + (i % 5 == 0)) % 3
    seen = recorded("torchmetrics.json")["large"]["1000000"]
    ari = pt.indices.adjusted_rand(*large), by_definition.adjusted_rand(by_definition.table(*large))
    f = pt.indices.f_measure(truth, found), by_definition.f_measure(N)
    gamma = pt.indices.hubert_gamma(truth, found), by_definition.phi(N)
    hits = 1 - pt.indices.classification_error(truth, found), by_definition.best_matching(N) / 150
    moved = float((300 - N.max(axis=0).sum() - N.max(axis=1).sum()) / 300)
    van_dongen = pt.indices.normalized_van_dongen(truth, found), moved
    accuracy = float(genieclust_pairs.normalized_clustering_accuracy(truth, found))
    of_pairs = value("permetrics", "f_measure_score", PAIR)
    sums, objects = value("R mclustcomp", "f", PAIR), value("R mclustcomp", "vdm", PAIR)
    diagonal = value("R clue", 'cl_agreement(method = "KP")', PAIR)
    call = ("Iris", "other")
    return [
        Case(
            "overflow", "ARI", "torchmetrics", "adjusted_rand_score", "a million objects", "wrong", seen, *ari
        ),
        Case("f-measure", "F-measure", "permetrics", "f_measure_score", *call, of_pairs, *f),
        Case("f-measure", "F-measure", "R mclustcomp", "f", *call, sums, *f),
        Case("katz-powell", "correlation of pairs", "R clue", "KP", *call, diagonal, *gamma),
        Case("accuracy", "accuracy", "genieclust", "normalized_clustering_accuracy", *call, accuracy, *hits),
        Case("van-dongen", "van Dongen", "R mclustcomp", "vdm", *call, objects, *van_dongen),
    ]


def _soft() -> list[Case]:
    said = recorded("python.json")["credal"]
    sets = np.array([[False, False], [True, False], [False, True], [True, True]])
    hard = pt.EvidentialPartition(np.eye(4)[[1] * 5 + [2] * 5], sets)
    vacuous = pt.EvidentialPartition(np.eye(4)[[3] * 10], sets)
    truth, U = flowers()["truth"], flowers()["memberships"]
    hardened = recorded("r.json")["iris_hard_against_fuzzy"]['cl_agreement(method = "Rand")']
    rand = (
        1 - pt.indices.coassociation_rand_distance(truth, U),
        by_definition.product_rand(np.eye(3)[truth], U),
    )
    credal = pt.indices.credal_rand(hard, hard, type="conflict"), 1.0
    pairs = pt.indices.pairwise_nonspecificity
    name = ("credal", "non-specificity of pairs", "Python evclust", "nonspecificity")
    of_hard, of_both = said["nonspecificity, hard"], said["nonspecificity, vacuous"]
    itself = said["credalRI, hard against itself"]
    return [
        Case("hardened", "Rand of memberships", "R clue", "Rand", "Iris, fuzzy", "other", hardened, *rand),
        Case(
            "credal",
            "credal Rand",
            "Python evclust",
            "credalRI",
            "hard against itself",
            "wrong",
            itself,
            *credal,
        ),
        Case(*name, "hard", "wrong", of_hard, pairs(hard), 0.0),
        Case(*name, "all mass on both", "wrong", of_both, pairs(vacuous), 1.0),
    ]
