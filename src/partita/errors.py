"""Every exception and warning of partita, and the one way their messages are built.

::

    PartitaError
    ├── PartitionError (ValueError)            these values are no clustering of that kind
    ├── MismatchError (ValueError)             the inputs do not describe the same objects
    ├── KindError (TypeError)                  not defined for this kind of clustering
    ├── ParameterError (ValueError)            an option has a value it cannot have
    ├── UnknownNameError (KeyError)            no such index, column, cluster, ...
    ├── UndefinedIndexError (ArithmeticError)  the index has no value here
    ├── TooLargeError (MemoryError)            raised before the work starts
    ├── FileError (OSError)                    a file cannot be read or makes no sense
    ├── WorkerError (RuntimeError)             a worker is not there, or ended in the middle of its work
    └── MissingDependencyError (ImportError)   an optional package is needed

    PartitaWarning (UserWarning)
    ├── UndefinedIndexWarning                  a nan was returned; the message gives the reason
    ├── AlignmentWarning                       objects were dropped to bring two inputs together
    ├── HardenedWarning                        a soft clustering was judged on its hardened labels
    ├── ConvergenceWarning                     a fit was stopped before it settled
    └── EmptyClusterWarning                    a fit left clusters without an object
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

__all__ = [
    "AlignmentWarning",
    "ConvergenceWarning",
    "EmptyClusterWarning",
    "FileError",
    "HardenedWarning",
    "KindError",
    "MismatchError",
    "MissingDependencyError",
    "ParameterError",
    "PartitaError",
    "PartitaWarning",
    "PartitionError",
    "Phrase",
    "Setting",
    "TooLargeError",
    "UndefinedIndexError",
    "UndefinedIndexWarning",
    "UnknownNameError",
    "WorkerError",
    "near_names",
    "row_of_matrix",
]


@dataclass(frozen=True)
class Setting:
    """A parameter in a message, with a value where one is advised; who shows the message spells it.

    In Python it is ``name="value"``, or the words given here; on the command line it is an option.
    """

    name: str
    value: Any = ...
    words: str = ""

    def __str__(self) -> str:
        if self.words or self.value is ...:
            return self.words or self.name
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value!r}"


class Phrase(str):
    """Words and settings in one text, which reads as Python; ``told`` spells the settings otherwise."""

    pieces: tuple[str | Setting, ...]

    def __new__(cls, *pieces: str | Setting) -> Self:
        """The text of these pieces."""
        phrase = super().__new__(cls, "".join(map(str, pieces)))
        phrase.pieces = tuple(p for piece in pieces for p in getattr(piece, "pieces", (piece,)))
        return phrase

    def told(self, spell: Callable[[Setting], str]) -> str:
        """The text with each setting as ``spell`` writes it."""
        return "".join(spell(piece) if isinstance(piece, Setting) else piece for piece in self.pieces)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.pieces


def row_of_matrix(row: int) -> Setting:
    """A row in a message; who read the matrix from a file spells it as the line there."""
    return Setting("row", row, f"row {row}")


class PartitaError(Exception):
    """What was wrong, what came, what is needed, and how to mend it; the four are attributes too.

    ``parameter`` is the name of the parameter that it is about, where it is about one.
    """

    def __init__(
        self,
        what: str,
        *,
        got: str | None = None,
        need: str | None = None,
        fix: str | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.got = got
        self.need = need
        self.fix = fix
        self.parameter = parameter if parameter is not None else next(iter(_settings(what)), None)

    def __str__(self) -> str:
        return self.told(str)

    def told(self, spell: Callable[[Setting], str]) -> str:
        """The message with each setting as ``spell`` writes it."""
        what, got, need, fix = (
            part.told(spell) if isinstance(part, Phrase) else part
            for part in (self.what, self.got, self.need, self.fix)
        )
        lines = [
            f"  {label + ':':<7}{text}"
            for label, text in (("got", got), ("need", need), ("fix", fix))
            if text
        ]
        return "\n".join([str(what), *lines])

    @property
    def settings(self) -> set[str]:
        """The names of the parameters that the message spells."""
        return {name for part in (self.what, self.got, self.need, self.fix) for name in _settings(part)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.what, self.got, self.need, self.fix, self.parameter)


def _rebuild(cls: type[PartitaError], what: str, *rest: str | None) -> PartitaError:
    return cls(what, **dict(zip(("got", "need", "fix", "parameter"), rest, strict=True)))


def _settings(text: str | None) -> list[str]:
    """The names of the settings in a text."""
    return [p.name for p in text.pieces if isinstance(p, Setting)] if isinstance(text, Phrase) else []


class PartitionError(PartitaError, ValueError):
    """The values do not form a clustering of the kind asked for."""


class MismatchError(PartitaError, ValueError):
    """The inputs do not describe the same objects."""


class KindError(PartitaError, TypeError):
    """The operation is not defined for this kind of clustering."""


class ParameterError(PartitaError, ValueError):
    """An option has a value that it cannot have."""


class UnknownNameError(PartitaError, KeyError):
    """A name that is not known; the message lists the nearest ones."""


class UndefinedIndexError(PartitaError, ArithmeticError):
    """An index has no value for these inputs, and the caller asked to be told by an exception."""


class TooLargeError(PartitaError, MemoryError):
    """The work would not fit; raised before it starts, with the sizes and what to call instead."""


class FileError(PartitaError, OSError):
    """A file cannot be read, or its content makes no sense."""


class WorkerError(PartitaError, RuntimeError):
    """A worker is not there, or ended in the middle of its work; the message says what is kept."""


class MissingDependencyError(PartitaError, ImportError):
    """An optional package is needed for this."""


class PartitaWarning(UserWarning):
    """The family of all warnings of partita."""


class UndefinedIndexWarning(PartitaWarning):
    """An index has no value for these inputs: nan was returned, and the message says why."""


class AlignmentWarning(PartitaWarning):
    """Objects were left out because only one of the inputs has them."""


class HardenedWarning(PartitaWarning):
    """A soft clustering was judged on its hardened labels, because the index knows no other."""


class ConvergenceWarning(PartitaWarning):
    """A fit was stopped before it settled: its numbers may still change."""


class EmptyClusterWarning(PartitaWarning):
    """A fit left clusters without an object."""


def near_names(
    name: str,
    known: Iterable[str],
    *,
    noun: str,
    parameter: str | None = None,
    listed: Iterable[str] | None = None,
) -> UnknownNameError:
    """Build the error for an unknown name, with the nearest known ones as the fix.

    ``listed`` are those to count and to show, where one thing has several names.
    """
    spelled = {k.lower(): k for k in known}
    near = [spelled[m] for m in difflib.get_close_matches(name.lower(), spelled, n=4, cutoff=0.55)]
    inside = [k for low, k in spelled.items() if name and name.lower() in low and k not in near]
    suggestions = (near + inside)[:6]
    fix = "did you mean " + ", ".join(suggestions) + "?" if suggestions else None
    listing = sorted(spelled.values() if listed is None else listed)
    shown = ", ".join(listing[:12]) + (f", ... ({len(listing)} in all)" if len(listing) > 12 else "")
    what = f"there is no {noun} named {name!r}."
    return UnknownNameError(what, got=repr(name), need=shown, fix=fix, parameter=parameter)
