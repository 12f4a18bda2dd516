"""`stability`: whether a method finds the same clusters again in data that was perturbed."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.cluster.swap import RandomSwap, part_of_sweep
from partita.errors import ParameterError, Phrase, Setting
from partita.evaluation import judge, plan
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.models import (
    clustering_of,
    k_parameter,
    one_line,
    seeded,
)
from partita.fits.partitions import from_arrays, to_arrays
from partita.fits.tasks import Task, check_count, numbers_of_clusters, refuse_many, run_tasks, task_seed
from partita.inputs import prepare
from partita.partitions import HardPartition, Partition, complete_data
from partita.partitions.models import check_space, in_clustered_space, last_step, space_note
from partita.registry import Index, find, resolve
from partita.registry.rules import Verdict, apply_rule
from partita.results import Result, Table, join_texts, number, plain
from partita.results.provenance import provenance
from partita.selection.schemes import SCHEMES, Draw, Subsample, is_real
from partita.selection.transfer import carried_over

__all__ = ["Repeat", "Stability", "stability"]

STRATEGIES = ("cross-validation", "transfer")
USUAL = ("centroid_index", "adjusted_rand")
THRESHOLD = 0.9
STARTS = 2
"""Starts of the usual method: what differs between repeats should be the data, not the optimum found."""

WHOLE, REPEAT = range(2)
"""Where in the tree of seeds a task stands."""

UNFIT = ("KMeans", "MiniBatchKMeans", "BisectingKMeans")


@dataclass(frozen=True)
class Repeat:
    """One perturbed clustering: its k, its seed, and how far it agrees, by each index, with caveats."""

    k: int
    repeat: int
    seed: int
    values: Mapping[str, float]
    caveats: Mapping[str, str]
    failed: str = ""


@dataclass(frozen=True, repr=False)
class Stability(Result):
    """How far clusterings of perturbed data agree, for each k, and what number of clusters that speaks for.

    Attributes
    ----------
    ks : tuple of int
        The numbers of clusters that were tried.
    repeats : tuple of Repeat
        Every perturbed clustering, with every value.
    choices : dict of Verdict
        What each rule chooses. "CI = 0 in all repeats" comes first where the centroid index was asked for.
    title : str
        What was clustered, in words.
    """

    ks: tuple[int, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    choices: Mapping[str, Verdict] = field(default_factory=dict)
    title: str = ""

    @property
    def k(self) -> int | None:
        """The choice of the first rule; None where it has no answer."""
        return next(iter(self.choices.values())).k

    @property
    def indices(self) -> tuple[str, ...]:
        """The indices that compared clusterings."""
        return tuple(self.repeats[0].values)

    def values(self, index: str, k: int) -> Floats:
        """The values of an index at a k, one for each repeat."""
        label = find(index).label
        if label not in self.indices or k not in self.ks:
            raise ParameterError(
                f"{label} was not computed for k = {k}.",
                got=f"{index!r}, {k!r}",
                need=f"one of {', '.join(self.indices)} and one of {list(self.ks)}",
            )
        return np.array([r.values[label] for r in self.repeats if r.k == k])

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each (k, repeat, index)."""
        return [
            {
                "k": r.k,
                "repeat": r.repeat,
                "seed": r.seed,
                "index": index,
                "value": value,
                "caveat": join_texts([r.caveats[index], r.failed]),
            }
            for r in self.repeats
            for index, value in r.values.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        choices = {rule: asdict(verdict) for rule, verdict in self.choices.items()}
        return {**super().to_dict(), "title": self.title, "k": self.k, "choices": plain(choices)}

    def table(self) -> Table:
        """For each k the mean, the deviation and the worst value of each index."""
        columns = ["k"]
        for index in self.indices:
            columns += [index, "+-", "worst"]
        rows = tuple(
            (k, *(cell for index in self.indices for cell in _summary(self.values(index, k), find(index))))
            for k in self.ks
        )
        said = tuple(
            f"{rule}: {'no answer' if v.k is None else f'k = {v.k}'} ({v.reason})"
            for rule, v in self.choices.items()
        )
        answer = "no answer" if self.k is None else f"k = {self.k}"
        title = f"{self.title}\n{answer}, by {next(iter(self.choices))}"
        return Table(title, tuple(columns), rows, (*said, *self.notes))


def _summary(values: Floats, entry: Index) -> tuple[float, float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return math.nan, math.nan, math.nan
    worst = known.min() if entry.direction == "higher" else known.max()
    return float(known.mean()), float(known.std()), float(worst)


def stability(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] = range(2, 11),
    *,
    scheme: Any = None,
    strategy: str = "cross-validation",
    n_repeats: int = 20,
    indices: Iterable[str | Index] | str | Index | None = None,
    threshold: float = THRESHOLD,
    k_param: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
) -> Stability:
    """How many clusters are found again when the data is perturbed (franti2017, part IV).

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator : clusterer, optional
        Anything like scikit-learn's. `partita.cluster.RandomSwap` with two starts by default; plain k-means
        is no use here, since it finds another local optimum each time.
    ks : iterable of int
        The numbers of clusters to try.
    scheme : Subsample, Bootstrap, Noise or Rerun
        How randomness is added; 30 % of the objects by default.
    strategy : {"cross-validation", "transfer"}
        Compare the clustering of all data with that of perturbed data, on the objects that both have; or
        cluster two perturbed data sets, carry one clustering over to the objects of the other (by the model's
        prediction, else that of the nearest object), and compare there.
    n_repeats : int
        Perturbed data sets for each k.
    indices : list of names, optional
        External indices, for soft clusterings too; the centroid index and ARI by default. With "transfer"
        and `prediction_strength` this is the method of that name.
    threshold : float
        For the rule "last stable": the last k whose mean value is at least as good.
    k_param, n_jobs, random_state, checkpoint, missing, space
        As in `choose_k`; the centroid index looks at the data.

    Returns
    -------
    Stability
        ``.k`` is the last k where the centroid index is 0 in all repeats, if that index was asked for;
        ``.choices`` has the other rules too; ``to_frame()`` has every repeat.

    Cost
    ----
    A fit of the whole data for each k, a fit of perturbed data (two for "transfer") for each k and repeat.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 50, axis=0)
    >>> stability(X, ks=range(2, 6), n_repeats=5, random_state=0).k
    3
    """
    check_space(space)
    data = complete_data(X, missing)
    scheme = Subsample() if scheme is None else scheme
    entries = _checked(scheme, strategy, n_repeats, indices, threshold)
    method = RandomSwap(n_init=STARTS) if estimator is None else estimator
    parameter = k_parameter(method, k_param)
    numbers = numbers_of_clusters(ks, data.n_objects)
    refuse_many("fits", len(numbers) * n_repeats)
    from partita import __version__

    parts = {
        "version of partita": __version__,
        "data": data.values,
        "estimator": (type(method).__module__, method, parameter),
        "scheme": scheme,
        "strategy": strategy,
        "indices": [e.makings for e in entries],
        "ks": numbers,
        "n_repeats": int(n_repeats),
        "space": space,
    }
    store = None if checkpoint is None else Checkpoint.open(checkpoint, parts, random_state)
    root = root_seed(random_state) if store is None else store.seed

    def run(work: Callable[..., Record], tasks: Sequence[Task]) -> Iterator[Record]:
        return run_tasks(work, tasks, n_jobs=n_jobs, description="stability", checkpoint=store)

    cells = _cells(data.values, method, numbers, n_repeats, scheme)
    fit_tasks = [
        Task(f"whole-k{k:05}", (data.values, method, {parameter: k}, task_seed(root, WHOLE, k), cells))
        for k in numbers
    ]
    whole = dict(zip(numbers, run(fit_whole, fit_tasks), strict=True))
    places = [(k, repeat) for k in numbers for repeat in range(n_repeats)]
    tasks = [
        Task(
            f"k{k:05}-repeat{repeat:05}",
            (
                data.values,
                method,
                {parameter: k},
                task_seed(root, REPEAT, k, repeat),
                scheme,
                strategy,
                [e.label for e in entries],
                whole[k],
                space,
                cells,
            ),
        )
        for k, repeat in places
    ]
    records = list(run(fit_perturbed, tasks))
    repeats = [_repeat(place, record, entries) for place, record in zip(places, records, strict=True)]
    failed = [r for r in repeats if r.failed]
    if len(failed) == len(repeats):
        raise ParameterError(
            "no fit succeeded.", got=failed[0].failed, need="numbers of clusters that it can do"
        )
    notes = [note for note in (space_note(method, space), data.note) if note]
    notes += [f"{len(failed)} of {len(repeats)} fits failed: {failed[0].failed}"] if failed else []
    fits = [*whole.values(), *records]
    warned = Counter(name for record in fits for name in record.values["warned"])
    notes += [f"{count} of {len(fits)} fits gave a {name}" for name, count in sorted(warned.items())]
    if type(last_step(method)).__name__ in UNFIT:
        notes.append(
            "plain k-means finds other local optima in every run, so its stability says little about the "
            "number of clusters (franti2017, part IV): use partita.cluster.RandomSwap"
        )
    n, d = data.values.shape
    return Stability(
        notes=tuple(notes),
        provenance=provenance(
            data.values,
            estimator=repr(method),
            scheme=scheme,
            strategy=strategy,
            indices=[e.label for e in entries],
            ks=numbers,
            n_repeats=n_repeats,
            threshold=threshold,
            seed=root,
        ),
        frame=data.frame or "pandas",
        ks=numbers,
        repeats=tuple(repeats),
        choices=_choices(entries, numbers, repeats, threshold),
        title=f"{n} objects, {d} features: {type(method).__name__}, {n_repeats} x {scheme!r}, {strategy}",
    )


def _checked(scheme: Any, strategy: str, n_repeats: Any, indices: Any, threshold: Any) -> list[Index]:
    if not isinstance(scheme, SCHEMES):
        raise ParameterError(
            "this is no scheme of perturbation.",
            got=repr(scheme),
            need=", ".join(made.__name__ for made in SCHEMES),
            fix="resampling.Subsample(0.3)",
            parameter="scheme",
        )
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        need = " or ".join(map(repr, STRATEGIES))
        raise ParameterError("no such strategy.", got=repr(strategy), need=need, parameter="strategy")
    check_count("n_repeats", n_repeats)
    if not is_real(threshold) or math.isnan(threshold):
        what = Phrase(Setting("threshold"), " is no number.")
        raise ParameterError(what, got=repr(threshold), need="a number, such as 0.9")
    entries = resolve(USUAL if indices is None else indices, ())
    for entry in entries:
        if not {"truth", "found"} <= set(entry.inputs) or entry.best is None:
            raise ParameterError(
                f"{entry.name} does not say how far two clusterings agree.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an external index, such as CI, ARI or VI",
            )
    if not entries:
        raise ParameterError("there is nothing to compare by.", got="no index", need="at least one")
    return entries


def _cells(X: Floats, method: Any, ks: Sequence[int], n_repeats: int, scheme: Any) -> float:
    """Numbers in X times clusters over all searches, which tells random swap how much work will come."""
    share = scheme.share if isinstance(scheme, Subsample) else 1.0
    last = last_step(method)
    starts = last.n_init if isinstance(last, RandomSwap) else 1
    return float(X.size * sum(ks) * starts * (1 + n_repeats * share))


def fit_whole(X: Floats, method: Any, parameters: dict[str, Any], seed: int, cells: float = 0.0) -> Record:
    """The clustering of all data, and the deviation within its clusters."""
    values: dict[str, Any] = {"failed": "", "warned": [], "deviation": None}
    with warnings.catch_warnings(record=True) as caught, part_of_sweep(cells):
        warnings.simplefilter("always")
        try:
            found = clustering_of(seeded(method, parameters, seed).fit(X), X)
        except (ValueError, ArithmeticError) as problem:
            return Record({**values, "failed": one_line(problem)})
    (k,) = parameters.values()
    filled = len(np.unique(found.codes)) if isinstance(found, HardPartition) else k
    if filled < k:
        values["failed"] = f"only {filled} of {k} clusters have objects"
    values |= {"warned": _names(caught), "deviation": _deviation(X, found)}
    return Record(values, to_arrays(found))


def _names(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    return sorted({type(w.message).__name__ for w in caught})


def _deviation(X: Floats, found: Partition) -> float:
    """The root of the mean squared difference to the mean of an object's own cluster, over all features."""
    names, codes = np.unique(found.harden().codes, return_inverse=True)
    means = np.stack([X[codes == j].mean(axis=0) for j in range(len(names))])
    return float(np.sqrt(np.square(X - means[codes]).mean()))


def fit_perturbed(
    X: Floats,
    method: Any,
    parameters: dict[str, Any],
    seed: int,
    scheme: Any,
    strategy: str,
    labels: Sequence[str],
    whole: Record,
    space: str = "clustered",
    cells: float = 0.0,
) -> Record:
    """One perturbed clustering, compared by every index."""
    values: dict[str, Any] = {"seed": seed, "rows": [], "warned": [], "failed": whole.values["failed"]}
    if values["failed"]:
        return Record(values)
    rng = np.random.default_rng(seed)
    deviation = whole.values["deviation"]
    drawn = scheme.draw(X, deviation, rng)
    with warnings.catch_warnings(record=True) as caught, part_of_sweep(cells):
        warnings.simplefilter("always")
        try:
            model = seeded(method, parameters, _seed(rng)).fit(drawn.X)
            if strategy == "transfer":
                other = _another(scheme, X, drawn, deviation, rng)
                own = clustering_of(seeded(method, parameters, _seed(rng)).fit(other.X), other.X)
                objects, truth, found = other.rows, own, carried_over(model, drawn.X, other.X)
            else:
                objects, truth = drawn.rows, from_arrays(whole.arrays).take(drawn.rows)
                found = clustering_of(model, drawn.X)
        except (ValueError, ArithmeticError) as problem:
            return Record({**values, "failed": one_line(problem)})
    once = np.unique(objects, return_index=True)[1]  # an object drawn twice is compared once
    seen = X[objects[once]]
    if space == "clustered":
        seen, _ = in_clustered_space(model, seen)
    given = {"X": seen, "truth": truth.take(once), "found": found.take(once)}
    rows = judge(plan([find(label) for label in labels], prepare(given), hardens=True)).rows
    values["rows"] = plain([(row.value, row.caveat) for row in rows])
    return Record({**values, "warned": _names(caught)})


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 32))


