"""What the page shows of groups: the differences in each, and what a new one would bring."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from rivals._say.words import show
from rivals.comparison import Comparison
from rivals.comparison.horizon import new_groups
from rivals.comparison.judge import judge
from rivals.laws.differences import quantile
from rivals.laws.groups import GroupsRisks

LEVEL = 0.9
# Of more models than this, only the horizon of the run is offered: each costs as much as the run.
MOST_AT_EACH_HORIZON = 12


def groups_of(result: Comparison, drawn: Sequence[int]) -> dict[str, Any] | None:
    """Names and sizes of the groups; of each model that is drawn, its difference to the best.

    None under a law without groups.

    Examples
    --------
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> a = rng.exponential(size=60)
    >>> models = {"A": a, "B": a + 0.5 + 0.1 * rng.standard_normal(60)}
    >>> found = groups_of(rivals.compare(models, groups=np.arange(60) % 3), [0, 1])
    >>> found["names"], found["models"][1]["won"]
    (['0', '1', '2'], 3)
    """
    applied = result.applied
    if not isinstance(applied, GroupsRisks):
        return None
    best = result.names.index(result.ranking[0])
    return {
        "names": [show(name) for name in applied.groups.names],
        "kind": show(applied.groups.kind),
        "sizes": applied.groups.sizes.tolist(),
        "best": best,
        "models": {model: _beside(applied, model, best) for model in drawn if model != best},
    }


def horizons_of(result: Comparison) -> dict[str, Comparison]:
    """The same comparison about one new group, the study repeated, and all groups to come.

    By what each is called; the run's own first, and alone without groups.
    """
    applied = result.applied
    own = {new_groups(applied.setting): result}
    if not isinstance(applied, GroupsRisks) or len(result.names) > MOST_AT_EACH_HORIZON:
        return own
    for horizon in (1.0, None, inf):
        other = applied.changed(new_groups=horizon)
        label = new_groups(other.setting)
        if label not in own:
            own[label] = Comparison(result.names, other, judge(other), result.seeded)
    return own


def _beside(applied: GroupsRisks, model: int, best: int) -> dict[str, Any]:
    """Mean loss of a model less that of the best: in each group, and in a new one."""
    difference, error = applied.in_each_group(model, best)
    law = applied.new_difference(model, best)
    ends = [float(quantile(law, 0.5 + sign * LEVEL / 2)[0]) for sign in (-1, 1)]
    return {
        "difference": [float(f"{value:.5g}") for value in difference],
        "error": [float(f"{value:.3g}") for value in error],
        "new": [float(f"{value:.5g}") for value in ends],
        "won": int(np.sum(difference > 0.0)),
    }
