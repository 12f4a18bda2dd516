"""The verdict: what results come to, in sentences for a person who does not know the indices.

Each sentence is made from typed values, says no more than they do, and leads to what shows it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

from partita.comparison import Comparison
from partita.partitions import HARD, Partition
from partita.plots.names import short_name
from partita.plots.palette import noise_name
from partita.registry.families import VOICES
from partita.reports.documents import Sentence
from partita.reports.words import clusters, joined, sentence, votes_text
from partita.results import Result, show
from partita.results.quality import SOURCE, STRUCTURES
from partita.results.verdicts import Remark, RemarkKind
from partita.selection import ChoiceOfClustering, ChoiceOfK, Stability
from partita.selection._structure import Structure
from partita.selection.assessment import MOST, SUBSTANTIAL
from partita.selection.replication import ENOUGH
from partita.selection.stabilities import RECOVERED
from partita.validation import Validation

__all__ = [
    "compared_with",
    "distrust",
    "joined_sentences",
    "sentences_of",
    "silhouette_of_choice",
    "structure_sentence",
]

WORDS = {
    RemarkKind.END_OF_RANGE: "The end of the range",
    RemarkKind.SCALE: "Units",
    RemarkKind.COLLAPSED: "Collapsed components",
    RemarkKind.TINY_CLUSTERS: "Tiny clusters",
    RemarkKind.NON_CONVEX: "Shape",
    RemarkKind.KIN: "One voice",
    RemarkKind.NOISE: "",
    RemarkKind.UNDEFINED: "",
    RemarkKind.SAMPLED: "A sample",
    RemarkKind.DUPLICATES: "Duplicates",
    RemarkKind.LOW_POWER: "A weak test",
}
"""What a remark of each kind is called in front of its text, unless that begins so."""

NOISE_COUNTS = {
    "cluster": "noise counts as one more cluster",
    "singletons": "each such object counts as a cluster of its own",
    "ignore": "such objects were left out",
}
"""What was done about noise, by the policy."""

OF_DATA = (RemarkKind.SCALE, RemarkKind.DUPLICATES)
"""What is the same in all results of the same data, and told once."""


@singledispatch
def sentences_of(result: Result, anchor: str, name: str = "") -> list[Sentence]:
    """What a result says, the most important first.

    Parameters
    ----------
    result : Result
        What a procedure returned.
    anchor : str
        Where the page shows it.
    name : str
        What the user calls it, such as the clustering that was compared with.
    """
    said = result.statement or str(getattr(result, "title", ""))
    return [Sentence(sentence(f"{name}: {said}" if name else said), anchor, "answer")] if said else []


def distrust(results: Sequence[tuple[Result, str, str]]) -> list[Sentence]:
    """What speaks for caution in any of the results, each thing once.

    Parameters
    ----------
    results : list of (result, anchor, name)
        As `sentences_of` takes them.
    """
    said: dict[tuple[RemarkKind, str], Sentence] = {}
    for result, anchor, name in results:
        for remark in result.remarks:
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
    """How many objects are in no cluster, and what was done about that."""
    noisy = 1.0 - float(result.provenance.get("coverage", math.nan))
    where = f" in {short_name(name)}" if name else ""
    where += " or in the clustering found" if name and isinstance(result, Comparison) else ""
    if name and result.inputs is not None and isinstance(result, Comparison):
        where = _noisy_sides(result, short_name(name)) or where
    counts = NOISE_COUNTS.get(str(result.provenance.get("noise")), "")
    share = f"{noisy:.1%} of the objects are noise{where}" if noisy > 0 else f"There is noise{where}"
    return sentence(f"{share}{f': {counts}' if counts else ''}")


def _noisy_sides(result: Comparison, name: str) -> str:
    """Which of two clusterings have noise, where that is still known."""
    assert result.inputs is not None
    called = {"truth": name, "found": "the clustering found"}
    noisy = [
        called.get(side, side) for side, p in result.inputs.partitions.items() if p.noise_mask is not None
    ]
    return f" in {' or '.join(noisy)}" if noisy else ""


# --- how many clusters ------------------------------------------------------------------------------------


@sentences_of.register
def _of_choice_of_k(result: ChoiceOfK, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    k, checked = result.k, result.checked
    shown = k if k is not None else result.ballot.leading
    said = [Sentence(_number_of_clusters(result), f"{anchor}-votes", "answer")]
    if result.structure is not None:
        said.append(Sentence(structure_sentence(result.structure), f"{anchor}-structure"))
    if shown in result.ballot.votes:
        said.append(Sentence(_votes(result, shown), f"{anchor}-votes"))
    if shown is not None and shown > 1:
        said += _of_halves(checked.prediction_strength, checked.found_again, shown, f"{anchor}-curves")
    if checked.dense is not None:
        dense = (
            f"Seen by how densely objects lie there are {clusters(checked.dense)}, which the method does not"
            " find; indices that ask for compact clusters mislead then"
        )
        said.append(Sentence(sentence(dense), f"{anchor}-table", "against"))
    return said + _dissent(result, shown, anchor)


def _number_of_clusters(result: ChoiceOfK) -> str:
    k = result.k
    if result.strength == "clear" and k is not None:
        return f"These data have {clusters(k)}, and that is clear."
    if result.strength == "no structure":
        return "No clusters were found in these data."
    if k is not None:
        verb = "describes" if k == 1 else "describe"
        return sentence(
            f"{clusters(k)} {verb} these data best, but the evidence is weak: {_doubts(result, k)}"
        )
    if result.strength == "contested":
        return f"How many clusters these data have is contested: {_contest(result)}."
    leading, unknown = result.ballot.leading, "These data do not show how many clusters they have"
    if leading is not None and result.ballot.beyond(leading, refuted=bool(result.checked.refuted)):
        end = "largest" if leading == max(result.ks) else "smallest"
        return f"{unknown}: most votes are for {leading}, the {end} number that was tried."
    return f"{unknown}: the test could not tell them from data without clusters."


def _doubts(result: ChoiceOfK, k: int) -> str:
    """What keeps an answer from being clear, in plain words."""
    ballot, checked = result.ballot, result.checked
    doubts = []
    if ballot.share(k) <= MOST:
        doubts.append(f"{votes_text(ballot.votes.get(k, 0), ballot.answering)} are for {k}")
    if checked.refuted is False:
        doubts.append("data without clusters are not ruled out")
    if k == 1 and checked.refuted:
        doubts.append("yet the data are not one plain cloud")
    if checked.silhouette < SUBSTANTIAL:
        doubts.append("the clusters hardly stand apart")
    if checked.found_again is False:
        doubts.append("halves of the data do not agree on these clusters")
    if any(remark.kind is RemarkKind.SCALE for remark in result.remarks):
        doubts.append("a few columns make up the distances")
    if ballot.answering == 1:
        doubts.append("only one kind of index has an answer")
    return joined(doubts, 9) if doubts else "see the table"


def _contest(result: ChoiceOfK) -> str:
    ballot, checked = result.ballot, result.checked
    if checked.dense is not None:
        return "density and compactness see different clusters"
    if not ballot.votes:
        return "no index has an answer"
    if ballot.tied:
        return f"{joined([str(k) for k in ballot.tied], 9)} have as many votes each"
    if checked.refuted is False:
        return f"the votes are for {ballot.leading}, but data without clusters are not ruled out"
    votes = votes_text(ballot.votes[ballot.leading], ballot.answering)
    return f"no number has a majority; {ballot.leading} has {votes}"


def structure_sentence(test: Structure) -> str:
    """Whether there is anything to find."""
    drawn, p = "data drawn at random from laws without clusters", f"p = {show(test.p)}"
    if test.has_structure:
        return f"There is structure: {drawn} look as clustered as these in less than 5% of cases ({p})."
    power = ""
    if math.isfinite(test.power):
        power = f"; if there were two plain clusters, the test would show them in {test.power:.0%} of cases"
    often = "look as clustered as these too often to be ruled out"
    return f"No structure was shown: {drawn} {often} ({p}){power}."


def _votes(result: ChoiceOfK, k: int) -> str:
    ballot = result.ballot
    choosing = [family for family, found in ballot.families.items() if k in found.values()]
    return sentence(
        f"{votes_text(ballot.votes[k], ballot.answering)} are for {clusters(k)}, from indices of "
        f"{joined(choosing, 9)}: each kind of index has one vote, which its indices share"
    )


def silhouette_of_choice(result: ChoiceOfK, anchor: str) -> list[Sentence]:
    """How far apart the clusters of the answer are, where nothing else in the report tells that."""
    k = result.k if result.k is not None else result.ballot.leading
    value = result.checked.silhouette
    if k is None or k < 2 or not math.isfinite(value):
        return []
    word = next(word for least, word in STRUCTURES if value > least)
    text = (
        f"With {clusters(k)} the mean silhouette is {value:.2f} (from -1 to 1, higher is better): {word},"
        f" after {SOURCE}"
    )
    return [Sentence(sentence(text), f"{anchor}-table", "support" if value >= SUBSTANTIAL else "against")]


def _of_halves(value: float, enough: bool | None, k: int, anchor: str) -> list[Sentence]:
    if enough is None or not math.isfinite(value):
        return []
    known = f"prediction strength {value:.2f}, where {ENOUGH:g} is asked for"
    if enough:
        text = f"The {clusters(k)} of one half of the data are found in the other half too ({known})"
    else:
        text = f"The {clusters(k)} of one half of the data are not found in the other half ({known})"
    return [Sentence(sentence(text), anchor, "support" if enough else "against")]


def _dissent(result: ChoiceOfK, shown: int | None, anchor: str) -> list[Sentence]:
    """Who chooses another number, and what may be behind it."""
    said = []
    for k in result.ballot.votes:
        if k == shown:
            continue
        names = result.ballot.choosers(k)
        second = [n for n in names if result.choices[n].verdict.runner_up == shown]
        next_best = (
            f"; the second choice of {joined(second)} is {shown}" if second and shown is not None else ""
        )
        end = _end_of_range(result, k)
        text = (
            f"{clusters(k)} {'is' if k == 1 else 'are'} the choice of {_choosers(result, k)}{next_best}{end}"
        )
        said.append(Sentence(sentence(text), f"{anchor}-curves", "against"))
    silent = [i for found in result.ballot.families.values() for i, k in found.items() if k is None]
    if silent:
        text = f"no answer comes from {joined(silent)}, and the table says why"
        said.append(Sentence(sentence(text), f"{anchor}-table", "against"))
    return said


def _choosers(result: ChoiceOfK, k: int) -> str:
    """The indices that choose a number, each kind with what it looks at."""
    kinds: dict[str, list[str]] = {}
    for name in result.ballot.choosers(k):
        kinds.setdefault(result.choices[name].family, []).append(name)
    said = [
        f"{joined(names)} ({VOICES[kind]})" if kind in VOICES else joined(names)
        for kind, names in kinds.items()
    ]
    return joined(said, 9)


def _end_of_range(result: ChoiceOfK, k: int) -> str:
    for end, word, more in result.ballot.ends:
        if k == end:
            return f"; {k} is the {word} number tried, so it may mean {more}"
    return ""


# --- other results ----------------------------------------------------------------------------------------


@sentences_of.register
def _of_choice(result: ChoiceOfClustering, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    best, how = result.chosen, result.strength
    if best is None:
        first = "No clustering stands out as the best"
        first += ": no structure was shown" if how == "no structure" else ""
    else:
        of = f"the best of {len(result.candidates)} clusterings"
        first = f"{short_name(best.label)}, with {clusters(best.clusters)}, is {of}"
        first += ", and that is clear" if how == "clear" else ", but the evidence is weak"
    return [
        Sentence(sentence(first), f"{anchor}-votes", "answer"),
        Sentence(sentence(result.statement), f"{anchor}-table"),
    ]


@sentences_of.register
def _of_structure(result: Structure, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    return [Sentence(structure_sentence(result), anchor, "answer")]


@sentences_of.register
def _of_stability(result: Stability, anchor: str, name: str = "") -> list[Sentence]:  # noqa: ARG001
    repeats = len({r.repeat for r in result.repeats})
    setting = "number of clusters" if result.parameter is None else f"value of {result.parameter}"
    times = f"{repeats} time{'s' if repeats != 1 else ''} for each {setting}"
    if result.k is None or result.k == 1:
        first = (
            f"No number of clusters above one is found again beyond doubt when data are perturbed ({times})"
        )
        if result.strength == "no structure":
            first = f"No clusters are found again reliably when the data are perturbed ({times})"
    else:
        swept = "" if result.parameter is None else f" of {result.parameter} = {show(result.value)}"
        first = f"{clusters(result.k)}{swept} are found again when the data are perturbed ({times})"
        doubt = {"clear": ", and gaps set them apart", "weak": ", but the evidence is weak"}
        first += doubt.get(result.strength, ", but that is contested")
    if result.strength in ("weak", "contested"):
        return [
            Sentence(sentence(f"{first}; the reasons are told below"), anchor),
            *_unstable(result, anchor),
        ]
    said = [Sentence(sentence(first), f"{anchor}-stability")]
    return said + _unstable(result, anchor)


def _unstable(result: Stability, anchor: str) -> list[Sentence]:
    """Clusters of the answer that are not found again."""
    weak = [r for r in result.clusters if r.tried == result.value and not r.jaccard >= RECOVERED]
    if result.value is None or not weak:
        return []
    worst = min(weak, key=lambda r: r.jaccard if math.isfinite(r.jaccard) else math.inf)
    text = (
        f"{len(weak)} of the clusters {'is' if len(weak) == 1 else 'are'} not found again reliably: the worst"
        f" overlaps with what is found by {show(worst.jaccard)} on average (Jaccard), where {RECOVERED:g} is"
        " asked for"
    )
    return [Sentence(sentence(text), f"{anchor}-recovery", "distrust")]


@sentences_of.register
def _of_validation(result: Validation, anchor: str, name: str = "") -> list[Sentence]:
    of = _clustering(result, name)
    if result.strength is not None:
        text = f"judged by its data, {of} shows {result.statement}"
    elif result.statement:
        text = f"of {of}: {result.statement}"
    else:
        text = f"no index with known grades judges {of}; the tables tell what others say"
    is_doubtful = not name and result.strength not in (None, "clear")
    said = [Sentence(sentence(text), f"{anchor}-silhouette", "against" if is_doubtful else "support")]
    return said + _moving(result, anchor, name)


def _clustering(result: Validation, name: str) -> str:
    """The clustering that was judged, in a sentence."""
    count = "" if result.inputs is None else _clusters_of(result.inputs.partitions["found"])
    if name:
        return f"{short_name(name)} ({count})" if count else short_name(name)
    return f"the clustering into {count}" if count else "the clustering"


def _clusters_of(found: Partition) -> str:
    """How many clusters a clustering has, in words; noise is none."""
    if noise_name(found) not in found.names:
        return clusters(found.n_clusters)
    return f"{clusters(found.n_clusters - 1)} and noise"


def _moving(result: Validation, anchor: str, name: str) -> list[Sentence]:
    objects = result.by_cluster.objects if result.inputs is not None and result.inputs.n_objects else None
    if objects is None or not (objects.values < 0).any():
        return []
    count, seen = int((objects.values < 0).sum()), len(objects.values)
    sampled = " that were looked at" if seen < objects.n_objects else ""
    assert result.inputs is not None
    of = f"in {short_name(name)}, " if name else ""
    if result.inputs.partitions["found"].kind is not HARD:
        of += "with each object in its likeliest cluster, "
    lie = (
        "lies nearer to another cluster than to its"
        if count == 1
        else "lie nearer to another cluster than to their"
    )
    text = f"{of}{count:,} of {seen:,} objects{sampled} {lie} own, on average"
    return [Sentence(sentence(text), f"{anchor}-silhouette", "distrust")]


def compared_with(result: Comparison, name: str) -> str:
    """What was compared with what, for headings and sentences."""
    if result.inputs is None:
        return f"Compared with {name}"
    return sentence(f"{_clusters_of(result.inputs.partitions['found'])} compared with {name}").rstrip(".")


@sentences_of.register
def _of_comparison(result: Comparison, anchor: str, name: str = "") -> list[Sentence]:
    against = compared_with(result, short_name(name) if name else "the truth")
    said = []
    if result.statement:
        said.append(Sentence(sentence(f"{against}: {result.statement}"), f"{anchor}-contingency", "answer"))
    if result.inputs is not None and result.inputs.n_objects:
        story = sentence(f"{against}, one by one: {result.story}")
        said.append(Sentence(story, f"{anchor}-contingency", "support"))
    return said


def joined_sentences(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Answers first, then what they rest on, then dissent, then what to distrust; each once.

    Where there is no answer the first that is said stands for it.
    """
    order: dict[Any, int] = {"answer": 0, "support": 1, "against": 2, "distrust": 3}
    said = list(dict.fromkeys(sorted(sentences, key=lambda s: order[s.weight])))
    if said and said[0].weight in ("support", "against"):
        said[0] = replace(said[0], weight="answer")
    return tuple(said)
