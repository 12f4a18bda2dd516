"""A truth that is known for a sample only: pair indices and BCubed for all objects, with standard errors.

``found`` is known of all N objects, the population; ``truth`` of a sample of them. How the sample was drawn
must be said, since the estimators differ:

- ``"objects"``: n objects were drawn at random, each set of n alike (simple random sampling without
  replacement), and each was given its true cluster.
- ``"clusters"``: true clusters were drawn at random, each set of them alike, and **all** of their objects
  were labelled.
- ``"clusters_of_objects"``: objects were drawn at random, and all objects of their true clusters were
  labelled. A cluster is then drawn with a probability proportional to its size. It is taken for granted that
  few of all clusters were drawn, so that hardly one was drawn twice.

**Pairs.** A pair index is a function g of the shares of pairs that are together in both clusterings, in one,
or in neither. Its value is g of these shares as estimated. From objects, the shares in the sample are
unbiased for those of the population. From clusters, each is a sum over true clusters: an object of cluster c
and found cluster j, of size N_j in the population, is in n_cj - 1 pairs that are together in both, |c| - n_cj
in truth only, N_j - n_cj in found only, and in neither with all others; none of it asks for more than the
truth of c (binette2024).

**BCubed** precision and recall are ratios of such sums from clusters: of n_cj^2 / N_j and of n_cj^2 / |c|, to
|c|. From objects, precision is (K + (N - K) r) / N: K found clusters, and r the ratio of sampled pairs that
are together in both, each over N_j, to those that are together in found. The size of a true cluster is not
known from a sample of objects, and so recall and F have no estimate.

**Standard errors** are linearised: with z the derivative of the value by a unit's part in the sums, the
variance is (1 - n / N) m / (m - 1) times the sum of z^2 over the m units drawn (objects, or clusters; n is
the number of objects that have a truth). A pair is part of both of its objects, which doubles z for objects;
the variance is then on the safe side where few pairs are seen, as that of the jackknife is. There is no
correction for the finite population with "clusters_of_objects". All of this holds for samples of some dozen
units; ratios have a bias of the order of 1 / m.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from partita.arrays import Floats
from partita.differences import Cells, cells_of, table_of
from partita.errors import KindError, ParameterError
from partita.inputs import Inputs, prepare
from partita.partitions import HardPartition
from partita.registry import Caveat, CaveatKind, find
from partita.results.index_rows import IndexValue

__all__ = ["DESIGNS", "Estimate", "SampledTruth", "check_design", "sampled_truth"]

DESIGNS = ("objects", "clusters", "clusters_of_objects")

OF_PAIRS = (
    "rand",
    "adjusted_rand",
    "jaccard",
    "fowlkes_mallows",
    "hubert_gamma",
    "hubert_gamma_prime",
    "minkowski_score",
    "pair_precision",
    "pair_recall",
)
"""Indices of the shares of pairs alone."""

OF_OBJECTS = ("bcubed_precision", "bcubed_recall", "bcubed_f")

STEP = 1e-6
"""How far a share is moved for a derivative; the error is of the order of its square."""

NO_RECALL = "not estimated: a sample of objects does not tell how large true clusters are"
NO_PAIRS = "not estimated: the sample holds none of the pairs that it rests on"
NO_ERROR = "no disagreement was drawn, so that the standard error of 0 says nothing"


class Estimate(NamedTuple):
    """A value for all objects and its standard error, or why there is none."""

    value: float
    se: float
    reason: str = ""


class Units(NamedTuple):
    """Units drawn, in groups of alike ones: their parts in some sums, and how many each group holds."""

    parts: Floats
    times: Floats


class _Pairs(NamedTuple):
    """What a formula on pairs reads: the four shares."""

    pairs: tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class SampledTruth:
    """A sample with a truth, and the sizes of the found clusters in the population.

    Attributes
    ----------
    design : str
        How the sample was drawn.
    cells : Cells
        The table of the sample, with the sizes of the found clusters there.
    found_sizes : array
        For each column of the table, the size of that found cluster in the population.
    n_found : int
        How many clusters the population has.
    n_objects : int
        The size of the population.
    """

    design: str
    cells: Cells
    found_sizes: Floats
    n_found: int
    n_objects: int

    @property
    def n_sampled(self) -> int:
        """How many objects have a truth."""
        return int(self.cells.shared.sum())

    @property
    def n_units(self) -> int:
        """How many units were drawn."""
        return self.n_sampled if self.design == "objects" else int(np.unique(self.cells.rows).size)

    @property
    def text(self) -> str:
        """What the estimates rest on, in words."""
        units = "objects" if self.design == "objects" else "true clusters"
        return f"estimated for all {self.n_objects} objects from {self.n_units} sampled {units}"

    def estimate(self, name: str) -> Estimate:
        """The value of an index for all objects, and its standard error."""
        if name in OF_PAIRS:
            formula = find(name)
            return self._of_sums(self.pairs, lambda T: formula.formula_on(_Pairs((T[0], T[1], T[2], T[3]))))
        if self.design != "objects":
            return self._of_sums(
                self.shares, {"bcubed_precision": _precision, "bcubed_recall": _recall}.get(name, _f)
            )
        if name != "bcubed_precision":
            return Estimate(math.nan, math.nan, NO_RECALL)
        return self._of_sums(self.pairs_in_found, self._precision_of_pairs)

    @property
    def pairs(self) -> Units:
        """For each unit its pairs together in both, in truth only, in found only, in neither; each half."""
        shared = self.cells.shared
        own, other = self.cells.row_sizes[self.cells.rows], self._other_sizes
        total = self.n_sampled if self.design == "objects" else self.n_objects
        each = np.stack([shared - 1, own - shared, other - shared, total - own - other + shared], axis=1) / 2
        return self._units(each)

    @property
    def shares(self) -> Units:
        """For each cluster drawn the sums of its objects' precisions and recalls, and its size."""
        shared, own = self.cells.shared, self.cells.row_sizes[self.cells.rows]
        return self._units(np.stack([shared / self._other_sizes, shared / own, np.ones(shared.size)], axis=1))

    @property
    def pairs_in_found(self) -> Units:
        """For each object its pairs together in both, and in found, each over the found cluster's size."""
        size = self.found_sizes[self.cells.columns]
        return self._units(
            np.stack([self.cells.shared - 1, self._other_sizes - 1], axis=1) / size[:, None] / 2
        )

    @property
    def _other_sizes(self) -> Floats:
        """For each cell the size of its found cluster: in the sample, or in the population."""
        sizes = self.cells.column_sizes if self.design == "objects" else self.found_sizes
        return np.asarray(sizes[self.cells.columns])

    def _units(self, of_object: Floats) -> Units:
        """What units have, from what each object of a cell has."""
        shared = self.cells.shared
        if self.design == "objects":
            return Units(of_object, shared)
        clusters, place = np.unique(self.cells.rows, return_inverse=True)
        parts = np.zeros((clusters.size, of_object.shape[1]))
        np.add.at(parts, place, of_object * shared[:, None])
        if self.design == "clusters_of_objects":
            parts /= self.cells.row_sizes[clusters][:, None]
        return Units(parts, np.ones(clusters.size))

    def _precision_of_pairs(self, sums: Floats) -> Any:
        alone = self.n_found / self.n_objects
        return alone + (1.0 - alone) * sums[0] / sums[1]

    def _of_sums(self, units: Units, function: Callable[[Floats], Any]) -> Estimate:
        """The value of a function of sums over units, and its linearised standard error."""
        sums = units.times @ units.parts
        scale = float(np.abs(sums).sum())
        if not scale > 0.0:
            return Estimate(math.nan, math.nan, NO_PAIRS)
        sums = sums / scale
        steps = STEP * np.eye(sums.size)
        with np.errstate(all="ignore"):
            value = float(function(sums))
            moved = np.asarray(function(np.concatenate([sums + steps, sums - steps]).T), dtype=np.float64)
        slopes = (moved[: sums.size] - moved[sums.size :]) / (2.0 * STEP)
        if not math.isfinite(value):
            return Estimate(math.nan, math.nan, NO_PAIRS)
        m = float(units.times.sum())
        if m < 2 or not np.isfinite(slopes).all():
            return Estimate(value, math.nan)
        z = (units.parts / scale) @ slopes * (2.0 if self.design == "objects" else 1.0)
        unseen = 1.0 if self.design == "clusters_of_objects" else 1.0 - self.n_sampled / self.n_objects
        variance = unseen * m / (m - 1.0) * float(units.times @ (z * z))
        se = math.sqrt(max(variance, 0.0))
        return Estimate(value, se if se > 1e-9 else 0.0)

    def row(self, row: IndexValue) -> IndexValue:
        """The row with the value for all objects, where there are estimators for this index."""
        if row.index not in OF_PAIRS + OF_OBJECTS:
            return row
        if self.n_sampled == self.n_objects:  # nothing is left to estimate
            return replace(row, se=0.0)
        value, se, reason = self.estimate(row.index)
        if reason:
            caveat = Caveat(CaveatKind.NOT_COMPUTED, reason)
            return replace(row, value=value, se=se, caveats=(*_kept(row.caveats), caveat))
        seen = Caveat(CaveatKind.SAMPLED, self.text)
        nothing = (Caveat(CaveatKind.METHOD, NO_ERROR),) if se == 0.0 else ()
        return replace(row, value=value, se=se, caveats=(*_kept(row.caveats), seen, *nothing))


