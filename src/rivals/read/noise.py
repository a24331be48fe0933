"""The noise of regressors: from residuals on data that they did not see, or as they predict it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._random import entropy_from, stream
from rivals._say.rows import in_index_order
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import RNG, FloatArray
from rivals.read.densities import Density, gaussian
from rivals.read.distributions import as_density
from rivals.read.inputs import (
    as_pair,
    as_targets,
    check_same_shape,
    labels_of_pair,
    library_of,
    take,
)
from rivals.read.linear_fits import residuals_of_linear_model
from rivals.read.student_noise import fit_student

FEW_RESIDUALS = 8
# Squares of smaller or larger ones lose digits.
SMALLEST_RESIDUALS = 1e-145
LARGEST_RESIDUALS = 1e145

# Under the right noise one target in ten lies outside its central 90 %; one in four among a
# hundred is five standard errors more.
ENOUGH_TO_JUDGE = 100
OUTSIDE = 0.1
TOO_MANY_OUTSIDE = 0.25


def noise_of(residuals: FloatArray, kind: str = "gaussian") -> Any:
    """A frozen distribution, or kernel density estimate, of SciPy for residuals: one column
    for each target, if there are several.

    Parameters
    ----------
    residuals : array, shape (n,) or (n, targets)
    kind : "gaussian", "student" or "empirical"
        "gaussian": mean zero and the mean square of the residuals; with several targets,
        their covariances. "student": Student's t about zero, with the degrees of freedom
        and the scale of the highest likelihood. "empirical": a kernel density estimate of
        the residuals (`scipy.stats.gaussian_kde`, Scott's bandwidth), which widens them by
        a factor of √(1 + n^(−2/5)) and has Gaussian tails.
    """
    from scipy import stats

    if len(residuals) < FEW_RESIDUALS:
        raise ValueError(
            f"noise: {len(residuals)} residuals are too few to estimate it; it needs "
            f"{FEW_RESIDUALS}"
        )
    if not np.isfinite(residuals).all():
        raise ValueError(
            "noise: residuals are NaN or infinite; look for missing targets, and at the predictions"
        )
    if np.any(np.ptp(residuals, axis=0) == 0):
        raise ValueError(
            "noise: all residuals are equal, so there is no noise; is the target among the inputs?"
        )
    _check_scale(residuals)
    if kind == "empirical":
        return stats.gaussian_kde(residuals.T)
    if kind == "student":
        if residuals.ndim > 1:
            raise ValueError(
                "residuals='student' is for one target; use 'gaussian' or 'empirical' for several"
            )
        freedom, scale = fit_student(residuals)
        return stats.t(freedom, 0.0, scale)
    if residuals.ndim == 1:
        return stats.norm(scale=np.sqrt(np.mean(residuals**2)))
    return stats.multivariate_normal(cov=residuals.T @ residuals / len(residuals))


def _check_scale(residuals: FloatArray) -> None:
    """Refuse residuals whose squares would vanish or overflow: their noise would have no digits."""
    largest = float(np.abs(residuals).max())
    narrowest = float(np.ptp(residuals, axis=0).min())
    if narrowest > SMALLEST_RESIDUALS and largest < LARGEST_RESIDUALS:
        return
    found = f"range over {narrowest:.3g}" if largest < LARGEST_RESIDUALS else f"reach {largest:.3g}"
    raise ValueError(
        f"noise: residuals {found}, and their squares are beyond the numbers of the computer; "
        "rescale the targets"
    )


def out_of_fold_residuals(
    estimator: Any, training: Any, *, cv: Any = 5, groups: Any = None, rng: RNG = None
) -> FloatArray:
    """Target minus the prediction of a copy that did not see it, for every point that a fold tests.

    Parameters
    ----------
    estimator : object
        With `fit`, `predict` and `get_params`, like those of scikit-learn. It is copied;
        its own fit is not used.
    training : pair
        The inputs and targets to which it was fitted.
    cv : int, splitter or iterable
        As in scikit-learn; a number of folds takes them in the order of the data.
    groups : array, optional
        For splitters by group.
    rng : int, SeedSequence, Generator, optional
        Seeds copies whose `random_state` is None.
    """
    from sklearn.model_selection import check_cv

    inputs, targets = as_pair(training)
    values = as_targets(targets, "training targets")
    generator = stream(entropy_from(rng))
    found = []
    try:
        groups = in_index_order(
            groups, labels_of_pair(inputs, targets), "groups", "the training data"
        )
        if isinstance(cv, int):  # a number of folds is of points, and scikit-learn would warn
            groups = None
        splits = list(check_cv(cv, values).split(np.empty(len(values)), values, groups))
    except (TypeError, ValueError) as error:
        raise type(error)(f"cv of the noise: {error}") from error
    without_fits = residuals_of_linear_model(estimator, inputs, values, splits)
    if without_fits is not None:
        return without_fits
    for train, test in splits:
        copy = seeded_copy(estimator, generator)
        try:
            copy.fit(take(inputs, train), take(targets, train))
        except ValueError as error:
            raise ValueError(
                f"{type(estimator).__name__} could not be fitted to a part of the training "
                f"data, as cross-validated noise needs: {error}. If it stops early, fit it "
                "with early_stopping_rounds=None and n_estimators=best_iteration + 1, or "
                "pass noise= as a distribution"
            ) from error
        predicted = as_targets(copy.predict(take(inputs, test)), "predictions")
        check_same_shape(predicted.shape, values[test].shape, type(estimator).__name__)
        found.append(values[test] - predicted)
    return np.concatenate(found)


def seeded_copy(estimator: Any, generator: np.random.Generator) -> Any:
    """An unfitted copy; every part that would draw a seed gets its own, so that the fit repeats."""
    from sklearn.base import clone

    try:
        copy = clone(estimator)
    except TypeError:
        raise TypeError(
            f"{type(estimator).__name__} cannot be copied and fitted again, as "
            "cross-validation needs (sklearn.base.clone); pass noise= as a distribution, "
            "from residuals on other data than those of the fit"
        ) from None
    parameters = copy.get_params(deep=True)
    unset = [name for name in sorted(parameters) if parameters[name] is None]
    seeds = [name for name in unset if name.rsplit("__", 1)[-1] == "random_state"]
    return copy.set_params(**{name: int(generator.integers(2**31)) for name in seeds})


def predicted(estimator: Any, at: Any) -> Density:
    """The distribution of the targets that an estimator itself predicts."""
    name = type(estimator).__name__
    if callable(getattr(estimator, "pred_dist", None)):  # NGBoost
        return as_density(estimator.pred_dist(at))
    if _predicts_variance(estimator):
        mean, variance = as_targets(estimator.predict(at), "predictions").T
        return gaussian(mean, np.sqrt(variance), name)
    both = None
    try:
        both = estimator.predict(at, return_std=True)
        cause = f"predict(inputs, return_std=True) gave {type(both).__name__}"
    except (TypeError, AttributeError) as error:  # a transformed target finds no array
        cause = show(error)
    # LightGBM accepts any argument and ignores it.
    if not (isinstance(both, tuple) and len(both) == 2):
        raise TypeError(
            f"{name} does not predict a standard deviation ({cause}); use "
            "noise='cross-validated', or pass the distribution of its noise"
        )
    mean = as_targets(both[0], "predictions")
    deviation = as_targets(both[1], "predicted standard deviations")
    return gaussian(mean, np.sqrt(deviation**2 + _left_out_variance(estimator)), name)


def _predicts_variance(estimator: Any) -> bool:
    """Whether it is a model of CatBoost whose predictions have a second column."""
    if library_of(estimator) != "catboost":
        return False
    return bool(estimator.get_param("loss_function") == "RMSEWithUncertainty")


def _left_out_variance(estimator: Any) -> FloatArray:
    """The noise that a Gaussian process of scikit-learn was fitted with in `alpha`: its
    predicted deviation leaves it out.
    """
    last = estimator
    while hasattr(last, "steps"):
        last = last.steps[-1][1]
    if not (hasattr(last, "alpha") and hasattr(last, "kernel_") and hasattr(last, "L_")):
        return np.zeros(())
    alpha = np.unique(np.asarray(last.alpha, dtype=np.float64))
    if alpha.size > 1:
        raise ValueError(
            f"{type(last).__name__} has an alpha for each training point, from "
            f"{alpha.min():g} to {alpha.max():g}: the noise of new points is unknown; pass "
            "noise= as a distribution, or put it into the kernel (WhiteKernel)"
        )
    # alpha is in units of the targets as they were fitted: after normalize_y, in units of
    # their variance.
    return np.asarray(alpha[0] * np.asarray(last._y_train_std, dtype=np.float64) ** 2)


def warn_if_too_narrow(noise: Any, residuals: FloatArray) -> None:
    """Warn if held-out residuals are much wider than the noise, as when it was estimated
    from the training data.
    """
    quantile = getattr(noise, "ppf", getattr(noise, "icdf", None))
    if residuals.size < ENOUGH_TO_JUDGE or not callable(quantile):
        return
    low = quantile(OUTSIDE / 2)
    high = quantile(1 - OUTSIDE / 2)
    outside = float(np.mean((residuals < low) | (residuals > high)))
    if outside > TOO_MANY_OUTSIDE:
        warn(
            f"the noise is too narrow for the held-out data: {outside:.0%} of the targets "
            f"lie outside its central {1 - OUTSIDE:.0%}. If its scale came from residuals "
            "of the fit, use noise='cross-validated', training=(inputs, targets)"
        )
