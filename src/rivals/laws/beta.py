"""Law "beta": the hierarchical beta process of the original paper.

Assumption. The quantile function of a replication strays from q* by δ = |q~ − q*|, independently in each interval that is
halved: q^(0) and q^(1) are normal with variance c δ², and each midpoint divides the rise of its interval by x ~ Beta(α, β).

Formula. ψ(α) − ψ(β) = ln r and ψ₁(α) + ψ₁(β) = 2 c δ², with r the ratio of both rises of q*. Mean and variance of R = ∫ q^
follow bottom-up, exactly; probabilities come from draws. `core/process.py` has the process of one model, `docs/theory.md` the
derivations. With one simulation this is the paper's process, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rivals._checks import check_depth, check_size
from rivals._types import BoolArray, FloatArray
from rivals.core.density import density_of_draws
from rivals.core.process import HierarchicalBetaProcess, RiskSampler, processes_at_each
from rivals.core.verdict import Duel, binned_probabilities, decide, probability_matrix, rejected
from rivals.laws.base import N_DRAWS, Applied, Correct, Law, Setting
from rivals.laws.draws import Draws, draw_seed
from rivals.losses import Losses

MAX_DRAWS = 2**18
# In an experiment of a calibration: a standard error of the probability of at most 0.011.
CALIBRATION_DRAWS = 2**11
# Where a picture is enough: an error of at most 0.008.
QUICK_DRAWS = 4000
# With more models than this, quick probabilities are counted in bins.
PAIR_BY_PAIR = 8

# Verdicts of single simulations, which say how stable a verdict is, have this many draws of each risk and levels. In 12
# comparisons of 12 models the stability differed by 0.006 on average from that with 16 000 draws and 10 levels; by 0.004 with
# 2 000 draws and 8 levels, which take 1.7 times as long.
STABILITY_DRAWS, STABILITY_DEPTH = 1000, 6

# Draws beyond the first of each model, of all models together: a gigabyte. Duels that would need more stay undecided.
MOST_MORE_DRAWS = 2**27

HEAVY_TIES = 0.5
UNEQUAL_SIZES = 2.0


@dataclass(frozen=True)
class Beta(Law):
    """Law "beta": the hierarchical beta process of the original paper.

    Parameters
    ----------
    depth : int, optional
        Number of times that intervals are halved; by default as deep as the data resolve. The paper has 8.
    n_draws : int, optional
        Draws of the risk of each model; 12 000 by default, 2 048 in an experiment of a calibration.
    max_draws : int
        More are drawn, up to this number, if a probability lies within two standard errors of the threshold. Pairs that
        remain too close to call are listed in the result.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> law = rivals.laws.Beta(depth=8, n_draws=2**14)
    >>> rivals.compare(toys.losses(), law=law, c=1.0, rng=0).survivors
    ('A',)
    """

    depth: int | None = None
    n_draws: int | None = None
    max_draws: int = MAX_DRAWS

    name: ClassVar[str] = "beta"
    # The original paper's first choice: it abstains.
    default_c: ClassVar[float] = 1.0
    grid: ClassVar[tuple[float, ...]] = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0)
    closed_form: ClassVar[bool] = False
    of_this_paper: ClassVar[bool] = True
    about: ClassVar[str] = (
        "No c suits every problem. It is specific to a loss, its unit and the number of points. Probabilities at a c that was chosen "
        "by hand are not calibrated. Use groups where the data have them, or rivals.calibrate, to find c and a curve from simulated "
        "experiments with fresh replications."
    )
    method: ClassVar[str] = (
        "The risk of a model, its mean loss in a replication, was drawn from a hierarchical beta process on quantile functions of the "
        "loss (René and Longtin, 2025)."
    )
    method_of_c: ClassVar[str] = (
        "Its variance grows with c δ², with δ the distance between the quantile functions of the losses on the data and on data that the "
        "model simulated itself (law beta)."
    )
    about_c: ClassVar[str] = (
        "Under law “beta” a larger c also moves the risk of models that fit badly, so verdicts need not become more cautious. At values "
        f"of c other than the run’s, probabilities come from at most {QUICK_DRAWS} draws of each risk: verdicts near the threshold are "
        "then marked as undecided."
    )

    def __post_init__(self) -> None:
        if self.depth is not None:
            object.__setattr__(self, "depth", check_depth(self.depth))
        if self.n_draws is not None:
            object.__setattr__(self, "n_draws", check_size(self.n_draws, "n_draws", least=2))
        object.__setattr__(self, "max_draws", check_size(self.max_draws, "max_draws"))

    def apply(self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None) -> BetaRisks:
        return BetaRisks(self, losses, setting, summaries)

    def in_experiments(self) -> Beta:
        return self if self.n_draws is not None else replace(self, n_draws=CALIBRATION_DRAWS)

    def summary(self, losses: Losses, setting: Setting) -> BetaRisk:
        """The law of the risk, ready to be drawn from."""
        return BetaRisk.of(_process(losses, setting.c, self.depth, losses.reference), several=losses.n_simulations > 1)

    def doubts(self, losses: Losses) -> list[tuple[str, str]]:
        doubts = super().doubts(losses)
        if losses.tie_fraction > HEAVY_TIES:
            ties = f"{losses.tie_fraction:.0%} of its losses are tied: there the process has no spread and says too little about replications"
            doubts.append(("ties", f"{ties}; use law 'transport', or Losses.spread_ties(), or a continuous score"))
        if losses.n_simulations and not 1 / UNEQUAL_SIZES <= losses.n_synthetic / losses.n_observed <= UNEQUAL_SIZES:
            sizes = f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses: the extremes differ even for a perfect model"
            doubts.append(
                ("unequal_sizes", f"{sizes}, which widens its risk; simulate as many points as were observed")
            )
        return doubts


@dataclass(frozen=True, eq=False)
class BetaRisk:
    """The law of the risk of one model, and under each of its simulations alone: little beside the process."""

    reference: float
    mean: float
    std: float
    sampler: RiskSampler
    singles: list[RiskSampler]

    @classmethod
    def of(cls, process: HierarchicalBetaProcess, *, several: bool) -> BetaRisk:
        singles = process.single_samplers(STABILITY_DEPTH) if several else []
        return cls(process.reference, process.risk_mean, process.risk_std, process.sampler, singles)


class BetaRisks(Applied):
    """The process of each model: draws, more of them where the threshold is close."""

    law: Beta

    def __init__(
        self, law: Beta, losses: Sequence[Losses], setting: Setting, summaries: Sequence[BetaRisk] | None = None
    ) -> None:
        super().__init__(law, losses, setting, summaries)
        self._is_quick = False
        if summaries is not None:
            self._risks = list(summaries)

    def at(self, c: float) -> BetaRisks:
        return self._with(c, [process.at(c) for process in self._processes])

    def _with(self, c: float, processes: list[HierarchicalBetaProcess]) -> BetaRisks:
        other = BetaRisks(self.law, self.losses, replace(self.setting, c=c))
        other.reference, other.empirical, other._is_quick = self.reference, self.empirical, self._is_quick
        other._processes = processes
        other._risks = [BetaRisk.of(process, several=False) for process in processes]
        return other

    def at_each(self, values: Sequence[float]) -> Iterator[BetaRisks]:
        for value, processes in zip(values, processes_at_each(self._processes, values), strict=True):
            here = self._with(value, processes)
            yield here
            # The processes have trees; what is kept of a sweep are samplers.
            here.__dict__.pop("_processes", None)
            here.forget()

    def quick(self) -> BetaRisks:
        n_draws = min(self._n_draws, QUICK_DRAWS)
        other = BetaRisks(replace(self.law, n_draws=n_draws, max_draws=n_draws), self.losses, self.setting)
        other._processes, other._is_quick = self._processes, True
        return other

    def forget(self) -> None:
        """Free the memory of the draws, which are drawn again, the same, when they are asked for."""
        self.draws.forget()
        self.__dict__.pop("_sorted", None)

    @cached_property
    def _processes(self) -> list[HierarchicalBetaProcess]:
        """With all that does not depend on c: for other values of it, and for paths."""
        return [_process(each, self.setting.c, self.law.depth, self.reference) for each in self.losses]

    @cached_property
    def _risks(self) -> list[BetaRisk]:
        # One at a time: the trees of all models at once would take too much memory.
        return [
            BetaRisk.of(_process(each, self.setting.c, self.law.depth, self.reference), several=each.n_simulations > 1)
            for each in self.losses
        ]

    # ---------------------------------------------------------------- each risk

    @cached_property
    def risk_mean(self) -> FloatArray:  # type: ignore[override]
        return np.array([risk.mean for risk in self._risks])

    @cached_property
    def risk_std(self) -> FloatArray:  # type: ignore[override]
        return np.array([risk.std for risk in self._risks])

    @property
    def _n_draws(self) -> int:
        return N_DRAWS if self.law.n_draws is None else self.law.n_draws

    @cached_property
    def _shifts(self) -> FloatArray:
        """From the reference of each model to the common one; zero unless simulations are not kept."""
        return np.array([risk.reference - self.reference for risk in self._risks])

    @cached_property
    def draws(self) -> Draws:
        samplers = [risk.sampler for risk in self._risks]
        return Draws(samplers, self._shifts, self.setting.entropy, self.setting.key, self._n_draws)

    @cached_property
    def _sorted(self) -> list[FloatArray]:
        return [np.sort(draws) for draws in self.draws]

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
        low, high = np.array([np.quantile(draws, tails) for draws in self._sorted]).T
        return low, high

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        return density_of_draws(self.draws[index], n_points=n_points)

    def process(self, index: int) -> HierarchicalBetaProcess | None:
        return self._processes[index] if self.losses[index].n_simulations else None

    # ---------------------------------------------------------------- every pair, and the verdict

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return self._matrix

    @cached_property
    def _matrix(self) -> tuple[FloatArray, FloatArray]:
        in_bins = self._is_quick and len(self._sorted) > PAIR_BY_PAIR
        return (binned_probabilities if in_bins else probability_matrix)(self._sorted)

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return decide(self.empirical, self._sorted, self.setting.threshold, self._more)

    def rejected_by_simulation(self, correct: Correct | None, threshold: float) -> BoolArray:
        if correct is not None:
            return super().rejected_by_simulation(correct, threshold)
        found = [rejected(self.empirical, draws, threshold) for draws in self._single_draws()]
        return np.array(found, dtype=bool)

    def single_matrices(self) -> Iterator[FloatArray]:
        return (probability_matrix(draws)[0] for draws in self._single_draws())

    def _single_draws(self) -> Iterator[list[FloatArray]]:
        seeds = [draw_seed(self.setting.entropy, self.setting.key, model) for model in range(len(self._risks))]
        for index in range(len(self._risks[0].singles)):
            yield [
                np.sort(risk.singles[index].sample(STABILITY_DRAWS, seed) + shift)
                for risk, seed, shift in zip(self._risks, seeds, self._shifts, strict=True)
            ]

    def _more(self, index: int) -> bool:
        """Double the draws of one model; False where that would be more than `max_draws`, or more than memory is for."""
        size = self._sorted[index].size
        n_more = min(size, self.law.max_draws - size)
        if n_more < 1 or sum(self.draws.sizes()) - len(self.draws) * self._n_draws > MOST_MORE_DRAWS:
            return False
        self._sorted[index] = np.sort(np.concatenate([self._sorted[index], self.draws.more(index, n_more)]))
        self.__dict__.pop("_matrix", None)
        return True


def _process(losses: Losses, c: float, depth: int | None, reference: float) -> HierarchicalBetaProcess:
    return HierarchicalBetaProcess.from_losses(losses, c, depth, reference=reference)
