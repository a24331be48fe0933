"""One data set, and nobody knows c: what c has been, and whether P without c is true.

    python benchmarks/real/one_data_set.py [--records FOLDER]

Frozen candidates are judged from one group of a real data set, and scored in the other groups. With
d the mean difference of two models, se its standard error and W their misfits,

    P = E_c Φ( −d / √(se² + c (W_a² + W_b²) + noise) ),  ln c ~ N(ln c₀, s²),

noise being that of the mean in a fresh group. c₀ and s have the highest likelihood of what
happened in the fresh groups, all data sets weighing the same. Ten folds over data sets give P of
data sets that c₀ and s were not fitted to; a fifth of these at a time is compared with what
happened. The risk of one model has a distribution of c of its own, since risks of models move
together: its mean loss in a fresh group is normal about that at hand, with the variance
se² + c W² + noise.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import ndtr

from catalogue import CATALOGUE
from methods.rivals_ import study_of
from problems import problems
from rivals._core.setting import Setting
from rivals.laws import Transport
from run import losses_path

FloatArray = npt.NDArray[np.float64]
Parameters = tuple[float, float]  # ln c₀, ln s
HERE = Path(__file__).parent
FOLDS = 10
FIFTHS = 5
# The noise of fresh groups differs from group to group: by so many of its quantiles.
NOISES = 5
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
LEAST = 1e-4
LEVEL = 0.90


@dataclass(frozen=True)
class Rows:
    """Pairs of models, or models, judged from one group."""

    data: npt.NDArray[np.str_]
    centre: FloatArray  # mean difference, or 0 for the risk of one model
    sampling: FloatArray  # se²
    misfit: FloatArray  # W_a² + W_b², or W²
    noise: FloatArray  # rows × quantiles of that in a fresh group
    seen: FloatArray  # how often the first was better; or, of a risk, deviations in fresh groups

    def only(self, rows: npt.NDArray[np.bool_]) -> Rows:
        return Rows(*(getattr(self, one.name)[rows] for one in fields(self)))

    @property
    def weight(self) -> FloatArray:
        _, place, counts = np.unique(self.data, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (counts.size * counts[place]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results" / "one_data_set.json")
    options = parser.parse_args()
    found = summary(*rows_of(options.records, options.splits))
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


# ---------------------------------------------------------------- what was seen


def rows_of(records: Path, n_splits: int) -> tuple[Rows, Rows, Rows]:
    """Of all single groups: who won, differences in fresh groups, risks in fresh groups."""
    law = Transport()
    winners: list[tuple[Any, ...]] = []
    gaps: list[tuple[Any, ...]] = []
    risks: list[tuple[Any, ...]] = []
    for data_set, split in product(CATALOGUE, range(n_splits)):
        path = losses_path(data_set, "frozen", split, records)
        if not path.exists():
            continue
        key = {"data": data_set.name, "design": "frozen", "split": split}
        for problem in problems(path, key, at_hand=(1,)):
            summary = law.summarise(study_of(problem, groups=False))
            misfit = summary.misfits.mean(axis=0)
            fresh = problem.fresh
            own = np.diagonal(fresh.error, axis1=1, axis2=2)
            a, b = np.triu_indices(len(problem.names), 1)
            normal = law.differences(summary, Setting(), a, b)
            gap = fresh.means[:, a] - fresh.means[:, b]
            noise = np.maximum(own[:, a] + own[:, b] - 2.0 * fresh.error[:, a, b], 0.0)
            known = normal.sampling, misfit[a] + misfit[b], quantiles(noise)
            name = np.repeat(data_set.name, a.size)
            won = 0.5 - 0.5 * np.sign(gap).mean(axis=0)
            winners.append((name, normal.centre, *known, won))
            gaps.append((name, np.zeros(a.size), *known, quantiles(gap - normal.centre)))
            single = law.risks(summary, Setting())
            known = single.sampling, misfit, quantiles(own)
            name = np.repeat(data_set.name, misfit.size)
            seen = quantiles(fresh.means - single.centre)
            risks.append((name, np.zeros(misfit.size), *known, seen))
    return joined(winners), joined(gaps), joined(risks)


def joined(parts: list[tuple[Any, ...]]) -> Rows:
    return Rows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def quantiles(values: FloatArray) -> FloatArray:
    """Of each column, as a row of a few numbers that stand for all."""
    levels = (np.arange(NOISES) + 0.5) / NOISES
    return np.quantile(values, levels, axis=0).T


# ---------------------------------------------------------------- P, and its likelihood


def variance(rows: Rows, c: FloatArray) -> FloatArray:
    """Rows × values of c, without noise."""
    return rows.sampling[:, None] + rows.misfit[:, None] * c


def without_c(rows: Rows, at: Parameters, *, noisy: bool) -> FloatArray:
    """P, averaged over c, and over the noise of fresh groups."""
    c = grid(at)
    own = variance(rows, c)
    if not noisy:
        return ndtr(-rows.centre[:, None] / np.sqrt(own)) @ WEIGHTS
    each = [ndtr(-rows.centre[:, None] / np.sqrt(own + one[:, None])) for one in rows.noise.T]
    return np.asarray(np.mean(each, axis=0) @ WEIGHTS)


def at_c(rows: Rows, c: float, *, noisy: bool) -> FloatArray:
    own = variance(rows, np.array([c]))
    if not noisy:
        return np.asarray(ndtr(-rows.centre / np.sqrt(own[:, 0])))
    return np.asarray(ndtr(-rows.centre[:, None] / np.sqrt(own + rows.noise)).mean(axis=1))


def log_score(rows: Rows, p: FloatArray) -> FloatArray:
    p = np.clip(p, LEAST, 1.0 - LEAST)
    return np.asarray(rows.seen * np.log(p) + (1.0 - rows.seen) * np.log1p(-p))


def likelihood_of_winners(rows: Rows, at: Parameters) -> float:
    return float(rows.weight @ log_score(rows, without_c(rows, at, noisy=True)))


def likelihood_of_risks(rows: Rows, at: Parameters) -> float:
    """Of the deviations in fresh groups: a mixture of normal laws, noise by its median."""
    c = grid(at)
    own = variance(rows, c) + rows.noise[:, NOISES // 2, None]
    total = 0.0
    for one in rows.seen.T:
        density = np.exp(-0.5 * one[:, None] ** 2 / own) / np.sqrt(2.0 * np.pi * own)
        total += float(rows.weight @ np.log(np.maximum(density @ WEIGHTS, 1e-300)))
    return total / NOISES


def fitted(rows: Rows, likelihood: Callable[[Rows, Parameters], float]) -> Parameters:
    """ln c₀ and ln s of the highest likelihood."""
    found = minimize(
        lambda at: -likelihood(rows, at),
        (np.log(0.2), np.log(4.0)),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-7},
    ).x
    return float(found[0]), float(found[1])


# ---------------------------------------------------------------- the summary


def summary(winners: Rows, gaps: Rows, risks: Rows) -> dict[str, Any]:
    names = np.unique(winners.data)
    place = np.random.default_rng(0).permutation(names.size) % FOLDS
    fold = dict(zip(names.tolist(), place.tolist(), strict=True))
    plain = np.empty(winners.centre.size)
    noisy = np.empty(winners.centre.size)
    of_gaps, of_risks = np.empty(gaps.seen.shape), np.empty(risks.seen.shape)
    priors = []
    for one in range(FOLDS):
        held, held_risks = (np.array([fold[x] == one for x in y.data]) for y in (winners, risks))
        at = fitted(winners.only(~held), likelihood_of_winners)
        priors.append([round(float(np.exp(x)), 3) for x in at])
        plain[held] = without_c(winners.only(held), at, noisy=False)
        noisy[held] = without_c(winners.only(held), at, noisy=True)
        of_gaps[held] = below(gaps.only(held), grid(at))
        at = fitted(risks.only(~held_risks), likelihood_of_risks)
        of_risks[held_risks] = below(risks.only(held_risks), grid(at))
    whole = fitted(winners, likelihood_of_winners)
    of_risk = fitted(risks, likelihood_of_risks)
    scored = {"c unknown, ten folds": log_score(winners, noisy)}
    for c in (0.25, 1.0):
        scored[f"c = {c:g}"] = log_score(winners, at_c(winners, c, noisy=True))
    gained = scored["c unknown, ten folds"] - scored["c = 0.25"]
    return {
        "prior": {
            "median_c": round(float(np.exp(whole[0])), 4),
            "sd_log_c": round(float(np.exp(whole[1])), 3),
            "n_data_sets": int(names.size),
            "risk_median_c": round(float(np.exp(of_risk[0])), 4),
            "risk_sd_log_c": round(float(np.exp(of_risk[1])), 3),
            "reliability": bands(winners, plain),
        },
        "c and s of ten folds": priors,
        "fifths, noise counted": fifths(winners, noisy),
        "fifths": fifths(winners, plain),
        "at c = 1/4": bands(winners, at_c(winners, 0.25, noisy=False)),
        "log score": {name: mean_of(winners, value) for name, value in scored.items()},
        "log score gained over c = 1/4": mean_of(winners, gained),
        "coverage of 90 % intervals in another group": {
            "risk": coverage(risks, of_risks, grid(whole)),
            "difference": coverage(gaps, of_gaps, grid(of_risk)),
        },
    }


def coverage(rows: Rows, apart: FloatArray, other: FloatArray) -> dict[str, Any]:
    """Of the interval with c unknown, with the other distribution of c, and at some c."""
    laws = {"c unknown, ten folds": apart, "c unknown, as of the other": below(rows, other)}
    for c in (0.0, 0.25, 0.5, 1.0, 2.0):
        laws[f"c = {c:g}"] = below(rows, np.full(NODES.size, c))
    tail = 0.5 - 0.5 * LEVEL
    return {
        name: mean_of(rows, np.mean((u > tail) & (u < 1.0 - tail), axis=1), unit=100.0)
        for name, u in laws.items()
    }


def grid(at: Parameters) -> FloatArray:
    """Values of c that stand for its distribution, with WEIGHTS."""
    return np.asarray(np.exp(at[0] + np.exp(at[1]) * NODES))


def below(rows: Rows, c: FloatArray) -> FloatArray:
    """The law of the mean in a fresh group, at the values seen, its noise counted."""
    own = variance(rows, c) + rows.noise[:, NOISES // 2, None]
    return np.stack([ndtr(one[:, None] / np.sqrt(own)) @ WEIGHTS for one in rows.seen.T], axis=1)


def fifths(rows: Rows, p: FloatArray) -> list[dict[str, Any]]:
    """A fifth of the predictions at a time, by P of the favoured model."""
    firm = np.maximum(p, 1.0 - p)
    order = np.argsort(firm, kind="stable")
    reached = np.cumsum(rows.weight[order])
    part = np.empty(p.size, dtype=np.intp)
    part[order] = np.minimum((FIFTHS * reached).astype(np.intp), FIFTHS - 1)
    return [compared(rows, p, part == one) for one in range(FIFTHS)]


def bands(rows: Rows, p: FloatArray) -> list[dict[str, Any]]:
    firm = np.maximum(p, 1.0 - p)
    found = []
    for low, high in ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 0.99), (0.99, 1.0)):
        inside = (firm > low) & (firm <= high)
        if np.unique(rows.data[inside]).size > 1:
            found.append({"low": low, "high": high} | compared(rows, p, inside))
    return found


def compared(rows: Rows, p: FloatArray, inside: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Mean P of the favoured one, and how often it won."""
    won = np.where(p >= 0.5, rows.seen, 1.0 - rows.seen)
    firm = np.maximum(p, 1.0 - p)
    rate, error = jackknife(rows, won, inside)
    gap, gap_error = jackknife(rows, won - firm, inside)
    return {
        "mean_p": round(rate - gap, 4),
        "won": round(rate, 4),
        "standard_error": round(error, 4),
        "gap": [round(gap, 4), round(gap_error, 4)],
        "n_data_sets": int(np.unique(rows.data[inside]).size),
        "n_pairs": int(inside.sum()),
    }


def mean_of(rows: Rows, values: FloatArray, unit: float = 1.0) -> list[float]:
    found = jackknife(rows, values, np.ones(values.size, dtype=bool))
    return [round(unit * one, 4) for one in found]


def jackknife(rows: Rows, values: FloatArray, inside: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The mean over some rows, all data sets alike, and its error over data sets."""
    names, place = np.unique(rows.data, return_inverse=True)
    weight = rows.weight * inside
    above = np.bincount(place, weight * values, names.size)
    under = np.bincount(place, weight, names.size)
    rest = (above.sum() - above) / (under.sum() - under)
    error = np.sqrt((names.size - 1) * np.var(rest))
    return float(above.sum() / under.sum()), float(error)


if __name__ == "__main__":
    main()
