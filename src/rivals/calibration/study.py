"""A study: its epistemic distributions and settings, the identity that a store keeps of them, and how each experiment is run."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

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
from rivals._say.arguments import check_choice, check_name, check_positive, check_size
from rivals._say.samples import check_losses
from rivals._say.words import show
from rivals._types import FloatArray, Model
from rivals.calibration.experiment import Experiment, ExperimentLosses, Omega, Outcome
from rivals.calibration.fingerprint import parts_of
from rivals.comparison import N_SIMULATIONS
from rivals.core.sampling_error import effective_size
from rivals.core.scales import unit_exponent
from rivals.laws import ORDERS, Law, Order, Setting, law_of
from rivals.losses import Losses
from rivals.models import check_model, losses_of_model

# Increased whenever the numbers of an experiment change: a store is then never filled by two algorithms.
ALGORITHM = 2
N_TRUTH = 2**16
# Of each candidate the losses of observed data and of its simulations; in each replication the losses of all that tell the
# truth; whether it is that of fresh replications; and the names of the candidates, where they are known.
Measured: TypeAlias = tuple[list[Losses], list[FloatArray], bool, tuple[str, ...]]
# What candidates without names are called.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The truth counts as decided when the risks differ by more than this many standard errors.
DECIDED = 2.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the numbers of an experiment depend on, besides its epistemic distribution and its index."""

    c: Sequence[float]  # sorted, once it is checked
    n_data: int
    law: Law
    n_truth: int = N_TRUTH
    entropy: int = 0
    n_simulations: int = N_SIMULATIONS
    order: Order | None = None
    n_replications: int = 1
    loss_unit: str | None = None  # kept, because c may depend on it

    @classmethod
    def checked(
        cls, *, c: Sequence[float] | None = None, law: str | Law | None = None, **others: Any
    ) -> Settings:
        """Settings that make sense: by default with the values of c that suit the law, which must have a c to calibrate."""
        chosen = law_of(law)
        if chosen.needs_groups or not chosen.has_c:
            raise ValueError(
                f"law {chosen.name!r} is not calibrated: it has no c, or groups at hand take the place of simulated experiments; use it in "
                "compare directly"
            )
        try:
            given = enumerate(chosen.grid if c is None else c)
            values = sorted(check_positive(value, f"c[{place}]") for place, value in given)
        except TypeError as error:
            raise TypeError(
                f"c is not a sequence of numbers: {error}; pass a list of numbers"
            ) from None
        if not values or len(set(values)) != len(values):
            raise ValueError(
                f"c must be one or more different values: got {values}; list each value once"
            )
        settings = cls(c=tuple(values), law=chosen, **others)
        for name, least in (
            ("n_data", 2),
            ("n_truth", 2),
            ("n_simulations", 1),
            ("n_replications", 1),
        ):
            object.__setattr__(
                settings, name, check_size(getattr(settings, name), name, least=least)
            )
        if settings.order is not None:
            check_choice(settings.order, "order", ORDERS)
        return settings

    def plain(self) -> dict[str, Any]:
        """As plain numbers and text, as a store keeps them."""
        return {
            **vars(self),
            "law": self.law.name,
            "options": self.law.options(),
            "c": list(self.c),
            "entropy": str(self.entropy),  # larger than what JSON readers elsewhere can hold
        }


