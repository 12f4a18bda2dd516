"""From one kind to another: lossless where it says ``to``, with a note where something is lost."""

from __future__ import annotations

from itertools import permutations, product
from math import perm, prod
from typing import Any, TypeVar

import numpy as np

from partita.arrays import RANGE_TOLERANCE, Array, dense, is_sparse, one_hot, same_columns, to_csr
from partita.errors import KindError, ParameterError, PartitionError, TooLargeError
from partita.partitions.evidential import EvidentialPartition
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Kind
from partita.partitions.memberships import (
    FuzzyPartition,
    MembershipPartition,
    PossibilisticPartition,
    levels,
    one_hot_columns,
)
from partita.partitions.partition import Partition
from partita.partitions.rough import RoughPartition

P = TypeVar("P", bound=Partition)

_MOST_CELLS = 1 << 28
"""Two gigabytes of masses."""


def _carry(source: Partition, made: P, note: str = "") -> P:
    """Hand on identifiers, frame type and notes."""
    made.index, made.frame = source.index, source.frame
    made.note = "; ".join(text for text in (source.note, note) if text)
    return made


# --- lossless -----------------------------------------------------------------------------------------


def to_kind(partition: Partition, kind: Kind) -> Any:
    """The same clustering as ``kind``, or a `KindError` that names the lossy ways."""
    if partition.kind is kind:
        return partition
    if isinstance(partition, HardPartition) and kind is not EVIDENTIAL:
        return _carry(partition, _from_indicator(partition.memberships(), partition.names, kind))
    if isinstance(partition, RoughPartition) and kind is POSSIBILISTIC:
        return _carry(
            partition, _from_indicator(partition.possible.astype(np.float64), partition.names, kind)
        )
    if isinstance(partition, MembershipPartition) and kind is HARD:
        return _carry(partition, _one_hot_to_hard(partition))
    masses = _to_evidential(partition)
    made = masses if kind is EVIDENTIAL else _from_evidential(masses, kind, partition)
    return _carry(partition, made)


def _from_indicator(matrix: Array, names: tuple[Any, ...], kind: Kind) -> Any:
    if kind is ROUGH:
        return RoughPartition(matrix.astype(bool), names=names)
    return (FuzzyPartition if kind is FUZZY else PossibilisticPartition).trusted(matrix, names)


def _one_hot_to_hard(partition: MembershipPartition) -> HardPartition:
    if not partition.is_crisp:
        raise _lossy(partition, HARD)
    return HardPartition.from_codes(one_hot_columns(partition.values), partition.names)


def _to_evidential(partition: Partition) -> EvidentialPartition:
    if isinstance(partition, EvidentialPartition):
        return partition
    if isinstance(partition, HardPartition):
        return _hard_to_evidential(partition)
    if isinstance(partition, FuzzyPartition):
        sets = _singletons(partition.n_clusters)
        return EvidentialPartition.trusted(dense(partition.memberships()), sets, partition.names)
    if isinstance(partition, RoughPartition):
        sets, place = _distinct_sets(partition.possible)
        masses = _no_masses(partition.n_objects, len(sets))
        masses[np.arange(partition.n_objects), place] = 1.0
        return EvidentialPartition.trusted(masses, sets, partition.names)
    return _possibilistic_to_evidential(partition)


def _hard_to_evidential(partition: HardPartition) -> EvidentialPartition:
    """Singletons, and the empty set for noise."""
    noise = partition.noise_mask
    clusters = [i for i, name in enumerate(partition.names) if noise is None or name != -1]
    sets = _singletons(len(clusters))
    matrix = partition.memberships()
    masses = matrix[:, clusters]
    if noise is not None:
        masses = np.column_stack([noise.astype(np.float64), masses])
        sets = np.vstack([np.zeros((1, len(clusters)), dtype=bool), sets])
    if not clusters:
        raise PartitionError(
            "all objects are noise.", got=repr(partition), need="at least one cluster beside the noise"
        )
    return EvidentialPartition(masses, sets, names=[partition.names[i] for i in clusters])


