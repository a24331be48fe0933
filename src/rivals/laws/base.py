"""What every law of the risk offers, and what its probabilities, verdicts and sentences are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import isnan, nan, pi, sqrt
from os import PathLike, fspath
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from scipy.special import ndtri

from rivals._random import COMPARISON_DRAWS
from rivals._say.arguments import check_positive
from rivals._say.words import show
from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.sampling_error import mean_error
from rivals.core.verdict import Duel, reject
from rivals.losses import Losses

Order = Literal["time"]
Correct = Callable[[FloatArray], FloatArray]
ORDERS: tuple[Order, ...] = ("time",)

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever the distributions.
N_DRAWS = 12_000
# With fewer losses than this, their tails are not known; with fewer than that, not even their quartiles.
FEW_LOSSES, VERY_FEW_LOSSES = 300, 32
# A reference may cost a model digits below this fraction of the range of its losses. If the losses are as large as the
# reference, these digits are already lost.
DIGITS_LOST, FAR_BELOW = 1e-6, 1e-3


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which group each point belongs to: whole numbers from 0, and what the groups are called."""

    codes: IntArray
    names: tuple[str, ...]

    @property
    def sizes(self) -> IntArray:
        """Points in each group."""
        return np.bincount(self.codes, minlength=len(self.names))


@dataclass(frozen=True)
class Setting:
    """What a law is applied with, beside the losses; with them, enough to repeat a run.

    Parameters
    ----------
    c : float
        Sensitivity of the risk to the discrepancy between model and data; nan under a law that has none.
    threshold : float
        Probability above which a better rival rejects a model.
    order : {"time"} or None
        Whether the points are a series.
    groups, clusters : Grouping or None
        Replications; and points that belong together without being replications.
    entropy : int
        The integer that repeats the run, as `rng`.
    n_simulations : int
        Of each model.
    key : int
        The purpose of the random numbers, one of `rivals._random`.
    """

    c: float = nan
    threshold: float = 0.95
    order: Order | None = None
    groups: Grouping | None = field(default=None, repr=False)
    clusters: Grouping | None = field(default=None, repr=False)
    entropy: int = 0
    n_simulations: int = 0
    key: int = COMPARISON_DRAWS

    @property
    def labels(self) -> dict[str, Grouping]:
        """Groups and clusters, as far as there are any."""
        given = {"groups": self.groups, "clusters": self.clusters}
        return {kind: grouping for kind, grouping in given.items() if grouping is not None}


@dataclass(frozen=True)
class Law(ABC):
    """A law of the risk: its name, what it needs, what it says of itself; its fields are its own options.

    A new law is a subclass with a `name` and `apply`, and one line in `rivals.laws.LAWS`.
    """

    name: ClassVar[str]
    default_c: ClassVar[float] = nan
    grid: ClassVar[tuple[float, ...]] = ()  # values of c to calibrate, and to sweep over
    needs_simulations: ClassVar[bool] = True
    needs_groups: ClassVar[bool] = False
    closed_form: ClassVar[bool] = True  # no Monte Carlo error
    of_this_paper: ClassVar[bool] = False  # the process of René & Longtin (2025)
    # Of winners stated from so many groups (1: no groups) with or without simulations, the % that lost in fresh groups of
    # real data, and its standard error: benchmarks/results/expected_error.json. Nothing where it was not measured.
    measured: ClassVar[Mapping[bool, Mapping[int, tuple[float, float]]]] = {}

    # ---------------------------------------------------------------- sentences
    about: ClassVar[str] = "Probabilities hold as far as the law does."
    overlap: ClassVar[str] = "Where they overlap strongly, the models cannot be told apart."
    about_c: ClassVar[str] = ""
    method: ClassVar[str] = ""  # for the methods section of a paper
    method_of_c: ClassVar[str] = ""

    @property
    def has_c(self) -> bool:
        """Whether the law has a constant c."""
        return not isnan(self.default_c)

    def uses_c(self, n_simulations: int) -> bool:
        """Whether c matters, with so many simulations of each model."""
        return self.has_c

    def options(self) -> dict[str, Any]:
        """Its own options as plain values; `type(law)(**law.options())` is the same law."""
        return asdict(self)

    def __str__(self) -> str:
        given = {
            key: value
            for key, value in self.options().items()
            if value != type(self).__dataclass_fields__[key].default
        }
        inside = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return f"rivals.laws.{type(self).__name__}({inside})" if given else repr(self.name)

    # ---------------------------------------------------------------- use
    def checked_c(self, c: Any, n_simulations: int) -> float:
        """The c to apply the law with: that given, or its own; nan where it has none."""
        if not self.uses_c(n_simulations):
            if c is not None:
                raise ValueError(
                    f"law {self.name!r} has no c here: got c = {c!r}; leave c out, or compare under a law that has one"
                )
            return nan
        if isinstance(c, (str, PathLike)):
            raise TypeError(
                f"c must be a number; got {show(fspath(c))!r}. If this is the store of a calibration, pass "
                f"c=rivals.calibration.open_store({show(fspath(c))!r})"
            )
        return check_positive(self.default_c if c is None else c, "c")

    @abstractmethod
    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> Applied:
        """The law of the risks of these models; `summaries` replace simulations that were not kept."""

    def in_experiments(self) -> Law:
        """The law as a calibration applies it, where one probability among thousands need not be as exact."""
        return self

    def summary(self, losses: Losses, setting: Setting) -> Any:
        """All that the law needs of the simulations of one model, so that these need not be kept."""
        return None

    def check(self, losses: Losses, setting: Setting) -> None:
        """Refuse losses of one model that the law cannot use."""
        if self.needs_simulations and losses.n_simulations == 0:
            raise ValueError(
                f"no synthetic losses, and law {self.name!r} measures how far simulations are from the data; pass (observed, synthetic), "
                "or groups= with the replication of each point (three or more), which needs none"
            )

    def doubts(self, losses: Losses) -> list[tuple[str, str]]:
        """What makes the answer for a model less reliable than it looks: pairs (code, text)."""
        smaller = (
            min(losses.n_observed, losses.n_synthetic)
            if losses.n_simulations
            else losses.n_observed
        )
        if smaller >= FEW_LOSSES or (self.needs_groups and smaller >= VERY_FEW_LOSSES):
            return []
        code = "very_few_points" if smaller < VERY_FEW_LOSSES else "few_points"
        return [
            (
                code,
                f"only {smaller} losses, too few to know their tails: take probabilities as rough",
            )
        ]


