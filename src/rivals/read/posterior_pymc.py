"""Posteriors of PyMC."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray
from rivals.read.inputs import as_mapping, chosen


class PymcPosterior:
    """A model with `pymc.Data`, a tree with the group posterior, and held-out values by the names of the data."""

    def __init__(self, model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None) -> None:
        self._variable = chosen([rv.name for rv in model.observed_RVs], variable, "the observed variables of the model")
        self._observed = observed or _data_behind(model, self._variable)
        own = self._own_values(model)
        if held_out is None:
            held_out = {data.name: data.get_value() for data in model.data_vars}
        else:
            self._check_names(model, held_out, own)
        self._held_out = {name: np.asarray(values) for name, values in held_out.items()}
        self._targets = self._held_out.get(self._observed or "", own)
        self.seen: bool | None = np.array_equal(own, self._targets)
        self._posterior = draws["posterior"]
        # A copy of the model: the user's model keeps its data. Draws are untransformed, and so is the copy.
        self._model: Any = _untransformed(model)
        _set(self._model, self._held_out)
        self._function: Any = None

    def log_likelihood(self, targets: npt.NDArray[Any] | None) -> FloatArray:
        if self._function is None:
            self._function = self._compiled()
        self._container.set_value(
            np.asarray(self._targets if targets is None else targets, dtype=self._container.dtype)
        )
        points = self._points()
        n_draws = len(next(iter(points.values())))
        rows = [self._function({name: values[i] for name, values in points.items()})[0] for i in range(n_draws)]
        return np.asarray(np.stack(rows), dtype=np.float64)

    def _compiled(self) -> Any:
        """The log likelihood of a draw; values that are fixed in the model are put into a container here."""
        outputs = self._model.logp(vars=[self._model[self._variable]], sum=False)
        if self._observed is not None:
            self._container: Any = self._model[self._observed]
        else:
            value = self._model.rvs_to_values[self._model[self._variable]]
            self._container = import_module("pytensor").shared(self._targets, shape=value.type.shape)
            outputs = import_module("pytensor.graph.replace").clone_replace(outputs, {value: self._container})
        return self._model.compile_fn(inputs=self._model.value_vars, outs=outputs, on_unused_input="ignore")

    def _own_values(self, model: Any) -> npt.NDArray[Any]:
        """The values to which the model was fitted."""
        if self._observed is None:
            return np.asarray(model.rvs_to_values[model[self._variable]].data)
        names = [data.name for data in model.data_vars]
        if self._observed not in names:
            raise ValueError(f"observed: the model has no pymc.Data {show(self._observed)!r}; it has {names}")
        return np.asarray(model[self._observed].get_value())

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

    def _check_names(self, model: Any, held_out: Any, own: npt.NDArray[Any]) -> None:
        """All data that have a row for each point must be given anew, also where the new points are as many."""
        as_mapping(held_out, "PyMC", "from the names of pymc.Data to values")
        if self._observed is None:
            raise ValueError(
                f"the observed values of {self._variable!r} are fixed in the model and cannot be replaced; put them into a container, "
                f"observed=pymc.Data('{self._variable}_observed', ...), or judge the data in the model by leave_one_out=True"
            )
        names = [data.name for data in model.data_vars]
        for name in held_out:
            if name not in names:
                raise ValueError(f"held_out: the model has no pymc.Data {show(name)!r}; it has {names}")
        if self._observed not in held_out:
            raise ValueError(
                f"held_out: no values of {self._observed!r}, which holds the observed {self._variable!r}; it has {sorted(held_out)}"
            )
        for data in model.data_vars:
            if data.name not in held_out and np.shape(data.get_value())[:1] == own.shape[:1]:
                raise ValueError(
                    f"held_out: no values of {data.name!r}, which has a row for each of {len(own)} points in the model; pass those of the "
                    "held-out points, or the same again if its rows are not points"
                )


def _data_behind(model: Any, variable: str) -> str | None:
    """The name of the `pymc.Data` that holds the observed values of a variable, perhaps cast to another type; None if they are fixed."""
    value = model.rvs_to_values[model[variable]]
    while value not in model.data_vars and value.owner is not None and len(value.owner.inputs) == 1:
        (value,) = value.owner.inputs
    return str(value.name) if value in model.data_vars else None


def _untransformed(model: Any) -> Any:
    """A copy whose values are those of the draws. Where a model has initial values PyMC makes none, and they do not matter here."""
    conditioning: Any = import_module("pymc.model.transform.conditioning")
    before = model.rvs_to_initial_values
    model.rvs_to_initial_values = dict.fromkeys(before)
    try:
        return conditioning.remove_value_transforms(model)
    finally:
        model.rvs_to_initial_values = before


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
