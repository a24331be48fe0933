"""The paper's main claim, without saturation: two wrong models, and more and more data.

The truth is a Weibull law. An exponential law and the half-normal law are fitted to training data,
and judged on as many held-out data. Neither is right, and the half-normal is a little less wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.special import gammaln

from rivals import Comparison, compare
from rivals.laws.beta import BetaSummary
from rivals_paper.arrays import FloatArray
from rivals_paper.criteria import aic, bic
from rivals_paper.method import PROCESS
from rivals_paper.output import Reproduction, Task, new_figure
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "large-samples"
DESCRIPTION = "Two wrong models as data accumulate: B stays bounded, other criteria do not"

SHAPE: Final = 1.35  # of the true Weibull law
C: Final = 0.25
LOG2_SIZES: Final = (8, 10, 12, 14, 16)
DATA_SETS: Final = 32
# The paper's law, on one simulation of each model, and ours.
LAWS: Final[dict[str, dict[str, Any]]] = {
    "beta": {},
    "transport": {"method": "transport", "n_simulations": 16},
}
NAMES: Final = ("half-normal", "exponential")
# Shape and rate of the gamma priors: of the exponential's rate, and of the half-normal's precision.
PRIOR: Final = (1.0, 1.0)
CRITERIA: Final = ("AIC / 2", "BIC / 2", "elpd", "log Bayes factor")

READING = (
    "Truth: a Weibull law of shape 1.35. A half-normal and an exponential law are fitted to L "
    "data and judged on L others; both are wrong, the half-normal less so. a: P(the half-normal "
    "has the lower risk) at c = 1/4, median and 10 to 90 % of 32 data sets. b: standard deviation "
    "of the risk, likewise. c: by how many nats four criteria prefer the half-normal, median of "
    "the same data sets."
)
DIFFERENCES = [
    "The paper shows this with black body radiation (Fig. 8). Corrected, B is there all but 1 at "
    "every L, and the spread of one risk still grows; so that figure cannot show that B settles "
    "between 1/2 and 1. These models are made for the question, and nothing was published.",
]


@dataclass(frozen=True)
class Exponential:
    """An exponential law of this rate."""

    rate: float

    def loss(self, y: FloatArray) -> FloatArray:
        """Negative log density, in nats."""
        return np.asarray(self.rate * y - np.log(self.rate))

    def simulate(self, n: int, rng: np.random.Generator) -> FloatArray:
        """n draws."""
        return rng.exponential(1 / self.rate, n)


@dataclass(frozen=True)
class HalfNormal:
    """The absolute value of a normal variable of this width."""

    scale: float

    def loss(self, y: FloatArray) -> FloatArray:
        """Negative log density, in nats."""
        return np.asarray(0.5 * np.log(np.pi * self.scale**2 / 2) + (y / self.scale) ** 2 / 2)

    def simulate(self, n: int, rng: np.random.Generator) -> FloatArray:
        """n draws."""
        return np.abs(self.scale * rng.standard_normal(n))


def fit(y: FloatArray) -> dict[str, Exponential | HalfNormal]:
    """Both laws by maximum likelihood."""
    return {
        "half-normal": HalfNormal(float(np.sqrt(np.mean(y**2)))),
        "exponential": Exponential(float(1 / np.mean(y))),
    }


def log_evidences(y: FloatArray) -> FloatArray:
    """Log marginal likelihoods of both laws, in closed form: their priors are conjugate.

    Examples
    --------
    One observation at 1 under the exponential law: the integral of r e^-r e^-r is 1/4.

    >>> np.exp(log_evidences(np.array([1.0]))[1]).round(3)
    np.float64(0.25)
    """
    shape, rate = PRIOR
    prior = shape * np.log(rate) - gammaln(shape)

    def marginal(power: float, total: float) -> float:
        after = shape + power
        return float(prior + gammaln(after) - after * np.log(rate + total))

    half_normal = marginal(y.size / 2, float(np.sum(y**2)) / 2) - y.size / 2 * np.log(np.pi / 2)
    return np.array([half_normal, marginal(y.size, float(np.sum(y)))])


def judge(size: int, seed: int) -> dict[str, Any]:
    """One data set: B and spreads under both laws, and what the criteria say, in nats."""
    rng = stream(seed, size)
    training = rng.weibull(SHAPE, size)
    test = rng.weibull(SHAPE, size)
    models = fit(training)
    found: dict[str, Any] = {}
    for name, settings in LAWS.items():
        result = compare(models, test, c=C, rng=seed, **PROCESS | settings)
        found[name] = {"B": float(result.probability[0, 1]), "sd": spreads(result)}
    fitted = [-models[model].loss(training) for model in NAMES]
    held_out = [-models[model].loss(test) for model in NAMES]
    evidence = log_evidences(training)
    pairs = {
        "AIC / 2": [-aic(each, 1).value / 2 for each in fitted],
        "BIC / 2": [-bic(each, 1).value / 2 for each in fitted],
        "elpd": [float(each.sum()) for each in held_out],
        "log Bayes factor": evidence.tolist(),
    }
    found["criteria"] = {name: first - second for name, (first, second) in pairs.items()}
    return found


def spreads(result: Comparison) -> list[float]:
    """Standard deviation of the risk of each model."""
    if isinstance(result.summary, BetaSummary):
        return [process.at(C).risk_std for process in result.summary.processes]
    risks: Any = result.method.risks(result.summary, result.setting)
    return [float(variance**0.5) for variance in risks.variance[0]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of data sets of each size."""
    count = task.experiments_or(DATA_SETS)
    judged = {
        k: [judge(2**k, 1000 * task.seed + place) for place in range(count)]
        for k in track(list(LOG2_SIZES), "sizes", task.progress)
    }
    numbers = {f"2^{k}": _summary(each) for k, each in judged.items()}
    return Reproduction(
        figure=_draw(numbers),
        comparisons=[],
        numbers=numbers,
        settings={"data sets": count, "c": C, "shape of the truth": SHAPE, "laws": list(LAWS)},
    )


