"""The commands that answer: what they print is what the library says, and what they save is what it found."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import partita as pt
from command_runs import Run, runner
from partita.cli import commands
from partita.cli.options import PARAMETERS
from partita.selection import structure

FEATURES = ["x", "y"]
SHAPES = ("table", "json", "csv", "markdown", "html")


def three_clouds() -> pd.DataFrame:
    """Three clouds of 20 objects far apart, one clustering of them and one with two clouds put together."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    table = pd.DataFrame(rng.normal(size=(60, 2)) + centres, columns=FEATURES)
    table["cloud"] = np.repeat(["a", "b", "c"], 20)
    table["three"] = np.repeat([2, 0, 1], 20)
    table["two"] = np.repeat([0, 1, 1], 20)
    table.loc[0, "three"] = 0
    table.insert(0, "object_id", [f"o{i:02}" for i in range(60)])
    return table


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder with the file clouds.csv, the way the installed script does."""
    monkeypatch.chdir(tmp_path)
    three_clouds().to_csv("clouds.csv", index=False)
    return runner(capsys)


def X() -> pd.DataFrame:
    return three_clouds()[FEATURES]


def without_file_notes(text: str) -> list[str]:
    """The lines of a result but those that tell about the columns of the file."""
    return [line for line in text.splitlines() if not line.startswith("features: ")]


CHOOSE = "choose clouds.csv --columns x,y --k 2:4 --runs 1 --indices CH,silhouette --splits 0 --no-structure"
CHOOSE_EPS = "choose clouds.csv --columns x,y --method dbscan --parameter eps --values 0.5,2 --no-structure"
ANSWERING = {
    "structure": "structure clouds.csv --columns x,y --null 19 --seed 0",
    "choose": f"{CHOOSE} --seed 0",
    "choose a value": f"{CHOOSE_EPS} --seed 0",
    "choose-among": "choose-among clouds.csv --columns x,y --clusterings three,two,cloud --no-structure",
    "stability": "stability clouds.csv --columns x,y --k 2:3 --repeats 3 --seed 0",
    "stability by cluster": "stability clouds.csv --columns x,y --k 2:3 --repeats 3 --seed 0 --by-cluster",
    "align": "align clouds.csv --truth-column cloud --found-column three",
    "align moved": "align clouds.csv --truth-column cloud --found-column three --moved",
    "validate several": "validate clouds.csv --columns x,y --clusterings three,two",
    "validate by cluster": "validate clouds.csv --columns x,y --labels three --by-cluster",
    "validate several by cluster": "validate clouds.csv --columns x,y --clusterings three,two --by-cluster",
    "compare several": "compare clouds.csv --truth-column cloud --clusterings three,two --data clouds.csv",
}


@pytest.mark.parametrize("name", ANSWERING)
def test_every_format_is_whole(run: Run, name: str) -> None:
    for form in SHAPES:
        code, out, err = run(f"{ANSWERING[name]} --format {form}")
        assert code == 0, err
        assert out.strip()
        if form == "json":
            assert json.loads(out)["rows"]
        elif form == "csv":
            rows = list(csv.reader(io.StringIO(out)))
            assert len(rows) > 1
            assert {len(row) for row in rows} == {len(rows[0])}
        else:
            assert err == ""
        if form == "html":
            assert out.count("<table") == out.count("</table>") >= 1


# --- what the library says --------------------------------------------------------------------------------


def test_structure_says_what_the_library_says(run: Run) -> None:
    told = run("structure clouds.csv --columns x,y --null 19 --seed 3 --scale robust --components none").out
    again = structure(X(), n_null=19, random_state=3, scale="robust", n_components=None)
    assert without_file_notes(told) == without_file_notes(str(again))


def test_choose_says_what_the_library_says(run: Run) -> None:
    options = "--columns x,y --k 1:4 --runs 2 --scale standard --splits 2 --pool mean --seed 5"
    told = json.loads(run(f"choose clouds.csv {options} --format json").out)
    again = pt.choose_k(
        X(), ks=range(1, 5), n_runs=2, scale="standard", n_splits=2, pool="mean", random_state=5
    )
    assert (told["k"], told["statement"]) == (again.k, again.statement)
    assert told["rows"] == again.to_dict()["rows"]


def test_choose_tries_one_to_ten_by_itself(run: Run) -> None:
    told = json.loads(run("choose clouds.csv --columns x,y --runs 1 --indices CH --splits 0 --no-structure "
                          "--seed 0 --format json").out)  # fmt: skip
    assert told["ks"] == list(range(1, 11))
    assert not any("structure" in remark["text"] for remark in told["remarks"])


def test_covariance_shapes_and_parameters_reach_the_library(run: Run) -> None:
    shapes = (
        "choose clouds.csv --columns x,y --k 1:3 --runs 1 --splits 0 --no-structure --method gmm --seed 0"
    )
    told = run(f"{shapes} --shapes full,spherical").out
    again = pt.choose_k(
        X(), pt.cluster.GaussianMixtureEM(), range(1, 4), n_runs=1, n_splits=0, structure=False,
        covariance_type=["full", "spherical"], random_state=0,
    )  # fmt: skip
    assert without_file_notes(told) == without_file_notes(str(again))
    swept = json.loads(run(f"{ANSWERING['choose a value']} --format json").out)
    assert (swept["parameter"], swept["tried"]) == ("eps", [0.5, 2])
    steady = json.loads(
        run("stability clouds.csv --columns x,y --method dbscan --parameter eps --values 0.5,2 --repeats 2 "
            "--scheme bootstrap --scale standard --seed 0 --format json").out
    )  # fmt: skip
    assert {row["eps"] for row in steady["rows"]} == {0.5, 2}
    assert steady["provenance"]["scale"] == "standard"


def test_ready_clusterings_are_chosen_among(run: Run) -> None:
    told = json.loads(run("choose-among clouds.csv --columns x,y --clusterings three,two,cloud --seed 0 "
                          "--format json").out)  # fmt: skip
    table = three_clouds()
    again = pt.choose(X(), {name: table[name].tolist() for name in ("three", "two", "cloud")}, random_state=0)
    assert told["statement"] == again.statement
    assert again.best == "cloud"


def test_each_cluster_of_the_answer_is_told(run: Run) -> None:
    line = "stability clouds.csv --columns x,y --k 2:3 --repeats 3 --seed 0 --by-cluster"
    again = pt.stability(X(), ks=range(2, 4), n_repeats=3, random_state=0)
    assert run(line).out.endswith(f"\n\n{again.by_cluster}\n")
    rows = list(csv.DictReader(io.StringIO(run(f"{line} --format csv").out)))
    assert [float(row["jaccard"]) for row in rows] == [row.jaccard for row in again.clusters]
    assert json.loads(run(f"{line} --format json").out)["by_cluster"] == again.by_cluster.records()


# --- several clusterings ----------------------------------------------------------------------------------


def test_clusterings_are_judged_side_by_side_on_the_same_objects(run: Run) -> None:
    told = json.loads(run("validate clouds.csv --columns x,y --clusterings three,two --format json").out)
    table = three_clouds()
    again = pt.validate(X(), {"three": table["three"].tolist(), "two": table["two"].tolist()})
    assert told["rows"] == again.to_dict()["rows"]
    assert told["statement"] == again.statement
    gaps = table.astype({"two": object})
    gaps.loc[[4, 30], "two"] = None
    gaps.to_csv("gaps.csv", index=False)
    kept = gaps["two"].notna()
    line = "validate gaps.csv --columns x,y --clusterings three,two --indices CH --format json"
    assert run(line).code == 2
    told = json.loads(run(f"{line} --missing drop").out)
    judged = pt.validate(X()[kept], table.loc[kept, "three"].tolist(), indices=["CH"])
    assert told["rows"][0]["three"] == pytest.approx(judged["CH"].value, rel=1e-12)
    assert told["provenance"]["n"] == 58


def test_clusterings_in_a_file_beside_the_data_are_joined_on_identifiers(run: Run) -> None:
    table = three_clouds()
    table[["object_id", "three", "two"]].sample(frac=1, random_state=0).to_csv("runs.csv", index=False)
    line = "validate clouds.csv --columns x,y --clusterings three,two --indices CH --format csv"
    assert run(f"{line} --memberships runs.csv").out == run(line).out


def test_zeros_and_ones_are_labels_where_clusterings_are_named(run: Run) -> None:
    table = three_clouds()
    table["other"] = 1 - table["two"]
    table.to_csv("binary.csv", index=False)
    told = json.loads(run("compare binary.csv --truth-column cloud --clusterings two,other --indices ARI "
                          "--format json").out)  # fmt: skip
    expected = pt.indices.adjusted_rand(table["cloud"], table["two"])
    assert [told["rows"][0][name] for name in ("two", "other")] == [expected, expected]
    soft = run("compare binary.csv --truth-column cloud --found-column two,other --indices ARI --format json")
    assert json.loads(soft.out)["rows"][0]["value"] == expected


def test_columns_that_are_no_memberships_are_sent_to_clusterings(run: Run) -> None:
    for line in (
        "validate clouds.csv --columns x,y --labels three,cloud",
        "compare clouds.csv --truth-column cloud --found-column three,cloud",
    ):
        code, out, err = run(line)
        assert (code, out) == (2, "")
        assert "--clusterings three,cloud if each is a clustering of its own" in err


def test_data_brings_the_indices_of_centres(run: Run) -> None:
    table = three_clouds()
    line = "compare clouds.csv --truth-column cloud --found-column two --indices CI,CSI --format json"
    refused = run(line)
    assert (refused.code, "--data" in refused.err) == (2, True)
    told = json.loads(run(f"{line} --data clouds.csv --columns x,y").out)
    values = {row["index"]: row["value"] for row in told["rows"]}
    for name in ("centroid_index", "centroid_similarity_index"):
        assert values[name] == getattr(pt.indices, name)(X(), table["cloud"], table["two"])
    assert values["centroid_index"] == 1
    shuffled = table.sample(frac=1, random_state=1)
    shuffled[["object_id", *FEATURES]].to_csv("data.csv", index=False)
    table[["object_id", "cloud"]].to_csv("truth.csv", index=False)
    table[["object_id", "two"]].iloc[::-1].to_csv("found.csv", index=False)
    joined = json.loads(run("compare truth.csv found.csv --data data.csv --indices CI,CSI --format json").out)
    assert [row["value"] for row in joined["rows"]] == pytest.approx(list(values.values()), rel=1e-12)


def test_all_shows_every_index(run: Run) -> None:
    for line in ("validate clouds.csv --columns x,y --labels three",
                 "compare clouds.csv --truth-column cloud --found-column three"):  # fmt: skip
        short, whole = run(line).out, run(f"{line} --all").out
        names = [row["index"] for row in json.loads(run(f"{line} --format json").out)["rows"]]
        assert all(f"\n{name} " in whole for name in names)
        assert len(short.splitlines()) < len(whole.splitlines())
        assert run(f"{line} --all --indices VI").code == 2


# --- files that are written -------------------------------------------------------------------------------


def saved(path: str) -> pd.DataFrame:
    return pd.read_csv(path)


def test_labels_of_the_chosen_fit_are_saved_by_name(run: Run) -> None:
    code, _, err = run(f"{CHOOSE} --seed 0 --save-labels out.csv")
    assert (code, err) == (0, "labels of k = 3 written to out.csv: 60 objects\n")
    choice = pt.choose_k(
        X(),
        ks=range(2, 5),
        n_runs=1,
        indices=["CH", "silhouette"],
        n_splits=0,
        structure=False,
        random_state=0,
    )
    table = saved("out.csv")
    assert list(table.columns) == ["object_id", "label"]
    assert table["object_id"].tolist() == three_clouds()["object_id"].tolist()
    assert table["label"].tolist() == choice.partition.labels.tolist()
    assert sorted(path.name for path in Path().iterdir()) == ["clouds.csv", "out.csv"]
    line = "compare clouds.csv out.csv --truth-column cloud --found-column label --indices ARI --format json"
    assert json.loads(run(line).out)["rows"][0]["value"] == 1.0


SOFT = {
    "fuzzy": "membership",
    "gmm": "membership",
    "possibilistic": "typicality",
    "rough": "possible",
    "evidential": "probability",
}


@pytest.mark.parametrize("scale", ["", " --scale robust"])
@pytest.mark.parametrize("method", ["swap", "kmeans", "ward", *SOFT])
def test_every_method_saves_its_clustering(run: Run, method: str, scale: str) -> None:
    line = "choose clouds.csv --columns x,y --k 2:3 --runs 1 --indices silhouette --splits 0 --no-structure"
    code, _, err = run(f"{line} --seed 0 --method {method} --save-labels out.csv --save-k 3{scale}")
    assert code == 0, err
    table = saved("out.csv")
    word = SOFT.get(method)
    soft = [] if word is None else [f"{word}_{j}" for j in range(3)]
    assert list(table.columns) == ["object_id", "label", *soft, *["uncertainty"] * (word is not None)]
    assert pt.indices.adjusted_rand(three_clouds()["cloud"], table["label"]) > 0.9
    if word is None:
        return
    values = table[soft].to_numpy()
    assert (table["uncertainty"].between(0, 1)).all()
    assert (np.argmax(values, axis=1) == table["label"]).mean() > 0.95
    if word in ("membership", "probability"):
        assert values.sum(axis=1) == pytest.approx(1.0)
        assert table["uncertainty"].to_numpy() == pytest.approx(1 - values.max(axis=1))


def test_objects_that_were_left_out_are_named_without_a_label(run: Run) -> None:
    table = three_clouds()
    table.loc[[1, 59], "x"] = np.nan
    table.to_csv("gaps.csv", index=False)
    line = CHOOSE.replace("clouds.csv", "gaps.csv")
    code, _, err = run(f"{line} --seed 0 --missing drop --save-labels out.csv")
    assert code == 0
    assert "60 objects, 2 of them left out and without a label" in err
    rows = list(csv.DictReader(io.StringIO(Path("out.csv").read_text())))
    assert [row["object_id"] for row in rows] == table["object_id"].tolist()
    assert [i for i, row in enumerate(rows) if row["label"] == ""] == [1, 59]
    assert {row["label"] for row in rows} == {"", "0", "1", "2"}
    judged = run("compare gaps.csv out.csv --truth-column cloud --found-column label --missing drop "
                 "--indices ARI --format json")  # fmt: skip
    assert json.loads(judged.out)["rows"][0]["value"] == 1.0


def test_arrays_and_tables_without_names_have_row_numbers(run: Run) -> None:
    values = X().to_numpy(copy=True)
    values[[0, 7], 1] = np.nan
    np.save("x.npy", values)
    line = "choose x.npy --k 3 --runs 1 --indices CH,silhouette --splits 0 --no-structure --seed 0"
    assert run(line).code == 2
    assert run(f"{line} --missing drop --save-labels out.csv --save-k 3").code == 0
    table = saved("out.csv")
    assert table["row"].tolist() == list(range(1, 61))
    assert table.index[table["label"].isna()].tolist() == [0, 7]
    X().to_csv("plain.csv", index=False)
    assert run("choose plain.csv --k 3 --runs 1 --indices CH,silhouette --splits 0 --no-structure --seed 0 "
               "--save-labels out.csv --save-k 3 --overwrite").code == 0  # fmt: skip
    assert list(saved("out.csv").columns) == ["row", "label"]


def test_without_structure_the_answer_is_printed_and_nothing_written(run: Run) -> None:
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(400, 2)), columns=FEATURES).to_csv("one.csv", index=False)
    line = "choose one.csv --seed 0"
    told = json.loads(run(f"{line} --format json").out)
    assert (told["k"], told["strength"]) == (None, "no structure")
    code, out, err = run(f"{line} --save-labels out.csv")
    assert (code, bool(out)) == (2, True)
    assert "--save-labels: no clusters were found, so no labels were written" in err
    assert "--save-k N writes that of k = N, one of 2, 3" in err
    assert not Path("out.csv").exists()
    assert run(f"{line} --save-labels out.csv --save-k 2").code == 0
    assert saved("out.csv")["label"].nunique() == 2


def test_partitas_own_methods_answer_by_default_and_save_their_clusters(run: Run) -> None:
    choice = pt.choose_k(X(), random_state=0)
    told = run("choose clouds.csv --columns x,y --seed 0 --save-labels out.csv")
    assert choice.statement in " ".join(told.out.split())
    assert told.out.splitlines()[1].startswith("3 clusters, clear: ")
    assert "labels of k = 3 written to out.csv: 60 objects" in told.err
    assert saved("out.csv")["label"].tolist() == choice.partition.labels.tolist()
    code, _, err = run("choose clouds.csv --columns x,y --seed 0 --save-labels out.csv --save-k 2 --force")
    assert (code, "labels of k = 2 written" in err) == (0, True)
    assert saved("out.csv")["label"].tolist() == choice.partitions[2].labels.tolist()
    code, _, err = run("choose clouds.csv --columns x,y --seed 0 --save-labels new.csv --save-k 77")
    assert (code, "there is no fit of k = 77" in err) == (2, True)
    assert not Path("new.csv").exists()


def test_distances_are_clustered_as_such(run: Run) -> None:
    points = X().to_numpy()
    np.save("far.npy", np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1)))
    told = json.loads(run("choose far.npy --metric precomputed --seed 0 --format json").out)
    again = pt.choose_k(np.load("far.npy"), metric="precomputed", random_state=0)
    assert (told["k"], told["title"]) == (again.k, again.title) == (3, "60 objects, distances: density trees")


def test_a_value_of_another_parameter_is_saved_too(run: Run) -> None:
    code, _, err = run(f"{CHOOSE_EPS} --seed 0 --save-labels out.csv --save-k 2")
    assert (code, "labels of eps = 2 written" in err) == (0, True)
    from sklearn.cluster import DBSCAN

    assert saved("out.csv")["label"].tolist() == DBSCAN(eps=2).fit_predict(X()).tolist()


def test_an_alignment_names_who_moved_and_saves_the_new_names(run: Run) -> None:
    line = "align clouds.csv --truth-column cloud --found-column three"
    assert "1 of 60 objects are not in the partner of their true cluster: --moved lists them" in run(line).out
    code, out, err = run(f"{line} --moved --format csv --save out.csv")
    assert code == 0
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"object_id": "o00", "truth": "a", "found": "0", "relabelled": "b"}
    ]
    assert "relabelled clustering written to out.csv: 60 objects" in err
    table = saved("out.csv")
    assert table["label"].tolist() == ["b", *three_clouds()["cloud"][1:]]
    assert table["object_id"].tolist() == three_clouds()["object_id"].tolist()


def test_noise_that_is_ignored_moves_no_names(run: Run) -> None:
    table = three_clouds()
    table["three"] = np.repeat([2, 0, 1], 20)
    table.loc[:4, "three"] = -1
    table.loc[50, "three"] = 2
    table.to_csv("noise.csv", index=False)
    line = "align noise.csv --truth-column cloud --found-column three --noise ignore --moved --format csv"
    assert [row["object_id"] for row in csv.DictReader(io.StringIO(run(line).out))] == ["o50"]


def test_memberships_are_relabelled_in_the_order_of_the_true_clusters(run: Run) -> None:
    table = three_clouds()
    soft = pd.DataFrame({"p": 0.1, "q": 0.1, "r": 0.8}, index=range(20))
    soft = pd.concat([soft, soft[["r", "p", "q"]].set_axis(["p", "q", "r"], axis=1),
                      soft[["q", "r", "p"]].set_axis(["p", "q", "r"], axis=1)])  # fmt: skip
    soft.to_csv("soft.csv", index=False)
    table[["cloud"]].to_csv("truth.csv", index=False)
    assert run("align truth.csv soft.csv --save out.csv").code == 0
    out = saved("out.csv")
    assert list(out.columns) == [
        "row",
        "label",
        "membership_a",
        "membership_b",
        "membership_c",
        "uncertainty",
    ]
    assert out["label"].tolist() == table["cloud"].tolist()


def test_no_half_file_is_left_where_writing_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Path, target: Any) -> None:
        raise OSError(28, "No space left on device")

    Path("out.csv").write_text("precious")
    monkeypatch.setattr(Path, "replace", fail)
    code, out, err = run(f"{CHOOSE} --seed 0 --save-labels out.csv --overwrite")
    assert (code, bool(out)) == (2, True)
    assert "--save-labels: this file cannot be written." in err
    assert "No space left on device" in err
    assert Path("out.csv").read_text() == "precious"
    assert sorted(path.name for path in Path().iterdir()) == ["clouds.csv", "out.csv"]


# --- bad input --------------------------------------------------------------------------------------------

BAD = {
    "the input": (
        "choose clouds.csv --save-labels ./clouds.csv --overwrite",
        "--save-labels: this file is read",
    ),
    "a link to the input": ("choose clouds.csv --save-labels link.csv --overwrite", "this file is read"),
    "the found file": (
        "align clouds.csv t.csv --save t.csv --overwrite --column cloud",
        "--save: this file is read",
    ),
    "a directory": ("choose clouds.csv --save-labels folder.csv", "--save-labels: this is a directory"),
    "no folder": ("choose clouds.csv --save-labels none/out.csv", "--save-labels: there is no such folder"),
    "a name too long": (
        f"choose clouds.csv --save-labels {'x' * 300}.csv",
        "--save-labels: this file cannot",
    ),
    "a file that is there": ("choose clouds.csv --save-labels t.csv", "--force replaces it"),
    "no csv": ("choose clouds.csv --save-labels out.txt", "a name that ends in .csv"),
    "standard output": ("choose clouds.csv --save-labels -", "a name that ends in .csv"),
    "a k alone": ("choose clouds.csv --save-k 3", "--save-labels FILE"),
    "overwrite alone": ("choose clouds.csv --overwrite", "--save-labels FILE"),
    "a k that is not tried": ("choose clouds.csv --k 2:4 --save-labels o.csv --save-k 7", "one of 2, 3, 4"),
    "an unknown column": ("structure clouds.csv --columns x,z", "no column named 'z'"),
    "an unknown clustering": ("validate clouds.csv --clusterings three,thre", "did you mean three?"),
    "a clustering twice": (
        "validate clouds.csv --clusterings two,two",
        "--clusterings: a clustering is named twice",
    ),
    "labels beside clusterings": (
        "validate clouds.csv --labels two --clusterings two,three",
        "--labels beside it",
    ),
    "kind beside clusterings": (
        "compare clouds.csv --truth-column cloud --clusterings two,three --found-kind hard",
        "--found-kind beside it",
    ),
    "columns without data": (
        "compare clouds.csv --truth-column cloud --found-column two --columns x",
        "--data FILE",
    ),
    "one to choose among": ("choose-among clouds.csv --clusterings two", "two columns of labels at least"),
    "missing labels": ("choose-among miss.csv --columns x,y --clusterings l,m", '--missing "drop"'),
    "k beyond n": ("choose few.csv --k 2:9", "--k are no numbers of clusters"),
    "splits": (f"{CHOOSE.replace('--splits 0', '--splits -1')}", "--splits is no count"),
    "null": ("structure clouds.csv --columns x,y --null 0", "--null is no count"),
    "components": ("structure clouds.csv --columns x,y --components 3", "--components is no number"),
    "jobs": ("structure clouds.csv --columns x,y --jobs 0", "--jobs is no count"),
    "neighbors": (
        "choose-among clouds.csv --columns x,y --clusterings two,three --neighbors 0",
        "--neighbors",
    ),
    "shapes without a mixture": ("choose clouds.csv --columns x,y --shapes full", "--method gmm"),
    "unknown shapes": (
        "choose clouds.csv --columns x,y --method gmm --shapes dag,full",
        "did you mean diag?",
    ),
    "a method without k": ("choose clouds.csv --columns x,y --method dbscan", "--parameter eps --values"),
    "parameter without values": ("stability clouds.csv --columns x,y --parameter max_iter", "--values"),
    "values without parameter": ("choose clouds.csv --columns x,y --values 1,2", "--parameter"),
    "k beside parameter": (
        "choose clouds.csv --columns x,y --method dbscan --parameter eps --values 1 --k 2",
        "--k beside --parameter",
    ),
    "an unknown parameter": (
        "choose clouds.csv --columns x,y --method dbscan --parameter ep --values 1",
        "--parameter: DBSCAN has no such parameter",
    ),
    "an empty file": ("choose empty.csv", "holds no objects"),
    "one object": ("choose one.csv", "no two objects differ"),
    "one object, structure": ("structure one.csv", "no two objects differ"),
    "equal objects": ("choose equal.csv --columns x,y", "no two objects differ"),
    "equal objects, stability": ("stability equal.csv --columns x,y --k 2:3", "no two objects differ"),
    "constants": ("choose equal.csv", "--columns x,y takes what the rules leave out"),
    "singletons": (
        "align clouds.csv --truth-column cloud --found-column two --noise singletons",
        '--noise "singletons"',
    ),
    "overlap": ("align clouds.csv --truth-column cloud --found-column two --min-overlap 2", "--min-overlap"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_the_words_of_the_options(run: Run, case: str) -> None:
    Path("folder.csv").mkdir()
    Path("t.csv").write_text("cloud\n" + "a\nb\n" * 30)
    Path("link.csv").symlink_to("clouds.csv")
    Path("empty.csv").touch()
    Path("one.csv").write_text("x,y\n1,2\n")
    Path("equal.csv").write_text("x,y\n" + "1,2\n" * 12)
    Path("few.csv").write_text("x,y\n1,2\n2,5\n3,1.5\n")
    Path("miss.csv").write_text("x,y,l,m\n1,2,a,0\n1.5,2.2,,0\n5,6,b,1\n5.5,6,b,1\n")
    before = {path: path.stat().st_mtime_ns for path in Path().iterdir()}
    line, message = BAD[case]
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert message in err
    assert err.split(":")[0].endswith("Error")
    assert "  got:   " in err
    assert "Traceback" not in err
    assert {path: path.stat().st_mtime_ns for path in Path().iterdir()} == before


# --- help -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_every_option_is_explained_and_every_command_has_an_example(name: str) -> None:
    command = commands.commands[name]
    options = [option for option in command.params if option.param_type_name == "option"]
    assert [option.opts for option in options if not getattr(option, "help", None)] == []
    if name not in ("indices", "demo"):
        assert f"  partita {name} " in (command.help or "")


@pytest.mark.parametrize("name", sorted(commands.commands))
def test_examples_name_options_that_there_are(name: str) -> None:
    known = {
        opt for option in commands.commands[name].params for opt in (*option.opts, *option.secondary_opts)
    }
    used = {word for word in (commands.commands[name].help or "").split() if word.startswith("--")}
    assert {word.rstrip(".,;:)") for word in used} <= known


def test_parameters_that_options_stand_for_are_of_the_library() -> None:
    options = {option.name for command in commands.commands.values() for option in command.params}
    assert set(PARAMETERS) <= options
