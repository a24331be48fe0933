"""How a comparison and a sweep are shown: sentences, tables, JSON, data frames. What they contain: `result.py`."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from rivals._say.words import listed, show, told_apart
from rivals._version import __version__
from rivals.comparison import rendering
from rivals.comparison.expectation import DATA_SETS, expected
from rivals.comparison.findings import Findings, FindingsOverC, Undecided
from rivals.comparison.table import cells_of, comparison_text, rows_of, shown_columns

# With more models than this, the best of them is rejected more easily than one of a pair.
FEW_MODELS = 32
# A sweep over more values of c is printed by ranges.
MANY_VALUES = 40
LISTED_CHANGES = 6
SWEEP_HEADINGS = ("c", "survivors")
NOT_CALIBRATED = "The sweep shows the probabilities of the law itself: those of the comparison are corrected by its calibration, these are not."


class Shown(Findings):
    """What every comparison says of itself."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        return " ".join([*verdicts(self), *remarks(self)])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the losses and draws, as plain numbers and text; what is not a number is null."""
        setting = self.applied.setting
        return {
            "rivals_version": __version__,
            "names": list(self.names),
            **self.applied.settings(),
            "groups": None if setting.groups is None else list(setting.groups.names),
            "clusters": None if setting.clusters is None else list(setting.clusters.names),
            "survivors": list(self.survivors),
            "rejections": {name: vars(rejection) for name, rejection in self.rejections.items()},
            "undecided": [vars(duel) for duel in self.undecided],
            "verdict": self.verdict,
            "expected_error": self.expected_error,
            "models": rows_of(self),
            "probability": self.probability.tolist(),
            "calibrated": None if self.calibrated is None else self.calibrated.tolist(),
            "calibration": {
                "remarks": list(self._verdict.remarks),
                "survivors": self._verdict.survivors_under,
            }
            if self.calibrated is not None
            else None,
        }

    def to_dataframe(self) -> Any:
        """One row per model, best first (needs pandas); diagnostics as text."""
        rows = [
            {**row, "diagnostics": "; ".join(note["text"] for note in row["diagnostics"])}
            for row in rows_of(self)
        ]
        return rendering.dataframe(rows, "model")

    def __str__(self) -> str:
        sentences = [
            *verdicts(self),
            *remarks(self),
            f"{made_with(self)}, rng = {self.applied.setting.entropy}",
        ]
        return "\n".join([comparison_text(rows_of(self)), "", *map(rendering.wrap, sentences)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = rows_of(self)
        columns = shown_columns(rows, notes=True)
        headings = [column.heading for column in columns]
        return rendering.html(
            headings, cells_of(rows, columns), before=self.verdict, after=made_with(self)
        )


def verdicts(result: Findings) -> list[str]:
    """Who survives, and which duels are too close to call, a text of each."""
    survivors = listed(result.survivors)
    if not result.rejections:
        sentence = f"No model is rejected: all may be worth keeping ({survivors})."
    else:
        sentence = f"Worth keeping: {survivors}. Rejected: {len(result.rejections)} of {len(result.names)}."
    return [sentence, *(_unclear(result, duel) for duel in result.undecided)]


def _unclear(result: Findings, duel: Undecided) -> str:
    pair = f"P({show(duel.by)} better than {show(duel.model)}) = {duel.probability:.4f}"
    if duel.reason == "simulations":
        share = f"only {result.stability[duel.model]:.0%} of the single simulations"
        return f"Undecided: {pair}, but {share} reject {show(duel.model)}, which survives; treat it as a tie."
    law = f"law=rivals.laws.{type(result.applied.law).__name__}(max_draws=…)"
    return f"Undecided: {pair} ± {duel.standard_error:.4f} is too close to the threshold; draw more ({law}), or treat it as a tie."


def remarks(result: Findings) -> list[str]:
    """What the verdict is sensitive to, in sentences: c, the simulations, the number of models, the law."""
    setting, law, found = result.applied.setting, result.applied.law, []
    critical = dict(zip(result.names, result.applied.critical_c.tolist(), strict=True))
    nearly = [
        name
        for name in result.survivors
        if 0.0 < critical[name] < setting.c and result.calibrated is None
    ]
    if nearly:
        parts = [f"{show(name)} for c up to {critical[name]:.2g}" for name in nearly[:3]]
        more = f" and {len(nearly) - 3} more for some smaller c" if len(nearly) > 3 else ""
        found.append(f"At smaller c there is more to reject: {', '.join(parts)}{more}.")
    if setting.n_simulations == 1 and law.uses_c(1):
        found.append(
            "There is only one simulation of each model, so the stability of the verdict is unknown."
        )
    if len(result.names) > FEW_MODELS and result.rejections and result.calibrated is None:
        corrected = 1.0 - (1.0 - setting.threshold) / (len(result.names) - 1)
        found.append(
            f"The best of {len(result.names)} models is rejected more easily than one of a pair; threshold={corrected:.7g} makes up for that."
        )
    return [
        *found,
        *result._verdict.remarks,
        *result.applied.remarks(result.names),
        *_worth(result),
    ]


def _worth(result: Findings) -> list[str]:
    """One plain line on it, under every verdict that states a winner; nothing where it was not measured."""
    found = expected(result.applied, calibrated=result.calibrated is not None)
    if found is None or not result.rejections:
        return []
    law, setting, groups = result.applied.law, result.applied.setting, result.applied.setting.groups
    most = found.groups == max(law.measured[setting.n_simulations > 0])
    more = (
        ", the most that were tried,"
        if most and groups is not None and len(groups.names) > found.groups
        else ""
    )
    data = "one data set, not calibrated," if found.groups == 1 else f"{found.groups} groups{more}"
    return [
        f"What to expect: of winners stated from {data} {found.error:.0f} ± {found.standard_error:.0f} % lost in fresh groups of "
        f"{DATA_SETS} real data sets (docs: Does it work?)."
    ]


def made_with(result: Findings) -> str:
    """Law, c, threshold, groups and simulations, in one line."""
    setting, parts = result.applied.setting, [f"law {result.applied.law.name!r}"]
    if result.applied.law.uses_c(setting.n_simulations):
        plural = "s" if setting.n_simulations != 1 else ""
        parts += [f"c = {setting.c:g}", f"{setting.n_simulations} simulation{plural}"]
    parts += [f"{len(each.names)} {kind}" for kind, each in setting.labels.items()]
    parts += [f"order {setting.order!r}"] if setting.order is not None else []
    parts += ["calibrated"] if result.calibrated is not None else []
    return ", ".join([*parts, f"threshold {setting.threshold:g}"])


class ShownSweep(FindingsOverC):
    """What every sweep says of itself."""

    @property
    def verdict(self) -> str:
        """Where the verdict changes, in a sentence, and one more if that of the comparison is not among these."""
        text = told_apart(self.c)
        between = "; ".join(
            f"{text[low]} and {text[high]}" for low, high in self.changes[:LISTED_CHANGES]
        )
        more = len(self.changes) - LISTED_CHANGES
        changes = f"The verdict changes between c = {between}" + (
            f", and {more} more times." if more > 0 else "."
        )
        sentence = changes if self.changes else "The verdict is the same for all these c."
        return f"{sentence} {NOT_CALIBRATED}" if self.of_calibrated else sentence

    def rows(self) -> list[dict[str, Any]]:
        """One row per c, in increasing order."""
        pairs = sorted(zip(self.c, self.survivors, strict=True))
        return [
            {"c": c, "survivors": ", ".join(show(name) for name in survivors)}
            for c, survivors in pairs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            "names": list(self.names),
            "c": list(self.c),
            "threshold": self.comparisons[0].threshold,
            "entropy": self.comparisons[0].entropy,
            "survivors": [list(survivors) for survivors in self.survivors],
            "changes": [list(pair) for pair in self.changes],
            "calibrated": False,
            "probability": self.probability.tolist(),
            "standard_error": self.standard_error.tolist(),
        }

    def to_dataframe(self) -> Any:
        """One row per c (needs pandas)."""
        return rendering.dataframe(self.rows(), "c")

    def __str__(self) -> str:
        return "\n".join(
            [rendering.text(SWEEP_HEADINGS, sweep_cells(self)), "", rendering.wrap(self.verdict)]
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return rendering.html(SWEEP_HEADINGS, sweep_cells(self), after=self.verdict)


def sweep_cells(sweep: ShownSweep) -> list[list[str]]:
    """One row for each c as text; of many values of c one for each range with the same verdict."""
    rows, many = sweep.rows(), len(sweep.c) > MANY_VALUES
    ranges = [
        list(group)
        for _, group in groupby(rows, key=lambda row: row["survivors"] if many else row["c"])
    ]
    text = told_apart(sweep.c)
    return [
        [
            " … ".join(dict.fromkeys(text[row["c"]] for row in (group[0], group[-1]))),
            group[0]["survivors"],
        ]
        for group in ranges
    ]
