"""A gate: may the new model replace the one in production? Passed, failed, or undecided."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import inf
from typing import Any, ClassVar

from rivals._core.decided import Decided
from rivals._core.setting import number, one_of
from rivals._core.texts import Refusal, either, in_python, opt
from rivals._questions.segments import Segments, by
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, markdown, plain

REQUIREMENTS = ("better", "not-worse")
OUTCOME = {"better": "passed", "worse": "failed", "open": "undecided"}
EXIT_STATUS = {"passed": 0, "failed": 1, "undecided": 3}
MARK = {"passed": "✅", "failed": "❌", "undecided": "⚠️"}


# Notes that the other of two means has another winner.
ANOTHER = ("another by points", "another by groups")


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
    difference, low, high : float
        Mean loss of the model less that of the baseline, and its interval of probability `level`;
        of a metric that is no mean loss, the metric itself.
    margin, threshold, level : float
    n_units : int
        How many groups, or rows, were observed.
    losses : tuple of float
        Mean loss, or the metric, of the model, and of the baseline.
    measure : str
        "mean loss", or the name of the metric.
    caution : str
        That another mean, over points or over groups, has another winner.
    where : str
        What a replication is, as "if the study were repeated".
    noun, unit : str
        What one of the units is called; and the unit of the loss.
    left_out : bool or None
        Whether each group was predicted by models fitted to the others.
    overall : str
        The outcome over all rows, before segments are asked.
    no_segment_worse : float or None
        By how much a segment may be worse; None if segments do not decide.
    worse_in : dict
        Segments in which the model is worse by more than that, with P: the gate failed.
    segments : Segments or None
        The model beside the baseline in each segment, if there are any.
    """

    outcome: str
    model: str
    baseline: str
    require: str
    probability: float
    difference: float
    low: float
    high: float
    margin: float
    threshold: float
    level: float
    n_units: int
    losses: tuple[float, float]
    where: str
    noun: str
    unit: str
    left_out: bool | None
    overall: str
    no_segment_worse: float | None = None
    worse_in: dict[str, float] = field(default_factory=dict)
    segments: Segments | None = field(default=None, repr=False)
    measure: str = "mean loss"
    caution: str = ""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("outcome", "model", "baseline", "require", "probability", "difference", "low", "high"),
        *("margin", "threshold", "n_units"),
    )

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
        outcome = say.gate(self.overall, self.model, required, self.where, self.probability)
        interval = say.gate_difference(
            *(self.losses, self.difference, (self.low, self.high), self.level, self.unit),
            self.measure,
        )
        if self.worse_in:
            margin = self.no_segment_worse or 0.0
            worse = say.gate_segments(self.model, self.baseline, self.worse_in, margin, self.unit)
            outcome = f"{worse} Over all rows, {outcome}"
        units = say.gate_units(self.n_units, self.noun, self.left_out)
        caution = f" {in_python(self.caution)}" if self.caution else ""
        return f"{self.outcome}: {outcome} {interval} {units}{caution}"

    def to_records(self) -> list[dict[str, Any]]:
        """One row."""
        return [{name: getattr(self, name) for name in self.COLUMNS}]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        known = {each.name: plain(getattr(self, each.name)) for each in fields(self)}
        known["segments"] = self.segments and self.segments.to_dict()["records"]
        return {**known, "exit_status": self.exit_status, "conclusion": str(self)}

    @property
    def table(self) -> Table:
        """Both mean losses, their difference, and P, with six digits."""
        model, baseline = self.losses
        columns = [
            (f"{self.measure} of {self.baseline}", baseline),
            (f"{self.measure} of {self.model}", model),
            ("difference", self.difference),
            (f"{say.percent(self.level)} interval: low", self.low),
            ("high", self.high),
            (f"P({self.require})", self.probability),
        ]
        shown = [Column(head, [value], "{:.6g}".format) for head, value in columns]
        return Table((*shown, Column(say.plural(self.noun), [self.n_units])))

    def to_markdown(self) -> str:
        """The line and a table, in GitHub's Markdown."""
        tables = [self.table, *([self.segments.table] if self.segments else [])]
        shown = "\n\n".join(each.markdown() for each in tables)
        return f"{MARK[self.outcome]} {markdown(str(self))}\n\n{shown}\n"


def gate(
    result: Decided,
    baseline: str,
    *,
    model: str | None = None,
    require: str = "better",
    margin: float | None = None,
    no_segment_worse: float | None = None,
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
    _refuse_training_not_said(result)
    first, second = result.place[model], result.place[baseline]
    if result.groups is not None and not result.groups.known[first, second]:
        raise ValueError(
            f"the error of the difference of {model!r} and {baseline!r} is unknown: "
            "estimates came without their covariance; choose the model that all differences are "
            "from as the baseline"
        )
    beside = result.beside(model, (baseline,))
    beside = beside.only(beside.others == second)
    at = -chosen.margin if require == "not-worse" else chosen.margin
    chance, found = beside.required(at)
    segments = by(result, own=model, models=(baseline,)) if result.parts else None
    worse_in = _worse_in(segments, model, baseline, no_segment_worse)
    source = result.summary.source
    sign = -1.0 if source.metric == "higher" else 1.0
    ends = sorted((-sign * float(beside.high[0]), -sign * float(beside.low[0])))
    turned = [note for note in result.notes if note.code in ANOTHER]
    return Gate(
        "failed" if worse_in else OUTCOME[found.words[0]],
        model,
        baseline,
        require,
        float(chance[0]),
        -sign * float(beside.gap[0]),
        ends[0],
        ends[1],
        chosen.margin,
        chosen.threshold,
        chosen.level,
        result.n_groups or result.summary.n_points,
        (sign * result.risk[model], sign * result.risk[baseline]),
        say.where(*result.horizon),
        result.noun if result.n_groups else result.summary.source.point,
        result.summary.source.unit,
        result.summary.source.left_out,
        OUTCOME[found.words[0]],
        no_segment_worse,
        worse_in,
        segments,
        say.measure(source),
        " ".join(say.noted(note, result.noun) for note in turned),
    )


def _worse_in(
    segments: Segments | None, model: str, baseline: str, tolerated: float | None
) -> dict[str, float]:
    """Segments in which the model is surely worse by more than is tolerated, with P."""
    if tolerated is None:
        return {}
    number(0.0, inf)("no_segment_worse", tolerated)
    if segments is None:
        raise Refusal(
            f"{opt['no_segment_worse']} is about segments; compare with {opt.by}, the segment of "
            "each point"
        )
    found = {}
    for name, (_, result) in segments.parts.items():
        chance, outcomes = result.beside(model, (baseline,)).required(-tolerated)
        if outcomes.words[0] == "worse":
            found[name] = 1.0 - float(chance[0])
    return found


def _refuse_training_not_said(result: Decided) -> None:
    """A gate is not watched: it never takes for granted that fits share no training data."""
    if not result.method.needs_groups or result.summary.source.left_out is not None:
        return
    noun = result.noun
    raise Refusal(
        f"{opt['left_out']}: a gate has to know which data the models were fitted to. Where each "
        f"{noun} was predicted by models fitted to the other {say.plural(noun)}, as in "
        f"cross-validation, pass {opt.left_out(True)}: such models share training data, and P is "
        "too sure if that is not said. Where both models were fitted before, to data of no "
        f"{noun} that is judged, pass {either('left_out=False', '--fitted-before')}. It is said "
        f"when losses are read{either('', ', or by `rivals summarise`')}"
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
