"""Are verdicts about neurons right when the recording is repeated? The paper's second system as Ω.

    python benchmarks/neurons.py [--recordings 80] [--seed 0] [--keep FILE]

A problem is a cell that is recorded, a pair of candidate cells and a condition of the paper (kind of the noise, its level,
correlation time and strength of the input), with the constants of the published circuit and without the other errors of the original code. Between replications
of a problem, the input, its strength and correlation time, the noise and its scale are drawn anew; the circuit and the candidates, fitted to
the recording at hand, stay. Integration is what costs, so all five cells are integrated with every input and problems share
inputs: any recording serves as the one at hand, and others of its condition as its replications. Recordings are split into two halves that
never meet: a problem is scored in its own half, and calibrations, the oracle and the groups see the other half only.

Writes results/neurons.json and .md. With --keep, voltages are kept in a file and used again.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rivals import HierarchicalBetaProcess
from rivals.calibration.correction import fit_correction
from rivals.core.groups import group_probabilities
from rivals.core.sampling_error import mean_covariance
from rivals.core.transport import wasserstein_squares
from rivals.core.verdict import probability_below
from rivals.testbeds.noise import ColouredNoise
from rivals.testbeds.pyloric import ACCURATE, LABELS, Condition, best_sigma, digitise, losses, sample_times
from rivals.testbeds.pyloric.epistemic import CORRELATIONS, INPUTS, LEVELS, NOISES, PAIRS
from rivals.testbeds.pyloric.recording import voltage

FloatArray = npt.NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = ("LP 1", "LP 2", "LP 3", "LP 4", "LP 5")
KINDS = tuple(product(CORRELATIONS, INPUTS))  # of the input
N_POINTS, N_SIMULATIONS, N_GROUPS, N_DRAWS = 2000, 16, 8, 1000
THRESHOLD = 0.95
BETA_C = (2.0**-8, 2.0**-4, 1.0)
TRANSPORT_C = tuple(2.0 ** np.arange(-12, 5))  # searched by calibrations
SHOWN_TRANSPORT_C = (2.0**-6, 2.0**-3, 1.0)
# Who made the data: none of the candidates, as in the example of the paper, or one of them, as in its Ω.
OTHER, CANDIDATE = "another cell", "one of the candidates"
# What random numbers are for.
VOLTAGE, PROBLEM, VERDICT = 0, 1, 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=int, default=80, help="for each kind of input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="file of the integrated voltages")
    options = parser.parse_args()
    if options.recordings < 4 * N_GROUPS or options.recordings % 2:
        parser.error(f"--recordings must be even and at least {4 * N_GROUPS}: got {options.recordings}")
    voltages, seconds = integrated(options.recordings, options.seed, options.keep)
    begin = time.perf_counter()
    judged = [judge(problem, voltages, options.seed) for problem in problems(options.recordings, options.seed)]
    scores = {
        made_by: score_all([one for one in judged if one["problem"].made_by == made_by])
        for made_by in (OTHER, CANDIDATE)
    }
    settings = {
        "recordings": options.recordings,
        "seed": options.seed,
        "python": platform.python_version(),
        "seconds": {"integration": round(seconds), "verdicts": round(time.perf_counter() - begin)},
    }
    write(scores, settings)


# ---------------------------------------------------------------- recordings


def integrated(n_recordings: int, seed: int, keep: Path | None) -> tuple[FloatArray, float]:
    """Voltages of all cells without noise (kind of input × recording × cell × time), and the seconds they took.

    From the file, if it is there.
    """
    if keep is not None and keep.exists():
        with np.load(keep, allow_pickle=False) as kept:
            voltages, seconds, kept_seed = kept["voltages"], float(kept["seconds"]), int(kept["seed"])
        expected = (len(KINDS), n_recordings, len(CELLS), N_POINTS)
        if (voltages.shape, kept_seed) != (expected, seed):
            raise SystemExit(
                f"{keep} holds voltages of shape {voltages.shape} and seed {kept_seed}, not {expected} and {seed}: remove it"
            )
        return voltages, seconds
    begin = time.perf_counter()
    voltages = np.array([[driven(kind, index, seed) for index in range(n_recordings)] for kind in range(len(KINDS))])
    seconds = time.perf_counter() - begin
    if keep is not None:
        np.savez(keep, voltages=voltages, seconds=seconds, seed=seed)
    return voltages, seconds


def driven(kind: int, index: int, seed: int) -> FloatArray:
    """All cells under one input, whose strength and correlation time are drawn as the condition says."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(VOLTAGE, kind, index)))
    correlation, strength = KINDS[kind]
    drawn = Condition(PAIRS[0], correlation=correlation, input=strength).draw(rng)
    times = sample_times(N_POINTS)
    current = ColouredNoise(drawn.tau, drawn.strength, float(times[-1]), rng=rng)
    return np.array([voltage(cell, times, current, variant="published", solver=ACCURATE) for cell in CELLS])


