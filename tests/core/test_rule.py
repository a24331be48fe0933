"""The one rule, on evidence made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from rivals._core.evidence import Evidence
from rivals._core.rule import decide
from rivals._core.setting import Setting

NAMES = ("a", "b", "c")


def evidence(ab=0.9, ac=0.99, bc=0.97, *, error=0.0, clear=True, alone=None, risk=(0.1, 0.2, 0.3)):
    forward = np.array([ab, ac, bc])
    return Evidence(
        NAMES,
        np.array(risk),
        np.array([0, 0, 1]),
        np.array([1, 2, 2]),
        forward,
        1.0 - forward,
        np.full(3, error),
        np.full(3, clear),
        np.zeros((0, 3)) if alone is None else np.array(alone),
    )


def test_rejected_above_the_threshold_by_the_rival_of_lowest_risk():
    found = decide(evidence(), Setting())
    assert found.ranking == NAMES
    assert found.survivors == ("a", "b")
    assert (found.rejections["c"].by, found.rejections["c"].probability) == ("a", 0.99)
    assert decide(evidence(ac=0.9), Setting()).rejections["c"].by == "b"
    assert decide(evidence(), Setting(threshold=0.99)).survivors == NAMES
    assert decide(evidence(), Setting(threshold=0.8)).survivors == ("a",)


def test_at_the_threshold_itself_nothing_is_rejected():
    assert decide(evidence(ab=0.95, ac=0.95, bc=0.95), Setting()).rejections == {}


def test_models_of_equal_risk_do_not_reject_each_other():
    found = decide(evidence(ab=0.99, risk=(0.1, 0.1, 0.3)), Setting())
    assert "b" not in found.rejections
    assert found.ranking == NAMES


def test_within_the_error_of_draws_it_is_open():
    found = decide(evidence(ac=0.96, bc=0.5, error=0.01), Setting())
    assert found.rejections == {}
    assert (found.undecided["c"].by, found.undecided["c"].open_because) == ("a", "draws")
    # A rival that surely rejects takes the place of a better one that does so perhaps.
    sure = decide(evidence(ac=0.96, bc=0.99, error=0.01), Setting())
    assert sure.rejections["c"].by == "b"


def test_where_single_simulations_disagree_it_is_open():
    few = [[0.0, 0.9, 0.99]] * 8 + [[0.0, 0.9, 0.5]] * 2
    found = decide(evidence(alone=few), Setting())
    assert found.undecided["c"].open_because == "simulations"
    np.testing.assert_allclose(found.stability, [1.0, 1.0, 0.8])
    agree = decide(evidence(alone=[[0.0, 0.9, 0.99]] * 9 + [[0.0, 0.9, 0.5]]), Setting())
    assert agree.rejections.keys() == {"c"}


def test_looks_that_are_not_clear_reject_nothing():
    assert decide(evidence(clear=False), Setting()).rejections == {}


@pytest.mark.parametrize(
    "nonsense",
    [
        {"ab": np.nan},
        {"ab": 1.1},
        {"ab": -0.1},
        {"error": np.nan},
        {"error": -1.0},
        {"risk": (0.1, np.nan, 0.3)},
        {"risk": (0.1, np.inf, 0.3)},
    ],
)
def test_what_is_no_probability_is_no_evidence(nonsense):
    with pytest.raises(ValueError, match=r"models? '"):
        evidence(**nonsense)


@pytest.mark.parametrize(("backward", "margin"), [(0.2, 0.0), (0.05, 0.0), (0.2, 0.5)])
def test_what_is_not_antisymmetric_is_no_evidence(backward, margin):
    given = evidence(ab=0.9)
    with pytest.raises(ValueError, match="'a' and 'b'"):
        replace(given, backward=np.array([backward, *given.backward[1:]]), margin=margin)
