"""The expensive stage: fit candidates, keep their losses, and what they lose in fresh groups.

Three designs. *left out*: G groups are at hand. The candidates are judged by losses of groups (and,
for comparison, of points) that they were not fitted to, then fitted to all G, and scored in fresh
groups. *frozen*: candidates are fitted to some groups, and judged and scored in others. *rows*: see
rows.py.

A file holds one split of a data set, made of plain arrays:

    names               of the candidates
    observed            models × points: losses in groups that were left out (in all others, frozen)
    simulations         models × simulations × points: losses of responses that each model draws
    group               the group of each point; frozen: simulations are of the first groups alone
    fold                left out: the fold of each group
    fits                left out: means in every group at hand by the fit without each fold, folds ×
                        groups × models
    points, part        left out: losses by random folds of points, and the fold of each point
    fresh, fresh_error, fresh_sizes
                        left out: means in fresh groups (groups × models), the covariance of these
                        means by their sampling (groups × models × models), and points
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupKFold, KFold

from catalogue import DataSet
from data import Table, load
from models import Predicted, candidates

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

# Name of a design → groups at hand, folds in which they are left out; none where candidates are
# frozen.
DESIGNS: dict[str, tuple[int, int] | None] = {
    "frozen": None,
    "l4": (4, 4),
    "l6": (6, 6),
    "l10": (10, 10),
    "l20": (20, 10),
}
N_SIMULATIONS = 16
# At most so many points of a group at hand, of one that is fresh, and at hand in all.
AT_HAND = 400
FRESH = 600
MOST_POINTS = 4000
LEAST_FRESH = 4  # groups
MOST_FRESH = 40
FOLDS_OF_POINTS = 5
POOL = 12  # frozen: groups that may be at hand
# A loss beyond this is a blunder of extrapolation; its size says nothing.
LARGEST = 1e6


def write(data_set: DataSet, design: str, split: int, path: Path) -> bool:
    """One split; False where the data set has too few groups for it."""
    found = (
        left_out(data_set, *DESIGNS[design], split) if DESIGNS[design] else frozen(data_set, split)
    )
    if found is None:
        return False
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, **found)
    partial.rename(path)
    return True


def left_out(data_set: DataSet, n_groups: int, n_folds: int, split: int) -> dict[str, Any] | None:
    """Losses of groups and of points that were left out, with G groups at hand."""
    table = load(data_set)
    rng = generator(data_set, split, n_groups)
    names = rng.permutation(list(table.rows))
    if names.size < n_groups + max(n_groups, LEAST_FRESH):
        return None
    most = min(AT_HAND, MOST_POINTS // n_groups)
    chosen = [some(table.rows[name], most, data_set, rng) for name in names[:n_groups]]
    rows = np.concatenate(chosen)
    group = np.repeat(np.arange(n_groups), [one.size for one in chosen])
    X, y = at(table, rows)
    models = candidates(data_set.kind, table.blocks)
    fold = np.empty(rows.size, dtype=np.intp)
    folds = GroupKFold(n_folds)
    for place, (_, inside) in enumerate(folds.split(X, groups=group)):
        fold[inside] = place
    observed, by_fold = held_out(models, X, y, fold)
    starts = np.searchsorted(group, np.arange(n_groups))
    found = {
        "names": list(models),
        "observed": observed,
        "group": group,
        "fold": fold[starts],
        "fits": np.add.reduceat(by_fold, starts, axis=2).transpose(0, 2, 1)
        / np.bincount(group)[:, None],
        "order": np.array(data_set.order or ""),
    }
    part = np.empty(rows.size, dtype=np.intp)
    by_points = KFold(FOLDS_OF_POINTS, shuffle=True, random_state=split)
    for place, (_, inside) in enumerate(by_points.split(X)):
        part[inside] = place
    points, _ = held_out(models, X, y, part)
    held = names[n_groups : n_groups + MOST_FRESH]
    parts = [some(table.rows[name], FRESH, data_set, rng) for name in held]
    new_X, new_y = at(table, np.concatenate(parts))
    losses = losses_of([model(X, y)(new_X) for model in models.values()], new_y)
    return found | {"points": points, "part": part} | means_of_groups(losses, parts)


def frozen(data_set: DataSet, split: int) -> dict[str, Any]:
    """Losses of frozen candidates in groups that they were not fitted to."""
    table = load(data_set)
    rng = generator(data_set, split)
    names = rng.permutation(list(table.rows))
    n_training = int(np.clip(names.size // 4, 2, 5))
    parts = [some(table.rows[name], FRESH, data_set, rng) for name in names[:n_training]]
    X, y = at(table, np.concatenate(parts))
    models = candidates(data_set.kind, table.blocks)
    held = names[n_training : n_training + MOST_FRESH]
    parts = [some(table.rows[name], FRESH, data_set, rng) for name in held]
    new_X, new_y = at(table, np.concatenate(parts))
    predicted = [model(X, y)(new_X) for model in models.values()]
    pool = sum(part.size for part in parts[:POOL])
    of_pool = [replace(one, at=one.at[:pool]) for one in predicted]
    return {
        "names": list(models),
        "observed": losses_of(predicted, new_y),
        "simulations": simulated(of_pool, N_SIMULATIONS, rng),
        "group": np.repeat(np.arange(held.size), [part.size for part in parts]),
        "training": n_training,
        "order": np.array(data_set.order or ""),
    }


# ---------------------------------------------------------------- steps of the designs


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


def at(table: Table, rows: Rows) -> tuple[FloatArray, FloatArray]:
    return table.inputs[rows], table.response[rows]


def held_out(
    models: dict[str, Any], X: FloatArray, y: FloatArray, fold: Rows
) -> tuple[FloatArray, FloatArray]:
    """Losses of all points by models that have not seen their fold; and by every fold's fit."""
    n_folds = int(fold.max()) + 1
    by_fold = np.empty((n_folds, len(models), y.size))
    for place in range(n_folds):
        train = np.flatnonzero(fold != place)
        predicted = [model(X[train], y[train])(X) for model in models.values()]
        by_fold[place] = losses_of(predicted, y)
    return by_fold[fold, :, np.arange(y.size)].T, by_fold


def losses_of(predicted: list[Predicted], y: FloatArray) -> FloatArray:
    """Negative log densities, models × points."""
    return np.clip([one.loss(y) for one in predicted], -LARGEST, LARGEST)


def simulated(
    predicted: list[Predicted], n_simulations: int, rng: np.random.Generator
) -> FloatArray:
    """Losses of responses that each model draws itself, models × simulations × points."""
    found = np.empty((len(predicted), n_simulations, predicted[0].at.size), dtype=np.float32)
    for own, model in zip(found, predicted, strict=True):
        for one in own:
            one[:] = np.clip(model.loss(model.draw(rng)), -LARGEST, LARGEST)
    return found


def means_of_groups(losses: FloatArray, parts: list[Rows]) -> dict[str, Any]:
    """Means in fresh groups, and the covariances of these means."""
    sizes = np.array([part.size for part in parts])
    each = np.split(losses, np.cumsum(sizes)[:-1], axis=1)
    return {
        "fresh": np.array([one.mean(axis=1) for one in each]),
        "fresh_error": np.array([np.cov(one) / one.shape[1] for one in each]),
        "fresh_sizes": sizes,
    }
