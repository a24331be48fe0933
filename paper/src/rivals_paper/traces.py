"""Traces of the neuron example (fig. prinz example-traces).

The input cell, the recording, and the candidates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper import seeds
from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    CIRCUIT,
    COLOURS,
    CONSTANTS,
    LOOSE_SOLVER,
    N_DATA,
    SCALE,
    STRENGTH,
    TAU,
    accurate_voltage,
    example_input,
    example_noise,
    integrate_copies,
)
from rivals_paper.output import (
    AS_PUBLISHED,
    CORRECTED,
    RERUN,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
    published,
)
from rivals_paper.pyloric import ACCURATE, LABELS, LOOSE, digitise, observe, sample_times, simulate

NAME = "traces"
DESCRIPTION = (
    "Voltages of the neuron example: AB, the recording of LP 1, and of the four candidates"
)

READING = (
    "Top: the circuit; AB drives LP, and the external current enters both. Below: voltage against "
    "time of AB, and recordings of LP in five models, with observation noise (2 mV) and "
    "digitisation; LP 1 is the data, A to D are the candidates. As published: AB without the "
    "current, and every recording with a current of its own. Else: all with the current of the "
    "data, and AB as it was while LP 1 was recorded."
)
DIFFERENCES = [
    "The caption calls the AB trace the input of all recordings; it was computed without the "
    "external current, which in the recordings enters AB too, and every recording had a current of "
    "its own. Both other variants: one current for all.",
    LOOSE_SOLVER,
    CIRCUIT,
    "Voltages were truncated towards zero, not rounded, which shifts them by +0.5 mV. Both other "
    "variants: rounded.",
]
RECORDED = {"LP 1": "LP 1", **LABELS}
WINDOW = 5000  # ms from 3000 ms on, in which the original simulator's spikes were counted
COPIES = 8
EXPLANATIONS = {
    CORRECTED: "Other cells: with the membrane area in the calcium influx AB bursts at another "
    "rhythm with twice as many spikes, and the synapse of 3 nS inhibits where that of 3 mS/cm² "
    "excited and blocked LP for as long as AB spiked.",
}
SYNAPSES = {
    "published": "excites: +80 mV, 3 mS/cm²",
    "prinz2004": "inhibits: −70 mV, 3 nS",
}


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers."""
    integrate_copies(COPIES, task.progress)
    times = sample_times(N_DATA)
    traces = {variant: _traces(variant, times) for variant in VARIANTS}
    numbers = {
        variant: {name: _numbers(v, times) for name, v in by_name.items()}
        for variant, by_name in traces.items()
    }
    for variant in CONSTANTS:
        for name, cell in RECORDED.items():
            counts = [
                len(spike_times(accurate_voltage(cell, variant, copy), times))
                for copy in range(COPIES)
            ]
            numbers[variant][name] |= {
                "spikes, mean of copies": np.mean(counts),
                "spikes, spread of copies": np.std(counts, ddof=1),
            }
    return Reproduction(
        figure=_draw(traces, times),
        comparisons=_spikes(),
        numbers=numbers,
        settings={"n_data": N_DATA, "copies": COPIES, "seeds": "those of the original study"},
    )


def _traces(variant: str, times: FloatArray) -> dict[str, FloatArray]:
    """AB, and the recordings of all five LP cells."""
    if variant == AS_PUBLISHED:
        recordings = {
            name: observe(
                cell,
                N_DATA,
                tau=TAU,
                strength=STRENGTH,
                scale=SCALE,
                rng=seeds.generator("Prinz", "example trace", "data" if name == "LP 1" else name),
            ).voltage
            for name, cell in RECORDED.items()
        }
        return {"AB": simulate("LP 1", times)[0], **recordings}
    ab = simulate(
        "LP 1", times, current=example_input(), variant=CONSTANTS[variant], solver=ACCURATE
    )[0]
    recordings = {
        name: digitise(
            accurate_voltage(cell, variant, 0)
            + example_noise(recording="data" if name == "LP 1" else name),
            "round",
        )
        for name, cell in RECORDED.items()
    }
    return {"AB": ab, **recordings}


