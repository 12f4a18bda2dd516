"""The two tables of part II that compare indices by the number of clusters each chooses, in nine readings.

The slides do not say how data were scaled, and print some formulas twice: in part II, and in Table B.1,
where the sum of squares between clusters is the mean squared distance of two centres. The tables are
therefore run for data as they are, scaled to [0, 1] and z-scored, with the formulas of part II, with these
but for the SSB of Table B.1, and with all of Table B.1. The reading that reproduces most cells of both
tables is found, stated, and counted by.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.errors import ConvergenceWarning, PartitaWarning
from partita.experiments.findings import Finding, Printed, statement, undetermined
from partita.experiments.franti2017.sources import S_SETS, loaded, printed, told
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.indices.curves import angle, krzanowski_lai, second_difference
from partita.registry.curves import Curve
from partita.registry.rules import apply_rule
from partita.results import Cell, Table, show

__all__ = ["K_TABLES", "READINGS", "Reading", "curve_of", "largest_k", "scaled"]

SETS = {
    "R15": "r15",
    "A7": "aggregation",
    "S1": "s1",
    "S2": "s2",
    "S3": "s3",
    "S4": "s4",
    "D31": "d31",
    "Birch1": "birch1",
    "Iris": "iris",
    "Wine": "wine",
    "Control": "synthetic_control",
    "Image": "segment",
    "WDBC": "wdbc",
    "Yeast": "yeast",
    "Bridge": "bridge",
    "Zernike": "zernike",
}
"""Columns of the tables, and our names of them; that A7 is Aggregation was inferred from its numbers."""

QUICK_SETS = ("R15", "A7", "Iris", "Wine")
TOO_LARGE = ("Birch1",)
"""Its 100 000 objects, at up to 200 clusters, would take longer than all the rest."""

SCALINGS = {"raw": "data as they are", "unit": "data scaled to [0, 1]", "z": "z-scored data"}
FORMULAS = {
    "part II": "the formulas of part II",
    "SSB of B.1": "the formulas of part II with the SSB of Table B.1",
    "B.1": "all formulas of Table B.1",
}

ALGORITHMS = {"k by K-means": "KM", "k by Random Swap": "RS"}
RUNS = 3
"""Runs at each k: of random swap the best counts, of k-means the first; the others show its variation."""

SAMPLED = (
    "silhouette", "dunn", "sci", "davies_bouldin", "xie_beni", "bic_partition", "hartigan_log", "wb_index",
    "calinski_harabasz", "xu", "ball_hall", "ssw", "ssb:variant=slide", "dunn:variant=slide",
    "davies_bouldin:variant=squared", "silhouette:variant=squared", "sci:variant=printed",
)  # fmt: skip
"""Indices whose values at each k are kept."""

LOG_SIZES = "sum of log sizes"


@dataclass(frozen=True)
class Reading:
    """How the tables may have been made.

    Attributes
    ----------
    scaling, formulas : str
        Of `SCALINGS` and `FORMULAS`.
    """

    scaling: str
    formulas: str

    @property
    def words(self) -> str:
        """The reading in words."""
        return f"{SCALINGS[self.scaling]}, {FORMULAS[self.formulas]}"


READINGS = tuple(Reading(scaling, formulas) for scaling in SCALINGS for formulas in FORMULAS)


# --- curves -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Curves:
    """What one sweep over the number of clusters gave."""

    ks: Array
    n: int
    d: int
    values: Mapping[str, Sequence[float]]

    def of(self, name: str) -> Floats:
        """The values of an index; nan where there is none."""
        return np.array([math.nan if v is None else v for v in self.values[name]], dtype=float)


Formula = Callable[[Curves], Floats]


def _of_curve(index: Curve, curves: Curves, values: Floats) -> Floats:
    return np.asarray(index(curves.ks.tolist(), values.tolist(), n=curves.n, d=curves.d).values)


def _index(name: str) -> Formula:
    return lambda curves: curves.of(name)


def _between(curves: Curves) -> Floats:
    """SSB as Table B.1 has it: over both orders of each pair, hence twice the mean over pairs."""
    return 2.0 * curves.of("ssb:variant=slide")


def _ch(curves: Curves) -> Floats:
    ks = curves.ks
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_between(curves) / (ks - 1) / (curves.of("ssw") / curves.n / (curves.n - ks)))


def _wb(curves: Curves) -> Floats:
    return curves.ks * curves.of("ssw") / curves.n / _between(curves)


def _hartigan(curves: Curves) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(_between(curves) / (curves.of("ssw") / curves.n))


def _kl(curves: Curves) -> Floats:
    return _of_curve(krzanowski_lai, curves, curves.of("ssw"))


def _kl_signed(curves: Curves) -> Floats:
    """Without the bars, as it is printed."""
    scaled_scatter = curves.ks ** (2.0 / curves.d) * curves.of("ssw")
    drops = -np.diff(scaled_scatter, prepend=math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(drops / np.append(drops[1:], math.nan))


def _bic(curves: Curves) -> Floats:
    """BIC of Table B.1, its sign turned so that lower is better, as ours has it.

    The likelihood is that of ours, whose penalty is k (d + 1) / 2 log n on the scale of the likelihood.
    """
    likelihood = -0.5 * curves.of("bic_partition") + 0.5 * curves.ks * (curves.d + 1) * math.log(curves.n)
    return -2.0 * (likelihood - 0.5 * curves.ks * (curves.d + 1) * curves.of(LOG_SIZES))


def _bends(bic: Formula) -> Formula:
    return lambda curves: _of_curve(second_difference, curves, bic(curves))


def _angles(bic: Formula) -> Formula:
    return lambda curves: _of_curve(angle, curves, bic(curves))


@dataclass(frozen=True)
class Chooser:
    """How a row of the tables chooses: its formula, which values are better, and the rule."""

    formula: Formula
    direction: str
    rule: str = "best"


BIC = _index("bic_partition")
PART_II = {
    "Ball&Hall": Chooser(_index("ball_hall"), "lower", "knee"),
    "Calinski-Harabsz": Chooser(_index("calinski_harabasz"), "higher"),
    "Hartigan": Chooser(_index("hartigan_log"), "higher", "knee"),
    "Wb-index": Chooser(_index("wb_index"), "lower"),
    "Krzanowski-Lai": Chooser(_kl, "higher"),
    "Xu-index": Chooser(_index("xu"), "lower"),
    "Dunn": Chooser(_index("dunn"), "higher"),
    "DBI": Chooser(_index("davies_bouldin"), "lower"),
    "SC": Chooser(_index("silhouette"), "higher"),
    "SCI": Chooser(_index("sci"), "higher"),
    "XieBeni": Chooser(_index("xie_beni"), "lower"),
    "ORI_IBIC": Chooser(BIC, "lower", "first_max"),
    "Angle-based": Chooser(_angles(BIC), "lower"),
    "DiffBIC": Chooser(_bends(BIC), "higher"),
}
"""How the rows begin, and how each chooses by the formulas of part II."""

WITH_SSB = PART_II | {
    "Calinski-Harabsz": Chooser(_ch, "higher"),
    "Hartigan": Chooser(_hartigan, "higher", "knee"),
    "Wb-index": Chooser(_wb, "lower"),
}
"""The same with the sum of squares between clusters of Table B.1."""

TABLE_B1 = WITH_SSB | {
    "Krzanowski-Lai": Chooser(_kl_signed, "higher"),
    "Dunn": Chooser(_index("dunn:variant=slide"), "higher"),
    "DBI": Chooser(_index("davies_bouldin:variant=squared"), "lower"),
    "SC": Chooser(_index("silhouette:variant=squared"), "higher"),
    "SCI": Chooser(_index("sci:variant=printed"), "higher"),
    "ORI_IBIC": Chooser(_bic, "lower", "first_max"),
    "Angle-based": Chooser(_angles(_bic), "lower"),
    "DiffBIC": Chooser(_bends(_bic), "higher"),
}
"""All by Table B.1; it has no formula of its own for WB, which takes its sums of squares."""

BY_FORMULAS = dict(zip(FORMULAS, (PART_II, WITH_SSB, TABLE_B1), strict=True))

ROWS = tuple(PART_II)


def _chooser(table: str, formulas: str, row: str) -> Chooser:
    chooser = BY_FORMULAS[formulas][row]
    if row == "ORI_IBIC" and ALGORITHMS[table] == "RS":  # the first table has the first maximum of BIC
        return Chooser(chooser.formula, chooser.direction, "knee")
    return chooser


def curve_of(curves: Curves, table: str, formulas: str, row: str) -> Floats:
    """The curve by which a row chooses."""
    return _chooser(table, formulas, row).formula(curves)


def _choice(curves: Curves, table: str, formulas: str, row: str) -> int | None:
    """What a row chooses, from two clusters on."""
    chooser = _chooser(table, formulas, row)
    values = np.where(np.isfinite(found := chooser.formula(curves)), found, math.nan)
    return apply_rule(
        chooser.rule, curves.ks[1:].tolist(), values[1:].tolist(), direction=chooser.direction
    ).k


# --- work -------------------------------------------------------------------------------------------------


def largest_k(n: int) -> int:
    """The most clusters that were tried: the root of the number of objects, as the row of Xu implies."""
    return math.isqrt(n)


def scaled(X: Floats, scaling: str) -> Floats:
    """The data of a reading; a feature without spread stays 0."""
    if scaling == "raw":
        return X
    shifted = X - (X.min(axis=0) if scaling == "unit" else X.mean(axis=0))
    width = np.ptp(X, axis=0) if scaling == "unit" else X.std(axis=0)
    made: Floats = shifted / np.where(width > 0, width, 1.0)
    return made


def _plan(run: Run) -> list[Task]:
    tasks = []
    for place, (column, name) in enumerate(SETS.items()):
        if not run.has(name) or column in TOO_LARGE or (run.quick and column not in QUICK_SETS):
            continue
        seed = run.task_seed(2, place)
        tasks += [
            Task(f"{table}-{column}-{scaling}", (table, column, scaling, run.quick, seed))
            for table in ALGORITHMS
            for scaling in SCALINGS
        ]
    return sorted(tasks, key=lambda task: -loaded(SETS[task.arguments[1]]).n)  # the long ones first


def _work(table: str, column: str, scaling: str, quick: bool, seed: int) -> Record:
    """The curves of a sweep: of random swap those of the best runs, of k-means one of each run."""
    X = scaled(np.asarray(loaded(SETS[column]).X, dtype=float), scaling)
    runs = 1 if quick else RUNS
    best = ALGORITHMS[table] == "RS"
    ks = list(range(1, largest_k(len(X)) + 1))
    sweeps: list[dict[str, list[float | None]]] = [
        {name: [] for name in (*SAMPLED, LOG_SIZES)} for _ in range(1 if best else runs)
    ]
    for k in ks:
        found = [_labels(table, X, k, np.random.default_rng([seed, k, run])) for run in range(runs)]
        chosen = [min(found, key=lambda one: one[0])] if best else found
        for sweep, (_, labels) in zip(sweeps, chosen, strict=True):
            for name, value in _values(X, labels).items():
                sweep[name].append(value if math.isfinite(value) else None)
    return Record({"ks": ks, "n": len(X), "d": X.shape[1], "sweeps": sweeps})


def _labels(table: str, X: Floats, k: int, rng: np.random.Generator) -> tuple[float, Array]:
    """The sum of squares and the labels of one run."""
    from sklearn.cluster import KMeans

    state = int(rng.integers(2**31 - 1))
    model: Any = (
        KMeans(k, init="random", n_init=1, random_state=state)
        if ALGORITHMS[table] == "KM"
        else pt.cluster.RandomSwap(k, random_state=state)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: Array = model.fit(X).labels_
    return float(model.inertia_ if ALGORITHMS[table] == "KM" else model.objective_), labels


def _values(X: Floats, labels: Array) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PartitaWarning)
        found = pt.validate(X, labels, indices=list(SAMPLED), structure=False)
    values = {name: float(found[name].value) for name in SAMPLED}
    return {**values, LOG_SIZES: float(np.log(np.unique(labels, return_counts=True)[1]).sum())}


# --- what the readings come to ----------------------------------------------------------------------------


class Sweeps:
    """All curves of a run, and what each reading chooses by them."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self.curves: dict[tuple[str, str, str], list[Curves]] = {}
        for key, record in records.items():
            table, column, scaling = key.rsplit("-", 2)
            of = record.values
            self.curves[table, column, scaling] = [
                Curves(np.array(of["ks"]), of["n"], of["d"], values) for values in of["sweeps"]
            ]
        self._chosen: dict[tuple[str, str, Reading, str, int], int | None] = {}

    def columns(self, table: str) -> list[str]:
        """The columns of a table that were run, in its order."""
        return [column for column in SETS if (table, column, "raw") in self.curves]

    def first(self, table: str, column: str, reading: Reading) -> Curves:
        """The curves that count: of k-means those of the first runs."""
        return self.curves[table, column, reading.scaling][0]

    def chosen(self, table: str, column: str, reading: Reading, row: str, sweep: int = 0) -> int | None:
        """The number of clusters that a row chooses."""
        key = (table, column, reading, row, sweep)
        if key not in self._chosen:
            curves = self.curves[table, column, reading.scaling][sweep]
            self._chosen[key] = _choice(curves, table, reading.formulas, row)
        return self._chosen[key]

    def choices(self, cell: Printed, reading: Reading) -> list[int | None]:
        """What the row of a cell chooses in each sweep: one of random swap, several of k-means."""
        several = range(len(self.curves[cell.table, cell.column, reading.scaling]))
        return [self.chosen(cell.table, cell.column, reading, _row(cell), sweep) for sweep in several]

    def is_same(self, cell: Printed, reading: Reading) -> bool:
        """Whether a reading chooses what is printed; of k-means one of the sweeps, as the printed one is."""
        return any(_fits(cell, chosen) for chosen in self.choices(cell, reading))

    def cells(self, table: str) -> list[Printed]:
        """The printed cells of the columns that were run."""
        columns = self.columns(table)
        return [
            cell
            for (row, column), cell in printed(table).items()
            if row != "# of clusters" and column in columns
        ]

    def score(self, reading: Reading, table: str, row: str | None = None) -> int:
        """How many cells of a table a reading reproduces."""
        return sum(self.is_same(c, reading) for c in self.cells(table) if row is None or _row(c) == row)

    def best(self) -> Reading:
        """The reading that reproduces most cells of both tables; the first of equals."""
        return max(READINGS, key=lambda reading: sum(self.score(reading, table) for table in ALGORITHMS))


