"""Data to try things on: the generators of the papers, sets like the published ones, and real sets by name.

Each ``make_...`` gives a `DataSet`, which unpacks as ``X, labels`` and tells what generated it. ``load`` has
those that others published, and ``names`` lists them. The toy problems of rovetta2009 are clusterings
without data, so that they come as pairs of memberships.
"""

from partita.datasets.data_set import DataSet
from partita.datasets.franti2017 import (
    make_a_like,
    make_binary,
    make_birch_like,
    make_s_like,
    make_spirals,
    make_unbalance_like,
)
from partita.datasets.gaussian_clusters import make_gaussian_clusters
from partita.datasets.lagofernandez2009 import (
    SHAPES,
    make_lagofernandez2009_example,
    make_lagofernandez2009_pair,
    make_lagofernandez2009_problem,
    make_lagofernandez2009_sweep,
)
from partita.datasets.lei2014 import LEI2014, make_data3, make_data5, make_lei2014
from partita.datasets.loading import DataSets, load, names
from partita.datasets.rovetta2009 import (
    ROVETTA2009,
    SWEEPS,
    MembershipPair,
    make_rovetta2009_sweep,
    make_rovetta2009_toy,
)

__all__ = [
    "DataSet",
    "DataSets",
    "LEI2014",
    "MembershipPair",
    "ROVETTA2009",
    "SHAPES",
    "SWEEPS",
    "load",
    "make_a_like",
    "make_binary",
    "make_birch_like",
    "make_data3",
    "make_data5",
    "make_gaussian_clusters",
    "make_lagofernandez2009_example",
    "make_lagofernandez2009_pair",
    "make_lagofernandez2009_problem",
    "make_lagofernandez2009_sweep",
    "make_lei2014",
    "make_rovetta2009_sweep",
    "make_rovetta2009_toy",
    "make_s_like",
    "make_spirals",
    "make_unbalance_like",
    "names",
]
