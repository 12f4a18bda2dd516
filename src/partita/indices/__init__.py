"""Every index by its name: ``partita.indices.adjusted_rand(truth, found)``.

``catalogue()`` lists them, ``find(name)`` looks one up by name or symbol, or a curve over numbers of clusters
such as ``"gap"``. Names of other packages and of the papers are understood: ``find("rand_score")``,
``find("NbClust:db")``, ``find("Γ'")``; a name of several indices is an error that lists them.
"""

from typing import Any

# the order of import is the order of the catalogue
# isort: off
from partita.indices import information, conditional
from partita.indices import pair_counts, pairs, prediction
from partita.indices import matching, bcubed
from partita.indices import coassociation, coassociation_rand, soft_rand, credal
from partita.indices import centroids
from partita.indices import scatter, separation, silhouettes, density
from partita.indices import memberships, likelihood, complexity, curves

# isort: on
from partita.registry import index
from partita.registry import indices as catalogue
from partita.registry.curves import find_entry as find
from partita.registry.lookup import own_symbols

__all__ = ["catalogue", "find", "index"]
__all__ += [entry.name for entry in catalogue()]

_families = (
    information,
    conditional,
    pair_counts,
    pairs,
    prediction,
    matching,
    bcubed,
    coassociation,
    coassociation_rand,
    soft_rand,
    credal,
    centroids,
    scatter,
    separation,
    silhouettes,
    density,
    memberships,
    likelihood,
    complexity,
    curves,
)
globals().update({entry.name: entry for entry in catalogue()})


def __getattr__(name: str) -> Any:
    """Look up what is not a module attribute: indices that users add, and symbols such as ARI."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return own_symbols().get(name) or find(name)
    except KeyError as unknown:
        raise AttributeError(str(unknown)) from None


def __dir__() -> list[str]:
    return sorted({*__all__, *(entry.name for entry in catalogue())})
