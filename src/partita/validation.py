"""How good is a clustering of data: every internal index that applies; scorers for scikit-learn."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from partita.arrays import is_sparse
from partita.engine import collect, pair_operations, why_costly
from partita.errors import HardenedWarning, ParameterError, PartitaError, UndefinedIndexError, near_names
from partita.fits.scores import HARDENED, hardened, score
from partita.inputs import Inputs, prepare
from partita.partitions import HARD
from partita.progress import bar
from partita.registry import Caveat, CaveatKind, Index, check_on_undefined, find, listed, resolve
from partita.registry import indices as all_indices
from partita.registry.caveats import join_caveats, said
from partita.registry.curves import curves, find_curve, is_curve
from partita.registry.options import shown
from partita.results import Result, Table, join_texts
from partita.results.index_rows import MOST_PAIR_OPERATIONS, IndexTable, IndexValue, LeftOut, method_of
from partita.results.provenance import provenance
from partita.statistics.distances.objects_by_cluster import known_metric

__all__ = ["SideBySide", "Validation", "scorer", "validate"]

INTERNAL = {"X", "found", "model"}

ONE_SCALE = (
    "the clusterings are of different kinds: indices of the data judge them on hardened labels; one alone is"
    " judged in its own form"
)


@dataclass(frozen=True, repr=False)
class Validation(IndexTable):
    """Every internal index that applies to a clustering of data."""


BEFORE = ("index", "symbol", "best", "direction")
AFTER = ("better", "caveat")
"""Columns around those of the clusterings."""


@dataclass(frozen=True, repr=False)
class SideBySide(Result):
    """Several clusterings of the same data, index by index, on one scale.

    Where the clusterings are of different kinds, every index of the data that hard labels have is computed on
    hardened labels: its form for memberships is another quantity, and often the better one by that alone.

    Attributes
    ----------
    results : dict of Validation
        One for each clustering, by its name.
    """

    results: Mapping[Any, Validation] = field(default_factory=dict)

    def __getitem__(self, name: Any) -> Validation:
        known = {**{self.labels[n]: result for n, result in self.results.items()}, **self.results}
        if not isinstance(name, Hashable) or name not in known:
            raise near_names(str(name), self.labels.values(), noun="clustering")
        return known[name]

    @cached_property
    def labels(self) -> dict[Any, str]:
        """The column of each clustering: its name, in quotes where a column of that name is there already."""
        times = Counter([*BEFORE, *AFTER, "", *map(str, self.results)])
        labels: dict[Any, str] = {}
        for name in self.results:
            label = str(name) if times[str(name)] == 1 else repr(name)
            again = 2
            while label in labels.values() or label in (*BEFORE, *AFTER, ""):
                label, again = f"{name!r} ({again})", again + 1
            labels[name] = label
        return labels

    @property
    def wins(self) -> dict[Any, int]:
        """For each clustering, how many indices find it better than all others."""
        better = [row["better"] for row in self.records()]
        return {name: better.count(label) for name, label in self.labels.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*BEFORE, *self.labels.values(), *AFTER)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary an index: its value for each clustering, and which of them it finds better.

        An index that does not look at the data finds none better.
        """
        listed = dict.fromkeys(row.index for result in self.results.values() for row in result.rows)
        return [self._record(name) for name in listed]

    def _record(self, index: str) -> dict[str, Any]:
        rows = {self.labels[n]: result[index] for n, result in self.results.items() if index in result}
        known = next(iter(rows.values()))
        values = {label: rows[label].value if label in rows else math.nan for label in self.labels.values()}
        of_data = "X" in find(index.partition(":")[0]).inputs
        return {
            "index": index,
            "symbol": known.symbol,
            "best": known.best,
            "direction": known.direction,
            **values,
            "better": _better(values, known.direction) if of_data else "",
            "caveat": join_texts(list(dict.fromkeys(row.caveat for row in rows.values()))),
        }

    def table(self) -> Table:
        """The indices, as they print."""
        rows = tuple(
            tuple(None if k == "best" and math.isnan(v) else v for k, v in row.items())
            for row in self.records()
        )
        won = ", ".join(f"{self.labels[name]} by {count}" for name, count in self.wins.items())
        notes = (*self.notes, f"judged better: {won} of the indices, many of which are kin")
        first = next(iter(self.results.values()))
        sides = ", ".join(
            f"{self.labels[name]}: {_found_text(r.provenance)}" for name, r in self.results.items()
        )
        title = f"{_data_text(first.provenance)}; {sides}"
        return Table(title, self.columns, rows, notes).without_blank_columns()


