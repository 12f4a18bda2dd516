"""Records are written by their fields, and read back by the types of these."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field

import pytest

from partita.errors import ParameterError
from partita.fits.degenerate_fits import Shape
from partita.registry.rules import Verdict
from partita.results.records import JsonRecord
from partita.selection.sweep import Fit
from partita.selection.votes import Choice, IndexOverK, Preference

NAN = math.nan

RECORDS = [
    IndexOverK(
        "dunn", "best", "higher", math.inf, (NAN, 1.5, -math.inf), ("one cluster", "", ""), (0.1, NAN)
    ),
    IndexOverK("ssw", "knee", "none", None, (), ()),
    Choice("bic", "first_max", Verdict(3, "the first maximum", 5, 0.25), "likelihood"),
    Choice("gap", "gap", Verdict(None, "no k"), no_vote="k = 9 is the largest tried"),
    Preference("silhouette", "separation", "two", "the largest", runner_up="three", difference=0.5),
    Fit(3, 1, 7, NAN, {"ch": NAN, "dunn": math.inf}, {"ch": "why"}, "", ("Slow",), {"ch": "why"}, Shape(3)),
    Fit(0, 0, 7, -1.5, {}, {}, failed="ValueError: no", setting="full"),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: type(one).__name__)
def test_what_is_written_is_read_back_with_its_types(record):
    written = json.loads(json.dumps(record.to_dict(), allow_nan=False))
    again = type(record).from_dict(written)
    assert repr(again) == repr(record)
    assert again.to_dict() == record.to_dict()


def test_fields_that_are_not_printed_are_not_written():
    @dataclass(frozen=True)
    class Found(JsonRecord):
        name: str
        labels: object = field(default=None, repr=False)

    assert Found("two", [0, 1]).to_dict() == {"name": "two", "labels": None}
    assert Found.from_dict({"name": "two"}) == Found("two")


def test_a_field_that_is_not_known_is_refused():
    with pytest.raises(ParameterError, match="colour"):
        IndexOverK.from_dict({**RECORDS[0].to_dict(), "colour": "red"})
