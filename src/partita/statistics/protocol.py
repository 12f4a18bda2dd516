"""What a statistic is: inputs, options, what it stands on, what it costs; its class is held to it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from partita.arrays import Array, is_sparse, map_blocks
from partita.errors import ParameterError
from partita.partitions import ALL, HardPartition, Kind, Partition
from partita.statistics.options import NoOptions, options_of

INPUTS = ("X", "truth", "found", "model")
"""What a statistic can be made from, in the order in which it takes it."""

ALL_VALUES = "needs every value of X written out"
"""Why most statistics of data do not take sparse ones."""

OnBlock = Callable[[int, int], None] | None


@dataclass(frozen=True)
class Request:
    """A statistic with its options, and of which inputs: requests that are equal share one computation."""

    statistic: type[Any]
    options: tuple[tuple[str, Any], ...] = ()
    sides: tuple[str, ...] = ()
    """The inputs that it takes for its own, where these are others."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.statistic, self.options, self.sides))

    def __reduce__(self) -> tuple[Any, ...]:
        return Request, (self.statistic, self.options, self.sides)  # a hash is of one process

    @classmethod
    def of(cls, statistic: type[Any], options: Mapping[str, Any]) -> Request:
        """A statistic with those of the options that are its own and differ from what it takes by default."""
        own = options_of(statistic.options)
        chosen = tuple((k, options[k]) for k in own if k in options and options[k] != own[k].default)
        return cls(statistic, chosen) if chosen else _plain(statistic)


_PLAIN: dict[type[Any], Request] = {}


def _plain(statistic: type[Any]) -> Request:
    """One object for all that ask the same, which are then told equal at a glance."""
    return _PLAIN.get(statistic) or _PLAIN.setdefault(statistic, Request(statistic))


class Statistic:
    """A small frozen summary of clusterings and data. A class derives from `Additive` or `Whole`.

    Members of the class are below, with their defaults; they are held against each other when a class is
    made, and a public member whose name is nearly one of them is refused as a slip of the pen.
    """

    inputs: ClassVar[tuple[str, ...]] = ()
    """What it is made from: some of `INPUTS`, in that order."""

    options: ClassVar[type[Any]] = NoOptions
    """A frozen dataclass of its options: keyword parameters of what makes it, and of the indices of it."""

    kinds_accepted: ClassVar[frozenset[Kind]] = ALL
    """The kinds of clustering that it is defined for."""

    why_not: ClassVar[str] = ""
    """Why it is not defined for others, to follow a sentence that says so."""

    needs: ClassVar[Mapping[str, type[Statistic]]] = {}
    """The statistics it stands on, by the name of the parameter that takes each."""

    serves_for: ClassVar[tuple[type[Statistic], ...]] = ()
    """The poorer statistics that it stands for, of the same inputs and options, where it is made anyway."""

    takes_model: ClassVar[bool] = False
    """Whether a fitted model is handed to it, where there is one, as ``model``."""

    takes_units: ClassVar[bool] = False
    """Whether it takes X in its own units, however large or small; else X comes scaled by a power of two."""

    from_needs_alone: ClassVar[bool] = False
    """Whether a `Whole` one is made from what it needs alone, without a look at the objects."""

    why_costly: ClassVar[str] = "too many pairs of objects to look at"
    """What takes long where `pair_operations` are many."""

    from_table: ClassVar[Callable[..., Any] | None] = None
    """Makes it from the table of two hard clusterings, where that determines it."""

    check: ClassVar[Callable[..., None]] = staticmethod(lambda _X, **_options: None)
    """``check(X, **options)`` refuses data that it cannot judge."""

    pair_operations: ClassVar[Callable[..., float]] = staticmethod(lambda *_sides, **_options: 0.0)
    """``pair_operations(*inputs, **options)``: its work, in units of pairs of objects; 0 if it is linear."""

    sampling: ClassVar[Callable[..., Mapping[str, Any]]] = staticmethod(lambda *_sides: {})
    """``sampling(*inputs)``: the options by which it looks at a sample of these; none if it cannot."""

    why_not_sparse: ClassVar[Callable[..., str]] = staticmethod(lambda *_sides, **_options: ALL_VALUES)
    """``why_not_sparse(*inputs, **options)``: why X may not be a CSR array, or nothing where it may."""

    if TYPE_CHECKING:

        @property
        def kinds(self) -> tuple[Kind, ...]:
            """The kinds of the clusterings it was made from."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; () for the statistic of one set of objects."""
        return ()

    @property
    def how(self) -> str:
        """What a reader of a value must know of how it came about."""
        return ""

    @property
    def is_sampled(self) -> bool:
        """Whether it is an estimate."""
        return False

    @property
    def is_whole(self) -> Any:
        """Whether objects, or pairs of them, were counted and not weighed by fractions."""
        return True

    @property
    def fractional_weights(self) -> bool:
        """Whether an object's pair with itself may count negative."""
        return False

    @classmethod
    def foundations(cls, **given: Any) -> Mapping[str, Request]:
        """What `needs` come to for these inputs and options, by name: all of them, with the same options."""
        return {name: Request.of(statistic, given) for name, statistic in cls.needs.items()}

    @classmethod
    def idle_options(cls, **_given: Any) -> frozenset[str]:
        """The options that do not matter for these inputs (by name)."""
        return frozenset()

    def with_exponent(self, exponent: int) -> Self:  # noqa: ARG002 (where the unit does not matter)
        """The same, made from data whose unit is ``2 ** exponent``."""
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if __name__ != cls.__module__:
            _verify(cls)


