"""`adjusted`: any index of two clusterings, corrected for chance, as an index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar

import numpy as np

from partita.arrays import Array
from partita.chance.chances import chance_of, check_draws, is_in_table, values_on_tables
from partita.chance.expectations import MONTE_CARLO, Expectation, expected_on_sizes
from partita.chance.null_models import NullModel, Permutation, check_fits, null_model
from partita.chance.null_values import adjusted_value, summarise
from partita.chance.shuffles import TableDraws
from partita.engine import Request
from partita.errors import KindError, ParameterError, PartitaError
from partita.inputs import Inputs
from partita.partitions import HARD, Kind, Partition
from partita.registry import Caveat, CaveatKind, Evaluation, Index, find
from partita.registry.caveats import join_caveats, limit_caveat, said
from partita.registry.entry import Basis
from partita.registry.lookup import CORRECTED
from partita.statistics import Contingency
from partita.statistics.options import Inner
from partita.statistics.protocol import OnBlock, Whole

__all__ = ["AdjustedIndex", "adjusted"]

N_SHUFFLES, SEED = 999, 0
ONE_SIDED = "one-sided"

NOT_WHOLE = "weights that are no whole numbers leave no objects to shuffle"


@dataclass(frozen=True)
class Correction:
    """What is expected of which index: the index, the null model, and the draws."""

    index: Index
    null: NullModel
    n_shuffles: int
    seed: int


@dataclass(frozen=True)
class _CorrectionOption:
    """The one option of `ByChance`."""

    correction: Annotated[Correction | None, Inner()] = None


@dataclass(frozen=True, eq=False)
class ByChance(Whole):
    """What an index is worth by chance; of two hard clusterings the table, whose margins say it.

    Attributes
    ----------
    table : Contingency or None
        One table, or a stack of them, of two hard clusterings.
    expectation : Expectation or None
        For other kinds: the expected value, its error, and how it was found.
    reason : str
        Why there is none.
    """

    inputs: ClassVar[tuple[str, ...]] = ("truth", "found")
    options: ClassVar[type[Any]] = _CorrectionOption

    kinds: tuple[Kind, ...]
    table: Contingency | None = None
    expectation: Expectation | None = None
    reason: str = ""

    @classmethod
    def from_table(cls, table: Contingency) -> ByChance:
        """For two hard clusterings, or a stack of pairs of them."""
        return cls(table.kinds, table)

    @classmethod
    def from_whole(
        cls,
        truth: Partition,
        found: Partition,
        weight: Array | None = None,
        on_block: OnBlock = None,  # noqa: ARG003 (each draw is made in blocks)
        *,
        correction: Correction | None = None,
    ) -> ByChance:
        """The expectation for clusterings of which one is soft."""
        assert correction is not None
        inputs = Inputs({"truth": truth, "found": found}, truth.n_objects, weight)
        entry = correction.index
        chance = chance_of(
            [entry], inputs, correction.null, n_shuffles=correction.n_shuffles, seed=correction.seed
        )[entry.label]
        kinds = (truth.kind, found.kind)
        if not chance.how:
            return cls(kinds, reason=join_caveats(chance.caveats))
        return cls(kinds, expectation=Expectation(chance.expected, chance.error, chance.how))

    @staticmethod
    def pair_operations(
        truth: Partition,
        found: Partition,  # noqa: ARG004 (both have the same objects)
        *,
        correction: Correction | None = None,
    ) -> float:
        """Drawing clusterings takes as long as looking at some hundred pairs for each object of each."""
        return 500.0 * truth.n_objects * (correction.n_shuffles if correction else 1)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack of tables; () for soft clusterings."""
        return () if self.table is None else self.table.shape


