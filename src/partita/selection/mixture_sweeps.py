"""Sweeps of mixtures, one for each covariance shape, and which of them BIC speaks for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita.errors import ParameterError, near_names
from partita.fits.checkpoints import Checkpoint
from partita.partitions.models import in_clustered_space, preparing_steps
from partita.registry import find
from partita.selection.choices import Fit, best_objective
from partita.selection.shapes import CovarianceShapes, MixtureOfShape
from partita.selection.sweep import Sweep
from partita.statistics.clusters.mixtures import free_parameters

__all__ = ["SweepOfShape", "compared_shapes", "shapes_of", "sweep_shapes"]

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
    asked = [covariance_type] if isinstance(covariance_type, str) else covariance_type
    if not isinstance(asked, Iterable):
        asked = [asked]
    shapes = tuple(dict.fromkeys(asked))
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
    """Every sweep, judged by BIC too; each has a folder of its own in the checkpoint."""
    made = []
    for shape, sweep in sweeps.items():
        also = sweep.judged_too(find("bic"))
        folder = None if checkpoint is None else Path(checkpoint) / shape
        store, root = also.checkpoint(folder, random_state, n_null)
        fits, agreement = also.fits(root, store, n_jobs, pool)
        made.append(SweepOfShape(shape, sweep, store, root, fits, agreement))
    return made


def compared_shapes(swept: Sequence[SweepOfShape], frame: str) -> CovarianceShapes:
    """BIC of the fit that speaks for each shape and k: that of the highest likelihood without a flaw."""
    d = _dimension(swept[0])
    mixtures = []
    for one in swept:
        for k in one.sweep.ks:
            runs = [fit for fit in one.fits if fit.k == k]
            run = best_objective(runs)
            fit = runs[0] if run is None else runs[run]
            bic = fit.values.get("bic", math.nan)
            mixtures.append(MixtureOfShape(one.shape, k, bic, free_parameters(one.shape, k, d), fit.flaw))
    return CovarianceShapes(frame=frame, mixtures=tuple(mixtures))


def _dimension(one: SweepOfShape) -> int:
    """How many features the mixture sees."""
    sweep = one.sweep
    if not preparing_steps(sweep.method):
        return int(sweep.X.shape[1])
    done = next(fit for fit in one.fits if not fit.failed)
    seen, _ = in_clustered_space(sweep.refit(done.k, done.seed), sweep.X)
    return int(seen.shape[1])
