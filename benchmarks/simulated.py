"""Families of simulated problems whose truth is known: who fails to replicate, under which method?

    python benchmarks/simulated.py [--problems 400] [--workers 1]

*One data set*: problems of the ten families of families.py, 1 000 points and 16 simulations each. A
winner is named where P exceeds .95, and scored in fresh replications, of which the true risks are
known. Method "beta" is slow and is asked of the first hundred problems of each family.

*Groups*: those and nine families more, with effects that are skewed or of several kinds, and 2 to
20 groups of 40 to 250 points with 8 simulations. P is about one new group, about as many as were
observed, and about the mean of all, and each is scored by its own question. Beside it stand P of
one new group by a normal law in place of the observed residuals, Student's t over groups, and the
mean over points with its standard error. Pooled are all families but "rare reversal", which is made
so that no study can be right about it.

Rates are in %, ± one standard error over problems. Writes results/simulated.json and .md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

import families
from rivals._core.losses import Losses, Provenance, Study
from rivals._core.reduced import Reduced
from rivals._core.setting import Setting
from rivals.laws import Beta, Groups, Transport
from rivals.method.probability import probability_over
from rivals.testbeds.blackbody import RadianceModel

FloatArray = npt.NDArray[np.float64]
Row = dict[str, list[float]]  # method → P that the first is better, and how often it was
HERE = Path(__file__).parent
THRESHOLD = 0.95
N_POINTS = 1000
N_SIMULATIONS = 16
N_FRESH = 3000
N_BETA = 100
TRANSPORT_C = (1 / 64, 1 / 16, 1 / 8, 1 / 4, 1.0)
BETA_C = (1 / 16, 1 / 4, 1.0)
GROUPS = (2, 3, 4, 8, 20)
SIZES = (40, 250)
N_SIMULATIONS_OF_GROUPS = 8
GROUPED = families.FAMILIES | families.GROUPED | families.SKEWED | families.REVERSED
SOURCE = Provenance(left_out=False)
FIRST, SECOND = np.array([0]), np.array([1])
ZERO = np.zeros(1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=400, help="of each family")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    begin = time.perf_counter()
    jobs = [(name, 0, options.problems) for name in families.FAMILIES]
    jobs += [(name, n_groups, options.problems) for n_groups in GROUPS for name in GROUPED]
    with ProcessPoolExecutor(options.workers) as pool:
        judged = dict(zip(jobs, pool.map(problems_of, *zip(*jobs, strict=True)), strict=True))
    rows = [row for n_groups in (0, *GROUPS) for row in rates(judged, n_groups)]
    seconds = round(time.perf_counter() - begin)
    settings = {"problems": options.problems, "seconds": seconds}
    lines = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    text = f'{{\n "settings": {json.dumps(settings)},\n "rows": [\n  {lines}\n ]\n}}\n'
    (options.out / "simulated.json").write_text(text, encoding="utf-8")
    (options.out / "simulated.md").write_text(page(settings, rows), encoding="utf-8")


def problems_of(name: str, n_groups: int, count: int) -> list[Row]:
    """Problems of a family, judged and scored."""
    place = list(GROUPED).index(name)
    streams = [np.random.default_rng([n_groups, place, index]) for index in range(count)]
    if n_groups:
        return [from_groups(name, n_groups, rng) for rng in streams]
    return [from_one(name, rng, beta=index < N_BETA) for index, rng in enumerate(streams)]


# ---------------------------------------------------------------- one data set


def from_one(name: str, rng: np.random.Generator, *, beta: bool) -> Row:
    problem = families.draw(families.FAMILIES[name], rng)
    data = problem.observe(N_POINTS, rng)
    losses = {}
    for label, model in zip("ab", problem.candidates, strict=True):
        drawn = [model.loss(model.simulate(N_POINTS, rng)) for _ in range(N_SIMULATIONS)]
        losses[label] = Losses(model.loss(data), np.array(drawn), source=SOURCE)
    study = Study.of(losses, order=problem.order)
    law = Transport()
    summary = law.summarise(study)
    found = {"mean ± SE": by_error(losses)}
    for c in TRANSPORT_C:
        differences = law.differences(summary, Setting(c=c), FIRST, SECOND)
        found[f"transport, c = {c:g}"] = float(differences.below(ZERO)[0, 0])
    unknown = law.without_c(summary, Setting(), FIRST, SECOND)
    found["transport, c unknown"] = float(unknown.below(ZERO)[0, 0])
    if beta:
        process = Beta()
        trees = process.summarise(Study.of(losses))
        for c in BETA_C:
            evidence = Reduced(process, trees).evidence(Setting(c=c, rng=0))
            found[f"beta, c = {c:g}"] = float(evidence.probability[0, 1])
    won = float(problem.wins(N_FRESH, rng).mean())
    found["oracle"] = float(problem.wins(N_FRESH, rng).mean())
    return {method: [p, won] for method, p in found.items()}


def by_error(losses: dict[str, Losses]) -> float:
    """P that all points are independent, and nothing else varies."""
    difference = losses["b"].observed - losses["a"].observed
    error = difference.std(ddof=1) / np.sqrt(difference.size)
    return float(ndtr(difference.mean() / error))


# ---------------------------------------------------------------- groups


def from_groups(name: str, n_groups: int, rng: np.random.Generator) -> Row:
    problem = families.draw(GROUPED[name], rng)
    sizes = np.exp(rng.uniform(*np.log(SIZES), n_groups)).astype(int)
    data = [problem.replicate(n, rng) for n in sizes]
    losses = {}
    for label, model in zip("ab", problem.candidates, strict=True):
        observed = np.concatenate([model.loss(one) for one in data])
        losses[label] = Losses(observed, simulated(model, sizes, rng), source=SOURCE)
    study = Study.of(losses, groups=np.repeat(np.arange(n_groups), sizes))
    law = Groups()
    summary = law.summarise(study)
    first, second = problem.risk(problem.states(N_FRESH, rng))[:2]
    fresh = first - second
    whole = N_FRESH // n_groups
    repeated = fresh[: whole * n_groups].reshape(whole, n_groups).mean(axis=1)
    won = {1.0: share(fresh), float(n_groups): share(repeated), inf: share(fresh.mean())}
    words = {1.0: "one new group", float(n_groups): "the study repeated", inf: "the mean of all"}
    found = {}
    for number, question in words.items():
        differences = law.differences(summary, Setting(new_groups=number), FIRST, SECOND)
        found[f"rivals: {question}"] = [float(differences.below(ZERO)[0, 0]), won[number]]
        if number == 1.0:
            normal = float(probability_over(differences.spread, 1.0)[0, 0])
            found[f"normal law: {question}"] = [normal, won[number]]
    repeat = won[float(n_groups)]
    means = summary.gaps[0] - summary.gaps[1]
    error = means.std(ddof=1) / np.sqrt(n_groups)
    found["t over groups: the study repeated"] = [
        float(stdtr(n_groups - 1, -means.mean() / error)),
        repeat,
    ]
    found["mean over points ± SE: the study repeated"] = [by_error(losses), repeat]
    return found


def simulated(model: Any, sizes: npt.NDArray[Any], rng: np.random.Generator) -> FloatArray:
    """Losses of simulations, simulations × points."""
    number = N_SIMULATIONS_OF_GROUPS
    if isinstance(model, RadianceModel):  # the wavelengths of each group span the whole range
        each = [[model.loss(model.simulate(n, rng)) for n in sizes] for _ in range(number)]
        return np.stack([np.concatenate(one) for one in each])
    drawn = model.loss(model.simulate(number * int(sizes.sum()), rng))
    return np.asarray(drawn.reshape(number, -1))


def share(differences: FloatArray) -> float:
    """How often the first is better; ties count half."""
    return float(np.mean(0.5 - 0.5 * np.sign(differences)))


# ---------------------------------------------------------------- rates


def rates(judged: dict[tuple[str, int, int], list[Row]], n_groups: int) -> Iterable[dict[str, Any]]:
    """Each method, all families pooled and each by itself."""
    of_family = {name: rows for (name, number, _), rows in judged.items() if number == n_groups}
    pooled = [x for name, rows in of_family.items() if name not in families.REVERSED for x in rows]
    for name, rows in ({"pooled": pooled} | of_family).items():
        for method in rows[0]:
            own = np.array([row[method] for row in rows if method in row])
            yield {"groups": n_groups, "family": name, "method": method} | scores(*own.T)


def scores(p: FloatArray, won: FloatArray) -> dict[str, Any]:
    firm = np.maximum(p, 1.0 - p)
    lost = np.where(p > 0.5, 1.0 - won, won)
    named = firm > THRESHOLD
    middle = (firm > 0.7) & (firm <= 0.95)
    gap = (1.0 - lost - firm)[middle]
    return {
        "named": percent(named.astype(np.float64)),
        "failed": percent(lost[named]),
        "won less P, .70 to .95": percent(gap),
        "1000 (P - won)^2": [round(10.0 * x, 2) for x in percent((p - won) ** 2) or ()],
        "problems": p.size,
        "named winners": int(named.sum()),
    }


def percent(values: FloatArray) -> list[float] | None:
    """Mean and standard error in %; none of fewer than two."""
    if values.size < 2:
        return None
    error = values.std(ddof=1) / np.sqrt(values.size)
    return [round(100.0 * float(values.mean()), 2), round(100.0 * float(error), 2)]


def page(settings: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    n_problems = settings["problems"]
    text = [
        "# Families of simulated problems",
        "",
        f"`python benchmarks/simulated.py --problems {n_problems}`: {settings['seconds']} s. The "
        "first lines of the script say what was done. Failure rate of named winners (nominal: at "
        "most 5 %), how often one is named, what became of P between .70 and .95, and 1000 × the "
        "mean of (P − truth)².",
    ]
    for n_groups in (0, *GROUPS):
        head = f"{n_groups} groups" if n_groups else "One data set"
        own = [row for row in rows if row["groups"] == n_groups and row["family"] == "pooled"]
        text += [
            "",
            f"## {head}",
            "",
            "| method | failed, % | named, % | won less P, points | 1000 (P − truth)² | problems |",
        ]
        text.append("| --- | --- | --- | --- | --- | --- |")
        for row in own:
            cells = [
                shown(row[key])
                for key in ("failed", "named", "won less P, .70 to .95", "1000 (P - won)^2")
            ]
            text.append(f"| {row['method']} | {' | '.join(cells)} | {row['problems']} |")
    names = [row["family"] for row in rows if row["method"] == "transport, c = 0.25"][1:]
    text += ["", "## One data set, by family", "", "Failed / named, %.", ""]
    text.append("| method | " + " | ".join(names) + " |")
    text.append("| --- |" + " --- |" * len(names))
    methods = dict.fromkeys(row["method"] for row in rows if not row["groups"])
    for method in methods:
        by_family = {
            row["family"]: row for row in rows if not row["groups"] and row["method"] == method
        }
        cells = [brief(by_family[name]) for name in names]
        text.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def shown(value: list[float] | None) -> str:
    return "–" if not value else f"{value[0]:.1f} ± {value[1]:.1f}"


def brief(row: dict[str, Any]) -> str:
    failed = "–" if row["failed"] is None else f"{row['failed'][0]:.1f}"
    return f"{failed} / {row['named'][0]:.0f}"


if __name__ == "__main__":
    main()
