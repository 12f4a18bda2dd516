"""Table 1 of campagner2022: five algorithms on Iris, exact and sampled; what comes closest; run times."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from partita.experiments.campagner2022.algorithms import (
    AS_PRINTED,
    FITTED,
    INDICES,
    Setting,
    certainty,
    exact,
    in_words,
    nearest_centres,
    numbers_of,
    partition_of,
    printed_of,
    sampled,
)
from partita.experiments.campagner2022.readings import OBJECTS, is_cut_off, possible_counts
from partita.experiments.findings import Finding, Printed, number
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.plots import FigureData
from partita.plots.kinds.lines import Series, line_figure
from partita.results import Cell, Table, show

ROWS = [f"{how}-{index}" for index in INDICES for how in "DS"]
"""As Table 1 has them: exact and sampled, for both indices."""

TITLES = {"RI": "RI (higher is better)", "PD": "PD (lower is better)"}

WHOSE = {"printed": AS_PRINTED, "fitted": FITTED}

DRAWS, COMPLETIONS = 1000, 100
"""Of the sampled rows; the paper does not tell its own."""

FEW_DRAWS, FEW_COMPLETIONS = 200, 20

SOFT = ("FCM", "PCM", "ECM")
SAME_CENTRE = 0.05
"""Centres that are nearer to each other, in cm, are called the same."""

NEAR = 0.02
"""Settings whose values are all within it of the printed ones are called near."""

REPEATS, LONG = 3, 0.5
"""Of a timing, of which the least counts; none follows after so many seconds."""


def plan_values(run: Run) -> Sequence[Task]:
    """One task for each algorithm, its settings as printed or fitted, and each index."""
    draws = (FEW_DRAWS, FEW_COMPLETIONS) if run.quick else (DRAWS, COMPLETIONS)
    return [
        Task(f"{whose}-{name}-{index}", (setting, index, run.task_seed(0, place), *draws))
        for whose, settings in WHOSE.items()
        for place, (name, setting) in enumerate(settings.items())
        for index in INDICES
    ]


def work_values(setting: Setting, index: str, seed: int, draws: int, completions: int) -> Record:
    """The exact and the sampled measure of one algorithm."""
    found = partition_of(setting, seed)
    values: dict[str, Any] = {
        "certainty": certainty(found),
        "nearest": nearest_centres(setting, seed),
        "D": exact(found, setting, index, seed),
    }
    if setting.algorithm != "KM":
        values["S"] = sampled(found, setting, index, seed, draws, completions)
    return Record(values)


def cell_of(records: Mapping[str, Record], whose: str, algorithm: str, row: str) -> dict[str, Any]:
    """What we have for a cell of the table: values, half-widths, method, counts."""
    how, index = row.split("-")
    cell: dict[str, Any] = records[f"{whose}-{algorithm}-{index}"].values[how]
    return cell


def gather_table1(records: Mapping[str, Record], run: Run) -> Part:
    """30 numbers with the settings as printed; the fitted ones beside them in a table."""
    findings = []
    for row in ROWS:
        for algorithm in AS_PRINTED:
            record = records[f"printed-{algorithm}-{row.split('-')[1]}"]
            for name, printed in numbers_of(row, algorithm).items():
                cell = cell_of(records, "printed", algorithm, row)
                findings.append(_judged(printed, cell["values"][name], cell["half"][name], algorithm, record))
    draws = (FEW_DRAWS, FEW_COMPLETIONS) if run.quick else (DRAWS, COMPLETIONS)
    remarks = (
        (
            "the Rand index counts ordered pairs, as the paper's eq. (1) does; that of scikit-learn is "
            "n/(n-1) times as far from 1"
        ),
        (
            f"not in the paper, chosen: {draws[0]} draws, {draws[1]} completions of each for PCM and ECM, "
            "the best of several starts; RKM centres by Peters' principle of indifference; the minimum as "
            "t-norm for PCM"
        ),
        (
            "RKM is judged by cutting off after three decimals: its 0.099 is no share of 150 objects that "
            "is rounded, "
            "and all its cells agree so; the others are judged by rounding"
        ),
        (
            'fitted settings are the closest of those that the part "search" tries; that they come near '
            "is no reproduction, and no finding counts them"
        ),
    )
    return Part(
        tuple(findings),
        {index: _figure(records, index) for index in INDICES},
        (_side_by_side(records),),
        remarks,
    )


def _judged(printed: Printed, obtained: float, half: float, algorithm: str, record: Record) -> Finding:
    """Within rounding, and what our own draws leave open; RKM by the digits that its own numbers show."""
    drawn = half > 0
    found = number(
        printed,
        obtained,
        tolerance=printed.half_unit + half if drawn else None,
        reason=f"rounding, and {show(half)} by our draws" if drawn else "",
    )
    if found.outcome == "reproduced":
        return found
    if algorithm == "RKM" and is_cut_off(obtained, printed):
        return replace(
            found, outcome="reproduced", reason="", tolerance="cut off after three decimals, as 0.099 is"
        )
    return replace(found, reason=_why(algorithm, record))


def _why(algorithm: str, record: Record) -> str:
    """What a reader can check: counts of objects for hard clusterings, how hard soft ones are."""
    if algorithm in SOFT:
        words = AS_PRINTED[algorithm].words
        why = (
            f"with {words} the largest share of a cluster in an object is {record.values['certainty']:.2f} "
            "on average, "
            "and the paper says that its settings give clusterings close to hard, where it is 1"
        )
        if record.values["nearest"] < SAME_CENTRE:
            why += "; two of the centres coincide"
        return why
    error = numbers_of("D-PD", algorithm)["value" if algorithm == "KM" else "lower"]
    if not possible_counts(error, OBJECTS):
        return (
            f"no single clustering of {OBJECTS} objects has the PD {error.text} "
            f"({error.value * OBJECTS:.2f} of them): "
            'the column holds a mean over runs; see the part "readings"'
        )
    return "another optimum"


def _side_by_side(records: Mapping[str, Record]) -> Table:
    rows = []
    for row in ROWS:
        for algorithm in AS_PRINTED:
            printed = numbers_of(row, algorithm)
            if printed:
                paper = {name: p.value for name, p in printed.items()}
                ours = [cell_of(records, whose, algorithm, row) for whose in WHOSE]
                away = [_largest_gap(paper, cell["values"]) for cell in ours]
                told = [f"{in_words(cell['values'])}" for cell in ours]
                rows.append(
                    (
                        row,
                        algorithm,
                        _as_text(printed),
                        told[0],
                        away[0],
                        told[1],
                        away[1],
                        FITTED[algorithm].words,
                    )
                )
    columns = (
        "row",
        "algorithm",
        "the paper",
        "as printed",
        "off by",
        "fitted",
        "off by ",
        "fitted settings",
    )
    notes = tuple(f"{name} as printed: {setting.words}" for name, setting in AS_PRINTED.items())
    return Table("Table 1, and ours", columns, tuple(rows), notes)


def _as_text(printed: Mapping[str, Any]) -> str:
    texts = [p.text for p in printed.values()]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _largest_gap(paper: Mapping[str, float], ours: Mapping[str, float]) -> float:
    return max(abs(paper[name] - ours[name]) for name in paper)


def _figure(records: Mapping[str, Record], index: str) -> FigureData:
    """An exact row of the table: the paper's values or intervals, and ours."""
    row = f"D-{index}"
    shown, gaps = {}, {}
    for algorithm in AS_PRINTED:
        paper = {name: p.value for name, p in numbers_of(row, algorithm).items()}
        ours = {whose: cell_of(records, whose, algorithm, row)["values"] for whose in WHOSE}
        shown[algorithm] = {TITLES[index]: _intervals({"paper": paper, **ours})}
        gaps[algorithm] = {whose: _largest_gap(paper, values) for whose, values in ours.items()}
    near = {whose: [name for name, gap in gaps.items() if gap[whose] <= NEAR] for whose in WHOSE}
    title = (
        f"Within {NEAR} of Table 1: {_listed(near['printed'])} with the printed settings; "
        f"{_listed(near['fitted'])} with fitted ones"
    )
    return line_figure(
        shown,
        title=title,
        description=f"{title}. A panel for each algorithm: the value, or a bar from lower to upper.",
        x="settings",
        y=TITLES[index],
        notes=("bars go from lower to upper; fitted settings are the closest of those tried; scales differ",),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _intervals(values: Mapping[str, Mapping[str, float]]) -> Series:
    low = [min(one.values()) for one in values.values()]
    high = [max(one.values()) for one in values.values()]
    return Series(list(values), [(a + b) / 2 for a, b in zip(low, high, strict=True)], low, high)


# --- settings that come closest ---------------------------------------------------------------------------


def searched(quick: bool) -> list[Setting]:
    """What is tried."""
    fuzzifiers = (1.2, 1.4, 2.0, 5.0) if quick else (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 2.0, 3.0, 5.0)
    typicalities = (1.2, 2.0) if quick else (1.2, 1.3, 1.4, 1.5, 1.75, 2.0, 5.0)
    alphas, betas = (
        ((1.0, 5.0), (1.4, 5.0)) if quick else ((0.5, 1.0, 2.0, 5.0), (1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 5.0))
    )
    return [
        *(Setting("KM", {"n_init": 1, "random_state": start}) for start in range(3)),
        *(
            Setting("RKM", {"threshold": 1.1, "variant": variant, "n_init": 20})
            for variant in ("pi", "peters", "lingras")
        ),
        *(Setting("FCM", {"m": m}) for m in fuzzifiers),
        *(Setting("PCM", {"m": m}, reading) for reading in ("cuts", "independent") for m in typicalities),
        *(Setting("ECM", {"alpha": a, "beta": b, "delta": 10.0}) for a in alphas for b in betas),
    ]


def plan_search(run: Run) -> Sequence[Task]:
    """One task for each setting."""
    return [
        Task(f"{place}", (setting, run.task_seed(1, place)))
        for place, setting in enumerate(searched(run.quick))
    ]


def work_search(setting: Setting, seed: int) -> Record:
    """How far the exact rows are from the paper's."""
    found = partition_of(setting, seed)
    draws = FEW_DRAWS if setting.algorithm == "PCM" else "auto"  # these are far off, and slow where soft
    cells = {index: exact(found, setting, index, seed, draws)["values"] for index in INDICES}
    gap = max(
        _largest_gap({n: p.value for n, p in numbers_of(f"D-{index}", setting.algorithm).items()}, values)
        for index, values in cells.items()
    )
    return Record({**cells, "gap": gap})


def gather_search(records: Mapping[str, Record], run: Run) -> Part:
    """All settings that were tried, the closest of each algorithm marked."""
    tried = searched(run.quick)
    gaps = [records[str(place)].values["gap"] for place in range(len(tried))]
    best = {
        name: min((gap, i) for i, gap in enumerate(gaps) if tried[i].algorithm == name)[1]
        for name in AS_PRINTED
    }
    rows = [
        (
            setting.algorithm,
            Cell(setting.words, strong=best[setting.algorithm] == place),
            *(in_words(records[str(place)].values[index]) for index in INDICES),
            Cell(gaps[place], strong=best[setting.algorithm] == place),
        )
        for place, setting in enumerate(tried)
    ]
    columns = ("algorithm", "settings", "D-RI", "D-PD", "off by at most")
    told = "; ".join(f"{name} {tried[i].words}, off by {show(gaps[i])}" for name, i in best.items())
    remarks = (
        f"{len(tried)} settings were tried; closest to Table 1 are {told}",
        "they were laid around what earlier, wider searches of ours had found; only these are run here",
        "a setting that was chosen because its numbers come close is fitted; it is no evidence for the paper",
        "2 / (m - 1) is 5 for m = 1.4, which would explain an m of 5 that is near to hard; a conjecture",
    )
    return Part((), {}, (Table("settings that were tried", columns, tuple(rows)),), remarks)


# --- run times --------------------------------------------------------------------------------------------


def work_seconds(setting: Setting, index: str, seed: int, draws: int, completions: int) -> Record:
    """How long both measures take, once the clustering is there; the least of some repeats."""
    found = partition_of(setting, seed)

    def least(work: Any) -> float:
        took: list[float] = []
        while len(took) < REPEATS and sum(took) < LONG:
            started = time.perf_counter()
            work()
            took.append(time.perf_counter() - started)
        return min(took)

    seconds = {"D": least(lambda: exact(found, setting, index, seed))}
    if setting.algorithm != "KM":
        seconds["S"] = least(lambda: sampled(found, setting, index, seed, draws, completions))
    return Record(seconds)


def gather_times(records: Mapping[str, Record], run: Run) -> Part:
    """Seconds beside the paper's; no finding comes from them."""
    rows = []
    for row in ROWS:
        how, index = row.split("-")
        for algorithm in AS_PRINTED:
            printed = printed_of(row, algorithm)
            if printed:
                paper = printed["seconds"].value
                ours = [
                    float(f"{records[f'{whose}-{algorithm}-{index}'].values[how]:.2g}") for whose in WHOSE
                ]
                rows.append((row, algorithm, paper, *ours, float(f"{paper / ours[1]:.2g}")))
    columns = ("row", "algorithm", "the paper", "as printed", "fitted", "times as fast, fitted")
    draws = (FEW_DRAWS, FEW_COMPLETIONS) if run.quick else (DRAWS, COMPLETIONS)
    notes = (
        "other machines and other inputs: only the orders of magnitude say something",
        f"sampled rows: {draws[0]} draws here; the paper does not tell its number",
    )
    remarks = (
        "seconds are measured and differ from run to run, alone of all numbers of this page",
        "no finding comes from them",
    )
    return Part((), {}, (Table("run times in seconds", columns, tuple(rows), notes),), remarks)


TABLE1 = Study(
    "table1",
    "the numbers of Table 1 with the settings as printed",
    plan_values,
    work_values,
    gather_table1,
    ("iris",),
)
SEARCH = Study(
    "search", "settings that come closest to Table 1", plan_search, work_search, gather_search, ("iris",)
)
TIMES = Study("times", "run times", plan_values, work_seconds, gather_times, ("iris",))
