"""Does a c that was calibrated on one system serve on another?

    python benchmarks/universality.py [--records FOLDER]

René and Longtin (2025) found "a certain universality" of c. Here the c that `choose_c` takes on one
system is used on the others: how many winners are named, and how many of them fail. It is the
smallest that is kept (by the paper's bound under method "beta", by the failure rate of named
winners under method "transport"). The committed results are of the rule before that: of the valid
c the largest ("cautious"), and that of the lowest Brier score ("informative"). Between values of
c that were tried, numbers are interpolated; beyond them, they are those of the last.

Systems: the paper's black body and its six neuron scenarios, corrected, with the truth on new data
of the same process; the neurons with a replication as the truth; our ten families of problems, and
pairs of models judged from one group of 130 real data sets, both with one replication as the truth.
The last two need what `beta_against_transport.py judge` kept in the folder of records.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rivals_paper.blackbody_records import committed
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import C_MAIN, COUNT_MAIN, MAIN, all_c, recorded_at_all_c
from rivals_paper.output import CORRECTED
from rivals_paper.records import replicated

import rivals

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
OUT = HERE / "results" / "universality.json"
LAWS = ("beta", "transport")
THRESHOLD = 0.95
# Values of c, and of each scenario B (experiments × c) and truth.
System = tuple[tuple[float, ...], dict[str, Experiments]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "real" / "records")
    options = parser.parse_args()
    with np.load(options.records / "beta_against_transport.npz", allow_pickle=False) as archive:
        judged = dict(archive)
    found = {law: studied(systems(law, judged), law) for law in LAWS}
    OUT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    OUT.with_suffix(".md").write_text(page(found), encoding="utf-8")
    print(page(found))


# ---------------------------------------------------------------- systems


def systems(law: str, judged: dict[str, Any]) -> dict[str, System]:
    record = committed(law)
    both = {each.key: replicated(CORRECTED, each.key, law=law) for each in MAIN}
    c = tuple(2.0**k for k in range(-8, 3))
    return {
        "black body": (tuple(2.0**record.log2_c), {"bias sweep": record.experiments}),
        "neurons": (all_c(), recorded_at_all_c(CORRECTED, MAIN, COUNT_MAIN, law)),
        "neurons, replication": (
            C_MAIN,
            {key: each["replication"] for key, each in both.items()},
        ),
        "ten families": (c, of_judged(judged, "families", law)),
        "real data sets": (c, of_judged(judged, "real", law)),
    }


def of_judged(judged: dict[str, Any], kind: str, law: str) -> dict[str, Experiments]:
    """All problems as one scenario, each data set as often; one replication is the truth."""
    chosen = judged["problems"] == kind
    rng = np.random.default_rng(0)
    _, place, counts = np.unique(judged["data"][chosen], return_inverse=True, return_counts=True)
    weight = 1.0 / counts[place]
    rows = rng.choice(place.size, 4096, p=weight / weight.sum())
    won = rng.random(rows.size) < judged["won"][chosen][rows]
    return {kind: Experiments(judged[law][chosen][rows], won.astype(float))}


# ---------------------------------------------------------------- the study


def studied(by: dict[str, System], law: str) -> dict[str, Any]:
    chosen = {name: choice(system, law) for name, system in by.items()}
    return {
        "chosen": chosen,
        "used": {
            name: {other: at(by[other], c) for other in by}
            for name, c in chosen.items()
            if c is not None
        },
    }


def choice(system: System, law: str) -> float | None:
    """What `choose_c` takes; None where no c is kept."""
    c, by = system
    experiments = {key: (each.probability, each.truth) for key, each in by.items()}
    calibration = rivals.Calibration.from_experiments(experiments, c, n_data=1000, method=law)
    try:
        return float(calibration.choose_c())
    except ValueError:
        return None


def at(system: System, c: float) -> dict[str, Any]:
    """How often a winner is named; part of these that fail, of all and in the worst scenario."""
    tried, by = system
    named, failed = [], []
    for each in by.values():
        verdicts = [each.verdicts(place, THRESHOLD) for place in range(len(tried))]
        share = np.array([one.stated for one in verdicts])
        rate = np.nan_to_num([one.wrong for one in verdicts])
        at_c = np.log2(c)
        named.append(float(np.interp(at_c, np.log2(tried), share)))
        lost = float(np.interp(at_c, np.log2(tried), share * rate))
        failed.append(lost)
    total = sum(named)
    return {
        "named": round(total / len(named), 4),
        "failed": round(sum(failed) / total, 4) if total else None,
        "worst scenario": round(
            max(f / n if n > 0.01 else 0.0 for f, n in zip(failed, named, strict=True)), 4
        ),
    }


def page(found: dict[str, Any]) -> str:
    lines = [
        "# A c of one system, used on another",
        "",
        "Made by `python benchmarks/universality.py`, which says how. In each cell: winners named "
        "/ of these failed, in %; in brackets in the worst scenario, where there are several.",
    ]
    for law, part in found.items():
        names = list(next(iter(part["used"].values())))
        lines += [
            "",
            f'## Law "{law}"',
            "",
            f"| c from | {' | '.join(names)} |",
            "| --- |" + " --- |" * len(names),
        ]
        for name, c in part["chosen"].items():
            if c is None:
                lines.append(f"| {name}: no c is kept |" + " |" * len(names))
                continue
            cells = [_cell(part["used"][name][other]) for other in names]
            lines.append(f"| {name} 2^{np.log2(c):.0f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(each: dict[str, Any]) -> str:
    failed = "–" if each["failed"] is None else f"{100 * each['failed']:.1f}"
    text = f"{100 * each['named']:.0f} / {failed}"
    if each["failed"] is not None and each["worst scenario"] > each["failed"]:
        text += f" ({100 * each['worst scenario']:.0f})"
    return text


if __name__ == "__main__":
    main()
