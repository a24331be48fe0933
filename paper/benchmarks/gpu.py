"""Neurons by the ten thousand on one GPU.

Agreement with the processor, time per stage, and how far that is from the device's limits.

On a machine with numba: `python paper/benchmarks/gpu.py reference FILE` writes what the processor
computes. On one with a GPU: `python paper/benchmarks/gpu.py device FILE OUT.json`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from rivals_paper import pyloric
from rivals_paper.noise import ColouredNoise, within_bins
from rivals_paper.pyloric.circuit import pair

CELLS = ("LP 1", "LP 2", "LP 3", "LP 4", "LP 5")
VARIANTS = ("published", "prinz2004")
# Where both processors take other steps, traces differ by what the solver is off. At this tolerance
# that is little enough to see whether anything else differs.
STRICT = pyloric.Solver(rtol=1e-11, atol=1e-14)
SOLVERS = {
    "loose": pyloric.LOOSE,
    "accurate": pyloric.ACCURATE,
    "strict": STRICT,
    "fixed-step": pyloric.Solver("fixed-step", step=0.05),
}
TIMES = np.arange(1.0, 4001.0)
EXPERIMENTS = 24_576
# Operations of double precision in one evaluation of the right-hand side of two cells, counted in
# its source: 98 exponentials of about 20, and about 900 others.
OPERATIONS = 98 * 20 + 900


def reference(path: Path) -> None:
    """Settled states, right-hand sides, traces and spike counts by the processor."""
    from rivals_paper.pyloric import kernels

    kept: dict[str, Any] = {}
    for variant in VARIANTS:
        rng = np.random.default_rng(0)
        base = pyloric.settled(pair("LP 1", variant), solver=pyloric.ACCURATE)
        states = base + rng.normal(0, 0.3, (500, 28)) * np.sqrt(np.abs(base))
        currents = rng.normal(0, 0.1, 500)
        slopes = np.zeros((500, 28))
        scratch = np.zeros((3, kernels.EXPONENTIALS * 2))
        constants = pair("LP 1", variant).constants()
        for e in range(500):
            kernels.derivative(states[e], currents[e], *constants, scratch, slopes[e])
        kept |= {
            f"{variant}/states": states,
            f"{variant}/currents": currents,
            f"{variant}/slopes": slopes,
        }
        for name, solver in SOLVERS.items():
            initial = [pyloric.settled(pair(cell, variant), solver=solver) for cell in CELLS]
            runs = [
                pyloric.simulate(
                    pair(cell, variant), TIMES, solver=solver, initial=state, current=noise_of(i)
                )
                for i, (cell, state) in enumerate(zip(CELLS, initial, strict=True))
            ]
            kept |= {
                f"{variant}/{name}/initial": np.array(initial),
                f"{variant}/{name}/voltages": np.array(runs),
            }
    np.savez_compressed(path, **kept)


def noise_of(seed: int) -> ColouredNoise:
    return ColouredNoise(100.0, 2.0**-5, float(TIMES[-1]), rng=seed)


def device(path: Path, out: Path) -> None:
    from rivals_paper.gpu import simulate as gpu

    cp = gpu.cupy()
    report: dict[str, Any] = {
        "device": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "cupy": cp.__version__,
    }
    began = time.perf_counter()
    gpu._module(), gpu._noise_module()
    report["compile s"] = time.perf_counter() - began
    report["agreement"] = agreement(gpu, np.load(path))
    print(json.dumps(report, indent=1), flush=True)
    report["noise"] = noise_law(gpu)
    report["limits"] = limits(cp)
    print(json.dumps({k: report[k] for k in ("noise", "limits")}, indent=1), flush=True)
    report["speed"] = [
        stage for name in ("fixed-step", "loose", "accurate") for stage in [speed(gpu, name)]
    ]
    out.write_text(json.dumps(report, indent=1))


def agreement(gpu: Any, known: Any) -> dict[str, Any]:
    cp = gpu.cupy()
    found = {}
    noises = [noise_of(seed) for seed in range(5)]
    impulses = [
        gpu.Impulses(each.tau, within_bins(each.times, each.tau, each.first), each.weights)
        for each in noises
    ]
    for variant in VARIANTS:
        states = cp.asarray(known[f"{variant}/states"])
        currents = cp.asarray(known[f"{variant}/currents"])
        tables, kinds = gpu._tables([pair("LP 1", variant)] * 500)
        slopes = cp.full((500, 28), np.nan)
        gpu._launch(
            gpu._module().get_function("slopes"),
            500,
            (np.int32(500), *tables, kinds, states, currents, slopes),
        )
        expected = known[f"{variant}/slopes"]
        found[f"{variant}: right-hand side, largest relative difference"] = float(
            np.max(np.abs(slopes.get() - expected) / np.maximum(np.abs(expected), 1e-6))
        )
        for name, solver in SOLVERS.items():
            initial = cp.asarray(known[f"{variant}/{name}/initial"])
            circuits = [pair(cell, variant) for cell in CELLS]
            v = gpu.simulate_many(
                circuits, TIMES, gpu.given_noise(impulses), solver=solver, initial=initial
            ).get()
            theirs = known[f"{variant}/{name}/voltages"]
            settled = gpu.settle_many(circuits, solver=solver).get()
            found[f"{variant}, {name}"] = {
                "first 100 ms, mV, LP 1 to 5": np.abs(v - theirs)[:, :, :100]
                .max(axis=(1, 2))
                .tolist(),
                "4 s, root mean square, mV": np.sqrt(
                    np.mean((v - theirs) ** 2, axis=(1, 2))
                ).tolist(),
                "spikes of LP on the GPU": spikes(v[:, 1]),
                "on the processor": spikes(theirs[:, 1]),
                "settled state, largest difference": np.abs(settled - initial.get())
                .max(axis=1)
                .tolist(),
            }
    return found


def spikes(v: Any) -> list[int]:
    return np.count_nonzero((v[:, :-1] < 0) & (v[:, 1:] >= 0), axis=1).tolist()


def noise_law(gpu: Any) -> dict[str, Any]:
    """Mean, variance and autocorrelation of 4 096 currents drawn on the device, at lags of 0 to 3
    tau, beside the law.
    """
    n = 4096
    tau = 10.0
    sigma = 2.0
    currents = gpu.coloured_noise(np.full(n, tau), np.full(n, sigma), 200.0, list(range(n)))
    rows = currents.coefficients.get().reshape(n, -1, 16)
    # The value at the middle of each bin is the constant coefficient; neighbouring middles lie tau
    # apart.
    middle = rows[:, :20, 0]
    lags = [float(np.mean(middle[:, : 20 - lag] * middle[:, lag:])) for lag in range(4)]
    law = [sigma**2 * float(np.exp(-(lag**2) / 2)) for lag in range(4)]
    # One experiment's average over its bins; experiments are independent.
    errors = [
        float(np.std(np.mean(middle[:, : 20 - lag] * middle[:, lag:], axis=1)) / np.sqrt(n))
        for lag in range(4)
    ]
    return {
        "mean": float(middle.mean()),
        "autocovariance": lags,
        "law": law,
        "standard error": errors,
    }


def limits(cp: Any) -> dict[str, float]:
    """The device's own rates: a copy of 8 GB, and fused multiply-adds of double precision."""
    a = cp.ones(2**29)
    b = cp.empty_like(a)
    b[:] = a
    rate = timed(cp, lambda: b.__setitem__(slice(None), a))
    code = (
        'extern "C" __global__ void fma_rate(double *x, int n) { double a = x[threadIdx.x], b = a '
        "+ 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7; for (int i = 0; i "
        "< n; i++) { a = fma(a, 1.0000001, 1e-9); b = fma(b, 1.0000001, 1e-9); c = fma(c, "
        "1.0000001, 1e-9); d = fma(d, 1.0000001, 1e-9); e = fma(e, 1.0000001, 1e-9); f = fma(f, "
        "1.0000001, 1e-9); g = fma(g, 1.0000001, 1e-9); h = fma(h, 1.0000001, 1e-9); } "
        "x[threadIdx.x] = a + b + c + d + e + f + g + h; }"
    )
    kernel = cp.RawKernel(code, "fma_rate")
    x = cp.ones(256)
    blocks = 132 * 16
    steps = 20_000
    kernel((blocks,), (256,), (x, np.int32(10)))
    seconds = timed(cp, lambda: kernel((blocks,), (256,), (x, np.int32(steps))))
    return {
        "copy TB/s": 2 * a.nbytes / rate / 1e12,
        "double precision TFLOP/s": 16 * blocks * 256 * steps / seconds / 1e12,
    }


