"""The neuron example: its recording, its candidates and their losses, as published and corrected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from rivals import Losses
from rivals.testbeds import seeds
from rivals.testbeds.noise import ColouredNoise
from rivals.testbeds.pyloric import (
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
from rivals_paper.arrays import FloatArray
from rivals_paper.mirrored import sample_risk_as_published
from rivals_paper.output import AS_PUBLISHED, CORRECTED
from rivals_paper.risks import sample_risk

NoiseName = Literal["gaussian", "cauchy"]

N_DATA: Final = 4000
C: Final = 0.25
TAU, STRENGTH, SCALE = 100.0, 2.0**-5, 2.0
COLOURS: Final = {"A": "#0072B2", "B": "#E69F00", "C": "#009E73", "D": "#CC79A7"}
STYLES: Final = {"A": "-", "B": "--", "C": "-.", "D": ":"}

NO_INPUT: Final = (
    "The candidates were run without the external current that entered the data, and so lose their phase: even the cell "
    "that made the data is 17 mV off. Corrected: every candidate gets the input that was applied."
)
LOOSE_SOLVER: Final = (
    "The solver ran at tolerances (1e-3) at which rounding errors grow to millivolts within seconds, so that the traces "
    "cannot be repeated. Corrected: tolerance 1e-6, converged to 3e-3 mV over the recording for LP 1 to LP 3."
)
MANY_SYNTHETIC: Final = (
    "12 000 points were simulated for 4 000 observed ones, which widens the risk distributions at both ends; corrected: "
    "as many."
)


@dataclass(frozen=True)
class Fitted:
    """A candidate on the example recording: residuals in mV, width of the noise, both samples of losses."""

    residual: FloatArray
    sigma: float
    losses: Losses


def example_input() -> ColouredNoise:
    """The external current of that recording."""
    rng = seeds.generator("Prinz", "example trace", "data")
    return ColouredNoise(TAU, STRENGTH, float(sample_times(N_DATA)[-1]), rng=rng)


def example_noise(observation: NoiseName = "gaussian") -> FloatArray:
    """The observation noise of that recording, mV; or Cauchy noise from the same generator."""
    rng = seeds.generator("Prinz", "example trace", "data")
    ColouredNoise(TAU, STRENGTH, float(sample_times(N_DATA)[-1]), rng=rng)
    draws = rng.standard_normal(N_DATA) if observation == "gaussian" else rng.standard_cauchy(N_DATA) / 2
    return np.asarray(SCALE * draws)


def fit_as_published(
    *, jitter: np.random.Generator | None = None, noise: NoiseName = "gaussian", n_synthetic: int = 12_000
) -> dict[str, Fitted]:
    """The candidates A to D as they were judged: no input, loose solver, 12 000 synthetic losses.

    With `jitter` every initial state is changed by one part in 1e12, and the synthetic noise is drawn from it.
    """
    times, current = sample_times(N_DATA), example_input()
    data = digitise(_run("LP 1", times, current, jitter) + example_noise(), "truncate")
    fitted = {}
    for label, cell in LABELS.items():
        residual = data - _run(cell, times, None, jitter)
        rng = seeds.generator("prinz", "synth_ppf", cell) if jitter is None else jitter
        fitted[label] = _fitted(residual, noise, n_synthetic, rng)
    return fitted


def fit_corrected(
    rng: np.random.Generator, *, noise: NoiseName = "gaussian", observation: NoiseName = "gaussian"
) -> dict[str, Fitted]:
    """The candidates, and the cell that made the data, with its input, an accurate solver, rounding to the nearest mV."""
    times, current = sample_times(N_DATA), example_input()
    truth = simulate("LP 1", times, current=current, solver=ACCURATE)[1]
    data = digitise(truth + example_noise(observation), "round")
    fitted = {}
    for label, cell in {**LABELS, "LP 1": "LP 1"}.items():
        expected = simulate(cell, times, current=current, solver=ACCURATE)[1]
        fitted[label] = _fitted(data - expected, noise, N_DATA, rng)
    return fitted


def draw_risks(
    fitted: dict[str, Fitted], variant: str, c: float, n_draws: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Draws of the risk of each candidate by the process as published, or by the exact one."""
    sample = sample_risk if variant == CORRECTED else sample_risk_as_published
    return {label: sample(each.losses, c, n_draws, rng) for label, each in fitted.items()}


def variants(rng: np.random.Generator) -> dict[str, dict[str, Fitted]]:
    """Both, by name."""
    return {AS_PUBLISHED: fit_as_published(), CORRECTED: fit_corrected(rng)}


def summary(fitted: dict[str, Fitted]) -> dict[str, Any]:
    """Widths and empirical risks."""
    return {
        label: {"sigma": each.sigma, "empirical_risk": each.losses.empirical_risk} for label, each in fitted.items()
    }


def _run(cell: str, times: FloatArray, current: ColouredNoise | None, jitter: np.random.Generator | None) -> FloatArray:
    circuit = pair(cell)
    state = settled(circuit)
    if jitter is not None:
        state = state * (1 + 1e-12 * jitter.standard_normal(state.size))
    v: FloatArray = simulate(circuit, times, current=current, solver=LOOSE, initial=state)[1]
    return v


def _fitted(residual: FloatArray, noise: NoiseName, n_synthetic: int, rng: np.random.Generator) -> Fitted:
    sigma = best_sigma(residual, noise)
    if noise == "gaussian":
        draws = sigma * rng.standard_normal(n_synthetic)
    else:
        draws = sigma / 2 * rng.standard_cauchy(n_synthetic)
    return Fitted(residual, sigma, Losses(losses(residual, sigma, noise), losses(draws, sigma, noise)))
