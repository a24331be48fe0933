"""Distributions of any library, as a density of the data: anything with a log density and a
sampler.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.models import Candidate
from rivals.read.densities import Density, frozen_density
from rivals.read.inputs import (
    as_values,
)
from rivals.read.kernel_estimates import binned_log_density

LOG_DENSITIES = ("logpdf", "log_pdf", "log_prob", "logpmf", "log_pmf")
SAMPLERS = ("rvs", "sample", "resample")
# What samplers call their source of randomness, and whether it may be a NumPy generator.
SEEDS = {"rng": True, "random_state": True, "seed": False}

# These take the points along the last axis, and simulate them along the first.
POINTS_LAST = ("dirichlet_frozen", "wishart_frozen", "invwishart_frozen")

# From this many on, each value is not compared with each of them.
MANY_KERNELS = 2000
# Over more than this, bins would take much memory; Scott's bandwidth is never so small.
MOST_BANDWIDTHS = 3e4

# Of scikit-learn.
OF_SKLEARN = ("GaussianMixture", "BayesianGaussianMixture", "KernelDensity")


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


def as_density(model: Any) -> Density:
    """Recognise a distribution by its methods and its library; nothing is imported that is not
    loaded already.
    """
    if isinstance(model, Density):
        return model
    name = type(model).__name__
    ancestors = type(model).__mro__
    libraries = {kind.__module__.split(".")[0] for kind in ancestors}
    kinds = {kind.__name__ for kind in ancestors}
    if {"rv_histogram", "rv_sample"} & kinds:  # families of one member, made from data
        return frozen_density(model())
    _check_is_one(model, name, kinds)
    if "FitResult" in kinds and hasattr(model, "_dist"):
        return _fitted_by_scipy(model)
    if "ngboost" in libraries and hasattr(model, "dist"):
        return as_density(model.dist)
    if "ngboost" in libraries and hasattr(model, "cov"):
        return _multivariate_of_ngboost(model)
    if "sklearn" in libraries and name in OF_SKLEARN:
        return _of_sklearn(model, name)
    log, sampler = _methods(model, name)
    if "torch" in libraries:
        return _torch(model, name)
    if libraries & {"numpyro", "tensorflow_probability"}:
        return _with_keys(model, name, "numpyro" in libraries)
    if kinds & {"_ProbabilityDistribution", "UnivariateDistribution"}:
        return _infrastructure(model, name, kinds)
    if hasattr(model, "dist") and hasattr(model, "args") and hasattr(model, "kwds"):
        return frozen_density(model)
    if name == "gaussian_kde":
        return _kernel_estimate(model)
    return _any_other(model, name, log, sampler)


def _check_is_one(model: Any, name: str, kinds: set[str]) -> None:
    """Refuse a family of distributions, of SciPy or derived from it, and any class."""
    if not isinstance(model, type) and not kinds & {"rv_generic", "multi_rv_generic"}:
        return
    family = getattr(model, "name", None)
    if not family:
        family = getattr(model, "__name__", name.removesuffix("_gen"))
    raise TypeError(
        f"{show(family)} is a family of distributions, not one of them; write {show(family)}(...)"
    )


def _fitted_by_scipy(result: Any) -> Density:
    if not result.success:
        warn(
            f"the fit of {result._dist.name} did not succeed ({result.message}); its parameters "
            "may be far off"
        )
    return as_density(result._dist(*result.params))


def _methods(model: Any, name: str) -> tuple[Any, Any]:
    """The log density and the sampler of a model."""
    log = _method(model, LOG_DENSITIES)
    if log is None:
        raise TypeError(
            f"expected a distribution, with one of {', '.join(LOG_DENSITIES)}; got {name}"
        )
    sampler = _method(model, SAMPLERS)
    if sampler is None:
        raise TypeError(
            f"{name} must be able to simulate, and has none of {', '.join(SAMPLERS)}; see "
            "rivals.Candidate"
        )
    return log, sampler


def _method(model: Any, names: tuple[str, ...]) -> Any:
    """The first of these methods that a model has, or None."""
    for name in names:
        method = getattr(model, name, None)
        if callable(method):
            return method
    return None


def _infrastructure(model: Any, name: str, kinds: set[str]) -> Density:
    """A random variable of SciPy's new infrastructure."""
    log = model.logpmf if "DiscreteDistribution" in kinds else model.logpdf
    batch = np.shape(model.sample((), rng=np.random.default_rng(0)))

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return np.asarray(model.sample(count, rng=rng))

    return Density(name, batch, (), log, sample)


