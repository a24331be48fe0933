"""The shape of the tail: limits that are known exactly, and no dependence on unit or offset."""

from __future__ import annotations

import numpy as np
import pytest

from rivals.core.tails import extremes, tail_shape, tail_word

SIZE = 20_000
SAMPLES = 20


def shapes(kind: str, **parameters: float) -> np.ndarray:
    rng = np.random.default_rng(7)
    return np.array(
        [tail_shape(getattr(rng, kind)(size=SIZE, **parameters)) for _ in range(SAMPLES)]
    )


@pytest.mark.parametrize(
    ("kind", "parameters", "expected"),
    [
        ("exponential", {}, 0.0),
        ("pareto", {"a": 1.0}, 1.0),
        ("pareto", {"a": 2.0}, 0.5),
        ("uniform", {}, -1.0),
    ],
)
def test_limits(kind, parameters, expected):
    # The estimator's standard deviation is about (1 + k)/√n_tail with n_tail = 3 √20 000 = 424,
    # less for the mean of 20 samples: 0.011 (1 + k). Its bias is of the order of 1/n_tail times a
    # few, so 0.05 is more than three of these.
    assert shapes(kind, **parameters).mean() == pytest.approx(
        expected, abs=0.05 if expected >= 0 else 0.1
    )


def test_single_samples_scatter_as_theory_says():
    # Asymptotic standard deviation of the shape: (1 + k)/√n_tail = 2/√424 = 0.097 for k = 1; of 20
    # samples ± 16 %.
    assert shapes("pareto", a=1.0).std() == pytest.approx(0.097, rel=0.6)


@pytest.mark.parametrize(
    ("factor", "offset"), [(1e-200, 0.0), (1e290, 0.0), (1.0, 1e3), (1024.0, -1e4)]
)
def test_unit_and_offset_do_not_matter(factor, offset):
    values = np.random.default_rng(1).exponential(size=1000)
    assert tail_shape(factor * values + offset) == pytest.approx(tail_shape(values), abs=1e-6)


def test_the_fit_is_that_of_arviz():
    stats = pytest.importorskip("arviz_stats.base", reason='ArviZ: pip install "rivals[criteria]"')
    # 3 √n is whole: theirs is rounded down, ours up.
    for size in (400, 3600):
        values = np.random.default_rng(2).pareto(1.5, size)
        theirs = stats.array_stats.pareto_khat(values[None], r_eff=1.0, tail="right")
        assert tail_shape(values) == pytest.approx(float(theirs), rel=1e-9)


def test_a_tail_of_equal_losses_has_nothing_beyond():
    assert tail_shape(np.repeat([0.0, 1.0], 500)) == -np.inf
    assert tail_shape(np.full(1000, 3.0)) == -np.inf
    assert tail_word(-np.inf) == "good"


def test_counts_have_a_shape():
    assert -0.5 < tail_shape(np.random.default_rng(0).poisson(20.0, 2000).astype(float)) < 0.3


@pytest.mark.parametrize("size", [2, 20])
def test_few_losses_do_not_tell(size):
    assert np.isnan(tail_shape(np.arange(float(size))))
    assert tail_word(np.nan) == "too few to tell"


def test_words_change_at_a_half_and_above_seven_tenths():
    assert [tail_word(k) for k in (-1.0, 0.499, 0.5, 0.7, 0.701, 5.0)] == [
        "good",
        "good",
        "look",
        "look",
        "do not trust",
        "do not trust",
    ]


def test_extremes_are_the_largest_first_and_ties_in_order():
    assert extremes(np.array([2.0, 9.0, 2.0, -50.0, 9.0]), n=3).tolist() == [1, 4, 0]
    assert extremes(np.array([2.0, 1.0]), n=5).tolist() == [0, 1]


def test_a_tail_that_piles_up_at_its_end_is_bounded():
    """Log losses of a classifier with a floor: most are small, some at the floor, none beyond.
    Without the floor the tail is heavy.
    """
    rng = np.random.default_rng(0)
    losses = rng.pareto(0.8, 500)
    capped = np.minimum(losses, np.sort(losses)[-6])
    assert tail_shape(losses) > 0.7
    assert tail_shape(capped) == -np.inf
    # Four equal ones are not enough to conclude that there is an end.
    assert tail_shape(np.minimum(losses, np.sort(losses)[-4])) > 0.0
