"""How often printed intervals hold what they are of: risks and differences, from groups.

    python benchmarks/real/intervals.py [--records FOLDER]

From G observed groups the law gives 90 % intervals of the mean over new groups: of the risk of each
model, and of the difference of each two. They are of one new group, of as many as were observed,
or of all groups. A fresh study is drawn without replacement; its mean lies inside, or not. For the
population mean all fresh groups are taken, and their finite number is counted. All data sets
weigh the same; ± is over data sets. Intervals of one data set are in one_data_set.py.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from catalogue import CATALOGUE, DataSet
from methods.rivals_ import study_of
from problems import Problem, problems
from rivals._core.setting import Setting
from rivals.laws import Groups
from rivals.laws.groups import NewGroups
from run import losses_path

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
PLANS = ("frozen", "l4", "l6", "l10", "l20")
LEVEL = 0.90
STUDIES = 40
OF = ("risk", "difference")
OVER = ("one new group", "the study repeated", "the population mean")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "intervals.json")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    seen: dict[tuple[Any, ...], list[float]] = {}
    for data_set in CATALOGUE:
        for key, value in of_data_set(data_set, options.records).items():
            seen.setdefault(key, []).append(value)
    rows = [row(key, values) for key, values in sorted(seen.items(), key=str)]
    text = ",\n ".join(json.dumps(each, ensure_ascii=False) for each in rows)
    options.out.write_text(f"[\n {text}\n]\n", encoding="utf-8")
    print(text)


def row(key: tuple[Any, ...], values: list[float]) -> dict[str, Any]:
    """The mean over data sets, in %, and its error."""
    error = 100.0 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    design, groups, of, over = key
    return {
        "design": design,
        "groups": groups,
        "of": of,
        "over": over,
        "covered": [round(100.0 * float(np.mean(values)), 2), error and round(float(error), 2)],
        "data_sets": len(values),
    }


def of_data_set(data_set: DataSet, records: Path) -> dict[tuple[Any, ...], float]:
    """Of one data set, how often each kind of interval held what it is of."""
    found: dict[tuple[Any, ...], list[float]] = {}
    for plan in PLANS:
        path = losses_path(data_set, plan, 0, records)
        if not path.exists():
            continue
        design = "frozen" if plan == "frozen" else "left out"
        for problem in problems(path, {"data": data_set.name, "split": 0}):
            if problem.key["groups"] < 3:
                continue
            for of, over, covered in intervals(problem):
                key = design, problem.key["groups"], of, over
                found.setdefault(key, []).append(covered)
    return {key: float(np.mean(values)) for key, values in found.items()}


def intervals(problem: Problem) -> Iterator[tuple[str, str, float]]:
    """Each kind of interval, and the part of models (or pairs) and studies that it covered."""
    law = Groups()
    summary = law.summarise(study_of(problem, groups=True))
    fresh = problem.fresh
    n_fresh, n_groups = len(fresh.means), problem.key["groups"]
    rng = np.random.default_rng([problem.key["set"], n_groups])
    a, b = np.triu_indices(len(problem.names), 1)
    for over in OVER:
        if over == "one new group":
            number, means = 1, fresh.means
        elif over == "the study repeated":
            number = n_groups
            chosen = [rng.permutation(n_fresh)[:n_groups] for _ in range(STUDIES)]
            means = np.array([fresh.means[places].mean(axis=0) for places in chosen])
        else:
            number, means = n_fresh, fresh.means.mean(axis=0, keepdims=True)
        setting = Setting()
        risks = law.risks(summary, setting).over(number)
        yield "risk", over, inside(risks, means)
        gaps = law.differences(summary, setting, a, b).over(number)
        yield "difference", over, inside(gaps, means[:, a] - means[:, b])


def inside(law: NewGroups, values: FloatArray) -> float:
    """The part of values, studies × pairs, that lie in the central interval."""
    tail = 0.5 - 0.5 * LEVEL
    below = np.array([law.below(each)[0] for each in values])
    return float(np.mean((below > tail) & (below < 1.0 - tail)))


if __name__ == "__main__":
    main()
