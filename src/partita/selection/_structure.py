"""Is there structure at all: the Hopkins statistic, and data held against laws that have no clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, Floats, one_blas_thread
from partita.errors import ParameterError
from partita.fits.checkpoints import Record, root_seed
from partita.fits.tasks import Task, check_count, run_tasks, task_seed
from partita.partitions import DataMatrix, complete_data
from partita.results import Result, Table, show
from partita.results.provenance import provenance
from partita.selection.null_data import normal_like, uniform_like

__all__ = ["NullTest", "Structure", "hopkins", "structure"]

LEVEL = 0.05
FLAT = 1e-12
"""A principal axis with a smaller share of the largest deviation is none."""

MOST_PROBES = 1000
"""`structure` probes with every object, up to so many."""

PATIENCE = 10
"""Failed swaps in a row after which the search for two means ends."""

AT_A_TIME = 10
"""Data sets drawn in one task: one alone takes less time than handing it out."""

IN_WORDS = {"uniform": "a uniform law in its box", "normal": "one normal law"}
HOPKINS, TWO_MEANS = "hopkins", "two-means SSW / SST"
TESTS = {"uniform": (HOPKINS,), "normal": (HOPKINS, TWO_MEANS)}
"""What is measured on data from each law."""


def hopkins(X: Any, *, n_probes: int | None = None, random_state: Any = None) -> float:
    """Whether objects lie closer to each other than to arbitrary places: about 0.5 if not, near 1 if so.

    The sum of u^d over the sum of u^d and w^d, where u is the distance from a place, drawn uniformly in the
    box that the data fills (along the principal axes or the features, whichever is smaller), to the nearest
    object; w that from an object, drawn without replacement, to the nearest other one; and d the number of
    dimensions that the data fills.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, of at least two objects that differ.
    n_probes : int, optional
        How many places and objects are drawn; by default a tenth of the objects, but at least ten if there
        are as many.
    random_state : None, int or Generator
        The value is sampled: another seed gives another one. For uniform data that fill their box, and few
        probes, it has about a Beta(n_probes, n_probes) law, with a deviation of 1 / sqrt(8 n_probes + 4).

    Returns
    -------
    float

    Pitfalls
    --------
    High values only say that the data do not fill their box evenly. One normal cloud of 300 objects scores
    about 0.8 in two dimensions, and more with more objects or dimensions: `structure` holds the value against
    such data.

    References
    ----------
    hopkins1954

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 50, axis=0)
    >>> round(hopkins(X, random_state=0), 2)
    0.91
    """
    values = _rescaled(DataMatrix(X).values)
    n = len(values)
    probes = max(n // 10, min(n, 10)) if n_probes is None else n_probes
    check_count("n_probes", probes)
    if probes > n:
        raise ParameterError("there are more probes than objects.", got=f"{probes} probes", need=f"1 to {n}")
    # a seed of its own: data drawn with the same random_state would repeat in the places
    rng = np.random.default_rng(task_seed(root_seed(random_state), 0))
    return _hopkins(values, probes, _dimension(values), rng)


@dataclass(frozen=True)
class NullTest:
    """One statistic of the data against the same of data from one law without clusters."""

    statistic: str
    null: str
    value: float
    null_mean: float
    p: float


@dataclass(frozen=True, repr=False)
class Structure(Result):
    """Whether data have structure that neither a uniform nor one normal law explains.

    Attributes
    ----------
    tests : tuple of NullTest
        Each statistic against each law: its value, the mean over the data sets of the law, and p.
    title : str
        What was looked at, in words.
    """

    tests: tuple[NullTest, ...] = ()
    title: str = ""

    def p_of(self, null: str) -> float:
        """The p-value of one law: the smallest of its tests, times their number (Bonferroni)."""
        found = [test.p for test in self.tests if test.null == null]
        return min(1.0, len(found) * min(found))

    @property
    def p(self) -> float:
        """The larger of the p-values of both laws: structure is what neither explains."""
        return max(map(self.p_of, TESTS))

    @property
    def strength(self) -> str:
        """TEMP."""
        return "clear" if self.has_structure else "no structure"

    @property
    def has_structure(self) -> bool:
        """Whether ``p`` is below 0.05."""
        return self.p < LEVEL

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        if self.has_structure:
            return f"structure: neither a uniform nor one normal law explains the data (p = {show(self.p)})"
        possible = " or ".join(IN_WORDS[law] for law in TESTS if self.p_of(law) >= LEVEL)
        return f"no structure: the data could come from {possible} (p = {show(self.p)})"

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a test."""
        return [vars(test) for test in self.tests]

    def table(self) -> Table:
        """One row a test, under the answer."""
        rows = tuple((t.statistic, t.null, t.value, t.null_mean, t.p) for t in self.tests)
        columns = ("statistic", "null model", "value", "null mean", "p")
        return Table(f"{self.title}\n{self.statement}", columns, rows, self.notes)


