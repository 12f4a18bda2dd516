"""`stability`: whether a method finds the same clusters again in data that was perturbed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.cluster.swap import RandomSwap
from partita.errors import ParameterError, Phrase, Setting
from partita.evaluation import HARDENED
from partita.fits.checkpoints import Checkpoint, Record, root_seed
from partita.fits.partitions import from_arrays
from partita.fits.settings import Grid, grid_over
from partita.fits.shipments import one_shipment
from partita.fits.tasks import Task, check_count, refuse_many, run_tasks
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Kind, complete_data, softest
from partita.partitions.models import check_space, last_step, preparing_steps, space_note
from partita.partitions.scales import dominance, scaled_data
from partita.registry import Caveat, CaveatKind, Index, resolve
from partita.registry.rules import Verdict, apply_rule
from partita.results import number
from partita.results.provenance import provenance
from partita.results.verdicts import Remark, RemarkKind
from partita.selection.borders import MOST_OBJECTS, Borders, borders_of
from partita.selection.convexity import dense_clusters
from partita.selection.found_again import Evidence, answer_of, choices_of, has_limit, rules_of
from partita.selection.perturbing import Perturbations, fit_perturbed, fit_whole, hard_labels
from partita.selection.schemes import SCHEMES, Rerun, Subsample, is_real
from partita.selection.stabilities import ClusterRecovery, Repeat, Stability

__all__ = ["Repeat", "Stability", "stability"]

STRATEGIES = ("cross-validation", "transfer")
USUAL: dict[Kind, tuple[str, ...]] = {
    HARD: ("centroid_index", "adjusted_rand"),
    FUZZY: ("centroid_index", "frobenius_adjusted_rand"),
    POSSIBILISTIC: ("centroid_index", "adjusted_rand"),
    ROUGH: ("centroid_index", "adjusted_rand", "credal_rand"),
    EVIDENTIAL: ("centroid_index", "adjusted_rand", "credal_rand"),
}
"""What compares clusterings of each kind when nothing is named.

