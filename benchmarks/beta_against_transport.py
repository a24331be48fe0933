"""The paper's process against method "transport", at equal numbers of named winners.

    python benchmarks/beta_against_transport.py judge [--records FOLDER]     # 20 minutes
    python benchmarks/beta_against_transport.py score

Both judge the same losses of one data set, without groups, at many c: frozen candidates of the real
data sets from a single group, scored in the other groups; and our ten families, scored in
replications. Three laws: transport and the beta process with sixteen simulations, and the paper's
algorithm, with one simulation and eight refinements.

A law names a winner where P is above 0.95, and it names the fewer, the larger c. So failure rates
are compared where laws name equally many: at the c where that is so (interpolated), and, at one c,
among as many of the most confident pairs. Brier and log score are those of the c that is best for
each law, noise of the truth included. All data sets (families) weigh the same; ± is the jackknife
over data sets (over twentieths of the problems of every family).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from families import FAMILIES, draw
from rivals._core.candidates import losses_of_model
from rivals._core.losses import Losses, Study
from rivals._core.setting import Setting
from rivals.laws import Law, Transport
from rivals.laws.beta import Beta, DrawnDifferences, Paper, draw_seed

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "real"))

FloatArray = npt.NDArray[np.float64]
OUT = HERE / "results" / "beta_against_transport.json"
C = tuple(2.0**k for k in range(-8, 3))
LAWS: dict[str, Law] = {"transport": Transport(), "beta": Beta(), "paper": Paper()}
N_DRAWS = 4096  # of a risk: P has an error of at most 0.008
N_SIMULATIONS = 16
# Single groups of a real data set, and problems of a family.
GROUPS = 4
PROBLEMS = 300
N_POINTS = 1000
N_REPLICATIONS = 400
THRESHOLD = 0.95
NAMED = (0.05, 0.1, 0.2)
LEAST = 1e-4
UNITS = 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("judge", "score"))
    parser.add_argument("--records", type=Path, default=HERE / "real" / "records")
    parser.add_argument("--problems", type=int, default=PROBLEMS)
    options = parser.parse_args()
    kept = options.records / "beta_against_transport.npz"
    if options.what == "judge":
        rows = [*of_families(options.problems), *of_real_data(options.records)]
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        np.savez_compressed(kept, **columns)
    with np.load(kept, allow_pickle=False) as archive:
        found = summary(dict(archive))
    OUT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    OUT.with_suffix(".md").write_text(page(found), encoding="utf-8")
    print(page(found))


# ---------------------------------------------------------------- problems


def of_families(count: int) -> Iterator[dict[str, Any]]:
    """One row for each problem."""
    for place, (name, family) in enumerate(FAMILIES.items()):
        for number in range(count):
            rng = np.random.default_rng([2026, place, number])
            problem = draw(family, rng)
            data = problem.observe(N_POINTS, rng)
            losses = {
                str(which): losses_of_model(model, data, n_simulations=N_SIMULATIONS, rng=rng)
                for which, model in enumerate(problem.candidates)
            }
            won = float(problem.wins(N_REPLICATIONS, rng).mean())
            known = {"problems": "families", "data": name, "unit": f"{number * UNITS // count}"}
            truth = np.array([[0.5, won], [1 - won, 0.5]])
            yield from rows_of(losses, known, truth, order=problem.order, seed=number)


def of_real_data(records: Path) -> Iterator[dict[str, Any]]:
    """A row for each pair of models, judged from a single group."""
    from catalogue import CATALOGUE
    from problems import problems
    from run import losses_path

    for data_set in CATALOGUE:
        path = losses_path(data_set, "frozen", 0, records)
        if not path.exists():
            continue
        key = {"data": data_set.name, "design": "frozen", "split": 0}
        for number, problem in enumerate(problems(path, key, at_hand=(1,))):
            if number == GROUPS:
                break
            losses = {
                name: Losses(observed, simulated)
                for name, observed, simulated in zip(
                    problem.names, problem.views["groups"][0], problem.simulations[0], strict=True
                )
            }
            known = {"problems": "real", "data": data_set.name, "unit": data_set.name}
            truth = problem.fresh.truth(1, np.random.default_rng(0))[0]
            yield from rows_of(losses, known, truth, order=problem.order, seed=number)


def rows_of(
    losses: dict[str, Losses],
    known: dict[str, str],
    truth: FloatArray,
    *,
    order: str | None,
    seed: int,
) -> list[dict[str, Any]]:
    """P of each pair under each law at each c, and what became of the pair."""
    pairs = np.array(list(combinations(range(len(losses)), 2))).T
    found: dict[str, FloatArray] = {}
    seconds = {}
    for name, law in LAWS.items():
        begin = time.process_time()
        found[name] = at_each_c(law, losses, *pairs, order=order, seed=seed)
        seconds[f"seconds {name}"] = (time.process_time() - begin) / pairs.shape[1]
    return [
        {**known, "won": truth[a, b], **seconds, **{law: each[row] for law, each in found.items()}}
        for row, (a, b) in enumerate(pairs.T)
    ]


def at_each_c(
    law: Law, losses: dict[str, Losses], a: Any, b: Any, *, order: str | None, seed: int
) -> FloatArray:
    """Pairs × values of c."""
    if isinstance(law, Paper):
        losses = {name: Losses(one.observed, one.simulated[:1]) for name, one in losses.items()}
    summary = law.summarise(Study.of(losses, order=order))
    zero = np.zeros(len(a))
    if isinstance(law, Transport):
        each = [law.differences(summary, Setting(c=c), a, b).below(zero)[0] for c in C]
        return np.array(each).T
    processes = [process.at_each(C) for process in summary.processes]
    columns = []
    for place in range(len(C)):
        draws = [
            [np.sort(process[place].sampler.sample(N_DRAWS, draw_seed(seed, model)))]
            for model, process in enumerate(processes)
        ]
        columns.append(DrawnDifferences(draws, a, b).below(zero)[0])
    return np.array(columns).T


# ---------------------------------------------------------------- scores


def summary(rows: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"c": C, "threshold": THRESHOLD}
    for kind in ("families", "real"):
        chosen = rows["problems"] == kind
        each = {name: column[chosen] for name, column in rows.items()}
        units, unit = np.unique(each["unit"], return_inverse=True)
        data, place, counts = np.unique(each["data"], return_inverse=True, return_counts=True)
        weight = 1.0 / (data.size * counts[place])
        whole = scores(each, weight)
        rest = [scores(each, np.where(unit == one, 0.0, weight)) for one in range(units.size)]
        found[kind] = {
            "data sets": data.size,
            "pairs": int(chosen.sum()),
            "seconds for a pair at all c": {
                law: round(float(np.median(each[f"seconds {law}"])), 4) for law in LAWS
            },
            **{
                name: [round(value, 4), round(jackknife([one[name] for one in rest]), 4)]
                for name, value in whole.items()
            },
        }
    return found


def jackknife(values: list[float]) -> float:
    return float(np.sqrt((len(values) - 1) * np.var(values)))


def scores(rows: dict[str, Any], weight: FloatArray) -> dict[str, float]:
    """All numbers by name, and the differences of beta and transport."""
    weight = weight / weight.sum()
    found: dict[str, float] = {}
    for law in LAWS:
        p = rows[law]
        firm = np.maximum(p, 1.0 - p)
        failed = np.where(p >= 0.5, 1.0 - rows["won"][:, None], rows["won"][:, None])
        named = weight[:, None] * (firm > THRESHOLD)
        share = named.sum(axis=0)
        rate = (named * failed).sum(axis=0) / np.maximum(share, 1e-300)
        brier = weight @ (rows["won"][:, None] * (1 - p) ** 2 + (1 - rows["won"][:, None]) * p**2)
        q = np.clip(p, LEAST, 1 - LEAST)
        log = weight @ (
            rows["won"][:, None] * np.log(q) + (1 - rows["won"][:, None]) * np.log1p(-q)
        )
        for place, c in enumerate(C):
            at = f"{law}, c = 2^{np.log2(c):.0f}"
            found[f"{at}: named"] = share[place]
            found[f"{at}: failed"] = rate[place]
        for part in NAMED:
            found[f"{law}: failed, {part:.0%} named"] = float(
                np.interp(part, share[::-1], rate[::-1])
            )
        quarter = C.index(0.25)
        order = np.argsort(-firm[:, quarter], kind="stable")
        reached = np.cumsum(weight[order])
        for part in NAMED:
            first = order[reached <= part]
            found[f"{law}: failed, {part:.0%} most confident at 2^-2"] = float(
                weight[first] @ failed[first, quarter] / weight[first].sum()
            )
        found[f"{law}: Brier score"] = float(brier.min())
        found[f"{law}: log score"] = float(log.max())
        found[f"{law}: log2 of the c of the best log score"] = float(np.log2(C[int(log.argmax())]))
    for name in [name for name in found if name.startswith("beta: ") and "best" not in name]:
        other = name.removeprefix("beta: ")
        found[f"beta less transport: {other}"] = found[name] - found[f"transport: {other}"]
    return found


def page(found: dict[str, Any]) -> str:
    lines = [
        "# The beta process against transport, at equal numbers of named winners",
        "",
        "Made by `python benchmarks/beta_against_transport.py judge`; it says how.",
    ]
    for kind, title in (
        ("real", "Real data: one group at hand, scored in the others"),
        ("families", "Ten families of problems, scored in replications"),
    ):
        part = found[kind]
        lines += [
            "",
            f"## {title}",
            "",
            f"{part['data sets']} {'data sets' if kind == 'real' else 'families'}, "
            f"{part['pairs']} pairs of models.",
            "",
            "| | transport | beta | the paper's algorithm | beta less transport |",
            "| --- | --- | --- | --- | --- |",
        ]
        wanted = [(f"failed, {each:.0%} named", 100.0, " %") for each in NAMED]
        wanted += [(f"failed, {each:.0%} most confident at 2^-2", 100.0, " %") for each in NAMED]
        wanted += [("Brier score", 1.0, ""), ("log score", 1.0, "")]
        for name, factor, unit in wanted:
            cells = [
                _cell(part[f"{law}: {name}"], factor, unit)
                for law in (*LAWS, "beta less transport")
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        best = [part[f"{law}: log2 of the c of the best log score"][0] for law in LAWS]
        lines.append(f"| c of the best log score | {' | '.join(f'2^{k:.0f}' for k in best)} | |")
        times = part["seconds for a pair at all c"].values()
        lines.append(
            f"| ms for a pair at one c | {' | '.join(f'{1e3 * t / len(C):.2f}' for t in times)} | |"
        )
        lines += [
            "",
            "Named winners / failure rate, in %, by c:",
            "",
            f"| | {' | '.join(f'2^{np.log2(c):.0f}' for c in found['c'])} |",
            f"| --- |{' --- |' * len(found['c'])}",
        ]
        for law in LAWS:
            cells = []
            for c in found["c"]:
                at = f"{law}, c = 2^{np.log2(c):.0f}"
                cells.append(
                    f"{100 * part[f'{at}: named'][0]:.1f} / {100 * part[f'{at}: failed'][0]:.1f} "
                    f"± {100 * part[f'{at}: failed'][1]:.1f}"
                )
            lines.append(f"| {law} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(value: list[float], factor: float, unit: str) -> str:
    digits = 1 if factor > 1 else 4
    return f"{factor * value[0]:.{digits}f} ± {factor * value[1]:.{digits}f}{unit}"


if __name__ == "__main__":
    main()