def structure(
    X: Any,
    *,
    n_null: int = 99,
    random_state: Any = None,
    n_jobs: int | None = None,
    missing: str = "raise",
) -> Structure:
    """Whether there is structure at all: is the data more clustered than data from laws without clusters.

    Two laws are tried: uniform in the box that the data fills (see `hopkins`), and one normal law with
    the mean and the covariances of the data. Many data sets are drawn from each. Against both laws
    stands the Hopkins statistic, against the normal one also the share of the scatter that is left within
    two clusters (`partita.cluster.RandomSwap`). A p-value is (1 + the number of drawn data sets that look at
    least as clustered) / (n_null + 1).

    The data have structure if *both* laws are refuted at 0.05: uniform data are no normal cloud, and a
    normal cloud is not uniform, and neither has clusters. The normal law has two tests, so the smaller of
    their p-values counts twice; the larger p-value of the two laws is the answer's.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, of at least two objects that differ.
    n_null : int
        Data sets drawn from each law; with less than 40 no answer can be "structure".
    random_state : None, int or Generator
        The seed from which all others come.
    n_jobs : int, optional
        Workers; the result is the same for any number.
    missing : {"raise", "drop", "median"}
        As in `choose_k`.

    Returns
    -------
    Structure
        ``.has_structure``, ``.p``, ``.statement``, ``.tests``.

    Cost
    ----
    For each drawn data set a few nearest-neighbour queries and a decomposition; for each normal one also a
    clustering with k = 2.

    Pitfalls
    --------
    "Structure" is what neither law explains, which need not be clusters: a ring, heavy tails or a skewed law
    are often refuted too, and so is a uniform box of equal sides that is turned against the features.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> structure(X, random_state=0).statement
    'structure: neither a uniform nor one normal law explains the data (p = 0.0200)'
    """
    data = complete_data(X, missing)
    check_count("n_null", n_null)
    values = _rescaled(data.values)
    dimension, root = _dimension(values), root_seed(random_state)
    laws = [ITSELF, *(law for law in TESTS for _ in range(n_null))]
    seeded = [(law, task_seed(root, place)) for place, law in enumerate(laws)]
    tasks = [
        Task(f"from {start}", (values, dimension, seeded[start : start + AT_A_TIME]))
        for start in range(0, len(seeded), AT_A_TIME)
    ]
    records = run_tasks(measure, tasks, n_jobs=n_jobs, description="data without structure")
    measured, *drawn = (values for record in records for values in record.values["measured"])
    by_law = {law: drawn[i * n_null : (i + 1) * n_null] for i, law in enumerate(TESTS)}
    n, d = data.values.shape
    few = len(TESTS["normal"]) / (n_null + 1) >= LEVEL
    return Structure(
        notes=tuple(
            note
            for note in (
                data.note,
                f"{n_null} data sets from each law are too few for a p-value below {LEVEL}" if few else "",
            )
            if note
        ),
        provenance=provenance(data.values, n_null=n_null, seed=root, exact=False, method="sampled"),
        frame=data.frame or "pandas",
        tests=tuple(
            _against(statistic, law, measured, by_law[law])
            for law, statistics in TESTS.items()
            for statistic in statistics
        ),
        title=f"{n} objects, {d} features: {n_null} data sets from each law",
    )


