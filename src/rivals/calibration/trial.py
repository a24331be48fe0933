"""How one experiment is run: what the candidates lose, who is truly better, and what B says."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._random import (
    EXPERIMENT_DATA,
    EXPERIMENT_DESIGN,
    EXPERIMENT_DRAWS,
    EXPERIMENT_PAIR,
    EXPERIMENT_SYNTHETIC,
    EXPERIMENT_TRUTH,
    entropy_from,
    stream,
)
from rivals._say.samples import check_losses
from rivals._say.words import show
from rivals._types import FloatArray, Model
from rivals.calibration.conditions import Conditions
from rivals.calibration.experiment import Experiment, ExperimentLosses, Omega, Outcome
from rivals.core.sampling_error import effective_size
from rivals.core.scales import unit_exponent
from rivals.laws import Setting
from rivals.losses import Losses
from rivals.models import check_model, losses_of_model

# What candidates without names are called.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The truth counts as decided when the risks differ by more than this many standard errors.
DECIDED = 2.0


@dataclass(frozen=True)
class Measured:
    """What the candidates of an experiment lose."""

    samples: list[Losses]  # of each candidate, on observed data and on its simulations
    truths: list[FloatArray]  # in each replication, the losses of all that tell the truth
    replicated: bool  # whether the truth is that of fresh replications
    names: tuple[str, ...] = ()  # of the candidates, where they are known


def run_experiment(
    omega: Omega,
    conditions: Conditions,
    place: int,
    index: int,
    given: ExperimentLosses | None = None,
) -> Outcome:
    """Run experiment `index` of the epistemic distribution at `place`.

    Bit for bit the same wherever and whenever it runs. Of more than two candidates, a random pair
    is what is judged; the score is that of the best of all.
    """
    own = experiment_entropy(conditions.entropy, place, index)
    if given is None:
        measured = _measured(omega, conditions, own, index)
    else:
        measured = _given(given, conditions, index)
    k = len(measured.samples)
    a, b = _pair(own, k)
    probability, error, score = _stated(measured, conditions, own, a, b)
    risks = _risks([(losses[a], losses[b]) for losses in measured.truths])
    return Outcome(
        probability,
        error,
        score,
        *risks,
        replicated=measured.replicated,
        n_candidates=k,
        names=measured.names,
    )


def experiment_entropy(entropy: int, place: int, index: int) -> int:
    """The entropy of experiment `index` of the distribution at `place`, in a study of this one."""
    return entropy_from(np.random.SeedSequence(entropy, spawn_key=(place, index)))


def wants_index(omega: Omega) -> bool:
    """Whether an epistemic distribution takes the index of its experiment.

    It does if it has such a parameter without a default.

    Examples
    --------
    >>> wants_index(lambda rng: ...)
    False
    >>> wants_index(lambda rng, index: ...)
    True
    >>> wants_index(lambda rng, index=0: ...)
    False
    """
    try:
        index = inspect.signature(omega).parameters.get("index")
    except (TypeError, ValueError):  # some built-in functions do not tell
        return False
    return index is not None and index.default is index.empty


def is_undecided(
    risk_a: npt.ArrayLike, risk_b: npt.ArrayLike, truth_error: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Whether the true risks are too close to call.

    Examples
    --------
    >>> is_undecided([1.0, 1.0], [1.1, 2.0], [0.1, 0.1])
    array([ True, False])
    """
    distance = np.abs(np.subtract(risk_a, risk_b))
    return np.asarray(~(distance > np.multiply(DECIDED, truth_error)))


# ---------------------------------------------------------------- what is stated, what is true


def _pair(own: int, k: int) -> tuple[int, int]:
    """The two candidates that are judged; of more than two, a random pair."""
    if k == 2:
        return 0, 1
    a, b = stream(own, EXPERIMENT_PAIR).permutation(k)[:2].tolist()
    return a, b


