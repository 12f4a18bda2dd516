"""What a caller gave, as partitions of the same objects: aligned, with weights and noise settled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from partita.arrays import Array, frame_library, multiplicities
from partita.arrays.chunked import aligned, is_of_dask
from partita.errors import KindError, MismatchError, ParameterError, PartitionError, Phrase, Setting
from partita.partitions import (
    HARD,
    UNNAMED,
    DataMatrix,
    HardPartition,
    Kind,
    MembershipPartition,
    Partition,
    SideNames,
    alignment_note,
    complete_data,
    is_mixture,
    noise_share,
    read_marked,
    same_objects,
)
from partita.partitions.chunked import InChunks
from partita.partitions.data import FILLS
from partita.partitions.models import is_estimator, refuse_labels_of_other_data
from partita.partitions.side_names import Noise
from partita.partitions.word_columns import without_words
from partita.statistics import Contingency
from partita.statistics.tables.one_look import read_and_multiply, table_of_labels

__all__ = ["Inputs", "NOISE_POLICIES", "balanced_weights", "prepare"]

NOISE_POLICIES = ("cluster", "singletons", "ignore", "raise")
LABEL_POLICIES = ("raise", "drop", "noise")
MISSING_POLICIES = (*LABEL_POLICIES, *FILLS)
POLICIES_FOR = {"noise": "noise", "missing": "what is missing"}

NAMES_OF_NOISE = {
    "-1",
    "noise",
    "outlier",
    "outliers",
    "unassigned",
    "unclustered",
    "unlabelled",
    "unlabeled",
    "none",
}
"""Labels, in lower case, that may be meant as noise where they are not read so."""


@dataclass(frozen=True)
class Inputs:
    """Clusterings of the same objects, aligned, with noise and weights settled."""

    partitions: Mapping[str, Partition]
    n_objects: int
    weight: Array | None = None
    coverage: float = 1.0
    dropped: int = 0
    notes: tuple[str, ...] = ()
    aligned: str = ""
    """What is said where objects were dropped; it is among the notes too."""
    noisy: str = ""
    """What is said of objects that are noise; it is among the notes too."""
    frame: str | None = field(default=None, compare=False)
    X: DataMatrix | None = None
    model: Any = None
    counted: tuple[Any, Any, Contingency] | None = field(default=None, repr=False, compare=False)
    """Two clusterings whose table was made when they were read, and it."""
    called: SideNames = UNNAMED
    """What the clusterings are called."""
    noise_of: Noise = field(default_factory=dict, compare=False)
    """For each side with noise how many of its clusters are noise, and the share of the objects in them."""

    @property
    def table(self) -> Contingency | None:
        """The table of truth and found, where it was made when they were read."""
        if self.counted is None or self.weight is not None:
            return None
        truth, found, table = self.counted
        sides = self.partitions.get("truth"), self.partitions.get("found")
        return table if sides[0] is truth and sides[1] is found else None

    @property
    def is_chunked(self) -> bool:
        """Whether the objects lie in chunks that are not here."""
        return any(isinstance(p, InChunks) for p in self.partitions.values())

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the clusterings, in their order."""
        return tuple(p.kind for p in self.partitions.values())

    @cached_property
    def are_hard(self) -> bool:
        """Whether there are clusterings, and all of them are hard."""
        return set(self.kinds) == {HARD}

    def only(self, names: Collection[str]) -> Inputs:
        """The clusterings of these names, with the data; the clustering found stands for a model."""
        taken = {"found", *names} if "model" in names else names
        kept = {name: p for name, p in self.partitions.items() if name in taken}
        return self if len(kept) == len(self.partitions) else replace(self, partitions=kept)

    def blank(self) -> Inputs:
        """The same without the values that lie in chunks: what is known of the whole."""
        partitions = {name: p.blank() for name, p in self.partitions.items()}  # type: ignore[attr-defined]
        return replace(self, partitions=partitions, X=None if self.X is None else self.X.blank(), frame=None)  # type: ignore[attr-defined]

    def holding(self, parts: Sequence[Any]) -> Inputs:
        """Inputs of the objects of one chunk: the values of each clustering, of X and the weights."""
        values = iter(parts)
        partitions = {name: p.holding(next(values)) for name, p in self.partitions.items()}  # type: ignore[attr-defined]
        X = None if self.X is None else self.X.holding(next(values))  # type: ignore[attr-defined]
        n = next(iter(partitions.values())).n_objects
        weight = next(values, None)
        return replace(
            self,
            partitions=partitions,
            X=X,
            n_objects=n,
            weight=None if weight is None else aligned(weight),
        )

    def hardened(self, *, keeps_model: bool = True) -> Inputs:
        """The same with every clustering hardened."""
        hard = {name: p.harden() for name, p in self.partitions.items()}
        return replace(self, partitions=hard, model=self.model if keeps_model else None)


