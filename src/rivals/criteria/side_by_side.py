"""All criteria side by side for the same candidates: differences against a reference, with their errors."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rivals._checks import show
from rivals._types import RNG, FloatArray
from rivals.criteria.aic import aic
from rivals.criteria.bic import bic
from rivals.criteria.checks import missing
from rivals.criteria.dic import dic
from rivals.criteria.evidence import Evidence
from rivals.criteria.likelihood_ratio import log_likelihood
from rivals.criteria.loo import loo
from rivals.criteria.loss_only import loss_only
from rivals.criteria.mdl import mdl
from rivals.criteria.risk import risk
from rivals.criteria.score import Score, Variations, difference
from rivals.criteria.waic import waic

if TYPE_CHECKING:
    from rivals import Losses


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the criteria need to know of a fitted model; what is left out leaves out those that need it.

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each training point at the parameters fitted to them.
    n_parameters : int
        Number of fitted parameters.
    draws : array_like, shape (draws, points), optional
        Log likelihood of each training point for equally weighted draws of the posterior (DIC, elpd).
    evidence : Evidence or Score, optional
        From `log_evidence`.
    complexity : Score, optional
        The family's own log complexity (MDL), from `complexity_monte_carlo` or `complexity_fisher`.
    test_losses : array_like, optional
        Losses on held-out data (risk, B^Q).
    losses : rivals.Losses, optional
        Observed and synthetic losses (B^EMD).

    Examples
    --------
    >>> from rivals import criteria
    >>> model = criteria.Fitted(log_likelihood=[-1.0, -2.0, -1.2], n_parameters=2, test_losses=[1.1, 1.9])
    >>> model.n_parameters, model.draws is None
    (2, True)
    """

    log_likelihood: ArrayLike
    n_parameters: int
    draws: ArrayLike | None = None
    evidence: Evidence | Score | None = None
    complexity: Score | None = None
    test_losses: ArrayLike | None = None
    losses: Losses | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """One criterion for all models."""

    criterion: str
    scale: str
    variations: Variations
    difference: FloatArray
    standard_error: FloatArray
    favours_lower: bool
    diagnostics: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CriteriaTable:
    """Criteria as rows, models as columns; each cell a difference against the reference ± its error.

    Attributes
    ----------
    names : tuple of str
    reference : str
    rows : tuple of Row
    omitted : dict
        Criterion → what was missing for it.

    Examples
    --------
    >>> from rivals import criteria
    >>> models = {"A": criteria.Fitted([-1.0, -2.0, -1.2], 2), "B": criteria.Fitted([-1.1, -2.2, -1.0], 1)}
    >>> found = criteria.table(models)
    >>> [row.criterion for row in found.rows]
    ['log likelihood', 'AIC', 'BIC']
    >>> found.omitted["MDL"]
    'no complexity for A, B'
    """

    names: tuple[str, ...]
    reference: str
    rows: tuple[Row, ...]
    omitted: dict[str, str]

    def __getitem__(self, criterion: str) -> Row:
        for row in self.rows:
            if row.criterion == criterion:
                return row
        known = ", ".join(row.criterion for row in self.rows)
        raise KeyError(f"no criterion {criterion!r} in this table; it has {known}")

    def cells(self) -> list[list[str]]:
        """Return the table as text, headings first."""
        head = [
            "criterion",
            *(show(name) for name in self.names),
            "scale",
            "better",
            "accounts for variations",
        ]
        body = [
            [
                row.criterion,
                *(_cell(*pair) for pair in zip(row.difference, row.standard_error, strict=True)),
                row.scale,
                "lower" if row.favours_lower else "higher",
                str(row.variations),
            ]
            for row in self.rows
        ]
        return [head, *body]

    def __repr__(self) -> str:
        cells = self.cells()
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) for line in cells]
        notes = [f"{row.criterion}: {note}" for row in self.rows for note in row.diagnostics]
        notes += [f"{name} left out: {reason}" for name, reason in self.omitted.items()]
        title = f"Differences against {show(self.reference)}"
        return "\n".join(text.rstrip() for text in [title, *lines, *notes])

    def _repr_html_(self) -> str:
        head, *body = [[html.escape(text) for text in line] for line in self.cells()]
        rows = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in line) + "</tr>" for line in body)
        headings = "".join(f"<th>{text}</th>" for text in head)
        return f"<table><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain numbers and text."""
        return {
            "names": list(self.names),
            "reference": self.reference,
            "omitted": dict(self.omitted),
            "rows": [
                {
                    "criterion": row.criterion,
                    "scale": row.scale,
                    "lower_is_better": row.favours_lower,
                    "accounts_for": str(row.variations),
                    "difference": row.difference.tolist(),
                    "standard_error": [None if np.isnan(e) else e for e in row.standard_error.tolist()],
                    "diagnostics": list(row.diagnostics),
                }
                for row in self.rows
            ],
        }

    def to_dataframe(self) -> Any:
        """Return one line for each criterion and model, as a pandas DataFrame."""
        try:
            import pandas as pd
        except ImportError as error:
            raise missing("table", error) from error

        return pd.DataFrame(
            {
                "criterion": row.criterion,
                "model": name,
                "difference": row.difference[i],
                "standard_error": row.standard_error[i],
                "scale": row.scale,
                "lower_is_better": row.favours_lower,
                "in_distribution": row.variations.in_distribution,
                "out_of_distribution": row.variations.out_of_distribution,
                "parameters": row.variations.parameters,
            }
            for row in self.rows
            for i, name in enumerate(self.names)
        )


