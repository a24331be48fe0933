"""Losses that need a distribution, and what a loss that was asked for needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray
from rivals.method.influence import ALIASES, METRICS, Metric, Needs
from rivals.read._densities import Density

# Draws of each target, of which its CRPS is.
N_MEMBERS = 400


def _judged_by_densities(*_: Any) -> Any:
    raise AssertionError("judged by densities")


LOG = Metric("log", _judged_by_densities, unit="nats")
CRPS = Metric("CRPS", _judged_by_densities)
OF_DISTRIBUTIONS = {"log": LOG, "crps": CRPS}


def asked_for(loss: Any) -> tuple[Any, ...]:
    """One loss or several, names in one spelling."""
    several = isinstance(loss, (list, tuple))
    listed = tuple(loss) if several else (loss,)
    if not listed:
        raise Refusal(f"{opt['loss']}: the list is empty; name a loss")
    return tuple(ALIASES.get(each, each) if isinstance(each, str) else each for each in listed)


def needs_of_labels(losses: Iterable[Any]) -> Needs:
    """What classifiers must predict for some losses: probabilities, unless labels do."""
    for loss in losses:
        if isinstance(loss, str) and loss in METRICS:
            needs = METRICS[loss].needs
        else:
            scorer = loss
            if isinstance(loss, str):
                from rivals._core.predictions import scorer_of

                scorer = scorer_of(loss)
            response = getattr(scorer, "_response_method", "predict")
            needs = "label" if response == "predict" else "probabilities"
        if needs in ("score", "probabilities"):
            return "probabilities"
    return "label"


def crps(
    density: Density, targets: FloatArray, n_simulations: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """The continuous ranked probability score of targets, and of simulations.

    In closed form where there is one, else from draws.
    """
    if density.crps is not None:
        found = density.crps(targets)
        if not np.isfinite(found).all():
            raise Refusal(
                f"{opt.loss('crps')}: infinite, since the noise has no mean: Student's t of one "
                "degree of freedom or fewer; judge by 'log', or pass another noise"
            )
        drawn = density.sample(n_simulations, rng) if n_simulations else np.empty((0, targets.size))
        return found, np.asarray(density.crps(drawn), dtype=np.float64)
    members = np.sort(density.sample(N_MEMBERS, rng), axis=0)
    weights = 2.0 * np.arange(N_MEMBERS) - N_MEMBERS + 1.0
    spread = weights @ members / N_MEMBERS**2

    def score(values: FloatArray) -> FloatArray:
        return np.asarray(np.abs(members - values).mean(axis=0) - spread)

    simulated = [score(values) for values in density.sample(n_simulations, rng)]
    return score(targets), np.array(simulated).reshape(n_simulations, targets.size)
