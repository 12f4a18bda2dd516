"""What a value is worth beside chance: null models, expected and adjusted values, p-values."""

from partita.chance.adjustment import AdjustedIndex, adjusted
from partita.chance.chances import Chance, chance_of
from partita.chance.null_models import (
    AllPartitions,
    DirichletRows,
    FixedNumber,
    NullModel,
    Permutation,
    null_model,
)

__all__ = [
    "AdjustedIndex",
    "AllPartitions",
    "Chance",
    "DirichletRows",
    "FixedNumber",
    "NullModel",
    "Permutation",
    "adjusted",
    "chance_of",
    "null_model",
]
