"""What an answer may and may not say, over its typed values; its wording is not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from generated_data import number_of_groups
from partita.partitions import Partition
from partita.results.answers import ReasonKind
from partita.results.verdicts import RemarkKind, Strength

STRENGTHS = frozenset(get_args(Strength))
KINDS = frozenset(kind.value for kinds in (RemarkKind, ReasonKind) for kind in kinds)
NOT_CLEAR = STRENGTHS - {"clear"}
A_NUMBER = STRENGTHS - {"no structure"}


# --- what a result holds: the one place that knows its attributes -------------------------------------------


def labels_of(held: Any) -> np.ndarray | None:
    """Labels of a partition, or of what holds one; None without one."""
    partition = held if isinstance(held, Partition) else getattr(held, "partition", None)
    return None if partition is None else np.asarray(partition.harden().labels)


def others_of(result: Any) -> list[Any]:
    """Levels with another number of clusters, then alternatives; each has ``k`` and ``partition``."""
    levels = [level for level in getattr(result, "levels", ()) or () if level.k != result.k]
    return [*levels, *(getattr(result, "alternatives", ()) or ())]


def kinds_of(result: Any) -> dict[str, frozenset[str]]:
    """Kinds of the remarks and of the typed reasons."""
    held = {"remarks": "remarks", "reasons": "because"}
    return {
        field: frozenset(str(one.kind) for one in getattr(result, name, None) or ())
        for field, name in held.items()
    }


@dataclass(frozen=True)
class Answer:
    """What a procedure answered, for programs.

    ``k`` is None where it names no number; ``remarks`` and ``reasons`` are kinds; ``others`` are the numbers
    of levels and alternatives; ``clusters`` is the number of clusters in the partition that came with the
    answer, and ``objects`` its number of objects.
    """

    k: int | None
    strength: str
    remarks: frozenset[str] = frozenset()
    statement: str = ""
    names_k: bool = True
    reasons: frozenset[str] = frozenset()
    others: frozenset[int] = frozenset()
    clusters: int | None = None
    objects: int | None = None

    @classmethod
    def of_choose_k(cls, result: Any) -> Answer:
        labels = labels_of(result)
        counted = {} if labels is None else {"clusters": number_of_groups(labels), "objects": len(labels)}
        return cls(
            result.k,
            result.strength,
            statement=result.statement,
            others=frozenset(other.k for other in others_of(result)),
            **kinds_of(result),
            **counted,
        )

    @classmethod
    def of_stability(cls, result: Any) -> Answer:
        return cls(result.k, result.strength, statement=result.statement, **kinds_of(result))

    @classmethod
    def of_structure(cls, result: Any) -> Answer:
        """Of `structure`, which names no number of clusters."""
        return cls(None, result.strength, statement=result.statement, names_k=False, **kinds_of(result))

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of remarks and reasons."""
        return self.remarks | self.reasons

    def missing_clusters(self, n: int) -> str:
        """What is wrong with the partition that came with the number; nothing where it fits."""
        if self.k in (None, 1) or (self.clusters, self.objects) == (self.k, n):
            return ""
        if self.clusters is None:
            return f"k = {self.k} without its clusters"
        return f"k = {self.k} with {self.clusters} clusters of {self.objects} objects (of {n})"


@dataclass(frozen=True)
class Claim:
    """A set of answers: those for which everything that is given here holds.

    ``k`` and ``strength`` are the allowed values, ``other_than`` the excluded numbers; ``offers`` are numbers
    that are all in the answer, as the first or among the others; ``says`` are kinds of remarks and reasons
    that are all there, ``silent`` kinds of which none is there, ``no_remark`` kinds without a remark (a
    reason may still mention them).
    """

    k: frozenset[int | None] | None = None
    other_than: frozenset[int | None] = frozenset()
    strength: frozenset[str] = STRENGTHS
    offers: frozenset[int] = frozenset()
    says: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    no_remark: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = (self.strength - STRENGTHS) | ((self.says | self.silent | self.no_remark) - KINDS)
        if unknown:
            raise ValueError(f"no such strength or kind of remark: {sorted(unknown)}")

    def holds(self, answer: Answer) -> bool:
        return (
            (self.k is None or answer.k in self.k)
            and answer.k not in self.other_than
            and answer.strength in self.strength
            and self.offers <= answer.others | {answer.k}
            and self.says <= answer.kinds
            and not self.silent & answer.kinds
            and not self.no_remark & answer.remarks
        )

    def __str__(self) -> str:
        parts = [
            f"k in {_listed(self.k)}" if self.k is not None else "",
            f"k not in {_listed(self.other_than)}" if self.other_than else "",
            "/".join(sorted(self.strength)) if self.strength != STRENGTHS else "",
            f"offers {_listed(self.offers)}" if self.offers else "",
            f"says {_listed(self.says)}" if self.says else "",
            f"silent on {_listed(self.silent)}" if self.silent else "",
            f"no remark on {_listed(self.no_remark)}" if self.no_remark else "",
        ]
        return ", ".join(filter(None, parts)) or "anything"


