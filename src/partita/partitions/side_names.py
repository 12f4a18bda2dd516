"""The names of the two clusterings of a comparison, and their numbers of clusters, as people read them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from partita.arrays import Array, dense
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions.hard import HardPartition
from partita.partitions.kinds import FUZZY

NOISE_LABEL = -1
"""The column of noise of fuzzy clusterings."""

DIRECTIONS = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c")
"""Characters that turn the direction of what follows."""

Noise = Mapping[str, tuple[int, float]]
"""For each side with noise how many of its clusters are noise, and the share of the objects in them."""


def plain_name(name: Any) -> str:
    """A name as text in one line: what does not print, or turns the direction of text, as its code."""
    text = " ".join(str(name).split())
    return "".join(_shown(c) for c in text) or "''"


def _shown(letter: str) -> str:
    hidden = letter in DIRECTIONS or unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn")
    return f"\\u{ord(letter):04x}" if hidden and letter != "\u200d" else letter


@dataclass(frozen=True)
class SideNames:
    """What two clusterings are called: "truth" and "found", or names that the user gave.

    "True" is said of the clusters of a truth only, so not where the sides have names of their own.
    """

    truth: str = "truth"
    found: str = "found"

    @classmethod
    def read(cls, names: Any) -> SideNames:
        """The names that a user gave: two different texts, the reference first."""
        if names is None:
            return cls()
        given = list(names) if isinstance(names, (list, tuple)) else []
        texts = [plain_name(name) if name.strip() else "" for name in given if isinstance(name, str)]
        if len(texts) != 2 or len(given) != 2 or not all(texts) or texts[0] == texts[1]:
            raise ParameterError(
                Phrase(Setting("names"), " must name both clusterings."),
                got=repr(names)[:80],
                need='two different texts, the reference first: ("run A", "run B")',
                parameter="names",
            )
        return cls(*texts)

    def beside(self, found: Any) -> SideNames:
        """The reference beside one of several clusterings, which has a name of its own."""
        name = plain_name(found)
        return replace(self, found=name) if self.are_given and name != self.truth else self

    @property
    def are_given(self) -> bool:
        """True for names of the user."""
        return (self.truth, self.found) != ("truth", "found")

    def of(self, side: str) -> str:
        """The name of a side; of anything else its own."""
        return {"truth": self.truth, "found": self.found}.get(side, side)

    def cluster(self, side: str, noun: str = "cluster") -> str:
        """One cluster of a side: "true cluster", or "cluster of run A"."""
        if self.are_given:
            return f"{noun} of {self.of(side)}"
        return f"{self._plain(side)} {noun}"

    def renamed(self, text: str) -> str:
        """What an index says of "truth" and "found", with the names."""
        if not self.are_given:
            return text
        for side in ("truth", "found"):
            text = text.replace(f"{self._plain(side)} cluster", self.cluster(side))
            name = self.of(side).replace("\\", r"\\")
            text = re.sub(rf"\b{side}(?= (has|held)\b)", name, text)
        return text

    @staticmethod
    def _plain(side: str) -> str:
        return "true" if side == "truth" else "found"

    def clusters(self, side: str) -> str:
        """Its clusters: "true clusters", or "clusters of run A"."""
        return self.cluster(side, "clusters")


UNNAMED = SideNames()
"""Truth and found, as they are called where the user gives no names."""


def noise_name(partition: Any) -> Any:
    """The name of the cluster that is noise, or None: of hard and fuzzy clusterings with such objects."""
    if isinstance(partition, HardPartition):
        return None if partition.noise_place is None else partition.names[partition.noise_place]
    return NOISE_LABEL if partition.kind is FUZZY and partition.noise_mask is not None else None


def noise_share(partition: Any, weight: Array | None = None) -> float | None:
    """The share of the objects in the cluster of noise, by membership; None where there is none."""
    if isinstance(partition, HardPartition):
        chunked: Any = partition if hasattr(partition, "counts") else None  # which has no mask
        if chunked is not None:
            return chunked.counts[chunked.noise_name] / chunked.n_objects if chunked.may_have_noise else None
        mask = partition.noise_mask
        return None if mask is None else float(np.average(mask, weights=weight))
    if partition.kind is not FUZZY:
        return None
    numbers = [name for name in partition.names if type(name) is int]
    if min(numbers, default=0) != NOISE_LABEL:
        return None
    place = list(partition.names).index(NOISE_LABEL)
    if weight is None:
        return float(partition.sizes[place] / partition.n_objects)
    column = dense(partition.memberships()[:, [place]]).ravel()
    return float(np.average(column, weights=weight))


def n_without_noise(partition: Any) -> int:
    """The number of clusters, without that of noise."""
    return int(partition.n_clusters) - (noise_share(partition) is not None)


def share_text(share: float) -> str:
    """A share in per cent: "12 %", and "<1 %" for what is less but not nothing."""
    if 0.0 < share < 0.01:
        return "<1 %"
    return ">99 %" if 0.99 < share < 1.0 else f"{100.0 * share:.0f} %"


def count_text(k: int, noise: tuple[int, float] | None = None) -> str:
    """A number of clusters in words; noise is not counted as one: "39 clusters and noise (12 %)"."""
    count = k if noise is None else k - noise[0]
    words = "1 cluster" if count == 1 else f"{count} clusters"
    if noise is None:
        return words
    return f"{words if count else 'no cluster'} and noise ({share_text(noise[1])})"


def side_text(kind: Any, name: str, k: int, noise: tuple[int, float] | None = None) -> str:
    """A clustering in a title: "hard found (k=3)", or "hard found with 39 clusters and noise (12 %)"."""
    called = f"{kind} {name}".strip()
    return f"{called} (k={k})" if noise is None else f"{called} with {count_text(k, noise)}"


def described(name: str, partition: Any) -> str:
    """A partition in a title, with its number of clusters."""
    share = noise_share(partition)
    return side_text(partition.kind, name, partition.n_clusters, None if share is None else (1, share))
