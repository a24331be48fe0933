"""Folds, made in one place: whole groups, left out one at a time or ten parts of them, or rows.

Which fold a group or a row is in depends on its label or content, never on the order of the rows. A
folding is a list of folds that leave out every point once; refoldings are told by `repeats`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._core.cautions import warn
from rivals._core.checks import check_size
from rivals._core.grouping import Grouping, noun_of
from rivals._core.optional import need
from rivals._core.seeds import FOLD_SPLIT, stream
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import IntArray
from rivals.read._rows import by_content, column, n_rows

# Up to this many groups are left out one at a time; of more, so many folds of whole groups.
MOST_ALONE = 20
MANY_FOLDS = 10
# Folds of points, where nobody says how.
FEW_FOLDS = 5
# Foldings where fits are cheap, and where they are: up to this many rows.
REFOLDINGS = 5
CHEAP = 2000
# Rows of each fold that all fits are asked about, of more rows: fewer leave noise in what fits
# share, which makes P too cautious. And the most folds of rows for it.
ASKED = 2000
MOST_APART = 20
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


def warn_of_predictors_of_groups(X: Any, grouping: Grouping) -> None:
    """As many predictors that vary only between groups as groups: a fit learns each by heart."""
    values = np.asarray(X) if not hasattr(X, "tocsr") else X.toarray()
    if values.ndim != 2 or len(values) != grouping.codes.size:
        return
    first = grouping.order[grouping.begins]
    within = (values == values[first[grouping.codes]]).all(axis=0)
    varies = (values != values[:1]).any(axis=0)
    count = int(np.count_nonzero(within & varies))
    n_groups = len(grouping.names)
    if count >= n_groups:
        warn(
            f"X: {count} of {values.shape[1]} columns are the same throughout each "
            f"{grouping.noun}, of which there are {n_groups}: a model can tell every one by them, "
            "and P has been too sure there; take fewer of these columns"
        )


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


def how_often(repeats: Any, n_points: int, grouping: Grouping | None, *, cheap: bool) -> int:
    """How many foldings: as asked, else five where fits are cheap; one of groups left out alone."""
    if grouping is not None and len(grouping.names) <= MOST_ALONE:
        if repeats not in (None, 1):
            raise Refusal(
                f"{opt.repeats(repeats)}: each of {len(grouping.names)} groups is left out alone, "
                "so that there is one folding; leave it out"
            )
        return 1
    if repeats is None:
        return REFOLDINGS if cheap and n_points <= CHEAP else 1
    return check_size(repeats, "repeats")


def foldings_of_groups(
    grouping: Grouping, n_foldings: int = 1, entropy: int = 0
) -> list[list[Fold]]:
    """Each group alone; above twenty groups, ten folds of whole groups, as often as asked.

    The first folding is that of scikit-learn's LeaveOneGroupOut and GroupKFold: folds of about as
    many points. Others have about as many groups, at random.

    Examples
    --------
    >>> [fold.groups for fold in foldings_of_groups(Grouping.of(["b", "a", "b", "c"]))[0]]
    [('a',), ('b',), ('c',)]
    """
    names = np.array(grouping.names)
    order = np.argsort(names, kind="stable")
    part = np.empty(names.size, dtype=np.intp)
    if names.size <= MOST_ALONE:
        part[order] = np.arange(names.size)
        return [_of_parts(part, grouping)]
    part[order] = _evenly(grouping.sizes[order], MANY_FOLDS)
    foldings = [_of_parts(part, grouping)]
    for place in range(1, n_foldings):
        drawn = stream(entropy, FOLD_SPLIT, place).permutation(names.size)
        part[order] = drawn % MANY_FOLDS
        foldings.append(_of_parts(part, grouping))
    return foldings


def _of_parts(part: IntArray, grouping: Grouping) -> list[Fold]:
    folds = []
    for each in range(part.max() + 1):
        tested = (part == each)[grouping.codes]
        names = tuple(sorted(np.array(grouping.names)[part == each].tolist()))
        folds.append(Fold(np.flatnonzero(~tested), np.flatnonzero(tested), names))
    return folds


def _evenly(sizes: IntArray, n_folds: int) -> IntArray:
    """The fold of each group: the largest first, each goes to the fold with the fewest points."""
    part = np.zeros(sizes.size, dtype=np.intp)
    load = np.zeros(n_folds)
    for group in np.argsort(-sizes, kind="stable"):
        part[group] = np.argmin(load)
        load[part[group]] += sizes[group]
    return part


def units_of_groups(folds: list[Fold], grouping: Grouping) -> tuple[list[Fold], Grouping]:
    """Folds and grouping where each group is one point."""
    nobody = np.empty(0, dtype=np.intp)
    found = [Fold(nobody, np.unique(grouping.codes[fold.test]), fold.groups) for fold in folds]
    names = grouping.names
    return found, Grouping(np.arange(len(names)), names, grouping.noun)


def foldings_by(
    cv: Any,
    X: Any,
    y: Any,
    grouping: Grouping | None,
    *,
    classify: bool,
    n_foldings: int = 1,
    entropy: int = 0,
) -> list[list[Fold]]:
    """The folds of a splitter of scikit-learn, a number of them, or pairs of points.

    A number of folds is of rows in an order that their content decides, drawn anew for each
    folding. A splitter is taken at its word; one that repeats gives several foldings.
    """
    selection = need("sklearn.model_selection", extra="sklearn", purpose="cross-validation")
    n_points = n_rows(X, "X")
    codes = None if grouping is None else grouping.codes
    drawn = cv is None or isinstance(cv, (int, np.integer))
    orders = [np.arange(n_points)]
    if drawn:
        known = by_content(X, y)
        orders = [
            known[stream(entropy, FOLD_SPLIT, place).permutation(n_points)]
            for place in range(n_foldings)
        ]
    folds = []
    try:
        for rows in orders:
            here = y[rows]
            splitter = selection.check_cv(
                FEW_FOLDS if cv is None else cv, here, classifier=classify
            )
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The groups parameter is ignored")
                pairs = list(splitter.split(rows, here, None if codes is None else codes[rows]))
            folds += [Fold(np.sort(rows[train]), np.sort(rows[test])) for train, test in pairs]
    except (TypeError, ValueError, IndexError) as error:
        raise Refusal(f"{opt['cv']}: {error}") from error
    _check_apart(folds)
    foldings = _foldings(folds, n_points)
    return foldings if grouping is None else _with_groups(foldings, grouping)


def _foldings(folds: list[Fold], n_points: int) -> list[list[Fold]]:
    """Folds that test a point again begin another folding, which must be of the same points."""
    found: list[list[Fold]] = []
    tested = np.ones(n_points, dtype=bool)
    for fold in folds:
        if not found or tested[fold.test].any():
            found.append([])
            tested = np.zeros(n_points, dtype=bool)
        found[-1].append(fold)
        tested[fold.test] = True
    rows = [np.sort(np.concatenate([fold.test for fold in each])) for each in found]
    if not all(np.array_equal(each, rows[0]) for each in rows):
        often = np.bincount(np.concatenate(rows), minlength=n_points)
        raise Refusal(
            f"{opt['cv']}: points are not tested equally often: point {often.argmin()} (from 0) "
            f"{often.min()} times, point {often.argmax()} {often.max()} times; use a splitter that "
            "tests each once, as KFold, or as often as the others, as RepeatedKFold"
        )
    return found


def _check_apart(folds: list[Fold]) -> None:
    """None is tested by a model that was fitted to it."""
    if not folds:
        raise Refusal(f"{opt['cv']}: it makes no fold")
    for place, fold in enumerate(folds, start=1):
        shared = np.intersect1d(fold.train, fold.test)
        if shared.size:
            raise Refusal(
                f"{opt['cv']}: fold {place} of {len(folds)} trains on {shared.size} of its "
                f"{fold.test.size} "
                f"test points, the first is point {shared[0]} (from 0)"
            )


def _with_groups(foldings: list[list[Fold]], grouping: Grouping) -> list[list[Fold]]:
    """Named by the groups that they leave out, if no model is judged in a group that it saw."""
    named = []
    for folds in foldings:
        found = []
        for fold in folds:
            left_out = np.unique(grouping.codes[fold.test])
            seen = np.intersect1d(left_out, grouping.codes[fold.train])
            if seen.size:
                warn(
                    f"{opt['cv']}: models are judged on groups that they were fitted to, such as "
                    f"{grouping.names[seen[0]]!r}, so that the losses carry no groups; leave "
                    f"{opt.cv} out, or split by groups"
                )
                return foldings
            names = tuple(grouping.names[code] for code in left_out)
            found.append(Fold(fold.train, fold.test, names))
        named.append(found)
    return named


def asked_rows(
    foldings: list[list[Fold]], data: Any, y: Any, grouping: Grouping | None
) -> list[IntArray]:
    """Rows that all fits of a folding are asked about, some of each group, or of each fold's rows:
    what the fits share is seen there (`method.budget`).

    They cost predictions, no fits. Up to ASKED of each fold, shared by its groups; none where
    fewer than three folds are apart, or, of rows, many.
    """
    n_points = n_rows(data, "data")
    nothing = np.empty(0, dtype=np.intp)
    order = stream(0, FOLD_SPLIT).permutation(n_points)
    known = by_content(data, y)[order]
    found = []
    for folding in foldings:
        n_folds = len(folding)
        whole = sum(fold.test.size for fold in folding) == n_points
        if not whole or not 3 <= n_folds <= (MOST_APART if grouping is None else n_points):
            found.append(nothing)
            continue
        if grouping is None:
            unit = np.empty(n_points, dtype=np.intp)
            for place, fold in enumerate(folding):
                unit[fold.test] = place
            sizes = np.bincount(unit)
        else:
            unit, sizes = grouping.codes, grouping.sizes
        each = -(-ASKED * n_folds // sizes.size)
        by_unit = known[np.argsort(unit[known], kind="stable")]
        number = np.arange(n_points) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found.append(np.sort(by_unit[number < each]))
    return found


def without(groups: Iterable[str], noun: str) -> str:
    """A fold in words, by what it leaves out: "without school 3, 7, …"."""
    names = list(groups)
    named = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    said_already = named.lower().startswith(noun.lower())
    return f"without {named}" if said_already else f"without {noun} {named}"
