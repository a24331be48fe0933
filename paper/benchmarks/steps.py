"""Does lowering c in steps reject the best model more often than one comparison?

`compare_in_steps`, on problems of known truth.

    python paper/benchmarks/steps.py [--problems 200] [--seed 1]

Data are N(m, s²). m and s differ between replications, and all candidates were fitted to an earlier
one. *Near* candidates have that width and an error in the mean, log-uniform over a factor of 32;
*far* ones are too wide by 1.3 to 4. Which of two near ones wins a replication depends on m, whether
a far one does on s: the pairs need different c. In family "alike" all are near and only m varies:
all pairs need the same c, and the steps have nothing to gain.

Every pair of candidates has its own epistemic distribution, which is the law that the problems come
from, with 512 experiments: a random half of those of its kind, so standard errors do not contain
the chance of these. Ten calibrations per row that have a c which is valid for all pairs. On the
same data: *largest c*, the smallest that is valid for all pairs, alone (the first step); *smallest
c*, the smallest that is valid for some pair, alone; *steps*, `compare_in_steps`; *curve*,
`compare(..., c=calibration)`. Each is scored in 400 fresh replications, in which the risks are
known: *best rejected*, the candidate of lowest risk there is rejected; *another kept*, some
survivor is not it; *wrong rejections*, of all rejections, those of a model whose rival has the
higher risk there (nominally 5 % at most). `selection` asks whether a later step is worse because an
earlier one rejected. Writes results/steps.json and .md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from families import Gaussian
from rivals.calibration import Calibration

import rivals
from rivals.laws import Beta, Setting, Transport
from rivals_paper.steps import compare_in_steps

FloatArray = npt.NDArray[np.float64]
Generator = np.random.Generator
Rejections = dict[int, int]  # model → the rival that rejects it

HERE = Path(__file__).parent
N_POINTS = 200
N_REPLICATIONS = 400
N_POOL = 1024
N_EXPERIMENTS = 512
N_CALIBRATIONS = 10
BINS = 16
# Under law "beta" a comparison takes twenty times as long.
C = {"transport": tuple(2.0 ** np.arange(-10, 4)), "beta": tuple(2.0 ** np.arange(-8, 1, 2))}
SIMULATIONS = {"transport": 4, "beta": 1}
MORE = {"transport": 3, "beta": 1}
N_SELECTION = 20_000
SELECTION_C = (2.0**-2, 2.0**-10)
FEW = 10  # rejections, of which no rate is stated
METHODS = ("largest c", "steps", "smallest c", "curve")


# ---------------------------------------------------------------- problems


@dataclass(frozen=True)
class Family:
    """How much the mean and the logarithm of the width vary between replications, from … to, and
    the candidates.
    """

    mean: tuple[float, float]
    width: tuple[float, float]
    kinds: dict[int, str]  # "n" near, "f" far, of each candidate, by their number


FAMILIES = {
    "near and far": Family((0.05, 0.1), (0.1, 0.2), {3: "nnf", 5: "nnnff", 10: "nnnnnnffff"}),
    "alike": Family((0.1, 0.2), (0.0, 0.0), {3: "nnn", 5: "nnnnn", 10: "nnnnnnnnnn"}),
}


@dataclass(frozen=True)
class Problem:
    """Candidates, and what varies between replications: rows of mean and width."""

    candidates: tuple[Gaussian, ...]
    states: Callable[[int, Generator], FloatArray]

    def replicate(self, n: int, rng: Generator) -> FloatArray:
        """Data of a replication."""
        mean, width = self.states(1, rng)[0]
        return np.asarray(mean + width * rng.standard_normal(n))

    def risks(self, n: int, rng: Generator) -> FloatArray:
        """In n fresh replications (rows), the risk of each candidate."""
        mean, width = self.states(n, rng).T
        return np.column_stack([candidate.risk(mean, width**2) for candidate in self.candidates])


def draw(family: Family, kinds: str, rng: Generator) -> Problem:
    """A problem with candidates of these kinds."""
    spread = between(rng, *family.mean)
    log_width = between(rng, *family.width) if family.width[1] else 0.0

    def states(n: int, rng: Generator) -> FloatArray:
        return np.column_stack(
            [spread * rng.standard_normal(n), np.exp(log_width * rng.standard_normal(n))]
        )

    mean, width = states(1, rng)[0]
    error = np.hypot(spread, 1.0 / np.sqrt(N_POINTS))

    def candidate(kind: str) -> Gaussian:
        if kind == "f":
            return Gaussian(mean, width * between(rng, 1.3, 4.0))
        return Gaussian(mean + rng.choice([-1.0, 1.0]) * error * between(rng, 0.25, 8.0), width)

    return Problem(tuple(candidate(kind) for kind in kinds), states)


def between(rng: Generator, low: float, high: float) -> float:
    """Log-uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


