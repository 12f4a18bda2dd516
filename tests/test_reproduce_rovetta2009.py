"""rovetta2009, run again: Table 2 exactly, the sweeps, Iris, and what its statements come to."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import partita.experiments as experiments
from partita.experiments.findings import Printed, printed_values
from partita.experiments.rovetta2009.iris import WITNESS, witness_labels
from partita.experiments.rovetta2009.proof import SIZE, demand, pairs_together, together_in_the_first
from partita.experiments.rovetta2009.toys import possible_sizes
from partita.plots import picture
from printed_papers import paper_text

COLUMNS = ("Average", "Rand", "Student", "Correl.", "Jaccard")


@pytest.fixture(scope="module")
def again() -> experiments.Reproduction:
    return experiments.reproduce("rovetta2009")


def by_said(part, said: str):
    (found,) = [finding for finding in part.findings if finding.printed.startswith(said)]
    return found


# --- printed ----------------------------------------------------------------------------------------------


def test_the_printed_numbers_are_those_of_the_paper():
    text = paper_text("rovetta2009_coassociation_indices")
    rows = re.findall(r"^(toy\d|Complete|\w+ vs \w+)\t([\d.]+\t[\d.]+\t[\d.]+\t[\d.]+\t[\d.]+)$", text, re.M)
    printed = printed_values("rovetta2009")
    assert [p.text for p in printed] == [cell for _, cells in rows for cell in cells.split("\t")]
    assert [p.row.split(", ")[-1] for p in printed[::5]] == [name for name, _ in rows]
    assert [p.column for p in printed] == list(COLUMNS) * 14
    assert [p.row.split(", ")[0] for p in printed[30:]] == ["crisp"] * 20 + ["fuzzy"] * 20


# --- Table 2 ----------------------------------------------------------------------------------------------


def test_all_of_table_2(again):
    part = again.parts["table2"]
    assert len(part.findings) == 30
    assert all(finding.outcome == "reproduced" for finding in part.findings)
    assert again.score_of("table2").startswith("30 of 30 of")


def test_each_misprint_is_shown(again):
    (table,) = again.parts["table2"].tables
    rows = {row[0]: row for row in table.rows}
    assert list(rows) == list(COLUMNS)
    assert [column for column in COLUMNS if rows[column][3].strong] == list(COLUMNS[:4])
    # toy4: 4 + 4 + 4 objects of 12 and 2 + 2 + 2 of 6 against 12 and 6; by hand
    pairs, first, second, both = 18 * 17 / 2, 15 + 66, 3 * 15, 3 * 1 + 3 * 6
    assert rows["Average"][3].value == pytest.approx((first - second) / pairs)
    assert rows["Rand"][3].value == pytest.approx((first + second + 1) / pairs)
    assert rows["Rand"][5] == pytest.approx((first + second - 2 * both) / pairs)
    assert rows["Student"][3].value == pytest.approx(pairs * rows["Student"][5])
    assert rows["Correl."][3].value == pytest.approx(rows["Correl."][5] / 2)


def test_only_18_objects_fit_the_digits(again):
    assert possible_sizes() == [18]
    assert any("for 18 only; we take 18" in remark for remark in again.parts["table2"].remarks)


# --- Figure 1 and the statements --------------------------------------------------------------------------


def test_the_sweeps_by_hand(again):
    (figure,) = again.parts["fig1"].figures.values()
    values = {(r["panel"][0], r["series"], int(r["x"])): r["y"] for r in figure.records}
    assert len(values) == 3 * 5 * 11
    for step in range(11):
        truth, moved = np.repeat([0, 1], 10), np.repeat([0, 1], 10)
        moved[:step] = 1
        together = [np.equal.outer(side, side)[np.triu_indices(20, 1)] for side in (truth, moved)]
        apart, either = np.mean(together[0] != together[1]), np.mean(together[0] | together[1])
        assert values["1", "Rand", step] == pytest.approx(apart)
        assert values["1", "Average", step] == pytest.approx(2 * apart)
        assert values["1", "Jaccard", step] == pytest.approx(apart / either)
    assert values["1", "Correl.", 10] is None
    jaccard = [values["1", "Jaccard", step] for step in range(11)]
    assert int(np.argmax(jaccard)) == 7
    assert max(values["3", "Correl.", step] for step in range(10)) < 1e-9
    assert "Jaccard falls from step 7 on" in figure.title
    assert "Correl. does not move" in figure.title


def test_what_its_statements_come_to(again):
    part = again.parts["statements"]
    formulas = {f.printed.split(":")[0]: f.outcome for f in part.findings[:5]}
    assert formulas == dict.fromkeys(COLUMNS[:4], "not reproduced") | {"Jaccard": "reproduced"}
    zero = [f for f in part.findings if "value 0 for equal partitions" in f.printed]
    assert [f.outcome for f in zero] == ["reproduced", "not reproduced"]
    assert "Rand 0.4352, Jaccard 0.5976" in zero[1].obtained
    growth = [f for f in part.findings if "monotonically" in f.printed]
    assert [f.outcome for f in growth] == ["not reproduced", "reproduced", "not reproduced"]
    assert "Jaccard falls from step 7 on" in growth[0].obtained
    assert "Correl. stays at 0" in growth[2].obtained
    assert by_said(part, "there are cases").outcome == "reproduced"
    hard = [f for f in part.findings if "Versicolor and Virginica is hard" in f.printed]
    assert [f.outcome for f in hard] == ["reproduced", "not reproduced"]


# --- Iris -------------------------------------------------------------------------------------------------


def test_iris_as_described_is_not_the_printed_table(again):
    part = again.parts["table3"]
    assert len(part.findings) == 40
    assert {finding.outcome for finding in part.findings} == {"not reproduced"}
    ours = {row[:3]: row[3:] for row in part.tables[0].rows}
    expected = [0.2525, 0.1263, 0.2069, 0.2855, 0.3212]
    assert ours["crisp", "Complete", "ours, 3 centroids"] == pytest.approx(expected, abs=5e-5)
    fuzzy = [0.3059, 0.1529, 0.2763, 0.1927, 0.3764]
    assert ours["fuzzy", "Complete", "ours, 3 centroids"] == pytest.approx(fuzzy, abs=5e-5)
    worst = [0.5701, 0.2851, 0.4050, 0.5701, 0.4454]
    assert ours["crisp", "Virginica vs Versicolor", "ours, 2 centroids"] == pytest.approx(worst, abs=5e-5)


def rows_of_table_3() -> dict[tuple[str, str], dict[str, Printed]]:
    rows: dict[tuple[str, str], dict[str, Printed]] = {}
    for one in printed_values("rovetta2009"):
        if one.table == "Table 3":
            case, name = one.row.split(", ")
            rows.setdefault((case, name), {})[one.column] = one
    return rows


def test_rows_that_no_data_can_give():
    """The share of pairs together in either is Rand / Jaccard; two classes of 50 alone have 2450 of 4950."""
    rows = rows_of_table_3()
    shares = {place: row["Rand"].value / row["Jaccard"].value for place, row in rows.items()}
    low = {place: share for place, share in shares.items() if place[1] != "Complete" and share < 2450 / 4950}
    assert [round(share, 3) for share in low.values()] == [0.376, 0.263, 0.342, 0.276]
    told = {place: demand(row, 3 if place[1] == "Complete" else 2).impossible for place, row in rows.items()}
    assert [place for place, why in told.items() if not why] == [("crisp", "Complete")]
    assert {place for place, why in told.items() if "together in either clustering" in why} == set(low)
    assert sum("need a Correl. of" in why for why in told.values()) == 3


@pytest.mark.parametrize("seed", range(40))
def test_no_row_of_data_is_called_impossible(seed):
    """Distances of drawn clusterings, rounded as a table is; by the means over pairs, not by our formulas."""
    rng = np.random.default_rng(seed)
    species = int(rng.integers(2, 4))
    truth = np.repeat(np.arange(species), SIZE)
    U = rng.dirichlet(np.full(rng.integers(2, 5), 10 ** rng.uniform(-3, 1)), len(truth))
    if seed % 3:  # clusters that follow the species more or less
        U = (1 - seed / 60) * np.eye(species + 1)[truth][:, : species + 1] + seed / 60 / (species + 1)
        U = U[rng.permutation(len(U))] if seed % 3 == 2 else U
    above = np.triu_indices(len(truth), 1)
    a, b = np.equal.outer(truth, truth)[above] * 1.0, (U @ U.T)[above]
    apart, either = np.mean(a + b - 2 * a * b), np.mean(a + b - a * b)
    assert apart / (apart / either) == pytest.approx(either)
    values = {
        "Average": 2 * np.mean(abs(a - b)),
        "Rand": apart,
        "Student": np.mean(abs(a - b)) / (0.5 + np.var(abs(a - b))),
        "Correl.": 1 - np.corrcoef(a, b)[0, 1],
        "Jaccard": apart / either,
    }
    row = {name: Printed("drawn", "", name, f"{value:.4f}") for name, value in values.items()}
    found = demand(row, species)
    assert found.impossible == ""
    assert found.either.low <= either <= found.either.high
    assert found.variance.low <= np.var(b) <= found.variance.high


def test_the_counts_behind_the_digits(again):
    """Solved by hand once, from the digits: 1159 is no count of two classes of 50, which have 2450."""
    rows = {name: row for (case, name), row in rows_of_table_3().items() if case == "crisp"}
    assert (3675, 4452) in pairs_together(rows["Complete"], 3)
    assert pairs_together(rows["Setosa vs Versicolor"], 2) == [(1159, 1623)]
    assert pairs_together(rows["Setosa vs Virginica"], 2) == [(1159, 2351)]
    assert (1062, 1159) in pairs_together(rows["Virginica vs Versicolor"], 2)
    species = np.repeat([0, 1, 2], 50)
    ones = [x == y for i, x in enumerate(species) for y in species[i + 1 :]]
    assert sum(ones[:4950]) == together_in_the_first(4950) == 1159
    remarks = again.parts["table3"].remarks
    assert remarks[0].startswith("7 of 8 rows are impossible whatever the data")
    assert remarks[1].startswith("the likely cause: 3 of 3 crisp rows of two species have 1159 pairs")


def test_each_number_of_table_3_has_its_cause(again):
    for finding in again.parts["table3"].findings:
        if "crisp, Complete" in finding.where:
            assert "3123 of 11175 pairs" in finding.reason
        else:
            assert finding.reason.startswith("no data can give this row")


def test_the_witness_has_the_counts_it_says(again):
    classes, clusters = witness_labels()
    counts = [[int(np.sum((classes == i) & (clusters == j))) for j in range(3)] for i in range(3)]
    assert counts == [list(row) for row in WITNESS]
    assert any("5 of 5 numbers of the row Complete" in remark for remark in again.parts["table3"].remarks)


def test_the_scatter_has_the_data_and_the_means(again):
    (figure,) = again.parts["fig2"].figures.values()
    X, species = load_iris(return_X_y=True)
    areas = np.column_stack([X[:, 0] * X[:, 1], X[:, 2] * X[:, 3]])
    points = np.array([[r["x"], r["y"]] for r in figure.records])
    np.testing.assert_allclose(np.sort(points[:150], axis=0), np.sort(areas, axis=0))
    means = [areas[species == one].mean(axis=0) for one in range(3)]
    np.testing.assert_allclose(points[150:], means)
    distances = np.linalg.norm(areas[:, None] - np.array(means), axis=2)
    away = [int(np.sum(distances[species == i].argmin(axis=1) != i)) for i in range(3)]
    assert figure.title.endswith(
        f"{away[0]} of 50 Setosa, {away[1]} of 50 Versicolor, {away[2]} of 50 Virginica"
    )


# --- the whole --------------------------------------------------------------------------------------------


def test_quick_is_the_same_and_figures_are_drawn(again):
    quick = experiments.reproduce("rovetta2009", quick=True)
    assert quick.findings == again.findings
    for part in again.parts.values():
        for figure in part.figures.values():
            json.dumps(figure.to_dict())
            assert picture(figure, "svg")


def test_lessons_only_say_what_was_run(again):
    assert len(again.lessons) == 5
    only = experiments.reproduce("rovetta2009", only="table3")
    assert len(only.lessons) == 1
    assert "0 of 40" in only.lessons[0]
