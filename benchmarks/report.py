"""How long a report takes to write, how fast its sliders answer, and how long a sweep over many
values of c takes.

`python benchmarks/report.py` measures all cases (a few minutes) and writes results/report.md; with
names of cases, as `python benchmarks/report.py "12 models, transport"`, it prints these only. The
answer of the slider is measured in Chromium where there is one (see tests/report).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rivals
from rivals.report import write_report

# Seconds of the processor before reports were made quicker, at commit 90d199a on the same machine.
BEFORE = {
    "12 models, transport": "0.3 s",
    "12 models, beta": "8.7 s",
    "200 models, transport": "0.8 s",
    "200 models, beta": "over 210 s, stopped",
    "10⁷ losses, transport": "9.9 s",
    "10⁷ losses, beta": "99 s",
    "1 000 values of c, transport": "2.6 s",
    "1 000 values of c, beta": "81 s",
}
RESULTS = Path(__file__).parent / "results" / "report.md"
SWEPT = 2.0 ** np.linspace(-8, 4, 1000)


def models(n_models: int, n_losses: int, n_simulations: int) -> dict[str, rivals.Losses]:
    """Gaussian models of slightly different width on the same data, so that some pairs are clear
    and some are not.
    """
    rng = np.random.default_rng(0)
    data = rng.standard_normal(n_losses)
    losses = {}
    for place, width in enumerate(np.geomspace(0.8, 1.5, n_models)):
        simulated = rng.standard_normal((n_simulations, n_losses))
        losses[f"model {place}, width {width:.3f}"] = rivals.Losses(
            np.log(width) + (data / width) ** 2 / 2, np.log(width) + simulated**2 / 2
        )
    return losses


def report(
    n_models: int, n_losses: int, n_simulations: int, law: str
) -> tuple[Callable[[], object], Path]:
    result = rivals.compare(models(n_models, n_losses, n_simulations), law=law, c=0.05, rng=0)
    page = Path(tempfile.mkdtemp()) / "report.html"
    return lambda: write_report(result, page), page


def sweep(n_models: int, law: str) -> tuple[Callable[[], object], None]:
    result = rivals.compare(models(n_models, 4000, 16), law=law, rng=0)
    return lambda: result.sweep(SWEPT), None


# Name: limit in seconds, what prepares the work.
CASES: dict[str, tuple[float, Callable[[], tuple[Callable[[], object], Path | None]]]] = {
    "12 models, transport": (3.0, lambda: report(12, 4000, 16, "transport")),
    "12 models, beta": (3.0, lambda: report(12, 4000, 16, "beta")),
    "200 models, transport": (30.0, lambda: report(200, 4000, 16, "transport")),
    "200 models, beta": (30.0, lambda: report(200, 4000, 16, "beta")),
    "10⁷ losses, transport": (20.0, lambda: report(2, 10**7, 1, "transport")),
    "10⁷ losses, beta": (20.0, lambda: report(2, 10**7, 1, "beta")),
    "1 000 values of c, transport": (15.0, lambda: sweep(5, "transport")),
    "1 000 values of c, beta": (15.0, lambda: sweep(5, "beta")),
}


def measure(name: str) -> None:
    """One case, in a process of its own: seconds of the clock and of the processor, memory, size
    and slider of the page.
    """
    limit, prepare = CASES[name]
    warnings.simplefilter("ignore")
    work, page = prepare()
    wall = time.perf_counter()
    processor = time.process_time()
    work()
    wall = time.perf_counter() - wall
    processor = time.process_time() - processor
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = f"{page.stat().st_size / 2**20:.1f} MiB" if page else "–"
    answer = slider_answer(page) if page else "–"
    print(
        f"| {name} | {limit:g} s | {BEFORE[name]} | {wall:.1f} s | {processor:.1f} s | "
        f"{memory:.1f} GiB | {size} | {answer} |",
        flush=True,
    )


def slider_answer(page: Path) -> str:
    """The slowest of several moves of both sliders, from the event to the next frame."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))
    from conftest import started_browser

    with started_browser(Path(tempfile.mkdtemp())) as browser:
        if browser is None:
            return "no Chromium here"
        browser.open(page)
        return f"{browser.slowest_answer():.0f} ms"


def main() -> None:
    if len(sys.argv) > 1:
        for name in sys.argv[1:]:
            measure(name)
        return
    heading = [
        "# Reports and sweeps: time and size",
        "",
        "`python benchmarks/report.py`. Models of 4 000 losses and 16 simulations; those of 10⁷ "
        "losses are two, with one simulation.",
        "The comparison itself is not part of the time. Slider: the slowest of 20 moves, until the "
        "page is drawn again.",
        "",
        "| case | limit | processor, before | clock | processor | memory | page | slider |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    rows = []
    for name in CASES:
        done = subprocess.run(
            [sys.executable, __file__, name], check=True, stdout=subprocess.PIPE, text=True
        )
        rows.append(done.stdout.strip())
        print(rows[-1], flush=True)
    # Other work on the machine lengthens the clock and the slider, and a little the processor's
    # time.
    load = (
        "Processes that wanted the processor, on average over the last 15 minutes: "
        f"{os.getloadavg()[2]:.0f}, on {os.cpu_count()} cores."
    )
    RESULTS.write_text("\n".join([*heading, *rows, "", load]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
