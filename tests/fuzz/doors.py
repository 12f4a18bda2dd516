"""``as_partition`` and what can be asked of the partition that it gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

import partita as pt
from fuzz.law import obey
from fuzz.recipes import build
from fuzz.values import containers, label_lists, numbers, odd_items, sizes, texts

KINDS = (None, None, None, "hard", "fuzzy", "possibilistic", "rough", "evidential", "nonsense", 3)
WORDS = st.sampled_from(["raise", "drop", "noise", "rest", "", None]) | texts


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    n = draw(sizes())
    drawn = {
        "normalize": st.booleans() | odd_items,
        "noise": WORDS,
        "noise_label": st.one_of(numbers, texts, odd_items),
        "missing": WORDS,
        "background": numbers | odd_items,
        "k": st.integers(-1, 5) | odd_items,
        "names": label_lists(draw(st.integers(0, 4))),
        "objects": label_lists(n),
    }
    chosen = draw(st.lists(st.sampled_from(sorted(drawn)), max_size=2, unique=True))
    return {
        "of": draw(containers(n)),
        "kind": draw(st.sampled_from(KINDS)),
        "options": {name: draw(drawn[name]) for name in chosen},
    }


def run(document: dict[str, Any]) -> None:
    """Read it; what was read is turned into every kind, hardened, and compared with itself."""
    read: list[Any] = []

    def enter() -> Any:
        options = build(document["options"])
        read.append(pt.as_partition(build(document["of"]), build(document["kind"]), **options))
        return read[-1]

    obey(enter)
    for found in read:
        for ask in questions(found):
            obey(ask)


def questions(found: Any) -> list[Callable[[], Any]]:
    """What any partition can be asked."""
    return [
        *(partial(found.to, kind) for kind in pt.Kind),
        found.harden,
        partial(found.take, [0]),
        partial(found.equivalent, found),
        partial(pt.compare, found, found, indices="headline"),
    ]
