"""All experiments of a calibration simulated together on a GPU, for `rivals.calibrate`: epistemic distributions that offer batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from rivals._types import FloatArray
from rivals.testbeds import noise, seeds
from rivals.testbeds.pyloric import gpu
from rivals.testbeds.pyloric.circuit import pair
from rivals.testbeds.pyloric.epistemic import Corrected, Draw, Published, published_draws
from rivals.testbeds.pyloric.recording import sample_times

AT_ONCE: Final = 1024  # experiments whose impulses are on the way to the device


class Simulated(NamedTuple):
    """Residuals in mV of both candidates, (experiments, 2, n), on the data and on the recording that decides the truth."""

    data: FloatArray
    truth: FloatArray


@dataclass
class Laboratory:
    """Experiments of several epistemic distributions of one kind, simulated together.

    A GPU is fast when it has ten thousand experiments to work on, and a single distribution has hundreds. Whichever asks first, experiments of the same indices are simulated
    for all; the others find theirs ready. Random numbers depend on the seed, the distribution and the index alone, or are those of the original study.

    Parameters
    ----------
    omegas
        Name → `Corrected` or `Published`, all with the same solver and variant.
    n_data, n_truth
        Sizes of the recordings, as given to `calibrate`.
    seed
        Of the corrected experiments.
    first_step
        First step of the solver in ms, in place of its own: a copy that differs by rounding alone.
    """

    omegas: Mapping[str, Corrected | Published]
    n_data: int
    n_truth: int
    seed: int = 0
    first_step: float | None = None
    _ready: dict[str, dict[int, tuple[FloatArray, FloatArray]]] = field(default_factory=dict, repr=False)

    def residuals(self, name: str, indices: Sequence[int]) -> Simulated:
        """Residuals of these experiments of one distribution; each can be asked for once."""
        if any(index not in self._ready.get(name, {}) for index in indices):
            self._simulate(indices)
        found = [self._ready[name].pop(index) for index in indices]
        return Simulated(np.array([each[0] for each in found]), np.array([each[1] for each in found]))

    def _simulate(self, indices: Sequence[int]) -> None:
        asked = [(name, index) for name in self.omegas for index in indices]
        published = [isinstance(omega, Published) for omega in self.omegas.values()]
        if any(published) != all(published):
            raise ValueError("a laboratory holds distributions of one kind: all Published or all Corrected")
        record = self._record_published if all(published) else self._record_corrected
        data, truth = record(asked, self.n_data, 0), record(asked, self.n_truth, 1)
        for place, (name, index) in enumerate(asked):
            self._ready.setdefault(name, {})[index] = (data[place], truth[place])

    def _record_published(self, asked: Sequence[tuple[str, int]], n: int, part: int) -> FloatArray:
        """The original random numbers; candidates get no input, and are the same for all experiments."""
        del part  # the original numbers begin anew for every recording
        cp = gpu.cupy()
        count = 1 + max(index for _, index in asked)
        by_name = {name: published_draws(omega.condition, count) for name, omega in self.omegas.items()}
        draws = [by_name[name][index] for name, index in asked]
        omega, duration = next(iter(self.omegas.values())), float(sample_times(n)[-1])

        def draw(place: int) -> tuple[gpu.Impulses, FloatArray]:
            drawn, rng = (
                draws[place],
                seeds.generator("Prinz", "prinz", "calibration", "fit candidates", asked[place][1]),
            )
            times, weights = noise.impulses(drawn.tau, drawn.strength, 0.0, duration, rng)
            disturbance = drawn.scale * rng.standard_normal(n)
            return gpu.Impulses(drawn.tau, noise.within_bins(times, drawn.tau, 0.0), weights), disturbance

        currents, disturbances = _gather(draw, len(asked))
        steps = None if self.first_step is None else np.full(len(asked), self.first_step)
        circuits = [pair(drawn.cell) for drawn in draws]
        v = gpu.simulate_many(circuits, sample_times(n), currents, solver=omega.solver, first_steps=steps)[:, 1]
        recorded = cp.trunc(cp.clip(v + cp.asarray(disturbances), -128.0, 127.0))
        cells = sorted({cell for each in self.omegas.values() for cell in each.condition.cells})
        quiet_steps = None if self.first_step is None else np.full(len(cells), self.first_step)
        quiet = gpu.simulate_many(
            [pair(cell) for cell in cells], sample_times(n), solver=omega.solver, first_steps=quiet_steps
        )[:, 1]
        pairs = np.array([[cells.index(cell) for cell in self.omegas[name].condition.cells] for name, _ in asked])
        return np.stack([(recorded - quiet[cp.asarray(pairs[:, which])]).get() for which in range(2)], axis=1)

    def _record_corrected(self, asked: Sequence[tuple[str, int]], n: int, part: int) -> FloatArray:
        """Candidates get the input of the recording; digitisation rounds; Cauchy noise is Cauchy noise."""
        cp = gpu.cupy()
        omegas = [self.omegas[name] for name, _ in asked]
        places = {name: place for place, name in enumerate(self.omegas)}

        def draw(place: int) -> tuple[Draw, int, FloatArray]:
            name, index = asked[place]
            omega = self.omegas[name]
            assert isinstance(omega, Corrected)
            parameters = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(places[name], index, 0)))
            rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(places[name], index, 1 + part)))
            drawn, seed = omega.condition.draw(parameters), int(rng.integers(2**63))
            heavy = omega.heavy_tails and omega.condition.noise == "Cauchy"
            return drawn, seed, drawn.scale * (rng.standard_cauchy(n) / 2 if heavy else rng.standard_normal(n))

        with ThreadPoolExecutor() as threads:
            drawn = list(threads.map(draw, range(len(asked))))
        tau, strength = np.array([each[0].tau for each in drawn]), np.array([each[0].strength for each in drawn])
        currents = gpu.coloured_noise(tau, strength, float(sample_times(n)[-1]), [each[1] for each in drawn])
        twice = gpu.Currents(
            currents.coefficients,
            *(cp.concatenate([each, each]) for each in (currents.first_piece, currents.n_pieces, currents.grids)),
        )
        first = omegas[0]
        circuits = [
            pair(omega.condition.cells[which], getattr(first, "variant", "published"))
            for which in range(2)
            for omega in omegas
        ]
        v = gpu.simulate_many(circuits, sample_times(n), twice, solver=first.solver)[:, 1].reshape(2, len(asked), n)
        made_by_second = cp.asarray(
            [each[0].cell == omega.condition.cells[1] for each, omega in zip(drawn, omegas, strict=True)]
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
