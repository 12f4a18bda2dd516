"""What dask is asked to do: how often chunks are made, progress, bootstraps, and workers that are lost."""

import logging
import operator
import os
import signal
import sys
from collections import Counter
from functools import partial

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import partita as pt
from partita.arrays.chunked import Chunked, compute, for_beside, sum_of_chunks
from partita.chance import units_in_chunks
from partita.errors import (
    KindError,
    MismatchError,
    ParameterError,
    PartitaError,
    PartitionError,
    TooLargeError,
    WorkerError,
)
from partita.partitions.chunked_reading import cut_into_chunks

N = 6000
SOFT = 1900
"""Soft objects: so many that 300 replicates are made from sums of products, and of many pairs not more."""


def cut(values, rows=700):
    return da.from_array(values, chunks=(rows, 2)[: values.ndim])


def counting(values, made, rows=700):
    """A dask array that writes down how often each of its chunks is made."""
    starts = range(0, len(values), rows)

    def part(start):
        made[start] += 1
        return values[start : start + rows]

    chunks = [
        da.from_delayed(dask.delayed(part)(s), values[s : s + rows].shape, dtype=values.dtype) for s in starts
    ]
    return da.concatenate(chunks)


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, N)
    return truth, np.where(rng.random(N) < 0.7, truth, rng.integers(-1, 6, N))


# --- how often chunks are made ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spell",
    [
        lambda labels: labels,
        lambda labels: labels.astype(np.uint8) + 1,
        lambda labels: np.array(list("abcdefg"))[labels],
        lambda labels: labels.astype(float),
        lambda labels: labels > 2,
        lambda labels: np.eye(7)[labels],
        np.sort,
    ],
)
@pytest.mark.parametrize("rows", [700, N])
def test_labels_are_made_once(labels, spell, rows):
    truth, found = map(spell, labels)
    made = Counter()
    lazy = pt.compare(counting(truth, made, rows), counting(found, made, rows))
    assert set(made.values()) == {2}  # once for each side
    plain = pt.compare(truth, found)
    assert repr([row.value for row in lazy.rows]) == repr([row.value for row in plain.rows])
    assert lazy.notes == plain.notes
    assert lazy.provenance["coverage"] == plain.provenance["coverage"]
    pd.testing.assert_frame_equal(lazy.by_cluster(), plain.by_cluster())


def test_chunks_that_differ_in_size_are_counted_in_a_second_look(labels):
    truth, found = labels
    lazy = pt.compare(da.from_array(truth, chunks=(2000, 4000)), da.from_array(found, chunks=(4000, 2000)))
    assert repr([row.value for row in lazy.rows]) == repr([r.value for r in pt.compare(truth, found).rows])


def test_noise_on_both_sides(labels):
    truth, found = labels
    noisy = np.where(np.arange(N) % 7 == 0, -1, truth)
    for policy in ("cluster", "ignore"):
        lazy = pt.compare(cut(noisy), cut(found), noise=policy)
        plain = pt.compare(noisy, found, noise=policy)
        assert lazy.notes == plain.notes
        assert lazy.provenance["coverage"] == plain.provenance["coverage"]
        assert repr([row.value for row in lazy.rows]) == repr([row.value for row in plain.rows])


def test_a_table_that_would_be_large_is_not_made_while_looking():
    rng = np.random.default_rng(2)
    truth, found = rng.integers(0, 3000, (2, N))
    made = Counter()
    lazy = pt.compare(counting(truth, made), counting(found, made))
    assert set(made.values()) == {4}
    assert repr([row.value for row in lazy.rows]) == repr([r.value for r in pt.compare(truth, found).rows])


def of_parts(*parts):
    """A dask array that says it holds numbers of one type, whatever its chunks hold."""
    return da.concatenate([da.from_delayed(dask.delayed(p), p.shape, dtype=float) for p in parts])


@pytest.mark.parametrize("kind", ["u1", "i8", "?", "f2", "f4"])
def test_one_hot_chunks_of_other_types_beside_soft_ones(soft, kind):
    crisp = np.eye(5)[soft["truth"]]
    mixed = of_parts(crisp[:900].astype(kind), soft["U"][900:1500], crisp[1500:].astype(kind))
    whole = np.concatenate([crisp[:900], soft["U"][900:1500], crisp[1500:]])
    lazy, plain = pt.compare(cut(soft["V"]), mixed), pt.compare(soft["V"], whole)
    values = {row.index: row.value for row in plain.rows}
    for row in lazy.rows:
        assert row.value == pytest.approx(values[row.index], rel=1e-12, abs=1e-12, nan_ok=True), row.index


