"""Clusters as collections of objects, and dictionaries: objects are named, not listed in an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from itertools import chain
from typing import Any

import numpy as np

from partita.arrays import frame_library, is_sparse, label_columns, sorted_names
from partita.arrays.chunked import first_chunk, is_dask_frame, is_of_dask
from partita.errors import MismatchError, PartitionError, Phrase, Setting
from partita.partitions.hard import HardPartition
from partita.partitions.models import graph_clustering, is_estimator
from partita.partitions.partition import Partition
from partita.partitions.rough import RoughPartition

COLLECTIONS = (list, tuple, range, Set, np.ndarray)


def hard_from_clusters(clusters: Any, objects: Any = None) -> HardPartition:
    """The partition whose clusters these are; see `HardPartition.from_clusters`."""
    names, members = _named_members(clusters)
    place: dict[Any, int] = {}
    for code, cluster in enumerate(members):
        for member in cluster:
            if place.setdefault(member, code) != code:
                raise _overlap_error(members)
        if len(set(cluster)) < len(cluster):
            raise PartitionError(
                "a cluster lists an object twice.",
                got=f"cluster {names[code]!r}: {[m for m, n in Counter(cluster).items() if n > 1][:5]}",
                need="each object once; or labels, one list for each clustering",
                fix="sets of objects, or Ensemble(lists) if these are labels of several clusterings",
            )
    order = object_order(objects, place)
    codes = np.array([place.get(item, len(names)) for item in order], dtype=np.int64)
    alone = int((codes == len(names)).sum())
    if alone and -1 in names:
        codes[codes == len(names)] = names.index(-1)
    elif alone:
        names = [*names, -1]
    note = f"{alone} objects are in no cluster, and noise" if alone else ""
    return HardPartition.from_codes(
        codes, names, index=object_index(order), note=note, noise_label=-1 if alone else None
    )


def rough_from_clusters(clusters: Any, objects: Any = None) -> RoughPartition:
    """Clusters that overlap, read as: each object is in one of those that hold it, unknown which."""
    names, members = _named_members(clusters)
    order = object_order(objects, dict.fromkeys(chain.from_iterable(members)))
    row = {item: i for i, item in enumerate(order)}
    possible = np.zeros((len(order), len(names)), dtype=bool)
    for code, cluster in enumerate(members):
        possible[[row[member] for member in cluster], code] = True
    return RoughPartition(possible, names=names, index=object_index(order))


def overlap(clusters: Any) -> bool:
    """True where an object is in several of these clusters."""
    _, members = _named_members(clusters)
    counted = Counter(member for cluster in members for member in set(cluster))
    return max(counted.values()) > 1


def are_clusters(items: Sequence[Any]) -> bool:
    """Whether the items are clusters, and no labels or rows of memberships.

    They are if all are sets. Lists are if no number in them is a membership and either their lengths differ
    or each object is in one of them once. What may be one as well as the other is refused.
    """
    if len(items) == 0:
        return False
    if all(isinstance(item, Set) for item in items):
        return True
    if not all(isinstance(item, list) or _is_array_of_objects(item) for item in items):
        return False
    members = list(chain.from_iterable(items))
    if not members or not all(_is_object(member) for member in members):
        return False
    is_once = len(set(members)) == len(members)
    if are_ragged(items):
        return True
    if is_once and len(items) == 1 and len(members) > 1:
        raise PartitionError(
            "a single list in a list can mean several things.",
            got=repr(items)[:60],
            need="one cluster of these objects, their labels, or the memberships of one object",
            fix="HardPartition.from_clusters(clusters), labels[0], or numpy.array(memberships)",
        )
    return is_once and len(items[0]) > 1  # a column is more often labels than clusters of one object each


def are_ragged(items: Sequence[Any]) -> bool:
    """Whether these are collections of different lengths."""
    return len({len(item) if hasattr(item, "__len__") else -1 for item in items}) > 1


def _is_array_of_objects(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "iuUO"


def _is_object(member: Any) -> bool:
    """Texts, whole numbers and tuples name objects; other numbers and truth values are memberships."""
    return isinstance(member, (str, bytes, tuple)) or (
        isinstance(member, (int, np.integer)) and not isinstance(member, (bool, np.bool_))
    )


EVIDENCE, CLUSTERS, LABELS, SEVERAL, EITHER = "evidence", "clusters", "labels", "several", "either"
"""What a dictionary may be: masses, objects by cluster, labels by object, clusterings by name."""


def role_of(mapping: Mapping[Any, Any]) -> str:
    """What a dictionary is, by its keys and the types of its values."""
    if {"mass", "F"} <= set(mapping):
        return EVIDENCE
    if isinstance(mapping, Counter):
        raise PartitionError(
            "counts of labels are no clustering: which object has which is not in them.",
            got="a Counter",
            need="one label for each object",
        )
    values = list(mapping.values())
    if any(isinstance(value, (Iterator, ValuesView, KeysView)) for value in values):
        raise PartitionError(
            "the values of this dictionary can be gone through once only.",
            got=f"{type(next(iter(values))).__name__} under {next(iter(mapping))!r}",
            need="labels, or lists of objects or of labels",
            fix="{name: list(value) for name, value in given.items()}",
        )
    if all(isinstance(value, Set) for value in values):
        return CLUSTERS
    if any(_is_whole_clustering(value) for value in values):
        return SEVERAL
    if not all(isinstance(value, COLLECTIONS) for value in values) or all(
        isinstance(value, tuple) for value in values
    ):
        return LABELS  # a tuple may be a label, and is no usual collection of objects
    if len({len(value) for value in values}) > 1:
        return CLUSTERS
    members = list(chain.from_iterable(getattr(value, "tolist", lambda v=value: v)() for value in values))
    is_once = all(map(_is_object, members)) and len(set(members)) == len(members)
    return EITHER if is_once else SEVERAL


def several(found: Any) -> dict[Any, Any] | None:
    """The clusterings by name that a dictionary or a frame of label columns holds, or None if it is one."""
    if isinstance(found, Mapping) and not is_sparse(found):
        if not found:
            return {}
        role = role_of(found)
        if role == EITHER:
            raise PartitionError(
                "this dictionary can mean two things.",
                got=f"keys {list(found)[:5]}, lists of equal length that hold each value once",
                need="objects by cluster, or clusterings by name",
                fix="HardPartition.from_clusters(clusters), or {name: as_partition(labels), ...}",
            )
        return dict(found) if role == SEVERAL else None
    if is_dask_frame(found) and found.ndim == 2 and any(dtype.kind not in "bf" for dtype in found.dtypes):
        columns = label_columns(first_chunk(found))
        return columns and {name: found[name] for name in columns}
    return label_columns(found)


def refuse_other_orders(reference: Any, candidates: Mapping[Any, Any]) -> None:
    """An error where candidates name their objects in different orders and the reference names none."""
    if hasattr(reference, "iloc") or is_dask_frame(reference):
        return
    named = {name: one for name, one in candidates.items() if hasattr(one, "iloc") and not is_dask_frame(one)}
    indices = {name: one.index for name, one in named.items()}
    names = list(indices)
    for name in names[1:]:
        if not indices[name].equals(indices[names[0]]):
            raise MismatchError(
                f"{names[0]!r} and {name!r} name their objects in different orders, the reference none.",
                got=f"{list(indices[names[0]][:3])}... and {list(indices[name][:3])}...",
                need="one order, or a reference with an index",
                fix="a pandas object for the reference, or .to_numpy() on all if they are in the same order",
            )


def refuse_other_prints(reference: Any, read: Mapping[Any, Any]) -> None:
    """The same where candidates lie in chunks, when they have been read."""
    if hasattr(reference, "iloc") or is_dask_frame(reference):
        return
    prints = {name: getattr(p, "prints", None) or p.index is not None for name, p in read.items()}
    named = {name: known for name, known in prints.items() if known}
    if len(set(named.values())) > 1:
        raise MismatchError(
            "the candidates have an index, not the same in each chunk, and the reference has none.",
            got=", ".join(map(repr, [*named][:5])),
            need="the same index in the same chunks, or a reference with an index",
            fix="a dask series or frame for the reference, or .to_dask_array(lengths=True) on all if they are"
            " in the same order",
        )


def _is_whole_clustering(value: Any) -> bool:
    """Whether this can be nothing but a clustering: a partition, a model, a series, a matrix, communities."""
    return (
        isinstance(value, (Partition, Mapping))
        or is_of_dask(value)
        or (isinstance(value, list) and bool(value) and isinstance(value[0], (list, Set)))
        or graph_clustering(value) is not None
        or is_estimator(value)
        or frame_library(value) is not None
        or is_sparse(value)
        or getattr(value, "ndim", 0) >= 2
    )


def _named_members(clusters: Any) -> tuple[list[Any], list[list[Any]]]:
    """The names of clusters (their positions in a list), and the objects in each."""
    if isinstance(clusters, (str, bytes)) or is_sparse(clusters) or not isinstance(clusters, Iterable):
        raise _no_clusters_error(clusters)
    names = list(clusters) if isinstance(clusters, Mapping) else None
    given = list(clusters.values()) if isinstance(clusters, Mapping) else list(clusters)
    members = []
    for cluster in given:
        if not isinstance(cluster, COLLECTIONS) and frame_library(cluster) is None:
            raise _no_clusters_error(cluster)
        members.append(list(cluster.tolist() if isinstance(cluster, np.ndarray) else cluster))
    try:
        counted = Counter(member for cluster in members for member in set(cluster))
    except TypeError:
        raise PartitionError(
            "objects must be hashable.",
            got="an object that is a list or an array",
            need="texts, numbers, tuples, or any hashable value",
        ) from None
    if not counted:
        raise PartitionError(
            "a clustering of no objects says nothing.", got="no cluster with an object", need="at least one"
        )
    return list(range(len(members))) if names is None else names, members


def object_order(objects: Any, known: Mapping[Any, Any]) -> list[Any]:
    """The objects in the order wanted; each once, and with all that are in a cluster."""
    if objects is None:
        return list(sorted_names(known))
    try:
        order = list(objects)
        distinct = set(order)
    except TypeError:
        raise PartitionError(
            Phrase(Setting("objects"), " are no list of objects."),
            got=repr(objects)[:60],
            need="hashable names",
        ) from None
    unknown = [item for item in known if item not in distinct]
    if unknown or len(distinct) < len(order):
        raise PartitionError(
            Phrase(Setting("objects"), " do not list each object once."),
            got=f"{unknown[:5]} in the clusters are not among them ({len(unknown)} such)"
            if unknown
            else f"{len(order)} objects, {len(distinct)} of them different",
            need="every object of the clusters, once",
        )
    return order


def object_index(order: Sequence[Any]) -> Any:
    """The names of objects, as partitions are matched by them."""
    import pandas as pd

    return pd.Index(order, tupleize_cols=False)


def _overlap_error(members: Sequence[Sequence[Any]]) -> PartitionError:
    times = Counter(member for cluster in members for member in set(cluster))
    shared = [member for member, count in times.items() if count > 1]
    return PartitionError(
        "these clusters overlap, and no index here judges a cover.",
        got=f"object {shared[0]!r} is in {times[shared[0]]} of {len(members)} clusters"
        f" ({len(shared)} objects are in several)",
        need="each object in one cluster; covers need the omega index or the NMI of covers",
        fix=Phrase(
            Setting("kind", "rough", 'as_partition(clusters, kind="rough")'),
            " if each object is in one of its clusters, unknown which; RoughPartition(sets) if these are the"
            " possible clusters of each object",
        ),
    )


def _no_clusters_error(got: Any) -> PartitionError:
    return PartitionError(
        "these are no clusters.",
        got=f"{type(got).__name__} {str(got)[:40]!r}",
        need="a list of sets, lists or arrays of objects, or a dictionary of them by name",
    )
