"""Posteriors of NumPyro."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._types import FloatArray
from rivals.read.inputs import as_mapping, chosen


class NumpyroPosterior:
    """A model function, samples by name (or an MCMC that has run), and the arguments of the model by name."""

    seen: bool | None = None  # the model does not hold the data that it was fitted to

    def __init__(self, model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None) -> None:
        self._model = model
        self._samples = dict(draws if isinstance(draws, Mapping) else draws.get_samples())
        self._arguments = as_mapping(held_out, "NumPyro", "from the arguments of the model to values")
        self._function: Any = None
        self._variable, self._observed = self._what_is_observed(variable, observed)

    def log_likelihood(self, targets: npt.NDArray[Any] | None) -> FloatArray:
        given = self._arguments[self._observed]
        values = self._compiled()(given if targets is None else np.asarray(targets, dtype=np.asarray(given).dtype))
        return np.asarray(values, dtype=np.float64)

    def predict(self, seed: int) -> npt.NDArray[Any]:
        import jax

        infer: Any = import_module("numpyro.infer")
        predictive = infer.Predictive(self._model, self._samples, return_sites=[self._variable])
        arguments = self._arguments | {self._observed: None}
        predicted = np.asarray(predictive(jax.random.PRNGKey(seed), **arguments)[self._variable])
        shape = np.shape(self._arguments[self._observed])
        if predicted.shape[1:] != shape:
            raise ValueError(
                f"the model simulates {self._variable!r} in the shape {predicted.shape[1:]}, but {shape} was observed; say in the model how "
                "many points there are, whether they are observed or not: numpyro.plate('points', len(x))"
            )
        return predicted

    def _compiled(self) -> Any:
        """The log likelihood as a function of the observed values, compiled once for all simulations."""
        import jax

        infer: Any = import_module("numpyro.infer")
        if self._function is None:

            def of_targets(targets: Any) -> Any:
                arguments = self._arguments | {self._observed: targets}
                return infer.log_likelihood(self._model, self._samples, **arguments)[self._variable]

            self._function = jax.jit(of_targets)
        return self._function

    def _what_is_observed(self, variable: str | None, observed: str | None) -> tuple[str, str]:
        """The observed site, and the argument that holds its values."""
        import jax

        handlers: Any = import_module("numpyro.handlers")
        first = {name: values[0] for name, values in self._samples.items()}
        seeded = handlers.substitute(handlers.seed(self._model, jax.random.PRNGKey(0)), first)
        sites = handlers.trace(seeded).get_trace(**self._arguments)
        values = {
            name: site["value"] for name, site in sites.items() if site["type"] == "sample" and site["is_observed"]
        }
        variable = chosen(list(values), variable, "the observed variables of the model")
        if observed is None:
            same = [name for name, given in self._arguments.items() if _same(given, values[variable])]
            if len(same) != 1:
                raise ValueError(
                    f"the observed values of {variable!r} are {'none' if not same else 'several'} of the arguments "
                    f"{same or list(self._arguments)}; pass observed= the name of the argument that holds them"
                )
            (observed,) = same
        elif observed not in self._arguments:
            raise ValueError(f"held_out has no {show(observed)!r}; it has {list(self._arguments)}")
        return variable, observed


def _same(given: Any, value: Any) -> bool:
    return (
        given is not None
        and np.shape(given) == np.shape(value)
        and bool(np.all(np.asarray(given) == np.asarray(value)))
    )