def _possibilistic_to_evidential(partition: Any) -> EvidentialPartition:
    """Consonant masses: each step down from one typicality to the next goes to the set above it."""
    values = dense(partition.memberships())
    n, k = values.shape
    high_to_low, steps = levels(values)
    masses_of_levels = np.column_stack([1.0 - high_to_low[:, 0], steps])
    rows, level = np.nonzero(masses_of_levels > 0)
    if rows.size * k > _MOST_CELLS:
        raise TooLargeError(
            "the level sets of this partition would not fit.",
            got=f"{n} objects with {rows.size} level sets of {k} clusters",
            need=f"at most {_MOST_CELLS} cells",
            fix=".harden() or .pignistic() of parts: take(rows)",
        )
    # clusters of one height enter together: the step between them is 0
    lowest = np.column_stack([np.full(n, np.inf), high_to_low])[rows, level]
    sets, place = _distinct_sets(values[rows] >= lowest[:, None])
    masses = _no_masses(n, len(sets))
    # the level sets of one object that hold mass differ, so no cell is written twice
    masses[rows, place] = masses_of_levels[rows, level]
    return EvidentialPartition.trusted(masses, sets, partition.names)


def _singletons(k: int) -> Array:
    if k * k > _MOST_CELLS:
        raise TooLargeError(
            "the focal sets of this partition would not fit.",
            got=f"{k} sets of {k} clusters",
            need=f"at most {_MOST_CELLS} cells",
        )
    return np.eye(k, dtype=bool)


def _distinct_sets(sets: Array) -> tuple[Array, Array]:
    """The distinct rows of a boolean matrix, and for each row its place among them."""
    if sets.shape[1] <= 62:
        keys = sets @ (1 << np.arange(sets.shape[1])[::-1])
    else:
        packed = np.packbits(sets, axis=1)
        keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return sets[first], place


def _no_masses(n: int, n_sets: int) -> Array:
    if n * n_sets > _MOST_CELLS:
        raise TooLargeError(
            "the masses of this partition would not fit.",
            got=f"{n} objects and {n_sets} different sets of clusters",
            need=f"at most {_MOST_CELLS} masses",
            fix=".harden() or .pignistic() of parts: take(rows)",
        )
    return np.zeros((n, n_sets))


def _from_evidential(masses: EvidentialPartition, kind: Kind, source: Partition) -> Any:
    held = masses.masses > RANGE_TOLERANCE
    size = masses.cardinalities
    if kind is ROUGH:
        if (held.sum(axis=1) > 1).any() or held[:, size == 0].any():
            raise _lossy(source, kind)
        return RoughPartition(masses.focal_sets[masses.masses.argmax(axis=1)], names=masses.names)
    if kind in (FUZZY, HARD):
        noise = np.asarray(held[:, size == 0].any(axis=1))
        if held[:, size > 1].any() or (noise.any() and kind is FUZZY):
            raise _lossy(source, kind)
        matrix = masses.masses[:, size == 1] @ masses.focal_sets[size == 1]
        if kind is FUZZY:
            return FuzzyPartition.trusted(matrix, masses.names)
        if (held.sum(axis=1) > 1).any():
            raise _lossy(source, kind)
        return _with_noise(matrix.argmax(axis=1), noise, masses.names)
    sets = masses.focal_sets.astype(np.int64)
    shared = sets @ sets.T
    nested = (shared == size[:, None]) | (shared == size[None, :])
    contour = np.clip(masses.masses @ masses.focal_sets, 0.0, 1.0)
    if ((held.astype(np.int64) @ ~nested > 0) & held).any() or not contour.any(axis=1).all():
        raise _lossy(source, kind)
    return PossibilisticPartition.trusted(contour, masses.names)


def _with_noise(codes: Array, noise: Array, names: tuple[Any, ...]) -> HardPartition:
    """A hard partition in which the objects under the mask are noise, labelled -1."""
    if not noise.any():
        return HardPartition.from_codes(codes, names)
    if -1 in names:
        return HardPartition.from_codes(np.where(noise, names.index(-1), codes), names)
    return HardPartition.from_codes(np.where(noise, 0, codes + 1), (-1, *names))


