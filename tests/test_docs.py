"""The site is made from what is true now: the catalogue from the registry."""

from __future__ import annotations

import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import partita as pt
from partita.registry import CLAIMS, Index, find, remove

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site():
    """The modules that make the pages; they need no Sphinx."""
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        import index_facts
        import index_pages
        import index_pictures

        yield {"facts": index_facts, "pages": index_pages, "pictures": index_pictures}
    finally:
        sys.path.remove(str(DOCS / "_ext"))


@pytest.fixture(scope="module")
def pages(site):
    return {entry.name: site["pages"].page(entry) for entry in site["facts"].entries()}


def test_every_entry_has_a_page_with_all_that_is_known(site, pages):
    assert len(pages) > 100
    for entry in site["facts"].entries():
        text = pages[entry.name]
        assert text.startswith(f"# {entry.title}\n")
        assert entry.formula in text
        assert "## References" in text
        assert "<svg" in text
        if isinstance(entry, Index):
            applying = CLAIMS if site["facts"].is_pair(entry) else ["relabelling_invariant"]
            rows = [line for line in text.splitlines() if "{.status-" in line]
            assert [re.match(r"\| `(\w+)`", row).group(1) for row in rows] == list(applying)
            for row, claim in zip(rows, applying, strict=True):
                words = {"claimed": "holds", "refuted": "fails", "open": "not known"}
                said = [words[entry.status(claim, kind)] for kind in entry.kinds]
                assert re.findall(r"\[([a-z ]+)\]\{\.status", row) == said
            assert text.count("\n| nan | ") >= sum(math.isnan(limit.value) for limit in entry.limits)


def test_links_between_pages_lead_somewhere(pages):
    links = {link for text in pages.values() for link in re.findall(r"\]\((\w+)\.md\)", text)}
    assert len(links) > 5
    assert links <= set(pages)


def test_pictures_are_whole_and_say_the_values_they_show(site):
    pictures = site["pictures"]
    svg, text = pictures.levels_picture(pt.indices.adjusted_rand)
    assert ET.fromstring(svg).get("aria-label") == text
    _, truth = pictures._objects()
    near = {}
    for found in pictures._path():
        value = pt.indices.adjusted_rand(truth, found)
        near |= {level: True for level in (0.3, 0.6, 0.9) if abs(value - level) < 0.02}
    assert len(near) == 3
    shown = [float(v) for v in re.findall(r"([\d.]+) with \d+ of 60", text)]
    np.testing.assert_allclose(shown, [0.3, 0.6, 0.9], atol=0.02)
    _, text = pictures.levels_picture(pt.indices.rand)
    assert "(0.3 is not reached)" in pictures.levels_picture(pt.indices.rand)[0]
    svg, text = pictures.curve_picture(pt.indices.silhouette)
    assert ET.fromstring(svg) is not None
    assert "On data with three clusters" in text
    assert "highest at k = 3." in text.split("On data without")[0]
    _, text = pictures.curve_picture(pt.indices.ssw)
    assert "lowest at k = 8 (an end of the range, so no choice)" in text


def test_no_text_of_a_page_breaks_its_markup(site):
    assert site["pages"].prose("u_i * [0, 1] <b> `rand` ``x_1`` a|b") == (
        r"u\_i \* \[0, 1\] \<b\> [`rand`](rand.md) `x_1` a\|b"
    )


def test_an_index_of_a_user_is_not_in_the_catalogue_of_ours(site):
    before = len(site["facts"].entries())

    @pt.index(title="Nothing", best=None, range={find("rand").kinds[0]: (0.0, 1.0)})
    def of_a_user(table: pt.statistics.Contingency) -> float:
        return 0.0 * table.n

    try:
        assert len(site["facts"].entries()) == before
    finally:
        remove(find("of_a_user"))


def test_the_json_has_every_entry_and_nothing_that_json_cannot_carry(site):
    text = site["pages"].json_text()
    rows = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))["indices"]
    assert [row["name"] for row in rows] == [entry.name for entry in site["facts"].entries()]
    ari = next(row for row in rows if row["symbol"] == "ARI")
    assert ari["ranges"]["hard"] == [-0.5, 1.0]
    assert ari["ranges"]["fuzzy"] == [None, 1.0]
    assert ari["claims"]["triangle"]["hard"] == "fails"
    assert next(row for row in rows if row["symbol"] == "CH")["best"] == "inf"


def test_the_table_has_a_row_for_every_entry(site):
    html = site["pages"].table_html()
    rows = re.findall(r'<tr data-words="([^"]*)" data-kinds="([^"]*)"', html)
    assert len(rows) == len(site["facts"].entries())
    assert any("adjusted_rand_score" in words for words, _ in rows)


def test_the_reference_lists_every_public_name():
    text = (DOCS / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", text, re.MULTILINE))
    public = {name for name in pt.__all__ if name not in pt._ROOMS}
    for room in (
        "chance",
        "cluster",
        "drop_in",
        "resampling",
        "selection",
        "experiments",
        "plots",
        "reports",
    ):
        public |= {f"{room}.{name}" for name in getattr(pt, room).__all__ if name not in pt.__all__}
    elsewhere = {f"selection.{n}" for n in pt.resampling.__all__}
    internal = {"selection.Choice", "selection.NullTest", "experiments.PAPERS", "experiments.find_paper"}
    assert public - listed - elsewhere - internal - {"experiments.write"} == set()
    for name in listed:
        found = pt
        for part in name.split("."):
            found = (
                __import__("partita.registry", fromlist=["x"]) if part == "registry" else getattr(found, part)
            )


def test_pages_fetch_nothing():
    texts = [p for p in DOCS.rglob("*") if p.suffix in (".md", ".rst", ".css", ".js", ".html", ".py")]
    sources = [p for p in texts if not {"_build", "generated"} & set(p.relative_to(DOCS).parts)]
    fetched = re.compile(r"""(?:src=|href=|url\(|@import|fetch\()\s*["']?https?://""")
    assert len(sources) > 15
    assert [str(p) for p in sources if fetched.search(p.read_text(encoding="utf-8"))] == []


def test_versions_agree():
    assert f"version: {pt.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {pt.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_no_text_names_a_file_that_a_reader_does_not_have():
    inner = ("defini" + "tions/", "DES" + "IGN.md", "_and_" + "traps", "soft_rand" + ".md")
    folders = ("src", "tests", "docs", "bench")
    texts = [p for f in folders for kind in ("py", "md", "json") for p in (ROOT / f).rglob(f"*.{kind}")]
    found = [str(p) for p in texts if any(word in p.read_text(encoding="utf-8") for word in inner)]
    assert len(texts) > 100
    assert found == []
