"""`benchmark`: methods on data sets with known clusters, each fitted several times, judged side by side."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Iterable, Mapping, Sequence
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
from partita.selection.benchmarks import Benchmark, BenchmarkRun, failures
from partita.selection.judging import fit_and_judge

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
"""What a fit may raise: it is written down, and the others go on."""


class _Set(NamedTuple):
    """A data set as it is fitted: its values, its true clustering, and how many clusters that has."""

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
        that of the truth; any other stays, and a method that has none goes as it is. The notes say which.
    data : dict of (X, y)
        Data and true clusters, by name. Noise in the truth is a cluster for the indices, but not for k.
    indices : list of names, optional
        Indices of the data, the truth and the clustering; a family or the key of a paper too. MSE, ARI, NMI,
        NVD, CI and CSI by default.
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
        ``to_frame()`` has a row for each data set, method, run and index; it prints means with standard
        deviations. ``.winners`` have the best ``.mean_ranks``, ``.statement`` says so.

    Notes
    -----
    All are judged in the space of X, pipelines too, so that MSE is of the same data for all. What is only
    defined for hard clusterings judges a soft one on hardened labels, and the caveat says so. A fit that
    fails has no values and comes last in the ranks.

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
    store, root = _opened(checkpoint, random_state, sets, fitted, entries, n_runs)
    tasks = [
        Task(
            f"data{list(sets).index(on):04}-method{list(fitted).index(name):04}-run{run:05}",
            (
                sets[on].X,
                sets[on].truth,
                fitted[name],
                {} if parameters[name] is None else {parameters[name]: sets[on].k},
                task_seed(root, zlib.crc32(on.encode()), zlib.crc32(name.encode()), run),
                labels,
            ),
        )
        for on, name, run in places
    ]
    records = run_tasks(fit_once, tasks, n_jobs=n_jobs, description="benchmark", checkpoint=store)
    runs = tuple(_run(place, record) for place, record in zip(places, records, strict=True))
    return Benchmark(
        notes=(*_k_notes(fitted, parameters, entries), *failures(runs), *_refusals(runs)),
        provenance=_provenance(sets, fitted, labels, n_runs, root),
        indices=tuple(labels),
        runs=runs,
        ks={name: one.k for name, one in sets.items()},
        title=f"{len(fitted)} methods on {len(sets)} data sets, {n_runs} runs each",
    )


def fit_once(
    X: Any, truth: Any, method: Any, parameters: dict[str, Any], seed: int, indices: Sequence[str]
) -> Record:
    """One fit, judged in the space of X; whatever goes wrong with it is written down."""
    try:
        return fit_and_judge(X, truth, method, parameters, seed, indices, False, True, "input")
    except FAILURES as problem:
        return Record({"seed": seed, "rows": [], "refused": {}, "failed": one_line(problem)})


# --- what is given ----------------------------------------------------------------------------------------


def _named(given: Any, parameter: str) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            f"{parameter} are no dictionary by name.",
            got=type(given).__name__ if given or not isinstance(given, Mapping) else "an empty one",
            need='{"k-means": KMeans(), ...}' if parameter == "methods" else '{"S1": (X, y), ...}',
            parameter=parameter,
        )
    named = {str(name): one for name, one in given.items()}
    if len(named) < len(given):
        raise ParameterError(
            f"two {parameter} have one name.", got=", ".join(map(repr, given)), parameter=parameter
        )
    return named


def _read(name: str, given: Any) -> _Set:
    """Data and truth of one set; an error says which set it is about."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ParameterError(
            f"data set {name!r} is no pair.",
            got=type(given).__name__,
            need="(X, y): the data, and the true cluster of each object",
            parameter="data",
        )
    try:
        inputs: Inputs = prepare({"X": given[0], "truth": given[1]})
    except PartitaError as problem:
        raise ParameterError(
            f"data set {name!r} cannot be clustered: {problem.what}",
            got=problem.got,
            need=problem.need,
            fix=problem.fix,
            parameter="data",
        ) from None
    assert inputs.X is not None
    truth = inputs.partitions["truth"]
    return _Set(inputs.X.values, truth, truth.n_clusters - (truth.noise_mask is not None))


