"""The consensus index (lei2014 eq. 6) and the least-squares consensus by their definitions."""

from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np


def consensus_index(agreement: Callable, members: list) -> float:
    """The mean over pairs i < j; both directions of each pair, which is the same for a symmetric index."""
    pairs = list(combinations(members, 2))
    return sum((agreement(a, b) + agreement(b, a)) / 2 for a, b in pairs) / (
        len(members) * (len(members) - 1) / 2
    )


def filled_up(U: np.ndarray, width: int) -> np.ndarray:
    return np.hstack([U, np.zeros((len(U), width - U.shape[1]))])


def distance(M: np.ndarray, members: list[np.ndarray]) -> float:
    """Sum over members of the least squared difference to M over all orders of their clusters."""
    total = 0.0
    for U in members:
        width = max(U.shape[1], M.shape[1])
        wide, centre = filled_up(U, width), filled_up(M, width)
        total += min(((wide[:, list(order)] - centre) ** 2).sum() for order in permutations(range(width)))
    return total


def best_hard(members: list[np.ndarray], k: int) -> float:
    """The least distance of all hard partitions into at most k clusters."""
    n = len(members[0])
    return min(
        distance(np.eye(k)[list(codes)], members) for codes in product(range(k), repeat=n) if codes[0] == 0
    )


def best_soft(members: list[np.ndarray]) -> float:
    """The least distance of all fuzzy partitions, for members of one width: a mean for some relabelling."""
    first, *rest = members
    orders = list(permutations(range(first.shape[1])))
    means = (
        np.mean([first, *(U[:, list(order)] for U, order in zip(rest, chosen, strict=True))], axis=0)
        for chosen in product(orders, repeat=len(rest))
    )
    return min(distance(M, members) for M in means)
