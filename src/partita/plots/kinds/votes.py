"""Votes: the choices of the families of indices, which decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from partita.plots.answers import titled
from partita.plots.figures import FigureData, figure_kind
from partita.plots.names import plain_name
from partita.plots.palette import OKABE_ITO
from partita.plots.panels import name_ticks
from partita.selection import ChoiceOfClustering, ChoiceOfK, ChoiceOfValue
from partita.selection.votes import Ballot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

votes = figure_kind("votes", "votes over k: each family of indices has one, divided among its indices")


@votes.of(ChoiceOfK)
def votes_over_k(result: ChoiceOfK) -> FigureData:
    """A bar for each k that was tried, divided by family."""
    return _votes(result, [(k, str(k)) for k in result.ks], result.k, "number of clusters k")


@votes.of(ChoiceOfClustering, ChoiceOfValue)
def votes_for_clusterings(result: ChoiceOfClustering) -> FigureData:
    """A bar for each clustering."""
    chosen = None if result.chosen is None else result.chosen.label
    return _votes(result, [(c.label, plain_name(c.label)) for c in result.candidates], chosen, "clustering")


def _votes(result: Any, listed: Sequence[tuple[Any, str]], answer: Any, axis: str) -> FigureData:
    ballot: Ballot = result.ballot
    shares = _shares(ballot)
    records = tuple(
        {"choice": text, "place": place, "family": family, "votes": votes[value], "answer": value == answer}
        for family, votes in shares.items()
        for place, (value, text) in enumerate(listed)
        if votes.get(value)
    )
    counted = f"{ballot.votes.get(answer, 0):.3g} of {ballot.answering} votes of families of indices"
    if not ballot.votes:
        counted = "no family of indices has a choice"
    title = titled(result, counted) if answer is not None or not ballot.votes else titled(result)
    places = [value for value, _ in listed]
    silent = len(shares) - ballot.answering
    rest = f"{silent} of {len(shares)} families {'has' if silent == 1 else 'have'} no choice"
    return FigureData(
        kind="votes",
        title=title,
        description=f"{title}. Each family of indices has one vote, divided among its indices.",
        records=records,
        x=axis,
        y="votes of families of indices",
        facts={
            "choices": [text for _, text in listed],
            "families": list(shares),
            "answer": places.index(answer) if answer in places else None,
        },
        notes=("indices are reported and do not decide the answer", *[rest] * bool(silent)),
    )


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
    answer = data.facts["answer"]
    if answer is not None:
        ax.annotate("▼ answer", (answer, floor[answer]), ha="center", va="bottom", fontsize=8)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="family", alignment="left")
