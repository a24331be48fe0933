"""Families of problems with a known law of replications: what varies between replications is drawn,
and truth is known.

A problem has two candidates, or more, and a law of *states*: all that differs between one
replication and the next (an offset, a noise level, a design, ...). Given its state, the risks of
the candidates are known in closed form, or by quadrature, up to what all share. Candidates are as
in practice: they were fitted to an earlier replication, with its own state, and each has an error
of its own on top, log-uniform in size about what varies; so some differences are far too small to
be reproducible, and some are plain. `draw(family, rng)` draws a problem; with `broader` from ranges
wider at both ends, for calibrations that shall resemble the problems they are used for but not
equal them. How much varies between replications is known to a factor of about two in each family,
as it must be by whoever writes down an Ω. The design was settled on other random numbers than the
results, after two others: with the size of differences set beside their spread whatever the misfit,
and with what varies known to a factor of 5 to 30 only. There nothing that sees one data set could
name more than a quarter of what an oracle names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.signal import lfilter
from scipy.special import gammaln

from rivals.testbeds import blackbody
from rivals.testbeds.blackbody import LAWS, radiance

FloatArray = npt.NDArray[np.float64]
Generator = np.random.Generator

OWN_ERROR = (
    0.25,
    8.0,
)  # range of a candidate's own error, relative to what varies between replications
# of a data set: what varies less than the sampling error of so many points is hidden by it
N_POINTS = 1000


@dataclass(frozen=True)
class Problem:
    """Candidates, the law of what varies between replications, and the state of the experiment at
    hand.

    Parameters
    ----------
    candidates : sequence of objects with loss(data) and simulate(n, rng)
    states : callable
        `states(k, rng)` draws what varies between replications, k times (first axis).
    data : callable
        `data(state, n, rng)` draws n points.
    risk : callable
        `risk(states)` is the risk of each candidate (first axis) in each state, up to what all of
        them share.
    state
        That of the experiment at hand.
    order : None or "time"
    """

    candidates: Sequence[Any]
    states: Callable[[int, Generator], FloatArray]
    data: Callable[[Any, int, Generator], Any]
    risk: Callable[[FloatArray], FloatArray]
    state: Any = None
    order: str | None = None

    def observe(self, n: int, rng: Generator) -> Any:
        """Data of the experiment at hand."""
        return self.data(self.state, n, rng)

    def replicate(self, n: int, rng: Generator) -> Any:
        """Data of a fresh replication: the same problem, what varies drawn anew."""
        return self.data(self.states(1, rng)[0], n, rng)

    def wins(self, k: int, rng: Generator) -> FloatArray:
        """In each of k fresh replications: 1 if the first candidate has a lower risk than the
        second, ½ if there is no difference.
        """
        first, second = self.risk(self.states(k, rng))[:2]
        return np.asarray(0.5 - 0.5 * np.sign(first - second))

    def swapped(self) -> Problem:
        """The candidates the other way round."""
        return replace(
            self, candidates=self.candidates[::-1], risk=lambda states: self.risk(states)[::-1]
        )


Family = Callable[..., Problem]


def draw(family: Family, rng: Generator, *, broader: float = 1.0, count: int = 2) -> Problem:
    """A problem of the family, its candidates in either order, and its state; ranges wider by
    `broader` at both ends.

    """
    problem = family(rng, broader) if count == 2 else family(rng, broader, count)
    if rng.integers(2):
        problem = problem.swapped()
    return replace(problem, state=problem.states(1, rng)[0])


def _between(rng: Generator, low: float, high: float, broader: float) -> float:
    """Log-uniform."""
    return float(np.exp(rng.uniform(np.log(low / broader), np.log(high * broader))))


def _own_errors(spread: float, rng: Generator, broader: float, count: int = 2) -> list[float]:
    """One for each candidate, of either sign."""
    scale = np.hypot(spread, 1.0 / np.sqrt(N_POINTS))
    return [
        float(rng.choice([-1.0, 1.0])) * scale * _between(rng, *OWN_ERROR, broader)
        for _ in range(count)
    ]


def _gaussian_risks(models: Sequence[Gaussian], mean: Any, variance: Any) -> FloatArray:
    """Of each model, in each state, whatever the law of the data."""
    return np.array([model.risk(mean, variance) for model in models])


# ---------------- candidates


@dataclass(frozen=True)
class Gaussian:
    """y ~ N(mean, sd²)."""

    mean: float
    sd: float

    def loss(self, y: FloatArray) -> FloatArray:
        return 0.5 * ((y - self.mean) / self.sd) ** 2 + np.log(self.sd) + 0.5 * np.log(2 * np.pi)

    def simulate(self, n: int, rng: Generator) -> FloatArray:
        return self.mean + self.sd * rng.standard_normal(n)

    def risk(self, mean: Any, variance: Any) -> Any:
        """Expected loss of data of this mean and variance, whatever their law."""
        return (
            0.5 * ((mean - self.mean) ** 2 + variance) / self.sd**2
            + np.log(self.sd)
            + 0.5 * np.log(2 * np.pi)
        )


@dataclass(frozen=True)
class Student:
    """y ~ scale · t(freedom)."""

    freedom: float
    scale: float

    def loss(self, y: FloatArray) -> FloatArray:
        half = (self.freedom + 1) / 2
        norm = (
            gammaln(half)
            - gammaln(self.freedom / 2)
            - 0.5 * np.log(self.freedom * np.pi)
            - np.log(self.scale)
        )
        return half * np.log1p((y / self.scale) ** 2 / self.freedom) - norm

    def simulate(self, n: int, rng: Generator) -> FloatArray:
        return self.scale * rng.standard_t(self.freedom, n)


@dataclass(frozen=True)
class Regression:
    """y ~ N(curve(x), sd²); data are the rows x and y."""

    curve: Callable[[FloatArray], FloatArray]
    sd: float
    inputs: Callable[[int, Generator], FloatArray]

    def loss(self, data: FloatArray) -> FloatArray:
        return Gaussian(0.0, self.sd).loss(data[1] - self.curve(data[0]))

    def simulate(self, n: int, rng: Generator) -> FloatArray:
        x = self.inputs(n, rng)
        return np.stack([x, self.curve(x) + self.sd * rng.standard_normal(n)])


@dataclass(frozen=True)
class Counts:
    """Negative binomial counts of given mean at each level, Poisson for infinite size; data are
    rows level and count.
    """

    rates: FloatArray
    size: float

    def loss(self, data: FloatArray) -> FloatArray:
        level, count = data
        constant, slope = self.terms()
        loss = constant[level] + slope[level] * count + gammaln(count + 1)
        if np.isfinite(self.size):
            loss += gammaln(self.size) - gammaln(count + self.size)
        return np.asarray(loss)

    def terms(self) -> tuple[FloatArray, FloatArray]:
        """The loss is constant + slope · count + a term of the count alone."""
        if not np.isfinite(self.size):
            return self.rates, -np.log(self.rates)
        return self.size * np.log1p(self.rates / self.size), np.log1p(self.size / self.rates)

    def simulate(self, n: int, rng: Generator) -> FloatArray:
        level = rng.integers(0, self.rates.size, n)
        return np.stack([level, counts(self.rates[level], self.size, rng)])


def counts(rates: FloatArray, size: float, rng: Generator) -> Any:
    """Counts of these means; the variance is mean + mean² / size."""
    return rng.poisson(
        rates if not np.isfinite(size) else rates * rng.gamma(size, 1.0 / size, rates.size)
    )


# ---------------- families


def offset(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Each replication measures with another offset."""
    spread = _between(rng, 0.1, 0.2, broader)
    fitted = spread * rng.standard_normal()
    models = [Gaussian(fitted + error, 1.0) for error in _own_errors(spread, rng, broader, count)]
    return Problem(
        models,
        states=lambda k, rng: spread * rng.standard_normal(k),
        data=lambda state, n, rng: state + rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, states, 1.0),
    )


