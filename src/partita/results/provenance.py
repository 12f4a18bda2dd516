"""What a result was made from and how: one record, built here for every procedure."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from partita.inputs import Inputs
from partita.results.index_rows import IndexValue, method_of

__all__ = ["provenance"]


def provenance(given: Any, *, rows: Iterable[IndexValue] | None = None, **facts: Any) -> dict[str, Any]:
    """The version, what was given, options and seed, and how each value was found.

    Parameters
    ----------
    given : Inputs, or (n, d) array
        Clusterings as they were prepared, or data alone.
    rows : list of IndexValue, optional
        The rows of the result: ``methods`` has the method of each index, ``method`` all of them in words.
    **facts : object
        Options, the seed and whatever else belongs to this procedure; a whole number for ``random_state`` is
        the seed. Those that are None are left away, and what JSON cannot hold is written as it prints.
    """
    from partita import __version__

    known: dict[str, Any] = {"partita": __version__}
    if isinstance(given, Inputs):
        known |= {"n": given.n_objects, "d": None if given.X is None else given.X.shape[1]}
        known |= {"kinds": given.kinds, "coverage": given.coverage, "weighted": given.weight is not None}
    else:
        known |= {"n": given.shape[0], "d": given.shape[1]}
    if isinstance(facts.get("random_state"), numbers.Integral):
        known["seed"] = facts["random_state"]
    if rows is not None:
        judged = list(rows)
        known |= {"method": method_of(judged), "methods": {row.index: row.method for row in judged}}
    return {name: _plain(fact) for name, fact in (known | facts).items() if fact is not None}


def _plain(fact: Any) -> Any:
    """A fact as JSON holds it: numbers, words, lists and dictionaries of them; else how it prints."""
    if isinstance(fact, str):
        return str(fact)
    if isinstance(fact, (bool, np.bool_)):
        return bool(fact)
    if isinstance(fact, numbers.Integral):
        return int(fact)
    if isinstance(fact, numbers.Real):
        return float(fact)
    if isinstance(fact, Mapping):
        # most are words, of which there are as many as indices
        return {str(name): value if type(value) is str else _plain(value) for name, value in fact.items()}
    if isinstance(fact, (list, tuple, range)):
        return [_plain(value) for value in fact]
    return repr(fact)