A soft clustering scores best against itself by all of them: by others, fuzzier clusterings would seem less
stable. CI and ARI of possibilistic, rough and evidential clusterings are computed on hardened labels, and say
so: typicalities depend on how many objects there are, and credal_rand is not corrected for chance.
"""
USUAL_KS = range(2, 11)
THRESHOLD = 0.9
STARTS = 2
"""Starts of the usual method: what differs between repeats should be the data, not the optimum found."""

RECORDS = 2
"""How repeats are written down: since 2 with how well each cluster was found again."""

UNFIT = ("KMeans", "MiniBatchKMeans", "BisectingKMeans")


@one_shipment()
def stability(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] = USUAL_KS,
    *,
    parameter: str | None = None,
    values: Iterable[Any] | None = None,
    scheme: Any = None,
    strategy: str = "cross-validation",
    n_repeats: int = 20,
    indices: Iterable[str | Index] | str | Index | None = None,
    threshold: float = THRESHOLD,
    scale: str | None = None,
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
    parameter, values : str, list
        Another parameter to sweep instead, such as ``"resolution"``, ``"eps"`` or ``"min_cluster_size"``, and
        its values; the estimator is then any object with ``fit`` or ``fit_predict``. Of a density method a
        subsample is sparser than the data: ``scheme=Bootstrap()`` keeps the number of objects.
    scheme : Subsample, Bootstrap, Noise or Rerun
        How randomness is added; 30 % of the objects by default.
    strategy : {"cross-validation", "transfer"}
        Compare the clustering of all data with that of perturbed data, on the objects that both have; or
        cluster two perturbed data sets, carry one clustering over to the objects of the other (by the model's
        prediction, else that of the nearest object), and compare there.
    n_repeats : int
        Perturbed data sets for each k.
    indices : list of names, optional
        External indices, for soft clusterings too. By default the centroid index, and ARI for hard
        clusterings, frobenius_adjusted_rand for fuzzy ones, by which these score best against themselves; for
        others ARI of hardened labels, with credal_rand (which looks at all pairs of objects) for rough and
        evidential ones. With "transfer" and `prediction_strength` this is the method of that name.
    threshold : float
        How good the mean of an index must be for a k to count as found again: ARI of 0.9 at least, NVD of 0.1
        at most, VI of at most a tenth of its largest value.
    scale : {None, "standard", "robust"}
        Give all features the same say: subtract mean or median, divide by standard deviation or quartile
        distance.
    k_param, n_jobs, random_state, checkpoint, missing, space
        As in `choose_k`; the centroid index looks at the data.

    Returns
    -------
    Stability
        ``.k`` (or ``.value`` of the parameter swept), ``.strength``, ``.statement`` and ``.remarks``;
        ``.choices`` has each rule alone, ``.by_cluster`` how well each cluster is found again, and
        ``to_frame()`` every repeat.

    Notes
    -----
    A k is found again if all rules hold: CI is 0 in all repeats, the mean of each other index reaches the
    threshold, and so does the weakest cluster, with a mean Jaccard coefficient of 0.75 (Hennig 2007). CI
    alone is too rough, as the slides say: it sees that every centre has a partner, not where the borders are.
    ARI alone hardly sees that a small cluster, or one of many, is cut in two.

    The answer is the last k that is found again, since fewer clusters than there are can be stable too, by
    their sizes alone. Not asked for is an unbroken run up to it: in S1, with 15 clear clusters, 2, 4 to 6, 8
    and 9 are found again, and then 15 alone; three equal clusters are not found again as two. If the last k
    tried is found again there is no answer, but "10 or more".

    One long cloud is cut at the same place every time, so that being found again proves no clusters. An
    answer is "clear" if its clusters are also set apart: objects at the borders between them lie sparser than
    four fifths of those within, at half their density or less. The last k of that kind is preferred to larger
    ones that are merely found again; these make it "contested". Where no k is of that kind, the last that is
    found again is a "weak" answer. The price is that clusters which overlap much are never clear, and that of
    groups of overlapping clusters the groups are chosen. `partita.selection.found_again.doubts_about` has all
    that makes an answer less than clear. "no structure": nothing is found again, also where the method does
    not suit.

    Cost
    ----
    A fit of the whole data for each k, a fit of perturbed data (two for "transfer") for each k and repeat.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 50, axis=0)
    >>> found = stability(X, ks=range(2, 6), n_repeats=10, random_state=0)
    >>> found.k, found.strength
    (3, 'clear')
    >>> print(found.statement)
    k = 3, clear: found again (CI = 0 in all 10 repeats, mean ARI 1.00, weakest cluster 1.00), and gaps set
    its clusters apart; each alone, the last would be k = 4 by mean ARI, weakest cluster
    """
    check_space(space)
    raw = complete_data(X, missing)
    data, _ = scaled_data(raw, scale)
    scheme = Subsample() if scheme is None else scheme
    entries = _checked(scheme, strategy, n_repeats, indices, threshold)
    method = RandomSwap(n_init=STARTS) if estimator is None else estimator
    grid = grid_over(
        method, data.n_objects, ks, k_param=k_param, parameter=parameter, values=values, usual_ks=USUAL_KS
    )
    refuse_many("fits", len(grid.values) * n_repeats)
    from partita import __version__

    parts = {
        "version of partita": __version__,
        "records": RECORDS,
        "data": data.values,
        "scale": scale,
        "estimator": (type(method).__module__, method, grid.parameter),
        "scheme": scheme,
        "strategy": strategy,
        "indices": [e.makings for e in entries],
        "ks" if grid.are_counts else "values": grid.values,
        "n_repeats": int(n_repeats),
        "space": space,
    }
    store = None if checkpoint is None else Checkpoint.open(checkpoint, parts, random_state)
    root = root_seed(random_state) if store is None else store.seed
    sweep = Perturbations(data.values, method, grid, scheme, strategy, int(n_repeats), space, root)

    def run(work: Callable[..., Record], tasks: Sequence[Task]) -> list[Record]:
        return list(run_tasks(work, tasks, n_jobs=n_jobs, description="stability", checkpoint=store))

    whole = run(fit_whole, sweep.whole_tasks())
    kind = softest([Kind.read(str(w.arrays["kind"])) for w in whole if w.arrays] or [HARD])
    entries = resolve(USUAL[kind], ()) if indices is None else entries
    # a checkpoint is told apart by the indices of hard clusterings: those of soft ones have other files
    suffix = f"-{kind.value}" if indices is None and kind is not HARD else ""
    hardens = indices is None and kind is POSSIBILISTIC
    labels = [e.label for e in entries]
    records = run(fit_perturbed, sweep.repeat_tasks(whole, labels, suffix, hardens=hardens))
    caveats = _caveats(entries, kind, hardens=hardens)
    drowned = dominance(raw) if scale is None and not preparing_steps(method) else None
    return replace(
        _judged(sweep, whole, records, entries, kind, float(threshold), drowned.text if drowned else ""),
        caveats=caveats,
        frame=data.frame or "pandas",
        provenance=provenance(
            data.values,
            estimator=repr(method),
            scheme=scheme,
            strategy=strategy,
            indices=labels,
            ks=grid.values if grid.are_counts else None,
            parameter=None if grid.are_counts else grid.parameter,
            values=None if grid.are_counts else grid.values,
            n_repeats=n_repeats,
            threshold=threshold,
            scale=scale,
            seed=root,
        ),
        notes=tuple(_notes(sweep, data.note, whole, records, caveats)),
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
    entries = resolve(USUAL[HARD] if indices is None else indices, ())
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


def _judged(
    sweep: Perturbations,
    whole: Sequence[Record],
    records: Sequence[Record],
    entries: Sequence[Index],
    kind: Kind,
    threshold: float,
    drowned: str,
) -> Stability:
    """Everything that follows from the fits."""
    grid, n = sweep.grid, len(sweep.X)
    labels = [hard_labels(from_arrays(w.arrays)) if w.arrays else np.full(n, -1) for w in whole]
    found = [int(one.max(initial=-1)) + 1 for one in labels]
    ks = grid.values if grid.are_counts else tuple(found)
    sizes = [np.bincount(one[one >= 0], minlength=1) for one in labels]
    repeats = [
        _repeat(grid, ks, place, repeat, record, entries)
        for (place, repeat), record in zip(sweep.places, records, strict=True)
    ]
    if all(r.failed for r in repeats):
        need = "numbers of clusters that it can do" if grid.are_counts else "values that it can do"
        raise ParameterError("no fit succeeded.", got=repeats[0].failed, need=need)
    at = [repeats[i : i + sweep.n_repeats] for i in range(0, len(repeats), sweep.n_repeats)]
    clusters = [
        ClusterRecovery.of(value, j, int(sizes[place][j]), np.array([r.jaccards[j] for r in done]))
        for place, value in enumerate(grid.values)
        for done in [[r for r in at[place] if r.jaccards]]
        for j in range(found[place])
    ]
    values = {e.label: [np.array([r.values[e.label] for r in runs]) for runs in at] for e in entries}
    complete = [all(r.jaccards for r in runs) for runs in at]
    weakest = [
        min((c.jaccard for c in clusters if c.tried == value), default=math.nan) if whole_of_it else math.nan
        for value, whole_of_it in zip(grid.values, complete, strict=True)
    ]
    rules = rules_of(entries, values, weakest, ks=ks, n_objects=n, kind=kind, threshold=threshold)
    choices = choices_of(grid, ks, rules)
    seen: dict[int, Borders | None] = {}

    def borders(place: int) -> Borders | None:
        if place not in seen:
            seen[place] = borders_of(sweep.clustered_space(place), labels[place], sweep.root)
        return seen[place]

    def dense(place: int) -> int | None:
        found = dense_clusters(sweep.clustered_space(place), np.random.default_rng(sweep.root))
        return None if found is None else found.k

    evidence = Evidence(
        grid,
        ks,
        rules,
        choices,
        sweep.n_repeats,
        coverage=tuple(float((one >= 0).mean()) for one in labels),
        smallest=[int(s.min()) for s in sizes],
        borders=borders,
        dense=dense,
        share=sweep.scheme.share if isinstance(sweep.scheme, Subsample) else 1.0,
        drowned=drowned,
        perturbs=not isinstance(sweep.scheme, Rerun),
    )
    answer, remarks = answer_of(evidence)
    if seen and n > MOST_OBJECTS:
        text = f"borders between clusters were looked at in a sample of {MOST_OBJECTS:,} objects"
        remarks = (*remarks, Remark(RemarkKind.SAMPLED, text))
    return Stability(
        remarks=remarks,
        ks=ks,
        repeats=tuple(repeats),
        choices=choices | _without_limit(entries, values, grid, ks),
        title=sweep.title,
        answer=answer,
        parameter=None if grid.are_counts else grid.parameter,
        tried=grid.values,
        coverage=tuple(evidence.coverage),
        clusters=tuple(clusters),
        limits={rule.index: rule.limit for rule in rules if rule.index},
    )


def _repeat(
    grid: Grid, ks: Sequence[int], place: int, repeat: int, record: Record, entries: Sequence[Index]
) -> Repeat:
    rows = record.values["rows"] or [(None, "")] * len(entries)
    return Repeat(
        ks[place],
        repeat,
        int(record.values["seed"]),
        {e.label: number(value) for e, (value, _) in zip(entries, rows, strict=True)},
        {e.label: caveat for e, (_, caveat) in zip(entries, rows, strict=True)},
        record.values["failed"],
        tuple(map(number, record.values["jaccards"])),
        setting=None if grid.are_counts else grid.values[place],
        position=None if grid.are_counts else place,
    )


def _without_limit(
    entries: Sequence[Index], values: Mapping[str, Sequence[Floats]], grid: Grid, ks: Sequence[int]
) -> dict[str, Verdict]:
    """Where an index whose values end nowhere is best: it has no threshold, and no say in the answer.

    One cluster is found again in any data, and is no best one.
    """
    unbounded = [e for e in entries if not has_limit(e)] if grid.are_counts else []
    return {
        f"best {e.label}, no say": apply_rule(
            "best",
            ks,
            [math.nan if k == 1 else float(v.mean()) for k, v in zip(ks, values[e.label], strict=True)],
            direction=e.direction,
        )
        for e in unbounded
    }


def _caveats(entries: Sequence[Index], kind: Kind, *, hardens: bool) -> dict[str, tuple[Caveat, ...]]:
    """What holds for all values of an index of soft clusterings.

    That they were hardened, or that a clustering of this kind does not score best against itself.
    """
    if kind is HARD:
        return {}
    one = f"{'an' if kind is EVIDENTIAL else 'a'} {kind.value} clustering"
    text = f"{one} does not score best against itself, so that this measures how soft clusterings are, too"
    caveats: dict[str, tuple[Caveat, ...]] = {}
    for entry in entries:
        statuses = entry.status("reflexive", HARD), entry.status("reflexive", kind)
        if hardens or entry.range_of((kind, kind)) is None:
            caveats[entry.label] = (HARDENED,)
        elif statuses == ("claimed", "refuted"):
            caveats[entry.label] = (Caveat(CaveatKind.NOT_REFLEXIVE, text),)
    return caveats


def _notes(
    sweep: Perturbations,
    about_data: str,
    whole: Sequence[Record],
    records: Sequence[Record],
    caveats: Mapping[str, tuple[Caveat, ...]],
) -> Iterator[str]:
    yield from filter(None, (space_note(sweep.method, sweep.space), about_data))
    failed = [r.values["failed"] for r in records if r.values["failed"]]
    if failed:
        yield f"{len(failed)} of {len(records)} fits failed: {failed[0]}"
    fits = [*whole, *records]
    warned = Counter(name for record in fits for name in record.values["warned"])
    yield from (f"{count} of {len(fits)} fits gave a {name}" for name, count in sorted(warned.items()))
    yield from (f"{index}: {caveat.text}" for index, held in caveats.items() for caveat in held)
    if type(last_step(sweep.method)).__name__ in UNFIT:
        yield (
            "plain k-means finds other local optima in every run, so its stability says little about the "
            "number of clusters (franti2017, part IV): use partita.cluster.RandomSwap"
        )
