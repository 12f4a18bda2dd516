"""Drawings in fewer bytes: the same picture without what matplotlib writes twice."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence

from partita.plots.pictures import SVG

__all__ = ["slim"]

OF_LETTERS = ("font-family", "font-size", "text-anchor", "font-style", "font-weight")
SHARED = (
    "clip-path",
    "font-family",
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-opacity",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    *OF_LETTERS[1:],
)
"""What a group may say for all that it holds; a clip is not inherited, but clips all as it clips each."""

WITHOUT_LETTERS = ("path", "circle", "use")

FONT = "'DejaVu Sans', Verdana, sans-serif"
"""Letters of the width for which matplotlib left room."""

ROUND = 0.03
"""How far the bends of a circle may differ in their distance from its centre, since they were rounded."""

UNMOVED = re.compile(r"rotate\(-?0(?:\.0*)? [^)]*\)")
MOVED = re.compile(r"translate\((-?[\d.]+) (-?[\d.]+)\)")
PATH = re.compile(r"[A-Za-z]|-?\d*\.?\d+(?:e-?\d+)?")


def slim(svg: str) -> str:
    """The same drawing with shorter paths, and attributes that neighbours share said once."""
    root = ET.fromstring(svg)  # noqa: S314 (made by matplotlib)
    known = {one.get("id"): one for one in root.iter() if one.get("id")}
    for one in root.iter():
        _shorten(one, known)
    _flatten(root)
    _gather(root)
    _share(root)
    ET.register_namespace("", SVG)
    return re.sub(r" />", "/>", ET.tostring(root, encoding="unicode"))


def _shorten(one: ET.Element, known: Mapping[str | None, ET.Element]) -> None:
    if "font-family" in one.attrib:
        one.set("font-family", FONT)
    if _name(one) == "use":
        drawn = known[one.get("href", "")[1:]]
        for key in [key for key in one.attrib if key in drawn.attrib and key not in ("x", "y", "id")]:
            del one.attrib[key]  # what is drawn says it for itself
    for key in ("x", "y", "width", "height", "stroke-width", "stroke-opacity", "fill-opacity", "opacity"):
        if re.fullmatch(r"-?\d+\.\d+", one.get(key, "")):
            one.set(key, _number(_hundredths(one.attrib[key])))
    if "d" in one.attrib and not _become_circle(one):
        one.set("d", _shorter_path(one.attrib["d"]))
    turn = UNMOVED.sub("", one.get("transform", "")).strip()
    moved = MOVED.fullmatch(turn)
    if _name(one) == "text" and moved and "x" not in one.attrib:
        one.attrib |= {"x": moved[1], "y": moved[2]}
        turn = ""
    if turn:
        one.set("transform", turn)
    else:
        one.attrib.pop("transform", None)


def _become_circle(one: ET.Element) -> bool:
    """Turn a path of eight bends around a centre, as matplotlib draws circles, into a circle."""
    words = PATH.findall(one.attrib["d"])
    if [word for word in words if word.isalpha()] != ["M", *"CCCCCCCC", "z"]:
        return False
    numbers = [float(word) for word in words if not word.isalpha()]
    ends = [(numbers[0], numbers[1]), *zip(numbers[6::6], numbers[7::6], strict=True)][:-1]
    x, y = (sum(end[side] for end in ends) / len(ends) for side in (0, 1))
    distances = [math.hypot(end[0] - x, end[1] - y) for end in ends]
    if max(distances) - min(distances) > ROUND:
        return False
    one.tag = f"{{{SVG}}}circle"
    del one.attrib["d"]
    sizes = {"cx": x, "cy": y, "r": sum(distances) / len(distances)}
    one.attrib |= {key: _number(round(100 * value)) for key, value in sizes.items()}
    return True


def _hundredths(text: str) -> int:
    return round(100 * float(text))


def _number(hundredths: int) -> str:
    text = f"{hundredths / 100:.2f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _shorter_path(d: str) -> str:
    """Straight lines as steps from the last point; whole hundredths, so that nothing adds up."""
    words = PATH.findall(d)
    made: list[str] = []
    at, start, place, command = (0, 0), (0, 0), 0, ""
    lengths = {"M": 2, "L": 2, "C": 6, "Q": 4}
    while place < len(words):
        if words[place].isalpha():
            command, place = words[place], place + 1
            if command in "zZ":
                made, at = [*made, "z"], start
                continue
        if command not in lengths:
            return d  # nothing that matplotlib writes
        numbers = [_hundredths(word) for word in words[place : place + lengths[command]]]
        place += lengths[command]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        made.append(_step(command, at, points))
        at = points[-1]
        start = at if command == "M" else start
    return "".join(made)


def _step(command: str, at: tuple[int, int], points: list[tuple[int, int]]) -> str:
    steps = [(x - at[0], y - at[1]) for x, y in points]
    if command == "M":
        return f"M{_joined([points[0][0], points[0][1]])}"
    if command == "L":
        across, down = steps[0]
        return (
            f"h{_number(across)}"
            if not down
            else f"v{_number(down)}"
            if not across
            else f"l{_joined(steps[0])}"
        )
    return command.lower() + _joined([value for step in steps for value in step])


def _joined(values: list[int] | tuple[int, ...]) -> str:
    text = " ".join(map(_number, values))
    return text.replace(" -", "-")


def _flatten(parent: ET.Element) -> None:
    """Without groups that say nothing, and without what is not seen."""
    kept: list[ET.Element] = []
    for child in list(parent):
        _flatten(child)
        is_group = _name(child) == "g"
        if is_group:
            _hand_down(child)
        if is_group and not child.attrib:
            kept += list(child)
        elif not (is_group and not len(child)) and not _is_unseen(child):
            kept.append(child)
    parent[:] = kept


def _hand_down(group: ET.Element) -> None:
    """Give the look of a group to what it holds, where nothing there says or moves anything against it."""
    for key in [key for key in group.attrib if key in SHARED]:
        is_clip = key == "clip-path"
        if is_clip and any(key in one.attrib or "transform" in one.attrib for one in group):
            continue
        value = group.attrib.pop(key)
        for one in group:
            one.attrib.setdefault(key, value)


def _gather(root: ET.Element) -> None:
    """All definitions in one place, so that they do not part neighbours."""
    made = ET.Element(f"{{{SVG}}}defs")
    for parent in list(root.iter()):
        for child in [child for child in parent if _name(child) == "defs"]:
            parent.remove(child)
            made.extend(list(child))
    if len(made):
        root.append(made)


def _is_unseen(one: ET.Element) -> bool:
    is_shape = _name(one) in ("path", "circle") and "id" not in one.attrib
    return is_shape and one.get("fill") == "none" and "stroke" not in one.attrib


def _share(parent: ET.Element) -> None:
    """Neighbours with the same look in groups that have it."""
    parent[:] = _grouped(list(parent), SHARED)


def _grouped(children: list[ET.Element], keys: Sequence[str]) -> list[ET.Element]:
    """Runs of children with the same value of the first key in a group, and so on inside of it."""
    if not keys or len(children) < 2:
        return children
    kept: list[ET.Element] = []
    for value, run in _runs(children, keys[0]):
        inside = _grouped(run, keys[1:])
        if value is None or len(run) < 2:
            kept += inside
            continue
        for one in run:
            one.attrib.pop(keys[0], None)
        if len(inside) == 1 and _name(inside[0]) == "g":
            inside[0].set(keys[0], value)
            kept += inside
        else:
            group = ET.Element(f"{{{SVG}}}g", {keys[0]: value})
            group.extend(inside)
            kept.append(group)
    return kept


def _runs(children: list[ET.Element], key: str) -> Iterator[tuple[str | None, list[ET.Element]]]:
    """Neighbours with one value; what has no letters goes along with any look of letters."""
    value: str | None = None
    run: list[ET.Element] = []
    for one in children:
        own = _own(one, key)
        if run and own != value and not (key in OF_LETTERS and _name(one) in WITHOUT_LETTERS):
            yield value, run
            run = []
        value = own if not run else value
        run.append(one)
    if run:
        yield value, run


def _own(one: ET.Element, key: str) -> str | None:
    """What it may leave to a group; a clip only where no transform moves what it clips."""
    if _name(one) not in ("text", *WITHOUT_LETTERS) or (key == "clip-path" and "transform" in one.attrib):
        return None
    return one.get(key)


def _name(one: ET.Element) -> str:
    return one.tag.rpartition("}")[2]
