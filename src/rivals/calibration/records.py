"""What is kept of experiments: a table of outcomes, the failures, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._workers.jobs import Ended
from rivals.calibration.experiment import Outcome

# What is kept of an outcome: numbers at each c, and one of each kind.
AT_EACH_C = ("probability", "standard_error", "score")
NUMBERS = ("risk_a", "risk_b", "truth_error", "truth")
# Of experiments none of which has finished.
NOTHING_KNOWN: Mapping[str, Any] = {
    "replicated": False,
    "n_candidates": 2,
    "candidates": [],
    "descriptions": {},
}


@dataclass(frozen=True)
class Failure:
    """An experiment that failed: how often it was tried, the seed that repeats it, and the error.

    Parameters
    ----------
    omega : int
        Place of the epistemic distribution.
    experiment : int
    attempts : int
    seed : str
    error, traceback : str

    See Also
    --------
    rivals.Calibration : lists the failures of a study.

    Examples
    --------
    >>> import rivals
    >>> def omega(rng):
    ...     raise RuntimeError("the fit did not converge")
    >>> calibration = rivals.calibrate(
    ...     omega,
    ...     n_data=100,
    ...     n_experiments=1,
    ...     c=[1.0],
    ...     n_truth=2000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> [(failure.experiment, failure.error) for failure in calibration.failures]
    [(0, 'RuntimeError: the fit did not converge')]
    """

    omega: int
    experiment: int
    attempts: int
    seed: str
    error: str
    traceback: str

    @classmethod
    def of(cls, ended: Ended, entropy: int | str) -> Failure:
        """The failure of an experiment in a study of this entropy."""
        key = f"({ended.place}, {ended.index})"
        return cls(
            ended.place,
            ended.index,
            attempts=ended.attempts,
            seed=f"numpy.random.SeedSequence({entropy}, spawn_key={key})",
            error=ended.error,
            traceback=ended.traceback,
        )


def new_outcomes(size: int, n_c: int) -> npt.NDArray[Any]:
    """Room for so many outcomes, not a number where nothing is written.

    `omega` is the place of the epistemic distribution.
    """
    kinds: list[Any] = [("omega", "i8"), ("experiment", "i8")]
    kinds += [(name, "f8", n_c) for name in AT_EACH_C]
    kinds += [(name, "f8") for name in NUMBERS]
    outcomes = np.zeros(size, dtype=kinds)
    for name in (*AT_EACH_C, *NUMBERS):
        outcomes[name] = np.nan
    outcomes["experiment"] = np.arange(size)
    return outcomes


def in_common(
    known: Mapping[str, Any] | None, outcomes: Sequence[Outcome], n_replications: int
) -> dict[str, Any] | None:
    """What is kept of experiments beside their numbers; None where nothing is known yet.

    All of them answer one question about as many candidates.
    """
    found = [] if known is None else [known]
    for each in outcomes:
        about = {
            "replicated": each.replicated,
            "n_candidates": each.n_candidates,
            "candidates": each.names,
        }
        found.append(about)
    if not found:
        return None
    replicated = {each["replicated"] for each in found}
    sizes = sorted({each["n_candidates"] for each in found})
    if False in replicated and n_replications > 1:
        raise ValueError(
            f"n_replications = {n_replications}, but an experiment has no replicate(n, rng); give "
            "it one, or leave n_replications out"
        )
    if len(replicated) > 1 or len(sizes) > 1:
        differing = f"experiments have {' and '.join(map(str, sizes))} candidates"
        if len(replicated) > 1:
            differing = "some experiments have a replicate and others do not"
        raise ValueError(
            f"{differing}, but those of a study answer one question about as many candidates; make "
            "them alike (replicate=observe if nothing varies), or run two studies"
        )
    names = {name for each in found for name in each["candidates"]}
    return {**found[0], "candidates": sorted(names)}
