"""Progress: what is shown where, and that a notebook needs no widgets for it."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from rivals._workers.progress import show_progress


class ZMQInteractiveShell:
    """By this name a notebook is known."""


@pytest.fixture
def notebook(monkeypatch):
    module = ModuleType("IPython")
    module.get_ipython = ZMQInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # importing it fails


def lines_seen(text):
    """What is left on each line, where a carriage return begins it again and the text after it covers that before."""
    seen = []
    for line in text.split("\n"):
        left = ""
        for part in line.split("\r"):
            left = part + left[len(part) :]
        seen.append(left.rstrip())
    return seen


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_one_line_that_changes(capsys, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("rivals._workers.progress.time", SimpleNamespace(monotonic=lambda: clock.now))
    with show_progress(True, 1_000_000, 2, "rivals calibrate: experiments") as progress:
        for done in (3, 1_000_000):
            clock.now += 1.0
            progress.update(done, 1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "\rrivals calibrate: 3 of 1000000 experiments, 1 per second, about 277.8 h left, 1 failed" in err
    assert lines_seen(err) == ["rivals calibrate: 1000000 of 1000000 experiments, 5e+05 per second, 1 failed", ""]


@pytest.mark.usefixtures("notebook")
def test_a_notebook_is_not_flooded(capsys, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("rivals._workers.progress.time", SimpleNamespace(monotonic=lambda: clock.now))
    with show_progress(True, 1000, 0, "rivals calibrate: experiments") as progress:
        for done in range(1000):
            clock.now += 0.01
            progress.update(done + 1, 0)
    assert 15 <= capsys.readouterr().err.count("\r") <= 25  # ten seconds, twice a second


def test_a_log_gets_lines(capsys):
    with show_progress(True, 4, 0, "rivals calibrate: experiments") as progress:
        progress.update(4, 0)
    assert "4 of 4 experiments" in capsys.readouterr().err


@pytest.mark.usefixtures("notebook")
def test_silence(capsys):
    with show_progress(False, 4, 0, "rivals calibrate: experiments") as progress:
        progress.update(4, 0)
    assert capsys.readouterr() == ("", "")
