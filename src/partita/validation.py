"""How good is a clustering of data: every internal index that applies; scorers for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from partita.errors import HardenedWarning, ParameterError
from partita.evaluation import HARDENED, MOST_PAIR_OPERATIONS, demand_values, judge, plan, score
from partita.inputs import Inputs, prepare
from partita.partitions.clusters import refuse_other_orders, several
from partita.partitions.models import (
    check_space,
    clustering_for,
    in_clustered_space,
    is_estimator,
    last_step,
    preparing_steps,
    space_note,
)
from partita.progress import bar
from partita.registry import Index, check_on_undefined, find, listed, resolve
from partita.registry import indices as all_indices
from partita.registry.curves import curves, find_curve, is_curve
from partita.registry.options import shown
from partita.results.index_rows import IndexTable, LeftOut
from partita.results.provenance import provenance
from partita.results.side_by_side import SideBySide, provenance_together, same_clusterings
from partita.statistics.distances.objects_by_cluster import known_metric

__all__ = ["SideBySide", "Validation", "scorer", "validate"]

INTERNAL = {"X", "found", "model"}

OTHER_SPACES = "the models cluster in different spaces, so all are judged in that of X"

ONE_SCALE = (
    "the clusterings are of different kinds: indices of the data judge them on hardened labels; one alone is"
    " judged in its own form"
)


@dataclass(frozen=True, repr=False)
class Validation(IndexTable):
    """Every internal index that applies to a clustering of data."""


def validate(
    X: Any,
    found: Any,
    *,
    indices: Iterable[str | Index] | str | Index | None = None,
    metric: str = "euclidean",
    noise: str = "cluster",
    sample_weight: Any = None,
    on_undefined: str = "nan",
    noise_label: Any = None,
    missing: str = "raise",
    space: str = "clustered",
) -> Any:
    """Judge a clustering by the data alone: every internal index that applies.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data, one row for each object; the distances ``(n, n)`` for ``metric="precomputed"``.
    found : clustering, fitted model, or dictionary of them
        Anything `as_partition` takes. A fitted mixture also gives its likelihood. Several by name are judged
        side by side: ``{"k-means": labels, "mixture": model}``, or a frame with a column of labels for each;
        if they are of different kinds, on hardened labels.
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
    noise_label : label, optional
        The label of noise, where it is another than -1.
    missing : {"raise", "drop", "noise", "median"}
        What to do about missing labels and values: refuse; leave these objects out; count objects without a
        label as noise; or fill gaps in X with the median of their column.
    space : {"clustered", "input"}
        Where a pipeline is judged: in the space in which its last step clusters (scaled, projected), or in
        that of X. Several that cluster in different spaces are judged in that of X.

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
    check_space(space)
    known_metric(metric)
    asked = _wanted(indices)
    if any(entry.options.get("metric") == "precomputed" for entry in asked):
        metric = "precomputed"  # X cannot be distances for one index and data for another
    wanted = [_with_metric(entry, metric) for entry in asked]
    ways: dict[str, Any] = {
        "noise": noise,
        "sample_weight": sample_weight,
        "metric": metric,
        "noise_label": noise_label,
        "missing": missing,
    }
    judged = partial(_judged, wanted, named=indices is not None, metric=metric, noise=noise)
    candidates = several(found)
    if candidates is None:
        X, (seen,), said = _in_one_space(X, [found], space)
        alone = judged(prepare({"X": X, "found": seen}, **ways), hardens=is_estimator(found))
        demand_values(alone.rows, on_undefined)
        return replace(alone, notes=(*said, *alone.notes))
    if not candidates:
        raise ParameterError("there is nothing to validate.", got="an empty dictionary")
    refuse_other_orders(X, candidates)
    X, seen, said = _in_one_space(X, list(candidates.values()), space)
    given = {
        name: prepare({"X": X, "found": one}, **ways) for name, one in zip(candidates, seen, strict=True)
    }
    mixed = len({inputs.kinds for inputs in given.values()}) > 1
    results = {
        name: judged(inputs, hardens=is_estimator(candidates[name]), one_scale=mixed)
        for name, inputs in given.items()
    }
    for result in results.values():
        demand_values(result.rows, on_undefined)
    side_by_side = SideBySide(
        provenance=provenance_together(results),
        frame=next(iter(results.values())).frame,
        results=results,
        same=same_clusterings(
            results,
            lambda name: prepare(
                {"X": X, "found": seen[list(candidates).index(name)]}, **{**ways, "noise": "cluster"}
            ),
        ),
    )
    first = next(iter(results.values()))
    sides = (f"{side_by_side.labels[n]}: {_found_text(r.provenance)}" for n, r in results.items())
    title = f"{_data_text(first.provenance)}; {', '.join(sides)}"
    notes = [f"{side_by_side.labels[n]}: {note}" for n, result in results.items() for note in result.notes]
    return replace(side_by_side, title=title, notes=(*said, *notes, *[ONE_SCALE] * mixed))


def _in_one_space(X: Any, found: Sequence[Any], space: str) -> tuple[Any, list[Any], list[str]]:
    """Data and clusterings in the space in which all are judged, and what is said of it."""
    pipelines = [one for one in found if is_estimator(one) and preparing_steps(one)]
    if not pipelines:
        return X, list(found), []
    if space == "input":
        return X, list(found), [space_note(pipelines[0], space)]
    spaces = [in_clustered_space(one, X)[0] for one in found if is_estimator(one)]  # a plain model: that of X
    if any(not np.array_equal(spaces[0], other) for other in spaces[1:]):
        return X, list(found), [OTHER_SPACES]
    seen = [last_step(one) if is_estimator(one) else one for one in found]
    others = "; clusterings without a model too" if any(not is_estimator(one) for one in found) else ""
    return spaces[0], seen, [space_note(pipelines[0], space) + others]


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


# --- scorers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scorer:
    """An index as scikit-learn wants it: ``scorer(estimator, X, y=None)``, higher is better."""

    index: str
    space: str = "clustered"

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """The value for what the estimator makes of X, negated where lower is better; nan where undefined."""
        entry = find(self.index)
        if not is_estimator(estimator):
            need = "an object with fit, such as KMeans()"
            raise ParameterError("a scorer judges an estimator.", got=shown(estimator), need=need)
        if self.space == "clustered":
            X, estimator = in_clustered_space(estimator, X)
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


def scorer(index: str | Index, *, space: str = "clustered") -> Scorer:
    """A scikit-learn scorer over an index, for `GridSearchCV`, `cross_validate` and the like.

    The clustering of X is what the estimator's ``predict_proba`` or ``predict`` says; of one that cannot
    predict a clone is fitted to X. Memberships are hardened for an index that knows no other labels, with a
    `HardenedWarning`.

    Parameters
    ----------
    index : str or index
        An index with a direction. Of X and found, or of truth and found: then ``y`` is the truth.
    space : {"clustered", "input"}
        Where a pipeline is judged: in the space in which its last step clusters, or in that of X.

    Examples
    --------
    >>> scorer("silhouette")
    Scorer(index='silhouette', space='clustered')
    """
    check_space(space)
    entry = find(index)
    if entry.best is None:
        raise ParameterError(
            f"{entry.name} only describes: no value of it is better than another.",
            need="an index with a direction",
        )
    return Scorer(entry.label, space)
