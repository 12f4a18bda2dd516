"""How good is a clustering of data: every internal index that applies, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from partita.arrays import check_flag
from partita.cluster_quality import ClusterQuality, cluster_quality, sample_size_for
from partita.errors import ParameterError, PartitaError
from partita.evaluation import MOST_PAIR_OPERATIONS, demand_values, judge, plan
from partita.fits.checkpoints import root_seed
from partita.fits.degenerate_fits import shape_of
from partita.inputs import Inputs, prepare
from partita.partitions import DataMatrix, Partition, as_partition, side_text, with_cuts
from partita.partitions.clusters import refuse_other_orders, refuse_other_prints, several
from partita.partitions.data import DATA_POLICIES
from partita.partitions.models import (
    check_space,
    in_clustered_space,
    is_estimator,
    last_step,
    preparing_steps,
    space_note,
)
from partita.partitions.scales import scaled_data
from partita.progress import bar
from partita.registry import Index, check_on_undefined, listed, select
from partita.registry.curves import curves, find_curve, is_curve
from partita.registry.lookup import HEADLINE as SHOWN_FIRST
from partita.registry.lookup import is_group
from partita.registry.options import shown
from partita.results import join_texts
from partita.results.answers import Answer
from partita.results.index_rows import IndexTable, IndexValue, LeftOut, remarks_on
from partita.results.provenance import provenance
from partita.results.quality import (
    HEADLINE,
    equal_objects,
    headline_among,
    quality_of,
    scale_remark,
    tiny_clusters,
)
from partita.results.records import read_back
from partita.results.side_by_side import SideBySide, provenance_together, same_clusterings
from partita.results.verdicts import Remark, RemarkKind, Strength, speak
from partita.scorers import scorer
from partita.selection._structure import Structure, quick_structure
from partita.selection.candidates import Candidate
from partita.selection.decisions import Case
from partita.statistics.distances.measured_data import measured_data

__all__ = ["SideBySide", "Validation", "scorer", "validate"]

INTERNAL = ("X", "found", "model")

OTHER_SPACES = "the models cluster in different spaces, so all are judged in that of X"

ONE_SCALE = (
    "the clusterings are of different kinds: indices of the data judge them on hardened labels; one alone is"
    " judged in its own form"
)


@dataclass(frozen=True, repr=False)
class Validation(IndexTable):
    """Every internal index that applies to a clustering of data.

    Attributes
    ----------
    statement : str
        How good it is, in a sentence, after the silhouette; nothing where indices were named.
    strength : {"clear", "weak", "contested"} or None
        What that comes to: see `partita.results.quality`, where it is decided. None where nothing says.
    by_cluster : ClusterQuality
        How good each cluster is, computed when it is asked for.
    inputs : Inputs, or None
        The data and the clustering as they were judged; None where it was read from a file.
    given : DataMatrix, or None
        The same data in their own units, where they were scaled.
    """

    strength: Strength | None = None
    inputs: Inputs | None = field(default=None, repr=False, compare=False)
    given: DataMatrix | None = field(default=None, repr=False, compare=False)
    judge_clusters: Callable[[], ClusterQuality] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def by_cluster(self) -> ClusterQuality:
        """For each cluster its size, silhouette, scatter, nearest neighbour, and who would move."""
        if self.judge_clusters is None:
            raise PartitaError(
                "a result that was read from a file has no data to judge its clusters by.",
                got="a result without data",
                fix="validate(X, found).by_cluster",
            )
        return self.judge_clusters()

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {**super().to_dict(), "strength": self.strength}

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        return replace(super().from_dict(data), strength=data.get("strength"))


def validate(
    X: Any,
    found: Any,
    *,
    k: Any = None,
    height: Any = None,
    indices: Iterable[str | Index] | str | Index | None = None,
    metric: str | Callable[..., float] | None = None,
    noise: str = "cluster",
    sample_weight: Any = None,
    on_undefined: str = "nan",
    noise_label: Any = None,
    missing: str = "raise",
    space: str = "clustered",
    scale: str | None = None,
    structure: bool | Structure = False,
    random_state: Any = None,
) -> Any:
    """Evaluate a clustering by the data alone: every internal index that applies.

    Parameters
    ----------
    X : (n, d) array, data frame or SciPy sparse matrix
        The data, one row for each object; the distances ``(n, n)`` for ``metric="precomputed"``. A large
        sparse matrix is not written out, unless an index needs all values and they fit.
    found : clustering, fitted model, or dictionary of them
        Anything `as_partition` takes. A fitted mixture also gives its likelihood. Several by name are judged
        side by side: ``{"k-means": labels, "mixture": model}``, or a frame with a column of labels for each;
        if they are of different kinds, on hardened labels.
    k, height : number or list of numbers, optional
        For trees of merges: into how many clusters, or at which height they are cut, see `cut`. Several cuts
        are judged side by side.
    indices : list of names, optional
        Names, symbols or index objects, with options after a colon (``"silhouette:metric=cityblock"``); a
        family (``"compactness"``), the key of a paper (``"franti2017"``), ``"headline"`` or ``"all"``. The
        names of other packages are understood (``"NbClust:db"``), and functions of the data and labels taken:
        ``{"mine": f}``, or ``{"mine": (f, "lower")}`` where low values are better. By default every index
        that applies is computed, those that look at pairs of objects while that is quick (of more than 10,000
        objects the silhouette takes a sample), and a digest printed.
    metric : str or function, optional
        How distances between objects are measured: "euclidean" by default, another name of SciPy's, "gower"
        (frames with categories), "density", a function of two rows, or "precomputed" where X holds distances,
        ``(n, n)`` or condensed as ``pdist`` gives them. Where distances are given or computed first, indices
        with centres are left out. A square symmetric table with a constant diagonal asks for it.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels.
    sample_weight : array, optional
        Multiplicities: weight 2 counts an object twice.
    on_undefined : {"nan", "raise"}
        What to do where an index has no value.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    missing : {"raise", "drop", "noise", "median", "mean"}
        What to do about missing labels and values: refuse; leave these objects out; count objects without a
        label as noise; or fill gaps in X with the median of their column.
    space : {"clustered", "input"}
        Where a pipeline is judged: in the space in which its last step clusters (scaled, projected), or in
        that of X. Several that cluster in different spaces are judged in that of X.
    scale : {None, "standard", "robust"}
        Give every feature the same say: minus its mean over its standard deviation, or minus its median over
        its quartile distance. For labels and partitions; a fitted model is judged in the space of its fit.
    structure : bool, or Structure
        Whether to test if there is any structure in the data; the result of a test is quoted without running
        it again. A clustering is not called clear or reasonable where the test speaks against structure.
    random_state : None, int or Generator
        The seed of the test, and of the sample of more than 3,000 objects by which several are compared.

    Returns
    -------
    Validation, or SideBySide
        A table; ``result["CH"].value`` is one number, ``result.left_out`` says what was skipped and why.
        Where no indices were named it prints as a digest, and ``result.all`` as a whole; several clusterings
        have the answer of `choose` then, by the same score. ``result.by_cluster`` judges each cluster.

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
    found = with_cuts({"found": found}, k, height)["found"]
    check_space(space)
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    indices = listed(indices) if indices is not None else None  # an iterator goes only once
    asked, _ = _wanted(indices, "euclidean")
    if metric is None and any(entry.options.get("metric") == "precomputed" for entry in asked):
        metric = "precomputed"  # X cannot be distances for one index and data for another
    candidates = several(found)
    measured = measured_data(X, metric, missing=missing, scale=scale, by_name=True)
    if measured.notes:  # models know the data, not the distances
        found = _read_on(X, found) if candidates is None else found
        candidates = None if candidates is None else {n: _read_on(X, f) for n, f in candidates.items()}
    X, metric, scale = measured.X, measured.metric, measured.scale
    ways: dict[str, Any] = {
        "noise": noise,
        "sample_weight": sample_weight,
        "metric": metric,
        "noise_label": noise_label,
        "missing": missing,
    }
    judged = partial(_judged, indices, metric=metric, noise=noise, scale=scale)
    if candidates is None:
        rescaled = _scaling(X, [found], scale, missing, metric)
        X, (seen,), said = _in_one_space(X, [found], space)
        said = [*measured.notes, *said]
        with bar("reading") as report:
            inputs = prepare({"X": X, "found": seen}, **ways, on_chunk=report)
        alone = judged(rescaled(inputs), hardens=is_estimator(found))
        demand_values(alone.rows, on_undefined)
        alone = replace(alone, notes=(*said, *alone.notes), given=inputs.X)
        test = _test_of(alone.inputs, structure, root_seed(random_state))
        return alone if test is None else _quoting(alone, test)
    if not candidates:
        raise ParameterError("there is nothing to validate.", got="an empty dictionary")
    refuse_other_orders(X, candidates)
    rescaled = _scaling(X, list(candidates.values()), scale, missing, metric)
    X, seen, said = _in_one_space(X, list(candidates.values()), space)
    given = {
        name: rescaled(prepare({"X": X, "found": one}, **ways))
        for name, one in zip(candidates, seen, strict=True)
    }
    refuse_other_prints(X, {name: inputs.partitions["found"] for name, inputs in given.items()})
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
    sides = (f"{side_by_side.labels[n]}: {_found_text(r.inputs)}" for n, r in results.items())
    title = f"{_data_text(first.provenance)}; {', '.join(sides)}"
    notes = [f"{side_by_side.labels[n]}: {note}" for n, result in results.items() for note in result.notes]
    remarks = tuple(dict.fromkeys(r for result in results.values() for r in result.remarks if _is_of_data(r)))
    every = (*measured.notes, *said, *notes, *[ONE_SCALE] * mixed)
    answer = None
    if indices is None and metric == "euclidean" and len(side_by_side.clusterings) > 1:
        answer = _answer_among(side_by_side, structure, root_seed(random_state), is_scaled=scale is not None)
    return replace(side_by_side, title=title, notes=every, remarks=remarks, answer=answer)


