"""`benchmark`: methods on data sets with known clusters, each fitted several times, compared by indices."""

from __future__ import annotations

import inspect
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Floats
from partita.errors import ParameterError, PartitaError
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.fit_scores import fit_and_judge
from partita.fits.models import K_PARAMETERS, is_random, k_parameter, one_line
from partita.fits.partitions import to_arrays
from partita.fits.tasks import Task, check_count, refuse_many, run_tasks, task_seed
from partita.inputs import Inputs, prepare
from partita.partitions import Partition
from partita.partitions.models import last_step
from partita.registry import Index, find, select
from partita.results import Result, Table, number, show
from partita.results.answers import Answer, Reason, ReasonKind
from partita.results.verdicts import Strength

__all__ = ["Benchmark", "BenchmarkRun", "benchmark"]

USUAL = (
    "mse",
    "adjusted_rand",
    "nmi_sum",
    "normalized_van_dongen",
    "centroid_index",
    "centroid_similarity_index",
)
"""The columns of franti2017's central table."""

ROUNDING = 1e-12
"""Relative difference of means up to which they are equal."""

MOST_NAMED, MOST_WORDS, MOST_LETTERS = 3, 3, 24
"""Methods that a statement names, with so many words and letters of a name."""

FAILURES = (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError, AttributeError)
"""Errors of a fit that are recorded, while the others go on."""


@dataclass(frozen=True)
class BenchmarkRun:
    """One fit of a method to a data set: its values, or why it failed.

    ``clusters`` is the number of clusters found, noise not counted, and ``coverage`` the share of the objects
    that are in one of them.
    """

    data: str
    method: str
    run: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""
    clusters: int | None = None
    coverage: float = math.nan


