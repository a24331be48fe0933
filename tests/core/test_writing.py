"""Files are whole or not there; nothing but a regular file is replaced."""

from __future__ import annotations

import os
import stat
import threading

import pytest

import rivals
from rivals._core.writing import replacing
from rivals.testbeds import toys

RESULT = rivals.compare(toys.losses(), rng=0)
POSIX = pytest.mark.skipif(os.name != "posix", reason="devices and links of POSIX")


def saved(path):
    RESULT.save(path)


def reported(path):
    pytest.importorskip("jinja2")
    RESULT.report(path)


WRITERS = pytest.mark.parametrize("write", [saved, reported])


@POSIX
@WRITERS
def test_a_planted_link_leads_nowhere(tmp_path, write):
    """Whoever can write to the folder cannot make us write elsewhere."""
    secret = tmp_path / "secret"
    secret.write_text("untouched", encoding="utf-8")
    for name in (".x.npz.partial", ".rivals-0000000000000000"):
        (tmp_path / name).symlink_to(secret)
    write(tmp_path / "x.npz")
    assert secret.read_text(encoding="utf-8") == "untouched"
    assert stat.S_ISREG(os.lstat(tmp_path / "x.npz").st_mode)
    assert len(list(tmp_path.iterdir())) == 4


@POSIX
@WRITERS
def test_what_is_no_file_stays_what_it_is(tmp_path, write):
    secret = tmp_path / "secret"
    secret.write_text("untouched", encoding="utf-8")
    link, pipe, folder = (tmp_path / name for name in ("link", "pipe", "folder"))
    link.symlink_to(secret)
    os.mkfifo(pipe)
    folder.mkdir()
    before = sorted(tmp_path.iterdir())
    for target, what in ((link, "is a link"), (pipe, "a pipe"), (folder, "is a folder")):
        mode = os.lstat(target).st_mode
        with pytest.raises(OSError, match=what):
            write(target)
        assert os.lstat(target).st_mode == mode
    with pytest.raises(OSError, match="device"):
        write("/dev/full")
    assert sorted(tmp_path.iterdir()) == before
    assert secret.read_text(encoding="utf-8") == "untouched"


@WRITERS
def test_of_two_writers_one_wins(tmp_path, write):
    target = tmp_path / "x.npz"
    write(target)
    size = target.stat().st_size
    wrong = []

    def often():
        try:
            for _ in range(10):
                write(target)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert target.stat().st_size == size
    assert [each.name for each in tmp_path.iterdir()] == ["x.npz"]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / ("x" * 250)  # as long as names may be: no other is made of it
    target.write_bytes(b"old")

    def broken():
        with replacing(target) as file:
            file.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        broken()
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
    with replacing(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        RESULT.save(tmp_path / "nowhere" / "x.npz")


@POSIX
def test_others_may_read_what_the_umask_lets_them(tmp_path):
    old = os.umask(0o022)
    try:
        RESULT.save(tmp_path / "x.npz")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x.npz").stat().st_mode) == 0o644
