"""`rivals demo`: three laws of black body radiation on a recording of long waves, where one of them
failed in 1900.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import Any

import typer

from rivals._files import replacing
from rivals._random import DEMO_HELD_OUT, entropy_from, stream
from rivals._say.optional import need
from rivals._say.words import probability_text, show
from rivals._types import RNG
from rivals.cli.console import print_result
from rivals.cli.options import check_output, described, read_c
from rivals.comparison import Comparison
from rivals.comparison import compare as compare_models
from rivals.comparison.text import made_with
from rivals.plots import plot_quantiles, plot_risks

# 4 to 10 µm at 4000 K, and few photons: Wien's law fails there, that of Rayleigh and Jeans nearly
# holds.
N_POINTS = 4096
RECORDING: dict[str, Any] = {"wavelengths": (4.0, 10.0), "temperature": 4000.0, "gain": 1.6e3}
# In the middle of the range that the paper names for black body radiation, 2⁻⁶ to 2³.
PAPERS_C = 2.0**-2

NEXT = (
    "Next: `rivals demo --c 2^-6` for the other verdict, the sliders of the report, and `rivals "
    "calibrate`: c cannot be read off one recording, but it can be found from experiments that you "
    "simulate (docs/choose-c.md)."
)
WIDTH = 100


@described(seed="Seed of the random numbers.")
def demo(out: Path = Path("rivals-demo"), c: str | None = None, seed: int = 0) -> None:
    """Compare three laws of black body radiation, under the default law of the risk and under the
    paper's. Say what the verdict depends on, and write a report.

    Example: rivals demo --out report --c 2^-6
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(
            f"--out: {show(out)} cannot be a folder: {error.strerror}; name another one"
        ) from None
    check_output(out / "report.html", "--out")
    result = blackbody_comparison(c=read_c(c), rng=seed)
    paper = blackbody_comparison(law="beta", n_simulations=1, c=PAPERS_C, rng=seed)
    print_result(result)
    in_words = f"In other words, {in_other_words(result)}"
    for sentences in (side_by_side(result, paper), in_words, what_c_does(result), NEXT):
        typer.echo(f"\n{fill(sentences, WIDTH)}")
    typer.echo("\n".join(["", *write_report(result, paper, out)]))


def blackbody_comparison(*, rng: RNG = 0, **settings: Any) -> Comparison:
    """Compare the laws of Planck, of Rayleigh and Jeans, and of Wien on held-out data.

    Each is fitted by maximum likelihood to one recording (4 096 points, 4 to 10 µm, a body of 4 000
    K) and judged on a second one. All three assume Gaussian noise of constant width; photon noise
    is neither, so none of them simulates what was recorded. `settings` are arguments of
    `rivals.compare`.

    Examples
    --------
    >>> blackbody_comparison().survivors
    ('Planck', 'Rayleigh-Jeans')
    """
    from rivals.testbeds import blackbody

    entropy = entropy_from(rng)
    training, held_out = (
        blackbody.observe(N_POINTS, **RECORDING, rng=stream(entropy, DEMO_HELD_OUT, recording))
        for recording in (0, 1)
    )
    candidates = {
        name: blackbody.fit(training, law=name.lower())
        for name in ("Planck", "Rayleigh-Jeans", "Wien")
    }
    return compare_models(candidates, held_out, **settings, rng=entropy)


def side_by_side(result: Comparison, paper: Comparison) -> str:
    """The verdict under the paper's process beside this one, and what differs and why."""
    verdicts = [
        f"{made_with(each)}: worth keeping {', '.join(each.survivors)}" for each in (paper, result)
    ]
    return (
        f"The paper's process, {verdicts[0]}. This run, {verdicts[1]}. What differs: in the beta "
        "process the largest losses stretch the whole path, so its width hangs on a few points of "
        "one simulation; law 'transport' moves every loss by as much as it differs from its "
        "simulations, whatever its size (paths.png shows paths of both)."
    )


def in_other_words(result: Comparison) -> str:
    """What you would tell a colleague: which models are rejected, and which are behind but kept."""
    best, *others = result.ranking
    words = [
        f"{name} is rejected: in a replication it would lose to {rejection.by} again, "
        f"with probability {probability_text(rejection.probability)}."
        for name, rejection in result.rejections.items()
    ]
    for name in others:
        if name not in result.rejections:
            gap, error = result.difference[name]
            ahead = result.pairs[best, name]
            words.append(
                f"{name} is {gap:.2f} ± {error:.2f} nats per point behind {best}. But the "
                "simulations of neither law match the recording, and in a replication this "
                f"mismatch may shift the losses by as much: {best} would win with probability "
                f"{ahead:.2f}. Keep both."
            )
    return " ".join(words)


def what_c_does(result: Comparison) -> str:
    """Two sentences: what c is, and up to which value each model is rejected."""
    largest = dict(zip(result.names, result.applied.critical_c, strict=True))
    parts = [
        f"{name} is "
        + (
            f"rejected up to c = {largest[name]:.2g} and kept above"
            if largest[name] > 0
            else "always kept"
        )
        for name in result.ranking[1:]
    ]
    return (
        "c sets how much of the mismatch between data and simulations may change in a "
        f"replication: a small c trusts the models, a large c does not. {'; '.join(parts)}."
    )


def write_report(result: Comparison, paper: Comparison, folder: Path) -> list[str]:
    """Write the interactive page and pictures into a folder; a line for each, also for those that
    want a package.
    """
    parts: dict[str, Callable[[Path], object]] = {
        "report.html": lambda path: result.report(path, title="Three laws of black body radiation"),
        "risks.png": lambda path: _draw(path, (6, 3.8), [result], plot_risks),
        "paths.png": lambda path: _draw(
            path, (11, 4.2), [paper, result], plot_quantiles, model="Planck", n_paths=30
        ),
    }
    lines = []
    for name, write in parts.items():
        try:
            write(folder / name)
            lines.append(f"Written: {show(folder / name)}")
        except ImportError as error:
            lines.append(f"Not written, {name}: {error}")
    return lines


def _draw(
    path: Path,
    size: tuple[float, float],
    results: list[Comparison],
    plot: Callable[..., object],
    **options: Any,
) -> None:
    """One picture of each result, side by side."""
    figure = need("matplotlib.figure", extra="plot", purpose="pictures").Figure(
        size, layout="constrained"
    )
    axes = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for result, ax in zip(results, axes, strict=True):
        plot(result, ax=ax, **options)
    with replacing(path) as file:
        figure.savefig(file, format="png", dpi=150)
