"""Criteria of other kinds, beside P: B^R and B^Q of held-out losses, AIC, BIC, DIC, WAIC, LOO."""

from __future__ import annotations

from rivals.criteria._information import aic, bic, dic, log_likelihood, loo, waic
from rivals.criteria._of_losses import Probability, loss_only, risk
from rivals.criteria._score import Score, difference, one_per_point

__all__ = [
    "Probability",
    "Score",
    "aic",
    "bic",
    "dic",
    "difference",
    "log_likelihood",
    "loo",
    "loss_only",
    "one_per_point",
    "risk",
    "waic",
]
