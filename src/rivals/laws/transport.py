"""Law "transport": what a model gets wrong may come out differently in a replication, by as much as it is wrong.

Assumption. Every observed loss moves by a common random multiple of its optimal-transport displacement δ_s = |q~_s − q*|
to the losses of simulation s = 1 … S. With independent z_s ~ N(0, 1) and ↑ the increasing rearrangement,

    q^ = [ q* + √(c/S) Σ_s z_s δ_s ]↑ .

Formula. Sorting does not change an integral, so R = ∫ q^ is exactly N(m, c W²), with m the mean loss and W² the mean over
simulations of the squared 1-Wasserstein distance. With the sampling error e of the means, for models with independent z,

    P(R_a < R_b) = Φ( (m_b − m_a) / √(c (W_a² + W_b²) + se_ab²) ),

se_ab the standard error of the *paired* difference. Everything is linear in the loss: c has no unit. `docs/theory.md` has the
proofs, and compares the desiderata of the original paper one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, sqrt
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtr

from rivals._random import TRANSPORT_RISK, entropy_from, stream
from rivals._say.arguments import check_depth, check_positive, check_size
from rivals._types import RNG, BoolArray, FloatArray, IntArray
from rivals.core.quantiles import QuantileFunction, grid
from rivals.core.sampling_error import WHOLE, MeanErrors, blocks, mean_error
from rivals.core.scales import root_mean_square, unit_exponent
from rivals.core.verdict import Duel
from rivals.core.wasserstein import both_grids, wasserstein_distances
from rivals.laws.base import Applied, Correct, Law, Setting
from rivals.losses import Losses, with_simulations

# ---------------------------------------------------------------- kernels


def transport_variance(squares: FloatArray, variances: FloatArray, c: float) -> FloatArray:
    """c W² + the variance of the mean, of each model."""
    with np.errstate(over="ignore"):
        own = c * squares + variances
    if not np.isfinite(own).all():
        raise ValueError(f"losses this large overflow at c = {c:g}; rescale the loss")
    return own


def probability_lower(
    gap: FloatArray, variance: FloatArray, degrees: FloatArray | None = None
) -> FloatArray:
    """P(R_a < R_b) from the gap m_b − m_a of the means and the variance of their difference: normal, or Student's t."""
    if not np.isfinite(variance).all():
        raise ValueError("losses this large overflow; rescale the loss")
    spread = np.sqrt(
        np.maximum(variance, 0.0)
    )  # rounding can make the difference of like models negative
    no_spread = np.where(gap == 0.0, 0.0, np.inf)
    # The smaller of both probabilities, which has all its digits; the other is what is left, so that they add up to 1.
    with np.errstate(over="ignore"):
        score = np.divide(np.abs(gap), spread, out=no_spread, where=spread > 0.0)
    smaller = ndtr(-score) if degrees is None else stdtr(degrees, -score)
    return np.asarray(np.where(gap < 0.0, smaller, 1.0 - smaller))


def satterthwaite(variance: FloatArray, estimated: FloatArray, degrees: float) -> FloatArray:
    """Degrees of freedom of a variance, part of which is estimated, with so many: degrees · (variance / estimated)²."""
    share = np.divide(
        estimated, variance, out=np.ones_like(variance), where=(variance > 0.0) & (estimated > 0.0)
    )
    return np.minimum(degrees / np.maximum(share, 1e-8) ** 2, 1e10)


# ---------------------------------------------------------------- the law of one model


