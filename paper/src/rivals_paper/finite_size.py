"""Uncertainty of the risk from finite samples, beside the risk distributions (fig.
aleatoric-not-equiv).
"""

from __future__ import annotations

import io
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from rivals_paper import seeds
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
from rivals_paper.output import (
    AS_PUBLISHED,
    IN_FILES,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
)
from rivals_paper.pyloric import ACCURATE, LABELS, LOOSE, NeuronModel, fit, observe
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "finite-size"
DESCRIPTION = (
    "Bootstrap and repeated simulation: how uncertain the risk is because the data are finite"
)

SIZES = (400, 4000, 40_000)
SIMULATED_SIZES = (*SIZES, 400_000)
RESAMPLES = 1200
N_DRAWS = 8192
# Width (95 % less 5 % quantile) at 4000 points and of the risk distributions, from the notebooks.
STATED_BOOTSTRAP = 0.07
STATED_RISK = 0.5
# Mean square in mV² of observation noise that is rounded to whole mV: all that a model in step with
# its recording misses.
NOISE_SQUARE = SCALE**2 + 1 / 12

READING = (
    "a: densities of the losses of the models on the example recording. b: bootstrap of their "
    "mean, which narrows as the recording gets longer (downwards). c: mean loss of each model on "
    "400 recordings of its own cell. As published it narrows, too. In the other variants most do "
    "in the end; rare slips of A and B (constants as published), and a phase of C that drifts "
    "slowly (corrected), keep it wide. Ticks below the curves: recordings beyond them. Out of "
    "step: number of recordings that the model misses by more than noise and digitisation explain. "
    "d: the risk distributions, which do not narrow. Columns: the three variants. Heights are "
    "those of densities, relative to the highest of the panel, but at least a tenth of it; the "
    "panels b, and the panels c, of a column share their axis. --experiments N simulates N "
    "recordings on the processor instead."
)
DIFFERENCES = [
    "Panel b is said to use the recording of a; it used another one of 40 000 ms, with noise "
    "fitted on a third. Both other variants: the noise is fitted on the recording itself.",
    "Panel c is said to simulate and judge with the same model, with equal numbers of spikes; it "
    "simulated with input and judged without, and spikes were not matched. Both other variants: "
    "the same input in both, and rounding errors of its own in the recording, since no experiment "
    "shares those of a model; σ is that of all recordings.",
    "With the published constants A and B then match their own recordings but for noise and "
    "digitisation (σ = 2.03 mV), and for slips: after 400 s 24 and 44 of the 400 recordings have "
    "had one. A slip ends, but one recording can make nine tenths of the variance, so that the "
    "standard deviations over recordings do not fall with the length; the widths of the middle "
    "half do. C and D miss their recordings by 10 mV, without rare ones, and narrow.",
    "With the documented constants all models miss their own recordings, by 13.5 to 16.9 mV: "
    "rounding errors grow until the spikes are out of step. A and B take some seconds for this, "
    "and so are widest at 4 000 ms. C fires every 52 ms, like a clock, and stays in or out of step "
    "for tens of seconds. All recordings of a cell share the two states from which recording and "
    "model start; those of C depend on rounding and happened to be nearly in step, so that it is "
    "widest at 40 000 ms.",
    "Digitisation truncates as published, and rounds in both other variants.",
    NO_INPUT,
    LOOSE_SOLVER,
    CIRCUIT,
]
WIDER = (
    "With the input known, the losses of the wrong models are misplaced spikes, rare and large, "
    "which widen both distributions."
)


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers.

    `experiments` is the number of new recordings of each model.

    Each takes minutes of a processor core. Without it the 400 that ship with the package are shown,
    which a GPU made.
    """
    panels_by_variant = {variant: _variant(variant, task, i) for i, variant in enumerate(VARIANTS)}
    comparisons = []
    for variant, panels in panels_by_variant.items():
        for stated, kind, what in (
            (
                STATED_BOOTSTRAP,
                "bootstrap of the example",
                "bootstrap of the example recording, 4000 points",
            ),
            (STATED_RISK, "risk", "risk distribution"),
        ):
            comparisons.append(
                comparison(
                    f"{what}: 95 % less 5 % quantile, mean over the models (the notebook says "
                    "'about')",
                    variant=variant,
                    reference=stated,
                    source=IN_FILES,
                    ours=float(np.mean([_width(values) for values in panels[kind].values()])),
                    standard_error=None,  # the notebook gives one digit
                    explanation=None if variant == AS_PUBLISHED else WIDER,
                )
            )
    simulated = {variant: panels["simulations"] for variant, panels in panels_by_variant.items()}
    numbers = {
        variant: {
            "bootstrap": {
                str(size): {label: _summary(values) for label, values in by_label.items()}
                for size, by_label in panels["bootstrap"].items()
            },
            "simulations": {
                str(size): {
                    label: _summary(each.risks) | _far(each) for label, each in by_label.items()
                }
                for size, by_label in panels["simulations"].items()
            },
            "sigma of the simulations": {
                label: each.sigma for label, each in panels["simulations"][SIZES[0]].items()
            },
        }
        | {
            kind: {label: _summary(values) for label, values in panels[kind].items()}
            for kind in ("bootstrap of the example", "risk")
        }
        for variant, panels in panels_by_variant.items()
    }
    simulations = {
        variant: len(by_size[SIZES[0]]["A"].risks) for variant, by_size in simulated.items()
    }
    return Reproduction(
        figure=_draw(panels_by_variant),
        comparisons=comparisons,
        numbers=numbers,
        settings={
            "simulations": simulations,
            "resamples": RESAMPLES,
            "sizes": SIMULATED_SIZES,
            "c": C,
        },
    )


def _variant(variant: str, task: Task, number: int) -> dict[str, Any]:
    key = partial(stream, task.seed, number)
    example = (
        fit_as_published() if variant == AS_PUBLISHED else fit_corrected(key(1), variant=variant)
    )
    example = {label: example[label] for label in LABELS}
    models, long = _models_as_published() if variant == AS_PUBLISHED else _models_corrected(variant)
    on_long = {label: model.loss(long) for label, model in models.items()}
    return {
        "losses": {label: each.losses.observed for label, each in example.items()},
        "bootstrap of the example": {
            label: _resampled(each.losses.observed, key(5)) for label, each in example.items()
        },
        "bootstrap": {
            size: {
                label: _resampled(values[:size], key(2, size)) for label, values in on_long.items()
            }
            for size in SIZES
        },
        "simulations": _simulations(variant, models, task, number),
        "risk": draw_risks(example, variant, C, N_DRAWS, key(4)),
    }


def _models_as_published() -> tuple[dict[str, NeuronModel], Any]:
    """Candidates without input, their noise fitted to another recording, with the random numbers of
    the example.
    """
    long = observe("LP 1", SIZES[-1], solver=LOOSE, rng=_long_seed())
    other = observe(
        "LP 1", SIZES[-1], solver=LOOSE, rng=seeds.generator("Prinz", "example trace", "data")
    )
    return {
        label: fit(other, cell, driven=False, solver=LOOSE) for label, cell in LABELS.items()
    }, long


def _models_corrected(variant: str) -> tuple[dict[str, NeuronModel], Any]:
    """Candidates with the input of the recording, their noise fitted to it."""
    constants = CONSTANTS[variant]
    long = observe(
        "LP 1", SIZES[-1], rounding="round", variant=constants, solver=ACCURATE, rng=_long_seed()
    )
    return {
        label: fit(long, cell, driven=True, variant=constants, solver=ACCURATE)
        for label, cell in LABELS.items()
    }, long


def _long_seed() -> np.random.Generator:
    return seeds.generator("Prinz", "prinz", "aleatoric-comparison", 0)


class Simulated(NamedTuple):
    """Mean losses of a candidate on recordings of its own cell, of one length.

    Its σ in mV; how many it is out of step with.

    As published nobody asks for the last: a model without input is in step with nothing.
    """

    risks: FloatArray
    sigma: float
    out_of_step: int | None


def _simulations(
    variant: str, models: dict[str, NeuronModel], task: Task, number: int
) -> dict[int, dict[str, Simulated]]:
    """By length and candidate."""
    if task.experiments is None:
        return _by_size(variant, *_committed(variant))
    key = partial(stream, task.seed, number, 3)
    work = [
        (i, label, repeat) for i, label in enumerate(LABELS) for repeat in range(task.experiments)
    ]
    # Threads are enough: the compiled simulator and NumPy's generators do not hold the global lock.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda item: own_squares(models[item[1]], key(item[0], item[2])), work)
        found = np.array([next(done) for _ in track(work, f"simulations {variant}", task.progress)])
    squares = dict(zip(LABELS, found.reshape(len(LABELS), task.experiments, -1), strict=True))
    # As published, σ was fitted to another recording.
    sigma = {
        label: models[label].sigma
        if variant == AS_PUBLISHED
        else float(np.sqrt(each[:, -1].mean()))
        for label, each in squares.items()
    }
    return _by_size(variant, squares, sigma)


def own_squares(
    model: NeuronModel, rng: np.random.Generator, sizes: tuple[int, ...] = SIMULATED_SIZES
) -> FloatArray:
    """Mean squared errors, in mV², of a model on the first L points of one recording of its own
    cell, for each L.

    The recording has input, and rounding errors of its own. A driven model gets that input.
    """
    recording = observe(
        model.cell,
        max(sizes),
        rounding="round" if model.driven else "truncate",
        variant=model.variant,
        solver=model.solver.with_other_rounding(),
        rng=rng,
    )
    squares = (recording.voltage - model.voltage(recording.times, recording.current)) ** 2
    return np.array([squares[:size].mean() for size in sizes])


def risks_of(squares: FloatArray, sigma: float) -> FloatArray:
    """Mean losses of Gaussian noise."""
    return np.asarray(np.log(np.sqrt(2 * np.pi) * sigma) + squares / (2 * sigma**2))


def _committed(variant: str) -> tuple[dict[str, FloatArray], dict[str, float]]:
    """Mean squares, (recordings, lengths), and σ of the recordings that ship with the package."""
    path = resources.files("rivals_paper") / "data" / "records" / f"{NAME}.npz"
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
        sigma = {label: float(archive[f"{variant}/{label}/sigma"]) for label in LABELS}
        risks = {label: archive[f"{variant}/{label}/risks"].astype(float) for label in LABELS}
    return {
        label: (risks[label] - risks_of(np.zeros(1), each)) * 2 * each**2
        for label, each in sigma.items()
    }, sigma


def _by_size(
    variant: str, squares: dict[str, FloatArray], sigma: dict[str, float]
) -> dict[int, dict[str, Simulated]]:
    found: dict[int, dict[str, Simulated]] = {}
    for column, size in enumerate(SIMULATED_SIZES):
        # In step the squares are those of Gaussian noise, nearly: their mean exceeds this once in
        # millions.
        limit = NOISE_SQUARE * (1 + 5 * np.sqrt(2 / size))
        found[size] = {
            label: Simulated(
                risks_of(table[:, column], sigma[label]),
                sigma[label],
                None if variant == AS_PUBLISHED else int((table[:, column] > limit).sum()),
            )
            for label, table in squares.items()
        }
    return found


def _width(values: FloatArray, part: float = 0.9) -> float:
    """From the lowest to the highest of the middle part."""
    low, high = np.quantile(values, [(1 - part) / 2, (1 + part) / 2])
    return float(high - low)


def _summary(values: FloatArray) -> dict[str, float]:
    return {"mean": values.mean(), "std": values.std(), "width_05_95": _width(values)}


def _far(each: Simulated) -> dict[str, Any]:
    """What the standard deviation hides.

    The middle half, the farthest recording's part of the variance, slips.
    """
    squares = (each.risks - each.risks.mean()) ** 2
    found = {
        "width_25_75": _width(each.risks, 0.5),
        "farthest_of_variance": squares.max() / squares.sum(),
    }
    return found if each.out_of_step is None else found | {"out_of_step": each.out_of_step}


def _draw(panels_by_variant: dict[str, dict[str, Any]]) -> Any:
    figure = new_figure(9, 13)
    rows = 2 + len(SIZES) + len(SIMULATED_SIZES)
    axes = figure.subplots(rows, len(panels_by_variant))
    for column, (variant, panels) in zip(axes.T, panels_by_variant.items(), strict=True):
        simulated = panels["simulations"]
        risks = {
            size: {label: each.risks for label, each in by.items()}
            for size, by in simulated.items()
        }
        blocks = (
            ([("a  losses", panels["losses"])], "loss (nats)", 0.02, True),
            (_rows("b  bootstrap", panels["bootstrap"]), "risk (nats per ms)", 0.001, False),
            (_rows("c  simulation", risks), "risk (nats per ms)", 0.0005, True),
            ([("d  risk\ndistribution", panels["risk"])], "risk (nats per ms)", 0.002, False),
        )
        place = iter(column)
        for block, unit, left_out, long_tailed in blocks:
            samples = [values for _, by_label in block for values in by_label.values()]
            points = common_range(samples, left_out=left_out, margin=0.1, n_points=600)
            for last, (name, by_label) in enumerate(block, start=1 - len(block)):
                panel = next(place)
                _densities(panel, by_label, points, long_tailed=long_tailed)
                if column[0] is axes[0, 0]:
                    panel.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)
                if last:
                    panel.tick_params(labelbottom=False)
                else:
                    panel.set_xlabel(unit, fontsize=10)
        for panel, by_label in zip(column[1 + len(SIZES) : -1], simulated.values(), strict=True):
            _ticks(panel, {label: each.risks for label, each in by_label.items()})
            if variant != AS_PUBLISHED:
                counts = "  ".join(
                    f"{label} {each.out_of_step}" for label, each in by_label.items()
                )
                _note(panel, f"out of step: {counts}")
        column[0].set_title(variant, fontsize=12)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=len(labels), fontsize=11, frameon=False
    )
    return figure


def _rows(
    name: str, by_size: dict[int, dict[str, FloatArray]]
) -> list[tuple[str, dict[str, FloatArray]]]:
    """Label the panels of a block: its name on the first, the number of points on all."""
    sizes = [f"{size:,} ms".replace(",", " ") for size in by_size]
    labels = [f"{name}\n{sizes[0]}", *sizes[1:]]
    return list(zip(labels, by_size.values(), strict=True))


def _densities(
    panel: Any, by_label: dict[str, FloatArray], points: FloatArray, *, long_tailed: bool
) -> None:
    drawn = {}
    for label, values in by_label.items():
        if values.size < 2:  # `--experiments 1`: a tick without a curve
            continue
        # Even points alone would miss the peak of a narrow one.
        here = np.union1d(points, np.quantile(values, np.linspace(0, 1, 101)))
        drawn[label] = (here, density(values, here, long_tailed=long_tailed))
    # Areas are equal, as of densities; only where one is very narrow the others are shown a tenth
    # as high at least.
    highest = max((heights.max() for _, heights in drawn.values()), default=1.0)
    for label, (here, heights) in drawn.items():
        heights = heights / max(
            highest if heights.max() > 0.1 * highest else 10 * heights.max(), 1e-300
        )
        panel.fill_between(here, heights, color=COLOURS[label], alpha=0.2, lw=0)
        panel.plot(here, heights, color=COLOURS[label], ls=STYLES[label], lw=1.3, label=label)
    panel.set(xlim=(points[0], points[-1]), ylim=(0, 1.05), yticks=[])


def _ticks(panel: Any, by_label: dict[str, FloatArray]) -> None:
    """Mark values where the density is too low to be seen, below it."""
    for label, values in by_label.items():
        beyond = values
        if values.size > 1:
            heights = density(
                values, np.concatenate([values, [np.median(values)]]), long_tailed=True
            )
            beyond = values[heights[:-1] < 0.02 * heights[-1]]
        panel.plot(
            beyond,
            np.full(beyond.size, -0.09),
            ls="",
            marker="|",
            ms=6,
            mew=1.0,
            color=COLOURS[label],
        )
    panel.set(ylim=(-0.18, 1.05))


def _note(panel: Any, text: str) -> None:
    """Write above the curves."""
    panel.set(ylim=(panel.get_ylim()[0], 1.4))
    panel.text(
        0.98, 0.96, text, transform=panel.transAxes, ha="right", va="top", fontsize=8, color="0.25"
    )


def _resampled(losses: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Risks of data sets resampled from the observed one, with replacement.

    The uncertainty due to few data.
    """
    return np.array(
        [losses[rng.integers(losses.size, size=losses.size)].mean() for _ in range(RESAMPLES)]
    )
