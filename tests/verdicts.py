"""What the papers came to at full size and in small, committed: ``python tests/verdicts.py`` writes it anew.

It reads the findings that ``make reproduce`` left in docs/papers, and runs the small versions. With names
of papers, ``python tests/verdicts.py 1 rovetta2009``, it does so for these and keeps what was committed of
the others.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from partita.experiments import PAPERS, Reproduction, reproduce

PAGES = Path(__file__).parents[1] / "docs" / "papers"
COMMITTED = PAGES / "verdicts.json"

Verdicts = dict[str, dict[str, dict[str, str]]]
"""By part, by what the paper has, the outcomes at full size ("full") and in small ("quick")."""


def name_of(record: dict[str, str]) -> str:
    """What the paper has, and where."""
    return f"{record['where']}: {record['printed']}"


def committed(paper: str) -> Verdicts:
    """The verdicts of a paper as they were committed."""
    whole: dict[str, Verdicts] = json.loads(COMMITTED.read_text(encoding="utf-8"))
    return whole[paper]


def disagreements(found: Reproduction) -> list[str]:
    """Findings of small versions that came to something else than was committed."""
    known = committed(found.paper)
    others = []
    for record in found.records():
        was = known[record["part"]].get(name_of(record), {}).get("quick")
        if was != record["outcome"]:
            others.append(f"{record['part']}: {name_of(record)}: {record['outcome']}, committed: {was}")
    return others


def _written(n_jobs: int, papers: Sequence[str]) -> None:
    verdicts = {paper: {} if paper in papers else committed(paper) for paper in PAPERS}
    for paper in papers:
        whole = json.loads((PAGES / f"{paper}.json").read_text(encoding="utf-8"))["rows"]
        small = reproduce(paper, quick=True, n_jobs=n_jobs).records()
        made: Verdicts = {}
        for size, rows in (("full", whole), ("quick", small)):
            for row in rows:
                made.setdefault(row["part"], {}).setdefault(name_of(row), {})[size] = row["outcome"]
        verdicts[paper] = made
    COMMITTED.write_text(json.dumps(verdicts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _written(int(sys.argv[1]) if len(sys.argv) > 1 else 1, sys.argv[2:] or PAPERS)
