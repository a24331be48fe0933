"""Estimates with their standard errors, one for each group and model, or group and difference.

Any estimate serves that is lower for the better model: a mean loss, 1 − AUC, a log risk ratio. Each
group's variance is the one that was given, where losses would tell it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rivals._core.grouping import Grouping
from rivals._core.losses import Provenance
from rivals._core.summaries import GroupSummaries
from rivals._core.texts import Refusal, either, opt
from rivals._core.types import FloatArray
from rivals.method.error import PairSums
from rivals.read._frames import Frame, listed, opened

# Rounding of published tables: how far the diagonal of a covariance may be from squared errors.
AS_ROUNDED = 0.02
# An eigenvalue of a covariance may be below zero by this part of the largest.
ROUNDING = 1e-9
BASELINE = "baseline"


@dataclass(frozen=True)
class Estimates:
    """The columns of a table of estimates, as `rivals.read._summaries` has them."""

    groups: str
    estimate: str
    error: str | None = None
    model: str | None = None
    difference: str | None = None
    baseline: str | None = None
    higher_is_better: bool = False


def of_estimates(
    source: Any,
    form: Estimates,
    models: list[str] | None,
    covariance: Any,
    correlation: float | None,
    said: Provenance,
) -> GroupSummaries:
    """Summaries with the variances that were given."""
    _check_form(form, models, covariance, correlation)
    column = form.model or form.difference
    frame = opened(source, labels=[name for name in (form.groups, column) if name])
    groups = frame.grouping(form.groups)
    of_what = _of_what(frame, form, models)
    place = _places(frame, groups, of_what)
    values = _column(frame, "estimate", form.estimate)[place]
    if form.higher_is_better:
        values = -values
    errors = None
    if form.error is not None:
        errors = _column(frame, "error", form.error)
        _check_errors(frame, form.error, errors)
        errors = errors[place]
    matrices = _covariances(of_what.names, groups.names, errors, covariance, correlation)
    if form.model is not None:
        return _summaries(of_what.names, groups, values, _of_models(matrices), said)
    baseline = models[1] if models else form.baseline or BASELINE
    if baseline in of_what.names:
        raise Refusal(
            f"{opt['baseline']}: {baseline!r} is among the differences themselves; name "
            "the model that they "
            "are from"
        )
    values = np.vstack([np.zeros(len(groups.names)), values])
    names = (baseline, *of_what.names)
    return _summaries(names, groups, values, _of_differences(matrices), said)


def _check_form(
    form: Estimates, models: list[str] | None, covariance: Any, correlation: float | None
) -> None:
    """What belongs together among the arguments."""
    if form.model is not None and form.difference is not None:
        raise ValueError("model, difference: estimates are of one or of the other; name one column")
    if form.error is None and covariance is None:
        raise Refusal(
            f"{opt['error']}: name the column of the standard "
            f"errors{either(', or pass covariance=', '')}"
        )
    if covariance is not None and correlation is not None:
        raise ValueError("covariance, correlation: pass one of the two")
    if form.model is not None and covariance is None and correlation is None:
        raise Refusal(
            f"{opt['model']}: the errors of two models do not say how sure their "
            "difference is, since both "
            "met the same points. Pass "
            f"{either('covariance= (of the estimates in each group), ', '')}estimates of "
            f"differences with {opt.difference}, or {opt.correlation} (0 if each model had "
            "points of its own)"
        )
    alone = form.model is None and form.difference is None
    if alone and (models is None or len(models) != 2):
        raise Refusal(
            f"{opt['models']}: one estimate for each group is a difference of two models; "
            "name both, "
            "first the one that is better where the estimate is negative, by "
            f"{opt.models}, or name the "
            f"column that says which model each row is of: {opt.model} or {opt.difference}"
        )
    if correlation is not None and not -1.0 <= correlation < 1.0:
        raise Refusal(
            f"{opt['correlation']} must be from -1 to 1, and below 1; got {correlation!r}"
        )


def _of_what(frame: Frame, form: Estimates, models: list[str] | None) -> Grouping:
    """Which model, or which difference, each row is of."""
    column = form.model or form.difference
    if column is None:
        assert models is not None
        return Grouping(np.zeros(frame.n_rows, dtype=np.intp), (models[0],))
    return frame.grouping(column, "model" if form.model else "difference")


def _places(frame: Frame, groups: Grouping, of_what: Grouping) -> Any:
    """The row of each model in each group: exactly one."""
    shape = (len(of_what.names), len(groups.names))
    rows = np.full(shape, -1)
    for row, (model, group) in enumerate(
        zip(of_what.codes.tolist(), groups.codes.tolist(), strict=True)
    ):
        if rows[model, group] >= 0:
            raise ValueError(
                f"{frame.where}: {groups.noun} {groups.names[group]!r} has two estimates of "
                f"{of_what.names[model]!r}, in {frame.row(int(rows[model, group]))} and "
                f"{frame.row(row)}; give one for each"
            )
        rows[model, group] = row
    if rows.min() < 0:
        model, group = np.argwhere(rows < 0)[0].tolist()
        raise ValueError(
            f"{frame.where}: {groups.noun} {groups.names[group]!r} has no estimate of "
            f"{of_what.names[model]!r} ({np.sum(rows < 0)} of {rows.size} are missing); leave out "
            f"this {groups.noun}, or this model"
        )
    return rows


def _column(frame: Frame, role: str, name: str) -> FloatArray:
    frame.check_there(role, name)
    values = frame.numbers(name, role)
    frame.check_complete(name, role, values)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"{frame.where}, {role} {name!r}: infinite in {frame.row(row)}")
    return values


def _check_errors(frame: Frame, name: str, errors: FloatArray) -> None:
    if errors.min() <= 0.0:
        row = int(np.argmin(errors))
        raise ValueError(
            f"{frame.where}, error {name!r}: standard errors must be above 0; got {errors[row]:g} "
            f"in {frame.row(row)}"
        )


def _covariances(
    names: tuple[str, ...],
    groups: tuple[str, ...],
    errors: FloatArray | None,
    covariance: Any,
    correlation: float | None,
) -> FloatArray:
    """The covariance of the estimates in each group, groups × names × names; nan where unknown."""
    size = len(names)
    if covariance is None:
        assert errors is not None
        share = np.full((size, size), np.nan if correlation is None else correlation)
        np.fill_diagonal(share, 1.0)
        matrices = share * errors.T[:, :, None] * errors.T[:, None, :]
        if correlation is None:
            return np.asarray(matrices)
    else:
        matrices = _given(groups, covariance, (size, size))
    for group, matrix in zip(groups, matrices, strict=True):
        values = np.linalg.eigvalsh(matrix)
        if values[0] < -ROUNDING * values[-1] or not np.allclose(matrix, matrix.T, rtol=1e-6):
            raise ValueError(
                f"covariance of {group!r} is no covariance: it must be symmetric, with no negative "
                f"eigenvalue; the smallest is {values[0]:g}"
            )
    variances = np.einsum("gii->ig", matrices)
    if variances.min() <= 0.0:
        model, place = np.argwhere(variances <= 0.0)[0].tolist()
        raise ValueError(
            f"covariance of {groups[place]!r}: the variance of {names[model]!r} must be above 0"
        )
    if errors is not None:
        _check_diagonal(names, groups, errors, np.sqrt(variances))
    return matrices


def _given(groups: tuple[str, ...], covariance: Any, shape: tuple[int, int]) -> FloatArray:
    """Matrices in the order of the groups."""
    if isinstance(covariance, Mapping):
        named = {str(group): matrix for group, matrix in covariance.items()}
        missing = [group for group in groups if group not in named]
        if missing:
            raise Refusal(f"{opt['covariance']}: there is none of {listed(missing)}")
        covariance = [named[group] for group in groups]
    matrices = np.asarray(covariance, dtype=np.float64)
    expected = (len(groups), *shape)
    if matrices.shape != expected or not np.isfinite(matrices).all():
        raise Refusal(
            f"{opt['covariance']} must be finite, of shape {expected}: groups × estimates "
            "× estimates; got "
            f"shape {matrices.shape}"
        )
    return matrices


def _check_diagonal(
    names: tuple[str, ...], groups: tuple[str, ...], errors: FloatArray, found: FloatArray
) -> None:
    wrong = ~np.isclose(errors, found, rtol=AS_ROUNDED)
    if wrong.any():
        model, group = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"covariance of {groups[group]!r}: {names[model]!r} has the standard error "
            f"{found[model, group]:g} there, but {errors[model, group]:g} in the table"
        )


def _of_models(matrices: FloatArray) -> FloatArray:
    """The variance of the difference of each two models, and of each on the diagonal."""
    own = np.einsum("gii->gi", matrices)
    variances = own[:, :, None] + own[:, None, :] - 2.0 * matrices
    size = own.shape[1]
    variances[:, np.arange(size), np.arange(size)] = own
    return np.moveaxis(variances, 0, -1)


def _of_differences(matrices: FloatArray) -> FloatArray:
    """The same from differences from a baseline, the first model; of each by itself none."""
    n_groups, size, _ = matrices.shape
    variances = np.full((size + 1, size + 1, n_groups), np.nan)
    variances[1:, 1:] = _of_models(matrices)
    own = np.einsum("gii->ig", matrices)
    variances[0, 1:] = own
    variances[1:, 0] = own
    variances[np.arange(size + 1), np.arange(size + 1)] = np.nan
    return variances


def _summaries(
    names: tuple[str, ...],
    groups: Grouping,
    values: FloatArray,
    variances: FloatArray,
    said: Provenance,
) -> GroupSummaries:
    size = len(names)
    if len(names) < 2:
        raise ValueError(f"two models or more are needed; got {listed(names)}")
    exact = variances <= 0.0
    if exact.any():
        first, second, group = np.argwhere(exact)[0].tolist()
        raise Refusal(
            f"{groups.noun} {groups.names[group]!r}: the difference of {names[first]!r} and "
            f"{names[second]!r} has no variance left; check {opt.covariance}"
        )
    return GroupSummaries(
        names,
        groups.names,
        np.ones(len(groups.names), dtype=np.int64),
        values[0],
        values - values[0],
        PairSums(np.zeros(size), np.zeros((size, size))),
        groups.noun,
        replace(said, point="estimate"),
        variances,
    )
