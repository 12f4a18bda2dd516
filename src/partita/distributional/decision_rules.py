"""Rules that pick one cluster from each focal set: closed-form bounds on the ends of evidential measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partita.arrays import Array
from partita.distributional.fuzzy import closed_form
from partita.distributional.sides import Masses
from partita.distributional.tasks import Task

MOST_SWEEPS = 20


@dataclass(frozen=True, eq=False)
class Rule:
    """For each object and focal set the cluster that is picked, and the mean of the index by it.

    A rule turns an evidential clustering into a fuzzy one, whose mean has a closed form. Its value on a
    focal clustering is that of a completion, so its mean lies inside the lower and upper expectation.
    """

    truth: Array
    found: Array
    shape: tuple[int, int]
    mean: float


def closest_rule(truth: Masses, found: Masses, task: Task) -> tuple[Rule, Rule]:
    """A rule near the lower end and one near the upper end of a separable index.

    Clusters are picked object by object so that the mean of squares falls (or rises), until nothing
    changes: a local search that never looks at draws. Any rule is valid; a better one leaves less to sample.
    """
    c = task.index.coefficients
    assert c is not None
    rules = []
    for sign in (1.0, -1.0):
        weights = tuple(sign * w for w in c.weights)
        picks = [_first_choice(side) for side in (truth, found)]
        for _ in range(MOST_SWEEPS):
            before = [p.copy() for p in picks]
            for place in (0, 1):
                picks[place] = _improved((truth, found), picks, place, weights)
            if all(np.array_equal(a, b) for a, b in zip(before, picks, strict=True)):
                break
        U, V = (_memberships(side, pick) for side, pick in zip((truth, found), picks, strict=True))
        mean, _ = closed_form(U, V, task)
        rules.append(Rule(picks[0], picks[1], (U.shape[1], V.shape[1]), mean.value))
    return rules[0], rules[1]


def _first_choice(side: Masses) -> Array:
    """From each set the cluster with the largest pignistic probability."""
    share = side.masses @ (side.sets / side.sets.sum(axis=1, keepdims=True))
    return np.stack([np.where(s, share, -1.0).argmax(axis=1) for s in side.sets], axis=1)


def _memberships(side: Masses, picks: Array) -> Array:
    made = np.zeros((len(side.masses), side.sets.shape[1]))
    for place, masses in enumerate(side.masses.T):
        made[np.arange(len(made)), picks[:, place]] += masses
    return np.asarray(made / made.sum(axis=1, keepdims=True))


def _improved(
    sides: tuple[Masses, Masses], picks: list[Array], place: int, weights: tuple[float, ...]
) -> Array:
    """New picks on one side: for each object and set the cluster with the smallest mean sum of squares.

    With all other objects as they are, cluster ``i`` adds ``w_size * a_i + w_cells * sum_j v_j M_ij``, up to
    a factor and what does not depend on ``i``.
    """
    own, other = (_memberships(sides[s], picks[s]) for s in (place, 1 - place))
    size_weight, cell_weight = weights[place], weights[2]
    scores = size_weight * (own.sum(axis=0) - own) + cell_weight * (
        other @ (own.T @ other).T - own * (other**2).sum(axis=1, keepdims=True)
    )
    return np.stack([np.where(s, scores, np.inf).argmin(axis=1) for s in sides[place].sets], axis=1)
