"""Figures without a pixel: what a figure shows as plain records, and which results carry which kinds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partita.errors import ParameterError, near_names
from partita.partitions import Ensemble, Partition, as_partition
from partita.results import Result, plain

__all__ = ["FigureData", "FigureKind", "NoFigureError", "figure_data", "figure_kind", "kinds_of"]

Record = dict[str, Any]
Maker = Callable[..., "FigureData"]
Drawing = Callable[..., None]


class NoFigureError(ParameterError):
    """A result carries no figure of that kind; the message says why."""


@dataclass(frozen=True)
class FigureData:
    """All that a figure shows, in plain values: text, numbers, True, False and None.

    Attributes
    ----------
    kind : str
        Which figure it is.
    title : str
        The finding, in a sentence: what the figure shows, not what it is.
    description : str
        What somebody who cannot see it needs to know: what is drawn, and what it shows.
    records : tuple of dict
        One for each mark, all with the same keys.
    x, y : str
        What the axes measure, with units or the name of the index and which way is better.
    facts : dict
        Whatever else is drawn and is no mark: colours by cluster, a chosen k, a mean, an order.
    notes : tuple of str
        What must be written in the figure, such as how many of the objects it shows.
    size : (float, float)
        Width and height in inches that suit it.
    """

    kind: str
    title: str
    description: str
    records: tuple[Record, ...]
    x: str = ""
    y: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    size: tuple[float, float] = (6.8, 4.4)

    def column(self, name: str) -> list[Any]:
        """The values of one key, in the order of the records."""
        return [record[name] for record in self.records]

    def to_frame(self) -> Any:
        """The records as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(list(self.records))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            "kind": self.kind,
            "title": self.title,
            "description": self.description,
            "x": self.x,
            "y": self.y,
            "records": plain(list(self.records)),
            "facts": plain(dict(self.facts)),
            "notes": list(self.notes),
        }


@dataclass(eq=False)
class FigureKind:
    """A kind of figure: from which results it is made, and how it is drawn.

    Attributes
    ----------
    name : str
        By which it is asked for.
    summary : str
        What it shows, in a line.
    """

    name: str
    summary: str
    makers: dict[type, Maker] = field(default_factory=dict)
    usual_for: dict[type, int] = field(default_factory=dict)
    draw: Drawing | None = None

    def of(self, *types: type, usual: int = 0) -> Callable[[Maker], Maker]:
        """A decorator for the function that makes the data from results of these types.

        It is called with the result; its keyword-only parameters are options of the figure. Where no kind is
        named, the figure with ``usual=1`` is shown, or the one with 2 where a result has no such figure.
        """

        def add(maker: Maker) -> Maker:
            for one in types:
                assert one not in self.makers, (self.name, one)
                self.makers[one] = maker
                if usual:
                    self.usual_for[one] = usual
            return maker

        return add

    def drawn(self, draw: Drawing) -> Drawing:
        """A decorator for the function ``draw(ax, data)``; its keyword-only parameters are options too."""
        assert self.draw is None, self.name
        self.draw = draw
        return draw

    def maker_for(self, subject: Any) -> Maker | None:
        """The function that makes the data from this result."""
        return next((self.makers[one] for one in type(subject).__mro__ if one in self.makers), None)


_KINDS: dict[str, FigureKind] = {}


def figure_kind(name: str, summary: str) -> FigureKind:
    """A new kind of figure."""
    assert name not in _KINDS, name
    _KINDS[name] = FigureKind(name, summary)
    return _KINDS[name]


def every_kind() -> dict[str, FigureKind]:
    """All kinds, by name."""
    import partita.plots.kinds  # noqa: F401 (they enter themselves)

    return _KINDS


def kinds_of(result: Any) -> tuple[str, ...]:
    """The kinds of figures that such a result carries, the usual one first.

    Examples
    --------
    >>> import partita as pt
    >>> kinds_of(pt.compare([0, 0, 1, 1], [0, 0, 1, 2]))[0]
    'contingency'
    """
    subjects = [subject_of(result)]
    if not isinstance(subjects[0], (Result, Partition, Ensemble)):
        subjects.append(as_partition(result))  # an estimator with figures of its own
    carried = dict.fromkeys(
        kind.name
        for subject in subjects
        for kind in every_kind().values()
        if kind.maker_for(subject) is not None
    )
    usual = usual_kinds(subjects[0])
    return (*usual, *(name for name in carried if name not in usual))


