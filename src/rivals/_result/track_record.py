"""What became of named winners on real data: committed measurements, with their numbers of cases.

`benchmarks/real/track_record.py` writes `track_record.json`; nothing here is a constant of code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

# A cell with fewer data sets than this says nothing.
LEAST_DATA_SETS = 15
# Losses whose record is one.
LOSSES = {
    "negative log density": "log",
    "negative log probability": "log",
    "negative log likelihood": "log",
    "squared error": "squared",
    "Brier score": "Brier",
    "absolute error": "absolute",
}
# Numbers of units are near each other within this factor.
NEAR = 1.6


@dataclass(frozen=True)
class Cell:
    """How often models with such a P won again, from about so many units.

    Attributes
    ----------
    law : str
        As the law names its own numbers; those of another one say nothing of it.
    units : str
        "groups", "rows" or another word of the law.
    training : str
        "fitted before"; "left out", the fits judged everywhere; or "left out, losses only".
    loss : str
        "log", "squared", "Brier", "absolute", or as losses name it.
    n_units : int
        Observed.
    low, high : float
        The band of P.
    won, standard_error : float
        The share that won again where as many new units were drawn, and its error over data sets.
    n_data_sets, n_pairs : int
    """

    law: str
    units: str
    training: str
    loss: str
    n_units: int
    low: float
    high: float
    won: float
    standard_error: float
    n_data_sets: int
    n_pairs: int


@dataclass(frozen=True)
class Coverage:
    """How often intervals held what they are of, in the place of 90 %.

    Attributes
    ----------
    law, units, training, loss : str
        As those of a `Cell`; of one data set units are "one data set".
    of : str
        "difference", or "risk" of one model.
    over : str
        "as many", "one" or "all" new units; of one data set "another place".
    n_units : int
    covered, standard_error : float
    n_data_sets : int
    """

    law: str
    units: str
    training: str
    loss: str
    of: str
    over: str
    n_units: int
    covered: float
    standard_error: float
    n_data_sets: int


# The level that was measured.
LEVEL = 0.90


Measured = TypeVar("Measured", Cell, Coverage)


@dataclass(frozen=True)
class OneDataSet:
    """What the sensitivity c has been on real data sets: ln c is normal, of pairs and of risks."""

    median_c: float
    sd_log_c: float
    risk_median_c: float
    risk_sd_log_c: float
    n_data_sets: int


def cell_for(recorded: Mapping[str, str], n_units: int, probability: float) -> Cell | None:
    """The cell that fits a result, if it was measured on enough data sets.

    Of the numbers of units that were tried the nearest, as a ratio, within a factor of 1.6; of
    more units than were tried the largest, which a sentence then says.
    """
    alike = [each for each in cells() if _is_of(each, recorded)]
    return _nearest([each for each in alike if each.low < probability <= each.high], n_units)


def coverage_for(
    recorded: Mapping[str, str], n_units: int, *, of: str, over: str
) -> Coverage | None:
    """How often such intervals held what they are of; the nearest number of units likewise."""
    alike = [each for each in coverage() if _is_of(each, recorded)]
    return _nearest([each for each in alike if (each.of, each.over) == (of, over)], n_units)


def _is_of(measured: Cell | Coverage, recorded: Mapping[str, str]) -> bool:
    asked = {**recorded, "loss": LOSSES.get(recorded["loss"], recorded["loss"])}
    return all(getattr(measured, name) == value for name, value in asked.items())


def _nearest(measured: Sequence[Measured], n_units: int) -> Measured | None:
    """That of the nearest number of units; None where none is near, or data sets are few."""
    enough = [one for one in measured if one.n_data_sets >= LEAST_DATA_SETS]
    near = [one for one in enough if one.n_units <= NEAR * n_units]
    found = min(near, key=lambda one: abs(one.n_units - n_units), default=None)
    most = max((one.n_units for one in enough), default=0)
    if found is None or (found.n_units < most and found.n_units * NEAR < n_units):
        return None
    return found


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All that was measured."""
    return tuple(_known(Cell, plain) for plain in _read()["cells"])


@lru_cache(maxsize=1)
def coverage() -> tuple[Coverage, ...]:
    """All that was measured of intervals."""
    return tuple(_known(Coverage, plain) for plain in _read()["intervals"])


@lru_cache(maxsize=1)
def one_data_set() -> OneDataSet:
    """The distribution of c on real data sets."""
    found: OneDataSet = _known(OneDataSet, _read()["one_data_set"])
    return found


def _known(kind: Any, plain: dict[str, Any]) -> Any:
    return kind(**{each.name: plain[each.name] for each in fields(kind)})


def _read() -> dict[str, Any]:
    text = files("rivals._result").joinpath("track_record.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
