"""Every file that the package writes: old or new and never half, its mode and its links kept,
nothing else touched.
"""

from __future__ import annotations

import functools
import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("jinja2", reason='reports need jinja2: pip install "rivals[report]"')
from omegas import toy

import rivals
from pages import comparison
from rivals.cli import demo

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="modes, links and devices are those of POSIX"
)


@functools.cache
def result() -> rivals.Comparison:
    losses = comparison(2, n=64).losses.values()
    return rivals.compare(
        dict(zip(("Planck", "Wien"), losses, strict=True)), rng=0
    )  # the demo draws Planck's law


@functools.cache
def calibration() -> rivals.Calibration:
    settings = {
        "n_data": 32,
        "n_truth": 100,
        "c": [1.0],
        "n_simulations": 2,
        "rng": 0,
        "progress": False,
    }
    return rivals.calibrate(toy, n_experiments=4, executor=0, **settings)


WRITERS: dict[str, Callable[[Path], object]] = {
    "x.npz": lambda path: result().save(path),
    "x.html": lambda path: result().report(path),
    "risks.png": lambda path: demo.write_report(result(), result(), path.parent),
    "paths.png": lambda path: demo.write_report(result(), result(), path.parent),
}


@pytest.fixture(params=WRITERS)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that is to be written, by its name."""
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / str(request.param)


def write(path: Path) -> None:
    WRITERS[path.name](path)


def others(target: Path) -> set[str]:
    """What is left beside the files that are meant to be there."""
    return {path.name for path in target.parent.iterdir()} - {
        target.name,
        *WRITERS,
        "report.html",
    }


def test_mode_and_links_are_kept_and_nothing_is_left(target, tmp_path):
    real = tmp_path / "elsewhere"
    real.write_bytes(b"old")
    real.chmod(0o600)
    target.symlink_to(real)
    planted = tmp_path / "not to be touched"
    planted.write_bytes(b"mine")
    (target.parent / f"{target.name}.partial").symlink_to(planted)  # where an attacker expects us
    write(target)
    assert target.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert real.read_bytes() != b"old"
    assert planted.read_bytes() == b"mine"
    assert others(target) == {f"{target.name}.partial"}


def test_what_is_no_plain_file_is_refused(target):
    os.mkfifo(target)
    with pytest.raises((ValueError, OSError), match="not a plain file"):
        write(target)
    assert stat.S_ISFIFO(target.stat().st_mode)
    assert others(target) == set()


def test_four_processes_that_save_to_one_path_do_not_damage_it(tmp_path):
    """What lies there is whole at every moment, and at the end."""
    path = tmp_path / "x.npz"
    source = tmp_path / "source.npz"
    result().save(source)
    result().save(path)
    code = """
import sys, rivals
result = rivals.load(sys.argv[1])
for _ in range(15):
    result.save(sys.argv[2])
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(source), str(path)]) for _ in range(4)
    ]
    looks = 0
    while any(process.poll() is None for process in processes) or looks == 0:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
        looks += 1
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert rivals.load(path).names == result().names
    assert sorted(each.name for each in tmp_path.iterdir()) == ["source.npz", "x.npz"]


def test_a_name_counts_by_its_bytes(tmp_path):
    """60 emoji are 240 bytes, of the 255 that most file systems take; 80 are too many."""
    result().save(tmp_path / ("😀" * 60 + ".npz"))
    with pytest.raises(OSError, match="of 324 bytes, is too long for this file system; choose"):
        result().save(tmp_path / ("😀" * 80 + ".npz"))


@pytest.mark.parametrize("path", [None, 5, ["x.npz"], "a\0b.npz"])
def test_what_names_no_file_is_said(path):
    said = "a file is named by text or a path"
    if isinstance(path, str):
        said = r"a\\x00b.npz: the name of a file cannot hold the character 0"
    with pytest.raises((TypeError, ValueError), match=said):
        result().save(path)
    with pytest.raises((TypeError, ValueError), match=said):
        rivals.load(path)


def test_files_are_read_by_paths_of_bytes(tmp_path):
    path = os.fsencode(tmp_path / "x.npz")
    result().save(path)
    assert rivals.load(path).names == result().names
    assert list(rivals.read.npz(path)) == list(result().names)
    table = tmp_path / "losses.csv"
    rows = ["A,observed,1", "A,observed,2", "A,synthetic,1", "A,synthetic,3"]
    table.write_text("\n".join(["model,kind,loss", *rows]), encoding="utf-8")
    assert list(rivals.read.losses_from_files(os.fsencode(table))) == ["A"]
    assert list(rivals.read.long_table(os.fsencode(table))) == ["A"]
