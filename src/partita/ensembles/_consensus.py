"""`consensus`: the one clustering that is nearest to many, by least squares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import MOST_DENSE_CELLS, Floats, dense, is_sparse, one_blas_thread
from partita.ensembles._consensus_index import side_by_side, widest
from partita.errors import ParameterError, Phrase, Setting, TooLargeError
from partita.partitions import FUZZY, HARD, Ensemble, FuzzyPartition, HardPartition, Partition
from partita.partitions.ensemble import unweighted
from partita.progress import bar
from partita.results import join_texts

__all__ = ["LeastSquares", "consensus"]

KINDS = ("soft", "hard")
STARTS = 10

DIGITS = 1e-9
"""A share of all objects: overlaps that differ by less are equal, and rounding does not choose among them."""


def consensus(
    ensemble: Ensemble | Iterable[Any],
    n_clusters: int | None = None,
    *,
    kind: str = "soft",
    n_init: int = STARTS,
) -> FuzzyPartition | HardPartition:
    """The partition that is nearest to all partitions of an ensemble, by least squares.

    It minimises the sum of squared differences between its memberships and those of each partition, whose
    clusters are relabelled to fit it best (Dimitriadou, Weingessel and Hornik 2002; Hornik 2005). Two exact
    steps alternate, neither of which can make the sum larger: find the best relabelling of every partition,
    by optimal assignment; average the relabelled memberships.

    Parameters
    ----------
    ensemble : Ensemble or list of clusterings
        Of any kinds. Possibilistic, rough and evidential ones enter by their pignistic probabilities, and the
        note of the result says so. Noise is a cluster like others.
    n_clusters : int, optional
        At most the largest number in the ensemble; by default the most common one (of several, the largest).
        Empty clusters are not counted.
    kind : {"soft", "hard"}
        Whether the nearest fuzzy or the nearest hard partition is wanted; the latter is searched among hard
        partitions, it is not the former hardened.
    n_init : int
        How many partitions of the ensemble to start from: those that are nearest to all others.

    Returns
    -------
    FuzzyPartition or HardPartition
        Clusters are numbered from the largest. ``.note`` says how it was made, and how far it is from the
        ensemble. The result does not depend on chance, and is never further from the ensemble than the
        nearest of its partitions with no more clusters than asked for (a hard one: the nearest hard one).

    Notes
    -----
    Partitions with fewer clusters have empty ones added. A cluster of a partition with too many, for which
    the best relabelling has no place, is shared evenly among all clusters of the consensus: this is where the
    least squares lie. The optimum over all relabellings is a hard problem; this is a local one.

    Cost: a few passes over all memberships for each start; memory for all memberships side by side.

    Examples
    --------
    >>> runs = [[0, 0, 0, 1, 1], [1, 1, 1, 0, 0], ["a", "a", "b", "b", "b"]]
    >>> consensus(runs, kind="hard").labels
    array([0, 0, 0, 1, 1])
    >>> consensus(runs).memberships().round(2)
    array([[1.  , 0.  ],
           [1.  , 0.  ],
           [0.67, 0.33],
           [0.  , 1.  ],
           [0.  , 1.  ]])
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(
            "no such kind of consensus.", got=repr(kind), need='"soft" or "hard"', parameter="kind"
        )
    _check_whole("n_init", n_init, math.inf)
    given = unweighted(ensemble, "consensus")
    members = [p if p.kind in (HARD, FUZZY) else p.pignistic() for p in given]
    filled = [int(np.count_nonzero(p.sizes)) for p in members]
    if n_clusters is None:
        times = Counter(filled)
        n_clusters = max(times, key=lambda k: (times[k], k))
    _check_whole("n_clusters", n_clusters, max(filled))
    problem = LeastSquares.of(members, int(n_clusters), is_hard=kind == "hard")
    with one_blas_thread(), bar("consensus") as report:
        centre, distance = problem.solve(n_init, report)
    order = np.argsort(-centre.sum(axis=0), kind="stable")
    n, count = given.n_objects, len(given)
    away = f"mean squared difference {round(distance / (n * count), 12):.4g} an object"
    note = join_texts(
        [
            f"{kind} consensus of {count} partition{'s' * (count > 1)}, {away}",
            *(
                f"{times} of them: {told}"
                for told, times in Counter(m.note for m in members if m.note).items()
            ),
            "noise is a cluster" if any(m.noise_mask is not None for m in members) else "",
        ]
    )
    made: FuzzyPartition | HardPartition
    if kind == "hard":
        made = HardPartition.from_codes(centre[:, order].argmax(axis=1), range(len(order)))
    else:
        made = FuzzyPartition(centre[:, order])
    made.index, made.frame, made.note = given[0].index, given[0].frame, note
    return made


def _check_whole(name: str, value: Any, most: float) -> None:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 1 <= value <= most:
        end = "at least 1" if most == math.inf else f"from 1 to {most:g}, the most that a partition here has"
        raise ParameterError(
            Phrase(Setting(name), " cannot be this."), got=repr(value), need=f"a whole number {end}"
        )


