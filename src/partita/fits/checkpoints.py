"""A folder that holds what a sweep has computed: it can be killed, goes on where it was, and loses nothing.

One task is one JSON file (values, seed, hashes) and, where it has arrays, one npz file beside it. Nothing is
pickled. Files appear whole or not at all; one that was changed, or belongs to other work, is refused by name.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from partita.arrays import Array, generator
from partita.errors import FileError, ParameterError, Phrase, Setting
from partita.fits.fingerprints import fingerprint

MANIFEST = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class Record:
    """What one task computed: values that JSON holds, and arrays."""

    values: Mapping[str, Any]
    arrays: Mapping[str, Array] = field(default_factory=dict)


def folder_of(checkpoint: Any) -> Path:
    """The path of a checkpoint."""
    try:
        return Path(checkpoint)
    except TypeError:
        what = Phrase(Setting("checkpoint"), " is no path.")
        raise ParameterError(what, got=repr(checkpoint), need="a folder") from None


def root_seed(random_state: Any) -> int:
    """The number from which all seeds of a sweep are derived."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        generator(random_state)  # refuses negative ones
        return int(random_state)
    return int(generator(random_state).integers(1 << 63))


@dataclass(frozen=True)
class Checkpoint:
    """A folder of records that belong to one piece of work, known by the hash of its data and options."""

    folder: Path
    work: str
    seed: int

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str], parts: Mapping[str, Any], random_state: Any = None
    ) -> Checkpoint:
        """Make the folder, or go on with one that holds the same work.

        ``parts`` are the data and options by name; each is hashed on its own, so that a refusal can say which
        of them are others. Without a ``random_state``, work goes on with the seed that it began with.
        """
        place = folder_of(folder)
        hashes = {name: fingerprint(part) for name, part in parts.items()}
        seed = root_seed(random_state)
        try:
            place.mkdir(parents=True, exist_ok=True)
            names = [held.name for held in place.iterdir() if not _is_half_written(held)]
        except (OSError, ValueError) as problem:  # ValueError: a name with NUL in it
            raise FileError(f"{place} cannot hold a checkpoint.", got=str(problem)) from None
        if not names:
            manifest = {"format": FORMAT, "seed": seed, "hashes": hashes}
            _write(place / MANIFEST, _sealed(manifest), keep=True)
        elif MANIFEST not in names:
            raise FileError(
                f"{place} is not empty and no checkpoint.",
                got=f"a folder without {MANIFEST}",
                need="an empty or new folder, or a checkpoint of this work",
            )
        seed = _stored_seed(place / MANIFEST, hashes, None if random_state is None else seed)
        return cls(place, fingerprint(hashes, seed), seed)

    def holds(self, key: str) -> bool:
        """Whether a task is done."""
        return (self.folder / f"{key}.json").exists()

    def load(self, key: str) -> Record | None:
        """The record of a task, or None if it has not been computed; a damaged one is refused."""
        path = self.folder / f"{key}.json"
        try:
            stored = _unsealed(path)
        except FileNotFoundError:
            return None
        if stored.get("work") != self.work or stored.get("key") != key:
            raise _damaged(path, "it belongs to other work")
        return Record(stored["values"], self._arrays(key, stored["arrays"]))

    def _arrays(self, key: str, wanted: str | None) -> dict[str, Array]:
        if wanted is None:
            return {}
        path = self.folder / f"{key}.npz"
        try:
            content = path.read_bytes()
        except OSError:
            raise _damaged(path, "it is missing", f"{key}.json") from None
        if hashlib.sha256(content).hexdigest() != wanted:
            what = "its content does not have the hash that was stored for it"
            raise _damaged(path, what, f"{key}.json")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def save(self, key: str, record: Record) -> None:
        """Write the record of a task: the arrays first, so that a JSON file means that all is there."""
        arrays = None
        if record.arrays:
            if any(array.dtype.hasobject for array in record.arrays.values()):
                raise ValueError("Object arrays would have to be pickled.")
            held = io.BytesIO()
            arrays_by_name: dict[str, Any] = dict(record.arrays)
            np.savez(held, **arrays_by_name)
            arrays = hashlib.sha256(held.getvalue()).hexdigest()
            _write(self.folder / f"{key}.npz", held.getvalue())
        stored = {"work": self.work, "key": key, "values": record.values, "arrays": arrays}
        _write(self.folder / f"{key}.json", _sealed(stored))


def _hash_of(values: Any) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _sealed(content: Mapping[str, Any]) -> bytes:
    """JSON with a checksum of itself."""
    return json.dumps({**content, "checksum": _hash_of(content)}, indent=1).encode()


def _unsealed(path: Path) -> dict[str, Any]:
    """The content of a JSON file, if it is what was written."""
    try:
        found = dict(json.loads(path.read_bytes()))
        is_sealed = found.pop("checksum", None) == _hash_of(found)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, RecursionError) as problem:
        raise _damaged(path, f"it cannot be read ({type(problem).__name__})") from None
    if not is_sealed:
        raise _damaged(path, "its content does not have the checksum that was stored with it")
    return found


def _write(path: Path, content: bytes, *, keep: bool = False) -> None:
    """Write a file so that it is there whole or not at all; ``keep`` one that another process wrote first."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        made = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            if not (keep and _linked(path, made)):
                made.replace(path)
        finally:
            made.unlink(missing_ok=True)
    except OSError as problem:
        raise FileError(f"{path} cannot be written.", got=str(problem)) from None


def _linked(path: Path, made: Path) -> bool:
    """Give a file its name unless that is taken; False on a file system that has no links."""
    try:
        path.hardlink_to(made)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def _is_half_written(path: Path) -> bool:
    """Whether a kill left this on the way to a file."""
    return path.name.startswith(".") and path.suffix == ".part"


def _stored_seed(path: Path, hashes: Mapping[str, str], seed: int | None) -> int:
    """The seed of the work in a folder, if it is this work."""
    found = _unsealed(path)
    if found.get("format") != FORMAT:
        raise _damaged(path, f"it has format {found.get('format')!r}, not {FORMAT}")
    stored = {**found["hashes"], "random_state": found["seed"]}
    asked = {**hashes, "random_state": stored["random_state"] if seed is None else seed}
    others = [name for name in sorted({*stored, *asked}) if stored.get(name) != asked.get(name)]
    if others:
        raise FileError(
            f"{path.parent} is the checkpoint of other work.",
            got=f"other {', '.join(others)}",
            need="the same data and options as when it was begun",
            fix="another folder, or the old options",
        )
    return int(found["seed"])


def _damaged(path: Path, what: str, record: str = "it") -> FileError:
    return FileError(
        f"{path} is not trusted: {what}.",
        need="a file as it was written",
        fix=f"delete {record} to compute it again",
    )
