"""A calibration in a paper: what it was, the rule, and what it found, in its own paragraph and in
that of a comparison.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_result import calibrated, made_up
from test_use import PAIR, losses_of

import rivals
from rivals import Calibration
from rivals.testbeds import toys

TWO = {"omegas": ("drift", "a lab"), "omega": np.arange(1024) % 2}
THREE = losses_of({"A": 0.0, "B": 1.0, "C": 2.0})


def two_omegas(**options):
    described = {"drift": "The level drifts.", "a lab": ""}
    return made_up(*calibrated(1024), law="transport", descriptions=described, **TWO, **options)


@pytest.mark.parametrize("of", ["comparison", "calibration"])
def test_the_paragraph_names_what_was_done(of):
    calibration = two_omegas()
    told = calibration.methods()
    if of == "comparison":
        told = rivals.compare(PAIR, c=calibration, rng=0).methods()
    assert (
        "on experiments of the epistemic distributions Ω 'drift' (The level drifts; 512 "
        "experiments) and 'a lab' (512 experiments)."
    ) in told
    assert (
        "Each experiment had 100 data points, losses in nats, and 1 simulation of each of 2" in told
    )
    assert "lower mean loss on 1000 further points of the same process" in told
    assert "Nature Communications (2025)" in told
    assert "  " not in told


def test_each_rule_by_its_words():
    calibration = two_omegas()
    ours = calibration.methods()
    bound = calibration.methods(rule="bound")
    both = calibration.methods(rule="both")
    winners = "if winners were stated, with a probability above 0.95, unless more than 5 % of them"
    papers = "if it kept the bound of René and Longtin (2025), that in no bin"
    assert [winners in each for each in (ours, bound, both)] == [True, False, True]
    assert [papers in each for each in (ours, bound, both)] == [False, True, True]
    assert "valid for every Ω" in ours
    assert "every Ω" not in made_up(*calibrated(512)).methods()
    with pytest.raises(ValueError, match="rule"):
        calibration.methods(rule="ours")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"replicated": True}, "in a fresh replication of 1000 points"),
        ({"n_replications": 3}, "in 3 fresh replications of 1000 points each"),
        ({"order": "time"}, "100 data points, taken as a time series"),
        ({"n_simulations": 16}, "16 simulations of each of 2 candidates"),
    ],
)
def test_how_the_truth_is_known_and_what_the_sizes_are(changes, words):
    replicated = changes.pop("replicated", "n_replications" in changes)
    calibration = replace(made_up(*calibrated(512), replicated=replicated), **changes)
    assert words in calibration.methods()


def test_experiments_from_elsewhere():
    truth = np.arange(400) % 10 > 0
    found = Calibration.from_experiments({0.25: np.full(400, 0.99)}, truth, n_data=1000)
    assert "known from a replication of the experiment" in found.methods()
    assert "c = 0.25 alone was tried" in found.methods()
    assert "The seed" not in found.methods()


def test_how_probabilities_are_read_is_told_for_two_and_for_more_models():
    scores = np.linspace(0, 1, 1024)[:, None]
    enough = two_omegas(n_candidates=3, score=scores)
    pair = rivals.compare(PAIR, c=two_omegas(), rng=0).methods()
    slope = min(each.slope for each in two_omegas()._corrections(1.0).values())
    assert f"its log odds times {slope:.2g} in the most cautious Ω" in pair
    best = rivals.compare(THREE, c=enough, rng=0).methods()
    assert "By chance, even the truly best of 3 candidates looks beaten in some" in best
    assert "rejected in at most 5 % of them" in best
    stricter = rivals.compare(THREE, c=enough, threshold=0.99, rng=0).methods()
    assert "rejected in at most 1 % of them" in stricter
    few = rivals.compare(THREE, c=two_omegas(), rng=0).methods()
    assert "have 2 candidates and there are 3 models" in few
    assert "taken 2 times (Bonferroni)" in few


def test_of_several_calibrations_it_is_told_which_decides():
    told = rivals.compare(PAIR, c=[two_omegas(), two_omegas()], rng=0).methods()
    assert "Of 2 calibrations the one that rejects least decides. c was calibrated" in told


def test_the_paragraph_is_kept_in_a_file(tmp_path):
    result = rivals.compare(PAIR, c=two_omegas(), rng=0)
    result.save(tmp_path / "saved.npz")
    assert rivals.load(tmp_path / "saved.npz").methods() == result.methods()
    assert rivals.compare(PAIR, rng=0).calibration_methods == ""


def test_page_has_both_paragraphs_side_by_side(tmp_path):
    pytest.importorskip("jinja2")
    result = rivals.compare(PAIR, c=two_omegas(), rng=0)
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    both = page[page.index('<blockquote id="methods">') :]
    assert "The level drifts; 512 experiments" in both
    assert result.conclusion.partition(" (")[0] in both


def test_the_conclusion_says_what_was_found():
    truth = calibrated(1024)[1]
    stated = np.column_stack(
        [calibrated(1024, sharpen=4.0)[0], calibrated(1024)[0], np.full(1024, 0.6)]
    )
    found = made_up(stated, truth, c=(0.01, 0.25, 64.0))
    told = found.conclusion
    error = found.validity().error[0, 1]
    assert told.startswith("Of 3 values of c, 0.25 is the most informative (Brier score 0.")
    assert f"{100 * error:.2g} % of" in told
    assert "right often enough, at c = 0.25;" in told
    assert "is kept at c = 0.25 … 64." in told
    none = made_up(calibrated(1024, sharpen=6.0)[0], truth).conclusion
    assert none.startswith("At c = 1, the only one tried, it is overconfident: ")
    assert "right often enough, at no c that was tried; " in none
    few = made_up(*calibrated(60)).conclusion
    assert "log odds" not in few


def test_an_unfinished_study_has_nothing_to_tell():
    def broken(rng):
        raise OSError("no licence")

    found = rivals.calibrate(
        {"broken": broken, "toy": toys.omega},
        n_data=100,
        n_experiments=2,
        n_truth=100,
        c=[1.0],
        rng=0,
        executor=0,
        progress=False,
    )
    for ask in (found.methods, found.to_markdown, found.to_latex, lambda: found.conclusion):
        with pytest.raises(ValueError, match=r"nothing is known at any c: All 2 .*'broken' failed"):
            ask()


def test_of_a_best_c_that_states_no_winner_just_that_is_said():
    truth = np.random.default_rng(0).random(512) < 0.5
    tried = {1.0: np.where(truth, 0.7, 0.3), 4.0: np.full(512, 0.6)}
    calibration = rivals.Calibration.from_experiments(tried, truth.astype(float), n_data=100)
    assert "experiments): no winner is stated. Winners are stated" in calibration.conclusion
    assert "at no c that was tried" in calibration.conclusion
