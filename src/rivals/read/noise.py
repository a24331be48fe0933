"""The noise of a regressor: from residuals on data that it did not see, or as the estimator predicts it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._checks import show, warn
from rivals._random import entropy_from, stream
from rivals._types import RNG, FloatArray
from rivals.read.densities import Density, as_density, gaussian
from rivals.read.inputs import as_pair, as_targets, check_same_shape, library_of, n_rows, take

FEW_RESIDUALS = 8

# Under the right noise one target in ten lies outside its central 90 %; one in four among a hundred is five standard errors more.
ENOUGH_TO_JUDGE = 100
OUTSIDE, TOO_MANY_OUTSIDE = 0.1, 0.25

# From this many parameters per training point on, new residuals are wider than σ by a twentieth: √(1 + p/n).
MANY_PARAMETERS = 0.1


def noise_of(residuals: FloatArray, kind: str = "gaussian") -> Any:
    """A frozen distribution, or kernel density estimate, of SciPy for residuals: one column for each target, if there are several.

    Parameters
    ----------
    residuals : array, shape (n,) or (n, targets)
    kind : "gaussian", "student" or "empirical"
        "gaussian": mean zero and the mean square of the residuals; with several targets, their covariances. "student": Student's t
        about zero, with the degrees of freedom and the scale of the highest likelihood. "empirical": a kernel density estimate of
        the residuals (`scipy.stats.gaussian_kde`, Scott's bandwidth), which widens them by a factor of √(1 + n^(−2/5)) and has
        Gaussian tails.
    """
    from scipy import stats

    if len(residuals) < FEW_RESIDUALS:
        raise ValueError(
            f"noise: {len(residuals)} residuals are too few to estimate it; at least {FEW_RESIDUALS} are needed"
        )
    if not np.all(np.isfinite(residuals)):
        raise ValueError(f"noise: {int(np.sum(~np.isfinite(residuals)))} of {residuals.size} residuals are not finite")
    if np.any(np.ptp(residuals, axis=0) == 0):
        raise ValueError("noise: all residuals are equal, so there is no noise; is the target among the inputs?")
    if kind == "empirical":
        return stats.gaussian_kde(residuals.T)
    if kind == "student":
        if residuals.ndim > 1:
            raise ValueError("residuals='student' is for one target; use 'gaussian' or 'empirical' for several")
        return stats.t(*stats.t.fit(residuals, floc=0.0))
    if residuals.ndim == 1:
        return stats.norm(scale=np.sqrt(np.mean(residuals**2)))
    return stats.multivariate_normal(cov=residuals.T @ residuals / len(residuals))


def out_of_fold_residuals(
    estimator: Any, training: Any, *, cv: Any = 5, groups: Any = None, rng: RNG = None
) -> FloatArray:
    """Target minus the prediction of a copy that did not see it, for every point that a fold tests.

    Parameters
    ----------
    estimator : object
        With `fit`, `predict` and `get_params`, like those of scikit-learn. It is copied; its own fit is not used.
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
        splits = list(check_cv(cv, values).split(np.empty(n_rows(inputs, "inputs")), values, groups))
    except (TypeError, ValueError) as error:
        raise type(error)(f"cv of the noise: {error}") from error
    for train, test in splits:
        copy = seeded_copy(estimator, generator)
        try:
            copy.fit(take(inputs, train), take(targets, train))
        except ValueError as error:
            raise ValueError(
                f"{type(estimator).__name__} could not be fitted to a part of the training data, as cross-validated noise needs: {error}. If it "
                "stops early, fit it with early_stopping_rounds=None and n_estimators=best_iteration + 1, or pass noise= as a distribution"
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
            f"{type(estimator).__name__} cannot be copied and fitted again, as cross-validation needs (sklearn.base.clone); for noise of it, pass "
            "noise= as a distribution, from residuals on data that it was not fitted to"
        ) from None
    parameters = copy.get_params(deep=True)
    unset = [
        name for name in sorted(parameters) if name.rsplit("__", 1)[-1] == "random_state" and parameters[name] is None
    ]
    return copy.set_params(**{name: int(generator.integers(2**31)) for name in unset})


def predicted(estimator: Any, at: Any) -> Density:
    """The distribution of the targets that an estimator itself predicts."""
    name = type(estimator).__name__
    if callable(getattr(estimator, "pred_dist", None)):  # NGBoost
        return as_density(estimator.pred_dist(at))
    if library_of(estimator) == "catboost" and estimator.get_param("loss_function") == "RMSEWithUncertainty":
        mean, variance = as_targets(estimator.predict(at), "predictions").T
        return gaussian(mean, np.sqrt(variance), name)
    try:
        both = estimator.predict(at, return_std=True)
        cause = f"predict(inputs, return_std=True) gave {type(both).__name__}"
    except TypeError as error:
        both, cause = None, show(error)
    if not (isinstance(both, tuple) and len(both) == 2):  # LightGBM accepts any argument and ignores it
        raise TypeError(
            f"{name} does not predict a standard deviation ({cause}); use noise='cross-validated', or pass the distribution of its noise"
        )
    mean, deviation = as_targets(both[0], "predictions"), as_targets(both[1], "predicted standard deviations")
    return gaussian(mean, np.sqrt(deviation**2 + _left_out_variance(estimator)), name)


def _left_out_variance(estimator: Any) -> FloatArray:
    """The noise that a Gaussian process of scikit-learn was fitted with in `alpha`: its predicted deviation leaves it out."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    if not (hasattr(last, "alpha") and hasattr(last, "kernel_") and hasattr(last, "L_")):
        return np.zeros(())
    alpha = np.unique(np.asarray(last.alpha, dtype=np.float64))
    if alpha.size > 1:
        raise ValueError(
            f"{type(last).__name__} has an alpha for each training point, from {alpha.min():g} to {alpha.max():g}: the noise of new "
            "points is unknown; pass noise= as a distribution, or put the noise into the kernel (WhiteKernel)"
        )
    # alpha is in units of the targets as they were fitted: after normalize_y, in units of their variance.
    return np.asarray(alpha[0] * np.asarray(last._y_train_std, dtype=np.float64) ** 2)


def warn_if_too_narrow(noise: Any, residuals: FloatArray) -> None:
    """Warn if held-out residuals are much wider than the noise, as when it was estimated from the training data."""
    quantile = getattr(noise, "ppf", getattr(noise, "icdf", None))
    if residuals.size < ENOUGH_TO_JUDGE or not callable(quantile):
        return
    low, high = quantile(OUTSIDE / 2), quantile(1 - OUTSIDE / 2)
    outside = float(np.mean((residuals < low) | (residuals > high)))
    if outside > TOO_MANY_OUTSIDE:
        warn(
            f"the noise is too narrow for the held-out data: {outside:.0%} of the targets lie outside its central {1 - OUTSIDE:.0%}. If "
            "its scale came from residuals on the data to which the estimator was fitted, use noise='cross-validated', "
            "training=(inputs, targets)"
        )


def warn_of_many_parameters(who: str, n_parameters: int, n_points: int, instead: str) -> None:
    """Warn if σ from training residuals, corrected for the degrees of freedom, is too small for new points."""
    if n_parameters > MANY_PARAMETERS * n_points:
        warn(
            f"{who} has {n_parameters} parameters for {n_points} training points: its σ comes from the data to which it was fitted, and "
            f"new residuals are wider by a factor of about {np.sqrt(1 + n_parameters / n_points):.2f}; {instead}"
        )