@dataclass(frozen=True, repr=False)
class Benchmark(Result):
    """Methods on data sets, compared by the same indices.

    Attributes
    ----------
    indices : tuple of str
        The labels of the indices.
    runs : tuple of BenchmarkRun
        Every fit.
    ks : dict
        For each data set its number of true clusters.
    title : str
        What was compared, in words.
    """

    indices: tuple[str, ...] = ()
    runs: tuple[BenchmarkRun, ...] = ()
    ks: Mapping[str, int] = field(default_factory=dict)
    title: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return ("data", "method", "run", "seed", "index", "value", "caveat", "clusters", "coverage")

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each data set, method, run and index; nan where a fit failed, and why."""
        return [
            {
                "data": one.data,
                "method": one.method,
                "run": one.run,
                "seed": one.seed,
                "index": index,
                "value": one.values.get(index, math.nan),
                "caveat": one.failed or one.caveats.get(index, ""),
                "clusters": one.clusters,
                "coverage": one.coverage,
            }
            for one in self.runs
            for index in self.indices
        ]

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Their names, in the order given."""
        return tuple(dict.fromkeys(one.method for one in self.runs))

    @cached_property
    def data(self) -> tuple[str, ...]:
        """The names of the data sets, in the order given."""
        return tuple(dict.fromkeys(one.data for one in self.runs))

    def values_of(self, data: str, method: str, index: str) -> Floats:
        """The values of all runs of a method on a data set that have one."""
        mine = [one for one in self.runs if (one.data, one.method) == (data, method)]
        values = np.array([one.values.get(index, math.nan) for one in mine])
        return np.asarray(values[~np.isnan(values)])

    def mean(self, data: str, method: str, index: str) -> float:
        """The mean over runs; nan where no run has a value."""
        values = self.values_of(data, method, index)
        return float(values.mean()) if values.size else math.nan

    def coverage(self, data: str, method: str) -> float:
        """The mean share of objects in clusters, over runs; nan where all failed."""
        mine = [one.coverage for one in self.runs if (one.data, one.method) == (data, method)]
        known = [share for share in mine if not math.isnan(share)]
        return float(np.mean(known)) if known else math.nan

    @cached_property
    def ranks(self) -> Floats:
        """The mean rank over indices of each method (columns) on each data set (rows); 1 is best.

        Ranks are those of means over runs. Equal means share their ranks, and a method without a value comes
        after all others. Indices that only describe do not count.
        """
        from scipy.stats import rankdata

        judging = [label for label in self.indices if find(label).direction != "none"]
        ranks = []
        for data in self.data if judging else ():
            of_data = []
            for label in judging:
                means = np.array([self.mean(data, method, label) for method in self.methods])
                losses = -means if find(label).direction == "higher" else means
                losses = np.where(np.isnan(losses), math.inf, losses)
                unit = ROUNDING * np.abs(losses[np.isfinite(losses)]).max(initial=0.0)
                of_data.append(rankdata(np.round(losses / unit) if unit else losses))
            ranks.append(np.mean(of_data, axis=0))
        return np.reshape(ranks, (len(ranks), len(self.methods)))

    @cached_property
    def mean_ranks(self) -> dict[str, float]:
        """The rank of each method, averaged over indices and data sets; best first."""
        if not self.ranks.size:
            return {}
        average = dict(zip(self.methods, self.ranks.mean(axis=0).tolist(), strict=True))
        return dict(sorted(average.items(), key=lambda item: item[1]))

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """The method with the best mean rank, and those that tie with it.

        A tie is a difference of mean ranks below its standard error over data sets; on one data set, of 0.
        """
        by_method = dict(zip(self.methods, self.ranks.T, strict=True))
        tied: list[str] = []
        for method in self.mean_ranks:
            behind = by_method[method] - by_method[tied[0] if tied else method]
            n = len(behind)
            error = behind.std(ddof=1) / math.sqrt(n) if n > 1 else 0.0
            tied += [method] * bool(behind.mean() <= ROUNDING or behind.mean() < error - ROUNDING)
        return tuple(tied)

    @property
    def answer(self) -> Answer | None:
        """The winners, the strength of the answer, and the reasons; None where there is nothing to rank."""
        ranks, n = self.mean_ranks, len(self.data)
        if len(self.methods) < 2 or not ranks:
            return None
        names = {method: " ".join(method.split()[:MOST_WORDS])[:MOST_LETTERS] for method in self.methods}
        ties = len(self.winners) > 1
        who = " and ".join(names[method] for method in self.winners)
        if len(self.winners) > MOST_NAMED:
            who = f"{len(self.winners)} of {len(self.methods)} methods"
        low, high = f"{ranks[self.winners[0]]:.2f}", f"{ranks[self.winners[-1]]:.2f}"
        rank = f"mean rank {low}" if low == high else f"mean ranks {low} to {high}"
        over = f"{n} data set{'s' if n > 1 else ''}"
        reasons = [Reason(ReasonKind.VOTES, f"{rank} of {len(self.methods)} methods over {over}")]
        if ties and n > 1:
            text = "no difference exceeds its standard error"
            reasons.append(Reason(ReasonKind.RIVAL, text, role="against"))
        others = [method for method in ranks if method not in self.winners]
        if others:
            reasons.append(Reason(ReasonKind.RIVAL, f"next {names[others[0]]}, {ranks[others[0]]:.2f}"))
        for method in self.winners:
            shares = [1 - self.coverage(data, method) for data in self.data]
            if max(shares) > 0:
                text = f"{names[method]} leaves up to {max(shares):.0%} of the objects out"
                reasons.append(Reason(ReasonKind.FLAW, text, role="against"))
        if n == 1 or ties:
            reasons.append(Reason(ReasonKind.RIVAL, "Add data sets.", role="next"))
        strength: Strength = "contested" if ties else "weak" if n == 1 else "clear"
        return Answer(self.winners, strength, f"{who} {'tie' if ties else 'is best'}", tuple(reasons))

    @property
    def statement(self) -> str:
        """The winners, their mean ranks, and the next method, in 25 words at most."""
        return "" if self.answer is None else self.answer.statement

    def table(self) -> Table:
        """Means over runs with their standard deviations, a row for each data set and method.

        ``coverage`` is there where a method leaves objects out as noise.
        """
        covered = {(data, m): self.coverage(data, m) for data in self.data for m in self.methods}
        has_noise = any(share < 1 for share in covered.values())
        rows = []
        for data in self.data:
            for place, method in enumerate(self.methods):
                head = (data, self.ks[data]) if place == 0 else ("", None)
                shares = (covered[data, method],) * has_noise
                cells = []
                for index in self.indices:
                    values = self.values_of(data, method, index)
                    mean, several = float(values.mean()) if values.size else math.nan, values.size > 1
                    deviation = float(values.std(ddof=1)) if several else 0.0
                    spread = f" ({deviation if deviation > ROUNDING * abs(mean) else 0.0:.2g})"
                    cells.append(f"{show(mean) if values.size else 'nan'}{spread if several else ''}")
                rows.append((*head, method, *shares, *cells))
        symbols = [find(label).symbol or label for label in self.indices]
        heads = symbols if len(set(symbols)) == len(symbols) else self.indices
        columns = ("data", "k", "method", *["coverage"] * has_noise, *heads)
        notes = (*self.footnotes, "mean (standard deviation over runs)")
        return Table(self.title, columns, tuple(rows), notes, self.statement)