def _torch(model: Any, name: str) -> Density:
    torch = import_module("torch")

    def draw(count: tuple[int, ...], rng: np.random.Generator) -> Any:
        """PyTorch's distributions draw only from its global generator: seed it, and restore its
        state.
        """
        devices = []
        if torch.cuda.is_initialized():
            devices = list(range(torch.cuda.device_count()))
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

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return as_values(draw(count, rng), "sample")

    return Density(name, tuple(model.batch_shape), tuple(model.event_shape), log, sample)


def _with_keys(model: Any, name: str, of_numpyro: bool) -> Density:
    """A distribution of NumPyro or TensorFlow Probability, whose samplers take keys."""
    of_jax = of_numpyro or ".substrates.jax" in type(model).__module__

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        if not of_jax:
            seed = rng.integers(2**31, size=2, dtype=np.int32)
            return np.asarray(model.sample(count, seed=seed))
        key = import_module("jax").random.PRNGKey(int(rng.integers(2**31)))
        if of_numpyro:
            return np.asarray(model.sample(key, count))
        return np.asarray(model.sample(count, seed=key))

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(model.log_prob(values))

    return Density(name, tuple(model.batch_shape), tuple(model.event_shape), log, sample)


def _of_sklearn(model: Any, name: str) -> Density:
    """A mixture or kernel density estimate, which draws by the seed that it holds; a mixture
    sorts its draws by component.
    """
    if name == "KernelDensity":
        euclidean = model.metric in ("euclidean", "l2")
        if not euclidean or model.kernel not in ("gaussian", "tophat"):
            raise TypeError(
                f"KernelDensity with kernel={model.kernel!r}, metric={model.metric!r} has no "
                "density or no sampler; use 'gaussian' or 'tophat', 'euclidean'"
            )
    if name == "BayesianGaussianMixture":
        # Its scores are no densities: they have expected logs of the weights.
        plain = import_module("sklearn.mixture").GaussianMixture()
        vars(plain).update(vars(model))
        model = plain

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        seed = int(rng.integers(2**31))
        if name == "KernelDensity":
            return np.asarray(model.sample(*count, random_state=seed))
        twin = copy(model)
        twin.random_state = seed
        points, _ = twin.sample(*count)
        return rng.permutation(points)

    return Density(name, (), (model.n_features_in_,), model.score_samples, sample)


def _multivariate_of_ngboost(model: Any) -> Density:
    """A Gaussian of several targets for each point."""
    mean = np.asarray(model.loc)
    factor = np.linalg.cholesky(model.cov)

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        standard = rng.standard_normal((*count, *mean.shape, 1))
        return np.asarray(mean + (factor @ standard)[..., 0])

    name = "NGBoost's multivariate normal"
    return Density(name, mean.shape[:1], mean.shape[1:], model.logpdf, sample)


def _kernel_estimate(model: Any) -> Density:
    """A kernel density estimate of SciPy, which has the points along the last axis."""
    event = () if model.d == 1 else (model.d,)
    binned = _binned(model)

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        return np.asarray(model.resample(*count, seed=rng).T.reshape(*count, *event))

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if binned is not None:
            return binned(values)
        return np.asarray(model.logpdf(values.T))

    return Density("gaussian_kde", (), event, log, sample)


def _binned(model: Any) -> Callable[[FloatArray], FloatArray] | None:
    """The log density of a kernel estimate of many numbers; None if a sum over all is as well."""
    if model.d > 1 or model.n <= MANY_KERNELS:
        return None
    bandwidth = float(np.sqrt(model.covariance[0, 0]))
    if np.ptp(model.dataset) > MOST_BANDWIDTHS * bandwidth:
        return None
    return binned_log_density(model.dataset[0], model.weights, bandwidth)


def _any_other(model: Any, name: str, log: Any, sampler: Any) -> Density:
    """Multivariate distributions of SciPy, and whatever has a density and a sampler that takes
    a seed: else no run could be repeated.
    """
    parameters = inspect.signature(sampler).parameters
    seed = next((word for word in SEEDS if word in parameters), None)
    if seed is None:
        raise TypeError(
            f"{name}.{sampler.__name__} takes no seed (none of {', '.join(SEEDS)}), so no run "
            "could be repeated; write a rivals.Candidate"
        )
    takes_generator = SEEDS[seed]

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        given = rng if takes_generator else int(rng.integers(2**31))
        return np.asarray(sampler(*count, **{seed: given}))

    def log_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if name in POINTS_LAST:
            values = np.moveaxis(values, 0, -1)
        return np.asarray(log(values))

    event = np.shape(sample((2,), np.random.default_rng(0)))[1:]
    batch = () if type(model).__module__.startswith("scipy.") else None
    return Density(name, batch, event, log_of, sample)
