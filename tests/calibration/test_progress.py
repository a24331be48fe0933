"""Progress: what is shown where, and that a notebook needs no widgets for it."""

from __future__ import annotations

import sys
from contextlib import closing
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from rivals._workers.plan import Plan
from rivals._workers.progress import Progress


class ZMQInteractiveShell:
    """By this name a notebook is known."""


@pytest.fixture
def notebook(monkeypatch):
    module = ModuleType("IPython")
    module.get_ipython = ZMQInteractiveShell
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # importing it fails


def progress_of(total, already=0, *, show=True, failed=0):
    """A plan of so many pieces, and its progress."""
    plan = Plan([np.arange(total) >= already], failed=failed)
    return plan, Progress(plan, "rivals calibrate: {} of {} experiments", show=show)


def lines_seen(text):
    """What is left on each line, where a carriage return begins it again and the text after it
    covers that before.
    """
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
    monkeypatch.setattr(
        "rivals._workers.progress.time", SimpleNamespace(monotonic=lambda: clock.now)
    )
    plan, progress = progress_of(1_000_000, 2, failed=1)
    with closing(progress):
        for done in (3, 1_000_000):
            clock.now += 1.0
            plan.done = done
            progress.update()
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        "\rrivals calibrate: 3 of 1000000 experiments, 1 per second, about "
        "11 days, 13:46:37 left, 1 failed"
    ) in err
    assert lines_seen(err) == [
        "rivals calibrate: 1000000 of 1000000 experiments, 5e+05 per second, 1 failed",
        "",
    ]


@pytest.mark.usefixtures("notebook")
def test_a_notebook_is_not_flooded(capsys, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(
        "rivals._workers.progress.time", SimpleNamespace(monotonic=lambda: clock.now)
    )
    plan, progress = progress_of(1000)
    with closing(progress):
        for done in range(1000):
            clock.now += 0.01
            plan.done = done + 1
            progress.update()
    assert 15 <= capsys.readouterr().err.count("\r") <= 25  # ten seconds, twice a second


def test_a_log_gets_lines(capsys):
    _, progress = progress_of(4, 4)
    with closing(progress):
        progress.update()
    assert "4 of 4 experiments" in capsys.readouterr().err


@pytest.mark.usefixtures("notebook")
def test_silence(capsys):
    _, progress = progress_of(4, 4, show=False)
    with closing(progress):
        progress.update()
    assert capsys.readouterr() == ("", "")
