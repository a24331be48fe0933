"""The criteria that the paper compares with: likelihood, AIC, BIC, DIC, WAIC, LOO, evidence, MDL,
B^R (the risk) and B^Q (of losses alone). Those that need no integral are of `rivals.criteria`.
"""

from rivals.criteria import (
    Score,
    aic,
    bic,
    dic,
    difference,
    log_likelihood,
    loo,
    loss_only,
    risk,
    waic,
)
from rivals_paper.criteria.evidence import Evidence, bayes_factor, log_evidence
from rivals_paper.criteria.mdl import complexity_fisher, complexity_monte_carlo, mdl

__all__ = [
    "Evidence",
    "Score",
    "aic",
    "bayes_factor",
    "bic",
    "complexity_fisher",
    "complexity_monte_carlo",
    "dic",
    "difference",
    "log_evidence",
    "log_likelihood",
    "loo",
    "loss_only",
    "mdl",
    "risk",
    "waic",
]
