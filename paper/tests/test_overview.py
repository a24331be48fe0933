"""The overview is a real run: its numbers are those of the comparison it draws."""

import json

import pytest
from rivals_paper import registry

pytest.importorskip("matplotlib", reason='pictures need matplotlib: pip install "rivals[plot]"')


def test_overview_draws_a_run_in_which_one_law_is_rejected(tmp_path):
    content = registry.find("overview").run(tmp_path, experiments=None, rng=0, progress=False)
    assert json.loads((tmp_path / "overview.json").read_text(encoding="utf-8")) == content
    assert (tmp_path / "overview.png").read_bytes()[:4] == b"\x89PNG"
    planck, rayleigh_jeans = content["numbers"]["models"]
    assert (planck["model"], rayleigh_jeans["rejected_by"]) == ("Planck", "Planck")
    assert content["numbers"]["probability"][0][1] > 0.95
