"""Fitted estimators with scikit-learn's interface, and the noise of regressors: from
residuals on data that they did not see, or as they predict it.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rivals._random import entropy_from, stream
from rivals._say.arguments import check_choice
from rivals._say.rows import in_index_order, row_labels
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import RNG, FloatArray
from rivals.models import Candidate
from rivals.read.distributions import ConditionalDensity, Density, as_density, at_inputs, gaussian
from rivals.read.inputs import (
    as_pair,
    as_targets,
    as_values,
    check_response,
    check_same_shape,
    library_of,
    take,
)

FEW_RESIDUALS = 8

# Under the right noise one target in ten lies outside its central 90 %; one in four among a
# hundred is five standard errors more.
ENOUGH_TO_JUDGE = 100
OUTSIDE, TOO_MANY_OUTSIDE = 0.1, 0.25


def classifier(
    estimator: Any, inputs: Any, *, floor: float = 0.0, classes: Any = None
) -> Candidate:
    """A candidate from a fitted classifier, for data in the form of a pair (inputs, labels).

    Parameters
    ----------
    estimator : object
        With `predict_proba`, fitted to other data: of scikit-learn, XGBoost, LightGBM,
        CatBoost or NGBoost, or with their interface.
    inputs : array, sparse matrix or data frame
        Inputs at which labels are simulated: those of the held-out data.
    floor : float
        Probabilities are raised to at least this, then made to add up to one. Forests and
        neighbours give zeros, and a label of probability zero has an infinite loss.
    classes : sequence, optional
        The labels in the order of the columns of `predict_proba`, for an estimator without
        `classes_`.

    Returns
    -------
    Candidate
        Its loss is minus the log of the probability of the label.

    See Also
    --------
    regressor : The same for targets that are numbers.
    network : Networks of PyTorch and JAX.

    Notes
    -----
    Sample weights belong to the fit. Held-out points cannot be weighted: the risk is the
    mean over them.

    Examples
    --------
    >>> import numpy as np
    >>> class Coin:
    ...     classes_ = np.array(["no", "yes"])
    ...     def predict_proba(self, inputs):
    ...         return np.tile([0.25, 0.75], (len(inputs), 1))
    >>> inputs = np.zeros((3, 1))
    >>> classifier(Coin(), inputs).loss((inputs, ["yes", "no", "yes"])).round(3)
    array([0.288, 1.386, 0.288])
    """
    law = law_of_labels(estimator, floor=floor, classes=classes)
    return at_inputs(law, inputs, type(estimator).__name__, targets=as_values)


def regressor(
    estimator: Any,
    inputs: Any,
    *,
    noise: Any | Literal["cross-validated", "predicted"],
    training: Any = None,
    residuals: Literal["gaussian", "student", "empirical"] = "gaussian",
    cv: Any = 5,
    groups: Any = None,
    rng: RNG = None,
) -> Candidate:
    """A candidate from a fitted regressor and a model of its noise, for data in the form of
    a pair (inputs, targets).

    Parameters
    ----------
    estimator : object
        With `predict`, fitted to other data: of scikit-learn, XGBoost, LightGBM, CatBoost
        or NGBoost, or with their interface.
    inputs : array, sparse matrix or data frame
        Inputs at which targets are simulated: those of the held-out data.
    noise : "cross-validated", "predicted" or distribution
        The distribution of target minus prediction: a prediction alone is not a model of the data.

        - "cross-validated", the recommended way: from residuals of copies of the estimator
          on the parts of `training` that they were not fitted to. Residuals on the training
          data themselves are too small, those of a forest by a factor of two or three.
        - "predicted": as the estimator itself predicts it. Gaussian, of the standard
          deviation of `predict(inputs, return_std=True)`, for Gaussian processes (with the
          noise in `alpha`, which that leaves out) and Bayesian ridge regression; what
          NGBoost (`pred_dist`) and CatBoost ("RMSEWithUncertainty") predict.
        - a distribution, as `scipy.stats.norm(scale=0.3)` or `scipy.stats.t(4, scale=0.2)`,
          or anything else that `distribution` takes: one for all points, or with a
          parameter for each.
    training : pair, optional
        The inputs and targets to which the estimator was fitted, for cross-validated noise.
    residuals : "gaussian", "student" or "empirical"
        The form of cross-validated noise: Gaussian, Student's t, or a kernel density
        estimate of the residuals (`scipy.stats.gaussian_kde`), which smooths them a little,
        has Gaussian tails and is slow for many points.
    cv : int, splitter or iterable
        The folds of cross-validated noise, as in scikit-learn: a number takes them in the
        order of the data; splitters by group and by time also work.
    groups : array, optional
        The group of each training point, for splitters by group.
    rng : int, SeedSequence, Generator, optional
        Seeds the copies for cross-validated noise whose `random_state` is None.

    Returns
    -------
    Candidate
        Its loss is the negative log density of the target; of several targets, of the row.

    See Also
    --------
    classifier : The same for labels.
    distribution : Distributions of targets, without inputs.
    regression : Results of statsmodels.

    Notes
    -----
    With several targets, a univariate noise applies to each target independently, with a
    scale for each if it has that many. The covariances of targets enter through a
    multivariate noise, such as "cross-validated" or `scipy.stats.multivariate_normal`.
    Sample weights belong to the fit. Held-out points cannot be weighted, since the risk is
    the mean over them; copies for cross-validated noise are fitted without weights.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> class Line:
    ...     def predict(self, inputs):
    ...         return 2.0 * inputs[:, 0]
    >>> inputs = np.arange(4.0)[:, None]
    >>> model = regressor(Line(), inputs, noise=stats.norm(scale=0.5))
    >>> model.loss((inputs, [0.0, 2.0, 4.0, 7.0])).round(3)
    array([0.226, 0.226, 0.226, 2.226])
    """
    if training is not None and not (isinstance(noise, str) and noise == "cross-validated"):
        raise ValueError(
            "training= is for noise='cross-validated', but was given with another noise; "
            "leave it out"
        )
    law = law_of_targets(
        estimator, noise, training, residuals=residuals, cv=cv, groups=groups, rng=rng
    )
    return at_inputs(law, inputs, type(estimator).__name__)


def law_of_labels(estimator: Any, *, floor: float, classes: Any = None) -> ConditionalDensity:
    """From inputs to the distribution of the labels, as `classifier` describes it."""
    name = _name(estimator)
    if not callable(getattr(estimator, "predict_proba", None)):
        raise TypeError(
            f"{name} has no predict_proba; give it one (sklearn.calibration.CalibratedClassifierCV)"
        )
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"floor must lie in [0, 1); got {floor!r}")
    known = _classes(estimator, name, classes)

    def law(at: Any) -> Density:
        found = as_targets(estimator.predict_proba(at), "probabilities")
        if found.ndim != 2 or found.shape[1] != known.size:
            raise ValueError(
                f"{name} predicts probabilities of shape {found.shape}, but there must be "
                f"one column for each of {known.size} classes"
            )
        if not np.all(
            (found >= 0) & (found <= 1.001)
        ):  # rounded, they may be a little more than one
            raise ValueError(
                f"{name}.predict_proba gives numbers from {found.min():.3g} to "
                f"{found.max():.3g}, which are no probabilities; logits need a softmax"
            )
        raised = np.maximum(found, floor)
        probabilities = raised / raised.sum(axis=1, keepdims=True)

        def log(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
            is_label = labels[:, None] == known
            unknown = np.flatnonzero(~is_label.any(axis=1))
            if unknown.size:
                raise ValueError(
                    f"{unknown.size} of {labels.size} labels are of a class that the "
                    f"classifier was not fitted to, the first at point {unknown[0]} (from "
                    f"0): {_shown(labels, unknown[0])}; fit it to all classes"
                )
            likelihood = probabilities[np.arange(labels.size), is_label.argmax(axis=1)]
            impossible = np.flatnonzero(likelihood == 0)
            if impossible.size:
                raise ValueError(
                    f"{name} assigns zero probability to {impossible.size} of {labels.size} "
                    f"labels, the first at point {impossible[0]} (from 0): "
                    f"{_shown(labels, impossible[0])}, of infinite loss; pass floor=, the "
                    "least probability of a label (such as 1e-3), or calibrate it "
                    "(CalibratedClassifierCV)"
                )
            return np.asarray(np.log(likelihood))

        def sample(_: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
            edges = np.cumsum(probabilities, axis=1)
            return np.asarray(known[(rng.random((len(edges), 1)) > edges[:, :-1]).sum(axis=1)])

        return Density(name, found.shape[:1], (), log, sample)

    return law


def law_of_targets(
    estimator: Any, noise: Any, training: Any, *, residuals: str, cv: Any, groups: Any, rng: RNG
) -> ConditionalDensity:
    """From inputs to the distribution of the targets, as `regressor` describes it."""
    name = _name(estimator)
    if not callable(getattr(estimator, "predict", None)):
        raise TypeError(
            f"{name} has no predict; pass a fitted estimator, or write a rivals.Candidate"
        )
    check_response(estimator)
    way = noise if isinstance(noise, str) else "named"
    if way not in ("cross-validated", "predicted", "named"):
        raise ValueError(
            f"noise must be a distribution, 'cross-validated' or 'predicted'; got {noise!r}"
        )
    check_choice(residuals, "residuals", ("gaussian", "student", "empirical"))
    if way == "predicted":
        return lambda at: predicted(estimator, at)
    judged = noise
    if way == "cross-validated":
        if training is None:
            raise ValueError(
                "noise='cross-validated' needs training=(inputs, targets), those of the fit"
            )
        noise = noise_of(
            out_of_fold_residuals(estimator, training, cv=cv, groups=groups, rng=rng), residuals
        )
        # it may be too narrow for a group like no other, and nothing is to be done about
        # that
        judged = None
    density = as_density(noise)
    return lambda at: _shifted(
        density, judged, as_targets(estimator.predict(at), "predictions"), name
    )


def _name(estimator: Any) -> str:
    """The name of its class, unless it is a Booster."""
    name, library = type(estimator).__name__, library_of(estimator)
    if name == "Booster" and library in ("xgboost", "lightgbm"):
        raise TypeError(
            f"a Booster of {library} says neither what it predicts nor how; pass an "
            "LGBMClassifier, LGBMRegressor, XGBClassifier or XGBRegressor, into which "
            "load_model reads it"
        )
    return name


def _shifted(density: Density, judged: Any, mean: FloatArray, name: str) -> Density:
    """Noise about the predictions: a row has several targets, and a univariate noise
    applies to each of them.
    """
    of_each = mean.ndim == 2 and density.event == () and density.batch in ((), mean.shape[1:])

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        found = (
            np.sum(density.log(values - mean), axis=1)
            if of_each
            else density.log_density(values - mean)
        )
        warn_if_too_narrow(judged, values - mean)
        return np.asarray(found, dtype=np.float64)

    def sample(_: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        if not of_each:
            return np.asarray(mean + density.simulate(len(mean), rng))
        count = mean.shape[:1] if density.batch else (mean.size,)
        return np.asarray(mean + density.sample(count, rng).reshape(mean.shape))

    return Density(name, mean.shape[:1], mean.shape[1:], log, sample)


def _classes(estimator: Any, name: str, given: Any) -> npt.NDArray[Any]:
    """The labels in the order of the columns of `predict_proba`."""
    given = getattr(estimator, "classes_", None) if given is None else given
    if given is None:
        raise TypeError(
            f"{name} has no classes_: if it is fitted, say which labels its columns belong "
            "to, as classes=[0, 1]; if not, fit it first"
        )
    if isinstance(given, list) and any(np.ndim(item) for item in given):
        raise TypeError(
            f"{name} predicts {len(given)} labels at once; make a candidate for each of them"
        )
    known = np.asarray(given)
    if known.ndim != 1 or np.unique(known).size != known.size:
        raise ValueError(
            f"classes must be different labels, one for each column; got {show(repr(given))[:80]}"
        )
    own = getattr(estimator, "classes_", known)
    if not isinstance(own, list) and set(own) == set(known) and np.any(own != known):
        raise ValueError(
            f"classes stand in another order than {name}.classes_ = {show(repr(own))[:80]}; "
            "leave classes= out"
        )
    return known


def _shown(labels: npt.NDArray[Any], index: int) -> str:
    """A label as the user wrote it: 0, not np.int64(0)."""
    return show(repr(labels[index : index + 1].tolist()[0]))


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
    if kind == "empirical":
        return stats.gaussian_kde(residuals.T)
    if kind == "student":
        if residuals.ndim > 1:
            raise ValueError(
                "residuals='student' is for one target; use 'gaussian' or 'empirical' for several"
            )
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
        groups = in_index_order(groups, row_labels(targets), "groups", "the training targets")
        splits = list(check_cv(cv, values).split(np.empty(len(values)), values, groups))
    except (TypeError, ValueError) as error:
        raise type(error)(f"cv of the noise: {error}") from error
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
    if (
        library_of(estimator) == "catboost"
        and estimator.get_param("loss_function") == "RMSEWithUncertainty"
    ):
        mean, variance = as_targets(estimator.predict(at), "predictions").T
        return gaussian(mean, np.sqrt(variance), name)
    try:
        both = estimator.predict(at, return_std=True)
        cause = f"predict(inputs, return_std=True) gave {type(both).__name__}"
    except (TypeError, AttributeError) as error:  # a transformed target finds no array
        both, cause = None, show(error)
    if not (
        isinstance(both, tuple) and len(both) == 2
    ):  # LightGBM accepts any argument and ignores it
        raise TypeError(
            f"{name} does not predict a standard deviation ({cause}); use "
            "noise='cross-validated', or pass the distribution of its noise"
        )
    mean, deviation = (
        as_targets(both[0], "predictions"),
        as_targets(both[1], "predicted standard deviations"),
    )
    return gaussian(mean, np.sqrt(deviation**2 + _left_out_variance(estimator)), name)


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
    low, high = quantile(OUTSIDE / 2), quantile(1 - OUTSIDE / 2)
    outside = float(np.mean((residuals < low) | (residuals > high)))
    if outside > TOO_MANY_OUTSIDE:
        warn(
            f"the noise is too narrow for the held-out data: {outside:.0%} of the targets "
            f"lie outside its central {1 - OUTSIDE:.0%}. If its scale came from residuals "
            "of the fit, use noise='cross-validated', training=(inputs, targets)"
        )
