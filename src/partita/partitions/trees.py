"""Trees of merges, as SciPy's linkage and scikit-learn's ``children_`` list them, and their cuts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.arrays import Array, frame_library, is_sparse
from partita.errors import ParameterError, Phrase, Setting
from partita.partitions.hard import HardPartition


def cut(tree: Any, *, k: Any = None, height: Any = None) -> Any:
    """Cut a tree of merges into clusters: into ``k`` of them, or at a height.

    Parameters
    ----------
    tree : linkage matrix, children or model
        SciPy's linkage ``(n - 1, 4)``; scikit-learn's ``children_`` ``(n - 1, 2)``, alone or as a pair
        ``(children_, distances_)``; or a fitted model that has them.
    k : int or list of int, optional
        Number of clusters: those that are left before the last ``k - 1`` merges.
    height : float or list of float, optional
        Objects stay together where all merges between them are at this height or lower, as in SciPy's
        ``fcluster`` with ``criterion="distance"``.

    Returns
    -------
    HardPartition, or Ensemble
        An ensemble where several numbers or heights are given.

    See Also
    --------
    compare, validate, choose : take a tree with the same ``k=`` or ``height=``.

    Examples
    --------
    >>> tree = [[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 9.0, 4]]
    >>> cut(tree, k=2).labels.tolist()
    [0, 0, 1, 1]
    >>> cut(tree, height=1.5).labels.tolist()
    [0, 0, 1, 2]
    """
    made = list(cuts_of(tree, k, height).values())
    if not is_several(k, height):
        return made[0]
    from partita.partitions.ensemble import Ensemble

    return Ensemble(made)


@dataclass(frozen=True, eq=False)
class Tree:
    """The merges of ``n`` objects, row by row, and the height of each where it is known."""

    merges: Array
    heights: Array | None

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return len(self.merges) + 1


def tree_in(obj: Any) -> Tree | None:
    """The tree that an object is, or None."""
    children = getattr(obj, "children_", None)
    if children is not None and not isinstance(obj, type):
        return _tree_of(children, getattr(obj, "distances_", None))
    if isinstance(obj, tuple) and len(obj) == 2 and isinstance(obj[0], np.ndarray) and obj[0].ndim == 2:
        return _tree_of(*obj)
    if isinstance(obj, (list, tuple)) and not all(isinstance(row, (list, tuple, np.ndarray)) for row in obj):
        return None
    if frame_library(obj) == "pandas" and getattr(obj, "ndim", 0) == 2 and hasattr(obj, "to_numpy"):
        obj = obj.to_numpy()
    return _tree_of(obj, None) if isinstance(obj, (list, tuple, np.ndarray)) else None


def _tree_of(matrix: Any, heights: Any) -> Tree | None:
    try:
        matrix = np.asarray(matrix)
    except (TypeError, ValueError):
        return None
    if matrix.ndim == 2 and matrix.shape[1] == 3 and heights is None:
        merges = merges_in(np.column_stack([matrix, np.zeros(len(matrix))]))
    else:
        merges = merges_in(matrix)
    if merges is None:
        return None
    if heights is None:
        return Tree(merges, matrix[:, 2].astype(np.float64) if matrix.shape[1] > 2 else None)
    known = np.asarray(heights)
    if known.shape != (len(merges),) or known.dtype.kind not in "iuf":
        raise ParameterError(
            "the distances do not fit the merges.",
            got=f"{len(merges)} merges, distances of shape {known.shape}",
            need="one number for each merge",
        )
    return Tree(merges, known.astype(np.float64))


def merges_in(matrix: Any) -> Array | None:
    """The pairs of nodes that a tree merges, row by row, or None where a matrix is no such tree.

    Nodes 0 to n - 1 are objects and node n + i is what row i makes. A linkage has the height and the number
    of objects beside each pair; every node but the root is merged once, which memberships never satisfy.
    """
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.shape[1] not in (2, 4):
        return None
    if matrix.dtype.kind not in "iuf" or (matrix.shape[1] == 2 and matrix.dtype.kind == "f"):
        return None
    n, pairs = len(matrix) + 1, matrix[:, :2]
    if not np.isfinite(matrix).all() or not np.array_equal(np.sort(pairs, axis=None), np.arange(2 * n - 2)):
        return None
    made_before = pairs.max(axis=1) < n + np.arange(n - 1)
    return pairs.astype(np.int64) if made_before.all() else None


def is_several(k: Any, height: Any) -> bool:
    """True where more than one cut is asked for."""
    return any(isinstance(value, Iterable) and not isinstance(value, (str, bytes)) for value in (k, height))


def cuts_of(obj: Any, k: Any, height: Any) -> dict[str, HardPartition]:
    """The cuts of a tree by name: ``"k = 3"``, ``"height = 1.5"``."""
    if k is not None and height is not None:
        raise ParameterError(
            "a tree is cut into k clusters or at a height, not both.",
            got=f"k={k!r}, height={height!r}"[:80],
            need="one of them",
            parameter="height",
        )
    name = "k" if height is None else "height"
    tree = tree_in(obj)
    if tree is None:
        raise ParameterError(
            Phrase(Setting(name), " cuts a tree of merges, and this is none."),
            got=type(obj).__name__,
            need="a linkage matrix (n - 1, 4), children_ (n - 1, 2), or a model that has them",
            parameter=name,
        )
    if k is None and height is None:
        raise tree_without_k()
    if height is not None and tree.heights is None:
        raise ParameterError(
            "this tree has no heights.",
            got="children_ alone",
            need="the height of each merge",
            fix="AgglomerativeClustering(..., compute_distances=True), or k=",
            parameter="height",
        )
    value = k if height is None else height
    values = list(value) if is_several(k, height) else [value]
    if not values:
        raise ParameterError(
            Phrase(Setting(name), " has several values, and none is given."),
            got=repr(value)[:60],
            need="at least one",
            parameter=name,
        )
    by = _before_last if height is None else _below
    return {f"{name} = {one:g}" if _is_number(one) else str(one): by(tree, one) for one in values}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _before_last(tree: Tree, k: Any) -> HardPartition:
    """The clusters that are left before the last ``k - 1`` merges."""
    n = tree.n_objects
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or not 1 <= k <= n:
        raise ParameterError(
            Phrase(Setting("k"), " is no number of clusters of this tree."),
            got=repr(k)[:60],
            need=f"a whole number from 1 to {n}",
            parameter="k",
        )
    return _joined(tree, np.arange(n - 1) < n - k)


def _below(tree: Tree, height: Any) -> HardPartition:
    """The largest clusters without a merge above a height; trees of centroids may merge lower than before."""
    if not _is_number(height) or not math.isfinite(height) or height < 0:
        raise ParameterError(
            Phrase(Setting("height"), " is no height of a tree."),
            got=repr(height)[:60],
            need="a finite number of at least 0",
            parameter="height",
        )
    assert tree.heights is not None
    n = tree.n_objects
    highest = np.zeros(2 * n - 1)
    for i, (left, right) in enumerate(tree.merges.tolist()):
        highest[n + i] = max(tree.heights[i], highest[left], highest[right])
    return _joined(tree, highest[n:] <= height)


def _joined(tree: Tree, kept: Array) -> HardPartition:
    """The clusters that these merges make, numbered by first appearance."""
    n = tree.n_objects
    above = np.full(2 * n - 1, -1)
    for i in np.flatnonzero(kept).tolist():
        left, right = tree.merges[i]
        above[left] = above[right] = n + i
    top = np.arange(2 * n - 1)
    for node in range(2 * n - 2, -1, -1):
        if above[node] >= 0:
            top[node] = top[above[node]]
    _, first, codes = np.unique(top[:n], return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))
    return HardPartition(by_appearance[codes])


def with_cuts(given: Mapping[str, Any], k: Any, height: Any) -> dict[str, Any]:
    """What a caller gave, with its trees cut; several cuts of ``found`` are several clusterings by name.

    Trees may be values of a dictionary. Nothing changes where neither ``k`` nor ``height`` is given.
    """
    if k is None and height is None:
        return dict(given)
    made = {name: _cut_where_tree(one, k, height) for name, one in given.items()}
    if all(made[name] is given[name] for name in given):
        cuts_of(None, k, height)  # says that there is no tree
    for name, one in made.items():
        if name != "found" and isinstance(one, dict) and one is not given[name]:
            raise ParameterError(
                f"the {name} is one cut of the tree.",
                got=f"k={k!r}, height={height!r}"[:80],
                need="one number",
                fix=f"cut(tree, k=...) for the {name}",
                parameter="k" if height is None else "height",
            )
    return made


def _cut_where_tree(obj: Any, k: Any, height: Any) -> Any:
    if isinstance(obj, Mapping) and not is_sparse(obj):
        made: dict[Any, Any] = {}
        for name, one in obj.items():
            cuts = _cut_where_tree(one, k, height)
            if cuts is not one and isinstance(cuts, dict):
                made |= {f"{name}, {how}": part for how, part in cuts.items()}
            else:
                made[name] = cuts
        is_changed = len(made) != len(obj) or any(made[name] is not one for name, one in obj.items())
        return made if is_changed else obj
    if tree_in(obj) is None:
        return obj
    cuts = cuts_of(obj, k, height)
    for how, one in cuts.items():
        one.note = f"a tree of merges, cut at {how}"
    return cuts if is_several(k, height) else next(iter(cuts.values()))


def tree_without_k() -> ParameterError:
    """The error for a tree that nobody said how to cut."""
    return ParameterError(
        "this is a tree of merges, and a clustering is a cut of it.",
        got="a linkage matrix, or children_",
        need=Phrase(
            Setting("k", words="k="),
            ", the number of clusters, or ",
            Setting("height", words="height="),
            ", where it is cut",
        ),
        fix=Phrase(
            Setting("k", 3, "cut(tree, k=3)"),
            ", or k=[2, 3, 4] for an ensemble of cuts; compare, validate and choose have the same options",
        ),
        parameter="k",
    )
