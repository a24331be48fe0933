"""Does a calibration converge? The c that is used, and what becomes of named winners, by budget.

Three pools of experiments: toys, a driven oscillator, and black body radiation (the records that
ship with `rivals_paper`). From each pool studies of 256 to 8 192 experiments are drawn; what is
kept is compared with the failure rate in the rest of the pool. And one recording of the oscillator
is judged by calibrations of 512, 1 152 and 4 096 experiments.

    python benchmarks/convergence.py --out benchmarks/results/convergence.md
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import rivals
from rivals._result.sentences import value_of_c
from rivals.calibration import Calibration, judge_experiments
from rivals.scenarios import Scenario, choice, gain, jitter, noise, offset, simulator
from rivals.testbeds import toys

BUDGETS = (256, 512, 1024, 2048, 4096, 8192)
STUDIES = 60
C = [2.0**k for k in range(-10, 5, 2)]
END = 30.0
NOISE = 0.05
# x″ = −0.2 x′ − x + 0.5 cos(1.2 t), and what else acts.
FORCES = {
    "drag": lambda x, v: -0.05 * v * abs(v),
    "Duffing": lambda x, v: -0.03 * x**3,
    "linear": lambda x, v: 0.0 * x,
}


@cache
def trace(name: str, drive: float = 1.2) -> tuple[np.ndarray, np.ndarray]:
    """The path of an oscillator, on a grid."""
    force = FORCES[name]
    time = np.linspace(0.0, END, 601)

    def slope(t, state):
        x, v = state
        return v, -0.2 * v - x + 0.5 * np.cos(drive * t) + force(x, v)

    return time, solve_ivp(slope, (0.0, END), (1.0, 0.0), t_eval=time, rtol=1e-8).y[0]


def oscillator(n: int, rng: np.random.Generator, force: str, amplitude: float = 1.0):
    """Positions at random times."""
    t = rng.uniform(0.0, END, n)
    return t, amplitude * np.interp(t, *trace(force))


def candidate(force: str) -> rivals.Candidate:
    """An oscillator with known parameters, seen with noise."""

    def loss(data):
        t, x = data
        return ((x - np.interp(t, *trace(force))) / NOISE) ** 2 / 2

    def simulate(n, rng):
        t, x = oscillator(n, rng, force)
        return t, x + NOISE * rng.standard_normal(n)

    return rivals.Candidate(loss, simulate)


CANDIDATES = {name: candidate(name) for name in FORCES}


def oscillators() -> Scenario:
    """One of the three is true; each recording has a gain and an offset of its own."""
    truth = simulator(oscillator, force=choice(*FORCES), amplitude=1.0)
    chain = [jitter(amplitude=0.02), gain(0.05), offset(0.05), noise(NOISE)]
    return Scenario(CANDIDATES, truth, chain, new="replication", signal=1)


def run(scenario, n_experiments: int, store: Path | None, **options) -> Calibration:
    return rivals.calibrate(
        {"Ω": scenario},
        n_experiments=n_experiments,
        c=C,
        store=store,
        progress=False,
        **{"rng": 0, **options},
    )


OSCILLATOR = {"n_data": 200, "n_truth": 4000, "most_truth": 4000, "n_simulations": 4}


def pools(folder: Path, size: int) -> dict[str, tuple[np.ndarray, np.ndarray, list[float], str]]:
    """P, truth, c and rule of each pool."""
    from rivals_paper.blackbody_records import committed

    made = {
        "toys": run(
            toys.omega, size, folder / "toys.sqlite", n_data=100, n_truth=4000, most_truth=64000
        ),
        "oscillator": run(oscillators(), size, folder / "oscillator.sqlite", **OSCILLATOR),
    }
    found = {
        name: (each.outcomes["probability"], each.truth, C, "error") for name, each in made.items()
    }
    record = committed("as-published")
    at = list(2.0 ** record.log2_c.astype(float))
    found["black body"] = (record.probability, record.experiments.truth, at, "bound")
    return found


def study(pool, n: int, rng: np.random.Generator):
    """States of a study of n experiments, and the failure rates of named winners in the rest."""
    probability, truth, c, rule = pool
    order = rng.permutation(truth.size)
    here, rest = order[:n], order[n:]
    found = judge_experiments({"": (probability[here], truth[here])}, c, rule=rule)
    p, t = probability[rest], truth[rest, None]
    named = (np.maximum(p, 1 - p) > 0.95) & ~np.isnan(t)
    failed = named & ((p > 0.5) != (t > 0.5))
    with np.errstate(invalid="ignore"):
        rate = failed.sum(axis=0) / named.sum(axis=0)
    return found, dict(zip(c, rate, strict=True)), dict(zip(c, named.mean(axis=0), strict=True))


def converge(pool, budgets, rng) -> list[list[str]]:
    rows = []
    for n in budgets:
        studies = [study(pool, n, rng) for _ in range(STUDIES)]
        chosen = [(found.kept[0], rates, named) for found, rates, named in studies if found.kept]
        kept = [rates[c] for found, rates, _ in studies for c in found.kept]
        low = [c for c, _, _ in chosen]
        rate = [rates[c] for c, rates, _ in chosen]
        named = [of[c] for c, _, of in chosen]
        forecast = [state for found, _, _ in studies for state in found.overall]
        rows.append(
            [
                f"{n}",
                f"{len(chosen)} of {STUDIES}",
                " to ".join(value_of_c(c) for c in np.quantile(low, [0.1, 0.9], method="nearest"))
                if low
                else "–",
                _percent(np.mean(named)) if named else "–",
                _percent(np.mean(rate)) if rate else "–",
                _percent(np.max(rate)) if rate else "–",
                f"{sum(r > 0.10 for r in kept)} of {len(kept)}",
                f"{sum(s.state == 'open' for s in forecast) / STUDIES:.1f}",
            ]
        )
    return rows


HEADS = [
    "experiments",
    "studies with a kept c",
    "c used (10 to 90 % of studies)",
    "named",
    "of these fail",
    "at most",
    "kept c at which more than 10 % fail",
    "open c per study",
]


def decisions(folder: Path) -> list[str]:
    """One recording of the oscillator with drag, judged by calibrations of three sizes."""
    recording = oscillators()(np.random.default_rng(1))
    data = recording.observe(200, np.random.default_rng(2))
    lines = []
    for n in (512, 1152, 4096):
        calibration = run(oscillators(), n, folder / f"{n}.sqlite", **OSCILLATOR, rng=n)
        lines.append(f"**{n} experiments.** {calibration.conclusion}")
        if calibration.states().kept:
            result = rivals.compare(CANDIDATES, data, c=calibration, rng=0)
            lines[-1] += f" {result.conclusion}"
    return lines


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, default=Path("convergence"))
    parser.add_argument("--size", type=int, default=12_288)
    asked = parser.parse_args()
    asked.folder.mkdir(exist_ok=True)
    parts = [__doc__.split("\n\n", maxsplit=1)[0], ""]
    for name, pool in pools(asked.folder, asked.size).items():
        budgets = [n for n in BUDGETS if n <= 0.75 * pool[1].size]
        rows = converge(pool, budgets, np.random.default_rng(0))
        lines = [" | ".join(row) for row in (HEADS, ["---"] * len(HEADS), *rows)]
        parts += [f"## {name}: {pool[1].size} experiments", ""]
        parts += [f"| {line} |" for line in lines] + [""]
    parts += ["## One recording of the driven oscillator", "", *decisions(asked.folder), ""]
    text = "\n".join(parts)
    print(text)
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
