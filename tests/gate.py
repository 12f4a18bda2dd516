"""The gate: what every entry of the catalogue goes through, whatever it is of. No list names what is tested.

`missing` says what an entry lacks, with the line to add. The `check_...` functions hold all claims of all
given entries against one drawn `Scene`: three clusterings of the same objects, their data and a mixture. Each
statistic is collected once for a pair of them, and each law is worked out for the entries that state it. An
AssertionError names all entries that fail, so that a test can show that a wrong entry is caught.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations
from typing import Any, Literal, get_args, get_origin

import numpy as np
from hypothesis import strategies as st

from partita.engine import collect
from partita.errors import KindError, ParameterError, PartitaError
from partita.inputs import prepare
from partita.partitions import (
    ALL,
    EVIDENTIAL,
    FUZZY,
    HARD,
    ROUGH,
    EvidentialPartition,
    FuzzyPartition,
    HardPartition,
    Kind,
    Partition,
    PossibilisticPartition,
    RoughPartition,
    as_partition,
)
from partita.registry import CLAIMS, Caveat, CaveatKind, Index
from partita.results.catalogue import reference
from partita.statistics import GivenMixture
from reference import WITNESS, WITNESS_OF_MASSES
from reference.tables import AmbiguousError
from strategies import STRATEGIES, eighths, integer_weights, whole_numbers

TINY = 1e-9
MASSES = (ROUGH, EVIDENTIAL)


# --- what an entry must have ---------------------------------------------------------------------------


def missing(entry: Index) -> list[str]:
    """What an entry lacks, each with the line to add."""
    doc = inspect.cleandoc(entry.__doc__ or "")
    of_masses = [kind.value for kind in entry.kinds if kind in MASSES]
    has = {
        f"examples=[Example({', '.join(entry.inputs)}, value, source=...)]": any(
            e.value is not None and e.source for e in entry.examples
        ),
        f'"{entry.name}" in REFERENCE of tests/reference/{entry.module}.py': entry.name in WITNESS,
        f'"{entry.name}" in REFERENCE_OF_MASSES of tests/reference, for {" and ".join(of_masses)}': (
            entry.name in WITNESS_OF_MASSES or not of_masses
        ),
        "a first line of its docstring that is a sentence": doc.split("\n")[0].endswith("."),
        "a section Pitfalls in its docstring": "Pitfalls\n--------\n" in doc,
        "an example in its docstring": ">>> " in doc,
        'formula=r"..."': bool(entry.formula),
        'references=["..."], keys of references.bib': bool(entry.references),
    }
    found = [f"{entry.name} needs {line}" for line, is_there in has.items() if not is_there]
    judges = entry.best is not None and math.isfinite(entry.best)
    if "truth" in entry.inputs and judges:
        found += [
            f"{entry.name} needs {claim!r} for hard clusterings, in claims={{...}} or refuted={{...}}"
            for claim in CLAIMS
            if entry.status(claim, HARD) == "open"
        ]
    for key in entry.references:
        reference(key)
    return found


# --- what it is held against ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """Objects with data, three clusterings, a mixture and weights."""

    data: tuple[np.ndarray, ...]  # the same objects: whole numbers, 0 and 1, no two alike
    partitions: tuple[Partition, Partition, Partition]
    model: GivenMixture
    weight: np.ndarray
    chosen: dict[Any, np.ndarray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n(self) -> int:
        """The number of objects."""
        return len(self.weight)

    def data_for(self, entry: Index) -> np.ndarray:
        """The first of the data that no statistic of the entry refuses."""
        if entry.requests not in self.chosen:
            self.chosen[entry.requests] = self._data_for(entry)
        return self.chosen[entry.requests]

    def _data_for(self, entry: Index) -> np.ndarray:
        times = self.weight if self.weight.dtype.kind == "i" else np.ones(self.n, dtype=np.int64)
        for X in self.data:
            if not refuses(entry, X) and not refuses(entry, np.repeat(X, times, axis=0)):
                return X
        raise PartitaError(f"{entry.name} refuses all data that the gate has: add some to gate.scenes")

    def take(self, rows: np.ndarray) -> Scene:
        """The same of some objects."""
        return replace(
            self,
            data=tuple(X[rows] for X in self.data),
            partitions=tuple(p.take(rows) for p in self.partitions),
            weight=np.ones(len(rows), dtype=np.int64),
        )


def refuses(entry: Index, X: np.ndarray) -> bool:
    """Whether a statistic of this entry refuses the data."""
    for request in entry.requests:
        try:
            request.statistic.check(X, **dict(request.options))
        except PartitaError:
            return True
    return False


@st.composite
def scenes(draw: st.DrawFn, kinds: Sequence[Kind] = tuple(ALL), max_n: int = 7) -> Scene:
    """Small scenes in which ties, duplicates, empty and single clusters are common."""
    n = draw(st.integers(1, max_n))
    d = draw(st.integers(1, 3))
    X = whole_numbers(draw, 6, n, d) - 3.0
    data = (X, (X > 0).astype(float), X + 0.137 * np.arange(1, n + 1)[:, None] ** 1.5)
    of_kind = STRATEGIES | {FUZZY: eighths}
    three = tuple(draw(of_kind[draw(st.sampled_from(list(kinds)))](n)) for _ in range(3))
    return Scene(data, three, draw(mixtures(d)), draw(integer_weights(n)))


@st.composite
def mixtures(draw: st.DrawFn, d: int) -> GivenMixture:
    """One to three Gaussians with whole means and variances of a few sizes."""
    k = draw(st.integers(1, 3))
    shares = whole_numbers(draw, 3, k) + 1.0
    means = whole_numbers(draw, 6, k, d) - 3.0
    widths = np.array([0.5, 1.0, 4.0])[whole_numbers(draw, 2, k)]
    return GivenMixture(shares / shares.sum(), means, [w * np.eye(d) for w in widths])


def values_of(
    entries: Iterable[Index],
    scene: Scene,
    sides: Sequence[Partition],
    *,
    weight: Any = None,
    model: Any = None,
) -> dict[str, tuple[float, tuple[Caveat, ...]]]:
    """Value and caveats of every entry that these clusterings' kinds allow, each statistic made once.

    Entries with an option that does not go with these clusterings are left out.
    """
    groups: dict[Any, list[Index]] = {}
    for entry in entries:
        X = scene.data_for(entry) if "X" in entry.inputs else None
        groups.setdefault((entry.inputs, id(X)), []).append(entry)
    found: dict[str, tuple[float, tuple[Caveat, ...]]] = {}
    for (names, _), group in groups.items():
        given = {"truth": sides[0], "found": sides[1], "model": model or scene.model}
        given |= {"X": scene.data_for(group[0])} if "X" in names else {}
        inputs = prepare({name: given[name] for name in names}, sample_weight=weight)
        usable = [entry for entry in group if is_defined(entry, inputs.kinds)]
        try:
            collected = collect([r for entry in usable for r in entry.requests], inputs)
        except ParameterError:  # of some of them
            usable = [entry for entry in usable if goes_with(entry, inputs)]
            collected = collect([r for entry in usable for r in entry.requests], inputs)
        found |= {entry.label: entry.value_for(inputs, collected) for entry in usable}
    return found


def goes_with(entry: Index, inputs: Any) -> bool:
    """Whether the entry's options go with these clusterings; those that it has by default must."""
    try:
        collect(entry.requests, inputs)
    except ParameterError:
        if entry.options == entry.defaults:
            raise
        return False
    return True


