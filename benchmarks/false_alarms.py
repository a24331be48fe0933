"""How often do the notes about mistakes fire: on healthy problems (false alarms), and on the same
problems with a mistake made.

    python benchmarks/false_alarms.py [--problems 1000] [--first 10000] [--real RECORDS] [--out
    benchmarks/results/false_alarms.json]

Healthy problems are of many kinds: densities in one and in several dimensions, regressions, counts,
classifiers, series; 2 to 5 models that may be good or hopeless; 30 to 5 000 points; 1, 4 or 16
simulations, in every fifth problem with one seed for all models. A note that fires there is a false
alarm. Limits of the checks were chosen by looking at the problems 0 to 4 000; the committed result
is of others. `few_points`, `ties` and tails state facts and are not counted.

Each problem is looked at with its simulations and without. `--real FOLDER` does the same with the
losses that benchmarks/real/run.py keeps in its records: regressions, counts and labels of real data
in groups, four to six candidates of each data set; there the second is spoiled. One limit, that of
`synthetic_sign`, was mended after a false alarm there.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from rivals.comparison.mistakes import mistakes
from rivals.losses import Losses

Pairs = list[tuple[np.ndarray, np.ndarray]]
# Loss of a data set, a simulation of as many points.
Toy = tuple[Callable[[Any], np.ndarray], Callable[[np.random.Generator], Any]]

FAMILIES = (stats.norm, stats.laplace, stats.logistic, stats.t(3), stats.t(8), stats.gumbel_r)


# ---------------------------------------------------------------- healthy problems


def densities(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """Points on a line, models of any family, fitted or far off."""
    truth = FAMILIES[rng.integers(len(FAMILIES))]
    unit = 10.0 ** rng.uniform(-3, 3)

    def model() -> Toy:
        family = FAMILIES[rng.integers(len(FAMILIES))]
        scale = unit * np.exp(rng.choice([0.0, 0.1, 0.7]) * rng.normal())
        centre = unit * rng.choice([0, 0.1, 3]) * rng.normal()
        return (
            lambda y: -family.logpdf((y - centre) / scale) + np.log(scale),
            lambda g: centre + scale * family.rvs(size=n, random_state=g),
        )

    return unit * truth.rvs(size=n, random_state=rng), [model() for _ in range(rng.integers(2, 6))]


def vectors(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """Normal vectors of 2 to 10 dimensions."""
    d = int(rng.integers(2, 11))

    def model() -> Toy:
        scale = np.exp(0.3 * rng.normal(size=d))
        centre = 0.3 * rng.normal(size=d)
        return (
            lambda y: np.sum(((y - centre) / scale) ** 2 / 2 + np.log(scale), axis=1) + 0.919 * d,
            lambda g: centre + scale * g.standard_normal((n, d)),
        )

    return rng.standard_normal((n, d)), [model() for _ in range(rng.integers(2, 5))]


def positive(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """Waiting times: exponential, gamma, log-normal, Weibull."""
    families = (
        stats.expon,
        stats.gamma(rng.uniform(0.5, 5)),
        stats.lognorm(rng.uniform(0.3, 1.5)),
        stats.weibull_min(rng.uniform(0.7, 3)),
    )
    truth = families[rng.integers(4)]
    y = truth.rvs(size=n, random_state=rng) + 1e-12

    def model() -> Toy:
        family = families[rng.integers(4)]
        scale = np.exp(0.3 * rng.normal()) * np.mean(y) / family.mean()
        return (
            lambda y: -family.logpdf(y / scale) + np.log(scale),
            lambda g: scale * family.rvs(size=n, random_state=g) + 1e-12,
        )

    return y, [model() for _ in range(rng.integers(2, 5))]


def regressions(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """A response with inputs of differing use; nested models, different inputs, wrong scales; log
    loss or squared error.
    """
    p = int(rng.integers(2, 6))
    x = rng.standard_normal((n, p))
    weight = rng.normal(size=p) * rng.choice([0.1, 1.0], p)
    level = np.exp(rng.choice([0.0, 0.5]) * x[:, 0]) * np.exp(rng.uniform(-1.5, 0.5))
    noise = rng.standard_t(rng.choice([3, 30]), n) if rng.random() < 0.5 else rng.standard_normal(n)
    y = x @ weight + level * noise
    squared = rng.random() < 0.3

    def model(index: int) -> Toy:
        inputs = (
            np.arange(index % (p + 1))
            if rng.random() < 0.6
            else rng.permutation(p)[: rng.integers(1, p + 1)]
        )
        centre = x[:, inputs] @ (weight[inputs] + 0.1 * rng.normal(size=inputs.size))
        own = np.sqrt(np.mean((y - centre) ** 2)) * np.exp(0.1 * rng.normal())
        scale = own * np.exp(0.5 * x[:, 0] - 0.125) if rng.random() < 0.3 else np.full(n, own)
        family = stats.norm if rng.random() < 0.7 else stats.t(4)
        if squared:
            return lambda y: (y - centre) ** 2, lambda g: centre + scale * g.standard_normal(n)
        return (
            lambda y: -family.logpdf((y - centre) / scale) + np.log(scale),
            lambda g: centre + scale * family.rvs(size=n, random_state=g),
        )

    return y, [model(index) for index in range(rng.integers(2, 6))]


def counts(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """Counts with an input: Poisson, negative binomial, geometric."""
    x = rng.standard_normal(n)
    rate = np.exp(rng.uniform(-1, 3) + rng.choice([0.0, 0.5]) * x)
    y = rng.poisson(rate) if rng.random() < 0.5 else rng.negative_binomial(3, 3 / (3 + rate))

    def model() -> Toy:
        own = np.exp(rng.choice([0.1, 0.5]) * rng.normal()) * (
            rate if rng.random() < 0.6 else np.full(n, rate.mean())
        )
        kind = rng.integers(3)
        family = (
            stats.poisson(own)
            if kind == 0
            else stats.nbinom(2.5, 2.5 / (2.5 + own))
            if kind == 1
            else stats.nbinom(1, 1 / (1 + own))
        )
        return lambda y: -family.logpmf(y), lambda g: family.rvs(size=n, random_state=g)

    return y, [model() for _ in range(rng.integers(2, 5))]


def classifiers(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """Two to five classes; sure, unsure, with different inputs; log loss, Brier score or 0/1."""
    k = int(rng.integers(2, 6))
    p = 4
    x = rng.standard_normal((n, p))
    weight = rng.uniform(0.3, 3) * rng.standard_normal((p, k))
    bias = rng.choice([0.0, 1.5]) * rng.standard_normal(k)
    kind = rng.choice(["log", "log", "brier", "wrong"])

    def table(score: np.ndarray) -> np.ndarray:
        score = np.exp(score - score.max(axis=1, keepdims=True))
        return (score + 1e-6) / (score + 1e-6).sum(axis=1, keepdims=True)

    def draw(table: np.ndarray, g: np.random.Generator) -> np.ndarray:
        return (g.random((n, 1)) > table.cumsum(axis=1)[:, :-1]).sum(axis=1)

    def model() -> Toy:
        inputs = rng.permutation(p)[: rng.integers(0, p + 1)]
        own = table(
            x[:, inputs]
            @ (weight[inputs] + 0.3 * rng.standard_normal((inputs.size, k)))
            * rng.choice([0.5, 1, 2])
            + bias
        )
        losses = {
            "log": lambda y: -np.log(own[np.arange(n), y]),
            "brier": lambda y: np.sum((own - np.eye(k)[y]) ** 2, axis=1),
            "wrong": lambda y: (own.argmax(axis=1) != y).astype(float),
        }
        return losses[kind], lambda g: draw(own, g)

    return draw(table(x @ weight + bias), rng), [model() for _ in range(rng.integers(2, 5))]


def series(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """An autoregressive series; models predict from one value, two, or none."""
    a = rng.uniform(-0.3, 0.9)
    b = rng.uniform(-0.5, 0.3)
    y = np.zeros(n + 2)
    for t in range(2, n + 2):
        y[t] = a * (1 - abs(b)) * y[t - 1] + b * y[t - 2] + rng.standard_normal()
    now = y[2:]
    last = y[1:-1]
    before = y[:-2]

    def model() -> Toy:
        centre = rng.choice([0, a, a + 0.2]) * last + rng.choice([0, b]) * before
        scale = np.std(now - centre) * np.exp(0.1 * rng.normal())
        return (
            lambda y: ((y - centre) / scale) ** 2 / 2 + np.log(scale) + 0.919,
            lambda g: centre + scale * g.standard_normal(n),
        )

    return now, [model() for _ in range(rng.integers(2, 5))]


def alike(rng: np.random.Generator, n: int) -> tuple[Any, list[Toy]]:
    """What most people have: two or three regressions that differ a little, normal, fitted
    elsewhere.
    """
    p = 4
    x = rng.standard_normal((n, p))
    weight = np.array([1.0, 0.5, 0.2, 0.1])
    scale = np.exp(rng.uniform(-2, 1))
    y = scale * (x @ weight + rng.standard_normal(n))

    def model(index: int) -> Toy:
        centre = scale * (
            x[:, : p - index] @ (weight[: p - index] + 0.05 * rng.normal(size=p - index))
        )
        own = float(np.sqrt(np.mean((y - centre) ** 2))) * np.exp(0.03 * rng.normal())
        return (
            lambda y: ((y - centre) / own) ** 2 / 2 + np.log(own) + 0.919,
            lambda g: centre + own * g.standard_normal(n),
        )

    return y, [model(index) for index in range(rng.integers(2, 4))]


KINDS = (alike, densities, vectors, positive, regressions, counts, classifiers, series)


@dataclass
class Problem:
    """Data, models, and how they are simulated."""

    kind: str
    data: Any
    models: list[Toy]
    n_simulations: int
    streams: np.ndarray

    def losses(self) -> Pairs:
        """Observed and simulated losses of each model."""
        return [
            (loss(self.data), self.simulated(index, loss))
            for index, (loss, _) in enumerate(self.models)
        ]

    def simulated(self, index: int, loss: Callable[[Any], np.ndarray]) -> np.ndarray:
        """A loss on the simulations of a model."""
        rng = np.random.default_rng(self.streams[index])
        return np.stack([loss(self.models[index][1](rng)) for _ in range(self.n_simulations)])


def healthy(seed: int) -> Problem:
    """A healthy problem; in every fifth all models simulate with one seed."""
    rng = np.random.default_rng([2025, seed])
    kind = KINDS[rng.integers(len(KINDS))]
    n = int(30 * (5000 / 30) ** rng.random())
    n_simulations = int(rng.choice([1, 4, 16]))
    same_seed = rng.random() < 0.2
    data, models = kind(rng, n)
    streams = rng.integers(2**32, size=len(models))
    name = kind.__name__ + (", same seed" if same_seed else "")
    return Problem(
        name,
        data,
        models,
        n_simulations,
        np.full_like(streams, streams[0]) if same_seed else streams,
    )


# ---------------------------------------------------------------- mistakes


def _one(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Problem, Pairs], Pairs]:
    """Both samples of the last model, changed."""
    return lambda problem, pairs: [*pairs[:-1], tuple(map(change, pairs[-1]))]


def _observed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Problem, Pairs], Pairs]:
    """The observed losses of the last model, changed; not the simulated ones."""
    return lambda problem, pairs: [*pairs[:-1], (change(pairs[-1][0]), pairs[-1][1])]


def _rows(problem: Problem, pairs: Pairs) -> Pairs:
    order = np.random.default_rng(0).permutation(len(pairs[-1][0]))
    return [*pairs[:-1], (pairs[-1][0][order], pairs[-1][1])]


def _halves(problem: Problem, pairs: Pairs) -> Pairs:
    half = len(pairs[0][0]) // 2
    return [
        (a[half * (i % 2) :][:half], b[:, half * (i % 2) :][:, :half])
        for i, (a, b) in enumerate(pairs)
    ]


def _shared(problem: Problem, pairs: Pairs) -> Pairs:
    return [
        (observed, problem.simulated(0, loss))
        for (observed, _), (loss, _) in zip(pairs, problem.models, strict=True)
    ]


def _squared(problem: Problem, pairs: Pairs) -> Pairs | None:
    """Squared errors of the last model beside log losses: in units of its noise this needs one that
    is normal.
    """
    lowest = min(sample.min() for sample in pairs[-1])
    unit = np.random.default_rng(len(pairs[0][0])).uniform(0.1, 10)
    return [*pairs[:-1], tuple(unit * (sample - lowest) for sample in pairs[-1])]


SPOILED: dict[str, tuple[tuple[str, ...], Callable[[Problem, Pairs], Pairs]]] = {
    "sign of one model": (("sign",), _one(np.negative)),
    "likelihoods of one model": (("sign",), _one(lambda sample: np.exp(-sample))),
    "log likelihoods of all": (
        ("log_likelihoods",),
        lambda problem, pairs: [(-a, -b) for a, b in pairs],
    ),
    "likelihoods of all": (
        ("log_likelihoods",),
        lambda problem, pairs: [(np.exp(-a), np.exp(-b)) for a, b in pairs],
    ),
    "one model in bits": (("unit",), _one(lambda sample: sample / np.log(2))),
    "a constant in one density": (("constant",), _one(lambda sample: sample + 0.919)),
    "one model 12 nats off": (("constant",), _one(lambda sample: sample + 12.0)),
    "observed losses 12 nats off": (("shifted",), _observed(lambda sample: sample + 12.0)),
    "squared error against log loss": (("unit",), _squared),
    "rows of one model permuted": (("other_points",), _rows),
    "different halves": (("other_points",), _halves),
    "observed and synthetic swapped": (
        ("swapped",),
        lambda problem, pairs: [(b[0], a) for a, b in pairs],
    ),
    "simulations of one model for all": (("shared_simulations",), _shared),
    "sign of synthetic losses": (
        ("synthetic_sign",),
        lambda problem, pairs: [(a, -b) for a, b in pairs],
    ),
}


# Those that are seen without simulations.
OF_OBSERVED = (
    "sign of one model",
    "log likelihoods of all",
    "one model in bits",
    "a constant in one density",
    "one model 12 nats off",
    "rows of one model permuted",
)
# Those that need no problem to simulate anew.
OF_PAIRS = (*OF_OBSERVED, "observed losses 12 nats off", "sign of synthetic losses")


def notes_of(pairs: Pairs) -> set[str]:
    """Codes of all notes on a problem."""
    losses = {f"M{place}": Losses(*pair) for place, pair in enumerate(pairs)}
    return {code for found in mistakes(losses) for code, _ in found}


def without_simulations(pairs: Pairs) -> Any:
    """The observed losses alone."""
    return [(observed,) for observed, _ in pairs]


def is_seen(mistake: str, problem: Any, pairs: Pairs, *, simulated: bool) -> bool:
    """Whether a problem that is spoiled has the right note."""
    codes, spoil = SPOILED[mistake]
    spoiled = spoil(problem, pairs)
    found = notes_of(spoiled if simulated else without_simulations(spoiled))
    return bool(found & set(codes))


def measure(first: int, n_problems: int, every: int = 4) -> dict[str, Any]:
    """Fractions of healthy problems with each note, and of spoiled ones (every fourth problem) with
    the right one, by kind; with simulations and without.
    """
    alarms: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    seen: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    spoiled: Counter[str] = Counter()
    for seed in range(first, first + n_problems):
        problem = healthy(seed)
        pairs = problem.losses()
        kind = problem.kind.partition(",")[0]
        alarms[True].update(notes_of(pairs))
        alarms[False].update(notes_of(without_simulations(pairs)))
        if seed % every == 0:
            spoiled[kind] += 1
            for simulated, some in ((True, SPOILED), (False, OF_OBSERVED)):
                for mistake in some:
                    found = is_seen(mistake, problem, pairs, simulated=simulated)
                    seen[simulated, mistake][kind] += found
    return {
        "problems": n_problems,
        "first": first,
        "false_alarms": shares(alarms[True], n_problems),
        "false_alarms_without_simulations": shares(alarms[False], n_problems),
        "spoiled": dict(spoiled),
        "seen": {name: by_kind(seen[True, name], spoiled) for name in SPOILED},
        "seen_without_simulations": {
            name: by_kind(seen[False, name], spoiled) for name in OF_OBSERVED
        },
    }


def shares(alarms: Counter[str], n_problems: int) -> dict[str, float]:
    """Code → fraction of the problems."""
    return {code: round(alarms[code] / n_problems, 5) for code in sorted({*alarms, *CODES})}


def by_kind(found: Counter[str], spoiled: Counter[str]) -> dict[str, float]:
    """Kind → fraction of those that were spoiled."""
    return {kind: round(found[kind] / spoiled[kind], 3) for kind in sorted(spoiled)}


def measure_real(folder: Path) -> dict[str, Any]:
    """The same on real data: one comparison of each data set."""
    alarms: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    paths = {path.name.rsplit(".", 3)[0]: path for path in sorted(folder.rglob("*.l*.npz"))}
    for path in paths.values():
        pairs = real_pairs(path)
        alarms[True].update(notes_of(pairs))
        alarms[False].update(notes_of(without_simulations(pairs)))
        # The last is spoiled: the regression with all predictors, that others are like.
        pairs = [pairs[0], *pairs[2:], pairs[1]]
        for simulated, some in ((True, OF_PAIRS), (False, OF_OBSERVED)):
            for mistake in some:
                seen[simulated][mistake] += is_seen(mistake, None, pairs, simulated=simulated)
    return {
        "data_sets": len(paths),
        "false_alarms": shares(alarms[True], len(paths)),
        "false_alarms_without_simulations": shares(alarms[False], len(paths)),
        "seen": {name: round(seen[True][name] / len(paths), 3) for name in OF_PAIRS},
        "seen_without_simulations": {
            name: round(seen[False][name] / len(paths), 3) for name in OF_OBSERVED
        },
    }


def real_pairs(path: Path) -> Pairs:
    """Losses of groups that were left out, of each candidate."""
    with np.load(path) as kept:
        observed = kept["observed"]
        simulated = kept["simulations"].astype(np.float64)
    return list(zip(observed, simulated, strict=True))


CODES = {code for codes, _ in SPOILED.values() for code in codes} | {"copied"}


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=10_000)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "results" / "false_alarms.json"
    )
    parser.add_argument("--real", type=Path, default=None, help="records of benchmarks/real")
    arguments = parser.parse_args()
    found = measure(arguments.first, arguments.problems)
    if arguments.real is not None:
        found["real"] = measure_real(arguments.real)
    elif arguments.out.exists():  # that of the last run
        found["real"] = json.loads(arguments.out.read_text(encoding="utf-8")).get("real")
    arguments.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    for name in ("false_alarms", "false_alarms_without_simulations", "real"):
        print(name, json.dumps(found[name], indent=2))
    for name in ("seen", "seen_without_simulations"):
        for mistake, kinds in found[name].items():
            print(f"{mistake:35}", *(f"{kind} {share:.0%}" for kind, share in kinds.items()))


if __name__ == "__main__":
    main()
