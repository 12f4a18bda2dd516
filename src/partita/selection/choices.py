"""How many clusters: every index for every k and run, each index's choice by its rule, and the votes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError, PartitaError, near_names
from partita.fits.models import clustering_of, scaling_first
from partita.partitions import FUZZY, HARD, DataMatrix, Partition
from partita.partitions.models import last_step
from partita.registry import Index
from partita.registry.curves import find_entry
from partita.registry.rules import Verdict, apply_rule
from partita.results import Cell, Result, Table, join_texts, number, plain
from partita.results.verdicts import Strength, remarks_of
from partita.selection._structure import Structure
from partita.selection.assessment import Assessment, Ballot, Checked, Checks, assess
from partita.selection.flaws import Shape
from partita.selection.shapes import CovarianceShapes

__all__ = ["Choice", "ChoiceOfK", "Fit", "IndexOverK"]


@dataclass(frozen=True)
class Fit:
    """One run at one k: its seed, its objective, and for each index a value and a caveat.

    ``refused`` has the indices that cannot judge it, each with the reason; ``shape`` says what its clusters
    look like, and whether that disqualifies it.
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
    shape: Shape | None = None

    @property
    def flaw(self) -> str:
        """Why this fit does not win: empty or single-object clusters, collapsed components; or nothing."""
        return "" if self.shape is None else self.shape.flaw


def best_objective(runs: Sequence[Fit]) -> int | None:
    """The run with the smallest objective, the first of equals; None if none has one.

    A run with a flaw is taken only where all have one.
    """
    known = [fit for fit in runs if math.isfinite(fit.objective)]
    sound = [fit for fit in known if not fit.flaw]
    return min(sound or known, key=lambda fit: fit.objective).run if known else None


@dataclass(frozen=True)
class IndexOverK:
    """An index over k: its value at each number of clusters, with caveats, and which way is better.

    ``flaws`` says at which k all fits have empty or single-object clusters or collapsed components: values
    there are shown, and do not count.
    """

    index: str
    rule: str
    direction: str
    best: float | None
    values: tuple[float, ...]
    caveats: tuple[str, ...]
    errors: tuple[float, ...] = ()
    flaws: tuple[str, ...] = ()

    @property
    def counting(self) -> tuple[float, ...]:
        """The values that count: nan where all fits have a flaw."""
        flaws = self.flaws or ("",) * len(self.values)
        return tuple(math.nan if flaw else value for value, flaw in zip(self.values, flaws, strict=True))


