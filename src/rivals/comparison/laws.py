"""The laws of the risk, applied to all models of a comparison: each gives moments, draws, and decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np

from rivals._random import COMPARISON_DRAWS
from rivals._types import BoolArray, FloatArray
from rivals.comparison.between import Between, Remembered, knots, mixed, weight_of
from rivals.comparison.draws import KEPT, Draws, Gaussian, Sampler
from rivals.comparison.settings import Settings
from rivals.core.groups import group_probabilities, group_summary
from rivals.core.process import HierarchicalBetaProcess, RiskSampler
from rivals.core.sampling_error import MeanErrors, mean_covariance
from rivals.core.transport import TransportPairs, unit_exponent, wasserstein_squares
from rivals.core.verdict import Duel, decide, probability_matrix, reject, rejected
from rivals.losses import Losses, common_reference, excess_empirical_risks

Correct = Callable[[FloatArray], FloatArray]

# Verdicts of single simulations, which say how stable a verdict is, need no more than this many draws of each risk, nor
# more levels than the paper's.
STABILITY_DRAWS, STABILITY_DEPTH = 2000, 8

# Draws beyond the first of each model, of all models together: a gigabyte. Duels that would need more stay undecided.
MOST_MORE_DRAWS = 2**27

# Of more values of c than this, law "beta" computes some and interpolates the others.
MANY_VALUES = 64

# What a law keeps of one model when its simulations are not kept.
Summary: TypeAlias = Any


class Law(Protocol):
    """What every law offers; risks are relative to the reference, models in the order given."""

    reference: float
    empirical: FloatArray  # mean observed loss less the reference

    @property
    def risk_mean(self) -> FloatArray:
        """Mean of the risk of each model."""

    @property
    def risk_std(self) -> FloatArray:
        """Its standard deviation."""

    @property
    def end_point_share(self) -> FloatArray:
        """The fraction of its variance due to the end points; nan if the law has none."""

    @property
    def distance(self) -> FloatArray:
        """W, the transport distance of simulated from observed losses; nan under other laws."""

    @property
    def critical_c(self) -> FloatArray:
        """The largest c at which each model is rejected, where that has a closed form; else nan."""

    @property
    def probability(self) -> FloatArray | TransportPairs | None:
        """[a, b] = P(R_a < R_b) in closed form, where there is one: an array, or what makes it when asked for one."""

    def at(self, c: float) -> Law:
        """The same law at another c; what does not depend on c is kept."""

    def at_each(self, values: Sequence[float]) -> Iterator[Law]:
        """The same at many values of c, in ascending order. Use each before you take the next."""

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        """The duels that reject a model, and those too close to call."""

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """[a, b] = P(R_a < R_b), and its Monte Carlo standard error."""

    def draws(self) -> Sequence[FloatArray]:
        """Draws of the risk of each model."""

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        """[s, a]: whether simulation s alone would reject model a."""


def law_of(losses: Sequence[Losses], settings: Settings, summaries: Sequence[Summary] | None = None) -> Law:
    """The law that the settings name, for these losses, or for what `summary_of` kept of their simulations."""
    if settings.law == "groups":
        return GroupsLaw(losses, settings)
    if settings.law == "transport":
        return TransportLaws(losses, settings, summaries)
    # Spread for the process alone: which point of a tie gets which offset is arbitrary, and no matter of paired errors.
    return BetaLaw([_for_process(sample, settings) for sample in losses], settings, summaries)


def summary_of(losses: Losses, settings: Settings) -> Summary:
    """All that the law needs of one model's simulations, so that these need not be kept."""
    if settings.law == "groups":
        return None
    if settings.law == "transport":
        excess = losses.observed - losses.reference
        unit = unit_exponent(excess)
        squares = wasserstein_squares(np.ldexp(excess, -unit), np.ldexp(losses.simulations - losses.reference, -unit))
        return np.ldexp(np.sqrt(squares), unit)
    return BetaRisk.of(_for_process(losses, settings), settings, losses.reference)