def _read_on(X: Any, found: Any) -> Any:
    """The clustering of a fitted model of these data; any other as it is."""
    return as_partition(found, X=X) if is_estimator(found) else found


def _data_of(inputs: Inputs | None) -> DataMatrix | None:
    """The data of a clustering where they are in memory, dense and not weighted."""
    X = None if inputs is None or inputs.is_chunked or inputs.weight is not None else inputs.X
    return None if X is None or X.are_distances or X.sparse is not None or X.n_objects < 2 else X


def _answer_among(
    together: SideBySide, structure: bool | Structure, root: int, *, is_scaled: bool
) -> Answer | None:
    """The answer of `choose` about these clusterings; None where their data do not allow it."""
    found: dict[tuple[Any, ...], Partition] = {}
    data: list[DataMatrix] = []
    for names in together.clusterings:
        one = together.results[names[0]]
        inputs = one.inputs if isinstance(one, Validation) else None
        X = _data_of(inputs)
        if inputs is None or X is None or (data and X.shape != data[0].shape):
            return None
        found[names] = inputs.partitions["found"]
        data.append(X)
    case = Case.of(data[0].values, data[0], root, structure=structure, is_scaled=is_scaled)
    candidates = [
        Candidate(names, " = ".join(map(str, names)), shape_of(one, None), partition=one)
        for names, one in found.items()
    ]
    verdict = case.choose(candidates)[1]
    return None if verdict.best is None and case.structure is None else verdict.answer