def hold(failures: Sequence[str], scene: Scene) -> None:
    """Fail with everything that is wrong on this scene."""
    if failures:
        raise AssertionError("\n".join([*failures, f"for {scene}"]))


def is_defined(entry: Index, kinds: Sequence[Kind]) -> bool:
    """Whether the entry judges these kinds, with the options that it has."""
    try:
        entry.check_kinds(kinds)
    except KindError:
        return False
    return True


def is_limit(caveats: Iterable[Caveat]) -> bool:
    """Whether a limit set the value."""
    return any(caveat.kind in (CaveatKind.LIMIT, CaveatKind.UNDEFINED) for caveat in caveats)


def same(a: float, b: float, tolerance: float = TINY) -> bool:
    """Equal up to rounding; nan equals nan."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


# --- references ----------------------------------------------------------------------------------------


@cache
def variants(entry: Index) -> tuple[Index, ...]:
    """The entry, and one for each other value of an option that has a closed list of them."""
    others = (
        entry.using(**{name: value})
        for name, hint in entry.option_types.items()
        for value in (get_args(hint) if get_origin(hint) is Literal else ())
        if value != entry.defaults[name]
    )
    return (entry, *others)


@cache
def options_known(witness: Any, entry: Index) -> dict[str, Any]:
    """The entry's options that are not as by default and that its reference takes."""
    known = inspect.signature(witness).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in known.values())
    return {k: v for k, v in entry.options.items() if v != entry.defaults[k] and (k in known or takes_all)}


