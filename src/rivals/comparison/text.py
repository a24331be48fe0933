"""What a comparison and a sweep say, in sentences."""

from __future__ import annotations

from math import isfinite

import numpy as np

from rivals._say.words import listed, show, told_apart, two_digits
from rivals.comparison.answers import Answers, AnswersOverC
from rivals.comparison.duels import Undecided
from rivals.comparison.expectation import expectation
from rivals.comparison.horizon import new_groups
from rivals.comparison.margin import too_few_groups

# With more models than this, the best of them is rejected more easily than one of a pair.
AS_A_PAIR = 32
LISTED_AT_SMALLER_C = 3
LISTED_CHANGES = 6
# The least difference of two models beside the largest, above which none calls them nearly equal.
FAR_AHEAD = 0.5
NOT_CALIBRATED = (
    "The sweep shows the probabilities of the law itself: those of the comparison are corrected "
    "by its calibration, these are not."
)


# ---------------------------------------------------------------- of a comparison


def verdicts(result: Answers) -> list[str]:
    """Who survives, and which duels are too close to call, a text of each."""
    survivors = listed(result.survivors)
    if result.rejections:
        count = f"{len(result.rejections)} of {len(result.names)}"
        sentence = f"Worth keeping: {survivors}. Rejected: {count}."
    else:
        sentence = f"No model is rejected: all may be worth keeping ({survivors})."
    return [sentence, *(_unclear(result, duel) for duel in result.undecided)]


def _unclear(result: Answers, duel: Undecided) -> str:
    model = show(duel.model)
    pair = f"P({show(duel.by)} better than {model}) = {duel.probability:.4f}"
    if duel.reason == "simulations":
        share = f"only {result.stability[duel.model]:.0%} of the single simulations"
        return f"Undecided: {pair}, but {share} reject {model}, which survives; treat it as a tie."
    law = f"law=rivals.laws.{type(result.applied.law).__name__}(max_draws=…)"
    return (
        f"Undecided: {pair} ± {duel.standard_error:.4f} is too close to the threshold; "
        f"draw more ({law}), or treat it as a tie."
    )


def remarks(result: Answers) -> list[str]:
    """What the verdict is sensitive to, in sentences: c, simulations, number of models, law."""
    return [
        *_at_smaller_c(result),
        *_of_margins(result),
        *_of_one_simulation(result),
        *_of_many_models(result),
        *result.calibration_remarks,
        *result.applied.remarks(result.names),
        *_expectation(result),
    ]


def _at_smaller_c(result: Answers) -> list[str]:
    """Which survivors would be rejected at some smaller c, which a calibration might choose."""
    if result.calibrated is not None:
        return []
    c = result.applied.setting.c
    critical = dict(zip(result.names, result.applied.critical_c.tolist(), strict=True))
    nearly = [name for name in result.survivors if 0.0 < critical[name] < c]
    if not nearly:
        return []
    listing = [
        f"{show(name)} for c up to {critical[name]:.2g}" for name in nearly[:LISTED_AT_SMALLER_C]
    ]
    n_others = len(nearly) - LISTED_AT_SMALLER_C
    others = f" and {n_others} more for some smaller c" if n_others > 0 else ""
    return [f"At smaller c there is more to reject: {', '.join(listing)}{others}."]


def _of_margins(result: Answers) -> list[str]:
    """What follows from the data about a margin, without one; or that the margin is too large."""
    setting = result.applied.setting
    unit = f" {setting.loss_unit}" if setting.loss_unit else ""
    if setting.margin > 0.0:
        largest = float(np.ptp(result.applied.empirical))
        sentences = [too_few_groups(result.applied)]
        if setting.margin > largest:
            sentences.append(
                f"The margin, {setting.margin:g}{unit}, is larger than every difference between "
                f"the models (at most {two_digits(largest)}): none can be rejected; take a "
                "smaller one."
            )
        return [sentence for sentence in sentences if sentence]
    second = result.ranking[1]
    stated = result.calibrated is None and not too_few_groups(result.applied)
    if second not in result.equivalent_within or not stated:
        return []
    within = result.equivalent_within[second]
    if not isfinite(within) or within == 0.0:  # with the same losses there is nothing to differ by
        return []
    # Where the best is far ahead, nobody asks whether they are the same.
    if result.better_by.get(second, 0.0) > FAR_AHEAD * within:
        return []
    return [
        f"With probability {setting.threshold:g}, {show(result.ranking[0])} and {show(second)} "
        f"differ by less than {two_digits(within)}{unit}: a margin above that would call them "
        "equivalent."
    ]


def _of_one_simulation(result: Answers) -> list[str]:
    if result.applied.setting.n_simulations != 1 or not result.applied.law.uses_c(1):
        return []
    return [
        "There is only one simulation of each model, so the stability of the verdict is unknown."
    ]


def _of_many_models(result: Answers) -> list[str]:
    n_models = len(result.names)
    if n_models <= AS_A_PAIR or not result.rejections or result.calibrated is not None:
        return []
    corrected = 1.0 - (1.0 - result.applied.setting.threshold) / (n_models - 1)
    return [
        f"The best of {n_models} models is rejected more easily than one of a pair; "
        f"threshold={corrected:.7g} makes up for that."
    ]


def _expectation(result: Answers) -> list[str]:
    sentence = expectation(
        result.applied,
        calibrated=result.calibrated is not None,
        winner=bool(result.rejections),
    )
    return [sentence] if sentence else []


def made_with(result: Answers, *, seed: bool = False) -> str:
    """Law, c, threshold, groups and simulations in one line; the seed if something is random."""
    setting = result.applied.setting
    law = result.applied.law
    parts = [f"law {law.name!r}"]
    if law.uses_c(setting.n_simulations):
        plural = "s" if setting.n_simulations != 1 else ""
        parts += [f"c = {setting.c:g}", f"{setting.n_simulations} simulation{plural}"]
    parts += [f"{len(each.names)} {kind}" for kind, each in setting.labels.items()]
    if setting.groups is not None and law.needs_groups:
        parts.append(f"verdict for {new_groups(setting)}")
    if setting.margin > 0.0:
        unit = f" {setting.loss_unit}" if setting.loss_unit else ""
        parts.append(f"margin {setting.margin:g}{unit}")
    if setting.order is not None:
        parts.append(f"order {setting.order!r}")
    if result.calibrated is not None:
        parts.append("calibrated")
    parts.append(f"threshold {setting.threshold:g}")
    if seed and result.seeded:
        parts.append(f"rng = {setting.entropy}")
    return ", ".join(parts)


# ---------------------------------------------------------------- of a sweep


def sweep_verdict(sweep: AnswersOverC) -> str:
    """Where the verdict changes, and a second sentence if the comparison was calibrated."""
    sentence = _changes(sweep)
    return f"{sentence} {NOT_CALIBRATED}" if sweep.of_calibrated else sentence


def _changes(sweep: AnswersOverC) -> str:
    if not sweep.changes:
        return "The verdict is the same for all these c."
    as_text = told_apart(sweep.c)
    listing = [
        f"{as_text[low]} and {as_text[high]}" for low, high in sweep.changes[:LISTED_CHANGES]
    ]
    n_others = len(sweep.changes) - LISTED_CHANGES
    others = f", and {n_others} more times" if n_others > 0 else ""
    return f"The verdict changes between c = {'; '.join(listing)}{others}."
