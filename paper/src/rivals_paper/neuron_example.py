"""The neuron example: its recording, its candidates and their losses, in all three variants."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from rivals import Losses
from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.mirrored import sample_risk_as_published
from rivals_paper.noise import ColouredNoise
from rivals_paper.output import AS_PUBLISHED, CONSTANTS_PUBLISHED, CORRECTED
from rivals_paper.pyloric import (
    ACCURATE,
    LABELS,
    LOOSE,
    best_sigma,
    digitise,
    losses,
    pair,
    sample_times,
    settled,
    simulate,
)
from rivals_paper.risks import sample_risk
from rivals_paper.tracking import track

NoiseName = Literal["gaussian", "cauchy"]

N_DATA: Final = 4000
C: Final = 0.25
TAU = 100.0
STRENGTH = 2.0**-5
SCALE = 2.0
CELLS: Final = ("LP 1", *LABELS.values())
# Constants of the circuit in the variants that are computed accurately.
CONSTANTS: Final = {CONSTANTS_PUBLISHED: "published", CORRECTED: "prinz2004"}
# The cell that made the data, as one more candidate: on a machine that rounds otherwise, and on the
# same.
TRUE = "LP 1"
SAME_ROUNDING = "LP 1, same rounding"
ELSEWHERE: Final = 100  # added to the number of a copy: rounds otherwise than all of them
COLOURS: Final = {"A": "#0072B2", "B": "#E69F00", "C": "#009E73", "D": "#CC79A7"}
STYLES: Final = {"A": "-", "B": "--", "C": "-.", "D": ":"}

NO_INPUT: Final = (
    "The candidates were run without the external current that entered the data, and so lose their "
    "phase: even the cell that made the data is 17 mV off. Both other variants: every candidate "
    "gets the input that was applied."
)
LOOSE_SOLVER: Final = (
    "The solver ran at tolerances (1e-3) at which rounding errors grow to millivolts within "
    "seconds, so that the traces cannot be repeated. Both other variants: tolerance 1e-6. With the "
    "published constants LP 1 to LP 3 are then converged to 5e-3 mV over the recording, and LP 4 "
    "and LP 5 are chaotic; with the documented ones LP 1, 2, 3 and 5 still amplify rounding errors "
    "to millivolts. Hence ±: the standard deviation of runs that differ by rounding errors alone."
)
CIRCUIT: Final = (
    "Synapse (+80 mV, misplaced Δ, 3 mS/cm²) and calcium influx (no membrane area) differ from "
    "what Prinz et al. (2004) document. 'Constants as published' keeps them; 'corrected' has the "
    "documented ones, and so other voltages in all cells."
)
MANY_SYNTHETIC: Final = (
    "12 000 points were simulated for 4 000 observed ones, which widens the risk distributions at "
    "both ends; both other variants: as many."
)


@dataclass(frozen=True)
class Fitted:
    """A candidate on the example recording: width of the noise in mV, both samples of losses."""

    sigma: float
    losses: Losses


def example_input() -> ColouredNoise:
    """The external current of that recording."""
    return _random_numbers("data")[0]


def example_noise(observation: NoiseName = "gaussian", recording: str = "data") -> FloatArray:
    """The observation noise of that recording, or of one of a candidate ("A"), mV.

    Or Cauchy noise from its generator.
    """
    rng = _random_numbers(recording)[1]
    draws = (
        rng.standard_normal(N_DATA)
        if observation == "gaussian"
        else rng.standard_cauchy(N_DATA) / 2
    )
    return np.asarray(SCALE * draws)


def fit_as_published(
    *,
    jitter: np.random.Generator | None = None,
    noise: NoiseName = "gaussian",
    true_cell: bool = False,
) -> dict[str, Fitted]:
    """The candidates A to D as they were judged: no input, loose solver, 12 000 synthetic losses.

    With `jitter` every initial state is changed by one part in 1e12, and the synthetic noise is
    drawn from it. `true_cell` judges the cell that made the data in the same way.
    """
    times = sample_times(N_DATA)
    current = example_input()
    data = digitise(_run("LP 1", times, current, jitter) + example_noise(), "truncate")
    fitted = {}
    for label, cell in {**LABELS, **({TRUE: "LP 1"} if true_cell else {})}.items():
        residual = data - _run(cell, times, None, jitter)
        rng = seeds.generator("prinz", "synth_ppf", cell) if jitter is None else jitter
        fitted[label] = _fit_noise(residual, noise, 12_000, rng)
    return fitted


def fit_corrected(
    rng: np.random.Generator,
    *,
    variant: str = CORRECTED,
    copy: int = 0,
    noise: NoiseName = "gaussian",
    observation: NoiseName = "gaussian",
) -> dict[str, Fitted]:
    """The candidates with the input of the recording, an accurate solver, rounding to the nearest
    mV.

    The cell that made the data is judged too: integrated again with other rounding errors ("LP 1"),
    and with those of the recording itself. `variant` is "constants as published" or "corrected".
    Copies differ by rounding errors alone.
    """
    data = digitise(accurate_voltage("LP 1", variant, copy) + example_noise(observation), "round")
    expected = {label: accurate_voltage(cell, variant, copy) for label, cell in LABELS.items()}
    expected |= {
        TRUE: accurate_voltage("LP 1", variant, copy + ELSEWHERE),
        SAME_ROUNDING: accurate_voltage("LP 1", variant, copy),
    }
    return {label: _fit_noise(data - v, noise, N_DATA, rng) for label, v in expected.items()}


@lru_cache(maxsize=512)  # two variants, a few dozen copies, five cells
def accurate_voltage(cell: str, variant: str, copy: int) -> FloatArray:
    """Voltage of a cell with the input of the recording.

    The first steps of copies differ by parts in 1e12.
    """
    solver = ACCURATE.with_other_rounding(copy)
    current = example_input()
    v: FloatArray = simulate(
        cell, sample_times(N_DATA), current=current, variant=CONSTANTS[variant], solver=solver
    )[1]
    v.flags.writeable = False
    return v


def integrate_copies(copies: int, progress: bool) -> None:
    """Integrate copies of both corrected variants beforehand, on all processors.

    `fit_corrected` then finds them done.
    """
    tasks = [
        (cell, variant, copy) for variant in CONSTANTS for copy in range(copies) for cell in CELLS
    ]
    tasks += [
        ("LP 1", variant, copy + ELSEWHERE) for variant in CONSTANTS for copy in range(copies)
    ]
    # Threads are enough: the compiled simulator does not hold the global lock.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda task: accurate_voltage(*task), tasks)
        for _ in track(tasks, "accurate runs", progress):
            next(done)


def draw_risks(
    fitted: dict[str, Fitted], variant: str, c: float, n_draws: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Draws of the risk of each candidate by the process as published, or by the exact one."""
    sample = sample_risk_as_published if variant == AS_PUBLISHED else sample_risk
    return {label: sample(each.losses, c, n_draws, rng) for label, each in fitted.items()}


