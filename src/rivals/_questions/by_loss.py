"""One question by several losses: fitted once, judged by each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rivals._core.texts import Refusal, in_python, opt
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table


@dataclass(frozen=True, eq=False)
class ByLoss(Answer, Mapping[str, Any]):
    """A comparison by each of several losses, by name.

    Attributes
    ----------
    parts : dict
        Name of the loss → comparison.
    """

    parts: dict[str, Any]

    def __getitem__(self, loss: str) -> Any:
        return self.parts[loss]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    COLUMNS: ClassVar = (
        *("loss", "model", "value", "beside", "difference", "low", "high", "p_better", "outcome"),
    )

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each loss and model, the best first; `value` is the metric itself."""
        found = []
        for loss, result in self.parts.items():
            sign = -1.0 if result.summary.source.metric == "higher" else 1.0
            for row in result.to_records():
                row |= {"loss": loss, "value": sign * row["risk"]}
                found.append({name: row[name] for name in self.COLUMNS})
        return found

    @property
    def table(self) -> Table:
        """A row for each model, the metrics side by side, and what is decided by each."""
        names = next(iter(self.parts.values())).ranking
        columns = [Column("model", names, is_text=True)]
        for loss, result in self.parts.items():
            source = result.summary.source
            sign = -1.0 if source.metric == "higher" else 1.0
            risk = result.risk
            gaps = [risk[name] - risk[result.ranking[0]] for name in names]
            decimals = say.decimals_for(gaps)
            head = source.loss or loss
            columns += [
                Column(
                    "value",
                    [sign * risk[name] for name in names],
                    partial(say.fixed, decimals=decimals),
                    head,
                ),
                Column("decision", [_word(result, name) for name in names], over=head),
            ]
        return Table(tuple(columns))

    @property
    def conclusion(self) -> str:
        """Who wins by which, and where they disagree."""
        named = {
            result.summary.source.loss or loss: (result.ranking[0], bool(result.rejections))
            for loss, result in self.parts.items()
        }
        return in_python(say.by_losses(named))

    def __str__(self) -> str:
        return f"{in_python(self.table.text())}\n\n{self.conclusion}"

    def _around(self) -> tuple[list[str], list[str]]:
        return [], [self.conclusion]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: a comparison for each loss."""
        parts = {loss: result.to_dict() for loss, result in self.parts.items()}
        return {**super().to_dict(), "losses": parts, "conclusion": self.conclusion}


def by_loss(parts: dict[str, Any]) -> ByLoss:
    """Refuses one loss under two names."""
    if len(parts) < 2:
        raise Refusal(f"{opt['loss']}: the losses of the list have one name, {next(iter(parts))!r}")
    return ByLoss(parts)


def _word(result: Any, name: str) -> str:
    if name == result.ranking[0]:
        return "best"
    return "rejected" if name in result.rejections else "not rejected"
