"""What a law is applied with, beside the losses."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
from typing import Literal

import numpy as np

from rivals._random import COMPARISON_DRAWS
from rivals._types import IntArray

Order = Literal["time"]
ORDERS: tuple[Order, ...] = ("time",)


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which group each point belongs to, and what the groups are called.

    Parameters
    ----------
    codes : array of int
        The group of each point, from 0.
    names : tuple of str
        Of the groups.
    kind : str
        What one of them is called, as the column that they come from.
    """

    codes: IntArray
    names: tuple[str, ...]
    kind: str = "group"

    @property
    def sizes(self) -> IntArray:
        """Points in each group."""
        return np.bincount(self.codes, minlength=len(self.names))

    def members(self) -> list[IntArray]:
        """The points of each group."""
        order = np.argsort(self.codes, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])


@dataclass(frozen=True)
class Setting:
    """What a law is applied with, beside the losses; with them, enough to repeat a run.

    Parameters
    ----------
    c : float
        Sensitivity of the risk to the discrepancy between model and data; nan under a law that has
        none.
    threshold : float
        Probability above which a better rival rejects a model.
    margin : float
        The smallest difference that matters, in the unit of the loss: a rival rejects a model when
        it is better by more than this.
    new_groups : float or None
        The verdict is about the mean risk over so many new groups; None: as many as at hand.
    order : {"time"} or None
        Whether the points are a series.
    groups, clusters : Grouping or None
        Replications; and points that belong together without being replications.
    entropy : int
        The integer that repeats the run, as `rng`.
    n_simulations : int
        Of each model.
    loss_unit : str or None
        Unit of the losses, as "nats": for sentences.
    key : int
        The purpose of the random numbers, one of `rivals._random`.
    more_draws : bool
        Whether a law that draws may draw more where a probability is close to the threshold.
    """

    c: float = nan
    threshold: float = 0.95
    margin: float = 0.0
    new_groups: float | None = None
    order: Order | None = None
    groups: Grouping | None = field(default=None, repr=False)
    clusters: Grouping | None = field(default=None, repr=False)
    entropy: int = 0
    n_simulations: int = 0
    loss_unit: str | None = None
    key: int = COMPARISON_DRAWS
    more_draws: bool = True

    @property
    def labels(self) -> dict[str, Grouping]:
        """Groups and clusters, as far as there are any."""
        given = {"groups": self.groups, "clusters": self.clusters}
        return {kind: grouping for kind, grouping in given.items() if grouping is not None}

    @property
    def in_experiment(self) -> bool:
        """Whether this is one experiment among thousands, of which only probabilities are asked."""
        return self.key != COMPARISON_DRAWS

    @property
    def horizon(self) -> float:
        """The number of new groups that the verdict is about; 1 where there are no groups."""
        if self.groups is None:
            return 1.0
        return float(len(self.groups.names)) if self.new_groups is None else self.new_groups
