"""Why the authors state more winners than one copy of ours: rounding, and Simpson's rule.

    python paper/benchmarks/stated_winners.py limits
    python paper/benchmarks/stated_winners.py copies FOLDER

The second reads what a GPU wrote into FOLDER (`python paper/benchmarks/neuron_records.py published
FOLDER --main --limit 128 --copies 64`): the first 128 experiments as published in 64 copies that
differ by rounding alone, judged with Simpson's rule as in the original study, with straight pieces,
and with 128 draws. It says where the authors' own run lies among them. The first integrates 40
experiments of two conditions here, and judges them with the limits of the solver exact and
mirrored. Both write their part of results/stated_winners.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rivals import Losses
from rivals_paper import mirrored
from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_runs import C_MAIN, MAIN, generator_is_first, original
from rivals_paper.pyloric import Condition, Published
from rivals_paper.risks import probability

OUT = Path(__file__).parent / "results" / "stated_winners.json"
C = (0.25, 1.0)
# Of the limits.
EXPERIMENTS = 40
DRAWS = 2000
CONDITIONS = (MAIN[2], MAIN[4])
# Of the copies. The other two conditions state hardly any winner.
WITH_A = MAIN[2:]
RULES = {
    "Simpson": "beta",
    "straight pieces": "straight",
    "Simpson, 128 draws": "few",
}


class Exact(mirrored.PublishedProcess):
    """The same process without the limits of the original solver."""

    limits = False


def main() -> None:
    """Measure what is asked for, and write."""
    what, *folder = sys.argv[1:]
    found = _limits() if what == "limits" else _copies(Path(folder[0]))
    known = json.loads(OUT.read_text(encoding="utf-8")) if OUT.exists() else {}
    OUT.write_text(json.dumps(known | {what: found}, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def _copies(folder: Path) -> dict[str, Any]:
    """Part of the experiments with a stated winner, in all copies and by the authors."""
    first = np.load(folder / "as-published.npz", allow_pickle=False)
    others = np.load(folder / "as-published-copies.npz", allow_pickle=False)

    def copies(name: str) -> Any:
        return np.concatenate([first[name][None], others[name]])

    found: dict[str, Any] = {"conditions": {}}
    totals: dict[str, Any] = dict.fromkeys(RULES, 0.0)
    total = 0.0
    for condition in WITH_A:
        rows: dict[str, Any] = {}
        for c in C:
            column = C_MAIN.index(c)
            ours = {
                rule: copies(f"{condition.key}/{name}")[..., column] / 65535
                for rule, name in RULES.items()
            }
            count = ours["Simpson"].shape[1]
            theirs = original(condition.key).probability[:count, column]
            by_first = generator_is_first(condition, count) == 1
            rows[f"{c:g}"] = {
                "authors": _stated(theirs),
                "authors, A made the data": _stated(theirs[by_first]),
                "authors, the other did": _stated(theirs[~by_first]),
            }
            total += _stated(theirs) / (len(C) * len(WITH_A))
            for rule, values in ours.items():
                stated = np.array([_stated(copy) for copy in values])
                totals[rule] = totals[rule] + stated / (len(C) * len(WITH_A))
                rows[f"{c:g}"][rule] = _range(stated, _stated(theirs)) | {
                    "mean, A made the data": _mean_stated(values[:, by_first]),
                    "mean, the other did": _mean_stated(values[:, ~by_first]),
                }
        found["conditions"][condition.key] = rows
    found["experiments"] = count
    found["mean of these rates"] = {"authors": round(total, 4)} | {
        rule: _range(np.asarray(each), total) for rule, each in totals.items()
    }
    return found


def _range(ours: FloatArray, theirs: float) -> dict[str, Any]:
    """Of the copies, and how many of them state fewer winners than the authors."""
    return {
        "copies": len(ours),
        "mean": round(float(ours.mean()), 4),
        "lowest": round(float(ours.min()), 4),
        "highest": round(float(ours.max()), 4),
        "below the authors": int(np.sum(ours < theirs)),
    }


def _mean_stated(values: FloatArray) -> float:
    return round(float(np.mean([_stated(copy) for copy in values])), 4)


def _limits() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for condition in CONDITIONS:
        pairs = [_losses(condition, index) for index in range(EXPERIMENTS)]
        found[condition.key] = {
            f"{c:g}": {
                "mirrored": _stated(
                    [_probability(pair, c, mirrored.PublishedProcess) for pair in pairs]
                ),
                "exact": _stated([_probability(pair, c, Exact) for pair in pairs]),
            }
            for c in C
        }
    return {"experiments": EXPERIMENTS, "draws": DRAWS, "stated": found}


def _losses(condition: Condition, index: int) -> list[Losses]:
    """Both candidates on an experiment as published, each with a simulation of its own."""
    experiment = Published(condition)(None, index=index)
    data = experiment.observe(4000, None)
    rng = np.random.default_rng(index)
    pair = []
    for model in experiment.candidates(data):
        level = np.log(np.sqrt(2 * np.pi) * model.sigma)
        simulated = level + rng.standard_normal(4000) ** 2 / 2
        pair.append(Losses(model.loss(data), simulated))
    return pair


def _probability(pair: list[Losses], c: float, process: Any) -> float:
    """P(R_a < R_b) by Simpson's rule."""
    risks = [
        process(each, c).sample_risk(DRAWS, np.random.default_rng(k)) for k, each in enumerate(pair)
    ]
    return probability(*risks)[0]


def _stated(values: FloatArray | list[float]) -> float:
    """Part of the probabilities beyond 0.95, for either model."""
    each = np.asarray(values)
    return round(float(np.mean(np.maximum(each, 1 - each) > 0.95)), 4)


if __name__ == "__main__":
    main()
