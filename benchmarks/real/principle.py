"""The paper's principle on real groups: does a misfit say how far a risk moves in a replication?

    python benchmarks/real/principle.py [--records FOLDER]

Candidates were fitted to some groups of a data set (design "frozen" of losses.py). One other group
is at hand; all others that have 40 points or more are its replications. For each candidate

    W         its misfit in the group at hand: the distance of observed and simulated losses
    δ(Φ)      the same at each quantile
    τ², s²(Φ) the variance between the other groups of its mean loss, and of its quantiles

Sampling noise is removed by halves: groups are split at random, and a variance between groups is
the covariance between the values of both halves. The principle says that τ is proportional to W,
and s to δ, by one factor √c. Evidence is from one group at a time: a misfit averaged over groups
would contain the spread between them by construction. All data sets weigh the same, their value is
the median over candidates and groups at hand; ± is over data sets. Writes results/principle.json,
.md and .png.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr
from scipy.stats import rankdata

import principle_picture
from catalogue import CATALOGUE, DataSet
from problems import distinct, read
from rivals.method.distance import wasserstein_distances
from run import losses_path

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
LEAST_POINTS = 40
LEAST_OTHERS = 6
QUANTILES = (np.arange(20) + 0.5) / 20
C = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
LEVELS = (0.5, 0.9)
FOLDS = 10
# Of laws for one data set: ln c on a grid, and normal distributions of it, one c among them.
LOG_C = np.linspace(np.log(1e-6), np.log(1e4), 140)
SD_LOG_C = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
LEAST_DATA_SETS = 5  # of a candidate in tables
LEAST = 1e-4  # of P, in log scores


@dataclass(frozen=True)
class Groups:
    """What is needed of the groups of a data set that are large enough."""

    names: list[str]
    halves: FloatArray  # 2 × models × groups: mean loss of each half
    quantiles: FloatArray  # 2 × models × groups × QUANTILES
    means: FloatArray  # models × groups
    covariance: FloatArray  # groups × models × models, of pointwise losses
    sizes: npt.NDArray[np.intp]
    at_hand: list[int]  # groups that have simulations
    misfit: FloatArray  # at hand × models: W², the mean over simulations
    delta: FloatArray  # at hand × models × QUANTILES


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = summary(list(data_sets(options.records)))
    lines = (f"{json.dumps(key)}: {compact(value)}" for key, value in found.items())
    text = "{\n " + ",\n ".join(lines) + "\n}\n"
    (options.out / "principle.json").write_text(text, encoding="utf-8")
    (options.out / "principle.md").write_text(page(found), encoding="utf-8")
    principle_picture.draw(found, options.out / "principle.png")
    print(page(found))


def compact(value: Any) -> str:
    """JSON with a line for each row of a list."""
    if isinstance(value, list):
        return "[\n  " + ",\n  ".join(json.dumps(x, ensure_ascii=False) for x in value) + "\n ]"
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- what was seen


def data_sets(records: Path) -> Iterator[tuple[DataSet, Groups]]:
    for data_set in CATALOGUE:
        path = losses_path(data_set, "frozen", 0, records)
        if path.exists():
            groups = of_file(path)
            if groups is not None:
                yield data_set, groups


def of_file(path: Path) -> Groups | None:
    """None where fewer than seven groups have forty points."""
    kept = read(path)
    large = np.flatnonzero(np.bincount(kept["group"]) >= LEAST_POINTS)
    if large.size < LEAST_OTHERS + 1:
        return None
    own = distinct(kept["observed"])
    observed = kept["observed"][own]
    n_simulated = kept["simulations"].shape[2]
    rng = np.random.default_rng(0)
    halves, quantiles, means, covariance, misfit, delta = [], [], [], [], [], []
    at_hand = []
    for place, group in enumerate(large.tolist()):
        rows = np.flatnonzero(kept["group"] == group)
        losses = observed[:, rows]
        parts = np.array_split(rng.permutation(rows.size), 2)
        halves.append([losses[:, part].mean(axis=1) for part in parts])
        quantiles.append([np.quantile(losses[:, part], QUANTILES, axis=1).T for part in parts])
        means.append(losses.mean(axis=1))
        covariance.append(np.cov(losses))
        if rows[-1] >= n_simulated:
            continue
        at_hand.append(place)
        simulated = kept["simulations"][own][:, :, rows].astype(np.float64)
        pairs = list(zip(losses, simulated, strict=True))
        misfit.append([np.mean(wasserstein_distances(*one) ** 2) for one in pairs])
        gaps = [
            np.quantile(drawn, QUANTILES, axis=1) - np.quantile(seen, QUANTILES)[:, None]
            for seen, drawn in pairs
        ]
        delta.append([np.abs(one).mean(axis=1) for one in gaps])
    return Groups(
        kept["names"][own].tolist(),
        np.transpose(halves, (1, 2, 0)),
        np.transpose(quantiles, (1, 2, 0, 3)),
        np.array(means).T,
        np.array(covariance),
        np.bincount(kept["group"])[large],
        at_hand,
        np.array(misfit),
        np.array(delta),
    )


def between(halves: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """The covariance between groups of two halves, of axis 2: a variance without noise."""
    first = halves[0] - halves[0].mean(axis=1, keepdims=True)
    second = halves[1] if others is None else others[1]
    second = second - second.mean(axis=1, keepdims=True)
    return np.asarray(np.sum(first * second, axis=1) / (first.shape[1] - 1))


# ---------------------------------------------------------------- of one data set


def of_risks(groups: Groups) -> Iterator[dict[str, Any]]:
    """A row for each candidate and group at hand."""
    every = np.arange(groups.sizes.size)
    for row, place in enumerate(groups.at_hand):
        others = every[every != place]
        halves = groups.halves[:, :, others]
        tau2 = between(halves)
        moved = np.mean(np.prod(halves - groups.halves[:, :, [place]], axis=0), axis=1)
        s2 = between(groups.quantiles[:, :, others])
        apart = groups.quantiles[0][:, others] - groups.quantiles[1][:, others]
        noise = np.mean(apart**2, axis=1)
        variance = np.einsum("gmm->gm", groups.covariance)
        sampling = variance[place] / groups.sizes[place]
        noises = (variance[others] / groups.sizes[others, None]).T
        gaps = groups.means[:, others] - groups.means[:, [place]]
        for model, name in enumerate(groups.names):
            misfit = float(groups.misfit[row, model])
            delta = groups.delta[row, model]
            yield {
                "candidate": name,
                "model": model,
                "misfit": misfit,
                "sigma2": float(variance[place, model]),
                "tau2": float(tau2[model]),
                "c": float(tau2[model] / misfit),
                "c from the group at hand": float(moved[model] / misfit),
                "pointwise": spearman(delta, s2[model]),
                "pointwise, sampling error alike": partial(delta, s2[model], noise[model]),
                "pointwise c": float(np.median(s2[model] / np.maximum(delta**2, 1e-12))),
                "covered": {
                    level: [
                        covered(gaps[model], c * misfit + sampling[model] + noises[model], level)
                        for c in C
                    ]
                    for level in LEVELS
                },
            }


def of_pairs(groups: Groups) -> Iterator[dict[str, Any]]:
    """A row for each two candidates and group at hand."""
    every = np.arange(groups.sizes.size)
    a, b = np.triu_indices(len(groups.names), 1)
    degrees = groups.sizes - 1.0
    pooled = np.tensordot(degrees, groups.covariance, 1) / degrees.sum()
    own = np.diagonal(pooled)
    pointwise = pooled[a, b] / np.sqrt(own[a] * own[b])
    tau2 = between(groups.halves)
    shared = 0.5 * (
        between(groups.halves[:, a], groups.halves[:, b])
        + between(groups.halves[:, b], groups.halves[:, a])
    )
    product = tau2[a] * tau2[b]
    of_risk = np.full(a.size, np.nan)
    seen = (tau2[a] > 0.0) & (tau2[b] > 0.0)
    of_risk[seen] = np.clip(shared[seen] / np.sqrt(product[seen]), -1.0, 1.0)
    for row, place in enumerate(groups.at_hand):
        others = every[every != place]
        halves = groups.halves[:, :, others]
        spread = between(halves[:, a] - halves[:, b])
        alone = between(halves)
        here = groups.covariance[place]
        sigma2 = here[a, a] + here[b, b] - 2.0 * here[a, b]
        there = groups.covariance[others]
        noises = (there[:, a, a] + there[:, b, b] - 2.0 * there[:, a, b]).T
        gaps = groups.means[a][:, others] - groups.means[b][:, others]
        for pair in range(a.size):
            yield {
                "pointwise": float(pointwise[pair]),
                "risks": float(of_risk[pair]),
                "tau2": float(spread[pair]),
                "independent": float(alone[a[pair]] + alone[b[pair]]),
                "misfit": float(groups.misfit[row, a[pair]] + groups.misfit[row, b[pair]]),
                "sigma2": float(sigma2[pair]),
                "share": float(sigma2[pair] / (here[a[pair], a[pair]] + here[b[pair], b[pair]])),
                "centre": float(groups.means[a[pair], place] - groups.means[b[pair], place]),
                "sampling": float(sigma2[pair] / groups.sizes[place]),
                "noise": float(np.mean(noises[pair] / groups.sizes[others])),
                "won": float(0.5 - 0.5 * np.mean(np.sign(gaps[pair]))),
            }


def covered(gaps: FloatArray, variance: FloatArray, level: float) -> float:
    """How often the mean loss of another group lies in the central interval."""
    below = ndtr(gaps / np.sqrt(variance))
    tail = 0.5 - 0.5 * level
    return float(np.mean((below > tail) & (below < 1.0 - tail)))


def spearman(x: FloatArray, y: FloatArray) -> float:
    """Rank correlation; 0 where one of both does not vary."""
    a, b = rankdata(x), rankdata(y)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def partial(x: FloatArray, y: FloatArray, given: FloatArray) -> float:
    """The rank correlation that is left where a third is alike."""
    xy, xz, yz = spearman(x, y), spearman(x, given), spearman(y, given)
    rest = (1.0 - xz**2) * (1.0 - yz**2)
    return 0.0 if rest < 1e-9 else (xy - xz * yz) / float(np.sqrt(rest))


# ---------------------------------------------------------------- over data sets


def summary(kept: list[tuple[DataSet, Groups]]) -> dict[str, Any]:
    """All numbers of the page."""
    risks = {one.name: list(of_risks(groups)) for one, groups in kept}
    pairs = {one.name: list(of_pairs(groups)) for one, groups in kept}
    kinds = {one.name: one.kind for one, _ in kept}
    candidates = {name: of_candidates(rows) for name, rows in risks.items()}
    return {
        "data_sets": len(kept),
        "groups": sum(groups.sizes.size for _, groups in kept),
        "groups_at_hand": sum(len(groups.at_hand) for _, groups in kept),
        "least_points": LEAST_POINTS,
        "c": over_data_sets(risks, "c"),
        "c from the group at hand": over_data_sets(risks, "c from the group at hand"),
        "pointwise rank correlation": over_data_sets(risks, "pointwise"),
        "the same, sampling error alike": over_data_sets(risks, "pointwise, sampling error alike"),
        "pointwise c": over_data_sets(risks, "pointwise c"),
        "c by kind of data": by_kind(risks, kinds),
        "c by candidate": by_candidate(risks),
        "rank correlation of W and tau": correlations(candidates),
        "exponents": exponents(candidates),
        "ratio of c within a data set": within(candidates),
        "coverage": coverage(risks),
        "correlation of pointwise losses": over_data_sets(pairs, "pointwise"),
        "correlation of risks": over_data_sets(pairs, "risks"),
        "part of independent draws": over_data_sets(
            {
                name: [{"x": x["tau2"] / x["independent"]} for x in rows if x["independent"] > 0.0]
                for name, rows in pairs.items()
            },
            "x",
        ),
        "pairs": exponents_of_pairs(pairs),
        "laws of one data set": laws(pairs),
        "of data sets": [
            of_data_set(name, kinds[name], risks[name], pairs[name]) for name in risks
        ],
        "of candidates": [
            row for name in risks for row in plain(name, kinds[name], candidates[name])
        ],
    }


def of_candidates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each candidate of a data set: the median over groups at hand, each by itself."""
    found = []
    for model in sorted({row["model"] for row in rows}):
        own = [row for row in rows if row["model"] == model]
        one = {
            key: float(np.median([x[key] for x in own]))
            for key in ("misfit", "tau2", "sigma2", "c")
        }
        found.append({"candidate": own[0]["candidate"]} | one)
    return found