@dataclass(frozen=True)
class TransportLaw:
    """The law R = mean loss + √c W z + e of the risk of one model, z and e Gaussian.

    W is the distance between the observed and the simulated losses (1-Wasserstein, the root of its mean square over
    simulations): what the model gets wrong may come out differently in a replication. e is the sampling error of the
    mean. Everything is linear in the loss, so its unit does not matter, and R is centred on the mean loss. The
    width of a model that is right shrinks as the root of the number of points.

    Parameters
    ----------
    excess : float
        Mean observed loss, less `reference`.
    distance : float
        W.
    sampling_error : float
        Standard deviation of e.
    c : float
        Sensitivity of the risk to the distance.
    reference : float
        What was subtracted from the losses before, and is added to what comes out.
    losses : Losses, optional
        Those that the law is made from; only `sample_paths` needs them.

    See Also
    --------
    HierarchicalBetaProcess : the law of the original paper.
    compare : uses these laws for all models.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> law = TransportLaw.from_losses(
    ...     (rng.exponential(size=4000), 1.2 * rng.exponential(size=4000)), c=0.1
    ... )
    >>> print(f"{law.risk_mean:.3f} ± {law.risk_std:.3f}, distance {law.distance:.2f}")
    1.019 ± 0.046, distance 0.14
    >>> phi, paths = law.sample_paths(3, rng=0)
    >>> bool((np.diff(paths) >= 0).all())
    True
    """

    excess: float
    distance: float
    sampling_error: float
    c: float
    reference: float = 0.0
    losses: Losses | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Plain floats, whatever kind of number c was; object.__setattr__ because the class is frozen.
        object.__setattr__(self, "c", check_positive(self.c, "c"))
        if not np.isfinite(self.risk_std):
            raise ValueError(f"losses this large overflow at c = {self.c:g}; rescale the loss")

    @classmethod
    def from_losses(
        cls,
        losses: Losses | tuple[Any, Any],
        c: float,
        *,
        order: Literal["time"] | None = None,
        clusters: IntArray | None = None,
        reference: float | None = None,
    ) -> TransportLaw:
        """The law of one candidate, given by its `Losses` or a pair (observed, synthetic).

        Parameters
        ----------
        losses : Losses or pair
            The synthetic losses may have two dimensions, simulations by points.
        c : float
            Sensitivity of the risk to the distance.
        order, clusters
            How points depend on each other, see `rivals.core.sampling_error.mean_covariance`.
        reference : float, optional
            Subtracted before anything is computed; by default a typical loss of this candidate.
        """
        losses = with_simulations(losses)
        reference = losses.reference if reference is None else reference
        observed = losses.observed - reference
        distances = wasserstein_distances(observed, losses.simulations - reference)
        unit = unit_exponent(distances)
        return cls(
            excess=float(np.mean(observed)),
            distance=float(np.ldexp(sqrt(np.mean(np.ldexp(distances, -unit) ** 2)), unit)),
            sampling_error=mean_error(observed, order=order, clusters=clusters),
            c=c,
            reference=reference,
            losses=losses,
        )

    def at(self, c: float) -> TransportLaw:
        """The same law at another c."""
        return replace(self, c=c)

    @property
    def risk_mean(self) -> float:
        """E[R], the mean observed loss."""
        return self.reference + self.excess

    @property
    def risk_std(self) -> float:
        """Standard deviation of R."""
        return float(np.hypot(sqrt(self.c) * self.distance, self.sampling_error))

    def cdf(self, risk: npt.ArrayLike) -> FloatArray:
        """P(R ≤ risk). Where R has no spread, a step."""
        above = (np.asarray(risk, dtype=np.float64) - self.reference) - self.excess
        return np.asarray(
            ndtr(above / self.risk_std) if self.risk_std > 0.0 else np.where(above >= 0.0, 1.0, 0.0)
        )

    def ppf(self, probability: npt.ArrayLike) -> FloatArray:
        """The quantile of R at each probability."""
        probability = np.asarray(probability, dtype=np.float64)
        if self.risk_std == 0.0:
            return np.where((probability >= 0.0) & (probability <= 1.0), self.risk_mean, np.nan)
        return np.asarray(self.reference + (self.excess + self.risk_std * ndtri(probability)))

    def sample_risk(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Independent draws of R."""
        return self.reference + self.sample_excess_risk(n_draws, rng)

    def sample_excess_risk(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Draws of R − reference: what to compare when losses have a large common offset."""
        n_draws = check_size(n_draws, "n_draws")
        return self.excess + self.risk_std * stream(
            entropy_from(rng), TRANSPORT_RISK
        ).standard_normal(n_draws)

    def sample_paths(
        self, n_paths: int, depth: int = 8, rng: RNG = None
    ) -> tuple[FloatArray, FloatArray]:
        """Realisations of q^ = [q* + √(c/S) Σ_s z_s δ_s]↑, for pictures and checks; without the sampling error e.

        Parameters
        ----------
        n_paths : int
            How many.
        depth : int
            The paths are read at 2**depth + 1 evenly spaced Φ. They themselves do not depend on it.
        rng : int, SeedSequence, Generator or None
            Source of randomness.

        Returns
        -------
        phi : array, shape (2**depth + 1,)
        paths : array, shape (n_paths, 2**depth + 1)
            Never decreasing along the second axis. The average of the whole path is N(mean loss, c W²).
        """
        n_paths, depth = check_size(n_paths, "n_paths"), check_depth(depth)
        generator, phi = stream(entropy_from(rng), TRANSPORT_RISK), grid(depth)
        # One at a time: of many points and simulations, all of them would not fit into memory.
        paths = [np.interp(phi, *self._path(generator)) for _ in range(n_paths)]
        return phi, self.reference + np.array(paths)

    def _path(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """One path at the resolution of the losses: the middles of its steps, and its heights less the reference."""
        centre, gaps, widths = self._displacements
        moved = centre + sqrt(self.c / len(gaps)) * (rng.standard_normal(len(gaps)) @ gaps)
        order = np.argsort(moved, kind="stable")
        return np.cumsum(widths[order]) - 0.5 * widths[order], moved[order]

    @cached_property
    def _displacements(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q*, δ of each simulation, and how wide the steps are on which both are constant."""
        samples = self._kept_losses
        in_observed, in_synthetic, widths = both_grids(samples.n_observed, samples.n_synthetic)
        centre = np.sort(samples.observed - self.reference)[in_observed]
        return (
            centre,
            np.abs(np.sort(samples.simulations - self.reference, axis=1)[:, in_synthetic] - centre),
            widths,
        )

    @cached_property
    def observed(self) -> QuantileFunction:
        """q*, less the reference."""
        return QuantileFunction(self._kept_losses.observed - self.reference)

    @cached_property
    def synthetic(self) -> tuple[QuantileFunction, ...]:
        """q~ of each simulation, less the reference."""
        return tuple(
            QuantileFunction(row - self.reference) for row in self._kept_losses.simulations
        )

    def discrepancy(self, phi: npt.ArrayLike) -> FloatArray:
        """δ(Φ), the root of the mean over simulations of (q~ − q*)²."""
        centre = self.observed(phi)
        return root_mean_square([simulated(phi) - centre for simulated in self.synthetic])

    @property
    def _kept_losses(self) -> Losses:
        if self.losses is None:
            raise ValueError(
                "the paths need the losses: make the law with TransportLaw.from_losses"
            )
        return self.losses

    def __repr__(self) -> str:
        return (
            f"TransportLaw(c={self.c:g}, R = {self.risk_mean:.5g} ± {self.risk_std:.2g}, "
            f"distance {self.distance:.2g}, sampling error {self.sampling_error:.2g})"
        )


# ---------------------------------------------------------------- the law of all models


@dataclass(frozen=True)
class Transport(Law):
    """Law "transport", the default: R = mean loss + √c W z + sampling error. It has no options of its own.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> rivals.compare(toys.losses(), law=rivals.laws.Transport(), rng=0).survivors
    ('A',)
    """

    name: ClassVar[str] = "transport"
    # Measured, not derived (docs/does-it-work.md): one value for this law and for its continuation to groups.
    default_c: ClassVar[float] = 0.25
    # One more c costs next to nothing, and the best c is not known to an order of magnitude: octaves.
    grid: ClassVar[tuple[float, ...]] = tuple(2.0**octave for octave in range(-10, 7))
    measured: ClassVar = {True: {1: (10.35, 5.08)}}
    about: ClassVar[str] = (
        "No c suits every problem. Probabilities at a c that was chosen by hand are not calibrated. Use groups where the data have "
        "them, or rivals.calibrate, to find c and a curve from simulated experiments with fresh replications."
    )
    method: ClassVar[str] = (
        "The risk of a model, its mean loss in a replication, was taken as normal about its mean held-out loss, and differences between "
        "models were paired point by point."
    )
    method_of_c: ClassVar[str] = (
        "Its variance is that of the sampling error plus c W², with W the 1-Wasserstein distance between the losses on the data and on "
        "data that the model simulated itself (law transport)."
    )
    overlap: ClassVar[str] = (
        "Models share the sampling error, so they may overlap although one of them is reproducibly better."
    )

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> TransportRisks:
        return TransportRisks(self, losses, setting, summaries)

    def summary(self, losses: Losses, setting: Setting) -> FloatArray:
        """W of each simulation."""
        return wasserstein_distances(
            losses.observed - losses.reference, losses.simulations - losses.reference
        )


class TransportRisks(Applied):
    """Law "transport" of all models. Nothing of the size of all pairs is made before it is asked for."""

    def __init__(
        self,
        law: Law,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[FloatArray] | None = None,
    ) -> None:
        super().__init__(law, losses, setting, summaries)
        distances = np.stack(
            [law.summary(each, setting) for each in losses] if summaries is None else summaries
        )
        excess = np.stack([sample.observed for sample in losses]) - self.reference
        # Powers of two in which squares are safe: the formula below works in this unit.
        self._unit = unit_exponent(np.hstack([excess, distances]))
        excess = np.ldexp(excess, -self._unit) if self._unit else excess
        with np.errstate(over="ignore"):  # which `transport_variance` reports
            self._singles = np.ldexp(distances, -self._unit) ** 2  # [model, simulation]
        clusters = None if setting.clusters is None else setting.clusters.codes
        self._errors = MeanErrors.of(excess, order=setting.order, clusters=clusters)
        self._means = np.ldexp(self.empirical, -self._unit)
        self._squares = np.asarray(self._singles.mean(axis=1))

    def at(self, c: float) -> TransportRisks:
        other = copy(self)
        other.setting = replace(self.setting, c=c)
        for stale in ("risk_std", "draws", "_all_pairs"):
            other.__dict__.pop(stale, None)
        return other

    @property
    def risk_mean(self) -> FloatArray:
        return self.reference + self.empirical

    @cached_property
    def risk_std(self) -> FloatArray:
        own = transport_variance(self._squares, self._errors.variance, self.setting.c)
        return np.asarray(np.ldexp(np.sqrt(own), self._unit))

    @property
    def distance(self) -> FloatArray:
        return np.asarray(np.ldexp(np.sqrt(self._squares), self._unit))

    # ---------------------------------------------------------------- every pair

    def _probability(
        self, first: IntArray, second: IntArray, covariance: FloatArray, squares: FloatArray
    ) -> FloatArray:
        """[i, j] = P(R < R') of the models first[i] and second[j], from the covariance of their means and W² of all models."""
        total = transport_variance(squares, self._errors.variance, self.setting.c)
        gap = self._means[second][None, :] - self._means[first][:, None]
        variance = total[first][:, None] + total[second][None, :] - 2.0 * covariance
        if self._errors.degrees == inf:
            return probability_lower(gap, variance)
        estimated = self._sampling_variance(first, second, covariance)
        return probability_lower(
            gap, variance, satterthwaite(variance, estimated, self._errors.degrees)
        )

    def _sampling_variance(
        self, first: IntArray, second: IntArray, covariance: FloatArray
    ) -> FloatArray:
        """Variance of the sampling error of the differences of the means."""
        own = self._errors.variance
        return np.maximum(own[first][:, None] + own[second][None, :] - 2.0 * covariance, 0.0)

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        matrix = self._pairs(self._squares)
        return matrix, np.zeros_like(matrix)

    def _pairs(self, squares: FloatArray) -> FloatArray:
        n_models = self._means.size
        if n_models <= WHOLE:
            every = np.arange(n_models)
            return self._probability(every, every, self._errors.covariance(), squares)
        matrix = np.full((n_models, n_models), 0.5)
        for piece in blocks(n_models):
            here, later = np.arange(piece.start, piece.stop), np.arange(piece.start, n_models)
            block = self._probability(here, later, self._errors.covariance(here, later), squares)
            # Above the diagonal alone, since rounding must not keep two probabilities from adding up to 1.
            upper = here[:, None] < later[None, :]
            matrix[piece, piece.start :][upper] = block[upper]
            matrix[piece.start :, piece].T[upper] = 1.0 - block[upper]
        return matrix

    def single_matrices(self) -> Iterator[FloatArray]:
        return (self._pairs(squares) for squares in self._singles.T)

    # ---------------------------------------------------------------- the verdict

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return (self._all_pairs.rejections, []) if self._errors.degrees == inf else super().decide()

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is None and self._errors.degrees == inf:
            return self._all_pairs.rejected_by_simulation
        return super().rejected_by_simulation(correct)

    @property
    def critical_c(self) -> FloatArray:
        return self._all_pairs.critical_c if self._errors.degrees == inf else super().critical_c

    @cached_property
    def _all_pairs(self) -> _AllPairs:
        """Every model against all that are better, block by block, under normal laws.

        P > ε where c (W_a² + W_b²) < room = (gap / Φ⁻¹(ε))² − se².
        """
        n_models, n_simulations = self._singles.shape
        threshold, order = self.setting.threshold, np.argsort(self._means, kind="stable")
        rejections, critical = {}, np.full(n_models, np.nan)
        rejected = np.zeros((n_simulations, n_models), dtype=bool)
        for piece in blocks(n_models):
            models, rivals = order[piece], order[: piece.stop]  # best first: none behind is better
            gap = self._means[models][:, None] - self._means[rivals][None, :]
            covariance = self._errors.covariance(models, rivals)
            probability = self._probability(rivals, models, covariance.T, self._squares).T
            beats = (gap > 0.0) & (probability > threshold)
            for row in np.flatnonzero(beats.any(axis=1)).tolist():
                model, first = int(models[row]), int(np.argmax(beats[row]))
                rejections[model] = Duel(
                    model, int(rivals[first]), float(probability[row, first]), 0.0
                )
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                room = (gap / ndtri(threshold)) ** 2 - self._sampling_variance(
                    models, rivals, covariance
                )
                room[gap <= 0.0] = -np.inf
                largest = np.where(
                    room > 0.0,
                    room / (self._squares[models][:, None] + self._squares[rivals]),
                    -np.inf,
                )
            critical[models] = np.max(largest, axis=1)
            for index, squares in enumerate(self.setting.c * self._singles.T):
                rejected[index, models] = np.max(room - squares[rivals], axis=1) > squares[models]
        return _AllPairs(rejections, rejected, np.where(critical > 0.0, critical, np.nan))

    # ---------------------------------------------------------------- pictures

    def process(self, index: int) -> TransportLaw | None:
        sample, setting = self.losses[index], self.setting
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
    critical_c: FloatArray  # the largest c at which it is rejected; nan where none is that small
