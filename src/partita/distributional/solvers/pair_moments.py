"""Mean and variance of the sums of squares behind every pair-counting index, in closed form.

Two fuzzy clusterings are read as laws of hard ones: object x gets cell (i, j) of the table with probability
``U[x, i] * V[x, j]``, and the objects are independent. Of the random table, A is the sum of squared row
sums, B that of squared column sums and T that of squared counts: with x = y counted, the ordered pairs of
objects that are together in truth, in found, and in both. The disagreeing pairs are A + B - 2 T.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from partita.arrays import MOST_DENSE_CELLS, Array, Floats, dense, map_blocks
from partita.arrays.chunked import Chunked, aligned, sum_of_chunks
from partita.errors import PartitaError, TooLargeError

Weights: TypeAlias = tuple[float, float, float]

Rows: TypeAlias = Array | Chunked
"""Memberships of all objects, in memory or in chunks."""

MEAN_ROWS = 1 << 14
"""Objects of one block of the mean: its memberships stay in the cache."""

VARIANCE_BYTES = 1 << 23
"""What one block of the variance takes, by its products of memberships."""

NEGATIVE_ROUNDING = 1e-11
"""How far below 0 rounding may carry a variance, in units of n^2 and of the squared sum of the weights."""


def expected_squares(U: Rows, V: Rows) -> tuple[float, float, float]:
    """The means of A, B and T, exact to rounding, in one pass over ``(n, k)`` and ``(n, k')`` memberships.

    A pair of different objects is together with the dot product of its rows as its probability, and an
    object is always together with itself: E A = n + |sum_x u_x|^2 - sum_x |u_x|^2. B likewise, and T with
    the products u_x v_x' in place of the rows, whose sum is the matrix U'V.
    """
    n = len(U)
    table, diagonal = _summed(_table_and_squares, U, V, MEAN_ROWS)
    squares = [np.square(counts).sum() for counts in (table.sum(axis=1), table.sum(axis=0), table)]
    a, b, t = (float(n + square - own) for square, own in zip(squares, diagonal, strict=True))
    return a, b, t


def _table_and_squares(U: Array, V: Array) -> list[Floats]:
    """U'V, and the sums of |u|^2, of |v|^2 and of their products."""
    u, v = probabilities(U), probabilities(V)
    alpha, beta = np.einsum("xi,xi->x", u, u), np.einsum("xj,xj->x", v, v)
    return [u.T @ v, np.array([alpha.sum(), beta.sum(), alpha @ beta])]


def variance_of_squares(U: Rows, V: Rows, weights: Weights) -> float:
    r"""Var(w_a A + w_b B + w_t T), exact to rounding, in one pass over the memberships.

    Up to a constant the sum is :math:`D = \sum_{x \ne y} Q(Z_x, Z_y)` with :math:`Z_x` the cell of x, of law
    :math:`p_x = u_x \otimes v_x`, and :math:`Q(z, z') = w_a [i = i'] + w_b [j = j'] + w_t [i = i'][j = j']`.
    Let :math:`c_x` be the indicators of the cells less their means, :math:`\Sigma_x` their covariance,
    :math:`\Sigma = \sum_x \Sigma_x` and :math:`h_x = Q \sum_{y \ne x} p_y = H - Q p_x`. Then

    .. math:: D - E D = 2 \sum_x h_x' c_x + \sum_{x \ne y} c_x' Q c_y

    and its terms are uncorrelated, except that (x, y) and (y, x) are equal, so

    .. math:: Var D = 4 \sum_x h_x' \Sigma_x h_x
              + 2 (tr(Q \Sigma Q \Sigma) - \sum_x tr(Q \Sigma_x Q \Sigma_x)).

    With :math:`\Sigma_x = diag(p_x) - p_x p_x'` and :math:`m = p' Q p`, the terms of single objects in both
    parts add up to :math:`8 \sum_z p_z (Qp)_z^2 - 6 m^2 - 2 \sum_{z, z'} p_z p_{z'} Q(z, z')^2`, where the
    last needs only the squared norms of the two rows.

    Everything else comes from the sums of :math:`u_i u_{i'} v_j v_{j'}` over the objects, one matrix product.
    Rows sum to one, so a diagonal entry of :math:`\Sigma` is minus the others of its row: nothing cancels
    there, and it is exactly 0 for hard clusterings.
    """
    n, k, other = len(U), U.shape[1], V.shape[1]
    cells = k * other
    if cells * cells > MOST_DENSE_CELLS:
        raise TooLargeError(
            "the variance needs a covariance for each pair of cells of the table.",
            got=f"a table of {k} by {other}",
            need=f"at most {int(MOST_DENSE_CELLS**0.5)} cells",
            fix="draw hard clusterings, and take the variance of the draws",
        )
    fourth, pull, alone = _sums_over_objects(U, V, weights)
    i, j = _pair_positions(k), _pair_positions(other)
    links = fourth[i[:, None, :, None], j[None, :, None, :]]
    table = links.sum(axis=(2, 3))
    level = _kernel(table[:, :, None], weights).ravel()
    w_a, w_b, w_t = weights
    own = w_a * np.einsum("ijil->ij", links) + w_b * np.einsum("ijlj->ij", links)
    own += w_t * np.einsum("ijij->ij", links) - pull

    links = links.reshape(cells, cells)
    np.fill_diagonal(links, 0.0)
    first_order = 2.0 * np.vdot(links, np.square(np.subtract.outer(level, level)))
    covariance = np.diag(links.sum(axis=1)) - links
    turned = _kernel(covariance.reshape(k, other, cells), weights).reshape(cells, cells)
    second_order = 2.0 * np.vdot(turned, turned.T)
    variance = float(first_order + second_order - 8.0 * (level @ own.ravel()) + alone)
    if variance < -NEGATIVE_ROUNDING * n * n * sum(map(abs, weights)) ** 2:
        raise PartitaError(
            "the variance is negative.",
            got=f"{variance:g} for {n} objects and weights {weights}",
            need="rows of memberships that are probabilities",
        )
    return max(variance, 0.0)


def probabilities(rows: Any) -> Floats:
    """A block in double precision, its rows summing to one as exactly as they can, dense."""
    block = dense(rows)
    return np.asarray(block / (block @ np.ones(block.shape[1]))[:, None])


def _sums_over_objects(U: Rows, V: Rows, weights: Weights) -> tuple[Floats, Floats, float]:
    """The sums of u_i u_i' v_j v_j' over pairs i <= i', j <= j'; of m u_i v_j; of the terms of one object."""
    k, other = U.shape[1], V.shape[1]
    pairs, other_pairs = k * (k + 1) // 2, other * (other + 1) // 2
    rows = max(1, VARIANCE_BYTES // (8 * (pairs + other_pairs + 2 * (k + other) + 16)))
    fourth, pull, alone = _summed(partial(_fourth_powers, weights), U, V, rows)
    return fourth, pull, float(alone)


def _fourth_powers(weights: Weights, U: Array, V: Array) -> list[Any]:
    """What some objects add to `_sums_over_objects`."""
    w_a, w_b, w_t = weights
    both = w_t * w_t + 2.0 * (w_a * w_b + w_a * w_t + w_b * w_t)
    u, u_pairs, u2, u3 = _powers(U)
    v, v_pairs, v2, v3 = _powers(V)
    mean = w_a * u2 + w_b * v2 + w_t * u2 * v2
    square = w_a * w_a * u2 + w_b * w_b * v2 + both * u2 * v2
    mean_square = w_a * w_a * u3 + w_b * w_b * v3 + w_t * w_t * u3 * v3
    mean_square += 2.0 * (w_a * w_b * u2 * v2 + w_t * (w_a * u3 * v2 + w_b * u2 * v3))
    alone = (8.0 * mean_square - 6.0 * mean * mean - 2.0 * square).sum()
    return [u_pairs @ v_pairs.T, (u * mean) @ v.T, float(alone)]


def _summed(work: Callable[..., list[Any]], U: Rows, V: Rows, rows: int) -> list[Any]:
    """The sums over all objects of what ``work`` makes of so many, which may lie in chunks."""
    if isinstance(U, Chunked) and isinstance(V, Chunked):
        made: list[Any] = sum_of_chunks(_summed_in_chunk, (work, rows), [U, V], _added)
        return made
    parts = map_blocks(lambda part: work(U[part], V[part]), U.shape[0], rows, products=True)
    return [np.sum(one, axis=0) for one in zip(*parts, strict=True)]


def _summed_in_chunk(shared: tuple[Any, int], U: Array, V: Array) -> list[Any]:
    work, rows = shared
    return _summed(work, aligned(U), aligned(V), rows)


def _added(some: list[Any], others: list[Any]) -> list[Any]:
    return [a + b for a, b in zip(some, others, strict=True)]


def _powers(rows: Array) -> tuple[Floats, Floats, Floats, Floats]:
    """One line for each cluster, the products of its pairs of lines, the sums of squares and of cubes."""
    lines = np.ascontiguousarray(probabilities(rows).T)
    k, n = lines.shape
    products = np.empty((k * (k + 1) // 2, n))
    starts = np.cumsum([0, *range(k, 1, -1)])
    for i, start in enumerate(starts):
        np.multiply(lines[i], lines[i:], out=products[start : start + k - i])
    squares = products[starts]
    return lines, products, squares.sum(axis=0), np.einsum("ix,ix->x", squares, lines)


def _pair_positions(k: int) -> Array:
    """Where the product of lines i and i' is, in either order."""
    positions = np.empty((k, k), dtype=np.intp)
    i, later = np.triu_indices(k)
    positions[i, later] = positions[later, i] = np.arange(i.size)
    return positions


def _kernel(values: Floats, weights: Weights) -> Floats:
    """Q applied to the first two axes, those of the cells."""
    w_a, w_b, w_t = weights
    rows, columns = values.sum(axis=1, keepdims=True), values.sum(axis=0, keepdims=True)
    return np.asarray(w_a * rows + w_b * columns + w_t * values)
