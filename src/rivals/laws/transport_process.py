"""The process of method "transport": the law of the risk of one model, and paths of it.

q^ = [ q* + √(c/S) Σ_s z_s δ_s ]↑ ,   R = ∫ q^ ~ N(m, c W²), and the sampling error of m .
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from rivals._core.checks import check_depth, check_positive, check_size
from rivals._core.losses import Losses
from rivals._core.seeds import TRANSPORT_RISK, entropy_from, stream
from rivals._core.types import RNG, FloatArray, IntArray
from rivals.laws.beta.squares import root_mean_square
from rivals.method.distance import both_grids, wasserstein_distances
from rivals.method.error import mean_errors
from rivals.method.quantiles import QuantileFunction, grid

# Halvings at which functions are read.
LEVELS = 12


@dataclass(frozen=True)
class TransportLaw:
    """The distribution of one model's risk under method "transport".

    R = mean loss + √c W z + e, with z and e Gaussian.

    W is the distance between the observed and the simulated losses (1-Wasserstein, the root of its
    mean square over simulations): what the model gets wrong may come out differently in a
    replication. e is the sampling error of the mean. Everything is linear in the loss, so its unit
    does not matter, and R is centred on the mean loss. The width of a model that is right shrinks
    as the root of the number of points.

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
        Those that the law is made from; only q, δ and paths need them.
    curves : pair of QuantileFunction, optional
        q* less the reference and δ, where these are given in place of losses.

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
    curves: tuple[QuantileFunction, QuantileFunction] | None = field(
        default=None, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_positive(self.c, "c")

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
        """From `Losses`, or a pair (observed, simulated).

        Parameters
        ----------
        losses : Losses or pair
            The simulated losses may have two dimensions, simulations by points.
        c : float
            Sensitivity of the risk to the distance.
        order, clusters
            How points depend on each other, see `rivals.method.error.mean_errors`.
        reference : float, optional
            Subtracted before anything is computed; by default a typical loss of this candidate.
        """
        losses = losses if isinstance(losses, Losses) else Losses(*losses)
        reference = losses.reference if reference is None else reference
        observed = losses.observed - reference
        distances = wasserstein_distances(losses.observed, losses.simulated)
        errors = mean_errors(observed[None, :], order=order, clusters=clusters)
        return cls(
            excess=float(np.mean(observed)),
            distance=sqrt(np.mean(distances**2)),
            sampling_error=sqrt(errors.own[0]),
            c=c,
            reference=reference,
            losses=losses,
        )

    @classmethod
    def from_curves(cls, q: QuantileFunction, delta: QuantileFunction, c: float) -> TransportLaw:
        """From q* and δ.

        Without points, there is no sampling error.
        """
        return cls(float(q.integral()), float(delta.integral()), 0.0, c, curves=(q, delta))

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
        """Draws of R − reference.

        What to compare where losses have a large common offset.
        """
        n_draws = check_size(n_draws, "n_draws")
        return self.excess + self.risk_std * stream(
            entropy_from(rng), TRANSPORT_RISK
        ).standard_normal(n_draws)

    def sample_paths(
        self, n_paths: int, depth: int = 8, rng: RNG = None
    ) -> tuple[FloatArray, FloatArray]:
        """Realisations of q^, for pictures and checks.

        q^ = [q* + √(c/S) Σ_s z_s δ_s]↑, without the sampling error e.

        Parameters
        ----------
        n_paths : int
            How many.
        depth : int
            The paths are read at 2**depth + 1 evenly spaced Φ. They themselves do not depend on
            it.
        rng : int, SeedSequence, Generator or None
            Source of randomness.

        Returns
        -------
        phi : array, shape (2**depth + 1,)
        paths : array, shape (n_paths, 2**depth + 1)
            Never decreasing along the second axis. The average of the whole path is N(mean loss, c
            W²).
        """
        n_paths = check_size(n_paths, "n_paths")
        depth = check_depth(depth)
        generator = stream(entropy_from(rng), TRANSPORT_RISK)
        phi = grid(depth)
        # One at a time: of many points and simulations, all of them would not fit into memory.
        paths = [np.interp(phi, *self._path(generator)) for _ in range(n_paths)]
        return phi, self.reference + np.array(paths)

    def _path(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """One path at the resolution of the losses.

        The middles of its steps, and its heights less the reference.
        """
        centre, gaps, widths = self._displacements
        moved = centre + sqrt(self.c / len(gaps)) * (rng.standard_normal(len(gaps)) @ gaps)
        if self.curves is not None:  # read at even places, both ends among them
            return grid(LEVELS), np.sort(moved, kind="stable")
        order = np.argsort(moved, kind="stable")
        return np.cumsum(widths[order]) - 0.5 * widths[order], moved[order]

    @cached_property
    def _displacements(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q*, δ of each simulation, and how wide the steps are on which both are constant."""
        if self.curves is not None:
            places = grid(LEVELS)
            centre, delta = (curve(places) for curve in self.curves)
            return centre, delta[None], np.full(places.size, 1.0 / places.size)
        samples = self._kept_losses
        in_observed, in_simulated, widths = both_grids(samples.n_points, samples.simulated.shape[1])
        centre = np.sort(samples.observed - self.reference)[in_observed]
        return (
            centre,
            np.abs(np.sort(samples.simulated - self.reference, axis=1)[:, in_simulated] - centre),
            widths,
        )

    @cached_property
    def q(self) -> QuantileFunction:
        """q*, in the unit of the loss."""
        if self.curves is not None:
            return self.curves[0].moved(self.reference)
        return QuantileFunction(self._kept_losses.observed)

    @cached_property
    def simulated(self) -> tuple[QuantileFunction, ...]:
        """q~ of each simulation, in the unit of the loss."""
        if self.curves is not None:
            return ()
        return tuple(QuantileFunction(row) for row in self._kept_losses.simulated)

    def delta(self, phi: npt.ArrayLike) -> FloatArray:
        """The local misfit δ(Φ).

        The root of the mean over simulations of (q~ − q*)².
        """
        if self.curves is not None:
            return self.curves[1](phi)
        centre = self.q(phi)
        return root_mean_square([simulated(phi) - centre for simulated in self.simulated])

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
