"""The text of the papers beside the project; a test that lacks them is skipped by name."""

from __future__ import annotations

from pathlib import Path

import pytest

PAPERS = Path(__file__).parents[2] / "shared" / "papers"


def paper_text(name: str) -> str:
    path = PAPERS / f"{name}.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path.read_text(encoding="utf-8")
