"""The front of cost and loss follows from the outcomes of pairs."""

from __future__ import annotations

import numpy as np
import pytest

import rivals

pytest.importorskip("matplotlib")


def result():
    rng = np.random.default_rng(0)
    task = np.repeat(np.arange(20), 10)
    base = rng.exponential(size=200)
    losses = {"large": base, "twin": base + 0.01 * rng.standard_normal(20)[task]}
    losses |= {"small": base + 0.3, "poor": base + 0.6}
    return rivals.compare(losses, groups=task)


def test_the_front_is_what_no_cheaper_model_beats():
    found = rivals.plots.front(result(), {"large": 10.0, "twin": 9.0, "small": 1.0, "poor": 2.0})
    assert found == {
        "large": "open",
        "twin": "on the front",
        "small": "on the front",
        "poor": "not on it",
    }


def test_the_picture_names_all(tmp_path):
    ax = rivals.plots.plot_costs(result(), {"large": 10.0, "twin": 9.0, "small": 1.0, "poor": 2.0})
    assert {text.get_text() for text in ax.texts} >= {"large", "twin", "small", "poor"}


def test_costs_that_lack_are_named():
    with pytest.raises(ValueError, match="none of twin"):
        rivals.plots.front(result(), {"large": 1.0, "small": 1.0, "poor": 1.0})
    with pytest.raises(ValueError, match="finite"):
        rivals.plots.front(result(), dict.fromkeys(("large", "twin", "small", "poor"), np.nan))
