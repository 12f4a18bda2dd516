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
from partita.errors import HardenedWarning, ParameterError, near_names
from partita.evaluation import HARDENED, MOST_PAIR_OPERATIONS, demand_values, judge, plan, score
from partita.inputs import Inputs, prepare
from partita.partitions.models import clustering_for, is_estimator
from partita.progress import bar
from partita.registry import Index, check_on_undefined, find, listed, resolve
from partita.registry import indices as all_indices
from partita.registry.curves import curves, find_curve, is_curve
from partita.registry.options import shown
from partita.results import Result, Table, join_texts
from partita.results.index_rows import IndexTable, LeftOut, method_of
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
    judged = partial(_judged, wanted, named=indices is not None, metric=metric, noise=noise)
    if not isinstance(found, Mapping) or is_sparse(found) or {"mass", "F"} <= set(found):
        alone = judged(prepare({"X": X, "found": found}, **ways), hardens=is_estimator(found))
        demand_values(alone.rows, on_undefined)
        return alone
    if not found:
        raise ParameterError("there is nothing to validate.", got="an empty dictionary")
    given = {name: prepare({"X": X, "found": one}, **ways) for name, one in found.items()}
    mixed = len({inputs.kinds for inputs in given.values()}) > 1
    results = {
        name: judged(inputs, hardens=is_estimator(found[name]), one_scale=mixed)
        for name, inputs in given.items()
    }
    for result in results.values():
        demand_values(result.rows, on_undefined)
    side_by_side = SideBySide(
        provenance=_provenance_together(results),
        frame=next(iter(results.values())).frame,
        results=results,
    )
    notes = [f"{side_by_side.labels[n]}: {note}" for n, result in results.items() for note in result.notes]
    return replace(side_by_side, notes=(*notes, *[ONE_SCALE] * mixed))


def _judged(
    wanted: Sequence[Index],
    inputs: Inputs,
    *,
    named: bool,
    metric: str,
    noise: str,
    hardens: bool,
    one_scale: bool = False,
) -> Validation:
    """Every wanted index of one clustering; of its hardened labels where only these are to be judged."""
    planned = plan(
        wanted,
        inputs,
        strict=named,
        most_pairs=MOST_PAIR_OPERATIONS,
        hardens=hardens,
        one_scale=one_scale,
    )
    with bar("validating") as report:
        rows = judge(planned, report).rows
    clusters = [inputs.partitions["found"].n_clusters]
    made_from = provenance(inputs, rows=rows, clusters=clusters, metric=metric, noise=noise)
    unasked = () if named else tuple(LeftOut(c.name, "needs a curve: choose_k") for c in curves())
    return Validation(
        notes=inputs.notes,
        provenance=made_from,
        frame=inputs.frame or "pandas",
        rows=rows,
        left_out=unasked + planned.left_out,
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
        if not is_estimator(estimator):
            need = "an object with fit, such as KMeans()"
            raise ParameterError("a scorer judges an estimator.", got=shown(estimator), need=need)
        found = clustering_for(estimator, X)
        if "truth" in entry.inputs and y is None:
            raise ParameterError(
                f"{entry.name} compares with a truth.", got="no y", need="y, the true labels"
            )
        row = score(entry, {"X": X, "truth": y, "found": found, "model": estimator})
        if HARDENED in row.caveats:
            warnings.warn(
                f"{entry.name} is not defined for what this {type(estimator).__name__} gives: its value is"
                f" {HARDENED}",
                HardenedWarning,
                stacklevel=2,
            )
        return row.value if entry.direction == "higher" else -row.value


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
