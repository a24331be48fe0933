"""Distributions: anything with a log density and a sampler; of points, or of targets at inputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.models import Candidate
from rivals.read.inputs import (
    as_pair,
    as_targets,
    as_values,
    check_columns,
    check_inputs,
    check_same_shape,
    some_rows,
)

LOG_DENSITIES = ("logpdf", "log_pdf", "log_prob", "logpmf", "log_pmf")
SAMPLERS = ("rvs", "sample", "resample")
# What samplers call their source of randomness, and whether it may be a NumPy generator.
SEEDS = {"rng": True, "random_state": True, "seed": False}

# These take the points along the last axis, and simulate them along the first.
POINTS_LAST = ("dirichlet_frozen", "wishart_frozen", "invwishart_frozen")

# From this many parameters per training point on, new residuals are wider than σ by a
# twentieth: √(1 + p/n).
MANY_PARAMETERS = 0.1


def distribution(model: Any) -> Candidate:
    """A candidate from a distribution of the data: anything with a log density and a sampler.

    Parameters
    ----------
    model : object
        With `logpdf`, `log_pdf`, `log_prob` or `logpmf`, and with `rvs`, `sample` or
        `resample`. It may be

        - of `scipy.stats`: a frozen distribution, also a multivariate one; a random
          variable of the new infrastructure (`scipy.stats.Normal(mu=0, sigma=1)`); the
          result of `scipy.stats.fit`; a `gaussian_kde`;
        - what `get_distribution(exog)` of statsmodels gives for the held-out points;
        - a GaussianMixture or KernelDensity of scikit-learn, fitted;
        - of PyTorch, NumPyro or TensorFlow Probability; what `pred_dist(X)` of NGBoost predicts;
        - your own object, whose sampler takes `rng`, `random_state` or `seed`.

        Its parameters may be arrays, with one entry for each data point. Data of shape (n,
        d) are n points: the distribution is then d-dimensional, or has parameters of shape
        (n, d), and the loss of a row is the sum over its columns.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability for discrete data.

    See Also
    --------
    regressor, classifier : Estimators.
    regression : Results of statsmodels.
    network : Networks that return distributions.

    Notes
    -----
    Simulations repeat with the seed of the comparison, even if a library draws from a
    global generator (PyTorch), which is seeded for the draw and then restored. Losses have
    the precision of the library: 32 bits in JAX, unless `jax_enable_x64` is set.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> import rivals
    >>> from rivals.read import distribution
    >>> y = np.random.default_rng(0).normal(size=1000)
    >>> models = {"normal": distribution(stats.norm()), "wide": distribution(stats.norm(scale=3.0))}
    >>> rivals.compare(models, y, c=0.25, rng=0).survivors
    ('normal',)

    A kernel density estimate of other data:

    >>> other = np.random.default_rng(1).normal(size=300)
    >>> distribution(stats.gaussian_kde(other)).loss(np.array([0.0, 3.0])).round(2)
    array([0.81, 4.62])
    """
    density = as_density(model)
    return Candidate(loss=lambda data: -density.log_density(data), simulate=density.simulate)


@dataclass(frozen=True)
class Density:
    """One law for all points (`batch` is empty), or a law for each point or number of the data.

    Parameters
    ----------
    name : str
        For messages.
    batch : tuple of int or None
        The shape of the parameters; None if unknown.
    event : tuple of int or None
        The shape of one draw of one law; () for a number.
    log : callable
        From values of shape (n, *event) or (*batch, *event) to log densities of shape (n,)
        or batch.
    sample : callable
        `sample(count, rng)`, with count (n,), or () where there is a law for each point:
        draws of shape (*count, *batch, *event).
    """

    name: str
    batch: tuple[int, ...] | None
    event: tuple[int, ...] | None
    log: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    sample: Callable[[tuple[int, ...], np.random.Generator], npt.NDArray[Any]]

    def log_density(self, data: Any) -> FloatArray:
        """One log density per point: per row, where a row has several numbers."""
        values = as_values(data, "data")
        if values.ndim == 0:
            raise ValueError(f"data: expected an array of points; got the single value {values!r}")
        if self.batch is not None and self.event is not None:
            check_same_shape(
                (*(self.batch or values.shape[:1]), *self.event), values.shape, self.name
            )
        found = np.asarray(self.log(values), dtype=np.float64)
        if self.batch and found.shape == self.batch:
            found = found.reshape(len(found), -1).sum(
                axis=1
            )  # the numbers of a row are independent given the model
        if found.shape != (len(values),):
            raise ValueError(
                f"{self.name} gives log densities of shape {found.shape} for data of shape "
                f"{values.shape}, but there must be one for each of {len(values)} points: "
                "it has one density for all of them together, or parameters of another "
                "shape; pass one for each point"
            )
        return found

    def simulate(self, n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """n simulated points."""
        if not self.batch:
            return self.sample((n,), rng)
        if self.batch[0] != n:
            raise ValueError(
                f"the distribution could not simulate {n} points: {self.name} has "
                f"parameters of shape {self.batch}, one for each data point"
            )
        return self.sample((), rng)


def gaussian(mean: FloatArray, deviation: FloatArray, name: str) -> Density:
    """Independent Gaussians, one for each number of the data."""
    if deviation.shape not in (mean.shape, (), mean.shape[1:]):
        raise ValueError(
            f"{name} has means of shape {mean.shape}, but standard deviations of shape "
            f"{deviation.shape}; pass one for each point, or one for all"
        )
    if not np.all(deviation > 0):
        raise ValueError(
            f"{name}: {int(np.sum(~(deviation > 0)))} of {deviation.size} standard "
            "deviations are not above zero, the first "
            f"{deviation[~(deviation > 0)].ravel()[0]:g}; a network's scale needs exp or "
            "softplus, any scale a lower bound"
        )

    from scipy import stats  # here, since importing it takes a while

    return replace(_frozen(stats.norm(mean, deviation)), name=name)


def warn_of_many_parameters(who: str, n_parameters: int, n_points: int, instead: str) -> None:
    """Warn if σ from training residuals, corrected for the degrees of freedom, is too small
    for new points.
    """
    if n_parameters > MANY_PARAMETERS * n_points:
        warn(
            f"{who} has {n_parameters} parameters for {n_points} training points: its σ "
            "comes from the data to which it was fitted, and new residuals are wider by a "
            f"factor of about {np.sqrt(1 + n_parameters / n_points):.2f}; {instead}"
        )


ConditionalDensity: TypeAlias = Callable[
    [Any], Density
]  # from inputs to the distribution of the targets at them


def at_inputs(
    law: ConditionalDensity,
    inputs: Any,
    who: str,
    *,
    targets: Callable[[Any, str], npt.NDArray[Any]] = as_targets,
) -> Candidate:
    """A candidate for pairs (inputs, targets), from the distribution of the targets at some
    inputs; it simulates at those given here.
    """

    def loss(data: Any) -> FloatArray:
        at, given = as_pair(data)
        check_columns(at, inputs, who)
        return -law(at).log_density(targets(given, "targets"))

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, npt.NDArray[Any]]:
        at = some_rows(inputs, n, rng)
        return at, law(at).simulate(n, rng)

    return Candidate(loss, simulate, lambda data: check_inputs(as_pair(data)[0], inputs, who))


def as_density(model: Any) -> Density:
    """Recognise a distribution by its methods and its library; nothing is imported that is
    not loaded already.
    """
    if isinstance(model, Density):
        return model
    name = type(model).__name__
    origins = {kind.__module__.split(".")[0] for kind in type(model).__mro__}
    kinds = {kind.__name__ for kind in type(model).__mro__}
    if {"rv_histogram", "rv_sample"} & kinds:  # families of one member, made from data
        return _frozen(model())
    if isinstance(model, type) or kinds & {
        "rv_generic",
        "multi_rv_generic",
    }:  # of SciPy, or derived from them
        family = getattr(model, "name", None) or getattr(
            model, "__name__", name.removesuffix("_gen")
        )
        raise TypeError(
            f"{show(family)} is a family of distributions, not one of them; write "
            f"{show(family)}(...)"
        )
    if "FitResult" in kinds and hasattr(model, "_dist"):
        if not model.success:
            warn(
                f"the fit of {model._dist.name} did not succeed ({model.message}); its "
                "parameters may be far off"
            )
        return as_density(model._dist(*model.params))
    if "ngboost" in origins and hasattr(model, "dist"):
        return as_density(model.dist)
    if "ngboost" in origins and hasattr(model, "cov"):
        return _multivariate_of_ngboost(model)
    if "sklearn" in origins and name in (
        "GaussianMixture",
        "BayesianGaussianMixture",
        "KernelDensity",
    ):
        return _of_sklearn(model, name)
    log, sampler = _method(model, LOG_DENSITIES), _method(model, SAMPLERS)
    if log is None:
        raise TypeError(
            f"expected a distribution, with one of {', '.join(LOG_DENSITIES)}; got {name}"
        )
    if sampler is None:
        raise TypeError(
            f"{name} must be able to simulate, and has none of {', '.join(SAMPLERS)}; see "
            "rivals.Candidate"
        )
    if "torch" in origins:
        return _torch(model, name)
    if origins & {"numpyro", "tensorflow_probability"}:
        return _with_keys(model, name, origins)
    if "_ProbabilityDistribution" in kinds or "UnivariateDistribution" in kinds:
        return _infrastructure(model, name, kinds)
    if hasattr(model, "dist") and hasattr(model, "args") and hasattr(model, "kwds"):
        return _frozen(model)
    return (
        _kernel_estimate(model) if name == "gaussian_kde" else _any_other(model, name, log, sampler)
    )


def _method(model: Any, names: tuple[str, ...]) -> Any:
    """The first of these methods that a model has, or None."""
    return next(
        (getattr(model, name) for name in names if callable(getattr(model, name, None))), None
    )


def _frozen(model: Any) -> Density:
    """A frozen univariate distribution of SciPy; it has both methods, and only the family
    knows which of them works.
    """
    batch = np.shape(
        model.support()[0]
    )  # not the parameters: those of the Poisson binomial are a list
    name = getattr(model.dist, "name", None) or type(model.dist).__name__
    log = model.logpmf if hasattr(model.dist, "pmf") else model.logpdf
    return Density(
        name,
        batch,
        (),
        log,
        lambda count, rng: np.asarray(model.rvs((*count, *batch), random_state=rng)),
    )


def _infrastructure(model: Any, name: str, kinds: set[str]) -> Density:
    """A random variable of SciPy's new infrastructure."""
    log = model.logpmf if "DiscreteDistribution" in kinds else model.logpdf
    batch = np.shape(model.sample((), rng=np.random.default_rng(0)))
    return Density(
        name, batch, (), log, lambda count, rng: np.asarray(model.sample(count, rng=rng))
    )


