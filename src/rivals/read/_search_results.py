"""Losses from what scikit-learn's `cross_validate` returned: of rows, by the same splits.

A score of a fold alone cannot be judged: folds share training data, and nothing says how much a
score would vary. So scores are read only where each fold left out one whole group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import FloatArray

INSTEAD = (
    "pass X= and y=, with return_indices=True and return_estimator=True in cross_validate, or use "
    "rivals.read.cross_validated(models, X, y, groups=…)"
)


def search_results(
    results: Mapping[str, Any],
    *,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    loss: Any = None,
    score: str = "score",
) -> Mapping[str, Losses]:
    """Read what scikit-learn's `cross_validate` returned.

    Parameters
    ----------
    results : mapping
        Model name → what `cross_validate(…, return_indices=True)` returned, for the same splits.
    X, y : optional
        The data that were divided. With the estimators (`return_estimator=True`), copies of which
        are fitted again to the same splits, each row is judged by models that did not see it, and
        repeated folds are averaged for each row.
    groups : array_like, optional
        The group of each row, which no training set may share with its test set. Without, rows are
        what a replication draws anew.
    loss : optional
        With X and y, as in `cross_validated`.
    score : str
        Without them: the score, higher being better; each fold must have left out one group.

    Returns
    -------
    mapping
        Name → `Losses`.

    See Also
    --------
    cross_validated : Fits and judges in one go.

    Examples
    --------
    >>> import numpy as np
    >>> sites = np.repeat(["a", "b", "c"], 2)
    >>> folds = {"test": [[0, 1], [2, 3], [4, 5]], "train": [[2, 3, 4, 5], [0, 1, 4, 5], range(4)]}
    >>> scores = {"line": [0.8, 0.7, 0.9], "tree": [0.7, 0.6, 0.9]}
    >>> found = {k: {"test_score": np.array(v), "indices": folds} for k, v in scores.items()}
    >>> search_results(found, groups=sites)["line"]
    Losses(3 points, mean -0.8, 3 groups)
    """
    folds = _folds(results)
    if X is not None or y is not None:
        return _of_rows(results, folds, X, y, groups, loss)
    if groups is None:
        raise Refusal(
            f"{opt['results']}: scores of {len(folds)} folds alone cannot be judged: folds share "
            f"training data, and rows of a fold are not told apart; {INSTEAD}"
        )
    grouping = Grouping.of(groups)
    codes = [np.unique(grouping.codes[test]) for _, test in folds]
    if any(each.size > 1 for each in codes) or len({int(each[0]) for each in codes}) < len(codes):
        several = next((place for place, each in enumerate(codes) if each.size > 1), 0)
        raise Refusal(
            f"{opt['groups']}: fold {several} holds {codes[several].size} groups, or a group lies "
            f"in several folds, so that scores of folds are not those of groups; {INSTEAD}"
        )
    _check_apart(folds, grouping)
    names = tuple(grouping.names[int(each[0])] for each in codes)
    of_folds = Grouping(np.arange(len(folds)), names, grouping.noun)
    said = Provenance(
        loss=f"negative {score.replace('_', ' ')}",
        left_out=True,
        n_folds=len(folds),
        point=grouping.noun,
        library="scikit-learn",
    )
    return {
        str(name): Losses(-_scores(str(name), found, score), groups=of_folds, source=said)
        for name, found in results.items()
    }


def _folds(results: Any) -> list[tuple[Any, Any]]:
    """The splits, which must be those of all models."""
    if not isinstance(results, Mapping):
        raise WrongKind(
            "expected a mapping of names to what cross_validate returned; got "
            f"{type(results).__name__}"
        )
    if "params" in results:
        raise Refusal(
            f"{opt['results']}: what a search keeps are scores of folds alone, which cannot be "
            "judged; pass its candidates to rivals.read.cross_validated(models, X, y, groups=…)"
        )
    first: list[tuple[Any, Any]] | None = None
    for name, found in results.items():
        if not isinstance(found, Mapping) or "indices" not in found:
            raise Refusal(
                f"model {name!r}: expected what cross_validate(…, return_indices=True) returned: "
                f"which rows a fold left out; {INSTEAD}"
            )
        parts = (found["indices"]["train"], found["indices"]["test"])
        own = [(np.asarray(a), np.sort(np.asarray(b))) for a, b in zip(*parts, strict=True)]
        if first is None:
            first = own
        elif len(own) != len(first) or not all(
            np.array_equal(mine[1], other[1]) for mine, other in zip(own, first, strict=True)
        ):
            raise Refusal(
                f"model {name!r} was judged on other splits than the models before it; pass one "
                f"{opt.cv} with a fixed random_state to all"
            )
    if not first:
        raise ValueError("no results were given")
    return first


def _of_rows(
    results: Mapping[str, Any], folds: list[tuple[Any, Any]], X: Any, y: Any, groups: Any, loss: Any
) -> Mapping[str, Losses]:
    """By copies of the estimators, fitted again to the same splits."""
    from rivals.read._cross_validation import cross_validated

    models = {}
    for name, found in results.items():
        if "estimator" not in found:
            raise Refusal(
                f"model {name!r}: its estimators were not kept; pass return_estimator=True"
            )
        models[str(name)] = found["estimator"][0]
    if groups is not None:
        _check_apart(folds, Grouping.of(groups))
    options = {} if loss is None else {"loss": loss}
    return cross_validated(models, X, y, groups=groups, cv=folds, **options)


def _check_apart(folds: list[tuple[Any, Any]], grouping: Grouping) -> None:
    """Refuse groups that stand on both sides of a split."""
    for place, (train, test) in enumerate(folds):
        both = np.intersect1d(grouping.codes[train], grouping.codes[test])
        if both.size:
            raise Refusal(
                f"{opt['groups']}: {grouping.noun} {grouping.names[both[0]]!r} is in the training "
                f"set of fold {place}, and in its test set"
                f"{f' ({both.size} groups are)' if both.size > 1 else ''}: such models have seen "
                f"the groups that they are judged on; split by GroupKFold, or leave {opt.groups} "
                "out for an answer about new rows"
            )


def _scores(name: str, found: Mapping[str, Any], score: str) -> FloatArray:
    if f"test_{score}" not in found:
        known = [str(key)[5:] for key in found if str(key).startswith("test_")]
        raise Refusal(
            f"{opt['score']}: model {name!r} has no 'test_{score}'; scores: "
            f"{', '.join(map(repr, known)) or 'none'}"
        )
    scores = np.asarray(found[f"test_{score}"], dtype=np.float64)
    failed = np.flatnonzero(~np.isfinite(scores))
    if failed.size:
        raise ValueError(
            f"model {name!r}: split {failed[0]} has the score {scores[failed[0]]}; its fit failed "
            "there: pass error_score='raise' to see why"
        )
    return scores
