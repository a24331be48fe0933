"""The comparison at each c that the page offers, with the verdict at each threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.comparison.judge import judge_at_each
from rivals.laws import Applied

# Half octaves over the ranges that the original study tried, and two octaves more on either side.
GRID_OF_C = tuple(2.0 ** (k / 2) for k in range(-16, 11))
# Under laws that draw, where each value takes its time, octaves; of many models every second one.
STEP_BY_DRAWS = 2
STEP_OF_MANY = 4
MANY_MODELS = 32
# Under law "groups" one more c costs as much as the comparison itself, which has all pairs.
MOST_WITH_GROUPS = 100

HUNDREDTHS = tuple(k / 100 for k in range(55, 100))
THRESHOLDS = (*HUNDREDTHS, 0.995, 0.999)

# [first, last, value]: at the thresholds from the first to the last of these places.
Stretch = list[Any]


class Fates(NamedTuple):
    """What a verdict says of the models, by their place."""

    rejected_by: dict[int, int]
    undecided: dict[int, str]  # "draws" or "simulations": what disagrees


class Run(NamedTuple):
    """The comparison at one c. Models in the order given."""

    applied: Applied
    probability: FloatArray
    fates: list[Fates]  # at each threshold


def thresholds_of(result: Comparison) -> list[float]:
    """The thresholds that the page offers.

    A calibration corrects probabilities for one threshold: with it, there is no other.
    """
    if result.calibrated is not None:
        return [result.threshold]
    return sorted({*THRESHOLDS, result.threshold})


def runs_over_c(
    result: Comparison, thresholds: Sequence[float], c: Sequence[float] | None = None
) -> Iterator[Run]:
    """The result's own run, then one at each other c. Use each before you take the next.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), c=1.0, rng=0)
    >>> runs = runs_over_c(result, [0.95], c=[0.5, 2.0])
    >>> [run.applied.setting.c for run in runs]
    [1.0, 0.5, 2.0]
    """
    yield _own_run(result, thresholds)
    if why_no_c(result, c):
        return
    others = {float(value) for value in (_grid(result) if c is None else c)} - {result.c}
    for applied in result.applied.quick().at_each(sorted(others)):
        yield Run(applied, applied.matrix()[0], _fates_at_each(applied, thresholds))


def why_no_c(result: Comparison, c: Sequence[float] | None = None) -> str:
    """Why there is no other c to offer, in a sentence; nothing where there is."""
    applied = result.applied
    if not applied.law.uses_c(applied.setting.n_simulations):
        return f"Law “{result.law}” has no c here: the spread between the groups takes its place."
    if result.calibrated is not None:
        return (
            f"c = {result.c:g} comes from the calibration. Its curve holds at this c and threshold "
            "only, so that they cannot be changed here."
        )
    if not applied.knows_other_c:
        return "The simulations were not kept, so that c cannot be changed here."
    if c is None and applied.law.needs_groups and len(result.names) > MOST_WITH_GROUPS:
        return (
            f"Each c takes its time with {len(result.names)} models: "
            "result.report(path, c=[…]) offers those that you name."
        )
    return ""


def _grid(result: Comparison) -> Sequence[float]:
    if len(result.names) > MANY_MODELS and not _is_quick(result):
        return GRID_OF_C[::STEP_OF_MANY]
    if not result.applied.law.closed_form:
        return GRID_OF_C[::STEP_BY_DRAWS]
    return GRID_OF_C


def _is_quick(result: Comparison) -> bool:
    """Whether one more c costs next to nothing."""
    law = result.applied.law
    return law.closed_form and not law.needs_groups


def _own_run(result: Comparison, thresholds: Sequence[float]) -> Run:
    """At its own threshold the verdict is the result's own."""
    applied = result.applied
    if not applied.law.closed_form and len(result.names) > MANY_MODELS:
        applied = applied.quick()  # all pairs of many models
        probability = applied.matrix()[0]
    else:
        probability = result.probability
    if result.calibrated is not None:
        return Run(result.applied, probability, [_own_fates(result)])
    fates = _fates_at_each(applied, thresholds)
    fates[list(thresholds).index(result.threshold)] = _own_fates(result)
    return Run(result.applied, probability, fates)


def _own_fates(result: Comparison) -> Fates:
    place = {name: index for index, name in enumerate(result.names)}
    rivals = {place[name]: place[found.by] for name, found in result.rejections.items()}
    return Fates(rivals, {place[duel.model]: duel.reason for duel in result.undecided})


def _fates_at_each(applied: Applied, thresholds: Sequence[float]) -> list[Fates]:
    fates = []
    for verdict in judge_at_each(applied, thresholds):
        rivals = {model: duel.rival for model, duel in verdict.rejections.items()}
        too_close = {duel.model: "draws" for duel in verdict.undecided}
        unstable = {duel.model: "simulations" for duel in verdict.unstable}
        fates.append(Fates(rivals, too_close | unstable))
    return fates


def stretches(by_threshold: Sequence[Mapping[int, Any]]) -> dict[int, list[Stretch]]:
    """From what some models have at each threshold to the stretches of each model.

    Verdicts change rarely, so that this is short.

    Examples
    --------
    >>> stretches([{0: 2}, {0: 2, 1: 2}, {1: 2}])
    {0: [[0, 1, 2]], 1: [[1, 2, 2]]}
    """
    found: dict[int, list[Stretch]] = {}
    for model in sorted(set().union(*by_threshold)):
        found[model] = []
        values = [at_one.get(model) for at_one in by_threshold]
        for value, places in groupby(range(len(values)), key=values.__getitem__):
            stretch = list(places)
            if value is not None:
                found[model].append([stretch[0], stretch[-1], value])
    return found
