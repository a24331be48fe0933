"""The methods of this library: "groups" over new groups, and laws of one data set.

"rivals" knows the fits of all folds on all groups at hand, "rivals, losses only" the losses of the
groups that were left out and no more.
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


def over(
    problem: Problem,
    noise: FloatArray | None = None,
    *,
    new_groups: float | None = None,
    with_fits: bool = True,
) -> FloatArray:
    """P[a, b] over so many new groups; as many as at hand without a number.

    Noise of fresh groups is no part of it: what was seen of groups has that of their points.
    """
    law = Groups()
    summary = law.summarise(study_of(problem, groups=True, with_fits=with_fits))
    n_models = len(problem.names)
    found = np.full((n_models, n_models), 0.5)
    a, b = np.nonzero(~np.eye(n_models, dtype=bool))
    differences = law.differences(summary, Setting(), a, b).over(new_groups)
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


def study_of(problem: Problem, *, groups: bool, with_fits: bool = True) -> Study:
    """The losses at hand as this library takes them."""
    observed = np.concatenate(problem.views["groups"], axis=1)
    simulated: Any = [None] * len(observed)
    if not groups:
        simulated = np.concatenate(problem.simulations, axis=2)
    sizes = [one.shape[1] for one in problem.views["groups"]]
    labels = np.repeat(np.arange(len(sizes)), sizes) if groups else None
    source = Provenance(left_out=problem.n_folds > 0, n_folds=problem.n_folds)
    losses = {}
    for place, (name, own) in enumerate(zip(problem.names, observed, strict=True)):
        fits = None
        if groups and with_fits and problem.fits is not None:
            fits = (problem.fits[:, :, place], problem.fold)
        losses[name] = Losses(own, simulated[place], groups=labels, source=source, fits=fits)
    return Study.of(losses)


def several(key: dict[str, Any]) -> bool:
    return bool(key["groups"] > 2)


def single(key: dict[str, Any]) -> bool:
    return bool(key["groups"] == 1)


def single_few(key: dict[str, Any]) -> bool:
    """Method "beta" is slow, so it is asked of fewer."""
    return bool(key["groups"] == 1 and key["set"] < 4)


def of_left_out(key: dict[str, Any]) -> bool:
    return bool(key["design"] == "left out")


# Name → question, when it is asked, P[a, b] of a problem.
METHODS = {
    "rivals": ("study", several, over),
    "rivals, next group": ("next", several, partial(over, new_groups=1)),
    "rivals, all groups": ("all", several, partial(over, new_groups=inf)),
    "rivals, losses only": ("study", of_left_out, partial(over, with_fits=False)),
    "rivals, one data set": ("next", single, one_data_set),
    "rivals, one data set, law beta": ("next", single_few, beta),
}
