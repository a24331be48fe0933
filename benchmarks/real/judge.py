"""What each method says: P(a has the lower risk in a new group) for all pairs of models, from the losses in the groups at hand.

Everything of `rivals` comes through `rivals.compare`. The other methods are a few lines each, and see the observed losses only.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

import rivals

FloatArray = npt.NDArray[np.float64]
THRESHOLD = 0.95
TRANSPORT_C = (2.0**-5, 2.0**-3, 2.0**-2, 2.0**-1, 1.0)
BETA_C = (2.0**-4, 2.0**-2, 1.0)
GROUPS_C = (2.0**-3, 2.0**-2, 2.0**-1)
# Of the prior of law "groups" with the spread of points in place of the misfit: a range, to be compared at equal stated winners.
SPREAD_C = tuple(2.0 ** np.arange(-8, 0))
RESAMPLES = 1000
# Of log τ, from so far below to so far above all scales of a problem.
GRID, REACH = 400, 9.0


@dataclass
class Said:
    """Probabilities of all pairs, by method; and verdicts, of those methods that `rivals` was asked to judge pair by pair."""

    probability: dict[str, FloatArray]
    verdict: dict[str, npt.NDArray[np.intp]] = field(default_factory=dict)

    def add(self, method: str, at_hand: AtHand, group: Any, seed: int) -> None:
        """The default settings of `rivals.compare`, of each pair alone: 1 where the row rejects the column, −1 the other way."""
        n = len(at_hand.names)
        self.probability[method], self.verdict[method] = (
            np.full((n, n), 0.5),
            np.zeros((n, n), dtype=np.intp),
        )
        losses = at_hand.losses
        for a, b in combinations(range(n), 2):
            pair = {name: losses[name] for name in (at_hand.names[a], at_hand.names[b])}
            result = compare(pair, groups=group, rng=seed)
            self.probability[method][a, b] = result.probability[0, 1]
            self.verdict[method][a, b] = (at_hand.names[b] in result.rejections) - (
                at_hand.names[a] in result.rejections
            )


@dataclass(frozen=True)
class AtHand:
    """Losses of all models at the points of one or several groups."""

    names: list[str]
    observed: FloatArray  # models × points
    synthetic: FloatArray  # models × simulations × points
    group: npt.NDArray[np.intp]  # of each point

    @classmethod
    def together(cls, parts: list[AtHand]) -> AtHand:
        """Several groups at hand."""
        return cls(
            parts[0].names,
            np.concatenate([part.observed for part in parts], axis=1),
            np.concatenate([part.synthetic for part in parts], axis=2),
            np.repeat(np.arange(len(parts)), [part.group.size for part in parts]),
        )

    def without_simulations(self) -> AtHand:
        return AtHand(self.names, self.observed, np.empty((len(self.names), 0, 0)), self.group)

    @property
    def losses(self) -> dict[str, rivals.Losses]:
        """As `rivals.compare` takes them. A simulation of few labels may equal the observed ones by chance."""
        return {
            name: rivals.Losses(observed, synthetic, may_repeat=True)
            for name, observed, synthetic in zip(
                self.names, self.observed, self.synthetic, strict=True
            )
        }


def from_one_group(at_hand: AtHand, seed: int, *, with_beta: bool) -> Said:
    """What all methods say. Law "beta" is slow, so not always asked."""
    said = Said(
        {
            "elpd ± SE": standard_error(at_hand.observed),
            "bootstrap": bootstrap(at_hand.observed, seed),
        }
    )
    said.add("transport", at_hand, None, seed)
    said.probability |= swept(at_hand, "transport", TRANSPORT_C, seed)
    if with_beta:
        said.probability |= swept(at_hand, "beta", BETA_C, seed)
    return said


def from_groups(at_hand: AtHand, seed: int) -> Said:
    """The same from several groups."""
    observed, group = at_hand.observed, at_hand.group
    said = Said(
        {"elpd ± SE": standard_error(observed), "t prediction": t_prediction(observed, group)}
    )
    said.add("groups", at_hand, group, seed)
    said.probability |= swept(at_hand, "groups", GROUPS_C, seed, group)
    said.probability |= swept(at_hand, "transport", TRANSPORT_C[1:4], seed)
    if group.max() >= 2:
        said.add("groups, no simulations", at_hand.without_simulations(), group, seed)
    said.probability |= {
        f"spread of points, c = {show(c)}": spread_prior(observed, group, c) for c in SPREAD_C
    }
    return said


def from_left_out(at_hand: AtHand, seed: int) -> Said:
    """From losses of groups that were left out in turn."""
    observed, group = at_hand.observed, at_hand.group
    said = Said(
        {"elpd ± SE": standard_error(observed), "t prediction": t_prediction(observed, group)}
    )
    said.add("groups", at_hand, group, seed)
    said.add("groups, no simulations", at_hand.without_simulations(), group, seed)
    return said


# ---------------------------------------------------------------- rivals


def compare(models: Any, data: Any = None, **options: Any) -> rivals.Comparison:
    """What it warns of is part of the result, and not the question here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return rivals.compare(models, data, **options)


