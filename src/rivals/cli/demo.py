"""`rivals demo`: three laws of black body radiation on a recording of long waves, where one of them failed in 1900."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import typer

from rivals._checks import need, show
from rivals._files import replacing
from rivals._random import DEMO_HELD_OUT, entropy_from, stream
from rivals._types import RNG
from rivals.cli.options import described
from rivals.cli.outputs import check_output_folder
from rivals.comparison import Comparison, Sweep
from rivals.comparison import compare as compare_models
from rivals.comparison.shown import made_with

# 4 to 10 µm at 4000 K, and few photons: Wien's law fails there, that of Rayleigh and Jeans nearly holds.
N_POINTS = 4096
RECORDING: dict[str, Any] = {"wavelengths": (4.0, 10.0), "temperature": 4000.0, "gain": 1.6e3}
C_SWEPT = [2.0**k for k in range(-6, 4)]

NEXT = (
    "Next: `rivals demo --c 2^-6` for the other verdict, the sliders of the report, and `rivals calibrate`: c cannot be read "
    "off one recording, but it can be found from experiments that you simulate (docs/choose-c.md)."
)
WIDTH = 100
# In the middle of the range that the paper names for black body radiation, 2⁻⁶ to 2³.
PAPERS_C = 2.0**-2


@described(seed="Seed of the random numbers.")
def demo(
    out: Path = Path("rivals-demo"),
    law: str | None = None,
    c: str | None = None,
    threshold: float = 0.95,
    n_simulations: int | None = None,
    seed: int = 0,
) -> None:
    """Compare three laws of black body radiation, under the default law of the risk and under the paper's. Say what the verdict
    depends on, and write a report.

    Example: rivals demo --out report --c 2^-6
    """
    from rivals.cli.console import print_result, working
    from rivals.cli.values import read_c

    check_output_folder(out, "--out")
    with working("Recording, fitting and comparing …"):
        result = blackbody_comparison(law=law, c=read_c(c), threshold=threshold, n_simulations=n_simulations, rng=seed)
        paper = blackbody_comparison(law="beta", n_simulations=1, c=PAPERS_C, threshold=threshold, rng=seed)
    print_result(result)
    typer.echo(f"\n{fill(side_by_side(result, paper), WIDTH)}")
    for sentences in (f"In other words, {in_other_words(result)}", what_c_does(result.sweep(C_SWEPT)), NEXT):
        typer.echo(f"\n{fill(sentences, WIDTH)}")
    with working("Writing the report …"):
        written, missing = write_report(result, paper, out)
    typer.echo("\nWritten:")
    for path in written:
        typer.echo(f"  {show(path)}")
    for sentence in missing:
        typer.echo(f"Not written, {sentence}")


def blackbody_comparison(*, rng: RNG = 0, **settings: Any) -> Comparison:
    """Compare the laws of Planck, of Rayleigh and Jeans, and of Wien on held-out data.

    Each is fitted by maximum likelihood to one recording (4 096 points, 4 to 10 µm, a body of 4 000 K) and judged on a
    second one. All three assume Gaussian noise of constant width; photon noise is neither, so none of them simulates
    what was recorded. `settings` are arguments of `rivals.compare`.

    Examples
    --------
    >>> blackbody_comparison().survivors
    ('Planck', 'Rayleigh-Jeans')
    """
    from rivals.cli.wien import fit_wien
    from rivals.testbeds import blackbody

    entropy = entropy_from(rng)
    training = blackbody.observe(N_POINTS, **RECORDING, rng=stream(entropy, DEMO_HELD_OUT, 0))
    held_out = blackbody.observe(N_POINTS, **RECORDING, rng=stream(entropy, DEMO_HELD_OUT, 1))
    candidates = {
        "Planck": blackbody.fit(training, law="planck"),
        "Rayleigh-Jeans": blackbody.fit(training, law="rayleigh-jeans"),
        "Wien": fit_wien(training),
    }
    return compare_models(candidates, held_out, **settings, rng=entropy)


def side_by_side(result: Comparison, paper: Comparison) -> str:
    """The verdict under the paper's process beside this one, and in one line what differs and why."""
    verdicts = [f"{made_with(each)}: worth keeping {', '.join(each.survivors)}" for each in (paper, result)]
    return (
        f"The paper's process, {verdicts[0]}. This run, {verdicts[1]}. What differs: in the beta process the largest losses stretch "
        "the whole path, so its width hangs on a few points of one simulation; law 'transport' moves every loss by as much as it differs "
        "from its simulations, whatever its size (paths.png shows paths of both)."
    )


