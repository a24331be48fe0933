"""The transport law: a Gaussian distribution of the risk, whose width is the distance between observed and simulated losses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from rivals._checks import check_positive, check_size
from rivals._random import TRANSPORT_RISK, entropy_from, stream
from rivals._types import RNG, BoolArray, FloatArray, IntArray
from rivals.core.sampling_error import MeanErrors, blocks, mean_covariance
from rivals.losses import Losses, with_simulations

# Losses beyond two to this power, or below its inverse, are computed with in another unit, since they are squared.
LARGEST_EXPONENT = 300


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
    """

    excess: float
    distance: float
    sampling_error: float
    c: float
    reference: float = 0.0

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
        groups: IntArray | None = None,
    ) -> TransportLaw:
        """The law of one candidate, given by its `Losses` or a pair (observed, synthetic).

        Parameters
        ----------
        losses : Losses or pair
            The synthetic losses may have two dimensions, simulations by points.
        c : float
            Sensitivity of the risk to the distance.
        order, groups
            How points depend on each other, see `mean_covariance`.
        """
        observed, synthetic, reference = _samples(losses)
        unit = unit_exponent(observed)
        squares = wasserstein_squares(np.ldexp(observed, -unit), np.ldexp(synthetic, -unit))
        variance = mean_covariance(np.ldexp(observed, -unit)[None, :], order=order, groups=groups)[0, 0]
        return cls(
            excess=float(np.mean(observed)),
            distance=float(np.ldexp(sqrt(np.mean(squares)), unit)),
            sampling_error=float(np.ldexp(sqrt(variance), unit)),
            c=c,
            reference=reference,
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
        return np.asarray(ndtr(above / self.risk_std) if self.risk_std > 0.0 else np.where(above >= 0.0, 1.0, 0.0))

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
        return self.excess + self.risk_std * stream(entropy_from(rng), TRANSPORT_RISK).standard_normal(n_draws)

    def __repr__(self) -> str:
        return (
            f"TransportLaw(c={self.c:g}, R = {self.risk_mean:.5g} ± {self.risk_std:.2g}, "
            f"distance {self.distance:.2g}, sampling error {self.sampling_error:.2g})"
        )


def wasserstein_squares(observed: FloatArray, synthetic: FloatArray) -> FloatArray:
    """Squared 1-Wasserstein distance ∫ |q~_s − q*| dΦ of the observed losses to those of each simulation.

    Quantile functions are steps here: samples of equal size differ by the mean absolute difference of their order
    statistics. Samples of unequal size are compared on the union of both grids, which is exact as well.

    Parameters
    ----------
    observed : array, shape (n,)
    synthetic : array, shape (simulations, m)

    Returns
    -------
    array, shape (simulations,)

    Examples
    --------
    >>> wasserstein_squares(
    ...     np.array([1.0, 3.0]), np.array([[2.0, 2.0, 2.0], [1.0, 3.0, 3.0]])
    ... )
    array([1.        , 0.11111111])
    """
    in_observed, in_synthetic, widths = _both_grids(observed.size, synthetic.shape[1])
    gaps = np.sort(synthetic, axis=1)[:, in_synthetic] - np.sort(observed)[in_observed]
    with np.errstate(over="ignore"):
        return np.asarray((np.abs(gaps) @ widths) ** 2)


@lru_cache(maxsize=1)
def _both_grids(n: int, m: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Where n and m steps of equal width overlap: which step of either, and how wide. The same for all models."""
    if n == m:
        return np.arange(n), np.arange(n), np.full(n, n / (float(n) * n))
    # Both grids in units of 1/(n m): whole numbers, so that common points are seen as such. Two sorted runs are merged in
    # linear time by a stable sort; `np.union1d`, which does not know that they are sorted, takes half a minute for 10⁷.
    edges = np.sort(np.concatenate([m * np.arange(1, n + 1), n * np.arange(1, m + 1)]), kind="stable")
    edges = edges[np.diff(edges, prepend=0) > 0]
    return (edges - 1) // m, (edges - 1) // n, np.diff(edges, prepend=0) / (float(n) * m)


def transport_probability(means: FloatArray, squares: FloatArray, covariance: FloatArray, c: float) -> FloatArray:
    """[a, b] = P(R_a < R_b) of every pair under the transport law, in closed form.

    P(R_a < R_b) = Φ((m_b − m_a) / √(c (W_a² + W_b²) + C_aa + C_bb − 2 C_ab)): the distances enter independently, the
    sampling error is that of the paired difference.

    Parameters
    ----------
    means : array, shape (models,)
        Mean losses m; a common offset is best subtracted before.
    squares : array, shape (models,)
        Squared distances W².
    covariance : array, shape (models, models)
        Covariance C of the means, see `mean_covariance`.
    c : float

    Returns
    -------
    array, shape (models, models)
        ½ on the diagonal; [a, b] + [b, a] = 1 exactly. Where the difference has no spread: 0, ½ or 1.

    Examples
    --------
    >>> transport_probability(
    ...     np.array([1.0, 1.5]), np.array([0.1, 0.1]), 0.01 * np.eye(2), c=0.5
    ... ).round(3)
    array([[0.5  , 0.926],
           [0.074, 0.5  ]])
    """
    own = _own_variance(squares, np.diagonal(covariance), c)
    return _below(means[None, :] - means[:, None], own[:, None] + own[None, :] - 2.0 * covariance)


@dataclass(frozen=True, eq=False)
class TransportPairs:
    """All pairs of models under the transport law. Nothing of the size of all pairs is made before it is asked for.

    Parameters
    ----------
    means : array, shape (models,)
        Mean losses, less a common reference.
    single_squares : array, shape (simulations, models)
        Squared distances W² of each simulation; the law has their mean.
    errors : MeanErrors
        Sampling errors of the means.
    c, threshold : float
    """

    means: FloatArray
    single_squares: FloatArray = field(repr=False)
    errors: MeanErrors = field(repr=False)
    c: float
    threshold: float

    @cached_property
    def squares(self) -> FloatArray:
        """W² of each model."""
        return np.asarray(self.single_squares.mean(axis=0))

    @cached_property
    def risk_std(self) -> FloatArray:
        """Standard deviation of the risk of each model."""
        return np.sqrt(_own_variance(self.squares, self.errors.variance, self.c))

    def probability(self, first: IntArray, second: IntArray) -> FloatArray:
        """[i, j] = P(R < R') of the models first[i] and second[j]."""
        own = _own_variance(self.squares, self.errors.variance, self.c)
        variance = own[first][:, None] + own[second][None, :] - 2.0 * self.errors.covariance(first, second)
        return _below(self.means[second][None, :] - self.means[first][:, None], variance)

    def matrix(self) -> FloatArray:
        """[a, b] = P(R_a < R_b) of every pair."""
        matrix = np.full((self.means.size, self.means.size), 0.5)
        for piece in blocks(self.means.size):
            here, later = np.arange(piece.start, piece.stop), np.arange(piece.start, self.means.size)
            block = self.probability(here, later)
            # Above the diagonal alone, since rounding must not keep two probabilities from adding up to 1.
            upper = here[:, None] < later[None, :]
            matrix[piece, piece.start :][upper] = block[upper]
            matrix[piece.start :, piece].T[upper] = 1.0 - block[upper]
        return matrix

    def __array__(self, dtype: Any = None, copy: Any = None) -> FloatArray:
        """The matrix: a comparison of ten thousand models need not hold it unless someone looks."""
        return self.matrix()

    @cached_property
    def verdict(self) -> TransportVerdict:
        """The rejection rule applied to all pairs, block by block."""
        n_simulations, n_models = self.single_squares.shape
        own, order = self.errors.variance, np.argsort(self.means, kind="stable")
        first_rival, critical = np.full(n_models, -1), np.full(n_models, np.nan)
        rejected = np.zeros((n_simulations, n_models), dtype=bool)
        for piece in blocks(n_models):
            models, rivals = order[piece], order[: piece.stop]  # best first: none behind is better
            variance = np.maximum(
                own[models][:, None] + own[rivals][None, :] - 2.0 * self.errors.covariance(models, rivals), 0.0
            )
            gap = self.means[models][:, None] - self.means[rivals][None, :]
            room = _room(gap, variance, self.threshold)
            critical[models] = _largest_c(room, self.squares[models], self.squares[rivals])
            first_rival[models] = self._first_rival(models, rivals, room)
            for index, squares in enumerate(self.c * self.single_squares):
                rejected[index, models] = np.max(room - squares[rivals], axis=1) > squares[models]
        return TransportVerdict(first_rival, rejected, critical)

    def _first_rival(self, models: IntArray, rivals: IntArray, room: FloatArray) -> IntArray:
        """The best of the rivals that reject each model, or −1."""
        needed = self.c * (self.squares[models][:, None] + self.squares[rivals][None, :])
        beats = room > needed
        # So close to the threshold that rounding decides, it is the probability itself that counts.
        scale = np.abs(needed) + np.where(np.isfinite(room), np.abs(room), 0.0)
        margin = 1e-9 + 1e-15 / _density(float(ndtri(self.threshold))) if self.threshold < 1.0 else 0.0
        for row in np.flatnonzero((np.abs(room - needed) <= margin * scale).any(axis=1)):
            close = np.flatnonzero(np.abs(room[row] - needed[row]) <= margin * scale[row])
            probability = self.probability(rivals[close], models[row : row + 1])[:, 0]
            beats[row, close] = (probability > self.threshold) & (room[row, close] > -np.inf)
        return np.where(beats.any(axis=1), rivals[np.argmax(beats, axis=1)], -1)


@dataclass(frozen=True, eq=False)
class TransportVerdict:
    """What all pairs say about each model."""

    first_rival: IntArray  # of the rivals that reject it, the one of lowest mean loss; −1 where there is none
    rejected_by_simulation: BoolArray  # [s, a]: whether simulation s alone would reject model a
    critical_c: FloatArray  # the largest c at which it is rejected; nan where none is that small


def critical_c(means: FloatArray, squares: FloatArray, covariance: FloatArray, threshold: float) -> FloatArray:
    """The largest c at which each model is rejected under the transport law; nan where none is that small.

    P(R_b < R_a) > ε for c < ((m_a − m_b)² / z² − V_ab) / (W_a² + W_b²), with z = Φ⁻¹(ε) and V_ab the variance of the
    paired difference. Of all rivals of lower mean loss the one that rejects up to the largest c counts.

    Examples
    --------
    >>> critical_c(
    ...     np.array([1.0, 1.5]), np.array([0.1, 0.1]), 0.01 * np.eye(2), 0.95
    ... ).round(3)
    array([  nan, 0.362])
    """
    own = np.diagonal(covariance)
    variance = np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 0.0)
    return _largest_c(_room(means[:, None] - means[None, :], variance, threshold), squares, squares)


def unit_exponent(losses: FloatArray) -> int:
    """The power of two in whose unit squares of these losses neither overflow nor vanish; 0 where they do not anyway.

    Also 0 where one row is so much larger than another that no unit serves both: then the large one overflows, which is
    refused, in place of the small one vanishing, which nobody would see.
    """
    largest = np.max(np.abs(np.atleast_2d(losses)), axis=1)
    exponents = np.frexp(largest[largest > 0.0])[1]
    if not exponents.size or abs(int(exponents.max())) <= LARGEST_EXPONENT:
        return 0
    highest, lowest = int(exponents.max()), int(exponents.min())
    return 0 if highest > 0 and highest - lowest > 1.5 * LARGEST_EXPONENT else highest


def _room(gap: FloatArray, variance: FloatArray, threshold: float) -> FloatArray:
    """What c (W_a² + W_b²) must stay below for the rival b to reject the model a; −inf where b is no better."""
    with np.errstate(over="ignore"):
        return np.where(gap > 0.0, (gap / ndtri(threshold)) ** 2 - variance, -np.inf)


def _largest_c(room: FloatArray, models: FloatArray, rivals: FloatArray) -> FloatArray:
    squares = models[:, None] + rivals[None, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        best = np.max(np.where(room > 0.0, room / squares, -np.inf), axis=1)
    return np.where(best > 0.0, best, np.nan)


def _own_variance(squares: FloatArray, variances: FloatArray, c: float) -> FloatArray:
    with np.errstate(over="ignore"):
        own = c * squares + variances
    if not np.isfinite(own).all():
        raise ValueError(f"losses this large overflow at c = {c:g}; rescale the loss")
    return own


def _below(gap: FloatArray, variance: FloatArray) -> FloatArray:
    """P(R_a < R_b) from the gap m_b − m_a of the means and the variance of the difference."""
    if not np.isfinite(variance).all():
        raise ValueError("losses this large overflow; rescale the loss")
    spread = np.sqrt(np.maximum(variance, 0.0))  # rounding can make the difference of like models negative
    no_spread = np.where(gap == 0.0, 0.0, np.inf)
    # The smaller of both probabilities, which has all its digits; the other is what is left, so that they add up to 1.
    with np.errstate(over="ignore"):
        smaller = ndtr(-np.divide(np.abs(gap), spread, out=no_spread, where=spread > 0.0))
    return np.asarray(np.where(gap < 0.0, smaller, 1.0 - smaller))


def _density(z: float) -> float:
    """Of the standard normal distribution."""
    return max(float(np.exp(-0.5 * z * z)) / sqrt(2.0 * np.pi), 1e-300)


def _samples(losses: Losses | tuple[Any, Any]) -> tuple[FloatArray, FloatArray, float]:
    """Observed losses, synthetic losses (simulations × points) and the reference that both are less."""
    losses = with_simulations(losses)
    return losses.observed - losses.reference, np.atleast_2d(losses.synthetic) - losses.reference, losses.reference
