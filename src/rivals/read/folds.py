"""Folds: training and test points, by groups where there are any, and checks of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.labels import as_labels
from rivals._say.rows import in_index_order
from rivals._say.warn import warn
from rivals._say.words import in_short, show
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
            f"that column, as in groups=frame[{show(groups)!r}]"
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
    if sizes.size <= MOST_LEFT_OUT:
        return _splits_by_fold(codes, sizes.size)
    largest_first = np.argsort(-sizes, kind="stable")
    fold = _evenly(sizes, largest_first, MANY_FOLDS)
    return _splits_by_fold(fold[codes], MANY_FOLDS)


class WholeGroups:
    """A splitter into folds of whole groups: those of scikit-learn's GroupKFold, of groups that
    are whole numbers from 0, in a tenth of its time, since nothing is sorted.
    """

    def __init__(self, n_folds: int) -> None:
        self.n_folds = n_folds

    def split(self, X: Any, y: Any, groups: IntArray) -> Splits:
        """Training and test points of each fold."""
        sizes = np.bincount(groups)
        present = np.flatnonzero(sizes)
        # Of groups of the same size the last comes first, as there.
        largest_first = present[np.argsort(sizes[present], kind="stable")[::-1]]
        fold = _evenly(sizes, largest_first, self.n_folds)
        return _splits_by_fold(fold[groups], self.n_folds)


def _evenly(sizes: IntArray, order: IntArray, n_folds: int) -> IntArray:
    """The fold of each group: taken in this order, each goes to the fold with the fewest points."""
    fold = np.zeros(sizes.size, dtype=np.intp)
    load = np.zeros(n_folds)
    for group in order:
        fold[group] = np.argmin(load)
        load[fold[group]] += sizes[group]
    return fold


def _splits_by_fold(fold: IntArray, n_folds: int) -> Splits:
    """From the fold of each point to training and test points."""
    splits = []
    for each in range(n_folds):
        is_tested = fold == each
        splits.append((np.flatnonzero(~is_tested), np.flatnonzero(is_tested)))
    return splits


def make_splits(cv: Any, X: Any, y: Any, groups: Any, *, classify: bool) -> Splits:
    """The splits, the same for all estimators; each point is tested at most once."""
    from sklearn.model_selection import check_cv

    if cv is None:
        cv = _default_cv(groups)
    rows = np.arange(n_rows(X, "inputs"))
    inputs = rows if isinstance(X, Mapping) else X  # scikit-learn would count its columns
    try:
        pairs = list(check_cv(cv, y, classifier=classify).split(inputs, y, groups))
    except (TypeError, ValueError) as error:
        raise type(error)(f"cv: {in_short(str(error))}") from None
    if not pairs:
        raise ValueError("cv: it makes no fold; pass a splitter, or pairs (training, test points)")
    splits = [
        (_points(train, rows, fold, "trains on"), _points(test, rows, fold, "tests"))
        for fold, (train, test) in enumerate(pairs, start=1)
    ]
    _check_splits(splits, rows.size)
    return splits


def _points(given: Any, rows: IntArray, fold: int, does: str) -> IntArray:
    """Points of a fold, given by their numbers or by a mask."""
    try:
        points: IntArray = rows[np.asarray(given)]
    except IndexError as error:
        raise ValueError(
            f"cv: fold {fold} {does} points that the data do not have ({error}); pass numbers of "
            f"points from 0 to {rows.size - 1}"
        ) from None
    return points


def _default_cv(groups: Any) -> Any:
    """One group is left out at a time; without groups, there are five folds."""
    from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

    if groups is None:
        return FEW_FOLDS
    n_groups = np.unique(groups).size
    if n_groups < 2:
        raise ValueError(
            "groups: all points are in one group, so none can be left out; pass the group of "
            "each point, or leave groups= out for five folds of points"
        )
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
        shared = _shared(train, test, n_points)
        if shared.size:
            raise ValueError(
                f"cv: fold {index + 1} of {len(splits)} trains on {shared.size} of its "
                f"{test.size} test points, the first at point {shared[0]} (from 0); take "
                "them out of its training set"
            )


def _shared(some: IntArray, others: IntArray, n_numbers: int) -> IntArray:
    """The whole numbers below `n_numbers` that are among both, without sorting them."""
    among_some = np.zeros(n_numbers, dtype=bool)
    among_some[some] = True
    among_others = np.zeros(n_numbers, dtype=bool)
    among_others[others] = True
    return np.flatnonzero(among_some & among_others)


def splits_of_training_sets(cv: Any, groups: Any, splits: Splits) -> Any:
    """How a training set is split once more: by groups, or as the data were, if that works
    for a part of them; or into five folds.
    """
    from sklearn.model_selection import (
        LeaveOneGroupOut,
        LeaveOneOut,
        LeavePOut,
        PredefinedSplit,
    )

    if groups is not None and (cv is None or isinstance(cv, LeaveOneGroupOut)):
        fewest = min(int(np.count_nonzero(np.bincount(groups[train]))) for train, _ in splits)
        return WholeGroups(min(FEW_FOLDS, fewest)) if fewest > 1 else FEW_FOLDS
    of_all_points = isinstance(cv, (LeaveOneOut, LeavePOut, PredefinedSplit))
    if hasattr(cv, "split") and not of_all_points:
        return cv
    return FEW_FOLDS


def keeps_groups(groups: IntArray, names: Sequence[str], splits: Splits) -> bool:
    """Whether no model was fitted to points of a group that it is judged in: only then are
    groups replications.
    """
    for train, test in splits:
        shared = _shared(groups[train], groups[test], len(names))
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
