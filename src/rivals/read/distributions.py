"""Frozen distributions, of SciPy or of statsmodels' `get_distribution`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._types import FloatArray
from rivals.losses import Candidate


def distribution(frozen: Any) -> Candidate:
    """A candidate from a frozen distribution of the data.

    Parameters
    ----------
    frozen : object
        With `logpdf` or `logpmf`, and `rvs(size, random_state)` or `sample(shape, rng)`: a frozen distribution of
        `scipy.stats`, also a multivariate one; one with an array of parameters, one for each data point; or what
        `get_distribution(exog)` of statsmodels gives for the held-out points.

    Returns
    -------
    Candidate
        Its loss is the negative log density, or probability for discrete data.

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
    """
    log_density = _log_density(frozen)
    if not callable(getattr(frozen, "rvs", None)) and not callable(getattr(frozen, "sample", None)):
        raise TypeError(
            f"a model must be able to simulate: got {type(frozen).__name__}, which has neither rvs nor sample; see rivals.Candidate"
        )

    def simulate(n: int, rng: np.random.Generator) -> Any:
        try:
            return frozen.rvs(size=n, random_state=rng) if hasattr(frozen, "rvs") else frozen.sample((n,), rng=rng)
        except ValueError as error:
            raise ValueError(
                f"the distribution could not simulate {n} points ({error}); one with a parameter for each data point simulates "
                "exactly as many"
            ) from None

    return Candidate(loss=lambda data: -np.asarray(log_density(np.asarray(data))), simulate=simulate)


def _log_density(frozen: Any) -> Any:
    # Old SciPy's frozen distributions have both methods; only the family knows which of them works.
    discrete = hasattr(frozen, "logpmf") and (
        not hasattr(frozen, "logpdf") or hasattr(getattr(frozen, "dist", None), "pmf")
    )
    method = getattr(frozen, "logpmf" if discrete else "logpdf", None)
    if not callable(method):
        raise TypeError(
            f"expected a frozen distribution with logpdf or logpmf, as scipy.stats.norm(0, 1) is; got {type(frozen).__name__}"
        )
    return method


def log_density(frozen: Any, values: npt.ArrayLike) -> FloatArray:
    """Log density, or log probability, of values."""
    return np.asarray(_log_density(frozen)(np.asarray(values)), dtype=np.float64)
