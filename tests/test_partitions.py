"""The five kinds: what they hold, how they convert, and their distributions over hard clusterings."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.errors import (
    KindError,
    MismatchError,
    ParameterError,
    PartitionError,
    TooLargeError,
    UnknownNameError,
)
from partita.partitions import (
    ALL,
    EVIDENTIAL,
    FUZZY,
    HARD,
    POSSIBILISTIC,
    ROUGH,
    Ensemble,
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    Kind,
    PossibilisticPartition,
    RoughPartition,
    as_partition,
    softest,
)
from strategies import (
    evidential,
    few,
    fuzzy,
    hard,
    integer_weights,
    pairs,
    partitions,
    possibilistic,
    rough,
    sizes,
    triples,
)

NOISY = EvidentialPartition([[0.6, 0.1, 0.3], [0.0, 0.2, 0.8]], [set(), {0}, {0, 1}], names=["a", "b"])
ONE_OF_EACH = [
    HardPartition(["a", "b", "b"]),
    FuzzyPartition([[0.5, 0.5], [1, 0], [0.25, 0.75]]),
    PossibilisticPartition([[1, 0.5], [0.25, 0], [0.5, 0.5]]),
    RoughPartition([[True, True], [True, False], [False, True]]),
    EvidentialPartition([[0.5, 0.5, 0], [0, 0, 1], [0.25, 0.5, 0.25]], [{0}, {1}, {0, 1}]),
]


def all_clusterings(partition):
    """Every hard clustering of the objects into the partition's clusters."""
    for codes in product(range(partition.n_clusters), repeat=partition.n_objects):
        yield HardPartition([partition.names[c] for c in codes], names=partition.names)


# --- strategies: what the other tests rely on ----------------------------------------------------------


@given(sizes.flatmap(lambda n: st.tuples(st.just(n), partitions(n), integer_weights(n))))
def test_strategies_draw_the_number_of_objects_asked_for(drawn):
    n, partition, weights = drawn
    assert len(partition) == partition.n_objects == n
    assert weights.shape == (n,)
    assert weights.sum() > 0


@given(triples(kinds=["fuzzy", "rough"], min_n=2, max_n=5))
def test_triples_are_about_the_same_objects(drawn):
    assert len({p.n_objects for p in drawn}) == 1
    assert {p.kind for p in drawn} <= {FUZZY, ROUGH}
    assert 2 <= drawn[0].n_objects <= 5


# --- kinds ---------------------------------------------------------------------------------------------


def test_kinds_are_ordered_by_softness():
    assert sorted(ALL, key=lambda k: k.softness) == [HARD, FUZZY, POSSIBILISTIC, ROUGH, EVIDENTIAL]
    assert softest([FUZZY, HARD]) is FUZZY
    assert Kind.read("Probabilistic") is FUZZY
    assert Kind.read("crisp") is HARD


def test_an_unknown_kind_names_the_near_one():
    with pytest.raises(UnknownNameError, match="fuzzy") as caught:
        Kind.read("fuzy")
    assert "fuzzy" in caught.value.fix


# --- what every partition does -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("partition", "text"),
    [
        (
            HardPartition([0, 0, -1, 2]),
            "HardPartition(n=4, k=3, sizes=[1 2 1], noise=1, ambiguity=0, partial assignment=0)",
        ),
        (
            HardPartition(["a"], names=["a", "b"]),
            "HardPartition(n=1, k=2, sizes=[1 0], empty clusters=1, ambiguity=0, partial assignment=0)",
        ),
        (
            FuzzyPartition([[0.5, 0.5], [1, 0]]),
            "FuzzyPartition(n=2, k=2, sizes=[1.5 0.5], ambiguity=0, partial assignment=0.5)",
        ),
        (
            RoughPartition([[1, 1], [1, 0]]),
            "RoughPartition(n=2, k=2, sizes=[1..2 0..1], ambiguity=0.5, partial assignment=0)",
        ),
        (
            RoughPartition([[1]]).lower().take([0]).pignistic(),
            "FuzzyPartition(n=1, k=1, sizes=[1], ambiguity=0, partial assignment=0, note={note!r})".format(
                note="lower approximation: 0 unsure objects are noise"
            ),
        ),
    ],
)
def test_repr(partition, text):
    assert repr(partition) == text


