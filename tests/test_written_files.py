"""Files that are written: whole or not at all, never over what is read, over others only if told."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from partita.errors import FileError
from partita.files.writing import check_target, write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="links, permissions and devices are those of POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_a_file_is_written_byte_by_byte_and_nothing_beside_it() -> None:
    write_whole("x.bin", b"\r\n\0\xff", overwrite=False)
    assert Path("x.bin").read_bytes() == b"\r\n\0\xff"
    assert names() == ["x.bin"]


def test_a_file_that_is_there_is_replaced_only_if_told() -> None:
    Path("x.txt").write_text("old")
    for ask in (check_target, lambda path, **ways: write_whole(path, b"new", **ways)):
        with pytest.raises(FileError, match="there already") as caught:
            ask("x.txt", overwrite=False)
        assert caught.value.fix == "overwrite=True replaces it"
        assert Path("x.txt").read_text() == "old"
    write_whole("x.txt", b"new", overwrite=True)
    assert Path("x.txt").read_text() == "new"


@posix
def test_links_and_permissions_stay() -> None:
    Path("real.txt").write_text("old")
    Path("real.txt").chmod(0o640)
    Path("link.txt").symlink_to("real.txt")
    write_whole("link.txt", b"new", overwrite=True)
    assert Path("link.txt").is_symlink()
    assert Path("real.txt").read_text() == "new"
    assert stat.S_IMODE(Path("real.txt").stat().st_mode) == 0o640


@posix
def test_a_disk_that_is_full_leaves_the_old_file_whole() -> None:
    """A limit on the size of files stands for the disk: the system refuses the write after some bytes."""
    import resource

    Path("x.txt").write_text("precious")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(FileError, match="cannot be written") as caught:
            write_whole("x.txt", b"n" * 100_000, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert os.strerror(errno.EFBIG) in str(caught.value)
    assert names() == ["x.txt"]
    assert Path("x.txt").read_text() == "precious"


@pytest.mark.parametrize(("home", "step"), [(os, "fsync"), (Path, "replace")])
def test_where_a_late_step_fails_the_old_file_is_whole(home: object, step: str) -> None:
    Path("x.txt").write_text("precious")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, step, fail)
        with pytest.raises(FileError, match="No space left on device"):
            write_whole("x.txt", b"new", overwrite=True)
    assert names() == ["x.txt"]
    assert Path("x.txt").read_text() == "precious"


@posix
def test_no_file_that_is_read_is_written() -> None:
    Path("in.csv").write_text("x\n1\n")
    Path("link.csv").symlink_to("in.csv")
    Path("hard.csv").hardlink_to("in.csv")
    for name in ("in.csv", "./in.csv", "link.csv", "hard.csv", f"{Path.cwd()}/in.csv"):
        with pytest.raises(FileError, match="this file is read"):
            check_target(name, overwrite=True, inputs=[None, "-", "in.csv"])
    check_target("other.csv", overwrite=False, inputs=[None, "-", "in.csv", "none.csv"])


REFUSED = {
    "a directory": (".", "this is a directory"),
    "nothing": ("", "this is a directory"),
    "no folder": ("none/x.txt", "no such folder"),
    "a file as folder": ("x.txt/y.txt", "no such folder"),
    "a name too long": ("x" * 300, "cannot be written"),
    "a null byte": ("a\0b", "cannot have this name"),
    "a device": ("/dev/null", "a device or a pipe"),
    "a full device": ("/dev/full", "a device or a pipe"),
    "a pipe": ("pipe", "a device or a pipe"),
    "a loop of links": ("loop", "cannot be written|loop"),
}


@posix
@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused_before_and_while(case: str) -> None:
    Path("x.txt").write_text("x")
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe")
    name, words = REFUSED[case]
    before = names()
    for overwrite in (False, True):
        with pytest.raises(FileError, match=words):
            check_target(name, overwrite=overwrite)
        with pytest.raises(FileError, match=words):
            write_whole(name, b"new", overwrite=overwrite)
    assert names() == before


def test_folders_and_files_of_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root, who runs these tests in a container, may write anywhere: the system's answer is put in."""
    Path("closed").mkdir()
    Path("kept.txt").write_text("x")
    forbidden = {(Path.cwd() / name).resolve() for name in ("closed", "kept.txt")}
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).resolve() not in forbidden)
    with pytest.raises(FileError, match="nothing may be written to this folder"):
        check_target("closed/x.txt", overwrite=False)
    with pytest.raises(FileError, match="may not be changed"):
        check_target("kept.txt", overwrite=True)


def test_the_message_is_about_the_parameter() -> None:
    with pytest.raises(FileError) as caught:
        check_target("none/x.txt", overwrite=False, parameter="to")
    assert caught.value.parameter == "to"
