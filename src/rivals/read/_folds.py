"""Folds, made in one place: whole groups, left out one at a time or ten parts of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._core.cautions import warn
from rivals._core.grouping import Grouping, noun_of
from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import IntArray
from rivals.read._rows import column, n_rows

# Up to this many groups are left out one at a time; of more, so many folds of whole groups.
MOST_ALONE = 20
MANY_FOLDS = 10
# Folds of points, where nobody says how.
FEW_FOLDS = 5
# How many groups an error names.
NAMED = 5


@dataclass(frozen=True, eq=False)
class Fold:
    """What a model is fitted to, and where it is judged.

    Attributes
    ----------
    train, test : array of int
        Points.
    groups : tuple of str
        The groups that are left out; empty where points are.
    """

    train: IntArray
    test: IntArray
    groups: tuple[str, ...] = ()


def grouping_of(groups: Any, data: Any, noun: str | None = None) -> Grouping:
    """The group of each row of the data."""
    if isinstance(groups, str):
        raise WrongKind(
            f"{opt['groups']}: expected the group of each point; got the text {groups!r}; "
            "pass that column, "
            f"as in groups=frame[{groups!r}]"
        )
    grouping = Grouping.of(groups, noun)
    n_points = n_rows(data, "data")
    if grouping.codes.size != n_points:
        raise Refusal(f"{opt['groups']}: {grouping.codes.size} labels for {n_points} points")
    if len(grouping.names) < 2:
        raise Refusal(
            f"{opt['groups']}: all points are in one, {grouping.names[0]!r}, so that none "
            "can be left out; "
            "pass the group of each point"
        )
    return grouping


def grouping_in(data: Any, groups: Any) -> Grouping:
    """The group of each row, given by labels or by the name of their column."""
    labels = column(data, groups, "groups")
    return grouping_of(labels, data, noun_of(groups) if isinstance(groups, str) else None)


def folds_of_groups(grouping: Grouping) -> list[Fold]:
    """Each group alone; above twenty groups, ten folds of whole groups with about as many points.

    These are the folds of scikit-learn's LeaveOneGroupOut and GroupKFold.

    Examples
    --------
    >>> [fold.groups for fold in folds_of_groups(Grouping.of(["b", "a", "b", "c"]))]
    [('b',), ('a',), ('c',)]
    """
    n_groups = len(grouping.names)
    if n_groups <= MOST_ALONE:
        part = np.arange(n_groups)
    else:
        part = _evenly(grouping.sizes, MANY_FOLDS)
    folds = []
    for each in range(part.max() + 1):
        tested = (part == each)[grouping.codes]
        names = tuple(np.array(grouping.names)[part == each].tolist())
        folds.append(Fold(np.flatnonzero(~tested), np.flatnonzero(tested), names))
    return folds


def _evenly(sizes: IntArray, n_folds: int) -> IntArray:
    """The fold of each group: the largest first, each goes to the fold with the fewest points."""
    part = np.zeros(sizes.size, dtype=np.intp)
    load = np.zeros(n_folds)
    for group in np.argsort(sizes, kind="stable")[::-1]:
        part[group] = np.argmin(load)
        load[part[group]] += sizes[group]
    return part


def units_of_groups(folds: list[Fold], grouping: Grouping) -> tuple[list[Fold], Grouping]:
    """Folds and grouping where each group is one point."""
    nobody = np.empty(0, dtype=np.intp)
    found = [Fold(nobody, np.unique(grouping.codes[fold.test]), fold.groups) for fold in folds]
    names = grouping.names
    return found, Grouping(np.arange(len(names)), names, grouping.noun)


def folds_by(cv: Any, X: Any, y: Any, grouping: Grouping | None, *, classify: bool) -> list[Fold]:
    """The folds of a splitter of scikit-learn, a number, or pairs of points."""
    selection = need("sklearn.model_selection", extra="sklearn", purpose="cross-validation")
    rows = np.arange(n_rows(X, "X"))
    codes = None if grouping is None else grouping.codes
    try:
        splitter = selection.check_cv(FEW_FOLDS if cv is None else cv, y, classifier=classify)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            pairs = list(splitter.split(rows, y, codes))
        folds = [Fold(rows[train], rows[test]) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise Refusal(f"{opt['cv']}: {error}") from error
    _check_apart(folds, rows.size)
    return folds if grouping is None else _with_groups(folds, grouping)


def _check_apart(folds: list[Fold], n_points: int) -> None:
    """No point is tested twice, and none by a model that was fitted to it."""
    if not folds:
        raise Refusal(f"{opt['cv']}: it makes no fold")
    tested = np.bincount(np.concatenate([fold.test for fold in folds]), minlength=n_points)
    if tested.max() > 1:
        raise Refusal(
            f"{opt['cv']}: {np.count_nonzero(tested > 1)} of {n_points} points are tested "
            "more than once, "
            f"the first is point {tested.argmax()} (from 0); use a splitter such as KFold"
        )
    for place, fold in enumerate(folds, start=1):
        shared = np.intersect1d(fold.train, fold.test)
        if shared.size:
            raise Refusal(
                f"{opt['cv']}: fold {place} of {len(folds)} trains on {shared.size} of its "
                f"{fold.test.size} "
                f"test points, the first is point {shared[0]} (from 0)"
            )


def _with_groups(folds: list[Fold], grouping: Grouping) -> list[Fold]:
    """Named by the groups that they leave out, if no model is judged in a group that it saw."""
    found = []
    for fold in folds:
        left_out = np.unique(grouping.codes[fold.test])
        seen = np.intersect1d(left_out, grouping.codes[fold.train])
        if seen.size:
            warn(
                f"{opt['cv']}: models are judged on groups that they were fitted to, such as "
                f"{grouping.names[seen[0]]!r}, so that the losses carry no groups; leave "
                f"{opt.cv} out, "
                "or split by groups"
            )
            return folds
        names = tuple(grouping.names[code] for code in left_out)
        found.append(Fold(fold.train, fold.test, names))
    return found


def without(groups: Iterable[str], noun: str) -> str:
    """A fold in words, by what it leaves out: "without school 3, 7, …"."""
    names = list(groups)
    named = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    said_already = named.lower().startswith(noun.lower())
    return f"without {named}" if said_already else f"without {noun} {named}"