def _kept(caveats: Sequence[Caveat]) -> tuple[Caveat, ...]:
    """What is said of the index; what was said of its value in the sample goes."""
    return tuple(c for c in caveats if c.kind not in (CaveatKind.UNDEFINED, CaveatKind.LIMIT))


def _precision(sums: Floats) -> Any:
    return sums[0] / sums[2]


def _recall(sums: Floats) -> Any:
    return sums[1] / sums[2]


def _f(sums: Floats) -> Any:
    precision, recall = _precision(sums), _recall(sums)
    return 2.0 * precision * recall / (precision + recall)


def check_design(sample: Any, *, sample_weight: Any, noise: str) -> None:
    """Refuse words that are no design, and what does not go with one."""
    if sample is None:
        return
    if not isinstance(sample, str) or sample not in DESIGNS:
        raise ParameterError(
            "no such way to draw a sample.",
            got=repr(sample)[:60],
            need=", ".join(f'"{design}"' for design in DESIGNS) + ", or None",
            parameter="sample",
        )
    if sample_weight is not None:
        raise ParameterError(
            "a sample that was drawn at random has no weights.",
            got=f'sample="{sample}" and sample_weight',
            need="one of the two",
            parameter="sample_weight",
        )
    if noise == "singletons":
        raise ParameterError(
            "noise as singletons has no clusters that could be sampled.",
            got=f'sample="{sample}", noise="singletons"',
            need='noise="cluster", "ignore" or "raise"',
            parameter="noise",
        )


def sampled_truth(inputs: Inputs, found: Any, sample: str, ways: Mapping[str, Any]) -> SampledTruth:
    """The sample as it was prepared, beside the whole of ``found``, read in the same ways."""
    soft = [name for name, p in inputs.partitions.items() if not isinstance(p, HardPartition)]
    if soft:
        raise KindError(
            "standard errors for a population are there for two hard clusterings.",
            got=", ".join(f"{name}: {inputs.partitions[name].kind}" for name in soft),
            need="hard clusterings",
            fix=".harden() first",
        )
    population = prepare({"found": found}, **ways)
    whole: Any = population.partitions["found"]
    table = table_of(inputs)
    sizes = dict(zip(whole.names, whole.sizes.tolist(), strict=True))
    filled = np.flatnonzero(table.column_sums)
    found_sizes = np.zeros(len(table.column_names))
    found_sizes[filled] = [sizes[table.column_names[int(j)]] for j in filled]
    n_found = sum(size > 0 for size in sizes.values())
    return SampledTruth(sample, cells_of(table), found_sizes, n_found, population.n_objects)
