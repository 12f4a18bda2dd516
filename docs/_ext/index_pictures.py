"""Small pictures of what a value means: clusterings of the same objects, or a curve over numbers of clusters.

They are drawn as plain SVG that takes the colour of the page for lines and letters.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import partita as pt
from index_facts import is_pair
from partita.datasets import make_binary
from partita.errors import PartitaError
from partita.partitions import FUZZY
from partita.registry import Index, find
from partita.registry.curves import Curve

COLOURS = ("#0072B2", "#D55E00", "#009E73")
"""Blue, orange, green of Okabe and Ito: told apart by all eyes, and by their shapes besides."""
PER_CLUSTER = 20
LEVELS = (0.3, 0.6, 0.9)
NEAR = 0.06
"""A value this close to a level stands for it."""
KS = tuple(range(1, 9))
TRUE_K = 3
PANEL, HEIGHT = 210, 150


# --- two clusterings --------------------------------------------------------------------------------------


@cache
def _objects() -> tuple[Any, Any]:
    """Sixty objects in three round clusters, and which is which."""
    rng = np.random.default_rng(4)
    turns = np.arange(PER_CLUSTER) * 2.39996
    radii = 5 + 8.2 * np.sqrt(np.arange(PER_CLUSTER))
    round_cluster = np.column_stack([np.cos(turns), np.sin(turns)]) * radii[:, None]
    centres = np.array([[50.0, 46.0], [160.0, 46.0], [105.0, 104.0]])
    points = np.concatenate([c + round_cluster * [1, 0.85] for c in centres])
    points += rng.normal(scale=0.8, size=points.shape)
    return points, np.repeat(np.arange(3), PER_CLUSTER)


@cache
def _path() -> tuple[Any, ...]:
    """Clusterings from the truth to one drawn by lot: object after object gets the label it drew."""
    _, truth = _objects()
    rng = np.random.default_rng(7)
    drawn, order = rng.permutation(truth), rng.permutation(truth.size)
    path = [truth.copy()]
    for i in order:
        step = path[-1].copy()
        step[i] = drawn[i]
        if (step != path[-1]).any():
            path.append(step)
    return tuple(path)


def _value(entry: Index, found: Any) -> float:
    points, truth = _objects()
    given = {"X": points, "truth": truth, "found": found}
    return entry(*(given[name] for name in entry.inputs))


def levels_picture(entry: Index) -> tuple[str, str]:
    """Clusterings that score about 0.3, 0.6 and 0.9, and what the picture says in words."""
    path = _path()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.array([_value(entry, found) for found in path])
    first, last = values[0], values[-1]
    is_on_unit = entry.best in (0.0, 1.0) and max(abs(first), abs(last)) <= 1.0
    wanted = LEVELS if is_on_unit else tuple(last + level * (first - last) for level in LEVELS)
    panels: dict[int, str] = {}
    words = []
    _, truth = _objects()
    for level in wanted:
        at = int(np.nanargmin(np.abs(values - level)))
        if at in panels:
            continue
        moved = int((path[at] != truth).sum())
        is_near = not is_on_unit or abs(values[at] - level) <= NEAR
        label = _number(values[at]) if is_near else f"{_number(values[at])} ({level:g} is not reached)"
        panels[at] = _scatter(path[at], label, f"{moved} of {truth.size} moved")
        words.append(f"{_number(values[at])} with {moved} of {truth.size} objects moved")
    ends = f"{_number(first)} when none is moved, {_number(last)} when all labels are drawn by lot"
    text = f"Place is the truth, colour and shape what was found: {'; '.join(words)}. It is {ends}."
    return _side_by_side(list(panels.values()), text), text


def _number(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _scatter(found: Any, title: str, below: str) -> str:
    points, truth = _objects()
    marks = []
    for (x, y), label, own in zip(points, found, truth, strict=True):
        edge = ' stroke="currentColor" stroke-width="1.6"' if label != own else ""
        marks.append(f'<path d="{_mark(label, x, y + 14)}" fill="{COLOURS[label]}"{edge}/>')
    return (
        f'<text x="105" y="10" text-anchor="middle" font-weight="600">{escape(title)}</text>'
        f'{"".join(marks)}<text x="105" y="166" text-anchor="middle" opacity="0.75">{below}</text>'
    )


def _mark(label: int, x: float, y: float) -> str:
    x, y = round(x, 1), round(y, 1)
    shapes = (
        f"M{x - 3.6:.1f} {y}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
        f"M{x - 3.3:.1f} {y - 3.3:.1f}h6.6v6.6h-6.6z",
        f"M{x} {y - 4.4:.1f}l4.2 7.4h-8.4z",
    )
    return shapes[label]


# --- curves over k ----------------------------------------------------------------------------------------


@cache
def _data(is_clustered: bool, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    if not is_clustered:
        return rng.uniform(-2, 8, size=(150, 2))
    return rng.normal(size=(150, 2)) + np.repeat([[0, 0], [7, 0], [3.5, 6]], 50, axis=0)


@cache
def _binary(is_clustered: bool) -> Any:
    rng = np.random.default_rng(0)
    if not is_clustered:
        return (rng.random((150, 12)) < 0.5).astype(float)
    return make_binary(TRUE_K, n=150, d=12, random_state=0).X


def _labels(X: Any, k: int) -> Any:
    return KMeans(k, n_init=5, random_state=0).fit_predict(X)


@cache
def _found(way: str, is_clustered: bool, k: int) -> Any:
    """Data, and a clustering of it into k clusters, or a fitted model."""
    X = _binary(is_clustered) if way == "0/1 data, k-means" else _data(is_clustered)
    if way in ("k-means", "0/1 data, k-means"):
        return X, _labels(X, k)
    models: dict[str, Callable[[], Any]] = {
        "Gaussian mixtures": lambda: pt.cluster.GaussianMixtureEM(k, random_state=0),
        "fuzzy c-means": lambda: pt.cluster.FuzzyCMeans(k, n_init=3, random_state=0),
        "evidential c-means": lambda: pt.cluster.EvidentialCMeans(k, n_init=1, random_state=0),
    }
    model = models[way]().fit(X)
    return X, model if way == "Gaussian mixtures" else model.partition_


def _ways(entry: Index) -> tuple[str, ...]:
    """Methods whose clusterings show how it moves, most telling first."""
    if "model" in entry.inputs:
        return ("Gaussian mixtures",)
    homes = {statistic.__module__.rpartition(".")[2] for statistic in entry.statistics}
    if FUZZY in entry.kinds and homes & {"prototypes", "memberships"}:
        return ("fuzzy c-means", "evidential c-means")
    return ("k-means", "0/1 data, k-means", "evidential c-means")


def _values(entry: Index, way: str, is_clustered: bool) -> list[float]:
    values = []
    for k in KS:
        if k == 1 and way in ("fuzzy c-means", "evidential c-means"):
            values.append(math.nan)
            continue
        if way == "evidential c-means" and k > 5:  # two to the power of k focal sets
            values.append(math.nan)
            continue
        X, found = _found(way, is_clustered, k)
        given = {"X": X, "found": found, "model": found}
        values.append(entry(*(given[name] for name in entry.inputs)))
    return values


def _curve_values(entry: Curve, is_clustered: bool) -> list[float]:
    X = _data(is_clustered)
    read = _values(find(entry.of), "k-means", is_clustered)
    null = None
    if entry.needs_null:
        rng = np.random.default_rng(0)
        low, high = X.min(axis=0), X.max(axis=0)
        without = [rng.uniform(low, high, size=X.shape) for _ in range(10)]
        null = [[find(entry.of)(Y, _labels(Y, k)) for k in KS] for Y in without]
    return list(entry(KS, read, n=len(X), d=X.shape[1], null=null).values)


def curve_picture(entry: Index | Curve) -> tuple[str, str]:
    """How it moves over k on data with three clusters, and on data without any; and the same in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        way, clustered, without = _both(entry)
    ends = [("three clusters", clustered, TRUE_K), ("no clusters", without, None)]
    panels = [_line(values, title, entry.direction, true_k) for title, values, true_k in ends]
    text = f"By {way}. {_told(clustered, entry.direction, 'On data with three clusters')}"
    text += f" {_told(without, entry.direction, 'On data without clusters')}"
    return _side_by_side(panels, text), text


