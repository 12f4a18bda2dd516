"""The corpus of situations: answers say what they may, and data are what they are said to be.

``make answers`` prints the whole table.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage

import partita as pt
from answers import answer_to, main
from expectations import KINDS, STRENGTHS, Answer, Claim, Expectation, violations
from generated_data import Sample
from partita.errors import PartitaError
from shared_data import full
from situations import ASKED, CENTRES, GAPS, OVERLAP, SEEDS, SITUATIONS, Situation

# --- answers ----------------------------------------------------------------------------------------------


def cases():
    """Each situation with one seed; more seeds, and siblings of other situations, are of paper size."""
    for name, procedure in ASKED:
        for seed in SEEDS:
            small = seed == SEEDS[0] and not SITUATIONS[name].sibling
            yield (name, procedure, seed) if small else full(name, procedure, seed)


@pytest.mark.parametrize(("name", "procedure", "seed"), list(cases()))
def test_an_answer_says_what_it_may(name, procedure, seed):
    situation = SITUATIONS[name]
    answer = answer_to(situation, procedure, situation.sample(seed).X, seed)
    assert answer.strength in STRENGTHS
    assert answer.kinds <= KINDS
    assert answer.statement
    assert "\n" not in answer.statement
    assert violations(situation.expected(procedure), answer) == [], answer


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
            answers[name] = answer_to(SITUATIONS[name], "choose_k", SITUATIONS[name].sample(0).X, 0)
        return answers[name]

    return plain_answer


def varied(variants):
    """Blobs in every variant; the other situations are of paper size, but for the first variant."""
    for (i, change), name in itertools.product(enumerate(variants), BASES):
        yield (name, change) if name == BASES[0] or i == 0 else full(name, change)


@pytest.mark.parametrize(("name", "change"), list(varied(SAME)))
def test_place_unit_and_container_do_not_change_the_verdict(name, change, plain_answers):
    situation, expected = SITUATIONS[name], plain_answers(name)
    answer = answer_to(situation, "choose_k", SAME[change](situation.sample(0).X), 0)
    assert (answer.k, answer.strength, answer.kinds) == (expected.k, expected.strength, expected.kinds)


@pytest.mark.parametrize(("name", "change"), list(varied(ALIKE)))
def test_order_direction_and_precision_do_not_change_what_is_found(name, change, plain_answers):
    situation = SITUATIONS[name]
    answer = answer_to(situation, "choose_k", ALIKE[change](situation.sample(0).X), 0)
    assert violations(situation.choose_k, answer) == [], answer
    if name == BASES[0]:  # groups so far apart leave no room for chance
        assert (answer.k, answer.strength) == (plain_answers(name).k, plain_answers(name).strength)


# --- the table --------------------------------------------------------------------------------------------


def test_the_table_is_printed_and_ends_with_what_is_wrong(capsys, monkeypatch):
    wrong = Expectation("never right", must_not=(Claim(),))
    right = Expectation("always right", must_not=(Claim(k=frozenset({99})),))
    made = {
        name: Situation(name, SITUATIONS[name].make, 3, (expected,))
        for name, expected in zip(BASES[:2], [right, wrong], strict=True)
    }
    monkeypatch.setattr("answers.SITUATIONS", made)
    monkeypatch.setattr("answers.ASKED", [(name, "choose_k") for name in made])
    monkeypatch.setattr(
        "answers.answer_to", lambda *_: Answer(3, "weak", frozenset({"kin"}), "The first line.")
    )
    assert main(["--only", BASES[0]]) == 0
    assert "VIOLATED" not in capsys.readouterr().out
    assert main(["--only", BASES[1], "--seeds", "0", "1"]) == 1
    printed = capsys.readouterr().out
    assert printed.count("VIOLATED") == printed.count("    The first line.") == 2
    assert "must not be: anything (never right)" in printed
    assert "2 answers, 2 not as expected" in printed


def test_a_refusal_is_an_answer_that_is_wrong(capsys, monkeypatch):
    def refuse(*_):
        raise PartitaError("no answer to this.")

    monkeypatch.setattr("answers.answer_to", refuse)
    assert main(["--only", BASES[0], "--procedures", "choose_k"]) == 1
    assert "! raised PartitaError: no answer to this." in capsys.readouterr().out


# --- expectations -----------------------------------------------------------------------------------------


def test_claims_by_hand():
    answer = Answer(3, "weak", frozenset({"kin", "scale"}))
    held = [
        Claim(),
        Claim(k=frozenset({3, None})),
        Claim(other_than=frozenset({2, None})),
        Claim(strength=frozenset({"weak"}), says=frozenset({"kin"}), silent=frozenset({"noise"})),
    ]
    failed = [
        Claim(k=frozenset({None})),
        Claim(other_than=frozenset({3})),
        Claim(strength=frozenset({"clear"})),
        Claim(says=frozenset({"kin", "noise"})),
        Claim(silent=frozenset({"kin"})),
    ]
    assert all(claim.holds(answer) for claim in held)
    assert not any(claim.holds(answer) for claim in failed)
    with pytest.raises(ValueError, match="no such strength or kind of remark: \\['colapsed'\\]"):
        Claim(says=frozenset({"colapsed"}))


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_expectation_can_fail_and_all_can_be_met(name):
    """Over all numbers, all strengths, and all remarks that the situation speaks of."""
    situation = SITUATIONS[name]
    for procedure in ("choose_k", "stability", "structure"):
        expected = situation.expected(procedure)
        claims = [claim for one in expected for claim in (*one.may, *one.must_not)]
        spoken_of = sorted(frozenset().union(*(claim.says | claim.silent for claim in claims)))
        ks = [None] if procedure == "structure" else [None, *range(1, 27)]
        answers = [
            Answer(k, strength, frozenset(itertools.compress(spoken_of, there)))
            for k in ks
            for strength in STRENGTHS
            for there in itertools.product([False, True], repeat=len(spoken_of))
        ]
        assert all(any(one.violation(answer) for answer in answers) for one in expected)
        assert all(one.why for one in expected)
        assert any(not violations(expected, answer) for answer in answers)
    assert situation.choose_k


# --- the data are what they are said to be ----------------------------------------------------------------

DRAWN = [(name, seed) for name in SITUATIONS for seed in SEEDS]


def numbers(sample: Sample) -> np.ndarray:
    return np.asarray(sample.X, dtype=float)


@pytest.mark.parametrize("name", SITUATIONS)
def test_draws_are_small_finite_and_the_same_again(name):
    situation = SITUATIONS[name]
    for seed in SEEDS:
        sample = situation.sample(seed)
        X = numbers(sample)
        assert X.ndim == 2
        assert X.shape[0] == len(sample.groups) <= 600
        assert X.shape[1] <= 50
        assert np.isfinite(X).all()
        np.testing.assert_array_equal(X, numbers(situation.sample(seed)))
        assert situation.k == len(set(sample.groups.tolist()) - {-1})


def test_other_seeds_are_other_draws():
    for name in SITUATIONS.keys() - {"lattice", "all rows equal"}:  # these are what they are
        first, second = (numbers(SITUATIONS[name].sample(seed)) for seed in SEEDS[:2])
        assert not np.array_equal(first, second), name


def lying(how):
    return [(name, seed) for name, seed in DRAWN if SITUATIONS[name].groups == how]


@pytest.mark.parametrize(("name", "seed"), lying(CENTRES))
def test_centres_are_far_apart(name, seed):
    """On the line through two centres, by the larger spread of the two groups."""
    sample = SITUATIONS[name].sample(seed)
    X = numbers(sample)
    groups = [X[sample.groups == g] for g in np.unique(sample.groups[sample.groups >= 0])]
    for a, b in itertools.combinations(groups, 2):
        way = a.mean(axis=0) - b.mean(axis=0)
        length = np.linalg.norm(way)
        assert length / max((part @ way / length).std() for part in (a, b)) > 6


@pytest.mark.parametrize(("name", "seed"), lying(GAPS))
def test_gaps_are_wider_between_shapes_than_within(name, seed):
    """Nearest objects joined first, as many groups as there are shapes are the shapes."""
    situation = SITUATIONS[name]
    sample = situation.sample(seed)
    joined = fcluster(linkage(sample.X, "single"), situation.k, "maxclust")
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
