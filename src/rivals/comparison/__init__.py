"""Comparing models: which of them survive."""

from rivals.comparison.compare import MAX_DRAWS, N_DRAWS, Comparison, Rejection, Undecided, compare, load
from rivals.comparison.sweep import Sweep

__all__ = ["MAX_DRAWS", "N_DRAWS", "Comparison", "Rejection", "Sweep", "Undecided", "compare", "load"]
