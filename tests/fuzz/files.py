"""Readers of files: tables, arrays and typed columns, whole or damaged."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from fuzz.law import obey
from fuzz.values import texts
from partita.files import read_data, read_partition, read_weights
from test_odd_files import columns, files, options

MISSING = st.sampled_from(("raise", "raise", "raise", "drop", "median", "mean", "noise", "nonsense"))
CODES = st.sampled_from((None, None, None, None, "utf-8", "latin-1", "utf-16", "nonsense"))


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    name, content = draw(files())
    if draw(st.integers(0, 3)) == 0:
        content = damaged(
            content, draw(st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=5)), max_size=3))
        )
    return {
        "name": name,
        "content": base64.b64encode(content).decode(),
        "how": draw(options),
        "columns": draw(st.one_of(st.none(), columns, st.lists(texts, max_size=2))),
        "missing": draw(MISSING),
        "decimal": draw(st.sampled_from((None, None, None, ",", ".", "x"))),
        "encoding": draw(CODES),
        "kind": draw(st.sampled_from([None, None, "rough", "possibilistic", "fuzzy", "hard", "evidential"])),
    }


def damaged(content: bytes, cuts: list[tuple[float, bytes]]) -> bytes:
    """With some bytes put in the place of others, at shares of its length."""
    for share, piece in cuts:
        at = int(share * len(content))
        content = content[:at] + piece + content[at + len(piece) :]
    return content


def run(document: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / document["name"]
        path.write_bytes(base64.b64decode(document["content"]))
        how = document["how"]
        more = {name: document[name] for name in ("missing", "decimal", "encoding")}
        chosen, kind = document["columns"], document["kind"]
        obey(lambda: read_partition(path, columns=chosen, kind=kind, **how, **more))
        obey(lambda: read_data(path, columns=chosen, leave_out=["c1"], **how, **more))
        obey(lambda: read_weights(path, "c0", **how))
