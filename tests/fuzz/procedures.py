"""The questions that partita answers, and each index by itself, on clusterings and data of all sorts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import partita as pt
from fuzz.law import obey
from fuzz.recipes import build
from fuzz.values import clusterings, data, numbers, odd_items, sizes, texts
from partita.results.result import Result

ENTRIES = sorted(entry.name for entry in pt.indices.catalogue())
NAMES = st.one_of(
    st.none(),
    st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=3),
    st.sampled_from(["headline", "all", "information", "lei2014", "nonsense"]),
    odd_items,
)
WORDS = st.sampled_from(
    [
        "cluster",
        "singletons",
        "ignore",
        "raise",
        "nan",
        "drop",
        "median",
        "permutation",
        "bca",
        "objects",
        "clusters",
        "standard",
        "robust",
        "euclidean",
        "cityblock",
        "cosine",
        "precomputed",
        "soft",
        "hard",
        "balanced",
        "exact",
        "bound",
        "sample",
    ]
)
ANYTHING = st.one_of(st.integers(-2, 12), numbers, WORDS, texts, odd_items)
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "indices": NAMES,
    "index": st.sampled_from(ENTRIES),
    "bootstrap": st.sampled_from([None, 0, 5, 20]),
    "n_shuffles": st.integers(0, 20),
    "n_samples": st.sampled_from([1, 10, "auto"]),
    "confidence": st.sampled_from([0.5, 0.9, 0.95, 1.0]),
    "n_jobs": st.just(1),
    "n_runs": st.integers(1, 2),
    "n_repeats": st.integers(2, 3),
    "n_null": st.integers(0, 5),
    "budget_seconds": st.sampled_from([0.0, 0.1, 1.0]),
    "random_state": st.integers(0, 5),
}


def usual(name: str, n: int) -> st.SearchStrategy[Any]:
    """Values of an option that may do, of n objects where it is about objects; and some that never do."""
    by_object = {
        "truth": clusterings(n),
        "X": data(n),
        "sample_weight": st.one_of(
            st.lists(st.integers(0, 3), min_size=n, max_size=n),
            st.lists(numbers, min_size=n, max_size=n),
            st.just("balanced"),
        ),
    }
    chosen = by_object.get(name, USUAL.get(name, ANYTHING))
    return st.one_of(chosen, chosen, chosen, ANYTHING) if name not in ALWAYS else chosen


ALWAYS = ("n_jobs", "n_runs", "n_repeats", "n_null", "random_state")
"""Options that keep the work small."""
TWO = ("compare", "distribution", "hausdorff", "align", "set_matching", "contingency")
ONE = ("self_agreement", "coassociation", "pairwise_masses")
MANY = ("consensus", "consensus_index", "compare_models")
OF_DATA = ("choose_k", "stability", "structure", "choose", "validate")


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    call = draw(
        st.sampled_from(
            (*TWO, *TWO, *ONE, *MANY, *OF_DATA, "validate", "validate", "index", "index", "index")
        )
    )
    n = draw(sizes(12 if call in OF_DATA else 20))
    document: dict[str, Any] = {"call": call}
    if call == "index":
        document["index"] = draw(st.sampled_from(ENTRIES))
        inputs = pt.indices.find(document["index"]).inputs
        document["given"] = [draw(data(n) if name == "X" else clusterings(n)) for name in inputs]
        names = ["noise", "sample_weight", "on_undefined", *pt.indices.find(document["index"]).options]
    else:
        document["given"] = given(draw, call, n)
        names = list(signature(call))
    options = {name: draw(USUAL[name]) for name in names if name in ALWAYS}
    for name in draw(st.lists(st.sampled_from(names), max_size=2, unique=True)) if names else []:
        options[name] = draw(usual(name, n))
    document["options"] = options
    document["shown"] = draw(st.sampled_from(["", "", "", "figure", "report"]))
    return document


def given(draw: st.DrawFn, call: str, n: int) -> list[Any]:
    if call in TWO:
        return [draw(clusterings(n)), draw(clusterings(n if draw(st.integers(0, 9)) else n + 1))]
    if call in ONE:
        return [draw(clusterings(n))]
    several = st.lists(clusterings(n), min_size=0, max_size=3)
    if call == "compare_models":
        return [draw(st.none() | clusterings(n)), dict(zip("abc", draw(several), strict=False))]
    if call in MANY:
        return [draw(several)]
    if call == "choose":
        return [draw(data(n)), dict(zip("abc", draw(several), strict=False))]
    if call == "validate":
        return [draw(data(n)), draw(clusterings(n))]
    if call == "structure":
        return [draw(data(n))]
    estimator = {"$estimator": {"name": draw(st.sampled_from(ESTIMATORS)), "params": {"max_iter": 20}}}
    return [draw(data(n)), draw(st.none() | st.just(estimator)), {"$range": [draw(st.integers(-1, 3)), 5]}]


ESTIMATORS = ("FuzzyCMeans", "RandomSwap", "GaussianMixtureEM", "RoughKMeans", "EvidentialCMeans")


def signature(call: str) -> list[str]:
    """The names of the options of a public function."""
    import inspect

    drawn = inspect.signature(getattr(pt, call)).parameters.values()
    return [p.name for p in drawn if p.kind is p.KEYWORD_ONLY and p.name != "checkpoint"]


def run(document: dict[str, Any]) -> None:
    kept: list[Any] = []

    def ask() -> Any:
        inputs, options = [build(each) for each in document["given"]], build(document["options"])
        if document["call"] == "index":
            return pt.indices.find(document["index"])(*inputs, **options)
        kept.append(getattr(pt, document["call"])(*inputs, **options))
        return kept[-1]

    obey(ask)
    for result in kept:
        if document["shown"] == "figure":
            obey(lambda result=result: drawn(result))
        if document["shown"] == "report":
            with tempfile.TemporaryDirectory() as folder:
                obey(lambda result=result: str(pt.report(result, to=Path(folder) / "x.html")))


def drawn(result: Any) -> str:
    """A figure, and the form a notebook shows."""
    import matplotlib.pyplot as plt

    try:
        pt.plot(result).figure.canvas.draw()
        return result._repr_html_() if isinstance(result, Result) else ""
    finally:
        plt.close("all")
