"""What PyMC, Bambi, NumPyro and CmdStanPy can do with a model, its posterior and held-out
data, in one form.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import FloatArray
from rivals.read.inputs import as_mapping, chosen
from rivals.read.posterior_draws import groups_of

# NumPyro computes up to this many numbers of all draws at once, which spares two compilations, most
# of a second, for each fit; above, of one draw after another, which spares memory.
MOST_AT_ONCE = 1_000_000


class Program(NamedTuple):
    """A model and its posterior at held-out inputs.

    Parameters
    ----------
    observed : array
        The held-out targets.
    log_likelihood : callable
        From several such data sets to the log likelihood of each target for each posterior draw,
        (draws, ...), one data set after another.
    predict : callable
        From a seed to simulated targets, (draws, ...).
    seen : bool or None
        Whether these are the data that the model was fitted to, if that can be known.
    of_points : sequence of str
        Parameters with a value for each point.
    """

    observed: Any
    log_likelihood: Callable[[Sequence[Any]], Iterator[FloatArray]]
    predict: Callable[[int], npt.NDArray[Any]]
    seen: bool | None = None
    of_points: Sequence[str] = ()


def program(
    model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None
) -> Program:
    """The model by the means of its library."""
    libraries = {kind.__module__.partition(".")[0] for kind in type(model).__mro__}
    if libraries & {"pymc", "bambi"} and "posterior" not in groups_of(draws):
        raise TypeError(
            "draws: expected what pymc.sample or bambi.Model.fit returned, with the group "
            f"'posterior'; got {type(draws).__name__}"
        )
    if "pymc" in libraries:
        return _pymc(model, draws["posterior"], held_out, variable, observed)
    if "bambi" in libraries:
        return _bambi(model, draws, held_out, observed)
    if "cmdstanpy" in libraries:
        return _stan(model, draws, held_out, variable or "log_lik", observed or "y")
    known = isinstance(draws, Mapping) or hasattr(draws, "get_samples") or groups_of(draws)
    if callable(model) and known:
        return _numpyro(model, draws, held_out, variable, observed)
    raise TypeError(
        "expected a model of PyMC, Bambi or CmdStanPy, or a function of NumPyro with its "
        f"samples; got {type(model).__name__} and {type(draws).__name__}; log likelihoods "
        "of your own are read by arviz_tree"
    )


def _pymc(
    model: Any, posterior: Any, held_out: Any, variable: str | None, observed: str | None
) -> Program:
    """A model with `pymc.Data`, its draws, and held-out values by the names of the data."""
    variables = [each.name for each in model.observed_RVs]
    variable = chosen(variables, variable, "the observed variables of the model")
    data = {each.name: np.asarray(each.get_value()) for each in model.data_vars}
    observed = observed or _data_behind(model, variable)
    if observed is None:
        own = np.asarray(model.rvs_to_values[model[variable]].data)
    elif observed in data:
        own = data[observed]
    else:
        raise ValueError(
            f"observed: the model has no pymc.Data {show(observed)!r}; it has {list(data)}"
        )
    if held_out is not None:
        held_out = as_mapping(held_out, "PyMC", "from the names of pymc.Data to values")
        _check_names(data, held_out, variable, observed)
        data = {name: np.asarray(values) for name, values in held_out.items()}
    targets = own if observed is None else data[observed]
    # A copy of the model: the user's model keeps its data. Draws are untransformed, and so is
    # the copy.
    twin = _untransformed(model)
    _set(twin, data)
    container, function = _compiled(twin, variable, observed, own)
    missing = [each.name for each in twin.free_RVs if each.name not in posterior]
    if missing:
        raise ValueError(
            f"draws: no draws of {missing}, which the model has; pass those of this model's "
            "sampling"
        )
    points = {each.name: _draws(posterior[each.name]) for each in twin.free_RVs}

    def log_likelihood(values: Any) -> FloatArray:
        kept = np.asarray(values, dtype=container.dtype)
        if kept.dtype.kind in "iub" and np.any(kept != values):
            raise TypeError(
                f"{variable!r} simulates numbers that are no integers, but the model holds its "
                f"data as {kept.dtype}; put floats into pymc.Data"
            )
        container.set_value(kept)
        rows = []
        for draw in zip(*points.values(), strict=True):
            point = dict(zip(points, draw, strict=True))
            rows.append(function(point)[0])
        return np.asarray(np.stack(rows), dtype=np.float64)

    def predict(seed: int) -> npt.NDArray[Any]:
        tree = import_module("pymc").sample_posterior_predictive(
            posterior, model=twin, var_names=[variable], random_seed=seed, progressbar=False
        )
        return _draws(tree["posterior_predictive"][variable])

    of_points = [name for name, values in points.items() if values.shape[1:] == np.shape(targets)]
    seen = np.array_equal(own, targets)
    return Program(targets, partial(map, log_likelihood), predict, seen, of_points)


def _compiled(model: Any, variable: str, observed: str | None, own: Any) -> tuple[Any, Any]:
    """The container of the observed values, and the log likelihood of each as a function of the
    parameters. Values that are fixed in the model are put into a container here.
    """
    outputs = model.logp(vars=[model[variable]], sum=False)
    if observed is not None:
        container = model[observed]
    else:
        value = model.rvs_to_values[model[variable]]
        container = import_module("pytensor").shared(own, shape=value.type.shape)
        replacing = import_module("pytensor.graph.replace")
        outputs = replacing.clone_replace(outputs, {value: container})
    function = model.compile_fn(inputs=model.value_vars, outs=outputs, on_unused_input="ignore")
    return container, function


def _check_names(
    data: Mapping[str, Any], held_out: Mapping[str, Any], variable: str, observed: str | None
) -> None:
    """All data that have a row for each point must be given anew, also where the new points
    are as many.
    """
    if observed is None:
        raise ValueError(
            f"the observed values of {variable!r} are fixed in the model; put them into "
            f"pymc.Data('{variable}_observed', ...), or pass leave_one_out=True"
        )
    for name in held_out:
        if name not in data:
            raise ValueError(
                f"held_out: the model has no pymc.Data {show(name)!r}; it has {list(data)}"
            )
    for name, values in data.items():
        if name not in held_out and values.shape[:1] == data[observed].shape[:1]:
            raise ValueError(
                f"held_out: no values of {name!r}, which has a row for each of "
                f"{len(values)} points in the model; pass them, or the same again"
            )


def _data_behind(model: Any, variable: str) -> str | None:
    """The name of the `pymc.Data` that holds the observed values of a variable, perhaps
    cast to another type; None if they are fixed.
    """
    value = model.rvs_to_values[model[variable]]
    while value not in model.data_vars and value.owner is not None and len(value.owner.inputs) == 1:
        (value,) = value.owner.inputs
    return str(value.name) if value in model.data_vars else None


def _untransformed(model: Any) -> Any:
    """A copy whose values are those of the draws. Where a model has initial values PyMC
    makes none, and they do not matter here.
    """
    conditioning: Any = import_module("pymc.model.transform.conditioning")
    before = model.rvs_to_initial_values
    model.rvs_to_initial_values = dict.fromkeys(before)
    try:
        return conditioning.remove_value_transforms(model)
    finally:
        model.rvs_to_initial_values = before


def _set(model: Any, data: Mapping[str, npt.NDArray[Any]]) -> None:
    """Put data into a model; the labels of a dimension that changes its length do not
    matter here, and become numbers.
    """
    coords = {}
    for name, values in data.items():
        for dimension, length in zip(
            model.named_vars_to_dims.get(name, ()), values.shape, strict=False
        ):
            labels = model.coords.get(dimension)
            if labels is not None and len(labels) != length:
                coords[dimension] = np.arange(length)
    import_module("pymc").set_data(dict(data), model=model, coords=coords or None)


def _bambi(model: Any, draws: Any, held_out: Any, observed: str | None) -> Program:
    """A model, what its `fit` returned, and a data frame with the response."""
    frame = model.data if held_out is None else held_out
    # The attribute was renamed: 0.21 has response_term.
    term = getattr(model, "response_term", None) or model.response_component.term
    response = observed or str(term.name)
    if response not in getattr(frame, "columns", ()):
        raise ValueError(
            f"held_out for Bambi is a data frame with the response {show(response)!r}; got "
            f"{list(getattr(frame, 'columns', [])) or type(frame).__name__}"
        )
    targets = np.asarray(frame[response])
    if targets.dtype.kind not in "iufb":
        raise TypeError(
            f"held_out: the response {show(response)!r} holds {targets.dtype}; code it as "
            "numbers before the fit, 0 and 1 for a binary one"
        )

    def log_likelihood(values: Any) -> FloatArray:
        tree = model.compute_log_likelihood(
            draws, data=frame.assign(**{response: values}), inplace=False
        )
        return _draws(*tree["log_likelihood"].data_vars.values())

    def predict(seed: int) -> npt.NDArray[Any]:
        tree = model.predict(draws, kind="response", data=frame, inplace=False, random_seed=seed)
        return _draws(*tree["posterior_predictive"].data_vars.values())

    seen = np.array_equal(np.asarray(model.data[response]), targets)
    return Program(targets, partial(map, log_likelihood), predict, seen)


def _draws(variable: Any) -> npt.NDArray[Any]:
    """The values of a variable of a tree, (draws, ...)."""
    values = variable.transpose("chain", "draw", ...).values
    return np.asarray(values.reshape(-1, *values.shape[2:]))


def _numpyro(
    model: Any, draws: Any, held_out: Any, variable: str | None, observed: str | None
) -> Program:
    """A model function, samples by name (or an MCMC that has run), and the arguments of the
    model by name.
    """
    jax: Any = import_module("jax")
    infer: Any = import_module("numpyro.infer")
    samples = _samples(draws)
    arguments = as_mapping(held_out, "NumPyro", "from the arguments of the model to values")
    site, argument, of_points = _what_is_observed(model, samples, arguments, variable, observed)

    shape = np.shape(arguments[argument])
    n_draws = max((len(values) for values in samples.values()), default=0)

    n_numbers = n_draws * math.prod(shape)

    def at_once(n_data_sets: int) -> bool:
        return bool(n_data_sets * n_numbers <= MOST_AT_ONCE)

    def of_targets(values: Any, *, parallel: bool = False) -> Any:
        given = arguments | {argument: values}
        return infer.log_likelihood(model, samples, parallel=parallel, **given)[site]

    compiled = jax.jit(of_targets)  # once for all simulations

    def log_likelihood(data_sets: Sequence[Any]) -> Iterator[FloatArray]:
        if at_once(len(data_sets)):
            of_all = jax.vmap(partial(of_targets, parallel=True))
            yield from np.asarray(of_all(np.stack(data_sets)), dtype=np.float64)
        else:
            for values in data_sets:
                yield np.asarray(compiled(values), dtype=np.float64)

    def predict(seed: int) -> npt.NDArray[Any]:
        predictive = infer.Predictive(model, samples, return_sites=[site], parallel=at_once(1))
        predicted = np.asarray(
            predictive(jax.random.PRNGKey(seed), **arguments | {argument: None})[site]
        )
        if predicted.shape[1:] != shape:
            raise ValueError(
                f"the model simulates {site!r} in the shape {predicted.shape[1:]}, but "
                f"{shape} was observed; count points by numpyro.plate('points', len(x))"
            )
        return predicted

    return Program(arguments[argument], log_likelihood, predict, None, of_points)


def fingerprint(draws: Any) -> str:
    """A text that draws of two fits share only if they are the same to the last bit; "" of draws of
    another kind.
    """
    if hasattr(draws, "stan_variables"):
        values = draws.stan_variables()
    elif isinstance(draws, Mapping) or hasattr(draws, "get_samples") or groups_of(draws):
        values = _samples(draws)
    else:
        return ""
    digest = hashlib.sha256()
    for name in sorted(values):
        digest.update(np.ascontiguousarray(values[name]).tobytes())
    return digest.hexdigest()


def _samples(draws: Any) -> dict[str, Any]:
    """Draws by name, (draws, ...): of a tree of ArviZ, an MCMC that has run, or as they are."""
    if "posterior" in groups_of(draws):
        group = getattr(draws["posterior"], "dataset", draws["posterior"])
        return {str(name): _draws(values) for name, values in group.data_vars.items()}
    return dict(draws if isinstance(draws, Mapping) else draws.get_samples())


def _what_is_observed(
    model: Any,
    samples: Mapping[str, Any],
    arguments: Mapping[str, Any],
    variable: str | None,
    observed: str | None,
) -> tuple[str, str, list[str]]:
    """The observed site of a model of NumPyro, the argument that holds its values, and the sites
    drawn for each of them.
    """
    handlers: Any = import_module("numpyro.handlers")
    first = {name: values[0] for name, values in samples.items()}
    seeded = handlers.substitute(handlers.seed(model, 0), first)
    sites = handlers.trace(seeded).get_trace(**arguments)
    drawn = {name: site for name, site in sites.items() if site["type"] == "sample"}
    values = {name: site["value"] for name, site in drawn.items() if site["is_observed"]}
    variable = chosen(list(values), variable, "the observed variables of the model")
    if not np.all(getattr(drawn[variable]["fn"], "_mask", True)):
        raise ValueError(
            f"the model masks some of the observed {variable!r}, and a masked point has no loss; "
            "leave these points out of held_out"
        )
    parameters = {name: site for name, site in drawn.items() if name in samples}
    for name, site in parameters.items():
        if np.shape(first[name]) != site["fn"].shape():
            raise ValueError(
                f"draws: one of {name!r} has shape {np.shape(first[name])}, in the model "
                f"{site['fn'].shape()}; pass get_samples() without group_by_chain"
            )
    argument = _argument_of(variable, values[variable], arguments, observed)
    shape = np.shape(values[variable])
    of_points = [name for name in parameters if np.shape(first[name]) == shape]
    return variable, argument, of_points


def _argument_of(
    variable: str, values: Any, arguments: Mapping[str, Any], observed: str | None
) -> str:
    """The argument that holds the observed values, as they are."""
    missing = np.isnan(np.asarray(values, dtype=np.float64))
    if missing.any():
        raise ValueError(
            f"{missing.sum()} of {missing.size} observed values of {variable!r} are NaN; leave "
            "these points out"
        )
    if observed is None:
        same = [name for name, given in arguments.items() if np.array_equal(given, values)]
        if len(same) != 1:
            how_many = "several" if same else "none"
            raise ValueError(
                f"the observed values of {variable!r} are {how_many} of the arguments "
                f"{same or list(arguments)}; pass observed= its name"
            )
        observed = same[0]
    if observed not in arguments:
        raise ValueError(f"held_out has no {show(observed)!r}; it has {list(arguments)}")
    given = arguments[observed]
    same_shape = np.shape(given) == np.shape(values)
    if not same_shape or not np.allclose(given, values, equal_nan=True):
        raise ValueError(
            f"the model observes {variable!r} as other values than those of {observed!r}; "
            "transform them before, and pass the result for all models"
        )
    return observed


def _stan(model: Any, draws: Any, held_out: Any, likelihood: str, observed: str) -> Program:
    """A CmdStanModel, its CmdStanMCMC, and the data of the program for the held-out points;
    by its generated quantities.
    """
    data = as_mapping(held_out, "CmdStanPy", "the data of the program")
    if observed not in data:
        raise ValueError(
            f"held_out has no {show(observed)!r}; it has {sorted(data)}; pass observed= one of them"
        )
    simulated = f"{observed}_rep"

    def generate(values: Any, name: str, seed: int) -> npt.NDArray[Any]:
        found = model.generate_quantities(
            data=data | {observed: values}, previous_fit=draws, seed=seed
        )
        names = list(found.metadata.stan_vars)
        if name not in names:
            raise ValueError(
                f"the Stan program generates no {show(name)!r}; it generates {names}; it "
                f"needs the log likelihood of each point of {observed!r} ({likelihood!r}, "
                f"or pass variable=), and data simulated in their place ({simulated!r})"
            )
        return np.asarray(found.stan_variable(name))

    def log_likelihood(values: Any) -> FloatArray:
        # Other generated quantities are ignored, so any seed will do.
        return np.asarray(generate(values, likelihood, 1), dtype=np.float64)

    return Program(
        data[observed],
        partial(map, log_likelihood),
        lambda seed: generate(data[observed], simulated, seed),
    )
