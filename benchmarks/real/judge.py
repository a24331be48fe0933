"""What each method says: P(a has the lower risk in a new group) for all pairs of models, from the losses in the groups at hand.

Everything of `rivals` comes through `rivals.compare`. The other methods are a few lines each, and see the observed losses only.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

import rivals

FloatArray = npt.NDArray[np.float64]
TRANSPORT_C = (2.0**-5, 2.0**-3, 2.0**-2, 2.0**-1, 1.0)
BETA_C = (2.0**-4, 2.0**-2, 1.0)
GROUPS_C = (2.0**-3, 2.0**-2, 2.0**-1)
RESAMPLES = 1000


@dataclass(frozen=True)
class AtHand:
    """Losses of all models at the points of one or several groups."""

    names: list[str]
    observed: FloatArray  # models × points
    synthetic: FloatArray  # models × simulations × points
    group: npt.NDArray[np.intp]  # of each point
    labels: bool  # whether the response is a count or a label, so that many losses are equal

    @classmethod
    def together(cls, parts: list[AtHand]) -> AtHand:
        """Several groups at hand."""
        return cls(
            parts[0].names,
            np.concatenate([part.observed for part in parts], axis=1),
            np.concatenate([part.synthetic for part in parts], axis=2),
            np.repeat(np.arange(len(parts)), [part.group.size for part in parts]),
            parts[0].labels,
        )

    @property
    def losses(self) -> dict[str, rivals.Losses]:
        """As `rivals.compare` takes them. A simulation of few labels may equal the observed ones by chance: `trusted`."""
        return {
            name: rivals.Losses(observed, synthetic).trusted()
            for name, observed, synthetic in zip(self.names, self.observed, self.synthetic, strict=True)
        }


def from_one_group(at_hand: AtHand, seed: int, *, with_beta: bool) -> dict[str, FloatArray]:
    """Method → matrix of probabilities. Law "beta" is slow, so not always asked."""
    found = {"elpd ± SE": standard_error(at_hand.observed), "bootstrap": bootstrap(at_hand.observed, seed)}
    found |= swept(at_hand, "transport", TRANSPORT_C, seed)
    return found | (swept(at_hand, "beta", BETA_C, seed) if with_beta else {})


def from_groups(at_hand: AtHand, seed: int) -> dict[str, FloatArray]:
    """The same from several groups."""
    found = {"elpd ± SE": standard_error(at_hand.observed), "t prediction": t_prediction(at_hand.observed, at_hand.group)}
    found |= swept(at_hand, "transport", TRANSPORT_C[1:4], seed)
    import interim
    for c in GROUPS_C: found[f"groups, c = {show(c)}"] = interim.matrix(at_hand.observed, at_hand.synthetic, at_hand.group, c)
    for c in (2**-8,2**-7,2**-6,2**-5,2**-4,2**-3,2**-2,): found[f"sd, c = {show(c)}"] = interim.matrix(at_hand.observed, None, at_hand.group, c, scale2=1)
    if at_hand.group.max() > 1: found["groups, no simulations"] = interim.matrix(at_hand.observed, None, at_hand.group)
    return found


# ---------------------------------------------------------------- rivals


def swept(at_hand: AtHand, law: str, values: tuple[float, ...], seed: int) -> dict[str, FloatArray]:
    """One law at several c, groups ignored."""
    options = {"ties": "spread"} if law == "beta" and at_hand.labels else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        result = rivals.compare(at_hand.losses, law=law, c=values[0], rng=seed, **options)
        return {f"{law}, c = {show(c)}": p for c, p in zip(values, result.sweep(c=values).probability, strict=True)}


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
