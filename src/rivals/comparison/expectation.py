"""What a verdict is worth: how often winners stated like it failed in a benchmark on real data."""

from __future__ import annotations

from math import isinf
from typing import NamedTuple

from rivals._say.words import joined
from rivals.laws.base import Applied
from rivals.laws.setting import Setting

# From benchmarks/results/expected_error.json, which `make evidence-real` writes; a test compares.
# What was measured at the default c, each law says of itself (`Law.measured`).
THRESHOLD = 0.95
DATA_SETS = 130
LOST = {
    "next": "in a fresh group",
    "study": "when the study was repeated",
    "all": "in the mean over all fresh groups",
}
WHERE = "(docs: Does it work?)"


class Expected(NamedTuple):
    """Of winners stated from so many groups, the % that lost in fresh ones.

    With its standard error over data sets.
    """

    groups: int
    error: float
    standard_error: float
    stated: float  # % of the pairs of models for which a winner was


def expected(applied: Applied, *, calibrated: bool) -> Expected | None:
    """What was measured with the settings of a comparison and as many groups, or the next fewer.

    None where nothing was.
    """
    if calibrated or _not_measured(applied):
        return None
    tried = _tried(applied)
    return Expected(max(tried), *_measured(applied)[question_of(applied.setting), max(tried)])


def expectation(applied: Applied, *, calibrated: bool, winner: bool) -> str:
    """What a stated winner is worth, in a sentence, or why that is not known.

    Without a winner, how often there was one. Nothing where a calibration speaks for itself.
    """
    found = expected(applied, calibrated=calibrated)
    if found is not None:
        return f"What to expect: {in_words(found, applied, winner=winner)} {WHERE}."
    if calibrated or not winner:
        return ""
    return f"What to expect was not measured {joined(_not_measured(applied))} {WHERE}."


def in_words(found: Expected, applied: Applied, *, winner: bool) -> str:
    """What was measured, without the end of the sentence."""
    data = _at_hand(found, applied)
    # The benchmark has log losses alone; other ones, and those of which it is not known, are told.
    by = "" if applied.setting.loss_unit == "nats" else ", by log losses,"
    if not winner:
        return f"in {DATA_SETS} real data sets{by} {_stated(found)}, from {data}"
    lost = f"{found.error:.0f} ± {found.standard_error:.0f} %"
    return (
        f"in {DATA_SETS} real data sets{by} {lost} of the winners stated from {data} lost "
        f"{LOST[question_of(applied.setting)]}; {_stated(found)}"
    )


def _stated(found: Expected) -> str:
    return f"a winner was stated for {found.stated:.0f} % of the pairs"


def _at_hand(found: Expected, applied: Applied) -> str:
    """The data that winners were stated from."""
    if found.groups == 1:
        return "one data set without calibration"
    most_tried = max(groups for _, groups in _measured(applied))
    if found.groups == most_tried < _n_groups(applied.setting):
        return f"{found.groups} groups (the most that were tried)"
    return f"{found.groups} groups"


# ---------------------------------------------------------------- what was measured


def question_of(setting: Setting) -> str:
    """Which of the three questions of the benchmark a comparison asks; "" if it is none of them."""
    if setting.groups is None or setting.horizon == 1.0:
        return "next"
    if setting.horizon == len(setting.groups.names):
        return "study"
    return "all" if isinf(setting.horizon) else ""


def _n_groups(setting: Setting) -> int:
    return 1 if setting.groups is None else len(setting.groups.names)


def _measured(applied: Applied) -> dict[tuple[str, int], tuple[float, ...]]:
    return dict(applied.law.measured.get(applied.setting.n_simulations > 0, {}))


def _tried(applied: Applied) -> list[int]:
    """The numbers of groups that the question was asked with, up to that at hand."""
    question = question_of(applied.setting)
    most = _n_groups(applied.setting)
    return [groups for asked, groups in _measured(applied) if asked == question and groups <= most]


def _not_measured(applied: Applied) -> list[str]:
    """In what the settings are not those of the benchmark."""
    setting = applied.setting
    law = applied.law
    found = []
    if law != type(law)():
        found.append("with other options of the law")
    if law.uses_c(setting.n_simulations) and setting.c != law.default_c:
        found.append(f"at c = {setting.c:g}")
    if setting.threshold != THRESHOLD:
        found.append(f"at threshold {setting.threshold:g}")
    if setting.margin > 0.0:
        found.append("with a margin")
    if setting.order is not None:
        found.append(f"with order {setting.order!r}")
    if setting.clusters is not None:
        found.append("with clusters of points")
    # Labels that are all different, as row numbers are, were not part of it.
    if setting.groups is not None and setting.groups.sizes.max() == 1:
        found.append("with one loss in each group")
    if not question_of(setting):
        found.append(f"over {setting.horizon:.0f} new groups from {_n_groups(setting)}")
    elif not _tried(applied):
        found.append(f"under law {law.name!r} with data like these")
    return found
