"""Distributional measures: an index between two soft clusterings as a distribution, or an interval."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from partita.arrays import generator
from partita.arrays.chunked import Chunked, all_at_once
from partita.distributional import hard_laws
from partita.distributional.budgets import Budget
from partita.distributional.evidential import evidential
from partita.distributional.fuzzy import fuzzy, fuzzy_in_chunks
from partita.distributional.hard_laws import HardLaw, describe
from partita.distributional.outcomes import (
    BOUND,
    EXACT,
    SAMPLED,
    Distribution,
    Quantity,
    check_hurwicz,
    weaker,
)
from partita.distributional.possibilistic import READINGS, possibilistic
from partita.distributional.rough import rough
from partita.distributional.sampling import MOST_DRAWS, Plan, is_auto
from partita.distributional.sides import EMPTY, Side, base_index
from partita.distributional.tasks import METHODS, USUAL_WORK, Answer, Task, budget_of, nothing_left
from partita.errors import ParameterError, Phrase, Setting
from partita.inputs import Inputs, prepare
from partita.partitions import FUZZY, HARD, POSSIBILISTIC, ROUGH, Ensemble, SideNames
from partita.partitions.tnorms import TNORMS
from partita.progress import bar
from partita.registry import Caveat, CaveatKind, Index
from partita.results.provenance import provenance

ALL_READINGS = (*READINGS, "independent")
EXACT_NODES = 10_000_000

QUICK_NODES, QUICK_LEVELS, QUICK_DRAWS, QUICK_LABELS, QUICK_WORK = 200, 64, 500, 2e6, 1.5e5
"""What is spent on lower and upper values that nobody asked for by themselves; a second for six indices."""


def distribution(
    truth: Any,
    found: Any,
    index: str | Index = "rand",
    *,
    method: str = "auto",
    law: bool = True,
    tnorm: str = "minimum",
    reading: str = "cuts",
    noise: str = "cluster",
    empty: str = "normalize",
    n_samples: int | str = "auto",
    epsilon: float = 0.01,
    confidence: float = 0.95,
    n_inner: int = 100,
    drop: float = 1e-12,
    budget_seconds: float | None = None,
    random_state: Any = None,
    noise_label: Any = None,
    missing: str = "raise",
    names: Sequence[str] | None = None,
    hurwicz: float | None = None,
) -> Distribution:
    """What an index may be between two soft clusterings, over the hard clusterings they stand for.

    A fuzzy clustering is a probability law over hard ones, a rough one a set of them, a possibilistic one a
    possibility distribution and an evidential one a mass function over rough ones (campagner2022). So an
    index becomes a law, an interval, or a lower and an upper expectation. The result says whether it is
    exact, certified bounds, or sampled.

    Parameters
    ----------
    truth, found : clusterings
        The reference first; anything `as_partition` takes, of any kinds. An `Ensemble` of hard clusterings,
        with weights (posterior samples, bootstrap runs), is a law over them, taken as it is. Of dask arrays
        and frames there are the exact mean and deviation of indices that are sums over pairs (rand, mirkin).
    index : str or index
        An index that the table of two hard clusterings determines. The distribution is of its own value: a
        similarity for rand, a distance for variation_of_information.
    method : {"auto", "exact", "bound", "sample", "nested"}
        "auto" takes the best that is quick. "exact" refuses with `TooLargeError` what is out of reach.
        "nested" samples evidential clusterings as the paper does, with its bias.
    law : bool
        Whether to work out the whole law, or set of values; without it only mean and ends.
    tnorm : {"minimum", "product", "lukasiewicz"}
        How typicalities of different objects are joined.
    reading : {"cuts", "literal", "independent"}
        Possibilistic: "cuts" takes the most possible completion of a value, "literal" joins all by the dual
        s-conorm (eq. 7), "independent" cuts each object by itself, as consonant masses.
    noise : {"cluster", "singletons", "ignore", "raise"}
        What to do with objects labelled -1 beside non-negative labels.
    empty : {"normalize", "cluster", "raise"}
        Mass on the empty set: divide it out object by object, make it a cluster of its own, or refuse it.
    n_samples, epsilon, confidence : int or "auto", float, float
        How many draws; "auto" stops when each mean is within ``epsilon`` with ``confidence``.
    n_inner : int
        Completions of each drawn clustering, for "nested".
    drop : float
        Probability of unlikely tables that may be left away from a law; never with "exact".
    budget_seconds : float, optional
        When to stop, with the best certified bound so far. Without it the work is limited instead, to about
        half a minute and counted, so that the result does not depend on the machine.
    random_state : None, int or Generator
        Seed of the draws.
    noise_label, missing, names
        As in `compare`.
    hurwicz : float, optional
        The weight of the upper value or expectation, from 0 to 1; the lower has the rest. The number between
        the two ends (Hurwicz' criterion) is printed with them.

    Returns
    -------
    Distribution
        ``.lower``, ``.upper``, ``.mean``, ``.std``, what is sure about each, and the law where there is one.

    Examples
    --------
    >>> from partita import RoughPartition
    >>> rough = RoughPartition([[True, False], [True, True], [False, True], [False, True]])
    >>> distribution([0, 0, 1, 1], rough)
    rand, 4 objects: hard truth (k=2), rough found (k=2)
    <BLANKLINE>
    quantity   value  method
    lower     0.5000  exact
    upper     1       exact
    <BLANKLINE>
    interval: every completion counts, 2 of them
    cost: 2 values, ... seconds
    """
    for name, value, known in (
        ("method", method, METHODS),
        ("tnorm", tnorm, TNORMS),
        ("reading", reading, ALL_READINGS),
        ("empty", empty, EMPTY),
    ):
        if not isinstance(value, str) or value not in known:
            need = ", ".join(f'"{k}"' for k in known)
            raise ParameterError(f"no such {name}.", got=repr(value), need=need, parameter=name)
    started = time.monotonic()
    if hurwicz is not None:
        check_hurwicz(hurwicz)
    if not isinstance(law, (bool, np.bool_)):
        raise ParameterError("law is a yes or a no.", got=repr(law), need="True or False", parameter="law")
    if isinstance(drop, bool) or not isinstance(drop, (int, float)) or not 0.0 <= drop < 1.0:
        raise ParameterError(
            "drop is a probability.", got=repr(drop), need="a number from 0 to below 1", parameter="drop"
        )
    if (
        isinstance(n_inner, bool)
        or not isinstance(n_inner, (int, np.integer))
        or not 1 <= n_inner <= MOST_DRAWS
    ):
        what = Phrase(Setting("n_inner"), " is no number of completions.")
        raise ParameterError(what, got=repr(n_inner)[:60], need=f"a whole number from 1 to {MOST_DRAWS:,}")
    # draws that were asked for are all made
    is_open = method in ("exact", "sample", "nested") or not is_auto(n_samples)
    plan = Plan(
        n_samples, epsilon, confidence, budget_of(budget_seconds, math.inf if is_open else USUAL_WORK)
    )
    rng = generator(random_state)
    given = {"truth": truth, "found": found}
    are_laws = any(isinstance(one, Ensemble) for one in given.values())
    inputs = prepare(
        hard_laws.with_members(given) if are_laws else given,
        noise=noise,
        noise_label=noise_label,
        missing=missing,
        called=SideNames.read(names),
    )
    if not inputs.n_objects:
        raise nothing_left()
    notes = list(inputs.notes)
    sides: list[Any] = (
        hard_laws.sides_of(given, inputs.partitions, empty)
        if are_laws
        else [Side.of(p, empty) for p in inputs.partitions.values()]
    )
    base = base_index(index, sides, inputs.n_objects)
    notes += [f"{inputs.called.of(name)}: {s.note}" for name, s in zip(given, sides, strict=True) if s.note]
    with bar("distribution") as report:
        task = Task(
            base,
            method,
            plan,
            rng,
            want_law=bool(law),
            drop=drop,
            most_nodes=EXACT_NODES if method == "exact" else 2000,
            n_inner=int(n_inner),
            report=report,
        )
        if are_laws:
            answer = hard_laws.solve(
                sides, task.index, lambda pair: _solve(pair, task, tnorm, reading, notes), empty
            )
        else:
            answer = _solve(sides, task, tnorm, reading, notes)
    options: dict[str, Any] = {
        "method": method,
        "noise": noise,
        "empty": empty,
        "tnorm": tnorm,
        "reading": reading,
    }
    options |= {"n_samples": n_samples, "epsilon": epsilon, "confidence": confidence, "drop": drop}
    options |= {"budget_seconds": budget_seconds, "random_state": random_state}
    options |= {} if hurwicz is None else {"hurwicz": hurwicz}
    made = _result(answer, inputs, sides, task, notes, options, time.monotonic() - started)
    if hurwicz is None:
        return made
    between = {"hurwicz": made.hurwicz_within(hurwicz)}
    note = f"hurwicz: {1.0 - hurwicz:.4g} of the lower and {hurwicz:.4g} of the upper value"
    return replace(made, quantities={**made.quantities, **between}, notes=(*made.notes, note))


def quick_ends(inputs: Inputs, index: Index) -> tuple[Quantity, Quantity, Caveat]:
    """Lower and upper value (or expectation) of an index, and how they were obtained; in part of a second.

    Exact where that is cheap, otherwise certified bounds. Evidential clusterings with many focal ones are
    sampled, always with the same seed.
    """
    sides = [Side.of(p, "normalize") for p in inputs.partitions.values()]
    draws = int(np.clip(QUICK_LABELS // inputs.n_objects, 10, QUICK_DRAWS))
    task = Task(
        base_index(index, sides, inputs.n_objects),
        "auto",
        Plan(draws, budget=Budget(QUICK_WORK)),
        generator(0),
        want_law=False,
        most_nodes=QUICK_NODES,
        most_levels=QUICK_LEVELS,
    )
    answer = _solve(sides, task, "minimum", "cuts", [])
    lower, upper = answer.quantities["lower"], answer.quantities["upper"]
    sampled = f"lower and upper are sampled ({answer.cost.get('draws', draws)} draws)"
    how = {
        EXACT: Caveat(CaveatKind.EXACT_ENDS, "lower and upper are exact"),
        BOUND: Caveat(CaveatKind.BOUND, "lower and upper are certified outer bounds"),
        SAMPLED: Caveat(CaveatKind.SAMPLED_ENDS, sampled),
    }
    return lower, upper, how[weaker(lower, upper)]


def _solve(sides: list[Side], task: Task, tnorm: str, reading: str, notes: list[str]) -> Answer:
    """Hand the task to the room that knows these kinds."""
    one, other = sides
    kinds = {one.kind, other.kind}
    by_levels = kinds <= {HARD, ROUGH, POSSIBILISTIC} and reading != "independent"
    if task.method == "nested" and (by_levels or kinds <= {HARD, FUZZY} or kinds <= {HARD, ROUGH}):
        raise ParameterError(
            "nested sampling is for evidential clusterings.",
            got=f"{one.kind} against {other.kind}",
            need="an evidential side, or two different soft kinds",
            fix=Phrase(Setting("method", "sample")),
            parameter="method",
        )
    if isinstance(one.weights, Chunked):
        if not kinds <= {HARD, FUZZY}:
            raise all_at_once(f"{one.partition!r} and {other.partition!r}")
        return fuzzy_in_chunks(one.weights, other.weights, task)
    if kinds == {HARD}:
        task = replace(task, method="exact")  # there is nothing to draw
    if kinds <= {HARD, FUZZY}:
        return fuzzy(one.weights, other.weights, task)
    if kinds <= {HARD, ROUGH}:
        return rough(one.weights > 0, other.weights > 0, task)
    if by_levels:
        return possibilistic(one.weights, other.weights, tnorm, reading, task)
    if POSSIBILISTIC in kinds:
        notes.append(
            "typicalities are read as consonant masses, each object cut by itself (independent levels)"
        )
    return evidential(one.masses, other.masses, task)


def _result(
    answer: Answer,
    inputs: Inputs,
    sides: Sequence[Side | HardLaw],
    task: Task,
    notes: list[str],
    options: Mapping[str, Any],
    seconds: float,
) -> Distribution:
    words = map(describe, sides, (inputs.called.truth, inputs.called.found))
    return Distribution(
        notes=(*notes, *answer.notes),
        provenance=provenance(
            inputs,
            kinds=[side.kind for side in sides],
            methods={name: quantity.method for name, quantity in answer.quantities.items()},
            **options,
        ),
        frame=inputs.frame or "pandas",
        index=task.index.entry.label,
        reading=answer.reading,
        title=f"{task.index.entry.label}, {inputs.n_objects} objects: {', '.join(words)}",
        quantities=answer.quantities,
        law=answer.law,
        focal=answer.focal,
        cost={**answer.cost, "seconds": float(f"{seconds:.2g}")},
        uniform=answer.uniform,
        measure=answer.measure,
    )
