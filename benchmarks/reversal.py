"""P by reversal on simulated worlds: does the winner of one recording win in others?

Each world is a process, an instrument whose gain and offset differ between recordings, and two
models that were fitted to a training recording. P is computed from one held-out recording; what
comes true is counted in 64 others, that differ in the instrument and in the noise.

    python benchmarks/reversal.py [--worlds 400]

writes results/reversal.json and results/reversal.md. About five minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import curve_fit
from scipy.special import ndtr

from rivals import Candidate, Losses, compare

OUT = Path(__file__).parent / "results"
N_POINTS = 120
N_OTHERS = 64
LEAST = 1e-3  # no P is scored as more certain than this
METHODS = ("two-sample z", "transport, c = 1/4", "sizes known", "twice", "half")


def decay(rng: np.random.Generator) -> tuple[np.ndarray, list, tuple[float, float]]:
    """Two exponentials; fitted by one with an offset, and by a power law. Gains of .1 to 12 %."""
    t = np.linspace(0.0, 5.0, N_POINTS)
    share, fast = rng.uniform(0.2, 0.8), rng.uniform(2.0, 6.0)
    truth = share * np.exp(-t) + (1 - share) * np.exp(-t * fast)
    laws = [
        (lambda t, a, k, b: a * np.exp(-k * t) + b, (1.0, 1.5, 0.0)),
        (lambda t, a, k, p: a / (1 + np.abs(k) * t) ** np.abs(p), (1.0, 1.0, 2.0)),
    ]
    gain = np.exp(rng.uniform(np.log(0.001), np.log(0.12)))
    return truth, [(t, *law) for law in laws], (gain, 0.0)


def oscillator(rng: np.random.Generator) -> tuple[np.ndarray, list, tuple[float, float]]:
    """x″ = −x − γ x′ − β x³; fitted by a damped sine, and by one whose frequency falls with its
    amplitude. Gains of .1 to 12 %, and offsets of a tenth of that.
    """
    t = np.linspace(0.0, 20.0, N_POINTS)
    gamma, beta = rng.uniform(0.05, 0.3), np.exp(rng.uniform(np.log(0.01), np.log(0.5)))
    state, step, truth = np.array([1.0, 0.0]), (t[1] - t[0]) / 4, [1.0]

    def slope(s):
        return np.array([s[1], -s[0] - gamma * s[1] - beta * s[0] ** 3])

    for k in range(4 * (N_POINTS - 1)):  # Runge and Kutta
        a = slope(state)
        b = slope(state + 0.5 * step * a)
        c = slope(state + 0.5 * step * b)
        d = slope(state + step * c)
        state = state + step * (a + 2 * b + 2 * c + d) / 6
        if k % 4 == 3:
            truth.append(state[0])
    laws = [
        (lambda t, a, g, w, p: a * np.exp(-g * t) * np.cos(w * t + p), (1.0, 0.1, 1.05, 0.0)),
        (
            lambda t, a, g, w, k: (
                a
                * np.exp(-g * t)
                * np.cos(w * t + k * -np.expm1(-2 * g * t) / np.maximum(2 * np.abs(g), 1e-6))
            ),
            (1.0, 0.1, 1.0, 0.05),
        ),
    ]
    gain = np.exp(rng.uniform(np.log(0.001), np.log(0.12)))
    return np.array(truth), [(t, *law) for law in laws], (gain, 0.1 * gain)


WORLDS: dict[str, Callable] = {"decay": decay, "oscillator": oscillator}


def judged(world: Callable, rng: np.random.Generator) -> dict[str, tuple[float, float]] | None:
    """P of each method that the first model is better, and in which part of others it is."""
    truth, laws, (gain, offset) = world(rng)
    noise = np.exp(rng.uniform(np.log(0.01), np.log(0.1))) * np.std(truth)

    def record():
        factor, shift = np.exp(gain * rng.standard_normal()), offset * rng.standard_normal()
        return factor * truth + shift + noise * rng.standard_normal(truth.size)

    training, y = record(), record()
    models = {}
    for name, (t, law, start) in zip("ab", laws, strict=True):
        try:
            found, _ = curve_fit(law, t, training, p0=start, maxfev=4000)
        except RuntimeError:
            return None
        fit = law(t, *found)
        sd = np.std(training - fit)
        models[name] = Candidate(
            lambda y, fit=fit, sd=sd: np.log(sd) + ((y - fit) / sd) ** 2 / 2,
            lambda n, rng, fit=fit, sd=sd: fit + sd * rng.standard_normal(n),
        )
    losses = {name: model.loss(y) for name, model in models.items()}
    d = losses["b"] - losses["a"]
    p = {"two-sample z": float(ndtr(d.mean() / np.sqrt(2 * d.var() / d.size)))}
    simulated = {
        name: Losses(losses[name], [m.loss(m.simulate(y.size, rng)) for _ in range(16)])
        for name, m in models.items()
    }
    transport = compare(simulated, method="transport", c=0.25)
    p["transport, c = 1/4"] = float(transport.probability[0, 1])
    for name, factor in (("sizes known", 1.0), ("twice", 2.0), ("half", 0.5)):
        sizes = {"gain": gain * factor} | ({"offset": offset * factor} if offset else {})
        p[name] = float(compare(models, y, vary=sizes, rng=0).probability[0, 1])
    others = [record() for _ in range(N_OTHERS)]
    won = float(np.mean([models["b"].loss(o).mean() > models["a"].loss(o).mean() for o in others]))
    return {name: (p[name], won) for name in METHODS}


def scored(pairs: np.ndarray) -> dict[str, float]:
    """Of rows (P, part of other recordings in which the first model was better)."""
    p, won = np.clip(pairs[:, 0], LEAST, 1 - LEAST), pairs[:, 1]
    score = won * np.log(p) + (1 - won) * np.log1p(-p)
    named = np.maximum(p, 1 - p) > 0.95
    lost = np.where(p > 0.5, 1 - won, won)[named]
    return {
        "named": float(named.mean()),
        "failed": float(lost.mean()) if named.any() else float("nan"),
        "failed error": float(lost.std() / np.sqrt(max(lost.size, 1))) if named.any() else 0.0,
        "log score": float(score.mean()),
        "log score error": float(score.std() / np.sqrt(score.size)),
    }


def main() -> None:
    """Run, and write both files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=400)
    n_worlds = parser.parse_args().worlds
    begin = time.process_time()
    results, lines = {}, []
    for name, world in WORLDS.items():
        rows = []
        for seed in range(n_worlds):
            found = judged(world, np.random.default_rng([sum(map(ord, name)), seed]))
            if found is not None:
                rows.append([found[method] for method in METHODS])
        table = np.array(rows)
        results[name] = {
            "worlds": len(table),
            "not fitted": n_worlds - len(table),
            **{method: scored(table[:, place]) for place, method in enumerate(METHODS)},
        }
        for method in METHODS:
            r = results[name][method]
            lines.append(
                f"| {name} ({len(table)}) | {method} | {100 * r['named']:.0f} % | "
                f"{100 * r['failed']:.1f} ± {100 * r['failed error']:.1f} % | "
                f"{r['log score']:.3f} ± {r['log score error']:.3f} |"
            )
    results["cpu_seconds"] = round(time.process_time() - begin)
    (OUT / "reversal.json").write_text(json.dumps(results, indent=1) + "\n")
    head = (
        "| worlds | P from | winners named | of these failed | log score |\n|---|---|---|---|---|\n"
    )
    (OUT / "reversal.md").write_text(head + "\n".join(lines) + "\n")
    print((OUT / "reversal.md").read_text(), results["cpu_seconds"], "s")


if __name__ == "__main__":
    main()
