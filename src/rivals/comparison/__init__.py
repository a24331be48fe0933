"""Comparing models: which of them survive, and with what probability one beats another."""

from rivals.comparison.compare import compare
from rivals.comparison.result import Comparison, Rejection, Sweep, Undecided, load
from rivals.comparison.settings import LAWS, MAX_DRAWS, N_DRAWS, N_SIMULATIONS

__all__ = [
    "LAWS",
    "MAX_DRAWS",
    "N_DRAWS",
    "N_SIMULATIONS",
    "Comparison",
    "Rejection",
    "Sweep",
    "Undecided",
    "compare",
    "load",
]
