"""Reports to look at: one of hostile names, made once, and what a page consists of."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import partita as pt

EVIL = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(2)</script>"
TURNED = "a\u202egpj.exe"
COMMAND = f"partita report '{EVIL}.csv' --seed 0"
TITLE = f"{EVIL}</title>.csv"

QUICK: dict[str, Any] = {"n_runs": 2, "n_repeats": 4, "n_shuffles": 39, "bootstrap": 39}


def hostile_data() -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Three clusters with hostile names everywhere, copies, units that differ by 5000, noisy labels."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 4)) + 9 * np.eye(4)[classes]
    X[:, 1] *= 5000
    X[:20] = X[0]
    index = [f"{EVIL}{i}\u2066" for i in range(90)]
    data = pd.DataFrame(X, columns=[EVIL, SCRIPT, TURNED, "$x_1$ " + "long " * 60], index=index)
    truth = pd.Series([[EVIL, "</style><b>", "\u202eevil" + "x" * 300][c] for c in classes], index=index)
    old = pd.Series(np.where(rng.random(90) < 0.1, -1, classes // 2), index=index)
    return data, truth, old


@cache
def hostile_results() -> tuple[Any, ...]:
    data, truth, old = hostile_data()
    return tuple(
        pt.reports.analyse(
            data,
            ks=range(1, 6),
            truth=truth,
            labels=old,
            truth_name=EVIL,
            labels_name=TURNED,
            notes=[f"the column {EVIL} is no feature"],
            **QUICK,
        )
    )


@cache
def hostile_page(folder: Path) -> Path:
    return pt.report(*hostile_results(), to=folder / "evil.html", title=TITLE, command=COMMAND)


class Page(HTMLParser):
    """The elements of a page: ``elements`` as (tag, attributes) in their order, and the text of each kind."""

    VOID = frozenset({"meta", "link", "br", "img"})
    UNENDED = frozenset({"td", "th", "tr", "dt", "dd", "li"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.all_text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open[-1] != tag and self._open[-1] in self.UNENDED:
            self._open.pop()
        assert self._open, tag
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.all_text += data
        for tag in set(self._open):
            self.texts[tag][-1] += data

    def having(self, attribute: str) -> list[str]:
        return [str(attrs[attribute]) for _, attrs in self.elements if attribute in attrs]
