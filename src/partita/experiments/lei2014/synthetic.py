"""The 18 synthetic sets of lei2014: scatter plots, success rates, averages and consensus."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

import partita as pt
from partita.arrays import Array, Floats
from partita.datasets import LEI2014, make_lei2014
from partita.experiments.findings import Finding, printed_values, statement
from partita.experiments.lei2014.protocol import (
    COVARIANCES,
    COVARIANCES_NOTE,
    GOOD,
    INDICES,
    RIDGE,
    averages,
    chosen,
    consensus_work,
    curves_figure,
    fitted,
    rate_of,
    rates_figure,
    seeds_of,
    values_of,
)
from partita.experiments.studies import Part, Record, Run, Study, Task
from partita.results import Table

__all__ = ["CONSENSUS", "FIG1", "FUTURE", "RATES", "numbers_of"]

AROUND = 10.0
"""Percentage points that count as "around" a rate which the text gives: it has no digits."""


def level(whose: str) -> float:
    """The success rate in % that the text gives for some indices."""
    return next(one.value for one in printed_values("lei2014") if one.row == whose)


STRONG = 0.5
"""A correlation of ranks that counts as a trend of five rates."""

BAD = ("MI", "NMI_min")

TIMES = (6, 7)
"""By how much less reliable the text calls the two."""

BETWEEN_DRAWS = 5.2
"""Percentage points: the standard deviation of MI's rate between 18 draws of all sets."""

FIGURE_1 = ("data3_r1_dens1_3", "data3_r5_dens1_3", "data5_r2_dens1_5", "data5_r6_dens1_5")
SHOWN = {"data3_r5_dens1_6": "Fig. 6", "data5_r5_dens1_5": "Fig. 7"}
"""The sets of which the paper shows curves; the second has even priors."""

NOTE = (
    "EM starts and stops as the paper says; each object draws its group by the priors, and the angle of the "
    "first ray is ours"
)


def data_of(name: str, run_seed: int) -> tuple[Floats, Array]:
    """Objects and labels of one of the sets, always the same for a seed."""
    seed = np.random.default_rng([run_seed, list(LEI2014).index(name)])
    X, labels = make_lei2014(name, random_state=seed)
    return X, labels


def numbers_of(name: str) -> list[int]:
    """From 2 to twice the true number."""
    return list(range(2, 2 * LEI2014[name].c + 1))


# --- Fig. 1 -----------------------------------------------------------------------------------------------


def _no_work() -> Record:
    return Record({})


def _scatters(_: Mapping[str, Record], run: Run) -> Part:
    figures = {}
    for name in FIGURE_1:
        X, labels = data_of(name, run.seed)
        shown = pt.plots.figure_data(pt.HardPartition(labels), "scatter", X=X)
        figures[name] = replace(shown, title=f"data{LEI2014[name].c}, {_short(name)}: {shown.title}")
    return Part(
        figures=figures, remarks=("the four scatter plots of Fig. 1, drawn anew from the stated laws",)
    )


FIG1 = Study("fig1", "the scatter plots of Fig. 1", lambda run: [], _no_work, _scatters)  # noqa: ARG005


# --- success rates: Figs. 2, 3, 4 -------------------------------------------------------------------------


def _rates_plan(
    run: Run,
    method: str = "em",
    names: Sequence[str] | None = None,
    covariances: Sequence[str] = tuple(COVARIANCES),
) -> list[Task]:
    wanted = list(LEI2014) if names is None else names
    return [
        Task(
            f"{kind}-{name}-{c}",
            (name, run.seed, c, method, kind, seeds_of(run, 1, list(LEI2014).index(name), c)),
        )
        for kind in covariances
        for name in wanted
        for c in numbers_of(name)
    ]


def _rates_work(
    name: str, run_seed: int, c: int, method: str, covariances: str, seeds: Sequence[int]
) -> Record:
    X, labels = data_of(name, run_seed)
    found = [fitted(X, c, seed, method=method, covariances=covariances) for seed in seeds]
    return Record({}, {"values": values_of(labels, found)})


