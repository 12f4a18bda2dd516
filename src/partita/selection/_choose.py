"""`choose`: which of several clusterings that are there already, without fitting any again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from partita.arrays import check_flag
from partita.errors import ParameterError
from partita.fits.checkpoints import root_seed
from partita.fits.tasks import check_count
from partita.inputs import prepare
from partita.partitions.clusters import refuse_other_orders, several
from partita.partitions.models import is_estimator, preparing_steps, space_note
from partita.partitions.scales import scaled_data
from partita.registry import Index
from partita.results.provenance import provenance
from partita.selection.clusterings import ChoiceOfClustering
from partita.selection.judges import USUAL
from partita.selection.weighing import panel_for, weighed

__all__ = ["choose"]

USUAL_INDICES = tuple(dict.fromkeys(name for sort in ("centres", "density") for name in USUAL[sort]))
"""Those of methods of centres and of density: nobody says how the clusterings were made."""


def choose(
    X: Any,
    candidates: Any,
    *,
    indices: Iterable[str | Index] | str | Index | None = None,
    scale: str | None = None,
    noise: str = "cluster",
    missing: str = "raise",
    noise_label: Any = None,
    structure: bool = True,
    n_neighbors: int = 10,
    random_state: Any = None,
) -> ChoiceOfClustering:
    """Which of several clusterings of data is best: families of indices vote, and the answer is checked.

    Nothing is fitted. Clusterings that differ in the names of their clusters only are one candidate.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data that were clustered.
    candidates : dict of clusterings, or frame of label columns
        Anything `as_partition` takes, by name: ``{"leiden 0.2": labels, "leiden 0.5": others}``. A fitted
        pipeline is judged in the space of X.
    indices : list of names, optional
        Internal indices; a family (``"compactness"``) or the key of a paper for all of it. By default one or
        two of each family. Each family has one vote, which its indices share.
    scale : {None, "standard", "robust"}
        Give all features the same say: minus the mean over the deviation, or minus the median over the
        quartile distance.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels. "ignore" leaves an object out for all
        if it is noise in any, so that all are judged by the same objects.
    missing : {"raise", "drop", "noise", "median", "mean"}
        What to do about missing labels and values, as in `validate`.
    noise_label : label, optional
        The label of noise, where it is another than -1.
    structure : bool
        Whether to ask if there is anything to find (a quick form of `structure`).
    n_neighbors : int
        Nearest neighbours of an object that are looked at.
    random_state : None, int or Generator
        The seed of the test of structure, and of samples.

    Returns
    -------
    ChoiceOfClustering
        ``.best`` (a name, or None where votes and checks carry no answer), ``.k`` (its number of clusters),
        ``.strength`` ("clear", "weak", "contested" or "no structure"), ``.remarks``, ``.statement``,
        ``.votes``, ``.preferences`` (what each index prefers), ``.agreement`` (adjusted Rand index of every
        two), ``.neighbours`` (share of the nearest neighbours of each object in its own cluster), and
        ``to_frame()`` (a row for each name).

    Notes
    -----
    What makes an answer clear is told in `partita.selection.assessment.assess`; here it also needs that
    objects of every cluster have at least half of their nearest neighbours in it. A clustering with clusters
    of a single object does not count while others have none. An index has a vote if it has a value for half
    of the clusterings, and for two at least.

    Cost
    ----
    One pass of each index over each different clustering, n m log n operations for m neighbours. Above 10,000
    objects silhouettes and neighbours are those of a sample, and indices that look at all pairs of objects
    are left out unless they are named.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    >>> three, two = np.repeat([0, 1, 2], 30), np.repeat([0, 1, 1], 30)
    >>> found = choose(X, {"three": three, "two": two, "again": 2 - three}, random_state=0)
    >>> found.best, found.k, found.strength, found.votes
    ('three', 3, 'clear', {'three = again': 4})
    """
    check_flag(structure, "structure")
    check_count("n_neighbors", n_neighbors)
    given = several(candidates)
    if given is None or len(given) < 2:
        raise ParameterError(
            "there is nothing to choose among.",
            got="one clustering" if given is None or given else "an empty dictionary",
            need="two clusterings at least, by name: {name: labels, ...}",
            fix="validate(X, found) for one",
            parameter="candidates",
        )
    refuse_other_orders(X, given)
    panel = panel_for(indices, USUAL_INDICES, ("X", "found"))
    texts = _texts(list(given))
    sides = {"X": X, **{texts[name]: one for name, one in given.items()}}
    ways = {"missing": missing, "noise_label": noise_label}
    whole = prepare(sides, **ways)
    settled = whole if noise == "cluster" else prepare(sides, noise=noise, **ways)
    assert whole.X is not None
    assert settled.X is not None
    scaled, scaler = scaled_data(whole.X, scale)
    judged_data = settled.X
    if scaler is not None:
        judged_data = settled.X.with_other_values(scaler.transform(settled.X.values))
    inputs = {
        name: replace(settled, partitions={"found": settled.partitions[text]}, X=judged_data, model=None)
        for name, text in texts.items()
    }
    fields = weighed(
        {name: whole.partitions[text] for name, text in texts.items()},
        inputs,
        whole.X,
        scaled,
        panel,
        label=lambda names: " = ".join(texts[name] for name in names),
        tests_structure=bool(structure),
        n_neighbors=int(n_neighbors),
        root=(root := root_seed(random_state)),
        noise=noise,
        is_scaled=scale is not None,
    )
    models = [one for one in given.values() if is_estimator(one) and preparing_steps(one)]
    spaces = [space_note(one, "input") for one in models[:1]]
    scales = [f'features on one scale: "{scale}"'] * (scale is not None)
    said = [note for note in whole.notes if note != whole.noisy]
    n, d = whole.X.shape
    different = len(fields["candidates"])
    count = f"{len(given)} clusterings" + (f", {different} different" if different < len(given) else "")
    return ChoiceOfClustering(
        **{**fields, "notes": (*spaces, *scales, *said, *fields["notes"])},
        frame=whole.frame or "pandas",
        title=f"{n} objects, {d} features: {count}",
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