@dataclass(frozen=True)
class LeastSquares:
    """The sum over partitions of the least squared difference to a centre, over all relabellings.

    Attributes
    ----------
    memberships : (n, L * width) array or CSR array
        All partitions side by side, each filled up with empty clusters.
    count : int
        The number of partitions, L.
    n_clusters : int
        The number of clusters of the centre.
    is_hard : bool
        Whether centres are one-hot.
    """

    memberships: Any
    count: int
    n_clusters: int
    is_hard: bool

    @classmethod
    def of(cls, members: Sequence[Partition], n_clusters: int, *, is_hard: bool) -> LeastSquares:
        """The problem for hard and fuzzy partitions."""
        n, count, width = members[0].n_objects, len(members), widest(members, range(len(members)))
        labels = [m.codes for m in members if isinstance(m, HardPartition)]
        if len(labels) == count:
            from scipy.sparse import csr_array

            columns = np.stack(labels, axis=1) + np.arange(count) * width
            starts = np.arange(n + 1) * count
            memberships = csr_array((np.ones(n * count), columns.ravel(), starts), shape=(n, count * width))
            return cls(memberships, count, n_clusters, is_hard)
        if n * count * width > MOST_DENSE_CELLS:
            raise TooLargeError(
                "the memberships of this ensemble do not fit side by side.",
                got=f"{n} objects, {count} partitions, up to {width} clusters",
                need=f"at most {MOST_DENSE_CELLS} memberships",
                fix="harden() them all, or take fewer: Ensemble(members[:20])",
            )
        beside = side_by_side(members, width, slice(0, n)).reshape(n, count, width)
        beside /= beside.sum(axis=2, keepdims=True)  # single precision is one only to four digits
        return cls(beside.reshape(n, -1), count, n_clusters, is_hard)

    def solve(self, n_init: int, report: Callable[[int, int], None]) -> tuple[Floats, float]:
        """The best centre found, and its distance to the ensemble."""
        distances = []
        for place in range(self.count):
            distances.append(self.relabelled(self.start(place))[1])
            report(place, self.count + n_init)
        even = np.round(np.array(distances) / (DIGITS * len(self.start(0)) * self.count))
        nearest = np.argsort(even, kind="stable")[:n_init]
        ends = []
        for done, place in enumerate(nearest, start=self.count):
            ends.append(self.descend(self.start(place)))
            report(done, self.count + n_init)
        return min(ends, key=lambda end: end[1])

    def descend(self, centre: Floats) -> tuple[Floats, float]:
        """Alternate both steps until they gain nothing."""
        places, distance = self.relabelled(centre)
        while True:
            moved = self.average(places)
            places, nearer = self.relabelled(moved)
            if not nearer < distance * (1 - 1e-12):
                return centre, distance
            centre, distance = moved, nearer

    def relabelled(self, centre: Floats) -> tuple[Floats, float]:
        """The best relabelling of each partition, and the sum of squared differences that is left.

        A relabelling is a ``(L * width, n_clusters)`` matrix that takes memberships to those of the centre.
        """
        from scipy.optimize import linear_sum_assignment

        shared = np.asarray(self.memberships.T @ centre).reshape(self.count, -1, self.n_clusters)
        places = np.full(shared.shape, 1 / self.n_clusters)
        matched = 0.0
        alike = np.round(shared / (DIGITS * len(centre)))
        for place, overlap, even in zip(places, shared, alike, strict=True):
            own, new = linear_sum_assignment(even, maximize=True)
            place[own] = 0.0
            place[own, new] = 1.0
            matched += float(overlap[own, new].sum())
        squares = self._squares + self.count * float(np.square(centre).sum())
        return places.reshape(-1, self.n_clusters), max(squares - 2 * matched, 0.0)

    @cached_property
    def _squares(self) -> float:
        cells = self.memberships.data if is_sparse(self.memberships) else self.memberships.ravel()
        return float(np.dot(cells, cells))

    def average(self, places: Floats) -> Floats:
        """The centre of least squares for given relabellings."""
        return self._rounded(np.asarray(self.memberships @ places) / self.count)

    def start(self, place: int) -> Floats:
        """One partition as a centre; where it has too many clusters, the smaller ones are shared evenly."""
        width = self.memberships.shape[1] // self.count
        own = dense(self.memberships[:, place * width : (place + 1) * width])
        sizes = np.round(own.sum(axis=0) / (DIGITS * len(own)))
        largest = np.argsort(-sizes, kind="stable")[: self.n_clusters]
        rest = 1.0 - own[:, largest].sum(axis=1, keepdims=True)
        return self._rounded(np.maximum(own[:, largest] + rest / self.n_clusters, 0.0))

    def _rounded(self, memberships: Floats) -> Floats:
        """One-hot, where the centre must be hard."""
        if not self.is_hard:
            return memberships
        rows = np.arange(len(memberships))
        hard = np.zeros_like(memberships)
        hard[rows, np.round(memberships / DIGITS).argmax(axis=1)] = 1.0
        return hard
