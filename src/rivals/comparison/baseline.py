"""Every model beside one of them, the baseline: difference, probability, groups won."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rivals._say.arguments import check_choice
from rivals._say.words import probability_text, show
from rivals._schemas import stamp
from rivals.comparison import pasting, rendering
from rivals.comparison.answers import Answers
from rivals.comparison.digits import format_of_means, format_of_risks
from rivals.comparison.horizon import question
from rivals.comparison.table import rows_of
from rivals.core.sampling_error import mean_error
from rivals.laws.base import Applied


@dataclass(frozen=True, eq=False, repr=False)
class Baseline:
    """Every model beside one of them.

    Attributes
    ----------
    name : str
        The baseline.
    models : tuple of str
        The other models, from the lowest mean loss to the highest.
    difference : mapping
        Name → its mean loss less that of the baseline, and the standard error of the paired
        difference: negative where the model is better.
    probability : mapping
        Name → the probability that its risk is lower than that of the baseline: calibrated, where
        there is a calibration.
    won : mapping or None
        Name → in how many groups it has the lower mean loss of the two; None without groups.
    n_groups : int or None
        How many groups there are.
    about : str
        What the probability is of, in a sentence.

    See Also
    --------
    Comparison.against : makes it.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> beside = rivals.compare(toys.losses(), rng=0).against("B")
    >>> beside.models, beside.difference["A"][0] < 0, beside.probability["A"] > 0.95
    (('A',), True, True)
    """

    name: str
    models: tuple[str, ...]
    difference: Mapping[str, tuple[float, float]]
    probability: Mapping[str, float]
    won: Mapping[str, int] | None
    n_groups: int | None
    about: str
    _cells: list[list[str]]

    def rows(self) -> list[dict[str, Any]]:
        """One row per model, as plain numbers and text; the baseline has none."""
        rows = []
        for model in self.models:
            difference, error = self.difference[model]
            rows.append(
                {
                    "model": model,
                    "difference": difference,
                    "difference_error": error,
                    "probability": self.probability[model],
                    "groups_won": None if self.won is None else self.won[model],
                    "groups": self.n_groups,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            **stamp("baseline"),
            "baseline": self.name,
            "about": self.about,
            "models": self.rows(),
        }

    def to_dataframe(self) -> Any:
        """One row per model (needs pandas)."""
        return rendering.dataframe(self.rows(), "model")

    def to_markdown(self) -> str:
        """The printed table, for Markdown."""
        return pasting.markdown(self._headings, self._cells, after=self.about)

    def to_latex(self) -> str:
        """The printed table, for LaTeX; what the probability is of, as a comment."""
        return pasting.latex(self._headings, self._cells, after=self.about)

    def __str__(self) -> str:
        table = rendering.text(self._headings, self._cells)
        return "\n".join([table, "", rendering.wrap(self.about)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return rendering.html(self._headings, self._cells, after=self.about)

    @property
    def _headings(self) -> list[str]:
        headings = ["model", "mean loss", f"difference to {show(self.name)}", "P(better)"]
        return headings if self.won is None else [*headings, "groups won"]


def against(result: Answers, name: str) -> Baseline:
    """Every model of a comparison beside the one of this name."""
    check_choice(name, "baseline", result.names)
    base = result.names.index(name)
    place = {model: index for index, model in enumerate(result.names)}
    models = tuple(model for model in result.ranking if model != name)
    errors = _paired_errors(result.applied, base)
    excess = result.applied.empirical - result.applied.empirical[base]
    probability = result.probability if result.calibrated is None else result.calibrated
    difference = {}
    better = {}
    for model in models:
        index = place[model]
        difference[model] = (float(excess[index]), errors[index])
        better[model] = float(probability[index, base])
    won = None
    groups = result.applied.setting.groups
    if result.won is not None and groups is not None:
        wins = result.won[:, base].tolist()
        won = {model: wins[place[model]] for model in models}
    return Baseline(
        name=name,
        models=models,
        difference=difference,
        probability=better,
        won=won,
        n_groups=None if won is None or groups is None else len(groups.names),
        about=_about(result, name),
        _cells=_cells(result, name, difference, better, won),
    )


def _paired_errors(applied: Applied, base: int) -> list[float]:
    """Standard errors of the paired differences of the mean losses, each to the baseline's."""
    setting = applied.setting
    together = setting.clusters or setting.groups
    codes = None if together is None else together.codes
    own = applied.losses[base].observed
    return [
        float(mean_error(each.observed - own, order=setting.order, clusters=codes))
        for each in applied.losses
    ]


def _about(result: Answers, name: str) -> str:
    calibrated = ", calibrated" if result.calibrated is not None else ""
    return (
        f"{question(result.applied.setting)}, the risk of a model would be lower than that of "
        f"{show(name)} with the probability P(better){calibrated}."
    )


def _cells(
    result: Answers,
    name: str,
    difference: Mapping[str, tuple[float, float]],
    probability: Mapping[str, float],
    won: Mapping[str, int] | None,
) -> list[list[str]]:
    """One row per model as text, the baseline among them, best first."""
    rows = rows_of(result)
    for row in rows:
        row["difference"], row["difference_error"] = difference.get(row["model"], (0.0, 0.0))
    number = format_of_means(rows) or format_of_risks(rows)
    cells = []
    for row in rows:
        model = row["model"]
        line = [show(model), number(row["empirical_risk"])]
        if model == name:
            line += ["baseline", ""]
        else:
            line.append(f"{number(row['difference'])} ± {number(row['difference_error'])}")
            line.append(probability_text(probability[model]))
        if won is not None:
            line.append("" if model == name else f"{won[model]} of {row['groups']}")
        cells.append(line)
    return cells