@given(partitions())
def test_repr_is_one_line_and_softness_is_a_share(partition):
    assert "\n" not in repr(partition)
    assert -1e-12 <= partition.ambiguity <= 1 + 1e-12
    assert -1e-12 <= partition.partial_assignment <= 1 + 1e-12
    assert len(partition.sizes) == partition.n_clusters == len(partition.names)


def test_softness_by_hand():
    vague = EvidentialPartition([[0.0, 0.0, 1.0]], [{0}, {1}, {0, 1}])
    torn = EvidentialPartition([[0.5, 0.5, 0.0]], [{0}, {1}, {0, 1}])
    assert (vague.ambiguity, vague.partial_assignment) == (1.0, 0.0)
    assert torn.ambiguity == 0.0
    assert torn.partial_assignment == pytest.approx(np.log(2) / np.log(3))
    assert PossibilisticPartition([[1.0, 1.0]]).ambiguity == pytest.approx(1.0)


@given(partitions(), st.data())
def test_take_selects_objects(partition, data):
    rows = data.draw(st.lists(st.integers(0, len(partition) - 1), min_size=1, max_size=6))
    part = partition.take(rows)
    assert part.kind is partition.kind
    assert part.n_objects == len(rows)
    for i, row in enumerate(rows):
        assert part.take([i]).equivalent(partition.take([row]))
    mask = np.isin(np.arange(len(partition)), rows)
    assert partition.take(mask).equivalent(partition.take(np.flatnonzero(mask)))
    assert partition.take(slice(None)).equivalent(partition)


@given(st.one_of(fuzzy(), possibilistic(), rough(), evidential()))
def test_take_keeps_empty_clusters(partition):
    assert partition.take([0]).names == partition.names


@pytest.mark.parametrize("partition", ONE_OF_EACH, ids=lambda p: p.kind.value)
@pytest.mark.parametrize(
    "rows",
    [[], [False] * 3, slice(2, 2), [3], [-4], [True, False], [0.5], "a", None, 1, [[0], [0, 1]], [[0, 1]]],
)
def test_take_refuses_what_selects_nothing_or_makes_no_sense(partition, rows):
    with pytest.raises(ParameterError) as caught:
        partition.take(rows)
    assert caught.value.got
    assert caught.value.need


def test_take_and_conversions_hand_on_index_and_note():
    index = pd.Index(["x", "y", "z"])
    made = FuzzyPartition([[0.5, 0.5], [1, 0], [0, 1]], index=index).harden().take([2, 0])
    assert list(made.index) == ["z", "x"]
    assert made.note.startswith("hardened")


@given(partitions())
def test_arrays_are_read_only(partition):
    arrays = [v for v in vars(partition).values() if isinstance(v, np.ndarray)] + [partition.sizes]
    if partition.noise_mask is not None:
        arrays.append(partition.noise_mask)
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_sparse_memberships_are_read_only():
    partition = FuzzyPartition(sp.csr_array(np.array([[0.5, 0.5], [0, 1]])))
    with pytest.raises(ValueError, match="read-only"):
        partition.memberships().data[0] = 0


@given(partitions())
def test_partitions_pickle(partition):
    again = pickle.loads(pickle.dumps(partition))
    assert repr(again) == repr(partition)
    assert again.names == partition.names


# --- hard ----------------------------------------------------------------------------------------------


@given(hard())
def test_labels_codes_and_sizes_agree(partition):
    assert [partition.names[c] for c in partition.codes] == list(partition.labels)
    assert partition.sizes.tolist() == [list(partition.labels).count(name) for name in partition.names]
    memberships = partition.memberships()
    assert (memberships.sum(axis=1) == 1).all()
    assert (memberships.argmax(axis=1) == partition.codes).all()


@pytest.mark.parametrize(
    ("labels", "noise"),
    [
        ([-1, 0, 1], [True, False, False]),
        ([-1, -1], [True, True]),
        ([-1, "a", "b"], [True, False, False]),
        ([-1.0, 0.0], [True, False]),
        ([-2, -1, 0], None),
        ([0, 1], None),
        (["-1", "0"], [True, False]),
        (["-1", "a"], None),
        (["-1", "01"], None),
        (["-2", "-1", "0"], None),
        (["a", -1.0], None),
        ([False, True], None),
    ],
)
def test_minus_one_beside_no_other_negative_integer_is_noise(labels, noise):
    mask = HardPartition(labels).noise_mask
    assert (mask if mask is None else mask.tolist()) == noise