def _test_of(inputs: Inputs | None, structure: bool | Structure, root: int) -> Structure | None:
    """The test of structure that is quoted: the one given, or a new one where that is asked for."""
    if isinstance(structure, Structure) or not structure:
        return structure or None
    X = _data_of(inputs)
    return None if X is None else quick_structure(np.asarray(X.values, dtype=np.float64), root)


def _quoting(alone: Validation, test: Structure) -> Validation:
    """The validation beside the test of structure: not clear where the test speaks against structure."""
    if test.verdict == "structure" or not alone.statement:
        return alone
    strength: Strength | None = "contested" if test.verdict == "no structure" else "weak"
    weaker = strength if alone.strength == "clear" else alone.strength
    return replace(
        alone, statement=join_texts([test.statement.rstrip("."), alone.statement]), strength=weaker
    )


def _is_of_data(remark: Remark) -> bool:
    """Whether a remark is about the data, and so about all clusterings of them."""
    return remark.kind in (RemarkKind.SCALE, RemarkKind.DUPLICATES)


def _scaling(
    X: Any, found: Sequence[Any], scale: str | None, missing: str, metric: str
) -> Callable[[Inputs], Inputs]:
    """What puts the data of all clusterings on one scale: that of all objects that have all values."""
    if scale is None:
        return lambda inputs: inputs
    model = next((one for one in found if is_estimator(one)), None)
    if model is not None:
        raise ParameterError(
            "a fitted model is judged in the space in which it was fitted.",
            got=f"scale={shown(scale)} and {type(model).__name__}",
            need="labels or a partition",
            fix=f"its labels, or make_pipeline(StandardScaler(), {type(model).__name__}(...)).fit(X)",
            parameter="scale",
        )
    policy = missing if missing in DATA_POLICIES else "raise"
    whole = DataMatrix(X, are_distances=metric == "precomputed", missing=policy).complete()
    _, scaler = scaled_data(whole, scale)

    def rescaled(inputs: Inputs) -> Inputs:
        assert inputs.X is not None
        return replace(inputs, X=inputs.X.with_other_values(scaler.transform(inputs.X.values)))

    return rescaled


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
    indices: Any,
    inputs: Inputs,
    *,
    metric: str,
    noise: str,
    scale: str | None,
    hardens: bool,
    one_scale: bool = False,
) -> Validation:
    """Every wanted index of one clustering; of its hardened labels where only these are to be judged."""
    wanted, named = _wanted(indices, metric)
    size = sample_size_for(inputs, metric)
    entries = [_sampled(entry, size) if entry.label not in named else entry for entry in wanted]
    planned = plan(
        entries,
        inputs,
        strict=named,
        most_pairs=MOST_PAIR_OPERATIONS,
        hardens=hardens,
        one_scale=one_scale,
    )
    with bar("validating") as report:
        rows = judge(planned, report).rows
    if is_group(indices) and _is_headline(indices):
        shown_first = headline_among(_by_name(rows))
        rows = tuple(row for row in rows if row.index in shown_first)
    clusters = [inputs.partitions["found"].n_clusters]
    made_from = provenance(inputs, rows=rows, clusters=clusters, metric=metric, noise=noise, scale=scale)
    unasked = tuple(LeftOut(c.name, "needs a curve: choose_k") for c in curves()) if indices is None else ()
    said = (f'features on one scale: "{scale}"',) if scale is not None else ()
    made = Validation(
        notes=(*said, *inputs.notes),
        provenance=made_from,
        frame=inputs.frame or "pandas",
        rows=rows,
        left_out=unasked + planned.left_out,
        title=f"{_data_text(made_from)}: {_found_text(inputs, 'found')}",
        remarks=(*scale_remark(inputs, metric, scale), *speak(RemarkKind.NOISE, inputs.noisy)),
        judge_clusters=partial(cluster_quality, inputs, metric=metric, notes=said),
        inputs=inputs,
    )
    return _digested(made, inputs, is_digest=indices is None) if is_group(indices) else made


