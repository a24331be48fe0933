"""One interface to the distributions of many libraries: a log density of each point, and draws from a NumPy generator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show, warn
from rivals._types import FloatArray
from rivals.read.inputs import as_values, check_same_shape

LOG_DENSITIES = ("logpdf", "log_pdf", "log_prob", "logpmf", "log_pmf")
SAMPLERS = ("rvs", "sample", "resample")
# What samplers call their source of randomness, and whether it may be a NumPy generator.
SEEDS = {"rng": True, "random_state": True, "generator": True, "seed": False}

# These take the points along the last axis, and simulate them along the first.
POINTS_LAST = ("gaussian_kde", "dirichlet_frozen", "wishart_frozen", "invwishart_frozen")


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
        From values of shape (n, *event) or (*batch, *event) to log densities of shape (n,) or batch.
    sample : callable
        `sample(count, rng)`, with count () or (n,): draws of shape (*count, *batch, *event).
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
            check_same_shape((*(self.batch or values.shape[:1]), *self.event), values.shape, self.name)
        found = np.asarray(self.log(values), dtype=np.float64)
        if self.batch and found.shape == self.batch:
            found = found.reshape(len(found), -1).sum(axis=1)  # the numbers of a row are independent given the model
        if found.shape != (len(values),):
            raise ValueError(
                f"{self.name} gives log densities of shape {found.shape} for data of shape {values.shape}, but there must be one "
                f"for each of {len(values)} points: "
                + (
                    "it has one density for all of them together; pass the distribution of each point"
                    if found.ndim == 0
                    else "the shape of its parameters does not fit the data"
                )
            )
        return found

    def simulate(self, n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """n simulated points."""
        if not self.batch:
            return self.sample((n,), rng)
        if self.batch[0] != n:
            raise ValueError(
                f"the distribution could not simulate {n} points: {self.name} has parameters of shape {self.batch}, and one with "
                "a parameter for each data point simulates exactly as many"
            )
        return self.sample((), rng)


def gaussian(mean: FloatArray, deviation: FloatArray, name: str) -> Density:
    """Independent Gaussians, one for each number of the data."""
    deviation = np.broadcast_to(deviation, mean.shape)
    if not np.all(deviation > 0):
        raise ValueError(
            f"{name}: {int(np.sum(~(deviation > 0)))} of {deviation.size} standard deviations are not above zero, the first "
            f"{deviation[~(deviation > 0)].ravel()[0]:g}; a network's scale needs exp or softplus, any scale a lower bound"
        )

    from scipy import stats  # here, since importing it takes a while

    return replace(_frozen(stats.norm(mean, deviation)), name=name)


def as_density(model: Any) -> Density:
    """Recognise a distribution by its methods and its library; nothing is imported that is not loaded already."""
    if isinstance(model, Density):
        return model
    _refuse_families(model)
    name = type(model).__name__
    origins = {kind.__module__.split(".")[0] for kind in type(model).__mro__}
    kinds = {kind.__name__ for kind in type(model).__mro__}
    if {"rv_histogram", "rv_sample"} & kinds:  # families of one member, made from data
        return _frozen(model())
    if "FitResult" in kinds and hasattr(model, "_dist"):
        if not model.success:
            warn(
                f"the fit of {model._dist.name} did not succeed ({model.message}); its parameters may be far from the best"
            )
        return as_density(model._dist(*model.params))
    if "ngboost" in origins and hasattr(model, "dist"):
        return as_density(model.dist)
    if "ngboost" in origins and hasattr(model, "cov"):
        return _multivariate_of_ngboost(model)
    if "sklearn" in origins and name in ("GaussianMixture", "BayesianGaussianMixture", "KernelDensity"):
        return _of_sklearn(model, name)
    _check_offers(model, name)
    if "torch" in origins:
        return _torch(model, name)
    if origins & {"numpyro", "tensorflow_probability", "distrax"}:
        return _with_keys(model, name, origins)
    if "_ProbabilityDistribution" in kinds or "UnivariateDistribution" in kinds:
        return _infrastructure(model, name, kinds)
    if hasattr(model, "dist") and hasattr(model, "args") and hasattr(model, "kwds"):
        return _frozen(model)
    return _any_other(model, name)


def _refuse_families(model: Any) -> None:
    if isinstance(model, type):
        raise TypeError(
            f"{model.__name__} is a class of distributions, not one of them; pass {model.__name__}(...) with its fitted parameters"
        )
    kind = type(model)
    of_scipy = kind.__module__.startswith("scipy.") and kind.__name__.endswith("_gen")
    if of_scipy or (callable(getattr(model, "freeze", None)) and kind.__name__ not in ("rv_histogram", "rv_sample")):
        name = getattr(model, "name", None) or kind.__name__.removesuffix("_gen")
        shapes = f"{model.shapes}, " if getattr(model, "shapes", None) else ""
        parameters = f"{shapes}loc, scale" if hasattr(model, "pdf") and hasattr(model, "freeze") else f"{shapes}..."
        raise TypeError(
            f"'{show(name)}' is a family of distributions without parameters, not a distribution; write "
            f"{show(name)}({parameters}) with the fitted ones"
        )


def _check_offers(model: Any, name: str) -> None:
    if not any(callable(getattr(model, method, None)) for method in LOG_DENSITIES):
        raise TypeError(
            f"expected a distribution with one of {', '.join(LOG_DENSITIES)}, as scipy.stats.norm(0, 1) is; got {name}"
        )
    if not any(callable(getattr(model, method, None)) for method in SAMPLERS):
        raise TypeError(
            f"a model must be able to simulate: got {name}, which has none of {', '.join(SAMPLERS)}; see rivals.Candidate"
        )


def _frozen(model: Any) -> Density:
    """A frozen univariate distribution of SciPy; it has both methods, and only the family knows which of them works."""
    low = np.asarray(model.support()[0])  # not the parameters: those of the Poisson binomial are a list
    batch, name = low.shape, getattr(model.dist, "name", None) or type(model.dist).__name__
    if np.isnan(low).any():
        raise ValueError(
            f"{name}: the parameters of {int(np.isnan(low).sum())} of {low.size} distributions are not in its domain; did the fit converge?"
        )
    log = model.logpmf if hasattr(model.dist, "pmf") else model.logpdf
    return Density(name, batch, (), log, lambda count, rng: np.asarray(model.rvs((*count, *batch), random_state=rng)))


def _infrastructure(model: Any, name: str, kinds: set[str]) -> Density:
    """A random variable of SciPy's new infrastructure."""
    log = model.logpmf if "DiscreteDistribution" in kinds else model.logpdf
    batch = np.shape(model.sample((), rng=np.random.default_rng(0)))
    return Density(name, batch, (), log, lambda count, rng: np.asarray(model.sample(count, rng=rng)))


