"""Fitted estimators with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_choice
from rivals._say.words import show
from rivals._types import RNG, FloatArray
from rivals.models import Candidate
from rivals.read.densities import ConditionalDensity, Density, at_inputs
from rivals.read.distributions import as_density
from rivals.read.inputs import (
    AtPoint,
    as_targets,
    as_values,
    check_one_per_row,
    check_response,
    library_of,
    n_rows,
)
from rivals.read.noise import noise_of, out_of_fold_residuals, predicted, warn_if_too_narrow


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
    density_at = labels_at(estimator, floor=floor, classes=classes)
    return at_inputs(density_at, inputs, type(estimator).__name__, targets=as_values)


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
    """A candidate from a fitted regressor and a model of its noise.

    Its data have the form of a pair (inputs, targets).

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
        has Gaussian tails and, with several targets, is slow for many points.
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
    cross_validated = isinstance(noise, str) and noise == "cross-validated"
    if training is not None and not cross_validated:
        raise ValueError(
            "training= is for noise='cross-validated', but was given with another noise; "
            "leave it out"
        )
    density_at = targets_at(
        estimator, noise, training, residuals=residuals, cv=cv, groups=groups, rng=rng
    )
    return at_inputs(density_at, inputs, type(estimator).__name__)


def labels_at(estimator: Any, *, floor: float, classes: Any = None) -> ConditionalDensity:
    """From inputs to the distribution of the labels, as `classifier` describes it."""
    name = _name(estimator)
    _check_predicts_probabilities(estimator, name)
    if not 0.0 <= floor < 1.0:
        raise ValueError(f"floor must lie in [0, 1); got {floor!r}")
    known = _classes(estimator, name, classes)

    def density_at(at: Any) -> Density:
        found = as_targets(estimator.predict_proba(at), "probabilities")
        _check_probabilities(found, known.size, name)
        raised = np.maximum(found, floor)
        return _of_labels(known, raised / raised.sum(axis=1, keepdims=True), name)

    return density_at


def probabilities_of(estimator: Any, at: Any) -> tuple[npt.NDArray[Any], FloatArray]:
    """The labels, and the probability of each at some inputs, one row per point."""
    name = _name(estimator)
    _check_predicts_probabilities(estimator, name)
    known = _classes(estimator, name, None)
    found = as_targets(estimator.predict_proba(at), "probabilities")
    _check_probabilities(found, known.size, name)
    return known, found


def _check_predicts_probabilities(estimator: Any, name: str) -> None:
    if not callable(getattr(estimator, "predict_proba", None)):
        raise TypeError(
            f"{name} has no predict_proba; give it one (sklearn.calibration.CalibratedClassifierCV)"
        )


def _check_probabilities(found: FloatArray, n_classes: int, name: str) -> None:
    if found.ndim != 2 or found.shape[1] != n_classes:
        raise ValueError(
            f"{name} predicts probabilities of shape {found.shape}, but there must be "
            f"one column for each of {n_classes} classes"
        )
    # Rounded, they may be a little more than one.
    if not np.all((found >= 0) & (found <= 1.001)):
        raise ValueError(
            f"{name}.predict_proba gives numbers from {found.min():.3g} to "
            f"{found.max():.3g}, which are no probabilities; logits need a softmax"
        )