def _summary(judged: list[dict[str, Any]]) -> dict[str, Any]:
    """10, 50 and 90 % of everything over the data sets."""
    found: dict[str, Any] = {
        law: {
            "B": _quantiles([each[law]["B"] for each in judged]),
            "sd": {
                model: _quantiles([each[law]["sd"][place] for each in judged])
                for place, model in enumerate(NAMES)
            },
        }
        for law in LAWS
    }
    found["criteria, nats"] = {
        name: _quantiles([each["criteria"][name] for each in judged]) for name in CRITERIA
    }
    return found


def _quantiles(values: list[float]) -> Any:
    return np.round(np.quantile(values, [0.1, 0.5, 0.9]), 4)


def _draw(numbers: dict[str, Any]) -> Any:
    figure: Any = new_figure(7.2, 3.0)
    panels = figure.subplots(1, 3)
    at = np.array(LOG2_SIZES, dtype=float)
    rows = list(numbers.values())
    for (law, colour), marker in zip(
        {"beta": "#D55E00", "transport": "#0072B2"}.items(), "os", strict=True
    ):
        _band(
            panels[0], at, [each[law]["B"] for each in rows], colour, marker, "-", f"method {law}"
        )
        for model, line in zip(NAMES, ("-", "--"), strict=True):
            spread = [each[law]["sd"][model] for each in rows]
            label = model if law == "beta" else None
            _band(panels[1], at, spread, colour, marker, line, label)
    panels[0].axhline(0.5, color="0.6", lw=0.8, ls=":")
    panels[0].set(ylim=(0.45, 1.02), title="a   $B$ stays between ½ and 1")
    panels[1].set(yscale="log", ylim=(0.004, 1), title="b   spread of the risk")
    panels[1].set_yticks(
        [0.01, 0.03, 0.1, 0.3, 1], ["0.01", "0.03", "0.1", "0.3", "1"], minor=False
    )
    panels[1].minorticks_off()
    colours = ("#000000", "#009E73", "#E69F00", "#CC79A7")
    # The curves coincide: each is drawn smaller than the one under it.
    sizes = (10, 7.5, 5, 2.5)
    for name, colour, marker, size in zip(CRITERIA, colours, "osD^", sizes, strict=True):
        middle = [each["criteria, nats"][name][1] for each in rows]
        panels[2].plot(at, middle, color=colour, marker=marker, ms=size, lw=size / 3, label=name)
    panels[2].set(yscale="log", title="c   other criteria, nats")
    for panel in panels:
        panel.set_xticks(at, [f"$2^{{{k:.0f}}}$" for k in at])
        panel.set_xlabel("data $L$", fontsize=9)
        panel.tick_params(labelsize=8)
        panel.title.set_fontsize(9)
        panel.legend(fontsize=8, frameon=False, loc="lower left" if panel is panels[1] else "best")
    return figure


def _band(
    panel: Any,
    at: FloatArray,
    quantiles: list[Any],
    colour: str,
    marker: str,
    line: str,
    label: str | None,
) -> None:
    low, middle, high = np.array(quantiles).T
    panel.fill_between(at, low, high, color=colour, alpha=0.15, lw=0)
    panel.plot(at, middle, ls=line, marker=marker, ms=4, lw=1, color=colour, label=label)
