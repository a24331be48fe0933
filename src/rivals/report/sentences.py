"""What the page says in words: how far to trust the verdict and each model's numbers, and what repeats the run."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from rivals._checks import show
from rivals._version import __version__
from rivals.comparison import Comparison
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.report.runs import DRAWS_AT_OTHER_C

MOST_EXTREME = 5
MOST_LISTED = 12

TAILS = {
    "look": "the variance of their mean may be infinite; look at the largest ones below",
    "do not trust": "the variance of their mean is probably infinite, so its standard error and the verdict mean little; "
    "look at the largest ones below, or use a bounded score",
    "too few to tell": "there are too few losses to estimate the shape of their tail",
}


def remarks(result: Comparison) -> list[str]:
    """What the verdict of the run is sensitive to: simulations, the law, extreme losses; empty if none of these."""
    sentences = []
    if result.unstable:
        parts = [
            f"{show(name)} (the same in {result.stability[name]:.0%} of the simulations)" for name in result.unstable
        ]
        sentences.append(
            f"Unstable: {_some(parts)}. With other random numbers the verdict may change; simulate more, or treat it as undecided."
        )
    if result.law != "groups" and result.n_simulations == 1:
        sentences.append(
            "There is only one simulation of each model, so the stability of the verdict is unknown; simulate more."
        )
    for law, rejected in result.other_laws.items():
        differing = [name for name in result.ranking if (name in rejected) != (name in result.rejections)]
        if differing:
            names = {
                "keeps": [show(name) for name in differing if name not in rejected],
                "rejects": [show(name) for name in differing if name in rejected],
            }
            verdicts = " and ".join(f"{verb} {_some(group)}" for verb, group in names.items() if group)
            sentences.append(
                f"The laws disagree: law “{law}”, on the same losses at the same c, {verdicts}. Such a verdict depends on the law."
            )
    heavy = [name for name in result.ranking if tail_word(tail_shape(result.losses[name].observed)) == "do not trust"]
    if heavy:
        sentences.append(
            f"Do not trust the mean loss of {_some([show(name) for name in heavy])}: a few extreme losses dominate it."
        )
    return sentences


def about_probabilities(result: Comparison) -> str:
    """How to take the probabilities of this law."""
    if result.calibrated is not None:
        return (
            "Probabilities are corrected by the curve of a calibration. They hold as far as its simulated experiments, and their "
            "variation between replications, resemble the real ones."
        )
    if result.law == "groups":
        return (
            "Probabilities are for a new group from the same population. They hold as far as groups differ as replications of the "
            "experiment would."
        )
    unit = "" if result.law == "transport" else " It is specific to a loss, its unit and the number of points."
    return (
        f"No c suits every problem.{unit} Probabilities at a c that was chosen by hand are not calibrated. Use rivals.calibrate to "
        "find c and a calibration curve from simulated experiments with fresh replications."
    )


def why_no_slider(result: Comparison) -> str | None:
    """Why c cannot be moved on the page, in a sentence; None where it can."""
    if result.law == "groups":
        return "Law “groups” has no c: the spread between the groups takes its place."
    if result.calibrated is not None:
        return f"c = {result.c:g} comes from the calibration, whose curve holds only at this c; so it cannot be changed here."
    return None


def _some(texts: list[str]) -> str:
    """A list for a sentence, which ends before the reader gives up."""
    rest = len(texts) - MOST_LISTED
    return ", ".join(texts[:MOST_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def notes(result: Comparison) -> list[dict[str, Any]]:
    """For each model, best first: caveats about its numbers, in sentences."""
    return [{"model": name, "sentences": _notes(result, name)} for name in result.ranking]


def _notes(result: Comparison, name: str) -> list[str]:
    losses = result.losses[name]
    sentences = [sentence[:1].upper() + sentence[1:] + "." for sentence in losses.doubts(result.law)]
    shape = tail_shape(losses.observed)
    word = tail_word(shape)
    if word != "good":  # the table of the largest losses has the word for each model
        sentences.append(
            f"Tail of its losses: {word}" + ("" if shape != shape else f" (shape {shape:.2f})") + f"; {TAILS[word]}."
        )
    if result.order == "time" and losses.effective_size < 0.5 * losses.n_observed:
        sentences.append(
            f"Its losses are correlated in time: the mean of {losses.n_observed} losses is about as precise as that of "
            f"{losses.effective_size:.0f} independent ones."
        )
    return sentences


def extreme_losses(result: Comparison, models: tuple[str, ...]) -> list[dict[str, Any]]:
    """For each of these models: the word for its tail, and its largest losses with their positions, from 0.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> [row["word"] for row in extreme_losses(result, result.ranking)]
    ['good', 'good']
    """
    rows = []
    for name in models:
        observed = result.losses[name].observed
        positions = extremes(observed, MOST_EXTREME).tolist()
        rows.append(
            {
                "model": name,
                "word": tail_word(tail_shape(observed)),
                "losses": [{"position": position, "loss": f"{observed[position]:.4g}"} for position in positions],
            }
        )
    return rows


def provenance(result: Comparison) -> dict[str, str]:
    """What one needs to repeat the run: versions, entropy, sizes."""
    sizes = sorted({(losses.n_observed, losses.n_synthetic) for losses in result.losses.values()})
    closed = result.law != "beta"
    rows = {
        "rivals": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "entropy (rng)": str(result.entropy),
        "law": result.law,
        "c": "none" if result.law == "groups" else repr(float(result.c)),
        "threshold": repr(float(result.threshold)),
        "simulations of each model": str(result.n_simulations),
        "order": result.order or "none",
        "groups": "none" if result.settings.groups is None else str(int(result.settings.groups.max()) + 1),
        "probabilities": "in closed form"
        if closed
        else f"from {result.n_draws} draws of each risk, up to {result.max_draws} where the threshold is close; at other values of "
        f"c from {min(result.n_draws, DRAWS_AT_OTHER_C)}",
        "losses (observed / synthetic)": "; ".join(f"{observed} / {synthetic}" for observed, synthetic in sizes[:6])
        + (" …" if len(sizes) > 6 else ""),
    }
    if not closed:
        rows["depth of the process"] = "as deep as the data resolve" if result.depth is None else str(result.depth)
    return rows


def command(result: Comparison) -> str:
    """The call that gives the same numbers, from the same losses."""
    arguments = ["losses", f"law={result.law!r}"]
    if result.calibrated is not None:
        arguments.append("c=calibration")
    elif result.law != "groups":
        arguments.append(f"c={float(result.c)!r}")
    arguments.append(f"threshold={float(result.threshold)!r}")
    if result.order is not None:
        arguments.append(f"order={result.order!r}")
    if result.settings.groups is not None:
        arguments.append("groups=groups")
    if result.law == "beta":
        arguments += [f"n_draws={result.n_draws}", f"max_draws={result.max_draws}", f"depth={result.depth}"]
    return f"rivals.compare({', '.join([*arguments, f'rng={result.entropy}'])})"
