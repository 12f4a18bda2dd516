"""Is there structure at all: data held against laws that have no clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.errors import ParameterError, Phrase, Setting
from partita.fits.checkpoints import Record, root_seed
from partita.fits.tasks import Task, check_count, run_tasks, task_seed
from partita.partitions import complete_data
from partita.partitions.scales import dominance, scaled_data
from partita.results import Result, Table, show
from partita.results.provenance import provenance
from partita.results.verdicts import Remark, RemarkKind, Strength, speak
from partita.selection.examined_objects import examined_objects
from partita.selection.null_data import Axes, NullLaws
from partita.selection.null_tests import LAWS, NullTest, as_shown, corrected, measured, null_tests

__all__ = ["Structure", "quick_structure", "structure"]

LEVEL = 0.05

ENOUGH_POWER = 0.8
"""The usual share of cases in which a test should find what it is meant to find (Cohen 1988)."""

SEPARATION = 5.0
"""Deviations between the planted clusters: far enough that 0.6 % of the objects lie nearer to the other mean,
so that nobody would doubt that these are two; a test that misses them says nothing."""

PLANTED = f"two clusters {SEPARATION:g} deviations apart"

MOST_COMPONENTS = 5
"""Principal components that are tested beside data of more dimensions. Nearest neighbours in many more are
about as far as anything else, with some hundred objects."""

AT_A_TIME = 10
"""Data sets drawn in one task: one alone takes less time than handing it out."""

IN_WORDS = {
    "uniform": "a uniform law",
    "normal": "one normal law",
    "unimodal": "a law with a single peak in each feature",
}


@dataclass(frozen=True)
class Effort:
    """How much is done."""

    most_objects: int
    n_null: int
    n_planted: int


FULL = Effort(most_objects=600, n_null=99, n_planted=40)
QUICK = Effort(most_objects=400, n_null=59, n_planted=20)
"""With 20 data sets from each law a p-value can be below 0.05."""


@dataclass(frozen=True, repr=False)
class Structure(Result):
    """Whether data have structure that no law without clusters explains.

    Attributes
    ----------
    tests : tuple of NullTest
        Each statistic against each law: its value, the mean over the data sets of the law, p, corrected p.
    power : float
        The share of data like these, but of two clusters, in which the test finds structure, estimated from
        ``n_planted`` such data sets; nan where structure was found, and it was not asked for.
    n_null : int
        Data sets from each law.
    n_planted : int
        Data sets of two clusters that were tested; 0 where none was.
    n_examined : int
        Objects that were tested: a random part of many, and equal ones once.
    dimensions : int
        How many the data fill.
    title : str
        What was looked at, in words.
    draws : (tests, data sets) array, or None
        The statistic of each test for every data set from its law; only in the result itself, not in what is
        written of it.
    """

    tests: tuple[NullTest, ...] = ()
    power: float = math.nan
    n_null: int = 0
    n_planted: int = 0
    n_examined: int = 0
    dimensions: int = 0
    title: str = ""
    draws: Floats | None = field(default=None, repr=False, compare=False)

    def p_of(self, null: str) -> float:
        """The p-value of one law: the smallest corrected one of its tests."""
        return min(test.corrected_p for test in self.tests if test.null == null)

    @property
    def p(self) -> float:
        """The largest of the p-values of the laws: structure is what none explains."""
        return max(map(self.p_of, LAWS))

    @property
    def has_structure(self) -> bool:
        """Whether ``p`` is below 0.05."""
        return self.p < LEVEL

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted.

        "clear" if every law is refuted; "no structure" if one is not, though the test finds two clusters in
        at least 80 % of such data; "weak" if it finds them less often.
        """
        if self.has_structure:
            return "clear"
        return "no structure" if self.power >= ENOUGH_POWER else "weak"

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        if self.has_structure:
            refuted = _listed([IN_WORDS[law] for law in LAWS])
            return f"structure was found: {refuted} are refuted (p = {show(self.p)})"
        kept = [f"{IN_WORDS[law]} (p = {show(self.p_of(law))})" for law in LAWS if self.p_of(law) >= LEVEL]
        found = f"no structure was found: {_listed(kept)} {'are' if len(kept) > 1 else 'is'} not refuted"
        if self.strength == "weak":
            return f"{found}, but {_weakness(self)}"
        return f"{found}, and the test finds {PLANTED} in {_percent(self.power)} of such data"

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a test."""
        return [vars(test) for test in self.tests]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        power = None if math.isnan(self.power) else self.power
        return {**super().to_dict(), "strength": self.strength, "p": self.p, "power": power}

    def table(self) -> Table:
        """One row a test, under the answer."""
        rows = tuple(
            (t.statistic, t.null, t.dimensions, t.value, t.null_mean, t.p, t.corrected_p) for t in self.tests
        )
        columns = ("statistic", "null model", "dimensions", "value", "null mean", "p", "corrected p")
        return Table(self.title, columns, rows, self.footnotes, self.statement)


def structure(
    X: Any,
    *,
    n_null: int = FULL.n_null,
    scale: str | None = None,
    n_components: int | str | None = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    missing: str = "raise",
) -> Structure:
    """Whether there is structure at all: is the data more clustered than data from laws without clusters.

    Three laws are tried, each fitted to the data: a uniform one (in the smallest of a box along the features,
    a box along the principal axes, and an ellipsoid); one normal law with the mean and the covariances of the
    data; and a law with a single peak in each feature, skewed or heavy-tailed as it may be, whose features
    hang together as in a normal or in Student's law. The data have structure if *all* are refuted at 0.05:
    none has clusters, and data from one of them refute the others.

    Many data sets are drawn from each law, and five statistics hold the data against them: `hopkins`; the
    share of the scatter that two means leave; the length of the minimum spanning tree over the root of the
    scatter, which is short where objects lie in dense groups or chains; the dip (hartigan1985) of the
    distances between objects, which have two peaks if there are near and far ones (adolfsson2019); and the
    dip of the objects along the line between two means. Each has a p-value: the share of data sets, the given
    data among them, that look at least as clustered. The corrected p-value is the share of those that do so
    by whichever statistic shows it most (westfall1993), so that five chances count as one. The smallest
    corrected p-value of a law is that law's, the largest of the laws is the answer's.

    Where nothing was found, data of two clusters are tested in the same way: as many objects, with the
    covariances of the data, in two normal clusters of equal size that lie 5 of their own deviations apart
    along the leading principal axis, so that nobody would doubt them. The share that is found is the power.
    If it is low, not to find structure says little.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, of at least two objects that differ.
    n_null : int
        Data sets drawn from each law; with less than 20 no answer can be "structure".
    scale : {None, "standard", "robust"}
        Whether features are scaled first: to mean 0 and deviation 1, or by median and quartiles.
    n_components : "auto", int or None
        Leading principal components that are tested beside all dimensions. "auto": in more than 5 dimensions
        those, one by one, whose variance is larger than n objects of unrelated features with the mean
        variance of what remains would show (marchenko1967), but at most 5: in many dimensions distances say
        little. Data drawn from the laws are turned to their own components. None: none.
    random_state : None, int or Generator
        The seed from which all others come.
    n_jobs : int, optional
        Workers; the result is the same for any number.
    missing : {"raise", "drop", "median", "mean"}
        As in `choose_k`.

    Returns
    -------
    Structure
        ``.has_structure``, ``.strength``, ``.p``, ``.power``, ``.statement``, ``.remarks``, ``.tests``.

    Cost
    ----
    For each drawn data set the distances between all objects, of which 600 at most are tested, drawn at
    random: about 3 seconds then.

    Pitfalls
    --------
    "Structure" is what no such law explains, which need not be clusters: a curve, a ring or features that
    depend on each other in other ways than in a normal or Student's law are refuted too. So are, at times,
    heavy tails in many dimensions, where a few outliers weigh much: Student's law with 3 degrees of freedom
    in one of ten cases with 150 objects in 10 dimensions, in one of four with 80 objects in 25. Clusters that
    lie less than 5 deviations apart are found less often than the power says. Values that repeat are spread
    over the gaps between them, and copies of an object count once: clusters of equal objects alone are not
    seen.

    References
    ----------
    hopkins1954, hartigan1985, adolfsson2019, westfall1993, marchenko1967

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> found = structure(X, n_null=39, random_state=0)
    >>> found.statement[:19], found.strength, found.p
    ('structure was found', 'clear', 0.025)
    """
    data, scaler = scaled_data(complete_data(X, missing), scale)
    check_count("n_null", n_null)
    root = root_seed(random_state)
    effort = Effort(FULL.most_objects, n_null, FULL.n_planted)
    found = _structure(data.values, n_components, effort, root, n_jobs=n_jobs)
    uneven = dominance(data) if scaler is None else None
    return replace(
        found,
        remarks=speak(RemarkKind.SCALE, uneven.text if uneven else "") + found.remarks,
        notes=(*([data.note] if data.note else []), *found.notes),
        frame=data.frame or "pandas",
        provenance={**found.provenance, "scale": scale},
    )


def quick_structure(X: Floats, seed: int, n_jobs: int | None = None) -> Structure:
    """`structure` at a fraction of the cost, for a first look, with nothing compiled.

    400 objects at most are tested, with 59 data sets from each law and 20 of two clusters.

    Parameters
    ----------
    X : (n, d) array
        Complete, and scaled as wished: nothing is said of the scale here.
    seed : int
        From which all others come.
    n_jobs : int, optional
        Workers.
    """
    with one_thread():
        return _structure(X, "auto", QUICK, seed, n_jobs=n_jobs)


def _structure(X: Array, n_components: Any, effort: Effort, root: int, *, n_jobs: int | None) -> Structure:
    n, d = X.shape
    examined = examined_objects(X, effort.most_objects, np.random.default_rng(task_seed(root, 0)))
    spread = Axes.of(examined.values).spread
    count = _component_count(n_components, spread, len(examined.values))
    tests, draws = _tested(examined.values, count, len(spread), effort.n_null, root, n_jobs)
    found = Structure(
        tests=tests,
        draws=draws,
        n_null=effort.n_null,
        n_examined=len(examined.values),
        dimensions=len(spread),
        title=f"{n} objects, {d} features: {effort.n_null} data sets from each law",
        remarks=examined.remarks,
        notes=(*examined.notes, *_explanations(count, len(spread))),
        provenance=provenance(
            X,
            n_null=effort.n_null,
            n_examined=len(examined.values),
            n_components=count,
            seed=root,
            exact=False,
            method="sampled",
        ),
    )
    return found if found.has_structure else _with_power(found, examined.values, count, effort, n_jobs)


def _tested(
    X: Floats, count: int, dimensions: int, n_null: int, root: int, n_jobs: int | None
) -> tuple[tuple[NullTest, ...], Floats]:
    """The data against all laws, and the statistic of each test for every data set drawn."""
    of_data = measured(X, count, np.random.default_rng(task_seed(root, 1)))
    seeded = [(law, task_seed(root, 2, place)) for place, law in enumerate(np.repeat(LAWS, n_null).tolist())]
    laws = NullLaws(X).fitted()
    tasks = [
        Task(f"null {start}", (laws, count, seeded[start : start + AT_A_TIME]))
        for start in range(0, len(seeded), AT_A_TIME)
    ]
    drawn = np.array(_run(measure_null, tasks, n_jobs, "data without structure"))
    blocks = [dimensions, count] if count else [dimensions]
    of_laws = drawn.reshape(len(LAWS), n_null, -1)
    tests = [null_tests(of_data, null, law, blocks) for law, null in zip(LAWS, of_laws, strict=True)]
    draws = as_shown(of_laws).transpose(0, 2, 1).reshape(-1, n_null)
    return tuple(test for of_law in tests for test in of_law), draws


def measure_null(laws: NullLaws, count: int, seeded: Sequence[tuple[str, int]]) -> Record:
    """The statistics of data from a law like the data, for each law and seed."""
    rows = [_measured_law(laws, law, count, seed) for law, seed in seeded]
    return Record({"measured": rows})


def measure_planted(laws: NullLaws, count: int, seeds: Sequence[int]) -> Record:
    """For each seed the statistics of two planted clusters, and of a data set from each law like these."""
    rows = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        planted = laws.two_clusters(SEPARATION, rng)
        like_planted = NullLaws(planted)
        nulls = [
            _measured_law(like_planted, law, count, task_seed(seed, place)) for place, law in enumerate(LAWS)
        ]
        rows.append([measured(planted, count, rng), *nulls])
    return Record({"measured": rows})


def _measured_law(laws: NullLaws, law: str, count: int, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    draw = {"uniform": laws.uniform, "normal": laws.normal, "unimodal": laws.unimodal}[law]
    return measured(draw(rng), count, rng)


def _run(work: Any, tasks: Sequence[Task], n_jobs: int | None, description: str) -> list[Any]:
    records = run_tasks(work, tasks, n_jobs=n_jobs, description=description)
    return [row for record in records for row in record.values["measured"]]


def _with_power(found: Structure, X: Floats, count: int, effort: Effort, n_jobs: int | None) -> Structure:
    """The same answer with its power, and a remark if that is low."""
    n_planted, power = 0, 0.0
    if not _has_too_few_null_data(found):
        n_planted = effort.n_planted
        power = _power(X, count, n_planted, found.provenance["seed"], n_jobs)
    known = replace(found, power=power, n_planted=n_planted)
    if known.strength != "weak":
        return known
    remark = Remark(RemarkKind.LOW_POWER, f"{_weakness(known)}: not to find structure says little")
    return replace(known, remarks=(*known.remarks, remark))


def _power(X: Floats, count: int, n_planted: int, root: int, n_jobs: int | None) -> float:
    """The share of planted data sets that refute all laws.

    All planted data sets are alike, and so are the null data drawn for each of them: one from each law is
    drawn for each, and all of a law serve for every planted one.
    """
    seeds = [task_seed(root, 3, place) for place in range(n_planted)]
    laws = NullLaws(X)
    tasks = [
        Task(f"planted {start}", (laws, count, seeds[start : start + AT_A_TIME]))
        for start in range(0, n_planted, AT_A_TIME)
    ]
    rows = np.array(_run(measure_planted, tasks, n_jobs, "data of two clusters"))
    planted, nulls = rows[:, 0], [rows[:, 1 + i] for i, _ in enumerate(LAWS)]
    refuted = [all(corrected(values, null).min() < LEVEL for null in nulls) for values in planted]
    return float(np.mean(refuted))


def _component_count(asked: Any, spread: Floats, n: int) -> int:
    """How many leading principal components are tested beside all dimensions."""
    dimensions = len(spread)
    if asked is None:
        return 0
    if isinstance(asked, str) and asked == "auto":
        if dimensions <= MOST_COMPONENTS:
            return 0
        variances = np.square(spread / spread[0])
        stand_out = (
            variances[k] > (1 + math.sqrt((dimensions - k) / n)) ** 2 * variances[k:].mean()
            for k in range(MOST_COMPONENTS)
        )
        return len(list(takewhile(bool, stand_out)))
    is_count = isinstance(asked, (int, np.integer)) and not isinstance(asked, bool)
    if not is_count or not 1 <= asked <= dimensions:
        raise ParameterError(
            Phrase(Setting("n_components"), " is no number of principal components."),
            got=repr(asked)[:60],
            need=f'a whole number from 1 to {dimensions}, the dimensions that the data fill, "auto" or None',
            parameter="n_components",
        )
    return int(asked) if asked < dimensions else 0


def _explanations(count: int, dimensions: int) -> tuple[str, ...]:
    correction = (
        "corrected p: the share of data sets, the given data among them, that look as clustered by whichever "
        "statistic shows it most; a law's p is its smallest corrected p, the answer's the largest of the laws"
    )
    if not count:
        return (correction,)
    which = f"{count} leading principal component{'s were' if count > 1 else ' was'} tested"
    return (f"{which} beside all {dimensions} dimensions", correction)


def _has_too_few_null_data(found: Structure) -> bool:
    return 1 / (found.n_null + 1) >= LEVEL


def _weakness(found: Structure) -> str:
    if _has_too_few_null_data(found):
        return f"{found.n_null} data sets from each law are too few for a p-value below {LEVEL}"
    objects = f"{found.n_examined} objects"
    where = f"in {found.dimensions} dimensions with {objects}" if found.dimensions > 1 else f"with {objects}"
    return f"{where} the test finds {PLANTED} in only {_percent(found.power)} of such data"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _percent(share: float) -> str:
    return f"about {share:.0%}"
