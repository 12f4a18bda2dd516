"""franti2017, run again in small: what must hold of each study, and the printed values against the slides."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import partita as pt
from partita.experiments import Reproduction, reproduce
from partita.experiments.findings import printed_values
from partita.experiments.franti2017 import PAPER
from partita.experiments.franti2017.cluster_level import SETS_OF_EXAMPLE, labels_of, similarity
from partita.experiments.franti2017.external_tables import _best_of_repetitions, distances_to_ward_means
from partita.experiments.franti2017.external_tables import _work as work_external
from partita.experiments.franti2017.selection_tables import (
    READINGS,
    ROWS,
    Curves,
    Sweeps,
    _fits,
    _labels,
    _row,
    curve_of,
    largest_k,
    scaled,
)
from partita.experiments.franti2017.selection_tables import _work as work_k_tables
from partita.experiments.franti2017.sources import printed
from partita.experiments.franti2017.stability import contrast, is_last
from partita.experiments.studies import Part, Run, Study
from shared_data import DATA

SLIDES = Path(__file__).parents[2] / "shared" / "papers" / "franti2017_cluster_validation_slides.txt"


@pytest.fixture
def with_data(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (DATA / "MANIFEST.csv").exists():
        pytest.skip(f"{DATA} is not there; set PARTITA_DATA")
    monkeypatch.setenv("PARTITA_DATA", str(DATA))


@pytest.fixture
def without_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No folder of data, and no network to ask."""
    (tmp_path / "MANIFEST.csv").write_text("file,n,d,k,source,sha256\n")
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))


def run(name: str) -> Part:
    return reproduce("franti2017", quick=True, only=name).parts[name]


def outcomes(part: Part, beginning: str = "") -> list[str]:
    return [finding.outcome for finding in part.findings if finding.where.startswith(beginning)]


# --- printed values ---------------------------------------------------------------------------------------


def lines_of_slides() -> list[list[str]]:
    if not SLIDES.exists():
        pytest.skip(f"{SLIDES} is not there")
    return [
        [cell.strip() for cell in line.split("\t")] for line in SLIDES.read_text(encoding="utf-8").split("\n")
    ]


@pytest.mark.parametrize("table", ["MSE", "ARI", "NMI", "NVD", "CI", "CSI"])
def test_rows_of_the_external_tables_are_lines_of_the_slides(table: str) -> None:
    found = [[c for c in line[1:] if c.strip("-")] for line in lines_of_slides() if len(line) == 9]
    rows = dict.fromkeys(row for row, _ in printed(table))
    assert len(rows) == 11
    for row in rows:
        assert [cell.text for (r, _), cell in printed(table).items() if r == row] in found, row


@pytest.mark.parametrize("table", ["k by K-means", "k by Random Swap"])
def test_rows_of_the_k_tables_are_lines_of_the_slides(table: str) -> None:
    found = [[c for c in line if c] for line in lines_of_slides() if len(line) == 17]
    rows = dict.fromkeys(row for row, _ in printed(table))
    assert len(rows) == 15
    for row in rows:
        assert [row, *(cell.text for (r, _), cell in printed(table).items() if r == row)] in found, row


def test_high_quality_and_matrix_are_in_the_slides() -> None:
    lines = lines_of_slides()
    errors = [line[2] for line in lines if len(line) == 3 and re.fullmatch(r"16\d\.\d\d", line[2])]
    assert [cell.text for cell in printed("High quality").values()] == errors
    rows = dict.fromkeys(row for row, _ in printed("CI matrix"))
    matrix = [[c for c in line[1:] if c and c != "---"] for line in lines if "---" in line]
    for row in rows:
        assert [cell.text for (r, _), cell in printed("CI matrix").items() if r == row] in matrix


def test_unbalance_is_in_the_slides() -> None:
    lines = lines_of_slides()
    for row in ("RS", "AC", "SL", "KM"):
        texts = [cell.text for (r, _), cell in printed("Unbalance").items() if r == row]
        assert [row, *texts] in lines


