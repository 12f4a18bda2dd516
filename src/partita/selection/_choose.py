"""`choose`: the best of several ready clusterings, without fitting any again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from partita.arrays import check_flag
from partita.errors import ParameterError
from partita.fits.checkpoints import root_seed
from partita.fits.tasks import check_count
from partita.inputs import prepare
from partita.partitions import with_cuts
from partita.partitions.clusters import refuse_other_orders, several
from partita.partitions.models import is_estimator, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index
from partita.results.provenance import provenance
from partita.results.verdicts import Remark, RemarkKind, speak
from partita.selection._structure import Structure
from partita.selection.choices import ChoiceOfClustering
from partita.selection.decisions import Case, candidates_of, with_neighbours
from partita.selection.index_panel import HEADLINE_OF, panel_for
from partita.selection.preferences import Candidate, agreement_of, preferences_of

__all__ = ["choose"]

HEADLINE = tuple(dict.fromkeys(name for sort in ("centres", "density") for name in HEADLINE_OF[sort]))

MOST_NAMED = 3

NOISE_NOTES = {
    "cluster": "indices count noise as one more cluster, except DBCV and DISCO",
    "singletons": "indices count each noise object as a cluster of its own",
    "ignore": "objects that are noise in any clustering are dropped for all",
}


def choose(
    X: Any,
    candidates: Any,
    *,
    k: Any = None,
    height: Any = None,
    kinds: Mapping[Any, str] | None = None,
    indices: Iterable[str | Index] | str | Index | None = None,
    scale: str | None = None,
    noise: str = "cluster",
    missing: str = "raise",
    noise_label: Any = None,
    structure: bool | Structure = True,
    n_neighbors: int = 10,
    random_state: Any = None,
) -> ChoiceOfClustering:
    """Choose the best of several clusterings of the same data.

    Nothing is fitted again. Each clustering gets the score of `choose_k`: how long its clusters last in
    density trees, how well density trees and mixtures find them too, and the agreement with the mixture of
    best BIC. Clusterings that differ only in the names of their clusters are one candidate.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data that were clustered.
    candidates : dict of clusterings, or frame of label columns
        Anything `as_partition` takes, by name: ``{"leiden 0.2": labels, "leiden 0.5": others}``. A fitted
        pipeline is evaluated in the space of X.
    k, height : number or list of numbers, optional
        For trees of merges, alone or among the candidates: into how many clusters, or at which height they
        are cut, see `cut`. Several cuts are candidates of their own: ``choose(X, tree, k=range(2, 9))``.
    kinds : dict, optional
        The kind of method of each candidate by name: ``{"leiden 0.2": "graph", "km 3": "centres"}``.
        Candidates of different kinds that find the same clusters confirm each other; others do not.
    indices : list of names, optional
        Internal indices, a family (``"compactness"``) or the key of a paper. What they prefer is reported and
        does not decide.
    scale : {None, "standard", "robust"}
        Give all features equal weight: minus the mean over the standard deviation, or minus the median over
        the quartile distance.
    noise : {"cluster", "singletons", "ignore", "raise"}
        How indices treat objects labelled -1 beside non-negative labels.
    missing : {"raise", "drop", "noise", "median", "mean"}
        How to treat missing labels and values, as in `validate`.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    structure : bool, or Structure
        Whether to test first if there is any structure; the result of a test is quoted without running it
        again.
    n_neighbors : int
        Number of nearest neighbours of an object.
    random_state : None, int or Generator
        The seed of the test of structure, and of samples.

    Returns
    -------
    ChoiceOfClustering
        ``.best`` (a name; None for no structure, or if one cluster is the best guess), ``.k``,
        ``.partition``, ``.strength`` ("clear", "weak", "contested" or "no structure"), ``.score``,
        ``.margin``, ``.because``, ``.alternatives``, ``.statement``, ``.preferences`` and ``.votes`` of
        indices, ``.agreement`` (adjusted Rand index of every two), ``.neighbours``, and ``to_frame()`` (a row
        for each name).

    Notes
    -----
    A clustering without two clusters is no candidate. One with clusters of a single object does not count
    while others have none. Noise follows the nearest object in a cluster for the score; coverage is shown.

    Cost
    ----
    The density trees and mixtures of 3,000 objects at most, and one pass of each index over each different
    clustering. Above 10,000 objects silhouettes and neighbours are those of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> three, two = np.repeat([0, 1, 2], 30), np.repeat([0, 1, 1], 30)
    >>> found = choose(X, {"three": three, "two": two, "again": 2 - three}, random_state=0)
    >>> found.best, found.k, found.strength
    ('three', 3, 'clear')
    """
    if not isinstance(structure, Structure):
        check_flag(structure, "structure")
    check_count("n_neighbors", n_neighbors)
    candidates = with_cuts({"found": candidates}, k, height)["found"]
    given = several(candidates)
    if given is None or len(given) < 2:
        raise ParameterError(
            "there is nothing to choose among.",
            got="one clustering" if given is None or given else "an empty dictionary",
            need="two clusterings at least, by name: {name: labels, ...}",
            fix="validate(X, found) for one",
            parameter="candidates",
        )
    _check_kinds(kinds, given)
    refuse_other_orders(X, given)
    panel = panel_for(indices, HEADLINE, ("X", "found"), swept=False)
    texts = _texts(list(given))
    sides = {"X": X, **{texts[name]: one for name, one in given.items()}}
    ways = {"missing": missing, "noise_label": noise_label}
    whole = prepare(sides, **ways)
    settled = whole if noise == "cluster" else prepare(sides, noise=noise, **ways)
    assert whole.X is not None
    assert settled.X is not None
    scaled, scaler = scaled_data(whole.X, scale)
    seen = settled.X if scaler is None else settled.X.with_other_values(scaler.transform(settled.X.values))
    inputs = {
        name: replace(settled, partitions={"found": settled.partitions[text]}, X=seen, model=None)
        for name, text in texts.items()
    }
    root = root_seed(random_state)
    found, entries, left_out = candidates_of(
        lambda names: " = ".join(texts[name] for name in names),
        {name: whole.partitions[text] for name, text in texts.items()},
        inputs,
        panel.entries,
        panel.named,
    )
    found, kept = with_neighbours(found, scaled.values, int(n_neighbors), root)
    case = Case.of(scaled.values, whole.X, root, structure=structure, is_scaled=scaler is not None)
    found, verdict, best = case.choose(found, kinds)
    models = [one for one in given.values() if is_estimator(one) and preparing_steps(one)]
    notes = (
        *(space_note(one, "input") for one in models[:1]),
        *[f'features on one scale: "{scale}"'] * (scale is not None),
        *(note for note in whole.notes if note != whole.noisy),
        *(f"left out: {index} ({why})" for index, why in left_out.items()),
    )
    n, d = whole.X.shape
    different = f", {len(found)} different" if len(found) < len(given) else ""
    return ChoiceOfClustering(
        verdict=verdict,
        structure=case.structure,
        evidence=case.evidence,
        candidates=tuple(found),
        chosen=best,
        preferences=preferences_of(found, entries),
        pairs=agreement_of([c.partition for c in found if c.partition is not None]),
        kept=kept,
        remarks=(*case.remarks_on(verdict), *remarks_about(found, noise)),
        notes=notes,
        frame=whole.frame or "pandas",
        title=f"{n} objects, {d} features: {len(given)} clusterings{different}",
        provenance=provenance(
            whole.X.values,
            scale=scale,
            noise=noise,
            missing=missing,
            indices=[entry.label for entry in panel.entries],
            n_neighbors=n_neighbors,
            seed=root,
        ),
    )


def remarks_about(candidates: Sequence[Candidate], noise: str) -> tuple[Remark, ...]:
    """Remarks on noise and tiny clusters."""
    covered = [f"{c.label} {c.coverage:.1%}" for c in candidates if c.coverage < 1.0]
    if len(covered) > MOST_NAMED:
        least, most = (choose(candidates, key=lambda c: c.coverage) for choose in (min, max))
        covered = [f"from {least.coverage:.1%} ({least.label}) to {most.coverage:.1%} ({most.label})"]
    about_noise = f"objects in a cluster, not noise: {', '.join(covered)}; {NOISE_NOTES.get(noise, '')}"
    flawed = [f"{c.label} ({c.flaw})" for c in candidates if c.flaw]
    head = "all have tiny clusters" if len(flawed) == len(candidates) else "does not count"
    return (
        *speak(RemarkKind.NOISE, about_noise.rstrip("; ") if covered else ""),
        *speak(RemarkKind.TINY_CLUSTERS, f"{head}: {', '.join(flawed)}" if flawed else ""),
    )


def _check_kinds(kinds: Any, given: Mapping[Any, Any]) -> None:
    if kinds is None:
        return
    if not isinstance(kinds, Mapping) or not all(isinstance(kind, str) for kind in kinds.values()):
        raise ParameterError(
            "kinds must name the kind of method of each candidate.",
            got=repr(kinds)[:100],
            need='{name: kind}, such as {"leiden 0.2": "graph"}',
            parameter="kinds",
        )
    unknown = [name for name in kinds if name not in given]
    if unknown:
        raise ParameterError(
            "kinds names no candidate.",
            got=repr(unknown[0]),
            need=f"one of {', '.join(map(str, given))}",
            parameter="kinds",
        )


def _texts(names: Sequence[Any]) -> dict[Any, str]:
    """Each name as a text of its own; in quotes where another has the same, or the data are called so."""
    times = Counter(["X", *map(str, names)])
    texts: dict[Any, str] = {}
    for name in names:
        text, again = str(name) if times[str(name)] == 1 else repr(name), 2
        while text in texts.values():
            text, again = f"{name!r} ({again})", again + 1
        texts[name] = text
    return texts