def _for_process(sample: Losses, settings: Settings) -> Losses:
    return sample.spread_ties() if settings.ties == "spread" else sample


@dataclass(frozen=True, eq=False)
class BetaRisk:
    """The law of the risk of one model, and under each of its simulations alone: little beside the process."""

    reference: float
    mean: float
    std: float
    end_point_share: float
    sampler: Sampler
    singles: list[RiskSampler]

    @classmethod
    def of(cls, sample: Losses, settings: Settings, reference: float) -> BetaRisk:
        process = HierarchicalBetaProcess.from_losses(sample, settings.c, settings.depth, reference=reference)
        singles = process.single_samplers(STABILITY_DEPTH) if sample.n_simulations > 1 else []
        return cls.of_process(process, singles)

    @classmethod
    def of_process(cls, process: HierarchicalBetaProcess, singles: list[RiskSampler]) -> BetaRisk:
        moments = process.risk_mean, process.risk_std, process.end_point_share
        return cls(process.reference, *moments, process.sampler, singles)


class BetaLaw:
    """The hierarchical beta process of each model: draws, more of them where the threshold is close."""

    def __init__(
        self, losses: Sequence[Losses], settings: Settings, summaries: Sequence[BetaRisk] | None = None
    ) -> None:
        self._losses, self._settings = losses, settings
        self.reference = common_reference(losses)
        self.empirical = excess_empirical_risks(losses, self.reference)
        self.distance = self.critical_c = np.full(len(losses), np.nan)
        self.probability = None
        self._remembered: list[Remembered] = []
        if summaries is not None:
            self._risks = list(summaries)

    def at(self, c: float) -> BetaLaw:
        other = BetaLaw(self._losses, replace(self._settings, c=c))
        other._processes = [process.at(c) for process in self._processes]
        other._risks = [BetaRisk.of_process(process, []) for process in other._processes]
        return other

    def at_each(self, values: Sequence[float]) -> Iterator[BetaLaw]:
        # Interpolation remembers the draws of two neighbours: of very many models that would take too much memory.
        if len(values) <= MANY_VALUES or len(self._losses) * self._settings.n_draws > KEPT:
            return map(self.at, values)
        return self._interpolated(values)

    def _interpolated(self, values: Sequence[float]) -> Iterator[BetaLaw]:
        """As `at` at some of the values; between these, quantile functions and moments of the neighbours, averaged."""
        low = self._remembering_at(values[0])
        yield low
        for first, last in pairwise(knots(values)):
            high = self._remembering_at(values[last])
            for c in values[first + 1 : last]:
                yield low._between(high, c)
            yield high
            low._forget()
            low = high
        low._forget()

    def _remembering_at(self, c: float) -> BetaLaw:
        law = self.at(c)
        law._remembered = [Remembered(risk.sampler) for risk in law._risks]
        law._risks = [replace(risk, sampler=sampler) for risk, sampler in zip(law._risks, law._remembered, strict=True)]
        return law

    def _forget(self) -> None:
        for sampler in self._remembered:
            sampler.forget()

    def _between(self, high: BetaLaw, c: float) -> BetaLaw:
        other = BetaLaw(self._losses, replace(self._settings, c=c))
        weight = weight_of(c, self._settings.c, high._settings.c)
        samplers = [Between(*pair, weight) for pair in zip(self._remembered, high._remembered, strict=True)]
        other._risks = [
            BetaRisk(
                risk.reference,
                mixed(risk.mean, further.mean, weight),
                mixed(risk.std, further.std, weight),
                mixed(risk.end_point_share, further.end_point_share, weight),
                sampler,
                [],
            )
            for risk, further, sampler in zip(self._risks, high._risks, samplers, strict=True)
        ]
        return other

    @cached_property
    def _processes(self) -> list[HierarchicalBetaProcess]:
        """With all that does not depend on c: for other values of it."""
        c, depth = self._settings.c, self._settings.depth
        return [HierarchicalBetaProcess.from_losses(each, c, depth, reference=self.reference) for each in self._losses]

    @cached_property
    def _risks(self) -> list[BetaRisk]:
        return [BetaRisk.of(sample, self._settings, self.reference) for sample in self._losses]

    @cached_property
    def risk_mean(self) -> FloatArray:
        return np.array([risk.mean for risk in self._risks])

    @cached_property
    def risk_std(self) -> FloatArray:
        return np.array([risk.std for risk in self._risks])

    @cached_property
    def end_point_share(self) -> FloatArray:
        return np.array([risk.end_point_share for risk in self._risks])

    @cached_property
    def _shifts(self) -> FloatArray:
        """From the reference of each model to the common one; zero unless simulations are not kept."""
        return np.array([risk.reference - self.reference for risk in self._risks])

    @cached_property
    def _draws(self) -> Draws:
        samplers = [risk.sampler for risk in self._risks]
        return Draws(samplers, self._shifts, self._settings.entropy, self._settings.n_draws)

    @cached_property
    def _sorted(self) -> list[FloatArray]:
        return [np.sort(draws) for draws in self._draws]

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return decide(self.empirical, self._sorted, self._settings.threshold, self._more)

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return probability_matrix(self._sorted)

    def draws(self) -> Sequence[FloatArray]:
        return self._draws

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        n_models, threshold = len(self._risks), self._settings.threshold
        found = np.zeros((len(self._risks[0].singles), n_models), dtype=bool)
        for index in range(len(found)):
            draws = [np.sort(self._single_draws(model, index)) for model in range(n_models)]
            if correct is None:
                found[index] = rejected(self.empirical, draws, threshold)
            else:
                rejections = reject(self.empirical, correct(probability_matrix(draws)[0]), threshold)
                found[index, list(rejections)] = True
        return found

    def _single_draws(self, model: int, index: int) -> FloatArray:
        seed = np.random.SeedSequence(self._settings.entropy, spawn_key=(COMPARISON_DRAWS, model, 0))
        draws = self._risks[model].singles[index].sample(STABILITY_DRAWS, seed)
        return np.asarray(draws + self._shifts[model])

    def _more(self, index: int) -> bool:
        """Double the draws of one model; False where that would be more than `max_draws`, or more than memory is for."""
        size = self._sorted[index].size
        n_more = min(size, self._settings.max_draws - size)
        if n_more < 1 or sum(self._draws.sizes()) - len(self._draws) * self._settings.n_draws > MOST_MORE_DRAWS:
            return False
        self._sorted[index] = np.sort(np.concatenate([self._sorted[index], self._draws.more(index, n_more)]))
        return True


