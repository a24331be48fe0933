"""The methods of this library: method "groups" over new groups, and laws of one data set.

Groups that were left out share their training data: V grows by κ = 12/G (frozen candidates: κ = 0).
Other κ stand beside it. What is asked with the sampling noise of fresh groups counts it in P.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from problems import Problem
from rivals._core.losses import Losses, Provenance, Study
from rivals._core.reduced import Reduced
from rivals._core.setting import Setting
from rivals.laws import Beta, Groups, Transport

FloatArray = npt.NDArray[np.float64]
PACKAGE = "rivals"
SHARED = (0.0, 6.0, 20.0)  # κ·G beside the one of the law


def over(
    problem: Problem,
    noise: FloatArray | None = None,
    *,
    new_groups: float | None = None,
    law: Groups | None = None,
    simulations: bool = True,
) -> FloatArray:
    """P[a, b] over so many new groups; as many as at hand without a number."""
    law = law or Groups()
    summary = law.summarise(study_of(problem, groups=True, simulations=simulations))
    setting = Setting(new_groups=new_groups)
    n_models = len(problem.names)
    found = np.full((n_models, n_models), 0.5)
    a, b = np.nonzero(~np.eye(n_models, dtype=bool))
    differences = law.differences(summary, setting, a, b)
    if noise is not None:
        # A mean over a study of m groups has the mean noise of one, over m.
        spread = differences.spread
        variance = spread.variance + noise[a, b][:, None] / differences.new_groups
        differences = replace(differences, spread=replace(spread, variance=variance))
    found[a, b] = differences.below(np.zeros(a.size))[0]
    return found


def one_data_set(problem: Problem, noise: FloatArray | None = None) -> FloatArray:
    """Method "transport" at its c."""
    law = Transport()
    n_models = len(problem.names)
    found = np.full((n_models, n_models), 0.5)
    a, b = np.nonzero(~np.eye(n_models, dtype=bool))
    normal = law.differences(law.summarise(study_of(problem, groups=False)), Setting(), a, b)
    if noise is not None:
        normal = replace(normal, variance=normal.variance + noise[a, b])
    found[a, b] = normal.below(np.zeros(a.size))[0]
    return found


def beta(problem: Problem) -> FloatArray:
    """Method "beta" at its c."""
    law = Beta()
    summary = law.summarise(study_of(problem, groups=False))
    return Reduced(law, summary).evidence(Setting()).probability


def study_of(problem: Problem, *, groups: bool, simulations: bool = True) -> Study:
    """The losses at hand as this library takes them."""
    observed = np.concatenate(problem.views["groups"], axis=1)
    simulated = np.concatenate(problem.simulations, axis=2)
    sizes = [one.shape[1] for one in problem.views["groups"]]
    source = Provenance(left_out=problem.n_folds > 0, n_folds=problem.n_folds)
    losses = {}
    for name, own, drawn in zip(problem.names, observed, simulated, strict=True):
        losses[name] = Losses(own, drawn if simulations else None, source=source)
    return Study.of(losses, groups=np.repeat(np.arange(len(sizes)), sizes) if groups else None)


def several(key: dict[str, Any]) -> bool:
    return bool(key["groups"] > 1)


def single(key: dict[str, Any]) -> bool:
    return bool(key["groups"] == 1)


def single_few(key: dict[str, Any]) -> bool:
    """Method "beta" is slow, so it is asked of fewer."""
    return bool(key["groups"] == 1 and key["set"] < 4)


def many(key: dict[str, Any]) -> bool:
    return bool(key["groups"] > 2)


# Name → question, when it is asked, P[a, b] of a problem.
METHODS = {
    "rivals": ("study", several, over),
    "rivals, next group": ("next", several, partial(over, new_groups=1)),
    "rivals, all groups": ("all", several, partial(over, new_groups=inf)),
    "rivals, no simulations": ("study", many, partial(over, simulations=False)),
    **{
        f"rivals, κ = {shared:g}/G": ("study", several, partial(over, method=Groups(shared)))
        for shared in SHARED
    },
    "rivals, one data set": ("next", single, one_data_set),
    "rivals, one data set, law beta": ("next", single_few, beta),
}
