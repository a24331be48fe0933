"""Where may the noise of a left-out group come from? Residuals of the other folds, or nested fits.

`cross_validated` judges each left-out group under Gaussian noise. *Other folds*: its scale is that
of the predictions for the points of the other folds, by models that had not seen these; they may
have seen the group that is judged. *Nested*: the training set is divided once more, into five folds
of whole groups, and nothing has seen that group, at six fits for one.

On the development data sets with real or positive responses (of these the logarithm), with 6 and 12
groups at hand: the log score of each fold's model and noise in *fresh* groups, which no fit has
seen; the left-out losses; the named winners (P > 0.95), and how many of them have the higher mean
loss over the fresh groups.

    python benchmarks/fold_noise.py            # → results/fold_noise.json and .md
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rivals
from rivals._core.grouping import Grouping
from rivals.read._folds import foldings_of_groups

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "real"))

from catalogue import CATALOGUE  # noqa: E402
from data import NotInstalled, load  # noqa: E402

AT_HAND = (6, 12)
N_SPLITS = 2
MOST_OF_GROUP = 100
MOST_FRESH = 40
INNER = 5
N_SIMULATIONS = 16
THRESHOLD = 0.95
ARMS = ("other folds", "nested")


def models(n_columns: int, few: tuple[int, int]) -> dict[str, Any]:
    """Name → (columns, estimator)."""
    every = slice(0, n_columns)
    return {
        "linear, few": (slice(*few), LinearRegression()),
        "linear": (every, LinearRegression()),
        "neighbours": (every, make_pipeline(StandardScaler(), KNeighborsRegressor(15))),
        "forest": (every, RandomForestRegressor(15, min_samples_leaf=5, random_state=0)),
    }


def measured(data_set: Any, n_groups: int, split: int) -> dict[str, Any] | None:
    """One split of a data set; None where it has too few groups."""
    table = load(data_set)
    rng = np.random.default_rng([split, n_groups])
    names = rng.permutation(list(table.rows))
    if names.size < 2 * n_groups:
        return None
    rows = [
        rng.permutation(table.rows[name])[:MOST_OF_GROUP] for name in names[: n_groups + MOST_FRESH]
    ]
    at_hand, fresh = np.concatenate(rows[:n_groups]), np.concatenate(rows[n_groups:])
    group = np.repeat(np.arange(n_groups), [own.size for own in rows[:n_groups]])
    of_fresh = np.repeat(np.arange(len(rows) - n_groups), [own.size for own in rows[n_groups:]])
    y = np.log(table.response) if data_set.kind == "positive" else table.response
    scale = y[at_hand].std()
    y = y / scale
    seconds = dict.fromkeys(ARMS, 0.0)
    score: dict[str, list[float]] = {arm: [] for arm in ARMS}
    losses: dict[str, dict[str, rivals.Losses]] = {arm: {} for arm in ARMS}
    truth = {}
    folds = foldings_of_groups(Grouping.of(group))[0]
    found = models(table.inputs.shape[1], table.blocks["few"])
    for place, (name, (columns, model)) in enumerate(found.items()):
        X = table.inputs[:, columns]

        def residuals(train, test, model=model, X=X):
            fitted = model.fit(X[train], y[train])
            return y[test] - fitted.predict(X[test])

        began = time.process_time()
        own = np.empty(at_hand.size)
        new = []
        for fold in folds:
            train = at_hand[fold.train]
            own[fold.test] = residuals(train, at_hand[fold.test])
            once = time.process_time()
            new.append(y[fresh] - model.predict(X[fresh]))
            began += time.process_time() - once  # what the measurement itself takes
        outer = time.process_time() - began
        scales = {"other folds": [rms(own[fold.train]) for fold in folds]}
        began = time.process_time()
        scales["nested"] = [
            rms(np.concatenate([
                residuals(at_hand[fold.train][inner.train], at_hand[fold.train][inner.test])
                for inner in inner_folds(group[fold.train])
            ]))
            for fold in folds
        ]  # fmt: skip
        seconds["other folds"] += outer
        seconds["nested"] += outer + time.process_time() - began
        final = residuals(at_hand, fresh)
        truth[name] = means(loss(final, rms(own)), of_fresh).mean()
        drawn = np.random.default_rng(place).standard_normal((N_SIMULATIONS, at_hand.size))
        for arm in ARMS:
            of_point = np.empty(at_hand.size)
            for fold, own_scale in zip(folds, scales[arm], strict=True):
                of_point[fold.test] = own_scale
            losses[arm][name] = rivals.Losses(
                loss(own, of_point), loss(drawn * of_point, of_point), groups=group, left_out=True
            )
            score[arm].append(
                np.mean([
                    means(loss(each, own_scale), of_fresh).mean()
                    for each, own_scale in zip(new, scales[arm], strict=True)
                ])
            )  # fmt: skip
    record: dict[str, Any] = {"data": data_set.name, "groups": n_groups, "split": split}
    for arm in ARMS:
        result = rivals.compare(losses[arm], rng=0)
        pairs = list(combinations(result.risk, 2))
        probability = np.array(result.probability)
        upper = [float(probability[a, b]) for a, b in combinations(range(len(found)), 2)]
        record[arm] = {
            "fresh": float(np.mean(score[arm])),
            "left out": float(np.mean([each.mean for each in losses[arm].values()])),
            "P": upper,
            "won again": [bool(truth[a] < truth[b]) for a, b in pairs],
            "seconds": seconds[arm],
        }
    return record


def inner_folds(codes: Any) -> list[Any]:
    """Five folds of whole groups of a training set."""
    names, own = np.unique(codes, return_inverse=True)
    part = np.arange(names.size) % min(INNER, names.size)
    return foldings_of_groups(Grouping.of(part[own]))[0]


def rms(residuals: Any) -> float:
    return float(np.sqrt(np.mean(residuals**2)))


def loss(residuals: Any, scale: Any) -> Any:
    return 0.5 * (residuals / scale) ** 2 + np.log(scale) + 0.5 * np.log(2 * np.pi)


def means(values: Any, codes: Any) -> Any:
    return np.bincount(codes, values) / np.bincount(codes)


def summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over data sets, which weigh the same, with the standard error over these."""
    names = sorted({each["data"] for each in records})

    def over_sets(value: Any) -> list[float]:
        own = [np.mean([value(each) for each in records if each["data"] == name]) for name in names]
        return [float(np.mean(own)), float(np.std(own, ddof=1) / np.sqrt(len(own)))]

    found: dict[str, Any] = {"data sets": len(names), "splits": len(records)}
    found["log score, other folds - nested"] = over_sets(
        lambda each: each["other folds"]["fresh"] - each["nested"]["fresh"]
    )
    found["left-out loss, other folds - nested"] = over_sets(
        lambda each: each["other folds"]["left out"] - each["nested"]["left out"]
    )
    found["|P - P'|"] = over_sets(
        lambda each: np.mean(np.abs(np.subtract(each["other folds"]["P"], each["nested"]["P"])))
    )
    for arm in ARMS:
        named = [
            won == (p > 0.5)
            for each in records
            for p, won in zip(each[arm]["P"], each[arm]["won again"], strict=True)
            if max(p, 1 - p) > THRESHOLD
        ]
        found[arm] = {
            "pairs": sum(len(each[arm]["P"]) for each in records),
            "named": len(named),
            "failed": len(named) - sum(named),
            "seconds": sum(each[arm]["seconds"] for each in records),
        }
    return found


