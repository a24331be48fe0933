"""The laws of the risk, applied to all models of a comparison: each gives moments, draws, and decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np

from rivals._random import COMPARISON_DRAWS, stream
from rivals._types import BoolArray, FloatArray
from rivals.comparison.settings import Settings
from rivals.core.groups import group_probabilities, group_summary
from rivals.core.process import MAX_DEPTH, HierarchicalBetaProcess
from rivals.core.sampling_error import mean_covariance
from rivals.core.transport import critical_c, transport_probability, wasserstein_squares
from rivals.core.verdict import Duel, decide, probability_matrix, reject
from rivals.losses import Losses, common_reference, excess_empirical_risks

Correct = Callable[[FloatArray], FloatArray]

# Verdicts of single simulations, which say how stable a verdict is, need no more than this many draws of each risk, nor
# more levels than the paper's.
STABILITY_DRAWS, STABILITY_DEPTH = 2000, 8


class Law(Protocol):
    """What every law offers; risks are relative to the reference, models in the order given."""

    reference: float
    empirical: FloatArray  # mean observed loss less the reference
    risk_mean: FloatArray
    risk_std: FloatArray
    end_point_share: FloatArray  # nan where the law knows no end points
    distance: FloatArray  # W, the transport distance of simulated from observed losses; nan under other laws
    critical_c: FloatArray  # the largest c at which each model is rejected, where that has a closed form; else nan

    @property
    def probability(self) -> FloatArray | None:
        """[a, b] = P(R_a < R_b) in closed form, where there is one."""

    def at(self, c: float) -> Law:
        """The same law at another c; what does not depend on c is kept."""

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        """The duels that reject a model, and those too close to call."""

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        """[a, b] = P(R_a < R_b), and its Monte Carlo standard error."""

    def draws(self) -> tuple[FloatArray, ...]:
        """Draws of the risk of each model."""

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        """[s, a]: whether simulation s alone would reject model a."""


def law_of(losses: Sequence[Losses], settings: Settings) -> Law:
    """The law that the settings name, for these losses."""
    if settings.law == "groups":
        return GroupsLaw(losses, settings)
    if settings.law == "transport":
        return TransportLaws(losses, settings)
    # Spread for the process alone: which point of a tie gets which offset is arbitrary, and no matter of paired errors.
    return BetaLaw([sample.spread_ties() for sample in losses] if settings.ties == "spread" else losses, settings)


class BetaLaw:
    """The hierarchical beta process of each model: draws, more of them where the threshold is close."""

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        self._losses = losses
        self.reference = common_reference(losses)
        self.empirical = excess_empirical_risks(losses, self.reference)
        self.distance = self.critical_c = np.full(len(losses), np.nan)
        self.probability: FloatArray | None = None
        self._settings = settings
        self._set([self._process(sample) for sample in losses])

    def at(self, c: float) -> BetaLaw:
        other = copy(self)
        other._settings = replace(self._settings, c=c)
        other._set([process.at(c) for process in self._processes])
        return other

    def _set(self, processes: list[HierarchicalBetaProcess]) -> None:
        """All that depends on c."""
        self._processes = processes
        self.risk_mean = np.array([process.risk_mean for process in processes])
        self.risk_std = np.array([process.risk_std for process in processes])
        self.end_point_share = np.array([process.end_point_share for process in processes])
        self._blocks = [[self._draw(index, 0, self._settings.n_draws)] for index in range(len(processes))]
        self._sorted = [np.sort(blocks[0]) for blocks in self._blocks]

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return decide(self.empirical, self._sorted, self._settings.threshold, self._more)

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return probability_matrix(self._sorted)

    def draws(self) -> tuple[FloatArray, ...]:
        return tuple(np.concatenate(blocks) for blocks in self._blocks)

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        singles = [sample.singles() for sample in self._losses]
        rejected = np.zeros((len(singles[0]), len(singles)), dtype=bool)
        for index, samples in enumerate(zip(*singles, strict=True)):
            draws = [
                np.sort(
                    self._process(sample, STABILITY_DEPTH).sample_excess_risk(STABILITY_DRAWS, self._seed(model, 0))
                )
                for model, sample in enumerate(samples)
            ]
            if correct is None:
                rejections, _ = decide(self.empirical, draws, self._settings.threshold, lambda _: False)
            else:
                rejections = reject(self.empirical, correct(probability_matrix(draws)[0]), self._settings.threshold)
            rejected[index, list(rejections)] = True
        return rejected

    def _process(self, sample: Losses, max_depth: int = MAX_DEPTH) -> HierarchicalBetaProcess:
        return HierarchicalBetaProcess.from_losses(
            sample, self._settings.c, self._settings.depth, max_depth=max_depth, reference=self.reference
        )

    def _more(self, index: int) -> bool:
        """Double the draws of one model; False where that would be more than `max_draws`."""
        size = self._sorted[index].size
        n_more = min(size, self._settings.max_draws - size)
        if n_more < 1:
            return False
        self._blocks[index].append(self._draw(index, len(self._blocks[index]), n_more))
        self._sorted[index] = np.sort(np.concatenate(self._blocks[index]))
        return True

    def _draw(self, index: int, block: int, n_draws: int) -> FloatArray:
        return self._processes[index].sample_excess_risk(n_draws, self._seed(index, block))

    def _seed(self, index: int, block: int) -> np.random.SeedSequence:
        # Streams are keyed by the model's position and the block, so they depend on nothing else.
        return np.random.SeedSequence(self._settings.entropy, spawn_key=(COMPARISON_DRAWS, index, block))


class ClosedForm:
    """What laws share whose probabilities are known without sampling: Gaussian risks, and the rule on a matrix."""

    reference: float
    empirical: FloatArray
    risk_mean: FloatArray
    risk_std: FloatArray
    probability: FloatArray

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        self._losses, self._settings = losses, settings
        self.reference = common_reference(losses)
        self.empirical = excess_empirical_risks(losses, self.reference)
        self.end_point_share = np.full(len(losses), np.nan)
        self.distance = self.critical_c = np.full(len(losses), np.nan)
        self._excess = np.stack([sample.observed for sample in losses]) - self.reference

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return reject(self.empirical, self.probability, self._settings.threshold), []

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return self.probability, np.zeros_like(self.probability)

    def draws(self) -> tuple[FloatArray, ...]:
        # The marginal law of each model, as pictures show it; duels take the paired error from the closed form.
        excess = self.risk_mean - self.reference
        return tuple(
            excess[index]
            + self.risk_std[index]
            * stream(self._settings.entropy, COMPARISON_DRAWS, index, 0).standard_normal(self._settings.n_draws)
            for index in range(excess.size)
        )


class TransportLaws(ClosedForm):
    """Mean loss + √c W z + e of every model, e the paired sampling error."""

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        super().__init__(losses, settings)
        # [simulation, model]
        self._squares = np.stack(
            [
                wasserstein_squares(excess, sample.simulations - self.reference)
                for excess, sample in zip(self._excess, losses, strict=True)
            ],
            axis=1,
        )
        self._covariance = mean_covariance(self._excess, order=settings.order, groups=settings.groups)
        self.distance = np.sqrt(self._squares.mean(axis=0))
        self.risk_mean = self.reference + self.empirical
        self.critical_c = critical_c(self.empirical, self.distance**2, self._covariance, settings.threshold)
        self._set()

    def at(self, c: float) -> TransportLaws:
        other = copy(self)
        other._settings = replace(self._settings, c=c)
        other._set()
        return other

    def _set(self) -> None:
        """All that depends on c."""
        squares = self._squares.mean(axis=0)
        self.risk_std = np.sqrt(self._settings.c * squares + np.diagonal(self._covariance))
        self.probability = self._probability(squares)

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        rejected = np.zeros(self._squares.shape, dtype=bool)
        for index, squares in enumerate(self._squares):
            probability = self._probability(squares)
            matrix = probability if correct is None else correct(probability)
            rejected[index, list(reject(self.empirical, matrix, self._settings.threshold))] = True
        return rejected

    def _probability(self, squares: FloatArray) -> FloatArray:
        return transport_probability(self.empirical, squares, self._covariance, self._settings.c)


class GroupsLaw(ClosedForm):
    """The spread between groups that are replications: no simulations, no c."""

    def __init__(self, losses: Sequence[Losses], settings: Settings) -> None:
        super().__init__(losses, settings)
        means, covariances = self._by_group
        summary = group_summary(means, covariances)
        self.risk_mean, self.risk_std = self.reference + summary.risk_mean, summary.risk_std
        self.difference, self.spread = summary.difference, summary.spread
        self.probability = group_probabilities(means, covariances)

    def at(self, c: float) -> GroupsLaw:
        raise ValueError("law 'groups' has no c to sweep over; compare under law 'transport' or 'beta'")

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        return np.zeros((0, len(self._losses)), dtype=bool)

    @cached_property
    def _by_group(self) -> tuple[FloatArray, FloatArray]:
        """Mean losses (models × groups), and the covariance of these means within each group."""
        groups = self._settings.groups
        assert groups is not None  # `compare` asks for them under this law
        parts = [self._excess[:, groups == label] for label in range(int(groups.max()) + 1)]
        means = np.stack([part.mean(axis=1) for part in parts], axis=1)
        return means, np.stack([mean_covariance(part, order=self._settings.order) for part in parts])
