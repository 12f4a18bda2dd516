"""What is known about every index, in one record each; the decorator that makes the record; the look-up."""

from typing import Annotated, Literal

from partita.arrays import Array, Floats
from partita.partitions import ALL, EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, SOFT, Kind
from partita.registry.caveats import Caveat, CaveatKind
from partita.registry.declaration import index
from partita.registry.entry import Evaluation, Index
from partita.registry.facts import CLAIMS, METRIC_CLASSES, Example, Limit, bound
from partita.registry.lookup import find, indices, listed, remove, resolve, select
from partita.registry.options import ON_UNDEFINED, check_on_undefined
from partita.statistics.options import Above, AtLeast, Below

__all__ = [
    "ALL",
    "Above",
    "Annotated",
    "Array",
    "AtLeast",
    "Below",
    "CLAIMS",
    "Caveat",
    "CaveatKind",
    "EVIDENTIAL",
    "Evaluation",
    "Example",
    "FUZZY",
    "Floats",
    "HARD",
    "Index",
    "Kind",
    "Limit",
    "Literal",
    "METRIC_CLASSES",
    "ON_UNDEFINED",
    "POSSIBILISTIC",
    "ROUGH",
    "SOFT",
    "bound",
    "check_on_undefined",
    "find",
    "index",
    "indices",
    "listed",
    "remove",
    "resolve",
    "select",
]
