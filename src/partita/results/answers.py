"""An answer with its typed reasons, and the sentences that render them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self

from partita.results.records import read_back
from partita.results.result import join_texts, plain
from partita.results.verdicts import Strength

__all__ = ["Answer", "Answered", "Reason", "ReasonKind", "Role"]

MOST_WORDS = 25
"""Number of words of a statement."""

Role = Literal["for", "against", "next"]
"""What a reason does: it supports the answer, speaks against it, or says what to do next."""


class ReasonKind(StrEnum):
    """Subject of a reason: the closed list."""

    AGREEMENT = "agreement"
    """Different methods find the same clusters, or do not."""
    LASTING = "lasting"
    """The clusters stay apart while the reach grows."""
    BEST_BIC = "best_bic"
    """The clusters are the mixture of best BIC."""
    LEVELS = "levels"
    """A second number of clusters holds too, one nested in the other."""
    RIVAL = "rival"
    """Other clusters are nearly as good, or better."""
    SCALE = "scale"
    """A few columns dominate the distances."""
    END_OF_RANGE = "end_of_range"
    """The best value is the smallest or largest that was tried."""
    SAMPLED = "sampled"
    """The answer was found in a sample of the objects."""
    STRUCTURE = "structure"
    """The test of structure rejects distributions of a single group, or does not."""
    LOW_POWER = "low_power"
    """The test of structure would often miss clusters in such data."""
    STABLE = "stable"
    """Perturbed data give the same clusters, or do not."""
    SEPARATED = "separated"
    """Few objects lie between the clusters, or many do."""
    VOTES = "votes"
    """Indices prefer this number of clusters."""
    FLAW = "flaw"
    """Tiny or empty clusters, failed fits, or little coverage."""


@dataclass(frozen=True)
class Reason:
    """One reason for or against an answer, or the next thing to do.

    Attributes
    ----------
    kind : ReasonKind
        The subject.
    short : str
        A clause for the first line.
    text : str
        The full sentence, for pages and details; the clause where it is empty.
    role : {"for", "against", "next"}
        What the reason does to the answer.
    values : dict
        The numbers that the sentence renders.
    """

    kind: ReasonKind
    short: str
    text: str = ""
    role: Role = "for"
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The full sentence, with a capital letter and a full stop."""
        text = self.text or self.short
        return f"{text[:1].upper()}{text[1:]}{'' if text[-1:] in '.!?' else '.'}"


@dataclass(frozen=True)
class Answer:
    """A value, how far to trust it, and why.

    Attributes
    ----------
    value : Any
        The number of clusters, the name of a clustering, or the value of a parameter; None for no answer.
    strength : str
        "clear", "weak", "contested" or "no structure".
    headline : str
        The answer and its strength, without reasons.
    because : tuple of Reason
        The reasons, the most important first.
    """

    value: Any
    strength: Strength
    headline: str
    because: tuple[Reason, ...] = ()

    @property
    def statement(self) -> str:
        """The first line: the answer, then the most important reasons, then what to do; 25 words at most."""
        advice = next((reason.sentence for reason in self.because if reason.role == "next"), "")
        left = MOST_WORDS - len(self.headline.split()) - len(advice.split())
        clauses: list[str] = []
        for reason in self.because:
            words = reason.short.split()
            if reason.role != "next" and 0 < len(words) <= left:
                clauses.append(" ".join(words))
                left -= len(words)
        first = f"{self.headline}: {join_texts(clauses)}." if clauses else f"{self.headline}."
        return f"{first} {advice}".strip()

    @property
    def paragraph(self) -> str:
        """The answer with all reasons in full sentences."""
        return " ".join([f"{self.headline}.", *(reason.sentence for reason in self.because)])

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON holds it."""
        return {
            **asdict(self),
            "value": plain(self.value),
            "because": [plain(asdict(reason)) for reason in self.because],
        }

    @classmethod
    @read_back
    def from_dict(cls, row: Mapping[str, Any]) -> Self:
        """The answer that `to_dict` wrote."""
        because = (Reason(**{**one, "kind": ReasonKind(one["kind"])}) for one in row["because"])
        return cls(**{**row, "because": tuple(because)})


class Answered:
    """A result that gives an answer: the parts of the answer by their own names."""

    answer: Answer

    @property
    def value(self) -> Any:
        """The value of the answer; None for no answer."""
        return self.answer.value

    @property
    def strength(self) -> Strength:
        """The trust in the answer: "clear", "weak", "contested" or "no structure"."""
        return self.answer.strength

    @property
    def statement(self) -> str:
        """The answer, its main reasons, and the next step, in 25 words at most."""
        return self.answer.statement

    @property
    def because(self) -> tuple[Reason, ...]:
        """All reasons for and against the answer, the most important first."""
        return self.answer.because