def main() -> None:
    """Measure, and write the results."""
    warnings.simplefilter("ignore")
    records = []
    for data_set in CATALOGUE:
        if data_set.frozen != "first" or data_set.kind not in ("real", "positive"):
            continue
        for n_groups in AT_HAND:
            for split in range(N_SPLITS):
                try:
                    record = measured(data_set, n_groups, split)
                except NotInstalled:
                    record = None
                if record is not None:
                    records.append(record)
        print(data_set.name, len(records), flush=True)
    found = summary(records)
    folder = HERE / "results"
    (folder / "fold_noise.json").write_text(json.dumps({"summary": found, "records": records}))
    (folder / "fold_noise.md").write_text(page(found), encoding="utf-8")


def page(found: dict[str, Any]) -> str:
    def pm(key: str) -> str:
        return "{:+.5f} ± {:.5f}".format(*found[key])

    lines = [
        "# Noise from the other folds, or from nested fits",
        "",
        f"`python benchmarks/fold_noise.py`: {found['data sets']} development data sets, "
        f"{found['splits']} splits with 6 or 12 groups at hand, four regressors each, Gaussian "
        "noise. ± is one standard error over data sets.",
        "",
        "| | other folds | nested |",
        "| --- | --- | --- |",
    ]
    both = [found[arm] for arm in ARMS]
    lines += [
        f"| pairs with P > 0.95 | {both[0]['named']} of {both[0]['pairs']} | {both[1]['named']} of "
        f"{both[1]['pairs']} |",
        "| of these the other model has the lower mean loss over fresh groups | "
        + " | ".join(f"{each['failed']} ({each['failed'] / each['named']:.1%})" for each in both)
        + " |",
        "| processor time, seconds | " + " | ".join(f"{each['seconds']:.0f}" for each in both)
        + " |",
        "",
        "Differences, *other folds* less *nested*, in nats (or of P); targets have a standard "
        "deviation of one:",
        "",
        "- log score in fresh groups, as a loss: " + pm("log score, other folds - nested"),
        "- mean left-out loss: " + pm("left-out loss, other folds - nested"),
        "- absolute difference of P, mean over pairs: " + pm("|P - P'|"),
        "",
    ]  # fmt: skip
    return "\n".join(lines)


if __name__ == "__main__":
    main()
