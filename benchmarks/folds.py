"""Cross-validation in place of a held-out set: what the dependence between folds does to the
verdict.

    python benchmarks/folds.py [--problems 800]

Five families of problems, two models each, N_POINTS points in all. The points are split into a
training and a held-out part, or into K folds (2, 5, 10, or as many as there are points). Losses,
simulations and verdicts are those of `rivals.read.cross_validated` and law "transport"; the fits of
all folds are solved at once here, for speed. The truth is known: the risk of a fitted model in new
data, exact for the linear families and from TRUTH_POINTS fresh points for the classifiers. Writes
results/folds.json and folds.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from rivals.core.sampling_error import mean_covariance
from rivals.method.distance import wasserstein_distances

HERE = Path(__file__).parent
N_POINTS = 200
N_SIMULATIONS = 16
THRESHOLD = 0.95
TRUTH_POINTS = 2000
C = {
    "no c": 1e-12,
    "c = 1/8": 0.125,
}  # without c only the sampling error is left, and dependence has nothing to hide behind
RIDGE = 1.0

CONCLUSION = """On a held-out set the reported error is right, and by sampling error alone verdicts
on the very models that were tested err at about the nominal rate, if the held-out set is large.
Over folds the reported error is too small: not measurably for models that are not nested, by a
third to two fifths for a nested pair of which the larger has only useless features. It hardly
depends on the number of folds, and errors by fold do not mend it. So by sampling error alone
verdicts from folds are wrong more often than stated. They are nevertheless, all families together,
wrong no more often than those from half of the points held out, when the truth is that of models
fitted to all points, which is what most people want to know: models fitted to half of the points
are another question. At c = 1/8, folds state about twice as many verdicts as half of the points
held out, and no larger part of them is wrong."""

Array = np.ndarray[Any, np.dtype[np.float64]]


# ---------------- models, fitted to all folds at once


def weighted_grams(weights: Array, x: Array) -> Array:
    """Σ_n weights[k, n] x_n x_nᵀ for each k."""
    width = x.shape[1]
    return (weights @ (x[:, :, None] * x[:, None, :]).reshape(-1, width**2)).reshape(
        -1, width, width
    )


def solve(matrices: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])


@dataclass(frozen=True)
class Linear:
    """Least squares on some columns, Gaussian noise of the unbiased variance of the training
    residuals.
    """

    columns: tuple[int, ...]

    def fit(self, x: Array, y: Array, trained: Array) -> tuple[Array, Array]:
        """Coefficients and deviations, one row for each row of `trained`, which flags the training
        points.
        """
        x = x[:, self.columns]
        right = (trained * y) @ x
        coefficients = solve(weighted_grams(trained, x), right)
        squares = trained @ y**2 - np.sum(coefficients * right, axis=1)
        return coefficients, np.sqrt(squares / (trained.sum(axis=1) - len(self.columns)))

    def losses(
        self, fit: tuple[Array, Array], fold: Array, x: Array, y: Array, rng: Any
    ) -> tuple[Array, Array]:
        """Of the points, each under the model of its fold, and of simulations."""
        coefficients = fit[0][fold]
        deviation = fit[1][fold]
        standard = (y - np.sum(coefficients * x[:, self.columns], axis=1)) / deviation
        constant = np.log(deviation) + 0.5 * np.log(2 * np.pi)
        simulated = rng.standard_normal((N_SIMULATIONS, y.size))
        return 0.5 * standard**2 + constant, 0.5 * simulated**2 + constant

    def risk(self, fit: tuple[Array, Array], problem: Problem) -> float:
        """Exact, the mean over fits: inputs are independent and standard normal but for the first,
        which is one.
        """
        coefficients, deviation = fit
        off = np.zeros((len(deviation), problem.truth.size))
        off[:, self.columns] = coefficients
        squares = np.sum((off - problem.truth) ** 2, axis=1) + problem.noise_variance
        return float(
            np.mean(np.log(deviation) + 0.5 * np.log(2 * np.pi) + squares / (2 * deviation**2))
        )


@dataclass(frozen=True)
class Logistic:
    """Logistic regression on some columns with a quadratic penalty, by Newton's method."""

    columns: tuple[int, ...]

    def fit(self, x: Array, y: Array, trained: Array) -> Array:
        if len(trained) == 1:
            return self._newton(x, y, trained, np.zeros((1, len(self.columns))), steps=8)
        # The fit to all points is near; the error of Newton's method is squared at each step.
        near = self._newton(x, y, np.ones((1, y.size)), np.zeros((1, len(self.columns))), steps=8)
        return self._newton(
            x,
            y,
            trained,
            np.repeat(near, len(trained), axis=0),
            steps=4 if len(trained) < 100 else 2,
        )

    def _newton(self, x: Array, y: Array, trained: Array, coefficients: Array, steps: int) -> Array:
        x = x[:, self.columns]
        for _ in range(steps):
            p = expit(coefficients @ x.T)
            slope = (trained * (y - p)) @ x - RIDGE * coefficients
            curvature = weighted_grams(trained * p * (1 - p), x) + RIDGE * np.eye(x.shape[1])
            coefficients = coefficients + solve(curvature, slope)
        return coefficients

    def losses(self, fit: Array, fold: Array, x: Array, y: Array, rng: Any) -> tuple[Array, Array]:
        linear = np.sum(fit[fold] * x[:, self.columns], axis=1)
        simulated = rng.random((N_SIMULATIONS, y.size)) < expit(linear)
        return np.logaddexp(0, linear) - y * linear, np.logaddexp(0, linear) - simulated * linear

    def risk(self, fit: Array, problem: Problem) -> float:
        """Over fresh inputs, the same for both models; labels are integrated out. Of many fits that
        are nearly the same, ten.
        """
        x = inputs(TRUTH_POINTS, problem.truth.size, np.random.default_rng(problem.seed))
        linear = fit[:: max(len(fit) // 10, 1)] @ x[:, self.columns].T
        return float(np.mean(np.logaddexp(0, linear) - expit(x @ problem.truth) * linear))


# ---------------- problems


@dataclass(frozen=True)
class Problem:
    """A truth, data from it, and two models."""

    truth: Array
    x: Array
    y: Array
    models: tuple[Any, Any]
    noise_variance: float = 1.0
    seed: int = 0


def inputs(n: int, width: int, rng: np.random.Generator) -> Array:
    """A column of ones, then standard normal ones."""
    return np.column_stack([np.ones(n), rng.standard_normal((n, width - 1))])


def linear(
    truth: list[float],
    models: tuple[Any, Any],
    rng: np.random.Generator,
    *,
    df: float | None = None,
) -> Problem:
    """A linear truth, Gaussian noise of deviation one, or Student's."""
    x = inputs(N_POINTS, len(truth), rng)
    noise = rng.standard_normal(N_POINTS) if df is None else rng.standard_t(df, N_POINTS)
    variance = 1.0 if df is None else df / (df - 2)
    return Problem(np.array(truth), x, x @ np.array(truth) + noise, models, variance)


def useless(rng: np.random.Generator) -> Problem:
    return linear(
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], (Linear((0, 1)), Linear(tuple(range(7)))), rng
    )


def perhaps_useful(rng: np.random.Generator) -> Problem:
    return linear([0.0, 1.0, rng.normal(0.0, 0.2)], (Linear((0, 1)), Linear((0, 1, 2))), rng)


def either(rng: np.random.Generator) -> Problem:
    return linear([0.0, *rng.normal(0.0, 0.3, size=2)], (Linear((0, 1)), Linear((0, 2))), rng)


def heavy(rng: np.random.Generator) -> Problem:
    return linear(
        [0.0, 1.0, rng.normal(0.0, 0.35)], (Linear((0, 1)), Linear((0, 1, 2))), rng, df=3.0
    )


def labels(rng: np.random.Generator) -> Problem:
    truth = np.array([0.0, 1.0, *rng.normal(0.0, 0.3, size=3)])
    x = inputs(N_POINTS, truth.size, rng)
    y = (rng.random(N_POINTS) < expit(x @ truth)).astype(float)
    return Problem(
        truth, x, y, (Logistic((0, 1)), Logistic((0, 1, 2, 3, 4))), seed=int(rng.integers(2**31))
    )


FAMILIES: dict[str, Callable[[np.random.Generator], Problem]] = {
    "regression, five useless features": useless,
    "regression, a feature that may be useful": perhaps_useful,
    "regression, either of two features": either,
    "classification, three features that may be useful": labels,
    "heavy tails, a feature that may be useful": heavy,
}


# ---------------- designs


@dataclass(frozen=True)
class Design:
    """Which points are trained on and tested: a held-out part, or folds."""

    name: str
    n_folds: int = 0
    held_out: float = 0.0

    def split(self) -> tuple[Array, Array, Array]:
        """Flags of the training points of each fit, the tested points, and which fit tests each."""
        if self.held_out:
            tested = np.arange(N_POINTS) >= round((1 - self.held_out) * N_POINTS)
            return (
                (~tested).astype(float)[None],
                np.flatnonzero(tested),
                np.zeros(tested.sum(), dtype=int),
            )
        fold = np.arange(N_POINTS) * self.n_folds // N_POINTS
        return (
            (fold[None] != np.arange(self.n_folds)[:, None]).astype(float),
            np.arange(N_POINTS),
            fold,
        )


DESIGNS = [
    Design("held out: half", held_out=0.5),
    Design("held out: a fifth", held_out=0.2),
    *(Design(f"{k} folds", n_folds=k) for k in (2, 5, 10)),
    Design("leave one out", n_folds=N_POINTS),
]


def judge(
    problem: Problem, design: Design, full: float, rng: np.random.Generator
) -> dict[str, dict[str, float]]:
    """P(the second model is better) at each c, the difference in loss with its error, and the two
    truths; of folds, also by fold.
    """
    trained, tested, fold = design.split()
    fits = [model.fit(problem.x, problem.y, trained) for model in problem.models]
    pairs = [
        model.losses(fit, fold, problem.x[tested], problem.y[tested], rng)
        for model, fit in zip(problem.models, fits, strict=True)
    ]
    observed = np.stack([losses for losses, _ in pairs])
    squares = np.array([(wasserstein_distances(*pair) ** 2).mean() for pair in pairs])
    first, second = (
        model.risk(fit, problem) for model, fit in zip(problem.models, fits, strict=True)
    )
    found = {}
    for name, clusters in {design.name: None, f"{design.name}, errors by fold": fold}.items():
        if clusters is not None and design.n_folds not in (5, 10):
            continue
        covariance = mean_covariance(observed, clusters=clusters)
        difference = observed[1].mean() - observed[0].mean()
        error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        # The normal law also for folds as clusters, of which there are few: what is compared are
        # the errors.
        probabilities = {
            key: ndtr(-difference / np.hypot(np.sqrt(c * squares.sum()), error))
            for key, c in C.items()
        }
        found[name] = {
            "difference": difference,
            "error": error,
            "own": second - first,
            "full": full,
            **probabilities,
        }
    return found


# ---------------- tables


def percent(hits: Array) -> str:
    """A rate with its standard error, that of half a hit more, so that none in a few is not
    certain.
    """
    if not hits.size:
        return "—"
    rate = (hits.sum() + 0.5) / (hits.size + 1)
    return f"{100 * hits.mean():.1f} ± {100 * np.sqrt(rate * (1 - rate) / hits.size):.1f}"


def row(found: dict[str, Array]) -> dict[str, str]:
    """How the reported sampling error compares with the real one, and verdicts with both truths."""
    real = (found["difference"] - found["own"]) ** 2
    reported = found["error"] ** 2
    ratio = np.sqrt(real.mean() / reported.mean())
    # By the delta method, from the relative errors of both mean squares.
    error = (
        0.5
        * ratio
        * np.sqrt(sum(np.var(part) / np.mean(part) ** 2 / part.size for part in (real, reported)))
    )
    cells = {"real / reported error": f"{ratio:.2f} ± {error:.2f}"}
    for name in C:
        second = found[name] > THRESHOLD
        first = found[name] < 1 - THRESHOLD
        stated = second | first
        wrong, wrong_of_own = (
            stated & np.where(second, found[truth] > 0, found[truth] < 0)
            for truth in ("full", "own")
        )
        cells[f"{name}: stated %"] = percent(stated)
        cells[f"{name}: wrong %"] = percent(wrong[stated])
        cells[f"{name}: wrong of the models tested %"] = percent(wrong_of_own[stated])
        cells[f"{name}: better one rejected %"] = percent(wrong)
    return cells


def table(rows: dict[str, dict[str, str]]) -> str:
    heads = ["design", *next(iter(rows.values()))]
    lines = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    return "\n".join(
        [*lines, *(f"| {name} | {' | '.join(cells.values())} |" for name, cells in rows.items())]
    )


def measure(n_problems: int) -> dict[str, dict[str, dict[str, Array]]]:
    everything = np.ones((1, N_POINTS))
    results: dict[str, dict[str, dict[str, Array]]] = {}
    for place, (family, make) in enumerate(FAMILIES.items()):
        found: dict[str, list[dict[str, float]]] = {}
        for index in range(n_problems):
            problem = make(np.random.default_rng([place, index]))
            first, second = (
                model.risk(model.fit(problem.x, problem.y, everything), problem)
                for model in problem.models
            )
            for design in DESIGNS:
                judged = judge(
                    problem, design, second - first, np.random.default_rng([place, index, 1])
                )
                for name, one in judged.items():
                    found.setdefault(name, []).append(one)
        results[family] = {
            name: {key: np.array([one[key] for one in many]) for key in many[0]}
            for name, many in found.items()
        }
    return results


def pool(results: dict[str, dict[str, dict[str, Array]]], design: str) -> dict[str, Array]:
    """All families together, losses in units of the reported error of the first design, so that
    none dominates.
    """
    found: dict[str, list[Array]] = {}
    for by_design in results.values():
        unit = np.sqrt(np.mean(by_design[DESIGNS[0].name]["error"] ** 2))
        for key, values in by_design[design].items():
            found.setdefault(key, []).append(values if key in C else values / unit)
    return {key: np.concatenate(values) for key, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=800)
    n_problems = parser.parse_args().problems
    begin = time.process_time()
    results = measure(n_problems)
    seconds = time.process_time() - begin
    rows = {
        family: {name: row(found) for name, found in by.items()} for family, by in results.items()
    }
    pooled = {name: row(pool(results, name)) for name in next(iter(results.values()))}
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    text = f"""# Cross-validation in place of a held-out set

Written by `python benchmarks/folds.py` on {written}: {n_problems} problems of each family,
{N_POINTS} points in all, {N_SIMULATIONS} simulations, law "transport", threshold {THRESHOLD};
{seconds:.0f} s of processor time. "Wrong" is how often a stated winner has the higher risk, when
both models are fitted to all points; nominal 5 %. "Wrong of the models tested": the same for the
mean risk of the models that were tested, those of the folds. "Better one rejected" counts all
problems, not stated ones only. "Real / reported error": root mean square of the difference in mean
loss less the difference in risk of the models tested, over that of its reported standard error; 1
without dependence. ± is one standard error.

{CONCLUSION}

## All families

{table(pooled)}

"""
    text += "\n".join(
        f"## {family[0].upper() + family[1:]}\n\n{table(by)}\n" for family, by in rows.items()
    )
    (HERE / "results" / "folds.md").write_text(text, encoding="utf-8")
    (HERE / "results" / "folds.json").write_text(
        json.dumps(
            {"written": written, "problems": n_problems, "pooled": pooled, "families": rows},
            indent=1,
            ensure_ascii=False,
        )
        + "\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
