"""How a calibration was made and what it found, in sentences that can stand in a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rivals._say.words import joined, show, told_apart
from rivals.calibration.text import percent

BOUND = (
    "that in no bin of the calibration curve the stated probability is more confident than the "
    "truth"
)
RULES = {
    "winners": "if winners were stated, with a probability above 0.95, unless more than 5 % of "
    "them were wrong or the truth fell while the stated probability rose, either beyond chance",
    "bound": f"if it kept the bound of René and Longtin (2025), {BOUND}, by more than 0.05 and "
    "beyond chance",
}
RULES["both"] = f"{RULES['winners']}; and only {RULES['bound']}"


# ---------------------------------------------------------------- what was done


def made_of(
    counts: Mapping[str, int],
    descriptions: Mapping[str, str],
    *,
    law: str,
    n_data: int,
    n_simulations: int,
    n_candidates: int,
    loss_unit: str | None,
    order: str | None,
) -> str:
    """Two sentences: of which Ω and how many experiments, and their sizes."""
    parts = [_of_one(name, count, descriptions) for name, count in counts.items()]
    several = "s" if len(parts) > 1 else ""
    unit = f", losses in {show(loss_unit)}" if loss_unit else ""
    series = ", taken as a time series" if order else ""
    simulations = "simulations" if n_simulations != 1 else "simulation"
    return (
        f"c was calibrated under law {law} on experiments of the epistemic distribution{several} "
        f"Ω {joined(parts)}. Each experiment had {n_data} data points{series}{unit}, and "
        f"{n_simulations} {simulations} of each of {n_candidates} candidates."
    )


def _of_one(name: str, count: int, descriptions: Mapping[str, str]) -> str:
    said = show(descriptions.get(name, "")).rstrip(". ")
    what = f"{said}; " if said else ""
    return f"{show(name)!r} ({what}{count} experiments)"


def truth(*, replicated: bool, n_truth: int, n_replications: int) -> str:
    """By what the better candidate of an experiment is known."""
    if n_truth == 0:
        return "Which candidate was better was known from a replication of the experiment."
    if not replicated:
        where = f"on {n_truth} further points of the same process"
    elif n_replications == 1:
        where = f"in a fresh replication of {n_truth} points"
    else:
        where = f"in {n_replications} fresh replications of {n_truth} points each"
    return f"The better candidate was the one of lower mean loss {where}."


def choice_of_c(best: float, tried: Sequence[float], n_omegas: int) -> str:
    """How c was chosen among those that were tried."""
    shown = told_apart(tried)
    if len(tried) == 1:
        return f"c = {shown[best]} alone was tried."
    worst = "" if n_omegas == 1 else ", taken in the worst Ω"
    return (
        f"Of {len(tried)} values of c from {shown[tried[0]]} to {shown[tried[-1]]} we took "
        f"c = {shown[best]}, the one with the lowest Brier score of the stated probabilities{worst}"
        "."
    )


def validity_rule(rule: str, n_omegas: int) -> str:
    """When a c was called valid."""
    if n_omegas == 1:
        for_all = ""
    elif rule == "bound":
        for_all = " It had to be valid for every Ω."
    else:
        for_all = " It had to be valid for every Ω in which winners were stated."
    return f"A value of c was called valid {RULES[rule]}.{for_all}"


# ---------------------------------------------------------------- how `compare` reads B by it


def corrected_pair(slope: float, n_omegas: int) -> str:
    """The curve of a pair."""
    cautious = ""
    if n_omegas > 1:
        cautious = f" in the most cautious Ω; of {n_omegas} curves the one closest to ½ counts"
    return (
        "The probability of the pair was corrected by the temperature that suits these experiments "
        f"best: its log odds times {slope:.2g}{cautious}."
    )


def beyond_best(k: int, n_candidates: int, threshold: float) -> str:
    """The best of several candidates."""
    return (
        f"By chance, even the truly best of {n_candidates} candidates looks beaten in some "
        f"experiments. As the probability that one of the {k} models is better than another we "
        "therefore took the part of the experiments in which the truly best looked beaten with a "
        "lower probability, and never more than the law states: the truly best is rejected in at "
        f"most {percent(1.0 - threshold)} of them."
    )


def one_of(k: int, n_candidates: int) -> str:
    """Of more models than the experiments have candidates."""
    return (
        f"As the experiments have {n_candidates} candidates and there are {k} models, the "
        f"probability that a rival is not better was taken {k - 1} times (Bonferroni), or as "
        "corrected for a pair if that was less sure."
    )


# ---------------------------------------------------------------- what was found


def conclusion(
    *,
    best: float,
    tried: Sequence[float],
    n_experiments: int,
    brier_score: float,
    at_best: str,
    valid: str | None,
    bound: str | None,
    slope: float | None,
) -> str:
    """The most informative c, its errors, which c are valid, and what a correction does.

    `valid` and `bound` are ranges of c in words; None where there is none.
    """
    c = told_apart(tried)[best]
    numbers = f"Brier score {brier_score:.3f}, {n_experiments} experiments"
    first = f"Of {len(tried)} values of c, {c} is the most informative ({numbers}): {at_best}."
    if len(tried) == 1:
        first = f"At c = {c}, the only one tried, {at_best} ({numbers})."
    sentences = [
        first,
        f"Winners are stated, and right often enough, {_at(valid)}; the bound of René and Longtin "
        f"(2025), {BOUND}, is kept {_at(bound)}.",
    ]
    if slope is not None:
        sentences.append(
            f"A comparison calibrated by it takes the log odds of a pair times {slope:.2g}."
        )
    return " ".join(sentences)


def _at(values: str | None) -> str:
    return "at no c that was tried" if values is None else f"at c = {values}"
