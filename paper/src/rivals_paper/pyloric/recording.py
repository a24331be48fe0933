"""Recordings: what an electrode in the follower cell reads, with input, noise and digitisation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from rivals_paper.arrays import RNG, FloatArray
from rivals_paper.checks import check_size
from rivals_paper.noise import ColouredNoise
from rivals_paper.pyloric.circuit import pair
from rivals_paper.pyloric.integrate import LOOSE, Solver
from rivals_paper.pyloric.simulate import check_times, simulate

NoiseName = Literal["gaussian", "cauchy"]
Rounding = Literal["truncate", "round", "none"]

START: Final = (
    3000.0  # ms from the connection of the cells to the first sample; samples are 1 ms apart
)
# Runs kept for the next candidate: with a current, whose impulses take megabytes, those of the
# experiment in hand; without, all that a calibration asks for again and again.
REMEMBERED, REMEMBERED_QUIET = 8, 128


@dataclass(frozen=True, eq=False)
class Recording:
    """A recording of the follower cell.

    Attributes
    ----------
    times, voltage : ndarray
        In ms and mV.
    current : ColouredNoise or None
        The external current while it was made.

    Examples
    --------
    >>> import numpy as np
    >>> recording = Recording(np.array([3000.0, 3001.0]), np.array([-50.0, -49.0]))
    >>> len(recording), recording.current is None
    (2, True)
    """

    times: FloatArray
    voltage: FloatArray
    current: ColouredNoise | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return self.times.size


@dataclass(frozen=True, eq=False)
class Sessions:
    """Several recordings of one experiment.

    Examples
    --------
    >>> one = Recording(np.array([3000.0, 3001.0]), np.array([-50.0, -49.0]))
    >>> len(Sessions((one, one)))
    4
    """

    parts: tuple[Recording, ...]

    def __len__(self) -> int:
        return sum(map(len, self.parts))


def observe(
    cell: str,
    n: int,
    *,
    tau: float = 100.0,
    strength: float = 2.0**-5,
    scale: float = 2.0,
    noise: NoiseName = "gaussian",
    rounding: Rounding = "truncate",
    variant: str = "published",
    solver: Solver = LOOSE,
    rng: RNG = None,
) -> Recording:
    """Record a follower cell of AB/PD 3 for `n` ms, from 3 s after both were connected.

    Parameters
    ----------
    cell
        "LP 1" to "LP 5", say.
    n
        Number of samples, 1 ms apart.
    tau, strength
        Correlation time in ms and standard deviation in uA/cm² of the external current into both
        cells.
    scale
        Of the observation noise, in mV: the standard deviation of Gaussian noise; Cauchy noise has
        the scale parameter (half width at half maximum) `scale` / 2.
    noise
        "gaussian" or "cauchy".
    rounding
        Digitisation to -128 ... 127 mV: "truncate" towards zero, as published, "round" to the
        nearest mV, or "none".
    variant, solver
        As in `simulate`.
    rng
        Draws first the current, then the noise.

    Examples
    --------
    >>> from rivals_paper import pyloric, seeds
    >>> rng = seeds.generator("Prinz", "example trace", "data")
    >>> recording = pyloric.observe("LP 1", 4000, rng=rng)
    >>> recording.times[[0, -1]]
    array([3000., 6999.])
    """
    check_size(n, "n")
    if not (np.isfinite(scale) and scale >= 0):
        raise ValueError(f"scale must be a finite number of mV, 0 or above; got {scale!r}")
    if noise not in ("gaussian", "cauchy"):
        raise ValueError(f"noise must be 'gaussian' or 'cauchy'; got {noise!r}")
    rng = np.random.default_rng(rng)
    times = sample_times(n)
    current = ColouredNoise(tau, strength, float(times[-1]), rng=rng)
    clean = voltage(cell, times, current, variant=variant, solver=solver)
    if noise == "gaussian":
        disturbed = clean + scale * rng.standard_normal(n)
    else:
        disturbed = clean + scale / 2 * rng.standard_cauchy(n)
    return Recording(times, digitise(disturbed, rounding), current)


def sample_times(n: int) -> FloatArray:
    """Times in ms of the n samples of a recording.

    Examples
    --------
    >>> sample_times(3)
    array([3000., 3001., 3002.])
    """
    return START + np.arange(n, dtype=float)


def digitise(v: FloatArray, rounding: Rounding) -> FloatArray:
    """Digitise to whole mV from -128 to 127.

    Truncation towards zero shifts negative voltages up by 0.5 mV on average.

    Examples
    --------
    >>> digitise(np.array([-60.7, 3.2, 300.0]), "truncate")
    array([-60.,   3., 127.])
    """
    if rounding == "none":
        return v
    if rounding not in ("truncate", "round"):
        raise ValueError(f"rounding must be 'truncate', 'round' or 'none'; got {rounding!r}")
    clipped = np.clip(v, -128.0, 127.0)
    # Adding zero turns -0.0 into 0.0.
    return (np.trunc(clipped) if rounding == "truncate" else np.rint(clipped)) + 0.0


def voltage(
    cell: str, times: FloatArray, current: ColouredNoise | None, *, variant: str, solver: Solver
) -> FloatArray:
    """Voltage of the follower cell; the last runs are remembered, since candidates share them."""
    remembered = _quiet if current is None else _driven
    return remembered(cell, check_times(times).tobytes(), current, variant, solver)


def _voltage(
    cell: str, times: bytes, current: ColouredNoise | None, variant: str, solver: Solver
) -> FloatArray:
    """The same, of arguments that can be keys."""
    moments = np.frombuffer(times).copy()
    v: FloatArray = simulate(pair(cell, variant), moments, current=current, solver=solver)[1].copy()
    v.flags.writeable = False
    return v


_driven, _quiet = lru_cache(REMEMBERED)(_voltage), lru_cache(REMEMBERED_QUIET)(_voltage)