def timed(cp: Any, run: Any) -> float:
    cp.cuda.Device().synchronize()
    began = time.perf_counter()
    run()
    cp.cuda.Device().synchronize()
    return time.perf_counter() - began


def speed(gpu: Any, name: str) -> dict[str, Any]:
    """All experiments of the paper: 7 s each, short correlations, from settled states.

    Noise and integration apart.
    """
    cp = gpu.cupy()
    rng = np.random.default_rng(1)
    n = EXPERIMENTS
    tau = 10 ** rng.uniform(0.1, 0.2, n)
    sigma = np.exp(rng.normal(-10, 0.5, n))
    circuits = [pair(CELLS[i % 5]) for i in range(n)]
    times = 3000.0 + np.arange(4000.0)
    currents = []
    done = []
    initial = gpu.settle_many(circuits[:5], solver=SOLVERS[name])[cp.arange(n) % 5]
    noise = timed(
        cp, lambda: currents.append(gpu.coloured_noise(tau, sigma, 6999.0, list(range(n))))
    )
    args = (circuits, times, initial, currents[0], SOLVERS[name], None)
    seconds = timed(cp, lambda: done.append(gpu._integrate(*args)))
    stage = {
        "solver": name,
        "experiments": n,
        "simulated s each": 7.0,
        "noise s": noise,
        "integration s": seconds,
    }
    stage["simulated s per s"] = n * 7.0 / seconds
    stage["finite"] = bool(cp.isfinite(done[0][0]).all())
    print(json.dumps(stage), flush=True)
    return stage


if __name__ == "__main__":
    if sys.argv[1] == "reference":
        reference(Path(sys.argv[2]))
    else:
        device(Path(sys.argv[2]), Path(sys.argv[3]))
