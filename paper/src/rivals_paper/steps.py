"""Comparison in steps: after a rejection c must be kept for fewer pairs, so it may be smaller and
reject more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals import Calibration, Comparison, Losses, compare
from rivals.calibration import States


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of `compare_in_steps` compared and rejected, and why the last one was the
    last.

    Attributes
    ----------
    comparisons : tuple of Comparison
        One per step, each at its own c.
    scenarios : tuple of tuple of str
        The scenarios for which the c of each step is kept.
    stopped : str
        Why there is no further step.
    """

    comparisons: tuple[Comparison, ...]
    scenarios: tuple[tuple[str, ...], ...]
    stopped: str

    @property
    def c(self) -> tuple[float, ...]:
        """The c of each step, decreasing."""
        return tuple(each.c for each in self.comparisons)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The models that no step rejected, best first."""
        return self.comparisons[-1].survivors

    def __str__(self) -> str:
        lines = [
            f"c = {each.c:g}: of {', '.join(each.ranking)}, rejected "
            f"{', '.join(each.rejections) or 'none'}"
            for each in self.comparisons
        ]
        return "\n".join(
            [*lines, f"Not rejected: {', '.join(self.survivors)}. Stopped because {self.stopped}."]
        )

    __repr__ = __str__


def compare_in_steps(
    models: Mapping[str, Any],
    data: Any = None,
    *,
    calibration: Calibration,
    pairs: Mapping[str, tuple[str, str]],
    threshold: float = 0.95,
    rng: int = 0,
) -> Steps:
    """Compare at the smallest c that is kept for all candidates, then lower c for the survivors.

    Models that are rejected are set aside, with the scenarios about them. Fewer of these remain, so
    a smaller c may be kept for all of them; the next step compares the survivors at the smallest
    such c, as long as that rejects more. Probabilities are plain, by the law of the calibration.

    Parameters
    ----------
    models : mapping
        Name → `Losses`, or a `Candidate`.
    data : optional
        Of candidates.
    calibration : Calibration
    pairs : mapping
        Name of a scenario → the two models that it is about. Several may be about one pair. Those
        that are not named here count in every step.
    threshold : float
        As in `rivals.compare`.
    rng : int
        Seed, the same for every step.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> models = {"low": toys.gaussian(-0.1), "high": toys.gaussian(0.1)}
    >>> calibration = rivals.calibrate(
    ...     {"low or high": toys.omega},
    ...     n_data=200,
    ...     n_experiments=512,
    ...     c=[2.0**-6, 2.0**-2],
    ...     n_truth=2000,
    ...     rng=0,
    ... )
    >>> data = 0.3 + np.random.default_rng(0).standard_normal(200)
    >>> pairs = {"low or high": ("low", "high")}
    >>> compare_in_steps(models, data, calibration=calibration, pairs=pairs).survivors
    ('high',)
    """
    losses = _losses(models, data, calibration.conditions.n_simulations, rng)
    order: Any = calibration.conditions.order
    _check_pairs(pairs, calibration, losses)
    states = calibration.states()
    pool = tuple(losses)
    comparisons: list[Comparison] = []
    scenarios: list[tuple[str, ...]] = []
    c: float | Calibration = calibration  # `compare` refuses one that does not fit
    while True:
        about = tuple(
            name for name in calibration.scenarios if set(pairs.get(name, ())) <= set(pool)
        )
        if comparisons:
            before = comparisons[-1].c
            lower = _lowest_kept(states, about, before)
            if not about or lower == before:
                stopped = f"no smaller c is kept for {', '.join(about) or 'any scenario'}"
                break
            c = lower
        step = compare(
            {name: losses[name] for name in pool},
            method=calibration.method,
            c=c,
            threshold=threshold,
            order=order,
            rng=rng,
        )
        comparisons.append(step)
        scenarios.append(about)
        if not step.rejections:
            stopped = f"nothing more is rejected at c = {step.c:g}"
            break
        pool = tuple(name for name in pool if name not in step.rejections)
        if len(pool) == 1:
            stopped = "one model is left"
            break
    return Steps(tuple(comparisons), tuple(scenarios), stopped)


def _losses(
    models: Mapping[str, Any], data: Any, n_simulations: int, rng: int
) -> dict[str, Losses]:
    """Of all models; candidates simulate with random numbers of their own."""
    seeds = np.random.SeedSequence(rng).spawn(len(models))
    return {
        name: model
        if isinstance(model, Losses)
        else model.losses(data, n_simulations=n_simulations, rng=seed)
        for (name, model), seed in zip(models.items(), seeds, strict=True)
    }


def _lowest_kept(states: States, about: tuple[str, ...], start: float) -> float:
    """From `start` down as long as c is kept for each of these scenarios."""
    rows = [row for name, row in zip(states.scenarios, states.states, strict=True) if name in about]
    lowest = start
    for place in reversed(range(states.c.index(start))):
        if any(row[place].state != "kept" for row in rows):
            break
        lowest = states.c[place]
    return lowest


def _check_pairs(
    pairs: Mapping[str, tuple[str, str]], calibration: Calibration, losses: Mapping[str, Losses]
) -> None:
    for name, pair in pairs.items():
        if name not in calibration.scenarios:
            raise ValueError(
                f"pairs names the scenario {name!r}, but the calibration has "
                f"{list(calibration.scenarios)}"
            )
        if isinstance(pair, str) or len(set(pair)) != 2 or not set(pair) <= set(losses):
            raise ValueError(
                f"pairs[{name!r}] must be two of the models {list(losses)}; got {pair!r}"
            )