def _of_labels(known: npt.NDArray[Any], probabilities: FloatArray, name: str) -> Density:
    """The distribution of a label for each row of probabilities."""

    def log(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        is_label = labels[:, None] == known
        unknown = np.flatnonzero(~is_label.any(axis=1))
        if unknown.size:
            raise AtPoint(
                f"{unknown.size} of {labels.size} labels are of a class that the "
                "classifier was not fitted to",
                int(unknown[0]),
                f"{_shown(labels, unknown[0])}; fit it to all classes",
            )
        likelihood = probabilities[np.arange(labels.size), is_label.argmax(axis=1)]
        impossible = np.flatnonzero(likelihood == 0)
        if impossible.size:
            raise AtPoint(
                f"{name} assigns zero probability to {impossible.size} of {labels.size} labels",
                int(impossible[0]),
                f"{_shown(labels, impossible[0])}, of infinite loss; pass floor=, the "
                "least probability of a label (such as 1e-3), or calibrate it "
                "(CalibratedClassifierCV)",
            )
        return np.asarray(np.log(likelihood))

    def sample(_: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        edges = np.cumsum(probabilities, axis=1)
        drawn = rng.random((len(edges), 1)) > edges[:, :-1]
        return np.asarray(known[drawn.sum(axis=1)])

    return Density(name, probabilities.shape[:1], (), log, sample)


def targets_at(
    estimator: Any, noise: Any, training: Any, *, residuals: str, cv: Any, groups: Any, rng: RNG
) -> ConditionalDensity:
    """From inputs to the distribution of the targets, as `regressor` describes it."""
    name = _name(estimator)
    if not callable(getattr(estimator, "predict", None)):
        raise TypeError(
            f"{name} has no predict; pass a fitted estimator, or write a rivals.Candidate"
        )
    check_response(estimator)
    if isinstance(noise, str) and noise not in ("cross-validated", "predicted"):
        raise ValueError(
            f"noise must be a distribution, 'cross-validated' or 'predicted'; got {noise!r}"
        )
    check_choice(residuals, "residuals", ("gaussian", "student", "empirical"))
    if isinstance(noise, str) and noise == "predicted":
        return lambda at: predicted(estimator, at)
    judged = noise
    if isinstance(noise, str):
        if training is None:
            raise ValueError(
                "noise='cross-validated' needs training=(inputs, targets), those of the fit"
            )
        unseen = out_of_fold_residuals(estimator, training, cv=cv, groups=groups, rng=rng)
        noise = noise_of(unseen, residuals)
        # It may be too narrow for a group like no other, and nothing is to be done about that.
        judged = None
    density = as_density(noise)

    def density_at(at: Any) -> Density:
        mean = as_targets(estimator.predict(at), "predictions")
        check_one_per_row(mean.shape, n_rows(at, "inputs"), name)
        return _shifted(density, judged, mean, name)

    return density_at


def _name(estimator: Any) -> str:
    """The name of its class, unless it is a Booster."""
    name = type(estimator).__name__
    library = library_of(estimator)
    if name == "Booster" and library in ("xgboost", "lightgbm"):
        raise TypeError(
            f"a Booster of {library} says neither what it predicts nor how; pass an "
            "LGBMClassifier, LGBMRegressor, XGBClassifier or XGBRegressor, into which "
            "load_model reads it"
        )
    return name


def _shifted(density: Density, judged: Any, mean: FloatArray, name: str) -> Density:
    """Noise about the predictions: a row has several targets, and a univariate noise applies to
    each of them.
    """
    of_each = mean.ndim == 2 and density.event == () and density.batch in ((), mean.shape[1:])

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        residuals = values - mean
        if of_each:
            found = np.sum(density.log(residuals), axis=1)
        else:
            found = density.log_density(residuals)
        warn_if_too_narrow(judged, residuals)
        return np.asarray(found, dtype=np.float64)

    def sample(_: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        if not of_each:
            return np.asarray(mean + density.simulate(len(mean), rng))
        count = mean.shape[:1] if density.batch else (mean.size,)
        return np.asarray(mean + density.sample(count, rng).reshape(mean.shape))

    return Density(name, mean.shape[:1], mean.shape[1:], log, sample)


def _classes(estimator: Any, name: str, given: Any) -> npt.NDArray[Any]:
    """The labels in the order of the columns of `predict_proba`."""
    if given is None:
        given = getattr(estimator, "classes_", None)
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


def only_label(labels: Any) -> str | None:
    """The label that all points have, as the user wrote it; None if there are several."""
    values = as_values(labels, "labels")
    if values.ndim != 1 or not values.size or not np.all(values == values[0]):
        return None
    return _shown(values, 0)


def _shown(labels: npt.NDArray[Any], index: int) -> str:
    """A label as the user wrote it: 0, not np.int64(0)."""
    return show(repr(labels[index : index + 1].tolist()[0]))
