"""Comparing models: which of them survive, and with what probability one beats another."""

from rivals.comparison.baseline import Baseline
from rivals.comparison.compare import N_SIMULATIONS, compare
from rivals.comparison.duels import Rejection, Undecided
from rivals.comparison.groups_table import GroupsTable
from rivals.comparison.planning import Plan
from rivals.comparison.result import Comparison, Sweep, load

__all__ = [
    "N_SIMULATIONS",
    "Baseline",
    "Comparison",
    "GroupsTable",
    "Plan",
    "Rejection",
    "Sweep",
    "Undecided",
    "compare",
    "load",
]
