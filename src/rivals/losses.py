"""Losses of a model on held-out data and on its own simulations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_word
from rivals._say.labels import as_labels, read_groups
from rivals._say.rows import in_index_order, name_of, row_labels
from rivals._say.samples import as_numbers, check_digits, check_losses
from rivals._types import FloatArray, IntArray
from rivals.core.sampling_error import effective_size

Folds: TypeAlias = Literal["points", "groups", "series"]

FEW_VALUES = 20
SURE = 10.0

# The same loss, computed at different places of an array, may differ by a few units in the last
# place.
ROUNDING_UNITS = 16


@dataclass(frozen=True, eq=False)
class Losses:
    """The two samples of losses of one candidate model.

    Parameters
    ----------
    observed : array_like
        Loss of each held-out data point: lower is better. Usually the negative log likelihood.
    synthetic : array_like, optional
        The same loss of the same model on data that it simulated itself, with as many points as
        were observed. Several simulations are the rows of a matrix. With three groups or more, none
        are needed.
    groups : array_like, optional
        The replication that each observed point belongs to (school, session, laboratory); `compare`
        uses them.
    group_name : str, optional
        What one group is called, as "school"; by default the name of `groups`, if it is a Series.
    unit : str, optional
        Unit of the losses, such as "nats".
    may_repeat : bool
        True if synthetic losses are known to be of simulated data and may still equal observed
        ones, as the losses of labels and counts do. By default `compare` looks for losses that were
        copied by mistake.
    folds : {"points", "groups", "series"}, optional
        What the folds of a cross-validation were made of, if the losses come from one:
        `cross_validated` says so. Only models that have not seen a group can be judged by it.
    index : pandas Index, optional
        The labels of the points; by default those of `observed` or of `groups`, if one of them is a
        Series. Groups are put into the order of the losses by them, and `compare` puts the points
        of all models into one order.

    See Also
    --------
    Candidate : a model as two functions, from which losses are computed.
    compare : finds which models survive, from their losses.

    Examples
    --------
    >>> losses = Losses([0.3, 1.2, 0.7, 0.4], [0.5, 0.9, 0.2, 1.1])
    >>> round(losses.empirical_risk, 3)
    0.65
    """

    observed: FloatArray
    synthetic: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    groups: npt.NDArray[Any] | None = field(default=None, kw_only=True)
    group_name: str | None = field(default=None, kw_only=True)
    unit: str | None = field(default=None, kw_only=True)
    may_repeat: bool = field(default=False, kw_only=True)
    folds: Folds | None = field(default=None, kw_only=True)
    index: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.index is None:
            index = row_labels(self.observed)
            if index is None:
                index = row_labels(self.groups)
            object.__setattr__(self, "index", index)
        check_word(self.unit, "unit")
        # The one place where samples are checked and copied; object.__setattr__ because the class
        # is frozen.
        _check_not_swapped(self.observed, self.synthetic)
        object.__setattr__(self, "observed", check_losses(self.observed, "observed losses"))
        check_digits(self.observed, "observed losses")
        synthetic = self.synthetic
        none = isinstance(synthetic, np.ndarray) and synthetic.shape == (0, 0)
        if not none:
            synthetic = check_losses(synthetic, "synthetic losses", several=True, simulated=True)
        _check_not_transposed(self.observed.size, synthetic)
        object.__setattr__(self, "synthetic", synthetic)
        if self.groups is not None:
            groups = in_index_order(self.groups, self.index, "groups", "the losses")
            if self.group_name is None:
                object.__setattr__(self, "group_name", name_of(groups))
            labels = as_labels(groups, self.observed.size)
            read_groups(labels, self.observed.size)  # refuses labels that are missing
            object.__setattr__(self, "groups", labels)

    @classmethod
    def from_log_likelihood(
        cls, observed: npt.ArrayLike, synthetic: npt.ArrayLike | None = None
    ) -> Losses:
        """From log likelihoods, where higher is better: the losses are their negatives.

        Examples
        --------
        >>> Losses.from_log_likelihood([-1.0, -2.0], [-1.5, -0.5]).observed
        array([1., 2.])
        """
        index = row_labels(observed)
        losses = -as_numbers(observed, "observed log likelihoods")
        if synthetic is None:
            return cls(losses, index=index)
        simulated = -as_numbers(synthetic, "synthetic log likelihoods")
        return cls(losses, simulated, index=index)

    @property
    def n_observed(self) -> int:
        """Number of held-out data points."""
        return self.observed.size

    @property
    def n_synthetic(self) -> int:
        """Number of data points in each simulation."""
        return int(self.synthetic.shape[-1])

    @property
    def n_simulations(self) -> int:
        """Number of simulations."""
        return len(self.simulations)

    @property
    def simulations(self) -> FloatArray:
        """The synthetic losses as a matrix, one row per simulation."""
        return np.atleast_2d(self.synthetic)

    @property
    def empirical_risk(self) -> float:
        """Mean observed loss, computed about the median: a large offset then costs no digits."""
        return self.reference + float(np.mean(self.observed - self.reference))

    @cached_property
    def reference(self) -> float:
        """A typical observed loss, to subtract before anything is computed."""
        return float(np.median(self.observed))

    @cached_property
    def effective_size(self) -> float:
        """How many independent losses would tell as much about their mean as the observed ones."""
        return effective_size(self.observed)

    def repeats_itself(self) -> bool:
        """Whether a simulation has exactly the observed values, in any order.

        That is a mistake, unless they are few and repeat by chance.
        """
        if self.n_synthetic != self.n_observed:
            return False
        ends = (self.observed.min(), self.observed.max())
        for simulation in self.simulations:
            if (simulation.min(), simulation.max()) != ends:  # mostly, which saves the sorting
                continue
            if np.array_equal(np.sort(simulation), np.sort(self.observed)):
                return not few_values(self.observed)
        return False

    def without_simulations(self) -> Losses:
        """The observed losses alone."""
        return replace(self, synthetic=np.empty((0, 0)))

    def taken(self, rows: IntArray) -> Losses:
        """The same losses, with the points in this order."""
        synthetic = self.synthetic
        if self.n_synthetic == self.n_observed:
            synthetic = synthetic[..., rows]
        groups = None if self.groups is None else self.groups[rows]
        return replace(
            self,
            observed=self.observed[rows],
            synthetic=synthetic,
            groups=groups,
            index=None if self.index is None else self.index[rows],
        )

    def spread_ties(self) -> Losses:
        """The same losses, with each tie spread evenly.

        On both sides, half way to the nearest other value. A tie is a flat stretch of q*, on which
        the beta process has no spread: with 0/1 losses the risk of the worst model would be
        certain. Once ties are spread, the width of the process reflects how much simulations and
        data differ in how often each value occurs. The mean of every tie is kept, and losses
        without ties do not change. This is not random jitter, which would add its own noise to the
        mean and to the discrepancy.

        Observed and synthetic losses are spread in the same way, by the values that occur in any of
        them; values that differ only by rounding count as one. If all losses are equal there is no
        other value, and they do not change. Use the result for quantile functions only: which point
        of a tie gets which loss is arbitrary, and so are pointwise differences between models.

        Examples
        --------
        >>> Losses([0, 0, 0, 1], [0, 1, 1, 1]).spread_ties().observed.round(2)
        array([-0.33,  0.  ,  0.33,  1.  ])
        """
        values = np.sort(np.concatenate([self.observed, self.synthetic.ravel()]))
        rounding = ROUNDING_UNITS * np.spacing(np.max(np.abs(values)))
        levels = values[np.diff(values, prepend=-np.inf) > rounding]
        if levels.size == 1:
            return self
        gaps = np.diff(levels)
        widths = np.minimum(np.append(gaps[0], gaps), np.append(gaps, gaps[-1]))
        observed = _spread(self.observed, levels, widths)
        synthetic = self.synthetic
        if self.n_simulations:
            synthetic = np.apply_along_axis(_spread, -1, synthetic, levels, widths)
        return replace(self, observed=observed, synthetic=synthetic)

    def __repr__(self) -> str:
        if self.n_simulations == 0:
            simulated = "no"
        elif self.n_simulations == 1:
            simulated = str(self.n_synthetic)
        else:
            simulated = f"{self.n_simulations} × {self.n_synthetic}"
        return (
            f"Losses({self.n_observed} observed, {simulated} synthetic, "
            f"empirical risk {self.empirical_risk:.5g})"
        )


def _check_not_swapped(observed: Any, synthetic: Any) -> None:
    """Refuse a matrix before a vector: only simulations may be several."""
    if getattr(observed, "ndim", 1) == 2 and getattr(synthetic, "ndim", 2) == 1:
        raise ValueError(
            f"observed losses: got a matrix of shape {tuple(observed.shape)}, and a vector of "
            "synthetic losses; are they swapped? A pair is (observed, synthetic), "
            "and only synthetic losses may have several rows, one per simulation"
        )


def _check_not_transposed(n_observed: int, synthetic: FloatArray) -> None:
    """Refuse as many simulations as there are observed points, of fewer points each."""
    if synthetic.ndim == 2 and n_observed == synthetic.shape[0] > synthetic.shape[1]:
        raise ValueError(
            f"synthetic losses: shape {synthetic.shape} means {n_observed} simulations of "
            f"{synthetic.shape[1]} points, for {n_observed} observed points; "
            "is the matrix transposed? It has one row per simulation and one column per point: "
            "pass its .T. If there really are as many simulations as observed points, "
            "leave one out"
        )


def _spread(sample: FloatArray, levels: FloatArray, widths: FloatArray) -> FloatArray:
    """Spread the losses of each level evenly over its width.

    In a tie the earlier point gets the lower place.
    """
    level = np.searchsorted(levels, sample, side="right") - 1
    order = np.argsort(level, kind="stable")
    counts = np.bincount(level, minlength=levels.size)
    places = np.empty(sample.size)
    places[order] = np.arange(sample.size) - (np.cumsum(counts) - counts)[level[order]]
    return np.asarray(sample + widths[level] * ((places + 0.5) / counts[level] - 0.5))


def few_values(losses: FloatArray) -> bool:
    """Whether losses take few values, as of labels and counts.

    A simulation may then have each as often as the data.
    """
    return np.unique(losses).size <= min(FEW_VALUES, losses.size / 2)


def same_by_chance(losses: FloatArray) -> bool:
    """Whether losses may be those of a classifier so sure that it always simulates the same labels.

    exp(−sum) is how probably it does.
    """
    return bool(losses.min() >= 0.0 and losses.sum() < SURE)


def with_simulations(losses: Losses | tuple[Any, Any]) -> Losses:
    """Losses, also from a pair, that have simulations."""
    if not isinstance(losses, Losses):
        losses = Losses(*losses)
    if losses.n_simulations == 0:
        raise ValueError(
            "no synthetic losses, and the law measures how far simulations are from the data; "
            "pass (observed, synthetic), or, if they come from a comparison, compare with "
            "keep_simulations=True"
        )
    return losses
