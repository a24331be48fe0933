"""Are verdicts from one data set right when the experiment is repeated? Stated winners, scored in
fresh simulated replications.

    python benchmarks/replication.py [--problems 400] [--experiments 1024] [--seed 0]

For each family of families.py, problems are drawn and judged from one data set of 1 000 points by
each method. A winner is *stated* where its probability exceeds 0.95. Each verdict is scored in 400
fresh replications, where the true risks are known: *error* is how often a stated winner loses
there, nominally 5 % at most. Calibrations see other problems, of broader families. Writes
results/replication.json, .md and .png. benchmarks/groups.py does the same with several data sets,
and benchmarks/real with real ones.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

import families
import rivals
from rivals.calibration.correction import fit_correction

matplotlib.use("Agg")

FloatArray = npt.NDArray[np.float64]

HERE = Path(__file__).parent
THRESHOLD = 0.95
N_POINTS = 1000
N_SIMULATIONS = 16
N_REPLICATIONS = 400
N_TRUTHS = 32
RESAMPLES = 500
TRANSPORT_C = tuple(2.0 ** np.arange(-12, 5))
BETA_C = (2.0**-4, 2.0**-2, 1.0)
SHOWN_C = (2.0**-6, 2.0**-3, 2.0**-2, 1.0)
N_BETA = 100  # problems of each family that law "beta" is asked about: it is slow
# What problems are for, and by how much their ranges are wider at both ends: a vague Ω hardly knows
# what varies.
TEST = 0
BROAD = 1
VAGUE = 2
BROADER = {TEST: 1.0, BROAD: 1.5, VAGUE: 4.0}
# Calibrations that are shown: from which families, of which version, from how many experiments.
CALIBRATIONS = (
    ("own", BROAD, 256),
    ("own", BROAD, 1024),
    ("own", VAGUE, 1024),
    ("mixture", BROAD, 1024),
    ("left out", BROAD, 1024),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=400, help="for each family")
    parser.add_argument(
        "--experiments", type=int, default=1024, help="of a calibration, for each family"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    begin = time.perf_counter()
    jobs = {TEST: options.problems, BROAD: options.experiments, VAGUE: options.experiments}
    judged = {
        purpose: judge_families(purpose, count, options.seed, options.workers)
        for purpose, count in jobs.items()
    }
    settings = {
        "problems": options.problems,
        "experiments": options.experiments,
        "seed": options.seed,
    }
    write(score_all(judged), settings | {"seconds": round(time.perf_counter() - begin)})


# ---------------------------------------------------------------- what each method says


@dataclass(frozen=True)
class Judged:
    """What is known of many problems of a family, one per row; probabilities that the first
    candidate is the better one.
    """

    transport: FloatArray  # at each c
    others: dict[str, FloatArray]  # nan where a method was not asked
    wins: FloatArray  # part of fresh replications that the first candidate wins
    oracle: FloatArray  # the same from other replications, as an oracle knows it


def judge_families(purpose: int, n_problems: int, seed: int, workers: int) -> dict[str, Judged]:
    """Problems of each family: test problems with every method, or experiments of calibrations."""
    jobs = [(name, purpose, n_problems, seed) for name in families.FAMILIES]
    if workers == 1:
        return {job[0]: judge_family(*job) for job in jobs}
    with ProcessPoolExecutor(workers) as pool:
        return dict(
            zip(families.FAMILIES, pool.map(judge_family, *zip(*jobs, strict=True)), strict=True)
        )


def judge_family(name: str, purpose: int, n_problems: int, seed: int) -> Judged:
    rows = [judge(name, purpose, index, seed) for index in range(n_problems)]
    others = {key: np.array([row["others"][key] for row in rows]) for key in rows[0]["others"]}
    return Judged(
        others=others,
        **{key: np.array([row[key] for row in rows]) for key in ("transport", "wins", "oracle")},
    )


def judge(name: str, purpose: int, index: int, seed: int) -> dict[str, Any]:
    """One problem: drawn, observed, judged, and its truth."""
    place = list(families.FAMILIES).index(name)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, place, index)))
    problem = families.draw(families.FAMILIES[name], rng, broader=BROADER[purpose])
    data = problem.observe(N_POINTS, rng)
    losses = {
        name: losses_of(model, data, rng)
        for name, model in zip("ab", problem.candidates, strict=True)
    }
    test = purpose == TEST
    return {
        "transport": swept(losses, TRANSPORT_C, order=problem.order),
        "others": other_methods(losses, rng, with_beta=index < N_BETA) if test else {},
        "wins": problem.wins(N_REPLICATIONS if test else N_TRUTHS, rng).mean(),
        "oracle": problem.wins(2000, rng).mean() if test else 0.5,
    }


def losses_of(model: Any, data: Any, rng: np.random.Generator) -> rivals.Losses:
    simulated = [model.loss(model.simulate(N_POINTS, rng)) for _ in range(N_SIMULATIONS)]
    return rivals.Losses(model.loss(data), np.array(simulated))


def swept(
    losses: dict[str, rivals.Losses], values: tuple[float, ...], **options: Any
) -> FloatArray:
    """P(the first is better) at each c."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return np.asarray(
            rivals.compare(losses, c=values[0], rng=0, **options)
            .sweep(c=values)
            .probability[:, 0, 1]
        )


