"""`rivals demo`: the story, told in seconds, and its pictures."""

from __future__ import annotations

import pytest

pytest.importorskip("typer")
pytest.importorskip("matplotlib")

from terminal import rivals


def test_the_story_and_its_pictures(tmp_path):
    run = rivals("demo", "--out", tmp_path / "demo")
    assert run.status == 0
    for step in ("1. ", "2. ", "3. ", "4. "):
        assert f"\n{step}" in f"\n{run.out}"
    assert "Planck would probably win again" in run.out
    for name in ("risks.png", "paths.png", "laboratories.png"):
        assert (tmp_path / "demo" / name).stat().st_size > 10_000
        assert f"Written: {tmp_path / 'demo' / name}" in run.out


def test_c_changes_the_decision_on_one_recording(tmp_path):
    from rivals.cli.demo import told

    assert told(2.0**-6, 0).one.survivors == ("Planck",)
    assert "Wien" in told(16.0, 0).one.survivors