@cache
def takes_noise(witness: Any) -> bool:
    """Whether a reference treats objects that are noise in a way of its own."""
    return "noise" in inspect.signature(witness).parameters


def check_reference(entries: Iterable[Index], scene: Scene) -> None:
    """Every entry, with every closed option, equals its slow reference; an option that the reference does not
    know must not change the value."""
    truth, found, _ = scene.partitions
    sides = {"truth": truth, "found": found}
    every = {variant.label: variant for entry in entries for variant in variants(entry)}
    rows = {name: as_memberships(p) for name, p in sides.items() if p.kind not in MASSES}
    masses = {name: as_masses(p) for name, p in sides.items()} if len(rows) < len(sides) else {}
    failures = []
    for label, (value, caveats) in values_of(every.values(), scene, (truth, found)).items():
        entry = every[label]
        if any(caveat.kind is CaveatKind.SAMPLED for caveat in caveats):
            continue
        of_masses = any(sides[name].kind in MASSES for name in entry.inputs if name in sides)
        witness = (WITNESS_OF_MASSES if of_masses else WITNESS)[entry.name]
        options = options_known(witness, entry)
        options = options | {"noise": found.noise_mask} if takes_noise(witness) else options
        given = {"X": scene.data_for(entry) if "X" in entry.inputs else None, "model": scene.model}
        given |= masses if of_masses else rows
        arguments = [given[name] for name in entry.inputs]
        try:
            expected = witness(*arguments, **options)
        except AmbiguousError:
            continue
        if not same(value, expected) and (of_masses or not is_at_an_edge(witness, entry, arguments, options)):
            failures.append(f"{label} is {value!r}, its reference says {expected!r}, for {arguments}")
    hold(failures, scene)


def as_memberships(partition: Partition) -> np.ndarray:
    """What references take: one row for each object."""
    return np.asarray(partition.memberships(), dtype=np.float64)


def as_masses(partition: Any) -> list[dict[frozenset[int], float]]:
    """For each object the masses of its sets of clusters; objects that are noise are one more cluster."""
    if partition.kind in MASSES:
        whole = partition.to(EVIDENTIAL)
        sets = [frozenset(np.flatnonzero(row).tolist()) for row in whole.focal_sets]
        return [{s: float(m) for s, m in zip(sets, row, strict=True) if m} for row in whole.masses]
    rows = as_memberships(partition).tolist()
    return [{frozenset({j}): u for j, u in enumerate(row) if u} for row in rows]


