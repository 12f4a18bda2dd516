"""Sets by name: those that come with scikit-learn, those of a folder, those at OpenML; and a list of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from partita.datasets.data_set import DataSet
from partita.datasets.folders import VARIABLE, Folder, folder_of_user
from partita.datasets.known_sets import KNOWN, OTHER_NAMES, KnownSet
from partita.datasets.openml import from_openml
from partita.errors import FileError, ParameterError, Phrase, Setting, near_names
from partita.results import Result, Table

__all__ = ["DataSets", "load", "names"]


def load(name: str) -> DataSet:
    """A data set by name, with the classes that are known of it.

    It is looked for among those that come with scikit-learn, then in the folder that the environment variable
    PARTITA_DATA names, then at OpenML, for which scikit-learn needs a network. What comes is compared with a
    checksum. `names` lists all sets, and where each of them is.

    Parameters
    ----------
    name : str
        Such as ``"iris"``; capitals do not matter, nor whether words are joined by ``_`` or ``-``.

    Returns
    -------
    DataSet
        It unpacks as ``X, labels``; labels are None where no truth is known.

    Raises
    ------
    FileError
        The set is known but cannot be had here: the message says how to get it.
    UnknownNameError
        There is no set of this name: the message has the nearest names.

    Examples
    --------
    >>> from partita import datasets
    >>> X, labels = datasets.load("iris")
    >>> X.shape
    (150, 4)
    """
    if not isinstance(name, str):
        raise ParameterError(Phrase(Setting("name"), " is no name."), got=repr(name), need="a str")
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    plain = OTHER_NAMES.get(plain, plain)
    known = KNOWN.get(plain)
    if known is not None and known.bundled:
        return _bundled(known)
    folder = folder_of_user()
    if folder is not None and plain in folder.sets:
        return folder.load(plain)
    if known is None:
        inside = [] if folder is None else folder.names
        raise near_names(name, {*KNOWN, *inside}, noun="data set", parameter="name")
    if known.openml:
        return from_openml(known)
    where = f"{VARIABLE} is not set" if folder is None else f"{folder.path} does not have it"
    raise FileError(f"{known.name} cannot be had here.", got=where, need="the data set", fix=known.ways)


def names() -> DataSets:
    """All sets that `load` knows, with their sizes and where each would come from.

    Examples
    --------
    >>> from partita import datasets
    >>> datasets.names().records()[0]
    {'name': 'iris', 'n': 150, 'd': 4, 'k': 3, 'source': 'scikit-learn', 'here': True, 'way': ''}
    """
    folder: Folder | None = None
    notes: tuple[str, ...] = ()
    try:
        folder = folder_of_user()
    except FileError as problem:
        notes = (f"{problem.what} ({problem.got})",)
    rows = [_known_row(known, folder) for known in KNOWN.values()]
    if folder is not None:
        rows += [_folder_row(name, folder) for name in folder.names if name not in KNOWN]
    return DataSets(rows=tuple(rows), notes=notes)


@dataclass(frozen=True)
class SetRow:
    """A set in the list: its sizes, where it would come from, whether it is here, and else the way to it."""

    name: str
    n: int
    d: int
    k: int | None
    source: str
    here: bool
    way: str = ""


@dataclass(frozen=True, repr=False)
class DataSets(Result):
    """All data sets that are known, one row each."""

    rows: tuple[SetRow, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each set."""
        return [dict(vars(row)) for row in self.rows]

    def table(self) -> Table:
        """The sets, as they print: the ways to those that are not here are told once, below."""
        here = sum(row.here for row in self.rows)
        title = f"{len(self.rows)} data sets, {here} of them here"
        cells = tuple((row.name, row.n, row.d, row.k, row.source) for row in self.rows)
        legend = (
            "k: the number of known classes; blank where no truth is known",
            f"not here: set {VARIABLE} to a folder with NAME.csv.gz and a MANIFEST.csv that names it",
            "OpenML: load(NAME) fetches it where there is a network; else it says where the data are found",
        )
        return Table(title, ("name", "n", "d", "k", "source"), cells, self.footnotes + legend)


def _known_row(known: KnownSet, folder: Folder | None) -> SetRow:
    if not known.bundled and folder is not None and known.name in folder.sets:
        return _folder_row(known.name, folder)
    if known.bundled:
        source, here = "scikit-learn", True
    else:
        source, here = (f"OpenML, id {known.openml}" if known.openml else "not here"), False
    way = "" if here else known.ways
    return SetRow(known.name, known.n, known.d, known.k or None, source, here, way)


def _folder_row(name: str, folder: Folder) -> SetRow:
    listed = folder.sets[name]
    here = listed.path.is_file()
    way = "" if here else f"the manifest names {listed.path}, which is not there"
    source = VARIABLE if here else f"{VARIABLE}, but its file is not there"
    return SetRow(name, listed.n, listed.d, listed.k or None, source, here, way)


def _bundled(known: KnownSet) -> DataSet:
    from sklearn import datasets

    bunch = getattr(datasets, known.bundled)()
    return DataSet(
        known.name,
        np.ascontiguousarray(bunch.data, dtype=float),
        np.asarray(bunch.target, dtype=np.int64),
        parameters={"classes": tuple(map(str, bunch.target_names))},
        feature_names=tuple(map(str, bunch.feature_names)),
        source=f"scikit-learn, {known.bundled}",
    )
