"""Law "beta": the hierarchical beta process of the original paper.

Assumption. The quantile function of a replication strays from q* by δ = |q~ − q*|, independently
in each interval that is halved: q^(0) and q^(1) are normal with variance c δ², and each midpoint
divides the rise of its interval by x ~ Beta(α, β).

Formula. ψ(α) − ψ(β) = ln r and ψ₁(α) + ψ₁(β) = 2 c δ², with r the ratio of both rises of q*. Mean
and variance of R = ∫ q^ follow bottom-up, exactly; probabilities come from draws. `docs/theory.md`
has the derivations. With one simulation this is the paper's process, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from rivals._say.arguments import check_depth, check_size
from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.density import density_of_draws
from rivals.core.verdict import (
    binned_probabilities,
    binned_probability,
    decide,
    exceedance_matrix,
    probability_matrix,
    probability_row,
)
from rivals.laws.base import Applied, Centre, Correct, Law, Measured
from rivals.laws.beta_process import (
    HierarchicalBetaProcess,
    RiskSampler,
    Single,
    processes_at_each,
)
from rivals.laws.differences import Sampled
from rivals.laws.draws import N_DRAWS, Draws, draw_seed
from rivals.laws.setting import Setting
from rivals.losses import Losses
from rivals.method.rule import Duel

MAX_DRAWS = 2**18
# In an experiment of a calibration: a standard error of the probability of at most 0.011.
CALIBRATION_DRAWS = 2**11
# Where a picture is enough: an error of at most 0.008.
QUICK_DRAWS = 4000
# With more models than this, quick probabilities are counted in bins.
PAIR_BY_PAIR = 8

# Verdicts of single simulations, which say how stable a verdict is, have this many draws of each
# risk, and levels (`benchmarks/stability.py` measures what that costs).
STABILITY_DRAWS = 1000
STABILITY_DEPTH = 6
# Where they are counted in bins, in so many: finer than the error of their draws.
STABILITY_BINS = 2**11

# Draws beyond the first of each model, of all models together: a gigabyte. Duels that would need
# more stay undecided.
MOST_MORE_DRAWS = 2**27

HEAVY_TIES = 0.5
UNEQUAL_SIZES = 2.0


@dataclass(frozen=True)
class Beta(Law):
    """Law "beta": the hierarchical beta process of the original paper.

    Parameters
    ----------
    depth : int, optional
        Number of times that intervals are halved; by default as deep as the data resolve. The
        paper has 8.
    n_draws : int, optional
        Draws of the risk of each model; 12 000 by default, 2 048 in an experiment of a
        calibration.
    max_draws : int
        More are drawn, up to this number, if a probability lies within two standard errors of the
        threshold. Pairs that remain too close to call are listed in the result.

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
    measured: ClassVar = {True: {("next", 1): Measured(5.74, 3.67, 3.77)}}
    grid: ClassVar[tuple[float, ...]] = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0)
    closed_form: ClassVar[bool] = False
    of_this_paper: ClassVar[bool] = True
    about: ClassVar[str] = (
        "No c suits every problem. It is specific to a loss, its unit and the number of points. "
        "Probabilities at a c that was chosen by hand are not calibrated. Use groups where the "
        "data have them, or rivals.calibrate, to find c and a curve from simulated experiments "
        "with fresh replications."
    )
    method: ClassVar[str] = (
        "The risk of a model, its mean loss in a replication, was drawn from a hierarchical beta "
        "process on quantile functions of the loss (René and Longtin, 2025)."
    )
    method_of_c: ClassVar[str] = (
        "Its variance grows with c δ², with δ the distance between the quantile functions of the "
        "losses on the data and on data that the model simulated itself (law beta)."
    )
    about_c: ClassVar[str] = (
        "Under law “beta” a larger c also moves the risk of models that fit badly, so verdicts "
        "need not become more cautious. At values of c other than the run’s, probabilities come "
        f"from at most {QUICK_DRAWS} draws of each risk: verdicts near the threshold are then "
        "marked as undecided."
    )

    def __post_init__(self) -> None:
        if self.depth is not None:
            object.__setattr__(self, "depth", check_depth(self.depth))
        if self.n_draws is not None:
            object.__setattr__(self, "n_draws", check_size(self.n_draws, "n_draws", least=2))
        object.__setattr__(self, "max_draws", check_size(self.max_draws, "max_draws"))

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> BetaRisks:
        return BetaRisks(self, losses, setting, summaries)

    def in_experiments(self) -> Beta:
        return self if self.n_draws is not None else replace(self, n_draws=CALIBRATION_DRAWS)

    def summary(self, losses: Losses, setting: Setting) -> BetaRisk:
        """The law of the risk, ready to be drawn from."""
        return BetaRisk.of(
            _process(losses, setting.c, self.depth, losses.reference),
            several=losses.n_simulations > 1,
        )

    def doubts(self, losses: Losses) -> list[tuple[str, str]]:
        doubts = super().doubts(losses)
        tied = tied_fraction(losses.observed)
        if tied > HEAVY_TIES:
            ties = (
                f"{tied:.0%} of its losses are tied: there the process has no spread and says too "
                "little about replications; use law 'transport', or Losses.spread_ties(), or a "
                "continuous score"
            )
            doubts.append(("ties", ties))
        ratio = losses.n_synthetic / losses.n_observed
        if losses.n_simulations and not 1 / UNEQUAL_SIZES <= ratio <= UNEQUAL_SIZES:
            sizes = (
                f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses: the "
                "extremes differ even for a perfect model, which widens its risk; simulate as many "
                "points as were observed"
            )
            doubts.append(("unequal_sizes", sizes))
        return doubts