def test_no_place_is_printed_twice() -> None:
    places = Counter((one.table, one.row, one.column) for one in printed_values("franti2017"))
    assert max(places.values()) == 1


# --- pieces -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pair", "sets"), SETS_OF_EXAMPLE.items())
def test_similarities_of_two_clusters_by_their_definitions(pair: str, sets: tuple[int, int, int]) -> None:
    first, second, shared = sets
    assert similarity(*sets, "jaccard") == pytest.approx(shared / (first + second - shared)), pair
    assert similarity(*sets, "dice") == pytest.approx(2 * shared / (first + second))
    assert similarity(*sets, "braun_banquet") == pytest.approx(shared / max(first, second))


def test_labels_have_the_table_they_were_made_from() -> None:
    table = np.array([[3, 0, 1], [2, 5, 0]])
    rows, columns = labels_of(table)
    counts = np.zeros_like(table)
    np.add.at(counts, (rows, columns), 1)
    assert np.array_equal(counts, table)


def test_ward_error_lies_between_that_of_ward_and_that_after_the_step() -> None:
    X = np.random.default_rng(0).random((200, 2))
    before = float(pt.indices.find("mse")(X, pt.cluster.ward_partition(X, 9, reassign=False)))
    after = float(pt.indices.find("mse")(X, pt.cluster.ward_partition(X, 9)))
    assert after < distances_to_ward_means(X, 9) < before


def test_the_best_of_repetitions_comes_first_with_all_its_values() -> None:
    runs = {"MSE": np.array([3.0, 1.0, 2.0]), "CI": np.array([30.0, 10.0, 20.0])}
    best = _best_of_repetitions(runs)
    assert (best["MSE"][0], best["CI"][0]) == (1.0, 10.0)
    assert np.array_equal(best["CI"], 10 * best["MSE"])


@pytest.mark.parametrize(
    ("column", "chosen", "same"),
    [
        ("S4", 16, True),  # 16(2)
        ("S4", 2, True),
        ("S4", None, False),
        ("S1", 15, True),
        ("S1", 14, False),
    ],
)
def test_a_cell_with_two_numbers_takes_either(column: str, chosen: int | None, same: bool) -> None:
    cell = printed("k by K-means")["Calinski-Harabsz (max)", column]
    assert _fits(cell, chosen) == same


def test_a_cell_without_a_number_takes_no_choice() -> None:
    cell = printed("k by K-means")["SCI * (max)", "R15"]
    assert (cell.text, _row(cell)) == ("NA", "SCI")
    assert _fits(cell, None)
    assert not _fits(cell, 8)


def test_data_of_the_readings() -> None:
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 6.0], [2.0, 5.0, 4.0]])
    assert np.array_equal(scaled(X, "raw"), X)
    assert scaled(X, "unit").tolist() == [[0, 0, 0], [1, 0, 1], [0.5, 0, 0.5]]  # the second has no spread
    z = scaled(X, "z")
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=0), [1, 0, 1])


