"""Overview of the approach (fig. pipeline-overview), drawn from a real run instead of by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rivals import Calibration, Comparison, Experiment, HierarchicalBetaProcess, calibrate, compare
from rivals.laws.beta import N_DRAWS, draw_seed
from rivals.plots import plot_calibration
from rivals.testbeds import blackbody
from rivals_paper.arrays import FloatArray
from rivals_paper.densities import common_range, density
from rivals_paper.experiments import Experiments
from rivals_paper.method import PROCESS
from rivals_paper.output import Reproduction, Task, new_figure
from rivals_paper.streams import stream

NAME = "overview"
DESCRIPTION = (
    "Overview of the approach: losses, quantile functions, paths, risk distributions, decision, and "
    "calibration"
)

READING = (
    "1 to 4, for each model: the fit to the data; losses on the data and on the model's own "
    "simulations; their quantile functions, whose gap δ is the discrepancy; paths that the process "
    "draws around q*, the more spread the larger c and δ are. 5: the average of each path is a "
    "risk, and their distributions give the decision. 6: where c comes from. In simulated "
    "experiments with other biases of the spectrometer, of which either law is the truth, a curve "
    "in the shaded area is overconfident; the largest c that keeps out of it and names sixty "
    "winners or more is used in 4 and 5."
)
DIFFERENCES = [
    "The published figure is a drawing. This one is a run: 1024 recordings from 6 to 20 µm, both "
    "laws fitted to another spectrum of the same kind, and c found by calibration. The published "
    "drawing names the calibration only."
]

LAWS = {"Planck": "planck", "Rayleigh-Jeans": "rayleigh-jeans"}
N_DATA = 1024
WAVELENGTHS = (6.0, 20.0)
GAIN = 1e5
EXPERIMENTS = 256
C_TRIED = (2.0**-8, 2.0**-5, 2.0**-2, 2.0, 16.0)
MAX_BIAS = 5e-4
N_PATHS = 30
BINS = 16
# Of the two models; in the panels of one model, of the data and the simulations. The discrepancy is
# yellow.
COLOURS, LINE_STYLES, BAND = ("#0072B2", "#D55E00"), ("-", "--"), "#E8C547"
# Part of the losses that a panel shows: a few extreme ones would flatten everything else.
SHOWN = 0.97


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers."""
    n = task.experiments_or(EXPERIMENTS)
    calibration = calibrate(
        {"biased spectrometers": laboratory},
        **PROCESS,
        n_data=N_DATA,
        n_experiments=n,
        c=C_TRIED,
        n_truth=2**14,
        most_truth=2**14,
        loss_unit="nats",
        rng=task.seed,
        progress=task.progress,
    )
    found = {value: _experiments(calibration, value) for value in C_TRIED}
    brier = {
        value: float(np.mean((each.probability[:, 0] - each.truth) ** 2))
        for value, each in found.items()
    }
    training, data = (
        blackbody.observe(
            N_DATA, wavelengths=WAVELENGTHS, gain=GAIN, bias=0.0, rng=stream(task.seed, 2, k)
        )
        for k in (0, 1)
    )
    models = {name: blackbody.fit(training, law=law) for name, law in LAWS.items()}
    # A handful of experiments, as in a test, is too few to call any c valid.
    enough = n >= EXPERIMENTS
    c = float(calibration.choose_c() if enough else min(brier, key=lambda c: brier[c]))
    result = compare(models, data, **PROCESS, c=c, rng=task.seed)
    return Reproduction(
        figure=draw(models, data, result, calibration),
        comparisons=[],  # a drawing has no numbers
        numbers={
            "models": [_model(result, name) for name in result.risk],
            "probability": np.asarray(result.probability),
            "overconfidence": {
                f"{value:g}": float(np.mean(np.maximum(each.excess(0, BINS), 0.0)))
                for value, each in found.items()
            },
            "Brier score": {f"{value:g}": score for value, score in brier.items()},
        },
        settings={
            "c": c,
            "n_data": N_DATA,
            "wavelengths": WAVELENGTHS,
            "gain": GAIN,
            "experiments": n,
        },
    )


