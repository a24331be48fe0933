"""`compare`: which models survive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from rivals._checks import check_groups, check_size, models_in_turn, show, warn
from rivals._random import entropy_from
from rivals._types import RNG
from rivals.comparison.judge import check_enough, judge
from rivals.comparison.laws import Summary, summary_of
from rivals.comparison.result import Comparison
from rivals.comparison.settings import DEFAULT_LAW, MAX_DRAWS, N_DRAWS, N_SIMULATIONS, Law, Order, Settings, Ties
from rivals.losses import AnyModel, Losses, look_like_log_likelihoods, losses_by_name, losses_in_turn


def compare(
    models: Mapping[str, AnyModel] | Iterable[tuple[str, AnyModel]],
    data: Any = None,
    *,
    law: Law | None = None,
    c: Any = None,
    threshold: float = 0.95,
    n_simulations: int | None = None,
    order: Order | None = None,
    groups: npt.ArrayLike | None = None,
    ties: Ties | None = None,
    n_draws: int = N_DRAWS,
    max_draws: int = MAX_DRAWS,
    n_synthetic: int | None = None,
    depth: int | None = None,
    loss_unit: str | None = None,
    keep_simulations: bool = True,
    rng: RNG = None,
) -> Comparison:
    """Find out which models would still be worth keeping if the experiment were repeated.

    Parameters
    ----------
    models : mapping or iterable of pairs
        Name → a `Candidate` (with `data`), `Losses`, or a pair (observed, synthetic) of arrays. `synthetic` may hold
        several simulations as rows. Under law "groups", observed losses alone are enough.
    data : optional
        Held-out data for the candidates, in whatever form they understand.
    law : {"transport", "beta", "groups"}, optional
        The law of the risk. "transport": mean loss + √c · distance between observed and simulated losses · z + sampling
        error, the default. "beta": the hierarchical beta process of the original paper. "groups": the spread between
        groups of points that are replications. A calibration has its own law.
    c : float or Calibration, optional
        Sensitivity of the risk to the discrepancy between model and data. No value suits every problem: `calibrate`
        finds one, and a curve that corrects the probabilities. Law "groups" has none.
    threshold : float
        A model is rejected when a rival of lower empirical risk has a lower risk with more than this probability.
    n_simulations : int, optional
        Simulations of each candidate; 16 by default, or as many as the calibration used. The result says in what fraction
        of the single simulations the verdict would have been the same.
    order : {"time"}, optional
        Use "time" if the points form a time series: sampling errors then allow for autocorrelation.
    groups : array_like, optional
        The group label of each point. Under law "groups", groups are replications; under other laws they are clusters,
        for clustered sampling errors.
    ties : {"spread"}, optional
        Under law "beta", tied losses, such as counts and 0/1 losses, have no spread. "spread" first spreads the losses of
        each tie evenly (`Losses.spread_ties`). Law "transport" needs no remedy for ties.
    n_draws : int
        Draws of the risk of each model. Under law "beta" more are drawn, up to `max_draws`, if a probability lies within
        two standard errors of the threshold. Pairs that remain too close to call are listed in the result.
    max_draws : int
    n_synthetic : int, optional
        Points in each simulation; as many as `data` has, by default.
    depth : int, optional
        Refinements of the process of law "beta"; by default as deep as the data resolve.
    loss_unit : str, optional
        Unit of the losses, such as "nats"; must agree with that of a calibration.
    keep_simulations : bool
        False discards the simulated losses of each model before the next one is read: for thousands of models that a
        generator of (name, model) pairs loads or simulates one by one. The verdict is the same, to rounding. The result
        then holds only the observed losses: it has no `sweep` over c, and says nothing about other laws.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Fresh entropy is drawn if None; the result remembers it.

    Returns
    -------
    Comparison

    See Also
    --------
    rivals.calibrate : finds c, and the curve that corrects probabilities.
    Comparison.sweep : the same comparison at several values of c.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> result = rivals.compare(
    ...     {"right": toys.gaussian(), "too wide": toys.gaussian(width=3.0)}, y, rng=1
    ... )
    >>> result.survivors, result.stability["too wide"]
    (('right',), 1.0)
    """
    calibration = c if hasattr(c, "choose_c") else None
    if n_simulations is None:
        n_simulations = N_SIMULATIONS if calibration is None else calibration.n_simulations
    settings = Settings.checked(
        law=law or (DEFAULT_LAW if calibration is None else calibration.law),
        c=c if calibration is None else calibration.choose_c(valid_only=False),
        threshold=threshold,
        order=order,
        depth=depth,
        ties=ties,
        n_draws=n_draws,
        max_draws=max_draws,
        entropy=entropy_from(rng),
    )
    settings, losses, summaries = _losses(
        models,
        data,
        settings,
        groups,
        calibration,
        keep_simulations=keep_simulations,
        fit={"law": settings.law, "order": order, "loss_unit": loss_unit},
        n_synthetic=n_synthetic,
        n_simulations=check_size(n_simulations, "n_simulations"),
        entropy=settings.entropy,
    )
    if look_like_log_likelihoods(losses.values()):
        warn(
            "the losses of all models have a long tail of low values, as log likelihoods do, but for losses lower must be better; for "
            "log likelihoods use Losses.from_log_likelihood, or --log-likelihood on the command line"
        )
    correct = None if calibration is None else lambda matrix: calibration.correct(matrix, settings.c)
    return Comparison(losses, settings, judge(list(losses.values()), settings, correct, summaries))


def _losses(
    models: Any,
    data: Any,
    settings: Settings,
    groups: npt.ArrayLike | None,
    calibration: Any,
    *,
    keep_simulations: bool,
    fit: dict[str, Any],
    **simulation: Any,
) -> tuple[Settings, dict[str, Losses], list[Summary] | None]:
    """The losses by name, checked, with warnings about doubts; and summaries in place of simulations that are not kept."""
    pairs: Iterable[tuple[str, Losses]]
    if keep_simulations:
        pairs = losses_by_name(models, data, **simulation).items()
    else:
        pairs = losses_in_turn(models_in_turn(models), data, **simulation)
    losses: dict[str, Losses] = {}
    summaries: list[Summary] = []
    for name, sample in pairs:
        if not losses:
            settings = replace(settings, n_simulations=sample.n_simulations)
            if groups is not None:
                settings = replace(settings, groups=_codes(groups, sample.n_observed, settings.law))
        check_enough({name: sample}, settings)
        for doubt in sample.doubts(settings.law, settings.ties):
            warn(f"model '{show(name)}': {doubt}")
        if calibration is not None:
            calibration.check_fit({name: sample}, **fit)
        losses[name] = sample if keep_simulations else sample.without_simulations()
        if not keep_simulations:
            summaries.append(summary_of(sample, settings))
    return settings, losses, None if keep_simulations else summaries


def _codes(groups: npt.ArrayLike, n_points: int, law: str) -> Any:
    if law == "groups":
        instead = "with two, compare them yourself; with one, use law='transport' and simulations of the models"
        return check_groups(groups, n_points, least=3, instead=instead)
    return check_groups(groups, n_points, least=2, instead="leave groups out")
