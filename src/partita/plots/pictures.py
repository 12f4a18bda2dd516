"""Figures as files and as parts of pages: PNG, SVG, PDF, and SVG that takes on the colours of its page."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zlib
from typing import Any

from partita.errors import TooLargeError
from partita.plots._plot import new_figure
from partita.plots.figures import FigureData, NoFigureError, figure_data
from partita.plots.palette import INK
from partita.plots.panels import style, without_glyph_warnings

__all__ = ["FORMS", "illustration", "inline_svg", "picture"]

FORMS = ("png", "svg", "pdf")

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

PAGE_INK = frozenset({INK, "#000000"})
"""These become the colour of the letters around the picture."""

PLACES = frozenset({"d", "points", "transform", "x", "y", "width", "height", "cx", "cy", "r"})
"""Attributes that hold positions and sizes."""

HASHED = re.compile(r"\b[a-z][0-9a-f]{10}\b")
"""Names that matplotlib gives to markers and clipping paths."""

DOTS_PER_INCH = 150
"""Of PNG files, and of what is rasterised inside of others."""


def picture(data: FigureData, form: str = "png", *, dots: int = DOTS_PER_INCH, **options: Any) -> bytes:
    """A figure as the bytes of a file, the same every time; ``dots`` is how many an inch has."""
    figure = new_figure(data, **options)
    out = io.BytesIO()
    stamp = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with style(), without_glyph_warnings():
        figure.savefig(out, format=form, dpi=dots, metadata={"Title": data.title} | stamp, facecolor="white")
    return _steady(out.getvalue()) if form == "svg" else out.getvalue()


def _steady(svg: bytes) -> bytes:
    """The same bytes every time: the layout varies in its last bits, and names are hashes of positions."""
    root = ET.fromstring(svg)  # noqa: S314 (made above)
    names: dict[str, str] = {}
    for one in root.iter():
        for key, value in one.attrib.items():
            short = _shorter(value) if key in PLACES else value
            one.set(key, HASHED.sub(lambda m: names.setdefault(m[0], f"n{len(names)}"), short))
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + _written(root).encode()


def _written(root: ET.Element) -> str:
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    return ET.tostring(root, encoding="unicode")


def inline_svg(data: FigureData, prefix: str, *, title: bool = False, **options: Any) -> str:
    """A figure as an ``<svg>`` element for a page: no style, no script, and the page's colour of letters.

    Parameters
    ----------
    data : FigureData
        What is drawn.
    prefix : str
        What the names inside begin with; no two pictures of a page may have the same.
    title : bool
        Whether the finding is drawn too; a page may write it above instead. It is the title in any case.
    """
    figure = new_figure(data, title=title, **options)
    out = io.BytesIO()
    with style(), without_glyph_warnings():
        figure.savefig(out, format="svg", dpi=100, metadata={"Date": None}, transparent=True)
    root = ET.fromstring(out.getvalue())  # noqa: S314 (made above)
    return _for_a_page(root, data, prefix)


def illustration(result: Any) -> str:
    """The usual figure of a result as an ``<svg>`` element, for a notebook; nothing where it has none.

    One that needs all objects at once has none where they lie in chunks.
    """
    try:
        data = figure_data(result)
    except (NoFigureError, TooLargeError):
        return ""
    drawn = zlib.crc32(repr(data).encode())  # two figures on a page share no names
    return inline_svg(data, f"partita-{drawn:08x}-", title=True)


def _for_a_page(root: ET.Element, data: FigureData, prefix: str) -> str:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    names = {one.get("id"): f"{prefix}{i}" for i, one in enumerate(root.iter()) if one.get("id")}
    used = {
        named
        for one in root.iter()
        for key, value in one.attrib.items()
        if key == f"{{{XLINK}}}href" or "url(" in value
        for named in re.findall(r"#([\w.-]+)", value)
    }
    for one in root.iter():
        _plain_attributes(one, names, used)
    width, height = (float(root.get(side, "1pt").removesuffix("pt")) for side in ("width", "height"))
    root.attrib.update(
        {
            "width": f"{width * 4 / 3:.0f}",
            "height": f"{height * 4 / 3:.0f}",
            "role": "img",
            "aria-labelledby": f"{prefix}title {prefix}desc",
            "stroke-linejoin": "round",
            "stroke-linecap": "butt",
        }
    )
    for place, (tag, text) in enumerate((("title", data.title), ("desc", data.description))):
        told = ET.Element(f"{{{SVG}}}{tag}", {"id": f"{prefix}{tag}"})
        told.text = text
        root.insert(place, told)
    text = _written(root).replace("xlink:href=", "href=").replace(f' xmlns:xlink="{XLINK}"', "")
    return re.sub(r">\s+<", "><", text)


def _plain_attributes(one: ET.Element, names: dict[str | None, str], used: set[str]) -> None:
    """Style as attributes, which no policy of a page forbids; names that no other picture has."""
    attributes = dict(one.attrib)
    one.attrib.clear()
    for key, value in attributes.items():
        if key == "id":
            if value in used:
                one.set("id", names[value])
        elif key == "style":
            for name, text in _declarations(value).items():
                one.set(name, _renamed(_coloured(text), names))
        elif key == f"{{{XLINK}}}href" and value.startswith("#"):
            one.set(key, f"#{names[value[1:]]}")
        elif "url(#" in value:
            one.set(key, _renamed(value, names))
        elif key in PLACES:
            one.set(key, _shorter(value))
        elif key != "version":
            one.set(key, _coloured(value) if key in ("fill", "stroke") else value)


def _renamed(value: str, names: dict[str | None, str]) -> str:
    return re.sub(r"url\(#([\w.-]+)\)", lambda m: f"url(#{names[m[1]]})", value)


def _declarations(text: str) -> dict[str, str]:
    """The declarations of a style, a font by its parts, since only these are attributes."""
    found: dict[str, str] = {}
    for piece in re.split(r";(?=(?:[^']*'[^']*')*[^']*$)", text):
        name, _, value = piece.partition(":")
        if not value.strip():
            continue
        name, value = name.strip(), value.strip()
        if name == "font":
            size = re.search(r"([\d.]+)px\s+(.*)$", value)
            assert size is not None, value
            found |= {"font-size": size[1], "font-family": size[2].replace("'", "")}
            for word, key in (("italic", "font-style"), ("bold", "font-weight")):
                found |= {key: word} if word in value[: size.start()] else {}
        else:
            found[name] = value
    return found


def _coloured(value: str) -> str:
    return "currentColor" if value.lower() in PAGE_INK else value


def _shorter(value: str) -> str:
    """Numbers with two decimals: a hundredth of a point is not seen."""
    return re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
