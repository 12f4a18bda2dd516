"""How often sampling intervals hold the value of the population, measured, and written to a page.

``python tests/interval_coverage.py`` prints a line for each population as it is done; with ``--write`` the
numbers go to docs/how/intervals.json and, between its markers, into docs/how/intervals.md. 18 populations,
200 samples of each, about five minutes on a core; ``--jobs`` shares them among processes.

Each population is a table of probabilities: a share ``kept`` of the objects has its true label, the others
have one that has nothing to do with it. The value of the population is the index of a table of 10^8 objects.
A count of pairs has no such limit, and its target is the mean over samples of this size.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from partita.chance.bootstraps import A_COUNT, intervals
from partita.evaluation import values_of
from partita.inputs import prepare
from partita.partitions import HARD
from partita.registry import CaveatKind, Index, indices

PAGE = Path(__file__).parents[1] / "docs" / "how" / "intervals.md"
RESULTS = PAGE.with_suffix(".json")

LEAST_COVERAGE = 0.9
"""Of 95 % intervals without a caveat."""

NEARLY_ALWAYS = 0.95
"""The share of samples in which a caveat must be there where coverage is less."""

N_SAMPLES = 200
N_REPLICATES = 400
N_OF_POPULATION = 10**8

EVERY = [e for e in indices() if set(e.inputs) == {"truth", "found"} and e.range_of((HARD, HARD)) is not None]


# --- populations --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Population:
    """Objects with two labels each, of which samples of ``n`` are drawn."""

    n: int
    k: int
    kept: float
    balanced: bool = True
    more: int = 0
    """Found clusters beyond those of the truth."""

    @property
    def name(self) -> str:
        sizes = "equal" if self.balanced else "unequal"
        found = f" and {self.k + self.more}" * bool(self.more)
        return f"n = {self.n}, k = {self.k}{found}, {sizes} sizes, {100 * self.kept:.0f} % kept"

    @property
    def shares(self) -> np.ndarray:
        """The probability of each cell of the table."""
        ratios = (1.0, 1.0) if self.balanced else (0.75, 0.8)
        truth, found = (r ** np.arange(k) for r, k in zip(ratios, (self.k, self.k + self.more), strict=True))
        truth, found = truth / truth.sum(), found / found.sum()
        table = (1.0 - self.kept) * np.outer(truth, found)
        table[np.arange(self.k), np.arange(self.k)] += self.kept * truth
        return table

    def samples(self, n_samples: int, seed: int = 0) -> Iterable[np.ndarray]:
        """Tables of samples, one after the other."""
        rng = np.random.default_rng([seed, self.n, self.k, int(100 * self.kept)])
        for _ in range(n_samples):
            yield rng.multinomial(self.n, self.shares.ravel()).reshape(self.shares.shape)


SIZES = [(100, 2, 0), (100, 6, 0), (300, 4, 1), (300, 10, 0), (1000, 6, 0), (1000, 15, 1)]
KEPT = [0.9, 0.6, 0.0]

POPULATIONS = [
    Population(n, k, kept, balanced=(i + j) % 2 == 1, more=more)
    for i, (n, k, more) in enumerate(SIZES)
    for j, kept in enumerate(KEPT)
]


def inputs_of(table: np.ndarray, *, weighted: bool = False):
    """Two hard clusterings with this table."""
    truth, found = np.nonzero(table)
    counts = table[truth, found]
    if weighted:
        return prepare({"truth": truth, "found": found}, sample_weight=counts)
    return prepare({"truth": np.repeat(truth, counts), "found": np.repeat(found, counts)})


def value_of(entries: Sequence[Index], table: np.ndarray) -> dict[str, float]:
    return {
        label: value for label, (value, _) in values_of(entries, inputs_of(table, weighted=True))[0].items()
    }


# --- coverage -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Coverage:
    """How often the intervals of an index held the value of the population."""

    covered: float
    """The share of samples whose interval held it."""
    warned: float
    """The share with a caveat that the interval covers less, or with no interval and a reason."""
    of_this_size: bool = False
    """True for counts, whose interval is for samples of as many objects."""

    @property
    def holds(self) -> bool:
        """At least 90 %, or a caveat: of coverage, or that the interval of a count is for as many objects."""
        return self.covered >= LEAST_COVERAGE or self.warned >= NEARLY_ALWAYS or self.of_this_size


def measure(
    population: Population,
    entries: Sequence[Index] = EVERY,
    *,
    method: str = "percentile",
    n_samples: int = N_SAMPLES,
    n_replicates: int = N_REPLICATES,
) -> dict[str, Coverage]:
    """The coverage of the 95 % intervals of each index."""
    targets = value_of(entries, np.rint(population.shares * N_OF_POPULATION).astype(np.int64))
    drawn, values = defaultdict(list), defaultdict(list)
    for seed, table in enumerate(population.samples(n_samples)):
        made = intervals(entries, inputs_of(table), n_replicates=n_replicates, method=method, seed=seed)
        for label, value in value_of(entries, table).items():
            drawn[label].append(made[label])
            values[label].append(value)
    found = {}
    for label, own in drawn.items():
        counts = any(c.text == A_COUNT for one in own for c in one.caveats)
        target = float(np.mean(values[label])) if counts else targets[label]
        slack = 1e-9 * max(1.0, abs(target))
        unsure = {CaveatKind.COVERAGE, CaveatKind.NOT_COMPUTED}
        found[label] = Coverage(
            float(np.mean([one.low - slack <= target <= one.high + slack for one in own])),
            float(np.mean([any(c.kind in unsure for c in one.caveats) for one in own])),
            counts,
        )
    return found


# --- the page -----------------------------------------------------------------------------------------------


def summary(measured: dict[str, dict[str, Coverage]]) -> list[tuple[str, ...]]:
    """One row an index: coverage where nothing is said, where a caveat is, and how often one is."""
    rows = []
    for label in next(iter(measured.values())):
        own = [one[label] for one in measured.values()]
        sure = [c.covered for c in own if c.warned < NEARLY_ALWAYS]
        unsure = [c.covered for c in own if c.warned >= NEARLY_ALWAYS]
        rows.append(
            (
                label + " (of this size)" * own[0].of_this_size,
                f"{len(sure)}",
                f"{min(sure):.2f}" if sure else "",
                f"{np.mean(sure):.2f}" if sure else "",
                f"{len(unsure)}",
                f"{min(unsure):.2f}" if unsure else "",
                f"{np.mean(unsure):.2f}" if unsure else "",
            )
        )
    return rows


HEADLINE = [
    "adjusted_rand",
    "adjusted_mutual_information",
    "nmi_sum",
    "variation_of_information",
    "purity",
    "pair_set_index",
]


def as_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def tables(measured: dict[str, dict[str, Coverage]]) -> dict[str, str]:
    """The tables of the page: by population, and by index."""
    columns = ("population", *HEADLINE)
    by_population = [
        (name, *(f"{own[h].covered:.2f}{'*' * (own[h].warned >= NEARLY_ALWAYS)}" for h in HEADLINE))
        for name, own in measured.items()
    ]
    names = ("index", "without a caveat", "least", "mean", "with a caveat", "least", "mean")
    return {
        "by population": as_table(columns, by_population),
        "by index": as_table(names, summary(measured)),
    }


def write(measured: dict[str, dict[str, Coverage]]) -> None:
    """The numbers beside the page, and its tables between their markers."""
    plain = {name: {label: asdict(c) for label, c in own.items()} for name, own in measured.items()}
    RESULTS.write_text(json.dumps(plain, indent=1) + "\n")
    page = PAGE.read_text()
    for name, table in tables(measured).items():
        start, end = f"<!-- table: {name} -->", f"<!-- end: {name} -->"
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = f"{before}{start}\n{table}\n{end}{after}"
    PAGE.write_text(page)


def read() -> dict[str, dict[str, Coverage]]:
    """The numbers that were written last."""
    kept = json.loads(RESULTS.read_text())
    return {name: {label: Coverage(**c) for label, c in own.items()} for name, own in kept.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=N_SAMPLES)
    parser.add_argument("--replicates", type=int, default=N_REPLICATES)
    parser.add_argument("--method", default="percentile", choices=["percentile", "bca"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    of_one = partial(measure, method=asked.method, n_samples=asked.samples, n_replicates=asked.replicates)
    measured = {}
    with ProcessPoolExecutor(asked.jobs) as pool:
        for population, found in zip(POPULATIONS, pool.map(of_one, POPULATIONS), strict=True):
            measured[population.name] = found
            wrong = [f"{n} {c.covered:.2f}, warned {c.warned:.2f}" for n, c in found.items() if not c.holds]
            sys.stdout.write(f"{population.name}: {'; '.join(wrong) or 'all hold'}\n")
            sys.stdout.flush()
    if asked.write:
        write(measured)
    return int(not all(c.holds for own in measured.values() for c in own.values()))


if __name__ == "__main__":
    sys.exit(main())
