"""Families of indices: those of one family look at the same thing, and are one voice, not many."""

from __future__ import annotations

__all__ = ["FAMILIES", "VOICES", "family_of_module"]

VOICES = {
    "compactness": "how tight clusters are around their centres, against how far apart these are",
    "separation": "how wide the gaps between clusters are",
    "likelihood": "how well a model of the data fits, against how many parameters it has",
    "memberships": "how sure memberships are",
    "density": "how densely clusters hang together, whatever their shape",
    "curves": "how an index moves over numbers of clusters",
    "resampling": "whether the same clusters are found again",
}
"""Families that have a voice in a choice, and what each looks at."""

FAMILIES = VOICES | {
    "information": "entropies of the table of two clusterings",
    "pairs": "pairs of objects that are together or apart in both clusterings",
    "matching": "clusters of one clustering matched to those of the other",
    "bcubed": "how pure and how complete the cluster of each object is",
    "coassociation": "how far pairs of objects are together, in two soft clusterings",
    "soft_rand": "concordant pairs of objects in two soft clusterings",
    "credal": "what two clusterings believe of pairs of objects",
    "centroids": "centres of one clustering matched to those of the other",
}
"""All families, and what each looks at."""

_OF_MODULE = {
    "conditional": "information",
    "pair_counts": "pairs",
    "prediction": "resampling",
    "coassociation_rand": "coassociation",
    "scatter": "compactness",
    "silhouettes": "compactness",
    "complexity": "likelihood",
}


def family_of_module(module: str) -> str:
    """The family of the indices in a module, unless an entry names another; a module of a user is its own."""
    name = module.rpartition(".")[2]
    return _OF_MODULE.get(name, name)