def _lossy(partition: Partition, kind: Kind) -> KindError:
    ways = {
        HARD: ".harden(), or .lower() for the sure objects",
        FUZZY: ".pignistic()",
        POSSIBILISTIC: ".plausibility()",
        ROUGH: ".alpha_cut(alpha)" if partition.kind in (FUZZY, POSSIBILISTIC) else ".upper()",
    }
    return KindError(
        f"this {partition.kind} partition cannot become {kind} without loss.",
        got=repr(partition),
        need=f"values that already are {kind}",
        fix=ways.get(kind),
    )


# --- lossy, by name -------------------------------------------------------------------------------------


def harden(partition: Partition) -> HardPartition:
    """The cluster of largest membership or pignistic probability; noise stays noise."""
    if isinstance(partition, HardPartition):
        return partition
    soft = isinstance(partition, MembershipPartition)
    values = partition.memberships() if soft else _shared_masses(partition)
    codes, tied = _largest_in_rows(values)
    noise = partition.noise_mask
    ties = int(tied.sum() if noise is None else tied[~noise].sum())
    note = "hardened: largest " + ("typicality" if partition.kind is POSSIBILISTIC else "probability")
    if ties:
        note += f"; {ties} tie{'s' * (ties > 1)} went to the first cluster"
    if noise is None:
        return _carry(partition, HardPartition.from_codes(codes, partition.names), note)
    note += f"; {int(noise.sum())} objects with most mass on the empty set are noise"
    return _carry(partition, _with_noise(codes, noise, partition.names), note)