@dataclass(frozen=True)
class Choice:
    """What one index chooses, by which rule, of which family it is, and whether it has a vote."""

    index: str
    rule: str
    verdict: Verdict
    votes: bool = True
    family: str = ""

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
    shapes : CovarianceShapes or None
        Of mixtures with several covariance shapes, BIC of each shape and k; the rest is about the best shape.
    """

    ks: tuple[int, ...] = ()
    fits: tuple[Fit, ...] = ()
    curves: Mapping[str, IndexOverK] = field(default_factory=dict)
    choices: Mapping[str, Choice] = field(default_factory=dict)
    selected: Mapping[int, int] = field(default_factory=dict)
    title: str = ""
    asked: tuple[int, ...] = ()
    """The numbers of clusters that a search could have come to; those tried where nothing else is said."""
    assessment: Assessment | None = None
    shapes: CovarianceShapes | None = None
    refit: Callable[[int, int], Any] | None = field(default=None, repr=False, compare=False)
    data: Array | None = field(default=None, repr=False, compare=False)
    scaler: Any = field(default=None, repr=False, compare=False)
    features: tuple[Any, ...] = field(default=(), repr=False, compare=False)
    given: DataMatrix | None = field(default=None, repr=False, compare=False)
    """The data in their own units, with the names of features and objects."""
    structure: Structure | None = field(default=None, repr=False, compare=False)
    """The test whether there is anything to find, where it was made."""

    @cached_property
    def ballot(self) -> Ballot:
        """What each family of indices chooses."""
        voting = [c for c in self.choices.values() if c.votes]
        families: dict[str, dict[str, int | None]] = {}
        for c in voting:
            families.setdefault(c.family or c.index, {})[c.index] = c.k
        return Ballot(families, self.asked or self.ks)

    @cached_property
    def _answer(self) -> Assessment:
        return assess(self.ballot, Checks()) if self.assessment is None else self.assessment

    @property
    def votes(self) -> dict[int, float]:
        """For each chosen k its votes, most first: each family has one, divided among its indices."""
        return self.ballot.votes

    @property
    def tied(self) -> tuple[int, ...]:
        """The numbers of clusters that share the most votes, where several do."""
        return self.ballot.tied

    @property
    def k(self) -> int | None:
        """The number of clusters that votes and checks carry; None where they carry none."""
        k: int | None = self._answer.k
        return k

    @property
    def value(self) -> int | None:
        """The chosen value of what was swept: ``k``."""
        return self.k

    @property
    def checked(self) -> Checked:
        """What was looked at beside the votes, in numbers."""
        return self._answer.checked

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted: "clear", "weak", "contested" or "no structure"."""
        return self._answer.strength

    @property
    def statement(self) -> str:
        """The answer in a sentence, with what speaks against it."""
        return self._answer.statement

    def __getitem__(self, name: str) -> Choice:
        return self.choices[one_of(name, self.choices, noun="choice")]

    @cached_property
    def model(self) -> Any:
        """The chosen fit, fitted again from its seed; for a tie or no answer there is none."""
        if self.k is None:
            raise ParameterError("no number of clusters was chosen.", got=self.statement, fix=".model_at(k)")
        return self.model_at(self.k)

    def model_at(self, k: int) -> Any:
        """The fit with the best objective at a number of clusters, fitted again from its seed.

        Where X was scaled, it is a pipeline that scales first.
        """
        self._check_tried(k)
        return scaling_first(self._refitted(int(k)), self.scaler, self.features)

    def _check_tried(self, k: Any) -> None:
        if not isinstance(k, (int, np.integer)) or k not in self.selected:
            raise ParameterError(
                f"there is no fit with k = {k}.", got=repr(k), need=f"one of {list(self.selected)}"
            )

    def _refitted(self, k: int) -> Any:
        """The fit that speaks for a k, on the data as they were clustered."""
        if self.refit is None:
            raise ParameterError(
                "this result was read from a file and has no data to fit.", fix="choose_k again"
            )
        return self.refit(k, self.fit_at(k).seed)

    def fit_at(self, k: int) -> Fit:
        """The run that speaks for a k."""
        return next(f for f in self.fits if (f.k, f.run) == (k, self.selected[k]))

    def flaw_at(self, k: int) -> str:
        """Why a number of clusters does not count, or nothing."""
        return self.fit_at(k).flaw if k in self.selected else "not tried"

    @cached_property
    def partitions(self) -> dict[int, Partition]:
        """For each k the clustering of the fit that speaks for it, fitted again from its seed."""
        return {k: clustering_of(self._refitted(k), self.data) for k in self.selected}

    @cached_property
    def uncertainty(self) -> Floats:
        """For each object how unsure its cluster is in the chosen fit: one minus its largest membership."""
        if self.k is None:
            raise ParameterError(
                "no number of clusters was chosen.", got=self.statement, fix=".uncertainty_at(k)"
            )
        return self.uncertainty_at(self.k)

    def uncertainty_at(self, k: int) -> Floats:
        """The same in the fit that speaks for a k; for methods that give memberships."""
        self._check_tried(k)
        found = clustering_of(self._refitted(int(k)), self.data)
        if found.kind not in (FUZZY, HARD) or (found.kind is HARD and k > 1):
            raise ParameterError(
                "this method gives no memberships, which tell how sure each object is.",
                got=f"a {found.kind.value} clustering",
                need="a mixture or a fuzzy method",
            )
        return np.asarray(1.0 - found.memberships().max(axis=1))

    def centers(self, k: int | None = None) -> Any:
        """The centres of the chosen fit, or of that at a k: a frame with a row for each cluster.

        They are in the units of X: where it was scaled, that is undone.
        """
        import pandas as pd

        model = self.model if k is None else self.model_at(k)
        step = last_step(model)
        means = next((getattr(step, name) for name in CENTRES if hasattr(step, name)), None)
        if means is None or (self.scaler is None and step is not model):
            raise ParameterError(
                "this fit tells no centres in the units of X.",
                got=type(step).__name__,
                need="a method of centres that clusters X itself",
            )
        values = np.asarray(means) if self.scaler is None else self.scaler.inverse_transform(means)
        names = list(self.features) or [f"column {j}" for j in range(values.shape[1])]
        return pd.DataFrame(values, columns=names, index=pd.RangeIndex(len(values), name="cluster"))

    def success_rate(self, k: int) -> dict[str, float]:
        """For each index the share of runs in which it alone would choose this k (lei2014, section 4).

        The first run of every k makes a curve, the second another, and so on; each index chooses from each by
        its rule.
        """
        runs = sorted({fit.run for fit in self.fits})
        values = {(fit.k, fit.run): fit.values for fit in self.fits}
        rates = {}
        for label, curve in self.curves.items():
            if label not in self.fits[0].values or curve.direction == "none":
                continue
            chosen = [
                apply_rule(
                    curve.rule,
                    self.ks,
                    [values[at, run][label] for at in self.ks],
                    direction=curve.direction,
                    best=curve.best,
                ).k
                for run in runs
            ]
            rates[label] = chosen.count(k) / len(runs)
        return rates

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
                c.family,
                c.rule,
                "none" if c.k is None else c.k,
                c.verdict.runner_up,
                None if math.isnan(c.verdict.difference) else c.verdict.difference,
                join_texts([c.verdict.reason, "" if c.votes else "no vote: it knows the truth"]),
            )
            for c in self.choices.values()
        )
        columns = ("index", "family", "rule", "k", "next", "ahead by", "why")
        made = Table(self.title, columns, rows, self.footnotes, answer=self.statement)
        return made.without_blank_columns()

    def more(self) -> tuple[Table, ...]:
        """The values over k: one row a number of clusters, one column an index, and who chooses it."""
        short = short_names([*self.curves])
        chosen = {c.index: c.k for c in self.choices.values()}
        rows = tuple(
            (
                k,
                *(_cell(curve, i, strong=chosen.get(curve.index) == k) for curve in self.curves.values()),
                ", ".join(short.get(c.index, c.index) for c in self.choices.values() if c.k == k),
            )
            for i, k in enumerate(self.ks)
        )
        columns = ("k", *short.values(), "chosen by")
        over_k = Table("values over k", columns, rows).without_blank_columns()
        return (over_k,) if self.shapes is None else (over_k, *self.shapes.more())

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads; the model is not in it."""
        return {
            **super().to_dict(),
            "title": self.title,
            "k": self.k,
            "strength": self.strength,
            "votes": {str(k): count for k, count in self.votes.items()},
            "fits": plain([asdict(fit) for fit in self.fits]),
            "curves": plain([asdict(curve) for curve in self.curves.values()]),
            "choices": plain([asdict(choice) for choice in self.choices.values()]),
            "selected": {str(k): run for k, run in self.selected.items()},
            "ks": list(self.ks),
            "asked": list(self.asked),
            "assessment": plain(asdict(self._answer)),
            **({} if self.shapes is None else {"shapes": self.shapes.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        cls.refuse_other(data, "choice of k")
        curves = [_curve_of(row) for row in data["curves"]]
        choices = [Choice(**{**row, "verdict": _verdict_of(row["verdict"])}) for row in data["choices"]]
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            ks=tuple(data["ks"]),
            asked=tuple(data.get("asked", ())),
            fits=tuple(_fit_of(row) for row in data["fits"]),
            curves={curve.index: curve for curve in curves},
            choices={choice.index: choice for choice in choices},
            selected={int(k): run for k, run in data["selected"].items()},
            title=data["title"],
            remarks=remarks_of(data.get("remarks", ())),
            assessment=_assessment_of(data["assessment"]) if "assessment" in data else None,
            shapes=CovarianceShapes.from_dict(data["shapes"]) if "shapes" in data else None,
        )


CENTRES = ("cluster_centers_", "means_")
"""Where models keep their centres."""

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


def _cell(curve: IndexOverK, place: int, *, strong: bool) -> Cell:
    """A value over k, with the reason where there is none or where it does not count."""
    value = curve.values[place]
    flaw = curve.flaws[place] if curve.flaws else ""
    reason = f"does not count: {flaw}" if flaw else curve.caveats[place] if math.isnan(value) else ""
    return Cell(value, reason, strong=strong)


def short_names(labels: Sequence[str]) -> dict[str, str]:
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


def _assessment_of(row: Mapping[str, Any]) -> Assessment:
    known: dict[str, Any] = {"remarks": remarks_of(row["remarks"])}
    if "checked" in row:
        numbers = {name: number(row["checked"][name]) for name in ("p", "silhouette", "prediction_strength")}
        known["checked"] = Checked(**{**row["checked"], **numbers})
    return Assessment(**{**row, **known})


def _curve_of(row: Mapping[str, Any]) -> IndexOverK:
    numbers = {name: tuple(map(number, row[name])) for name in ("values", "errors")}
    best = None if row["best"] is None else number(row["best"])
    texts = {name: tuple(row.get(name, ())) for name in ("caveats", "flaws")}
    return IndexOverK(**{**row, **numbers, **texts, "best": best})


def _fit_of(row: Mapping[str, Any]) -> Fit:
    values = {index: number(value) for index, value in row["values"].items()}
    shape = Shape.from_dict(row["shape"]) if row.get("shape") else None
    known = {"values": values, "objective": number(row["objective"]), "warned": tuple(row["warned"])}
    return Fit(**{**row, **known, "shape": shape})
