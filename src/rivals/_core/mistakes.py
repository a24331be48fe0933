"""Mistakes that the losses themselves show: one sign among others, and one model given twice."""

from __future__ import annotations

import numpy as np

from rivals._core.evidence import Note
from rivals._core.losses import Study
from rivals._core.types import FloatArray

# Codes of what is found.
NOTICED = ("same losses", "opposite sign")
# Fewer points show no sign, and of more a part is enough.
FEWEST = 64
ENOUGH = 4096
# Losses that fall where those of the others rise, and have their long tail at the low end.
OPPOSITE = -0.8
LEANS = -1.0
# Of more models pairs are not looked at one by one.
MOST = 64


def mistakes(study: Study) -> tuple[Note, ...]:
    """What is probably wrong with these losses."""
    step = max(study.n_points // ENOUGH, 1)
    part = np.stack([losses[::step] for losses in study.observed])
    return (*_twins(study, part), *_signs(study.names, part))


def _twins(study: Study, part: FloatArray) -> list[Note]:
    """Models whose losses are the same at every point."""
    seen: dict[bytes, int] = {}
    notes = []
    for place, losses in enumerate(part):
        other = seen.setdefault(losses.tobytes(), place)
        if other != place and np.array_equal(study.observed[place], study.observed[other]):
            pair = (study.names[other], study.names[place])
            notes.append(Note("same losses", pair))
    return notes


def _signs(names: tuple[str, ...], part: FloatArray) -> list[Note]:
    """A model whose losses are log likelihoods, among others whose losses are losses."""
    if part.shape[1] < FEWEST or len(names) > MOST:
        return []
    suspects = [place for place, losses in enumerate(part) if _skewness(losses) < LEANS]
    if not suspects:
        return []
    ranks = np.argsort(np.argsort(part, axis=1), axis=1).astype(np.float64)
    ranks -= ranks.mean(axis=1, keepdims=True)
    total = ranks.sum(axis=0)
    notes = []
    for place in suspects:
        others = total - ranks[place]
        scale = np.sqrt((ranks[place] @ ranks[place]) * (others @ others))
        together = float(ranks[place] @ others / scale) if scale > 0.0 else 0.0
        if together < OPPOSITE:
            notes.append(Note("opposite sign", (names[place],), together))
    return notes


def _skewness(losses: FloatArray) -> float:
    centred = losses - losses.mean()
    square = centred * centred
    variance = float(square.mean())
    return float(np.mean(square * centred)) / variance**1.5 if variance > 0.0 else 0.0
