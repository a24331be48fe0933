"""The verdict on all models under one law of the risk, and how much it depends on the simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rivals._checks import show
from rivals._types import FloatArray
from rivals.comparison.laws import Correct, Law, Summary, law_of
from rivals.comparison.settings import Settings
from rivals.core.sampling_error import WHOLE, mean_covariance
from rivals.core.transport import TransportPairs
from rivals.core.verdict import Duel, reject
from rivals.losses import Losses


@dataclass(frozen=True, eq=False)
class Judged:
    """What a law says, models in the order given; risks named "excess" are relative to the reference."""

    reference: float
    excess_empirical_risk: FloatArray
    difference_error: FloatArray  # standard error of the paired difference of each model's mean loss to the lowest
    excess_risks: Sequence[FloatArray] = field(repr=False)  # draws, of each model its own number of them
    risk_mean: FloatArray
    risk_std: FloatArray
    end_point_share: FloatArray
    distance: FloatArray
    critical_c: FloatArray
    probability: FloatArray | TransportPairs | None  # in closed form; None where it comes from the draws
    calibrated: FloatArray | None
    stability: FloatArray  # fraction of the single simulations with the same verdict on a model; nan where unknown
    rejections: dict[int, Duel]
    undecided: list[Duel]


def judge(
    losses: Sequence[Losses],
    settings: Settings,
    correct: Correct | None = None,
    summaries: Sequence[Summary] | None = None,
) -> Judged:
    """Find the models that some rival reproducibly beats.

    `correct` applies a calibration to probabilities; `summaries` replace simulations that were not kept.
    """
    law = law_of(losses, settings, summaries)
    errors = _difference_errors(losses, int(np.argmin(law.empirical)), settings)
    judged = _judge(law, settings, errors, correct)
    return replace(judged, stability=_stability(law, judged.rejections, correct))


def judge_at(losses: Sequence[Losses], settings: Settings, values: Sequence[float]) -> list[Judged]:
    """The same at several values of c, without the stability of each."""
    law = law_of(losses, settings)
    errors = _difference_errors(losses, int(np.argmin(law.empirical)), settings)
    ascending = sorted(set(values))
    judged = (_judge(here, settings, errors, None) for here in law.at_each(ascending))
    found = dict(zip(ascending, judged, strict=True))
    return [found[c] for c in values]


def _judge(law: Law, settings: Settings, difference_error: FloatArray, correct: Correct | None) -> Judged:
    if correct is None:
        calibrated = None
        rejections, undecided = law.decide()
    else:
        probability, error = law.matrix()
        calibrated = correct(probability)
        rejections = reject(law.empirical, calibrated, settings.threshold)
        undecided = _too_close(law, probability, error, correct, settings.threshold)
    return Judged(
        reference=law.reference,
        excess_empirical_risk=law.empirical,
        difference_error=difference_error,
        excess_risks=law.draws(),
        risk_mean=law.risk_mean,
        risk_std=law.risk_std,
        end_point_share=law.end_point_share,
        distance=law.distance,
        critical_c=law.critical_c,
        probability=_small_as_array(law.probability),
        calibrated=calibrated,
        stability=np.full(law.empirical.size, np.nan),
        rejections=rejections,
        undecided=undecided,
    )


def _small_as_array(probability: FloatArray | TransportPairs | None) -> FloatArray | TransportPairs | None:
    """The matrix of all pairs, unless it is so large that it is better made on demand."""
    if isinstance(probability, TransportPairs) and probability.means.size <= WHOLE:
        return probability.matrix()
    return probability


def check_enough(losses: Mapping[str, Losses], settings: Settings) -> None:
    """Refuse losses that the law cannot use; the error names the model or the group."""
    if settings.law == "groups":
        if settings.groups is None:
            raise ValueError(
                "law 'groups' needs groups: got none; pass groups=, the label of the replication of each point"
            )
        smallest = int(np.bincount(settings.groups).min())
        if smallest < 2:
            raise ValueError(
                f"groups: the smallest has {smallest} point, but its sampling error needs at least 2; "
                "merge or remove this group"
            )
        return
    for name, sample in losses.items():
        if sample.n_simulations == 0:
            raise ValueError(
                f"model '{show(name)}': no synthetic losses, and law {settings.law!r} measures how far simulations are from the "
                "data; pass (observed, synthetic), or law='groups' with the groups of the points"
            )


def _difference_errors(losses: Sequence[Losses], best: int, settings: Settings) -> FloatArray:
    """Standard errors of the paired differences of the mean losses, each to the best model's."""
    differences = (sample.observed - losses[best].observed for sample in losses)
    variances = [
        mean_covariance(row[None, :], order=settings.order, groups=settings.groups)[0, 0] for row in differences
    ]
    return np.sqrt(variances)


def _stability(law: Law, rejections: dict[int, Duel], correct: Correct | None) -> FloatArray:
    """The fraction of the single simulations in which the verdict on each model would have been the same."""
    rejected = law.rejected_by_simulation(correct)
    if len(rejected) < 2:
        return np.full(law.empirical.size, np.nan)
    verdict = np.isin(np.arange(law.empirical.size), list(rejections))
    return np.asarray(np.mean(rejected == verdict, axis=0))


def _too_close(law: Law, probability: FloatArray, error: FloatArray, correct: Correct, threshold: float) -> list[Duel]:
    """Duels whose corrected probability lies on the other side of the threshold two standard errors away."""
    low, high = (correct(np.clip(probability + sign * error, 0.0, 1.0)) for sign in (-2.0, 2.0))
    unclear = (low <= threshold) & (high > threshold) & (law.empirical[:, None] < law.empirical[None, :])
    return [
        Duel(int(model), int(rival), float(probability[rival, model]), float(error[rival, model]))
        for rival, model in zip(*np.nonzero(unclear), strict=True)
        if error[rival, model] > 0.0
    ]
