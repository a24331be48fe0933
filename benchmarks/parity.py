"""Does `rivals` draw from the same law as `emdcmp`, where that one is right? And where is it not?

Paths of both have 8 levels and are integrated by the trapezoid rule, like with like: `emdcmp`
itself uses Simpson's rule on the 257 points, so its paths are drawn by its public generator and
both sums are taken. Our mean and standard deviation are the exact ones (`depth=8`). Tolerances are
those of the peer's Monte Carlo error. Writes results/parity.md; exits with 1 where parity fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np

import cases
import environment
import rivals
from rivals.core import tree
from rivals.core.quantiles import grid

RESULTS = Path(__file__).parent / "results"
DEPTH = 8
N_LOSSES = 2000
N_OURS = 200_000

# Twelve numbers are tested against zero (mean and sd of six cases) and six distances: with these
# bounds a true parity fails in one or two runs of a thousand, and seeds are fixed.
MAX_Z = 4.0
MAX_KS = 2.2  # times 1/√n: P(√n D > 2.2) = 2 exp(−2 · 2.2²) = 1.3e-4

PARITY: tuple[tuple[str, Callable[[int], cases.Pair], float], ...] = (
    ("normal, N(1, 1) against N(1.5, 1.1²)", cases.normal_losses, 1.0),
    ("normal, the same", cases.normal_losses, 2.0**-4),
    ("exponential, mean 1 against 1.4", cases.exponential_losses, 1.0),
    ("exponential, the same", cases.exponential_losses, 2.0**-4),
    ("Student t(5) against itself + 0.5", cases.student_losses, 1.0),
    (
        "Gaussian likelihood in 4 dimensions, width 1 against 1.3",
        cases.gaussian_losses_in_space,
        2.0**-2,
    ),
)
LIMITS: tuple[tuple[str, Callable[[int], cases.Pair], float], ...] = (
    ("exponential, reproduced exactly (δ = 0)", cases.perfect_exponential, 1.0),
    ("exponential, an independent sample of the same law", cases.independent_exponential, 1.0),
    ("Poisson counts of mean 2 (ties)", cases.poisson, 1.0),
    ("exponential, mean 1e-4 against 1.4e-4", cases.small_losses, 1.0),
)


@dataclass(frozen=True)
class Parity:
    """One case, peer against ours."""

    what: str
    c: float
    peer: np.ndarray  # trapezoid sums of the peer's paths
    simpson: np.ndarray
    mean: float  # ours, exact
    std: float
    draws: np.ndarray

    @property
    def z_mean(self) -> float:
        """Difference of the means in standard errors."""
        return float((self.peer.mean() - self.mean) / (self.std / sqrt(self.peer.size)))

    @property
    def z_std(self) -> float:
        """Difference of the variances in standard errors, which need the fourth moment (of our many
        draws).
        """
        kurtosis = float(np.mean((self.draws - self.mean) ** 4)) / self.std**4
        error = self.std**2 * sqrt((kurtosis - 1.0) / self.peer.size)
        return float((np.mean((self.peer - self.mean) ** 2) - self.std**2) / error)

    @property
    def distance(self) -> float:
        """Kolmogorov-Smirnov distance of the two samples."""
        a = np.sort(self.peer)
        b = np.sort(self.draws)
        both = np.concatenate([a, b])
        return float(
            np.max(
                np.abs(
                    np.searchsorted(a, both, "right") / a.size
                    - np.searchsorted(b, both, "right") / b.size
                )
            )
        )

    @property
    def scaled_distance(self) -> float:
        return self.distance * sqrt(
            self.peer.size * self.draws.size / (self.peer.size + self.draws.size)
        )

    @property
    def holds(self) -> bool:
        return (
            abs(self.z_mean) < MAX_Z and abs(self.z_std) < MAX_Z and self.scaled_distance < MAX_KS
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--paths", type=int, default=400, help="paths of the peer for each case of the parity table"
    )
    options = parser.parse_args()
    try:
        machine = environment.describe()
        parities = [_parity(*case, options.paths) for case in PARITY]
        text = "\n".join(
            [
                "# Parity with the peer",
                "",
                "Written by `benchmarks/parity.py`.",
                "",
                environment.heading(machine),
                "",
                *_parity_table(parities),
                "",
                *_limit_table(),
                "",
                *_truth_table(),
            ]
        )
    except environment.BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "parity.md").write_text(text + "\n")
    print(text)
    return 0 if all(parity.holds for parity in parities) else 1


# ---------------------------------------------------------------- the same law


def _parity(what: str, make: Callable[[int], cases.Pair], c: float, n_paths: int) -> Parity:
    losses = make(N_LOSSES)
    _require_ordinary(what, losses, c)
    process = _process(losses, c, DEPTH)
    paths = _peer_risks(losses, c, n_paths)
    draws = process.sample_risk(N_OURS, rng=0)
    return Parity(
        what, c, paths["trapezoid"], paths["simpson"], process.risk_mean, process.risk_std, draws
    )


def _require_ordinary(what: str, losses: cases.Pair, c: float) -> None:
    """No node may be one of the peer's special cases, some of which are mirrored."""
    log_ratio, log_variance = _nodes(losses, c)
    if (
        np.any(np.abs(log_ratio) > np.log(1e12))
        or np.any(log_variance < np.log(1e-8))
        or np.any(log_variance > np.log(1e4))
    ):
        raise environment.BenchmarkError(
            f"{what}, c = {c:g}: reaches a special case of the peer; choose other losses"
        )