# ---------------------------------------------------------------- problems


@dataclass(frozen=True)
class Problem:
    """Which cell was recorded, under which condition, with which input; `number` tells problems of one input apart."""

    condition: Condition
    cell: str
    kind: int
    recording: int
    number: int

    @property
    def made_by(self) -> str:
        return CANDIDATE if self.cell in self.condition.cells else OTHER

    @property
    def cluster(self) -> tuple[str, tuple[str, str], int]:
        """Problems alike in this have much the same truth."""
        return self.cell, self.condition.pair, self.kind


def problems(n_recordings: int, seed: int) -> list[Problem]:
    """For each input: one of each pair with data of a third cell, and one of any pair with data of a candidate."""
    drawn = []
    for kind, recording in product(range(len(KINDS)), range(n_recordings)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PROBLEM, kind, recording)))
        correlation, strength = KINDS[kind]
        for number, pair in enumerate((*PAIRS, PAIRS[rng.integers(len(PAIRS))])):
            noise, level = str(rng.choice(NOISES)), str(rng.choice(list(LEVELS)))
            condition = Condition(pair, noise=noise, level=level, correlation=correlation, input=strength)
            others = [cell for cell in CELLS if cell not in condition.cells]
            cell = str(rng.choice(others if number < len(PAIRS) else condition.cells))
            drawn.append(Problem(condition, cell, kind, recording, number))
    return drawn


def judge(problem: Problem, voltages: FloatArray, seed: int) -> dict[str, Any]:
    """What each method says of one problem, and its truth."""
    spawn_key = (VERDICT, problem.kind, problem.recording, problem.number)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))
    half = voltages.shape[1] // 2
    same = np.arange(half) + half * (problem.recording // half)
    replications = same[same != problem.recording]
    unseen = np.setdiff1d(np.arange(2 * half), same)

    # The recording at hand, and the candidates fitted to it.
    at_hand = residuals(problem, voltages, np.array([problem.recording]), rng)[:, 0]
    sigmas = np.array([best_sigma(residual, "gaussian") for residual in at_hand])
    observed = loss_of(at_hand, sigmas)
    # A candidate gets the input of the recording: what differs in its simulations is the noise alone.
    synthetic = loss_of(sigmas[:, None, None] * rng.standard_normal((2, N_SIMULATIONS, N_POINTS)), sigmas)
    fresh = residuals(problem, voltages, replications, rng)
    elsewhere = loss_of(residuals(problem, voltages, unseen, rng), sigmas)

    squares = [np.mean(wasserstein_squares(own, other)) for own, other in zip(observed, synthetic, strict=True)]
    return {
        "problem": problem,
        "half": int(same[0] > 0),
        "gap": float(observed[1].mean() - observed[0].mean()),
        "squares": float(np.sum(squares)),
        "variance": paired_variance(observed, "time"),
        "variance_iid": paired_variance(observed, None),
        "beta": beta(observed, synthetic[:, 0], rng),
        "groups": groups(elsewhere[:, :N_GROUPS]),
        "wins": part_won(loss_of(fresh, sigmas)),
        "wins_refitted": part_won(fresh**2),  # with noise refitted, the smaller residual wins
        "oracle": part_won(elsewhere),
    }


def residuals(
    problem: Problem, voltages: FloatArray, recordings: npt.NDArray[Any], rng: np.random.Generator
) -> FloatArray:
    """Recordings of the cell with noise of a scale drawn for each, less what the candidates expect (candidate × recording × time)."""
    condition, chosen = problem.condition, voltages[problem.kind, recordings]
    scale = np.array([condition.draw(rng).scale for _ in recordings])[:, None]
    shape = (recordings.size, N_POINTS)
    noise = (
        scale * rng.standard_normal(shape) if condition.noise == "Gaussian" else scale / 2 * rng.standard_cauchy(shape)
    )
    recorded = digitise(chosen[:, CELLS.index(problem.cell)] + noise, "truncate")
    return np.array([recorded - chosen[:, CELLS.index(LABELS[label])] for label in condition.pair])


def loss_of(residual: FloatArray, sigmas: FloatArray) -> FloatArray:
    """Losses of both candidates (first axis)."""
    return np.array([losses(own, float(sigma), "gaussian") for own, sigma in zip(residual, sigmas, strict=True)])


def part_won(observed: FloatArray) -> float:
    """Part of the recordings that the first candidate wins, of losses candidate × recording × time."""
    first, second = observed.mean(axis=-1)
    return float(np.mean(0.5 + 0.5 * np.sign(second - first)))


def paired_variance(observed: FloatArray, order: Any) -> float:
    covariance = mean_covariance(observed, order=order)
    return max(float(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]), 0.0)