def swept(
    at_hand: AtHand, law: str, values: tuple[float, ...], seed: int, group: Any = None
) -> dict[str, FloatArray]:
    """The probabilities of one law at several c."""
    result = compare(at_hand.losses, law=law, c=values[0], groups=group, rng=seed)
    return {
        f"{law}, c = {show(c)}": p
        for c, p in zip(values, result.sweep(c=values).probability, strict=True)
    }


def show(c: float) -> str:
    return "1" if c == 1.0 else f"1/{1 / c:.0f}"


# ---------------------------------------------------------------- others


def standard_error(observed: FloatArray) -> FloatArray:
    """The elpd difference over its standard error, by all points."""
    covariance = np.cov(observed) / observed.shape[1]
    variance = np.diag(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2.0 * covariance, 1e-300))
    means = observed.mean(axis=1)
    return np.asarray(ndtr((means - means[:, None]) / error))


def bootstrap(observed: FloatArray, seed: int) -> FloatArray:
    """How often a has the lower mean of resampled points; ties count half."""
    n = observed.shape[1]
    counts = np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), RESAMPLES)
    means = observed @ counts.T / n
    return np.asarray(0.5 + 0.5 * np.mean(np.sign(means - means[:, None]), axis=2))


def t_prediction(observed: FloatArray, group: npt.NDArray[np.intp]) -> FloatArray:
    """Student's prediction for a new group from the mean losses of each, which all weigh the same."""
    k = group.max() + 1
    means = np.array([observed[:, group == one].mean(axis=1) for one in range(k)])
    difference = means[:, None, :] - means[:, :, None]  # [g, a, b]: b less a
    spread = np.maximum(difference.std(axis=0, ddof=1), 1e-300)
    return np.asarray(stdtr(k - 1, difference.mean(axis=0) / (spread * np.sqrt(1.0 + 1.0 / k))))


def spread_prior(observed: FloatArray, group: npt.NDArray[np.intp], c: float) -> FloatArray:
    """As law "groups", but the scale of its prior is the spread of the differences between points, which needs no simulation."""
    n = len(observed)
    found = np.full((n, n), 0.5)
    for a, b in combinations(range(n), 2):
        d = observed[a] - observed[b]
        parts = [d[group == one] for one in range(group.max() + 1)]
        sizes = np.array([part.size for part in parts])
        variance = sum(np.sum((part - part.mean()) ** 2) for part in parts) / (
            sizes.sum() - sizes.size
        )
        if variance > 0.0:
            found[a, b] = below_zero(
                np.array([part.mean() for part in parts]),
                variance / sizes,
                np.sqrt(c / 2 * variance),
            )
    return np.where(np.tri(n, k=-1, dtype=bool), 1.0 - found.T, found)


def below_zero(means: FloatArray, variances: FloatArray, scale: float) -> float:
    """P(the difference in a new group is negative), τ half-t with three degrees of freedom, on a grid of log τ."""
    scales = [float(means.std()), float(np.sqrt(variances.mean())), scale]
    u = np.linspace(
        np.log(max(min(scales), 1e-12 * max(scales))) - REACH, np.log(max(scales)) + REACH, GRID
    )
    square = np.exp(2.0 * u)
    precision = 1.0 / (square[:, None] + variances)
    whole = precision.sum(axis=1)
    centre = precision @ means / whole
    log = (
        np.log(precision).sum(axis=1)
        - np.log(whole)
        - np.sum(precision * (means - centre[:, None]) ** 2, axis=1)
    )
    log = 0.5 * log + u - 2.0 * np.log1p(square / scale**2 / 3.0)
    weight = np.exp(log - log.max())
    return float(weight @ ndtr(-centre / np.sqrt(1.0 / whole + square)) / weight.sum())
