"""How the work of each statistic grows with the number of objects, in CPU seconds of one thread.

Statistics are found by themselves: every class that the catalogue loads. One is measured through an index
that stands on it, checks and formula included, or collected alone where none does. The exponent is the slope
of log seconds over log n by least squares, at sizes where fixed costs no longer matter.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import partita as pt
from measuring import Growth, Report, cpu_seconds
from partita.engine import Request, collect, pair_operations
from partita.errors import PartitaWarning
from partita.inputs import prepare
from partita.kernels import compilation
from partita.partitions import Kind
from partita.statistics.protocol import Additive, Statistic, Whole

ISSUE = 19
LINEAR, PAIRS = 1.15, 2.15
LEAST_SECONDS = {LINEAR: 0.1, PAIRS: 0.03}
"""CPU time of the smallest size: fixed costs are milliseconds, and what is linear no longer fits a cache."""
SIZES = (1, 2, 4)
FIRST, LAST = {LINEAR: 20_000, PAIRS: 500}, {LINEAR: 10**6, PAIRS: 64_000}
"""Where the search for the smallest size begins and ends."""
FEATURES, CLUSTERS = 3, 4
ORDER = (Kind.FUZZY, Kind.HARD, Kind.EVIDENTIAL)
"""Which kind is taken of those that a statistic accepts: of two hard ones a table may tell all."""


def run(report: Report, best: Callable[..., float]) -> None:  # noqa: ARG001 (one form for all)
    compilation.PLAIN_STEPS = 0  # compiled at every size, so that all sizes run the same code
    os.environ["PARTITA_NUM_THREADS"] = "1"  # threads that wait for one another count as work
    for statistic in statistics():
        with threadpool_limits(1):
            grown = growth_of(statistic)
        report.add(grown)
        print(
            f"{'ok    ' if grown.holds else 'MISSED'} {statistic.__name__:<22} by {grown.work:<40} "
            f"n^{grown.exponent:.2f} at n = {grown.sizes[0]:,} to {grown.sizes[-1]:,}, limit {grown.limit:g}",
            flush=True,
        )


def statistics() -> list[type[Statistic]]:
    """Every statistic there is, once the catalogue has loaded them all."""
    pt.indices.catalogue()
    found = {s for s in _below(Statistic) if s not in (Additive, Whole) and not s.__name__.startswith("_")}
    return sorted(found, key=lambda s: s.__name__)


def _below(cls: type[Statistic]) -> Iterator[type[Statistic]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from _below(sub)


def growth_of(statistic: type[Statistic]) -> Growth:
    work, name, kind = work_on(statistic)
    limit = limit_of(statistic, kind)

    def timed(n: int, repeats: int) -> float:
        return cpu_seconds(work(inputs_for(statistic, kind, n)), repeats)

    n = FIRST[limit]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        timed(n, 1)  # compiled on the first call
        while n < LAST[limit] and (seconds := timed(n, 2)) < LEAST_SECONDS[limit]:
            n *= 4 if seconds < LEAST_SECONDS[limit] / 4**limit else 2
        n = min(n, LAST[limit])
        while is_sampled(statistic, kind, n * SIZES[-1]):  # an estimate is other work than the exact value
            n //= 2
        sizes = [n * factor for factor in SIZES]
        times = [timed(size, 3) for size in sizes]
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    return Growth(statistic.__name__, name, tuple(sizes), tuple(times), slope, limit)


def work_on(statistic: type[Statistic]) -> tuple[Callable[[dict[str, Any]], Callable[[], object]], str, Kind]:
    """What is timed, its name, and the kind of clusterings it is timed on.

    An index that stands on this statistic and on as little else as can be, or else its collection.
    """
    entries = [entry for entry in pt.indices.catalogue() if statistic in entry.statistics]
    for entry in pt.indices.catalogue():
        for option, choices in entry.alternatives.items():
            entries += [
                entry.using(**{option: value}) for value, chosen in choices.items() if chosen is statistic
            ]
    for kind in (k for k in ORDER if k in statistic.kinds_accepted):
        defined = [entry for entry in entries if kind in entry.kinds]
        if defined:
            entry = min(defined, key=lambda e: len(e.statistics))
            return partial(_called, entry), entry.label, kind

    kind = next(k for k in ORDER if k in statistic.kinds_accepted)
    return partial(_collected, statistic), "collection alone", kind


def _called(entry: Any, given: dict[str, Any]) -> Callable[[], object]:
    return lambda: entry(*(given[name] for name in entry.inputs))


def _collected(statistic: type[Statistic], given: dict[str, Any]) -> Callable[[], object]:
    inputs = prepare(given)
    return lambda: collect([Request(statistic)], inputs)


def is_sampled(statistic: type[Statistic], kind: Kind, n: int) -> bool:
    """Whether so many objects are only looked at in part."""
    [made] = collect([Request(statistic)], prepare(inputs_for(statistic, kind, n))).values()
    return bool(made.is_sampled)


def limit_of(statistic: type[Statistic], kind: Kind) -> float:
    """Pairs of objects, where the statistic itself counts its work in them."""
    few, twice = (
        pair_operations([Request(statistic)], prepare(inputs_for(statistic, kind, n))) for n in (64, 128)
    )
    return PAIRS if twice >= 3 * few > 0 else LINEAR


@cache
def pool() -> dict[str, Any]:
    """Data and clusterings of as many objects as are ever asked for; fewer are their first rows."""
    rng, n = np.random.default_rng(0), LAST[LINEAR] * SIZES[-1]
    shares = {"truth": rng.random((n, CLUSTERS)) ** 2, "found": rng.random((n, CLUSTERS + 1)) ** 2}
    return {
        "X": rng.normal(size=(n, FEATURES)),
        **{name: U / U.sum(axis=1, keepdims=True) for name, U in shares.items()},
        **{f"{name} labels": rng.integers(0, U.shape[1], n) for name, U in shares.items()},
    }


def inputs_for(statistic: type[Statistic], kind: Kind, n: int) -> dict[str, Any]:
    """What a statistic takes, of n objects; data never come without a clustering."""
    made = {name: values[:n] for name, values in pool().items()}
    if statistic.__name__ == "BinaryCounts":
        made["X"] = (made["X"] > 0).astype(float)
    for name in ("truth", "found"):
        if kind is Kind.HARD:
            made[name] = made[f"{name} labels"]
        elif kind is Kind.EVIDENTIAL:
            made[name] = pt.EvidentialPartition(made[name], np.eye(made[name].shape[1], dtype=bool))
    if "model" in statistic.inputs:
        made["model"] = pt.cluster.GaussianMixtureEM(CLUSTERS, random_state=0).fit(pool()["X"][:2000])
    given = {name: made[name] for name in statistic.inputs}
    return given if len(given) > 1 or "X" not in given else {**given, "found": made["found"]}