def _torch(model: Any, name: str) -> Density:
    torch = import_module("torch")

    def draw(count: tuple[int, ...], rng: np.random.Generator) -> Any:
        """PyTorch's distributions draw only from its global generator: seed it, and restore
        its state.
        """
        devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
        with torch.random.fork_rng(devices=devices), torch.no_grad():
            torch.manual_seed(int(rng.integers(2**62)))
            return model.sample(count)

    example = draw((), np.random.default_rng(0))  # it has the device and the type of the parameters

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        tensor = torch.as_tensor(np.array(values), device=example.device)
        if example.is_floating_point() and not tensor.is_floating_point():
            tensor = tensor.to(example.dtype)
        with torch.no_grad():
            return as_values(model.log_prob(tensor), "log_prob")

    batch, event = tuple(model.batch_shape), tuple(model.event_shape)
    return Density(
        name, batch, event, log, lambda count, rng: as_values(draw(count, rng), "sample")
    )


def _with_keys(model: Any, name: str, origins: set[str]) -> Density:
    """A distribution of NumPyro or TensorFlow Probability, whose samplers take keys."""

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        if "numpyro" not in origins and ".substrates.jax" not in type(model).__module__:
            return np.asarray(model.sample(count, seed=rng.integers(2**31, size=2, dtype=np.int32)))
        key = import_module("jax").random.PRNGKey(int(rng.integers(2**31)))
        return np.asarray(
            model.sample(key, count) if "numpyro" in origins else model.sample(count, seed=key)
        )

    batch, event = tuple(model.batch_shape), tuple(model.event_shape)
    return Density(name, batch, event, lambda values: np.asarray(model.log_prob(values)), sample)