@dataclass(frozen=True, eq=False, repr=False)
class AdjustedIndex(Index):
    """An index corrected for chance: (value - expected) / (best - expected); see `adjusted`."""

    correction: Correction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "__doc__", f"{self.title}.\n\n{adjusted.__doc__}")

    @property
    def inner(self) -> Index:
        """The index that is corrected."""
        return self._correction.index

    @property
    def null(self) -> NullModel:
        """The null model."""
        return self._correction.null

    @property
    def _correction(self) -> Correction:
        assert self.correction is not None
        return self.correction

    @property
    def requests(self) -> tuple[Request, ...]:
        """Those of the index, and what it is worth by chance."""
        return (*self.inner.requests, Request(ByChance, (("correction", self._correction),)))

    @property
    def _statistics_in_use(self) -> tuple[type[Any], ...]:
        return (*self.inner._statistics_in_use, ByChance)

    @property
    def label(self) -> str:
        """What is corrected and by which model, and the draws where they are not the usual ones."""
        chosen = self._correction
        draws = [f"n_shuffles={chosen.n_shuffles}"] * (chosen.n_shuffles != N_SHUFFLES)
        draws += [f"random_state={chosen.seed}"] * (chosen.seed != SEED)
        return f"adjusted({'; '.join([self.inner.label, *_words(self.null), *draws])})"

    @property
    def makings(self) -> tuple[Any, ...]:
        """All that its value depends on besides the inputs."""
        rest = (str(self.null), self._correction.n_shuffles, self._correction.seed)
        return ("adjusted", *self.inner.makings, *rest)

    def using(self, **options: Any) -> Index:
        """The same correction of the index with other options."""
        chosen = self._correction
        inner = chosen.index.using(**options)
        return adjusted(inner, chosen.null, n_shuffles=chosen.n_shuffles, random_state=chosen.seed)

    def check_kinds(self, kinds: Sequence[Kind]) -> None:
        """Refuse kinds that the index or the null model does not take."""
        self.inner.check_kinds(kinds)
        check_fits(self.null, kinds)

    def evaluate(self, statistics: Sequence[Any]) -> Evaluation:
        """The values of the index, corrected; undefined where the index or its expectation is."""
        return self._corrected(statistics)[0]

    def _corrected(self, statistics: Sequence[Any]) -> tuple[Evaluation, list[Expectation | None]]:
        *own, chance = statistics
        outcome = self.inner.evaluate(own)
        values, reasons = np.full(outcome.values.shape, np.nan), outcome.reasons.copy()
        expectations = []
        for place in np.ndindex(values.shape):
            expected, why = self._expected(chance, place)
            expectations.append(expected)
            value = float(outcome.values[place])
            if math.isnan(value):
                continue
            if expected is None:
                reasons[place] = why
                continue
            values[place], why = adjusted_value(value, expected.value, self._best(own[0], place))
            reasons[place] = why or reasons[place]  # a limit of the index itself still stands
        return Evaluation(values, reasons), expectations

    def _expected(self, chance: ByChance, place: tuple[int, ...]) -> tuple[Expectation | None, str]:
        if chance.table is None:
            return chance.expectation, chance.reason
        if not bool(np.all(chance.table.is_whole)):
            return None, NOT_WHOLE
        chosen = self._correction
        margins = (chance.table.row_sums[place], chance.table.column_sums[place])
        rows, columns = (sizes[sizes > 0] for sizes in margins)
        if chosen.index.status("relabelling_invariant", HARD) == "claimed":
            rows, columns = np.sort(rows)[::-1], np.sort(columns)[::-1]
        found = _expected_on_margins(
            chosen.index,
            tuple(rows.tolist()),
            tuple(columns.tolist()),
            chosen.null,
            chosen.n_shuffles,
            chosen.seed,
        )
        return found, "" if found is not None else "the index has no value in any of the draws"

    def _best(self, statistic: Any, place: tuple[int, ...]) -> float:
        """The best value of the index; the end of its range where it has none of its own, as MI."""
        best = self.inner.best
        assert best is not None
        if math.isfinite(best):
            return best
        ends = self.inner.range_of(statistic.kinds)
        end = None if ends is None else ends[1 if self.inner.direction == "higher" else 0]
        reached = self.inner._call(end, [statistic]) if callable(end) else end
        return math.inf if reached is None else float(np.broadcast_to(reached, statistic.shape)[place])

    def value_on(self, basis: Basis) -> tuple[float, tuple[Caveat, ...]]:
        """Value and caveats from the statistics, with what was expected under which model."""
        outcome, (expected,) = self._corrected(basis.statistics)
        value, reason = float(outcome.values), str(outcome.reasons[()])
        return value, (*limit_caveat(value, reason), *self._told(expected))

    def _told(self, expected: Expectation | None) -> tuple[Caveat, ...]:
        if expected is None:
            return ()
        error = f", standard error {expected.error:.2g}" if expected.how == MONTE_CARLO else ""
        kind = CaveatKind.SAMPLED if expected.how == MONTE_CARLO else CaveatKind.METHOD
        return said(kind, f"expected {expected.value:.4g} by chance: {self.null}; {expected.how}{error}")

    def __reduce__(self) -> tuple[Any, ...]:
        chosen = self._correction
        return _restored, (chosen.index, chosen.null, chosen.n_shuffles, chosen.seed)


