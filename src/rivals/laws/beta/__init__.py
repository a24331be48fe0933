"""Method "beta": the hierarchical beta process of René and Longtin (2025).

Assumption. The quantile function of a replication strays from that of the observed losses, q*, by
the misfit δ = |q~ − q*|, independently in each interval that is halved: q^(0) and q^(1) are normal
with variance c δ², and each midpoint divides the rise of its interval by x ~ Beta(α, β).

Formula. ψ(α) − ψ(β) = ln r and ψ₁(α) + ψ₁(β) = 2 c δ², with r the ratio of both rises of q*. Mean
and variance of R = ∫ q^ follow bottom-up, exactly; probabilities are counted in independent draws
of both risks. With one simulation this is the paper's process, bit for bit; method "paper" is its
algorithm as it was run, refined eight times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from rivals._core.arrays import finite
from rivals._core.checks import check_depth, check_size
from rivals._core.evidence import Note
from rivals._core.law import OF_MISFITS, Law
from rivals._core.losses import Losses, Provenance, Study
from rivals._core.seeds import COMPARISON_DRAWS, EXPERIMENT_DRAWS
from rivals._core.setting import HowMany, Setting
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals.laws.beta.process import HierarchicalBetaProcess, processes_at_each
from rivals.laws.transport import need_simulations

__all__ = ["Beta", "BetaSummary", "HierarchicalBetaProcess", "Paper", "draw_seed"]

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever
# the distributions.
N_DRAWS = 12_000
# With so many it is 0.00016; more only take memory.
MOST_DRAWS = 10**7
# One probability among thousands need not be as exact: an error of at most 0.011.
EXPERIMENT_N_DRAWS = 2**11
# Draws and levels of the tree by which single simulations say how stable a decision is.
DRAWS_ALONE = 1000
LEVELS_ALONE = 6
# More ties than this leave the process without spread.
HEAVY_TIES = 0.2
# More simulated than observed losses, or fewer, by this factor: the extremes then differ anyway.
UNEQUAL_SIZES = 2.0


@dataclass(frozen=True, eq=False)
class BetaSummary:
    """The losses of each model, and the process of each, about a common reference."""

    models: tuple[str, ...]
    n_points: int
    reference: float
    observed: FloatArray  # models × points
    simulated: tuple[FloatArray, ...]
    processes: tuple[HierarchicalBetaProcess, ...]
    source: Provenance

    @property
    def n_simulations(self) -> int:
        """Of each model."""
        return len(self.simulated[0])

    @property
    def n_groups(self) -> int:
        """None."""
        return 0


# For a paper.
OF_BETA = (
    "Models were compared by the hierarchical beta process on quantile functions of the loss, "
    "refined as far as the data resolve."
)
OF_PAPER = (
    "Models were compared by the algorithm of René and Longtin (2025): "
    "the hierarchical beta process on quantile functions of the loss, refined eight times, one "
    "simulation of each model, uncorrected B."
)


@dataclass(frozen=True)
class Beta(Law[BetaSummary]):
    """The hierarchical beta process, as fine as the data.

    Parameters
    ----------
    depth : int, optional
        How often intervals are halved; by default as deep as the data resolve.
    n_draws : int
        Draws of the risk of each model.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> rivals.compare(toys.losses(), method="beta", rng=0).survivors
    ('A',)
    """

    depth: int | None = None
    n_draws: int = N_DRAWS

    name: ClassVar[str] = "beta"
    default_c: ClassVar[float] = 1.0
    credit: ClassVar[str] = OF_MISFITS
    draws: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.depth is not None:
            check_depth(self.depth)
        if check_size(self.n_draws, "n_draws", least=2) > MOST_DRAWS:
            raise ValueError(f"n_draws must be at most {MOST_DRAWS:g}; got {self.n_draws}")

    def methods(self, summary: Any) -> str:
        return OF_PAPER if self.name == "paper" else OF_BETA

    def summarise(self, study: Study) -> BetaSummary:
        need_simulations(study, self.name)
        return self.summary_of(
            study.names, study.reference, np.stack(study.observed), study.simulated, study.source
        )

    def summary_of(
        self,
        names: tuple[str, ...],
        reference: float,
        observed: FloatArray,
        simulated: tuple[FloatArray, ...],
        source: Provenance,
    ) -> BetaSummary:
        """From plain arrays, as a saved file has them."""
        processes = tuple(
            HierarchicalBetaProcess.from_losses(
                Losses(*pair), self.default_c, self.depth, reference=reference
            )
            for pair in zip(observed, simulated, strict=True)
        )
        return BetaSummary(
            names, observed.shape[1], reference, observed, simulated, processes, source
        )

    def risk(self, summary: BetaSummary) -> FloatArray:
        excess = [float(np.mean(losses - summary.reference)) for losses in summary.observed]
        return summary.reference + np.array(excess)

    def to_arrays(self, summary: BetaSummary) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        return {"reference": summary.reference}, {
            "observed": summary.observed,
            "simulated": np.stack(summary.simulated),
        }

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> BetaSummary:
        observed, simulated = (finite(arrays[name], name) for name in ("observed", "simulated"))
        if (
            observed.ndim != 2
            or simulated.ndim != 3
            or not (len(observed) == len(simulated) == len(models))
            or not simulated.size
        ):
            raise ValueError("its losses do not fit its models")
        return self.summary_of(
            models, float(plain["reference"]), observed, tuple(simulated), source
        )

    def differences(
        self, summary: BetaSummary, setting: Setting, a: IntArray, b: IntArray
    ) -> DrawnDifferences:
        return DrawnDifferences(self._draws(summary, setting), a, b)

    def risks(self, summary: BetaSummary, setting: Setting) -> DrawnRisks:
        return DrawnRisks(self._draws(summary, setting), summary.reference)

    def _draws(self, summary: BetaSummary, setting: Setting) -> list[list[FloatArray]]:
        return _draws(summary, self.n_draws, self.c(setting), setting.rng)

    def at_each_c(
        self, summary: BetaSummary, values: Sequence[float], rng: int, a: int, b: int
    ) -> tuple[FloatArray, FloatArray]:
        """P(R_a < R_b) at each c, and its error.

        The nodes of both models at all c are solved together; fewer draws are enough.
        """
        n_draws = min(self.n_draws, EXPERIMENT_N_DRAWS)
        seeds = [np.random.SeedSequence(rng, spawn_key=(EXPERIMENT_DRAWS, k)) for k in (a, b)]
        found = []
        for pair in processes_at_each([summary.processes[a], summary.processes[b]], values):
            first, second = (
                np.sort(process.sampler.sample(n_draws, seed))
                for process, seed in zip(pair, seeds, strict=True)
            )
            found.append((_share(first, second, 0.0), _error(first, second, 0.0)))
        both = np.array(found)
        return both[:, 0], both[:, 1]

    def notes(self, summary: BetaSummary, setting: Setting) -> tuple[Note, ...]:
        notes = []
        for name, observed, simulated in zip(
            summary.models, summary.observed, summary.simulated, strict=True
        ):
            tied = tied_fraction(observed)
            if tied > HEAVY_TIES:
                notes.append(Note("ties", (name,), tied))
            ratio = simulated.shape[1] / observed.size
            if not 1.0 / UNEQUAL_SIZES <= ratio <= UNEQUAL_SIZES:
                notes.append(Note("unequal simulations", (name,), simulated.shape[1]))
        return tuple(notes)


@dataclass(frozen=True)
class Paper(Beta):
    """The algorithm of the paper.

    Eight refinements, one simulation, c = 1 unless given.

    Examples
    --------
    >>> import rivals
    >>> rivals.laws.Paper().depth
    8
    """

    depth: int | None = 8

    name: ClassVar[str] = "paper"

    def summarise(self, study: Study) -> BetaSummary:
        if study.n_simulations > 1:
            raise Refusal(
                f"method 'paper' is the paper's algorithm, with one simulation of each model; got "
                f"{study.n_simulations}: pass one, or use {opt.method('beta')}"
            )
        return super().summarise(study)


def draw_seed(entropy: int, model: int) -> np.random.SeedSequence:
    """The seed of the draws of one model: it depends on its place alone."""
    return np.random.SeedSequence(entropy, spawn_key=(COMPARISON_DRAWS, model, 0))


def tied_fraction(losses: FloatArray) -> float:
    """Fraction of the losses in large ties: values that more than one in a hundred of them share.

    There q* is flat and the process has no spread. Small ties, such as those from rounding, do no
    harm.
    """
    counts = np.unique(losses, return_counts=True)[1]
    return float(np.sum(counts[(counts > 1) & (counts > 0.01 * losses.size)]) / losses.size)


@lru_cache(maxsize=2)
def _draws(summary: BetaSummary, n_draws: int, c: float, entropy: int) -> list[list[FloatArray]]:
    """Sorted draws of the risk of each model, by all simulations together and by each alone."""
    drawn: list[list[FloatArray]] = []
    for place, process in enumerate(summary.processes):
        seed = draw_seed(entropy, place)
        here = process.at(c)
        of_model = [here.sampler.sample(n_draws, seed)]
        if len(summary.simulated[0]) > 1:
            alone = here.singles(LEVELS_ALONE)
            of_model += here.sampler.sample_each(alone, DRAWS_ALONE, seed)
        drawn.append([np.sort(draws) for draws in of_model])
    return drawn


@dataclass(frozen=True, eq=False)
class DrawnDifferences:
    """The differences of independent draws: of each model, then of each simulation alone."""

    draws: list[list[FloatArray]]
    a: IntArray
    b: IntArray

    def over(self, new_groups: HowMany | None) -> DrawnDifferences:
        return self

    def below(self, value: FloatArray) -> FloatArray:
        pairs = zip(self.a.tolist(), self.b.tolist(), value.tolist(), strict=True)
        columns = [
            [_share(a, b, limit) for a, b in zip(self.draws[i], self.draws[j], strict=True)]
            for i, j, limit in pairs
        ]
        return np.array(columns).T

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        low = np.array([of_model[0][0] for of_model in self.draws])
        high = np.array([of_model[0][-1] for of_model in self.draws])
        return low[self.a] - high[self.b], high[self.a] - low[self.b]

    def error(self, value: FloatArray) -> FloatArray:
        """Of a two-sample U statistic; at least the resolution of the draws."""
        pairs = zip(self.a.tolist(), self.b.tolist(), value.tolist(), strict=True)
        return np.array(
            [_error(self.draws[i][0], self.draws[j][0], limit) for i, j, limit in pairs]
        )


@dataclass(frozen=True, eq=False)
class DrawnRisks:
    """The draws of the risk of each model by itself."""

    draws: list[list[FloatArray]]
    reference: float

    def over(self, new_groups: HowMany | None) -> DrawnRisks:
        return self

    def below(self, value: FloatArray) -> FloatArray:
        columns = [
            [float(np.searchsorted(draws, limit - self.reference)) / draws.size for draws in each]
            for each, limit in zip(self.draws, value.tolist(), strict=True)
        ]
        return np.array(columns).T

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        low = np.array([of_model[0][0] for of_model in self.draws])
        high = np.array([of_model[0][-1] for of_model in self.draws])
        return self.reference + low, self.reference + high

    def error(self, value: FloatArray) -> FloatArray:
        found = self.below(value)[0]
        sizes = np.array([of_model[0].size for of_model in self.draws])
        return np.asarray(np.sqrt(found * (1.0 - found) / sizes))


def _share(a: FloatArray, b: FloatArray, limit: float) -> float:
    """The part of all pairs of draws with a − b below the limit, ties counted half."""
    return int(_twice_below(a, b, limit).sum()) / (2 * a.size * b.size)


def _error(a: FloatArray, b: FloatArray, limit: float) -> float:
    """The standard error of that, of a two-sample U statistic."""
    variance = np.var(_twice_below(a, b, limit) / (2 * a.size)) / b.size
    variance += np.var(_twice_below(-b[::-1], -a[::-1], limit) / (2 * b.size)) / a.size
    return float(max(np.sqrt(variance), 0.5 / min(a.size, b.size)))


def _twice_below(a: FloatArray, b: FloatArray, limit: float) -> IntArray:
    """For each b twice the number of the sorted a with a − b below the limit; ties count once."""
    moved = b + limit
    return np.searchsorted(a, moved, "left") + np.searchsorted(a, moved, "right")
