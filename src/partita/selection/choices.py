"""How many clusters: every index for every k and run, each index's choice by its rule, and the votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from partita.errors import ParameterError, PartitaError, near_names
from partita.registry import Index
from partita.registry.curves import find_entry
from partita.registry.rules import Verdict
from partita.results import Result, Table, join_texts, number, plain

__all__ = ["Choice", "ChoiceOfK", "Fit", "IndexOverK"]


@dataclass(frozen=True)
class Fit:
    """One run at one k: its seed, its objective, and for each index a value and a caveat.

    ``refused`` has the indices that cannot judge it, each with the reason.
    """

    k: int
    run: int
    seed: int
    objective: float
    values: Mapping[str, float]
    caveats: Mapping[str, str]
    failed: str = ""
    warned: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def best_objective(runs: Sequence[Fit]) -> int | None:
    """The run with the smallest objective, the first of equals; None if none has one."""
    known = [fit for fit in runs if math.isfinite(fit.objective)]
    return min(known, key=lambda fit: fit.objective).run if known else None


@dataclass(frozen=True)
class IndexOverK:
    """An index over k: its value at each number of clusters, with caveats, and which way is better."""

    index: str
    rule: str
    direction: str
    best: float | None
    values: tuple[float, ...]
    caveats: tuple[str, ...]
    errors: tuple[float, ...] = ()


@dataclass(frozen=True)
class Choice:
    """What one index chooses, by which rule, and whether it has a vote."""

    index: str
    rule: str
    verdict: Verdict
    votes: bool = True

    @property
    def k(self) -> int | None:
        """The number of clusters, or None for no answer."""
        return self.verdict.k


@dataclass(frozen=True, repr=False)
class ChoiceOfK(Result):
    """How many clusters there are, by every index asked for.

    Attributes
    ----------
    ks : tuple of int
        The numbers of clusters that were tried.
    fits : tuple of Fit
        Every run, with every value.
    curves : dict of IndexOverK
        For each index its value at each k: of the run with the best objective, or of its own best run.
    choices : dict of Choice
        What each index chooses, why, and by how much.
    selected : dict
        For each k the run with the best objective; of an index with a pool of its own, see ``curves``.
    title : str
        What was clustered, in words.
    """

    ks: tuple[int, ...] = ()
    fits: tuple[Fit, ...] = ()
    curves: Mapping[str, IndexOverK] = field(default_factory=dict)
    choices: Mapping[str, Choice] = field(default_factory=dict)
    selected: Mapping[int, int] = field(default_factory=dict)
    title: str = ""
    refit: Callable[[int, int], Any] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def votes(self) -> dict[int, int]:
        """For each chosen k, how many indices choose it; most votes first."""
        counted = Counter(c.k for c in self.choices.values() if c.votes and c.k is not None)
        return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))

    @property
    def tied(self) -> tuple[int, ...]:
        """The numbers of clusters that share the most votes, where several do."""
        leading = tuple(k for k, count in self.votes.items() if count == max(self.votes.values()))
        return leading if len(leading) > 1 else ()

    @property
    def k(self) -> int | None:
        """The number of clusters with the most votes; None for a tie or where no index has an answer."""
        return None if self.tied or not self.votes else next(iter(self.votes))

    @property
    def statement(self) -> str:
        """The answer in a sentence, with those who disagree."""
        voting = [c for c in self.choices.values() if c.votes]
        silent = [c.index for c in voting if c.k is None]
        aside = f"no answer: {', '.join(silent)}" if silent else ""
        if not self.votes:
            return join_texts(["no index gives an answer", aside])
        parties = [
            f"k = {k}: {', '.join(c.index for c in voting if c.k == k)}" for k in self.votes if k != self.k
        ]
        if self.k is None:
            return join_texts([f"a tie between k = {' and '.join(map(str, self.tied))}", *parties, aside])
        count = f"{self.votes[self.k]} of {len(voting)} indices"
        what = "no structure: k = 1" if self.k == 1 else f"k = {self.k}"
        against = (
            f"against {'; '.join(parties)}" if parties else "none chooses another" if len(voting) > 1 else ""
        )
        return join_texts([f"{what}, by {count}", against, aside])

    def __getitem__(self, name: str) -> Choice:
        return self.choices[one_of(name, self.choices, noun="choice")]

    @cached_property
    def model(self) -> Any:
        """The chosen fit, fitted again from its seed; for a tie or no answer there is none."""
        if self.k is None:
            raise ParameterError("no number of clusters was chosen.", got=self.statement, fix=".model_at(k)")
        return self.model_at(self.k)

    def model_at(self, k: int) -> Any:
        """The fit with the best objective at a number of clusters, fitted again from its seed."""
        if not isinstance(k, (int, np.integer)) or k not in self.selected:
            raise ParameterError(
                f"there is no fit with k = {k}.", got=repr(k), need=f"one of {list(self.selected)}"
            )
        if self.refit is None:
            raise ParameterError(
                "this result was read from a file and has no data to fit.", fix="choose_k again"
            )
        fit = next(f for f in self.fits if (f.k, f.run) == (k, self.selected[k]))
        return self.refit(k, fit.seed)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each (k, run, index)."""
        return [
            {
                "k": fit.k,
                "run": fit.run,
                "seed": fit.seed,
                "index": index,
                "value": value,
                "caveat": join_texts([fit.caveats.get(index, ""), fit.failed]),
            }
            for fit in self.fits
            for index, value in fit.values.items()
        ]

    def table(self) -> Table:
        """What each index chooses, then its values over k."""
        rows = tuple(
            (
                c.index,
                c.rule,
                "none" if c.k is None else c.k,
                c.verdict.runner_up,
                None if math.isnan(c.verdict.difference) else c.verdict.difference,
                join_texts([c.verdict.reason, "" if c.votes else "no vote: it knows the truth"]),
            )
            for c in self.choices.values()
        )
        columns = ("index", "rule", "k", "next", "ahead by", "why")
        return Table(f"{self.title}\n{self.statement}", columns, rows, self.notes).without_blank_columns()

    def more(self) -> tuple[Table, ...]:
        """The values over k: one row a number of clusters, one column an index, and who chooses it."""
        short = _short_names([*self.curves])
        rows = tuple(
            (
                k,
                *(curve.values[i] for curve in self.curves.values()),
                ", ".join(short[c.index] for c in self.choices.values() if c.k == k),
            )
            for i, k in enumerate(self.ks)
        )
        columns = ("k", *short.values(), "chosen by")
        return (Table("values over k", columns, rows).without_blank_columns(),)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads; the model is not in it."""
        return {
            **super().to_dict(),
            "title": self.title,
            "k": self.k,
            "votes": {str(k): count for k, count in self.votes.items()},
            "fits": plain([asdict(fit) for fit in self.fits]),
            "curves": plain([asdict(curve) for curve in self.curves.values()]),
            "choices": plain([asdict(choice) for choice in self.choices.values()]),
            "selected": {str(k): run for k, run in self.selected.items()},
            "ks": list(self.ks),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        if data.get("result") != cls.__name__:
            raise ParameterError(
                "this is no choice of k.", got=f"result {data.get('result')!r}", need=cls.__name__
            )
        curves = [_curve_of(row) for row in data["curves"]]
        choices = [Choice(**{**row, "verdict": _verdict_of(row["verdict"])}) for row in data["choices"]]
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            ks=tuple(data["ks"]),
            fits=tuple(_fit_of(row) for row in data["fits"]),
            curves={curve.index: curve for curve in curves},
            choices={choice.index: choice for choice in choices},
            selected={int(k): run for k, run in data["selected"].items()},
            title=data["title"],
        )


CONSENSUS = "consensus "
"""How a choice begins that is the consensus of the runs of a k, by the index that follows."""


def one_of(name: Any, labels: Iterable[str], *, noun: str) -> str:
    """The label that a name means: itself, by a symbol, or without options where one label has that name."""
    known = list(labels)
    if isinstance(name, str) and name in known:
        return name
    prefix = CONSENSUS if isinstance(name, str) and name.lower().startswith(CONSENSUS) else ""
    label = prefix + find_entry(name[len(prefix) :] if prefix else name).label
    fitting = [k for k in known if k == label] or [k for k in known if k.partition(":")[0] == label]
    if len(fitting) > 1:
        raise ParameterError(
            f"{name} is more than one {noun} here.", got=repr(name), need=f"one of {', '.join(fitting)}"
        )
    if not fitting:
        raise near_names(str(getattr(name, "label", name)), known, noun=noun)
    return fitting[0]


def _short_names(labels: Sequence[str]) -> dict[str, str]:
    """For each index its symbol where it has one, and the whole label where another has the same symbol."""
    short = {label: _short(label) for label in labels}
    times = Counter(short.values())
    return {label: name if times[name] == 1 else label for label, name in short.items()}


def _short(index: str) -> str:
    """The symbol of an index where it has one."""
    prefix = CONSENSUS if index.startswith(CONSENSUS) else ""
    try:
        entry = find_entry(index[len(prefix) :])
    except PartitaError:  # read from a file, and not known here
        return index
    return prefix + ((entry.symbol if isinstance(entry, Index) else "") or entry.label)


def _verdict_of(row: Mapping[str, Any]) -> Verdict:
    return Verdict(**{**row, "difference": number(row["difference"])})


def _curve_of(row: Mapping[str, Any]) -> IndexOverK:
    numbers = {name: tuple(map(number, row[name])) for name in ("values", "errors")}
    best = None if row["best"] is None else number(row["best"])
    return IndexOverK(**{**row, **numbers, "best": best, "caveats": tuple(row["caveats"])})


def _fit_of(row: Mapping[str, Any]) -> Fit:
    values = {index: number(value) for index, value in row["values"].items()}
    return Fit(
        **{**row, "values": values, "objective": number(row["objective"]), "warned": tuple(row["warned"])}
    )
