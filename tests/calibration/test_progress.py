"""Progress: what is shown where, and that a notebook needs no widgets for it."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from rivals._workers.progress import show_progress


class ZMQInteractiveShell:
    """By this name a notebook is known."""


@pytest.fixture
def shown(monkeypatch):
    """A notebook that keeps what its cell displays: one list, whose last item is what one sees."""
    texts = []

    class Handle:
        def update(self, bundle, *, raw):
            assert raw
            texts.append(bundle["text/plain"])

    def display(bundle, *, raw, display_id):
        assert raw
        assert display_id is True
        texts.append(bundle["text/plain"])
        return Handle()

    notebook, module = ModuleType("IPython"), ModuleType("IPython.display")
    notebook.get_ipython = ZMQInteractiveShell
    module.display = display
    notebook.display = module
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # importing it fails
    return texts


def test_a_notebook_shows_one_line_that_changes(shown, capsys):
    with show_progress(True, 8, 2, "rivals calibrate: experiments") as progress:
        progress.update(3, 0)
        progress.update(8, 1)
    assert shown[0].startswith("rivals calibrate: 2 of 8 experiments")
    assert shown[-1].startswith("rivals calibrate: 8 of 8 experiments")
    assert shown[-1].endswith(", 1 failed")
    assert capsys.readouterr() == ("", "")


def test_a_notebook_is_not_flooded(shown, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("rivals._workers.progress.time", SimpleNamespace(monotonic=lambda: clock.now))
    with show_progress(True, 1000, 0, "rivals calibrate: experiments") as progress:
        for done in range(1000):
            clock.now += 0.01
            progress.update(done + 1, 0)
    assert 15 <= len(shown) <= 25  # ten seconds, twice a second


def test_a_log_gets_lines(capsys):
    with show_progress(True, 4, 0, "rivals calibrate: experiments") as progress:
        progress.update(4, 0)
    assert "4 of 4 experiments" in capsys.readouterr().err


def test_silence(capsys, shown):
    with show_progress(False, 4, 0, "rivals calibrate: experiments") as progress:
        progress.update(4, 0)
    assert shown == []
    assert capsys.readouterr() == ("", "")
