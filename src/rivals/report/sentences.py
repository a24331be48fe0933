"""What the page says in words: how far to trust the verdict and each model's numbers, and what repeats the run."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import scipy

from rivals._version import __version__
from rivals.comparison import Comparison
from rivals.comparison.shown import remarks, verdicts
from rivals.core.tails import extremes, tail_shape, tail_word

MOST_EXTREME = 5


def doubts(result: Comparison) -> list[str]:
    """What the verdict of the run is sensitive to; empty if nothing."""
    return [*verdicts(result)[1:], *remarks(result)]


def about_probabilities(result: Comparison) -> str:
    """How to take the probabilities of this law."""
    if result.calibrated is not None:
        return (
            "Probabilities are corrected by the curve of a calibration. They hold as far as its simulated experiments, and their "
            "variation between replications, resemble the real ones."
        )
    return result.applied.law.about


def why_no_slider(result: Comparison) -> str | None:
    """Why c cannot be moved on the page, in a sentence; None where it can."""
    if result.c != result.c:
        return f"Law “{result.law}” has no c here: the spread between the groups takes its place."
    if result.calibrated is not None:
        return f"c = {result.c:g} comes from the calibration, whose curve holds only at this c; so it cannot be changed here."
    return None


def notes(result: Comparison) -> list[dict[str, Any]]:
    """For each model that has some, best first: caveats about its numbers, in sentences."""
    found = {name: [note.text for note in result.diagnostics[name]] for name in result.ranking}
    return [
        {"model": name, "sentences": [f"{text[:1].upper()}{text[1:]}." for text in texts]}
        for name, texts in found.items()
        if texts
    ]


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
    """What one needs to repeat the run: versions, seed, sizes."""
    sizes = sorted({(losses.n_observed, losses.n_synthetic) for losses in result.losses.values()})
    law, setting = result.applied.law, result.applied.setting
    labels = {"groups": setting.groups, "clusters": setting.clusters}
    return {
        "rivals": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "seed (rng)": str(result.entropy),
        "law": str(law),
        "c": "none" if result.c != result.c else repr(float(result.c)),
        "threshold": repr(float(result.threshold)),
        "simulations of each model": str(setting.n_simulations),
        "order": setting.order or "none",
        **{kind: "none" if each is None else str(len(each.names)) for kind, each in labels.items()},
        "probabilities": "in closed form"
        if law.closed_form
        else f"from {result.applied.draws[0].size} draws of each risk or more",
        "losses (observed / synthetic)": "; ".join(f"{observed} / {synthetic}" for observed, synthetic in sizes[:6])
        + (" …" if len(sizes) > 6 else ""),
    }


def command(result: Comparison) -> str:
    """The call that gives the same numbers, from the same losses."""
    setting, arguments = result.applied.setting, ["losses", f"law={result.applied.law}"]
    if result.calibrated is not None:
        arguments.append("c=calibration")
    elif result.c == result.c:
        arguments.append(f"c={float(result.c)!r}")
    arguments.append(f"threshold={float(result.threshold)!r}")
    if setting.order is not None:
        arguments.append(f"order={setting.order!r}")
    arguments += [f"{kind}={kind}" for kind in ("groups", "clusters") if getattr(setting, kind) is not None]
    return f"rivals.compare({', '.join([*arguments, f'rng={result.entropy}'])})"
