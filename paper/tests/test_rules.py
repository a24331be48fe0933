"""Both rules for c: what they pass, and what they do not."""

import numpy as np
import pytest

from rivals_paper import rules
from rivals_paper.bins import judge_c


@pytest.fixture(scope="module")
def honest():
    rng = np.random.default_rng(0)
    probability = rng.random(4096)
    return probability, (rng.random(4096) < probability).astype(float)


def test_probabilities_that_come_true_pass_both_rules(honest):
    assert rules.bound_of(judge_c(*honest))["kept"]
    assert rules.problem_of(*honest) is None


def test_the_bound_sees_overconfidence_below_the_threshold(honest):
    """Pushed away from ½, but never beyond 0.95: no winner is named, and the bound is broken."""
    probability, truth = honest
    boastful = np.where(probability > 0.5, 0.94, 0.06)
    found = rules.bound_of(judge_c(boastful, truth))
    assert not found["kept"]
    assert found["excess"] > 0.05
    assert rules.problem_of(boastful, truth) == rules.SILENT


def test_a_truth_that_falls_while_b_rises_is_found(honest):
    probability, truth = honest
    folded = np.where(probability > 0.75, 0.05 + probability / 2, 0.4 + probability / 2)
    assert rules.problem_of(folded, truth) == rules.NOT_MONOTONE
    assert rules.problem_of(1 - probability, truth) == rules.OVERCONFIDENT
    muted = 0.5 - 0.4 * (probability - 0.5)
    assert rules.problem_of(muted, truth) == rules.REVERSED


def test_few_experiments_prove_nothing(honest):
    probability, truth = (each[:100] for each in honest)
    assert rules.problem_of(probability, truth) == rules.UNDETERMINED
