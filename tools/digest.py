"""A digest of fixed-seed runs: moving code must not move a bit.

Run it before and after a change of layout and compare the lines: `python tools/digest.py`. Each
line is the SHA-256 of the numbers of one run. The runs use public names only, so the same script
serves both sides.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import rivals
from rivals import criteria, plots, read, report  # noqa: F401  (they must load)
from rivals.testbeds import blackbody

RUNS: dict[str, Callable[[], Any]] = {}

# The paper's process on one simulation: what never changes. Versions before 0.2 knew nothing else.
PARAMETERS = inspect.signature(rivals.compare).parameters
PAPER: dict[str, Any] = {"law": "beta", "n_simulations": 1} if "law" in PARAMETERS else {}
FEW: dict[str, Any] = {"depth": 8, "n_draws": 500, "max_draws": 4000}


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


def few_draws() -> dict[str, Any]:
    """The options of the process: of the comparison itself in versions before 0.3, of the law
    since.
    """
    return {**PAPER, **FEW} if "depth" in PARAMETERS else {**PAPER, "law": rivals.laws.Beta(**FEW)}


def end_point_share(result: Any, name: str, depth: int | None) -> float:
    """The part of the variance of the risk that comes from both ends."""
    reference = result.applied.reference if hasattr(result, "applied") else result.reference
    process = rivals.HierarchicalBetaProcess.from_losses(
        result.losses[name], result.c, depth, reference=reference
    )
    return process.end_point_share


def comparison(result: Any, depth: int | None = None) -> list[Any]:
    """Everything a comparison computed."""
    return [
        result.survivors,
        result.probability,
        result.standard_error,
        [result.risks[name] for name in result.names],
        [result.risk_mean[name] for name in result.names],
        [result.risk_std[name] for name in result.names],
        [end_point_share(result, name, depth) for name in result.names],
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
    return comparison(
        rivals.compare(sample(3, 200), c=0.5, **few_draws(), rng=3), depth=FEW["depth"]
    )


@run
def many_models() -> Any:
    rng = np.random.default_rng(4)
    losses = {f"m{i}": tuple(rng.exponential(1 + 0.02 * i, (2, 300))) for i in range(30)}
    return comparison(rivals.compare(losses, c=2**-6, **PAPER, rng=4))


@run
def sweep_over_c() -> Any:
    found = rivals.compare(sample(5), **PAPER, rng=5).sweep([2**-6, 2**-3, 1.0, 8.0])
    return [found.probability, found.standard_error, found.survivors, found.changes]


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
def calibration_in_process() -> Any:
    found = rivals.calibrate(
        {"first": omega, "second": omega},
        n_data=300,
        n_experiments=24,
        c=[2**-4, 1.0],
        n_truth=2000,
        **PAPER,
        rng=8,
        executor=0,
        progress=False,
    )
    names = [
        name for name in found.records.dtype.names if name not in ("truth", "score")
    ]  # which follow from the others here
    return [[found.records[name] for name in names], found.overconfidence(1.0)]


@run
def calibration_in_processes() -> Any:
    found = rivals.calibrate(
        omega,
        n_data=200,
        n_experiments=300,
        c=[0.25, 1.0],
        n_truth=2000,
        **PAPER,
        rng=9,
        progress=False,
    )
    return [found.curve(1.0).observed, found.curve(1.0).low, found.choose_c(valid_only=False)]


@run
def black_body() -> Any:
    data = blackbody.observe(
        1024, wavelengths=(15, 30), temperature=4000, gain=1e5, bias=2.5e-6, law="planck", rng=10
    )
    laws = {law: blackbody.fit(data, law=law) for law in ("planck", "rayleigh-jeans")}
    return comparison(
        rivals.compare(laws, blackbody.observe(1024, rng=11), c=0.25, **PAPER, rng=10)
    )


@run
def criteria_side_by_side() -> Any:
    rng = np.random.default_rng(13)
    fitted = {
        name: criteria.Fitted(
            -observed, 2, test_losses=observed, losses=rivals.Losses(observed, synthetic)
        )
        for name, (observed, synthetic) in sample(13).items()
    }
    found = criteria.table(fitted, rng=13)
    return [
        [row.difference, row.standard_error] for row in found.rows if row.criterion != "MCS"
    ] + [rng.random()]


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
    """Print one line per run."""
    for name, function in RUNS.items():
        digest = hashlib.sha256()
        add(digest, function())
        print(f"{digest.hexdigest()[:32]}  {name}")


if __name__ == "__main__":
    main()
