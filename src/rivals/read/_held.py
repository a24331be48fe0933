"""What people hold, as `compare` takes it: estimators with X and y, trees of ArviZ, reports.

Each goes through the door that is made for it, with its defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from rivals._core.grouping import Grouping, noun_of
from rivals._core.optional import need
from rivals._core.texts import Refusal, WrongKind, naming, opt
from rivals._core.types import RNG
from rivals.read._posterior_draws import groups_of


def held(models: Any, X: Any, y: Any, groups: Any, loss: Any, rng: RNG) -> tuple[Any, Any]:
    """Losses or predictions, and the labels of groups if these do not carry them."""
    if X is not None or y is not None:
        return _estimators(models, X, y, groups, loss, rng), None
    if hasattr(models, "reports_"):
        models = models.reports_
    if any(hasattr(each, "ml_task") for each in models.values()):
        return _reports(dict(models), groups, loss), None
    return _trees(models, groups)


def _estimators(models: Any, X: Any, y: Any, groups: Any, loss: Any, rng: RNG) -> Any:
    """Cross-validated, whole groups left out; a list is named by what the estimators are."""
    from rivals.read._cross_validation import cross_validated

    for name, given in (("X", X), ("y", y)):
        if given is None:
            raise Refusal(f"{opt[name]}: estimators need both {opt.X} and {opt.y}")
    if not isinstance(models, Mapping):
        models = _named(list(models))
    if isinstance(groups, str):
        name = groups
        groups = Grouping.of(X[name], noun_of(name))
        X = X.drop(columns=name) if hasattr(X, "iloc") else X.drop(name)
    options = {} if loss is None else {"loss": loss}
    return cross_validated(models, X, y, groups=groups, rng=rng, **options)


def _named(models: list[Any]) -> dict[str, Any]:
    """Names of estimators: of those that are alike, numbered."""
    kinds = [type(each).__name__ for each in models]
    names = [
        kind if kinds.count(kind) == 1 else f"{kind} {kinds[: place + 1].count(kind)}"
        for place, kind in enumerate(kinds)
    ]
    return dict(zip(names, models, strict=True))


def _reports(reports: dict[Any, Any], groups: Any, loss: Any) -> Any:
    """Of skore, cross-validated: every model is fitted again to the same splits."""
    from rivals.read._cross_validation import cross_validated

    first = next(iter(reports.values()))
    for name, each in reports.items():
        if not hasattr(each, "split_indices"):
            raise WrongKind(
                f"model {name!r}: {type(each).__name__} of skore has one split alone; pass "
                "skore.CrossValidationReport, or the losses on its test set"
            )
        same = len(each.split_indices) == len(first.split_indices) and all(
            np.array_equal(own[1], other[1])
            for own, other in zip(each.split_indices, first.split_indices, strict=True)
        )
        if not same:
            raise Refusal(
                f"model {name!r} was judged on other splits than the first one; evaluate all with "
                "one splitter, with a fixed random_state"
            )
    options = {} if loss is None else {"loss": loss}
    models = {str(name): each.estimator_ for name, each in reports.items()}
    return cross_validated(
        models, first.X, first.y, groups=groups, cv=list(first.split_indices), **options
    )


def _trees(models: Mapping[Any, Any], groups: Any) -> tuple[Any, Any]:
    """Of ArviZ; a path is one that it wrote (NetCDF)."""
    from rivals.read._posterior import posterior

    found = {}
    for name, given in models.items():
        with naming(f"model {name!r}"):
            tree = _opened(given) if isinstance(given, (str, bytes, PathLike)) else given
            labels = _labels(tree, groups) if isinstance(groups, str) else groups
            found[name] = posterior(tree, groups=labels)
    return found, None


def _opened(path: Any) -> Any:
    if not str(fspath(path)).endswith((".nc", ".netcdf")):
        raise WrongKind(
            f"{path}: a path to a model must be one of a tree of ArviZ (.nc); tables are read by "
            "rivals.read.table or rivals.read.predictions"
        )
    return need("xarray", extra="arviz", purpose="trees of ArviZ").open_datatree(path)


def _labels(tree: Any, name: str) -> Grouping:
    """The group of each point, kept in a tree by its name."""
    there = groups_of(tree)
    for where in ("constant_data", "observed_data", "log_likelihood_held_out", "log_likelihood"):
        if where not in there:
            continue
        data = getattr(tree[where], "dataset", tree[where])
        if name in data.variables and data[name].ndim == 1:
            return Grouping.of(np.asarray(data[name].values), noun_of(name))
    raise Refusal(
        f"{opt['groups']}: the tree keeps no {name!r} for each point in constant_data, "
        "observed_data, or the coordinates of its log likelihood; pass the labels themselves"
    )