# ---------------------------------------------------------------- calibrations


class Remembering(Calibration):
    """Judges each c once: hundreds of comparisons use one calibration."""

    validity = cache(Calibration.validity)
    valid_c = cache(Calibration.valid_c)
    choose_c = cache(Calibration.choose_c)


def pool_of(family: Family, law: Any, seed: int) -> Calibration:
    """Experiments for each kind of pair."""

    def omega(kinds: str) -> Callable[[Generator], rivals.Experiment]:
        def experiment(rng: Generator) -> rivals.Experiment:
            problem = draw(family, kinds, rng)
            fixed = replace(problem, states=fixed_at(problem.states(1, rng)))
            return rivals.Experiment(fixed.replicate, problem.candidates, problem.replicate)

        return experiment

    kinds = sorted(
        {"".join(pair) for slots in family.kinds.values() for pair in combinations(slots, 2)}
    )
    found = rivals.calibrate(
        {each: omega(each) for each in kinds},
        n_data=N_POINTS,
        n_experiments=N_POOL,
        c=C[law],
        law=Beta(n_draws=512) if law == "beta" else law,
        n_simulations=SIMULATIONS[law],
        n_truth=2000,
        rng=seed,
        executor=0,
        progress=False,
    )
    return Remembering(**{field.name: getattr(found, field.name) for field in fields(found)})


def fixed_at(state: FloatArray) -> Callable[[int, Generator], FloatArray]:
    return lambda n, rng: np.repeat(state, n, axis=0)


def calibration_of(
    pool: Calibration, kinds: str, rng: Generator
) -> tuple[Calibration, dict[str, tuple[str, str]]]:
    """A calibration in which each pair of candidates has experiments of its own, and the pairs."""
    pairs = {f"{a}, {b}": (str(a), str(b)) for a, b in combinations(range(len(kinds)), 2)}
    rows = []
    for a, b in pairs.values():
        own = np.flatnonzero(pool._omega == pool.omegas.index(kinds[int(a)] + kinds[int(b)]))
        rows.append(np.sort(rng.choice(own, N_EXPERIMENTS, replace=False)))
    chosen = np.concatenate(rows)
    made = replace(
        pool,
        omegas=tuple(pairs),
        _omega=np.repeat(np.arange(len(rows)), N_EXPERIMENTS),
        _experiment=np.tile(np.arange(N_EXPERIMENTS), len(rows)),
        _probability=pool._probability[chosen],
        _standard_error=pool._standard_error[chosen],
        _risks=pool._risks[chosen],
        _truth=pool._truth[chosen],
    )
    return made, pairs


# ---------------------------------------------------------------- verdicts


@dataclass(frozen=True)
class Score:
    """One method on one problem, as means over fresh replications."""

    best_rejected: float
    another_kept: float
    survivors: int
    rejections: int
    wrong: float


