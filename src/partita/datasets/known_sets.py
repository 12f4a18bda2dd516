"""The real and published sets that are known by name: their sizes, and the ways to get them.

The checksums of what is fetched from OpenML were taken from copies of other origin (R packages, PyPI, GitHub)
that agreed with each other, since no network was at hand; the order of rows and columns does not change them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KNOWN", "KnownSet"]

SIPU = "https://cs.uef.fi/sipu/datasets"
BENCHMARKS = f"{SIPU} or gagolews/clustering-data-v1 on GitHub"
UCI = "https://archive.ics.uci.edu"


@dataclass(frozen=True)
class KnownSet:
    """A set that partita knows of, whether it can be had here or not.

    Attributes
    ----------
    name : str
        By which it is loaded.
    n, d : int
        Objects and features.
    sizes : tuple of int
        How many objects each class has, the largest first; empty where no truth is known, or k is enough.
    k : int
        The number of classes; 0 where no truth is known.
    home : str
        Where people find it.
    bundled : str
        The function of ``sklearn.datasets`` that returns it, for what comes with scikit-learn.
    openml : int
        Its number at OpenML, 0 where it is not asked for there.
    digest : str
        The checksum of its content by `content_digest`, for what comes from OpenML.
    notes : tuple of str
        What a user must know.
    """

    name: str
    n: int
    d: int
    k: int
    home: str = BENCHMARKS
    sizes: tuple[int, ...] = ()
    bundled: str = ""
    openml: int = 0
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ways(self) -> str:
        """How to get it, for an error or a list."""
        fetch = f"let scikit-learn fetch it from OpenML (id {self.openml}), which needs a network; or "
        folder = f"set PARTITA_DATA to a folder with {self.name}.csv.gz and a MANIFEST.csv that names it"
        return f"{fetch if self.openml else ''}{folder}; {self.home} has the data"


_DIGITS = "copies with six and with eight digits are known, so that no checksum of its values is kept"

_ALL = (
    KnownSet("iris", 150, 4, 3, "scikit-learn", bundled="load_iris"),
    KnownSet("wine", 178, 13, 3, "scikit-learn", bundled="load_wine"),
    KnownSet("wdbc", 569, 30, 2, "scikit-learn", bundled="load_breast_cancer"),
    KnownSet("digits", 1797, 64, 10, "scikit-learn", bundled="load_digits"),
    KnownSet(
        "sonar",
        208,
        60,
        2,
        UCI,
        (111, 97),
        openml=40,
        digest="6be3892aa4cb084db0ba3e0055664fc249efae4837175820504f5560c866b1cd",
    ),
    KnownSet(
        "pima",
        768,
        8,
        2,
        UCI,
        (500, 268),
        openml=37,
        digest="e727a9fc48887b0bcb12ce3121231ed88e85c2ef0650d9f4142f8c245106997e",
        notes=("missing values are coded 0 in all features but the first, seventh and eighth",),
    ),
    KnownSet(
        "heart_statlog",
        270,
        13,
        2,
        UCI,
        (150, 120),
        openml=53,
        digest="d2aa714a498b4c6ff4c8fd7e1b229287a6a3a92b2126cc2a22bbec78485a8ab2",
    ),
    KnownSet(
        "haberman",
        306,
        3,
        2,
        UCI,
        (225, 81),
        openml=43,
        digest="b632186a89072a6c4543d3ac2f718cb55962a99be74e168460a06000ad412eb5",
    ),
    KnownSet(
        "vehicle",
        846,
        18,
        4,
        UCI,
        (218, 217, 212, 199),
        openml=54,
        digest="afe432402a8ef793c351314d4a474416c980c067f586d4e8d7e4051a90145077",
    ),
    KnownSet(
        "yeast",
        1484,
        8,
        10,
        UCI,
        (463, 429, 244, 163, 51, 44, 35, 30, 20, 5),
        openml=181,
        digest="e1e4d507e6d5105be3b689fb3a51595269433b8e40943aa4878267ec54e6e79d",
    ),
    KnownSet("segment", 2310, 19, 7, UCI, (330,) * 7, openml=36, notes=(_DIGITS,)),
    KnownSet(
        "zernike",
        2000,
        47,
        10,
        UCI,
        (200,) * 10,
        openml=22,
        digest="4352ee4461b73c43cd627dde5d2816f98eae4ddbbbcfb255258c99e9a1fba62d",
    ),
    KnownSet("synthetic_control", 600, 60, 6, UCI),
    KnownSet("zoo", 101, 16, 7, UCI),
    KnownSet("votes", 435, 16, 2, UCI),
    KnownSet("spect", 267, 22, 2, UCI),
    *(KnownSet(f"s{i}", 5000, 2, 15) for i in (1, 2, 3, 4)),
    *(KnownSet(f"a{i}", 150 * k, 2, k) for i, k in ((1, 20), (2, 35), (3, 50))),
    KnownSet("birch1", 100_000, 2, 100),
    KnownSet("birch2", 100_000, 2, 100),
    KnownSet("birch3", 100_000, 2, 100, SIPU),
    KnownSet("unbalance", 6500, 2, 8),
    KnownSet("r15", 600, 2, 15),
    KnownSet("d31", 3100, 2, 31),
    KnownSet("spiral", 312, 2, 3),
    KnownSet("aggregation", 788, 2, 7),
    KnownSet("compound", 399, 2, 6),
    KnownSet("flame", 240, 2, 2),
    KnownSet("jain", 373, 2, 2),
    KnownSet("pathbased", 300, 2, 3),
    KnownSet("bridge", 4096, 16, 0, SIPU),
    KnownSet("house", 34112, 3, 0, SIPU),
    KnownSet("miss_america", 6480, 16, 0, SIPU),
)

KNOWN = {known.name: known for known in _ALL}
"""By name."""

OTHER_NAMES = {"breast_cancer": "wdbc", "pima_diabetes": "pima"}
