"""A clustering carried over to objects that it was not made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from partita.arrays import Floats
from partita.fits.models import clustering_of
from partita.partitions import FUZZY, HardPartition, Partition, as_partition


def carried_over(model: Any, X: Floats, onto: Floats, own: Partition | None = None) -> Partition:
    """What a model fitted to X says of other objects: its prediction, else the label of the nearest of X.

    The prediction is soft where the clustering of X is, which is ``own`` where the model does not keep it. A
    pipeline looks for the nearest in the features that its last step sees.
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
