"""What was found, in one to three sentences that can stand in a paper."""

from __future__ import annotations

from collections.abc import Sequence

from rivals._say.words import joined, listed, show, two_digits
from rivals.comparison.answers import Answers
from rivals.comparison.horizon import next_group, question
from rivals.comparison.margin import equivalent_to_best, too_few_groups

# More models than this are counted, not named.
MOST_NAMED = 4


def conclusion(result: Answers) -> str:
    """What was found, at which horizon, with numbers, and which model to take.

    It says nothing that was not computed: probabilities are those that decided, and a model that no
    rival rejects is never called worse.
    """
    parts = [
        _found(result),
        _survivors(result),
        _next(result),
        f"If you need one model: {show(result.ranking[0])}.",
    ]
    if not result.rejections and len(result.names) == 2:  # both would say the same
        parts[:2] = [f"{question(result.applied.setting)}, {parts[1]}"]
    return " ".join(part for part in parts if part)


def _found(result: Answers) -> str:
    """Who would predict better than whom, with what probability, and by how much."""
    setting = result.applied.setting
    best = result.ranking[0]
    beaten = [name for name in result.ranking if _rejected_by(result, name) == best]
    others = [name for name in result.rejections if _rejected_by(result, name) != best]
    opening = question(setting)
    if not result.rejections:
        worse = f"could be shown to predict worse than another{_by_more(result)}"
        return f"{opening}, none of the {len(result.names)} models {worse}."
    parts = []
    if beaten:
        parts.append(f"{show(best)} would predict better than {_named(result, beaten)}")
        parts[-1] += _by_at_least(result, beaten)
    for name in others[:MOST_NAMED]:
        rejection = result.rejections[name]
        probability = _probability(rejection.probability)
        better = "better" if parts else "would predict better"
        parts.append(f"{show(rejection.by)} {better} than {show(name)} (P {probability})")
    if len(others) > MOST_NAMED:
        parts.append(f"{len(others) - MOST_NAMED} more models would lose to others")
    return f"{opening}, {'; '.join(parts)}{_how(result)}."


def _rejected_by(result: Answers, name: str) -> str | None:
    rejection = result.rejections.get(name)
    return None if rejection is None else rejection.by


def _named(result: Answers, beaten: Sequence[str]) -> str:
    """The beaten models with their probabilities; of many the least and the number."""
    if len(beaten) > MOST_NAMED:
        least = min(result.rejections[name].probability for name in beaten)
        return f"{len(beaten)} other models (P {_probability(least)} or more each)"
    parts = []
    for name in beaten:
        probability = _probability(result.rejections[name].probability)
        parts.append(f"{show(name)} (P {probability})")
    return joined([parts[0], *(f"than {part}" for part in parts[1:])])


def _by_at_least(result: Answers, beaten: Sequence[str]) -> str:
    """By how much, where the law and the number of models allow to say it."""
    setting = result.applied.setting
    unit = f" {setting.loss_unit}" if setting.loss_unit else ""
    if setting.margin > 0.0:
        return f",{_by_more(result)}"
    amounts = [result.better_by[name] for name in beaten] if result.better_by else []
    if result.calibrated is not None or not amounts or min(amounts) <= 0.0:
        return ""
    least = two_digits(min(amounts))
    if len(beaten) <= MOST_NAMED:
        least = joined([two_digits(amount) for amount in amounts])
    return f", by at least {least}{unit} (with probability {setting.threshold:g})"


def _by_more(result: Answers) -> str:
    """By more than the margin, where there is one."""
    setting = result.applied.setting
    if setting.margin == 0.0:
        return ""
    unit = f" {setting.loss_unit}" if setting.loss_unit else ""
    return f" by more than {setting.margin:g}{unit}"


def _how(result: Answers) -> str:
    """What the probabilities rest on where they are not calibrated, and no groups were at hand."""
    setting = result.applied.setting
    law = result.applied.law
    if setting.groups is not None and law.needs_groups:
        return ""
    if result.calibrated is not None:
        return " (calibrated)"
    return f" (law {law.name}, c = {setting.c:g}, not calibrated)"


def _survivors(result: Answers) -> str:
    """Who is not rejected beside the best, and how surely the best is better."""
    best = result.ranking[0]
    others = [name for name in result.survivors if name != best]
    if not others:
        return ""
    probability = [result.best_decides[result.place[name]] for name in others]
    if len(others) > MOST_NAMED:
        low = _plain(min(probability))
        high = _plain(max(probability))
        return f"{len(others)} models may be as good as {show(best)} (P from {low} to {high})."
    parts = [
        f"{show(name)} (P {_probability(value)})"
        for name, value in zip(others, probability, strict=True)
    ]
    by = _by_more(result)
    rivals = joined(parts, "or")
    sentence = f"{show(best)} could not be shown to be better{by} than {rivals}"
    return f"{sentence}{_equivalent(result, others)}."


def _equivalent(result: Answers, others: Sequence[str]) -> str:
    """Which of the survivors are equivalent to the best, where there is a margin."""
    setting = result.applied.setting
    if setting.margin == 0.0 or too_few_groups(result.applied):
        return ""
    probability = equivalent_to_best(result.applied)
    equal = [name for name in others if probability[result.place[name]] > setting.threshold]
    if not equal:
        return ""
    unit = f" {setting.loss_unit}" if setting.loss_unit else ""
    least = min(probability[result.place[name]] for name in equal)
    return (
        f"; within {setting.margin:g}{unit} it is equivalent to {listed(equal)} "
        f"(P {_probability(least)})"
    )


def _next(result: Answers) -> str:
    """How probably the best is better in a single new group, beside the answer for several."""
    setting = result.applied.setting
    if setting.groups is None or not result.applied.law.needs_groups or setting.horizon == 1.0:
        return ""
    others = result.ranking[1:]
    following = result.applied.over_best(1.0)
    probability = [following[result.place[name]] for name in others]
    where = f"In {next_group(setting)}"
    who = show(result.ranking[0])
    if len(others) > MOST_NAMED:
        low = min(probability)
        high = max(probability)
        return f"{where} {who} is ahead of them with probability {_plain(low)} to {_plain(high)}."
    if len(others) == 1:
        return (
            f"{where} it is ahead of {show(others[0])} with probability {_plain(probability[0])}."
        )
    values = joined([_plain(value) for value in probability])
    names = joined([show(name) for name in others])
    return f"{where} {who} is ahead of {names} with probability {values}."


def _probability(value: float) -> str:
    """As "= 0.975", never a claim of certainty."""
    if value > 0.9995:
        return "> 0.999"
    if value < 0.0005:
        return "< 0.001"
    return f"= {value:.3f}"


def _plain(value: float) -> str:
    """As "0.975", with the digits of the table."""
    return _probability(value).removeprefix("= ").replace("> ", "above ").replace("< ", "below ")