def _largest_in_rows(values: Any) -> tuple[Array, Array]:
    """For each row the first place of its largest value, and whether there is another; no row is all zero."""
    if not is_sparse(values):
        return values.argmax(axis=1), (values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1
    largest = np.maximum.reduceat(values.data, values.indptr[:-1])
    rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    at_largest = np.flatnonzero(values.data == largest[rows])
    _, first, times = np.unique(rows[at_largest], return_index=True, return_counts=True)
    return values.indices[at_largest[first]].astype(np.int64), times > 1


def _shared_masses(partition: Partition) -> Array:
    """For each cluster the masses of its sets, shared evenly within each; the empty set is left out."""
    if isinstance(partition, RoughPartition):
        return np.asarray(partition.possible / partition.possible.sum(axis=1, keepdims=True))
    if isinstance(partition, PossibilisticPartition):
        typicalities = dense(partition.memberships())
        order = np.argsort(-typicalities, axis=1, kind="stable")
        _, steps = levels(typicalities)
        by_rank = np.cumsum((steps / np.arange(1, steps.shape[1] + 1))[:, ::-1], axis=1)[:, ::-1]
        shared = np.empty_like(by_rank)
        np.put_along_axis(shared, order, by_rank, axis=1)
        return shared
    masses = _to_evidential(partition)
    return np.asarray(masses.masses @ (masses.focal_sets / np.maximum(masses.cardinalities, 1)[:, None]))


def pignistic(partition: Partition) -> FuzzyPartition:
    """Each set's mass shared evenly among its clusters; mass on the empty set is divided out."""
    if isinstance(partition, FuzzyPartition):
        return partition
    if isinstance(partition, HardPartition):
        hard: FuzzyPartition = to_kind(partition, FUZZY)
        return hard
    shared = _shared_masses(partition)
    left = shared.sum(axis=1, keepdims=True)
    _refuse_empty_rows(left > RANGE_TOLERANCE, "all their mass", "probabilities")
    note = "pignistic probabilities"
    if (left < 1.0 - RANGE_TOLERANCE).any():
        note += "; mass on the empty set was divided out"
    made: FuzzyPartition = FuzzyPartition.trusted(shared / left, partition.names)
    return _carry(partition, made, note)


def plausibility(partition: Partition) -> PossibilisticPartition:
    """For each cluster the mass of all sets that contain it."""
    if isinstance(partition, PossibilisticPartition):
        return partition
    if isinstance(partition, (HardPartition, RoughPartition)):
        lossless: PossibilisticPartition = to_kind(partition, POSSIBILISTIC)
        return lossless
    masses = _to_evidential(partition)
    contour = np.clip(masses.masses @ masses.focal_sets, 0.0, 1.0)
    _refuse_empty_rows(contour, "all their mass", "plausibilities")
    made: PossibilisticPartition = PossibilisticPartition.trusted(contour, masses.names)
    return _carry(partition, made, "plausibilities")


def _refuse_empty_rows(values: Array, cause: str, noun: str) -> None:
    lost = ~values.any(axis=1)
    if lost.any():
        raise PartitionError(
            f"some objects have {cause} on the empty set, so they have no {noun}.",
            got=f"object {int(lost.argmax())} ({int(lost.sum())} such objects)",
            need="mass on non-empty sets for every object",
            fix="take(~partition.noise_mask) first, or harden(), which keeps them as noise",
        )


def alpha_cut(partition: Partition, alpha: float) -> RoughPartition:
    """The clusters of membership at least ``alpha``."""
    if not isinstance(partition, MembershipPartition):
        raise KindError(
            f"alpha cuts of a {partition.kind} partition are not defined.",
            got=repr(partition),
            need="a fuzzy or possibilistic partition",
            fix=".upper(), or .plausibility().alpha_cut(alpha)",
        )
    if not isinstance(alpha, (int, float, np.number)) or not 0 < alpha <= 1:
        raise ParameterError("alpha is not a level.", got=repr(alpha), need="0 < alpha <= 1")
    possible = dense(partition.memberships()) >= alpha
    lost = ~possible.any(axis=1)
    if lost.any():
        raise PartitionError(
            f"no cluster reaches alpha = {alpha:g} for some objects.",
            got=f"object {int(lost.argmax())} ({int(lost.sum())} such objects)",
            need="an alpha that every object's largest membership reaches",
            fix=f"alpha <= {dense(partition.memberships()).max(axis=1).min():.6g}",
        )
    made: RoughPartition = _carry(
        partition, RoughPartition(possible, names=partition.names), f"alpha cut at {alpha:g}"
    )
    return made


def _largest_sets(partition: Partition) -> Array:
    if isinstance(partition, RoughPartition):
        return partition.possible
    if isinstance(partition, EvidentialPartition):
        return np.asarray(partition.focal_sets[partition.masses.argmax(axis=1)])
    raise KindError(
        f"lower and upper approximations of a {partition.kind} partition are not defined.",
        got=repr(partition),
        need="a rough or evidential partition",
        fix=".alpha_cut(alpha) makes a fuzzy or possibilistic partition rough",
    )


def lower(partition: Partition) -> HardPartition:
    """Objects with one possible cluster keep it; the others become noise (-1)."""
    if isinstance(partition, HardPartition):
        return partition
    sets = _largest_sets(partition)
    unsure = sets.sum(axis=1) != 1
    made = _with_noise(sets.argmax(axis=1), unsure, partition.names)
    return _carry(partition, made, f"lower approximation: {int(unsure.sum())} unsure objects are noise")


def upper(partition: Partition) -> RoughPartition:
    """The possible clusters of each object."""
    if isinstance(partition, HardPartition):
        lossless: RoughPartition = to_kind(partition, ROUGH)
        return lossless
    sets = _largest_sets(partition)
    if isinstance(partition, RoughPartition):
        return partition
    _refuse_empty_rows(sets, "most mass", "possible cluster")
    made = RoughPartition(sets, names=partition.names)
    return _carry(partition, made, "upper approximation: set of largest mass")


# --- equivalence ------------------------------------------------------------------------------------------

_MOST_RELABELLINGS = 50_000
_SAME = 1e-8
"""How far two equal memberships or masses may be apart by rounding."""


def equivalent(partition: Partition, other: Any) -> bool:
    """The same clustering up to the names of the clusters; empty clusters do not count."""
    from partita.partitions.chunked import InChunks
    from partita.partitions.chunked_equivalence import equivalent_in_chunks
    from partita.partitions.reading import as_partition

    second = as_partition(other)
    if partition.n_objects != second.n_objects:
        return False
    if isinstance(partition, InChunks) or isinstance(second, InChunks):
        return equivalent_in_chunks(partition, second)
    if isinstance(partition, HardPartition) and isinstance(second, HardPartition):
        pairs = np.unique(np.column_stack([partition.codes, second.codes]), axis=0)
        return bool(len(pairs) == len(np.unique(pairs[:, 0])) == len(np.unique(pairs[:, 1])))
    alike = partition.kind is second.kind and isinstance(partition, (MembershipPartition, RoughPartition))
    hard_and_soft = {type(p) is HardPartition for p in (partition, second)} == {True, False} and all(
        isinstance(p, (HardPartition, MembershipPartition)) for p in (partition, second)
    )
    if alike or hard_and_soft:  # noise is one more cluster, as between two hard partitions
        return _same_columns(_columns(partition), _columns(second))
    return _same_masses(_to_evidential(partition), _to_evidential(second))


def _columns(partition: Any) -> Any:
    """The columns of the clusters that are not empty, dense or sparse; of labels sparse."""
    if isinstance(partition, HardPartition):
        matrix = one_hot(partition.codes, partition.n_clusters)
    elif isinstance(partition, RoughPartition):
        matrix = dense(partition.possible)
    else:
        matrix = partition.memberships()
    if not is_sparse(matrix):
        return dense(matrix[:, matrix.any(axis=0)])
    return matrix[:, np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))]


