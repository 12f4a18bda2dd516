"""Votes: what each family of indices chooses."""

from __future__ import annotations

from collections.abc import Mapping
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
        {"choice": text, "family": family, "votes": votes[value], "chosen": value == chosen}
        for family, votes in shares.items()
        for value, text in listed
        if votes.get(value)
    )
    families = len(shares)
    answered = sum(bool(v) for v in shares.values())
    if chosen is None:
        title = f"no choice: {families} families of indices do not settle on one"
    else:
        got = sum(v.get(chosen, 0.0) for v in shares.values())
        title = f"{prefix}{short_name(chosen)} has {got:.3g} of {families} votes"
    silent = f"; {families - answered} of {families} families have no answer" if answered < families else ""
    return FigureData(
        kind="votes",
        title=title,
        description=f"{title}{silent}. Each family of indices has one vote, divided among its indices.",
        records=records,
        x=axis,
        y="votes of families of indices",
        facts={
            "choices": [text for _, text in listed],
            "families": list(shares),
            "chosen": None if chosen is None else plain_name(chosen),
        },
        notes=(silent.removeprefix("; "),) if silent else (),
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
    floor = dict.fromkeys(choices, 0.0)
    for place, family in enumerate(families):
        mine = [r for r in data.records if r["family"] == family]
        bars = [r["choice"] for r in mine]
        ax.bar(
            [choices.index(c) for c in bars],
            [r["votes"] for r in mine],
            bottom=[floor[c] for c in bars],
            color=OKABE_ITO[place % len(OKABE_ITO)],
            edgecolor="white",
            linewidth=0.5,
            label=family,
        )
        for r in mine:
            floor[r["choice"]] += r["votes"]
    name_ticks(ax, "x", range(len(choices)), choices)
    ax.set_xlim(-0.6, len(choices) - 0.4)
    top = max([*floor.values(), 1.0])
    ax.set_ylim(0, top * 1.15)
    if data.facts["chosen"] is not None:
        place = choices.index(data.facts["chosen"])
        ax.annotate("▼ chosen", (place, floor[data.facts["chosen"]]), ha="center", va="bottom", fontsize=8)
    ax.set_xlabel(data.x)
    ax.set_ylabel(data.y)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="family", alignment="left")