def test_table_b1_by_loops() -> None:
    """Each formula as the slide prints it, over the objects and centres of each clustering."""
    record = work_k_tables("k by Random Swap", "Iris", "unit", quick=True, seed=3)
    X = scaled(load_iris().data, "unit")
    n, d = X.shape
    curves = Curves(np.array(record.values["ks"]), n, d, record.values["sweeps"][0])
    table = {row: curve_of(curves, "k by Random Swap", "B.1", row) for row in ROWS}
    scatter, logs = {}, {}
    for k in range(1, 13):
        _, labels = _labels("k by Random Swap", X, k, np.random.default_rng([3, k, 0]))
        own = [X[labels == j] for j in range(k)]
        centres = [x.mean(axis=0) for x in own]
        errors = [((x - c) ** 2).sum(axis=1) for x, c in zip(own, centres, strict=True)]
        ssw = scatter[k] = sum(e.sum() for e in errors) / n
        variance = ssw * n / (d * (n - k))
        sizes = np.array([len(x) for x in own])
        likelihood = (
            (sizes * np.log(sizes / n)).sum() - n * d / 2 * np.log(2 * np.pi * variance) - d * (n - k) / 2
        )
        logs[k] = -2 * (likelihood - 0.5 * k * (d + 1) * np.log(sizes).sum())
        assert table["ORI_IBIC"][k - 1] == pytest.approx(logs[k])
        if k == 1:
            continue
        between = [
            ((a - b) ** 2).sum() for i, a in enumerate(centres) for j, b in enumerate(centres) if i != j
        ]
        ssb = 2 / (k * (k - 1)) * sum(between)
        assert table["Calinski-Harabsz"][k - 1] == pytest.approx(ssb / (k - 1) / (ssw / (n - k)))
        assert table["Wb-index"][k - 1] == pytest.approx(k * ssw / ssb)
        assert table["Hartigan"][k - 1] == pytest.approx(np.log(ssb / ssw))
        assert table["Dunn"][k - 1] == pytest.approx(sum(e.max() / e.sum() for e in errors))
        spread = [e.mean() for e in errors]
        worst = [
            max((spread[i] + spread[j]) / ((centres[i] - centres[j]) ** 2).sum() for j in range(k) if j != i)
            for i in range(k)
        ]
        assert table["DBI"][k - 1] == pytest.approx(np.mean(worst))
    drop = {k: (k - 1) ** (2 / d) * scatter[k - 1] - k ** (2 / d) * scatter[k] for k in range(2, 13)}
    for k in range(2, 12):
        assert table["Krzanowski-Lai"][k - 1] == pytest.approx(drop[k] / drop[k + 1])
        assert table["DiffBIC"][k - 1] == pytest.approx(logs[k - 1] + logs[k + 1] - 2 * logs[k])


@pytest.mark.usefixtures("with_data")
def test_the_reading_that_reproduces_most_is_found_and_counted_by() -> None:
    records = {
        f"{table}-{column}-{scaling}": work_k_tables(table, column, scaling, quick=True, seed=1)
        for table in ("k by K-means", "k by Random Swap")
        for column in ("Iris", "Wine")
        for scaling in ("raw", "unit", "z")
    }
    sweeps = Sweeps(records)
    scores = {}
    for reading in READINGS:
        cells = [cell for table in ("k by K-means", "k by Random Swap") for cell in sweeps.cells(table)]
        assert len(cells) == 2 * 2 * 14
        chosen = [sweeps.chosen(cell.table, cell.column, reading, _row(cell)) for cell in cells]
        scores[reading] = sum(
            (str(k) in re.findall(r"\d+", cell.text)) or (k is None and "NA" in cell.text)
            for k, cell in zip(chosen, cells, strict=True)
        )
    best = sweeps.best()
    assert scores[best] == max(scores.values()) > scores[READINGS[0]]
    part = PAPER.study("k_tables").gather(records, Run(quick=True))
    assert outcomes(part, "k by").count("reproduced") == scores[best]
    assert f"{best.words} reproduce most, {scores[best]} of 56 cells" in part.remarks[0]
    for finding in part.findings:
        if finding.outcome == "not reproduced":
            assert finding.reason
            assert "another number of clusters is chosen" not in finding.reason
    ends = [f.reason for f in part.findings if "Ball&Hall" in f.where and f.outcome == "not reproduced"]
    assert ends
    assert all(reason.startswith("not reproducible: the curve is about convex") for reason in ends)
    ratios = [f.reason for f in part.findings if "Krzanowski" in f.where and f.outcome == "not reproduced"]
    assert ratios
    assert all("the denominator of its largest is" in reason for reason in ratios)


def test_the_range_of_k_is_the_printed_choice_of_xu_on_real_sets() -> None:
    sizes = {"Iris": 150, "Wine": 178, "Control": 600, "Image": 2310, "WDBC": 569, "Yeast": 1484}
    for column, n in sizes.items():
        assert largest_k(n) == int(printed("k by Random Swap")["Xu-index (min)", column].text)


# --- studies ----------------------------------------------------------------------------------------------


def test_worked_examples_have_all_printed_values() -> None:
    part = run("examples")
    assert outcomes(part) == ["reproduced"] * 13
    assert any("0.2429" in remark for remark in part.remarks)


