"""Groups that are series (`order="time"`): how often are equal models told apart?

    python benchmarks/series_in_groups.py [--studies 4000]

Two models have the same risk in every group, and their losses differ by a series: an autoregression
with normal or exponential innovations, or two kinds of series that are none. Of each study the
mean difference is tested at a nominal 10 %, with the error that the package gives it, by normal
quantiles and by Student's with n (1 − ρ) / (2 (1 + ρ)) degrees of freedom, ρ as estimated; and it
is noted whether `compare` would state a winner, P above 0.95 for either model, over as many new
groups and over all groups. Studies are computed many at a time; some go through `compare` itself,
which must give the same P. Writes results/series_in_groups.json and series_in_groups.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtri, stdtrit

import rivals
from rivals.core.short_series import autocorrelation_of_series, means_of_series
from rivals.method.probability import probability_over
from rivals.method.spread import spread_between_groups

RESULTS = Path(__file__).parent / "results"
SHAPES = ((50, 10), (10, 50), (5, 200))
BURN_IN = 200
N_CHECKED = 5
LEVEL = 0.95

Shape = tuple[int, int, int]
Series = Callable[[np.random.Generator, Shape], np.ndarray]


def autoregression(rho: float, skewed: bool = False) -> Series:
    """x_t = ρ x_{t−1} + u_t, with normal or exponential u."""

    def draw(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        *others, n_points = shape
        long = (*others, n_points + BURN_IN)
        noise = rng.exponential(size=long) - 1.0 if skewed else rng.standard_normal(long)
        return lfilter([1.0], [1.0, -rho], noise, axis=-1)[..., BURN_IN:]

    return draw


def moving_mean(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Means of five numbers: correlated at four lags, and at no more."""
    *others, n_points = shape
    noise = rng.standard_normal((*others, n_points + 4))
    return lfilter(np.ones(5) / 5.0, [1.0], noise, axis=-1)[..., 4:]


def slow_and_white(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """A slow autoregression under as much white noise: the first lag shows half of it."""
    slow = autoregression(0.9)(rng, shape)
    return slow + slow.std() * rng.standard_normal(shape)


FAMILIES: dict[str, Series] = {
    "autoregression, ρ = 0": autoregression(0.0),
    "autoregression, ρ = 0.5": autoregression(0.5),
    "autoregression, ρ = 0.9": autoregression(0.9),
    "exponential innovations, ρ = 0": autoregression(0.0, skewed=True),
    "exponential innovations, ρ = 0.5": autoregression(0.5, skewed=True),
    "exponential innovations, ρ = 0.9": autoregression(0.9, skewed=True),
    "moving mean of five": moving_mean,
    "ρ = 0.9 and as much white noise": slow_and_white,
}


def measure(draw: Series, n_groups: int, n_points: int, studies: int) -> dict[str, float]:
    """Fractions of the studies in which equal models are told apart."""
    rng = np.random.default_rng([n_groups, n_points])
    series = draw(rng, (studies, n_groups, n_points)).reshape(studies, -1)
    sizes = np.full(n_groups, n_points)
    means, variances = means_of_series(series, sizes)
    rho = autocorrelation_of_series(series, sizes)
    score = np.abs(means.mean(axis=1)) / (np.sqrt(variances.sum(axis=1)) / n_groups)
    degrees = 0.5 * n_groups * n_points * (1.0 - rho) / (1.0 + rho)
    spread = spread_between_groups(means, variances, np.zeros((1, studies)))
    study = probability_over(spread, float(n_groups))[0]
    everywhere = probability_over(spread, np.inf)[0]
    _check(series[:N_CHECKED], sizes, study, everywhere)
    return {
        "normal": float(np.mean(score > ndtri(LEVEL))),
        "student": float(np.mean(score > stdtrit(degrees, LEVEL))),
        "study": float(np.mean(np.abs(study - 0.5) > LEVEL - 0.5)),
        "all": float(np.mean(np.abs(everywhere - 0.5) > LEVEL - 0.5)),
    }


def _check(
    series: np.ndarray, sizes: np.ndarray, study: np.ndarray, everywhere: np.ndarray
) -> None:
    """The same probabilities as `compare` gives for these losses."""
    groups = np.repeat(np.arange(sizes.size), sizes)
    for row, expected, over_all in zip(series, study, everywhere, strict=False):
        losses = {"A": row, "B": np.zeros(row.size)}
        result = rivals.compare(losses, groups=groups, order="time")
        np.testing.assert_allclose(result.probability[0, 1], expected, rtol=0, atol=1e-9)
        np.testing.assert_allclose(result.over(np.inf)[0, 1], over_all, rtol=0, atol=1e-9)


def as_markdown(found: dict[str, Any]) -> str:
    """A table of each measure, in percent."""
    words = {
        "normal": "test of the mean, normal quantiles",
        "student": "test of the mean, Student's quantiles",
        "study": "`compare` states a winner, over as many new groups",
        "all": "`compare` states a winner, over all groups",
    }
    studies = found["studies"]
    error = 100.0 * np.sqrt(0.1 * 0.9 / studies)
    lines = [
        '# Equal models, told apart: groups that are series (`order="time"`)',
        "",
        f"In percent of {studies} studies (one standard error of 10 % is {error:.1f} %); two "
        "models without simulations that are equal in every group, at a nominal 10 %. Errors and "
        "autocorrelations are estimated as `compare` does. Written by "
        "`python benchmarks/series_in_groups.py`.",
    ]
    for key, title in words.items():
        head = [f"{groups} × {points}" for groups, points in SHAPES]
        lines += ["", f"**{title[0].upper()}{title[1:]}**", ""]
        lines += [f"| groups × points | {' | '.join(head)} |", "| --- | ---: | ---: | ---: |"]
        for family, rows in found["families"].items():
            values = " | ".join(f"{100.0 * rows[name][key]:.1f}" for name in head)
            lines.append(f"| {family} | {values} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000)
    studies = parser.parse_args().studies
    families = {
        family: {
            f"{groups} × {points}": measure(draw, groups, points, studies)
            for groups, points in SHAPES
        }
        for family, draw in FAMILIES.items()
    }
    found = {"studies": studies, "families": families}
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (RESULTS / "series_in_groups.json").write_text(text + "\n", encoding="utf-8")
    (RESULTS / "series_in_groups.md").write_text(as_markdown(found), encoding="utf-8")
    print(as_markdown(found))


if __name__ == "__main__":
    main()
