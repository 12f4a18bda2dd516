"""`analyse`: the results for a report of data, from the clusters to their agreement with the truth."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from partita.cluster import DensityTree
from partita.comparison import compare
from partita.errors import FileError, ParameterError, PartitaError
from partita.fits.tasks import check_count
from partita.inputs import Inputs, data_and_truth, prepare
from partita.partitions import DataMatrix, Partition, n_without_noise
from partita.partitions.word_columns import PROFILED, Profiled
from partita.reports.verdicts import FOUND
from partita.results import Result
from partita.selection import ChoiceOfK, choose_k, stability
from partita.selection.evidence import TREE
from partita.statistics.distances.measured_data import MeasuredData, measured_data
from partita.validation import validate

__all__ = ["analyse"]

BESIDE = 2
"""Numbers of clusters below and above the answer whose stability is analysed, too."""

MOST_IN_TREES = 20_000
"""Number of objects up to which the stability of density trees is analysed."""

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
    metric: str | Callable[..., float] | None = None,
) -> list[Entry]:
    """Analyse data: the clusters and their number, stability, quality, agreement with other labels.

    Parameters
    ----------
    X : (n, d) array or data frame
        The data.
    estimator, ks, n_runs
        As in `partita.choose_k`.
    truth : clustering, optional
        The true one, which the clustering found is compared with.
    labels : clustering, optional
        An old one, which is compared with too, and validated as well.
    truth_name, labels_name : str
        Their names in the report, such as those of their columns.
    scale : {None, "standard", "robust"}
        Give all features equal weight. The clusters are described in the units of X.
    missing : {"raise", "drop", "median"}
        How to treat missing values of X; objects that are dropped are so everywhere.
    n_repeats : int
        Perturbed data sets for each k, in `partita.stability`; 0 for no such analysis.
    n_shuffles, bootstrap : int
        Permutations and resamples of each comparison; ``bootstrap=0`` for no intervals.
    n_jobs : int, optional
        Workers; the results are the same for any number.
    random_state : None, int or Generator
        The seed from which all others come.
    checkpoint : path, optional
        A folder that keeps intermediate results.
    notes : list of str
        Notes on the data for the report, such as columns that were excluded.
    metric : str or function, optional
        As in `partita.choose_k`: "gower" for frames with categories, "precomputed" for distances, ... There
        are no profiles by features then.

    Returns
    -------
    list
        Results, and dictionaries of results by name, for `partita.report`. The first is the choice of the
        clusters.

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
    measured = measured_data(X, metric, missing=missing, scale=scale)
    scale = measured.scale
    data, sides, said = _aligned(measured, {"truth": truth, "labels": labels}, missing)
    said = [*measured.notes, *said]
    own = measured.metric
    ways: dict[str, Any] = {
        "scale": scale,
        "n_jobs": n_jobs,
        "random_state": random_state,
        "metric": own,
    }
    choice = choose_k(
        data,
        estimator,
        ks,
        n_runs=n_runs,
        truth=sides.get("truth"),
        checkpoint=_folder(checkpoint, "choice"),
        **ways,
    )
    k = choice.k or 1
    if choice.is_rescaled and scale is None:
        ways["scale"] = scale = "standard"
        said.append("stability and quality are those of columns of equal weight, as the answer is")
    quoted = {} if choice.structure is None else {"structure": choice.structure}
    found: list[Entry] = []
    if n_repeats:
        method, note = _perturbed_method(choice, estimator, len(data), own)
        said += [note] * bool(note)
        kept = _folder(checkpoint, "stability")
        try:
            found.append(
                stability(
                    data,
                    method,
                    _around(k, len(data)),
                    n_repeats=n_repeats,
                    checkpoint=kept,
                    **ways,
                    **quoted,
                )
            )
        except FileError:
            raise
        except PartitaError as problem:  # such as too few objects
            said.append(f"stability was not analysed: {problem.what}")
    if k > 1:
        found.append(validate(data, choice.clustering, scale=scale, metric=own, **quoted))
    else:
        said.append("no clustering was validated: there are no two clusters")
    asked: dict[str, Any] = {"null": "permutation", "n_shuffles": n_shuffles, "random_state": random_state}
    asked |= {"bootstrap": bootstrap} if bootstrap else {}
    if "truth" in sides:
        found += _compared(sides["truth"], truth_name, choice, k, asked)
    if "labels" in sides:
        names = (labels_name, FOUND if labels_name != FOUND else f"{FOUND} here")
        asked_of_labels = {**asked, "names": names}
        found += _compared(sides["labels"], labels_name, choice, k, asked_of_labels, at_its_k=False)
        old = validate(data, sides["labels"], scale=scale, metric=own, **quoted)
        found.append({labels_name: old})
    known = {"true_k": n_without_noise(sides["truth"])} if "truth" in sides else {}
    provenance = {**choice.provenance, **known}
    return [replace(choice, notes=(*notes, *said, *choice.notes), provenance=provenance), *found]


def _perturbed_method(choice: ChoiceOfK, estimator: Any, n: int, metric: str) -> tuple[Any, str]:
    """The method whose stability is analysed: the one named, or that of the answer; and a note on another.

    Of partita's own methods a density tree is fitted to perturbed data, with the settings of the answer.
    """
    best = choice.scored
    if estimator is not None or best is None:
        return estimator, ""
    if best.method == TREE and n <= MOST_IN_TREES:
        known = best.parameters
        settings = {name: known[name] for name in ("min_samples", "min_share")}
        return DensityTree(**settings, metric=metric), ""
    return None, f"stability is that of random swap (k-means), since the {best.method} is costly to repeat"


def _around(k: int, n: int) -> list[int]:
    """A few numbers of clusters around one; no more than there are objects."""
    centre = max(k, 2)
    return [one for one in range(max(centre - BESIDE, 2), centre + BESIDE + 1) if one <= n]


def _folder(checkpoint: Any, name: str) -> Path | None:
    """The folder of a procedure within that of all."""
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


def _aligned(
    measured: MeasuredData, sides: Mapping[str, Any], missing: str
) -> tuple[Any, dict[str, Partition], list[str]]:
    """The data as a frame or distances, clusterings of the same objects in the same order, and notes."""
    X, metric = measured.X, measured.metric
    given = {name: side for name, side in sides.items() if side is not None}
    if not given:
        data = data_and_truth(X, None, missing, metric)[0]
        return _frame(data), {}, [data.note] * bool(data.note)
    inputs: Inputs = prepare({"X": X, **given}, missing=missing, metric=metric)
    assert inputs.X is not None
    notes = [note for note in inputs.notes if note != inputs.noisy]  # the comparison tells that
    return _frame(inputs.X), dict(inputs.partitions), notes


def _frame(data: DataMatrix) -> Any:
    if data.are_distances:
        return data.values
    import pandas as pd

    columns = list(data.features) or [f"column {j}" for j in range(data.values.shape[1])]
    frame = pd.DataFrame(data.values, columns=columns, index=data.index)
    if data.aside:
        frame.attrs[PROFILED] = Profiled(data.aside)
    return frame


def _compared(
    other: Partition, name: str, choice: ChoiceOfK, k: int, asked: Mapping[str, Any], *, at_its_k: bool = True
) -> list[Entry]:
    """The answer compared with another clustering, and so is the one with as many clusters as that."""
    found: list[Entry] = []
    if k > 1:
        found.append({name: compare(other, choice.clustering, **asked)})
    own = n_without_noise(other)
    if at_its_k and own != k and own > 1 and own in choice.partitions:
        found.append({name: compare(other, choice.partitions[own], **asked)})
    return found
