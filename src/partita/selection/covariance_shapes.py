"""Mixtures over numbers of clusters and covariance shapes: the sweeps, BIC of each, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from partita.errors import ParameterError, near_names
from partita.fits.checkpoints import Checkpoint
from partita.registry import find
from partita.results import Cell, Result, Table, join_texts, number, plain
from partita.results.records import read_back
from partita.selection.sweep import Fit, Sweep, best_objective
from partita.statistics.clusters.mixtures import free_parameters

__all__ = [
    "CovarianceShapes",
    "MixtureOfShape",
    "SweepOfShape",
    "compared_shapes",
    "shapes_of",
    "sweep_shapes",
]

GRADES = ((2.0, "weak"), (6.0, "positive"), (10.0, "strong"), (math.inf, "very strong"))
"""What a difference of BIC up to these values is called (raftery1995, table 6)."""

TIE = GRADES[0][0]
"""Mixtures whose BIC differs by no more than this are a tie, which the simplest wins."""

SHOWN = 3


@dataclass(frozen=True)
class MixtureOfShape:
    """The mixture that speaks for a shape and a k.

    Attributes
    ----------
    shape, k : str, int
        The covariance shape, and the number of components.
    bic : float
        Lower is better; nan if all fits failed.
    parameters : int
        How many are free.
    flaw : str
        Why it does not count: a collapsed component, or an empty or single-object cluster.
    """

    shape: str
    k: int
    bic: float
    parameters: int
    flaw: str = ""

    @property
    def counts(self) -> bool:
        """Whether it can be chosen."""
        return math.isfinite(self.bic) and not self.flaw

    def __str__(self) -> str:
        return f"{self.shape}, k = {self.k}"


@dataclass(frozen=True, repr=False)
class CovarianceShapes(Result):
    """BIC of mixtures over numbers of clusters and covariance shapes, and the best of them.

    Attributes
    ----------
    mixtures : tuple of MixtureOfShape
        One for each shape and k.
    """

    mixtures: tuple[MixtureOfShape, ...] = ()

    @cached_property
    def ranked(self) -> tuple[MixtureOfShape, ...]:
        """Those that count, the best first: by BIC, but among those within 2 of the lowest the simplest."""
        sound = sorted((m for m in self.mixtures if m.counts), key=lambda m: m.bic)
        if not sound:
            return ()
        near = [m for m in sound if m.bic - sound[0].bic <= TIE]
        best = min(near, key=lambda m: (m.parameters, m.bic))
        return (best, *(m for m in sound if m is not best))

    @property
    def best(self) -> MixtureOfShape | None:
        """The mixture that BIC speaks for; None where all have a flaw."""
        return self.ranked[0] if self.ranked else None

    @property
    def shapes(self) -> tuple[str, ...]:
        """The shapes that were tried."""
        return tuple(dict.fromkeys(m.shape for m in self.mixtures))

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers of clusters that were tried."""
        return tuple(dict.fromkeys(m.k for m in self.mixtures))

    @property
    def statement(self) -> str:
        """The best mixture, with the evidence for it against the next best."""
        if self.best is None:
            return "no mixture counts: all fits failed, or have a flaw"
        found = f"{self.best} by BIC"
        if len(self.ranked) > 1:
            found = f"{found}, {self._evidence(self.best, self.ranked[1])}"
        last = self.best.k == self.ks[-1] and len(self.ks) > 1
        return join_texts([found, f"k = {self.best.k} is the largest tried: more may be better" * last])

    def _evidence(self, best: MixtureOfShape, other: MixtureOfShape) -> str:
        ahead = other.bic - best.bic
        if ahead < 0:
            return (
                f"{-ahead:.1f} above the lowest ({other}), a tie that goes to the simpler of the two"
                f" ({best.parameters} parameters against {other.parameters})"
            )
        return f"{ahead:.1f} below the next ({other}): {grade(ahead)} evidence (Raftery 1995)"

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each shape and k."""
        least = min((m.bic for m in self.mixtures if m.counts), default=math.nan)
        return [
            {
                "covariance_type": m.shape,
                "k": m.k,
                "bic": m.bic,
                "above the lowest": m.bic - least,
                "parameters": m.parameters,
                "flaw": m.flaw,
            }
            for m in self.mixtures
        ]

    def table(self) -> Table:
        """BIC: a row for each k, a column for each shape."""
        at = {(m.shape, m.k): m for m in self.mixtures}
        rows = tuple((k, *(self._cell(at[shape, k]) for shape in self.shapes)) for k in self.ks)
        columns = ("k", *self.shapes)
        return Table("BIC over k and covariance shape", columns, rows, self.footnotes, answer=self.statement)

    def more(self) -> tuple[Table, ...]:
        """The best three, each with how far it is above the best."""
        rows = tuple(
            (m.shape, m.k, m.bic, m.bic - self.ranked[0].bic, m.parameters) for m in self.ranked[:SHOWN]
        )
        columns = ("covariance_type", "k", "BIC", "difference", "parameters")
        return (Table("best by BIC (lower is better)", columns, rows),) if rows else ()

    def _cell(self, mixture: MixtureOfShape) -> Cell:
        reason = f"does not count: {mixture.flaw}" if mixture.flaw else ""
        return Cell(mixture.bic, reason, strong=mixture is self.best)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary that JSON can hold, and that `from_dict` reads."""
        return {**super().to_dict(), "mixtures": plain([asdict(m) for m in self.mixtures])}

    @classmethod
    @read_back
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` wrote."""
        mixtures = (MixtureOfShape(**{**row, "bic": number(row["bic"])}) for row in data["mixtures"])
        return cls(notes=tuple(data["notes"]), provenance=dict(data["provenance"]), mixtures=tuple(mixtures))


def grade(difference: float) -> str:
    """How strong the evidence of a difference of BIC is (raftery1995)."""
    return next(word for most, word in GRADES if difference <= most)


# --- sweeps

SHAPES = ("full", "tied", "diag", "spherical")


def shapes_of(method: Any, covariance_type: Any) -> tuple[str, tuple[str, ...]]:
    """The parameter of the method that sets the covariance shape, and the shapes asked for, each once."""
    steps = getattr(method, "steps", None)
    name = f"{steps[-1][0]}__covariance_type" if steps else "covariance_type"
    known = method.get_params(deep=True) if hasattr(method, "get_params") else {}
    if name not in known:
        raise ParameterError(
            f"{type(method).__name__} has no covariance shape.",
            got=f"covariance_type={covariance_type!r}",
            need="a mixture of Gaussians",
            fix="GaussianMixtureEM()",
            parameter="covariance_type",
        )
    are_several = isinstance(covariance_type, Iterable) and not isinstance(covariance_type, str)
    shapes = tuple(dict.fromkeys(covariance_type if are_several else [covariance_type]))
    for shape in shapes:
        if not isinstance(shape, str) or shape not in SHAPES:
            raise near_names(str(shape), SHAPES, noun="covariance shape", parameter="covariance_type")
    if not shapes:
        raise ParameterError(
            "there is no covariance shape to try.", got="[]", need="one at least", parameter="covariance_type"
        )
    return name, shapes


@dataclass(frozen=True, eq=False)
class SweepOfShape:
    """The fits of all numbers of clusters with one covariance shape, and where they are kept."""

    shape: str
    sweep: Sweep
    store: Checkpoint | None
    root: int
    fits: list[Fit]
    agreement: dict[str, list[float]]


def sweep_shapes(
    sweeps: Mapping[str, Sweep],
    pool: str,
    n_null: int,
    n_jobs: int | None,
    random_state: Any,
    checkpoint: Any,
) -> list[SweepOfShape]:
    """Every sweep, evaluated by BIC too; each has a folder of its own in the checkpoint."""
    swept = []
    for shape, sweep in sweeps.items():
        also = sweep.with_index(find("bic"))
        folder = None if checkpoint is None else Path(checkpoint) / shape
        store, root = also.checkpoint(folder, random_state, n_null)
        fits, agreement = also.fits(root, store, n_jobs, pool)
        swept.append(SweepOfShape(shape, sweep, store, root, fits, agreement))
    return swept


def compared_shapes(swept: Sequence[SweepOfShape], frame: str) -> CovarianceShapes:
    """BIC of the fit that counts at each shape and k: that of the highest likelihood without a flaw."""
    d = swept[0].sweep.where_clustered(0).shape[1]
    mixtures = []
    for one in swept:
        for k in one.sweep.ks:
            runs = [fit for fit in one.fits if fit.k == k]
            run = best_objective(runs)
            fit = runs[0] if run is None else runs[run]
            bic = fit.values.get("bic", math.nan)
            mixtures.append(MixtureOfShape(one.shape, k, bic, free_parameters(one.shape, k, d), fit.flaw))
    return CovarianceShapes(frame=frame, mixtures=tuple(mixtures))
