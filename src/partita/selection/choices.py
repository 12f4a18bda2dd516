"""The answer about the clusters of data, with all that it rests on: over k, over a parameter, or by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from partita.arrays import Array, Floats
from partita.errors import ParameterError
from partita.fits.models import centres_of, scaling_first
from partita.partitions import FUZZY, HARD, DataMatrix, Partition
from partita.partitions.equal_clusterings import hard_labels
from partita.registry.rules import Verdict as RuleVerdict
from partita.registry.rules import apply_rule
from partita.results import Cell, Result, Table, join_texts, plain
from partita.results.answers import Answer, Reason
from partita.results.index_names import one_of, short_names
from partita.results.records import read_back
from partita.results.verdicts import Strength, remarks_of
from partita.selection._structure import Structure
from partita.selection.candidates import Candidate
from partita.selection.covariance_shapes import CovarianceShapes
from partita.selection.evidence import MIXTURE, Evidence, ScoredClustering
from partita.selection.sweep import Fit
from partita.selection.verdict import Verdict
from partita.selection.votes import Ballot, Choice, IndexOverK, Preference
from partita.statistics.distances.kept_neighbours import KeptNeighbours

__all__ = ["ChoiceOfClustering", "ChoiceOfK", "ChoiceOfValue", "Decision"]

FACTS = ("clusters", "coverage", "smallest", "neighbours")
"""Columns of each clustering before those of the indices."""


@dataclass(frozen=True, repr=False)
class Decision(Result):
    """An answer about clusters, as `choose_k`, `choose_value` and `choose` give it.

    Attributes
    ----------
    verdict : Verdict
        The answer with the scored clusterings.
    structure : Structure or None
        The test of structure, run once; None where it was not asked for.
    evidence : Evidence or None
        The density trees and mixtures behind the scores; None where the result was read from a file.
    title : str
        The data and the method, in words.
    """

    verdict: Verdict = field(default_factory=lambda: Verdict(Answer(None, "no structure", "No clusters")))
    structure: Structure | None = field(default=None, repr=False, compare=False)
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    title: str = ""
    refit: Callable[[Any, int], Any] | None = field(default=None, repr=False, compare=False)
    scaler: Any = field(default=None, repr=False, compare=False)
    features: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def answer(self) -> Answer:
        """The value, the strength and the reasons, from which all sentences are made."""
        return self.verdict.answer

    @property
    def k(self) -> int | None:
        """The number of clusters: the best guess, and None only where there is no structure."""
        return None if self.scored is None else self.scored.k

    @property
    def partition(self) -> Partition | None:
        """The clustering of all objects; None only where there is no structure."""
        return None if self.scored is None else self.scored.partition

    @property
    def strength(self) -> Strength:
        """How far to trust the answer: "clear", "weak", "contested" or "no structure"."""
        return self.answer.strength

    @property
    def score(self) -> float:
        """The score of the answer, from 0 to 2.35; it is not a probability. Its parts are in ``best``."""
        return math.nan if self.scored is None else self.scored.score

    @property
    def scored(self) -> ScoredClustering | None:
        """The answer as a clustering with the parts of its score."""
        return self.verdict.best

    @property
    def margin(self) -> float:
        """The score of the answer minus the best score of other clusters."""
        return self.verdict.margin

    @property
    def levels(self) -> tuple[ScoredClustering, ...]:
        """The answer, with the clustering that is nested with it and holds too, if there is one."""
        return self.verdict.levels

    @property
    def alternatives(self) -> tuple[ScoredClustering, ...]:
        """Ten other clusterings at most, each with its score: the second answer first."""
        return self.verdict.alternatives

    @property
    def is_rescaled(self) -> bool:
        """True where columns got equal weight, since one of them dominated the distances."""
        best, evidence = self.verdict.best, self.evidence
        if best is None or evidence is None or evidence.dominant is None:
            return False
        return best.method == MIXTURE or best.parameters.get("scale") == "standard"

    @property
    def because(self) -> tuple[Reason, ...]:
        """The reasons for the answer, the most important first."""
        return self.answer.because

    @property
    def statement(self) -> str:
        """The answer in at most 25 words."""
        return self.answer.statement

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            **super().to_dict(),
            "title": self.title,
            "k": self.k,
            "strength": self.strength,
            "score": plain(self.score),
            "verdict": self.verdict.to_dict(),
        }


@dataclass(frozen=True, repr=False)
class ChoiceOfK(Decision):
    """The number of clusters in data.

    Attributes
    ----------
    ks : tuple of int
        The numbers of clusters that were tried.
    fits : tuple of Fit
        Every run, with every value.
    curves : dict of IndexOverK
        For each index its value at each k: of the run with the best objective, or of its own best run.
    choices : dict of Choice
        For each index the number of clusters that it chooses, why, and by how much.
    selected : dict
        For each k the run with the best objective.
    shapes : CovarianceShapes or None
        Of mixtures with several covariance shapes, BIC of each shape and k; the rest is about the best shape.
    """

    ks: tuple[int, ...] = ()
    fits: tuple[Fit, ...] = ()
    curves: Mapping[str, IndexOverK] = field(default_factory=dict)
    choices: Mapping[str, Choice] = field(default_factory=dict)
    selected: Mapping[int, int] = field(default_factory=dict)
    shapes: CovarianceShapes | None = None
    data: Array | None = field(default=None, repr=False, compare=False)
    given: DataMatrix | None = field(default=None, repr=False, compare=False)
    """The data in their own units, with the names of features and objects."""

    @cached_property
    def ballot(self) -> Ballot:
        """The choices of the indices that have a vote, by family. They are reported and decide nothing."""
        families: dict[str, dict[str, int | None]] = {}
        for choice in self.choices.values():
            if choice.votes:
                families.setdefault(choice.family or choice.index, {})[choice.index] = choice.k
        return Ballot(families, self.ks)

    @property
    def votes(self) -> dict[int, float]:
        """For each k its votes, most first: each family of indices has one, which its indices share."""
        return self.ballot.votes

    @property
    def value(self) -> int | None:
        """The chosen value of the parameter: ``k``."""
        return self.k

    def __getitem__(self, name: str) -> Choice:
        return self.choices[one_of(name, self.choices, noun="choice")]

    @cached_property
    def model(self) -> Any:
        """The fitted estimator of the answer; there is none where there is no structure."""
        best = self.verdict.best
        if best is None:
            raise ParameterError("no clusters were found.", got=self.statement, fix=".model_at(k)")
        if self.evidence is not None and "estimator" not in best.parameters:  # of partita's own methods
            return scaling_first(self.evidence.model_of(best), self.scaler, self.features)
        return self.model_at(best.k)

    def model_at(self, k: int) -> Any:
        """The fit with the best objective at a number of clusters, fitted again from its seed.

        Where X was scaled, it is a pipeline that scales first.
        """
        return scaling_first(self._refitted(k), self.scaler, self.features)

    def _refitted(self, k: int) -> Any:
        if not isinstance(k, (int, np.integer)) or k not in self.selected:
            raise ParameterError(
                f"there is no fit with k = {k}.", got=repr(k), need=f"one of {list(self.selected)}"
            )
        if self.refit is None:
            raise ParameterError(
                "this result was read from a file and has no data to fit.", fix="choose_k again"
            )
        return self.refit(int(k), self.fit_at(k).seed)

    def fit_at(self, k: int) -> Fit:
        """The run that is evaluated at a k."""
        return next(f for f in self.fits if (f.k, f.run) == (k, self.selected[k]))

    @cached_property
    def partitions(self) -> dict[int, Partition]:
        """For each k the clustering of the run that is evaluated."""
        found = {k: self.fit_at(k).partition for k in self.selected}
        return {k: one for k, one in found.items() if one is not None}

    @property
    def clustering(self) -> Partition | None:
        """The clustering of the answer as its method gives it: with memberships, where it has some."""
        best = self.verdict.best
        if best is None or best.k not in self.partitions:
            return self.partition
        found = self.partitions[best.k]
        return found if np.array_equal(hard_labels(found), best.labels) else self.partition

    @cached_property
    def uncertainty(self) -> Floats:
        """For each object one minus its largest membership in the answer."""
        if self.k is None:
            raise ParameterError("no clusters were found.", got=self.statement, fix=".uncertainty_at(k)")
        return self.uncertainty_at(self.k)

    def uncertainty_at(self, k: int) -> Floats:
        """The same at another number of clusters; for methods that give memberships."""
        found = self.partitions.get(k)
        if found is None:
            self._refitted(k)  # refuses a k that was not tried
            raise ParameterError("this fit failed.", got=self.fit_at(k).failed)
        if found.kind not in (FUZZY, HARD) or (found.kind is HARD and k > 1):
            raise ParameterError(
                "this method gives no memberships, on which uncertainty rests.",
                got=f"a {found.kind.value} clustering",
                need="a mixture or a fuzzy method",
            )
        return np.asarray(1.0 - found.memberships().max(axis=1))

    def centers(self, k: int | None = None) -> Any:
        """The centres of the answer, or at another k: a frame with a row for each cluster.

        They are in the units of X: where it was scaled, that is undone.
        """
        return centres_of(self.model if k is None else self.model_at(k), self.scaler, self.features)

    def success_rate(self, k: int) -> dict[str, float]:
        """For each index the share of runs in which it alone would choose this k (lei2014, section 4).

        The first run of every k gives a curve, the second another, and so on; each index chooses from each by
        its rule.
        """
        runs = sorted({fit.run for fit in self.fits})
        values = {(fit.k, fit.run): fit.values for fit in self.fits}
        rates = {}
        for label, curve in self.curves.items():
            if label not in self.fits[0].values or curve.direction == "none":
                continue
            heights = ([values[at, run][label] for at in self.ks] for run in runs)
            chosen = [
                apply_rule(curve.rule, self.ks, height, direction=curve.direction, best=curve.best).k
                for height in heights
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
        """The scored clusterings under the answer."""
        best = self.verdict.best
        listed = {id(one): one for one in (best, *self.levels, *self.alternatives) if one is not None}
        rows = tuple(
            (
                one.k,
                str(one.parameters.get("estimator", one.method)),
                Cell(one.score, strong=one is best),
                one.lasting,
                one.agreement,
                one.best_bic,
                "answer" if one is best else "level" if one in self.levels else "",
            )
            for one in sorted(listed.values(), key=lambda one: -one.score)
        )
        columns = ("k", "method", "score", "lasting", "agreement", "BIC", "role")
        return Table(self.title, columns, rows, self.footnotes, self.statement)

    def more(self) -> tuple[Table, ...]:
        """The choice of each index, then its values over k, and who chooses each."""
        rows = tuple(
            (c.index, c.family, c.rule, *_chosen(c.k, c.verdict, c.no_vote)) for c in self.choices.values()
        )
        columns = ("index", "family", "rule", "k", "next", "ahead by", "why")
        chosen_by = Table("choices of indices, which decide nothing", columns, rows).without_blank_columns()
        short = short_names([*self.curves])
        chosen = {c.index: c.k for c in self.choices.values()}
        rows_over_k = []
        for i, k in enumerate(self.ks):
            choosers = ", ".join(short.get(index, index) for index, own in chosen.items() if own == k)
            cells = (
                _cell(c.values[i], c.flaws[i] if c.flaws else "", c.caveats[i], strong=chosen.get(name) == k)
                for name, c in self.curves.items()
            )
            rows_over_k.append((k, *cells, choosers))
        over_k = Table("values over k", ("k", *short.values(), "chosen by"), tuple(rows_over_k))
        tables = (chosen_by, over_k.without_blank_columns()) if self.choices or self.curves else ()
        return tables if self.shapes is None else (*tables, *self.shapes.more())

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads; models and labels are not in it."""
        return {
            **super().to_dict(),
            "votes": {str(k): count for k, count in self.votes.items()},
            "fits": plain(self.fits),
            "curves": plain([*self.curves.values()]),
            "choices": plain([*self.choices.values()]),
            "selected": plain(self.selected),
            "ks": list(self.ks),
            **({} if self.shapes is None else {"shapes": self.shapes.to_dict()}),
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        cls.refuse_other(data, "choice of k")
        curves = [IndexOverK.from_dict(row) for row in data["curves"]]
        choices = [Choice.from_dict(row) for row in data["choices"]]
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            ks=tuple(data["ks"]),
            fits=tuple(Fit.from_dict(row) for row in data["fits"]),
            curves={curve.index: curve for curve in curves},
            choices={choice.index: choice for choice in choices},
            selected={int(k): run for k, run in data["selected"].items()},
            title=data["title"],
            remarks=remarks_of(data["remarks"]),
            verdict=Verdict.from_dict(data["verdict"]),
            shapes=CovarianceShapes.from_dict(data["shapes"]) if "shapes" in data else None,
        )


