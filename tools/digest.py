"""A digest of fixed-seed runs: moving code must not move a bit.

Run it before and after a change, with the PYTHONPATH of either tree, and compare the lines:
`python tools/digest.py`. Each line is the SHA-256 of the numbers of one run. The runs use public
names that release b8519f40 had as well, so that the same script serves both sides. Runs by method
"beta" must agree to the last bit, but for standard errors, which are rounded to twelve decimals.
Of the others, `transport` may differ by the order of summation (2e-16), and groups by the closed
law, which is new.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import rivals
from rivals.testbeds import blackbody

RUNS: dict[str, Callable[[], Any]] = {}

# The paper's process on one simulation: what never changes.
METHOD = "method" if "method" in inspect.signature(rivals.compare).parameters else "law"
PAPER: dict[str, Any] = {METHOD: "beta", "n_simulations": 1}


def run(function: Callable[[], Any]) -> Callable[[], Any]:
    """Register a run under its name."""
    RUNS[function.__name__] = function
    return function


def gaussian(width: float, mean: float = 0.0) -> rivals.Candidate:
    """A Gaussian model."""
    return rivals.Candidate(
        loss=lambda y: np.log(width) + ((y - mean) / width) ** 2 / 2,
        simulate=lambda n, rng: mean + width * rng.standard_normal(n),
    )


def sample(seed: int, n: int = 1000) -> dict[str, tuple[Any, Any]]:
    """Losses of four kinds."""
    rng = np.random.default_rng(seed)
    return {
        "exponential": tuple(rng.exponential(1.0, (2, n))),
        "lognormal": (rng.lognormal(0, 1.0, n), rng.lognormal(0, 1.1, n)),
        "student": (rng.standard_t(3, n), rng.standard_t(4, n)),
        "rounded": tuple(np.round(rng.normal(0.2, 1.0, (2, n)), 1)),
    }


def comparison(result: Any) -> list[Any]:
    """What a comparison decided, and from which numbers."""
    return [
        result.survivors,
        result.probability,
        np.round(getattr(result, "_decided", result).evidence.standard_error, 12),
        sorted(
            (name, rejection.by, rejection.probability)
            for name, rejection in result.rejections.items()
        ),
    ]


def omega(rng: np.random.Generator) -> rivals.Experiment:
    """Two wrong means, and a true one in between."""
    mean = rng.normal(0, 0.1)
    return rivals.Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n),
        candidates=(gaussian(1.0, -0.1), gaussian(1.0, 0.1)),
    )


@run
def candidates_at_c_1() -> Any:
    y = np.random.default_rng(0).standard_normal(4000)
    return comparison(
        rivals.compare(
            {"a": gaussian(0.9), "b": gaussian(1.0), "c": gaussian(3.0)}, y, **PAPER, rng=0
        )
    )


@run
def losses_at_small_c() -> Any:
    return comparison(rivals.compare(sample(1), c=2**-4, **PAPER, rng=1))


@run
def losses_with_an_offset() -> Any:
    moved = {
        name: (1e9 + observed, 1e9 + synthetic) for name, (observed, synthetic) in sample(2).items()
    }
    return comparison(rivals.compare(moved, c=0.3, **PAPER, rng=2))


@run
def fixed_depth_and_few_draws() -> Any:
    law = {METHOD: rivals.laws.Beta(depth=8, n_draws=500)}
    return comparison(rivals.compare(sample(3, 200), c=0.5, **law, n_simulations=1, rng=3))


@run
def many_models() -> Any:
    rng = np.random.default_rng(4)
    losses = {f"m{i}": tuple(rng.exponential(1 + 0.02 * i, (2, 300))) for i in range(30)}
    return comparison(rivals.compare(losses, c=2**-6, **PAPER, rng=4))


@run
def sweep_over_c() -> Any:
    found = rivals.compare(sample(5), **PAPER, rng=5).sweep([2**-6, 2**-3, 1.0, 8.0])
    decisions = found.values() if isinstance(found, dict) else found.comparisons
    return [comparison(each) for each in decisions]


@run
def process_moments_and_paths() -> Any:
    process = rivals.HierarchicalBetaProcess.from_losses(sample(6)["lognormal"], c=0.25)
    other = process.at(2.0)
    return [
        [process.risk_mean, process.risk_std, process.end_point_share, process.alpha, process.beta],
        [other.risk_mean, other.risk_std, other.drawn_nodes, other.sample_risk(1000, rng=6)],
        process.sample_paths(5, depth=9, rng=6),
    ]


@run
def quantile_functions() -> Any:
    q = rivals.QuantileFunction(sample(7)["student"][0])
    phi = np.linspace(0, 1, 101)
    return [q(phi), q.integral(phi)]


@run
def calibration() -> Any:
    found = rivals.calibrate(
        {"first": omega, "second": omega},
        n_data=300,
        n_experiments=24,
        c=[2**-4, 1.0],
        n_truth=2000,
        **PAPER,
        rng=8,
        progress=False,
    )
    # The probability of each experiment at each c; what else is recorded has other names now.
    names = [name for name in found.records.dtype.names if name.startswith(("probability", "B"))]
    return [found.records[name] for name in names]


@run
def black_body() -> Any:
    data = blackbody.observe(
        1024, wavelengths=(15, 30), temperature=4000, gain=1e5, bias=2.5e-6, law="planck", rng=10
    )
    laws = {law: blackbody.fit(data, law=law) for law in ("planck", "rayleigh-jeans")}
    return comparison(
        rivals.compare(laws, blackbody.observe(1024, rng=11), c=0.25, **PAPER, rng=10)
    )


def in_schools(**said: Any) -> Any:
    """Three models in twelve schools of unequal sizes."""
    rng = np.random.default_rng(14)
    school = np.repeat(np.arange(12), rng.integers(5, 60, 12))
    base = rng.exponential(size=school.size)
    losses = {
        name: base + gap + 0.2 * rng.standard_normal(12)[school]
        for name, gap in (("a", 0.0), ("b", 0.05), ("c", 0.3))
    }
    models = {name: rivals.Losses(each, **said) for name, each in losses.items()}
    result = rivals.compare(models, groups=school, rng=0)
    return [result.survivors, result.probability]


@run
def in_groups() -> Any:
    return in_schools()


@run
def left_out() -> Any:
    return in_schools(left_out=True)


@run
def transport() -> Any:
    result = rivals.compare(sample(15), **{METHOD: "transport"}, rng=0)
    return [result.survivors, result.probability]


def add(digest: Any, thing: Any) -> None:
    """Feed numbers, text and whatever holds them into a digest, to the last bit."""
    if isinstance(thing, (list, tuple)):
        digest.update(f"[{len(thing)}]".encode())
        for item in thing:
            add(digest, item)
    elif isinstance(thing, str):
        digest.update(thing.encode())
    else:
        array = np.asarray(thing)
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())


def main() -> None:
    """Print one line per run; with `--numbers`, the numbers."""
    warnings.simplefilter("ignore")
    for name, function in RUNS.items():
        digest = hashlib.sha256()
        found = function()
        add(digest, found)
        print(f"{digest.hexdigest()[:32]}  {name}")
        if "--numbers" in sys.argv:
            print(found)


if __name__ == "__main__":
    main()
