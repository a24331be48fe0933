"""The words of a calibration, from plain numbers and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rivals._say.words import listed, show, told_apart


def percent(part: float) -> str:
    """A part of a whole, with two digits.

    Examples
    --------
    >>> percent(0.0123), percent(0.456)
    ('1.2 %', '46 %')
    """
    digits = ".0f" if part >= 0.095 else ".2g"
    return f"{100 * part:{digits}} %"


def ranges(c: Sequence[float], valid: Sequence[bool]) -> str:
    """Runs of neighbouring valid values, as `0.25 … 1, 8`; none if there is none.

    Examples
    --------
    >>> ranges([0.25, 0.5, 1.0, 2.0, 8.0], [True, True, True, False, True])
    '0.25 … 1, 8'
    """
    shown = told_apart(c)
    parts = []
    for good, run in groupby(zip(c, valid, strict=True), lambda pair: pair[1]):
        values = [shown[value] for value, _ in run]
        if good and len(values) == 1:
            parts.append(values[0])
        elif good:
            parts.append(f"{values[0]} … {values[-1]}")
    return ", ".join(parts) or "none"


# ---------------------------------------------------------------- what was found at one c


def right_winners(n_stated: int, error: float) -> str:
    """What is said of a c that nothing speaks against."""
    if n_stated == 0:
        return "no winner is stated"
    if n_stated == 1:
        return f"the only stated winner is {'wrong' if error > 0.5 else 'right'}"
    return f"{percent(error)} of {n_stated} stated winners are wrong"


def too_many_wrong(n_stated: int, error: float, certain_error: float, allowed: float) -> str:
    """How many of the stated winners are wrong, and how many may be."""
    return (
        f"{right_winners(n_stated, error)}, at least {percent(certain_error)}, where "
        f"{percent(allowed)} are allowed"
    )


def falling(low: float, high: float, fall: float, error: float) -> str:
    """Where the truth falls while B rises."""
    rise = f"where the stated probability rises from {low:.2f} to {high:.2f}"
    return f"{rise}, the truth falls by {fall:.2f} ± {error:.2f}"


def too_few(n: int, needed: int) -> str:
    """That there are too few experiments."""
    return f"{n} experiments are too few to tell, {needed} are needed"


# ---------------------------------------------------------------- the whole calibration


def heading(
    *,
    done: int,
    total: int,
    failed: int,
    n_data: int,
    loss_unit: str | None,
    law: str,
    n_simulations: int,
    n_candidates: int,
    order: str | None,
    question: str,
    n_replications: int,
) -> list[str]:
    """Two lines: how many experiments of what size, and what they answer."""
    first = f"Calibration: {done}"
    if done < total:
        first += f" of {total}"
    first += " experiments"
    if failed:
        first += f", {failed} failed (retry=True runs them again)"
    first += f"; {n_data} data points each"
    if loss_unit:
        first += f", losses in {show(loss_unit)}"
    second = f"Law {law!r}, {n_simulations} simulation(s) of each of {n_candidates} candidates"
    if order:
        second += f", order {order!r}"
    second += f"; question: {question}"
    if n_replications > 1:
        second += f" ({n_replications} of each)"
    return [first, second]


def unfinished(counts: Mapping[str, int], tracebacks: Mapping[str, Sequence[str]]) -> list[str]:
    """Why nothing can be said yet, where an epistemic distribution has no finished experiment.

    Both are by its name: how many finished, and how each of the others failed.
    """
    lines = []
    for name, count in counts.items():
        failed = tracebacks[name]
        if count:
            continue
        if failed:
            lines.append(
                f"All {len(failed)} experiments of {show(name)!r} failed. The first failed with:"
            )
            lines += ["", failed[0].strip(), ""]
        else:
            lines.append(f"No experiment of {show(name)!r} has finished yet.")
    return lines


def verdicts(
    c: Sequence[float],
    at_each_c: Sequence[tuple[bool, str]],
    widest: object,
    valid: Mapping[str, Sequence[bool]],
) -> list[str]:
    """Whether each c is valid, with the numbers, and the range that is valid for all.

    Of several epistemic distributions, also what is valid for each.
    """
    shown = told_apart(c)
    width = max(map(len, shown.values()))
    lines = []
    for value, (good, words) in zip(c, at_each_c, strict=True):
        verdict = "valid: " if good else ""
        lines.append(f"  c = {shown[value]:<{width}}  {verdict}{words}")
    lines.append(f"Valid: {widest}")
    if len(valid) > 1:
        lines += [f"  for {show(name)!r}: {ranges(c, row)}" for name, row in valid.items()]
    return lines


def best_c(best: float, tried: Sequence[float], law: str, brier_score: float) -> str:
    """The best c with its law."""
    return f"Best: c = {told_apart(tried)[best]} under law {law!r} (Brier score {brier_score:.3f})"


def effect_of_slope(slope: float) -> str:
    """What a correction does to stated probabilities."""
    direction = "towards" if slope < 1.0 else "away from"
    return f"  corrected, stated probabilities move {direction} ½: log odds times {slope:.2g}"


def needed(n: int, whose: str | None, to_judge: int, to_correct: int) -> str:
    """That there are too few experiments to call a c valid, and how many are needed for what."""
    of_which = "" if whose is None else f" of {show(whose)!r}"
    line = f"Too few experiments to call a c valid: {n}{of_which}; {to_judge} are needed"
    if n < to_correct:
        line += f", {to_correct} for a curve that corrects probabilities"
    return line


def grid_problem(best: float, tried: Sequence[float]) -> str | None:
    """A sentence if the best c is at an end of those that were tried.

    None if it is inside, or alone.

    Examples
    --------
    >>> grid_problem(1.0, [0.5, 1.0])
    'c = 1 is the largest that was tried, and a larger one may be better; try more values'
    """
    if len(tried) == 1 or tried[0] < best < tried[-1]:
        return None
    end = "largest"
    beyond = "larger"
    if best == tried[0]:
        end = "smallest"
        beyond = "smaller"
    shown = told_apart(tried)[best]
    return (
        f"c = {shown} is the {end} that was tried, and a {beyond} one may be better; try more "
        "values"
    )


# ---------------------------------------------------------------- what `compare` says of it


def experiments(counts: Mapping[str, int], descriptions: Mapping[str, str]) -> str:
    """How many experiments, and of what."""
    parts = []
    for name, count in counts.items():
        part = f"{count} experiments of {show(name)!r}"
        said = descriptions.get(name)
        if said:
            part += f" ({show(said)})"
        parts.append(part)
    return ", ".join(parts)


def corrected_pair(wrong: str) -> str:
    """How P of two models is found; `wrong` says how many stated winners are wrong."""
    return f"P is what the law states, corrected by them; with it, {wrong} there"


def beyond_best(n_candidates: int) -> str:
    """How P is found for the best of as many models as the experiments have candidates."""
    return (
        f"by chance, even the truly best of {n_candidates} candidates looks beaten in some of "
        "them, so P says in what part of them it looked less clearly beaten than the model does "
        "here; it is never more than the law states"
    )


def one_of(k: int, n_candidates: int) -> str:
    """How P is found for one of more models than the experiments have candidates."""
    return (
        f"they have {n_candidates} candidates, and there are {k} models, of which each has "
        f"{k - 1} rivals: the probability that a rival is not better counts {k - 1} times; if a "
        "correction as for a pair is less sure, P is that"
    )


def incomplete(name: str, done: int, wanted: int, failed: int) -> str:
    """That a study did not come to its end, and why."""
    why = "run the study to its end"
    if failed == wanted - done:
        why = f"{failed} failed, which is not chance"
    return (
        f"The calibration is not complete: {done} of {wanted} experiments of {show(name)!r} have "
        f"an outcome; {why}."
    )


def other_models(known: Sequence[str], others: Sequence[str]) -> str:
    """That models are compared which the calibration does not know."""
    return (
        f"The calibration was made with {listed(known)}, not with {listed(others)}: it holds as "
        "far as these resemble those."
    )
