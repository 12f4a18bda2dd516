"""Data in tables: which columns are features, which are left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from partita.errors import FileError, ParameterError, Phrase, Setting
from partita.files.identifiers import identifiers_of
from partita.files.joining import Side
from partita.files.missing import settle_features
from partita.files.tables import Table, in_order
from partita.files.words import (
    read_amounts,
    refuse_words_among_numbers,
    text_counts,
    word_columns,
    words_among_numbers,
)
from partita.partitions.roles import WORDS, Role, role_of_numbers, role_of_words

MOST_NAMED = 8
"""Features, and columns left out, that a note lists by name."""


def features_in(
    table: Table,
    columns: Sequence[str] | None,
    leave_out: Collection[str],
    id_column: str | None,
    *,
    missing: str = "raise",
    every_column: bool = False,
    takes_words: bool = False,
    needs_identifiers: bool = True,
) -> Side:
    """The features of the objects in a table.

    Parameters
    ----------
    columns : list of str, optional
        The features; by default all columns that `partita.partitions.roles` does not leave out.
    leave_out : list of str
        Columns that are no features.
    id_column : str, optional
        The column that names the objects; by default a first column without a name.
    missing : {"raise", "drop", "median", "mean"}
        What to do where a feature is missing.
    every_column : bool
        Whether no column is left out by the rules, as for a matrix of distances.
    takes_words : bool
        Whether words that repeat are features, as for Gower's distances; missing ones stay missing.
    needs_identifiers : bool
        Whether identifiers must name each object once, because something is joined on them.
    """
    names = table.row_names if id_column is None else id_column
    wanted = columns_wanted(table, columns, leave_out, id_column)
    texts = [names] if names is not None and needs_identifiers else []
    frame = table.read(wanted, [name for name in texts if name not in wanted])
    index = identifiers_of(frame[texts[0]], texts[0]) if texts else None
    frame, told_amounts = read_amounts(table, frame, wanted)
    by_rules = columns is None and not every_column
    roles = _roles(table, frame, wanted) if by_rules else {}
    if takes_words:
        roles = {name: _role_among_words(role) for name, role in roles.items()}
    left_out = {name: role.reason for name, role in roles.items() if not role.is_feature}
    chosen = [name for name in wanted if name not in left_out]
    words = [] if takes_words else sorted(set(word_columns(frame)) & set(chosen))
    if words:
        refuse_words_among_numbers(table, frame, words)
    if words or not chosen:
        numbers = [name for name in left_out if name not in word_columns(frame)]
        raise no_features(table.names, words, left_out, numbers)
    used = in_order(frame, chosen)
    kept: Any = None
    notes: tuple[str, ...] = ()
    if not takes_words:
        used, kept, notes = settle_features(table, used, missing)
    if by_rules and id_column is not None:
        left_out = {id_column: "names the objects", **left_out}
    told = (*table.notes, *told_amounts, *([] if every_column else [features_note(chosen, left_out)]), *notes)
    if index is not None:
        used = used.set_axis(index if kept is None else index[kept])
    beside = _beside(frame, roles, kept)
    are_distances = every_column and len(chosen) == len(frame)
    return Side(used, len(frame), kept, index, told, are_distances, beside)


def _beside(frame: Any, roles: Mapping[str, Role], kept: Any) -> Any:
    """The columns of words and dates of the objects that are kept, as texts with None for missing ones."""
    names = [name for name, role in roles.items() if role.reason in ("words", "dates")]
    if not names:
        return None
    texts = frame[names].map(lambda text: str(text).strip() if text == text and text is not None else None)
    texts = texts.astype(object).where(texts.notna(), None)
    return texts if kept is None else texts[kept].reset_index(drop=True)


def _role_among_words(role: Role) -> Role:
    """The role of a column where words are features too."""
    return Role(True, "") if role.reason == WORDS else role


def columns_wanted(
    table: Table, columns: Sequence[str] | None, leave_out: Collection[str], id_column: str | None
) -> list[str]:
    """The columns that may be features: those asked for, or all that are not left out by name."""
    names = table.row_names if id_column is None else id_column
    table.check([] if names is None else [names])
    table.check([*(columns or ()), *leave_out], [name for name in table.names if name != id_column])
    twice = [name for name, count in Counter(columns or ()).items() if count > 1]
    if twice:
        raise ParameterError(
            "a feature is named twice.", got=repr(twice[0]), need="each column once", parameter="columns"
        )
    aside = {names, table.row_names, *leave_out}
    return list(columns) if columns is not None else [name for name in table.names if name not in aside]


def _roles(table: Table, frame: Any, names: Sequence[str]) -> dict[str, Role]:
    """What each column is for; the caller is asked where that is not clear."""
    roles: dict[str, Role] = {}
    words = set(word_columns(frame))
    kinds = set(frame.dtypes)
    # one array is much quicker to go through than a frame of very many columns
    matrix = in_order(frame, names).to_numpy() if len(kinds) == 1 and not words else None
    for i, name in enumerate(names):
        if name in words:
            roles[name] = role_of_words(name, text_counts(frame[name]))
            if roles[name].is_unsure:
                raise words_among_numbers(table, name)
        else:
            values = frame[name].to_numpy() if matrix is None else matrix[:, i]
            roles[name] = role_of_numbers(name, values, table.names)
    refuse_unsure(roles)
    return roles


def refuse_unsure(roles: Mapping[str, Role]) -> None:
    """Ask the caller about a column that may be a feature or not."""
    unsure = next((name for name, role in roles.items() if role.is_unsure), None)
    if unsure is not None:
        features = ",".join(name for name, role in roles.items() if role.is_feature or name == unsure)
        raise FileError(
            f"it is not clear whether column {unsure!r} is a feature.",
            got=roles[unsure].reason,
            need="to know which columns are features",
            fix=Phrase(
                Setting("leave_out", unsure, f"leave_out=[{unsure!r}]"),
                " if it is none, ",
                Setting("columns", features, f"columns=[{unsure!r}, ...]"),
                " if it is one",
            ),
        )


def no_features(
    names: Sequence[str], words: Sequence[str], left_out: dict[str, str], numbers: Sequence[str]
) -> FileError:
    """The error where nothing is left to judge by."""
    if words:
        return FileError(
            "features are numbers, and not all of these columns are.",
            got=f"words in {', '.join(map(repr, words[:5]))}",
            need="columns of numbers",
            fix=Phrase(Setting("columns"), " NAME,NAME for the features, all of them numbers"),
        )
    return FileError(
        "there are no features.",
        got=_reasons(left_out) or ", ".join(map(repr, names[:MOST_NAMED])),
        need="columns of numbers that measure something",
        fix=Phrase(
            Setting("columns", ",".join(numbers), f"columns={list(numbers)}"),
            " takes what the rules leave out",
        )
        if numbers
        else None,
    )


def features_note(used: Sequence[str], left_out: dict[str, str]) -> str:
    """Which columns were taken as features, and which were left out for what reason."""
    reasons = _reasons(left_out)
    return f"features: {_listed(used, ', ')}{f' (left out: {reasons})' if reasons else ''}"


def _reasons(left_out: dict[str, str]) -> str:
    return _listed([f"{name or 'a column without a name'}: {why}" for name, why in left_out.items()], "; ")


def _listed(texts: Sequence[str], separator: str) -> str:
    """Some of the texts, and how many there are in all."""
    if len(texts) <= MOST_NAMED:
        return separator.join(texts)
    return separator.join([*texts[:MOST_NAMED], f"... ({len(texts)} in all)"])
