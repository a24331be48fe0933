"""The fast core against the slow and plain one, on random input: shapes, ties, scales, c, sizes."""

from __future__ import annotations

import time
import warnings

import numpy as np

import rivals
from core import plain
from rivals.core.verdict import decide, probability_below

KINDS = (
    "exponential",
    "normal",
    "lognormal",
    "student",
    "bernoulli",
    "poisson",
    "rounded",
    "constant",
    "one outlier",
)


def fuzz_numbers(seconds, seed):
    """Try random inputs for so many seconds: how many, and what came out wrong, in sentences that
    repeat it.
    """
    end = time.monotonic() + seconds
    inputs = 0
    wrong = []
    while time.monotonic() < end:
        wrong += one_input(seed, inputs)
        inputs += 1
    return {"inputs": inputs, "wrong": wrong}


def one_input(seed, index):
    """One random input through all checks; what is wrong with it."""
    rng = np.random.default_rng([seed, index])
    problem = random_problem(rng)
    features = ", ".join(f"{key} {value}" for key, value in problem["of"].items())
    label = f"seed {seed}, input {index} ({features})"
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a RuntimeWarning is a defect
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        for check in (check_process, check_transport, check_verdict):
            try:
                complaint = check(problem, rng)
            except Exception as error:
                complaint = f"{type(error).__name__}: {error}"
            if complaint:
                found.append(f"{label}: {check.__name__}: {complaint}")
    return found


def random_problem(rng):
    kind = str(rng.choice(KINDS))
    n = (
        int(10 ** rng.uniform(0.31, 3.3))
        if rng.random() < 0.97
        else int(10 ** rng.uniform(4.0, 6.0))
    )
    scale = 10.0 ** (rng.uniform(-3, 3) if rng.random() < 0.5 else rng.uniform(-300, 297))
    c = 10.0 ** rng.uniform(-12, 12)
    n_models = int(rng.integers(2, 6))
    n_simulations = int(rng.integers(1, 4))
    losses = []
    for _ in range(n_models):
        width = np.exp(rng.normal(0, 0.2))
        shift = rng.normal(0, 0.1)
        observed = shift + sample(kind, width, n, rng)
        simulated = shift + np.stack(
            [sample(kind, 1.1 * width, n, rng) for _ in range(n_simulations)]
        )
        losses.append((observed, simulated))
    of = {
        "kind": kind,
        "losses": n,
        "scale": f"{scale:.3g}",
        "c": f"{c:.3g}",
        "models": n_models,
        "S": n_simulations,
    }
    return {"of": of, "losses": losses, "scale": scale, "c": c, "n": n}


def sample(kind, width, n, rng):
    if kind == "bernoulli":
        return (rng.random(n) < 0.3 * min(width, 3.0)).astype(float)
    if kind == "constant":
        return np.full(n, width)
    if kind == "one outlier":
        values = rng.normal(0, width, n)
        values[0] = 1e6 * width
        return values
    if kind == "rounded":
        return np.round(rng.normal(0, width, n), 1)
    draws = {
        "exponential": lambda: rng.exponential(width, n),
        "normal": lambda: rng.normal(0, width, n),
        "lognormal": lambda: rng.lognormal(0, width, n),
        "student": lambda: width * rng.standard_t(2, n),
        "poisson": lambda: rng.poisson(2 * width, n).astype(float),
    }
    return draws[kind]()


def check_process(problem, rng):
    """Exact moments of a straight tree against those of the plain one; draws against these."""
    (observed, simulated) = problem["losses"][0]
    scale = problem["scale"]
    c = problem["c"]
    observed = scale * observed
    simulated = scale * simulated
    depth = int(rng.integers(1, 5))
    try:
        process = rivals.HierarchicalBetaProcess.from_losses(
            (observed, simulated), c, depth, reference=0.0
        )
    except ValueError as error:
        gap = np.max(np.abs(simulated - observed)) * np.sqrt(c)
        largest = max(gap, np.max(np.abs(observed)), np.max(np.abs(simulated)))
        fits = largest < 1e300
        return f"refused: {error}" if fits or "rescale" not in str(error) else None
    mean, std = plain.risk_moments(observed, simulated, c, depth)
    rounding = 1e-9 * np.max(np.abs(observed))
    if not abs(process.risk_mean - mean) <= 1e-5 * std + rounding:
        return f"mean {process.risk_mean} where the plain one is {mean} ± {std}"
    # The plain one takes a difference of squares: half the digits.
    if not abs(process.risk_std - std) <= 1e-4 * std + 100 * rounding:
        return f"standard deviation {process.risk_std} where the plain one has {std}"
    draws = process.sample_risk(4000, rng=int(rng.integers(2**32)))
    if not np.isfinite(draws).all():
        return "draws that are not finite"
    # Six standard errors of the mean; the variance of R is finite, and coins have no heavy tails.
    if not abs(np.mean((draws - mean) / 4000**0.5)) * 4000**0.5 <= 6.5 * std / 4000**0.5 + rounding:
        return f"draws have the mean {draws.mean()} where it is {mean} ± {std}"
    return None


def check_transport(problem, rng):
    """Probabilities and rejections against those from the differences themselves, in the plain
    unit.
    """
    losses = problem["losses"]
    scale = problem["scale"]
    c = problem["c"]
    expected = plain.transport(losses, c)
    scaled = {
        f"m{index}": (scale * own, scale * other) for index, (own, other) in enumerate(losses)
    }
    try:
        result = rivals.compare(scaled, law="transport", c=c, rng=0)
    except ValueError as error:
        # Simulations that are the data, and losses beyond the largest that are promised to work,
        # are to be refused.
        return (
            None
            if "value for value" in str(error) or "beyond 1e+300" in str(error)
            else f"refused: {error}"
        )
    means = np.array([np.mean(own) for own, _ in losses])
    gap = np.abs(means[:, None] - means[None, :])
    # Where models agree to rounding the sign of the gap is chance, and so is a probability without
    # any spread.
    clear = gap > 1e-12 * max(np.max(np.abs(own)) for own, _ in losses)
    off = np.abs(result.probability - expected)[clear]
    if off.size and not off.max() <= 1e-6:
        return f"a probability is off by {off.max()}"
    brute = plain.rejections(result.applied.empirical, result.probability, result.threshold)
    names = result.names
    said = {names.index(name): names.index(why.by) for name, why in result.rejections.items()}
    # Those that single simulations disagree about are told, but do not reject.
    said |= {
        names.index(duel.model): names.index(duel.by)
        for duel in result.undecided
        if duel.reason == "simulations"
    }
    if said != brute:
        return f"rejections {said} where all duels say {brute}"
    return None


def check_verdict(problem, rng):
    """Who is rejected by draws, with all shortcuts, against all duels of these draws."""
    n_models = int(rng.integers(2, 30))
    threshold = float(rng.uniform(0.51, 0.999))
    spread = 10.0 ** rng.uniform(-2, 1)
    draws = [
        np.sort(rng.normal(rng.normal(0, spread), rng.uniform(0.1, 2), int(rng.integers(2, 400))))
        for _ in range(n_models)
    ]
    if rng.random() < 0.3:
        draws = [np.round(each) for each in draws]
    risk = np.round(rng.normal(size=n_models), 1)
    matrix = np.array([[probability_below(a, b)[0] for b in draws] for a in draws])
    brute = plain.rejections(risk, matrix, threshold)
    found, _ = decide(risk, list(draws), threshold, lambda model: False)
    if set(found) != set(brute):
        return f"rejected {sorted(found)} where all duels say {sorted(brute)}"
    return None
