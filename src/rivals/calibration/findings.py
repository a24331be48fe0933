"""A calibration as a table: what was found at each c, for each epistemic distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rivals._say.words import show, told_apart
from rivals.calibration.bound import Bound
from rivals.calibration.judgement import Judgement
from rivals.calibration.text import percent
from rivals.calibration.validity import Validity

HEADINGS = ("c", "winners stated", "of them wrong", "valid", "paper's bound", "Brier score")
OMEGA = "epistemic distribution"


def findings(
    validity: Validity, brier_scores: Mapping[str, Sequence[float]]
) -> tuple[list[str], list[list[str]]]:
    """Headings, and a line for each epistemic distribution and c; one alone is not named."""
    several = len(validity.omegas) > 1
    shown = told_apart(validity.c)
    cells = []
    for name, judged, bounds in zip(
        validity.omegas, validity.judgements, validity.bounds, strict=True
    ):
        found = zip(validity.c, judged, bounds, brier_scores[name], strict=True)
        for c, judgement, bound, score in found:
            line = [shown[c], *_at_one_c(judgement, bound), f"{score:.3f}"]
            cells.append([show(name), *line] if several else line)
    return [OMEGA, *HEADINGS] if several else [*HEADINGS], cells


def _at_one_c(judgement: Judgement, bound: Bound) -> list[str]:
    """Winners stated, how many of them are wrong, whether c is valid, and the paper's bound."""
    winners = judgement.winners
    kept = "kept" if bound.kept else f"broken in {bound.violated} of {bound.bins} bins"
    stated = f"{winners.n} of {judgement.n}"
    if judgement.problem is None:
        valid = "yes"
    elif judgement.speaks_against:
        valid = f"no: {judgement.problem.value}"
    else:
        valid = judgement.problem.value
    wrong = percent(winners.error) if winners.n else ""
    return [stated, wrong, valid, kept]
