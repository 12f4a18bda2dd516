"""The twelve data sets of the definition of answers (its section 12), made by formula, with their values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from shared_data import DATA

FILE = DATA.parent / "definitions" / "answers_vectors.json"
G = np.array([0.6180339887498949, 0.7548776662466927, 0.5698402909980532])


class Sample(NamedTuple):
    """Objects, and the group that each was made in; -1 is scatter."""

    X: np.ndarray
    groups: np.ndarray


def fraction(x: np.ndarray) -> np.ndarray:
    return x - np.floor(x)


def unif(n: int, start: int = 0) -> np.ndarray:
    """Three columns, evenly spread over the unit cube."""
    i = np.arange(start + 1, start + n + 1)
    return fraction(i[:, None] * G)


def normal(n: int, d: int = 2, start: int = 0) -> np.ndarray:
    """Standard normal by Box and Muller; each further pair of columns in another order."""
    i = np.arange(start + 1, start + n + 1)
    columns = []
    for j in range((d + 1) // 2):
        u, v = fraction(i * G[0] + 0.1 * j), fraction(i * G[1] + 0.37 * j)
        radius = np.sqrt(-2 * np.log(u))
        pair = np.column_stack([radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)])
        if j >= 1:
            pair = pair[np.argsort(fraction(i * (G[2] + 0.0731 * j)), kind="stable")]
        columns.append(pair)
    return np.hstack(columns)[:, :d]


def groups(centres: Sequence[Sequence[float]], sizes: Sequence[int], sds: Sequence[float]) -> Sample:
    """Round normal groups, the g-th from the numbers after 1000 g."""
    parts = [
        np.array(centre) + sd * normal(n, len(centre), 1000 * g)
        for g, (centre, n, sd) in enumerate(zip(centres, sizes, sds, strict=True))
    ]
    return Sample(np.vstack(parts), np.repeat(np.arange(len(sizes)), sizes))


def ring(n: int, radius: float, start: int) -> np.ndarray:
    t = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * normal(n, 2, start)


CORNERS = [(0, 0), (8, 0), (0, 8)]


def three_groups() -> Sample:
    return groups(CORNERS, [40] * 3, [1] * 3)


def two_rings() -> Sample:
    return Sample(np.vstack([ring(80, 1, 0), ring(160, 3, 1000)]), np.repeat([0, 1], [80, 160]))


def two_moons() -> Sample:
    t = np.pi * np.arange(100) / 99
    upper = np.column_stack([np.cos(t), np.sin(t)]) + 0.05 * normal(100, 2, 0)
    lower = np.column_stack([1 - np.cos(t), 0.5 - np.sin(t)]) + 0.05 * normal(100, 2, 1000)
    return Sample(np.vstack([upper, lower]), np.repeat([0, 1], 100))


def levels() -> Sample:
    centres = [(30 * a + 6 * b, 6 * b * (2 - b)) for a in range(3) for b in range(3)]
    return groups(centres, [30] * 9, [0.7] * 9)


def one_cloud() -> Sample:
    return Sample(normal(200), np.zeros(200, dtype=int))


def two_densities() -> Sample:
    return groups([(0, 0), (6, 0)], [150, 60], [0.3, 1.2])


def scatter() -> Sample:
    """Three groups, and 18 objects spread over the square from -4 to 12."""
    X, labels = groups(CORNERS, [60] * 3, [0.8] * 3)
    spread = 16 * unif(18)[:, :2] - 4
    return Sample(np.vstack([X, spread]), np.concatenate([labels, np.full(18, -1)]))


def one_uniform_law() -> Sample:
    return Sample(unif(300)[:, :2], np.zeros(300, dtype=int))


def units() -> Sample:
    """Three groups in two columns; a third, without groups, has by far the largest variance."""
    X, labels = groups(CORNERS, [50] * 3, [1] * 3)
    return Sample(np.column_stack([X[:, 0], X[:, 1] / 2, 300 * unif(150, 5000)[:, 2]]), labels)


def two_overlapping() -> Sample:
    return groups([(0, 0), (3.6, 0)], [150] * 2, [1] * 2)


def unequal_sizes() -> Sample:
    return groups([(0, 0), (7, 0), (0, 7), (7, 7)], [120, 60, 30, 15], [1] * 4)


def ten_dimensions() -> Sample:
    return groups(8 * np.eye(11)[:3, 1:], [50] * 3, [1] * 3)


MAKERS: dict[str, Callable[[], Sample]] = {
    maker.__name__: maker
    for maker in (
        three_groups,
        two_rings,
        two_moons,
        levels,
        one_cloud,
        two_densities,
        scatter,
        one_uniform_law,
        units,
        two_overlapping,
        unequal_sizes,
        ten_dimensions,
    )
}


def vectors() -> dict[str, dict[str, Any]]:
    """The published values by name of the data; a test without the file is skipped."""
    if not FILE.exists():
        pytest.skip(f"{FILE} is not there; set PARTITA_DATA to the folder of shared data")
    return {vector["name"]: vector for vector in json.loads(FILE.read_text())}


def nudged(X: np.ndarray) -> np.ndarray:
    """The data behind the vectors' `answer`: each value moves by about 1e-9 standard deviations (section 9).

    The form and the seed are inferred: with them one_uniform_law, where rounding decides between equal
    distances in Ward's tree, comes out exactly. The other eleven do not need it.
    """
    return X + 1e-9 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape)
