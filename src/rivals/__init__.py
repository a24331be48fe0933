"""Which of several fitted models would still be worth keeping if the experiment were repeated?"""

from rivals._checks import RivalsWarning
from rivals._version import __version__
from rivals.comparison import Comparison, Rejection, Sweep, compare, load
from rivals.losses import Candidate, Losses
from rivals.process import HierarchicalBetaProcess
from rivals.quantiles import QuantileFunction

__all__ = [
    "Candidate",
    "Comparison",
    "HierarchicalBetaProcess",
    "Losses",
    "QuantileFunction",
    "Rejection",
    "RivalsWarning",
    "Sweep",
    "__version__",
    "compare",
    "load",
]
