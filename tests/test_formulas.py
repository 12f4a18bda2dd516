"""Formulas as a line of text: each construct by hand, all of the catalogue, and every letter explained."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita as pt
from partita.registry import HARD, indices
from partita.registry.curves import curves
from partita.registry.lookup import remove
from partita.results.catalogue import card
from partita.results.formulas import GREEK, letters, readable
from partita.results.symbols import EVERYWHERE, MEAN_OVER_PAIRS, OF_FAMILY, OF_INDEX, symbols_of
from partita.statistics import Contingency

ENTRIES = [*indices(), *curves()]


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{a}{a + b}", "a / (a + b)"),
        (r"\frac{1}{n} \sum_j \max_i n_{ij}", "(1/n) ∑_j max_i n_ij"),
        (r"\frac{a + b}{2n}", "(a + b) / (2n)"),
        (r"1 - \frac{k}{k - 1} (1 - PC)", "1 - (k / (k - 1)) (1 - PC)"),
        (r"\frac{SSB / (k - 1)}{SSW / (n - k)}", "(SSB / (k - 1)) / (SSW / (n - k))"),
        (r"\log\frac{SSB}{SSW}", "log(SSB / SSW)"),
        (r"-\tfrac12 x", "-(1/2) x"),
        (r"\left\lvert \frac{a}{b + c} \right\rvert", "|a / (b + c)|"),
        (r"\sqrt{(a + b)(a + c)}", "√((a + b)(a + c))"),
        (r"\sqrt{n}", "√n"),
        (r"x^2 + x^{-1} + x^{1/2} + x^m + A^\top", "x² + x⁻¹ + x^(1/2) + x^m + Aᵀ"),
        (r"n_{i\cdot}\, n_{\cdot j}", "n_i. n_.j"),
        (r"\sum_{i < j} d_{ij}", "∑_{i<j} d_ij"),
        (r"n_{i \sigma(i)}", "n_{iσ(i)}"),
        (r"\binom{n}{2}^{-1}", "C(n, 2)⁻¹"),
        (r"\bar d, \quad \overline{d^2}", "mean(d); mean(d²)"),
        (r"\lVert c_i - c'_l \rVert", "‖c_i - c'_l‖"),
        (r"\arg\min_l \|x\|", "arg min_l ‖x‖"),
        (r"\operatorname{avg}(H(U), H(V)) \text{ by words}", "avg(H(U), H(V)) by words"),
        (r"\mathrm{CI}_1 = \{j : j \ne 0 \ \forall i\}", "CI_1 = {j : j ≠ 0 ∀ i}"),
        (r"\Sigma_c \in \emptyset", "Σ_c ∈ ∅"),
        (r"\left( x \right.", "(x"),
        ("", ""),
    ],
)
def test_a_construct_reads_as_meant(latex: str, text: str) -> None:
    assert readable(latex) == text


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_formula_is_readable(entry) -> None:
    """Nothing of LaTeX is left, no bracket is lost, and every letter is there."""
    text = readable(entry.formula)
    assert text
    assert "\\" not in text
    assert not re.search(r"frac|left|right|operatorname|mathrm|quad|cdot|[\ue000-\ue003\u2003]", text)
    for opening, closing in ("()", "[]", "{}", "⟨⟩"):
        assert text.count(opening) == text.count(closing)
    assert text.count("‖") % 2 == 0
    assert "  " not in text
    for letter in letters(entry.formula):
        assert letter in text or letter in ("binom", "tilde")


@given(st.text(alphabet="abn_^{}\\fracsumleftright ()|,12", max_size=40))
def test_what_is_no_formula_does_no_harm(latex: str) -> None:
    assert isinstance(readable(latex), str)


def test_letters_of_a_formula() -> None:
    latex = (
        r"\frac{SSW_k}{\bar x} \log \Gamma(n) \text{ words } \mathrm{CI}_1 \binom{n}{2} \lVert u_{ij} \rVert"
    )
    assert letters(latex) == ("SSW", "k", "mean", "x", "Γ", "n", "CI", "binom", "‖", "u", "i", "j")
    assert len(set(GREEK.values())) == len(GREEK)


# --- letters ----------------------------------------------------------------------------------------------

SHOWN_AS = {"binom": "C(", "tilde": "~", "mean": "mean(", "‖": "‖"}


def is_explained(letter: str, symbols: dict[str, str]) -> bool:
    """Whether one of the symbols is this letter, with whatever subscripts and arguments."""
    parts = [part for symbol in symbols for part in [symbol, *symbol.split(", ")]]
    if letter in SHOWN_AS:
        return any(SHOWN_AS[letter] in part for part in parts)
    return any(re.match(rf"{re.escape(letter)}(?![A-Za-z])", part) for part in parts)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_letter_of_every_formula_is_explained(entry) -> None:
    symbols = symbols_of(entry)
    assert all(meaning.strip() for meaning in symbols.values())
    unexplained = [letter for letter in letters(entry.formula) if not is_explained(letter, symbols)]
    assert unexplained == []
    for symbol in symbols:
        assert "\\" not in symbol


def keys() -> Iterator[tuple[str, str]]:
    for shelf in (*OF_INDEX.values(), *OF_FAMILY.values(), EVERYWHERE, MEAN_OVER_PAIRS):
        yield from shelf.items()


def test_nothing_is_explained_that_no_formula_uses() -> None:
    told = {meaning for entry in ENTRIES for meaning in symbols_of(entry).values()}
    assert {meaning for _, meaning in keys()} - told == set()
    assert set(OF_INDEX) <= {entry.name for entry in ENTRIES}


def test_a_letter_means_what_it_means_in_its_own_formula() -> None:
    assert symbols_of(pt.indices.find("rand"))["d"] == "pairs together in neither"
    assert symbols_of(pt.indices.find("mse"))["d"] == "number of features"
    assert symbols_of(pt.indices.find("mse"))["n"] == "number of objects"
    assert symbols_of(pt.indices.find("dunn"))["d"] == "the distance between two objects"
    assert "n_ij" in symbols_of(pt.indices.find("purity"))
    assert symbols_of(pt.indices.find("silhouette"))["a_i"].startswith("mean distance")
    assert symbols_of(pt.indices.find("coassociation_correlation_distance"))["a_ij"].startswith("how far")


# --- cards ------------------------------------------------------------------------------------------------


def test_a_card_is_readable_on_a_terminal_and_keeps_latex_elsewhere() -> None:
    shown = card("ARI")
    formula = pt.indices.find("ARI").formula
    assert "2 (a d - b c) / ((a + b)(b + d) + (a + c)(c + d))" in str(shown)
    assert "\\" not in str(shown)
    assert dict(shown.facts)["formula"] == formula
    assert {"fact": "formula", "text": formula} in shown.to_dict()["rows"]
    assert "\\frac{2 (a d - b c)}" in shown.write("html")
    assert "\\\\frac{2 (a d - b c)}" in shown.write("markdown")
    assert "a: pairs of objects that are together in both clusterings" in str(shown)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_example_of_a_card_runs_and_gives_what_it_says(entry) -> None:
    import doctest

    code, _, want = dict(card(entry.name).facts)["example"].rpartition("  # ")
    *before, last = code.split("; ")
    names: dict[str, object] = {}
    exec("; ".join(before), names)
    got = repr(eval(last, names))
    checker = doctest.OutputChecker()
    assert checker.check_output(f"{want}\n", f"{got}\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("entry", indices(), ids=lambda entry: entry.name)
def test_how_to_read_a_value_says_what_the_facts_say(entry) -> None:
    text = dict(card(entry.name).facts)["how to read"]
    kind, is_pair = entry.kinds[0], {"truth", "found"} <= set(entry.inputs)
    assert text.startswith("it describes" if entry.best is None else f"{entry.direction} is better")
    by_chance = is_pair and entry.direction == "higher" and entry.status("zero_by_chance", kind) == "claimed"
    assert ("worse than chance" in text) == by_chance
    separates = {"reflexive", "separating"} <= {c for c in entry.claims if entry.status(c, kind) == "claimed"}
    finite = entry.best is not None and abs(entry.best) != float("inf")
    assert ("only equivalent clusterings" in text) == (is_pair and separates and finite)
    assert "not known" not in text
    assert "inf" not in text.split()


def test_the_letters_of_a_users_index_are_not_guessed() -> None:
    @pt.index(title="of a user", best=1.0, range={HARD: (0.0, 1.0)}, formula=r"\frac{d}{n}")
    def users_own(table: Contingency):
        """One."""
        return table.n / table.n

    try:
        assert symbols_of(users_own) == {}
        assert "d/n" in str(card(users_own))
        assert "letter" not in dict(card(users_own).facts)
    finally:
        remove(users_own)
