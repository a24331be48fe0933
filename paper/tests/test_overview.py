"""The overview is a real run: its numbers are those of the comparison it draws."""

import json

from rivals_paper import registry
from rivals_paper.output import Task


def test_overview_draws_a_run_in_which_one_law_is_rejected(tmp_path):
    content = registry.reproduce(registry.find("overview"), Task(tmp_path))
    assert json.loads((tmp_path / "overview.json").read_text(encoding="utf-8")) == content
    assert (tmp_path / "overview.png").read_bytes()[:4] == b"\x89PNG"
    planck, rayleigh_jeans = content["numbers"]["models"]
    assert (planck["model"], rayleigh_jeans["rejected_by"]) == ("Planck", "Planck")
    assert content["numbers"]["probability"][0][1] > 0.95
