"""Looking after every group: how often a false winner is named, and how soon a true one.

    python benchmarks/looks.py [--records benchmarks/real/records]

d_g is the mean difference of two models in group g, and groups come one after the other. Two rules
are looked at after each, from the third to the hundredth:

    each time    P(better in a study of as many new groups) > .95
    sequence     the same, and zero outside of the confidence sequence

    mean ± s/√n · √((n − 1) (A − 1) / (1 − A/g)),   g = 1 + n,  A = (g/α²)^(1/n),  α = .10

which holds at all n at once for normal groups of equal variance (a mixture of t over effects of the
size of the spread); infinite where A ≥ g. P is that of groups with many points each and a flat
prior of the spread: Student's t with n − 2 degrees of freedom. Real nulls are the differences of
frozen candidates in the groups of a real data set, less their mean, drawn with replacement.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

FloatArray = npt.NDArray[np.float64]
HERE = Path(__file__).parent
FIRST, LAST = 3, 100
THRESHOLD = 0.95
ALPHA = 0.10
STUDIES = 4000
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
        outside = np.abs(mean) > half_width(s, n)
    each_time = np.sign(mean) * sure
    inside = slice(FIRST - 1, LAST)
    return each_time[:, inside], (each_time * outside)[:, inside]


def half_width(s: FloatArray, n: npt.NDArray[Any]) -> FloatArray:
    """Of the confidence sequence, from the standard deviation of so many groups."""
    g = 1.0 + n
    a = (g / ALPHA**2) ** (1.0 / n)
    finite = a < g
    ratio = (n - 1) * (a - 1) / np.where(finite, 1.0 - a / g, 1.0)
    return np.asarray(np.where(finite, s * np.sqrt(ratio / n), np.inf))


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
    for differences in of_data_sets(records):
        rng = np.random.default_rng(len(rates))
        own = []
        for pair in differences:
            chosen = rng.integers(pair.size, size=(STUDIES // 20, LAST))
            own.append([float(ever(named).mean()) for named in looked_at(pair[chosen])])
        rates.append(np.mean(own, axis=0))
    mean = np.mean(rates, axis=0)
    error = np.std(rates, axis=0, ddof=1) / np.sqrt(len(rates))
    found: dict[str, Any] = {"data_sets": len(rates)}
    for place, name in enumerate(("each time", "sequence")):
        found[name] = [round(100 * float(mean[place]), 2), round(100 * float(error[place]), 2)]
    return found


def of_data_sets(records: Path) -> Iterator[FloatArray]:
    """Of each data set, pairs × groups: differences of means, less their mean over groups."""
    for path in sorted((records / "losses").glob("*.frozen.0.npz")):
        with np.load(path, allow_pickle=False) as kept:
            observed, group = kept["observed"], kept["group"]
        sizes = np.bincount(group)
        if sizes.size < LEAST_GROUPS:
            continue
        means = np.array([np.bincount(group, one) / sizes for one in observed])
        a, b = np.triu_indices(len(means), 1)
        differences = means[a] - means[b]
        differences -= differences.mean(axis=1, keepdims=True)
        yield differences[differences.std(axis=1) > 0.0]


# ---------------------------------------------------------------- how soon


def power(effect: float) -> dict[str, Any]:
    """After how many groups half of the studies have named the winner, and how many in the end."""
    rng = np.random.default_rng(1)
    groups = effect + rng.standard_normal((STUDIES, LAST))
    _, named = looked_at(groups)
    first = np.argmax(named != 0.0, axis=1)
    done = ever(named)
    when = np.where(done, first + FIRST, np.inf)
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
