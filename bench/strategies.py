"""Stepwise search against brute force: an independent random swap at each k, judged by WB in the same way."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from partita.cluster import RandomSwap
from partita.fits.fit_scores import judge_fit
from partita.fits.settings import Grid
from partita.registry import find
from partita.selection.index_panel import Panel
from partita.selection.strategies import method_for, search_fits
from partita.selection.sweep import Sweep

ISSUE = 7
DATA = Path(os.environ.get("PARTITA_DATA", Path(__file__).parents[2] / "shared" / "data"))
KS = tuple(range(2, 31))
SEEDS = range(5)
WB = find("wb_index")


def overlapping_clusters(name: str, spread: float) -> np.ndarray:
    """S1 to S4, or 15 Gaussian clusters of 5000 objects that overlap about as much."""
    path = DATA / f"{name}.csv.gz"
    if path.exists():
        return np.ascontiguousarray(pd.read_csv(path).drop(columns="label").to_numpy(float))
    rng = np.random.default_rng(15)
    cells = np.stack(np.meshgrid(np.arange(4.0), np.arange(4.0)), axis=2).reshape(-1, 2)[:15]
    return np.repeat(cells, 334, axis=0)[:5000] + rng.normal(scale=spread, size=(5000, 2))


def brute_force(X: np.ndarray, seed: int) -> int:
    """The k of the best WB."""
    fits = [RandomSwap(k, random_state=seed).fit(X) for k in KS]
    values = [judge_fit(X, None, fit, fit.partition_, [WB])[0][0][1] for fit in fits]
    return KS[int(np.argmin(values))]


def stepwise(X: np.ndarray, seed: int) -> int:
    """The same by one search."""
    sweep = Sweep(X, None, method_for("stepwise"), Grid("n_clusters", KS, True), 1, Panel((WB,)))
    fits = search_fits("stepwise", sweep, seed).fits
    return min(fits, key=lambda fit: fit.values[WB.label]).k


def run(report: Callable[..., None], best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    for name, spread in (("s1", 0.12), ("s2", 0.18), ("s3", 0.24), ("s4", 0.28)):
        X = overlapping_clusters(name, spread)
        stepwise(X, 0)
        brute_force(X, 0)
        times: dict[str, list[float]] = {"stepwise": [], "brute force": []}
        chosen: dict[str, list[int]] = {"stepwise": [], "brute force": []}
        for seed in SEEDS:
            for way, search in (("stepwise", stepwise), ("brute force", brute_force)):
                start = time.perf_counter()
                chosen[way].append(search(X, seed))
                times[way].append(time.perf_counter() - start)
        same = sum(a == b for a, b in zip(*chosen.values(), strict=True))
        fastest = {way: min(each) for way, each in times.items()}
        print(
            f"{name}, k = 2 to 30: brute force {fastest['brute force'] * 1e3:.0f} ms, stepwise "
            f"{fastest['stepwise'] * 1e3:.0f} ms; chosen {chosen['brute force']} and {chosen['stepwise']}"
        )
        report(
            f"{name}: stepwise chooses what brute force does, share of seeds",
            same / len(SEEDS),
            1,
            at_most=False,
        )
        report(
            f"{name}: brute force vs stepwise search, time",
            fastest["brute force"] / fastest["stepwise"],
            5,
            at_most=False,
        )
