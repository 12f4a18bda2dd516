"""A law over hard clusterings, given as an ensemble with weights (campagner2022, footnote 4).

Nothing is assumed about objects: what the clusterings say of them may depend on one another, as in the draws
of a posterior. (Memberships are the marginals of such a law, and `distribution` draws their objects
independently.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.distributional.fuzzy import law_notes
from partita.distributional.outcomes import BOUND, EXACT, Focal, Law, Quantity, weaker
from partita.distributional.sides import Side
from partita.distributional.table_index import TableIndex
from partita.distributional.tasks import Answer, ends_only
from partita.errors import KindError, TooLargeError
from partita.partitions import (
    FUZZY,
    HARD,
    ROUGH,
    Ensemble,
    HardPartition,
    Partition,
    noise_share,
    side_text,
)

READING = "probability: each clustering of an ensemble counts by its weight"
BETWEEN = "belief: each clustering of the ensemble, by its weight, has an interval over the completions"

MOST_MEMBER_PAIRS = 1_000_000
MOST_CELLS_AT_ONCE = 1 << 22


def with_members(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller gave with each ensemble as its members by name, so that all have the same objects."""
    spread: dict[str, Any] = {}
    for name, one in given.items():
        if not isinstance(one, Ensemble):
            spread[name] = one
            continue
        soft = [f"{one.names[i]!r} ({p.kind})" for i, p in enumerate(one) if p.kind is not HARD]
        if soft:
            raise KindError(
                "an ensemble is a law over hard clusterings, and some of these are soft.",
                got=", ".join(soft[:5]),
                need="hard clusterings",
                fix="Ensemble([p.harden() for p in ensemble], weights=ensemble.weights), or distribution"
                " with each of them",
            )
        spread |= {_member(name, i): p for i, p in enumerate(one)}
    return spread


def _member(name: str, i: int) -> str:
    return f"{name} {i}"


class HardLaw:
    """One side of a distribution: hard clusterings with probabilities; one alone is certain."""

    kind = HARD
    note = ""

    def __init__(self, members: Sequence[HardPartition], weights: Array) -> None:
        self.members = members
        self.weights = weights

    @property
    def n_clusters(self) -> int:
        """The number of clusters of the member that has most."""
        return max(m.n_clusters for m in self.members)

    @property
    def n_possible(self) -> int:
        """How many clusters there can be."""
        return self.n_clusters


def sides_of(
    given: Mapping[str, Any], partitions: Mapping[str, Partition], empty: str
) -> list[HardLaw | Side]:
    """Truth and found: laws over hard clusterings, or soft sides as the solvers take them."""
    sides: list[HardLaw | Side] = []
    for name, one in given.items():
        if isinstance(one, Ensemble):
            members: list[Any] = [partitions[_member(name, i)] for i in range(len(one))]
            sides.append(HardLaw(members, one.weights))
            continue
        side = Side.of(partitions[name], empty)
        if side.kind is HARD:
            codes = np.asarray(side.weights).argmax(axis=1)
            hard = HardPartition.from_codes(codes, range(side.weights.shape[1]))
            sides.append(HardLaw([hard], np.ones(1)))
            continue
        if side.kind not in (FUZZY, ROUGH):
            raise KindError(
                f"an ensemble against {'an' if side.kind.value[0] in 'aeiou' else 'a'} {side.kind} clustering"
                " is not worked out.",
                got=repr(partitions[name]),
                need="a hard, fuzzy or rough clustering, or another ensemble",
                fix="[distribution(member, soft) for member in ensemble]",
            )
        sides.append(side)
    return sides


def describe(side: HardLaw | Side, name: str) -> str:
    """A side in the title of a result."""
    if isinstance(side, Side):
        share = noise_share(side.partition)
        return side_text(side.kind, name, side.partition.n_clusters, None if share is None else (1, share))
    ks = sorted({m.n_clusters for m in side.members})
    k = str(ks[0]) if len(ks) == 1 else f"{ks[0]}..{ks[-1]}"
    if len(side.members) == 1:
        return f"hard {name} (k={k})"
    return f"{name}: {len(side.members)} hard clusterings (k={k})"


