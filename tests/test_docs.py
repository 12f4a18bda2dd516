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


def test_no_text_names_a_file_that_a_reader_does_not_have():
    inner = ("defini" + "tions/", "DES" + "IGN.md", "_and_" + "traps", "soft_rand" + ".md")
    folders = ("src", "tests", "docs", "bench")
    texts = [p for f in folders for kind in ("py", "md", "json") for p in (ROOT / f).rglob(f"*.{kind}")]
    found = [str(p) for p in texts if any(word in p.read_text(encoding="utf-8") for word in inner)]
    assert len(texts) > 100
    assert found == []
