"""Samples of losses of named kinds."""

from __future__ import annotations

import numpy as np

from rivals import Losses

KINDS = ("gaussian", "exponential", "cauchy", "student", "poisson")


def make_losses(kind: str, n: int = 2000, seed: int = 0) -> Losses:
    """Losses of a slightly wrong model: observed and synthetic differ in law."""
    rng = np.random.default_rng([seed, *kind.encode()])
    samples = {
        "gaussian": lambda width: rng.normal(0, width, n),
        "exponential": lambda width: rng.exponential(width, n),
        "cauchy": lambda width: np.log1p((width * rng.standard_cauchy(n)) ** 2),
        "student": lambda width: width * rng.standard_t(3, n),
        "poisson": lambda width: rng.poisson(2 * width, n).astype(float),
    }[kind]
    return Losses(samples(1.0), samples(1.2))


def unstable_losses() -> dict[str, Losses]:
    """Of A and B; half of the simulations of A are far from the data, so that at c = 0.2 and a
    threshold of 0.9 not all reject B.
    """
    rng = np.random.default_rng(1)
    near = rng.exponential(1.0, (6, 400))
    return {
        "A": Losses(rng.exponential(1.0, 400), np.concatenate([near[:3], 1.8 * near[3:]])),
        "B": Losses(rng.exponential(1.4, 400), rng.exponential(1.4, (6, 400))),
    }


def rows_of(table):
    """The rows of a table that is shown, as mappings from its heads to values."""
    heads = [f"{column.over} {column.head}".strip() for column in table.columns]
    values = zip(*(column.values for column in table.columns), strict=True)
    return [dict(zip(heads, row, strict=True)) for row in values]
