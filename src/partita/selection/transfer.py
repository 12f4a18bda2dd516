"""Transfer of a clustering to other objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.fits.models import clustering_of
from partita.partitions import FUZZY, HardPartition, Partition, as_partition


def carried_over(model: Any, X: Floats, onto: Floats, own: Partition | None = None) -> Partition:
    """The clustering of other objects by a model fitted to X: its prediction, else the label of the nearest.

    The prediction is soft where the clustering of X is, which is ``own`` where the model does not keep it. Of
    a pipeline, the nearest object is that in the features that its last step clusters.
    """
    own = clustering_of(model, X) if own is None else own
    if own.kind is FUZZY and hasattr(model, "predict_proba"):
        made: Partition = as_partition(model.predict_proba(onto))
        return made
    if hasattr(model, "predict"):
        return HardPartition(np.asarray(model.predict(onto)))
    from scipy.spatial import cKDTree

    if len(getattr(model, "steps", ())) > 1:
        X, onto = model[:-1].transform(X), model[:-1].transform(onto)
    carried: Partition = own.harden().take(cKDTree(X).query(onto)[1])
    return carried
