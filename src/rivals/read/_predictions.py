"""Losses from predictions: a column for each model beside what came true."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rivals._core.losses import Losses, Provenance
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray
from rivals.read._frames import Frame, columns_of_models, names_of, opened
from rivals.read._table import losses_of

# A loss: from what came true and what was predicted to one number for each point.
PointLoss = Callable[[FloatArray, FloatArray], FloatArray]


def predictions(
    source: Any,
    *,
    target: str,
    loss: str | PointLoss = "absolute",
    models: Iterable[str] | None = None,
    groups: str | Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    unit: str = "",
    left_out: bool | None = None,
) -> dict[str, Losses]:
    """Read predictions, and turn them into losses.

    Parameters
    ----------
    source : path, file object or data frame
        As for `table`: a row for each point, a column for each model, and one for what came true.
    target : str
        The column of what came true.
    loss : str or callable
        "absolute", "squared"; "log" and "brier" for probabilities of an event that is 0 or 1;
        "zero-one" for labels, of any kind; or a function (target, prediction) → a loss for each
        point.
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
    dict
        Name → `Losses`, in the order of the columns.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"y": [1.0, 2.0], "line": [1.5, 2.5], "step": [1.0, 1.0]})
    >>> predictions(frame, target="y")["line"].observed.tolist()
    [0.5, 0.5]
    """
    by_label = loss == "zero-one"
    of_points, name_of_loss = _loss_of(loss)
    factors = [] if groups is None else names_of(groups)
    frame = opened(source, labels=factors)
    frame.check_there("target", target)
    grouping = frame.groupings(groups)
    names = columns_of_models(
        frame, models, ignore, [target, *factors], are_losses=False, any_kind=by_label
    )
    if target in names:
        raise ValueError(f"{frame.where}: {target!r} is the target, and cannot be a model")
    said = Provenance(
        loss=name_of_loss, unit=unit or ("nats" if loss == "log" else ""), left_out=left_out
    )
    read = _labels if by_label else _numbers
    truth = read(frame, target, "target")
    if not by_label:
        frame.check_complete(target, "target", truth)
    if loss in ("log", "brier"):
        _check_events(frame, target, truth)
    losses = {}
    for name in names:
        predicted = read(frame, name, "predictions of")
        if loss in ("log", "brier"):
            _check_probabilities(frame, name, predicted)
        if predicted.dtype.kind != truth.dtype.kind:
            raise ValueError(
                f"{frame.where}: of the target {target!r} and the predictions of {name!r} one "
                "holds numbers and the other text; write labels in one way"
            )
        found = of_points(truth, predicted)
        if np.shape(found) != truth.shape:
            raise Refusal(
                f"{opt['loss']}: must give one number for each of {truth.size} points; got shape "
                f"{np.shape(found)}"
            )
        losses[name] = losses_of(frame, name, found, None, grouping, said)
    return losses


def _absolute(target: FloatArray, predicted: FloatArray) -> FloatArray:
    return np.asarray(np.abs(predicted - target))


def _squared(target: FloatArray, predicted: FloatArray) -> FloatArray:
    return np.asarray((predicted - target) ** 2)


def _log(target: FloatArray, predicted: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # an event of probability zero is refused, by model
        return np.asarray(-np.log(np.where(target == 1.0, predicted, 1.0 - predicted)))


def _zero_one(target: FloatArray, predicted: FloatArray) -> FloatArray:
    return np.asarray(target != predicted, dtype=np.float64)


LOSSES: dict[str, tuple[PointLoss, str]] = {
    "absolute": (_absolute, "absolute error"),
    "squared": (_squared, "squared error"),
    "log": (_log, "negative log probability"),
    "brier": (_squared, "Brier score"),
    "zero-one": (_zero_one, "zero-one loss"),
}


def _loss_of(loss: str | PointLoss) -> tuple[PointLoss, str]:
    """The function, and what it is called."""
    if callable(loss):
        return loss, called_as(loss)
    if loss not in LOSSES:
        raise Refusal(
            f"{opt['loss']}: there is no {loss!r}; choose one of {', '.join(LOSSES)}, or "
            "pass a function "
            "(target, prediction) → a loss for each point"
        )
    return LOSSES[loss]


def called_as(function: Any) -> str:
    """What sentences call a loss; a lambda has no name."""
    name = str(getattr(function, "__name__", ""))
    return "" if name == "<lambda>" else name.replace("_", " ")


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
