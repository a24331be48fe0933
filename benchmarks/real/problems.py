"""What methods are asked to judge, and what became of it: read from the files of losses.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from losses import LEAST_FRESH, POOL, means_of_groups
from truth import Fresh

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

FROZEN = (1, 2, 3, 5, 8)  # groups at hand
SETS = 4  # so many sets of several groups; single groups are all judged
# Losses of two models that differ by less than this part of their spread are the same.
SAME = 1e-6


@dataclass(frozen=True)
class Problem:
    """Losses of all candidates in the groups at hand, and what they lost in fresh ones."""

    key: dict[str, Any]  # data, design, groups, split, set
    names: list[str]
    views: dict[str, list[FloatArray]]  # groups, points → models × points of each group or fold
    simulations: list[FloatArray]  # of each group, models × simulations × points; frozen only
    fits: FloatArray | None  # folds × groups × models: means by every fold's fit; left out only
    fold: Rows | None  # of each group
    order: str | None
    n_folds: int  # 0 where candidates were frozen
    fresh: Fresh


def problems(
    path: Path, key: dict[str, Any], at_hand: tuple[int, ...] = FROZEN
) -> Iterator[Problem]:
    """The problems of one file; frozen candidates are judged from sets of so many groups."""
    kept = read(path)
    yield from _left_out(kept, key) if "fold" in kept else _frozen(kept, key, at_hand)


def read(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _left_out(kept: dict[str, Any], key: dict[str, Any]) -> Iterator[Problem]:
    every = np.arange(kept["fold"].size)
    fresh = Fresh(kept["fresh"], kept["fresh_error"])
    views = {}
    if "points" in kept:
        views["points"] = [
            kept["points"][:, kept["part"] == one] for one in np.unique(kept["part"])
        ]
    n_folds = int(kept["fold"].max()) + 1
    found = problem(kept, key | {"groups": every.size, "set": 0}, every, fresh, n_folds, views)
    if found is not None:
        yield found


def _frozen(
    kept: dict[str, Any], key: dict[str, Any], at_hand: tuple[int, ...]
) -> Iterator[Problem]:
    n_held = int(kept["group"].max()) + 1
    parts = [np.flatnonzero(kept["group"] == one) for one in range(n_held)]
    each = means_of_groups(kept["observed"], parts)
    pool = min(POOL, n_held)
    for k in at_hand:
        if n_held - k < max(k, LEAST_FRESH) or k > pool:
            continue
        for number in range(pool if k == 1 else SETS):
            rng = np.random.default_rng([key["split"], n_held, k, number])
            places = np.array([number]) if k == 1 else rng.permutation(pool)[:k]
            rest = np.setdiff1d(np.arange(n_held), places)
            fresh = Fresh(each["fresh"][rest], each["fresh_error"][rest])
            found = problem(kept, key | {"groups": k, "set": number}, places, fresh, 0, {})
            if found is not None:
                yield found


def problem(
    kept: dict[str, Any],
    key: dict[str, Any],
    places: Rows,
    fresh: Fresh,
    n_folds: int,
    views: dict[str, list[FloatArray]],
) -> Problem | None:
    """Of the groups at these places; none where fewer than two models differ there."""
    chosen = [np.flatnonzero(kept["group"] == place) for place in places]
    observed = kept["observed"]
    own = distinct(observed[:, np.concatenate(chosen)])
    if own.size < 2:
        return None
    by_groups = {"groups": [observed[own][:, rows] for rows in chosen]}
    simulations = kept["simulations"][own] if "simulations" in kept else None
    return Problem(
        key,
        kept["names"][own].tolist(),
        by_groups | {name: [part[own] for part in view] for name, view in views.items()},
        [] if simulations is None else [simulations[:, :, rows].astype(float) for rows in chosen],
        kept["fits"][:, :, own] if "fits" in kept else None,
        kept.get("fold"),
        str(kept["order"]) or None,
        n_folds,
        Fresh(fresh.means[:, own], fresh.error[:, own][:, :, own]),
    )


def distinct(losses: FloatArray) -> Rows:
    """The models that are not one of those before them.

    Two that differ by a constant at most are one: where no training group has what the predictors
    of the larger could tell, it is the smaller.
    """
    found: list[int] = []
    for b, own in enumerate(losses):
        apart = [np.std(own - losses[a]) > SAME * np.std(losses[a]) for a in found]
        if all(apart):
            found.append(b)
    return np.array(found)