def _of_sklearn(model: Any, name: str) -> Density:
    """A mixture or kernel density estimate, which draws by the seed that it holds; a
    mixture sorts its draws by component.
    """
    if name == "KernelDensity" and (
        model.metric not in ("euclidean", "l2") or model.kernel not in ("gaussian", "tophat")
    ):
        raise TypeError(
            f"KernelDensity with kernel={model.kernel!r}, metric={model.metric!r} has no "
            "density or no sampler; use 'gaussian' or 'tophat', 'euclidean'"
        )
    if (
        name == "BayesianGaussianMixture"
    ):  # its scores are no densities: they have expected logs of the weights
        scored, model = model, import_module("sklearn.mixture").GaussianMixture()
        vars(model).update(vars(scored))

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        twin, seed = copy(model), int(rng.integers(2**31))
        twin.random_state = seed
        if name == "KernelDensity":
            return np.asarray(twin.sample(*count, random_state=seed))
        return rng.permutation(twin.sample(*count)[0])

    return Density(name, (), (model.n_features_in_,), model.score_samples, sample)


def _multivariate_of_ngboost(model: Any) -> Density:
    """A Gaussian of several targets for each point."""
    mean, factor = np.asarray(model.loc), np.linalg.cholesky(model.cov)

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        standard = rng.standard_normal((*count, *mean.shape, 1))
        return np.asarray(mean + (factor @ standard)[..., 0])

    return Density(
        "NGBoost's multivariate normal", mean.shape[:1], mean.shape[1:], model.logpdf, sample
    )


