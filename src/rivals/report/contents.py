"""What the page shows and computes from: plain numbers, a grid of c computed beforehand."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from rivals._checks import show
from rivals._types import FloatArray
from rivals._version import __version__
from rivals.comparison import Comparison
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.plots import risk_density

# Half octaves over the ranges in which the original study found c valid, and two octaves more on either side.
GRID_OF_C = tuple(2.0 ** (k / 2) for k in range(-16, 11))
THRESHOLDS = tuple(round(0.505 + 0.005 * k, 3) for k in range(100))

# In the pictures; the table has all models.
MOST_DRAWN = 12
DENSITY_POINTS = 128
CURVE_POINTS = 161
PATHS, PATH_DEPTH = 400, 5


def contents(result: Comparison, c: Sequence[float] = GRID_OF_C) -> dict[str, Any]:
    """Everything the page needs, at each c of the grid and at the result's own.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> page = contents(rivals.compare(toys.losses(), rng=0), c=[0.5, 2.0])
    >>> page["c"], page["own"]["c"]
    ([0.5, 1.0, 2.0], 1)
    """
    grid = sorted({*c, result.c})
    sweep = result.sweep([value for value in grid if value != result.c])
    runs = dict(zip(sweep.c, sweep.comparisons, strict=True)) | {result.c: result}
    thresholds = sorted({*THRESHOLDS, result.threshold})
    drawn = [result.names.index(name) for name in result.ranking[:MOST_DRAWN]]
    return {
        "names": [show(name) for name in result.names],
        "ranking": [result.names.index(name) for name in result.ranking],
        "drawn": drawn,
        # What rivals are compared by, without the common offset that would cost digits.
        "excess": result.excess_empirical_risk.tolist(),
        "reference": result.reference,
        "c": grid,
        "thresholds": thresholds,
        "own": {"c": grid.index(result.c), "threshold": thresholds.index(result.threshold)},
        "runs": [_run(runs[value], drawn) for value in grid],
        "phi": _round(np.linspace(0.0, 1.0, CURVE_POINTS)),
        "quantiles": {index: _quantiles(result, result.names[index]) for index in drawn},
    }


def provenance(result: Comparison) -> dict[str, str]:
    """What repeats the run: versions, entropy, sizes."""
    sizes = sorted({(losses.n_observed, losses.n_synthetic) for losses in result.losses.values()})
    return {
        "rivals": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "entropy (rng)": str(result.entropy),
        "c": repr(float(result.c)),
        "threshold": repr(float(result.threshold)),
        "draws of each risk": f"{result.n_draws}, up to {result.max_draws} where the threshold is close",
        "depth of the process": "as deep as the data resolve" if result.depth is None else str(result.depth),
        "losses (observed / synthetic)": "; ".join(f"{observed} / {synthetic}" for observed, synthetic in sizes[:6])
        + (" …" if len(sizes) > 6 else ""),
    }


def notes(result: Comparison) -> list[dict[str, Any]]:
    """For each model, best first: what one should know before believing its numbers, in sentences."""
    per_model = []
    for name in result.ranking:
        losses, share = result.losses[name], result.end_point_share[name]
        sentences = [sentence[:1].upper() + sentence[1:] + "." for sentence in losses.doubts()]
        sentences.append(
            f"{share:.0%} of the variance of its risk is due to its most extreme losses"
            + (": they decide, so look at them one by one." if share > 0.8 else ".")
        )
        if losses.effective_size < 0.5 * losses.n_observed:
            sentences.append(
                f"Its losses are correlated in the order given: {losses.n_observed} of them say about as much about their mean as "
                f"{losses.effective_size:.0f} independent ones. If the order is that of time, thin them."
            )
        per_model.append({"model": name, "sentences": sentences})
    return per_model


def _run(result: Comparison, drawn: list[int]) -> dict[str, Any]:
    """One c: probabilities of all pairs a < b, table, curves, and the library's own verdict at its own threshold."""
    names = result.names
    upper = np.triu_indices(len(names), k=1)
    quantiles = [np.quantile(draws, [0.05, 0.95]) for draws in result.excess_risks]
    rejected = [result.rejections.get(name) for name in names]
    return {
        "p": np.round(result.probability[upper], 7).tolist(),
        "e": np.round(result.standard_error[upper], 6).tolist(),
        "mean": [result.risk_mean[name] - result.reference for name in names],
        "low": _round([pair[0] for pair in quantiles]),
        "high": _round([pair[1] for pair in quantiles]),
        "by": [None if rejection is None else names.index(rejection.by) for rejection in rejected],
        "unclear": sorted({names.index(duel.model) for duel in result.undecided}),
        "density": [_density(result.excess_risks[index]) for index in drawn],
        "band": [_band(result, names[index]) for index in drawn],
    }


def _density(draws: FloatArray) -> dict[str, Any]:
    grid, density = risk_density(draws, n_points=DENSITY_POINTS)
    if grid.size == 1:  # a distribution without width
        return {"from": float(grid[0]), "to": float(grid[0]), "peak": 0.0, "heights": []}
    peak = float(density.max())
    return {
        "from": _digits(grid[0]),
        "to": _digits(grid[-1]),
        "peak": _digits(peak),
        "heights": np.round(999 * density / peak).astype(int).tolist(),
    }


def _band(result: Comparison, name: str) -> list[list[float]]:
    """Where nine in ten sampled paths run, on a coarse grid of Φ."""
    # The upper levels of the tree are the same whatever its depth; only these are drawn here.
    process = HierarchicalBetaProcess.from_losses(result.losses[name], result.c, PATH_DEPTH)
    _, paths = process.sample_paths(PATHS, depth=PATH_DEPTH, rng=0)
    return [_round(row - result.reference) for row in np.quantile(paths, [0.05, 0.95], axis=0)]


def _quantiles(result: Comparison, name: str) -> dict[str, Any]:
    losses = result.losses[name]
    phi = np.linspace(0.0, 1.0, CURVE_POINTS)
    return {
        "observed": _round(QuantileFunction(losses.observed - result.reference)(phi)),
        "synthetic": _round(QuantileFunction(losses.synthetic - result.reference)(phi)),
    }


def _round(values: Any) -> list[float]:
    """Five digits: finer than a pixel."""
    return [_digits(value) for value in values]


def _digits(value: Any) -> float:
    return float(f"{float(value):.5g}")
