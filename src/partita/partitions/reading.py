"""The door: anything that describes a clustering comes in here and leaves as a partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence, Set, ValuesView
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from partita.arrays import Column, check_flag, collected, frame_library, from_frame, is_sparse, label_columns
from partita.arrays.chunked import is_of_dask
from partita.arrays.containers import array_of
from partita.errors import MismatchError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions.chunked_reading import WITHOUT_GAPS, Looking, read_chunks
from partita.partitions.clusters import (
    CLUSTERS,
    EITHER,
    EVIDENCE,
    LABELS,
    are_clusters,
    hard_from_clusters,
    object_index,
    object_order,
    overlap,
    role_of,
    rough_from_clusters,
)
from partita.partitions.evidential import EvidentialPartition
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import EVIDENTIAL, FUZZY, HARD, ROUGH, Kind
from partita.partitions.matrices import divided_rows, from_matrix, rest_as_noise
from partita.partitions.models import (
    clustering_in,
    graph_clustering,
    is_estimator,
    refuse_annotated,
    strengths_in,
)
from partita.partitions.object_sets import (
    are_by_object,
    are_ragged_tuples,
    hold_masses,
    hold_sets,
    is_collection,
    items_of,
    mass_matrix,
)
from partita.partitions.partition import Partition
from partita.partitions.rough import RoughPartition
from partita.partitions.trees import cuts_of, is_several
from partita.partitions.unlabelled import MARK, MISSING_POLICIES, hard_with_missing


def as_partition(
    obj: Any,
    kind: Kind | str | None = None,
    *,
    X: Any = None,
    focal_sets: Any = None,
    names: Sequence[Any] | None = None,
    normalize: bool = False,
    objects: Iterable[Any] | None = None,
    k: Any = None,
    height: Any = None,
    noise: str | None = None,
    noise_label: Any = None,
    missing: str = "raise",
    background: Any = None,
    n_objects: int | None = None,
) -> Any:
    """Turn anything that describes a clustering into a partition of the most specific kind it satisfies.

    Parameters
    ----------
    obj : object
        Labels (any hashable values), an ``(n, k)`` matrix of memberships (array, list, sparse, data
        frame), masses together with ``focal_sets``, a dictionary ``{"mass": ..., "F": ...}`` as evclust
        makes them, clusters as sets or lists of objects (networkx, or a dictionary of them), with
        ``kind="rough"`` the possible clusters of each object as sets, lists or tuples, masses of sets as a
        mapping for each object, ``{("a",): 0.7, ("a", "b"): 0.3}``, a dictionary from objects to labels, a
        clustering of igraph, leidenalg, cdlib or clusim, a fitted scikit-learn clusterer or mixture, a
        linkage matrix with ``k`` or ``height``, a label image with ``background``, or a partition.
        A dask array, series or frame stays where it is: its chunks are looked at once, and not kept.
    kind : {"hard", "fuzzy", "probabilistic", "possibilistic", "rough", "evidential"}, optional
        Needed for typicalities, and for truth values ("rough": one of these, unknown which). Without it,
        labels and one-hot matrices are hard, and rows that sum to one fuzzy.
    X : (n, d) array, optional
        The data; needed for a mixture model, whose memberships depend on it.
    focal_sets : (f, k) array or list of sets, optional
        What the columns of a mass matrix stand for.
    names : sequence, optional
        Names of the clusters, one for each column.
    normalize : bool
        Divide each row by its sum first.
    objects : iterable, optional
        For clusters given as collections: all objects in the order wanted; those in no cluster are noise.
        With ``kind="rough"`` they decide whether sets are read by object or by cluster.
    k, height : number or list of numbers, optional
        For a tree of merges (SciPy's linkage, scikit-learn's ``children_``): into how many clusters, or at
        which height it is cut; several give an `Ensemble`. See `cut`.
    noise : {"rest"}, optional
        For memberships whose rows sum to less than one (hdbscan): the rest is noise, a column named -1, and
        so are rows of NaN.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    missing : {"raise", "drop", "noise"}
        What to do about labels that are None, NaN or masked: refuse, leave these objects out, or count them
        as noise. `compare` and `validate` have the same option, and leave objects out on all sides.
    background : label, optional
        For an image of labels in two or three dimensions: the label of its background, which is noise. An
        image without one is ``image.ravel()``.
    n_objects : int, optional
        How many objects there are, where sets can be read by object or by cluster; checked for anything else.

    Returns
    -------
    Partition
        `HardPartition`, `FuzzyPartition`, `PossibilisticPartition`, `RoughPartition` or
        `EvidentialPartition`.

    Examples
    --------
    >>> as_partition(["cat", "dog", "cat"]).kind
    <Kind.HARD: 'hard'>
    >>> as_partition([[0.8, 0.2], [0.1, 0.9]]).kind
    <Kind.FUZZY: 'fuzzy'>
    >>> as_partition([{"ann", "bob"}, {"cid"}]).labels.tolist()
    [0, 0, 1]
    >>> as_partition([{0}, {0}, {0, 1}], kind="rough").n_completions
    2
    """
    check_flag(normalize, "normalize")
    if not isinstance(missing, str) or missing not in MISSING_POLICIES:
        need = ", ".join(f'"{policy}"' for policy in MISSING_POLICIES)
        raise ParameterError(
            "no such way with missing labels.", got=repr(missing), need=need, parameter="missing"
        )
    if noise not in (None, "rest"):
        raise ParameterError(
            "no such reading of noise.",
            got=repr(noise),
            need='"rest" for memberships that sum to less than one, or none',
            fix="the policies for noise belong to compare, validate and the indices",
            parameter="noise",
        )
    if n_objects is not None and (
        not isinstance(n_objects, (int, np.integer)) or isinstance(n_objects, bool) or n_objects < 1
    ):
        raise ParameterError(
            Phrase(Setting("n_objects"), " must be a number of objects."),
            got=repr(n_objects)[:60],
            need="a whole number of at least 1",
            parameter="n_objects",
        )
    wanted = None if kind is None else Kind.read(kind)
    reading = Reading(
        wanted,
        X,
        focal_sets,
        names,
        normalize,
        objects,
        k,
        noise,
        noise_label,
        missing,
        background,
        n_objects=n_objects,
        height=height,
    )
    made = reading.read(obj)
    if n_objects is not None and made.n_objects != n_objects:
        raise MismatchError(
            "this clustering has another number of objects.",
            got=f"{made.n_objects} objects, n_objects={n_objects}",
            need=f"{n_objects} objects",
        )
    return made


@dataclass(frozen=True)
class Reading:
    """How an object is read: the options of `as_partition`."""

    wanted: Kind | None = None
    X: Any = None
    focal_sets: Any = None
    names: Sequence[Any] | None = None
    normalize: bool = False
    objects: Iterable[Any] | None = None
    k: Any = None
    noise: str | None = None
    noise_label: Any = None
    missing: str = "raise"
    background: Any = None
    looks: bool = True
    """Whether the range of integer labels is found now, and not by who counts them."""
    n_objects: int | None = None
    """How many objects there are, by what the user says or by the other clustering."""
    height: Any = None

    def read(self, obj: Any) -> Any:
        """The partition that an object describes."""
        if isinstance(obj, Partition):
            return self._ready(obj)
        if is_of_dask(obj):
            return self._in_chunks(obj)
        refuse_annotated(obj)
        if self.k is not None or self.height is not None:
            return self._cut(obj)
        if isinstance(obj, Mapping) and not is_sparse(obj):
            return self._mapping(obj)
        if frame_library(obj) is not None:
            return self._frame(obj)
        if is_estimator(obj):
            return self._model(obj)
        if isinstance(obj, type):
            raise PartitionError(
                "this is a class, not a clustering.",
                got=obj.__name__,
                need="labels, memberships or a fitted model",
            )
        of_network = graph_clustering(obj)
        if of_network is not None:
            form, found, names = of_network
            if form == "clusters":
                return self._clusters(found)
            made = self._labels(found, None if names is None else object_index(names))
            made.order_counts = True
            return made
        if hasattr(obj, "__dlpack__") and not isinstance(obj, np.ndarray):
            obj = _from_tensor(obj)
        if isinstance(obj, (Iterator, ValuesView, KeysView)):
            obj = list(obj)
        if self.focal_sets is not None:
            self._check_wanted(EVIDENTIAL, "focal_sets=")
            return EvidentialPartition(divided_rows(obj, self.normalize), self.focal_sets, names=self.names)
        items = items_of(obj)
        if items is not None and hold_masses(items):
            return self._masses(items, None)
        if items is not None and self._holds_sets(items):
            return self._sets(items)
        if items is not None and self.n_objects is not None and are_ragged_tuples(items) and overlap(items):
            return self._clusters(items)
        if self.objects is not None or self._holds_clusters(obj):
            return self._clusters(obj)
        if self.wanted not in (None, HARD) and items is not None and all(isinstance(i, tuple) for i in items):
            _refuse_tuples(items, self.wanted)
        if self.background is not None or _is_volume(obj):
            return self._image(obj)
        if _is_matrix(obj) or self.noise == "rest":
            return self._matrix(obj, None)
        return self._labels(obj, None)

    def _ready(self, partition: Partition) -> Any:
        if self.names is not None or self.focal_sets is not None or self.normalize:
            raise ParameterError(
                "a partition is ready: names, focal_sets and normalize belong to what it is made from.",
                got=repr(partition),
                need="these options where the partition is made",
            )
        if self.noise_label is not None and isinstance(partition, HardPartition):
            partition = partition.with_noise_label(self.noise_label)
        return partition if self.wanted is None else partition.to(self.wanted)

    def _in_chunks(self, obj: Any) -> Any:
        return read_chunks({"found": obj}, {"found": self.by_chunk()})["found"]

    def by_chunk(self) -> Looking:
        """How each chunk of an input is read; what needs all of them at once is refused."""
        refused = {
            "focal_sets": self.focal_sets,
            "objects": self.objects,
            "k": self.k,
            "height": self.height,
            "background": self.background,
            "n_objects": self.n_objects,
            "missing": None if self.missing == "raise" else self.missing,
        }
        named = next((name for name, value in refused.items() if value is not None), None)
        if named is not None:
            raise ParameterError(
                Phrase(Setting(named), " is not for inputs in chunks."),
                got=f"{named}= beside a dask array or frame",
                need="labels, memberships or typicalities without gaps",
                fix=WITHOUT_GAPS if named == "missing" else ".compute() if it fits",
                parameter=named,
            )
        return Looking("found", replace(self, X=None))

    def _labels(self, labels: Any, index: Any, names: Sequence[Any] | None = None) -> Any:
        if getattr(labels, "ndim", 1) == 0:
            raise PartitionError(
                "a single value is not a clustering.", got=repr(labels), need="one label for each object"
            )
        options: dict[str, Any] = {
            "names": names if self.names is None else self.names,
            "index": index,
            "noise_label": self.noise_label,
        }
        if self.missing == "raise":
            hard = (HardPartition if self.looks else HardPartition.not_looked_at)(labels, **options)
        else:
            hard = hard_with_missing(labels, self.missing, **options)
        return hard if self.wanted is None else hard.to(self.wanted)

    def _matrix(self, obj: Any, index: Any, names: Sequence[Any] | None = None) -> Any:
        names = names if self.names is None else self.names
        if self.noise == "rest":
            self._check_wanted(FUZZY, 'noise="rest"')
            return rest_as_noise(obj, names, index)
        return from_matrix(obj, self.wanted, names, self.normalize, index)

    def _clusters(self, clusters: Any) -> Any:
        if self.wanted is ROUGH:
            return rough_from_clusters(clusters, self.objects)
        if self.wanted is None and self.n_objects is not None and overlap(clusters):
            is_named = isinstance(clusters, Mapping)
            items = list(clusters.values()) if is_named else list(clusters)
            n_members = len(set(chain.from_iterable(items)))
            if self.n_objects in (len(items), n_members):
                return self._sets(items, list(clusters) if is_named else None)
        hard = hard_from_clusters(clusters, self.objects)
        return hard if self.wanted is None else hard.to(self.wanted)

    def _holds_sets(self, items: Sequence[Any]) -> bool:
        return self.wanted in (ROUGH, EVIDENTIAL) and not self.normalize and hold_sets(items)

    def _sets(self, items: Sequence[Any], keys: Sequence[Any] | None = None, index: Any = None) -> Any:
        """Sets that are the possible clusters of each object, or the objects of each cluster."""
        objects = None if self.objects is None else list(self.objects)
        if not are_by_object(items, self.n_objects, objects, keys):
            clusters = items if keys is None else dict(zip(keys, items, strict=True))
            if self.wanted is not ROUGH and not overlap(clusters):
                hard = hard_from_clusters(clusters, objects)
                return hard if self.wanted is None else hard.to(self.wanted)
            if self.wanted is None:
                return hard_from_clusters(clusters, objects)  # refuses what overlaps
            return rough_from_clusters(clusters, objects).to(self.wanted)
        if objects is not None and keys is not None:
            by_key = dict(zip(keys, items, strict=True))
            items, keys = [by_key[name] for name in objects], objects
        keys = objects if keys is None else keys
        if index is None and keys is not None:
            index = object_index(keys)
        rough = RoughPartition(items, names=self.names, index=index)
        return rough if self.wanted is None else rough.to(self.wanted)

    def _masses(self, items: Sequence[Any], index: Any) -> Any:
        """Mappings from sets of clusters to masses, one for each object."""
        self._check_wanted(EVIDENTIAL, "a mapping from sets to masses for each object")
        masses, sets, names = mass_matrix(items, self.names)
        return EvidentialPartition(divided_rows(masses, self.normalize), sets, names=names, index=index)

    def _holds_clusters(self, obj: Any) -> bool:
        """Whether the items are sets, or lists that a matrix of the kind wanted could not have as rows."""
        if isinstance(obj, np.ndarray) and obj.dtype.hasobject and obj.ndim == 1:
            return bool(obj.size) and all(isinstance(item, Set) for item in obj)
        if not isinstance(obj, (list, tuple)):
            return False
        if self.wanted in (None, HARD, ROUGH) and not self.normalize:
            return are_clusters(obj)
        return bool(obj) and all(isinstance(item, Set) for item in obj)

    def _frame(self, obj: Any) -> Any:
        obj = collected(obj)
        if self.focal_sets is None and self.wanted in (None, HARD) and not self.normalize:
            columns = label_columns(obj)
            if columns is not None:
                raise _several_error(columns, "columns")
        part = from_frame(obj, keeps_missing=self.missing != "raise")
        if isinstance(part, Column) and self.focal_sets is None:
            items = items_of(part.values)
            if items is not None and (hold_masses(items) or self._holds_sets(items)):
                keys = None if part.index is None else list(part.index)
                held = hold_masses(items)
                made = self._masses(items, part.index) if held else self._sets(items, keys, part.index)
                made.frame = frame_library(obj)
                return made
            if part.values.dtype == object and all(isinstance(item, Set) for item in part.values):
                names = range(len(part.values)) if part.index is None else part.index
                return self._clusters(dict(zip(names, part.values, strict=True)))
            made = self._labels(part.values, part.index, part.categories)
        elif self.focal_sets is not None or isinstance(part, Column):
            self._check_wanted(EVIDENTIAL, "focal_sets=")
            values = divided_rows(part.values, self.normalize)
            made = EvidentialPartition(values, self.focal_sets, names=self.names, index=part.index)
        else:
            made = self._matrix(part.values, part.index, part.names)
        made.frame = frame_library(obj)
        return made

    def _mapping(self, obj: Mapping[Any, Any]) -> Any:
        values = [] if {"mass", "F"} <= set(obj) else list(obj.values())
        if self.wanted is EVIDENTIAL and hold_masses(values):
            return self._masses(values, object_index(list(obj)))
        if self._holds_sets(values):
            return self._sets(values, list(obj))
        role = role_of(obj)
        if role == EVIDENCE:
            self._check_wanted(EVIDENTIAL, "a dictionary of masses")
            return EvidentialPartition(divided_rows(obj["mass"], self.normalize), obj["F"], names=self.names)
        if role in (CLUSTERS, EITHER):
            return self._clusters(obj)
        if role == LABELS:
            if self.objects is not None:
                obj = {item: obj.get(item) for item in object_order(self.objects, obj)}
            return self._labels(list(obj.values()), object_index(list(obj)))
        raise _several_error(obj, "keys")

    def _model(self, model: Any) -> Any:
        strengths = strengths_in(model)
        if strengths is not None and self.wanted is FUZZY:
            return rest_as_noise(strengths, self.names, None)
        made = replace(self, X=None).read(clustering_in(model, self.X))
        if made.index is None and hasattr(self.X, "iloc") and len(self.X) == made.n_objects:
            made.index, made.frame = self.X.index, frame_library(self.X)
        if strengths is not None:
            note = f'labels_ of this {type(model).__name__}; kind="fuzzy" takes its probabilities_'
            made.note = "; ".join(text for text in (made.note, note) if text)
        return made

    def _cut(self, obj: Any) -> Any:
        cuts = cuts_of(obj, self.k, self.height)
        made = [one if self.wanted is None else one.to(self.wanted) for one in cuts.values()]
        if not is_several(self.k, self.height):
            return made[0]
        from partita.partitions.ensemble import Ensemble

        return Ensemble(made)

    def _image(self, obj: Any) -> Any:
        try:
            image = array_of(obj)
        except (TypeError, ValueError) as problem:
            raise _no_image_error(f"{type(obj).__name__}: {problem}") from None
        if image.dtype.kind not in "iub" or image.ndim < 2:
            raise _no_image_error(f"array of shape {image.shape}, dtype {image.dtype}")
        if image.ndim == 3 and image.shape[-1] in (3, 4) and image.dtype == np.uint8:
            raise PartitionError(
                "this may be an image of colours, and labels are wanted.",
                got=f"array of shape {image.shape}, dtype uint8",
                need="one label for each pixel",
                fix="the image of labels, image.astype(int) if these are labels in three dimensions",
                parameter="background",
            )
        by_pixel = replace(self, background=None, noise_label=self.background)
        made = by_pixel._labels(image.ravel(), None)
        made.image_shape = image.shape
        made.note = f"an image of {' x '.join(map(str, image.shape))} labels, each an object"
        return made

    def _check_wanted(self, kind: Kind, what: str) -> None:
        if self.wanted not in (None, kind):
            raise ParameterError(
                f"{what} makes {'an' if kind is EVIDENTIAL else 'a'} {kind} partition.",
                got=Phrase(Setting("kind", str(self.wanted))),
                need=Phrase(Setting("kind", str(kind)), " or none"),
                parameter="kind",
            )


def read_marked(
    given: Mapping[str, Any],
    *,
    X: Any = None,
    noise_label: Any = None,
    missing: str = "raise",
    background: Any = None,
    n_objects: int | None = None,
) -> dict[str, Any]:
    """Partitions whose missing labels, where they are to be dropped, are marked: all inputs drop them.

    Sets that can be read by object or by cluster are read last, when the other inputs have said how many
    objects there are; ``n_objects`` says so where data do.
    """
    missing = MARK if missing == "drop" else missing
    reading = Reading(X=X, noise_label=noise_label, missing=missing, background=background, looks=False)
    made: dict[str, Any] = {}
    for name in sorted(given, key=lambda name: _may_be_sets(given[name])):
        may_be_sets = _may_be_sets(given[name])
        made[name] = (replace(reading, n_objects=n_objects) if may_be_sets else reading).read(given[name])
        n_objects = made[name].n_objects if n_objects is None else n_objects
    return {name: made[name] for name in given}


def _may_be_sets(obj: Any) -> bool:
    """True where the first item is a set or a list, as of clusters and of possible clusters."""
    if isinstance(obj, Mapping) and not is_sparse(obj):
        obj = list(islice(obj.values(), 1))
    elif frame_library(obj) == "pandas" and hasattr(obj, "iloc") and obj.ndim == 1 and obj.dtype == object:
        obj = list(obj.iloc[:1])
    if isinstance(obj, np.ndarray):
        obj = list(obj[:1]) if obj.ndim == 1 and obj.dtype.hasobject else ()
    return isinstance(obj, (list, tuple)) and len(obj) > 0 and is_collection(obj[0])


def _from_tensor(tensor: Any) -> Any:
    """The values of a tensor of another library (torch, JAX, CuPy), where they are in main memory."""
    try:
        return array_of(tensor)
    except (TypeError, ValueError) as problem:
        raise PartitionError(
            "the values of this tensor cannot be had.",
            got=f"{type(tensor).__name__}: {str(problem).partition(chr(10))[0]}",
            need="an array in main memory",
            fix="tensor.detach().cpu()",
        ) from None


def _no_image_error(got: str) -> PartitionError:
    return PartitionError(
        "this is no image of labels.",
        got=got,
        need="whole numbers in two or three dimensions",
        fix=Phrase(Setting("noise_label"), " names the noise of labels in one dimension"),
        parameter="background",
    )


def _is_volume(obj: Any) -> bool:
    """Whether this is an array of whole numbers in three dimensions: nothing but an image of labels is."""
    return isinstance(obj, np.ndarray) and obj.ndim == 3 and obj.dtype.kind in "iu" and obj.size > 0


def _is_matrix(obj: Any) -> bool:
    """Two or more dimensions; a list is a matrix when it holds lists, or nothing but tuples of numbers."""
    if is_sparse(obj):
        return True
    ndim = getattr(obj, "ndim", None)
    if isinstance(ndim, int):
        return ndim >= 2
    if not isinstance(obj, (list, tuple)):
        return False
    if not any(issubclass(t, (list, tuple)) or hasattr(t, "ndim") for t in set(map(type, obj))):
        return False
    rows = [item for item in obj if isinstance(item, (list, tuple)) or getattr(item, "ndim", None)]
    if rows and all(isinstance(row, tuple) for row in rows):
        return len(rows) == len(obj) and all(isinstance(cell, (int, float)) for row in rows for cell in row)
    return bool(rows)


def _refuse_tuples(items: Sequence[Any], wanted: Any) -> None:
    """An error for tuples that would become labels of a hard clustering although another kind is wanted."""
    if all(isinstance(cell, (int, float, np.number)) for item in items for cell in item):
        return
    raise PartitionError(
        f"tuples are no {wanted} clustering.",
        got=repr(list(items[:3]))[:60],
        need="memberships or typicalities, a row of numbers for each object",
        fix=Phrase(Setting("kind", "rough"), " if each tuple holds the possible clusters of an object"),
    )


def _several_error(clusterings: Mapping[Any, Any], where: str) -> PartitionError:
    names = list(clusterings)
    return PartitionError(
        "these are several clusterings, and one is wanted here.",
        got=f"{where} {', '.join(map(repr, names[:5]))}",
        need="one column of labels, numeric columns of memberships only, or one clustering",
        fix=f"[{names[0]!r}] for one of them; compare, validate and consensus take several",
    )
