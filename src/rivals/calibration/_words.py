"""Every sentence about a calibration, from plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, log2
from typing import Literal, TypeAlias

from rivals._core.checks import UNPRINTABLE
from rivals._result.sentences import count, percent

Problem: TypeAlias = Literal[
    "undecided", "few experiments", "few winners", "overconfident", "not monotone"
]
# So many different reasons are listed, from the largest c on.
MOST_REASONS = 3

# ---------------------------------------------------------------- in tables


def value(c: float) -> str:
    """As "0.0625"; a power of two that is longer as "2^-10"."""
    text = f"{c:g}"
    if len(text) <= 6:
        return text
    return f"2^{log2(c):g}" if log2(c).is_integer() else f"{c:.3g}"


def rate(failure_rate: float) -> str:
    """As "1.5 %"; nothing where no winner is named."""
    return "–" if isnan(failure_rate) else percent(failure_rate)


def bound(broken: int) -> str:
    """Whether the paper's bound is kept, or in how many bins it is broken."""
    return f"broken in {count(broken, 'bin')}" if broken else "kept"


# ---------------------------------------------------------------- why a c is valid, or not


def valid(known: int, wrong: int) -> str:
    """That all is well."""
    return f"valid: {wrong} of {count(known, 'named winner')} are wrong"


def few_winners(known: int, enough: int) -> str:
    """That next to nothing stands behind a c."""
    return f"only {count(known, 'named winner')} of known truth, {enough} are needed"


def few_experiments(n: int, enough: int, scenario: str) -> str:
    """That nothing can be told yet."""
    return f"only {n}{_in(scenario)}, and {enough} experiments are needed"


def too_many_undecided(unknown: int, n: int, most: float, scenario: str) -> str:
    """That the truth is not known well enough."""
    return (
        f"in {unknown} of {n} experiments{_in(scenario)} the truth is undecided, more than a "
        f"{'fifth' if most == 0.2 else percent(most)}: both candidates are too alike on the data "
        "for the truth"
    )


def falls(fall: float, scenario: str) -> str:
    """That the curve is not monotone."""
    return f"the truth falls by at least {fall:.2g} while B rises{_in(scenario)}"


def breaks_bound(broken: int, bins: int, predicted: float, observed: float, scenario: str) -> str:
    """That B is too confident somewhere."""
    return (
        f"overconfident in {broken} of {count(bins, 'bin')}{_in(scenario)}: where B is "
        f"{predicted:.2f}, {observed:.2f} is true"
    )


def fails(rate: float, known: int, least: float, allowed: float, scenario: str) -> str:
    """That too many named winners are wrong."""
    return (
        f"overconfident: {percent(rate)} of {count(known, 'named winner')}{_in(scenario)} are "
        f"wrong, at least {percent(least)}, where {percent(allowed)} are allowed"
    )


def _in(scenario: str) -> str:
    return f" of {scenario!r}" if scenario else ""


RULE_NAMES = {"bound": "the paper's bound", "error": "the failure rate of named winners"}


def no_valid_c(reasons: Mapping[float, str], rule: str, enough: int) -> str:
    """What is missing, and what to do."""
    by_reason: dict[str, list[str]] = {}
    for c, reason in list(reasons.items())[::-1]:
        by_reason.setdefault(reason, []).append(value(c))
    shown = [f"c = {', '.join(at)}: {reason}" for reason, at in by_reason.items()]
    found = "; ".join(shown[:MOST_REASONS])
    if "undecided" in found:
        remedy = "Raise n_truth or most_truth, or make the candidates differ"
    elif "experiments are needed" in found:
        remedy = "Run more experiments: with the same store only the rest is run"
    else:
        remedy = (
            "Try smaller c if few winners are named, larger c if they fail, or more experiments"
        )
    return (
        f"no c is valid with {enough} named winners or more, by {RULE_NAMES[rule]} ({found}). "
        f"{remedy}."
    )


# ---------------------------------------------------------------- the screen


