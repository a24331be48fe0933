"""Comparisons for the tests of the report, and names that try to be more than text."""

from __future__ import annotations

import numpy as np

import rivals

HOSTILE = (
    "</script><script>boom()</script>",
    "<img src=x onerror=boom()>",
    "{{ 7 * 7 }}",
    "a\nb\x1b[31m",
    "\u2028&lt;",
)


def gaussian(width: float) -> rivals.Candidate:
    return rivals.Candidate(
        loss=lambda y: np.log(width) + (y / width) ** 2 / 2,
        simulate=lambda n, rng: width * rng.standard_normal(n),
    )


def comparison(n_models: int, n: int = 500, **settings: object) -> rivals.Comparison:
    data = np.random.default_rng(0).standard_normal(n)
    models = {f"width {1 + 0.15 * i:g}": gaussian(1 + 0.15 * i) for i in range(n_models)}
    return rivals.compare(models, data, **({"rng": 0, "n_draws": 2000, "max_draws": 2000} | settings))
