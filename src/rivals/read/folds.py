"""Folds: training and test points, by groups where there are any, and checks of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.labels import as_labels
from rivals._say.rows import in_index_order
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import IntArray
from rivals.losses import Folds
from rivals.read.inputs import n_rows

Splits: TypeAlias = list[tuple[IntArray, IntArray]]  # training and test points of each fold

FEW_FOLDS = 5
# Up to this many groups are left out one at a time; of more, this many folds of whole groups
# are made.
MOST_LEFT_OUT = 20
MANY_FOLDS = 10


def labels_of(groups: Any, index: Any, n_points: int) -> npt.NDArray[Any]:
    """The group of each point, in the order of the data if both have an index."""
    if isinstance(groups, str):
        raise TypeError(
            f"groups must hold the group of each point: got the text {show(groups)!r}; pass "
            "that column"
        )
    return as_labels(in_index_order(groups, index, "groups", "the data"), n_points)


def splits_by_groups(codes: IntArray) -> Splits:
    """One group left out at a time; of many, ten folds of whole groups, of about as many points.

    Examples
    --------
    >>> [test.tolist() for _, test in splits_by_groups(np.array([0, 1, 0, 2]))]
    [[0, 2], [1], [3]]
    """
    sizes = np.bincount(codes)
    fold = np.arange(sizes.size)
    if sizes.size > MOST_LEFT_OUT:
        load = np.zeros(MANY_FOLDS)
        for group in np.argsort(-sizes, kind="stable"):
            fold[group] = np.argmin(load)
            load[fold[group]] += sizes[group]
    of_points = fold[codes]
    return [
        (np.flatnonzero(of_points != each), np.flatnonzero(of_points == each))
        for each in range(int(fold.max()) + 1)
    ]


def make_splits(cv: Any, X: Any, y: Any, groups: Any, *, classify: bool) -> Splits:
    """The splits, the same for all estimators; each point is tested at most once."""
    from sklearn.model_selection import check_cv

    if cv is None:
        cv = _default_cv(groups)
    rows = np.arange(n_rows(X, "inputs"))
    pairs = check_cv(cv, y, classifier=classify).split(X, y, groups)
    splits = [(rows[np.asarray(train)], rows[np.asarray(test)]) for train, test in pairs]
    _check_splits(splits, rows.size)
    return splits


def _default_cv(groups: Any) -> Any:
    """One group is left out at a time; without groups, there are five folds."""
    from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

    if groups is None:
        return FEW_FOLDS
    n_groups = np.unique(groups).size
    return LeaveOneGroupOut() if n_groups <= MOST_LEFT_OUT else GroupKFold(MANY_FOLDS)


def _check_splits(splits: Splits, n_points: int) -> None:
    """No point is tested twice, and none is tested by a model that was fitted to it."""
    tested = np.bincount(np.concatenate([test for _, test in splits]), minlength=n_points)
    twice = np.flatnonzero(tested > 1)
    if twice.size:
        raise ValueError(
            f"cv tests {twice.size} of {n_points} points more than once, the first at point "
            f"{twice[0]} (from 0); use a splitter such as KFold"
        )
    for index, (train, test) in enumerate(splits):
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ValueError(
                f"cv: fold {index + 1} of {len(splits)} trains on {shared.size} of its "
                f"{test.size} test points, the first at point {shared[0]} (from 0); take "
                "them out of its training set"
            )


def splits_of_training_sets(cv: Any, groups: Any, splits: Splits) -> Any:
    """How a training set is split once more: by groups, or as the data were, if that works
    for a part of them; or into five folds.
    """
    from sklearn.model_selection import (
        GroupKFold,
        LeaveOneGroupOut,
        LeaveOneOut,
        LeavePOut,
        PredefinedSplit,
    )

    if groups is not None and (cv is None or isinstance(cv, LeaveOneGroupOut)):
        fewest = min(np.unique(groups[train]).size for train, _ in splits)
        return GroupKFold(min(FEW_FOLDS, fewest)) if fewest > 1 else FEW_FOLDS
    of_all_points = isinstance(cv, (LeaveOneOut, LeavePOut, PredefinedSplit))
    if hasattr(cv, "split") and not of_all_points:
        return cv
    return FEW_FOLDS


def keeps_groups(groups: IntArray, names: Sequence[str], splits: Splits) -> bool:
    """Whether no model was fitted to points of a group that it is judged in: only then are
    groups replications.
    """
    for train, test in splits:
        shared = np.intersect1d(groups[train], groups[test])
        if shared.size:
            warn(
                f"cv tests models on groups that they were fitted to, such as "
                f"{show(names[shared[0]])!r}, so the losses carry no groups; leave cv out, or "
                "split by groups"
            )
            return False
    return True


def kind_of_folds(cv: Any, *, by_groups: bool) -> Folds:
    """What folds are made of: whole groups, stretches of a series, or points."""
    from sklearn.model_selection import TimeSeriesSplit

    if by_groups:
        return "groups"
    return "series" if isinstance(cv, TimeSeriesSplit) else "points"
