"""A column for each model; simulated losses, log likelihoods, and what is no model."""

from __future__ import annotations

import numpy as np
import polars
import pytest

import rivals
from rivals.read import table


def frame(size=60, **columns):
    rng = np.random.default_rng(0)
    return polars.DataFrame(
        {"line": rng.exponential(size=size), "step": 1.0 + rng.exponential(size=size), **columns}
    )


def test_columns_are_models_in_their_order():
    wide = frame(id=range(60), school=["abc"[k % 3] for k in range(60)])
    losses = table(wide, groups="school", ignore=["id"])
    assert list(losses) == ["line", "step"]
    np.testing.assert_array_equal(losses["line"].observed, wide["line"].to_numpy())
    chosen = table(wide, groups="school", models=["step", "line"])
    assert list(chosen) == ["step", "line"]
    assert losses["line"].groups is losses["step"].groups
    assert losses["line"].groups.noun == "school"


def test_what_is_said_of_losses_is_remembered():
    source = table(frame(), loss_name="pinball", unit="kg", left_out=True)["line"].source
    assert (source.loss, source.unit, source.left_out) == ("pinball", "kg", True)
    turned = table(frame(), log_likelihood=True)["line"]
    assert turned.source.unit == "nats"
    np.testing.assert_array_equal(turned.observed, -frame()["line"].to_numpy())


def test_simulations_are_told_apart_by_a_column():
    drawn = polars.concat([frame(40, simulation=k * np.ones(40, dtype=int)) for k in range(3)])
    mixed = drawn.sample(fraction=1.0, shuffle=True, seed=0)
    losses = table(frame(), mixed)
    assert losses["line"].simulated.shape == (3, 40)
    for rows in losses["line"].simulated:
        assert sorted(rows) == sorted(frame(40)["line"])
    assert table(frame(), frame(40))["line"].simulated.shape == (1, 40)
    turned = table(frame(), frame(40), log_likelihood=True)["line"]
    assert (turned.simulated <= 0.0).all()


def test_simulations_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"simulated: .* no column 'step'"):
        table(frame(), frame().drop("step"))
    uneven = frame(simulation=[1] * 20 + [2] * 40)
    with pytest.raises(ValueError, match="different numbers of rows"):
        table(frame(), uneven)
    hole = frame(40).with_columns(step=polars.Series([None] + [1.0] * 39))
    with pytest.raises(ValueError, match=r"simulated losses of model 'step'.*missing"):
        table(frame(), hole)


def test_the_comparison_is_that_of_the_columns():
    wide = frame(school=[f"s{k % 6}" for k in range(60)])
    read = rivals.compare(table(wide, groups="school"))
    plain = rivals.compare(
        {name: wide[name].to_numpy() for name in ("line", "step")}, groups=wide["school"]
    )
    np.testing.assert_allclose(read.probability, plain.probability, rtol=1e-12)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [1.0] * 60}, r"read\.predictions"),
        ({"AUC": [0.9] * 60}, "better the higher"),
        ({"mean": [1.0] * 60}, r"read\.summaries"),
        ({"index": range(60)}, "index of a data frame"),
        ({"id": range(60)}, "an id"),
        ({"Unnamed: 0": range(60)}, "index of a data frame"),
        ({"line ": [None] + [1.0] * 59}, "missing"),
        ({"third": [np.inf] + [1.0] * 59}, "zero probability to 1 of 60"),
        ({"third": [-np.inf] + [1.0] * 59}, "minus infinity"),
        ({"third": [1e200] + [1.0] * 59}, "rescale"),
    ],
)
def test_what_is_no_model_is_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        table(frame(**columns))


def test_columns_of_other_kinds_are_no_losses():
    for values in (["a"] * 60, [[1.0]] * 60, [{"a": 1.0}] * 60):
        with pytest.raises(TypeError, match="third"):
            table(frame(third=values))
    with pytest.raises(ValueError, match="no column is left"):
        table(frame(), ignore=["line", "step"])
    with pytest.raises(TypeError, match="got int"):
        table(3)


def test_a_long_table_is_told_to_be_one():
    long = polars.DataFrame({"model": ["a", "b"], "item": [1, 1], "score": [0.5, 0.25]})
    with pytest.raises(ValueError, match=r"one row per model and point.*read\.evaluations"):
        table(long)