def prepare(
    given: Mapping[str, Any],
    *,
    noise: str = "cluster",
    sample_weight: Any = None,
    metric: str = "",
    noise_label: Any = None,
    missing: str = "raise",
    background: Any = None,
    on_chunk: Callable[[int, int], None] | None = None,
    called: SideNames = UNNAMED,
) -> Inputs:
    """Turn what a caller gave into partitions of the same objects, jointly.

    Objects are aligned by index where all sides have one, and the policies for noise and for what is missing
    are applied to all sides. With ``metric="precomputed"`` X holds distances between objects. With
    ``sample_weight="balanced"`` every true class counts the same, see `balanced_weights`. ``on_chunk`` is
    told how far the reading of inputs in chunks is.
    """
    is_balanced = isinstance(sample_weight, str)
    if isinstance(sample_weight, str):
        _check_balanced(sample_weight, given, noise)
    _check_policy("noise", noise, NOISE_POLICIES)
    _check_policy("missing", missing, MISSING_POLICIES if "X" in given else LABEL_POLICIES)
    if are_chunked(given, sample_weight):
        from partita.chunked_inputs import prepare_chunked

        return prepare_chunked(
            given,
            noise=noise,
            sample_weight=sample_weight,
            metric=metric,
            noise_label=noise_label,
            missing=missing,
            background=background,
            on_chunk=on_chunk,
            called=called,
        )
    sample_weight = None if is_balanced else sample_weight
    X = given.get("X")
    sides: dict[str, Any] = (
        {"X": _data_matrix(X, are_distances=metric == "precomputed", missing=missing)} if "X" in given else {}
    )
    if "X" in sides and sides["X"].aside and frame_library(X) is not None:
        X = without_words(X)[0]  # models were fitted without them
    policy = "raise" if missing in FILLS else missing
    together = None
    if given.keys() == {"truth", "found"} and sample_weight is None and noise_label is background is None:
        together = read_and_multiply(given["truth"], given["found"])
    if together is not None:
        sides |= zip(("truth", "found"), together, strict=False)
    else:
        sides |= read_marked(
            {name: obj for name, obj in given.items() if name != "X"},
            X=X,
            noise_label=noise_label,
            missing=policy,
            background=background,
            n_objects=sides["X"].n_objects if "X" in sides else None,
        )
    models = [obj for name, obj in given.items() if name != "X" and is_estimator(obj)]
    for one in models if X is not None else ():
        refuse_labels_of_other_data(one, X)
    model = next((obj for obj in models if is_mixture(obj)), None)
    if "model" in given and model is None:
        raise _no_mixture(given["model"])
    frame = next((p.frame for p in sides.values() if p.frame), None)
    notes = [f"{called.of(name)}: {p.note}" for name, p in sides.items() if p.note]
    given_sizes = {name: side.n_objects for name, side in sides.items()}
    sides, weight, _, dropped = same_objects(sides, sample_weight)
    sides, weight, known, missing_notes = _leave_out_unlabelled(sides, weight, called)
    sides = {name: _crisp(p) for name, p in sides.items()}
    aligned = alignment_note(sides, dropped) if dropped else ""
    notes += [aligned] * bool(dropped)
    covered, cover_notes = _share_with_truth(given_sizes, dropped, called)
    notes += cover_notes
    counted = together
    if counted is None and weight is None and sides.keys() >= {"truth", "found"}:
        made = table_of_labels(sides["truth"], sides["found"])
        counted = None if made is None else (sides["truth"], sides["found"], made)
    noise_of = _noise_clusters(sides, weight, noise)
    sides, weight, coverage, noise_notes = _settle_noise(sides, weight, noise, noise_label, called)
    if is_balanced:
        weight = balanced_weights(sides["truth"])
        notes.append(balanced_note(sides["truth"]))
    data = sides.pop("X", None)
    ready = {name: p.compacted() if isinstance(p, HardPartition) else p for name, p in sides.items()}
    nothing_left = noise == "ignore" and coverage == 0.0
    n = 0 if nothing_left else next(iter(ready.values())).n_objects
    notes += missing_notes + noise_notes
    return Inputs(
        ready,
        n,
        weight,
        covered * known * coverage,
        dropped,
        tuple(notes),
        aligned,
        noise_notes[0] if coverage < 1.0 else "",
        frame,
        data,
        model,
        counted,
        called,
        noise_of,
    )


