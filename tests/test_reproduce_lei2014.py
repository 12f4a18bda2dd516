"""lei2014 in small: what must hold of the eight indices, and that success is counted as the paper says."""

from __future__ import annotations

import re

import numpy as np
import pytest

from partita.experiments import reproduce
from partita.experiments.findings import printed_values
from partita.experiments.lei2014.protocol import GOOD, INDICES, chosen, rate_of
from shared_data import DATA
from test_experiments import PAPERS_FOLDER


def test_success_is_counted_run_by_run():
    """By hand: three numbers of clusters, four runs, one index; the best of each run is counted."""
    cs = [2, 3, 4]
    values = np.zeros((3, 4, len(INDICES)))
    ari = list(INDICES).index("ARI")
    values[:, :, ari] = [[0.1, 0.9, 0.2, 0.3], [0.8, 0.2, 0.7, 0.4], [0.3, 0.1, 0.6, np.nan]]
    assert chosen("ARI", cs, values[:, :, ari]).tolist() == [3, 2, 3, 3]
    assert rate_of("ARI", cs, values, 3) == 0.75
    vi = list(INDICES).index("VI")
    values[:, :, vi] = values[:, :, ari]
    assert chosen("VI", cs, values[:, :, vi]).tolist() == [2, 4, 2, 2]  # the smallest; nan is none


@pytest.fixture(scope="module")
def synthetic():
    return reproduce("lei2014", quick=True, only=["fig1", "synthetic", "consensus"], n_jobs=2)


def test_six_indices_are_far_ahead_of_two(synthetic):
    (row,) = [r for r in synthetic.parts["synthetic"].tables[0].rows if r[0] == "all"]
    rates = dict(zip(INDICES, map(float, row[1:]), strict=True))
    assert min(rates[i] for i in GOOD) > 50 > 40 > max(rates["MI"], rates["NMI_min"])
    assert rates["NMI_joint"] == rates["NMI_sum"]  # monotone in each other
    outcomes = {f.printed: f.outcome for f in synthetic.findings}
    assert outcomes["the first six indices achieve around 70 %"] == "reproduced"
    assert outcomes["MI and NMI_min are far worse than the other six"] == "reproduced"


def test_figures_show_what_the_paper_shows(synthetic):
    assert set(synthetic.parts["fig1"].figures) == {
        "data3_r1_dens1_3",
        "data3_r5_dens1_3",
        "data5_r2_dens1_5",
        "data5_r6_dens1_5",
    }
    assert set(synthetic.parts["synthetic"].figures) == {"fig2", "fig3a", "fig3b", "fig4a", "fig4b"}
    assert set(synthetic.parts["consensus"].figures) == {"fig6", "fig7"}


@pytest.mark.skipif(not (DATA / "haberman.csv.gz").exists(), reason=f"{DATA} does not have the real sets")
def test_permuted_labels_stand_beside_true_ones(monkeypatch):
    monkeypatch.setenv("PARTITA_DATA", str(DATA))
    found = reproduce("lei2014", quick=True, only="real")  # workers of other tests know no PARTITA_DATA
    assert found.parts["real"].remarks[0] == "objects, features and classes of the 3 sets are as in Table IV"
    table = found.parts["real"].tables[0]
    assert [row[1] for row in table.rows[:2]] == ["true", "permuted"]
    vi = table.columns.index("VI")
    haberman = [float(row[vi]) for row in table.rows if row[0] == "haberman"]
    assert haberman[1] > 80  # VI chooses the smallest number, whatever the labels


def test_printed_values_are_those_of_the_text():
    path = PAPERS_FOLDER / "lei2014_soft_information_indices.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    text = path.read_text(encoding="utf-8")
    rows = {}
    for one in printed_values("lei2014"):
        if one.table == "Table IV":
            rows.setdefault(one.row, []).append(one.text)
        else:
            assert f"{one.text}%" in text
    for name, sizes in rows.items():
        assert re.search(rf"^{re.escape(name)}\s+" + r"\s+".join(sizes) + r"\s*$", text, re.MULTILINE), name
