"""Posteriors of PyMC."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray


class PymcPosterior:
    """A model with `pymc.Data`, a tree with the group posterior, and held-out values by the names of the data."""

    def __init__(self, model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None) -> None:
        conditioning: Any = import_module("pymc.model.transform.conditioning")
        if held_out is None:
            held_out = {data.name: data.get_value() for data in model.data_vars}
        if not isinstance(held_out, Mapping):
            raise TypeError(
                f"held_out for PyMC is a mapping from the names of pymc.Data to values; got {type(held_out).__name__}"
            )
        self._variable = _choose([rv.name for rv in model.observed_RVs], variable)
        self._observed = observed or _data_behind(model, self._variable)
        self._check_names(model, held_out)
        own = np.asarray(model[self._observed].get_value())
        self._held_out = {name: np.asarray(values) for name, values in held_out.items()}
        self.seen: bool | None = np.array_equal(own, self._held_out[self._observed])
        self._posterior = draws["posterior"]
        # A copy of the model: the user's model keeps its data. Draws are untransformed, and so is the copy.
        self._model: Any = conditioning.remove_value_transforms(model)
        _set(self._model, self._held_out)
        self._function: Any = None

    def log_likelihood(self, targets: npt.NDArray[Any] | None) -> FloatArray:
        if targets is None:
            targets = self._held_out[self._observed]
        container = self._model[self._observed]
        container.set_value(np.asarray(targets, dtype=container.dtype))
        if self._function is None:
            self._function = self._model.compile_fn(
                inputs=self._model.value_vars,
                outs=self._model.logp(vars=[self._model[self._variable]], sum=False),
                on_unused_input="ignore",
            )
        points = self._points()
        n_draws = len(next(iter(points.values())))
        rows = [self._function({name: values[i] for name, values in points.items()})[0] for i in range(n_draws)]
        return np.asarray(np.stack(rows), dtype=np.float64)

    def predict(self, seed: int) -> npt.NDArray[Any]:
        pymc: Any = import_module("pymc")
        tree = pymc.sample_posterior_predictive(
            self._posterior, model=self._model, var_names=[self._variable], random_seed=seed, progressbar=False
        )
        values = tree["posterior_predictive"][self._variable].transpose("chain", "draw", ...).values
        return np.asarray(values.reshape(-1, *values.shape[2:]))

    def _points(self) -> dict[str, npt.NDArray[Any]]:
        found = {}
        for rv in self._model.free_RVs:
            if rv.name not in self._posterior:
                raise ValueError(f"the posterior has no draws of {rv.name!r}, a variable of the model")
            values = self._posterior[rv.name].transpose("chain", "draw", ...).values
            found[rv.name] = values.reshape(-1, *values.shape[2:])
        return found

    def _check_names(self, model: Any, held_out: Mapping[str, Any]) -> None:
        names = [data.name for data in model.data_vars]
        for name in held_out:
            if name not in names:
                raise ValueError(f"held_out: the model has no pymc.Data {show(name)!r}; it has {names}")
        if self._observed not in held_out:
            raise ValueError(
                f"held_out: no values of {self._observed!r}, which holds the observed {self._variable!r}; it has {sorted(held_out)}"
            )


def _choose(names: list[str], variable: str | None) -> str:
    if variable is None and len(names) == 1:
        return names[0]
    if variable in names:
        return str(variable)
    wrong = "no variable chosen" if variable is None else f"no observed variable {show(variable)!r}"
    raise ValueError(f"the model: {wrong}; pass variable= one of {names}")


def _data_behind(model: Any, variable: str) -> str:
    """The name of the `pymc.Data` that holds the observed values of a variable, perhaps cast to another type."""
    value = model.rvs_to_values[model[variable]]
    while value not in model.data_vars and value.owner is not None and len(value.owner.inputs) == 1:
        (value,) = value.owner.inputs
    if value not in model.data_vars:
        raise ValueError(
            f"the observed values of {variable!r} are fixed in the model and cannot be replaced; put them into a "
            f"container, observed=pymc.Data('{variable}_observed', ...), or pass observed= the name of theirs"
        )
    return str(value.name)


def _set(model: Any, data: Mapping[str, npt.NDArray[Any]]) -> None:
    """Put data into a model; the labels of a dimension that changes its length do not matter here, and become numbers."""
    pymc: Any = import_module("pymc")
    coords = {}
    for name, values in data.items():
        for dimension, length in zip(model.named_vars_to_dims.get(name, ()), values.shape, strict=False):
            labels = model.coords.get(dimension)
            if labels is not None and len(labels) != length:
                coords[dimension] = np.arange(length)
    pymc.set_data(dict(data), model=model, coords=coords or None)
