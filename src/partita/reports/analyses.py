"""`analyse`: what a report of data consists of, from the number of clusters to agreement with the truth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from partita.comparison import compare
from partita.errors import ParameterError, PartitaError
from partita.fits.tasks import check_count
from partita.inputs import Inputs, prepare
from partita.partitions import DataMatrix, Partition, complete_data
from partita.results import Result
from partita.selection import ChoiceOfK, choose_k, stability
from partita.validation import validate

__all__ = ["analyse"]

BESIDE = 2
"""How many numbers of clusters on both sides of the answer `stability` looks at."""

Entry = Result | Mapping[str, Result]


def analyse(
    X: Any,
    estimator: Any = None,
    ks: Iterable[int] | None = None,
    *,
    truth: Any = None,
    labels: Any = None,
    truth_name: str = "the truth",
    labels_name: str = "the old labels",
    scale: str | None = None,
    missing: str = "raise",
    n_runs: int = 10,
    n_repeats: int = 20,
    n_shuffles: int = 999,
    bootstrap: int = 999,
    n_jobs: int | None = None,
    random_state: Any = 0,
    checkpoint: Any = None,
    notes: Sequence[str] = (),
) -> list[Entry]:
    """All that a report of data tells: how many clusters, how stable, how good, how near to other labels.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator, ks, n_runs
        As in `partita.choose_k`.
    truth : clustering, optional
        The true one, which the clustering found is compared with.
    labels : clustering, optional
        An old one, which is compared with too, and judged by the data as well.
    truth_name, labels_name : str
        What these are called in the report, such as the names of their columns.
    scale : {None, "standard", "robust"}
        Give all features the same say. The clusters are told in the units of X.
    missing : {"raise", "drop", "median"}
        What to do about missing values of X; objects that are left out are so everywhere.
    n_repeats : int
        Perturbed data sets for each k, in `partita.stability`; 0 leaves it out.
    n_shuffles, bootstrap : int
        Permutations and resamples of each comparison; ``bootstrap=0`` for no intervals.
    n_jobs : int, optional
        Workers; the results are the same for any number.
    random_state : None, int or Generator
        The seed from which all others come.
    checkpoint : path, optional
        A folder that keeps what is computed.
    notes : list of str
        What is known of the data beforehand, such as columns that are no features; told in the report.

    Returns
    -------
    list
        What `partita.report` takes: results, and dictionaries with a result under the name of what it is
        about. The first is the choice of the number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    >>> found = analyse(X, ks=range(1, 5), truth=np.repeat(list("abc"), 20), n_runs=2, bootstrap=0)
    >>> [type(one).__name__ for one in found]
    ['ChoiceOfK', 'Stability', 'Validation', 'dict']
    >>> found[-1]["the truth"]["ARI"].value
    1.0
    """
    check_count("n_shuffles", n_shuffles)
    check_count("n_repeats", n_repeats or 1)  # 0 leaves stability out
    data, sides, said = _aligned(X, {"truth": truth, "labels": labels}, missing)
    ways: dict[str, Any] = {"scale": scale, "n_jobs": n_jobs, "random_state": random_state}
    choice = choose_k(
        data,
        estimator,
        ks,
        n_runs=n_runs,
        truth=sides.get("truth"),
        checkpoint=_folder(checkpoint, "choice"),
        **ways,
    )
    k = shown_k(choice)
    found: list[Entry] = []
    if n_repeats:
        around = _around(k, len(data))
        kept = _folder(checkpoint, "stability")
        try:
            found.append(stability(data, estimator, around, n_repeats=n_repeats, checkpoint=kept, **ways))
        except PartitaError as problem:  # such as too few objects
            said.append(f"whether the clusters are found again was not looked at: {problem.what}")
    if k > 1:
        found.append(validate(data, choice.partitions[k], scale=scale))
    else:
        said.append("no clustering was judged: no number of clusters above one was chosen")
    asked: dict[str, Any] = {"null": "permutation", "n_shuffles": n_shuffles, "random_state": random_state}
    asked |= {"bootstrap": bootstrap} if bootstrap else {}
    if "truth" in sides:
        found += _compared(sides["truth"], truth_name, choice, k, asked)
    if "labels" in sides:
        found += _compared(sides["labels"], labels_name, choice, k, asked, at_its_k=False)
        found.append({labels_name: validate(data, sides["labels"], scale=scale)})
    known = {"true_k": sides["truth"].n_clusters} if "truth" in sides else {}
    told = replace(choice, notes=(*notes, *said, *choice.notes), provenance={**choice.provenance, **known})
    if "partitions" in vars(choice):
        vars(told)["partitions"] = choice.partitions  # which a report would fit once more
    return [told, *found]


def shown_k(choice: ChoiceOfK) -> int:
    """The number of clusters that was chosen, or else has the most votes; 1 where there is none."""
    k = choice.k if choice.k is not None else choice.ballot.leading
    return k if k is not None and k in choice.selected else 1


def _around(k: int, n: int) -> list[int]:
    """The numbers of clusters beside one; no more than there are objects."""
    centre = max(k, 2)
    return [one for one in range(max(centre - BESIDE, 2), centre + BESIDE + 1) if one <= n]


def _folder(checkpoint: Any, name: str) -> Path | None:
    """A folder for each procedure: none reads what another one kept."""
    if checkpoint is None:
        return None
    if not isinstance(checkpoint, (str, os.PathLike)):
        raise ParameterError(
            "a checkpoint is kept in a folder.",
            got=type(checkpoint).__name__,
            need="the path of a folder",
            parameter="checkpoint",
        )
    return Path(checkpoint) / name


def _aligned(X: Any, sides: Mapping[str, Any], missing: str) -> tuple[Any, dict[str, Partition], list[str]]:
    """The data as a frame, clusterings of the same objects in the same order, and what is said of others."""
    given = {name: side for name, side in sides.items() if side is not None}
    if not given:
        data = complete_data(X, missing)
        return _frame(data), {}, [data.note] * bool(data.note)
    inputs: Inputs = prepare({"X": X, **given}, missing=missing)
    assert inputs.X is not None
    notes = [note for note in inputs.notes if note != inputs.noisy]  # the comparison tells that
    return _frame(inputs.X), dict(inputs.partitions), notes


def _frame(data: DataMatrix) -> Any:
    import pandas as pd

    columns = list(data.features) or [f"column {j}" for j in range(data.values.shape[1])]
    return pd.DataFrame(data.values, columns=columns, index=data.index)


def _compared(
    other: Partition, name: str, choice: ChoiceOfK, k: int, asked: Mapping[str, Any], *, at_its_k: bool = True
) -> list[Entry]:
    """The chosen clustering against another one; that with as many clusters as the other one, too."""
    found: list[Entry] = []
    if k > 1:
        found.append({name: compare(other, choice.partitions[k], **asked)})
    own = other.n_clusters
    if at_its_k and own != k and own > 1 and own in choice.selected:
        found.append({name: compare(other, choice.partitions[own], **asked)})
    return found
