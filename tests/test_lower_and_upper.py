"""Lower and upper values beside the others: in a comparison, and on the command line."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given

import partita as pt
from partita import cli
from partita.errors import KindError
from partita.lower_and_upper import USUAL
from partita.partitions import EVIDENTIAL, HARD, POSSIBILISTIC, ROUGH
from strategies import integer_weights, pairs

TRUTH = [0, 0, 1, 1, 2]
ROUGH_FOUND = pt.RoughPartition([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]])
TYPICAL = pt.PossibilisticPartition([[1, 0], [1, 0.5], [0.25, 1], [0, 1], [0, 0.75]])


@given(pairs([HARD, ROUGH], min_n=2, max_n=5))
def test_a_rough_side_gives_the_ends_over_all_completions(sides):
    rough = [side.to(ROUGH) for side in sides]
    assume(math.prod(side.n_completions for side in rough) <= 60)
    result = pt.compare(*rough, indices=USUAL)
    each = [
        [row.value for row in pt.compare(one, other, indices=USUAL)]
        for one in rough[0].completions()
        for other in rough[1].completions()
    ]
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # all of a column undefined
        ends = zip(np.nanmin(each, axis=0), np.nanmax(each, axis=0), strict=True)
    for name, (least, most) in zip(USUAL, ends, strict=True):
        row = result[name]
        assert row.lower == pytest.approx(least, abs=1e-9, nan_ok=True)
        assert row.upper == pytest.approx(most, abs=1e-9, nan_ok=True)


@given(pairs([HARD, ROUGH, POSSIBILISTIC, EVIDENTIAL], min_n=2, max_n=4))
def test_a_comparison_shows_what_distribution_finds(sides):
    if any(getattr(side, "empty_mass", np.zeros(1)).max() >= 1 for side in sides):
        return  # nothing to divide by; its own test
    result = pt.compare(*sides)
    if {side.kind for side in sides} == {HARD}:
        assert all(math.isnan(row.lower) for row in result)
        return
    for name in USUAL:
        row, alone = result[name], pt.distribution(*sides, name)
        if alone.method == "exact" and "exact" in row.caveat:
            assert row.lower == pytest.approx(alone.lower, abs=1e-9, nan_ok=True)
            assert row.upper == pytest.approx(alone.upper, abs=1e-9, nan_ok=True)


def test_the_caveat_says_how_and_no_value_is_made_up():
    result = pt.compare(TRUTH, ROUGH_FOUND)
    assert math.isnan(result["ARI"].value)
    assert result["ARI"].lower < result["ARI"].upper
    assert "lower and upper are exact" in result["ARI"].caveat
    assert "lower and upper are exact" in str(result)
    assert " nan " not in str(result)
    typical = pt.compare(TRUTH, TYPICAL)
    assert not math.isnan(typical["VI"].value)
    assert typical["VI"].lower <= typical["VI"].upper
    assert math.isnan(typical["purity"].lower)


def test_any_index_on_tables_can_be_named():
    result = pt.compare(TRUTH, ROUGH_FOUND, indices=["purity", "rand:pairs=ordered"])
    assert result["purity"].lower == pt.distribution(TRUTH, ROUGH_FOUND, "purity").lower
    assert result["rand:pairs=ordered"].upper == 1 - 4 / 5 * (1 - pt.distribution(TRUTH, ROUGH_FOUND).upper)
    with pytest.raises(KindError):
        pt.compare(TRUTH, ROUGH_FOUND, indices=["campello_rand"])


@given(integer_weights(5))
def test_whole_weights_are_repeated_objects(weight):
    rows = np.repeat(np.arange(5), weight)
    by_weight = pt.compare(TRUTH, ROUGH_FOUND, sample_weight=weight, indices=["RI", "PD"])
    repeated = pt.compare(np.array(TRUTH)[rows], ROUGH_FOUND.take(rows), indices=["RI", "PD"])
    for name in ("RI", "PD"):
        assert by_weight[name].lower == pytest.approx(repeated[name].lower, nan_ok=True)
        assert by_weight[name].upper == pytest.approx(repeated[name].upper, nan_ok=True)


def test_an_object_in_no_cluster_at_all_is_told():
    nowhere = pt.EvidentialPartition([[1, 0, 0], [0, 0.5, 0.5]], [set(), {0}, {0, 1}])
    row = pt.compare([0, 1], nowhere)["RI"]
    assert math.isnan(row.lower)
    assert "all their mass on the empty set" in row.caveat


def test_fractions_of_objects_have_no_completions():
    result = pt.compare(TRUTH, ROUGH_FOUND, sample_weight=[0.5, 1, 1, 1, 1])
    assert "rand" not in result
    assert "rand" in {x.index for x in result.left_out}


# --- the command line -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("truth.csv").write_text("species\n" + "\n".join("aabbc") + "\n")
    Path("rough.csv").write_text("x,y,z\n1,0,0\n1,1,0\n0,1,0\n0,1,1\n0,0,1\n")
    Path("soft.csv").write_text("x,y\n0.9,0.1\n0.5,0.5\n0,1\n0.1,0.9\n0,1\n")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = 0
    try:
        cli.main(["distribution", *arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    return code, *capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_every_format_of_the_command(capsys):
    arguments = ("truth.csv", "rough.csv", "--found-kind", "rough", "--index", "VI")
    expected = pt.distribution(list("aabbc"), ROUGH_FOUND, "VI")
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    assert f"{expected.upper:.4f}" in out
    assert "exact" in out
    _, out, _ = run(capsys, *arguments, "--format", "json")
    assert pt.Distribution.from_dict(json.loads(out)).upper == expected.upper
    _, out, err = run(capsys, *arguments, "--format", "csv")
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(out))}
    assert float(rows["lower"]["value"]) == expected.lower
    assert "completion" in err
    _, out, _ = run(capsys, *arguments, "--format", "markdown")
    assert "| lower |" in out


@pytest.mark.usefixtures("folder")
def test_options_of_the_command(capsys):
    code, out, _ = run(
        capsys, "truth.csv", "soft.csv", "--method", "sample", "--samples", "50", "--seed", "1"
    )  # fmt: skip
    assert code == 0
    assert "sampled" in out
    assert "50 draws" in out
    code, out, _ = run(capsys, "truth.csv", "soft.csv", "--found-kind", "possibilistic", "--tnorm", "product",
                       "--reading", "literal", "--no-law", "--budget", "5")  # fmt: skip
    assert code == 0
    assert "eq. (7)" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("truth.csv", "soft.csv", "--index", "randd"), "rand"),
        (("truth.csv", "soft.csv", "--index", "campello_rand"), "no function of the table"),
        (("truth.csv", "soft.csv", "--samples", "0"), "--samples is not a number of draws"),
        (("truth.csv", "soft.csv", "--epsilon", "2"), "epsilon"),
        (("truth.csv", "none.csv"), "no such file"),
        (("truth.csv",), "a single file needs two columns"),
        (("truth.csv", "soft.csv", "--method", "nested"), '--method "sample"'),
    ],
)
def test_bad_input_is_told_in_the_words_of_the_command_line(capsys, arguments, words):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
