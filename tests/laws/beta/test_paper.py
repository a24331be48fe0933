"""Method "paper" against the paper's Algorithm 1, written here from its text and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import polygamma, psi

import rivals

REFINEMENTS = 8
N_PATHS = 1000
N_DATA = 1000
SEEDS = range(12)
VALUES = (2.0**-9, 2.0**-6, 0.25)

# Losses of two models on data of three kinds, each with a simulation of the model.
DRAWS = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "heavy tails": lambda rng, size: rng.standard_t(3, size),
    "skewed": lambda rng, size: rng.exponential(size=size) - 1.0,
}


def losses_of_two(kind, seed):
    """Squared errors of a model that is right, and of one that is off and too narrow."""
    rng = np.random.default_rng([seed, list(DRAWS).index(kind)])
    y = DRAWS[kind](rng, N_DATA)
    models = {}
    for name, mean, width in (("a", 0.0, 1.0), ("b", 0.15, 0.9)):
        simulated = mean + width * DRAWS["normal"](rng, N_DATA)
        observed, own = (
            np.log(width) + ((points - mean) / width) ** 2 / 2 for points in (y, simulated)
        )
        models[name] = (observed, own)
    return models


# ---------------------------------------------------------------- the paper's text


def ppf(losses, phi):
    """Sorted losses at equal steps within (0, 1), joined and continued by straight lines."""
    values = np.sort(losses)
    steps = np.arange(1, values.size + 1) / (values.size + 1)
    first, last = 2 * values[0] - values[1], 2 * values[-1] - values[-2]
    return np.interp(phi, [0.0, *steps, 1.0], [first, *values, last])


def halve(function, low, high):
    """Where an increasing function crosses zero."""
    for _ in range(34):
        middle = 0.5 * (low + high)
        below = function(middle) < 0.0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.exp(0.5 * (low + high))


def alpha_beta(log_r, v):
    """ψ(α) − ψ(β) = ln r, ψ₁(α) + ψ₁(β) = v, the smaller one of both first found by halving."""

    def larger_of(small):
        target = psi(small) + np.abs(log_r)
        return halve(lambda t: psi(np.exp(t)) - target, np.full(v.shape, -12.0), 0 * v + 40.0)

    def too_much(t):
        small = np.exp(t)
        return v - polygamma(1, small) - polygamma(1, larger_of(small))

    small = halve(too_much, np.full(v.shape, -12.0), np.full(v.shape, 40.0))
    large = larger_of(small)
    return np.where(log_r > 0, large, small), np.where(log_r > 0, small, large)


def risks_by_the_paper(observed, simulated, c, rng):
    """∫ q^ of realisations of the hierarchical beta process."""
    phi = np.linspace(0.0, 1.0, 2**REFINEMENTS + 1)
    centre = ppf(observed, phi)
    discrepancy = np.abs(ppf(simulated, phi) - centre)
    ends = np.empty((0, 2))
    while len(ends) < N_PATHS:
        drawn = centre[[0, -1]] + np.sqrt(c) * discrepancy[[0, -1]] * rng.standard_normal(
            (N_PATHS, 2)
        )
        ends = np.concatenate([ends, drawn[drawn[:, 0] < drawn[:, 1]]])
    paths = np.empty((N_PATHS, phi.size))
    paths[:, [0, -1]] = ends[:N_PATHS]
    for n in range(1, REFINEMENTS + 1):
        step = 2 ** (REFINEMENTS - n)
        left, middle = centre[: -2 * step : 2 * step], centre[step :: 2 * step]
        right = centre[2 * step :: 2 * step]
        log_r = np.log((middle - left) / (right - middle))
        v = 2 * c * discrepancy[step :: 2 * step] ** 2
        alpha, beta = alpha_beta(log_r, v)
        x = rng.beta(alpha, beta, size=(N_PATHS, alpha.size))
        low, high = paths[:, : -2 * step : 2 * step], paths[:, 2 * step :: 2 * step]
        paths[:, step :: 2 * step] = low + x * (high - low)
    return np.mean(0.5 * (paths[:, 1:] + paths[:, :-1]), axis=1)


# ---------------------------------------------------------------- the tests


@pytest.mark.parametrize("data", DRAWS)
def test_b_is_that_of_the_paper_within_its_monte_carlo_error(data):
    gaps = []
    for seed in SEEDS:
        models = losses_of_two(data, seed)
        for c in VALUES:
            ours = rivals.compare(models, method="paper", c=c, rng=seed)
            rng = np.random.default_rng([seed, 7])
            a, b = (risks_by_the_paper(*models[name], c, rng) for name in ("a", "b"))
            below = a[:, None] < b[None, :]
            # Of a U statistic; the draws of the library are twelve times as many.
            error = np.sqrt(np.var(below.mean(0)) + np.var(below.mean(1))) / np.sqrt(N_PATHS)
            error = max(float(error) * np.sqrt(1 + 1 / 12), 1 / N_PATHS)
            gaps.append((ours.probability[0, 1] - below.mean()) / error)
    # Thirty-six standard normal numbers: beyond 4.5 once in four thousand runs, and a mean square
    # beyond 2.2 once in a hundred thousand.
    assert np.max(np.abs(gaps)) < 4.5
    assert np.mean(np.square(gaps)) < 2.2


def test_it_differs_from_the_converged_process_where_the_paper_is_not_converged():
    """At c = 2⁻⁹ eight refinements of heavy-tailed losses say something else than the limit."""
    differences = []
    for seed in SEEDS:
        models = losses_of_two("heavy tails", seed)
        of_laws = [
            rivals.compare(models, method=law, c=2.0**-9, rng=seed).probability[0, 1]
            for law in ("paper", "beta")
        ]
        differences.append(abs(of_laws[0] - of_laws[1]))
    # Each B has a Monte Carlo error of at most 0.0065.
    assert np.mean(differences) > 0.02


def test_in_one_word_it_is_the_papers_algorithm():
    models = losses_of_two("normal", 0)
    result = rivals.compare(models, method="paper", rng=0)
    assert result.c == 1.0
    assert result.method.depth == REFINEMENTS
    same = rivals.compare(models, method=rivals.laws.Beta(depth=8), c=1.0, rng=0)
    assert np.array_equal(result.probability, same.probability)


def test_more_simulations_are_refused():
    models = losses_of_two("normal", 0)
    several = {
        name: (observed, np.stack([own, own[::-1] + 0.1]))
        for name, (observed, own) in models.items()
    }
    with pytest.raises(ValueError, match="one simulation"):
        rivals.compare(several, method="paper")