def _listed(values: Iterable[object]) -> str:
    return "{" + ", ".join(sorted(map(str, values))) + "}"


@dataclass(frozen=True)
class Expectation:
    """One of the claims in ``may`` holds, if there are any; none of those in ``must_not``; and why."""

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
        "an answer without structure names no groups",
        must_not=(Claim(other_than=frozenset({1, None}), strength=frozenset({"no structure"})),),
    ),
    Expectation(
        "what is clear is a number",
        must_not=(Claim(k=frozenset({None}), strength=frozenset({"clear"})),),
    ),
)

HANDED_OVER = Expectation(
    "the best guess is handed over, however weak",
    must_not=(Claim(k=frozenset({None}), strength=A_NUMBER),),
)
"""Of `choose_k` only."""


# --- what is asked of many situations ---------------------------------------------------------------------


def at_most_contested(why: str) -> Expectation:
    """No groups; or, at the level of the test of structure, a contested number."""
    none = Claim(k=frozenset({1, None}), strength=NOT_CLEAR)
    return Expectation(why, may=(none, Claim(strength=frozenset({"contested"}))))


def one_group(why: str) -> Expectation:
    """No groups are named, and nothing is clear: not to reject is no proof."""
    return Expectation(why, may=(Claim(k=frozenset({1, None}), strength=NOT_CLEAR),))


def never_clear(why: str) -> Expectation:
    """Groups may be named, but not as if they were sure."""
    return Expectation(why, may=(Claim(strength=NOT_CLEAR),))


def clearly(why: str, k: int) -> Expectation:
    """This number, and it is clear."""
    return Expectation(why, may=(Claim(k=frozenset({k}), strength=frozenset({"clear"})),))


def exactly(why: str, *ks: int) -> Expectation:
    """One of these numbers, however sure."""
    return Expectation(why, may=(Claim(k=frozenset(ks), strength=A_NUMBER),))


def clear_only_if(why: str, *ks: int) -> Expectation:
    """A wrong number may be named, but not as if it were sure."""
    return Expectation(why, must_not=(Claim(other_than=frozenset(ks), strength=frozenset({"clear"})),))


def some_number(why: str) -> Expectation:
    """There are groups, and a number of them is named."""
    return Expectation(why, may=(Claim(strength=A_NUMBER),), must_not=(Claim(k=frozenset({1, None})),))


def not_nothing(why: str) -> Expectation:
    """There are groups: "no structure" comes only with the remark that the test has little power."""
    blind = Claim(strength=frozenset({"no structure"}), silent=frozenset({"low_power"}))
    one = Claim(k=frozenset({1}), silent=frozenset({"low_power"}))
    return Expectation(why, must_not=(blind, one))


def offers(why: str, *ks: int) -> Expectation:
    """All of these numbers are in the answer: first, or among its levels and alternatives."""
    return Expectation(why, may=(Claim(offers=frozenset(ks)),))


def says(why: str, *kinds: str) -> Expectation:
    """A remark or reason of one of these kinds is there."""
    return Expectation(why, may=tuple(Claim(says=frozenset({kind})) for kind in kinds))


def no_remark(why: str, kind: str) -> Expectation:
    """No remark of this kind is there."""
    return Expectation(why, may=(Claim(no_remark=frozenset({kind})),))


def never(why: str, k: int) -> Expectation:
    """This number is not the answer."""
    return Expectation(why, must_not=(Claim(k=frozenset({k})),))
