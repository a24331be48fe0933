"""Looking after every group: how often a false winner is named, and how soon a true one.

    python benchmarks/looks.py [--records benchmarks/real/records]

d_g is the mean difference of two models in group g, and groups come one after the other. Two rules
are looked at after each, from the third to the hundredth:

    each time    P(better in a study of as many new groups) > .95
    sequence     the same, and zero outside of the confidence sequence, as `looks="any"` has it

Simulated groups have many points each, and no simulations of the models: the prior of the spread is
flat, and P is Student's t with n − 2 degrees of freedom. Real nulls are the differences of frozen
candidates in the groups of a real data set, less their mean, drawn with replacement; there P of the
sequence is that of the library, with the groups' sampling errors and the misfits of the models as
the prior ("sequence"), and with a flat one ("sequence, no simulations").
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rivals.method.spread import spread_between_groups
from scipy.special import stdtr

from rivals._questions.looks import FIRST_LOOK
from rivals.laws import Groups
from rivals.method.distance import wasserstein_distances
from rivals.method.looks import confidence_sequence
from rivals.method.probability import probability_over

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
HERE = Path(__file__).parent
LAST = 100
THRESHOLD = 0.95
STUDIES = 4000
REAL_STUDIES = 200  # of each pair
EFFECTS = (1.0, 0.5, 0.3)  # mean over spread
LEAST_GROUPS = 12  # of a real data set


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "real" / "records")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "looks.json")
    options = parser.parse_args()
    found = {
        "nulls": {name: null(draw) for name, draw in FAMILIES.items()},
        "real nulls": real_nulls(options.records),
        "effects": {str(effect): power(effect) for effect in EFFECTS},
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


# ---------------------------------------------------------------- the rules


def looked_at(groups: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Studies × looks: the sign of the winner that each rule names, or 0; groups as they came."""
    n = np.arange(1, groups.shape[1] + 1)
    mean = np.cumsum(groups, axis=1) / n
    square = np.cumsum((groups - mean[:, -1:]) ** 2, axis=1) / n - (mean - mean[:, -1:]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.sqrt(np.maximum(square, 0.0) * n / (n - 1))
        scale = s * np.sqrt((n - 1) / (n - 2) * 2 / n)
        sure = stdtr(n - 2, np.abs(mean) / scale) > THRESHOLD
    each_time = np.sign(mean) * sure
    inside = slice(FIRST_LOOK - 1, LAST)
    return each_time[:, inside], (each_time * outside(groups))[:, inside]


def outside(groups: FloatArray) -> BoolArray:
    """Whether zero is outside of the confidence sequence, at each number of groups."""
    low, high = confidence_sequence(groups)
    return np.asarray((low > 0.0) | (high < 0.0))


def named_by_library(groups: FloatArray, noise: FloatArray, scale: float) -> BoolArray:
    """Of each study, whether a winner is named at any look, P by the law of the library."""
    clear = outside(groups)
    found = np.zeros(len(groups), dtype=bool)
    for n in range(FIRST_LOOK, LAST + 1):
        asked = np.flatnonzero(clear[:, n - 1] & ~found)
        if asked.size == 0:
            continue
        scales = np.full((1, asked.size), scale)
        spread = spread_between_groups(groups[asked, :n], noise[asked, :n], scales)
        p = probability_over(spread, float(n))[0]
        found[asked] = np.maximum(p, 1.0 - p) > THRESHOLD
    return found


def ever(named: FloatArray) -> FloatArray:
    """Of each study, whether a winner is named at any look."""
    return np.asarray(np.any(named != 0.0, axis=1))


# ---------------------------------------------------------------- what comes


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_normal(shape)


def student(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_t(3.0, shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int], log_sd: float) -> FloatArray:
    return rng.lognormal(0.0, log_sd, shape) - np.exp(0.5 * log_sd**2)


def two_kinds(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """A tenth of the groups is of another kind, and undoes what the others show."""
    return np.where(rng.random(shape) < 0.1, -3.6, 0.4) + rng.standard_normal(shape)


FAMILIES: dict[str, Callable[..., FloatArray]] = {
    "normal": normal,
    "Student's t, 3 degrees of freedom": student,
    "log-normal, sd of the log 1/2": partial(skewed, log_sd=0.5),
    "log-normal, sd of the log 1": partial(skewed, log_sd=1.0),
    "a tenth of another kind": two_kinds,
}


def null(draw: Callable[..., FloatArray]) -> dict[str, Any]:
    """How often either rule names a winner where there is none, in %."""
    groups = draw(np.random.default_rng(0), (STUDIES, LAST))
    rates = [float(ever(named).mean()) for named in looked_at(groups)]
    return {
        name: [round(100 * rate, 2), round(100 * np.sqrt(rate * (1 - rate) / STUDIES), 2)]
        for name, rate in zip(("each time", "sequence"), rates, strict=True)
    }


def real_nulls(records: Path) -> dict[str, Any]:
    """The same on real data, all data sets alike; ± over data sets."""
    rates = []
    for pairs in of_data_sets(records):
        rng = np.random.default_rng(len(rates))
        own = []
        for pair in pairs:
            chosen = rng.integers(pair.differences.size, size=(REAL_STUDIES, LAST))
            groups, noise = pair.differences[chosen], pair.noise[chosen]
            by_time = [ever(named) for named in looked_at(groups)]
            by_library = named_by_library(groups, noise, pair.scale)
            own.append([float(x.mean()) for x in (by_time[0], by_library, by_time[1])])
        rates.append(np.mean(own, axis=0))
    mean = np.mean(rates, axis=0)
    error = np.std(rates, axis=0, ddof=1) / np.sqrt(len(rates))
    found: dict[str, Any] = {"data_sets": len(rates)}
    for place, name in enumerate(("each time", "sequence", "sequence, no simulations")):
        found[name] = [round(100 * float(mean[place]), 2), round(100 * float(error[place]), 2)]
    return found


@dataclass(frozen=True)
class Pair:
    """Two models of a real data set: differences in groups less their mean, and the law's prior."""

    differences: FloatArray
    noise: FloatArray  # sampling variances
    scale: float  # of the prior of the spread


def of_data_sets(records: Path) -> Iterator[list[Pair]]:
    """Of each data set all pairs of models that differ."""
    for path in sorted((records / "losses").glob("*.frozen.0.npz")):
        with np.load(path, allow_pickle=False) as kept:
            observed, group, simulated = kept["observed"], kept["group"], kept["simulations"]
        sizes = np.bincount(group)
        if sizes.size < LEAST_GROUPS:
            continue
        misfits = of_models(observed, simulated, group)
        means = np.array([np.bincount(group, one) / sizes for one in observed])
        found = []
        for a, b in zip(*np.triu_indices(len(means), 1), strict=True):
            differences = means[a] - means[b]
            within = observed[a] - observed[b] - differences[group]
            noise = np.sum(within**2) / (group.size - sizes.size) / sizes
            scale = np.sqrt(0.5 * Groups.default_c * (misfits[a] + misfits[b]))
            if np.ptp(differences) > 0.0:
                found.append(Pair(differences - differences.mean(), noise, float(scale)))
        yield found


def of_models(observed: FloatArray, simulated: FloatArray, group: IntArray) -> FloatArray:
    """W² of each model, the mean over groups that have simulations."""
    last = simulated.shape[2]
    each = []
    for place in np.unique(group[:last]):
        rows = np.flatnonzero(group == place)
        drawn = simulated[:, :, rows].astype(np.float64)
        pairs = zip(observed[:, rows], drawn, strict=True)
        each.append([np.mean(wasserstein_distances(*one) ** 2) for one in pairs])
    return np.mean(each, axis=0)


# ---------------------------------------------------------------- how soon


def power(effect: float) -> dict[str, Any]:
    """After how many groups half of the studies have named the winner, and how many in the end."""
    rng = np.random.default_rng(1)
    groups = effect + rng.standard_normal((STUDIES, LAST))
    _, named = looked_at(groups)
    first = np.argmax(named != 0.0, axis=1)
    done = ever(named)
    when = np.where(done, first + FIRST_LOOK, np.inf)
    sign = named[np.arange(STUDIES), first]
    # Whether the winner that was named is better in as many new groups.
    n = np.where(done, when, 1)
    again = effect + rng.standard_normal(STUDIES) / np.sqrt(n)
    return {
        "median": float(np.median(when)),
        "named by": {
            str(m): round(100 * float(np.mean(when <= m)), 1) for m in (5, 10, 20, 50, 100)
        },
        "wrong": round(100 * float(np.mean(sign[done] < 0)), 2),
        "failed to replicate": round(100 * float(np.mean(sign[done] * again[done] < 0)), 2),
    }


if __name__ == "__main__":
    main()
