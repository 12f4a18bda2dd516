"""Laws of counts: how many of independent objects fall in a cluster, a cell of the table, or a matching.

Two fuzzy clusterings are read as laws of hard ones: object x gets cell (i, j) of the table with probability
``U[x, i] * V[x, j]``, and the objects are independent. Each count of the table is then a sum of independent
0/1 variables, and the difference of two counts one of variables in -1, 0, 1.

A law is a pair ``(first, pmf)``: the probabilities of the whole numbers from ``first`` on. What it leaves out
at both ends has a probability below 1e-18 in all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from math import e, exp, inf, log, perm, sqrt
from typing import TypeAlias

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from partita.arrays import RANGE_TOLERANCE, Array, Floats, map_blocks
from partita.distributional.solvers.pair_moments import probabilities
from partita.errors import ParameterError

Law: TypeAlias = tuple[int, Floats]
Cells: TypeAlias = list[tuple[int, int]]
Change: TypeAlias = tuple[Cells, Cells, float]
"""Cells whose objects are won, cells whose objects are lost, and what the gain is held against."""

LEAF = 32
"""Objects that are added one by one; the laws of larger groups are products of those of smaller ones."""

SHORT = 64
"""Laws up to this length are multiplied term by term."""

LOG_TAIL = 46.0
"""Minus the logarithm of what all products together may lose at one end: 1e-20."""

BATCH_ENTRIES = 1 << 17
"""Probabilities whose laws are worked out together."""

NEGLIGIBLE = 1e-15
"""A mean number of objects so small that a bound on it may stand for it."""


def count_law(p: Array) -> Law:
    """The law of the number of successes among independent trials with these probabilities.

    Examples
    --------
    >>> count_law([0.5, 1.0, 0.5, 0.0])
    (1, array([0.25, 0.5 , 0.25]))
    """
    return difference_law(p, np.zeros(np.shape(p)))


def difference_law(gain: Array, loss: Array) -> Law:
    """The law of a sum of independent variables that are +1 and -1 with these probabilities, else 0."""
    plus, minus = np.asarray(gain, dtype=np.float64), np.asarray(loss, dtype=np.float64)
    fits = plus.ndim == 1 and plus.shape == minus.shape
    if not fits or not (np.maximum(np.maximum(-plus, -minus), plus + minus - 1.0) <= RANGE_TOLERANCE).all():
        raise ParameterError(
            "these are no probabilities of independent variables.",
            got=f"arrays of shape {plus.shape} and {minus.shape}",
            need="numbers from 0 to 1, one for each variable, with gain + loss at most 1",
        )
    return _laws([(np.clip(plus, 0.0, 1.0), np.clip(minus, 0.0, 1.0))])[0]


def expected_sums(
    U: Array,
    V: Array,
    phi: Callable[[Array], Array],
    on_block: Callable[[int, int], None] | None = None,
) -> tuple[float, float, float]:
    """The means of the sums of ``phi`` over the row sums, the column sums and the counts of the table.

    ``phi`` maps an array of whole numbers to an array of numbers. Exact to rounding, whatever it is.
    """
    u, v = probabilities(U), probabilities(V)
    (n, k), other = u.shape, v.shape[1]
    whole = np.ones(n)
    columns = [(u[:, i], whole) for i in range(k)] + [(whole, v[:, j]) for j in range(other)]
    columns += [(u[:, i], v[:, j]) for i in range(k) for j in range(other)]

    def work(part: slice) -> list[float]:
        laws = _laws([(p * q, np.zeros(n)) for p, q in columns[part]])
        return [float(pmf @ phi(np.arange(first, first + pmf.size))) for first, pmf in laws]

    means = np.concatenate(map_blocks(work, len(columns), max(1, BATCH_ENTRIES // n), on_block))
    return float(means[:k].sum()), float(means[k : k + other].sum()), float(means[k + other :].sum())


def expected_matching(U: Array, V: Array, most_matchings: int = 5040) -> tuple[float, float]:
    """Bounds, certain up to rounding, on the mean of the most objects that a matching of clusters can match.

    With S the objects in the cells of the matching that is best in the mean, and pi any matching:

    - pi differs from the best by separate moves, cycles or paths, and its gain is the sum of theirs. So the
      mean is at most E S plus the sum of E (gain)_+ over all moves, fewer terms than one for each pi; this
      is left out beyond ``most_matchings`` matchings. One move alone is a matching too, so the
      mean is at least E S plus the largest of these: with two clusters on both sides both ends are equal.
    - By duality no matching has more than sum_i alpha_i + sum_j beta_j objects if all counts N_ij are at
      most alpha_i + beta_j. With constants alpha, and i the row that j is matched with,
      beta_j = N_ij - alpha_i + sum of (N_i'j - alpha_i' - N_ij + alpha_i)_+ over i' satisfies this, so the
      mean is at most E S plus the means of these terms, one for each cell off the matching.
    - The mean is at most log(sum_pi E exp(s S_pi)) / s for every s > 0, where the mean of pi is at most the
      product of exp((exp(s) - 1) E N_ij) over its cells.

    Tight where one matching dominates, wide where clusters coincide.
    """
    from scipy.optimize import linear_sum_assignment

    u, v = probabilities(U), probabilities(V)
    if u.shape[1] > v.shape[1]:
        u, v = v, u
    (n, k), width = u.shape, v.shape[1]
    table = u.T @ v
    match = linear_sum_assignment(table, maximize=True)[1]
    best = float(table[np.arange(k), match].sum())
    over = _excesses(u, v, table, list(_over_potentials(table, match)))
    low, high = min(float(n), best), min(float(n), best + sum(over), _soft_maximum(table))
    if perm(width, k) <= most_matchings:
        gains = _excesses(u, v, table, list(_moves(match.tolist(), width)))
        low, high = min(float(n), best + max(gains, default=0.0)), min(high, best + sum(gains))
    return low, max(low, high)


# --- laws -------------------------------------------------------------------------------------------


def _laws(trials: Sequence[tuple[Floats, Floats]]) -> list[Law]:
    """The laws of several sums, each given by its probabilities of +1 and of -1.

    Constant variables only move the law. The others are put in groups and, in each, added one by one.
    """
    uncertain = [(gain < 1.0) & (loss < 1.0) & (gain + loss > 0.0) for gain, loss in trials]
    groups = max(1, -(-max(int(those.sum()) for those in uncertain) // LEAF))
    pair = np.zeros((2, len(trials), groups * LEAF))
    for law, (those, both) in enumerate(zip(uncertain, trials, strict=True)):
        pair[:, law, : those.sum()] = [side[those] for side in both]
    gain, loss = pair.reshape(2, len(trials), groups, LEAF)
    rest = np.maximum(1.0 - gain - loss, 0.0)
    signed = bool(loss.any())
    first, pmf = _products(
        np.full((len(trials), groups), -LEAF if signed else 0),
        _leaves([loss, rest, gain] if signed else [rest, gain]),
        (gain - loss).sum(axis=-1),
        (gain + loss - (gain - loss) ** 2).sum(axis=-1),
        largest=2.0 if signed else 1.0,
    )
    laws = []
    for law, (plus, minus) in enumerate(trials):
        start = max(first[law], -int((loss[law] > 0.0).sum()))
        stop = min(first[law] + pmf.shape[1], int((gain[law] > 0.0).sum()) + 1)
        values = np.maximum(pmf[law, start - first[law] : stop - first[law]], 0.0)
        sure = int((plus >= 1.0).sum()) - int((minus >= 1.0).sum())
        laws.append((int(start) + sure, values / values.sum()))
    return laws


def _leaves(steps: Sequence[Floats]) -> Floats:
    """The laws of all groups, from the probabilities that a variable moves the sum by 0, 1, ... steps."""
    moves = [np.ascontiguousarray(np.moveaxis(step, -1, 0)) for step in steps]
    reach = len(steps) - 1
    pmf = np.zeros((reach * LEAF + 1, *moves[0].shape[1:]))
    pmf[0] = 1.0
    for x in range(LEAF):
        known = pmf[: reach * x + 1].copy()
        pmf[: reach * x + 1] *= moves[0][x]
        for step in range(1, reach + 1):
            pmf[step : reach * x + 1 + step] += known * moves[step][x]
    return np.ascontiguousarray(np.moveaxis(pmf, 0, -1))


def _products(first: Array, pmf: Floats, mean: Floats, var: Floats, largest: float) -> tuple[Array, Floats]:
    """Multiply the laws of the groups, ``(laws, groups, length)``, until one group is left.

    Short laws are multiplied term by term, which keeps even small probabilities exact: tails are cut where
    they are small. An FFT hides the tails of longer ones in noise, and Bernstein's inequality cuts them: a
    sum of independent variables, each within ``largest`` of its mean, is further than l / 3 + sqrt(l^2 / 9 +
    2 L var) from its own, l = L ``largest``, with probability at most exp(-L) on either side.
    """
    log_tail = LOG_TAIL + log(2 * pmf.shape[1])
    tail, third, exact = exp(-log_tail), log_tail * largest / 3.0, True
    while True:
        length = pmf.shape[2]
        if exact:
            start = (np.cumsum(pmf, axis=2) < tail).sum(axis=2)
            stop = length - (np.cumsum(pmf[..., ::-1], axis=2) < tail).sum(axis=2)
        else:
            reach = third + np.sqrt(third * third + 2.0 * log_tail * var)
            start = np.maximum(np.floor(mean - reach).astype(np.int64) - first, 0)
            stop = np.minimum(np.ceil(mean + reach).astype(np.int64) - first + 1, length)
        width = int((stop - start).max())
        start = np.minimum(start, length - width)
        first, pmf = first + start, np.take_along_axis(pmf, start[..., None] + np.arange(width), axis=2)
        if pmf.shape[1] == 1:
            return first[:, 0], pmf[:, 0]
        if pmf.shape[1] % 2:
            first, mean, var = (np.pad(part, ((0, 0), (0, 1))) for part in (first, mean, var))
            pmf = np.pad(pmf, ((0, 0), (0, 1), (0, 0)))
            pmf[:, -1, 0] = 1.0
        first, mean, var = (part[:, ::2] + part[:, 1::2] for part in (first, mean, var))
        exact = exact and width <= SHORT
        pmf = _convolved(pmf[:, ::2], pmf[:, 1::2], by_fft=not exact)


def _convolved(left: Floats, right: Floats, by_fft: bool) -> Floats:
    """Laws of sums, from the laws of independent terms of equal length."""
    width = left.shape[2]
    if by_fft:
        size = next_fast_len(2 * width - 1, real=True)
        return np.asarray(irfft(rfft(left, size) * rfft(right, size), size)[..., : 2 * width - 1])
    total = np.zeros((*left.shape[:2], 2 * width - 1))
    for shift in range(width):
        total[..., shift : shift + width] += left[..., shift, None] * right
    return total


# --- matchings --------------------------------------------------------------------------------------


def _moves(match: list[int], width: int) -> Iterator[Change]:
    """All changes of a matching, given by the column of each row, that are one cycle or one path.

    A path starts at a row whose column is left free; each row takes the column of the next.
    """
    owner = {j: i for i, j in enumerate(match)}
    for target in permutations(range(width), len(match)):
        moved = [i for i, j in enumerate(match) if target[i] != j]
        walk = ([i for i in moved if match[i] not in target] or moved)[:1]
        while walk and (row := owner.get(target[walk[-1]])) is not None and row != walk[0]:
            walk.append(row)
        if walk and len(walk) == len(moved):
            yield [(i, target[i]) for i in moved], [(i, match[i]) for i in moved], 0.0


def _over_potentials(table: Floats, match: Array) -> Iterator[Change]:
    """How far each count may be over the potentials: those in the middle of all that fit the mean table.

    Columns beyond the rows belong to one more row, that is always empty.
    """
    k, width = table.shape
    filled = np.vstack([table, np.zeros((int(width > k), width))])
    owner = np.full(width, k)
    owner[match] = np.arange(k)
    steps = np.full((len(filled), len(filled)), -inf)
    np.maximum.at(steps, owner, (filled - filled[owner, np.arange(width)]).T)
    for via in range(len(filled)):
        steps = np.maximum(steps, steps[:, via, None] + steps[via])
    level = (steps.mean(axis=0) - steps.mean(axis=1)) / 2.0
    for j, i in enumerate(owner.tolist()):
        for rival in range(len(filled)):
            if rival != i:
                won, lost = ([(row, j)] if row < k else [] for row in (rival, i))
                yield won, lost, float(level[rival] - level[i])


def _soft_maximum(table: Floats) -> float:
    """The third bound at the best s of a grid; the sum over pi is at most the product of sums over rows."""
    s = np.geomspace(1e-6, 4.0, 100)
    rows = np.logaddexp.reduce(np.expm1(s)[:, None, None] * table, axis=2)
    return float((rows.sum(axis=1) / s).min())


def _excesses(u: Floats, v: Floats, table: Floats, changes: Sequence[Change]) -> list[float]:
    """E (gain - against)_+ of each change, by the law of the gain or, if negligible, by a bound."""
    values = [_chernoff(table, *change) for change in changes]
    wanted = [at for at, bound in enumerate(values) if bound > NEGLIGIBLE]

    def inside(cells: Cells) -> Floats:
        return sum((u[:, i] * v[:, j] for i, j in cells), np.zeros(len(u)))

    def work(part: slice) -> None:
        chosen = wanted[part]
        laws = _laws([(inside(changes[at][0]), inside(changes[at][1])) for at in chosen])
        for at, (first, pmf) in zip(chosen, laws, strict=True):
            over = np.arange(first, first + pmf.size) - changes[at][2]
            values[at] = float(pmf @ np.maximum(over, 0.0))

    map_blocks(work, len(wanted), max(1, BATCH_ENTRIES // len(u)))
    return values


def _chernoff(table: Floats, won: Cells, lost: Cells, against: float) -> float:
    """A bound on E (gain - against)_+ from the mean table alone.

    (d)_+ <= exp(s d) / (s e), and log E exp(s gain) <= up (exp(s) - 1) + down (exp(-s) - 1) for all s > 0,
    with up and down the means of what is won and lost: here for the s = log z with the least exponent.
    """
    up, down = (float(sum(table[cell] for cell in cells)) for cells in (won, lost))
    if up == 0.0:
        return 0.0 if against >= 0.0 else inf
    z = (against + sqrt(against * against + 4.0 * up * down)) / (2.0 * up)
    if z <= 1.0:
        return inf
    return exp(up * (z - 1.0) + down * (1.0 / z - 1.0) - against * log(z)) / (log(z) * e)
