"""One pass of the prototype methods over a block of objects: distances, memberships, what moves the centres.

Objects are looked at in tiles of `TILE`, turned so that a feature of a tile lies in one piece of memory and
the inner loops run over objects. The last tile is filled up with its first object, which counts nothing
there. Sums may be taken in any order (``reassoc``), which the compiler settles once: it is the same on every
thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.kernels.compilation import kernel
from partita.kernels.powers import powers_of_shares

TILE = 128
"""Objects of a tile: with ten features and ten centres all that belongs to it fits into the nearest cache."""

LARGEST_GAIN = 1e150
"""What an object may weigh more than another in a centre: larger weights could not be added up."""

IN_ANY_ORDER = {"reassoc", "contract", "nsz"}


@kernel(fastmath=IN_ANY_ORDER, error_model="numpy")
def _load(X: Any, start: int, tile: Any) -> Any:
    """Turn the next objects into a tile; how many there are."""
    width = min(TILE, X.shape[0] - start)
    for t in range(TILE):
        i = start + (t if t < width else 0)
        for f in range(X.shape[1]):
            tile[f, t] = X[i, f]
    return width


@kernel(fastmath=IN_ANY_ORDER, error_model="numpy")
def _measure(tile: Any, centres: Any, squared: Any) -> None:
    """Squared distances of a tile's objects to all centres."""
    d = centres.shape[1]
    for j in range(centres.shape[0]):
        row = squared[j]
        row[:] = 0.0
        f = 0
        while f + 4 <= d:
            x0, x1, x2, x3 = tile[f], tile[f + 1], tile[f + 2], tile[f + 3]
            c0, c1, c2, c3 = centres[j, f], centres[j, f + 1], centres[j, f + 2], centres[j, f + 3]
            for t in range(TILE):
                row[t] += (x0[t] - c0) ** 2 + (x1[t] - c1) ** 2 + (x2[t] - c2) ** 2 + (x3[t] - c3) ** 2
            f += 4
        while f < d:
            x, c = tile[f], centres[j, f]
            for t in range(TILE):
                row[t] += (x[t] - c) ** 2
            f += 1


@kernel(fastmath=IN_ANY_ORDER, error_model="numpy")
def _collect(tile: Any, width: int, centres: Any, weights: Any, totals: Any, shifts: Any) -> None:
    """Add a tile's weights, and its weighted differences from the centres."""
    for j in range(centres.shape[0]):
        row = weights[j]
        for t in range(width, TILE):
            row[t] = 0.0
        total = 0.0
        for t in range(TILE):
            total += row[t]
        totals[j] += total
        for f in range(centres.shape[1]):
            x, c, shift = tile[f], centres[j, f], 0.0
            for t in range(TILE):
                shift += row[t] * (x[t] - c)
            shifts[j, f] += shift


def _fuzzy(rng: np.random.Generator) -> Any:
    X = rng.normal(size=(140, 5))
    for outlying, m, extra in ((np.inf, 2.0, 0), (3.0, 1.7, 1)):
        factors = 1.0 + rng.random(3)
        yield X, X[:3].copy(), factors, outlying, m, np.empty((140, 3 + extra))
        yield X, X[:3].copy(), factors, outlying, m, np.empty((0, 0))


def _possibilistic(rng: np.random.Generator) -> Any:
    X = rng.normal(size=(140, 5))
    for m in (2.0, 1.7):
        yield X, X[:3].copy(), 0.5 + rng.random(3), m, np.empty((140, 3))
        yield X, X[:3].copy(), 0.5 + rng.random(3), m, np.empty((0, 0))


def _sets() -> Any:
    return np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)


