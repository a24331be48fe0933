"""The corrected neuron experiments on a GPU.

An experiment is a cell that makes the data, an input and a noise. Each of its recordings has an
input, a noise and rounding errors of its own. To one the widths of both candidates are fitted, one
is judged, and several fresh ones, as long as the data, tell who is truly better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from rivals_paper.arrays import FloatArray, IntArray
from rivals_paper.gpu import simulate as gpu
from rivals_paper.pyloric import ACCURATE, LABELS, Condition, sample_times
from rivals_paper.pyloric.circuit import pair
from rivals_paper.pyloric.epistemic import COPIES, Draw

DeviceArray = Any
N_DATA: Final = 4000  # ms, and samples
FRESH: Final = 4  # recordings that tell the truth
FIT, DATA, FIRST_FRESH = 0, 1, 2  # which recording of an experiment
CELLS: Final = tuple(LABELS.values())

# Observation noise of each sample, from the key of its recording: Gaussian, or Cauchy of half the
# scale.
SOURCE: Final = r"""
__device__ inline void philox(unsigned int counter[4], unsigned int key0, unsigned int key1) {
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        unsigned int c0 = (unsigned int)(b >> 32) ^ counter[1] ^ key0,
            c2 = (unsigned int)(a >> 32) ^ counter[3] ^ key1;
        counter[0] = c0; counter[1] = (unsigned int)b; counter[2] = c2;
        counter[3] = (unsigned int)a;
        key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
    }
}
__device__ inline double uniform(unsigned int high, unsigned int low) {  // in (0, 1), 52 bits
    return ((((unsigned long long)high << 32 | low) >> 12) + 0.5) * 2.220446049250313e-16;
}
extern "C" __global__ void disturb(long long count, int n, const unsigned long long *keys,
    const double *scales, const bool *heavy, double *out) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count * n) return;
    long long e = i / n;
    unsigned int words[4] = {(unsigned int)(i % n), 0x0B5Eu, 0u, 0u};
    philox(words, (unsigned int)keys[e], (unsigned int)(keys[e] >> 32));
    double u = uniform(words[0], words[1]), v = uniform(words[2], words[3]);
    double normal = sqrt(-2.0 * log(u)) * cospi(2 * v),
        cauchy = 0.5 * sinpi(v - 0.5) / cospi(v - 0.5);
    out[i] = scales[e] * (heavy[e] ? cauchy : normal);
}
// 1 in each ms in which the voltage, below -10 mV since the last spike, reaches 0 mV; eight to a
// byte, the first the highest bit.
extern "C" __global__ void spikes(long long count, int n, const double *voltage,
    unsigned char *out) {
    long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row >= count) return;
    bool low = false;
    for (int byte = 0; byte < n / 8; byte++) {
        unsigned char bits = 0;
        for (int k = 0; k < 8; k++) {
            double v = voltage[row * n + 8 * byte + k];
            bool spike = low && v >= 0;
            if (v < -10) low = true;
            if (v >= 0) low = false;
            bits = (unsigned char)(bits << 1 | (spike ? 1 : 0));
        }
        out[row * (n / 8) + byte] = bits;
    }
}
"""


class ExperimentLosses(NamedTuple):
    """What the two candidates of an experiment lose: on the data, on simulations of their own,
    and where the truth is known.
    """

    observed: FloatArray  # (candidates, points)
    simulated: FloatArray  # (candidates, simulations, points)
    truth: FloatArray  # (candidates, points)


class Asked(NamedTuple):
    """One experiment: candidates, kind of the noise, parameters, the key of all its random
    numbers, and which rounding errors its recordings have, from 1 to COPIES.
    """

    cells: tuple[str, str]
    noise: str
    drawn: Draw
    key: int
    copy: int


@dataclass(frozen=True)
class Recordings:
    """The epistemic distribution of a condition, corrected: many experiments at once on a GPU.

    Widths are fitted on a recording of their own, recordings have rounding errors of their own, and
    the truth is the mean over fresh recordings as long as the data.

    Parameters
    ----------
    condition : Condition
    variant : {"published", "prinz2004"}
        Constants of the circuit: as published, or as documented.
    n_simulations : int
        Of each candidate.
    fresh : int
        Fresh recordings.
    """

    condition: Condition
    variant: str = "published"
    n_simulations: int = 1
    fresh: int = FRESH

    def ask(self, rng: np.random.Generator) -> Asked:
        """Draw the parameters of an experiment."""
        drawn = self.condition.draw(rng)
        key = int(rng.integers(2**63))
        copy = int(rng.integers(1, COPIES + 1))
        return Asked(self.condition.cells, self.condition.noise, drawn, key, copy)

    def batch(self, generators: Sequence[np.random.Generator]) -> list[ExperimentLosses]:
        """Losses of one experiment for each generator."""
        asked = [self.ask(rng) for rng in generators]
        sigma = widths(residuals(asked, self.variant, FIT)).get()
        level = np.log(np.sqrt(2 * np.pi) * sigma)[:, :, None]

        def losses(recording: int) -> FloatArray:
            residual = residuals(asked, self.variant, recording).get()
            return np.asarray(level + residual**2 / (2 * sigma[:, :, None] ** 2))

        observed = losses(DATA)
        truth = np.concatenate([losses(FIRST_FRESH + k) for k in range(self.fresh)], axis=2)
        z = [
            np.random.default_rng(each.key).standard_normal((2, self.n_simulations, N_DATA))
            for each in asked
        ]
        return [
            ExperimentLosses(observed[i], level[i][:, None] + z[i] ** 2 / 2, truth[i])
            for i in range(len(asked))
        ]


def residuals(
    asked: Sequence[Asked], variant: str, recording: int, n: int = N_DATA, own: bool = True
) -> DeviceArray:
    """Recorded voltage less that of each candidate, (experiments, 2, n) mV, in one recording of
    each experiment.
    """
    v, recorded = traces(asked, variant, recording, n, own)
    cp = gpu.cupy()
    return cp.stack([recorded - v[which] for which in range(2)], axis=1)


def traces(
    asked: Sequence[Asked],
    variant: str,
    recording: int | IntArray,
    n: int = N_DATA,
    own: bool = True,
) -> tuple[DeviceArray, DeviceArray]:
    """Voltages of both candidates, (2, experiments, n), and the recorded ones, (experiments, n).

    All have the same input; what is recorded is noisy and digitised.

    Parameters
    ----------
    asked
        The experiments.
    variant
        Constants of the circuit.
    recording
        Which recording: of all experiments, or of each.
    n
        Samples.
    own
        Whether recordings have rounding errors of their own. Without, a recording shares those of
        the candidate that made it.
    """
    cp = gpu.cupy()
    candidates = [each.cells[which] for which in range(2) for each in asked]
    cells = candidates + [each.drawn.cell for each in asked] * own
    copies = len(cells) // len(asked)
    tau = np.array([each.drawn.tau for each in asked])
    strength = np.array([each.drawn.strength for each in asked])
    scale = np.array([each.drawn.scale for each in asked])
    keys = np.array([each.key for each in asked], dtype=np.uint64)
    times = sample_times(n)
    seeds = mixed(keys, 2 * np.asarray(recording)).tolist()
    currents = gpu.coloured_noise(tau, strength, float(times[-1]), seeds)
    shared = (
        cp.concatenate([each] * copies)
        for each in (currents.first_piece, currents.n_pieces, currents.grids)
    )
    of_recordings = [each.copy for each in asked]
    rounding = np.array([0] * len(candidates) + of_recordings * own)
    states = _settled(variant)[
        cp.asarray([CELLS.index(cell) for cell in cells]), cp.asarray(rounding)
    ]
    v = gpu.simulate_many(
        [pair(cell, variant) for cell in cells],
        times,
        gpu.Currents(currents.coefficients, *shared),
        solver=ACCURATE,
        first_steps=first_steps()[rounding],
        initial=states,
    )[:, 1].reshape(copies, len(asked), n)
    by_second = cp.asarray([each.drawn.cell == each.cells[1] for each in asked])[:, None]
    made = v[2] if own else cp.where(by_second, v[1], v[0])
    heavy = [each.noise == "Cauchy" for each in asked]
    noise = _disturbance(mixed(keys, 2 * np.asarray(recording) + 1), scale, heavy, n)
    return v[:2], cp.rint(cp.clip(made + noise, -128.0, 127.0))


def first_steps() -> FloatArray:
    """First step of the models, then those of all kinds of recordings: other rounding errors.

    Examples
    --------
    >>> first_steps()[:2] == [ACCURATE.first_step, ACCURATE.with_other_rounding().first_step]
    array([ True,  True])
    """
    others = [ACCURATE.with_other_rounding(copy).first_step for copy in range(1, COPIES + 1)]
    return np.array([ACCURATE.first_step, *others])


def widths(residual: DeviceArray) -> DeviceArray:
    """Likeliest width of Gaussian noise, (experiments, 2) mV."""
    cp = gpu.cupy()
    return cp.sqrt(cp.mean(residual**2, axis=2))


def spike_trains(voltage: DeviceArray) -> Any:
    """Spikes of each row of samples, packed into bits, (rows, samples / 8).

    As `rivals_paper.domain_loss.spike_train`.
    """
    cp = gpu.cupy()
    rows, n = voltage.shape
    out = cp.empty((rows, n // 8), dtype=cp.uint8)
    gpu._launch(
        _module().get_function("spikes"),
        rows,
        (np.int64(rows), np.int32(n), cp.ascontiguousarray(voltage), out),
    )
    return out.get()


def mixed(keys: Any, number: Any) -> Any:
    """A key of 64 bits for each key and a number, one of all or one of each (splitmix64).

    Examples
    --------
    >>> one, other = (mixed(np.array([1], dtype=np.uint64), k)[0] for k in (0, 1))
    >>> one != other
    np.True_
    """
    with np.errstate(over="ignore"):
        z = keys + np.asarray(number + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _disturbance(keys: Any, scale: FloatArray, heavy: Sequence[bool], n: int) -> DeviceArray:
    cp = gpu.cupy()
    out = cp.empty((len(keys), n))
    arguments = (
        np.int64(len(keys)),
        np.int32(n),
        cp.asarray(keys),
        cp.asarray(scale),
        cp.asarray(np.array(heavy)),
        out,
    )
    gpu._launch(_module().get_function("disturb"), out.size, arguments)
    return out


@cache  # of two variants
def _settled(variant: str) -> DeviceArray:
    """States of all cells after settling, (cells, 1 + COPIES, states).

    The first have the rounding errors of models, the others those of recordings.
    """
    steps = np.tile(first_steps(), len(CELLS))
    circuits = [pair(cell, variant) for cell in CELLS for _ in range(1 + COPIES)]
    states = gpu.settle_many(circuits, solver=ACCURATE, first_steps=steps)
    return states.reshape(len(CELLS), 1 + COPIES, -1)


@cache  # one value: it has no arguments
def _module() -> Any:
    return gpu.cupy().RawModule(code=SOURCE, options=("-std=c++17",))
