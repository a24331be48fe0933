"""Runs of the neuron calibration, as published and corrected, and what the curves are summarised by."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals import Calibration, calibrate
from rivals._types import FloatArray
from rivals.testbeds.pyloric import Condition, Corrected, Published, published_draws
from rivals.testbeds.pyloric.epistemic import PAIRS
from rivals_paper.output import AS_PUBLISHED, published

N_DATA: Final = 4000
N_TRUTH: Final = 16384
C_MAIN: Final = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0, 16.0)
C_ALL: Final = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 16.0)
# The columns and rows of the main figure.
MAIN: Final = tuple(
    Condition(pair, input=input_) for pair in (PAIRS[2], PAIRS[0], PAIRS[1]) for input_ in ("weak", "strong")
)

DIFFERENCES: Final = [
    "Candidates got no input, and the solver was loose: what differs between a recording and the model that made it is "
    "grown rounding error. Corrected: candidates get the input, and the tolerance is 1e-6.",
    "All observation noise was Gaussian, also where the label says Cauchy. Corrected: Cauchy noise is Cauchy noise.",
    "The data of each experiment were made by one of the two candidates at random; the paper does not say so. Kept.",
    "The truth was decided on one more recording of 16 384 ms, which is often too short to tell; it is taken as it was.",
]


@dataclass(frozen=True)
class Experiments:
    """Probabilities [experiment, c] and truth (1: the first model has the lower risk) of one condition."""

    probability: FloatArray
    truth: FloatArray

    def curve(self, place: int) -> tuple[FloatArray, FloatArray]:
        """Means of probability and truth in equal-count bins of clip(N/16, 16, 64) experiments, as published."""
        count = len(self.truth)
        bins = max(count // int(np.clip(count // 16, 16, 64)), 1)
        order = np.argsort(self.probability[:, place], kind="stable")
        groups = np.array_split(order, bins)
        x = np.array([self.probability[group, place].mean() for group in groups])
        return x, np.array([self.truth[group].mean() for group in groups])

    def auc(self, place: int) -> tuple[float, float]:
        """Area under the ROC curve of the probability for the truth, and its standard error (Hanley and McNeil)."""
        first, second = (self.probability[self.truth == value, place] for value in (1.0, 0.0))
        if not (first.size and second.size):
            return float("nan"), float("nan")
        area = float(np.mean((first[:, None] > second) + 0.5 * (first[:, None] == second)))
        q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
        spread = area * (1 - area) + (first.size - 1) * max(q1 - area**2, 0) + (second.size - 1) * max(q2 - area**2, 0)
        return area, float(np.sqrt(spread / (first.size * second.size)))

    def excess(self, place: int) -> float:
        """Mean over the bins of |B - ½| less how far the truth is from ½ on the same side; above 0: overconfident."""
        x, y = self.curve(place)
        side = np.where(x >= 0.5, 1.0, -1.0)
        return float(np.mean(np.abs(x - 0.5) - side * (y - 0.5)))


def run_conditions(
    conditions: Sequence[Condition],
    variant: str,
    *,
    c: Sequence[float],
    experiments: int,
    entropy: int,
    store: Path,
    progress: bool,
) -> Calibration:
    """Calibrate over these conditions; the store keeps every finished experiment, and more can be asked for later."""
    omegas: dict[str, Any] = {}
    for place, condition in enumerate(conditions):
        if variant == AS_PUBLISHED:
            omegas[condition.key] = Published(condition, place, entropy)
        else:
            omegas[condition.key] = Corrected(condition)
    return run_omegas(omegas, c=c, experiments=experiments, entropy=entropy, store=store, progress=progress)


def run_omegas(
    omegas: dict[str, Any], *, c: Sequence[float], experiments: int, entropy: int, store: Path, progress: bool
) -> Calibration:
    """Calibrate over these epistemic distributions with the sizes of the paper."""
    store.parent.mkdir(parents=True, exist_ok=True)
    return calibrate(
        omegas,
        n_data=N_DATA,
        n_synthetic=N_DATA,
        n_truth=N_TRUTH,
        n_experiments=experiments,
        c=c,
        loss_unit="nats",
        rng=entropy,
        store=store,
        progress=progress,
    )


def by_condition(calibration: Calibration) -> dict[str, Experiments]:
    """Records of a calibration, condition by condition, in the order of the experiments."""
    records, places = calibration.records, len(calibration.c)
    found = {}
    for key in dict.fromkeys(records["omega"].tolist()):
        chosen = np.sort(records[records["omega"] == key], order=["experiment", "c"])
        order = np.argsort(np.argsort(calibration.c))
        probability = chosen["probability"].reshape(-1, places)[:, order]
        found[str(key)] = Experiments(probability, chosen["truly_better"].reshape(-1, places)[:, 0].astype(float))
    return found


def original(key: str, criterion: str = "emd") -> Experiments:
    """The 2048 experiments of the original study in one of the six main conditions.

    "emd" gives B_EMD for all of C_MAIN, "bq" gives B^Q for a tolerance of 1.
    """
    stored = published("neuron_calibration")["conditions"][key]
    truth = np.array([float(digit) for digit in stored["truth"]])
    raw = base64.b64decode(stored[criterion])
    if criterion == "bq":
        return Experiments(np.frombuffer(raw, dtype="<u2")[:, None] / 65535, truth)
    return Experiments(np.frombuffer(raw, dtype=np.uint8).reshape(6, -1).T / 255, truth)


def generator_is_first(condition: Condition, count: int) -> FloatArray:
    """Whether the first model made the data of each experiment of the original study (1 or 0)."""
    return np.array([float(draw.cell == condition.cells[0]) for draw in published_draws(condition, count)])


def compact(found: dict[str, Experiments]) -> dict[str, Any]:
    """All records, small enough to keep: probabilities to four digits, the truth as a string of digits."""
    return {
        key: {
            "probability": np.round(each.probability, 4).T,
            "truth": "".join(str(int(value)) for value in each.truth),
        }
        for key, each in found.items()
    }


def summary(each: Experiments) -> dict[str, Any]:
    """What a condition comes to: truth, AUC, overconfidence, and how many probabilities are all but certain."""
    places = range(each.probability.shape[1])
    return {
        "mean truth": each.truth.mean(),
        "auc": [each.auc(place)[0] for place in places],
        "mean excess confidence": [each.excess(place) for place in places],
        "share beyond 0.01 and 0.99": [
            float(np.mean(np.abs(each.probability[:, place] - 0.5) > 0.49)) for place in places
        ],
        "right side": [float(np.mean((each.probability[:, place] > 0.5) == (each.truth > 0.5))) for place in places],
    }


def correlation_of(first: FloatArray, second: FloatArray) -> float | None:
    """Correlation of two samples, None if one of them does not vary."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])