def is_at_an_edge(witness: Any, entry: Index, arguments: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Whether rounding decides: soft memberships moved by 1e-9 change the reference's own value."""

    def moved(name: str, given: Any, step: float) -> Any:
        if name not in ("truth", "found") or ((given == 0) | (given == 1)).all():
            return given
        softer = given * (1 - step) + step / given.shape[1]
        softer[0] *= 1 - step  # the sums of rows are rounded too
        return softer

    here = witness(*arguments, **options)
    for step in (1e-9, -1e-9):
        shifted = [moved(name, given, step) for name, given in zip(entry.inputs, arguments, strict=True)]
        if not same(witness(*shifted, **options), here, 1e-5):
            return True
    return False


# --- claims --------------------------------------------------------------------------------------------


def relabelled(partition: Any, order: Sequence[int]) -> Partition:
    """The same clustering with its clusters in another order, and other names."""
    if partition.kind is HARD:
        labels = 10 + np.array(order)[partition.codes]
        noise = partition.noise_mask
        return HardPartition(labels if noise is None else np.where(noise, -1, labels))
    if partition.kind is ROUGH:
        return RoughPartition(partition.possible[:, order])
    if partition.kind is EVIDENTIAL:
        return EvidentialPartition(partition.masses, partition.focal_sets[:, order])
    return type(partition)(np.asarray(partition.memberships())[:, order])


@cache
def claims_held(entry: Index, kind: Kind) -> frozenset[str]:
    """What an entry claims for clusterings of this kind."""
    return frozenset(claim for claim in CLAIMS if entry.status(claim, kind) == "claimed")


@cache
def fixed_range(entry: Index, kind: Kind) -> tuple[float, float]:
    """The ends of its range that are the same for all clusterings of this kind."""
    sides = [kind] * (1 + ("truth" in entry.inputs))
    low, high = entry.range_of(sides) or (None, None)
    return (
        low if isinstance(low, (int, float)) else -math.inf,
        high if isinstance(high, (int, float)) else math.inf,
    )


def check_claims(entries: Sequence[Index], scene: Scene, kind: Kind) -> None:
    """Every claim for this kind, and the range, on one drawn triple of it."""
    a, b, c = scene.partitions
    turned = GivenMixture(
        scene.model.weights_[::-1], scene.model.means_[::-1], scene.model.covariances_[::-1]
    )

    def claiming(claim: str) -> list[Index]:
        return [entry for entry in entries if claim in claims_held(entry, kind)]

    def judging(claim: str) -> list[Index]:
        both = (e for e in claiming(claim) if "truth" in e.inputs and e.best is not None)
        return [entry for entry in both if math.isfinite(entry.best)]

    ab = values_of(entries, scene, (a, b))
    failures = []

    def broken(entry: Index, claim: str, what: str) -> None:
        failures.append(f"{entry.label}, {kind}: {claim}: {what}; mend it, or move it to refuted={{...}}")

    for entry in entries:
        low, high = fixed_range(entry, kind)
        if entry.label in ab and (ab[entry.label][0] < low or ab[entry.label][0] > high):
            broken(entry, "range", f"{ab[entry.label][0]!r} is not in [{low}, {high}]")
    for entry in claiming("normalized"):
        value = ab[entry.label][0] if entry.label in ab else math.nan
        if value < 0 or value > 1:
            broken(entry, "normalized", f"{value!r}")
    stated = claiming("relabelling_invariant")
    renamed = values_of(stated, scene, (a, relabelled(b, range(b.n_clusters)[::-1])), model=turned)
    stated = [entry for entry in claiming("symmetric") if "truth" in entry.inputs]
    swapped = values_of(stated, scene, (b, a))
    for claim, others in (("relabelling_invariant", renamed), ("symmetric", swapped)):
        for entry in claiming(claim):
            if entry.label in ab.keys() & others.keys():
                value, other = ab[entry.label][0], others[entry.label][0]
                if not same(value, other):
                    broken(entry, claim, f"{value!r} and {other!r}")
    itself = values_of(judging("reflexive"), scene, (a, a))
    for entry in judging("reflexive"):
        if entry.label in itself and not abs(itself[entry.label][0] - entry.best) <= TINY:
            broken(entry, "reflexive", f"{itself[entry.label][0]!r}")
    if not a.equivalent(b):
        for entry in judging("separating"):
            if entry.label in ab and abs(ab[entry.label][0] - entry.best) <= TINY:
                broken(entry, "separating", f"{ab[entry.label][0]!r}")
    bc, ac = (values_of(judging("triangle"), scene, pair) for pair in ((b, c), (a, c)))
    for entry in judging("triangle"):
        if entry.label in ab.keys() & bc.keys() & ac.keys():
            sides = [abs(v[entry.label][0] - entry.best) for v in (ab, bc, ac)]
            if sides[2] > sides[0] + sides[1] + TINY:
                broken(entry, "triangle", f"{sides[2]!r} > {sides[0]!r} + {sides[1]!r}")
    hold(failures, scene)


def check_chance(entries: Sequence[Index], scene: Scene, kind: Kind) -> None:
    """The mean over all shuffles of the objects is 0, where that is claimed."""
    claiming = [e for e in entries if e.status("zero_by_chance", kind) == "claimed"]
    truth, found, _ = scene.partitions
    orders = [np.array(order) for order in permutations(range(scene.n))]
    drawn = [values_of(claiming, scene, (truth, found.take(order))) for order in orders]
    failures = []
    for entry in claiming:
        values = [v[entry.label] for v in drawn]
        if any(is_limit(caveats) for _, caveats in values):
            continue  # a limit sets some of them
        mean = np.mean([v for v, _ in values])
        if not abs(mean) <= TINY:
            failures.append(f"{entry.label}, {kind}: zero_by_chance: the mean is {mean!r}")
    hold(failures, scene)


def check_crisp(entries: Sequence[Index], scene: Scene) -> None:
    """Memberships that are one-hot, fuzzy on one side and typicalities on the other, give the hard value."""
    truth, found, _ = scene.partitions
    if truth.noise_mask is not None or found.noise_mask is not None:  # which some leave out of the data
        entries = [entry for entry in entries if "X" not in entry.inputs]
    soft = FuzzyPartition(truth.memberships()), PossibilisticPartition(found.memberships())
    expected = values_of(entries, scene, (truth, found))
    got = values_of(entries, scene, soft)
    failures = [f"{label} is defined for labels only" for label in expected.keys() - got.keys()]
    failures += [
        f"{label} is {got[label][0]!r} for one-hot memberships, {value!r} for labels"
        for label, (value, _) in expected.items()
        if label in got and not same(got[label][0], value, 1e-12)
    ]
    hold(failures, scene)


# --- constants -----------------------------------------------------------------------------------------


def wrong_constants(entries: Sequence[Index], kind: Kind, n_scenes: int = 8) -> list[str]:
    """Entries that have one value for all clusterings of a kind without saying so, or say so and have not."""
    rng = np.random.default_rng(0)
    seen: dict[str, list[float]] = {}
    for _ in range(n_scenes):
        n, d = 9, 2
        X = rng.normal(size=(n, d))
        model = GivenMixture(np.array([0.4, 0.6]), rng.normal(size=(2, d)), [np.eye(d), 2 * np.eye(d)])
        three = tuple(spread_out(kind, n, rng) for _ in range(3))
        scene = Scene((X, (X > 0).astype(float)), three, model, np.ones(n, dtype=np.int64))
        for label, (value, _) in values_of(entries, scene, three[:2]).items():
            seen.setdefault(label, []).append(value)
    failures = []
    for entry in entries:
        values = [value for value in seen.get(entry.label, []) if not math.isnan(value)]
        is_constant = len(values) > 1 and all(same(value, values[0]) for value in values)
        if is_constant and kind not in entry.constant:
            failures.append(
                f"{entry.name} is {values[0]!r} for every {kind} clustering: add constant={{{kind}: reason}}"
            )
        if kind in entry.constant and not is_constant:
            failures.append(f"{entry.name} is not constant for {kind} clusterings: {values[:3]}")
    return failures


def spread_out(kind: Kind, n: int, rng: np.random.Generator) -> Partition:
    """A clustering of this kind, of three clusters, that is of no simpler kind."""
    if kind is HARD:
        return HardPartition([0, 1, 2, *rng.integers(3, size=n - 3).tolist()])
    if kind is FUZZY:
        return FuzzyPartition(rng.dirichlet([1.0] * 3, n))
    if kind is ROUGH:
        possible = rng.random((n, 3)) < 0.5
        possible[:3] = [[True, True, False], [False, True, True], [True, False, False]]
        possible[~possible.any(axis=1), 0] = True
        return RoughPartition(possible)
    if kind is EVIDENTIAL:
        sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=bool)
        return EvidentialPartition(rng.dirichlet([1.0] * len(sets), n), sets)
    return PossibilisticPartition(0.05 + 0.9 * rng.random((n, 3)))