class _Set(NamedTuple):
    """A data set: its values, its true clustering, and the number of clusters of that, noise not counted."""

    X: Any
    truth: Partition
    k: int


def benchmark(
    methods: Mapping[str, Any],
    data: Mapping[str, Any],
    *,
    indices: Iterable[str | Index] | str | None = None,
    n_runs: int = 10,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
) -> Benchmark:
    """Compare methods on data sets whose clusters are known: franti2017's central table in one call.

    Parameters
    ----------
    methods : dict of estimators
        Clusterers like scikit-learn's, by name. A number of clusters that is the method's default is set to
        that of the truth; any other stays, and a method that has none is fitted as it is. See the notes.
    data : dict of (X, y)
        Data and true clusters, by name. Noise in the truth is a cluster for the indices, but not for k.
    indices : list of names, optional
        Indices of the data, the truth and the clustering, a family of indices, or the key of a paper; or
        functions, ``{"mine": (f, "higher")}``, of the true and the found labels, or of the data and labels if
        the first parameter is called ``X``. MSE, ARI, NMI, NVD, CI and CSI by default.
    n_runs : int
        Fits of each method to each data set, each with a seed of its own; one if the method is not random.
    n_jobs : int, optional
        Workers; the result is the same for any number.
    random_state : None, int or Generator
        The seed from which all others come. That of a fit depends on the names of its method and data set
        and on the run, not on what else is compared.
    checkpoint : path, optional
        A folder that keeps what is computed: work that was killed goes on there, to the same result.

    Returns
    -------
    Benchmark
        ``to_frame()`` has a row for each data set, method, run and index, with the number of clusters found
        and the share of objects in them; it prints means with standard deviations. ``.winners`` have the best
        of ``.mean_ranks``, and tie where the difference is below its standard error over data sets;
        ``.statement`` has the result in a sentence.

    Notes
    -----
    All are compared in the space of X, pipelines too, so that MSE is of the same data for all. Indices that
    are only defined for hard clusterings are computed on hardened labels, with a caveat. Noise in a
    clustering counts as one more cluster. A fit that fails has no values and comes last in the ranks.

    Examples
    --------
    >>> from partita.cluster import RandomSwap
    >>> X, y = [[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]], [0, 0, 1, 1, 2, 2]
    >>> table = benchmark(
    ...     {"swap": RandomSwap(), "five": RandomSwap(5)}, {"line": (X, y)}, indices=["MSE", "ARI", "CI"],
    ...     n_runs=1, random_state=0)
    >>> table.winners
    ('swap',)
    >>> table.mean("line", "swap", "adjusted_rand")
    1.0
    """
    check_count("n_runs", n_runs)
    sets = {name: _read(name, given) for name, given in _named(data, "data").items()}
    fitted = _named(methods, "methods")
    parameters = {name: _own_k(name, method) for name, method in fitted.items()}
    entries = list(select(USUAL if indices is None else indices, (), headline=USUAL).entries)
    labels = [entry.label for entry in entries]
    places = [
        (on, name, run)
        for on in sets
        for name, method in fitted.items()
        for run in range(n_runs if is_random(method) else 1)
    ]
    refuse_many("fits", len(places))
    from partita import __version__

    parts = {
        "data": {name: (one.X, to_arrays(one.truth)) for name, one in sets.items()},
        "methods": {name: (type(method).__module__, method) for name, method in fitted.items()},
        "order": (list(sets), list(fitted)),
        "indices": [entry.makings for entry in entries],
        "n_runs": n_runs,
        "version of partita": __version__,
    }
    store = None if checkpoint is None else Checkpoint.open(checkpoint, parts, random_state)
    root = root_seed(random_state) if store is None else store.seed
    tasks = [
        Task(
            f"data{list(sets).index(on):04}-method{list(fitted).index(name):04}-run{run:05}",
            (
                sets[on].X,
                sets[on].truth,
                fitted[name],
                {} if parameters[name] is None else {parameters[name]: sets[on].k},
                task_seed(root, zlib.crc32(on.encode()), zlib.crc32(name.encode()), run),
                [entry.for_workers for entry in entries],
            ),
        )
        for on, name, run in places
    ]
    records = run_tasks(fit_once, tasks, n_jobs=n_jobs, description="benchmark", checkpoint=store)
    runs = []
    for (on, name, run), record in zip(places, records, strict=True):
        values = record.values
        found = {index: number(value) for index, value, _ in values["rows"]}
        caveats = {index: caveat for index, _, caveat in values["rows"]} | values["refused"]
        shape = values.get("shape") or {"clusters": None, "coverage": math.nan}
        seen = {part: shape[part] for part in ("clusters", "coverage")}
        seed = int(values["seed"])
        runs.append(BenchmarkRun(on, name, run, seed, found, caveats, values["failed"], **seen))
    about = {name: {"n": len(one.X), "d": one.X.shape[1], "k": one.k} for name, one in sets.items()}
    return Benchmark(
        notes=(*_notes_on_k(fitted, parameters, entries), *_notes_on_runs(runs)),
        provenance={
            "partita": __version__,
            "data": about,
            "methods": {name: repr(method) for name, method in fitted.items()},
            "indices": labels,
            "n_runs": n_runs,
            "seed": root,
        },
        indices=tuple(labels),
        runs=tuple(runs),
        ks={name: one.k for name, one in sets.items()},
        title=f"{len(fitted)} methods on {len(sets)} data sets, {n_runs} runs each",
    )


