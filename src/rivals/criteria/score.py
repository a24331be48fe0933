"""What every criterion returns: a number, its error, its scale, and what it accounts for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from math import hypot, sqrt
from typing import Any

import numpy as np

from rivals._types import FloatArray


@dataclass(frozen=True)
class Variations:
    """Against which variations a criterion makes the choice of a model robust.

    As in the results of René & Longtin (2025).

    Parameters
    ----------
    in_distribution : bool
        New data of the same process.
    out_of_distribution : bool
        New data of another process.
    parameters : bool
        Other parameters of the same model: under a prior, a posterior, or refitted to new data.

    See Also
    --------
    Score : has them.
    CriteriaTable : shows them.

    Examples
    --------
    >>> str(Variations(in_distribution=True, parameters=True))
    'in-distribution, parameters'
    >>> str(Variations())
    'none'
    """

    in_distribution: bool = False
    out_of_distribution: bool = False
    parameters: bool = False

    def __str__(self) -> str:
        named = [name.replace("_", "-") for name, counts in vars(self).items() if counts]
        return ", ".join(named) or "none"


@dataclass(frozen=True, eq=False)
class Score:
    """One criterion of one model.

    Parameters
    ----------
    criterion : str
        Its name.
    value : float
        The number, on the scale named by `scale`.
    standard_error : float or None
        None, the default, if the number is exact.
    scale : str
        Unit and sign, for example ``"−2 log likelihood"``.
    lower_is_better : bool
        True by default.
    variations : Variations
        What it accounts for; nothing by default.
    pointwise : ndarray or None
        The contribution of each data point, where the value is their sum; then the error of a
        difference is that of the paired contributions.
    diagnostics : tuple of str
        What to know before you trust the number.

    See Also
    --------
    difference : of two scores, with its error.
    table : all criteria side by side.

    Examples
    --------
    >>> from rivals import criteria
    >>> score = criteria.aic([-1.0, -2.0, -0.5], 2)
    >>> score.criterion, float(score), score.scale, score.lower_is_better
    ('AIC', 11.0, '−2 log likelihood', True)
    """

    criterion: str
    value: float
    _: KW_ONLY
    scale: str
    standard_error: float | None = None
    lower_is_better: bool = True
    variations: Variations = Variations()
    pointwise: FloatArray | None = field(default=None, repr=False)
    diagnostics: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Everything but the contributions of the data points, as plain numbers and text."""
        plain = {
            key: value
            for key, value in vars(self).items()
            if key not in ("variations", "pointwise")
        }
        return {
            **plain,
            "accounts_for": str(self.variations),
            "diagnostics": list(self.diagnostics),
        }


def difference(score: Score, reference: Score) -> tuple[float, float | None]:
    """Return `score` − `reference` and the standard error of that.

    Scores with the contribution of each data point are compared point by point: what is hard
    for both models cancels. Otherwise the errors are assumed to be independent.

    See Also
    --------
    table : all differences side by side.

    Examples
    --------
    >>> from rivals import criteria
    >>> difference(criteria.aic([-1.0, -2.0], 2), criteria.aic([-1.5, -2.5], 1))
    (0.0, None)
    """
    if score.criterion != reference.criterion:
        raise ValueError(
            f"the scores are of different criteria: got {score.criterion} and "
            f"{reference.criterion}; compute both by the same criterion"
        )
    value = score.value - reference.value
    if score.standard_error is None and reference.standard_error is None:
        return value, None
    if score.pointwise is not None and reference.pointwise is not None:
        if score.pointwise.shape != reference.pointwise.shape:
            raise ValueError(
                f"{score.criterion}: one model was scored on {score.pointwise.size} points, "
                f"the other on {reference.pointwise.size}; score both on the same data"
            )
        contributions = score.pointwise - reference.pointwise
        return value, sqrt(contributions.size * float(np.var(contributions, ddof=1)))
    return value, hypot(score.standard_error or 0.0, reference.standard_error or 0.0)


def elpd(criterion: str, pointwise: FloatArray, doubt: str | None) -> Score:
    """An expected log pointwise predictive density: the sum over the points, with its error."""
    n = pointwise.size
    return Score(
        criterion,
        float(pointwise.sum()),
        standard_error=float(np.sqrt(n * np.var(pointwise, ddof=1))) if n > 1 else float("inf"),
        scale="log predictive density",
        lower_is_better=False,
        variations=Variations(in_distribution=True),
        pointwise=pointwise,
        diagnostics=() if doubt is None else (doubt,),
    )
