"""A paragraph for the methods section of a paper: what was done, how, and what to cite."""

from __future__ import annotations

from collections.abc import Callable
from math import isinf

from rivals._say.words import listed, plural
from rivals._version import __version__
from rivals.comparison.answers import Answers, AnswersOverC
from rivals.comparison.expectation import expected, in_words
from rivals.comparison.text import sweep_verdict
from rivals.laws import Setting

PAPER = (
    "A. René and A. Longtin, Selecting fitted models under epistemic uncertainty using a "
    "stochastic process on quantile functions, Nature Communications (2025)"
)
SOFTWARE = (
    "The rivals developers, rivals: which of several fitted models would still be worth keeping "
    f"if the experiment were repeated? Version {__version__}"
)

# Of more models than this, a sweep over c may take a while.
MOST_TO_SWEEP = 32


def methods(result: Answers, sweep: Callable[[], AnswersOverC]) -> str:
    """What was done, in sentences that can stand in a paper, and the references for it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> print(rivals.compare(toys.losses(), rng=0).methods()[:72])
    We compared 2 models (A, B) by their losses on 1000 held-out points with
    """
    law = result.applied.law
    setting = result.applied.setting
    uses_c = law.uses_c(setting.n_simulations)
    sentences = [
        f"We compared {len(result.names)} models ({listed(result.names)}) by {_losses(result)} "
        f"with rivals {__version__}.",
        law.method,
    ]
    if law.needs_groups and _one_loss_each(setting):
        sentences.append("As each group has one loss, σ² was taken as 0.")
    if uses_c:
        sentences.append(law.method_of_c)
        sentences.append(f"We used {_c(result)} and {_simulations(setting)}.")
    if setting.order:
        sentences.append("Points were treated as a time series.")
    sentences.append(result.calibration_methods)
    sentences.append(_rule(setting))
    if uses_c:
        sentences.append(_over_c(result, sweep))
    sentences.append(_worth(result))
    if result.seeded:
        sentences.append(f"The seed was {setting.entropy}.")
    of_paper = law.of_this_paper or result.calibrated is not None
    return f"{' '.join(filter(None, sentences))} {references(of_paper=of_paper)}"


def references(*, of_paper: bool) -> str:
    """What to cite: the software, and the paper where its law or its calibration is used."""
    return f"References: {PAPER}; {SOFTWARE}." if of_paper else f"References: {SOFTWARE}."


def _losses(result: Answers) -> str:
    """The losses that were compared: in which unit, of how many points or groups."""
    setting = result.applied.setting
    unit = f" in {setting.loss_unit}" if setting.loss_unit else ""
    if setting.groups is not None and _one_loss_each(setting):
        kind = setting.groups.kind
        return f"their loss{unit} in each of {len(setting.groups.names)} held-out {plural(kind)}"
    n_points = result.applied.losses[0].n_observed
    return f"their losses{unit} on {n_points} held-out points{_labels(setting)}"


def _one_loss_each(setting: Setting) -> bool:
    """Whether every group has one loss, such as the joint loss of its points."""
    return setting.groups is not None and int(setting.groups.sizes.max()) == 1


def _labels(setting: Setting) -> str:
    return "".join(f" in {len(each.names)} {plural(each.kind)}" for each in setting.labels.values())


def _rule(setting: Setting) -> str:
    """When a model was rejected: over what, by how much, with what probability."""
    over = ""
    if setting.groups is not None:
        kind = setting.groups.kind
        if isinf(setting.horizon):
            over = f", in the mean over all {plural(kind)} to come,"
        elif setting.horizon == 1.0:
            over = f", in one new {kind},"
        else:
            over = f", in the mean over {setting.horizon:.0f} new {plural(kind)},"
    unit = f" {setting.loss_unit}" if setting.loss_unit else ""
    by = f" by more than {setting.margin:g}{unit}" if setting.margin else ""
    return (
        f"A model was rejected if a rival of lower mean loss had{over} the lower risk{by} with a "
        f"probability above {setting.threshold:g}."
    )


def _worth(result: Answers) -> str:
    """What became of winners stated like this on real data, where that was measured."""
    found = expected(result.applied, calibrated=result.calibrated is not None)
    if found is None:
        return ""
    words = in_words(found, result.applied, winner=bool(result.rejections))
    return f"With these settings, {words}."


def _c(result: Answers) -> str:
    if result.calibrated is not None:
        source = "found by a calibration"
    elif result.c == result.applied.law.default_c:
        source = "the default"
    else:
        source = "chosen by hand"
    return f"c = {result.c:g} ({source})"


def _simulations(setting: Setting) -> str:
    several = "simulations" if setting.n_simulations != 1 else "simulation"
    return f"{setting.n_simulations} {several} of each model"


def _over_c(result: Answers, sweep: Callable[[], AnswersOverC]) -> str:
    """Where the verdict changes with c, where that costs little to find out."""
    has_simulations = result.applied.losses[0].n_simulations > 0
    law = result.applied.law
    # Under law "groups" every c takes all pairs anew.
    few = not law.needs_groups or len(result.names) <= MOST_TO_SWEEP
    cheap = law.closed_form and has_simulations and few
    if result.calibrated is not None or not cheap:
        return ""
    swept = sweep()
    verdict = sweep_verdict(swept)
    return f"From c = {min(swept.c):.2g} to {max(swept.c):.2g}: {verdict[:1].lower()}{verdict[1:]}"
