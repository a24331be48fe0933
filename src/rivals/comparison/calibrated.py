"""The verdict by one calibration or several: under each, and by the most cautious."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from rivals._checks import show
from rivals.comparison.judge import Verdict, judge
from rivals.comparison.rendering import listed
from rivals.laws.base import Applied, Correct


@dataclass(frozen=True)
class Rule:
    """How a calibration wants B to be read.

    Attributes
    ----------
    name : str
        Of the epistemic distribution.
    c : float
    correct : callable
        Applied to probabilities before they are held against the threshold.
    remarks : tuple of str
        What the calibration rests on, and what to know of it.
    """

    name: str
    c: float
    correct: Correct
    remarks: tuple[str, ...]


def judge_calibrated(names: Sequence[str], applied: Applied, calibrations: Sequence[Any]) -> tuple[Applied, Verdict]:
    """The verdict that rejects least, of one for each calibration; and who survives under every epistemic distribution."""

    @cache
    def at(c: float) -> Applied:
        setting = replace(applied.setting, c=c)
        return applied if c == applied.setting.c else applied.law.apply(applied.losses, setting, applied.summaries)

    order = np.argsort(applied.empirical, kind="stable").tolist()
    found, under = [], {}
    for number, calibration in enumerate(calibrations, start=1):
        rules = calibration.rules(names, applied.setting.threshold)
        verdicts = [(at(rule.c), judge(at(rule.c), rule.correct), rule) for rule in rules]
        found.append(verdicts[0])
        for _, verdict, rule in verdicts[1:] or verdicts:
            label = f"{rule.name} ({number})" if rule.name in under else rule.name
            under[label] = [names[place] for place in order if place not in verdict.rejections]
    decides, verdict, rule = min(found, key=lambda one: len(one[1].rejections))
    remarks = (*dict.fromkeys(rule.remarks), *_under_each(under))
    return decides, replace(verdict, remarks=remarks, survivors_under=under)


def _under_each(under: dict[str, list[str]]) -> list[str]:
    """Who survives under each of several epistemic distributions, in a sentence."""
    if len(under) < 2:
        return []
    if len({frozenset(survivors) for survivors in under.values()}) == 1:
        return [f"The same models survive under each of {len(under)} epistemic distributions ({listed(list(under))})."]
    parts = "; ".join(f"under {show(name)!r}: {listed(survivors)}" for name, survivors in under.items())
    return [
        f"The verdict depends on what varies between replications. Worth keeping {parts}. The most cautious decides."
    ]
