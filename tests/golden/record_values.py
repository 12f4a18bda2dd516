"""Every value that partita gives for a fixed set of inputs, bit by bit, before and after a change.

    python tests/golden/record_values.py before.json
    python tests/golden/record_values.py after.json --against before.json

Values are written as hexadecimal floats. They are those of one machine (products of matrices differ in their
last bits between processors), so the files are not kept; the comparison is.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import numpy as np
from sklearn.datasets import load_iris

import partita as pt
from partita.indices import catalogue
from partita.registry import Index

N = 40


def clusterings() -> dict[str, Any]:
    """Clusterings of the same objects, of every kind."""
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 4, N)
    close = np.where(rng.random(N) < 0.2, rng.integers(0, 4, N), labels)
    fuzzy = rng.dirichlet([0.4] * 3, N)
    near = 0.8 * np.eye(3)[fuzzy.argmax(axis=1)] + 0.2 * rng.dirichlet([1.0] * 3, N)
    possible = np.eye(3, dtype=bool)[labels % 3] | (rng.random((N, 3)) < 0.2)
    sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
    return {
        "hard": pt.HardPartition(labels),
        "close": pt.HardPartition(close),
        "noisy": pt.HardPartition(np.where(rng.random(N) < 0.1, -1, close)),
        "single": pt.HardPartition(np.arange(N)),
        "one": pt.HardPartition(np.zeros(N, dtype=int)),
        "fuzzy": pt.FuzzyPartition(fuzzy),
        "near": pt.FuzzyPartition(near),
        "typical": pt.PossibilisticPartition(np.clip(near * 1.2, 0, 1)),
        "rough": pt.RoughPartition(possible),
        "masses": pt.EvidentialPartition(rng.dirichlet([0.5] * 5, N), sets),
    }


def data() -> np.ndarray:
    """Three features, two of them structured."""
    rng = np.random.default_rng(12)
    return rng.normal(size=(N, 3)) + 3.0 * (np.arange(N) % 3)[:, None] * [1.0, 0.5, 0.0]


def variants(entry: Index) -> list[Index]:
    """The entry, and one for each other value of an option that has a closed list of them."""
    others = [
        entry.using(**{name: value})
        for name, hint in entry.option_types.items()
        for value in (get_args(hint) if get_origin(hint) is Literal else ())
        if value != entry.defaults[name]
    ]
    return [entry, *others]


def written(value: Any) -> Any:
    """A float with all its bits; anything else as text."""
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    return str(value)


def outcome(call: Any, *args: Any, **options: Any) -> Any:
    """What a call gives: a value, or the first line of the error."""
    try:
        return written(call(*args, **options))
    except pt.errors.PartitaError as problem:
        return f"{type(problem).__name__}: {problem.what}"


def of_indices() -> Iterator[tuple[str, Any]]:
    """Every entry with every closed option, on every pair of kinds, weighted too."""
    sides, X = clusterings(), data()
    weight = np.random.default_rng(13).integers(1, 4, N)
    model = pt.cluster.GaussianMixtureEM(3, random_state=0).fit(X)
    pairs = [
        ("hard", "close"), ("close", "noisy"), ("hard", "one"), ("single", "single"), ("hard", "fuzzy"),
        ("fuzzy", "near"), ("near", "fuzzy"), ("fuzzy", "typical"), ("hard", "rough"), ("masses", "fuzzy"),
        ("masses", "masses"),
    ]  # fmt: skip
    for base in catalogue():
        for entry in variants(base):
            for truth, found in pairs:
                given = {"X": X, "truth": sides[truth], "found": sides[found], "model": model}
                if "truth" not in entry.inputs and truth not in ("hard", "close", "fuzzy", "masses"):
                    continue
                inputs = [
                    (X > 1).astype(float) if base.name == "stochastic_complexity" and i == "X" else given[i]
                    for i in entry.inputs
                ]
                where = f"{entry.label}({truth}, {found})"
                yield where, outcome(entry, *inputs)
                yield f"{where} weighted", outcome(entry, *inputs, sample_weight=weight)


def of_procedures() -> Iterator[tuple[str, Any]]:
    """Every procedure, on small inputs and on Iris."""
    sides = clusterings()
    for truth, found in (
        ("hard", "close"),
        ("hard", "fuzzy"),
        ("fuzzy", "near"),
        ("hard", "rough"),
        ("rough", "masses"),
        ("close", "noisy"),
    ):
        for noise in ("cluster", "ignore"):
            for row in pt.compare(sides[truth], sides[found], noise=noise).rows:
                yield (
                    f"compare({truth}, {found}, {noise}) {row.index}",
                    [written(v) for v in (row.value, row.lower, row.upper)],
                )
    flowers, species = load_iris(return_X_y=True)
    models = {
        "mixture": pt.cluster.GaussianMixtureEM(3, random_state=0).fit(flowers),
        "swap": pt.cluster.RandomSwap(3, random_state=0).fit(flowers),
        "fcm": pt.cluster.FuzzyCMeans(3, random_state=0).fit(flowers),
    }
    for name, model in models.items():
        for row in pt.validate(flowers, model).rows:
            yield f"validate(iris, {name}) {row.index}", written(row.value)
        for index in ("silhouette", "BIC", "CH", "ARI", "PC"):
            yield f"scorer {index} {name}", outcome(pt.scorer(index), model, flowers, species)
    for name in ("fuzzy", "rough", "typical", "masses"):
        for index in ("rand", "ARI", "VI"):
            spread = pt.distribution(
                sides["hard"].take(slice(0, 12)), sides[name].take(slice(0, 12)), index=index, random_state=0
            )
            for record in spread.records():
                yield (
                    f"distribution({name}, {index}) {record.get('quantity')}",
                    [written(v) for k, v in record.items() if isinstance(v, float)],
                )
    for method in (None, pt.cluster.GaussianMixtureEM()):
        choice = pt.choose_k(
            flowers, method, range(1, 6), n_runs=3, truth=species, consensus="VI", random_state=0
        )
        for record in choice.records():
            yield (
                f"choose_k {type(method).__name__} {record['k']} {record['run']} {record['index']}",
                written(record["value"]),
            )
        yield f"choose_k {type(method).__name__}", str(choice.k)
    steady = pt.stability(flowers, ks=range(2, 5), n_repeats=4, random_state=0)
    for i, record in enumerate(steady.records()):
        yield f"stability {i}", [written(v) for v in record.values()]
    runs = [pt.cluster.RandomSwap(3, random_state=s).fit(flowers) for s in range(4)]
    for index in ("VI", "ARI", "NMI", "coassociation_rand_distance"):
        yield f"consensus_index {index}", outcome(lambda i: pt.consensus_index(runs, i).value, index)


def main() -> int:
    """Write the values; with ``--against``, say what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("to", type=Path)
    parser.add_argument("--against", type=Path)
    asked = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = dict(of_indices()) | dict(of_procedures())
    asked.to.write_text(json.dumps(values, indent=0))
    if asked.against is None:
        return 0
    before = json.loads(asked.against.read_text())
    differing = [key for key in before if values.get(key) != before[key]]
    for key in differing:
        sys.stdout.write(f"{key}: {before[key]} -> {values.get(key)}\n")
    sys.stdout.write(
        f"{len(before)} values, {len(differing)} differ, {len(values.keys() - before.keys())} new\n"
    )
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
