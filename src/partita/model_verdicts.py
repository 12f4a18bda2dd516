"""Several candidates against one truth: values, differences to the best, and what is decided by them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

from partita.errors import ParameterError, near_names
from partita.registry import Caveat, CaveatKind, find
from partita.registry.caveats import join_caveats
from partita.results import Result, Table, number, plain
from partita.results.index_rows import LeftOut
from partita.results.records import read_back
from partita.results.result import join_texts
from partita.results.tables import Cell, show
from partita.results.verdicts import Strength, remarks_of

__all__ = ["ModelComparison", "ModelValue"]

ROUNDING = 1e-12
"""Values that are as close as this are a tie."""

COLUMNS = (
    "index",
    "symbol",
    "direction",
    "candidate",
    "value",
    "ci_low",
    "ci_high",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "caveat",
)


@dataclass(frozen=True)
class ModelValue:
    """One index of one candidate.

    Attributes
    ----------
    value, ci_low, ci_high : float
        Against the truth, with its sampling interval.
    difference, difference_low, difference_high : float
        The value minus that of the candidate which the index finds best, with its sampling interval from the
        same drawn objects; nothing for the best itself.
    p : float
        Two-sided, for a difference of 0: twice the share of replicates on its other side; never 0.
    """

    index: str
    symbol: str
    direction: str
    candidate: str
    value: float
    ci_low: float = math.nan
    ci_high: float = math.nan
    difference: float = math.nan
    difference_low: float = math.nan
    difference_high: float = math.nan
    p: float = math.nan
    caveats: tuple[Caveat, ...] = ()

    @property
    def caveat(self) -> str:
        """All caveats in one line."""
        return join_caveats(self.caveats)


@dataclass(frozen=True, repr=False)
class ModelComparison(Result):
    """Several candidates against one truth, on the same objects.

    Attributes
    ----------
    rows : tuple of ModelValue
        One for each index and candidate.
    candidates : tuple of str
        Their names.
    title : str
        What was compared, in words.
    confidence : float
        A difference is decided where its p is at most 1 - confidence, divided by the number of candidates
        that are held against the best and by the number of families of indices.
    left_out : tuple of LeftOut
        Indices that do not apply to all candidates, with the reason.
    """

    rows: tuple[ModelValue, ...] = ()
    candidates: tuple[str, ...] = ()
    title: str = ""
    confidence: float = 0.95
    left_out: tuple[LeftOut, ...] = ()

    def __getitem__(self, name: Any) -> dict[str, ModelValue]:
        """The rows of an index, by candidate."""
        try:
            wanted = find(name, fits=lambda entry: entry.label in self._by_index).label
        except (KeyError, ParameterError):
            wanted = str(name)
        if wanted not in self._by_index:
            raise near_names(str(name), self._by_index, noun="index here")
        return self._by_index[wanted]

    # --- what is decided ----------------------------------------------------------------------------------

    @cached_property
    def _by_index(self) -> dict[str, dict[str, ModelValue]]:
        found: dict[str, dict[str, ModelValue]] = {}
        for row in self.rows:
            found.setdefault(row.index, {})[row.candidate] = row
        return found

    @cached_property
    def best_by(self) -> dict[str, tuple[str, ...]]:
        """For each index that judges, the candidates it finds best: several where they tie."""
        found = {}
        for index, rows in self._by_index.items():
            values = {name: row.value for name, row in rows.items()}
            direction = next(iter(rows.values())).direction
            if direction == "none" or any(map(math.isnan, values.values())):
                continue
            best = (max if direction == "higher" else min)(values.values())
            found[index] = tuple(
                n for n, v in values.items() if math.isclose(v, best, rel_tol=ROUNDING, abs_tol=ROUNDING)
            )
        return found

    @property
    def level(self) -> float:
        """The p up to which a difference is decided: divided among candidates and families (Bonferroni).

        One index is enough to call a candidate better, so that each family is one more chance of an error;
        indices of one family agree so closely that they count as one.
        """
        return (1.0 - self.confidence) / (max(len(self.candidates) - 1, 1) * max(len(self.families), 1))

    @property
    def fewest_replicates(self) -> int:
        """The number of bootstrap replicates below which no difference can be decided at this level."""
        return math.ceil(2.0 / self.level) - 1

    @cached_property
    def worse_by(self) -> dict[str, tuple[str, ...]]:
        """For each index that judges, the candidates that are decidedly worse than the one it finds best."""
        return {
            index: tuple(n for n, row in self._by_index[index].items() if row.p <= self.level)
            for index in self.best_by
        }

    @cached_property
    def families(self) -> dict[str, tuple[str, ...]]:
        """For each family of indices the candidates that most of its indices find best: kin are one voice."""
        votes: dict[str, Counter[str]] = {}
        for index, names in self.best_by.items():
            votes.setdefault(_family(index), Counter()).update(names)
        return {
            family: tuple(n for n in self.candidates if count[n] == max(count.values()))
            for family, count in votes.items()
        }

    @cached_property
    def leading(self) -> str | None:
        """The candidate that most families find best, decided or not; None where several do."""
        votes = Counter(name for names in self.families.values() for name in names)
        most = max(votes.values(), default=0)
        first = [name for name in self.candidates if votes[name] == most]
        return first[0] if len(first) == 1 else None

    def beaten_by(self, winner: str) -> dict[str, tuple[str, ...]]:
        """For each other candidate the indices that find it decidedly worse than this one, their best."""
        return {
            other: tuple(
                i for i, worse in self.worse_by.items() if other in worse and winner in self.best_by[i]
            )
            for other in self.candidates
            if other != winner
        }

    @cached_property
    def against(self) -> dict[str, tuple[str, ...]]:
        """For each candidate that some indices find decidedly better than the leading one, these indices."""
        if self.leading is None:
            return {}
        found: dict[str, list[str]] = {}
        for index, worse in self.worse_by.items():
            if self.leading in worse:
                found.setdefault(self.best_by[index][0], []).append(index)
        return {name: tuple(indices) for name, indices in found.items()}

    @property
    def best(self) -> str | None:
        """The candidate that leads, is decidedly better than each other by an index, and worse by none."""
        if self.leading is None or self.against or not all(self.beaten_by(self.leading).values()):
            return None
        return self.leading

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted.

        ``"clear"``: each family finds the best one best, and each other candidate decidedly worse;
        ``"contested"``: indices decide for different candidates; ``"weak"``: the rest, where differences are
        not decided.
        """
        winners = {names[0] for index, names in self.best_by.items() if self.worse_by[index]}
        if self.against or (self.leading is None and len(winners) > 1):
            return "contested"
        if self.best is None:
            return "weak"
        beaten = self.beaten_by(self.best)
        decided = all(
            names == (self.best,) and all(any(_family(i) == family for i in own) for own in beaten.values())
            for family, names in self.families.items()
        )
        return "clear" if decided else "weak"

    @property
    def statement(self) -> str:
        """Who is better, by which indices, and what is not decided."""
        if not self.best_by:
            return "no index here judges between them"
        if self.leading is None:
            return self._without_a_leader()
        beaten = self.beaten_by(self.leading)
        sure = [f"better than {n} by {self._indices(own)}" for n, own in beaten.items() if own]
        open_ = [n for n, own in beaten.items() if not own and n not in self.against]
        but = [f"but {n} is better by {self._indices(own)}" for n, own in self.against.items()]
        voices = sum(self.leading in names for names in self.families.values())
        of = f"best by {voices} of {len(self.families)} {'family' if len(self.families) == 1 else 'families'}"
        parts = [f"{self.leading}: {of}", *sure, *but]
        if open_:
            parts.append(f"not decided against {', '.join(open_)} ({self._smallest_p(open_)})")
        elif not sure and not but:
            parts.append("nothing is decided")
        undecided = [i for i in self.best_by if not self.worse_by[i]]
        if sure and undecided:
            parts.append(f"not decided by {', '.join(undecided)}")
        return join_texts(parts)

    def _without_a_leader(self) -> str:
        votes = Counter(name for names in self.families.values() for name in names)
        tied = [n for n in self.candidates if votes[n] == max(votes.values())]
        parts = [f"not decided between {' and '.join(tied)}: as many families find each best"]
        for index, worse in self.worse_by.items():
            if worse:
                parts.append(f"{self.best_by[index][0]} is better than {' and '.join(worse)} by {index}")
        return join_texts(parts)

    def _indices(self, names: Sequence[str]) -> str:
        total = len(self.best_by)
        if len(names) == total > 2:
            return f"all {total} indices"
        return ", ".join(names) if len(names) <= 3 else f"{len(names)} of {total} indices"

    def _smallest_p(self, names: Iterable[str]) -> str:
        known = [row.p for row in self.rows if row.candidate in names and not math.isnan(row.p)]
        return f"smallest p = {min(known):.2g}" if known else "no p-value"

    # --- forms ----------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return COLUMNS

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an index and candidate, with every column."""
        return [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]

    def table(self) -> Table:
        """The rows, index by index, best first; the best stands out."""
        name = f"{100.0 * self.confidence:g}% interval"
        columns = ("index", "direction", "candidate", "value", name, "to the best", f"{name} of it", "p", "")
        rows = []
        for index, own in self._by_index.items():
            sign = -1.0 if next(iter(own.values())).direction == "higher" else 1.0
            ordered = sorted(own.values(), key=lambda row: (math.isnan(row.value), sign * row.value))
            for place, row in enumerate(ordered):
                best = row.candidate in self.best_by.get(index, ())
                cells = (
                    index if not place else "",
                    row.direction if not place else "",
                    Cell(row.candidate, strong=best),
                    Cell(row.value, row.caveat, strong=best),
                    _span(row.ci_low, row.ci_high),
                    _blank(row.difference),
                    _span(row.difference_low, row.difference_high),
                    _blank(row.p),
                    "worse" if row.candidate in self.worse_by.get(index, ()) else "",
                )
                rows.append(cells)
        decided = f"worse: p at most {self.level:.3g}" if any(self.worse_by.values()) else ""
        skipped = [f"left out: {x.index} ({x.reason})" for x in self.left_out]
        notes = (*[decided] * bool(decided), *self.footnotes, *skipped)
        spare = ("direction",)
        return Table(
            self.title, columns, tuple(rows), notes, self.statement, spare=spare
        ).without_blank_columns()

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {
            **super().to_dict(),
            "rows": plain([{**asdict(row), "caveat": row.caveat} for row in self.rows]),
            "candidates": list(self.candidates),
            "title": self.title,
            "confidence": self.confidence,
            "left_out": [asdict(x) for x in self.left_out],
            "best": self.best,
            "leading": self.leading,
            "strength": self.strength,
        }

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        cls.refuse_other(data, "comparison of models")
        return cls(
            notes=tuple(data["notes"]),
            provenance=dict(data["provenance"]),
            remarks=remarks_of(data.get("remarks", ())),
            rows=tuple(_row_of(row) for row in data["rows"]),
            candidates=tuple(data["candidates"]),
            title=data["title"],
            confidence=data["confidence"],
            left_out=tuple(LeftOut(**x) for x in data["left_out"]),
        )


def _row_of(record: Mapping[str, Any]) -> ModelValue:
    told: dict[str, Any] = {
        k: number(v) if k in COLUMNS[4:11] else v for k, v in record.items() if k != "caveat"
    }
    caveats = tuple(Caveat(CaveatKind.read(c["kind"]), c["text"]) for c in told.pop("caveats"))
    return ModelValue(**told, caveats=caveats)


def _family(label: str) -> str:
    return find(label.partition(":")[0]).family


def _span(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{show(low)} to {show(high)}"


def _blank(value: float) -> float | None:
    return None if math.isnan(value) else value
