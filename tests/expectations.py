"""What an answer may and may not say, over its typed values: no wording is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from partita.results.verdicts import RemarkKind, Strength

STRENGTHS = frozenset(get_args(Strength))
KINDS = frozenset(kind.value for kind in RemarkKind)
NOT_CLEAR = STRENGTHS - {"clear"}


@dataclass(frozen=True)
class Answer:
    """What a procedure said, for programs; ``k`` is None where it names none."""

    k: int | None
    strength: str
    kinds: frozenset[str] = frozenset()
    statement: str = ""
    names_k: bool = True

    @classmethod
    def of(cls, result) -> Answer:
        """Of `choose_k` or `stability`."""
        return cls(
            result.k, result.strength, frozenset(str(r.kind) for r in result.remarks), result.statement
        )

    @classmethod
    def of_structure(cls, result) -> Answer:
        """Of `structure`, which names no number of clusters."""
        kinds = frozenset(str(r.kind) for r in result.remarks)
        return cls(None, result.strength, kinds, result.statement, names_k=False)


@dataclass(frozen=True)
class Claim:
    """A set of answers: those for which everything that is given here holds.

    ``k`` and ``strength`` are what the answer's may be, ``other_than`` what its k is not; ``says`` are kinds
    of remarks that are all there, ``silent`` kinds of which none is there.
    """

    k: frozenset[int | None] | None = None
    other_than: frozenset[int | None] = frozenset()
    strength: frozenset[str] = STRENGTHS
    says: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = (self.strength - STRENGTHS) | ((self.says | self.silent) - KINDS)
        if unknown:
            raise ValueError(f"no such strength or kind of remark: {sorted(unknown)}")

    def holds(self, answer: Answer) -> bool:
        return (
            (self.k is None or answer.k in self.k)
            and answer.k not in self.other_than
            and answer.strength in self.strength
            and self.says <= answer.kinds
            and not self.silent & answer.kinds
        )

    def __str__(self) -> str:
        parts = [
            f"k in {_listed(self.k)}" if self.k is not None else "",
            f"k not in {_listed(self.other_than)}" if self.other_than else "",
            "/".join(sorted(self.strength)) if self.strength != STRENGTHS else "",
            f"says {_listed(self.says)}" if self.says else "",
            f"silent on {_listed(self.silent)}" if self.silent else "",
        ]
        return ", ".join(filter(None, parts)) or "anything"


def _listed(values: Iterable[object]) -> str:
    return "{" + ", ".join(sorted(map(str, values))) + "}"


@dataclass(frozen=True)
class Expectation:
    """Of the claims in ``may`` one holds, if there are any; of those in ``must_not`` none; and why."""

    why: str
    may: tuple[Claim, ...] = ()
    must_not: tuple[Claim, ...] = ()

    def violation(self, answer: Answer) -> str:
        """What the answer does wrong, in words; nothing where it is as expected."""
        forbidden = [str(claim) for claim in self.must_not if claim.holds(answer)]
        if forbidden:
            return f"must not be: {'; '.join(forbidden)} ({self.why})"
        if self.may and not any(claim.holds(answer) for claim in self.may):
            return f"must be: {' or '.join(map(str, self.may))} ({self.why})"
        return ""


def violations(expectations: Iterable[Expectation], answer: Answer) -> list[str]:
    """All that an answer does wrong."""
    always = ALWAYS if answer.names_k else ()
    return [text for one in (*always, *expectations) if (text := one.violation(answer))]


# --- what is asked of every answer ------------------------------------------------------------------------

ALWAYS = (
    Expectation(
        "an answer that finds no structure names no groups",
        must_not=(Claim(other_than=frozenset({1, None}), strength=frozenset({"no structure"})),),
    ),
    Expectation(
        "what is clear is a number",
        must_not=(Claim(k=frozenset({None}), strength=frozenset({"clear"})),),
    ),
)


# --- what is asked of many situations ---------------------------------------------------------------------


def one_group(why: str) -> Expectation:
    """No groups are named, and nothing is called clear: not rejecting is no proof."""
    return Expectation(why, may=(Claim(k=frozenset({1, None}), strength=NOT_CLEAR),))


def never_clear(why: str) -> Expectation:
    """Groups may be named, but not as if they were sure."""
    return Expectation(why, may=(Claim(strength=NOT_CLEAR),))


def clearly(k: int, why: str) -> Expectation:
    """This number, and it is clear."""
    return Expectation(why, may=(Claim(k=frozenset({k}), strength=frozenset({"clear"})),))


def exactly(k: int, why: str) -> Expectation:
    """This number, however sure."""
    return Expectation(why, may=(Claim(k=frozenset({k}), strength=STRENGTHS - {"no structure"}),))


def clear_only_if(k: int, why: str) -> Expectation:
    """A wrong number may be said, but not as if it were sure."""
    return Expectation(why, must_not=(Claim(other_than=frozenset({k}), strength=frozenset({"clear"})),))


def not_nothing(why: str) -> Expectation:
    """There are groups: that none are seen is said only together with the weakness of the test."""
    blind = Claim(strength=frozenset({"no structure"}), silent=frozenset({"low_power"}))
    one = Claim(k=frozenset({1}), silent=frozenset({"low_power"}))
    return Expectation(why, must_not=(blind, one))


def says(kind: str, why: str) -> Expectation:
    """This kind of remark is there."""
    return Expectation(why, may=(Claim(says=frozenset({kind})),))


def silent(kind: str, why: str) -> Expectation:
    """This kind of remark is not there."""
    return Expectation(why, may=(Claim(silent=frozenset({kind})),))


def never(k: int, why: str) -> Expectation:
    """This number is not the answer."""
    return Expectation(why, must_not=(Claim(k=frozenset({k})),))


def beyond(k: int | None, why: str) -> Expectation:
    """This number lies beyond what was asked for: it was found all the same, or none is named, and why."""
    found = () if k is None else (Claim(k=frozenset({k})),)
    return Expectation(why, may=(*found, Claim(k=frozenset({None}), says=frozenset({"end_of_range"}))))