def other_methods(
    losses: dict[str, rivals.Losses], rng: np.random.Generator, *, with_beta: bool
) -> dict[str, float]:
    """Two methods that look at the observed losses alone, and law "beta"."""
    difference = losses["b"].observed - losses["a"].observed
    resampled = difference[rng.integers(0, N_POINTS, (RESAMPLES, N_POINTS))].mean(axis=1)
    beta = swept(losses, BETA_C, law="beta") if with_beta else np.full(len(BETA_C), np.nan)
    return {
        "elpd ± SE": float(ndtr(difference.mean() / (difference.std(ddof=1) / np.sqrt(N_POINTS)))),
        "bootstrap": float(np.mean(resampled > 0.0)),
    } | {f"beta, c = {power(c)}": float(p) for c, p in zip(BETA_C, beta, strict=True)}


# ---------------------------------------------------------------- calibrations on other problems


def calibrated(
    tests: dict[str, Judged], pools: dict[str, Judged], kind: str, size: int
) -> dict[str, list[FloatArray]]:
    """Family → the probabilities of its problems, corrected by each of several calibrations."""
    return {
        name: [corrected(test, rows) for rows in calibration_sets(pools, kind, name, size)]
        for name, test in tests.items()
    }


def corrected(test: Judged, experiments: list[tuple[Judged, slice]]) -> FloatArray:
    """As `rivals.compare(..., c=calibration)` does it: c by the Brier score, then the library's own
    correction.
    """
    probability = np.concatenate([pool.transport[rows] for pool, rows in experiments])
    wins = np.concatenate([pool.wins[rows] for pool, rows in experiments])
    best = int(np.argmin(np.mean((probability - wins[:, None]) ** 2, axis=0)))
    return np.asarray(fit_correction(probability[:, best], wins)(test.transport[:, best]))


def calibration_sets(
    pools: dict[str, Judged], kind: str, name: str, size: int
) -> Iterator[list[tuple[Judged, slice]]]:
    """Disjoint sets of experiments to calibrate with, for problems of family `name`.

    "own": the broader version of the same family. "mixture": of all families. "left out": of all
    but this one.
    """
    sources = {
        "own": [name],
        "mixture": list(pools),
        "left out": [other for other in pools if other != name],
    }[kind]
    each = size // len(sources)
    for begin in range(0, pools[name].wins.size - each + 1, each):
        yield [(pools[source], slice(begin, begin + each)) for source in sources]


# ---------------------------------------------------------------- scores


