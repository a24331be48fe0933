"""Law "transport": what a model gets wrong may come out differently in a replication, by as much
as it is wrong.

Assumption. Every observed loss moves by a common random multiple of its optimal-transport
displacement δ_s = |q~_s − q*| to the losses of simulation s = 1 … S. With independent z_s ~ N(0,
1) and ↑ the increasing rearrangement,

    q^ = [ q* + √(c/S) Σ_s z_s δ_s ]↑ .

Formula. Sorting does not change an integral, so R = ∫ q^ is exactly N(m, c W²), with m the mean
loss and W² the mean over simulations of the squared 1-Wasserstein distance. With the sampling
error e of the means, for models with independent z,

    P(R_a < R_b) = Φ( (m_b − m_a) / √(c (W_a² + W_b²) + se_ab²) ),

se_ab the standard error of the *paired* difference. Everything is linear in the loss: c has no
unit. `docs/theory.md` has the proofs, and compares the desiderata of the original paper one by
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.sampling_error import WHOLE, MeanErrors, blocks
from rivals.core.scales import largest_magnitude, unit_exponent
from rivals.laws.base import Applied, Centre, Correct, Law, Measured
from rivals.laws.differences import Differences, Mixture, Student
from rivals.laws.setting import Grouping, Order, Setting
from rivals.laws.transport_process import TransportLaw
from rivals.losses import Losses
from rivals.method.distance import wasserstein_distances
from rivals.method.probability import probability_lower
from rivals.method.rule import Duel, rejecting_rivals, simulations_needed


@dataclass(frozen=True)
class Transport(Law):
    """Law "transport", the default: R = mean loss + √c W z + sampling error. It has no options of
    its own.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> rivals.compare(toys.losses(), law=rivals.laws.Transport(), rng=0).survivors
    ('A',)
    """

    name: ClassVar[str] = "transport"
    # Measured, not derived (docs/does-it-work.md): one value for this law and for its continuation
    # to groups.
    default_c: ClassVar[float] = 0.25
    # One more c costs next to nothing, and the best c is not known to an order of magnitude:
    # octaves.
    grid: ClassVar[tuple[float, ...]] = tuple(2.0**octave for octave in range(-10, 7))
    measured: ClassVar = {True: {("next", 1): Measured(12.3, 2.52, 9.28)}}
    about: ClassVar[str] = (
        "No c suits every problem. Probabilities at a c that was chosen by hand are not "
        "calibrated. Use groups where the data have "
        "them, or rivals.calibrate, to find c and a curve from simulated experiments with fresh "
        "replications."
    )
    method: ClassVar[str] = (
        "The risk of a model, its mean loss in a replication, was taken as normal about its mean "
        "held-out loss, and differences between models were paired point by point."
    )
    method_of_c: ClassVar[str] = (
        "Its variance is that of the sampling error plus c W², with W the 1-Wasserstein distance "
        "between the losses on the data and on data that the model simulated itself (law "
        "transport)."
    )
    overlap: ClassVar[str] = (
        "Models share the sampling error, so they may overlap although one of them is "
        "reproducibly better."
    )

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> TransportRisks:
        return TransportRisks(self, losses, setting, summaries)

    def summary(self, losses: Losses, setting: Setting) -> FloatArray:
        """W of each simulation."""
        return wasserstein_distances(losses.observed, losses.simulations, losses.reference)


@dataclass(frozen=True, eq=False)
class PairedLosses:
    """What the law needs of the losses, whatever c is; in the unit two to the power `exponent`."""

    exponent: int
    means: FloatArray  # less the reference
    errors: MeanErrors
    singles: FloatArray  # W², [model, simulation]
    squares: FloatArray  # their means over simulations

    @classmethod
    def of(
        cls,
        losses: Sequence[Losses],
        distances: FloatArray,
        centre: Centre,
        *,
        order: Order | None,
        clusters: Grouping | None,
    ) -> PairedLosses:
        """Of all models; `distances` are W of each simulation, [model, simulation]."""
        excess = np.stack([sample.observed for sample in losses])
        excess -= centre.reference
        # Powers of two in which squares are safe.
        largest = np.stack([largest_magnitude(excess), largest_magnitude(distances)], axis=1)
        exponent = unit_exponent(largest)
        if exponent:
            excess = np.ldexp(excess, -exponent)
        with np.errstate(over="ignore"):  # which `transport_variance` reports
            singles = np.ldexp(distances, -exponent) ** 2
        codes = None if clusters is None else clusters.codes
        errors = MeanErrors.of(excess, order=order, clusters=codes)
        means = np.ldexp(centre.empirical, -exponent)
        return cls(exponent, means, errors, singles, np.asarray(singles.mean(axis=1)))


class TransportRisks(Applied):
    """Law "transport" of all models.

    Nothing of the size of all pairs is made before it is asked for.
    """

    def __init__(
        self,
        law: Law,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[FloatArray] | None = None,
        *,
        centre: Centre | None = None,
        paired: PairedLosses | None = None,
    ) -> None:
        super().__init__(law, losses, setting, summaries, centre=centre)
        if paired is None:
            if summaries is None:
                summaries = [law.summary(each, setting) for each in losses]
            paired = PairedLosses.of(
                self.losses,
                np.stack(summaries),
                self.centre,
                order=setting.order,
                clusters=setting.clusters,
            )
        self.paired = paired
        self._margin = float(np.ldexp(setting.margin, -paired.exponent))

    def changed(self, **changes: Any) -> TransportRisks:
        setting = replace(self.setting, **changes)
        return TransportRisks(
            self.law,
            self.losses,
            setting,
            self.summaries,
            centre=self.centre,
            paired=self.paired,
        )

    @property
    def risk_mean(self) -> FloatArray:
        return self.reference + self.empirical

    @cached_property
    def risk_std(self) -> FloatArray:
        own = transport_variance(self.paired.squares, self.paired.errors.variance, self.setting.c)
        return np.asarray(np.ldexp(np.sqrt(own), self.paired.exponent))

    @property
    def distance(self) -> FloatArray:
        return np.asarray(np.ldexp(np.sqrt(self.paired.squares), self.paired.exponent))

    # ---------------------------------------------------------------- every pair

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        matrix = self._pairs(self.paired.squares, margin=0.0)
        return matrix, np.zeros_like(matrix)

    def better_best(self) -> FloatArray:
        best = np.array([self.best])
        every = np.arange(self.paired.means.size)
        row = self._block(best, every, self.paired.squares, margin=0.0)[0]
        row[best] = 0.5
        return np.asarray(row)

    def exceedance(self) -> tuple[FloatArray, FloatArray]:
        matrix = self._pairs(self.paired.squares, margin=self._margin)
        return matrix, np.zeros_like(matrix)

    def single_matrices(self) -> Iterator[FloatArray]:
        return (self._pairs(squares, margin=self._margin) for squares in self.paired.singles.T)

    def pairs_at_each(
        self, values: Sequence[float], first: IntArray, second: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        paired = self.paired
        total = transport_variance(paired.squares, paired.errors.variance, np.asarray(values))
        covariance = paired.errors.of_pairs(first, second)
        variance = total[:, first] + total[:, second] - 2.0 * covariance
        gap = np.broadcast_to(paired.means[second] - paired.means[first], variance.shape)
        degrees = None
        if paired.errors.degrees != inf:
            own = paired.errors.variance
            estimated = np.maximum(own[first] + own[second] - 2.0 * covariance, 0.0)
            degrees = satterthwaite(variance, estimated, paired.errors.degrees)
        return probability_lower(gap, variance, degrees), np.zeros(variance.shape)

    def differences(self, first: IntArray, second: IntArray) -> Differences:
        paired = self.paired
        total = transport_variance(paired.squares, paired.errors.variance, self.setting.c)
        covariance = paired.errors.of_pairs(first, second)
        centre = paired.means[first] - paired.means[second]
        variance = np.maximum(total[first] + total[second] - 2.0 * covariance, 0.0)
        centre = np.ldexp(centre, paired.exponent)
        scale = np.ldexp(np.sqrt(variance), paired.exponent)
        if paired.errors.degrees == inf:
            return Mixture(np.ones((centre.size, 1)), centre[:, None], scale[:, None])
        own = paired.errors.variance
        estimated = np.maximum(own[first] + own[second] - 2.0 * covariance, 0.0)
        return Student(centre, scale, satterthwaite(variance, estimated, paired.errors.degrees))

    def _pairs(self, squares: FloatArray, *, margin: float) -> FloatArray:
        """[a, b] = P(R_a < R_b − margin), from W² of all models."""
        n_models = self.paired.means.size
        every = np.arange(n_models)
        if n_models <= WHOLE:
            return self._block(every, every, squares, margin=margin)
        matrix = np.full((n_models, n_models), 0.5)
        for piece in blocks(n_models):
            here = every[piece]
            if margin:
                matrix[piece] = self._block(here, every, squares, margin=margin)
                continue
            later = every[piece.start :]
            block = self._block(here, later, squares, margin=0.0)
            # Above the diagonal alone: rounding must not keep two probabilities from adding up to
            # 1.
            upper = here[:, None] < later[None, :]
            matrix[piece, piece.start :][upper] = block[upper]
            matrix[piece.start :, piece].T[upper] = 1.0 - block[upper]
        return matrix

    def _block(
        self, first: IntArray, second: IntArray, squares: FloatArray, *, margin: float
    ) -> FloatArray:
        """[i, j] = P(R < R' − margin) of the models first[i] and second[j]."""
        paired = self.paired
        covariance = paired.errors.covariance(first, second)
        gap = paired.means[second][None, :] - paired.means[first][:, None] - margin
        total = transport_variance(squares, paired.errors.variance, self.setting.c)
        variance = total[first][:, None] + total[second][None, :] - 2.0 * covariance
        if paired.errors.degrees == inf:
            return probability_lower(gap, variance)
        estimated = self._sampling_variance(first, second, covariance)
        degrees = satterthwaite(variance, estimated, paired.errors.degrees)
        return probability_lower(gap, variance, degrees)

    def _sampling_variance(
        self, first: IntArray, second: IntArray, covariance: FloatArray
    ) -> FloatArray:
        """Variance of the sampling error of the differences of the means."""
        own = self.paired.errors.variance
        return np.maximum(own[first][:, None] + own[second][None, :] - 2.0 * covariance, 0.0)

    # ---------------------------------------------------------------- the verdict

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        if self.paired.errors.degrees != inf:
            return super().decide()
        return self._all_pairs.rejections, []

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is not None or self.paired.errors.degrees != inf:
            return super().rejected_by_simulation(correct)
        return self._all_pairs.rejected_by_simulation

    @property
    def critical_c(self) -> FloatArray:
        if self.paired.errors.degrees != inf:
            return super().critical_c
        return self._all_pairs.critical_c

    @cached_property
    def _all_pairs(self) -> _AllPairs:
        """Every model against all that are better, block by block, under normal laws.

        P > ε where c (W_a² + W_b²) < room = ((gap − δ) / Φ⁻¹(ε))² − se². So the largest c at which
        a rival rejects is room / (W_a² + W_b²), for all simulations together and for each alone.
        """
        paired = self.paired
        n_models, n_simulations = paired.singles.shape
        order = np.argsort(paired.means, kind="stable")
        together = np.zeros(n_models)  # the largest c at which the model is rejected
        alone = np.zeros((n_simulations, n_models))
        rejections: dict[int, Duel] = {}
        for piece in blocks(n_models):
            models = order[piece]
            rivals = order[: piece.stop]  # best first: none behind is better
            probability = self._block(rivals, models, paired.squares, margin=self._margin)
            rejections |= self._duels(models, rivals, probability)
            room = self._room(models, rivals)
            together[models] = _largest_c(room, paired.squares, models, rivals)
            for simulation, squares in enumerate(paired.singles.T):
                alone[simulation, models] = _largest_c(room, squares, models, rivals)
        return _AllPairs(rejections, self.setting.c < alone, _critical_c(together, alone))

    def _duels(
        self, models: IntArray, rivals: IntArray, probability: FloatArray
    ) -> dict[int, Duel]:
        """The duels that reject some of the models, from a block [rival, model]."""
        means = self.paired.means
        found = rejecting_rivals(means[rivals], means[models], probability, self.setting.threshold)
        duels = {}
        for place in np.flatnonzero(found >= 0).tolist():
            model = int(models[place])
            rival = int(rivals[found[place]])
            duels[model] = Duel(model, rival, float(probability[found[place], place]), 0.0)
        return duels

    def _room(self, models: IntArray, rivals: IntArray) -> FloatArray:
        """[model, rival]: what c (W_a² + W_b²) must stay below for the rival to reject the
        model.
        """
        means = self.paired.means
        lower = means[models][:, None] > means[rivals][None, :]
        gap = means[models][:, None] - means[rivals][None, :] - self._margin
        covariance = self.paired.errors.covariance(models, rivals)
        sampling = self._sampling_variance(models, rivals, covariance)
        with np.errstate(over="ignore", divide="ignore"):
            room = (gap / ndtri(self.setting.threshold)) ** 2 - sampling
        room[~lower | (gap <= 0.0)] = -np.inf
        return np.asarray(room)

    # ---------------------------------------------------------------- pictures

    def process(self, index: int) -> TransportLaw | None:
        sample = self.losses[index]
        setting = self.setting
        if not sample.n_simulations:
            return None
        clusters = None if setting.clusters is None else setting.clusters.codes
        return TransportLaw.from_losses(
            sample, setting.c, order=setting.order, clusters=clusters, reference=self.reference
        )


@dataclass(frozen=True, eq=False)
class _AllPairs:
    """What all pairs say about each model."""

    rejections: dict[int, Duel]  # by the rival of lowest mean loss, of those that reject it
    rejected_by_simulation: BoolArray  # [s, a]: whether simulation s alone would reject model a
    critical_c: FloatArray


def _largest_c(
    room: FloatArray, squares: FloatArray, models: IntArray, rivals: IntArray
) -> FloatArray:
    """The largest c at which some rival rejects each model; 0 where none does at any c."""
    misfit = squares[models][:, None] + squares[rivals][None, :]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        largest = np.where(room > 0.0, room / misfit, 0.0)
    return np.asarray(np.max(largest, axis=1))


def _critical_c(together: FloatArray, alone: FloatArray) -> FloatArray:
    """The c below which a rejection stands: by all simulations together, and by enough of them
    alone.

    nan where there is none.
    """
    critical = together
    if len(alone) > 1:
        needed = simulations_needed(len(alone))
        critical = np.minimum(critical, np.sort(alone, axis=0)[len(alone) - needed])
    return np.asarray(np.where(critical > 0.0, critical, np.nan))


# ---------------------------------------------------------------- kernels


def transport_variance(
    squares: FloatArray, variances: FloatArray, c: float | FloatArray
) -> FloatArray:
    """c W² + the variance of the mean, of each model; of several c, a row for each."""
    values = np.asarray(c, dtype=np.float64)
    with np.errstate(over="ignore"):
        own = values[..., None] * squares + variances
    finite = np.isfinite(own)
    if not finite.all():
        smallest = np.min(values[~finite.all(axis=-1)])
        raise ValueError(f"losses this large overflow at c = {smallest:g}; rescale the loss")
    return own


def satterthwaite(variance: FloatArray, estimated: FloatArray, degrees: float) -> FloatArray:
    """Degrees of freedom of a variance, part of which is estimated with so many.

    degrees · (variance / estimated)².
    """
    known = (variance > 0.0) & (estimated > 0.0)
    share = np.divide(estimated, variance, out=np.ones_like(variance), where=known)
    return np.minimum(degrees / np.maximum(share, 1e-8) ** 2, 1e10)
