"""Clusterings given object by object: a set of possible clusters for each, or masses on such sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np

from partita.arrays import Array, sorted_names
from partita.errors import PartitionError, Phrase, Setting, row_of_matrix
from partita.partitions.partition import normalise_names


def is_collection(item: Any) -> bool:
    """True for what can hold the clusters of one object."""
    return isinstance(item, (Set, list, tuple)) or (
        isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "iuUO"
    )


def items_of(obj: Any) -> list[Any] | None:
    """The items of a list, a tuple or an array of objects; None for anything else, and for nothing."""
    if isinstance(obj, np.ndarray):
        obj = list(obj) if obj.ndim == 1 and obj.dtype.hasobject else ()
    return list(obj) if isinstance(obj, (list, tuple)) and len(obj) else None


def hold_sets(items: Sequence[Any]) -> bool:
    """True where the items can be nothing but sets, one for each object or one for each cluster.

    Lists and tuples of one length that hold numbers are the rows of a matrix of 0 and 1, or of memberships.
    """
    collections = [is_collection(item) for item in items]
    if not any(collections):
        return False
    if not all(collections):
        first = collections.index(False)
        raise PartitionError(
            "some objects have a collection and others single values.",
            got=Phrase(row_of_matrix(first), f" is {items[first]!r}"[:60]),
            need="a set of clusters for every object",
            fix="{label} where a single cluster is possible",
        )
    if any(isinstance(item, Set) for item in items):
        return True
    members = list(chain.from_iterable(items))
    if any(isinstance(member, (bool, np.bool_, float, np.floating)) for member in members):
        return False
    is_ragged = len({len(item) for item in items}) > 1
    if is_ragged or not all(isinstance(member, (int, np.integer)) for member in members):
        return True
    return not set(members) <= {0, 1} or (len(items[0]) == 1 and 0 in members)


def are_ragged_tuples(items: Sequence[Any]) -> bool:
    """True for tuples of whole numbers of different lengths: neither labels nor rows of a matrix."""
    if set(map(type, items)) != {tuple} or len(set(map(len, items))) < 2:
        return False
    return all(isinstance(member, (int, np.integer)) for item in items for member in item)


def possible_matrix(items: Sequence[Any], names: Sequence[Any] | None) -> tuple[Array, tuple[Any, ...]]:
    """Which clusters are possible for which object, ``(n, k)``, and the names of the clusters."""
    sets = [_members(item, row) for row, item in enumerate(items)]
    known = _known(chain.from_iterable(sets), names, "a set has a cluster")
    place = {name: i for i, name in enumerate(known)}
    possible = np.zeros((len(sets), len(known)), dtype=bool)
    rows = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    possible[rows, [place[member] for members in sets for member in members]] = True
    return possible, _called(known, names)


def hold_masses(items: Sequence[Any]) -> bool:
    """True for mappings from sets of clusters to masses, one for each object."""
    return any(issubclass(kind, Mapping) for kind in set(map(type, items)))


def mass_matrix(items: Sequence[Any], names: Sequence[Any] | None) -> tuple[Array, Array, tuple[Any, ...]]:
    """Masses ``(n, f)``, focal sets ``(f, k)`` and the names of the clusters, of mappings.

    The key of a set is a tuple or a frozenset; any other key is a cluster by itself.
    """
    rows: list[dict[frozenset[Any], float]] = []
    for row, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise PartitionError(
                "some objects have masses and others none.",
                got=Phrase(row_of_matrix(row), f" is {item!r}"[:60]),
                need="a mapping from sets of clusters to masses for every object",
            )
        rows.append(_masses_of(item, row))
    known = _known(chain.from_iterable(chain.from_iterable(rows)), names, "a focal set has a cluster")
    place = {name: i for i, name in enumerate(known)}
    focal = sorted(
        {members for row in rows for members in row}, key=lambda s: sorted(map(place.__getitem__, s))
    )
    focal.sort(key=len)
    if not focal or not known:
        raise PartitionError(
            "masses do not sum to one.",
            got="no mass on any cluster",
            need="a mass on a set of clusters for at least one object",
        )
    column = {members: i for i, members in enumerate(focal)}
    masses = np.zeros((len(rows), len(focal)))
    for i, row_masses in enumerate(rows):
        for members, mass in row_masses.items():
            masses[i, column[members]] = mass
    sets = np.array([[name in members for name in known] for members in focal], dtype=bool)
    return masses, sets, _called(known, names)


def _masses_of(item: Mapping[Any, Any], row: int) -> dict[frozenset[Any], float]:
    found: dict[frozenset[Any], float] = {}
    for key, mass in item.items():
        members = frozenset(key) if isinstance(key, (Set, tuple)) else frozenset({key})
        if isinstance(mass, (bool, np.bool_)) or not isinstance(mass, (int, float, np.integer, np.floating)):
            raise PartitionError(
                "a mass is not a number.",
                got=Phrase(row_of_matrix(row), f" has {mass!r} for {key!r}"[:60]),
                need="a number for every set",
            )
        if members in found:
            raise PartitionError(
                "a set has masses twice.",
                got=Phrase(row_of_matrix(row), f" lists {key!r} again"[:60]),
                need="every set once for an object",
                fix="add up the masses that belong to the same set",
            )
        found[members] = float(mass)
    return found


def _members(item: Any, row: int) -> frozenset[Any]:
    try:
        members = frozenset(item.tolist() if isinstance(item, np.ndarray) else item)
    except TypeError:
        raise PartitionError(
            "the clusters in a set must be hashable.",
            got=Phrase(row_of_matrix(row), f" is {item!r}"[:60]),
            need="names or positions of clusters",
        ) from None
    if not members:
        raise PartitionError(
            "some objects have no possible cluster.",
            got=Phrase(row_of_matrix(row), " is empty"),
            need="at least one possible cluster for every object",
        )
    return members


def _known(members: Iterable[Any], names: Sequence[Any] | None, what: str) -> tuple[Any, ...]:
    """The clusters in order: the members sorted; with names these, or positions among them."""
    distinct = dict.fromkeys(members)
    if names is None:
        return sorted_names(distinct)
    declared = normalise_names(names)
    if all(member in declared for member in distinct):
        return declared
    positions = range(len(declared))
    unknown = [m for m in distinct if isinstance(m, (bool, np.bool_)) or m not in positions]
    if unknown:
        raise PartitionError(
            f"{what} that is not known.",
            got=f"{unknown[:5]}",
            need=f"names among {list(declared)[:10]}, or positions from 0",
        )
    return tuple(positions)


def _called(known: tuple[Any, ...], names: Sequence[Any] | None) -> tuple[Any, ...]:
    return known if names is None else normalise_names(names)


# --- by object or by cluster ----------------------------------------------------------------------------


def are_by_object(
    items: Sequence[Any], n_objects: int | None, objects: Sequence[Any] | None, keys: Sequence[Any] | None
) -> bool:
    """True where sets are the clusters of each object, False where they are the objects of each cluster.

    The names of the objects decide, then their number; otherwise there are at most as many clusters as
    objects. What is left open asks, except where both readings are the same.
    """
    sets = [_members(item, row) for row, item in enumerate(items)]
    distinct = set(chain.from_iterable(sets))
    if objects is not None:
        if distinct <= set(objects):
            return False
        return len(objects) == len(sets) and (keys is None or set(objects) == set(keys))
    by_number = [n_objects in (None, len(sets)), n_objects in (None, len(distinct))]
    if n_objects is not None and by_number[0] != by_number[1]:
        return by_number[0]
    if n_objects is not None and not any(by_number):
        raise PartitionError(
            Phrase(Setting("n_objects"), " fits neither reading of these sets."),
            got=f"n_objects={n_objects}; {len(sets)} sets of {len(distinct)} different members",
            need=f"{len(sets)} by object, or {len(distinct)} by cluster",
            parameter="n_objects",
        )
    if len(sets) != len(distinct):
        return len(sets) > len(distinct)
    if keys is None and _is_symmetric(sets, distinct):
        return True
    raise PartitionError(
        "these sets can be read by object or by cluster.",
        got=f"{len(sets)} sets of {len(distinct)} different members",
        need="which: the clusters that are possible for each object, or the objects of each cluster",
        fix=Phrase(
            "RoughPartition(sets) by object; ",
            Setting("objects", words='as_partition(sets, kind="rough", objects=[...])'),
            " by cluster",
        ),
        parameter="kind",
    )


def _is_symmetric(sets: Sequence[frozenset[Any]], distinct: set[Any]) -> bool:
    """True where the positions of the sets are their members, and i is in set j exactly if j is in set i."""
    if distinct != set(range(len(sets))):
        return False
    return all(i in sets[j] for i, members in enumerate(sets) for j in members)
