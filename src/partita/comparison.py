"""Two clusterings, every index that applies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from partita.arrays import check_flag, check_seed, generator
from partita.chance.bootstraps import check_confidence, check_count, check_method
from partita.chance.chances import NullDraws
from partita.chance.null_models import null_model
from partita.differences import cluster_differences, object_differences
from partita.errors import ParameterError, Phrase, Setting
from partita.evaluation import MOST_PAIR_OPERATIONS, demand_values, judge, plan
from partita.inputs import Inputs, prepare
from partita.lower_and_upper import asks_for_ends, has_ends, with_ends
from partita.partitions import (
    HARD,
    UNNAMED,
    HardPartition,
    SideNames,
    as_partition,
    side_text,
    with_cuts,
)
from partita.partitions.clusters import refuse_other_orders, refuse_other_prints, several
from partita.progress import bar
from partita.registry import Index, check_on_undefined, find, listed, select
from partita.registry.lookup import Selected, is_group
from partita.results import Result
from partita.results.agreement import (
    HEADLINES,
    adjusted_forms,
    agreement_statement,
    headline_of,
    splits_and_merges,
)
from partita.results.index_rows import IndexTable, IndexValue, LeftOut, remarks_on
from partita.results.provenance import provenance
from partita.results.side_by_side import SideBySide, provenance_together, same_clusterings
from partita.sampled_truth import check_design, sampled_truth
from partita.sampling_columns import Sampling, sampled_rows
from partita.statistics import CentroidPair, Contingency
from partita.stories import story_of

__all__ = ["Comparison", "IndexValue", "LeftOut", "compare", "self_agreement"]


ROUNDING = 1e-6
"""What rounding may take from the value of a clustering against itself."""

OF_OBJECTS = ("centroid_similarity_index", "generalized_centroid_index")
"""Indices that compare centres by the objects that follow them."""

OF_THE_SAMPLE = "values without a standard error (se) are of the sampled objects alone"

DIFFERENCES = {"cluster": cluster_differences, "object": object_differences}


@dataclass(frozen=True, repr=False)
class Comparison(IndexTable):
    """Every index that applies to two clusterings; ``result["ARI"].value`` is one number.

    Attributes
    ----------
    statement : str
        How far they agree, in a sentence; see `partita.results.agreement` for what its words stand for.
    findings : tuple of str
        Which clusters are split and merged; of soft ones, which index answers which question.
    inputs : Inputs, or None
        The clusterings as they were compared, by which differences are told; None where it was read from a
        file.
    null_draws : dict of NullDraws
        For each index its values under the null model, where one was asked for; files do not hold them.
    """

    inputs: Inputs | None = field(default=None, repr=False, compare=False)
    null_draws: Mapping[str, NullDraws] = field(default_factory=dict, repr=False, compare=False)

    def by_cluster(self) -> Any:
        """What became of each cluster, of truth and of found, as a frame.

        Columns: ``side``, ``cluster``, ``size``, the ``best_match`` on the other side (the largest overlap),
        ``overlap``, ``precision``, ``recall`` and ``jaccard`` with it, ``parts`` (clusters of the other side
        that hold at least 10% of it) and its ``fate``: "kept", "split", "merged" or "lost", as defined in
        `partita.differences`. Soft clusterings by mass instead of counts.

        Examples
        --------
        >>> result = compare(list("aaabbb"), [0, 0, 0, 1, 1, 2])
        >>> result.by_cluster()[["side", "cluster", "best_match", "recall", "fate"]]
            side cluster best_match    recall   fate
        0  truth       a          0  1.000000   kept
        1  truth       b          1  0.666667  split
        2  found       0          a  1.000000   kept
        3  found       1          b  0.666667  split
        4  found       2          b  0.333333  split
        """
        return self.differences("cluster").to_frame()

    def by_object(self) -> Any:
        """How far the clusterings differ at each object, as a frame by the names of the objects.

        Columns: ``truth`` and ``found``, its clusters; ``disagreement``, the share of pairs with another
        object on which the clusterings disagree; ``entropy_gap``, -log p(truth | found)
        - log p(found | truth); ``moved``, whether it is not in the partner of its true cluster, of soft
        clusterings how much of it.
        See `partita.differences.ObjectDifferences`.
        """
        return self.differences("object").to_frame()

    def differences(self, by: str = "cluster") -> Result:
        """What `by_cluster` and `by_object` have, as a result that prints.

        Parameters
        ----------
        by : {"cluster", "object"}
            What has a row of its own.
        """
        if not isinstance(by, str) or by not in DIFFERENCES:
            raise ParameterError(
                "differences are told by cluster or by object.",
                got=repr(by)[:60],
                need='"cluster", "object"',
                parameter="by",
            )
        return DIFFERENCES[by](self._compared_inputs())

    @cached_property
    def story(self) -> str:
        """Where the clusterings differ, in sentences.

        Examples
        --------
        >>> compare(list("aaabbb"), [0, 0, 0, 1, 1, 2]).story
        'a is found whole; b is split over 1 and 2 (2 and 1 of 3); 1 of 6 objects moved'
        """
        return story_of(self._compared_inputs())

    def _compared_inputs(self) -> Inputs:
        if self.inputs is None and self.provenance.get("centers"):
            raise ParameterError(
                "two sets of centres have no clusters of objects.",
                got="a comparison of centres",
                need="a comparison of two clusterings",
                fix="compare(truth, found, X=X) with the labels of both",
            )
        if self.inputs is None:
            raise ParameterError(
                "this comparison was read from a file, which does not hold the clusterings.",
                got="a comparison without clusterings",
                need="one that compare() returned",
                fix="compare(truth, found) again",
            )
        return self.inputs


def compare(
    truth: Any,
    found: Any,
    *,
    names: Sequence[str] | None = None,
    X: Any = None,
    k: Any = None,
    height: Any = None,
    indices: Iterable[str | Index] | str | Index | None = None,
    noise: str = "cluster",
    sample_weight: Any = None,
    on_undefined: str = "nan",
    bounds: bool = True,
    noise_label: Any = None,
    missing: str = "raise",
    background: Any = None,
    sample: str | None = None,
    null: Any = None,
    bootstrap: int | None = None,
    confidence: float = 0.95,
    interval: str = "percentile",
    n_shuffles: int = 999,
    random_state: Any = 0,
    centers: bool = False,
) -> Any:
    """Compare two clusterings of the same objects, of any kinds, by every index that applies.

    Parameters
    ----------
    truth, found : clusterings
        The reference first. Anything `as_partition` takes: labels, memberships, masses, communities, fitted
        models, pandas / polars / pyarrow. Two pandas objects are aligned by their index. Several found ones
        by name (a dictionary, or a frame with a column of labels for each) are judged side by side.
    names : (str, str), optional
        What the two are called, where the first is no truth: ``("run A", "run B")``. Prints, tables, figures
        and reports call them so. Of several found ones the first name is used, beside those of the
        dictionary.
    X : (n, d) array or data frame, optional
        The data: the indices that compare centres (CI, CSI) join.
    k, height : number, optional
        For trees of merges (SciPy's linkage, scikit-learn's ``children_``): into how many clusters, or at
        which height they are cut, see `cut`. Several cuts of ``found`` are compared side by side.
    indices : list of names, optional
        Names, symbols (``"ARI"``), names with options (``"rand:pairs=ordered"``) or index objects; a family
        (``"information"``), the key of a paper (``"lei2014"``), ``"headline"`` or ``"all"``. The names of
        other packages are understood (``"rand_score"``, ``"clusterCrit:Hubert"``), and functions of two label
        arrays taken: ``{"mine": f}``, or ``{"mine": (f, "higher")}`` where high values are better. By default
        every index that applies is computed, and a digest printed.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels, on all sides jointly.
    sample_weight : array or "balanced", optional
        Multiplicities: weight 2 counts an object twice. "balanced" lets every true class count the same: the
        n_c objects of one of k classes weigh n / (k n_c) each. AMI then has no value, and says why.
    on_undefined : {"nan", "raise"}
        What to do where an index has no value.
    bounds : bool
        Whether to add lower and upper values where a side is rough, possibilistic or evidential. They cost
        about a second; `distribution` finds closer ones.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    missing : {"raise", "drop", "noise"}
        What to do about labels that are None, NaN or masked: refuse; leave these objects out on both sides;
        or count them as noise.
    background : label, optional
        For two images of labels: the label of their background, which is noise.
    sample : {"objects", "clusters", "clusters_of_objects"}, optional
        Where the truth is known for a sample of the objects of ``found`` only, how that was drawn: objects at
        random, true clusters at random and all of their objects, or all objects of the true clusters of
        objects drawn at random. Pair indices and BCubed are then estimated for all objects, with standard
        errors in the column ``se``; see `partita.sampled_truth`. The other values are of the sample.
    null : str or null model, optional
        What "by chance" is: ``"permutation"``, ``"fixed number"``, ``"all partitions"`` and others, or an
        object of `partita.chance`. Fills ``expected``, ``adjusted`` and ``p``, and the statement says whether
        the agreement is beyond chance.
    bootstrap : int, optional
        How often the objects are drawn anew (1000 is usual) for a sampling interval: ``ci_low, ci_high``.
        They are then taken for a sample from more of their kind. See `partita.chance.bootstraps`.
    confidence : float
        Of the sampling interval; and p at most 1 - confidence is "beyond chance".
    interval : {"percentile", "bca"}
        Percentiles of the replicates, or those that correct for bias and skewness.
    n_shuffles : int
        Draws from the null model where p has no closed form; one set for all indices.
    random_state : None, int or Generator
        The seed of shuffles and replicates.
    centers : bool
        True where truth and found are two sets of centres, ``(k, d)`` and ``(k', d)``, such as the
        ``cluster_centers_`` of two fits: CI and CR then need no data. With X, whose objects follow the
        nearest centre, there are CSI and the generalised index too.

    Returns
    -------
    Comparison, or SideBySide
        A table; ``result["ARI"].value`` is one number, ``result.left_out`` says what was skipped and why.
        Where no indices were named it prints as a digest with a statement, and ``result.all`` as a whole.

    See Also
    --------
    self_agreement : what a soft clustering scores against itself.

    Notes
    -----
    Two biclusters (rovetta2009) are compared as clusterings of the cells of the data table: a cell belongs to
    a bicluster by the product of its row's and its column's membership, and to the rest otherwise.

    >>> import numpy as np
    >>> def cells(rows, columns):
    ...     inside = np.multiply.outer(rows, columns).ravel()
    ...     return np.column_stack([inside, 1 - inside])
    >>> first = cells([1, 1, 0.2, 0], [0.9, 1, 0])
    >>> second = cells([1, 0.8, 0, 0], [1, 1, 0.1])
    >>> round(compare(first, second, indices=["belief_rand"])["belief_rand"].value, 4)
    0.8867

    Cost: one pass over the objects in blocks, whatever the number of indices; memory for one table.

    Examples
    --------
    >>> result = compare([0, 0, 1, 1], [0, 0, 1, 2], indices=["ARI", "VI"])
    >>> result
    4 objects: hard truth (k=2), hard found (k=3)
    <BLANKLINE>
    index                     symbol   value  best  direction
    adjusted_rand             ARI     0.5714     1  higher
    variation_of_information  VI      0.3466     0  lower
    >>> round(result["VI"].value, 4)
    0.3466
    """
    check_on_undefined(on_undefined)
    check_flag(centers, "centers")
    if centers:
        of_objects = {"sample_weight": sample_weight, "background": background, "sample": sample}
        of_objects |= {"null": null, "bootstrap": bootstrap}
        unfit = next((name for name, value in of_objects.items() if value is not None), None)
        if unfit is not None:
            raise ParameterError(
                "two sets of centres have no clusterings of objects.",
                got=Phrase(Setting(unfit), " beside ", Setting("centers", True)),
                need="one of them",
                parameter=unfit,
            )
        made = _compared_centers(None if indices is None else listed(indices), truth, found, X)
        demand_values(made.rows, on_undefined)
        return made
    truth, found = with_cuts({"truth": truth, "found": found}, k, height).values()
    if not isinstance(bounds, (bool, np.bool_)):
        raise ParameterError(
            "bounds is a yes or a no.", got=repr(bounds), need="True or False", parameter="bounds"
        )
    if bootstrap is not None:
        check_count("bootstrap", bootstrap)
    check_count("n_shuffles", n_shuffles)
    check_confidence(confidence)
    check_method(interval)
    model = None if null is None else null_model(null)
    check_seed(random_state)
    is_drawn = model is not None or bootstrap is not None
    seeds = generator(random_state).integers(1 << 62, size=2).tolist() if is_drawn else (0, 0)
    sampling = Sampling(model, bootstrap, confidence, interval, n_shuffles, random_state, *seeds)
    indices = listed(indices) if indices is not None else None  # an iterator goes only once
    given = ("truth", "found") if X is None else ("X", "truth", "found")
    if indices is not None:
        _check_names(indices, given)
    ways: dict[str, Any] = {
        "noise": noise,
        "sample_weight": sample_weight,
        "noise_label": noise_label,
        "missing": missing,
        "background": background,
    }
    check_design(sample, sample_weight=sample_weight, noise=noise)
    if sample is not None and (null is not None or bootstrap is not None):
        raise ParameterError(
            "a sampled truth has standard errors of its own.",
            got=Phrase(Setting("sample"), " beside ", Setting("bootstrap" if null is None else "null")),
            need="one of them",
            parameter="sample",
        )
    called = SideNames.read(names)
    judged = partial(
        _compared,
        indices,
        truth,
        X=X,
        bounds=bounds,
        ways=ways,
        sampling=sampling,
        sample=sample,
    )
    candidates = several(found)
    if candidates is None:
        alone = judged(found, called=called)
        demand_values(alone.rows, on_undefined)
        return alone
    if not candidates:
        raise ParameterError("there is nothing to compare with.", got="an empty dictionary")
    refuse_other_orders(truth, candidates)
    results = {name: judged(one, called=called.beside(name)) for name, one in candidates.items()}
    refuse_other_prints(truth, {n: r.inputs.partitions["found"] for n, r in results.items() if r.inputs})
    for result in results.values():
        demand_values(result.rows, on_undefined)
    as_given = ways | {"noise": "cluster", "missing": "noise" if missing == "drop" else missing}
    same = same_clusterings(
        results, lambda name: prepare({"truth": truth, "found": candidates[name]}, **as_given)
    )
    return replace(_side_by_side(results), same=same)


def _side_by_side(results: Mapping[Any, Comparison]) -> SideBySide:
    first = next(iter(results.values()))
    made = SideBySide(provenance=provenance_together(results), frame=first.frame, results=results)
    notes = [f"{made.labels[n]}: {note}" for n, result in results.items() for note in result.notes]
    whole = first.provenance
    sides = [
        f"{made.labels[n]}: {side_text(kind, '', r.provenance['clusters'][1], _noise_of(r, 'found'))}"
        for n, r in results.items()
        for kind in r.provenance["kinds"][1:2]
    ]
    called = UNNAMED if first.inputs is None else first.inputs.called
    reference = side_text(whole["kinds"][0], called.truth, whole["clusters"][0], _noise_of(first, "truth"))
    title = f"{whole['n']} objects: {reference}; {', '.join(sides)}"
    return replace(made, notes=tuple(notes), title=title)


def _noise_of(result: Comparison, side: str) -> tuple[int, float] | None:
    return None if result.inputs is None else result.inputs.noise_of.get(side)


def _selected(indices: Any, given: Sequence[str], headline: Sequence[str]) -> Selected:
    return select(indices, given, needs=("truth", "found"), headline=headline)


def _check_names(indices: Any, given: Sequence[str]) -> None:
    """Refuse names that stand for no index of these inputs, before anything is read."""
    every = [*dict.fromkeys(name for names in HEADLINES.values() for name in names)]
    for entry in _selected(indices, given, every).entries:
        if set(entry.inputs) == {"X", "truth", "found"} and "X" not in given:
            alone = f"partita.indices.{entry.name}(X, truth, found)"
            raise ParameterError(
                f"{entry.name} compares centres, and needs the data.",
                got="two clusterings",
                need="the data too",
                fix=Phrase(Setting("X", words=f"compare(truth, found, X=X, ...), or {alone}")),
                parameter="X",
            )
        if not {"truth", "found"} <= set(entry.inputs):
            raise ParameterError(
                f"{entry.name} does not compare two clusterings.",
                got=f"an index of {', '.join(entry.inputs)}",
                need="an index of truth and found",
                fix=f"call it by itself: partita.indices.{entry.name}({', '.join(entry.inputs)})",
            )


def _compared(
    indices: Any,
    truth: Any,
    found: Any,
    *,
    X: Any,
    called: SideNames,
    bounds: bool,
    ways: Mapping[str, Any],
    sampling: Sampling,
    sample: str | None = None,
) -> Comparison:
    """Every wanted index of one pair of clusterings."""
    data = {} if X is None else {"X": X}
    with bar("reading") as report:
        inputs = prepare({**data, "truth": truth, "found": found}, **ways, on_chunk=report, called=called)
    headline = headline_of(inputs.kinds, has_data=bool(data))
    wanted = _selected(indices, [*data, "truth", "found"], headline)
    bounded = {
        e.label
        for e in (wanted.entries if bounds and not inputs.are_hard else ())
        if asks_for_ends(e, inputs, named=e.label in wanted.named)
    }
    planned = plan(
        wanted.entries,
        inputs,
        strict=wanted.named,
        most_pairs=MOST_PAIR_OPERATIONS,
        with_ends=bounded if has_ends(inputs) else (),
    )
    with bar("comparing") as report:
        judged = judge(planned, report)
    rows = judged.rows
    if not inputs.are_hard:
        rows = tuple(
            with_ends(row, one.entry, inputs, is_wanted=row.index in bounded)
            for row, one in zip(rows, planned.assignments, strict=True)
        )
    sampled = None if sample is None else sampled_truth(inputs, found, sample, ways)
    if sampled is not None:
        rows = tuple(map(sampled.row, rows))
    table = next((s for s in judged.statistics if isinstance(s, Contingency)), None)
    drawn_from = _cells(inputs, table) if inputs.is_chunked else inputs
    drawn = sampled_rows(rows, [one.entry for one in planned.assignments], drawn_from, sampling)
    rows = _with_names(drawn.rows, called)
    clusters = _cluster_counts(inputs, table)
    sides = (
        side_text(kind, inputs.called.of(name), k, inputs.noise_of.get(name))
        for name, kind, k in zip(inputs.partitions, inputs.kinds, clusters, strict=True)
    )
    made = Comparison(
        notes=(*inputs.notes, *map(called.renamed, drawn.notes), *[OF_THE_SAMPLE] * (sampled is not None)),
        provenance=provenance(
            inputs,
            rows=rows,
            clusters=clusters,
            noise=ways["noise"],
            names=[called.truth, called.found] if called.are_given else None,
            sample=sample,
            population=None if sampled is None else sampled.n_objects,
            **sampling.facts,
        ),
        frame=inputs.frame or "pandas",
        rows=rows,
        left_out=planned.left_out,
        title=f"{inputs.n_objects} objects: {', '.join(sides)}",
        inputs=inputs if inputs.X is None and inputs.model is None else replace(inputs, X=None, model=None),
        null_draws=drawn.null_draws,
    )
    if not is_group(indices) or not inputs.n_objects:
        return made
    return _digested(made, inputs, table, headline if indices is None else (), sampling)


def _with_names(rows: tuple[IndexValue, ...], called: SideNames) -> tuple[IndexValue, ...]:
    """The rows with caveats that call the clusterings by their names."""
    if not called.are_given:
        return rows
    return tuple(
        replace(row, caveats=tuple(replace(c, text=called.renamed(c.text)) for c in row.caveats))
        if row.caveats
        else row
        for row in rows
    )


def _compared_centers(indices: Sequence[Any] | None, truth: Any, found: Any, X: Any) -> Comparison:
    """Every wanted index of two sets of centres."""
    pair = CentroidPair.from_centers(truth, found, X)
    able = [entry for entry in select(None, ("X", "truth", "found")).entries if entry.compares_centers]
    entries, named = able, frozenset[str]()
    if indices is not None:
        chosen = select(indices, ("X", "truth", "found"), headline=[entry.name for entry in able])
        entries, named = list(chosen.entries), chosen.named
    refused = next((e for e in entries if e.label in named and not e.compares_centers), None)
    if refused is not None:
        raise ParameterError(
            f"{refused.name} does not compare two sets of centres.",
            got="centers=True",
            need=f"one of {', '.join(entry.name for entry in able)}",
            fix="compare(truth, found) of two clusterings",
            parameter="indices",
        )
    rows, left_out = [], []
    for entry in entries:
        # without objects the generalised index is the centroid index, and overlap has no value
        needs_objects = pair.table is None and entry.name in OF_OBJECTS
        if entry.label not in named and (needs_objects or not entry.compares_centers):
            why = "compares objects, not centres: X=... lets them follow the nearest centre"
            left_out.append(LeftOut(entry.label, why if needs_objects else "does not compare centres"))
            continue
        rows.append(IndexValue.of(entry, *entry.value_of_centers(pair)))
    ks, d = [pair.n_truth, pair.n_found], pair.truth.shape[1]
    n = None if pair.table is None else int(pair.table.n)
    lost = max(pair.orphans_found, pair.orphans_truth)
    statement = "each centre has its counterpart (CI = 0)"
    if lost:
        statement = f"{lost} of {max(ks)} clusters {'is' if lost == 1 else 'are'} missed (CI = {lost})"
    facts = {"clusters": ks, "kinds": ["centres", "centres"], "centers": True, "n": n}
    return Comparison(
        provenance=provenance(pair.truth, rows=rows, **facts),
        rows=tuple(rows),
        left_out=tuple(left_out),
        title=f"{ks[0]} and {ks[1]} centres of {d} features{'' if n is None else f', {n} objects'}",
        statement=statement if is_group(indices) else "",
    )


def _digested(
    made: Comparison,
    inputs: Inputs,
    table: Contingency | None,
    headline: Sequence[str],
    sampling: Sampling,
) -> Comparison:
    """The comparison with its statement, what splits and merges, and remarks."""
    rows = {row.index: row for row in made.rows}
    # of a sample it is not known whether all objects are alike
    identical = "sample" not in made.provenance and _are_identical(inputs, table, rows)
    splits = () if table is None or identical else splits_and_merges(table, inputs.called, inputs.partitions)
    return replace(
        made,
        statement=agreement_statement(
            rows,
            inputs.kinds,
            table,
            identical=identical,
            confidence=sampling.confidence,
            null="" if sampling.null is None else sampling.null.name,
            called=inputs.called,
            noise=inputs.noise_of,
        ),
        findings=(*splits, *adjusted_forms(rows, inputs.kinds)),
        remarks=remarks_on(made.rows, inputs),
        headline=tuple(name for name in headline if name in rows),
    )


def _are_identical(inputs: Inputs, table: Contingency | None, rows: Mapping[str, IndexValue]) -> bool:
    """Whether the clusterings are the same up to names; soft ones are looked at where they may be."""
    if table is not None and table.kinds == (HARD, HARD):
        return bool(table.is_relabelling)
    reflexive = [
        row for name, row in rows.items() if name in ("frobenius_rand", "belief_rand", "credal_rand")
    ]
    if any(row.value < 1.0 - ROUNDING for row in reflexive):
        return False
    truth, found = inputs.partitions.values()
    return truth.kind is found.kind and truth.equivalent(found)


def _cells(inputs: Inputs, table: Contingency | None) -> Inputs:
    """Labels in chunks as the cells of their table, each as often as it counts: draws need no more.

    Fractional weights are no numbers of objects, and objects are drawn one by one.
    """
    if table is None or set(inputs.kinds) != {HARD} or table.raw.dtype.kind != "i":
        return inputs
    places = table.raw.nonzero()
    counts = np.asarray(table.raw[places]).ravel()
    sides = zip(inputs.partitions, places, (table.row_names, table.column_names), strict=True)
    known = {
        name: HardPartition(np.array(names)[at])
        if isinstance(names, range)
        else HardPartition.from_codes(at, names)
        for name, at, names in sides
    }
    return replace(inputs, partitions=known, n_objects=counts.size, weight=counts, X=None)


def _cluster_counts(inputs: Inputs, table: Contingency | None) -> list[int]:
    """Clusters that are not empty, from the table where there is one: counting labels anew costs more."""
    if table is not None:
        return [int(table.n_rows), int(table.n_columns)]
    return [p.n_clusters for p in inputs.partitions.values()]


def self_agreement(found: Any, index: str | Index = "NMI", **options: Any) -> float:
    """The value of an index between a clustering and itself, which for a soft one is not the best value.

    The table of two soft clusterings is that of two labels drawn independently for each object, so a soft
    clustering disagrees with itself by chance. Read the agreement of two clusterings of like softness beside
    this value, not beside 1. It is no bound: a harder clustering (its own hardened form) may score better.

    Examples
    --------
    >>> round(self_agreement([[0.9, 0.1], [0.2, 0.8]], "VI"), 4)
    1.1213
    """
    partition = as_partition(found)
    return find(index)(partition, partition, **options)
