"""Arrays that NumPy saved: .npy and .npz. Nothing is unpickled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from partita.arrays import Array
from partita.errors import FileError, ParameterError, PartitaError, near_names
from partita.files.sources import refuse_unpacked
from partita.partitions import as_partition


def partition_of_arrays(
    file: Path,
    columns: Sequence[str] | None,
    id_column: str | None,
    kind: str | None,
    normalize: bool,
    missing: str = "raise",
) -> tuple[Any, Array | None, str]:
    """The clustering in a file of arrays, which objects are kept (None if all), and what is missing."""
    if id_column is not None:
        raise ParameterError(
            "arrays have no column of identifiers.",
            need="a file with named columns, such as .csv",
            fix="leave --id away if both files have the same objects in the same order",
        )
    arrays = loaded_arrays(file, columns)
    if len(arrays) > 1:
        return as_partition(arrays, kind, normalize=normalize), None, ""
    ((name, array),) = arrays.items()
    if not isinstance(array, np.ndarray):
        raise FileError("this .npz file holds something else than arrays.", got=name, need="an array")
    if missing != "raise" and array.dtype.kind == "f" and array.ndim in (1, 2):
        gaps = np.asarray(np.isnan(array).reshape(len(array), -1).any(axis=1))
        if gaps.any() and missing == "drop" and not gaps.all():
            part = as_partition(array[~gaps], kind, normalize=normalize)
            return part, ~gaps, told_of_array(array, int(gaps.sum()))
        if gaps.any() and missing == "noise" and array.ndim == 1:
            part = as_partition(array, kind, normalize=normalize, missing="noise")
            return part, None, told_of_array(array, int(gaps.sum()))
    return as_partition(array, kind, normalize=normalize), None, ""


def told_of_array(array: Array, n_gaps: int) -> str:
    """How many objects of an array have no label or not all memberships."""
    return f"{'labels' if array.ndim == 1 else 'memberships'}: {n_gaps} of {len(array)} objects"


def loaded_arrays(file: Path, columns: Sequence[str] | None) -> dict[str, Any]:
    """The array in a file, by name; or those of the columns."""
    with file.open("rb") as stream:
        try:
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return _only_array(loaded, columns)
            names = _wanted(list(loaded.files), columns)
            _refuse_large(file, loaded, names)
            return {name: loaded[name] for name in names}
        except PartitaError:
            raise
        except MemoryError:
            if _is_whole(file):
                raise
            raise FileError(
                "this is no NumPy file of plain numbers or texts.",
                got="one that is shorter than it says",
                need="an array saved by numpy.save, whole",
            ) from None
        except Exception as problem:  # noqa: BLE001 (numpy's parsers let pass whatever they meet)
            raise FileError(
                "this is no NumPy file of plain numbers or texts.",
                got=str(problem).partition("\n")[0],
                need="an array saved by numpy.save or numpy.savez, whole, without Python objects in it",
            ) from None


def _is_whole(file: Path) -> bool:
    """Whether a file holds as much as its first bytes say."""
    try:
        np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, MemoryError):
        return False
    return True


def _refuse_large(file: Path, loaded: Any, names: Sequence[str]) -> None:
    """Refuse arrays that would fill the memory, before they are unpacked."""
    members = [info for info in loaded.zip.infolist() if info.filename.removesuffix(".npy") in names]
    unpacked, packed = sum(m.file_size for m in members), sum(m.compress_size for m in members)
    told = f"{', '.join(names)}: {unpacked / 1e6:,.0f} MB, out of {packed / 1e6:,.1f} MB"
    refuse_unpacked(
        packed, unpacked, told, f"unzip {file.name} and read the .npy files, which is done in parts"
    )


def _only_array(array: Array, columns: Sequence[str] | None) -> dict[str, Any]:
    """The array of a .npy file."""
    if columns is not None:
        raise ParameterError(
            "a .npy file has no named columns.", got=", ".join(columns), need="no column for this file"
        )
    return {"": array}


def _wanted(names: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    """The name of the one array that is wanted, or of masses and their focal sets."""
    for name in columns or ():
        if name not in names:
            raise near_names(name, names, noun="array")
    wanted = list(columns or names)
    if columns is None and {"mass", "F"} <= set(names):
        return ["mass", "F"]
    if len(wanted) != 1:
        raise FileError(
            "a clustering is one array, and this file holds several." if wanted else "this file is empty.",
            got=", ".join(wanted) or None,
            need='one array, or "mass" and "F"',
            fix="--truth-column / --found-column NAME" if wanted else None,
        )
    return wanted
