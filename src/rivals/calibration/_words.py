"""Every sentence about a calibration, from plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

from rivals._core.checks import UNPRINTABLE
from rivals._result.sentences import SAME_PROCESS, count, fixed, percent, value_of_c
from rivals.calibration._promise import Promise, State

# So many different reasons are listed, those of broken c first.
MOST_REASONS = 3
RULE_NAMES = {"bound": "the paper's bound", "error": "the failure rate of named winners"}

# ---------------------------------------------------------------- in tables


def rate(failure_rate: float) -> str:
    """As "1.5 %"; nothing where no winner is named."""
    return "–" if isnan(failure_rate) else percent(failure_rate)


def difference(excess: float) -> str:
    """As "0.012"; nothing where nothing was found."""
    return fixed(None if isnan(excess) else excess, 3)


def state(found: State) -> str:
    """As "kept", or "open (1536 experiments would tell)"."""
    if found.enough is None:
        return found.state
    return f"{found.state} ({found.enough} experiments would tell)"


# ---------------------------------------------------------------- why a c is kept, or not


def reason(rule: str, scenario: str, promise: Promise, found: State) -> str:
    """Of one c: its state, and what was found."""
    where = f" in {scenario!r}" if scenario else ""
    if found.because == "undecided":
        return (
            f"open{where}: the truth is undecided in {found.unknown} of {found.n} experiments, "
            "more than a fifth"
        )
    if found.state == "silent":
        return (
            f"silent{where}: {count(found.known, 'named winner')} of known truth, "
            f"{promise.least_winners} are needed"
        )
    if rule == "bound":
        limit = f"at least {found.at_least:.2f}"
        if found.state != "broken":
            limit = f"and at most {found.at_most:.2f}"
        return (
            f"{found.state}{where}: B is more confident than right by {found.excess:.2f} in one of "
            f"four windows, {limit}"
        )
    limit = f"at least {percent(found.at_least)}"
    if found.state != "broken":
        limit = f"at most {percent(found.at_most)}"
    below = ", and a larger c is not kept either" if found.because else ""
    return (
        f"{found.state}{where}: {found.wrong} of {count(found.known, 'named winner')} failed, "
        f"{limit}{below}"
    )


def none_kept(
    reasons: Sequence[tuple[float, str]],
    rule: str,
    hopeful: int | None,
    settled: int | None,
    *,
    undecided: bool,
    silent: bool,
) -> str:
    """Which rule, what was found, and what would help."""
    by_reason: dict[str, list[str]] = {}
    for c, why in reasons:
        by_reason.setdefault(why, []).append(value_of_c(c))
    shown = [f"c = {', '.join(at)}: {why}" for why, at in by_reason.items()]
    found = "; ".join(shown[:MOST_REASONS])
    if undecided:
        remedy = "Raise n_truth or most_truth, or make the candidates differ"
    elif hopeful is not None:
        remedy = (
            f"About {hopeful} experiments of each scenario would probably show one: with the same "
            "store only the rest is run"
        )
    elif settled is not None:
        remedy = (
            "More winners failed than may, where any are named, but by chance perhaps: about "
            f"{settled} experiments of each scenario would probably tell"
        )
    elif silent:
        remedy = (
            "Hardly any winner is named, and many more experiments would not change that: the "
            "problems are too hard for so many points. Try smaller c"
        )
    else:
        remedy = (
            "Wherever winners are named, too many fail, and more experiments will not change that: "
            "what varies between recordings is larger than what sets the candidates apart. Try "
            "larger c, or data with groups"
        )
    return f"no c is kept, by {RULE_NAMES[rule]} ({found}). {remedy}."


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


def about_truth(unknown: int, n: int, winners: int, most_points: int, replicated: bool) -> str:
    """By what the better candidate is known, and how often that stays undecided."""
    left_out = (
        f"undecided, within two standard errors, in {unknown} of {n} experiments, which are left "
        f"out (the paper scores all)"
    )
    if unknown and winners:
        left_out += f": {count(winners, 'named winner')} among them, at the smallest c"
    if not most_points:
        return f"The better candidate was given; undecided in {unknown} of {n} experiments."
    return (
        f"The better candidate is that of lower risk {where(replicated)}; {left_out}. The truth is "
        f"known by up to {count(most_points, 'point')}."
    )


def where(replicated: bool) -> str:
    """What a replication is: whether what varies between recordings is drawn anew."""
    return "in another recording of the same problem" if replicated else SAME_PROCESS


def chosen(rule: str, found: State, kept: Sequence[float]) -> str:
    """Which c is used, and why."""
    span = f" of {value_of_c(kept[0])} to {value_of_c(kept[-1])}" if len(kept) > 1 else ""
    shown = f"{found.wrong} of {count(found.known, 'named winner')} failed"
    if rule == "bound":
        shown = (
            f"B is more confident than right by no more than {max(found.excess, 0.0):.2f} in any "
            f"window, and {shown}"
        )
    else:
        shown += f", at most {percent(found.at_most)} with 95 % confidence"
    return (
        f"Use c = {value_of_c(found.c)}, the smallest that is kept{span}, by {RULE_NAMES[rule]}: "
        f"{shown}."
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


def scenario(name: str, description: str) -> str:
    """What was simulated."""
    return f"In {name!r}: {description}" if name else description


def method_of_truth(n_truth: int, most_points: int, replicated: bool, unknown: int, n: int) -> str:
    """By what the better candidate was known."""
    if not most_points:
        return about_truth(unknown, n, 0, most_points, replicated)
    more = f" (up to {most_points} where that left it open)" if most_points > n_truth else ""
    return (
        f"The better candidate was the one of lower mean loss {where(replicated)}, by {n_truth} "
        f"points{more}; {unknown} of {n} experiments in which it stayed undecided, within two "
        "standard errors, were left out."
    )


def method_of_choice(
    rule: str, promise: str, tried: Sequence[float], kept: Sequence[float], found: State
) -> str:
    """By which rule, and what was found."""
    limit = "5 %" if promise == "strict" else "10 %"
    rules = {
        "bound": "kept if in none of four windows of B it was found to be more confident than "
        "right by more than 0.05, and shown to be so by no more than "
        f"{limit.replace('10 %', '0.10').replace('5 %', '0.05')} (after the bound of René and "
        "Longtin, 2025)",
        "error": "kept if no more than 5 % of the named winners were found to fail, and no more "
        f"than {limit} shown to, with 95 % confidence (Clopper and Pearson)",
    }
    undecided = f", {found.undecided} undecided" if found.undecided else ""
    first, last = value_of_c(tried[0]), value_of_c(tried[-1])
    return (
        f"{count(len(tried), 'value')} of c from {first} to {last} were tested, "
        f"from the largest that names winners downwards; a c was {rules[rule]}. "
        f"{len(kept)} were kept; we took the smallest, c = {value_of_c(found.c)}, at which of "
        f"{count(found.named, 'named winner')} {found.right} won again and {found.wrong} failed"
        f"{undecided}."
    )


# ---------------------------------------------------------------- fit


def other(what: str, calibrated: str, here: str) -> str:
    """That a calibration is of something else than what is compared."""
    return (
        f"the calibration is for {what} {calibrated}, and this comparison has {here}: calibrate "
        "for these losses, method and sizes, or compare as it was calibrated"
    )
