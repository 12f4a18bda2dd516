"""`benchmark`: methods on data sets with known clusters, each fitted several times, compared by indices."""

from __future__ import annotations

import inspect
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from partita.errors import ParameterError, PartitaError
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.models import K_PARAMETERS, is_random, k_parameter, one_line
from partita.fits.partitions import to_arrays
from partita.fits.tasks import Task, check_count, refuse_many, run_tasks, task_seed
from partita.inputs import Inputs, prepare
from partita.partitions import Partition
from partita.partitions.models import last_step
from partita.registry import Index, select
from partita.results import number
from partita.selection.benchmarks import Benchmark, BenchmarkRun
from partita.selection.fit_scores import fit_and_judge

__all__ = ["benchmark"]

USUAL = (
    "mse",
    "adjusted_rand",
    "nmi_sum",
    "normalized_van_dongen",
    "centroid_index",
    "centroid_similarity_index",
)
"""The columns of franti2017's central table."""

FAILURES = (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError, AttributeError)
"""Errors of a fit that are recorded, while the others go on."""


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
        seen = {"clusters": shape["clusters"], "coverage": shape["coverage"], "failed": values["failed"]}
        runs.append(BenchmarkRun(on, name, run, int(values["seed"]), found, caveats, **seen))
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
