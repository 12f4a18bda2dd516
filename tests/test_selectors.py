"""Indices by family, by paper, all, or those shown first, wherever names are taken."""

from __future__ import annotations

import numpy as np
import pytest

import partita as pt
from partita.errors import KindError, ParameterError, UnknownNameError
from partita.indices import catalogue
from partita.registry import indices, resolve, select
from partita.registry.curves import Curve, curves, select_entries
from partita.registry.families import FAMILIES
from partita.registry.lookup import selector
from stub_clusterer import StubClusterer

TRUTH, FOUND = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
SOFT = [[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.1, 0.9], [0.2, 0.8], [0.3, 0.7]]
X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
OF_TWO = [e for e in catalogue() if e.inputs == ("truth", "found")]


def labels(result):
    return [row.index for row in result]


def test_no_family_or_paper_has_the_name_of_an_index():
    groups = {*FAMILIES, "all", "headline", *(key for e in indices() for key in e.references)}
    spelled = {s.lower() for e in catalogue() for s in (e.name, e.symbol, *e.aliases) if s}
    spelled |= {curve.name for curve in curves()}
    assert not groups & spelled


@pytest.mark.parametrize("family", sorted({e.family for e in OF_TWO}))
def test_a_family_is_all_of_its_indices_that_compare(family):
    assert labels(pt.compare(TRUTH, FOUND, indices=family)) == [e.name for e in OF_TWO if e.family == family]


def test_a_paper_is_all_of_its_indices():
    wanted = [e.name for e in OF_TWO if "lei2014" in e.references]
    assert len(wanted) > 8
    assert labels(pt.compare(TRUTH, FOUND, indices="lei2014")) == wanted
    assert labels(pt.compare(TRUTH, FOUND, indices="Lei2014 ")) == wanted
    of_data = labels(pt.validate(X, FOUND, indices=["dave1996", "compactness"]))
    assert "silhouette" in of_data
    assert "modified_partition_coefficient" not in of_data  # constant for hard labels


def test_names_and_groups_mix_and_each_index_comes_once():
    result = pt.compare(TRUTH, FOUND, indices=["RI", "coassociation", "rand", "RI", "rand:pairs=ordered"])
    family = [e.name for e in OF_TWO if e.family == "coassociation"]
    assert labels(result) == ["rand", *family, "rand:pairs=ordered"]


def test_what_a_group_cannot_judge_is_left_out_and_what_is_named_is_an_error():
    soft = pt.compare(TRUTH, SOFT, indices="information")
    assert "adjusted_mutual_information" in {x.index for x in soft.left_out}
    with pytest.raises(KindError):
        pt.compare(TRUTH, SOFT, indices=["information", "AMI"])


def test_a_group_without_an_index_for_these_inputs_is_an_error_with_near_names():
    with pytest.raises(UnknownNameError, match="no index of 'likelihood' takes just truth, found") as caught:
        pt.compare(TRUTH, FOUND, indices="likelihood")
    assert "information" in caught.value.need
    assert caught.value.parameter == "indices"
    with pytest.raises(UnknownNameError) as caught:
        pt.compare(TRUTH, FOUND, indices="informaton")
    assert "information" in caught.value.fix
    with pytest.raises(UnknownNameError, match="takes just"):
        pt.validate(X, FOUND, indices="matching")


def test_runs_are_compared_by_a_group_too():
    runs = [TRUTH, FOUND, TRUTH]
    family = [e.name for e in OF_TWO if e.family == "matching"]
    assert labels(pt.consensus_index(runs, "matching")) == family
    assert "centroid_index" in labels(pt.consensus_index(runs, "franti2014", X=X))


def test_centres_join_a_group_only_with_data():
    assert "centroid_index" not in labels(pt.compare(TRUTH, FOUND, indices="franti2014"))
    assert "centroid_index" in labels(pt.compare(TRUTH, FOUND, indices="franti2014", X=X))


def test_resolve_and_select_tell_who_was_named():
    chosen = select(["ARI", "matching"], ("truth", "found"))
    assert chosen.named == {"adjusted_rand"}
    assert {e.family for e in chosen.entries} == {"pairs", "matching"}
    assert resolve(None, ("truth", "found")) == OF_TWO
    assert resolve(["ARI", "ARI"], ()) == [pt.indices.ARI]
    assert resolve([], ("truth", "found")) == []
    assert select("headline", headline=["VI", "ARI"]).named == frozenset()
    with pytest.raises(UnknownNameError):
        select("headline")
    assert selector("ARI") is None
    assert selector(pt.indices.ARI) is None


def test_groups_of_a_sweep_have_curves_too():
    inputs = ("X", "found", "model")
    chosen, named = select_entries(["gap", "separation", "BIC"], inputs)
    assert named == {"gap", "bic"}
    assert chosen[0].label == "gap"
    assert {e.family for e in chosen[1:-1]} == {"separation"}
    only, _ = select_entries("curves", inputs)
    assert only == curves()
    of_paper, _ = select_entries("tibshirani2001", inputs)
    assert all(isinstance(entry, Curve) for entry in of_paper)
    assert "gap" in [entry.label for entry in of_paper]
    papers, _ = select_entries("franti2017", inputs)
    assert {isinstance(entry, Curve) for entry in papers} == {True, False}
    assert all("truth" not in entry.inputs for entry in papers if not isinstance(entry, Curve))
    first, named = select_entries("headline", inputs, headline=["silhouette", "gap"])
    assert ([e.label for e in first], named) == (["silhouette", "gap"], frozenset())
    with pytest.raises(UnknownNameError):
        select_entries("matching", inputs)


def test_choose_k_takes_groups_restricted_to_what_it_can_use():
    data = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    truth = np.repeat([0, 1, 2], 20)
    quick = {"ks": [2, 3, 4], "n_runs": 1, "structure": False, "n_splits": 0, "random_state": 0, "n_null": 2}

    def swept(names, **more):
        return pt.choose_k(data, StubClusterer(), indices=names, **quick, **more)

    assert {c.family for c in swept("separation").choices.values()} == {"separation"}
    assert list(swept("headline").curves) == list(swept(None).curves)
    of_all = swept("all")
    assert not any("truth" in pt.indices.__dict__[name].inputs for name in of_all.fits[0].values)
    assert "bic" not in of_all.curves  # only a mixture has a likelihood
    assert "second_difference" in of_all.curves  # and curves read what this method has
    assert any(note.startswith("left out: partition_coefficient") for note in of_all.notes)
    external = swept("lei2014", truth=truth)
    assert "adjusted_rand" in external.choices
    assert external.votes == {}  # what knows the truth has no vote
    assert external.success_rate(3)["adjusted_rand"] in (0.0, 1.0)
    with pytest.raises(ParameterError) as problem:
        swept("lei2014")
    assert problem.value.parameter == "indices"
    with pytest.raises(UnknownNameError):
        swept("nosuch")


def test_named_beside_a_group_must_apply_in_choose_k():
    data = np.random.default_rng(0).normal(size=(30, 2))
    quick = {"ks": [2, 3], "n_runs": 1, "structure": False, "n_splits": 0, "random_state": 0}
    with pytest.raises(ParameterError) as problem:
        pt.choose_k(data, StubClusterer(), indices=["separation", "bic"], **quick)
    assert "bic cannot be computed" in str(problem.value)