def data_and_truth(
    X: Any, truth: Any, missing: str, metric: str = "euclidean"
) -> tuple[DataMatrix, Partition | None, tuple[str, ...]]:
    """The complete data or distances, the true clustering of the same objects, and notes on the others."""
    if metric == "precomputed":
        X = _data_matrix(X, are_distances=True, missing=missing if missing == "drop" else "raise")
    if truth is None:
        data = X.complete() if isinstance(X, DataMatrix) else complete_data(X, missing)
        return data, None, (data.note,) * bool(data.note)
    inputs = prepare({"X": X, "truth": truth}, missing=missing, metric=metric)
    assert inputs.X is not None
    return inputs.X, inputs.partitions["truth"], tuple(n for n in inputs.notes if not n.startswith("noise:"))


def _data_matrix(X: Any, *, are_distances: bool, missing: str) -> DataMatrix:
    """Data that were read already as they are, others by the policy for what is missing."""
    return X if isinstance(X, DataMatrix) else DataMatrix(X, are_distances=are_distances, missing=missing)


def are_chunked(given: Mapping[str, Any], sample_weight: Any) -> bool:
    """Whether one of the inputs lies in chunks."""
    return any(is_of_dask(one) or isinstance(one, InChunks) for one in (*given.values(), sample_weight))


def _check_policy(name: str, policy: Any, known: tuple[str, ...]) -> None:
    if not isinstance(policy, str) or policy not in known:
        need = ", ".join(f'"{p}"' for p in known)
        raise ParameterError(
            f"no such policy for {POLICIES_FOR[name]}.", got=repr(policy), need=need, parameter=name
        )


def _no_mixture(obj: Any) -> KindError:
    return KindError(
        "this index judges a fitted Gaussian mixture.",
        got=type(obj).__name__,
        need="a model with weights_, means_ and covariances_, such as scikit-learn's GaussianMixture",
        fix="fit one, or use partition_negentropy(X, found), which takes any hard or fuzzy partition",
    )


def _crisp(partition: Any) -> Any:
    """One-hot memberships as the hard partition they are, so that every index treats them alike."""
    if isinstance(partition, MembershipPartition) and partition.is_crisp:
        hard: HardPartition = partition.to(HARD)
        return hard
    return partition


def _share_with_truth(sizes: Mapping[str, int], dropped: int, called: SideNames) -> tuple[float, list[str]]:
    """What share of the found objects has a truth, and what is said where some have none."""
    if not dropped or not {"truth", "found"} <= sizes.keys():
        return 1.0, []
    common = (sum(sizes.values()) - dropped) // len(sizes)
    if common == sizes["found"]:
        return 1.0, []
    share = common / sizes["found"]
    objects = f"{common} of the {sizes['found']} objects of {called.found}"
    return share, [f"{called.truth} covers {objects}, coverage {share:.1%}"]


# --- balanced weights ---------------------------------------------------------------------------------


def _check_balanced(sample_weight: str, given: Collection[str], noise: str) -> None:
    if sample_weight != "balanced":
        raise ParameterError(
            Phrase(Setting("sample_weight"), " is no word that is known."),
            got=repr(sample_weight)[:60],
            need='one number for each object, or "balanced"',
            parameter="sample_weight",
        )
    if "truth" not in given:
        raise ParameterError(
            "without a truth there are no classes that could count the same.",
            got='sample_weight="balanced"',
            need="one number for each object, or a truth",
            parameter="sample_weight",
        )
    if noise == "singletons":
        raise ParameterError(
            "noise as singletons would let each noise object count as much as a whole class.",
            got='sample_weight="balanced", noise="singletons"',
            need='noise="cluster", "ignore" or "raise"',
            parameter="noise",
        )