def _numbers(text: str) -> set[int]:
    return {int(part) for part in re.findall(r"\d+", text)}


def _fits(cell: Printed, chosen: int | None) -> bool:
    return chosen in _numbers(cell.text) or (chosen is None and "NA" in cell.text)


def _row(cell: Printed) -> str:
    """Our name of a printed row."""
    return max((row for row in ROWS if cell.row.startswith(row)), key=len)


def _in_words(chosen: int | None) -> str:
    return "none" if chosen is None else str(chosen)


def _judge(cell: Printed, sweeps: Sweeps, reading: Reading) -> Finding:
    """Whether the reading that is counted by chooses what is printed, and what is behind it where not."""
    choices = sweeps.choices(cell, reading)
    same = sweeps.is_same(cell, reading)
    why = "" if same else _cause(cell, sweeps, reading)
    found = statement(cell.where, cell.text, same, ", ".join(map(_in_words, choices)), unless=why)
    if len(choices) > 1:
        count = sum(_fits(cell, chosen) for chosen in choices)
        told_count = f"single runs differ: {count} of {len(choices)} sweeps choose it"
        return replace(found, tolerance=told_count)
    return found


def _cause(cell: Printed, sweeps: Sweeps, reading: Reading) -> str:
    """Why a cell is not reproduced, from the curves themselves."""
    row = _row(cell)
    if row in ("Ball&Hall", "Hartigan"):
        return _at_the_end(cell, sweeps, reading)
    parts = [_in_other_readings(cell, sweeps)]
    if row == "Krzanowski-Lai":
        parts.append(_small_denominator(cell, sweeps, reading))
    parts.append(_values_at(cell, sweeps, reading))
    return "; ".join(part for part in parts if part)


