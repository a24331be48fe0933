"""Distributions of SciPy as models of data that have no inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import numbers
from rivals._core.candidates import Candidate
from rivals._core.types import FloatArray
from rivals.read._densities import density_of


def distribution(model: Any) -> Candidate:
    """A candidate from a frozen distribution of SciPy.

    Parameters
    ----------
    model : object
        A frozen distribution, as `scipy.stats.norm(0.0, 2.0)`, or a variable of SciPy's new
        infrastructure, as `scipy.stats.Normal()`; fitted to other data. Of a multivariate one, a
        row of the data is a point.

    Returns
    -------
    Candidate
        Its loss is minus the log density, or probability, of each point.

    See Also
    --------
    left_out : Fits without each group.

    Examples
    --------
    >>> from scipy import stats
    >>> distribution(stats.norm(0.0, 1.0)).loss([0.0, 1.0]).round(3)
    array([0.919, 1.419])
    """
    is_multivariate = hasattr(model, "_dist") and hasattr(model, "dim")
    if not is_multivariate:
        density_of(model, 1)  # refuses what is no distribution

    def loss(data: npt.ArrayLike) -> FloatArray:
        values = numbers(data, "data")
        if is_multivariate:
            return np.asarray(-model.logpdf(values))
        return np.asarray(-density_of(model, values.size).log(values))

    def simulate(n: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        if is_multivariate:
            return np.asarray(model.rvs(size=n, random_state=rng))
        return np.asarray(density_of(model, n).sample(1, rng)[0])

    return Candidate(loss, simulate)