def balanced_weights(truth: Any) -> Array:
    """Weights by which every true class counts the same: n / (k n_class) for each object of a class.

    They sum to n. Classes are those that have objects; noise that is kept is one of them. Whole numbers, as
    for classes of one size, stay whole.
    """
    of_objects: Array = weights_of_classes(truth)[truth.codes]
    return of_objects


def weights_of_classes(truth: Any) -> Array:
    """The balanced weight of an object of each class, in the order of their names."""
    if not isinstance(truth, HardPartition):
        raise KindError(
            "classes of a soft truth share objects, and no weights of these let all count the same.",
            got=f"a {truth.kind} truth",
            need="a hard truth",
            fix=Phrase("truth.harden(), or ", Setting("sample_weight"), " as numbers"),
        )
    filled = truth.sizes > 0
    weights = multiplicities(truth.n_objects / (np.count_nonzero(filled) * truth.sizes[filled]))
    every = np.zeros(filled.size, dtype=weights.dtype)
    every[filled] = weights
    return every


def balanced_note(truth: HardPartition) -> str:
    """What is said of balanced weights."""
    return (
        f'sample_weight="balanced": each of the {np.count_nonzero(truth.sizes)} true classes counts the same'
    )


# --- what is missing, and noise -----------------------------------------------------------------------


def _leave_out_unlabelled(
    sides: dict[str, Any], weight: Array | None, called: SideNames
) -> tuple[dict[str, Any], Array | None, float, list[str]]:
    """All sides without the objects that lack something on one of them, and what share is left."""
    marks = {name: p.unlabelled for name, p in sides.items() if getattr(p, "unlabelled", None) is not None}
    if not marks:
        return sides, weight, 1.0, []
    known = ~np.logical_or.reduce(list(marks.values()))
    counts = ", ".join(f"{int(mask.sum())} in {called.of(name)}" for name, mask in marks.items())
    if not known.any():
        raise MismatchError(
            "no object is known on all sides.", got=f"missing: {counts}", need="one object that has all"
        )
    share = float(np.average(known, weights=weight))
    kept = np.flatnonzero(known)
    left = {name: _without_mark(p.take(kept), was=p) for name, p in sides.items()}
    note = f"missing: {counts}; these objects are left out, coverage {share:.1%}"
    return left, None if weight is None else weight[kept], share, [note]


def _without_mark(taken: Any, *, was: Any) -> Any:
    """A side without the label that missing ones were given, unless objects had it before."""
    mark = getattr(was, "unlabelled", None)
    if mark is None:
        return taken
    taken.unlabelled = None
    if not isinstance(taken, HardPartition):
        return taken
    code = int(was.codes[mark][0])
    if code != was.n_clusters - 1 or bool((taken.codes == code).any()):
        return taken
    label = None if type(taken.noise_label) is int and taken.noise_label == -1 else taken.noise_label
    made = HardPartition.from_codes(
        taken.codes, taken.names[:-1], index=taken.index, note=taken.note, noise_label=label
    )
    made.frame = taken.frame
    return made


def _noise_labels(partitions: Mapping[str, Any]) -> Any:
    """The label of noise that a partition was told, if one was."""
    told = (getattr(p, "noise_label", None) for p in partitions.values())
    return next((label for label in told if label is not None), None)


def silent_noise(
    partitions: Mapping[str, Any], policy: str, noise_label: Any, called: SideNames = UNNAMED
) -> list[str]:
    """What is said where noise was spoken of and none was found."""
    if policy == "cluster" and noise_label is None and _noise_labels(partitions) is None:
        return []
    told = noise_label if noise_label is not None else _noise_labels(partitions)
    wanted = "-1 beside non-negative labels" if told is None else repr(told)
    suspects = [
        f"{label!r} in {called.of(name)}"
        for name, p in partitions.items()
        if isinstance(p, HardPartition) and p.n_clusters <= 10_000
        for label in p.names
        if isinstance(label, str) and label.strip().lower() in NAMES_OF_NOISE
    ]
    ask = f"; noise_label= if {', '.join(suspects[:3])} is noise" if suspects else ""
    return [f"no object is labelled {wanted}, so nothing is noise{ask}"]


