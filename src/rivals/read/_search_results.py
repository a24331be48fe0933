"""Losses from what scikit-learn's `cross_validate` and grid searches return: a score per fold.

Losses of single points are not in there, so that each fold is one point, and how sure each score is
remains unknown. `rivals.read.cross_validated` makes losses of points.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray

# A number of a search for each split, as `split3_test_score`.
SPLIT = "split{}_test_{}"


def search_results(results: Mapping[str, Any], *, score: str = "score") -> dict[str, Losses]:
    """Read scores of folds as losses.

    Each fold is a group of one point.

    Parameters
    ----------
    results : mapping
        `GridSearchCV.cv_results_`, or model name → what `cross_validate` returned, for the same
        splits of one KFold or GroupKFold. With `return_indices=True` that is checked; what a
        search returns does not tell.
    score : str
        The score, where there are several: "score", or the name of a scorer. Scikit-learn's scores
        are better if higher; losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`. A candidate of a search is called by its parameters.

    Examples
    --------
    >>> import numpy as np
    >>> found = {"test_score": np.array([0.8, 0.7, 0.9])}
    >>> search_results({"line": found, "forest": {"test_score": np.array([0.9, 0.8, 0.8])}})["line"]
    Losses(3 points, mean -0.8, 3 groups)
    """
    if not isinstance(results, Mapping):
        raise TypeError(
            "expected search.cv_results_, or a mapping of names to what cross_validate returned; "
            f"got {type(results).__name__}"
        )
    if "params" in results:
        scores = _of_search(results, score)
    else:
        scores = _of_validations(results, score)
    n_splits = {name: each.size for name, each in scores.items()}
    if len(set(n_splits.values())) != 1:
        raise ValueError(f"models were judged on different numbers of splits: {n_splits}")
    count = next(iter(n_splits.values()))
    folds = Grouping.of([f"fold {split}" for split in range(count)], "fold")
    said = Provenance(
        loss=f"negative {score.replace('_', ' ')}",
        left_out=True,
        n_folds=count,
        point="fold",
        library="scikit-learn",
    )
    losses = {}
    for name, each in scores.items():
        failed = np.flatnonzero(~np.isfinite(each))
        if failed.size:
            raise ValueError(
                f"model {name!r}: split {failed[0]} has the score {each[failed[0]]}; its fit "
                "failed there: pass error_score='raise' to see why"
            )
        losses[name] = Losses(-each, groups=folds, source=said)
    return losses


def _of_search(results: Mapping[str, Any], score: str) -> dict[str, FloatArray]:
    """Of each candidate, the scores by split."""
    n_splits = 0
    while SPLIT.format(n_splits, score) in results:
        n_splits += 1
    if not n_splits:
        raise Refusal(
            f"{opt['score']}: there is no {SPLIT.format(0, score)!r}; there are "
            f"{_listed(name[12:] for name in results if name.startswith('split0_test_'))}"
        )
    columns = [np.asarray(results[SPLIT.format(split, score)]) for split in range(n_splits)]
    by_candidate = np.stack(columns, axis=1).astype(np.float64)
    varied = _varied(results["params"])
    names = [
        ", ".join(f"{key}={each[key]!r}" for key in varied if key in each) or "default"
        for each in results["params"]
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"params: two candidates are alike: {twice}")
    return dict(zip(names, by_candidate, strict=True))


def _varied(params: Any) -> list[str]:
    """The parameters that candidates differ in; all of them where they do not."""
    keys = list(dict.fromkeys(key for each in params for key in each))
    varied = [key for key in keys if len({repr(each.get(key, "")) for each in params}) > 1]
    return varied or keys


def _of_validations(results: Mapping[str, Any], score: str) -> dict[str, FloatArray]:
    """Of each model, the scores by split, which must be the same splits."""
    scores: dict[str, FloatArray] = {}
    splits: list[Any] | None = None
    for name, found in results.items():
        if not isinstance(found, Mapping) or f"test_{score}" not in found:
            keys = map(str, found) if isinstance(found, Mapping) else ()
            known = [key[5:] for key in keys if key.startswith("test_")]
            raise ValueError(
                f"model {name!r}: expected what cross_validate returned, with 'test_{score}'; "
                f"scores: {_listed(known)}"
            )
        scores[str(name)] = np.asarray(found[f"test_{score}"], dtype=np.float64)
        if "indices" not in found:
            continue
        own = [np.sort(rows) for rows in found["indices"]["test"]]
        if splits is None:
            splits = own
            _check_apart(splits)
        elif len(own) != len(splits) or not all(map(np.array_equal, own, splits)):
            raise Refusal(
                f"model {name!r} was judged on other splits than the models before it; pass one "
                f"{opt.cv} with a fixed random_state to all"
            )
    return scores


def _check_apart(splits: list[Any]) -> None:
    """Refuse repeated and shuffled splits: scores that share test points are no replications."""
    tested = np.concatenate(splits)
    if np.unique(tested).size < tested.size:
        raise ValueError(
            f"the {len(splits)} splits share test points, as those of RepeatedKFold or "
            "ShuffleSplit do, and are no replications of each other; pass the results of one KFold "
            "or GroupKFold, or use rivals.read.cross_validated"
        )


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names)) or "none"
