"""What must hold of every example: our answer or refusal in time, no foreign warning, no silent nan."""

from __future__ import annotations

import linecache
import math
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from fuzz.recipes import UnbuildableError
from partita.errors import PartitaError, PartitaWarning, UndefinedIndexWarning
from partita.partitions import Kind
from partita.partitions.chunked import InChunks
from partita.partitions.partition import Partition
from partita.results.result import FORMATS, Result

SECONDS = 20
"""Of work; an example that takes longer hangs."""

PATIENCE = 10
"""How many times as long it may take by the clock on the wall."""


class BrokenLawError(Exception):
    """What a result or a refusal must not be."""


class HangError(BrokenLawError):
    """No answer in time."""


@contextmanager
def watchdog(seconds: int = SECONDS) -> Iterator[None]:
    """Raise where work does not end; compiled code that never returns is for the process outside to end.

    Seconds are those that this process works, so that a busy machine is no hang; by the clock on the wall it
    may take many times as long, and is then taken to wait for something that never comes.
    """

    def too_long(number: int, at: FrameType | None) -> None:
        raise HangError(f"no answer within {seconds} CPU seconds")

    clocks = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, PATIENCE * seconds),
    }
    before = {number: signal.signal(number, too_long) for number in clocks}
    for clock, limit in clocks.values():
        signal.setitimer(clock, limit)
    try:
        yield
    finally:
        for number, (clock, _) in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def obey(work: Callable[[], Any], *, is_fit: bool = False) -> None:
    """Run work and raise unless the law holds; scikit-learn's own refusals are welcome from a fit."""
    with warnings.catch_warnings(record=True) as heard, watchdog():
        warnings.simplefilter("always")
        try:
            result = work()
        except UnbuildableError:
            return
        except PartitaError as refused:
            check_refusal(refused)
            return
        except (ValueError, TypeError) as refused:
            if is_fit and is_said_on_purpose(refused):
                return
            raise
        said = [warning.category for warning in heard]
        check(result, undefined_was_said=any(issubclass(c, UndefinedIndexWarning) for c in said))
    for warning in heard:
        if not issubclass(warning.category, PartitaWarning):
            raise BrokenLawError(
                f"{warning.category.__name__} of {_place(warning.filename)}: {warning.message}"
            )


def check_refusal(refused: PartitaError) -> None:
    text = str(refused)
    if not refused.what.strip():
        raise BrokenLawError("a refusal without words")
    if "this is a bug" in text:
        raise BrokenLawError(f"a refusal that calls itself a bug: {text}")


def is_said_on_purpose(error: Exception) -> bool:
    """Whether a raise statement of scikit-learn or of our estimators raised it, not an operation."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = "/partita/cluster/" in last.filename or "/sklearn/" in last.filename
    return ours and linecache.getline(last.filename, last.lineno or 0).lstrip().startswith("raise ")


def check(result: Any, *, undefined_was_said: bool = False) -> None:
    """That a result can be shown and written, and that each nan in it has its reason."""
    match result:
        case Result():
            check_result(result)
        case Partition():
            repr(result)
            if not np.isfinite(np.asarray(values_of(result), dtype=float)).all():
                raise BrokenLawError(f"values that are not finite in {result!r}")
        case float() if math.isnan(result) and not undefined_was_said:
            raise BrokenLawError("a nan without a word")
        case float() | int() | str() | None:
            pass
        case pd.DataFrame() | pd.Series() | np.ndarray():
            str(result)
        case dict():
            for value in result.values():
                check(value)
        case _:
            repr(result)


def values_of(partition: Partition) -> Any:
    """Memberships or masses; other kinds, and what lies in chunks, have no such numbers at hand."""
    if isinstance(partition, InChunks):
        return 0.0
    match partition.kind:
        case Kind.FUZZY | Kind.POSSIBILISTIC:
            values = partition.memberships()
        case Kind.EVIDENTIAL:
            values = partition.masses
        case _:
            return 0.0
    return values.data if issparse(values) else values


def check_result(result: Result) -> None:
    """It can be written in every format, and each nan in its rows has a caveat."""
    for form in FORMATS:
        result.write(form)
    columns = result.columns
    if "value" in columns and "caveat" in columns:
        for row in result.records():
            value, caveat = row["value"], str(row["caveat"] or "")
            if isinstance(value, float) and math.isnan(value) and not caveat:
                raise BrokenLawError(f"nan without a caveat: {row}")


def signature(error: BaseException) -> str:
    """The same for the same fault: what was raised, and the last line of partita it went through."""
    places = [f for f in traceback.extract_tb(error.__traceback__) if "/partita/" in f.filename]
    place = f"{_place(places[-1].filename)}:{places[-1].name}" if places else "outside"
    words = " ".join(str(error).split()[:6]) if isinstance(error, BrokenLawError) else ""
    return f"{type(error).__name__} at {place} {words}".strip()


def _place(filename: str) -> str:
    """A path from its package on."""
    for package in ("/partita/", "/site-packages/"):
        if package in filename:
            return filename.rpartition(package)[2]
    return filename.rpartition("/")[2]
