"""A loss that recognises the cell.

Spike counts, on the recordings of the corrected calibrations (documented constants), where voltages
do not.

    python paper/benchmarks/spike_counts.py

Each recording of 4 s is cut into windows of 100 ms. The loss of a window is −ln of how often the
candidate has that number of spikes in its own traces of the recordings for fitting, over the 512
experiments of the condition (½ added to each count). Law "transport", one simulation: law "beta"
has no spread where losses are tied. Windows of 500 ms were tried, too; 100 ms came first. Writes results/spike_counts.json.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from rivals.calibration import ExperimentLosses

from rivals import RivalsWarning, calibrate
from rivals_paper.gpu.records import ask
from rivals_paper.neuron_runs import C_MAIN, COUNT_ALL, MAIN
from rivals_paper.output import CORRECTED
from rivals_paper.records import recorded

WINDOWS: Final = (100, 500)  # ms
FIT, DATA, FRESH = 0, 1, slice(2, None)  # recordings of an experiment
RECORDED: Final = 2  # after the traces of both candidates


class Counts:
    """The epistemic distribution of a condition, judged by spike counts, from the spikes that were
    kept.
    """

    def __init__(self, packed: Any, window: int) -> None:
        spikes = np.unpackbits(packed, axis=-1)
        counts = spikes.reshape(*spikes.shape[:3], -1, window).sum(axis=-1).astype(int)
        frequencies = [
            np.bincount(counts[:, FIT, k].ravel(), minlength=counts.max() + 1) + 0.5
            for k in range(2)
        ]
        tables = [-np.log(each / each.sum()) for each in frequencies]
        fresh = counts[:, FRESH, RECORDED].reshape(len(counts), -1)
        self.observed = np.stack([table[counts[:, DATA, RECORDED]] for table in tables], axis=1)
        self.synthetic = np.stack(
            [table[counts[:, 2, k]] for k, table in enumerate(tables)], axis=1
        )
        self.truth = np.stack([table[fresh] for table in tables], axis=1)

    def batch(self, indices: Sequence[int], rng_of: object) -> list[ExperimentLosses]:
        """Losses of these experiments."""
        return [
            ExperimentLosses(self.observed[i], self.synthetic[i], self.truth[i]) for i in indices
        ]


def main() -> None:
    """Calibrate over the six conditions, with windows of either length."""
    found = {f"conditions, {window} ms": _calibrated(window) for window in WINDOWS}
    text = json.dumps({"c": C_MAIN, **found}, indent=1)
    (Path(__file__).parent / "results" / "spike_counts.json").write_text(
        text + "\n", encoding="utf-8"
    )
    print(text)


def _calibrated(window: int) -> dict[str, Any]:
    with (resources.files("rivals_paper") / "data/records/corrected-spikes.npz").open("rb") as file:
        omegas = {
            key: Counts(packed, window) for key, packed in np.load(file, allow_pickle=False).items()
        }
    n = 4000 // window
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RivalsWarning)  # counts are tied, which is said above
        calibration = calibrate(
            omegas,
            law="transport",
            n_simulations=1,
            n_data=n,
            n_truth=4 * n,
            n_experiments=COUNT_ALL,
            c=C_MAIN,
            loss_unit="nats",
            rng=0,
            executor=0,
            progress=False,
        )
    validity = calibration.validity()
    rows = {}
    for condition in MAIN:
        place = validity.omegas.index(condition.key)
        made = np.array(
            [
                ask(condition, i, "prinz2004").drawn.cell == condition.cells[0]
                for i in range(COUNT_ALL)
            ],
            dtype=float,
        )
        own = calibration.records[calibration.records["omega"] == condition.key].reshape(
            COUNT_ALL, -1
        )["truth"][:, 0]
        voltages = recorded(CORRECTED, condition.key).first(COUNT_ALL).truth
        rows[condition.key] = {
            "valid": validity.valid[place].tolist(),
            "error": [
                None if np.isnan(each) else round(each, 4)
                for each in validity.error[place].tolist()
            ],
            "stated": np.round(validity.stated[place], 4).tolist(),
            "the cell that made the data is better by counts": round(
                float(np.mean(own == made)), 4
            ),
            "by voltages": round(float(np.mean(voltages == made)), 4),
        }
    return rows


if __name__ == "__main__":
    main()
