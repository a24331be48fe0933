"""One simulated experiment: its data, the probabilities at every c, and the truth."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._checks import check_choice, check_losses, check_model, check_positive, check_size, show
from rivals._random import (
    EXPERIMENT_DATA,
    EXPERIMENT_DESIGN,
    EXPERIMENT_DRAWS,
    EXPERIMENT_PAIR,
    EXPERIMENT_SYNTHETIC,
    EXPERIMENT_TRUTH,
    stream,
)
from rivals._types import FloatArray, Model
from rivals.comparison import N_SIMULATIONS
from rivals.core.wasserstein import unit_exponent
from rivals.laws import ORDERS, Law, Order, Setting, law_of
from rivals.losses import Losses, effective_size, losses_of_model

# Increased whenever the numbers of an experiment change: a store is then never filled by two algorithms.
ALGORITHM = 2

# What candidates without names are called.
LETTERS = "abcdefghijklmnopqrstuvwxyz"

# The truth counts as decided when the risks differ by more than this many standard errors.
DECIDED = 2.0


Candidates: TypeAlias = Sequence[Model] | Mapping[str, Model]


@dataclass(frozen=True)
class Experiment:
    """A simulated experiment: the source of the data, and the candidates to judge.

    Parameters
    ----------
    observe : callable
        `observe(n, rng)` returns n data points of the true process.
    candidates : sequence or mapping, or callable
        Two candidates or more (each with `loss(data)` and `simulate(n, rng)`), or a function of the data that returns them, if
        they are refitted to every data set. Of a mapping from names to candidates, the calibration keeps the names. Of more than
        two, a random pair is what curves are made of; the threshold for the best of them is learned from all.
    replicate : callable, optional
        `replicate(n, rng)` returns n data points of a fresh replication: the problem is the same, but everything that varies
        between replications is drawn anew with `rng`. The better candidate is then the one with the lower risk there.
        Without `replicate`, the better candidate is the one with the lower risk on new data of the same process that
        made the observed data: a question about sampling error alone.

    See Also
    --------
    calibrate : runs many experiments.
    rivals.calibration.replications : makes experiments from candidates and one data set.

    Examples
    --------
    An epistemic distribution is any function from a generator to an experiment. Here the mean defines the problem, and each
    replication has its own offset:

    >>> from rivals.testbeds.toys import gaussian
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...
    ...     def measure(n, rng):
    ...         return mean + rng.normal(0, 0.05) + rng.standard_normal(n)
    ...
    ...     return Experiment(
    ...         observe=measure,
    ...         candidates=(gaussian(-0.1), gaussian(0.1)),
    ...         replicate=measure,
    ...     )
    """

    observe: Callable[[int, np.random.Generator], Any]
    candidates: Candidates | Callable[[Any], Candidates]
    replicate: Callable[[int, np.random.Generator], Any] | None = None


@dataclass(frozen=True)
class ExperimentLosses:
    """The losses of one experiment, from an epistemic distribution that computes many experiments at once.

    An epistemic distribution with a method ``batch(indices, rng_of)`` is asked for the losses of several experiments in one
    call: a sequence with one `ExperimentLosses` for each index. It may compute them with vectorised code of any kind (NumPy,
    JAX, PyTorch, CUDA). ``rng_of(index)`` is the generator of an experiment; with no other random numbers the records do
    not depend on how experiments are put into batches; an attribute ``batch_size`` says how many are best computed together.

    Parameters
    ----------
    observed : array, shape (k, n_data)
        Losses of all candidates, two or more, on the observed data.
    synthetic : array, shape (k, n_simulations, n_data)
        Losses of each candidate on data that it simulated itself. One simulation may be given as (k, n_data).
    truth : array, shape (k, n_truth), or (n_replications, k, n_truth)
        Losses of all on new data that determine which is truly better.
    replicated : bool
        Whether the new data are those of fresh replications.

    See Also
    --------
    Experiment : what an epistemic distribution returns for one experiment at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.calibration import ExperimentLosses, calibrate
    >>> class Offsets:
    ...     def batch(self, indices, rng_of):
    ...         z = np.stack([rng_of(index).standard_normal(4500) for index in indices])
    ...         mean, noise = 0.1 * z[:, :1], z[:, 1:]
    ...         centres = np.array([-0.1, 0.1])[:, None]
    ...         def loss(y):
    ...             return 0.5 * (y[:, None, :] - centres) ** 2
    ...         observed = loss(mean + noise[:, :200])
    ...         truth = loss(mean + noise[:, 200:4200])
    ...         synthetic = 0.5 * noise[:, 4200:4400] ** 2
    ...         return [
    ...             ExperimentLosses(observed[i], np.stack([synthetic[i]] * 2), truth[i])
    ...             for i in range(len(indices))
    ...         ]
    >>> calibration = calibrate(
    ...     Offsets(),
    ...     n_data=200,
    ...     n_truth=4000,
    ...     n_experiments=64,
    ...     n_simulations=1,
    ...     c=[0.1],
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> len(calibration.records)
    64
    """

    observed: npt.ArrayLike
    synthetic: npt.ArrayLike
    truth: npt.ArrayLike
    replicated: bool = False


# rng → Experiment, or (rng, index) → Experiment; or an object with batch(indices, rng_of) → ExperimentLosses of each.
Omega: TypeAlias = Any


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the numbers of an experiment depend on, besides its epistemic distribution and its index."""

    c: Sequence[float]  # sorted, once it is checked
    n_data: int
    n_truth: int
    entropy: int
    law: Law = field(default_factory=lambda: law_of(None))
    n_simulations: int = N_SIMULATIONS
    order: Order | None = None
    n_replications: int = 1

    def __post_init__(self) -> None:
        try:
            values = tuple(check_positive(value, f"c[{place}]") for place, value in enumerate(self.c))
        except TypeError as error:
            raise TypeError(f"c is not a sequence of numbers: {error}; pass a list of numbers") from None
        if not values or len(set(values)) != len(values):
            raise ValueError(f"c must be one or more different values: got {list(values)}; list each value once")
        object.__setattr__(self, "c", tuple(sorted(values)))
        for name in ("n_data", "n_truth"):
            object.__setattr__(self, name, check_size(getattr(self, name), name, least=2))
        for name in ("n_simulations", "n_replications"):
            object.__setattr__(self, name, check_size(getattr(self, name), name))
        if self.order is not None:
            check_choice(self.order, "order", ORDERS)


def law_to_calibrate(law: str | Law | None) -> Law:
    """A law that has a c to calibrate, and needs no groups, which an experiment does not have."""
    checked = law_of(law)
    if checked.needs_groups or not checked.has_c:
        raise ValueError(
            f"law {checked.name!r} is not calibrated: groups at hand take the place of simulated experiments; use it in compare directly"
        )
    return checked


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: of a pair (a, b) of its candidates, and of the truly best of all."""

    probability: FloatArray  # P(R_a < R_b) at each c
    standard_error: FloatArray
    score: FloatArray  # at each c, the largest probability with which a rival of lower mean loss beats the truly best
    risk_a: float  # the true risks, from n_truth samples; of several replications the mean
    risk_b: float
    truth_error: float  # standard error of risk_a − risk_b
    truth: float  # fraction of the replications that a wins; an undecided one counts half
    replicated: bool  # whether the truth is that of fresh replications
    n_candidates: int = 2
    names: tuple[str, ...] = ()  # of the candidates, where they are known


def run_experiment(omega: Omega, settings: Settings, place: int, index: int) -> Outcome:
    """Run experiment `index` of the epistemic distribution at `place`; bit for bit the same wherever and whenever it runs."""
    own = experiment_entropy(settings.entropy, place, index)
    design = stream(own, EXPERIMENT_DESIGN)
    experiment = omega(design, index=index) if wants_index(omega) else omega(design)
    _check_experiment(experiment)
    data = experiment.observe(settings.n_data, stream(own, EXPERIMENT_DATA))
    models, known = _models(experiment, data)
    samples = [
        losses_of_model(
            candidate,
            data,
            n_simulations=settings.n_simulations,
            rng=np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, which)),
        )
        for which, candidate in enumerate(models.values())
    ]
    _check_count("observe", settings.n_data, "n_data", models, [sample.n_observed for sample in samples])
    truths = _truths(experiment, models, settings, own)
    return _outcome(samples, truths, settings, own, replicated=experiment.replicate is not None, names=known)


def run_given(given: ExperimentLosses, settings: Settings, place: int, index: int) -> Outcome:
    """The same, of an experiment whose losses are given."""
    observed, synthetic, truth = (
        np.asarray(part, dtype=float) for part in (given.observed, given.synthetic, given.truth)
    )
    synthetic = synthetic[:, None, :] if synthetic.ndim == 2 else synthetic
    truth = truth[None] if truth.ndim == 2 else truth
    k = max(len(observed), 2) if observed.ndim else 2
    expected = {
        "observed": (observed, (k, settings.n_data)),
        "synthetic": (synthetic, (k, settings.n_simulations, settings.n_data)),
        "truth": (truth, (settings.n_replications, k, settings.n_truth)),
    }
    for name, (found, shape) in expected.items():
        if found.shape != shape:
            raise ValueError(
                f"batch gave {name} losses of shape {found.shape} for experiment {index}: expected {shape}; return an "
                "ExperimentLosses of the sizes that calibrate was called with for each index"
            )
    samples = [Losses(*pair) for pair in zip(observed, synthetic, strict=True)]
    for which in range(k):
        check_losses(truth[:, which].ravel(), f"truth losses of candidate {_letter(which)}")
    own = experiment_entropy(settings.entropy, place, index)
    return _outcome(samples, list(truth), settings, own, replicated=given.replicated)


def _outcome(
    samples: list[Losses],
    truths: list[FloatArray],
    settings: Settings,
    own: int,
    *,
    replicated: bool,
    names: tuple[str, ...] = (),
) -> Outcome:
    """`truths`: the losses of all candidates in each replication."""
    k = len(samples)
    a, b = (0, 1) if k == 2 else stream(own, EXPERIMENT_PAIR).permutation(k)[:2].tolist()
    best = int(np.argmin(np.mean([losses.mean(axis=1) for losses in truths], axis=0)))
    return Outcome(
        *_probabilities(samples, (a, b), best, settings, own),
        *_summary([_risks(losses[a], losses[b]) for losses in truths]),
        replicated=replicated,
        n_candidates=k,
        names=names,
    )


def generator_of(entropy: int, place: int, index: int) -> np.random.Generator:
    """The generator that `batch` gets for an experiment: the one that an epistemic distribution is called with."""
    return stream(experiment_entropy(entropy, place, index), EXPERIMENT_DESIGN)


def experiment_entropy(entropy: int, place: int, index: int) -> int:
    """The entropy of experiment `index` of the epistemic distribution at `place`, in a study of this entropy."""
    words = np.random.SeedSequence(entropy, spawn_key=(place, index)).generate_state(4)
    return int.from_bytes(words.astype("<u4").tobytes(), "little")


def wants_index(omega: Omega) -> bool:
    """Whether an epistemic distribution takes the index of its experiment: it has such a parameter without a default.

    Examples
    --------
    >>> (
    ...     wants_index(lambda rng: ...),
    ...     wants_index(lambda rng, index: ...),
    ...     wants_index(lambda rng, index=0: ...),
    ... )
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


def part_won(risk_a: npt.ArrayLike, risk_b: npt.ArrayLike, truth_error: npt.ArrayLike) -> FloatArray:
    """1 where a is truly better, 0 where b is, ½ where that is undecided.

    Examples
    --------
    >>> part_won([1.0, 1.0], [1.1, 2.0], [0.1, 0.1])
    array([0.5, 1. ])
    """
    return np.where(is_undecided(risk_a, risk_b, truth_error), 0.5, np.less(risk_a, risk_b))


def _check_experiment(experiment: Any) -> None:
    if not (callable(getattr(experiment, "observe", None)) and hasattr(experiment, "candidates")):
        raise TypeError(
            f"the epistemic distribution must return an Experiment: got {type(experiment).__name__}; "
            "return Experiment(observe=..., candidates=...)"
        )


def _check_count(made_by: str, asked: int, name: str, models: Iterable[str], sizes: Sequence[int]) -> None:
    """Data of another size than requested would be another experiment than the one that is calibrated."""
    if any(size != asked for size in sizes):
        counts, letters = (" and ".join(map(str, words)) for words in (sizes, map(show, models)))
        raise ValueError(
            f"{made_by}({asked}, rng) returned data with {counts} losses of candidates {letters}: it must return as many points as "
            f"requested; correct it, or pass {name}={sizes[0]} if the design allows no other size"
        )


def _models(experiment: Experiment, data: Any) -> tuple[dict[str, Model], tuple[str, ...]]:
    """The models, checked, by name; a, b, … where they have none. And the names that were given."""
    given = experiment.candidates(data) if callable(experiment.candidates) else experiment.candidates
    named = dict(given) if isinstance(given, Mapping) else {_letter(i): model for i, model in enumerate(given)}
    if len(named) < 2:
        raise ValueError(f"an Experiment needs two candidates or more: got {len(named)}; pass (model_a, model_b)")
    checked = {name: check_model(model, f"candidate {show(name)}: ") for name, model in named.items()}
    return checked, tuple(named) if isinstance(given, Mapping) else ()


def _letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else str(place)


def _probabilities(
    samples: list[Losses], pair: tuple[int, int], best: int, settings: Settings, own: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """B of the pair at every c, on the same data and random numbers; its Monte Carlo error; and the score of the best."""
    setting = Setting(
        c=settings.c[0],
        order=settings.order,
        entropy=own,
        n_simulations=settings.n_simulations,
        key=EXPERIMENT_DRAWS,
    )
    applied = settings.law.in_experiments().apply(samples, setting)
    better = applied.empirical < applied.empirical[best]
    found = []
    for here in applied.at_each(settings.c):
        probability, error = here.matrix()
        found.append((probability[pair], error[pair], np.max(probability[better, best], initial=0.0)))
    probability, error, score = np.array(found).T
    return probability, error, score


def _truths(experiment: Experiment, models: Mapping[str, Model], settings: Settings, own: int) -> list[FloatArray]:
    """Losses of all candidates that tell the truth: on new data of the same process, or in each replication."""
    if experiment.replicate is None:
        fresh = experiment.observe(settings.n_truth, stream(own, EXPERIMENT_TRUTH))
        return [_truth(models, fresh, settings.n_truth, "observe")]
    return [
        _truth(models, experiment.replicate(settings.n_truth, stream(own, EXPERIMENT_TRUTH, each)), settings.n_truth, "replicate")
        for each in range(settings.n_replications)
    ]  # fmt: skip


def _truth(models: Mapping[str, Model], data: Any, size: int, made_by: str) -> FloatArray:
    losses = [
        check_losses(model.loss(data), f"losses of candidate {show(name)} on the data for the truth")
        for name, model in models.items()
    ]
    _check_count(made_by, size, "n_truth", models, [each.size for each in losses])
    return np.stack(losses)


def _risks(a: FloatArray, b: FloatArray) -> tuple[float, float, float]:
    """True risks, and the standard error of their difference (data of a long run may be correlated)."""
    difference = a - b
    unit = unit_exponent(difference)  # squares of very large or small losses would overflow or vanish
    error = float(np.ldexp(np.std(np.ldexp(difference, -unit)) / np.sqrt(effective_size(difference)), unit))
    return float(np.mean(a)), float(np.mean(b)), error


def _summary(truths: list[tuple[float, float, float]]) -> tuple[float, float, float, float]:
    """Over replications: the mean risks, the error of their difference, and the fraction that a wins."""
    risks_a, risks_b, errors = np.transpose(truths)
    error = float(np.sqrt(np.sum(errors**2)) / errors.size) if errors.size > 1 else float(errors[0])
    return float(np.mean(risks_a)), float(np.mean(risks_b)), error, float(np.mean(part_won(risks_a, risks_b, errors)))
