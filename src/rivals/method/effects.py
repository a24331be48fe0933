"""What happens to a signal on its way into a data set: arrays in, arrays out.

Each effect is a function of the signal, a design (where along the recording, or at which value of
another column, each point lies), a generator, and the effect's numbers. Rows are chosen by
functions of the design alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivals._core.types import FloatArray, IntArray


def placed(design: FloatArray) -> FloatArray:
    """A design between −1, where it is lowest, and 1.

    Examples
    --------
    >>> placed(np.array([0.0, 5.0, 10.0]))
    array([-1.,  0.,  1.])
    """
    low, high = design.min(), design.max()
    if low == high:
        raise ValueError("the design is the same at all points, so that nothing can vary along it")
    return np.asarray((2.0 * design - low - high) / (high - low))


def gain(signal: FloatArray, _: FloatArray, rng: object, *, factor: float) -> FloatArray:
    """The signal times a factor."""
    return factor * signal


def offset(signal: FloatArray, _: FloatArray, rng: object, *, value: float) -> FloatArray:
    """The signal plus a constant."""
    return signal + value


def drift(signal: FloatArray, design: FloatArray, rng: object, *, height: float) -> FloatArray:
    """The signal plus a straight line, from −height to height along the design."""
    return signal + height * placed(design)


def gaussian(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, scale: float
) -> FloatArray:
    """Independent normal noise."""
    return signal + scale * rng.standard_normal(signal.size)


def student(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, scale: float, df: float
) -> FloatArray:
    """Independent noise with heavy tails."""
    return signal + scale * rng.standard_t(df, signal.size)


def laplace(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, scale: float
) -> FloatArray:
    """Independent double exponential noise."""
    return signal + scale * rng.laplace(size=signal.size)


def poisson(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, counts: float
) -> FloatArray:
    """Counts, as many per unit of the signal, back in its unit; none where it is negative."""
    return np.asarray(rng.poisson(np.maximum(counts * signal, 0.0)) / counts)


def coloured(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, scale: float, tau: float
) -> FloatArray:
    """Noise that forgets within tau points: a stationary Ornstein-Uhlenbeck process."""
    kept = np.exp(-1.0 / tau)
    steps = rng.standard_normal(signal.size)
    steps[1:] *= np.sqrt(1.0 - kept**2)
    return signal + scale * autoregression(steps, kept)


def outliers(
    signal: FloatArray, _: FloatArray, rng: np.random.Generator, *, share: float, scale: float
) -> FloatArray:
    """Normal noise on a share of the points, drawn at random."""
    hit = rng.random(signal.size) < share
    return signal + hit * (scale * rng.standard_normal(signal.size))


# Of the signal, the design, a generator, and numbers.
Effect = Callable[..., FloatArray]
EFFECTS: dict[str, Effect] = {
    each.__name__: each
    for each in (gain, offset, drift, gaussian, student, laplace, poisson, coloured, outliers)
}


def autoregression(steps: FloatArray, kept: float) -> FloatArray:
    """x[i] = kept · x[i − 1] + steps[i], from x = 0.

    After k rounds each x holds its last 2^k steps; a round adds those before them.

    Examples
    --------
    >>> autoregression(np.array([1.0, 0.0, 0.0]), 0.5)
    array([1.  , 0.5 , 0.25])
    """
    found = steps.copy()
    reach = 1
    while reach < steps.size and kept**reach > 0.0:
        found[reach:] += kept**reach * found[:-reach].copy()
        reach *= 2
    return found


def tilted(design: FloatArray, n: int, rng: np.random.Generator, *, strength: float) -> IntArray:
    """n rows, those with high or low values of the design less probable: exp(strength · place).

    The n smallest of exponential waiting times: as drawing one after the other without replacement.
    """
    waiting = rng.exponential(size=design.size) * np.exp(-strength * placed(design))
    return np.sort(np.argpartition(waiting, n - 1)[:n])


def present(
    design: FloatArray, n: int, rng: np.random.Generator, *, share: float, run: float
) -> IntArray:
    """n rows that are left where others are missing, in runs of so many neighbours.

    The share is what `design` has more than n.
    """
    runs = np.arange(design.size) // max(int(run), 1)
    rank = rng.permutation(runs[-1] + 1)[runs]
    return np.sort(np.argsort(rank, kind="stable")[:n])
