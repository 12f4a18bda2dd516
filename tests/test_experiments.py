"""The papers run again: outcomes are computed, work is resumed, pages are written, bits are the same."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from partita.cli import commands
from partita.errors import FileError, ParameterError, UnknownNameError
from partita.experiments import PAPERS, Reproduction, find_paper, reproduce, write
from partita.experiments.findings import Printed, number, printed_values, statement, undetermined

PAPERS_FOLDER = Path(os.environ.get("PARTITA_PAPERS", Path(__file__).parents[2] / "shared" / "papers"))


# --- outcomes ---------------------------------------------------------------------------------------------

PRINTED = Printed("Table 2", "toy1", "Rand", "0.4248")


@pytest.mark.parametrize(
    ("obtained", "ways", "outcome"),
    [
        (0.42484, {}, "reproduced"),
        (0.42475, {}, "reproduced"),
        (0.42486, {}, "not reproduced"),
        (0.42, {}, "not reproduced"),
        (0.42, {"tolerance": 0.005}, "reproduced"),
        (0.42, {"tolerance": 0.0047}, "not reproduced"),
        (math.nan, {}, "not determinable"),
        (math.inf, {}, "not determinable"),
    ],
)
def test_a_number_is_reproduced_within_its_tolerance(obtained, ways, outcome):
    found = number(PRINTED, obtained, unless="misprint", **ways)
    assert found.outcome == outcome
    assert found.where == "Table 2, toy1, Rand"
    assert found.printed == "0.4248"
    assert ("misprint" in found.reason) == (outcome != "reproduced")
    assert found.tolerance
    assert ("apart" in found.tolerance) == (outcome == "not reproduced")


def test_statements_come_to_what_was_computed():
    assert statement("5", "said", True, "numbers", unless="why").outcome == "reproduced"
    assert statement("5", "said", False, "numbers", unless="why").reason == "why"
    assert statement("5", "said", None, "numbers").outcome == "not determinable"
    assert undetermined("5", 3, "no data").outcome == "not determinable"


@pytest.mark.parametrize("paper", PAPERS)
def test_printed_values_stand_each_in_one_place(paper):
    values = printed_values(paper)
    assert values
    places = [one.where for one in values]
    assert len(places) == len(set(places))
    assert all(one.text.strip() and one.table for one in values)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_studies_with_names_of_their_own(paper):
    found = find_paper(paper)
    names = [study.name for study in found.studies]
    assert found.key == paper
    assert len(names) == len(set(names)) > 1
    assert all(name.replace("_", "").isalnum() and name.islower() for name in names)


# --- running ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sweeps() -> Reproduction:
    return reproduce("lagofernandez2009", quick=True, only="table1", random_state=3)


def test_any_number_of_workers_gives_the_same_bits(sweeps):
    other = reproduce("lagofernandez2009", quick=True, only="table1", random_state=3, n_jobs=2)
    assert other.write("json") == sweeps.write("json")
    assert other.parts["table1"].figures == sweeps.parts["table1"].figures
    assert (
        reproduce("lagofernandez2009", quick=True, only="table1", random_state=4).findings != sweeps.findings
    )


def test_interrupted_work_goes_on_where_it_was(sweeps, tmp_path):
    from partita.experiments import lagofernandez2009 as paper

    calls = []
    whole = paper._table_work

    def dies(*given):
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*given)

    study = find_paper("lagofernandez2009").study("table1")
    object.__setattr__(study, "work", dies)
    try:
        with pytest.raises(KeyboardInterrupt):
            reproduce("lagofernandez2009", quick=True, only="table1", random_state=3, checkpoint=tmp_path)
        again = reproduce("lagofernandez2009", quick=True, only="table1", random_state=3, checkpoint=tmp_path)
    finally:
        object.__setattr__(study, "work", whole)
    assert again.findings == sweeps.findings
    assert len(calls) == 3  # the first block was kept
    with pytest.raises(FileError, match="other work"):
        reproduce("lagofernandez2009", quick=True, only="table1", random_state=4, checkpoint=tmp_path)


def test_what_was_run_is_told(sweeps):
    score = sweeps.score
    assert sum(score.values()) == len(sweeps.findings) == len(sweeps.to_frame())
    assert sweeps.statement.startswith(f"{score['reproduced']} of {len(sweeps.findings)} of random problems")
    assert "small versions" in str(sweeps)
    assert json.loads(sweeps.write("json"))["score"] == dict(score)
    assert sweeps.lessons


def test_pages_are_written_whole_with_all_their_figures(sweeps, tmp_path):
    written = write(sweeps, tmp_path / "pages", command="partita reproduce lagofernandez2009")
    names = {path.name for path in written}
    assert {f"lagofernandez2009.{form}" for form in ("md", "html", "csv", "json")} < names
    page = (tmp_path / "pages" / "lagofernandez2009.md").read_text(encoding="utf-8")
    assert page.startswith("# lagofernandez2009, run again\n")
    for name in (path.name for path in written if path.parent.name == "figures"):
        assert f"figures/{name}" in page
        assert (tmp_path / "pages" / "figures" / name).stat().st_size > 1000
    first = page.splitlines()[4]
    assert first.startswith(
        f"- {sweeps.score['reproduced']} of {len(sweeps.findings)} numbers and statements"
    )
    assert page.index("What to take from it") > page.index("How this was made") > page.index("table1: random")
    html = (tmp_path / "pages" / "lagofernandez2009.html").read_text(encoding="utf-8")
    assert "partita reproduce lagofernandez2009" in html
    assert "<svg" in html
    assert write(sweeps, tmp_path / "pages") == written  # again, over its own files
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="cannot hold pages"):
        write(sweeps, tmp_path / "file")


def test_data_that_cannot_be_had_are_named_and_the_rest_runs(monkeypatch):
    monkeypatch.delenv("PARTITA_DATA", raising=False)
    monkeypatch.setattr("partita.datasets.loading.from_openml", _no_network)
    found = reproduce("lagofernandez2009", quick=True, only="real", random_state=0)
    assert "vehicle" in found.missing
    assert "vehicle" in str(found)
    assert {row[0] for row in found.parts["real"].tables[0].rows} >= {"iris", "wine"}
    assert all(f.outcome == "not determinable" for f in found.findings)


def _no_network(known):
    raise FileError(f"{known.name} cannot be had here.", got="no network", fix="get it by hand")


def test_bad_input_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="did you mean rovetta2009"):
        reproduce("roveta2009")
    with pytest.raises(UnknownNameError, match="part of rovetta2009"):
        reproduce("rovetta2009", only="table9")
    with pytest.raises(ParameterError, match="names nothing"):
        reproduce("rovetta2009", only=[])
    with pytest.raises(ParameterError):
        reproduce("rovetta2009", only="table2", n_jobs=0)


def test_the_command_prints_the_score_and_writes_the_pages(tmp_path):
    from click.testing import CliRunner

    out = tmp_path / "pages"
    done = CliRunner().invoke(commands, ["reproduce", "rovetta2009", "--only", "table2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "30" in done.output
    assert (out / "rovetta2009.html").exists()
    page = (out / "rovetta2009.md").read_text(encoding="utf-8")
    assert "partita reproduce rovetta2009 --only table2" in page or "made" in page
    both = CliRunner().invoke(commands, ["reproduce", "rovetta2009", "lei2014", "--only", "table2"])
    assert both.exit_code == 2
    unknown = CliRunner().invoke(commands, ["reproduce", "nothing"])
    assert unknown.exit_code == 2
