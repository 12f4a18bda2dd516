"""The test of structure: are the data more clustered than data from distributions without clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Literal

import numpy as np

from partita.arrays import Array, Floats, one_thread
from partita.datasets.examined_objects import examined_objects
from partita.datasets.null_data import LAWS, SEPARATION, NullLaws
from partita.errors import ParameterError, Phrase, Setting
from partita.fits.checkpoints import Record, root_seed
from partita.fits.tasks import Task, check_count, run_tasks, task_seed
from partita.inputs import data_and_truth
from partita.partitions import DataMatrix, complete_data
from partita.partitions.scales import dominance, scaled_data
from partita.results import Result, Table, plain, show
from partita.results.provenance import provenance
from partita.results.verdicts import Remark, RemarkKind, Strength, speak
from partita.statistics.distances.measured_data import measured_data
from partita.statistics.distances.principal_coordinates import points_of_distances
from partita.statistics.null_tests import NullTest, as_shown, corrected, measured, null_tests

__all__ = ["Structure", "quick_structure", "structure"]

LEVEL = 0.05

ENOUGH_POWER = 0.8
"""The usual share of cases in which a test should find what it is meant to find (Cohen 1988)."""

FEW_DIMENSIONS = 6
OBJECTS_PER_DIMENSION = 20
"""In more dimensions than these few, with fewer objects than that per dimension, no structure is never
claimed."""

FIRST_ROUND = 20
EXPLAINED = 0.2
"""After so many data sets from each distribution no more are drawn if one has a larger p-value."""

FITTED = 5
"""Planted data sets to which the distributions are fitted; all are alike."""

MOST_COMPONENTS = 5
"""Principal components that are tested beside data of more dimensions. Nearest neighbours in many more are
about as far as anything else, with some hundred objects."""

AT_A_TIME = 10
"""Data sets drawn in one task: one alone takes less time than handing it out."""

COORDINATES = 4
"""The place of the sample of objects that are placed, in the tree of seeds."""

IN_WORDS = {
    "normal": "one normal distribution",
    "uniform": "one uniform distribution",
    "student": "one Student distribution",
    "unimodal": "a distribution with one peak in each feature",
}

Verdict = Literal["structure", "no structure", "cannot tell"]


@dataclass(frozen=True)
class Effort:
    """The numbers of objects that are tested at most, of null data sets and of planted ones."""

    most_objects: int
    n_null: int
    n_planted: int


FULL = Effort(most_objects=600, n_null=99, n_planted=40)
QUICK = Effort(most_objects=400, n_null=60, n_planted=20)
"""With 20 data sets from each distribution a p-value can be below 0.05. With 60 it is where at most two look
as clustered as the data, so the level is 3 / 61 = 4.9 %; with 59 it would be 2 / 60 = 3.3 %."""


@dataclass(frozen=True, repr=False)
class Structure(Result):
    """The answer of the test of structure.

    Attributes
    ----------
    tests : tuple of NullTest
        Each statistic against each distribution: its value, the mean over the data sets drawn, p and
        corrected p.
    power : float
        The share of data like these, but with two clusters, in which the test finds structure, estimated from
        ``n_planted`` such data sets; nan where structure was found, since it is not needed then.
    n_null : int
        Data sets drawn from each distribution.
    n_planted : int
        Data sets with two clusters that were tested; 0 if none were.
    n_examined : int
        Objects that were tested: a random part of many, and copies once.
    dimensions : int
        The number of dimensions that the data fill.
    title : str
        What was tested, in words.
    draws : (tests, data sets) array, or None
        The statistic of each test for every data set drawn; only in the result itself, not in what is written
        of it.
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
        """The p-value of one distribution: the smallest corrected one of its tests."""
        return min(test.corrected_p for test in self.tests if test.null == null)

    @property
    def p(self) -> float:
        """The largest of the p-values of the distributions: structure is what none of them explains."""
        return max(map(self.p_of, LAWS))

    @property
    def has_structure(self) -> bool:
        """True if ``p`` is below 0.05."""
        return self.p < LEVEL

    @property
    def verdict(self) -> Verdict:
        """The answer: "structure", "no structure" or "cannot tell".

        "structure" if every distribution is rejected. "no structure" if one is not, although the test finds
        two clusters in at least 80 % of such data, and there are at most 6 dimensions, or at least 20 objects
        per dimension and a simpler distribution than one with a peak in each feature explains the data.
        Otherwise "cannot tell".
        """
        if self.has_structure:
            return "structure"
        is_sparse = self.n_examined < OBJECTS_PER_DIMENSION * self.dimensions
        too_few = self.dimensions > FEW_DIMENSIONS and is_sparse
        decides = self.power >= ENOUGH_POWER and not too_few and not self.has_only_peaks
        return "no structure" if decides else "cannot tell"

    @property
    def has_only_peaks(self) -> bool:
        """True if in many dimensions only the distribution with one peak in each feature explains the data.

        That distribution is hardly ever rejected there, whatever the data.
        """
        return self.dimensions > FEW_DIMENSIONS and self.explained_by == "unimodal"

    @property
    def explained_by(self) -> str:
        """The simplest distribution that is not rejected; nothing where all are."""
        return next((law for law in LAWS if self.p_of(law) >= LEVEL), "")

    @property
    def strength(self) -> Strength:
        """How far the answer can be trusted: "clear" for structure, "weak" where the test cannot tell."""
        if self.verdict == "no structure":
            return "no structure"
        return "clear" if self.has_structure else "weak"

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        if self.verdict == "structure":
            explained = "no single-group distribution explains these data"
            return f"Structure (shape or clusters): {explained} (p = {show(self.p)}). Next: choose_k(X)."
        if self.verdict == "cannot tell":
            remedy = "fewer features" if self.has_only_peaks else "more objects or fewer features"
            remedy = "a larger n_null" if self.has_too_few_null_data else remedy
            return f"Cannot tell: {self.weakness}. Next: {remedy}."
        simplest = IN_WORDS[self.explained_by]
        planted = f"two groups {SEPARATION:g} deviations apart would have been found"
        return f"No structure: {simplest} explains these {self.n_examined:,} objects; {planted}."

    @property
    def has_too_few_null_data(self) -> bool:
        """True if no p-value can be below 0.05."""
        return 1 / (self.n_null + 1) >= LEVEL

    @property
    def weakness(self) -> str:
        """Why the test cannot tell, in words."""
        if self.has_too_few_null_data:
            return f"{self.n_null} data sets from each distribution are too few for p below {LEVEL}"
        where = f" in {self.dimensions} dimensions" if self.dimensions > 1 else ""
        if self.has_only_peaks:
            return f"{IN_WORDS[self.explained_by]} is hardly ever rejected{where}"
        reason = f"power {100 * self.power:.0f} %"
        if self.power >= ENOUGH_POWER:
            reason = f"fewer than {OBJECTS_PER_DIMENSION} per dimension"
        return f"{self.n_examined:,} objects{where} are too few ({reason})"

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a test."""
        return [vars(test) for test in self.tests]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        answer = {"verdict": self.verdict, "strength": self.strength, "p": self.p, "power": self.power}
        return {**super().to_dict(), **plain(answer)}

    def table(self) -> Table:
        """One row a test, under the answer."""
        rows = tuple(tuple(record.values()) for record in self.records())
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
    metric: str | Callable[..., float] | None = None,
) -> Structure:
    """Test for structure: are the data more clustered than data from distributions without clusters.

    Four distributions are fitted to the data: one normal distribution with the mean and the covariances of
    the data; a uniform one in the smallest of a box along the features, a box along the principal axes, and
    an ellipsoid; one Student distribution, as heavy-tailed as the data; and one with a single peak in each
    feature, skewed or heavy-tailed as it may be, whose features depend on each other as in a normal or
    Student distribution. The data have structure if *all* are rejected at 0.05: none has clusters, and data
    from one of them reject the others.

    Data sets are drawn from each distribution and compared with the data by three statistics: `hopkins`; the
    length of the minimum spanning tree over the median distance, which is short where objects lie in dense
    groups or chains; and the dip (hartigan1985) of the data along the direction of least kurtosis, which is
    large where two clusters lie apart in whatever direction (pena2001). Each has a p-value: the share of data
    sets, the given data among them, that look at least as clustered. The corrected p-value is the share of
    those that do so in whichever statistic shows it most (westfall1993), so that three chances count as one.
    The smallest corrected p-value of a distribution is its p-value, the largest of the distributions is the
    answer's. After 20 data sets from each, no more are drawn if a distribution has a p-value above 0.2.

    Where no structure was found, data with two clusters are tested in the same way: as many objects, with the
    covariances of the data, in two normal clusters of equal size 5 standard deviations apart in a random
    direction, so that nobody would doubt them. The share that is found is the power. The verdict is "cannot
    tell" if it is below 80 %; in more than 6 dimensions also with fewer than 20 objects per dimension, and
    where only the distribution with one peak in each feature is not rejected, which it hardly ever is there.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, of at least two objects that differ.
    n_null : int
        Data sets drawn from each distribution, at most; with fewer than 20 no answer can be "structure".
    scale : {None, "standard", "robust"}
        Scaling of the features: to mean 0 and standard deviation 1, or by median and quartiles.
    n_components : "auto", int or None
        Leading principal components that are tested beside all dimensions. "auto": in more than 5 dimensions
        those, one by one, whose variance is larger than n objects of unrelated features with the mean
        variance of the rest would show (marchenko1967), but at most 5: in many dimensions distances say
        little. Data that are drawn are turned to their own components. None: none.
    random_state : None, int or Generator
        The seed from which all others come.
    n_jobs : int, optional
        Workers; the result is the same for any number.
    missing : {"raise", "drop", "median", "mean"}
        As in `choose_k`.
    metric : str or function, optional
        As in `choose_k`. The distributions are those of features: Euclidean distances are turned into points
        first, the principal coordinates (gower1966) of at most 600 objects. Other distances, and those with
        many ties, are refused: in coordinates that only approximate them one group looks like several.

    Returns
    -------
    Structure
        ``.verdict``, ``.has_structure``, ``.strength``, ``.p``, ``.power``, ``.statement``, ``.remarks``,
        ``.tests``.

    Cost
    ----
    The distances between all objects for each data set drawn; at most 600 objects are tested, drawn at
    random: about 2 seconds then.

    Pitfalls
    --------
    "Structure" is what no such distribution explains, which need not be clusters: a curve, a ring or features
    that depend on each other in other ways than in a normal or Student distribution are rejected too. The
    power is that for two groups of equal size, 5 standard deviations apart; groups that are nearer, or small,
    are found less often. Values that repeat are spread over their rounding intervals, and rows that are equal
    because values are few count as often as they occur; copies of rows with values that are not few count
    once, so clusters of such copies are not seen.

    References
    ----------
    hopkins1954, hartigan1985, pena2001, kent1991, westfall1993, marchenko1967, gower1966

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> found = structure(X, n_null=39, random_state=0)
    >>> found.verdict, found.strength, found.p
    ('structure', 'clear', 0.025)
    """
    check_count("n_null", n_null)
    root = root_seed(random_state)
    measured = measured_data(X, metric, missing=missing, scale=scale)
    said: tuple[str, ...] = measured.notes
    if measured.are_distances:
        distances = data_and_truth(measured.X, None, missing, measured.metric)[0]
        objects = np.arange(distances.n_objects)
        if len(objects) > FULL.most_objects:
            rng = np.random.default_rng(task_seed(root, COORDINATES))
            objects = np.sort(rng.choice(objects, FULL.most_objects, replace=False))
        found = points_of_distances(distances.values[np.ix_(objects, objects)], measured.name)
        sampled = f"{len(objects):,} of {distances.n_objects:,} objects, drawn at random, were placed"
        said = (*said, *[sampled] * (len(objects) < distances.n_objects), found.note)
        data, scaler = DataMatrix(found.values), None
    else:
        data, scaler = scaled_data(complete_data(measured.X, missing), measured.scale)
    effort = Effort(FULL.most_objects, n_null, FULL.n_planted)
    tested = _structure(data.values, n_components, effort, root, n_jobs=n_jobs)
    uneven = dominance(data) if scaler is None and not measured.are_distances else None
    known = {"metric": measured.name} if measured.are_distances else {}
    return replace(
        tested,
        remarks=speak(RemarkKind.SCALE, uneven.text if uneven else "") + tested.remarks,
        notes=(*said, *([data.note] if data.note else []), *tested.notes),
        frame=data.frame or "pandas",
        provenance={**tested.provenance, "scale": scale, **known},
    )


def quick_structure(X: Floats, seed: int, n_jobs: int | None = None) -> Structure:
    """`structure` at a fraction of the cost, for a first answer, with nothing compiled.

    At most 400 objects are tested, with 60 data sets from each distribution and 20 with two clusters.

    Parameters
    ----------
    X : (n, d) array
        Complete, and scaled as wished: the scale is not remarked on here.
    seed : int
        The seed from which all others come.
    n_jobs : int, optional
        Workers.
    """
    with one_thread():
        return _structure(X, "auto", QUICK, seed, n_jobs=n_jobs)


def _structure(X: Array, n_components: Any, effort: Effort, root: int, *, n_jobs: int | None) -> Structure:
    n, d = X.shape
    rng = np.random.default_rng(task_seed(root, 0))
    examined, remarks, notes = examined_objects(X, effort.most_objects, rng)
    laws = NullLaws(examined)
    count = _component_count(n_components, laws.axes.spread, len(examined))
    found = Structure(
        n_examined=len(examined),
        dimensions=len(laws.axes.spread),
        remarks=remarks,
        notes=(*notes, *_explanations(count, len(laws.axes.spread))),
        provenance=provenance(
            X,
            n_null=effort.n_null,
            n_examined=len(examined),
            n_components=count,
            seed=root,
            exact=False,
            method="sampled",
        ),
    )
    values = measured(examined, count, np.random.default_rng(task_seed(root, 1)))
    dimensions = [found.dimensions, count] if count else [found.dimensions]
    null = np.empty((len(LAWS), 0, len(values)))
    for upto in (min(FIRST_ROUND, effort.n_null), effort.n_null):
        seeds = [task_seed(root, 2, place) for place in range(null.shape[1], upto)]
        if not seeds or (found.tests and found.p > EXPLAINED):
            break
        null = np.hstack([null, _null_statistics([(laws, seeds)], count, n_jobs)])
        found = replace(
            found, tests=null_tests(values, dict(zip(LAWS, null, strict=True)), dimensions), n_null=upto
        )
    found = replace(
        found,
        draws=as_shown(null).transpose(0, 2, 1).reshape(len(found.tests), -1),
        title=f"{n} objects, {d} features: {found.n_null} data sets from each distribution",
    )
    if found.has_too_few_null_data:
        found = replace(found, power=0.0)
    elif not found.has_structure:
        power = _power(laws, count, effort.n_planted, root, n_jobs)
        found = replace(found, power=power, n_planted=effort.n_planted)
    if found.verdict != "cannot tell":
        return found
    remark = Remark(RemarkKind.LOW_POWER, f"{found.weakness}: a failure to find structure means little")
    return replace(found, remarks=(*found.remarks, remark))


def _power(laws: NullLaws, count: int, n_planted: int, root: int, n_jobs: int | None) -> float:
    """The share of planted data sets that reject all distributions.

    All planted data sets are alike, and so are the null data for each of them: these are drawn for a few of
    them and serve for all.
    """
    seeds = [task_seed(root, 3, place) for place in range(n_planted)]
    planted = np.array(_measure([(laws, "two_clusters", seed) for seed in seeds], count, n_jobs))
    fitted = [
        (
            NullLaws(laws.two_clusters(np.random.default_rng(seed))),
            [task_seed(seed, place) for place in range(n_planted // FITTED)],
        )
        for seed in seeds[:FITTED]
    ]
    nulls = _null_statistics(fitted, count, n_jobs)
    rejected = [all(corrected(values, null).min() < LEVEL for null in nulls) for values in planted]
    return float(np.mean(rejected))


Request = tuple[NullLaws, str, int]


def _null_statistics(
    fitted: Sequence[tuple[NullLaws, Sequence[int]]], count: int, n_jobs: int | None
) -> Floats:
    """The statistics of a data set from each distribution for each seed of each fit.

    A Student distribution without heavy tails is the normal one, and its data sets are the same.
    """
    asked: list[Request] = []
    for law in LAWS:
        for laws, seeds in fitted:
            drawn = "normal" if law == "student" and not laws.has_heavy_tails else law
            asked += [(laws, drawn, task_seed(seed, LAWS.index(drawn))) for seed in seeds]
    distinct = list(dict.fromkeys(asked))
    rows = dict(zip(distinct, _measure(distinct, count, n_jobs), strict=True))
    return np.array([rows[one] for one in asked]).reshape(len(LAWS), len(asked) // len(LAWS), -1)


def _measure(requests: Sequence[Request], count: int, n_jobs: int | None) -> list[list[float]]:
    tasks = [
        Task(f"draws {start}", (count, requests[start : start + AT_A_TIME]))
        for start in range(0, len(requests), AT_A_TIME)
    ]
    records = run_tasks(measure_draws, tasks, n_jobs=n_jobs, description="data without structure")
    return [row for record in records for row in record.values["measured"]]


def measure_draws(count: int, requests: Sequence[Request]) -> Record:
    """The statistics of a data set from each distribution that is asked for, by its seed."""
    rows = []
    for laws, law, seed in requests:
        rng = np.random.default_rng(seed)
        rows.append(measured(getattr(laws, law)(rng), count, rng))
    return Record({"measured": rows})


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
        "corrected p: the share of data sets, the given data among them, that look as clustered in whichever "
        "statistic shows it most; the p of a distribution is its smallest corrected p, that of the answer is "
        "the largest p of a distribution"
    )
    if not count:
        return (correction,)
    which = f"{count} leading principal component{'s were' if count > 1 else ' was'} tested"
    return (f"{which} beside all {dimensions} dimensions", correction)