def variants(rng: np.random.Generator) -> dict[str, dict[str, Fitted]]:
    """All three, by name."""
    return {AS_PUBLISHED: fit_as_published()} | {
        variant: fit_corrected(rng, variant=variant) for variant in CONSTANTS
    }


def spread_of_summaries(copies: Sequence[dict[str, Fitted]]) -> dict[str, Any]:
    """Widths and empirical risks over copies: means and standard deviations."""
    found = {}
    for label in copies[0]:
        widths = [fitted[label].sigma for fitted in copies]
        risks = [fitted[label].losses.mean for fitted in copies]
        found[label] = {
            "sigma, mean": np.mean(widths),
            "sigma, spread": np.std(widths, ddof=1),
            "empirical_risk, mean": np.mean(risks),
            "empirical_risk, spread": np.std(risks, ddof=1),
        }
    return found


def _random_numbers(recording: str) -> tuple[ColouredNoise, np.random.Generator]:
    """The input of a recording, and the generator that goes on to draw its noise."""
    rng = seeds.generator("Prinz", "example trace", recording)
    return ColouredNoise(TAU, STRENGTH, float(sample_times(N_DATA)[-1]), rng=rng), rng


def _run(
    cell: str, times: FloatArray, current: ColouredNoise | None, jitter: np.random.Generator | None
) -> FloatArray:
    circuit = pair(cell)
    state = settled(circuit)
    if jitter is not None:
        state = state * (1 + 1e-12 * jitter.standard_normal(state.size))
    v: FloatArray = simulate(circuit, times, current=current, solver=LOOSE, initial=state)[1]
    return v


def _fit_noise(
    residual: FloatArray, noise: NoiseName, n_synthetic: int, rng: np.random.Generator
) -> Fitted:
    sigma = best_sigma(residual, noise)
    if noise == "gaussian":
        draws = sigma * rng.standard_normal(n_synthetic)
    else:
        draws = sigma / 2 * rng.standard_cauchy(n_synthetic)
    return Fitted(sigma, Losses(losses(residual, sigma, noise), losses(draws, sigma, noise)))
