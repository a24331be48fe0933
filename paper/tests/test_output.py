"""What is written, and how a comparison reads."""

import json

import numpy as np
import pytest

from rivals_paper import output


def test_everything_written_is_plain_json(tmp_path):
    task = output.Task(tmp_path / "new" / "folder", seed=np.int64(3))
    made = output.Reproduction(
        figure=None,
        comparisons=[
            output.comparison(
                "a", variant="corrected", reference=None, source=None, ours=np.float64(1.5)
            )
        ],
        numbers={"array": np.arange(3.0), "flag": np.bool_(True), "infinite": [np.inf, -np.inf]},
        settings={"size": np.int64(3)},
    )
    content = output.write(task, made, name="x", reading="left to right", differences=[])
    stored = json.loads((tmp_path / "new" / "folder" / "x.json").read_text(encoding="utf-8"))
    assert stored == content
    assert stored["numbers"] == {"array": [0, 1, 2], "flag": True, "infinite": ["inf", "-inf"]}
    assert stored["comparisons"][0]["ours"] == 1.5


def test_a_comparison_reads_as_a_line():
    row = output.comparison(
        "B", variant="as published", reference=0.8, source="paper", ours=0.79, standard_error=0.01
    )
    assert (
        output.describe(row) == "B (as published): paper 0.8, ours 0.79, difference -0.01 = -1.0 SE"
    )
    row = output.comparison("B", variant="corrected", reference=None, source=None, ours=0.5)
    assert output.describe(row) == "B (corrected): nothing published –, ours 0.5"


def test_variants_are_three():
    with pytest.raises(ValueError, match="'as published', 'constants as published', 'corrected'"):
        output.comparison("B", variant="fixed", reference=1.0, source="paper", ours=1.0)
    with pytest.raises(ValueError, match="source must be one of"):
        output.comparison("B", variant="corrected", reference=1.0, source="hearsay", ours=1.0)


def test_an_explanation_stands_where_the_numbers_differ():
    def row(ours, standard_error=0.1):
        return output.comparison(
            "B",
            variant="corrected",
            reference=0.0,
            source="paper",
            ours=ours,
            standard_error=standard_error,
            explanation="other prior",
        )

    assert "explanation" not in row(0.29)
    assert row(-0.31)["explanation"] == "other prior"
    assert row(0.29, standard_error=None)["explanation"] == "other prior"
    assert not output.differs(row(np.inf))
