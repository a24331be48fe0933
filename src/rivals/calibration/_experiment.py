"""One simulated experiment: what the candidates lose, what B says of two of them, and who is
truly better.

Every purpose has a stream of random numbers of its own, from the entropy of the study, the place
of the scenario and the index of the experiment alone. So an experiment is the same, bit for bit,
wherever and whenever it is run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import finite
from rivals._core.candidates import losses_of_model
from rivals._core.checks import check_positive, check_printable, check_size
from rivals._core.losses import Losses, Study
from rivals._core.seeds import (
    EXPERIMENT_DATA,
    EXPERIMENT_DESIGN,
    EXPERIMENT_PAIR,
    EXPERIMENT_SYNTHETIC,
    EXPERIMENT_TRUTH,
    entropy_from,
    stream,
)
from rivals._core.setting import Setting, one_of
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import BoolArray, FloatArray, Model
from rivals.laws import LAWS, Law, law_of
from rivals.method.error import mean_errors
from rivals.scenarios import Experiment, form_of

# A function rng → Experiment, or (rng, index) → Experiment.
AnyScenario: TypeAlias = Callable[..., Experiment]

# What candidates without names are called.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The truth is decided where true risks differ by more than so many standard errors.
DECIDED = 2.0
# By so much the data for the truth grow at a time, and in all by default.
GROWTH = 4
MOST_GROWTH = 16
N_TRUTH = 2**16
# Values of c that are tried by default.
DEFAULT_C = tuple(2.0**octave for octave in range(-10, 5, 2))


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the numbers of an experiment depend on, beside its scenario and its index."""

    method: Law[Any]
    c: tuple[float, ...]
    n_data: int
    n_simulations: int
    order: str | None
    n_truth: int
    most_truth: int
    loss_unit: str
    entropy: int

    @classmethod
    def of(
        cls,
        *,
        method: str | Law[Any] | None,
        c: Sequence[float] | None,
        n_data: Any,
        n_simulations: Any = None,
        order: str | None = None,
        n_truth: Any = N_TRUTH,
        most_truth: Any = None,
        loss_unit: str = "",
        entropy: int = 0,
    ) -> Conditions:
        """Conditions that make sense."""
        chosen = law_of(method, groups=False)
        if chosen.needs_groups:
            raise ValueError(
                f"method {chosen.name!r} needs no calibration: groups take the place of simulated "
                "experiments; use it in compare directly"
            )
        if n_simulations is None:
            n_simulations = 1 if chosen.name == "paper" else 16
        if order is not None:
            one_of("time")("order", order)
        check_printable("loss_unit", [str(loss_unit)])
        n_truth = check_size(n_truth, "n_truth", least=2)
        most = MOST_GROWTH * n_truth if most_truth is None else most_truth
        return cls(
            method=chosen,
            c=_values(DEFAULT_C if c is None else c),
            n_data=check_size(n_data, "n_data", least=2),
            n_simulations=check_size(n_simulations, "n_simulations"),
            order=order,
            n_truth=n_truth,
            most_truth=check_size(most, "most_truth", least=n_truth),
            loss_unit=str(loss_unit or ""),
            entropy=entropy,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a store keeps them."""
        return {
            **vars(self),
            "method": {"name": self.method.name, **asdict(self.method)},  # type: ignore[call-overload]
            "c": list(self.c),
            "entropy": str(self.entropy),  # larger than what readers of JSON elsewhere hold
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Conditions:
        """What `to_dict` gave, checked like anybody's."""
        options = dict(plain["method"])
        method = LAWS[options.pop("name")](**options)
        return cls.of(**{**plain, "method": method, "entropy": int(plain["entropy"])})


def _values(c: Sequence[float]) -> tuple[float, ...]:
    """Different positive numbers, in order."""
    if np.ndim(c) != 1:
        raise WrongKind(f"{opt['c']} must be a list of numbers; got {c!r}")
    values = sorted(check_positive(value, f"c[{place}]") for place, value in enumerate(c))
    if not values or len(set(values)) != len(values):
        raise Refusal(f"{opt['c']} must be one or more different numbers; got {values}")
    return tuple(values)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was found of a pair (a, b) of candidates."""

    probability: FloatArray  # P(R_a < R_b) at each c
    standard_error: FloatArray  # its Monte Carlo error
    risk_a: float  # the true risks
    risk_b: float
    truth_error: float  # standard error of their difference
    n_truth: int  # points by which the truth is known
    replicated: bool  # whether these are of a fresh replication


def run_experiment(
    scenario: AnyScenario, conditions: Conditions, place: int, index: int, n_truth: int
) -> Outcome:
    """Experiment `index` of the scenario at `place`; the truth from so many points."""
    own = experiment_entropy(conditions.entropy, place, index)
    experiment = _drawn(scenario, own, index)
    data = experiment.observe(conditions.n_data, stream(own, EXPERIMENT_DATA))
    models = _models(experiment.candidates, data)
    losses = {}
    for which, (name, model) in enumerate(models.items()):
        seed = np.random.SeedSequence(own, spawn_key=(EXPERIMENT_SYNTHETIC, which))
        try:
            losses[name] = losses_of_model(
                model, data, n_simulations=conditions.n_simulations, rng=seed
            )
        except ValueError as found:  # the traceback has the line in the user's code
            said = ValueError(f"candidate {name!r}: {found}")
            raise said.with_traceback(found.__traceback__) from None
        except (AttributeError, IndexError, KeyError, TypeError) as found:
            unfit = TypeError(
                f"candidate {name!r} cannot judge the data of this scenario ({form_of(data)}): "
                f"{type(found).__name__}: {found}"
            )
            raise unfit.with_traceback(found.__traceback__) from None
        _check_size(losses[name].n_points, conditions.n_data, "observe", "n_data", name)
    a, b = _pair(own, len(models))
    probability, error = stated(losses, conditions, own, a, b)
    names = list(models)
    pair = {names[a]: models[names[a]], names[b]: models[names[b]]}
    return Outcome(
        probability,
        error,
        *_truth(experiment, pair, conditions, own, n_truth),
        n_truth,
        experiment.replicate is not None,
    )


def experiment_entropy(entropy: int, place: int, index: int) -> int:
    """The entropy of one experiment, of the scenario at `place`."""
    return entropy_from(np.random.SeedSequence(entropy, spawn_key=(place, index)))


def stated(
    losses: Mapping[str, Losses], conditions: Conditions, own: int, a: int, b: int
) -> tuple[FloatArray, FloatArray]:
    """P(R_a < R_b) at each c, and its Monte Carlo error."""
    study = Study.of(losses, order=conditions.order)
    method = conditions.method
    # A method that has all c in one pass says so; another is asked for one after the other.
    ask = getattr(method, "at_each_c", None) or partial(_one_by_one, method)
    probability, error = ask(method.summarise(study), conditions.c, own, a, b)
    if not np.isfinite(probability).all():
        raise ArithmeticError("no probability follows from these losses")
    return probability, error


def _one_by_one(
    method: Law[Any], summary: Any, values: Sequence[float], rng: int, a: int, b: int
) -> tuple[FloatArray, FloatArray]:
    pair, nothing = (np.array([a]), np.array([b])), np.zeros(1)
    laws = [method.differences(summary, Setting(c=c, rng=rng), *pair) for c in values]
    found = np.array([(law.below(nothing)[0, 0], law.error(nothing)[0]) for law in laws])
    return found[:, 0], found[:, 1]


def is_undecided(
    risk_a: npt.ArrayLike, risk_b: npt.ArrayLike, truth_error: npt.ArrayLike
) -> BoolArray:
    """Whether the true risks are too close to call.

    Examples
    --------
    >>> is_undecided([1.0, 1.0], [1.1, 2.0], [0.1, 0.1])
    array([ True, False])
    """
    distance = np.abs(np.subtract(risk_a, risk_b))
    return np.asarray(~(distance > np.multiply(DECIDED, truth_error)))


# ---------------------------------------------------------------- what a scenario makes


def _drawn(scenario: AnyScenario, own: int, index: int) -> Experiment:
    design = stream(own, EXPERIMENT_DESIGN)
    found = scenario(design, index=index) if wants_index(scenario) else scenario(design)
    if not (callable(getattr(found, "observe", None)) and hasattr(found, "candidates")):
        raise TypeError(
            f"a scenario must return an Experiment; got {type(found).__name__}: return "
            "rivals.Experiment(observe=..., candidates=...)"
        )
    return found


def wants_index(scenario: AnyScenario) -> bool:
    """Whether a scenario takes the index of its experiment: a parameter `index` without default.

    Examples
    --------
    >>> wants_index(lambda rng: ...), wants_index(lambda rng, index: ...)
    (False, True)
    """
    try:
        index = inspect.signature(scenario).parameters.get("index")
    except (TypeError, ValueError):  # some built-in functions do not tell
        return False
    return index is not None and index.default is index.empty


def _models(given: Any, data: Any) -> dict[str, Model]:
    """The candidates by name; those without names are called a, b, …"""
    if callable(given):
        given = given(data)
    named = given
    if not isinstance(given, Mapping):
        letters = [LETTERS[place % 26] * (place // 26 + 1) for place in range(len(given))]
        named = dict(zip(letters, given, strict=True))
    if len(named) < 2:
        raise ValueError(f"an experiment needs two candidates or more; got {len(named)}")
    for name, model in named.items():
        if not (callable(getattr(model, "loss", None)) and hasattr(model, "simulate")):
            raise TypeError(
                f"candidate {name!r} must have loss(data) and simulate(n, rng), as "
                f"rivals.Candidate has; got {type(model).__name__}"
            )
    return dict(named)


def _pair(own: int, n_candidates: int) -> tuple[int, int]:
    """The two candidates that are judged; of more than two, a random pair."""
    if n_candidates == 2:
        return 0, 1
    a, b = stream(own, EXPERIMENT_PAIR).permutation(n_candidates)[:2].tolist()
    return a, b


def _truth(
    experiment: Experiment,
    pair: Mapping[str, Model],
    conditions: Conditions,
    own: int,
    n_points: int,
) -> tuple[float, float, float]:
    """The true risks of a pair, and the standard error of their difference.

    More data of the same process come in blocks that are drawn independently, each as long as
    `n_truth`: models may drift away from a longer series. Of a replication there is one, of as many
    points as asked for.
    """
    if experiment.replicate is not None:
        data = experiment.replicate(n_points, stream(own, EXPERIMENT_TRUTH, 0))
        blocks = [_losses_of(pair, data, "replicate", n_points)]
    else:
        blocks = []
        for block in range(ceil(n_points / conditions.n_truth)):
            key = (block,) if block else ()
            data = experiment.observe(conditions.n_truth, stream(own, EXPERIMENT_TRUTH, *key))
            blocks.append(_losses_of(pair, data, "observe", conditions.n_truth))
    first, second = np.array([0]), np.array([1])
    variances = [
        mean_errors(losses, order=conditions.order).of_pairs(first, second)[0] for losses in blocks
    ]
    risk_a, risk_b = np.mean([losses.mean(axis=1) for losses in blocks], axis=0)
    return float(risk_a), float(risk_b), float(np.sqrt(np.sum(variances)) / len(blocks))


def _losses_of(pair: Mapping[str, Model], data: Any, made_by: str, n_points: int) -> FloatArray:
    rows = []
    for name, model in pair.items():
        row = finite(model.loss(data), f"candidate {name!r}: losses on the data for the truth")
        _check_size(row.size, n_points, made_by, "n_truth", name)
        rows.append(row)
    return np.stack(rows)


def _check_size(found: int, asked: int, made_by: str, option: str, name: str) -> None:
    """Data of another size would be another experiment than the one asked for."""
    if found != asked:
        raise ValueError(
            f"{made_by}({asked}, rng) returned data with {found} losses of candidate {name!r}; it "
            f"must return as many points as asked for, by repeating the design where that is "
            f"fixed; or pass {option}={found}"
        )
