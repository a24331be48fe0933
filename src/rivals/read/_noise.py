"""How targets are distributed about predictions: the one home of noise, by name.

The noise of a fold is fitted to predictions for points of the *other* folds, by models that had not
seen these points. Residuals of a fit on its own training data would be too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from rivals._core.cautions import warn
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray
from rivals.read._densities import Density, density_of, is_distribution

# From predictions to the distribution of the targets.
Noise: TypeAlias = Callable[[FloatArray], Density]
# From targets and their predictions to the noise of other points.
Fit: TypeAlias = Callable[[FloatArray, FloatArray], Noise]

FEWEST = 8
# An empirical distribution has so many kernels at most, at as many quantiles of the residuals.
MOST_KERNELS = 500
# Of counts, the negative binomial is sought between Poisson and this variance beside μ²; of
# positive targets, the gamma likewise.
DISPERSION = (1e-8, 1e4)


def gaussian(targets: FloatArray, predicted: FloatArray) -> Noise:
    """Of mean zero, and the mean square of the residuals."""
    scale = float(np.sqrt(np.mean(_residuals(targets, predicted) ** 2)))
    return _located("norm", scale=scale)


def laplace(targets: FloatArray, predicted: FloatArray) -> Noise:
    """Of median zero, and the mean absolute residual."""
    return _located("laplace", scale=float(np.mean(np.abs(_residuals(targets, predicted)))))


def student(targets: FloatArray, predicted: FloatArray) -> Noise:
    """About zero, degrees of freedom and scale by maximum likelihood."""
    from scipy import optimize

    residuals = _residuals(targets, predicted)
    unit = np.sqrt(np.mean(residuals**2))
    squares = (residuals / unit) ** 2

    def mean_loss(logs: FloatArray) -> float:
        freedom, scale = np.exp(logs)
        constant = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - np.log(freedom) / 2
        tails = (freedom + 1) / 2 * np.mean(np.log1p(squares / (freedom * scale**2)))
        return float(np.log(scale) - constant + tails)

    bounds = [(np.log(0.05), np.log(1e6)), (np.log(1e-6), np.log(10.0))]
    found = optimize.minimize(mean_loss, np.log([5.0, 0.8]), bounds=bounds, method="L-BFGS-B")
    freedom, scale = np.exp(found.x)
    return _located("t", df=freedom, scale=unit * scale)


def empirical(targets: FloatArray, predicted: FloatArray) -> Noise:
    """A kernel density estimate of the residuals, by Scott's rule."""
    from scipy import stats

    residuals = _residuals(targets, predicted)
    width = residuals.size ** (-1 / 5)
    if residuals.size > MOST_KERNELS:
        residuals = np.quantile(residuals, (np.arange(MOST_KERNELS) + 0.5) / MOST_KERNELS)
    kernels = stats.gaussian_kde(residuals, width)

    def at(predicted: FloatArray) -> Density:
        def log(values: FloatArray) -> FloatArray:
            found = kernels.logpdf(np.ravel(values - predicted))
            return np.asarray(found).reshape(np.shape(values))

        def sample(n: int, rng: np.random.Generator) -> FloatArray:
            drawn = [kernels.resample(predicted.size, seed=rng)[0] for _ in range(n)]
            return np.asarray(predicted + np.array(drawn).reshape(n, predicted.size))

        return Density(log, sample)

    return at


def poisson(targets: FloatArray, predicted: FloatArray) -> Noise:
    """Of the predicted mean."""
    _check_counts(targets, "poisson")
    return lambda mean: _frozen("poisson", _positive(mean, "poisson"))


def negative_binomial(targets: FloatArray, predicted: FloatArray) -> Noise:
    """Of the predicted mean μ and variance μ + α μ², α by maximum likelihood."""
    _check_counts(targets, "negative binomial")
    mean = _positive(predicted, "negative binomial")

    def frozen(alpha: float, mean: FloatArray) -> Density:
        return _frozen("nbinom", 1.0 / alpha, 1.0 / (1.0 + alpha * mean))

    alpha = _most_likely(lambda alpha: frozen(alpha, mean).log(targets))
    return lambda mean: frozen(alpha, _positive(mean, "negative binomial"))


def gamma(targets: FloatArray, predicted: FloatArray) -> Noise:
    """Of the predicted mean μ and variance α μ², α by maximum likelihood."""
    if targets.min() <= 0.0:
        raise ValueError(
            f"noise 'gamma' is of targets above zero; the smallest is {targets.min():g}"
        )
    mean = _positive(predicted, "gamma")

    def frozen(alpha: float, mean: FloatArray) -> Density:
        return _frozen("gamma", 1.0 / alpha, scale=alpha * mean)

    alpha = _most_likely(lambda alpha: frozen(alpha, mean).log(targets))
    return lambda mean: frozen(alpha, _positive(mean, "gamma"))


KINDS: dict[str, Fit] = {
    "gaussian": gaussian,
    "laplace": laplace,
    "student": student,
    "empirical": empirical,
    "poisson": poisson,
    "negative binomial": negative_binomial,
    "gamma": gamma,
}
# The deviation that an estimator predicts itself, by `predict(X, return_std=True)`.
PREDICTED = "predicted"


