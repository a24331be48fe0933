"""Linear models without each fold in turn, from one matrix of products in place of as many fits."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._types import FloatArray
from rivals.read.folds import Splits

# Products of columns in units of their standard deviations err by some 1e-15; a solution errs by
# this over the least eigenvalue, and so agrees with a fit to 1e-12.
LEAST_EIGENVALUE = 1e-3
# Of columns in units that differ by more, or that lie further from zero, fits lose digits, too, or
# leave some out.
MOST_UNLIKE = 1e3
# Solvers of ridge regression that do not stop at a tolerance.
CLOSED_FORMS = ("auto", "cholesky", "svd")


@np.errstate(over="ignore", invalid="ignore")  # what is not finite is left to the estimator
def residuals_of_linear_model(
    estimator: Any, inputs: Any, targets: FloatArray, splits: Splits
) -> FloatArray | None:
    """Target minus the prediction of ordinary or ridge regression fitted to the other folds, fold
    by fold.

    None where the estimator must be fitted: it is not exactly one of scikit-learn's two, also
    behind its StandardScaler, its inputs are not numbers of double precision, folds are not left
    out of all other points, or columns are so nearly dependent, or so unlike, that either way
    costs digits.
    """
    regression, is_standardised = _without_scaler(estimator)
    penalty = _penalty(regression)
    columns = _as_columns(inputs)
    if penalty is None or columns is None or targets.ndim != 1:
        return None
    if not all(_is_partition(train, test, len(targets)) for train, test in splits):
        return None
    centres = columns.mean(axis=0)
    table = np.empty((len(targets), 2 + centres.size))
    table[:, 0] = 1.0
    np.subtract(columns, centres, out=table[:, 1:-1])
    np.subtract(targets, targets.mean(), out=table[:, -1])
    products = table.T @ table
    units = np.sqrt(np.diagonal(products)[1:-1] / len(targets))
    if not _are_alike(centres, units):
        return None
    scales = np.concatenate([[1.0], units, [1.0]])
    # Ridge regression shrinks coefficients of the inputs, and those below are larger by the unit;
    # behind a scaler the unit is the deviation without the fold.
    squared_units = None if is_standardised else units**2
    found = []
    for _, test in splits:
        left_out = table.take(test, axis=0)
        of_others = (products - left_out.T @ left_out) / np.outer(scales, scales)
        coefficients = _solve(of_others, penalty, squared_units)
        if coefficients is None:
            return None
        found.append(left_out[:, -1] - left_out[:, :-1] @ (coefficients / scales[:-1]))
    return np.concatenate(found)


def _without_scaler(estimator: Any) -> tuple[Any, bool]:
    """The regression behind a StandardScaler, and whether that sets the units of the inputs.

    An intercept makes up for whatever is subtracted from the inputs.
    """
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    if type(estimator) is not Pipeline or len(estimator.steps) != 2:
        return estimator, False
    (_, scaler), (_, regression) = estimator.steps
    if type(scaler) is not StandardScaler:
        return estimator, False
    return regression, scaler.with_std


def _penalty(estimator: Any) -> float | None:
    """What multiplies the sum of squared coefficients; None unless the fit has a closed form."""
    from sklearn.linear_model import LinearRegression, Ridge

    # Not of a class derived from them, which may do anything.
    if type(estimator) not in (LinearRegression, Ridge):
        return None
    if estimator.positive or not estimator.fit_intercept:
        return None
    if type(estimator) is LinearRegression:
        return 0.0
    is_number = isinstance(estimator.alpha, (int, float))
    if not is_number or estimator.solver not in CLOSED_FORMS:
        return None
    return float(estimator.alpha)


def _as_columns(inputs: Any) -> FloatArray | None:
    """The inputs as a matrix, if scikit-learn would compute with them in double precision."""
    if hasattr(inputs, "tocsr"):
        return None
    columns = np.asarray(inputs)
    if columns.ndim != 2 or columns.dtype != np.float64:
        return None
    return columns


def _are_alike(centres: FloatArray, units: FloatArray) -> bool:
    """Whether columns vary, by about as much, and not far from zero; False where there are NaN."""
    smallest = units.min(initial=np.inf)
    largest = max(units.max(initial=0.0), np.abs(centres).max(initial=0.0))
    return bool(0 < largest <= MOST_UNLIKE * smallest < np.inf)


def _is_partition(train: Any, test: Any, n_points: int) -> bool:
    """Whether each point is in one of both, once."""
    is_there = np.zeros(n_points, dtype=bool)
    is_there[train] = True
    is_there[test] = True
    return len(train) + len(test) == n_points and bool(is_there.all())


def _solve(
    products: FloatArray, penalty: float, squared_units: FloatArray | None
) -> FloatArray | None:
    """Coefficients, the intercept first, from the products of (1, inputs, target); None if they
    would have lost digits.
    """
    n_points = products[0, 0]
    if n_points < 1 or not np.isfinite(products).all():
        return None
    sums = products[0, 1:]
    centred = (products[1:, 1:] - np.outer(sums, sums) / n_points) / n_points
    of_inputs = centred[:-1, :-1]
    if squared_units is None:
        shrinkage = penalty * np.diagonal(of_inputs)
    else:
        shrinkage = penalty / squared_units
    shrunk = of_inputs + np.diag(shrinkage / n_points)
    if np.linalg.eigvalsh(shrunk)[0] < LEAST_EIGENVALUE:
        return None
    slopes = np.linalg.solve(shrunk, centred[:-1, -1])
    intercept = (sums[-1] - sums[:-1] @ slopes) / n_points
    return np.append(intercept, slopes)
