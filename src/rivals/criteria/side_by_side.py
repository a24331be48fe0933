"""All criteria side by side for the same candidates: differences against a reference, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivals._checks import show
from rivals._types import RNG, FloatArray
from rivals.comparison import compare
from rivals.criteria.aic import aic
from rivals.criteria.bic import bic
from rivals.criteria.confidence_set import VARIATIONS as OF_THE_SAMPLE
from rivals.criteria.confidence_set import confidence_set
from rivals.criteria.criteria_table import CriteriaTable, Row
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
        For B^EMD and for the resamples of the model confidence set, which is in the table where the package arch is installed.

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
    if len(models) < 2:
        raise ValueError(f"a table compares at least two models; got {len(models)}")
    reference = next(iter(models)) if reference is None else reference
    if reference not in models:
        raise ValueError(f"reference must be one of {[show(name) for name in models]}; got {show(reference)!r}")
    rows, omitted = _rows(models, reference, c=c, tolerance=loss_tolerance, rng=rng)
    return CriteriaTable(tuple(models), reference, rows, omitted)


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the criteria need to know about a fitted model. Criteria that need what is missing are left out.

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


def _rows(
    models: Mapping[str, Fitted], reference: str, *, c: float, tolerance: float, rng: RNG
) -> tuple[tuple[Row, ...], dict[str, str]]:
    """A row for each criterion that all models allow, and for each of the others what is missing."""
    scores = {criterion: (needed, partial(_score_row, models, score)) for criterion, needed, score in _SCORES}
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


# Name, which attribute of a `Fitted` it needs, and how it is computed from the model and that attribute.
_SCORES: tuple[tuple[str, str, Callable[[Fitted, Any], Score]], ...] = (
    ("log likelihood", "log_likelihood", lambda model, pointwise: log_likelihood(pointwise)),
    ("AIC", "log_likelihood", lambda model, pointwise: aic(pointwise, model.n_parameters)),
    ("BIC", "log_likelihood", lambda model, pointwise: bic(pointwise, model.n_parameters)),
    ("DIC", "draws", lambda model, draws: dic(model.log_likelihood, draws)),
    ("elpd (WAIC)", "draws", lambda model, draws: waic(draws)),
    ("elpd (LOO)", "draws", lambda model, draws: loo(draws)),
    ("log evidence", "evidence", lambda model, evidence: _evidence_score(evidence)),
    ("MDL", "complexity", lambda model, complexity: mdl(model.log_likelihood, complexity)),
    ("risk", "test_losses", lambda model, test_losses: risk(test_losses)),
)


def _evidence_score(evidence: Evidence | Score) -> Score:
    return evidence.score if isinstance(evidence, Evidence) else evidence


def _score_row(
    models: Mapping[str, Fitted], score: Callable[[Fitted, Any], Score], given: Mapping[str, Any], reference: str
) -> Row:
    scores = {name: score(models[name], value) for name, value in given.items()}
    pairs = [difference(one, scores[reference]) for one in scores.values()]
    first = scores[reference]
    return Row(
        criterion=first.criterion,
        scale=first.scale,
        variations=first.variations,
        difference=np.array([value for value, _ in pairs]),
        standard_error=_errors([error for _, error in pairs], scores, reference),
        lower_is_better=first.lower_is_better,
        diagnostics=tuple(f"{show(name)}: {doubt}" for name, one in scores.items() for doubt in one.diagnostics),
    )


def _loss_only_row(tolerance: float, losses: Mapping[str, ArrayLike], reference: str) -> Row:
    probabilities = [loss_only(sample, losses[reference], tolerance=tolerance) for sample in losses.values()]
    return Row(
        criterion="B^Q",
        scale=f"P(Q < Q_ref + η), c_Q = {tolerance:g}",
        variations=Variations(in_distribution=True),
        difference=np.array([probability.value for probability in probabilities]),
        standard_error=_errors([probability.standard_error for probability in probabilities], losses, reference),
        lower_is_better=False,
    )


def _emd_row(c: float, rng: RNG, losses: Mapping[str, Losses], reference: str) -> Row:
    result = compare(losses, law="beta", c=c, rng=rng)
    column = result.names.index(reference)
    return Row(
        criterion="B^EMD",
        scale=f"P(R < R_ref), c = {c:g}",
        variations=Variations(in_distribution=True, out_of_distribution=True),
        difference=result.probability[:, column],
        standard_error=_errors(result.standard_error[:, column].tolist(), losses, reference),
        lower_is_better=False,
    )


def _confidence_row(rng: RNG, losses: Mapping[str, ArrayLike], reference: str) -> Row:
    found = confidence_set(losses, rng=rng)
    return Row(
        criterion="MCS",
        scale="p-value",
        variations=OF_THE_SAMPLE,
        difference=np.array([found.p_values[name] for name in losses]),
        standard_error=_errors([found.standard_error[name] for name in losses], losses, reference),
        lower_is_better=False,
    )


def _errors(values: Sequence[float | None], names: Iterable[str], reference: str) -> FloatArray:
    """Errors as an array: NaN where a number is exact, and for the reference against itself."""
    return np.array(
        [np.nan if value is None or name == reference else value for value, name in zip(values, names, strict=True)]
    )
