"""Uncertainty of the risk from finite samples, beside the risk distributions (fig. aleatoric-not-equiv)."""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from typing import Any

import numpy as np

from rivals.criteria import bootstrap_risk
from rivals.testbeds import seeds
from rivals.testbeds.pyloric import ACCURATE, LABELS, LOOSE, NeuronModel, digitise, fit, losses, observe
from rivals_paper.arrays import FloatArray
from rivals_paper.densities import common_range, density
from rivals_paper.neuron_example import (
    CIRCUIT,
    COLOURS,
    CONSTANTS,
    LOOSE_SOLVER,
    NO_INPUT,
    SCALE,
    STYLES,
    C,
    draw_risks,
    fit_as_published,
    fit_corrected,
)
from rivals_paper.output import AS_PUBLISHED, VARIANTS, Reproduction, Task, comparison, new_figure
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "finite-size"
DESCRIPTION = "Bootstrap and repeated simulation: uncertainty of the risk that vanishes with more data"

SIZES = (400, 4000, 40_000)
SIMULATED_SIZES = (*SIZES, 400_000)
RESAMPLES = 1200
N_DRAWS = 8192
# Width (95 % less 5 % quantile) at 4000 points and of the risk distributions, from the notebooks.
STATED_BOOTSTRAP, STATED_RISK = 0.07, 0.5
# Standard deviation of observation noise that is rounded to whole mV: what a model finds on recordings of its own.
SIGMA_ROUNDED = float(np.sqrt(SCALE**2 + 1 / 12))

