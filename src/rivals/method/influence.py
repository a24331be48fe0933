"""Influence values: any metric as one number for each row, so that it is judged as a loss is.

A metric T is a function of weighted rows that does not change where all weights are doubled. The
influence of row i is z_i = W ∂T/∂w_i, W the sum of weights, and Σ w_i z_i = 0: the mean of T + z_i
is T exactly, and its standard error is that of T, to first order. Three ways to z: functions of
means, by complex step; ranks (ROC AUC, average precision), in closed form; anything else, smooth or
not, by orthogonal half samples of units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from rivals._core.types import FloatArray, IntArray

# What a model must give for each row; "event" is a label, as 1 where it is the second of two.
Needs: TypeAlias = Literal["number", "label", "event", "score", "probabilities"]
# (targets, predictions, weights, strata, units) → T, and z where it is known.
Function: TypeAlias = Callable[..., tuple[float, FloatArray | None]]

# A derivative by complex step has no rounding error of a difference.
STEP = 1e-20
# The half of the units that weighs more has 1 + FAY, the other 1 − FAY; where a metric takes no
# weights, the other half is left out.
FAY = 0.5
# Units of half samples; more are bundled.
MOST = 255


@dataclass(frozen=True)
class Metric:
    """A metric, and how its influence values come about.

    Attributes
    ----------
    name : str
        As sentences call it.
    of : callable
        (targets, predictions, weights, strata, units) → T, and z or None. Ranks are compared within
        strata (folds), whose models may score on scales of their own.
    needs : str
        What is predicted.
    higher : bool
        Whether higher is better.
    losses : callable, optional
        Of a mean over rows: from targets and predictions to the loss of each.
    closed : bool
        Whether z is known in closed form.
    reach : float
        Of half samples: FAY, or 1 where it takes no weights.
    unit : str
    """

    name: str
    of: Function
    needs: Needs = "number"
    higher: bool = False
    losses: Callable[..., Any] | None = None
    closed: bool = True
    reach: float = FAY
    unit: str = ""

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over rows."""
        return self.losses is not None


def of_means(
    name: str, columns: Callable[..., Any], h: Callable[..., Any] | None = None, **said: Any
) -> Metric:
    """T = h(means of columns); a mean over rows without h.

    Examples
    --------
    >>> rmse = of_means("RMSE", lambda y, p: ((y - p) ** 2,), np.sqrt)
    >>> value, z = rmse.of(np.array([1.0, 2.0]), np.array([1.0, 4.0]), np.ones(2))
    >>> round(value, 3), z.round(3).tolist()
    (1.414, [-0.707, 0.707])
    """

    def of(
        y: Any, p: Any, w: FloatArray, strata: Any = None, units: Any = None
    ) -> tuple[float, FloatArray]:
        x = np.array(np.broadcast_arrays(*columns(y, p)), dtype=np.float64)
        means = x @ w / w.sum()
        if h is None:
            return float(means[0]), x[0] - means[0]
        with np.errstate(all="ignore"):  # a denominator of zero gives nan, which is refused
            value = float(h(*means))
            moved = means + 1j * STEP * np.eye(means.size)
            slope = np.array([np.imag(h(*row)) / STEP for row in moved])
            return value, np.asarray(slope @ (x - means[:, None]))

    losses = None if h is not None else lambda y, p: columns(y, p)[0]
    return Metric(name, of, losses=losses, **said)


def _counts(y: FloatArray, p: FloatArray) -> tuple[FloatArray, ...]:
    """Hits, events, calls: all that a table of 2 × 2 holds."""
    return y * p, y, p


def _balanced(hits: Any, y: Any, p: Any) -> Any:
    return 0.5 * (hits / y + (1.0 - y - p + hits) / (1.0 - y))


def _matthews(hits: Any, y: Any, p: Any) -> Any:
    return (hits - y * p) / np.sqrt(y * (1.0 - y) * p * (1.0 - p))


def _errors(y: FloatArray, p: FloatArray) -> tuple[FloatArray, ...]:
    about = y - y.mean()  # an offset costs no digits
    return (y - p) ** 2, about**2, about


def _log(y: FloatArray, p: FloatArray) -> tuple[FloatArray]:
    with np.errstate(divide="ignore"):
        return (-np.log(p[np.arange(y.size), y] if p.ndim == 2 else np.where(y == 1, p, 1.0 - p)),)


