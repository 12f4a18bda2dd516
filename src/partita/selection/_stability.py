"""`stability`: does a method give the same clusters when the data are perturbed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from partita.cluster.density_tree import DensityTree
from partita.cluster.swap import RandomSwap
from partita.errors import ParameterError, Phrase, Setting
from partita.evaluation import HARDENED
from partita.fits.checkpoints import Record
from partita.fits.models import metric_for, refuse_methods_of_features
from partita.fits.partitions import cluster_numbers, from_arrays
from partita.fits.perturbed import STRUCTURE, Perturbations
from partita.fits.schemes import Noise, Scheme, Subsample, is_real
from partita.fits.settings import grid_over
from partita.fits.shipments import one_shipment
from partita.fits.tasks import check_count, refuse_many, task_seed
from partita.inputs import data_and_truth
from partita.partitions import EVIDENTIAL, FUZZY, HARD, POSSIBILISTIC, ROUGH, Kind, softest
from partita.partitions.copies import distinct_objects
from partita.partitions.models import check_space, last_step, preparing_steps, space_note
from partita.partitions.scales import dominance, scaled_data
from partita.registry import Caveat, CaveatKind, Index, resolve, select
from partita.results.provenance import provenance
from partita.selection._structure import Structure, quick_structure
from partita.selection.stabilities import ClusterRecovery, Repeat, Stability
from partita.selection.stability_verdict import Evidence, answered
from partita.statistics.distances.measured_data import measured_data

__all__ = ["Repeat", "Stability", "stability"]

STRATEGIES = ("cross-validation", "transfer")
COMPARED = ("X", "truth", "found")
USUAL: dict[Kind, tuple[str, ...]] = {
    HARD: ("centroid_index", "adjusted_rand"),
    FUZZY: ("centroid_index", "frobenius_adjusted_rand"),
    POSSIBILISTIC: ("centroid_index", "adjusted_rand"),
    ROUGH: ("centroid_index", "adjusted_rand", "credal_rand"),
    EVIDENTIAL: ("centroid_index", "adjusted_rand", "credal_rand"),
}
"""The default indices for clusterings of each kind.

