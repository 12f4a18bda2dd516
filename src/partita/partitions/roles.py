"""What a column is for, by its name and its values: the rules by which columns are taken or left out.

A measurement that is left out, or an identifier that is taken for one, makes every number wrong. So a column
is left out only for one of these reasons, each of them is said, and where two readings fit, the caller is
asked:

- it holds words, dates, or nothing, or one value: no distance depends on it;
- it holds whole numbers under a name of identifiers (id, customer_id), or all different ones under a name
  of single objects (name, sample, index): they tell objects apart and measure nothing;
- it counts the objects, 0, 1, 2, ... or 1, 2, 3, ... in any order: the index of a frame that was saved;
- it holds few whole numbers under a name of groups (label, cluster, species): a clustering, and to take it as
  a feature of the data that are to be clustered gives the answer away.

All different whole numbers that do not follow one another, such as populations or prices, are features, and
so are all numbers with a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

WITHOUT_NAME = ("", "Unnamed: 0", "__index_level_0__")
"""How the first column is called where pandas wrote the index of a frame."""

ID = re.compile(r"ids?|uu?id|guid", re.IGNORECASE)
ENDS_WITH_ID = re.compile(
    r".*[_\W](id|ID|Id|key|uuid|guid)|.*[a-z](Id|ID)"
    r"|(?i:customer|user|sample|patient|object|record|row|case|subject|item|product|order|client|cell)id"
)
ONE_OBJECT = re.compile(
    r"(.*_)?(name|barcode)|sample|subject|patient|customer|user|object|case|observation|obs|item|gene|cell",
    re.IGNORECASE,
)
COUNTS_ROWS = re.compile(r"index|rows?|row_?n(ames?|umber|r)|n[or]\.?|number|level_0", re.IGNORECASE)
LABELS = re.compile(
    r"(.*[_\W])?(labels?|clusters?|class(es)?|species|targets?|segments?|truth|groups?|category|type)"
    r"([_\W]?id|_?\d+)?"
    r"|y_(true|pred)",
    re.IGNORECASE,
)
MOST_GROUPS = 50
FEWEST_COUNTED = 10
"""Objects from which on 1, 2, 3, ... is no accident."""

NUMBER_WITH_SIGNS = re.compile(
    r"[$€£]?\s*[+-]?(\d+([.,' ]\d{3})*([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*[%$€£]?"
)

DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T]\d.*)?|\d{1,2}([-/.])\d{1,2}\2(\d{4}|\d{2})( \d.*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)

FEWEST_DIFFERENT = 0.9
"""The share of different values from which on whole numbers may be identifiers."""
FEWEST_FOR_CORRELATION = 20
MOST_FOR_CORRELATION = 10_000
SMALL_CORRELATION = 0.1


def identifier_rank(name: str) -> int:
    """How surely a column of this name tells objects apart: 0 most, 4 for a name that says nothing."""
    if LABELS.fullmatch(name):
        return 4
    if ID.fullmatch(name):
        return 0
    if ENDS_WITH_ID.fullmatch(name):
        return 1
    if ONE_OBJECT.fullmatch(name):
        return 2
    return 3 if COUNTS_ROWS.fullmatch(name) or name in WITHOUT_NAME else 4


def is_label_name(name: str, all_names: Any) -> bool:
    """Whether a column of this name holds groups; y is one where there is no x beside it."""
    is_y = name in ("y", "Y") and "x" not in all_names and "X" not in all_names
    return is_y or LABELS.fullmatch(name) is not None


WORDS = "words"
"""The reason why a column of words that repeat is no feature of Euclidean distances."""


@dataclass(frozen=True)
class Role:
    """Whether a column is a feature, and why not; ``is_unsure`` where the caller is to say."""

    is_feature: bool
    reason: str = ""
    is_unsure: bool = False


FEATURE = Role(True)


@dataclass(frozen=True)
class Facts:
    """What is known of a column of numbers: all that its role depends on beside its name.

    Attributes
    ----------
    n, n_known : int
        Objects, and those whose value is not missing.
    low, high : number
        Of the values that are known.
    is_whole : bool
        Whether all are whole numbers.
    distinct : int, or None
        How many different values; None where they may or may not be all different. It may stop counting
        above `MOST_GROUPS`.
    """

    n: int
    n_known: int
    low: Any = None
    high: Any = None
    is_whole: bool = False
    distinct: Callable[[], int | None] = lambda: None

    @classmethod
    def of(cls, values: Any) -> Facts:
        """From all values, in which nan is a missing one."""
        n = len(values)
        if values.dtype.kind == "f":
            values = values[~np.isnan(values)]
            if not values.size:
                return cls(n, 0)
        low, high = values.min(), values.max()
        return cls(n, len(values), low, high, are_whole(values, low, high), lambda: len(np.unique(values)))


def are_whole(values: Any, low: Any, high: Any) -> bool:
    """Whether values between these ends are whole numbers; most that are not show it at once."""
    return values.dtype.kind in "iub" or (
        bool(np.isfinite([low, high]).all())
        and bool((values[:100] == np.floor(values[:100])).all())
        and bool((values == np.floor(values)).all())
    )


def role_of_numbers(name: str, values: Any, all_names: Any) -> Role:
    """The role of a column of numbers, in which nan is a missing value."""
    return role_by_facts(name, Facts.of(values), all_names)


def role_by_facts(name: str, facts: Facts, all_names: Any) -> Role:
    """The role of a column of numbers of which this is known."""
    n, low, high = facts.n, facts.low, facts.high
    if not facts.n_known:
        return Role(False, "empty")
    if low == high and n > 1:
        return Role(False, "constant")
    if not facts.is_whole:
        return FEATURE
    rank, named_label = identifier_rank(name), is_label_name(name, all_names)
    is_run = float(high) - float(low) == n - 1 == facts.n_known - 1 >= FEWEST_COUNTED - 1
    if rank == 4 and not named_label and not is_run:
        return FEATURE
    distinct = facts.distinct()
    if rank <= 1:
        different = "all different integers" if distinct == n else "integers under a name of identifiers"
        return Role(False, different)
    if distinct is None:
        return Role(False, "integers that may all be different, and are in no order", is_unsure=True)
    if distinct == n and (rank < 4 or (is_run and low in (0, 1))):
        return Role(False, "all different integers" if rank < 4 else f"counts the objects from {int(low)} on")
    if distinct == n and is_run:
        told = f"all different integers that follow one another, {int(low)} to {int(high)}"
        return Role(False, told, is_unsure=True)
    if not named_label:
        return FEATURE
    if distinct <= max(2, min(MOST_GROUPS, n // 2)):
        return Role(False, f"labels: {distinct} different integers")
    return Role(False, f"{distinct} different integers under a name of labels", is_unsure=True)


def role_of_words(name: str, counts: Any) -> Role:
    """The role of a column that holds texts, by how often each occurs; unsure where most are numbers."""
    n, distinct = int(counts.sum()), len(counts)
    if not n:
        return Role(False, "empty")
    if distinct == n and n > 2 and identifier_rank(name) < 4:
        return Role(False, "all different words")
    if all(DATE.fullmatch(text.strip()) for text in counts.index):
        return Role(False, "dates")
    like_numbers = sum(
        int(counts[text]) for text in counts.index if NUMBER_WITH_SIGNS.fullmatch(text.strip())
    )
    if like_numbers * 2 >= n:
        return Role(False, "words among numbers", is_unsure=True)
    return Role(False, "all different words" if distinct == n and n > 2 else WORDS)


def possible_identifiers(names: Sequence[str], columns: Sequence[Any]) -> list[str]:
    """Features of whole numbers, nearly all different, whose ranks correlate with those of no other feature.

    Postcodes and customer numbers are such. A correlation counts where its square is above a hundredth, and
    it is larger than those of 99 in 100 columns of random numbers with the others.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    candidates = [j for j, values in enumerate(columns) if _differ_nearly_all(values)]
    n = len(columns[0]) if len(columns) else 0
    if not candidates or len(columns) < 2:
        return []
    step = -(-n // MOST_FOR_CORRELATION)
    ranks = [rankdata(np.asarray(values[::step], dtype=float), nan_policy="omit") for values in columns]
    least = max(SMALL_CORRELATION, float(ndtri(1 - 0.005 / len(columns))) / len(ranks[0]) ** 0.5)
    return [
        names[j]
        for j in candidates
        if all(abs(_correlation(ranks[j], other)) < least for i, other in enumerate(ranks) if i != j)
    ]


def note_on_identifiers(names: Sequence[str], columns: Sequence[Any]) -> str:
    """What is said of features that may be identifiers; nothing where there are none."""
    found = possible_identifiers(names, columns)
    told = "whole numbers, nearly all different, that correlate with no other column"
    return f"possible identifiers among the features: {', '.join(found)} ({told})" if found else ""


def _differ_nearly_all(values: Any) -> bool:
    for step in (-(-len(values) // 1000) or 1, 1):  # some of them show most that are no such column
        some = values[::step]
        some = some[~np.isnan(some)] if some.dtype.kind == "f" else some
        if len(some) < FEWEST_FOR_CORRELATION or some.dtype.kind == "b":
            return False
        if not are_whole(some, some.min(), some.max()) or len(np.unique(some)) < FEWEST_DIFFERENT * len(some):
            return False
    return True


def _correlation(one: Any, other: Any) -> float:
    known = ~(np.isnan(one) | np.isnan(other))
    a, b = (ranks[known] - ranks[known].mean() for ranks in (one, other)) if known.any() else (one, other)
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / size if size > 0 else 0.0