def fit_of(noise: Any) -> Fit:
    """How a noise is fitted: by its name, or not at all where it is a distribution."""
    if isinstance(noise, str) and noise in KINDS:
        return KINDS[noise]
    if is_distribution(noise):
        return lambda targets, predicted: partial(_shifted, noise)
    if callable(noise):
        return lambda targets, predicted: lambda mean: density_of(noise(mean), mean.size)
    raise Refusal(
        f"{opt['noise']}: there is no {noise!r}; choose one of {', '.join(KINDS)}, "
        f"'{PREDICTED}' (for "
        "estimators that predict a deviation), or pass a distribution of SciPy, or a function from "
        "predictions to one"
    )


def name_of(noise: Any) -> str:
    """What sentences call it."""
    return noise if isinstance(noise, str) else ""


def of_each_model(noise: Any, models: list[str]) -> list[Any]:
    """The noise of each model, from one for all or a mapping."""
    if not isinstance(noise, Mapping):
        return [noise] * len(models)
    odd = sorted(set(noise) ^ set(models))
    if odd:
        raise Refusal(
            f"{opt['noise']}: needs an entry for each model, and {odd[0]!r} is "
            f"{'no model' if odd[0] in noise else 'missing'}"
        )
    return [noise[name] for name in models]


def warn_of_counts(targets: npt.NDArray[Any]) -> None:
    """Whole numbers from 0 or 1 on may be counts or ranks, of which a Gaussian knows no bound."""
    if targets.dtype.kind not in "iuf" or not np.all(targets == np.round(targets)):
        return
    if not 0 <= targets.min() <= 1:
        return
    warn(
        f"all targets are whole numbers, from {targets.min():g} to {targets.max():g}, and were "
        "judged by a density of real numbers; if they are counts, compare with "
        'noise="poisson" or noise="negative binomial" (statsmodels: smf.poisson, '
        'smf.negativebinomial); if Gaussian noise is meant, say so: noise="gaussian"'
    )


def gaussian_of(predicted: tuple[FloatArray, FloatArray]) -> Density:
    """Of means and deviations that an estimator predicts."""
    mean, deviation = predicted
    if not np.all(deviation > 0.0):
        raise ValueError(f"a predicted deviation is {deviation.min():g}; it must be above zero")
    return _frozen("norm", mean, deviation)


def _residuals(targets: FloatArray, predicted: FloatArray) -> FloatArray:
    if targets.size < FEWEST:
        raise Refusal(
            f"{opt['noise']}: {targets.size} points in the other folds are too few to "
            "estimate it; it needs "
            f"{FEWEST}, or pass a distribution, as noise=scipy.stats.norm(0.0, 2.0)"
        )
    residuals = targets - predicted
    if np.ptp(residuals) == 0.0:
        raise Refusal(
            f"{opt['noise']}: all residuals are equal, so there is none; is the target "
            "among the inputs?"
        )
    return residuals


def _frozen(family: str, *parameters: Any, **named: Any) -> Density:
    from scipy import stats  # here, since importing it takes a while

    distribution = getattr(stats, family)(*parameters, **named)
    return density_of(distribution, np.broadcast(*parameters, *named.values()).size)


def _located(family: str, **parameters: float) -> Noise:
    return lambda mean: _frozen(family, loc=mean, **parameters)


def _shifted(noise: Any, mean: FloatArray) -> Density:
    """A distribution that was given, about the predictions."""
    own = density_of(noise, mean.size)
    if own.of_counts:
        raise Refusal(
            f"{opt['noise']}: a distribution of counts cannot lie about a prediction; pass "
            "a function from "
            "predictions to it, as noise=scipy.stats.poisson"
        )
    crps = own.crps
    return Density(
        lambda values: own.log(values - mean),
        lambda n, rng: mean + own.sample(n, rng),
        crps=None if crps is None else lambda values: crps(values - mean),
    )


def _check_counts(targets: FloatArray, name: str) -> None:
    odd = (targets < 0) | (targets != np.round(targets))
    if odd.any():
        raise ValueError(
            f"noise {name!r} is of counts; {odd.sum()} of {odd.size} targets are none, the first "
            f"is {targets[odd.argmax()]:g}"
        )


def _positive(mean: FloatArray, name: str) -> FloatArray:
    if mean.min() <= 0.0:
        raise ValueError(
            f"noise {name!r} needs predicted means above zero; {np.count_nonzero(mean <= 0.0)} of "
            f"{mean.size} are not, the lowest is {mean.min():g}; use a model of counts, as "
            "PoissonRegressor, or another noise"
        )
    return mean


def _most_likely(log_density: Callable[[float], FloatArray]) -> float:
    """The dispersion of the highest likelihood."""
    from scipy import optimize

    found = optimize.minimize_scalar(
        lambda log: -np.mean(log_density(np.exp(log))),
        bounds=np.log(DISPERSION),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return float(np.exp(found.x))