def _experiments(calibration: Calibration, c: float) -> Experiments:
    """B and the truth of all experiments at one c; a truth that is undecided counts half."""
    column = calibration.c.index(c)
    truth = np.nan_to_num(calibration.truth, nan=0.5)
    return Experiments(calibration.outcomes["probability"][:, [column]], truth)


def processes_of(result: Comparison) -> dict[str, HierarchicalBetaProcess]:
    """The process of each model, at the c of the comparison."""
    summary: Any = result.summary
    return {
        name: process.at(result.c)
        for name, process in zip(result.risk, summary.processes, strict=True)
    }


def risks_of(result: Comparison) -> dict[str, FloatArray]:
    """The draws of the risk that probabilities were counted in."""
    return {
        name: process.sample_risk(N_DRAWS, draw_seed(result.setting.rng, place))
        for place, (name, process) in enumerate(processes_of(result).items())
    }


def _model(result: Comparison, name: str) -> dict[str, Any]:
    process = processes_of(result)[name]
    low, high = np.quantile(risks_of(result)[name], [0.05, 0.95])
    rejection = result.rejections.get(name)
    return {
        "model": name,
        "empirical_risk": result.risk[name],
        "risk_mean": process.risk_mean,
        "risk_std": process.risk_std,
        "risk_5": low,
        "risk_95": high,
        "survives": rejection is None,
        "rejected_by": None if rejection is None else rejection.by,
        "rejected_with_probability": None if rejection is None else rejection.probability,
    }


def laboratory(rng: np.random.Generator) -> Experiment:
    """Draw an experiment with another spectrometer: its bias, and which law is the truth."""
    bias = float(rng.uniform(-MAX_BIAS, MAX_BIAS))
    law = list(LAWS.values())[int(rng.integers(2))]
    observe = partial(_record, bias=bias, law=law)
    first = observe(N_DATA, rng)
    planck, rayleigh_jeans = (blackbody.fit(first, law=each) for each in LAWS.values())
    return Experiment(observe=observe, candidates=(planck, rayleigh_jeans))


def _record(n: int, rng: np.random.Generator, *, bias: float, law: str) -> blackbody.Spectrum:
    return blackbody.observe(n, wavelengths=WAVELENGTHS, gain=GAIN, bias=bias, law=law, rng=rng)


def draw(
    models: dict[str, blackbody.RadianceModel],
    data: blackbody.Spectrum,
    result: Comparison,
    calibration: Calibration,
) -> Any:
    """One column of steps for each model.

    Below, the verdict, and the calibration from which c comes.
    """
    figure = new_figure(7.2, 12.5)
    grid = figure.add_gridspec(5, 2, height_ratios=[1, 1, 1, 1, 1.5])
    for column, (name, process) in enumerate(processes_of(result).items()):
        panels = [figure.add_subplot(grid[row, column]) for row in range(4)]
        _draw_fit(panels[0], name, models[name], data, COLOURS[column])
        _draw_losses(panels[1], result, name)
        _draw_quantiles(panels[2], process, paths=False)
        _draw_quantiles(panels[3], process, paths=True)
        if column == 0:
            titles = (
                "1  fitted models",
                "2  losses",
                "3  quantile functions",
                "4  process on them",
            )
            for panel, title in zip(panels, titles, strict=True):
                panel.set_title(title, loc="left", fontsize=12, fontweight="bold")
    _draw_risks(figure.add_subplot(grid[4, 0]), result)
    panel = figure.add_subplot(grid[4, 1])
    plot_calibration(calibration, bins=8, band=False, ax=panel)
    panel.set(
        xlabel="stated probability that Planck is better",
        ylabel="part of experiments in which it is",
    )
    panel.set_title("")
    handles, _ = panel.get_legend_handles_labels()
    panel.legend(
        handles,
        [f"$2^{{{np.log2(c):.0f}}}$" for c in calibration.c],
        title="c",
        fontsize=8,
        loc="upper left",
    )
    panel.set_title(
        f"6  calibration: c = $2^{{{np.log2(result.c):.0f}}}$",
        loc="left",
        fontsize=11,
        fontweight="bold",
    )
    return figure


