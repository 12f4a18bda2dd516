"""Formulas as MathML, which browsers draw by themselves: no script, no font, nothing to fetch."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

SIZED_BRACKET = re.compile(r"\\[Bb]ig{1,2}(?=[()\[\]])")
BAR = '<mo stretchy="false">|</mo>'
"""Browsers space it as an operator between two terms."""


def mathml(tex: str, *, as_block: bool) -> str:
    """A formula in LaTeX as MathML; brackets of a set size become those that grow by themselves."""
    grown = SIZED_BRACKET.sub(lambda _: "\\big", tex)
    grown = re.sub(r"\\big([(\[])", r"\\left\1", grown)
    grown = re.sub(r"\\big([)\]])", r"\\right\1", grown)
    made = str(tex2mathml(grown, as_block=as_block))
    made = made.replace(BAR, '<mo stretchy="false" lspace="0" rspace="0">|</mo>')
    # in a line of text braces keep the size of letters
    return made if as_block else re.sub(r"<mo>([{}])</mo>", r'<mo stretchy="false">\1</mo>', made)


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(mathml(node.astext(), as_block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
