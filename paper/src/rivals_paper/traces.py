"""Traces of the neuron example (fig. prinz example-traces): the input cell, the recording, and the candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals.testbeds import seeds
from rivals.testbeds.pyloric import ACCURATE, LABELS, LOOSE, observe, sample_times, simulate
from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    COLOURS,
    LOOSE_SOLVER,
    N_DATA,
    TAU,
    example_input,
)
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, comparison, new_figure, published

NAME = "traces"
DESCRIPTION = "Voltages of the neuron example: AB, the recording of LP 1, and of the four candidates"

READING = (
    "Voltage against time. Top: the driving cell AB. Below: recordings of the follower cell of five models, with "
    "external input, observation noise (2 mV) and digitisation; LP 1 is the data, A to D are the candidates' cells."
)
DIFFERENCES = [
    "The caption calls the AB trace the input of all recordings; it was computed without the external current, which in "
    "the recordings enters AB too. Corrected: AB as it was while LP 1 was recorded.",
    LOOSE_SOLVER,
    "Voltages were truncated towards zero, not rounded, which shifts them by +0.5 mV. Corrected: rounded.",
]
WINDOW = 5000  # ms from 3000 ms on, in which the original simulator's spikes were counted


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers."""
    times = sample_times(N_DATA)
    traces = {
        AS_PUBLISHED: {"AB": simulate("LP 1", times, solver=LOOSE)[0]},
        CORRECTED: {"AB": simulate("LP 1", times, current=example_input(), solver=ACCURATE)[0]},
    }
    for label, cell in {"LP 1": "LP 1", **LABELS}.items():
        purpose = "data" if label == "LP 1" else label
        for variant in (AS_PUBLISHED, CORRECTED):
            traces[variant][label] = observe(
                cell,
                N_DATA,
                tau=TAU,
                solver=LOOSE if variant == AS_PUBLISHED else ACCURATE,
                rounding="truncate" if variant == AS_PUBLISHED else "round",
                rng=seeds.generator("Prinz", "example trace", purpose),
            ).voltage
    numbers = {
        variant: {name: _numbers(v, times) for name, v in by_name.items()} for variant, by_name in traces.items()
    }
    return Reproduction(
        figure=_draw(traces, times),
        comparisons=_spikes(),
        numbers=numbers,
        settings={"n_data": N_DATA, "seeds": "those of the original study"},
    )


def _spikes() -> list[dict[str, Any]]:
    """Spikes of the unperturbed circuits beside those of the original simulator."""
    times = sample_times(WINDOW)
    theirs = published("neuron_example")["reference"]
    rows = []
    for variant, solver in ((AS_PUBLISHED, LOOSE), (CORRECTED, ACCURATE)):
        for cell, counts in theirs.items():
            ab, lp = (spike_times(v, times) for v in simulate(cell, times, solver=solver))
            onsets = ab[1:][np.diff(ab) > 150]
            rows += [
                comparison(
                    f"{cell}: spikes in 5 s without input",
                    variant=variant,
                    published=counts["lp_spikes"],
                    ours=float(len(lp)),
                    # Between runs of the original that differ in settling time, 1 to 5.
                    standard_error=3.0,
                ),
                comparison(
                    f"{cell}: period of the bursts of AB, ms",
                    variant=variant,
                    published=counts["period"],
                    ours=float(np.diff(onsets).mean()),
                    standard_error=3.0,
                ),
            ]
    return rows


def spike_times(v: FloatArray, times: FloatArray) -> FloatArray:
    """Upward crossings of 0 mV."""
    i = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
    return np.asarray(times[i] - v[i] / (v[i + 1] - v[i]))


def _numbers(v: FloatArray, times: FloatArray) -> dict[str, Any]:
    return {"spikes": len(spike_times(v, times)), "mean": v.mean(), "std": v.std(), "voltage": np.round(v, 2)[::4]}


def _draw(traces: dict[str, dict[str, FloatArray]], times: FloatArray) -> Any:
    figure = new_figure(13, 9)
    names = list(traces[AS_PUBLISHED])
    titles = {"AB": "AB (input cell)", "LP 1": "LP 1 (data)"}
    for column, variant in enumerate((AS_PUBLISHED, CORRECTED)):
        for row, name in enumerate(names):
            axes = figure.add_subplot(len(names), 2, 1 + 2 * row + column)
            axes.plot(times / 1000, traces[variant][name], lw=0.6, color=COLOURS.get(name, "black"))
            axes.set(ylim=(-85, 60), xlim=(3, 7))
            axes.text(
                0.01,
                0.95,
                titles.get(name, f"{name} ({LABELS.get(name)})"),
                transform=axes.transAxes,
                va="top",
                fontsize=9,
                bbox={"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1},
            )
            if row == 0:
                axes.set_title(variant)
            if row < len(names) - 1:
                axes.set_xticklabels([])
            else:
                axes.set_xlabel("time since the cells were connected (s)")
            if column == 0:
                axes.set_ylabel("V (mV)", fontsize=9)
    figure.suptitle(
        "The example: AB drives one of five LP cells; each is recorded with input, noise and digitisation", fontsize=11
    )
    return figure
