"""The outcomes of many experiments: a structured array with one row each, and their records, one row for each c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals.calibration.experiment import is_undecided

# What is kept of an outcome.
AT_EACH_C = ("probability", "standard_error", "score")
NUMBERS = ("risk_a", "risk_b", "truth_error", "truth")

FIELDS = ("omega", "experiment", "c", *AT_EACH_C, "truly_better", "undecided", "truth", "risk_a", "risk_b", "truth_error")  # fmt: skip
KINDS = {"experiment": "i8", "truly_better": "?", "undecided": "?"}


def new_outcomes(size: int, n_c: int) -> npt.NDArray[Any]:
    """Room for so many outcomes, not a number where nothing is written; `omega` is the place of the epistemic distribution."""
    kinds: list[Any] = [("omega", "i8"), ("experiment", "i8"), *((name, "f8", n_c) for name in AT_EACH_C)]
    outcomes = np.zeros(size, dtype=kinds + [(name, "f8") for name in NUMBERS])
    for name in (*AT_EACH_C, *NUMBERS):
        outcomes[name] = np.nan
    outcomes["experiment"] = np.arange(size)
    return outcomes


def records_of(outcomes: npt.NDArray[Any], omegas: Sequence[str], c: Sequence[float]) -> npt.NDArray[Any]:
    """One row per experiment and c."""
    kinds = {"omega": f"U{max(len(name) for name in omegas)}", **KINDS}
    rows = np.empty((outcomes.size, len(c)), dtype=[(name, kinds.get(name, "f8")) for name in FIELDS])
    risks = [outcomes[name] for name in ("risk_a", "risk_b", "truth_error")]
    known = np.isfinite(risks[2])
    rows["omega"], rows["c"] = np.array(omegas)[outcomes["omega"]][:, None], c
    rows["truly_better"] = np.where(known, risks[0] < risks[1], outcomes["truth"] > 0.5)[:, None]
    rows["undecided"] = np.where(known, is_undecided(*risks), outcomes["truth"] == 0.5)[:, None]
    for name in AT_EACH_C:
        rows[name] = outcomes[name]
    for name in ("experiment", *NUMBERS):
        rows[name] = outcomes[name][:, None]
    return rows.ravel()
