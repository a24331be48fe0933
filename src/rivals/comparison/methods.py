"""A paragraph for the methods section of a paper: what was done, with which settings, and what to cite."""

from __future__ import annotations

from collections.abc import Callable

from rivals._say.words import listed
from rivals._version import __version__
from rivals.comparison.findings import Findings
from rivals.comparison.shown import ShownSweep
from rivals.laws import Setting

PAPER = (
    "A. René and A. Longtin, Selecting fitted models under epistemic uncertainty using a stochastic process on quantile functions, "
    "Nature Communications (2025)"
)
SOFTWARE = f"The rivals developers, rivals: which of several fitted models would still be worth keeping if the experiment were repeated? Version {__version__}"


def methods(result: Findings, sweep: Callable[[], ShownSweep]) -> str:
    """What was done, in sentences that can stand in a paper, and the references for it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> print(rivals.compare(toys.losses(), rng=0).methods()[:72])
    We compared 2 models (A, B) by their losses on 1000 held-out points with
    """
    law, setting = result.applied.law, result.applied.setting
    uses_c = law.uses_c(setting.n_simulations)
    sentences = [
        f"We compared {len(result.names)} models ({listed(result.names)}) by their losses on {result.applied.losses[0].n_observed} held-out "
        f"points{_labels(setting)} with rivals {__version__}.",
        law.method
        + (
            f" {law.method_of_c} We used {_c(result)} and {_simulations(setting)}."
            if uses_c
            else ""
        ),
        "Points were treated as a time series." if setting.order else "",
        "Probabilities were corrected by the curve of that calibration."
        if result.calibrated is not None
        else "",
        f"A model was rejected if a rival of lower mean loss had the lower risk with a probability above {setting.threshold:g}.",
        _sweep(result, sweep) if uses_c else "",
        f"The seed was {setting.entropy}.",
    ]
    references = f"{PAPER}; {SOFTWARE}" if law.of_this_paper else SOFTWARE
    return f"{' '.join(filter(None, sentences))} References: {references}."


def _labels(setting: Setting) -> str:
    return "".join(f" in {len(each.names)} {kind}" for kind, each in setting.labels.items())


def _c(result: Findings) -> str:
    source = "the default" if result.c == result.applied.law.default_c else "chosen by hand"
    return f"c = {result.c:g} ({'found by a calibration' if result.calibrated is not None else source})"


def _simulations(setting: Setting) -> str:
    return f"{setting.n_simulations} simulation{'s' if setting.n_simulations != 1 else ''} of each model"


def _sweep(result: Findings, sweep: Callable[[], ShownSweep]) -> str:
    """Where the verdict changes with c, where that costs little to find out."""
    if (
        result.calibrated is not None
        or not result.applied.law.closed_form
        or not result.applied.losses[0].n_simulations
    ):
        return ""
    swept = sweep()
    return f"From c = {min(swept.c):.2g} to {max(swept.c):.2g}: {swept.verdict[:1].lower()}{swept.verdict[1:]}"
