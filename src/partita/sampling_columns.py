"""How sure the values of a comparison are, and whether they surprise: intervals and chance in its rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from partita.chance.bootstraps import intervals, notes_on
from partita.chance.chances import Chance, NullDraws, chance_of
from partita.chance.expectations import MONTE_CARLO
from partita.chance.null_models import NullModel
from partita.inputs import Inputs
from partita.registry import Index
from partita.results.index_rows import IndexValue

__all__ = ["SampledRows", "Sampling", "sampled_rows"]


@dataclass(frozen=True)
class Sampling:
    """What is drawn for p-values and intervals, and from which seeds."""

    null: NullModel | None
    bootstrap: int | None
    confidence: float
    interval: str
    n_shuffles: int
    random_state: Any
    seed_of_shuffles: int
    seed_of_replicates: int

    @property
    def facts(self) -> dict[str, Any]:
        """What the provenance says of it: nothing where nothing was asked for."""
        facts: dict[str, Any] = {}
        if self.null is not None:
            facts |= {"null": str(self.null), "n_shuffles": self.n_shuffles}
        if self.bootstrap is not None:
            facts |= {"bootstrap": self.bootstrap, "interval": self.interval}
        return {**facts, "confidence": self.confidence, "random_state": self.random_state} if facts else {}


@dataclass(frozen=True)
class SampledRows:
    """Rows with sampling intervals and chance, what is said of all of them, and the draws of each index."""

    rows: tuple[IndexValue, ...]
    notes: tuple[str, ...] = ()
    null_draws: Mapping[str, NullDraws] = field(default_factory=dict)


def sampled_rows(
    rows: tuple[IndexValue, ...], entries: Sequence[Index], inputs: Inputs, sampling: Sampling
) -> SampledRows:
    """The rows with sampling intervals and chance."""
    notes: tuple[str, ...] = ()
    if not inputs.n_objects:
        return SampledRows(rows)
    if sampling.bootstrap is not None:
        rows, notes = _with_intervals(rows, entries, inputs, sampling)
    if sampling.null is None:
        return SampledRows(rows, notes)
    by_chance = chance_of(
        entries, inputs, sampling.null, n_shuffles=sampling.n_shuffles, seed=sampling.seed_of_shuffles
    )
    rows, more = _with_chance(rows, by_chance, sampling)
    draws = {label: one.draws for label, one in by_chance.items() if one.draws is not None}
    return SampledRows(rows, (*notes, *more), draws)


def _with_intervals(
    rows: tuple[IndexValue, ...], entries: Sequence[Index], inputs: Inputs, sampling: Sampling
) -> tuple[tuple[IndexValue, ...], tuple[str, ...]]:
    assert sampling.bootstrap is not None
    found = intervals(
        entries,
        inputs,
        n_replicates=sampling.bootstrap,
        confidence=sampling.confidence,
        method=sampling.interval,
        seed=sampling.seed_of_replicates,
        values={row.index: row.value for row in rows},
    )
    made = tuple(
        replace(
            row,
            ci_low=found[row.index].low,
            ci_high=found[row.index].high,
            caveats=(*row.caveats, *(found[row.index].caveats if not math.isnan(row.value) else ())),
        )
        for row in rows
    )
    return made, notes_on(found.values(), sampling.bootstrap)


def _with_chance(
    rows: tuple[IndexValue, ...], by_chance: Mapping[str, Chance], sampling: Sampling
) -> tuple[tuple[IndexValue, ...], tuple[str, ...]]:
    made = []
    for row in rows:
        one = by_chance.get(row.index)
        if one is not None:
            row = replace(  # noqa: PLW2901
                row,
                expected=one.expected,
                expected_error=one.error,
                adjusted=one.adjusted,
                p=one.p,
                z=one.z,
                null_mean=one.mean,
                null_spread=one.spread,
                caveats=(*row.caveats, *one.caveats),
            )
        made.append(row)
    with_p = sum(not math.isnan(row.p) for row in made)
    level = 1.0 - sampling.confidence
    by_luck = (
        f"; {with_p} indices were looked at: by chance alone about {with_p * level:.2g} have p of at most"
        f" {level:.2g}"
        if with_p > 1
        else ""
    )
    note = f"chance: {sampling.null}; p: how often it does at least as well{by_luck}"
    return tuple(made), (note, *_how_expected(by_chance))


def _how_expected(by_chance: Mapping[str, Chance]) -> tuple[str, ...]:
    """How the expected values were found, for how many indices, and how sure those are that were drawn."""
    ways = Counter(one.how for one in by_chance.values() if one.how)
    if not ways:
        return ()
    errors = [one.error for one in by_chance.values() if one.how == MONTE_CARLO and not math.isnan(one.error)]
    sure = f" (standard error up to {max(errors):.2g}, see expected_error)" if errors else ""
    told = [f"{how} for {count}{sure if how == MONTE_CARLO else ''}" for how, count in sorted(ways.items())]
    return (f"expected values: {', '.join(told)} of the indices",)
