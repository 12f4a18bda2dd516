"""How good answers are, beside plain rules on the same data: measured, counted, and written to a page.

``python tests/answers.py --table`` prints the tables; with ``--write`` they go to docs/choosing/answers.json
and, between its markers, into docs/choosing/answers.md. Every measurement is kept in the folder ``--cache``
as soon as it is made, so that a run that was stopped continues there. The folder has a subfolder for
each method: remove ``choose_k`` in it when choose_k has changed.

The problems are the situations that ask choose_k with its defaults, with each seed, and the labelled data
sets beside the project. A labelled set is taken as it is with seed 0, and as a sample of 80 % of its objects
with any other seed; 3,000 objects at most, drawn at random. Only counts and means are written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import partita as pt
from expectations import labels_of, others_of
from generated_data import number_of_groups
from plain_rules import MOST_CLUSTERS, REFERENCES, REFUSED, STARTS, Given, by_hdbscan, by_k_means, by_mixtures
from shared_data import DATA
from situations import SEEDS, SITUATIONS

PAGE = Path(__file__).parents[1] / "docs" / "choosing" / "answers.md"
RESULTS = PAGE.with_suffix(".json")

MOST_OBJECTS = 3000
"""Of a labelled set; choose_k itself draws a sample of that size from larger data."""
SHARE_OF_SAMPLES = 0.8

LABELLED_SETS = {
    "groups in the plane": "a1 a2 a3 aggregation birch1 birch2 compound d31 flame jain pathbased r15 s1 s2 "
    "s3 s4 spiral unbalance",
    "measured objects": "haberman heart_statlog iris pima segment sonar spect synthetic_control vehicle "
    "votes_complete wdbc wine yeast zernike zoo",
}


# --- problems -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Data with known groups, from the corpus or from a labelled set (``source``)."""

    source: str
    family: str
    name: str
    seed: int

    def draw(self) -> tuple[Any, tuple[np.ndarray, ...]]:
        """The data, and the true labels at each level."""
        if self.source == "made":
            sample = SITUATIONS[self.name].sample(self.seed)
            return sample.X, sample.levels
        return labelled_set(self.name, self.seed)


def labelled_set(name: str, seed: int) -> tuple[pd.DataFrame, tuple[np.ndarray, ...]]:
    """A labelled set: as it is with seed 0, a sample with any other."""
    frame = pd.read_csv(DATA / f"{name}.csv.gz")
    share = 1.0 if seed == 0 else SHARE_OF_SAMPLES
    n = min(round(share * len(frame)), MOST_OBJECTS)
    if n < len(frame):
        chosen = np.random.default_rng(seed).choice(len(frame), n, replace=False)
        frame = frame.iloc[np.sort(chosen)].reset_index(drop=True)
    return frame.drop(columns="label").astype(float), (frame["label"].to_numpy(),)


def problems(seeds: Sequence[int], only: Sequence[str], most: int | None = None) -> Iterator[Problem]:
    """Situations and labelled sets with one of these parts in their names and at most so many objects."""
    for situation in SITUATIONS.values():
        if situation.with_defaults and any(part in situation.name for part in only):
            for seed in seeds:
                if most is None or len(situation.sample(seed).groups) <= most:
                    yield Problem("made", situation.family, situation.name, seed)
    for family, names in LABELLED_SETS.items():
        for name in names.split():
            if any(part in name for part in only) and (DATA / f"{name}.csv.gz").exists():
                for seed in seeds:
                    if most is None or len(labelled_set(name, seed)[0]) <= most:
                        yield Problem("labelled", family, name, seed)


# --- answers ------------------------------------------------------------------------------------------------


DIFFERENT = 0.7
"""Adjusted Rand index below which a second answer is another clustering (section 7 of the definition)."""


def by_choose_k(X: Any, seed: int) -> dict[str, Given]:
    result = pt.choose_k(X, random_state=seed)
    labels = labels_of(result)
    second = None if labels is None else second_of(result, labels)
    return {"choose_k": Given(result.k, labels, second, result.strength)}


def second_of(result: Any, labels: np.ndarray) -> np.ndarray | None:
    """The other level of an answer; without one, its first alternative with clearly other clusters."""
    for other in others_of(result):
        found = labels_of(other)
        if found is not None and other.k != result.k and adjusted_rand_score(labels, found) < DIFFERENT:
            return found
    return None


