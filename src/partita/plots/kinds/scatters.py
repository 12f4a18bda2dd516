"""Scatters: objects in a plane, coloured by their clusters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from partita.arrays import Array, Floats, is_sparse
from partita.cluster.merged_mixture import standardised
from partita.errors import ParameterError, near_names
from partita.inputs import prepare
from partita.partitions import HARD, DataMatrix, HardPartition, Partition, is_mixture
from partita.partitions.models import last_step, preparing_steps
from partita.plots.answers import titled
from partita.plots.figures import FigureData, NoFigureError, Record, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import (
    FAINT,
    NOISE_COLOUR,
    cluster_colours,
    mixed_colours,
    repeated_note,
    shades,
)
from partita.plots.planes import Plane, feature_plane, given_plane, hull_of, principal_plane
from partita.plots.soft_shares import NOISE, SoftShares, details, finding, soft_shares
from partita.plots.thinning import thinned, thinning_note
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.choices import Decision
from partita.statistics import GivenMixture
from partita.validation import Validation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["levels", "scatter"]

scatter = figure_kind("scatter", "objects in a plane, coloured by their clusters")
levels = figure_kind("levels", "two nested levels of clusters: the coarser as colours, the finer as shades")

SHARE_IN_ELLIPSE = 0.95
RADIUS = math.sqrt(-2 * math.log(1 - SHARE_IN_ELLIPSE))
"""In standard deviations: so much of a plane normal law lies inside."""

MOST_HULLS = 30
"""Clusters that have hulls or ellipses drawn; more would hide the objects."""

MOST_IN_LEGEND = 12

SIZE_STEPS = (0.05, 0.2, 0.35, 0.5)
SIZES = (9.0, 18.0, 30.0, 44.0, 60.0)
"""Areas of points, in square points of print, below and above these uncertainties."""

MOST_FILLED = 6
"""Hulls that are filled; more would make mud of their colours."""

FEW = 300
"""Objects whose points are drawn larger."""

MOST_VECTORS = 1000
"""Points that are drawn as such; more are rasterised, so that files stay small."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What a scatter is made of.

    Attributes
    ----------
    found : Partition
        The clustering, whose colours are wanted.
    given : DataMatrix or None
        The data in their own units.
    clustered : DataMatrix or None
        The same as they were clustered; the very same object where nothing was scaled.
    scaler : object
        What made them so, where it is known.
    mixture : fitted model or None
        A mixture that was fitted to the data as they were clustered.
    notes : tuple of str
        Notes of the figure.
    answer : Decision or None
        The result whose answer this clustering is.
    finer : array of str or None
        For each object its cluster of the finer level.
    """

    found: Partition
    given: DataMatrix | None = None
    clustered: DataMatrix | None = None
    scaler: Any = None
    mixture: Any = None
    notes: tuple[str, ...] = ()
    answer: Decision | None = None
    finer: Array | None = None


@scatter.of(Partition)
def scatter_of_partition(
    result: Partition,
    *,
    X: Any = None,
    features: Sequence[Any] | None = None,
    coordinates: Any = None,
    coordinates_name: str = "coordinate",
    reference: Partition | None = None,
) -> FigureData:
    """The objects of a clustering; the data or coordinates must be given."""
    if X is None and coordinates is None:
        raise NoFigureError(
            "a clustering alone has no place for its objects.",
            got=repr(result)[:80],
            need="X=, the data, or coordinates=, a point for each object",
            parameter="X",
        )
    subject = Subject(result)
    if X is not None:
        if is_sparse(X):
            raise _no_data("X is sparse.", "an (n, d) array or frame, or coordinates=")
        inputs = prepare({"X": X, "found": result})
        notes = (inputs.aligned,) if inputs.aligned else ()
        subject = Subject(inputs.partitions["found"], inputs.X, inputs.X, notes=notes)
    known = cluster_colours(result, reference=reference)
    return _figure(subject, known, features, coordinates, coordinates_name)


@scatter.of(ChoiceOfK, usual=True)
def scatter_of_choice(
    result: ChoiceOfK,
    *,
    k: int | None = None,
    features: Sequence[Any] | None = None,
    coordinates: Any = None,
    coordinates_name: str = "coordinate",
    reference: Partition | None = None,
) -> FigureData:
    """The clusters of the answer, or those at another k; one cluster where there is no structure."""
    subject = _subject_of(result)
    if k is not None:
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k not in result.partitions:
            raise ParameterError(
                f"there is no fit with k = {k}.",
                got=repr(k),
                need=f"one of {list(result.partitions)}",
                parameter="k",
            )
        if k != result.k:
            note = f"k = {k} is shown; the answer: {titled(result)}"
            subject = replace(subject, found=result.partitions[int(k)], answer=None, notes=(note,))
    found, at = subject.found, k or result.k
    if found.kind is not HARD and at is not None and result.refit is not None:
        model = result.refit(int(at), result.fit_at(int(at)).seed)
        if is_mixture(last_step(model)) and not preparing_steps(model):
            subject = replace(subject, mixture=last_step(model))
    known = cluster_colours(found, reference=reference)
    return _figure(subject, known, features, coordinates, coordinates_name)


@scatter.of(ChoiceOfClustering, ChoiceOfValue, usual=True)
def scatter_of_candidate(
    result: ChoiceOfClustering,
    *,
    name: Any = None,
    features: Sequence[Any] | None = None,
    coordinates: Any = None,
    coordinates_name: str = "coordinate",
    reference: Partition | None = None,
) -> FigureData:
    """The clusters of the answer, or those of another candidate by its name or value."""
    subject = _subject_of(result)
    if name is not None:
        shown = next((c for c in result.candidates if name in c.names), None)
        if shown is None or shown.partition is None:
            names = [str(one) for c in result.candidates for one in c.names]
            raise near_names(str(name), names, noun="candidate", parameter="name")
        if shown is not result.chosen:
            note = f"{short_name(name)} is shown; the answer: {titled(result)}"
            subject = replace(subject, found=shown.partition, answer=None, notes=(*subject.notes, note))
    known = cluster_colours(subject.found, reference=reference)
    return _figure(subject, known, features, coordinates, coordinates_name)


def _subject_of(result: Decision) -> Subject:
    """The clusters of an answer with the data; all objects are one cluster where there is no structure."""
    notes: tuple[str, ...] = ()
    if isinstance(result, ChoiceOfK):
        given, scaler = result.given, result.scaler
        clustered = given if scaler is None or result.data is None else DataMatrix(result.data)
    else:
        given, scaler = None if result.evidence is None else _with_features(result), None
        clustered = given
        notes = ("the data as they were scaled",) if result.provenance.get("scale") else ()
    if given is None or clustered is None:
        raise _no_data(
            f"this {type(result).__name__} was read from a file and has no data.",
            'the result itself; kind="curves" needs no data',
        )
    if clustered is given and result.is_rescaled:
        clustered = DataMatrix(standardised(np.asarray(given.values, dtype=np.float64)))
    found = result.clustering if isinstance(result, ChoiceOfK) else result.partition
    if found is None:
        found = HardPartition(np.zeros(given.n_objects, np.int64))
    return Subject(found, given, clustered, scaler, notes=notes, answer=result)


def _with_features(result: Decision) -> DataMatrix:
    """The data of a choice among clusterings, with the names of their columns where these are known."""
    assert result.evidence is not None
    data = DataMatrix(result.evidence.data, are_distances=result.evidence.metric == "precomputed")
    names = getattr(result, "features", ())
    data.features = tuple(names) if len(names) == data.shape[1] else ()
    return data


@levels.of(ChoiceOfK, ChoiceOfClustering, ChoiceOfValue)
def levels_of_answer(
    result: Decision,
    *,
    features: Sequence[Any] | None = None,
    coordinates: Any = None,
    coordinates_name: str = "coordinate",
    reference: Partition | None = None,
) -> FigureData:
    """The clusters of the coarser level as colours, those of the finer level within them as shades."""
    if len(result.levels) < 2:
        raise NoFigureError(
            "this answer has one level.", got=titled(result), need="two nested levels", fix='kind="scatter"'
        )
    subject = _subject_of(result)
    coarse, fine = result.levels
    is_answer = coarse is result.scored  # others may have colours too light for shades
    known = cluster_colours(coarse.partition, reference=reference if is_answer else None)
    subject = replace(subject, found=coarse.partition, finer=_within(coarse.labels, fine.labels))
    data = _figure(subject, known, features, coordinates, coordinates_name)
    title = titled(result, f"{fine.k} clusters within {coarse.k}")
    note = "a colour is a cluster of the coarser level, its shades are clusters of the finer level"
    return replace(
        data,
        kind="levels",
        title=title,
        description=f"{title}. {data.description.partition('. ')[2]} {note}.",
        notes=(note, *data.notes),
    )


def _within(coarse: Array, fine: Array) -> Array:
    """For each object its finer cluster, called by the coarser one that holds most of it: "1.0", "1.1"."""
    names, times = {-1: NOISE}, Counter[int]()
    for label in dict.fromkeys(fine.tolist()):
        if label >= 0:
            home = Counter(coarse[fine == label].tolist()).most_common(1)[0][0]
            names[label] = f"{home}.{times[home]}"
            times[home] += 1
    return np.array([names[label] for label in fine.tolist()])


@scatter.of(Validation)
def scatter_of_validation(
    result: Validation,
    *,
    features: Sequence[Any] | None = None,
    coordinates: Any = None,
    coordinates_name: str = "coordinate",
    reference: Partition | None = None,
) -> FigureData:
    """The objects of a clustering that was judged by its data."""
    inputs = result.inputs
    if inputs is None:
        raise _no_data("this result was read from a file and has no data.", "what validate returned")
    found = inputs.partitions["found"]
    given = result.given if result.given is not None else inputs.X
    scaled = inputs.X is not None and given is not None and inputs.X.values is not given.values
    subject = Subject(found, given, inputs.X if scaled else given, mixture=None if scaled else inputs.model)
    known = cluster_colours(found, reference=reference)
    return _figure(subject, known, features, coordinates, coordinates_name)


def _no_data(what: str, need: str) -> NoFigureError:
    return NoFigureError(what, got="no data with features", need=need)


# --- what is drawn -----------------------------------------------------------------------------------------


def _figure(
    subject: Subject, known: dict[str, str], features: Any, coordinates: Any, coordinates_name: Any
) -> FigureData:
    if coordinates is not None:
        placed = prepare({"X": coordinates, "found": subject.found})
        assert placed.X is not None
        aligned = (placed.aligned,) if placed.aligned else ()
        subject = replace(subject, found=placed.partitions["found"], notes=(*subject.notes, *aligned))
        plane = given_plane(placed.X, str(coordinates_name))
    else:
        plane = _plane(subject, features)
    shares = soft_shares(subject.found)
    colours = shares.colours(known)
    inner = shares.own if subject.finer is None else np.unique(subject.finer, return_inverse=True)[1]
    rows = thinned(inner)
    has_clusters = subject.answer is None or subject.answer.k is not None
    hulls = _hulls(plane, shares) if shares.is_hard and plane.y and has_clusters else []
    ellipses = [] if shares.is_hard else _ellipses(plane, subject.mixture, shares)
    title = finding(shares) if subject.answer is None else titled(subject.answer, details(shares))
    outlines = _outlines(hulls, ellipses, shares)
    noise = None if shares.noise is None else shares.names[shares.noise]
    points = _points(subject.found, plane, shares, rows, colours)
    if subject.finer is not None:
        noise = NOISE
        _shade(points, subject.finer[rows].tolist(), dict(zip(shares.names, colours, strict=True)))
    return FigureData(
        kind="scatter",
        title=title,
        description=f"{title}. Objects as points, {plane.x} to the right"
        f"{f' and {plane.y} upwards' if plane.y else ''}, in the colour of their cluster"
        f"{'' if shares.is_hard else ', mixed by ' + shares.word + '; larger points are less sure'}."
        f"{f' With {outlines}.' if hulls else f' The {outlines}.' if ellipses else ''}",
        records=tuple(points),
        x=plane.x,
        y=plane.y,
        facts={
            "colours": dict(zip(shares.names, colours, strict=True)),
            "sizes": dict(zip(shares.names, shares.sizes.tolist(), strict=True)),
            "is_soft": not shares.is_hard,
            "word": shares.word,
            "hulls": hulls,
            "ellipses": ellipses,
            "noise": noise,
        },
        notes=(
            *shares.notes,
            *subject.notes,
            *plane.notes,
            *thinning_note(rows.size, shares.n_objects, np.unique(inner).size),
            *([outlines] if outlines else []),
            *repeated_note(colours),
        ),
        size=(6.8, 4.6),
    )


def _plane(subject: Subject, features: Any) -> Plane:
    """The two features asked for, or the only ones there are, or principal components."""
    given, clustered = subject.given, subject.clustered
    if given is None or clustered is None or given.are_distances:
        raise _no_data("distances between objects have no features.", "the data, or coordinates=")
    d = given.values.shape[1]
    if features is not None:
        if isinstance(features, str) or not isinstance(features, Sequence) or len(features) != 2:
            raise ParameterError(
                "features are not two.", got=repr(features)[:60], need='("a", "b")', parameter="features"
            )
    elif d <= 2:
        features = range(d)
    is_scaled = clustered is not given
    if features is None:
        plane = principal_plane(clustered)
        units = "scaled data" if is_scaled else "data in their own units"
        return replace(plane, notes=(f"principal components of the {units}",))
    scale, zero = np.ones(d), np.zeros(d)
    if subject.scaler is not None:
        ends = subject.scaler.inverse_transform(np.vstack([zero, scale]))
        scale, zero = ends[1] - ends[0], ends[0]
    return feature_plane(given, list(features), None if is_scaled and subject.scaler is None else scale, zero)


def _hulls(plane: Plane, shares: SoftShares) -> list[Record]:
    """The hull of each cluster, from all of its objects."""
    if len(shares.names) > MOST_HULLS:
        return []
    order = np.argsort(shares.own, kind="stable")
    ends = np.cumsum(np.bincount(shares.own, minlength=len(shares.names)))
    parts = np.split(plane.points[order], ends[:-1])
    found = [
        {"cluster": shares.names[j], "corners": hull_of(points)}
        for j, points in enumerate(parts)
        if j != shares.noise and len(points)
    ]
    return [hull for hull in found if hull["corners"]]


def _ellipses(plane: Plane, mixture: Any, shares: SoftShares) -> list[Record]:
    """For each component of a mixture the ellipse that holds most of it, as the plane shows it."""
    if mixture is None or plane.linear is None or not 0 < len(shares.names) <= MOST_HULLS:
        return []
    model = GivenMixture.of(mixture)
    if model.means_.shape != (len(shares.names), len(plane.linear.origin)):
        return []
    centres = plane.linear.of(model.means_)
    spreads = [plane.linear.covariance(one) for one in model.covariance_matrices()]
    if not np.isfinite(centres).all() or not np.isfinite(spreads).all():
        return []
    return [_ellipse(*one) for one in zip(shares.names, centres, spreads, strict=True)]


def _ellipse(name: str, centre: Floats, spread: Floats) -> Record:
    """Its middle, its two widths, and by how many degrees the larger one is turned."""
    squares, axes = np.linalg.eigh(spread)
    low, high = (2 * RADIUS * np.sqrt(np.maximum(squares, 0.0))).tolist()
    angle = math.degrees(math.atan2(axes[1, 1], axes[0, 1])) % 180
    return {
        "cluster": name,
        "x": float(centre[0]),
        "y": float(centre[1]),
        "width": high,
        "height": low,
        "angle": angle,
    }


def _outlines(hulls: list[Record], ellipses: list[Record], shares: SoftShares) -> str:
    if hulls:
        return f"hulls of all {shares.n_objects - int(shares.is_noise.sum()):,} objects in clusters"
    if ellipses:
        return f"ellipses hold {SHARE_IN_ELLIPSE:.0%} of each component of the mixture, seen in this plane"
    return ""


def _points(
    found: Partition, plane: Plane, shares: SoftShares, rows: Array, colours: Sequence[str]
) -> list[Record]:
    labels = found.index if found.index is not None else range(found.n_objects)
    places = plane.points[rows].tolist()
    return [
        {
            "object": plain_name(labels[row]),
            "x": x,
            "y": y,
            "cluster": shares.names[own],
            "share": round(largest, 4),
            "colour": colour,
        }
        for row, (x, y), own, largest, colour in zip(
            rows.tolist(),
            places,
            shares.own[rows].tolist(),
            shares.largest[rows].tolist(),
            mixed_colours(shares.at(rows), colours),
            strict=True,
        )
    ]


def _shade(points: list[Record], finer: Sequence[str], colours: Mapping[str, str]) -> None:
    """Give each object the name of its finer cluster, and a shade of the colour of the coarser one."""
    within: dict[str, list[str]] = {}
    for name in sorted(set(finer)):
        within.setdefault(name.rpartition(".")[0], []).append(name)
    within.pop("", None)
    shaded = {NOISE: NOISE_COLOUR} | {
        name: colour
        for home, names in within.items()
        for name, colour in zip(names, shades(colours[home], len(names)), strict=True)
    }
    for point, name in zip(points, finer, strict=True):
        point |= {"cluster": name, "colour": shaded[name]}


# --- drawing -----------------------------------------------------------------------------------------------


@levels.drawn
@scatter.drawn
def draw_scatter(ax: Axes, data: FigureData) -> None:
    """Points, the surest first, so that those in doubt lie on top; hulls and ellipses below."""
    _draw_outlines(ax, data)
    doubt = np.array([1.0 - share for share in data.column("share")])
    level = np.digitize(doubt, SIZE_STEPS)
    is_noise = np.array([name == data.facts["noise"] for name in data.column("cluster")])
    place = np.column_stack([data.column("x"), data.column("y")])
    colours = data.column("colour")
    factor, is_dense = _size_factor(data), len(data.records) > MOST_VECTORS
    groups = [(is_noise, "x", SIZES[1], 0.8)]
    groups += [
        (~is_noise & (level == i), "o", size, 0.0 if is_dense else 0.3) for i, size in enumerate(SIZES)
    ]
    for chosen, marker, size, line in groups:
        if chosen.any():
            ax.scatter(
                place[chosen, 0],
                place[chosen, 1],
                s=factor * size,
                c=[colours[i] for i in np.flatnonzero(chosen)],
                marker=marker,
                linewidths=line,
                edgecolors=None if marker == "x" else "white",
                rasterized=is_dense,
                zorder=3,
            )
    ax.set_xlabel(short_name(data.x, 60))
    ax.set_ylabel(short_name(data.y, 40) if data.y else "")
    if not data.y:
        ax.set_yticks([])
    ax.locator_params(nbins=6)
    _draw_legend(ax, data)


def _size_factor(data: FigureData) -> float:
    """Few points are drawn larger, many smaller."""
    return 1.8 if len(data.records) <= FEW else 0.5 if len(data.records) > MOST_VECTORS else 1.0


def _draw_outlines(ax: Axes, data: FigureData) -> None:
    from matplotlib.patches import Ellipse, Polygon

    colours = data.facts["colours"]
    for hull in data.facts["hulls"]:
        colour = colours[hull["cluster"]]
        ax.add_patch(Polygon(hull["corners"], fill=False, edgecolor=colour, linewidth=0.8, gid="hull"))
        if len(data.facts["hulls"]) <= MOST_FILLED:
            ax.add_patch(Polygon(hull["corners"], facecolor=colour, alpha=0.12, linewidth=0))
    for one in data.facts["ellipses"]:
        shape = (one["x"], one["y"]), one["width"], one["height"]
        outline = Ellipse(*shape, angle=one["angle"], fill=False, linewidth=1.2, gid="ellipse")
        outline.set_edgecolor(colours[one["cluster"]])
        ax.add_patch(outline)
    ax.autoscale_view()


def _draw_legend(ax: Axes, data: FigureData) -> None:
    from matplotlib.lines import Line2D

    def mark(colour: str, size: float, text: str, marker: str = "o") -> Line2D:
        return Line2D(
            [], [], color=colour, marker=marker, markersize=math.sqrt(size), linestyle="", label=text
        )

    sizes, noise = data.facts["sizes"], data.facts["noise"]
    listed = [name for name in data.facts["colours"] if sizes[name] > 0]
    if len(listed) > MOST_IN_LEGEND:
        largest = set(sorted(listed, key=lambda name: -sizes[name])[: MOST_IN_LEGEND - 1])
        kept = [name for name in listed if name in largest]
    else:
        kept = listed
    handles = [
        mark(data.facts["colours"][name], SIZES[2], short_name(name, 18), "x" if name == noise else "o")
        for name in kept
    ]
    if len(kept) < len(listed):
        handles.append(mark("none", SIZES[2], f"and {len(listed) - len(kept)} more"))
    title = "coarser cluster" if data.kind == "levels" else "cluster"
    first = ax.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), title=title, alignment="left"
    )
    if data.facts["is_soft"]:
        ax.add_artist(first)
        texts, factor = ("above 0.95", "below 0.8", "below 0.5"), _size_factor(data)
        ax.legend(
            handles=[mark(FAINT, factor * SIZES[i], text) for i, text in zip((0, 2, 4), texts, strict=True)],
            loc="lower left",
            bbox_to_anchor=(1.0, 0.0),
            title=data.facts["word"],
            alignment="left",
        )