class Additive(Statistic):
    """A statistic of blocks of objects: ``a + b`` is that of both, ``zero()`` that of none."""

    if TYPE_CHECKING:
        block_rows: ClassVar[Callable[..., int]]
        """How many objects one block holds, for these inputs."""

        from_block: ClassVar[Callable[..., Any]]
        """``from_block(*inputs, weight=..., **needs, **options)``: of one block of objects."""

        def __add__(self, other: Any) -> Any: ...

    @classmethod
    def over_blocks(
        cls, *sides: Any, weight: Array | None = None, on_block: OnBlock = None, **options: Any
    ) -> Self:
        """The statistic of all objects, block by block on threads."""

        def one(rows: slice) -> Any:
            parts = (s.take(rows) if isinstance(s, Partition) else rows_of_data(s, rows) for s in sides)
            return cls.from_block(*parts, weight=None if weight is None else weight[rows], **options)

        products = not all(isinstance(side, HardPartition) for side in sides)
        n = sides[0].n_objects if isinstance(sides[0], Partition) else sides[0].shape[0]
        made: Self = reduce(add, map_blocks(one, n, cls.block_rows(*sides), on_block, products=products))
        return made


def rows_of_data(X: Any, rows: slice) -> Any:
    """Some objects of an array or a CSR array, in double precision."""
    return X[rows] if is_sparse(X) else np.asarray(X[rows], dtype=np.float64)


class Whole(Statistic):
    """A statistic that looks at all objects at once."""

    from_chunks: ClassVar[Callable[..., Any] | None] = None
    """``from_chunks(objects, *inputs, on_block=..., **needs, **options)``: from `ChunkedObjects`, by passes
    over chunks or over pairs of them; None where it needs all objects in memory. Of its inputs only what is
    known of the whole can be asked."""

    check_chunks: ClassVar[Callable[..., None] | None] = None
    """``check_chunks(objects, **options)``: `check` of `ChunkedObjects`, where one alone does not tell."""

    if TYPE_CHECKING:
        from_whole: ClassVar[Callable[..., Any]]
        """``from_whole(*inputs, weight=..., on_block=..., **needs, **options)``."""


DECLARED = frozenset(
    name
    for base in (Statistic, Additive, Whole)
    for name in (*vars(base), "kinds", "block_rows", "from_block", "from_whole", "zero")
    if not name.startswith("_")
)
"""Every public member that the engine, the registry or a procedure looks at."""


def _verify(cls: type[Statistic]) -> None:
    """Refuse a class whose members do not fit the protocol."""
    own = {name for name in vars(cls) if not name.startswith("_")}
    fields = {name for name, hint in inspect.get_annotations(cls).items() if "ClassVar" not in str(hint)}
    for name in own - fields - DECLARED:
        near = difflib.get_close_matches(name, DECLARED, n=1, cutoff=0.85)
        if near:
            raise _wrong(cls, f"has no member {name!r}", need=f"{near[0]!r}, or a name less like it")
    if [name for name in INPUTS if name in cls.inputs] != list(cls.inputs):
        raise _wrong(cls, f"takes {cls.inputs!r}", need=f"some of {', '.join(INPUTS)}, in this order")
    if not all(isinstance(need, type) and issubclass(need, Statistic) for need in cls.needs.values()):
        raise _wrong(cls, f"needs {cls.needs!r}", need="a statistic for each name")
    if cls.__name__.startswith("_"):  # what several statistics share
        return
    if "from_whole" in own and not issubclass(cls, Whole):
        raise _wrong(cls, "looks at all objects", need=f"class {cls.__name__}(Whole, ...)")
    kind, required = (
        (Whole, ("from_whole",)) if issubclass(cls, Whole) else (Additive, ("from_block", "__add__"))
    )
    if kind is Additive and not cls.needs:
        required = (*required, "zero")
    missing = [name for name in (*required, "kinds") if not _has(cls, name)]
    if kind is Additive and not _has(cls, "block_rows"):
        missing.append("block_rows")
    if not issubclass(cls, kind) or not cls.inputs or missing:
        raise _wrong(
            cls,
            f"is no {kind.__name__} statistic: {', '.join(missing) or 'inputs'} missing",
            need=f"{', '.join((*required, 'kinds'))}, inputs, and the base {kind.__name__}",
        )
    if not is_dataclass(cls.options):
        raise _wrong(cls, f"has the options {cls.options!r}", need="a frozen dataclass of them")
    made_by = [cls.from_whole, cls.from_chunks] if issubclass(cls, Whole) else [cls.from_block]
    defaults = {name: option.default for name, option in options_of(cls.options).items()}
    for maker in made_by:
        taken = {} if maker is None else inspect.signature(maker).parameters
        for name in (*cls.needs, *defaults) if taken else ():
            if name not in taken or taken[name].default != defaults.get(name, taken[name].default):
                value = f" = {defaults[name]!r}" if name in defaults else ""
                raise _wrong(
                    cls, f"does not take {name!r}", need=f"a parameter {name}{value} where it is made"
                )


def _has(cls: type[Statistic], name: str) -> bool:
    """Whether a class or one of its bases has a member or a field of this name."""
    return any(name in vars(base) or name in inspect.get_annotations(base) for base in cls.__mro__)


def _wrong(cls: type[Statistic], what: str, *, need: str) -> ParameterError:
    return ParameterError(f"{cls.__name__} {what}.", got=f"class {cls.__qualname__}", need=need)
