"""Posteriors of CmdStanPy, through the generated quantities of the Stan program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray
from rivals.read.inputs import as_mapping

LIKELIHOOD, OBSERVED, SIMULATED = "log_lik", "y", "_rep"


class StanPosterior:
    """A CmdStanModel, its CmdStanMCMC, and the data of the program for the held-out points."""

    seen: bool | None = None  # neither the model nor the fit holds the data in a form that we could read

    def __init__(self, model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None) -> None:
        self._model, self._draws, self._data = (
            model,
            draws,
            as_mapping(held_out, "CmdStanPy", "the data of the program"),
        )
        self._likelihood, self._observed = variable or LIKELIHOOD, observed or OBSERVED
        if self._observed not in self._data:
            raise ValueError(
                f"held_out has no {show(self._observed)!r}; it has {sorted(self._data)}; pass observed= the data that are observed"
            )

    def log_likelihood(self, targets: npt.NDArray[Any] | None) -> FloatArray:
        data = self._data if targets is None else self._data | {self._observed: self._as_given(targets)}
        # Other generated quantities are ignored, so any seed will do.
        return np.asarray(self._generate(data, self._likelihood, 1), dtype=np.float64)

    def predict(self, seed: int) -> npt.NDArray[Any]:
        return self._generate(self._data, self._observed + SIMULATED, seed)

    def _as_given(self, targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # CmdStan writes all numbers in one format, and does not accept 3.0 as an integer.
        given = np.asarray(self._data[self._observed])
        return np.asarray(targets.astype(given.dtype) if given.dtype.kind in "iu" else targets)

    def _generate(self, data: Mapping[str, Any], name: str, seed: int) -> npt.NDArray[Any]:
        found = self._model.generate_quantities(data=dict(data), previous_fit=self._draws, seed=seed)
        names = list(found.metadata.stan_vars)
        if name not in names:
            raise ValueError(
                f"the Stan program generates no {show(name)!r}; it generates {names}; it needs the log likelihood of each point of "
                f"{self._observed!r} ({self._likelihood!r}, or pass variable=), and data simulated in their place "
                f"({self._observed + SIMULATED!r})"
            )
        return np.asarray(found.stan_variable(name))
