"""Law "groups": replications at hand. The spread between groups says what changes from one replication to the next.

Assumption. The difference of two risks is N(μ, τ²) over replications, and each group at hand is one of them. Its mean paired
difference d_g has the sampling variance σ²/n_g, with σ² pooled within groups: losses are skewed, so that a variance of its own
would weight down the groups in which a model does badly.

    d_g ~ N(μ, τ² + σ²/n_g),  μ flat,  τ ~ half-t with 3 degrees of freedom and scale √(c/2 · mean_g (W_ag² + W_bg²)) .

W_ag is the transport distance of simulated from observed losses of model a *within* group g. Why c/2: the data at hand deviate
from the mean by τ, and so does the next replication; the variance 2 τ² of their difference is the c W² of law "transport",
of which this is the continuation to several data sets. Without simulations τ is flat on [0, ∞), proper from three groups on.

Formula. P(R_a < R_b in a new group) = E_τ Φ( −μ̂ / √(V + τ²) ), μ̂ and V the mean and variance of μ given τ; τ is integrated on
a grid of log τ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._say.words import show
from rivals._types import FloatArray, IntArray
from rivals.core.sampling_error import ROUNDING, mean_covariance
from rivals.core.scales import unit_exponent
from rivals.core.wasserstein import wasserstein_distances
from rivals.laws.base import Applied, Grouping, Law, Setting
from rivals.losses import Losses

# log τ runs over this many points: first over decades around the scales of the problem, then where the posterior is.
FIRST_POINTS, POINTS = 97, 161
DECADES = 1e3
# What is less probable than this, relative to the most probable τ, does not count.
NEGLIGIBLE = 40.0
# Pairs are computed in pieces of about this many numbers.
CHUNK = 2**21
# With fewer groups than this and no simulations, the flat prior of τ is not proper.
LEAST_GROUPS = 3


# ---------------------------------------------------------------- kernels: problems × groups in, problems out


@dataclass(frozen=True, eq=False)
class NewGroup:
    """The law of a difference, or of a risk, in a new group: a mixture of normal laws over τ. Arrays are problems × grid."""

    weight: FloatArray
    centre: FloatArray
    std: FloatArray

    def below(self, value: FloatArray) -> FloatArray:
        """P(the value in a new group is below this), of each problem."""
        score = (value[:, None] - self.centre) / self.std
        return np.asarray(np.minimum(np.sum(self.weight * ndtr(score), axis=1), 1.0))

    @property
    def mean(self) -> FloatArray:
        return np.asarray(np.sum(self.weight * self.centre, axis=1))

    def variance(self) -> FloatArray:
        """Of the grid; infinite where the tail has none, which `GroupsRisks` knows."""
        spread = self.std**2 + (self.centre - self.mean[:, None]) ** 2
        return np.asarray(np.sum(self.weight * spread, axis=1))

    def in_unit(self, exponent: int) -> NewGroup:
        """The same in the unit of the losses: so far it was two to this power."""
        return NewGroup(self.weight, np.ldexp(self.centre, exponent), np.ldexp(self.std, exponent))

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        """Independent draws, of one problem: arrays are over its grid."""
        generator = np.random.Generator(np.random.PCG64(rng))
        component = generator.choice(self.weight.size, size=n_draws, p=self.weight)
        return self.centre[component] + self.std[component] * generator.standard_normal(n_draws)

    def quantile(self, probability: float) -> FloatArray:
        """By halving, from a bracket of normal quantiles."""
        reach = (abs(float(ndtri(probability))) + 1.0) * self.std.max(axis=1)
        low, high = self.centre.min(axis=1) - reach, self.centre.max(axis=1) + reach
        for _ in range(80):
            middle = 0.5 * (low + high)
            below = self.below(middle) < probability
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(0.5 * (low + high))


def new_group(differences: FloatArray, variances: FloatArray, scale: FloatArray) -> NewGroup:
    """The law in a new group, from the differences d_g and their sampling variances σ²/n_g.

    Parameters
    ----------
    differences, variances : array, shape (problems, groups)
    scale : array, shape (problems,)
        Of the half-t prior of τ; 0 for a flat one, which needs three groups.

    Examples
    --------
    >>> differences = np.array([[-1.0, -2.0, -1.5, -0.5, -1.2]])
    >>> law = new_group(differences, np.full((1, 5), 0.1), np.zeros(1))
    >>> law.below(np.zeros(1)).round(3)
    array([0.93])
    """
    weights, centre, std = _mixtures(differences, variances, scale[None, :])
    return NewGroup(weights[0], centre, std)


def _mixtures(
    differences: FloatArray, variances: FloatArray, scales: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights of each grid point (priors × problems × grid) under several scales of the prior; centres and widths there."""
    middle = np.median(differences, axis=1)
    moved = differences - middle[:, None]
    ends = _ends(moved, variances, scales)
    first = np.linspace(np.log(ends[0]), np.log(ends[1]), FIRST_POINTS, axis=1)
    ends = _where_probable(first, _log_posterior(first, moved, variances, scales[:1])[0][0])
    log_tau = np.linspace(ends[0], ends[1], POINTS, axis=1)
    log_density, centre, variance = _log_posterior(log_tau, moved, variances, scales)
    weight = np.exp(log_density - log_density.max(axis=2, keepdims=True))
    weight[..., [0, -1]] *= 0.5  # trapezoid
    tau = np.exp(log_tau)
    weight, tau = _with_tails(weight, tau, log_tau, differences.shape[1], flat=scales == 0.0)
    weight /= weight.sum(axis=2, keepdims=True)
    pad = ((0, 0), (1, 1))
    centre, variance = np.pad(centre, pad, mode="edge"), np.pad(variance, pad, mode="edge")
    # Far out, the mean over the groups is as uncertain as a new group: its variance is τ²/G.
    variance[:, -1] = tau[:, -1] ** 2 / differences.shape[1]
    return weight, middle[:, None] + centre, np.sqrt(variance + tau**2)