READING = (
    "a: densities of the losses of the models on the example recording. b: bootstrap of their mean, c: mean loss of 400 "
    "simulations of each model; both narrow as the recording gets longer (downwards). d: the risk distributions, which do "
    "not. Columns: the three variants. The panels b, and the panels c, of a column share their axis. As published, there are "
    "fewer simulations of 400 000 ms (settings: simulations); --experiments N computes N of each length."
)
DIFFERENCES = [
    "Panel b is said to use the recording of a; it used another one of 40 000 ms, with noise fitted on a third. Both other "
    "variants: the noise is fitted on the recording itself.",
    "Panel c is said to simulate and judge with the same model, with equal numbers of spikes; it simulated with input and "
    "judged without, and spikes were not matched. Both other variants: the same input in both, so that the voltage "
    "cancels; what remains is observation noise of 2 mV and its digitisation, whatever the cell and its constants.",
    "Digitisation truncates as published, and rounds in both other variants.",
    NO_INPUT,
    LOOSE_SOLVER,
    CIRCUIT,
]
WIDER = (
    "With the input known, the losses of the wrong models are misplaced spikes, rare and large, which widen both "
    "distributions."
)


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of new simulations of each model.

    Without it the simulations that ship with the package are shown.
    """
    panels_by_variant = {variant: _variant(variant, task, i) for i, variant in enumerate(VARIANTS)}
    comparisons = []
    for variant, panels in panels_by_variant.items():
        for stated, kind, what in (
            (STATED_BOOTSTRAP, "bootstrap of the example", "bootstrap of the example recording, 4000 points"),
            (STATED_RISK, "risk", "risk distribution"),
        ):
            comparisons.append(
                comparison(
                    f"{what}: 95 % less 5 % quantile, mean over the models (the notebook says 'about')",
                    variant=variant,
                    published=stated,
                    ours=float(np.mean([_width(values) for values in panels[kind].values()])),
                    standard_error=None,  # the notebook gives one digit
                    explanation=None if variant == AS_PUBLISHED else WIDER,
                )
            )
    numbers = {
        variant: {
            kind: {
                str(size): {label: _summary(values) for label, values in by_label.items()}
                for size, by_label in panels[kind].items()
            }
            for kind in ("bootstrap", "simulations")
        }
        | {
            kind: {label: _summary(values) for label, values in panels[kind].items()}
            for kind in ("bootstrap of the example", "risk")
        }
        for variant, panels in panels_by_variant.items()
    }
    simulations = {
        variant: {str(size): len(by_label["A"]) for size, by_label in panels["simulations"].items()}
        for variant, panels in panels_by_variant.items()
    }
    return Reproduction(
        figure=_draw(panels_by_variant),
        comparisons=comparisons,
        numbers=numbers,
        settings={"simulations": simulations, "resamples": RESAMPLES, "sizes": SIMULATED_SIZES, "c": C},
    )


def _variant(variant: str, task: Task, number: int) -> dict[str, Any]:
    key = partial(stream, task.seed, number)
    example = fit_as_published() if variant == AS_PUBLISHED else fit_corrected(key(1), variant=variant)
    example = {label: example[label] for label in LABELS}
    models, long = _models_as_published() if variant == AS_PUBLISHED else _models_corrected(variant)
    on_long = {label: model.loss(long) for label, model in models.items()}
    return {
        "losses": {label: each.losses.observed for label, each in example.items()},
        "bootstrap of the example": {
            label: bootstrap_risk(each.losses.observed, n_resamples=RESAMPLES, rng=key(5))
            for label, each in example.items()
        },
        "bootstrap": {
            size: {
                label: bootstrap_risk(values[:size], n_resamples=RESAMPLES, rng=key(2, size))
                for label, values in on_long.items()
            }
            for size in SIZES
        },
        "simulations": _simulations(variant, models, task, number),
        "risk": draw_risks(example, variant, C, N_DRAWS, key(4)),
    }


def _models_as_published() -> tuple[dict[str, NeuronModel], Any]:
    """Candidates without input, their noise fitted to another recording, with the random numbers of the example."""
    long = observe("LP 1", SIZES[-1], solver=LOOSE, rng=_long_seed())
    other = observe("LP 1", SIZES[-1], solver=LOOSE, rng=seeds.generator("Prinz", "example trace", "data"))
    return {label: fit(other, cell, driven=False, solver=LOOSE) for label, cell in LABELS.items()}, long


def _models_corrected(variant: str) -> tuple[dict[str, NeuronModel], Any]:
    """Candidates with the input of the recording, their noise fitted to it."""
    constants = CONSTANTS[variant]
    long = observe("LP 1", SIZES[-1], rounding="round", variant=constants, solver=ACCURATE, rng=_long_seed())
    return {
        label: fit(long, cell, driven=True, variant=constants, solver=ACCURATE) for label, cell in LABELS.items()
    }, long


def _long_seed() -> np.random.Generator:
    return seeds.generator("Prinz", "prinz", "aleatoric-comparison", 0)


def _simulations(
    variant: str, models: dict[str, NeuronModel], task: Task, number: int
) -> dict[int, dict[str, FloatArray]]:
    """Mean loss of the first L points of recordings of each candidate's own cell, by L and candidate."""
    if task.experiments is None:
        return _committed(variant)
    key = partial(stream, task.seed, number, 3)
    work = [(i, label, repeat) for i, label in enumerate(LABELS) for repeat in range(task.experiments)]

    def simulate(item: tuple[int, str, int]) -> FloatArray:
        rng = key(item[0], item[2])
        return _quiet_judge(models[item[1]], rng) if variant == AS_PUBLISHED else own_risks(rng)

    # Threads are enough: the compiled simulator and NumPy's generators do not hold the global lock.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(simulate, work)
        found = np.array([next(done) for _ in track(work, f"simulations {variant}", task.progress)])
    return _by_size(dict(zip(LABELS, found.reshape(len(LABELS), task.experiments, -1), strict=True)))


def _committed(variant: str) -> dict[int, dict[str, FloatArray]]:
    """Simulations that ship with the package: as published 400 from a GPU, and a few of the longest from a processor; the others by noise alone."""
    if variant != AS_PUBLISHED:
        archive = _archive("finite-size-noise")
        return _by_size({label: archive[f"{variant}/{label}/risks"] for label in LABELS})
    archive = _archive("finite-size")
    by_size = _by_size({label: archive[f"{variant}/{label}/risks"] for label in LABELS})
    return by_size | {SIMULATED_SIZES[-1]: {label: archive[f"{variant}/{label}/longest"] for label in LABELS}}


def _archive(name: str) -> dict[str, FloatArray]:
    path = resources.files("rivals_paper") / "data" / "records" / f"{name}.npz"
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
        return {key: archive[key].astype(float) for key in archive.files}


