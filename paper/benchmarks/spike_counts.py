"""A loss that recognises the cell.

Spike counts, on the recordings of the corrected calibrations (documented constants), where voltages
do not.

    python paper/benchmarks/spike_counts.py

Each recording of 4 s is cut into windows of 100 ms. The loss of a window is −ln of how often the
candidate has that number of spikes in its own traces of the recordings for fitting, over the 512
experiments of the condition (½ added to each count). Method "transport", one simulation: method "beta"
has no spread where losses are tied. Windows of 500 ms were tried, too; 100 ms came first. Writes results/spike_counts.json.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np

from rivals._core.losses import Losses, Study
from rivals._core.setting import Setting
from rivals.laws import Transport
from rivals_paper.bins import THRESHOLD
from rivals_paper.experiments import Experiments
from rivals_paper.gpu.records import ask
from rivals_paper.neuron_runs import C_MAIN, COUNT_ALL, MAIN
from rivals_paper.output import CORRECTED
from rivals_paper.records import recorded
from rivals_paper.rules import problem_of

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

    def judged(self) -> Experiments:
        """P(the first is better) at each c, and the truth: 1, 0, or ½ where it is undecided."""
        law = Transport()
        first, second, zero = np.array([0]), np.array([1]), np.zeros(1)
        probability, truth = [], []
        for observed, simulated, fresh in zip(
            self.observed, self.synthetic, self.truth, strict=True
        ):
            losses = [Losses(*pair) for pair in zip(observed, simulated, strict=True)]
            summary = law.summarise(Study.of(dict(zip("ab", losses, strict=True))))
            probability.append(
                [
                    law.differences(summary, Setting(c=c), first, second).below(zero)[0, 0]
                    for c in C_MAIN
                ]
            )
            gap = fresh[0] - fresh[1]
            decided = abs(gap.mean()) > 2.0 * gap.std() / np.sqrt(gap.size)
            truth.append((gap.mean() < 0) if decided else 0.5)
        return Experiments(np.array(probability), np.array(truth, dtype=float))


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
        kept = dict(np.load(file, allow_pickle=False))
    rows = {}
    for condition in MAIN:
        found = Counts(kept[condition.key], window).judged()
        made = np.array(
            [
                ask(condition, i, "prinz2004").drawn.cell == condition.cells[0]
                for i in range(COUNT_ALL)
            ],
            dtype=float,
        )
        voltages = recorded(CORRECTED, condition.key).first(COUNT_ALL).truth
        columns = [(column, found.truth) for column in found.probability.T]
        named = np.maximum(found.probability, 1.0 - found.probability) > THRESHOLD
        # A truth that is undecided counts half.
        wrong = np.abs((found.probability > 0.5) - found.truth[:, None])
        rows[condition.key] = {
            "valid": [problem_of(*each) is None for each in columns],
            "error": [
                round(float(wrong[here, place].mean()), 4) if here.any() else None
                for place, here in enumerate(named.T)
            ],
            "stated": np.round(named.mean(axis=0), 4).tolist(),
            "the cell that made the data is better by counts": round(
                float(np.mean(found.truth == made)), 4
            ),
            "by voltages": round(float(np.mean(voltages == made)), 4),
        }
    return rows


if __name__ == "__main__":
    main()