def _another(scheme: Any, X: Floats, first: Draw, deviation: float, rng: np.random.Generator) -> Draw:
    """A second draw, from the objects that the first left if these are enough."""
    rest = np.setdiff1d(np.arange(len(X)), first.rows)
    if len(rest) < len(first.rows):
        made: Draw = scheme.draw(X, deviation, rng)
        return made
    rows = np.sort(rng.choice(rest, len(first.rows), replace=False))
    return Draw(rows, X[rows])


def _repeat(place: tuple[int, int], record: Record, entries: Sequence[Index]) -> Repeat:
    rows = record.values["rows"] or [(None, "")] * len(entries)
    values = {e.label: number(value) for e, (value, _) in zip(entries, rows, strict=True)}
    caveats = {e.label: caveat for e, (_, caveat) in zip(entries, rows, strict=True)}
    return Repeat(*place, int(record.values["seed"]), values, caveats, record.values["failed"])


def _choices(
    entries: Sequence[Index], ks: Sequence[int], repeats: Sequence[Repeat], threshold: float
) -> dict[str, Verdict]:
    """CI = 0 in all repeats; then for each index the last stable k, and the best mean.

    One cluster is found again in any data: it is the last stable k where no other is, but no best one.
    """
    values = {
        (e.label, k): np.array([r.values[e.label] for r in repeats if r.k == k]) for e in entries for k in ks
    }
    choices = {}
    for entry in entries:
        if entry.name == "centroid_index":
            worst = [values[entry.label, k].max() for k in ks]  # nan where a repeat failed
            choices["CI = 0 in all repeats"] = apply_rule(
                "last_stable", ks, worst, direction="lower", threshold=0.0
            )
    for entry in entries:
        means = [values[entry.label, k].mean() for k in ks]
        if entry.best == 1.0:
            name = f"last {entry.label} of {threshold:g}"
            choices[name] = apply_rule("last_stable", ks, means, direction="higher", threshold=threshold)
        several = [math.nan if k == 1 else mean for k, mean in zip(ks, means, strict=True)]
        choices[f"best {entry.label}"] = apply_rule("best", ks, several, direction=entry.direction)
    return choices
