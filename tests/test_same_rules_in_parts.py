"""Files above 512 MB follow the rules of smaller ones: what is left out, refused and joined."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import partita as pt
from command_runs import runner
from partita.errors import MismatchError, PartitaError, PartitionError
from partita.files import chunked_joining, read_partition, saved_arrays, scans, text_scans
from partita.files.reading import ClusteringFile, read_two
from partita.files.text import Writing

LARGE = 1500
"""Bytes above which files are read in parts here."""


@pytest.fixture(autouse=True)
def small_files_are_large(monkeypatch):
    monkeypatch.setattr(scans, "LARGEST_IN_MEMORY", LARGE)
    monkeypatch.setattr(text_scans, "PART_BYTES", 200)
    monkeypatch.setattr(saved_arrays, "ARRAY_BYTES", 200)


@pytest.fixture
def run(capsys):
    return runner(capsys)


@dataclass
class Tables:
    """Two tables of the same objects in other lines; the first is large, the second small."""

    large: pd.DataFrame
    small: pd.DataFrame

    def read(self, folder, *, in_chunks=None, **options):
        """What both hold, or what is wrong with them."""
        asked = {"id_column": None, "by_row": False, "writing": Writing(), "missing": "raise", **options}
        paths = folder / "large.csv", folder / "small.csv"
        for table, path in zip((self.large, self.small), paths, strict=True):
            table.to_csv(path, index=False)
        assert scans.is_large(paths[0])
        assert not scans.is_large(paths[1])
        sides = [ClusteringFile(path, ["label"]) for path in paths]
        return read_two(*sides, in_chunks=in_chunks, **asked)


def tables(keys=None, seed=0):
    """Some 300 objects, and 100 of them in a small table."""
    rng = np.random.default_rng(seed)
    keys = [f"k{i}" for i in rng.permutation(300)] if keys is None else keys
    large = pd.DataFrame({"id": keys, "label": rng.choice(["1", "2", "7"], len(keys))})
    small = large.sample(100, random_state=seed).assign(label=rng.choice(["u", "v"], 100))
    return Tables(large.reset_index(drop=True), small.reset_index(drop=True))


def only_in_large(made):
    """The places of objects that the small table does not have."""
    return np.flatnonzero(~made.large.id.isin(made.small.id))


def told(read, folder, in_chunks, **options):
    """What is wrong, or how the two clusterings agree and what is said."""
    try:
        made = read(folder, in_chunks=in_chunks, **options)
    except PartitaError as problem:
        return type(problem), problem.what
    compared = pt.compare(made.first, made.second, indices=["ARI", "VI", "rand"])
    values = [compared[index].value for index in ("ARI", "VI", "rand")]
    return made.first.n_objects, [float.hex(value) for value in values], sorted(made.notes)


def test_the_first_file_is_read_in_parts_unasked(tmp_path, monkeypatch):
    read = []
    usual = text_scans.TextScan.part
    monkeypatch.setattr(text_scans.TextScan, "part", lambda self, i: read.append(i) or usual(self, i))
    tables().read(tmp_path)
    assert len(set(read)) > 5


# --- objects are left out ---------------------------------------------------------------------------------


@pytest.mark.parametrize("gaps", ["large", "small", "both"])
def test_objects_without_a_label_are_left_out_of_files_that_are_joined(tmp_path, run, gaps):
    """It was refused where one of two joined files is small."""
    made = tables()
    if gaps != "small":
        made.large.loc[::7, "label"] = None
    if gaps != "large":
        made.small.loc[::5, "label"] = "NA"
    whole, parts = (told(made.read, tmp_path, how, missing="drop") for how in (False, None))
    assert whole == parts
    assert parts[0] < 100
    assert any(note.startswith("missing values: ") for note in parts[2])
    files = f"{tmp_path / 'large.csv'} {tmp_path / 'small.csv'}"
    both = run(f"compare {files} --truth label --labels label --missing drop")
    assert both.code == 0, both.err


def test_weights_are_those_of_the_objects_that_are_kept(tmp_path):
    made = tables()
    made.small["weight"] = np.arange(100) % 4
    made.small.loc[::5, "label"] = "NA"
    made.read(tmp_path, missing="drop")  # writes the files
    sides = [ClusteringFile(tmp_path / name, ["label"]) for name in ("small.csv", "large.csv")]
    read = [
        read_two(
            *sides,
            id_column="id",
            by_row=False,
            writing=Writing(),
            missing="drop",
            weight="weight",
            in_chunks=in_chunks,
        )
        for in_chunks in (False, True)
    ]
    values = [pt.compare(one.first, one.second, sample_weight=one.weights)["ARI"].value for one in read]
    assert values[0] == values[1]


ARRAYS = ["labels.npy gaps.npy", "gaps.npy labels.npy", "table.csv gaps.npy", "labels.npy gap_labels.npy"]


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    soft = rng.dirichlet(np.ones(3), 200)
    soft[[3, 77, 199], [0, 2, 1]] = np.nan
    labels = rng.integers(0, 3, 200)
    np.save("gaps.npy", soft)
    np.save("fortran.npy", np.asfortranarray(soft))
    np.save("labels.npy", labels)
    np.save("gap_labels.npy", np.where(np.arange(200) % 9 == 4, np.nan, labels))
    pd.DataFrame({"label": rng.integers(0, 4, 200)}).replace({"label": {3: None}}).to_csv(
        "table.csv", index=False
    )
    return soft, labels


@pytest.mark.parametrize("files", ARRAYS)
def test_objects_are_left_out_of_arrays(arrays, run, files):
    """Arrays in parts refused it, and those in memory did as if nobody had asked."""
    command = f"compare {files} --missing drop --indices ARI,VI,frobenius_rand --format csv"
    whole, parts = (run(f"{command} {how}") for how in ("--in-memory", "--in-chunks"))
    assert whole.code == parts.code == 0, (whole.err, parts.err)
    rows = [[line.split(",") for line in one.out.splitlines()[1:]] for one in (whole, parts)]
    assert [row[0] for row in rows[0]] == [row[0] for row in rows[1]]
    for one, other in zip(*rows, strict=True):
        assert float(one[2]) == pytest.approx(float(other[2]), rel=1e-12)
    said = [{line for line in one.err.splitlines() if line.startswith("missing")} for one in (whole, parts)]
    assert said[0] == said[1]
    assert len(said[0]) >= 2
    assert run(f"compare {files} --in-chunks").code == run(f"compare {files} --in-memory").code == 2


@pytest.mark.parametrize("file", ["gaps.npy", "fortran.npy"])
def test_objects_are_left_out_of_data_in_arrays(arrays, run, file):
    soft, labels = arrays
    known = ~np.isnan(soft).any(axis=1)
    expected = pt.indices.calinski_harabasz(soft[known], labels[known])
    for how in ("--in-memory", "--in-chunks"):
        command = f"validate {file} --memberships labels.npy --missing drop --indices CH --format csv {how}"
        outcome = run(command)
        assert outcome.code == 0, outcome.err
        value = float(outcome.out.splitlines()[1].split(",")[2])
        assert value == pytest.approx(expected, rel=1e-12)


def test_one_array_without_what_is_missing(arrays):
    soft, labels = arrays
    part = read_partition("gaps.npy", missing="drop")
    np.testing.assert_array_equal(part.memberships(), soft[~np.isnan(soft).any(axis=1)])
    assert read_partition("gap_labels.npy", missing="drop").labels.tolist() == [
        label for i, label in enumerate(labels.tolist()) if i % 9 != 4
    ]
    assert read_partition("gap_labels.npy", missing="noise").noise_mask.sum() == 22
    with pytest.raises(PartitionError, match="labels are missing"):
        read_partition("gap_labels.npy")
    with pytest.raises(PartitionError, match="not finite"):
        read_partition("gaps.npy", missing="noise")


# --- identifiers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id_column", [None, "id"])
@pytest.mark.parametrize("most", [1 << 24, 40])
def test_an_identifier_that_is_twice_in_one_file_and_nowhere_in_the_other(
    tmp_path, monkeypatch, id_column, most
):
    """It was refused in memory, and in parts the object was left out like any other."""
    monkeypatch.setattr(chunked_joining, "MOST_HASHED", most)
    made = tables()
    alone = only_in_large(made)
    made.large.loc[alone[-1], "id"] = made.large.loc[alone[0], "id"]
    for in_chunks in (False, None):
        with pytest.raises(MismatchError, match="repeated"):
            made.read(tmp_path, in_chunks=in_chunks, id_column=id_column)
    assert made.large.loc[alone[0], "id"] in str(told_problem(made, tmp_path, id_column).got)


def test_identifiers_of_one_file_are_looked_at_where_they_are_named(tmp_path, run):
    made = tables()
    made.large["found"] = made.large.label
    for row, code in ((0, 0), (299, 2)):
        made.large.loc[0, "id"] = made.large.loc[row, "id"]
        made.large.to_csv(tmp_path / "a.csv", index=False)
        for how in ("--in-memory", "--in-chunks"):
            command = f"compare {tmp_path / 'a.csv'} --truth label --labels found --id id {how}"
            outcome = run(command)
            assert outcome.code == code, outcome.err
            assert ("repeated" in outcome.err) == bool(code)


def told_problem(made, folder, id_column):
    with pytest.raises(MismatchError) as caught:
        made.read(folder, id_column=id_column)
    return caught.value


@pytest.mark.parametrize("most", [1 << 24, 40])
def test_identifiers_that_are_spelled_otherwise_are_not_repeated(tmp_path, monkeypatch, most):
    """In some parts they are whole numbers, in others texts."""
    monkeypatch.setattr(chunked_joining, "MOST_HASHED", most)
    keys = [*np.random.default_rng(1).permutation(300).astype(str), *(f"0{i}" for i in range(8))]
    made = tables(keys)
    whole, parts = (told(made.read, tmp_path, how, id_column="id") for how in (False, None))
    assert whole == parts


def test_equal_hashes_of_different_identifiers_are_no_repetition(tmp_path, monkeypatch):
    usual = chunked_joining._hashed
    monkeypatch.setattr(chunked_joining, "_hashed", lambda texts: usual(texts) % np.uint64(16))
    made = tables()
    assert made.read(tmp_path).first.n_objects == 100
    made.large.loc[only_in_large(made)[:2], "id"] = "twice"
    assert "'twice' 2 times" in str(told_problem(made, tmp_path, None).got)


# --- labels -----------------------------------------------------------------------------------------------

ALONE = {
    "two spellings": (["007", "7"], "one label is spelled in two ways."),
    "no label": (["", "1"], "labels are missing."),
    "a text that stands for none": (["?", "1"], "labels are numbers, and some stand for none."),
}


@pytest.mark.parametrize("case", ALONE)
@pytest.mark.parametrize("order", ["sorted", "mixed"])
def test_labels_of_objects_that_only_one_file_has_follow_the_rules(tmp_path, case, order):
    """The labels of a file were looked at after these objects were left out: 007 and 7 passed."""
    keys = [f"k{i:03}" for i in range(300)] if order == "sorted" else None
    made = tables(keys)
    if order == "sorted":
        made.small = made.small.sort_values("id")
    (made.large.loc[only_in_large(made)[0], "label"], _), what = ALONE[case][0], ALONE[case][1]
    for in_chunks in (False, None):
        with pytest.raises(PartitionError) as caught:
            made.read(tmp_path, in_chunks=in_chunks)
        assert caught.value.what == what
        assert "large.csv" in str(caught.value.got)


def test_labels_of_objects_that_are_left_out_say_whether_labels_are_numbers(tmp_path):
    made = tables()
    made.large.loc[only_in_large(made)[0], "label"] = "seven"
    names = [made.read(tmp_path, in_chunks=how).first.names for how in (False, None)]
    assert names == [("1", "2", "7", "seven"), ("1", "2", "7")]


def test_gaps_of_objects_that_only_one_file_has_are_left_out_too(tmp_path):
    made = tables()
    made.large.loc[only_in_large(made)[:3], "label"] = None
    whole, parts = (told(made.read, tmp_path, how, missing="drop") for how in (False, None))
    assert whole == parts
    assert parts[0] == 100


def test_memberships_of_objects_that_are_left_out_decide_the_kind(tmp_path):
    rng = np.random.default_rng(2)
    keys = [f"k{i:03}" for i in rng.permutation(300)]
    truth = np.eye(3)[rng.integers(0, 3, 300)]
    truth[250:] = 1 / 3
    large = pd.DataFrame(truth, columns=list("abc")).assign(id=keys)
    small = pd.DataFrame({"id": keys[:100], "label": rng.integers(0, 2, 100)}).sample(frac=1, random_state=1)
    large.to_csv(tmp_path / "large.csv", index=False)
    small.to_csv(tmp_path / "small.csv", index=False)
    sides = (
        ClusteringFile(tmp_path / "large.csv", list("abc")),
        ClusteringFile(tmp_path / "small.csv", ["label"]),
    )
    options = {"id_column": "id", "by_row": False, "writing": Writing(), "missing": "raise"}
    kinds = [read_two(*sides, in_chunks=how, **options).first.kind for how in (False, None)]
    assert kinds[0] == kinds[1] == "fuzzy"
    large.loc[299, "a"] = 5.0
    large.to_csv(tmp_path / "large.csv", index=False)
    for how in (False, None):
        with pytest.raises(PartitionError):
            read_two(*sides, in_chunks=how, **options)


def test_pairs_of_files_are_read_alike(tmp_path):
    """Of 2,778 such pairs 18 were refused in memory and accepted in parts."""
    rng = np.random.default_rng(7)
    outcomes = []
    for seed in range(40):
        made = tables(seed=seed)
        alone = only_in_large(made)
        for table, column in (
            (made.large, "id"),
            (made.large, "label"),
            (made.small, "id"),
            (made.small, "label"),
        ):
            if rng.random() < 0.2:
                row = rng.choice(alone if table is made.large else len(table))
                table.loc[row, column] = rng.choice(["", "007", "7", table.loc[0, column]])
        options = {"missing": rng.choice(["raise", "drop"]), "id_column": rng.choice(["id", None])}
        whole, parts = (told(made.read, tmp_path, how, **options) for how in (False, None))
        is_refused = [isinstance(one[0], type) for one in (whole, parts)]
        assert is_refused[0] == is_refused[1], (seed, whole, parts)
        if not is_refused[0]:
            assert whole == parts
        outcomes.append(is_refused[0])
    assert 5 < sum(outcomes) < 35
