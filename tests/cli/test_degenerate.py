"""Ordinary and degenerate files: an answer or one sentence, and never nan, a trace or a warning
of another library.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from terminal import rivals, written

BASE = np.random.default_rng(0).exponential(size=20)
NOISE = np.random.default_rng(1).standard_normal(20)
FOURS = [f"g{place}" for place in range(4) for _ in range(5)]
CASES = {
    "constant": (FOURS, np.ones(20), 2.0 * np.ones(20)),
    "the same": (FOURS, BASE, BASE),
    "huge": (FOURS, 1e149 * BASE, 1.1e149 * BASE),
    "tiny": (FOURS, 1e-300 * BASE, 2e-300 * BASE),
    "of two sizes": (FOURS, 1e149 * BASE, BASE),
    "groups of one point": ([f"g{place}" for place in range(20)], BASE, BASE + NOISE),
    "a large common part": (FOURS, 1e12 + BASE, 1e12 + BASE + NOISE),
    "right or wrong": (FOURS, 1 * (BASE > 1.0), 1 * (BASE > 0.5)),
    "one group": (["a"] * 20, BASE, BASE + 1.0),
    "two groups": (["a"] * 10 + ["b"] * 10, BASE, BASE + 1.0),
    "one row": (["a"], [1.0], [2.0]),
}
COMMANDS = [
    ("compare", "--details"),
    ("compare", "--json"),
    ("compare", "--looks", "any", "--new-groups", "1"),
    ("gate", "--fitted-before", "--baseline", "a"),
    (
        "gate",
        "--fitted-before",
        "--baseline",
        "b",
        "--require",
        "not-worse",
        "--margin",
        "1e-3",
        "--json",
    ),
    ("plan", "--more-groups", "3", "--json"),
    ("summarise",),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_answer_or_a_sentence(case, command, tmp_path):
    rows = zip(*CASES[case], strict=True)
    text = "group,a,b\n" + "".join(f"{g},{float(a)!r},{float(b)!r}\n" for g, a, b in rows)
    path = written(tmp_path, text)
    run = rivals(command[0], path, "--groups", "group", *command[1:])
    assert run.status in (0, 1, 2, 3)
    assert "nan" not in run.out
    assert "Traceback" not in run.err
    warnings = [line for line in run.err.splitlines() if line.startswith("warning: ")]
    assert all("point" in line for line in warnings), warnings
    if "--json" in command or (command[0] == "summarise" and run.status == 0):
        json.loads(run.out)
    if run.status == 2 and "--json" not in command:
        assert sum(line.startswith("rivals: ") for line in run.err.splitlines()) == 1
