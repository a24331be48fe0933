"""One simulated experiment: its data, the probability at every c, and the truth."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._checks import check_depth, check_losses, check_model, check_positive, check_size
from rivals._random import (
    EXPERIMENT_DATA,
    EXPERIMENT_DESIGN,
    EXPERIMENT_DRAWS,
    EXPERIMENT_SYNTHETIC,
    EXPERIMENT_TRUTH,
    stream,
)
from rivals._types import FloatArray, Model
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.verdict import probability_below
from rivals.losses import Losses, common_reference, effective_size, losses_of_model

# Raised whenever the numbers of an experiment change, so that a store is never filled by two algorithms.
ALGORITHM = 1

# The truth counts as decided when the risks differ by more than this many standard errors.
DECIDED = 2.0


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

    >>> from rivals.testbeds.toys import gaussian
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...     return Experiment(
    ...         observe=lambda n, rng: mean + rng.standard_normal(n), candidates=(gaussian(-0.1), gaussian(0.1))
    ...     )
    """

    observe: Callable[[int, np.random.Generator], Any]
    candidates: tuple[Model, Model] | Callable[[Any], tuple[Model, Model]]


# rng → Experiment, or (rng, index) → Experiment.
Omega: TypeAlias = Callable[..., Experiment]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the numbers of an experiment depend on, besides its epistemic distribution and its index."""

    c: Sequence[float]  # sorted, once it is checked
    n_data: int
    n_synthetic: int
    n_truth: int
    n_draws: int
    entropy: int
    depth: int | None = None

    def __post_init__(self) -> None:
        try:
            values = tuple(check_positive(value, f"c[{place}]") for place, value in enumerate(self.c))
        except TypeError as error:
            raise TypeError(f"c is not a sequence of numbers: {error}; pass a list of them") from None
        if not values or len(set(values)) != len(values):
            raise ValueError(f"c must be one or more different values: got {list(values)}; name each value once")
        object.__setattr__(self, "c", tuple(sorted(values)))
        for name in ("n_data", "n_synthetic", "n_truth", "n_draws"):
            object.__setattr__(self, name, check_size(getattr(self, name), name, least=2))
        if self.depth is not None:
            object.__setattr__(self, "depth", check_depth(self.depth))


@dataclass(frozen=True)
class Outcome:
    """What an experiment found."""

    probability: FloatArray  # P(R_a < R_b) at each c
    standard_error: FloatArray
    risk_a: float  # the true risks, from n_truth samples
    risk_b: float
    truth_error: float  # standard error of risk_a − risk_b


def run_experiment(omega: Omega, settings: Settings, place: int, index: int) -> Outcome:
    """Run experiment `index` of the epistemic distribution at `place`; the same bits wherever and whenever it runs."""
    own = experiment_entropy(settings.entropy, place, index)
    design = stream(own, EXPERIMENT_DESIGN)
    experiment = omega(design, index=index) if wants_index(omega) else omega(design)
    data = experiment.observe(settings.n_data, stream(own, EXPERIMENT_DATA))
    pair = _pair(experiment, data)
    samples = [
        losses_of_model(
            candidate,
            data,
            n_synthetic=settings.n_synthetic,
            rng=np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, which)),
        )
        for which, candidate in enumerate(pair)
    ]
    truth_data = experiment.observe(settings.n_truth, stream(own, EXPERIMENT_TRUTH))
    return Outcome(*_probabilities(samples, settings, own), *_truth(pair, truth_data))


def experiment_entropy(entropy: int, place: int, index: int) -> int:
    """The entropy of experiment `index` of the epistemic distribution at `place`, in a study of this entropy."""
    words = np.random.SeedSequence(entropy, spawn_key=(place, index)).generate_state(4)
    return int.from_bytes(words.astype("<u4").tobytes(), "little")


def wants_index(omega: Omega) -> bool:
    """Whether an epistemic distribution is to be told the index of its experiment: it has such a parameter to fill.

    Examples
    --------
    >>> wants_index(lambda rng: ...), wants_index(lambda rng, index: ...), wants_index(lambda rng, index=0: ...)
    (False, True, False)
    """
    try:
        index = inspect.signature(omega).parameters.get("index")
    except (TypeError, ValueError):  # some built-in functions do not tell
        return False
    return index is not None and index.default is index.empty


def is_undecided(risk_a: npt.ArrayLike, risk_b: npt.ArrayLike, truth_error: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether the true risks are too close to call.

    Examples
    --------
    >>> is_undecided([1.0, 1.0], [1.1, 2.0], [0.1, 0.1])
    array([ True, False])
    """
    distance = np.abs(np.subtract(risk_a, risk_b))
    return np.asarray(~(distance > np.multiply(DECIDED, truth_error)))


def _pair(experiment: Experiment, data: Any) -> list[Model]:
    """The two models, checked."""
    models = tuple(experiment.candidates(data) if callable(experiment.candidates) else experiment.candidates)
    if len(models) != 2:
        raise ValueError(
            f"an Experiment needs a pair of candidates: got {len(models)}; judge more of them pair by pair"
        )
    return [check_model(model, f"candidate {letter}: ") for model, letter in zip(models, "ab", strict=True)]


def _probabilities(samples: list[Losses], settings: Settings, own: int) -> tuple[FloatArray, FloatArray]:
    """B at every c, on the same data, the same tree and the same random numbers."""
    reference = common_reference(samples)
    processes = [
        HierarchicalBetaProcess.from_losses(sample, settings.c[0], settings.depth, reference=reference)
        for sample in samples
    ]
    probability, error = np.empty(len(settings.c)), np.empty(len(settings.c))
    for column, c in enumerate(settings.c):
        a, b = (
            np.sort(
                process.at(c).sample_excess_risk(
                    settings.n_draws, np.random.SeedSequence(own, spawn_key=(EXPERIMENT_DRAWS, which))
                )
            )
            for which, process in enumerate(processes)
        )
        probability[column], error[column] = probability_below(a, b)
    return probability, error


def _truth(pair: list[Model], data: Any) -> tuple[float, float, float]:
    """True risks, and the standard error of their difference (data of a long run may be correlated)."""
    a, b = (
        check_losses(candidate.loss(data), f"losses of candidate {letter} on the data for the truth")
        for candidate, letter in zip(pair, "ab", strict=True)
    )
    difference = a - b
    error = float(np.std(difference) / np.sqrt(effective_size(difference)))
    return float(np.mean(a)), float(np.mean(b)), error
