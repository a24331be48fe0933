"""Files that are written: errors name them, and names may be of any kind."""

from __future__ import annotations

import errno
import os

import pytest

from rivals._files import replacing


def test_a_missing_folder_is_named(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere; make it"),
        replacing(tmp_path / "nowhere" / "a.npz"),
    ):
        pass


def test_a_full_disk_is_named(tmp_path):
    def write():
        with replacing(tmp_path / "a.npz") as file:
            file.write(b"old")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match=r"a\.npz") as caught:
        write()
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_a_link_to_itself_stays_one(tmp_path):
    (tmp_path / "a.npz").symlink_to(tmp_path / "a.npz")
    with (
        pytest.raises(ValueError, match=r"a\.npz: is a link that leads to itself"),
        replacing(tmp_path / "a.npz"),
    ):
        pass
    assert (tmp_path / "a.npz").is_symlink()


@pytest.mark.parametrize("name", ["\N{GRINNING FACE}" * 60, "a" * 250, "é" * 120])
def test_long_names_are_counted_in_bytes(tmp_path, name):
    with replacing(tmp_path / name) as file:
        file.write(b"new")
    assert (tmp_path / name).read_bytes() == b"new"


def test_paths_may_be_bytes(tmp_path):
    with replacing(os.fsencode(tmp_path / "a.npz")) as file:
        file.write(b"new")
    assert (tmp_path / "a.npz").read_bytes() == b"new"


def test_content_is_on_disk_before_the_name(tmp_path, monkeypatch):
    """A power cut after the rename must not leave an empty file."""
    done = []
    fsync = os.fsync
    replace = os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (done.append("fsync"), fsync(number)))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("replace"), replace(*names)))
    with replacing(tmp_path / "a.npz") as file:
        file.write(b"new")
    assert done == ["fsync", "replace"]