def _at_the_end(cell: Printed, sweeps: Sweeps, reading: Reading) -> str:
    curves = sweeps.first(cell.table, cell.column, reading)
    flattest = _flattest(curves, cell.table, reading.formulas, _row(cell))
    return (
        "not reproducible: the curve is about convex, its second difference is least near the end of the "
        "range (here "
        f"at {_in_words(flattest)} of {curves.ks[-1]}), and where it is least depends on the noise of "
        "single fits"
    )


def _flattest(curves: Curves, table: str, formulas: str, row: str) -> int | None:
    """The number of clusters at which the curve bends least."""
    values = curve_of(curves, table, formulas, row)[1:]
    bends = np.abs(np.diff(values, 2))
    return int(curves.ks[2:-1][np.nanargmin(bends)]) if np.isfinite(bends).any() else None


def _small_denominator(cell: Printed, sweeps: Sweeps, reading: Reading) -> str:
    """How small the denominator of the largest ratio is, and what other ends of the range would choose."""
    curves = sweeps.first(cell.table, cell.column, reading)
    steps = np.abs(np.diff(curves.ks ** (2.0 / curves.d) * curves.of("ssw")))
    chosen = sweeps.chosen(cell.table, cell.column, reading, _row(cell))
    if chosen is None:
        return ""
    share = steps[list(curves.ks).index(chosen)] / np.median(steps)  # the step from k to k + 1
    values = curve_of(curves, cell.table, reading.formulas, _row(cell))
    ends = range(len(curves.ks) // 2, len(curves.ks) + 1)
    known = [end for end in ends if np.isfinite(values[:end]).any()]
    picks = sorted({int(curves.ks[:end][np.nanargmax(values[:end])]) for end in known})
    return (
        f"a ratio of two differences, and the denominator of its largest is {100 * share:.0f} % of the "
        f"median one; ranges that end from {curves.ks[ends[0] - 1]} to {curves.ks[-1]} choose "
        f"{', '.join(map(str, picks))}"
    )


def _in_other_readings(cell: Printed, sweeps: Sweeps) -> str:
    """Which other readings choose it: whole scalings where all formulas do."""
    said = []
    for scaling, words in SCALINGS.items():
        of = [one for one in READINGS if one.scaling == scaling and sweeps.is_same(cell, one)]
        said += [words] if len(of) == len(FORMULAS) else [one.words for one in of]
    if not said:
        return "no reading of the nine chooses it: theirs had other clusterings, or another formula or rule"
    return f"chosen with {' and with '.join(said)}"


def _values_at(cell: Printed, sweeps: Sweeps, reading: Reading) -> str:
    """The values of the curve at both numbers of clusters."""
    curves = sweeps.first(cell.table, cell.column, reading)
    curve = curve_of(curves, cell.table, reading.formulas, _row(cell))
    values = dict(zip(curves.ks.tolist(), curve.tolist(), strict=True))
    chosen = sweeps.chosen(cell.table, cell.column, reading, _row(cell))
    numbers = sorted(_numbers(cell.text))
    if not numbers:
        return "when the slides call a choice NA they do not say"
    if _row(cell) == "DiffBIC" and 1 in numbers:
        return "there is no second difference at k = 1, as nothing is before it"
    known = [k for k in (*numbers, chosen) if k is not None and math.isfinite(values.get(k, math.nan))]
    pairs = [f"{show(values[k])} at {k}" for k in dict.fromkeys(known)]
    return f"the curve is {', '.join(pairs)}" if pairs else ""


def _gather(records: Mapping[str, Record], run: Run) -> Part:
    sweeps = Sweeps(records)
    if not sweeps.curves:
        left = [finding for table in ALGORITHMS for finding in _columns_left_out(table, set(), run)]
        return Part(tuple(left), remarks=("none of the sets can be had here: nothing was run",))
    reading = sweeps.best()
    findings: list[Finding] = []
    tables = [_readings_table(sweeps, reading), _rows_by_reading(sweeps, reading)]
    for table in ALGORITHMS:
        made = {(_row(cell), cell.column): _judge(cell, sweeps, reading) for cell in sweeps.cells(table)}
        findings += made.values()
        findings += _columns_left_out(table, set(sweeps.columns(table)), run)
        findings += _statements(table, sweeps, reading)
        tables.append(_table(table, sweeps, reading, made))
    return Part(tuple(findings), {}, tuple(tables), _remarks(sweeps, reading, run))


def _remarks(sweeps: Sweeps, reading: Reading, run: Run) -> tuple[str, ...]:
    total = sum(len(sweeps.cells(table)) for table in ALGORITHMS)
    scores = {one: sum(sweeps.score(one, table) for table in ALGORITHMS) for one in READINGS}
    plain = READINGS[0]
    runs = 1 if run.quick else RUNS
    first = sum(_fits(cell, sweeps.choices(cell, reading)[0]) for cell in sweeps.cells("k by K-means"))
    all_sweeps = sweeps.score(reading, "k by K-means")
    return (
        (
            f"nine readings were run; {reading.words} reproduce most, {scores[reading]} of {total} cells, "
            "and all "
            f"findings are counted by them; {plain.words} reproduce {scores[plain]}"
        ),
        (
            "the reading was chosen by its score, over both tables and all rows together: most printed "
            "numbers are 15 or "
            "2, so that a score says little of a single formula"
        ),
        (
            "numbers of clusters from 2 to the root of n: the slides do not say how far they went, the row "
            "of Xu implies it"
        ),
        _remark_on_ends(sweeps, reading),
        (
            f"random swap: the best of {runs} runs at each k; k-means: one run at each k from random "
            f"objects, as on the slides, in {runs} sweeps: a printed choice counts as the same where one of "
            f"them has it ({all_sweeps} cells), as single runs differ; the first sweep alone has {first}"
        ),
    )


def _remark_on_ends(sweeps: Sweeps, reading: Reading) -> str:
    """Where the printed choices of Ball-Hall and Hartigan lie in the range, and the flattest bends."""
    theirs, ours = [], []
    for table in ALGORITHMS:
        for cell in sweeps.cells(table):
            if _row(cell) in ("Ball&Hall", "Hartigan"):
                curves = sweeps.first(table, cell.column, reading)
                flattest = _flattest(curves, table, reading.formulas, _row(cell))
                theirs.append(max(_numbers(cell.text)) / curves.ks[-1])
                ours.append(0.0 if flattest is None else flattest / curves.ks[-1])
    late = [sum(share > LATE for share in shares) for shares in (theirs, ours)]
    return (
        f"Ball-Hall and Hartigan: {late[0]} of {len(theirs)} printed choices lie beyond {100 * LATE:.0f} % "
        "of the range, "
        f"as do {late[1]} of {len(ours)} of the k at which our curves bend least: the least second "
        "difference of a convex "
        "curve, which noise decides; they are not reproducible"
    )


LATE = 0.75
"""The share of the range of k beyond which a choice lies at its end."""


def _columns_left_out(table: str, ran: set[str], run: Run) -> list[Finding]:
    made = []
    for column, name in SETS.items():
        if column in ran:
            continue
        text = ", ".join(cell.text for (_, c), cell in printed(table).items() if c == column)
        why = run.missing.get(name, "not run in the quick version")
        if column in TOO_LARGE:
            why = "100 000 objects and up to 200 clusters: longer than all the rest, not run"
        made.append(undetermined(f"{table}, {column}", text, why))
    return made


def _truth(column: str) -> int | None:
    text = printed("k by Random Swap")["# of clusters", column].text
    return int(text) if text.isdigit() else None


def _statements(table: str, sweeps: Sweeps, reading: Reading) -> list[Finding]:
    sets = [column for column in S_SETS if column in sweeps.columns(table)]
    if not sets or ALGORITHMS[table] != "RS":
        return []
    made = []
    for row in ("Wb-index", "Xu-index", "SC", "SCI"):
        got = {column: sweeps.chosen(table, column, reading, row) for column in sets}
        right = all(got[column] == _truth(column) for column in sets)
        others = [
            one
            for one in READINGS
            if all(sweeps.chosen(table, column, one, row) == _truth(column) for column in sets)
        ]
        words = " and with ".join(one.words for one in others)
        unless = f"it does with {words}" if others else "with no reading of the nine"
        said = f"{row} finds the 15 clusters of {', '.join(sets)}"
        made.append(statement(table, said, right, told(got), unless=unless))
    return made


# --- tables -----------------------------------------------------------------------------------------------


def _readings_table(sweeps: Sweeps, best: Reading) -> Table:
    rows = []
    of = {table: len(sweeps.cells(table)) for table in ALGORITHMS}
    for reading in READINGS:
        scores = {table: sweeps.score(reading, table) for table in ALGORITHMS}
        rows.append(
            (
                Cell(reading.words, strong=reading == best),
                *(f"{score} of {of[table]}" for table, score in scores.items()),
                Cell(sum(scores.values()), strong=reading == best),
            )
        )
    return Table("nine readings of the two tables", ("reading", *ALGORITHMS, "both"), tuple(rows))


def _rows_by_reading(sweeps: Sweeps, best: Reading) -> Table:
    rows = tuple(
        (
            table,
            row,
            *(Cell(sweeps.score(reading, table, row), strong=reading == best) for reading in READINGS),
            sum(_row(cell) == row for cell in sweeps.cells(table)),
        )
        for table in ALGORITHMS
        for row in ROWS
    )
    columns = ("table", "index", *(f"{reading.scaling}, {reading.formulas}" for reading in READINGS), "of")
    return Table("cells reproduced, by index and reading", columns, rows)


def _table(table: str, sweeps: Sweeps, reading: Reading, made: Mapping[tuple[str, str], Finding]) -> Table:
    columns = sweeps.columns(table)
    rows = []
    for row in ROWS:
        outcomes = [made[row, column].outcome for column in columns if (row, column) in made]
        chosen = [sweeps.chosen(table, column, reading, row) for column in columns]
        right = sum(k == _truth(column) for k, column in zip(chosen, columns, strict=True))
        same = f"{outcomes.count('reproduced')} of {len(outcomes)}"
        rows.append((row, *("none" if k is None else k for k in chosen), same, right))
    rows.append(("true", *(_truth(column) or "" for column in columns), "", ""))
    title = f"{table}, as we get it: {reading.words}"
    return Table(title, ("index", *columns, "as printed", "true k"), tuple(rows))


K_TABLES = Study(
    "k_tables",
    "the number of clusters chosen by 14 indices, with k-means and random swap (part II)",
    _plan,
    _work,
    _gather,
    tuple(SETS.values()),
)