METHODS: dict[str, Callable[[Any, int], dict[str, Given]]] = {
    "choose_k": by_choose_k,
    "k-means": by_k_means,
    "mixtures": by_mixtures,
    "HDBSCAN": by_hdbscan,
}
RULES_OF = {
    "choose_k": ("choose_k",),
    "k-means": ("silhouette", "Calinski-Harabasz", "gap"),
    "mixtures": ("BIC",),
    "HDBSCAN": ("HDBSCAN",),
}
RULES = tuple(rule for rules in RULES_OF.values() for rule in rules)


# --- measurements -------------------------------------------------------------------------------------------


def agreement(truth: np.ndarray, found: np.ndarray | None) -> float:
    """Adjusted Rand index over the objects that are not noise in truth; 0 without an answer.

    Objects that are noise in the answer are one cluster.
    """
    if found is None:
        return 0.0
    compared = truth >= 0
    return float(adjusted_rand_score(truth[compared], found[compared]))


@dataclass(frozen=True)
class Measured:
    """One answer of one rule to one problem.

    Attributes
    ----------
    rule : str
    problem : Problem
    true : tuple of int
        The true numbers of groups, one for each level.
    k : int or None
        The number that the rule gives.
    strength : str
        Empty for the plain rules.
    first, second : tuple of float
        Agreement of the answer, and of its second level or alternative, with the truth at each level.
    seconds : float
        CPU time of the method, which may serve several rules.
    error : str
        Why there is no answer, where the method failed.
    """

    rule: str
    problem: Problem
    true: tuple[int, ...]
    k: int | None
    strength: str
    first: tuple[float, ...]
    second: tuple[float, ...]
    seconds: float = 0.0
    error: str = ""

    @property
    def ari(self) -> float:
        """Agreement of the first answer with the level that it is nearest to."""
        return max(self.first)

    @property
    def better(self) -> float:
        """The same for the better of the first and the second answer."""
        return max(*self.first, *self.second)

    @property
    def right(self) -> bool:
        """True if the number is that of a level."""
        return self.k in self.true

    @property
    def names_clusters(self) -> bool:
        """True if the answer is a number larger than one."""
        return self.k is not None and self.k > 1

    @property
    def one_group(self) -> bool:
        """True if one distribution made the data."""
        return self.true == (1,)

    @property
    def finds_all_levels(self) -> bool:
        """True if each true level is the first or the second answer (agreement above 0.9)."""
        return all(max(pair) > 0.9 for pair in zip(self.first, self.second, strict=True))

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Measured:
        lists = {name: tuple(row[name]) for name in ("true", "first", "second")}
        return cls(**{**row, **lists, "problem": Problem(**row["problem"])})


def measure(
    rule: str,
    problem: Problem,
    levels: Sequence[np.ndarray],
    given: Given,
    seconds: float = 0.0,
    error: str = "",
) -> Measured:
    """A rule's answer against the truth."""
    return Measured(
        rule,
        problem,
        tuple(number_of_groups(level) for level in levels),
        given.k,
        given.strength,
        tuple(agreement(level, given.labels) for level in levels),
        tuple(agreement(level, given.second) for level in levels),
        seconds,
        error,
    )


@dataclass(frozen=True)
class Work:
    """One method on one problem, and the folder that keeps what was measured."""

    method: str
    problem: Problem
    cache: Path

    def result(self) -> list[Measured]:
        """What was measured before, or is now."""
        X, levels = self.problem.draw()
        file = self.cache / self.method / f"{fingerprint(self.problem, X, levels)}.json"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            unfinished = file.with_suffix(f".{os.getpid()}")
            unfinished.write_text(json.dumps([asdict(one) for one in self.measured(X, levels)]))
            unfinished.replace(file)
        return [Measured.from_dict(row) for row in json.loads(file.read_text())]

    def measured(self, X: Any, levels: Sequence[np.ndarray]) -> list[Measured]:
        """A method that fails has given no answer."""
        began, error = time.process_time(), ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                given = METHODS[self.method](X, self.problem.seed)
            except Exception as failure:
                error = f"{type(failure).__name__}: {(str(failure).splitlines() or [''])[0]}"
                given = dict.fromkeys(RULES_OF[self.method], REFUSED)
        seconds = time.process_time() - began
        return [measure(rule, self.problem, levels, one, seconds, error) for rule, one in given.items()]


def fingerprint(problem: object, X: Any, levels: Sequence[np.ndarray]) -> str:
    """A name for a problem and its data: data that changed are measured again."""
    digest = hashlib.sha256(repr(problem).encode())
    for array in (np.asarray(X, dtype=float), *levels):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:24]


