"""What the methods of this library share: its own function, and what it takes."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

import rivals

FloatArray = npt.NDArray[np.float64]


def compare(losses: Any, simulations: Any, *, groups: bool, **options: Any) -> rivals.Comparison:
    """`rivals.compare` of all models; what it warns of is part of the result."""
    observed = np.concatenate(losses, axis=1)
    labels = np.repeat(np.arange(len(losses)), [one.shape[1] for one in losses])
    names = [f"model {place}" for place in range(len(observed))]
    models: dict[str, Any] = dict(zip(names, observed, strict=True))
    if simulations is not None:
        synthetic = np.concatenate(simulations, axis=2)
        for name, own, drawn in zip(names, observed, synthetic, strict=True):
            # A simulation of few labels may equal the observed ones by chance.
            models[name] = rivals.Losses(own, drawn, may_repeat=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rivals.RivalsWarning)
        return rivals.compare(models, groups=labels if groups else None, rng=0, **options)


def decided(losses: Any, simulations: Any, *, groups: bool, **options: Any) -> FloatArray:
    """Probabilities of each pair alone, 0.95 at most where `compare` rejects neither of the two."""
    n_models = len(losses[0])
    found = np.full((n_models, n_models), 0.5)
    for pair in combinations(range(n_models), 2):
        two = [one[list(pair)] for one in losses]
        drawn = None if simulations is None else [one[list(pair)] for one in simulations]
        result = compare(two, drawn, groups=groups, **options)
        a, b = pair
        own = result.probability
        found[a, b] = own[0, 1] if result.rejections else np.clip(own[0, 1], 0.05, 0.95)
        found[b, a] = 1.0 - found[a, b]
    return found
