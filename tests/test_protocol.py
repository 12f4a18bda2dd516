"""The protocol of statistics: members are declared once, and a class that does not fit is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partita.statistics
from partita.errors import ParameterError
from partita.partitions import HARD
from partita.statistics import Additive, Contingency, Statistic, Whole
from partita.statistics.options import options_of
from partita.statistics.protocol import DECLARED, INPUTS

ALL_STATISTICS = [
    made
    for name in partita.statistics.__all__
    if isinstance(made := getattr(partita.statistics, name), type)
    and issubclass(made, Statistic)
    and made not in (Statistic, Additive, Whole)
]


@dataclass(frozen=True)
class Powers:
    power: float = 2.0


def members(**changed):
    """What a small additive statistic has, with some members changed, or left out where they are None."""
    body = {
        "inputs": ("found",),
        "kinds": (HARD,),
        "block_rows": staticmethod(lambda found: 10),
        "from_block": classmethod(lambda cls, found, weight=None: cls()),
        "zero": classmethod(lambda cls: cls()),
        "__add__": lambda self, other: self,
    }
    return {name: member for name, member in {**body, **changed}.items() if member is not None}


def make(base=Additive, **changed):
    return type("Made", (base,), members(**changed))


def test_a_complete_class_is_taken_and_has_the_defaults():
    made = make()
    assert (made().shape, made().how, made().is_sampled, made().is_whole) == ((), "", False, True)
    assert (options_of(made.options), dict(made.needs), made.why_not) == ({}, {}, "")
    assert made.pair_operations(None) == 0.0
    assert made.check(None) is None


@pytest.mark.parametrize("name", sorted(DECLARED - {"how"}))
@given(data=st.data())
def test_a_misspelt_member_is_an_error(name, data):
    place = data.draw(st.integers(0, len(name) - 1))
    slip = data.draw(st.sampled_from([name[:place] + name[place + 1 :], name[:place] + "x" + name[place:]]))
    if slip in DECLARED or slip.startswith("_"):
        return
    with pytest.raises(ParameterError, match=f"has no member '{slip}'") as problem:
        make(**{slip: "anything"})
    assert problem.value.need.split("'")[1] in DECLARED


def test_names_unlike_any_member_and_fields_are_free():
    @dataclass(frozen=True, eq=False)
    class Own(Additive):
        inputs: ClassVar[tuple[str, ...]] = ("found",)
        kind: str = "hard"
        widest: float = 0.0
        kinds = (HARD,)
        block_rows, from_block, zero, __add__ = (
            members()[name] for name in ("block_rows", "from_block", "zero", "__add__")
        )

    assert Own().kind == "hard"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"inputs": ("found", "truth")}, "in this order"),
        ({"inputs": ("labels",)}, "in this order"),
        ({"inputs": ()}, "inputs missing"),
        ({"needs": {"table": int}}, "a statistic for each name"),
        ({"needs": {"table": Contingency}}, "does not take 'table'"),
        ({"options": ("power",)}, "a frozen dataclass"),
        ({"options": Powers}, "does not take 'power'"),
        ({"options": Powers, "from_block": classmethod(lambda cls, found, power=1: cls())}, "power = 2.0"),
        ({"from_block": None}, "from_block missing"),
        ({"block_rows": None}, "block_rows missing"),
        ({"__add__": None}, "__add__ missing"),
        ({"zero": None}, "zero missing"),
        ({"kinds": None}, "kinds missing"),
        ({"from_whole": classmethod(lambda cls, found, weight, on_block: cls())}, "Whole"),
    ],
)
def test_what_is_missing_or_wrong_is_refused(changed, said):
    with pytest.raises(ParameterError) as problem:
        make(**changed)
    assert said in str(problem.value)


def test_neither_additive_nor_whole_is_refused():
    with pytest.raises(ParameterError, match="Additive"):
        make(Statistic)
    with pytest.raises(ParameterError, match="from_whole missing"):
        make(Whole)


@pytest.mark.parametrize("statistic", ALL_STATISTICS, ids=lambda s: s.__name__)
def test_every_statistic_derives_from_the_protocol(statistic):
    assert issubclass(statistic, (Additive, Whole))
    assert set(statistic.inputs) <= set(INPUTS)
    assert all(issubclass(need, Statistic) for need in statistic.needs.values())
