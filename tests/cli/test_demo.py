"""`rivals demo`: the table and a report folder."""

import json

from rivals.cli.demo import blackbody_comparison


def test_demo_prints_and_writes(tmp_path, run):
    out = tmp_path / "a report"
    shown = run("demo", "--out", str(out))
    assert shown.exit_code == 0, shown.output
    assert "Planck" in shown.output
    assert (out / "risks.png").read_bytes()[:4] == b"\x89PNG"
    assert "Rayleigh-Jeans" in (out / "table.txt").read_text(encoding="utf-8")
    assert json.loads((out / "comparison.json").read_text(encoding="utf-8"))["survivors"] == [
        "Planck",
        "Rayleigh-Jeans",
    ]


def test_both_laws_describe_the_far_infrared():
    """At 15 to 30 µm and with their temperatures fitted, the two laws cannot be told apart: B near ½ for any c."""
    sweep = blackbody_comparison().sweep(c=[2.0**-3, 1.0])
    assert (abs(sweep.probability[:, 0, 1] - 0.5) < 0.2).all()
