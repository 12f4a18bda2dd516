"""Where two clusterings differ, in sentences: what became of the true clusters, and how many objects moved.

The words are those of `partita.differences`. A story names the largest few clusters of each fate, and cuts
names that are long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from partita.differences import (
    NOTHING,
    ClusterDifference,
    amount,
    amount_text,
    cluster_differences,
    object_differences,
)
from partita.inputs import Inputs
from partita.partitions import HARD, HardPartition, Partition
from partita.results.agreement import short_name
from partita.results.text_tables import one_line

__all__ = ["story_of"]

MOST_NAMED = 3
"""How many clusters of one fate a story names."""


def story_of(inputs: Inputs) -> str:
    """What became of the true clusters, and how many objects moved, in sentences."""
    if not inputs.n_objects:
        return f"there is nothing to tell: {NOTHING}"
    clusters, objects = cluster_differences(inputs), object_differences(inputs)
    noise = {name: _noise_name(p) for name, p in inputs.partitions.items()}
    n = amount(inputs.n_objects if inputs.weight is None else inputs.weight.sum())
    is_soft = set(inputs.kinds) != {HARD}
    moved, called = amount(objects.moved), inputs.called
    whole = f"whole in {called.found}" if called.are_given else "found whole"
    if not moved:
        every = f"every {called.cluster('truth')} is {whole}"
        return f"{every}; no {'membership' if is_soft else 'object'} moved"
    ending = f"{amount_text(moved)} of {amount_text(n)} objects{' by membership' if is_soft else ''} moved"
    by_fate = {
        fate: sorted(
            (r for r in clusters.rows if r.side == "truth" and r.fate == fate), key=lambda r: -r.size
        )
        for fate in ("kept", "merged", "split", "lost")
    }
    name = _Namer(noise["truth"], noise["found"])
    sentences = [
        *_kept(by_fate["kept"], name, whole),
        *_merged(by_fate["merged"], name),
        *_split(by_fate["split"], clusters.parts, name),
        *_lost(by_fate["lost"], name),
    ]
    mixtures = [r for r in clusters.rows if r.side == "found" and r.fate == "lost"]
    if mixtures:
        names = _listed([name.found(r.cluster) for r in mixtures])
        head, no = (
            (f"{names} of {called.found}" if called.are_given else f"found {names}"),
            called.cluster("truth"),
        )
        sentences.append(f"{head} {_verb(mixtures)} no {no}")
    return "; ".join([*sentences, ending])


class _Namer(NamedTuple):
    """Clusters by names that fit a sentence; noise is called so."""

    noise_of_truth: Any
    noise_of_found: Any

    def truth(self, name: Any) -> str:
        return _name(name, self.noise_of_truth)

    def found(self, name: Any) -> str:
        return _name(name, self.noise_of_found)


NO_NOISE = object()


def _name(name: Any, noise: Any) -> str:
    is_noise = noise is not NO_NOISE and type(name) is type(noise) and name == noise
    return "noise" if is_noise else short_name(one_line(str(name)))


def _noise_name(partition: Partition) -> Any:
    """The name of the cluster of noise, or a mark that there is none."""
    place = partition.noise_place if isinstance(partition, HardPartition) else None
    return NO_NOISE if place is None else partition.names[place]


def _kept(rows: Sequence[ClusterDifference], name: _Namer, found_whole: str) -> list[str]:
    whole = [r for r in rows if r.precision == r.recall == 1.0]
    nearly = [r for r in rows if not r.precision == r.recall == 1.0]
    told = []
    if whole:
        told.append(f"{_listed([name.truth(r.cluster) for r in whole])} {_verb(whole)} {found_whole}")
    if nearly:
        out = amount(sum(r.size - r.overlap for r in nearly))
        strange = amount(sum(r.overlap / r.precision - r.overlap for r in nearly))
        size = amount(sum(r.size for r in nearly))
        names = _listed([name.truth(r.cluster) for r in nearly])
        told.append(
            f"{names} {_verb(nearly)} kept, with {amount_text(out)} of"
            f" {amount_text(size)} objects elsewhere and {amount_text(strange)} of others in"
        )
    return told


def _merged(rows: Sequence[ClusterDifference], name: _Namer) -> list[str]:
    together: dict[Any, list[ClusterDifference]] = {}
    for row in rows:
        together.setdefault(row.best_match, []).append(row)
    told = [
        f"{_listed([name.truth(r.cluster) for r in group])} {_verb(group)} merged into {name.found(match)},"
        f" of which {'it is' if len(group) == 1 else 'they are'} {sum(r.precision for r in group):.0%}"
        for match, group in list(together.items())[:MOST_NAMED]
    ]
    return told + _more(len(rows) - sum(len(g) for g in list(together.values())[:MOST_NAMED]), "merged")


def _split(rows: Sequence[ClusterDifference], parts: Mapping[Any, Any], name: _Namer) -> list[str]:
    told = []
    for row in rows[:MOST_NAMED]:
        held = parts[row.cluster]
        names = _listed([name.found(found) for found, _ in held])
        sizes = _listed([amount_text(size) for _, size in held])
        told.append(f"{name.truth(row.cluster)} is split over {names} ({sizes} of {amount_text(row.size)})")
    return told + _more(len(rows) - MOST_NAMED, "split")


def _lost(rows: Sequence[ClusterDifference], name: _Namer) -> list[str]:
    told = [
        f"{name.truth(row.cluster)} is lost: its largest part, {row.recall:.0%}, is in"
        f" {name.found(row.best_match)}, of which it is {row.precision:.0%}"
        for row in rows[:MOST_NAMED]
    ]
    return told + _more(len(rows) - MOST_NAMED, "lost")


def _more(count: int, word: str) -> list[str]:
    return [f"{count} more {'is' if count == 1 else 'are'} {word}"] if count > 0 else []


def _verb(rows: Sequence[Any]) -> str:
    return "is" if len(rows) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    """The first few names: "a", "a and b", "a, b, c and 4 more"."""
    shown = list(names[:MOST_NAMED])
    if len(names) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