def table(
    models: Mapping[str, Fitted],
    *,
    reference: str | None = None,
    c: float = 1.0,
    loss_tolerance: float = 1.0,
    rng: RNG = None,
) -> CriteriaTable:
    """Put all criteria of the same candidates side by side.

    Parameters
    ----------
    models : mapping of str to Fitted
    reference : str, optional
        The model against which the others are compared; the first by default.
    c : float
        Sensitivity of B^EMD, as in `rivals.compare`.
    loss_tolerance : float
        Standard deviation of the tolerance of B^Q.
    rng : int, SeedSequence, Generator or None
        For B^EMD.

    Returns
    -------
    CriteriaTable

    Examples
    --------
    >>> from rivals import criteria
    >>> models = {"A": criteria.Fitted([-1.0, -2.0, -1.2], 2), "B": criteria.Fitted([-1.1, -2.2, -1.0], 1)}
    >>> criteria.table(models)["AIC"].difference
    array([ 0. , -1.8])
    """
    names = tuple(models)
    if len(names) < 2:
        raise ValueError(f"A table compares at least two models, but {len(names)} was given.")
    reference = names[0] if reference is None else reference
    if reference not in models:
        raise ValueError(f"The reference {reference!r} is not among the models: {', '.join(map(repr, names))}.")
    rows: list[Row] = []
    omitted: dict[str, str] = {}
    for criterion, needs, score in _SCORES:
        lacking = [name for name in names if any(getattr(models[name], need) is None for need in needs)]
        if lacking:
            omitted[criterion] = f"no {' and '.join(needs)} for {', '.join(map(show, lacking))}"
        else:
            rows.append(_score_row({name: score(models[name]) for name in names}, reference))
    for criterion, need in (("B^Q", "test_losses"), ("B^EMD", "losses")):
        lacking = [name for name in names if getattr(models[name], need) is None]
        if lacking:
            omitted[criterion] = f"no {need} for {', '.join(map(show, lacking))}"
        elif criterion == "B^Q":
            rows.append(_loss_only_row(models, reference, loss_tolerance))
        else:
            rows.append(_emd_row(models, reference, c, rng))
    return CriteriaTable(names, reference, tuple(rows), omitted)


def _evidence_score(model: Fitted) -> Score:
    found = model.evidence
    assert found is not None
    return found.score if isinstance(found, Evidence) else found


def _mdl_score(model: Fitted) -> Score:
    assert model.complexity is not None
    return mdl(model.log_likelihood, model.complexity)


# Name, what it needs, how it is computed.
_SCORES: tuple[tuple[str, tuple[str, ...], Callable[[Fitted], Score]], ...] = (
    ("log likelihood", ("log_likelihood",), lambda m: log_likelihood(m.log_likelihood)),
    ("AIC", ("log_likelihood",), lambda m: aic(m.log_likelihood, m.n_parameters)),
    ("BIC", ("log_likelihood",), lambda m: bic(m.log_likelihood, m.n_parameters)),
    ("DIC", ("draws",), lambda m: dic(m.log_likelihood, m.draws if m.draws is not None else ())),
    ("elpd (WAIC)", ("draws",), lambda m: waic(m.draws if m.draws is not None else ())),
    ("elpd (LOO)", ("draws",), lambda m: loo(m.draws if m.draws is not None else ())),
    ("log evidence", ("evidence",), _evidence_score),
    ("MDL", ("complexity",), _mdl_score),
    ("risk", ("test_losses",), lambda m: risk(m.test_losses if m.test_losses is not None else ())),
)


def _score_row(scores: Mapping[str, Score], reference: str) -> Row:
    pairs = [difference(score, scores[reference]) for score in scores.values()]
    first = scores[reference]
    return Row(
        first.criterion,
        first.scale,
        first.variations,
        np.array([value for value, _ in pairs]),
        _errors([error for _, error in pairs], list(scores), reference),
        first.lower_is_better,
        tuple(f"{show(name)}: {doubt}" for name, score in scores.items() for doubt in score.diagnostics),
    )


def _loss_only_row(models: Mapping[str, Fitted], reference: str, tolerance: float) -> Row:
    base = models[reference].test_losses
    found = [
        loss_only(model.test_losses, base, tolerance=tolerance)
        for model in models.values()
        if model.test_losses is not None and base is not None
    ]
    values = np.array([probability.value for probability in found])
    errors = _errors([probability.standard_error for probability in found], list(models), reference)
    scale = f"P(Q < Q_ref + η), c_Q = {tolerance:g}"
    return Row("B^Q", scale, Variations(in_distribution=True), values, errors, False, ())


def _emd_row(models: Mapping[str, Fitted], reference: str, c: float, rng: RNG) -> Row:
    from rivals import compare

    result = compare({name: model.losses for name, model in models.items() if model.losses is not None}, c=c, rng=rng)
    column = result.names.index(reference)
    variations = Variations(in_distribution=True, out_of_distribution=True)
    errors = _errors(result.standard_error[:, column].tolist(), list(models), reference)
    return Row("B^EMD", f"P(R < R_ref), c = {c:g}", variations, result.probability[:, column], errors, False, ())


def _errors(values: list[float | None], names: list[str], reference: str) -> FloatArray:
    """Return errors as an array: NaN where a number is exact, and for the reference against itself."""
    return np.array(
        [np.nan if value is None or name == reference else value for value, name in zip(values, names, strict=True)]
    )


def _cell(value: float, error: float) -> str:
    return f"{value:.4g}" if np.isnan(error) else f"{value:.4g} ± {error:.2g}"
