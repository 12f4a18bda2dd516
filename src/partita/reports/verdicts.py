"""The verdict of a report: the answer with its reasons, and the sentences of other results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

from partita.comparison import Comparison
from partita.partitions import HARD, Partition
from partita.plots.answers import titled
from partita.plots.names import short_name
from partita.plots.palette import noise_name
from partita.reports.documents import Sentence, Weight
from partita.reports.words import clusters, sentence
from partita.results import Result, show
from partita.results.answers import ReasonKind, Role
from partita.results.verdicts import Remark, RemarkKind
from partita.selection import Stability
from partita.selection.choices import Decision
from partita.selection.stabilities import RECOVERED
from partita.validation import Validation

__all__ = ["compared_with", "distrust", "joined_sentences", "sentences_of"]

WORDS = {
    RemarkKind.END_OF_RANGE: "The end of the range",
    RemarkKind.SCALE: "Units",
    RemarkKind.COLLAPSED: "Collapsed components",
    RemarkKind.TINY_CLUSTERS: "Tiny clusters",
    RemarkKind.NON_CONVEX: "Shape",
    RemarkKind.KIN: "Related indices",
    RemarkKind.NOISE: "",
    RemarkKind.UNDEFINED: "",
    RemarkKind.SAMPLED: "A sample",
    RemarkKind.DUPLICATES: "Duplicates",
    RemarkKind.LOW_POWER: "A weak test",
}
"""Words in front of a remark of each kind."""

SHOWN_BY = {
    ReasonKind.AGREEMENT: "scores",
    ReasonKind.LASTING: "lasting",
    ReasonKind.BEST_BIC: "scores",
    ReasonKind.LEVELS: "levels",
    ReasonKind.RIVAL: "scores",
    ReasonKind.END_OF_RANGE: "scores",
    ReasonKind.STRUCTURE: "structure",
    ReasonKind.LOW_POWER: "structure",
    ReasonKind.STABLE: "stability",
    ReasonKind.VOTES: "curves",
}
"""The figure that shows a reason; the table shows the others."""

WEIGHTS: dict[Role, Weight] = {"for": "support", "against": "against", "next": "next"}

GIVEN_AS_REASONS = {
    RemarkKind.SCALE: (ReasonKind.SCALE,),
    RemarkKind.SAMPLED: (ReasonKind.SAMPLED,),
    RemarkKind.END_OF_RANGE: (ReasonKind.END_OF_RANGE,),
    RemarkKind.NON_CONVEX: (ReasonKind.RIVAL,),
    RemarkKind.LOW_POWER: (ReasonKind.STRUCTURE, ReasonKind.LOW_POWER),
}
"""Remarks that repeat a reason of the same answer."""

NOISE_COUNTS = {
    "cluster": "noise counts as one more cluster",
    "singletons": "each such object counts as a cluster of its own",
    "ignore": "such objects were left out",
}
"""The treatment of noise, by policy."""

FOUND = "the clustering found"
"""The name of the answer beside other labels."""

OF_DATA = (RemarkKind.SCALE, RemarkKind.DUPLICATES)
"""Remarks on data, which are the same in all results and appear once."""


@singledispatch
def sentences_of(result: Result, anchor: str, name: str = "") -> list[Sentence]:
    """The sentences of a result, the most important first.

    Parameters
    ----------
    result : Result
        The result of a procedure.
    anchor : str
        The place of the result in the page.
    name : str
        The name that the user gave it, such as that of the clustering that was compared with.
    """
    said = result.statement or str(getattr(result, "title", ""))
    return [Sentence(sentence(f"{name}: {said}" if name else said), anchor, "answer")] if said else []


def distrust(results: Sequence[tuple[Result, str, str]]) -> list[Sentence]:
    """The remarks on all results, each once; not those that a reason of the answer gives already.

    Parameters
    ----------
    results : list of (result, anchor, name)
        As `sentences_of` takes them.
    """
    reasons = {
        reason.kind for result, *_ in results if isinstance(result, Decision) for reason in result.because
    }
    said: dict[tuple[RemarkKind, str], Sentence] = {}
    for result, anchor, name in results:
        for remark in result.remarks:
            is_decision = isinstance(result, Decision) or remark.kind in OF_DATA
            if is_decision and reasons.intersection(GIVEN_AS_REASONS.get(remark.kind, ())):
                continue
            text = _remark_text(result, remark, name)
            key = (remark.kind, "" if remark.kind in OF_DATA else text)
            said.setdefault(key, Sentence(text, anchor, "distrust"))
    return list(said.values())


def _remark_text(result: Result, remark: Remark, name: str) -> str:
    if remark.kind is RemarkKind.NOISE and isinstance(result, (Comparison, Validation)):
        return _noise(result, name)
    word, of = WORDS[remark.kind], short_name(name) if name and remark.kind not in OF_DATA else ""
    head = f"{word} ({of})" if word and of else word or f"for {of}" * bool(of)
    return sentence(f"{head}: {remark.text}" if head else remark.text)


def _noise(result: Comparison | Validation, name: str) -> str:
    """The share of objects in no cluster, and their treatment."""
    noisy = 1.0 - float(result.provenance.get("coverage", math.nan))
    where = f" in {short_name(name)}" if name else ""
    where += " or in the clustering found" if name and isinstance(result, Comparison) else ""
    if name and result.inputs is not None and isinstance(result, Comparison):
        where = _noisy_sides(result, short_name(name)) or where
    counts = NOISE_COUNTS.get(str(result.provenance.get("noise")), "")
    share = f"{noisy:.1%} of the objects are noise{where}" if noisy > 0 else f"There is noise{where}"
    return sentence(f"{share}{f': {counts}' if counts else ''}")


def _noisy_sides(result: Comparison, name: str) -> str:
    """The clusterings that have noise, where that is still known."""
    assert result.inputs is not None
    sides = result.inputs.called
    called = {"truth": name, "found": sides.found if sides.are_given else FOUND}
    noisy = [
        called.get(side, side) for side, p in result.inputs.partitions.items() if p.noise_mask is not None
    ]
    return f" in {' or '.join(noisy)}" if noisy else ""


@sentences_of.register
def _of_decision(result: Decision, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    """The answer, then its reasons, each with the figure that shows it."""
    return [
        Sentence(sentence(titled(result)), f"{anchor}-scatter", "answer"),
        *(
            Sentence(reason.sentence, f"{anchor}-{SHOWN_BY.get(reason.kind, 'table')}", WEIGHTS[reason.role])
            for reason in result.because
        ),
    ]


@sentences_of.register
def _of_stability(result: Stability, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    """The answer, the doubts that are not among the remarks, and clusters that are not stable."""
    sentences = [Sentence(sentence(result.statement), f"{anchor}-stability")]
    known = {remark.kind.value for remark in result.remarks}
    doubts = [one for one in result.because if one.role == "against" and one.kind.value not in known]
    sentences += [Sentence(one.sentence, anchor, "distrust") for one in doubts]
    weak = [r for r in result.clusters if r.tried == result.value and not r.jaccard >= RECOVERED]
    if result.k is not None and weak:
        worst = min(weak, key=lambda r: r.jaccard if math.isfinite(r.jaccard) else math.inf)
        text = (
            f"{len(weak)} of the clusters {'is' if len(weak) == 1 else 'are'} not stable: the mean overlap of"
            f" the worst in perturbed data is {show(worst.jaccard)} (Jaccard), and {RECOVERED:g} is required"
        )
        sentences.append(Sentence(sentence(text), f"{anchor}-recovery", "distrust"))
    return sentences


@sentences_of.register
def _of_validation(result: Validation, anchor: str, name: str = "") -> list[Sentence]:
    of = _clustering(result, name)
    if result.strength is not None:
        text = f"by its data, {of} shows {result.statement}"
    elif result.statement:
        text = f"of {of}: {result.statement}"
    else:
        text = f"no index with known grades applies to {of}; the tables have the values of others"
    is_doubtful = not name and result.strength not in (None, "clear")
    said = [Sentence(sentence(text), f"{anchor}-silhouette", "against" if is_doubtful else "support")]
    return said + _moving(result, anchor, name)


def _clustering(result: Validation, name: str) -> str:
    """The clustering that was validated, for a sentence."""
    count = "" if result.inputs is None else _clusters_of(result.inputs.partitions["found"])
    if name:
        return f"{short_name(name)} ({count})" if count else short_name(name)
    return f"the clustering into {count}" if count else "the clustering"


def _clusters_of(found: Partition) -> str:
    """The number of clusters in words; noise is none."""
    if noise_name(found) not in found.names:
        return clusters(found.n_clusters)
    return f"{clusters(found.n_clusters - 1)} and noise"


def _moving(result: Validation, anchor: str, name: str) -> list[Sentence]:
    objects = result.by_cluster.objects if result.inputs is not None and result.inputs.n_objects else None
    if objects is None or not (objects.values < 0).any():
        return []
    count, seen = int((objects.values < 0).sum()), len(objects.values)
    sampled = "sampled " if seen < objects.n_objects else ""
    assert result.inputs is not None
    of = f"in {short_name(name)}, " if name else ""
    if result.inputs.partitions["found"].kind is not HARD:
        of += "with each object in its likeliest cluster, "
    lie = (
        "lies nearer to another cluster than to its"
        if count == 1
        else "lie nearer to another cluster than to their"
    )
    text = f"{of}{count:,} of {seen:,} {sampled}objects {lie} own, on average"
    return [Sentence(sentence(text), f"{anchor}-silhouette", "distrust")]


def compared_with(result: Comparison, name: str) -> str:
    """The two clusterings that were compared, for headings and sentences."""
    if result.inputs is None:
        return f"Compared with {name}"
    called = result.inputs.called
    if called.are_given and called.found != FOUND and name in (short_name(called.truth), called.truth):
        return f"{short_name(called.found)} compared with {name}"
    return sentence(f"{_clusters_of(result.inputs.partitions['found'])} compared with {name}").rstrip(".")


def _reference(result: Comparison) -> str:
    """What the reference is called in a sentence."""
    called = None if result.inputs is None else result.inputs.called
    return called.truth if called is not None and called.are_given else "the truth"


@sentences_of.register
def _of_comparison(result: Comparison, anchor: str, name: str = "") -> list[Sentence]:
    against = compared_with(result, short_name(name or _reference(result)))
    said = []
    if result.statement:
        said.append(Sentence(sentence(f"{against}: {result.statement}"), f"{anchor}-contingency", "answer"))
    if result.inputs is not None and result.inputs.n_objects:
        story = sentence(f"{against}, one by one: {result.story}")
        said.append(Sentence(story, f"{anchor}-contingency", "support"))
    return said


def joined_sentences(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """All sentences once: answers, reasons, doubts, what to do next, cautions.

    Where there is no answer, the first sentence takes its place.
    """
    order: dict[Any, int] = {"answer": 0, "support": 1, "against": 2, "next": 3, "distrust": 4}
    said = list(dict.fromkeys(sorted(sentences, key=lambda s: order[s.weight])))
    if said and said[0].weight in ("support", "against"):
        said[0] = replace(said[0], weight="answer")
    return tuple(said)