def _restored(index: Index, null: NullModel, n_shuffles: int, seed: int) -> Index:
    return adjusted(index, null, n_shuffles=n_shuffles, random_state=seed)


def _words(null: NullModel) -> list[str]:
    """The name of a model, and whether it holds the truth, where that matters."""
    is_shuffle = isinstance(null, Permutation)
    return [null.name, *([ONE_SIDED] if null.one_sided and not is_shuffle else [])]


def read_label(label: str) -> Index:
    """The index that a label stands for: ``adjusted(nmi_sum; fixed number; one-sided; n_shuffles=99)``.

    Examples
    --------
    >>> read_label("adjusted(VI)").label
    'adjusted(variation_of_information; permutation)'
    """
    text = label.strip()
    if not text.endswith(")"):
        raise ParameterError(
            "the bracket is not closed.", got=repr(label), need='"adjusted(nmi_sum; permutation)"'
        )
    name, *rest = (part.strip() for part in text[len(CORRECTED) : -1].split(";"))
    draws = dict(part.split("=", 1) for part in rest if "=" in part)
    words = [part for part in rest if "=" not in part]
    model = null_model(next((word for word in words if word != ONE_SIDED), "permutation"))
    if ONE_SIDED in words:
        model = replace(model, one_sided=True)
    wrong = [name for name in draws if name not in ("n_shuffles", "random_state")]
    if wrong or not all(value.isdigit() for value in draws.values()):
        raise ParameterError(
            "the draws of a correction are whole numbers.",
            got=repr(label),
            need='"adjusted(nmi_sum; permutation; n_shuffles=999; random_state=0)"',
        )
    return adjusted(name, model, **{name: int(value) for name, value in draws.items()})


@lru_cache(maxsize=4096)
def _expected_on_margins(
    entry: Index,
    rows: tuple[int, ...],
    columns: tuple[int, ...],
    null: NullModel,
    n_shuffles: int,
    seed: int,
) -> Expectation | None:
    """What an index is worth by chance for two hard clusterings of these sizes."""
    sizes = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
    draws = TableDraws.of(*sizes, null, n_shuffles, seed)
    is_trivial = any(len(side) in (1, draws.n) for side in sizes)  # limits of the index may set its value
    value = None if is_trivial else expected_on_sizes(entry, *sizes, null)
    if value is not None:
        return Expectation(value)
    values, times = [], []
    for tables in draws.parts():
        values.append(values_on_tables(entry, tables.stack))
        times.append(np.ones(len(values[-1])) if tables.times is None else tables.times)
    is_enumerated = draws.number is not None
    return summarise(np.concatenate(values), np.concatenate(times), is_enumerated=is_enumerated).expectation


