"""Which of the paper's desiderata a process keeps, measured on its paths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import ks_2samp

from rivals._core.checks import check_size
from rivals._core.types import FloatArray
from rivals.laws.open_process import process

# Distributions differ if equal ones would by chance so seldom.
RARE = 1e-4
# The mean of a path may be off by this part of its standard deviation, beside chance; and the
# standard deviation by this part of itself.
OFF = 0.05
WIDER = 0.1
DEPTH = 7
COARSE = 4


@dataclass(frozen=True)
class Desiderata:
    """What `check_process` found: name → whether it is kept, and name → what was seen."""

    kept: dict[str, bool]
    found: dict[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.kept))
        return "\n".join(
            f"{'kept  ' if kept else 'broken'}  {name:{width}}  {self.found[name]}"
            for name, kept in self.kept.items()
        )


def check_process(
    kind: Any = "beta",
    q: Any = None,
    delta: Any = None,
    c: float = 0.25,
    *,
    n_paths: int = 4000,
) -> Desiderata:
    """Measure which of the paper's desiderata a process keeps.

    Parameters
    ----------
    kind : {"beta", "transport"} or a subclass of `rivals.laws.Process`
        The process.
    q, delta, c
        As for `rivals.process`; by default exponential losses whose misfit grows towards the
        largest.
    n_paths : int
        Paths that are drawn for each desideratum.

    Returns
    -------
    Desiderata
        With `kept` and `found`, by name: "monotone"; "self-consistent", whether paths read at more
        places have the same law at the old ones; "non-accumulating", whether the law is the same
        from either end, and at a place does not depend on the misfit before it; "centred" on q*;
        "variance c δ²"; "unit of the loss", whether losses ten times as large have risks ten times
        as large. Distributions are compared by the test of Kolmogorov and Smirnov.

    Examples
    --------
    >>> [name for name, kept in check_process("transport").kept.items() if not kept]
    []
    """
    n_paths = check_size(n_paths, "n_paths", least=200)
    q = _exponential if q is None else q
    delta = _growing if delta is None else delta
    base = process(q, delta, c, kind=kind)
    # In plain functions, whatever was given.
    q, delta = base.q, base.delta

    def made(q: Callable[..., FloatArray] = q, delta: Callable[..., FloatArray] = delta) -> Any:
        return process(q, delta, c, kind=kind)

    phi, paths = base.sample_paths(n_paths, DEPTH, 0)
    step = 2 ** (DEPTH - COARSE)
    places = step * np.array([2, 4, 8, 12, 14])
    spread = paths.std(axis=0)
    found = {}

    fall = float(np.diff(paths, axis=1).min())
    scale = float(np.ptp(q(phi))) or 1.0
    found["monotone"] = (fall >= -1e-9 * scale, f"smallest step {fall:.2g}")

    again = base.sample_paths(n_paths, COARSE, 1)[1]
    p = min(_same(again[:, at // step], paths[:, at]) for at in places)
    found["self-consistent"] = (p > RARE, f"read at {2**COARSE} and {2**DEPTH} places: {_p(p)}")

    mirrored = made(lambda x: -q(1.0 - x), lambda x: delta(1.0 - x)).sample_paths(n_paths, DEPTH, 2)
    ends = min(_same(paths[:, at], -mirrored[1][:, -1 - at]) for at in places)
    early = made(q, lambda x: delta(x) * np.where((x > 0.05) & (x < 0.4), 2.0, 1.0))
    at = places[3]
    later = _same(paths[:, at], early.sample_paths(n_paths, DEPTH, 3)[1][:, at])
    found["non-accumulating"] = (
        min(ends, later) > RARE,
        f"from the other end {_p(ends)}; misfit doubled before it {_p(later)}",
    )

    off = (paths.mean(axis=0) - q(phi)) / np.where(spread > 0.0, spread, 1.0)
    farthest = float(np.abs(off).max())
    found["centred"] = (
        farthest < OFF + 5.0 / np.sqrt(n_paths),
        f"mean of paths off q* by up to {farthest:.2f} standard deviations",
    )

    wanted = np.sqrt(c) * delta(phi)
    ratio = spread[wanted > 0.0] / wanted[wanted > 0.0]
    found["variance c δ²"] = (
        bool(ratio.size and np.abs(ratio - 1.0).max() < WIDER),
        f"standard deviation {ratio.min():.2f} to {ratio.max():.2f} times √c δ"
        if ratio.size
        else "δ is zero",
    )

    larger = made(lambda x: 10.0 * q(x), lambda x: 10.0 * delta(x)).sample_risk(n_paths, 4)
    risks = base.sample_risk(n_paths, 5)
    p = _same(risks, larger / 10.0)
    wider = larger.std() / risks.std() if risks.std() > 0.0 else 10.0
    found["unit of the loss"] = (p > RARE, f"losses × 10: risks spread × {wider:.1f}, {_p(p)}")
    return Desiderata(
        {name: bool(kept) for name, (kept, _) in found.items()},
        {name: seen for name, (_, seen) in found.items()},
    )


def _exponential(phi: FloatArray) -> FloatArray:
    return np.asarray(-np.log1p(-0.999 * phi))


def _growing(phi: FloatArray) -> FloatArray:
    return np.asarray(0.1 + 0.3 * phi)


def _same(a: FloatArray, b: FloatArray) -> float:
    """How often by chance two samples of one distribution differ so much."""
    return float(ks_2samp(a, b, method="asymp").pvalue)


def _p(p: float) -> str:
    return f"p = {p:.2g}" if p > RARE else f"p < {RARE:g}"