@pytest.mark.parametrize(
    ("first", "low", "then", "other_low"),
    [
        ("i1", 0, "i8", -1000),
        ("i8", -1000, "u1", 0),
        ("i1", 0, "u1", 200),
        ("u8", 2**62, "i8", 2**62 + 1),
        ("u8", 0, "i8", -2),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_labels_of_other_types_in_other_chunks(soft, first, low, then, other_low, weighted):
    found = np.roll(soft["truth"], 3)
    parts = soft["truth"][:900] + low, soft["truth"][900:] + other_low
    whole = np.concatenate(parts)
    mixed = of_parts(parts[0].astype(first), parts[1].astype(then))
    weight = np.arange(SOFT) % 3 if weighted else None
    for other in (found, soft["V"]):
        lazy = pt.compare(mixed, cut(other), sample_weight=weight)
        plain = pt.compare(whole, other, sample_weight=weight)
        for row in lazy.rows:
            expected = pytest.approx(plain[row.index].value, rel=1e-12, abs=1e-12, nan_ok=True)
            assert row.value == expected, row.index


def test_chunks_in_single_and_double_precision(soft):
    single = soft["U"][:1500].astype(np.float32)
    U = np.concatenate([single, soft["U"][1500:]])
    lazy, plain = pt.compare(cut(soft["V"]), of_parts(single, soft["U"][1500:])), pt.compare(soft["V"], U)
    for row in lazy.rows:
        assert row.value == pytest.approx(plain[row.index].value, rel=1e-12, abs=1e-12), row.index
    X = np.random.default_rng(6).normal(size=(SOFT, 3)) + soft["truth"][:, None]
    half = X[:1500].astype(np.float32)
    asked = {"indices": ["CH", "davies_bouldin", "xie_beni"]}
    lazy = pt.validate(of_parts(half, X[1500:]), cut(soft["truth"]), **asked)
    plain = pt.validate(np.concatenate([half, X[1500:]]), soft["truth"], **asked)
    for row in lazy.rows:
        assert row.value == pytest.approx(plain[row.index].value, rel=1e-12), row.index


# --- whose rows are whose -----------------------------------------------------------------------------------


def framed(values, partitions=3, index=None, **how):
    made = pd.DataFrame(values) if isinstance(values, dict) else pd.Series(values, index=index)
    return dd.from_pandas(made, npartitions=partitions, **how)


@pytest.fixture(scope="module")
def order():
    return np.random.default_rng(8).permutation(N)


def test_weights_in_memory_go_by_their_index(labels, order):
    truth, found = labels
    weight = pd.Series(np.arange(N) % 5)
    plain = pt.compare(pd.Series(truth), pd.Series(found), sample_weight=weight)
    lazy = pt.compare(framed(truth), framed(found), sample_weight=weight)
    assert [row.value for row in lazy.rows[:20]] == [row.value for row in plain.rows[:20]]
    with pytest.raises(MismatchError, match="not the same in each chunk"):
        pt.compare(framed(truth), framed(found), sample_weight=weight[order])
    by_position = pt.compare(cut(truth), cut(found), sample_weight=weight[order])
    assert by_position["ARI"].value == pt.compare(truth, found, sample_weight=weight[order])["ARI"].value


def test_a_side_that_names_its_objects_is_not_taken_by_position(labels, order):
    truth, found = labels
    named = {int(i): int(truth[i]) for i in order}
    with pytest.raises(MismatchError, match="truth names its objects and found does not"):
        pt.compare(named, cut(found))
    in_order = dict(sorted(named.items()))
    assert pt.compare(in_order, cut(found))["ARI"].value == pt.compare(truth, found)["ARI"].value
    assert pt.compare(in_order, framed(found))["ARI"].value == pt.compare(truth, found)["ARI"].value


@pytest.mark.parametrize("spell", [np.asarray, lambda values: values.astype(str)])
def test_a_frame_with_a_column_of_labels_for_each_candidate(labels, spell):
    truth, found = labels
    columns = {"a": spell(found), "b": np.roll(found, 1)}
    pd.testing.assert_frame_equal(
        pt.compare(cut(truth), framed(columns)).to_frame(),
        pt.compare(truth, pd.DataFrame(columns)).to_frame(),
        rtol=1e-12,
    )
    X = np.random.default_rng(0).normal(size=(N, 2))
    assert [*pt.validate(cut(X), framed(columns), indices=["CH"]).results] == ["a", "b"]
    one_hot = framed(dict(enumerate(np.eye(7, dtype=int)[found].T)))
    assert pt.compare(cut(truth), one_hot)["ARI"].value == pt.compare(truth, found)["ARI"].value


def test_candidates_of_other_orders_need_a_reference_with_an_index(labels, order):
    truth, found = labels
    X = np.random.default_rng(0).normal(size=(N, 2))
    soft = dict(zip("uvw", np.random.default_rng(3).dirichlet(np.ones(3), N).T, strict=True))
    assert {*pt.compare(truth, {"a": framed(found), "b": framed(soft)}).results} == {"a", "b"}
    others = framed(truth, index=order, sort=False), pd.Series(truth, index=order)
    for other in others:
        candidates = {"a": framed(found), "b": other}
        with pytest.raises(MismatchError, match="the reference has none"):
            pt.compare(truth, candidates)
        with pytest.raises(MismatchError, match="the reference has none"):
            pt.validate(X, candidates, indices=["CH"])
    apart = {"a": framed(found), "b": framed(truth, 5)}
    assert pt.compare(framed(truth), apart)["b"]["ARI"].value == 1.0


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spell",
    [
        dask.delayed,
        lambda values: dask.bag.from_sequence(values.tolist(), npartitions=2),
        lambda values: framed({"a": values}).groupby("a"),
    ],
)
def test_objects_of_dask_that_are_not_in_rows(labels, spell):
    truth, found = labels
    ways = [
        lambda lazy: pt.as_partition(lazy),
        lambda lazy: pt.compare(lazy, found),
        lambda lazy: pt.compare(lazy, cut(found)),
        lambda lazy: pt.compare(truth, {"a": lazy, "b": found}),
        lambda lazy: pt.compare(truth, found, sample_weight=lazy),
        lambda lazy: pt.validate(lazy, found),
        lambda lazy: pt.indices.adjusted_rand(truth, lazy),
    ]
    for way in ways:
        with pytest.raises(PartitionError, match="this object of dask is not in rows") as refused:
            way(spell(truth))
        assert "from_delayed" in refused.value.fix


def test_the_fix_for_what_is_missing_is_one_for_chunks(labels):
    truth, found = labels
    X = np.where(np.arange(2 * N).reshape(N, 2) == 7, np.nan, 1.0)
    for way in (
        lambda: pt.compare(cut(np.where(truth == 2, np.nan, truth)), cut(found)),
        lambda: pt.compare(cut(truth), cut(found), missing="drop"),
        lambda: pt.as_partition(cut(truth), missing="drop"),
        lambda: pt.validate(cut(X), cut(truth)),
    ):
        with pytest.raises(PartitaError) as refused:
            way()
        assert refused.value.fix.startswith("dropna() or fillna() on the dask side")


@pytest.mark.parametrize("piece", [None, 5, [0, 1, 2], np.array(7)])
def test_a_chunk_that_is_no_array(piece):
    lie = da.from_delayed(dask.delayed(lambda: piece)(), (3,), dtype=int)
    for way in (lambda: pt.compare(lie, cut(np.arange(3))), lambda: pt.validate(lie, cut(np.arange(3)))):
        with pytest.raises(PartitionError, match="a chunk is no array"):
            way()


def test_labels_of_chunks_are_no_columns():
    with pytest.raises(PartitionError, match="different clusters as columns") as refused:
        pt.as_partition(cut(np.arange(10), 5), kind="fuzzy")
    assert "labels as they are" in refused.value.fix


def test_lower_and_upper_values_that_chunks_do_not_have_are_told(labels):
    truth = labels[0][:200]
    typical = np.random.default_rng(0).uniform(0.1, 1.0, (200, 3))
    lazy, plain = (
        pt.compare(f(truth), pt.as_partition(f(typical), kind="possibilistic"), indices=["ARI", "NMI"])
        for f in (cut, np.asarray)
    )
    for row in lazy.rows:
        assert not np.isnan(plain[row.index].lower)
        assert np.isnan(row.lower)
        assert "no lower and upper values" in row.caveat
    without = pt.compare(
        cut(truth), pt.as_partition(cut(typical), kind="possibilistic"), indices=["ARI"], bounds=False
    )
    assert "no lower" not in without["ARI"].caveat


@pytest.mark.parametrize("noise", ["cluster", "ignore"])
@pytest.mark.parametrize("swapped", [False, True])  # noise is on either side
def test_balanced_weights_are_those_in_memory(labels, noise, swapped):
    truth, found = labels[::-1] if swapped else labels
    for other in (found, np.eye(7)[found + 1] * 0.9 + 0.1 / 7):
        ways = {"sample_weight": "balanced", "noise": noise}
        lazy, plain = pt.compare(cut(truth), cut(other), **ways), pt.compare(truth, other, **ways)
        assert (lazy.notes, lazy.provenance["coverage"]) == (plain.notes, plain.provenance["coverage"])
        ours, theirs = (r.to_frame().set_index("index")["value"] for r in (lazy, plain))
        pd.testing.assert_series_equal(ours, theirs.loc[ours.index], rtol=1e-12)
    whole = np.repeat([3, 9], 1000)
    assert pt.compare(cut(whole), cut(whole), sample_weight="balanced", indices=["AMI"])["AMI"].value == 1.0


def test_balanced_weights_need_hard_classes(soft):
    with pytest.raises(KindError, match="soft truth"):
        pt.compare(cut(soft["U"]), cut(soft["truth"]), sample_weight="balanced")


@pytest.fixture(scope="module")
def relabelled(labels):
    names = np.array([30, 10, 60, 20, 50, 40, 70])
    found = labels[1][:2000]
    U = 0.6 * np.eye(7)[found + 1] + 0.4 * np.random.default_rng(5).dirichlet(np.ones(7), 2000)
    return {"found": found, "again": names[found + 1], "crisp": np.eye(7)[found + 1], "U": U, "V": U[:, ::-1]}


@pytest.mark.parametrize("rows", [700, 300])
@pytest.mark.parametrize(
    ("one", "other"), [("found", "again"), ("U", "V"), ("found", "crisp"), ("found", "U"), ("crisp", "V")]
)
def test_clusterings_in_chunks_are_equivalent_as_in_memory(relabelled, one, other, rows):
    one, other = relabelled[one], relabelled[other]
    for second in (other, other[::-1]):
        same = pt.as_partition(one).equivalent(second)
        for first, beside in ((cut(one), cut(second, rows)), (cut(one), second), (one, cut(second))):
            assert pt.as_partition(first).equivalent(beside) == same
            assert pt.as_partition(beside).equivalent(first) == same


def test_typicalities_in_chunks_are_equivalent(soft):
    read = partial(pt.as_partition, kind="possibilistic")
    assert read(cut(soft["T"])).equivalent(read(soft["T"][:, ::-1]))
    assert not read(cut(soft["T"])).equivalent(read(soft["T"] * 0.5))
    with pytest.raises(TooLargeError, match="in chunks"):
        read(cut(soft["T"])).equivalent(cut(soft["V"]))


@pytest.mark.parametrize(("one", "other"), [("found", "again"), ("U", "V")])
def test_equal_candidates_are_told_as_the_same(labels, relabelled, one, other):
    truth = labels[0][:2000]
    candidates = {"a": relabelled[one], "b": relabelled[other], "c": truth}
    result = pt.compare(
        cut(truth), {n: cut(c) for n, c in candidates.items()}, indices=["ARI", "frobenius_rand"]
    )
    assert result.same == {"a": 0, "b": 0, "c": 1}
    alone = pt.compare(cut(relabelled[one]), cut(relabelled[other], 300))
    assert alone.statement == pt.compare(relabelled[one], relabelled[other]).statement
    assert "identical" in alone.statement


@pytest.fixture(scope="module")
def flowers():
    rng = np.random.default_rng(6)
    names = [f"flower {i:03d}" for i in range(300)]
    return pd.DataFrame(rng.normal(size=(300, 2)) + 6 * rng.integers(0, 3, (300, 1)), names, ["a", "b"])


def test_estimators_take_frames_of_dask_with_their_index_and_features(flowers):
    lazy = dd.from_pandas(flowers, npartitions=3)
    model = pt.cluster.RandomSwap(3, random_state=0)
    here, there = model.fit(flowers).partition_, model.fit(lazy).partition_
    assert there.to_series().equals(here.to_series())
    assert [*model.feature_names_in_] == ["a", "b"]
    assert (model.predict(lazy) == model.predict(flowers)).all()
    assert (
        pt.cluster.ward_partition(lazy, 3)
        .to_series()
        .equals(pt.cluster.ward_partition(flowers, 3).to_series())
    )
    truth = here.to_series().sample(frac=1.0, random_state=0)  # matched by name
    assert pt.compare(truth, there, indices=["ARI"])["ARI"].value == 1.0


def test_the_fix_for_a_fitted_model_gives_its_labels(flowers):
    X = cut(flowers.to_numpy(), 100)
    model = pt.cluster.RandomSwap(3, random_state=0).fit(flowers.to_numpy())
    with pytest.raises(ParameterError, match="fitted model") as refused:
        pt.validate(X, model)
    advice, _, _ = refused.value.fix.partition(", or ")
    labels = eval(advice, {"X": X, "model": model})
    assert pt.compare(model.labels_, labels, indices=["ARI"])["ARI"].value == 1.0


def test_estimators_refuse_what_is_not_in_rows(flowers):
    for wrong in (dask.bag.from_sequence([1, 2]), dask.delayed(flowers), da.ones((2, 2, 2))):
        for use in (pt.cluster.RandomSwap(3).fit, pt.cluster.ward_partition):
            with pytest.raises(PartitionError, match="dask") as refused:
                use(wrong)
            assert refused.value.got.startswith("X")


@pytest.mark.parametrize(
    "use",
    [
        lambda X, labels: pt.choose(X, {"a": labels, "b": labels}),
        lambda X, _: pt.choose_k(X),
        lambda X, _: pt.stability(X),
        lambda X, labels: pt.benchmark({"a": pt.cluster.RandomSwap(2)}, {"d": (X, labels)}),
        lambda _, labels: pt.consensus([labels, labels]),
        lambda _, labels: pt.compare(labels, labels).by_object(),
        lambda _, labels: pt.compare(labels, labels).story(),
        lambda X, labels: pt.report(pt.validate(X, labels), to="never written.html"),
    ],
)
def test_what_looks_at_all_objects_is_refused(flowers, use):
    X = cut(flowers.to_numpy())
    with pytest.raises(TooLargeError, match="in chunks") as refused:
        use(X, (X[:, 0] > 0).astype(int))
    assert "compute()" in refused.value.fix


# --- intervals and chance ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def soft(labels):
    rng = np.random.default_rng(3)
    truth = labels[0][:SOFT]
    return {
        "truth": truth,
        "U": 0.6 * np.eye(5)[truth] + 0.4 * rng.dirichlet(np.ones(5), SOFT),
        "V": rng.dirichlet(np.full(3, 0.3), SOFT),
        "T": rng.uniform(0.1, 1.0, (SOFT, 3)),
    }


def in_memory(lazy, truth, found, **ways):
    """The same indices in memory, without those that would look at all pairs of objects."""
    return pt.compare(truth, found, indices=[row.index for row in lazy.rows], **ways)


def assert_same_intervals(lazy, truth, found, without=(), **ways):
    """The replicates are those in memory: ends agree to what chunks change in a sum."""
    plain = in_memory(lazy, truth, found, **ways)
    assert lazy.notes == plain.notes
    columns = ["value", "ci_low", "ci_high"]
    ours = lazy.to_frame().set_index("index")[columns]
    theirs = plain.to_frame().set_index("index")[columns].loc[ours.index]
    missing = ours.index[ours.ci_low.isna() & theirs.ci_low.notna()]
    of_pairs = {
        name for name in missing if "each replicate would look at all objects again" in lazy[name].caveat
    }
    assert set(missing) == of_pairs | set(without)
    kept = ours.index.difference(missing)
    assert ours.ci_low.notna().sum() > 10
    pd.testing.assert_frame_equal(ours.loc[kept], theirs.loc[kept], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n_replicates", [30, 300])  # by QR of weighted rows, and from sums of products
@pytest.mark.parametrize(("truth", "found"), [("U", "V"), ("truth", "V"), ("V", "truth")])
def test_memberships_are_drawn_as_in_memory(soft, truth, found, n_replicates):
    ways = {"bootstrap": n_replicates, "random_state": 4}
    lazy = pt.compare(cut(soft[truth]), cut(soft[found], 1100), **ways)
    assert_same_intervals(lazy, soft[truth], soft[found], **ways)


@pytest.mark.parametrize("scale", [1, 0.3])
@pytest.mark.parametrize(("truth", "found"), [("U", "V"), ("truth", "V"), ("truth", "truth")])
def test_weighted_objects_are_drawn_as_in_memory(soft, truth, found, scale):
    weight = scale * np.random.default_rng(5).integers(0, 3, SOFT)
    ways = {"bootstrap": 60, "random_state": 4}
    other = np.roll(soft[found], 2) if truth == found else soft[found]
    lazy = pt.compare(cut(soft[truth]), cut(other), sample_weight=cut(weight, 450), **ways)
    assert_same_intervals(lazy, soft[truth], other, sample_weight=weight, **ways)


def test_typicalities_are_drawn_as_in_memory(soft):
    ways = {"bootstrap": 60, "random_state": 4, "indices": ["ARI", "VI", "NMI"]}
    lazy, plain = (
        pt.compare(f(soft["truth"]), pt.as_partition(f(soft["T"]), kind="possibilistic"), **ways)
        for f in (cut, np.asarray)
    )
    frames = [one.to_frame()[["value", "ci_low", "ci_high"]] for one in (lazy, plain)]
    pd.testing.assert_frame_equal(*frames, rtol=1e-10)
    assert frames[0].notna().to_numpy().all()


def test_bca_and_few_objects(soft):
    ways = {"bootstrap": 60, "random_state": 4, "interval": "bca"}
    for n in (SOFT, 15):
        U, V = soft["U"][:n], soft["V"][:n]
        assert_same_intervals(pt.compare(cut(U, n // 3), cut(V, n // 3), **ways), U, V, **ways)


def test_many_parts_in_several_groups(soft, monkeypatch):
    monkeypatch.setattr("partita.chance.object_weights.WEIGHTS_AT_ONCE", 64 * 50)
    monkeypatch.setattr("partita.chance.object_weights.PARTS_IN_A_GROUP", 7)
    ways = {"bootstrap": 50, "random_state": 4}
    for rows in (100, 1000):
        lazy = pt.compare(cut(soft["U"], rows), cut(soft["V"], rows), **ways)
        assert_same_intervals(lazy, soft["U"], soft["V"], **ways)


@pytest.mark.parametrize("weighted", [False, True])
def test_hard_candidates_are_drawn_as_in_memory(labels, weighted):
    truth, found = labels
    other = np.where(found == 5, 1, found).astype(str)
    weight = np.random.default_rng(8).integers(0, 4, N)

    def made(cut):
        ways = {"sample_weight": cut(weight)} if weighted else {}
        candidates = {"a": cut(found), "b": cut(other)}
        return pt.compare_models(
            cut(truth), candidates, indices=["ARI", "NMI"], bootstrap=30, **ways
        ).to_dict()

    assert made(cut) == made(np.asarray)


def test_many_candidates_of_many_clusters_are_drawn_as_in_memory():
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 4, 900)
    candidates = {i: rng.integers(0, 40, 900) for i in range(12)}  # 40^12 is more than 64 bits hold

    def made(cut):
        lazy = {name: cut(one) for name, one in candidates.items()}
        return pt.compare_models(cut(truth), lazy, indices=["ARI"], bootstrap=5).to_dict()

    assert made(cut) == made(np.asarray)


def test_very_many_combinations_of_labels_are_drawn_where_they_are(labels, monkeypatch):
    monkeypatch.setattr(units_in_chunks, "MOST_COMBINATIONS", 20)
    candidates = {"a": cut(labels[1]), "b": cut(labels[1][::-1])}
    rows = pt.compare_models(cut(labels[0]), candidates, indices=["ARI"], bootstrap=30).to_frame()
    assert ((rows.ci_low < rows.value) & (rows.value < rows.ci_high)).all()


def test_memberships_that_nearly_agree_keep_their_digits(soft, monkeypatch):
    monkeypatch.setattr("partita.chance.weighted_values.ROWS_FOR_A_TRIANGLE", 0)
    near = soft["U"] * (1.0 - 1e-9) + 1e-9 / 5
    ways = {"bootstrap": 40, "random_state": 4, "indices": ["frobenius_rand", "frobenius_adjusted_rand"]}
    lazy = pt.compare(cut(soft["U"]), cut(near), **ways).to_frame()
    plain = pt.compare(soft["U"], near, **ways).to_frame()
    gaps = [1.0 - frame[["ci_low", "ci_high"]].to_numpy() for frame in (lazy, plain)]
    np.testing.assert_allclose(*gaps, atol=1e-15)
    assert (gaps[0] < 1e-12).all()


def test_what_needs_the_data_again_has_no_interval(soft):
    X = np.random.default_rng(6).normal(size=(SOFT, 2)) + soft["truth"][:, None]
    other = np.roll(soft["truth"], 1)
    asked = {"bootstrap": 30, "random_state": 4}
    lazy = pt.compare(cut(soft["truth"]), cut(other), X=cut(X), **asked)
    of_centres = ["centroid_index", "centroid_similarity_index", "centroid_ratio"]
    assert_same_intervals(lazy, soft["truth"], other, of_centres, X=X, **asked)
    assert "lie in chunks" in lazy["centroid_index"].caveat
    chance = pt.compare(cut(soft["truth"]), cut(other), X=cut(X), null="permutation", n_shuffles=9)
    assert "not in memory" in chance["centroid_index"].caveat
    assert chance["ARI"].p > 0.0


SOFT_PAIRS = pytest.mark.parametrize(("truth", "found"), [("U", "V"), ("truth", "V")])
BY_CHANCE = ["expected", "adjusted", "p"]


@SOFT_PAIRS
@pytest.mark.parametrize("weighted", [False, True])
def test_shuffles_of_soft_clusterings_are_those_in_memory(soft, truth, found, weighted):
    ways = {"null": "permutation", "n_shuffles": 9, "random_state": 0, "indices": ["NMI", "frobenius_rand"]}
    weight = np.arange(SOFT) % 3 if weighted else None
    lazy = pt.compare(
        cut(soft[truth]), cut(soft[found]), sample_weight=cut(weight) if weighted else None, **ways
    )
    plain = pt.compare(soft[truth], soft[found], sample_weight=weight, **ways)
    frames = [made.to_frame()[BY_CHANCE] for made in (lazy, plain)]
    pd.testing.assert_frame_equal(*frames, rtol=1e-9)
    assert frames[0]["p"].notna().all()


@SOFT_PAIRS
def test_chance_of_too_many_soft_objects_is_in_closed_form_or_not_at_all(soft, truth, found, monkeypatch):
    monkeypatch.setattr("partita.chance.chances.MOST_BROUGHT_HERE", SOFT)
    ways = {"null": "permutation", "n_shuffles": 9, "random_state": 0}
    lazy = pt.compare(cut(soft[truth]), cut(soft[found]), **ways)
    plain = in_memory(lazy, soft[truth], soft[found], **ways)
    known = [row for row in lazy.rows if not np.isnan(row.expected)]
    assert len(known) > 10
    for row in known:
        other = plain[row.index]
        assert other.expected_error == 0.0
        assert row.expected == pytest.approx(other.expected, rel=1e-11, abs=1e-12), row.index
        assert row.adjusted == pytest.approx(other.adjusted, rel=1e-9, abs=1e-11, nan_ok=True), row.index
    assert all(np.isnan(row.p) and "a sample of their rows" in row.caveat for row in lazy.rows)
    first = {"indices": [lazy.rows[0].index], "sample_weight": np.full(SOFT, 2)}
    weighted = pt.compare(cut(soft[truth]), cut(soft[found]), **first, **ways)
    assert "are not repeated" in weighted.rows[0].caveat


def test_intervals_do_not_depend_on_workers(soft):
    made = []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            made.append(pt.compare(cut(soft["U"]), cut(soft["V"]), bootstrap=50, random_state=1))
    assert repr(made[0].to_frame().to_dict()) == repr(made[1].to_frame().to_dict())


@pytest.mark.parametrize("n_replicates", [30, 300])
def test_pieces_on_this_machine_are_drawn_without_dask(soft, n_replicates, monkeypatch):
    sizes = [900, 900, SOFT - 1800]
    sides = [cut_into_chunks(pt.as_partition(soft[name]), sizes) for name in ("truth", "V")]
    monkeypatch.setitem(sys.modules, "dask", None)
    ways = {"bootstrap": n_replicates, "random_state": 4}
    assert_same_intervals(pt.compare(*sides, **ways), soft["truth"], soft["V"], **ways)


# --- distributions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["rand", "mirkin", "pairs_in_both"])
@pytest.mark.parametrize(("truth", "found"), [("U", "V"), ("truth", "V"), ("truth", "truth")])
def test_moments_of_a_distribution(soft, index, truth, found):
    lazy = pt.distribution(cut(soft[truth]), cut(soft[found], 900), index=index)
    plain = pt.distribution(soft[truth], soft[found], index=index, law=False)
    for name in ("mean", "std", "lower", "upper"):
        one, other = lazy.quantities[name], plain.quantities[name]
        assert one.method == other.method == "exact"
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=1e-12)
    assert lazy.law is None
    assert "not worked out for objects in chunks" in lazy.notes[-1]
    assert lazy.title == plain.title


def test_distributions_that_look_at_all_objects_are_refused(soft):
    for ways in ({"index": "VI"}, {"method": "sample"}, {"index": "ARI", "method": "bound"}):
        with pytest.raises(TooLargeError, match="lie in chunks") as refused:
            pt.distribution(cut(soft["truth"]), cut(soft["U"]), **ways)
        assert "sample of the rows" in refused.value.fix
    typical = pt.as_partition(cut(soft["T"]), kind="possibilistic")
    with pytest.raises(TooLargeError, match="lie in chunks"):
        pt.distribution(cut(soft["truth"]), typical)


# --- shown --------------------------------------------------------------------------------------------------


def test_distances_of_completions_are_refused(labels):
    with pytest.raises(TooLargeError, match="in chunks"):
        pt.hausdorff(cut(labels[0]), cut(labels[1]))


def test_a_comparison_shows_its_table_as_in_memory(labels, soft):
    for truth, found in (labels, (soft["truth"], soft["U"])):
        lazy, plain = pt.compare(cut(truth), cut(found)), pt.compare(truth, found)
        figures = [pt.plots.figure_data(one) for one in (lazy, plain)]
        assert figures[0].title == figures[1].title
        assert [r["truth"] for r in figures[0].records] == [r["truth"] for r in figures[1].records]
        assert [r["found"] for r in figures[0].records] == [r["found"] for r in figures[1].records]
        assert "<svg" in lazy._repr_html_()
    assert "noise" in {r["found"] for r in pt.plots.figure_data(pt.compare(*map(cut, labels))).records}


def test_silhouettes_of_chunks_are_drawn(labels):
    X = np.random.default_rng(0).normal(size=(N, 2))
    lazy, plain = (pt.validate(f(X), f(labels[0])) for f in (cut, np.asarray))
    assert pt.plots.figure_data(lazy).title == pt.plots.figure_data(plain).title
    assert "<svg" in lazy._repr_html_()


def test_sizes_of_soft_clusters(soft):
    lazy, plain = (pt.as_partition(f(soft["U"])).sizes for f in (cut, np.asarray))
    np.testing.assert_allclose(lazy, plain, rtol=1e-12)


# --- how far it is ----------------------------------------------------------------------------------------


def in_five(values):
    return Chunked(da.from_array(values, chunks=2).to_delayed().ravel(), [2] * 5, (), int)


def total(_shared, chunk):
    return int(chunk.sum())


def works_and_tells(told):
    """Work in which a chunk is a task, and in which sums of chunks are added."""
    chunks = in_five(np.arange(10))
    assert for_beside(int, [dask.delayed(i) for i in range(4)], on_chunk=lambda *step: told.append(step)) == [
        0,
        1,
        2,
        3,
    ]
    yield
    assert sum_of_chunks(total, None, [chunks], operator.add, lambda *step: told.append(step)) == 45
    yield


def test_local_schedulers_tell_of_their_steps():
    for scheduler in ("synchronous", "threads"):
        told = []
        with dask.config.set(scheduler=scheduler):
            for _ in works_and_tells(told):
                steps, totals = zip(*told, strict=True)
                assert list(steps) == list(range(1, totals[0] + 1))
                assert set(totals) == {len(steps)}
                told.clear()


def test_a_cluster_tells_of_chunks(cluster):
    told = []
    lengths = []
    for _ in works_and_tells(told):
        lengths.append(len(told))
        assert told == [(i + 1, len(told)) for i in range(len(told))]
        told.clear()
    assert lengths == [4, 5]


def test_reading_and_comparing_have_a_bar(labels, monkeypatch):
    told = Counter()

    class Watching:
        def __init__(self, description):
            self.description = description

        def move(self, done, total):
            told[self.description] += 1
            assert 1 <= done <= total

        def end(self, *, whole):
            assert whole

    monkeypatch.setattr("partita.progress._Work", Watching)
    U = np.random.default_rng(0).dirichlet(np.ones(3), N)
    pt.compare(cut(labels[0]), cut(U), bootstrap=20)
    assert {"reading", "comparing", "drawing objects anew"} <= told.keys()
    assert told["reading"] >= len(cut(U).chunks[0])
    assert told["comparing"] >= len(cut(U).chunks[0])


# --- who works ---------------------------------------------------------------------------------------------


def two_workers():
    return LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")


@pytest.fixture(scope="module")
def workers():
    with two_workers() as workers:
        yield workers


@pytest.fixture
def cluster(workers):
    with Client(workers) as client:
        yield client


def worker_of(chunk):
    return np.full(chunk.shape, os.getpid())


def test_the_client_in_use_is_taken_and_nothing_is_configured(labels, cluster):
    before = dask.config.get("scheduler", None), repr(dask.config.config)
    pids = cut(labels[0]).map_blocks(worker_of, dtype=np.int64)
    found = {*pt.as_partition(pids).names}
    assert found <= {*cluster.run(os.getpid).values()}
    assert (dask.config.get("scheduler", None), repr(dask.config.config)) == before
    with dask.config.set(scheduler="synchronous"):
        assert pt.as_partition(pids).names == (os.getpid(),)


def test_intervals_from_a_cluster_are_those_of_threads(soft, cluster):
    def made():
        frame = pt.compare(cut(soft["U"]), cut(soft["V"]), bootstrap=50, random_state=1).to_frame()
        return repr(frame.to_dict())

    there = made()
    with dask.config.set(scheduler="threads"):
        assert made() == there


def test_a_cluster_knows_chunks_that_were_cut_anew_by_one_name(labels, cluster, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("distributed"), "propagate", True)
    X, truth = np.random.default_rng(0).normal(size=(900, 2)), labels[0][:900]
    lazy = pt.validate(cut(X, 200), cut(truth, 333))
    assert lazy["CH"].value == pytest.approx(pt.validate(X, truth, indices=["CH"])["CH"].value, rel=1e-12)
    assert not [record for record in caplog.records if "run_spec" in record.getMessage()]


def ends_its_process(chunk, mark):
    """The labels of a chunk; the one that starts with 2 ends the process that works on it, while it may."""
    if chunk[0] == 2:
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return chunk
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


def always_ends_its_process(chunk):
    if chunk[0] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk


@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_a_worker_that_is_killed_does_not_change_the_result(kind, tmp_path, soft, cluster):
    size = SOFT // 5
    truth = np.repeat(np.arange(5), size)
    found = np.roll(truth, 100) if kind == "hard" else soft["U"]
    plain = pt.compare(cut(truth, size), cut(found, size))
    dying = cut(truth, size).map_blocks(ends_its_process, tmp_path / "mark", dtype=truth.dtype)
    cluster.wait_for_workers(2)
    before = {*cluster.run(os.getpid).values()}
    killed = pt.compare(dying, cut(found, size))
    assert before - {*cluster.run(os.getpid).values()}
    assert (tmp_path / "mark").exists()
    assert repr([row.value for row in killed.rows]) == repr([row.value for row in plain.rows])


def test_workers_that_are_always_killed_are_told(labels):
    truth = np.repeat(np.arange(5), 500)
    dying = cut(truth, 500).map_blocks(always_ends_its_process, dtype=truth.dtype)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        two_workers() as workers,
        Client(workers),
        pytest.raises(WorkerError, match="workers of dask ended") as lost,
    ):
        pt.compare(dying, cut(truth, 500))
    assert "KilledWorker" in lost.value.got
    assert "smaller chunks" in lost.value.fix


def test_kept_chunks_whose_workers_are_gone(labels):
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as first, Client(first) as client:
        kept = client.persist(cut(labels[0]))
        assert pt.as_partition(kept).n_clusters == 5
    with pytest.raises(WorkerError, match="are gone") as lost:
        pt.as_partition(kept)
    assert "persist" in lost.value.fix
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as other,
        Client(other),
        pytest.raises(WorkerError, match="are gone"),
    ):
        pt.compare(kept, cut(labels[1]))


def test_an_error_of_a_chunk_stays_what_it_is():
    def fails(chunk):
        raise ValueError("no such chunk")

    wrong = cut(np.arange(10), 5).map_blocks(fails, dtype=int)
    with pytest.raises(ValueError, match="no such chunk"):
        compute([wrong.to_delayed()[0]], lambda *_: None)
