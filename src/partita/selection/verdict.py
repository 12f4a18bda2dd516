"""From scored clusterings and the test of structure to one answer with its reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from partita.results import number, plain
from partita.results.answers import Answer, Reason, ReasonKind, Role
from partita.results.records import read_back
from partita.results.verdicts import Strength
from partita.selection._structure import Structure
from partita.selection.evidence import (
    FEWEST_OBJECTS,
    MIXTURE,
    TREE,
    WARD,
    Evidence,
    ScoredClustering,
    ranked,
)
from partita.statistics.tables.near_clusterings import SAME, Clusterings

__all__ = ["Verdict", "counted", "judge"]

CLEAR_SCORE, WEAK_SCORE = 1.6, 1.1
"""Scores from which an answer is clear, and from which it is given whatever the test of structure says."""

ONE_CLUSTER_SCORE = 0.9
"""Where the test of structure cannot tell, one cluster is the best guess below this score: 158 of 165 data
sets from a single distribution had less, and few with clusters."""

TIED_MARGIN = 0.05
"""A smaller lead over other clusters leaves an answer contested."""

OTHER_LEVEL = 0.7
"""Adjusted Rand index below which another clustering is a second answer and no variant of the first."""

LEVEL_SCORE, NESTED_SHARE = 1.0, 0.95
"""A second answer is a level where its score is this large, it lasts, and so many objects of the finer
clusters lie in one of the coarser."""

RIVAL_LEVEL_SCORE = 1.3
"""From 4 columns on, scores are not calibrated: a second level of this score leaves no answer clear."""

LEAST_COVERAGE = 0.5
"""Share of the objects that must be in a cluster for a clear answer."""

LONG_LASTING = 0.4
"""Logarithm of the growth of the reach from which an answer is said to last."""

MOST_ALTERNATIVES = 10
MOST_NAMED = 3
"""Numbers of clusterings that a result keeps, and that a sentence names."""

MOST_NAME_WORDS = 6
"""Words of the name of a clustering in the first line."""

ONE_CLUSTER = ScoredClustering(np.zeros(1, np.int64), "one cluster", k=1)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The answer about clusterings of data, with the clusterings that it rests on.

    Attributes
    ----------
    answer : Answer
        The number of clusters, the strength and the reasons.
    best : ScoredClustering or None
        The clustering of the largest score, of all objects; None where there is no structure.
    margin : float
        Its score minus the best one of other clusters.
    levels : tuple of ScoredClustering
        The best, and the second where the two are nested and its score is at least 1: the coarser first.
    alternatives : tuple of ScoredClustering
        Ten other clusterings at most, all different: better supported ones of another method; the second
        where it is no level (the best one with another number of clusters and an adjusted Rand index below
        0.7); then the others by score.
    """

    answer: Answer
    best: ScoredClustering | None = None
    margin: float = math.nan
    levels: tuple[ScoredClustering, ...] = ()
    alternatives: tuple[ScoredClustering, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON holds it, without labels of objects."""
        return {
            "answer": self.answer.to_dict(),
            "best": None if self.best is None else plain(self.best.to_dict()),
            "margin": plain(self.margin),
            "levels": [plain(one.to_dict()) for one in self.levels],
            "alternatives": [plain(one.to_dict()) for one in self.alternatives],
        }

    @classmethod
    @read_back
    def from_dict(cls, row: Mapping[str, Any]) -> Verdict:
        """The verdict that `to_dict` wrote, without labels of objects."""
        best = None if row["best"] is None else ScoredClustering.from_dict(row["best"])
        levels = tuple(
            best if best is not None and one == row["best"] else ScoredClustering.from_dict(one)
            for one in row["levels"]
        )
        alternatives = tuple(map(ScoredClustering.from_dict, row["alternatives"]))
        return cls(Answer.from_dict(row["answer"]), best, number(row["margin"]), levels, alternatives)


def judge(
    evidence: Evidence,
    clusterings: Sequence[ScoredClustering],
    structure: Structure | None,
    *,
    largest_k: int | None = None,
    rivals: Sequence[ScoredClustering] = (),
    column: str = "",
    called: str = "",
    alike: Sequence[str] = (),
    coverage: float = 1.0,
    flaw: str = "",
    end: str = "",
) -> Verdict:
    """The verdict on scored clusterings of the objects that were clustered.

    Parameters
    ----------
    evidence : Evidence
        By which they were scored.
    clusterings : list of ScoredClustering
        The candidates for the answer.
    structure : Structure or None
        The test of structure, where it was asked for.
    largest_k : int, optional
        The largest number of clusters tried, which is no clear answer; None where nothing was swept.
    rivals : list of ScoredClustering
        Clusterings that cannot be the answer but speak against a worse one: those of partita's own methods
        where the user named another.
    column : str
        The name of the column that dominates the distances.
    called : str
        The name of the answer among ready clusterings, of which the first line has the first words.
    alike : list of str
        The names of others with the same clusters.
    coverage : float
        The share of objects in a cluster of the answer; with less than half it is not clear.
    flaw : str
        Why the fit of the answer does not count, where no other does; it is not clear then.
    end : str
        That the answer lies at the end of the values of a parameter, beyond which there may be more clusters.
    """
    n = len(evidence.data)
    order = ranked(one for one in clusterings if one.k > 1)
    is_unknown = structure is not None and structure.verdict == "cannot tell"
    if n < FEWEST_OBJECTS or not (order or is_unknown):
        seen = tuple(evidence.whole(one) for one in rivals if n >= FEWEST_OBJECTS)
        return Verdict(_without_clusters(n, structure, rivals), alternatives=seen)
    best = order[0] if order else ONE_CLUSTER
    if is_unknown and best.score < WEAK_SCORE:
        assert structure is not None
        return _cannot_tell(evidence, structure, order)
    near = Clusterings([best.labels])
    others = [(one, near.agreement(one.labels)) for one in order[1:]]
    rival = next((one for one, same in others if one.k != best.k and same < SAME), None)
    margin = best.score - (0.0 if rival is None else rival.score)
    second = next((one for one, same in others if one.k != best.k and same < OTHER_LEVEL), None)
    levels: tuple[ScoredClustering, ...] = (best,)
    first_others = [] if second is None else [second]
    if second is not None and _is_level(best, second):
        levels, first_others = tuple(sorted((best, second), key=lambda one: one.k)), []
    stronger = next((one for one in rivals if one.score > best.score + TIED_MARGIN), None)
    if stronger is not None and near.agreement(stronger.labels) >= SAME:
        stronger = None
    strength = _strength(evidence, best, margin, structure)
    is_largest = largest_k is not None and best.k >= largest_k
    at_end = is_largest or bool(end)
    if strength == "clear" and (
        at_end
        or stronger is not None
        or coverage < LEAST_COVERAGE
        or flaw
        or _denies(structure)
        or (evidence.data.shape[1] > 3 and second is not None and second.score >= RIVAL_LEVEL_SCORE)
    ):
        strength = "weak"
    if strength == "no structure":
        assert structure is not None
        others_seen = tuple(evidence.whole(one) for one in _different(order))
        return Verdict(Answer(None, "no structure", *_of_test(structure)), None, margin, (), others_seen)
    reasons = [
        *_of_doubts(best, stronger, coverage, flaw, end, is_largest=is_largest),
        *_of_data(evidence, structure, best, strength, column),
        *_of_levels(levels),
        *_of_methods(best, strength, evidence.bic_weight, alike),
    ]
    if rival is not None and stronger is None and margin < 2 * TIED_MARGIN:
        short = f"({rival.method}) are nearly as good"
        text = f"{counted(rival.k)} {short}: the score is {margin:.2f} lower"
        values = {"k": rival.k, "margin": margin}
        reasons.append(Reason(ReasonKind.RIVAL, f"{rival.k} {short}", text, "against", values))
    if strength == "contested" and not any(reason.role == "next" for reason in reasons):
        reasons.append(Reason(ReasonKind.RIVAL, "see .alternatives", role="next"))
    answer = Answer(best.k, strength, _headline(best, strength, levels, evidence, called), tuple(reasons))
    whole = tuple(evidence.whole(one) for one in levels)
    apart = [one for one in levels if one is not best]
    named = [] if stronger is None else [stronger]
    shown = _different([*named, *first_others, *ranked((*order, *rivals))], [best, *apart])
    others_whole = tuple(evidence.whole(one) for one in shown)
    return Verdict(answer, whole[levels.index(best)], margin, whole, others_whole)


def _cannot_tell(evidence: Evidence, structure: Structure, order: Sequence[ScoredClustering]) -> Verdict:
    """The best guess where neither the score nor the test of structure decides."""
    guess = order[0] if order and order[0].score >= ONE_CLUSTER_SCORE else ONE_CLUSTER
    whole = replace(guess, of_all=np.zeros(len(evidence.data), np.int64)) if guess is ONE_CLUSTER else guess
    whole = evidence.whole(whole)
    headline, reasons = _of_test(structure)
    advice = Reason(ReasonKind.LOW_POWER, f"best guess: {counted(guess.k)}", role="next")
    others = _different([one for one in order if one is not guess], order[:1] if guess.k > 1 else ())
    return Verdict(
        Answer(guess.k, "contested", headline, (*reasons, advice)),
        whole,
        math.nan,
        (whole,),
        tuple(evidence.whole(one) for one in others),
    )


def counted(k: int) -> str:
    """A number of clusters in words."""
    return f"{k} cluster{'' if k == 1 else 's'}"


def _strength(
    evidence: Evidence, best: ScoredClustering, margin: float, structure: Structure | None
) -> Strength:
    """The strength by score and margin; see docs/choosing for how often each is right."""
    if best.score >= CLEAR_SCORE:
        return "clear" if evidence.metric != "precomputed" else "weak"
    if best.score >= WEAK_SCORE:
        return "weak" if margin >= TIED_MARGIN else "contested"
    return "no structure" if _denies(structure) else "contested"


def _denies(structure: Structure | None) -> bool:
    return structure is not None and structure.verdict == "no structure"


def _is_level(best: ScoredClustering, second: ScoredClustering) -> bool:
    """True for a second answer that lasts, nested in the best or around it up to 5 % of the objects."""
    if second.score < LEVEL_SCORE or second.lasting < LONG_LASTING:
        return False
    coarse, fine = sorted((best, second), key=lambda c: c.k)
    table = np.zeros((fine.labels.max() + 1, coarse.labels.max() + 1), np.int64)
    np.add.at(table, (fine.labels, coarse.labels), 1)
    return bool(table.max(axis=1).sum() >= NESTED_SHARE * table.sum())


def _different(
    order: Sequence[ScoredClustering], apart_from: Sequence[ScoredClustering] = ()
) -> tuple[ScoredClustering, ...]:
    """The first of these that are no variants of each other, nor of others."""
    kept: list[ScoredClustering] = []
    for one in order:
        if not Clusterings(other.labels for other in (*apart_from, *kept)).near(one.labels):
            kept.append(one)
        if len(kept) == MOST_ALTERNATIVES:
            break
    return tuple(kept)


# --- reasons ----------------------------------------------------------------------------------------------


def _headline(
    best: ScoredClustering,
    strength: Strength,
    levels: Sequence[ScoredClustering],
    evidence: Evidence,
    called: str,
) -> str:
    """The number of clusters and the strength."""
    words = called.split()
    called = " ".join(words[:MOST_NAME_WORDS]) + " ..." * (len(words) > MOST_NAME_WORDS)
    name = f" ({called})" if called else ""
    if strength == "contested":
        return f"Contested: {counted(best.k)}{name or f' ({best.method})'} at best"
    coarse, fine = levels[0], levels[-1]
    groups = ""
    if len(levels) > 1 and fine.k % coarse.k == 0 and fine is best:
        groups = f", in {coarse.k} groups of {fine.k // coarse.k}" if _are_even(coarse, fine) else ""
    scale = ", after columns got equal weight" if _is_rescaled(evidence, best) else ""
    return f"{counted(best.k)}{name}, {strength}{groups}{scale}"


def _are_even(coarse: ScoredClustering, fine: ScoredClustering) -> bool:
    """True where every coarse cluster holds the same number of fine ones."""
    home = [np.bincount(coarse.labels[fine.labels == j]).argmax() for j in range(fine.k)]
    return len(set(np.bincount(home, minlength=coarse.k).tolist())) == 1


def _of_stronger(stronger: ScoredClustering, best: ScoredClustering | None) -> Iterator[Reason]:
    """Better supported clusters that partita's own methods find."""
    text = f"the {stronger.method} sees {counted(stronger.k)}"
    text = text if best is None else f"{text}, which are better supported"
    values = {"k": stronger.k, "score": stronger.score, "method": stronger.method}
    against = "" if best is None else f" against {best.score:.2f}"
    yield Reason(ReasonKind.RIVAL, text, f"{text} (score {stronger.score:.2f}{against})", "against", values)
    yield Reason(ReasonKind.RIVAL, "see .alternatives", role="next")


def _of_doubts(
    best: ScoredClustering,
    stronger: ScoredClustering | None,
    coverage: float,
    flaw: str,
    end: str,
    *,
    is_largest: bool,
) -> Iterator[Reason]:
    """Better supported clusters, noise, a fit that does not count, and the end of the range."""
    if stronger is not None:
        yield from _of_stronger(stronger, best)
    if coverage < LEAST_COVERAGE:
        text = f"only {coverage:.0%} of the objects are in a cluster"
        yield Reason(ReasonKind.FLAW, text, text, "against", {"coverage": coverage})
    if flaw:
        yield Reason(ReasonKind.FLAW, flaw, role="against")
    if is_largest or end:
        known = {"k": best.k}
        advice = "ask again with larger ks" if is_largest else "ask again with values beyond"
        yield Reason(ReasonKind.END_OF_RANGE, end or "the largest number tried", "", "against", known)
        yield Reason(ReasonKind.END_OF_RANGE, advice, role="next", values=known)


def _of_data(
    evidence: Evidence, structure: Structure | None, best: ScoredClustering, strength: Strength, column: str
) -> Iterator[Reason]:
    """A column that decides the distances, the sample, and the test of structure."""
    if evidence.dominant is not None:
        seen = evidence.data[evidence.rows]
        variances = (seen / np.abs(seen).max()).var(axis=0)  # squares of very small values are no numbers
        share = float(variances[evidence.dominant] / variances.sum())
        percent = f"{share:.1%}" if share < 0.9995 else "more than 99.9 %"
        short = f"{column} alone made {percent} of the distances"
        text = f"{short}, so that both the data as they are and columns of equal weight were clustered"
        # otherwise the same clusters, or better ones, are in the data as given
        role: Role = "for" if _is_rescaled(evidence, best) else "against"
        values = {"column": column, "share": share}
        yield Reason(ReasonKind.SCALE, short if role == "for" else "", text, role, values)
    n, m = len(evidence.data), len(evidence.rows)
    if m < n:
        short = f"seen in {m:,} of {n:,} objects"
        text = (
            f"{m:,} of {n:,} objects were clustered, the others follow their nearest; groups with less than"
            " about 0.5 % of the objects cannot be seen"
        )
        yield Reason(ReasonKind.SAMPLED, short, text, "against", {"n": n, "m": m})
    if structure is not None:  # in the first line only where it decides
        headline, reasons = _of_test(structure)
        decides = best.score < WEAK_SCORE or (_denies(structure) and strength == "weak")
        text = f"{headline}: {'; '.join(reason.short for reason in reasons)}" if reasons else headline
        kind = ReasonKind.LOW_POWER if structure.verdict == "cannot tell" else ReasonKind.STRUCTURE
        role = "for" if structure.verdict == "structure" else "against"
        yield Reason(kind, headline.lower() if decides else "", text, role, {"p": structure.p})


def _of_levels(levels: Sequence[ScoredClustering]) -> Iterator[Reason]:
    if len(levels) > 1:
        coarse, fine = levels
        scores = f"scores {fine.score:.2f} and {coarse.score:.2f}"
        text = f"there are two levels, {counted(coarse.k)} and {counted(fine.k)} within them ({scores})"
        values = {"coarse": coarse.k, "fine": fine.k}
        yield Reason(ReasonKind.LEVELS, f"two levels hold, {coarse.k} and {fine.k}", text, values=values)


def _of_methods(
    best: ScoredClustering, strength: Strength, bic_weight: float, alike: Sequence[str]
) -> Iterator[Reason]:
    """Methods and other candidates that find the same clusters, and how long these last."""
    same = [name for name, value in best.agrees_with.items() if value > SAME]
    lasts = f"apart while the reach grows {math.exp(best.lasting):.1f}-fold"
    values = {"agrees_with": dict(best.agrees_with), "lasting": best.lasting}
    if same:
        least = min(best.agrees_with[name] for name in same)
        is_ready = "name" in best.parameters
        names = same if is_ready else [str(best.parameters.get("estimator", best.method)), *same]
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        verb = "find the same" if least > 0.995 else "agree"
        verb = verb if len(names) > 1 else "finds the same" if least > 0.995 else "agrees"
        text = f"{listed} {verb} (ARI {least:.2f})"
        yield Reason(ReasonKind.AGREEMENT, text, text, values=values)
    if best.lasting >= LONG_LASTING:
        short, text = (lasts, "") if same else (f"dense, {lasts}", "are dense and ")
        yield Reason(ReasonKind.LASTING, short, f"the clusters {text}stay {lasts}", values=values)
        if best.method == TREE and not same:
            alone = "only density trees see them, k-means would cut them"
            yield Reason(ReasonKind.AGREEMENT, alone, role="against", values=values)
    elif not same:
        others = " nor ".join(name for name in best.agrees_with if name != WARD)
        text = "no two methods agree" if best.method in (TREE, MIXTURE) else f"neither {others} agrees"
        yield Reason(ReasonKind.AGREEMENT, text, text, "against", values)
    if best.best_bic > 0.95 * bic_weight and strength != "contested":
        text = "a mixture with these clusters has the best BIC"
        yield Reason(ReasonKind.BEST_BIC, "best BIC", text, values={"best_bic": best.best_bic})
    if alike:
        more = f" and {len(alike) - MOST_NAMED} more" if len(alike) > MOST_NAMED else ""
        verb = "has" if len(alike) == 1 else "have"
        text = f"{', '.join(alike[:MOST_NAMED])}{more} {verb} the same clusters"
        yield Reason(ReasonKind.AGREEMENT, text, text, values={"alike": list(alike)})


def _is_rescaled(evidence: Evidence, best: ScoredClustering) -> bool:
    """True where the columns got equal weight although the data had another scale.

    Own mixtures, which name their number of components, are of columns of equal weight.
    """
    scaled = best.parameters.get("scale") == "standard" or "n_components" in best.parameters
    return evidence.dominant is not None and scaled


def _of_test(structure: Structure) -> tuple[str, tuple[Reason, ...]]:
    """The statement of the test, without its advice, as a headline with one reason."""
    found = structure.statement.partition(" Next: ")[0]
    headline, _, why = found.rstrip(".").partition(": ")
    headline = f"{headline[:1].upper()}{headline[1:]}"
    return headline, (Reason(ReasonKind.STRUCTURE, why),) if why else ()


def _without_clusters(n: int, structure: Structure | None, rivals: Sequence[ScoredClustering] = ()) -> Answer:
    """The answer where there is no candidate."""
    if n < FEWEST_OBJECTS:
        text = f"{n} object{' is' if n == 1 else 's are'} too few; {FEWEST_OBJECTS} are needed"
        return Answer(None, "no structure", "No clusters can be seen", (Reason(ReasonKind.LOW_POWER, text),))
    if _denies(structure):
        assert structure is not None
        return Answer(None, "no structure", *_of_test(structure))
    reasons = [Reason(ReasonKind.STRUCTURE, "no method divides these objects")]
    if rivals:
        reasons = [Reason(ReasonKind.FLAW, "no candidate has two clusters")]
        if rivals[0].score >= WEAK_SCORE:
            reasons += list(_of_stronger(rivals[0], None))
    return Answer(None, "no structure", "No clusters were found", tuple(reasons))
