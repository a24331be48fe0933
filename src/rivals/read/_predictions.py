"""Predictions: a column for each model beside what came true."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rivals._core.losses import Provenance
from rivals._core.predictions import Predictions, scorer_of
from rivals._core.texts import Refusal, text_of
from rivals._core.types import FloatArray
from rivals.method.influence import METRICS
from rivals.read._frames import Frame, columns_of_models, names_of, opened
from rivals.read._point_losses import asked_for


def predictions(
    source: Any,
    *,
    target: str,
    loss: Any = "absolute",
    models: Iterable[str] | None = None,
    groups: str | Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    unit: str = "",
    left_out: bool | None = None,
) -> Predictions:
    """Read predictions, which are then judged by any loss.

    Parameters
    ----------
    source : path, file object or data frame
        As for `table`: a row for each point, a column for each model, and one for what came true.
    target : str
        The column of what came true.
    loss : str, scorer or callable, or a list of these
        "absolute", "squared"; "log" and "brier" for probabilities of an event that is 0 or 1;
        "zero-one" for labels, of any kind; a metric, as "rmse", "r2", "roc_auc", "f1"; any scorer
        of scikit-learn, or its name; or a function (targets, predictions) → a loss for each point,
        or one number.
    models : iterable of str, optional
        The columns that are models; all others by default.
    groups : str, or several, optional
        The column that says which group a point belongs to.
    ignore : iterable of str
        Columns to leave out, such as an id.
    unit : str
        Of the losses; by default "nats" for "log".
    left_out : bool, optional
        Whether each group was predicted by models fitted to the other groups.

    Returns
    -------
    Predictions
        Name → `Losses`, in the order of the columns; `compare` takes it with any `loss=`.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"y": [1.0, 2.0], "line": [1.5, 2.5], "step": [1.0, 1.0]})
    >>> predictions(frame, target="y")["line"].observed.tolist()
    [0.5, 0.5]
    """
    asked = asked_for(loss)
    needs = [_needs(each) for each in asked]
    by_label = all(each in ("label", "event") for each in needs)
    factors = [] if groups is None else names_of(groups)
    frame = opened(source, labels=factors)
    frame.check_there("target", target)
    grouping = frame.groupings(groups)
    names = columns_of_models(
        frame, models, ignore, [target, *factors], are_losses=False, any_kind=by_label
    )
    if target in names:
        raise ValueError(f"{frame.where}: {target!r} is the target, and cannot be a model")
    read = _labels if by_label else _numbers
    truth = read(frame, target, "target")
    if truth.dtype.kind == "f":
        frame.check_complete(target, "target", truth)
    if {"score", "probabilities"} & set(needs):
        _check_events(frame, target, truth)
    predicted = {}
    for name in names:
        predicted[name] = found = read(frame, name, "predictions of")
        if found.dtype.kind != truth.dtype.kind:
            raise ValueError(
                f"{frame.where}: of the target {target!r} and the predictions of {name!r} one "
                "holds numbers and the other text; write labels in one way"
            )
        if found.dtype.kind == "f":
            frame.check_complete(name, "model", found)
        if "probabilities" in needs:
            _check_probabilities(frame, name, found)
    read_as = Predictions(
        truth,
        {name: each[None] for name, each in predicted.items()},
        "numbers" if truth.dtype.kind == "f" else "labels",
        asked,
        groups=grouping,
        columns=frame,
        source=Provenance(unit=unit, left_out=left_out),
    )
    try:
        read_as.judged(weights="points")  # what is wrong is said at once
    except ValueError as error:
        raise Refusal(f"{frame.where}, {text_of(error)}") from None
    return read_as


def _needs(loss: Any) -> str:
    """What is predicted for a loss; numbers for a function."""
    if isinstance(loss, str) and loss not in METRICS:
        loss = scorer_of(loss)
    if isinstance(loss, str):
        return METRICS[loss].needs
    if not hasattr(loss, "_response_method"):
        return "number"
    return "number" if loss._response_method == "predict" else "score"


def _numbers(frame: Frame, name: str, role: str) -> FloatArray:
    found = frame.numbers(name, role)
    if np.isinf(found).any():
        raise ValueError(
            f"{frame.where}, {role} {name!r}: {int(np.isinf(found).sum())} of {found.size} are "
            f"infinite, the first in {frame.row(int(np.isinf(found).argmax()))}"
        )
    return found


def _labels(frame: Frame, name: str, role: str) -> Any:
    """A column of labels: numbers if they are, else text."""
    if frame.holds_numbers(name):
        return frame.numbers(name, role)
    grouping = frame.grouping(name, role)
    return np.array(grouping.names)[grouping.codes]


def _check_events(frame: Frame, target: str, truth: FloatArray) -> None:
    wrong = (truth != 0.0) & (truth != 1.0)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{frame.where}, target {target!r}: must be 0 or 1 for this loss; got {truth[row]:g} "
            f"in {frame.row(row)}"
        )


def _check_probabilities(frame: Frame, name: str, predicted: FloatArray) -> None:
    wrong = (predicted < 0.0) | (predicted > 1.0)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"{frame.where}, predictions of {name!r}: {int(wrong.sum())} of {predicted.size} are "
            f"no probabilities, the first in {frame.row(row)}: {predicted[row]:g}"
        )