def score(rejections: Rejections, risks: FloatArray) -> Score:
    """What a verdict is worth in replications of these risks."""
    best = np.argmin(risks, axis=1)
    kept = [model for model in range(risks.shape[1]) if model not in rejections]
    alone = best == kept[0] if len(kept) == 1 else np.zeros(best.size, dtype=bool)
    wrong = [np.mean(risks[:, model] < risks[:, rival]) for model, rival in rejections.items()]
    return Score(
        float(np.mean(np.isin(best, list(rejections)))),
        float(1.0 - alone.mean()),
        len(kept),
        len(rejections),
        float(np.sum(wrong)),
    )


def rejections_of(comparison: rivals.Comparison) -> Rejections:
    return {int(name): int(rejection.by) for name, rejection in comparison.rejections.items()}


def judge(
    problem: Problem,
    calibration: Calibration,
    pairs: dict[str, tuple[str, str]],
    smallest: float,
    rng: Generator,
) -> dict[str, Any]:
    """Every method on the same data; the rejections of later steps also by themselves."""
    entropy = int(rng.integers(2**32))
    data = problem.replicate(N_POINTS, rng)
    risks = problem.risks(N_REPLICATIONS, rng)
    models = {
        str(index): rivals.Losses(
            each.loss(data),
            np.stack(
                [each.loss(each.simulate(N_POINTS, rng)) for _ in range(calibration.n_simulations)]
            ),
        )
        for index, each in enumerate(problem.candidates)
    }
    steps = compare_in_steps(models, calibration=calibration, pairs=pairs, bins=BINS, rng=entropy)
    first, *later = (rejections_of(each) for each in steps.comparisons)
    after = {model: rival for step in later for model, rival in step.items()}
    alone = rivals.compare(models, law=calibration.law, c=smallest, rng=entropy)
    corrected = rivals.compare(models, c=calibration, rng=entropy)
    return {
        "largest c": score(first, risks),
        "steps": score(first | after, risks),
        "smallest c": score(rejections_of(alone), risks),
        "curve": score(rejections_of(corrected), risks),
        "later": score(after, risks),
        "c": steps.c,
        "beyond": not set(first | after) <= set(rejections_of(alone)),
    }