@dataclass(frozen=True)
class Study:
    """A number of experiments of each epistemic distribution, with the same settings: a job for `_workers`."""

    omegas: Mapping[str, Omega]
    settings: Settings
    n_experiments: int
    contents = "the epistemic distributions"
    progress = "rivals calibrate: {} of {} experiments"

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What must agree for two runs to belong together, as plain numbers and text."""
        codes = {name: parts_of(omega) for name, omega in self.omegas.items()}
        return {**self.settings.plain(), "algorithm": ALGORITHM, "omegas": codes}

    @property
    def batch_size(self) -> int | None:
        """Experiments that an epistemic distribution wants in one batch; None where it does not say."""
        wanted = [getattr(omega, "batch_size", None) for omega in self.omegas.values()]
        return max((size for size in wanted if size is not None), default=None)

    @property
    def descriptions(self) -> dict[str, str]:
        """What each epistemic distribution says of itself: its `description`, or the first line of its docstring."""
        found = {}
        for name, omega in self.omegas.items():
            while isinstance(omega, partial):
                omega = omega.func
            said = getattr(omega, "description", None) or getattr(omega, "__doc__", None) or ""
            found[name] = said.strip().partition("\n")[0] if isinstance(said, str) else ""
        return found

    def prepare(self, place: int, indices: Sequence[int]) -> dict[int, ExperimentLosses]:
        """Losses of several experiments in one call, of an epistemic distribution that offers it."""
        omega = list(self.omegas.values())[place]
        if not hasattr(omega, "batch"):
            return {}
        found = list(omega.batch(list(indices), partial(self._generator, place)))
        if len(found) != len(indices) or not all(
            isinstance(each, ExperimentLosses) for each in found
        ):
            kinds = ", ".join(sorted({type(each).__name__ for each in found})) or "nothing"
            raise TypeError(
                f"batch gave {len(found)} results ({kinds}) for {len(indices)} experiments; return one ExperimentLosses for each index"
            )
        return dict(zip(indices, found, strict=True))

    def run(self, place: int, index: int, prepared: ExperimentLosses | None) -> Outcome:
        """The outcome of one experiment."""
        omega = list(self.omegas.values())[place]
        if hasattr(omega, "batch") and prepared is None:
            prepared = self.prepare(place, [index])[index]
        outcome = run_experiment(omega, self.settings, place, index, prepared)
        if not np.isfinite(
            [*outcome.probability, outcome.risk_a, outcome.risk_b, outcome.truth_error]
        ).all():
            raise ArithmeticError("the probabilities or the true risks are not finite")
        return outcome

    def _generator(self, place: int, index: int) -> np.random.Generator:
        """The generator that `batch` gets for an experiment: the one that an epistemic distribution is called with."""
        return stream(experiment_entropy(self.settings.entropy, place, index), EXPERIMENT_DESIGN)


def make_study(
    omegas: Mapping[str, Omega] | Omega, settings: Settings, n_experiments: int
) -> Study:
    """The study of these epistemic distributions, checked."""
    named = (
        dict(omegas)
        if isinstance(omegas, Mapping)
        else {getattr(omegas, "__name__", "omega"): omegas}
    )
    if not named:
        raise ValueError(
            "at least one epistemic distribution is needed: got an empty mapping; pass {name: function}"
        )
    for name, omega in named.items():
        check_name(name)
        if not (callable(omega) or callable(getattr(omega, "batch", None))):
            raise TypeError(
                f"epistemic distribution {name!r} is not a function: got {type(omega).__name__}; pass a function "
                "from a generator to an Experiment, or an object with a method batch(indices, rng_of)"
            )
    return Study(named, settings, check_size(n_experiments, "n_experiments"))


def run_experiment(
    omega: Omega, settings: Settings, place: int, index: int, given: ExperimentLosses | None = None
) -> Outcome:
    """Run experiment `index` of the epistemic distribution at `place`; bit for bit the same wherever and whenever it runs.

    Of more than two candidates, a random pair is what is judged; the score is that of the best of all.
    """
    own = experiment_entropy(settings.entropy, place, index)
    measured = (
        _measured(omega, settings, own, index) if given is None else _given(given, settings, index)
    )
    samples, truths, replicated, names = measured
    k = len(samples)
    a, b = (0, 1) if k == 2 else stream(own, EXPERIMENT_PAIR).permutation(k)[:2].tolist()
    best = int(np.argmin(np.mean([losses.mean(axis=1) for losses in truths], axis=0)))
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
        found.append(
            (probability[a, b], error[a, b], np.max(probability[better, best], initial=0.0))
        )
    probability, error, score = np.array(found).T
    risks = _risks([(losses[a], losses[b]) for losses in truths])
    return Outcome(probability, error, score, *risks, replicated, n_candidates=k, names=names)


def _measured(omega: Omega, settings: Settings, own: int, index: int) -> Measured:
    """What the candidates lose in an experiment."""
    design = stream(own, EXPERIMENT_DESIGN)
    experiment = omega(design, index=index) if wants_index(omega) else omega(design)
    if not (callable(getattr(experiment, "observe", None)) and hasattr(experiment, "candidates")):
        raise TypeError(
            f"the epistemic distribution must return an Experiment: got {type(experiment).__name__}; "
            "return Experiment(observe=..., candidates=...)"
        )
    data = experiment.observe(settings.n_data, stream(own, EXPERIMENT_DATA))
    given = (
        experiment.candidates(data) if callable(experiment.candidates) else experiment.candidates
    )
    known = tuple(given) if isinstance(given, Mapping) else ()
    models = _models(
        dict(given) if known else {_letter(which): model for which, model in enumerate(given)}
    )
    samples = []
    for which, model in enumerate(models.values()):
        seed = np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, which))
        samples.append(losses_of_model(model, data, n_simulations=settings.n_simulations, rng=seed))
    _check_count(
        "observe", settings.n_data, "n_data", models, [sample.n_observed for sample in samples]
    )
    return (
        samples,
        _truths(experiment, models, settings, own),
        experiment.replicate is not None,
        known,
    )


def _given(given: ExperimentLosses, settings: Settings, index: int) -> Measured:
    """The same, where an epistemic distribution computes the losses itself."""
    given_parts = (given.observed, given.synthetic, given.truth)
    observed, synthetic, truth = (np.asarray(part, dtype=float) for part in given_parts)
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
    for which in range(k):
        check_losses(truth[:, which].ravel(), f"truth losses of candidate {_letter(which)}")
    return (
        [Losses(*pair) for pair in zip(observed, synthetic, strict=True)],
        list(truth),
        given.replicated,
        (),
    )


def _truths(
    experiment: Experiment, models: Mapping[str, Model], settings: Settings, own: int
) -> list[FloatArray]:
    """Losses of all candidates that tell the truth: on new data of the same process, or in each replication."""
    made_by, make = "observe", experiment.observe
    keys: list[tuple[int, ...]] = [()]
    if experiment.replicate is not None:
        made_by, make, keys = (
            "replicate",
            experiment.replicate,
            [(each,) for each in range(settings.n_replications)],
        )
    found = []
    for key in keys:
        data = make(settings.n_truth, stream(own, EXPERIMENT_TRUTH, *key))
        losses = [
            check_losses(
                model.loss(data), f"losses of candidate {show(name)} on the data for the truth"
            )
            for name, model in models.items()
        ]
        _check_count(made_by, settings.n_truth, "n_truth", models, [each.size for each in losses])
        found.append(np.stack(losses))
    return found


def _risks(truths: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[float, float, float, float]:
    """Over replications: the mean risks of a pair, the standard error of their difference, and the fraction that a wins.

    1 where a is truly better, 0 where b is, ½ where that is undecided. Data of a long run may be correlated.
    """
    found = []
    for a, b in truths:
        unit = unit_exponent(
            a - b
        )  # squares of very large or small losses would overflow or vanish
        error = np.ldexp(np.std(np.ldexp(a - b, -unit)) / np.sqrt(effective_size(a - b)), unit)
        found.append((np.mean(a), np.mean(b), error))
    risks_a, risks_b, errors = np.transpose(found)
    error = np.sqrt(np.sum(errors**2)) / errors.size if errors.size > 1 else errors[0]
    won = np.where(is_undecided(risks_a, risks_b, errors), 0.5, risks_a < risks_b)
    return float(np.mean(risks_a)), float(np.mean(risks_b)), float(error), float(np.mean(won))


def experiment_entropy(entropy: int, place: int, index: int) -> int:
    """The entropy of experiment `index` of the epistemic distribution at `place`, in a study of this entropy."""
    return entropy_from(np.random.SeedSequence(entropy, spawn_key=(place, index)))


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


def _models(named: dict[str, Any]) -> dict[str, Model]:
    if len(named) < 2:
        raise ValueError(
            f"an Experiment needs two candidates or more: got {len(named)}; pass (model_a, model_b)"
        )
    return {name: check_model(model, f"candidate {show(name)}: ") for name, model in named.items()}


def _letter(place: int) -> str:
    return LETTERS[place] if place < len(LETTERS) else str(place)


def _check_count(
    made_by: str, asked: int, name: str, models: Iterable[str], sizes: Sequence[int]
) -> None:
    """Data of another size than requested would be another experiment than the one that is calibrated."""
    if any(size != asked for size in sizes):
        counts, letters = (" and ".join(map(str, words)) for words in (sizes, map(show, models)))
        raise ValueError(
            f"{made_by}({asked}, rng) returned data with {counts} losses of candidates {letters}: it must return as many points as "
            f"requested; correct it, or pass {name}={sizes[0]} if the design allows no other size"
        )
