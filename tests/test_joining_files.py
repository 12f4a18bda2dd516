"""Two files of the same objects: what they are joined on, what is said, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from partita.cli import main
from partita.indices import adjusted_rand


class Outcome(NamedTuple):
    code: int
    result: Any
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder, and read its result back."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str, **files: str) -> Outcome:
        for name, content in files.items():
            Path(name.replace("__", ".")).write_text(content)
        code = 0
        try:
            main([*arguments, "--format", "json"])
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return Outcome(code, json.loads(out) if out else None, err)

    return run_command


N = 60
DRAWS = np.random.default_rng(0)
TRUTH = DRAWS.integers(0, 3, N)
FOUND = np.where(DRAWS.random(N) < 0.8, TRUTH, 1)
ORDER = DRAWS.permutation(N)
RIGHT = float(adjusted_rand(TRUTH, FOUND))
IDS = {
    "shuffled integers": DRAWS.permutation(10_000)[:N],
    "from 1 on": np.arange(1, N + 1),
    "words": np.array([f"o{i}" for i in range(N)]),
    "with blanks": np.array([f"object {i} " for i in range(N)]),
    "leading zeros": np.array([f"{i:05d}" for i in range(N)]),
}


def csv_of(names: Any, labels: Any, *, name: str = "customer_id", label: str = "label", **more: Any) -> str:
    return pd.DataFrame({name: names, label: labels, **more}).to_csv(index=False)


def ari(outcome: Outcome) -> float:
    assert outcome.code == 0, outcome.err
    return float(outcome.result["rows"][0]["value"])


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("name", ["customer_id", "id", "CustomerID", "name", "index", "sample", "flower"])
def test_files_in_another_order_are_joined_on_what_names_the_objects(run: Run, ids: str, name: str) -> None:
    names = IDS[ids]
    files = {
        "a__csv": csv_of(names, TRUTH, name=name),
        "b__csv": csv_of(names[ORDER], FOUND[ORDER], name=name),
    }
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    assert ari(outcome) == pytest.approx(RIGHT)
    assert outcome.result["notes"] == [f"joined on {name}: {N} objects in both files"]
    by_row = run("compare", "a.csv", "b.csv", "--indices", "ARI", "--by-row")
    assert ari(by_row) == pytest.approx(adjusted_rand(TRUTH, FOUND[ORDER]))
    assert by_row.result["notes"] == [f"matched by row, as asked, though both files have {name}"]


def test_what_only_one_file_has_is_left_out_and_that_is_said(run: Run) -> None:
    names = IDS["shuffled integers"]
    files = {"a__csv": csv_of(names, TRUTH), "b__csv": csv_of(names[ORDER[3:]], FOUND[ORDER[3:]])}
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    kept = np.sort(ORDER[3:])
    assert ari(outcome) == pytest.approx(adjusted_rand(TRUTH[kept], FOUND[kept]))
    assert outcome.result["notes"] == [f"joined on customer_id: {N - 3} objects in both files, 3 left out"]


def test_equal_numbers_of_other_objects_are_no_match(run: Run) -> None:
    names = np.arange(100, 100 + N)
    files = {"a__csv": csv_of(names, TRUTH), "b__csv": csv_of(names + 40, FOUND)}
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    assert ari(outcome) == pytest.approx(adjusted_rand(TRUTH[40:], FOUND[:-40]))
    assert f"{N - 40} objects in both files, 80 left out" in outcome.result["notes"][0]


def test_distribution_joins_too(run: Run) -> None:
    names = IDS["words"]
    files = {"a__csv": csv_of(names, TRUTH), "b__csv": csv_of(names[ORDER], FOUND[ORDER])}
    outcome = run("distribution", "a.csv", "b.csv", "--index", "ARI", **files)
    assert outcome.result["rows"][0]["value"] == pytest.approx(RIGHT)
    assert outcome.result["notes"][0].startswith("joined on customer_id")


def test_validate_joins_data_and_memberships(run: Run) -> None:
    names = IDS["shuffled integers"]
    x = DRAWS.normal(size=N) + 5 * TRUTH
    data = pd.DataFrame({"customer_id": names, "x": x, "z": x**2, "label": TRUTH})
    files = {"d__csv": data.to_csv(index=False), "m__csv": csv_of(names[ORDER], TRUTH[ORDER])}
    joined = run("validate", "d.csv", "--memberships", "m.csv", "--indices", "CH", **files)
    alone = run("validate", "d.csv", "--labels", "label", "--indices", "CH")
    assert joined.code == alone.code == 0
    assert joined.result["rows"][0]["value"] == pytest.approx(alone.result["rows"][0]["value"])
    assert f"joined on customer_id: {N} objects in both files" in joined.result["notes"]
    assert "features: x, z (left out: customer_id: all different integers)" in alone.result["notes"]


def test_distances_are_joined_on_both_sides(run: Run) -> None:
    x = DRAWS.normal(size=N) + 5 * TRUTH
    names = IDS["words"]
    distances = pd.DataFrame(np.abs(x[:, None] - x), index=names, columns=names)
    files = {
        "d__csv": distances.rename_axis("id").to_csv(),
        "m__csv": csv_of(names[ORDER[5:]], TRUTH[ORDER[5:]], name="id"),
        "x__csv": pd.DataFrame({"x": x, "label": TRUTH}).iloc[np.sort(ORDER[5:])].to_csv(index=False),
    }
    options = ("--indices", "silhouette")
    far = run("validate", "d.csv", "--memberships", "m.csv", "--metric", "precomputed", *options, **files)
    near = run("validate", "x.csv", "--labels", "label", *options)
    assert far.code == near.code == 0, far.err
    assert far.result["rows"][0]["value"] == pytest.approx(near.result["rows"][0]["value"])


def test_memberships_are_joined_and_identifiers_are_none_of_them(run: Run) -> None:
    names = np.arange(N)
    memberships = DRAWS.dirichlet(np.ones(3), N)
    frame = pd.DataFrame(
        {"customer_id": names, "order_id": names + 7000, **dict(zip("pqr", memberships.T, strict=True))}
    )
    files = {
        "a__csv": pd.DataFrame({"order_id": names + 7000, "customer_id": names, "label": TRUTH}).to_csv(
            index=False
        ),
        "m__csv": frame.iloc[ORDER].to_csv(),  # and pandas' own index first
        "n__csv": frame.to_csv(index=False),
    }
    one = run("compare", "a.csv", "m.csv", "--indices", "RI", **files)
    two = run("compare", "a.csv", "n.csv", "--indices", "RI")
    assert one.result["rows"] == two.result["rows"]
    assert "joined on " in one.result["notes"][0]


def test_an_index_that_pandas_wrote_is_joined_on_if_there_is_nothing_better(run: Run) -> None:
    frame = pd.DataFrame({"label": TRUTH})
    files = {"a__csv": frame.to_csv(), "b__csv": pd.DataFrame({"label": FOUND}).iloc[ORDER].to_csv()}
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    assert ari(outcome) == pytest.approx(RIGHT)
    assert outcome.result["notes"] == [
        f"joined on the first column, which has no name: {N} objects in both files"
    ]
    named = {
        "a__csv": frame.assign(customer_id=IDS["words"]).to_csv(),
        "b__csv": pd.DataFrame({"label": FOUND, "customer_id": IDS["words"]})
        .iloc[ORDER]
        .reset_index(drop=True)
        .to_csv(),
    }
    assert ari(run("compare", "a.csv", "b.csv", "--indices", "ARI", **named)) == pytest.approx(RIGHT)


NOT_JOINED = {
    "one column each": ("label\n" + "".join(f"{i}\n" for i in range(12)),) * 2,
    "memberships of 0 and 1": ("p,q\n1,0\n0,1\n", "p,q\n0,1\n1,0\n"),
    "few integers": ("a,label\n3,0\n4,0\n5,1\n", "a,label\n5,0\n4,0\n3,1\n"),
    "measurements": ("x,label\n" + "".join(f"0.{i},{i % 2}\n" for i in range(1, 9)),) * 2,
    "labels called cluster_id": ("cluster_id,b\n" + "0,1\n1,0\n" * 4, "cluster_id,b\n" + "1,0\n0,1\n" * 4),
}


@pytest.mark.parametrize("case", NOT_JOINED)
def test_what_is_no_identifier(run: Run, case: str) -> None:
    one, other = NOT_JOINED[case]
    asked = ("--column", "label") if ",label" in one else ()
    outcome = run("compare", "a.csv", "b.csv", "--indices", "RI", *asked, a__csv=one, b__csv=other)
    assert outcome.code == 0, outcome.err
    assert outcome.result["notes"] == []


def twelve(spell: Any = str) -> str:
    """Twelve objects whose identifiers are spelled like this."""
    return "customer_id,label\n" + "".join(f"{spell(i)},{i % 3}\n" for i in range(1, 13))


ONE = twelve()
TWICE = ONE.replace("\n2,", "\n1,")
SMALL, LARGE = "id,label\na1,0\nb2,1\nc3,1\n", "id,label\nA1,0\nB2,1\nC3,1\n"
TWO_IDS = [
    "one_id,two_id,label\n" + "".join(f"{i},{abs(s - i)},{i % 3}\n" for i in range(1, 13)) for s in (0, 13)
]
BY_ROW = ("--by-row",)
BAD: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "nothing in common": (ONE, twelve(lambda i: 900 + i), "no object in common", BY_ROW),
    "zeros lost": (twelve(lambda i: f"{i:03d}"), ONE, "'001' in the first file, '1' in the second", BY_ROW),
    "some zeros lost": (twelve(lambda i: f"{i:02d}"), ONE, "written in two ways", BY_ROW),
    "points gained": (twelve(lambda i: f"{i}.0"), ONE, "written in two ways", BY_ROW),
    "letters of two sizes": (SMALL, LARGE, "written in two ways", BY_ROW),
    "repeated": (TWICE, ONE, "1 and 0 repeated identifiers", BY_ROW),
    "an identifier too few": (ONE.replace("\n2,", "\n,"), ONE, "1 and 0 empty ones", BY_ROW),
    "lengths differ": ("a,label\n3,0\n4,0\n5,1\n", "a,label\n5,0\n4,1\n", "different numbers", ("--id", "a")),
    "two ways to match": (TWO_IDS[0], TWO_IDS[1], "do not match them alike", ("--id", "one_id")),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused_and_that_the_advice_helps(run: Run, case: str) -> None:
    one, other, message, options = BAD[case]
    sides = ("compare", "a.csv", "b.csv", "--indices", "ARI", "--column", "label")
    refused = run(*sides, a__csv=one, b__csv=other)
    assert refused.code == 2
    assert message in refused.err
    assert options[0] in refused.err.partition("fix:")[2]
    helped = run(*sides, *options)
    assert helped.code == 0, helped.err


def test_identifiers_under_two_names(run: Run) -> None:
    turned = "id,label\n" + "".join(reversed(ONE.splitlines(keepends=True)[1:]))
    sides = ("compare", "a.csv", "b.csv", "--column", "label", "--indices", "ARI")
    refused = run(*sides, a__csv=ONE, b__csv=turned)
    assert refused.code == 2
    assert "under two names" in refused.err
    assert "rename 'id' to 'customer_id'" in refused.err
    assert ari(run(*sides, b__csv=turned.replace("id", "customer_id", 1))) == 1.0
    assert run(*sides, "--by-row", b__csv=turned).code == 0
    assert ari(run(*sides, b__csv=ONE.replace("customer_id", "id"))) == 1.0


def test_identifiers_that_are_written_alike_in_both_files(run: Run) -> None:
    padded = twelve(lambda i: f"{i:03d}")
    assert run("compare", "a.csv", "b.csv", a__csv=padded, b__csv=ONE).code == 2
    assert run("compare", "a.csv", "b.csv", a__csv=padded, b__csv=padded).code == 0


def test_one_way_to_match_at_a_time(run: Run) -> None:
    outcome = run("compare", "a.csv", "b.csv", "--id", "customer_id", "--by-row", a__csv=ONE, b__csv=ONE)
    assert (outcome.code, "not both" in outcome.err) == (2, True)


def test_identifiers_of_groups_beside_those_of_objects(run: Run) -> None:
    names, shops = IDS["shuffled integers"], np.arange(N) % 7
    files = {
        "a__csv": csv_of(names, TRUTH, shop_id=shops),
        "b__csv": csv_of(names[ORDER], FOUND[ORDER], shop_id=shops[ORDER]),
    }
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    assert ari(outcome) == pytest.approx(RIGHT)
    assert outcome.result["notes"] == [f"joined on customer_id: {N} objects in both files"]


def test_repeated_identifiers_in_the_same_lines_need_no_join(run: Run) -> None:
    options = ("--column", "label", "--indices", "ARI")
    assert ari(run("compare", "a.csv", "b.csv", *options, a__csv=TWICE, b__csv=TWICE)) == 1.0


def test_what_is_off_is_told_by_line_and_name(run: Run) -> None:
    memberships = "id,p,q\n" + "".join(f"o{i},0.5,0.5\n" for i in range(5)) + "o5,0.5,1.5\n"
    labels = "id,label\n" + "".join(f"o{i},{i % 2}\n" for i in range(6))
    outcome = run("compare", "a.csv", "b.csv", a__csv=labels, b__csv=memberships)
    assert "line 7, column 'q' is 1.5" in outcome.err
    outcome = run("compare", "a.csv", "b.csv", b__csv=memberships.replace("1.5", "0.7"))
    assert "line 7 sums to 1.2" in outcome.err


# --- missing labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("joined", [True, False])
def test_objects_without_a_label_are_left_out_on_both_sides(run: Run, joined: bool) -> None:
    rows = ORDER if joined else np.arange(N)
    first = [("NA" if i in (3, 5) else t) for i, t in enumerate(TRUTH)]
    second = np.array([("" if i in (5, 9) else str(f)) for i, f in enumerate(FOUND)])[rows]
    one = {"id": IDS["words"], "label": first}
    other = {"id": IDS["words"][rows], "label": second}
    files = {
        name: pd.DataFrame({k: v for k, v in side.items() if joined or k == "label"}).to_csv(
            index=False, lineterminator="\n"
        )
        for name, side in (("a__csv", one), ("b__csv", other))
    }
    refused = run("compare", "a.csv", "b.csv", "--indices", "ARI", **files)
    assert "labels are missing" in refused.err
    assert "column 'label': 2 of 60 (NA 2 times; the first in line 5)" in refused.err
    assert 'fix:   --missing "drop"' in refused.err
    outcome = run("compare", "a.csv", "b.csv", "--indices", "ARI", "--missing", "drop")
    kept = [i for i in range(N) if i not in (3, 5, 9)]
    assert ari(outcome) == pytest.approx(adjusted_rand(TRUTH[kept], FOUND[kept]))
    assert any("57 of 60 objects kept (95.0%)" in note for note in outcome.result["notes"])


def test_dropping_all_objects_is_refused_without_advice_that_does_not_help(run: Run) -> None:
    empty = "label\n" + "NA\n" * N
    labels = "label\n" + "".join(f"{t}\n" for t in TRUTH)
    outcome = run("compare", "a.csv", "b.csv", "--missing", "drop", a__csv=labels, b__csv=empty)
    assert (outcome.code, "all labels are missing" in outcome.err, "fix:" in outcome.err) == (2, True, False)
    half = N // 2
    first = "label\n" + "".join(f"{t}\n" for t in TRUTH[:half]) + "NA\n" * (N - half)
    second = "label\n" + "NA\n" * half + "".join(f"{t}\n" for t in TRUTH[half:])
    outcome = run("compare", "a.csv", "b.csv", "--missing", "drop", a__csv=first, b__csv=second)
    assert (outcome.code, "no object is left" in outcome.err) == (2, True)


def test_weights_go_with_the_objects(run: Run) -> None:
    weights = DRAWS.integers(1, 5, N)
    names = IDS["words"]
    files = {
        "a__csv": csv_of(names, TRUTH, times=weights),
        "b__csv": csv_of(names[ORDER[4:]], FOUND[ORDER[4:]]),
    }
    options = ("--column", "label", "--weight", "times", "--indices", "ARI")
    kept = np.sort(ORDER[4:])
    expected = adjusted_rand(TRUTH[kept], FOUND[kept], sample_weight=weights[kept])
    assert ari(run("compare", "a.csv", "b.csv", *options, **files)) == pytest.approx(expected)