def plain(name: str, kind: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the picture shows: W and τ of each candidate that moves between groups."""
    return [
        {"data": name, "kind": kind, "candidate": row["candidate"]}
        | {"W": digits(np.sqrt(row["misfit"])), "tau": digits(np.sqrt(row["tau2"]))}
        for row in rows
        if row["tau2"] > 0.0
    ]


def of_data_set(
    name: str, kind: str, risks: list[dict[str, Any]], pairs: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "data": name,
        "kind": kind,
        "c": digits(median(risks, "c")),
        "pointwise rank correlation": digits(median(risks, "pointwise")),
        "correlation of pointwise losses": digits(median(pairs, "pointwise")),
        "correlation of risks": digits(median(pairs, "risks")),
    }


def median(rows: list[dict[str, Any]], key: str) -> float:
    values = np.array([row[key] for row in rows])
    values = values[np.isfinite(values)]
    return float(np.median(values)) if values.size else np.nan


def digits(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.4g}")


def over_data_sets(rows: dict[str, list[dict[str, Any]]], key: str) -> dict[str, Any]:
    """Quantiles over data sets of their medians, and the error of the median by bootstrap."""
    values = np.array([median(own, key) for own in rows.values() if own])
    values = values[np.isfinite(values)]
    drawn = np.random.default_rng(0).choice(values, (2000, values.size))
    quantiles = np.quantile(values, (0.1, 0.25, 0.5, 0.75, 0.9))
    return {
        "median": digits(float(quantiles[2])),
        "error": digits(float(np.median(drawn, axis=1).std())),
        "quantiles 10, 25, 50, 75, 90": [digits(float(x)) for x in quantiles],
        "data_sets": int(values.size),
    }


def by_kind(risks: dict[str, list[dict[str, Any]]], kinds: dict[str, str]) -> list[dict[str, Any]]:
    found = []
    for kind in ("real", "positive", "count", "binary"):
        own = {name: rows for name, rows in risks.items() if kinds[name] == kind}
        found.append({"kind": kind} | over_data_sets(own, "c"))
    return found


def by_candidate(risks: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(row["candidate"] for rows in risks.values() for row in rows)
    found: list[dict[str, Any]] = []
    for name in names:
        own = {
            data: [row for row in rows if row["candidate"] == name] for data, rows in risks.items()
        }
        own = {data: rows for data, rows in own.items() if rows}
        if len(own) >= LEAST_DATA_SETS:
            found.append({"candidate": name} | over_data_sets(own, "c"))
    return found


def coverage(risks: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Of intervals about the mean loss in the group at hand, sampling noise of both counted."""
    found = []
    for place, c in enumerate(C):
        row: dict[str, Any] = {"c": c}
        for level in LEVELS:
            each = [
                100.0 * np.mean([one["covered"][level][place] for one in rows])
                for rows in risks.values()
            ]
            error = np.std(each, ddof=1) / np.sqrt(len(each))
            row[f"{100 * level:.0f} %"] = [round(float(np.mean(each)), 2), round(float(error), 2)]
        found.append(row | {"data_sets": len(risks)})
    return found


# ---------------------------------------------------------------- τ against W


Candidates = dict[str, list[dict[str, Any]]]


def correlations(candidates: Candidates) -> dict[str, Any]:
    """Of W and τ over data sets; of candidates within a data set; and of σ and τ beside it."""

    def whole(name: str) -> Callable[[Candidates], float]:
        return lambda own: spearman(
            np.array([median(rows, name) for rows in own.values()]),
            np.array([median(rows, "tau2") for rows in own.values()]),
        )

    several = {name: rows for name, rows in candidates.items() if len(rows) >= 3}

    def inside(own: Candidates) -> float:
        return float(
            np.mean(
                [
                    spearman(
                        np.array([row["misfit"] for row in rows]),
                        np.array([row["tau2"] for row in rows]),
                    )
                    for rows in own.values()
                ]
            )
        )

    return {
        "over data sets": jackknife(candidates, whole("misfit")) | {"data_sets": len(candidates)},
        "over data sets, pointwise sd in place of W": jackknife(candidates, whole("sigma2"))
        | {"data_sets": len(candidates)},
        "candidates within a data set": jackknife(several, inside) | {"data_sets": len(several)},
    }


def exponents(candidates: Candidates) -> dict[str, Any]:
    """ln τ² on ln W² alone, and with ln σ²: a data set weighs 1."""
    moving = {name: [row for row in rows if row["tau2"] > 0.0] for name, rows in candidates.items()}
    moving = {name: rows for name, rows in moving.items() if rows}
    return {
        "W": regressed(moving, "tau2", ("misfit",)),
        "sigma": regressed(moving, "tau2", ("sigma2",)),
        "W and sigma": regressed(moving, "tau2", ("misfit", "sigma2")),
    }


def exponents_of_pairs(pairs: Candidates) -> dict[str, Any]:
    """ln τ_ab² on ln (W_a² + W_b²), and with the part of pointwise losses that is not shared."""
    moving = {
        name: [x for x in rows if x["tau2"] > 0.0 and x["share"] > 0.0]
        for name, rows in pairs.items()
    }
    moving = {name: rows for name, rows in moving.items() if rows}
    return {
        "W": regressed(moving, "tau2", ("misfit",)),
        "W and share": regressed(moving, "tau2", ("misfit", "share")),
    }


def regressed(rows: Candidates, of: str, on: tuple[str, ...]) -> dict[str, Any]:
    """Least squares of logarithms; errors by the jackknife over data sets."""

    def fit(own: Candidates) -> FloatArray:
        weight = np.concatenate([np.full(len(x), 1.0 / len(x)) for x in own.values()])
        table = [row for x in own.values() for row in x]
        y = np.log([row[of] for row in table])
        columns = [np.log([row[name] for row in table]) for name in on]
        X = np.column_stack([np.ones(y.size), *columns])
        root = np.sqrt(weight)
        solved = np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]
        rest = y - X @ solved
        spread = np.sqrt(weight @ rest**2 / weight.sum())
        whole = np.sqrt(weight @ (y - weight @ y / weight.sum()) ** 2 / weight.sum())
        return np.array([*solved, spread, whole])

    value = fit(rows)
    left = np.array([fit({k: v for k, v in rows.items() if k != name}) for name in rows])
    error = np.sqrt((len(rows) - 1) * left.var(axis=0))
    names = ("constant", *on, "residual sd", "sd")
    found: dict[str, Any] = {
        name: [round(float(x), 3), round(float(e), 3)]
        for name, x, e in zip(names, value, error, strict=True)
    }
    return found | {"data_sets": len(rows), "rows": sum(map(len, rows.values()))}


