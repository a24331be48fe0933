"""Corrected neuron calibrations decide nearly every experiment. Is it because the data and the candidate that made them share their rounding errors?

    python paper/benchmarks/shared_rounding.py [--experiments 48]

The recording gets rounding errors of its own (`Corrected(own_rounding=True)`: first steps that differ by one part in 1e12); nothing else changes. Writes results/shared_rounding.json and .md:
how far two such copies of a cell are apart, by tolerance; what becomes of all 33 792 experiments of each variant (results/own_rounding, made on a GPU by
`neuron_records.py corrected OUT --own-rounding`, of which the first 512 experiments of each condition are kept, beside the records of the paper's package); and a few experiments whose truth is decided on recordings as long as the data.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals import calibrate
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_rules import valid_for
from rivals_paper.neuron_runs import C_MAIN, N_DATA, N_TRUTH
from rivals_paper.noise import ColouredNoise
from rivals_paper.output import CONSTANTS_PUBLISHED, CORRECTED
from rivals_paper.pyloric import LABELS, Condition, Corrected, Solver, conditions, sample_times, simulate
from rivals_paper.records import FILES, LAWS, recorded, recorded_truth

RESULTS: Final = Path(__file__).parent / "results"
CONSTANTS: Final = {CONSTANTS_PUBLISHED: "published", CORRECTED: "prinz2004"}
TOLERANCES: Final = (1e-6, 1e-8, 1e-10)
WEAK, TAU, SEEDS = np.exp(-15.0), 1.4, 2
ROUNDINGS: Final = ("shared", "own")
COUNT: Final = 512  # of each of the 48 conditions
SHOWN: Final = (2.0**-6, 2.0**-2, 1.0)
# The pair with the most wrong verdicts, and one that is still told apart.
TRIED: Final = (Condition(("A", "B"), level="high", correlation="long"), Condition(("C", "D")))


def main() -> None:
    """Measure, write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--experiments", type=int, default=48)
    count = parser.parse_args().experiments
    content = {"copies": distances(), "records": records(), "experiments": count, "length of the truth": lengths(count)}
    (RESULTS / "shared_rounding.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "shared_rounding.md").write_text(page(content))
    print(page(content))


# ---------------------------------------------------------------- two copies of a cell


def distances() -> list[dict[str, Any]]:
    """Root mean square distance, in mV, of two copies of each candidate's cell with weak input: samples 0 to 4 s, and 0 to 16.4 s (median of the seeds)."""
    times = sample_times(N_TRUTH)

    def apart(variant: str, label: str, tolerance: float, seed: int) -> tuple[float, float]:
        solver = Solver(rtol=tolerance, atol=1e-3 * tolerance)
        current = ColouredNoise(TAU, WEAK, float(times[-1]), rng=seed)
        one, other = (
            simulate(LABELS[label], times, current=current, variant=CONSTANTS[variant], solver=each)[1]
            for each in (solver, solver.with_other_rounding())
        )
        squares = (one - other) ** 2
        return float(np.sqrt(squares[:N_DATA].mean())), float(np.sqrt(squares.mean()))

    work = list(product(CONSTANTS, LABELS, TOLERANCES, range(SEEDS)))
    with ThreadPoolExecutor() as pool:
        found = np.array(list(pool.map(lambda item: apart(*item), work)))
    medians = np.median(found.reshape(-1, SEEDS, 2), axis=1)
    return [
        {"variant": variant, "model": label, "tolerance": tolerance, "4 s": short, "16.4 s": long}
        for (variant, label, tolerance), (short, long) in zip(
            product(CONSTANTS, LABELS, TOLERANCES), medians.tolist(), strict=True
        )
    ]


# ---------------------------------------------------------------- all experiments


def records() -> list[dict[str, Any]]:
    """What the experiments of each pair and noise come to, with rounding shared and not."""
    rows = []
    for variant, pair, noise, rounding in product(
        CONSTANTS, (("A", "B"), ("A", "D"), ("C", "D")), ("Gaussian", "Cauchy"), ROUNDINGS
    ):
        keys = [each.key for each in conditions() if each.pair == pair and each.noise == noise]
        by_law = {law: {key: experiments_of(variant, key, law, rounding) for key in keys} for law in LAWS}
        truth = [truth_of(variant, key, rounding) for key in keys]
        difference, error = (np.concatenate([each[part] for each in truth]) for part in range(2))
        rows.append(
            {
                "variant": variant, "pair": " vs ".join(pair), "noise": noise, "rounding": rounding, "conditions": len(keys),
                "median difference of the risks": float(np.median(np.abs(difference))),
                "truth undecided": float(np.mean(np.abs(difference) < 2 * error)),
                **{law: {f"{c:g}": verdicts(by.values(), column) for column, c in enumerate(C_MAIN)} for law, by in by_law.items()},
                **{f"valid, {law}": {c: each["valid"] for c, each in valid_for(by, C_MAIN).items()} for law, by in by_law.items()},
            }
        )  # fmt: skip
    return rows


def experiments_of(variant: str, key: str, law: str, rounding: str) -> Experiments:
    """The first 512 experiments of a condition."""
    if rounding == "shared":
        return recorded(variant, key, law=law).first(COUNT)
    difference, _ = truth_of(variant, key, rounding)
    probability = archive(variant)[f"{key}/{law}"][:COUNT] / 65535
    return Experiments(probability, (difference < 0).astype(float))


def truth_of(variant: str, key: str, rounding: str) -> tuple[Any, Any]:
    """Difference of the true risks, and its standard error."""
    if rounding == "shared":
        difference, error = recorded_truth(variant, key)
        return difference[:COUNT], error[:COUNT]
    own = archive(variant)
    return own[f"{key}/difference"][:COUNT], own[f"{key}/error"][:COUNT]


@cache
def archive(variant: str) -> dict[str, Any]:
    """Experiments with rounding of their own."""
    with np.load(RESULTS / "own_rounding" / f"{FILES[variant]}.npz", allow_pickle=False) as file:
        return dict(file)


def verdicts(by: Any, column: int) -> dict[str, float | None]:
    """Parts of the experiments with B on the right side of ½, with B beyond 0.95, and of these the part that is wrong."""
    b = np.concatenate([each.probability[:, column] for each in by])
    better = np.concatenate([each.truth for each in by]) > 0.5
    stated, right = np.abs(b - 0.5) > 0.45, (b > 0.5) == better
    wrong = float(np.mean(~right[stated])) if stated.any() else None
    return {"right": float(np.mean(right)), "stated": float(np.mean(stated)), "wrong": wrong}


# ---------------------------------------------------------------- a truth as long as the data


def lengths(count: int) -> list[dict[str, Any]]:
    """Experiments with rounding of their own, judged by recordings of 16.4 s as in the paper, and of 4 s, as long as the data."""
    rows = []
    for condition, n_truth in product(TRIED, (N_TRUTH, N_DATA)):
        calibration = calibrate(
            {condition.key: Corrected(condition, own_rounding=True)}, law="beta", n_simulations=1, depth=8, n_data=N_DATA, n_synthetic=N_DATA,
            n_truth=n_truth, n_experiments=count, c=C_MAIN, rng=7, progress=False,
        )  # fmt: skip
        found = calibration.records
        by_c = {
            f"{c:g}": verdicts([Experiments(each["probability"][:, None], (each["risk_a"] < each["risk_b"]).astype(float))], 0)
            for c in SHOWN for each in [found[found["c"] == c]]
        }  # fmt: skip
        difference = float(np.median(np.abs(found["risk_a"] - found["risk_b"])))
        rows.append(
            {"condition": condition.key, "truth, ms": n_truth, "median difference of the risks": difference, **by_c}
        )
        print(json.dumps(rows[-1]), flush=True)
    return rows


# ---------------------------------------------------------------- as a page


def page(content: dict[str, Any]) -> str:
    """As a page."""
    lines = [
        "# Corrected neuron calibrations, with rounding errors shared and not",
        "",
        "Written by `python paper/benchmarks/shared_rounding.py`. Shared: the candidate that made the data is integrated exactly as they were. Own: the recording is integrated with first steps that",
        "differ by one part in 1e12, from the settling on.",
        "",
        f"Root mean square distance in mV of two copies of a cell, weak input, over the first 4 s / the first 16.4 s of a recording (medians of {SEEDS} inputs), by tolerance of the solver:",
        "",
        "| variant | model | " + " | ".join(f"{tolerance:.0e}" for tolerance in TOLERANCES) + " |",
        "| --- | --- " + "| --- " * len(TOLERANCES) + "|",
    ]
    for variant, label in product(CONSTANTS, LABELS):
        cells = [f"{row['4 s']:.2g} / {row['16.4 s']:.2g}" for row in content["copies"] if (row["variant"], row["model"]) == (variant, label)]  # fmt: skip
        lines.append(f"| {variant} | {label} | " + " | ".join(cells) + " |")
    lines += [
        "",
        f"All experiments ({COUNT} of each of 8 conditions in a row). Undecided: the true difference is within two of its standard errors. Stated: B beyond 0.05 or 0.95; wrong: part of these.",
        "Valid: number of conditions, of 8, by the rule of the package, law beta / transport.",
        "",
        "| variant | pair | noise | rounding | median difference of risks | undecided | stated at 2⁻² | wrong | valid at 2⁻² | stated at 2⁰ | wrong | valid at 2⁰ |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in content["records"]:
        cells = []
        for c in ("0.25", "1"):
            at = row["beta"][c]
            cells.append(
                f"{at['stated']:.2f} | {share(at['wrong'])} | {row['valid, beta'][c]} / {row['valid, transport'][c]}"
            )
        lines.append(
            f"| {row['variant']} | {row['pair']} | {row['noise']} | {row['rounding']} | {row['median difference of the risks']:.2f} "
            f"| {row['truth undecided']:.2f} | {' | '.join(cells)} |"
        )
    lines += [
        "",
        f"Own rounding, all corrected, {content['experiments']} experiments of a condition on the processor, the truth decided on recordings of 16.4 s or of 4 s, as long as the data. Stated / of these wrong, law beta:",
        "",
        "| condition | truth on | median difference of risks | right at 2⁻⁶ | at 2⁻⁶ | at 2⁻² | at 2⁰ |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in content["length of the truth"]:
        cells = [f"{row[f'{c:g}']['stated']:.2f} / {share(row[f'{c:g}']['wrong'])}" for c in SHOWN]
        lines.append(
            f"| {row['condition'].replace('|', ', ')} | {row['truth, ms'] / 1000:.1f} s | {row['median difference of the risks']:.2f} "
            f"| {row['0.015625']['right']:.2f} | {' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


def share(value: float | None) -> str:
    """Two digits, or a dash."""
    return "–" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
