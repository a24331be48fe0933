"""A gate: may the new model replace the one in production? Passed, failed, or undecided."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rivals._core.decided import Decided
from rivals._core.setting import one_of
from rivals._core.texts import Refusal, opt
from rivals._result import sentences as say
from rivals._result.renderers import Answer

REQUIREMENTS = ("better", "not-worse")
OUTCOME = {"better": "passed", "worse": "failed", "open": "undecided"}
EXIT_STATUS = {"passed": 0, "failed": 1, "undecided": 3}


@dataclass(frozen=True)
class Gate(Answer):
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

    def to_records(self) -> list[dict[str, Any]]:
        """One row."""
        return [{**asdict(self), "passed": self.passed}]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "exit_status": self.exit_status, "conclusion": str(self)}

    def to_markdown(self, table: str = "") -> str:
        """The line and a table, in GitHub's Markdown."""
        mark = {"passed": "✅", "failed": "❌", "undecided": "⚠️"}[self.outcome]
        return f"{mark} {self}\n\n{table}".rstrip() + "\n"


def gate(
    result: Decided,
    baseline: str,
    *,
    model: str | None = None,
    require: str = "better",
    margin: float | None = None,
) -> Gate:
    """Judge one model against a baseline; by default the only other one."""
    one_of(*REQUIREMENTS)("require", require)
    chosen = result.setting if margin is None else result.setting.but(margin=margin)
    if require == "not-worse" and not chosen.margin:
        raise Refusal(
            f"{opt.require('not-worse')} needs a margin, the loss that is still tolerated; "
            f"pass {opt.margin}"
        )
    model = _model(result, baseline, model)
    first, second = result.place[model], result.place[baseline]
    if result.groups is not None and not result.groups.known[first, second]:
        raise ValueError(
            f"the error of the difference of {model!r} and {baseline!r} is unknown: "
            "estimates came without their covariance; choose the model that all differences are "
            "from as the baseline"
        )
    beside = result.beside(model, (baseline,))
    at = -chosen.margin if require == "not-worse" else chosen.margin
    chance, found = beside.only(beside.others == second).required(at)
    return Gate(
        OUTCOME[found.words[0]],
        model,
        baseline,
        require,
        float(chance[0]),
        chosen.margin,
        chosen.threshold,
        say.where(result.new_groups or 0, result.n_groups, result.noun),
        result.summary.source.unit,
    )


def _model(result: Decided, baseline: str, model: str | None) -> str:
    """Which model is judged."""
    for option, name in (("baseline", baseline), ("model", model)):
        if name is not None:
            one_of(*result.names)(option, name)
    others = [name for name in result.names if name != baseline]
    if model is None and len(others) > 1:
        raise Refusal(
            f"{opt['model']}: which of {', '.join(others)} is to be judged against "
            f"{baseline!r}? Pass {opt.model}"
        )
    if model == baseline:
        raise ValueError(f"model and baseline are both {baseline!r}; name two models")
    return others[0] if model is None else model
