"""Colours that colour-blind people tell apart, and one colour for one cluster in all figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.alignment import align
from partita.arrays import RANGE_TOLERANCE
from partita.partitions import ROUGH, EvidentialPartition, Partition, noise_name
from partita.plots.names import plain_name

__all__ = [
    "FAINT",
    "INK",
    "NOISE_COLOUR",
    "OKABE_ITO",
    "chained_colours",
    "cluster_colours",
    "is_dark",
    "mixed_colours",
    "noise_name",
    "repeated_note",
    "shade",
    "shades",
]

INK = "#101418"
"""Letters and axes; where a page has its own colour of letters, that takes its place."""

FAINT = "#8a9199"
"""Lines that only guide the eye: seen on light and on dark paper."""

NOISE_COLOUR = "#a0a0a0"

OKABE_ITO = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#F0E442",
    "#000000",
)
"""Okabe and Ito (2008); black last, which pages of dark paper show as their own ink."""

MORE = (
    "#882255",
    "#44AA99",
    "#999933",
    "#332288",
    "#DDCC77",
    "#AA4499",
    "#117733",
    "#88CCEE",
    "#CC6677",
    "#6699CC",
    "#997700",
    "#994455",
    "#004488",
    "#EECC66",
    "#EE99AA",
    "#77AADD",
    "#99DDFF",
    "#BBCC33",
    "#AAAA00",
    "#EE8866",
    "#FFAABB",
    "#225522",
    "#663333",
    "#4EB265",
)
"""For more than eight clusters: a fixed table, from the schemes of Tol (2021)."""

TABLE = OKABE_ITO + MORE


def colour_at(place: int) -> str:
    """The colour of a place; after the last one they begin again."""
    return TABLE[place % len(TABLE)]


def cluster_colours(
    partition: Partition | None = None,
    *,
    names: Sequence[Any] | None = None,
    reference: Partition | None = None,
) -> dict[str, str]:
    """A colour for each cluster, by its name as figures write it; noise is grey.

    Parameters
    ----------
    partition : Partition, optional
        Whose clusters; or ``names`` alone.
    reference : Partition, optional
        A clustering of the same objects that has its colours already: a cluster has the colour of the one
        that it is paired with by `partita.align`, and a new colour where there is none.
    """
    if partition is not None and names is None and _can_follow(partition, reference):
        assert reference is not None
        return _continued(partition, reference, cluster_colours(reference), set())
    listed = list(names if names is not None else partition.names if partition is not None else ())
    noise = None if partition is None else noise_name(partition)
    grey = {plain_name(name) for name in listed if _is(name, noise)}
    texts = [plain_name(name) for name in listed]
    places = {text: place for place, text in enumerate(t for t in texts if t not in grey)}
    return {text: NOISE_COLOUR if text in grey else colour_at(places[text]) for text in texts}


def _can_follow(partition: Partition, reference: Partition | None) -> bool:
    """Whether a clustering can take over colours: from another one, of as many objects."""
    return reference is not None and reference is not partition and reference.n_objects == partition.n_objects


def chained_colours(
    partitions: Sequence[Partition], *, start: int = 0, reference: Partition | None = None
) -> list[dict[str, str]]:
    """Colours for several clusterings of the same objects, such as those over k, each by its neighbour.

    A cluster has the colour of the one that it is paired with in the neighbouring clustering, on the way from
    ``start`` to either end; what is new there has a colour that none before it had, while there are some.

    Parameters
    ----------
    partitions : list of Partition
        In the order in which they are shown.
    start : int
        The place of the clustering that has its colours first: by ``reference``, or in their own order.
    reference : Partition, optional
        As in `cluster_colours`.
    """
    made = {start: cluster_colours(partitions[start], reference=reference)}
    used = set(made[start].values())
    if reference is not None:
        used |= set(cluster_colours(reference).values())
    for step, places in ((-1, range(start + 1, len(partitions))), (1, range(start - 1, -1, -1))):
        for place in places:
            before = place + step
            colours = _continued(partitions[place], partitions[before], made[before], used)
            made[place] = colours
            used |= set(colours.values())
    return [made[place] for place in range(len(partitions))]


def _continued(
    partition: Partition, reference: Partition, known: Mapping[str, str], used: set[str]
) -> dict[str, str]:
    """The colours of a clustering that goes on from another one, whose colours are known."""
    noise, grey = noise_name(partition), noise_name(reference)
    partners = {
        plain_name(own): plain_name(other)
        for own, other in _partners(reference, partition).items()
        if not _is(own, noise) and not _is(other, grey)
    }
    texts = [plain_name(name) for name in partition.names if not _is(name, noise)]
    colours = {text: known[partners[text]] for text in texts if partners.get(text) in known}
    taken = set(known.values()) | used
    fresh = [colour for colour in TABLE if colour not in taken]
    free = (c for c in [*fresh, *TABLE] if c not in colours.values())
    for place, text in enumerate(texts):
        if text not in colours:
            colours[text] = next(free, colour_at(place))
    named = [plain_name(name) for name in partition.names]
    return {text: colours.get(text, NOISE_COLOUR) for text in named}


def _is(name: Any, noise: Any) -> bool:
    return noise is not None and bool(name == noise)


def repeated_note(colours: Sequence[str]) -> tuple[str, ...]:
    """What is written in a figure in which clusters share colours."""
    shown = [colour for colour in colours if colour != NOISE_COLOUR]
    return (f"{len(shown)} clusters share {len(set(shown))} colours",) if len(set(shown)) < len(shown) else ()


def _partners(reference: Partition, partition: Partition) -> Mapping[Any, Any]:
    """Which cluster is which of the reference, by the objects in the order in which they stand."""
    sides = [_comparable(side) for side in (reference, partition)]
    mapping: dict[Any, Any] = align(*sides).mapping
    return mapping


def _comparable(partition: Partition) -> Any:
    """A clustering that can be aligned, without the names of its objects: these are in one order."""
    soft = partition.pignistic() if partition.kind is ROUGH else partition
    if isinstance(partition, EvidentialPartition):
        has_probabilities = bool((partition.empty_mass < 1.0 - RANGE_TOLERANCE).all())
        soft = partition.pignistic() if has_probabilities else partition.harden()
    plain = soft.take(np.arange(soft.n_objects))
    plain.index = None
    return plain


def mixed_colours(shares: Any, colours: Sequence[str]) -> list[str]:
    """For each row of shares the mixture of the colours of its clusters."""
    parts = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours], dtype=float)
    mixed = np.clip(np.rint(np.asarray(shares, dtype=float) @ parts), 0, 255).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed.tolist()]


def shade(colour: str, share: float) -> str:
    """A colour mixed with white: share 1 is the colour, 0 is white."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(255 + share * (part - 255)) for part in parts]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def shades(colour: str, count: int) -> list[str]:
    """So many shades of a colour, from the colour itself to a light one."""
    return [shade(colour, 1.0 - 0.65 * place / max(count - 1, 1)) for place in range(count)]


def is_dark(colour: str) -> bool:
    """Whether white letters are better read on this than black ones."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
