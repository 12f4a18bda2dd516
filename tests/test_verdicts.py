"""Small versions of the papers still come to what was committed beside the verdicts at full size."""

from __future__ import annotations

import json

import pytest

from partita.experiments import PAPERS, find_paper, reproduce
from shared_data import DATA
from verdicts import COMMITTED, PAGES, disagreements

QUICK = {
    ("rovetta2009", "table2"),
    ("rovetta2009", "statements"),
    ("lagofernandez2009", "examples"),
    ("lei2014", "consensus"),
    ("franti2017", "examples"),
    ("franti2017", "psi"),
    ("franti2017", "stability_cases"),
}
"""Parts that take some seconds; the others are behind the marker `full`. The theorems of campagner2022 are
held to what was committed by its own tests, which run them."""

PARTS = [
    pytest.param(paper, study.name, marks=() if (paper, study.name) in QUICK else pytest.mark.full)
    for paper in PAPERS
    for study in find_paper(paper).studies
]


@pytest.mark.parametrize(("paper", "part"), PARTS)
def test_the_small_version_agrees_with_the_committed_verdicts(paper, part, monkeypatch):
    missing = [name for name in find_paper(paper).study(part).data if not (DATA / f"{name}.csv.gz").exists()]
    if missing:
        pytest.skip(f"{DATA} does not have {', '.join(missing)}; set PARTITA_DATA")
    monkeypatch.setenv("PARTITA_DATA", str(DATA))
    assert disagreements(reproduce(paper, quick=True, only=part)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_is_committed_with_its_figures_and_the_score_of_its_verdicts(paper):
    page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
    for line in page.splitlines():
        if line.startswith("!["):
            assert (PAGES / line.rpartition("(")[2].rstrip(")")).stat().st_size > 500, line
    verdicts = json.loads(COMMITTED.read_text(encoding="utf-8"))[paper]
    outcomes = [sizes["full"] for part in verdicts.values() for sizes in part.values() if "full" in sizes]
    assert (
        f"- {outcomes.count('reproduced')} of {len(outcomes)} numbers and statements are reproduced" in page
    )


def test_all_figures_together_are_small():
    assert sum(path.stat().st_size for path in (PAGES / "figures").iterdir()) < 2_000_000