def opening(
    n_scenarios: int,
    n_found: int,
    n_wanted: int,
    n_data: int,
    method: str,
    n_simulations: int,
) -> str:
    """What was run."""
    done = (
        f"{n_found} of {n_wanted} experiments" if n_found < n_wanted else f"{n_found} experiments"
    )
    return (
        f"{count(n_scenarios, 'scenario')}, {done} of {count(n_data, 'point')}. "
        f"Method: {method}, {count(n_simulations, 'simulation')} of each candidate."
    )


def about_truth(unknown: int, n: int, most_points: int, replicated: bool) -> str:
    """By what the better candidate is known, and how often that stays undecided."""
    if not most_points:
        return f"The better candidate was given; undecided in {unknown} of {n} experiments."
    where = "in a fresh replication" if replicated else "on new data of the same process"
    return (
        f"The better candidate is that of lower risk {where}; undecided in {unknown} of {n} "
        f"experiments, after up to {count(most_points, 'point')}."
    )


def chosen(c: float, rule: str, prefer: str, known: int, wrong: int) -> str:
    """Which c is used, and why."""
    which = "the largest" if prefer == "cautious" else "that of the lowest Brier score"
    verb = "is" if wrong == 1 else "are"
    return (
        f"Use c = {value(c)}: of the values that are valid by {RULE_NAMES[rule]}, {which}; {wrong} "
        f"of {count(known, 'named winner')} {verb} wrong there."
    )


def failed(n: int, first: str) -> str:
    """Experiments that have no outcome."""
    return f"{count(n, 'experiment')} failed, the first with {UNPRINTABLE.sub(' ', first)}"


# ---------------------------------------------------------------- for a paper


def method(
    method: str,
    counts: Mapping[str, int],
    n_data: int,
    n_simulations: int,
    unit: str,
    order: str | None,
    *,
    simulated: bool,
) -> str:
    """What was done."""
    made = "simulated " if simulated else ""
    scenarios = ", ".join(f"{name!r} ({count(n, 'experiment')})" for name, n in counts.items())
    several = "scenario" if len(counts) == 1 else "scenarios"
    series = ", taken as a time series" if order else ""
    losses = f", losses in {unit}" if unit else ""
    return (
        f"c was calibrated for the method {method!r} on {made}experiments of the {several} Ω "
        f"{scenarios}, each with {count(n_data, 'point')}{series}{losses}, and "
        f"{count(n_simulations, 'simulation')} of each candidate."
    )


def method_of_truth(n_truth: int, most_points: int, replicated: bool, unknown: int, n: int) -> str:
    """By what the better candidate was known."""
    if not most_points:
        return about_truth(unknown, n, most_points, replicated)
    where = "in a fresh replication of" if replicated else "on"
    more = f" (up to {most_points} where that left it open)" if most_points > n_truth else ""
    new = "points" if replicated else "new points of the same process"
    return (
        f"The better candidate was the one of lower mean loss {where} {n_truth}{more} {new}; it "
        f"stayed undecided, within two standard errors, in {unknown} of {n} experiments."
    )


def method_of_choice(
    rule: str, prefer: str, c: float, tried: Sequence[float], known: int, wrong: int, undecided: int
) -> str:
    """By which rule, and what was found."""
    rules = {
        "bound": "if in no bin of the calibration curve B was more confident than the truth by "
        "more than 0.05, beyond chance (the bound of René and Longtin, 2025)",
        "error": "unless more than 5 % of the named winners were wrong, or the truth fell while B "
        "rose, beyond chance",
    }
    which = "the largest" if prefer == "cautious" else "that of the lowest Brier score"
    return (
        f"Of {count(len(tried), 'value')} of c from {value(tried[0])} to {value(tried[-1])} those "
        f"with sixty named winners or more were called valid {rules[rule]}; we took {which}, "
        f"c = {value(c)}, at which of {count(known + undecided, 'named winner')} "
        f"{known - wrong} were right, {wrong} wrong and {undecided} undecided."
    )


# ---------------------------------------------------------------- fit


def other(what: str, calibrated: str, here: str) -> str:
    """That a calibration is of something else than what is compared."""
    return (
        f"the calibration is for {what} {calibrated}, and this comparison has {here}: calibrate "
        "for these losses, method and sizes, or compare as it was calibrated"
    )
