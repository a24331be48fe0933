"""The transport law: a Gaussian distribution of the risk, as wide as the losses are far from the simulated ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from rivals._checks import check_positive, check_size
from rivals._random import TRANSPORT_RISK, entropy_from, stream
from rivals._types import RNG, FloatArray, IntArray
from rivals.core.sampling_error import mean_covariance
from rivals.losses import Losses


@dataclass(frozen=True)
class TransportLaw:
    """The law R = mean loss + √c W z + e of the risk of one model, z and e Gaussian.

    W is the distance between the observed and the simulated losses (1-Wasserstein, the root of its mean square over
    simulations): what the model gets wrong may come out differently in a replication. e is the sampling error of the
    mean. Everything is linear in the loss, so that its unit does not matter, and R is centred on the mean loss. The
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
            raise ValueError(f"losses so large overflow at c = {self.c:g}; rescale the loss")

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
        squares = wasserstein_squares(observed, synthetic)
        variance = mean_covariance(observed[None, :], order=order, groups=groups)[0, 0]
        return cls(
            excess=float(np.mean(observed)),
            distance=sqrt(np.mean(squares)),
            sampling_error=sqrt(variance),
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
    n, m = observed.size, synthetic.shape[1]
    # Both grids in units of 1/(n m): whole numbers, so that common points are seen as such.
    edges = np.union1d(m * np.arange(1, n + 1), n * np.arange(1, m + 1))
    widths = np.diff(edges, prepend=0) / (float(n) * m)
    gaps = np.sort(synthetic, axis=1)[:, (edges - 1) // n] - np.sort(observed)[(edges - 1) // m]
    with np.errstate(over="ignore"):
        return np.asarray((np.abs(gaps) @ widths) ** 2)


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
    own = c * squares + np.diagonal(covariance)
    variance = own[:, None] + own[None, :] - 2.0 * covariance
    if not np.isfinite(variance).all():
        raise ValueError(f"losses so large overflow at c = {c:g}; rescale the loss")
    spread = np.sqrt(np.maximum(variance, 0.0))  # rounding can make the difference of like models negative
    gap = means[None, :] - means[:, None]
    no_spread = np.where(gap == 0.0, 0.0, np.inf)
    # The smaller of both probabilities, which has all its digits; the other is what is left, so that they add up to 1.
    with np.errstate(over="ignore"):
        smaller = ndtr(-np.divide(np.abs(gap), spread, out=no_spread, where=spread > 0.0))
    return np.asarray(np.where(gap < 0.0, smaller, 1.0 - smaller))


def critical_c(means: FloatArray, squares: FloatArray, covariance: FloatArray, threshold: float) -> FloatArray:
    """The largest c at which each model is rejected under the transport law; nan where none is that small.

    P(R_b < R_a) > ε for c < ((m_a − m_b)² / z² − V_ab) / (W_a² + W_b²), with z = Φ⁻¹(ε) and V_ab the variance of the
    paired difference. Of all rivals of lower mean loss the one that rejects longest counts.

    Examples
    --------
    >>> critical_c(
    ...     np.array([1.0, 1.5]), np.array([0.1, 0.1]), 0.01 * np.eye(2), 0.95
    ... ).round(3)
    array([  nan, 0.362])
    """
    own = np.diagonal(covariance)
    variance = np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 0.0)
    gap = means[:, None] - means[None, :]  # [model, rival]
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = ((gap / ndtri(threshold)) ** 2 - variance) / (squares[:, None] + squares[None, :])
    best = np.max(np.where((gap > 0.0) & (largest > 0.0), largest, -np.inf), axis=1)
    return np.where(best > 0.0, best, np.nan)


def _samples(losses: Losses | tuple[Any, Any]) -> tuple[FloatArray, FloatArray, float]:
    """Observed losses, synthetic losses (simulations × points) and the reference that both are less."""
    if not isinstance(losses, Losses):
        losses = Losses(*losses)
    return losses.observed - losses.reference, np.atleast_2d(losses.synthetic) - losses.reference, losses.reference
