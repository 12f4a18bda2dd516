"""What others call an index: packages, the papers, and spellings of our own names; which of ours is meant.

Case, hyphens, spaces, underscores and apostrophes do not matter. ``"NbClust:db"`` is the name that one
package has, ``"franti2017:Rand statistic"`` that of one paper.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from partita.errors import UnknownNameError

__all__ = [
    "OURS",
    "Meaning",
    "has_several_meanings",
    "meaning_of",
    "meanings",
    "peers",
    "same_spelling",
    "short_names",
]

OURS = "partita"

GENERIC = (
    "index",
    "indices",
    "score",
    "statistic",
    "coefficient",
    "coefficients",
    "criterion",
    "measure",
    "metric",
)
"""Words that may follow a name and say nothing."""

LEAST_STEM = 2
"""A name of fewer letters is not what remains of one that ends with such a word."""

ALSO_CALLED = {"sklearn": "scikit-learn"}

NAMED_BY = ("index", "crit", "method", "quality_index")
"""Arguments that name an index, where one function computes several."""

MOST_LISTED = 6


class Meaning(NamedTuple):
    """What a name stands for."""

    ours: str
    """The name of ours, with options; where partita has none, the nearest in meaning."""
    whose: str
    """The package or the paper that has the name; our own names are of partita."""
    spelled: str
    """The name as it is written there."""
    remark: str = ""
    """How the number there differs from ours, or where."""
    differs: bool = False
    """True if the number there is another one."""
    options: str = ""
    """Options of ours that give the number there, as they follow the colon of a name."""
    what: str = ""
    """What it is, for one that partita does not have."""

    @property
    def is_here(self) -> bool:
        """True if partita has the index."""
        return not self.what

    @property
    def name(self) -> str:
        """The name of ours, without options."""
        return self.ours.partition(":")[0]


# --- spellings --------------------------------------------------------------------------------------------


@cache
def same_spelling(text: str) -> str:
    """A name without what does not matter in it: two names are spelled the same where this is the same.

    An apostrophe matters only as a prime, after a symbol: Γ' is not Γ.
    """
    plain = unicodedata.normalize("NFKC", re.sub("[’′`]", "'", text)).casefold()
    plain = re.sub(r"(?<=\w\w)'s\b", "", plain)
    plain = re.sub(r"(?<!\w)(\w{1,2})'(?!\w)", r"\1prime", plain)
    plain = re.sub(r"(?<=al)is(?=ed\b|ed[\W_]|ation)", "iz", plain)
    return "".join(letter for letter in plain if letter.isalnum())


def _stems(text: str) -> Iterator[str]:
    """The spelling, and what remains of it without a word that says nothing."""
    whole = same_spelling(text)
    yield whole
    for word in GENERIC:
        if whole.endswith(word) and len(whole) - len(word) >= LEAST_STEM:
            yield whole.removesuffix(word)


def short_names(package: str, spelled: str) -> Iterator[str]:
    """The names that a user of a package types for what the tables spell as a call.

    ``NbClust(index = "db")`` is known as db, ``cluster.stats()$ch`` as ch, ``sim.vi`` as vi.
    """
    yield spelled
    head, _, rest = spelled.partition("(")
    named = re.findall(rf'\b(?:{"|".join(NAMED_BY)}) = "([^"]+)"', spelled)
    named += re.findall(r"quality_index = :(\w+)", spelled) + re.findall(r'\["(\w+)"\]$', spelled)
    if named:
        yield named[-1]
        return
    function, dollar, part = spelled.partition("()$")
    if dollar:
        yield part
        yield function
    elif not rest or rest == ")":
        yield head
        if not package.startswith("R "):
            yield head.rpartition(".")[2].rstrip("_")


# --- tables -----------------------------------------------------------------------------------------------


@cache
def _table(name: str) -> Mapping[str, Any]:
    return tomllib.loads((files("partita.registry") / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def peers() -> Mapping[str, Mapping[str, list[dict[str, str]]]]:
    """For each index of ours what each package calls it: name, and how the number ``differs``, or ``but``."""
    return {
        ours: {
            package: [{"name": one} if isinstance(one, str) else dict(one) for one in _listed(said)]
            for package, said in rows.items()
        }
        for ours, rows in _table("peers").items()
    }


def _listed(said: Any) -> list[Any]:
    return said if isinstance(said, list) else [said]


def _of_papers() -> Iterator[Meaning]:
    for paper, names in _table("papers").items():
        for spelled, ours in names.items():
            yield from (Meaning(one, paper, spelled) for one in _listed(ours))


def _of_packages() -> Iterator[Meaning]:
    for ours, rows in peers().items():
        for package, said in rows.items():
            for one in said:
                remark = one.get("differs") or one.get("but", "")
                yield Meaning(ours, package, one["name"], remark, "differs" in one, one.get("ours", ""))
    for fact in _table("elsewhere").values():
        what = "" if fact.get("same") else fact["what"]
        for package, spelled in fact["names"].items():
            yield from (Meaning(fact["near"], package, name, what=what) for name in _listed(spelled))


@cache
def _by_spelling() -> Mapping[str, tuple[Meaning, ...]]:
    """What packages and papers mean, by spelling."""
    known: dict[str, dict[Meaning, None]] = {}
    for meaning in _of_papers():
        known.setdefault(same_spelling(meaning.spelled), {})[meaning] = None
    for meaning in _of_packages():
        for name in short_names(meaning.whose, meaning.spelled):
            known.setdefault(same_spelling(name), {})[meaning._replace(spelled=name)] = None
    return {spelling: tuple(found) for spelling, found in known.items()}


@cache
def _sources() -> Mapping[str, frozenset[str]]:
    """The packages and papers by how they may be written before the colon: without the language, too."""
    known: dict[str, set[str]] = {}
    for meaning in (*_of_papers(), *_of_packages()):
        for name in (meaning.whose, re.sub("^(R|Python) ", "", meaning.whose)):
            known.setdefault(same_spelling(name), set()).add(meaning.whose)
    for name, source in ALSO_CALLED.items():
        known[name] = known[same_spelling(source)]
    return {name: frozenset(whose) for name, whose in known.items()}


@cache
def _several() -> frozenset[str]:
    """Spellings for which the papers print several of ours."""
    return frozenset(
        same_spelling(name)
        for names in _table("papers").values()
        for name, ours in names.items()
        if isinstance(ours, list)
    )


# --- look-up ----------------------------------------------------------------------------------------------


def has_several_meanings(name: str) -> bool:
    """True for a symbol that the papers print for several indices: SC, CH."""
    return same_spelling(name) in _several()


def meanings(name: str, own: Mapping[str, Sequence[str]]) -> tuple[tuple[Meaning, ...], str]:
    """What a name stands for, and the options after it.

    Parameters
    ----------
    name : str
        ``"db"``, ``"NbClust:db"``, ``"Folkes_Mallows"``, ``"SC"``.
    own : dict
        Spellings of our own names, symbols, aliases and titles, and the indices that have them.
    """
    head, colon, rest = name.partition(":")
    whose = _sources().get(same_spelling(head)) if colon else None
    if whose:
        head, _, options = rest.partition(":")
    else:
        options = rest
    for stem in _stems(head):
        found = list(_by_spelling().get(stem, ()))
        if whose:
            found = [_as_there(one) for one in found if one.whose in whose]
        if whose is None and (mine := [Meaning(one, OURS, head) for one in own.get(stem, ())]):
            found = [*mine, *found] if stem in _several() else mine
        if found:
            return tuple(found), options
    return (), options


def _as_there(meaning: Meaning) -> Meaning:
    """With the options of ours that give the number there, where there are some."""
    if not meaning.options:
        return meaning
    return meaning._replace(ours=f"{meaning.ours}:{meaning.options}", differs=False)


def meaning_of(
    name: str,
    own: Mapping[str, Sequence[str]],
    fits: Callable[[str], bool] | None = None,
    parameter: str = "index",
) -> tuple[Meaning, str] | None:
    """The one meaning of a name and the options after it; None where nobody has the name.

    Parameters
    ----------
    name, own
        As `meanings` takes them.
    fits : callable, optional
        True for names of ours that can be meant here; of several meanings only these are considered.
    parameter : str
        The parameter that errors are about.
    """
    found, options = meanings(name, own)
    if not found:
        return None
    here = [one for one in found if one.is_here]
    absent = [one for one in found if not one.is_here]
    if fits is not None and len({one.name for one in here}) > 1:
        here = [one for one in here if fits(one.name)] or here
    if not all(one.differs for one in here):
        here = [one for one in here if not one.differs]
    if len({one.ours for one in here}) == 1 and not absent:
        return here[0], options
    if not here:
        raise _not_here(name, absent, parameter)
    listed = list(_listed_by_index((*here, *absent)))
    raise UnknownNameError(
        f"{name!r} has several meanings.",
        got=repr(name),
        need="; or ".join(listed[:MOST_LISTED]) + ("; ..." if len(listed) > MOST_LISTED else ""),
        fix=f"write {' or '.join(dict.fromkeys(one.ours for one in here))}",
        parameter=parameter,
    )


def _listed_by_index(found: Sequence[Meaning]) -> Iterator[str]:
    """Each index that a name may mean, ours or not, with those who have the name for it."""
    users: dict[str, list[str]] = {}
    for one in found:
        index = one.ours if one.is_here else f"{one.what}, which is not in partita"
        users.setdefault(index, []).extend([one.whose] * (one.whose != OURS))
    for index, whose in users.items():
        yield f"{index} ({', '.join(dict.fromkeys(whose))})" if whose else index


def _not_here(name: str, absent: Sequence[Meaning], parameter: str) -> UnknownNameError:
    """The error for an index that others have and partita has not."""
    nearest = " or ".join(dict.fromkeys(one.ours for one in absent))
    known_as: dict[str, list[str]] = {}
    for one in absent:
        known_as.setdefault(one.what, []).append(f"{one.spelled} in {one.whose}")
    told = "; ".join(f"{what} ({', '.join(dict.fromkeys(by))})" for what, by in known_as.items())
    return UnknownNameError(
        f"{name!r} is not in partita: nearest in meaning is {nearest}.",
        got=told,
        need="an index that partita has: `partita indices` and indices.catalogue() list them",
        fix=f"use {nearest}",
        parameter=parameter,
    )