def _kernel_estimate(model: Any) -> Density:
    """A kernel density estimate of SciPy, which has the points along the last axis."""
    event = () if model.d == 1 else (model.d,)

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return np.asarray(model.resample(*count, seed=rng).T.reshape(*count, *event))

    return Density(
        "gaussian_kde", (), event, lambda values: np.asarray(model.logpdf(values.T)), sample
    )


def _any_other(model: Any, name: str, log: Any, sampler: Any) -> Density:
    """Multivariate distributions of SciPy, and whatever has a density and a sampler that
    takes a seed: else no run could be repeated.
    """
    seed = next((word for word in SEEDS if word in inspect.signature(sampler).parameters), None)
    if seed is None:
        raise TypeError(
            f"{name}.{sampler.__name__} takes no seed (none of {', '.join(SEEDS)}), so no "
            "run could be repeated; write a rivals.Candidate"
        )

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return np.asarray(
            sampler(*count, **{seed: rng if SEEDS[seed] else int(rng.integers(2**31))})
        )

    def log_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(log(np.moveaxis(values, 0, -1) if name in POINTS_LAST else values))

    event = np.shape(sample((2,), np.random.default_rng(0)))[1:]
    batch = () if type(model).__module__.startswith("scipy.") else None
    return Density(name, batch, event, log_of, sample)
