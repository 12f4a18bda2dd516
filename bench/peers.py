"""Other packages on the same work in the same run: do values agree, who is wrong if not, and how fast.

Each peer is optional; one that is missing is named. A remark is printed only where the values differ in this
run: if a peer is mended, it says "yes" and the remark is gone.
"""

from __future__ import annotations

import importlib
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.datasets import load_iris

import partita as pt
from measuring import Peer, Report

ISSUE = 19
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Case:
    """One piece of work, theirs and ours."""

    work: str
    theirs: Callable[[], Any]
    ours: Callable[[], Any]
    wrong: str = ""
    """Who is wrong where the values differ, and why."""
    repeats: int = 0
    """How often it is timed; not at all by default."""
    tolerance: float = TOLERANCE


def run(report: Report, best: Callable[..., float]) -> None:
    for name, cases in PEERS.items():
        module = imported(name)
        if isinstance(module, str):
            report.note(f"{name} is missing ({module}): nothing of it was measured")
            continue
        for case in cases(module):
            record = compared(name, case, best)
            report.add(record)
            speed = "" if record.ratio is None else f", {record.ratio:.3g}x our time"
            verdict = "agree " if record.agree else "DIFFER"
            values = f"{record.theirs:.6g} and {record.ours:.6g}"
            print(f"{verdict} {name}: {case.work}: {values}{speed} {record.remark}", flush=True)


