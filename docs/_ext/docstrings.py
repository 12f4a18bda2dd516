"""What our docstrings have that numpydoc does not know: the section "Pitfalls" becomes a warning."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

BEFORE_NUMPYDOC = 100
"""Priority of a listener that runs first; numpydoc's is 500."""


def _rename_pitfalls(*event: Any) -> None:
    lines: list[str] = event[-1]
    for i, line in enumerate(lines[:-1]):
        if line == "Pitfalls" and set(lines[i + 1]) == {"-"}:
            lines[i], lines[i + 1] = "Warnings", "--------"


def setup(app: Sphinx) -> dict[str, Any]:
    """Read docstrings before numpydoc does."""
    app.connect("autodoc-process-docstring", _rename_pitfalls, priority=BEFORE_NUMPYDOC)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