# --- weights -------------------------------------------------------------------------------------------


def check_weights(entries: Sequence[Index], scene: Scene) -> None:
    """Whole-number weights, as integers and as floats, give what repeated objects give: 2 is twice, 0 never.

    Every closed option is held to it, as options may choose another statistic.
    """
    sides = scene.partitions[:2]
    repeated = scene.take(np.repeat(np.arange(scene.n), scene.weight))
    every = [variant for entry in entries for variant in variants(entry)]
    expected = values_of(every, repeated, repeated.partitions[:2])
    failures = [
        f"{label} with weights {weight}: {value!r}, repeated {expected[label][0]!r}"
        for weight in (scene.weight, scene.weight.astype(float))
        for label, (value, caveats) in values_of(every, scene, sides, weight=weight).items()
        if label in expected
        and not same(value, expected[label][0], 1e-11)
        and not any(caveat.kind is CaveatKind.SAMPLED for caveat in caveats)
    ]
    hold(failures, scene)


# --- one cluster, and n clusters ------------------------------------------------------------------------


def suspicious_ends(entry: Index) -> Iterator[str]:
    """Where an index of data is best, or infinite, at one cluster or at n clusters and no limit says why.

    One cluster of spread-out data is nobody's best clustering: such a value comes from an empty minimum or an
    infinite denominator. n single objects may be best (nothing is scattered), but then n - 1 clusters, one of
    them with two objects that nearly coincide, must be nearly as good.
    """
    if (
        "X" not in entry.inputs
        or "found" not in entry.inputs
        or "truth" in entry.inputs
        or entry.best is None
    ):
        return
    rng = np.random.default_rng(0)
    for n in (5, 8):
        X = rng.normal(size=(n, 2))
        X[1] = X[0] + 1e-7
        scene = Scene(
            (X, (X > 0).astype(float)), (HardPartition([0] * n),) * 3, None, np.ones(n, dtype=np.int64)
        )
        ends = {"one cluster": [0] * n, "n clusters": list(range(n)), "n - 1 clusters": [0, *range(n - 1)]}
        got = {
            name: values_of([entry], scene, [HardPartition(labels)] * 2)[entry.label]
            for name, labels in ends.items()
        }
        value, caveats = got["one cluster"]
        if not is_limit(caveats) and same(value, entry.best):
            yield f"{entry.name} is best ({value!r}) at one cluster: add a Limit(...) for it"
        value, caveats = got["n clusters"]
        is_sudden = same(value, entry.best) and not same(got["n - 1 clusters"][0], entry.best, 1e-4)
        if is_sudden and not is_limit(caveats):
            yield f"{entry.name} is best ({value!r}) at n clusters, and not just before: add a Limit(...)"