def _by_size(risks: dict[str, FloatArray]) -> dict[int, dict[str, FloatArray]]:
    """Columns of each candidate's table, for as many of the sizes as it has columns."""
    columns = min(table.shape[1] for table in risks.values())
    return {
        size: {label: table[:, column] for label, table in risks.items()}
        for column, size in enumerate(SIMULATED_SIZES[:columns])
    }


def _quiet_judge(model: NeuronModel, rng: np.random.Generator) -> FloatArray:
    """Risks as published: the recording has input, and the model that judges it has none."""
    return _prefix_means(model.loss(observe(model.cell, SIMULATED_SIZES[-1], solver=model.solver, rng=rng)))


def own_risks(rng: np.random.Generator) -> FloatArray:
    """Mean losses of the first L points of a recording, judged by the model that made it, with the same input.

    The voltage of the cell cancels, but for its fraction of a mV, which enters the digitisation. Noise of 2 mV makes the
    rounding error uniform and independent of it (to 5e-35), so that a random fraction serves as well as any cell.
    """
    n = SIMULATED_SIZES[-1]
    voltage = rng.random(n)
    residual = digitise(voltage + SCALE * rng.standard_normal(n), "round") - voltage
    return _prefix_means(losses(residual, SIGMA_ROUNDED, "gaussian"))


def _prefix_means(values: FloatArray) -> FloatArray:
    return np.array([values[:size].mean() for size in SIMULATED_SIZES])


def _width(values: FloatArray) -> float:
    low, high = np.quantile(values, [0.05, 0.95])
    return float(high - low)


def _summary(values: FloatArray) -> dict[str, float]:
    return {"mean": values.mean(), "std": values.std(), "width_05_95": _width(values)}


def _draw(panels_by_variant: dict[str, dict[str, Any]]) -> Any:
    figure = new_figure(9, 13)
    rows = 2 + len(SIZES) + len(SIMULATED_SIZES)
    axes = figure.subplots(rows, len(panels_by_variant))
    for column, (variant, panels) in zip(axes.T, panels_by_variant.items(), strict=True):
        blocks = (
            ([("a  losses", panels["losses"])], "loss (nats)", 0.02),
            (_rows("b  bootstrap", panels["bootstrap"]), "risk (nats per ms)", 0.001),
            (
                _rows("c  simulation", {size: {} for size in SIMULATED_SIZES} | panels["simulations"]),
                "risk (nats per ms)",
                0.001,
            ),
            ([("d  risk\ndistribution", panels["risk"])], "risk (nats per ms)", 0.002),
        )
        place = iter(column)
        for block, unit, left_out in blocks:
            samples = [values for _, by_label in block for values in by_label.values()]
            points = common_range(samples, left_out=left_out, margin=0.1, n_points=600)
            for last, (name, by_label) in enumerate(block, start=1 - len(block)):
                panel = next(place)
                _densities(panel, by_label, points, long_tailed=by_label is panels["losses"])
                if column[0] is axes[0, 0]:
                    panel.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)
                if last:
                    panel.tick_params(labelbottom=False)
                else:
                    panel.set_xlabel(unit, fontsize=10)
        column[0].set_title(variant, fontsize=12)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=11, frameon=False)
    return figure


def _rows(name: str, by_size: dict[int, dict[str, FloatArray]]) -> list[tuple[str, dict[str, FloatArray]]]:
    """Label the panels of a block: its name on the first, the number of points on all."""
    sizes = [f"{size:,} ms".replace(",", " ") for size in by_size]
    labels = [f"{name}\n{sizes[0]}", *sizes[1:]]
    return list(zip(labels, by_size.values(), strict=True))


def _densities(panel: Any, by_label: dict[str, FloatArray], points: FloatArray, *, long_tailed: bool) -> None:
    if not by_label:
        panel.text(0.5, 0.5, "not simulated", transform=panel.transAxes, ha="center", va="center", color="0.4")
    for label, values in by_label.items():
        heights = density(values, points, long_tailed=long_tailed)
        panel.fill_between(points, heights, color=COLOURS[label], alpha=0.2, lw=0)
        panel.plot(points, heights, color=COLOURS[label], ls=STYLES[label], lw=1.3, label=label)
    panel.set(xlim=(points[0], points[-1]), ylim=(0, None), yticks=[])