def test_psi_behaves_as_the_slides_say() -> None:
    part = run("psi")
    assert set(outcomes(part)) == {"reproduced"}
    assert set(part.figures) >= {
        "random",
        "first",
        "second",
        "imbalance",
        "clusters",
        "overlap",
        "dimensions",
    }
    last = [r for r in part.figures["first"].records if r["series"] == "PSI"][-1]
    assert last["y"] < 0.1  # one cluster has nearly all


def test_random_data_have_clusterings_but_no_structure() -> None:
    part = run("random_data")
    assert outcomes(part) == ["reproduced"] * 2
    assert set(part.figures) == {"k_means", "dbscan", "complete_link"}


@pytest.mark.usefixtures("with_data")
def test_unbalance_and_centroid_index() -> None:
    found = reproduce("franti2017", quick=True, only=["unbalance", "centroid_index"])
    assert outcomes(found.parts["unbalance"]) == ["reproduced"] * 17
    good = [f for f in found.findings if f.where.startswith("Example of centroid index")]
    assert [f.outcome for f in good] == ["reproduced"]
    assert outcomes(found.parts["centroid_index"], "Four solutions, 1") == ["reproduced"] * 2
    assert outcomes(found.parts["centroid_index"], "ARI vs CI") == ["not determinable"] * 6


@pytest.mark.usefixtures("with_data")
@pytest.mark.parametrize(
    ("row", "algorithm", "mse", "ci"),
    [("S2", "RS", 13.28, 0), ("S3", "AC", 17.70, 0), ("S4", "AC", 17.52, 1), ("S4", "GKM", 15.71, 0)],
)
def test_errors_and_centroid_indices_as_printed(row: str, algorithm: str, mse: float, ci: int) -> None:
    values = work_external(row, algorithm, [0]).arrays
    assert values["MSE"][0] / 1e8 == pytest.approx(mse, abs=0.005)
    assert values["CI"][0] == ci
    assert float(printed("MSE")[row, algorithm].text) == mse
    assert float(printed("CI")[row, algorithm].text) == ci


def test_contrast_is_what_is_lost_beyond_the_true_number() -> None:
    ks, values = [14, 15, 16, 17], [0.9, 1.0, 0.7, 0.5]
    assert contrast(ks, values) == pytest.approx(0.4)
    assert is_last(ks, values)
    assert not is_last(ks, [0.9, 0.6, 0.7, 0.5])


@pytest.mark.usefixtures("with_data")
def test_k_tables_of_small_sets() -> None:
    part = run("k_tables")
    swaps = part.tables[3]
    rows = {row[0]: row for row in swaps.rows}
    r15 = swaps.columns.index("R15")
    for index in ("Calinski-Harabsz", "Wb-index", "Xu-index", "SC"):
        assert rows[index][r15] == 15
    assert [row[0].strong for row in part.tables[0].rows].count(True) == 1
    left_out = [f for f in part.findings if "Birch1" in f.where]
    assert {f.outcome for f in left_out} == {"not determinable"}


@pytest.mark.usefixtures("without_data")
@pytest.mark.parametrize("study", PAPER.studies, ids=lambda study: study.name)
def test_what_needs_absent_data_says_so(study: Study) -> None:
    """Nothing breaks without data, and no number is called reproduced that was not computed."""
    missing = {name: f"the way to {name}" for name in study.data}
    nothing = Run(quick=True, missing=missing)
    tasks = study.plan(nothing)
    if not study.data or tasks:
        return  # it runs on data of its own
    part = study.gather({}, nothing)
    computed = [f for f in part.findings if f.outcome == "reproduced"]
    assert all(f.where.startswith("Four solutions, 1") for f in computed)  # of points of its own
    assert part.findings or part.remarks


def test_lessons_come_only_from_what_was_run() -> None:
    assert PAPER.lessons({}) == []
    found: Reproduction = reproduce("franti2017", quick=True, only="psi")
    assert len(found.lessons) == 1
    assert found.parts["psi"].figures["random"].title in found.lessons[0]
