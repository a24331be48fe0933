"""Duels between two models, by name: one that rejects a model, and one too close to call."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rejection:
    """Why a model is rejected: by a rival, whose risk is lower with this probability.

    Attributes
    ----------
    by : str
        The rival of lower risk.
    probability : float
        Probability that its risk is lower: calibrated, where there is a calibration.
    standard_error : float
        Monte Carlo standard error of this probability; 0 where it has a closed form.

    See Also
    --------
    Comparison.rejections : all rejections of a comparison.
    Undecided : a duel too close to call.

    Examples
    --------
    >>> Rejection(by="A", probability=0.98, standard_error=0.001).by
    'A'
    """

    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True)
class Undecided:
    """A duel that random numbers decide: the model may be rejected, or not.

    Attributes
    ----------
    model : str
        The model that may be rejected.
    by : str
        Its rival.
    probability : float
        Probability that the risk of the rival is lower.
    standard_error : float
        Monte Carlo standard error of this probability.
    reason : {"draws", "simulations"}
        "draws": the probability is within two standard errors of the threshold at the largest
        number of draws.
        "simulations": fewer than nine in ten of the single simulations reject the model, which
        therefore survives.

    See Also
    --------
    Comparison.undecided : all such duels of a comparison.
    Rejection : a duel that is decided.

    Examples
    --------
    >>> Undecided(model="B", by="A", probability=0.951, standard_error=0.001).reason
    'draws'
    """

    model: str
    by: str
    probability: float
    standard_error: float
    reason: str = "draws"
