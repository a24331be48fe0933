"""A gate: may the new model replace the one in production? Passed, failed, or undecided."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rivals import sentences as say
from rivals._types import FloatArray
from rivals.judge import refuse_margin
from rivals.judgement import Judgement
from rivals.method.rule import ERRORS, STABLE
from rivals.setting import one_of

REQUIREMENTS = ("better", "not-worse")
EXIT_STATUS = {"passed": 0, "failed": 1, "undecided": 3}


@dataclass(frozen=True)
class Gate:
    """Whether a model may replace a baseline.

    Whether it is better in a replication, or not worse.

    Attributes
    ----------
    outcome : {"passed", "failed", "undecided"}
    model, baseline : str
    require : {"better", "not-worse"}
    probability : float
        P(what is required): passed above the threshold, failed below one minus the threshold.
    margin, threshold : float
    where : str
        What a replication is, as "if the study were repeated".
    unit : str
        Of the margin.
    """

    outcome: str
    model: str
    baseline: str
    require: str
    probability: float
    margin: float
    threshold: float
    where: str
    unit: str

    @property
    def passed(self) -> bool:
        """For `assert gate.passed, gate`."""
        return self.outcome == "passed"

    @property
    def exit_status(self) -> int:
        """0 passed, 1 failed, 3 undecided."""
        return EXIT_STATUS[self.outcome]

    def __str__(self) -> str:
        """One line."""
        required = say.required(self.require, self.baseline, self.margin, self.unit)
        return say.gate(self.outcome, self.model, required, self.where, self.probability)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "exit_status": self.exit_status, "conclusion": str(self)}

    def to_markdown(self, table: str = "") -> str:
        """The line and a table, in GitHub's Markdown."""
        mark = {"passed": "✅", "failed": "❌", "undecided": "⚠️"}[self.outcome]
        return f"{mark} {self}\n\n{table}".rstrip() + "\n"


def gate(
    result: Judgement,
    baseline: str,
    *,
    model: str | None = None,
    require: str = "better",
    margin: float | None = None,
) -> Gate:
    """Judge one model against a baseline; by default the only other one."""
    one_of(*REQUIREMENTS)("require", require)
    setting = result.setting if margin is None else replace(result.setting, margin=margin)
    refuse_margin(setting, result.correction)
    if require == "not-worse" and not setting.margin:
        raise ValueError(
            "require='not-worse' needs a margin, the loss that is still tolerated; pass margin="
        )
    first, second = _pair(result, baseline, model)
    a, b = np.array([first]), np.array([second])
    if result.groups is not None and not result.groups.known[first, second]:
        raise ValueError(
            f"the error of the difference of {result.names[first]!r} and {baseline!r} is unknown: "
            "estimates came without their covariance; choose the model that all differences are "
            "from as the baseline"
        )
    at = np.array([setting.margin if require == "not-worse" else -setting.margin])
    law = result.law.differences(result.summary, setting, a, b)
    chances = law.below(at)[:, 0]
    if result.correction is not None:
        chances = result.correction(chances)
    outcome = _outcome(chances, float(law.error(at)[0]), setting.threshold)
    # As in a comparison, P decides nothing against the order of mean losses, and nothing that
    # looks at growing data do not allow yet.
    risk = result.evidence.risk
    agrees = (risk[first] - risk[second] < at[0]) == (outcome == "passed")
    if not agrees or not result.law.clear(result.summary, setting, a, b)[0]:
        outcome = "undecided"
    return Gate(
        outcome,
        result.names[first],
        baseline,
        require,
        float(chances[0]),
        setting.margin,
        setting.threshold,
        say.where(
            result.new_groups or 0,
            result.n_groups,
            "group" if result.groups is None else result.groups.noun,
        ),
        result.summary.source.unit,
    )


def _pair(result: Judgement, baseline: str, model: str | None) -> tuple[int, int]:
    """The places of the model and of the baseline."""
    for option, name in (("baseline", baseline), ("model", model)):
        if name is not None:
            one_of(*result.names)(option, name)
    others = [name for name in result.names if name != baseline]
    if model is None and len(others) > 1:
        raise ValueError(
            f"model: which of {', '.join(others)} is to be judged against {baseline!r}? Pass model="
        )
    if model == baseline:
        raise ValueError(f"model and baseline are both {baseline!r}; name two models")
    chosen = others[0] if model is None else model
    return result.names.index(chosen), result.names.index(baseline)


def _outcome(chances: FloatArray, error: float, threshold: float) -> str:
    """The first chance decides; those of single simulations, if there are any, must share it."""
    for outcome, sure in (("passed", chances), ("failed", 1.0 - chances)):
        shared = np.mean(sure[1:] > threshold) if sure.size > 2 else 1.0
        if sure[0] - ERRORS * error > threshold and shared >= STABLE:
            return outcome
    return "undecided"
