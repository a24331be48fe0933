"""The difference from the best in each group, by name, and the answers to the three questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._core.decided import Decided
from rivals._result import sentences as say
from rivals._result.renderers import Column
from rivals.plots._forest import answers, in_each_group
from rivals.report._rows import Pool

MOST_MODELS = 8
MOST_GROUPS = 200


def groups_of(result: Decided, pool: Pool) -> dict[str, Any] | None:
    """A table for each of the best models beside the best; None without groups."""
    summary = result.groups
    if summary is None:
        return None
    best, place = result.ranking[0], result.place
    models = result.ranking[1 : 1 + MOST_MODELS]
    known = [name for name in models if summary.known[place[name], place[best]]]
    return {
        "noun": summary.noun,
        "nouns": say.plural(summary.noun),
        "level": say.percent(result.setting.level),
        "cut": say.groups_not_listed(summary.sizes.size, MOST_GROUPS, summary.noun),
        "models": [{"model": name, **_beside(result, name, best, pool)} for name in known],
    }


def _beside(result: Decided, other: str, best: str, pool: Pool) -> dict[str, Any]:
    """Answers first, then groups by their difference, the largest on top."""
    summary = result.groups
    assert summary is not None
    values, half = in_each_group(result, other, best)
    order = np.argsort(-values, kind="stable")
    if order.size > MOST_GROUPS:
        order = np.concatenate([order[: MOST_GROUPS // 2], order[-MOST_GROUPS // 2 :]])
    questions = answers(result, other, best)
    beside = result.beside(best, (other,))
    gap = float(beside.gap[beside.row(other)])
    low, high = (values - half)[order], (values + half)[order]
    ends = [
        *((each.low, each.high) for each in questions),
        *zip(low.tolist(), high.tolist(), strict=True),
    ]
    centres = [*(gap for _ in questions), *values[order].tolist()]
    decimals = say.decimals_for([b - a for a, b in ends])
    blank = [""] * len(questions)
    columns = [
        Column(
            result.noun,
            [
                *(say.new(each.new_groups, summary.noun) for each in questions),
                *(summary.groups[place] for place in order.tolist()),
            ],
            is_text=True,
        ),
        Column(f"{summary.source.point}s", [*blank, *summary.sizes[order].tolist()]),
        Column("difference", centres, lambda value: say.fixed(value, decimals)),
        Column(
            f"{100 * result.setting.level:g} % interval",
            ends,
            lambda value: say.span(value, decimals),
        ),
        Column(
            f"P({best} wins again)",
            [*(say.probability(each.chance) for each in questions), *([""] * order.size)],
        ),
    ]
    return {**pool.table(columns, centres, ends), "n_answers": len(questions)}
