"""Pointwise results of arviz-stats' K-fold cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._say.labels import as_labels
from rivals._say.rows import name_of
from rivals._say.words import show
from rivals.losses import Losses


def kfold_elpd(elpd: Any, *, groups: Any) -> Losses:
    """Losses of one model from what `arviz_stats.loo_kfold(..., group_by=groups)` returned.

    Parameters
    ----------
    elpd : ELPDData
        Of `loo_kfold`, with `pointwise=True`.
    groups : array_like
        The group of each point, the same as for `group_by`: the result does not hold them.

    Returns
    -------
    Losses
        Minus the pointwise elpd, with the groups. There are no simulations, so that `compare` needs
        three groups or more.

    See Also
    --------
    left_out_posterior : Fits without each group, and simulates.
    arviz_tree : Log likelihoods in a tree.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from rivals.read import kfold_elpd
    >>> elpd = SimpleNamespace(kind="loo_kfold", scale="log", elpd_i=[-1.0, -2.0, -1.5])
    >>> kfold_elpd(elpd, groups=["a", "b", "c"]).observed
    array([1. , 2. , 1.5])
    """
    kind = getattr(elpd, "kind", None)
    if kind != "loo_kfold":
        found = type(elpd).__name__ if kind is None else f"ELPDData of kind {show(kind)!r}"
        raise TypeError(
            f"expected the ELPDData of arviz_stats.loo_kfold(..., group_by=groups); got {found}, "
            "in which no group was left out; make it so, or fit without each group by "
            "rivals.read.left_out_posterior"
        )
    if elpd.scale != "log":
        raise ValueError(f"elpd: the scale must be 'log'; got {show(elpd.scale)!r}")
    if elpd.elpd_i is None:
        raise ValueError("elpd has no values of points; pass pointwise=True to loo_kfold")
    values = np.ravel(np.asarray(elpd.elpd_i, dtype=np.float64))
    return Losses(
        -values,
        groups=as_labels(groups, values.size),
        group_name=name_of(groups),
        unit="nats",
        folds="groups",
    )
