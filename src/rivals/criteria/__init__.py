"""Other criteria for comparing models, one file each, and a table of all of them."""

from rivals.criteria.aic import aic
from rivals.criteria.bic import bic
from rivals.criteria.confidence_set import ConfidenceSet, confidence_set
from rivals.criteria.dic import dic
from rivals.criteria.evidence import Evidence, bayes_factor, log_evidence
from rivals.criteria.likelihood_ratio import log_likelihood
from rivals.criteria.loo import loo
from rivals.criteria.loss_only import loss_only
from rivals.criteria.mdl import complexity_fisher, complexity_monte_carlo, mdl
from rivals.criteria.risk import risk
from rivals.criteria.score import Score, Variations, difference
from rivals.criteria.side_by_side import CriteriaTable, Fitted, table
from rivals.criteria.waic import waic

__all__ = [
    "ConfidenceSet",
    "CriteriaTable",
    "Evidence",
    "Fitted",
    "Score",
    "Variations",
    "aic",
    "bayes_factor",
    "bic",
    "complexity_fisher",
    "complexity_monte_carlo",
    "confidence_set",
    "dic",
    "difference",
    "log_evidence",
    "log_likelihood",
    "loo",
    "loss_only",
    "mdl",
    "risk",
    "table",
    "waic",
]