def _spikes() -> list[dict[str, Any]]:
    """Spikes of the unperturbed circuits beside those of the original simulator."""
    times = sample_times(WINDOW)
    theirs = published("neuron_example")["reference"]
    rows = []
    for variant in VARIANTS:
        solver = LOOSE if variant == AS_PUBLISHED else ACCURATE
        for cell, counts in theirs.items():
            voltages = simulate(
                cell, times, variant=CONSTANTS.get(variant, "published"), solver=solver
            )
            ab, lp = (spike_times(v, times) for v in voltages)
            onsets = ab[1:][np.diff(ab) > 150]
            for what, value, ours in (
                ("spikes in 5 s without input", counts["lp_spikes"], len(lp)),
                ("period of the bursts of AB, ms", counts["period"], np.diff(onsets).mean()),
            ):
                rows.append(
                    comparison(
                        f"{cell}: {what}",
                        variant=variant,
                        reference=value,
                        source=RERUN,
                        ours=float(ours),
                        # Between runs of the original that differ in settling time, 1 to 5.
                        standard_error=3.0,
                        explanation=EXPLANATIONS.get(variant),
                    )
                )
    return rows


def spike_times(v: FloatArray, times: FloatArray) -> FloatArray:
    """Upward crossings of 0 mV."""
    i = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
    return np.asarray(times[i] - v[i] / (v[i + 1] - v[i]))


def _numbers(v: FloatArray, times: FloatArray) -> dict[str, Any]:
    return {
        "spikes": len(spike_times(v, times)),
        "mean": v.mean(),
        "std": v.std(),
        "voltage": np.round(v, 2)[::4],
    }


def _draw(traces: dict[str, dict[str, FloatArray]], times: FloatArray) -> Any:
    figure = new_figure(7.2, 9.5)
    names = list(traces[AS_PUBLISHED])
    grid = figure.add_gridspec(
        1 + len(names), len(VARIANTS), height_ratios=[1.15] + [1] * len(names)
    )
    titles = {"AB": "b  AB", "LP 1": "c  LP 1, the data"} | {
        name: f"d  {name} ({cell})" for name, cell in LABELS.items()
    }
    for column, variant in enumerate(VARIANTS):
        circuit = figure.add_subplot(grid[0, column])
        circuit.set_title(variant, fontsize=11)
        _draw_circuit(
            circuit,
            SYNAPSES[CONSTANTS.get(variant, "published")],
            one_input=variant != AS_PUBLISHED,
        )
        for row, name in enumerate(names):
            axes = figure.add_subplot(grid[1 + row, column])
            axes.plot(times / 1000, traces[variant][name], lw=0.6, color=COLOURS.get(name, "black"))
            axes.set(ylim=(-85, 75), xlim=(3, 7), xticks=range(3, 8), yticks=(-50, 0, 50))
            axes.text(
                0.015,
                0.96,
                titles[name] + (", no current" if name == "AB" and variant == AS_PUBLISHED else ""),
                transform=axes.transAxes,
                va="top",
                fontsize=9,
                bbox={"facecolor": "white", "alpha": 0.85, "lw": 0, "pad": 1},
            )
            if row < len(names) - 1:
                axes.set_xticklabels([])
            else:
                axes.set_xlabel("time since connection (s)", fontsize=9)
            if column:
                axes.set_yticklabels([])
            else:
                axes.set_ylabel("V (mV)", fontsize=11)
    return figure


def _draw_circuit(axes: Any, synapse: str, *, one_input: bool) -> None:
    """Two cells, the synapse between them, and the current that enters both."""
    from matplotlib.patches import Circle

    inhibits = synapse.startswith("inhibits")
    for x, name in ((0.9, "AB"), (3.1, "LP")):
        axes.add_patch(Circle((x, 0.62), 0.42, facecolor="white", edgecolor="black", lw=1.5))
        axes.text(x, 0.62, name, ha="center", va="center", fontsize=11)
        arrow = {"arrowstyle": "->", "lw": 1.2, "color": "0.4"}
        axes.annotate("", xy=(x, 1.06), xytext=(x, 1.58), arrowprops=arrow)
    # A filled dot inhibits, an arrow excites, as in circuit diagrams.
    end = "-" if inhibits else "-|>"
    axes.annotate(
        "",
        xy=(2.66, 0.62),
        xytext=(1.32, 0.62),
        arrowprops={"arrowstyle": end, "lw": 1.8, "color": "black"},
    )
    if inhibits:
        axes.plot(2.58, 0.62, "o", color="black", ms=7)
    axes.text(
        2.0,
        1.62,
        "current " + ("of the data" if one_input else "of each recording"),
        ha="center",
        fontsize=9,
    )
    axes.text(0.0, 1.62, "a", fontsize=10)
    axes.text(2.0, -0.08, synapse, ha="center", fontsize=9)
    axes.set(xlim=(0, 4), ylim=(-0.15, 1.95), aspect="equal")
    axes.axis("off")