def measure(
    name: str, k: int, law: str, pool: Calibration, n_problems: int, seed: int
) -> dict[str, Any]:
    """One row: problems of a family with k candidates."""
    family = FAMILIES[name]
    kinds = family.kinds[k]
    rng = np.random.default_rng(
        [seed, list(FAMILIES).index(name), k]
    )  # the same problems under both laws
    outcomes: list[dict[str, Any]] = []
    smallest = []
    without = 0
    while len(smallest) < N_CALIBRATIONS and without < 10 * N_CALIBRATIONS:
        calibration, pairs = calibration_of(pool, kinds, rng)
        validity = calibration.validity(BINS)
        if not validity.for_all:
            without += 1
            continue
        smallest.append(
            min(c for c, good in zip(validity.c, validity.valid.any(axis=0), strict=True) if good)
        )
        for _ in range(n_problems // N_CALIBRATIONS):
            outcomes.append(judge(draw(family, kinds, rng), calibration, pairs, smallest[-1], rng))
    row: dict[str, Any] = {
        "family": name,
        "k": k,
        "law": law,
        "problems": len(outcomes),
        "without": without,
    }
    if not outcomes:
        return row
    first = [outcome["c"][0] for outcome in outcomes]
    return row | {
        "largest_c": [min(first), max(first)],
        "smallest_c": [min(smallest), max(smallest)],
        "several_steps": mean([100.0 * (len(outcome["c"]) > 1) for outcome in outcomes], 100.0),
        "beyond": sum(outcome["beyond"] for outcome in outcomes),
        "methods": {
            method: summary([outcome[method] for outcome in outcomes])
            for method in (*METHODS, "later")
        },
        "more_than_largest": mean(differences(outcomes, "largest c")),
        "more_than_smallest": mean(differences(outcomes, "smallest c")),
    }


# ---------------------------------------------------------------- selection


def selection(seed: int) -> dict[str, Any]:
    """Two near candidates and a far one, law "transport".

    Is the pair of near ones judged worse where the far one was rejected?
    """
    rng = np.random.default_rng([seed, len(FAMILIES)])
    large, small = SELECTION_C
    stated: dict[str, list[float]] = {"rejected": [], "kept": []}
    for _ in range(N_SELECTION):
        problem = draw(FAMILIES["near and far"], "nnf", rng)
        data = problem.replicate(N_POINTS, rng)
        risks = problem.risks(N_REPLICATIONS, rng)
        losses = np.stack([each.loss(data) for each in problem.candidates])
        simulated = [
            np.stack(
                [each.loss(each.simulate(N_POINTS, rng)) for _ in range(SIMULATIONS["transport"])]
            )
            for each in problem.candidates
        ]
        samples = [rivals.Losses(*pair) for pair in zip(losses, simulated, strict=True)]
        at_large, at_small = (
            each.matrix()[0]
            for each in Transport().apply(samples, Setting(c=large)).at_each((large, small))
        )
        before = "rejected" if at_large[:2, 2].max() > 0.95 else "kept"
        probability = at_small[0, 1]
        if max(probability, 1.0 - probability) > 0.95:
            first = float(np.mean(risks[:, 0] < risks[:, 1]))
            stated[before].append(100.0 * (1.0 - first if probability > 0.5 else first))
    found = {before: mean(wrong) for before, wrong in stated.items()}
    numbers = {before: len(wrong) for before, wrong in stated.items()}
    return {"c": SELECTION_C, "problems": N_SELECTION, "wrong": found, "stated": numbers}


# ---------------------------------------------------------------- tables


def differences(outcomes: list[dict[str, Any]], other: str) -> list[float]:
    """By how much more often the steps reject the best than another method, problem by problem, in
    per cent.
    """
    return [
        100.0 * (outcome["steps"].best_rejected - outcome[other].best_rejected)
        for outcome in outcomes
    ]


def mean(values: list[float], least: float = 0.0) -> list[float]:
    """Mean and standard error.

    `least` is what one problem more would add, for means at the end of their range.
    """
    return [
        float(np.mean(values)),
        max(float(np.std(values) / np.sqrt(len(values))), least / len(values)),
    ]


def summary(scores: list[Score]) -> dict[str, Any]:
    """Means with standard errors, in per cent but for the number of survivors.

    Of wrong rejections, those of a ratio.
    """
    wrong = np.array([each.wrong for each in scores])
    number = np.array([each.rejections for each in scores])
    found: dict[str, Any] = {
        "best_rejected": mean([100.0 * each.best_rejected for each in scores], 100.0),
        "another_kept": mean([100.0 * each.another_kept for each in scores], 100.0),
        "survivors": mean([float(each.survivors) for each in scores]),
        "rejections": int(number.sum()),
        "wrong": None,
    }
    if number.sum() >= FEW:
        ratio = wrong.sum() / number.sum()
        error = np.sqrt(np.sum((wrong - ratio * number) ** 2)) / number.sum()
        found["wrong"] = [100.0 * float(ratio), 100.0 * float(error)]
    return found


def shown(value: list[float] | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value[0]:.{digits}f} ± {value[1]:.{digits}f}"


def cells(row: dict[str, Any], method: str) -> str:
    found = row["methods"][method]
    if method == "later":
        return f"| – | – | – | {shown(found['wrong'])} ({found['rejections']}) |"
    return (
        f"| {shown(found['best_rejected'])} | {shown(found['survivors'], 2)} | "
        f"{shown(found['another_kept'])} | {shown(found['wrong'])} ({found['rejections']}) |"
    )


def table(row: dict[str, Any]) -> str:
    """A row of the results as a section."""
    heading = f"## {row['family']}, k = {row['k']}, law {row['law']}\n\n"
    none = f"{row['without']} calibrations had no c that is valid for all pairs. "
    if not row["problems"]:
        return f"{heading}{none}Nothing could be compared.\n"
    low, high = row["largest_c"]
    lines = [
        f"{heading}{row['problems']} problems. {none}Largest c from {low:g} to {high:g}, smallest "
        f"from {row['smallest_c'][0]:g} to {row['smallest_c'][1]:g}; more than one step in "
        f"{shown(row['several_steps'])} %. The steps reject the best more often than the largest c "
        f"alone by {shown(row['more_than_largest'])} %, than the smallest by "
        f"{shown(row['more_than_smallest'])} %. In {row['beyond']} problems they reject a model "
        "that the smallest c keeps.",
        "",
        "| method | best rejected % | survivors | another kept % | wrong rejections % (of) |",
        "| --- | --- | --- | --- | --- |",
    ]
    names = {"later": "of these, later steps"}
    order = ("largest c", "steps", "later", "smallest c", "curve")
    return (
        "\n".join(
            [*lines, *(f"| {names.get(method, method)} {cells(row, method)}" for method in order)]
        )
        + "\n"
    )


def overview(rows: list[dict[str, Any]]) -> str:
    """How often the best is rejected, all rows."""
    lines = [
        f"| family | k | law | {' | '.join(METHODS)} | wrong rejections, later steps |",
        "| --- " * (len(METHODS) + 4) + "|",
    ]
    for row in rows:
        methods = row.get("methods", {})
        found = [shown(methods[method]["best_rejected"]) if methods else "–" for method in METHODS]
        later = shown(methods["later"]["wrong"]) if methods else "–"
        lines.append(
            f"| {row['family']} | {row['k']} | {row['law']} | {' | '.join(found)} | {later} |"
        )
    return "\n".join(lines)


def page(settings: dict[str, Any], rows: list[dict[str, Any]], selected: dict[str, Any]) -> str:
    """All results as Markdown."""
    large, small = selected["c"]
    wrong = selected["wrong"]
    stated = selected["stated"]
    conditional = (
        "## Does an earlier rejection make a later one worse?\n\nTwo near candidates and a far "
        f"one, law transport, {selected['problems']} problems. Between the near ones, of the "
        f"winners stated at c = {small:g}, {shown(wrong['rejected'])} % ({stated['rejected']}) are "
        f"wrong where the far one is rejected at c = {large:g}, and {shown(wrong['kept'])} % "
        f"({stated['kept']}) where it is kept.\n"
    )
    return (
        "# Lowering c in steps\n\n`python paper/benchmarks/steps.py`, whose first lines say what "
        "the words mean. How often the best of k candidates is rejected, in per cent, and of the "
        "rejections in later steps how many are wrong; then each row by itself. "
        f"{settings['points']} points, threshold 0.95, ± one standard error, a dash for fewer than "
        f"{FEW} rejections. {settings['seconds']} s of processor time.\n\n"
        f"{overview(rows)}\n\n" + "\n".join([*(table(row) for row in rows), conditional])
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--problems",
        type=int,
        default=200,
        help="under law beta; three times as many under law transport",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="the families were designed with seed 0"
    )
    parser.add_argument("--laws", nargs="+", default=list(C))
    parser.add_argument("--out", type=Path, default=HERE / "results" / "steps")
    options = parser.parse_args()
    warnings.simplefilter("ignore", rivals.RivalsWarning)
    begin = time.process_time()
    rows = []
    for law in options.laws:
        for name, family in FAMILIES.items():
            pool = pool_of(family, law, options.seed)
            for k in family.kinds:
                rows.append(measure(name, k, law, pool, options.problems * MORE[law], options.seed))
                print(table(rows[-1]), f"{time.process_time() - begin:.0f} s", flush=True)
    selected = selection(options.seed)
    seconds = round(time.process_time() - begin)
    settings = {
        "seed": options.seed,
        "problems": options.problems,
        "seconds": seconds,
        "points": N_POINTS,
    }
    options.out.with_suffix(".json").write_text(
        json.dumps({"settings": settings, "rows": rows, "selection": selected}, indent=1) + "\n"
    )
    options.out.with_suffix(".md").write_text(page(settings, rows, selected))


if __name__ == "__main__":
    main()
