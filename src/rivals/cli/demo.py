"""`rivals demo`: three laws of black body radiation, where one of them failed in 1900."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import numpy as np
import typer

from rivals._compare import compare
from rivals._core.candidates import Candidate
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses
from rivals._core.optional import need
from rivals._core.seeds import DEMO_HELD_OUT, stream
from rivals._result.comparison import Comparison
from rivals.cli.options import number
from rivals.testbeds import blackbody

# 4 to 10 µm at 4000 K, and few photons: Wien's law fails there, that of Rayleigh and Jeans nearly
# holds.
N_POINTS = 4096
WAVELENGTHS = (4.0, 10.0)
TEMPERATURE = 4000.0
GAIN = 1.6e3
LAWS = ("Planck", "Rayleigh-Jeans", "Wien")
# Laboratories differ in the temperature of their body, and in the bias of their detector.
N_LABORATORIES = 12
POINTS_OF_EACH = 512
SPREAD_OF_TEMPERATURE = 60.0
SPREAD_OF_BIAS = 5e-4
WIDTH = 96


@dataclass(frozen=True)
class Story:
    """What is told.

    Attributes
    ----------
    held_out : Spectrum
        One recording, by which the laws are judged.
    candidates : dict
        The three laws, fitted to another recording.
    one, paper : Comparison
        On one recording: by the default method, and by the algorithm of the paper.
    many : Comparison
        In several laboratories.
    """

    held_out: blackbody.Spectrum
    candidates: dict[str, Candidate]
    one: Comparison
    paper: Comparison
    many: Comparison


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the page.")] = Path(
        "rivals-demo"
    ),
    c: Annotated[
        Any, typer.Option(parser=number, metavar="NUMBER", help="Sensitivity to the misfit.")
    ] = None,
    rng: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
) -> None:
    """Tell an example step by step: three laws of black body radiation.

    Example: rivals demo --out demo --c 2^-6
    """
    out.mkdir(parents=True, exist_ok=True)
    story = told(c, rng)
    for number_of_step, (text, result) in enumerate(steps(story), start=1):
        print(fill(f"{number_of_step}. {text}", WIDTH))
        print(f"\n{result.table}\n\n{fill(result.conclusion, WIDTH)}\n" if result else "")
    print("\n".join(pictures(story, out)))


def told(c: float | None, rng: int) -> Story:
    """Make recordings, fit the laws, and compare them.

    Examples
    --------
    >>> told(None, 0).one.survivors
    ('Planck', 'Rayleigh-Jeans')
    """
    training, held_out = (
        blackbody.observe(
            N_POINTS,
            wavelengths=WAVELENGTHS,
            temperature=TEMPERATURE,
            gain=GAIN,
            rng=stream(rng, DEMO_HELD_OUT, recording),
        )
        for recording in (0, 1)
    )
    candidates = {name: blackbody.fit(training, law=name.lower()) for name in LAWS}
    return Story(
        held_out,
        dict(candidates),
        compare(candidates, held_out, c=c, rng=rng),
        compare(candidates, held_out, method="paper", rng=rng),
        compare(in_laboratories(candidates, rng)),
    )


def in_laboratories(candidates: dict[str, Any], rng: int) -> dict[str, Losses]:
    """Losses of the same fitted laws on recordings of several laboratories."""
    generator = stream(rng, DEMO_HELD_OUT, 2)
    recordings = [
        blackbody.observe(
            POINTS_OF_EACH,
            wavelengths=WAVELENGTHS,
            temperature=generator.normal(TEMPERATURE, SPREAD_OF_TEMPERATURE),
            bias=generator.normal(0.0, SPREAD_OF_BIAS),
            gain=GAIN,
            rng=generator,
        )
        for _ in range(N_LABORATORIES)
    ]
    labels = np.repeat([f"lab {place + 1}" for place in range(N_LABORATORIES)], POINTS_OF_EACH)
    laboratory = Grouping.of(labels, "laboratory")
    return {
        name: Losses(
            np.concatenate([model.loss(recording) for recording in recordings]),
            groups=laboratory,
            left_out=False,
            unit="nats",
        )
        for name, model in candidates.items()
    }


def steps(story: Story) -> list[tuple[str, Comparison | None]]:
    """Each step: what is done and why, and a result to print."""
    kept = "; ".join(
        f"c = {value:g}: {', '.join(at.survivors)}" for value, at in story.one.sweep().items()
    )
    return [
        (
            f"A body of {TEMPERATURE:g} K is recorded between {WAVELENGTHS[0]:g} and "
            f"{WAVELENGTHS[1]:g} µm. Three laws of its radiation are fitted to {N_POINTS} points "
            "and judged on a second recording. The loss is the negative log density. Each law "
            "also simulates recordings: how far the losses on these are from the losses on the "
            "data is its misfit, and a replication may move its risk by as much as that.",
            story.one,
        ),
        (
            f"How much of the misfit may change is the sensitivity c, which one recording does not "
            f"tell. Not rejected at {kept}. A small c trusts the models, a large "
            "one does not. `rivals calibrate` finds c from experiments that you simulate.",
            None,
        ),
        (
            "The algorithm of René and Longtin (2025), in one word `--method paper`, with its "
            "c of 1 "
            "and a hierarchical beta process in place of the default method:",
            story.paper,
        ),
        (
            f"Repeating the measurement answers more than any c. The same fitted laws in "
            f"{N_LABORATORIES} laboratories, whose bodies and detectors differ a little, "
            f"{POINTS_OF_EACH} points in each:",
            story.many,
        ),
    ]


def pictures(story: Story, folder: Path) -> list[str]:
    """Write pictures and the page; a line for each, also for one whose package is missing."""
    parts: dict[str, Callable[[Path], object]] = {
        "risks.png": lambda path: _draw(path, "plot_risks", [story.one]),
        "paths.png": lambda path: _draw(path, "plot_quantiles", _processes(story)),
        "laboratories.png": lambda path: _draw(path, "plot_forest", [story.many]),
        "report.html": story.many.report,
    }
    lines = []
    for name, write in parts.items():
        try:
            write(folder / name)
            lines.append(f"Written: {folder / name}")
        except ImportError as error:
            lines.append(f"Not written, {name}: {error}")
    return lines


def _processes(story: Story) -> list[Any]:
    """Of the best law: the process of the paper, and that of the default method."""
    from rivals.laws import HierarchicalBetaProcess, TransportLaw

    losses = story.candidates[story.one.ranking[0]].losses(story.held_out, rng=0)
    return [
        kind.from_losses(losses, c=story.one.c) for kind in (HierarchicalBetaProcess, TransportLaw)
    ]


def _draw(path: Path, picture: str, results: list[Any]) -> None:
    """One picture of each result, side by side."""
    figure_module = need("matplotlib.figure", extra="plot", purpose="pictures")
    from rivals import plots

    size = (6.4 * len(results), 4.8)
    figure = figure_module.Figure(size, layout="constrained")
    axes = figure.subplots(1, len(results), squeeze=False)[0]
    for result, ax in zip(results, axes, strict=True):
        getattr(plots, picture)(result, ax=ax)
    figure.savefig(path, dpi=150)
