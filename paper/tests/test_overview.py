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


def test_in_the_committed_run_the_largest_valid_c_is_used():
    content = json.loads(RESULT.read_text(encoding="utf-8"))
    scores = content["numbers"]["Brier score"]
    c = content["settings"]["c"]
    # Larger ones say less; hardly a winner is named there.
    assert all(scores[f"{each}"] > scores[f"{c:g}"] for each in map(int, (2, 16)))
    assert content["numbers"]["overconfidence"][f"{c:g}"] < 0.01
    planck, rayleigh_jeans = content["numbers"]["models"]
    assert planck["empirical_risk"] < rayleigh_jeans["empirical_risk"]
    assert 0.5 < content["numbers"]["probability"][0][1] < 0.95
    assert rayleigh_jeans["survives"]
