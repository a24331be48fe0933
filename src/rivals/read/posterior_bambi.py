"""Posteriors of Bambi."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray


class BambiPosterior:
    """A model, what its `fit` returned, and a data frame with the response."""

    def __init__(self, model: Any, draws: Any, held_out: Any, observed: str | None) -> None:
        if held_out is None:
            held_out = model.data
        self._model, self._draws, self._frame = model, draws, held_out
        self._response = observed or _response(model)
        if self._response not in getattr(held_out, "columns", ()):
            raise ValueError(
                f"held_out for Bambi is a data frame with the response {show(self._response)!r}; got "
                f"{list(getattr(held_out, 'columns', [])) or type(held_out).__name__}"
            )
        values = np.asarray(held_out[self._response])
        if values.dtype.kind not in "iufb":
            raise TypeError(
                f"held_out: the response {show(self._response)!r} holds {values.dtype}, but simulated data are numbers; code it as numbers "
                "before the fit, 0 and 1 for a binary one"
            )
        self.seen: bool | None = np.array_equal(np.asarray(model.data[self._response]), values)

    def log_likelihood(self, targets: npt.NDArray[Any] | None) -> FloatArray:
        frame = self._frame
        if targets is not None:
            frame = frame.assign(**{self._response: targets.astype(np.asarray(frame[self._response]).dtype)})
        tree = self._model.compute_log_likelihood(self._draws, data=frame, inplace=False)
        return _values(tree["log_likelihood"])

    def predict(self, seed: int) -> npt.NDArray[Any]:
        tree = self._model.predict(self._draws, kind="response", data=self._frame, inplace=False, random_seed=seed)
        return _values(tree["posterior_predictive"])


def _response(model: Any) -> str:
    # The attribute was renamed: 0.21 has response_term.
    term = getattr(model, "response_term", None) or model.response_component.term
    return str(term.name)


def _values(group: Any) -> FloatArray:
    """The one variable of a group, (draws, ...)."""
    (name,) = group.data_vars
    values = group[name].transpose("chain", "draw", ...).values
    return np.asarray(values.reshape(-1, *values.shape[2:]), dtype=np.float64)
