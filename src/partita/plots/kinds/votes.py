"""Votes: what each family of indices chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from partita.plots.figures import FigureData, figure_kind
from partita.plots.names import plain_name, short_name
from partita.plots.palette import OKABE_ITO
from partita.plots.panels import name_ticks
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.assessment import Ballot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

votes = figure_kind("votes", "votes over k: each family of indices has one, divided among its indices")

MOST_NAMED = 3
"""Choices with as many votes that a title names."""


@votes.of(ChoiceOfK)
def votes_over_k(result: ChoiceOfK) -> FigureData:
    """A bar for each k that was tried, divided by family."""
    return _votes(result.ballot, [(k, str(k)) for k in result.ks], result.k, "number of clusters k", "k = ")


@votes.of(ChoiceOfClustering, ChoiceOfValue, usual=True)
def votes_for_clusterings(result: ChoiceOfClustering) -> FigureData:
    """A bar for each clustering."""
    chosen = None if result.chosen is None else result.chosen.label
    listed = [(c.label, plain_name(c.label)) for c in result.candidates]
    return _votes(result.ballot, listed, chosen, "clustering", "")


def _votes(ballot: Ballot, listed: Any, chosen: Any, axis: str, prefix: str) -> FigureData:
    shares = _shares(ballot)
    records = tuple(
        {"choice": text, "place": place, "family": family, "votes": votes[value], "chosen": value == chosen}
        for family, votes in shares.items()
        for place, (value, text) in enumerate(listed)
        if votes.get(value)
    )
    silent = _silent(len(shares), ballot.answering)
    title = _finding(ballot, chosen, prefix)
    places = [value for value, _ in listed]
    return FigureData(
        kind="votes",
        title=title,
        description=(
            f"{title}{f'; {silent}' if silent else ''}."
            " Each family of indices has one vote, divided among its indices."
        ),
        records=records,
        x=axis,
        y="votes of families of indices",
        facts={
            "choices": [text for _, text in listed],
            "families": list(shares),
            "chosen": places.index(chosen) if chosen in places else None,
        },
        notes=tuple(note for note in (silent, _untried(chosen, places, prefix)) if note),
    )


def _finding(ballot: Ballot, chosen: Any, prefix: str) -> str:
    """The votes of the answer; where there is none, those of who has the most."""
    if not ballot.votes:
        return "no family of indices has an answer"
    most = [chosen] if chosen is not None else list(ballot.tied) or [ballot.leading]
    names = " and ".join(short_name(one) for one in most[:MOST_NAMED])
    names += f" and {len(most) - MOST_NAMED} more" if len(most) > MOST_NAMED else ""
    each, verb = (" each", "have") if len(most) > 1 else ("", "has")
    counted = f"{prefix}{names} {verb} {ballot.votes.get(most[0], 0):.3g} of {ballot.answering} votes{each}"
    return counted if chosen is not None else f"no choice: {counted}"


def _untried(chosen: Any, places: Sequence[Any], prefix: str) -> str:
    """One cluster may be the answer where it was not tried: nothing else was shown."""
    is_untried = chosen is not None and chosen not in places
    return (
        f"{prefix}{short_name(chosen)} is the answer of the test of structure, and was not tried" * is_untried
    )


def _silent(families: int, answering: int) -> str:
    silent = families - answering
    if not silent:
        return ""
    return f"{silent} of {families} families {'has' if silent == 1 else 'have'} no answer"


def _shares(ballot: Ballot) -> Mapping[str, Mapping[Any, float]]:
    """For each family how its vote is divided."""
    made: dict[str, dict[Any, float]] = {}
    for family, chosen in ballot.families.items():
        counted = [k for k in chosen.values() if k is not None]
        made[family] = {k: counted.count(k) / len(counted) for k in dict.fromkeys(counted)}
    return made


@votes.drawn
def draw_votes(ax: Axes, data: FigureData) -> None:
    """Stacked bars, one colour a family; the chosen one has a mark."""
    choices, families = data.facts["choices"], data.facts["families"]
    floor = [0.0] * len(choices)
    for number, family in enumerate(families):
        mine = [r for r in data.records if r["family"] == family]
        ax.bar(
            [r["place"] for r in mine],
            [r["votes"] for r in mine],
            bottom=[floor[r["place"]] for r in mine],
            color=OKABE_ITO[number % len(OKABE_ITO)],
            edgecolor="white",
            linewidth=0.5,
            label=family,
        )
        for r in mine:
            floor[r["place"]] += r["votes"]
    name_ticks(ax, "x", range(len(choices)), choices)
    ax.set_xlim(-0.6, len(choices) - 0.4)
    ax.set_ylim(0, max([*floor, 1.0]) * 1.15)
    chosen = data.facts["chosen"]
    if chosen is not None:
        ax.annotate("▼ chosen", (chosen, floor[chosen]), ha="center", va="bottom", fontsize=8)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="family", alignment="left")