def usual_kinds(subject: Any) -> list[str]:
    """The kinds that are shown of such a result where none is named, the first that it has."""
    for one in type(subject).__mro__:
        ranks = {kind.usual_for[one]: kind.name for kind in every_kind().values() if one in kind.usual_for}
        if ranks:
            return [ranks[rank] for rank in sorted(ranks)]
    return []


def subject_of(given: Any, kind: str | None = None) -> Any:
    """The result or clustering of a figure: several clusterings by name become an ensemble.

    An estimator is its clustering, except for kinds of figures of its own.
    """
    if isinstance(given, (Result, Partition, Ensemble)):
        return given
    own = [one.name for one in every_kind().values() if type(given) in one.makers]
    if own and (kind is None or kind in own):
        return given
    return Ensemble(given) if isinstance(given, Mapping) else as_partition(given)


def chosen_kind(subject: Any, name: str | None) -> FigureKind:
    """The kind of that name, or the usual one; an error where the result carries no such figure."""
    carried = kinds_of(subject)
    if not carried:
        raise NoFigureError(
            f"there is no figure of a {type(subject).__name__}.",
            got=type(subject).__name__,
            need="one of the other results, a clustering, or several by name",
        )
    if name is None:
        return every_kind()[carried[0]]
    if not isinstance(name, str) or name not in every_kind():
        raise near_names(str(name), every_kind(), noun="kind of figure", parameter="kind")
    if name not in carried:
        kind = every_kind()[name]
        makers = ", ".join(sorted(one.__name__ for one in kind.makers))
        raise NoFigureError(
            f"a {type(subject).__name__} carries no figure of the kind {name}.",
            got=f"{type(subject).__name__}, which has {', '.join(carried)}",
            need=f"one of {makers}",
            parameter="kind",
        )
    return every_kind()[name]


def figure_data(result: Any, kind: str | None = None, **options: Any) -> FigureData:
    """What a figure of a result shows, as plain records; nothing is drawn.

    Parameters
    ----------
    result : result, clustering, or dictionary of clusterings
        What a procedure returned; a partition, an ensemble or several clusterings by name have figures too.
    kind : str, optional
        Which figure; see `kinds_of`. By default the usual one of such a result.
    **options : object
        Of that figure, as `plot` takes them; those that are about drawing alone change nothing here.

    Examples
    --------
    >>> import partita as pt
    >>> data = figure_data(pt.compare(list("aabb"), [0, 0, 1, 1]), "contingency")
    >>> data.records[0]["truth"], data.records[0]["found"], data.records[0]["count"]
    ('a', '0', 2)
    """
    return made_figure(result, kind, options)[0]


def made_figure(result: Any, kind: str | None, options: Record) -> tuple[FigureData, Record]:
    """The data of a figure, and those of its options that are about the drawing.

    Where no kind is named, it is the first of the usual ones that has such options and can be made.
    """
    subject = subject_of(result, kind)
    names: list[str | None] = [kind]
    if kind is None:
        usual = usual_kinds(subject)
        names = (
            [name for name in usual if _takes(every_kind()[name], subject, options)] or [*usual[:1]] or [None]
        )
    for name in names:
        chosen = chosen_kind(subject, name)
        of_data, of_drawing = split_options(chosen, subject, options)
        maker = chosen.maker_for(subject)
        assert maker is not None
        try:
            return maker(subject, **of_data), of_drawing
        except NoFigureError:
            if name == names[-1]:
                raise
    raise AssertionError


def _takes(kind: FigureKind, subject: Any, options: Record) -> bool:
    """True where a kind of figure has all of these options."""
    maker = kind.maker_for(subject)
    assert maker is not None
    assert kind.draw is not None
    return set(options) <= {*keyword_options(maker), *keyword_options(kind.draw)}


def split_options(kind: FigureKind, subject: Any, options: Mapping[str, Any]) -> tuple[Record, Record]:
    """The options of the data and those of the drawing; others are refused."""
    maker = kind.maker_for(subject)
    assert maker is not None
    assert kind.draw is not None, kind.name
    of_data, of_drawing = keyword_options(maker), keyword_options(kind.draw)
    for name in options:
        if name not in of_data and name not in of_drawing:
            raise near_names(
                name, [*of_data, *of_drawing], noun=f"option of the figure {kind.name}", parameter=name
            )
    asked = dict(options)
    if asked.get("reference") is not None:
        asked["reference"] = as_partition(asked["reference"])
    return (
        {name: value for name, value in asked.items() if name in of_data},
        {name: value for name, value in asked.items() if name in of_drawing},
    )


def keyword_options(function: Callable[..., Any]) -> Sequence[str]:
    """The names of its keyword-only parameters."""
    return [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
