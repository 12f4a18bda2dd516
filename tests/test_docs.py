"""Pages that are made from the registry are current."""

from pathlib import Path

from partita.results.catalogue import catalogue

ROOT = Path(__file__).parents[1]


def test_the_catalogue_page_is_current():
    page = (ROOT / "docs" / "indices.md").read_text(encoding="utf-8")
    remedy = "run: partita indices --format markdown > docs/indices.md"
    assert page == catalogue().write("markdown") + "\n", remedy


def test_versions_agree():
    import partita

    assert f"version: {partita.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {partita.__version__}" in (ROOT / "CHANGELOG.md").read_text()
