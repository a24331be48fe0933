"""The methods of this library: law "groups" over new groups, and laws of one data set.

Groups that were left out share their training data: V grows by κ = 12/G (frozen candidates: κ = 0).
Other κ are measured beside it. `noisy` counts what a mean in a fresh group has of sampling noise.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
from problems import Problem
from scipy.special import ndtr

from rivals.laws import Beta, Groups, Transport
from rivals.losses import Provenance, Study
from rivals.setting import Setting
from rivals.summaries import GroupSummaries

FloatArray = npt.NDArray[np.float64]
PACKAGE = "rivals"
VIEWS = ("whole",)
SHARED = 12.0  # κ·G


def over(
    problem: Problem,
    *,
    new_groups: float | None = None,
    shared: float = SHARED,
    simulations: bool = True,
    noise: FloatArray | None = None,
) -> FloatArray:
    """P[a, b] over so many new groups, as many as at hand without; with the noise of their means.

    The mean over a study of so many groups has the mean noise over their number.
    """
    study = study_of(problem, groups=True, simulations=simulations)
    law = Groups(shared)
    a, b = np.triu_indices(len(problem.names), 1)
    m = float(len(problem.simulations)) if new_groups is None else new_groups
    found = law.differences(law.summarise(study), Setting(new_groups=m), a, b)
    spread = found.spread
    variance = spread.variance + spread.tau**2 / m
    if noise is not None:
        variance = variance + noise[a, b][:, None] / m
    score = spread.centre / np.sqrt(variance)
    p = np.sum(spread.weight[0] * ndtr(-score), axis=1)
    q = np.sum(spread.weight[0] * ndtr(score), axis=1)
    open_ = found.equal | found.constant
    return matrix(len(problem.names), np.where(open_, 0.5, p), np.where(open_, 0.5, q))


def one_data_set(problem: Problem, *, noise: FloatArray | None = None) -> FloatArray:
    """Law "transport" at its c."""
    study = study_of(problem, groups=False)
    law = Transport()
    a, b = np.triu_indices(len(problem.names), 1)
    found = law.differences(law.summarise(study), Setting(), a, b)
    variance = found.variance[0] + (0.0 if noise is None else noise[a, b])
    score = found.centre / np.sqrt(variance)
    return matrix(len(problem.names), ndtr(-score), ndtr(score))


def beta(problem: Problem) -> FloatArray:
    """Law "beta" at its c: slow, so asked once of each data set."""
    law = Beta()
    summary = law.summarise(study_of(problem, groups=False))
    return law.evidence(summary, Setting()).probability


def study_of(problem: Problem, *, groups: bool, simulations: bool = True) -> Study:
    """The losses at hand as this library takes them."""
    observed = np.concatenate(problem.views["groups"], axis=1)
    simulated = np.concatenate(problem.simulations, axis=2)
    models = {}
    for name, own, drawn in zip(problem.names, observed, simulated, strict=True):
        models[name] = (own, drawn) if simulations else own
    labels = np.repeat(np.arange(len(problem.simulations)), [x.shape[2] for x in problem.simulations])
    source = Provenance(left_out=problem.n_folds > 0, n_folds=problem.n_folds)
    return Study.of(models, groups=labels if groups else None, source=source)


def matrix(n_models: int, p: FloatArray, q: FloatArray) -> FloatArray:
    found = np.full((n_models, n_models), 0.5)
    a, b = np.triu_indices(n_models, 1)
    found[a, b], found[b, a] = p, q
    return found


def several(key: dict[str, Any]) -> bool:
    return bool(key["groups"] > 1)
