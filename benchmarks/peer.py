"""Measure `emdcmp` by its public functions. Runs inside the peer's own environment and prints one
line of JSON.

    python peer.py versions
    python peer.py time LOSSES.npy C SECONDS      wall and processor time per draw of R, at 8 levels
    python peer.py risks LOSSES.npy C PATHS SEED  the risk of each path, by the trapezoid and by
    Simpson's rule

LOSSES.npy holds two rows, observed and synthetic losses. Progress bars stay off (each update sleeps
50 ms).
"""

from __future__ import annotations

import json
import math
import platform
import sys
import time
from importlib.metadata import version

import numpy as np

LEVELS = 8
BLOCK = 16  # paths per timing


def versions() -> dict[str, object]:
    packages = ", ".join(f"{name} {version(name.lower())}" for name in ("emdcmp", "NumPy", "SciPy"))
    return {"versions": f"{packages}, Python {platform.python_version()}"}


def measure(losses: str, c: str, seconds: str) -> dict[str, object]:
    from emdcmp import draw_R_samples

    observed, synthetic = _quantile_functions(losses)
    draws: list[float] = []
    wall: list[float] = []
    processor: list[float] = []
    # The results of earlier calls are remembered, by arguments: a tolerance that is never asked for
    # makes each call new.
    for block in range(10**6):
        wall_start = time.perf_counter()
        processor_start = time.process_time()
        drawn = draw_R_samples(
            observed,
            synthetic,
            c=float(c),
            res=LEVELS,
            M=BLOCK,
            max_M=BLOCK,
            relstderr_tol=1e6 + block,
        )
        if block > 0:  # the first one is for warming up
            wall.append((time.perf_counter() - wall_start) / BLOCK)
            processor.append((time.process_time() - processor_start) / BLOCK)
            draws.extend(drawn)
        if len(wall) > 2 and math.fsum(wall) * BLOCK > float(seconds):
            break
    return {
        "wall": float(np.median(wall)),
        "processor": float(np.median(processor)),
        "draws": len(draws),
        "distinct": len(set(draws)),
        "mean": float(np.mean(draws)),
        "std": float(np.std(draws)),
    }


def risks(losses: str, c: str, paths: str, seed: str) -> dict[str, object]:
    from emdcmp.path_sampling import generate_quantile_paths
    from scipy.integrate import simpson

    observed, synthetic = _quantile_functions(losses)
    trapezoid_sums = []
    simpson_sums = []
    for phi, path in generate_quantile_paths(
        observed,
        lambda phi: np.abs(synthetic(phi) - observed(phi)),
        c=float(c),
        M=int(paths),
        res=LEVELS,
        rng=int(seed),
        progbar=None,
    ):
        trapezoid_sums.append(float(np.trapezoid(path, phi)))
        simpson_sums.append(float(simpson(path, x=phi)))
    return {"trapezoid": trapezoid_sums, "simpson": simpson_sums}


def _quantile_functions(path: str):
    from emdcmp import make_empirical_risk_ppf

    observed, synthetic = np.load(path, allow_pickle=False)
    return make_empirical_risk_ppf(observed), make_empirical_risk_ppf(synthetic)


if __name__ == "__main__":
    command = {"versions": versions, "time": measure, "risks": risks}[sys.argv[1]]
    print(json.dumps(command(*sys.argv[2:])))