def brier(y: npt.NDArray[Any], p: FloatArray) -> FloatArray:
    """Σ_k (1{y = k} − p_k)² over the classes; of two classes one term, as scikit-learn has it."""
    if p.ndim == 1:
        return np.asarray((y - p) ** 2)
    n_classes = p.shape[1]
    squares = (np.eye(n_classes)[y] - p) ** 2
    return np.asarray(squares.sum(axis=1) / (2.0 if n_classes == 2 else 1.0))


def poisson_deviance(y: FloatArray, p: FloatArray) -> FloatArray:
    """2 (y ln(y/p) − y + p)."""
    if y.min() < 0.0:
        raise ValueError(f"the Poisson deviance is of targets from zero; got {y.min():g}")
    _check_means(p)
    return np.asarray(2.0 * (xlogy(y, y / p) - y + p))


def gamma_deviance(y: FloatArray, p: FloatArray) -> FloatArray:
    """2 (y/p − ln(y/p) − 1)."""
    if y.min() <= 0.0:
        raise ValueError(f"the gamma deviance is of targets above zero; got {y.min():g}")
    _check_means(p)
    return np.asarray(2.0 * (y / p - np.log(y / p) - 1.0))


def _check_means(p: FloatArray) -> None:
    if p.min() <= 0.0:
        raise ValueError(f"a deviance needs predictions above zero; got {p.min():g}")


# ---------------------------------------------------------------- ranks


