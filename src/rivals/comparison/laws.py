"""From losses to what the law of the risk says about all models: its moments, its draws, and the duels it decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rivals._checks import check_depth, check_positive, check_size, check_threshold
from rivals._random import COMPARISON_DRAWS
from rivals._types import FloatArray
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.verdict import Duel, decide
from rivals.losses import Losses, common_reference, excess_empirical_risks

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever the distributions.
N_DRAWS = 12_000
MAX_DRAWS = 2**18


@dataclass(frozen=True)
class Settings:
    """With what a comparison is made: enough, with the losses, to repeat it."""

    c: float
    threshold: float
    n_draws: int
    max_draws: int
    depth: int | None
    entropy: int

    def __post_init__(self) -> None:
        n_draws = check_size(self.n_draws, "n_draws", least=2)
        checked = {
            "c": check_positive(self.c, "c"),
            "threshold": check_threshold(self.threshold),
            "n_draws": n_draws,
            "max_draws": max(check_size(self.max_draws, "max_draws"), n_draws),
            "depth": None if self.depth is None else check_depth(self.depth),
        }
        for name, value in checked.items():  # the class is frozen
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class Judged:
    """What the law says, models in the order given; risks are relative to the reference."""

    reference: float
    excess_empirical_risk: FloatArray
    excess_risks: tuple[FloatArray, ...] = field(repr=False)  # draws, of each model its own number of them
    risk_mean: tuple[float, ...]
    risk_std: tuple[float, ...]
    end_point_share: tuple[float, ...]
    rejections: dict[int, Duel]
    undecided: list[Duel]


def judge(losses: Sequence[Losses], settings: Settings) -> Judged:
    """Draw the risks of all models, and find those that some rival reproducibly beats."""
    reference = common_reference(losses)
    empirical = excess_empirical_risks(losses, reference)
    processes = [
        HierarchicalBetaProcess.from_losses(sample, settings.c, settings.depth, reference=reference)
        for sample in losses
    ]
    draws = Draws(processes, settings)
    rejections, undecided = decide(empirical, draws.sorted, settings.threshold, draws.more)
    return Judged(
        reference=reference,
        excess_empirical_risk=empirical,
        excess_risks=tuple(np.concatenate(blocks) for blocks in draws.blocks),
        risk_mean=tuple(process.risk_mean for process in processes),
        risk_std=tuple(process.risk_std for process in processes),
        end_point_share=tuple(process.end_point_share for process in processes),
        rejections=rejections,
        undecided=undecided,
    )


class Draws:
    """Draws of the risk of every model, in blocks that are added where a verdict needs more of them."""

    def __init__(self, processes: list[HierarchicalBetaProcess], settings: Settings) -> None:
        self._processes, self._settings = processes, settings
        self.blocks = [[self._draw(index, 0, settings.n_draws)] for index in range(len(processes))]
        self.sorted = [np.sort(blocks[0]) for blocks in self.blocks]

    def more(self, index: int) -> bool:
        """Double the draws of one model; False where that would be more than `max_draws`."""
        size = self.sorted[index].size
        n_more = min(size, self._settings.max_draws - size)
        if n_more < 1:
            return False
        self.blocks[index].append(self._draw(index, len(self.blocks[index]), n_more))
        self.sorted[index] = np.sort(np.concatenate(self.blocks[index]))
        return True

    def _draw(self, index: int, block: int, n_draws: int) -> FloatArray:
        # Streams are keyed by the model's position and the block, so they depend on nothing else.
        seed = np.random.SeedSequence(self._settings.entropy, spawn_key=(COMPARISON_DRAWS, index, block))
        return self._processes[index].sample_excess_risk(n_draws, seed)
