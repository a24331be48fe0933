"""Both rules for c: what they pass, and what they do not."""

import numpy as np
import pytest

from rivals_paper import judged


@pytest.fixture(scope="module")
def honest():
    rng = np.random.default_rng(0)
    probability = rng.random(4096)
    return probability, (rng.random(4096) < probability).astype(float)


def test_probabilities_that_come_true_pass_both_rules(honest):
    assert judged.bound(*honest).kept
    assert judged.winners(*honest).valid


def test_the_bound_sees_overconfidence_below_the_threshold(honest):
    """Pushed away from ½, but never beyond 0.95: no winner is named, and the bound is broken."""
    probability, truth = honest
    boastful = np.where(probability > 0.5, 0.94, 0.06)
    assert not judged.bound(boastful, truth).kept
    assert judged.winners(boastful, truth).problem == judged.SILENT


def test_caution_is_allowed(honest):
    probability, truth = honest
    assert judged.bound(0.5 + 0.3 * (probability - 0.5), truth).kept


def test_a_truth_that_falls_while_b_rises_is_found(honest):
    probability, truth = honest
    folded = np.where(probability > 0.75, 0.05 + probability / 2, 0.4 + probability / 2)
    assert judged.winners(folded, truth).problem == judged.NOT_MONOTONE
    assert judged.winners(1 - probability, truth).problem == judged.OVERCONFIDENT
    muted = 0.5 - 0.4 * (probability - 0.5)
    assert judged.winners(muted, truth).problem == judged.REVERSED


def test_few_experiments_prove_nothing(honest):
    probability, truth = (each[:100] for each in honest)
    assert judged.winners(probability, truth).problem == judged.UNDETERMINED


def test_named_winners_are_counted():
    probability = np.array([0.99, 0.99, 0.01, 0.5, 0.9])
    found = judged.winners(probability, np.array([1.0, 0.0, 0.0, 1.0, 1.0]))
    assert (found.named, found.part) == (3, pytest.approx(0.6))
    assert found.error == pytest.approx(1 / 3)
    assert np.isnan(judged.winners(np.full(3, 0.5), np.ones(3)).error)
