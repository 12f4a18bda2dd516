"""The law of an index: every value it can take with its probability or possibility, by counting tables."""

from __future__ import annotations

import numpy as np

from partita.arrays import Array
from partita.distributional.outcomes import BOUND, EXACT, Law
from partita.distributional.solvers.columns import square_law
from partita.distributional.solvers.tallies import MOST_TABLES, Choices, Tally, combine
from partita.distributional.table_index import TableIndex

MOST_CELL_WEIGHTS = 1 << 25
MOST_UNCERTAIN = 20_000
"""Objects that are not certain, with more of which no law is within reach; asking costs time."""

MEASURES = {"sum": "probability"}


def law_of(
    truth: Array,
    found: Array,
    index: TableIndex,
    semiring: str,
    drop: float = 0.0,
    most_tables: float = MOST_TABLES,
) -> Law | None:
    """The law of an index when objects fall into clusters with these weights; None where out of reach.

    Few tables are all written out. If one side is hard and the index counts pairs, it is enough to know
    cluster sizes and sums of squares. Otherwise, states of the columns of total probability up to ``drop``
    may be left away. Objects that are certain on both sides cost nothing.

    Parameters
    ----------
    truth, found : (n, k) and (n, k') arrays
        Probabilities, possibilities, or 0 and 1.
    semiring : {"sum", "minimum", "product", "lukasiewicz"}
        "sum" for probabilities, otherwise the t-norm whose largest value counts.
    most_tables : float
        How many tables are written out at most.
    """
    certain = _is_certain(truth) & _is_certain(found)
    base = np.zeros((truth.shape[1], found.shape[1]), dtype=np.int64)
    np.add.at(base, (truth[certain].argmax(axis=1), found[certain].argmax(axis=1)), 1)
    truth, found = truth[~certain], found[~certain]
    measure = MEASURES.get(semiring, "possibility")
    if not len(truth):
        return Law.of(index.on_tables(base[None]), np.ones(1), measure)
    if len(truth) > MOST_UNCERTAIN or len(truth) * base.size > MOST_CELL_WEIGHTS:
        return None
    choices = Choices.of(truth, found, semiring)
    if choices.n_tables <= most_tables:
        tally = choices.tally(semiring)
        return Law.of(index.on_tables(tally.tables + base), tally.weights, measure)
    if most_tables < MOST_TABLES:
        return None
    if _is_certain(found).all():
        return _with_hard_columns(choices, base, index, semiring, drop, truth_is_soft=True)
    if _is_certain(truth).all():
        turned = Choices(np.swapaxes(choices.weights, 1, 2))
        return _with_hard_columns(turned, base.T, index, semiring, drop, truth_is_soft=False)
    return None


def _is_certain(weights: Array) -> Array:
    return np.asarray(((weights > 0).sum(axis=1) == 1) & (weights.max(axis=1) == 1.0))


def _with_hard_columns(
    choices: Choices, base: Array, index: TableIndex, semiring: str, drop: float, *, truth_is_soft: bool
) -> Law | None:
    if max(choices.component_bounds) > MOST_TABLES:
        return None
    k, columns = base.shape
    states, weights, lost = _column_states(choices, base, semiring, drop)
    measure = MEASURES.get(semiring, "possibility")
    facts = {"method": BOUND if lost else EXACT, "dropped": lost}
    if index.entry.given_sizes == "squares":
        law = square_law(states, weights, semiring)
        if law is not None:
            hard = np.tile(np.array([s[0].sum() for s in states]), (len(law.weights), 1))
            sizes = (law.sizes, hard) if truth_is_soft else (hard, law.sizes)
            return Law.of(index.on_sums(*sizes, law.squares), law.weights, measure, **facts)
    if np.prod([float(len(s)) for s in states]) > MOST_TABLES:
        return None
    cells = [np.arange(k) * columns + j for j in range(columns)]
    tally = combine([Tally(*s) for s in zip(states, weights, strict=True)], cells, (k, columns), semiring)
    tables = tally.tables if truth_is_soft else np.swapaxes(tally.tables, 1, 2)
    return Law.of(index.on_tables(tables), tally.weights, measure, **facts)


def _column_states(
    choices: Choices, base: Array, semiring: str, drop: float
) -> tuple[list[Array], list[Array], float]:
    """For each column all ways it can be filled with their weights, and the probability left away."""
    k, columns = base.shape
    parts: list[list[tuple[Array, Tally]]] = [[] for _ in range(columns)]
    for number, (cells, _) in enumerate(choices.components):
        part = choices.component_tally(number, semiring)
        parts[cells[0] % columns].append((cells // columns, part))
    states, weights, lost = [], [], 0.0
    for j, pieces in enumerate(parts):
        tally = combine([part for _, part in pieces], [rows for rows, _ in pieces], (k, 1), semiring)
        order = np.argsort(tally.weights, kind="stable")
        unlikely = (
            np.cumsum(tally.weights[order]) <= drop / columns if semiring == "sum" else np.zeros(1, bool)
        )
        kept = np.sort(order[int(unlikely.sum()) :])
        lost += float(tally.weights[order[: int(unlikely.sum())]].sum())
        states.append(tally.tables[kept, :, 0] + base[:, j])
        weights.append(tally.weights[kept])
    return states, weights, lost