def in_other_words(result: Comparison) -> str:
    """What you would tell a colleague: which models are rejected, and which are behind but kept."""
    best, *others = result.ranking
    words = [
        f"{name} is rejected: in a replication it would lose to {rejection.by} again, "
        f"with probability {'above 0.999' if rejection.probability > 0.9995 else f'{rejection.probability:.3f}'}."
        for name, rejection in result.rejections.items()
    ]
    for name in others:
        if name not in result.rejections:
            gap, error = result.difference[name]
            ahead = result.probability[result.names.index(best), result.names.index(name)]
            words.append(
                f"{name} is {gap:.2f} ± {error:.2f} nats per point behind {best}. But the simulations of neither law match the "
                f"recording, and in a replication this mismatch may shift the losses by as much: {best} would win with probability {ahead:.2f}. Keep both."
            )
    return " ".join(words)


def what_c_does(sweep: Sweep) -> str:
    """Two sentences: what c is, and for which values each model is rejected."""
    parts, first = [], sweep.comparisons[0]
    critical = dict(
        zip(first.names, first.applied.critical_c.tolist(), strict=True)
    )  # nan under a law that does not know it
    for name in first.ranking[1:]:
        rejecting = [run.c for run in sweep.comparisons if name in run.rejections]
        if not rejecting:
            parts.append(f"{name} is kept at every c")
        elif len(rejecting) == len(sweep.comparisons):
            parts.append(f"{name} is rejected at every c")
        elif rejecting == sorted(sweep.c)[: len(rejecting)]:
            last = max(rejecting) if critical[name] != critical[name] else critical[name]
            parts.append(f"{name} is rejected up to c = {last:.2g} and kept above")
        else:  # this happens under law "beta"
            parts.append(f"{name} is rejected at c = {', '.join(f'{c:g}' for c in rejecting)} only")
    low, high = min(sweep.c), max(sweep.c)
    return (
        "c sets how much of the mismatch between data and simulations may change in a replication: a small c trusts the "
        f"models, a large c does not. From c = {low:g} to {high:g}, {'; '.join(parts)}."
    )


def write_report(result: Comparison, paper: Comparison, folder: Path) -> tuple[list[Path], list[str]]:
    """Write the interactive page, picture, table and numbers into a folder; say what was left out for want of a package."""
    from rivals.report import write_report as write_page

    folder.mkdir(parents=True, exist_ok=True)
    written, missing = [], []
    parts: dict[str, Callable[[Path], object]] = {
        "report.html": lambda path: write_page(result, path, title="Three laws of black body radiation"),
        "risks.png": lambda path: _draw_risks(result, path),
        "paths.png": lambda path: _draw_paths([paper, result], path),
        "table.txt": lambda path: _write(f"{result}\n", path),
        "comparison.json": lambda path: _write(json.dumps(result.to_dict(), indent=2) + "\n", path),
    }
    for name, write in parts.items():
        try:
            write(folder / name)
            written.append(folder / name)
        except ImportError as error:
            missing.append(f"{name}: {error}")
    return written, missing


def _write(text: str, path: Path) -> None:
    with replacing(path) as file:
        file.write(text.encode())


def _draw_paths(results: Sequence[Comparison], path: Path) -> None:
    from rivals.plots import plot_quantiles

    figure = need("matplotlib.figure", extra="plot", purpose="pictures").Figure(figsize=(11, 4.2), layout="constrained")
    for result, ax in zip(results, figure.subplots(1, len(results), sharey=True), strict=True):
        plot_quantiles(result, "Planck", n_paths=30, ax=ax)
    with replacing(path) as file:
        figure.savefig(file, format="png", dpi=150)


def _draw_risks(result: Comparison, path: Path) -> None:
    from rivals.plots import plot_risks

    figure = need("matplotlib.figure", extra="plot", purpose="pictures").Figure(figsize=(6, 3.8), layout="constrained")
    plot_risks(result, ax=figure.subplots())
    with replacing(path) as file:
        figure.savefig(file, format="png", dpi=150)