def imported(name: str) -> ModuleType | str:
    """A peer's module, or why there is none."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(MODULES[name])
        except ImportError as missing:
            return str(missing)


def compared(name: str, case: Case, best: Callable[..., float]) -> Peer:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        ours = float(case.ours())
        try:
            theirs = float(case.theirs())
        except Exception as error:  # noqa: BLE001 (whatever it is, it is a peer's answer)
            return Peer(name, case.work, np.nan, ours, False, None, f"raised {type(error).__name__}: {error}")
        agree = bool(np.isclose(theirs, ours, rtol=case.tolerance, atol=case.tolerance, equal_nan=True))
        ratio = best(case.theirs, case.repeats) / best(case.ours, case.repeats) if case.repeats else None
    remark = "" if agree else case.wrong or "not explained: to be looked into"
    return Peer(name, case.work, theirs, ours, agree, ratio, remark)


def labels(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two clusterings that agree on most objects."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, n)
    return truth, np.where(rng.random(n) < 0.7, truth, rng.integers(0, 6, n))


A, B = labels(100_000)
IRIS = load_iris().data
SPECIES = load_iris().target
X = np.random.default_rng(1).normal(size=(4000, 4)) + 4 * np.arange(4)[np.arange(4000) % 4][:, None]
GROUPS = np.where(np.random.default_rng(2).random(4000) < 0.9, np.arange(4000) % 4, 0)
CONSTANT = np.zeros(20, dtype=int)
INDEPENDENT = (np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))


def scikit_learn(module: ModuleType) -> Iterator[Case]:  # noqa: ARG001 (imported above)
    for ours, theirs in (
        ("adjusted_rand", "adjusted_rand_score"),
        ("adjusted_mutual_information", "adjusted_mutual_info_score"),
        ("nmi_sum", "normalized_mutual_info_score"),
        ("v_measure", "v_measure_score"),
        ("fowlkes_mallows", "fowlkes_mallows_score"),
    ):
        entry, function = pt.indices.find(ours), getattr(metrics, theirs)
        yield Case(f"{ours}, 10^5 labels", lambda f=function: f(A, B), lambda e=entry: e(A, B), repeats=3)
    for ours, theirs in (
        ("silhouette", "silhouette_score"),
        ("calinski_harabasz", "calinski_harabasz_score"),
        ("davies_bouldin", "davies_bouldin_score"),
    ):
        entry, function = pt.indices.find(ours), getattr(metrics, theirs)
        yield Case(
            f"{ours}, 4000 x 4", lambda f=function: f(X, GROUPS), lambda e=entry: e(X, GROUPS), repeats=3
        )
    soft = np.array([[0.6, 0.4], [0.7, 0.3], [0.2, 0.8], [0.5, 0.5]])
    table = soft.T @ soft[::-1]
    p = table / table.sum()
    by_hand = float((p * np.log(p / np.outer(p.sum(axis=1), p.sum(axis=0)))).sum())
    yield Case(
        "mutual information of a table of memberships",
        lambda: metrics.mutual_info_score(None, None, contingency=table),
        lambda: pt.indices.mutual_information(soft, soft[::-1]),
        wrong=f"scikit-learn takes sums of rows for whole numbers; by the definition {by_hand:.6g}",
    )


def genieclust(module: ModuleType) -> Iterator[Case]:
    for ours, theirs in (
        ("adjusted_rand", "adjusted_rand_score"),
        ("nmi_sum", "normalized_mi_score"),
        ("fowlkes_mallows", "fm_score"),
        ("pair_set_index", "pair_sets_index"),
    ):
        entry, function = pt.indices.find(ours), getattr(module, theirs)
        yield Case(f"{ours}, 10^5 labels", lambda f=function: f(A, B), lambda e=entry: e(A, B), repeats=5)
    yield Case(
        "adjusted_rand of two constant clusterings",
        lambda: module.adjusted_rand_score(CONSTANT, CONSTANT),
        lambda: pt.indices.adjusted_rand(CONSTANT, CONSTANT),
        wrong="genieclust has no value for 0/0; identical clusterings score 1, as in scikit-learn",
    )


def permetrics(module: ModuleType) -> Iterator[Case]:
    small = labels(20_000)
    metric = module.ClusteringMetric(y_true=small[0], y_pred=small[1])
    for ours, theirs in (
        ("adjusted_rand", "adjusted_rand_score"),
        ("nmi_sum", "normalized_mutual_info_score"),
        ("purity", "purity_score"),
    ):
        entry = pt.indices.find(ours)
        yield Case(
            f"{ours}, 20,000 labels",
            lambda name=theirs: getattr(metric, name)(decimal=15),
            lambda e=entry: e(*small),
            repeats=2,
        )
    yield Case(
        "entropy of classes in clusters (bits)",
        lambda: metric.entropy_score(decimal=15),
        lambda: pt.indices.class_entropy(*small) / np.log(2),
        wrong="permetrics adds up the entropies of clusters without their sizes",
    )
    data = module.ClusteringMetric(X=IRIS, y_pred=SPECIES)
    yield Case(
        "davies_bouldin, Iris",
        lambda: data.davies_bouldin_index(decimal=15),
        lambda: pt.indices.davies_bouldin(IRIS, SPECIES),
    )
    turned = 2 - SPECIES
    renamed = module.ClusteringMetric(X=IRIS, y_pred=turned)
    yield Case(
        "Dunn as it comes by default, Iris",
        lambda: data.dunn_index(decimal=15),
        lambda: pt.indices.dunn(IRIS, SPECIES),
        wrong="permetrics' default is another index (objects to centres); with the clusters renamed "
        f"it gives {renamed.dunn_index(decimal=15):.5f}, so it is no index of the clustering",
    )


def torchmetrics(module: ModuleType) -> Iterator[Case]:
    import torch

    a, b = labels(10**6)
    both = torch.tensor(b), torch.tensor(a)
    yield Case(
        "adjusted_rand, 10^6 labels",
        lambda: module.adjusted_rand_score(*both),
        lambda: pt.indices.adjusted_rand(a, b),
        wrong=f"torchmetrics overflows; scikit-learn gives {metrics.adjusted_rand_score(a, b):.6g}",
        repeats=3,
        tolerance=1e-5,
    )
    yield Case(
        "nmi_sum, 10^6 labels",
        lambda: module.normalized_mutual_info_score(*both),
        lambda: pt.indices.nmi_sum(a, b),
        repeats=3,
        tolerance=1e-5,
    )
    yield Case(
        "v_measure of independent clusterings",
        lambda: module.v_measure_score(*(torch.tensor(side) for side in INDEPENDENT)),
        lambda: pt.indices.v_measure(*INDEPENDENT),
        wrong="torchmetrics gives 1 where homogeneity and completeness are 0; independent ones score 0",
    )
    yield Case(
        "Dunn, Iris",
        lambda: module.dunn_index(torch.tensor(IRIS), torch.tensor(SPECIES)),
        lambda: pt.indices.dunn(IRIS, SPECIES),
        wrong="torchmetrics divides distances of centres by radii: a generalised Dunn index, not Dunn's",
    )
    yield Case(
        "davies_bouldin, Iris",
        lambda: module.davies_bouldin_score(torch.tensor(IRIS), torch.tensor(SPECIES)),
        lambda: pt.indices.davies_bouldin(IRIS, SPECIES),
        tolerance=1e-5,
    )


def evclust(module: ModuleType) -> Iterator[Case]:
    sets = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    masses = np.zeros((10, 4))
    masses[np.arange(10), 1 + np.arange(10) % 2] = 1.0
    theirs = {"mass": masses, "F": sets}
    yield Case(
        "credal Rand of a hard clustering with itself",
        lambda: module.credalRI(theirs, theirs),
        lambda: pt.indices.credal_rand(*[pt.EvidentialPartition(masses, sets)] * 2),
        wrong="evclust for Python takes distances of rows where entries are meant; identical ones score 1",
    )
    yield Case(
        "pairwise nonspecificity of a hard clustering",
        lambda: np.mean(module.nonspecificity(masses, sets)),
        lambda: pt.indices.pairwise_nonspecificity(pt.EvidentialPartition(masses, sets)),
        wrong="evclust for Python takes sizes of sets for their logarithms; certain labels score 0",
    )
    ecm = importlib.import_module("evclust.ecm").ecm
    few = IRIS[::3]
    start = few[[0, 20, 40]] + 0.01

    def by_evclust() -> dict[str, Any]:
        with redirect_stdout(io.StringIO()):
            return ecm(few, 3, g0=start, alpha=1, beta=2, delta=10, epsi=1e-12, disp=False)

    model = pt.cluster.EvidentialCMeans(3, alpha=1.0, beta=2.0, delta=10.0, init=start, tol=1e-10)
    yield Case(
        "evidential c-means, 50 x 4, k = 3: sum of the centres",
        lambda: np.sum(by_evclust()["g"]),
        lambda: np.sum(model.fit(few).cluster_centers_),
        repeats=3,
        tolerance=1e-6,
    )
    fit = by_evclust()
    yield Case(
        "evidential c-means, 50 x 4, k = 3: objective",
        lambda: fit["crit"],
        lambda: model.fit(few).objective_,
        tolerance=1e-6,
        wrong="evclust leaves a part of it out: by the definition its own masses and centres give "
        f"{ecm_objective(few, fit):.6g}",
    )


def ecm_objective(data: np.ndarray, fit: dict[str, Any]) -> float:
    """Masson and Denoeux's criterion with alpha = 1, beta = 2, delta = 10, of given masses and centres."""
    total = 0.0
    for focal, mass in zip(np.asarray(fit["F"], dtype=bool), fit["mass"].T, strict=True):
        away = (
            ((data - fit["g"][focal].mean(axis=0)) ** 2).sum(axis=1) * focal.sum() if focal.any() else 10.0**2
        )
        total += float((mass**2 * away).sum())
    return total


