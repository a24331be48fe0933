"""Building blocks of an epistemic distribution from candidates and one data set: what varies between replications.

`replications(models, data, offset=0.1)` is an epistemic distribution. Each experiment that it makes is a *problem*: which
candidate makes the data, which pair of candidates is judged, and how large each variation is. Each *replication* of it
draws its own variations. The problem must vary, too: for a fixed problem, a fresh replication is independent of the data
at hand, and B would carry no information.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_positive, check_size
from rivals._say.samples import as_numbers
from rivals._say.words import show
from rivals._types import FloatArray, IntArray, Model
from rivals.calibration.experiment import Experiment
from rivals.models import check_model, models_in_turn

# The size of a variation is not known exactly either: it is log-uniform within this factor of the size given.
WITHIN = 2.0
# Outliers are errors of Student's t distribution with this many degrees of freedom, times this many standard deviations
# of the response: heavy tails of finite variance, so that the risk under a squared loss exists.
OUTLIER_FREEDOM, OUTLIER_SCALE = 3.0, 3.0
MOST_OUTLIERS = 0.5

Parameters: TypeAlias = Callable[[np.random.Generator], Model]
Design: TypeAlias = Literal["resample"] | Callable[[Any, np.random.Generator], Any]
Get: TypeAlias = Callable[[Any], npt.ArrayLike]
Set: TypeAlias = Callable[[Any, FloatArray], Any]


def replications(
    models: Mapping[str, Model],
    data: Any,
    *,
    source: str | Mapping[str, float] | None = None,
    offset: float = 0.0,
    gain: float = 0.0,
    noise: float = 0.0,
    outliers: float = 0.0,
    drift: float = 0.0,
    parameters: Mapping[str, Parameters] | Parameters | None = None,
    design: Design | None = None,
    residuals: Mapping[str, npt.ArrayLike] | None = None,
    response: tuple[Get, Set] | None = None,
    n_candidates: int | None = None,
) -> Replications:
    """An epistemic distribution from candidates and one data set, defined by what varies between replications.

    State what you expect to differ between your experiment and a repetition by someone else, and by how much. Sizes are
    typical values, in standard deviations of the response of `data`; for each problem they are drawn within a factor of 2.

    Parameters
    ----------
    models : mapping
        Name → candidate. Each problem judges all of them, in random order, or `n_candidates` of them.
    data : array or tuple
        The data set: a vector; a tuple (inputs, ..., response); or a matrix whose rows or columns are points (as many as a model has
        losses), the response last. Anything else with `response`. The candidates simulate data of the same form.
    source : str or mapping, optional
        Which candidate makes the data. None: one of them, drawn for each problem. A mapping name → weight: drawn with
        these weights. A name: always that one. "mixture": every candidate generates a fraction of the points, drawn for each problem; no
        candidate is then exactly right.
    offset : float
        A replication shifts all responses by the same amount, N(0, (offset·sd)²): a calibration constant, a batch effect.
    gain : float
        A replication multiplies all responses by 1 + N(0, gain²): an amplifier, a unit of measurement, a dose. It acts about
        zero, so zero must mean something.
    noise : float
        A replication adds Gaussian noise of standard deviation |N(0, noise²)|·sd: an instrument that is noisier than the
        candidates assume. (Noise is only added; fit the candidates to good data.)
    outliers : float
        In a replication a fraction |N(0, outliers²)| of the points, at most half, is shifted by heavy-tailed errors (Student's t
        with 3 degrees of freedom, times 3 sd): mistakes, artefacts, atypical subjects.
    drift : float
        A replication adds a linear trend over the order of its points, N(0, (drift·sd)²) in total: warming up, bleaching,
        fatigue. For data in the order of measurement.
    parameters : mapping or callable, optional
        Name → function from a generator to a candidate: the source of this name with parameters drawn within the
        covariance of its fit. (One function: whatever the source.) Each replication draws its own parameters: subjects, samples or sites differ as much as the
        fit is uncertain.
    design : "resample" or callable, optional
        "resample": a replication measures at other inputs: as many rows as `data` has, drawn from the rows with
        replacement. Or a function (data, rng) → data of the same size, called once per replication on simulated data, to pick
        rows unevenly (a covariate shift) or to disturb the recorded inputs.
    residuals : mapping, optional
        Name → residuals of `data` under the candidate of this name, response minus fitted value. The data of a source are
        then its fitted values plus residuals drawn with replacement: observed errors in place of the noise model of the candidate.
        Each replication draws from its own sample of these residuals.
    response : pair of callables, optional
        (get, set) for data of another form: `get(data)` returns the responses as a vector, `set(data, responses)` returns
        new data with these responses.
    n_candidates : int, optional
        How many candidates a problem judges; all models by default. The threshold for the best of k models is learned from
        problems with k candidates; with 2, which costs least, there are only pairs.

    Returns
    -------
    Replications
        A function from a generator to an `Experiment`, to be given to `calibrate`.

    Notes
    -----
    The response is changed as a real number, so counts and labels would not remain counts and labels: use `parameters`, `design` or
    `source="mixture"` for them.

    A candidate with fixed inputs returns as many points as `data` has, whatever n. Use it with `n_data` and `n_truth` of that
    size, or with `design="resample"`, which combines several such simulations.

    See Also
    --------
    rivals.calibrate : runs the experiments.
    Experiment : one of them, to be written by hand if the building blocks are not enough.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds.toys import gaussian
    >>> y = np.random.default_rng(0).standard_normal(200)
    >>> models = {"low": gaussian(-0.1), "high": gaussian(0.1)}
    >>> omega = rivals.calibration.replications(models, y, source="mixture", offset=0.05)
    >>> calibration = rivals.calibrate(
    ...     omega,
    ...     n_data=200,
    ...     n_experiments=16,
    ...     n_truth=500,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> calibration.question
    'which candidate is better in a fresh replication'
    """
    by_name = {
        name: check_model(model, f"model '{show(name)}': ")
        for name, model in models_in_turn(models)
    }
    form = form_of(data, response, next(iter(by_name.values())))
    given = {"offset": offset, "gain": gain, "noise": noise, "outliers": outliers, "drift": drift}
    omega = Replications(
        models=by_name,
        data=data,
        form=form,
        weights=_weights(source, by_name),
        sizes={name: check_positive(value, name, or_zero=True) for name, value in given.items()},
        parameters=_parameters(parameters, by_name),
        design=design,
        residuals=_residuals(residuals, form.get(data), by_name),
        n_candidates=len(by_name)
        if n_candidates is None
        else check_size(n_candidates, "n_candidates", least=2),
    )
    _check(omega)
    return omega


@dataclass(frozen=True, eq=False)
class Replications:
    """An epistemic distribution made by `replications`, which explains and checks the parameters.

    Parameters
    ----------
    models : mapping
    data : object
    form : object
        How the responses and the points of the data are reached.
    weights : mapping or None
        Of each source; None where they are drawn for each problem ("mixture").
    sizes : mapping
        Of each variation of the response.
    parameters, residuals : mapping
    design : "resample", callable or None
    n_candidates : int
        Candidates of a problem, drawn from the models.

    See Also
    --------
    replications : makes it, and explains its blocks.

    Examples
    --------
    >>> from rivals.testbeds.toys import gaussian
    >>> y = np.random.default_rng(0).standard_normal(200)
    >>> omega = replications({"low": gaussian(-0.1), "high": gaussian(0.1)}, y, offset=0.05)
    >>> omega(np.random.default_rng(1)).observe(5, np.random.default_rng(2)).shape
    (5,)
    """

    models: Mapping[str, Model]
    data: Any
    form: Form
    weights: Mapping[str, float] | None
    sizes: Mapping[str, float]
    parameters: Mapping[str, Parameters]
    design: Design | None
    residuals: Mapping[str, FloatArray]
    n_candidates: int = 2

    @property
    def description(self) -> str:
        """What varies, in a line."""
        parts = [f"{name} {size:g}" for name, size in self.sizes.items() if size]
        parts += [name for name in ("parameters", "residuals") if getattr(self, name)]
        parts += (
            []
            if self.design is None
            else [f"design {self.design if self.design == 'resample' else 'changed'}"]
        )
        return f"replications with {', '.join(parts)}"

    def __repr__(self) -> str:
        return f"<{self.description}, of {', '.join(map(show, self.models))}>"

    def __call__(self, rng: np.random.Generator) -> Experiment:
        """Draw a problem."""
        names = list(self.models)
        if self.weights is None:
            source = dict(zip(names, rng.dirichlet(np.ones(len(names))).tolist(), strict=True))
        else:
            source = {str(rng.choice(list(self.weights), p=list(self.weights.values()))): 1.0}
        judged = {
            names[place]: self.models[names[place]]
            for place in rng.permutation(len(names))[: self.n_candidates]
        }
        strength = {
            name: size * WITHIN ** rng.uniform(-1.0, 1.0) for name, size in self.sizes.items()
        }
        measure = partial(self.measure, source, strength)
        return Experiment(observe=measure, candidates=judged, replicate=measure)

    def measure(
        self,
        source: Mapping[str, float],
        strength: Mapping[str, float],
        n: int,
        rng: np.random.Generator,
    ) -> Any:
        """Data of one replication of a problem, with its own variations."""
        form = self.form
        rows = self._rows(n, rng)
        parts = [self._made_by(name, n, rows, rng) for name in source]
        # Each point comes from one source, drawn by its weight.
        data = (
            form.pick(parts, rng.choice(len(parts), size=n, p=list(source.values())))
            if len(parts) > 1
            else parts[0]
        )
        if callable(self.design):
            data = self.design(data, rng)
            form.check_size(data, n, "design(data, rng) gave")
        if not any(strength.values()):
            return data
        return form.set(
            data, vary(form.get(data), strength, float(np.std(form.get(self.data))), rng)
        )

    def _rows(self, n: int, rng: np.random.Generator) -> IntArray:
        """Which row of the design each point is at: the design is repeated as often as needed."""
        n_rows = self.form.get(self.data).size
        rows = rng.integers(0, n_rows, n_rows) if self.design == "resample" else np.arange(n_rows)
        return np.resize(rows, n)

    def _made_by(self, name: str, n: int, rows: IntArray, rng: np.random.Generator) -> Any:
        """Data of n points that one source makes in this replication."""
        form = self.form
        if name in self.residuals:
            residuals = self.residuals[name]
            # A replication has its own errors, a sample of those observed; its points are drawn from these.
            errors = rng.choice(rng.choice(residuals, residuals.size), n)
            fitted = form.get(self.data) - residuals
            return form.set(form.take(self.data, rows), fitted[rows] + errors)
        model = self.models[name]
        if name in self.parameters:
            model = check_model(self.parameters[name](rng), f"parameters of '{show(name)}': ")
        if self.design != "resample":
            data = model.simulate(n, rng)
            form.check_size(data, n, f"model '{show(name)}' simulated")
            return data
        # Candidates may be tied to the design: let them simulate the whole design as often as needed, and take the rows drawn.
        n_rows = form.get(self.data).size
        simulations = [model.simulate(n_rows, rng) for _ in range(-(-n // n_rows))]
        for data in simulations:
            form.check_size(data, n_rows, f"model '{show(name)}' simulated")
        responses = np.concatenate([form.get(data)[rows[:n_rows]] for data in simulations])
        return form.set(form.take(simulations[0], rows), responses[:n])


def vary(
    response: FloatArray, strength: Mapping[str, float], deviation: float, rng: np.random.Generator
) -> FloatArray:
    """The responses of a replication: each variation drawn once, with the given strength.

    Examples
    --------
    >>> vary(np.zeros(3), {"offset": 1.0}, 2.0, np.random.default_rng(0)).round(3)
    array([0.251, 0.251, 0.251])
    """
    varied = np.array(response)
    drawn = {name: size * rng.standard_normal() for name, size in strength.items() if size > 0.0}
    varied *= 1.0 + drawn.get("gain", 0.0)
    varied += deviation * drawn.get("offset", 0.0)
    if "drift" in drawn:
        varied += deviation * drawn["drift"] * np.linspace(-0.5, 0.5, varied.size)
    if "noise" in drawn:
        varied += deviation * abs(drawn["noise"]) * rng.standard_normal(varied.size)
    if "outliers" in drawn:
        hit = rng.random(varied.size) < min(abs(drawn["outliers"]), MOST_OUTLIERS)
        varied[hit] += OUTLIER_SCALE * deviation * rng.standard_t(OUTLIER_FREEDOM, int(hit.sum()))
    return varied


# ---------------------------------------------------------------- forms of data


def form_of(data: Any, response: tuple[Get, Set] | None, model: Model) -> Form:
    """The form of a data set. Whether the points of a matrix are its rows or its columns, the losses of a model on it tell.

    Examples
    --------
    >>> from rivals.testbeds.toys import gaussian
    >>> form_of(np.zeros(3), None, gaussian()).set(np.zeros(3), np.ones(3))
    array([1., 1., 1.])
    """
    if response is not None:
        if len(response) != 2 or not all(callable(function) for function in response):
            raise TypeError(
                f"response must be a pair of functions (get, set): got {show(repr(response))}"
            )
        return Form(partial(_whole, response[0]), partial(_replaced, response[1]), has_points=False)
    if isinstance(data, tuple) and len(data) > 1:
        return Form(_parts, tuple)
    if isinstance(data, np.ndarray) and data.ndim == 2 and min(data.shape) > 1:
        n_points, (rows, columns) = np.size(model.loss(data)), data.shape
        if n_points == rows:
            return Form(np.transpose, np.column_stack)
        if n_points == columns:
            return Form(tuple, np.stack)
    if np.ndim(data) == 1 and not isinstance(data, tuple):
        return Form(np.atleast_2d, np.concatenate)
    raise TypeError(
        f"data of an unknown form: {type(data).__name__} of shape {np.shape(data) if not isinstance(data, tuple) else len(data)}; pass a "
        "vector, (inputs, response), a matrix with the response in its last column (or row, where columns are points), or response=(get, set)"
    )


@dataclass(frozen=True)
class Form:
    """Data as columns, of which the last is the response: how to take them apart, and how to join them again.

    Where only the user's functions understand the data, the columns are the data as a whole and the response. Such data have no
    points that could be selected: the inputs of all sources must be the same.
    """

    split: Callable[[Any], Any]
    join: Callable[[Any], Any]
    has_points: bool = True

    def get(self, data: Any) -> FloatArray:
        """The responses."""
        return as_vector(self.split(data)[-1])

    def set(self, data: Any, response: FloatArray) -> Any:
        """The same data with other responses."""
        return self.join((*self.split(data)[:-1], response))

    def take(self, data: Any, rows: IntArray) -> Any:
        """Some points."""
        if self.has_points:
            return self.join(tuple(_rows(column, rows) for column in self.split(data)))
        if not np.array_equal(rows, np.arange(self.get(data).size)):
            raise ValueError(
                f"rows cannot be selected from data of a custom form: {rows.size} points were requested; use as many for "
                "n_data and n_truth as the data have"
            )
        return data

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        """Point i of `parts[which[i]]`, for every i."""
        if self.has_points:
            return self.join(
                tuple(
                    _mixed(columns, which) for columns in zip(*map(self.split, parts), strict=True)
                )
            )
        return self.set(parts[0], np.choose(which, [self.get(part) for part in parts]))

    def check_size(self, data: Any, n: int, what: str) -> None:
        """Refuse data of another size than requested."""
        size = self.get(data).size
        if size != n:
            raise ValueError(
                f"{what} {size} points where {n} were asked for; if candidates are tied to the inputs of the data, use as many "
                "points for n_data and n_truth, or design='resample'"
            )


def _whole(get: Get, data: Any) -> tuple[Any, Any]:
    return data, get(data)


def _replaced(set: Set, columns: tuple[Any, FloatArray]) -> Any:
    return set(*columns)


def _parts(data: Any) -> tuple[Any, ...]:
    if not isinstance(data, (tuple, list)) or len(data) < 2:
        raise TypeError(
            f"expected data of the form (inputs, ..., response): got {type(data).__name__}"
        )
    return tuple(data)


def _rows(column: Any, rows: IntArray) -> Any:
    return column.iloc[rows] if hasattr(column, "iloc") else np.asarray(column)[rows]


def _mixed(columns: Sequence[Any], which: IntArray) -> Any:
    """Row i of `columns[which[i]]`, for every i."""
    first = columns[0]
    if not hasattr(first, "iloc"):
        return np.stack([np.asarray(column) for column in columns])[which, np.arange(which.size)]
    mixed = first.copy()
    for place, other in enumerate(columns[1:], start=1):
        mixed.iloc[which == place] = other.iloc[which == place].to_numpy()
    return mixed


def as_vector(response: Any) -> FloatArray:
    vector = as_numbers(response, "response of the data")
    if vector.ndim != 1 or vector.size < 2 or not np.isfinite(vector).all():
        raise ValueError(
            f"response of the data: expected two or more finite numbers in a vector; got shape {vector.shape}"
            + (", some not finite" if vector.ndim == 1 and vector.size > 1 else "")
        )
    return vector


# ---------------------------------------------------------------- checks


def _by_model(given: Any, what: str, models: Mapping[str, Model]) -> dict[str, Any]:
    """What is given for some of the models, by their names."""
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{what} must be a mapping by the names of models: got {type(given).__name__}"
        )
    unknown = [show(name) for name in given if name not in models]
    if unknown:
        known = [show(name) for name in models]
        raise ValueError(f"{what} names {unknown}, which are not models; the models are {known}")
    return dict(given)


def _weights(source: Any, models: Mapping[str, Model]) -> dict[str, float] | None:
    """Weight of each source, adding up to one; None for a mixture."""
    if source == "mixture":
        if "mixture" in models:
            raise ValueError(
                "source='mixture' is ambiguous: a model has this name; rename the model"
            )
        return None
    if source is None:
        return dict.fromkeys(models, 1.0 / len(models))
    given = _by_model({source: 1.0} if isinstance(source, str) else source, "source", models)
    weights = {}
    for name, weight in given.items():
        weights[name] = check_positive(weight, f"the weight of source '{show(name)}'", or_zero=True)
    total = sum(weights.values())
    if not total > 0.0:
        raise ValueError(
            f"source: the weights add up to {total:g}; give at least one source a weight above 0"
        )
    return {name: weight / total for name, weight in weights.items() if weight > 0.0}


def _parameters(parameters: Any, models: Mapping[str, Model]) -> dict[str, Parameters]:
    every = dict.fromkeys(models, parameters) if callable(parameters) else parameters
    functions = _by_model({} if every is None else every, "parameters", models)
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(
                f"parameters of '{show(name)}' must be a function from a generator to a candidate: got {type(function).__name__}"
            )
    return functions


def _residuals(
    residuals: Any, response: FloatArray, models: Mapping[str, Model]
) -> dict[str, FloatArray]:
    given = _by_model({} if residuals is None else residuals, "residuals", models)
    vectors = {name: as_vector(values) for name, values in given.items()}
    for name, values in vectors.items():
        if values.size != response.size:
            raise ValueError(
                f"residuals of '{show(name)}': {values.size} for {response.size} data points; pass response minus fitted value of each"
            )
    return vectors


def _check(omega: Replications) -> None:
    """Refuse what does not go together."""
    if omega.n_candidates > len(omega.models):
        raise ValueError(
            f"n_candidates = {omega.n_candidates}, but there are {len(omega.models)} models; give fewer"
        )
    if not (omega.design is None or omega.design == "resample" or callable(omega.design)):
        raise ValueError(
            f"design must be 'resample' or a function (data, rng) → data: got {show(repr(omega.design))}"
        )
    if omega.design == "resample" and not omega.form.has_points:
        raise ValueError(
            "design='resample' needs rows: data of a custom form have none; pass a function (data, rng)"
        )
    twice = [show(name) for name in omega.residuals if name in omega.parameters]
    if twice:
        raise ValueError(
            f"both parameters and residuals are given for {twice}: give one, which makes the data"
        )
    if any(omega.sizes.values()) and np.ptp(omega.form.get(omega.data)) == 0.0:
        raise ValueError(
            "all responses of the data are equal, but sizes are in units of their standard deviation, which is 0; "
            "pass data whose responses vary"
        )
    if not (any(omega.sizes.values()) or omega.parameters or omega.design or omega.residuals):
        raise ValueError(
            "nothing varies between replications: give a size to offset, gain, noise, outliers or drift, or pass parameters, "
            "design or residuals; for sampling error alone, use an Experiment without replicate"
        )
