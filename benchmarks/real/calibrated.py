"""The third design: one group at hand, and a calibration with `replications(...)` that says what may vary between groups.

Nobody knows beforehand what varies between schools or stores. The guess is the same for all data sets: an offset and additional noise of a
quarter of a standard deviation of the response (of its log, if it is positive), and other rows of the group. Counts and labels would not stay
counts and labels, so data sets of these kinds take no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from catalogue import DataSet
from designs import AT_HAND, at, frozen_candidates, generator, losses_of, pairs, some
from judge import AtHand, Said, compare
from models import Predicted
from truth import Fresh

import rivals
from data import load
from rivals.calibration import replications

FloatArray = npt.NDArray[np.float64]
Data = tuple[npt.NDArray[np.intp], FloatArray]  # rows of the group, and responses there
OFFSET, NOISE = 0.25, 0.25
N_EXPERIMENTS, N_TRUTH = 256, 2000
GROUPS = 2


@dataclass(frozen=True)
class AtRows:
    """A fitted model at the rows of one group, whose predictions are known: simulating and judging then cost little."""

    predicted: Predicted

    def at(self, rows: npt.NDArray[np.intp]) -> Predicted:
        return Predicted(
            self.predicted.law,
            self.predicted.at[rows],
            self.predicted.extra,
            self.predicted.log,
            self.predicted.unit,
        )

    def loss(self, data: Data) -> FloatArray:
        rows, y = data
        return -self.at(rows.astype(np.intp)).logpdf(y)

    def simulate(self, n: int, rng: np.random.Generator) -> Data:
        size = self.predicted.at.size
        rows = np.arange(size) if n == size else rng.integers(0, size, n)
        return rows, self.at(rows).rvs(n, rng)


def calibrated(data_set: DataSet, split: int) -> Iterator[dict[str, Any]]:
    """Frozen candidates, as in the first design; each group at hand has a calibration of its own."""
    if data_set.kind not in ("real", "positive"):
        return
    table, rng = load(data_set), generator(data_set, split)
    fitted, held = frozen_candidates(data_set, table, rng)
    fresh = Fresh.of([losses_of(fitted, table, rows, data_set) for rows in held])
    for place, rows in enumerate(held[:GROUPS]):
        own = some(rows, AT_HAND, data_set, rng)
        X, y = at(table, own)
        models = {name: AtRows(model.pred_dist(X)) for name, model in fitted.items()}
        result = judged(models, (np.arange(own.size), y), data_set, seed=split)
        observed = np.array([model.loss((np.arange(own.size), y)) for model in models.values()])
        at_hand = AtHand(
            list(models), observed, np.empty((len(models), 0, 0)), np.zeros(own.size, dtype=np.intp)
        )
        said = Said({"transport, calibrated with replications(...)": np.asarray(result.calibrated)})
        yield from pairs(said, at_hand, fresh.without(place), k=1, set=place)


def other_rows(data: Data, rng: np.random.Generator) -> Data:
    """As many rows, drawn with replacement: another group has other members."""
    chosen = rng.integers(0, data[1].size, data[1].size)
    return data[0][chosen], data[1][chosen]


def judged(
    models: dict[str, AtRows], data: Data, data_set: DataSet, seed: int
) -> rivals.Comparison:
    """A comparison with the calibration that a user would have made."""
    log = (
        {"response": (lambda d: np.log(d[1]), lambda d, y: (d[0], np.exp(y)))}
        if data_set.kind == "positive"
        else {}
    )
    omega = replications(
        models, data, source="mixture", offset=OFFSET, noise=NOISE, design=other_rows, **log
    )
    n = data[1].size
    options = {
        "n_data": n,
        "n_experiments": N_EXPERIMENTS,
        "n_truth": N_TRUTH,
        "executor": 0,
        "progress": False,
    }
    return compare(models, data, c=rivals.calibrate(omega, rng=seed, **options), rng=seed)