class ClosedForm:
    """What laws share whose probabilities are known without sampling: Gaussian risks."""

    risk_mean: FloatArray
    risk_std: FloatArray

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        self._losses, self._settings = losses, settings
        self.reference = common_reference(losses)
        self.empirical = excess_empirical_risks(losses, self.reference)
        self.end_point_share = np.full(len(losses), np.nan)

    def _in_unit(self) -> tuple[FloatArray, int]:
        """Losses less the reference (models × points), in units of a power of two in which squares are safe."""
        excess = np.stack([sample.observed for sample in self._losses])
        excess -= self.reference
        unit = unit_exponent(excess)
        return (np.ldexp(excess, -unit) if unit else excess), unit

    def draws(self) -> Draws:
        # The marginal law of each model, as pictures show it; duels take the paired error from the closed form.
        laws = [
            Gaussian(float(mean - self.reference), float(std))
            for mean, std in zip(self.risk_mean, self.risk_std, strict=True)
        ]
        return Draws(laws, np.zeros(len(laws)), self._settings.entropy, self._settings.n_draws)


class TransportLaws(ClosedForm):
    """Mean loss + √c W z + e of every model, e the paired sampling error."""

    def __init__(
        self, losses: Sequence[Losses], settings: Settings, summaries: Sequence[FloatArray] | None = None
    ) -> None:
        super().__init__(losses, settings)
        excess, self._unit = self._in_unit()
        if summaries is None:
            squares = [wasserstein_squares(row, self._simulations(index)) for index, row in enumerate(excess)]
        else:
            squares = [np.ldexp(distances, -self._unit) ** 2 for distances in summaries]
        errors = MeanErrors.of(excess, order=settings.order, groups=settings.groups)
        self.risk_mean = self.reference + self.empirical
        means = np.ldexp(self.empirical, -self._unit)
        # [simulation, model]
        self._set(TransportPairs(means, np.stack(squares, axis=1), errors, settings.c, settings.threshold))

    def _simulations(self, index: int) -> FloatArray:
        excess = self._losses[index].simulations - self.reference
        return np.ldexp(excess, -self._unit) if self._unit else excess

    def at(self, c: float) -> TransportLaws:
        other = copy(self)
        other._settings = replace(self._settings, c=c)
        other._set(replace(self.probability, c=c))
        return other

    def at_each(self, values: Sequence[float]) -> Iterator[TransportLaws]:
        return map(self.at, values)

    def _set(self, pairs: TransportPairs) -> None:
        """All that depends on c."""
        self.probability = pairs
        self.risk_std = np.ldexp(pairs.risk_std, self._unit)
        self.distance = np.ldexp(np.sqrt(pairs.squares), self._unit)

    @property
    def critical_c(self) -> FloatArray:
        return self.probability.verdict.critical_c

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        pairs = self.probability
        rejections = {}
        for model in np.argsort(self.empirical, kind="stable").tolist():
            rival = int(pairs.verdict.first_rival[model])
            if rival >= 0:
                probability = pairs.probability(np.array([rival]), np.array([model]))[0, 0]
                rejections[model] = Duel(model, rival, float(probability), 0.0)
        return rejections, []

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        matrix = self.probability.matrix()
        return matrix, np.zeros_like(matrix)

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is None:
            return self.probability.verdict.rejected_by_simulation
        found = np.zeros(self.probability.single_squares.shape, dtype=bool)
        for index, squares in enumerate(self.probability.single_squares):
            matrix = correct(replace(self.probability, single_squares=squares[None, :]).matrix())
            found[index, list(reject(self.empirical, matrix, self._settings.threshold))] = True
        return found