def _stacked(records: Mapping[str, Record], name: str) -> Floats:
    """The values of one set: (numbers of clusters, runs, indices)."""
    return np.stack([records[f"{name}-{c}"].arrays["values"] for c in numbers_of(name)])


def _rates(records: Mapping[str, Record], names: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        name: {
            index: rate_of(index, numbers_of(name), _stacked(records, name), LEI2014[name].c)
            for index in INDICES
        }
        for name in names
    }


def _overall(rates: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Every set has as many runs, so that this is the mean over the sets."""
    return {index: float(np.mean([of[index] for of in rates.values()])) for index in INDICES}


def _percent(rates: Mapping[str, float], names: Sequence[str] = tuple(INDICES)) -> str:
    return ", ".join(f"{name} {100 * rates[name]:.0f}" for name in names)


def _gather_rates(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    by_kind = {kind: _rates(of_kind(records, kind), list(LEI2014)) for kind in COVARIANCES}
    rates, full = by_kind["diag"], _overall(by_kind["full"])
    overall = _overall(rates)
    spread = {index: float(np.std([of[index] for of in rates.values()])) for index in INDICES}
    worst_good, best_bad = min(overall[i] for i in GOOD), max(overall[i] for i in BAD)
    best = max(overall[i] for i in GOOD)
    title = (
        f"six indices are right in {100 * worst_good:.0f} to {100 * best:.0f} % of runs,"
        f" MI and NMI_min in {100 * overall['MI']:.0f} and {100 * overall['NMI_min']:.0f} %"
    )
    figures = {
        "fig2": rates_figure(
            {"all 18 sets": overall},
            title=title,
            description=f"{title}. Bars: one standard deviation between the 18 sets.",
            deviations=spread,
            notes=("bars: one standard deviation between sets",),
        )
    }
    for key, names, what in _groups():
        figures[key] = rates_figure(
            {_short(name): rates[name] for name in names},
            title=f"{what}: {_extremes(rates, names)}",
            description=f"Success rates of the eight indices. {what}: {_extremes(rates, names)}.",
        )
    rows = tuple((name, *(f"{100 * of[i]:.0f}" for i in INDICES)) for name, of in rates.items())
    whole = (("all", *_whole(overall)), ("all, full covariances", *_whole(full)))
    table = Table("success rates in %, by set", ("set", *INDICES), (*rows, *whole))
    remarks = (NOTE, COVARIANCES_NOTE, f"with full covariances on the same draws: {_percent(full)} (%)")
    return Part(_rate_findings(rates, overall, worst_good, best_bad, full), figures, (table,), remarks)


def of_kind(records: Mapping[str, Record], kind: str) -> dict[str, Record]:
    """The records of one kind of covariances, by what follows it in their keys."""
    first = f"{kind}-"
    return {key.removeprefix(first): one for key, one in records.items() if key.startswith(first)}


def _whole(overall: Mapping[str, float]) -> list[str]:
    return [f"{100 * overall[i]:.1f}" for i in INDICES]


def _groups() -> list[tuple[str, list[str], str]]:
    made = []
    for c, letter in ((3, "a"), (5, "b")):
        sets = [s for s in LEI2014.values() if s.c == c]
        even = [s for s in sets if s.dens * c == 1]
        dense = sorted((s for s in sets if s.r == max(x.r for x in sets)), key=lambda s: s.dens)
        made.append((f"fig3{letter}", [s.name for s in even], f"data{c}, by overlap"))
        made.append((f"fig4{letter}", [s.name for s in dense], f"data{c}, by density of the first cluster"))
    return sorted(made)


def _short(name: str) -> str:
    setting = LEI2014[name]
    return f"r = {setting.r}, dens = {setting.dens}"


def _extremes(rates: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> str:
    """Between which rates the six good indices lie at the worst and at the best set."""
    means = {name: 100 * float(np.mean([rates[name][i] for i in GOOD])) for name in names}
    low, high = min(means, key=lambda n: means[n]), max(means, key=lambda n: means[n])
    ends = [f"{means[name]:.0f} % at {_short(name)}" for name in (low, high)]
    return f"the six good ones reach {' and '.join(ends)}"


def _rate_findings(
    rates: Mapping[str, Mapping[str, float]],
    overall: Mapping[str, float],
    worst_good: float,
    best_bad: float,
    full: Mapping[str, float],
) -> tuple[Finding, ...]:
    got = _percent(overall)
    times, times_full = _times_less(overall), _times_less(full)
    without = f"with full covariances {_percent(full)} (%)"
    first_six = all(abs(100 * overall[i] - level("first six indices")) <= AROUND for i in GOOD)
    last_two = all(abs(100 * overall[i] - level("MI and NMI_min")) <= 3 * BETWEEN_DRAWS for i in BAD)
    order = sorted(INDICES, key=lambda i: -overall[i])
    even = {c: [s.name for s in LEI2014.values() if s.c == c and s.dens * c == 1] for c in (3, 5)}
    mean = {name: float(np.mean([of[i] for i in GOOD])) for name, of in rates.items()}
    overlap = all(mean[names[0]] == min(mean[n] for n in names) for names in even.values())
    apart = all(min(of[i] for i in GOOD if i != "VI") >= max(of[b] for b in BAD) for of in rates.values())
    return (
        statement(
            "Fig. 2 and text", "the first six indices achieve around 70 %", first_six,
            f"{_percent(overall, GOOD)} (%); around: within {AROUND:g} points", unless=without,
        ),
        statement(
            "Fig. 2 and text", "MI and NMI_min have around 10 %", last_two,
            f"{_percent(overall, BAD)} (%); within three deviations between draws of the sets, "
            f"{3 * BETWEEN_DRAWS:.0f} points: one draw of the sets says little of these two",
            unless=without,
        ),
        statement(
            "5.5", "MI and NMI_min are 6 to 7 times less reliable than the six good ones",
            TIMES[0] - 1 <= times <= TIMES[1] + 1,
            f"{times:.1f} times, by the means of the six and of the two; asked: {TIMES[0]} to {TIMES[1]}, "
            "within 1; "
            f"with full covariances {times_full:.1f} times",
            unless="it rests on two rates near 0, which differ between draws by half of themselves",
        ),
        statement(
            "Fig. 2", "NMI_max first, ARI second, VI last of the six, then MI and NMI_min",
            order[:2] == ["NMI_max", "ARI"] and order[5] == "VI" and set(order[6:]) == set(BAD),
            f"{' > '.join(order)}: {got} (%)", unless=without,
        ),
        statement(
            "5.5", "MI and NMI_min are far worse than the other six", worst_good > 2 * best_bad,
            f"the worst of the six {100 * worst_good:.0f} %, the better of the two {100 * best_bad:.0f} %",
        ),
        statement(
            "Fig. 3", "overlap does not affect the ranking: the two are worst on every set (VI aside)", apart,
            "in every set MI and NMI_min are at most as often right as NMI_max, ARI, joint, sum and sqrt"
            if apart else "on some set MI or NMI_min is right more often than one of the good ones",
        ),
        statement(
            "Fig. 3", "sets of high overlap (r = 1 of data3, r = 2 of data5) have the lowest rates", overlap,
            "; ".join(f"{_short(n)}: {100 * mean[n]:.0f} %" for names in even.values() for n in names),
        ),
        *(_density_finding(c, mean) for c in (3, 5)),
    )  # fmt: skip


def _times_less(rates: Mapping[str, float]) -> float:
    """How many times as often the six good indices are right as the two bad ones."""
    bad = float(np.mean([rates[i] for i in BAD]))
    return float(np.mean([rates[i] for i in GOOD])) / bad if bad else math.inf


def _density_finding(c: int, mean: Mapping[str, float]) -> Finding:
    """Whether rates fall with the density of the first cluster, by the correlation of their ranks."""
    names = _by_density(c)
    ranks = np.argsort(np.argsort([mean[name] for name in names], kind="stable"), kind="stable")
    falling = float(np.corrcoef(np.arange(len(names)), ranks)[0, 1])
    told = ", ".join(f"{LEI2014[name].dens}: {100 * mean[name]:.0f} %" for name in names)
    return statement(
        "Fig. 4", f"more imbalance lowers the rates of data{c}", falling <= -STRONG,
        f"{told}; correlation of ranks {falling:.2f}, asked: at most {-STRONG:g}",
        unless="five rates of one draw of each set: they differ by less than draws do, or do not fall",
    )  # fmt: skip


def _by_density(c: int) -> list[str]:
    """The sets of the largest radius, by the density of their first cluster."""
    most = max(s.r for s in LEI2014.values() if s.c == c)
    return [s.name for s in sorted(LEI2014.values(), key=lambda s: s.dens) if s.c == c and s.r == most]


RATES = Study(
    "synthetic",
    "success rates on the 18 synthetic sets (Figs. 2 to 4)",
    _rates_plan,
    _rates_work,
    _gather_rates,
)


# --- Figs. 6 and 7 ----------------------------------------------------------------------------------------


def _consensus_plan(run: Run) -> list[Task]:
    return [
        Task(f"{kind}-{name}-{c}", (name, run.seed, c, kind, seeds_of(run, 2, list(LEI2014).index(name), c)))
        for kind in COVARIANCES
        for name in SHOWN
        for c in numbers_of(name)
    ]


def _consensus(name: str, run_seed: int, c: int, covariances: str, seeds: Sequence[int]) -> Record:
    return consensus_work(*data_of(name, run_seed), c, seeds, RIDGE, covariances)


def _gather_consensus(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    findings, figures, rows = [], {}, []
    for name, figure in SHOWN.items():
        cs, true = numbers_of(name), LEI2014[name].c
        for kind, words in COVARIANCES.items():
            mine = of_kind(records, kind)
            mean = {i: averages(i, _stacked(mine, name)).tolist() for i in INDICES}
            agreed = {i: [mine[f"{name}-{c}"].values["consensus"][i] for c in cs] for i in INDICES}
            curves = {"consensus": agreed, "average": mean}
            picks = {
                what: {i: int(chosen(i, cs, np.array(curve[i])[:, None])[0]) for i in INDICES}
                for what, curve in curves.items()
            }
            rows += [(figure, words, what, *(of[i] for i in INDICES)) for what, of in picks.items()]
            if kind != "diag":
                continue
            right = sum(picks["consensus"][i] == true for i in INDICES)
            figures[figure.lower().replace(". ", "")] = curves_figure(
                cs,
                {"consensus of runs": agreed, "mean against the truth": mean},
                true,
                title=f"{_short(name)}: the consensus is best at the true {true} by {right} of 8 indices",
                what="Two curves for each index: the consensus index of all runs, without the truth, and the "
                "mean over runs against it",
            )
            findings += _curve_findings(figure, true, picks, curves, cs)
    table = Table("chosen numbers of clusters", ("figure", "covariances", "curve", *INDICES), tuple(rows))
    return Part(tuple(findings), figures, (table,), (NOTE, COVARIANCES_NOTE))


Curves = Mapping[str, Mapping[str, Sequence[float]]]
"""By what they are, then by index."""


def _curve_findings(
    figure: str, true: int, picks: Mapping[str, Mapping[str, int]], curves: Curves, cs: Sequence[int]
) -> list[Finding]:
    told = {w: ", ".join(f"{i} {c}" for i, c in of.items()) for w, of in picks.items()}
    if figure == "Fig. 6":
        kin = [i for i in INDICES if i != "MI"]
        return [
            statement(
                "Fig. 6a", "the consensus index is best at 3 by all but MI",
                all(picks["consensus"][i] == true for i in kin), told["consensus"],
                unless="single draws of the set differ: of four of ours two matched as a whole",
            ),
            statement(
                "Fig. 6b", "the averages are best at 3 by all but MI and NMI_min",
                all(picks["average"][i] == true for i in GOOD), told["average"],
                unless="single draws of the set differ",
            ),
        ]  # fmt: skip
    return [
        finding
        for letter, what in (("a", "consensus"), ("b", "average"))
        for finding in _wavering(f"Fig. 7{letter}", what, picks[what], curves[what], cs, told[what])
    ]


def _wavering(
    where: str,
    what: str,
    picks: Mapping[str, int],
    curve: Mapping[str, Sequence[float]],
    cs: Sequence[int],
    told: str,
) -> list[Finding]:
    """Whether 5 and 6 are nearly as good, by a share of what the curve spans."""
    gaps = {i: _gap(curve[i], cs) for i in CONFUSED}
    shown = ", ".join(f"{i} {100 * gap:.0f} %" for i, gap in gaps.items())
    said = "the consensus index is" if what == "consensus" else "the averages are"
    return [
        statement(
            where, f"{said} confused between 5 and 6 (joint and VI among others)",
            all(gap <= MARGIN for gap in gaps.values()) and all(picks[i] in (5, 6) for i in GOOD),
            f"{told}; values at 5 and 6 apart by {shown} of what the curve spans, asked: at most "
            f"{100 * MARGIN:.0f} %",
            unless="on our draw of the set one of the two is clearly ahead",
        ),
        statement(
            where, "ARI slightly prefers 6", picks["ARI"] == 6, f"ARI {picks['ARI']}",
            unless="single draws of the set differ: the true number is 5",
        ),
    ]  # fmt: skip


def _gap(curve: Sequence[float], cs: Sequence[int]) -> float:
    values = dict(zip(cs, curve, strict=True))
    return abs(values[5] - values[6]) / (max(curve) - min(curve))


CONFUSED = ("NMI_joint", "VI")
"""The indices that the text names."""

MARGIN = 0.1
"""Of the span of a curve: values that are nearer to each other are confused."""

CONSENSUS = Study(
    "consensus",
    "consensus indices and averages (Figs. 6 and 7)",
    _consensus_plan,
    _consensus,
    _gather_consensus,
)


# --- what the paper leaves to later work ------------------------------------------------------------------

METHODS = ("fuzzy c-means", "possibilistic c-means")


def _future_plan(run: Run) -> list[Task]:
    names = [s.name for s in LEI2014.values() if s.dens * s.c == 1]
    return [
        Task(f"{method.split()[0]}-{task.key}", task.arguments)
        for method in METHODS
        for task in _rates_plan(run, method, names[2::5] if run.quick else names, ("diag",))
    ]


def _gather_future(records: Mapping[str, Record], run: Run) -> Part:  # noqa: ARG001
    names = [s.name for s in LEI2014.values() if f"fuzzy-diag-{s.name}-2" in records]
    overall = {}
    for method in METHODS:
        mine = of_kind(of_kind(records, method.split()[0]), "diag")
        overall[method] = _overall(_rates(mine, names))
    best = {m: max(of, key=lambda i: of[i]) for m, of in overall.items()}
    title = "; ".join(
        f"{m}: {best[m]} is right most often, {100 * overall[m][best[m]]:.0f} %" for m in METHODS
    )
    figure = rates_figure(
        overall,
        title=title,
        description=f"The same protocol with other methods, on {len(names)} sets. {title}.",
    )
    remark = (
        "the paper names fuzzy clustering as its next effort: this is the same protocol with fuzzy and "
        f"possibilistic c-means on {len(names)} sets with even priors; nothing is printed to compare with"
    )
    return Part((), {"rates": figure}, (), (remark,))


FUTURE = Study(
    "future_work",
    "the same protocol with fuzzy and possibilistic c-means",
    _future_plan,
    _rates_work,
    _gather_future,
)
