"""Random problems of comparison, for many tests: losses of models × points, and groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import rivals


@dataclass
class Problem:
    """Losses of models × points, the group of each point, simulations of each model or none."""

    observed: np.ndarray
    groups: np.ndarray
    simulated: np.ndarray | None = None
    left_out: bool | None = None

    @property
    def losses(self) -> dict[str, rivals.Losses]:
        n_models = len(self.observed)
        simulated = [None] * n_models if self.simulated is None else self.simulated
        return {
            f"m{place}": rivals.Losses(each, drawn, groups=self.groups, left_out=self.left_out)
            for place, (each, drawn) in enumerate(zip(self.observed, simulated, strict=True))
        }

    @property
    def without_groups(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        assert self.simulated is not None
        pairs = zip(self.observed, self.simulated, strict=True)
        return {f"m{place}": pair for place, pair in enumerate(pairs)}

    def compare(self, **options) -> rivals.Comparison:
        return rivals.compare(self.losses, **options)


def problem(
    seed: int,
    *,
    n_models: int | None = None,
    sizes=None,
    n_simulations: int | None = None,
    noise: float = 1.0,
    left_out: bool | None = None,
) -> Problem:
    """Models that share what is hard about a point, and differ by groups of any size."""
    rng = np.random.default_rng(seed)
    n_models = int(rng.integers(2, 5)) if n_models is None else n_models
    if sizes is None:
        sizes = np.maximum(rng.lognormal(2.5, 0.9, rng.integers(3, 12)).astype(int), 2)
    if n_simulations is None:
        n_simulations = int(rng.choice([0, 1, 3]))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    hard = rng.exponential(size=groups.size)
    effects = 0.2 * noise * rng.standard_normal((n_models, len(sizes)))
    gaps = 0.1 * rng.standard_normal(n_models)
    within = 0.3 * noise * rng.standard_normal((n_models, groups.size))
    observed = hard + gaps[:, None] + effects[:, groups] + within
    simulated = None
    if n_simulations:
        simulated = rng.exponential(1.1, (n_models, n_simulations, groups.size))
    return Problem(observed, groups, simulated, left_out)


def beside_a_baseline() -> rivals.GroupSummaries:
    """Estimated differences from a baseline, the worst model, without their covariance: other pairs
    cannot be judged.
    """
    import polars

    rng = np.random.default_rng(0)
    rows = [
        (f"site {site}", name, -gap + 0.05 * rng.standard_normal(), 0.03)
        for site in range(8)
        for name, gap in (("b", 0.1), ("c", 0.2), ("d", 0.3))
    ]
    return rivals.read.summaries(
        polars.DataFrame(rows, schema=["site", "model", "estimate", "error"], orient="row"),
        groups="site",
        difference="model",
        baseline="base",
        estimate="estimate",
        error="error",
        left_out=False,
    )
