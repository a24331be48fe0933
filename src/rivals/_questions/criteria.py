"""Criteria of other kinds beside P, of the same models: what each says, on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, nan
from typing import Any, ClassVar

import numpy as np

from rivals._core.decided import Decided
from rivals._core.setting import number, one_of
from rivals._core.texts import Refusal
from rivals._core.types import FloatArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table
from rivals.criteria import (
    Score,
    aic,
    bic,
    difference,
    loo,
    loss_only,
    one_per_point,
    risk,
    waic,
)

# What each is of, apart from the comparison.
NEEDS = {
    "P": (),
    "B^R": ("losses",),
    "B^Q": ("losses",),
    "elpd": ("losses",),
    "AIC": ("log_likelihood", "n_parameters"),
    "BIC": ("log_likelihood", "n_parameters"),
    "WAIC": ("draws",),
    "LOO": ("draws",),
}
WHAT = {
    "losses": "losses on held-out data: name → losses (a comparison that was read from a file has "
    "none)",
    "log_likelihood": "log likelihoods at the best parameters, of the data of the fit: name → one "
    "for each point",
    "n_parameters": "numbers of fitted parameters: name → number",
    "draws": "log likelihoods of posterior draws, of the data of the fit: name → draws × points",
}
# Losses whose mean is minus the expected log predictive density.
LOG_LOSSES = ("negative log density", "negative log probability", "negative log likelihood")
# The columns of `to_records`.
SCHEMA = {
    "P": "p_better",
    "B^R": "b_r",
    "B^Q": "b_q",
    "elpd": "elpd",
    "AIC": "aic",
    "BIC": "bic",
    "WAIC": "waic",
    "LOO": "loo",
}


@dataclass(frozen=True)
class Criteria(Answer):
    """Every criterion that was asked for, of each model beside the best.

    Attributes
    ----------
    best : str
    p_is : str
        What P is called: "B^EMD" under the methods of the paper.
    models : tuple of str
        All, by risk.
    values : dict of str to tuple of float
        Of each criterion: "P" that the best has the lower risk, which is B^EMD under the methods of
        the paper; "B^R", the difference of the
        risks over ln 10; "B^Q", P that a loss of the best is lower than one of the model; and
        differences from the best of "elpd", "AIC", "BIC", "WAIC" and "LOO". Of the best itself ½
        and 0; nan where it was not asked for.
    errors : dict of str to tuple of float
        Their standard errors; nan where there is none.
    notes : tuple of str
        What to know before you trust the numbers.
    """

    best: str
    p_is: str
    models: tuple[str, ...]
    values: dict[str, tuple[float, ...]]
    errors: dict[str, tuple[float, ...]]
    notes: tuple[str, ...]

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("model", "beside"),
        *(column for name in SCHEMA.values() for column in (name, f"{name}_se")),
    )

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model."""
        found = []
        for place, model in enumerate(self.models):
            row: dict[str, Any] = {"model": model, "beside": self.best}
            for name, column in SCHEMA.items():
                row[column] = self.values[name][place]
                row[f"{column}_se"] = self.errors[name][place]
            found.append(row)
        return found

    @property
    def table(self) -> Table:
        """A row for each model; what was not asked for is left out."""
        columns = [Column("model", self.models, is_text=True)]
        for name, values in self.values.items():
            if not all(np.isnan(values)):
                show = say.probability if name in ("P", "B^Q") else _shown
                head = name if name in ("P", "B^R", "B^Q") else f"Δ{name}"
                columns.append(Column(self.p_is if name == "P" else head, values, show))
        return Table(tuple(columns), self.notes)

    def __str__(self) -> str:
        return str(self.table)


def criteria(
    result: Decided,
    names: Sequence[str],
    given: Mapping[str, Mapping[str, Any] | None],
    tolerance: float,
) -> Criteria:
    """Those asked for, or all that can be computed."""
    check = one_of(*NEEDS)
    asked = tuple(check("criteria", name) for name in names)
    known = {**given, "losses": _losses(result, given["losses"])}
    for what, values in known.items():
        if values is not None and set(values) != set(result.names):
            raise Refusal(
                f"{what}: give them for all models, {', '.join(map(repr, result.names))}; got "
                f"{', '.join(map(repr, values)) or 'none'}"
            )
    found: dict[str, list[tuple[float, float]]] = {}
    notes: list[str] = []
    for name, needs in NEEDS.items():
        missing = [what for what in needs if known[what] is None]
        reason = f"it needs {WHAT[missing[0]]}; pass {missing[0]}=" if missing else ""
        if not reason and name == "elpd" and _loss_of(result) not in LOG_LOSSES:
            reason = (
                "it needs losses that are minus a log density; say so: "
                "Losses(…, source=rivals.Provenance(loss='negative log density'))"
            )
        if reason and name in asked:
            raise Refusal(f"{name}: {reason}")
        if reason or (asked and name not in asked):
            found[name] = [(nan, nan)] * len(result.names)
            continue
        found[name] = [
            _one(name, result, known, model, tolerance, notes) for model in result.ranking
        ]
    return Criteria(
        result.ranking[0],
        "B^EMD" if result.method.name in ("beta", "paper") else "P",
        result.ranking,
        {name: tuple(value for value, _ in rows) for name, rows in found.items()},
        {name: tuple(error for _, error in rows) for name, rows in found.items()},
        tuple(dict.fromkeys(notes)),
    )


def _one(
    name: str,
    result: Decided,
    known: Mapping[str, Any],
    model: str,
    tolerance: float,
    notes: list[str],
) -> tuple[float, float]:
    """One criterion of one model beside the best, and its standard error."""
    best = result.ranking[0]
    if name == "P":
        if model == best:
            return 0.5, nan
        beside = result.beside(best, (model,))
        return float(beside.better[0]), float(beside.error[0])
    if name == "B^Q":
        number(0.0, np.inf, most=False)("tolerance", tolerance)
        found = loss_only(known["losses"][best], known["losses"][model], tolerance=tolerance)
        return (0.5, nan) if model == best else (found.value, found.standard_error)
    scores = [_score(name, known, each) for each in (model, best)]
    notes += [f"{model}: {doubt}." for doubt in scores[0].diagnostics]
    value, error = difference(*scores)
    unit = log(10.0) if name == "B^R" else 1.0
    return value / unit, nan if error is None else error / unit


def _score(name: str, known: Mapping[str, Any], model: str) -> Score:
    if name == "B^R":
        return risk(known["losses"][model])
    if name == "elpd":
        each = -one_per_point(known["losses"][model], f"model {model!r}: losses")
        return Score("elpd", float(each.sum()), scale="nats", standard_error=0.0, pointwise=each)
    if name in ("AIC", "BIC"):
        made = aic if name == "AIC" else bic
        return made(known["log_likelihood"][model], known["n_parameters"][model])
    return (waic if name == "WAIC" else loo)(known["draws"][model])


def _losses(result: Decided, given: Mapping[str, Any] | None) -> Mapping[str, FloatArray] | None:
    """Those passed, or those of the comparison."""
    if given is not None or result.study is None:
        return given
    return dict(zip(result.names, result.study.observed, strict=True))


def _loss_of(result: Decided) -> str:
    return str(result.summary.source.loss)


def _shown(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3g}"