def _same_columns(a: Any, b: Any) -> bool:
    """Whether every column of ``a`` has its own column of ``b``, up to rounding."""
    if is_sparse(a) != is_sparse(b):
        a, b = (matrix if is_sparse(matrix) else to_csr(matrix) for matrix in (a, b))
    return same_columns(a, b, _SAME)


def equal_columns(a: Array, b: Array) -> Array:
    """Which columns of ``a`` equal which of ``b``, up to rounding: ``(k, k')``."""
    return np.array([(np.abs(column[:, None] - b) <= _SAME).all(axis=0) for column in a.T])


def _close(a: Array, b: Array) -> bool:
    return bool((np.abs(a - b) <= _SAME).all())


def _same_masses(a: EvidentialPartition, b: EvidentialPartition) -> bool:
    """Try the relabellings that match what each cluster looks like by itself."""
    look_a, look_b = _cluster_looks(a), _cluster_looks(b)
    if len(look_a) != len(look_b):
        return False
    groups: dict[tuple[int, ...], list[int]] = {}  # those of a that look like the same ones of b
    for cluster, look in look_a.items():
        groups.setdefault(tuple(c for c in look_b if _close(look, look_b[c])), []).append(cluster)
    tries = prod(perm(len(alike), len(members)) for alike, members in groups.items())
    if tries > _MOST_RELABELLINGS:
        raise TooLargeError(
            "too many relabellings to try.", got=f"{tries} relabellings", need=f"at most {_MOST_RELABELLINGS}"
        )
    masses_a, nothing = _by_set(a, {c: c for c in look_a}), np.zeros(a.n_objects)
    ours = [cluster for members in groups.values() for cluster in members]
    for orders in product(*(permutations(alike, len(members)) for alike, members in groups.items())):
        theirs = [cluster for order in orders for cluster in order]
        if len(set(theirs)) == len(theirs):
            masses_b = _by_set(b, dict(zip(theirs, ours, strict=True)))
            sets = masses_a.keys() | masses_b.keys()
            if all(_close(masses_a.get(s, nothing), masses_b.get(s, nothing)) for s in sets):
                return True
    return False


def _cluster_looks(masses: EvidentialPartition) -> dict[int, Array]:
    """For each non-empty cluster its plausibilities and its own masses."""
    contour = masses.masses @ masses.focal_sets
    single = masses.cardinalities == 1
    own = masses.masses[:, single] @ masses.focal_sets[single]
    return {
        c: np.concatenate([contour[:, c], own[:, c]])
        for c in range(masses.n_clusters)
        if (contour[:, c] > _SAME).any()
    }


def _by_set(masses: EvidentialPartition, rename: dict[int, int]) -> dict[frozenset[int], Array]:
    """Masses by focal set, with clusters renamed; empty clusters hold none and are dropped."""
    found: dict[frozenset[int], Array] = {}
    for i, row in enumerate(masses.focal_sets):
        if masses.masses[:, i].max() > 0:
            members = frozenset(rename[int(c)] for c in np.flatnonzero(row) if int(c) in rename)
            found[members] = found.get(members, 0.0) + masses.masses[:, i]
    return found