def score_all(judged: dict[int, dict[str, Judged]]) -> dict[str, Any]:
    """Every method: its scores for each family and pooled."""
    tests = judged[TEST]
    said = {"oracle": {name: [test.oracle] for name, test in tests.items()}}
    said |= {
        label: {name: [test.others[label]] for name, test in tests.items()}
        for label in next(iter(tests.values())).others
    }
    for c in SHOWN_C:
        place = TRANSPORT_C.index(c)
        said[f"transport, c = {power(c)}"] = {
            name: [test.transport[:, place]] for name, test in tests.items()
        }
    for kind, version, size in CALIBRATIONS:
        label = f"transport, calibrated on {kind}{', vague' if version == VAGUE else ''}, {size}"
        said[label] = calibrated(tests, judged[version], kind, size)
    return {label: scores_of(by_family, tests) for label, by_family in said.items()}


def scores_of(by_family: dict[str, list[FloatArray]], tests: dict[str, Judged]) -> dict[str, Any]:
    scores: dict[str, Any] = {
        name: score(by_family[name], test.wins) for name, test in tests.items()
    }
    # The k-th calibrations of all families together, as if one user had judged all problems.
    count = min(len(own) for own in by_family.values())
    pooled = [np.concatenate([by_family[name][k] for name in tests]) for k in range(count)]
    return scores | {
        "pooled": score(pooled, np.concatenate([test.wins for test in tests.values()]))
    }


def score(said: list[FloatArray], wins: FloatArray) -> dict[str, Any]:
    """Error and stated in %, with standard errors over problems; their spread over calibrations;
    Brier.
    """
    asked = ~np.isnan(said[0])
    # calibrations × problems
    probability = np.array(said)[:, asked]
    wins = wins[asked]
    stated = np.maximum(probability, 1.0 - probability) > THRESHOLD
    lost = np.where(probability > 0.5, 1.0 - wins, wins) * stated
    total = stated.sum()
    error = lost.sum() / total if total else np.nan
    residual = lost.mean(axis=0) - error * stated.mean(axis=0)
    by_calibration = lost.sum(axis=1) / np.maximum(stated.sum(axis=1), 1)
    return {
        "error": 100 * error if total else None,
        "error_se": 100 * np.sqrt(np.sum(residual**2)) / stated.mean(axis=0).sum()
        if total
        else None,
        "error_sd_calibrations": 100 * by_calibration.std(ddof=1) if len(said) > 1 else None,
        "stated": 100 * stated.mean(),
        "stated_se": 100 * stated.mean(axis=0).std() / np.sqrt(wins.size),
        "brier": float(np.mean(wins * (1.0 - probability) ** 2 + (1.0 - wins) * probability**2)),
        "problems": wins.size,
        "calibrations": len(said),
    }


# ---------------------------------------------------------------- table and picture


def write(scores: dict[str, Any], settings: dict[str, Any]) -> None:
    results = HERE / "results"
    lines = [
        f" {json.dumps(label, ensure_ascii=False)}: {json.dumps(one, allow_nan=False)}"
        for label, one in scores.items()
    ]
    body = f'{{"settings": {json.dumps(settings)}, "scores": {{\n' + ",\n".join(lines) + "\n}}\n"
    (results / "replication.json").write_text(body)
    (results / "replication.md").write_text(table(scores, settings))
    picture(scores, results / "replication.png")