def _better(values: Mapping[str, float], direction: str) -> str:
    """The name of the single best value, or nothing."""
    if direction == "none" or any(math.isnan(v) for v in values.values()):
        return ""
    choose = max if direction == "higher" else min
    best = choose(values.values())
    names = [name for name, value in values.items() if value == best]
    return names[0] if len(names) == 1 else ""


def validate(
    X: Any,
    found: Any,
    *,
    indices: Iterable[str | Index] | str | Index | None = None,
    metric: str = "euclidean",
    noise: str = "cluster",
    sample_weight: Any = None,
    on_undefined: str = "nan",
) -> Any:
    """Judge a clustering by the data alone: every internal index that applies.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, one row for each object; the distances ``(n, n)`` for ``metric="precomputed"``.
    found : clustering, fitted model, or dictionary of them
        Anything `as_partition` takes. A fitted mixture also gives its likelihood. Several by name are judged
        side by side: ``{"k-means": labels, "mixture": model}``; if they are of different kinds, on hardened
        labels.
    indices : list of names, optional
        Names, symbols or index objects, with options after a colon (``"silhouette:metric=cityblock"``). Every
        index that applies by default, those that look at pairs of objects while that is quick.
    metric : str
        For indices on distances between objects; any of SciPy's, or "precomputed".
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels.
    sample_weight : array, optional
        Multiplicities: weight 2 counts an object twice.
    on_undefined : {"nan", "raise"}
        What to do where an index has no value.

    Returns
    -------
    Validation, or SideBySide
        A table; ``result["CH"].value`` is one number, ``result.left_out`` says what was skipped and why.

    Examples
    --------
    >>> validate([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1], indices=["CH", "silhouette"])
    4 objects, 1 features: hard found (k=2)
    <BLANKLINE>
    index              symbol   value  best  direction
    calinski_harabasz  CH          50   inf  higher
    silhouette                 0.7980     1  higher
    """
    check_on_undefined(on_undefined)
    known_metric(metric)
    asked = _wanted(indices)
    if any(entry.options.get("metric") == "precomputed" for entry in asked):
        metric = "precomputed"  # X cannot be distances for one index and data for another
    wanted = [_with_metric(entry, metric) for entry in asked]
    ways: dict[str, Any] = {"noise": noise, "sample_weight": sample_weight, "metric": metric}
    judge = partial(
        _judge, wanted, named=indices is not None, metric=metric, noise=noise, on_undefined=on_undefined
    )
    if not isinstance(found, Mapping) or is_sparse(found) or {"mass", "F"} <= set(found):
        return judge(prepare({"X": X, "found": found}, **ways), is_model=_is_model(found))
    if not found:
        raise ParameterError("there is nothing to validate.", got="an empty dictionary")
    given = {name: prepare({"X": X, "found": one}, **ways) for name, one in found.items()}
    mixed = len({inputs.kinds for inputs in given.values()}) > 1
    results = {
        name: judge(inputs, is_model=_is_model(found[name]), only_hard=mixed)
        for name, inputs in given.items()
    }
    side_by_side = SideBySide(
        provenance=_provenance_together(results),
        frame=next(iter(results.values())).frame,
        results=results,
    )
    notes = [f"{side_by_side.labels[n]}: {note}" for n, result in results.items() for note in result.notes]
    return replace(side_by_side, notes=(*notes, *[ONE_SCALE] * mixed))


def _is_model(found: Any) -> bool:
    return hasattr(found, "fit") and not isinstance(found, type)