def _placed(
    y: FloatArray, s: FloatArray, w: FloatArray, strata: IntArray, by_score: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Of each row, the weight of the pairs it wins within its stratum, ties a half; of all its
    pairs.
    """
    small = strata.astype(np.uint16) if strata.max() < 2**16 else strata  # these are sorted fast
    order = by_score[np.argsort(small[by_score], kind="stable")]
    new = np.r_[True, (np.diff(s[order]) != 0) | (np.diff(strata[order]) != 0)]
    at = np.empty(y.size, dtype=np.intp)
    at[order] = np.cumsum(new) - 1
    stratum = strata[order][new]
    totals, below = [], []
    for own in (1.0 - y, y):  # non-events, events
        here = np.bincount(at, w * own)
        total = np.bincount(stratum, here)
        totals.append(total[strata])
        below.append((np.cumsum(here) - (np.cumsum(total) - total)[stratum] - 0.5 * here)[at])
    event = y == 1
    return np.where(event, below[0], totals[1] - below[1]), np.where(event, *totals)


def _auc(
    y: FloatArray, s: FloatArray, w: FloatArray, strata: Any = None, units: Any = None
) -> tuple[float, FloatArray]:
    """DeLong's placements, weighted; only pairs within a stratum. A pair within one unit (a group)
    comes once with that unit, not twice.
    """
    by_score = np.argsort(s, kind="stable")
    alone = strata is None
    strata = np.zeros(y.size, dtype=np.intp) if alone else strata
    wins, pairs = _placed(y, s, w, strata, by_score)
    whole = float(np.sum(w * pairs * y))
    if whole == 0.0:
        return float("nan"), np.full(y.size, np.nan)
    value = float(np.sum(w * wins * y)) / whole
    z = wins - value * pairs
    if units is not None:
        both = units
        if not alone:
            both = np.unique(strata * (units.max() + 1) + units, return_inverse=True)[1]
        own, of_own = _placed(y, s, w, both, by_score)
        z = z - 0.5 * (own - value * of_own)
        z = z - w @ z / w.sum()
    return value, np.asarray(w.sum() * z / whole)


def _average_precision(
    y: FloatArray, s: FloatArray, w: FloatArray, strata: Any = None, units: Any = None
) -> tuple[float, FloatArray]:
    """The mean over events of the precision at their scores; its slope counts each row where it is
    called before them.
    """
    at = np.unique(-s, return_inverse=True)[1]
    events = np.bincount(at, w * y)
    whole = events.sum()
    if whole == 0.0:
        return float("nan"), np.full(y.size, np.nan)
    called, hits = np.cumsum(np.bincount(at, w)), np.cumsum(events)
    called = np.where(called > 0.0, called, 1.0)  # weights of 0 at the top
    precision = hits / called
    value = float(events @ precision / whole)
    gained = np.cumsum((events / called)[::-1])[::-1]
    lost = np.cumsum((events * precision / called)[::-1])[::-1]
    slope = y * (precision[at] - value + gained[at]) - lost[at]
    return value, np.asarray(w.sum() * slope / whole)


def _ratio(a: Any, b: Any, *others: Any) -> Any:
    return a / b


_UP: dict[str, Any] = {"higher": True}
_EVENT: dict[str, Any] = {"needs": "event", "higher": True}
# By the names of scikit-learn's scorers where it has one.
METRICS = {
    "log": of_means("negative log probability", _log, needs="probabilities", unit="nats"),
    "brier": of_means("Brier score", lambda y, p: (brier(y, p),), needs="probabilities"),
    "zero-one": of_means("zero-one loss", lambda y, p: (y != p,), needs="label"),
    "squared": of_means("squared error", lambda y, p: ((y - p) ** 2,)),
    "absolute": of_means("absolute error", lambda y, p: (np.abs(y - p),)),
    "pinball": of_means("pinball loss", lambda y, p: (0.5 * np.abs(y - p),)),
    "poisson deviance": of_means("Poisson deviance", lambda y, p: (poisson_deviance(y, p),)),
    "gamma deviance": of_means("gamma deviance", lambda y, p: (gamma_deviance(y, p),)),
    "accuracy": of_means("accuracy", lambda y, p: (y == p,), needs="label", **_UP),
    "roc_auc": Metric("ROC AUC", _auc, "score", True),
    "average_precision": Metric("average precision", _average_precision, "score", True),
    "f1": of_means("F1", _counts, lambda hits, y, p: 2.0 * hits / (y + p), **_EVENT),
    "precision": of_means("precision", _counts, lambda hits, y, p: hits / p, **_EVENT),
    "recall": of_means("recall", _counts, lambda hits, y, p: hits / y, **_EVENT),
    "balanced_accuracy": of_means("balanced accuracy", _counts, _balanced, **_EVENT),
    "matthews_corrcoef": of_means("Matthews correlation", _counts, _matthews, **_EVENT),
    "rmse": of_means("RMSE", _errors, lambda e, *others: np.sqrt(e)),
    "r2": of_means("R²", _errors, lambda e, t2, t: 1.0 - e / (t2 - t * t), **_UP),
    "wape": of_means("WAPE", lambda y, p: (np.abs(y - p), np.abs(y)), _ratio),
    "perplexity": of_means("perplexity", _log, np.exp, needs="probabilities"),
}
ALIASES = {
    "neg_log_loss": "log",
    "neg_brier_score": "brier",
    "neg_mean_squared_error": "squared",
    "neg_mean_absolute_error": "absolute",
    "neg_mean_poisson_deviance": "poisson deviance",
    "neg_mean_gamma_deviance": "gamma deviance",
    "neg_root_mean_squared_error": "rmse",
    "auc": "roc_auc",
    "mcc": "matthews_corrcoef",
}


# ---------------------------------------------------------------- anything else


def half_samples(
    metric: Callable[[FloatArray], float], value: float, units: IntArray, reach: float
) -> FloatArray:
    """T + z of each unit, by an orthogonal design of half samples and their complements.

    Right also for medians and quantiles, where leaving out one unit is not. The design is folded
    over, so that interactions of two units cancel. Of many units, bundles drawn at random are
    judged, and their spread is that of units.

    Parameters
    ----------
    metric : callable
        From weights of rows to T.
    value : float
        T of all rows.
    units : array of int
        The unit of each row, from 0.
    reach : float
        The half that weighs more has 1 + reach, the other 1 − reach.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 4.0, 9.0])
    >>> mean = lambda w: float(w @ x / w.sum())
    >>> half_samples(mean, 4.0, np.arange(4), 0.5).round().tolist()
    [1.0, 2.0, 4.0, 9.0]
    """
    n_units = int(units.max()) + 1
    rng = np.random.default_rng(0)
    bundle = np.arange(n_units)
    if n_units > MOST:
        bundle = rng.permutation(n_units) % (MOST // 2)
    n_bundles = int(bundle.max()) + 1
    runs = 1 << int(np.ceil(np.log2(n_bundles + 1)))
    signs = np.ones((1, 1))
    while len(signs) < runs:  # Sylvester's matrix of Hadamard
        signs = np.block([[signs, signs], [signs, -signs]])
    design = signs[1:, 1:][:, rng.permutation(runs - 1)[:n_bundles]]
    here = bundle[units]
    effect = np.array(
        [metric((1.0 + reach * row)[here]) - metric((1.0 - reach * row)[here]) for row in design]
    )
    z = n_bundles / (2.0 * reach * runs) * (design.T @ effect)
    return np.asarray(value + np.sqrt(n_units / n_bundles) * (z - z.mean())[bundle])
