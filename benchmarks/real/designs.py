"""The two designs: candidates frozen and judged from other groups, and candidates judged by leaving one group out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from catalogue import DataSet
from judge import (
    THRESHOLD,
    AtHand,
    Said,
    compare,
    from_groups,
    from_left_out,
    from_one_group,
    standard_error,
)
from models import candidates
from sklearn.model_selection import KFold
from truth import Fresh

import rivals
from data import Table, load

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
N_SIMULATIONS = 16
MOST_FRESH = 30  # groups
# Frozen candidates: points of a group, how many single groups and sets of groups are judged in each split.
TRAINING, AT_HAND, FRESH = 1000, 1000, 2000
SINGLE, SINGLE_BETA, POOL, SETS = 6, 3, 12, 3
SEVERAL = (2, 3, 5, 8)
# One group left out at a time.
LEFT_OUT = (4, 6)
LEFT_OUT_POINTS, LEFT_OUT_FRESH = 600, 1000


def frozen(data_set: DataSet, split: int) -> Iterator[dict[str, Any]]:
    """Candidates are fitted to 2 to 5 groups, judged from k others, and scored in up to 29 fresh ones."""
    table, rng = load(data_set), generator(data_set, split)
    fitted, held = frozen_candidates(data_set, table, rng)
    fresh = Fresh.of([losses_of(fitted, table, rows, data_set) for rows in held])
    pool = [
        judged(fitted, table, some(rows, AT_HAND, data_set, rng), data_set, rng)
        for rows in held[:POOL]
    ]
    for place, one in enumerate(pool[:SINGLE]):
        said = from_one_group(one, split, with_beta=place < SINGLE_BETA)
        yield from pairs(said, one, fresh.without(place), k=1, set=place)
    for k in SEVERAL:
        for number in range(SETS if len(fresh) - k >= 2 else 0):
            places = rng.choice(len(pool), k, replace=False)
            chosen = AtHand.together([pool[place] for place in places])
            yield from pairs(
                from_groups(chosen, split), chosen, fresh.without(places), k=k, set=number
            )


def left_out(data_set: DataSet, split: int) -> Iterator[dict[str, Any]]:
    """Candidates are judged by leaving out one of G groups at a time, fitted to all G, and scored in up to 30 fresh ones."""
    table = load(data_set)
    for n_groups in LEFT_OUT:
        rng = generator(data_set, split, n_groups)
        names = rng.permutation(list(table.rows))
        if names.size < n_groups + 2:
            continue
        rows = np.concatenate(
            [some(table.rows[name], LEFT_OUT_POINTS, data_set, rng) for name in names[:n_groups]]
        )
        held = [
            some(table.rows[name], LEFT_OUT_FRESH, data_set, rng)
            for name in names[n_groups : n_groups + MOST_FRESH]
        ]
        X, y = at(table, rows)
        models = candidates(data_set)
        noise = (
            "cross-validated" if data_set.kind == "binary" else "predicted"
        )  # classifiers have no noise
        losses = rivals.read.cross_validated(
            models, X, y, groups=table.group[rows], noise=noise, rng=split
        )
        result = compare(losses)
        folds = KFold(5, shuffle=True, random_state=split)
        by_points = rivals.read.cross_validated(models, X, y, cv=folds, noise=noise, rng=split)
        fitted = {name: model.fit(X, y) for name, model in models.items()}
        fresh = Fresh.of([losses_of(fitted, table, one, data_set) for one in held])
        codes = np.unique(table.group[rows], return_inverse=True)[1]
        at_hand = AtHand(
            list(models), stacked(losses, "observed"), stacked(losses, "simulations"), codes
        )
        said = from_left_out(at_hand, split)
        said.probability["5-fold by points, elpd ± SE"] = standard_error(
            stacked(by_points, "observed")
        )
        yield from pairs(said, at_hand, fresh, k=n_groups, set=0)
        yield best(said, result, at_hand, fresh, k=n_groups)


# ---------------------------------------------------------------- steps of both


def frozen_candidates(
    data_set: DataSet, table: Table, rng: np.random.Generator
) -> tuple[dict[str, Any], list[Rows]]:
    """Candidates fitted to some of the groups, and the rows of the others."""
    names = rng.permutation(list(table.rows))
    n_training = int(np.clip(names.size // 4, 2, 5))
    training = np.concatenate(
        [some(table.rows[name], TRAINING, data_set, rng) for name in names[:n_training]]
    )
    fitted = {name: model.fit(*at(table, training)) for name, model in candidates(data_set).items()}
    held = names[n_training : n_training + MOST_FRESH]
    return fitted, [some(table.rows[name], FRESH, data_set, rng) for name in held]


def generator(data_set: DataSet, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(data_set.source.encode()), *numbers])


def some(rows: Rows, most: int, data_set: DataSet, rng: np.random.Generator) -> Rows:
    """At most so many of the rows of a group: a stretch of time, or any."""
    if rows.size <= most:
        return rows
    if data_set.in_time:
        begin = rng.integers(rows.size - most + 1)
        return rows[begin : begin + most]
    return np.sort(rng.choice(rows, most, replace=False))


def at(table: Table, rows: Rows) -> tuple[pd.DataFrame, FloatArray]:
    return table.inputs.iloc[rows].reset_index(drop=True), table.response[rows]


def losses_of(fitted: dict[str, Any], table: Table, rows: Rows, data_set: DataSet) -> FloatArray:
    """Models × points."""
    X, y = at(table, rows)
    return np.array([candidate(model, X, data_set).loss((X, y)) for model in fitted.values()])


def judged(
    fitted: dict[str, Any], table: Table, rows: Rows, data_set: DataSet, rng: np.random.Generator
) -> AtHand:
    """Observed and simulated losses in one group."""
    X, y = at(table, rows)
    models = {name: candidate(model, X, data_set) for name, model in fitted.items()}
    losses = {
        name: model.losses((X, y), n_simulations=N_SIMULATIONS, rng=rng)
        for name, model in models.items()
    }
    group = np.zeros(rows.size, dtype=np.intp)
    return AtHand(list(models), stacked(losses, "observed"), stacked(losses, "simulations"), group)


def stacked(losses: dict[str, rivals.Losses], what: str) -> FloatArray:
    return np.array([getattr(one, what) for one in losses.values()])


def candidate(model: Any, X: pd.DataFrame, data_set: DataSet) -> rivals.Candidate:
    return (
        rivals.read.classifier(model, X)
        if data_set.kind == "binary"
        else rivals.read.regressor(model, X, noise="predicted")
    )


def pairs(said: Said, at_hand: AtHand, fresh: Fresh, **numbers: int) -> Iterator[dict[str, Any]]:
    """A record for each pair of models: what the methods say of it, and what became of it."""
    means = at_hand.observed.mean(axis=1)
    wins, of_risks, by_own = fresh.wins(), fresh.wins_of_risks(), fresh.wins_of_risks(pooled=False)
    for a, b in combinations(range(len(at_hand.names)), 2):
        yield numbers | {
            "pair": [at_hand.names[a], at_hand.names[b]],
            "difference": means[a] - means[b],
            "fresh": len(fresh),
            "wins": wins[a, b],
            "wins of risks": of_risks[a, b],
            "wins of risks, own variances": by_own[a, b],
            "said": {method: round(float(p[a, b]), 7) for method, p in said.probability.items()},
            "verdict": {method: int(sign[a, b]) for method, sign in said.verdict.items()},
        }


def best(
    said: Said, result: rivals.Comparison, at_hand: AtHand, fresh: Fresh, **numbers: int
) -> dict[str, Any]:
    """Whether the truly best of all candidates, of the lowest mean over fresh groups, survives; and how many do."""
    truly = int(np.argmin(fresh.means.mean(axis=0)))
    beaten = said.probability["5-fold by points, elpd ± SE"] > THRESHOLD
    return numbers | {
        "groups": [
            at_hand.names[truly] in result.survivors,
            len(result.survivors) / len(at_hand.names),
        ],
        "5-fold by points, elpd ± SE": [
            not beaten[:, truly].any(),
            float(1.0 - beaten.any(axis=0).mean()),
        ],
    }
