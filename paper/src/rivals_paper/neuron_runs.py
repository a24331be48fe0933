"""Runs of the neuron calibration, as published and corrected, and what the curves are summarised by."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from rivals import Calibration, calibrate
from rivals.testbeds.pyloric import Condition, Corrected, Published, published_draws
from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.method import PAPER
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Task, comparison, published

N_DATA: Final = 4000
N_TRUTH: Final = 16384
C_MAIN: Final = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0, 16.0)
C_ALL: Final = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 16.0)
# The columns and rows of the main figure.
MAIN: Final = tuple(
    Condition(pair, input=input_) for pair in (("C", "D"), ("A", "B"), ("A", "D")) for input_ in ("weak", "strong")
)

WHAT_WAS_WRONG: Final = [
    "Candidates got no input, and the solver was loose: what differs between a recording and the model that made it is "
    "grown rounding error. Corrected: candidates get the input, and the tolerance is 1e-6.",
    "All observation noise was Gaussian, also where the label says Cauchy. Corrected: Cauchy noise is Cauchy noise.",
    "The data of each experiment were made by one of the two candidates at random; the paper does not say so. Kept.",
    "The truth was decided on one more recording of 16 384 ms, which is often too short to tell; it is taken as it was.",
]


def run_variants(
    task: Task, name: str, conditions: Sequence[Condition], c: Sequence[float], experiments: int
) -> dict[str, Calibration]:
    """Calibrate over these conditions as published and corrected."""
    return {
        variant: run_conditions(task, name, conditions, variant, c, experiments)
        for variant in (AS_PUBLISHED, CORRECTED)
    }


def run_conditions(
    task: Task, name: str, conditions: Sequence[Condition], variant: str, c: Sequence[float], experiments: int
) -> Calibration:
    """Calibrate over these conditions; a store keeps every finished experiment, and more can be asked for later."""
    omega = Published if variant == AS_PUBLISHED else Corrected
    omegas: dict[str, Any] = {condition.key: omega(condition) for condition in conditions}
    return run_omegas(task, f"{name}-{variant.replace(' ', '-')}", omegas, c, experiments)


def run_omegas(task: Task, store: str, omegas: dict[str, Any], c: Sequence[float], experiments: int) -> Calibration:
    """Calibrate over these epistemic distributions with the sizes of the paper, kept in the store of that name."""
    task.folder.mkdir(parents=True, exist_ok=True)
    return calibrate(
        omegas,
        **PAPER,
        n_data=N_DATA,
        n_synthetic=N_DATA,
        n_truth=N_TRUTH,
        n_experiments=experiments,
        c=c,
        loss_unit="nats",
        rng=task.seed,
        store=task.folder / f"{store}.sqlite",
        progress=task.progress,
    )


def by_condition(calibration: Calibration) -> dict[str, Experiments]:
    """Records of a calibration, condition by condition, in the order of the experiments."""
    records, n_c = calibration.records, len(calibration.c)
    experiments = {}
    for key in dict.fromkeys(records["omega"].tolist()):
        chosen = np.sort(records[records["omega"] == key], order=["experiment", "c"])
        order = np.argsort(np.argsort(calibration.c))
        probability = chosen["probability"].reshape(-1, n_c)[:, order]
        experiments[str(key)] = Experiments(probability, chosen["truly_better"].reshape(-1, n_c)[:, 0].astype(float))
    return experiments


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


def compact(experiments: dict[str, Experiments]) -> dict[str, Any]:
    """All records, small enough to keep: probabilities to four digits, the truth as a string of digits."""
    return {
        key: {
            "probability": np.round(each.probability, 4).T,
            "truth": "".join(str(int(value)) for value in each.truth),
        }
        for key, each in experiments.items()
    }


def summary(each: Experiments) -> dict[str, Any]:
    """What a condition comes to: truth, AUC, overconfidence, and how many probabilities are all but certain."""
    columns = range(each.probability.shape[1])
    return {
        "mean truth": each.truth.mean(),
        "auc": [each.auc(column)[0] for column in columns],
        "mean excess confidence": [float(np.mean(each.excess(column))) for column in columns],
        "share beyond 0.01 and 0.99": [
            float(np.mean(np.abs(each.probability[:, column] - 0.5) > 0.49)) for column in columns
        ],
        "right side": [float(np.mean((each.probability[:, column] > 0.5) == (each.truth > 0.5))) for column in columns],
    }


def compare_auc(
    what: str, each: Experiments, column: int, *, variant: str, published: float | None, rounding: float = 0.0
) -> dict[str, Any]:
    """Our area under the ROC curve beside the published one; runs may differ by the effect of rounding, too."""
    area, error = each.auc(column)
    total = float(np.hypot(error, rounding)) if rounding else error
    return comparison(
        what,
        variant=variant,
        published=published,
        ours=area if np.isfinite(area) else None,
        standard_error=total if total > 0 else None,
    )


def correlation_of(first: FloatArray, second: FloatArray) -> float | None:
    """Correlation of two samples, None if one of them does not vary."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])
