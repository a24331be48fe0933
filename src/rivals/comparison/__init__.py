"""Comparing models: which of them survive, and with what probability one beats another."""

from rivals.comparison.compare import compare
from rivals.comparison.laws import MAX_DRAWS, N_DRAWS
from rivals.comparison.result import Comparison, Rejection, Sweep, Undecided, load

__all__ = ["MAX_DRAWS", "N_DRAWS", "Comparison", "Rejection", "Sweep", "Undecided", "compare", "load"]