def results(works: Sequence[Work], jobs: int = 1) -> Iterator[list[Measured]]:
    """What was measured, in order, as it comes."""
    if jobs == 1:
        yield from map(Work.result, works)
    else:
        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(Work.result, works)


# --- counts and means ---------------------------------------------------------------------------------------

STRENGTHS = ("clear", "weak", "contested", "no structure")


def share(flags: Iterable[bool]) -> float:
    return float(np.mean(list(flags)))


def quality(answers: Sequence[Measured]) -> dict[str, float]:
    """How good answers are; a refusal counts with agreement 0 and a wrong number."""
    return {
        "answers": len(answers),
        "with a number": share(one.names_clusters for one in answers),
        "right k": share(one.right for one in answers),
        "ARI": float(np.mean([one.ari for one in answers])),
        "better of two": float(np.mean([one.better for one in answers])),
        "ARI < 0.5": share(one.ari < 0.5 for one in answers),
        "clear": share(one.strength == "clear" for one in answers),
    }


def reliability(answers: Sequence[Measured]) -> dict[str, dict[str, float]]:
    """The quality of the answers of each strength, and of all."""
    parts = {strength: [one for one in answers if one.strength == strength] for strength in STRENGTHS}
    return {name: quality(part) for name, part in {**parts, "all": answers}.items() if part}


def on_the_same_data(answers: Sequence[Measured]) -> dict[str, list[Measured]]:
    """The answers of each rule, to the problems only that all of these rules were measured on."""
    of_rule: dict[str, dict[Problem, Measured]] = {}
    for one in answers:
        of_rule.setdefault(one.rule, {})[one.problem] = one
    common = set.intersection(*(set(of_problem) for of_problem in of_rule.values())) if of_rule else set()
    return {
        rule: [one for problem, one in of_rule[rule].items() if problem in common]
        for rule in RULES
        if rule in of_rule and common
    }


def families(answers: Sequence[Measured]) -> dict[str, dict[str, dict[str, float]]]:
    """The quality of each rule in each family."""
    compared = on_the_same_data(answers)
    names = dict.fromkeys(one.problem.family for part in compared.values() for one in part)
    return {
        family: {
            rule: quality([one for one in part if one.problem.family == family])
            for rule, part in compared.items()
        }
        for family in names
    }


def summary(answers: Sequence[Measured]) -> dict[str, Any]:
    """All counts and means that the page shows."""
    grouped = [one for one in answers if not one.one_group]
    single = on_the_same_data([one for one in answers if one.one_group])
    alone = [one for one in answers if one.one_group and one.rule == "choose_k"]
    made: dict[str, Any] = {
        "made by": "python tests/answers.py --table --write",
        "version": pt.__version__,
        "plain rules": {"largest k": MOST_CLUSTERS, "starts": STARTS, "reference sets": REFERENCES},
        "one distribution": {
            rule: {"answers": len(part), "given clusters": share(one.names_clusters for one in part)}
            for rule, part in single.items()
        },
        "one distribution, choose_k": {
            "answers": len(alone),
            "given clusters": share(one.names_clusters for one in alone),
            **{name: share(one.strength == name for one in alone) for name in STRENGTHS},
        }
        if alone
        else {},
        "sources": {},
    }
    for source in ("made", "labelled"):
        part = [one for one in grouped if one.problem.source == source]
        own = [one for one in part if one.rule == "choose_k"]
        levelled = [one for one in own if len(one.true) > 1]
        made["sources"][source] = {
            "problems": len({one.problem.name for one in part}),
            "seeds": {
                rule: len({one.problem.seed for one in part if one.rule == rule})
                for rule in RULES
                if any(one.rule == rule for one in part)
            },
            "rules": {rule: quality(same) for rule, same in on_the_same_data(part).items()},
            "families": families(part),
            "reliability": reliability(own),
            "levels": {
                "answers": len(levelled),
                "both": share(one.finds_all_levels for one in levelled),
            }
            if levelled
            else {},
        }
    return made


# --- tables -------------------------------------------------------------------------------------------------

PERCENT = ("with a number", "right k", "ARI < 0.5", "clear", "given clusters", "both")
NOT_MEASURED = "Not measured yet."


