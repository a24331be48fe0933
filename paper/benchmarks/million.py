"""What a million simulated experiments of one epistemic distribution show about the valid values of
c.

    python paper/benchmarks/million.py simulate OUT [--experiments 1000000]      on a GPU; counts
    and the first records to OUT/million.npz, where it goes on if there are some python
    paper/benchmarks/million.py report OUT                                anywhere; reads
    OUT/million.npz, writes results/million.json and .md

The epistemic distribution is that of the paper's black body calibration (`blackbody.bias_sweep`:
spectrometers of unknown bias, either law makes the data, both candidates at 4000 K, noise fitted to
a first spectrum of 4096 points), with 1024 points as in the published run. The truth is exact: the
expected loss on the process that made the data. Method "beta" with one simulation (depth 8, 512
draws), method "transport" with 16.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals.testbeds.blackbody import radiance
from rivals_paper.experiments import Experiments
from rivals_paper.rules import problem_of

RESULTS: Final = Path(__file__).parent / "results"

C: Final = tuple(2.0**k for k in (-15, -9, -6, -3, 0, 1, 2, 3, 4, 6))
N_DATA = 1024
N_FIT = 4096
GAIN = 1e5
TEMPERATURE = 4000.0
MAX_BIAS = 1e-4
LAWS: Final = ("planck", "rayleigh-jeans")
AT_ONCE: Final = 16_384
BINS: Final = 2000  # of B, for counts
FIRST: Final = 65_536  # experiments whose records are kept
SIMULATIONS: Final = 16
SEED: Final = 31


def simulate(folder: Path, experiments: int) -> None:
    """Count, by law, c and bin of B, experiments and those in which the first candidate is
    better.
    """
    from rivals_paper.gpu import judge
    from rivals_paper.gpu.records import word
    from rivals_paper.gpu.simulate import cupy

    cp = cupy()
    began = time.perf_counter()
    counts = {law: np.zeros((len(C), BINS + 1, 2), dtype=np.int64) for law in ("beta", "transport")}
    first: dict[str, list[Any]] = {"beta": [], "transport": [], "difference": []}
    done = 0
    if (folder / "million.npz").exists():
        with np.load(folder / "million.npz", allow_pickle=False) as archive:
            done = int(archive["experiments"])
            counts = {law: archive[f"counts/{law}"] for law in counts}
            first = {name: [archive[f"first/{name}"]] for name in first}
    while done < experiments:
        size = min(AT_ONCE, experiments - done)
        residual, sigma, difference = experiment_batch(
            size, cp, cp.random.RandomState(word(SEED, done))
        )
        losses = residual**2 / (2 * sigma[:, :, None] ** 2)
        ratio = cp.log(sigma[:, 1] / sigma[:, 0])
        losses[:, 1] += ratio[:, None]
        observed = judge.sorted_rows(losses)

        def simulated(k: int, ratio: Any = ratio, size: int = size, done: int = done) -> Any:
            out = judge.sorted_gaussian_losses(
                2 * size, N_DATA, seed=word(SEED, done, 1, k)
            ).reshape(size, 2, N_DATA)
            out[:, 1] += ratio[:, None]
            return out

        beta = judge.beta_probability(
            observed, simulated(0), C, n_draws=512, seed=word(SEED, done, 2)
        )
        squares = cp.zeros((size, 2))
        for k in range(SIMULATIONS):
            squares += cp.mean(cp.abs(simulated(1 + k) - observed), axis=2) ** 2 / SIMULATIONS
        paired = losses[:, 0] - losses[:, 1]
        variance = paired.var(axis=1, ddof=1) / N_DATA
        transport = judge.transport_probability(losses.mean(axis=2), squares, variance, C)
        better = (difference < 0).get()
        for law, probability in (("beta", beta.get()), ("transport", transport.get())):
            place = np.rint(probability * BINS).astype(int)
            for column in range(len(C)):
                counts[law][column, :, 0] += np.bincount(place[:, column], minlength=BINS + 1)
                counts[law][column, :, 1] += np.bincount(place[better, column], minlength=BINS + 1)
            if done < FIRST:
                first[law].append(np.round(probability * 65535).astype(np.uint16))
        if done < FIRST:
            first["difference"].append(difference.get().astype(np.float32))
        done += size
        if done in (size, experiments) or done // AT_ONCE % 8 == 0:
            kept = {f"counts/{law}": table for law, table in counts.items()}
            kept |= {f"first/{name}": np.concatenate(parts) for name, parts in first.items()}
            np.savez_compressed(
                folder / "million.npz", c=np.array(C), experiments=np.array(done), **kept
            )
            print(f"{done} experiments in {time.perf_counter() - began:.1f} s", flush=True)


def experiment_batch(size: int, xp: Any, rng: Any) -> tuple[Any, Any, Any]:
    """Residuals of both candidates on the data (size, 2, N_DATA), their fitted noise (size, 2), and
    the exact difference of their risks.

    `xp` is numpy or cupy, `rng` a RandomState of either.
    """
    bias = rng.uniform(-MAX_BIAS, MAX_BIAS, (size, 1))
    law = rng.randint(0, 2, size)
    means = {
        n: xp.asarray(np.array([radiance(name, grid(n), TEMPERATURE) for name in LAWS]))
        for n in (N_FIT, N_DATA)
    }

    def recorded(n: int) -> Any:
        return rng.poisson(GAIN * means[n][law], (size, n)) / GAIN + bias

    first = recorded(N_FIT)
    squares = xp.stack([xp.mean((first - means[N_FIT][k]) ** 2, axis=1) for k in range(2)], axis=1)
    del first
    data = recorded(N_DATA)
    residual = xp.stack([data - means[N_DATA][k] for k in range(2)], axis=1)
    # E (y − μ_k)² over the process: the variance of the counts, and the square of what the model is
    # off by.
    expected = xp.stack(
        [
            xp.mean(
                means[N_DATA][law] / GAIN + (bias + means[N_DATA][law] - means[N_DATA][k]) ** 2,
                axis=1,
            )
            for k in (0, 1)
        ],
        axis=1,
    )
    risk = 0.5 * xp.log(squares) + expected / (2 * squares)
    return residual, xp.sqrt(squares), risk[:, 0] - risk[:, 1]


def grid(n: int) -> Any:
    """Wavelengths in µm."""
    return np.linspace(15.0, 30.0, n)


def main() -> None:
    """Run what is asked for."""
    what, folder, *options = sys.argv[1:]
    if what == "simulate":
        Path(folder).mkdir(parents=True, exist_ok=True)
        simulate(
            Path(folder), int(options[options.index("--experiments") + 1]) if options else 1_000_000
        )
    else:
        report(Path(folder))


def report(folder: Path) -> None:
    """What the rule on named winners says of every c, with all experiments and with few.

    And how often verdicts at 0.95 are wrong.
    """
    with np.load(folder / "million.npz", allow_pickle=False) as archive:
        kept = dict(archive)
    rows = []
    for law in ("beta", "transport"):
        truth = (kept["first/difference"] < 0).astype(float)
        for column, c in enumerate(kept["c"].tolist()):
            probability, all_truth = expanded(kept[f"counts/{law}"][column])
            excess = Experiments(probability[:, None], all_truth).excess(0, 64)
            problem = problem_of(probability, all_truth)
            few = kept[f"first/{law}"][:, column] / 65535
            rows.append(
                {
                    "law": law,
                    "c": c,
                    **verdicts(kept[f"counts/{law}"][column]),
                    "mean excess": float(np.mean(np.maximum(excess, 0.0))),
                    "worst excess": float(excess.max()),
                    "valid by all": problem is None,
                    "problem": problem,
                    **{f"valid by {n}": share_valid(few, truth, n) for n in (512, 4096)},
                }
            )
    experiments = int(kept["experiments"])
    content = {
        "experiments": experiments,
        "sets of 512": FIRST // 512,
        "sets of 4096": FIRST // 4096,
        "rows": rows,
    }
    (RESULTS / "million.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "million.md").write_text(table(experiments, rows))
    print(table(experiments, rows))


def expanded(counts: Any) -> tuple[Any, Any]:
    """B and the truth of every experiment, from counts by bin."""
    better = counts[:, 1]
    worse = counts[:, 0] - counts[:, 1]
    value = np.arange(BINS + 1) / BINS
    probability = np.concatenate([np.repeat(value, better), np.repeat(value, worse)])
    return probability, np.concatenate([np.ones(better.sum()), np.zeros(worse.sum())])


def verdicts(counts: Any, threshold: float = 0.95) -> dict[str, float]:
    """Share of experiments with a verdict, the share of these that is wrong, and its standard
    error.
    """
    value = np.arange(BINS + 1) / BINS
    above = value > threshold
    below = value < 1 - threshold
    stated = int(counts[above | below, 0].sum())
    wrong = int((counts[above, 0] - counts[above, 1]).sum() + counts[below, 1].sum())
    share = wrong / stated if stated else 0.0
    error = float(np.sqrt(share * (1 - share) / stated)) if stated else 0.0
    return {"stated": stated / int(counts[:, 0].sum()), "wrong": share, "error of wrong": error}


def share_valid(probability: Any, truth: Any, size: int) -> float:
    """Of disjoint sets of so many experiments, the share in which the rule on named winners calls
    this c valid.
    """
    sets = [slice(begin, begin + size) for begin in range(0, len(truth), size)]
    judged = [problem_of(probability[part], truth[part]) is None for part in sets]
    return float(np.mean(judged))


def table(experiments: int, rows: list[dict[str, Any]]) -> str:
    """As a page."""
    lines = [
        f"# One epistemic distribution, {experiments} experiments",
        "",
        "Written by `python paper/benchmarks/million.py`. Stated: share of experiments with B "
        "above 0.95 or below 0.05; wrong: share of these (± standard error). Excess: how much",
        "farther from ½ B is than the truth, mean over experiments, and of the worst of 64 bins. "
        "Valid: by the rule of the package, with all experiments; and the share of sets of 512 and",
        "of 4096 experiments in which the rule says so.",
        "",
        "| law | c | stated | wrong | mean excess | worst excess | valid | by 512 | by 4096 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        reason = "yes" if row["valid by all"] else row["problem"]
        lines.append(
            f"| {row['law']} | 2^{np.log2(row['c']):.0f} | {100 * row['stated']:.1f} % | "
            f"{100 * row['wrong']:.2f} ± {100 * row['error of wrong']:.2f} % "
            f"| {row['mean excess']:.4f} | {row['worst excess']:.3f} | {reason} | "
            f"{row['valid by 512']:.2f} | {row['valid by 4096']:.2f} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
