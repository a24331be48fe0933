"""The expensive stage: fit candidates, keep their losses and what became of them in fresh groups.

Two designs. *left out*: G groups are at hand; the candidates are judged by losses of groups (or of
points) that they were not fitted to, then fitted to all G, and scored in fresh groups. *frozen*:
candidates are fitted to some groups, judged from k others, and scored in fresh ones. A file of
records holds one split of a data set; `problems` reads back what methods are asked to judge.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from catalogue import DataSet
from models import candidates
from sklearn.model_selection import GroupKFold, KFold
from truth import Fresh

import rivals
from data import Table, load

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

LEFT_OUT = (4, 6, 10, 20)  # groups at hand
FROZEN = (1, 2, 3, 5, 8)
N_SIMULATIONS = 16
# At most so many points of a group at hand, and of a fresh one.
AT_HAND = 400
FRESH = 600
MOST_POINTS = 4000  # at hand in all
# At least and at most so many fresh groups. Frozen candidates leave fewer.
LEAST_FRESH = 8
LEAST_FRESH_FROZEN = 4
MOST_FRESH = 40
# Above so many groups, they are left out in folds of whole groups.
MOST_FOLDS = 10
FOLDS_OF_POINTS = 5
# Nested cross-validation takes many fits: of the first data sets with so many groups at hand.
NESTED = 10
NESTED_REPETITIONS = 2
# Frozen candidates: groups that may be at hand, and how many sets of k of them are judged.
POOL = 12
SINGLES = 6
SETS = 2
# Losses of two models that differ by less than this part of their spread are the same.
SAME = 1e-6


@dataclass(frozen=True)
class Problem:
    """What a method is asked to judge, and what became of it."""

    key: dict[str, Any]  # data, design, groups, split, set
    names: list[str]
    views: dict[str, Any]  # how losses were held out → what a method gets as `losses`
    simulations: list[FloatArray]  # of each group, models × simulations × points
    order: str | None
    truth: FloatArray  # [question, a, b]
    fresh: int
    best: int


# ---------------------------------------------------------------- write


def write(data_set: DataSet, design: str, n_groups: int, split: int, path: Path) -> bool:
    """One split; False where the data set has too few groups for it."""
    is_frozen = design == "frozen"
    found = frozen(data_set, split) if is_frozen else left_out(data_set, n_groups, split)
    if found is None:
        return False
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, **found)
    partial.rename(path)
    return True


def left_out(data_set: DataSet, n_groups: int, split: int) -> dict[str, Any] | None:
    """Losses of groups and of points that were left out, with G groups at hand."""
    table = load(data_set)
    rng = generator(data_set, split, n_groups)
    names = rng.permutation(list(table.rows))
    if names.size < n_groups + LEAST_FRESH:
        return None
    most = min(AT_HAND, MOST_POINTS // n_groups)
    chosen = [some(table.rows[name], most, data_set, rng) for name in names[:n_groups]]
    rows = np.concatenate(chosen)
    group = np.repeat(np.arange(n_groups), [one.size for one in chosen])
    X, y = at(table, rows)
    models = candidates(data_set.kind, table.blocks)
    folds = GroupKFold(min(n_groups, MOST_FOLDS)).split(X, groups=group)
    losses = rivals.read.cross_validated(
        models,
        X,
        y,
        groups=group,
        cv=list(folds),
        # Classifiers have no noise beside their probabilities.
        noise="cross-validated" if data_set.kind == "binary" else "predicted",
        n_simulations=N_SIMULATIONS,
        rng=split,
    )
    fold = np.empty(rows.size, dtype=np.intp)
    by_points = KFold(FOLDS_OF_POINTS, shuffle=True, random_state=split)
    for place, (_, inside) in enumerate(by_points.split(X)):
        fold[inside] = place
    points = out_of_fold(models, X, y, fold, data_set)
    held = names[n_groups : n_groups + MOST_FRESH]
    fitted = {name: model.fit(X, y) for name, model in models.items()}
    means = fresh_means(fitted, table, held, data_set, rng)
    found = {
        "names": list(models),
        "observed": stacked(losses, "observed"),
        "simulations": stacked(losses, "simulations").astype(np.float32),
        "group": group,
        "points": points,
        "fold": fold,
        "places": np.arange(n_groups)[None, :],
        "truth": Fresh(means).truth(n_groups, rng)[None],
        "fresh": np.array([len(means)]),
        "best": np.array([Fresh(means).best]),
        "order": np.array(data_set.order or ""),
    }
    if n_groups == NESTED and split == 0 and data_set.frozen == "first":
        found |= nested(models, X, y, data_set)
    return found


def frozen(data_set: DataSet, split: int) -> dict[str, Any] | None:
    """Losses of frozen candidates in groups that they were not fitted to, and sets of k of them."""
    table = load(data_set)
    rng = generator(data_set, split)
    names = rng.permutation(list(table.rows))
    n_training = int(np.clip(names.size // 4, 2, 5))
    parts = [some(table.rows[name], FRESH, data_set, rng) for name in names[:n_training]]
    X, y = at(table, np.concatenate(parts))
    fitted = {
        name: model.fit(X, y) for name, model in candidates(data_set.kind, table.blocks).items()
    }
    held = names[n_training : n_training + MOST_FRESH]
    fresh = Fresh(fresh_means(fitted, table, held, data_set, rng))
    pool = [some(table.rows[name], AT_HAND, data_set, rng) for name in held[:POOL]]
    losses = [simulated(fitted, table, rows, data_set, rng) for rows in pool]
    found: dict[str, list[Any]] = {"places": [], "truth": [], "fresh": [], "best": []}
    for k in FROZEN:
        if len(held) - k < LEAST_FRESH_FROZEN:
            continue
        for number in range(SINGLES if k == 1 else SETS):
            places = np.array([number]) if k == 1 else rng.choice(len(pool), k, replace=False)
            rest = fresh.without(places)
            found["places"].append(np.pad(places, (0, max(FROZEN) - k), constant_values=-1))
            found["truth"].append(rest.truth(k, rng))
            found["fresh"].append(len(rest.means))
            found["best"].append(rest.best)
    return {
        "names": list(fitted),
        "observed": np.concatenate([stacked(one, "observed") for one in losses], axis=1),
        "simulations": np.concatenate(
            [stacked(one, "simulations").astype(np.float32) for one in losses], axis=2
        ),
        "group": np.repeat(np.arange(len(pool)), [rows.size for rows in pool]),
        "order": np.array(data_set.order or ""),
        **{name: np.array(values) for name, values in found.items()},
    }


def nested(models: dict[str, Any], X: FloatArray, y: FloatArray, data_set: DataSet) -> Any:
    """Nested cross-validation by points: of each outer fold, losses inside and outside of it."""
    inner = []
    outer = []
    for repetition in range(NESTED_REPETITIONS):
        folds = KFold(FOLDS_OF_POINTS, shuffle=True, random_state=1000 + repetition).split(X)
        tests = [test for _, test in folds]
        # A model fitted without folds i and j is judged in j when i is the outer one, and in i
        # when j is.
        inside = np.full((len(tests), len(models), len(y)), np.nan)
        outside = np.full((len(models), len(y)), np.nan)
        for i, first in enumerate(tests):
            rest = np.setdiff1d(np.arange(len(y)), first)
            outside[:, first] = fit_and_judge(models, X, y, rest, first, data_set)
            for j in range(i):
                both = np.setdiff1d(rest, tests[j])
                pair = np.concatenate([first, tests[j]])
                losses = fit_and_judge(models, X, y, both, pair, data_set)
                inside[j][:, first] = losses[:, : first.size]
                inside[i][:, tests[j]] = losses[:, first.size :]
        inner.append(inside)
        outer.append(outside)
    return {"inner": np.array(inner).astype(np.float32), "outer": np.array(outer)}


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


def candidate(model: Any, X: FloatArray, data_set: DataSet) -> rivals.Candidate:
    if data_set.kind == "binary":
        return rivals.read.classifier(model, X)
    return rivals.read.regressor(model, X, noise="predicted")


def losses_of(
    fitted: dict[str, Any], X: FloatArray, y: FloatArray, data_set: DataSet
) -> FloatArray:
    """Models × points."""
    return np.array([candidate(model, X, data_set).loss((X, y)) for model in fitted.values()])


def fit_and_judge(
    models: dict[str, Any], X: FloatArray, y: FloatArray, train: Rows, test: Rows, data_set: Any
) -> FloatArray:
    """Losses at the test rows of models that are fitted to the others, models × points."""
    fitted = {name: model.fit(X[train], y[train]) for name, model in models.items()}
    return losses_of(fitted, X[test], y[test], data_set)


def out_of_fold(
    models: dict[str, Any], X: FloatArray, y: FloatArray, fold: Rows, data_set: DataSet
) -> FloatArray:
    """Losses of all points, each by models that have not seen its fold; models × points."""
    found = np.empty((len(models), len(y)))
    for place in np.unique(fold):
        test = np.flatnonzero(fold == place)
        train = np.flatnonzero(fold != place)
        found[:, test] = fit_and_judge(models, X, y, train, test, data_set)
    return found


def fresh_means(
    fitted: dict[str, Any],
    table: Table,
    names: Any,
    data_set: DataSet,
    rng: np.random.Generator,
) -> FloatArray:
    """Mean losses in fresh groups, groups × models."""
    parts = [some(table.rows[name], FRESH, data_set, rng) for name in names]
    losses = losses_of(fitted, *at(table, np.concatenate(parts)), data_set)
    ends = np.cumsum([part.size for part in parts])[:-1]
    return np.array([one.mean(axis=1) for one in np.split(losses, ends, axis=1)])


def simulated(
    fitted: dict[str, Any], table: Table, rows: Rows, data_set: DataSet, rng: np.random.Generator
) -> dict[str, rivals.Losses]:
    """Observed and simulated losses in one group."""
    X, y = at(table, rows)
    models = {name: candidate(model, X, data_set) for name, model in fitted.items()}
    found = {}
    for name, model in models.items():
        found[name] = model.losses((X, y), n_simulations=N_SIMULATIONS, rng=rng)
    return found


def stacked(losses: dict[str, rivals.Losses], what: str) -> FloatArray:
    return np.array([getattr(one, what) for one in losses.values()])


# ---------------------------------------------------------------- read


def problems(path: Path, key: dict[str, Any]) -> Iterator[Problem]:
    """The problems of one file of records."""
    with np.load(path, allow_pickle=False) as found:
        kept = {name: found[name] for name in found.files}
    members = [np.flatnonzero(kept["group"] == one) for one in np.unique(kept["group"])]
    for number, places in enumerate(kept["places"]):
        chosen = [members[place] for place in places if place >= 0]
        twin = twins(kept["observed"][:, np.concatenate(chosen)])
        own = np.flatnonzero(twin == np.arange(twin.size))
        if own.size < 2:
            continue
        views: dict[str, Any] = {"groups": [kept["observed"][own][:, rows] for rows in chosen]}
        if "points" in kept:
            folds = np.unique(kept["fold"])
            views["points"] = [kept["points"][own][:, kept["fold"] == one] for one in folds]
        if "inner" in kept:
            views["nested"] = pairs_of_folds(kept["inner"][:, :, own], kept["outer"][:, own])
        simulations = kept["simulations"][own]
        yield Problem(
            key | {"groups": len(chosen), "set": number},
            kept["names"][own].tolist(),
            views,
            [simulations[:, :, rows].astype(np.float64) for rows in chosen],
            str(kept["order"]) or None,
            kept["truth"][number][:, own][:, :, own],
            int(kept["fresh"][number]),
            int(np.searchsorted(own, twin[kept["best"][number]])),
        )


def twins(losses: FloatArray) -> Rows:
    """The first model that predicts the same as each one, often itself.

    Two that differ by a constant at most are one: where no training group has what the predictors
    of the larger could tell, it is the smaller.
    """
    found = np.arange(len(losses))
    for b in range(len(losses)):
        for a in range(b):
            difference = losses[b] - losses[a]
            if found[b] == b and np.std(difference) <= SAME * np.std(losses[a]):
                found[b] = found[a]
    return found


def pairs_of_folds(inner: FloatArray, outer: FloatArray) -> list[list[tuple[Any, Any]]]:
    """Repetition → outer fold → losses inside (models × points) and losses in it."""
    found = []
    for inside, outside in zip(inner, outer, strict=True):
        folds = []
        for one in inside:
            test = np.isnan(one[0])
            folds.append((one[:, ~test].astype(np.float64), outside[:, test]))
        found.append(folds)
    return found


def line(problem: Problem) -> str:
    """What became of a problem, as a line of JSON: pairs in the order of `np.triu_indices`."""
    a, b = np.triu_indices(len(problem.names), 1)
    truth = {
        question: [round(float(x), 4) for x in one[a, b]]
        for question, one in zip(("next", "study", "all"), problem.truth, strict=True)
    }
    known = {"models": problem.names, "fresh": problem.fresh, "best": problem.best}
    return json.dumps(problem.key | known | {"truth": truth}, ensure_ascii=False)