class Applied(ABC):
    """A law, applied to the losses of all models: their risks, every pair, and the verdict.

    Models are in the order given; risks are less `reference`, a typical loss of the best model, unless they are called
    `risk_mean`.

    Parameters
    ----------
    law : Law
    losses : sequence of Losses
    setting : Setting
    summaries : sequence, optional
        What `Law.summary` kept of simulations that were not kept.

    Attributes
    ----------
    reference : float
    empirical : array
        Mean observed loss of each model, less the reference.
    """

    def __init__(
        self,
        law: Law,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[Any] | None = None,
    ) -> None:
        self.law, self.losses, self.setting, self.summaries = law, list(losses), setting, summaries
        self.reference = common_reference(self.losses)
        self.empirical = np.array(
            [np.mean(sample.observed - self.reference) for sample in self.losses]
        )

    # Read from a file with its verdict: draws are made as for that verdict, when they are asked for.
    decided: bool = False

    def settings(self) -> dict[str, Any]:
        """With the losses, enough to repeat the run: plain numbers and text; what is not a number is null."""
        setting = self.setting
        return {
            "law": self.law.name,
            "options": self.law.options(),
            "c": None if isnan(setting.c) else setting.c,
            "threshold": setting.threshold,
            "entropy": setting.entropy,
            "order": setting.order,
            "n_simulations": setting.n_simulations,
        }

    # ---------------------------------------------------------------- every pair, and the verdict
    @abstractmethod
    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """[a, b] = P(R_a < R_b), and its Monte Carlo standard error."""

    def single_matrices(self) -> Iterator[FloatArray]:
        """The same under each simulation alone; nothing where there are not several."""
        return iter(())

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        """The duels that reject a model, and those too close to call."""
        return reject(self.empirical, self.matrix()[0], self.setting.threshold), []

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        """[s, a]: whether simulation s alone would reject model a."""
        rejected = [
            reject(
                self.empirical,
                matrix if correct is None else correct(matrix),
                self.setting.threshold,
            )
            for matrix in self.single_matrices()
        ]
        return np.array(
            [[model in found for model in range(self.empirical.size)] for found in rejected],
            dtype=bool,
        )

    def at(self, c: float) -> Applied:
        """The same law at another c; what does not depend on c is kept."""
        return self.law.apply(self.losses, replace(self.setting, c=c))

    def at_each(self, values: Sequence[float]) -> Iterator[Applied]:
        """The same at many values of c. Use each before you take the next."""
        return map(self.at, values)

    def quick(self) -> Applied:
        """The same with less effort, where a picture is enough."""
        return self

    # ---------------------------------------------------------------- each risk
    @property
    @abstractmethod
    def risk_mean(self) -> FloatArray:
        """The mean of each risk, with the reference."""

    @property
    @abstractmethod
    def risk_std(self) -> FloatArray:
        """The standard deviation of each risk; infinite where it has none."""

    def samplers(self) -> Sequence[Sampler]:
        """What draws of the risk of each model are made with."""
        means = self.risk_mean - self.reference
        return [
            Gaussian(float(mean), float(std))
            for mean, std in zip(means, self.risk_std, strict=True)
        ]

    @cached_property
    def draws(self) -> Draws:
        """Draws of the risk of each model: its marginal law. Paired errors are the business of `matrix`."""
        shifts = np.zeros(self.empirical.size)
        return Draws(self.samplers(), shifts, self.setting.entropy, self.setting.key, N_DRAWS)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the central interval of each risk."""
        reach = float(ndtri(0.5 + 0.5 * level)) * self.risk_std
        means = self.risk_mean - self.reference
        return means - reach, means + reach

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        """Density of one risk on a grid; one point of infinite density where it has no width."""
        return gaussian_density(
            float(self.risk_mean[index] - self.reference), float(self.risk_std[index]), n_points
        )

    def process(self, index: int) -> Any:
        """The process on quantile functions of one model, with `sample_paths`; None under a law that has none."""
        return None

    # ---------------------------------------------------------------- diagnostics
    @property
    def won(self) -> IntArray | None:
        """[a, b]: in how many groups a has the lower mean loss than b; None under a law without groups."""
        return None

    @property
    def distance(self) -> FloatArray:
        """W, the transport distance of simulated from observed losses; nan where the law has no use for it."""
        return np.full(self.empirical.size, nan)

    @property
    def critical_c(self) -> FloatArray:
        """The largest c at which each model is rejected; nan where none is, or where that is not known."""
        return np.full(self.empirical.size, nan)

    @cached_property
    def difference_errors(self) -> FloatArray:
        """Standard errors of the paired differences of the mean losses, each to the best model's."""
        best, setting = self.losses[int(np.argmin(self.empirical))].observed, self.setting
        together = setting.clusters or setting.groups
        codes = None if together is None else together.codes
        return np.array(
            [
                mean_error(each.observed - best, order=setting.order, clusters=codes)
                for each in self.losses
            ]
        )

    def remarks(self, names: Sequence[str]) -> list[str]:
        """What a reader of the verdict must know under this law, in sentences."""
        return []


