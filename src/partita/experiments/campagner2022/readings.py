"""Readings of campagner2022 that are not what it says: which cells of Table 1 each would reproduce."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.datasets import load
from partita.experiments.campagner2022.algorithms import (
    AS_PRINTED,
    INDICES,
    Setting,
    exact,
    numbers_of,
    partition_of,
)
from partita.experiments.findings import Printed
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.partitions import FuzzyPartition, Partition
from partita.results import Table, show

__all__ = ["READINGS", "cut_off", "is_cut_off", "possible_counts", "shares_that_fit"]

RUNS, FEW_RUNS = 400, 60
"""Of k-means from one start each."""

WEIGHTS = (1.0, 1.2, 1.4, 2.0, 5.0)
"""Powers of the memberships that weigh the objects of a centre."""

OBJECTS = 150
"""Of Iris."""

EXPONENT = 5.0
"""Of the distance in the memberships."""


# --- what digits can be -----------------------------------------------------------------------------------


def possible_counts(printed: Printed, size: int) -> list[int]:
    """Whole numbers of objects of so many whose share rounds to what is printed."""
    low, high = printed.value - printed.half_unit, printed.value + printed.half_unit
    return list(range(math.ceil(low * size - 1e-9), math.floor(high * size + 1e-9) + 1))


def cut_off(value: float, printed: Printed) -> float:
    """A value with as many decimals as are printed, the others dropped."""
    scale = 10.0 ** len(printed.text.partition(".")[2])
    return math.floor(value * scale + 1e-9) / scale


def is_cut_off(value: float, printed: Printed) -> bool:
    """Whether the printed digits are those of the value with the rest cut off.

    A partition distance of 0.1 may be kept as 1 - 0.9, which is 0.09999999999999998 and is cut off to 0.099.
    """
    below = cut_off(value - 1e-6, printed)
    return printed.value in (round(cut_off(value, printed), 9), round(below, 9))


def shares_that_fit(values: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """The shares of the first of two values with which the mean of both rounds to what is printed, for all.

    ``values`` has the two values by row of Table 1; the bounds cross where no share fits.
    """
    low, high = 0.0, 1.0
    for row, (first, second) in values.items():
        printed = numbers_of(row, "KM")["value"]
        ends = sorted(
            (printed.value + side * printed.half_unit - second) / (first - second) for side in (-1, 1)
        )
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


# --- the study --------------------------------------------------------------------------------------------


def plan_readings(run: Run) -> Sequence[Task]:
    """K-means from many starts; memberships with an exponent of 5, by the weights of the centres."""
    runs = FEW_RUNS if run.quick else RUNS
    return [
        Task("KM", ("KM", runs, run.task_seed(2, 0))),
        Task("RKM", ("RKM", 0, run.task_seed(2, 1))),
        *(
            Task(f"FCM-{weight:g}", ("FCM", weight, run.task_seed(2, 2, i)))
            for i, weight in enumerate(WEIGHTS)
        ),
    ]


def work_reading(algorithm: str, option: float, seed: int) -> Record:
    """The exact rows of one reading; for k-means how often each clustering is found."""
    if algorithm == "KM":
        return _work_runs(int(option), seed)
    setting = AS_PRINTED[algorithm]
    found = (
        partition_of(setting, seed)
        if algorithm == "RKM"
        else FuzzyPartition(memberships_with_exponent(EXPONENT, option, seed))
    )
    return Record({index: exact(found, setting, index, seed)["values"] for index in INDICES})


def _work_runs(runs: int, seed: int) -> Record:
    starts = np.random.default_rng(seed).integers(0, 2**31 - 1, size=runs).tolist()
    seen: Counter[tuple[float, float]] = Counter()
    for start in starts:
        setting = Setting("KM", {"n_init": 1, "random_state": start})
        found = partition_of(setting, start)
        seen[_pair(found, setting, start)] += 1
    return Record({"seen": [[*values, count] for values, count in seen.most_common()], "runs": runs})


def _pair(found: Partition, setting: Setting, seed: int) -> tuple[float, float]:
    first, second = (exact(found, setting, index, seed)["values"]["value"] for index in INDICES)
    return round(first, 9), round(second, 9)


def memberships_with_exponent(exponent: float, weight: float, seed: int) -> Array:
    """Fuzzy c-means: memberships by a power of the distance, weights in the centres by another."""
    X, _ = load("iris")
    rng = np.random.default_rng(seed)
    best: tuple[float, Array] = (math.inf, np.empty(0))
    for _ in range(5):
        centres = X[rng.choice(len(X), 3, replace=False)]
        for _ in range(1000):
            logs = -exponent * np.log(np.linalg.norm(X[:, None] - centres, axis=2) + 1e-12)
            U = np.exp(logs - logs.max(axis=1, keepdims=True))
            U /= U.sum(axis=1, keepdims=True)
            weights = U**weight
            moved = weights.T @ X / weights.sum(axis=0)[:, None]
            near = float(abs(moved - centres).max())
            centres = moved
            if near < 1e-10:
                break
        spread = float((U**weight * np.linalg.norm(X[:, None] - centres, axis=2) ** 2).sum())
        best = min(best, (spread, U), key=lambda one: one[0])
    return best[1]


def gather_readings(records: Mapping[str, Record], _run: Run) -> Part:
    """Which cells each reading would reproduce; none is counted, as each was chosen for its numbers."""
    rows = [_row_of_runs(records["KM"]), *_rows_of_rough(records["RKM"])]
    rows += [_row_of_exponent(weight, records[f"FCM-{weight:g}"]) for weight in WEIGHTS]
    columns = ("algorithm", "reading", "D-RI", "D-PD", "cells that it gives", "cells that it does not give")
    fuzzy = [records[f"FCM-{weight:g}"].values for weight in WEIGHTS]
    spans = [[one[index]["value"] for one in fuzzy] for index in INDICES]
    remarks = (
        _remark_on_k_means(records["KM"]),
        _remark_on_rough(),
        (
            f"FCM: memberships by distance to the power of -{EXPONENT:g} (m = 1.4 in the usual formula, 1.2 "
            "where the "
            f"distance is not squared) give {min(spans[0]):.4f} to {max(spans[0]):.4f} for RI and "
            f"{min(spans[1]):.4f} "
            f"to {max(spans[1]):.4f} for PD, depending on how objects weigh on the centres; m = 5 as "
            "printed gives "
            "numbers far off"
        ),
    )
    return Part((), {}, (Table("readings, and what they give", columns, tuple(rows)),), remarks)


def _two_optima(record: Record) -> list[tuple[float, float, int]]:
    return [(ri, pd, count) for ri, pd, count in record.values["seen"]][:2]


def _remark_on_k_means(record: Record) -> str:
    size = OBJECTS
    printed = numbers_of("D-PD", "KM")["value"]
    low, high = _fitting_share(record)
    worse = max(_two_optima(record), key=lambda one: one[1])
    counts = possible_counts(printed, size)
    whole = "no whole number of objects" if not counts else f"{counts} objects"
    said = (
        f"KM: {printed.text} of {size} objects is {printed.value * size:.2f}, and {whole} rounds to it: it "
        "cannot come "
        f"from a single run"
    )
    if low > high:
        return f"{said}; no mean of the two optima that runs end in has both numbers"
    return (
        f"{said}; the mean over runs of which {100 * low:.0f} to {100 * high:.0f} % end with "
        f"{round(worse[1] * size)} "
        f"objects wrong and the others in the better optimum has both numbers"
    )


def _fitting_share(record: Record) -> tuple[float, float]:
    (one, other) = sorted(_two_optima(record), key=lambda seen: -seen[1])
    return shares_that_fit({"D-RI": (one[0], other[0]), "D-PD": (one[1], other[1])})


def _remark_on_rough() -> str:
    size = OBJECTS
    lower = numbers_of("D-PD", "RKM")["lower"]
    counts = possible_counts(lower, size)
    whole = "no whole number of objects" if not counts else f"{counts} objects"
    return (
        f"RKM: {lower.text} of {size} objects is {lower.value * size:.2f}, and {whole} rounds to it; 15 "
        "objects are 0.1, "
        "which is 0.0999... where it is kept as 1 - 0.9, and its digits cut off are 0.099: all eight cells "
        "of RKM are "
        "ours cut off after three decimals, and the part table1 judges them so"
    )


def _row_of_runs(record: Record) -> tuple[Any, ...]:
    (one, other) = sorted(_two_optima(record), key=lambda seen: -seen[1])
    runs = record.values["runs"]
    share = one[2] / runs
    low, high = _fitting_share(record)
    fitted = (low + high) / 2
    values = {
        "D-RI": fitted * one[0] + (1 - fitted) * other[0],
        "D-PD": fitted * one[1] + (1 - fitted) * other[1],
    }
    return (
        "KM",
        (
            f"mean over runs of one start, {100 * fitted:.0f} % of them in the worse optimum (of {runs} runs "
            f"of ours {100 * share:.0f} %)"
        ),
        values["D-RI"],
        values["D-PD"],
        *_cells("KM", {row: {"value": value} for row, value in values.items()}, _rounds),
    )


def _rows_of_rough(record: Record) -> list[tuple[Any, ...]]:
    values = {f"D-{index}": record.values[index] for index in INDICES}
    shown = tuple(f"({', '.join(show(round(v, 4)) for v in of.values())})" for of in values.values())
    return [
        ("RKM", "rounded", *shown, *_cells("RKM", values, _rounds)),
        ("RKM", "cut off after three decimals", *shown, *_cells("RKM", values, is_cut_off)),
    ]


def _row_of_exponent(weight: float, record: Record) -> tuple[Any, ...]:
    values = {f"D-{index}": record.values[index] for index in INDICES}
    reading = f"exponent of {EXPONENT:g}, centres by memberships to the power of {weight:g}"
    return ("FCM", reading, *(of["value"] for of in values.values()), *_cells("FCM", values, _rounds))


def _rounds(value: float, printed: Printed) -> bool:
    return abs(printed.value - value) <= printed.half_unit + 1e-9


def _cells(algorithm: str, values: Mapping[str, Mapping[str, float]], fits: Any) -> tuple[str, str]:
    """The cells of the exact rows that a reading gives, and the others."""
    got: dict[bool, list[str]] = {True: [], False: []}
    for row, of in values.items():
        for name, printed in numbers_of(row, algorithm).items():
            got[bool(fits(of[name], printed))].append(f"{row} {name}".removesuffix(" value"))
    return ", ".join(got[True]) or "none", ", ".join(got[False]) or "none"


READINGS = Study(
    "readings",
    "readings that are not what it says, and the cells that they give",
    plan_readings,
    work_reading,
    gather_readings,
    ("iris",),
)