def _torch(model: Any, name: str) -> Density:
    torch = import_module("torch")

    with torch_seed(np.random.default_rng(0)):
        place = model.sample()  # a draw lies on the device of the parameters

    def log(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        tensor = torch.as_tensor(np.array(values), device=place.device)
        if place.is_floating_point() and not tensor.is_floating_point():
            tensor = tensor.to(place.dtype)
        with torch.no_grad():
            return as_values(model.log_prob(tensor), "log_prob")

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        with torch_seed(rng), torch.no_grad():
            return as_values(model.sample(count), "sample")

    return Density(name, tuple(model.batch_shape), tuple(model.event_shape), log, sample)


@contextmanager
def torch_seed(rng: np.random.Generator) -> Iterator[None]:
    """PyTorch's distributions draw only from its global generator: seed it, and restore its state."""
    torch = import_module("torch")

    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else []
    with torch.random.fork_rng(devices=list(devices)):
        torch.manual_seed(int(rng.integers(2**62)))
        yield


def _with_keys(model: Any, name: str, origins: set[str]) -> Density:
    """A distribution of NumPyro, TensorFlow Probability or Distrax, whose samplers take keys."""

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        if "numpyro" in origins:
            return np.asarray(model.sample(jax_key(rng), count))
        if "distrax" in origins or ".substrates.jax" in type(model).__module__:
            return np.asarray(model.sample(sample_shape=count, seed=jax_key(rng)))
        return np.asarray(model.sample(count, seed=rng.integers(2**31, size=2, dtype=np.int32)))

    batch, event = tuple(model.batch_shape), tuple(model.event_shape)
    return Density(name, batch, event, lambda values: np.asarray(model.log_prob(values)), sample)


def jax_key(rng: np.random.Generator) -> Any:
    """A key of JAX from a generator of NumPy."""
    return import_module("jax").random.PRNGKey(int(rng.integers(2**31)))


def _of_sklearn(model: Any, name: str) -> Density:
    """A mixture or kernel density estimate, which draws by the seed that it holds; a mixture sorts its draws by component."""

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        twin, n, seed = copy(model), count[0] if count else 1, int(rng.integers(2**31))
        twin.random_state = seed
        drawn = rng.permutation(twin.sample(n)[0]) if name != "KernelDensity" else twin.sample(n, random_state=seed)
        return np.asarray(drawn if count else drawn[0])

    return Density(name, (), (model.n_features_in_,), model.score_samples, sample)


def _multivariate_of_ngboost(model: Any) -> Density:
    """A Gaussian of several targets for each point."""
    mean, factor = np.asarray(model.loc), np.linalg.cholesky(model.cov)

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        standard = rng.standard_normal((*count, *mean.shape, 1))
        return np.asarray(mean + (factor @ standard)[..., 0])

    return Density("NGBoost's multivariate normal", mean.shape[:1], mean.shape[1:], model.logpdf, sample)


def _any_other(model: Any, name: str) -> Density:
    """Multivariate distributions and kernel estimates of SciPy, and whatever has a density and a sampler that takes a seed."""
    log = next(getattr(model, method) for method in LOG_DENSITIES if callable(getattr(model, method, None)))
    sampler = next(getattr(model, method) for method in SAMPLERS if callable(getattr(model, method, None)))
    seed, takes_generator = _seed_word(sampler, name)
    last = name in POINTS_LAST
    is_estimate = name == "gaussian_kde"
    number = is_estimate and model.d == 1

    def sample(count: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[Any]:
        n = count[0] if count else 1
        source = rng if takes_generator else int(rng.integers(2**31))
        drawn = np.asarray(sampler(n, **{seed: source}))
        if is_estimate:
            drawn = drawn[0] if number else drawn.T
        return drawn if count else drawn[0]

    def log_of(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(log(np.moveaxis(values, 0, -1) if last and values.ndim > 1 else values))

    try:
        event = np.shape(sample((2,), np.random.default_rng(0)))[1:]
    except ValueError as error:
        raise ValueError(f"{name} could not simulate two points: {error}") from error
    return Density(name, () if name in POINTS_LAST or _of_scipy(model) else None, event, log_of, sample)


def _of_scipy(model: Any) -> bool:
    return bool(type(model).__module__.startswith("scipy."))


def _seed_word(sampler: Any, name: str) -> tuple[str, bool]:
    """The name of a sampler's source of randomness: without one, no run could be repeated."""
    try:
        words = set(inspect.signature(sampler).parameters)
    except (TypeError, ValueError):
        words = set()
    for word, takes_generator in SEEDS.items():
        if word in words:
            return word, takes_generator or _of_scipy(getattr(sampler, "__self__", None))
    raise TypeError(
        f"{name}.{getattr(sampler, '__name__', 'sample')} takes no seed (none of {', '.join(SEEDS)}), so no run could be repeated; "
        "write a rivals.Candidate whose simulate(n, rng) draws from rng"
    )
