"""What every law of the risk offers.

What it says of itself, and what it answers about all models.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isinf, isnan, nan
from os import PathLike, fspath
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import ndtri

from rivals._say.arguments import check_positive
from rivals._say.words import show
from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.more_groups import Outlook
from rivals.core.sampling_error import mean_error
from rivals.laws.differences import Differences, Sampled
from rivals.laws.draws import N_DRAWS, Draws, Gaussian, Sampler, gaussian_density
from rivals.laws.setting import Setting
from rivals.losses import Losses
from rivals.method.rule import Duel, reject

Correct = Callable[[FloatArray], FloatArray]

# With fewer losses than this, their tails are not known; with fewer than that, not even their
# quartiles.
FEW_LOSSES = 300
VERY_FEW_LOSSES = 32
# A reference may cost a model digits below this fraction of the range of its losses. If the losses
# are as large as the reference, these digits are already lost.
DIGITS_LOST = 1e-6
FAR_BELOW = 1e-3


class Measured(NamedTuple):
    """What became of winners stated on real data: in %, with its standard error; how many were."""

    error: float
    standard_error: float
    stated: float = nan


@dataclass(frozen=True)
class Law(ABC):
    """A law of the risk: its name, what it needs, what it says of itself.

    Its fields are its own options. A new law is a subclass with a `name` and `apply`, and one line
    in `rivals.laws.LAWS`.
    """

    name: ClassVar[str]
    default_c: ClassVar[float] = nan
    grid: ClassVar[tuple[float, ...]] = ()  # values of c to calibrate, and to sweep over
    needs_simulations: ClassVar[bool] = True
    needs_groups: ClassVar[bool] = False
    closed_form: ClassVar[bool] = True  # no Monte Carlo error
    of_this_paper: ClassVar[bool] = False  # the process of René & Longtin (2025)
    # With or without simulations → (question, number of groups) → what became of stated winners:
    # benchmarks/results/expected_error.json. The question is "next", "study" or "all"; without
    # groups their number is 1. Nothing where it was not measured.
    measured: ClassVar[Mapping[bool, Mapping[tuple[str, int], Measured]]] = {}

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
        fields = type(self).__dataclass_fields__
        options = self.options().items()
        given = {key: value for key, value in options if value != fields[key].default}
        if not given:
            return repr(self.name)
        inside = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return f"rivals.laws.{type(self).__name__}({inside})"

    # ---------------------------------------------------------------- use
    def checked_c(self, c: Any, n_simulations: int) -> float:
        """The c to apply the law with: that given, or its own; nan where it has none."""
        if not self.uses_c(n_simulations):
            if c is None:
                return nan
            raise ValueError(
                f"law {self.name!r} has no c here: got c = {c!r}; leave c out, or compare under a "
                "law that has one"
            )
        if isinstance(c, (str, PathLike)):
            raise TypeError(
                f"c must be a number; got {show(fspath(c))!r}. If this is the store of a "
                f"calibration, pass c=rivals.calibration.open_store({show(fspath(c))!r})"
            )
        return check_positive(self.default_c if c is None else c, "c")

    @abstractmethod
    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> Applied:
        """The law of the risks of these models.

        `summaries` replace simulations that were not kept.
        """

    def in_experiments(self) -> Law:
        """The law as a calibration applies it.

        One probability among thousands need not be as exact.
        """
        return self

    def summary(self, losses: Losses, setting: Setting) -> Any:
        """All that the law needs of the simulations of one model: these need not be kept then."""
        return None

    def check(self, losses: Losses, setting: Setting) -> None:
        """Refuse losses of one model that the law cannot use."""
        if self.needs_simulations and losses.n_simulations == 0:
            raise ValueError(
                f"no synthetic losses, and law {self.name!r} measures how far simulations are "
                "from the data; pass (observed, synthetic), or groups= with the replication of "
                "each point (three or more; of a data frame, the name of their column), which "
                "needs none"
            )

    def doubts(self, losses: Losses) -> list[tuple[str, str]]:
        """What makes the answer for a model less reliable than it looks: pairs (code, text)."""
        smaller = losses.n_observed
        if losses.n_simulations:
            smaller = min(smaller, losses.n_synthetic)
        enough = VERY_FEW_LOSSES if self.needs_groups else FEW_LOSSES
        if smaller >= enough:
            return []
        code = "very_few_points" if smaller < VERY_FEW_LOSSES else "few_points"
        text = f"only {smaller} losses, too few to know their tails: take probabilities as rough"
        return [(code, text)]


@dataclass(frozen=True, eq=False)
class Centre:
    """What is subtracted from all losses first, and the mean losses about it."""

    reference: float
    empirical: FloatArray

    @classmethod
    def of(cls, losses: Sequence[Losses]) -> Centre:
        """Of the losses of all models."""
        reference = common_reference(losses)
        means = [np.mean(sample.observed - reference) for sample in losses]
        return cls(reference, np.array(means))


class Applied(ABC):
    """A law, applied to the losses of all models: their risks, every pair, and the verdict.

    It never changes: at another c, threshold, margin or number of new groups there is another one.
    Models are in the order given; risks are less `reference`, a typical loss of the best model,
    unless they are called `risk_mean`.

    Parameters
    ----------
    law : Law
    losses : sequence of Losses
    setting : Setting
    summaries : sequence, optional
        What `Law.summary` kept of simulations that were not kept.
    centre : Centre, optional
        Where it is known already.

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
        *,
        centre: Centre | None = None,
    ) -> None:
        self.law = law
        self.losses = list(losses)
        self.setting = setting
        self.summaries = summaries
        self.centre = Centre.of(self.losses) if centre is None else centre
        self.reference = self.centre.reference
        self.empirical = self.centre.empirical

    def settings(self) -> dict[str, Any]:
        """With the losses, enough to repeat the run: plain numbers and text.

        What is not a number is null.
        """
        setting = self.setting
        new_groups: int | str | None = None
        if setting.new_groups is not None:
            new_groups = "inf" if isinf(setting.new_groups) else int(setting.new_groups)
        return {
            "law": self.law.name,
            "options": self.law.options(),
            "c": None if isnan(setting.c) else setting.c,
            "threshold": setting.threshold,
            "margin": setting.margin,
            "new_groups": new_groups,
            "entropy": setting.entropy,
            "order": setting.order,
            "n_simulations": setting.n_simulations,
            "loss_unit": setting.loss_unit,
        }

    # ---------------------------------------------------------------- at other settings
    def changed(self, **changes: Any) -> Applied:
        """The same law with another c, threshold, margin or number of new groups."""
        return self.law.apply(self.losses, replace(self.setting, **changes), self.summaries)

    @property
    def knows_other_c(self) -> bool:
        """Whether `at` works: the simulations, or what the law needs of them, were kept."""
        return True

    def at(self, c: float) -> Applied:
        """The same law at another c; what does not depend on c is kept."""
        return self.changed(c=c)

    def at_each(self, values: Sequence[float]) -> Iterator[Applied]:
        """The same at many values of c. Use each before you take the next."""
        return map(self.at, values)

    def pairs_at_each(
        self, values: Sequence[float], first: IntArray, second: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """P(R_first < R_second) of some pairs at many values of c, [c, pair], and its error."""
        probabilities = np.empty((len(values), first.size))
        errors = np.empty_like(probabilities)
        for place, here in enumerate(self.at_each(values)):
            matrix, matrix_error = here.matrix()
            probabilities[place] = matrix[first, second]
            errors[place] = matrix_error[first, second]
        return probabilities, errors

    def quick(self) -> Applied:
        """The same with less effort, where a picture is enough."""
        return self

    # ---------------------------------------------------------------- every pair, and the verdict
    @abstractmethod
    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """[a, b] = P(R_a < R_b), and its Monte Carlo standard error."""

    def differences(self, first: IntArray, second: IntArray) -> Differences:
        """The law of R_first − R_second, of each of these pairs of models."""
        draws = [np.sort(sample) for sample in self.draws]
        return Sampled([draws[a] for a in first], [draws[b] for b in second])

    def judged(self, first: IntArray, second: IntArray) -> BoolArray:
        """Whether the losses of each of these pairs show anything of a replication."""
        return np.ones(first.size, dtype=bool)

    def exceedance(self) -> tuple[FloatArray, FloatArray]:
        """[a, b] = P(R_a < R_b − margin), which decides, and its Monte Carlo standard error."""
        if self.setting.margin == 0.0:
            return self.matrix()
        n_models = self.empirical.size
        first, second = np.nonzero(~np.eye(n_models, dtype=bool))
        better = np.zeros((n_models, n_models))
        limit = np.full(first.size, -self.setting.margin)
        better[first, second] = self.differences(first, second).below(limit)
        return better, np.zeros_like(better)

    def single_matrices(self) -> Iterator[FloatArray]:
        """`exceedance` under each simulation alone; nothing where there are not several."""
        return iter(())

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        """The duels that reject a model, and those too close to call."""
        return reject(self.empirical, self.exceedance()[0], self.setting.threshold), []

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        """[s, a]: whether simulation s alone would reject model a."""
        rows = []
        for matrix in self.single_matrices():
            probability = matrix if correct is None else correct(matrix)
            found = reject(self.empirical, probability, self.setting.threshold)
            rows.append([model in found for model in range(self.empirical.size)])
        return np.array(rows, dtype=bool)

    def over(self, new_groups: float) -> FloatArray:
        """[a, b] = P(the mean risk of a over so many new groups is lower than that of b)."""
        raise ValueError(
            f"law {self.law.name!r} knows no groups, so no number of new groups; pass groups=, the "
            "replication of each point, to compare"
        )

    # ---------------------------------------------------------------- the best beside each
    @cached_property
    def best(self) -> int:
        """The model of the lowest mean loss."""
        return int(np.argmin(self.empirical))

    def better_best(self) -> FloatArray:
        """The row of the best model, of `matrix`."""
        return np.asarray(self.matrix()[0][self.best])

    def over_best(self, new_groups: float) -> FloatArray:
        """The row of the best model, of `over`."""
        return np.asarray(self.over(new_groups)[self.best])

    def exceeds_best(self) -> tuple[FloatArray, FloatArray]:
        """The row and the column of the best model, of `exceedance`."""
        better = self.exceedance()[0]
        return better[self.best], better[:, self.best]

    @property
    def won_by_best(self) -> IntArray | None:
        """The row of the best model, of `won`."""
        return None if self.won is None else self.won[self.best]

    def outlook(self, a: int, b: int) -> Outlook:
        """What more groups may bring for a pair of models, under a law that knows groups."""
        raise NotImplementedError(f"law {self.law.name!r} knows no groups")

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
        pairs = zip(means.tolist(), self.risk_std.tolist(), strict=True)
        return [Gaussian(mean, std) for mean, std in pairs]

    @cached_property
    def draws(self) -> Draws:
        """Draws of the risk of each model: its marginal law.

        Paired errors are the business of `matrix`.
        """
        n_models = self.empirical.size
        setting = self.setting
        blocks = [(N_DRAWS,)] * n_models
        return Draws(self.samplers(), np.zeros(n_models), setting.entropy, setting.key, blocks)

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Ends of the central interval of each risk; those of 0/1 losses lie between 0 and 1."""
        low, high = self._interval(level)
        if not self._are_rates:
            return low, high
        ends = (-self.reference, 1.0 - self.reference)
        return np.clip(low, *ends), np.clip(high, *ends)

    @cached_property
    def _are_rates(self) -> bool:
        """Whether all losses are 0 or 1, so that a risk is a rate."""
        return all(np.isin(sample.observed, (0.0, 1.0)).all() for sample in self.losses)

    def _interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """The same, as the law has it."""
        reach = float(ndtri(0.5 + 0.5 * level)) * self.risk_std
        means = self.risk_mean - self.reference
        return means - reach, means + reach

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        """Density of one risk on a grid; one point of infinite density where it has no width."""
        mean = float(self.risk_mean[index] - self.reference)
        return gaussian_density(mean, float(self.risk_std[index]), n_points)

    def process(self, index: int) -> Any:
        """The process on quantile functions of one model, with `sample_paths`.

        None without one.
        """
        return None

    # ---------------------------------------------------------------- diagnostics
    @property
    def won(self) -> IntArray | None:
        """[a, b]: in how many groups a has the lower mean loss.

        None under a law without groups.
        """
        return None

    @property
    def distance(self) -> FloatArray:
        """W, the transport distance of simulated from observed losses.

        nan where the law has no use for it.
        """
        return np.full(self.empirical.size, nan)

    @property
    def critical_c(self) -> FloatArray:
        """The c below which each model is rejected, by the whole rule, stability included.

        nan where there is none, or where that is not known.
        """
        return np.full(self.empirical.size, nan)

    @cached_property
    def difference_errors(self) -> FloatArray:
        """Standard errors of the paired differences of the mean losses, each to the best
        model's.
        """
        setting = self.setting
        best = self.losses[int(np.argmin(self.empirical))].observed
        together = setting.clusters or setting.groups
        codes = None if together is None else together.codes
        errors = [
            mean_error(each.observed - best, order=setting.order, clusters=codes)
            for each in self.losses
        ]
        return np.array(errors)

    def remarks(self, names: Sequence[str]) -> list[str]:
        """What a reader of the verdict must know under this law, in sentences."""
        return []


def common_reference(samples: Sequence[Losses]) -> float:
    """A typical loss of the best model, subtracted from all losses first: an offset costs no
    digits.

    If that is so large that it would cost another model digits, as −1e17 beside losses of order
    one, it is the typical loss of least magnitude, which costs no model a digit.
    """
    reference = min(samples, key=lambda sample: sample.empirical_risk).reference
    if any(_costs_digits(reference, sample) for sample in samples):
        return min((sample.reference for sample in samples), key=abs)
    return reference


def _costs_digits(reference: float, losses: Losses) -> bool:
    """Whether losses far smaller than the reference would lose digits that matter, or all of
    them.
    """
    spread = float(losses.observed.max()) - float(losses.observed.min())
    finest = DIGITS_LOST * (spread or abs(losses.reference))
    far = abs(losses.reference) + spread < FAR_BELOW * abs(reference)
    return far and 0.0 < finest < float(np.spacing(abs(reference)))