A soft clustering scores best against itself by all of them: by others, fuzzier clusterings would seem less
stable. CI and ARI of possibilistic, rough and evidential clusterings are computed on hardened labels, with a
caveat: typicalities depend on the number of objects, and credal_rand is not corrected for chance.
"""
USUAL_KS = range(2, 11)
STARTS = 2
"""Starts of the default method: repeats should differ by the data, not by the optimum found."""

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
    threshold: float = 0.9,
    scale: str | None = None,
    structure: bool | Structure | None = True,
    k_param: str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: Any = None,
    missing: str = "raise",
    space: str = "clustered",
    metric: str | Callable[..., float] | None = None,
) -> Stability:
    """The number of clusters that are stable when the data are perturbed (franti2017, part IV).

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator : clusterer, optional
        Anything like scikit-learn's. `partita.cluster.RandomSwap` with two starts by default; plain k-means
        is not suited, since it finds another local optimum each time.
    ks : iterable of int
        The numbers of clusters to try.
    parameter, values : str, list
        Another parameter to sweep instead, such as ``"resolution"``, ``"eps"`` or ``"min_cluster_size"``, and
        its values; the estimator is then any object with ``fit`` or ``fit_predict``. For a density method a
        subsample is sparser than the data: ``scheme=Bootstrap()`` keeps the number of objects.
    scheme : Subsample, Bootstrap, Noise or Rerun
        The perturbation; subsamples of 30 % of the objects by default.
    strategy : {"cross-validation", "transfer"}
        Compare the clustering of all data with that of perturbed data, on the objects that both have; or
        cluster two perturbed data sets, transfer one clustering to the objects of the other (by the model's
        prediction, else that of the nearest object), and compare there.
    n_repeats : int
        Number of perturbed data sets for each k.
    indices : list of names, optional
        External indices, for soft clusterings too. By default the centroid index, and ARI for hard
        clusterings, frobenius_adjusted_rand for fuzzy ones, by which these score best against themselves; for
        others ARI of hardened labels, with credal_rand (over all pairs of objects) for rough and evidential
        ones. With "transfer" and `prediction_strength` this is the method of that name.
    threshold : float
        The mean that an index must reach for a k to be stable: ARI of 0.9 at least, NVD of 0.1 at most, VI of
        at most a tenth of its largest value.
    scale : {None, "standard", "robust"}
        Give all features equal weight: subtract mean or median, divide by standard deviation or quartile
        distance.
    structure : bool or Structure
        Run a quick test of structure once, or use the result of a test that ran before
        (``structure=choice.structure``): an answer is not clear where a test with enough power does not
        reject a single group.
    k_param, n_jobs, random_state, checkpoint, missing, space, metric
        As in `choose_k`; the centroid index needs the features. Of distances the default method is a density
        tree, and there are no noisy copies and no test of structure.

    Returns
    -------
    Stability
        ``.k`` (or ``.value`` of the parameter swept), ``.strength``, ``.statement``, ``.because`` and
        ``.remarks``; ``.choices`` has each rule alone, ``.by_cluster`` the stability of each cluster,
        ``.structure`` the test of structure, and ``to_frame()`` every repeat.

    Notes
    -----
    A k is stable if all rules hold: CI is 0 in all repeats, the mean of each other index reaches the
    threshold, and the least stable cluster has a mean Jaccard coefficient of 0.75 (Hennig 2007). CI alone is
    too rough: it is 0 where every centre has a partner, wherever the borders are. ARI alone hardly changes
    where a small cluster, or one of many, is cut in two.

    The answer is the last stable k, since fewer clusters than there are can be stable too, by their sizes
    alone. An unbroken run up to it is not required: in S1, with 15 clear clusters, 2, 4 to 6, 8 and 9 are
    stable, and then 15 alone. If it is the last k tried, the answer is weak: there may be more.

    One long group is cut at the same place every time, so that stability proves no clusters. An answer is
    "clear" if gaps also separate its clusters: objects at the borders between them lie sparser than four
    fifths of those within, at half their density or less. The last k of that kind is preferred to larger
    stable ones without gaps; these make it "contested". Where no k is of that kind, the last stable one is a
    "weak" answer. The price is that clusters which overlap much are never clear, and that of groups of
    overlapping clusters the groups are chosen. `partita.selection.stability_verdict.answer_of` has all that
    makes an answer less than clear. Where no k is stable the answer is the one that agrees best, weak or
    contested; or "no structure" where none comes near, also where the method does not suit the clusters.

    Cost
    ----
    A fit of the whole data for each k, a fit of perturbed data (two for "transfer") for each k and repeat; up
    to a second for the test of structure.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 50, axis=0)
    >>> found = stability(X, ks=range(2, 6), n_repeats=10, random_state=0)
    >>> found.k, found.strength
    (3, 'clear')
    >>> print(found.statement)
    3 clusters, clear: all 10 subsamples give the same clusters (mean ARI 1.00); gaps separate the 3; a
    single group is rejected (p = 0.016).
    """
    check_space(space)
    measured = measured_data(X, metric_for(estimator, metric), missing=missing, scale=scale)
    raw, _, _ = data_and_truth(measured.X, None, missing, measured.metric)
    data, _ = scaled_data(raw, measured.scale)
    scheme = Subsample() if scheme is None else scheme
    entries = _checked(scheme, strategy, n_repeats, indices, threshold, structure)
    method = estimator
    if measured.are_distances:
        method = DensityTree(metric="precomputed") if method is None else method
        refuse_methods_of_features(method)
        _refuse_features(scheme, entries, is_named=indices is not None)
    elif method is None:
        method = RandomSwap(n_init=STARTS)
    grid = grid_over(
        method, data.n_objects, ks, k_param=k_param, parameter=parameter, values=values, usual_ks=USUAL_KS
    )
    refuse_many("fits", len(grid.values) * n_repeats)
    settings = (data.values, method, grid, scheme, strategy, int(n_repeats), space)
    sweep = Perturbations(*settings, metric=measured.metric)
    sweep, store = sweep.with_checkpoint(checkpoint, random_state, scale, entries)
    whole = sweep.fit_all(store, n_jobs)
    kind = softest([Kind.read(str(w.arrays["kind"])) for w in whole if w.arrays] or [HARD])
    entries = resolve(USUAL[kind], ()) if indices is None else entries
    entries = [e for e in entries if "X" not in e.inputs] if measured.are_distances else entries
    # the checkpoint is named by the indices of hard clusterings: those of soft ones have other files
    suffix = f"-{kind.value}" if indices is None and kind is not HARD else ""
    hardens = indices is None and kind is POSSIBILISTIC
    labels = [e.label for e in entries]
    sent = [e.for_workers for e in entries]
    records = sweep.fit_repeats(whole, sent, store, n_jobs, hardens=hardens, suffix=suffix)
    clusterings = [
        cluster_numbers(from_arrays(w.arrays)) if w.arrays else np.full(data.n_objects, -1) for w in whole
    ]
    ks = grid.values if grid.are_counts else tuple(int(one.max(initial=-1)) + 1 for one in clusterings)
    repeats: list[Repeat] = []
    clusters: list[ClusterRecovery] = []
    for place, (value, k, clustering) in enumerate(zip(grid.values, ks, clusterings, strict=True)):
        own = records[place * sweep.n_repeats : (place + 1) * sweep.n_repeats]
        setting = None if grid.are_counts else value
        repeats += [Repeat.of(one.values, labels, k, i, setting) for i, one in enumerate(own)]
        sizes = np.bincount(clustering[clustering >= 0])
        compared = [r.jaccards for r in repeats[-sweep.n_repeats :] if r.jaccards]
        columns = np.array(compared).reshape(len(compared), len(sizes)).T
        clusters += [ClusterRecovery.of(value, j, int(sizes[j]), one) for j, one in enumerate(columns)]
    test = structure if isinstance(structure, Structure) else None
    if (
        structure is True
        and not measured.are_distances
        and getattr(last_step(method), "metric", "") != "precomputed"
    ):
        fitted = next(place for place, w in enumerate(whole) if w.arrays)
        objects = sweep.clustered_space(fitted)[distinct_objects(data.values)]
        seed = task_seed(sweep.root, STRUCTURE)
        test = quick_structure(objects, seed, n_jobs) if len(objects) > 1 else None
    caveats = _caveats(entries, kind, hardens=hardens)
    swept = None if grid.are_counts else grid.parameter
    width = "distances" if measured.are_distances else f"{data.shape[1]} features"
    title = f"{data.n_objects} objects, {width}: {type(method).__name__}"
    result = Stability(
        ks=ks,
        repeats=tuple(repeats),
        title=f"{title}, {sweep.n_repeats} x {scheme!r}, {strategy}",
        parameter=swept,
        tried=grid.values,
        coverage=tuple(float((one >= 0).mean()) for one in clusterings),
        clusters=tuple(clusters),
        caveats=caveats,
        structure=test,
        frame=data.frame or "pandas",
        provenance=provenance(
            data.values,
            estimator=repr(method),
            scheme=scheme,
            strategy=strategy,
            indices=labels,
            **({"ks": grid.values} if swept is None else {"parameter": swept, "values": grid.values}),
            n_repeats=n_repeats,
            threshold=threshold,
            scale=scale,
            structure=test is not None,
            metric=measured.name if measured.are_distances else None,
            seed=sweep.root,
        ),
        notes=(*measured.notes, *_notes(sweep, data.note, whole, records, caveats)),
    )
    drowned = dominance(raw) if scale is None and not preparing_steps(method) else None
    return answered(Evidence(result, sweep, clusterings, entries, kind, float(threshold), drowned))


def _checked(
    scheme: Any, strategy: str, n_repeats: Any, indices: Any, threshold: Any, structure: Any
) -> list[Index]:
    """The indices, or an error for an option that makes no sense."""
    if not isinstance(scheme, Scheme):
        need = "Subsample(0.3), Bootstrap(), Noise() or Rerun() of partita.resampling"
        raise ParameterError("no such scheme.", got=repr(scheme), need=need, parameter="scheme")
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        need = " or ".join(map(repr, STRATEGIES))
        raise ParameterError("no such strategy.", got=repr(strategy), need=need, parameter="strategy")
    check_count("n_repeats", n_repeats)
    if not is_real(threshold) or math.isnan(threshold):
        what = Phrase(Setting("threshold"), " must be a number.")
        raise ParameterError(what, got=repr(threshold), need="a number, such as 0.9")
    if not (structure is None or isinstance(structure, (bool, Structure))):
        what = Phrase(Setting("structure"), " must be True, False or the result of a test.")
        raise ParameterError(what, got=repr(structure)[:60], need="True, False or what structure(X) returns")
    chosen = select(USUAL[HARD] if indices is None else indices, COMPARED, needs=COMPARED[1:])
    # an index of a group that only counts is no measure of stability
    entries = [e for e in chosen.entries if e.best is not None or e.label in chosen.named]
    for entry in entries:
        if not {"truth", "found"} <= set(entry.inputs) or entry.best is None:
            got, need = f"an index of {', '.join(entry.inputs)}", "an external index, such as ARI or VI"
            raise ParameterError(f"{entry.name} does not compare two clusterings.", got=got, need=need)
    if not entries:
        raise ParameterError("there is nothing to compare by.", got="no index", need="at least one")
    return entries


def _refuse_features(scheme: Any, entries: Sequence[Index], *, is_named: bool) -> None:
    """Refuse what distances cannot give: features with noise, and centres."""
    if isinstance(scheme, Noise):
        raise ParameterError(
            "noise is added to features, and distances have none.",
            got=repr(scheme),
            need="Subsample(), Bootstrap() or Rerun()",
            parameter="scheme",
        )
    of_centres = next((e for e in entries if is_named and "X" in e.inputs), None)
    if of_centres is not None:
        raise ParameterError(
            f"{of_centres.label} needs the features.",
            got="distances, which have no centres",
            need="an index of two clusterings, such as ARI",
            parameter="indices",
        )


def _caveats(entries: Sequence[Index], kind: Kind, *, hardens: bool) -> dict[str, tuple[Caveat, ...]]:
    """The caveats of all values of an index for soft clusterings.

    They were hardened, or a clustering of this kind does not score best against itself.
    """
    one = f"{'an' if kind is EVIDENTIAL else 'a'} {kind.value} clustering"
    text = f"{one} does not score best against itself, so that softness counts as instability, too"
    caveats: dict[str, tuple[Caveat, ...]] = {}
    for entry in entries if kind is not HARD else ():
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
    """The notes on a sweep, in order."""
    yield from filter(None, (space_note(sweep.method, sweep.space), about_data))
    failed = [record.values["failed"] for record in records if record.values["failed"]]
    if failed:
        yield f"{len(failed)} of {len(records)} fits failed: {failed[0]}"
    fits = [*whole, *records]
    warned = Counter(name for record in fits for name in record.values["warned"])
    yield from (f"{count} of {len(fits)} fits gave a {name}" for name, count in sorted(warned.items()))
    yield from (f"{index}: {caveat.text}" for index, held in caveats.items() for caveat in held)
    if type(last_step(sweep.method)).__name__ in UNFIT:
        yield (
            "plain k-means finds other local optima in every run, so that its stability hardly depends on "
            "the number of clusters (franti2017, part IV): use partita.cluster.RandomSwap"
        )