class GroupsLaw(ClosedForm):
    """The spread between groups that are replications: no simulations, no c."""

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        super().__init__(losses, settings)
        self.distance = self.critical_c = np.full(len(losses), np.nan)
        means, covariances, unit = self._by_group()
        summary = group_summary(means, covariances)
        self.risk_mean = self.reference + np.ldexp(summary.risk_mean, unit)
        self.risk_std = np.ldexp(summary.risk_std, unit)
        self.difference, self.spread = np.ldexp(summary.difference, unit), np.ldexp(summary.spread, unit)
        self.probability = group_probabilities(means, covariances)

    def at(self, c: float) -> GroupsLaw:
        raise ValueError("law 'groups' has no c to sweep over; compare under law 'transport' or 'beta'")

    def at_each(self, values: Sequence[float]) -> Iterator[GroupsLaw]:
        return map(self.at, values)

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return reject(self.empirical, self.probability, self._settings.threshold), []

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return self.probability, np.zeros_like(self.probability)

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        return np.zeros((0, len(self._losses)), dtype=bool)

    def _by_group(self) -> tuple[FloatArray, FloatArray, int]:
        """Mean losses (models × groups), the covariance of these means within each group, and the unit of both."""
        groups = self._settings.groups
        assert groups is not None  # `compare` asks for them under this law
        excess, unit = self._in_unit()
        parts = [excess[:, groups == label] for label in range(int(groups.max()) + 1)]
        means = np.stack([part.mean(axis=1) for part in parts], axis=1)
        return means, np.stack([mean_covariance(part, order=self._settings.order) for part in parts]), unit