def common_reference(samples: Sequence[Losses]) -> float:
    """A typical loss of the best model, subtracted from all losses first: an offset then costs no digits.

    If that is so large that it would cost another model digits, as −1e17 beside losses of order one, it is the typical
    loss of least magnitude, which costs no model a digit.
    """
    reference = min(samples, key=lambda sample: sample.empirical_risk).reference
    harms = any(_costs_digits(reference, sample) for sample in samples)
    return min((sample.reference for sample in samples), key=abs) if harms else reference


def _costs_digits(reference: float, losses: Losses) -> bool:
    """Whether losses far smaller than the reference would lose digits that matter for their spread, or all of them."""
    spread = float(losses.observed.max()) - float(losses.observed.min())
    finest = DIGITS_LOST * (spread or abs(losses.reference))
    far = abs(losses.reference) + spread < FAR_BELOW * abs(reference)
    return far and 0.0 < finest < float(np.spacing(abs(reference)))


# ---------------------------------------------------------------- draws of the risks, the same whenever they are made


def draw_seed(entropy: int, key: int, index: int, block: int = 0) -> np.random.SeedSequence:
    """The seed of a block of draws of one model: keyed by its position and the block, so that it depends on nothing else."""
    # An experiment has one block, and its seeds do not name it.
    keys = (key, index, block) if key == COMPARISON_DRAWS else (key, index)
    return np.random.SeedSequence(entropy, spawn_key=keys)


class Sampler(Protocol):
    """A law to draw from."""

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        """Independent draws."""


@dataclass(frozen=True)
class Gaussian:
    """A normal law."""

    mean: float
    std: float

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        return self.mean + self.std * np.random.Generator(np.random.PCG64(rng)).standard_normal(
            n_draws
        )


class Draws:
    """Draws of the risks less the reference, of each model its own number, in the order of the models; made when asked for."""

    def __init__(
        self, samplers: Sequence[Sampler], shifts: FloatArray, entropy: int, key: int, n_draws: int
    ) -> None:
        self._samplers, self._shifts, self._entropy, self._key = samplers, shifts, entropy, key
        self._blocks = [[n_draws] for _ in samplers]

    def more(self, index: int, n_draws: int) -> FloatArray:
        """Another block of draws of one model; returns the new ones."""
        self._blocks[index].append(n_draws)
        return self._block(index, len(self._blocks[index]) - 1)

    def _block(self, index: int, block: int) -> FloatArray:
        seed = draw_seed(self._entropy, self._key, index, block)
        draws = self._samplers[index].sample(self._blocks[index][block], seed)
        return draws + self._shifts[index] if self._shifts[index] else draws

    def __getitem__(self, index: int) -> FloatArray:
        return np.concatenate(
            [self._block(index, block) for block in range(len(self._blocks[index]))]
        )

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[index] for index in range(len(self._samplers)))


def gaussian_density(mean: float, std: float, n_points: int) -> tuple[FloatArray, FloatArray]:
    """The Gaussian curve, 3.5 standard deviations to either side.

    Examples
    --------
    >>> gaussian_density(2.0, 0.5, n_points=3)[0]
    array([0.25, 2.  , 3.75])
    """
    if not std > 0.0:
        return np.array([mean]), np.array([np.inf])
    steps = np.linspace(-3.5, 3.5, n_points)
    return mean + std * steps, np.exp(-0.5 * steps**2) / (sqrt(2.0 * pi) * std)
