"""`reproduce`: a paper run again, resumable, the same for any number of workers."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from partita import __version__
from partita.errors import ParameterError, PartitaError, Phrase, Setting, near_names
from partita.experiments.reproductions import Reproduction
from partita.experiments.studies import Paper, Run, Study
from partita.fits.checkpoints import Checkpoint, root_seed
from partita.fits.tasks import run_tasks

__all__ = ["PAPERS", "find_paper", "reproduce"]

PAPERS = ("rovetta2009", "lagofernandez2009", "lei2014", "franti2017", "campagner2022")
"""In the order of their years."""


def find_paper(name: str) -> Paper:
    """The experiments of a paper."""
    if not isinstance(name, str) or name not in PAPERS:
        raise near_names(str(name), PAPERS, noun="paper", parameter="paper")
    paper: Paper = importlib.import_module(f"partita.experiments.{name}").PAPER
    return paper


def reproduce(
    paper: str,
    *,
    quick: bool = False,
    only: str | Iterable[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Reproduction:
    """Run a paper again, and hold what we get against what it prints and says.

    Parameters
    ----------
    paper : str
        The key of one of the five papers: "rovetta2009", "lagofernandez2009", "lei2014", "franti2017",
        "campagner2022".
    quick : bool
        Small versions: fewer draws and repetitions, within about a minute.
    only : name or list of names, optional
        Parts of it, such as ``["table2", "fig1"]``.
    checkpoint : path, optional
        A folder in which every piece of work is kept as soon as it is done; the same call goes on from there.
    n_jobs : int, optional
        Workers, as in `partita.choose_k`. The results are the same for any number.
    random_state : None, int or Generator
        Of everything that is drawn.

    Returns
    -------
    Reproduction
        ``findings`` has every number with its outcome; ``partita.experiments.write`` writes the page.

    Examples
    --------
    >>> table = reproduce("rovetta2009", only="table2")
    >>> table.score["reproduced"]
    30
    """
    chosen = find_paper(paper)
    studies = _wanted(chosen, only)
    seed = root_seed(random_state)
    missing = _missing({name for study in studies for name in study.data})
    run = Run(quick=bool(quick), seed=seed, missing=missing)
    parts = {}
    for study in studies:
        kept = None if checkpoint is None else _checkpoint(checkpoint, chosen, study, run)
        tasks = list(study.plan(run))
        told = f"{chosen.key} {study.name}"
        records = run_tasks(study.work, tasks, n_jobs=n_jobs, description=told, checkpoint=kept)
        named = dict(zip([task.key for task in tasks], records, strict=True))
        parts[study.name] = study.gather(named, run)
    return Reproduction(
        paper=chosen.key,
        title=chosen.title,
        parts=parts,
        titles={study.name: study.title for study in studies},
        lessons=tuple(chosen.lessons(parts)),
        missing=missing,
        quick=run.quick,
        provenance={
            "partita": __version__,
            "seed": seed,
            "quick": run.quick,
            "parts": [study.name for study in studies],
        },
    )


def _wanted(paper: Paper, only: str | Iterable[str] | None) -> Sequence[Study]:
    if only is None:
        return paper.studies
    names = [only] if isinstance(only, str) else list(only)
    known = [study.name for study in paper.studies]
    for name in names:
        if name not in known:
            raise near_names(str(name), known, noun=f"part of {paper.key}", parameter="only")
    if not names:
        raise ParameterError(
            Phrase(Setting("only"), " names nothing."), got="an empty list", need=", ".join(known)
        )
    return [study for study in paper.studies if study.name in names]


def _missing(names: Iterable[str]) -> dict[str, str]:
    """Data sets that cannot be had here, each with the way to get it."""
    from partita.datasets import load

    absent = {}
    for name in sorted(names):
        try:
            load(name)
        except PartitaError as problem:
            absent[name] = problem.fix or problem.need or problem.what
    return absent


def _checkpoint(folder: str | os.PathLike[str], paper: Paper, study: Study, run: Run) -> Checkpoint:
    parts = {
        "paper": paper.key,
        "part": study.name,
        "quick": run.quick,
        "version": __version__,
        "missing": sorted(run.missing),
    }
    return Checkpoint.open(Path(folder) / paper.key / study.name, parts, run.seed)
