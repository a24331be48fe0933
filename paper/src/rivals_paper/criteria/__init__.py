"""The criteria that the paper compares with: likelihood, AIC, BIC, DIC, WAIC, LOO, evidence, MDL,
B^R (the risk) and B^Q (loss by loss).
"""

from rivals_paper.criteria.evidence import Evidence, bayes_factor, log_evidence
from rivals_paper.criteria.information import aic, bic, dic, log_likelihood, loo, waic
from rivals_paper.criteria.mdl import complexity_fisher, complexity_monte_carlo, mdl
from rivals_paper.criteria.of_losses import loss_only, risk
from rivals_paper.criteria.score import Score, difference

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
