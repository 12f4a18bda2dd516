"""What fuzzing found stays found: every kept case obeys the law; and a few fixed draws of every area do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import partita as pt
from fuzz.areas import AREAS
from fuzz.law import BrokenLawError, HangError, check, obey, signature, watchdog
from fuzz.recipes import UnbuildableError, build
from partita.errors import PartitaError, UndefinedIndexWarning


def no_search(examples):
    """So many draws; what breaks the law is shown as it is, since making it smaller is for ``make fuzz``."""
    return settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


CASES = sorted((Path(__file__).parent / "fuzz" / "cases").glob("*.json"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_kept_case_obeys_the_law(path):
    case = json.loads(path.read_text())
    AREAS[case["area"]].run(case["document"])


@pytest.mark.parametrize("area", AREAS)
def test_fixed_draws_of_every_area_obey_the_law(area, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    documents, run = AREAS[area]

    @seed(19)
    @no_search(30)
    @given(documents)
    def look(document):
        run(json.loads(json.dumps(document)))

    look()


@pytest.mark.parametrize("area", AREAS)
def test_draws_are_answered_and_refused(area, monkeypatch):
    """Both ways are walked: a law that nothing reaches would hold as well."""
    seen = {"answered": 0, "refused": 0}

    def counted(result, **_):
        seen["answered"] += 1

    monkeypatch.setattr("fuzz.law.check", counted)
    monkeypatch.setattr(
        "fuzz.law.check_refusal", lambda error: seen.__setitem__("refused", seen["refused"] + 1)
    )
    documents, run = AREAS[area]

    @seed(20)
    @no_search(15 if area == "commands" else 40)
    @given(documents)
    def look(document):
        run(json.loads(json.dumps(document)))

    look()
    assert seen["answered"] >= 3
    assert seen["refused"] >= 3 or area == "commands"  # where exit code 2 is the refusal


class TestLaw:
    def test_another_exception_breaks_it(self):
        with pytest.raises(ZeroDivisionError) as caught:
            obey(lambda: 1 / 0)
        assert signature(caught.value) == "ZeroDivisionError at outside"

    def test_a_refusal_of_ours_does_not(self):
        obey(lambda: pt.as_partition(object()))

    def test_a_refusal_that_calls_itself_a_bug_breaks_it(self):
        def work():
            raise PartitaError("left its range: this is a bug")

        with pytest.raises(BrokenLawError, match="a bug"):
            obey(work)

    def test_a_foreign_warning_breaks_it(self):
        with pytest.raises(BrokenLawError, match="RuntimeWarning"):
            obey(lambda: float(np.float64(1.0) / np.array(0.0)))

    def test_a_silent_nan_breaks_it_and_one_that_is_told_does_not(self):
        with pytest.raises(BrokenLawError, match="nan without a word"):
            obey(lambda: float("nan"))
        with pytest.warns(UndefinedIndexWarning):
            assert np.isnan(pt.indices.silhouette([[0.0], [1.0]], [0, 0]))
        obey(lambda: pt.indices.silhouette([[0.0], [1.0]], [0, 0]))

    def test_a_row_without_its_caveat_breaks_it(self):
        compared = pt.compare([0, 0, 1, 1], [0, 0, 1, 2], indices=["ARI"])
        check(compared)
        object.__setattr__(compared.rows[0], "value", float("nan"))
        with pytest.raises(BrokenLawError, match="nan without a caveat"):
            check(compared)

    def test_a_hang_breaks_it(self):
        def without_end():
            while True:
                pass

        with pytest.raises(HangError), watchdog(1):
            without_end()

    def test_what_no_library_makes_is_no_example(self):
        with pytest.raises(UnbuildableError):
            build({"$decimal": "not a number"})


@given(st.data())
def test_recipes_are_json(data):
    """A document goes through JSON unchanged, so that a kept case is the case that was found."""
    document = data.draw(AREAS[data.draw(st.sampled_from(sorted(AREAS)))].documents)
    assert json.loads(json.dumps(document)) == document
