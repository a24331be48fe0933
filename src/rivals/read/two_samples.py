"""The two samples of a model, from what a reader found: observed and synthetic losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import FloatArray, IntArray
from rivals.losses import Losses
from rivals.read.cells import finite

KINDS = ("observed", "synthetic")

# Losses by model, and option → the label of each observed point.
Found = tuple[dict[str, Losses], dict[str, list[Any]]]


def make_losses(
    name: str, observed: npt.NDArray[Any], synthetic: npt.NDArray[Any], where: str
) -> Losses:
    """Losses of one model, without simulations if there are no synthetic losses; errors name
    the model.
    """
    try:
        return Losses(observed, synthetic) if synthetic.size else Losses(observed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, model {show(name)!r}: {error}") from None


def stacked(
    losses: FloatArray, simulations: Mapping[str, IntArray | slice], where: str
) -> FloatArray:
    """Synthetic losses as a matrix, one row per simulation; one alone as a vector.

    `simulations` are the rows of each in `losses`, all losses of a column.
    """
    samples = {
        name: finite(losses, rows, "synthetic losses", where, simulated=True)
        for name, rows in simulations.items()
    }
    first = next(iter(samples), "")
    for name, sample in samples.items():
        if sample.size != samples[first].size:
            raise ValueError(
                f"{where}: simulation {show(name)!r} has {sample.size} losses, but simulation "
                f"{show(first)!r} has {samples[first].size}; all simulations of a model must "
                "have as many"
            )
    if len(samples) > 1:
        return np.stack(list(samples.values()))
    return samples.get(first, np.empty(0))


def carrying(found: Found, column: str | None) -> dict[str, Losses]:
    """The losses with the groups of their points, and the column that these come from."""
    losses, labels = found
    if "groups" not in labels:
        return losses
    groups = np.array(labels["groups"], dtype=object)
    return {
        name: replace(sample, groups=groups, group_name=column) for name, sample in losses.items()
    }