def _both(entry: Index | Curve) -> tuple[str, list[float], list[float]]:
    if isinstance(entry, Curve):
        return f"k-means, from {entry.of}", _curve_values(entry, True), _curve_values(entry, False)
    refused = None
    for way in _ways(entry):
        try:
            values = _values(entry, way, True), _values(entry, way, False)
        except PartitaError as problem:
            refused = problem
            continue
        known = [v for v in values[0] if math.isfinite(v)]
        if known and (max(known) - min(known) > 1e-9 or way == _ways(entry)[-1]):
            return way, *values
    raise refused or PartitaError(f"no data shows how {entry.name} moves over k")


def _told(values: Sequence[float], direction: str, where: str) -> str:
    known = {k: v for k, v in zip(KS, values, strict=True) if math.isfinite(v)}
    if not known:
        return f"{where} it has no value."
    low, high = min(known), max(known)
    span = f"{where}: {_number(known[low])} at k = {low}, {_number(known[high])} at k = {high}"
    if direction == "none":
        return f"{span}."
    best = (max if direction == "higher" else min)(known, key=lambda k: known[k])
    at_end = " (an end of the range, so no choice)" if best == KS[-1] or best == low <= 2 else ""
    return f"{span}; {'highest' if direction == 'higher' else 'lowest'} at k = {best}{at_end}."