def beta(observed: FloatArray, synthetic: FloatArray, rng: np.random.Generator) -> list[float]:
    """The process of the paper, one simulation, for each c."""
    pairs = zip(observed, synthetic, strict=True)
    processes = [HierarchicalBetaProcess.from_losses(pair, c=BETA_C[0]) for pair in pairs]
    said = []
    for c in BETA_C:
        first, second = (np.sort(process.at(c).sample_risk(N_DRAWS, rng=rng)) for process in processes)
        said.append(float(probability_below(first, second)[0]))
    return said


def groups(observed: FloatArray) -> float:
    """Several recordings, each a replication."""
    covariances = [mean_covariance(observed[:, g], order="time") for g in range(observed.shape[1])]
    return float(group_probabilities(observed.mean(axis=-1), np.array(covariances))[0, 1])


# ---------------------------------------------------------------- scores


def score_all(judged: list[dict[str, Any]]) -> dict[str, Any]:
    """Every method: stated, error and Brier score."""
    column = {key: np.array([one[key] for one in judged]) for key in judged[0] if key != "problem"}
    problem = [one["problem"] for one in judged]
    labels = {
        "pair": np.array(["".join(one.condition.pair) for one in problem]),
        "noise": np.array([one.condition.noise for one in problem]),
        "pair and cell": np.array([f"{''.join(one.condition.pair)}, {one.cell}" for one in problem]),
    }
    clusters = sorted({one.cluster for one in problem})
    cluster = np.array([clusters.index(one.cluster) for one in problem])

    said = {
        "oracle": column["oracle"],
        f"groups, {N_GROUPS} recordings": column["groups"],
        "elpd ± SE": ndtr(column["gap"] / np.sqrt(column["variance_iid"])),
        "Diebold-Mariano, HAC": ndtr(column["gap"] / np.sqrt(column["variance"])),
    }
    for index, c in enumerate(BETA_C):
        said[f"beta, c = {power(c)}"] = column["beta"][:, index]
    for c in SHOWN_TRANSPORT_C:
        said[f"transport, c = {power(c)}"] = transport(column, c)
    chosen: dict[str, list[float]] = {}
    for label, apart in (("the other half", None), ("the other half, other pairs", labels["pair"])):
        name = f"transport, calibrated on {label}"
        said[name], chosen[name] = calibrated(transport, TRANSPORT_C, column, apart)
    name = "beta, calibrated on the other half"
    said[name], chosen[name] = calibrated(beta_at, BETA_C, column, None)
    return {
        label: score(one, column["wins"], cluster)
        | {
            "c": chosen.get(label),
            **{f"by {what}": by(names, one, column["wins"], cluster) for what, names in labels.items()},
            "noise refitted": score(one, column["wins_refitted"], cluster),
        }
        for label, one in said.items()
    }


Columns = dict[str, FloatArray]


def transport(column: Columns, c: float) -> FloatArray:
    return np.asarray(ndtr(column["gap"] / np.sqrt(c * column["squares"] + column["variance"])))


def beta_at(column: Columns, c: float) -> FloatArray:
    return column["beta"][:, BETA_C.index(c)]