def table(scores: dict[str, Any], settings: dict[str, Any]) -> str:
    oracle = scores["oracle"]["pooled"]["stated"]
    names = list(families.FAMILIES)
    lines = [
        "# Are verdicts right when the experiment is repeated?",
        "",
        f"`python benchmarks/replication.py --problems {settings['problems']} --experiments "
        f"{settings['experiments']} --seed {settings['seed']}`: {settings['seconds']} s. "
        f"{len(names)} families, L = {N_POINTS}, {N_SIMULATIONS} simulations, each verdict scored "
        f"in {N_REPLICATIONS} fresh replications. Error: how often a stated winner loses there "
        "(nominal 5 %); ± is one standard error over problems, and in brackets the standard "
        f"deviation between calibrations. Law beta: {N_BETA} problems of each family. "
        "Calibrations: c and curve from the broader version of the same family (own; ranges wider "
        "by 1.5 at both ends, vague: by 4), of all families (mixture), of all others (left out). "
        f"The truth of a calibration experiment is the part won of {N_TRUTHS} fresh replications.",
        "",
        families.DESIGN,
        "",
        "| method | error % | stated % | of what the oracle states % | Brier |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {label} | {wide(one['pooled'])} | {100 * one['pooled']['stated'] / oracle:.0f} | "
            f"{one['pooled']['brier']:.3f} |"
            for label, one in scores.items()
        ),
        "",
        "Error % / stated % by family:",
        "",
        f"| method | {' | '.join(names)} |",
        "| --- |" + " --- |" * len(names),
        *(
            f"| {label} | " + " | ".join(brief(one[name]) for name in names) + " |"
            for label, one in scores.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def wide(cell: dict[str, Any]) -> str:
    between = (
        f" ({cell['error_sd_calibrations']:.1f})"
        if cell["error_sd_calibrations"] is not None
        else ""
    )
    error = (
        "none stated"
        if cell["error"] is None
        else f"{cell['error']:.1f} ± {cell['error_se']:.1f}{between}"
    )
    return f"{error} | {cell['stated']:.1f} ± {cell['stated_se']:.1f}"


def brief(cell: dict[str, Any]) -> str:
    error = "–" if cell["error"] is None else f"{cell['error']:.1f} ± {cell['error_se']:.1f}"
    return f"{error} / {cell['stated']:.0f}"


def power(c: float) -> str:
    return "1" if c == 1.0 else f"2^{np.log2(c):.0f}"


MARKERS = (
    ("oracle", "*", "k", "oracle that knows the law of replications"),
    ("elpd ± SE", "s", "C3", "elpd ± SE"),
    ("bootstrap", "v", "C4", "bootstrap of the mean difference"),
    ("transport, calibrated on mixture, 1024", "o", "C0", "transport, calibrated on all families"),
    (
        "transport, calibrated on left out, 1024",
        "X",
        "C0",
        "transport, calibrated on the other families",
    ),
    ("transport, calibrated on own, 1024", "P", "C0", "transport, calibrated on the same family"),
)


def picture(scores: dict[str, Any], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(9.5, 5.0), layout="constrained")
    ax.axhline(5.0, color="0.4", lw=1, ls="--")
    ax.text(99.5, 5.15, "nominal 5 %", ha="right", color="0.4", fontsize=8)
    for label, marker, colour, text in MARKERS:
        one = scores[label]["pooled"]
        if one["error"] is not None:
            ax.errorbar(
                one["stated"],
                one["error"],
                yerr=one["error_se"],
                fmt=marker,
                color=colour,
                ms=7,
                capsize=2,
                label=text,
            )
    for law, colour, values in (("beta", "C1", BETA_C), ("transport", "C0", SHOWN_C)):
        pooled = [scores[f"{law}, c = {power(c)}"]["pooled"] for c in values]
        seen = [
            (one["stated"], one["error"], c)
            for one, c in zip(pooled, values, strict=True)
            if one["error"] is not None
        ]
        words = f"{law}, fixed c = {power(values[0])} … {power(values[-1])}"
        ax.plot(
            *list(zip(*seen, strict=True))[:2], "-", marker=".", color=colour, lw=1, label=words
        )
        for x, y, c in (seen[0], seen[-1]):
            ax.annotate(
                power(c),
                (x, y),
                xytext=(4, 4),
                textcoords="offset points",
                fontsize=8,
                color=colour,
            )
    ax.set(
        xlabel="winner stated (% of problems)",
        ylabel="stated winner loses in a fresh replication (%)",
        xlim=(0, 100),
    )
    ax.set_ylim(bottom=0)
    ax.set_title(
        f"Pooled over {len(families.FAMILIES)} families, {scores['oracle']['pooled']['problems']} "
        "problems",
        fontsize=10,
    )
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
