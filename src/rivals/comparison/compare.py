"""`compare`: which models survive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rivals._checks import show, warn
from rivals._random import entropy_from
from rivals._types import RNG
from rivals.comparison.laws import MAX_DRAWS, N_DRAWS, Settings, judge
from rivals.comparison.result import Comparison
from rivals.losses import AnyModel, losses_by_name


def compare(
    models: Mapping[str, AnyModel] | Iterable[tuple[str, AnyModel]],
    data: Any = None,
    *,
    c: Any = 1.0,
    threshold: float = 0.95,
    n_draws: int = N_DRAWS,
    max_draws: int = MAX_DRAWS,
    n_synthetic: int | None = None,
    depth: int | None = None,
    loss_unit: str | None = None,
    rng: RNG = None,
) -> Comparison:
    """Find out which models would still be worth keeping if the experiment were repeated.

    Parameters
    ----------
    models : mapping
        Name → `Losses`, or a pair (observed, synthetic) of arrays, or a `Candidate` (with `data`).
    data : optional
        Held-out data for the candidates, in whatever form they understand.
    c : float, or a Calibration
        Sensitivity to the discrepancy between model and data; 1 is the conservative first choice, `calibrate` finds
        a better one. A calibration stands for the c that it chooses, and warns if it was made for other sizes or
        another unit.
    threshold : float
        A model is rejected when a rival of lower empirical risk has a lower risk with more than this probability.
    n_draws : int
        Draws of the risk of each model. Models whose fate hangs on a probability within two standard errors of the
        threshold get more, up to `max_draws`; what is undecided even then is said in the result.
    max_draws : int
    n_synthetic : int, optional
        Points that candidates simulate; as many as `data` has, by default.
    depth : int, optional
        Refinements of the process; by default as deep as the data resolve.
    loss_unit : str, optional
        What the losses are measured in, such as "nats"; compared with that of a calibration.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Fresh entropy is drawn if None; the result remembers it.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> result = rivals.compare({"right": toys.gaussian(), "too wide": toys.gaussian(width=3.0)}, y, rng=1)
    >>> result.survivors
    ('right',)
    """
    calibration = c if hasattr(c, "choose_c") else None
    settings = Settings(
        c=c if calibration is None else calibration.choose_c(),
        threshold=threshold,
        n_draws=n_draws,
        max_draws=max_draws,
        depth=depth,
        entropy=entropy_from(rng),
    )
    losses = losses_by_name(models, data, n_synthetic=n_synthetic, n_simulations=1, entropy=settings.entropy)
    for name, sample in losses.items():
        for doubt in sample.doubts():
            warn(f"model '{show(name)}': {doubt}")
    if calibration is not None:
        for doubt in calibration.doubts(losses, loss_unit):
            warn(doubt)
    return Comparison(losses, settings, judge(list(losses.values()), settings))