def _noise_clusters(sides: Mapping[str, Any], weight: Array | None, policy: str) -> Noise:
    """Which clusters of each side are noise and count as clusters: one, each such object, or none."""
    if policy == "ignore":
        return {}
    shares = {name: noise_share(p, weight) for name, p in sides.items() if isinstance(p, Partition)}
    each = policy == "singletons"
    return {
        name: (_count_of(sides[name].noise_mask, weight) if each else 1, share)
        for name, share in shares.items()
        if share is not None
    }


def _count_of(mask: Array | None, weight: Array | None) -> int:
    """How many objects are noise; one where the noise is a column of memberships."""
    if mask is None:
        return 1
    return int(np.sum(mask if weight is None else np.where(mask, weight, 0)))


def _settle_noise(
    partitions: dict[str, Any], weight: Array | None, policy: str, noise_label: Any, called: SideNames
) -> tuple[dict[str, Any], Array | None, float, list[str]]:
    masks = {name: p.noise_mask for name, p in partitions.items()}
    noisy = {name: mask for name, mask in masks.items() if mask is not None}
    if not noisy:
        return partitions, weight, 1.0, silent_noise(partitions, policy, noise_label, called)
    n = next(iter(partitions.values())).n_objects
    anywhere = np.zeros(n, dtype=bool)
    for mask in noisy.values():
        anywhere |= mask
    coverage = float(np.average(~anywhere, weights=weight))
    counts = {called.of(name): int(mask.sum()) for name, mask in noisy.items()}
    notes = noise_notes(counts, coverage, policy)
    if policy == "ignore" and coverage > 0.0:
        kept = np.flatnonzero(~anywhere)
        partitions = {name: p.take(kept) for name, p in partitions.items()}
        weight = None if weight is None else weight[kept]
    elif policy == "singletons":
        if weight is not None:
            partitions, weight, masks = _repeat_noise(partitions, weight, anywhere)
        partitions = {name: _noise_as_singletons(name, p, masks[name]) for name, p in partitions.items()}
    return partitions, weight, coverage, notes


def noise_notes(counts: Mapping[str, int], coverage: float, policy: str) -> list[str]:
    """What is said of so many noise objects on each side; an error where there may be none."""
    listing = ", ".join(f"{count} in {name}" for name, count in counts.items())
    if policy == "raise":
        raise PartitionError(
            "there is noise.",
            got=f"noise objects: {listing}",
            need="no noise, as noise='raise' demands",
            fix=Phrase(Setting("noise", "cluster"), ', "singletons" or "ignore"'),
        )
    return [f'noise: {listing}; coverage {coverage:.1%}; policy "{policy}"']


def _repeat_noise(
    partitions: dict[str, Any], weight: Array, anywhere: Array
) -> tuple[dict[str, Any], Array, dict[str, Array | None]]:
    """A noise object of weight 3 is three singletons: repeat it."""
    if weight.dtype.kind != "i":
        raise ParameterError(
            "a fraction of an object cannot be a singleton.",
            got="fractional weights on noise",
            need="whole-number weights",
            fix=Phrase(Setting("noise", "cluster"), ' or "ignore"'),
        )
    rows = np.repeat(np.arange(weight.size), np.where(anywhere, weight, 1))
    repeated = {name: p.take(rows) for name, p in partitions.items()}
    return repeated, np.where(anywhere, 1, weight)[rows], {name: p.noise_mask for name, p in repeated.items()}


def _noise_as_singletons(name: str, partition: Partition, mask: Array | None) -> Partition:
    if mask is None:
        return partition
    if not isinstance(partition, HardPartition):
        raise ParameterError(
            f"noise cannot become singletons in a {partition.kind} partition.",
            got=f"{name}: {partition!r}",
            need="a hard partition",
            fix=Phrase(Setting("noise", "ignore"), ", or harden() first"),
        )
    codes = partition.codes.copy()
    codes[mask] = partition.n_clusters + np.arange(int(mask.sum()))
    made = HardPartition(codes, index=partition.index)  # positions from 0 on: no noise is left
    made.note, made.frame = partition.note, partition.frame
    return made