def calibrated(
    probability: Callable[[Columns, float], FloatArray],
    sensitivities: tuple[float, ...],
    column: Columns,
    apart: npt.NDArray[np.str_] | None,
) -> tuple[FloatArray, list[float]]:
    """Read through c and curve of the problems of the other half; of those, only of the ones that differ in `apart`."""
    every = {c: probability(column, c) for c in sensitivities}
    wins, half = column["wins"], column["half"]
    said, chosen = np.full(wins.size, np.nan), []
    labels = np.full(wins.size, "all") if apart is None else apart
    for own_half, label in product((0, 1), np.unique(labels)):
        test = (half == own_half) & (labels == label)
        seen = (half != own_half) & ((labels != label) if apart is not None else True)
        brier = {c: float(np.mean((b[seen] - wins[seen]) ** 2)) for c, b in every.items()}
        c = min(sensitivities, key=brier.__getitem__)
        said[test] = fit_correction(every[c][seen], wins[seen])(every[c][test])
        chosen.append(float(c))
    return said, chosen


def by(
    labels: npt.NDArray[np.str_], probability: FloatArray, wins: FloatArray, cluster: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """Scores of the problems of each label."""
    rows = {str(label): labels == label for label in np.unique(labels)}
    return {label: score(probability[row], wins[row], cluster[row]) for label, row in rows.items()}


def score(probability: FloatArray, wins: FloatArray, cluster: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Error and stated in %, with standard errors over clusters of like problems; Brier score."""
    stated = np.maximum(probability, 1.0 - probability) > THRESHOLD
    lost = np.where(probability > 0.5, 1.0 - wins, wins)
    return {
        "error": 100 * float(lost[stated].mean()) if stated.any() else None,
        "error_se": standard_error(100 * lost[stated], cluster[stated]),
        "stated": 100 * float(stated.mean()),
        "stated_se": standard_error(np.where(stated, 100.0, 0.0), cluster),
        "brier": float(np.mean(wins * (1.0 - probability) ** 2 + (1.0 - wins) * probability**2)),
        "problems": stated.size,
    }


def standard_error(values: FloatArray, cluster: npt.NDArray[np.int64]) -> float | None:
    """Of the mean, where values of one cluster may depend on each other in any way; None for fewer than three clusters."""
    labels, own = np.unique(cluster, return_inverse=True)
    if labels.size < 3:
        return None
    sums = np.bincount(own, weights=values - values.mean())
    return float(np.sqrt(labels.size / (labels.size - 1) * np.sum(sums**2)) / values.size)


# ---------------------------------------------------------------- table


def write(scores: dict[str, Any], settings: dict[str, Any]) -> None:
    results = HERE / "results"
    body = json.dumps({"settings": settings, "scores": scores}, ensure_ascii=False, allow_nan=False, indent=1)
    (results / "neurons.json").write_text(body + "\n")
    (results / "neurons.md").write_text(table(scores, settings))
    print(table(scores, settings))


def table(scores: dict[str, Any], settings: dict[str, Any]) -> str:
    others, own = scores[OTHER], scores[CANDIDATE]
    n = settings["recordings"]
    lines = [
        "# Are verdicts about neurons right when the recording is repeated?",
        "",
        f"`python benchmarks/neurons.py --recordings {n} --seed {settings['seed']}`: {settings['seconds']['integration']} s of "
        f"integration, {settings['seconds']['verdicts']} s of verdicts, one core. {others['oracle']['problems']} problems whose data come from a "
        f"cell that is no candidate, and {own['oracle']['problems']} from one of the candidates, as in the Ω of the paper. L = {N_POINTS}. Each "
        f"verdict is scored in {n // 2 - 1} fresh replications of its own half of the recordings; error: how often a stated winner loses there "
        "(nominal 5 %). ± is one standard error, over clusters of problems alike in recorded cell, pair and kind of input, of which there are "
        f"{len(KINDS) * len(PAIRS) * 3} and {len(KINDS) * len(PAIRS) * 2}. The oracle and the groups see {n // 2} and {N_GROUPS} "
        f"replications of the other half. Transport with {N_SIMULATIONS} simulations and the sampling error of a series, beta with one simulation; "
        f"calibrations take c ({power(TRANSPORT_C[0])} … {power(TRANSPORT_C[-1])}) and the curve from problems of the other half, or from those of other pairs there.",
        "",
        CUT,
        "",
        f"| method | {OTHER}: error % | stated % | Brier | c | error % / stated %: AB | AD | CD | error %, noise refitted | {CANDIDATE}: error % / stated % | Brier | error %, noise refitted |",
        "| " + "--- | " * 11 + "--- |",
    ]
    for label, one in others.items():
        c = "" if one["c"] is None else " … ".join(dict.fromkeys(power(f(one["c"])) for f in (min, max)))
        pairs = " | ".join(brief(one["by pair"]["".join(pair)]) for pair in PAIRS)
        lines.append(
            f"| {label} | {error(one)} | {one['stated']:.1f} ± {one['stated_se']:.1f} | {one['brier']:.3f} | {c} | "
            f"{pairs} | {error(one['noise refitted'])} | {brief(own[label])} | {own[label]['brier']:.3f} | {error(own[label]['noise refitted'])} |"
        )
    return "\n".join([*lines, "", WORDS]) + "\n"


def error(one: dict[str, Any]) -> str:
    if one["error"] is None:
        return "none stated"
    return f"{one['error']:.1f}" + ("" if one["error_se"] is None else f" ± {one['error_se']:.1f}")


def brief(one: dict[str, Any]) -> str:
    return f"{'–' if one['error'] is None else error(one)} / {one['stated']:.0f}"


def power(c: float) -> str:
    return "1" if c == 1.0 else f"2^{np.log2(c):.0f}"


CUT = (
    "Candidates keep the noise that was fitted to the recording at hand; columns “noise refitted” score the same verdicts where it is "
    "fitted anew to each replication, which asks for the better cell alone. Cut to fit the time: recordings of 2 000 ms, where the paper "
    "has 4 000, and truths from recordings of that length, where it has 16 384; inputs shared by problems; no bootstrap and no model "
    "confidence set; the beta process at three c only, so that its calibration chooses among these. Integration of the same inputs can be kept in a file (--keep); its time is that of the first run."
)
# Of the results with the default settings and seed 0.
WORDS = """Where each fails (more in the .json, by noise, and by pair and recorded cell):

- Third cell, near ties. A against D is plain. A against B and C against D are near ties, except where LP 1 is recorded: there the oracle
  states 58 % and 37 %, of the other cells 3 to 12 %, for which it has too few replications (13 to 21 % errors for three of four). No
  method that has one recording states even the ties that can be decided: their sampling errors take the points of a recording
  for a sample, and are larger than the spread between recordings. Eight recordings as groups state hardly more of them.
- elpd ± SE takes the points for independent. It states 3 to 6 % of the near ties, and these lose in 14 to 24 %, with large standard errors.
  Diebold-Mariano with its long-run variance states none of them.
- Cauchy noise. Candidates have Gaussian noise, and its fitted scale hangs on a few outliers. Errors with a third cell are 0.2 % for Gaussian noise and
  6.6 ± 0.8 % for Cauchy noise (Diebold-Mariano). Transport at c = 2^-3 all but abstains there, and the few winners it states (2 %) lose in
  24 ± 4 %. Probably these are recordings with few outliers: their distance is small, and their fit does not last.
- One of the candidates made the data. It always wins if noise is refitted. With the noise of the recording at hand it
  loses one time in ten, because a scale fitted to a quiet recording is too small for a loud one, and the right cell has nothing else to
  explain residuals with. Every uncalibrated method that has one recording makes 9 to 12 % errors, both laws at c = 1 among them: the right candidate fits
  its recording, so that its distance is small, and nothing in the recording tells how noise varies. Calibration sees this and
  abstains, on all problems, where the oracle states 47 %. Groups state 60 % with 3.5 % errors.
- Fixed c, third cell: few errors, few verdicts. At c = 1 both laws state nothing, and the beta process at 2^-4 next to nothing.
- Transport calibrated on other recordings of the same Ω states what Diebold-Mariano states, as well (Brier 0.147 and 0.148): it chooses c near the lower end of
  the search, where little but the sampling error is left. In this Ω the distance tells nothing more. Calibrated on other pairs it states
  nothing: near ties offer no certain verdicts to learn from, and near ties is what is left to judge after learning from A against D."""


if __name__ == "__main__":
    main()