def quick_structure(X: Floats, seed: int) -> Structure:
    """TEMPORARY."""
    return structure(X, random_state=seed)


def measure(X: Floats, dimension: int, seeded: Sequence[tuple[str, int]]) -> Record:
    """The statistics of the data itself, or of data from a law that looks like it, for each law and seed."""
    measured = []
    for law, seed in seeded:
        rng = np.random.default_rng(seed)
        looked_at = LAWS[law](X, rng)
        values = {HOPKINS: _hopkins(looked_at, min(len(X), MOST_PROBES), dimension, rng)}
        if TWO_MEANS in TESTS.get(law, (TWO_MEANS,)):
            values[TWO_MEANS] = _two_means(looked_at, rng)
        measured.append(values)
    return Record({"measured": measured})


def _against(
    statistic: str, law: str, measured: dict[str, float], drawn: Sequence[dict[str, float]]
) -> NullTest:
    value = measured[statistic]
    null = np.array([values[statistic] for values in drawn])
    as_clustered = null >= value if statistic == HOPKINS else null <= value
    p = (1 + int(as_clustered.sum())) / (len(null) + 1)
    return NullTest(statistic, law, value, float(null.mean()), p)


def _rescaled(X: Array) -> Floats:
    """The data moved and divided so that no square and no power of a distance is too large or too small."""
    if (X[0] == X).all():
        raise ParameterError(
            "all objects are equal, or there is only one: nothing can be said of structure.",
            got=f"{len(X)} objects",
            need="at least two that differ",
        )
    values = X.astype(np.float64) / np.abs(X).max().astype(np.float64)
    values -= values[0]
    return np.asarray(values / np.abs(values).max())


def _dimension(X: Floats) -> int:
    """The number of dimensions that the data fills."""
    with one_blas_thread():
        spread = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return int((spread > FLAT * spread[0]).sum())


def uniform_in_box(X: Floats, rng: np.random.Generator) -> Floats:
    """As many objects, uniform in the smaller of two boxes: along the principal axes, or along the features.

    Data that vary alike in all directions have arbitrary principal axes, and a box along these may be far
    from filled by data that fill a box along the features.
    """
    with one_blas_thread():
        _, spread, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        along = np.ptp(X @ axes.T, axis=0)
    fills_all = len(spread) == X.shape[1] and spread[-1] > FLAT * spread[0]
    if fills_all and np.log(np.ptp(X, axis=0)).sum() <= np.log(along).sum():
        return rng.uniform(X.min(axis=0), X.max(axis=0), size=X.shape)
    return uniform_like(X, rng)


def _itself(X: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG001 (the form of a law)
    return X


ITSELF = "itself"
LAWS = {ITSELF: _itself, "uniform": uniform_in_box, "normal": normal_like}


def _hopkins(X: Floats, n_probes: int, dimension: int, rng: np.random.Generator) -> float:
    objects = rng.choice(len(X), n_probes, replace=False)
    places = uniform_in_box(X, rng)[:n_probes]
    return hopkins_at(X, objects, places, dimension)


def hopkins_at(X: Floats, objects: Array, places: Floats, dimension: int) -> float:
    """The Hopkins statistic for given objects and places."""
    from scipy.spatial import cKDTree
    from scipy.special import expit, logsumexp

    tree = cKDTree(X)
    from_places = tree.query(places)[0]
    from_objects = np.asarray(tree.query(X[objects], k=2)[0])[:, 1]  # the nearest is the object itself
    with np.errstate(divide="ignore"):
        u, w = (logsumexp(dimension * np.log(gaps)) for gaps in (from_places, from_objects))
    return float(expit(u - w)) if math.isfinite(u) or math.isfinite(w) else math.nan


def _two_means(X: Floats, rng: np.random.Generator) -> float:
    """The share of the scatter that is left within two clusters."""
    from partita.cluster import RandomSwap

    scatter = np.square(X - X.mean(axis=0)).sum()
    return float(RandomSwap(2, patience=PATIENCE, random_state=rng).fit(X).objective_ / scatter)