def tied_fraction(losses: FloatArray) -> float:
    """Fraction of the losses in large ties: values that more than one in a hundred of them share.

    There q* is flat and the process has no spread. Small ties, such as those from rounding, do no
    harm.
    """
    counts = np.unique(losses, return_counts=True)[1]
    return float(np.sum(counts[(counts > 1) & (counts > 0.01 * losses.size)]) / losses.size)


@dataclass(frozen=True, eq=False)
class BetaRisk:
    """The law of the risk of one model, and under each of its simulations alone.

    Little beside the process.
    """

    reference: float
    mean: float
    std: float
    sampler: RiskSampler
    singles: list[Single]

    @classmethod
    def of(cls, process: HierarchicalBetaProcess, *, several: bool) -> BetaRisk:
        singles = process.singles(STABILITY_DEPTH) if several else []
        return cls(process.reference, process.risk_mean, process.risk_std, process.sampler, singles)


class BetaRisks(Applied):
    """The process of each model: draws, more of them where the threshold is close."""

    law: Beta

    def __init__(
        self,
        law: Beta,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[BetaRisk] | None = None,
        *,
        centre: Centre | None = None,
        risks: Sequence[BetaRisk] | None = None,
        processes: Sequence[HierarchicalBetaProcess] | None = None,
        in_bins: bool = False,
    ) -> None:
        super().__init__(law, losses, setting, summaries, centre=centre)
        self._given = risks if risks is not None else summaries
        self._given_processes = processes
        self._in_bins = in_bins

    def changed(self, **changes: Any) -> BetaRisks:
        setting = replace(self.setting, **changes)
        if setting.c != self.setting.c:
            return self._with(setting, [process.at(setting.c) for process in self._processes])
        return BetaRisks(
            self.law,
            self.losses,
            setting,
            self.summaries,
            centre=self.centre,
            risks=self._risks,
            in_bins=self._in_bins,
        )

    @property
    def knows_other_c(self) -> bool:
        return self.losses[0].n_simulations > 0

    def at_each(self, values: Sequence[float]) -> Iterator[BetaRisks]:
        pairs = zip(values, processes_at_each(self._processes, values), strict=True)
        return (self._with(replace(self.setting, c=c), processes) for c, processes in pairs)

    def _with(self, setting: Setting, processes: Sequence[HierarchicalBetaProcess]) -> BetaRisks:
        """At another c. Trees are kept for pictures alone: samplers are little beside them."""
        several = setting.n_simulations > 1 and not setting.in_experiment
        return BetaRisks(
            self.law,
            self.losses,
            setting,
            centre=self.centre,
            risks=[BetaRisk.of(process, several=several) for process in processes],
            processes=processes if self._in_bins else None,
            in_bins=self._in_bins,
        )

    def quick(self) -> BetaRisks:
        n_draws = min(self._n_draws, QUICK_DRAWS)
        law = replace(self.law, n_draws=n_draws, max_draws=n_draws)
        return BetaRisks(
            law,
            self.losses,
            self.setting,
            self.summaries,
            centre=self.centre,
            in_bins=True,
        )

    @cached_property
    def _processes(self) -> list[HierarchicalBetaProcess]:
        """With all that does not depend on c: for other values of it, and for paths."""
        if self._given_processes is not None:
            return list(self._given_processes)
        if not self.knows_other_c:
            raise ValueError(
                "the simulated losses of this comparison were not kept, and law 'beta' needs them "
                "at another c; compare with keep_simulations=True"
            )
        return [
            _process(each, self.setting.c, self.law.depth, self.reference) for each in self.losses
        ]

    @cached_property
    def _risks(self) -> list[BetaRisk]:
        if self._given is not None:
            return list(self._given)
        # One at a time: the trees of all models at once would take too much memory.
        risks = []
        for each in self.losses:
            process = _process(each, self.setting.c, self.law.depth, self.reference)
            risks.append(BetaRisk.of(process, several=each.n_simulations > 1))
        return risks

    # ---------------------------------------------------------------- each risk

    @cached_property
    def risk_mean(self) -> FloatArray:
        return np.array([risk.mean for risk in self._risks])

    @cached_property
    def risk_std(self) -> FloatArray:
        return np.array([risk.std for risk in self._risks])

    @property
    def _n_draws(self) -> int:
        return N_DRAWS if self.law.n_draws is None else self.law.n_draws

    @cached_property
    def _shifts(self) -> FloatArray:
        """From the reference of each model to the common one.

        Zero unless simulations are not kept.
        """
        return np.array([risk.reference - self.reference for risk in self._risks])

    @cached_property
    def _decision(self) -> _Decision:
        """The verdict, and the draws that it took.

        More where a pair was close to the threshold.
        """
        setting = self.setting
        samplers = [risk.sampler for risk in self._risks]
        blocks = [(self._n_draws,)] * len(samplers)
        growing = _Growing(
            Draws(samplers, self._shifts, setting.entropy, setting.key, blocks), self.law.max_draws
        )
        if setting.in_experiment or not setting.more_draws:
            return _Decision(growing.draws, growing.ordered, {}, [])
        rejections, undecided = decide(
            self.empirical, growing.ordered, setting.threshold, growing.more, setting.margin
        )
        return _Decision(growing.draws, growing.ordered, rejections, undecided)

    @property
    def draws(self) -> Draws:
        return self._decision.draws

    @property
    def _sorted(self) -> list[FloatArray]:
        return self._decision.ordered

    def _interval(self, level: float) -> tuple[FloatArray, FloatArray]:
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
        if self._in_bins and len(self._sorted) > PAIR_BY_PAIR:
            return binned_probabilities(self._sorted)
        return probability_matrix(self._sorted)

    def better_best(self) -> FloatArray:
        if self._in_bins:
            return super().better_best()
        return probability_row(self._sorted, self.best)

    def exceedance(self) -> tuple[FloatArray, FloatArray]:
        if self.setting.margin == 0.0:
            return self.matrix()
        return exceedance_matrix(self._sorted, self.setting.margin)

    def differences(self, first: IntArray, second: IntArray) -> Sampled:
        draws = self._sorted
        return Sampled([draws[a] for a in first], [draws[b] for b in second])

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return self._decision.rejections, self._decision.undecided

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is not None:
            return super().rejected_by_simulation(correct)
        n_models = self.empirical.size
        rows = []
        for draws in self._single_draws():
            found, _ = decide(
                self.empirical, draws, self.setting.threshold, _no_more, self.setting.margin
            )
            rows.append([model in found for model in range(n_models)])
        return np.array(rows, dtype=bool)

    def single_matrices(self) -> Iterator[FloatArray]:
        margin = self.setting.margin
        for draws in self._single_draws():
            if margin:
                yield exceedance_matrix(draws, margin)[0]
            elif self._in_bins and len(draws) > PAIR_BY_PAIR:
                yield binned_probability(draws, STABILITY_BINS)
            else:
                yield probability_matrix(draws)[0]

    def _single_draws(self) -> Iterator[list[FloatArray]]:
        entropy = self.setting.entropy
        key = self.setting.key
        draws = [
            risk.sampler.sample_each(risk.singles, STABILITY_DRAWS, draw_seed(entropy, key, model))
            for model, risk in enumerate(self._risks)
        ]
        for of_models in zip(*draws, strict=True):
            pairs = zip(of_models, self._shifts, strict=True)
            yield [np.sort(each + shift) for each, shift in pairs]


