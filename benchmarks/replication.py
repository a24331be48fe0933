"""Are verdicts right when the experiment is repeated? Stated winners, scored in fresh replications.

    python benchmarks/replication.py [--problems 400] [--experiments 1024] [--seed 0]

For each family of families.py, problems are drawn and judged from one data set of 1 000 points by each method. A
winner is *stated* where its probability exceeds 0.95. Each verdict is scored in 400 fresh replications, where the true risks
are known: *error* is how often a stated winner loses there, nominally 5 % at most. Calibrations see other problems, of
broader families. Writes results/replication.json, .md and .png. Needs the package `arch` for the model
confidence set.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from arch.bootstrap import MCS
from rivals.core.groups import group_probabilities
from rivals.core.transport import wasserstein_squares
from scipy.special import ndtr

import families
from rivals import HierarchicalBetaProcess
from rivals.calibration.correction import Correction, fit_correction
from rivals.core.sampling_error import mean_covariance
from rivals.core.verdict import probability_below

matplotlib.use("Agg")

FloatArray = npt.NDArray[np.float64]

HERE = Path(__file__).parent
THRESHOLD = 0.95
N_POINTS, N_REPLICATIONS, N_TRUTHS = 1000, 400, 32
N_GROUPS, GROUP_SIZE = 8, 250
SIMULATIONS = (1, 4, 16, 32)
TRANSPORT_C = tuple(2.0 ** np.arange(-12, 5))
BETA_C = tuple(2.0 ** np.arange(-14, 1, 2))
N_BETA = 256  # experiments of each family that the beta process is calibrated with: it is slow
SHOWN_TRANSPORT_C = (2.0**-8, 2.0**-6, 2.0**-4, 2.0**-3, 2.0**-2, 1.0)
SHOWN_BETA_C = (2.0**-4, 2.0**-2, 1.0)
N_DRAWS = 1000
# What problems are for, and by how much their ranges are wider at both ends: a vague Ω hardly knows what varies.
TEST, BROAD, VAGUE = 0, 1, 2
BROADER = {TEST: 1.0, BROAD: 1.5, VAGUE: 4.0}
RESAMPLES, MCS_RESAMPLES = 500, 200
SIZES = (256, 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=400, help="for each family")
    parser.add_argument("--experiments", type=int, default=1024, help="of a calibration, for each family")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    if options.experiments < max(SIZES):
        parser.error(f"--experiments must be at least {max(SIZES)}: got {options.experiments}")
    begin = time.perf_counter()
    tests = judge_families(TEST, options.problems, options.seed, options.workers)
    pools = judge_families(BROAD, options.experiments, options.seed, options.workers)
    vague = judge_families(VAGUE, options.experiments, options.seed, options.workers)
    scores = score_all(tests, pools, vague)
    settings = vars(options) | {"seconds": round(time.perf_counter() - begin), "python": platform.python_version()}
    write(scores, settings)


# ---------------------------------------------------------------- what each method says


@dataclass(frozen=True)
class Evidence:
    """What is known of many problems of a family, one per row.

    Transport's probability for every c and number of simulations follows from `gap`, `squares` and `variance`.
    """

    gap: FloatArray  # mean loss of the second candidate less that of the first
    squares: FloatArray  # W_a² + W_b² for each number of simulations
    variance: FloatArray  # of the mean difference
    beta: FloatArray  # P(R_a < R_b) of the beta process, for each c
    others: dict[str, FloatArray]  # P(a is better), other methods
    wins: FloatArray  # part of fresh replications that the first candidate wins
    oracle: FloatArray  # the same from other replications, as an oracle knows it; with calibrations, from one only

    def transport(self, c: float, simulations: int) -> FloatArray:
        """P(R_a < R_b) of all problems: `transport_probability` of a pair, vectorised over problems."""
        spread = np.sqrt(c * self.squares[:, SIMULATIONS.index(simulations)] + self.variance)
        return ndtr(self.gap / spread)


def judge_families(purpose: int, n_problems: int, seed: int, workers: int) -> dict[str, Evidence]:
    """Problems of each family: test problems with everything computed, or experiments of calibrations."""
    jobs = [(name, purpose, n_problems, seed) for name in families.FAMILIES]
    if workers == 1:
        return {job[0]: judge_family(*job) for job in jobs}
    with ProcessPoolExecutor(workers) as pool:
        return dict(zip(families.FAMILIES, pool.map(judge_family, *zip(*jobs, strict=True)), strict=True))


def judge_family(name: str, purpose: int, n_problems: int, seed: int) -> Evidence:
    return collected([judge(name, purpose, index, seed) for index in range(n_problems)])


def collected(rows: list[dict[str, Any]]) -> Evidence:
    stacked = {key: np.array([row[key] for row in rows]) for key in rows[0] if key != "others"}
    others = {key: np.array([row["others"][key] for row in rows]) for key in rows[0]["others"]}
    return Evidence(**stacked, others=others)


def judge(name: str, purpose: int, index: int, seed: int) -> dict[str, Any]:
    """One problem: drawn, observed, judged, and its truth. The beta process, which is slow, not for all calibrations."""
    place = list(families.FAMILIES).index(name)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, place, index)))
    problem = families.draw(families.FAMILIES[name], rng, broader=BROADER[purpose])
    data = problem.observe(N_POINTS, rng)
    losses = np.stack([candidate.loss(data) for candidate in problem.candidates])
    synthetic = [simulated(candidate, max(SIMULATIONS), rng) for candidate in problem.candidates]
    squares = np.sum([wasserstein_squares(own, other) for own, other in zip(losses, synthetic, strict=True)], axis=0)
    covariance = mean_covariance(losses, order=problem.order)
    test = purpose == TEST
    with_beta = test or (purpose == BROAD and index < N_BETA)
    return {
        "gap": losses[1].mean() - losses[0].mean(),
        "squares": [squares[:count].mean() for count in SIMULATIONS],
        "variance": max(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1], 0.0),
        "beta": beta(losses, [one[0] for one in synthetic], rng) if with_beta else np.full(len(BETA_C), np.nan),
        "others": other_methods(problem, losses, rng) if test else {},
        "wins": problem.wins(N_REPLICATIONS if test else N_TRUTHS, rng).mean(),
        "oracle": problem.wins(2000 if test else 1, rng).mean(),
    }


def simulated(candidate: Any, simulations: int, rng: np.random.Generator) -> FloatArray:
    return np.stack([candidate.loss(candidate.simulate(N_POINTS, rng)) for _ in range(simulations)])


def beta(losses: FloatArray, synthetic: list[FloatArray], rng: np.random.Generator) -> FloatArray:
    """The process of the paper, one simulation, every c."""
    processes = [HierarchicalBetaProcess.from_losses(pair, c=BETA_C[0]) for pair in zip(losses, synthetic, strict=True)]
    probability = []
    for c in BETA_C:
        first, second = (np.sort(process.at(c).sample_risk(N_DRAWS, rng=rng)) for process in processes)
        probability.append(probability_below(first, second)[0])
    return np.array(probability)


def other_methods(problem: families.Problem, losses: FloatArray, rng: np.random.Generator) -> dict[str, float]:
    """P(the first candidate is better) by methods that look at the losses alone; and by groups, which have more data."""
    difference = losses[1] - losses[0]
    error = difference.std(ddof=1) / np.sqrt(N_POINTS)
    long_run = mean_covariance(difference[None, :], order="time")[0, 0]
    resampled = difference[rng.integers(0, N_POINTS, (RESAMPLES, N_POINTS))].mean(axis=1)
    return {
        "elpd ± SE": float(ndtr(difference.mean() / error)),
        "bootstrap": float(np.mean(resampled > 0.0)),
        "model confidence set": model_confidence_set(losses, difference, rng),
        "Diebold-Mariano, HAC": float(ndtr(difference.mean() / np.sqrt(long_run))),
        "groups, 8 × 250": groups(problem, rng),
    }


def model_confidence_set(losses: FloatArray, difference: FloatArray, rng: np.random.Generator) -> float:
    """1 − p/2 for the better model: above 0.95 where the set of 10 % has one model only."""
    test = MCS(losses.T, size=0.10, reps=MCS_RESAMPLES, seed=int(rng.integers(2**31)))
    test.compute()
    p = float(test.pvalues["Pvalue"].min())
    return 1.0 - p / 2.0 if difference.mean() > 0 else p / 2.0


def groups(problem: families.Problem, rng: np.random.Generator) -> float:
    """Eight replications of 250 points."""
    means, covariances = [], []
    for _ in range(N_GROUPS):
        data = problem.replicate(GROUP_SIZE, rng)
        losses = np.stack([candidate.loss(data) for candidate in problem.candidates])
        means.append(losses.mean(axis=1))
        covariances.append(mean_covariance(losses, order=problem.order))
    return float(group_probabilities(np.array(means).T, np.array(covariances))[0, 1])


# ---------------------------------------------------------------- calibration


@dataclass(frozen=True)
class Calibration:
    """As `rivals.compare(..., c=calibration)` uses one: c by the Brier score, then the library's own correction."""

    c: float
    correct: Correction

    @classmethod
    def of(
        cls, probability: Callable[[float], FloatArray], wins: FloatArray, sensitivities: tuple[float, ...]
    ) -> Calibration:
        """`probability(c)` of all experiments, `wins` the part of fresh replications that the first candidate won."""
        c = min(sensitivities, key=lambda c: float(np.mean((probability(c) - wins) ** 2)))
        return cls(c, fit_correction(probability(c), wins))

    def __call__(self, probability: FloatArray) -> FloatArray:
        """B read through the curve; outside the range seen, as at its end."""
        return self.correct(probability)