def _cell(value: float, flaw: str, caveat: str, *, strong: bool) -> Cell:
    """A value, with the reason where there is none or where it does not count."""
    reason = f"does not count: {flaw}" if flaw else caveat if math.isnan(value) else ""
    return Cell(value, reason, strong=strong)


def _chosen(choice: Any, verdict: RuleVerdict | Preference, no_vote: str) -> tuple[Any, ...]:
    """The choice of an index, the next best, by how much it is ahead, and why."""
    ahead = None if math.isnan(verdict.difference) else verdict.difference
    why = join_texts([verdict.reason, f"no vote: {no_vote}" if no_vote else ""])
    return "none" if choice is None else choice, verdict.runner_up, ahead, why


# --- among clusterings ------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ChoiceOfClustering(Decision):
    """The best of several clusterings of the same objects.

    Attributes
    ----------
    candidates : tuple of Candidate
        The clusterings, each once: ``names`` has all names of one, ``values`` the values of the indices.
    preferences : dict of Preference
        For each index the clustering that it prefers, why, and by how much. They decide nothing.
    pairs : tuple of tuples
        The adjusted Rand index of every two candidates; see ``agreement``.
    chosen : Candidate or None
        The answer.
    """

    candidates: tuple[Candidate, ...] = ()
    preferences: Mapping[str, Preference] = field(default_factory=dict)
    pairs: tuple[tuple[float, ...], ...] = ()
    chosen: Candidate | None = None
    kept: KeptNeighbours | None = field(default=None, repr=False, compare=False)

    @property
    def best(self) -> Any:
        """The name of the answer, the first if it has several; None for no structure or one cluster."""
        return None if self.chosen is None else self.chosen.names[0]

    @property
    def partition(self) -> Partition | None:
        """The clustering, as it was given."""
        return super().partition if self.chosen is None else self.chosen.partition

    @cached_property
    def ballot(self) -> Ballot:
        """The preferences of the indices that have a vote, by family."""
        families: dict[str, dict[str, str | None]] = {}
        for one in self.preferences.values():
            if one.votes:
                families.setdefault(one.family, {})[one.index] = one.label
        return Ballot(families, tuple(c.label for c in self.candidates))

    @property
    def votes(self) -> dict[str, float]:
        """For each clustering its votes, most first: a family of indices has one, which its indices share."""
        return self.ballot.votes

    @cached_property
    def agreement(self) -> Any:
        """The adjusted Rand index of every two clusterings, as a frame."""
        import pandas as pd

        names = [name for c in self.candidates for name in c.names]
        place = [i for i, c in enumerate(self.candidates) for _ in c.names]
        rows = [[self.pairs[i][j] for j in place] for i in place]
        return pd.DataFrame(rows, index=names, columns=names)

    @cached_property
    def neighbours(self) -> Any:
        """For each object the share of its nearest neighbours in its own cluster, as a frame.

        A column for each clustering, and one for the mean over all of them, which is low where clusterings
        have borders. Above 10,000 objects of a sample, whose rows are the index.
        """
        import pandas as pd

        if self.kept is None:
            raise ParameterError("this result holds no objects.", fix="choose(X, ...).neighbours")
        frame = pd.DataFrame(
            self.kept.shares, index=self.kept.rows, columns=[c.label for c in self.candidates]
        )
        frame["all"] = self.kept.over_all
        return frame

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each name: facts of its clustering, its score, and all values."""
        return [
            {"clustering": name, **_facts(c), "score": c.score, **c.values}
            for c in self.candidates
            for name in c.names
        ]

    def table(self) -> Table:
        """The clusterings with their scores and values, the best first."""
        best_first = sorted(self.candidates, key=lambda c: math.inf if math.isnan(c.score) else -c.score)
        return self._over([(c.label, c) for c in best_first], "clustering")

    def more(self) -> tuple[Table, ...]:
        """The preference of each index, and the agreement of the clusterings."""
        rows = tuple((p.index, p.family, *_chosen(p.label, p, p.no_vote)) for p in self.preferences.values())
        columns = ("index", "family", "best", "next", "ahead by", "why")
        title = "preferences of indices, which decide nothing"
        preferred = Table(title, columns, rows, spare=("next", "ahead by")).without_blank_columns()
        return (preferred, *self._agreement_table())

    def _over(self, listed: Sequence[tuple[Any, Candidate]], first: str) -> Table:
        """One row a clustering: its facts, its score and its values."""
        indices = list(self.candidates[0].values)
        preferred = {p.index: p.label for p in self.preferences.values()}
        counts = any(not c.flaw for c in self.candidates)
        rows = [
            (
                name,
                *_facts(c).values(),
                Cell(c.score, strong=c is self.chosen),
                *(
                    _cell(value, c.flaw * counts, c.caveats[index], strong=preferred.get(index) == c.label)
                    for index, value in c.values.items()
                ),
            )
            for name, c in listed
        ]
        columns = (first, *FACTS, "score", *short_names(indices).values())
        return Table(self.title, columns, tuple(rows), self.footnotes, self.statement).without_blank_columns()

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
            "best": plain(self.best),
            "votes": dict(self.votes),
            "candidates": [c.to_dict() for c in self.candidates],
            "preferences": plain([*self.preferences.values()]),
            "agreement": plain(self.pairs),
        }


def _facts(candidate: Candidate) -> dict[str, Any]:
    return {name: getattr(candidate, name) for name in FACTS}


@dataclass(frozen=True, repr=False)
class ChoiceOfValue(ChoiceOfClustering):
    """The best value of a parameter, by the clusterings that a method finds with each.

    Attributes
    ----------
    parameter : str
        The parameter.
    tried : tuple
        Its values, in the order given; those with the same clustering are one candidate.
    seeds : dict
        By the place of a value the seed of the run that is evaluated; values that failed have none.
    """

    parameter: str = ""
    tried: tuple[Any, ...] = ()
    seeds: Mapping[int, int] = field(default_factory=dict)

    @property
    def value(self) -> Any:
        """The chosen value, the middle one where several give the same clustering; None if there is none."""
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
        """The number of clusters at each value; None where all fits failed."""
        return tuple(self._at[v].clusters if v in self._at else None for v in self.tried)

    @property
    def coverage(self) -> tuple[float, ...]:
        """At each value the share of objects in a cluster, not noise; nan where all fits failed."""
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
            raise ParameterError("this result has no data to fit.", fix="choose_value again")
        model = self.refit(value, self.seeds[self.tried.index(value)])
        return scaling_first(model, self.scaler, self.features)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each value that has a clustering."""
        return [
            {self.parameter: value, **_facts(c), "score": c.score, **c.values} for value, c in self._listed()
        ]

    def table(self) -> Table:
        """The values of the parameter with their clusterings, scores and indices."""
        return self._over(self._listed(), self.parameter)

    def _listed(self) -> list[tuple[Any, Candidate]]:
        return [(value, self._at[value]) for value in self.tried if value in self._at]

    def _agreement_table(self) -> tuple[Table, ...]:
        return ()

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
