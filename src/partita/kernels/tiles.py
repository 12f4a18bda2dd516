"""Four rows of a matrix times four features of a block of objects at a time.

What is loaded serves four times, and sixteen sums stay in registers. Rows of a block lie one after the other
in a flat array, `BLOCK` apart: with a distance that it knows, the compiler vectorises these loops.
"""

from __future__ import annotations

from typing import Any

from partita.kernels.compilation import kernel

BLOCK = 256
"""Objects whose differences from a mean are held at a time."""

TILE = 4
"""Rows of a covariance and features that are multiplied at a time: so many sums fit in the registers."""


@kernel(fastmath={"contract"})
def put_tile(gaps: Any, root: Any, a: int, b: int, lines: Any, size: int) -> None:
    """Put combinations of four rows of gaps into four lines: what is loaded serves four times."""
    p0, p1, p2, p3 = root[a, b], root[a, b + 1], root[a, b + 2], root[a, b + 3]
    q0, q1, q2, q3 = root[a + 1, b], root[a + 1, b + 1], root[a + 1, b + 2], root[a + 1, b + 3]
    r0, r1, r2, r3 = root[a + 2, b], root[a + 2, b + 1], root[a + 2, b + 2], root[a + 2, b + 3]
    s0, s1, s2, s3 = root[a + 3, b], root[a + 3, b + 1], root[a + 3, b + 2], root[a + 3, b + 3]
    own = gaps[b * BLOCK : (b + TILE) * BLOCK]
    for i in range(size):
        w, x, y, z = own[i], own[i + BLOCK], own[i + 2 * BLOCK], own[i + 3 * BLOCK]
        lines[i] = p0 * w + p1 * x + p2 * y + p3 * z
        lines[i + BLOCK] = q0 * w + q1 * x + q2 * y + q3 * z
        lines[i + 2 * BLOCK] = r0 * w + r1 * x + r2 * y + r3 * z
        lines[i + 3 * BLOCK] = s0 * w + s1 * x + s2 * y + s3 * z


@kernel(fastmath={"contract"})
def add_tile(gaps: Any, root: Any, a: int, b: int, lines: Any, size: int) -> None:
    """The same, added to what the lines hold."""
    p0, p1, p2, p3 = root[a, b], root[a, b + 1], root[a, b + 2], root[a, b + 3]
    q0, q1, q2, q3 = root[a + 1, b], root[a + 1, b + 1], root[a + 1, b + 2], root[a + 1, b + 3]
    r0, r1, r2, r3 = root[a + 2, b], root[a + 2, b + 1], root[a + 2, b + 2], root[a + 2, b + 3]
    s0, s1, s2, s3 = root[a + 3, b], root[a + 3, b + 1], root[a + 3, b + 2], root[a + 3, b + 3]
    own = gaps[b * BLOCK : (b + TILE) * BLOCK]
    for i in range(size):
        w, x, y, z = own[i], own[i + BLOCK], own[i + 2 * BLOCK], own[i + 3 * BLOCK]
        lines[i] += p0 * w + p1 * x + p2 * y + p3 * z
        lines[i + BLOCK] += q0 * w + q1 * x + q2 * y + q3 * z
        lines[i + 2 * BLOCK] += r0 * w + r1 * x + r2 * y + r3 * z
        lines[i + 3 * BLOCK] += s0 * w + s1 * x + s2 * y + s3 * z


@kernel(fastmath={"contract"})
def add_last_tile(gaps: Any, root: Any, a: int, lines: Any, squares: Any) -> None:
    """The same on the diagonal of the triangle, where the lines are complete and their squares are added."""
    p0, q0, q1 = root[a, a], root[a + 1, a], root[a + 1, a + 1]
    r0, r1, r2 = root[a + 2, a], root[a + 2, a + 1], root[a + 2, a + 2]
    s0, s1, s2, s3 = root[a + 3, a], root[a + 3, a + 1], root[a + 3, a + 2], root[a + 3, a + 3]
    own = gaps[a * BLOCK : (a + TILE) * BLOCK]
    for i in range(squares.size):
        w, x, y, z = own[i], own[i + BLOCK], own[i + 2 * BLOCK], own[i + 3 * BLOCK]
        p = lines[i] + p0 * w
        q = lines[i + BLOCK] + (q0 * w + q1 * x)
        r = lines[i + 2 * BLOCK] + (r0 * w + r1 * x + r2 * y)
        s = lines[i + 3 * BLOCK] + (s0 * w + s1 * x + s2 * y + s3 * z)
        squares[i] += p * p + q * q + r * r + s * s


@kernel(fastmath={"contract", "reassoc", "nsz"})
def add_tile_of_products(lines: Any, gaps: Any, a: int, b: int, size: int, scatter: Any) -> None:
    """Add the products of four lines with four rows of gaps: what is loaded serves four times."""
    p0, p1, p2, p3, q0, q1, q2, q3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    r0, r1, r2, r3, s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    own = gaps[b * BLOCK : (b + TILE) * BLOCK]
    for i in range(size):
        p, q, r, s = lines[i], lines[i + BLOCK], lines[i + 2 * BLOCK], lines[i + 3 * BLOCK]
        w, x, y, z = own[i], own[i + BLOCK], own[i + 2 * BLOCK], own[i + 3 * BLOCK]
        p0 += p * w
        p1 += p * x
        p2 += p * y
        p3 += p * z
        q0 += q * w
        q1 += q * x
        q2 += q * y
        q3 += q * z
        r0 += r * w
        r1 += r * x
        r2 += r * y
        r3 += r * z
        s0 += s * w
        s1 += s * x
        s2 += s * y
        s3 += s * z
    rows = ((p0, p1, p2, p3), (q0, q1, q2, q3), (r0, r1, r2, r3), (s0, s1, s2, s3))
    for f in range(TILE):
        for g in range(TILE):
            scatter[a + f, b + g] += rows[f][g]