def adjusted(
    index: str | Index, null: Any = "permutation", *, n_shuffles: int = N_SHUFFLES, random_state: int = SEED
) -> Index:
    """An index of two clusterings corrected for chance: (value - expected) / (best - expected).

    1 where the value is the best one, 0 where it is what chance alone would give, below 0 where it is worse,
    also for distances. It is an index, accepted wherever one is: `compare`, `consensus_index`, `choose_k` and
    `stability` with a truth, `scorer`.

    Parameters
    ----------
    index : name or index
        Any index of truth and found that has a best value, hard or soft. Mutual information, which has none,
        is held against the most that clusters of these sizes can share, under the permutation model.
    null : str or NullModel
        What chance is: ``"permutation"`` (objects shuffled), ``"fixed number"``, ``"all partitions"``,
        ``"dirichlet"``, or an object of `partita.chance`.
    n_shuffles : int
        How many clusterings are drawn where there is no closed form; the caveat gives the standard error.
    random_state : int
        The seed of the draws. Tables of the same cluster sizes get the same expected value.

    Returns
    -------
    Index
        Its values depend on the inputs and these arguments alone.

    Notes
    -----
    0/0, where every clustering that the model draws is as good as can be: 1 if the value is the best one, too
    (two identical trivial clusterings), else nan with the reason.

    ``adjusted("RI")`` is the adjusted Rand index, and ``adjusted("nmi_sum")`` adjusted mutual information
    with the arithmetic mean; of soft clusterings it is soft AMI: objects are shuffled with their memberships,
    which keeps both entropies.

    Examples
    --------
    >>> ami = adjusted("nmi_sum")
    >>> round(ami([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]), 4)
    0.5024
    >>> soft = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    >>> round(ami([0, 0, 1, 1], soft), 4)
    0.297
    """
    entry = find(index)
    model = null_model(null)
    check_draws(n_shuffles, random_state)
    if isinstance(entry, AdjustedIndex):
        raise ParameterError(
            "this index is corrected for chance already.", got=entry.label, need="the index itself"
        )
    if set(entry.inputs) != {"truth", "found"}:
        raise ParameterError(
            f"{entry.name} cannot be corrected for chance.",
            got=f"an index of {', '.join(entry.inputs)}",
            need="an index of truth and found",
            parameter="index",
        )
    keeps_sizes = isinstance(model, Permutation) and entry.is_of_table
    if entry.best is None or (math.isinf(entry.best) and not keeps_sizes):
        raise ParameterError(
            f"{entry.name} has no best value to be held against.",
            got=f"best {entry.best}",
            need="an index with a finite best value",
            fix='adjusted("nmi_sum") for adjusted mutual information',
            parameter="index",
        )
    if not is_in_table(entry, (HARD, HARD)):
        raise ParameterError(
            f"{entry.label} of two hard clusterings is not determined by their table.",
            got=", ".join(r.statistic.__name__ for r in entry.requests),
            need="an index of the table, or of pairs of objects",
            parameter="index",
        )
    kinds = [kind for kind in entry.kinds if _draws(model, kind)]
    kept = ("relabelling_invariant", "reflexive", *(["symmetric"] if _is_even(model) else []))
    claims = {c: entry.claims[c] & frozenset(kinds) for c in kept if c in entry.claims}
    return AdjustedIndex(
        name=f"adjusted_{entry.name}",
        title=f"{entry.title}, corrected for chance ({', '.join(_words(model))})",
        formula_function=entry.formula_function,
        best=1.0,
        ranges=_ranges(entry, model),
        claims=claims,
        refuted={c: entry.refuted[c] for c in ("reflexive",) if c in entry.refuted},
        references=entry.references,
        formula=r"\frac{x - E[x]}{\max x - E[x]}",
        family=entry.family,
        options=entry.options,
        defaults=entry.defaults,
        option_types=entry.option_types,
        statistics=(*entry._statistics_in_use, ByChance),
        correction=Correction(entry, model, int(n_shuffles), int(random_state)),
    )


def _is_even(model: NullModel) -> bool:
    """Whether the model treats both clusterings alike."""
    return isinstance(model, Permutation) or not model.one_sided


def _draws(model: NullModel, kind: Kind) -> bool:
    return _fits(model, (kind, kind))


def _fits(model: NullModel, kinds: tuple[Kind, Kind]) -> bool:
    try:
        check_fits(model, kinds)
    except KindError:
        return False
    return True


def _ranges(entry: Index, model: NullModel) -> dict[Any, tuple[Any, Any]]:
    """Up to 1 for every pair of kinds that both the index and the model take."""
    pairs = [(a, b) for a in Kind for b in Kind if entry.range_of((a, b)) is not None]
    ranges: dict[Any, tuple[Any, Any]] = {pair: (None, 1.0) for pair in pairs if _fits(model, pair)}
    if not ranges:
        raise PartitaError(
            f"{entry.name} and the null model have no kind of clustering in common.",
            got=f"{', '.join(entry.kinds)} and {model}",
        )
    return ranges
