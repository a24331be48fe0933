"""Distributions: anything with a log density and a sampler; of points, or of targets at inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray
from rivals.losses import Candidate
from rivals.read.densities import Density, as_density
from rivals.read.inputs import as_pair, as_targets, check_inputs, some_rows

ConditionalDensity: TypeAlias = Callable[[Any], Density]  # from inputs to the distribution of the targets at them


def distribution(model: Any) -> Candidate:
    """A candidate from a distribution of the data: anything with a log density and a sampler.

    Parameters
    ----------
    model : object
        With `logpdf`, `log_pdf`, `log_prob` or `logpmf`, and with `rvs`, `sample` or `resample`. It may be

        - of `scipy.stats`: a frozen distribution, also a multivariate one; a random variable of the new infrastructure
          (`scipy.stats.Normal(mu=0, sigma=1)`); the result of `scipy.stats.fit`; a `gaussian_kde`;
        - what `get_distribution(exog)` of statsmodels gives for the held-out points;
        - a GaussianMixture or KernelDensity of scikit-learn, fitted;
        - of PyTorch, NumPyro or TensorFlow Probability; what `pred_dist(X)` of NGBoost predicts;
        - your own object, whose sampler takes `rng`, `random_state` or `seed`.

        Its parameters may be arrays, with one entry for each data point. Data of shape (n, d) are n points: the distribution
        is then d-dimensional, or has parameters of shape (n, d), and the loss of a row is the sum over its columns.

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
    Simulations repeat with the seed of the comparison, even if a library draws from a global generator (PyTorch), which is seeded
    for the draw and then restored. Losses have the precision of the library: 32 bits in JAX, unless `jax_enable_x64` is set.

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


def at_inputs(
    law: ConditionalDensity,
    inputs: Any,
    who: str,
    *,
    targets: Callable[[Any, str], npt.NDArray[Any]] = as_targets,
) -> Candidate:
    """A candidate for pairs (inputs, targets), from the distribution of the targets at some inputs; it simulates at those given here."""

    def loss(data: Any) -> FloatArray:
        at, given = as_pair(data)
        return -law(at).log_density(targets(given, "targets"))

    def simulate(n: int, rng: np.random.Generator) -> tuple[Any, npt.NDArray[Any]]:
        at = some_rows(inputs, n, rng)
        return at, law(at).simulate(n, rng)

    def check(data: Any) -> None:
        check_inputs(as_pair(data)[0], inputs, who)

    return Candidate(loss, simulate, check)
