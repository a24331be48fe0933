"""One simulated experiment: its data, the probability at every c, and the truth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._checks import check_losses
from rivals._random import stream
from rivals._types import FloatArray
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.core.verdict import probability_below
from rivals.losses import Candidate, Losses, effective_size

# Raised whenever the numbers of an experiment change, so that a store is never filled by two algorithms.
ALGORITHM = 1

# The truth counts as decided when the risks differ by more than this many standard errors.
DECIDED = 2.0

# Streams of an experiment, by purpose.
DESIGN, DATA, SYNTHETIC, TRUTH, DRAWS = range(5)


@dataclass(frozen=True)
class Experiment:
    """A simulated experiment: where data come from, and the pair of candidates that is to be judged.

    Parameters
    ----------
    observe : callable
        `observe(n, rng)` gives n data points of the true process.
    candidates : pair, or callable
        Two candidates (each with `loss(data)` and `simulate(n, rng)`), or a function of the data that gives them, when
        they are refitted to every replicate.

    Examples
    --------
    An epistemic distribution is any function from a generator to an experiment:

    >>> def gaussian(mean):
    ...     return Candidate(
    ...         loss=lambda y: (y - mean) ** 2 / 2, simulate=lambda n, rng: mean + rng.standard_normal(n)
    ...     )
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...     return Experiment(
    ...         observe=lambda n, rng: mean + rng.standard_normal(n), candidates=(gaussian(-0.1), gaussian(0.1))
    ...     )
    """

    observe: Callable[[int, np.random.Generator], Any]
    candidates: tuple[Any, Any] | Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True)
class Sizes:
    """How large every sample of an experiment is, and at which c it is judged."""

    c: tuple[float, ...]
    n_data: int
    n_synthetic: int
    n_truth: int
    n_draws: int
    depth: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What an experiment found."""

    probability: FloatArray  # P(R_a < R_b) at each c
    standard_error: FloatArray
    risk_a: float  # the true risks, from n_truth samples
    risk_b: float
    truth_error: float  # standard error of risk_a − risk_b

    @property
    def truly_better(self) -> bool:
        """Whether a is, as far as the truth is known."""
        return self.risk_a < self.risk_b

    @property
    def undecided(self) -> bool:
        """Whether the truth is too close to call."""
        return not abs(self.risk_a - self.risk_b) > DECIDED * self.truth_error


def run_experiment(
    omega: Callable[[np.random.Generator], Experiment], sizes: Sizes, entropy: int, place: int, index: int
) -> Outcome:
    """Run experiment `index` of the epistemic distribution at `place`; the same bits wherever and whenever it runs."""
    seed = np.random.SeedSequence(entropy, spawn_key=(place, index)).generate_state(4)
    own = int.from_bytes(seed.astype("<u4").tobytes(), "little")
    experiment = omega(stream(own, DESIGN))
    data = experiment.observe(sizes.n_data, stream(own, DATA))
    pair = _pair(experiment, data)
    samples = [
        candidate.losses(
            data, n_synthetic=sizes.n_synthetic, rng=np.random.SeedSequence(own, spawn_key=(SYNTHETIC, which))
        )
        for which, candidate in enumerate(pair)
    ]
    probability, error = _probabilities(samples, sizes, own)
    risk_a, risk_b, truth_error = _truth(experiment, pair, sizes.n_truth, stream(own, TRUTH))
    return Outcome(probability, error, risk_a, risk_b, truth_error)


def _pair(experiment: Experiment, data: Any) -> list[Candidate]:
    found = experiment.candidates(data) if callable(experiment.candidates) else experiment.candidates
    pair: Sequence[Any] = tuple(found)
    if len(pair) != 2:
        raise ValueError(f"an Experiment needs a pair of candidates; got {len(pair)}")
    for which, candidate in enumerate(pair):
        if not (callable(getattr(candidate, "loss", None)) and callable(getattr(candidate, "simulate", None))):
            raise TypeError(
                f"candidate {'ab'[which]} must have loss(data) and simulate(n, rng); got {type(candidate).__name__}"
            )
    return [Candidate(candidate.loss, candidate.simulate) for candidate in pair]


def _probabilities(samples: list[Losses], sizes: Sizes, own: int) -> tuple[FloatArray, FloatArray]:
    """B at every c, on the same data, the same tree and the same random numbers."""
    reference = min(samples, key=lambda sample: sample.empirical_risk).reference
    processes = [
        HierarchicalBetaProcess(
            QuantileFunction(sample.observed - reference),
            QuantileFunction(sample.synthetic - reference),
            c=sizes.c[0],
            depth=sizes.depth,
        )
        for sample in samples
    ]
    probability, error = np.empty(len(sizes.c)), np.empty(len(sizes.c))
    for place, c in enumerate(sizes.c):
        draws = [
            np.sort(
                process.at(c).sample_excess_risk(sizes.n_draws, np.random.SeedSequence(own, spawn_key=(DRAWS, which)))
            )
            for which, process in enumerate(processes)
        ]
        probability[place], error[place] = probability_below(*draws)
    return probability, error


def _truth(
    experiment: Experiment, pair: list[Candidate], n_truth: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """True risks, and the standard error of their difference (data of a long run may be correlated)."""
    data = experiment.observe(n_truth, rng)
    losses = [
        check_losses(candidate.loss(data), f"losses of candidate {'ab'[which]} on the data for the truth")
        for which, candidate in enumerate(pair)
    ]
    difference = losses[0] - losses[1]
    error = float(np.std(difference) / np.sqrt(effective_size(difference)))
    return float(np.mean(losses[0])), float(np.mean(losses[1])), error