def _line(values: Sequence[float], title: str, direction: str, true_k: int | None) -> str:
    known = [(k, v) for k, v in zip(KS, values, strict=True) if math.isfinite(v)]
    left, right, top, bottom = 44, PANEL - 10, 22, HEIGHT - 12
    low, high = (min(v for _, v in known), max(v for _, v in known)) if known else (0.0, 1.0)
    spread = high - low or 1.0

    def x(k: float) -> float:
        return round(left + 6 + (k - KS[0]) / (KS[-1] - KS[0]) * (right - left - 12), 1)

    def y(v: float) -> float:
        share = 0.5 if high == low else (v - low) / spread
        return round(bottom - 8 - share * (bottom - top - 16), 1)

    parts = [
        f'<text x="{(left + right) / 2}" y="10" text-anchor="middle" font-weight="600">{title}</text>',
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor" opacity="0.5"/>',
        *(f'<text x="{x(k)}" y="{bottom + 13}" text-anchor="middle">{k}</text>' for k in KS),
        f'<text x="{(left + right) / 2}" y="{bottom + 27}" text-anchor="middle" opacity="0.75">k</text>',
        f'<text x="{left - 4}" y="{y(high) + 4}" text-anchor="end">{_number(high)}</text>',
    ]
    if high > low:
        parts.append(f'<text x="{left - 4}" y="{y(low) + 4}" text-anchor="end">{_number(low)}</text>')
    if true_k:
        parts.append(
            f'<path d="M{x(true_k)} {top}V{bottom}" stroke="currentColor" stroke-dasharray="3 3"'
            ' opacity="0.5"/>'
        )
    runs = "".join(
        f"{'L' if i and known[i - 1][0] == k - 1 else 'M'}{x(k)} {y(v)}" for i, (k, v) in enumerate(known)
    )
    parts.append(f'<path d="{runs}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>')
    better = {"higher": max, "lower": min}.get(direction)
    best = better(known, key=lambda point: point[1])[0] if better and known else None
    for k, v in known:
        radius, fill = (5, COLOURS[1]) if k == best else (2.5, COLOURS[0])
        parts.append(f'<circle cx="{x(k)}" cy="{y(v)}" r="{radius}" fill="{fill}"/>')
    return "".join(parts)


def _side_by_side(panels: Sequence[str], text: str) -> str:
    width, height = PANEL * len(panels), HEIGHT + 22
    inner = "".join(f'<g transform="translate({PANEL * i} 4)">{p}</g>' for i, p in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
        f' aria-label="{escape(text)}" font-size="11" fill="currentColor">{inner}</svg>'
    )


def picture(entry: Index | Curve) -> tuple[str, str]:
    """The picture of an entry as SVG, and what it says in words."""
    return levels_picture(entry) if is_pair(entry) else curve_picture(entry)