# --- refutations -----------------------------------------------------------------------------------------


def check_refutations(entry: Index) -> None:
    """Each stored counter-example is of its kind, and really is one."""
    for claim, examples in entry.refuted.items():
        for kind, example in examples.items():
            first = list(example.inputs[:1]) if "X" in entry.inputs else []
            rest = _partitions(example, len(first))
            assert {p.kind for p in rest} == {Kind(kind)}, (entry.name, claim)
            assert fails(entry, claim, first, rest), f"{entry.name}, {kind}: no counter-example for {claim}"


def _partitions(example: Any, skip: int) -> list[Any]:
    return [as_partition(obj, example.kind) for obj in example.inputs[skip:]]


def fails(entry: Index, claim: str, data: list[Any], sides: list[Any]) -> bool:
    """Whether the claim is false for these clusterings."""
    *before, b = sides[:2]
    a = before[0] if before else b
    value = entry(*data, *before, b)
    if claim == "symmetric":
        return not same(value, entry(*data, b, a), 1e-6)
    if claim == "relabelling_invariant":
        orders = permutations(range(b.n_clusters))
        return any(not same(value, entry(*data, *before, relabelled(b, order)), 1e-6) for order in orders)
    if claim == "reflexive":
        return a.equivalent(b) and not same(value, entry.best, 1e-6)
    if claim == "separating":
        return not a.equivalent(b) and same(value, entry.best)
    if claim == "triangle":
        c = sides[2]
        ab, bc, ac = (abs(entry(*data, *pair) - entry.best) for pair in ((a, b), (b, c), (a, c)))
        return ac > ab + bc + 1e-6
    if claim == "normalized":
        return value < -1e-6 or value > 1 + 1e-6
    shuffled = [entry(*data, a, b.take(np.array(order))) for order in permutations(range(b.n_objects))]
    return abs(np.mean(shuffled)) > 1e-6
