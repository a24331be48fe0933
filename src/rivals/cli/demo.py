"""The demonstration: black body radiation, Planck's law against that of Rayleigh and Jeans."""

from __future__ import annotations

import json
from pathlib import Path

from rivals._random import entropy_from, stream
from rivals._types import RNG
from rivals.comparison import Comparison, compare
from rivals.plots import plot_risks
from rivals.report import write_report as write_page
from rivals.testbeds import blackbody

N_POINTS = 4096


def blackbody_comparison(*, c: float = 1.0, threshold: float = 0.95, rng: RNG = 0) -> Comparison:
    """Compare the two laws on held-out data.

    Both are fitted by maximum likelihood to the original study's observed data set (4 096 points, 15 to 30 µm, gain
    1e5, a small bias that neither knows of), and judged at their fitted parameters on a second recording.

    Examples
    --------
    >>> blackbody_comparison().survivors
    ('Planck', 'Rayleigh-Jeans')
    """
    entropy = entropy_from(rng)
    training = blackbody.observe(N_POINTS, purpose="data")
    held_out = blackbody.observe(N_POINTS, rng=stream(entropy, 2))
    candidates = {
        "Planck": blackbody.fit(training, law="planck"),
        "Rayleigh-Jeans": blackbody.fit(training, law="rayleigh-jeans"),
    }
    return compare(candidates, held_out, c=c, threshold=threshold, rng=entropy)


def write_report(result: Comparison, folder: Path) -> list[Path]:
    """Write the interactive page, picture, table and numbers into a folder, made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    page = write_page(result, folder / "report.html", title="Two laws of black body radiation")
    picture, table, numbers = folder / "risks.png", folder / "table.txt", folder / "comparison.json"
    figure = plot_risks(result).get_figure(root=True)
    assert figure is not None  # new axes always have one
    figure.savefig(picture, dpi=150)
    table.write_text(f"{result}\n", encoding="utf-8")
    numbers.write_text(json.dumps(result.to_dict(), indent=2) + "\n", encoding="utf-8")
    return [page, picture, table, numbers]
