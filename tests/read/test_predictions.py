"""Predictions beside what came true, and the losses that follow."""

from __future__ import annotations

import numpy as np
import polars
import pytest

import rivals
from rivals.read import predictions


def table(seed=0, size=120, **columns):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=size)
    return polars.DataFrame(
        {
            "store": [f"s{k % 6}" for k in range(size)],
            "y": y,
            "old": y + rng.normal(size=size),
            "new": y + 0.5 * rng.normal(size=size),
            **columns,
        }
    )


@pytest.mark.parametrize(
    ("loss", "of"),
    [
        ("absolute", lambda y, p: np.abs(y - p)),
        ("squared", lambda y, p: (y - p) ** 2),
        (lambda y, p: np.maximum(0.9 * (y - p), 0.1 * (p - y)), None),
    ],
)
def test_losses_are_those_of_the_formula(loss, of):
    frame = table()
    losses = predictions(frame, target="y", groups="store", loss=loss)
    expected = loss if of is None else of
    y = frame["y"].to_numpy()
    for name in ("old", "new"):
        np.testing.assert_allclose(losses[name].observed, expected(y, frame[name].to_numpy()))
    assert list(losses) == ["old", "new"]
    assert losses["old"].groups is losses["new"].groups


@pytest.mark.parametrize("loss", ["log", "brier", "zero-one"])
def test_losses_of_events_are_those_of_scikit_learn(loss):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    p = np.clip(0.25 + 0.5 * y + 0.2 * rng.normal(size=200), 0.01, 0.99)
    guess = (p > 0.5).astype(int) if loss == "zero-one" else p
    frame = polars.DataFrame({"y": y, "model": guess, "other": 0.5 * np.ones(200)})
    if loss == "zero-one":
        frame = frame.with_columns(other=polars.lit(1))
    mean = predictions(frame, target="y", loss=loss)["model"].mean
    reference = {
        "log": metrics.log_loss,
        "brier": metrics.brier_score_loss,
        "zero-one": metrics.zero_one_loss,
    }[loss]
    assert mean == pytest.approx(reference(y, guess))


def test_labels_may_be_text():
    frame = polars.DataFrame(
        {"y": ["cat", "dog", "cat"], "a": ["cat", "cat", "cat"], "b": ["dog", "dog", "cat"]}
    )
    losses = predictions(frame, target="y", loss="zero-one")
    assert losses["a"].observed.tolist() == [0.0, 1.0, 0.0]
    assert losses["b"].observed.tolist() == [1.0, 0.0, 0.0]


def test_what_the_losses_are_is_remembered():
    losses = predictions(
        table(), target="y", groups="store", loss="squared", unit="kg²", left_out=True
    )
    source = losses["old"].source
    assert (source.loss, source.unit, source.left_out) == ("squared error", "kg²", True)

    def pinball(y, p):
        return np.maximum(0.9 * (y - p), 0.1 * (p - y))

    assert (
        predictions(table(), target="y", groups="store", loss=pinball)["old"].source.loss
        == "pinball"
    )


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_give_the_same(tmp_path, ending):
    frame = table()
    path = tmp_path / f"predictions.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    first = rivals.compare(predictions(path, target="y", groups="store"))
    second = rivals.compare(predictions(frame, target="y", groups="store"))
    np.testing.assert_allclose(first.probability, second.probability, rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "Y"}, "did you mean 'y'"),
        ({"target": "y", "loss": "rms"}, "there is no 'rms'"),
        ({"target": "y", "loss": "log"}, "must be 0 or 1"),
        ({"target": "y", "models": ["y", "new"]}, "cannot be a model"),
        ({"target": "y", "models": ["newer"]}, "did you mean 'new'"),
        ({"target": "y", "groups": "stores"}, "did you mean 'store'"),
        ({"target": "y", "loss": lambda y, p: y[:3]}, "one number for each of 120"),
    ],
)
def test_arguments_that_lead_nowhere_are_told(arguments, message):
    frame = table().drop("store") if arguments.get("loss") else table()
    with pytest.raises(ValueError, match=message):
        predictions(
            frame,
            **{"groups": None, "ignore": () if arguments.get("loss") else "store", **arguments},
        )


def test_a_column_of_text_is_no_prediction():
    with pytest.raises(TypeError, match="'store' holds text"):
        predictions(table(), target="y")


@pytest.mark.parametrize("column", ["y", "new"])
@pytest.mark.parametrize("value", [None, np.nan])
def test_missing_values_are_named_with_their_row(column, value):
    rows = table().to_dict(as_series=False)
    rows[column][5] = value
    with pytest.raises(ValueError, match=rf"'{column}'.*row 5"):
        predictions(polars.DataFrame(rows, strict=False), target="y", groups="store")


@pytest.mark.parametrize("column", ["y", "new"])
def test_infinite_values_are_named_with_their_row(column):
    rows = table().to_dict(as_series=False)
    rows[column][5] = np.inf
    with pytest.raises(ValueError, match=rf"'{column}': 1 of 120 are infinite.*row 5"):
        predictions(polars.DataFrame(rows), target="y", groups="store")


def test_a_loss_without_a_name_has_none():
    found = predictions(table(), target="y", groups="store", loss=lambda y, p: np.abs(y - p))
    assert found["new"].source.loss == ""


def test_a_model_that_excludes_what_came_true_is_named():
    frame = polars.DataFrame({"y": [0, 1, 1], "a": [0.0, 0.5, 0.0], "b": [0.5, 0.5, 0.5]})
    with pytest.raises(ValueError, match=r"'a'.*zero probability to 1 of 3"):
        predictions(frame, target="y", loss="log")
    with pytest.raises(ValueError, match=r"'a'.*no probabilities.*1.5"):
        predictions(frame.with_columns(a=polars.Series([0.5, 1.5, 0.5])), target="y", loss="brier")


def test_numbers_that_are_labels_are_not_compared_as_text():
    frame = polars.DataFrame({"y": [1, 2, 1], "a": [1.0, 2.0, 2.0], "b": [1.0, 1.0, 1.0]})
    assert predictions(frame, target="y", loss="zero-one")["a"].observed.tolist() == [0, 0, 1]


def test_labels_of_two_kinds_are_refused():
    frame = polars.DataFrame({"y": [1, 2, 1], "a": ["1", "2", "?"], "b": ["1", "1", "1"]})
    with pytest.raises(ValueError, match="one holds numbers and the other text"):
        predictions(frame, target="y", loss="zero-one")


@pytest.mark.parametrize("name", ["y", "target", "actual", "label", "truth", "Y_true"])
def test_columns_of_what_came_true_are_never_losses(name):
    frame = table().rename({"y": name})
    with pytest.raises(ValueError, match=r"read\.predictions"):
        rivals.read.table(frame, groups="store")
    with pytest.raises(ValueError, match=r"read\.predictions"):
        rivals.compare(frame, groups="store")
    assert rivals.compare(predictions(frame, target=name, groups="store")).best == "new"
