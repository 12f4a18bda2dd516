"""Indices as scikit-learn's scorers, for `GridSearchCV`, `cross_validate` and the like."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from partita.errors import HardenedWarning, ParameterError
from partita.evaluation import HARDENED, score
from partita.partitions.models import check_space, clustering_for, in_clustered_space, is_estimator
from partita.registry import Index, find
from partita.registry.options import shown

__all__ = ["Scorer", "scorer"]


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
    entry = find(index, fits=lambda one: "truth" not in one.inputs)
    if entry.best is None:
        raise ParameterError(
            f"{entry.name} only describes: no value of it is better than another.",
            need="an index with a direction",
        )
    return Scorer(entry.label, space)
