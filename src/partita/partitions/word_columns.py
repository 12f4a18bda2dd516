"""Columns of a frame that hold words or dates: no features, but they say what sets clusters apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.arrays import Array, is_number_column, opened_frame
from partita.errors import ParameterError
from partita.partitions.amounts import Amounts
from partita.partitions.roles import role_of_words

PROFILED = "partita: columns that profile clusters"
"""Where a frame that was read from a file keeps its columns that are no features."""

MOST_CATEGORIES = 20
"""Words of a column by which clusters are described, the most frequent ones."""


class Profiled:
    """Columns of words and dates of the objects of a frame, which lie in the same order."""

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self.columns = columns

    def __deepcopy__(self, memo: Any) -> Profiled:
        return self


def without_words(frame: Any) -> tuple[Any, dict[str, Array], tuple[str, ...]]:
    """A frame without its columns of words and dates, these columns, and what to say of them.

    Numbers with signs of currency or percent, or with marks between thousands, become numbers.
    """
    import narwhals as nw
    import pandas as pd

    native = opened_frame(frame)
    if isinstance(native, nw.Series):
        return frame, {}, ()
    words = [name for name in native.columns if not is_number_column(native.get_column(name))]
    plain = [name for name in words if not native.get_column(name).dtype.is_nested()]
    if not plain or plain != words:
        return frame, {}, ()
    left: dict[str, Array] = {}
    numbers: dict[str, Array] = {}
    reasons: list[str] = []
    told: list[str] = []
    for name in words:
        column = native.get_column(name)
        texts, counts = _texts_of(column)
        ways = Amounts.of(counts).found() if counts else []
        if len(ways) > 1:
            raise _may_be_either(str(name), Amounts.of(counts).example)
        if ways:
            numbers[name] = ways[0].numbers(texts)
            told.append(f"{name} ({ways[0].told})")
            continue
        is_time = column.dtype.is_temporal()
        role = role_of_words(str(name), pd.Series(counts, dtype=np.int64))
        if role.is_unsure and not is_time:
            raise _words_among_numbers(str(name), list(counts))
        reasons.append(f"{name}: {'dates' if is_time else role.reason}")
        left[str(name)] = texts
    if len(left) == len(native.columns):
        return frame, {}, ()
    if numbers and hasattr(frame, "iloc"):
        native = opened_frame(frame.assign(**numbers))
    elif numbers:
        made = [nw.new_series(name, v, backend=native.implementation) for name, v in numbers.items()]
        native = native.with_columns(*made)
    kept = native.select([name for name in native.columns if str(name) not in left]).to_native()
    return (
        kept,
        left,
        (
            *[f"read as numbers: {', '.join(told)}"] * bool(told),
            *[f"no features: {'; '.join(reasons)}"] * bool(reasons),
        ),
    )


def profile_columns(columns: Mapping[str, Array]) -> tuple[list[str], list[Array]]:
    """Columns of words as one of zeros and ones for each frequent word, and dates as years."""
    names: list[str] = []
    made: list[Array] = []
    for name, texts in columns.items():
        years = _years(texts)
        if years is not None:
            names.append(f"{name} (year)")
            made.append(years)
            continue
        counts = Counter(text for text in texts.tolist() if text is not None)
        for text, count in counts.most_common(MOST_CATEGORIES):
            if 1 < count < len(texts):
                names.append(f"{name} = {text}")
                made.append((texts == text).astype(float))
    return names, made


def _years(texts: Array) -> Array | None:
    """Dates as years with a fraction; None where some text is no date in the order of ISO 8601."""
    import pandas as pd

    if any(text is None or not text[:4].isdigit() or text[4:5] != "-" for text in texts.tolist()):
        return None
    times = pd.to_datetime(pd.Series(texts), format="ISO8601", errors="coerce", utc=True)
    if times.isna().any():
        return None
    days = (times - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(1970 + days.to_numpy() / 365.2425)


def _texts_of(column: Any) -> tuple[Array, dict[str, int]]:
    """The texts of a column, None where one is missing, and how often each occurs."""
    values = [
        None if value is None or value != value else str(value).strip() or None for value in column.to_list()
    ]
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts, dict(Counter(text for text in values if text is not None))


def _may_be_either(name: str, example: str) -> ParameterError:
    return ParameterError(
        f"column {name!r} of X holds marks that may be decimal marks or thousands separators.",
        got=example,
        need="to know which",
        fix=f"X[{name!r}] as numbers",
    )


def _words_among_numbers(name: str, texts: Sequence[str]) -> ParameterError:
    from partita.partitions.roles import NUMBER_WITH_SIGNS

    words = [text for text in texts if not NUMBER_WITH_SIGNS.fullmatch(text)]
    return ParameterError(
        f"column {name!r} of X holds numbers, and texts that are none."
        if words
        else f"column {name!r} of X holds numbers that are written as texts.",
        got=repr((words or texts)[0]),
        need="a column of numbers, or of words",
        fix=f'pandas.to_numeric(X[{name!r}], errors="coerce"), or leave it out if it is no feature',
    )