def _own_k(name: str, method: Any) -> str | None:
    """The parameter that takes the number of true clusters; None where the method keeps its own number."""
    try:
        parameter = k_parameter(method)
    except ParameterError as problem:
        is_estimator = hasattr(method, "get_params") and not isinstance(method, type)
        if is_estimator:
            return None  # it has no such parameter
        raise ParameterError(
            f"method {name!r}: {problem.what}",
            got=problem.got,
            need=problem.need,
            fix=problem.fix,
            parameter="methods",
        ) from None
    last = last_step(method)
    bare = parameter.rpartition("__")[2]
    default = inspect.signature(type(last).__init__).parameters[bare].default
    return parameter if last.get_params(deep=False)[bare] == default else None


def _opened(
    folder: Any,
    random_state: Any,
    sets: Mapping[str, _Set],
    methods: Mapping[str, Any],
    entries: Sequence[Index],
    n_runs: int,
) -> tuple[Checkpoint | None, int]:
    """The checkpoint of this work, if there is to be one, and the seed that all others come from."""
    if folder is None:
        return None, root_seed(random_state)
    from partita import __version__

    parts = {
        "data": {name: (one.X, to_arrays(one.truth)) for name, one in sets.items()},
        "methods": {name: (type(method).__module__, method) for name, method in methods.items()},
        "order": (list(sets), list(methods)),
        "indices": [entry.makings for entry in entries],
        "n_runs": n_runs,
        "version of partita": __version__,
    }
    opened = Checkpoint.open(folder, parts, random_state)
    return opened, opened.seed


# --- what comes out ---------------------------------------------------------------------------------------


def _run(place: tuple[str, str, int], record: Record) -> BenchmarkRun:
    on, name, run = place
    rows = record.values["rows"]
    return BenchmarkRun(
        on,
        name,
        run,
        int(record.values["seed"]),
        {index: number(value) for index, value, _ in rows},
        {index: caveat for index, _, caveat in rows} | record.values["refused"],
        record.values["failed"],
    )


def _k_notes(
    methods: Mapping[str, Any], parameters: Mapping[str, str | None], entries: Sequence[Index]
) -> list[str]:
    """Which methods were told the number of true clusters, and which were not."""
    told_truth = [name for name in methods if parameters[name] is not None]
    own = [name for name in methods if parameters[name] is None]
    told = {name: _given_k(methods[name]) for name in own}
    with_k = [f"{name} (k = {k})" for name, k in told.items() if k is not None]
    without = [name for name, k in told.items() if k is None]
    notes = [f"number of clusters as in the truth: {', '.join(told_truth)}"] * bool(told_truth)
    notes += [f"number of clusters as given: {', '.join(with_k)}"] * bool(with_k)
    notes += [f"find their number of clusters themselves: {', '.join(without)}"] * bool(without)
    blind = [entry.label for entry in entries if "truth" not in entry.inputs]
    if own and blind:
        notes.append(f"{', '.join(blind)}: does not know the truth, and may favour more clusters than it has")
    return notes


def _given_k(method: Any) -> Any:
    known = last_step(method).get_params(deep=False)
    return next((known[name] for name in K_PARAMETERS if name in known), None)


def _refusals(runs: Sequence[BenchmarkRun]) -> list[str]:
    """Indices that cannot judge a data set or method, and why."""
    seen: dict[str, list[str]] = {}
    for one in runs:
        for index, why in one.caveats.items():
            if index not in one.values:
                seen.setdefault(f"{index}: {why}", []).append(f"{one.method} on {one.data}")
    return [f"not judged by {text} ({', '.join(dict.fromkeys(where))})" for text, where in seen.items()]


def _provenance(
    sets: Mapping[str, _Set], methods: Mapping[str, Any], labels: Sequence[str], n_runs: int, root: int
) -> dict[str, Any]:
    from partita import __version__

    return {
        "partita": __version__,
        "data": {name: {"n": len(one.X), "d": one.X.shape[1], "k": one.k} for name, one in sets.items()},
        "methods": {name: repr(method) for name, method in methods.items()},
        "indices": list(labels),
        "n_runs": n_runs,
        "seed": root,
    }