def test_a_part_without_noise_has_none():
    partition = HardPartition([-1, 0, 1])
    assert partition.take([1, 2]).noise_mask is None
    assert partition.take([0, 1]).noise_mask.tolist() == [True, False]


def test_labels_may_be_tuples_of_the_same_length():
    for items in ([(1, 2)], [(1, 2), (3, 4), (1, 2)]):
        pool = np.fromiter(items, dtype=object, count=len(items))
        assert HardPartition(pool).labels.tolist() == items


def test_widely_spread_labels_are_compacted():
    partition = HardPartition(np.array([-(2**63), 2**63 - 1, 5]))
    assert partition.codes.tolist() == [0, 2, 1]
    assert partition.compacted().span == 3
    assert partition.compacted().equivalent(partition)
    assert HardPartition(np.array([-128, 127, -128], dtype=np.int8)).codes.tolist() == [0, 1, 0]


@given(hard(n=4), hard(n=4))
def test_a_hard_partition_is_sure_of_itself_and_of_nothing_else(a, b):
    assert a.probability_of(a) == 1.0
    same = a.labels.tolist() == b.labels.tolist()
    known = set(b.labels.tolist()) <= set(a.names)
    if known:
        assert a.probability_of(b) == float(same)
        assert a.probability_of(b, log=True) == (0.0 if same else -np.inf)
    else:
        with pytest.raises(MismatchError):
            a.probability_of(b)


def test_names_that_do_not_occur_need_not_be_known():
    fuzzy_one = FuzzyPartition([[0.25, 0.75]])
    assert fuzzy_one.probability_of(HardPartition([1], names=[1, 99])) == 0.75


# --- lossless conversions --------------------------------------------------------------------------------


@given(hard(), st.sampled_from(sorted(ALL)))
def test_hard_goes_to_every_kind_and_back(partition, kind):
    assume(kind is not EVIDENTIAL or partition.noise_mask is None or not partition.noise_mask.all())
    other = partition.to(kind)
    assert other.kind is kind
    assert other.note == ""
    back = other.to("hard")
    assert list(back.labels) == list(partition.labels)


