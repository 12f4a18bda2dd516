"""Files that are written: whole or not at all, never over a file that is read, over others only if told."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

from partita.errors import FileError, Phrase, Setting

__all__ = ["check_target", "write_whole"]


def check_target(
    path: str | os.PathLike[str],
    *,
    overwrite: bool,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    parameter: str | None = None,
) -> None:
    """Refuse a file that cannot or must not be written; to be asked before anything is computed.

    Parameters
    ----------
    path : path
        Where something is to be written.
    overwrite : bool
        Whether a file that is there may be replaced.
    inputs : iterable of paths
        What is read, "-" for standard input; none of it is ever written, whatever ``overwrite`` says.
    parameter : str, optional
        What the caller calls the path, for the message.
    """
    name = os.fspath(path)
    if "\0" in name:
        raise _refused(name, "a file cannot have this name.", parameter, need="a name without a null byte")
    file = Path(name)
    if any(_is_same(file, read) for read in inputs if read is not None):
        raise _refused(name, "this file is read, so it is not written.", parameter, need="another name")
    try:
        is_folder, has_folder, is_there = file.is_dir(), file.parent.is_dir(), file.exists()
        is_special, folder = is_there and not file.is_file(), file.resolve().parent
    except OSError as problem:  # a name too long
        raise _cannot(name, problem.strerror or str(problem), parameter) from None
    except RuntimeError as problem:  # Python 3.11 and 3.12 tell of a loop of links so
        raise _cannot(name, str(problem), parameter) from None
    if is_folder:
        raise _refused(name, "this is a directory.", parameter, need="the name of a file")
    if is_special:  # putting a file in the place of /dev/null would break the machine
        raise _refused(name, "this is a device or a pipe.", parameter, need="the name of a file")
    if not has_folder:
        raise _refused(name, "there is no such folder.", parameter, need="a folder that is there")
    if is_there and not overwrite:
        fix = Phrase(Setting("overwrite", True), " replaces it")
        raise _refused(name, "this file is there already.", parameter, need="another name", fix=fix)
    if is_there and not os.access(file, os.W_OK):
        raise _refused(name, "this file may not be changed.", parameter, need="another name")
    if not os.access(folder, os.W_OK):
        raise _refused(name, "nothing may be written to this folder.", parameter, need="a folder of your own")


def write_whole(
    path: str | os.PathLike[str], content: bytes, *, overwrite: bool, parameter: str | None = None
) -> None:
    """Write a file so that it is there whole or not at all; where that fails, an old one is left as it was.

    Parameters
    ----------
    path : path
        Where. A link stays a link, a file that is replaced keeps its permissions.
    content : bytes
        All of it.
    overwrite : bool
        Whether a file that is there may be replaced.
    parameter : str, optional
        What the caller calls the path, for the message.
    """
    check_target(path, overwrite=overwrite, parameter=parameter)  # it may have come meanwhile
    name = os.fspath(path)
    target = Path(name).resolve()
    part = target.with_name(f".partita-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some file systems tell only now that they are full
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    except OSError as problem:
        raise _cannot(name, problem.strerror or str(problem), parameter) from None
    finally:
        part.unlink(missing_ok=True)


def _is_same(file: Path, read: str | os.PathLike[str]) -> bool:
    try:
        if os.fspath(read) == "-":
            return os.path.samestat(file.stat(), os.fstat(sys.stdin.fileno()))
        other = Path(read)
        return file.resolve() == other.resolve() or file.samefile(other)
    except (
        OSError,
        ValueError,
        RuntimeError,
        AttributeError,
    ):  # one of them is not there, or has no place on the disk
        return False


def _cannot(name: str, reason: str, parameter: str | None) -> FileError:
    return FileError(
        "this file cannot be written.",
        got=f"{name}: {reason}",
        need="a place that may be written to",
        parameter=parameter,
    )


def _refused(name: str, what: str, parameter: str | None, *, need: str, fix: str | None = None) -> FileError:
    return FileError(what, got=name or "''", need=need, fix=fix, parameter=parameter)
