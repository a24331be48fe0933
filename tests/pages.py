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


def comparison(
    n_models: int, n: int = 500, *, law: str = "transport", n_draws: int = 2000, **settings: object
) -> rivals.Comparison:
    data = np.random.default_rng(0).standard_normal(n)
    models = {f"width {1 + 0.15 * i:g}": gaussian(1 + 0.15 * i) for i in range(n_models)}
    chosen = rivals.laws.Beta(n_draws=n_draws, max_draws=n_draws) if law == "beta" else law
    return rivals.compare(models, data, law=chosen, **({"rng": 0} | settings))
