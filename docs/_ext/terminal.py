"""Commands of a terminal, run when the page is read, with what they print; one that fails fails the build."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

WIDTH = 100
"""Letters in a line, the least that our tables are made for."""


class Terminal(SphinxDirective):
    """Each line is a command. All commands of a page run in one folder that is empty at its beginning."""

    has_content = True
    option_spec = {"hidden": directives.flag, "silent": directives.flag}  # noqa: RUF012 (the way of docutils)

    def run(self) -> list[nodes.Node]:
        """The commands with what they print; alone where they are ``silent``, nothing where ``hidden``."""
        # a folder that lives as long as the page is read
        folder = self.env.current_document.setdefault("terminal", tempfile.TemporaryDirectory())
        shown = []
        for command in self.content:
            done = subprocess.run(  # noqa: S602 (pages are ours)
                command,
                shell=True,
                cwd=folder.name,
                env={**os.environ, "COLUMNS": str(WIDTH)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            if done.returncode:
                raise ExtensionError(f"{self.env.docname}: {command!r} failed:\n{done.stdout}")
            shown.append(f"$ {command}\n{done.stdout.rstrip()}".rstrip())
        if "hidden" in self.options:
            return []
        text = "\n".join(self.content) if "silent" in self.options else "\n\n".join(shown)
        return [nodes.literal_block(text, text, language="console")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive ``terminal``."""
    app.add_directive("terminal", Terminal)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
