"""What "by chance" means: the laws from which clusterings are drawn, as small objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from partita.errors import KindError, ParameterError, near_names
from partita.partitions import FUZZY, HARD, Kind

__all__ = [
    "AllPartitions",
    "DirichletRows",
    "FixedNumber",
    "NullModel",
    "Permutation",
    "check_fits",
    "null_model",
]


@dataclass(frozen=True)
class NullModel:
    """A law of two clusterings that know nothing of each other.

    Parameters
    ----------
    one_sided : bool
        Whether the truth is held as it is, and only the clustering found is drawn anew.
    """

    one_sided: bool = False

    word: ClassVar[str] = ""
    kinds: ClassVar[frozenset[Kind]] = frozenset(Kind)
    """The kinds of clustering that it can draw anew."""
    law: ClassVar[str] = ""
    """What is drawn, in words."""

    def __post_init__(self) -> None:
        if not isinstance(self.one_sided, bool):
            raise ParameterError(
                "one_sided is a yes or a no.",
                got=repr(self.one_sided),
                need="True or False",
                parameter="one_sided",
            )

    @property
    def name(self) -> str:
        """What the model is called, as `null_model` takes it."""
        return self.word

    @property
    def sides(self) -> str:
        """Which clusterings are drawn anew, in words."""
        return "truth held fixed" if self.one_sided else "both clusterings drawn"

    def __str__(self) -> str:
        return f"{self.name} ({self.law}; {self.sides})"


class Permutation(NullModel):
    """Objects are shuffled: each clustering keeps its clusters' sizes, and soft ones their rows.

    Every matching of the objects of one side with those of the other is equally likely (Hubert and Arabie
    1985). Shuffling one side or both gives the same law, so ``one_sided`` changes nothing, except for indices
    that look at the data too: these stay with the truth if it is held.

    Examples
    --------
    >>> print(Permutation())
    permutation (objects shuffled, cluster sizes kept)
    """

    word: ClassVar[str] = "permutation"
    law: ClassVar[str] = "objects shuffled, cluster sizes kept"

    def __str__(self) -> str:
        return f"{self.name} ({self.law})"


class FixedNumber(NullModel):
    """Every partition of the objects into as many clusters is equally likely (Gates and Ahn 2017, M_num).

    Uniform over the partitions into exactly k non-empty clusters, of which there are S(n, k), Stirling's
    number of the second kind. k is the number of non-empty clusters of the clustering that is drawn anew.

    Examples
    --------
    >>> print(FixedNumber(one_sided=True))
    fixed number (every partition with as many clusters is equally likely; truth held fixed)
    """

    word: ClassVar[str] = "fixed number"
    kinds: ClassVar[frozenset[Kind]] = frozenset({HARD})
    law: ClassVar[str] = "every partition with as many clusters is equally likely"


class AllPartitions(NullModel):
    """Every partition of the objects is equally likely, whatever its clusters (Gates and Ahn 2017, M_all).

    Uniform over all partitions, of which there are B(n), Bell's number. Most have about n / log n clusters.

    Examples
    --------
    >>> print(AllPartitions())
    all partitions (every partition is equally likely; both clusterings drawn)
    """

    word: ClassVar[str] = "all partitions"
    kinds: ClassVar[frozenset[Kind]] = frozenset({HARD})
    law: ClassVar[str] = "every partition is equally likely"


CONCENTRATIONS = {
    "fit": "with the observed mean and spread",
    "symmetric": "with equal means and the observed spread",
    "flat": "all rows equally likely",
}


@dataclass(frozen=True)
class DirichletRows(NullModel):
    """The memberships of each object are drawn from a Dirichlet law (DeWolfe and Andrews 2025).

    Rows are independent, with as many clusters as the clustering that is drawn anew, and with parameters
    s m, where m are the means and s is the precision:

    - ``"fit"``: m are the observed mean memberships, and s + 1 = sum_j m_j (1 - m_j) / sum_j var_j;
    - ``"symmetric"``: m_j = 1/k, and s as in "fit";
    - ``"flat"``: m_j = 1/k and s = k, the uniform law on all rows that sum to one.

    The authors estimate "fit" and "symmetric" by maximum likelihood, which memberships of 0 break; here s is
    estimated by moments, so that a harder clustering has a smaller s. At s = 0, which hard clusterings have,
    the law is that of labels drawn with probabilities m. Memberships that do not vary are kept as they are.

    Parameters
    ----------
    one_sided : bool
        Whether the truth is held as it is.
    concentration : {"fit", "symmetric", "flat"}
        Where the parameters come from.

    Examples
    --------
    >>> print(DirichletRows(one_sided=True))
    dirichlet fit (rows from a Dirichlet law with the observed mean and spread; truth held fixed)
    """

    concentration: str = "fit"

    kinds: ClassVar[frozenset[Kind]] = frozenset({HARD, FUZZY})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.concentration not in CONCENTRATIONS:
            raise ParameterError(
                "no such concentration of a Dirichlet law.",
                got=repr(self.concentration),
                need=", ".join(f'"{name}"' for name in CONCENTRATIONS),
                parameter="concentration",
            )

    @property
    def name(self) -> str:
        """What the model is called, as `null_model` takes it."""
        return f"dirichlet {self.concentration}"

    def __str__(self) -> str:
        law = f"rows from a Dirichlet law {CONCENTRATIONS[self.concentration]}"
        return f"{self.name} ({law}; {self.sides})"


NAMED: dict[str, NullModel] = {
    "permutation": Permutation(),
    "fixed number": FixedNumber(),
    "all partitions": AllPartitions(),
    "dirichlet": DirichletRows(),
    "dirichlet fit": DirichletRows(),
    "dirichlet symmetric": DirichletRows(concentration="symmetric"),
    "dirichlet flat": DirichletRows(concentration="flat"),
}
"""The models that can be named in words, each of both sides."""


def null_model(null: Any) -> NullModel:
    """The null model of that name; case, hyphens and underscores do not matter.

    Examples
    --------
    >>> null_model("Fixed_Number")
    FixedNumber(one_sided=False)
    """
    if isinstance(null, NullModel):
        return null
    if isinstance(null, type) and issubclass(null, NullModel) and null is not NullModel:
        return null()
    if not isinstance(null, str):
        raise ParameterError(
            "a null model is named by a string, or is an object of partita.chance.",
            got=repr(null),
            need=", ".join(f'"{name}"' for name in NAMED),
            fix='null="permutation"',
            parameter="null",
        )
    spelled = " ".join(null.replace("_", " ").replace("-", " ").lower().split())
    if spelled not in NAMED:
        raise near_names(spelled, NAMED, noun="null model", parameter="null")
    return NAMED[spelled]


def check_fits(null: NullModel, kinds: Sequence[Kind]) -> None:
    """Refuse a model that cannot draw clusterings of these kinds (of truth, then of found)."""
    drawn = kinds[1:] if null.one_sided else kinds
    accepted = null.kinds
    if isinstance(null, DirichletRows) and null.concentration == "flat":
        accepted = frozenset({FUZZY})
    wrong = [kind.value for kind in drawn if kind not in accepted]
    if not wrong:
        return
    only_truth = not null.one_sided and kinds[1] in accepted
    held = f"{type(null).__name__}(one_sided=True), which holds the truth fixed; or " if only_truth else ""
    raise KindError(
        f'the null model "{null.name}" draws no {" or ".join(dict.fromkeys(wrong))} clusterings.',
        got=" against ".join(k.value for k in kinds),
        need=" or ".join(k.value for k in Kind if k in accepted) + " clusterings",
        fix=f'{held}null="permutation", which shuffles clusterings of every kind',
        parameter="null",
    )
