"""An epistemic distribution from candidates and one data set: what varies between replications.

Each experiment that `replications(models, data, offset=0.1)` makes is a *problem*: which candidate
makes the data, which pair of candidates is judged, and how large each variation is. Each
*replication* of it draws its own variations. The problem must vary, too: for a fixed problem, a
fresh replication is independent of the data at hand, and B would carry no information.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.arguments import check_positive, check_size
from rivals._say.words import show
from rivals._types import FloatArray, IntArray, Model
from rivals.calibration.experiment import Experiment
from rivals.calibration.forms import Form, Get, Set, as_vector, form_of
from rivals.models import check_model, models_in_turn

# The size of a variation is not known exactly either: it is log-uniform within this factor of the
# size given.
WITHIN = 2.0
# Outliers are errors of Student's t distribution with this many degrees of freedom, times this many
# standard deviations of the response: heavy tails of finite variance, so that the risk under a
# squared loss exists.
OUTLIER_FREEDOM = 3.0
OUTLIER_SCALE = 3.0
MOST_OUTLIERS = 0.5

Parameters: TypeAlias = Callable[[np.random.Generator], Model]
Design: TypeAlias = Literal["resample"] | Callable[[Any, np.random.Generator], Any]


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
    """An epistemic distribution from candidates and one data set.

    State what you expect to differ between your experiment and a repetition by someone else, and by
    how much. Sizes are typical values, in standard deviations of the response of `data`; for each
    problem they are drawn within a factor of 2.

    Parameters
    ----------
    models : mapping
        Name → candidate. Each problem judges all of them, in random order, or `n_candidates` of
        them.
    data : array or tuple
        The data set: a vector; a tuple (inputs, ..., response); or a matrix whose rows or columns
        are points (as many as a model has losses), the response last. Anything else with
        `response`. The candidates simulate data of the same form.
    source : str or mapping, optional
        Which candidate makes the data. None: one of them, drawn for each problem. A mapping
        name → weight: drawn with these weights. A name: always that one. "mixture": every candidate
        generates a fraction of the points, drawn for each problem; no candidate is then exactly
        right.
    offset : float
        A replication shifts all responses by the same amount, N(0, (offset·sd)²): a calibration
        constant, a batch effect.
    gain : float
        A replication multiplies all responses by 1 + N(0, gain²): an amplifier, a unit of
        measurement, a dose. It acts about zero, so zero must mean something.
    noise : float
        A replication adds Gaussian noise of standard deviation |N(0, noise²)|·sd: an instrument
        that is noisier than the candidates assume. (Noise is only added; fit the candidates to good
        data.)
    outliers : float
        In a replication a fraction |N(0, outliers²)| of the points, at most half, is shifted by
        heavy-tailed errors (Student's t with 3 degrees of freedom, times 3 sd): mistakes,
        artefacts, atypical subjects.
    drift : float
        A replication adds a linear trend over the order of its points, N(0, (drift·sd)²) in total:
        warming up, bleaching, fatigue. For data in the order of measurement.
    parameters : mapping or callable, optional
        Name → function from a generator to a candidate: the source of this name with parameters
        drawn within the covariance of its fit. (One function: whatever the source.) Each
        replication draws its own parameters: subjects, samples or sites differ as much as the fit
        is uncertain.
    design : "resample" or callable, optional
        "resample": a replication measures at other inputs: as many rows as `data` has, drawn from
        the rows with replacement. Or a function (data, rng) → data of the same size, called once
        per replication on simulated data, to pick rows unevenly (a covariate shift) or to disturb
        the recorded inputs.
    residuals : mapping, optional
        Name → residuals of `data` under the candidate of this name, response minus fitted value.
        The data of a source are then its fitted values plus residuals drawn with replacement:
        observed errors in place of the noise model of the candidate. Each replication draws from
        its own sample of these residuals.
    response : pair of callables, optional
        (get, set) for data of another form: `get(data)` returns the responses as a vector,
        `set(data, responses)` returns new data with these responses.
    n_candidates : int, optional
        How many candidates a problem judges; all models by default. The threshold for the best of k
        models is learned from problems with k candidates; with 2, which costs least, there are only
        pairs.

    Returns
    -------
    Replications
        A function from a generator to an `Experiment`, to be given to `calibrate`.

    Notes
    -----
    The response is changed as a real number, so counts and labels would not remain counts and
    labels: use `parameters`, `design` or `source="mixture"` for them.

    A candidate with fixed inputs returns as many points as `data` has, whatever n. Use it with
    `n_data` and `n_truth` of that size, or with `design="resample"`, which combines several such
    simulations.

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
    by_name = {}
    for name, model in models_in_turn(models):
        by_name[name] = check_model(model, f"model '{show(name)}': ")
    form = form_of(data, response, next(iter(by_name.values())))
    sizes = {"offset": offset, "gain": gain, "noise": noise, "outliers": outliers, "drift": drift}
    for name, size in sizes.items():
        sizes[name] = check_positive(size, name, or_zero=True)
    if n_candidates is None:
        n_candidates = len(by_name)
    omega = Replications(
        models=by_name,
        data=data,
        form=form,
        weights=_weights(source, by_name),
        sizes=sizes,
        parameters=_parameters(parameters, by_name),
        design=design,
        residuals=_residuals(residuals, form.get(data), by_name),
        n_candidates=check_size(n_candidates, "n_candidates", least=2),
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
        if self.parameters:
            parts.append("parameters")
        if self.residuals:
            parts.append("residuals")
        if self.design is not None:
            parts.append("design resample" if self.design == "resample" else "design changed")
        return f"replications with {', '.join(parts)}"

    def __repr__(self) -> str:
        return f"<{self.description}, of {', '.join(map(show, self.models))}>"

    def __call__(self, rng: np.random.Generator) -> Experiment:
        """Draw a problem."""
        names = list(self.models)
        if self.weights is None:
            shares = rng.dirichlet(np.ones(len(names))).tolist()
            source = dict(zip(names, shares, strict=True))
        else:
            drawn = rng.choice(list(self.weights), p=list(self.weights.values()))
            source = {str(drawn): 1.0}
        order = rng.permutation(len(names))[: self.n_candidates]
        judged = {names[place]: self.models[names[place]] for place in order}
        strength = {}
        for name, size in self.sizes.items():
            strength[name] = size * WITHIN ** rng.uniform(-1.0, 1.0)
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
        data = parts[0]
        if len(parts) > 1:
            # Each point comes from one source, drawn by its weight.
            which = rng.choice(len(parts), size=n, p=list(source.values()))
            data = form.pick(parts, which)
        if callable(self.design):
            data = self.design(data, rng)
            form.check_size(data, n, "design(data, rng) gave")
        if not any(strength.values()):
            return data
        deviation = float(np.std(form.get(self.data)))
        return form.set(data, vary(form.get(data), strength, deviation, rng))

    def _rows(self, n: int, rng: np.random.Generator) -> IntArray:
        """Which row of the design each point is at: the design is repeated as often as needed."""
        n_rows = self.form.get(self.data).size
        rows = rng.integers(0, n_rows, n_rows) if self.design == "resample" else np.arange(n_rows)
        return np.resize(rows, n)

    def _made_by(self, name: str, n: int, rows: IntArray, rng: np.random.Generator) -> Any:
        """Data of n points that one source makes in this replication."""
        if name in self.residuals:
            return self._fitted_and_errors(name, n, rows, rng)
        model = self.models[name]
        if name in self.parameters:
            model = check_model(self.parameters[name](rng), f"parameters of '{show(name)}': ")
        if self.design == "resample":
            return self._resampled(name, model, n, rows, rng)
        data = model.simulate(n, rng)
        self.form.check_size(data, n, f"model '{show(name)}' simulated")
        return data

    def _fitted_and_errors(
        self, name: str, n: int, rows: IntArray, rng: np.random.Generator
    ) -> Any:
        """The fitted values of one source, with observed errors."""
        form = self.form
        residuals = self.residuals[name]
        # A replication has its own errors, a sample of those observed; its points are drawn from
        # these.
        errors = rng.choice(rng.choice(residuals, residuals.size), n)
        fitted = form.get(self.data) - residuals
        return form.set(form.take(self.data, rows), fitted[rows] + errors)

    def _resampled(
        self, name: str, model: Model, n: int, rows: IntArray, rng: np.random.Generator
    ) -> Any:
        """Data of one source at rows that were drawn.

        Candidates may be tied to the design: they simulate the whole design as often as needed.
        """
        form = self.form
        n_rows = form.get(self.data).size
        n_needed = -(-n // n_rows)
        simulations = [model.simulate(n_rows, rng) for _ in range(n_needed)]
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
    if parameters is None:
        return {}
    every = dict.fromkeys(models, parameters) if callable(parameters) else parameters
    functions = _by_model(every, "parameters", models)
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(
                f"parameters of '{show(name)}' must be a function from a generator to a candidate: "
                f"got {type(function).__name__}"
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
                f"residuals of '{show(name)}': {values.size} for {response.size} data points; pass "
                "response minus fitted value of each"
            )
    return vectors


def _check(omega: Replications) -> None:
    """Refuse what does not go together."""
    design = omega.design
    if omega.n_candidates > len(omega.models):
        raise ValueError(
            f"n_candidates = {omega.n_candidates}, but there are {len(omega.models)} models; give "
            "fewer"
        )
    if not (design is None or design == "resample" or callable(design)):
        raise ValueError(
            f"design must be 'resample' or a function (data, rng) → data: got {show(repr(design))}"
        )
    if design == "resample" and not omega.form.has_points:
        raise ValueError(
            "design='resample' needs rows: data of a custom form have none; pass a function "
            "(data, rng)"
        )
    twice = [show(name) for name in omega.residuals if name in omega.parameters]
    if twice:
        raise ValueError(
            f"both parameters and residuals are given for {twice}: give one, which makes the data"
        )
    has_sizes = any(omega.sizes.values())
    if has_sizes and np.ptp(omega.form.get(omega.data)) == 0.0:
        raise ValueError(
            "all responses of the data are equal, but sizes are in units of their standard "
            "deviation, which is 0; pass data whose responses vary"
        )
    if not (has_sizes or omega.parameters or design or omega.residuals):
        raise ValueError(
            "nothing varies between replications: give a size to offset, gain, noise, outliers or "
            "drift, or pass parameters, design or residuals; for sampling error alone, use an "
            "Experiment without replicate"
        )