def fit_once(
    X: Any, truth: Any, method: Any, parameters: dict[str, Any], seed: int, indices: Sequence[str | Index]
) -> Record:
    """One fit with its indices in the space of X, or the error of the fit."""
    try:
        return fit_and_judge(X, truth, method, parameters, seed, indices, False, True, "input")
    except FAILURES as problem:
        if isinstance(problem, ParameterError) and problem.parameter == "indices":
            raise  # a function that was given in the place of an index
        return Record({"seed": seed, "rows": [], "refused": {}, "failed": one_line(problem)})


def _named(given: Any, parameter: str) -> dict[str, Any]:
    """Methods or data by name, or an error."""
    if not isinstance(given, Mapping) or not given:
        got = "an empty one" if isinstance(given, Mapping) else type(given).__name__
        need = '{"k-means": KMeans(), ...}' if parameter == "methods" else '{"S1": (X, y), ...}'
        raise ParameterError(f"{parameter} must be a dictionary.", got=got, need=need, parameter=parameter)
    named = {str(name): one for name, one in given.items()}
    if len(named) < len(given):
        got = ", ".join(map(repr, given))
        raise ParameterError(f"two {parameter} have one name.", got=got, parameter=parameter)
    return named


def _read(name: str, given: Any) -> _Set:
    """Data and truth of one set, or an error that names the set."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        need = "(X, y): the data, and the true cluster of each object"
        what, got = f"data set {name!r} must be a pair.", type(given).__name__
        raise ParameterError(what, got=got, need=need, parameter="data")
    try:
        inputs: Inputs = prepare({"X": given[0], "truth": given[1]})
    except PartitaError as problem:
        raise _renamed(problem, f"data set {name!r} cannot be clustered", "data") from None
    assert inputs.X is not None
    truth = inputs.partitions["truth"]
    return _Set(inputs.X.values, truth, truth.n_clusters - (truth.noise_mask is not None))


def _own_k(name: str, method: Any) -> str | None:
    """The parameter that takes the number of true clusters; None where the method keeps its own number."""
    try:
        parameter = k_parameter(method)
    except ParameterError as problem:
        if hasattr(method, "get_params") and not isinstance(method, type):
            return None  # it has no such parameter
        raise _renamed(problem, f"method {name!r}", "methods") from None
    last = last_step(method)
    bare = parameter.rpartition("__")[2]
    default = inspect.signature(type(last).__init__).parameters[bare].default
    return parameter if last.get_params(deep=False)[bare] == default else None


def _renamed(problem: PartitaError, of: str, parameter: str) -> ParameterError:
    """The same error with the name of the method or data set."""
    details = {"got": problem.got, "need": problem.need, "fix": problem.fix}
    return ParameterError(f"{of}: {problem.what}", **details, parameter=parameter)


def _notes_on_k(
    methods: Mapping[str, Any], parameters: Mapping[str, str | None], entries: Sequence[Index]
) -> Iterator[str]:
    """Which methods were given the number of true clusters, and which were not."""
    truth, given, without = [], [], []
    for name, method in methods.items():
        known = last_step(method).get_params(deep=False)
        k = next((known[one] for one in K_PARAMETERS if one in known), None)
        if parameters[name] is not None:
            truth.append(name)
        elif k is not None:
            given.append(f"{name} (k = {k})")
        else:
            without.append(name)
    if truth:
        yield f"number of clusters as in the truth: {', '.join(truth)}"
    if given:
        yield f"number of clusters as given: {', '.join(given)}"
    if without:
        yield f"find their number of clusters themselves: {', '.join(without)}"
    blind = [entry.label for entry in entries if "truth" not in entry.inputs]
    if blind and (given or without):
        yield f"{', '.join(blind)}: does not use the truth, and may favour more clusters than it has"


def _notes_on_runs(runs: Sequence[BenchmarkRun]) -> Iterator[str]:
    """Fits that failed, indices that were not computed, and methods that leave objects out as noise."""
    failed = Counter((one.method, one.data, one.failed) for one in runs if one.failed)
    for (method, data, why), count in failed.items():
        yield f"{method} failed on {data} ({count} run{'s' if count > 1 else ''}): {why}"
    refused: dict[str, list[str]] = {}
    noisy: list[str] = []
    for one in runs:
        where = f"{one.method} on {one.data}"
        for index, why in one.caveats.items():
            if index not in one.values:
                refused.setdefault(f"{index}: {why}", []).append(where)
        noisy += [where] * (one.coverage < 1)
    yield from (
        f"not computed: {text} ({', '.join(dict.fromkeys(where))})" for text, where in refused.items()
    )
    if noisy:
        yield f"noise counts as one more cluster: {', '.join(dict.fromkeys(noisy))}"
