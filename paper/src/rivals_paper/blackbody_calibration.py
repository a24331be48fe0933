"""Calibration of c for the black body models, over spectrometers of unknown bias (fig. c-calib-explainer_uv)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rivals import HierarchicalBetaProcess, Losses, calibrate
from rivals._random import entropy_from, stream
from rivals._types import RNG, FloatArray
from rivals.calibration.curve import CalibrationCurve, calibration_curve
from rivals.core import probability_below
from rivals.testbeds import blackbody, seeds
from rivals_paper.mirrored import probability_as_published
from rivals_paper.output import AS_PUBLISHED, CORRECTED, comparison, new_figure, published, write
from rivals_paper.progress import track

NAME = "blackbody-calibration"
DESCRIPTION = "Calibration of c for Planck and Rayleigh-Jeans, over spectrometers of unknown bias"

# As many as fit into ten minutes on two busy cores; the published run had 4096.
EXPERIMENTS = 512
BIN_SIZE = 32
LOG2_C = (-15, -12, -9, -6, -3, 0, 3, 6)
PANELS = ((-15, -12), (-9, -6, -3), (0, 3, 6))
EXACT_LIMITS = "published experiments, exact process"
# Sizes of the published experiments: of the spectrum, of that to which the noise is fitted, of that for the truth.
N_PUBLISHED, N_FIT, N_TRUTH = 1024, 4096, 12288
N_DRAWS_PUBLISHED = 256
# The paper says 4096 points; the published run had 1024.
N_DATA = 4096


READING = (
    "Each point is a bin of 32 simulated experiments: how probable it was said to be that Planck has the lower risk, and "
    "how often it has. On the diagonal the two agree; in the shaded areas the criterion is overconfident."
)
DIFFERENCES = [
    "The limits of the original solver are mirrored: for small c (metric variance below 1e-8) the process was centred on "
    "the wrong half of each interval. At c = 2^-15 it picked the better model in 77 % of the experiments; the exact "
    "process on the same experiments does in nearly all. Most of the overconfidence of the left panel is this error.",
    "Spectra had 1024 points where the paper says 4096; the corrected run has 4096. The truth is found on independent "
    "data instead of a replay of the same random numbers, and the noise is fitted by maximum likelihood.",
]


def run(out: Path, *, experiments: int | None, rng: RNG, progress: bool) -> dict[str, Any]:
    """Write the picture and the numbers."""
    entropy = entropy_from(rng)
    n = EXPERIMENTS if experiments is None else experiments
    stored = published("calibration")
    out.mkdir(parents=True, exist_ok=True)
    found = _kept(out / f"{NAME}-{n}-{entropy}.npz", n, entropy, progress)
    calibration = calibrate(
        {"bias sweep": blackbody.bias_sweep},
        n_data=N_DATA,
        n_experiments=n,
        c=[2.0**k for k in LOG2_C],
        n_truth=2**15,
        loss_unit="nats",
        rng=entropy,
        store=out / f"{NAME}-{n}.sqlite",
        progress=progress,
    )
    records = calibration.records
    by_c = {2.0**k: records[records["c"] == 2.0**k] for k in LOG2_C}
    found[CORRECTED] = {k: by_c[2.0**k]["probability"] for k in LOG2_C}
    truths = dict.fromkeys((AS_PUBLISHED, EXACT_LIMITS), found["truth"])
    truths[CORRECTED] = by_c[1.0]["truly_better"].astype(float)
    bins = max(n // BIN_SIZE, 1)
    curves = {
        variant: {k: calibration_curve(found[variant][k], truth, bins=bins) for k in LOG2_C}
        for variant, truth in truths.items()
    }
    summaries = {
        variant: {k: _summary(found[variant][k], truth, curves[variant][k]) for k in LOG2_C}
        for variant, truth in truths.items()
    }
    numbers = {
        variant: {
            f"2^{k}": {**summaries[variant][k], "predicted": curve.predicted, "observed": curve.observed}
            for k, curve in by_k.items()
        }
        for variant, by_k in curves.items()
    }
    return write(
        out,
        NAME,
        figure=_draw(curves),
        reading=READING,
        differences=DIFFERENCES,
        comparisons=_comparisons(stored, summaries, n),
        numbers=numbers,
        settings={
            "seed": entropy,
            "experiments": n,
            "bin_size": BIN_SIZE,
            "n_data": {"published": N_PUBLISHED, "corrected": N_DATA},
        },
    )


def _kept(path: Path, n: int, entropy: int, progress: bool) -> dict[str, Any]:
    """Run the published experiments, or read what an earlier run with this number and seed has kept of them."""
    if not path.exists():
        fresh = _published_experiments(n, entropy, progress)
        flat = {f"{variant}|{k}": fresh[variant][k] for variant in (AS_PUBLISHED, EXACT_LIMITS) for k in LOG2_C}
        np.savez_compressed(path, truth=fresh["truth"], **flat)
        return fresh
    with np.load(path, allow_pickle=False) as archive:
        found: dict[str, Any] = {
            variant: {k: archive[f"{variant}|{k}"] for k in LOG2_C} for variant in (AS_PUBLISHED, EXACT_LIMITS)
        }
        found["truth"] = archive["truth"]
    return found


def _published_experiments(n: int, entropy: int, progress: bool) -> dict[str, Any]:
    """Run the first experiments of the published study: its data bit for bit, both processes."""
    designs = seeds.generator("uv", "calibration", "bias-only")
    found: dict[str, Any] = {variant: {k: np.empty(n) for k in LOG2_C} for variant in (AS_PUBLISHED, EXACT_LIMITS)}
    found["truth"] = np.empty(n)
    for i in track(range(n), "published experiments", progress):
        # The order of draws matters: first the bias, then the law.
        bias, law = float(designs.uniform(-1e-4, 1e-4)), ("rayleigh-jeans", "planck")[int(designs.integers(2))]
        keys = ("uv", "calibration", "fit candidates", i + 1)
        first, data, truth = (
            blackbody.observe(size, bias=bias, law=law, purpose=keys) for size in (N_FIT, N_PUBLISHED, N_TRUTH)
        )
        models = [blackbody.fit(first, law=name, temperature=4000.0, method="published") for name in blackbody.LAWS]
        found["truth"][i] = float(models[0].loss(truth).mean() < models[1].loss(truth).mean())
        simulated = [
            _simulated(model, data, keys, title) for model, title in zip(models, ("Planck", "RJ"), strict=True)
        ]
        for j, k in enumerate(LOG2_C):
            generator = stream(entropy, i, j)
            block = _block(i, j)
            pair = [Losses(model.loss(data), losses[block]) for model, losses in zip(models, simulated, strict=True)]
            found[AS_PUBLISHED][k][i] = probability_as_published(
                pair[0], pair[1], 2.0**k, N_DRAWS_PUBLISHED, generator
            )[0]
            draws = [
                np.sort(HierarchicalBetaProcess.from_losses(losses, c=2.0**k).sample_risk(2048, generator))
                for losses in pair
            ]
            found[EXACT_LIMITS][k][i] = probability_below(draws[0], draws[1])[0]
    return found


def _simulated(
    model: blackbody.RadianceModel, data: blackbody.Spectrum, keys: tuple[Any, ...], title: str
) -> FloatArray:
    """Return eight blocks of losses of simulated spectra, drawn one after the other."""
    generator = seeds.generator(*keys, f"candidate {title}")
    return np.array([model.loss(model.simulate(len(data), generator)) for _ in LOG2_C])


def _block(experiment: int, place: int) -> int:
    """Return which block the published run used: its generators travelled with the work, 12 comparisons at a time."""
    number = len(LOG2_C) * experiment + place
    return number - max(12 * (number // 12), len(LOG2_C) * experiment)


def _summary(probability: FloatArray, truth: FloatArray, curve: CalibrationCurve) -> dict[str, float]:
    decided = np.where(probability == 0.5, 0.5, (probability > 0.5) == (truth > 0.5))
    return {
        "share exactly 0 or 1": float(np.mean((probability == 0) | (probability == 1))),
        "picks the truly better model": float(decided.mean()),
        "overconfident bins": float(np.mean(curve.excess > 0)),
        "worst excess": float(curve.excess.max()),
    }


def _comparisons(stored: dict[str, Any], summaries: dict[str, Any], n: int) -> list[dict[str, Any]]:
    rows = []
    for what in ("share exactly 0 or 1", "picks the truly better model", "overconfident bins"):
        counted = max(n // BIN_SIZE, 1) if what == "overconfident bins" else n
        for i, k in enumerate(stored["log2_c"]):
            theirs = stored[what][i]
            # Of the part of the experiments that was repeated; one count more and one less keep it from being zero.
            share = (theirs * counted + 1) / (counted + 2)
            error = float(np.sqrt(share * (1 - share) / counted))
            for variant in (AS_PUBLISHED, CORRECTED):
                ours = summaries[variant][k][what]
                rows.append(
                    comparison(f"c = 2^{k}: {what}", variant=variant, published=theirs, ours=ours, standard_error=error)
                )
    return rows


def _draw(curves: dict[str, dict[int, CalibrationCurve]]) -> Any:
    figure = new_figure(13, 13)
    axes = figure.subplots(3, 3, sharex=True, sharey=True)
    colours, markers = ("#000000", "#D55E00", "#56B4E9"), ("o", "s", "^")
    for row, (variant, by_c) in zip(axes, curves.items(), strict=True):
        for panel, group in zip(row, PANELS, strict=True):
            panel.fill_between([0, 0.5, 1], [0, 0.5, 1], [1, 0.5, 1], color="0.88", lw=0)
            panel.fill_between([0, 0.5, 1], [0, 0.5, 0], [0, 0.5, 1], color="0.88", lw=0)
            for k, colour, marker in zip(group, colours, markers, strict=False):
                curve = by_c[k]
                panel.plot(
                    curve.predicted,
                    curve.observed,
                    ls=":",
                    lw=0.8,
                    marker=marker,
                    ms=3.5,
                    color=colour,
                    label=f"$2^{{{k}}}$",
                )
            panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            panel.set_title(variant, fontsize=10)
            panel.legend(title="c", fontsize=8, title_fontsize=8, loc="lower right")
        row[0].set_ylabel("how often Planck is truly better")
    for panel in axes[-1]:
        panel.set_xlabel("probability that Planck has the lower risk")
    figure.suptitle(
        "Calibration over spectrometers of unknown bias: each point a bin of 32 experiments.\n"
        "On the diagonal the criterion says what is true; grey: overconfident. Middle row: only the mirrored limits mended.",
        fontsize=12,
    )
    return figure