@kernel(
    work=lambda X, centres, *_: 3 * X.size * len(centres),
    calls=20_000,
    reads=(0, 1, 2),
    examples=_fuzzy,
    fastmath=IN_ANY_ORDER,
    error_model="numpy",
)
def fuzzy_pass(X: Any, centres: Any, factors: Any, outlying: float, m: float, memberships: Any) -> Any:
    """Memberships that minimise the sum of ``u**m D``, and what they make of the centres.

    D is the squared distance to a centre times the centre's factor; one more cluster, without a centre, is at
    ``outlying`` (infinite: there is none). With r = (smallest D) / D and S the sum of r**(1/(m-1)), an object
    has u = r**(1/(m-1)) / S and u**m = u r / S**(m-1), and adds (smallest D) / S**(m-1) to the objective: no
    power leaves the range of numbers, and an object on a centre is no exception. The weights u**m are all
    multiplied by the number of clusters to the power m - 1, or they would vanish for a large m.

    Returns the weights' sums, the weighted sums of differences from the centres, and the objective. Fills
    ``memberships`` unless it has no row: one column a centre, after one for the outlying cluster if there is
    room for it.
    """
    k = centres.shape[0]
    exponent, crowd = 1.0 / (m - 1.0), k + (1.0 if outlying < np.inf else 0.0)
    tile, squared, weights = np.empty((X.shape[1], TILE)), np.empty((k, TILE)), np.empty((k, TILE))
    least, total, gain = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    share, least_gain = np.empty(TILE), np.empty(TILE)
    totals, shifts, objective = np.zeros(k), np.zeros(centres.shape), 0.0
    for start in range(0, X.shape[0], TILE):
        width = _load(X, start, tile)
        _measure(tile, centres, squared)
        least[:] = outlying
        for j in range(k):
            for t in range(TILE):
                squared[j, t] *= factors[j]
                least[t] = min(least[t], squared[j, t])
        for t in range(TILE):
            total[t] = (least[t] / outlying) ** exponent if outlying < np.inf else 0.0
        for j in range(k):
            for t in range(TILE):  # squared becomes r, and weights r**(1/(m-1))
                r = least[t] / squared[j, t]
                squared[j, t] = r if squared[j, t] > least[t] else 1.0
            if m == 2.0:
                for t in range(TILE):
                    weights[j, t] = squared[j, t]
                    total[t] += squared[j, t]
            else:
                powers_of_shares(squared[j], exponent, weights[j])
                for t in range(TILE):
                    total[t] += weights[j, t]
        if memberships.shape[0] > 0:
            first = memberships.shape[1] - k
            for t in range(width):
                if first > 0:
                    memberships[start + t, 0] = (least[t] / outlying) ** exponent / total[t]
                for j in range(k):
                    memberships[start + t, first + j] = weights[j, t] / total[t]
        if m == 2.0:
            for t in range(TILE):
                share[t] = 1.0 / total[t]
                gain[t] = crowd / total[t]
        else:  # S is at least 1, and at most the number of clusters
            for t in range(TILE):
                gain[t] = 1.0 / total[t]
            powers_of_shares(gain, m - 1.0, share)
            for t in range(TILE):
                least_gain[t] = min(total[t] / crowd, 1.0)
            powers_of_shares(least_gain, m - 1.0, gain)
            for t in range(TILE):
                gain[t] = 1.0 / gain[t]
        for t in range(width):
            objective += least[t] * share[t]
        for t in range(TILE):
            gain[t] = min(gain[t], LARGEST_GAIN) / total[t]
        for j in range(k):
            for t in range(TILE):
                weights[j, t] *= squared[j, t] * gain[t]
        _collect(tile, width, centres, weights, totals, shifts)
    return totals, shifts, objective


@kernel(
    work=lambda X, centres, *_: 3 * X.size * len(centres),
    calls=20_000,
    reads=(0, 1, 2),
    examples=_possibilistic,
    fastmath=IN_ANY_ORDER,
    error_model="numpy",
)
def possibilistic_pass(X: Any, centres: Any, scales: Any, m: float, typicalities: Any) -> Any:
    """Typicalities ``t = 1 / (1 + (D/scale)**(1/(m-1)))``, and what they make of the centres.

    D is the squared distance. Both t and 1 - t come from the smaller of D/scale and scale/D, whose power
    cannot overflow. An object adds scale (1 - t)**(m-1) to the objective, which is t**m D + scale (1 - t)**m
    for this t. Scales are positive. Returns as `fuzzy_pass` does; fills ``typicalities`` if it has rows.
    """
    k = centres.shape[0]
    exponent = 1.0 / (m - 1.0)
    tile, squared, weights = np.empty((X.shape[1], TILE)), np.empty((k, TILE)), np.empty((k, TILE))
    totals, shifts, objective = np.zeros(k), np.zeros(centres.shape), 0.0
    for start in range(0, X.shape[0], TILE):
        width = _load(X, start, tile)
        _measure(tile, centres, squared)
        for j in range(k):
            scale, cost = scales[j], 0.0
            for t in range(width):
                part = min(squared[j, t], scale) / max(squared[j, t], scale)
                part = part if m == 2.0 else np.exp(exponent * np.log(part))
                larger = 1.0 / (1.0 + part)
                is_near = squared[j, t] <= scale
                typicality = larger if is_near else part * larger
                rest = part * larger if is_near else larger
                if m == 2.0:
                    weights[j, t] = typicality * typicality
                    cost += rest
                else:
                    weights[j, t] = typicality**m
                    cost += rest ** (m - 1.0)
                if typicalities.shape[0] > 0:
                    typicalities[start + t, j] = typicality
            objective += scale * cost
        _collect(tile, width, centres, weights, totals, shifts)
    return totals, shifts, objective


@kernel(
    work=lambda sets, centres: sets.size * centres.shape[1],
    calls=20_000,
    reads=(0, 1),
    examples=lambda rng: [(_sets(), rng.normal(size=(3, 2)))],
)
def barycentres(sets: Any, centres: Any) -> Any:
    """The mean of the centres of each set of clusters, none of them empty."""
    means = np.zeros((sets.shape[0], centres.shape[1]))
    for a in range(sets.shape[0]):
        size = 0
        for j in range(sets.shape[1]):
            if sets[a, j]:
                size += 1
                means[a] += centres[j]
        means[a] /= size
    return means


@kernel(
    work=lambda sets, weights, shifts: sets.size * (sets.shape[1] + shifts.shape[1]),
    calls=20_000,
    reads=(0, 1, 2),
    examples=lambda rng: [(_sets(), rng.random(4), rng.normal(size=(4, 2)))],
)
def spread_over_clusters(sets: Any, weights: Any, shifts: Any) -> Any:
    """The sums over sets s of ``weight s s'`` and of ``s shift'``; s is 1 for the set's clusters, else 0."""
    k = sets.shape[1]
    left, right = np.zeros((k, k)), np.zeros((k, shifts.shape[1]))
    for a in range(sets.shape[0]):
        for i in range(k):
            if sets[a, i]:
                right[i] += shifts[a]
                for j in range(k):
                    if sets[a, j]:
                        left[i, j] += weights[a]
    return left, right