def _ends(
    moved: FloatArray, variances: FloatArray, scales: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where τ begins and ends: decades beyond the scale of the prior, and beyond what the groups show."""
    shown = np.sqrt(np.maximum(np.var(moved, axis=1, ddof=1), variances.min(axis=1)))
    prior = np.where(scales > 0.0, scales, shown)
    return np.minimum(prior.min(axis=0), shown) / DECADES, np.maximum(
        prior.max(axis=0), shown
    ) * DECADES


def _log_posterior(
    log_tau: FloatArray, moved: FloatArray, variances: FloatArray, scales: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log density of log τ under each prior (priors × problems × grid); mean and variance of μ given τ."""
    tau_square = np.exp(2.0 * log_tau)
    total = tau_square[:, :, None] + variances[:, None, :]
    precision = 1.0 / total
    whole = precision.sum(axis=2)
    centre = np.einsum("pkg,pg->pk", precision, moved) / whole
    misfit = np.einsum("pkg,pg->pk", precision, moved**2) - whole * centre**2
    likelihood = (
        -0.5 * (np.log(total).sum(axis=2) + np.log(whole) + np.maximum(misfit, 0.0)) + log_tau
    )
    with np.errstate(divide="ignore"):
        ratio = np.where(scales > 0.0, 1.0 / (3.0 * scales**2), 0.0)
    return likelihood - 2.0 * np.log1p(tau_square * ratio[:, :, None]), centre, 1.0 / whole


def _where_probable(log_tau: FloatArray, log_density: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The part of each grid, a step more on either side, outside of which nothing counts: narrow for many groups."""
    counts = log_density > log_density.max(axis=1, keepdims=True) - NEGLIGIBLE
    last = log_tau.shape[1] - 1
    begin = np.maximum(np.argmax(counts, axis=1) - 1, 0)
    end = np.minimum(last - np.argmax(counts[:, ::-1], axis=1) + 1, last)
    rows = np.arange(len(log_tau))
    return log_tau[rows, begin], log_tau[rows, end]


def _with_tails(
    weight: FloatArray, tau: FloatArray, log_tau: FloatArray, n_groups: int, *, flat: Any
) -> tuple[FloatArray, FloatArray]:
    """One point more on either side, for what lies beyond the grid.

    Below it the density of τ is that at its end; above it falls as τ^−(G − 1), times τ^−4 under the half-t.
    """
    step = (log_tau[:, 1] - log_tau[:, 0])[None, :]
    power = n_groups - 2 + np.where(flat, 0.0, 4.0)
    # The trapezoid has halved the weights of the ends, which are densities times the step.
    below, above = 2.0 * weight[..., 0] / step, 2.0 * weight[..., -1] / (step * power)
    tau = np.concatenate([0.5 * tau[:, :1], tau, 2.0 * tau[:, -1:]], axis=1)
    return np.concatenate([below[..., None], weight, above[..., None]], axis=2), tau


# ---------------------------------------------------------------- the law of all models


@dataclass(frozen=True)
class Groups(Law):
    """Law "groups": which model is better in a *new* group, from the spread between the groups at hand.

    Simulations, where there are any, are the prior of the spread, with c; two groups are then enough. Without them it takes
    three, and there is no c. It has no options of its own.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat(np.arange(8), 100)
    >>> a = rng.exponential(size=800)
    >>> losses = {"A": a, "B": a + 0.3 + 0.1 * rng.standard_normal(8)[school]}
    >>> result = rivals.compare(losses, groups=school)
    >>> result.survivors, result.won.tolist()
    (('A',), [[0, 8], [0, 0]])
    """

    name: ClassVar[str] = "groups"
    default_c: ClassVar[float] = 0.25
    grid: ClassVar[tuple[float, ...]] = tuple(2.0**octave for octave in range(-6, 5))
    needs_simulations: ClassVar[bool] = False
    needs_groups: ClassVar[bool] = True
    measured: ClassVar = {
        True: {
            2: (8.31, 4.35),
            3: (3.69, 1.36),
            4: (5.73, 2.17),
            5: (3.81, 1.16),
            6: (5.2, 1.73),
            8: (4.88, 1.04),
        },
        False: {3: (1.41, 1.67), 4: (1.35, 0.96), 5: (2.9, 0.98), 6: (3.81, 1.25), 8: (4.29, 0.92)},
    }
    about: ClassVar[str] = (
        "Probabilities are for a new group from the same population. They hold as far as groups differ as replications of the "
        "experiment would."
    )
    method: ClassVar[str] = (
        "For each pair of models, the difference of their mean losses in a new group was predicted from its spread between the groups at "
        "hand: d_g ~ N(μ, τ² + σ²/n_g), with a flat prior of μ and the pooled variance σ² within groups (law groups)."
    )
    method_of_c: ClassVar[str] = (
        "The prior of τ is half-t with 3 degrees of freedom; its scale squared is c/2 times the sum of both models' squared 1-Wasserstein "
        "distances between losses on the data and on their own simulations, within groups."
    )
    overlap: ClassVar[str] = (
        "Models meet the same groups, so they may overlap although one is better in nearly all of them."
    )

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> GroupsRisks:
        return GroupsRisks(self, losses, setting, summaries)

    def uses_c(self, n_simulations: int) -> bool:
        return n_simulations > 0

    def summary(self, losses: Losses, setting: Setting) -> FloatArray:
        """W of each simulation: the root of the mean over groups, all weighing the same, of its square within each group."""
        assert setting.groups is not None  # `check` asks for them
        if not losses.n_simulations:
            return np.zeros(0)
        observed, synthetic = (
            losses.observed - losses.reference,
            losses.simulations - losses.reference,
        )
        members = _members(setting.groups)
        distances = np.stack(
            [wasserstein_distances(observed[inside], synthetic[:, inside]) for inside in members]
        )
        unit = unit_exponent(distances)
        return np.asarray(np.ldexp(np.sqrt(np.mean(np.ldexp(distances, -unit) ** 2, axis=0)), unit))

    def check(self, losses: Losses, setting: Setting) -> None:
        groups = setting.groups
        if groups is None:
            raise ValueError(
                "law 'groups' needs groups: got none; pass groups=, the label of the replication of each point"
            )
        n_groups = len(groups.names)
        if n_groups < 2:
            raise ValueError(
                f"groups: all points are in one group ({show(groups.names[0])}), so nothing shows what changes between replications; leave "
                "groups out and pass simulations (law 'transport')"
            )
        if losses.n_simulations and losses.n_synthetic != losses.n_observed:
            raise ValueError(
                f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses: law 'groups' compares them group by group, point i "
                "of a simulation being in the group of point i of the data; simulate as many points, in the same order, or leave the "
                "simulations out"
            )
        if n_groups < LEAST_GROUPS and not losses.n_simulations:
            raise ValueError(
                f"groups: {n_groups} groups without simulations cannot tell how much groups differ; pass simulations of the models, or "
                f"{LEAST_GROUPS} groups or more"
            )


def _members(groups: Grouping) -> list[IntArray]:
    """The points of each group."""
    order = np.argsort(groups.codes, kind="stable")
    return np.split(order, np.cumsum(groups.sizes)[:-1])


class GroupsRisks(Applied):
    """Law "groups" of all models."""

    def __init__(
        self,
        law: Law,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[Any] | None = None,
    ) -> None:
        super().__init__(law, losses, setting, summaries)
        assert setting.groups is not None  # `Groups.check` asks for them
        self.groups = setting.groups
        excess = np.stack([sample.observed for sample in losses]) - self.reference
        distances = np.stack(
            [law.summary(each, setting) for each in losses] if summaries is None else summaries
        )
        self._unit = unit_exponent(np.hstack([excess, distances]))
        excess = np.ldexp(excess, -self._unit) if self._unit else excess
        members = _members(self.groups)
        self._means = np.stack([excess[:, inside].mean(axis=1) for inside in members], axis=1)
        self._within = _pooled(excess, members, setting)
        self._singles = np.ldexp(distances, -self._unit) ** 2  # [model, simulation]

    # ---------------------------------------------------------------- every pair

    def _scale(self, squares: FloatArray) -> FloatArray:
        """Of the prior of τ, from a sum of W² of two models: √(c/2 · …); 0, a flat prior, without simulations."""
        return (
            np.sqrt(0.5 * self.setting.c * squares)
            if self._singles.size
            else np.zeros(squares.shape)
        )

    @cached_property
    def _means_of_squares(self) -> FloatArray:
        return self._singles.mean(axis=1) if self._singles.size else np.zeros(len(self._means))

    @cached_property
    def _probabilities(self) -> FloatArray:
        """[0]: the matrix; [s]: under simulation s alone, where there are several."""
        n_models, n_groups = self._means.shape
        singles = self._singles.T if self._singles.shape[1] > 1 else np.empty((0, n_models))
        squares = np.concatenate([self._means_of_squares[None, :], singles])
        found = np.full((len(squares), n_models, n_models), 0.5)
        first, second = np.triu_indices(n_models, 1)
        step = max(CHUNK // (POINTS * n_groups), 1)
        for begin in range(0, first.size, step):
            a, b = first[begin : begin + step], second[begin : begin + step]
            probability = self._of_pairs(a, b, self._scale(squares[:, a] + squares[:, b]))
            found[:, a, b], found[:, b, a] = probability, 1.0 - probability
        return found

    def _of_pairs(self, a: IntArray, b: IntArray, scales: FloatArray) -> FloatArray:
        """P(a lower than b in a new group) under each scale of the prior (priors × pairs); ½ for equal losses."""
        differences, variances = self._pair(a, b)
        _check_differ(differences, variances, self._within[a, a] + self._within[b, b])
        alike = (differences == 0.0).all(axis=1) & (variances == 0.0).all(axis=1)
        found = np.full((len(scales), a.size), 0.5)
        if not alike.all():
            weights, centre, std = _mixtures(
                differences[~alike], variances[~alike], scales[:, ~alike]
            )
            found[:, ~alike] = np.minimum(
                np.einsum("spk,pk->sp", weights, ndtr(-centre / std)), 1.0
            )
        return found

    def _pair(self, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """Differences a − b in each group (pairs × groups) and their sampling variances σ²/n_g."""
        sigma = np.maximum(self._within[a, a] + self._within[b, b] - 2.0 * self._within[a, b], 0.0)
        return self._means[a] - self._means[b], sigma[:, None] / self.groups.sizes[None, :]

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return self._probabilities[0], np.zeros_like(self._probabilities[0])

    def single_matrices(self) -> Iterator[FloatArray]:
        return iter(self._probabilities[1:])

    # ---------------------------------------------------------------- what happened in the groups

    @cached_property
    def won(self) -> IntArray:
        return np.asarray(np.sum(self._means[:, None, :] < self._means[None, :, :], axis=2))

    def differences(self, a: int, b: int) -> tuple[FloatArray, FloatArray]:
        """Mean loss of a less that of b in each group, with its sampling error."""
        difference, variance = self._pair(np.array([a]), np.array([b]))
        return np.ldexp(difference[0], self._unit), np.ldexp(np.sqrt(variance[0]), self._unit)

    def new_difference(self, a: int, b: int) -> NewGroup:
        """The law of that difference in a new group, in the unit of the losses."""
        first, second = np.array([a]), np.array([b])
        squares = self._means_of_squares[first] + self._means_of_squares[second]
        law = new_group(*self._pair(first, second), self._scale(squares))
        return law.in_unit(self._unit)

    # ---------------------------------------------------------------- each risk

    @cached_property
    def _risks(self) -> NewGroup:
        own = np.diagonal(self._within)[:, None] / self.groups.sizes[None, :]
        law = new_group(self._means, np.maximum(own, 0.0), self._scale(self._means_of_squares))
        return law.in_unit(self._unit)

    @cached_property
    def risk_mean(self) -> FloatArray:
        return self.reference + self._risks.mean

    @cached_property
    def risk_std(self) -> FloatArray:
        """Infinite where it does not exist: with four groups or fewer and a flat prior, the tail falls too slowly."""
        heavy = (self._means_of_squares == 0.0) & (len(self.groups.names) <= 4)
        return np.where(heavy, np.inf, np.sqrt(self._risks.variance()))

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        return self._risks.quantile(0.5 - 0.5 * level), self._risks.quantile(0.5 + 0.5 * level)

    def samplers(self) -> list[NewGroup]:
        risks = self._risks
        return [NewGroup(*row) for row in zip(risks.weight, risks.centre, risks.std, strict=True)]

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        low, high = (float(end[index]) for end in self.interval(0.98))
        if not high > low:
            return np.array([low]), np.array([np.inf])
        grid = np.linspace(low, high, n_points)
        risks = self._risks
        score = (grid[:, None] - risks.centre[index]) / risks.std[index]
        heights = (
            np.exp(-0.5 * score**2) / risks.std[index] @ risks.weight[index] / np.sqrt(2.0 * np.pi)
        )
        return grid, heights

    @property
    def distance(self) -> FloatArray:
        if not self._singles.size:
            return super().distance
        return np.ldexp(np.sqrt(self._means_of_squares), self._unit)

    def remarks(self, names: Sequence[str]) -> list[str]:
        remarks, sizes = [], self.groups.sizes
        if sizes.max() == 1:
            remarks.append(
                "Every group has one point: the sampling error within groups is unknown and taken as 0."
            )
        elif sizes.min() < 0.05 * np.median(sizes):
            small = show(self.groups.names[int(np.argmin(sizes))])
            remarks.append(
                f"Groups are of very unequal size: the smallest ({small}, {sizes.min()} of {sizes.sum()} points) counts little in the mean "
                "and like any other in the misfit."
            )
        return [*remarks, *self._contradictions(names)]

    def _contradictions(self, names: Sequence[str]) -> list[str]:
        """Where groups won and probability disagree about a pair with the best model, or a mean lies outside its interval."""
        best, n_groups = int(np.argmin(self.empirical)), len(self.groups.names)
        probability, found = self.matrix()[0][best], []
        for other in np.flatnonzero(np.arange(len(names)) != best).tolist():
            won = int(self.won[best, other])
            if (probability[other] - 0.5) * (won / n_groups - 0.5) < 0.0 and abs(
                probability[other] - 0.5
            ) > 0.2:
                found.append(
                    f"{show(names[best])} won {won} of {n_groups} groups against {show(names[other])}, but P = {probability[other]:.2f}: a few "
                    "groups decide the mean; look at the differences (plot_groups)."
                )
        low, high = self.interval(0.9)
        outside = [
            show(names[i])
            for i in np.flatnonzero((self.empirical < low) | (self.empirical > high)).tolist()
        ]
        if outside:
            found.append(
                f"The mean loss over all points of {', '.join(outside[:3])} lies outside the interval for a new group: large groups "
                "differ from small ones."
            )
        return found


def _pooled(excess: FloatArray, members: Sequence[IntArray], setting: Setting) -> FloatArray:
    """Covariance of the losses of all models within groups: Σ_g (n_g − 1) n_g C_g / (N − G), C_g that of the means of group g.

    For independent points this is Σ_g Σ_i (d_gi − d_g)² / (N − G); for series, C_g is the long-run covariance.
    """
    n_models = len(excess)
    within, degrees = np.zeros((n_models, n_models)), 0
    for inside in members:
        if inside.size > 1:
            within += (
                (inside.size - 1)
                * inside.size
                * mean_covariance(excess[:, inside], order=setting.order)
            )
            degrees += inside.size - 1
    return within / degrees if degrees else within


def _check_differ(differences: FloatArray, variances: FloatArray, spread: FloatArray) -> None:
    """Refuse a pair that differs by the same amount in every group and at every point: nothing is left to learn from.

    `spread` is the variance of the losses themselves, which says what is rounding.
    """
    largest = np.abs(differences).max(axis=1)
    constant = (largest > 0.0) & (
        np.ptp(differences, axis=1) <= ROUNDING * (largest + np.sqrt(spread))
    )
    if (constant & (variances.max(axis=1) <= ROUNDING * spread)).any():
        raise ValueError(
            "groups: the models differ by the same constant at every point, so the groups do not differ at all; check the losses"
        )