def jackknife(rows: Candidates, statistic: Callable[[Candidates], float]) -> dict[str, Any]:
    left = [statistic({k: v for k, v in rows.items() if k != name}) for name in rows]
    error = np.sqrt((len(rows) - 1) * np.var(left))
    return {"value": round(statistic(rows), 3), "error": round(float(error), 3)}


def within(candidates: Candidates) -> dict[str, Any]:
    """By what factor c differs between two candidates of a data set, and of two data sets."""
    logs = {
        name: np.log([row["c"] for row in rows if row["c"] > 0.0])
        for name, rows in candidates.items()
    }
    logs = {name: values for name, values in logs.items() if values.size > 1}
    inside = [
        float(np.median(np.abs(np.subtract.outer(x, x)[np.triu_indices(x.size, 1)])))
        for x in logs.values()
    ]
    middles = np.array([np.median(x) for x in logs.values()])
    apart = np.abs(np.subtract.outer(middles, middles)[np.triu_indices(middles.size, 1)])
    return {
        "within": round(float(np.exp(np.median(inside))), 2),
        "between": round(float(np.exp(np.median(apart))), 2),
        "data_sets": len(logs),
    }


# ---------------------------------------------------------------- laws for one data set


def laws(pairs: Candidates) -> list[dict[str, Any]]:
    """P of who is better in another group, c (or its distribution) fitted to nine tenths of the sets.

    Beside law transport one in which risks move together as pointwise losses do, and one in which
    only these say how far.
    """
    names = list(pairs)
    fold = np.random.default_rng(0).permutation(len(names)) % FOLDS
    data = np.concatenate([np.full(len(pairs[name]), place) for place, name in enumerate(names)])
    table = [row for name in names for row in pairs[name]]
    column = {key: np.array([row[key] for row in table]) for key in table[0]}
    spreads = {
        "c (W_a² + W_b²)": column["misfit"],
        "c (W_a² + W_b²) σ_ab² / (σ_a² + σ_b²)": column["misfit"] * column["share"],
        "c σ_ab²": column["sigma2"],
    }
    found: list[dict[str, Any]] = []
    references: dict[bool, FloatArray] = {}
    for name, spread in spreads.items():
        settings, scores = of_law(column, spread, data)
        for unknown in (False, True):
            places = np.array([i for i, (_, sd) in enumerate(settings) if unknown or sd == 0.0])
            own = np.empty(len(names))
            chosen = []
            for one in range(FOLDS):
                held = fold == one
                best = int(
                    places[np.argmax(scores[np.ix_(places, np.flatnonzero(~held))].sum(axis=1))]
                )
                own[held] = scores[best, held]
                chosen.append(settings[best])
            gain = own - references.setdefault(unknown, own)
            c, sd = np.median(chosen, axis=0)
            root = np.sqrt(own.size)
            found.append(
                {
                    "spread": name,
                    "c": digits(float(np.exp(c))),
                    "sd of ln c": digits(float(sd)),
                    "log score": [digits(float(own.mean())), digits(float(own.std(ddof=1) / root))],
                    "gain": [digits(float(gain.mean())), digits(float(gain.std(ddof=1) / root))],
                    "data_sets": len(names),
                    "pairs": len(table),
                }
            )
    return found


