"""Reproductions: what a paper came to when it was run again, as a result that prints its score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from partita.experiments.findings import Finding
from partita.experiments.studies import Part
from partita.results import Result, Table

__all__ = ["Reproduction"]

MOST_REASONS = 2
"""Reasons that the score tells of a part that was not reproduced as a whole; the page has all."""


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """A paper that was run again: every number and statement with what it comes to.

    Attributes
    ----------
    paper, title : str
        The key of the paper, and its title.
    parts : dict of Part
        What each study came to, by its name.
    titles : dict of str
        What each study is, in words.
    lessons : tuple of str
        What a user should take from it.
    missing : dict
        Data sets that could not be had, each with the way to get it.
    quick : bool
        Whether small versions were run.
    """

    paper: str = ""
    title: str = ""
    parts: Mapping[str, Part] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    lessons: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    quick: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in the order of the paper."""
        return tuple(finding for part in self.parts.values() for finding in part.findings)

    @property
    def score(self) -> Mapping[str, int]:
        """How many findings came to what."""
        counted = Counter(finding.outcome for finding in self.findings)
        return {outcome: counted[outcome] for outcome in ("reproduced", "not reproduced", "not determinable")}

    @property
    def statement(self) -> str:
        """The score in words, part by part."""
        return "; ".join(self.score_of(name) for name in self.parts if self.parts[name].findings)

    def score_of(self, name: str) -> str:
        """The score of one part in words, with the first reasons of what was not reproduced."""
        found = self.parts[name].findings
        good = sum(finding.outcome == "reproduced" for finding in found)
        said = f"{good} of {len(found)} of {self.titles[name]}"
        others = dict.fromkeys(f.reason for f in found if f.outcome != "reproduced" and f.reason)
        reasons = list(others)[:MOST_REASONS] if len(others) <= MOST_REASONS else []
        return f"{said} ({'; '.join(reasons)})" if reasons else said

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a finding."""
        return [
            {"part": name, **asdict(finding)}
            for name, part in self.parts.items()
            for finding in part.findings
        ]

    def table(self) -> Table:
        """One row a part: how many of its findings came to what."""
        rows = []
        for name, part in self.parts.items():
            counted = Counter(finding.outcome for finding in part.findings)
            rows.append(
                (
                    name,
                    self.titles[name],
                    counted["reproduced"],
                    counted["not reproduced"],
                    counted["not determinable"],
                )
            )
        absent = tuple(f"{data} cannot be had: {how}" for data, how in self.missing.items())
        small = ("small versions; the whole size without --quick",) if self.quick else ()
        columns = ("part", "what", "reproduced", "not reproduced", "not determinable")
        return Table(self.title, columns, tuple(rows), (*small, *absent, *self.footnotes))

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            **super().to_dict(),
            "paper": self.paper,
            "title": self.title,
            "quick": self.quick,
            "score": dict(self.score),
            "lessons": list(self.lessons),
            "missing": dict(self.missing),
            "remarks_of_parts": {name: list(part.remarks) for name, part in self.parts.items()},
        }
