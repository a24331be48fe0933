"""All criteria side by side: differences of the candidates against a reference, with errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivals._say.arguments import check_choice
from rivals._say.words import show
from rivals._types import RNG, FloatArray
from rivals.comparison import compare, rendering
from rivals.criteria.aic import aic
from rivals.criteria.bic import bic
from rivals.criteria.confidence_set import VARIATIONS as OF_THE_SAMPLE
from rivals.criteria.confidence_set import confidence_set
from rivals.criteria.dic import dic
from rivals.criteria.evidence import Evidence
from rivals.criteria.likelihood_ratio import log_likelihood
from rivals.criteria.loo import loo
from rivals.criteria.loss_only import loss_only
from rivals.criteria.mdl import mdl
from rivals.criteria.risk import risk
from rivals.criteria.score import Score, Variations, difference
from rivals.criteria.waic import waic
from rivals.losses import Losses
from rivals.models import models_in_turn


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
        Sensitivity in B^EMD, as in `rivals.compare` under law "beta".
    loss_tolerance : float
        Standard deviation of the tolerance of B^Q.
    rng : int, SeedSequence, Generator or None
        For B^EMD and for the resamples of the model confidence set, which is in the table where the
        package arch is installed.

    Returns
    -------
    CriteriaTable

    See Also
    --------
    Fitted : what the table needs to know about each model.
    rivals.compare : which models survive a replication.

    Examples
    --------
    >>> from rivals import criteria
    >>> models = {
    ...     "A": criteria.Fitted([-1.0, -2.0, -1.2], 2),
    ...     "B": criteria.Fitted([-1.1, -2.2, -1.0], 1),
    ... }
    >>> criteria.table(models)["AIC"].difference
    array([ 0. , -1.8])
    """
    by_name = dict(models_in_turn(models))
    if reference is None:
        reference = next(iter(by_name))
    check_choice(reference, "reference", list(by_name))
    rows, omitted = _rows(by_name, reference, c=c, tolerance=loss_tolerance, rng=rng)
    return CriteriaTable(tuple(by_name), reference, rows, omitted)


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the criteria need to know about a fitted model.

    Criteria that need what is missing are left out.

    Parameters
    ----------
    log_likelihood : array_like
        Log likelihood of each training point at the parameters fitted to them.
    n_parameters : int
        Number of fitted parameters.
    draws : array_like, shape (draws, points), optional
        Log likelihood of each training point for equally weighted draws of the posterior (DIC,
        elpd).
    evidence : Evidence or Score, optional
        From `log_evidence`.
    complexity : Score, optional
        The family's own log complexity (MDL), from `complexity_monte_carlo` or `complexity_fisher`.
    test_losses : array_like, optional
        Losses on held-out data (risk, B^Q, MCS).
    losses : rivals.Losses, optional
        Observed and synthetic losses (B^EMD, under the paper's law of the risk, "beta").

    See Also
    --------
    table : puts the criteria of several models side by side.

    Examples
    --------
    >>> from rivals import criteria
    >>> model = criteria.Fitted(
    ...     log_likelihood=[-1.0, -2.0, -1.2], n_parameters=2, test_losses=[1.1, 1.9]
    ... )
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
class CriteriaTable:
    """Criteria as rows, models as columns.

    Each cell a difference against the reference ± its error.

    Attributes
    ----------
    names : tuple of str
    reference : str
    rows : tuple of Row
    omitted : dict
        Criterion → what was missing for it.

    See Also
    --------
    table : makes it.

    Examples
    --------
    >>> from rivals import criteria
    >>> models = {
    ...     "A": criteria.Fitted([-1.0, -2.0, -1.2], 2),
    ...     "B": criteria.Fitted([-1.1, -2.2, -1.0], 1),
    ... }
    >>> table = criteria.table(models)
    >>> [row.criterion for row in table.rows]
    ['log likelihood', 'AIC', 'BIC']
    >>> table.omitted["MDL"]
    'no complexity for A, B'
    """

    names: tuple[str, ...]
    reference: str
    rows: tuple[Row, ...]
    omitted: dict[str, str]

    def __getitem__(self, criterion: str) -> Row:
        rows = {row.criterion: row for row in self.rows}
        if criterion not in rows:
            raise KeyError(f"no criterion {criterion!r} in this table; it has {', '.join(rows)}")
        return rows[criterion]

    def _table(self) -> tuple[str, list[str], list[list[str]]]:
        """Title, headings and cells as text."""
        headings = [
            "criterion",
            *map(show, self.names),
            "scale",
            "better",
            "accounts for variations",
        ]
        body = []
        for row in self.rows:
            pairs = zip(row.difference, row.standard_error, strict=True)
            cells = [_cell(value, error) for value, error in pairs]
            better = "lower" if row.lower_is_better else "higher"
            body.append([row.criterion, *cells, row.scale, better, str(row.variations)])
        return f"Differences against {show(self.reference)}", headings, body

    @property
    def notes(self) -> list[str]:
        """What to know before you trust the numbers, and which criteria were left out and why."""
        doubts = [f"{row.criterion}: {doubt}" for row in self.rows for doubt in row.diagnostics]
        return doubts + [
            f"{criterion} left out: {reason}" for criterion, reason in self.omitted.items()
        ]

    def __str__(self) -> str:
        title, headings, body = self._table()
        return "\n".join([title, rendering.text(headings, body), *map(rendering.wrap, self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title, headings, body = self._table()
        return rendering.html(headings, body, before=title, after=" ".join(self.notes))

    def to_dataframe(self) -> Any:
        """Return one line for each criterion and model, as a pandas DataFrame.

        The index is the criterion.
        """
        lines = [
            {**row.to_dict(), "model": name, "difference": value, "standard_error": error}
            for row in self.rows
            for name, value, error in zip(
                self.names, row.difference, row.standard_error, strict=True
            )
        ]
        return rendering.dataframe(lines, "criterion")

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain numbers and text."""
        return {
            "names": list(self.names),
            "reference": self.reference,
            "omitted": dict(self.omitted),
            "rows": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True, eq=False)
class Row:
    """One criterion for all models."""

    criterion: str
    scale: str
    variations: Variations
    difference: FloatArray
    standard_error: FloatArray
    lower_is_better: bool
    diagnostics: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            **{key: value for key, value in vars(self).items() if key != "variations"},
            "accounts_for": str(self.variations),
            "difference": self.difference.tolist(),
            "standard_error": [
                None if np.isnan(error) else error for error in self.standard_error.tolist()
            ],
            "diagnostics": list(self.diagnostics),
        }


def _rows(
    models: Mapping[str, Fitted], reference: str, *, c: float, tolerance: float, rng: RNG
) -> tuple[tuple[Row, ...], dict[str, str]]:
    """A row for each criterion that all models allow, and what is missing for each other one."""
    scores = {
        criterion: (needed, partial(_score_row, models, score))
        for criterion, needed, score in _SCORES
    }
    probabilities: dict[str, tuple[str, Callable[[Mapping[str, Any], str], Row]]] = {
        "B^Q": ("test_losses", partial(_loss_only_row, tolerance)),
        "B^EMD": ("losses", partial(_emd_row, c, rng)),
        "MCS": ("test_losses", partial(_confidence_row, rng)),
    }
    rows: list[Row] = []
    omitted: dict[str, str] = {}
    for criterion, (needed, row) in (scores | probabilities).items():
        given = {name: getattr(model, needed) for name, model in models.items()}
        lacking = [name for name, value in given.items() if value is None]
        if lacking:
            omitted[criterion] = f"no {needed} for {', '.join(map(show, lacking))}"
            continue
        try:
            rows.append(row(given, reference))
        except (ImportError, ValueError) as error:
            if criterion != "MCS":  # it alone needs another package, and data that can be resampled
                raise
            omitted[criterion] = str(error)
    return tuple(rows), omitted


# Name, which attribute of a `Fitted` it needs, and how it is computed from the model and that
# attribute.
_SCORES: tuple[tuple[str, str, Callable[[Fitted, Any], Score]], ...] = (
    ("log likelihood", "log_likelihood", lambda model, pointwise: log_likelihood(pointwise)),
    ("AIC", "log_likelihood", lambda model, pointwise: aic(pointwise, model.n_parameters)),
    ("BIC", "log_likelihood", lambda model, pointwise: bic(pointwise, model.n_parameters)),
    ("DIC", "draws", lambda model, draws: dic(model.log_likelihood, draws)),
    ("elpd (WAIC)", "draws", lambda model, draws: waic(draws)),
    ("elpd (LOO)", "draws", lambda model, draws: loo(draws)),
    ("log evidence", "evidence", lambda model, evidence: getattr(evidence, "score", evidence)),
    ("MDL", "complexity", lambda model, complexity: mdl(model.log_likelihood, complexity)),
    ("risk", "test_losses", lambda model, test_losses: risk(test_losses)),
)


def _score_row(
    models: Mapping[str, Fitted],
    score: Callable[[Fitted, Any], Score],
    given: Mapping[str, Any],
    reference: str,
) -> Row:
    scores = {name: score(models[name], value) for name, value in given.items()}
    first = scores[reference]
    doubts = tuple(
        f"{show(name)}: {doubt}" for name, one in scores.items() for doubt in one.diagnostics
    )
    about = (first.criterion, first.scale, first.variations, first.lower_is_better, doubts)
    return _row({name: difference(one, first) for name, one in scores.items()}, reference, *about)


def _loss_only_row(tolerance: float, losses: Mapping[str, ArrayLike], reference: str) -> Row:
    pairs = {
        name: loss_only(sample, losses[reference], tolerance=tolerance)
        for name, sample in losses.items()
    }
    return _row(
        pairs,
        reference,
        "B^Q",
        f"P(Q < Q_ref + η), c_Q = {tolerance:g}",
        Variations(in_distribution=True),
    )


def _emd_row(c: float, rng: RNG, losses: Mapping[str, Losses], reference: str) -> Row:
    result = compare(losses, law="beta", c=c, rng=rng)
    column = result.names.index(reference)
    found = zip(
        result.probability[:, column].tolist(),
        result.standard_error[:, column].tolist(),
        strict=True,
    )
    variations = Variations(in_distribution=True, out_of_distribution=True)
    return _row(
        dict(zip(losses, found, strict=True)),
        reference,
        "B^EMD",
        f"P(R < R_ref), c = {c:g}",
        variations,
    )


def _confidence_row(rng: RNG, losses: Mapping[str, ArrayLike], reference: str) -> Row:
    found = confidence_set(losses, rng=rng)
    pairs = {name: (found.p_values[name], found.standard_error[name]) for name in losses}
    return _row(pairs, reference, "MCS", "p-value", OF_THE_SAMPLE)


def _row(
    pairs: Mapping[str, tuple[float, float | None]],
    reference: str,
    criterion: str,
    scale: str,
    variations: Variations,
    lower_is_better: bool = False,
    doubts: tuple[str, ...] = (),
) -> Row:
    """From the number of each model and its error.

    NaN where the number is exact, and for the reference against itself.
    """
    errors = [
        np.nan if error is None or name == reference else error
        for name, (_, error) in pairs.items()
    ]
    differences = np.array([value for value, _ in pairs.values()])
    return Row(criterion, scale, variations, differences, np.array(errors), lower_is_better, doubts)


def _cell(value: float, error: float) -> str:
    return f"{value:.4g}" if np.isnan(error) else f"{value:.4g} ± {error:.2g}"
