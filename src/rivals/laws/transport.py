"""Method "transport", for one data set: what a model gets wrong may come out differently in a
replication, by as much as it is wrong.

Assumption. Every observed loss moves by a common random multiple of its optimal-transport
displacement to the losses of each simulation. The risk of a replication is then normal about the
mean loss m, with variance c W², W² the mean over simulations of the squared 1-Wasserstein distance.

Formula, with se the standard error of the paired difference:

    P(R_a < R_b − Δ) = Φ( (m_b − m_a − Δ) / √(c (W_a² + W_b²) + se²) )

Of one data set nobody knows c. Beside P at a c stands P averaged over what c has been on real data,

    P(R_a < R_b − Δ) = E_c Φ( (m_b − m_a − Δ) / √(c (W_a² + W_b²) + se²) ),  ln c ~ N(ln c₀, s²).

c₀ and s were fitted to real data sets with groups, of which one at a time was taken as the data at
hand (`benchmarks/real/one_data_set.py`); they stand in `track_record.json`. The risk of one model
by itself has a c₀ and s of its own: risks of several models move together, so that a pair moves by
less than independent draws would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log
from typing import Any, ClassVar

import numpy as np

from rivals._core.arrays import finite
from rivals._core.checks import check_size
from rivals._core.evidence import Note
from rivals._core.law import OF_MISFITS, Law
from rivals._core.losses import Provenance, Study
from rivals._core.setting import CalibratedC, HowMany, Setting, number
from rivals._core.summaries import check_squares
from rivals._core.texts import Refusal, either, opt
from rivals._core.types import FloatArray, IntArray
from rivals._result.track_record import one_data_set
from rivals.laws.rows import wins_in_new_rows
from rivals.method.distance import wasserstein_distances
from rivals.method.error import MeanErrors, PairSums, mean_errors
from rivals.method.probability import probability_lower

# With fewer losses than this, their tails are not known.
FEW_LOSSES = 300
# A law hardly ever lies farther out than so many of its standard deviations.
FAR = 10.0
# Points of the grid of ln c, evenly spaced over so many standard deviations to either side.
POINTS = 97
REACH = 4.0


@dataclass(frozen=True, eq=False)
class TransportSummary:
    """Mean losses less that of the first model, their errors, and W² of each simulation."""

    models: tuple[str, ...]
    n_points: int
    reference: float
    means: FloatArray
    errors: MeanErrors
    misfits: FloatArray  # simulations × models
    source: Provenance

    @property
    def n_simulations(self) -> int:
        """Of each model."""
        return len(self.misfits)

    @property
    def n_groups(self) -> int:
        """None."""
        return 0


# For a paper.
METHOD = (
    "Models were compared by the transport method of the rivals package: the risk of a model "
    "is normal about its mean held-out loss, with the variance c W² + sampling error, W the "
    "1-Wasserstein distance between its losses on the data and on its own simulations."
)


@dataclass(frozen=True)
class Transport(Law[TransportSummary]):
    """The default for one data set, in closed form.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> rivals.compare(toys.losses(), method=rivals.laws.Transport(), rng=0).survivors
    ('A',)
    """

    name: ClassVar[str] = "transport"
    default_c: ClassVar[float] = 0.25
    credit: ClassVar[str] = OF_MISFITS

    def summarise(self, study: Study) -> TransportSummary:
        need_simulations(study, self.name)
        reference = study.reference
        clusters = None if study.clusters is None else study.clusters.codes
        misfits = [
            wasserstein_distances(observed, simulated) ** 2
            for observed, simulated in zip(study.observed, study.simulated, strict=True)
        ]
        # Relative to the first model: a part that all models share costs no digits.
        first = float(np.mean(study.observed[0] - reference))
        return TransportSummary(
            study.names,
            study.n_points,
            reference + first,
            np.array([np.mean(observed - study.observed[0]) for observed in study.observed]),
            mean_errors(study.observed, order=study.order, clusters=clusters),
            np.stack(misfits, axis=1),
            study.source,
        )

    def risk(self, summary: TransportSummary) -> FloatArray:
        return summary.reference + summary.means

    def methods(self, summary: TransportSummary) -> str:
        return METHOD

    def width(self, summary: TransportSummary) -> int:
        return len(summary.misfits) + 1

    def differences(
        self, summary: TransportSummary, setting: Setting, a: IntArray, b: IntArray
    ) -> Normal:
        misfits = together_and_alone(summary.misfits)
        sampling = summary.errors.of_pairs(a, b)
        moved = self.c(setting) * (misfits[:, a] + misfits[:, b])
        centre = summary.means[a] - summary.means[b]
        parts = {"misfit": moved[0], "points": sampling}
        return Normal(centre, moved + sampling, sampling, summary.errors.degrees, parts)

    def at_each_c(
        self, summary: TransportSummary, values: Sequence[float], rng: int, a: int, b: int
    ) -> tuple[FloatArray, FloatArray]:
        """P(R_a < R_b) at each c, and its error."""
        misfits = summary.misfits.mean(axis=0)
        sampling = summary.errors.of_pairs(np.array([a]), np.array([b]))
        variance = np.array([values]) * (misfits[a] + misfits[b]) + sampling
        centre = summary.means[[a]] - summary.means[[b]]
        law = Normal(centre, variance, sampling, summary.errors.degrees)
        return law.below(np.zeros(1))[0], np.zeros(len(values))

    def risks(self, summary: TransportSummary, setting: Setting) -> Normal:
        sampling = summary.errors.own
        moved = self.c(setting) * together_and_alone(summary.misfits)
        return Normal(self.risk(summary), moved + sampling, sampling, summary.errors.degrees)

    def wins_in_new_rows(self, summary: TransportSummary) -> FloatArray:
        return wins_in_new_rows(summary.means, summary.errors, summary.n_points, summary.source)

    def c_is_unknown(self, setting: Setting) -> bool:
        """One data set, and no calibration."""
        return not isinstance(setting.c, CalibratedC)

    def recorded_as(self, summary: TransportSummary, setting: Setting) -> dict[str, str] | None:
        if setting.c is not None:
            return None
        return {"law": self.name, "units": "one data set", "training": "fitted before", "loss": ""}

    def without_c(
        self, summary: TransportSummary, setting: Setting, a: IntArray, b: IntArray
    ) -> OverC:
        at_c = self.differences(summary, setting, a, b)
        misfit = summary.misfits.mean(axis=0)
        known = one_data_set()
        both = misfit[a] + misfit[b]
        return over_c(at_c.centre, at_c.sampling, both, known.median_c, known.sd_log_c)

    def risks_without_c(self, summary: TransportSummary, setting: Setting) -> OverC:
        known = one_data_set()
        at_c = self.risks(summary, setting)
        misfit = summary.misfits.mean(axis=0)
        median, sd_log = known.risk_median_c, known.risk_sd_log_c
        return over_c(at_c.centre, at_c.sampling, misfit, median, sd_log)

    def to_arrays(self, summary: TransportSummary) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        sums = summary.errors.sums
        degrees = summary.errors.degrees
        plain = {
            "n_points": summary.n_points,
            "reference": summary.reference,
            "factor": sums.factor,
            "degrees": "inf" if degrees == inf else degrees,
        }
        return plain, {
            "means": summary.means,
            "misfits": summary.misfits,
            "own": sums.own,
            "pairs": np.empty((0, 0)) if sums.matrix is None else sums.matrix,
            "gaps": np.empty((0, 0)) if sums.gaps is None else sums.gaps,
        }

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> TransportSummary:
        size = len(models)
        arrays = {name: finite(array, name) for name, array in arrays.items()}
        matrix = arrays["pairs"] if arrays["pairs"].size else None
        gaps = arrays["gaps"] if arrays["gaps"].size else None
        shapes = [arrays["means"].shape == (size,), arrays["own"].shape == (size,)]
        shapes += [arrays["misfits"].ndim == 2 and arrays["misfits"].shape[1:] == (size,)]
        shapes += [len(arrays["misfits"]) > 0]
        shapes += [matrix is None or matrix.shape == (size, size)]
        shapes += [gaps is None or len(gaps) == size, matrix is not None or gaps is not None]
        squares = [arrays["own"], arrays["misfits"], arrays["pairs"]]
        if not all(shapes) or any(array.size and array.min() < 0.0 for array in squares):
            raise ValueError("its numbers do not fit its models")
        if matrix is not None:
            check_squares(arrays["own"], matrix)
        given = plain["degrees"]
        degrees = inf if given == "inf" else number(1.0, inf)("degrees", given)
        factor = number(0.0, 1.0, least=False)("factor", plain["factor"])
        return TransportSummary(
            models,
            check_size(plain["n_points"], "n_points", least=2),
            number(-inf, inf)("reference", plain["reference"]),
            arrays["means"],
            MeanErrors(PairSums(arrays["own"], matrix, gaps, factor), degrees),
            arrays["misfits"],
            source,
        )

    def notes(self, summary: TransportSummary, setting: Setting) -> tuple[Note, ...]:
        few = summary.n_points < FEW_LOSSES
        return (Note("few points", value=summary.n_points),) if few else ()


@dataclass(frozen=True, eq=False)
class Normal:
    """Normal laws of several pairs: centres, and variances of priors × pairs.

    Where the sampling part of the variance is an estimate with few degrees of freedom, Student's t
    with those of the whole (Welch and Satterthwaite).
    """

    centre: FloatArray
    variance: FloatArray
    sampling: FloatArray
    degrees: float = inf
    parts: dict[str, FloatArray] = field(default_factory=dict)  # of the variance, by name

    def below(self, value: FloatArray) -> FloatArray:
        gap = np.broadcast_to(value - self.centre, self.variance.shape)
        return probability_lower(gap, self.variance, self._degrees)

    @property
    def _degrees(self) -> FloatArray | None:
        if self.degrees == inf:
            return None
        part = np.divide(
            self.variance,
            self.sampling,
            out=np.full(self.variance.shape, 1e9),
            where=self.sampling > 0.0,
        )
        return np.asarray(self.degrees * part**2)

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        # Student's t with one degree of freedom needs more: 1 % of it lies beyond 64.
        reach = (FAR if self.degrees == inf else 1e3 * FAR) * np.sqrt(self.variance[0])
        return self.centre - reach, self.centre + reach

    def error(self, value: FloatArray) -> FloatArray:
        return np.zeros(self.centre.size)

    def over(self, new_groups: HowMany | None) -> Normal:
        return self


def together_and_alone(misfits: FloatArray) -> FloatArray:
    """W² by all simulations together, and by each alone where there are several."""
    together = misfits.mean(axis=0, keepdims=True)
    return np.concatenate([together, misfits]) if len(misfits) > 1 else together


def need_simulations(study: Study, name: str) -> None:
    """Refuse what this law cannot use."""
    if not study.n_simulations:
        raise Refusal(
            f"method {name!r} measures how far simulations are from the data: "
            f"{either('pass (observed, simulated) or Candidates', 'give --simulated')}, or "
            f"{opt.groups}, three or more of which need no simulations"
        )


def over_c(
    centre: FloatArray, sampling: FloatArray, misfit: FloatArray, median: float, sd_log: float
) -> OverC:
    """Normal laws of several pairs or models, averaged over c, the factor of `misfit`."""
    steps = np.linspace(-REACH, REACH, POINTS)
    weights = np.exp(-0.5 * steps**2)
    c = np.exp(log(median) + sd_log * steps)
    return OverC(centre, sampling[:, None] + misfit[:, None] * c, weights / weights.sum())


@dataclass(frozen=True, eq=False)
class OverC:
    """A mixture of normal laws, one for each c of the grid: variances are pairs × grid."""

    centre: FloatArray
    variance: FloatArray
    weights: FloatArray

    def below(self, value: FloatArray) -> FloatArray:
        gap = np.broadcast_to((value - self.centre)[:, None], self.variance.shape)
        return (probability_lower(gap, self.variance) @ self.weights)[None, :]

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        reach = 10.0 * np.sqrt(self.variance[:, -1])
        return self.centre - reach, self.centre + reach

    def error(self, value: FloatArray) -> FloatArray:
        return np.zeros(self.centre.size)

    def over(self, new_groups: HowMany | None) -> OverC:
        return self
