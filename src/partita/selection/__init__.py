"""How many clusters: sweeps over k, rules, votes."""

from partita.selection.choices import Choice, ChoiceOfK
from partita.selection.choosing import choose_k
from partita.selection.null_tests import NullTest, Structure, hopkins, structure

__all__ = ["Choice", "ChoiceOfK", "NullTest", "Structure", "choose_k", "hopkins", "structure"]