@dataclass(frozen=True, eq=False)
class _Decision:
    """A verdict, and the draws that it rests on."""

    draws: Draws
    ordered: list[FloatArray]  # the draws of each model, sorted
    rejections: dict[int, Duel]
    undecided: list[Duel]


class _Growing:
    """Sorted draws of all models, to which a verdict adds while it is made."""

    def __init__(self, draws: Draws, max_draws: int) -> None:
        self.draws = draws
        self.ordered = [np.sort(each) for each in draws]
        self._first = [each.size for each in self.ordered]
        self._max_draws = max_draws

    def more(self, index: int) -> bool:
        """Double the draws of one model.

        False where that would be more than `max_draws`, or more than memory is for.
        """
        size = self.ordered[index].size
        n_more = min(size, self._max_draws - size)
        grown = sum(each.size for each in self.ordered) - sum(self._first)
        if n_more < 1 or grown > MOST_MORE_DRAWS:
            return False
        self.draws = self.draws.with_block(index, n_more)
        block = self.draws.block(index, len(self.draws.blocks[index]) - 1)
        self.ordered[index] = np.sort(np.concatenate([self.ordered[index], block]))
        return True


def _no_more(index: int) -> bool:
    """Single simulations say how stable a verdict is: their draws are enough for that."""
    return False


def _process(
    losses: Losses, c: float, depth: int | None, reference: float
) -> HierarchicalBetaProcess:
    return HierarchicalBetaProcess.from_losses(losses, c, depth, reference=reference)
