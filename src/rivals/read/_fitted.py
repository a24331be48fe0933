"""Models that are fitted already, judged on data they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rivals._core.arrays import Points, numbers
from rivals._core.arrays import targets as checked_targets
from rivals._core.checks import check_size
from rivals._core.grouping import Grouping
from rivals._core.losses import Losses, Provenance
from rivals._core.predictions import Kind, Predictions
from rivals._core.seeds import FOLD_SIMULATION, entropy_from
from rivals._core.texts import Refusal, opt
from rivals._core.types import RNG
from rivals.read._at_rows import at_rows, density_at, inputs_of, predictions_at, target_of
from rivals.read._cross_validation import N_SIMULATIONS
from rivals.read._estimators import library_of, probabilities_of
from rivals.read._folds import Fold
from rivals.read._judging import CRPS_SOURCE, Judged, Judging
from rivals.read._point_losses import OF_DISTRIBUTIONS, asked_for, needs_of_labels
from rivals.read._rows import column, index_of_rows, n_rows


def fitted(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    loss: str | Callable[[Any, Any], Any] = "log",
    noise: Any = None,
    n_simulations: int = N_SIMULATIONS,
    point: str = "point",
    rng: RNG = None,
) -> Losses:
    """Losses of a fitted model on new data.

    Parameters
    ----------
    model : object
        Results of statsmodels, a fitted estimator of scikit-learn, or a function from rows to a
        distribution of SciPy, as `leave_out` takes them.
    X : data frame or array
        The held-out rows.
    y : array_like or str, optional
        Their targets, or the name of their column; a formula of statsmodels has it.
    groups : array_like or str, optional
        The group of each row; groups that the model has not seen either.
    loss : str or callable
        As in `leave_out`.
    noise : distribution or callable, optional
        For what only predicts numbers, and "log": a frozen distribution of SciPy about the
        prediction, or a function from predictions to one. There are no other folds to fit it to:
        take its scale from data that the model was not fitted to.
    n_simulations : int
        Simulated data sets, for "log", which methods "transport", "beta" and "paper" need.
    point : str
        What one point is called.
    rng : int, SeedSequence, Generator, optional
        Seeds the simulations.

    Returns
    -------
    Losses
        In the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> from sklearn.linear_model import LinearRegression
    >>> from rivals.read import fitted
    >>> X = np.arange(6.0)[:, None]
    >>> line = LinearRegression().fit(X, X[:, 0])
    >>> held_out = X + 10.0, X[:, 0] + 11.0
    >>> fitted(line, *held_out, noise=stats.norm(0.0, 1.0), rng=0).observed.round(3)
    array([1.419, 1.419, 1.419, 1.419, 1.419, 1.419])
    """
    if isinstance(noise, str):
        raise ValueError(
            f"noise: {noise!r} would be fitted to the data that it judges; pass a distribution, as "
            "noise=scipy.stats.norm(0.0, 2.0), of a scale from other data, or use leave_out"
        )
    n_points = n_rows(X, "X")
    name = target_of(model)
    if y is None and not name:
        raise ValueError("y: pass the targets of the held-out rows, or the name of their column")
    index = index_of_rows(X, y=y, groups=groups)
    targets = checked_targets(column(X, name if y is None else y, "y"), "y")
    if targets.size != n_points:
        raise ValueError(f"y: {targets.size} targets for {n_points} rows")
    grouping = None if groups is None else Grouping.of(column(X, groups, "groups"))
    asked = asked_for(loss)
    if len(asked) > 1:
        raise Refusal(f"{opt['loss']}: one is judged at a time; got {len(asked)}")
    is_classifier = hasattr(model, "classes_")
    if not is_classifier and (noise is not None or asked[0] not in OF_DISTRIBUTIONS):
        targets = numbers(targets, "y")
    there = at_rows(model, X)
    library = library_of(getattr(model, "model", model))
    left_out = None if grouping is None else False
    n_simulations = check_size(n_simulations, "n_simulations", least=0)
    if asked[0] not in OF_DISTRIBUTIONS:
        classes = np.union1d(model.classes_, targets) if is_classifier else None
        kind, predicted = _predicted(model, there, X, asked, classes, n_points)
        said = Provenance(left_out=left_out, point=point, library=library)
        return Predictions(
            targets,
            {"": predicted[None]},
            kind,
            asked,
            groups=grouping,
            classes=classes,
            source=said,
            index=index,
        )[""]
    judging = Judging(
        targets,
        [Fold(np.empty(0, dtype=np.intp), np.arange(n_points))],
        OF_DISTRIBUTIONS[asked[0]],
        noise,
        n_simulations,
        (entropy_from(rng), FOLD_SIMULATION, 0),
    )
    if is_classifier:
        classes = np.union1d(model.classes_, targets)
        at = probabilities_of(model, inputs_of(model, X), classes)
        judged = replace(judging, classes=classes).judged([at])
    elif noise is not None:
        judged = judging.judged([predictions_at(there, X, n_points)])
    else:
        units = np.zeros(n_points, dtype=np.intp) if grouping is None else grouping.codes
        density = density_at(there, X, n_points, units)
        part = judging.of_density(density, np.arange(n_points), 0)
        named = CRPS_SOURCE if asked[0] == "crps" else density.source
        judged = Judged([part], named)
    observed, simulated = judged.parts[0]
    source = replace(judged.source, left_out=left_out, point=point, library=library)
    return Losses(Points(observed, index), simulated, groups=grouping, source=source)


def _predicted(
    model: Any, there: Any, X: Any, asked: tuple[Any, ...], classes: Any, n_points: int
) -> tuple[Kind, Any]:
    """Numbers; of classifiers labels, or probabilities of all classes that it or the data know."""
    if classes is None:
        return "numbers", predictions_at(there, X, n_points)
    if needs_of_labels(asked) == "label":
        return "labels", model.predict(inputs_of(model, X))
    return "probabilities", probabilities_of(model, inputs_of(model, X), classes)
