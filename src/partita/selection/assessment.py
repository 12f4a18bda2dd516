"""From votes and checks to an answer: a number of clusters, how far it can be trusted, and what to know."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from partita.results import join_texts, show
from partita.results.verdicts import Remark, RemarkKind, Strength, speak
from partita.selection.convexity import Disagreement
from partita.selection.replication import ENOUGH, Replication

__all__ = ["Assessment", "Ballot", "Checked", "Checks", "assess"]

SUBSTANTIAL = 0.25
"""A mean silhouette below this shows no substantial structure (kaufman1990, table 4 of chapter 2)."""

MOST = 2 / 3
"""A larger share of the families that answer makes an answer clear, or lets votes stand against a test."""


PLAIN = 1.5
"""Dense clusters that stay apart while the reach grows by half are there, whatever the test says."""


@dataclass(frozen=True)
class Ballot:
    """What every family of indices chooses.

    Attributes
    ----------
    families : dict
        For each family its indices with the k that each chooses, None for no answer.
    ks : tuple of int
        The numbers of clusters that were tried.
    """

    families: Mapping[str, Mapping[str, Any]]
    ks: tuple[Any, ...]

    # --- what is chosen among: numbers of clusters here; a ballot of named clusterings says otherwise -----

    def named(self, *ks: Any) -> str:
        """One choice in a sentence, or several."""
        return f"k = {' or '.join(map(str, ks))}"

    def clusters_of(self, k: Any) -> int:
        """How many clusters a choice has."""
        return int(k)

    @property
    def without_structure(self) -> tuple[Any, str]:
        """The answer where there is no structure, and how its statement begins."""
        return 1, "k = 1"

    @property
    def ends(self) -> tuple[tuple[Any, str, str], ...]:
        """The choices at the ends of the range: which end that is, and what may lie beyond."""
        both = ((self.ks[-1], "largest", "more"), (self.ks[0], "smallest", "fewer"))
        return tuple(end for end in both if end[0] > 1)

    def beyond(self, k: Any, *, refuted: bool) -> str:
        """That a choice is at an end of the range, where nothing shows that it is the best.

        Two clusters are the fewest that can be: they are an answer where the test refutes one.
        """
        for end, word, more in self.ends:
            if k == end and not (word == "smallest" and k == 2 and refuted):
                return f"k = {k} or {more}: the {word} tried"
        return ""

    # --- counting -----------------------------------------------------------------------------------------

    @property
    def votes(self) -> dict[Any, float]:
        """For each chosen k its votes, most first: a family has one, divided evenly among its answers."""
        counted: dict[Any, float] = {}
        for answers in self._answers.values():
            for k in answers.values():
                counted[k] = counted.get(k, 0.0) + 1.0 / len(answers)
        exact = {k: round(v, 9) for k, v in counted.items()}
        whole = {k: int(v) if v == int(v) else v for k, v in exact.items()}
        order = {k: place for place, k in enumerate(self.ks)}
        return dict(sorted(whole.items(), key=lambda item: (-item[1], order.get(item[0], len(order)))))

    @property
    def _answers(self) -> dict[str, dict[str, Any]]:
        known = {f: {i: k for i, k in found.items() if k is not None} for f, found in self.families.items()}
        return {family: answers for family, answers in known.items() if answers}

    @property
    def tied(self) -> tuple[Any, ...]:
        """The numbers of clusters that share the most votes, where several do."""
        leading = tuple(k for k, count in self.votes.items() if count == max(self.votes.values()))
        return leading if len(leading) > 1 else ()

    @property
    def leading(self) -> Any:
        """The k with the most votes; None for a tie or no vote."""
        return None if self.tied or not self.votes else next(iter(self.votes))

    @property
    def answering(self) -> int:
        """How many families have an answer."""
        return len(self._answers)

    def share(self, k: Any) -> float:
        """The share of the families that answer which choose this k."""
        return self.votes.get(k, 0.0) / self.answering if self.answering else 0.0

    def counted(self, k: Any) -> str:
        """How many families choose a k, in words."""
        return f"{_round(self.votes.get(k, 0.0))} of {self.answering} {_families(self.answering)}"

    @property
    def against(self) -> str:
        """The other choices with who makes them, and who has none."""
        others = [k for k in self.votes if k != self.leading and k not in self.tied]
        parties = ", ".join(f"{self.named(k)} ({', '.join(self.choosers(k))})" for k in others)
        silent = [i for found in self.families.values() for i, k in found.items() if k is None]
        return join_texts(
            [f"others say {parties}" if parties else "", f"no answer: {', '.join(silent)}" if silent else ""]
        )

    def choosers(self, k: Any) -> list[str]:
        """The indices that choose a k."""
        return [i for answers in self._answers.values() for i, chosen in answers.items() if chosen == k]


def _round(count: float) -> str:
    return f"{count:g}" if count == int(count) else f"{count:.1f}"


def _families(count: int) -> str:
    return "family" if count == 1 else "families"


@dataclass(frozen=True)
class Checks:
    """What was looked at beside the votes; each is None or nan where it was not.

    Attributes
    ----------
    refuted : bool or None
        Whether laws without clusters are refuted.
    powerful : bool
        Whether the test would mostly find clusters that are there.
    structure : str
        What the test says, in words.
    p : float
        Its p-value.
    silhouette : float
        The mean silhouette of the clustering with the most votes.
    replication : Replication or None
        Whether its clusters are found again in the other half of the data.
    disagreement : Disagreement or None
        Where density sees other clusters than the method finds.
    remarks : tuple of Remark
        What is known of the data and the fits before votes are counted.
    doubts, support : tuple of str
        What else keeps the clustering with the most votes from being clear, and what else speaks for it.
    """

    refuted: bool | None = None
    powerful: bool = True
    structure: str = ""
    p: float = math.nan
    silhouette: float = math.nan
    replication: Replication | None = None
    disagreement: Disagreement | None = None
    remarks: tuple[Remark, ...] = field(default_factory=tuple)
    doubts: tuple[str, ...] = ()
    support: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checked:
    """What the checks came to, in numbers, for who tells an answer in other words; nan where nothing did.

    Attributes
    ----------
    refuted : bool or None
        Whether laws without clusters are refuted; None where that was not tested.
    powerful : bool
        Whether the test would mostly find clusters that are there.
    p, silhouette, prediction_strength : float
        Of the test of structure, and of the clustering with the most votes.
    found_again : bool or None
        Whether the prediction strength is enough.
    dense : int or None
        The number of clusters that density sees and the method does not find.
    """

    refuted: bool | None = None
    powerful: bool = True
    p: float = math.nan
    silhouette: float = math.nan
    prediction_strength: float = math.nan
    found_again: bool | None = None
    dense: int | None = None

    @classmethod
    def of(cls, checks: Checks) -> Checked:
        """The numbers of these checks."""
        again = checks.replication
        seen = checks.disagreement if _is_non_convex(checks) else None
        return cls(
            checks.refuted,
            checks.powerful,
            checks.p,
            checks.silhouette,
            math.nan if again is None else again.mean,
            None if again is None else again.is_enough,
            None if seen is None else seen.k,
        )


@dataclass(frozen=True)
class Assessment:
    """The answer: a number of clusters or None, how far it can be trusted, why, and what to know."""

    k: Any
    strength: Strength
    statement: str
    remarks: tuple[Remark, ...] = ()
    checked: Checked = Checked()


def assess(ballot: Ballot, checks: Checks) -> Assessment:
    """The answer that votes and checks carry together.

    "clear" needs all of these: laws without clusters are refuted, where that was tested; more than two
    thirds of the families that answer choose this k, and more than one answers; its mean silhouette is at
    least 0.25 and its prediction strength at least 0.8, where they were computed; it lies inside the range;
    density sees no other clusters; and no features drown others. Each of these fails on data where the others
    do not: a Gaussian cloud has a stable k = 2, kin indices agree on anything, moons have compact pieces, and
    euros beside shares are clustered by the euros.

    "no structure" needs a test that refutes nothing though it would find clusters, no dense clusters that
    last, and votes that do not overwhelm it. "contested" is a tie, no majority, or a contradiction between
    votes and a check. All else is "weak".
    """
    return replace(_judged(ballot, checks), checked=Checked.of(checks))


def _judged(ballot: Ballot, checks: Checks) -> Assessment:
    k = ballot.leading
    end = "" if k is None else ballot.beyond(k, refuted=bool(checks.refuted))
    remarks = (*checks.remarks, *_of_ends(ballot), *_of_shape(checks), *_of_kin(ballot))

    opening = f"there is structure (p = {show(checks.p)}): " if checks.refuted else ""

    def answer(k: Any, strength: Strength, *texts: str) -> Assessment:
        return Assessment(k, strength, opening + join_texts([*texts, ballot.against]), remarks)

    if _is_non_convex(checks):
        assert checks.disagreement is not None
        dense = f"contested: density sees {checks.disagreement.k} clusters that this method does not find"
        return answer(None, "contested", dense, f"indices of its own clusters say {_most_chosen(ballot)}")
    if checks.refuted is False and checks.powerful:
        if k is None or ballot.clusters_of(k) == 1 or not _overwhelms(ballot, checks):
            none, begins = ballot.without_structure
            return Assessment(none, "no structure", f"{begins}: {checks.structure}", remarks)
        return answer(
            None, "contested", f"contested: {ballot.named(k)} by {ballot.counted(k)}, but {checks.structure}"
        )
    if checks.refuted is False and not _overwhelms(ballot, checks):
        return answer(None, "weak", f"no answer: {checks.structure}")
    if not ballot.votes:
        flaws = [r.text for r in checks.remarks if r.kind in (RemarkKind.TINY_CLUSTERS, RemarkKind.COLLAPSED)]
        return answer(None, "contested", "no index gives an answer", *flaws)
    if k is None:
        tied = " or ".join(f"{ballot.named(k)} ({', '.join(ballot.choosers(k))})" for k in ballot.tied)
        return answer(None, "contested", f"contested: {tied}, with as many votes each")
    if end:
        return answer(None, "weak", f"no answer inside the range: {end}, by {ballot.counted(k)}")
    if ballot.share(k) <= 0.5 and ballot.answering > 1:
        return answer(None, "contested", f"contested: {ballot.named(k)} by {ballot.counted(k)}, no majority")
    doubts = _doubts(ballot, checks, k)
    if doubts:
        return answer(k, "weak", f"weak evidence for {ballot.named(k)}, by {ballot.counted(k)}", *doubts)
    return answer(k, "clear", f"{ballot.named(k)}, by {ballot.counted(k)}", _support(checks))


def _is_non_convex(checks: Checks) -> bool:
    """Whether density sees clusters that the method does not find: backed by the test, or plain by itself."""
    found = checks.disagreement
    return found is not None and (checks.refuted is not False or found.lasting >= PLAIN)


def _most_chosen(ballot: Ballot) -> str:
    leading = ballot.tied or ((ballot.leading,) if ballot.leading is not None else ())
    return ballot.named(*leading)


def _overwhelms(ballot: Ballot, checks: Checks) -> bool:
    """Whether votes stand against a test that found no structure: nearly all agree, and clusters hold."""
    k = ballot.leading
    replicated = checks.replication is not None and checks.replication.is_enough
    return k is not None and ballot.share(k) > MOST and replicated and checks.silhouette >= 0.5


def _doubts(ballot: Ballot, checks: Checks, k: Any) -> list[str]:
    """What keeps a majority from being clear."""
    doubts = [remark.text for remark in checks.remarks if remark.kind is RemarkKind.SCALE]
    if ballot.share(k) <= MOST:
        doubts.append("a clear answer needs more than two thirds")
    if checks.refuted is False:
        doubts.append(checks.structure)
    if ballot.clusters_of(k) == 1 and checks.refuted:
        doubts.append("yet it is not one plain cloud")
    if checks.silhouette < SUBSTANTIAL:
        doubts.append(
            f"its mean silhouette of {show(checks.silhouette)} is below {SUBSTANTIAL}: no substantial "
            "structure (Kaufman and Rousseeuw 1990)"
        )
    again = checks.replication
    if again is not None and ballot.clusters_of(k) > 1 and not again.is_enough:
        strength = "cannot be judged" if math.isnan(again.mean) else f"is {show(again.mean)}"
        doubts.append(
            f"its prediction strength {strength}, below {ENOUGH}: halves of the data do not agree on these"
            " clusters (Tibshirani and Walther 2005)"
        )
    if ballot.answering == 1 and (len(ballot.families) > 1 or again is None or not again.is_enough):
        doubts.append("one family of indices alone has an answer")
    return [*doubts, *checks.doubts]


def _support(checks: Checks) -> str:
    """What speaks for a clear answer beside the votes."""
    again = checks.replication
    parts = [
        f"silhouette {show(checks.silhouette)}" if math.isfinite(checks.silhouette) else "",
        f"prediction strength {show(again.mean)}" if again is not None and again.k > 1 else "",
    ]
    return ", ".join(part for part in (*parts, *checks.support) if part)


def _of_ends(ballot: Ballot) -> tuple[Remark, ...]:
    """Votes for the smallest or largest that was tried, which may be no best value."""
    said = []
    for k, word, beyond in ballot.ends:
        if ballot.choosers(k):
            names = ", ".join(ballot.choosers(k))
            said.append(f"{ballot.named(k)} is the {word} tried: {names} may mean {beyond}")
    return speak(RemarkKind.END_OF_RANGE, "; ".join(dict.fromkeys(said)))


def _of_shape(checks: Checks) -> tuple[Remark, ...]:
    found = checks.disagreement
    if found is None or not _is_non_convex(checks):
        return ()
    text = (
        f"density sees {found.k} clusters (DBCV {show(found.dbcv)}); for k = {found.k} this method finds"
        f" others (DBCV {show(found.other_dbcv)}; their ARI is {show(found.agreement)}). They are no compact"
        " ones, so indices of compactness mislead: try a method of density such as HDBSCAN, or a mixture if"
        " they are elongated"
    )
    return (Remark(RemarkKind.NON_CONVEX, text),)


def _of_kin(ballot: Ballot) -> tuple[Remark, ...]:
    """That all who speak are kin."""
    names = [
        family for family, found in ballot.families.items() if any(k is not None for k in found.values())
    ]
    many = [i for found in ballot.families.values() for i, k in found.items() if k is not None]
    alone = len(names) == 1 and len(many) > 1
    return speak(RemarkKind.KIN, f"all {len(many)} indices are of {names[0]}: one voice" if alone else "")