@given(st.one_of(fuzzy(), possibilistic(), rough()))
def test_all_kinds_go_to_evidential_and_back(partition):
    masses = partition.to("evidential")
    assert isinstance(masses, EvidentialPartition)
    np.testing.assert_allclose(masses.masses.sum(axis=1), 1)
    assert masses.equivalent(partition)
    back = masses.to(partition.kind)
    assert back.names == partition.names
    before, after = (
        p.possible if isinstance(p, RoughPartition) else p.memberships() for p in (partition, back)
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


@given(partitions(), st.sampled_from(sorted(ALL)))
def test_a_conversion_is_lossless_or_refused_with_the_lossy_way(partition, kind):
    only_noise = partition.kind is HARD and partition.noise_mask is not None and partition.noise_mask.all()
    assume(not only_noise)
    try:
        other = partition.to(kind)
    except KindError as refusal:
        other, fix = None, refusal.fix
    if other is None:
        assert partition.kind is not HARD
        assert fix
    else:
        assert other.kind is kind
        np.testing.assert_allclose(other.nonspecificities(), partition.nonspecificities(), atol=1e-9)


def test_consonant_masses_by_hand():
    masses = PossibilisticPartition([[0.5, 0.75, 0.0]]).to("evidential")
    found = {tuple(np.flatnonzero(s)): m for s, m in zip(masses.focal_sets, masses.masses[0], strict=True)}
    assert found == {(): 0.25, (1,): 0.25, (0, 1): 0.5}


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_low_precision_survives_conversions(dtype):
    off = {np.float16: 5e-3, np.float32: 5e-5}[dtype]  # allowed in this precision, not in double
    partition = FuzzyPartition(np.array([[0.3, 0.7 + off], [0.5, 0.5]], dtype=dtype))
    masses = partition.to("evidential").take([1, 0])
    assert masses.take([1, 0]).equivalent(partition)
    np.testing.assert_array_equal(masses.to("fuzzy").memberships()[::-1], partition.memberships())


@pytest.mark.parametrize(
    ("partition", "kind", "way"),
    [
        (FuzzyPartition([[0.5, 0.5]]), "hard", ".harden()"),
        (FuzzyPartition([[0.5, 0.5]]), "rough", ".alpha_cut(alpha)"),
        (FuzzyPartition([[0.5, 0.5]]), "possibilistic", ".plausibility()"),
        (PossibilisticPartition([[0.5, 0.5]]), "fuzzy", ".pignistic()"),
        (RoughPartition([[1, 1]]), "hard", ".lower()"),
        (RoughPartition([[1, 1]]), "fuzzy", ".pignistic()"),
        (NOISY, "rough", ".upper()"),
        (EvidentialPartition([[1.0, 0.0]], [set(), {0}]), "possibilistic", ".plausibility()"),
    ],
)
def test_lossy_conversions_are_named_not_done(partition, kind, way):
    with pytest.raises(KindError) as caught:
        partition.to(kind)
    assert way in caught.value.fix


@pytest.mark.parametrize("partition", [RoughPartition([[1, 1]]), NOISY], ids=["rough", "evidential"])
def test_memberships_name_the_ways_to_get_some(partition):
    with pytest.raises(KindError) as caught:
        partition.memberships()
    assert ".pignistic()" in caught.value.fix
    assert ".plausibility()" in caught.value.fix


# --- lossy conversions -----------------------------------------------------------------------------------


@given(partitions())
def test_harden_keeps_names_and_says_so(partition):
    made = partition.harden()
    assert made.kind is HARD
    assert set(made.names) - {-1} == set(partition.names) - {-1}
    assert partition.kind is HARD or "hardened" in made.note
    assert (made.noise_mask is None) == (partition.noise_mask is None)


@given(st.one_of(fuzzy(), possibilistic()))
def test_harden_takes_the_first_of_the_largest(partition):
    values = partition.memberships()
    made = partition.harden()
    assert made.codes.tolist() == [row.tolist().index(row.max()) for row in values]
    ties = sum((row == row.max()).sum() > 1 for row in values)
    assert (f"{ties} tie" in made.note) == bool(ties)


def test_noise_of_named_clusters_stays_noise():
    hardened = NOISY.harden()
    assert list(hardened.labels) == [-1, "a"]
    assert hardened.noise_mask.tolist() == [True, False]
    assert "noise" in hardened.note
    assert "ties" not in NOISY.take([0]).harden().note
    lowered = RoughPartition([[1, 1], [0, 1]], names=["a", "b"]).lower()
    assert list(lowered.labels) == [-1, "b"]
    assert lowered.noise_mask.tolist() == [True, False]
    assert EvidentialPartition([[1, 0], [0, 1]], [set(), {0}], names=["a"]).to("hard").noise_mask.any()


def test_a_cluster_named_minus_one_is_not_named_twice():
    for made in (
        HardPartition([-1, 0, 1]).to("rough").lower(),
        RoughPartition([[1, 0], [1, 1]], names=[-1, 0]).lower(),
    ):
        assert len(set(made.names)) == len(made.names)


@given(evidential())
def test_pignistic_and_plausibility_by_definition(partition):
    sets = partition.focal_sets
    if (partition.empty_mass > 1 - 1e-9).any():
        with pytest.raises(PartitionError, match="empty set"):
            partition.pignistic()
        with pytest.raises(PartitionError, match="empty set"):
            partition.plausibility()
        return
    probabilities = np.zeros((partition.n_objects, partition.n_clusters))
    contour = np.zeros_like(probabilities)
    for x, row in enumerate(partition.masses):
        for mass, members in zip(row, sets, strict=True):
            for c in np.flatnonzero(members):
                probabilities[x, c] += mass / members.sum() / (1 - partition.empty_mass[x])
                contour[x, c] += mass
    np.testing.assert_allclose(partition.pignistic().memberships(), probabilities, atol=1e-12)
    np.testing.assert_allclose(partition.plausibility().memberships(), contour, atol=1e-12)
    assert partition.plausibility().note == "plausibilities"
    assert partition.pignistic().note.startswith("pignistic")


@given(st.one_of(rough(), possibilistic()))
def test_pignistic_and_plausibility_do_not_depend_on_the_form(partition):
    masses = partition.to("evidential")
    assert (
        partition.harden().labels.tolist() == masses.harden().labels.tolist()
        or partition.kind is POSSIBILISTIC
    )
    if (masses.empty_mass < 1 - 1e-9).all():
        np.testing.assert_allclose(
            partition.pignistic().memberships(), masses.pignistic().memberships(), atol=1e-12
        )
    np.testing.assert_allclose(
        partition.plausibility().memberships(), masses.plausibility().memberships(), atol=1e-12
    )


@given(hard())
def test_a_hard_partition_loses_nothing_anywhere(partition):
    assert partition.harden() is partition
    assert partition.lower() is partition
    assert partition.upper().lower_sizes.tolist() == partition.sizes.tolist()
    for made in (partition.upper(), partition.pignistic(), partition.plausibility()):
        assert made.note == ""
        assert made.names == partition.names
    np.testing.assert_array_equal(partition.plausibility().memberships(), partition.memberships())


@given(st.one_of(fuzzy(), possibilistic()), st.sampled_from([0.25, 0.5, 1.0]))
def test_alpha_cut_by_definition(partition, alpha):
    values = partition.memberships()
    if (values.max(axis=1) < alpha).any():
        with pytest.raises(PartitionError) as caught:
            partition.alpha_cut(alpha)
        assert caught.value.fix
    else:
        made = partition.alpha_cut(alpha)
        np.testing.assert_array_equal(made.possible, values >= alpha)
        assert made.note == f"alpha cut at {alpha:g}"


@pytest.mark.parametrize("alpha", [0, -1, 1.5, float("nan"), "half", None])
def test_alpha_is_a_level(alpha):
    with pytest.raises(ParameterError):
        FuzzyPartition([[0.5, 0.5]]).alpha_cut(alpha)


def test_what_is_not_defined_says_so():
    with pytest.raises(KindError):
        HardPartition([0, 1]).alpha_cut(0.5)
    with pytest.raises(KindError):
        FuzzyPartition([[1, 0]]).lower()
    with pytest.raises(PartitionError, match="empty set"):
        NOISY.upper()


@given(rough())
def test_lower_and_upper_of_rough(partition):
    assert partition.upper() is partition
    made = partition.lower()
    for possible, label in zip(partition.possible, made.labels, strict=True):
        assert label == (possible.argmax() if possible.sum() == 1 else -1)
    assert "lower approximation" in made.note


def test_notes_add_up():
    made = NOISY.take([1]).pignistic().harden()
    assert "pignistic" in made.note
    assert "hardened" in made.note


# --- equivalence -----------------------------------------------------------------------------------------


@given(partitions(), st.randoms(use_true_random=False))
def test_equivalent_up_to_names_and_empty_clusters(partition, random):
    order = list(range(partition.n_clusters))
    random.shuffle(order)
    if partition.kind is HARD:
        other = HardPartition([f"c{order[c]}" for c in partition.codes])
    elif partition.kind is EVIDENTIAL:
        columns = list(range(partition.masses.shape[1]))
        random.shuffle(columns)
        sets = partition.focal_sets[columns][:, order]
        wider = np.column_stack([sets, np.zeros(len(sets), dtype=bool)])
        other = EvidentialPartition(partition.masses[:, columns], wider)
    else:
        values = partition.possible if partition.kind is ROUGH else partition.memberships()
        other = type(partition)(np.column_stack([values[:, order], np.zeros(len(values))]))
    assert partition.equivalent(other)
    assert other.equivalent(partition)


@given(pairs(max_n=4))
def test_equivalent_is_symmetric_and_means_equal_masses(drawn):
    a, b = drawn
    if any(p.kind is HARD and p.noise_mask is not None for p in drawn):
        return  # noise is the empty set in masses, and a cluster among hard labels
    assert a.equivalent(b) == b.equivalent(a)
    if a.equivalent(b):
        assert a.ambiguity * np.log(max(a.n_clusters, 2)) == pytest.approx(
            b.ambiguity * np.log(max(b.n_clusters, 2)), abs=1e-9
        )
        assert sorted(s for s in a.to("evidential").sizes if s) == pytest.approx(
            sorted(s for s in b.to("evidential").sizes if s)
        )


def test_different_clusterings_are_not_equivalent():
    assert not HardPartition([0, 0, 1]).equivalent([0, 1, 1])
    assert not HardPartition([0, 0, 1]).equivalent([0, 0])
    assert not FuzzyPartition([[0.5, 0.5], [0.2, 0.8]]).equivalent([[0.5, 0.5], [0.3, 0.7]])
    assert not RoughPartition([[1, 1], [0, 1]]).equivalent(RoughPartition([[1, 1], [1, 1]]))
    assert not NOISY.equivalent(NOISY.take([1, 0]))
    assert HardPartition([0, 1]).equivalent([[0.0, 1.0], [1.0, 0.0]])


def test_rounding_does_not_matter():
    a = PossibilisticPartition([[0.1 + 0.2, 0.3, 1.0]]).to("evidential")
    assert a.equivalent(PossibilisticPartition([[0.3, 0.3, 1.0]]).to("evidential"))


@given(evidential(), st.floats(0.0, 5e-9))
def test_masses_off_by_rounding_are_the_same(partition, away):
    """5e-9 is half of what counts as rounding, whatever the decimals of the masses."""
    moved, rows = partition.masses.copy(), np.arange(partition.n_objects)
    moved[rows, moved.argmax(axis=1)] -= away
    moved[rows, partition.masses.argmin(axis=1)] += away
    other = EvidentialPartition(moved, partition.focal_sets)
    assert partition.equivalent(other)
    assert other.equivalent(partition)


def test_masses_next_to_where_they_are_rounded():
    """0.123456785 is a tie of eight decimals: a thousandth of the tolerance decides how it is rounded."""
    sets = [[1, 0], [0, 1], [1, 1]]
    one = EvidentialPartition([[0.123456785 - 1e-11, 0.3, 0.576543215 + 1e-11]], np.array(sets, bool))
    other = EvidentialPartition([[0.123456785 + 1e-11, 0.3, 0.576543215 - 1e-11]], np.array(sets, bool))
    assert one.equivalent(other)
    assert other.equivalent(one)
    assert not one.equivalent(EvidentialPartition([[0.123457, 0.3, 0.576543]], np.array(sets, bool)))


@given(hard(), st.sampled_from(["csr", "csc", "coo"]))
def test_one_hot_matrices_of_any_format_are_hard(partition, form):
    matrix = partition.memberships()
    read = as_partition(sp.coo_array(matrix).asformat(form), names=partition.names)
    assert read.kind is HARD
    np.testing.assert_array_equal(read.codes, matrix.argmax(axis=1))
    np.testing.assert_array_equal(FuzzyPartition(sp.csr_array(matrix)).to(HARD).codes, matrix.argmax(axis=1))


def test_many_clusters_make_the_same_masses():
    wide = RoughPartition(np.eye(70, dtype=bool) | np.eye(70, k=1, dtype=bool))
    masses = wide.to("evidential")
    assert masses.masses.shape == (70, 70)
    np.testing.assert_array_equal(masses.to("rough").possible, wide.possible)


def test_masses_that_do_not_fit_are_refused_before_they_are_made():
    bits = np.arange(1, 2**15)
    sets = (bits[:, None] >> np.arange(15)) & 1  # 32767 objects, all with different sets
    with pytest.raises(TooLargeError) as caught:
        RoughPartition(sets).to("evidential")
    assert "32767" in caught.value.got


def test_level_sets_that_do_not_fit_are_refused_before_they_are_made():
    heights = np.linspace(0.1, 1.0, 1000)
    with pytest.raises(TooLargeError, match="300000 level sets of 1000 clusters"):
        PossibilisticPartition(np.tile(heights, (300, 1))).to("evidential")


def test_objects_with_few_heights_have_few_level_sets_however_many_clusters_there_are():
    low_and_high = 0.5 + 0.5 * np.eye(1000)
    masses = PossibilisticPartition(np.repeat(low_and_high, 2, axis=0)).to("evidential")
    assert masses.masses.shape == (2000, 1001)
    np.testing.assert_allclose(masses.plausibility().values, np.repeat(low_and_high, 2, axis=0))


def test_too_many_relabellings_are_refused_before_the_work():
    many = RoughPartition(np.ones((1, 12)))
    with pytest.raises(TooLargeError) as caught:
        many.equivalent(many.to("evidential"))
    assert caught.value.got


# --- distributions over hard clusterings: campagner2022, eq. 5 -------------------------------------------


@given(few.flatmap(fuzzy))
def test_probabilities_of_all_clusterings_sum_to_one(partition):
    values = partition.memberships()
    total = 0.0
    for clustering in all_clusterings(partition):
        expected = np.prod([values[x, c] for x, c in enumerate(clustering.codes)])
        found = partition.probability_of(clustering)
        assert found == pytest.approx(expected, abs=1e-15)
        assert np.exp(partition.probability_of(clustering, log=True)) == pytest.approx(expected, abs=1e-15)
        total += found
    assert total == pytest.approx(1)


@given(few.flatmap(possibilistic))
def test_possibilities_by_definition(partition):
    values = partition.memberships()
    best = 0.0
    for clustering in all_clusterings(partition):
        chosen = [values[x, c] for x, c in enumerate(clustering.codes)]
        assert partition.possibility_of(clustering) == min(chosen)
        assert partition.possibility_of(clustering, tnorm="product") == pytest.approx(np.prod(chosen))
        lukasiewicz = chosen[0]
        for v in chosen[1:]:
            lukasiewicz = max(0.0, lukasiewicz + v - 1)
        assert partition.possibility_of(clustering, tnorm="lukasiewicz") == pytest.approx(lukasiewicz)
        best = max(best, partition.possibility_of(clustering))
    assert best == values.max(axis=1).min()  # the likeliest clustering takes each object's best cluster


@given(st.integers(1, 3).flatmap(evidential))
def test_masses_of_all_focal_rough_clusterings_sum_to_one(partition):
    f = len(partition.focal_sets)
    total = 0.0
    for columns in product(range(f), repeat=partition.n_objects):
        expected = np.prod([partition.masses[x, c] for x, c in enumerate(columns)])
        possible = partition.focal_sets[list(columns)]
        if possible.any(axis=1).all():
            found = partition.mass_of(RoughPartition(possible))
            assert found == pytest.approx(expected, abs=1e-15)
            total += found
    # a clustering with an object on the empty set is no rough clustering: its mass is what is missing
    assert total == pytest.approx(np.prod(1 - partition.empty_mass))


@given(few.flatmap(fuzzy))
def test_the_three_measures_agree_where_kinds_meet(partition):
    masses = partition.to("evidential")
    for clustering in all_clusterings(partition):
        assert masses.mass_of(clustering) == pytest.approx(partition.probability_of(clustering), abs=1e-15)


def test_a_set_that_is_not_focal_has_no_mass():
    assert NOISY.mass_of(["a", "a"]) == pytest.approx(0.1 * 0.2)
    assert NOISY.mass_of(["a", "b"]) == 0.0
    assert NOISY.mass_of(["a", "b"], log=True) == -np.inf


def test_log_probabilities_do_not_underflow():
    many = FuzzyPartition(np.full((5000, 2), 0.5))
    assert many.probability_of([0] * 5000) == 0.0
    assert many.probability_of([0] * 5000, log=True) == pytest.approx(5000 * np.log(0.5))
    assert many.to("evidential").mass_of([0] * 5000, log=True) == pytest.approx(5000 * np.log(0.5))


def test_measures_refuse_other_objects_clusters_and_kinds():
    soft = FuzzyPartition([[0.5, 0.5], [1, 0]])
    for clustering, error in [
        ([0], MismatchError),
        ([0, 7], MismatchError),
        ([[0.5, 0.5], [1, 0]], KindError),
    ]:
        with pytest.raises(error):
            soft.probability_of(clustering)
    with pytest.raises(MismatchError):
        NOISY.mass_of(RoughPartition([[1, 1], [1, 1]]))
    with pytest.raises(ParameterError):
        PossibilisticPartition([[1.0, 0.5]]).possibility_of([0], tnorm="drastic")


@given(few.flatmap(rough))
def test_completions_are_the_compatible_clusterings(partition):
    completions = [tuple(c.labels) for c in partition.completions()]
    compatible = [tuple(c.labels) for c in all_clusterings(partition) if partition.is_compatible(c)]
    assert sorted(completions) == sorted(compatible)
    assert len(set(completions)) == partition.n_completions


def test_the_number_of_completions_is_exact():
    assert RoughPartition(np.ones((200, 3))).n_completions == 3**200


# --- sampling --------------------------------------------------------------------------------------------


@given(partitions(), st.integers(0, 5))
def test_samples_are_possible_and_reproducible(partition, seed):
    if partition.kind is EVIDENTIAL and (partition.empty_mass > 1 - 1e-9).any():
        return
    drawn = partition.sample(3, random_state=seed)
    assert drawn.shape == (3, partition.n_objects)
    np.testing.assert_array_equal(drawn, partition.sample(3, random_state=np.random.default_rng(seed)))
    probabilities = partition.pignistic().memberships()
    assert (probabilities[np.arange(partition.n_objects), drawn] > 0).all()


def test_samples_follow_the_probabilities():
    n = 100_000
    drawn = FuzzyPartition(np.tile([0.2, 0.0, 0.5, 0.3], (n, 1))).sample(1, random_state=0)[0]
    share = np.bincount(drawn, minlength=4) / n
    np.testing.assert_allclose(share, [0.2, 0.0, 0.5, 0.3], atol=5 * 0.5 / np.sqrt(n))  # five sigma and more
    assert share[1] == 0


def test_sparse_and_dense_memberships_give_the_same_samples():
    dense = np.array([[0.2, 0.8, 0.0], [0.0, 0.5, 0.5]])
    np.testing.assert_array_equal(
        FuzzyPartition(dense).sample(5, random_state=1),
        FuzzyPartition(sp.csr_array(dense)).sample(5, random_state=1),
    )


@pytest.mark.parametrize(
    ("size", "seed"), [(0, 0), (-1, 0), (2.0, 0), (True, 0), (2, "x"), (2, -1), (2, 1.5)]
)
def test_sampling_refuses_bad_sizes_and_seeds(size, seed):
    with pytest.raises(ParameterError):
        HardPartition([0, 1]).sample(size, random_state=seed)


# --- sparse memberships ----------------------------------------------------------------------------------


@given(st.one_of(fuzzy(), possibilistic()))
def test_sparse_and_dense_partitions_agree(partition):
    thin = type(partition)(sp.csr_array(partition.memberships()))
    assert repr(thin) == repr(partition)
    assert thin.equivalent(partition)
    assert thin.harden().codes.tolist() == partition.harden().codes.tolist()
    np.testing.assert_allclose(thin.entropies(), partition.entropies(), atol=1e-12)
    np.testing.assert_allclose(thin.nonspecificities(), partition.nonspecificities(), atol=1e-12)
    clustering = partition.harden()
    measure = "probability_of" if partition.kind is FUZZY else "possibility_of"
    assert getattr(thin, measure)(clustering) == pytest.approx(getattr(partition, measure)(clustering))


# --- ensembles -------------------------------------------------------------------------------------------


@given(triples())
def test_an_ensemble_holds_its_members(drawn):
    ensemble = Ensemble(drawn)
    assert len(ensemble) == 3
    assert list(ensemble) == list(drawn)
    assert ensemble[1] is drawn[1]
    assert ensemble.n_objects == drawn[0].n_objects
    assert ensemble.kind is softest(p.kind for p in drawn)
    assert f"3 partitions of {ensemble.n_objects} objects" in repr(ensemble)


def test_an_ensemble_brings_objects_into_the_order_of_the_first():
    first = pd.Series([0, 1, 1], index=["x", "y", "z"])
    runs = Ensemble([first, first[["z", "x", "y"]], [0, 1, 1]])
    for run in runs:
        assert run.labels.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("members", "error"),
    [
        ([], PartitionError),
        (3, PartitionError),
        ("ab", PartitionError),
        ([0, 1, 1], PartitionError),
        ([[0, 1], [0, 1, 1]], MismatchError),
        ([pd.Series([0, 1], index=["x", "y"]), pd.Series([0, 1], index=["x", "z"])], MismatchError),
        ([pd.Series([0, 1], index=["x", "y"]), pd.Series([0, 1], index=["x", "x"])], MismatchError),
        ([pd.Series([0, 1], index=["x", "x"]), pd.Series([0, 1], index=["x", "y"])], MismatchError),
    ],
)
def test_bad_ensembles(members, error):
    with pytest.raises(error) as caught:
        Ensemble(members)
    assert caught.value.got
    assert caught.value.need


def test_noise_is_one_more_cluster_when_a_hard_clustering_is_held_against_memberships():
    assert HardPartition([-1, -1]).equivalent(FuzzyPartition([[1.0], [1.0]]))
    assert FuzzyPartition([[0.0, 1.0], [1.0, 0.0]]).equivalent([0, -1])
    assert not HardPartition([0, -1]).equivalent(FuzzyPartition([[0.5, 0.5], [0.0, 1.0]]))