def _stated(
    measured: Measured, conditions: Conditions, own: int, a: int, b: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """At each c: P(R_a < R_b), its error, and how clearly a rival beats the truly best of all."""
    setting = Setting(
        c=conditions.c[0],
        order=conditions.order,
        entropy=own,
        n_simulations=conditions.n_simulations,
        key=EXPERIMENT_DRAWS,
    )
    applied = conditions.law.in_experiments().apply(measured.samples, setting)
    true_risks = np.mean([losses.mean(axis=1) for losses in measured.truths], axis=0)
    best = int(np.argmin(true_risks))
    better = applied.empirical < applied.empirical[best]
    # The pair that is judged, then all that look better than the best.
    first = np.append(a, np.flatnonzero(better))
    second = np.append(b, np.full(first.size - 1, best))
    probability, error = applied.pairs_at_each(conditions.c, first, second)
    scores = np.max(probability[:, 1:], axis=1, initial=0.0)
    return probability[:, 0], error[:, 0], scores


def _risks(truths: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[float, float, float, float]:
    """Over replications: the mean risks of a pair, the standard error of their difference, and the
    fraction that a wins.

    1 where a is truly better, 0 where b is, ½ where that is undecided. Data of a long run may be
    correlated.
    """
    found = []
    for a, b in truths:
        # Squares of very large or small losses would overflow or vanish.
        unit = unit_exponent(a - b)
        deviation = np.std(np.ldexp(a - b, -unit))
        error = np.ldexp(deviation / np.sqrt(effective_size(a - b)), unit)
        found.append((np.mean(a), np.mean(b), error))
    risks_a, risks_b, errors = np.transpose(found)
    error = np.sqrt(np.sum(errors**2)) / errors.size if errors.size > 1 else errors[0]
    won = np.where(is_undecided(risks_a, risks_b, errors), 0.5, risks_a < risks_b)
    return float(np.mean(risks_a)), float(np.mean(risks_b)), float(error), float(np.mean(won))


# ---------------------------------------------------------------- what the candidates lose


def _measured(omega: Omega, conditions: Conditions, own: int, index: int) -> Measured:
    """What the candidates lose in an experiment."""
    design = stream(own, EXPERIMENT_DESIGN)
    experiment = omega(design, index=index) if wants_index(omega) else omega(design)
    if not (callable(getattr(experiment, "observe", None)) and hasattr(experiment, "candidates")):
        raise TypeError(
            "the epistemic distribution must return an Experiment: got "
            f"{type(experiment).__name__}; return Experiment(observe=..., candidates=...)"
        )
    data = experiment.observe(conditions.n_data, stream(own, EXPERIMENT_DATA))
    given = experiment.candidates
    if callable(given):
        given = given(data)
    names = tuple(given) if isinstance(given, Mapping) else ()
    models = _models(given)
    samples = []
    for which, model in enumerate(models.values()):
        seed = np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, which))
        n_simulations = conditions.n_simulations
        samples.append(losses_of_model(model, data, n_simulations=n_simulations, rng=seed))
    sizes = [sample.n_observed for sample in samples]
    _check_count("observe", conditions.n_data, "n_data", models, sizes)
    truths = _truths(experiment, models, conditions, own)
    return Measured(samples, truths, experiment.replicate is not None, names)


def _models(given: Any) -> dict[str, Model]:
    """The candidates by name; those without names are called a, b, …"""
    named = given
    if not isinstance(given, Mapping):
        named = {_letter(which): model for which, model in enumerate(given)}
    if len(named) < 2:
        raise ValueError(
            f"an Experiment needs two candidates or more: got {len(named)}; pass (model_a, model_b)"
        )
    return {name: check_model(model, f"candidate {show(name)}: ") for name, model in named.items()}


def _letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else str(place)


def _truths(
    experiment: Experiment, models: Mapping[str, Model], conditions: Conditions, own: int
) -> list[FloatArray]:
    """Losses of all candidates that tell the truth.

    On new data of the same process, or in each replication.
    """
    made_by = "observe"
    make = experiment.observe
    keys: list[tuple[int, ...]] = [()]
    if experiment.replicate is not None:
        made_by = "replicate"
        make = experiment.replicate
        keys = [(each,) for each in range(conditions.n_replications)]
    found = []
    for key in keys:
        data = make(conditions.n_truth, stream(own, EXPERIMENT_TRUTH, *key))
        losses = []
        for name, model in models.items():
            what = f"losses of candidate {show(name)} on the data for the truth"
            losses.append(check_losses(model.loss(data), what))
        sizes = [each.size for each in losses]
        _check_count(made_by, conditions.n_truth, "n_truth", models, sizes)
        found.append(np.stack(losses))
    return found


def _check_count(
    made_by: str, asked: int, name: str, models: Iterable[str], sizes: Sequence[int]
) -> None:
    """Data of another size than requested would be another experiment than the one calibrated."""
    if any(size != asked for size in sizes):
        counts = " and ".join(map(str, sizes))
        letters = " and ".join(map(show, models))
        raise ValueError(
            f"{made_by}({asked}, rng) returned data with {counts} losses of candidates {letters}: "
            f"it must return as many points as requested; correct it, or pass {name}={sizes[0]} if "
            "the design allows no other size"
        )


def _given(given: ExperimentLosses, conditions: Conditions, index: int) -> Measured:
    """The same, where an epistemic distribution computes the losses itself."""
    observed = np.asarray(given.observed, dtype=float)
    synthetic = np.asarray(given.synthetic, dtype=float)
    truth = np.asarray(given.truth, dtype=float)
    if synthetic.ndim == 2:
        synthetic = synthetic[:, None, :]
    if truth.ndim == 2:
        truth = truth[None]
    k = max(len(observed), 2) if observed.ndim else 2
    expected = {
        "observed": (observed, (k, conditions.n_data)),
        "synthetic": (synthetic, (k, conditions.n_simulations, conditions.n_data)),
        "truth": (truth, (conditions.n_replications, k, conditions.n_truth)),
    }
    for name, (found, shape) in expected.items():
        if found.shape != shape:
            raise ValueError(
                f"batch gave {name} losses of shape {found.shape} for experiment {index}: expected "
                f"{shape}; return an ExperimentLosses of the sizes that calibrate was called with "
                "for each index"
            )
    for which in range(k):
        check_losses(truth[:, which].ravel(), f"truth losses of candidate {_letter(which)}")
    samples = [Losses(*pair) for pair in zip(observed, synthetic, strict=True)]
    return Measured(samples, list(truth), given.replicated)
