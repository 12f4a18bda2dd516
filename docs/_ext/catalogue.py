"""Makes the pages of the catalogue, its table and ``indices.json`` from the registry with every build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from index_facts import entries
from index_pages import json_text, page, peers_table, table_html

FOLDER = Path("catalogue") / "indices"


def write_pages(folder: Path) -> list[Path]:
    """One page an entry, written where it is new; pages of entries that are gone are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for entry in entries():
        path, text = folder / f"{entry.name}.md", page(entry)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.append(path)
    for path in set(folder.glob("*.md")) - set(written):
        path.unlink()
    return written


class CatalogueTable(SphinxDirective):
    """The table of all entries."""

    def run(self) -> list[nodes.Node]:
        """Plain HTML: a script filters it where there is one."""
        return [nodes.raw("", table_html(), format="html")]


class PeersTable(SphinxDirective):
    """What the packages whose name begins so call our indices."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The table, read as Markdown."""
        return self.parse_text_to_nodes(peers_table(self.arguments[0]))


def _write_pages(app: Sphinx) -> None:
    write_pages(Path(app.srcdir) / FOLDER)


def _write_json(app: Sphinx, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html":
        (Path(app.outdir) / "catalogue" / "indices.json").write_text(json_text(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write pages before sources are read, and the JSON when all is done."""
    app.connect("builder-inited", _write_pages, priority=100)
    app.connect("build-finished", _write_json)
    app.add_directive("catalogue-table", CatalogueTable)
    app.add_directive("peers-table", PeersTable)
    app.add_js_file("catalogue.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
