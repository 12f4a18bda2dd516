"""lagofernandez2009 in small: identities of PNC and ICL on real fits, and what must hold of the choices."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import partita as pt
from partita.datasets import make_lagofernandez2009_pair, make_lagofernandez2009_problem
from partita.experiments import reproduce
from partita.experiments.findings import printed_values
from partita.experiments.lagofernandez2009 import (
    CRITERIA,
    KS,
    WEIGHTS,
    _share_finding,
    choices_of,
    fitted,
    values_of,
)
from test_experiments import PAPERS_FOLDER


def test_at_a_fixed_point_icl_is_pnc_with_a_penalty():
    """ICL = 2 n PNC + p log n + n d log(2 pi e) for converged fits without a ridge."""
    X = make_lagofernandez2009_problem(size=200, random_state=1).X
    n, d = X.shape
    for k in (2, 3):
        model = pt.cluster.GaussianMixtureEM(k, tol=1e-12, max_iter=5000, reg_covar=0.0, random_state=0).fit(
            X
        )
        _, _, icl, pnc = values_of(X, model)
        p = k * d * (d + 1) / 2 + k * d + k - 1
        assert icl == pytest.approx(2 * n * pnc + p * math.log(n) + n * d * math.log(2 * math.pi * math.e))


def test_pnc_never_chooses_fewer_components_than_icl():
    for seed in range(3):
        X = make_lagofernandez2009_problem(size=150, random_state=seed).X
        chosen = dict(zip(CRITERIA, choices_of(X, [0, 1], 500)[0], strict=True))
        assert chosen["PNC"] >= chosen["ICL"]


def test_the_entropy_of_icl_is_weighed_by_its_definition():
    """BIC plus twice the weighed entropy of the responsibilities, from the fits themselves."""
    X = make_lagofernandez2009_pair("gamma", 5.0, random_state=4).X
    seeds = [3]
    chosen, _, weighed = choices_of(X, seeds, 60)
    fits = [(k, fitted(X, k, seed, 60)) for k in KS for seed in seeds]
    own = []
    for weight in WEIGHTS:
        values = []
        for _, model in fits:
            r = model.predict_proba(X)
            entropy = -np.sum(r * np.log(np.where(r > 0, r, 1.0)))
            values.append(pt.indices.find("bic")(X, model) + weight * 2.0 * entropy)
        own.append(fits[int(np.argmin(values))][0])
    assert weighed == own
    assert weighed[-1] == chosen[list(CRITERIA).index("ICL")]  # the last weight is 1
    assert len(set(weighed)) > 1


def test_what_is_not_reproduced_has_what_else_was_tried():
    found = reproduce("lagofernandez2009", quick=True, only=["examples", "table1"], n_jobs=1)
    tables = [table for part in found.parts.values() for table in part.tables]
    assert sum(table.columns[0] == "weight of the entropy in ICL" for table in tables) == 2
    for finding in found.findings:
        if finding.outcome == "not reproduced":
            assert re.search("weigh|iterations", finding.reason), finding
    assert not any("weights of the entropy" in lesson for lesson in found.lessons)  # it needs Fig. 3 too


def test_shares_are_held_against_the_error_of_their_difference():
    printed = next(p for p in printed_values("lagofernandez2009") if p.text == "76.0")
    assert _share_finding(printed, 80.0, 1000).outcome == "reproduced"
    assert _share_finding(printed, 84.0, 1000).outcome == "not reproduced"
    assert _share_finding(printed, 84.0, 50).outcome == "reproduced"


def test_the_examples_come_to_the_numbers_of_the_figures():
    found = reproduce("lagofernandez2009", quick=True, only="examples", n_jobs=2)
    obtained = {f.where: f.obtained for f in found.findings}
    for criterion in ("BIC", "ICL", "PNC"):
        assert obtained[f"Fig. 1, n_c, {criterion}"] == "3"
    assert obtained["Fig. 2, n_c, PNC"] == "3"
    assert int(obtained["Fig. 2, n_c, BIC"]) > 3
    figures = found.parts["examples"].figures
    drawn = [criterion for name in figures for criterion in name.split("-")[1:]]
    assert sorted(drawn) == sorted([*CRITERIA, *CRITERIA])


def test_printed_values_are_those_of_the_text():
    path = PAPERS_FOLDER / "lagofernandez2009_partition_negentropy.txt"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    text = path.read_text(encoding="utf-8")
    by_row: dict[str, list[str]] = {}
    for one in printed_values("lagofernandez2009"):
        if one.table == "Table 1":
            by_row.setdefault(one.row[0], []).append(one.text)
    assert len(by_row) == 5
    for k, values in by_row.items():
        assert re.search(rf"^{k}\s+" + r"\s+".join(map(re.escape, values)) + r"\s*$", text, re.MULTILINE), k
    assert np.isclose(sum(float(values[0]) for values in by_row.values()), 100)
