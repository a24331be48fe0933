"""The overview is a real run.

Its numbers are those of the comparison it draws, its c that of the calibration.
"""

import json
from pathlib import Path

from rivals_paper import registry
from rivals_paper.output import Task

RESULT = Path(__file__).parents[1] / "results" / "overview.json"


def test_overview_draws_a_run(tmp_path):
    content = registry.reproduce(registry.find("overview"), Task(tmp_path, experiments=16))
    assert json.loads((tmp_path / "overview.json").read_text(encoding="utf-8")) == content
    assert (tmp_path / "overview.png").read_bytes()[:4] == b"\x89PNG"
    assert [model["model"] for model in content["numbers"]["models"]] == [
        "Planck",
        "Rayleigh-Jeans",
    ]
    assert (
        min(content["numbers"]["Brier score"], key=content["numbers"]["Brier score"].get)
        == f"{content['settings']['c']:g}"
    )


def test_in_the_committed_run_calibration_sets_c_and_one_law_is_rejected():
    content = json.loads(RESULT.read_text(encoding="utf-8"))
    scores, excess = content["numbers"]["Brier score"], content["numbers"]["overconfidence"]
    chosen = f"{content['settings']['c']:g}"
    assert scores[chosen] == min(scores.values())
    # A curve needs c: too small a one is overconfident, and too large a one says less.
    smaller = f"{min(map(float, scores)):g}"
    assert excess[smaller] > excess[chosen]
    planck, rayleigh_jeans = content["numbers"]["models"]
    assert (planck["model"], rayleigh_jeans["rejected_by"]) == ("Planck", "Planck")
    assert content["numbers"]["probability"][0][1] > 0.95