def cell(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value
    if name == "answers":
        return f"{value:,}"
    return f"{100 * value:.0f} %" if name in PERCENT or name in STRENGTHS else f"{value:.2f}"


def table(first: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, float | str]]) -> str:
    """A table in Markdown; a column that a row lacks is empty, and words stay as they are."""
    if not rows:
        return NOT_MEASURED
    lines = [f"| {first} | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    for name, row in rows.items():
        cells = (cell(column, row[column]) if column in row else "" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def without(row: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: value for name, value in row.items() if name not in names}


def tables(found: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their markers."""
    made = {}
    for source, part in found["sources"].items():
        rules = {
            rule: row if rule == "choose_k" else without(row, "clear", "better of two")
            for rule, row in part["rules"].items()
        }
        made[f"{source} rules"] = table(
            "rule", ("answers", "with a number", "right k", "ARI", "better of two", "clear"), rules
        )
        made[f"{source} reliability"] = table(
            "strength", ("answers", "ARI", "right k", "ARI < 0.5", "better of two"), part["reliability"]
        )
        made[f"{source} families"] = table(
            "family",
            ("answers", *part["rules"]),
            {
                family: {"answers": next(iter(of.values()))["answers"]}
                | {rule: row["ARI"] for rule, row in of.items()}
                for family, of in part["families"].items()
            },
        )
    made["one distribution"] = table("rule", ("answers", "given clusters"), found["one distribution"])
    alone = found["one distribution, choose_k"]
    made["one distribution strengths"] = table(
        "rule", ("answers", "given clusters", *STRENGTHS), {"choose_k": alone} if alone else {}
    )
    levels = found["sources"]["made"]["levels"]
    made["levels"] = NOT_MEASURED
    if levels:
        made["levels"] = (
            f"Of {levels['answers']} answers to data with two true levels, {100 * levels['both']:.0f} % hold "
            "both (adjusted Rand index above 0.9 each)."
        )
    made["counts"] = "\n".join(count_lines(found))
    return made


def count_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """How many data sets were measured, with how many seeds."""
    words = {"made": "situations with groups", "labelled": "labelled data sets"}
    for source, part in found["sources"].items():
        seeds = ", ".join(f"{rule} {number}" for rule, number in part["seeds"].items())
        yield f"- {part['problems']} {words[source]}; number of draws of each, at most: {seeds or 'none'}."


def begin(name: str) -> str:
    return f"<!-- table: {name} -->"


END = "<!-- end -->"


def filled(page: str, of_name: Mapping[str, str]) -> str:
    """The page with each table between its markers."""
    for name, text in of_name.items():
        before, marker, rest = page.partition(begin(name))
        if not marker:
            raise ValueError(f"the page has no marker {begin(name)}")
        _, end, after = rest.partition(END)
        page = f"{before}{marker}\n\n{text}\n\n{end}{after}"
    return page


# --- the command --------------------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    options = parser.add_argument_group("with --table")
    options.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options.add_argument(
        "--plain-seeds", type=int, nargs="+", default=[0, 1], help="of the plain rules, which are slow"
    )
    options.add_argument("--most", type=int, help="leave out data with more objects")
    options.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "partita-answers")
    options.add_argument("--jobs", type=int, default=1, help="processes")
    options.add_argument("--write", action="store_true", help="into docs/choosing/answers.json and .md")


def run(asked: argparse.Namespace) -> int:
    """Measures, prints the tables, and writes them where that is asked."""
    works = [
        Work(method, problem, asked.cache)
        for method in asked.methods
        for problem in problems(
            (asked.seeds or SEEDS) if method == "choose_k" else asked.plain_seeds, asked.only, asked.most
        )
    ]
    if not works:
        sys.stderr.write(f"no data have {' or '.join(map(repr, asked.only))} in their names\n")
        return 2
    answers: list[Measured] = []
    seconds = 0.0
    for i, part in enumerate(results(works, asked.jobs), 1):
        answers += part
        seconds += part[0].seconds
        if sys.stderr.isatty() or i % 100 == 0:
            sys.stderr.write(f"\r{i} of {len(works)}")
            sys.stderr.flush()
    sys.stderr.write("\n")
    found = rounded(summary(answers))
    for name, text in tables(found).items():
        sys.stdout.write(f"{name}\n\n{text}\n\n")
    failed = [one for one in answers if one.error]
    for one in failed[:20]:
        sys.stdout.write(f"failed: {one.rule} on {one.problem.name}, seed {one.problem.seed}: {one.error}\n")
    sys.stdout.write(f"{len(answers)} answers, {len(failed)} failed, {seconds:.0f} CPU seconds\n")
    if asked.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables(found)), encoding="utf-8")
    return 0


def rounded(value: Any) -> Any:
    """Floats to four digits, in dictionaries too."""
    if isinstance(value, Mapping):
        return {key: rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value