def of_law(
    column: dict[str, FloatArray], spread: FloatArray, data: npt.NDArray[np.intp]
) -> tuple[list[tuple[float, float]], FloatArray]:
    """Every (ln c, sd of ln c), and the mean log score of each data set there."""
    own = column["sampling"] + column["noise"]
    each = np.stack([ndtr(-column["centre"] / np.sqrt(spread * c + own)) for c in np.exp(LOG_C)])
    settings, scores = [], []
    sizes = np.bincount(data)
    for sd in SD_LOG_C:
        for place, middle in enumerate(LOG_C.tolist()):
            weights = np.exp(-0.5 * ((LOG_C - middle) / sd) ** 2) if sd else None
            p = each[place] if weights is None else weights @ each / weights.sum()
            p = np.clip(p, LEAST, 1.0 - LEAST)
            log = column["won"] * np.log(p) + (1.0 - column["won"]) * np.log1p(-p)
            settings.append((middle, sd))
            scores.append(np.bincount(data, log) / sizes)
    return settings, np.array(scores)


# ---------------------------------------------------------------- in words


def page(found: dict[str, Any]) -> str:
    """Every number, in Markdown."""

    def line(name: str, key: str) -> str:
        one = found[key]
        quantiles = " | ".join(f"{x:.2f}" for x in one["quantiles 10, 25, 50, 75, 90"])
        return f"| {name} | {quantiles} | {one['error']:.2f} | {one['data_sets']} |"

    text = [
        "# The paper's principle on real groups",
        "",
        f"`python benchmarks/real/principle.py`: {found['data_sets']} development data sets with seven "
        f"groups or more of {found['least_points']} points or more, {found['groups']} groups, of which "
        f"{found['groups_at_hand']} were at hand, one at a time. Its first lines say what the words mean.",
        "",
        "| quantiles over data sets | 10 % | 25 % | 50 % | 75 % | 90 % | ± of the median | data sets |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        line("c = τ²/W², spread about the mean of the other groups", "c"),
        line("c of the deviation from the group at hand", "c from the group at hand"),
        line("rank correlation of δ(Φ) and s(Φ)", "pointwise rank correlation"),
        line("the same, where sampling error is alike", "the same, sampling error alike"),
        line("c pointwise, the median over Φ", "pointwise c"),
        line(
            "correlation of pointwise losses of two candidates", "correlation of pointwise losses"
        ),
        line("correlation of their risks between groups", "correlation of risks"),
        line("τ² of a pair, of what independent risks give", "part of independent draws"),
        "",
        "| rank correlation with τ | value | data sets |",
        "| --- | --- | --- |",
    ]
    for name, one in found["rank correlation of W and tau"].items():
        text.append(f"| {name} | {one['value']:.2f} ± {one['error']:.2f} | {one['data_sets']} |")
    ratio = found["ratio of c within a data set"]
    text += [
        "",
        f"Two candidates of a data set have c that differ by a factor of {ratio['within']:.1f} "
        f"(median); two data sets, by {ratio['between']:.1f} ({ratio['data_sets']} data sets).",
        "",
        "| c of | 10 % | 25 % | 50 % | 75 % | 90 % | ± of the median | data sets |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in [*found["c by kind of data"], *found["c by candidate"]]:
        quantiles = " | ".join(f"{x:.2f}" for x in row["quantiles 10, 25, 50, 75, 90"])
        name = row.get("kind") or row.get("candidate")
        text.append(f"| {name} | {quantiles} | {row['error']:.2f} | {row['data_sets']} |")
    text += [
        "",
        "| c | nominal 50 % intervals of the risk in another group cover, % | nominal 90 % | data sets |",
        "| --- | --- | --- | --- |",
    ]
    for row in found["coverage"]:
        text.append(
            f"| {row['c']:g} | {row['50 %'][0]:.0f} ± {row['50 %'][1]:.0f} | "
            f"{row['90 %'][0]:.0f} ± {row['90 %'][1]:.0f} | {row['data_sets']} |"
        )
    text += [
        "",
        "| regression of ln τ² | exponents | residual sd (of) | data sets |",
        "| --- | --- | --- | --- |",
    ]
    for what, key in (("of one risk", "exponents"), ("of a pair", "pairs")):
        for name, one in found[key].items():
            powers = [
                f"{x}: {value[0]:.2f} ± {value[1]:.2f}"
                for x, value in one.items()
                if x in ("misfit", "sigma2", "share")
            ]
            text.append(
                f"| {what}, on {name} | {', '.join(powers)} | {one['residual sd'][0]:.2f} "
                f"({one['sd'][0]:.2f}) | {one['data_sets']} |"
            )
    text += [
        "",
        "Laws for one data set, their one or two numbers fitted to nine tenths of the data sets and "
        "scored on the rest; gain over the first law, with c known or unknown likewise.",
        "",
        "| variance of a difference | c | sd of ln c | log score | gain, 1000 × | data sets |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in found["laws of one data set"]:
        text.append(
            f"| {row['spread']} | {row['c']:.2g} | {row['sd of ln c']:g} | {row['log score'][0]:.3f} ± "
            f"{row['log score'][1]:.3f} | {1000 * row['gain'][0]:+.0f} ± {1000 * row['gain'][1]:.0f} | "
            f"{row['data_sets']} |"
        )
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    main()
