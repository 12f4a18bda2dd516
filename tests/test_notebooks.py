"""Results in a notebook: a real kernel runs the cells, and what they show is read back."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import nbformat
import pytest
from nbclient import NotebookClient

SETUP = """
import numpy as np, partita as pt
rng = np.random.default_rng(0)
truth = np.repeat(["a", "b", "c"], 30)
X = rng.normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
found = np.repeat([0, 1, 2], 30)
soft = np.eye(3)[found] * 0.7 + 0.1
"""

DRAWN = {
    "a comparison": "pt.compare(truth, found)",
    "hostile names": "pt.compare(['<script>alert(1)</script>', '</svg>', 'b', 'b'], found[:4])",
    "a validation": "pt.validate(X, found)",
    "clusterings side by side": "pt.validate(X, {'found': found, 'truth': truth})",
    "a choice of k": "pt.choose_k(X, ks=range(1, 5), n_runs=2, random_state=0)",
    "stability": "pt.stability(X, ks=range(2, 5), n_repeats=5, random_state=0)",
    "a distribution": "pt.distribution(truth, soft, index='rand')",
    "an alignment": "pt.align(truth, found)",
}
"""What has a figure, and how it is made."""

PLAIN = {"the catalogue": "pt.compare(truth, found).differences('cluster')"}
"""What has a table alone."""


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """The HTML that each cell shows."""
    notebook = nbformat.v4.new_notebook()
    asked = {**DRAWN, **PLAIN}
    notebook.cells = [nbformat.v4.new_code_cell(code) for code in (SETUP, *asked.values())]
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"cell{place}"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    pages = {}
    for what, cell in zip(asked, notebook.cells[1:], strict=True):
        results = [output for output in cell.outputs if output.output_type == "execute_result"]
        assert [output.output_type for output in cell.outputs] == ["execute_result"], (what, cell.outputs)
        pages[what] = results[0].data["text/html"]
        assert results[0].data["text/plain"], what
    return pages


@pytest.mark.parametrize("what", DRAWN)
def test_a_result_shows_its_table_and_its_first_figure(shown: dict[str, str], what: str) -> None:
    page = shown[what]
    assert page.index("<table>") < page.index("<svg")
    (picture,) = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    root = ET.fromstring(picture)
    title, description = (root.findtext(f"{{http://www.w3.org/2000/svg}}{tag}") for tag in ("title", "desc"))
    assert title
    assert description
    assert "<script" not in page
    assert not re.search(r"\son\w+=", page)


@pytest.mark.parametrize("what", PLAIN)
def test_a_result_without_a_figure_shows_its_table(shown: dict[str, str], what: str) -> None:
    assert "<table>" in shown[what]
    assert "<svg" not in shown[what]


def test_no_two_different_figures_of_a_notebook_share_a_name(shown: dict[str, str]) -> None:
    pictures = {one for page in shown.values() for one in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)}
    names = [name for one in pictures for name in re.findall(r'\bid="([^"]+)"', one)]
    assert len(pictures) > 5
    assert len(names) == len(set(names))


def test_every_plot_of_a_notebook_is_shown() -> None:
    notebook = nbformat.v4.new_notebook()
    plot = "ax = pt.plot(pt.compare(truth, found))"
    notebook.cells = [nbformat.v4.new_code_cell(code) for code in (SETUP, plot, plot, plot)]
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"cell{place}"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    kinds = [[output.output_type for output in cell.outputs] for cell in notebook.cells[1:]]
    assert kinds == [["display_data"]] * 3
