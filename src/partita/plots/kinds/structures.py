"""The test of structure: what laws without clusters give, with what the data give."""

from __future__ import annotations

import numpy as np

from partita.arrays import Floats
from partita.datasets.null_data import LAWS
from partita.plots.figures import FigureData, NoFigureError
from partita.plots.kinds.nulls import NullPanel, null, null_figure
from partita.results import show
from partita.selection._structure import LEVEL, Structure
from partita.statistics.null_tests import DIRECTIONS, STATISTICS, NullTest


@null.of(Structure, usual=True)
def null_of_structure(result: Structure, *, every: bool = False) -> FigureData:
    """For each law the statistic by which the data look most clustered; with ``every`` all statistics."""
    if result.draws is None or not len(result.tests):
        raise NoFigureError(
            "the data sets that were drawn from the laws are no longer there.",
            got="a result without draws",
            need="one as structure returned it",
            fix="structure(X)",
        )
    draws, per_law = result.draws, len(result.tests) // len(LAWS)
    if every:  # a row for each statistic, a column for each law
        shown = [law * per_law + place for place in range(per_law) for law in range(len(LAWS))]
    else:
        shown = [_deciding(result, draws, law) for law in LAWS]
    tests = [result.tests[i] for i in shown]
    compared = "; ".join(
        f"{test.statistic}{_where(result, test)} is {show(test.value)}, in {test.null} data"
        f" {show(test.null_mean)} on average (corrected p = {show(test.corrected_p)})"
        for test in tests
    )
    which = "each statistic" if every else "the statistic with the smallest p-value"
    return null_figure(
        {
            _name(result, test, every): _panel(result, test, draws[i])
            for i, test in zip(shown, tests, strict=True)
        },
        _title(result),
        f"{result.statement}. For each law {which}, as a histogram of {result.n_null:,} data sets from"
        f" the law, with the value of the data: {compared}.",
        notes=_notes(len(result.tests), len(tests)),
    )


def _deciding(result: Structure, draws: Floats, law: str) -> int:
    """The test of a law with the smallest corrected p-value; of several the one that stands out furthest."""
    mine = [i for i, test in enumerate(result.tests) if test.null == law]
    return min(mine, key=lambda i: (result.tests[i].corrected_p, -_deviation(result.tests[i], draws[i])))


def _deviation(test: NullTest, draws: Floats) -> float:
    """How far the data are from data of the law, in deviations of these, towards clusters."""
    away = _direction(test) * (test.value - test.null_mean)
    spread = float(np.std(draws))
    return away / spread if spread else away


def _direction(test: NullTest) -> float:
    return float(DIRECTIONS[STATISTICS.index(test.statistic)])


def _where(result: Structure, test: NullTest) -> str:
    """Whether a test is about some principal components only."""
    count = test.dimensions
    return f" of {count} component{'s' if count > 1 else ''}" if count < result.dimensions else ""


def _name(result: Structure, test: NullTest, every: bool) -> str:
    return f"{test.null} law{f', {test.statistic}{_where(result, test)}' if every else ''}"


def _panel(result: Structure, test: NullTest, draws: Floats) -> NullPanel:
    way = f"{'higher' if _direction(test) > 0 else 'lower'} with clusters"
    where = _where(result, test).removeprefix(" ")
    return NullPanel(
        values=draws,
        observed=test.value,
        p=test.corrected_p,
        expected=None,
        axis=f"{test.statistic}\n{f'{where}, {way}' if where else f'({way})'}",
    )


def _title(result: Structure) -> str:
    if result.has_structure:
        explained = f"none of {len(LAWS)} laws without clusters explains the data"
        return f"structure was found: {explained} (p = {show(result.p)})"
    kept = [law for law in LAWS if result.p_of(law) >= LEVEL]
    listed = " and ".join(filter(None, [", ".join(kept[:-1]), kept[-1]]))
    laws = f"the {listed} laws are" if len(kept) > 1 else f"the {listed} law is"
    told = f"no structure was found: {laws} not refuted"
    doubt = ", and the test is weak here" if result.strength == "weak" else ""
    return f"{told} (p = {show(result.p)}){doubt}"


def _notes(total: int, shown: int) -> tuple[str, ...]:
    hidden = f"{shown} of {total} tests shown: of each law the one with the smallest p"
    corrected = f"p is corrected for the {total // len(LAWS)} statistics held against each law"
    return (*([hidden] if shown < total else []), corrected)