# ---------------------------------------------------------------- calibrations on other problems


def calibration_sets(
    pools: dict[str, Evidence], kind: str, name: str, size: int
) -> Iterator[list[tuple[Evidence, Any]]]:
    """Disjoint sets of experiments to calibrate with, for problems of family `name`: (evidence, rows) of each family.

    "own": the broader version of the same family. "mixture": of all families. "left out": of all but this one.
    """
    sources = {"own": [name], "mixture": list(pools), "left out": [other for other in pools if other != name]}[kind]
    each = size // len(sources)
    available = min(pools[source].wins.size for source in sources)
    for begin in range(0, available - each + 1, each):
        yield [(pools[source], slice(begin, begin + each)) for source in sources]


def beta_sets(pools: dict[str, Evidence], kind: str, name: str, size: int) -> Iterator[list[tuple[Evidence, Any]]]:
    """The same for the beta process, from the experiments for which it was computed."""
    sources = {"own": [name], "mixture": list(pools), "left out": [other for other in pools if other != name]}[kind]
    rows = np.flatnonzero(np.isfinite(pools[sources[0]].beta[:, 0]))
    each = min(size // len(sources), rows.size)
    for begin in range(0, rows.size - each + 1, each):
        yield [(pools[source], rows[begin : begin + each]) for source in sources]


def calibrated_transport(
    tests: dict[str, Evidence], pools: dict[str, Evidence], kind: str, size: int, simulations: int, truth: str
) -> Said:
    said = Said()
    for name, test in tests.items():
        for experiments in calibration_sets(pools, kind, name, size):
            wins = np.concatenate([getattr(evidence, truth)[rows] for evidence, rows in experiments])

            def probability(c: float, experiments: Any = experiments) -> FloatArray:
                return np.concatenate([evidence.transport(c, simulations)[rows] for evidence, rows in experiments])

            calibration = Calibration.of(probability, wins, TRANSPORT_C)
            said.add(name, calibration(test.transport(calibration.c, simulations)), calibration.c)
    return said


def calibrated_beta(tests: dict[str, Evidence], pools: dict[str, Evidence], kind: str, size: int, truth: str) -> Said:
    said = Said()
    for name, test in tests.items():
        for experiments in beta_sets(pools, kind, name, size):
            wins = np.concatenate([getattr(evidence, truth)[rows] for evidence, rows in experiments])

            def probability(c: float, experiments: Any = experiments) -> FloatArray:
                return np.concatenate([evidence.beta[rows, BETA_C.index(c)] for evidence, rows in experiments])

            calibration = Calibration.of(probability, wins, BETA_C)
            said.add(name, calibration(test.beta[:, BETA_C.index(calibration.c)]), calibration.c)
    return said


# ---------------------------------------------------------------- scores


class Said:
    """What a method said: P(the first candidate is better) for all problems, by family; of each calibration, if any."""

    def __init__(self, probability: dict[str, FloatArray] | None = None) -> None:
        self.by_family = {name: [one] for name, one in (probability or {}).items()}
        self.sensitivities: list[float] = []

    def add(self, name: str, probability: FloatArray, c: float) -> None:
        self.by_family.setdefault(name, []).append(probability)
        self.sensitivities.append(c)


def score_all(tests: dict[str, Evidence], pools: dict[str, Evidence], vague: dict[str, Evidence]) -> dict[str, Any]:
    """Every method: its scores for each family and pooled."""
    by_method: dict[str, Said] = {"oracle": Said({name: test.oracle for name, test in tests.items()})}
    for label in next(iter(tests.values())).others:
        by_method[label] = Said({name: test.others[label] for name, test in tests.items()})
    for c in SHOWN_BETA_C:
        by_method[f"beta, c = {power(c)}"] = Said({name: test.beta[:, BETA_C.index(c)] for name, test in tests.items()})
    for c in SHOWN_TRANSPORT_C:
        by_method[f"transport, c = {power(c)}"] = Said({name: test.transport(c, 16) for name, test in tests.items()})
    by_method["beta, calibrated on own, 256"] = calibrated_beta(tests, pools, "own", 256, "wins")
    for kind in ("mixture", "left out"):
        for size in SIZES:
            by_method[f"beta, calibrated on {kind}, {size}"] = calibrated_beta(tests, pools, kind, size, "wins")
    for kind in ("own", "mixture", "left out"):
        for size in SIZES:
            label = f"transport, calibrated on {kind}, {size}"
            by_method[label] = calibrated_transport(tests, pools, kind, size, 16, "wins")
            by_method[f"{label}, one replication each"] = calibrated_transport(tests, pools, kind, size, 16, "oracle")
    for size in SIZES:
        label = f"transport, calibrated on own, vague, {size}"
        by_method[label] = calibrated_transport(tests, vague, "own", size, 16, "wins")
    for simulations in (1, 4, 32):
        for kind in ("own", "mixture"):
            label = f"transport, calibrated on {kind}, 1024, S = {simulations}"
            by_method[label] = calibrated_transport(tests, pools, kind, 1024, simulations, "wins")
    return {label: scores_of(said, tests) for label, said in by_method.items()}


def scores_of(said: Said, tests: dict[str, Evidence]) -> dict[str, Any]:
    scores: dict[str, Any] = {name: score(said.by_family[name], test.wins) for name, test in tests.items()}
    # The k-th calibrations of all families together, as if one user had judged all problems.
    n_calibrations = min(len(said.by_family[name]) for name in tests)
    pooled = [np.concatenate([said.by_family[name][k] for name in tests]) for k in range(n_calibrations)]
    scores["pooled"] = score(pooled, np.concatenate([test.wins for test in tests.values()]))
    if said.sensitivities:
        scores["c"] = [float(np.quantile(said.sensitivities, q, method="nearest")) for q in (0.0, 0.5, 1.0)]
    return scores


def score(said: list[FloatArray], wins: FloatArray) -> dict[str, Any]:
    """Error and stated in %, with standard errors over problems; their spread over calibrations; Brier; the curve."""
    probability = np.array(said)  # calibrations × problems
    stated = np.maximum(probability, 1.0 - probability) > THRESHOLD
    lost = np.where(probability > 0.5, 1.0 - wins, wins) * stated
    total = stated.sum()
    error = lost.sum() / total if total else np.nan
    residual = lost.mean(axis=0) - error * stated.mean(axis=0)
    by_calibration = lost.sum(axis=1) / np.maximum(stated.sum(axis=1), 1)
    return {
        "error": 100 * error if total else None,
        "error_se": 100 * np.sqrt(np.sum(residual**2)) / stated.mean(axis=0).sum() if total else None,
        "error_sd_calibrations": 100 * by_calibration.std(ddof=1) if len(said) > 1 else None,
        "stated": 100 * stated.mean(),
        "stated_se": 100 * stated.mean(axis=0).std() / np.sqrt(wins.size),
        "brier": float(np.mean(wins * (1.0 - probability) ** 2 + (1.0 - wins) * probability**2)),
        "curve": curve(probability, np.broadcast_to(wins, probability.shape)),
        "problems": wins.size,
        "calibrations": len(said),
    }


def curve(probability: FloatArray, wins: FloatArray, bins: int = 10) -> list[list[float]]:
    """Mean of what was said and of what came, in bins of equal counts; the better candidate first."""
    firm = np.maximum(probability, 1.0 - probability).ravel()
    right = np.where(probability >= 0.5, wins, 1.0 - wins).ravel()
    order = np.argsort(firm, kind="stable")
    return [
        [round(float(firm[part].mean()), 4), round(float(right[part].mean()), 4)]
        for part in np.array_split(order, bins)
    ]


# ---------------------------------------------------------------- table and picture

SHOWN_BY_FAMILY = (
    "oracle",
    "elpd ± SE",
    "Diebold-Mariano, HAC",
    "groups, 8 × 250",
    "beta, c = 2^-4",
    "beta, calibrated on own, 256",
    "beta, calibrated on mixture, 1024",
    "transport, c = 2^-3",
    "transport, c = 2^-6",
    "transport, calibrated on own, 1024",
    "transport, calibrated on mixture, 1024",
    "transport, calibrated on left out, 1024",
)


def write(scores: dict[str, Any], settings: dict[str, Any]) -> None:
    results = HERE / "results"
    lines = [
        f" {json.dumps(label, ensure_ascii=False)}: {json.dumps(one, allow_nan=False)}" for label, one in scores.items()
    ]
    body = f'{{"settings": {json.dumps(settings)}, "scores": {{\n' + ",\n".join(lines) + "\n}}\n"
    (results / "replication.json").write_text(body)
    (results / "replication.md").write_text(table(scores, settings))
    picture(scores, results / "replication.png")
    print(table(scores, settings))


def table(scores: dict[str, Any], settings: dict[str, Any]) -> str:
    oracle = scores["oracle"]["pooled"]["stated"]
    lines = [
        "# Are verdicts right when the experiment is repeated?",
        "",
        f"`python benchmarks/replication.py --problems {settings['problems']} --experiments {settings['experiments']} "
        f"--seed {settings['seed']}`: {settings['seconds']} s. {len(families.FAMILIES)} families, L = {N_POINTS}, each verdict "
        f"scored in {N_REPLICATIONS} fresh replications. Error: how often a stated winner loses there (nominal 5 %); ± is one "
        "standard error over problems, and in brackets the standard deviation between calibrations. Transport with 16 "
        "simulations and beta with one, unless said otherwise. Calibrations: c and curve from the broader version of the same family "
        "(own; ranges wider by 1.5 at both ends, vague: by 4), of all families (mixture), of all others (left out). The truth of a calibration "
        f"experiment is the part won of {N_TRUTHS} fresh replications, or of one each. The c of the beta process was searched in "
        f"{power(BETA_C[0])} … {power(BETA_C[-1])} and that of transport in {power(TRANSPORT_C[0])} … {power(TRANSPORT_C[-1])}: the least, the median and the "
        "largest that calibrations chose; at an end of the search the best c may lie beyond.",
        "",
        families.DESIGN,
        "",
        "| method | error % | stated % | of what the oracle states % | Brier | c |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for label, by_family in scores.items():
        pooled = by_family["pooled"]
        between = f" ({pooled['error_sd_calibrations']:.1f})" if pooled["error_sd_calibrations"] is not None else ""
        c = " … ".join(map(power, by_family["c"])) if "c" in by_family else ""
        error = (
            f"{pooled['error']:.1f} ± {pooled['error_se']:.1f}{between}"
            if pooled["error"] is not None
            else "none stated"
        )
        lines.append(
            f"| {label} | {error} | {pooled['stated']:.1f} ± {pooled['stated_se']:.1f} | "
            f"{100 * pooled['stated'] / oracle:.0f} | {pooled['brier']:.3f} | {c} |"
        )
    names = list(families.FAMILIES)
    lines += [
        "",
        "Error % / stated % by family:",
        "",
        f"| method | {' | '.join(names)} |",
        "| --- |" + " --- |" * len(names),
    ]
    for label in SHOWN_BY_FAMILY:
        lines.append(f"| {label} | " + " | ".join(brief(scores[label][name]) for name in names) + " |")
    return "\n".join(lines) + "\n"


def brief(cell: dict[str, Any]) -> str:
    error = "–" if cell["error"] is None else f"{cell['error']:.1f} ± {cell['error_se']:.1f}"
    return f"{error} / {cell['stated']:.0f}"


def power(c: float) -> str:
    return "1" if c == 1.0 else f"2^{np.log2(c):.0f}"


def picture(scores: dict[str, Any], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(9.5, 5.0), layout="constrained")
    ax.axhline(5.0, color="0.4", lw=1, ls="--")
    ax.text(99.5, 5.15, "nominal 5 %", ha="right", color="0.4", fontsize=8)
    for label, marker, colour, text in MARKERS:
        pooled = scores[label]["pooled"]
        ax.errorbar(
            pooled["stated"],
            pooled["error"],
            yerr=pooled["error_se"],
            fmt=marker,
            color=colour,
            ms=7,
            capsize=2,
            label=text,
        )
    for law, colour, values in (("beta", "C1", SHOWN_BETA_C), ("transport", "C0", SHOWN_TRANSPORT_C)):
        pooled = [scores[f"{law}, c = {power(c)}"]["pooled"] for c in values]
        x, y = [one["stated"] for one in pooled], [one["error"] for one in pooled]
        ax.plot(
            x,
            y,
            "-",
            marker=".",
            color=colour,
            lw=1,
            label=f"{law}, fixed c = {power(values[0])} … {power(values[-1])}",
        )
        for c, at in ((values[0], 0), (values[-1], -1)):
            ax.annotate(power(c), (x[at], y[at]), xytext=(4, 4), textcoords="offset points", fontsize=8, color=colour)
    ax.set(
        xlabel="winner stated (% of problems)", ylabel="stated winner loses in a fresh replication (%)", xlim=(0, 100)
    )
    ax.set_ylim(bottom=0)
    ax.set_title(
        f"Pooled over {len(families.FAMILIES)} families, {scores['oracle']['pooled']['problems']} problems", fontsize=10
    )
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    figure.savefig(path, dpi=150)


MARKERS = (
    ("oracle", "*", "k", "oracle that knows the law of replications"),
    ("elpd ± SE", "s", "C3", "elpd ± SE"),
    ("bootstrap", "v", "C4", "bootstrap of the mean difference"),
    ("model confidence set", "^", "C5", "model confidence set, 10 %"),
    ("Diebold-Mariano, HAC", "D", "C6", "Diebold-Mariano, HAC"),
    ("beta, calibrated on mixture, 1024", "o", "C1", "beta, calibrated on all families"),
    ("beta, calibrated on own, 256", "P", "C1", "beta, calibrated on the same family"),
    ("transport, calibrated on mixture, 1024", "o", "C0", "transport, calibrated on all families"),
    ("transport, calibrated on left out, 1024", "X", "C0", "transport, calibrated on the other families"),
    ("transport, calibrated on own, 1024", "P", "C0", "transport, calibrated on the same family"),
    ("groups, 8 × 250", "h", "C2", "groups, 8 replications of 250"),
)


if __name__ == "__main__":
    main()
