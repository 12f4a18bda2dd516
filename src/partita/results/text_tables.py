"""A table of ready texts as lines of a given width: decimal points aligned, columns cut that do not fit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

__all__ = ["Column", "aligned", "fitting", "lines_of", "one_line", "wrapped"]

LEAST_LAST = 20
"""The last column is wrapped to no less; columns are cut before."""

NARROW_TEXT = 14
"""To this texts between the first and the last column are wrapped before columns of numbers are cut."""

WIDEST_HEADER = 24
"""A name above numbers is wrapped where it is longer, and longer than the numbers."""

GAP = "  "


@dataclass(frozen=True)
class Column:
    """A name, the texts below it, whether they are numbers, and which of them stand out."""

    name: str
    texts: tuple[str, ...]
    is_numeric: bool = False
    strong: frozenset[int] = frozenset()

    def width(self, most: int) -> int:
        """The width it takes, where a text may be wrapped at ``most``."""
        widest = max(map(printed_width, self.texts), default=0)
        if self.is_numeric:
            return max(widest, min(printed_width(self.name), most, WIDEST_HEADER))
        return min(max(widest, printed_width(self.name)), most)


def lines_of(columns: Sequence[Column], width: int, *, bold: bool = False) -> list[str]:
    """The header and the rows as lines; the last column is wrapped to the width if it holds texts."""
    columns = [_with_points_aligned(column) for column in columns]
    widths = _widths(columns, width)
    if _total(widths) > width:
        widths = _widths(columns, width, narrow=True)
    height = len(columns[0].texts) if columns else 0
    lines: list[str] = []
    for i in range(-1, height):
        pieces = [_pieces(column, i, w) for column, w in zip(columns, widths, strict=True)]
        for j in range(max(map(len, pieces), default=0)):
            cells = [
                _padded(texts[j] if j < len(texts) else "", w, column, bold=bold and i in column.strong)
                for texts, column, w in zip(pieces, columns, widths, strict=True)
            ]
            lines.append(GAP.join(cells).rstrip())
    return lines


def fitting(columns: Sequence[Column], width: int, spare: Sequence[str] = ()) -> list[int]:
    """The columns that fit into the width, by their positions.

    The ``spare`` columns go first, in their order; then texts are wrapped to narrow columns; then columns of
    numbers go, then those of texts, each from the right. The first column stays, and the last where it holds
    texts and is not spare.
    """
    columns = [_with_points_aligned(column) for column in columns]
    kept = list(range(len(columns)))
    last = len(columns) - 1
    between = [i for i in kept[1:] if i < last or columns[i].is_numeric or columns[i].name in spare]

    def order(i: int) -> tuple[int, int]:
        column = columns[i]
        if column.name in spare:
            return 0, spare.index(column.name)
        return (1 if column.is_numeric else 2), -i

    for i in sorted(between, key=order):
        left = [columns[j] for j in kept]
        if _total(_widths(left, width, narrow=columns[i].name not in spare)) <= width:
            break
        kept.remove(i)
    return kept


def _with_points_aligned(column: Column) -> Column:
    return replace(column, texts=aligned(column.texts)) if column.is_numeric else column


def aligned(texts: Sequence[str]) -> tuple[str, ...]:
    """Numbers of one width, their decimal points below each other; marks and exponents follow the digits."""
    parts = [_at_point(text) for text in texts]
    before = max((len(whole) for whole, _ in parts), default=0)
    after = max((len(rest) for _, rest in parts), default=0)
    return tuple(whole.rjust(before) + rest.ljust(after) for whole, rest in parts)


def _at_point(text: str) -> tuple[str, str]:
    whole = re.match(r"[+-]?(?:\d+|inf|nan)?", text)
    cut = whole.end() if whole else 0
    return text[:cut], text[cut:]


def _widths(columns: Sequence[Column], width: int, *, narrow: bool = False) -> list[int]:
    """The last column of texts has what the others leave."""
    first = width * 3 // 8 if narrow else width // 2
    others = NARROW_TEXT if narrow else width // 2
    widths = [column.width(others if i else first) for i, column in enumerate(columns)]
    if columns and not columns[-1].is_numeric:
        left = width - _total([*widths[:-1], 0])
        widths[-1] = columns[-1].width(max(LEAST_LAST, left))
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _pieces(column: Column, i: int, width: int) -> list[str]:
    """The lines of a cell; row -1 is the name."""
    if i >= 0 and column.is_numeric:
        return [column.texts[i]]
    return wrapped(column.name if i < 0 else column.texts[i], width) or [""]


def _padded(text: str, width: int, column: Column, *, bold: bool) -> str:
    blanks = " " * (width - printed_width(text))
    inner = text.strip()
    if bold and inner:
        text = text.replace(inner, f"\x1b[1m{inner}\x1b[0m", 1)
    return blanks + text if column.is_numeric else text + blanks


# --- words ------------------------------------------------------------------------------------------------


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """A text in lines of at most this width, those after the first indented; none where there is no text."""
    if printed_width(text) <= width:
        return [text] if text.strip() else []
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line.strip() else line + word
        if printed_width(longer) <= width:
            line = longer
            continue
        if line.strip():
            lines.append(line)
            line = indent
        line += word
        while printed_width(line) > width:
            cut = _break_in_word(line, width, len(indent))
            lines.append(line[:cut])
            line = indent + line[cut:]
    return [*lines, line]


def _break_in_word(text: str, width: int, indent: int) -> int:
    """Where a word that is too long is cut: after its last mark that fits, or where the line ends."""
    fits = max(i for i in range(len(text)) if printed_width(text[:i]) <= width)
    marks = [i + 1 for i, c in enumerate(text[:fits]) if c in "_:,/-=" and i > indent]
    return max([*marks[-1:], indent + 1] if marks else [fits, indent + 1])


def printed_width(text: str) -> int:
    """The columns that a text takes: two for each wide character, none for what is set on another."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def one_line(text: str) -> str:
    """A text that cannot move the cursor: blanks for breaks, and what does not print as its code."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode() for c in text
    )
