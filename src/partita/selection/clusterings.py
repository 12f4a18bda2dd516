"""Which of several clusterings: what indices prefer, whether neighbours stay together, how far they agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from partita.errors import ParameterError
from partita.fits.models import scaling_first
from partita.results import Cell, Result, Table, join_texts, plain
from partita.results.verdicts import Strength
from partita.selection.assessment import Assessment
from partita.selection.candidates import Candidate, ClusteringBallot, Preference
from partita.selection.choices import short_names
from partita.selection.neighbours import KeptNeighbours

__all__ = ["ChoiceOfClustering", "ChoiceOfValue"]

FACTS = ("clusters", "coverage", "smallest", "neighbours")
"""What is shown of each clustering before the indices."""


@dataclass(frozen=True, repr=False)
class ChoiceOfClustering(Result):
    """Which of several clusterings is best, by every index asked for.

    Attributes
    ----------
    candidates : tuple of Candidate
        The clusterings, each once: ``names`` has all names of one, ``values`` what indices say of it.
    preferences : dict of Preference
        What each index prefers, why, and by how much.
    ballot : ClusteringBallot
        What each family of indices chooses.
    pairs : tuple of tuples
        The adjusted Rand index of every two candidates; see ``agreement``.
    title : str
        What was judged, in words.
    """

    candidates: tuple[Candidate, ...] = ()
    preferences: Mapping[str, Preference] = field(default_factory=dict)
    ballot: ClusteringBallot = field(default_factory=lambda: ClusteringBallot({}, ()))
    pairs: tuple[tuple[float, ...], ...] = ()
    title: str = ""
    answer: Assessment = field(default_factory=lambda: Assessment(None, "contested", ""))
    kept: KeptNeighbours | None = field(default=None, repr=False, compare=False)

    @property
    def chosen(self) -> Candidate | None:
        """The best clustering, with all that is known of it; None where there is no answer."""
        return next((c for c in self.candidates if c.label == self.answer.k), None)

    @property
    def best(self) -> Any:
        """The name of the best clustering, the first if it has several; None where there is no answer."""
        return None if self.chosen is None else self.chosen.names[0]

    @property
    def k(self) -> int | None:
        """The number of clusters of the best; None where there is no answer."""
        return None if self.chosen is None else self.chosen.clusters

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted: "clear", "weak", "contested" or "no structure"."""
        return self.answer.strength

    @property
    def statement(self) -> str:
        """The answer in a sentence, with what speaks against it."""
        return self.answer.statement

    @property
    def votes(self) -> dict[str, float]:
        """For each chosen clustering its votes, most first: a family has one, divided among its indices."""
        return self.ballot.votes

    @cached_property
    def agreement(self) -> Any:
        """The adjusted Rand index of every two clusterings, as a frame with their names on both sides."""
        import pandas as pd

        names = [name for c in self.candidates for name in c.names]
        place = [i for i, c in enumerate(self.candidates) for _ in c.names]
        rows = [[self.pairs[i][j] for j in place] for i in place]
        return pd.DataFrame(rows, index=names, columns=names)

    @cached_property
    def neighbours(self) -> Any:
        """For each object the share of its nearest neighbours in its own cluster, as a frame.

        A column for each clustering, and one for the mean over all of them, which is low where clusterings
        draw borders. Above 10,000 objects of a sample, whose rows are the index.
        """
        import pandas as pd

        if self.kept is None:
            raise ParameterError("this result holds no objects.", fix="choose(X, ...).neighbours")
        frame = pd.DataFrame(
            self.kept.shares, index=self.kept.rows, columns=[c.label for c in self.candidates]
        )
        frame["all"] = self.kept.over_all
        return frame

    def _facts(self, candidate: Candidate) -> dict[str, Any]:
        return {name: getattr(candidate, name) for name in FACTS}

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each name: what its clustering looks like, and the value of every index."""
        return [
            {"clustering": name, **self._facts(c), **c.values} for c in self.candidates for name in c.names
        ]

    def table(self) -> Table:
        """What each index prefers, then the clusterings."""
        rows = tuple(
            (
                p.index,
                p.family,
                "none" if p.label is None else p.label,
                p.runner_up,
                None if math.isnan(p.difference) else p.difference,
                join_texts([p.reason, "" if p.votes else "no vote: it knows the truth"]),
            )
            for p in self.preferences.values()
        )
        columns = ("index", "family", "best", "next", "ahead by", "why")
        spare = ("next", "ahead by")
        made = Table(self.title, columns, rows, self.footnotes, answer=self.statement, spare=spare)
        return made.without_blank_columns()

    def more(self) -> tuple[Table, ...]:
        """The clusterings with all values, and how far they agree."""
        return (self._over(self._listed(), "clusterings", "clustering"), *self._agreement_table())

    def _listed(self) -> list[tuple[Any, Candidate]]:
        return [(c.label, c) for c in self.candidates]

    def _over(self, listed: list[tuple[Any, Candidate]], title: str, first: str) -> Table:
        """One row a clustering: its facts, its values, and who prefers it."""
        indices = list(self.candidates[0].values)
        short = short_names(indices)
        chosen = {p.index: p.label for p in self.preferences.values()}
        counts = any(not c.flaw for c in self.candidates)
        rows = []
        for name, c in listed:
            cells = [_cell(c, index, strong=chosen.get(index) == c.label, others=counts) for index in indices]
            by = ", ".join(short.get(index, index) for index, label in chosen.items() if label == c.label)
            rows.append((name, *self._facts(c).values(), *cells, by))
        columns = (first, *FACTS, *short.values(), "chosen by")
        return Table(title, columns, tuple(rows)).without_blank_columns()

    def _agreement_table(self) -> tuple[Table, ...]:
        if len(self.candidates) < 2:
            return ()
        labels = [c.label for c in self.candidates]
        rows = tuple((label, *row) for label, row in zip(labels, self.pairs, strict=True))
        return (Table("agreement (adjusted Rand index)", ("clustering", *labels), rows),)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            **super().to_dict(),
            "title": self.title,
            "best": plain(self.best),
            "k": self.k,
            "strength": self.strength,
            "votes": dict(self.votes),
            "candidates": plain([asdict(c) for c in self.candidates]),
            "preferences": plain([asdict(p) for p in self.preferences.values()]),
            "agreement": plain(self.pairs),
        }


def _cell(candidate: Candidate, index: str, *, strong: bool, others: bool) -> Cell:
    value = candidate.values[index]
    flaw = f"does not count: {candidate.flaw}" if candidate.flaw and others else ""
    return Cell(value, flaw or (candidate.caveats[index] if math.isnan(value) else ""), strong=strong)


@dataclass(frozen=True, repr=False)
class ChoiceOfValue(ChoiceOfClustering):
    """Which value of a parameter, by the clusterings that a method makes with each.

    Attributes
    ----------
    parameter : str
        What was swept.
    tried : tuple
        Its values, in the order given; those with the same clustering are one candidate.
    seeds : dict
        By the place of a value the seed of the run that speaks for it; of values that failed there is none.
    """

    parameter: str = ""
    tried: tuple[Any, ...] = ()
    seeds: Mapping[int, int] = field(default_factory=dict)
    refit: Callable[[Any, int], Any] | None = field(default=None, repr=False, compare=False)
    scaler: Any = field(default=None, repr=False, compare=False)
    features: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The chosen value: the middle one where several give the same clustering; None for no answer."""
        return None if self.chosen is None else self.chosen.names[(len(self.chosen.names) - 1) // 2]

    @property
    def best(self) -> Any:
        """The chosen value."""
        return self.value

    @cached_property
    def _at(self) -> dict[Any, Candidate]:
        return {name: c for c in self.candidates for name in c.names}

    @property
    def ks(self) -> tuple[int | None, ...]:
        """The number of clusters that was found at each value; None where all fits failed."""
        return tuple(self._at[v].clusters if v in self._at else None for v in self.tried)

    @property
    def coverage(self) -> tuple[float, ...]:
        """At each value the share of objects that are in a cluster, not noise; nan where all fits failed."""
        return tuple(self._at[v].coverage if v in self._at else math.nan for v in self.tried)

    @cached_property
    def model(self) -> Any:
        """The method with the chosen value, fitted again from its seed."""
        if self.chosen is None:
            raise ParameterError("no value was chosen.", got=self.statement, fix=".model_at(value)")
        return self.model_at(self.value)

    def model_at(self, value: Any) -> Any:
        """The method with a value, fitted again from its seed; where X was scaled, behind the scaler."""
        if value not in self.tried or self.tried.index(value) not in self.seeds:
            raise ParameterError(
                f"there is no fit with {self.parameter} = {value}.",
                got=repr(value),
                need=f"one of {[self.tried[place] for place in self.seeds]}",
            )
        if self.refit is None:
            raise ParameterError("this result has no data to fit.", fix="choose_k again")
        model = self.refit(value, self.seeds[self.tried.index(value)])
        return scaling_first(model, self.scaler, self.features)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each value that has a clustering."""
        listed = ((v, self._at[v]) for v in self.tried if v in self._at)
        return [{self.parameter: value, **self._facts(c), **c.values} for value, c in listed]

    def more(self) -> tuple[Table, ...]:
        """The values over the parameter."""
        return (self._over(self._listed(), f"values over {self.parameter}", self.parameter),)

    def _listed(self) -> list[tuple[Any, Candidate]]:
        return [(value, self._at[value]) for value in self.tried if value in self._at]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            **super().to_dict(),
            "parameter": self.parameter,
            "tried": plain(list(self.tried)),
            "value": plain(self.value),
            "ks": list(self.ks),
            "coverage": plain(list(self.coverage)),
        }