def noise_level(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Each replication has another noise level."""
    spread = _between(rng, 0.05, 0.1, broader)
    fitted = spread * rng.standard_normal()
    models = [
        Gaussian(0.0, float(np.exp(fitted + error)))
        for error in _own_errors(spread, rng, broader, count)
    ]
    return Problem(
        models,
        states=lambda k, rng: np.exp(spread * rng.standard_normal(k)),
        data=lambda state, n, rng: state * rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, 0.0, states**2),
    )


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
SCALES = np.exp(np.linspace(-0.7, 0.7, 141))


def tails(rng: Generator, broader: float) -> Problem:
    """Each replication has another rate of outliers; Student models of different tails, their
    scales fitted.
    """
    wide = _between(rng, 3.0, 6.0, broader)
    rate = _between(rng, 0.01, 0.03, broader)
    spread = _between(rng, 0.3, 0.6, broader)

    def rates(k: int, rng: Generator) -> FloatArray:
        return np.minimum(rate * np.exp(spread * rng.standard_normal(k)), 0.5)

    def fit(freedom: float, seen: float) -> Student:
        y = NODES * np.array([[1.0], [wide]])
        losses = np.log1p((y / SCALES[:, None, None]) ** 2 / freedom) @ WEIGHTS * (freedom + 1) / 2
        return Student(
            freedom, float(SCALES[np.argmin(losses @ [1.0 - seen, seen] + np.log(SCALES))])
        )

    fitted = float(rates(1, rng)[0])
    a, b = (fit(_between(rng, 2.5, 40.0, broader), fitted) for _ in range(2))
    core, out = (
        [float(WEIGHTS @ model.loss(sd * NODES)) for model in (a, b)] for sd in (1.0, wide)
    )
    return Problem(
        (a, b),
        states=rates,
        data=lambda state, n, rng: (
            rng.standard_normal(n) * np.where(rng.random(n) < state, wide, 1.0)
        ),
        risk=lambda states: np.outer(core, 1.0 - states) + np.outer(out, states),
    )


def covariate_shift(rng: Generator, broader: float) -> Problem:
    """Each replication has its inputs elsewhere; polynomials of different degrees, fitted where the
    inputs once were.
    """
    spread = _between(rng, 0.3, 0.6, broader)
    height = _between(rng, 0.2, 1.5, broader)
    rate = _between(rng, 0.5, 1.5, broader)
    phase = rng.uniform(0, 2 * np.pi)
    n_fit = int(_between(rng, 50, 1000, broader))

    def true(x: FloatArray) -> FloatArray:
        return height * np.sin(rate * x + phase)

    def data(state: float, n: int, rng: Generator) -> FloatArray:
        x = state + rng.standard_normal(n)
        return np.stack([x, true(x) + rng.standard_normal(n)])

    earlier = data(spread * rng.standard_normal(), n_fit, rng)

    def fit(degree: int) -> Regression:
        coefficients = np.polynomial.polynomial.polyfit(*earlier, degree)
        centre = earlier[0].mean()
        return Regression(
            lambda x: np.polynomial.polynomial.polyval(x, coefficients),
            1.0,
            lambda n, rng: rng.normal(centre, 1, n),
        )

    a, b = (fit(degree) for degree in rng.choice(4, 2, replace=False))

    def risk(states: FloatArray) -> FloatArray:
        x = states[:, None] + NODES[None, :]
        return np.array([0.5 * (true(x) - model.curve(x)) ** 2 @ WEIGHTS for model in (a, b)])

    return Problem((a, b), lambda k, rng: spread * rng.standard_normal(k), data, risk)


def changing_design(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Each replication measures a few conditions out of 60; which model is better depends on the
    condition.
    """
    chosen = min(int(_between(rng, 8, 16, broader)), 40)
    size = _between(rng, 0.1, 0.5, broader)
    errors = np.array(
        [size * _between(rng, 0.5, 2.0, broader) * rng.standard_normal(60) for _ in range(count)]
    )

    def candidate(error: FloatArray) -> Regression:
        return Regression(
            lambda x: error[x.astype(int)], 1.0, lambda n, rng: rng.integers(0, 60, n).astype(float)
        )

    def data(state: FloatArray, n: int, rng: Generator) -> FloatArray:
        return np.stack([rng.choice(state, n).astype(float), rng.standard_normal(n)])

    return Problem(
        [candidate(error) for error in errors],
        states=lambda k, rng: np.argpartition(rng.random((k, 60)), chosen, axis=1)[:, :chosen],
        data=data,
        risk=lambda states: 0.5 * (errors**2)[:, states].mean(axis=2),
    )


def series(rng: Generator, broader: float, count: int = 2) -> Problem:
    """A slow component, of another amplitude in each replication, that neither model knows of."""
    memory = _between(rng, 5.0, 20.0, broader)
    rho = float(np.exp(-1.0 / memory))
    amplitude = _between(rng, 0.5, 1.0, broader)
    spread = _between(rng, 0.1, 0.2, broader)
    fitted = np.hypot(1.0, amplitude * np.exp(spread * rng.standard_normal()))
    errors = _own_errors(spread * amplitude**2 / (1.0 + amplitude**2), rng, broader, count)
    models = [Gaussian(0.0, float(fitted * np.exp(error))) for error in errors]

    def data(state: float, n: int, rng: Generator) -> FloatArray:
        shocks = np.sqrt(1.0 - rho**2) * rng.standard_normal(n)
        shocks[0] = rng.standard_normal()
        return state * lfilter([1.0], [1.0, -rho], shocks) + rng.standard_normal(n)

    return Problem(
        models,
        states=lambda k, rng: amplitude * np.exp(spread * rng.standard_normal(k)),
        data=data,
        risk=lambda states: _gaussian_risks(models, 0.0, 1.0 + states**2),
        order="time",
    )


def count_data(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Overdispersed counts at four levels, of another gain in each replication; Poisson or negative
    binomial models.
    """
    rates = np.array([_between(rng, 0.5, 20.0, broader) for _ in range(4)])
    size = _between(rng, 5.0, 20.0, broader)
    spread = _between(rng, 0.05, 0.1, broader)
    assumed = np.inf if rng.integers(2) else size * _between(rng, 0.5, 2.0, 1.0)
    fitted = rates * np.exp(spread * rng.standard_normal())
    errors = _own_errors(spread, rng, broader, count)
    models = [Counts(fitted * np.exp(error * rng.standard_normal(4)), assumed) for error in errors]
    constant, slope = (
        np.array(terms) for terms in zip(*(model.terms() for model in models), strict=True)
    )

    def data(state: float, n: int, rng: Generator) -> FloatArray:
        level = rng.integers(0, 4, n)
        return np.stack([level, counts(state * rates[level], size, rng)])

    return Problem(
        models,
        states=lambda k, rng: np.exp(spread * rng.standard_normal(k)),
        data=data,
        risk=lambda states: (
            constant.mean(axis=1)[:, None] + np.outer(np.mean(slope * rates, axis=1), states)
        ),
    )


def stationary(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Nothing varies between replications; the noise is not what the models say."""
    kind = int(rng.integers(3))
    shifts, widths = (
        _own_errors(_between(rng, 0.01, 0.1, broader), rng, broader, count) for _ in range(2)
    )
    models = [
        Gaussian(shift, float(np.exp(width))) for shift, width in zip(shifts, widths, strict=True)
    ]

    def data(state: float, n: int, rng: Generator) -> FloatArray:
        if kind == 0:
            return rng.standard_t(8, n) * np.sqrt(6 / 8)
        return rng.laplace(0.0, np.sqrt(0.5), n) if kind == 1 else rng.gamma(4.0, 0.5, n) - 2.0

    return Problem(
        models,
        states=lambda k, rng: np.zeros(k),
        data=data,
        risk=lambda states: _gaussian_risks(models, 0.0, np.ones(len(states))),
    )


def proportional(rng: Generator, broader: float) -> Problem:
    """Each model misses one part of the signal, and that part varies between replications in
    proportion to its size.
    """
    size = np.array([_between(rng, 0.1, 1.0, broader) for _ in range(2)])
    spread = _between(rng, 0.15, 0.3, broader)

    def parts(x: FloatArray) -> FloatArray:
        return np.sqrt(2.0) * np.stack([np.sin(2 * np.pi * x), np.cos(2 * np.pi * x)])

    def data(state: FloatArray, n: int, rng: Generator) -> FloatArray:
        x = rng.random(n)
        return np.stack([x, (size * (1.0 + spread * state)) @ parts(x) + rng.standard_normal(n)])

    def candidate(missing: int) -> Regression:
        known = np.where(np.arange(2) == missing, 0.0, size)
        return Regression(lambda x: known @ parts(x), 1.0, lambda n, rng: rng.random(n))

    def risk(states: FloatArray) -> FloatArray:
        # Both miss what varies in the part that they know, too: second order terms are common and
        # left out.
        return np.asarray(0.5 * (size**2 * (1.0 + 2.0 * spread * states)).T)

    return Problem(
        (candidate(0), candidate(1)), lambda k, rng: rng.standard_normal((k, 2)), data, risk
    )


def black_body(rng: Generator, broader: float) -> Problem:
    """The black body of the original study: Planck against Rayleigh and Jeans, another bias in each
    replication.

    Where the spectrum is recorded decides how much the laws differ, in proportion to λ⁻⁵.
    """
    spread = _between(rng, 1e-5, 2e-5, broader)
    law = LAWS[int(rng.integers(2))]
    shortest = _between(rng, 10.0, 18.0, broader**0.25)
    temperature = 4000.0
    gain = 1e5

    def record(state: float, n: int, rng: Generator) -> blackbody.Spectrum:
        return blackbody.observe(
            n,
            wavelengths=(shortest, 2.0 * shortest),
            temperature=temperature,
            gain=gain,
            bias=float(state),
            law=law,
            rng=rng,
        )

    first = record(spread * rng.standard_normal(), 1024, rng)
    models = [blackbody.fit(first, law=name, temperature=temperature) for name in LAWS]
    true = radiance(law, first.wavelength, temperature)
    errors = [true - model.mean(first.wavelength) for model in models]

    def risk(index: int, states: FloatArray) -> FloatArray:
        error = errors[index]
        sigma = models[index].sigma
        square = (
            np.mean(error**2) + 2.0 * states * np.mean(error) + states**2 + np.mean(true) / gain
        )
        return np.asarray(0.5 * square / sigma**2 + np.log(sigma))

    return Problem(
        (models[0], models[1]),
        states=lambda k, rng: spread * rng.standard_normal(k),
        data=record,
        risk=lambda states: np.array([risk(0, states), risk(1, states)]),
    )


# ---------------- families of groups: unequal noise, skewed losses


@dataclass(frozen=True)
class Exponential:
    """y exponential, of given mean: its losses are as skewed as the data."""

    mean: float

    def loss(self, y: FloatArray) -> FloatArray:
        return np.asarray(y / self.mean + np.log(self.mean))

    def simulate(self, n: int, rng: Generator) -> FloatArray:
        return rng.exponential(self.mean, n)


def unequal_noise(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Groups differ in their offset, and by a factor in their noise: where both models do badly,
    losses also vary more.
    """
    spread = _between(rng, 0.1, 0.3, broader)
    widths = _between(rng, 0.3, 0.6, broader)

    def states(k: int, rng: Generator) -> FloatArray:
        return np.stack(
            [spread * rng.standard_normal(k), np.exp(widths * rng.standard_normal(k))], axis=1
        )

    centre, width = states(1, rng)[0]
    errors = _own_errors(spread, rng, broader, count)
    models = [Gaussian(float(centre + error), float(width)) for error in errors]
    return Problem(
        models,
        states=states,
        data=lambda state, n, rng: state[0] + state[1] * rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, states[:, 0], states[:, 1] ** 2),
    )


def skewed(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Gamma data of another mean in each group, with long tails; exponential models."""
    spread = _between(rng, 0.2, 0.5, broader)
    shape = _between(rng, 0.5, 2.0, broader)
    fitted = spread * rng.standard_normal()
    models = [
        Exponential(float(np.exp(fitted + error)))
        for error in _own_errors(spread, rng, broader, count)
    ]
    return Problem(
        models,
        states=lambda k, rng: np.exp(spread * rng.standard_normal(k)),
        data=lambda state, n, rng: rng.gamma(shape, state / shape, n),
        risk=lambda states: np.array(
            [model.loss(states) for model in models]
        ),  # linear in the data
    )


def log_normal(rng: Generator, broader: float, count: int = 2) -> Problem:
    """Log-normal data of another level in each group, judged by normal models: squares of skewed
    data.
    """
    spread = _between(rng, 0.1, 0.3, broader)
    width = _between(rng, 0.3, 0.6, broader)

    def moments(level: Any) -> tuple[Any, Any]:
        mean = np.exp(level + width**2 / 2)
        return mean, np.expm1(width**2) * mean**2

    mean, variance = moments(spread * rng.standard_normal())
    errors = _own_errors(spread, rng, broader, count)
    models = [Gaussian(float(mean * np.exp(error)), float(np.sqrt(variance))) for error in errors]
    return Problem(
        models,
        states=lambda k, rng: spread * rng.standard_normal(k),
        data=lambda state, n, rng: np.exp(state + width * rng.standard_normal(n)),
        risk=lambda states: _gaussian_risks(models, *moments(states)),
    )


def two_kinds(rng: Generator, broader: float) -> Problem:
    """Some groups are of another kind: their offset is the other candidate's, and their noise is
    larger.
    """
    rare = _between(rng, 0.1, 0.3, 1.0)
    far = _between(rng, 0.2, 0.8, broader)
    wide = _between(rng, 1.5, 4.0, broader)
    spread = _between(rng, 0.05, 0.2, broader)

    def states(k: int, rng: Generator) -> FloatArray:
        other = rng.random(k) < rare
        return np.stack(
            [far * other + spread * rng.standard_normal(k), np.where(other, wide, 1.0)], axis=1
        )

    models = [Gaussian(centre + spread * rng.standard_normal(), 1.0) for centre in (0.0, far)]
    return Problem(
        models,
        states=states,
        data=lambda state, n, rng: state[0] + state[1] * rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, states[:, 0], states[:, 1] ** 2),
    )


# ---------------- families of groups: skewed effects


def _exponential_effects(k: int, rng: Generator) -> FloatArray:
    """Of mean 0 and variance 1; skewness 2."""
    return rng.exponential(size=k) - 1.0


def _log_normal_effects(k: int, rng: Generator) -> FloatArray:
    """Of mean 0 and variance 1; skewness 6.2."""
    values = rng.lognormal(size=k)
    return (values - np.exp(0.5)) / np.sqrt(np.e * np.expm1(1.0))


def _long_tail(
    rng: Generator,
    broader: float,
    *,
    effects: Callable[[int, Generator], FloatArray],
    towards_worse: bool,
) -> Problem:
    """Groups differ in their offset, and a few lie far out on one side.

    The difference of the risks of two normal models is linear in the offset, so that it is as
    skewed. Where groups far out lie towards the worse candidate, the better one wins most groups
    and loses much in a few; otherwise it wins much in a few.
    """
    spread = _between(rng, 0.1, 0.3, broader)
    side = float(rng.choice([-1.0, 1.0]))
    while True:
        fitted = side * spread * effects(1, rng)[0]
        means = [fitted + error for error in _own_errors(spread, rng, broader)]
        # The mean offset is 0: the model nearer to it is better on average.
        better, worse = sorted(means, key=abs)
        if ((worse - better) * side > 0.0) == towards_worse:
            break
    models = [Gaussian(mean, 1.0) for mean in means]
    return Problem(
        models,
        states=lambda k, rng: side * spread * effects(k, rng),
        data=lambda state, n, rng: state + rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, states, 1.0),
    )


def rare_reversal(rng: Generator, broader: float) -> Problem:
    """A rare kind of group, which most studies never see, decides the mean over all groups.

    Offsets of common groups scatter about the first candidate. Those of rare ones lie so far
    towards the second that it is better on average.
    """
    rate = _between(rng, 0.02, 0.05, 1.0)
    apart = _between(rng, 0.2, 0.4, broader)
    spread = _between(rng, 0.05, 0.2, broader)
    # At rate · far = apart / 2 both would be equally good on average.
    far = _between(rng, 1.5, 3.0, 1.0) * 0.5 * apart / rate
    models = [Gaussian(0.0, 1.0), Gaussian(apart, 1.0)]

    def states(k: int, rng: Generator) -> FloatArray:
        rare = rng.random(k) < rate
        return far * rare + spread * rng.standard_normal(k)

    return Problem(
        models,
        states=states,
        data=lambda state, n, rng: state + rng.standard_normal(n),
        risk=lambda states: _gaussian_risks(models, states, 1.0),
    )


SKEWED: dict[str, Family] = {
    "exponential, against the better": partial(
        _long_tail, effects=_exponential_effects, towards_worse=True
    ),
    "exponential, for the better": partial(
        _long_tail, effects=_exponential_effects, towards_worse=False
    ),
    "log-normal, against the better": partial(
        _long_tail, effects=_log_normal_effects, towards_worse=True
    ),
    "log-normal, for the better": partial(
        _long_tail, effects=_log_normal_effects, towards_worse=False
    ),
}

# Made so that no study can be right about it; never pooled with the others.
REVERSED: dict[str, Family] = {"rare reversal": rare_reversal}

GROUPED: dict[str, Family] = {
    "unequal noise": unequal_noise,
    "skewed": skewed,
    "log-normal": log_normal,
    "two kinds": two_kinds,
}

FAMILIES: dict[str, Family] = {
    "offset": offset,
    "noise level": noise_level,
    "tails": tails,
    "covariate shift": covariate_shift,
    "changing design": changing_design,
    "series": series,
    "counts": count_data,
    "stationary": stationary,
    "proportional": proportional,
    "black body": black_body,
}