def _digested(made: Validation, inputs: Inputs, *, is_digest: bool) -> Validation:
    """The validation with its statement, how strong that is, and remarks."""
    rows = _by_name(made.rows)
    verdict = quality_of(rows)
    remarks = (
        *verdict.remarks,
        *made.remarks,
        *tiny_clusters(inputs),
        *equal_objects(inputs),
        *remarks_on(made.rows, inputs),
    )
    return replace(
        made,
        statement=verdict.statement,
        strength=verdict.strength,
        remarks=tuple(dict.fromkeys(remarks)),
        headline=headline_among(rows) if is_digest else (),
    )


def _by_name(rows: Iterable[IndexValue]) -> dict[str, IndexValue]:
    """Rows by the bare names of their indices."""
    return {row.index.partition(":")[0]: row for row in rows}


def _is_headline(indices: Any) -> bool:
    return indices is not None and all(name.strip().lower() == SHOWN_FIRST for name in listed(indices))


def _sampled(entry: Index, size: int | None) -> Index:
    """The silhouette of a sample, where there are many objects; others as they are."""
    takes_sample = size is not None and entry.name == "silhouette" and entry.options["sample_size"] is None
    return entry.using(sample_size=size) if takes_sample else entry


def _data_text(made_from: Mapping[str, Any]) -> str:
    data = "distances" if made_from["metric"] == "precomputed" else f"{made_from['d']} features"
    return f"{made_from['n']} objects, {data}"


def _found_text(inputs: Inputs | None, noun: str = "") -> str:
    assert inputs is not None
    found = inputs.partitions["found"]
    return side_text(found.kind, noun, found.n_clusters, inputs.noise_of.get("found"))


def _wanted(indices: Any, metric: str) -> tuple[list[Index], frozenset[str]]:
    """The indices asked for, with this metric; and the labels of those asked for by name."""
    for name in [] if indices is None else listed(indices):
        if is_curve(name):
            curve = find_curve(name)
            raise ParameterError(
                f"{curve.label} is a curve over numbers of clusters, not an index of one clustering.",
                need="clusterings for several k",
                fix="choose_k(...)",
            )
    every = [name for group in HEADLINE for name in group]
    chosen = select(indices, INTERNAL, headline=every)
    for entry in chosen.entries:
        if not set(entry.inputs) <= set(INTERNAL):
            raise ParameterError(
                f"{entry.name} does not judge one clustering by its data.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an index of X and found",
                fix=f"partita.indices.{entry.name}({', '.join(entry.inputs)})"
                if "X" in entry.inputs
                else "compare(truth, found) for two clusterings",
            )
    entries = {entry.label: _with_metric(entry, metric) for entry in chosen.entries}
    return list(entries.values()), frozenset(entries[label].label for label in chosen.named)


def _with_metric(entry: Index, metric: str) -> Index:
    """The entry with this metric, where it has one and was not given another."""
    is_default = "metric" in entry.options and entry.options["metric"] == entry.defaults["metric"]
    return entry.using(metric=metric) if is_default and metric != entry.defaults["metric"] else entry
