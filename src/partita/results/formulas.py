r"""Formulas in LaTeX as a line of text that a terminal can show: ``\frac{a}{a + b}`` as ``a / (a + b)``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["letters", "readable"]

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
SIGNS = {
    "sum": "∑",
    "prod": "∏",
    "cdot": "·",
    "times": "×",
    "ge": "≥",
    "geq": "≥",
    "le": "≤",
    "leq": "≤",
    "ne": "≠",
    "neq": "≠",
    "approx": "≈",
    "in": "∈",
    "forall": "∀",
    "emptyset": "∅",
    "infty": "∞",
    "neg": "¬",
    "cap": "∩",
    "cup": "∪",
    "top": "ᵀ",
    "langle": "⟨",
    "rangle": "⟩",
    "lvert": "\ue000",
    "rvert": "\ue001",
    "vert": "|",
    "lVert": "\ue002",
    "rVert": "\ue003",
    "|": "‖",
    "mid": "|",
    "{": "{",
    "}": "}",
    ",": " ",
    ";": " ",
    ":": " ",
    " ": " ",
    "!": "",
    "quad": "\u2003",
    "qquad": "\u2003",
}
BARS = {"\ue000": "|", "\ue001": "|", "\ue002": "‖", "\ue003": "‖"}
"""Bars that are known to open or to close, until the line is ready."""

FUNCTIONS = frozenset({"log", "ln", "exp", "max", "min", "arg", "arctan", "det", "tr", "sup", "inf"})
OPENING, CLOSING = frozenset({"left", "bigl", "Bigl"}), frozenset({"right", "bigr", "Bigr"})
SIZES = frozenset({"big", "Big", "bigg", "Bigg", "displaystyle", "limits"})
"""Commands that say how large something is drawn."""
WORDS = frozenset({"mathrm", "operatorname", "mathbf", "mathit", "mathcal"})
MEANS = frozenset({"bar", "overline"})
FRACTIONS = frozenset({"frac", "tfrac", "dfrac"})
RAISED = dict(zip("0123456789+-()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ", strict=True))

OPERATORS = frozenset("+-=<>,;:≥≤≠≈∈|‖·×/\u2003")
"""A quotient between two of them, or in brackets, needs no brackets of its own."""
BEFORE_ALONE = OPERATORS | set("([{\ue000\ue002")
AFTER_ALONE = OPERATORS | set(")]}\ue001\ue003")


@dataclass(frozen=True)
class Piece:
    """A part of the line; ``is_quotient`` where it binds no closer than a division."""

    text: str
    is_quotient: bool = False


def readable(latex: str) -> str:
    r"""A formula as a line of text.

    Examples
    --------
    >>> readable(r"\frac{2 (a d - b c)}{(a + b)(b + d) + (a + c)(c + d)}")
    '2 (a d - b c) / ((a + b)(b + d) + (a + c)(c + d))'
    >>> readable(r"-\frac{1}{n} \sum_{ik} u_{ik} \log u_{ik}")
    '-(1/n) ∑_ik u_ik log u_ik'
    """
    text = _joined(_pieces(iter(_tokens(latex))))
    text = re.sub(r" *, *\u2003", "; ", text).replace("\u2003", " ")
    text = re.sub(r"([(\[{⟨¬\ue000\ue002]) +", r"\1", text)
    text = re.sub(r" +([)\]}⟩\ue001\ue003])", r"\1", text)
    for mark, bar in BARS.items():
        text = text.replace(mark, bar)
    return re.sub(r" +", " ", text).strip()


def letters(latex: str) -> tuple[str, ...]:
    r"""What has to be explained in a formula, in the order in which it comes.

    Letters, words such as ``SSW``, and the commands that stand for an operation: ``\binom``, ``\bar``
    (a mean), and ``\|`` (a length).
    """
    found: list[str] = []
    plain = re.sub(r"\\text\s*\{[^{}]*\}", " ", latex)
    words = "|".join(WORDS)
    for word, command, run in re.findall(
        rf"\\(?:{words})\s*\{{([^{{}}]*)\}}|\\([A-Za-z]+|\|)|([A-Z]{{2,}}|[A-Za-z])", plain
    ):
        if word or run:
            found.append(word or run)
        elif command in GREEK:
            found.append(GREEK[command])
        elif command in MEANS:
            found.append("mean")
        elif command in ("|", "lVert"):
            found.append("‖")
        elif command in ("binom", "tilde"):
            found.append(command)
    return tuple(dict.fromkeys(found))


# --- reading ------------------------------------------------------------------------------------------------


def _tokens(latex: str) -> list[str]:
    return re.findall(r"\\[A-Za-z]+|\\.|\s+|.", latex, re.DOTALL)


def _pieces(tokens: Iterator[str], closing: str = "") -> list[Piece]:
    """The parts up to a closing bracket, or to the end."""
    pieces: list[Piece] = []
    for sign in tokens:
        if sign == closing:
            break
        piece = _piece(sign, tokens, pieces)
        if piece is not None:
            pieces.append(piece)
    return pieces


def _piece(sign: str, tokens: Iterator[str], before: list[Piece]) -> Piece | None:
    if sign.isspace():
        return Piece(" ")
    if sign == "{":
        return Piece(_joined(_pieces(tokens, "}")))
    if sign in ("_", "^"):
        text = _joined(_argument(tokens))
        return Piece(_below(text) if sign == "_" else _above(text))
    if not sign.startswith("\\"):
        return Piece(sign)
    name = sign[1:]
    if name in SIZES:
        return None
    if name in OPENING | CLOSING:
        bar = _joined(_argument_sign(tokens))
        marks = {"|": "\ue000", "‖": "\ue002"} if name in OPENING else {"|": "\ue001", "‖": "\ue003"}
        return Piece(marks.get(bar, bar))
    if name in FRACTIONS:
        return Piece(_quotient(_argument(tokens), _argument(tokens)), is_quotient=True)
    if name == "text":
        return Piece("".join(_raw_argument(tokens)))
    if name in WORDS:
        return Piece(_joined(_argument(tokens)).replace(" ", ""))
    if name == "binom":
        return Piece(f"C({_joined(_argument(tokens))}, {_joined(_argument(tokens))})")
    if name == "sqrt":
        inner = _joined(_argument(tokens))
        return Piece(f"√{inner}" if inner.isalnum() else f"√({inner})")
    if name in MEANS:
        return Piece(f"mean({_joined(_argument(tokens))})")
    if name == "tilde":
        return Piece(f"{_joined(_argument(tokens))}~")
    if name in FUNCTIONS:
        glued = before and before[-1].text[-1:].isalnum()
        return Piece(f" {name}" if glued else name)
    return Piece(GREEK.get(name, SIGNS.get(name, f" {name} ")))


def _argument(tokens: Iterator[str]) -> list[Piece]:
    """What a command is applied to: a group, or the next sign."""
    sign = next((t for t in tokens if not t.isspace()), "")
    if sign == "{":
        return _pieces(tokens, "}")
    piece = _piece(sign, tokens, []) if sign else None
    return [piece] if piece is not None else []


def _argument_sign(tokens: Iterator[str]) -> list[Piece]:
    """The bracket or bar that is drawn large; a dot stands for none."""
    sign = next((t for t in tokens if not t.isspace()), "")
    piece = _piece(sign, tokens, []) if sign not in ("", ".") else None
    return [piece] if piece is not None else []


def _raw_argument(tokens: Iterator[str]) -> Iterator[str]:
    next(tokens, "")
    for sign in tokens:
        if sign == "}":
            return
        yield sign


# --- writing ------------------------------------------------------------------------------------------------


def _joined(pieces: list[Piece]) -> str:
    """The parts in a line; a quotient among factors gets brackets."""
    words = [piece for piece in pieces if piece.text]
    line = ""
    for i, piece in enumerate(words):
        text = piece.text
        if piece.is_quotient:
            left = next((p.text for p in reversed(words[:i]) if p.text.strip()), "")
            right = next((p.text for p in words[i + 1 :] if p.text.strip()), "")
            alone = (not left or left.strip(" ")[-1] in BEFORE_ALONE) and (
                not right or right.strip(" ")[0] in AFTER_ALONE
            )
            # a minus before it is a sign, one between two terms an operation: both read rightly with brackets
            is_negated = left.strip()[-1:] == "-" and " " not in text
            text = f"({text})" if not alone or (is_negated and right) else text
        follows_function = re.search(r"(?:^|[^A-Za-z])(?:" + "|".join(FUNCTIONS) + r")(?:_\S*)?$", line)
        needs_space = follows_function and (text[0].isalnum() or text[0] in "∑∏√|‖\ue000\ue002")
        line += f" {text}" if needs_space else text
    return re.sub(r" +", " ", line).strip(" ")


def _quotient(above: list[Piece], below: list[Piece]) -> str:
    top, bottom = _joined(above), _joined(below)
    is_short = bool(re.fullmatch(r"\w+", top) and re.fullmatch(r"\d+|[^\W\d]\w*", bottom))
    if is_short and len(top + bottom) <= 4:
        return f"{top}/{bottom}"
    is_extreme = re.match(r"(?:max|min)_", top) and _has_outside(top, " ")
    top = f"({top})" if is_extreme or _has_outside(top, "+-/∑∏,") else top
    is_product = re.fullmatch(r"\d+[^\W\d]\w*", bottom) or _has_outside(bottom, "+-/∑∏, ")
    return f"{top} / ({bottom})" if is_product else f"{top} / {bottom}"


def _has_outside(text: str, signs: str) -> bool:
    """Whether one of the signs stands outside all brackets."""
    depth = 0
    for c in text:
        depth += (c in "([{⟨\ue000\ue002") - (c in ")]}⟩\ue001\ue003")
        if depth == 0 and c in signs:
            return True
    return False


def _below(text: str) -> str:
    """A subscript: letters as they are, a dot where a sum was taken, brackets around more."""
    text = re.sub(r"\s+", "", text.replace("·", "."))
    return f"_{text}" if re.fullmatch(r"[\w.']+", text) else f"_{{{text}}}"


def _above(text: str) -> str:
    if text in ("ᵀ", "*", "'"):
        return text
    if all(c in RAISED for c in text):
        return "".join(RAISED[c] for c in text)
    return f"^{text}" if len(text) == 1 else f"^({text})"
