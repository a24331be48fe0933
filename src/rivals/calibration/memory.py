"""Experiments of a study that has no store: kept in memory, and gone with the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rivals._types import BoolArray
from rivals._workers.jobs import Ended
from rivals.calibration.experiment import Outcome
from rivals.calibration.records import AT_EACH_C, NUMBERS, Failure, in_common, new_outcomes
from rivals.calibration.result import Calibration
from rivals.calibration.study import Study


class Memory:
    """What a study found so far; as `store.Store`, but nothing is sealed or fingerprinted."""

    path = ""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._about: dict[str, Any] | None = None
        self._failures: list[Failure] = []
        # One table for all epistemic distributions, and which rows of it have an outcome.
        n = study.n_experiments
        places = len(study.omegas)
        self._outcomes = new_outcomes(n * places, len(study.conditions.c))
        self._outcomes["omega"] = np.repeat(np.arange(places), n)
        self._outcomes["experiment"] = np.tile(np.arange(n), places)
        self._done = np.zeros(n * places, dtype=bool)

    def remaining(self, *, retry: bool = False) -> tuple[list[BoolArray], int]:
        """All experiments are still to be run, and none has failed."""
        n = self._study.n_experiments
        return [np.ones(n, dtype=bool) for _ in self._study.omegas], 0

    def write(self, ended: Sequence[Ended]) -> None:
        """Keep a block."""
        conditions = self._study.conditions
        outcomes = [each.result for each in ended if not each.error]
        self._about = in_common(self._about, outcomes, conditions.n_replications)
        for each in ended:
            if each.error:
                self._failures.append(Failure.of(each, conditions.entropy))
            else:
                self._keep(each.place, each.index, each.result)

    def _keep(self, place: int, index: int, outcome: Outcome) -> None:
        row = place * self._study.n_experiments + index
        for name in (*AT_EACH_C, *NUMBERS):
            self._outcomes[name][row] = getattr(outcome, name)
        self._done[row] = True

    def read(self) -> Calibration:
        """The calibration, in the order of the experiments."""
        study = self._study
        about = {"descriptions": study.descriptions, **(self._about or {})}
        return Calibration.of_study(
            {**study.conditions.plain(), "omegas": tuple(study.omegas)},
            n_wanted=study.n_experiments,
            failures=sorted(self._failures, key=lambda each: (each.omega, each.experiment)),
            about=about,
            outcomes=self._outcomes[self._done],
        )