def _draw_fit(
    panel: Any, name: str, model: blackbody.RadianceModel, data: blackbody.Spectrum, colour: str
) -> None:
    # A tenth of the recordings shows them all.
    panel.plot(
        data.wavelength[::10],
        1e3 * data.radiance[::10],
        ".",
        color="0.6",
        ms=2,
        label="held-out data",
    )
    panel.plot(data.wavelength, 1e3 * model.mean(data.wavelength), color=colour, lw=2, label=name)
    panel.set(
        xlabel="wavelength (µm)", ylabel=f"{name}\n" + r"radiance (W m$^{-2}$ nm$^{-1}$ sr$^{-1}$)"
    )
    panel.legend(fontsize=8)


def _draw_losses(panel: Any, result: Comparison, name: str) -> None:
    place = list(result.risk).index(name)
    summary: Any = result.summary
    observed, simulated = summary.observed[place], summary.simulated[place][0]
    high = float(np.quantile(observed, SHOWN))
    bins = np.linspace(min(observed.min(), simulated.min()), high, 60)
    panel.hist(observed, bins, color=COLOURS[0], alpha=0.45, label="on the data")
    panel.hist(simulated, bins, histtype="step", color=COLOURS[1], lw=1.6, label="simulated")
    panel.set(xlabel="loss (nats)", ylabel="data points")
    panel.legend(fontsize=8)


def _draw_quantiles(panel: Any, process: HierarchicalBetaProcess, *, paths: bool) -> None:
    phi = np.linspace(0.0, 1.0, 513)
    observed = process.q(phi)
    simulated = process.simulated[0](phi)
    if paths:
        grid, drawn = process.sample_paths(N_PATHS, rng=0)
        panel.plot(grid, drawn.T, color="0.5", lw=0.5)
        panel.plot([], [], color="0.5", lw=0.8, label="sampled paths")
        panel.plot(phi, observed, "--", color=COLOURS[0], lw=1, label="q*")
    else:
        panel.fill_between(
            phi, observed, simulated, color=BAND, alpha=0.8, lw=0, label="discrepancy δ"
        )
        panel.plot(phi, observed, color=COLOURS[0], lw=2, label="q*, on the data")
        panel.plot(phi, simulated, "--", color=COLOURS[1], lw=1.6, label="q~, simulated")
    low = min(observed[0], simulated[0])
    high = max(float(quantile(SHOWN)) for quantile in (process.q, process.simulated[0]))
    panel.set(
        ylim=(low - 0.05 * (high - low), high + 0.2 * (high - low)),
        xlabel="cumulative probability Φ",
        ylabel="loss (nats)",
    )
    panel.legend(fontsize=8, loc="upper left")


def _draw_risks(panel: Any, result: Comparison) -> None:
    risks = risks_of(result)
    points = common_range(list(risks.values()), left_out=0.005, margin=0.1, n_points=400)
    for name, colour, line in zip(result.risk, COLOURS, LINE_STYLES, strict=True):
        heights = density(risks[name], points)
        label = name + (" (rejected)" if name in result.rejections else "")
        panel.plot(points, heights, color=colour, ls=line, lw=2, label=label)
        panel.fill_between(points, heights, color=colour, alpha=0.15, lw=0)
        panel.axvline(result.risk[name], ymax=0.05, color=colour, lw=2.5)
    probability = result.probability[result.best, result.ranking[1]]
    panel.set_title("5  risks and decision", loc="left", fontsize=12, fontweight="bold")
    panel.set(
        xlabel="risk R (nats; ticks: empirical risks)", ylabel="probability density", ylim=(0, None)
    )
    panel.set_ylim(top=1.7 * panel.get_ylim()[1])
    rejected = bool(result.rejections)
    panel.text(
        0.03,
        0.97,
        f"{result.best} has the lower risk with\nprobability {probability:.3f} "
        f"{'>' if rejected else '≤'} {result.setting.threshold:g}: "
        f"{'rejects' if rejected else 'does not reject'}\n{result.ranking[1]} (c = "
        f"$2^{{{np.log2(result.c):.0f}}}$)",
        transform=panel.transAxes,
        va="top",
        fontsize=8,
    )
    panel.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.0, 0.8))
