"""Experiments of many epistemic distributions, simulated together on a GPU: it is fast when it has ten thousand to work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from rivals._types import FloatArray
from rivals.testbeds import noise, seeds
from rivals.testbeds.pyloric import gpu
from rivals.testbeds.pyloric.circuit import pair
from rivals.testbeds.pyloric.epistemic import Corrected, Draw, Published, published_draws
from rivals.testbeds.pyloric.recording import sample_times

AT_ONCE: Final = 1024  # experiments whose impulses are on the way to the device


def residuals_published(
    omegas: Mapping[str, Published], asked: Sequence[tuple[str, int]], n: int, *, first_step: float | None = None
) -> FloatArray:
    """What recordings of n samples differ by from both candidates, in mV: (experiments, 2, n).

    With the original random numbers, which begin anew for every recording; candidates get no input, and are the same for all experiments.

    Parameters
    ----------
    omegas
        Name → distribution, all with the same solver.
    asked
        Pairs of a name and the index of an experiment.
    n
        Samples of each recording.
    first_step
        First step of the solver in ms, in place of its own: a copy that differs by rounding alone.
    """
    cp = gpu.cupy()
    count = 1 + max(index for _, index in asked)
    by_name = {name: published_draws(omega.condition, count) for name, omega in omegas.items()}
    draws = [by_name[name][index] for name, index in asked]
    omega, duration = next(iter(omegas.values())), float(sample_times(n)[-1])

    def draw(place: int) -> tuple[gpu.Impulses, FloatArray]:
        drawn, rng = (
            draws[place],
            seeds.generator("Prinz", "prinz", "calibration", "fit candidates", asked[place][1]),
        )
        times, weights = noise.impulses(drawn.tau, drawn.strength, 0.0, duration, rng)
        disturbance = drawn.scale * rng.standard_normal(n)
        return gpu.Impulses(drawn.tau, noise.within_bins(times, drawn.tau, 0.0), weights), disturbance

    currents, disturbances = _gather(draw, len(asked))
    steps = None if first_step is None else np.full(len(asked), first_step)
    circuits = [pair(drawn.cell) for drawn in draws]
    v = gpu.simulate_many(circuits, sample_times(n), currents, solver=omega.solver, first_steps=steps)[:, 1]
    recorded = cp.trunc(cp.clip(v + cp.asarray(disturbances), -128.0, 127.0))
    cells = sorted({cell for each in omegas.values() for cell in each.condition.cells})
    quiet_steps = None if first_step is None else np.full(len(cells), first_step)
    quiet = gpu.simulate_many(
        [pair(cell) for cell in cells], sample_times(n), solver=omega.solver, first_steps=quiet_steps
    )[:, 1]
    pairs = np.array([[cells.index(cell) for cell in omegas[name].condition.cells] for name, _ in asked])
    return np.stack([(recorded - quiet[cp.asarray(pairs[:, which])]).get() for which in range(2)], axis=1)


def residuals_corrected(
    omegas: Mapping[str, Corrected], asked: Sequence[tuple[str, int]], n: int, *, seed: int, part: int
) -> FloatArray:
    """The same for corrected experiments: candidates get the input of the recording, and digitisation rounds.

    Random numbers depend on the seed, the name, the index and the `part` (which recording of an experiment) alone; the parameters of an experiment on all but the last.
    """
    cp = gpu.cupy()
    each_omega = [omegas[name] for name, _ in asked]

    def draw(place: int) -> tuple[Draw, int, FloatArray]:
        name, index = asked[place]
        omega = omegas[name]
        parameters = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*seeds.words(name), index, 0)))
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*seeds.words(name), index, 1 + part)))
        drawn, key = omega.condition.draw(parameters), int(rng.integers(2**63))
        heavy = omega.heavy_tails and omega.condition.noise == "Cauchy"
        return drawn, key, drawn.scale * (rng.standard_cauchy(n) / 2 if heavy else rng.standard_normal(n))

    with ThreadPoolExecutor() as threads:
        drawn = list(threads.map(draw, range(len(asked))))
    tau, strength = np.array([each[0].tau for each in drawn]), np.array([each[0].strength for each in drawn])
    currents = gpu.coloured_noise(tau, strength, float(sample_times(n)[-1]), [each[1] for each in drawn])
    twice = gpu.Currents(
        currents.coefficients,
        *(cp.concatenate([each, each]) for each in (currents.first_piece, currents.n_pieces, currents.grids)),
    )
    first = each_omega[0]
    circuits = [pair(omega.condition.cells[which], first.variant) for which in range(2) for omega in each_omega]
    v = gpu.simulate_many(circuits, sample_times(n), twice, solver=first.solver)[:, 1].reshape(2, len(asked), n)
    made_by_second = cp.asarray(
        [each[0].cell == omega.condition.cells[1] for each, omega in zip(drawn, each_omega, strict=True)]
    )
    disturbance = cp.asarray(np.array([each[2] for each in drawn]))
    clean = cp.where(made_by_second[:, None], v[1], v[0])
    recorded = cp.rint(cp.clip(clean + disturbance, -128.0, 127.0))
    return np.stack([(recorded - v[which]).get() for which in range(2)], axis=1)


def _gather(draw: Callable[[int], tuple[gpu.Impulses, FloatArray]], count: int) -> tuple[gpu.Currents, FloatArray]:
    """Draw impulses on all cores, a part at a time, and keep on the device what the integrator needs of them."""
    cp = gpu.cupy()
    parts, disturbances = [], []
    with ThreadPoolExecutor() as threads:
        for begin in range(0, count, AT_ONCE):
            drawn = list(threads.map(draw, range(begin, min(begin + AT_ONCE, count))))
            parts.append(gpu.given_noise([each[0] for each in drawn]))
            disturbances += [each[1] for each in drawn]
    offsets = np.cumsum([0, *(len(part.coefficients) for part in parts)])
    return gpu.Currents(
        cp.concatenate([part.coefficients for part in parts]),
        cp.concatenate([part.first_piece + int(offset) for part, offset in zip(parts, offsets[:-1], strict=True)]),
        cp.concatenate([part.n_pieces for part in parts]),
        cp.concatenate([part.grids for part in parts]),
    ), np.array(disturbances)
