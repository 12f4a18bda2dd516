"""Several candidates against one truth, or against each other, on the same drawn objects."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from partita.arrays import generator
from partita.chance.bootstraps import FEW_OBJECTS, Replicates, check_confidence, check_count, difference
from partita.errors import MismatchError, ParameterError
from partita.evaluation import MOST_PAIR_OPERATIONS, judge, plan
from partita.inputs import Inputs, prepare
from partita.model_verdicts import ModelComparison, ModelValue
from partita.pairwise_agreement import AgreementOfPair, PairwiseAgreement
from partita.partitions import described
from partita.partitions.clusters import several
from partita.registry import Index, listed, select
from partita.results.agreement import headline_of
from partita.results.index_rows import IndexValue, LeftOut
from partita.results.provenance import provenance
from partita.results.verdicts import RemarkKind, speak

__all__ = ["ModelComparison", "PairwiseAgreement", "compare_models"]


def compare_models(
    truth: Any,
    candidates: Any,
    indices: Iterable[str | Index] | str | Index | None = None,
    *,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: Any = 0,
    noise: str = "cluster",
    sample_weight: Any = None,
    noise_label: Any = None,
    missing: str = "raise",
) -> ModelComparison | PairwiseAgreement:
    """Which of several clusterings is nearest to a truth, and whether that is decided.

    All candidates are judged on the same drawn objects, so that differences between them are surer than the
    values: an object that is hard for all of them cancels.

    Parameters
    ----------
    truth : clustering, or None
        The reference; without one the candidates are compared with each other, all pairs of them.
    candidates : dictionary, frame or list of pairs
        Clusterings by name, a frame with a column of labels for each, or pairs (name, clustering). At least
        two, of the same objects, whatever their kinds.
    indices : list of names, optional
        As in `compare`; by default the headline of the kinds at hand, one or two of each family.
    bootstrap : int
        How often the objects are drawn anew. Fewer than 20 objects are left out in turn instead.
    confidence : float
        Of intervals; a difference is decided where p is at most 1 - confidence, divided by the number of
        candidates beside the best and by the number of families of indices: a best of equal candidates is
        named in at most 1 - confidence of samples.
    random_state : None, int or Generator
        The seed of the draws.
    noise, sample_weight, noise_label, missing
        As in `compare`, for all sides jointly: an object that is left out is left out for all.

    Returns
    -------
    ModelComparison, or PairwiseAgreement without a truth
        ``.best`` is the candidate that is decidedly better than each other (None where none is), ``.leading``
        the one that most families of indices find best, ``.strength`` how sure that is, ``.statement`` all of
        it in words; ``.to_frame()`` has values, differences to the best, intervals and p.

    Notes
    -----
    The best is picked from the same objects that the differences are measured on, which flatters it a little
    where several candidates are nearly equal; p-values are of single differences. To draw a candidate anew
    with its own data would also show how much its fit varies: see `stability`.

    Examples
    --------
    >>> truth = [0] * 30 + [1] * 30
    >>> found = {"good": [0] * 28 + [1] * 32, "bad": [0] * 15 + [1] * 45}
    >>> result = compare_models(truth, found, ["ARI", "VI"])
    >>> result.best, result.strength
    ('good', 'clear')
    >>> result.statement
    'good: best by 2 of 2 families; better than bad by adjusted_rand, variation_of_information'
    """
    check_count("bootstrap", bootstrap)
    check_confidence(confidence)
    named = _named_candidates(candidates)
    ways = {"noise": noise, "sample_weight": sample_weight, "noise_label": noise_label, "missing": missing}
    joint, keys = _prepared(truth, named, ways)
    seed = int(generator(random_state).integers(1 << 62))
    facts = {"bootstrap": bootstrap, "confidence": confidence, "random_state": random_state, "noise": noise}
    if truth is None:
        return _all_pairs(joint, keys, indices, bootstrap, confidence, seed, facts)
    inputs = {name: _pair(joint, "truth", key) for name, key in keys.items()}
    entries, left_out = _entries(indices, joint, inputs)
    values = {name: _rows(entries, one) for name, one in inputs.items()}
    replicates = Replicates(dict.fromkeys(inputs, entries), inputs, bootstrap, seed)
    rows: list[ModelValue] = []
    for entry in entries:
        own = {name: values[name][entry.label] for name in inputs}
        rows += _rows_of_index(entry, own, replicates, confidence)
    kinds = ", ".join(f"{name}: {described('', p)}" for name, p in _clusterings(joint, keys).items())
    reference = joint.partitions["truth"]
    made = ModelComparison(
        notes=(*joint.notes, *_how(replicates, bootstrap, len(keys)), *_softness(joint, keys)),
        provenance=provenance(joint, **facts),
        frame=joint.frame or "pandas",
        rows=tuple(rows),
        candidates=tuple(keys),
        title=f"{joint.n_objects} objects: {described('truth', reference)}; {kinds}",
        confidence=confidence,
        left_out=left_out,
    )
    too_few = not replicates.is_jackknife and bootstrap < made.fewest_replicates
    few = (
        f"bootstrap={bootstrap} can decide nothing: p at most {made.level:.2g} needs {made.fewest_replicates}"
    )
    return replace(made, remarks=_remarks(made), notes=(*made.notes, *[few] * too_few))


# --- what a caller gave -------------------------------------------------------------------------------------


def _named_candidates(candidates: Any) -> dict[str, Any]:
    """The candidates by the text of their name."""
    if isinstance(candidates, Mapping):
        pairs = list(candidates.items())
    elif isinstance(candidates, (list, tuple)) and all(
        isinstance(c, tuple) and len(c) == 2 and isinstance(c[0], str) for c in candidates
    ):
        pairs = list(candidates)
    else:
        _refuse_same_columns(candidates)
        columns = several(candidates)
        if columns is None:
            raise ParameterError(
                "these are no candidates by name.",
                got=type(candidates).__name__,
                need="a dictionary of clusterings, or a frame with a column of labels for each",
                fix='compare_models(truth, {"gmm": first, "fcm": second})',
                parameter="candidates",
            )
        pairs = list(columns.items())
    twice = [name for name, times in Counter(str(name) for name, _ in pairs).items() if times > 1]
    if twice:
        raise _named_twice(twice[0])
    if len(pairs) < 2:
        raise ParameterError(
            "there is nothing to choose between.",
            got=f"{len(pairs)} candidate{'s' * (len(pairs) != 1)}",
            need="at least two",
            fix="compare(truth, found, bootstrap=1000) for one",
            parameter="candidates",
        )
    return {str(name): one for name, one in pairs}


def _refuse_same_columns(frame: Any) -> None:
    columns = getattr(frame, "columns", None)
    names = [] if columns is None or callable(columns) else [str(name) for name in columns]
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise _named_twice(twice[0])


def _named_twice(name: str) -> ParameterError:
    return ParameterError(
        "a candidate is named twice.",
        got=f"{name!r} more than once",
        need="a name of its own for each",
        parameter="candidates",
    )


def _prepared(truth: Any, named: Mapping[str, Any], ways: Mapping[str, Any]) -> tuple[Inputs, dict[str, str]]:
    """All sides as partitions of the same objects, and the name of each candidate among them."""
    keys = {name: f"candidate {name}" for name in named}
    given = {keys[name]: one for name, one in named.items()}
    together = prepare(given, **{**ways, "sample_weight": None})
    if together.dropped:
        raise MismatchError(
            "the candidates are of different objects.",
            got=together.aligned,
            need="candidates of the same objects",
            fix="restrict all to the objects that they share",
        )
    joint = prepare({**({} if truth is None else {"truth": truth}), **given}, **ways)
    if not joint.n_objects:
        raise ParameterError("no object is left.", got="every object is noise, and noise is ignored")
    return joint, keys


def _pair(joint: Inputs, truth: str, found: str) -> Inputs:
    return replace(joint, partitions={"truth": joint.partitions[truth], "found": joint.partitions[found]})


def _clusterings(joint: Inputs, keys: Mapping[str, str]) -> dict[str, Any]:
    return {name: joint.partitions[key] for name, key in keys.items()}


def _entries(
    indices: Any, joint: Inputs, inputs: Mapping[Any, Inputs]
) -> tuple[list[Index], tuple[LeftOut, ...]]:
    """The indices that apply to every pair, and why others do not."""
    headline = headline_of(joint.kinds)
    asked = "headline" if indices is None else listed(indices)
    wanted = select(asked, ("truth", "found"), needs=("truth", "found"), headline=headline)
    left_out: dict[str, LeftOut] = {}
    for one in inputs.values():
        planned = plan(wanted.entries, one, strict=wanted.named, most_pairs=MOST_PAIR_OPERATIONS)
        left_out |= {x.index: x for x in planned.left_out}
    return [e for e in wanted.entries if e.label not in left_out], tuple(left_out.values())


def _rows(entries: Sequence[Index], inputs: Inputs) -> dict[str, IndexValue]:
    return {row.index: row for row in judge(plan(entries, inputs, strict=True)).rows}


# --- one index ----------------------------------------------------------------------------------------------


def _rows_of_index(
    entry: Index, own: Mapping[str, IndexValue], replicates: Replicates, confidence: float
) -> list[ModelValue]:
    """The candidates by one index: values with intervals, differences to the best with intervals and p."""
    known = {name: row.value for name, row in own.items() if not math.isnan(row.value)}
    best = None
    if len(known) == len(own) and entry.direction != "none":
        best = (max if entry.direction == "higher" else min)(known, key=lambda name: known[name])
    rows = []
    for name, row in own.items():
        interval = replicates.interval(name, entry, row.value, confidence=confidence, method="percentile")
        made = ModelValue(
            entry.label,
            entry.symbol or "",
            entry.direction,
            name,
            row.value,
            interval.low,
            interval.high,
            caveats=(*row.caveats, *interval.caveats),
        )
        if best is not None and name != best:
            to_best = difference(replicates, entry, {name: row.value, best: known[best]}, confidence)
            made = replace(
                made,
                difference=row.value - known[best],
                difference_low=to_best.low,
                difference_high=to_best.high,
                p=to_best.p,
            )
        rows.append(made)
    return rows


def _how(replicates: Replicates, bootstrap: int, n_candidates: int) -> tuple[str, ...]:
    """How intervals came about; with candidates against a truth, p-values too."""
    what = "intervals and p" if n_candidates else "intervals"
    if replicates.is_jackknife:
        return (f"{what}: jackknife, since there are fewer than {FEW_OBJECTS} objects",)
    looked_at = f"; p is of one difference, and {n_candidates - 1} are looked at for each index"
    said = f"{what}: {bootstrap} bootstrap replicates, the same drawn objects for all"
    return (said + (looked_at if n_candidates > 2 else ""),)


def _softness(joint: Inputs, keys: Mapping[str, str]) -> tuple[str, ...]:
    kinds = {joint.partitions[key].kind for key in keys.values()}
    if len(kinds) < 2:
        return ()
    return ("candidates are of different kinds: a softer one may score lower by its softness alone",)


def _remarks(made: ModelComparison) -> tuple[Any, ...]:
    families = list(made.families)
    undefined = sorted({row.index for row in made.rows if math.isnan(row.value)})
    kin = f"all indices here are of one family ({families[0]})" if len(families) == 1 else ""
    return (
        *speak(RemarkKind.KIN, kin if len(made.best_by) > 1 else ""),
        *speak(
            RemarkKind.UNDEFINED,
            f"without a value for some candidate: {', '.join(undefined)}" if undefined else "",
        ),
    )


# --- without a truth ----------------------------------------------------------------------------------------


def _all_pairs(
    joint: Inputs,
    keys: Mapping[str, str],
    indices: Any,
    bootstrap: int,
    confidence: float,
    seed: int,
    facts: Mapping[str, Any],
) -> PairwiseAgreement:
    """Every candidate against every other; both ways round for an index that is not symmetric."""
    forward = {(a, b): _pair(joint, keys[a], keys[b]) for a, b in combinations(keys, 2)}
    entries, left_out = _entries(indices, joint, forward)
    rows: list[AgreementOfPair] = []
    own: list[AgreementOfPair] = []
    symmetric = [e for e in entries if all(e.status("symmetric", k) == "claimed" for k in set(joint.kinds))]
    ways = {
        **{pair: (entries, one) for pair, one in forward.items()},
        **{
            (b, a): ([e for e in entries if e not in symmetric], _pair(joint, keys[b], keys[a]))
            for a, b in forward
        },
    }
    asked = {f"{a}\n{b}": (pair, *way) for pair, way in ways.items() if way[0] for a, b in [pair]}
    replicates = Replicates(
        {name: chosen for name, (_, chosen, _) in asked.items()},
        {name: one for name, (_, _, one) in asked.items()},
        bootstrap,
        seed,
    )
    for name, (pair, chosen, one) in asked.items():
        values = _rows(chosen, one)
        for entry in chosen:
            row = values[entry.label]
            interval = replicates.interval(name, entry, row.value, confidence=confidence, method="percentile")
            rows.append(
                AgreementOfPair(
                    entry.label,
                    entry.symbol or "",
                    entry.direction,
                    *pair,
                    row.value,
                    interval.low,
                    interval.high,
                    (*row.caveats, *interval.caveats),
                )
            )
    for name, key in keys.items():
        for entry_label, row in _rows(entries, _pair(joint, key, key)).items():
            own.append(AgreementOfPair(entry_label, row.symbol, row.direction, name, name, row.value))
    kinds = ", ".join(f"{name}: {described('', p)}" for name, p in _clusterings(joint, keys).items())
    return PairwiseAgreement(
        notes=(*joint.notes, *_how(replicates, bootstrap, 0)),
        provenance=provenance(joint, **facts),
        frame=joint.frame or "pandas",
        rows=tuple(sorted(rows, key=lambda row: [e.label for e in entries].index(row.index))),
        own=tuple(own),
        candidates=tuple(keys),
        title=f"{joint.n_objects} objects; {kinds}",
        confidence=confidence,
        left_out=left_out,
    )