def law_between(one: HardLaw, other: HardLaw, index: TableIndex) -> Answer:
    """The law of an index when a clustering is drawn from each side, independently."""
    n_pairs = len(one.members) * len(other.members)
    if n_pairs > MOST_MEMBER_PAIRS:
        raise TooLargeError(
            "there are too many pairs of clusterings.",
            got=f"{len(one.members)} x {len(other.members)} of them",
            need=f"at most {MOST_MEMBER_PAIRS:,}",
            fix="take every tenth: Ensemble(ensemble[::10], weights=ensemble.weights[::10])",
        )
    values = np.concatenate([index.on_tables(tables) for tables in _tables(one, other)])
    law = Law.of(values, np.multiply.outer(one.weights, other.weights).ravel(), "probability")
    mean, std = _moments(law)
    return Answer(
        READING,
        "probability",
        {"lower": mean, "upper": mean, "mean": mean, "std": std},
        law,
        notes=tuple(law_notes(law)),
        cost={"values": len(law.support)},
    )


def _moments(law: Law) -> tuple[Quantity, Quantity]:
    if not len(law.support):
        return Quantity.undefined(), Quantity.undefined()
    return Quantity.exact(law.mean), Quantity.exact(law.std)


def _tables(one: HardLaw, other: HardLaw) -> Iterator[Array]:
    """The tables of all pairs, in parts ``(s, k, k')``; smaller ones have empty clusters added."""
    k, columns = one.n_clusters, other.n_clusters
    at_once = max(1, MOST_CELLS_AT_ONCE // (k * columns))
    part: list[Array] = []
    for a, b in product(one.members, other.members):
        cells = np.bincount(a.codes * columns + b.codes, minlength=k * columns)
        part.append(cells.reshape(k, columns))
        if len(part) == at_once:
            yield np.array(part)
            part = []
    if part:
        yield np.array(part)


def mixed(law: HardLaw, answers: Sequence[Answer]) -> Answer:
    """The answer for an ensemble from those of its members against one soft clustering."""
    weights = law.weights
    notes = tuple(dict.fromkeys(note for answer in answers for note in answer.notes))
    if answers[0].measure == "set":
        lower, upper = (
            _weighted([a.quantities[end] for a in answers], weights) for end in ("lower", "upper")
        )
        ends = [[a.quantities[end].value for a in answers] for end in ("lower", "upper")]
        known = ~np.isnan(ends[0])
        focal = Focal(
            np.array(ends[0])[known],
            np.array(ends[1])[known],
            weights[known] / weights[known].sum(),
            method=weaker(lower, upper),
        )
        return Answer(BETWEEN, "belief", ends_only(lower, upper), focal=focal, notes=notes)
    mean, std = _weighted([a.quantities["mean"] for a in answers], weights), Quantity.undefined()
    laws = [a.law for a in answers]
    whole = None
    if all(one is not None for one in laws):
        parts = [one for one in laws if one is not None]
        whole = Law.of(
            np.concatenate([one.support for one in parts]),
            np.concatenate([w * one.weights for w, one in zip(weights, parts, strict=True)]),
            "probability",
            method=max((one.method for one in parts), key=(EXACT, BOUND, "sampled").index),
            dropped=float(sum(w * one.dropped for w, one in zip(weights, parts, strict=True))),
        )
        std = Quantity.exact(whole.std) if whole.method == EXACT else std
    quantities = {"lower": mean, "upper": mean, "mean": mean, "std": std}
    reading = f"{READING}; objects of the other side are drawn independently by their memberships"
    cost = {} if whole is None else {"values": len(whole.support)}
    return Answer(reading, "probability", quantities, whole, notes=notes, cost=cost)


def _weighted(quantities: Sequence[Quantity], weights: Array) -> Quantity:
    """The mean of what each member has; members for which there is no value do not count."""
    known = [(q, w) for q, w in zip(quantities, weights.tolist(), strict=True) if not np.isnan(q.value)]
    total = sum(w for _, w in known)
    if not total:
        return Quantity.undefined()
    value, low, high = (
        sum(w * getattr(q, end) for q, w in known) / total for end in ("value", "low", "high")
    )
    return Quantity(value, low, high, weaker(*(q for q, _ in known)))


def solve(
    sides: Sequence[HardLaw | Side], index: TableIndex, solve_pair: Callable[[list[Side]], Answer], empty: str
) -> Answer:
    """The answer for an ensemble against anything that `sides_of` takes."""
    one, other = sides
    if isinstance(one, HardLaw) and isinstance(other, HardLaw):
        return law_between(one, other, index)
    law = one if isinstance(one, HardLaw) else other
    assert isinstance(law, HardLaw)
    answers = []
    for member in law.members:
        hard = Side.of(member, empty)
        pair = [hard, other] if law is one else [one, hard]
        answers.append(solve_pair([side for side in pair if isinstance(side, Side)]))
    return mixed(law, answers)