def _judge(
    wanted: Sequence[Index],
    inputs: Inputs,
    *,
    named: bool,
    is_model: bool,
    metric: str,
    noise: str,
    on_undefined: str,
    only_hard: bool = False,
) -> Validation:
    """Every wanted index of one clustering; of its hardened labels where only these are to be judged."""
    hard = None
    if (is_model or only_hard) and inputs.kinds != (HARD,):
        hard = replace(hardened(inputs), model=None if only_hard else inputs.model)
    usable, left_out = _split(wanted, inputs, hard, metric, named=named, only_hard=only_hard)
    rows: dict[str, IndexValue] = {}
    with bar("validating") as report:
        for given, ways in ((inputs, ()), (hard, (HARDENED,))):
            entries = [e for e, on in usable if on is given]
            if given is None or not entries:
                continue
            requests = [r for entry in entries for r in entry.requests]
            collected = collect(requests, given, report) if given.n_objects else {}
            rows |= {e.label: _row(e, given, collected, on_undefined, ways) for e in entries}
    in_order = tuple(rows[e.label] for e, _ in usable)
    clusters = [inputs.partitions["found"].n_clusters]
    made_from = provenance(inputs, rows=in_order, clusters=clusters, metric=metric, noise=noise)
    return Validation(
        notes=inputs.notes,
        provenance=made_from,
        frame=inputs.frame or "pandas",
        rows=in_order,
        left_out=left_out,
        title=f"{_data_text(made_from)}: {_found_text(made_from, ' found')}",
    )


def _data_text(made_from: Mapping[str, Any]) -> str:
    data = "distances" if made_from["metric"] == "precomputed" else f"{made_from['d']} features"
    return f"{made_from['n']} objects, {data}"


def _found_text(made_from: Mapping[str, Any], noun: str = "") -> str:
    (kind,), (k,) = made_from["kinds"], made_from["clusters"]
    return f"{kind}{noun} (k={k})"


def _wanted(indices: Any) -> list[Index]:
    if indices is None:
        return [e for e in all_indices() if set(e.inputs) <= INTERNAL]
    names = listed(indices)
    for name in names:
        if is_curve(name):
            curve = find_curve(name)
            raise ParameterError(
                f"{curve.label} is a curve over numbers of clusters, not an index of one clustering.",
                need="clusterings for several k",
                fix="choose_k(...)",
            )
    chosen = resolve(names, ())
    for entry in chosen:
        if not set(entry.inputs) <= INTERNAL:
            raise ParameterError(
                f"{entry.name} does not judge one clustering by its data.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an index of X and found",
                fix=f"partita.indices.{entry.name}({', '.join(entry.inputs)})"
                if "X" in entry.inputs
                else "compare(truth, found) for two clusterings",
            )
    return chosen


def _with_metric(entry: Index, metric: str) -> Index:
    """The entry with this metric, where it has one and was not given another."""
    is_default = "metric" in entry.options and entry.options["metric"] == entry.defaults["metric"]
    return entry.using(metric=metric) if is_default and metric != entry.defaults["metric"] else entry


def _split(
    wanted: Sequence[Index],
    inputs: Inputs,
    hard: Inputs | None,
    metric: str,
    *,
    named: bool,
    only_hard: bool,
) -> tuple[list[tuple[Index, Inputs]], tuple[LeftOut, ...]]:
    """Which index on which inputs, and those that do not apply or would take too long unasked."""
    usable: list[tuple[Index, Inputs]] = []
    left_out = [LeftOut(c.name, "needs a curve: choose_k") for c in curves()] if not named else []
    for entry in wanted:
        reason = cost = ""
        is_for_hard = hard is not None and entry.range_of(hard.kinds) is not None
        prefers_hard = only_hard and "X" in entry.inputs and "model" not in entry.inputs
        on = hard if hard is not None and is_for_hard and prefers_hard else inputs
        if "model" in entry.inputs and inputs.model is None:
            reason = "needs a fitted Gaussian mixture in place of the clustering"
        elif metric == "precomputed" and "X" in entry.inputs and "metric" not in entry.options:
            reason = "needs the data itself: it has centres, and distances have none"
        elif entry.range_of(on.kinds) is None:
            if hard is not None and is_for_hard:
                on = hard
            elif named:
                entry.check_kinds(inputs.kinds)
            else:
                reason = f"not defined for {inputs.kinds[0]} clusterings; {entry.way_out}"
        if not reason and not named:
            reason = _refusal(entry, inputs)
        if not reason and not named:
            operations = pair_operations(entry.requests, on)
            if operations > MOST_PAIR_OPERATIONS:
                why = why_costly(entry.requests)
                cost = f"{operations:.1e} pair operations"
                sampled = f"{entry.name}:sample_size=2000 or " if "sample_size" in entry.options else ""
                reason = f"{why} unasked; indices=[...] with {sampled}{entry.name}"
        if reason and named:
            raise ParameterError(f"{entry.label} cannot be computed here.", got=reason)
        if reason:
            left_out.append(LeftOut(entry.label, reason, cost))
        else:
            usable.append((entry, on))
    return usable, tuple(left_out)


