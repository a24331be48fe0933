"""Mistakes that the losses themselves show."""

import numpy as np
import pytest

import rivals
from rivals._core.losses import Losses, Study
from rivals._core.mistakes import mistakes


def found(**losses):
    study = Study.of({name: Losses(each) for name, each in losses.items()})
    return [(note.code, note.models) for note in mistakes(study)]


def drawn(n=500):
    """Negative log densities of two normal models at the same points."""
    y = np.random.default_rng(0).standard_normal(n)
    return y**2 / 2, np.log(1.3) + (y / 1.3) ** 2 / 2


def test_losses_that_are_well_are_not_noted():
    a, b = drawn()
    assert found(a=a, b=b) == []
    # Models that are right where others are wrong lose against each other, but not by the sign.
    assert found(a=a, b=a.max() - a + np.random.default_rng(1).exponential(size=a.size) * 9) == []


def test_one_sign_among_others():
    a, b = drawn()
    assert found(a=a, b=b, c=-b) == [("opposite sign", ("c",))]
    result = rivals.compare({"a": a, "b": b, "c": -b}, groups=np.arange(500) % 8)
    assert "from_log_likelihood" in result.conclusion


def test_one_model_given_twice():
    a, b = drawn()
    assert found(a=a, b=b, c=a.copy()) == [("same losses", ("a", "c"))]
    assert found(a=a, b=b, c=np.where(np.arange(500) == 499, a + 1e-9, a)) == []


def test_few_points_show_no_sign():
    a, b = drawn(40)
    assert found(a=a, b=-b) == []


def test_running_numbers_and_copies_are_refused():
    a, _ = drawn()
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": a, "row": np.arange(500)})
    with pytest.raises(ValueError, match="model 'row': a running number"):
        rivals.compare(frame, groups=np.arange(500) % 5)
    # Whoever names a model means it: these may be losses.
    by_name = {"a": [0.5, 0.2, 0.1], "b": [-1, 0, 1]}
    assert rivals.compare(by_name, groups=["x", "y", "z"]).risk["b"] == pytest.approx(
        0.0, abs=1e-15
    )
    with pytest.raises(ValueError, match="model 'a': simulated losses equal the observed ones"):
        rivals.compare({"a": (a, a), "b": (a + 0.1, a)})
