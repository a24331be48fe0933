"""The mathematics: from samples of losses to the law of the risk, and to the probability that one model beats another.

Pure: arrays in, arrays out. Imports NumPy, `scipy.special` and the files beside this folder, nothing else.
"""

from rivals.core import tree
from rivals.core.beta import beta_parameters
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.core.verdict import decide, probability_below, probability_matrix, reject

__all__ = [
    "HierarchicalBetaProcess",
    "QuantileFunction",
    "beta_parameters",
    "decide",
    "extremes",
    "probability_below",
    "probability_matrix",
    "reject",
    "tail_shape",
    "tail_word",
    "tree",
]