def scikit_fuzzy(module: ModuleType) -> Iterator[Case]:
    from partita.cluster.fuzzy import fuzzy_memberships

    start = np.ascontiguousarray(fuzzy_memberships(IRIS, IRIS[[0, 60, 120]] + 0.01, 2.0)[0].T)

    def theirs() -> Any:
        return module.cmeans(IRIS.T, 3, 2.0, 1e-10, 300, init=start)

    model = pt.cluster.FuzzyCMeans(3, init=IRIS[[0, 60, 120]] + 0.01, tol=1e-12)
    yield Case(
        "fuzzy c-means, Iris: partition coefficient",
        lambda: theirs()[6],
        lambda: pt.indices.partition_coefficient(model.fit(IRIS).partition_),
        repeats=5,
        tolerance=1e-6,
    )
    yield Case(
        "fuzzy c-means, Iris: objective",
        lambda: theirs()[4][-1],
        lambda: model.fit(IRIS).objective_,
        tolerance=1e-6,
    )


def cdlib(module: ModuleType) -> Iterator[Case]:
    import networkx as nx
    from cdlib import NodeClustering

    a, b = labels(2000)
    graph = nx.empty_graph(2000)
    one, other = (
        NodeClustering([np.flatnonzero(side == j).tolist() for j in np.unique(side)], graph, "")
        for side in (a, b)
    )
    for ours, theirs in (
        ("adjusted_rand", "adjusted_rand_index"),
        ("nmi_sum", "normalized_mutual_information"),
        ("adjusted_mutual_information", "adjusted_mutual_information"),
    ):
        entry, function = pt.indices.find(ours), getattr(module, theirs)
        yield Case(
            f"{ours}, 2000 nodes",
            lambda f=function: f(one, other).score,
            lambda e=entry: e(one, other),
            repeats=3,
        )
    yield Case(
        "variation_of_information (bits), 2000 nodes",
        lambda: module.variation_of_information(one, other).score,
        lambda: pt.indices.variation_of_information(one, other, base=2),
        repeats=2,
    )


PEERS = {
    "scikit-learn": scikit_learn,
    "genieclust": genieclust,
    "permetrics": permetrics,
    "torchmetrics": torchmetrics,
    "evclust": evclust,
    "scikit-fuzzy": scikit_fuzzy,
    "cdlib": cdlib,
}
MODULES = {
    "scikit-learn": "sklearn",
    "genieclust": "genieclust.compare_partitions",
    "permetrics": "permetrics",
    "torchmetrics": "torchmetrics.functional.clustering",
    "evclust": "evclust.metrics",
    "scikit-fuzzy": "skfuzzy",
    "cdlib": "cdlib.evaluation",
}