def _nodes(losses: cases.Pair, c: float) -> tuple[np.ndarray, np.ndarray]:
    """ln r and ln v of all nodes."""
    observed, synthetic = (rivals.QuantileFunction(sample)(grid(DEPTH)) for sample in losses)
    with np.errstate(divide="ignore"):
        log_variance = np.log(2.0 * c * (synthetic - observed)[tree.midpoints(DEPTH)] ** 2)
    return tree.log_ratios(observed, DEPTH), log_variance


def _parity_table(parities: list[Parity]) -> list[str]:
    n = parities[0].peer.size
    return [
        "## Continuous losses of order one, where none of the peer's special cases is reached",
        "",
        f"{n} paths of the peer against our exact moments and {N_OURS} draws, both at 8 levels and "
        f"by the trapezoid rule, L = {N_LOSSES}. z: difference in standard errors (bound "
        f"{MAX_Z:g}); KS: Kolmogorov-Smirnov distance (bound {MAX_KS / sqrt(n):.3f}). The last two "
        "columns: what Simpson's rule, which the peer uses, makes of the same paths, and ours at "
        "full depth.",
        "",
        "| losses | c | mean: peer | ours | z | sd: peer | ours | z | KS | parity | mean by "
        "Simpson | ours, full depth |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_parity_line(parity) for parity in parities),
    ]


def _parity_line(parity: Parity) -> str:
    make = next(case[1] for case in PARITY if case[0] == parity.what)
    deep = _process(make(N_LOSSES), parity.c, None)
    return (
        f"| {parity.what} | {parity.c:g} | {parity.peer.mean():.4f} | {parity.mean:.4f} | "
        f"{parity.z_mean:+.1f} | {parity.peer.std():.4f} | {parity.std:.4f} | {parity.z_std:+.1f} "
        f"| {parity.distance:.3f} | {'holds' if parity.holds else '**fails**'} | "
        f"{parity.simpson.mean():.4f} | {deep.risk_mean:.4f} |"
    )


# ---------------------------------------------------------------- where the peer is wrong


def _limit_table(n_paths: int = 64) -> list[str]:
    lines = [
        "## Where the peer's special cases are reached",
        "",
        f"It has the limits r → 0, r → ∞ and v → 0 the wrong way round. L = {N_LOSSES}, c = 1, "
        f"{n_paths} paths of the peer by its own rule (Simpson), ours by default.",
        "",
        "| losses | nodes in a special case | mean loss | R: peer | R: ours |",
        "| --- | --- | --- | --- | --- |",
    ]
    for what, make, c in LIMITS:
        losses = make(N_LOSSES)
        log_ratio, log_variance = _nodes(losses, c)
        special = (
            ~(np.abs(log_ratio) <= np.log(1e12))
            | (log_variance < np.log(1e-8))
            | (log_variance > np.log(1e4))
        )
        peer = _peer_risks(losses, c, n_paths)["simpson"]
        process = _process(losses, c, None)
        lines.append(
            f"| {what} | {special.sum()} of {special.size} | {losses[0].mean():.4g} | "
            f"{_spread(peer.mean(), peer.std())} | {_spread(process.risk_mean, process.risk_std)} |"
        )
    return lines


def _truth_table(n: int = 4000, c: float = 2.0**-2, n_paths: int = 64) -> list[str]:
    """The true model, at the first seeds where the discrepancy at one of the top three nodes
    happens to be small.
    """
    lines = [
        "## A true model that the peer rejects",
        "",
        f"y ~ N(0, 1); A = N(0, 1) is true, B = N(0, 1.5²). L = {n}, c = {c:g}. Shown are the "
        "first seeds at which v < 1e-8 at the topmost node, that is, where the two quantile "
        f"functions of A happen to cross at the median. P(R_A < R_B) by {n_paths} paths of the "
        "peer each, and by `compare` under law beta.",
        "",
        "| seed | R_A: peer | ours | R_B: peer | ours | P(R_A < R_B): peer | ours |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for seed in list(_crossing_seeds(n, c))[:2]:
        pairs = {"A": cases.true_model(n, seed), "B": cases.wide_model(n, seed)}
        peer = {name: _peer_risks(losses, c, n_paths)["simpson"] for name, losses in pairs.items()}
        ours = rivals.compare(pairs, **cases.PEERS_METHOD, c=c, rng=0)
        probability = float(np.mean(peer["A"][:, None] < peer["B"][None, :]))
        risks = (
            f"{_spread(peer[name].mean(), peer[name].std())} | "
            f"{_spread(ours.risk_mean[name], ours.risk_std[name])}"
            for name in pairs
        )
        lines.append(
            f"| {seed} | {' | '.join(risks)} | {probability:.3f} | {ours.probability[0, 1]:.3f} |"
        )
    return lines


def _crossing_seeds(n: int, c: float, n_seeds: int = 1000) -> Iterator[int]:
    for seed in range(n_seeds):
        observed, synthetic = (
            float(rivals.QuantileFunction(part)(0.5)) for part in cases.true_model(n, seed)
        )
        if 2.0 * c * (synthetic - observed) ** 2 < 1e-8:
            yield seed


# ---------------------------------------------------------------- shared


def _process(losses: cases.Pair, c: float, depth: int | None) -> rivals.HierarchicalBetaProcess:
    return rivals.HierarchicalBetaProcess.from_losses(rivals.Losses(*losses), c=c, depth=depth)


def _peer_risks(losses: cases.Pair, c: float, n_paths: int, seed: int = 0) -> dict[str, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.npy"
        np.save(path, np.stack(losses))
        answer = environment.run_peer("risks", path, c, n_paths, seed)
    return {rule: np.array(values) for rule, values in answer.items()}


def _spread(mean: float, std: float) -> str:
    return f"{mean:.4g} ± {std:.2g}"


if __name__ == "__main__":
    sys.exit(main())
