"""The corpus of situations: answers say what they may, and data are as described.

``make answers`` prints the whole table.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

import partita as pt
from answers import main
from expectations import (
    KINDS,
    STRENGTHS,
    Answer,
    Claim,
    Expectation,
    labels_of,
    others_of,
    violations,
)
from generated_data import Sample, number_of_groups
from partita.errors import PartitaError
from partita.results.answers import Reason, ReasonKind
from partita.results.verdicts import Remark, RemarkKind
from shared_data import full
from situations import (
    ACROSS,
    ASKED,
    CENTRES,
    GAPS,
    OVERLAP,
    PROCEDURES,
    SEEDS,
    SITUATIONS,
    Grade,
    Situation,
    expected_of,
)

# --- answers ----------------------------------------------------------------------------------------------


def cases():
    """Basic situations with one seed; more seeds and all other situations are of paper size."""
    for name, procedure in ASKED:
        for seed in SEEDS:
            small = seed == SEEDS[0] and SITUATIONS[name].basic
            yield (name, procedure, seed) if small else full(name, procedure, seed)


@pytest.mark.parametrize(("name", "procedure", "seed"), list(cases()))
def test_an_answer_says_what_it_may(name, procedure, seed):
    situation = SITUATIONS[name]
    X = situation.sample(seed).X
    answer = situation.answer(procedure, X, seed)
    assert answer.strength in STRENGTHS
    assert answer.kinds <= KINDS
    assert answer.statement
    assert "\n" not in answer.statement
    assert situation.wrong(procedure, answer, len(X)) == [], answer


def rotated(X):
    """By an orthogonal matrix that mixes all features."""
    d = X.shape[1]
    return X @ np.linalg.qr(np.random.default_rng(8).normal(size=(d, d)))[0]


SAME = {
    "shifted by a million": lambda X: X + 1e6,
    "a millionth": lambda X: X * 1e-6,
    "a million times": lambda X: X * 1e6,
    "a frame with names": lambda X: pd.DataFrame(X, columns=[f"feature {j}" for j in range(X.shape[1])]),
    "columns first": np.asfortranarray,
    "lists": lambda X: X.tolist(),
}
"""The same draws give the same fits, up to rounding: the whole verdict stays."""

ALIKE = {
    "rows in another order": lambda X: X[np.random.default_rng(8).permutation(len(X))],
    "columns in another order": lambda X: X[:, ::-1],
    "mirrored": lambda X: -X,
    "rotated": rotated,
    "single precision": lambda X: X.astype(np.float32),
}
"""Other draws and fits of the same data: what may be said stays."""

BASES = ("blobs k=3 d=2", "gaussian d=2", "two moons")


@pytest.fixture(scope="module")
def plain_answers():
    """Of the situations that are changed below, each once."""
    answers = {}

    def plain_answer(name: str) -> Answer:
        if name not in answers:
            answers[name] = SITUATIONS[name].answer("choose_k", SITUATIONS[name].sample(0).X, 0)
        return answers[name]

    return plain_answer


def varied(variants):
    """Blobs in every variant; the other situations are of paper size, but for the first variant."""
    for (i, change), name in itertools.product(enumerate(variants), BASES):
        yield (name, change) if name == BASES[0] or i == 0 else full(name, change)


@pytest.mark.parametrize(("name", "change"), list(varied(SAME)))
def test_place_unit_and_container_do_not_change_the_verdict(name, change, plain_answers):
    situation, expected = SITUATIONS[name], plain_answers(name)
    answer = situation.answer("choose_k", SAME[change](situation.sample(0).X), 0)
    assert (answer.k, answer.strength, answer.kinds) == (expected.k, expected.strength, expected.kinds)


@pytest.mark.parametrize(("name", "change"), list(varied(ALIKE)))
def test_order_direction_and_precision_do_not_change_what_is_found(name, change, plain_answers):
    situation = SITUATIONS[name]
    X = ALIKE[change](situation.sample(0).X)
    answer = situation.answer("choose_k", X, 0)
    assert situation.wrong("choose_k", answer, len(X)) == [], answer
    if name == BASES[0]:  # groups so far apart leave no room for chance
        assert (answer.k, answer.strength) == (plain_answers(name).k, plain_answers(name).strength)


# --- the table --------------------------------------------------------------------------------------------


def stub(monkeypatch, answer):
    """Every situation gets this answer, or this error."""

    def given(*_):
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Situation, "answer", given)


def test_the_table_is_printed_and_ends_with_what_is_wrong(capsys, monkeypatch):
    wrong = Expectation("never right", must_not=(Claim(),))
    right = Expectation("always right", must_not=(Claim(k=frozenset({99})),))
    made = {
        name: replace(SITUATIONS[name], instead=True, also=(expected,))
        for name, expected in zip(BASES[:2], [right, wrong], strict=True)
    }
    monkeypatch.setattr("answers.SITUATIONS", made)
    monkeypatch.setattr("answers.ASKED", [(name, "choose_k") for name in made])
    kinds = frozenset({"agreement"})
    objects = {name: len(one.sample(0).X) for name, one in made.items()}
    stub(monkeypatch, Answer(3, "weak", kinds, "The first line.", clusters=3, objects=objects[BASES[0]]))
    assert main(["--only", BASES[0]]) == 0
    assert "VIOLATED" not in capsys.readouterr().out
    stub(monkeypatch, Answer(3, "weak", kinds, "The first line.", clusters=3, objects=objects[BASES[1]]))
    assert main(["--only", BASES[1], "--seeds", "0", "1"]) == 1
    printed = capsys.readouterr().out
    assert printed.count("VIOLATED") == printed.count("    The first line.") == 2
    assert "must not be: anything (never right)" in printed
    assert "2 answers, 2 not as expected" in printed


def test_a_refusal_is_an_answer_that_is_wrong(capsys, monkeypatch):
    stub(monkeypatch, PartitaError("no answer to this."))
    assert main(["--only", BASES[0], "--procedures", "choose_k"]) == 1
    assert "! raised PartitaError: no answer to this." in capsys.readouterr().out


def test_a_number_comes_with_its_clusters(capsys, monkeypatch):
    n = len(SITUATIONS[BASES[0]].sample(0).X)
    for clusters, objects, text in [
        (None, None, "k = 3 without its clusters"),
        (2, n, f"k = 3 with 2 clusters of {n} objects (of {n})"),
        (3, n - 1, f"k = 3 with 3 clusters of {n - 1} objects (of {n})"),
    ]:
        stub(monkeypatch, Answer(3, "clear", clusters=clusters, objects=objects))
        assert main(["--only", BASES[0], "--procedures", "choose_k"]) == 1
        assert f"! {text}" in capsys.readouterr().out


# --- what a result holds ----------------------------------------------------------------------------------


def test_an_answer_is_read_from_a_result():
    """Levels with the number of the answer are the answer itself; reasons count as remarks do."""
    labels = [0, 0, 1, 1, 2, 2]
    first = SimpleNamespace(k=3, partition=pt.HardPartition(labels))
    coarse = SimpleNamespace(k=2, partition=pt.HardPartition([0, 0, 0, 0, 1, 1]))
    result = SimpleNamespace(
        **vars(first),
        strength="clear",
        levels=(coarse, first),
        alternatives=(SimpleNamespace(k=6, partition=pt.HardPartition(range(6))),),
        remarks=(Remark(RemarkKind.DUPLICATES, "copies"),),
        because=(Reason(ReasonKind.SCALE, "one column"),),
        statement="3 clusters.",
    )
    answer = Answer.of_choose_k(result)
    assert answer == Answer(
        3,
        "clear",
        frozenset({"duplicates"}),
        "3 clusters.",
        reasons=frozenset({"scale"}),
        others=frozenset({2, 6}),
        clusters=3,
        objects=6,
    )
    assert [other.k for other in others_of(result)] == [2, 6]
    np.testing.assert_array_equal(labels_of(result), labels)
    nothing = SimpleNamespace(k=None, partition=None, strength="no structure", statement="No structure.")
    assert Answer.of_choose_k(nothing) == Answer(None, "no structure", statement="No structure.")


# --- expectations -----------------------------------------------------------------------------------------


def test_claims_by_hand():
    answer = Answer(
        3, "weak", frozenset({"duplicates"}), reasons=frozenset({"scale"}), others=frozenset({2, 9})
    )
    held = [
        Claim(),
        Claim(k=frozenset({3, None})),
        Claim(other_than=frozenset({2, None})),
        Claim(offers=frozenset({2, 3})),
        Claim(says=frozenset({"duplicates", "scale"}), no_remark=frozenset({"scale"})),
        Claim(strength=frozenset({"weak"}), says=frozenset({"duplicates"}), silent=frozenset({"noise"})),
    ]
    failed = [
        Claim(k=frozenset({None})),
        Claim(other_than=frozenset({3})),
        Claim(strength=frozenset({"clear"})),
        Claim(says=frozenset({"duplicates", "noise"})),
        Claim(silent=frozenset({"scale"})),
        Claim(no_remark=frozenset({"duplicates"})),
        Claim(offers=frozenset({3, 4})),
    ]
    assert all(claim.holds(answer) for claim in held)
    assert not any(claim.holds(answer) for claim in failed)
    with pytest.raises(ValueError, match="no such strength or kind of remark: \\['colapsed'\\]"):
        Claim(says=frozenset({"colapsed"}))


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_every_expectation_can_fail_and_all_can_be_met(procedure):
    """Over some numbers and the true ones, all strengths, and all remarks that expectations mention."""
    for situation in SITUATIONS.values():
        expected = situation.expected(procedure)
        claims = [claim for one in expected for claim in (*one.may, *one.must_not)]
        kinds = (claim.says | claim.silent | claim.no_remark for claim in claims)
        spoken_of = sorted(frozenset().union(*kinds))
        excluded = frozenset().union(*(claim.other_than | (claim.k or frozenset()) for claim in claims))
        numbers = (excluded | {1, 2, *situation.ks}) - {None}
        answers = [
            Answer(k, strength, frozenset(itertools.compress(spoken_of, there)), others=others)
            for k in ([None] if procedure == "structure" else [None, *numbers])
            for strength in STRENGTHS
            for there in itertools.product([False, True], repeat=len(spoken_of))
            for others in (frozenset(), numbers)
        ]
        assert all(any(one.violation(answer) for answer in answers) for one in expected), situation.name
        assert all(one.why for one in expected)
        assert any(not violations(expected, answer) for answer in answers), situation.name


@pytest.mark.parametrize(
    ("grade", "ks", "may", "may_not"),
    [
        (Grade.FAR, (3,), [(3, "clear"), (3, "contested")], [(2, "weak"), (None, "no structure")]),
        (Grade.FAR, (9, 3), [(9, "weak"), (3, "clear")], [(2, "weak"), (4, "clear")]),
        (Grade.NEAR, (3,), [(3, "clear"), (2, "weak")], [(2, "clear"), (None, "no structure")]),
        (Grade.HARD, (3,), [(4, "weak"), (None, "no structure"), (2, "clear")], [(4, "clear")]),
        (Grade.ONE_CLOUD, (1,), [(None, "no structure"), (4, "contested")], [(2, "weak"), (2, "clear")]),
        (Grade.ONE_GROUP, (1,), [(None, "no structure"), (4, "weak")], [(2, "clear"), (1, "clear")]),
    ],
)
def test_grades_by_hand(grade, ks, may, may_not):
    expected = expected_of(grade, ks)
    assert [violations(expected, Answer(*answer)) for answer in may] == [[]] * len(may)
    assert all(violations(expected, Answer(*answer)) for answer in may_not)


def test_the_corpus_is_large_and_mixed():
    """At least 150 situations that are measured; sizes, columns and numbers of groups from small to large."""
    measured = [one for one in SITUATIONS.values() if one.with_defaults]
    assert len(measured) >= 150
    assert {one.grade for one in measured} == set(Grade)
    assert sum(one.k == 1 for one in measured) >= 40
    assert {2, 3, 15, 25, 35, 50, 64, 100} <= {one.k for one in measured}
    columns = {np.shape(one.sample(0).X)[1] for one in measured}
    assert {1, 2, 3, 5, 10, 20, 50} <= columns


# --- the data are what they are said to be ----------------------------------------------------------------


def drawn(names):
    """Each situation with one seed; more seeds are of paper size."""
    return [(name, seed) if seed == SEEDS[0] else full(name, seed) for name in names for seed in SEEDS]


def numbers(sample: Sample) -> np.ndarray:
    return np.asarray(sample.X, dtype=float)


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_are_small_finite_and_the_same_again(seed):
    for name, situation in SITUATIONS.items():
        sample = situation.sample(seed)
        X = numbers(sample)
        assert X.ndim == 2, name
        assert X.shape[0] <= 3000, name
        assert X.shape[1] <= 50, name
        assert np.isfinite(X).all(), name
        np.testing.assert_array_equal(X, numbers(situation.sample(seed)))
        assert {len(level) for level in sample.levels} == {len(X)}, name
        assert situation.ks == tuple(number_of_groups(level) for level in sample.levels), name


@pytest.mark.parametrize("name", [name for name, one in SITUATIONS.items() if one.coarse])
def test_finer_groups_lie_in_coarser_ones(name):
    groups, coarse = SITUATIONS[name].sample(0).levels
    pairs = {(g, c) for g, c in zip(groups.tolist(), coarse.tolist(), strict=True) if g >= 0}
    assert len(pairs) == number_of_groups(groups) > number_of_groups(coarse)


def test_other_seeds_are_other_draws():
    for name in SITUATIONS.keys() - {"lattice", "all rows equal"}:  # these are what they are
        first, second = (numbers(SITUATIONS[name].sample(seed)) for seed in SEEDS[:2])
        assert not np.array_equal(first, second), name


def lying(how):
    return drawn(name for name, one in SITUATIONS.items() if one.groups == how)


def test_what_is_far_is_checked():
    scaled = {"euros beside shares, scaled"}  # checked below
    unchecked = {name for name, one in SITUATIONS.items() if one.grade is Grade.FAR and not one.groups}
    assert unchecked == scaled


def pairs_of_groups(sample):
    X = numbers(sample)
    groups = [X[sample.groups == g] for g in np.unique(sample.groups[sample.groups >= 0])]
    return itertools.combinations(groups, 2)


@pytest.mark.parametrize(("name", "seed"), lying(CENTRES))
def test_centres_are_far_apart(name, seed):
    """On the line through two centres, by the larger spread of the two groups."""
    for a, b in pairs_of_groups(SITUATIONS[name].sample(seed)):
        way = a.mean(axis=0) - b.mean(axis=0)
        length = np.linalg.norm(way)
        assert length / max((part @ way / length).std() for part in (a, b)) > 6


@pytest.mark.parametrize(("name", "seed"), lying(ACROSS))
def test_groups_are_far_apart_across(name, seed):
    """In the direction that separates two groups best (Fisher's), by their pooled spread."""
    for a, b in pairs_of_groups(SITUATIONS[name].sample(seed)):
        way = a.mean(axis=0) - b.mean(axis=0)
        pooled = (np.cov(a.T) + np.cov(b.T)) / 2
        assert np.sqrt(way @ np.linalg.solve(pooled, way)) > 6


@pytest.mark.parametrize(("name", "seed"), lying(GAPS))
def test_gaps_are_wider_between_shapes_than_within(name, seed):
    """Nearest objects joined first, as many groups as there are shapes are the shapes."""
    situation = SITUATIONS[name]
    sample = situation.sample(seed)
    joined = fcluster(linkage(numbers(sample), "single"), situation.k, "maxclust")
    assert len(set(zip(joined.tolist(), sample.groups.tolist(), strict=True))) == situation.k


@pytest.mark.parametrize(("name", "seed"), lying(OVERLAP))
def test_overlapping_groups_overlap(name, seed):
    sample = SITUATIONS[name].sample(seed)
    means = np.stack([sample.X[sample.groups == g].mean(axis=0) for g in range(3)])
    nearest = np.square(sample.X[:, None] - means).sum(axis=2).argmin(axis=1)
    assert 0.1 < (nearest != sample.groups).mean() < 0.4


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [name for name in SITUATIONS if "collapses" in name])
def test_mixtures_collapse_where_they_are_said_to(name, seed):
    """With the starts that are tried, a component of the best keeps no more of the data's spread than EM must
    leave it, in some direction: a millionth of the variance."""
    X = numbers(SITUATIONS[name].sample(seed))
    options = SITUATIONS[name].options()
    for k in options["ks"][-2:]:
        estimators = [pt.cluster.GaussianMixtureEM(k, random_state=run) for run in range(options["n_runs"])]
        best = min((one.fit(X) for one in estimators), key=lambda fit: fit.objective_)
        assert np.linalg.eigvalsh(best.covariances_).min() < 1e-5 * X.var(axis=0).min()


def test_most_rows_of_some_situations_are_copies():
    for name in ("gaussian, each object 5 times", "90% of the rows equal", "codes 1 to 3", "one-hot columns"):
        X = numbers(SITUATIONS[name].sample(0))
        assert len(np.unique(X, axis=0)) < 0.5 * len(X), name


def test_euros_drown_shares_and_shares_have_the_groups():
    sample = SITUATIONS["euros beside shares"].sample(0)
    spread = sample.X.var()
    assert spread["euros"] / spread.sum() > 0.9999
    scaled = (sample.X - sample.X.mean()) / sample.X.std()
    means = scaled.groupby(sample.groups).mean()
    nearest = np.square(scaled.to_numpy()[:, None] - means.to_numpy()).sum(axis=2).argmin(axis=1)
    assert (nearest == sample.groups).mean() > 0.97
