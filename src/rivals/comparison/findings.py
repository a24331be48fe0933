"""What a comparison found: probabilities, rejections and survivors, at one c or at several. How it is shown: `shown.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from rivals._say.arguments import check_choice
from rivals._types import FloatArray, IntArray
from rivals.comparison.expectation import expected
from rivals.comparison.judge import Verdict
from rivals.comparison.notes import Note, notes
from rivals.comparison.rendering import PairTable
from rivals.laws.base import Applied
from rivals.losses import Losses


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What a comparison answers: everything about its models that does not depend on how it is shown."""

    names: tuple[str, ...]
    applied: Applied
    _verdict: Verdict

    # ---------------------------------------------------------------- settings

    @cached_property
    def losses(self) -> Mapping[str, Losses]:
        """Name → `Losses`, in the order given."""
        return self._by_name(self.applied.losses)

    @property
    def law(self) -> str:
        """The name of the law of the risk; `applied.law` has its options."""
        return self.applied.law.name

    @property
    def c(self) -> float:
        """Sensitivity to the discrepancy between model and data; nan where there is none, as for groups without simulations."""
        return self.applied.setting.c

    @property
    def threshold(self) -> float:
        """Probability above which a better rival rejects a model."""
        return self.applied.setting.threshold

    @property
    def entropy(self) -> int:
        """The seed: the integer that repeats the run, as `rng`."""
        return self.applied.setting.entropy

    # ---------------------------------------------------------------- what it says about each model

    @cached_property
    def empirical_risk(self) -> Mapping[str, float]:
        """Name → mean observed loss."""
        return self._by_name([sample.empirical_risk for sample in self.applied.losses])

    @cached_property
    def risks(self) -> Mapping[str, FloatArray]:
        """Name → draws of the risk."""
        return self._by_name(
            [_read_only(self.applied.reference + excess) for excess in self.applied.draws]
        )

    @cached_property
    def risk_mean(self) -> Mapping[str, float]:
        """Name → mean of the risk, exact."""
        return self._by_name(self.applied.risk_mean.tolist())

    @cached_property
    def risk_std(self) -> Mapping[str, float]:
        """Name → standard deviation of the risk, exact; infinite where it has none."""
        return self._by_name(self.applied.risk_std.tolist())

    @cached_property
    def stability(self) -> Mapping[str, float]:
        """Name → fraction of the single simulations that give the same verdict on it; nan with one simulation."""
        return self._by_name(self._verdict.stability.tolist())

    @cached_property
    def difference(self) -> Mapping[str, tuple[float, float]]:
        """Name → difference between its mean loss and that of the best model, with the standard error of the paired difference."""
        excess = self.applied.empirical
        errors = self.applied.difference_errors.tolist()
        return self._by_name(list(zip((excess - excess.min()).tolist(), errors, strict=True)))

    @cached_property
    def diagnostics(self) -> Mapping[str, tuple[Note, ...]]:
        """Name → what to know before you trust the numbers of this model: pairs (code, text), none for a healthy one.

        What looks like a mistake: "sign" (losses that fall where those of others rise), "log_likelihoods" (all models have a long
        tail of low losses), "unit" (bits beside nats, or another kind of loss), "constant" (missing in a density),
        "other_points" (rows in another order, or of other points), "data" (in place of losses: all models have the same),
        "swapped" (observed and synthetic), "shared_simulations" (of one model, used for all), "synthetic_sign", "copied"
        (synthetic losses that are observed ones).
        What makes numbers less reliable: "heavy_tail" (a few large losses dominate the mean: the variance of the mean may be
        infinite), "very_heavy_tail" (it probably is: do not trust the mean), "few_points", "very_few_points",
        "autocorrelated" (under `order="time"`: the losses are worth less than half as many independent ones), and under law
        "beta" "ties" and "unequal_sizes" (of simulations and data). The texts count points from 0.
        """
        return MappingProxyType(notes(self.losses, self.applied.law, self.applied.setting))

    def risk_interval(self, name: str, level: float = 0.9) -> tuple[float, float]:
        """The central interval that contains the risk of a model with probability `level`."""
        if level not in self._intervals:
            self._intervals[level] = self.applied.interval(level)
        low, high = self._intervals[level]
        place = self._place[
            name if name in self._place else check_choice(name, "model", self.names)
        ]
        return float(self.applied.reference + low[place]), float(
            self.applied.reference + high[place]
        )

    @cached_property
    def _intervals(self) -> dict[float, tuple[FloatArray, FloatArray]]:
        return {}

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _by_name(self, values: Sequence[Any]) -> Mapping[str, Any]:
        return MappingProxyType(dict(zip(self.names, values, strict=True)))

    # ---------------------------------------------------------------- the verdict

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """All names, from the lowest empirical risk to the highest."""
        return tuple(
            self.names[index] for index in np.argsort(self.applied.empirical, kind="stable")
        )

    @cached_property
    def survivors(self) -> tuple[str, ...]:
        """The names that are not rejected, best first."""
        return tuple(name for name in self.ranking if name not in self.rejections)

    @cached_property
    def rejections(self) -> Mapping[str, Rejection]:
        """Name → by whom a model is rejected, and with what probability."""
        return MappingProxyType(
            {
                self.names[duel.model]: Rejection(
                    self.names[duel.rival], duel.probability, duel.standard_error
                )
                for duel in self._verdict.rejections.values()
            }
        )

    @cached_property
    def undecided(self) -> tuple[Undecided, ...]:
        """The duels that are too close to call: with other random numbers the verdict may be another."""
        kinds = {"draws": self._verdict.undecided, "simulations": self._verdict.unstable}
        return tuple(
            Undecided(
                self.names[duel.model],
                self.names[duel.rival],
                duel.probability,
                duel.standard_error,
                reason,
            )
            for reason, duels in kinds.items()
            for duel in duels
        )

    @property
    def probability(self) -> FloatArray:
        """[a, b] = P(R_a < R_b) for every pair, in the order of `names`; ½ on the diagonal. Not calibrated."""
        return self._matrices[0]

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of `probability`; zero where that has a closed form."""
        return self._matrices[1]

    @cached_property
    def _matrices(self) -> tuple[FloatArray, FloatArray]:
        probability, error = self.applied.matrix()
        return _read_only(probability), _read_only(error)

    @property
    def calibrated(self) -> FloatArray | None:
        """`probability` as a calibration reads it, which then decides; None without a calibration."""
        return self._verdict.calibrated

    @property
    def won(self) -> IntArray | None:
        """[a, b]: in how many groups a has the lower mean loss of the two; None without groups."""
        return self.applied.won

    @property
    def expected_error(self) -> float | None:
        """How often winners stated like this lost in fresh groups of real data, a fraction; None where that was not measured.

        Measured at the default c and threshold, from one data set and from 2 to 8 groups: `docs/does-it-work.md`.
        """
        found, groups = (
            expected(self.applied, calibrated=self.calibrated is not None),
            self.applied.setting.groups,
        )
        n_groups = 1 if groups is None else len(groups.names)
        return found.error / 100.0 if found is not None and found.groups == n_groups else None

    @property
    def pairs(self) -> PairTable:
        """The probability that decides (calibrated, if there is a calibration), with names on both axes, best first."""
        order = [self._place[name] for name in self.ranking]
        decides = self.probability if self.calibrated is None else self.calibrated
        return PairTable(self.ranking, decides[np.ix_(order, order)])

    def __getstate__(self) -> dict[str, Any]:
        # Read-only views of dictionaries cannot be pickled; a result must travel between processes.
        return {"names": self.names, "applied": self.applied, "_verdict": self._verdict}


@dataclass(frozen=True, eq=False, repr=False)
class FindingsOverC:
    """What comparisons of the same models at several values of c answer together."""

    comparisons: tuple[Findings, ...]
    of_calibrated: bool = False

    @property
    def c(self) -> tuple[float, ...]:
        """The values of c, in the order given."""
        return tuple(run.c for run in self.comparisons)

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.comparisons[0].names

    @cached_property
    def probability(self) -> FloatArray:
        """(k, n, n): P(R_a < R_b) at each c."""
        return np.stack([run.probability for run in self.comparisons])

    @cached_property
    def standard_error(self) -> FloatArray:
        """(k, n, n): Monte Carlo standard error of `probability`."""
        return np.stack([run.standard_error for run in self.comparisons])

    @cached_property
    def survivors(self) -> tuple[tuple[str, ...], ...]:
        """The survivors at each c."""
        return tuple(run.survivors for run in self.comparisons)

    @cached_property
    def changes(self) -> tuple[tuple[float, float], ...]:
        """The neighbouring values of c, in increasing order, between which the set of survivors changes."""
        order = np.argsort(self.c, kind="stable").tolist()
        sets = [set(self.survivors[place]) for place in order]
        return tuple(
            (self.c[low], self.c[high])
            for (low, high), (here, there) in zip(pairwise(order), pairwise(sets), strict=True)
            if here != there
        )


@dataclass(frozen=True)
class Rejection:
    """Why a model is rejected: by a rival, whose risk is lower with this probability.

    Attributes
    ----------
    by : str
        The rival of lower risk.
    probability : float
        Probability that its risk is lower: calibrated, where there is a calibration.
    standard_error : float
        Monte Carlo standard error of this probability; 0 where it has a closed form.

    See Also
    --------
    Comparison.rejections : all rejections of a comparison.
    Undecided : a duel too close to call.

    Examples
    --------
    >>> Rejection(by="A", probability=0.98, standard_error=0.001).by
    'A'
    """

    by: str
    probability: float
    standard_error: float


@dataclass(frozen=True)
class Undecided:
    """A duel that random numbers decide: the model may be rejected, or not.

    Attributes
    ----------
    model : str
        The model that may be rejected.
    by : str
        Its rival.
    probability : float
        Probability that the risk of the rival is lower.
    standard_error : float
        Monte Carlo standard error of this probability.
    reason : {"draws", "simulations"}
        "draws": the probability is within two standard errors of the threshold at the largest number of draws.
        "simulations": fewer than nine in ten of the single simulations reject the model, which therefore survives.

    See Also
    --------
    Comparison.undecided : all such duels of a comparison.
    Rejection : a duel that is decided.

    Examples
    --------
    >>> Undecided(model="B", by="A", probability=0.951, standard_error=0.001).reason
    'draws'
    """

    model: str
    by: str
    probability: float
    standard_error: float
    reason: str = "draws"


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