def _refusal(entry: Index, inputs: Inputs) -> str:
    """Why a statistic of this index refuses the data, or nothing."""
    for request in entry.requests:
        if inputs.X is not None:
            try:
                request.statistic.check(inputs.X.values, **dict(request.options))
            except ParameterError as problem:
                return f"{problem.what.rstrip('.')} ({problem.got})"
    return ""


def _row(
    entry: Index, inputs: Inputs, collected: Mapping[Any, Any], on_undefined: str, ways: tuple[Caveat, ...]
) -> IndexValue:
    value, caveats = entry.value_for(inputs, collected)
    if math.isnan(value) and on_undefined == "raise":
        reason = join_caveats(caveats)
        raise UndefinedIndexError(f"{entry.label} has no value here: {reason}.", fix='on_undefined="nan"')
    return IndexValue(
        index=entry.label,
        symbol=entry.symbol or "",
        value=value,
        best=math.nan if entry.best is None else entry.best,
        direction=entry.direction,
        caveats=(*caveats, *said(CaveatKind.OWN, entry.caveat(inputs.kinds)), *ways),
    )


def _provenance_together(results: Mapping[Any, Validation]) -> dict[str, Any]:
    """What all clusterings have in common, and lists of what each has of its own."""
    each = [result.provenance for result in results.values()]
    lists = {n: [p[n] for p in each] for n in ("n", "coverage") if len({p[n] for p in each}) > 1}
    lists |= {name: [one for p in each for one in p[name]] for name in ("kinds", "clusters")}
    rows = [row for result in results.values() for row in result.rows]
    methods = {str(name): result.provenance["methods"] for name, result in results.items()}
    return {**each[0], **lists, "method": method_of(rows), "methods": methods}


# --- scorers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scorer:
    """An index as scikit-learn wants it: ``scorer(estimator, X, y=None)``, higher is better."""

    index: str

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The value for what the estimator makes of X, negated where lower is better; nan where undefined."""
        entry = find(self.index)
        found = _clustering_of(estimator, X)
        if "truth" in entry.inputs and y is None:
            raise ParameterError(
                f"{entry.name} compares with a truth.", got="no y", need="y, the true labels"
            )
        value, caveats = score(entry, {"X": X, "truth": y, "found": found, "model": estimator})
        if HARDENED in caveats:
            warnings.warn(
                f"{entry.name} is not defined for what this {type(estimator).__name__} gives: its value is"
                f" {HARDENED}",
                HardenedWarning,
                stacklevel=2,
            )
        return value if entry.direction == "higher" else -value


def scorer(index: str | Index) -> Scorer:
    """A scikit-learn scorer over an index, for `GridSearchCV`, `cross_validate` and the like.

    The clustering of X is what the estimator's ``predict_proba`` or ``predict`` says; one that cannot predict
    gives its ``labels_`` if they are as many as X has rows, else a clone of it is fitted to X. Memberships
    are hardened for an index that knows no other labels, with a `HardenedWarning`.

    Parameters
    ----------
    index : str or index
        An index with a direction. Of X and found, or of truth and found: then ``y`` is the truth.

    Examples
    --------
    >>> scorer("silhouette")
    Scorer(index='silhouette')
    """
    entry = find(index)
    if entry.best is None:
        raise ParameterError(
            f"{entry.name} only describes: no value of it is better than another.",
            need="an index with a direction",
        )
    return Scorer(entry.label)


def _clustering_of(estimator: Any, X: Any) -> Any:
    name = type(estimator).__name__
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise ParameterError(
            "a scorer judges an estimator.", got=shown(estimator), need="an object with fit, such as KMeans()"
        )
    try:
        for method in ("predict_proba", "predict"):
            if hasattr(estimator, method):
                return getattr(estimator, method)(X)
        labels = getattr(estimator, "labels_", None)
        if labels is not None and len(labels) == (X.shape[0] if hasattr(X, "shape") else len(X)):
            return labels
        from sklearn.base import clone

        return clone(estimator).fit_predict(X)
    except PartitaError:
        raise
    except (AttributeError, TypeError, ValueError) as error:
        raise ParameterError(
            f"this {name} cannot use this X.",
            got=str(error).partition("\n")[0],
            need="a fitted estimator, and data such as it was fitted to",
        ) from error
